/* Five scores, and the level lines of a score over the plane. */

import { dot, linspace, range, say, sum } from "../kit/kit.js";

export const SCORES = [
  ["dot", say("dot product  q·k"), say("dot")],
  ["scaled_dot", say("scaled dot  q·k/√d"), say("scaled dot")],
  ["multiplicative", say("multiplicative  qᵀMk"), say("multiplicative")],
  ["additive", say("additive  w_vᵀ tanh(W_q q + W_k k)"), say("additive")],
  ["gaussian", say("Gaussian  −½‖q−k‖²"), say("Gaussian")],
];
export const REACH = 3;
const CELLS = 48; // the plane is sampled at 49 × 49 points
const LEVEL_STEPS = [0.05, 0.1, 0.2, 0.5, 1, 2, 4, 10, 20, 50, 100, 200];

const times = (matrix, v) => matrix.map((row) => dot(row, v));

// parameters: { weight: M (d, d), W_q (h, d), W_k (h, d), w_v (h) }
export function score(name, q, k, parameters = {}) {
  if (name === "dot") return dot(q, k);
  if (name === "scaled_dot") return dot(q, k) / Math.sqrt(q.length);
  if (name === "gaussian") return -sum(q.map((x, i) => (x - k[i]) ** 2)) / 2;
  if (name === "multiplicative") return dot(q, times(parameters.weight, k));
  if (name === "additive") {
    const [a, b] = [times(parameters.W_q, q), times(parameters.W_k, k)];
    return dot(
      parameters.w_v,
      a.map((x, i) => Math.tanh(x + b[i])),
    );
  }
  throw new Error(`no score named ${name}`);
}

export const scoreAll = (name, q, keys, parameters) => keys.map((k) => score(name, q, k, parameters));

// Each key moved along its ray from the origin to the norm `radius`; one at the origin goes to the right.
export function onCircle(keys, radius) {
  return keys.map(([x, y]) => {
    const norm = Math.hypot(x, y);
    return norm > 0 ? [(x / norm) * radius, (y / norm) * radius] : [radius, 0];
  });
}

export const largestDifference = (a, b) => Math.max(...a.map((x, i) => Math.abs(x - b[i])));

// Distance of neighbouring level lines: at most nine of them on either side of zero.
export const levelStep = (greatest) => LEVEL_STEPS.find((step) => greatest / step <= 9.5) || LEVEL_STEPS.at(-1);

// A square of the grid cut along f = level: the corners with f ≥ level (sign 1) or f ≤ level (sign −1) and
// the crossings between them. Corner: [x, y, f].
function cutSquare(corners, level, sign) {
  const out = [];
  corners.forEach((from, i) => {
    const to = corners[(i + 1) % 4];
    const [a, b] = [sign * (from[2] - level), sign * (to[2] - level)];
    if (a >= 0) out.push([from[0], from[1], false]);
    if (a >= 0 !== b >= 0) {
      const part = a / (a - b);
      out.push([from[0] + part * (to[0] - from[0]), from[1] + part * (to[1] - from[1]), true]);
    }
  });
  return out;
}

// The region f ≥ level (or ≤) of a grid of values, as polygons, and the line f = level, as pieces.
export function region(xs, ys, values, level, sign) {
  const [areas, pieces] = [[], []];
  range(ys.length - 1).forEach((r) => {
    let run = null; // neighbouring whole squares become one rectangle
    const close = () => {
      if (run !== null)
        areas.push([
          [xs[run[0]], ys[r]],
          [xs[run[1]], ys[r]],
          [xs[run[1]], ys[r + 1]],
          [xs[run[0]], ys[r + 1]],
        ]);
      run = null;
    };
    range(xs.length - 1).forEach((c) => {
      const corners = [
        [r, c],
        [r, c + 1],
        [r + 1, c + 1],
        [r + 1, c],
      ].map(([i, j]) => [xs[j], ys[i], values[i][j]]);
      const shape = cutSquare(corners, level, sign);
      if (shape.length === 4 && !shape.some(([, , crossing]) => crossing)) {
        run = run ? [run[0], c + 1] : [c, c + 1];
        return;
      }
      close();
      if (shape.length > 2) areas.push(shape.map(([x, y]) => [x, y]));
      shape.forEach((from, i) => {
        const to = shape[(i + 1) % shape.length];
        if (from[2] && to[2])
          pieces.push([
            [from[0], from[1]],
            [to[0], to[1]],
          ]);
      });
    });
    close();
  });
  return { areas, pieces };
}

// Pieces of a line joined end to end, so that its dashes run on from one to the next.
export function joinPieces(pieces) {
  const name = ([x, y]) => `${x.toFixed(6)} ${y.toFixed(6)}`;
  const at = new Map();
  pieces.forEach((piece, i) => piece.forEach((end) => at.set(name(end), [...(at.get(name(end)) || []), i])));
  const used = new Set();
  const grow = (line) => {
    // from its last point on, as long as an unused piece begins there
    for (;;) {
      const end = name(line.at(-1));
      const next = at.get(end).find((i) => !used.has(i));
      if (next === undefined) return line;
      used.add(next);
      line.push(pieces[next].find((point) => name(point) !== end) || pieces[next][1]);
    }
  };
  return pieces.flatMap((piece, i) => {
    if (used.has(i)) return [];
    used.add(i);
    return [grow(grow([...piece]).reverse())];
  });
}

export function sampleScores(name, q, parameters) {
  const axis = linspace(-REACH, REACH, CELLS + 1);
  return { axis, values: axis.map((y) => axis.map((x) => score(name, q, [x, y], parameters))) };
}
