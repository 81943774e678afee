/* The overview, a long head as a whole, the window as a heat map with its tokens, and as lines. */

import { clamp, COLOUR, columns, linspace, range, say, signedFill, take, weightFill } from "../kit/kit.js";
import { putImage } from "./images.js";
import { isCausal } from "./stored.js";

const LONGEST_LABEL = 14;

export function cut(label, most = LONGEST_LABEL) {
  const letters = Array.from(label);
  return letters.length > most ? `${letters.slice(0, most - 1).join("")}…` : label;
}

export const quoted = (label) => `“${cut(label, 24)}”`;

// Something to point at, at parts of its height and width, and to move in by steps with the arrow keys.
function field(p, key, x, y, width, height, { label, move, point }) {
  const pick = (event) => {
    const [px, py] = p.where(event);
    point(clamp((py - y) / height, 0, 0.999999), clamp((px - x) / width, 0, 0.999999));
  };
  p.rect(key, x, y, width, height, {
    fill: "transparent",
    role: "group",
    tabindex: 0,
    cursor: "crosshair",
    "data-handle": key,
    "aria-label": label,
    onpointerdown(event) {
      if (event.button !== 0) return;
      this.setPointerCapture(event.pointerId);
      pick(event);
    },
    onpointermove(event) {
      if (this.hasPointerCapture(event.pointerId)) pick(event);
    },
    onkeydown(event) {
      const by = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key];
      if (!by) return;
      move(...by, event.shiftKey);
      take(event);
    },
  });
}

// ---- the overview ----

// On a phone a few layers stand directly below the controls, small.
export const FEW = 4;
const onPhone = () => matchMedia("(max-width: 480px)").matches;
const DIGIT = 7.2; // width of a digit beside the heads
const digitsOf = (numbers) => String(Math.max(...numbers)).length;
export const overviewLayout = (width, kind, small = false) => {
  const [left, top] = [Math.max(26, 12 + DIGIT * digitsOf(kind.layers)), small ? 18 : 44];
  const [layers, heads] = [kind.heads.length, kind.heads[0].length];
  const size = Math.min(small ? 72 / Math.max(2, layers) : 84, (width - left) / heads);
  // small, the title stands beside the heads, in three lines
  return { left, top, size, bottom: top + (small ? Math.max(size * layers, 54) : size * layers + SCALE) };
};

// Which of `count` places are labelled, at least `apart` from each other: the chosen one, and the last if it fits.
export function labelled(count, chosen, apart) {
  const step = Math.max(1, Math.ceil(apart));
  const far = (i, other) => Math.abs(i - other) >= step;
  return range(count).filter(
    (i) => i === chosen || (far(i, chosen) && (i === count - 1 || (i % step === 0 && far(i, count - 1)))),
  );
}

// ---- what the shades mean ----

const SCALE = 20; // height of the row

export const threeDigits = (x) => String(Number(x.toPrecision(3))).replaceAll("-", "−");
function scaleInWords({ shade, top, signed }) {
  const values = { low: signed ? threeDigits(-top) : 0, high: threeDigits(top) };
  return shade === "root"
    ? say("Shades of square roots from {low} to {high}.", values)
    : say("Shades from {low} to {high}.", values);
}

// From 0, or the lowest negative weight, to the largest weight that is shown, in the shades of the cells.
function drawScale(p, key, x, y, { shade, top, signed }) {
  const [low, wide] = [signed ? -1 : 0, 10];
  const start = signed ? threeDigits(-top) : "0";
  const left = x + 6 + DIGIT * start.length;
  const steps = linspace(low, 1, signed ? 13 : 7);
  const look = { size: 12, colour: COLOUR.muted };
  p.text(`${key}-low`, x, y, start, look);
  steps.forEach((at, i) => {
    const dark = shade === "root" ? Math.sign(at) * Math.sqrt(Math.abs(at)) : at;
    const fill = dark < 0 ? signedFill(dark) : weightFill(dark);
    p.rect(`${key}${i}`, left + wide * i, y - 10, wide, 11, { fill });
  });
  const end = left + wide * steps.length;
  p.rect(`${key}-edge`, left, y - 10, end - left, 11, { fill: "none", stroke: COLOUR.line, "stroke-width": 1 });
  const high = threeDigits(top);
  p.text(`${key}-high`, end + 6, y, shade === "root" ? say`${high}, by square roots` : high, look);
}
export const isSmall = (layers) => layers <= FEW && onPhone();

