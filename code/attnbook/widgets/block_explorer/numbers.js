/* The stored measurements, read for charts and for a sentence. */

import { clamp, COLOUR, fmt, mean, range } from "../kit/kit.js";

export const WIRINGS = [
  ["post-LN", "after", true],
  ["pre-LN", "before", true],
  ["sum only", "none", true],
  ["post-norm only", "after", false],
  ["pre-norm only", "before", false],
  ["bare layers", "none", false],
];
export const LOOKS = {
  after: [COLOUR.ink, "circle"],
  before: [COLOUR.accent, "square"],
  none: [COLOUR.muted, "triangle"],
};
export const NORMS = [
  ["after", "after the sublayer"],
  ["before", "before the sublayer"],
  ["none", "nowhere"],
];
export const MEASURES = [
  ["gradient", "gradient of each layer"],
  ["stream", "size of the stream"],
  ["apart", "what tells the words apart"],
];
export const TITLES = {
  gradient: "Gradient norm of each layer",
  stream: "Mean square of the stream",
  apart: "Share that tells the words apart",
};
export const SHORT_TITLES = {
  gradient: "Gradient of each layer",
  stream: "Size of the stream",
  apart: "What tells words apart",
};
export const FLOOR = 1e-10; // of a share: below it there is only the rounding of single precision
export const DEEPEST = 12;

export const nameOf = (norm, residual) => WIRINGS.find(([, n, r]) => n === norm && r === residual)[0];
const stackOf = (grid, norm, residual, depth) =>
  grid.stacks.find((s) => s.norm === norm && s.residual === residual && s.depth === depth);

// [layer, lower quartile, median, upper quartile], from the input up; layer 0 is the input of the first.
export function lineOf(grid, norm, residual, depth, measure) {
  const stored = stackOf(grid, norm, residual, depth)[measure];
  const first = stored.length === depth ? 1 : 0;
  return stored.map((q, i) => [first + i, ...q.map((v) => (measure === "apart" ? Math.max(v, FLOOR) : v))]);
}

// The same for the last layer of stacks of 2 to 12: [depth, lower quartile, median, upper quartile].
export const topsOf = (grid, norm, residual, measure) =>
  range(2, DEEPEST + 1).map((depth) => [depth, ...lineOf(grid, norm, residual, depth, measure).at(-1).slice(1)]);

// The decades that the wirings need at any depth, so that the axis stays when the depth changes; at least 0.8 of one.
export function decades(grid, wirings, measure) {
  const all = wirings.flatMap(([norm, residual]) =>
    range(2, DEEPEST + 1).flatMap((depth) =>
      lineOf(grid, norm, residual, depth, measure).flatMap((row) => row.slice(1)),
    ),
  );
  const [low, high] = [Math.log10(Math.min(...all)), Math.log10(Math.max(...all))];
  const rim = Math.max(0.07 * (high - low), (0.8 - (high - low)) / 2);
  const lost = measure === "apart" && 10 ** low <= 1.001 * FLOOR; // the zone of rounding gets room for its name
  return [low - (lost ? 0.14 * (high - low) : rim), high + rim];
}

// Logarithms of round numbers: 1, 2, 5, 10, … where there are few decades, powers of ten where there are many.
export function logTicks(low, high) {
  const powers = range(Math.ceil(low) - 1, Math.floor(high) + 1);
  const few = high - low < 2.2;
  const every = Math.ceil((high - low) / 6);
  const all = few
    ? powers.flatMap((k) => [1, 2, 5].map((m) => k + Math.log10(m)))
    : powers.filter((k) => k % every === 0);
  return all.filter((t) => t >= low - 1e-9 && t <= high + 1e-9);
}

const raised = (k) =>
  String(k)
    .replace("-", "⁻")
    .replace(/\d/g, (d) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[d]);

export function tickName(t) {
  const value = 10 ** t;
  return value > 0.009 && value < 1001 ? String(Number(value.toPrecision(2))) : `10${raised(Math.round(t))}`;
}

// A factor in two digits, or as a power of ten where it is far from 1.
export function factor(x) {
  if (x >= 1e4 || x < 1e-3) {
    const k = Math.floor(Math.log10(x));
    return `${fmt(x / 10 ** k, 1)} · 10${raised(k)}`;
  }
  return fmt(x, x >= 9.95 ? 0 : clamp(1 - Math.floor(Math.log10(1.005 * x)), 1, 4));
}

export const value = (x, measure) => (measure === "apart" && x <= FLOOR ? `< 10${raised(-10)}` : factor(x));

// All that is drawn and said of one state.
export function viewOf(grid, { norm, residual, depth, measure, layer, compare }) {
  const name = nameOf(norm, residual);
  const [other, otherNorm, otherResidual] = WIRINGS.find(([n]) => n === compare && n !== name) || [null];
  return {
    norm,
    residual,
    depth,
    measure,
    layer: Math.min(layer, depth),
    name,
    other,
    otherNorm,
    otherResidual,
    line: lineOf(grid, norm, residual, depth, measure),
    tops: topsOf(grid, norm, residual, measure),
    otherLine: other && lineOf(grid, otherNorm, otherResidual, depth, measure),
    otherTops: other && topsOf(grid, otherNorm, otherResidual, measure),
  };
}

// ---- what one sees, in words ---------------------------------------------------------------------

