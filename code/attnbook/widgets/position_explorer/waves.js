/* The first view: the encoding as a heat map, as waves and as a rotation. */

import { clamp, COLOUR, fmt, fmtShort, linspace, range, say, signedFill } from "../kit/kit.js";
import { linear } from "../kit/paint.js";
import { P, pairs } from "./maths.js";

export const pairText = (pair) => `(${pair.map((v) => fmt(v)).join(", ")})`;

// A heat map in few elements: one path for each of 21 shades, cells of one shade side by side in one piece.
export function heat(p, key, rows, { left, top, wide, tall, limit = 1 }) {
  const shades = new Map();
  const across = (j) => Math.round((left + j * wide) * 10) / 10;
  const down = (i) => Math.round((top + i * tall) * 10) / 10;
  rows.forEach((row, i) => {
    const levels = row.map((v) => Math.round(10 * clamp(v / limit, -1, 1)));
    for (let j = 0; j < row.length;) {
      let end = j + 1;
      while (end < row.length && levels[end] === levels[j]) end += 1;
      const piece = `M${across(j)} ${down(i)}H${across(end)}V${down(i + 1)}H${across(j)}z`;
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
export function shadeKey(p, key, x, y, limit) {
  const text = (v) => String(Number(v.toPrecision(2))).replace("-", "−");
  p.group(key, { "aria-hidden": "true" }, (g) => {
    g.text("low", x, y, text(-limit), { size: 12, colour: COLOUR.muted, anchor: "end" });
    range(11).forEach((i) => g.rect(`box${i}`, x + 6 + 6 * i, y - 10, 6.5, 11, { fill: signedFill((i - 5) / 5) }));
    g.rect("frame", x + 6, y - 10, 66.5, 11, { fill: "none", stroke: COLOUR.line, "stroke-width": 1 });
    g.text("high", x + 78, y, text(limit), { size: 12, colour: COLOUR.muted });
  });
}

export const MAP = { top: 46, bottom: 46 };
const tallOf = (phone) => (phone ? 4 : 5.6); // a row of the map
export const mapHeight = (phone) => MAP.top + P * tallOf(phone) + MAP.bottom;
// On a phone the circle stands above the map, its words beside it; two drawings of each view are as high as these.
export const CIRCLE = 164;
export const CIRCLE_WIDTH = 338; // on a desk
export const viewHeight = (phone) => (phone ? CIRCLE + 8 + mapHeight(phone) : mapHeight(phone));

function positionLine(p, key, y, left, right, colour, dash) {
  p.line(key, left, y, right, y, {
    stroke: colour,
    "stroke-width": 2,
    "stroke-dasharray": dash,
    "pointer-events": "none",
  });
}

export function drawMap(p, view, fig) {
  const { rows, at, k, D, i, omega } = view;
  const tall = tallOf(view.phone);
  const waves = Math.max(90, Math.round(p.width * 0.27));
  const left = 44;
  const wide = (p.width - left - waves - 40) / D;
  const right = left + D * wide;
  const y = linear([0, P], [MAP.top, MAP.top + P * tall]);
  const middle = (q) => y(q + 0.5);
  const lone = 2 * i + 1 >= D;
  p.text("title", 0, 15, say("PE: positions down, features across"), { weight: 650, size: 14 });
  heat(p, "map", rows, { left, top: MAP.top, wide, tall });
  shadeKey(p, "key", left + 18, y(P) + 40, 1);
  p.rect("choose", left, MAP.top, D * wide, P * tall, {
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
  p.rect("pair", left + 2 * i * wide, MAP.top - 1, (lone ? 1 : 2) * wide, P * tall + 2, {
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
    g.rect("ground", x(-1), MAP.top, x(1) - x(-1), P * tall, { fill: COLOUR.panel, rx: 4 });
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
  const shift = linear([0, P], [MAP.top + tall / 2, MAP.top + (P + 0.5) * tall]);
  p.handle("position", {
    y: shift,
    at: [left - 9, at],
    axis: "y",
    step: 1,
    min: [0, 0],
    max: [0, 31],
    size: 7,
    colour: COLOUR.query,
    label: say("position p"),
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
    label: say("position p + k"),
    text: `p + k = ${at + k}`,
    onMove: ([, to]) => fig.set({ offset: Math.round(to) - at }),
  });
}

// What the circle means: three lines below it, or six beside it on a phone.
function sayTurn(p, { k, i, omega, angle, here, phone }, x, y) {
  const quiet = { size: 12.5, colour: COLOUR.muted };
  const up = phone ? say("up: sin pω") : say`up: feature ${2 * i}, sin pω`;
  const turned = `= ${fmtShort(angle)} = ${fmt((angle * 180) / Math.PI, 0)}°`;
  const said =
    here.length < 2
      ? [
          [[up], quiet],
          [[say("a sine without"), say("its cosine:")], {}],
          [[say("not a point, so"), say("nothing to turn")], {}],
        ]
      : [
          [phone ? [up, say("across: cos pω")] : [up, say`· across: ${2 * i + 1}, cos pω`], quiet],
          [[`kω = ${k} · ${fmtShort(omega)}`, turned], { weight: 650, colour: COLOUR.accent }],
          [[say("a full turn takes"), say`${fmtShort((2 * Math.PI) / omega)} positions`], quiet],
        ];
  const lines = said.flatMap(([parts, look]) => (phone ? parts : [parts.join(" ")]).map((text) => [text, look]));
  lines.forEach(([text, look], n) =>
    p.text(`turn${n}`, x, y + 20 * n, text, { anchor: phone ? "start" : "middle", ...look }),
  );
}

export function drawCircle(p, view) {
  const { at, k, i, omega, here, there, angle, phone } = view;
  const lone = here.length < 2;
  p.text("title", 0, 15, lone ? say`Frequency i = ${i}: a sine alone` : say`Pair i = ${i}: a turn by kω`, {
    weight: 650,
    size: 14,
  });
  // beside the circle there is room for p+k
  const r = phone ? clamp((p.width - 228) / 2, 36, 50) : Math.min(p.width - 92, p.height - 116) / 2;
  const [cx, cy] = [phone ? r + 46 : p.width / 2, phone ? 42 + r : 42 + (p.height - 116) / 2];
  const put = (turn, far = 1) => [cx + r * far * Math.cos(turn), cy - r * far * Math.sin(turn)];
  p.group("axes", { "aria-hidden": "true" }, (g) => {
    g.circle("disk", cx, cy, r, { fill: COLOUR.panel, stroke: COLOUR.line, "stroke-width": 1.5 });
    g.line("x", cx - r, cy, cx + r, cy, { stroke: COLOUR.line, "stroke-width": 1 });
    g.line("y", cx, cy - r, cx, cy + r, { stroke: COLOUR.line, "stroke-width": 1 });
    g.text("sin", cx + 5, cy - r + 15, "sin", { size: 12.5, italic: true, colour: COLOUR.muted });
    if (!lone)
      g.text("cos", cx + r - 5, cy - 6, "cos", { size: 12.5, italic: true, anchor: "end", colour: COLOUR.muted });
  });
  sayTurn(p, view, phone ? cx + r + 72 : cx, phone ? cy - 42 : p.height - 48);
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
  const name = (key, turn, string, colour, shape, ink = colour) => {
    const [x, y] = put(turn);
    p.mark(key, shape, x, y, 7, { fill: colour, stroke: COLOUR.ground, "stroke-width": 2 });
    const outside = put(turn, 1 + 16 / r);
    p.text(`${key}Name`, outside[0], outside[1] + 5, string, {
      size: 14,
      weight: 650,
      italic: true,
      anchor: outside[0] < cx - 10 ? "end" : outside[0] > cx + 10 ? "start" : "middle",
      halo: true,
      colour: ink,
    });
  };
  const close = Math.cos(to - from) > 0.93;
  name("second", to, close ? "" : "p+k", COLOUR.key, "diamond", COLOUR.keyInk);
  name("first", from, close ? (k ? "p, p+k" : "p") : "p", COLOUR.query, "circle");
}
