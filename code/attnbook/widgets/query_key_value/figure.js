/* A soft look-up in the plane: one query, a few keys, their values, and the average that comes out. */

const REACH = 2.5; // no coordinate goes further from 0
const SCORES = [
  ["dot", "dot product  q·k"],
  ["scaled_dot", "scaled dot product  q·k/√2"],
  ["gaussian", "Gaussian  −½‖q−k‖²"],
];
// 0, then steps that grow from 0.03 to 3.8; 1 in the middle, 50 at the end.
const SHARPNESS = range(61).map((i) => Number(((49 ** (i / 30) - 1) / 48).toPrecision(3)));

// ---- the mathematics -----------------------------------------------------------------------------

function scoresOf(name, query, keys) {
  return keys.map((key) => {
    if (name === "dot") return dot(query, key);
    if (name === "scaled_dot") return dot(query, key) / Math.sqrt(query.length);
    if (name === "gaussian") return -sum(query.map((q, i) => (q - key[i]) ** 2)) / 2;
    throw new Error(`no score named ${name}`);
  });
}

const weightsOf = (scores, sharpness) => softmax(scores.map((e) => sharpness * e));

const outputOf = (weights, values) => values[0].map((_, i) => sum(values.map((value, j) => weights[j] * value[i])));

function lookUp(name, query, keys, values, sharpness) {
  const scores = scoresOf(name, query, keys);
  const weights = weightsOf(scores, sharpness);
  return { scores, weights, output: outputOf(weights, values) };
}

// The convex hull of points in the plane, counter-clockwise, by Andrew's monotone chain.
function convexHull(points) {
  const sorted = [...points].sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  const turn = (o, a, b) => (a[0] - o[0]) * (b[1] - o[1]) - (a[1] - o[1]) * (b[0] - o[0]);
  const chain = (order) => {
    const kept = [];
    for (const point of order) {
      while (kept.length > 1 && turn(kept.at(-2), kept.at(-1), point) <= 0) kept.pop();
      kept.push(point);
    }
    return kept.slice(0, -1); // its last point begins the other chain
  };
  return [...chain(sorted), ...chain(sorted.reverse())];
}

// The part of a convex polygon where a·x + b·y + c ≥ 0.
function halfPlane(polygon, [a, b, c]) {
  const side = ([x, y]) => a * x + b * y + c;
  return polygon.flatMap((from, i) => {
    const to = polygon[(i + 1) % polygon.length];
    const [s, t] = [side(from), side(to)];
    const kept = s >= 0 ? [from] : [];
    if ((s > 0 && t < 0) || (s < 0 && t > 0))
      kept.push([0, 1].map((axis) => from[axis] + (s / (s - t)) * (to[axis] - from[axis])));
    return kept;
  });
}

// For each key the queries that it answers best. The difference of two scores is linear in the query — in the
// Gaussian the squares ‖q‖² cancel — so that each of these regions is a polygon (or empty).
function winningRegions(name, keys, frame) {
  const half = (key) => (name === "gaussian" ? -dot(key, key) / 2 : 0);
  return keys.map((key, j) =>
    keys.reduce(
      (polygon, other, i) =>
        i === j ? polygon : halfPlane(polygon, [key[0] - other[0], key[1] - other[1], half(key) - half(other)]),
      frame,
    ),
  );
}

// The sides of the regions, without those that lie on the frame, and each only once though two regions share it.
function borders(regions, frame) {
  const [low, high] = [frame[3], frame[1]];
  const same = (a, b) => Math.abs(a - b) < 1e-9;
  const onFrame = (a, b) =>
    [0, 1].some((axis) => same(a[axis], b[axis]) && (same(a[axis], low[axis]) || same(a[axis], high[axis])));
  const sides = new Map();
  regions.forEach((polygon) =>
    polygon.forEach((from, i) => {
      const to = polygon[(i + 1) % polygon.length];
      const name = (point) => point.map((v) => fmt(v, 6)).join();
      if (name(from) !== name(to) && !onFrame(from, to)) sides.set([name(from), name(to)].sort().join(), [from, to]);
    }),
  );
  return [...sides.values()];
}

