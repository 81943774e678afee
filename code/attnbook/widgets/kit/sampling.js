/* What may be drawn as the next token: a distribution, stored or computed, filtered as attnbook.translation's
 * filter_logits does (first the temperature, then top-k, then top-p), and dice. It runs from the likeliest on. */

import { range, seededUniforms, softmax, sum } from "./kit.js";

export const TEMPERATURES = range(1, 31).map((i) => i / 10);
export const KS = [0, 1, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 50, 100, 200, 500, 1000];
export const PS = [...range(1, 20).map((i) => i / 20), 0.99, 1];

// Stored as the first −log p and the differences to the next, in units: log-probabilities, the likeliest first.
export function logProbsOf({ costs }, unit) {
  let cost = 0;
  return costs.map((step) => {
    cost += step;
    return -cost * unit;
  });
}

// Logits from the largest to the smallest → the same, −∞ for words that are cut off. topK 0 and topP 1 cut nothing.
export function filterLogits(logits, temperature, topK, topP) {
  let kept = logits.map((v) => v / temperature);
  if (topK > 0) {
    const least = kept[Math.min(topK, kept.length) - 1]; // whatever is as likely as the last one stays, too
    kept = kept.map((v) => (v < least ? -Infinity : v));
  }
  if (topP < 1) {
    const shares = softmax(kept);
    let before = 0; // what the likelier words have already
    kept = kept.map((v, i) => {
      const cut = before >= topP;
      before += shares[i];
      return cut ? -Infinity : v;
    });
  }
  return kept;
}

export const entropyOf = (probs) => -sum(probs.filter((p) => p > 0).map((p) => p * Math.log(p)));

export function cumulative(probs) {
  let total = 0;
  return probs.map((p) => {
    total += p;
    return total;
  });
}

// n words by their places: every die falls into one of the steps of the cumulative probability.
export function drawWords(probs, n, seed) {
  const steps = cumulative(probs);
  const last = probs.findLastIndex((p) => p > 0); // rounding leaves the total a little beside 1
  return Array.from(seededUniforms(seed, n), (u) => {
    const place = steps.findIndex((total) => u < total);
    return place < 0 ? last : Math.min(place, last);
  });
}
