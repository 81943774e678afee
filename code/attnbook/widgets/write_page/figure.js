/* Writing in the page: a language model that has read this book goes on where the reader's text ends. A beginning, its
 * continuation and the distribution after it are stored; the model is read when somebody asks for it, or moves on. */

import DATA from "./data.json" with { type: "json" };
import { visible } from "../kit/byte_pieces.js";
import { figure } from "../kit/card.js";
import { makeWriter } from "../kit/decoder.js";
import { loadFile } from "../kit/files.js";
import { fmt, html, range, say, sum, weightFill, weightInk } from "../kit/kit.js";
import { filtered, nextBars } from "../kit/next_bars.js";
import { saysOfNext } from "../kit/next_says.js";
import { drawWords, entropyOf, KS, logProbsOf, PS, TEMPERATURES } from "../kit/sampling.js";
import { styleSheet } from "../kit/words.js";

const FILE = "language-model";
const LONGEST = 200; // tokens that can be written
const NAMED = 60; // of the likeliest tokens
const AT_ONCE = 20;
const STORED = { names: DATA.names.map(visible), logProbs: logProbsOf(DATA, DATA.unit) };
const megabytes = (bytes) => `${fmt(bytes / 1e6, 1)} MB`;

const STYLE = `
.ab-wp-ask label { display: block; font-weight: 550; margin: 0 0 0.5rem; }
.ab-wp-ask input { width: 100%; margin-top: 0.25rem; font: inherit; font-size: 16px; font-weight: 400;
  padding: 6px 12px; min-height: 40px; color: var(--ab-ink); background: var(--ab-ground);
  border: 1.5px solid var(--ab-line); border-radius: 8px; }
.ab-card .ab-wp-text { display: block; margin: 0 0 0.75rem; padding: 0.5rem 0.875rem; min-height: 4.5rem;
  max-height: 15rem; overflow-y: auto; background: var(--ab-panel); border-left: 3px solid var(--ab-output);
  border-radius: 0 8px 8px 0; font-size: 16px; line-height: 1.6; white-space: pre-wrap; overflow-wrap: anywhere; }
.ab-wp-text b { font-weight: 600; }
.ab-wp-text .ab-wp-given { color: var(--ab-muted); }
.ab-wp-text [data-weight] { border-radius: 3px; box-shadow: 0 0 0 1px var(--ab-grid); }
.ab-card p.ab-wp-facts { margin-top: 0.5rem; color: var(--ab-muted); font-size: 13px; }
.ab-card .ab-controls, .ab-card .ab-control { min-width: 0; max-width: 100%; }
.ab-wp-buttons { display: flex; flex-wrap: wrap; gap: 0.5rem; align-items: center; }
.ab-wp-buttons progress { width: 8rem; accent-color: var(--ab-accent); }
.ab-card p.ab-wp-said { min-height: calc(4.35em + 1rem); } /* three lines */
@media (min-width: 481px) { .ab-card .ab-control.ab-range { flex-basis: 250px; } }
@media (max-width: 480px) {
  .ab-card .ab-control label { white-space: nowrap; }
  .ab-card p.ab-wp-said { min-height: calc(8.7em + 1rem); }
}`;

let writer = null; // one for all figures of the page
const ranked = new Map(); // what was asked already

// Every token as the next one after these, the likeliest first, and where each layer looked.
function rankedAfter(ids, begun) {
  const key = `${begun}:${ids}`;
  if (!ranked.has(key)) {
    const { logProbs, weights, start } = writer.after(ids, begun);
    const order = Array.from(logProbs.keys()).sort((a, b) => logProbs[b] - logProbs[a] || a - b);
    if (ranked.size > 2 * LONGEST) ranked.clear();
    ranked.set(key, { order, logProbs: order.map((id) => logProbs[id]), weights, start });
  }
  return ranked.get(key);
}

// The next token, by the n-th die of a seed, where n tokens have been written.
function drawn({ order, logProbs }, n, seed, filters) {
  return order[drawWords(filtered(logProbs, ...filters).after, n + 1, seed)[n]];
}

function historyOf(given, written) {
  if (!written.length) return [];
  const { order, logProbs } = rankedAfter([...given, ...written.slice(0, -1)], given.length);
  const place = order.indexOf(written.at(-1));
  return [{ word: writer.pieces.names(written.slice(-1))[0], place, logProb: logProbs[place] }];
}

function saysOfText(text, given) {
  const said = [];
  const odd = writer.unfamiliar(text);
  const named = odd.slice(0, 5).map((c) => (/[\p{C}\p{Z}]/u.test(c) ? `U+${hex(c)}` : `“${c}”`));
  if (odd.length)
    said.push(
      say(
        "The model has never read {characters}: it sees bytes of which it knows little, and what follows is a guess.",
        { characters: [...named, ...(odd.length > 5 ? ["…"] : [])].join(say(", ")) },
      ),
    );
  if (given.length > writer.most)
    said.push(say`The text has ${given.length} tokens, and the model sees the last ${writer.most} of them.`);
  return said;
}
const hex = (character) => character.codePointAt(0).toString(16).toUpperCase().padStart(4, "0");

