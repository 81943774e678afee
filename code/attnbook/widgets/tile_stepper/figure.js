/* Attention tile by tile: a running maximum, sum and average per query, and never a table. */

import { figure } from "../kit/card.js";
import { clamp, COLOUR, columns, dot, fmt, range, say, seededNormals, sum, weightFill } from "../kit/kit.js";
import { linear, NARROW, ticks } from "../kit/paint.js";
import { stepper } from "../kit/words.js";

const WORDS = 16;
const FEATURES = 3;
const WINDOW = 4;
const SEES = ["all keys", "causal", "a window of 4"];
const TILES = [2, 4, 8, 16];
const TOP = 40;

function sample(seed) {
  // → scores, WORDS rows of WORDS, and a value for each key
  const numbers = seededNormals(seed, WORDS * (2 * FEATURES + 1));
  const vector = (i) => [...numbers.slice(i * FEATURES, (i + 1) * FEATURES)];
  return {
    scores: range(WORDS).map((i) => range(WORDS).map((j) => dot(vector(i), vector(WORDS + j)))),
    values: [...numbers.slice(2 * WORDS * FEATURES)],
  };
}

function sees(rule, i, j) {
  return rule === SEES[0] || (j <= i && i - j < (rule === SEES[1] ? WORDS : WINDOW));
}

function worthIt(rule, tile) {
  // the tiles in which something may be seen, as [first row, first column]
  const starts = range(WORDS / tile).map((n) => n * tile);
  const some = (row, column) =>
    range(tile * tile).some((n) => sees(rule, row + Math.floor(n / tile), column + (n % tile)));
  return starts.flatMap((row) => starts.filter((column) => some(row, column)).map((column) => [row, column]));
}

function after({ scores, values }, rule, tile, step, corrected = true) {
  // what is kept for each query; `factor`: by how much the last tile corrects it, null where it has nothing to correct
  const kept = range(WORDS).map(() => ({ most: -Infinity, total: 0, summed: 0, factor: null }));
  const read = worthIt(rule, tile).slice(0, step);
  read.forEach(([row, column], n) =>
    range(row, row + tile).forEach((i) => {
      const own = kept[i];
      const seen = range(column, column + tile).filter((j) => sees(rule, i, j));
      const most = Math.max(own.most, ...seen.map((j) => scores[i][j]));
      const factor = own.most === -Infinity ? 0 : Math.exp(own.most - most);
      const exps = seen.map((j) => Math.exp(scores[i][j] - most));
      const scale = corrected ? factor : 1;
      kept[i] = {
        most,
        total: own.total * scale + sum(exps),
        summed: own.summed * scale + sum(exps.map((e, c) => e * values[seen[c]])),
        factor: n === read.length - 1 && own.most !== -Infinity ? factor : null,
        before: own.most,
      };
    }),
  );
  return kept;
}

const average = ({ total, summed }) => (total > 0 ? summed / total : null);

// ---- what one sees, in words ----

const missesOf = ({ kept, exact }) => kept.map((k, i) => Math.abs(average(k) - exact[i]));

function sayEnd(view) {
  const { tile, corrected, exact, kept, held, whole } = view;
  const off = missesOf(view);
  const missed = off.filter((distance) => distance > 1e-9).length;
  const compare = { row: whole + 1, exact: fmt(exact[whole]) };
  if (missed)
    return say(
      "That was the last tile, and {missed} of {words} dots miss their strokes, by up to {most}. To compare, row " +
      "{row} " +
        "shows its softmax taken all at once: these weights give an average of {exact}; the tiles gave {gave}. What " +
        "was summed before a larger score turned up was never scaled down, and counts too much.",
      { ...compare, missed, words: WORDS, most: fmt(Math.max(...off)), gave: fmt(average(kept[whole])) },
    );
  const exactly = corrected
    ? say("That was the last tile, and every dot is on its stroke.")
    : say("No query had anything to correct, so every dot is on its stroke all the same.");
  const row = say(
    "To compare, row {row} shows its softmax taken all at once: these weights give an average of {exact}, and so did " +
      "the tiles.",
    compare,
  );
  const all = WORDS * WORDS;
  const size =
    tile === WORDS
      ? say`But the one tile was the whole table: ${held} numbers at a time, more than its ${all}.`
      : say`There were never more than ${held} numbers at a time; the table has ${all}.`;
  return `${exactly} ${row} ${size}`;
}

