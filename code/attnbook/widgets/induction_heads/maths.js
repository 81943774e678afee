/* The attention-only model as tools/experiments/induction_heads.py describes it, and what is measured on a row. */

import DATA from "./data.json" with { type: "json" };
import WEIGHTS from "../../weights/induction.safetensors";
import { mean, range, seededUniforms, softmax, sum } from "../kit/kit.js";
import { affine, attention, joined, plus, rotated, rowsOf } from "../kit/layers.js";
import { readWeights } from "../kit/weights.js";

const SYMBOLS = DATA.vocabulary.length - 1; // without <bos>, which is symbol 0
export const LENGTH = 24;
const STORED = readWeights(WEIGHTS);

// <bos> and a row whose first `period` symbols, all different, come again and again; then the edits.
export function rowOf(seed, period, edits = []) {
  const draws = seededUniforms(seed, SYMBOLS);
  const order = range(SYMBOLS).sort((a, b) => draws[a] - draws[b]);
  const ids = [0, ...range(LENGTH).map((t) => order[t % period] + 1)];
  edits.forEach(([at, symbol]) => {
    ids[at] = symbol;
  });
  return ids;
}

const unpacked = new Map(); // step → matrices

// Weights [layer][head][query][key ≤ query], and the probabilities of the next symbol at each position.
export function runModel(step, ids) {
  if (!unpacked.has(step)) {
    const names = STORED.names.filter((name) => name.startsWith(`${step}.`));
    const short = (name) => name.slice(`${step}.`.length);
    unpacked.set(step, Object.fromEntries(names.map((name) => [short(name), STORED.weight(name)])));
  }
  const model = unpacked.get(step);
  const { D, layers, heads, head_dim: size, base } = DATA.sizes;
  const width = heads * size;
  const turned = (x) => joined(rowsOf(x, width).map((row, t) => rotated(row, t, base, size)));
  let x = joined(ids.map((id) => rowsOf(model["embedding.weight"].data, D)[id]));
  const weights = range(layers).map((l) => {
    const parts = range(3).map((which) => affine(x, model[`layers.${l}.W_qkv.weight`], null, which * D, width));
    const looked = attention(turned(parts[0]), turned(parts[1]), parts[2], width, heads, true);
    x = plus(x, affine(looked.context, model[`layers.${l}.W_o.weight`]));
    return looked.weights;
  });
  const logits = affine(x, model["unembedding.weight"]);
  return { weights, next: rowsOf(logits, SYMBOLS + 1).map((row) => softmax(row)) };
}

// The positions that followed earlier copies of the symbol at t.
export const followers = (ids, t) => range(1, t + 1).filter((j) => ids[j - 1] === ids[t]);

// The weight on them, averaged over the positions that have some; null if none has.
export function prefixMatching(weights, ids) {
  const rows = range(ids.length).filter((t) => followers(ids, t).length);
  return rows.length ? mean(rows.map((t) => sum(followers(ids, t).map((j) => weights[t][j])))) : null;
}

export const previousWeight = (weights) => mean(range(1, weights.length).map((t) => weights[t][t - 1]));

// The average of several heads, row by row.
export const averaged = (heads) => heads[0].map((row, t) => row.map((_, j) => mean(heads.map((head) => head[t][j]))));

export const foremost = (xs) => xs.reduce((best, x, i) => (x > xs[best] ? i : best), 0);