const keysTakingPart = (weights) => 1 / sum(weights.map((a) => a * a));

// ---- the drawing ---------------------------------------------------------------------------------

const sub = (name, j) => name + "₁₂₃₄₅₆₇₈"[j];
const place = ([x, y]) => `(${fmt(x)}, ${fmt(y)})`;
const percent = (a) => (a > 0 && a < 0.005 ? "less than 1 %" : `${fmt(100 * a, 0)} %`);

// A plane with equal units both ways, as wide as the stage; what is drawn in it may stand on its rim.
function plane(p, title, note) {
  const plot = p.plot({ top: 28, right: 1, bottom: 1, left: 1 });
  const unit = Math.min(plot.width, plot.height) / (2 * REACH + 0.5);
  const [cx, cy] = [plot.left + plot.width / 2, plot.top + plot.height / 2];
  const x = linear([-REACH, REACH], [cx - REACH * unit, cx + REACH * unit]);
  const y = linear([-REACH, REACH], [cy + REACH * unit, cy - REACH * unit]);
  p.text("title", 2, 15, title, { weight: 650, size: 14 });
  p.rect("ground", plot.left, plot.top, plot.width, plot.height, { fill: "var(--ab-panel,#f6f7fa)", rx: 8 });
  p.group("grid", { "aria-hidden": "true" }, (g) => {
    range(-2, 3).forEach((v) => {
      const look = { stroke: v === 0 ? COLOUR.line : COLOUR.grid, "stroke-width": 1 };
      g.line(`x${v}`, x(v), plot.top + 1, x(v), plot.bottom - 1, look);
      g.line(`y${v}`, plot.left + 1, y(v), plot.right - 1, y(v), look);
    });
  });
  if (note) p.text("note", plot.left + 10, plot.bottom - 9, note, { size: 12, colour: COLOUR.muted });
  return { plot, x, y, at: (point) => [x(point[0]), y(point[1])] };
}

const INSIDE = { size: 15, weight: 650, italic: true, anchor: "middle", "pointer-events": "none" };

// A name beside a point, on the side away from the middle of the plane.
function nameTag(p, key, { x, y }, point, string, distance) {
  const left = point[0] < 0;
  p.text(key, x(point[0]) + (left ? -distance : distance), y(point[1]) + 5, string, {
    size: 15,
    weight: 650,
    italic: true,
    anchor: left ? "end" : "start",
    halo: true,
    "pointer-events": "none",
  });
}

const knob = (weight, scale = 1) => scale * (6 + 7 * Math.sqrt(weight)); // the area grows with the weight

function drawQueryPlane(p, view, fig) {
  const { query, keys, weights, winner, score } = view;
  const space = plane(p, "Query and keys: which key answers best?", p.width > 300 ? "dotted: two keys tie" : "");
  const { plot, x, y, at } = space;
  const frame = [
    [plot.left, plot.top],
    [plot.right, plot.top],
    [plot.right, plot.bottom],
    [plot.left, plot.bottom],
  ].map(([px, py]) => [x.invert(px), y.invert(py)]);
  const regions = winningRegions(score, keys, frame);
  p.group("regions", { "aria-hidden": "true" }, (g) => {
    if (regions[winner].length > 2)
      g.path("winner", regions[winner].map(at), { close: true, fill: COLOUR.key, "fill-opacity": 0.1 });
    borders(regions, frame).forEach(([from, to], i) => {
      g.line(`border${i}`, ...at(from), ...at(to), {
        stroke: COLOUR.muted,
        "stroke-dasharray": "2 5",
        "stroke-width": 1.3,
        "stroke-linecap": "round",
      });
    });
  });
  const [qx, qy] = at(query);
  p.group("lines", { "aria-hidden": "true" }, (g) => {
    keys.forEach((key, j) => {
      g.line(`line${j}`, qx, qy, ...at(key), {
        stroke: COLOUR.weight,
        "stroke-width": 0.7 + 8 * weights[j],
        opacity: 0.3 + 0.6 * weights[j],
        "stroke-linecap": "round",
      });
    });
    if (score !== "gaussian")
      g.line("arm", x(0), y(0), qx, qy, { stroke: COLOUR.query, "stroke-width": 2.5, "stroke-linecap": "round" });
  });
  keys.forEach((key, j) => {
    p.handle(`key-${j + 1}`, {
      x,
      y,
      at: key,
      step: 0.1,
      colour: COLOUR.key,
      shape: "diamond",
      size: knob(weights[j], 0.85),
      label: `key ${j + 1}`,
      text: `${place(key)}, weight ${fmt(weights[j])}`,
      onMove: (to) => fig.set({ key: keys.map((k, i) => (i === j ? to : k)) }),
    });
    nameTag(p, `name${j}`, space, key, sub("k", j), knob(weights[j]) + 7);
  });
  p.handle("query", {
    x,
    y,
    at: query,
    step: 0.1,
    colour: COLOUR.query,
    size: 13,
    label: "query",
    text: `${place(query)}; key ${winner + 1} answers best`,
    onMove: (to) => fig.set({ query: to }),
  });
  p.text("name", qx, qy + 5, "q", { ...INSIDE, colour: COLOUR.ground });
}

