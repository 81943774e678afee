/* The search itself, over stored log-probabilities. */

import DATA from "./data.json" with { type: "json" };
import { range, sum } from "../kit/kit.js";
import { lengthFactor } from "../kit/words.js";

export const EOS = DATA.words.indexOf("<eos>");
export const ALPHAS = range(21).map((i) => i / 10);
export const droppedAt = (width) => 6 - width; // so many of what is turned down are shown at each step, where they fit

export const scoreOf = (hyp, alpha) => hyp.logProb / lengthFactor(hyp.words.length, alpha);

// All that one search does. `nodes` as stored: for every prefix its likeliest next words, [word, −log p in units,
// place of the longer prefix]. As in attnbook.translation: what is finished keeps its place in the beam.
export function beamSearch(nodes, width, maxLen) {
  const root = { words: [], logProb: 0, own: 0, place: 0, parent: null };
  const steps = [];
  const finished = [];
  let beams = [root];
  while (beams.length && steps.length < maxLen) {
    const grown = beams
      .flatMap((parent) =>
        nodes[parent.place].map(([word, cost, place], rank) => {
          const own = -cost * DATA.unit;
          return {
            parent,
            word,
            own,
            rank,
            place,
            words: [...parent.words, word],
            logProb: parent.logProb + own,
            ended: word === EOS,
          };
        }),
      )
      .sort((a, b) => b.logProb - a.logProb);
    const room = width - finished.length;
    const kept = grown.slice(0, room);
    steps.push({ kept, dropped: grown.slice(room), finished: [...finished] });
    finished.push(...kept.filter((hyp) => hyp.ended));
    beams = kept.filter((hyp) => !hyp.ended);
  }
  return { root, steps, finished, unfinished: beams };
}

// What the length cut off comes after everything that ended by itself.
export function ranked({ finished, unfinished }, alpha) {
  const order = (hyps) => [...hyps].sort((a, b) => scoreOf(b, alpha) - scoreOf(a, alpha));
  return [...order(finished), ...order(unfinished)];
}

export const named = (words) => words.map((word) => DATA.words[word]);
export const nameOf = (words) => (words.length ? named(words).join(" ") : "<bos>");

// What stands after a step, the best first: what has ended and the prefixes that go on.
export function standing({ steps }, step) {
  if (step === 0) return [];
  const { kept, finished } = steps[step - 1];
  return [...finished, ...kept].sort((a, b) => b.logProb - a.logProb);
}

// What a test can compare: the best hypotheses of a sentence by its number.
export function nBest(sentence, width, alpha, maxLen) {
  return ranked(beamSearch(DATA.sentences[sentence].nodes, width, maxLen), alpha).map((hyp) => ({
    words: named(hyp.words),
    logProb: hyp.logProb,
    score: scoreOf(hyp, alpha),
    ended: hyp.ended,
  }));
}

// Places as near as possible to the wanted ones (weighted least squares), each at least `apart` from the one before.
export function spread(wanted, apart, weights) {
  const before = wanted.map((_, i) => sum(apart.slice(1, i + 1)));
  const blocks = [];
  wanted.forEach((w, i) => {
    let block = { mean: w - before[i], weight: weights[i], count: 1 };
    while (blocks.length && blocks.at(-1).mean > block.mean) {
      const left = blocks.pop();
      const weight = left.weight + block.weight;
      block = {
        mean: (left.mean * left.weight + block.mean * block.weight) / weight,
        weight,
        count: left.count + block.count,
      };
    }
    blocks.push(block);
  });
  return blocks.flatMap(({ mean: place, count }) => range(count).map(() => place)).map((z, i) => z + before[i]);
}
