/* The kit of the interactive figures, part 2: scales and the painter `p` that every stage's draw(p, view) gets.
 *
 * A stage is drawn anew at each change, yet its elements stay: every call names its element by a `key`,
 * unique within its stage (or group). What has the same key as last time is changed in place — a handle
 * keeps its focus and its drag — and what is not drawn this time goes away. So draw() is all there is:
 * no update code. One unit is one CSS pixel at the size it is displayed; type is never scaled down.
 *
 * Scales    linear([d0, d1], [r0, r1])      a function data → pixels, with .invert(pixel), .domain, .range
 *           ticks(low, high, about = 5)     round numbers between low and high
 * Painter   p.width, p.height               the stage's size in pixels; p.narrow: a phone (< 480 px)
 *           p.plot({top, right, bottom, left})   the inner rectangle: {left, top, right, bottom, width, height}
 *           p.add(tag, key, attrs, text)    any SVG element; fill/stroke take COLOUR…; on… = function; returns it
 *           p.group(key, attrs, (g) => …)   a <g> with a painter of its own (attrs: transform, "clip-path" …)
 *           p.clip(key, x, y, w, h)         a clip path; returns the value for the attribute "clip-path"
 *           p.hatch(key, colour)            a hatching (masked cells); returns a value for fill
 *           p.rect(key, x, y, w, h, attrs)  p.circle(key, x, y, r, attrs)  p.line(key, x1, y1, x2, y2, attrs)
 *           p.path(key, points, attrs)      a polyline [[x, y], …]; attrs.close for an area
 *           p.arrow(key, x1, y1, x2, y2, {colour, width, head})   a line with a head
 *           p.text(key, x, y, string, {size = 13, anchor = "start", colour, weight, italic, halo, rotate, mono})
 *                                           anchor: start | middle | end; halo: a rim in the ground's colour
 *           p.mark(key, shape, x, y, size, attrs)   shape: circle | square | diamond | triangle | cross
 *           p.axes(key, {plot, x, y, xLabel, yLabel, xTicks, yTicks, xFormat, yFormat, grid = true})
 *                                           xTicks/yTicks: about how many, or a list of values, or []
 *           p.legend(key, x, y, items, {maxWidth, size})   items: {label, colour, mark: line | dash | tick | dot
 *                                   | box | outline | hatch | any shape}; a new row at maxWidth; returns its height
 *           p.cell(key, x, y, w, h, {weight, masked, text, stroke})   one cell of a heat map of weights
 *           p.handle(key, {x, y, at, axis, step, min, max, label, text, colour, shape, size, onMove, onEnd})
 *                                           a point to drag, or to move by keyboard. x, y: scales; at: [x, y] in data;
 *                                           axis "both" | "x" | "y"; step: number or [sx, sy] for the arrow keys
 *                                           (shift: five steps); min, max: [x, y], by default the scales' domains;
 *                                           onMove([x, y]) gets the new place, kept within min … max;
 *                                           label: its name for screen readers; text: its value in words
 *           p.where(event)                  [x, y] in pixels of the stage, of a mouse event
 *           p.once()                        true at a stage's first drawing
 */

import { handleLimits, makeMovable } from "./handles.js";
import { clamp, COLOUR, columns, fmt, html, newId, range, weightFill, weightInk } from "./kit.js";
import { OUTLINES } from "./marks.js";

export const NARROW = 480;
const FONT = "system-ui,-apple-system,'Segoe UI',Roboto,'Helvetica Neue',Arial,sans-serif";
const SVG = "http://www.w3.org/2000/svg";

export function linear([d0, d1], [r0, r1]) {
  const scale = (value) => r0 + ((value - d0) / (d1 - d0)) * (r1 - r0);
  scale.invert = (pixel) => d0 + ((pixel - r0) / (r1 - r0)) * (d1 - d0);
  scale.domain = [d0, d1];
  scale.range = [r0, r1];
  return scale;
}

export function ticks(low, high, about = 5) {
  if (!(high > low)) return [low];
  const rough = (high - low) / about;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * [1, 2, 5, 10].find((factor) => power * factor >= rough * 0.999);
  const first = Math.ceil(low / step - 1e-9);
  const last = Math.floor(high / step + 1e-9);
  return range(first, last + 1).map((i) => Number((i * step).toPrecision(12)));
}

export function tickText(values) {
  const digits = Math.max(...values.map((v) => (String(v).split(".")[1] || "").length));
  return (v) => fmt(v, digits);
}