function drawValuePlane(p, view, fig) {
  const { values, weights, output } = view;
  const space = plane(
    p,
    "Values and output: the weighted average",
    p.width > 300 ? "shaded: where the output can be" : "",
  );
  const { x, y, at } = space;
  const [ox, oy] = at(output);
  p.path("hull", convexHull(values).map(at), {
    close: true,
    fill: COLOUR.value,
    "fill-opacity": 0.12,
    stroke: COLOUR.value,
    "stroke-width": 1.5,
    "stroke-opacity": 0.55,
    "aria-hidden": "true",
  });
  p.group("lines", { "aria-hidden": "true" }, (g) => {
    values.forEach((value, j) => {
      g.line(`line${j}`, ox, oy, ...at(value), {
        stroke: COLOUR.weight,
        "stroke-width": 0.7 + 8 * weights[j],
        opacity: 0.3 + 0.6 * weights[j],
        "stroke-linecap": "round",
      });
    });
  });
  values.forEach((value, j) => {
    p.handle(`value-${j + 1}`, {
      x,
      y,
      at: value,
      step: 0.1,
      colour: COLOUR.value,
      shape: "square",
      size: knob(weights[j]),
      label: `value ${j + 1}`,
      text: `${place(value)}, weight ${fmt(weights[j])}`,
      onMove: (to) => fig.set({ value: values.map((v, i) => (i === j ? to : v)) }),
    });
    nameTag(p, `name${j}`, space, value, sub("v", j), knob(weights[j]) + 7);
  });
  p.group("output", { "pointer-events": "none", "aria-hidden": "true" }, (g) => {
    g.circle("dot", ox, oy, 13, { fill: COLOUR.output, stroke: COLOUR.ground, "stroke-width": 2 });
    g.text("name", ox, oy + 5, "o", { ...INSIDE, colour: "#1f2430" });
  });
}

