/* The attention-only model as tools/experiments/induction_heads.py describes it, and what is measured on a row. */

import DATA from "./data.json" with { type: "json" };
import WEIGHTS from "../../weights/induction.safetensors";
import { dot, mean, range, seededUniforms, softmax, sum } from "../kit/kit.js";
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

// A stored matrix as rows.
function matrixOf(name) {
  const { rows, cols, data } = STORED.weight(name);
  return range(rows).map((i) => Float64Array.from(data.subarray(i * cols, (i + 1) * cols)));
}

const times = (matrix, x) => matrix.map((row) => row.reduce((total, w, i) => total + w * x[i], 0));

// Rotary positions: features 2i and 2i + 1 turn by position · base^(−2i / size).
function rotated(x, position, base) {
  const turned = [...x];
  for (let i = 0; i < x.length; i += 2) {
    const angle = position * base ** (-i / x.length);
    const [c, s] = [Math.cos(angle), Math.sin(angle)];
    turned[i] = c * x[i] - s * x[i + 1];
    turned[i + 1] = s * x[i] + c * x[i + 1];
  }
  return turned;
}

function attend(stream, into, out, { D, heads, head_dim: size, base }) {
  const projected = stream.map((x) => times(into, x)); // query, key and value one behind the other
  const part = (t, which, h) => projected[t].slice(which * D + h * size, which * D + (h + 1) * size);
  const joined = stream.map(() => []);
  const weights = range(heads).map((h) => {
    const keys = stream.map((_, j) => rotated(part(j, 1, h), j, base));
    const values = stream.map((_, j) => part(j, 2, h));
    return stream.map((_, t) => {
      const query = rotated(part(t, 0, h), t, base);
      const scores = keys.slice(0, t + 1).map((key) => dot(query, key) / Math.sqrt(size));
      const row = softmax(scores);
      joined[t].push(...range(size).map((d) => sum(row.map((a, j) => a * values[j][d]))));
      return row;
    });
  });
  return { weights, stream: stream.map((x, t) => times(out, joined[t]).map((v, d) => x[d] + v)) };
}

const unpacked = new Map(); // step → matrices

// Weights [layer][head][query][key ≤ query], and the probabilities of the next symbol at each position.
export function runModel(step, ids) {
  if (!unpacked.has(step)) {
    const names = STORED.names.filter((name) => name.startsWith(`${step}.`));
    unpacked.set(step, Object.fromEntries(names.map((name) => [name.slice(`${step}.`.length), matrixOf(name)])));
  }
  const model = unpacked.get(step);
  let stream = ids.map((id) => [...model["embedding.weight"][id]]);
  const weights = range(DATA.sizes.layers).map((l) => {
    const done = attend(stream, model[`layers.${l}.W_qkv.weight`], model[`layers.${l}.W_o.weight`], DATA.sizes);
    stream = done.stream;
    return done.weights;
  });
  return { weights, next: stream.map((x) => softmax(times(model["unembedding.weight"], x))) };
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