function setAttributes(node, attrs) {
  const style = [];
  const named = new Set(["style"]);
  for (const [name, value] of Object.entries(attrs)) {
    if (typeof value === "function") {
      node[name] = value;
      continue;
    }
    if (value === undefined || value === null || value === false || name === "style") continue;
    if (typeof value === "number" && !Number.isFinite(value)) throw new Error(`${name} is ${value}`);
    if (name === "fill" || name === "stroke") {
      style.push(`${name}:${value}`);
      continue;
    }
    named.add(name);
    node.setAttribute(name, typeof value === "number" ? Math.round(value * 100) / 100 : value);
  }
  if (attrs.style) style.push(attrs.style);
  if (style.length) node.setAttribute("style", style.join(";"));
  else node.removeAttribute("style");
  for (const name of node.abNamed || []) if (!named.has(name)) node.removeAttribute(name);
  node.abNamed = [...named].filter((name) => name !== "style");
}

class Painter {
  constructor(node, root) {
    this.node = node;
    this.root = root || this;
    this.kept = new Map();
    this.drawn = new Map();
  }

  get width() {
    return this.root.size[0];
  }
  get height() {
    return this.root.size[1];
  }
  get narrow() {
    return this.width < NARROW;
  }
  once() {
    return this.root.drawings === 0;
  }

  finish() {
    // drop what was not drawn this time, then put the rest in the order of drawing
    for (const [key, node] of this.kept) if (this.drawn.get(key) !== node) node.remove();
    let next = this.node.firstChild;
    for (const node of this.drawn.values()) {
      if (node === next) next = next.nextSibling;
      else this.node.insertBefore(node, next);
    }
    this.kept = this.drawn;
    this.drawn = new Map();
  }

  add(tag, key, attrs = {}, text) {
    if (this.drawn.has(key)) throw new Error(`the key "${key}" is drawn twice`);
    let node = this.kept.get(key);
    if (!node || node.localName !== tag) node = document.createElementNS(SVG, tag);
    this.drawn.set(key, node);
    try {
      setAttributes(node, attrs);
    } catch (error) {
      throw new Error(`"${key}": ${error.message}`);
    }
    if (text !== undefined && node.textContent !== String(text)) node.textContent = text;
    return node;
  }

  group(key, attrs, draw) {
    const node = this.add("g", key, attrs);
    node.abPainter = node.abPainter || new Painter(node, this.root);
    draw(node.abPainter);
    node.abPainter.finish();
    return node;
  }

  plot({ top = 12, right = 12, bottom = 40, left = 48 } = {}) {
    const box = { left, top, right: this.width - right, bottom: this.height - bottom };
    return { ...box, width: box.right - box.left, height: box.bottom - box.top };
  }

  clip(key, x, y, w, h) {
    const node = this.add("clipPath", key);
    node.id = node.id || newId();
    node.abRect = node.abRect || node.appendChild(document.createElementNS(SVG, "rect"));
    setAttributes(node.abRect, { x, y, width: Math.max(0, w), height: Math.max(0, h) });
    return `url(#${node.id})`;
  }

  hatch(key, colour = COLOUR.masked) {
    const node = this.add("pattern", key, {
      width: 6,
      height: 6,
      patternUnits: "userSpaceOnUse",
      patternTransform: "rotate(45)",
    });
    node.id = node.id || newId();
    node.abLine = node.abLine || node.appendChild(document.createElementNS(SVG, "line"));
    setAttributes(node.abLine, { x1: 0, y1: 0, x2: 0, y2: 6, stroke: colour, "stroke-width": 2.4 });
    return `url(#${node.id})`;
  }

  rect(key, x, y, w, h, attrs = {}) {
    return this.add("rect", key, { x, y, width: Math.max(0, w), height: Math.max(0, h), fill: COLOUR.ink, ...attrs });
  }

  circle(key, x, y, r, attrs = {}) {
    return this.add("circle", key, { cx: x, cy: y, r, fill: COLOUR.ink, ...attrs });
  }

  line(key, x1, y1, x2, y2, attrs = {}) {
    return this.add("line", key, { x1, y1, x2, y2, stroke: COLOUR.ink, "stroke-width": 1.5, ...attrs });
  }

  path(key, points, { close = false, ...attrs } = {}) {
    const round = (v) => Math.round(v * 10) / 10;
    const d = points.map(([x, y], i) => `${i ? "L" : "M"}${round(x)} ${round(y)}`).join("") + (close ? "Z" : "");
    const look = close ? { fill: COLOUR.ink } : { fill: "none", stroke: COLOUR.ink, "stroke-width": 2 };
    return this.add("path", key, { "stroke-linejoin": "round", "stroke-linecap": "round", ...look, ...attrs, d });
  }

