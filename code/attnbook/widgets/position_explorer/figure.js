/* The position explorer: sinusoidal positions as waves, as rotations and as similarities, and what they are for:
 * attention on shuffled words. Position p is drawn in the query's colour, position p + k in the key's. */

const P = 48; // positions that are drawn
const VIEWS = [
  ["encoding", "Waves"],
  ["similarity", "Similarity"],
  ["shuffle", "Shuffle"],
];
const BASES = [2, 3, 5, 10, 30, 100, 300, 1000, 3000, 10000, 30000, 100000, 1000000];

// ---- the mathematics -----------------------------------------------------------------------------

const frequencyOf = (i, D, base) => base ** ((-2 * i) / D);
const pairs = (D) => Math.ceil(D / 2);

// One row: sin(p ω_0), cos(p ω_0), sin(p ω_1), …; an odd D ends in a sine.
function encodingRow(p, D, base) {
  return range(D).map((f) => {
    const angle = p * frequencyOf(Math.floor(f / 2), D, base);
    return f % 2 ? Math.cos(angle) : Math.sin(angle);
  });
}

const encoding = (count, D, base) => range(count).map((p) => encodingRow(p, D, base));
const gramMatrix = (rows) => rows.map((a) => rows.map((b) => dot(a, b)));

// [sin a, cos a] → [sin(a + angle), cos(a + angle)]: the matrix [[cos, sin], [−sin, cos]] of the angle.
const rotatePair = ([s, c], angle) => [
  s * Math.cos(angle) + c * Math.sin(angle),
  c * Math.cos(angle) - s * Math.sin(angle),
];

// How far the similarity of two positions depends on anything but their offset.
const offsetSpread = (gram) =>
  Math.max(...gram.flatMap((row, p) => row.slice(p).map((g, k) => Math.abs(g - gram[0][k]))));

// The first offset after which the similarity rises again; null if it never does.
function firstRise(similarities) {
  const k = similarities.findIndex((s, i) => i + 1 < similarities.length && similarities[i + 1] > s + 1e-9);
  return k < 0 ? null : k;
}

// A word's embedding: seeded by its letters, so that the same word always has the same one.
function wordVector(word, D) {
  const seed = [...word].reduce((h, letter) => (h * 31 + letter.codePointAt(0)) % 1000003, 7);
  return Array.from(seededNormals(seed, D), (v) => 0.7 * v);
}

// Attention without parameters: the sequence is its own queries, keys and values.
function selfAttention(x) {
  const weights = x.map((q) => softmax(x.map((k) => dot(q, k) / Math.sqrt(q.length))));
  return weights.map((row) => x[0].map((_, f) => sum(row.map((a, j) => a * x[j][f]))));
}

function outputsOf(words, D, base, positions) {
  return selfAttention(
    words.map((word, p) => {
      const place = encodingRow(p, D, base);
      return wordVector(word, D).map((v, f) => v + (positions ? place[f] : 0));
    }),
  );
}

const apart = (a, b) => Math.max(...a.map((v, i) => Math.abs(v - b[i])));

const permutations = (xs) =>
  xs.length < 2
    ? [xs]
    : xs.flatMap((x, i) => permutations([...xs.slice(0, i), ...xs.slice(i + 1)]).map((rest) => [x, ...rest]));

// How far apart two collections of vectors are, whatever their order: 0 if they are the same multiset.
const multisetDistance = (xs, ys) =>
  Math.min(...permutations(range(xs.length)).map((order) => Math.max(...order.map((j, i) => apart(xs[i], ys[j])))));

// Outputs of the sentence and of its shuffled words; by how much each shuffled word's own output has changed.
function shuffled(words, order, D, base, positions) {
  const first = outputsOf(words, D, base, positions);
  const second = outputsOf(
    order.map((i) => words[i]),
    D,
    base,
    positions,
  );
  return {
    first,
    second,
    changes: order.map((i, j) => apart(first[i], second[j])),
    distance: multisetDistance(first, second),
  };
}

// The order after a seeded shuffle, never the one that is there already.
function nextOrder(order, seed) {
  const drawn = seededUniforms(101 + 7 * seed, order.length);
  const next = range(order.length).sort((a, b) => drawn[a] - drawn[b]);
  return String(next) === String(order) ? [...next.slice(1), next[0]] : next;
}

// ---- the drawing ---------------------------------------------------------------------------------

const ENDS = [
  [140, 98, 20],
  [255, 255, 255],
  [75, 63, 168],
]; // ochre −1, white 0, blue-violet 1

function signedFill(v) {
  const size = Math.min(1, Math.abs(v));
  const end = ENDS[v < 0 ? 0 : 2];
  return `rgb(${range(3)
    .map((c) => Math.round(255 + (end[c] - 255) * size))
    .join(",")})`;
}

