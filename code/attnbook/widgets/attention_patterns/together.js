/* All heads of one layer side by side: a map for each, and below them the rows of the word that looks. */

import DATA from "../../studies/next_words.json" with { type: "json" };
import { figure } from "../kit/card.js";
import { clamp, COLOUR, html, range, say, weightFill, weightInk } from "../kit/kit.js";
import { inCell } from "./maps.js";
import { exampleOf, HEADS, LAYERS, run, START } from "./maths.js";
import { shortWeight, weightMap, wordAt, wordRadio } from "./sentence.js";

const SHORT = 9; // words of a sentence whose maps fit beside each other
const GAP = 12;
const TITLE = 22;

// Four maps in a row, or two on a phone.
export function tiles(width, words) {
  const columns = width < 560 ? 2 : HEADS;
  const label = Math.max(...words.map((word) => word.length)) * 7.4 + 14;
  const side = (width - label - GAP * (columns - 1)) / columns;
  const step = TITLE + label + side + GAP;
  const place = (h) => [label + (h % columns) * (side + GAP), Math.floor(h / columns) * step + TITLE + label];
  return { columns, label, side, size: side / words.length, height: (HEADS / columns) * step, place };
}

function drawMaps(p, view, fig) {
  const { words, query, weights } = view;
  const { columns, side, size, place } = tiles(p.width, words);
  const hatch = p.hatch("hatching", COLOUR.masked);
  range(HEADS).forEach((h) => {
    const [left, top] = place(h);
    const row = weights[h][query];
    p.text(`title${h}`, left, top - (place(0)[1] - 15), say`head ${h + 1}`, { weight: 650, size: 14 });
    words.forEach((word, t) => {
      if (h % columns === 0)
        p.text(`row${h}-${t}`, left - 6, top + (t + 0.5) * size + 4.5, word, {
          size: 12.5,
          anchor: "end",
          weight: t === query ? 700 : 500,
          colour: t === query ? COLOUR.query : COLOUR.ink,
        });
      const seen = t <= query && row[t] >= 0.095;
      p.text(`column${h}-${t}`, left + (t + 0.5) * size + 4.5, top - 6, word, {
        size: 12.5,
        rotate: -90,
        weight: seen ? 700 : 500,
        colour: seen ? COLOUR.keyInk : t <= query ? COLOUR.ink : COLOUR.muted,
      });
    });
    weightMap(p, `map${h}`, weights[h], left, top, size, hatch);
    const frame = { fill: "none", "pointer-events": "none" };
    p.rect(`frame${h}`, left, top, side, side, { ...frame, stroke: COLOUR.line, "stroke-width": 1 });
    p.rect(`chosen${h}`, left - 1, top + query * size - 1, (query + 1) * size + 2, size + 2, {
      ...frame,
      stroke: COLOUR.query,
      "stroke-width": 2.5,
      rx: 2,
    });
    const rowAt = (event) => clamp(Math.floor((p.where(event)[1] - top) / size), 0, words.length - 1);
    const from = h % columns ? left : 0; // the words beside the first map belong to it
    p.rect(`reach${h}`, from, top, left + side - from, side, {
      fill: "transparent",
      cursor: "pointer",
      "data-handle": `map-${h + 1}`,
      onpointermove: (event) => {
        if (event.pointerType === "mouse") fig.hover(rowAt(event));
      },
      onpointerleave: () => fig.hover(null),
      onclick: (event) => {
        fig.hover(null);
        fig.set({ query: rowAt(event) });
      },
    });
  });
}

// The words of a phone are turned, so that ten of them fit.
const HIGH = 30;
const rowsTop = (width, words) => (width < 560 ? TITLE + Math.max(...words.map((w) => w.length)) * 7.8 + 22 : 62);
const rowsHeight = (width, words) => rowsTop(width, words) + HEADS * (HIGH + 4) + 2;

