/* The other two views: similarities of positions, and attention on shuffled words. */

import { clamp, COLOUR, fmt, range, say, signedFill, signedInk } from "../kit/kit.js";
import { linear } from "../kit/paint.js";
import { FURTHEST, P, plain } from "./maths.js";
import { heat, MAP, shadeKey, viewHeight } from "./waves.js";

export function drawGram(p, view, fig) {
  const { gram, at, k, D, phone } = view;
  const left = 44;
  const wide = Math.min(p.width - left - 24, p.height - MAP.top - 28) / P;
  const tall = wide; // so that what is as far apart lies on a diagonal
  const bottom = MAP.top + P * tall;
  const limit = Math.max(...gram.map((row, q) => row[q]));
  p.text("title", 0, 15, say("PE(p) · PE(p′): p down, p′ across"), { weight: 650, size: 14 });
  heat(p, "map", gram, { left, top: MAP.top, wide, tall, limit });
  if (phone) sayDiagonals(p, view, left + P * wide + 16);
  shadeKey(p, "key", phone ? left + P * wide + 36 : left + 24, phone ? MAP.top + 10 : MAP.top - 12, limit);
  p.group("axis", { "aria-hidden": "true" }, (g) =>
    range(0, P)
      .filter((q) => q % 8 === 0)
      .forEach((q) => {
        g.text(`p${q}`, left - 20, MAP.top + (q + 0.5) * tall + 4, String(q), {
          size: 12,
          anchor: "end",
          colour: COLOUR.muted,
        });
        g.text(`q${q}`, left + (q + 0.5) * wide, bottom + 16, String(q), {
          size: 12,
          anchor: "middle",
          colour: COLOUR.muted,
        });
      }),
  );
  const y = MAP.top + at * tall;
  p.rect("row", left - 1, y - 1, P * wide + 2, tall + 2, {
    fill: "none",
    stroke: COLOUR.query,
    "stroke-width": 2,
    "pointer-events": "none",
  });
  p.handle("position", {
    y: linear([0, P], [MAP.top + tall / 2, MAP.top + (P + 0.5) * tall]),
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
  p.handle("cell", {
    x: linear([0, P], [left + wide / 2, left + (P + 0.5) * wide]),
    at: [at + k, y + tall / 2],
    axis: "x",
    step: 1,
    min: [at, 0],
    max: [at + FURTHEST, 0],
    size: 6,
    colour: COLOUR.key,
    shape: "diamond",
    label: say("position p′ = p + k"),
    text: `p′ = ${at + k}`,
    onMove: ([to]) => fig.set({ offset: Math.round(to) - at }),
  });
  p.text("D", left + P * wide, MAP.top - 12, `D = ${D}`, { size: 12.5, anchor: "end", colour: COLOUR.muted });
}

// Beside the map, on a phone: what its diagonals show.
function sayDiagonals(p, { D, spread }, x) {
  const lines =
    spread < 1e-9
      ? [say("Each diagonal has"), say("one shade: only"), say("the offset counts,"), say("not the place.")]
      : [say`D = ${D} is odd: along`, say("a diagonal they"), say("differ by up to"), `${plain(spread)}.`];
  lines.forEach((line, n) => p.text(`said${n}`, x, MAP.top + 48 + 19 * n, line, { size: 12.5, colour: COLOUR.muted }));
}

export function drawSimilarity(p, view, fig) {
  const { gram, at, k, phone } = view;
  const plot = p.plot({ top: phone ? 46 : 58, right: 10, bottom: 42, left: 40 });
  const all = gram.flat();
  const top = Math.max(...all);
  const x = linear([-at, P - 1 - at], [plot.left, plot.right]);
  const y = linear([Math.min(0, ...all), top * 1.04], [plot.bottom, plot.top]);
  p.text("title", 0, 15, say`The row of p = ${at}`, { weight: 650, size: 14 });
  p.axes("axes", { plot, x, y, xLabel: say("offset from p"), xTicks: p.narrow ? 5 : 8, yTicks: 5 });
  p.line("self", x(0), plot.top, x(0), plot.bottom, {
    stroke: COLOUR.query,
    "stroke-width": 1.5,
    "stroke-dasharray": "2 4",
  });
  p.path(
    "row",
    gram[at].map((g, q) => [x(q - at), y(g)]),
    { stroke: COLOUR.weight, "stroke-width": 2 },
  );
  gram[at].forEach((g, q) => p.circle(`dot${q}`, x(q - at), y(g), 2.6, { fill: COLOUR.weight }));
  p.path(
    "first",
    gram[0].slice(0, P - at).map((g, q) => [x(q), y(g)]),
    { stroke: COLOUR.ink, "stroke-width": 3, "stroke-dasharray": "1 7", opacity: 0.8 },
  );
  if (view.rise !== null) {
    const [rx, ry] = [x(view.rise), y(gram[at][at + view.rise])];
    p.arrow(
      "rise",
      rx,
      ry + 34 > plot.bottom - 4 ? ry - 34 : ry + 34,
      rx,
      ry + 34 > plot.bottom - 4 ? ry - 8 : ry + 8,
      { colour: COLOUR.muted, head: 7, width: 1.6 },
    );
    p.text("riseName", rx, ry + 34 > plot.bottom - 4 ? ry - 39 : ry + 47, say("rises again"), {
      size: 12.5,
      anchor: "middle",
      colour: COLOUR.muted,
      halo: true,
    });
  }
  p.legend(
    "legend",
    phone ? 0 : plot.left,
    phone ? 34 : 38,
    [
      { label: say`PE(${at}) · PE(${at} + offset)`, colour: COLOUR.weight },
      { label: say("the row of 0"), colour: COLOUR.ink, mark: "dash" },
    ],
    { maxWidth: p.width },
  );
  p.handle("offset", {
    x,
    y,
    at: [k, gram[at][at + k]],
    axis: "x",
    step: 1,
    min: [0, -Infinity],
    max: [16, Infinity],
    size: 7,
    colour: COLOUR.key,
    shape: "diamond",
    label: say("offset k"),
    text: say`k = ${k}, similarity ${fmt(gram[at][at + k])}`,
    onMove: ([to]) => fig.set({ offset: Math.round(to) }),
  });
}

// Two blocks of n words: what else there is, and the lowest row.
const [AROUND, ROW] = [80, 24];
export const shuffleHeight = (n, phone) =>
  Math.max(phone ? viewHeight(phone) / 2 - 4 : viewHeight(phone), AROUND + 2 * n * ROW);

export function drawShuffle(p, view, positions) {
  const { words, order, D } = view;
  const n = words.length;
  const row = Math.min(44, (p.height - AROUND) / 2 / n);
  const run = positions ? view.withPositions : view.without;
  const name = positions ? "with" : "without";
  const start = 14 + Math.max(48, ...words.map((w) => w.length * 8.2)) + 8;
  const count = clamp(Math.floor((p.width - start - 112) / 48), 1, Math.min(D, 4));
  const wide = clamp((p.width - start - 112) / count, 48, 72);
  p.text("title", 0, 15, positions ? say("With positions") : say("Without positions"), { weight: 650, size: 14 });
  const block = (key, top, sentence, outputs, caption) => {
    p.text(`${key}-caption`, 0, top, caption, { size: 13, colour: COLOUR.muted });
    p.text(`${key}-sentence`, start, top, sentence.join(" "), { size: 13, italic: true, weight: 600 });
    sentence.forEach((word, j) => {
      const y = top + 7 + j * row;
      const base = y + row / 2 + 3;
      p.text(`${key}-place${j}`, 0, base, String(j), { size: 12, colour: COLOUR.muted });
      p.text(`${key}-word${j}`, 14, base, word, { size: 13.5, weight: 600 });
      range(count).forEach((f) => {
        const v = outputs[j][f];
        p.rect(`${key}-cell${j}-${f}`, start + f * wide, y, wide, row - 3, {
          fill: signedFill(v / 1.5),
          stroke: COLOUR.line,
          "stroke-width": 1,
        });
        p.text(`${key}-text${j}-${f}`, start + f * wide + wide / 2, base, fmt(v), {
          size: 12.5,
          anchor: "middle",
          colour: signedInk(v / 1.5),
          "data-number": `${name}-${key}-${j}-${f}`,
        });
      });
      const end = start + count * wide;
      if (count < D) p.text(`${key}-more${j}`, end + 4, base, "…", { size: 13, colour: COLOUR.muted });
      if (key === "second") {
        const same = run.changes[j] < 1e-9;
        p.text(`mark${j}`, end + 24, base, same ? say("= as before") : say`≠ by ${fmt(run.changes[j])}`, {
          size: 13,
          weight: same ? 500 : 700,
          colour: same ? COLOUR.muted : COLOUR.ink,
        });
      }
    });
  };
  block("first", 36, words, run.first, say("original"));
  block(
    "second",
    36 + 34 + n * row,
    order.map((i) => words[i]),
    run.second,
    say("shuffled"),
  );
}
