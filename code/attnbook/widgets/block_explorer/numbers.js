/* The stored measurements, read for charts and for a sentence. */

import { clamp, COLOUR, fmt, mean, range, say } from "../kit/kit.js";

export const WIRINGS = [
  ["post-LN", "after", true, "post-LN"],
  ["pre-LN", "before", true, "pre-LN"],
  ["sum only", "none", true, say("sum only")],
  ["post-norm only", "after", false, say("post-norm only")],
  ["pre-norm only", "before", false, say("pre-norm only")],
  ["bare layers", "none", false, say("bare layers")],
]; // its name, where the norm stands, whether the input is added back, the name that is shown
export const LOOKS = {
  after: [COLOUR.ink, "circle"],
  before: [COLOUR.accent, "square"],
  none: [COLOUR.muted, "triangle"],
};
export const NORMS = [
  ["after", say("after the sublayer")],
  ["before", say("before the sublayer")],
  ["none", say("nowhere")],
];
export const MEASURES = [
  ["gradient", say("gradient of each layer")],
  ["stream", say("size of the stream")],
  ["apart", say("what tells the words apart")],
];
export const TITLES = {
  gradient: say("Gradient norm of each layer"),
  stream: say("Mean square of the stream"),
  apart: say("Share that tells the words apart"),
};
export const SHORT_TITLES = {
  gradient: say("Gradient of each layer"),
  stream: say("Size of the stream"),
  apart: say("What tells words apart"),
};
export const FLOOR = 1e-10; // of a share: below it there is only the rounding of single precision
export const DEEPEST = 12;

export const nameOf = (norm, residual) => WIRINGS.find(([, n, r]) => n === norm && r === residual)[0];
export const nameShown = (name) => WIRINGS.find(([n]) => n === name)[3];
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
    "post-LN grows": say(" Theory explains that it is large; that it grows is measured."),
    "pre-LN falls": say(" The stream grows, and the last norm divides by its size."),
    "pre-LN larger": say(" Each layer adds a term: what it reads has been normalised."),
    "sum only larger": say(" Each layer adds in proportion to what it finds: it contributes a factor, not a term."),
    "post-LN kept": say(" Each sum is normalised, so every addition counts as much as the first."),
    "pre-LN kept": say(" The additions keep their size while the stream grows, so each counts for less."),
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
  const values = { name, few: factor(few), many: factor(many), low: factor(low), high: factor(high) };
  if (way === "scatters")
    return say(" With {name}, 2 to 12 layers, it lies between {low} and {high}, without a clear trend.", values);
  return way === "grows"
    ? say(" With {name} it grows with depth, on average from {few} (L = 2 to 4) to {many} (10 to 12).", values)
    : say(" With {name} it falls with depth, on average from {few} (L = 2 to 4) to {many} (10 to 12).", values);
}

// Of a layer before the last: its number, beside that of the other wiring or of the layer before it.
function layerWords({ measure, layer, depth, line, other, otherLine }) {
  if (layer === depth) return "";
  const at = (n, rows = line) => {
    const text = value(rows[n - line[0][0]][2], measure);
    return text.startsWith("< ") ? say`below ${text.slice(2)}` : text;
  };
  const values = { layer, is: at(layer) };
  if (measure === "gradient")
    return other
      ? say("The gradient norm of layer {layer} is {is}; for {other} it is {theirs}. ", {
          ...values,
          other: nameShown(other),
          theirs: at(layer, otherLine),
        })
      : say("The gradient norm of layer {layer} is {is}. ", values);
  values.was = at(layer - 1);
  return measure === "stream"
    ? say("After layer {layer} the stream's mean square is {is}; before that layer it was {was}. ", values)
    : say("After layer {layer} the share that tells the words apart is {is}; before that layer it was {was}. ", values);
}

// The whole stack; `brief` leaves the reason out, where a layer of it is told first.
export function inWords({ name, other, depth, measure, line, otherLine, tops, residual }, brief = false) {
  const [first, last] = [line[0][2], line.at(-1)[2]];
  const called = nameShown(name);
  const values = {
    who: say("{name}, {depth} layers", { name: called[0].toUpperCase() + called.slice(1), depth }),
    depth,
    other: other && nameShown(other),
  };
  const why = (seen) => (brief ? "" : reason(name, seen));
  const theirs = other && otherLine.at(-1)[2];
  if (measure === "apart") {
    const gone = line.findIndex((row) => row[2] <= FLOOR);
    Object.assign(values, { first: value(first, measure), last: value(last, measure) });
    const against = !other
      ? ""
      : theirs > FLOOR
        ? say(" For {other}, {theirs} is left at the end.", { ...values, theirs: value(theirs, measure) })
        : last > FLOOR
          ? say(" For {other}, only rounding is left at the end.", values)
          : say(" The same is true of {other}.", values);
    if (brief)
      return (
        (last > FLOOR
          ? say("{who}: {last} is left at the end.", values)
          : say("{who}: only rounding is left at the end.", values)) + against
      );
    if (gone < 0)
      return (
        say(
          "{who}: {first} of the input's mean square tells the words of a row apart, {last} after layer {depth}.",
          values,
        ) +
        against +
        why("kept")
      );
    values.gone = line[gone][0];
    return (
      say(
        "{who}: {first} of the input's mean square tells the words of a row apart. After layer {gone} nothing is " +
          "left of it but rounding.",
        values,
      ) +
      (residual ? "" : say(" Attention averages the words, and no sum restores their differences.")) +
      against
    );
  }
  if (measure === "stream") {
    const level = line.slice(1).every((row) => Math.abs(row[2] - 1) < 0.01);
    Object.assign(values, { first: factor(first), last: factor(last), theirs: other && factor(theirs) });
    return (
      (level
        ? say("{who}: the stream's mean square is 1 after every layer, within 1\u00a0%.", values)
        : say("{who}: the stream's mean square goes from {first} to {last}.", values)) +
      (other ? say(" For {other} it ends at {theirs}.", values) : "") +
      why(last > 2 * first ? "larger" : "")
    );
  }
  const ratio = last / first;
  const times = last / theirs;
  values.much =
    Math.abs(ratio - 1) < 0.1 ? say("within 10\u00a0% of the first's") : say`${factor(ratio)} × the first's`;
  values.times = other && factor(times);
  const trend = trendOf(tops);
  return (
    (!other
      ? say("{who}: the last layer's gradient is {much}.", values)
      : Math.abs(times - 1) < 0.05
        ? say("{who}: the last layer's gradient is {much} and about that of {other}.", values)
        : say("{who}: the last layer's gradient is {much} and {times} × that of {other}.", values)) +
    (brief ? "" : trendWords(called, trend) + why(trend.way))
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
