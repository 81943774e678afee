/* The sampling explorer: a page model's complete next-word distribution, filtered as attnbook.translation.filter_logits
 * does: first the temperature, then top-k, then top-p. Before is an outline, after is filled, cut off is hatched. The
 * first distribution is stored; the model itself is read when somebody draws a word to go on from. */

import DATA from "./data.json" with { type: "json" };
import { figure } from "../kit/card.js";
import { loadTranslator } from "../kit/files.js";
import { calm, fmt, fmtShort, html, say, sum } from "../kit/kit.js";
import { BOOK, fileOf, selectTarget } from "../kit/languages.js";
import { BOS, nextStep, translateIds } from "../kit/models.js";
import { filtered, nextBars } from "../kit/next_bars.js";
import { cumulative, drawWords, entropyOf, filterLogits, KS, logProbsOf, PS, TEMPERATURES } from "../kit/sampling.js";
import { inARow, langOf } from "../kit/text.js";
import { isEnd, styleSheet } from "../kit/words.js";
import { explain, ofDraws } from "./says.js";

const TARGETS = DATA.models.map(({ target }) => target);
const EXAMPLES = Object.fromEntries(TARGETS.map((one) => [one, DATA.examples.filter(({ target }) => target === one)]));
const MOST_DRAWS = 2000;
const LONGEST = 40;

// What the model makes of the next word after these: its state, and the log-probability of every word.
const asked = new Map();
function nextAfter(translator, sentence, words) {
  const key = [translator.name, sentence, ...words].join(" ");
  if (!asked.has(key)) {
    const before = words.length ? nextAfter(translator, sentence, words.slice(0, -1)).state : null;
    const state = before ? translator.copy(before) : translator.start(translator.read(sentence).ids);
    const id = before ? translator.words.indexOf(words.at(-1)) : BOS;
    const logProbs = nextStep(translator, id, state).logProbs;
    asked.set(key, { state, logProbs });
  }
  return asked.get(key);
}

// The words that can follow, the likeliest first.
function rankedAfter(translator, sentence, words) {
  const { logProbs } = nextAfter(translator, sentence, words);
  const ids = Array.from(logProbs.keys()).filter((id) => logProbs[id] > -Infinity);
  ids.sort((a, b) => logProbs[b] - logProbs[a] || a - b);
  return { names: ids.map((id) => translator.words[id]), logProbs: ids.map((id) => logProbs[id]) };
}

// Of each word drawn: the model's own probability for it, and its place among all words.
function historyOf(translator, { sentence, prefix }, words) {
  return words.map((word, i) => {
    const { logProbs } = nextAfter(translator, sentence, [...prefix, ...words.slice(0, i)]);
    const id = translator.words.indexOf(word);
    const own = logProbs[id];
    const place = logProbs.reduce((count, other, j) => count + (other > own || (other === own && j < id)), 0);
    return { word, place, logProb: own };
  });
}

