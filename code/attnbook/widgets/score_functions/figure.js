/* Score functions: five scores of a query over the plane of all keys, their weights, and their costs. */

const SCORES = [
  ["dot", "dot product  q·k", "dot"],
  ["scaled_dot", "scaled dot  q·k/√d", "scaled dot"],
  ["multiplicative", "multiplicative  qᵀMk", "multiplicative"],
  ["additive", "additive  w_vᵀ tanh(W_q q + W_k k)", "additive"],
  ["gaussian", "Gaussian  −½‖q−k‖²", "Gaussian"],
];
const REACH = 3;
const SIZES = range(13).map((power) => 2 ** power); // 1 … 4096
const CELLS = 48; // the plane is sampled at 49 × 49 points
const LEVEL_STEPS = [0.05, 0.1, 0.2, 0.5, 1, 2, 4, 10, 20, 50, 100, 200];

// ---- the mathematics -----------------------------------------------------------------------------

const times = (matrix, v) => matrix.map((row) => dot(row, v));

// parameters: { weight: M (d, d), W_q (h, d), W_k (h, d), w_v (h) }
function score(name, q, k, parameters = {}) {
  if (name === "dot") return dot(q, k);
  if (name === "scaled_dot") return dot(q, k) / Math.sqrt(q.length);
  if (name === "gaussian") return -sum(q.map((x, i) => (x - k[i]) ** 2)) / 2;
  if (name === "multiplicative") return dot(q, times(parameters.weight, k));
  if (name === "additive") {
    const [a, b] = [times(parameters.W_q, q), times(parameters.W_k, k)];
    return dot(
      parameters.w_v,
      a.map((x, i) => Math.tanh(x + b[i])),
    );
  }
  throw new Error(`no score named ${name}`);
}

const scoreAll = (name, q, keys, parameters) => keys.map((k) => score(name, q, k, parameters));

// Each key moved along its ray from the origin to the norm `radius`; one at the origin goes to the right.
function onCircle(keys, radius) {
  return keys.map(([x, y]) => {
    const norm = Math.hypot(x, y);
    return norm > 0 ? [(x / norm) * radius, (y / norm) * radius] : [radius, 0];
  });
}

const largestDifference = (a, b) => Math.max(...a.map((x, i) => Math.abs(x - b[i])));

// The counts are explained in the docstring of `score_costs` in score_functions.py.
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

// Distance of neighbouring level lines: at most nine of them on either side of zero.
const levelStep = (greatest) => LEVEL_STEPS.find((step) => greatest / step <= 9.5) || LEVEL_STEPS.at(-1);

// A square of the grid cut along f = level: the corners with f ≥ level (sign 1) or f ≤ level (sign −1) and
// the crossings between them. Corner: [x, y, f].
function cutSquare(corners, level, sign) {
  const out = [];
  corners.forEach((from, i) => {
    const to = corners[(i + 1) % 4];
    const [a, b] = [sign * (from[2] - level), sign * (to[2] - level)];
    if (a >= 0) out.push([from[0], from[1], false]);
    if (a >= 0 !== b >= 0) {
      const part = a / (a - b);
      out.push([from[0] + part * (to[0] - from[0]), from[1] + part * (to[1] - from[1]), true]);
    }
  });
  return out;
}

// The region f ≥ level (or ≤) of a grid of values, as polygons, and the line f = level, as pieces.
function region(xs, ys, values, level, sign) {
  const [areas, pieces] = [[], []];
  range(ys.length - 1).forEach((r) => {
    let run = null; // neighbouring whole squares become one rectangle
    const close = () => {
      if (run !== null)
        areas.push([
          [xs[run[0]], ys[r]],
          [xs[run[1]], ys[r]],
          [xs[run[1]], ys[r + 1]],
          [xs[run[0]], ys[r + 1]],
        ]);
      run = null;
    };
    range(xs.length - 1).forEach((c) => {
      const corners = [
        [r, c],
        [r, c + 1],
        [r + 1, c + 1],
        [r + 1, c],
      ].map(([i, j]) => [xs[j], ys[i], values[i][j]]);
      const shape = cutSquare(corners, level, sign);
      if (shape.length === 4 && !shape.some(([, , crossing]) => crossing)) {
        run = run ? [run[0], c + 1] : [c, c + 1];
        return;
      }
      close();
      if (shape.length > 2) areas.push(shape.map(([x, y]) => [x, y]));
      shape.forEach((from, i) => {
        const to = shape[(i + 1) % shape.length];
        if (from[2] && to[2])
          pieces.push([
            [from[0], from[1]],
            [to[0], to[1]],
          ]);
      });
    });
    close();
  });
  return { areas, pieces };
}

