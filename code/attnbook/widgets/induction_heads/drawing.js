/* The row with its arcs, the next symbol, the course of training, and the maps of the four heads. */

import DATA from "./data.json" with { type: "json" };
import { clamp, COLOUR, fmt, mean, range, say, take, weightFill } from "../kit/kit.js";
import { linear } from "../kit/paint.js";
import { LENGTH } from "./maths.js";

export const quoted = (id) => (id ? `“${DATA.vocabulary[id]}”` : "<bos>");
const BOS = 46; // width of the cell of <bos>
const [ROOM, CELL] = [92, 26];
const above = (width) => (width < 480 ? 72 : 36) + ROOM; // two more rows of the legend on a phone
export const stripHeight = (width) => above(width) + CELL + ROOM + 4;
const LOOKS = {
  first: { label: say("layer 1"), colour: COLOUR.muted, dash: "5 4", mark: "dash" },
  hop: { label: say("layer 1, from where layer 2 looks most"), colour: COLOUR.query, mark: "line" },
  second: { label: say("layer 2"), colour: COLOUR.accent, mark: "line" },
};

function stripLayout(width) {
  const step = Math.min(30, (width - BOS) / LENGTH);
  const left = (t) => (t === 0 ? 0 : BOS + (t - 1) * step);
  const wide = (t) => (t === 0 ? BOS : step);
  return { left, wide, middle: (t) => left(t) + wide(t) / 2, end: BOS + LENGTH * step };
}

// Arcs from position `from` to where it looks: up (side −1) or down (side 1), the thicker the more weight.
function arcs(g, name, row, from, y, side, { middle }) {
  row.forEach((weight, j) => {
    if (weight < 0.02) return;
    const [a, b] = [middle(from), middle(j)];
    const high = j === from ? 26 : Math.min(ROOM * 1.28, 24 + 0.62 * Math.abs(a - b));
    const [c, d] = j === from ? [a - 13, a + 13] : [a, b];
    const at = (v) => Math.round(10 * v) / 10;
    g.add("path", `${name}${j}`, {
      d: `M${at(a)} ${y}C${at(c)} ${at(y + side * high)} ${at(d)} ${at(y + side * high)} ${at(b)} ${y}`,
      fill: "none",
      stroke: LOOKS[name].colour,
      "stroke-width": 0.6 + 5 * weight,
      "stroke-dasharray": LOOKS[name].dash,
      opacity: 0.4 + 0.6 * weight,
      "data-arc": `${name}-${from}-${j}`,
    });
  });
}

