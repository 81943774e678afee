/* All scores of a sentence above a threshold, and the table of one type. */

import { clamp, COLOUR, fmt, say, weightFill, weightInk } from "../kit/kit.js";
import { linear } from "../kit/paint.js";
import { MARKS, REACH, scoreAt, shade, TYPES } from "./maths.js";

const ROW = 26;
export const SCORES_HEIGHT = 34 + ROW * TYPES.length + 42;

export function layout(width, words) {
  const left = Math.max(...words.map((word) => word.length)) * 7.4 + 14;
  const size = Math.min(34, (width - left - 4) / words.length);
  return { left, top: left + 28, size, bottom: left + 28 + size * words.length };
}

export function drawTable(p, view, act) {
  const { words, cell } = view;
  const { left, top, size } = layout(p.width, words);
  const hatch = p.hatch("hatch", COLOUR.masked);
  p.text("title", 0, 15, say`${view.type}: starts down, ends across`, { weight: 650, size: 14 });
  words.forEach((word, t) => {
    const [starts, ends] = [t === cell[0], t === cell[1]];
    p.text(`row${t}`, left - 7, top + (t + 0.5) * size + 4.5, word, {
      anchor: "end",
      size: 13,
      weight: starts ? 700 : 500,
      colour: COLOUR.query,
    });
    p.text(`column${t}`, left + (t + 0.5) * size + 4.5, top - 7, word, {
      rotate: -90,
      size: 13,
      weight: ends ? 700 : 500,
      colour: COLOUR.key,
    });
  });
  const all = {
    role: "group",
    tabindex: 0,
    "data-handle": "table",
    "data-control": "table",
    onkeydown: act.onKey,
    "aria-label": say`Table of scores. ${view.cellText}`,
  };
  p.group("cells", all, (g) =>
    words.forEach((_, i) =>
      words.forEach((__, j) => {
        const [x, y] = [left + j * size, top + i * size];
        const score = scoreAt(view.layer, i, j);
        const a = score === null ? 0 : shade(score, view.threshold);
        g.rect(`c${i}-${j}`, x, y, size, size, {
          fill: score === null ? COLOUR.ground : weightFill(a),
          stroke: COLOUR.grid,
          "stroke-width": 1,
          "data-cell": `${i}-${j}`,
        });
        if (score === null) g.rect(`h${i}-${j}`, x, y, size, size, { fill: hatch, opacity: 0.5 });
        const found = view.marked.find((span) => span.type === view.number && span.i === i && span.j === j);
        if (found)
          g.text(`m${i}-${j}`, x + size / 2, y + size / 2 + 5, MARKS[found.kind], {
            anchor: "middle",
            size: 14,
            weight: 700,
            colour: weightInk(a),
            "data-mark": `${i}-${j}`,
          });
      }),
    ),
  );
  p.text("key", left + 6, top + (words.length - 0.5) * size + 4.5, say("darker: higher score"), {
    size: 12.5,
    colour: COLOUR.muted,
    halo: true,
    "pointer-events": "none",
  });
  p.rect("chosen", left + cell[1] * size + 1, top + cell[0] * size + 1, size - 2, size - 2, {
    fill: "none",
    stroke: COLOUR.accent,
    "stroke-width": 2.5,
    rx: 3,
    "pointer-events": "none",
  });
  const cellAt = (event) => {
    const [x, y] = p.where(event);
    return [y - top, x - left].map((at) => clamp(Math.floor(at / size), 0, words.length - 1));
  };
  p.rect("reach", left, top, size * words.length, size * words.length, {
    fill: "transparent",
    cursor: "pointer",
    "data-handle": "reach",
    onpointermove: (event) => {
      if (event.pointerType === "mouse") act.hover(cellAt(event));
    },
    onpointerleave: () => act.hover(null),
    onclick: (event) => {
      act.hover(null);
      act.set({ cell: cellAt(event) });
    },
  });
}

export function drawScores(p, view, set) {
  const [left, top, row] = [58, 34, ROW];
  const bottom = top + row * TYPES.length;
  const x = linear([-REACH, REACH], [left, p.width - 12]);
  p.text("title", 0, 15, say("The scores of all spans"), { weight: 650, size: 14 });
  p.rect("above", x(view.threshold), top, x(REACH) - x(view.threshold), bottom - top, {
    fill: COLOUR.accent,
    "fill-opacity": 0.1,
  });
  p.axes("axes", {
    plot: { left, top, right: x(REACH), bottom },
    x,
    xTicks: p.narrow ? 4 : 8,
    xLabel: say`score (${view.below} spans score below −${REACH})`,
  });
  TYPES.forEach((type, t) => {
    const y = top + (t + 0.5) * row;
    const chosen = t === view.number;
    p.text(`type${t}`, left - 8, y + 4.5, type, { anchor: "end", weight: chosen ? 700 : 500 });
    p.line(`base${t}`, left, y, x(REACH), y, { stroke: COLOUR.line, "stroke-width": 1 });
  });
  const drawn = view.spans.filter(({ score }) => score >= -REACH);
  p.group("spans", {}, (g) =>
    drawn.forEach((span) => {
      const key = `${span.type}-${span.i}-${span.j}`;
      const [px, py] = [x(span.score), top + (span.type + 0.5) * row];
      const chosen = span.type === view.number && String([span.i, span.j]) === String(view.cell);
      if (chosen) g.circle("chosen", px, py, 10, { fill: "none", stroke: COLOUR.accent, "stroke-width": 2.5 });
      if (span.kind)
        g.text(key, px, py + 5, MARKS[span.kind], { anchor: "middle", size: 15, weight: 700, halo: true });
      else g.circle(key, px, py, 3.5, { fill: COLOUR.muted, "fill-opacity": 0.7 });
    }),
  );
  // the dots are small and close to each other: a click takes the nearest of its row
  p.rect("dots", left, top, x(REACH) - left, bottom - top, {
    fill: "transparent",
    cursor: "pointer",
    "data-handle": "dots",
    onclick: (event) => {
      const [px, py] = p.where(event);
      const type = clamp(Math.floor((py - top) / row), 0, TYPES.length - 1);
      const near = drawn.filter((span) => span.type === type);
      near.sort((a, b) => Math.abs(x(a.score) - px) - Math.abs(x(b.score) - px));
      if (near.length) set({ type: TYPES[type], cell: [near[0].i, near[0].j] });
    },
  });
  p.line("line", x(view.threshold), top - 6, x(view.threshold), bottom, {
    stroke: COLOUR.accent,
    "stroke-width": 2.5,
  });
  p.handle("threshold", {
    x,
    at: [view.threshold, top - 10],
    axis: "x",
    step: 0.5,
    min: [-REACH, top - 10],
    max: [REACH, top - 10],
    size: 7,
    label: say("threshold"),
    text: fmt(view.threshold, 1),
    onMove: ([to]) => set({ threshold: Math.round(2 * to) / 2 }),
  });
}
