/* What three memories make of the pairs: keys are points on the unit circle, values are numbers. */

import { dot, mean, softmax, sum } from "../kit/kit.js";

export const UNIT = 30; // degrees
export const REACH = 3;

export const keyAt = (x) => [Math.cos((x * UNIT * Math.PI) / 180), Math.sin((x * UNIT * Math.PI) / 180)];

// The matrix of one row after all pairs have been written; beta null: values are written as they are.
export function written(pairs, decay, beta = null) {
  let state = [0, 0];
  for (const [x, value] of pairs) {
    const key = keyAt(x);
    state = state.map((s) => decay * s);
    const u = beta === null ? value : beta * (value - dot(state, key));
    state = state.map((s, i) => s + u * key[i]);
  }
  return state;
}

// The row with the smallest sum of squared errors; of several the shortest.
export function leastSquares(pairs) {
  const keys = pairs.map(([x]) => keyAt(x));
  const values = pairs.map(([, value]) => value);
  const entry = (i, j) => sum(keys.map((k) => k[i] * k[j]));
  const right = [0, 1].map((i) => sum(keys.map((k, n) => k[i] * values[n])));
  const [a, b, d] = [entry(0, 0), entry(0, 1), entry(1, 1)];
  const determinant = a * d - b * b;
  if (determinant > 1e-9)
    return [(d * right[0] - b * right[1]) / determinant, (a * right[1] - b * right[0]) / determinant];
  const size = a + d; // all keys on one line: the pseudo-inverse of a matrix of rank 1 is the matrix over its trace²
  return size === 0 ? [0, 0] : [(a * right[0] + b * right[1]) / size ** 2, (b * right[0] + d * right[1]) / size ** 2];
}

export function softmaxAnswer(pairs, sharpness, x) {
  if (!pairs.length) return 0;
  const weights = softmax(pairs.map(([k]) => sharpness * dot(keyAt(k), keyAt(x))));
  return sum(weights.map((a, j) => a * pairs[j][1]));
}

// For each memory a function: angle → answer.
export function answers(pairs, { sharpness, beta, decay }) {
  const reads = (state) => (x) => dot(state, keyAt(x));
  return {
    softmax: (x) => softmaxAnswer(pairs, sharpness, x),
    linear: reads(written(pairs, decay)),
    delta: reads(written(pairs, decay, beta)),
    best: reads(leastSquares(pairs)),
  };
}

const rootMeanSquare = (xs) => (xs.length ? Math.sqrt(mean(xs.map((x) => x * x))) : 0);

// What each memory reads back for the pairs, and how far off it is on average.
export function readBack(pairs, options) {
  const found = answers(pairs, options);
  return Object.fromEntries(
    Object.entries(found).map(([name, answer]) => {
      const read = pairs.map(([x]) => answer(x));
      return [name, { read, error: rootMeanSquare(read.map((r, j) => r - pairs[j][1])) }];
    }),
  );
}