const signedInk = (v) => (Math.abs(v) > 0.6 ? "#ffffff" : "#1f2430");
const pairText = (pair) => `(${pair.map((v) => fmt(v)).join(", ")})`;

// A heat map in few elements: one path for each of 21 shades, cells of one shade side by side in one piece.
function heat(p, key, rows, { left, top, wide, tall, limit = 1 }) {
  const shades = new Map();
  const round = (v) => Math.round(v * 10) / 10;
  rows.forEach((row, i) => {
    const levels = row.map((v) => Math.round(10 * clamp(v / limit, -1, 1)));
    for (let j = 0; j < row.length;) {
      let end = j + 1;
      while (end < row.length && levels[end] === levels[j]) end += 1;
      const piece =
        `M${round(left + j * wide)} ` +
        `${round(top + i * tall)}h${round((end - j) * wide)}v${round(tall)}h-${round((end - j) * wide)}z`;
      shades.set(levels[j], (shades.get(levels[j]) || "") + piece);
      j = end;
    }
  });
  p.group(key, { "aria-hidden": "true", "shape-rendering": "crispEdges" }, (g) => {
    [...shades]
      .sort(([a], [b]) => a - b)
      .forEach(([level, d]) => g.add("path", `shade${level}`, { d, fill: signedFill(level / 10) }));
    g.rect("frame", left, top, rows[0].length * wide, rows.length * tall, {
      fill: "none",
      stroke: COLOUR.line,
      "stroke-width": 1,
    });
  });
}

// The key to the colours, −limit … limit.
function shadeKey(p, key, x, y, limit) {
  const text = (v) => String(Number(v.toPrecision(2))).replace("-", "−");
  p.group(key, { "aria-hidden": "true" }, (g) => {
    g.text("low", x, y, text(-limit), { size: 12, colour: COLOUR.muted, anchor: "end" });
    range(11).forEach((i) => g.rect(`box${i}`, x + 6 + 6 * i, y - 10, 6.5, 11, { fill: signedFill((i - 5) / 5) }));
    g.rect("frame", x + 6, y - 10, 66.5, 11, { fill: "none", stroke: COLOUR.line, "stroke-width": 1 });
    g.text("high", x + 78, y, text(limit), { size: 12, colour: COLOUR.muted });
  });
}

const MAP = { top: 46, tall: 5.6, bottom: 46 };
const mapHeight = MAP.top + P * MAP.tall + MAP.bottom;

function positionLine(p, key, y, left, right, colour, dash) {
  p.line(key, left, y, right, y, {
    stroke: colour,
    "stroke-width": 2,
    "stroke-dasharray": dash,
    "pointer-events": "none",
  });
}

