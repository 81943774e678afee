/* The encoder of 2018: embeddings, then layers of attention and feed-forward, each normalised after its sum. Numbers
 * stand in Float32Arrays, row by row; sums are made in double precision. (Devlin et al., 2019, §3.) */

import { plus } from "../kit/vectors.js";

// x (T rows) through y = x Wᵀ + b. Four rows of W meet two rows of x at a time: a number once read is used again, which
// makes it eight times as fast as one after the other. The number of W's rows is a multiple of four.
export function affine({ rows, cols, data }, bias, x) {
  const T = x.length / cols;
  const y = new Float32Array(T * rows);
  for (let o = 0; o < rows; o += 4) {
    const w0 = o * cols;
    const w1 = w0 + cols;
    const w2 = w1 + cols;
    const w3 = w2 + cols;
    for (let t = 0; t < T; t += 2) {
      const one = t * cols;
      const two = Math.min(t + 1, T - 1) * cols; // of an odd number of rows, the last one twice
      let a0 = bias[o];
      let a1 = bias[o + 1];
      let a2 = bias[o + 2];
      let a3 = bias[o + 3];
      let b0 = a0;
      let b1 = a1;
      let b2 = a2;
      let b3 = a3;
      for (let i = 0; i < cols; i++) {
        const u = x[one + i];
        const v = x[two + i];
        a0 += data[w0 + i] * u;
        b0 += data[w0 + i] * v;
        a1 += data[w1 + i] * u;
        b1 += data[w1 + i] * v;
        a2 += data[w2 + i] * u;
        b2 += data[w2 + i] * v;
        a3 += data[w3 + i] * u;
        b3 += data[w3 + i] * v;
      }
      y.set([a0, a1, a2, a3], t * rows + o);
      if (t + 1 < T) y.set([b0, b1, b2, b3], (t + 1) * rows + o);
    }
  }
  return y;
}

export function layerNorm(gain, shift, eps, x) {
  const cols = gain.length;
  const y = new Float32Array(x.length);
  for (let at = 0; at < x.length; at += cols) {
    let [total, squares] = [0, 0];
    for (let i = 0; i < cols; i++) total += x[at + i];
    const middle = total / cols;
    for (let i = 0; i < cols; i++) squares += (x[at + i] - middle) ** 2;
    const wide = Math.sqrt(squares / cols + eps);
    for (let i = 0; i < cols; i++) y[at + i] = ((x[at + i] - middle) / wide) * gain[i] + shift[i];
  }
  return y;
}

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

// One layer's attention: {context (T × D), weights: of each head, a Float32Array (T × T), queries down}.
export function attention(query, key, value, heads, T) {
  const D = query.length / T;
  const wide = D / heads;
  const context = new Float32Array(T * D);
  const weights = [];
  for (let h = 0; h < heads; h++) {
    const from = h * wide;
    const head = new Float32Array(T * T);
    for (let i = 0; i < T; i++) {
      const row = head.subarray(i * T, (i + 1) * T);
      for (let j = 0; j < T; j++) {
        let score = 0;
        for (let c = from; c < from + wide; c++) score += query[i * D + c] * key[j * D + c];
        row[j] = score / Math.sqrt(wide);
      }
      const top = row.reduce((a, b) => Math.max(a, b));
      let total = 0;
      for (let j = 0; j < T; j++) total += row[j] = Math.exp(row[j] - top);
      for (let j = 0; j < T; j++) {
        row[j] /= total;
        for (let c = from; c < from + wide; c++) context[i * D + c] += row[j] * value[j * D + c];
      }
    }
    weights.push(head);
  }
  return { context, weights };
}

/* makeEncoder(file)(rows) → {hidden (T × D), weights[layer][head] (T × T)}; file from kit/weights.js, rows of the
 * embedding. */
export function makeEncoder(file) {
  const { heads, layers, eps } = file.about;
  const p = Object.fromEntries(file.names.map((name) => [name, file.weight(name)]));
  const through = (name, x) => affine(p[`${name}.weight`], p[`${name}.bias`].data, x);
  const norm = (name, x) => layerNorm(p[`${name}.weight`].data, p[`${name}.bias`].data, eps, x);
  const D = p.words.cols;
  const encode = (rows) => {
    const T = rows.length;
    let x = new Float32Array(T * D);
    rows.forEach((row, t) => {
      for (let i = 0; i < D; i++) x[t * D + i] = p.words.data[row * D + i] + p.positions.data[t * D + i];
    });
    x = norm("embeddings.LayerNorm", x);
    const weights = [];
    for (let l = 0; l < layers; l++) {
      const layer = `layer.${l}`;
      const [query, key, value] = ["query", "key", "value"].map((one) => through(`${layer}.attention.self.${one}`, x));
      const looked = attention(query, key, value, heads, T);
      weights.push(looked.weights);
      const out = `${layer}.attention.output`;
      x = norm(`${out}.LayerNorm`, plus(x, through(`${out}.dense`, looked.context)));
      const inner = through(`${layer}.intermediate.dense`, x).map(gelu);
      x = norm(`${layer}.output.LayerNorm`, plus(x, through(`${layer}.output.dense`, inner)));
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
