/* The alignment reader: stored attention weights of a translator at several moments of its training, read word by
 * word. The target word that asks is drawn in the query's colour, the source words in the key's. */

import DATA from "./data.json" with { type: "json" };
import { figure } from "../kit/card.js";
import { fmt, html, newId, range, say, take } from "../kit/kit.js";
import { sentenceOf, styleSheet } from "../kit/words.js";
import { drawBleu, drawMap, MAP_HEIGHT } from "./charts.js";
import {
  drawReading, epochText, isCut, largest, layOut, quote, reading, sameBoth, SENTENCES, shortened, spreadOf,
} from "./reading.js";
import { playTraining, wordByWord } from "./steps.js";

const whenOf = (moment) => {
  const n = DATA.epochs[moment];
  return n === 0 ? say("untrained") : n === 1 ? say("after 1 epoch") : say("after {n} epochs", { n });
};

// The sentence under the drawing.
function explain(view) {
  const { source, words, weights, shown, at } = view;
  if (!weights) {
    const values = { then: whenOf(view.moment), words: quote(words), other: quote(view.other) };
    if (view.own && view.same)
      return say(
        "Without attention it cannot look back: {then}, both write the same here, “{words}”. Try “{sentence}”",
        { ...values, sentence: SENTENCES.find((sentence) => !sameBoth(sentence, view.moment)).text },
      );
    return view.own
      ? say(
          "Without attention it cannot look back: {then}, it writes “{words}”; with attention it writes “{other}”.",
          values,
        )
      : say(
          "Without attention there is nothing to look at: the reference is fed in, and every word is predicted from " +
            "the same vector of the source.",
        );
  }
  if (at < 0)
    return say(
      "The decoder has read “{text}” and written nothing. Step forward: before each word it puts a question to the " +
        "English words.",
      { text: view.text },
    );
  const row = weights[at];
  const order = range(row.length).sort((a, b) => row[b] - row[a]);
  const name = (j) => `“${source[j]}” (${fmt(row[j])})`;
  const from = at > 4 ? at - 3 : 0; // the last words are enough
  const start = `${from ? "… " : ""}${words.slice(from, at).join(" ")}`;
  return say("{when}: {before} it {looks}; then comes “{word}”.{done}", {
    when: whenOf(view.moment).replace(/^./, (letter) => letter.toUpperCase()),
    before: !at ? say("before the first word") : view.own ? say`having written “${start}”,` : say`given “${start}”,`,
    looks: row.every((a) => Math.abs(a * row.length - 1) < EVEN)
      ? say("looks at all {n} places almost alike (even: {even} each, largest: {largest})", {
          n: row.length,
          even: fmt(1 / row.length),
          largest: fmt(row[order[0]]),
        })
      : row[order[1]] > 0.15
        ? say`looks most at ${name(order[0])} and ${name(order[1])}`
        : say`looks most at ${name(order[0])}`,
    word: words[at],
    done: shown === words.length && isCut(words) ? say` After ${view.total} words it has still not ended.` : "",
  });
}

const EVEN = 0.3; // a row is called even if none of its weights is further than this part from 1/S

function factsOf({ source, unknown, seen, human }) {
  const names = unknown.map((j) => `“${source[j]}”`).join(say(" and "));
  return say("{before}{strange} A human translation: {human}", {
    before: seen ? say("The model was trained on this sentence.") : say("The model has never seen this sentence."),
    strange: names ? say` It does not know ${names}: it reads <unk>.` : "",
    human,
  });
}

const STYLE = `
.ab-card .ab-controls, .ab-card .ab-control { min-width: 0; max-width: 100%; }
.ab-card .ab-control select { min-width: 0; flex: 0 1 auto; }
@media (min-width: 481px) { /* two rows of controls */
  .ab-card .ab-control.ab-range { flex-basis: 230px; }
  .ab-card .ab-control:has([data-control="sentence"]) { flex: 1 1 250px; }
}
.ab-card p.ab-said { flex: 1 1 100%; margin: 0 0 0.25rem; min-height: calc(2.9em + 1rem); } /* two lines */
.ab-ar-seen { display: grid; color: var(--ab-muted); margin-top: 0.5rem; }
.ab-ar-seen p { grid-area: 1 / 1; visibility: hidden; } /* one over the other: the longest has room */
.ab-card .ab-ar-seen .ab-ar-now { visibility: visible; }
.ab-card .ab-outputs { grid-template-columns: repeat(3, 1fr); }
.ab-card .ab-ar-play { min-width: 5.5em; }
.ab-ar-words { display: flex; flex: 1 1 410px; flex-wrap: wrap; gap: 0.5rem; min-width: 0; }
.ab-card .ab-ar-words .ab-range { flex: 1 1 220px; }
.ab-card .ab-now { min-width: 4.4em; white-space: nowrap; }
@media (max-width: 480px) { .ab-card p.ab-said { min-height: calc(7.25em + 1rem); } }`;