function drawMap(p, view, fig) {
  const { rows, at, k, D, i, omega } = view;
  const waves = Math.max(90, Math.round(p.width * 0.27));
  const left = 44;
  const wide = (p.width - left - waves - 40) / D;
  const right = left + D * wide;
  const y = linear([0, P], [MAP.top, MAP.top + P * MAP.tall]);
  const middle = (q) => y(q + 0.5);
  const lone = 2 * i + 1 >= D;
  p.text("title", 0, 15, "PE: positions down, features across", { weight: 650, size: 14 });
  heat(p, "map", rows, { left, top: MAP.top, wide, tall: MAP.tall });
  shadeKey(p, "key", left + 18, y(P) + 40, 1);
  p.rect("choose", left, MAP.top, D * wide, P * MAP.tall, {
    fill: "transparent",
    cursor: "pointer",
    onclick: (event) =>
      fig.set({ frequency: clamp(Math.floor((p.where(event)[0] - left) / wide / 2), 0, pairs(D) - 1) }),
  });
  p.group("axis", { "aria-hidden": "true" }, (g) => {
    range(0, P)
      .filter((q) => q % 8 === 0)
      .forEach((q) =>
        g.text(`p${q}`, left - 20, middle(q) + 4, String(q), { size: 12, anchor: "end", colour: COLOUR.muted }),
      );
    const every = Math.ceil(D / (p.narrow ? 5 : 8) / 2) * 2;
    range(D)
      .filter((f) => f % every === 0)
      .forEach((f) =>
        g.text(`f${f}`, left + (f + 0.5) * wide, y(P) + 16, String(f), {
          size: 12,
          anchor: "middle",
          colour: COLOUR.muted,
        }),
      );
  });
  p.rect("pair", left + 2 * i * wide, MAP.top - 1, (lone ? 1 : 2) * wide, P * MAP.tall + 2, {
    fill: "none",
    stroke: COLOUR.accent,
    "stroke-width": 2.5,
    rx: 2,
    "pointer-events": "none",
  });
  p.text("which", left, MAP.top - 9, `i = ${i}`, { size: 13, colour: COLOUR.accent, weight: 650 });
  // the waves of the chosen pair, on the same axis of positions
  const x = linear([-1, 1], [right + 18, p.width - 24]);
  p.group("waves", { "aria-hidden": "true" }, (g) => {
    g.rect("ground", x(-1), MAP.top, x(1) - x(-1), P * MAP.tall, { fill: "var(--ab-panel,#f6f7fa)", rx: 4 });
    g.line("zero", x(0), MAP.top, x(0), y(P), { stroke: COLOUR.line, "stroke-width": 1 });
    const fine = linspace(0, P - 1, 4 * P - 3);
    g.path(
      "sine",
      fine.map((q) => [x(Math.sin(q * omega)), middle(q)]),
      { stroke: COLOUR.ink, "stroke-width": 2 },
    );
    if (!lone)
      g.path(
        "cosine",
        fine.map((q) => [x(Math.cos(q * omega)), middle(q)]),
        { stroke: COLOUR.muted, "stroke-width": 2, "stroke-dasharray": "5 4" },
      );
    [-1, 0, 1].forEach((v) =>
      g.text(`t${v}`, x(v), y(P) + 16, fmt(v, 0), { size: 12, anchor: "middle", colour: COLOUR.muted }),
    );
    g.line("sineKey", x(-1), MAP.top - 13, x(-1) + 16, MAP.top - 13, { stroke: COLOUR.ink, "stroke-width": 2 });
    g.text("sineName", x(-1) + 20, MAP.top - 9, "sin", { size: 12.5 });
    if (!lone) {
      g.line("cosineKey", x(-1) + 48, MAP.top - 13, x(-1) + 64, MAP.top - 13, {
        stroke: COLOUR.muted,
        "stroke-width": 2,
        "stroke-dasharray": "5 4",
      });
      g.text("cosineName", x(-1) + 68, MAP.top - 9, "cos", { size: 12.5 });
    }
  });
  positionLine(p, "line", middle(at), left, x(1), COLOUR.query);
  positionLine(p, "line2", middle(at + k), left, x(1), COLOUR.key, "6 3");
  const shift = linear([0, P], [MAP.top + MAP.tall / 2, MAP.top + (P + 0.5) * MAP.tall]);
  p.handle("position", {
    y: shift,
    at: [left - 9, at],
    axis: "y",
    step: 1,
    min: [0, 0],
    max: [0, 31],
    size: 7,
    colour: COLOUR.query,
    label: "position p",
    text: `p = ${at}`,
    onMove: ([, to]) => fig.set({ position: Math.round(to) }),
  });
  p.handle("second", {
    y: shift,
    at: [p.width - 9, at + k],
    axis: "y",
    step: 1,
    min: [0, at],
    max: [0, at + 16],
    size: 7,
    colour: COLOUR.key,
    shape: "diamond",
    label: "position p + k",
    text: `p + k = ${at + k}`,
    onMove: ([, to]) => fig.set({ offset: Math.round(to) - at }),
  });
}