function saysOfAttention(layer, weights, names) {
  const at = weights.indexOf(Math.max(...weights));
  const [name, most] = [names[at], fmt(weights[at])];
  return at
    ? say`Layer ${layer}, averaged over its heads, looks most at “${name}”: ${most}.`
    : say`Layer ${layer}, averaged over its heads, looks most at the first token, “${name}”: ${most}.`;
}

function factsOf({ bits_per_byte: bits, before_rounding: before, kneser_ney: table, rounding, copied }) {
  const cost = bits - before < 0.001 ? say("less than 0.001") : fmt(bits - before, 3);
  return say(
    "{parameters} parameters, trained on fourteen chapters of this book. In two other chapters a byte costs it " +
      "{bits} bits, and Kneser and Ney’s table of five tokens in a row {table}. Rounding its weights to 8 bits adds " +
      "{cost} bits per byte and moves the log-probability of a token by at most {rounding}. Of 40 words that it " +
      "writes, the longest run that occurs in what it has read has {model} words on average; of 40 that the author " +
      "wrote, {author}.",
    {
      parameters: DATA.parameters.toLocaleString("en"),
      bits: fmt(bits),
      table: fmt(table),
      cost,
      rounding: fmt(rounding),
      model: fmt(copied.model, 1),
      author: fmt(copied.author, 1),
    },
  );
}