// The row that is filled with its whole softmax at the end: the one that is furthest off; if none is, the one that
// was corrected most on the way, outside the last tile if there is one.
function rowToFill(view, data, rule, list) {
  const off = missesOf(view);
  const most = Math.max(...off);
  if (most > 1e-9) return off.indexOf(most);
  const corrections = range(list.length).reduce(
    (all, n) => after(data, rule, view.tile, n + 1).map(({ factor }, i) => all[i] * (factor ?? 1)),
    range(WORDS).map(() => 1),
  );
  const [last] = list.at(-1);
  const others = range(WORDS).filter((i) => i < last || i >= last + view.tile);
  const rows = others.length ? others : range(WORDS);
  return rows.reduce((best, i) => (corrections[i] < corrections[best] ? i : best));
}

function sayTile({ tile, corrected, current, kept, told }) {
  const [from, to] = current.map((start) => [start + 1, start + tile]);
  const meet = say`Queries ${from[0]} to ${from[1]} meet keys ${to[0]} to ${to[1]}. `;
  if (told === null)
    return (
      meet +
      (kept.some((k) => k.factor !== null)
        ? say("No row finds a larger score than before, so nothing has to be corrected.")
        : say("It is the first tile of these rows: there is nothing to correct yet."))
    );
  const { most, before, factor } = kept[told];
  const numbers = {
    query: told + 1,
    most: fmt(most),
    before: fmt(before),
    signed: fmt(most).replace(/^−.*/, "($&)"),
    factor: fmt(factor),
  };
  const found = say("Query {query} finds a score of {most}; its largest so far was {before}. ", numbers);
  const then = corrected
    ? say("Its sums are multiplied by exp({before} − {signed}) = {factor} before the tile is added.", numbers)
    : say(
        "Its sums ought to be multiplied by exp({before} − {signed}) = {factor} before the tile is added, and are not.",
        numbers,
      );
  return meet + found + then;
}

// ---- the drawing: a query's row goes on from the table to its average ----

function layout(width) {
  const narrow = width < NARROW;
  const [left, size] = [36, narrow ? 11 : 17];
  const [right, bottom] = [left + WORDS * size, TOP + WORDS * size];
  return { narrow, left, size, right, bottom, height: bottom + (narrow ? 82 : 60) };
}

function drawTable(p, view) {
  const { left, size, right, bottom } = layout(p.width);
  const n = view.tile;
  const hatch = p.hatch("hatch");
  p.text("keys", left, 16, say("keys →"), { size: 12.5, colour: COLOUR.keyInk });
  const down = say("queries →");
  const side = columns(down) > down.length ? 8 : 12; // Chinese characters fill their line, up to the numbers
  p.text("queries", side, TOP + 2, down, { size: 12.5, colour: COLOUR.query, rotate: 90 });
  range(WORDS).forEach((i) =>
    range(WORDS).forEach((j) => {
      const state = view.cells[i][j];
      p.rect(`c${i}-${j}`, left + j * size, TOP + i * size, size, size, {
        fill: state.shown ? weightFill(state.shade) : state.hidden ? hatch : state.read ? COLOUR.line : "transparent",
        stroke: COLOUR.grid,
        "stroke-width": 0.5,
      });
    }),
  );
  range(0, WORDS)
    .filter((k) => k % Math.max(n, 4) === 0)
    .forEach((k) => {
      const at = (k + 0.5) * size;
      p.text(`row${k}`, left - 5, TOP + at + 4, k + 1, { size: 12, anchor: "end", colour: COLOUR.muted });
      p.text(`column${k}`, left + at, TOP - 6, k + 1, { size: 12, anchor: "middle", colour: COLOUR.muted });
    });
  range(WORDS / n + 1).forEach((k) => {
    const at = k * n * size;
    p.line(`h${k}`, left, TOP + at, right, TOP + at, { stroke: COLOUR.muted, "stroke-width": 1 });
    p.line(`v${k}`, left + at, TOP, left + at, bottom, { stroke: COLOUR.muted, "stroke-width": 1 });
  });
  if (view.current)
    p.rect("now", left + view.current[1] * size, TOP + view.current[0] * size, n * size, n * size, {
      fill: "none",
      stroke: COLOUR.accent,
      "stroke-width": 3,
    });
  if (view.whole !== null) {
    // on to the average, which is what this row of weights makes of the values
    const y = TOP + view.whole * size;
    p.rect("whole", left, y, right - left, size, { fill: "none", stroke: COLOUR.ink, "stroke-width": 2.5 });
  }
}