function drawCircle(p, view) {
  const { at, k, i, omega, here, there, angle } = view;
  const lone = here.length < 2;
  p.text("title", 0, 15, lone ? `Frequency i = ${i}: a sine alone` : `Pair i = ${i}: a turn by kω`, {
    weight: 650,
    size: 14,
  });
  const size = Math.min(p.width - 92, mapHeight - 116); // beside the circle there is room for p+k
  const [cx, cy, r] = [p.width / 2, 42 + size / 2, size / 2];
  const line = (n) => mapHeight - 48 + 20 * n; // of the words below
  const put = (turn, far = 1) => [cx + r * far * Math.cos(turn), cy - r * far * Math.sin(turn)];
  p.group("axes", { "aria-hidden": "true" }, (g) => {
    g.circle("disk", cx, cy, r, { fill: "var(--ab-panel,#f6f7fa)", stroke: COLOUR.line, "stroke-width": 1.5 });
    g.line("x", cx - r, cy, cx + r, cy, { stroke: COLOUR.line, "stroke-width": 1 });
    g.line("y", cx, cy - r, cx, cy + r, { stroke: COLOUR.line, "stroke-width": 1 });
    g.text("sin", cx + 5, cy - r + 15, "sin", { size: 12.5, italic: true, colour: COLOUR.muted });
    if (!lone)
      g.text("cos", cx + r - 5, cy - 6, "cos", { size: 12.5, italic: true, anchor: "end", colour: COLOUR.muted });
    g.text(
      "axesNames",
      cx,
      line(0),
      lone ? `up: feature ${2 * i}, sin pω` : `up: feature ${2 * i}, sin pω · across: ${2 * i + 1}, cos pω`,
      { size: 12.5, anchor: "middle", colour: COLOUR.muted },
    );
  });
  if (lone) {
    // a sine without its cosine: a height, and no point of the circle
    [
      [at, here[0], COLOUR.query, undefined],
      [at + k, there[0], COLOUR.key, "6 3"],
    ].forEach(([, s, colour, dash], j) => {
      p.line(`level${j}`, cx - r, cy - r * s, cx + r, cy - r * s, {
        stroke: colour,
        "stroke-width": 2.5,
        "stroke-dasharray": dash,
      });
    });
    p.text("why", cx, line(1), "a sine without its cosine:", { size: 13, anchor: "middle" });
    p.text("why2", cx, line(2), "no point, so nothing to turn", { size: 13, anchor: "middle" });
    return;
  }
  const [from, to] = [at * omega, (at + k) * omega];
  const steps = Math.max(2, Math.ceil(Math.abs(angle) / 0.1));
  const spiral = linspace(0, 1, steps + 1).map((part) =>
    put(from + part * angle, 0.34 + 0.3 * part * Math.min(1, angle / (2 * Math.PI))),
  );
  [
    [from, COLOUR.query, undefined, "arm"],
    [to, COLOUR.key, "6 3", "arm2"],
  ].forEach(([turn, colour, dash, key]) => {
    p.line(key, cx, cy, ...put(turn), {
      stroke: colour,
      "stroke-width": 2.5,
      "stroke-dasharray": dash,
      "stroke-linecap": "round",
    });
  });
  if (k > 0) {
    p.path("turn", spiral, { stroke: COLOUR.accent, "stroke-width": 2.5 });
    const [[ax, ay], [bx, by]] = [spiral.at(-2), spiral.at(-1)];
    const length = Math.hypot(bx - ax, by - ay) || 1;
    const [ux, uy] = [(bx - ax) / length, (by - ay) / length];
    p.path(
      "tip",
      [
        [bx + 3 * ux, by + 3 * uy],
        [bx - 8 * ux - 5 * uy, by - 8 * uy + 5 * ux],
        [bx - 8 * ux + 5 * uy, by - 8 * uy - 5 * ux],
      ],
      { close: true, fill: COLOUR.accent },
    );
  }
  const name = (key, turn, string, colour, shape) => {
    const [x, y] = put(turn);
    p.mark(key, shape, x, y, 7, { fill: colour, stroke: COLOUR.ground, "stroke-width": 2 });
    const outside = put(turn, 1 + 16 / r);
    p.text(`${key}Name`, outside[0], outside[1] + 5, string, {
      size: 14,
      weight: 650,
      italic: true,
      anchor: outside[0] < cx - 10 ? "end" : outside[0] > cx + 10 ? "start" : "middle",
      halo: true,
      colour,
    });
  };
  const close = Math.cos(to - from) > 0.93;
  name("second", to, close ? "" : "p+k", COLOUR.key, "diamond");
  name("first", from, close ? (k ? "p, p+k" : "p") : "p", COLOUR.query, "circle");
  p.text(
    "angle",
    cx,
    line(1),
    `kω = ${k} · ${fmtShort(omega)} = ${fmtShort(angle)} = ${fmt((angle * 180) / Math.PI, 0)}°`,
    { size: 13, anchor: "middle", weight: 650, colour: COLOUR.accent },
  );
  p.text("one", cx, line(2), `a full turn takes ${fmtShort((2 * Math.PI) / omega)} positions`, {
    size: 12.5,
    anchor: "middle",
    colour: COLOUR.muted,
  });
}

function drawRows(p, view) {
  const { rows, at, k, D, i } = view;
  const plot = p.plot({ top: p.narrow ? 54 : 34, right: 4, bottom: 36, left: 34 });
  const x = linear([-0.5, D - 0.5], [plot.left, plot.right]);
  const y = linear([-1.15, 1.15], [plot.bottom, plot.top]);
  p.text("title", 0, 15, "The two rows as vectors", { weight: 650, size: 14 });
  const wide = x(1) - x(0);
  p.rect("pair", x(2 * i - 0.5), plot.top, Math.min(2, D - 2 * i) * wide, plot.height, {
    fill: COLOUR.accent,
    "fill-opacity": 0.12,
    rx: 3,
  });
  const every = Math.ceil(D / (plot.width / 30));
  p.axes("axes", { plot, x, y, xTicks: range(D).filter((f) => f % every === 0), yTicks: [-1, 0, 1], grid: false });
  p.line("zero", plot.left, y(0), plot.right, y(0), { stroke: COLOUR.line, "stroke-width": 1 });
  p.text("features", plot.right, plot.bottom + 33, "feature", { size: 12.5, anchor: "end", colour: COLOUR.muted });
  const shift = Math.min(5, wide / 5);
  [
    [at, -shift, COLOUR.query, "circle", undefined],
    [at + k, shift, COLOUR.key, "diamond", "3 2"],
  ].forEach(([q, dx, colour, shape, dash], j) => {
    rows[q].forEach((v, f) => {
      p.line(`stem${j}-${f}`, x(f) + dx, y(0), x(f) + dx, y(v), {
        stroke: colour,
        "stroke-width": 2,
        "stroke-dasharray": dash,
      });
      p.mark(`mark${j}-${f}`, shape, x(f) + dx, y(v), D > 20 ? 2.8 : 3.6, { fill: colour, "data-entry": `${q}-${f}` });
    });
  });
  p.legend("legend", p.narrow ? plot.left : p.width - 200, p.narrow ? 38 : 15, [
    { label: `PE(${at})`, colour: COLOUR.query, mark: "circle" },
    { label: `PE(${at + k})`, colour: COLOUR.key, mark: "diamond" },
  ]);
}

