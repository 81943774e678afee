/* The plane, and the weights of two scores side by side. */

import { COLOUR, dot, fmt, range, say } from "../kit/kit.js";
import { linear } from "../kit/paint.js";
import { joinPieces, levelStep, onCircle, REACH, region } from "./maths.js";

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

export const subscript = (j) => "₁₂₃₄"[j];

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

export function drawPlane(p, view, fig) {
  const plot = p.plot({ top: 30, right: 10, bottom: 40, left: 44 });
  const x = linear([-REACH, REACH], [plot.left, plot.right]);
  const y = linear([-REACH, REACH], [plot.bottom, plot.top]);
  p.text("title", 0, 15, say`Score over all keys: ${view.label}`, { weight: 650, size: 14 });
  p.axes("axes", {
    plot,
    x,
    y,
    xLabel: say("first feature"),
    yLabel: say("second feature"),
    xTicks: 6,
    yTicks: 6,
    grid: false,
  });

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
      label: say`key ${j + 1}`,
      colour: COLOUR.key,
      shape: "diamond",
      size: 8,
      text: say`${fmt(key[0])}, ${fmt(key[1])}: score ${fmt(view.scores[j])}, weight ${fmt(view.weights[j])}`,
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
    label: say("query"),
    colour: COLOUR.query,
    size: 9,
    onMove: (query) => fig.set({ query }),
  });
  name("queryName", "q", view.query, COLOUR.query, view.name === "gaussian" ? 17 : 13);
  if (view.bent && view.bent.every((v) => Math.abs(v) < REACH - 0.3)) name("bentName", "Mᵀq", view.bent, COLOUR.query);
}

// For each key the weight of the chosen score, and of the one it is compared with.
export function drawWeights(p, view) {
  const wide = p.width - 34 - 44;
  const hatch = p.hatch("hatch", COLOUR.weight);
  p.text("title", 0, 15, say("Softmax over the four keys"), { weight: 650, size: 14 });
  p.legend(
    "legend",
    -4,
    38,
    [
      { label: view.label, colour: COLOUR.weight, mark: "box" },
      { label: view.other, colour: COLOUR.weight, mark: "hatch" },
    ],
    { maxWidth: p.width },
  );
  view.keys.forEach((key, j) => {
    const y = 58 + j * 62;
    const bar = (name, at, weight, fill) => {
      p.rect(`${name}${j}`, 34, at, Math.max(2, wide * weight), 15, {
        fill,
        stroke: COLOUR.weight,
        "stroke-width": 1,
        rx: 3,
      });
      p.text(`${name}Text${j}`, 40 + wide * weight, at + 12, fmt(weight, 3), {
        size: 12.5,
        weight: name === "weight" ? 650 : 400,
        "data-cell": `${name}-${j + 1}`,
      });
    };
    p.text(`name${j}`, 0, y + 15, `k${subscript(j)}`, { colour: COLOUR.keyInk, weight: 700, size: 14 });
    bar("weight", y, view.weights[j], COLOUR.weight);
    bar("other", y + 18, view.others[j], hatch);
    const norm = ["dot", "gaussian"].includes(view.name) ? say`; −½‖k‖²: ${fmt(-dot(key, key) / 2)}` : "";
    p.text(`score${j}`, 34, y + 48, `${say`score ${fmt(view.scores[j])}`}${norm}`, {
      size: 12,
      colour: COLOUR.muted,
      "data-cell": `score-${j + 1}`,
      "data-norm": fmt(-dot(key, key) / 2),
    });
  });
}
