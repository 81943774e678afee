/* The fit over the row of weights, and the errors against the width. */

import { clamp, COLOUR, fmt, linspace, range, say, variance } from "../kit/kit.js";
import { linear, ticks, tickText } from "../kit/paint.js";
import { KERNELS, lowest, predict, trueCurve, WIDTHS } from "./maths.js";

const roundUp = (a) => [0.02, 0.05, 0.1, 0.2, 0.5].find((step) => a <= step) || 1;

export function drawFit(p, view, act) {
  const { x: keys, y: values, kernel, width, query, own, weights, prediction, domain, chosen } = view;
  const items = [
    { label: say("measured points"), colour: COLOUR.value, mark: "dot" },
    { label: say("fit and errors"), colour: COLOUR.output },
  ];
  if (view.truth) items.splice(1, 0, { label: say("truth"), colour: COLOUR.ink, mark: "dash" });
  const top = 10 + p.legend("legend", 42, 12, items, { maxWidth: p.width - 42 });
  const strip = { height: Math.round(0.22 * p.height), bottom: p.height - 40 };
  strip.top = strip.bottom - strip.height;
  const rail = strip.top - 22; // the query moves on it
  const plot = { left: 42, right: p.width - 12, top, bottom: rail - 18 };
  const x = linear(domain, [plot.left, plot.right]);
  const y = linear(view.ends, [plot.bottom, plot.top]);
  const most = Math.max(...weights);
  const bars = linear([0, roundUp(most)], [strip.bottom, strip.top]);
  const inside = p.clip("inside", plot.left, plot.top - 6, plot.right - plot.left, plot.bottom - plot.top + 6);

  p.group("axes", { "aria-hidden": "true" }, (g) => {
    const places = ticks(...domain, p.narrow ? 5 : 6);
    const text = tickText(places);
    places.forEach((v) => {
      g.line(`grid${v}`, x(v), plot.top, x(v), plot.bottom, { stroke: COLOUR.grid, "stroke-width": 1 });
      g.line(`stem${v}`, x(v), strip.top, x(v), strip.bottom, { stroke: COLOUR.grid, "stroke-width": 1 });
      g.text(`tick${v}`, x(v), strip.bottom + 17, text(v), { size: 12, anchor: "middle", colour: COLOUR.muted });
    });
    const levels = ticks(...view.ends, 5);
    const level = tickText(levels);
    levels.forEach((v) => {
      g.line(`level${v}`, plot.left, y(v), plot.right, y(v), { stroke: COLOUR.grid, "stroke-width": 1 });
      g.text(`value${v}`, plot.left - 8, y(v) + 4, level(v), { size: 12, anchor: "end", colour: COLOUR.muted });
    });
    g.text("y", 12, (plot.top + plot.bottom) / 2, say("value y"), { anchor: "middle", rotate: -90 });
    g.text("x", (plot.left + plot.right) / 2, strip.bottom + 35, say("key x"), { anchor: "middle" });
    g.text("weight", 12, (strip.top + strip.bottom) / 2, say("weight α"), { anchor: "middle", rotate: -90 });
    g.text("most", plot.left - 8, strip.top + 5, String(roundUp(most)), {
      size: 12,
      anchor: "end",
      colour: COLOUR.muted,
    });
    g.text("none", plot.left - 8, strip.bottom + 4, "0", { size: 12, anchor: "end", colour: COLOUR.muted });
    g.line("rail", plot.left, rail, plot.right, rail, {
      stroke: COLOUR.line,
      "stroke-width": 3,
      "stroke-linecap": "round",
    });
    g.line("base", plot.left, strip.bottom, plot.right, strip.bottom, { stroke: COLOUR.line, "stroke-width": 1.2 });
  });

  // The fit at every pixel, in pieces: between two pieces no key is in reach.
  const pieces = [[]];
  const gaps = [];
  range(Math.floor(plot.right - plot.left) + 1).forEach((i) => {
    const place = x.invert(plot.left + i);
    const f = predict(kernel, width, place, keys, values);
    if (f !== null) {
      pieces.at(-1).push([plot.left + i, y(f)]);
      return;
    }
    if (pieces.at(-1).length || i === 0) {
      pieces.push([]);
      gaps.push([plot.left + i, 1]);
    } else gaps.at(-1)[1] += 1;
  });
  p.group("gaps", { "aria-hidden": "true" }, (g) =>
    gaps.forEach(([left, wide], i) => {
      g.rect(`tint${i}`, left, plot.top, wide, plot.bottom - plot.top, { fill: COLOUR.masked, opacity: 0.13 });
      g.rect(`gap${i}`, left, plot.top, wide, plot.bottom - plot.top, { fill: g.hatch(`hatch${i}`), opacity: 0.4 });
      if (wide > 34)
        g.text(`text${i}`, left + wide / 2, plot.bottom - 8, "0/0", {
          size: 12.5,
          weight: 650,
          anchor: "middle",
          halo: true,
        });
    }),
  );
  p.group("curves", { "clip-path": inside, "aria-hidden": "true" }, (g) => {
    keys.forEach((key, j) => {
      // how far the prediction at each training point is off
      const f = view.fitted[j] ?? 0;
      g.line(`off${j}`, x(key), y(values[j]), x(key), y(f), {
        stroke: COLOUR.output,
        "stroke-width": 1.2,
        opacity: 0.75,
      });
      if (!own) g.line(`left${j}`, x(key) - 4, y(f), x(key) + 4, y(f), { stroke: COLOUR.output, "stroke-width": 2 });
    });
    if (view.truth)
      g.path(
        "truth",
        linspace(...domain, 201).map((v) => [x(v), y(trueCurve(v))]),
        { "stroke-dasharray": "6 5", "stroke-width": 1.6 },
      );
    pieces
      .filter((piece) => piece.length)
      .forEach((piece, i) => g.path(`fit${i}`, piece, { stroke: COLOUR.output, "stroke-width": 3 }));
  });

  // The row of weights, under the kernel's own shape.
  p.group("weights", { "aria-hidden": "true" }, (g) => {
    if (most > 0) {
      const one = weights.indexOf(most);
      const scale = most / KERNELS[kernel](Math.abs(query - keys[one]) / width);
      const shape = range(Math.floor(plot.right - plot.left) + 1)
        .map((i) => plot.left + i)
        .map((px) => [
          px,
          bars(Math.min(bars.domain[1], scale * KERNELS[kernel](Math.abs(query - x.invert(px)) / width))),
        ]);
      if (Number.isFinite(scale))
        g.path("shape", [[plot.left, strip.bottom], ...shape, [plot.right, strip.bottom]], {
          close: true,
          fill: COLOUR.weight,
          "fill-opacity": 0.14,
        });
    }
    keys.forEach((key, j) => {
      g.line(`key${j}`, x(key), strip.bottom, x(key), strip.bottom + 5, { stroke: COLOUR.key, "stroke-width": 1.4 });
      if (j === view.skip)
        g.rect(`own${j}`, x(key) - 5, strip.top, 10, strip.height, { fill: g.hatch("hatch"), stroke: COLOUR.masked });
      else if (weights[j] > 0)
        g.line(`bar${j}`, x(key), strip.bottom, x(key), bars(weights[j]), { stroke: COLOUR.weight, "stroke-width": 3 });
    });
    if (most === 0)
      g.text("nothing", (plot.left + plot.right) / 2, strip.top + strip.height / 2, say("no key in reach: 0/0"), {
        anchor: "middle",
        weight: 650,
        halo: true,
      });
  });

  p.line(
    "plumb",
    x(query),
    prediction === null ? plot.top : clamp(y(prediction), plot.top, plot.bottom),
    x(query),
    strip.bottom,
    { stroke: COLOUR.query, "stroke-width": 1.6, "stroke-dasharray": "2 4", "stroke-linecap": "round" },
  );
  // Under each point a wider spot for the mouse's hand.
  keys.forEach((key, j) => p.circle(`reach${j}`, x(key), y(values[j]), 11, { fill: "transparent", cursor: "grab" }));
  const share = (j) => (most > 0 ? weights[j] / most : 0);
  const size = (j) => 2.8 + 4.2 * Math.sqrt(share(j));
  const spot = (key, j, attrs) =>
    p.circle(key, x(keys[j]), y(values[j]), size(j), {
      fill: COLOUR.value,
      "fill-opacity": 0.3 + 0.7 * share(j),
      stroke: COLOUR.value,
      "pointer-events": "none",
      ...attrs,
    });
  keys.forEach((_, j) => spot(`point${j}`, j, { "data-point": j }));
  // The handle's knob is only the ground on which the chosen point is drawn once more.
  p.handle("point", {
    x,
    y,
    at: [keys[chosen], values[chosen]],
    step: 0.05,
    colour: COLOUR.ground,
    size: size(chosen) - 1,
    label: say`training point ${view.rank + 1} of ${keys.length}; Page Up and Page Down choose another`,
    text: say`x ${fmt(keys[chosen])}, y ${fmt(values[chosen])}, weight ${fmt(weights[chosen], 3)}`,
    onMove: (to) => act.movePoint(to, [domain, view.ends]),
  });
  spot("chosen", chosen);
  p.handle("query", {
    x,
    at: [query, rail],
    axis: "x",
    min: [domain[0], rail],
    max: [domain[1], rail],
    step: 0.05,
    colour: COLOUR.query,
    size: 12,
    label: say("query"),
    text:
      prediction === null
        ? say`x ${fmt(query)}, no key in reach`
        : say`x ${fmt(query)}, prediction ${fmt(prediction)}`,
    onMove: ([to]) => act.moveQuery(to),
  });
  p.text("q", x(query), rail + 5, "q", {
    size: 14,
    weight: 650,
    italic: true,
    anchor: "middle",
    colour: COLOUR.ground,
    "pointer-events": "none",
  });
  if (prediction !== null) {
    p.circle("prediction", x(query), clamp(y(prediction), plot.top, plot.bottom), 6.5, {
      fill: COLOUR.output,
      stroke: COLOUR.ink,
      "stroke-width": 1.5,
      "pointer-events": "none",
    });
  }
  act.seen = { p, x, y, plot, view };
}

