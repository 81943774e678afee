/* Where every number is after each step, and the attention that is computed with them. */

import { clamp, COLOUR, dot, range, say, seededNormals, softmax, sum } from "../kit/kit.js";
import { NARROW } from "../kit/paint.js";

export const STEPS = [say("project"), say("split"), say("transpose"), say("attend"), say("merge"), "W_O"];
export const POSITIONS = [2, 3, 4, 5, 6];
export const SIZES = [4, 6, 8, 12];
export const HEADS = [1, 2, 3, 4];
export const LOOKS = [
  [COLOUR.heads[0], "circle"],
  [COLOUR.heads[1], "square"],
  [COLOUR.heads[2], "triangle"],
  [COLOUR.heads[3], "diamond"],
]; // of the heads

// (T, D) → (H, T, D/H): head h holds features h·D/H … (h + 1)·D/H − 1 of every position.
export function splitHeads(x, H) {
  const Dh = x[0].length / H;
  return range(H).map((h) => x.map((row) => row.slice(h * Dh, (h + 1) * Dh)));
}

export const mergeHeads = (x) => x[0].map((_, t) => x.flatMap((head) => head[t]));

// The wrong way to the same shape: the numbers stay in the order of memory and are only cut anew.
export function viewHeads(x, H) {
  const [T, Dh] = [x.length, x[0].length / H];
  const flat = x.flat();
  return range(H).map((h) => range(T).map((t) => flat.slice((h * T + t) * Dh, (h * T + t + 1) * Dh)));
}

// Where the number of position t and feature f is after each step; null stands for a whole axis.
export function trace(t, f, { T, D, H, wrong }) {
  const Dh = D / H;
  const memory = t * D + f;
  const split = [0, t, Math.floor(f / Dh), f % Dh]; // (B, T, H, Dh)
  const headed = wrong
    ? [0, Math.floor(memory / (T * Dh)), Math.floor(memory / Dh) % T, memory % Dh]
    : [0, split[2], t, split[3]]; // (B, H, T, Dh)
  const [, h, row, column] = headed;
  return [[0, t, f], wrong ? headed : split, headed, headed, [0, row, h * Dh + column], [0, row, null]];
}

export const traceAll = (size) => range(size.T).map((t) => range(size.D).map((f) => trace(t, f, size)));

export function shapesOf({ T, D, H, wrong }) {
  const headed = [1, H, T, D / H];
  return [[1, T, D], wrong ? headed : [1, T, H, D / H], headed, headed, [1, T, D], [1, T, D]];
}

// The numbers (positions, features) that are in a place of (H, T, Dh) where they do not belong.
export function misplaced(size) {
  const right = { ...size, wrong: false };
  return range(size.T)
    .flatMap((t) => range(size.D).map((f) => [t, f]))
    .filter(([t, f]) => String(trace(t, f, size)[2]) !== String(trace(t, f, right)[2]));
}

const table = (seed, rows, columns, scale) => {
  const drawn = seededNormals(seed, rows * columns);
  return range(rows).map((i) => range(columns).map((j) => scale * drawn[i * columns + j]));
};

// A seeded sequence and the four weights, (out, in) as in nn.Linear.
export function sample(T, D) {
  const scale = 1 / Math.sqrt(D);
  const [W_q, W_k, W_v, W_o] = [1.4, 1.4, 1, 1].map((s, i) => table(i + 1, D, D, s * scale));
  return { x: table(0, T, D, 1), W_q, W_k, W_v, W_o };
}

export function attend({ x, W_q, W_k, W_v, W_o }, H, wrong) {
  const linearMap = (rows, W) => rows.map((row) => W.map((w) => dot(w, row)));
  const toHeads = wrong ? viewHeads : splitHeads;
  const projected = linearMap(x, W_q);
  const [q, k, v] = [projected, linearMap(x, W_k), linearMap(x, W_v)].map((y) => toHeads(y, H));
  const weights = q.map((rows, h) =>
    rows.map((row) => softmax(k[h].map((key) => dot(row, key) / Math.sqrt(row.length)))),
  );
  const context = weights.map((rows, h) =>
    rows.map((row) => v[h][0].map((_, f) => sum(row.map((a, j) => a * v[h][j][f])))),
  );
  const merged = mergeHeads(context);
  return { projected, q, weights, context, merged, output: linearMap(merged, W_o) };
}