// One row for each pair: its score as a bar to either side of 0 (a number alone on a phone), its weight as a bar.
function drawRows(p, view) {
  const { scores, weights, sharpness } = view;
  const [top, row] = [28, 26];
  const names = 90;
  const scoreEnd = p.narrow ? names + 56 : names + 0.36 * (p.width - names);
  const bars = linear([0, 1], [scoreEnd + (p.narrow ? 14 : 34), p.width - 48]);
  const reach = Math.max(1, ...scores.map(Math.abs));
  const side = linear([-reach, reach], [names + 8, scoreEnd - 44]);
  const base = top + row * scores.length;
  p.group("head", { "aria-hidden": "true" }, (g) => {
    g.text("pair", 2, 15, "pair", { weight: 650, size: 14 });
    g.text("score", p.narrow ? scoreEnd : side(0), 15, "score e", {
      weight: 650,
      size: 14,
      anchor: p.narrow ? "end" : "middle",
    });
    const how = sharpness === 1 ? "weight α = softmax(e)" : `weight α = softmax(${fmtShort(sharpness)} · e)`;
    g.text("weight", bars(0), 15, how, { weight: 650, size: 14 });
    [0, 0.25, 0.5, 0.75, 1].forEach((v) => {
      g.line(`grid${v}`, bars(v), top - 2, bars(v), base, { stroke: COLOUR.grid, "stroke-width": 1 });
      if (v !== 0.25 && v !== 0.75)
        g.text(`tick${v}`, bars(v), base + 15, String(v), { size: 12, anchor: "middle", colour: COLOUR.muted });
    });
    if (!p.narrow) g.line("zero", side(0), top - 2, side(0), base, { stroke: COLOUR.line, "stroke-width": 1 });
  });
  p.group("rows", { "aria-hidden": "true" }, (g) =>
    scores.forEach((e, j) => {
      const middle = top + row * (j + 0.5);
      g.mark(`key${j}`, "diamond", 9, middle, 5, { fill: COLOUR.key });
      g.text(`pair${j}`, 19, middle + 5, `${sub("k", j)} → ${sub("v", j)}`, { size: 14, italic: true });
      g.mark(`value${j}`, "square", 79, middle, 5, { fill: COLOUR.value });
      if (!p.narrow)
        g.rect(`score${j}`, Math.min(side(0), side(e)), middle - 6, Math.abs(side(e) - side(0)), 12, {
          fill: COLOUR.key,
          opacity: 0.55,
          rx: 2,
        });
      g.text(`number${j}`, scoreEnd, middle + 5, fmt(e), {
        size: 13,
        anchor: "end",
        "font-variant-numeric": "tabular-nums",
      });
      g.rect(`weight${j}`, bars(0), middle - 8, bars(weights[j]) - bars(0), 16, { fill: COLOUR.weight, rx: 3 });
      g.text(`share${j}`, bars(weights[j]) + 7, middle + 5, fmt(weights[j]), { size: 13, weight: 650, halo: true });
    }),
  );
}

// The numbers of the rows once more, for screen readers: a drawing cannot be read cell by cell.
function numbersTable(pairs) {
  const table = html("table", {
    style: "position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap",
  });
  table.append(html("caption", { text: "Scores and weights" }));
  table.append(html("tr", {}, ...["pair", "score", "weight"].map((text) => html("th", { scope: "col", text }))));
  const cells = {};
  range(pairs).forEach((j) => {
    const made = ["score", "weight"].map(
      (what) => (cells[`${what}-${j + 1}`] = html("output", { "data-value": `${what}-${j + 1}` })),
    );
    table.append(
      html("tr", {}, html("th", { scope: "row", text: `key ${j + 1}` }), ...made.map((cell) => html("td", {}, cell))),
    );
  });
  const write = (name, value) => {
    cells[name].textContent = fmt(value, 3);
    cells[name].dataset.number = value;
  };
  return { table, write };
}

function inWords({ weights, winner, sharpness }) {
  const order = range(weights.length).sort((a, b) => weights[b] - weights[a]);
  const [best, next] = order;
  if (sharpness === 0)
    return "Sharpness 0: the query is not asked, every value counts the same, and the output is their mean.";
  if (weights[best] > 0.99)
    return (
      `Nearly a hard look-up: key ${winner + 1} takes ${fmt(100 * weights[best], 1)} % of the weight, and the ` +
      "output is all but its value."
    );
  if (weights[best] < 1.3 / weights.length)
    return "No key stands out, so all values count nearly the same, and the output lies near their mean.";
  const tie = weights[best] - weights[next] < 0.005;
  const lead = tie
    ? `Keys ${Math.min(best, next) + 1} and ${Math.max(best, next) + 1} tie`
    : `Key ${best + 1} answers best`;
  const others =
    weights.length < 3 ? "" : `, and ${percent(Math.max(0, 1 - weights[best] - weights[next]))} all the others`;
  return (
    `${lead}: the output is ${percent(weights[best])} value ${best + 1}, ${percent(weights[next])} value ` +
    `${next + 1}${others}.`
  );
}