function render({ model, el }) {
  const fig = figure({
    model,
    el,
    title: say("Reading an alignment"),
    hint: say(
      "Press Play to see how the model learns where to look, then point at a French word: the ribbons show where it " +
        "looked before it wrote that word.",
    ),
  });
  fig.card.prepend(styleSheet(STYLE));
  const ids = newId();
  let view = null;
  const number = () => SENTENCES.findIndex(({ text }) => text === model.get("sentence"));
  const now = () => {
    const all = reading(number(), model.get("moment"), model.get("attention"), model.get("target"));
    const words = shortened(all.words);
    return { words, weights: all.weights && all.weights.slice(0, words.length), total: all.words.length };
  };
  const last = () => now().words.length;
  const shown = () => {
    const n = model.get("written");
    return n < 0 ? last() : Math.min(n, last());
  };

  const act = {
    idOf: (i) => `${ids}-${i}`,
    look: (i) => fig.set({ at: i }),
    onKey(event) {
      const to = {
        ArrowLeft: view.at - 1,
        ArrowUp: view.at - 1,
        ArrowRight: view.at + 1,
        ArrowDown: view.at + 1,
        Home: 0,
        End: view.shown - 1,
      }[event.key];
      if (to === undefined) return;
      take(event);
      if (to >= 0 && to < view.shown) act.look(to);
    },
  };

  // What is known of each sentence, as paragraphs of which one is seen.
  const notes = SENTENCES.map((sentence) => html("p", { text: factsOf(sentence) }));
  const info = html("div", { class: "ab-ar-seen" }, ...notes);
  fig.stage({
    label: (v) =>
      v.weights
        ? say`${v.text} Its translation: ${sentenceOf(v.words)}`
        : say`${v.text} Its translation: ${sentenceOf(v.words)}; without attention, no weights`,
    height: (width) => layOut(view.source, view.words, width).height,
    draw: (p, v) => drawReading(p, v, act),
  });
  fig.stage({
    label: (v) =>
      v.weights
        ? say`Heat map of ${v.words.length} by ${v.source.length} attention weights`
        : say(
            "Without attention there are no weights. A human translation: {human} With attention: {with}. " +
              "Without: {without}.",
            { human: v.human, with: quote(v.by.with), without: quote(v.by.without) },
          ),
    basis: 370,
    grow: 3,
    height: MAP_HEIGHT,
    draw: (p, v) => drawMap(p, v, act),
  });
  fig.stage({
    label: (v) =>
      say("BLEU after each part of the training; now {with} with attention, {without} without", {
        with: fmt(DATA.bleu.with[v.moment], 1),
        without: fmt(DATA.bleu.without[v.moment], 1),
      }),
    basis: 240,
    grow: 2,
    height: () => (fig.card.clientWidth < 680 ? 230 : MAP_HEIGHT), // beside the map as tall as it
    draw: (p, v) => drawBleu(p, v, fig),
  });

  fig.slider("moment", {
    label: say("Training"),
    values: range(DATA.epochs.length),
    format: (m) => epochText(DATA.epochs[m]),
  });
  const refreshTraining = playTraining(fig);
  fig.more();
  const refreshWords = wordByWord(fig, shown, () => [last(), now().total]);
  fig.select("sentence", {
    label: say("Sentence"),
    options: SENTENCES.map(({ text, seen }) => [text, seen ? say`${text} (seen)` : say`${text} (held out)`]),
  });
  fig.select("target", {
    label: say("Translation"),
    options: [
      ["own", say("its own")],
      ["reference", say("the reference")],
    ],
  });
  fig.checkbox("attention", { label: say("With attention") });
  fig.card
    .querySelectorAll("select")
    .forEach((select) => select.addEventListener("change", () => fig.set({ at: -1, written: -1 })));
  fig.reset(["at"]);
  fig.controlsFirst();
  const drawings = fig.card.querySelector(".ab-stages");
  drawings.firstElementChild.after(fig.card.querySelector(".ab-said")); // under the ribbons of which it speaks
  drawings.after(info);

  fig.output("spread", {
    label: say("Spread over"),
    digits: 1,
    note: say("words: e to the entropy"),
  });
  fig.output("bleu_with", { label: say("BLEU with attention"), digits: 1 });
  fig.output("bleu_without", { label: say("BLEU without"), digits: 1 });

  return fig.start((state) => {
    const sentence = SENTENCES[number()];
    const { words, weights, total } = now();
    const there = shown();
    const wanted = state("at");
    const at = wanted < 0 || wanted >= there ? there - 1 : wanted;
    const { source } = sentence;
    const moment = state("moment");
    view = {
      text: sentence.text,
      source,
      unknown: sentence.unknown,
      words,
      weights,
      shown: there,
      at,
      moment,
      attention: state("attention"),
      own: state("target") === "own",
      other: shortened(sentence.with[moment].own),
      human: sentence.human,
      by: { with: sentence.with[moment].own, without: sentence.without[moment] },
      when: whenOf(moment),
      same: sameBoth(sentence, moment),
      total,
      rowInWords: (i) =>
        weights
          ? say`${words[i]}: ${source.map((word, j) => `${word} ${fmt(weights[i][j])}`).join(say(", "))}`
          : say`${words[i]}, no weights`,
    };
    const row = weights && at >= 0 ? weights[at] : null;
    fig.show({
      spread: row ? spreadOf(row) : null,
      bleu_with: DATA.bleu.with[moment],
      bleu_without: DATA.bleu.without[moment],
    });
    [...info.children].forEach((one, i) => one.classList.toggle("ab-ar-now", i === number()));
    fig.say(explain(view));
    refreshTraining();
    refreshWords();
    return view;
  });
}

export default { render, math: { reading, spreadOf, largest } };
