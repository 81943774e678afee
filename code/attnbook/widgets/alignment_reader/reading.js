/* What was stored, and the drawing of the two sentences with their ribbons. */

import DATA from "./data.json" with { type: "json" };
import { clamp, COLOUR, fmt, say, sum, weightFill, weightInk } from "../kit/kit.js";
import { isEnd, sentenceOf, textWidth } from "../kit/words.js";

export const SENTENCES = DATA.sentences;
const STATE_SIZE = DATA.recipe.sizes.hidden_size;

// What is read: target words and, with attention, a row of weights for each; weights are stored in thousandths.
export function reading(sentence, moment, attention, target) {
  const row = SENTENCES[sentence];
  const words = target === "reference" ? row.reference : attention ? row.with[moment].own : row.without[moment];
  if (!attention) return { words, weights: null };
  const stored = target === "reference" ? row.with[moment].forced : row.with[moment].weights;
  return { words, weights: stored.map((weights) => weights.map((a) => a / 1000)) };
}

const MOST = 8; // words that are shown of a translation that never ends

export const isCut = (words) => !words.some(isEnd);
export const shortened = (words) => (isCut(words) ? words.slice(0, MOST) : words);

// All that may stand below any sentence, at every moment of the training: the drawings have room for each.
export const EVERY = SENTENCES.flatMap(({ reference, with: own, without }) =>
  [reference, ...own.map((one) => one.own), ...without].map(shortened),
);
const LONGEST = Math.max(
  ...EVERY.map((words) => words.length + isCut(words)),
  ...SENTENCES.map(({ source }) => source.length),
);

// The same translation with and without attention?
export const sameBoth = (sentence, moment) => String(sentence.with[moment].own) === String(sentence.without[moment]);

// Over how many words a row is spread: the exponential of its entropy, 1 … S.
export function spreadOf(weights) {
  const total = sum(weights);
  return Math.exp(-sum(weights.filter((a) => a > 0).map((a) => (a / total) * Math.log(a / total))));
}

export const largest = (weights) => weights.indexOf(Math.max(...weights));

export const epochText = (n) =>
  n === 0 ? say("untrained") : n === 1 ? say("1 epoch") : say("{n} epochs", { n });

// ---- the drawing ---------------------------------------------------------------------------------

const TYPE = 15;
const BOX = 31;

// Where the boxes of both sentences stand: two rows if every sentence fits, else two columns. The height is that of
// the longest, so that nothing below moves when another sentence is chosen.
export function layOut(source, target, width) {
  const gap = 4;
  const widths = (words, air) => words.map((word) => Math.max(30, textWidth(word, TYPE) + air));
  const fits = (all) => sum(all) + gap * (all.length - 1) <= width;
  const tight = (words) => widths(words, 10);
  const sizes = [source, target].map((words) =>
    widths(words, [18, 14].find((air) => fits(widths(words, air))) || 10),
  );
  const whole = (words) => (isCut(words) ? [...words, "…"] : words);
  const rows = [...SENTENCES.map((sentence) => sentence.source), ...EVERY.map(whole)].every((all) => fits(tight(all)));
  if (!rows) {
    const room = 35 * LONGEST;
    const column = (all, x, end) => {
      const step = Math.min(52, room / all.length); // short sentences get more air
      return all.map((w, i) => ({ x: end ? x - w : x, y: 28 + (room - step * all.length) / 2 + step * i, w }));
    };
    return {
      rows,
      height: 30 + room,
      source: column(widths(source, 18), width * 0.41, true),
      target: column(widths(target, 18), width * 0.61, false),
    };
  }
  const row = (all, y) => {
    const air = clamp((width - 40 - sum(all)) / all.length, gap, 30);
    let x = (width - sum(all) - air * (all.length - 1)) / 2;
    return all.map((w) => {
      const box = { x, y, w };
      x += w + air;
      return box;
    });
  };
  return { rows, height: 266, source: row(sizes[0], 42), target: row(sizes[1], 214) };
}

function ribbon(from, to, rows) {
  const r = (v) => Math.round(v * 10) / 10;
  const [a, b] = rows
    ? [
        [from.x + from.w / 2, from.y + BOX],
        [to.x + to.w / 2, to.y],
      ]
    : [
        [from.x + from.w, from.y + BOX / 2],
        [to.x, to.y + BOX / 2],
      ];
  const bend = 0.45 * (rows ? b[1] - a[1] : b[0] - a[0]);
  const [c, d] = rows
    ? [
        [a[0], a[1] + bend],
        [b[0], b[1] - bend],
      ]
    : [
        [a[0] + bend, a[1]],
        [b[0] - bend, b[1]],
      ];
  return `M${a.map(r)}C${c.map(r)} ${d.map(r)} ${b.map(r)}`;
}

