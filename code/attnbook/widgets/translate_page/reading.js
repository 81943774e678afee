/* The models and what is known of the corpus: read when somebody comes near, and asked for translations. */

import { loadFile, loadTranslator, translators } from "../kit/files.js";
import { say } from "../kit/kit.js";
import { fileOf } from "../kit/languages.js";
import { translateIds } from "../kit/models.js";
import { inSlices, searchBeam, textOf } from "./beam.js";
import { asPeopleWrote } from "./explain.js";
import { corpusOf } from "./standing.js";

const OTHERS = { bahdanau: say("GRU with attention"), transformer: "Transformer" }; // that may write what people did

// redraw() is called when something has been read or found.
export function makeReading(model, fig, target, redraw) {
  const first = model.get("sentence");
  const asked = new Set(); // the models that were read to compare
  const corpora = {}; // by the language into which they are translated
  let [translator, problem, near, round] = [null, null, false, 0];
  let done = {}; // the last translation, kept while what it was made of stays
  const wanted = () => fileOf(model.get("model"), target());

  async function need(name, into) {
    try {
      const files = [loadTranslator(model, name), loadFile(model, fileOf("sentences", into))];
      const [made, sentences] = await Promise.all(files);
      corpora[into] = corpusOf(sentences);
      if (name === wanted()) [translator, problem] = [made, null];
    } catch (error) {
      problem = { name, text: say`The model could not be loaded: ${error.message}.` };
    }
    if (name === wanted()) redraw();
  }
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
      round,
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

  // What there is of the model that is wanted: {translator, corpus}, null until they are read, and why they cannot be.
  function present() {
    const name = wanted();
    if (translator && translator.name !== name) translator = translators[name] || null;
    const corpus = corpora[target()] || null;
    const failed = problem && problem.name === name ? problem.text : null;
    if (near && !failed && !(translator && corpus)) need(name, target());
    return { translator, corpus, failed };
  }

  return { present, translation, whoAgrees, stop: () => watch.disconnect() };
}