// A few rings that leave the query until it is touched: the one thing to try first.
function beckon(stage, model) {
  const query = stage.svg.querySelector('[data-handle="query"] .ab-ring');
  if (!query || !query.animate || matchMedia("(prefers-reduced-motion: reduce)").matches) return () => {};
  const rings = query.animate(
    [
      { stroke: "var(--ab-query,#0072B2)", strokeOpacity: 0.9, r: "12px" },
      { stroke: "var(--ab-query,#0072B2)", strokeOpacity: 0, r: "32px" },
    ],
    { duration: 1600, iterations: 6, easing: "ease-out" },
  );
  const stop = () => {
    rings.cancel();
    model.off("change", stop);
  };
  model.on("change", stop);
  return stop;
}

function render({ model, el }) {
  const fig = figure({
    model,
    el,
    title: "A soft look-up",
    hint: "Drag the blue query towards a key: its weight grows, and the purple output moves to that key’s value.",
  });
  const height = (width) => Math.round(clamp(0.92 * width, 270, 350));
  const planes = fig.stage({
    height,
    basis: 300,
    draw: (p, view) => drawQueryPlane(p, view, fig),
    label: ({ query, winner }) =>
      `Plane with the query at ${place(query)} and the keys; key ${winner + 1} answers best`,
  });
  const mixing = fig.stage({
    height,
    basis: 300,
    draw: (p, view) => drawValuePlane(p, view, fig),
    label: ({ output }) => `Plane with the values, their hull, and the output at ${place(output)} inside it`,
  });
  const rows = fig.stage({
    height: () => 28 + 26 * model.get("key").length + 22,
    draw(p, view) {
      // Where the planes stand below each other, the rows go between them: keys, weights, values.
      rows.svg.parentElement.style.order = fig.card.clientWidth < 660 ? 1 : 3;
      mixing.svg.parentElement.style.order = 2;
      drawRows(p, view);
    },
    label: ({ weights }) =>
      `Scores and weights of the ${weights.length} pairs, as bars; the table after the figure has the numbers`,
  });
  fig.select("score", { label: "score", options: SCORES });
  fig.slider("sharpness", { label: "sharpness", values: SHARPNESS, format: fmtShort });
  fig.output("output", { label: "output o", note: "Σⱼ αⱼ vⱼ" });
  fig.output("hard", { label: "hard look-up", note: "the best key’s value" });
  fig.output("largest", { label: "largest weight", note: "1 in a hard look-up" });
  fig.output("taking-part", { label: "keys taking part", note: "1 / Σⱼ αⱼ²" });
  // room for (x, y)
  fig.card.querySelector(".ab-outputs").style.gridTemplateColumns = "repeat(auto-fit, minmax(146px, 1fr))";
  fig.reset(["query", "key", "value"]);
  const { table, write } = numbersTable(model.get("key").length);
  fig.card.append(table);
  const stop = fig.start((state) => {
    const [query, keys, values, score, sharpness] = ["query", "key", "value", "score", "sharpness"].map(state);
    const view = { query, keys, values, score, sharpness, ...lookUp(score, query, keys, values, sharpness) };
    view.winner = view.scores.indexOf(Math.max(...view.scores));
    view.scores.forEach((e, j) => write(`score-${j + 1}`, e));
    view.weights.forEach((a, j) => write(`weight-${j + 1}`, a));
    fig.show({
      output: place(view.output),
      hard: place(values[view.winner]),
      largest: Math.max(...view.weights),
      "taking-part": keysTakingPart(view.weights),
    });
    fig.say(inWords(view));
    return view;
  });
  const rest = beckon(planes, model);
  return () => {
    rest();
    stop();
  };
}

export default { render, math: { scoresOf, weightsOf, outputOf, lookUp, convexHull, winningRegions, keysTakingPart } };