// Why, where the numbers are as the theory says; "" where it has nothing to say.
function reason(name, seen) {
  const reasons = {
    "post-LN grows": " Theory explains that it is large; that it grows is measured.",
    "pre-LN falls": " The stream grows, and the last norm divides by its size.",
    "pre-LN larger": " Each layer adds a term: what it reads has been normalised.",
    "sum only larger": " Each layer adds in proportion to what it finds: it contributes a factor, not a term.",
    "post-LN kept": " Each sum is normalised, so every addition counts as much as the first.",
    "pre-LN kept": " The additions keep their size while the stream grows, so each counts for less.",
  };
  return reasons[`${name} ${seen}`] || "";
}

// Whether the last layer's number changes with depth: the first three stacks against the last three, as neighbouring
// depths scatter by more than a tenth.
export function trendOf(tops) {
  const medians = tops.map((row) => row[2]);
  const [few, many] = [mean(medians.slice(0, 3)), mean(medians.slice(-3))];
  const way = many > 1.15 * few ? "grows" : many < 0.85 * few ? "falls" : "scatters";
  return { way, few, many, low: Math.min(...medians), high: Math.max(...medians) };
}

function trendWords(name, { way, few, many, low, high }) {
  return way === "scatters"
    ? ` With ${name}, 2 to 12 layers, it lies between ${factor(low)} and ${factor(high)}, without a clear trend.`
    : ` With ${name} it ${way} with depth, on average from ${factor(few)} (L = 2 to 4) to ${factor(many)} (10 to 12).`;
}

// Of a layer before the last: its number, beside that of the other wiring or of the layer before it.
function layerWords({ measure, layer, depth, line, other, otherLine }) {
  if (layer === depth) return "";
  const at = (n, rows = line) => value(rows[n - line[0][0]][2], measure).replace("< ", "below ");
  if (measure === "gradient") {
    const against = other ? `; for ${other} it is ${at(layer, otherLine)}` : "";
    return `The gradient norm of layer ${layer} is ${at(layer)}${against}. `;
  }
  const what = measure === "stream" ? "the stream's mean square" : "the share that tells the words apart";
  return `After layer ${layer} ${what} is ${at(layer)}; before that layer it was ${at(layer - 1)}. `;
}

// The whole stack; `brief` leaves the reason out, where a layer of it is told first.
export function inWords({ name, other, depth, measure, line, otherLine, tops, residual }, brief = false) {
  const [first, last] = [line[0][2], line.at(-1)[2]];
  const who = `${name[0].toUpperCase()}${name.slice(1)}, ${depth} layers`;
  const why = (seen) => (brief ? "" : reason(name, seen));
  const theirs = other && otherLine.at(-1)[2];
  if (measure === "apart") {
    const gone = line.findIndex((row) => row[2] <= FLOOR);
    const left = (x) => (x <= FLOOR ? "only rounding" : value(x, measure));
    const same = theirs <= FLOOR && last <= FLOOR;
    const end = same ? ` The same is true of ${other}.` : ` For ${other}, ${left(theirs)} is left at the end.`;
    const against = other ? end : "";
    if (brief) return `${who}: ${left(last)} is left at the end.${against}`;
    const begin = `${who}: ${value(first, measure)} of the input's mean square tells the words of a row apart`;
    if (gone < 0) return `${begin}, ${value(last, measure)} after layer ${depth}.${against}${why("kept")}`;
    const alike = residual ? "" : " Attention averages the words, and no sum restores their differences.";
    return `${begin}. After layer ${line[gone][0]} nothing is left of it but rounding.${alike}${against}`;
  }
  if (measure === "stream") {
    const level = line.slice(1).every((row) => Math.abs(row[2] - 1) < 0.01);
    const end = level ? "is 1 after every layer, within 1\u00a0%" : `goes from ${factor(first)} to ${factor(last)}`;
    const against = other ? ` For ${other} it ends at ${factor(theirs)}.` : "";
    return `${who}: the stream's mean square ${end}.${against}${why(last > 2 * first ? "larger" : "")}`;
  }
  const ratio = last / first;
  const much = Math.abs(ratio - 1) < 0.1 ? "within 10\u00a0% of the first's" : `${factor(ratio)} × the first's`;
  const times = last / theirs;
  const close = Math.abs(times - 1) < 0.05 ? "about" : `${factor(times)} ×`;
  const against = other ? ` and ${close} that of ${other}` : "";
  const trend = trendOf(tops);
  return (
    `${who}: the last layer's gradient is ${much}${against}.` +
    (brief ? "" : trendWords(name, trend) + why(trend.way))
  );
}

export const sentenceFor = (view) => layerWords(view) + inWords(view, view.layer < view.depth);

// The longest sentences that any state has: room is kept for them, so that nothing moves below.
export function longestSentences(grid) {
  const compares = [...WIRINGS.map(([name]) => name), "nothing"];
  const all = WIRINGS.flatMap(([, norm, residual]) =>
    MEASURES.flatMap(([measure]) =>
      compares.flatMap((compare) =>
        range(2, DEEPEST + 1).flatMap((depth) =>
          [depth, depth - 1].map((layer) =>
            sentenceFor(viewOf(grid, { norm, residual, depth, measure, layer, compare })),
          ),
        ),
      ),
    ),
  );
  return all.sort((a, b) => b.length - a.length).slice(0, 3);
}

// What a test can read: the sentence of a state.
export const sentence = (grid, state) => sentenceFor(viewOf(grid, state));
