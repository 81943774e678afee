/* The model, computed here: its layers and heads, and what was measured of them. */

import DATA from "../../studies/next_words.json" with { type: "json" };
import WEIGHTS from "../../weights/next_words.safetensors";
import { range, say, softmax, sum } from "../kit/kit.js";
import { affine, attention, joined, layersOf, plus, relu, rowOf, rowsOf, sinusoid } from "../kit/layers.js";
import { readWeights } from "../kit/weights.js";

const MODEL = readWeights(WEIGHTS);
export const VOCABULARY = MODEL.about.vocabulary;
const SIZES = MODEL.about.config;
export const START = "<bos>";
const SCALE = Math.sqrt(SIZES.d_model);
export const LAYERS = SIZES.num_layers;
export const HEADS = SIZES.num_heads;
export const LONGEST = DATA.max_words;

let layers = null;

// The model's layers, and its weights p by name; read when they are first needed.
function model() {
  if (layers) return layers;
  const p = Object.fromEntries(MODEL.names.map((name) => [name, MODEL.weight(name)]));
  layers = { p, ...layersOf(p) };
  return layers;
}

export const isOff = (off, layer, head) => off.some(([l, h]) => l === layer && h === head);

// One layer: what comes out at each position, and the weights of each head, (H, T, T).
function runLayer(x, number, off) {
  const { through, norm, feedForward } = model();
  const name = `layers.${number - 1}`;
  const D = SIZES.d_model;
  const Dh = D / HEADS;
  const normed = norm(x, `${name}.around_attention.norm`);
  const parts = range(3).map((which) => through(normed, `${name}.attention.W_qkv`, which * D, D));
  const { context, weights } = attention(...parts, D, HEADS, true);
  const silent = range(HEADS).filter((h) => isOff(off, number, h + 1)); // they still look, but say nothing
  for (const row of rowsOf(context, D)) silent.forEach((h) => row.fill(0, h * Dh, (h + 1) * Dh));
  const y = plus(x, through(context, `${name}.attention.W_o`));
  const z = norm(y, `${name}.around_feed_forward.norm`);
  const after = plus(y, feedForward(z, `${name}.feed_forward.W_1`, `${name}.feed_forward.W_2`, relu));
  return [after, weights.map((rows) => rows.map((row) => [...row, ...range(rows.length - row.length).map(() => 0)]))];
}

// The whole model: words (with <bos>) → weights (L, H, T, T) and the probability of each next word, (T, V).
export function run(words, off = []) {
  const { p, norm } = model();
  const D = SIZES.d_model;
  const embedded = words.map((word, t) =>
    rowOf(p["words.weight"], VOCABULARY.indexOf(word)).map((v, f) => v * SCALE + sinusoid(t, f, D)),
  );
  let x = joined(embedded);
  const weights = range(LAYERS).map((l) => {
    const [after, heads] = runLayer(x, l + 1, off);
    x = after;
    return heads;
  });
  const logits = affine(norm(x, "norm"), p["words.weight"]);
  return { weights, next: rowsOf(logits, VOCABULARY.length).map((row) => softmax(row)) };
}

// Probabilities of the classes of words, the largest first, each with its most probable words.
export function byClass(next) {
  return DATA.classes
    .map(([name, words]) => {
      const some = words.map((word) => [word, next[VOCABULARY.indexOf(word)]]).sort((a, b) => b[1] - a[1]);
      return { name, p: sum(some.map(([, p]) => p)), words: some };
    })
    .sort((a, b) => b.p - a.p);
}

export const share = (next, name) =>
  sum(DATA.classes.find(([n]) => n === name)[1].map((word) => next[VOCABULARY.indexOf(word)]));

// Which example the words are: its number, or −1.
export const exampleOf = (words) => DATA.examples.findIndex(({ words: some }) => String(some) === String(words));

export const headFacts = (layer, head) => DATA.measured.heads[layer - 1][head - 1];

// What a head does most, of the things that were measured: [name, mean weight].
export function foremost(facts) {
  return Object.entries(JOBS)
    .map(([name, { short }]) => [name, short, facts[name]])
    .reduce((best, one) => (one[2] > best[2] ? one : best));
}

// What was measured: what it is called, and for a small map.
export const JOBS = {
  before: { called: say("before"), short: say("previous") },
  itself: { called: say("itself"), short: say("itself") },
  start: { called: say("start"), short: "<bos>" },
  subject: { called: say("subject"), short: say("subject") },
  adjective: { called: say("adjective"), short: say("adjective") },
  noun: { called: say("noun"), short: say("its noun") },
};

// The classes of words that have a name; the others are words.
export const CLASS_NAMES = {
  "noun, singular": say("noun, singular"),
  "noun, plural": say("noun, plural"),
  "verb, singular": say("verb, singular"),
  "verb, plural": say("verb, plural"),
  adjective: say("adjective"),
  preposition: say("preposition"),
  adverb: say("adverb"),
  "full stop": say("full stop"),
};

// What a head has to look at for each kind of sentence, and the head that does so most: [layer, head].
export const NEEDED = { agreement: "subject", noun: "noun" };
export function headFor(kind) {
  const all = DATA.measured.heads.flatMap((heads, l) => heads.map((facts, h) => [l + 1, h + 1, facts[NEEDED[kind]]]));
  return all.reduce((best, one) => (one[2] > best[2] ? one : best)).slice(0, 2);
}
