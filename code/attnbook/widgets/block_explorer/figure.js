/* The block explorer: a layer whose norm and residual sum can be moved and taken out, and what a stack of such
 * layers does before training. All numbers were measured by tools/experiments/block_grid.py and come with the state. */

const WIRINGS = [
  ["post-LN", "after", true],
  ["pre-LN", "before", true],
  ["sum only", "none", true],
  ["post-norm only", "after", false],
  ["pre-norm only", "before", false],
  ["bare layers", "none", false],
];
const LOOKS = { after: [COLOUR.ink, "circle"], before: [COLOUR.accent, "square"], none: [COLOUR.muted, "triangle"] };
const MEASURES = [
  ["gradient", "gradient of each layer"],
  ["stream", "size of the stream"],
  ["apart", "what tells the words apart"],
];
const TITLES = {
  gradient: ["Gradient of each layer", "gradient norm"],
  stream: ["Mean square of the stream", "mean square"],
  apart: ["What tells the words apart", "share"],
};
const FLOOR = 1e-10; // of a share: below it there is only the rounding of single precision
const DEEPEST = 12;

// ---- the numbers ---------------------------------------------------------------------------------

const nameOf = (norm, residual) => WIRINGS.find(([, n, r]) => n === norm && r === residual)[0];
const stackOf = (grid, norm, residual, depth) =>
  grid.stacks.find((s) => s.norm === norm && s.residual === residual && s.depth === depth);

// [layer, lower quartile, median, upper quartile], from the input up; layer 0 is the input of the first.
function lineOf(grid, norm, residual, depth, measure) {
  const stored = stackOf(grid, norm, residual, depth)[measure];
  const first = stored.length === depth ? 1 : 0;
  return stored.map((q, i) => [first + i, ...q.map((v) => (measure === "apart" ? Math.max(v, FLOOR) : v))]);
}

// The same for the last layer of stacks of 2 to 12: [depth, lower quartile, median, upper quartile].
const topsOf = (grid, norm, residual, measure) =>
  range(2, DEEPEST + 1).map((depth) => [depth, ...lineOf(grid, norm, residual, depth, measure).at(-1).slice(1)]);

// The decades that the wirings need at any depth, so that the axis stays when the depth changes; at least 0.8 of one.
function decades(grid, wirings, measure) {
  const all = wirings.flatMap(([norm, residual]) =>
    range(2, DEEPEST + 1).flatMap((depth) =>
      lineOf(grid, norm, residual, depth, measure).flatMap((row) => row.slice(1)),
    ),
  );
  const [low, high] = [Math.log10(Math.min(...all)), Math.log10(Math.max(...all))];
  const rim = Math.max(0.07 * (high - low), (0.8 - (high - low)) / 2);
  return [low - rim, high + rim];
}

