/* The attention-pattern viewer: every head of a small trained model, on sentences that the reader may change.
 * The model's weights come with the module (`DATA`); it runs here, in the browser, at every change. The word that looks
 * is drawn in the query's colour, the words that it looks at in the key's, the weights in violet. */

import DATA from "../../studies/next_words.json" with { type: "json" };
import { figure } from "../kit/card.js";
import { clamp, fmt, html, range } from "../kit/kit.js";
import { half } from "../kit/weights.js";
import { drawGrid, drawMap, drawNext, gridHeight, mapLayout, nextHeight } from "./maps.js";
import {
  byClass, exampleOf, foremost, headFacts, headFor, HEADS, isOff, JOBS, layerNorm, LAYERS, NEEDED, run, share,
  START, VOCABULARY,
} from "./maths.js";
import { drawSentence, sentenceHeight, shortWeight, wordAt } from "./sentence.js";
import { renderTogether } from "./together.js";

const percent = (a) => `${fmt(100 * a, 0)} %`;

// "head 4 of layer 1", "heads 1 and 4 of layer 1 and head 3 of layer 2"
function named(off) {
  const list = (xs) => (xs.length < 2 ? String(xs) : `${xs.slice(0, -1).join(", ")} and ${xs.at(-1)}`);
  const parts = range(1, LAYERS + 1).map((layer) => {
    const heads = off
      .filter(([l]) => l === layer)
      .map(([, h]) => h)
      .sort();
    return heads.length ? `${heads.length > 1 ? "heads" : "head"} ${list(heads)} of layer ${layer}` : "";
  });
  return list(parts.filter(Boolean));
}

// What is seen now: where the word looks and, with heads off, what that has changed.
function seenNow({ words, layer, head, off, silent, query, row, whole, next }) {
  const best = (weights) => {
    const j = weights.indexOf(Math.max(...weights));
    return { j, word: wordAt(words, query, j), a: shortWeight(weights[j]) };
  };
  const [now, before] = [best(row), best(whole.weights[layer - 1][head - 1][query])];
  const who = `“${words[query]}”`;
  if (!off.length) return query ? `${who} looks most at ${now.word}, ${now.a}.` : `${who} can look only at itself.`;
  const there = now.j === before.j ? "" : `at ${before.word}, `;
  const same = !there && now.a === before.a;
  const looks =
    `${who} ${silent ? "would look" : same ? "still looks" : "now looks"} most at ${now.word}, ${now.a}` +
    (same ? ", as with all heads on." : `; with all heads on, ${there}${before.a}.`);
  const others = off.length > 3 ? `${off.length === LAYERS * HEADS ? "all" : off.length} heads` : named(off);
  const first = silent
    ? `Head ${head} of layer ${layer} is off and passes nothing on: ${looks}`
    : `With ${others} off, ${looks}`;
  const likely = (chances) => {
    const i = chances.indexOf(Math.max(...chances));
    return [`“${VOCABULARY[i]}”`, fmt(chances[i])];
  };
  const [[after, p], [was, q]] = [likely(next), likely(whole.next[query])];
  const second =
    after === was
      ? `The most probable next word is still ${after}, ${p === q ? p : `${p} instead of ${q}`}.`
      : `The most probable next word is now ${after}, ${p}, instead of ${was}, ${q}.`;
  return `${first} ${second}`;
}

const TASKS = { agreement: ["verbs", "agree"], noun: ["repeated nouns", "be right"] };
const kindOf = (words) => DATA.examples[exampleOf(words)]?.kind;

// What was measured without the chosen head; if nothing is lost, that is for the reader to find out.
function costInWords({ words, layer, head }) {
  const { full } = DATA.measured;
  const { without } = headFacts(layer, head);
  const part = (task, a) => `${percent(a)} of the ${TASKS[task][0]} would ${TASKS[task][1]}`;
  const lost = Object.keys(TASKS).filter((task) => without[task] < full[task]);
  const own = kindOf(words.slice(1));
  if (lost.length === 1 && own && own !== lost[0])
    return (
      `Switched off, all ${TASKS[own][0]} of the test sentences would still ${TASKS[own][1]}, but only ` +
      `${part(lost[0], without[lost[0]])}.`
    );
  if (lost.length) {
    if (own === "noun") lost.reverse();
    const parts = lost.map((task) => part(task, without[task])).join(" and ");
    return `Switched off, it is missed: in the test sentences only ${parts} (with it, ${percent(full[lost[0]])}).`;
  }
  return "Is this head needed? Switch it off, and see whether the prediction changes.";
}

const inWords = (view) => seenNow(view) + (view.off.length ? "" : ` ${costInWords(view)}`);