function drawRows(p, view, fig) {
  const { words, query, pinned, weights } = view;
  const left = 58;
  const wide = Math.min(66, (p.width - left) / words.length);
  const top = rowsTop(p.width, words);
  const turned = p.width < 560;
  const hatch = p.hatch("hatching", COLOUR.masked);
  const title = say`Where “${words[query]}” looks in layer ${view.layer}`;
  p.text("title", 0, 15, title, { weight: 650, size: 14 });
  p.group("words", { role: "radiogroup", "aria-label": say("The word that looks") }, (g) =>
    words.forEach((word, t) => {
      const looks = t === query;
      const at = wordRadio(p, fig, words, t, pinned, say("{word}, word {t}", { word, t }));
      g.group(`word${t}`, at, (w) => {
        const x = left + (t + 0.5) * wide;
        w.rect("pill", left + t * wide + 1, TITLE + 2, wide - 2, top - TITLE - 8, {
          fill: COLOUR.ground,
          stroke: looks ? COLOUR.query : COLOUR.grid,
          "stroke-width": looks ? 2.5 : 1,
          rx: 5,
        });
        w.text("word", turned ? x + 4.5 : x, turned ? top - 12 : top - 17, word, {
          size: 13,
          anchor: turned ? "start" : "middle",
          rotate: turned ? -90 : undefined,
          weight: looks ? 700 : 500,
          colour: looks ? COLOUR.query : t < query ? COLOUR.ink : COLOUR.muted,
        });
      });
    }),
  );
  range(HEADS).forEach((h) => {
    const y = top + h * (HIGH + 4);
    p.text(`head${h}`, 0, y + HIGH / 2 + 4.5, say`head ${h + 1}`, { size: 13 });
    words.forEach((_, j) => {
      const a = weights[h][query][j];
      const later = j > query;
      p.rect(`cell${h}-${j}`, left + j * wide, y, wide, HIGH, {
        fill: later ? hatch : weightFill(a),
        stroke: COLOUR.line,
        "stroke-width": 1,
        opacity: later ? 0.55 : 1,
      });
      if (!later)
        p.text(`weight${h}-${j}`, left + (j + 0.5) * wide, y + HIGH / 2 + 4.5, a < 0.005 ? "0" : inCell(a), {
          size: 12.5,
          anchor: "middle",
          weight: a > 0.25 ? 700 : 500,
          colour: a < 0.005 ? COLOUR.muted : weightInk(a),
          "data-number": `weight-${h + 1}-${j}`,
        });
    });
  });
}

// Where each head looks most, in words.
function said({ words, query, weights, layer }) {
  const parts = weights.map((rows, h) => {
    const j = rows[query].indexOf(Math.max(...rows[query]));
    return say`head ${h + 1} at ${wordAt(words, query, j)} (${shortWeight(rows[query][j])})`;
  });
  const values = { layer, word: words[query], some: parts.slice(0, -1).join(say(", in ")), last: parts.at(-1) };
  return say("In layer {layer}, “{word}” looks most in {some}, and in {last}.", values);
}

export function renderTogether({ model, el }) {
  const hint = say("Queries down, keys across. Point at a word.");
  const fig = figure({ model, el, title: say("Four heads, one sentence"), hint });
  const stages = [];
  let hovered = null;
  let compute = null;
  let last = {};
  fig.hover = (to) => {
    if (to === hovered) return;
    hovered = to;
    const view = compute((name) => model.get(name));
    stages.forEach((one) => one.draw(view));
  };
  const words = () => [START, ...model.get("words")];
  stages.push(
    fig.stage({
      label: (v) => say`Four heat maps side by side, the weights of the heads of layer ${v.layer}`,
      height: (width) => tiles(width, words()).height,
      draw: (p, v) => drawMaps(p, v, fig),
    }),
    fig.stage({
      label: (v) => say`The rows of “${v.words[v.query]}” in the four heads`,
      height: (width) => rowsHeight(width, words()),
      draw: (p, v) => drawRows(p, v, fig),
    }),
  );
  const sentence = html("select", { style: "flex:1 1 auto;min-width:0;max-width:26rem" });
  DATA.examples.forEach((example, i) => {
    if (example.words.length <= SHORT)
      sentence.append(html("option", { value: String(i), text: example.words.slice(0, -1).join(" ") }));
  });
  sentence.onchange = () => {
    const example = DATA.examples[+sentence.value];
    fig.set({ words: example.words, query: example.answer - 1 });
  };
  fig.control("words", say("Sentence"), sentence, () => {
    sentence.value = String(exampleOf(model.get("words")));
  });
  sentence.parentElement.style.cssText = "flex:1 1 14rem;min-width:0";
  fig.select("layer", { label: say("Layer"), options: range(1, LAYERS + 1) });
  fig.reset(["query"]);
  fig.controlsFirst();
  compute = (state) => {
    const [words, layer] = [[START, ...state("words")], state("layer")];
    if (last.words !== String(words)) last = { words: String(words), run: run(words) };
    const pinned = clamp(state("query"), 0, words.length - 1);
    const query = hovered === null ? pinned : clamp(hovered, 0, words.length - 1);
    const view = { words, layer, pinned, query, weights: last.run.weights[layer - 1] };
    fig.say(said(view));
    return view;
  };
  return fig.start(compute);
}
