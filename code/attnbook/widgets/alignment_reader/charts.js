/* All weights as a heat map, and BLEU against the time of training. */

import DATA from "./data.json" with { type: "json" };
import { COLOUR, fmt, nearest, say, sum } from "../kit/kit.js";
import { linear } from "../kit/paint.js";
import { textWidth } from "../kit/words.js";
import { EVERY, quote, SENTENCES } from "./reading.js";

// The map's height is the same for all sentences: with fewer words the rows are taller.
const KEYS = SENTENCES.flatMap(({ source }) => source);
const MAP_TOP = Math.ceil(38 + 0.6 * Math.max(...KEYS.map((word) => textWidth(word, 13))));
export const MAP_HEIGHT = MAP_TOP + 24 * Math.max(...EVERY.map((words) => words.length)) + 6;

function mapSizes(view, width) {
  const left = 10 + Math.max(...view.words.map((word) => textWidth(word, 13)));
  const wide = Math.min(56, (width - left - 18) / view.source.length);
  return { left, top: MAP_TOP, wide, tall: Math.min(46, (MAP_HEIGHT - MAP_TOP - 6) / view.words.length) };
}

export function drawMap(p, view, act) {
  const { left, top, wide, tall } = mapSizes(view, p.width);
  const title = view.weights
    ? say("All weights: queries down, keys across")
    : say("No attention: there are no weights to show");
  p.text("title", 0, 15, title, { weight: 650, size: 14 });
  if (!view.weights) {
    drawBoth(p, view);
    return;
  }
  view.source.forEach((word, j) =>
    p.text(`k${j}`, left + (j + 0.5) * wide - 3, top - 6, word, { rotate: -38, colour: COLOUR.keyInk, size: 13 }),
  );
  view.words.forEach((word, i) => {
    const there = i < view.shown;
    const y = top + i * tall;
    if (there)
      p.text(`q${i}`, left - 7, y + tall / 2 + 4.5, word, {
        anchor: "end",
        colour: COLOUR.query,
        weight: i === view.at ? 700 : 400,
        size: 13,
      });
    p.group(`row${i}`, { cursor: there ? "pointer" : undefined, onclick: there ? () => act.look(i) : undefined }, (g) =>
      view.source.forEach((_, j) => {
        const a = view.weights[i][j];
        g.cell(`c${j}`, left + j * wide, y, wide, tall, {
          weight: there ? a : 0,
          masked: !there,
          "data-cell": `${i}-${j}`,
          text: there && wide >= 21 && a >= 0.005 ? fmt(a).replace("0.", ".") : undefined,
        });
      }),
    );
  });
  if (view.at >= 0)
    p.rect("chosen", left - 1, top + view.at * tall - 1, wide * view.source.length + 2, tall + 2, {
      fill: "none",
      stroke: COLOUR.query,
      "stroke-width": 2.4,
      rx: 3,
      "pointer-events": "none",
    });
}

// In the map's place: what a person wrote, and both translators by themselves.
function drawBoth(p, { human, by, when }) {
  const blocks = [
    [say("A human translation"), human],
    [say`With attention, ${when}`, quote(by.with)],
    [say`Without attention, ${when}`, quote(by.without)],
  ].map(([name, text]) => [name, wrapped(text, p.width, 15)]);
  const lines = sum(blocks.map((block) => 1 + block[1].length));
  const air = Math.min(48, (MAP_HEIGHT - 30 - 23 * lines) / 3);
  let y = 15;
  blocks.forEach(([name, texts], i) => {
    y += air + 23;
    p.text(`name${i}`, 0, y, name, { size: 12.5, colour: COLOUR.muted });
    texts.forEach((text, j) => {
      y += 23;
      p.text(`line${i}-${j}`, 0, y, text, { size: 15, weight: 600 });
    });
  });
}

// A text in lines of at most this width.
function wrapped(text, width, size) {
  const lines = [""];
  text.split(" ").forEach((word) => {
    const longer = `${lines.at(-1)} ${word}`.trim();
    if (textWidth(longer, size) <= width) lines.splice(-1, 1, longer);
    else lines.push(word);
  });
  return lines;
}

export function drawBleu(p, view, fig) {
  const plot = p.plot({ top: 44, right: 14, bottom: 42, left: 40 });
  const x = linear([0, DATA.epochs.at(-1)], [plot.left + 6, plot.right - 6]);
  const at = (moment) => x(DATA.epochs[moment]);
  const top = Math.ceil(Math.max(...DATA.bleu.with, ...DATA.bleu.without) / 10) * 10;
  const y = linear([0, top], [plot.bottom, plot.top]);
  p.text("title", 0, 15, say("BLEU on held-out sentences"), { weight: 650, size: 14 });
  p.axes("axes", {
    plot,
    x,
    y,
    xLabel: say("epochs of training"),
    yTicks: 4,
    grid: true,
  });
  p.line("now", at(view.moment), plot.top, at(view.moment), plot.bottom, {
    stroke: COLOUR.accent,
    "stroke-width": 2,
    "stroke-dasharray": "2 4",
  });
  [
    ["with", COLOUR.weight, "circle", undefined],
    ["without", COLOUR.muted, "square", "5 4"],
  ].forEach(([name, colour, shape, dash]) => {
    const used = (name === "with") === view.attention;
    const values = DATA.bleu[name];
    p.path(
      name,
      values.map((v, i) => [at(i), y(v)]),
      { stroke: colour, "stroke-width": used ? 2.8 : 1.8, "stroke-dasharray": dash },
    );
    values.forEach((v, i) =>
      p.mark(`${name}${i}`, shape, at(i), y(v), used && i === view.moment ? 6 : 3, {
        fill: colour,
        stroke: COLOUR.ground,
        "stroke-width": 1,
      }),
    );
  });
  p.legend(
    "legend",
    plot.left,
    34,
    [
      { label: say("with attention"), colour: COLOUR.weight },
      { label: say("without"), colour: COLOUR.muted, mark: "dash" },
    ],
    { maxWidth: plot.width + 20 },
  );
  p.rect("choose", plot.left, plot.top, plot.width, plot.height, {
    fill: "transparent",
    cursor: "pointer",
    "data-handle": "bleu",
    onclick: (event) => fig.set({ moment: nearest(DATA.epochs, x.invert(p.where(event)[0])) }),
  });
}
