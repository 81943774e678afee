/* The small heat maps of all heads, and the large one of the chosen head. */

import { clamp, COLOUR, fmt, range, say, take, weightFill, weightInk } from "../kit/kit.js";

const [LAYERS, HEADS] = [6, 12];
const [SIDE, TOP, GAP] = [17, 42, 1];
const tileOf = (width) => Math.min(56, (width - SIDE - GAP * (HEADS - 1)) / HEADS);
export const gridHeight = (width) => TOP + LAYERS * (tileOf(width) + GAP) + 4;

// The cells of a map: for each shade one path, whose strokes are runs of cells. Seventy-two maps have too many cells
// for an element each.
function cells(p, key, weights, T, left, top, size, steps) {
  const shades = Array.from(weights, (a) => Math.round(steps * a));
  const paths = new Map();
  for (let i = 0; i < shades.length;) {
    const [from, shade] = [i, shades[i]];
    do i += 1;
    while (i % T && shades[i] === shade);
    if (shade) paths.set(shade, `${paths.get(shade) || ""}M${from % T} ${Math.floor(from / T)}h${i - from}`);
  }
  const at = (x) => Number(x.toFixed(3));
  const transform = `translate(${at(left)} ${at(top + size / 2)}) scale(${at(size)})`;
  p.group(key, { transform, "pointer-events": "none" }, (g) =>
    paths.forEach((d, shade) => g.add("path", `s${shade}`, { d, stroke: weightFill(shade / steps) })),
  );
}

export function drawGrid(p, view, act) {
  const { pieces, weights, T } = view.shown;
  const size = tileOf(p.width);
  p.text("title", 0, 15, say("All 72 heads"), { weight: 650, size: 14 });
  p.text("axes", p.width, 15, say("layers ↓, heads →"), { size: 12.5, anchor: "end", colour: COLOUR.muted });
  const centre = (i) => (i + 0.5) * (size + GAP);
  range(HEADS).forEach((h) => {
    const chosen = h + 1 === view.head;
    const style = {
      size: 12,
      anchor: "middle",
      weight: chosen ? 700 : 500,
      colour: chosen ? COLOUR.ink : COLOUR.muted,
    };
    p.text(`head${h}`, SIDE + centre(h), TOP - 6, String(h + 1), style);
  });
  const piece = pieces[view.query];
  range(LAYERS).forEach((l) => {
    const chosen = l + 1 === view.layer;
    const style = { size: 12, weight: chosen ? 700 : 500, colour: chosen ? COLOUR.ink : COLOUR.muted };
    p.text(`layer${l}`, 2, TOP + centre(l) + 4, String(l + 1), style);
    range(HEADS).forEach((h) => {
      const [left, top] = [SIDE + h * (size + GAP), TOP + l * (size + GAP)];
      const here = chosen && h + 1 === view.head;
      const go = ([down, right]) => {
        const [layer, head] = [clamp(l + 1 + down, 1, LAYERS), clamp(h + 1 + right, 1, HEADS)];
        act.choose(layer, head);
        p.root.node.querySelector(`[data-handle="head-${layer}-${head}"]`).focus();
      };
      const row = range(T).map((j) => weights[l][h][view.query * T + j]);
      const most = row.indexOf(Math.max(...row));
      p.group(
        `tile-${l}-${h}`,
        {
          role: "radio",
          "aria-checked": String(here),
          tabindex: here ? 0 : -1,
          "data-handle": `head-${l + 1}-${h + 1}`,
          cursor: "pointer",
          "aria-label": say`layer ${l + 1}, head ${h + 1}: ${piece} most at ${pieces[most]}, ${fmt(row[most])}`,
          onclick: () => go([0, 0]),
          onkeydown: (event) => {
            const by = { ArrowRight: [0, 1], ArrowLeft: [0, -1], ArrowDown: [1, 0], ArrowUp: [-1, 0] }[event.key];
            if (!by) return;
            take(event);
            go(by);
          },
        },
        (g) => {
          g.rect("ground", left, top, size, size, { fill: weightFill(0) });
          cells(g, "cells", weights[l][h], T, left, top, size / T, 10);
          g.rect("frame", left + 0.5, top + 0.5, size - 1, size - 1, {
            fill: "none",
            stroke: here ? COLOUR.query : COLOUR.line,
            "stroke-width": here ? 3 : 1,
          });
        },
      );
    });
  });
}

