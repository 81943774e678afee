/* The attention-pattern viewer: every head of a small trained model, on sentences that the reader may change.
 * The model's weights come with the module (`DATA`); it runs here, in the browser, at every change. The word that looks
 * is drawn in the query's colour, the words that it looks at in the key's, the weights in violet. */

import DATA from "../../studies/next_words.json" with { type: "json" };
import { figure } from "../kit/card.js";
import { clamp, fmt, html, range, say } from "../kit/kit.js";
import { half } from "../kit/weights.js";
import { drawGrid, drawMap, drawNext, gridHeight, mapLayout, nextHeight } from "./maps.js";
import {
  byClass, CLASS_NAMES, exampleOf, foremost, headFacts, headFor, HEADS, isOff, LAYERS, NEEDED, run, share,
  START, VOCABULARY,
} from "./maths.js";
import { drawSentence, sentenceHeight, shortWeight, wordAt } from "./sentence.js";
import { renderTogether } from "./together.js";

const percent = (a) => `${fmt(100 * a, 0)} %`;

// "head 4 of layer 1", "heads 1 and 4 of layer 1 and head 3 of layer 2"
function named(off) {
  const parts = range(1, LAYERS + 1).map((layer) => {
    const heads = off
      .filter(([l]) => l === layer)
      .map(([, h]) => h)
      .sort();
    if (heads.length < 2) return heads.length ? say`head ${heads[0]} of layer ${layer}` : "";
    return say`heads ${heads.slice(0, -1).join(say(", "))} and ${heads.at(-1)} of layer ${layer}`;
  });
  return parts.filter(Boolean).join(say(" and "));
}

// What is seen now: where the word looks and, with heads off, what that has changed.
function seenNow({ words, layer, head, off, silent, query, row, whole, next }) {
  const best = (weights) => {
    const j = weights.indexOf(Math.max(...weights));
    return { j, word: wordAt(words, query, j), a: shortWeight(weights[j]) };
  };
  const [now, before] = [best(row), best(whole.weights[layer - 1][head - 1][query])];
  const seen = { who: words[query], word: now.word, a: now.a, other: before.word, b: before.a };
  if (!off.length)
    return query ? say("“{who}” looks most at {word}, {a}.", seen) : say("“{who}” can look only at itself.", seen);
  const there = now.j !== before.j;
  const same = !there && now.a === before.a;
  const looks = silent
    ? same
      ? say("“{who}” would look most at {word}, {a}, as with all heads on.", seen)
      : there
        ? say("“{who}” would look most at {word}, {a}; with all heads on, at {other}, {b}.", seen)
        : say("“{who}” would look most at {word}, {a}; with all heads on, {b}.", seen)
    : same
      ? say("“{who}” still looks most at {word}, {a}, as with all heads on.", seen)
      : there
        ? say("“{who}” now looks most at {word}, {a}; with all heads on, at {other}, {b}.", seen)
        : say("“{who}” now looks most at {word}, {a}; with all heads on, {b}.", seen);
  const some = off.length > 3 ? say`${off.length} heads` : named(off);
  const others = off.length === LAYERS * HEADS ? say("all heads") : some;
  const first = silent
    ? say("Head {head} of layer {layer} is off and passes nothing on: {looks}", { head, layer, looks })
    : say("With {others} off, {looks}", { others, looks });
  const likely = (chances) => {
    const i = chances.indexOf(Math.max(...chances));
    return [VOCABULARY[i], fmt(chances[i])];
  };
  const [[after, p], [was, q]] = [likely(next), likely(whole.next[query])];
  const second =
    after === was
      ? p === q
        ? say("The most probable next word is still “{after}”, {p}.", { after, p })
        : say("The most probable next word is still “{after}”, {p} instead of {q}.", { after, p, q })
      : say("The most probable next word is now “{after}”, {p}, instead of “{was}”, {q}.", { after, p, was, q });
  return `${first} ${second}`;
}

const PARTS = {
  agreement: (p) => say`${p} of the verbs would agree`,
  noun: (p) => say`${p} of the repeated nouns would be right`,
};
const kindOf = (words) => DATA.examples[exampleOf(words)]?.kind;

// What was measured without the chosen head; if nothing is lost, that is for the reader to find out.
function costInWords({ words, layer, head }) {
  const { full } = DATA.measured;
  const { without } = headFacts(layer, head);
  const lost = Object.keys(PARTS).filter((task) => without[task] < full[task]);
  if (!lost.length) return say("Is this head needed? Switch it off, and see whether the prediction changes.");
  const own = kindOf(words.slice(1));
  if (own === "noun") lost.reverse();
  const [part, other] = lost.map((task) => PARTS[task](percent(without[task])));
  if (lost.length === 1 && own && own !== lost[0])
    return own === "noun"
      ? say("Switched off, all repeated nouns of the test sentences would still be right, but only {part}.", { part })
      : say("Switched off, all verbs of the test sentences would still agree, but only {part}.", { part });
  const values = { part, other, full: percent(full[lost[0]]) };
  return lost.length === 1
    ? say("Switched off, it is missed: in the test sentences only {part} (with it, {full}).", values)
    : say("Switched off, it is missed: in the test sentences only {part} and {other} (with it, {full}).", values);
}