  arrow(key, x1, y1, x2, y2, { colour = COLOUR.ink, width = 2, head = 9, ...attrs } = {}) {
    const length = Math.hypot(x2 - x1, y2 - y1);
    const [ux, uy] = length > 0 ? [(x2 - x1) / length, (y2 - y1) / length] : [0, 0];
    const size = Math.min(head, length);
    const [bx, by] = [x2 - ux * size, y2 - uy * size];
    return this.group(key, attrs, (g) => {
      g.line("shaft", x1, y1, bx, by, { stroke: colour, "stroke-width": width, "stroke-linecap": "round" });
      g.path(
        "head",
        [
          [x2, y2],
          [bx - uy * size * 0.45, by + ux * size * 0.45],
          [bx + uy * size * 0.45, by - ux * size * 0.45],
        ],
        { close: true, fill: colour },
      );
    });
  }

  text(
    key,
    x,
    y,
    string,
    { size = 13, anchor = "start", colour = COLOUR.ink, weight, italic, halo, rotate, mono, ...attrs } = {},
  ) {
    return this.add(
      "text",
      key,
      {
        x,
        y,
        "text-anchor": anchor,
        "font-size": size,
        fill: colour,
        "font-weight": weight,
        "font-style": italic ? "italic" : undefined,
        "font-family": mono ? "ui-monospace,Menlo,Consolas,monospace" : undefined,
        "paint-order": halo ? "stroke" : undefined,
        stroke: halo ? COLOUR.ground : undefined,
        "stroke-width": halo ? 4 : undefined,
        "stroke-linejoin": halo ? "round" : undefined,
        transform: rotate ? `rotate(${rotate} ${Math.round(x)} ${Math.round(y)})` : undefined,
        ...attrs,
      },
      string,
    );
  }

  mark(key, shape, x, y, size, attrs = {}) {
    if (shape === "circle") return this.circle(key, x, y, size, attrs);
    if (!OUTLINES[shape]) throw new Error(`no mark of shape "${shape}"`);
    const points = OUTLINES[shape].map(([a, b]) => [x + a * size, y + b * size]);
    return this.path(key, points, { close: true, ...attrs });
  }

  axes(key, { plot, x, y, xLabel, yLabel, xTicks = 5, yTicks = 5, xFormat, yFormat, grid = true }) {
    const at = (wanted, scale) =>
      Array.isArray(wanted) ? wanted : ticks(Math.min(...scale.domain), Math.max(...scale.domain), wanted);
    return this.group(key, { "aria-hidden": "true" }, (g) => {
      const xs = x ? at(xTicks, x) : [];
      const ys = y ? at(yTicks, y) : [];
      const xText = xFormat || tickText(xs);
      const yText = yFormat || tickText(ys);
      xs.forEach((v) => {
        if (grid) g.line(`gx${v}`, x(v), plot.top, x(v), plot.bottom, { stroke: COLOUR.grid, "stroke-width": 1 });
        g.text(`tx${v}`, x(v), plot.bottom + 17, xText(v), { size: 12, anchor: "middle", colour: COLOUR.muted });
      });
      ys.forEach((v) => {
        if (grid) g.line(`gy${v}`, plot.left, y(v), plot.right, y(v), { stroke: COLOUR.grid, "stroke-width": 1 });
        g.text(`ty${v}`, plot.left - 8, y(v) + 4, yText(v), { size: 12, anchor: "end", colour: COLOUR.muted });
      });
      if (x)
        g.line("base", plot.left, plot.bottom, plot.right, plot.bottom, { stroke: COLOUR.line, "stroke-width": 1.2 });
      if (xLabel)
        g.text("xLabel", (plot.left + plot.right) / 2, plot.bottom + 35, xLabel, {
          anchor: "middle",
          colour: COLOUR.ink,
        });
      if (yLabel)
        g.text("yLabel", 14, (plot.top + plot.bottom) / 2, yLabel, {
          anchor: "middle",
          colour: COLOUR.ink,
          rotate: -90,
        });
    });
  }

  legend(key, x, y, items, { maxWidth = Infinity, size = 12.5 } = {}) {
    let [left, row] = [0, 0];
    this.group(key, {}, (g) =>
      items.forEach(({ label, colour, mark = "line" }, i) => {
        const wide = 28 + columns(label) * size * 0.54 + 14; // an estimate: the text is not laid out yet
        if (left > 0 && left + wide > maxWidth) {
          left = 0;
          row += 20;
        }
        const [mx, my] = [x + left, y + row];
        const look = { stroke: colour, "stroke-width": 2.6, "stroke-dasharray": mark === "dash" ? "5 4" : undefined };
        if (mark === "line" || mark === "dash") g.line(`m${i}`, mx, my - 4, mx + 20, my - 4, look);
        else if (mark === "tick") g.line(`m${i}`, mx + 10, my - 11, mx + 10, my + 3, look);
        else if (mark === "box") g.rect(`m${i}`, mx + 4, my - 10, 13, 12, { fill: colour, rx: 2 });
        else if (mark === "outline")
          g.rect(`m${i}`, mx + 4, my - 10, 13, 12, { fill: "none", stroke: colour, "stroke-width": 1.3, rx: 2 });
        else if (mark === "hatch")
          g.rect(`m${i}`, mx + 4, my - 10, 13, 12, { fill: g.hatch(`h${i}`, colour), stroke: colour });
        else g.mark(`m${i}`, mark === "dot" ? "circle" : mark, mx + 10, my - 4, 5, { fill: colour });
        g.text(`t${i}`, mx + 28, my, label, { size });
        left += wide;
      }),
    );
    return row + 20;
  }

