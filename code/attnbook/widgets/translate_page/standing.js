/* What is known of a sentence: whether the models were trained on it. */

import { say } from "../kit/kit.js";
import { ENDS, sentenceKey } from "../kit/text.js";

export function corpusOf(file) {
  // the sentences of the corpus: numbers of those trained with, the held-out ones whole
  return (file.corpus = file.corpus || {
    train: new Set(file.weight("train").data),
    dev: new Set(file.weight("dev").data),
    test: file.about.test,
  });
}

const MARKS = [".", "!", "?", "。", "！", "？", "؟", "।"];

// The sentence itself, and with other marks or none at its end.
function variants(tokens) {
  const body = ENDS.test(tokens.at(-1)) ? tokens.slice(0, -1) : tokens;
  return [tokens, body, ...MARKS.map((mark) => [...body, mark])].map((words) => words.join(" "));
}

// Whether a sentence was trained with: "train", "dev", "test"; but for the mark at its end, "near", "nearDev",
// "nearTest"; or "new".
export function standing(corpus, tokens) {
  const find = (text) => {
    if (Object.hasOwn(corpus.test, text)) return "test";
    const key = sentenceKey(text);
    return corpus.train.has(key) ? "train" : corpus.dev.has(key) ? "dev" : null;
  };
  const [itself, ...others] = variants(tokens).map(find);
  if (itself) return itself;
  const near = [
    ["train", "near"],
    ["test", "nearTest"],
    ["dev", "nearDev"],
  ].find(([part]) => others.includes(part));
  return near ? near[1] : "new";
}

// What people wrote for a held-out sentence, whatever the mark at its end; null for others.
export const byPeople = (corpus, tokens) =>
  corpus.test[variants(tokens).find((text) => Object.hasOwn(corpus.test, text))] || null;

export const BADGES = { seen: say("seen"), "held out": say("held out"), new: say("new") };

export const SAID = {
  train: ["seen", say("The models were trained on this sentence: a good translation shows memory, not skill.")],
  near: ["seen", say("Except for its final punctuation mark, the models were trained on this sentence.")],
  dev: [
    "held out",
    say("No model was trained on this sentence, but settings were chosen by results on sentences like it."),
  ],
  test: ["held out", say("No model was trained on this sentence, and no setting was chosen by it.")],
  nearDev: [
    "held out",
    say("Except for its final mark, it is a sentence of the corpus on which no model was trained."),
  ],
  nearTest: [
    "held out",
    say("Except for its final mark, it is a sentence of the corpus on which no model was trained."),
  ],
  new: ["new", say("This sentence is not in the book’s corpus.")],
};

// of a page with a model of one's own, whose pairs were split in two
export const SAID_OF_OWN = {
  train: ["seen", say("The model was trained on this sentence: a good translation shows memory, not skill.")],
  near: ["seen", say("Except for its final punctuation mark, the model was trained on this sentence.")],
  test: ["held out", say("The model was not trained on this sentence.")],
  nearTest: ["held out", say("Except for its final mark, it is among the pairs on which the model was not trained.")],
  new: ["new", say("This sentence is not among the pairs with which the model was made.")],
};