const inWords = (view) => seenNow(view) + (view.off.length ? "" : ` ${costInWords(view)}`);

// What a head usually looks at, below the small maps.
const WHERE = {
  before: (a) => say`${a} of this head’s weight is on the word before`,
  itself: (a) => say`${a} of this head’s weight is on the word itself`,
  start: (a) => say`${a} of this head’s weight is on <bos>`,
  subject: (a) => say`where a verb is due, ${a} of its weight in this head is on its subject`,
  adjective: (a) => say`when a noun looks, ${a} of its weight in this head is on its adjective`,
  noun: (a) =>
    say`when a repeated adjective looks, ${a} of its weight in this head is on the noun that followed it before`,
};

function usually({ layer, head }) {
  const [job, , a] = foremost(headFacts(layer, head));
  const { count } = DATA.measured;
  const tested =
    { subject: count.agreement, adjective: count.noun, noun: count.noun }[job] || count.agreement + count.noun;
  return say`On average over ${tested} test sentences with all heads on, ${WHERE[job](fmt(a))}.`;
}

// ---- the figure ----------------------------------------------------------------------------------

const STYLE = `
.ab-card .ab-stages > .ab-said { flex: 1 1 100%; margin: 0; min-height: calc(2lh + 1rem); }
.ab-card .ab-left { flex: 1 1 240px; min-width: min(240px, 100%); }
.ab-card .ab-usual { color: var(--ab-muted); font-size: 13px; line-height: 1.4; margin: 0.25rem 0 0.75rem;
  min-height: 4lh; }
.ab-card .ab-pair { display: flex; gap: 0.75rem; }
@media (max-width: 480px) { .ab-card .ab-pair .ab-button { padding-inline: 8px; white-space: nowrap; } }
.ab-card .ab-outputs output { white-space: nowrap; }
@media (min-width: 481px) {
  .ab-card .ab-left { container-type: inline-size; }
  @container (max-width: 330px) { .ab-card .ab-usual { min-height: 5lh; } }
}
@media (max-width: 480px) {
  .ab-card .ab-stages > .ab-said { min-height: calc(5lh + 1rem); }
  .ab-card .ab-outputs output { font-size: 15px; }
  .ab-card .ab-controls .ab-button { padding: 5px 9px; }
  .ab-card .ab-left { display: contents; }
  .ab-card .ab-usual { flex: 1 1 100%; }
  .ab-card .ab-following { order: 1; }
}`;