  cell(key, x, y, w, h, { weight = 0, masked = false, text, stroke = COLOUR.line, ...attrs } = {}) {
    return this.group(key, attrs, (g) => {
      g.rect("fill", x, y, w, h, { fill: masked ? COLOUR.ground : weightFill(weight), stroke, "stroke-width": 1 });
      if (masked) g.rect("hatch", x, y, w, h, { fill: g.hatch("pattern"), opacity: 0.75 });
      if (text !== undefined && !masked) {
        g.text("text", x + w / 2, y + h / 2 + 4.5, text, { anchor: "middle", colour: weightInk(weight), size: 12.5 });
      }
    });
  }

  where(event) {
    const matrix = this.root.node.getScreenCTM().inverse();
    const point = new DOMPoint(event.clientX, event.clientY).matrixTransform(matrix);
    return [point.x, point.y];
  }

  handle(key, options) {
    const { x, y, at, axis = "both", label, text, colour = COLOUR.accent, shape = "circle", size = 9 } = options;
    const [px, py] = [x ? x(at[0]) : at[0], y ? y(at[1]) : at[1]];
    const main = axis === "y" ? 1 : 0;
    const [low, high] = handleLimits(options);
    const node = this.group(
      key,
      {
        class: "ab-handle",
        tabindex: 0,
        role: "slider",
        "aria-label": label,
        "data-handle": key,
        "aria-valuenow": Number(at[main].toPrecision(6)),
        "aria-valuemin": low[main],
        "aria-valuemax": high[main],
        "aria-valuetext": text || at.map((v) => fmt(v)).join(", "),
        "aria-orientation": axis === "y" ? "vertical" : axis === "x" ? "horizontal" : undefined,
        cursor: axis === "x" ? "ew-resize" : axis === "y" ? "ns-resize" : "grab",
      },
      (g) => {
        g.circle("reach", px, py, Math.max(22, size + 8), { fill: "transparent" }); // a finger is 44 px wide
        g.circle("ring", px, py, size + 6, { fill: "none", class: "ab-ring" });
        g.mark("knob", shape, px, py, size, { fill: colour, stroke: COLOUR.ground, "stroke-width": 2 });
      },
    );
    node.abHandle = { ...options, axis, px, py, where: (event) => this.where(event) };
    if (!node.onpointerdown) makeMovable(node);
    return node;
  }
}

export function makeStage(parent, { label, height = 300, keep, basis, grow = 1, draw }, current) {
  const holder = html("div", { class: "ab-stage" });
  holder.style.flex = basis ? `${grow} 1 ${basis}px` : "1 1 100%";
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("font-family", FONT);
  holder.append(svg);
  parent.append(holder);
  const painter = new Painter(svg);
  painter.drawings = 0;
  let seen = 0;
  let kept = { of: null, height: 0 };

  // With `keep`, a drawing is never lower than it was before for the same thing.
  function heightAt(width) {
    const now = typeof height === "function" ? height(width) : height;
    if (!keep) return now;
    const of = keep(width);
    kept = { of, height: kept.of === of ? Math.max(kept.height, now) : now };
    return kept.height;
  }

  const width = () => Math.round(clamp(holder.clientWidth || basis || 640, 240, 900));
  function redraw(view) {
    seen = holder.clientWidth;
    painter.size = [width(), heightAt(width())];
    svg.setAttribute("viewBox", `0 0 ${painter.size.join(" ")}`);
    const words = (typeof label === "function" ? label(view) : label) || "";
    svg.setAttribute("aria-label", words);
    if (words) svg.removeAttribute("aria-hidden");
    else svg.setAttribute("aria-hidden", "true"); // nothing there yet
    draw(painter, view);
    painter.finish();
    svg.setAttribute("role", svg.querySelector("[tabindex]") ? "group" : "img"); // nothing to move: one picture
    painter.drawings += 1;
  }
  const observer = new ResizeObserver(() => {
    if (holder.clientWidth && holder.clientWidth !== seen && current()) requestAnimationFrame(() => redraw(current()));
  });
  observer.observe(holder);
  return { svg, width, draw: redraw, stop: () => observer.disconnect() };
}
