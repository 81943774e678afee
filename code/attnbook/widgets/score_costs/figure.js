/* What five scores cost, in multiples of the dot product's: two lines over the hidden units, what time was
 * measured, and a table. */

import { figure } from "../kit/card.js";
import { clamp, COLOUR, columns, fmt, html, range, say, sentences } from "../kit/kit.js";
import { linear, NARROW } from "../kit/paint.js";

const SCORES = [
  ["dot", say("dot product")],
  ["scaled_dot", say("scaled dot product"), say("scaled dot")], // on a phone
  ["multiplicative", say("multiplicative")],
  ["additive", say("additive")],
  ["gaussian", say("Gaussian")],
];
const MOST = 12; // sizes go from 1 to 2¹²
const SIZES = range(MOST + 1).map((power) => 2 ** power);
const COLUMNS = [
  ["parameters", say("parameters")],
  ["multiply_adds", say("multiply-adds")],
  ["largest", say("numbers for all pairs")],
];
const LINES = {
  multiply_adds: { label: say("multiply-adds"), colour: COLOUR.accent, mark: "line" },
  largest: { label: say("numbers for all pairs"), colour: COLOUR.ink, mark: "dash" },
};
const TIME = { label: say("time, where measured"), colour: COLOUR.ink, mark: "diamond" };
// From chapters/results/scores.json: d, h, and how many times the scaled dot product's time the additive score took.
const [MEASURED_FOR, MEASURED] = [
  256, // queries, and keys
  [
    [64, 64, 73.493],
    [256, 8, 3.563],
    [1024, 2, 0.642],
    [1024, 4, 0.875],
    [1024, 8, 0.984],
  ],
];

// The counts are explained in the docstring of `score_costs` in __init__.py.
function cost(name, { d, h, num_queries: t, num_keys: s }) {
  const counts = {
    dot: [0, t * s * d, 0, 0, t * s],
    scaled_dot: [0, t * s * d, t * s, 0, t * s],
    multiplicative: [d * d, t * d * d + t * s * d, 0, 0, t * s],
    additive: [2 * h * d + h, (t + s) * h * d + t * s * h, t * s * h, t * s * h, t * s * h],
    gaussian: [0, t * s * d + (t + s) * d, 2 * t * s + t + s, 0, t * s],
  }[name];
  if (!counts) throw new Error(`no score named ${name}`);
  const [parameters, products, elementwise, tanh, largest] = counts;
  return { parameters, products, elementwise, multiply_adds: products + elementwise, tanh, largest };
}

// As many hidden units as make the additive score's multiply-adds those of the dot product.
const levelHidden = ({ d, num_queries: t, num_keys: s }) => (t * s * d) / ((t + s) * d + 2 * t * s);

// How many times the dot product's count the additive score needs, for h hidden units.
const times = (what, sizes, h) => cost("additive", { ...sizes, h })[what] / cost("dot", sizes)[what];

// Of these sizes: [[h, times the scaled dot product's time], …].
const measured = ({ d, num_queries: t, num_keys: s }) =>
  MEASURED.filter(([of]) => of === d && t === MEASURED_FOR && s === MEASURED_FOR).map(([, h, ratio]) => [h, ratio]);

function big(count) {
  if (count < 10000) return String(count);
  const [size, unit] = [
    [1e12, "T"],
    [1e9, "G"],
    [1e6, "M"],
    [1e3, "k"],
  ].find(([power]) => count >= power);
  const shown = count / size;
  return `${fmt(shown, shown >= 99.95 ? 0 : shown >= 9.995 ? 1 : 2)} ${unit}`;
}

// How many times the larger of two counts is the smaller one: never below 1, so that everything compares in one way.
const factor = (ratio) => Math.max(ratio, 1 / ratio);
const digits = (x) => String(x >= 1000 ? Math.round(x) : Number(x.toPrecision(3)));
const nearOne = (ratio) => ratio !== 1 && factor(ratio) < 1.005;
const ratioName = (ratio) => (nearOne(ratio) ? "≈ × 1" : `${ratio < 1 ? "÷" : "×"} ${digits(factor(ratio))}`);

// Times vary from round to round: two digits, and what is within 15 % counts as level.
const level = (ratio) => factor(ratio) < 1.15;
const twoDigits = (ratio) => String(Number(factor(ratio).toPrecision(2)));
const timeName = (ratio) => (level(ratio) ? "≈ × 1" : `${ratio < 1 ? "÷" : "×"} ${twoDigits(ratio)}`);

