/* Dot products grow with the dimension, and the softmax over them turns into a hard choice. */

import { figure } from "../kit/card.js";
import {
  COLOUR, fmt, fmtShort, linspace, mean, range, say, seededNormals, seededUniforms, softmax, variance, weightFill,
} from "../kit/kit.js";
import { linear, ticks } from "../kit/paint.js";

const GROUPS = 16; // each of 16 queries that share 16 keys
const QUERIES = 16;
const KEYS = 16;
const MOST = 768;
const DIMENSIONS = [4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768];

const drawn = { seed: null, table: null }; // the sample is drawn once per seed, for the largest dimension

function sampleScores(seed, d, scaled) {
  // → rows of KEYS scores, one row per query
  if (drawn.seed !== seed) Object.assign(drawn, { seed, table: seededNormals(seed, GROUPS * (QUERIES + KEYS) * MOST) });
  const { table } = drawn;
  const scale = scaled ? Math.sqrt(d) : 1;
  const rows = [];
  for (let g = 0; g < GROUPS; g++) {
    const start = g * (QUERIES + KEYS) * MOST;
    for (let i = 0; i < QUERIES; i++) {
      const query = start + i * MOST;
      rows.push(
        range(KEYS).map((j) => {
          const key = start + (QUERIES + j) * MOST;
          let total = 0;
          for (let c = 0; c < d; c++) total += table[query + c] * table[key + c];
          return total / scale;
        }),
      );
    }
  }
  return rows;
}

function jacobianNorm(weights) {
  // ‖diag(α) − ααᵀ‖, Frobenius; 1 − αᵢ as a sum, since near αᵢ = 1 a difference loses digits
  let squares = 0;
  weights.forEach((a, i) => {
    let rest = 0;
    weights.forEach((b, j) => {
      if (j !== i) {
        rest += b;
        squares += (a * b) ** 2;
      }
    });
    squares += (a * rest) ** 2;
  });
  return Math.sqrt(squares);
}

function median(xs) {
  const sorted = [...xs].sort((a, b) => a - b);
  const half = sorted.length / 2;
  return Number.isInteger(half) ? (sorted[half - 1] + sorted[half]) / 2 : sorted[Math.floor(half)];
}

function saturation(rows) {
  const weights = rows.map((row) => softmax(row));
  return {
    variance: variance(rows.flat()),
    largest: mean(weights.map((row) => Math.max(...row))),
    jacobian: median(weights.map(jacobianNorm)),
  };
}

function histogram(xs, width, bins) {
  // densities of 2·bins + 1 bins of that width around 0
  const counts = range(2 * bins + 1).map(() => 0);
  xs.forEach((x) => {
    const i = Math.round(x / width) + bins;
    if (counts[i] !== undefined) counts[i] += 1;
  });
  return counts.map((count) => count / (xs.length * width));
}

const normalDensity = (x, sd) => Math.exp(-0.5 * (x / sd) ** 2) / (sd * Math.sqrt(2 * Math.PI));

// Two axes, so that the spread is seen to grow and yet is never a needle: three standard deviations fit.
const reachOf = (sd) => (sd > 7 ? 84 : 21);

function drawScores(p, { scores, sd, d, scaled }) {
  const plot = p.plot({ top: 46, left: 14, right: 14, bottom: 44 });
  const reach = reachOf(sd);
  const x = linear([-reach, reach], [plot.left, plot.right]);
  const top = normalDensity(0, sd) * 1.18;
  const y = linear([0, top], [plot.bottom, plot.top]);
  p.axes("axes", {
    plot,
    x,
    xTicks: range(p.narrow ? -2 : -4, p.narrow ? 3 : 5).map((i) => (i * reach) / (p.narrow ? 2.1 : 4.2)),
    xFormat: (v) => fmt(v, 0),
    xLabel: say`score (the axis ends at ±${reach})`,
  });
  const width = sd / 3;
  const inside = p.clip("inside", plot.left, plot.top, plot.width, plot.height);
  p.group("bars", { "clip-path": inside }, (g) =>
    histogram(scores, width, 12).forEach((density, i) => {
      const left = x((i - 12.5) * width);
      g.rect(`b${i}`, left, y(density), x((i - 11.5) * width) - left - (sd > 4 ? 1 : 0), plot.bottom - y(density), {
        fill: COLOUR.weight,
        opacity: 0.38,
      });
    }),
  );
  const curve = linspace(-Math.min(reach, 4 * sd), Math.min(reach, 4 * sd), 121).map((v) => [
    x(v),
    y(normalDensity(v, sd)),
  ]);
  p.path("theory", curve, { stroke: COLOUR.ink, "stroke-width": 2, "stroke-dasharray": "6 4" });
  p.text("setting", plot.left, plot.top + 14, `d = ${d}`, { weight: 650, colour: COLOUR.ink });
  const division = scaled ? say("divided by √d") : say("not divided");
  p.text("division", plot.left, plot.top + 32, division, { colour: COLOUR.ink });
  p.legend("legend", plot.left, 16, [
    { label: say("4096 scores"), colour: COLOUR.weight, mark: "box" },
    { label: scaled ? "N(0, 1)" : `N(0, ${d})`, colour: COLOUR.ink, mark: "dash" },
  ]);
}