export function drawReading(p, view, act) {
  const { source, words, weights, shown, at } = view;
  const place = layOut(source, isCut(words) ? [...words, "…"] : words, p.width);
  const now = weights && at >= 0 ? weights[at] : null;
  const label = (key, text, box, y, colour) =>
    p.text(key, place.rows ? 0 : box.x + (key === "keys" ? box.w : 0), y, text, {
      colour,
      weight: 650,
      size: 13,
      anchor: place.rows || key === "queries" ? "start" : "end",
    });
  label("keys", say("English: keys"), place.source[0], 14, COLOUR.keyInk);
  label("queries", say("French: queries"), place.target[0], place.rows ? place.height - 4 : 14, COLOUR.query);
  p.group("ribbons", { "aria-hidden": "true" }, (g) => {
    if (!weights) {
      drawFunnel(g, view, place);
      return;
    }
    weights.slice(0, shown).forEach((row, i) =>
      row.forEach((a, j) => {
        if (a < 0.015) return;
        const strong = i === at;
        g.add("path", `r${i}-${j}`, {
          d: ribbon(place.source[j], place.target[i], place.rows),
          fill: "none",
          stroke: COLOUR.weight,
          "stroke-width": Math.max(0.7, 16 * a),
          opacity: strong ? 0.88 : 0.3,
          "data-ribbon": `${i}-${j}`,
        });
      }),
    );
  });
  source.forEach((word, j) => {
    const { x, y, w } = place.source[j];
    const unknown = view.unknown.includes(j);
    p.group(`s${j}`, {}, (g) => {
      g.rect("box", x, y, w, BOX, {
        rx: 7,
        fill: now ? weightFill(now[j]) : COLOUR.ground,
        stroke: isEnd(word) || unknown ? COLOUR.masked : COLOUR.key,
        "stroke-width": 1.7,
        "stroke-dasharray": unknown ? "4 3" : undefined,
      });
      g.text("word", x + w / 2, y + 21, word, {
        size: TYPE,
        weight: 600,
        anchor: "middle",
        colour: now ? weightInk(now[j]) : isEnd(word) ? COLOUR.muted : COLOUR.ink,
      });
      if (now) {
        const [tx, ty, anchor] = place.rows ? [x + w / 2, y - 7, "middle"] : [x - 6, y + 20, "end"];
        g.text("weight", tx, ty, fmt(now[j]), {
          size: 12.5,
          anchor,
          weight: j === largest(now) ? 700 : 400,
          colour: now[j] < 0.005 ? COLOUR.muted : COLOUR.ink,
          "data-weight": j,
        });
      }
    });
  });
  const attrs = {
    role: "listbox",
    tabindex: 0,
    "data-handle": "words",
    "aria-label": say("Words of the translation"),
    "aria-orientation": place.rows ? "horizontal" : "vertical",
    "aria-activedescendant": at >= 0 ? act.idOf(at) : undefined,
    onkeydown: act.onKey,
  };
  p.group("words", attrs, (all) =>
    words.slice(0, shown).forEach((word, i) => {
      const { x, y, w } = place.target[i];
      const strong = i === at;
      all.group(
        `t${i}`,
        {
          id: act.idOf(i),
          role: "option",
          "aria-selected": String(strong),
          "aria-label": view.rowInWords(i),
          "data-handle": `word${i}`,
          cursor: "pointer",
          onclick: () => act.look(i),
          onpointerenter: (event) => {
            if (event.pointerType === "mouse") act.look(i);
          },
        },
        (g) => {
          g.rect("box", x, y, w, BOX, {
            rx: 7,
            fill: strong ? COLOUR.query : COLOUR.ground,
            stroke: isEnd(word) && !strong ? COLOUR.masked : COLOUR.query,
            "stroke-width": strong ? 2.2 : 1.7,
          });
          g.text("word", x + w / 2, y + 21, word, {
            size: TYPE,
            weight: 600,
            anchor: "middle",
            colour: strong ? COLOUR.ground : isEnd(word) ? COLOUR.muted : COLOUR.ink,
          });
        },
      );
    }),
  );
  if (shown < words.length) {
    const { x, y } = place.target[shown];
    p.rect("next", x, y, 34, BOX, {
      rx: 7,
      fill: "none",
      stroke: COLOUR.masked,
      "stroke-width": 1.5,
      "stroke-dasharray": "4 3",
    });
    p.text("ask", x + 17, y + 21, "?", { size: TYPE, anchor: "middle", colour: COLOUR.muted });
  } else if (isCut(words)) {
    const { x, y } = place.target[shown];
    p.text("on", x + 17, y + 21, "…", { size: TYPE, anchor: "middle", colour: COLOUR.muted });
  }
}

// Without attention: all words go into one vector, and every word comes out of it.
function drawFunnel(g, { shown }, place) {
  const [cx, cy] = place.rows ? [g.width / 2, 143] : [g.width * 0.51, place.height / 2];
  const knot = { x: cx - 4, w: 8 };
  place.source.forEach((box, j) =>
    g.add("path", `s${j}`, {
      d: ribbon(box, { ...knot, y: place.rows ? cy : cy - BOX / 2 }, place.rows),
      fill: "none",
      stroke: COLOUR.masked,
      "stroke-width": 1.4,
    }),
  );
  place.target
    .slice(0, shown)
    .forEach((box, i) =>
      g.add("path", `t${i}`, {
        d: ribbon({ ...knot, y: place.rows ? cy - BOX : cy - BOX / 2 }, box, place.rows),
        fill: "none",
        stroke: COLOUR.masked,
        "stroke-width": 1.4,
        "stroke-dasharray": "4 3",
      }),
    );
  g.circle("vector", cx, cy, 9, { fill: COLOUR.ink });
  const beside = place.rows && g.width - cx > 200; // room for the words at the right of the vector
  const [x, y, anchor] = beside ? [cx + 18, cy + 5, "start"] : [cx, place.rows ? cy + 30 : cy - 33, "middle"];
  const name = place.rows ? [say`one vector of ${STATE_SIZE} numbers`] : [String(STATE_SIZE), say("numbers")];
  name.forEach((text, i) =>
    g.text(`name${i}`, x, y + 16 * i, text, { size: 13, weight: 650, halo: true, anchor }),
  );
}

export const quote = (words) => (isCut(words) ? `${words.slice(0, 4).join(" ")} …` : sentenceOf(words));