// Pieces of a line joined end to end, so that its dashes run on from one to the next.
function joinPieces(pieces) {
  const name = ([x, y]) => `${x.toFixed(6)} ${y.toFixed(6)}`;
  const at = new Map();
  pieces.forEach((piece, i) => piece.forEach((end) => at.set(name(end), [...(at.get(name(end)) || []), i])));
  const used = new Set();
  const grow = (line) => {
    // from its last point on, as long as an unused piece begins there
    for (;;) {
      const end = name(line.at(-1));
      const next = at.get(end).find((i) => !used.has(i));
      if (next === undefined) return line;
      used.add(next);
      line.push(pieces[next].find((point) => name(point) !== end) || pieces[next][1]);
    }
  };
  return pieces.flatMap((piece, i) => {
    if (used.has(i)) return [];
    used.add(i);
    return [grow(grow([...piece]).reverse())];
  });
}

function sampleScores(name, q, parameters) {
  const axis = linspace(-REACH, REACH, CELLS + 1);
  return { axis, values: axis.map((y) => axis.map((x) => score(name, q, [x, y], parameters))) };
}

// ---- the drawing ---------------------------------------------------------------------------------

// Relative steps in tenths of a pixel: the stored picture of the figure stays small.
function pathData(polygons, x, y, closed) {
  const tenth = (v) => String(v / 10);
  return polygons
    .map((points) => {
      const at = points.map(([a, b]) => [Math.round(10 * x(a)), Math.round(10 * y(b))]);
      const steps = at.slice(1).map(([a, b], i) => `${tenth(a - at[i][0])} ${tenth(b - at[i][1])}`);
      return `M${tenth(at[0][0])} ${tenth(at[0][1])}l${steps.join(" ")}${closed ? "z" : ""}`;
    })
    .join("");
}

const subscript = (j) => "₁₂₃₄"[j];

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

// Where a level's number stands: on its line, as far as can be from everything that stands there already.
function placeLabel(pieces, taken, x, y) {
  let [best, room] = [null, 24];
  for (const [a, b] of pieces) {
    const [px, py] = [x((a[0] + b[0]) / 2), y((a[1] + b[1]) / 2)];
    const edge = Math.min(...x.range.map((e) => Math.abs(e - px)), ...y.range.map((e) => Math.abs(e - py)));
    const distance = Math.min(1.6 * edge, ...taken.map(([tx, ty]) => Math.hypot(tx - px, ty - py)));
    if (distance > room) [best, room] = [[px, py], distance];
  }
  return best;
}

