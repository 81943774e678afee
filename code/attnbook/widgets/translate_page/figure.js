/* Translate in the page: the reader types English, a model trained for the book writes French, word by word, here.
 * The mathematics is in kit/models.js, the search for the best sentence in beam.js, the drawing in drawing.js. The
 * weights are read (kit/files.js) when the figure comes near the window. */

import { figure } from "../kit/card.js";
import { readFile, translators } from "../kit/files.js";
import { fillTrack, html, say } from "../kit/kit.js";
import { BOOK, selectTarget } from "../kit/languages.js";
import { EOS, likeliest, makeTranslator, MAX_WORDS, translateIds } from "../kit/models.js";
import { ENDS, langOf, makeWriting, readable, runsLeft, sentenceKey, tokenise } from "../kit/text.js";
import { makeAsking } from "./asking.js";
import { inSlices, scoreOf, searchBeam, textOf, WIDTHS } from "./beam.js";
import { choiceHeight, drawAlignment, drawChoices, drawHeat, heatHeight, layOut } from "./drawing.js";
import { asPeopleWrote, crossing, heatInWords } from "./explain.js";
import { makeActs, makePlayer } from "./playing.js";
import { makeReading } from "./reading.js";
import { makeResult } from "./result.js";
import { BADGES, byPeople, corpusOf, SAID, SAID_OF_OWN, standing } from "./standing.js";
import { STYLE } from "./style.js";

const MODELS = [
  ["bahdanau", say("GRU, Bahdanau’s attention")],
  ["transformer", "Transformer"],
  ["seq2seq", say("GRU without attention")],
];
const titleOf = ({ languages }) => say`${languages[0]} to ${languages[1]}, computed here`;

// The drawings of now(), the view that is shown.
function addStages(fig, act, now) {
  const height = (width) => (now().ready ? layOut(now(), width).height : 244);
  const keep = (width) => `${width} ${fig.get("sentence")}`; // no drawing shrinks while the sentence is the same
  const stages = [];
  stages.push(
    fig.stage({
      height,
      keep,
      draw: (p, view) => drawAlignment(p, view, act),
      label: say("The sentence, its translation, and lines from each written word to the words it looked at"),
    }),
  );
  stages.push(
    fig.stage({
      basis: 340,
      grow: 5,
      height: (width) => heatHeight(now(), width, fig.get("model")),
      keep,
      draw: (p, view) => drawHeat(p, view, act),
      label: (view) => (view.ready ? heatInWords(view) : ""),
    }),
  );
  stages.push(
    fig.stage({
      basis: 270,
      grow: 4,
      height: choiceHeight,
      draw: (p, view) => drawChoices(p, view, act),
      label: say("The five likeliest words at this place"),
    }),
  );
  return stages;
}

// The controls; returns refresh(view), which brings those up to date that follow the translation.
function addControls(fig, player, now, { own, targets }) {
  const { show, play, isPlaying } = player;
  if (targets.length > 1) selectTarget(fig, targets, (one) => show({ target: one, given: [], written: -1, at: -1 }));
  const shown = fig.more();
  if (!own) fig.select("model", { label: say("Model"), options: MODELS });
  fig.select("beam", { label: say("Beam width"), options: WIDTHS });
  shown();
  const steps = fig.slider("written", { label: say("Words written"), min: 0, max: 1, step: 1 });
  steps.oninput = () => show({ written: +steps.value, at: -1 });
  const count = fig.card.querySelector('output[data-value="written"]');
  const playing = fig.button(say("Play"), () => (isPlaying() ? show({ written: now().shown, at: -1 }) : play()));
  const back = fig.button(say("◀ Back"), () => show({ written: Math.max(0, now().shown - 1), at: -1 }));
  const forward = fig.button(say("Forward ▶"), () =>
    show({ written: now().shown + 1 >= now().steps.length ? -1 : now().shown + 1, at: -1 }),
  );
  fig.card
    .querySelector(".ab-controls")
    .append(
      html("div", { class: "ab-tp-steps", role: "group", "aria-label": say("Word by word") }, back, forward, playing),
    );
  fig.reset(["sentence", "given", "at"]);

  return (view) => {
    steps.max = view.ready ? view.steps.length : 1;
    steps.value = view.ready ? view.shown : 0;
    fillTrack(steps);
    count.textContent = view.ready ? say`${view.shown} of ${view.steps.length}` : "–";
    steps.setAttribute("aria-valuetext", count.textContent);
    back.disabled = !view.ready || view.shown === 0;
    forward.disabled = !view.ready || view.shown === view.steps.length;
    playing.textContent = isPlaying() ? say("Pause") : say("Play");
  };
}