// Logarithms of round numbers: 1, 2, 5, 10, … where there are few decades, powers of ten where there are many.
function logTicks(low, high) {
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

function tickName(t) {
  const value = 10 ** t;
  return value > 0.009 && value < 1001 ? String(Number(value.toPrecision(2))) : `10${raised(Math.round(t))}`;
}

// A factor in two digits, or as a power of ten where it is far from 1.
function factor(x) {
  if (x >= 1e4 || x < 1e-3) {
    const k = Math.floor(Math.log10(x));
    return `${fmt(x / 10 ** k, 1)} · 10${raised(k)}`;
  }
  return fmt(x, x >= 100 ? 0 : x >= 0.095 ? (x < 1 ? 2 : 1) : 3);
}

function value(x, measure) {
  if (measure !== "apart") return factor(x);
  if (x <= FLOOR) return `< 10${raised(-10)}`;
  return x >= 1e-4 ? `${fmt(100 * x, x >= 0.0995 ? 0 : x >= 0.00995 ? 1 : 2)}\u00a0%` : factor(x);
}

// ---- what one sees, in words ---------------------------------------------------------------------

function inWords({ name, other, depth, measure, line, otherLine, tops, ratio, seeds, residual }) {
  const [first, last] = [line[0][2], line.at(-1)[2]];
  const who = `${name[0].toUpperCase()}${name.slice(1)}, ${depth} layers`;
  const half = `middle half of ${seeds} stacks: ${factor(ratio[0])} to ${factor(ratio[2])}`;
  if (measure === "apart") {
    const gone = line.findIndex((row) => row[2] <= FLOOR);
    const begin = `${who}: ${value(first, measure)} of the input's mean square tells the words of a row apart`;
    const against = other ? ` For ${other} it ends at ${value(otherLine.at(-1)[2], measure)}.` : "";
    if (gone < 0) return `${begin}, and ${value(last, measure)} after the last layer.${against}`;
    return (
      `${begin}. After layer ${line[gone][0]} nothing is left of it but rounding: all words of a row have become ` +
      `the same vector.${against}`
    );
  }
  if (measure === "stream") {
    const level = line.slice(1).every((row) => Math.abs(row[2] - 1) < 0.01);
    const end = level ? "is 1 after every layer, within 1\u00a0%" : `goes from ${factor(first)} to ${factor(last)}`;
    const against = other ? ` For ${other} it ends at ${factor(otherLine.at(-1)[2])}.` : "";
    return `${who}: the stream's mean square ${end}.${against}`;
  }
  const much =
    Math.abs(ratio[1] - 1) < 0.1 ? "as large as the first's, within 10\u00a0%," : `${factor(ratio[1])} × the first's`;
  const [two, twelve] = [tops[0][2], tops.at(-1)[2]];
  const way = twelve > 1.1 * two ? "grows" : twelve < 0.9 * two ? "falls" : "hardly changes";
  const depths =
    ` With depth the last layer's gradient ${way}: ${factor(two)} in a stack of 2, ${factor(twelve)} in one of ` +
    "12.";
  const against = other ? ` Here it is ${factor(last / otherLine.at(-1)[2])} × that of ${other}.` : "";
  return `${who}: the last layer's gradient is ${much} (${half}).${depths}${against}`;
}

// ---- the drawing of a layer ----------------------------------------------------------------------

const HEIGHT = 466;
const calm = () => globalThis.matchMedia && matchMedia("(prefers-reduced-motion: reduce)").matches;

function pressable(label, pressed, act, first) {
  // attributes of a group that works like a button
  return {
    role: "button",
    "aria-label": label,
    "aria-pressed": String(pressed),
    cursor: "pointer",
    tabindex: first ? 0 : undefined,
    onclick: act,
    onkeydown: (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      event.stopPropagation(); // JupyterLab has shortcuts of its own
      act();
    },
  };
}

function box(g, key, x, y, wide, text, { solid = false, ...attrs } = {}) {
  g.rect(key, x - wide / 2, y - 14, wide, 28, {
    rx: 7,
    fill: solid ? COLOUR.accent : COLOUR.ground,
    stroke: solid ? COLOUR.accent : COLOUR.ink,
    "stroke-width": 1.6,
    ...attrs,
  });
  g.text(`${key}-text`, x, y + 4.5, text, {
    size: 13,
    anchor: "middle",
    weight: 600,
    colour: solid ? "var(--ab-on-accent,#fff)" : COLOUR.ink,
    "pointer-events": "none",
  });
}

function drawBlock(p, view, fig) {
  const { norm, residual, depth, place } = view;
  const [main, side] = [p.width / 2 - 58, p.width / 2 + 54];
  const starts = [HEIGHT - 66, HEIGHT - 218]; // where the side branches leave, from below
  const [join, before, after] = [-102, -31, -130]; // of the sum and of the two places for a norm, above a start
  const [top, lastNorm] = [HEIGHT - 378, HEIGHT - 406];
  const still = calm() ? "" : "transition:transform 0.4s ease,opacity 0.3s ease";
  const heavy = { stroke: COLOUR.ink, "stroke-width": 3.5 };
  const thin = { stroke: COLOUR.muted, "stroke-width": 2 };

  p.rect("layer", main - 46, top, side - main + 104, HEIGHT - 44 - top, {
    rx: 12,
    fill: COLOUR.accent,
    "fill-opacity": 0.06,
    stroke: COLOUR.line,
    "stroke-width": 1.2,
  });
  p.text("times", side + 46, top + 24, `× ${depth}`, { size: 15, weight: 700, anchor: "end", colour: COLOUR.accent });
  p.text("in", main, HEIGHT - 6, "words + positions", { size: 12.5, anchor: "middle", colour: COLOUR.muted });
  const open = residual ? HEIGHT - 22 : starts[1] + join; // of the main line, where it leads to the top without a break
  if (!residual)
    p.path(
      "into",
      [
        [main, HEIGHT - 22],
        [main, starts[0]],
      ],
      heavy,
    );
  if (!residual)
    p.path(
      "between",
      [
        [main, starts[0] + join],
        [main, starts[1]],
      ],
      heavy,
    );
  p.arrow("up", main, open, main, 36, { colour: COLOUR.ink, width: 3.5, head: 11 });
  starts.forEach((y, s) => {
    if (!residual)
      p.line(`gone${s}`, main, y - 6, main, y + join + 6, {
        stroke: COLOUR.line,
        "stroke-width": 2,
        "stroke-dasharray": "2 6",
      });
    p.path(
      `branch${s}`,
      [
        [main, y],
        [side, y],
        [side, y + join],
        [main, y + join],
      ],
      residual ? thin : heavy,
    );
    if (residual)
      p.path(
        `tip${s}`,
        [
          [main + 11, y + join],
          [main + 20, y + join - 4.5],
          [main + 20, y + join + 4.5],
        ],
        { close: true, fill: COLOUR.muted },
      );
    const toggle = () => fig.set({ residual: !fig.get("residual") });
    p.group(`sum${s}`, pressable("Residual sum", residual, toggle, s === 0), (g) => {
      g.add("title", "title", {}, residual ? "Take the sum out" : "Add the input back");
      g.rect("reach", main - 16, y + join - 14, 32, -join + 10, { fill: "transparent", rx: 8 });
      g.circle("plus", main, y + join, 11, {
        fill: residual ? COLOUR.ground : "transparent",
        stroke: residual ? COLOUR.ink : COLOUR.line,
        "stroke-width": 1.8,
        "stroke-dasharray": residual ? undefined : "3 3",
      });
      if (residual) g.text("sign", main, y + join + 5.5, "+", { size: 16, weight: 700, anchor: "middle" });
    });
    box(p, `sublayer${s}`, side, y - 70, 92, s ? "network" : "attention");
    [
      ["after", main, y + after],
      ["before", side, y + before],
    ].forEach(([where, x, at]) => {
      const taken = norm === where;
      const act = () => fig.set({ norm: fig.get("norm") === where ? "none" : where });
      const label = `Layer norm ${where === "after" ? "after the sublayer" : "before the sublayer"}`;
      p.group(`slot-${where}${s}`, pressable(label, taken, act, s === 0), (g) => {
        g.add("title", "title", {}, taken ? "Take the norm out" : "Put the norm here");
        g.rect("ghost", x - 30, at - 14, 60, 28, {
          rx: 7,
          fill: "transparent",
          stroke: taken ? "transparent" : COLOUR.accent,
          "stroke-width": 1.4,
          "stroke-dasharray": "4 4",
          "stroke-opacity": 0.6,
        });
      });
    });
    const [x, at] = place === "after" ? [main, y + after] : [side, y + before];
    p.group(
      `norm${s}`,
      { transform: `translate(${x} ${at})`, opacity: norm === "none" ? 0 : 1, style: `pointer-events:none;${still}` },
      (g) => box(g, "box", 0, 0, 60, "norm", { solid: true }),
    );
  });
  p.group("last", { opacity: norm === "before" ? 1 : 0, style: `pointer-events:none;${still}` }, (g) =>
    box(g, "box", main, lastNorm, 60, "norm", { solid: true }),
  );
  box(p, "head", main, 20, 60, "head");
  if (norm === "before")
    p.text("lastName", main + 40, lastNorm + 4.5, "one more, at the end", { size: 12, colour: COLOUR.muted });
}

// ---- the charts ----------------------------------------------------------------------------------

function series(p, key, rows, { x, y, colour, shape, bold }) {
  const at = (row, q) => [x(row[0]), y(Math.log10(row[q]))];
  if (bold) {
    p.path(`${key}-band`, [...rows.map((row) => at(row, 1)), ...rows.map((row) => at(row, 3)).reverse()], {
      close: true,
      fill: colour,
      "fill-opacity": 0.16,
    });
  }
  p.path(
    `${key}-line`,
    rows.map((row) => at(row, 2)),
    { stroke: colour, "stroke-width": bold ? 2.6 : 1.6, "stroke-dasharray": bold ? undefined : "5 4" },
  );
  rows.forEach((row, i) =>
    p.mark(`${key}-mark${i}`, shape, ...at(row, 2), bold ? 4 : 3, {
      fill: bold ? colour : COLOUR.ground,
      stroke: colour,
      "stroke-width": bold ? 0 : 1.4,
    }),
  );
}

function drawCharts(p, view, fig) {
  const { measure, depth, layer, line, tops, otherLine, otherTops, other, domain } = view;
  const [title, unit] = TITLES[measure];
  const left = 50;
  const right = p.width - 12;
  const above = { left, right, top: 64, bottom: 248, width: right - left, height: 184 };
  const below = { left, right, top: 328, bottom: 424, width: right - left, height: 96 };
  const from = measure === "gradient" ? 1 : 0;
  const x = linear([from - 0.4, DEEPEST + 0.4], [left, right]);
  const deep = linear([1.6, DEEPEST + 0.4], [left, right]);
  const y = linear(domain, [above.bottom, above.top]);
  const low = linear(domain, [below.bottom, below.top]);
  const yTicks = logTicks(...domain);
  const [colour, shape] = LOOKS[view.norm];
  const [otherColour, otherShape] = other ? LOOKS[view.otherNorm] : [];
  p.text("title", 0, 15, title, { weight: 650, size: 14 });
  p.legend(
    "legend",
    left,
    42,
    [
      { label: view.name, colour, mark: shape },
      ...(other ? [{ label: other, colour: otherColour, mark: "dash" }] : []),
    ],
    { maxWidth: above.width },
  );
  p.axes("layers", {
    plot: above,
    x,
    y,
    xTicks: range(from, DEEPEST + 1),
    xFormat: String,
    yTicks,
    yFormat: tickName,
    xLabel: measure === "gradient" ? "layer, from input to output" : "after layer (0: the input)",
  });
  p.text("unit", right, 15, p.narrow ? "log axis" : `${unit}, log axis`, {
    size: 12,
    anchor: "end",
    colour: COLOUR.muted,
  });
  if (other) series(p, "other", otherLine, { x, y, colour: otherColour, shape: otherShape, bold: false });
  series(p, "line", line, { x, y, colour, shape, bold: true });
  const here = line[layer - from];
  p.handle("layer", {
    x,
    y,
    at: [layer, Math.log10(here[2])],
    axis: "x",
    step: 1,
    min: [1, -Infinity],
    max: [depth, Infinity],
    size: 6.5,
    colour,
    label: "layer that is read",
    text: `layer ${layer}: ${value(here[2], measure)}`,
    onMove: ([to]) => fig.set({ layer: Math.round(to) }),
  });
  const [hx, hy] = [x(layer), y(Math.log10(here[2]))];
  p.text(
    "read",
    clamp(hx, left + 24, right - 24),
    hy - 18 < above.top + 8 ? hy + 28 : hy - 15,
    value(here[2], measure),
    { size: 13, weight: 700, anchor: "middle", halo: true, "pointer-events": "none" },
  );

  p.text("depths", 0, 308, "The last layer, in stacks of 2 to 12", { weight: 650, size: 14 });
  p.axes("stacks", {
    plot: below,
    x: deep,
    y: low,
    xTicks: range(2, DEEPEST + 1, 1),
    xFormat: String,
    yTicks: thinned(yTicks),
    yFormat: tickName,
    xLabel: "number of layers, L",
  });
  if (other)
    series(p, "otherTops", otherTops, { x: deep, y: low, colour: otherColour, shape: otherShape, bold: false });
  series(p, "tops", tops, { x: deep, y: low, colour, shape, bold: true });
  p.handle("depth", {
    x: deep,
    y: low,
    at: [depth, Math.log10(tops[depth - 2][2])],
    axis: "x",
    step: 1,
    min: [2, -Infinity],
    max: [DEEPEST, Infinity],
    size: 6.5,
    colour,
    label: "number of layers",
    text: `${depth} layers`,
    onMove: ([to]) => fig.set(deeper(view, Math.round(to))),
  });
}

const thinned = (values) => values.filter((_, i) => values.length < 4 || i % Math.ceil(values.length / 3) === 0);

// A new depth; who read the last layer goes on reading the last.
const deeper = ({ depth, layer }, to) => ({ depth: to, layer: layer === depth ? to : Math.min(layer, to) });

function render({ model, el }) {
  const fig = figure({
    model,
    el,
    title: "Where does the norm stand?",
    hint: "Click a dashed place to move the norm there, a sum to cut it. Drag the large dots.",
  });
  fig.stage({
    basis: 232,
    height: HEIGHT,
    draw: (p, view) => drawBlock(p, view, fig),
    label: (v) => `A layer: ${v.name}; ${v.depth} of them make the stack`,
  });
  fig.stage({
    basis: 330,
    grow: 2.2,
    height: HEIGHT,
    draw: (p, view) => drawCharts(p, view, fig),
    label: (v) =>
      `${TITLES[v.measure][0]} in a stack of ${v.depth}, ${v.name}${v.other ? ` beside ${v.other}` : ""}; ` +
      "below, the last layer against the depth",
  });
  fig.select("norm", {
    label: "Norm",
    options: [
      ["after", "after the sublayer"],
      ["before", "before the sublayer"],
      ["none", "nowhere"],
    ],
  });
  fig.checkbox("residual", { label: "residual sum" });
  fig.select("measure", { label: "Draw", options: MEASURES });
  fig.select("compare", { label: "Compare with", options: [...WIRINGS.map(([name]) => name), "nothing"] });
  const depths = fig.slider("depth", { label: "Layers L", min: 2, max: DEEPEST, step: 1 });
  depths.oninput = () => fig.set(deeper({ depth: fig.get("depth"), layer: fig.get("layer") }, +depths.value));
  fig.reset(["layer"]);
  let measure = "gradient";
  const format = (v) => (v === null ? "–" : value(v, measure));
  fig.output("first", { label: "where it starts", format, note: "median of the stacks" });
  fig.output("last", { label: "where it ends", format, note: "median of the stacks" });
  fig.output("ratio", {
    label: "end ÷ start",
    format: (v) => (v === null ? "–" : factor(v)),
    note: "median, stack by stack",
  });
  fig.output("other", { label: "end of the dashed line", format, note: "median of the stacks" });
  // two by two on a phone
  fig.card.querySelector(".ab-outputs").style.gridTemplateColumns = "repeat(auto-fit,minmax(138px,1fr))";

  let place = "after"; // where the norm stood last: when it is taken out it fades there
  return fig.start((state) => {
    const [norm, residual, depth, grid] = ["norm", "residual", "depth", "grid"].map(state);
    measure = state("measure");
    if (norm !== "none") place = norm;
    const name = nameOf(norm, residual);
    const compared = WIRINGS.find(([n]) => n === state("compare") && n !== name);
    const [other, otherNorm, otherResidual] = compared || [null];
    const line = lineOf(grid, norm, residual, depth, measure);
    const view = {
      norm,
      residual,
      depth,
      measure,
      place,
      name,
      other,
      otherNorm,
      line,
      seeds: grid.seeds,
      layer: Math.min(state("layer"), depth),
      tops: topsOf(grid, norm, residual, measure),
      ratio: stackOf(grid, norm, residual, depth).ratio[measure],
      otherLine: other && lineOf(grid, otherNorm, otherResidual, depth, measure),
      otherTops: other && topsOf(grid, otherNorm, otherResidual, measure),
      domain: decades(grid, [[norm, residual], ...(other ? [[otherNorm, otherResidual]] : [])], measure),
    };
    const gone = line.at(-1)[2] <= FLOOR && measure === "apart";
    fig.show({
      first: line[0][2],
      last: line.at(-1)[2],
      ratio: gone ? null : view.ratio[1],
      other: other ? view.otherLine.at(-1)[2] : null,
    });
    fig.say(inWords(view));
    return view;
  });
}

export default { render, math: { nameOf, lineOf, topsOf, decades, logTicks, tickName, factor, inWords, deeper } };