// What a head usually looks at, below the small maps.
function usually({ layer, head }) {
  const [job, , a] = foremost(headFacts(layer, head));
  const [, , who, place] = JOBS.find(([name]) => name === job);
  const { count } = DATA.measured;
  const tested =
    { subject: count.agreement, adjective: count.noun, noun: count.noun }[job] || count.agreement + count.noun;
  const whose = who ? "its weight in this head" : "this head’s weight";
  return `On average over ${tested} test sentences with all heads on, ${who}${fmt(a)} of ${whose} is on ${place}.`;
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
    title: "What does each head look at?",
    hint: "Choose a word and a head.",
  });
  const stages = [];
  let hovered = null;
  const usedFor = (layer, head, kind) => foremost(headFacts(layer, head))[0] === NEEDED[kind];
  let byHand = !usedFor(model.get("layer"), model.get("head"), kindOf(model.get("words"))); // the reader's own head
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
  fig.choose = (layer, head) => {
    byHand = true;
    fig.set({ layer, head });
  };
  fig.toggle = (layer, head) => {
    const off = model.get("off");
    fig.set({
      off: isOff(off, layer, head) ? off.filter(([l, h]) => l !== layer || h !== head) : [...off, [layer, head]],
    });
  };
  const allWords = () => [START, ...model.get("words")];

  stage({
    label: (v) => `The sentence; “${v.words[v.query]}” looks most at ${v.best}`,
    draw: (p, v) => drawSentence(p, v, fig),
    height: (width) => sentenceHeight(allWords(), width),
  });
  stage({
    basis: 240,
    draw: (p, v) => drawGrid(p, v, fig),
    height: gridHeight,
    label: (v) =>
      `Small heat maps of ${LAYERS} layers with ${HEADS} heads each; layer ${v.layer}, head ${v.head} is chosen.`,
  });
  stage({
    basis: 240,
    draw: drawNext,
    height: nextHeight,
    label: (v) => `Next word: ${v.classes.slice(0, 3).map((c) => `${c.name} ${fmt(c.p)}`).join(", ")}`,
  });
  stage({
    basis: 380,
    grow: 2,
    draw: (p, v) => drawMap(p, v, fig),
    height: (width) => mapLayout(width, allWords()).end + 4,
    label: (v) => `Heat map of the weights of layer ${v.layer}, head ${v.head}`,
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
    const group = html("optgroup", { label: kind === "agreement" ? "Which verb comes next?" : "Which noun was it?" });
    DATA.examples.forEach((example, i) => {
      if (example.kind === kind)
        group.append(html("option", { value: String(i), text: example.words.slice(0, -1).join(" ") }));
    });
    sentence.append(group);
  });
  sentence.append(html("option", { value: "-1", text: "(changed by you)", disabled: true }));
  sentence.onchange = () => {
    const example = DATA.examples[+sentence.value];
    fig.set({ words: example.words, query: example.answer - 1 });
    if (byHand || usedFor(model.get("layer"), model.get("head"), example.kind)) return;
    const [layer, head] = headFor(example.kind);
    fig.set({ layer, head });
  };
  fig.control("words", "Sentence", sentence, () => {
    sentence.value = String(exampleOf(model.get("words")));
  });
  sentence.parentElement.style.cssText = "flex:1 1 14rem;min-width:0";

  // which word stands where the query is
  const word = html("select", {});
  DATA.classes.forEach(([name, words]) =>
    word.append(html("optgroup", { label: name }, ...words.map((one) => html("option", { value: one, text: one })))),
  );
  word.append(html("option", { value: START, text: START, disabled: true }));
  word.onchange = () =>
    fig.set({ words: model.get("words").map((one, t) => (t + 1 === model.get("query") ? word.value : one)) });
  fig.control("query", "Change to", word, () => {
    word.value = allWords()[Math.min(model.get("query"), allWords().length - 1)];
    word.disabled = model.get("query") === 0;
  });
  const toggle = fig.button("Switch this head off", () => fig.toggle(model.get("layer"), model.get("head")));
  const all = fig.button("All heads on", () => fig.set({ off: [] }));
  const pair = html("div", { class: "ab-pair" });
  toggle.before(pair);
  pair.append(toggle, all);
  fig.reset(["layer", "head", "off"]).addEventListener("click", () => {
    byHand = false;
  });
  fig.controlsFirst();

  fig.output("next", { label: "most probable next word" });
  fig.output("singular", { label: "next: verb, singular" });
  fig.output("plural", { label: "next: verb, plural" });

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
    toggle.textContent = isOff(off, layer, head) ? "Switch this head on" : "Switch this head off";
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

const math = { half, layerNorm, run, byClass, share, exampleOf, foremost, headFacts, headFor };

export default { render, math };