function render({ model, el }) {
  const own = model.get("own");
  const target = () => model.get("target") || "fr";
  const targets = own ? [] : model.get("targets") || ["fr"];
  const between = () => own || BOOK[target()];
  const says = own ? SAID_OF_OWN : SAID;
  const fig = figure({
    model,
    el,
    title: titleOf(between()),
    hint: say`Type a sentence. ${between().who} translates it in your browser: nothing is sent anywhere.`,
  });
  fig.card.prepend(html("style", { text: STYLE }));
  let now = { ready: false }; // the view that is drawn
  let [translator, corpus] = [null, null];
  let offered = null; // the corpus from which sentences are offered

  const player = makePlayer(fig, () => now);
  const act = makeActs(fig, player, () => now);
  const asking = makeAsking({ ...between(), sentence: () => fig.get("sentence"), ask: player.ask });
  const result = makeResult(fig, between, says, own);
  fig.card.querySelector(".ab-head").after(asking.form, asking.tries, result.node);
  const stages = addStages(fig, act, () => now);
  const refresh = addControls(fig, player, () => now, { own, targets });
  result.place(stages[0].svg.parentNode);
  const reading = makeReading(model, fig, target, redraw);

  function offerTries() {
    offered = corpus;
    const heldOut = own ? own.heldOut : Object.keys(corpus.test).map((text) => readable(text.split(" "), "en"));
    const next = () => heldOut[(heldOut.indexOf(fig.get("sentence")) + 131) % heldOut.length];
    asking.offer(model.get("tries"), (text) => BADGES[says[standing(corpus, tokenise(text))][0]], next);
  }

  function redraw() {
    if (!fig.card.isConnected) return;
    Object.assign(now, view(fig.get)); // in place: the card keeps this object for when its width changes
    tell(now);
    stages.forEach((stage) => stage.draw(now));
  }

  function view(state) {
    if (targets.length && !targets.includes(target())) throw new Error(`no model here writes “${target()}”`);
    const sentence = state("sentence");
    const { languages, codes } = between();
    if (document.activeElement !== asking.field) asking.field.value = sentence;
    let failed;
    ({ translator, corpus, failed } = reading.present());
    if (!translator || !corpus) return { ready: false, searching: false, problem: failed };
    if (offered !== corpus) offerTries();
    const done = reading.translation(sentence, state("given"), state("beam"));
    const { source, steps: all, time, greedy, found: best, searching, round } = done;
    if (searching) return { ...now, searching }; // the last drawing stays meanwhile
    if (!all.length) return { ready: false, searching: false, problem: say("Type a sentence to translate.") };
    const shown = state("written") < 0 ? all.length : Math.min(state("written"), all.length);
    const last = shown === all.length && all.at(-1).id === EOS && shown > 1 ? shown - 2 : shown - 1;
    const at = state("at") >= 0 && state("at") < shown ? state("at") : Math.max(0, last);
    const tokens = source.tokens.slice(0, -1);
    const stands = standing(corpus, tokens);
    const people = /test$/i.test(stands) ? byPeople(corpus, tokens) : null;
    const agreed = people && asPeopleWrote(people, all);
    const differs = people && !agreed && !own && !best && !state("given").length;
    if (differs && done.agrees === undefined) {
      done.agrees = reading.whoAgrees(state("model"), sentence, people) || undefined;
    }
    return {
      ready: true,
      sentence,
      languages,
      langs: codes.map(langOf),
      left: [
        runsLeft(codes[0], tokens.join(" ")),
        runsLeft(
          codes[1],
          textOf(all, (words) => words.join(" ")),
        ),
      ],
      write: translator.write,
      searching: false,
      source,
      steps: all,
      shown,
      at,
      round,
      time,
      greedy,
      found: best,
      words: translator.words,
      size: translator.config.hidden_size,
      heads: translator.config.num_heads,
      choices: shown ? likeliest(all[at].logProbs, 5) : [],
      standing: stands,
      people,
      agrees: done.agrees,
      unmarked: !own && !agreed && !ENDS.test(tokens.at(-1)) && /^n/.test(stands), // near…, new
    };
  }

  function tell(view) {
    fig.card.setAttribute("aria-busy", String(view.searching || (!view.ready && !view.problem)));
    fig.card.querySelector(".ab-stages").setAttribute("aria-busy", String(view.searching));
    if (view.searching) return;
    refresh(view);
    fig.card.querySelector(".ab-title").textContent = titleOf(between());
    result.tell(view, translator, player.isPlaying());
  }

  const end = fig.start((state) => {
    now = view(state);
    tell(now);
    return now;
  });
  return () => {
    player.stop();
    asking.stop();
    reading.stop();
    end();
  };
}

// For tests: a sentence through a loaded model, written greedily and by a beam.
const loaded = (name) => (translators[name] = translators[name] || makeTranslator(readFile(name)));

function translate(name, sentence, prefix = []) {
  const source = loaded(name).read(sentence);
  return { source, steps: translateIds(loaded(name), source.ids, prefix) };
}

function nBest(name, sentence, width, prefix = [], maxWords = MAX_WORDS) {
  let best;
  inSlices(
    searchBeam(loaded(name), loaded(name).read(sentence).ids, width, prefix, maxWords),
    null,
    (all) => {
      best = all;
    },
    Infinity,
  );
  return best.map((hyp) => ({
    ids: hyp.steps.map((step) => step.id),
    logProb: hyp.logProb,
    score: scoreOf(hyp),
    ended: hyp.ended,
  }));
}

export default {
  render,
  math: {
    tokenise,
    sentenceKey,
    likeliest,
    readable,
    write: (stored, tokens) => makeWriting(stored)(tokens),
    runsLeft,
    translate,
    nBest,
    crossing,
    standing: (tokens) => standing(corpusOf(readFile("sentences")), tokens),
  },
};