export function drawStrip(p, view, fig) {
  const { ids, position, target } = view;
  const layout = stripLayout(p.width);
  const top = above(p.width);
  p.legend("legend", 0, 12, [LOOKS.first, LOOKS.hop, LOOKS.second], { maxWidth: p.width, size: 12 });
  p.group("arcs", { "aria-hidden": "true" }, (g) => {
    arcs(g, "first", view.layers[0][position], position, top, -1, layout);
    if (target !== position) arcs(g, "hop", view.layers[0][target], target, top, -1, layout);
    arcs(g, "second", view.layers[1][position], position, top + CELL, 1, layout);
  });
  ids.forEach((id, t) => {
    const [chosen, after] = [t === position, view.after.includes(t)];
    const [x, wide] = [layout.left(t), layout.wide(t)];
    p.rect(`cell${t}`, x + 0.5, top, wide - 1, CELL, {
      fill: chosen ? COLOUR.query : COLOUR.panel,
      stroke: after ? COLOUR.value : COLOUR.line,
      "stroke-width": after ? 2.5 : 1,
      rx: 3,
    });
    p.text(`symbol${t}`, layout.middle(t), top + 18, DATA.vocabulary[id], {
      size: t && wide > 12 ? 14 : 12,
      anchor: "middle",
      weight: chosen || after ? 700 : 500,
      colour: chosen ? COLOUR.onAccent : COLOUR.ink,
      "data-symbol": t,
    });
  });
  const pick = (event) => {
    const x = p.where(event)[0];
    const to = range(LENGTH + 1).find((t) => x < layout.left(t) + layout.wide(t)) ?? LENGTH;
    if (to !== fig.get("position")) fig.set({ position: to });
  };
  // On a phone a letter is narrower than a finger, which therefore may slide along the row.
  p.rect("row", 0, top - 9, layout.end, CELL + 18, {
    fill: "transparent",
    role: "group",
    tabindex: 0,
    cursor: "pointer",
    "data-handle": "row",
    "aria-label": say(
      "The row: {row}. Position {position}, {symbol}, is chosen; arrow keys move, a letter from a to x changes the " +
        "symbol",
      { row: ids.map((id) => DATA.vocabulary[id]).join(" "), position, symbol: quoted(ids[position]) },
    ),
    ontouchstart: (event) => event.preventDefault(), // else it would scroll the page
    onpointerdown: (event) => {
      if (event.button !== 0) return;
      event.currentTarget.setPointerCapture(event.pointerId);
      event.currentTarget.focus({ preventScroll: true });
      pick(event);
    },
    onpointermove: (event) => event.buttons && pick(event),
    onkeydown: (event) => {
      const by = { ArrowLeft: -1, ArrowRight: 1, Home: -LENGTH, End: LENGTH }[event.key];
      const symbol = event.ctrlKey || event.metaKey || event.altKey ? -1 : DATA.vocabulary.indexOf(event.key);
      if (by) fig.set({ position: clamp(position + by, 0, LENGTH) });
      else if (symbol > 0) fig.change(position, symbol);
      else return;
      take(event);
    },
  });
}

export const NEXT = 4;

export function drawNext(p, { ids, position, next }) {
  p.text("title", 0, 15, say`After position ${position}: the guess`, { weight: 650, size: 14 });
  const order = range(next.length).sort((a, b) => next[b] - next[a]);
  const [start, long] = [44, p.width - 44 - 44];
  order.slice(0, NEXT).forEach((symbol, i) => {
    const y = 28 + 30 * i;
    p.text(`name${i}`, 0, y + 15, DATA.vocabulary[symbol], { size: 14, weight: i ? 500 : 700 });
    p.rect(`ground${i}`, start, y + 2, long, 17, { fill: COLOUR.panel, rx: 3 });
    p.rect(`bar${i}`, start, y + 2, Math.max(1, long * next[symbol]), 17, { fill: COLOUR.output, rx: 3 });
    p.text(`chance${i}`, p.width, y + 15, fmt(next[symbol]), { size: 13, anchor: "end", weight: i ? 500 : 700 });
  });
  const truth = ids[position + 1];
  const told = truth ? say`In the row: “${DATA.vocabulary[truth]}”, ${fmt(next[truth])}` : say("The row ends here.");
  p.text("truth", 0, 28 + 30 * NEXT + 14, told, { size: 13, "data-number": "truth" });
}

const COURSE = [
  {
    label: say("layer 1, mean of 2 heads: on the position before"),
    colour: COLOUR.query,
    dash: "7 4",
    mark: "dash",
    of: (row) => mean(row[5][0]),
  },
  {
    label: say("layer 2, mean of 2 heads: prefix matching"),
    colour: COLOUR.accent,
    mark: "line",
    of: (row) => mean(row[4][1]),
  },
  { label: say("repeated symbols guessed"), colour: COLOUR.output, dash: "2 4", mark: "dash", of: (row) => row[3] },
];

