/* The layers of the trained models that figures run. What goes through them is a Float32Array that holds one row of
 * numbers, or several, one behind the other; it is the first argument. A weight is a matrix {rows, cols, data}, a bias
 * or a gain one of a single row, as readWeights gives them. Sums are made in double precision. */

import { mean, range, softmax } from "./kit.js";
import { unpack } from "./weights.js";

// The rows of x at `one` and `two` meet the four rows of W at w0 to w3, so that a number once read is used again. Their
// products are left in `sums`.
function meet(x, one, two, data, w0, w1, w2, w3, cols, sums) {
  let a0 = 0;
  let a1 = 0;
  let a2 = 0;
  let a3 = 0;
  let b0 = 0;
  let b1 = 0;
  let b2 = 0;
  let b3 = 0;
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
  sums[0] = a0;
  sums[1] = a1;
  sums[2] = a2;
  sums[3] = a3;
  sums[4] = b0;
  sums[5] = b1;
  sums[6] = b2;
  sums[7] = b3;
}

// x Wᵀ + b, or only columns first … first + count of it. Where fewer than four rows of W are left, or one of x, the
// last is taken again.
export function affine(x, W, bias, first = 0, count = W.rows - first) {
  const { cols } = W;
  const T = x.length / cols;
  if (!Number.isInteger(T)) throw new Error(`a matrix of ${cols} columns got rows of ${x.length} numbers`);
  const y = new Float32Array(T * count);
  const sums = new Float64Array(8);
  const four = W.scales && new Float32Array(4 * cols);
  for (let o = 0; o < count; o += 4) {
    const rows = Math.min(4, count - o);
    const w0 = four ? 0 : (first + o) * cols;
    const at = (row) => w0 + Math.min(row, rows - 1) * cols;
    if (four) unpack(W, (first + o) * cols, four.subarray(0, rows * cols));
    for (let t = 0; t < T; t += 2) {
      const two = Math.min(t + 1, T - 1);
      meet(x, t * cols, two * cols, four || W.data, w0, at(1), at(2), at(3), cols, sums);
      for (let r = 0; r < rows; r++) {
        const shift = bias ? bias.data[first + o + r] : 0;
        y[t * count + o + r] = shift + sums[r];
        y[two * count + o + r] = shift + sums[4 + r];
      }
    }
  }
  return y;
}

export const rowOf = (W, i) =>
  W.scales
    ? unpack(W, i * W.cols, new Float32Array(W.cols))
    : W.data.subarray(i * W.cols, (i + 1) * W.cols);

export const rowsOf = (x, size) => range(x.length / size).map((t) => x.subarray(t * size, (t + 1) * size));

export function joined(rows) {
  const out = new Float32Array(rows.reduce((total, row) => total + row.length, 0));
  let at = 0;
  for (const row of rows) {
    out.set(row, at);
    at += row.length;
  }
  return out;
}

export const plus = (a, b) => a.map((v, i) => v + b[i]);

export function layerNorm(x, gain, shift, eps = 1e-5) {
  const normed = rowsOf(x, gain.cols).map((row) => {
    const centre = mean(row);
    const size = Math.sqrt(row.reduce((total, v) => total + (v - centre) ** 2, 0) / row.length + eps);
    return row.map((v, f) => ((v - centre) / size) * gain.data[f] + shift.data[f]);
  });
  return joined(normed);
}

// One query to all keys, every head for itself: {context, weights: of each head}. Where there are fewer heads of keys
// and values, as many of the query's share one.
export function attend(query, keys, values, heads, keyHeads = heads) {
  const size = query.length / heads;
  const context = new Float32Array(query.length);
  const weights = range(heads).map((h) => {
    const [own, shared] = [h * size, Math.floor((h * keyHeads) / heads) * size];
    const row = softmax(keys.map((key) => dotOf(query, own, key, shared, size) / Math.sqrt(size)));
    row.forEach((a, j) => add(context, own, a, values[j], shared, size));
    return row;
  });
  return { context, weights };
}

function dotOf(a, i, b, j, size) {
  let total = 0;
  for (let f = 0; f < size; f++) total += a[i + f] * b[j + f];
  return total;
}

function add(out, i, a, b, j, size) {
  for (let f = 0; f < size; f++) out[i + f] += a * b[j + f];
}

// The same for many queries, rows of `size` numbers: {context, weights[head][query]}; in a causal one a query has
// weights for the keys up to its own.
export function attention(query, key, value, size, heads, causal = false) {
  const [keys, values] = [rowsOf(key, size), rowsOf(value, size)];
  const all = rowsOf(query, size).map((row, i) => attend(row, causal ? keys.slice(0, i + 1) : keys, values, heads));
  return {
    context: joined(all.map(({ context }) => context)),
    weights: range(heads).map((h) => all.map(({ weights }) => weights[h])),
  };
}

// Features 2i and 2i + 1 of each head of `size` numbers, turned by the angle place · base^(−2i/size).
export function rotated(x, place, base, size = x.length) {
  const out = new Float32Array(x.length);
  for (let f = 0; f < x.length; f += 2) {
    const angle = place * base ** (-(f % size) / size);
    const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
    out[f] = x[f] * cos - x[f + 1] * sin;
    out[f + 1] = x[f] * sin + x[f + 1] * cos;
  }
  return out;
}

// Feature f of D in the sinusoidal encoding of a place (Vaswani et al., 2017, §3.5).
export function sinusoid(place, f, D) {
  const angle = place * 10000 ** ((-2 * Math.floor(f / 2)) / D);
  return f % 2 ? Math.cos(angle) : Math.sin(angle);
}

export function logSoftmax(scores) {
  const top = scores.reduce((best, v) => Math.max(best, v), -Infinity);
  const total = Math.log(scores.reduce((all, v) => all + Math.exp(v - top), 0));
  return scores.map((v) => v - top - total);
}

// The layers of a model whose weights are p, by their names.
export function layersOf(p) {
  const through = (x, name, first, count) => affine(x, p[`${name}.weight`], p[`${name}.bias`], first, count);
  return {
    through,
    norm: (x, name, eps) => layerNorm(x, p[`${name}.weight`], p[`${name}.bias`], eps),
    feedForward: (x, first, last, activation) => through(through(x, first).map(activation), last),
  };
}

export const relu = (v) => Math.max(0, v);