export function drawOverview(p, view, fig) {
  const { kind, layer, head } = view;
  const [layers, heads] = [kind.heads.length, kind.heads[0].length];
  const [row, column] = [kind.layers.indexOf(layer), kind.head_numbers.indexOf(head)];
  const small = isSmall(layers);
  const { left, top, size } = overviewLayout(p.width, kind, small);
  const [right, bottom] = [left + size * heads, top + size * layers];
  const beside = left + size * heads + 14;
  if (!small) p.text("title", 0, 15, say("All heads: layers down, heads across"), { weight: 650, size: 14 });
  else if (p.width - beside > 100)
    [say("All heads:"), say("layers down,"), say("heads across")].forEach((text, i) =>
      p.text(`title${i}`, beside, top + 15 + 18 * i, text, { weight: i ? 450 : 650, size: 14 }),
    );
  labelled(heads, column, (DIGIT * digitsOf(kind.head_numbers) + 4) / size).forEach((h) =>
    p.text(`head${h}`, left + (h + 0.5) * size, top - 6, kind.head_numbers[h], look(h === column, "middle")),
  );
  labelled(layers, row, 14 / size).forEach((l) =>
    p.text(`layer${l}`, left - 6, top + (l + 0.5) * size + 4, kind.layers[l], look(l === row, "end")),
  );
  p.rect("ground", left, top, size * heads, size * layers, { fill: p.hatch("hatch"), opacity: 0.6 });
  putImage(p, "image", view.overview(size), left, top, size * heads, size * layers);
  const between = [
    ...range(heads + 1).map((h) => `M${left + h * size} ${top}V${bottom}`),
    ...range(layers + 1).map((l) => `M${left} ${top + l * size}H${right}`),
  ];
  p.add("path", "between", {
    d: between.join(""),
    stroke: COLOUR.line,
    "stroke-width": size < 20 ? 1 : 1.5,
    "pointer-events": "none",
  });
  if (!small) drawScale(p, "scale", left, bottom + 15, view.scales.overview);
  p.rect("chosen", left + column * size, top + row * size, size, size, {
    fill: "none",
    stroke: COLOUR.accent,
    "stroke-width": 3,
    rx: 2,
  });
  const set = (l, h) => fig.set({ layer: kind.layers[l], head: kind.head_numbers[h] });
  field(p, "overview", left, top, size * heads, size * layers, {
    label: say(
      "Heads, {layers} layers and {heads} heads. Layer {layer}, head {head} is chosen; " +
        "arrow keys choose another. {shades}",
      { layers, heads, layer, head, shades: scaleInWords(view.scales.overview) },
    ),
    move: (down, across) => set(clamp(row + down, 0, layers - 1), clamp(column + across, 0, heads - 1)),
    point: (y, x) => set(Math.floor(y * layers), Math.floor(x * heads)),
  });
}

const look = (strong, anchor) => ({
  size: 12,
  anchor,
  weight: strong ? 700 : 500,
  colour: strong ? COLOUR.accent : COLOUR.muted,
});

// ---- a long head as a whole ----

export const longHeight = (width, [T, S]) => 30 + SCALE + Math.round(clamp((Math.min(width, LONG) * T) / S, 120, LONG));
const LONG = 210;

export function drawWhole(p, view, fig) {
  const { T, S, rows, columns } = view;
  const [width, height, top] = [Math.min(p.width, LONG), p.height - 30 - SCALE, 28];
  p.text("title", 0, 15, say`The whole head: ${T} × ${S}`, { weight: 650, size: 14 });
  p.rect("ground", 0, top, width, height, { fill: p.hatch("hatch"), opacity: 0.6 });
  putImage(p, "image", view.whole, 0, top, width, height);
  p.rect("edge", 0, top, width, height, { fill: "none", stroke: COLOUR.line, "stroke-width": 1 });
  drawScale(p, "scale", 0, top + height + 16, view.scales.whole);
  const place = ([from, to], n, size) => [(from / n) * size, Math.max(6, ((to - from) / n) * size)];
  const [[x, w], [y, h]] = [place(columns, S, width), place(rows, T, height)];
  p.rect("window", Math.min(x, width - w), top + Math.min(y, height - h), w, h, {
    fill: "none",
    stroke: COLOUR.accent,
    "stroke-width": 2.5,
  });
  field(p, "whole", 0, top, width, height, {
    label: say("The whole head, with a window at queries {a} to {b} and keys {c} to {d}. Arrow keys move it", {
      a: rows[0],
      b: rows[1] - 1,
      c: columns[0],
      d: columns[1] - 1,
    }),
    move: (down, across) => fig.go(view.query + down * view.window, view.key + across * view.window),
    point: (a, b) => fig.go(Math.floor(a * T), Math.floor(b * S)),
  });
}

// ---- the window: a heat map with tokens ----

const LABEL = 7.6; // width of a letter
const space = (labels) => 12 + LABEL * Math.max(...labels.map((label) => columns(cut(label))));

export const WIDEST = 64; // tokens in the largest window

const READABLE = 18; // pixels: a cell with room for its label