export function drawCourse(p, { step }) {
  p.text("title", 0, 15, say("Along training, on 256 fresh rows"), { weight: 650, size: 14 });
  const plot = p.plot({ top: 92, right: 10, bottom: 40, left: 34 });
  const x = linear([0, DATA.curve.at(-1)[0]], [plot.left, plot.right]);
  const y = linear([0, 1], [plot.bottom, plot.top]);
  p.axes("axes", { plot, x, y, yTicks: [0, 0.5, 1], xTicks: [0, 250, 500, 750], xLabel: say("training steps") });
  p.legend("legend", 0, 35, COURSE, { maxWidth: p.width, size: 12 });
  p.line("now", x(step), plot.top - 4, x(step), plot.bottom, { stroke: COLOUR.ink, "stroke-width": 1.5 });
  COURSE.forEach(({ colour, dash, of }, i) =>
    p.path(
      `line${i}`,
      DATA.curve.map((row) => [x(row[0]), y(of(row))]),
      { stroke: colour, "stroke-width": 2.4, "stroke-dasharray": dash },
    ),
  );
  const here = DATA.curve.find((row) => row[0] === step);
  COURSE.forEach(({ colour, of }, i) =>
    p.circle(`dot${i}`, x(step), y(of(here)), 4.5, { fill: colour, stroke: COLOUR.ground, "stroke-width": 1.5 }),
  );
}

// ---- the maps of the heads ----

function mapLayout(width) {
  const across = width < 560 ? 2 : 4;
  const size = Math.floor((width - 14 * (across - 1)) / across);
  return { across, size, high: size + 46 };
}

export const mapsHeight = (width) => 24 + (4 / mapLayout(width).across) * mapLayout(width).high;

export function drawMaps(p, view, fig) {
  const { ids, position, run } = view;
  const { across, size, high } = mapLayout(p.width);
  const cell = size / ids.length;
  const at = (v) => Math.round(100 * v) / 100;
  p.text("title", 0, 15, say("All heads: queries down, keys across"), { weight: 650, size: 14 });
  const hatch = p.hatch("hatch");
  run.weights.flat().forEach((weights, n) => {
    const [layer, head] = [Math.floor(n / 2), n % 2];
    const [left, top] = [(n % across) * (size + 14), 46 + Math.floor(n / across) * high];
    p.text(`name${n}`, left, top - 7, say`layer ${layer + 1}, head ${head + 1}`, { size: 12.5, weight: 600 });
    p.group(`map${n}`, { "aria-hidden": "true", "pointer-events": "none" }, (g) => {
      g.rect("ground", left, top, size, size, { fill: COLOUR.ground });
      const stairs = range(1, ids.length).map((t) => `V${at(top + t * cell)}H${at(left + (t + 1) * cell)}`);
      const future = `M${at(left + cell)} ${top}${stairs.join("")}V${top}Z`;
      g.add("path", "future", { d: future, fill: hatch, opacity: 0.45 });
      const shades = new Map();
      weights.forEach((row, i) =>
        row.forEach((a, j) => {
          const square = `M${at(left + j * cell)} ${at(top + i * cell)}h${at(cell)}v${at(cell)}h-${at(cell)}z`;
          const level = Math.round(20 * a);
          if (level === 0) return; // as the ground
          shades.set(level, (shades.get(level) || "") + square);
        }),
      );
      [...shades]
        .sort(([a], [b]) => a - b)
        .forEach(([level, d]) =>
          g.add("path", `shade${level}`, { d, fill: weightFill(level / 20), "shape-rendering": "crispEdges" }),
        );
      g.rect("edge", left, top, size, size, { fill: "none", stroke: COLOUR.line, "stroke-width": 1 });
      g.rect("row", left - 1, top + position * cell - 1, (position + 1) * cell + 2, cell + 2, {
        fill: "none",
        stroke: COLOUR.query,
        "stroke-width": 2,
      });
    });
    const score = layer ? view.prefix[head] : view.previous[head];
    const text = layer ? say`prefix matching ${fmt(score)}` : say`on the one before ${fmt(score)}`;
    p.text(`score${n}`, left, top + size + 16, text, { size: 12.5, colour: COLOUR.muted, "data-number": `score-${n}` });
    p.rect(`reach${n}`, left, top, size, size, {
      fill: "transparent",
      cursor: "pointer",
      "data-handle": `map-${layer + 1}-${head + 1}`,
      onclick: (event) => fig.set({ position: clamp(Math.floor((p.where(event)[1] - top) / cell), 0, LENGTH) }),
    });
  });
}