function drawGram(p, view, fig) {
  const { gram, at, k, D } = view;
  const left = 44;
  const tall = Math.min((p.width - left - 24) / P, MAP.tall);
  const bottom = MAP.top + P * tall;
  const limit = Math.max(...gram.map((row, q) => row[q]));
  p.text("title", 0, 15, "PE(p) · PE(p′): p down, p′ across", { weight: 650, size: 14 });
  heat(p, "map", gram, { left, top: MAP.top, wide: tall, tall, limit });
  shadeKey(p, "key", left + 24, MAP.top - 12, limit);
  p.group("axis", { "aria-hidden": "true" }, (g) =>
    range(0, P)
      .filter((q) => q % 8 === 0)
      .forEach((q) => {
        g.text(`p${q}`, left - 20, MAP.top + (q + 0.5) * tall + 4, String(q), {
          size: 12,
          anchor: "end",
          colour: COLOUR.muted,
        });
        g.text(`q${q}`, left + (q + 0.5) * tall, bottom + 16, String(q), {
          size: 12,
          anchor: "middle",
          colour: COLOUR.muted,
        });
      }),
  );
  const y = MAP.top + at * tall;
  p.rect("row", left - 1, y - 1, P * tall + 2, tall + 2, {
    fill: "none",
    stroke: COLOUR.query,
    "stroke-width": 2,
    "pointer-events": "none",
  });
  p.mark("cell", "diamond", left + (at + k + 0.5) * tall, y + tall / 2, 5.5, {
    fill: COLOUR.key,
    stroke: COLOUR.ground,
    "stroke-width": 1.5,
    "pointer-events": "none",
  });
  p.handle("position", {
    y: linear([0, P], [MAP.top + tall / 2, MAP.top + (P + 0.5) * tall]),
    at: [left - 9, at],
    axis: "y",
    step: 1,
    min: [0, 0],
    max: [0, 31],
    size: 7,
    colour: COLOUR.query,
    label: "position p",
    text: `p = ${at}`,
    onMove: ([, to]) => fig.set({ position: Math.round(to) }),
  });
  p.text("D", left + P * tall, MAP.top - 12, `D = ${D}`, { size: 12.5, anchor: "end", colour: COLOUR.muted });
}

function drawSimilarity(p, view, fig) {
  const { gram, at, k } = view;
  const plot = p.plot({ top: 64, right: 10, bottom: 42, left: 40 });
  const all = gram.flat();
  const top = Math.max(...all);
  const x = linear([-at, P - 1 - at], [plot.left, plot.right]);
  const y = linear([Math.min(0, ...all), top * 1.04], [plot.bottom, plot.top]);
  p.text("title", 0, 15, `The row of p = ${at}`, { weight: 650, size: 14 });
  p.axes("axes", { plot, x, y, xLabel: "offset from p", xTicks: p.narrow ? 5 : 8, yTicks: 5 });
  p.line("self", x(0), plot.top, x(0), plot.bottom, {
    stroke: COLOUR.query,
    "stroke-width": 1.5,
    "stroke-dasharray": "2 4",
  });
  p.path(
    "row",
    gram[at].map((g, q) => [x(q - at), y(g)]),
    { stroke: COLOUR.weight, "stroke-width": 2 },
  );
  gram[at].forEach((g, q) => p.circle(`dot${q}`, x(q - at), y(g), 2.6, { fill: COLOUR.weight }));
  p.path(
    "first",
    gram[0].slice(0, P - at).map((g, q) => [x(q), y(g)]),
    { stroke: COLOUR.ink, "stroke-width": 3, "stroke-dasharray": "1 7", opacity: 0.8 },
  );
  if (view.rise !== null) {
    const [rx, ry] = [x(view.rise), y(gram[at][at + view.rise])];
    p.arrow(
      "rise",
      rx,
      ry + 34 > plot.bottom - 4 ? ry - 34 : ry + 34,
      rx,
      ry + 34 > plot.bottom - 4 ? ry - 8 : ry + 8,
      { colour: COLOUR.muted, head: 7, width: 1.6 },
    );
    p.text("riseName", rx, ry + 34 > plot.bottom - 4 ? ry - 39 : ry + 47, "rises again", {
      size: 12.5,
      anchor: "middle",
      colour: COLOUR.muted,
      halo: true,
    });
  }
  p.legend(
    "legend",
    plot.left,
    38,
    [
      { label: `PE(${at}) · PE(${at} + offset)`, colour: COLOUR.weight },
      { label: "the row of 0", colour: COLOUR.ink, mark: "dash" },
    ],
    { maxWidth: plot.width },
  );
  p.handle("offset", {
    x,
    y,
    at: [k, gram[at][at + k]],
    axis: "x",
    step: 1,
    min: [0, -Infinity],
    max: [16, Infinity],
    size: 7,
    colour: COLOUR.key,
    shape: "diamond",
    label: "offset k",
    text: `k = ${k}, similarity ${fmt(gram[at][at + k])}`,
    onMove: ([to]) => fig.set({ offset: Math.round(to) }),
  });
}

