/* The files of “translate in the page”: weights of a model, and what is known of the corpus. They are not part of the
 * page: they come as a script beside this one, or, in JupyterLab, from the kernel. */

const SCRIPT = typeof document === "undefined" || !document.currentScript ? null : document.currentScript.src;
const waiting = {}; // name → promise

function loadFile(model, name) {
  const files = (globalThis.attnbookFiles = globalThis.attnbookFiles || {});
  if (files[name]) return Promise.resolve(files[name]);
  if (!waiting[name]) waiting[name] = (SCRIPT ? fromScript : fromKernel)(model, name);
  return waiting[name].then(
    (file) => (files[name] = file),
    (error) => {
      delete waiting[name];
      throw error;
    },
  );
}

const fromScript = (model, name) =>
  new Promise((resolve, reject) => {
    const script = html("script", { src: new URL(`model-${name}.js`, SCRIPT).href, async: true });
    script.onload = () => resolve(globalThis.attnbookFiles[name]);
    script.onerror = () =>
      reject(new Error(`the file model-${name}.js beside this page’s scripts cannot be read; build the book again`));
    document.head.append(script);
  });

const fromKernel = (model, name) =>
  new Promise((resolve, reject) => {
    const late = setTimeout(() => reject(new Error("the kernel does not answer; run the cell again")), 30000);
    const hear = (message) => {
      if (message.file !== name) return;
      clearTimeout(late);
      model.off("msg:custom", hear);
      resolve(JSON.parse(message.text));
    };
    model.on("msg:custom", hear);
    model.send({ wanted: name });
  });

const translators = {};

async function loadTranslator(model, name) {
  const file = await loadFile(model, name);
  return (translators[name] = translators[name] || makeTranslator(file));
}

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