function render({ model, el }) {
  if (model.get("together")) return renderTogether({ model, el });
  const fig = figure({
    model,
    el,
    title: say("What does each head look at?"),
    hint: say("Choose a word and a head."),
  });
  const stages = [];
  let hovered = null;
  const usedFor = (layer, head, kind) => foremost(headFacts(layer, head))[0] === NEEDED[kind];
  let compute = null;
  let last = {};
  let full = {}; // the same words with all heads on
  const stage = (options) => stages.push(fig.stage(options));
  fig.hover = (to) => {
    if (to === hovered) return;
    hovered = to;
    const view = compute((name) => model.get(name));
    stages.forEach((one) => one.draw(view));
  };
  fig.toggle = (layer, head) => {
    const off = model.get("off");
    fig.set({
      off: isOff(off, layer, head) ? off.filter(([l, h]) => l !== layer || h !== head) : [...off, [layer, head]],
    });
  };
  const allWords = () => [START, ...model.get("words")];

  stage({
    label: (v) => say`The sentence; “${v.words[v.query]}” looks most at ${v.best}`,
    draw: (p, v) => drawSentence(p, v, fig),
    height: (width) => sentenceHeight(allWords(), width),
  });
  stage({
    basis: 240,
    draw: (p, v) => drawGrid(p, v, fig),
    height: gridHeight,
    label: (v) =>
      say`Small heat maps of ${LAYERS} layers with ${HEADS} heads each; layer ${v.layer}, head ${v.head} is chosen.`,
  });
  stage({
    basis: 240,
    draw: drawNext,
    height: nextHeight,
    label: (v) => {
      const likely = v.classes.slice(0, 3).map(({ name, p }) => `${CLASS_NAMES[name] ?? name} ${fmt(p)}`);
      return say`Next word: ${likely.join(say(", "))}`;
    },
  });
  stage({
    basis: 380,
    grow: 2,
    draw: (p, v) => drawMap(p, v, fig),
    height: (width) => mapLayout(width, allWords()).end + 4,
    label: (v) => say`Heat map of the weights of layer ${v.layer}, head ${v.head}`,
  });

  const usual = html("p", { class: "ab-usual", "data-value": "usual" });
  const body = fig.card.querySelector(".ab-stages");
  const [, heads, following] = [...body.children];
  body.firstChild.after(fig.card.querySelector(".ab-said"), html("div", { class: "ab-left" }, heads, usual, following));
  following.classList.add("ab-following");
  fig.card.prepend(html("style", { text: STYLE }));

  // which sentence
  const sentence = html("select", { style: "flex:1 1 auto;min-width:0;max-width:26rem" });
  ["agreement", "noun"].forEach((kind) => {
    const asked = kind === "agreement" ? say("Which verb comes next?") : say("Which noun was it?");
    const group = html("optgroup", { label: asked });
    DATA.examples.forEach((example, i) => {
      if (example.kind === kind)
        group.append(html("option", { value: String(i), text: example.words.slice(0, -1).join(" ") }));
    });
    sentence.append(group);
  });
  sentence.append(html("option", { value: "-1", text: say("(changed by you)"), disabled: true }));
  sentence.onchange = () => {
    const example = DATA.examples[+sentence.value];
    const now = kindOf(model.get("words"));
    const used = (kind) => usedFor(model.get("layer"), model.get("head"), kind);
    fig.set({ words: example.words, query: example.answer - 1 });
    if (used(example.kind) || !(now ? [now] : Object.keys(NEEDED)).some(used)) return; // or it is the reader's own head
    const [layer, head] = headFor(example.kind);
    fig.set({ layer, head });
  };
  fig.control("words", say("Sentence"), sentence, () => {
    sentence.value = String(exampleOf(model.get("words")));
  });
  sentence.parentElement.style.cssText = "flex:1 1 14rem;min-width:0";

  // which word stands where the query is
  const word = html("select", {});
  DATA.classes.forEach(([name, words]) => {
    const options = words.map((one) => html("option", { value: one, text: one }));
    word.append(html("optgroup", { label: CLASS_NAMES[name] ?? name }, ...options));
  });
  word.append(html("option", { value: START, text: START, disabled: true }));
  word.onchange = () =>
    fig.set({ words: model.get("words").map((one, t) => (t + 1 === model.get("query") ? word.value : one)) });
  fig.control("query", say("Change to"), word, () => {
    word.value = allWords()[Math.min(model.get("query"), allWords().length - 1)];
    word.disabled = model.get("query") === 0;
  });
  const toggle = fig.button(say("Switch this head off"), () => fig.toggle(model.get("layer"), model.get("head")));
  const all = fig.button(say("All heads on"), () => fig.set({ off: [] }));
  const pair = html("div", { class: "ab-pair" });
  toggle.before(pair);
  pair.append(toggle, all);
  fig.reset(["layer", "head", "off"]);
  fig.controlsFirst();

  fig.output("next", { label: say("most probable next word") });
  fig.output("singular", { label: say("next: verb, singular") });
  fig.output("plural", { label: say("next: verb, plural") });

  const runOnce = (words, off) => {
    // pointing at a word changes nothing that the model sees
    const asked = JSON.stringify([words, off]);
    if (last.asked !== asked) last = { asked, run: run(words, off) };
    return last.run;
  };
  const allOn = (words) => {
    const asked = String(words);
    if (full.asked !== asked) full = { asked, run: run(words) };
    return full.run;
  };
  compute = (state) => {
    const words = [START, ...state("words")];
    const [layer, head, off] = [state("layer"), state("head"), state("off")];
    const pinned = clamp(state("query"), 0, words.length - 1);
    const query = hovered === null ? pinned : clamp(hovered, 0, words.length - 1);
    const now = runOnce(words, off);
    const whole = off.length ? allOn(words) : now;
    const row = now.weights[layer - 1][head - 1][query];
    const next = now.next[query];
    const most = row.indexOf(Math.max(...row));
    const best = `${words[most]} ${shortWeight(row[most])}`;
    const word1 = next.indexOf(Math.max(...next));
    fig.show({
      next: `${VOCABULARY[word1]} ${fmt(next[word1])}`,
      singular: share(next, "verb, singular"),
      plural: share(next, "verb, plural"),
    });
    toggle.textContent = isOff(off, layer, head) ? say("Switch this head on") : say("Switch this head off");
    toggle.setAttribute("aria-pressed", String(isOff(off, layer, head)));
    all.disabled = !off.length;
    const silent = isOff(off, layer, head);
    const view = { words, layer, head, off, silent, pinned, query, now, run: now, whole, row, next, best };
    view.classes = byClass(next);
    usual.textContent = usually(view);
    fig.say(inWords(view));
    return view;
  };
  return fig.start(compute);
}

const math = { half, run, byClass, share, exampleOf, foremost, headFacts, headFor };

export default { render, math };