const ROW = 30;
const shuffleHeight = (n) => 24 + 2 * (30 + n * ROW) + 18;

function drawShuffle(p, view, positions) {
  const { words, order, D } = view;
  const run = positions ? view.withPositions : view.without;
  const name = positions ? "with" : "without";
  const start = 14 + Math.max(48, ...words.map((w) => w.length * 8.2)) + 8;
  const count = clamp(Math.floor((p.width - start - 112) / 48), 1, Math.min(D, 4));
  const wide = 48;
  p.text("title", 0, 15, positions ? "With positions" : "Without positions", { weight: 650, size: 14 });
  const block = (key, top, sentence, outputs, caption) => {
    p.text(`${key}-caption`, 0, top, caption, { size: 13, colour: COLOUR.muted });
    p.text(`${key}-sentence`, start, top, sentence.join(" "), { size: 13, italic: true, weight: 600 });
    sentence.forEach((word, j) => {
      const y = top + 9 + j * ROW;
      p.text(`${key}-place${j}`, 0, y + 19, String(j), { size: 12, colour: COLOUR.muted });
      p.text(`${key}-word${j}`, 14, y + 19, word, { size: 13.5, weight: 600 });
      range(count).forEach((f) => {
        const v = outputs[j][f];
        p.rect(`${key}-cell${j}-${f}`, start + f * wide, y, wide, ROW - 3, {
          fill: signedFill(v / 1.5),
          stroke: COLOUR.line,
          "stroke-width": 1,
        });
        p.text(`${key}-text${j}-${f}`, start + f * wide + wide / 2, y + 18, fmt(v), {
          size: 12.5,
          anchor: "middle",
          colour: signedInk(v / 1.5),
          "data-number": `${name}-${key}-${j}-${f}`,
        });
      });
      const end = start + count * wide;
      if (count < D) p.text(`${key}-more${j}`, end + 4, y + 18, "…", { size: 13, colour: COLOUR.muted });
      if (key === "second") {
        const same = run.changes[j] < 1e-9;
        p.text(`mark${j}`, end + 24, y + 19, same ? "= as before" : `≠ by ${fmt(run.changes[j])}`, {
          size: 13,
          weight: same ? 500 : 700,
          colour: same ? COLOUR.muted : COLOUR.ink,
        });
      }
    });
  };
  const n = words.length;
  block("first", 44, words, run.first, "original");
  block(
    "second",
    44 + 34 + n * ROW,
    order.map((i) => words[i]),
    run.second,
    "shuffled",
  );
}

function inWords(view) {
  const { at, k, D, i, omega, angle, rise, spread, gram } = view;
  if (view.show === "encoding") {
    if (2 * i + 1 >= D)
      return (
        `D = ${D} is odd, so the last frequency has its sine only. A height is no point of a circle: no matrix ` +
        "that knows k alone turns sin pω into sin (p + k)ω."
      );
    return (
      `Frequency ${i} goes round once in ${fmtShort((2 * Math.PI) / omega)} positions. From ${at} to ${at + k} ` +
      `its pair turns by ${fmt((angle * 180) / Math.PI, 0)}°: the angle depends on k = ${k} and not on p.`
    );
  }
  if (view.show === "similarity") {
    const again =
      rise === null
        ? "It falls as far as the row goes."
        : `It falls until offset ${rise} and then rises again: closer does not always mean more alike.`;
    return spread < 1e-9
      ? `With D = ${D} the similarity is Σ cos(kω): it depends on the offset only, so every row is the row of 0, ` +
          `shifted. ${again}`
      : `D = ${D} is odd: the last sine has no cosine, and the same offset gives similarities up to ` +
          `${fmtShort(spread)} apart. The row of ${at} starts at ${fmt(gram[at][at], 3)}, the row of 0 at ` +
          `${fmt(gram[0][0], 3)}.`;
  }
  const same = String(view.order) === String(range(view.words.length));
  if (same) return "Both sentences have the same order. Shuffle the words!";
  const without =
    "Without positions attention reads a bag of words: shuffling the words shuffles the outputs, and each word " +
    "keeps its own.";
  return view.withPositions.distance < 1e-9
    ? `${without} Here the words that change places are the same, so positions make no difference.`
    : `${without} With positions the outputs change: pair them as you like, some number differs by ` +
        `${fmt(view.withPositions.distance)} or more.`;
}

