/* The heat maps of all heads, the large map of one, and the next word. */

import { clamp, COLOUR, fmt, range, say, take, weightInk } from "../kit/kit.js";
import { CLASS_NAMES, foremost, headFacts, HEADS, isOff, JOBS, LAYERS, VOCABULARY } from "./maths.js";
import { headName, weightMap } from "./sentence.js";

const GRID = { top: 18, label: 34, side: 22, gap: 8 };
const tileSize = (width) => Math.min(78, (width - GRID.side - GRID.gap * (HEADS - 1)) / HEADS);
export const gridHeight = (width) => GRID.top + 14 + LAYERS * (tileSize(width) + GRID.label + 6);

// Over the weights of a head that is off.
const veil = (p, left, top, size) =>
  p.rect("veil", left, top, size, size, { fill: COLOUR.ground, "fill-opacity": 0.8, "pointer-events": "none" });

export function drawGrid(p, view, fig) {
  const size = tileSize(p.width);
  const T = view.words.length;
  const hatch = p.hatch("hatching", COLOUR.masked);
  p.text("title", 0, 15, say("All heads, and their usual target"), { weight: 650, size: 14 });
  range(LAYERS).forEach((l) => {
    const top = GRID.top + 8 + l * (size + GRID.label + 6);
    p.text(`layer${l}`, 12, top + size / 2, say`layer ${l + 1}`, {
      size: 12.5,
      anchor: "middle",
      rotate: -90,
      colour: COLOUR.muted,
    });
    range(HEADS).forEach((h) => {
      const left = GRID.side + h * (size + GRID.gap);
      const [chosen, off] = [l + 1 === view.layer && h + 1 === view.head, isOff(view.off, l + 1, h + 1)];
      const [name, short, a] = foremost(headFacts(l + 1, h + 1));
      const go = (to) => {
        const [dl, dh] = to;
        const [layer, head] = [clamp(l + 1 + dl, 1, LAYERS), clamp(h + 1 + dh, 1, HEADS)];
        fig.set({ layer, head });
        p.root.node.querySelector(`[data-handle="head-${layer}-${head}"]`).focus();
      };
      p.group(
        `head-${l}-${h}`,
        {
          role: "radio",
          "aria-checked": String(chosen),
          tabindex: chosen ? 0 : -1,
          "data-handle": `head-${l + 1}-${h + 1}`,
          cursor: "pointer",
          "aria-label": off
            ? say`layer ${l + 1}, head ${h + 1}, switched off: ${JOBS[name].called} ${fmt(a)}`
            : say`layer ${l + 1}, head ${h + 1}: ${JOBS[name].called} ${fmt(a)}`,
          onclick: () => go([0, 0]),
          onkeydown: (event) => {
            const by = { ArrowRight: [0, 1], ArrowLeft: [0, -1], ArrowDown: [1, 0], ArrowUp: [-1, 0] }[event.key];
            if (event.key === "Enter" || event.key === " ") fig.toggle(l + 1, h + 1);
            else if (by) go(by);
            else return;
            take(event);
          },
        },
        (g) => {
          g.rect("ground", left - 3, top - 3, size + 6, size + GRID.label + 4, {
            fill: chosen ? COLOUR.panel : COLOUR.ground,
            rx: 5,
          });
          weightMap(g, "map", view.run.weights[l][h], left, top, size / T, hatch);
          if (off) {
            veil(g, left, top, size);
            g.text("off", left + size / 2, top + size / 2 + 5, say("off"), { size: 14, weight: 700, anchor: "middle" });
          }
          g.rect("frame", left, top, size, size, {
            fill: "none",
            stroke: chosen ? COLOUR.accent : COLOUR.line,
            "stroke-width": chosen ? 3 : 1,
            rx: 2,
          });
          g.text("name", left + size / 2, top + size + 15, short, {
            size: 12,
            anchor: "middle",
            weight: chosen ? 650 : 500,
            colour: chosen ? COLOUR.ink : COLOUR.muted,
          });
          g.text("share", left + size / 2, top + size + 29, fmt(a), {
            size: 12,
            anchor: "middle",
            weight: chosen ? 650 : 500,
            colour: chosen ? COLOUR.ink : COLOUR.muted,
          });
        },
      );
    });
  });
}

// The map is as large for a short sentence: its cells are larger then.
const LABELS = Math.max(...VOCABULARY.map((word) => word.length)) * 7.2 + 12;
export const mapLayout = (width, words) => {
  const side = Math.min(465, width - LABELS - 2);
  const [left, size, top] = [LABELS, Math.min(52, side / words.length), 26 + LABELS];
  return { left, size, top, bottom: top + size * words.length, end: top + side };
};

// "1" and ".93", which fit into small cells
export const inCell = (a) => (a >= 0.995 ? "1" : fmt(a).replace("0.", "."));

