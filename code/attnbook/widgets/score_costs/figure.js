/* What five scores cost, in multiples of the dot product's: two lines over the hidden units, and a table. */

const SCORES = [
  ["dot", "dot product"],
  ["scaled_dot", "scaled dot product"],
  ["multiplicative", "multiplicative"],
  ["additive", "additive"],
  ["gaussian", "Gaussian"],
];
const MOST = 12; // sizes go from 1 to 2¹²
const SIZES = range(MOST + 1).map((power) => 2 ** power);
const COLUMNS = [
  ["parameters", "parameters"],
  ["multiply_adds", "multiply-adds"],
  ["largest", "numbers for all pairs"],
];
const LINES = {
  multiply_adds: { label: "multiply-adds", colour: COLOUR.weight, mark: "line" },
  largest: { label: "numbers for all pairs", colour: COLOUR.ink, mark: "dash" },
};

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

function big(count) {
  if (count < 10000) return String(count).replace(/(\d)(\d{3})$/, "$1 $2");
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
const ratioName = (ratio) =>
  nearOne(ratio) ? "≈ × 1" : `${ratio < 1 ? "÷" : "×"} ${digits(factor(ratio))}`;

// ---- what one sees, in words ----

// The smallest number of hidden units with which the additive score saves no multiply-adds.
const noneSaved = (sizes) => Math.ceil(levelHidden(sizes));

function inWords(sizes) {
  const { h } = sizes;
  const ratio = times("multiply_adds", sizes, h);
  const much = nearOne(ratio) ? "about as many" : ratio === 1 ? "as many" : `${digits(factor(ratio))} times as many`;
  const work =
    ratio < 1
      ? `the dot product does ${much} multiply-adds as the additive score`
      : `the additive score does ${much} multiply-adds as the dot product`;
  const held =
    h === 1
      ? ", and both hold one number for each pair"
      : `${ratio < 1 ? ", which" : " and"} holds ${h} times as many numbers, each put through a tanh`;
  const from = noneSaved(sizes);
  const saves =
    from > 1 ? `Below h = ${from} the additive score saves multiply-adds.` : "At these sizes no h saves any.";
  return `At h = ${h} ${work}${held}. ${saves}`;
}

// ---- the two lines ----

const TICKS = [-10, -5, 0, 5, 10];
const [LOWEST, HIGHEST] = [-11, 17]; // of the logarithms: from 2⁻¹⁰ to 2¹⁴, and room for words

function drawLines(p, { sizes, level }, fig) {
  const plot = p.plot({ top: 26, right: 14, bottom: 42, left: 78 });
  const x = linear([0, MOST], [plot.left, plot.right]);
  const y = linear([LOWEST, HIGHEST], [plot.bottom, plot.top]);
  const from = clamp(Math.log2(level), 0, MOST);
  p.legend("legend", p.narrow ? 0 : plot.left, 14, Object.values(LINES), { maxWidth: p.width });
  p.rect("less", x(0), plot.top, x(from) - x(0), plot.height, { fill: COLOUR.accent, "fill-opacity": 0.08 });
  p.axes("axes", {
    plot,
    x,
    y,
    xTicks: p.narrow ? range(0, MOST + 1).filter((k) => k % 2 === 0) : range(MOST + 1),
    xFormat: (k) => 2 ** k,
    yTicks: TICKS,
    yFormat: (k) => (k === 0 ? "dot product" : `${k < 0 ? "÷" : "×"} ${2 ** Math.abs(k)}`),
    xLabel: "hidden units h",
  });
  p.line("one", plot.left, y(0), plot.right, y(0), { stroke: COLOUR.muted, "stroke-width": 1.5 });
  const side = (key, left, right, ...ways) => {
    const fits = (lines) => right - left >= 8 + 7 * Math.max(...lines.map((line) => line.length));
    (ways.find(fits) || []).forEach((line, i) =>
      p.text(`${key}${i}`, (left + right) / 2, plot.top + 16 + 16 * i, line, { anchor: "middle", colour: COLOUR.ink }),
    );
  };
  side("lessName", x(0), x(from), ["less arithmetic, more memory"], ["less arithmetic,", "more memory"]);
  side("moreName", x(from), plot.right, ["more of both"], ["more", "of both"]);
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
    label: "hidden units h",
    text: `${sizes.h}: multiply-adds ${ratioName(ratios[0])}`,
    onMove: ([to]) => fig.set({ h: 2 ** Math.round(to) }),
  });
  const upper = heights[0] >= heights[1] ? 0 : 1; // its number stands above its mark, the other's below
  heights.forEach((height, i) => {
    const [left, top] = [clamp(x(now), plot.left + 26, plot.right - 26), y(height) + (i === upper ? -14 : 24)];
    p.text(`times${i}`, left, top, ratioName(ratios[i]), {
      anchor: "middle",
      weight: 700,
      colour: Object.values(LINES)[i].colour,
      halo: true,
      "pointer-events": "none",
    });
  });
}

