/* The sentence in a row, with lines from the word that looks to what it looks at. */

import { clamp, COLOUR, fmt, range, say, sum, take, weightFill, weightInk } from "../kit/kit.js";
import { LONGEST } from "./maths.js";

export const shortWeight = (a) => fmt(a, 2);
const wordWidth = (word, padding = 14) => Math.max(20 + padding, word.length * 7.4 + padding);
const sentenceWidth = (words, padding) => sum(words.map((word) => wordWidth(word, padding))) + 4 * (words.length - 1);
const lies = (words, width) => width >= 640 && sentenceWidth(words, 5) <= width; // in one line, or else one per line
const ROWS = { top: 34, height: 24 * (LONGEST + 1) }; // one word per line, for a finger; as high for few words
export const sentenceHeight = (words, width) => (lies(words, width) ? 150 : ROWS.top + ROWS.height);

// A word by its place: which one, if it has stood there more than once.
export function wordAt(words, query, j) {
  if (j === query) return say("itself");
  const word = words[j];
  const places = range(query + 1).filter((t) => words[t] === word);
  if (places.length < 2) return `“${word}”`;
  const named = [
    say("the first “{word}”", { word }),
    say("the second “{word}”", { word }),
    say("the third “{word}”", { word }),
    say("the fourth “{word}”", { word }),
    say("the fifth “{word}”", { word }),
  ];
  return named[places.indexOf(j)] ?? say("the word {j}, “{word}”", { j, word });
}

// A heat map of weights in few elements: one path for each of 20 shades; what is masked is hatched.
export function weightMap(p, key, rows, left, top, size, hatch) {
  const round = (v) => Math.round(v * 100) / 100;
  const shades = new Map();
  rows.forEach((row, i) =>
    row.forEach((a, j) => {
      if (j > i) return;
      const level = Math.round(20 * a);
      shades.set(
        level,
        `${shades.get(level) || ""}M${round(left + j * size)} ` +
          `${round(top + i * size)}h${round(size + 0.4)}v${round(size + 0.4)}h-${round(size + 0.4)}z`,
      );
    }),
  );
  const T = rows.length;
  p.group(key, { "aria-hidden": "true", "pointer-events": "none" }, (g) => {
    const [x, y] = [(i) => round(left + i * size), (i) => round(top + i * size)];
    const steps = range(1, T).map((i) => `L${x(i)} ${y(i)}${i < T - 1 ? `L${x(i + 1)} ${y(i)}` : ""}`);
    const future = `M${x(1)} ${y(0)}${steps.join("")}L${x(T)} ${y(T - 1)}L${x(T)} ${y(0)}Z`;
    g.rect("ground", left, top, T * size, T * size, { fill: COLOUR.ground });
    if (T > 1) g.add("path", "future", { d: future, fill: hatch, opacity: 0.55 });
    [...shades]
      .sort(([a], [b]) => a - b)
      .forEach(([level, d]) =>
        g.add("path", `shade${level}`, { d, fill: weightFill(level / 20), "shape-rendering": "crispEdges" }),
      );
  });
}

// What makes a word one of a list that the arrow keys walk through: the pinned one is in the tab order, the others not.
export function wordRadio(p, fig, words, t, pinned, label) {
  const pick = (to) => {
    const query = clamp(to, 0, words.length - 1);
    fig.hover(null);
    fig.set({ query });
    p.root.node.querySelector(`[data-handle="word-${query}"]`)?.focus();
  };
  return {
    role: "radio",
    "aria-checked": String(t === pinned),
    "aria-label": label,
    tabindex: t === pinned ? 0 : -1,
    "data-handle": `word-${t}`,
    cursor: "pointer",
    onclick: () => pick(t),
    onpointerenter: (event) => {
      if (event.pointerType === "mouse") fig.hover(t);
    },
    onpointerleave: () => fig.hover(null),
    onkeydown: (event) => {
      const by = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
      const to = by ? t + by : { Home: 0, End: words.length - 1 }[event.key];
      if (to === undefined) return;
      take(event);
      pick(to);
    },
  };
}

function wordNode(p, t, view, fig, draw) {
  const { words, query } = view;
  const word = words[t];
  const values = { word, t, weight: shortWeight(view.row[t]) };
  const label = t <= query ? say("{word}, word {t}, gets {weight}", values) : say("{word}, word {t}", values);
  p.group(`word${t}`, wordRadio(p, fig, words, t, view.pinned, label), draw);
}

const looksOfWord = (view, t) => {
  const [looks, future] = [t === view.query, t > view.query];
  return {
    fill: looks || future || view.silent ? COLOUR.ground : weightFill(view.row[t]),
    stroke: looks ? COLOUR.query : future ? COLOUR.grid : COLOUR.line,
    ink: looks ? COLOUR.query : future || view.silent ? COLOUR.muted : weightInk(view.row[t]),
    weight: looks ? 700 : view.row[t] > 0.25 && !future ? 650 : 500,
  };
};

const bright = (a) => 0.2 + 0.8 * Math.min(1, a * 1.2);