const LETTER = 7.2;
const cut = (piece) => (Array.from(piece).length > 12 ? `${Array.from(piece).slice(0, 11).join("")}…` : piece);
const place = (width, pieces) => {
  const labels = 10 + LETTER * Math.max(...pieces.map((piece) => Array.from(cut(piece)).length));
  const size = Math.min(36, (Math.min(480, width) - labels - 2) / pieces.length);
  return { left: labels, top: 24 + labels, size };
};
export const mapHeight = (width, pieces) => {
  const { top, size } = place(width, pieces);
  return Math.ceil(top + size * pieces.length + 2);
};

export function drawMap(p, view, act) {
  const { pieces, weights, T } = view.shown;
  const { left, top, size } = place(p.width, pieces);
  const map = weights[view.layer - 1][view.head - 1];
  const row = range(T).map((j) => map[view.query * T + j]);
  p.text("title", 0, 15, say`Layer ${view.layer}, head ${view.head}`, { weight: 650, size: 14 });
  p.text("axes", p.width, 15, p.narrow ? say("queries ↓, keys →") : say("queries down, keys across"), {
    size: 12.5,
    anchor: "end",
    colour: COLOUR.muted,
  });
  p.rect("ground", left, top, T * size, T * size, { fill: weightFill(0) });
  cells(p, "cells", map, T, left, top, size, 20);
  const every = Math.ceil(13 / size); // where there is no room for all words, some are named
  const strong = row.indexOf(Math.max(...row));
  pieces.forEach((piece, t) => {
    const near = (i) => every > 1 && t !== i && Math.abs(t - i) < every;
    if (t === view.query || (t % every === 0 && !near(view.query)))
      p.text(`row${t}`, left - 6, top + (t + 0.5) * size + 4.5, cut(piece), {
        size: 12.5,
        anchor: "end",
        weight: t === view.query ? 700 : 500,
        colour: t === view.query ? COLOUR.query : COLOUR.ink,
      });
    if (t === strong || (t % every === 0 && !near(strong)))
      p.text(`column${t}`, left + (t + 0.5) * size + 4.5, top - 6, cut(piece), {
        size: 12.5,
        rotate: -90,
        weight: t === strong ? 700 : 500,
        colour: t === strong ? COLOUR.keyInk : COLOUR.ink,
      });
  });
  if (size >= 20)
    p.group("numbers", { "aria-hidden": "true", "pointer-events": "none" }, (g) =>
      map.forEach((a, i) => {
        if (a < 0.095) return;
        g.text(`n${i}`, left + ((i % T) + 0.5) * size, top + (Math.floor(i / T) + 0.5) * size + 4.5, inCell(a), {
          size: 12,
          anchor: "middle",
          "letter-spacing": size < 24 ? -0.4 : undefined,
          colour: weightInk(a),
        });
      }),
    );
  p.rect("frame", left, top, T * size, T * size, { fill: "none", stroke: COLOUR.line, "pointer-events": "none" });
  p.rect("row", left - 1, top + view.query * size - 1, T * size + 2, size + 2, {
    fill: "none",
    stroke: COLOUR.query,
    "stroke-width": 2.5,
    "pointer-events": "none",
  });
  p.rect("reach", 0, top, left + T * size, T * size, {
    fill: "transparent",
    cursor: "pointer",
    "data-handle": "map",
    onclick: (event) => act.look(clamp(Math.floor((p.where(event)[1] - top) / size), 0, T - 1)),
  });
}

// "1" and ".93", which fit into small cells
const inCell = (a) => (a >= 0.995 ? "1" : fmt(a).replace("0.", "."));