function drawWeights(p, { weights, typical }) {
  const plot = p.plot({ top: 46, left: 46, right: 6, bottom: 44 });
  const y = linear([0, 1], [plot.bottom, plot.top]);
  p.axes("axes", { plot, y, yTicks: [0, 0.25, 0.5, 0.75, 1], yFormat: (v) => fmt(v, 2) });
  p.line("base", plot.left, plot.bottom, plot.right, plot.bottom, { stroke: COLOUR.line, "stroke-width": 1.2 });
  const step = plot.width / KEYS;
  weights.forEach((a, i) => {
    const left = plot.left + i * step;
    p.rect(`bar${i}`, left + 2, y(a), step - 4, plot.bottom - y(a), { fill: COLOUR.weight, rx: 2 });
    const at = [left + 1, y(typical[i]), left + step - 1, y(typical[i])];
    p.line(`rim${i}`, ...at, { stroke: COLOUR.ground, "stroke-width": 5 });
    p.line(`mean${i}`, ...at, { stroke: COLOUR.ink, "stroke-width": 2.2 });
  });
  p.text("largest", plot.left + 1, Math.min(y(weights[0]), y(typical[0])) - 6, fmt(weights[0]), {
    weight: 650,
    colour: COLOUR.weight,
    halo: true,
  });
  p.text("weight", plot.right, plot.top + 14, say("weight on each key"), { anchor: "end", halo: true });
  p.text("keys", (plot.left + plot.right) / 2, plot.bottom + 24, say("16 keys, largest weight first"), {
    anchor: "middle",
  });
  p.legend("legend", plot.left - 30, 16, [
    { label: say("the median query"), colour: COLOUR.weight, mark: "box" },
    { label: say("mean of all 256"), colour: COLOUR.ink, mark: "line" },
  ]);
}

function render({ model, el }) {
  const fig = figure({
    model,
    el,
    title: say("What the dimension does to a softmax"),
    hint: say("Entries of all queries and keys are drawn from N(0, 1). Raise d, then divide by √d."),
  });
  fig.stage({
    height: 250,
    basis: 320,
    grow: 5,
    draw: drawScores,
    label: ({ d, sd }) =>
      say`Histogram of the scores for d = ${d}: centred at 0, standard deviation about ${fmt(sd, 1)}`,
  });
  fig.stage({
    height: 250,
    basis: 280,
    grow: 4,
    draw: drawWeights,
    label: ({ weights }) => say`Softmax weights of one query, sorted; the largest is ${fmt(weights[0])}`,
  });
  fig.slider("d", { label: say("dimension d"), values: DIMENSIONS });
  fig.checkbox("scaled", { label: say("divide by √d") });
  fig.button(say("New sample"), () => fig.set({ seed: (fig.get("seed") + 1) % 1000 }));
  fig.output("variance", { label: say("variance of the scores"), format: fmtShort });
  fig.output("largest", { label: say("mean largest weight"), digits: 2 });
  fig.output("jacobian", { label: say("median Jacobian norm"), format: fmtShort });
  fig.reset(["seed"]);
  fig.controlsFirst();
  return fig.start((state) => {
    const [d, scaled] = [state("d"), state("scaled")];
    const rows = sampleScores(state("seed"), d, scaled);
    const sd = scaled ? 1 : Math.sqrt(d);
    const sorted = rows.map((row) => softmax(row).sort((a, b) => b - a));
    const measured = saturation(rows);
    const middle = median(sorted.map((row) => row[0])); // the row shown is one whose largest weight is in the middle
    const shown = sorted.reduce((best, row) => (Math.abs(row[0] - middle) < Math.abs(best[0] - middle) ? row : best));
    fig.show(measured);
    const passes =
      measured.jacobian < 0.01
        ? say("almost no gradient gets through the softmax to the scores")
        : measured.jacobian < 0.15
          ? say("little gradient gets through the softmax to the scores")
          : say("gradients get through the softmax to the scores");
    const values = { sd: fmt(sd, 1), p: fmt(100 * measured.largest, 0), passes };
    fig.say(
      scaled
        ? say(
            "The scores have a standard deviation of about 1, whatever d is. On average the best-scoring of 16 keys " +
              "takes {p} % of the weight, and {passes}.",
            values,
          )
        : say(
            "The scores have a standard deviation of about √d = {sd}. On average the best-scoring of 16 keys takes " +
              "{p} % of the weight, and {passes}.",
            values,
          ),
    );
    return {
      d,
      scaled,
      sd,
      scores: rows.flat(),
      weights: shown,
      typical: range(KEYS).map((j) => mean(sorted.map((row) => row[j]))),
    };
  });
}

export default {
  render,
  math: {
    seededUniforms,
    seededNormals,
    softmax,
    sampleScores,
    jacobianNorm,
    saturation,
    reachOf,
    histogram,
    fmt,
    fmtShort,
    weightFill,
    ticks,
  },
};
