/* What five scores cost, in multiples of the dot product's. */

const SCORES = [
  ["dot", "dot product"],
  ["scaled_dot", "scaled dot product"],
  ["multiplicative", "multiplicative"],
  ["additive", "additive"],
  ["gaussian", "Gaussian"],
];
const SIZES = range(13).map((power) => 2 ** power); // 1 … 4096
const COLUMNS = [
  ["parameters", "parameters"],
  ["multiply_adds", "multiply-adds"],
  ["largest", "largest tensor"],
];
const FAR = 10; // bars end at 2^±10

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

function big(count) {
  if (count < 10000) return String(count).replace(/(\d)(\d{3})$/, "$1 $2");
  const [size, unit] = [
    [1e12, "T"],
    [1e9, "G"],
    [1e6, "M"],
    [1e3, "k"],
  ].find(([power]) => count >= power);
  return `${Number((count / size).toPrecision(3))} ${unit}`;
}

function inWords(sizes) {
  const [plain, additive] = ["dot", "additive"].map((name) => cost(name, sizes));
  const ratio = additive.multiply_adds / plain.multiply_adds;
  const level = levelHidden(sizes);
  const amount =
    Math.abs(ratio - 1) < 0.005
      ? "as many multiply-adds as the dot product"
      : `${fmtShort(ratio)} times the dot product's multiply-adds`;
  const held =
    sizes.h === 1
      ? "Its largest tensor is no larger than the dot product's, but all of it goes through a tanh."
      : `But its largest tensor has h = ${sizes.h} numbers for every pair, ${big(additive.largest)} in all, and each ` +
        `goes through a tanh; the dot product's has ${big(plain.largest)}.`;
  return (
    `The additive score does ${amount}: the two draw level at h = ${Number(level.toPrecision(3))}, and ` +
    `${level < 1 ? "one hidden unit is too many" : "with fewer it does less"}. ${held}`
  );
}

function drawCosts(p, view) {
  const left = p.narrow ? 0 : 148;
  const gap = p.narrow ? 10 : 24;
  const wide = (p.width - left - 2 * gap) / 3;
  const high = p.narrow ? 58 : 38;
  COLUMNS.forEach(([what, label], c) => {
    const x = left + c * (wide + gap);
    p.text(`head${c}`, x, 15, label, { weight: 650, size: p.narrow ? 12.5 : 14 });
    if (what === "parameters") return;
    const one = x + wide / 2;
    p.text(`sub${c}`, one, 33, "dot product", { size: 12, anchor: "middle", colour: COLOUR.muted });
    p.line(`one${c}`, one, 38, one, 40 + SCORES.length * high, { stroke: COLOUR.line, "stroke-width": 1 });
  });
  SCORES.forEach(([name, label], i) => {
    const y = 42 + i * high;
    p.text(`name${i}`, 0, y + (p.narrow ? 15 : 22), label, { weight: name === "additive" ? 700 : 500 });
    COLUMNS.forEach(([what], c) => {
      const count = view.costs[i][what];
      const [x, base] = [left + c * (wide + gap), y + (p.narrow ? 18 : 0)];
      p.text(`count${i}-${c}`, x, base + 16, count === 0 ? "none" : big(count), {
        size: 13,
        halo: true,
        "data-cell": `${name}-${what}`,
        "data-count": count,
      });
      if (what === "parameters") return;
      const part = clamp(Math.log2(count / view.costs[0][what]) / FAR, -1, 1) * (wide / 2);
      p.rect(`bar${i}-${c}`, x + wide / 2 + Math.min(0, part), base + 22, Math.max(2, Math.abs(part)), 8, {
        fill: COLOUR.weight,
        rx: 2,
      });
    });
  });
}

function render({ model, el }) {
  const fig = figure({
    model,
    el,
    title: "Which score is cheaper?",
    hint: "A bar to the right: more than the dot product needs; to the left: less (logarithmic). Make h small.",
  });
  fig.stage({
    label(view) {
      const lines = SCORES.map(([, label], i) => {
        const { parameters, multiply_adds, largest } = view.costs[i];
        return `${label}: ${parameters} parameters, ${multiply_adds} multiply-adds, largest tensor ${largest}`;
      });
      return `Costs: ${lines.join("; ")}`;
    },
    height: (width) => 44 + SCORES.length * (width < NARROW ? 58 : 38) + 4,
    draw: drawCosts,
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
    return { costs: SCORES.map(([name]) => cost(name, sizes)) };
  });
}

export default { render, math: { cost, levelHidden } };