// The map keeps its place whatever the window: the fewer tokens, the larger the cells. They are squares, unless
// there is room for labels along the shorter side only.
function windowLayout(width, view) {
  const [left, above] = [space(view.queries), space(view.keys)];
  const [n, m] = [view.queryLabels.length, view.keyLabels.length];
  const [down, across] = [Math.min(view.T, WIDEST), Math.min(view.S, WIDEST)];
  const widest = onPhone() ? 24 : 36;
  const room = [Math.min(widest, (width - left - 2) / across), Math.min(widest, 760 / down)];
  const least = Math.min(...room);
  const size = least * Math.min(across / m, down / n);
  const wide = across < down ? Math.max(size, Math.min(READABLE, (room[0] * across) / m)) : size;
  const high = down < across ? Math.max(size, Math.min(READABLE, (room[1] * down) / n)) : size;
  const most = down < across ? Math.max(least, Math.min(READABLE, room[1])) : least;
  return { left, top: 26 + above, wide, high, n, m, bottom: 26 + above + down * most };
}

export const windowHeight = (width, view) => windowLayout(width, view).bottom + SCALE;

// A token beside a row or column, the whole of it as a tooltip if it had to be cut.
function token(p, key, x, y, label, strong, { colour, most, ...more }) {
  const text = cut(label, most);
  p.group(key, {}, (g) => {
    g.text("text", x, y, text, {
      size: 12.5,
      weight: strong ? 700 : 450,
      colour: strong ? colour : COLOUR.ink,
      ...more,
    });
    if (text !== label) g.add("title", "title", {}, label);
  });
}

export function drawWindow(p, view, fig) {
  const { left, top, wide, high, n, m } = windowLayout(p.width, view);
  const [right, bottom] = [left + m * wide, top + n * high];
  const [q, k] = [view.query - view.rows[0], view.key - view.columns[0]];
  const { layer, head } = view;
  const long = say`Layer ${layer}, head ${head}: queries down, keys across`;
  const fits = columns(long) <= p.width / 8.5;
  const title = fits ? long : say`Layer ${layer}, head ${head}: queries ↓, keys →`;
  p.text("title", 0, 15, title, { weight: 650, size: 14 });
  // labels at least 12 pixels apart; the chosen ones are always there
  const near = (t, chosen, step) => t === chosen || (t % step === 0 && Math.abs(t - chosen) >= step);
  view.queryLabels.forEach((label, t) => {
    if (near(t, q, Math.ceil(12 / high)))
      token(p, `row${t}`, left - 6, top + (t + 0.5) * high + 4, label, t === q, {
        colour: COLOUR.query,
        anchor: "end",
      });
  });
  view.keyLabels.forEach((label, t) => {
    if (near(t, k, Math.ceil(12 / wide)))
      token(p, `column${t}`, left + (t + 0.5) * wide + 4, top - 6, label, t === k, {
        colour: COLOUR.keyInk,
        rotate: -90,
      });
  });
  p.rect("ground", left, top, m * wide, n * high, { fill: p.hatch("hatch"), opacity: 0.6 });
  putImage(p, "image", view.part, left, top, m * wide, n * high);
  p.rect("edge", left, top, m * wide, n * high, { fill: "none", stroke: COLOUR.line, "stroke-width": 1 });
  drawScale(p, "scale", left, bottom + 15, view.scales.part);
  if (view.columns[0] + m - Math.ceil(62 / wide) > view.rows[0] + Math.ceil(22 / high) && isCausal(view.kind))
    p.text("masked", right - 7, top + 17, say("masked"), {
      size: 12.5,
      anchor: "end",
      colour: COLOUR.muted,
      halo: true,
    });
  p.rect("row", left, top + q * high, m * wide, high, { fill: "none", stroke: COLOUR.query, "stroke-width": 2 });
  p.rect("column", left + k * wide, top, wide, n * high, { fill: "none", stroke: COLOUR.key, "stroke-width": 2 });
  field(p, "map", left, top, m * wide, n * high, {
    label: say("Weights of layer {layer}, head {head}. {said} {shades} Arrow keys choose a query and a key", {
      layer,
      head,
      said: view.said,
      shades: scaleInWords(view.scales.part),
    }),
    move: (down, across, far) => fig.go(view.query + (far ? 8 : 1) * down, view.key + (far ? 8 : 1) * across),
    point: (a, b) => fig.go(view.rows[0] + Math.floor(a * n), view.columns[0] + Math.floor(b * m)),
  });
}

// ---- the window: lines ----

// As high for every window; the lines of few tokens stand further apart.
const linesSpace = ({ T, S }) => {
  const most = Math.min(Math.max(T, S), WIDEST);
  return most * clamp(400 / most, 7, 17);
};
export const linesHeight = (view) => 46 + linesSpace(view);

