/* The two planes, the bars, and the numbers as a table. */

import { clamp, COLOUR, columns, fmt, fmtShort, html, range, say } from "../kit/kit.js";
import { linear } from "../kit/paint.js";
import { textWidth } from "../kit/words.js";
import { borders, convexHull, REACH, winningRegions } from "./maths.js";

// The example's words, with invented numbers: a key says what a word is, a value where one meets it and how loud.
export const WORDS = [say("horse"), say("tree"), say("piano"), say("candle"), say("mouse")];
const KEY_AXES = { x: [say("thing"), say("animal")], y: [say("small"), say("big")] };
const VALUE_AXES = { x: [say("indoors"), say("outdoors")], y: [say("quiet"), say("loud")] };

// What lies where in a plane: three names along the first axis, in three rows along the second.
const QUESTIONS = [
  [say("a small thing"), say("something small"), say("a small animal")],
  [say("a thing"), say("anything"), say("an animal")],
  [say("a big thing"), say("something big"), say("a big animal")],
];
const ANSWERS = [
  [say("indoors and quiet"), say("quiet, neither indoors nor outdoors"), say("outdoors and quiet")],
  [say("indoors, neither quiet nor loud"), say("a bit of everything"), say("outdoors, neither quiet nor loud")],
  [say("indoors and loud"), say("loud, neither indoors nor outdoors"), say("outdoors and loud")],
];
const third = (v) => (v > 0.4 ? 2 : v < -0.4 ? 0 : 1); // of an axis: 1 near the middle

export const questionOf = ([x, y]) => QUESTIONS[third(y)][third(x)];
export const answerOf = ([x, y]) => ANSWERS[third(y)][third(x)];

const sub = (name, j) => name + "₁₂₃₄₅₆₇₈"[j];
export const place = ([x, y]) => `(${fmt(x)}, ${fmt(y)})`;
export const percent = (a) => (a > 0 && a < 0.005 ? say("less than 1 %") : `${fmt(100 * a, 0)} %`);

// Which key wins, for those who do not see it.
export const bestOf = ({ winner, named }) =>
  winner < 0 ? say("several keys tie") : named ? say`${WORDS[winner]} fits best` : say`key ${winner + 1} answers best`;

// A plane with equal units both ways, as wide as the stage; what is drawn in it may stand on its rim. The ends of its
// axes have names, if the example has.
function plane(p, title, note, axes) {
  const plot = p.plot({ top: 28, right: 1, bottom: 1, left: 1 });
  const unit = Math.min(plot.width, plot.height) / (2 * REACH + 0.5);
  const [cx, cy] = [plot.left + plot.width / 2, plot.top + plot.height / 2];
  const x = linear([-REACH, REACH], [cx - REACH * unit, cx + REACH * unit]);
  const y = linear([-REACH, REACH], [cy + REACH * unit, cy - REACH * unit]);
  p.text("title", 2, 15, title, { weight: 650, size: 14 });
  p.rect("ground", plot.left, plot.top, plot.width, plot.height, { fill: COLOUR.panel, rx: 8 });
  p.group("grid", { "aria-hidden": "true" }, (g) => {
    range(-2, 3).forEach((v) => {
      const look = { stroke: v === 0 ? COLOUR.line : COLOUR.grid, "stroke-width": 1 };
      g.line(`x${v}`, x(v), plot.top + 1, x(v), plot.bottom - 1, look);
      g.line(`y${v}`, plot.left + 1, y(v), plot.right - 1, y(v), look);
    });
  });
  if (axes) {
    const end = (key, px, py, string, anchor) =>
      p.text(key, px, py, string, { anchor, size: 12.5, italic: true, colour: COLOUR.muted, "aria-hidden": "true" });
    end("low-x", plot.left + 7, cy - 6, `← ${axes.x[0]}`, "start");
    end("high-x", plot.right - 7, cy - 6, `${axes.x[1]} →`, "end");
    const keys = axes === KEY_AXES; // whose dashed ties pass near the axis
    end("low-y", cx + (keys ? 22 : 6), plot.bottom - (keys ? 26 : 8), `↓ ${axes.y[0]}`, "start");
    const high = axes.y[1]; // in Chinese its characters, and those of a word below it, fill their lines
    const line = columns(high) > high.length ? 14 : 17;
    end("high-y", cx + (keys ? -6 : 6), plot.top + line, `↑ ${high}`, keys ? "end" : "start");
  }
  if (note) p.text("note", plot.right - 8, plot.bottom - 8, note, { anchor: "end", size: 12, colour: COLOUR.muted });
  return { plot, x, y, at: (point) => [x(point[0]), y(point[1])] };
}

const INSIDE = { size: 15, weight: 650, italic: true, anchor: "middle", "pointer-events": "none" };