// ---- what one sees, in words ----

// The smallest number of hidden units with which the additive score saves no multiply-adds.
const noneSaved = (sizes) => Math.ceil(levelHidden(sizes));

// "twice as", "3.2 times as": how much more.
const asMany = (shown) => (shown === "2" ? say("twice as") : say`${shown} times as`);

function inWords(sizes) {
  const { h } = sizes;
  const ratio = times("multiply_adds", sizes, h);
  const much = nearOne(ratio) ? say("about as") : ratio === 1 ? say("as") : asMany(digits(factor(ratio)));
  const work =
    ratio < 1
      ? say`At h = ${h} the dot product does ${much} many multiply-adds as the additive score`
      : say`At h = ${h} the additive score does ${much} many multiply-adds as the dot product`;
  const numbers = asMany(String(h));
  const held =
    h === 1
      ? say(", and both hold one number for each pair.")
      : ratio < 1
        ? say`, which holds ${numbers} many numbers, each put through a tanh.`
        : say` and holds ${numbers} many numbers, each put through a tanh.`;
  return sentences(work + held, inTime(sizes) || inArithmetic(sizes, ratio < 1));
}

function inTime(sizes) {
  const [, ratio] = measured(sizes).find(([h]) => h === sizes.h) || [];
  if (!ratio) return "";
  if (level(ratio)) return say("Measured, both take about as long.");
  return ratio > 1
    ? say`Measured, the additive score takes ${asMany(twoDigits(ratio))} long.`
    : say`Measured, the dot product takes ${asMany(twoDigits(ratio))} long.`;
}

function inArithmetic(sizes, named) {
  const from = noneSaved(sizes);
  if (from <= 1) return say("At these sizes no h saves any.");
  return named
    ? say`Below h = ${from} the additive score saves multiply-adds.`
    : say`Below h = ${from} it saves multiply-adds.`;
}

// ---- the two lines ----

const TICKS = [-8, -4, 0, 4, 8, 12];
const [LOWEST, HIGHEST] = [-11, 17]; // of the logarithms: from 2⁻¹⁰ to 2¹⁴, and room for words
const WHERE = say(
  "Time was measured in one CPU thread for T = S = 256 and d = 64, 256 or 1024, against the scaled dot product.",
);
const WHERE_NARROW = [
  say("Time was measured in one CPU thread"),
  say("for T = S = 256 and d = 64, 256 or 1024,"),
  say("against the scaled dot product."),
];

// What the additive score's arithmetic is beside the dot product's, in as many words as there is room for.
function drawSide(p, key, word, left, right, top) {
  const fits = (lines) => right - left >= 8 + 7 * Math.max(...lines.map(columns));
  const lines = [[say`${word} arithmetic`], [word, say("arithmetic")], [word]].find(fits) || [];
  lines.forEach((line, i) =>
    p.text(`${key}${i}`, (left + right) / 2, top + 16 + 16 * i, line, { anchor: "middle", colour: COLOUR.ink }),
  );
}