// The views as tabs: arrow keys go from one to the next.
function tabs(fig, model) {
  const buttons = VIEWS.map(([name, text], i) => {
    const button = html("button", {
      type: "button",
      role: "tab",
      class: "ab-button",
      text,
      "data-control": `view-${name}`,
    });
    button.onclick = () => fig.set({ view: name });
    button.onkeydown = (event) => {
      const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (!by) return;
      event.preventDefault();
      event.stopPropagation(); // JupyterLab moves between cells with the same keys
      const to = (i + by + VIEWS.length) % VIEWS.length;
      fig.set({ view: VIEWS[to][0] });
      buttons[to].focus();
    };
    return button;
  });
  const list = html(
    "div",
    {
      role: "tablist",
      "aria-label": "What to look at",
      style: "display:flex;flex-wrap:wrap;gap:0.375rem;margin-bottom:0.75rem",
    },
    ...buttons,
  );
  fig.card.querySelector(".ab-head").after(list);
  return () =>
    buttons.forEach((button, i) => {
      const on = VIEWS[i][0] === model.get("view");
      button.setAttribute("aria-selected", String(on));
      button.setAttribute("tabindex", on ? "0" : "-1");
      button.style.cssText = on
        ? "background:var(--ab-accent);border-color:var(--ab-accent);color:var(--ab-on-accent)"
        : "";
    });
}

