/* What several models compute with vectors, which are arrays or Float32Arrays; sums are made in double precision. */

import { mean } from "./kit.js";

export const plus = (a, b) => a.map((v, i) => v + b[i]);

export function layerNorm(x, gain, shift) {
  const centre = mean(x);
  const size = Math.sqrt(x.reduce((total, v) => total + (v - centre) ** 2, 0) / x.length + 1e-5);
  return x.map((v, f) => ((v - centre) / size) * gain[f] + shift[f]);
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