function drawPlane(p, view, fig) {
  const plot = p.plot({ top: 30, right: 10, bottom: 40, left: 44 });
  const x = linear([-REACH, REACH], [plot.left, plot.right]);
  const y = linear([-REACH, REACH], [plot.bottom, plot.top]);
  p.text("title", 0, 15, `Score over all keys: ${view.label}`, { weight: 650, size: 14 });
  p.axes("axes", { plot, x, y, xLabel: "first feature", yLabel: "second feature", xTicks: 6, yTicks: 6, grid: false });

  const { axis, values } = view.field;
  const greatest = Math.max(...values.flat().map(Math.abs));
  const step = levelStep(greatest);
  const levels = range(1, Math.floor(greatest / step) + 1).map((i) => i * step);
  const clip = p.clip("clip", plot.left, plot.top, plot.width, plot.height);
  const lines = [];
  p.group("field", { "clip-path": clip, "aria-hidden": "true" }, (g) => {
    // Layer upon layer: where the score is three steps above zero, three layers of colour lie on each other.
    const layer = (key, level, sign, colour, opacity) => {
      const { areas, pieces } = region(axis, axis, values, level, sign);
      if (areas.length) g.add("path", key, { d: pathData(areas, x, y, true), fill: colour, "fill-opacity": opacity });
      lines.push([level, pieces]);
    };
    if (greatest > 0) {
      const zero = region(axis, axis, values, 0, 1);
      if (values.flat().some((v) => v < 0)) lines.push([0, zero.pieces]);
      levels.forEach((level) => {
        layer(`up${level}`, level, 1, COLOUR.weight, 0.1);
        layer(`down${level}`, -level, -1, COLOUR.masked, 0.11);
      });
    }
    if (view.bent) {
      // qᵀMk is the dot product of the key with Mᵀq
      g.arrow("bent", x(0), y(0), x(view.bent[0]), y(view.bent[1]), {
        colour: COLOUR.query,
        width: 2,
        "stroke-dasharray": "5 4",
      });
    }
    lines
      .filter(([level]) => level !== 0)
      .forEach(
        ([level, pieces]) =>
          pieces.length &&
          g.add("path", `line${level}`, {
            d: pathData(joinPieces(pieces), x, y, false),
            fill: "none",
            stroke: level > 0 ? COLOUR.weight : COLOUR.muted,
            "stroke-width": 1,
            "stroke-dasharray": level < 0 ? "4 3" : undefined,
            opacity: 0.75,
          }),
      );
    lines
      .filter(([level, pieces]) => level === 0 && pieces.length)
      .forEach(([, pieces]) =>
        g.add("path", "zero", {
          d: pathData(joinPieces(pieces), x, y, false),
          fill: "none",
          stroke: COLOUR.ink,
          "stroke-width": 2.6,
          "stroke-linecap": "round",
          "data-level": "0",
        }),
      );
  });
  p.line("acrossX", plot.left, y(0), plot.right, y(0), { stroke: COLOUR.line, "stroke-width": 1 });
  p.line("acrossY", x(0), plot.top, x(0), plot.bottom, { stroke: COLOUR.line, "stroke-width": 1 });
  if (view.circle) {
    p.circle("circle", x(0), y(0), x(view.radius) - x(0), {
      fill: "none",
      stroke: COLOUR.key,
      "stroke-width": 1.6,
      "stroke-dasharray": "2 5",
      "stroke-linecap": "round",
    });
  }
  const [qx, qy] = view.query;
  if (view.name === "gaussian") {
    // its zero level is a single point
    p.circle("zeroPoint", x(qx), y(qy), 14, { fill: "none", stroke: COLOUR.ink, "stroke-width": 2.6 });
    p.text("zeroText", x(qx), y(qy) + 31, "0", {
      anchor: "middle",
      size: 12,
      weight: 700,
      halo: true,
      "aria-hidden": "true",
    });
  }
  p.arrow("arrow", x(0), y(0), x(qx), y(qy), { colour: COLOUR.query, width: 2.2 });

  const taken = [view.query, [0, 0], ...view.keys].map(([a, b]) => [x(a), y(b)]);
  lines
    .sort(([a], [b]) => Math.abs(a) - Math.abs(b))
    .forEach(([level, pieces]) => {
      const place = placeLabel(pieces, taken, x, y);
      if (!place) return;
      taken.push(place);
      p.text(
        `level${level}`,
        place[0],
        place[1] + 4,
        level === 0 ? "0" : fmt(level, (String(step).split(".")[1] || "").length),
        {
          anchor: "middle",
          size: 12,
          halo: true,
          weight: level === 0 ? 700 : 400,
          colour: level === 0 ? COLOUR.ink : COLOUR.muted,
          "aria-hidden": "true",
        },
      );
    });

  const name = (key, text, [a, b], colour, off = 13) =>
    p.text(key, x(a) + (a > 2.5 ? -off : off), y(b) + (b > 2.6 ? off + 5 : 4 - off), text, {
      colour,
      weight: 700,
      size: 14,
      halo: true,
      anchor: a > 2.5 ? "end" : "start",
      "pointer-events": "none",
      "aria-hidden": "true",
    });
  view.keys.forEach((key, j) => {
    p.handle(`key${j + 1}`, {
      x,
      y,
      at: key,
      step: 0.1,
      label: `key ${j + 1}`,
      colour: COLOUR.key,
      size: 8,
      text: `${fmt(key[0])}, ${fmt(key[1])}: score ${fmt(view.scores[j])}, weight ${fmt(view.weights[j])}`,
      onMove: (to) =>
        fig.set({ key: view.keys.map((k, i) => (i === j ? (view.circle ? onCircle([to], view.radius)[0] : to) : k)) }),
    });
    name(`keyName${j}`, `k${subscript(j)}`, key, COLOUR.key);
  });
  p.handle("query", {
    x,
    y,
    at: view.query,
    step: 0.1,
    label: "query",
    colour: COLOUR.query,
    shape: "diamond",
    size: 8,
    onMove: (query) => fig.set({ query }),
  });
  name("queryName", "q", view.query, COLOUR.query, view.name === "gaussian" ? 17 : 13);
  if (view.bent && view.bent.every((v) => Math.abs(v) < REACH - 0.3)) name("bentName", "Mᵀq", view.bent, COLOUR.query);
}

