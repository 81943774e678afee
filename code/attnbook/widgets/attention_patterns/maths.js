/* The model, computed here: its layers and heads, and what was measured of them. */

import DATA from "../../studies/next_words.json" with { type: "json" };
import WEIGHTS from "../../weights/next_words.safetensors";
import { dot, range, say, softmax, sum } from "../kit/kit.js";
import { layerNorm, plus, sinusoid } from "../kit/vectors.js";
import { readWeights } from "../kit/weights.js";

const MODEL = readWeights(WEIGHTS);
export const VOCABULARY = MODEL.about.vocabulary;
const SIZES = MODEL.about.config;
export const START = "<bos>";
const SCALE = Math.sqrt(SIZES.d_model);
export const LAYERS = SIZES.num_layers;
export const HEADS = SIZES.num_heads;
export const LONGEST = DATA.max_words;

// The weights by name, each as an array of rows (a vector is one row).
const weights = (() => {
  let ready = null;
  return () => {
    ready ||= Object.fromEntries(
      MODEL.names.map((name) => {
        const { rows, cols, data } = MODEL.weight(name);
        const table = range(rows).map((i) => Array.from(data.subarray(i * cols, (i + 1) * cols)));
        return [name, rows === 1 ? table[0] : table];
      }),
    );
    return ready;
  };
})();

const linear2 = (x, W, b) => W.map((row, i) => dot(row, x) + b[i]); // y = W x + b

export const isOff = (off, layer, head) => off.some(([l, h]) => l === layer && h === head);

// One layer: what comes out at each position, and the weights of each head, (H, T, T).
function runLayer(x, number, off) {
  const w = weights();
  const get = (name) => w[`layers.${number - 1}.${name}`];
  const D = x[0].length;
  const Dh = D / HEADS;
  const normed = x.map((v) => layerNorm(v, get("around_attention.norm.weight"), get("around_attention.norm.bias")));
  const qkv = normed.map((v) => linear2(v, get("attention.W_qkv.weight"), get("attention.W_qkv.bias")));
  const part = (t, which, h) => qkv[t].slice(which * D + h * Dh, which * D + (h + 1) * Dh);
  const seen = range(HEADS).map((h) =>
    x.map((_, i) => {
      const q = part(i, 0, h);
      const scores = x.map((__, j) => (j <= i ? dot(q, part(j, 1, h)) / Math.sqrt(Dh) : 0));
      return softmax(
        scores,
        x.map((__, j) => j <= i),
      );
    }),
  );
  const after = x.map((v, i) => {
    const heads = range(HEADS).flatMap((h) => {
      if (isOff(off, number, h + 1)) return range(Dh).map(() => 0); // it still looks, but says nothing
      const values = range(i + 1).map((j) => part(j, 2, h));
      return range(Dh).map((f) => sum(values.map((value, j) => seen[h][i][j] * value[f])));
    });
    const y = plus(v, linear2(heads, get("attention.W_o.weight"), get("attention.W_o.bias")));
    const z = layerNorm(y, get("around_feed_forward.norm.weight"), get("around_feed_forward.norm.bias"));
    const hidden = linear2(z, get("feed_forward.W_1.weight"), get("feed_forward.W_1.bias")).map((u) => Math.max(0, u));
    return plus(y, linear2(hidden, get("feed_forward.W_2.weight"), get("feed_forward.W_2.bias")));
  });
  return [after, seen];
}

// The whole model: words (with <bos>) → weights (L, H, T, T) and the probability of each next word, (T, V).
export function run(words, off = []) {
  const w = weights();
  let x = words.map((word, t) => {
    const row = w["words.weight"][VOCABULARY.indexOf(word)];
    return row.map((v, f) => v * SCALE + sinusoid(t, f, SIZES.d_model));
  });
  const seen = [];
  range(LAYERS).forEach((l) => {
    const [after, heads] = runLayer(x, l + 1, off);
    x = after;
    seen.push(heads);
  });
  const next = x.map((v) => {
    const out = layerNorm(v, w["norm.weight"], w["norm.bias"]);
    return softmax(w["words.weight"].map((row) => dot(row, out)));
  });
  return { weights: seen, next };
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
