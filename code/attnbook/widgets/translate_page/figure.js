/* Translate in the page: the reader types English, a model trained for the book writes French, word by word, here.
 * The mathematics is in kit/models.js, the search for the best sentence in beam.js, the drawing in drawing.js. The
 * weights are read (kit/files.js) when the figure comes near the window. */

import { figure } from "../kit/card.js";
import { loadFile, loadTranslator, readFile, translators } from "../kit/files.js";
import { calm, clamp, fillTrack, fmt, html, say, sum, take } from "../kit/kit.js";
import { BOOK, fileOf, selectTarget } from "../kit/languages.js";
import { EOS, likeliest, makeTranslator, MAX_WORDS, translateIds } from "../kit/models.js";
import { ENDS, kindOf, langOf, makeWriting, readable, runsLeft, sentenceKey, tokenise } from "../kit/text.js";
import { makeAsking } from "./asking.js";
import { ALPHA, inSlices, listFound, scoreOf, searchBeam, textOf, WIDTHS } from "./beam.js";
import { choiceHeight, drawAlignment, drawChoices, drawHeat, heatHeight, layOut, percent } from "./drawing.js";
import { asPeopleWrote, crossing, heatInWords, inWords, wordSoFar } from "./explain.js";
import { BADGES, byPeople, known, SAID, SAID_OF_OWN, standing } from "./standing.js";
import { STYLE } from "./style.js";

const MODELS = [
  ["bahdanau", say("GRU, Bahdanau’s attention")],
  ["transformer", "Transformer"],
  ["seq2seq", say("GRU without attention")],
];
const OTHERS = { bahdanau: say("GRU with attention"), transformer: "Transformer" }; // that may write what people did
const COUNTED = { "13a": say("of this model, from 0 to 100"), "by characters": say("of this model, by characters") };
const BEAT = 420; // milliseconds between two words

