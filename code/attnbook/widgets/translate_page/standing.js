/* What is known of a sentence: whether the models were trained on it. */

function known(file) {
  // the sentences of the corpus: numbers of those trained with, the held-out ones whole
  return (known.kept = known.kept || {
    train: new Set(wholesOf(file.train)),
    dev: new Set(wholesOf(file.dev)),
    test: file.test,
  });
}

// Whether a sentence was trained with: "train", "dev", "test", "near" (but for the mark at its end), or "new".
function standing(corpus, tokens) {
  const find = (words) => {
    const text = words.join(" ");
    if (Object.hasOwn(corpus.test, text)) return "test";
    const key = sentenceKey(text);
    return corpus.train.has(key) ? "train" : corpus.dev.has(key) ? "dev" : null;
  };
  const body = /^[.!?]$/.test(tokens.at(-1) || "") ? tokens.slice(0, -1) : tokens;
  const others = [[], ["."], ["!"], ["?"]].map((mark) => find([...body, ...mark]));
  return find(tokens) || (others.includes("train") ? "near" : "new");
}

const SAID = {
  train: ["seen", "The models were trained on this sentence: a good translation shows memory, not skill."],
  near: ["seen", "Except for its final punctuation mark, the models were trained on this sentence."],
  dev: ["held out", "No model was trained on this sentence, but settings were chosen by results on sentences like it."],
  test: ["held out", "No model was trained on this sentence, and no setting was chosen by it."],
  new: ["new", "This sentence is not in the book’s corpus."],
};

// of a page with a model of one's own, whose pairs were split in two
const SAID_OF_OWN = {
  train: ["seen", "The model was trained on this sentence: a good translation shows memory, not skill."],
  near: ["seen", "Except for its final punctuation mark, the model was trained on this sentence."],
  test: ["held out", "The model was not trained on this sentence."],
  new: ["new", "This sentence is not among the pairs with which the model was made."],
};