export function drawLines(p, view, fig) {
  const { queryLabels, keyLabels } = view;
  const [q, k] = [view.query - view.rows[0], view.key - view.columns[0]];
  const wide = p.width;
  const side = Math.min(wide * 0.36, Math.max(space(queryLabels), space(keyLabels)));
  const [from, to, top] = [side, wide - side, 40];
  const line = Math.min(40, linesSpace(view) / Math.max(queryLabels.length, keyLabels.length));
  const y = (t) => top + (t + 0.5) * line;
  const step = Math.ceil(12 / line); // labels at least 12 pixels apart; the chosen and the last are always there
  const near = (t, chosen, last) =>
    t === chosen || (Math.abs(t - chosen) >= step && (t === last || (t % step === 0 && last - t >= step)));
  p.text("title", 0, 15, say("Who looks where"), { weight: 650, size: 14 });
  p.text("queries", 0, 34, say("query"), { size: 12, colour: COLOUR.muted });
  p.text("keys", to + 6, 34, say("key"), { size: 12, colour: COLOUR.muted });
  const strokes = new Map(); // one path for all lines of a kind, a strength and a sign
  const curve = (i, j) =>
    `M${from} ${y(i)}C${(from + to) / 2} ${y(i)} ${(from + to) / 2} ${y(j)} ${to} ${y(j)}`;
  const add = (name, i, j) => strokes.set(name, (strokes.get(name) || "") + curve(i, j));
  const { top: largest } = view.scales.part;
  const partOfLargest = (weight) => (Number.isFinite(weight) && largest ? Math.abs(weight) / largest : 0);
  view.cells.forEach((weight, n) => {
    const [i, j] = [Math.floor(n / keyLabels.length), n % keyLabels.length];
    const part = partOfLargest(weight);
    if (part < 0.02 || (i === q && j === k)) return;
    const strength = `${clamp(Math.ceil(5 * part), 1, 5)}${weight < 0 ? "−" : ""}`;
    if (i === q) add(`query${strength}`, i, j);
    if (j === k) add(`key${strength}`, i, j);
    if (i !== q && j !== k && Math.abs(weight) >= 0.1) add(`other${strength}`, i, j);
  });
  const colours = { query: COLOUR.query, key: COLOUR.key, other: COLOUR.masked };
  const dashes = { query: undefined, key: "7 4", other: undefined };
  ["other", "key", "query"].forEach((name) =>
    range(1, 6).forEach((strength) =>
      ["", "−"].forEach((sign) => {
        const d = strokes.get(name + strength + sign);
        if (!d) return;
        p.add("path", name + strength + sign, {
          d,
          fill: "none",
          stroke: colours[name],
          "stroke-width": name === "other" ? 1 : 0.8 + strength * 0.9,
          "stroke-dasharray": sign ? "2 4" : dashes[name],
          opacity: name === "other" ? 0.1 + 0.1 * strength : 0.55 + 0.09 * strength,
          "data-lines": name,
        });
      }),
    ),
  );
  // The chosen pair is there however small its weight: dotted if it is negative, 0, masked, NaN or not kept.
  const pair = view.cells[q * keyLabels.length + k];
  p.add("path", "pair", {
    d: curve(q, k),
    fill: "none",
    stroke: COLOUR.accent,
    "stroke-width": 1.2 + 4.5 * partOfLargest(pair),
    "stroke-dasharray": pair > 0 ? undefined : "2 4",
    "data-lines": "pair",
  });
  const most = clamp(Math.floor((side - 8) / LABEL), 4, LONGEST_LABEL);
  // Tokens are lower than a finger: a column of them is one target, and a press takes the token at its height.
  const column = (key, left, labels, go, draw) => {
    const at = (event) => clamp(Math.floor((p.where(event)[1] - top) / line), 0, labels.length - 1);
    p.group(key, { cursor: "pointer", onclick: (event) => go(at(event)) }, (g) => {
      g.rect("reach", left, top - 4, Math.max(24, side), labels.length * line + 8, { fill: "transparent" });
      labels.forEach((label, t) => draw(g, label, t));
    });
  };
  const goToQuery = (t) => fig.go(view.rows[0] + t, view.key);
  column("queryColumn", 0, queryLabels, goToQuery, (g, label, t) => {
    if (!near(t, q, queryLabels.length - 1)) return;
    token(g, `q${t}`, from - 6, y(t) + 4, label, t === q, { colour: COLOUR.query, anchor: "end", most });
  });
  const goToKey = (t) => fig.go(view.query, view.columns[0] + t);
  column("keyColumn", to, keyLabels, goToKey, (g, label, t) => {
    if (!near(t, k, keyLabels.length - 1)) return;
    token(g, `k${t}`, to + 6, y(t) + 4, label, t === k, { colour: COLOUR.keyInk, most });
  });
}