const titleOf = ({ languages }) => say`${languages[0]} to ${languages[1]}, computed here`;

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
  const still = calm();
  let [corpus, translator, problem, timer, listed, round] = [null, null, null, null, null, 0];
  let now = { ready: false }; // the view that is drawn
  let offered = null; // the corpus from which sentences are offered
  let roomOf = null; // the sentence, and the width, for whose translation there is room
  const first = model.get("sentence");
  const asked = new Set(); // the models that were read to compare
  const corpora = {}; // by the language into which they are translated
  let done = {}; // the last translation, kept while what it was made of stays

  // -- what moves it --
  const stop = () => {
    clearInterval(timer);
    timer = null;
    delete fig.card.abSettled;
  };
  const show = (traits) => {
    stop();
    fig.set(traits);
  };
  function play() {
    stop();
    if (still) {
      fig.set({ written: -1, at: -1 });
      return;
    }
    fig.set({ written: 0, at: -1 });
    fig.card.abSettled = { written: -1 }; // a link made meanwhile leads to the whole
    timer = setInterval(() => {
      if (now.problem) show({ written: -1, at: -1 }); // nothing to write
      if (!now.ready || now.searching) return;
      if (now.shown + 1 < now.steps.length) fig.set({ written: now.shown + 1, at: -1 });
      else show({ written: -1, at: -1 });
    }, BEAT);
  }
  const ask = (sentence) => {
    fig.set({ sentence: sentence.slice(0, 120), given: [] });
    play();
  };
  const act = {
    look(i) {
      if (!timer && i !== now.at) fig.set({ at: i });
    },
    press(event, run) {
      if (event.key !== "Enter" && event.key !== " ") return;
      take(event);
      run();
    },
    walk(event, i) {
      const onwards = now.left[1] ? -1 : 1;
      const by = { ArrowRight: onwards, ArrowDown: 1, ArrowLeft: -onwards, ArrowUp: -1 }[event.key];
      if (!by) return;
      take(event);
      const to = fig.card.querySelector(`[data-handle="word${clamp(i + by, 0, now.shown - 1)}"]`);
      if (to) to.focus();
    },
    write(id) {
      // another word here; what stood before it stays, the model goes on after it
      if (now.searching) return;
      const before = now.steps.slice(0, now.at).map((s) => s.word);
      show({ given: [...before, now.words[id]], written: -1, at: now.at });
    },
  };

  const asking = makeAsking({ ...between(), sentence: () => fig.get("sentence"), ask });
  const written = html("output", { "data-value": "translation", dir: "auto", "aria-live": "off" });
  const status = html("p", { class: "ab-tp-status" });
  const rows = html("ol", { class: "ab-rows", "aria-label": say("What the beam search found, the best first") });
  const found = html(
    "div",
    { class: "ab-tp-found" },
    html(
      "p",
      {},
      say("Found, by score: log-probability ÷ ((5 + words) / 6)"),
      html("sup", { text: ALPHA }),
      say(", <eos> counted."),
    ),
    rows,
  );
  const list = html("p", { lang: langOf(between().codes[0]), dir: "auto" });
  const summary = html("summary", {}, say`The ${between().languages[0]} words it knows`);
  const lexicon = html("details", { class: "ab-tp-words" }, summary, list);
  const result = html("div", { class: "ab-tp-result" }, written, status);
  fig.card.querySelector(".ab-head").after(asking.form, asking.tries, result);

  function offerTries() {
    offered = corpus;
    const heldOut = own ? own.heldOut : Object.keys(corpus.test).map((text) => readable(text.split(" "), "en"));
    const next = () => heldOut[(heldOut.indexOf(fig.get("sentence")) + 131) % heldOut.length];
    asking.offer(model.get("tries"), (text) => BADGES[says[standing(corpus, tokenise(text))][0]], next);
  }

  // -- the stages and the controls --
  const height = (width) => (now.ready ? layOut(now, width).height : 244);
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
      height: (width) => heatHeight(now, width, fig.get("model")),
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
  if (targets.length > 1) selectTarget(fig, targets, (one) => show({ target: one, given: [], written: -1, at: -1 }));
  const shown = fig.more();
  if (!own) fig.select("model", { label: say("Model"), options: MODELS });
  fig.select("beam", { label: say("Beam width"), options: WIDTHS });
  shown();
  const steps = fig.slider("written", { label: say("Words written"), min: 0, max: 1, step: 1 });
  steps.oninput = () => show({ written: +steps.value, at: -1 });
  const count = fig.card.querySelector('output[data-value="written"]');
  const playing = fig.button(say("Play"), () => (timer ? show({ written: now.shown, at: -1 }) : play()));
  const back = fig.button(say("◀ Back"), () => show({ written: Math.max(0, now.shown - 1), at: -1 }));
  const forward = fig.button(say("Forward ▶"), () =>
    show({ written: now.shown + 1 >= now.steps.length ? -1 : now.shown + 1, at: -1 }),
  );
  fig.card
    .querySelector(".ab-controls")
    .append(
      html("div", { class: "ab-tp-steps", role: "group", "aria-label": say("Word by word") }, back, forward, playing),
    );
  fig.reset(["sentence", "given", "at"]);
  fig.output("logprob", { label: say("log-probability"), digits: 2, note: say("of the whole translation") });
  fig.output("each", {
    label: say("per word, on average"),
    format: percent,
    note: say("geometric mean of the probabilities"),
  });
  fig.output("time", {
    label: say("computed in"),
    format: (ms) => `${fmt(ms, ms < 10 ? 1 : 0)} ms`,
    note: say("by this browser"),
  });
  fig.output("bleu", { label: say("BLEU, held out"), digits: 1, note: say("of this model") });
  const counted = fig.card.querySelector('[data-value="bleu"] ~ .ab-note');
  fig.card.append(found, lexicon); // below all that is watched while a beam is chosen
  // above the drawing that they move
  fig.card.querySelector(".ab-tp-result").after(fig.card.querySelector(".ab-controls"));
  const said = fig.card.querySelector(".ab-said");
  said.classList.add("ab-tp-said");
  stages[0].svg.parentNode.after(said); // it speaks of the lines above it

  // -- reading the weights, when somebody comes near --
  function redraw() {
    if (!fig.card.isConnected) return;
    Object.assign(now, view(fig.get)); // in place: the card keeps this object for when its width changes
    tell(now);
    stages.forEach((stage) => stage.draw(now));
  }
  const wanted = () => fileOf(model.get("model"), target());
  async function need(name, into) {
    try {
      const files = [loadTranslator(model, name), loadFile(model, fileOf("sentences", into))];
      const [made, sentences] = await Promise.all(files);
      corpora[into] = known(sentences);
      if (name === wanted()) [translator, problem] = [made, null];
    } catch (error) {
      problem = { name, text: say`The model could not be loaded: ${error.message}.` };
    }
    if (name === wanted()) redraw();
  }
  let near = false;
  const watch = new IntersectionObserver(
    (entries) => {
      if (near || !entries.some((entry) => entry.isIntersecting)) return;
      near = true;
      watch.disconnect();
      need(wanted(), target());
    },
    { rootMargin: "600px" },
  );
  watch.observe(fig.card);

  // What is written: at once if greedily. A beam may take longer; then the figure is drawn when it is found.
  function translation(sentence, given, beam) {
    const made = JSON.stringify([translator.name, sentence, given, beam]);
    if (done.made === made) return done;
    const source = translator.read(sentence);
    const ids = given.map((word) => translator.words.indexOf(word)).filter((id) => id >= 0);
    const began = performance.now();
    const greedy = source.tokens.length > 1 ? translateIds(translator, source.ids, ids) : [];
    round += 1;
    const mine = {
      made,
      source,
      greedy,
      steps: greedy,
      found: null,
      searching: beam > 1 && greedy.length > 0,
      time: performance.now() - began,
    };
    done = mine;
    if (!mine.searching) return mine;
    inSlices(
      searchBeam(translator, source.ids, beam, ids),
      () => done === mine,
      (best, time, late) => {
        Object.assign(mine, { found: best, steps: best[0].steps, searching: false, time });
        if (late) redraw();
      },
    );
    return mine;
  }

  // What another model writes, if people agree with it; it is read once the reader has asked for another sentence.
  function whoAgrees(name, sentence, people) {
    const kind = name === "bahdanau" ? "transformer" : "bahdanau";
    const other = fileOf(kind, target());
    const its = translators[other];
    if (!its) {
      if (sentence === first || asked.has(other)) return null;
      loadTranslator(model, other).then(redraw, () => {});
      asked.add(other);
      return null;
    }
    const steps = translateIds(its, its.read(sentence).ids);
    return asPeopleWrote(people, steps) ? [OTHERS[kind], textOf(steps, its.write)] : null;
  }

  function view(state) {
    if (targets.length && !targets.includes(target())) throw new Error(`no model here writes “${target()}”`);
    const [name, sentence] = [wanted(), state("sentence")];
    const { languages, codes } = between();
    if (document.activeElement !== asking.field) asking.field.value = sentence;
    if (translator && translator.name !== name) translator = translators[name] || null;
    corpus = corpora[target()] || null;
    const failed = problem && problem.name === name ? problem.text : null;
    if (near && !failed && !(translator && corpus)) need(name, target());
    if (!translator || !corpus) return { ready: false, searching: false, problem: failed };
    if (offered !== corpus) offerTries();
    const {
      source,
      steps: all,
      time,
      greedy,
      found: best,
      searching,
    } = translation(sentence, state("given"), state("beam"));
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
    if (differs && done.agrees === undefined) done.agrees = whoAgrees(state("model"), sentence, people) || undefined;
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

  // The translation and the sentence below have room for all of it from the first word on; for another, new room.
  function holdRoom({ sentence, ...view }) {
    const whole = textOf(view.steps, view.write);
    const of = `${said.clientWidth} ${sentence}`;
    for (const [node, text] of [
      [written, whole],
      [said, inWords(view, whole)],
    ]) {
      const before = node.textContent;
      const held = roomOf === of ? parseFloat(node.dataset.room) : 0;
      node.style.minHeight = "";
      const now = node.offsetHeight;
      if (before !== text) node.textContent = text;
      node.dataset.room = Math.max(held, now, node.offsetHeight);
      if (before !== text) node.textContent = before;
      node.style.minHeight = `${node.dataset.room}px`;
    }
    roomOf = of;
  }

  function tell(view) {
    fig.card.setAttribute("aria-busy", String(view.searching || (!view.ready && !view.problem)));
    fig.card.querySelector(".ab-stages").setAttribute("aria-busy", String(view.searching));
    if (view.searching) return;
    found.hidden = !view.ready || !view.found;
    if (!found.hidden && listed !== view.found) listFound(rows, view);
    listed = view.found;
    steps.max = view.ready ? view.steps.length : 1;
    steps.value = view.ready ? view.shown : 0;
    fillTrack(steps);
    count.textContent = view.ready ? say`${view.shown} of ${view.steps.length}` : "–";
    steps.setAttribute("aria-valuetext", count.textContent);
    back.disabled = !view.ready || view.shown === 0;
    forward.disabled = !view.ready || view.shown === view.steps.length;
    playing.textContent = timer ? say("Pause") : say("Play");
    const { languages, codes } = between();
    fig.card.querySelector(".ab-title").textContent = titleOf(between());
    written.lang = langOf(codes[1]);
    const text = view.ready ? textOf(view.steps.slice(0, view.shown), view.write) : "";
    written.textContent = text || "\u00a0";
    if (!view.ready) {
      status.textContent = view.problem || "";
      fig.show({ logprob: null, each: null, time: null, bleu: null });
      fig.say(view.problem || say("The model’s weights are being read."));
      return;
    }
    const [badge, why] = says[view.standing];
    const theirs = view.people && { lang: written.lang, dir: "auto", text: view.people.join(" · ") };
    status.replaceChildren(
      html("b", { "data-kind": badge, text: BADGES[badge] }),
      why,
      ...(theirs ? [own ? say(" In the pairs: ") : say(" People wrote: "), html("span", theirs)] : []),
    );
    const total = sum(view.steps.map((s) => s.logProb));
    const whole = view.shown === view.steps.length;
    fig.show({
      logprob: whole ? total : null,
      each: whole ? Math.exp(total / view.steps.length) : null,
      time: view.time,
      bleu: translator.test.bleu,
    });
    const tokens = translator.test.tokens || "13a"; // the name of what was counted
    counted.textContent = COUNTED[tokens] ?? say`of this model, ${tokens}`;
    said.setAttribute("aria-live", timer ? "off" : "polite"); // read out when all is written
    fig.say(whole ? inWords(view, text) : wordSoFar(view));
    holdRoom(view);
    if (!list.textContent || list.dataset.of !== translator.name) {
      const all = [...translator.ids.keys()].filter((word) => /\p{L}/u.test(word)).sort();
      const alone = all.filter((word) => kindOf(word) === "C").length > all.length / 2;
      summary.textContent = alone
        ? say`The ${all.length} ${languages[0]} characters and words it knows`
        : say`The ${all.length} ${languages[0]} words it knows`;
      list.textContent = all.join(", ");
      list.dataset.of = translator.name;
    }
  }

  const end = fig.start((state) => {
    now = view(state);
    tell(now);
    return now;
  });
  return () => {
    stop();
    asking.stop();
    watch.disconnect();
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
    standing: (tokens) => standing(known(readFile("sentences")), tokens),
  },
};