function render({ model, el }) {
  const fig = figure({
    model,
    el,
    title: say("A model that has read this book"),
    hint: say("It continues a text, one token after another; ␣ is a space. Nothing leaves your browser."),
  });
  fig.card.prepend(styleSheet(STYLE));
  fig.card.querySelector(".ab-said").classList.add("ab-wp-said");
  let [loading, share, problem, typed, last] = [null, 0, "", null, ""];
  const filters = () => ["temperature", "top_k", "top_p"].map((name) => model.get(name));
  const isStored = () => model.get("text") === DATA.text && String(model.get("written")) === String(DATA.written);

  const load = () =>
    (loading ||= loadFile(model, FILE, (part) => {
      share = part;
      fig.redraw();
    }).then(
      (file) => {
        writer ||= makeWriter(file);
        problem = "";
        fig.redraw();
      },
      (error) => {
        [loading, problem] = [null, say`The model could not be loaded: ${error.message}.`];
        fig.redraw();
      },
    ));

  // -- what the reader types --
  const field = html("input", {
    type: "text",
    maxlength: 4000,
    dir: "auto",
    autocomplete: "off",
    spellcheck: "false",
    "data-control": "text",
  });
  const ask = () => field.value !== model.get("text") && fig.set({ text: field.value, written: [] });
  const form = html("form", { class: "ab-wp-ask" }, html("label", {}, say("Your text"), field));
  field.onkeydown = (event) => event.stopPropagation(); // letters are commands to JupyterLab
  field.onchange = ask;
  field.oninput = () => model.get("text") || ask(); // who types again need not press Enter to write
  form.onsubmit = (event) => {
    event.preventDefault();
    ask();
  };

  // -- the controls --
  async function write(count) {
    await load();
    if (!writer) return;
    const given = writer.pieces.encode(model.get("text"));
    const written = [...model.get("written")];
    for (let left = Math.min(count, LONGEST - written.length); left > 0; left--) {
      const now = rankedAfter([...given, ...written], given.length);
      written.push(drawn(now, written.length, model.get("seed"), filters()));
    }
    fig.set({ written });
  }
  const buttons = html("div", { class: "ab-wp-buttons", role: "group", "aria-label": say("Writing") });
  const bar = html("progress", { max: 1, value: 0, "aria-label": say("How much of the model is there") });
  const ready = fig.button(say`Load the model (${megabytes(DATA.bytes)})`, () => fig.set({ loaded: true }), {
    primary: true,
  });
  const many = fig.button(say`Write ${AT_ONCE} tokens`, () => write(AT_ONCE), { primary: true });
  const one = fig.button(say("One token"), () => write(1));
  ready.before(buttons);
  buttons.append(ready, bar, many, one);
  fig.slider("temperature", { label: say("Temperature"), values: TEMPERATURES, format: (t) => fmt(t, 1) });
  fig.more();
  fig.slider("top_k", { label: say("Top-k"), values: KS, format: (k) => (k ? String(k) : say("off")) });
  fig.slider("top_p", { label: say("Top-p"), values: PS, format: (q) => (q < 1 ? fmt(q) : say("off")) });
  const layers = range(1, DATA.layers + 1).map((layer) => [layer, say`layer ${layer}`]);
  fig.select("layer", { label: say("Attention"), options: [[0, say("not shown")], ...layers] });
  const back = fig.button(say("Back"), () => fig.set({ written: model.get("written").slice(0, -1) }));
  const again = fig.button(say("New seed"), () => fig.set({ seed: (model.get("seed") + 1) % 10000, written: [] }));
  fig.reset(["text", "written", "seed", "loaded"]);
  fig.controlsFirst();
  const shown = html("output", {
    class: "ab-wp-text",
    "data-value": "text",
    "aria-live": "polite",
    "aria-label": say("The text, and how it goes on"),
    dir: "auto",
    tabindex: 0, // a long one scrolls
  });
  const facts = html("p", { class: "ab-wp-facts" });
  fig.card.querySelector(".ab-head").after(form);
  fig.card.querySelector(".ab-stages").before(shown);
  fig.card.querySelector(".ab-outputs").after(facts);
  facts.textContent = factsOf(DATA.test);
  nextBars(fig);
  fig.output("kept", { label: say("Tokens that stay"), digits: 0, note: say`of ${DATA.size}` });
  fig.output("mass", { label: say("They held"), digits: 3, note: say("of the model's probability") });
  fig.output("entropy", { label: say("Entropy after the filters"), digits: 3, note: say("nats") });

  // -- what is seen --
  function showText(text, parts, weights) {
    const piece = (tag, part, weight, name) =>
      html(tag, {
        text: part,
        class: tag === "span" && "ab-wp-given",
        ...(weight === undefined
          ? {}
          : {
              "data-weight": weight,
              title: say`attention ${fmt(weight)}`,
              style: `background:${weightFill(name)};color:${weightInk(name)}`,
            }),
      });
    if (!weights) {
      shown.replaceChildren(piece("span", text), ...parts.written.map((part) => piece("b", part)));
      return;
    }
    const most = Math.max(...weights);
    const begun = parts.given.length;
    const all = [...parts.given, ...parts.written];
    const first = all.length - weights.length;
    shown.replaceChildren(
      ...all.map((part, i) => {
        const weight = i < first ? undefined : weights[i - first];
        return piece(i < begun ? "span" : "b", part, weight, weight / most);
      }),
    );
  }

  // With the model: what it makes of the text; without it, what is stored.
  function look(text, written, layer) {
    if (!writer && isStored()) return { ...STORED, history: [], parts: { written: DATA.pieces }, said: [] };
    if (!writer) return { said: [] };
    const given = writer.pieces.encode(text);
    if (!given.length) return { said: [say("There is nothing to continue: type at least one character.")] };
    const ids = [...given, ...written];
    const now = rankedAfter(ids, given.length);
    const parts = writer.pieces.parts(ids);
    const said = saysOfText(text, given);
    const weights = layer ? now.weights[layer - 1] : null;
    if (layer) said.push(saysOfAttention(layer, weights, writer.pieces.names(ids.slice(now.start))));
    return {
      names: writer.pieces.names(now.order.slice(0, NAMED)),
      logProbs: now.logProbs,
      history: historyOf(given, written),
      parts: { given: parts.slice(0, given.length), written: parts.slice(given.length) },
      weights,
      said,
    };
  }

  return fig.start((state) => {
    const [text, written, layer] = ["text", "written", "layer"].map(state);
    if (!writer && !problem && (state("loaded") || layer || !isStored())) load();
    const isLoading = Boolean(loading) && !writer;
    const { names, logProbs, history, parts, weights, said } = look(text, written, layer);
    if (problem) said.unshift(problem);
    if (isLoading) said.unshift(say("Loading the model …"));
    if (typed !== text) field.value = typed = text;
    showText(text, parts ?? { written: [] }, weights);
    if (last !== String(written)) shown.scrollTop = shown.scrollHeight; // what is new is in sight
    last = String(written);
    fig.card.setAttribute("aria-busy", String(isLoading));
    ready.hidden = Boolean(writer) || isLoading;
    bar.hidden = !isLoading;
    bar.value = share;
    for (const button of [many, one, back, again]) button.hidden = !writer;
    many.disabled = one.disabled = !names || written.length >= LONGEST;
    back.disabled = !written.length;
    again.textContent = say`New seed (now ${state("seed")})`;
    if (!names) {
      fig.show({ kept: null, mass: null, entropy: null });
      fig.say(said.join(" "));
      return {};
    }
    const seen = filtered(logProbs, ...filters());
    fig.show({
      kept: seen.afterP,
      mass: sum(seen.before.filter((_, i) => seen.kept[i])),
      entropy: entropyOf(seen.after),
    });
    const view = { ...seen, names, history, draws: 0, drawn: [], unit: "token", exact: Boolean(writer) };
    if (written.length >= LONGEST) said.push(say`It has written ${LONGEST} tokens, as many as there is room for.`);
    fig.say([...said, saysOfNext(view)].join(" "));
    return view;
  });
}

// For tests: a writer by itself, from the file that the page has loaded.
function written(text, tokens, seed, filters) {
  const given = writer.pieces.encode(text);
  const ids = [];
  while (ids.length < tokens) ids.push(drawn(rankedAfter([...given, ...ids], given.length), ids.length, seed, filters));
  return ids;
}

const after = (text, ids = []) => {
  const given = writer.pieces.encode(text);
  const { order, logProbs } = rankedAfter([...given, ...ids], given.length);
  return { ids: given, order, logProbs };
};

export default { render, math: { written, after, logProbsOf } };
