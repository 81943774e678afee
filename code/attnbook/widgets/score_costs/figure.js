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

// Powers of two and whole numbers as they are, everything else in three digits.
function digits(x) {
  if (x < 1 && Number.isInteger(Math.log2(x))) return `1/${1 / x}`;
  return Number.isInteger(x) || x >= 1000 ? String(Math.round(x)) : String(Number(x.toPrecision(x < 0.01 ? 2 : 3)));
}

const nearOne = (ratio) => ratio !== 1 && Math.abs(ratio - 1) < 0.005;
const ratioName = (ratio) => (nearOne(ratio) ? "≈ 1 ×" : `${digits(ratio)} ×`);

// ---- what one sees, in words ----

function inWords(sizes) {
  const { d, h, num_queries: t, num_keys: s } = sizes;
  const ratio = times("multiply_adds", sizes, h);
  const level = levelHidden(sizes);
  const amount =
    nearOne(ratio) || ratio === 1
      ? `${nearOne(ratio) ? "about " : ""}as many multiply-adds as the dot product`
      : `${digits(ratio)} ${digits(ratio).includes("/") ? "of" : "times"} the dot product's multiply-adds`;
  const why =
    `for each pair 2h = ${2 * h} where the dot product does d = ${d}, and another ${big((t + s) * h * d)} to project ` +
    `${t + s} queries and keys`;
  const even =
    level < 1
      ? "At these sizes even one hidden unit is too many."
      : level === 1
        ? "The two draw level at h = 1, and fewer there cannot be."
        : `The two draw level at ${digits(level) === String(level) ? "" : "about "}h = ${digits(level)}; with fewer ` +
          "it does less.";
  const held =
    h === 1
      ? "It holds one number for each pair, as the dot product does, but puts all of them through a tanh."
      : `${ratio < 1 ? "But" : "And"} it holds h = ${h} numbers for each pair, ${big(t * s * h)} in all, and puts ` +
        "each through a tanh; the dot product holds one.";
  return `The additive score does ${amount}: ${why}. ${even} ${held}`;
}

// ---- the two lines ----

const TICKS = [-10, -5, 0, 5, 10];
const [LOWEST, HIGHEST] = [-11, 17]; // of the logarithms: from 2⁻¹⁰ to 2¹⁴, and room for words

function drawLines(p, { sizes, level }, fig) {
  const plot = p.plot({ top: p.narrow ? 46 : 26, right: 14, bottom: 42, left: 62 });
  const x = linear([0, MOST], [plot.left, plot.right]);
  const y = linear([LOWEST, HIGHEST], [plot.bottom, plot.top]);
  const from = clamp(Math.log2(level), 0, MOST);
  const items = [...Object.values(LINES), { label: "dot product", colour: COLOUR.muted, mark: "line" }];
  p.legend("legend", p.narrow ? 0 : plot.left, 14, items, { maxWidth: p.width });
  p.rect("less", x(0), plot.top, x(from) - x(0), plot.height, { fill: COLOUR.accent, "fill-opacity": 0.08 });
  p.axes("axes", {
    plot,
    x,
    y,
    xTicks: p.narrow ? range(0, MOST + 1).filter((k) => k % 2 === 0) : range(MOST + 1),
    xFormat: (k) => 2 ** k,
    yTicks: TICKS,
    yFormat: (k) => `${k < 0 ? `1/${2 ** -k}` : 2 ** k} ×`,
    xLabel: "hidden units h",
  });
  p.line("one", plot.left, y(0), plot.right, y(0), { stroke: COLOUR.muted, "stroke-width": 1.5 });
  const side = (key, left, right, lines) => {
    if (right - left < 8 + 7 * Math.max(...lines.map((line) => line.length))) return; // no room
    lines.forEach((line, i) =>
      p.text(`${key}${i}`, (left + right) / 2, plot.top + 16 + 16 * i, line, { anchor: "middle", colour: COLOUR.ink }),
    );
  };
  side("lessName", x(0), x(from), p.narrow ? ["less arithmetic,", "more memory"] : ["less arithmetic, more memory"]);
  side("moreName", x(from), plot.right, p.narrow ? ["more", "of both"] : ["more of both"]);
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
    text: `${sizes.h}: ${digits(ratios[0])} times the dot product's multiply-adds`,
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

const ROW = (narrow) => (narrow ? 58 : 27);

function drawTable(p, view) {
  const left = p.narrow ? 0 : 148;
  const wide = (p.width - left) / 3;
  const end = { size: 13, anchor: "end" };
  COLUMNS.forEach(([, label], c) =>
    p.text(`head${c}`, left + (c + 1) * wide, 15, p.narrow ? label.replace("numbers ", "") : label, {
      ...end,
      weight: 650,
    }),
  );
  SCORES.forEach(([name, label], i) => {
    const y = 26 + i * ROW(p.narrow);
    const weight = name === "additive" ? 700 : 500;
    p.line(`rule${i}`, 0, y, p.width, y, { stroke: COLOUR.grid, "stroke-width": 1 });
    p.text(`name${i}`, 0, y + 18, label, { weight });
    COLUMNS.forEach(([what], c) => {
      const count = view.costs[i][what];
      const [right, base] = [left + (c + 1) * wide, y + (p.narrow ? 35 : 18)];
      p.text(`count${i}-${c}`, right - (c && !p.narrow ? 76 : 0), base, count === 0 ? "none" : big(count), {
        ...end,
        weight,
        "data-cell": `${name}-${what}`,
        "data-count": count,
      });
      if (c && i)
        p.text(`ratio${i}-${c}`, right, base + (p.narrow ? 16 : 0), ratioName(count / view.costs[0][what]), {
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
    hint: "Drag the dot to the left until the additive score does less arithmetic. Then change the sizes.",
  });
  fig.stage({
    label: ({ sizes, level }) =>
      "Two rising lines over the hidden units: how many times the dot product's multiply-adds the additive score " +
      `does, and how many times as many numbers it holds for the pairs. At h = ${sizes.h} they are at ` +
      `${Object.keys(LINES)
        .map((what) => digits(times(what, sizes, sizes.h)))
        .join(" and ")}; the first crosses 1 at ${digits(level)}`,
    height: (width) => (width < NARROW ? 290 : 264),
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
    height: (width) => 26 + SCORES.length * ROW(width < NARROW) + 4,
    draw: drawTable,
  });
  fig.slider("h", { label: "hidden units h", values: SIZES });
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
