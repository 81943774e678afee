/* The plane, the weights, dot product against Gaussian, and the table of costs. */

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
    name(`keyName${j}`, `k${subscript(j)}`, key, COLOUR.keyInk);
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
    p.text(`name${j}`, 0, y + 17, `k${subscript(j)}`, { colour: COLOUR.keyInk, weight: 700, size: 14 });
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
    p.text(`name${j}`, 0, y + 19, `k${subscript(j)}`, { colour: COLOUR.keyInk, weight: 700, size: 14 });
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
  p.text("log", 0, 33, "bars: logarithmic, with its own scale in each column", { size: 12, colour: COLOUR.muted });
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