// ---- the errors against the width --------------------------------------------------------------------

const ERRORS = [
  ["leave_one_out", say("leave-one-out (own point out)"), COLOUR.weight, undefined, "circle"],
  ["train", say("training (own point in)"), COLOUR.muted, "6 4", "square"],
  ["truth", say("to the truth"), COLOUR.ink, "7 3 1.5 3", "diamond"],
];

export function drawErrors(p, view) {
  const shown = ERRORS.filter(([name]) => name !== "truth" || view.truth);
  p.text("title", 2, 15, say("Error against width"), { weight: 650, size: 14 });
  const plot = p.plot({ top: 54 + 20 * shown.length, right: 12, bottom: 40, left: 48 });
  const note = 34 + 20 * shown.length;
  p.circle("lowest", 17, note - 4, 6, { fill: "none", stroke: COLOUR.ink, "stroke-width": 1.6 });
  p.text("lowest-label", 38, note, say("lowest point"), { size: 12.5 });
  const x = linear([-2, 1], [plot.left, plot.right]);
  const top = Math.ceil(Math.log10(2 * variance(view.y) || 1));
  const y = linear([top - 3, top], [plot.bottom, plot.top]);
  const power = (v) => String(Number((10 ** v).toPrecision(1)));
  p.axes("axes", {
    plot,
    x,
    y,
    xLabel: say("width"),
    xTicks: [-2, -1, 0, 1],
    yTicks: range(top - 3, top + 1),
    xFormat: power,
    yFormat: power,
  });
  const height = (error) => clamp(y(Math.log10(Math.max(error, 1e-12))), plot.top, plot.bottom + 30);
  p.line("width", x(Math.log10(view.width)), plot.top, x(Math.log10(view.width)), plot.bottom, {
    stroke: COLOUR.accent,
    "stroke-width": 1.5,
    "stroke-dasharray": "2 4",
    "stroke-linecap": "round",
  });
  const inside = p.clip("inside", plot.left - 6, plot.top - 6, plot.width + 12, plot.height + 6);
  shown.forEach(([name, label, colour, dashes, shape], i) => {
    const row = 34 + 20 * i;
    p.line(`sample-${name}`, 4, row - 4, 30, row - 4, {
      stroke: colour,
      "stroke-width": 2.4,
      "stroke-dasharray": dashes,
    });
    p.mark(`shape-${name}`, shape, 17, row - 4, 4.5, { fill: colour });
    p.text(`label-${name}`, 38, row, label, { size: 12.5 });
    p.group(name, { "clip-path": inside, "aria-hidden": "true" }, (g) => {
      const curve = view.sweep[name];
      g.path(
        "curve",
        curve.map((error, k) => [x(Math.log10(WIDTHS[k])), height(error)]),
        { stroke: colour, "stroke-width": 2.2, "stroke-dasharray": dashes },
      );
      if (name !== "train") {
        const best = lowest(curve);
        g.circle("lowest", x(Math.log10(WIDTHS[best])), height(curve[best]), 8, {
          fill: "none",
          stroke: colour,
          "stroke-width": 1.6,
        });
      }
      g.mark("now", shape, x(Math.log10(view.width)), height(view.errors[name].error), 4.5, {
        fill: colour,
        stroke: COLOUR.ground,
        "stroke-width": 1,
      });
    });
  });
}