function drawWeights(p, view) {
  p.text("title", 0, 15, "Softmax over the four keys", { weight: 650, size: 14 });
  const wide = p.width - 34 - 52;
  view.weights.forEach((weight, j) => {
    const y = 30 + j * 40;
    p.text(`name${j}`, 0, y + 17, `k${subscript(j)}`, { colour: COLOUR.key, weight: 700, size: 14 });
    p.rect(`track${j}`, 34, y + 2, wide, 20, { fill: COLOUR.grid, rx: 4 });
    p.rect(`bar${j}`, 34, y + 2, Math.max(2, wide * weight), 20, { fill: COLOUR.weight, rx: 4 });
    p.text(`weight${j}`, p.width, y + 17, fmt(weight, 3), {
      anchor: "end",
      weight: 650,
      "data-cell": `weight-${j + 1}`,
    });
    p.text(`score${j}`, 34, y + 35, `score ${fmt(view.scores[j])}`, {
      size: 12,
      colour: COLOUR.muted,
      "data-cell": `score-${j + 1}`,
    });
  });
}

// The dot product and the Gaussian, key by key: what is left between them is −½‖k‖².
function drawPair(p, view) {
  p.text("title", 0, 15, "Dot product against Gaussian", { weight: 650, size: 14 });
  const column = 72;
  const wide = p.width - 34 - 52 - column;
  p.text("norms", p.width, 34, "−½‖k‖²", { anchor: "end", size: 12.5, colour: COLOUR.muted });
  const hatch = p.hatch("hatch", COLOUR.weight);
  p.legend("legend", -4, 34, [
    { label: "dot", colour: COLOUR.weight, mark: "box" },
    { label: "Gaussian", colour: COLOUR.weight, mark: "hatch" },
  ]);
  view.keys.forEach((key, j) => {
    const y = 44 + j * 38;
    p.text(`name${j}`, 0, y + 19, `k${subscript(j)}`, { colour: COLOUR.key, weight: 700, size: 14 });
    p.rect(`dot${j}`, 34, y + 2, Math.max(2, wide * view.dots[j]), 11, { fill: COLOUR.weight, rx: 2 });
    p.rect(`gauss${j}`, 34, y + 17, Math.max(2, wide * view.gaussians[j]), 11, {
      fill: hatch,
      stroke: COLOUR.weight,
      "stroke-width": 1,
      rx: 2,
    });
    p.text(`dotText${j}`, 40 + wide * view.dots[j], y + 12, fmt(view.dots[j], 3), {
      size: 12,
      "data-cell": `dot-${j + 1}`,
    });
    p.text(`gaussText${j}`, 40 + wide * view.gaussians[j], y + 27, fmt(view.gaussians[j], 3), {
      size: 12,
      "data-cell": `gaussian-${j + 1}`,
    });
    p.text(`norm${j}`, p.width, y + 19, fmt(-dot(key, key) / 2), {
      anchor: "end",
      weight: 650,
      "data-cell": `norm-${j + 1}`,
    });
  });
}

const COLUMNS = [
  ["parameters", "parameters"],
  ["multiply_adds", "multiply-adds"],
  ["largest", "largest tensor"],
];