function render({ model, el }) {
  const fig = figure({
    model,
    el,
    title: say("Which words may be drawn?"),
    hint: say("The bars show which words may come next. Move the sliders, then draw a word and go on from there."),
  });
  fig.card.prepend(
    styleSheet(`
.ab-card .ab-controls, .ab-card .ab-control { min-width: 0; max-width: 100%; }
.ab-card .ab-control select { min-width: 0; flex: 0 1 auto; }
.ab-card p.ab-se-source { margin-top: 0.5rem; color: var(--ab-muted); }
@media (min-width: 481px) { /* three rows of controls */
  .ab-card .ab-control.ab-range { flex-basis: 250px; }
  .ab-card [data-control="example"] { max-width: 32rem; }
}
.ab-card p.ab-se-said { min-height: calc(4.35em + 1rem); } /* three lines */
@media (max-width: 480px) {
  .ab-card .ab-control label { white-space: nowrap; }
  .ab-card p.ab-se-said { min-height: calc(8.7em + 1rem); }
  .ab-card p.ab-se-source { min-height: 2.9em; }
}
.ab-card .ab-outputs { grid-template-columns: repeat(auto-fit, minmax(100px, 1fr)); }
.ab-se-buttons { display: flex; flex-wrap: wrap; gap: 0.5rem; }
.ab-card .ab-se-buttons .ab-button { padding: 5px 10px; }
.ab-card p.ab-se-prefix { margin: 0.75rem 0 0.25rem; min-height: 48px; font-size: 15px; line-height: 24px; }
@media (min-width: 481px) { .ab-se-prefix [lang="en"] { display: block; } }
.ab-se-prefix small { color: var(--ab-muted); font-size: 12px; line-height: 1; font-variant-numeric: tabular-nums; }`),
  );
  const source = html("p", { class: "ab-se-source" });
  fig.card.querySelector(".ab-outputs").before(source);
  fig.card.querySelector(".ab-said").classList.add("ab-se-said");
  const distributions = new Map();
  const stored = (example) => {
    if (!distributions.has(example)) distributions.set(example, logProbsOf(example, DATA.unit));
    return { names: example.names, logProbs: distributions.get(example) };
  };
  const target = () => model.get("target");
  const shown = () => EXAMPLES[target()][model.get("example")];
  // of each language: the model, what is to be said if it cannot be loaded, and whether it is on its way
  const [translators, problems, loading] = [{}, {}, {}];
  const load = (into = target()) =>
    (loading[into] ||= loadTranslator(model, fileOf(DATA.models[0].model, into)).then(
      (made) => {
        [translators[into], problems[into]] = [made, ""];
        fig.redraw();
      },
      (error) => {
        [loading[into], problems[into]] = [null, say`The model could not be loaded: ${error.message}.`];
        fig.redraw();
      },
    ));
  const isEnded = (words) => words.length >= LONGEST || isEnd(words.at(-1));
  // What has been drawn, up to a word that the model does not know: a link can hold any.
  function written() {
    const [words, known] = [model.get("written"), translators[target()]?.words];
    const end = known ? words.findIndex((word) => !known.includes(word)) : -1;
    return end < 0 ? words : words.slice(0, end);
  }

  // The distribution to be seen now: at the end, the one from which <eos> was drawn.
  function look() {
    const translator = translators[target()];
    const { sentence, prefix } = shown();
    const words = isEnd(written().at(-1)) ? written().slice(0, -1) : written();
    const now = translator ? rankedAfter(translator, sentence, [...prefix, ...words]) : stored(shown());
    const filters = ["temperature", "top_k", "top_p"].map((name) => model.get(name));
    return { names: now.names, ...filtered(now.logProbs, ...filters) };
  }

  nextBars(fig);

  fig.slider("temperature", { label: say("Temperature"), values: TEMPERATURES, format: (t) => fmt(t, 1) });
  fig.slider("top_k", { label: say("Top-k"), values: KS, format: (k) => (k ? String(k) : say("off")) });
  fig.slider("top_p", { label: say("Top-p"), values: PS, format: (q) => (q < 1 ? fmt(q) : say("off")) });

  // -- word by word --
  let timer = null;
  const stop = () => {
    clearTimeout(timer);
    timer = null;
  };
  async function write() {
    await load();
    const [words, cast] = [written(), model.get("cast")];
    if (!translators[target()] || isEnded(words)) return false;
    const { names, after } = look();
    const word = names[drawWords(after, cast + 1, model.get("seed"))[cast]];
    fig.set({ written: [...words, word], cast: (cast + 1) % MOST_DRAWS, draws: 0 });
    return true;
  }
  async function writeOn(expected) {
    const isMoved = written().join(" ") !== expected.join(" "); // by somebody; JupyterLab gives a new array
    if (!fig.card.isConnected || isMoved) return stop();
    const goes = await write();
    const now = written();
    if (!goes || isEnded(now)) stop();
    else if (calm()) await writeOn(now); // all words at once
    else if (timer) timer = setTimeout(() => writeOn(now), 500);
    fig.redraw();
  }
  const next = fig.button(
    say("Draw a word"),
    () => {
      stop();
      write();
    },
    { primary: true },
  );
  fig.more();
  const toEnd = fig.button(say("To the end"), () => {
    if (timer) {
      stop();
      fig.redraw();
      return;
    }
    toEnd.style.minWidth = `${toEnd.getBoundingClientRect().width}px`; // as wide when it says Stop
    timer = -1; // until the first word is there
    writeOn(written());
  });
  const back = fig.button(say("Back"), () => {
    stop();
    fig.set({ written: written().slice(0, -1), draws: 0 });
  });
  const more = fig.button(say("Draw 100"), () => fig.set({ draws: Math.min(MOST_DRAWS, model.get("draws") + 100) }));
  const clear = fig.button(say("New seed"), () => fig.set({ seed: (model.get("seed") + 1) % 10000, draws: 0 }));
  const begins = html("p", { class: "ab-se-prefix" });
  const buttons = html("div", { class: "ab-se-buttons", role: "group", "aria-label": say("Drawing") });
  toEnd.before(buttons);
  buttons.append(toEnd, back, more, clear);
  selectTarget(fig, TARGETS, (one) => fig.set({ target: one, written: [], draws: 0 }));
  const begun = fig.select("example", {
    label: say("After"),
    options: () => EXAMPLES[target()].map(({ sentence, prefix }, i) => [i, say`“${inARow(prefix)} …”: ${sentence}`]),
  });
  begun.addEventListener("change", () => fig.set({ written: [], draws: 0 }));
  fig.reset(["draws", "seed", "written", "cast"]);
  fig.controlsFirst();
  fig.card.querySelector(".ab-stages").before(next, begins); // on a phone three sliders fill the panel

  fig.output("kept", { label: say("Words that stay"), format: String, note: " " });
  const counted = fig.card.querySelector('[data-value="kept"] ~ .ab-note');
  fig.output("mass", { label: say("They held"), digits: 3, note: say("of the model's probability") });
  fig.output("entropy_before", { label: say("Entropy before"), digits: 3, note: say("nats") });
  fig.output("entropy_after", { label: say("Entropy after"), digits: 3, note: say("nats") });
  fig.output("distinct", { label: say("Different words"), format: String, note: say("when drawn by hundreds") });
  const distinct = fig.card.querySelector('[data-value="distinct"]').parentElement;

  return fig.start((state) => {
    const [draws, words] = [state("draws"), written()];
    const into = state("target");
    const [translator, problem] = [translators[into], problems[into]];
    if ((words.length || state("cast")) && !translator && !problem) load(); // words have been drawn
    const seen = look();
    const { before, after, kept } = seen;
    const drawn = drawWords(after, draws, state("seed"));
    const { sentence, prefix, reference } = shown();
    const lang = langOf(BOOK[into].codes[1]);
    const history = translator ? historyOf(translator, shown(), words) : [];
    const ended = translator && isEnded(words);
    counted.textContent = say`of ${seen.size}`;
    source.replaceChildren(
      say("One human translation: "),
      html("span", { lang, text: reference }),
      into === "zh" ? say(" Each character counts as a word.") : "",
    );
    begins.lang = lang;
    begins.replaceChildren(
      html("span", { lang: "en", text: sentence }),
      " → ",
      html("b", { text: inARow(prefix) }),
      ...history.flatMap(({ word, logProb }) => [
        ` ${word} `,
        html("small", { text: fmtShort(Math.exp(logProb)), title: say("the model’s probability") }),
      ]),
      ended ? "" : " …",
    );
    distinct.hidden = !draws;
    fig.show({
      kept: seen.afterP,
      mass: sum(before.filter((_, i) => kept[i])),
      entropy_before: entropyOf(before),
      entropy_after: entropyOf(after),
      distinct: draws ? new Set(drawn).size : null,
    });
    const view = {
      ...seen,
      lang,
      draws,
      drawn,
      prefix,
      history,
      ended,
      problem,
      loading: loading[into] && !translator,
      write: translator?.write,
      greedy: ended ? greedyFrom(translator, shown()) : null,
      exact: Boolean(translator),
    };
    next.disabled = toEnd.disabled = Boolean(ended);
    toEnd.textContent = timer ? say("Stop") : say("To the end");
    back.disabled = !words.length;
    fig.card.setAttribute("aria-busy", String(Boolean(view.loading)));
    more.disabled = draws >= MOST_DRAWS;
    clear.disabled = draws === 0;
    fig.say(explain(view) + ofDraws(view));
    return view;
  });
}

// The likeliest word at every step after the beginning of an example.
function greedyFrom(translator, { sentence, prefix }) {
  const given = prefix.map((word) => translator.words.indexOf(word));
  return translateIds(translator, translator.read(sentence).ids, given).slice(prefix.length);
}

export default { render, math: { logProbsOf, filterLogits, entropyOf, drawWords, cumulative } };