function drawLines(p, { sizes, level: from }, fig) {
  const notes = p.narrow ? WHERE_NARROW : [WHERE];
  const start = p.narrow ? 0 : 78;
  const named = p.legend("legend", start, 14, [...Object.values(LINES), TIME], { maxWidth: p.width - start });
  const plot = p.plot({ top: 6 + named, right: p.narrow ? 14 : 18, bottom: 46 + 16 * notes.length, left: 78 });
  const x = linear([0, MOST], [plot.left, plot.right]);
  const y = linear([LOWEST, HIGHEST], [plot.bottom, plot.top]);
  const edge = x(clamp(Math.log2(from), 0, MOST));
  p.rect("less", x(0), plot.top, edge - x(0), plot.height, { fill: COLOUR.accent, "fill-opacity": 0.08 });
  p.axes("axes", {
    plot,
    x,
    y,
    xTicks: p.narrow ? range(0, MOST + 1).filter((k) => k % 2 === 0) : range(MOST + 1),
    xFormat: (k) => 2 ** k,
    yTicks: TICKS,
    yFormat: (k) => (k === 0 ? say("dot product") : `${k < 0 ? "÷" : "×"} ${2 ** Math.abs(k)}`),
    xLabel: say("hidden units h"),
  });
  notes.forEach((note, i) =>
    p.text(`where${i}`, 0, plot.bottom + 58 + 16 * i, note, { size: 12, colour: COLOUR.muted }),
  );
  p.line("one", plot.left, y(0), plot.right, y(0), { stroke: COLOUR.muted, "stroke-width": 1.5 });
  drawSide(p, "lessName", say("less"), x(0), edge, plot.top);
  drawSide(p, "moreName", say("more"), edge, plot.right, plot.top);
  const now = Math.log2(sizes.h);
  const ratios = Object.keys(LINES).map((what) => times(what, sizes, sizes.h));
  const heights = ratios.map(Math.log2);
  Object.entries(LINES).forEach(([what, { colour, mark }]) => {
    const ends = [0, MOST].map((k) => [x(k), y(Math.log2(times(what, sizes, 2 ** k)))]);
    const dashes = mark === "dash" ? "6 5" : undefined;
    p.path(what, ends, { stroke: colour, "stroke-width": 2.6, "stroke-dasharray": dashes });
  });
  p.line("here", x(now), y(Math.max(...heights)), x(now), plot.bottom, { stroke: COLOUR.line, "stroke-width": 1.2 });
  p.mark("held", "square", x(now), y(heights[1]), 6, { fill: LINES.largest.colour });
  drawTimes(p, sizes, { x, y });
  p.handle("h", {
    x,
    y,
    at: [now, heights[0]],
    axis: "x",
    step: 1,
    min: [0, -Infinity],
    max: [MOST, Infinity],
    size: 8,
    colour: LINES.multiply_adds.colour,
    label: say("hidden units h"),
    text: say`${sizes.h}: multiply-adds ${ratioName(ratios[0])}`,
    onMove: ([to]) => fig.set({ h: 2 ** Math.round(to) }),
  });
  // A number stands above its mark, to the left, where no line runs (at the left edge: to the right). The lower one
  // stands below its mark, to the right, where the other line is near or the dot product's line would cross it.
  const upper = heights[0] >= heights[1] ? 0 : 1;
  const atEdge = x(now) - plot.left < 60;
  heights.forEach((height, i) => {
    const at = y(height);
    const crowded = y(heights[upper]) > at - 34 || (at > y(0) - 4 && at < y(0) + 36) || atEdge;
    const below = i !== upper && crowded && at + 22 < plot.bottom;
    const aside = below || atEdge ? 1 : -1;
    const inside = Math.min(x(now) + 11, plot.right - 46); // where a number to the right begins
    let top = at + (below ? (inside < x(now) ? 30 : 20) : aside > 0 ? -14 : -9);
    if (below && Math.abs(top - 5 - y(0)) < 10) top = y(0) + 17;
    p.text(`times${i}`, aside > 0 ? inside : x(now) - 11, top, ratioName(ratios[i]), {
      anchor: aside > 0 ? "start" : "end",
      weight: 700,
      colour: Object.values(LINES)[i].colour,
      halo: true,
      "pointer-events": "none",
    });
  });
}

// The measured times: each has its number if it stands alone, otherwise at the h that is chosen.
function drawTimes(p, sizes, { x, y }) {
  const points = measured(sizes);
  points.forEach(([h, ratio], i) => {
    const [left, top] = [x(Math.log2(h)), y(Math.log2(ratio))];
    p.mark(`time${i}`, "diamond", left, top, 5.5, { fill: TIME.colour, stroke: COLOUR.ground, "stroke-width": 1.2 });
    if (points.length > 1 && h !== sizes.h) return;
    const room = top - y(Math.log2(h)); // up to the dashed line
    const crossed = Math.abs(room) < 6 || Math.abs(y(0) - top) < 8;
    const number = p.narrow ? timeName(ratio) : say`time ${timeName(ratio)}`;
    p.text(`took${i}`, left + 11, top + (!crossed ? 5 : room > 14 ? -8 : 20), number, {
      weight: 700,
      colour: TIME.colour,
      halo: true,
      "pointer-events": "none",
    });
  });
}

// ---- the table ----

// A phone has no room for multiples, and two lines for long names of columns.
const rowTop = (narrow, i) => (narrow ? 38 + 23 * i : 24 + 27 * i);