export function drawSentence(p, view, fig) {
  const { words, query, row } = view;
  const many = words.length;
  const ofArc = (a, j) => ({
    fill: "none",
    stroke: view.silent ? COLOUR.masked : COLOUR.weight,
    "stroke-width": 1 + (view.silent ? 2 : 6) * a,
    "stroke-dasharray": view.silent ? "3 5" : undefined,
    "stroke-linecap": "round",
    opacity: bright(a),
    "data-line": j,
  });
  const word = words[query];
  const asked = view.silent ? say`What would “${word}” look at?` : say`What does “${word}” look at?`;
  p.text("title", 0, 15, asked, { weight: 650, size: 14 });
  p.text("which", p.width, 15, headName(view).toLowerCase(), {
    size: p.narrow ? 12 : 13,
    anchor: "end",
    colour: COLOUR.muted,
  });
  if (lies(words, p.width)) {
    const padding = clamp(14 - (sentenceWidth(words, 14) - p.width) / many, 5, 14);
    const widths = words.map((word) => wordWidth(word, padding));
    const gap = Math.min(10, (p.width - sum(widths)) / Math.max(1, many - 1));
    let x = (p.width - sum(widths) - gap * (many - 1)) / 2;
    const at = widths.map((wide) => {
      const middle = x + wide / 2;
      x += wide + gap;
      return middle;
    });
    const top = 100;
    const rise = (j) => 16 + 70 * Math.sqrt(Math.abs(at[query] - at[j]) / p.width);
    p.group("arcs", { "aria-hidden": "true", "pointer-events": "none" }, (g) =>
      row.forEach((a, j) => {
        if (a < 0.015) return;
        const [from, to] = [at[query], at[j]];
        const d =
          j === query
            ? `M${from - 8} ${top - 3}c-14 -30 30 -30 16 0`
            : `M${from} ${top - 3}C${from} ${top - 3 - 1.3 * rise(j)} ${to} ${top - 3 - 1.3 * rise(j)} ${to} ` +
              `${top - 3}`;
        g.add("path", `arc${j}`, { ...ofArc(a, j), d });
      }),
    );
    p.group("words", { role: "radiogroup", "aria-label": say("The word that looks") }, (g) =>
      words.forEach((word, t) => {
        const look = looksOfWord(view, t);
        wordNode(g, t, view, fig, (w) => {
          w.rect("pill", at[t] - widths[t] / 2, top, widths[t], 28, {
            fill: look.fill,
            stroke: look.stroke,
            "stroke-width": t === query ? 2.5 : 1,
            rx: 7,
          });
          w.text("word", at[t], top + 19, word, {
            size: 13.5,
            anchor: "middle",
            colour: look.ink,
            weight: look.weight,
          });
          w.text("weight", at[t], top + 45, t <= query ? shortWeight(row[t]) : "·", {
            size: 12.5,
            anchor: "middle",
            weight: row[t] > 0.25 ? 700 : 500,
            colour: t <= query && row[t] >= 0.095 ? COLOUR.ink : COLOUR.muted,
            "data-number": t <= query ? `weight-${t}` : undefined,
          });
        });
      }),
    );
    return;
  }
  const [tall, left] = [Math.min(40, ROWS.height / many), 74];
  const high = Math.min(28, tall - 2);
  const y = (t) => ROWS.top + t * tall;
  const wide = Math.max(...words.map((word) => wordWidth(word))) + 4;
  p.group("arcs", { "aria-hidden": "true", "pointer-events": "none" }, (g) =>
    row.forEach((a, j) => {
      if (a < 0.015) return;
      const [from, to, bow] = [y(query) + high / 2, y(j) + high / 2, 14 + 60 * Math.sqrt((query - j) / LONGEST)];
      const d =
        j === query
          ? `M${left - 3} ${from - 6}c-26 -10 -26 22 0 12`
          : `M${left - 3} ${from}C${left - 3 - 1.3 * bow} ${from} ${left - 3 - 1.3 * bow} ${to} ${left - 3} ${to}`;
      g.add("path", `arc${j}`, { ...ofArc(a, j), d });
    }),
  );
  p.group("words", { role: "radiogroup", "aria-label": say("The word that looks") }, (g) =>
    words.forEach((word, t) => {
      const look = looksOfWord(view, t);
      wordNode(g, t, view, fig, (w) => {
        w.rect("reach", left, y(t) - 1, p.width - left, tall, { fill: "transparent" });
        w.rect("pill", left, y(t), wide, high, {
          fill: look.fill,
          stroke: look.stroke,
          "stroke-width": t === query ? 2.5 : 1,
          rx: 6,
        });
        w.text("word", left + wide / 2, y(t) + high / 2 + 5, word, {
          size: 13.5,
          anchor: "middle",
          colour: look.ink,
          weight: look.weight,
        });
        const long = p.width - left - wide - 60;
        if (t <= query)
          w.rect("bar", left + wide + 10, y(t) + high / 2 - 7, long * row[t], 14, {
            fill: view.silent ? COLOUR.masked : COLOUR.weight,
            "fill-opacity": 0.85,
            rx: 2,
          });
        w.text(
          "weight",
          left + wide + 16 + (t <= query ? long * row[t] : 0),
          y(t) + high / 2 + 5,
          t <= query ? shortWeight(row[t]) : say("later"),
          {
            size: 12.5,
            weight: row[t] > 0.25 ? 700 : 500,
            colour: t <= query && row[t] >= 0.095 ? COLOUR.ink : COLOUR.muted,
            "data-number": t <= query ? `weight-${t}` : undefined,
          },
        );
      });
    }),
  );
}

export const headName = ({ layer, head, silent }) =>
  silent ? say`Layer ${layer}, head ${head}: off` : say`Layer ${layer}, head ${head}`;
