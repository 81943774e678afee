/* Kernels, weights, predictions, and the three errors. */

import { mean, range, say } from "../kit/kit.js";

export const KERNELS = {
  gaussian: (u) => Math.exp((-u * u) / 2),
  boxcar: (u) => (u <= 1 ? 1 : 0),
  triangular: (u) => Math.max(0, 1 - u),
  epanechnikov: (u) => Math.max(0, 1 - u * u),
};
export const KERNEL_NAMES = [
  ["gaussian", say("Gaussian")],
  ["boxcar", say("boxcar")],
  ["triangular", say("triangular")],
  ["epanechnikov", "Epanechnikov"],
];
export const WIDTHS = range(61).map((i) => Number((10 ** (i / 20 - 2)).toPrecision(3))); // 0.01 … 10
export const QUERIES = 100; // at which the error to the truth is measured

export const trueCurve = (x) => 2 * Math.sin(x) + x ** 0.8;

// One row of weights; `skip` is the index of a key left out. All are 0 where no key is in reach.
// Plain loops: dragging a point asks for some ten thousand rows at once.
export function weightsAt(kernel, width, query, x, skip = -1) {
  const weights = x.map((key) => Math.abs(query - key) / width); // at first the scaled distances u
  // A common factor cancels in the fraction. The Gaussian of the nearest key, divided out, keeps the others of a
  // far query from all underflowing to 0.
  let near = Infinity;
  weights.forEach((u, j) => {
    if (j !== skip && u < near) near = u;
  });
  const of = kernel === "gaussian" ? (u) => Math.exp((near * near - u * u) / 2) : KERNELS[kernel];
  let total = 0;
  weights.forEach((u, j) => {
    total += weights[j] = j === skip ? 0 : of(u);
  });
  if (total > 0)
    weights.forEach((part, j) => {
      weights[j] = part / total;
    });
  return weights;
}

// The prediction, or null where no key is in reach: 0/0.
export function predict(kernel, width, query, x, y, skip = -1) {
  let [total, f] = [0, 0];
  weightsAt(kernel, width, query, x, skip).forEach((a, j) => {
    total += a;
    f += a * y[j];
  });
  return total > 0 ? f : null;
}

export const queryGrid = ([low, high]) => range(QUERIES).map((i) => low + ((high - low) * i) / QUERIES);

// Mean squared errors, and at how many places no key was in reach (the prediction counts as 0 there).
export function errorsAt(kernel, width, x, y, domain, truth = true) {
  const measure = (places, wanted, leaveOut) => {
    const found = places.map((place, i) => predict(kernel, width, place, x, y, leaveOut ? i : -1));
    return {
      error: mean(found.map((f, i) => ((f ?? 0) - wanted[i]) ** 2)),
      gaps: found.filter((f) => f === null).length,
    };
  };
  const grid = queryGrid(domain);
  const errors = {
    train: measure(x, y, false),
    leave_one_out: measure(x, y, true),
    truth: measure(grid, grid.map(trueCurve), false),
  };
  // without a known curve there is no truth to compare with
  return truth ? errors : { ...errors, truth: { error: null, gaps: errors.truth.gaps } };
}

export const lowest = (errors) => errors.reduce((best, error, i) => (error < errors[best] ? i : best), 0);

export function nearestIndex(x, place) {
  return x.reduce((best, key, j) => (Math.abs(key - place) < Math.abs(x[best] - place) ? j : best), 0);
}