// A word above or below a point; a symbol beside it: on the side away from the middle of the plane.
function nameTag(p, key, { plot, x, y }, point, string, distance, word) {
  if (word) {
    const half = textWidth(string, 15) / 2;
    const [middle, below] = [clamp(x(point[0]), plot.left + half + 3, plot.right - half - 3), point[1] < 0];
    p.text(key, middle, y(point[1]) + (below ? distance + 12 : -distance - 1), string, {
      size: 15,
      weight: 650,
      anchor: "middle",
      halo: true,
      "pointer-events": "none",
    });
    return;
  }
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

export function drawQueryPlane(p, view, fig) {
  const { query, keys, weights, winner, score, named } = view;
  const title = named ? say("Query and keys: what is asked for?") : say("Query and keys: which key answers best?");
  const note = named ? say("dashed: two tie") : say("dashed lines: two keys tie");
  const space = plane(p, title, p.width > 320 ? note : "", named && KEY_AXES);
  const { plot, x, y, at } = space;
  const frame = [
    [plot.left, plot.top],
    [plot.right, plot.top],
    [plot.right, plot.bottom],
    [plot.left, plot.bottom],
  ].map(([px, py]) => [x.invert(px), y.invert(py)]);
  const regions = winningRegions(score, keys, frame);
  p.group("regions", { "aria-hidden": "true" }, (g) => {
    if (winner >= 0 && regions[winner].length > 2)
      g.path("winner", regions[winner].map(at), { close: true, fill: COLOUR.key, "fill-opacity": 0.1 });
    borders(regions, frame).forEach(([from, to], i) => {
      g.line(`border${i}`, ...at(from), ...at(to), {
        stroke: COLOUR.muted,
        "stroke-dasharray": "5 5",
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
      label: named ? say`key of ${WORDS[j]}` : say`key ${j + 1}`,
      text: say`${place(key)}, weight ${fmt(weights[j])}`,
      onMove: (to) => fig.set({ key: keys.map((k, i) => (i === j ? to : k)) }),
    });
    nameTag(p, `name${j}`, space, key, named ? WORDS[j] : sub("k", j), knob(weights[j]) + 7, named);
  });
  p.handle("query", {
    x,
    y,
    at: query,
    step: 0.1,
    colour: COLOUR.query,
    size: 13,
    label: say("query"),
    text: named
      ? say`${questionOf(query)}: ${place(query)}; ${bestOf(view)}`
      : say`${place(query)}; ${bestOf(view)}`,
    onMove: (to) => fig.set({ query: to }),
  });
  p.text("name", qx, qy + 5, "q", { ...INSIDE, colour: COLOUR.ground });
  if (named) {
    // In a corner, where it covers neither the query's arm nor the words around the query.
    p.text("asked", plot.left + 8, plot.bottom - 8, say`q: ${questionOf(query)}?`, {
      size: 15,
      weight: 650,
      halo: true,
      colour: COLOUR.query,
      "pointer-events": "none",
    });
  }
}

export function drawValuePlane(p, view, fig) {
  const { values, weights, output, named } = view;
  const note = named ? say("shaded: in reach") : say("shaded: where the output can be");
  const space = plane(p, say("Values and output: weighted average"), p.width > 320 ? note : "", named && VALUE_AXES);
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
      label: named ? say`value of ${WORDS[j]}` : say`value ${j + 1}`,
      text: say`${place(value)}, weight ${fmt(weights[j])}`,
      onMove: (to) => fig.set({ value: values.map((v, i) => (i === j ? to : v)) }),
    });
    nameTag(p, `name${j}`, space, value, named ? WORDS[j] : sub("v", j), knob(weights[j]) + 7, named);
  });
  p.group("output", { "pointer-events": "none", "aria-hidden": "true" }, (g) => {
    g.circle("dot", ox, oy, 13, { fill: COLOUR.output, stroke: COLOUR.ground, "stroke-width": 2 });
    g.text("name", ox, oy + 5, "o", { ...INSIDE, colour: "#1f2430" });
  });
}

// One row for each pair: its score as a bar to either side of 0 (a number alone on a phone), its weight as a bar.
export function drawRows(p, view) {
  const { scores, weights, sharpness, named } = view;
  const [top, row] = [28, 26];
  const names = named ? 98 : 90;
  const scoreEnd = p.narrow ? names + 56 : names + 0.36 * (p.width - names);
  const bars = linear([0, 1], [scoreEnd + (p.narrow ? 14 : 34), p.width - 48]);
  const reach = Math.max(1, ...scores.map(Math.abs));
  const side = linear([-reach, reach], [names + 8, scoreEnd - 44]);
  const base = top + row * scores.length;
  p.group("head", { "aria-hidden": "true" }, (g) => {
    g.text("pair", 2, 15, named ? say("word") : say("pair"), { weight: 650, size: 14 });
    g.text("score", p.narrow ? scoreEnd : side(0), 15, say("score e"), {
      weight: 650,
      size: 14,
      anchor: p.narrow ? "end" : "middle",
    });
    const how = sharpness === 1 ? say("weight α = softmax(e)") : say`weight α = softmax(${fmtShort(sharpness)} · e)`;
    g.text("weight", bars(0), 15, p.narrow ? say("weight α") : how, { weight: 650, size: 14 });
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
      if (named) g.text(`pair${j}`, 19, middle + 5, WORDS[j], { size: 14, weight: 600 });
      else g.text(`pair${j}`, 19, middle + 5, `${sub("k", j)} → ${sub("v", j)}`, { size: 14, italic: true });
      g.mark(`value${j}`, "square", names - 11, middle, 5, { fill: COLOUR.value });
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
export function numbersTable(pairs, named) {
  const table = html("table", {
    style: "position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap",
  });
  table.append(html("caption", { text: say("Scores and weights") }));
  const heads = [named ? say("word") : say("pair"), say("score"), say("weight")];
  table.append(html("tr", {}, ...heads.map((text) => html("th", { scope: "col", text }))));
  const cells = {};
  range(pairs).forEach((j) => {
    const made = ["score", "weight"].map(
      (what) => (cells[`${what}-${j + 1}`] = html("output", { "data-value": `${what}-${j + 1}` })),
    );
    table.append(
      html(
        "tr",
        {},
        html("th", { scope: "row", text: named ? WORDS[j] : say`key ${j + 1}` }),
        ...made.map((cell) => html("td", {}, cell)),
      ),
    );
  });
  const write = (name, value) => {
    cells[name].textContent = fmt(value, 3);
    cells[name].dataset.number = value;
  };
  return { table, write };
}
