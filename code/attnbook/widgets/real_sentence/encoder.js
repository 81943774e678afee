/* The encoder of 2018: embeddings, then layers of attention and feed-forward, each normalised after its sum. (Devlin et
 * al., 2019, §3.) */

import { attention, joined, layersOf, plus, rowOf } from "../kit/layers.js";

// The error function to 1.2e-7 of 1 − |erf| (Press et al., Numerical Recipes, §6.2).
export function erf(x) {
  const t = 1 / (1 + Math.abs(x) / 2);
  const terms = [
    0.17087277, -0.82215223, 1.48851587, -1.13520398, 0.27886807, -0.18628806, 0.09678418, 0.37409196, 1.00002368,
    -1.26551223,
  ];
  let sum = 0;
  for (const term of terms) sum = sum * t + term;
  return Math.sign(x) * (1 - t * Math.exp(sum - x * x));
}

export const gelu = (x) => (x / 2) * (1 + erf(x * Math.SQRT1_2));

/* makeEncoder(file)(rows) → {hidden (T × D), weights[layer][head] (T × T)}; file from kit/weights.js, rows of the
 * embedding. The weights stay as they are stored: as floats they would take four times the memory. */
export function makeEncoder(file) {
  const { heads, layers, eps } = file.about;
  const p = Object.fromEntries(file.names.map((name) => [name, file.stored(name)]));
  const { through, norm, feedForward } = layersOf(p);
  const encode = (rows) => {
    const embedded = joined(rows.map((row, t) => plus(rowOf(p.words, row), rowOf(p.positions, t))));
    let x = norm(embedded, "embeddings.LayerNorm", eps);
    const weights = [];
    for (let l = 0; l < layers; l++) {
      const layer = `layer.${l}`;
      const parts = ["query", "key", "value"].map((one) => through(x, `${layer}.attention.self.${one}`));
      const looked = attention(...parts, p.words.cols, heads);
      weights.push(looked.weights.map((head) => joined(head)));
      const out = `${layer}.attention.output`;
      x = norm(plus(x, through(looked.context, `${out}.dense`)), `${out}.LayerNorm`, eps);
      const inner = feedForward(x, `${layer}.intermediate.dense`, `${layer}.output.dense`, gelu);
      x = norm(plus(x, inner), `${layer}.output.LayerNorm`, eps);
    }
    return { hidden: x, weights };
  };
  return { encode, positions: p.positions.rows };
}

// The mean of the rows of `hidden`, scaled to length 1: the product of two is the cosine of their angle.
export function sentenceVector(hidden, T) {
  const D = hidden.length / T;
  const mean = new Float64Array(D);
  hidden.forEach((a, i) => (mean[i % D] += a / T));
  const long = Math.sqrt(mean.reduce((total, a) => total + a * a, 0));
  return mean.map((a) => a / long);
}