function drawCosts(p, view) {
  p.text("title", 0, 15, "What a table of T × S scores costs", { weight: 650, size: 14 });
  p.text("log", 0, 33, "bars: logarithmic, each column has a scale of its own", { size: 12, colour: COLOUR.muted });
  const left = p.narrow ? 0 : 118;
  const gap = p.narrow ? 10 : 20;
  const wide = (p.width - left - 2 * gap) / 3;
  const high = p.narrow ? 56 : 38;
  COLUMNS.forEach(([, label], c) =>
    p.text(`head${c}`, left + c * (wide + gap), 58, label, { size: 12.5, colour: COLOUR.muted }),
  );
  const tops = COLUMNS.map(([name]) => Math.max(...view.costs.map((one) => one[name])));
  SCORES.forEach(([name, , label], i) => {
    const y = 68 + i * high;
    const chosen = name === view.name;
    if (chosen) p.rect("chosen", -8, y - 1, p.width + 16, high - 2, { fill: COLOUR.grid, opacity: 0.6, rx: 6 });
    p.text(`name${i}`, 0, y + (p.narrow ? 15 : 22), label, { weight: chosen ? 700 : 500 });
    COLUMNS.forEach(([what], c) => {
      const count = view.costs[i][what];
      const [x, base] = [left + c * (wide + gap), y + (p.narrow ? 18 : 0)];
      const part = count > 0 ? Math.log1p(count) / Math.log1p(tops[c]) : 0;
      p.text(`count${i}-${c}`, x, base + 16, count === 0 ? "none" : big(count), {
        size: 13,
        "data-cell": `${name}-${what}`,
        "data-count": count,
      });
      p.rect(`bar${i}-${c}`, x, base + 22, Math.max(count > 0 ? 2 : 0, wide * part), 7, { fill: COLOUR.weight, rx: 2 });
    });
  });
}

