/* The block explorer: a layer whose norm and residual sum can be moved and taken out, and what a stack of such
 * layers does before training. All numbers were measured by tools/experiments/block_grid.py and come with the state. */
// uses numbers.js, layer.js

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

const IN_TO_OUT = "layer, from input to output";

function drawCharts(p, view, fig) {
  const { measure, depth, layer, line, tops, otherLine, otherTops, other, domain } = view;
  const small = isSmall(p.width);
  const start = layerWide(p.width);
  const [left, right] = [start + (small ? 42 : 50), p.width - (small ? 9 : 12)];
  const plot = (top, bottom) => ({ left, right, top, bottom, width: right - left, height: bottom - top });
  const above = small ? plot(58, 194) : plot(62, 232);
  const below = small ? plot(266, 326) : plot(309, 399);
  const from = measure === "gradient" ? 1 : 0;
  const x = linear([from - 0.4, DEEPEST + 0.4], [left, right]);
  const deep = linear([1.6, DEEPEST + 0.4], [left, right]);
  const y = linear(domain, [above.bottom, above.top]);
  const low = linear(domain, [below.bottom, below.top]);
  const yTicks = logTicks(...domain);
  const [colour, shape] = LOOKS[view.norm];
  const [otherColour, otherShape] = other ? LOOKS[view.otherNorm] : [];
  const heading = { weight: 650, size: small ? 13 : 14 };
  const every = (ticks) => (small ? ticks.filter((tick) => tick % 2 === 0) : ticks);
  p.text("title", start, small ? 12 : 15, (small ? SHORT_TITLES : TITLES)[measure], heading);
  p.legend(
    "legend",
    small ? start : left,
    small ? 32 : 42,
    [
      { label: view.name, colour, mark: shape },
      ...(other ? [{ label: other, colour: otherColour, mark: "dash" }] : []),
    ],
    { maxWidth: small ? 60 : above.width }, // on a phone one below the other
  );
  p.axes("layers", {
    plot: above,
    x,
    y,
    xTicks: every(range(from, DEEPEST + 1)),
    xFormat: String,
    yTicks,
    yFormat: tickName,
    xLabel: measure !== "gradient" ? "after layer (0: input)" : small ? "layer, input to output" : IN_TO_OUT,
  });
  p.text("unit", right, small ? 32 : 15, "log axis", {
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

  const deepTitle = small ? "Last layer, by depth L" : "The last layer, in stacks of 2 to 12";
  p.text("depths", start, below.top - 15, deepTitle, heading);
  p.axes("stacks", {
    plot: below,
    x: deep,
    y: low,
    xTicks: every(range(2, DEEPEST + 1)),
    xFormat: String,
    yTicks: thinned(yTicks),
    yFormat: tickName,
    xLabel: small ? undefined : "number of layers, L",
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

// Another wiring: what one had before is drawn beside it, unless nothing is.
const rewired = ({ norm, residual, compare }, change) => ({
  ...change,
  ...(compare === "nothing" ? {} : { compare: nameOf(norm, residual) }),
});

// A new depth: if the last layer was being read, it still is.
const deeper = ({ depth, layer }, to) => ({ depth: to, layer: layer === depth ? to : Math.min(layer, to) });

function render({ model, el }) {
  const fig = figure({
    model,
    el,
    title: "Where does the norm go?",
    hint: "Click a dashed box to move the norm, or a + to cut the sum: what you had before stays, dashed.",
  });
  const rewire = (change) => {
    const [norm, residual, compare] = ["norm", "residual", "compare"].map(fig.get);
    fig.set(rewired({ norm, residual, compare }, change));
  };
  fig.stage({
    height: (width) => shapeAt(width).height,
    draw: (p, view) => {
      p.group("block", {}, (g) => drawBlock(g, view, rewire));
      drawCharts(p, view, fig);
    },
    label: (v) =>
      `A layer: ${v.name}; ${v.depth} of them make the stack. Beside it ${TITLES[v.measure].toLowerCase()}` +
      `${v.other ? `, compared with ${v.other}` : ""}; below, the last layer against the depth`,
  });
  const norms = fig.select("norm", { label: "Norm", options: NORMS });
  norms.onchange = () => rewire({ norm: NORMS[norms.selectedIndex][0] });
  const added = fig.checkbox("residual", { label: "residual sum" });
  added.onchange = () => rewire({ residual: added.checked });
  const depths = fig.slider("depth", { label: "Layers L", min: 2, max: DEEPEST, step: 1 });
  depths.oninput = () => fig.set(deeper({ depth: fig.get("depth"), layer: fig.get("layer") }, +depths.value));
  // The layer that is read walks through the stack: the gradient's way leads down from the output, the signal's up.
  let timer = null;
  const ends = () => (fig.get("measure") === "gradient" ? [fig.get("depth"), 1] : [1, fig.get("depth")]);
  const walking = (on) => {
    clearInterval(timer);
    timer = on ? setInterval(walk, 450) : null;
    if (on) play.style.minWidth = `${Math.ceil(play.getBoundingClientRect().width)}px`; // the row keeps its place
    play.textContent = on ? "Pause" : "Walk through";
  };
  const walk = () => {
    const [, to] = ends();
    const way = Math.sign(to - fig.get("layer"));
    if (!way || !fig.card.isConnected) walking(false);
    else fig.set({ layer: fig.get("layer") + way });
  };
  const play = fig.button(
    "Walk through",
    () => {
      const [from, to] = ends();
      if (timer === null && fig.get("layer") === to) fig.set({ layer: from });
      else if (calm()) walk(); // one layer for each press
      if (!calm()) walking(timer === null);
    },
    { primary: true },
  );
  fig.more();
  fig.select("measure", { label: "Draw", options: MEASURES });
  const compare = fig.select("compare", {
    label: "Compare with",
    options: [...WIRINGS.map(([name]) => name), "nothing"],
  });
  fig.reset(["layer"]);
  fig.controlsFirst();
  let measure = "gradient";
  const format = (v) => (v === null ? "–" : value(v, measure));
  const { seeds } = model.get("grid");
  fig.output("first", { label: "where it starts", format, note: `median of ${seeds} stacks` });
  fig.output("last", { label: "where it ends", format, note: "band: the middle half" });
  fig.output("ratio", {
    label: "end ÷ start",
    format: (v) => (v === null ? "–" : factor(v)),
    note: "median, stack by stack",
  });
  fig.output("other", { label: "end of the dashed line", format, note: "median of the stacks" });
  // two by two on a phone
  fig.card.querySelector(".ab-outputs").style.gridTemplateColumns = "repeat(auto-fit,minmax(138px,1fr))";

  let place = "after"; // where the norm stood last: when it is taken out it fades there
  let room = -1; // the card's width for which the sentence's height is kept
  return fig.start((state) => {
    const [norm, residual, depth, grid] = ["norm", "residual", "depth", "grid"].map(state);
    measure = state("measure");
    if (norm !== "none") place = norm;
    const [layer, compared] = ["layer", "compare"].map(state);
    const seen = viewOf(grid, { norm, residual, depth, measure, layer, compare: compared });
    const { name, other, otherNorm, otherResidual, line } = seen;
    WIRINGS.forEach(([own], i) => {
      compare.options[i].disabled = own === name;
    });
    const wirings = [[norm, residual], ...(other ? [[otherNorm, otherResidual]] : [])];
    const view = { ...seen, place, domain: decades(grid, wirings, measure) };
    const gone = line.at(-1)[2] <= FLOOR && measure === "apart";
    fig.show({
      first: line[0][2],
      last: line.at(-1)[2],
      ratio: gone ? null : view.ratio[1],
      other: other ? view.otherLine.at(-1)[2] : null,
    });
    if (room !== fig.card.clientWidth) {
      room = fig.card.clientWidth;
      longestSentences(grid).forEach(fig.say); // at a new width: nothing below moves later
    }
    fig.say(sentenceFor(view));
    return view;
  });
}

export default {
  render,
  math: { nameOf, lineOf, topsOf, decades, logTicks, tickName, factor, inWords, layerWords, trendOf, rewired, deeper },
};