function drawAverages(p, view) {
  const { narrow, left, size, right, bottom } = layout(p.width);
  const x = linear(view.reach, [right + (narrow ? 8 : 24), p.width - (narrow ? 48 : 64)]);
  const room = x.range[1] - x.range[0];
  const title = narrow ? say("average") : say("average of the values");
  if (room > 60) p.text("title", x.range[0], 16, title, { size: 12.5, colour: COLOUR.ink });
  p.text("times", p.width, 16, narrow ? say("sums ×") : say("sums so far ×"), { size: 12.5, anchor: "end" });
  view.kept.forEach((kept, i) => {
    const y = TOP + (i + 0.5) * size;
    p.line(`base${i}`, right, y, x.range[1], y, { stroke: COLOUR.grid, "stroke-width": 1 });
    const exact = x(view.exact[i]);
    p.line(`exact${i}`, exact, y - 0.42 * size, exact, y + 0.42 * size, { stroke: COLOUR.ink, "stroke-width": 2 });
    if (average(kept) !== null)
      p.circle(`dot${i}`, x(average(kept)), y, narrow ? 4 : 5, {
        fill: COLOUR.output,
        stroke: COLOUR.ink,
        "stroke-width": 0.8,
      });
    if (kept.factor !== null) {
      const factor = `${narrow ? "" : "× "}${fmt(kept.factor)}`;
      p.text(`factor${i}`, p.width, y + 4, view.corrected ? factor : `(${factor})`, {
        size: narrow ? 12 : 12.5,
        anchor: "end",
        halo: !narrow, // rows of a phone are as high as its digits
        weight: kept.factor < 1 ? 650 : undefined,
      });
    }
  });
  if (view.whole !== null) {
    // what the tiles gave and, where it differs, what the row's weights give: beside their marks, if there is room
    const [found, exact] = [average(view.kept[view.whole]), view.exact[view.whole]];
    const wide = 48;
    const numbers =
      Math.abs(found - exact) > 1e-9
        ? { found: [found, found < exact], exact: [exact, exact < found] }
        : { found: [found, x(found) > x.range[1] - wide] };
    const fits = ([value, left]) => (left ? x(value) - wide >= right : x(value) + wide <= p.width);
    if (Object.values(numbers).every(fits))
      Object.entries(numbers).forEach(([key, [value, left]]) =>
        p.text(key, x(value) + (left ? -9 : 9), TOP + (view.whole + 0.5) * size + 4.5, fmt(value), {
          anchor: left ? "end" : "start",
          weight: 650,
          halo: true,
        }),
      );
  }
  ticks(...view.reach, narrow ? 3 : 5).forEach((v) => {
    const said = fmt(v, narrow && Number.isInteger(v) ? 0 : 1);
    p.text(`t${v}`, x(v), bottom + 17, said, { size: 12, anchor: "middle", colour: COLOUR.muted });
  });
  const cells = [
    { label: say("e^(score − largest)"), colour: COLOUR.weight, mark: "box" },
    { label: say("read, thrown away"), colour: COLOUR.line, mark: "box" },
  ];
  const dots = [
    { label: say("average so far"), colour: COLOUR.output, mark: "circle" },
    { label: say("exact attention"), colour: COLOUR.ink, mark: "tick" },
  ];
  p.legend("legend", left, bottom + 38, [...cells, ...dots], { maxWidth: p.width - left });
}