// ---- the table ----

const HEAD = 24;
// On a phone a row has a second line for what it is in multiples of the dot product, which itself needs none.
const rowTop = (narrow, i) => HEAD + (narrow ? 38 * i - (i ? 14 : 0) : 27 * i);

function drawTable(p, view) {
  const columns = p.width < 300 ? COLUMNS.slice(1) : COLUMNS;
  const left = 148;
  const wide = (p.width - left) / columns.length;
  const right = (c) =>
    p.width - (p.narrow ? [0, 86, 188][columns.length - 1 - c] : (columns.length - 1 - c) * wide);
  const end = { size: 13, anchor: "end" };
  columns.forEach(([, label], c) =>
    p.text(`head${c}`, right(c), 15, p.narrow ? label.replace("numbers ", "") : label, {
      ...end,
      size: p.narrow ? 12 : 13,
      weight: 650,
    }),
  );
  SCORES.forEach(([name, label], i) => {
    const y = rowTop(p.narrow, i);
    const weight = name === "additive" ? 700 : 500;
    p.line(`rule${i}`, 0, y, p.width, y, { stroke: COLOUR.grid, "stroke-width": 1 });
    p.text(`name${i}`, 0, y + 18, p.narrow ? label.replace("scaled dot product", "scaled dot") : label, { weight });
    columns.forEach(([what], c) => {
      const count = view.costs[i][what];
      const compared = what !== "parameters";
      p.text(`count${i}-${c}`, right(c) - (compared && !p.narrow ? 76 : 0), y + 18, count === 0 ? "none" : big(count), {
        ...end,
        weight,
        "data-cell": `${name}-${what}`,
        "data-count": count,
      });
      if (compared && i)
        p.text(`ratio${i}-${c}`, right(c), y + (p.narrow ? 33 : 18), ratioName(count / view.costs[0][what]), {
          ...end,
          colour: COLOUR.muted,
        });
    });
  });
}

function render({ model, el }) {
  const fig = figure({
    model,
    el,
    title: "Which score is cheaper?",
    hint: "Drag the dot to the left until the additive score does less arithmetic.",
  });
  fig.stage({
    label: ({ sizes }) =>
      "Two rising lines over the hidden units: how many times the dot product's multiply-adds the additive score " +
      `does, and how many times as many numbers it holds for the pairs. At h = ${sizes.h} they are at ` +
      `${Object.keys(LINES)
        .map((what) => ratioName(times(what, sizes, sizes.h)))
        .join(" and ")}; the first is below the dot product's for h below ${noneSaved(sizes)}`,
    height: (width) => (width < NARROW ? 246 : 264),
    draw: (p, view) => drawLines(p, view, fig),
  });
  fig.stage({
    label(view) {
      const lines = SCORES.map(([, label], i) => {
        const { parameters, multiply_adds, largest } = view.costs[i];
        return `${label}: ${parameters} parameters, ${multiply_adds} multiply-adds, ${largest} numbers for the pairs`;
      });
      return `Costs: ${lines.join("; ")}`;
    },
    height: (width) => rowTop(width < NARROW, SCORES.length) + 4,
    draw: drawTable,
  });
  fig.slider("h", { label: "hidden units h", values: SIZES });
  fig.more();
  fig.slider("d", { label: "size d", values: SIZES });
  fig.slider("num_queries", { label: "queries T", values: SIZES });
  fig.slider("num_keys", { label: "keys S", values: SIZES });
  fig.reset();
  fig.controlsFirst();
  return fig.start((state) => {
    const sizes = Object.fromEntries(["d", "h", "num_queries", "num_keys"].map((name) => [name, state(name)]));
    fig.say(inWords(sizes));
    return { sizes, level: levelHidden(sizes), costs: SCORES.map(([name]) => cost(name, sizes)) };
  });
}

export default { render, math: { cost, levelHidden, inWords } };