export function drawMap(p, view, fig) {
  const { words, query } = view;
  const { left, size, top, bottom } = mapLayout(p.width, words);
  const rows = view.run.weights[view.layer - 1][view.head - 1];
  const T = words.length;
  p.text("title", 0, 15, headName(view), { weight: 650, size: 14 });
  const axes = p.narrow ? say("queries ↓, keys →") : say("queries down, keys across");
  p.text("axes", p.width, 15, axes, { size: 12.5, anchor: "end", colour: COLOUR.muted });
  words.forEach((word, t) => {
    const strong = t === query;
    p.text(`row${t}`, left - 7, top + (t + 0.5) * size + 4.5, word, {
      size: 13,
      anchor: "end",
      weight: strong ? 700 : 500,
      colour: strong ? COLOUR.query : COLOUR.ink,
    });
    const key = t <= query && view.row[t] >= 0.095;
    p.text(`column${t}`, left + (t + 0.5) * size + 4.5, top - 7, word, {
      size: 13,
      rotate: -90,
      weight: key ? 700 : 500,
      colour: key && !view.silent ? COLOUR.keyInk : t <= query ? COLOUR.ink : COLOUR.muted,
    });
  });
  weightMap(p, "map", rows, left, top, size, p.hatch("hatching", COLOUR.masked));
  if (view.silent) veil(p, left, top, T * size);
  p.group("lines", { "aria-hidden": "true", "pointer-events": "none" }, (g) =>
    range(T + 1).forEach((i) => {
      g.line(`h${i}`, left, top + i * size, left + T * size, top + i * size, {
        stroke: COLOUR.grid,
        "stroke-width": 1,
      });
      g.line(`v${i}`, left + i * size, top, left + i * size, bottom, { stroke: COLOUR.grid, "stroke-width": 1 });
    }),
  );
  p.group("numbers", { "aria-hidden": "true", "pointer-events": "none" }, (g) =>
    rows.forEach((row, i) =>
      row.forEach((a, j) => {
        if (a < 0.095 || j > i) return;
        g.text(`n${i}-${j}`, left + (j + 0.5) * size, top + (i + 0.5) * size + 4.5, inCell(a), {
          size: 12,
          anchor: "middle",
          "letter-spacing": size < 24 ? -0.4 : undefined,
          colour: view.silent ? COLOUR.muted : weightInk(a),
          "data-number": `cell-${i}-${j}`,
        });
      }),
    ),
  );
  p.rect("frame", left, top, T * size, T * size, {
    fill: "none",
    stroke: COLOUR.line,
    "stroke-width": 1,
    "pointer-events": "none",
  });
  p.rect("row", left - 1, top + query * size - 1, (query + 1) * size + 2, size + 2, {
    fill: "none",
    stroke: COLOUR.query,
    "stroke-width": 2.5,
    rx: 2,
    "pointer-events": "none",
  });
  const rowAt = (event) => clamp(Math.floor((p.where(event)[1] - top) / size), 0, T - 1);
  p.rect("reach", 0, top, left + T * size, T * size, {
    fill: "transparent",
    cursor: "pointer",
    "data-handle": "map",
    onpointermove: (event) => {
      if (event.pointerType === "mouse") fig.hover(rowAt(event));
    },
    onpointerleave: () => fig.hover(null),
    onclick: (event) => {
      fig.hover(null);
      fig.set({ query: rowAt(event) });
    },
  });
}

const NEXT = 4; // classes that are shown
export const nextHeight = 24 + 36 * NEXT + 22;

export function drawNext(p, view) {
  const { words, query, classes } = view;
  const truth = words[query + 1];
  p.text("title", 0, 15, say`What comes after “${words[query]}”?`, { weight: 650, size: 14 });
  const start = 108;
  const long = p.width - start - 36;
  classes.slice(0, NEXT).forEach(({ name, p: chance, words: some }, i) => {
    const y = 26 + i * 36;
    const best = some.filter(([, q]) => q >= 0.005).slice(0, p.width - start > 225 ? 3 : 2);
    p.text(`name${i}`, 0, y + 14, CLASS_NAMES[name] ?? name, { size: 13, weight: i === 0 ? 650 : 500 });
    p.rect(`ground${i}`, start, y + 2, long, 15, { fill: COLOUR.panel, rx: 3 });
    p.rect(`bar${i}`, start, y + 2, Math.max(1, long * chance), 15, { fill: COLOUR.output, rx: 3 });
    p.text(`share${i}`, p.width, y + 14, fmt(chance), {
      size: 12.5,
      anchor: "end",
      weight: i === 0 ? 650 : 500,
      "data-number": `class-${i}`,
    });
    if (some.length > 1)
      p.text(`words${i}`, start, y + 30, best.map(([word, q]) => `${word} ${fmt(q)}`).join(" · "), {
        size: 12,
        colour: COLOUR.muted,
      });
  });
  const told = truth
    ? say`In this sentence: “${truth}”, ${fmt(view.now.next[query][VOCABULARY.indexOf(truth)])}`
    : say("The sentence ends here.");
  p.text("truth", 0, 26 + 36 * NEXT + 14, told, { size: 13, "data-number": "truth" });
}