function drawTable(p, view) {
  const columns = p.width < 300 ? COLUMNS.slice(1) : COLUMNS;
  const left = 148;
  const wide = (p.width - left) / columns.length;
  const right = (c) => p.width - (p.narrow ? [0, 90, 168][columns.length - 1 - c] : (columns.length - 1 - c) * wide);
  const end = { size: 13, anchor: "end" };
  columns.forEach(([, label], c) => {
    const lines = p.narrow ? label.split(/(?<=numbers) |(?<=multiply-)/) : [label];
    lines.forEach((line, i) =>
      p.text(`head${c}-${i}`, right(c), rowTop(p.narrow, 0) - 9 - 15 * (lines.length - 1 - i), line, {
        ...end,
        size: p.narrow ? 12 : 13,
        weight: 650,
      }),
    );
  });
  SCORES.forEach(([name, label, short = label], i) => {
    const y = rowTop(p.narrow, i);
    const weight = name === "additive" ? 700 : 500;
    p.line(`rule${i}`, 0, y, p.width, y, { stroke: COLOUR.grid, "stroke-width": 1 });
    p.text(`name${i}`, 0, y + 17, p.narrow ? short : label, { weight, size: p.narrow ? 12 : undefined });
    columns.forEach(([what], c) => {
      const count = view.costs[i][what];
      const compared = what !== "parameters";
      p.text(
        `count${i}-${c}`,
        right(c) - (compared && !p.narrow ? 76 : 0),
        y + 17,
        count === 0 ? say("none") : big(count),
        { ...end, weight, "data-cell": `${name}-${what}`, "data-count": count },
      );
      if (compared && i && !p.narrow)
        p.text(`ratio${i}-${c}`, right(c), y + 17, ratioName(count / view.costs[0][what]), {
          ...end,
          colour: COLOUR.muted,
        });
    });
  });
}

// The sentence is as high as its longest.
const STYLE = `.ab-card .ab-costs { flex: 1 1 100%; margin: 0; min-height: calc(2.9em + 1rem); }
@media (max-width: 840px) { .ab-card .ab-costs { min-height: calc(4.35em + 1rem); } }
@media (max-width: 480px) { .ab-card .ab-costs { min-height: calc(7.25em + 1rem); } }`;

function render({ model, el }) {
  const fig = figure({
    model,
    el,
    title: say("Which score is cheaper?"),
    hint: say("Drag the dot to the left: what gets cheaper, and what does not?"),
  });
  fig.stage({
    label: ({ sizes }) => {
      const [first, second] = Object.keys(LINES).map((what) => ratioName(times(what, sizes, sizes.h)));
      const lines = say(
        "Two rising lines over the hidden units: how many times the dot product's multiply-adds the additive score " +
          "does, and how many times as many numbers it holds for the pairs. At h = {h} they are at {first} and " +
          "{second}; the first is below the dot product's for h below {from}",
        { h: sizes.h, first, second, from: noneSaved(sizes) },
      );
      const took = measured(sizes).map(([h, ratio]) => say`. Time measured at h = ${h}: ${timeName(ratio)}`);
      return lines + took.join("");
    },
    height: (width) => (width < NARROW ? 328 : 340),
    draw: (p, view) => drawLines(p, view, fig),
  });
  fig.stage({
    label(view) {
      const lines = SCORES.map(([, label], i) => {
        const { parameters, multiply_adds, largest } = view.costs[i];
        return say(
          "{label}: {parameters} parameters, {multiply_adds} multiply-adds, {largest} numbers for the pairs",
          { label, parameters, multiply_adds, largest },
        );
      });
      return say`Costs: ${lines.join(say("; "))}`;
    },
    height: (width) => rowTop(width < NARROW, SCORES.length) + 4,
    draw: drawTable,
  });
  fig.slider("h", { label: say("hidden units h"), values: SIZES });
  fig.more();
  fig.slider("d", { label: say("size d"), values: SIZES });
  fig.slider("num_queries", { label: say("queries T"), values: SIZES });
  fig.slider("num_keys", { label: say("keys S"), values: SIZES });
  fig.reset();
  fig.controlsFirst();
  const [drawings, said] = [".ab-stages", ".ab-said"].map((part) => fig.card.querySelector(part));
  said.classList.add("ab-costs");
  fig.card.prepend(html("style", { text: STYLE }));
  drawings.firstChild.after(said); // under the lines of which it speaks; the table can wait
  return fig.start((state) => {
    const sizes = Object.fromEntries(["d", "h", "num_queries", "num_keys"].map((name) => [name, state(name)]));
    fig.say(inWords(sizes));
    return { sizes, level: levelHidden(sizes), costs: SCORES.map(([name]) => cost(name, sizes)) };
  });
}

export default { render, math: { cost, levelHidden, inWords, measured } };