function render({ model, el }) {
  const fig = figure({
    model,
    el,
    title: say("Attention without a table"),
    hint: say(
      "Play: a tile is read, corrects the average of its rows, and is thrown away. Then leave the corrections out.",
    ),
  });
  const total = () => worthIt(fig.get("sees"), fig.get("tile")).length;
  fig.stage({
    height: (width) => layout(width).height,
    draw(p, view) {
      drawTable(p, view);
      drawAverages(p, view);
    },
    label: (view) =>
      say(
        "Table of 16 queries and 16 keys in tiles of {tile} by {tile}; {read} read. Beside each row the average of " +
          "the query so far, and its exact attention; {right} of 16 agree",
        view,
      ),
  });
  const steps = stepper(fig, {
    name: "step",
    label: say("tiles read"),
    step: () => Math.min(fig.get("step"), total()),
    last: total,
    go: (step) => fig.set({ step: clamp(step, 0, total()) }),
    pace: 450,
  });
  fig.checkbox("corrected", { label: say("correct the sums") });
  fig.more();
  fig.select("tile", { label: say("tile"), options: TILES.map((n) => [n, `${n} × ${n}`]) });
  fig.select("sees", {
    label: say("a query sees"),
    options: SEES.map((rule, i) => [rule, [say("all keys"), say("causal"), say("a window of 4")][i]]),
  });
  fig.output("held", { label: say("numbers held now"), digits: 0, note: say("a tile, and 3 per query") });
  fig.output("table", { label: say("the whole table"), digits: 0 });
  fig.output("skipped", { label: say("tiles never computed"), digits: 0 });
  fig.reset(["seed"]);
  fig.controlsFirst();
  return fig.start((state) => {
    const [tile, rule, corrected] = [state("tile"), state("sees"), state("corrected")];
    const data = sample(state("seed"));
    const list = worthIt(rule, tile);
    const read = Math.min(state("step"), list.length);
    const kept = after(data, rule, tile, read, corrected);
    const plain = after(data, rule, tile, list.length); // what the softmax of whole rows gives
    const [exact, sums] = [plain.map(average), plain.map(({ total }) => total)];
    const current = read > 0 ? list[read - 1] : null;
    const reach = [Math.min(...data.values), Math.max(...data.values)];
    const held = tile * tile + 3 * WORDS;
    const view = { tile, corrected, read, kept, exact, current, reach, held, whole: null };
    if (read === list.length) view.whole = rowToFill(view, data, rule, list);
    const gone = new Set(list.slice(0, read).map(String));
    const cells = range(WORDS).map((i) =>
      range(WORDS).map((j) => {
        const at = [i - (i % tile), j - (j % tile)];
        const hidden = !sees(rule, i, j);
        const now = current !== null && String(at) === String(current) && !hidden;
        const shown = now || (i === view.whole && !hidden);
        const exp = shown ? Math.exp(data.scores[i][j] - kept[i].most) : 0;
        const shade = i === view.whole ? exp / sums[i] : exp;
        return { hidden, shown, read: gone.has(String(at)), shade };
      }),
    );
    const right = kept.filter((k, i) => average(k) !== null && Math.abs(average(k) - exact[i]) < 1e-9).length;
    const smallest = Math.min(...kept.map((k) => k.factor ?? 1));
    const told = smallest < 1 ? kept.findIndex((k) => k.factor === smallest) : null; // the row of the sentence
    Object.assign(view, { cells, right, told });
    fig.show({
      held: current ? held : read && 3 * WORDS,
      table: WORDS * WORDS,
      skipped: (WORDS / tile) ** 2 - list.length,
    });
    steps();
    fig.say(
      read === 0
        ? say(
            "Nothing has been read. Each query will keep three numbers: its largest score, a sum, and a sum with " +
            "values.",
          )
        : read < list.length
          ? sayTile(view)
          : sayEnd(view),
    );
    return view;
  });
}

export default { render, math: { sample, sees, worthIt, after, average } };