export const furthest = (a, b) => Math.max(...a.flatMap((row, i) => row.map((v, j) => Math.abs(v - b[i][j]))));

// Nothing, or why so many heads cannot share so many features.
export function divisionError(D, H) {
  if (D % H === 0) return "";
  const fit = (values, test) => values.filter(test).join(say(", "));
  return say(
    "{D} features cannot be shared equally by {H} heads: {D} / {H} is not a whole number. Take {heads} heads, or " +
      "{sizes} features.",
    { D, H, heads: fit(HEADS, (h) => D % h === 0), sizes: fit(SIZES, (d) => d % H === 0) },
  );
}

// ---- where things are ----------------------------------------------------------------------------

export const TALLEST = 360; // of a drawing that keeps its height from step to step
const TOP = 92; // of the cells: title, code, names of the heads, numbers of the columns
const LABEL = 20; // width of a column of row labels
export const WEIGHT = 30; // width of a cell of the weights

// The place of every block of cells at a step: a whole table, or one block a head; and the total height.
export function blocksOf(step, width, size) {
  const { T, D, H, wrong } = size;
  const Dh = D / H;
  const isTable = step === 0 || step > 3 || (step === 1 && !wrong);
  // on a phone heads stand below each other at steps 3 and 4: one table takes as much room
  const room = isTable && width < NARROW ? Math.min(TALLEST, blocksOf(3, width, size).height) - TOP - 6 : 0;
  const tall = clamp(Math.floor(room / T), 32, 60);
  const gap = width < NARROW ? 6 : 10;
  const wide = clamp(Math.floor((width - LABEL - gap * (H - 1)) / D), 22, 58);
  if (step === 0 || step > 3) {
    // (B, T, D)
    const left = Math.max(LABEL, (width - D * wide) / 2);
    return {
      wide,
      tall,
      height: TOP + T * tall + 6,
      place: ([, t, f]) => [left + f * wide, TOP + t * tall],
      blocks: range(H).map((h) => ({ left: left + h * Dh * wide, top: TOP, head: h, labels: h === 0, first: h * Dh })),
    };
  }
  if (isTable) {
    // (B, T, H, Dh): each row in pieces
    const left = Math.max(LABEL, (width - D * wide - gap * (H - 1)) / 2);
    const lefts = range(H).map((h) => left + h * (Dh * wide + gap));
    return {
      wide,
      tall,
      height: TOP + T * tall + 6,
      place: ([, t, h, f]) => [lefts[h] + f * wide, TOP + t * tall],
      blocks: lefts.map((x, h) => ({ left: x, top: TOP, head: h, labels: h === 0, first: 0 })),
    };
  }
  const attending = step === 3; // (B, H, T, Dh), with the weights (B, H, T, T) beside it while attending
  const twoInRow = Math.floor(((width - 22) / 2 - LABEL - T * WEIGHT - 26) / Dh); // cells narrow enough for two heads
  const cellWide = attending ? Math.min(wide, H > 1 && twoInRow >= 26 ? twoInRow : 38, 38) : wide;
  const beside = attending && LABEL + T * WEIGHT + 26 + Dh * cellWide <= width;
  const shift = beside ? T * WEIGHT + 26 : 0;
  const drop = attending && !beside ? T * tall + 24 : 0;
  const across = LABEL + Math.max(shift + Dh * cellWide, attending ? T * WEIGHT : 0);
  const down = drop + T * tall + 52;
  const fit = Math.max(1, Math.min(H, Math.floor((width + 22) / (across + 22))));
  const inRow = Math.ceil(H / Math.ceil(H / fit)); // four heads of which three would fit stand two by two
  const start = Math.max(0, (width - inRow * across - (inRow - 1) * 22) / 2);
  const blocks = range(H).map((h) => {
    const [x, y] = [start + (h % inRow) * (across + 22) + LABEL, TOP + Math.floor(h / inRow) * down];
    return { left: x + shift, top: y + drop, weightsLeft: x, weightsTop: y, head: h, labels: !beside, first: 0 };
  });
  return {
    wide: cellWide,
    tall,
    blocks,
    height: TOP + Math.ceil(H / inRow) * down - 46,
    place: ([, h, t, f]) => [blocks[h].left + f * cellWide, blocks[h].top + t * tall],
  };
}