function render({ model, el }) {
  const fig = figure({
    model,
    el,
    title: "Five ways to score a key",
    hint:
      "Drag the query q or a key, or move it with the arrow keys. Violet: score above zero; grey, dashed: below; " +
      "thick line: zero.",
  });
  fig.stage({
    label: (view) =>
      `Plane of keys: query at ${view.query.map((v) => fmt(v)).join(", ")}; level lines of the ${view.label} score`,
    basis: 340,
    grow: 3,
    height: (width) => width + 16,
    draw: (p, view) => drawPlane(p, view, fig),
  });
  fig.stage({
    label: (view) =>
      `Weights of the four keys: ${view.weights.map((a) => fmt(a, 3)).join(", ")}. Dot product ` +
      `${view.dots.map((a) => fmt(a, 3)).join(", ")}; Gaussian ` +
      `${view.gaussians.map((a) => fmt(a, 3)).join(", ")}`,
    basis: 230,
    grow: 2,
    height: 410,
    draw(p, view) {
      p.group("weights", {}, (g) => drawWeights(g, view));
      p.group("pair", { transform: "translate(0 210)" }, (g) => drawPair(g, view));
    },
  });
  const select = fig.select("score", { label: "Score", options: SCORES.map(([name, text]) => [name, text]) });
  select.style.minWidth = select.parentNode.style.minWidth = "0"; // the longest formula is wider than a phone
  fig.checkbox("on_circle", { label: "Keys on a circle (equal norms)" });
  fig.reset(["query", "key", "d", "h", "num_queries", "num_keys"]);
  fig.output("difference", { label: "dot − Gaussian", digits: 3, note: "largest difference" });
  range(4).forEach((j) => fig.output(`weight_${j + 1}`, { label: `weight of k${subscript(j)}`, digits: 3 }));

  fig.card.querySelector(".ab-outputs").style.gridTemplateColumns = "repeat(auto-fit,minmax(104px,1fr))";

  const costs = figure({
    model,
    el,
    title: "… and what they cost",
    hint: "Queries and keys of size d; T queries, S keys; h hidden units in the additive score.",
  });
  costs.card.style.marginTop = "0.75rem";
  costs.stage({
    label(view) {
      const lines = SCORES.map(([, , label], i) => {
        const { parameters, multiply_adds, largest } = view.costs[i];
        return `${label}: ${parameters} parameters, ${multiply_adds} multiply-adds, largest tensor ${largest}`;
      });
      return `Costs: ${lines.join("; ")}`;
    },
    height: (width) => 68 + SCORES.length * (width < NARROW ? 56 : 38) + 4,
    draw: drawCosts,
  });
  const power = { min: 0, max: SIZES.length - 1, values: SIZES, format: (v) => String(v) };
  costs.slider("d", { label: "size d", ...power });
  costs.slider("h", { label: "hidden units h", ...power });
  costs.slider("num_queries", { label: "queries T", ...power });
  costs.slider("num_keys", { label: "keys S", ...power });
  costs.card.querySelector(".ab-outputs").style.gridTemplateColumns = "repeat(auto-fit,minmax(104px,1fr))";
  const shortName = (name) => SCORES.find(([one]) => one === name)[2];
  costs.output("multiply_adds", { label: "multiply-adds, chosen score", format: big, note: "× 2 = FLOPs" });
  costs.output("parameters", { label: "its parameters", format: big });
  costs.output("tanh", { label: "its tanh evaluations", format: big });
  costs.output("largest", { label: "its largest tensor", format: big, note: "numbers" });
  costs.output("ratio", { label: "additive ÷ dot product, multiply-adds", format: (v) => `× ${fmtShort(v)}` });

  const stopFirst = fig.start((state) => {
    const [name, query, circle, radius] = ["score", "query", "on_circle", "radius"].map(state);
    const parameters = { weight: state("weight"), W_q: state("W_q"), W_k: state("W_k"), w_v: state("w_v") };
    const keys = circle ? onCircle(state("key"), radius) : state("key");
    const scores = scoreAll(name, query, keys, parameters);
    const weights = softmax(scores);
    const dots = softmax(scoreAll("dot", query, keys));
    const gaussians = softmax(scoreAll("gaussian", query, keys));
    const difference = largestDifference(dots, gaussians);
    fig.show({ difference, ...Object.fromEntries(weights.map((weight, j) => [`weight_${j + 1}`, weight])) });
    fig.say(sayPair(keys, circle, difference));
    const bent =
      name === "multiplicative"
        ? [0, 1].map((i) =>
            dot(
              query,
              parameters.weight.map((row) => row[i]),
            ),
          )
        : null;
    return {
      name,
      label: shortName(name),
      bent,
      query,
      keys,
      circle,
      radius,
      scores,
      weights,
      dots,
      gaussians,
      field: sampleScores(name, query, parameters),
    };
  });
  const stopSecond = costs.start((state) => {
    const sizes = Object.fromEntries(["d", "h", "num_queries", "num_keys"].map((name) => [name, state(name)]));
    const all = SCORES.map(([name]) => cost(name, sizes));
    const name = state("score");
    const chosen = cost(name, sizes);
    const [plain, additive] = [cost("dot", sizes), cost("additive", sizes)];
    const ratio = additive.multiply_adds / plain.multiply_adds;
    const { multiply_adds, parameters, tanh, largest } = chosen;
    costs.show({ multiply_adds, parameters, tanh, largest, ratio });
    costs.say(sayCosts(ratio, additive, plain));
    return { name, costs: all };
  });
  return () => {
    stopFirst();
    stopSecond();
  };
}

function sayPair(keys, circle, difference) {
  const norms = keys.map((key) => -dot(key, key) / 2);
  const [low, high] = [Math.min(...norms), Math.max(...norms)];
  const rule = "−½‖q − k‖² = q·k − ½‖q‖² − ½‖k‖². The softmax cancels ½‖q‖², which every key shares";
  if (high - low < 1e-9)
    return (
      `${rule}, and here ½‖k‖² too: all keys have norm ${fmt(Math.sqrt(-2 * high))}, so both scores give the ` +
      "same weights."
    );
  return (
    `${rule}; it keeps −½‖k‖², here from ${fmt(low)} to ${fmt(high)}. The weights differ by up to ` +
    `${fmt(difference, 3)}: the Gaussian holds long keys back.`
  );
}

function sayCosts(ratio, additive, plain) {
  const words =
    ratio < 1
      ? `Here the additive score gets by with ${fmt(ratio)} of the dot product's multiply-adds, but it needs`
      : `Here the additive score needs ${fmtShort(ratio)} times the dot product's multiply-adds, and`;
  return (
    `${words} ${big(additive.tanh)} tanh and a tensor of ${big(additive.largest)} numbers where the dot product ` +
    `keeps ${big(plain.largest)}.`
  );
}

export default {
  render,
  math: { score, scoreAll, onCircle, largestDifference, cost, levelStep, region, joinPieces, sampleScores },
};