function render({ model, el }) {
  const fig = figure({
    model,
    el,
    title: "Where a word stands, written in waves",
    hint:
      "Three looks at one encoding. Drag the blue and the orange handle, click a feature of the table, or use " +
      "the sliders.",
  });
  const showTab = tabs(fig, model);
  const parts = []; // [element, the views that show it]
  const stage = (view, options) => {
    const made = fig.stage({
      ...options,
      draw: (p, now) => {
        if (now.show === view) options.draw(p, now);
      },
    });
    parts.push([made.svg.parentElement, [view]]);
  };
  stage("encoding", {
    basis: 360,
    grow: 3,
    height: mapHeight,
    draw: (p, view) => drawMap(p, view, fig),
    label: (v) =>
      `Heat map of the encoding, ${P} positions by ${v.D} features, and the wave of frequency ${v.i}; rows ` +
      `${v.at} and ${v.at + v.k} are marked`,
  });
  stage("encoding", {
    basis: 240,
    grow: 2,
    height: mapHeight,
    draw: drawCircle,
    label: (v) =>
      `The pair of frequency ${v.i} on a circle: from position ${v.at} to ${v.at + v.k} it turns by ` +
      `${fmt((v.angle * 180) / Math.PI, 0)} degrees`,
  });
  stage("encoding", {
    height: 168,
    draw: drawRows,
    label: (v) => `The rows of positions ${v.at} and ${v.at + v.k} as vectors of ${v.D} numbers`,
  });
  stage("similarity", {
    basis: 310,
    height: (width) => MAP.top + Math.min(width - 68, P * MAP.tall) + 28,
    draw: (p, view) => drawGram(p, view, fig),
    label: (v) => `Gram matrix of ${P} positions; the row of ${v.at} is marked`,
  });
  stage("similarity", {
    basis: 310,
    height: MAP.top + P * MAP.tall + 28,
    draw: (p, view) => drawSimilarity(p, view, fig),
    label: (v) => `Similarity to position ${v.at} against the offset; at offset ${v.k} it is ${fmt(v.similarity)}`,
  });
  [false, true].forEach((positions) =>
    stage("shuffle", {
      basis: 310,
      height: () => shuffleHeight(model.get("words").length),
      draw: (p, view) => drawShuffle(p, view, positions),
      label: (v) =>
        `Outputs of attention ${positions ? "with" : "without"} positions for the two orders; the two ` +
        `collections differ by ${fmt((positions ? v.withPositions : v.without).distance)}`,
    }),
  );

  const seen = (node, views) => parts.push([node.closest(".ab-control") || node, views]);
  let round = 0;
  seen(
    fig.button(
      "Shuffle",
      () => {
        round += 1;
        fig.set({ order: nextOrder(model.get("order"), round) });
      },
      { primary: true },
    ),
    ["shuffle"],
  );
  seen(
    fig.button("Original order", () => fig.set({ order: range(model.get("words").length) })),
    ["shuffle"],
  );
  seen(fig.slider("position", { label: "Position p", min: 0, max: 31, step: 1 }), ["encoding", "similarity"]);
  seen(fig.slider("offset", { label: "Offset k", min: 0, max: 16, step: 1 }), ["encoding", "similarity"]);
  const frequency = fig.slider("frequency", { label: "Frequency i", min: 0, max: 15, step: 1 });
  seen(frequency, ["encoding"]);
  const size = fig.slider("d_model", { label: "Features D", min: 2, max: 32, step: 1 });
  size.oninput = () =>
    fig.set({ d_model: +size.value, frequency: Math.min(model.get("frequency"), pairs(+size.value) - 1) });
  fig.slider("base", { label: "Base", values: BASES, format: (b) => String(b) });
  fig.reset(["order"]);

  const output = (name, views, options) => {
    fig.output(name, options);
    seen(fig.card.querySelector(`.ab-outputs output[data-value="${name}"]`).parentElement, views);
  };
  output("omega", ["encoding"], { label: "frequency ω", format: fmtShort, note: "base^(−2i/D)" });
  output("here", ["encoding"], { label: "pair at p", note: "(sin pω, cos pω)" });
  output("turned", ["encoding"], { label: "turned by kω", note: "Rₖ · pair at p" });
  output("there", ["encoding"], { label: "pair at p + k", note: "from the table" });
  output("similarity", ["similarity"], { label: "PE(p) · PE(p + k)", digits: 3 });
  output("rise", ["similarity"], { label: "first rise", format: String, note: "after this offset" });
  output("spread", ["similarity"], {
    label: "same offset, elsewhere",
    format: (x) => (x < 1e-9 ? "0" : fmtShort(x)),
    note: "largest difference",
  });
  output("without", ["shuffle"], {
    label: "without positions",
    digits: 3,
    note: "the outputs, in any order, differ by",
  });
  output("with", ["shuffle"], { label: "with positions", digits: 3, note: "the outputs, in any order, differ by" });

  // room for a pair
  fig.card.querySelector(".ab-outputs").style.gridTemplateColumns = "repeat(auto-fit,minmax(132px,1fr))";

  let drawn = null; // the encoding and its Gram matrix, kept while D and base stay
  return fig.start((state) => {
    const [show, at, k, D, base] = ["view", "position", "offset", "d_model", "base"].map(state);
    const i = Math.min(state("frequency"), pairs(D) - 1);
    frequency.max = pairs(D) - 1;
    frequency.style.setProperty("--ab-part", `${(100 * i) / (pairs(D) - 1 || 1)}%`);
    frequency.value = i;
    showTab();
    parts.forEach(([node, views]) => {
      node.style.display = views.includes(show) ? "" : "none";
    });
    if (!drawn || drawn.D !== D || drawn.base !== base) {
      const rows = encoding(P, D, base);
      drawn = { D, base, rows, gram: gramMatrix(rows) };
      drawn.spread = offsetSpread(drawn.gram);
    }
    const { rows, gram, spread } = drawn;
    const omega = frequencyOf(i, D, base);
    const angle = k * omega;
    const pair = (q) => rows[q].slice(2 * i, 2 * i + 2);
    const [words, order] = [state("words"), state("order")];
    const view = {
      show,
      at,
      k,
      D,
      base,
      i,
      rows,
      gram,
      spread,
      omega,
      angle,
      here: pair(at),
      there: pair(at + k),
      similarity: gram[at][at + k],
      rise: firstRise(gram[at].slice(at)),
      words,
      order,
      without: shuffled(words, order, D, base, false),
      withPositions: shuffled(words, order, D, base, true),
    };
    fig.show({
      omega,
      here: pairText(view.here),
      turned: view.here.length < 2 ? null : pairText(rotatePair(view.here, angle)),
      there: pairText(view.there),
      similarity: view.similarity,
      rise: view.rise === null ? "never" : `k = ${view.rise}`,
      spread,
      without: view.without.distance,
      with: view.withPositions.distance,
    });
    fig.say(inWords(view));
    return view;
  });
}

export default {
  render,
  math: {
    frequencyOf,
    encoding,
    gramMatrix,
    rotatePair,
    offsetSpread,
    firstRise,
    wordVector,
    selfAttention,
    multisetDistance,
    shuffled,
    nextOrder,
  },
};
