/* Sinusoidal encodings, their similarities, and attention without parameters. */

import { dot, fmtShort, range, say, seededNormals, seededUniforms, softmax, sum } from "../kit/kit.js";

export const P = 48; // positions that are drawn
export const FURTHEST = 16; // the largest offset
export const VIEWS = [
  ["encoding", say("Waves"), say("Each pair of features is a clock hand. Press “Play p”.")],
  ["similarity", say("Similarity"), say("Is closer always more alike? Drag an orange diamond.")],
  ["shuffle", say("Shuffle"), say("What does attention lose without positions? Shuffle the words.")],
];
export const BASES = [2, 3, 5, 10, 30, 100, 300, 1000, 3000, 10000, 30000, 100000, 1000000];

// As `fmtShort`, but without powers of ten: "0.00004".
export const plain = (x) => (x > 0 && x < 0.001 ? x.toFixed(Math.ceil(-Math.log10(x))) : fmtShort(x));

export const frequencyOf = (i, D, base) => base ** ((-2 * i) / D);
export const pairs = (D) => Math.ceil(D / 2);

// One row: sin(p ω_0), cos(p ω_0), sin(p ω_1), …; an odd D ends in a sine.
function encodingRow(p, D, base) {
  return range(D).map((f) => {
    const angle = p * frequencyOf(Math.floor(f / 2), D, base);
    return f % 2 ? Math.cos(angle) : Math.sin(angle);
  });
}

export const encoding = (count, D, base) => range(count).map((p) => encodingRow(p, D, base));
export const gramMatrix = (rows) => rows.map((a) => rows.map((b) => dot(a, b)));

// The other position where a hand stands closest to where it stands at p, and how many degrees from it.
export function twinOf(omega, p) {
  const off = (n) => Math.abs((((n * omega + Math.PI) % (2 * Math.PI)) - Math.PI) * 180) / Math.PI;
  const others = range(1, P).flatMap((n) => [p + n, p - n].filter((q) => q >= 0 && q < P).map((q) => [q, off(n)]));
  return others.reduce((best, other) => (other[1] < best[1] - 1e-9 ? other : best));
}

// [sin a, cos a] → [sin(a + angle), cos(a + angle)]: the matrix [[cos, sin], [−sin, cos]] of the angle.
export const rotatePair = ([s, c], angle) => [
  s * Math.cos(angle) + c * Math.sin(angle),
  c * Math.cos(angle) - s * Math.sin(angle),
];

// How far the similarity of two positions depends on anything but their offset.
export const offsetSpread = (gram) =>
  Math.max(...gram.flatMap((row, p) => row.slice(p).map((g, k) => Math.abs(g - gram[0][k]))));

// The first offset after which the similarity rises again; null if it never does.
export function firstRise(similarities) {
  const k = similarities.findIndex((s, i) => i + 1 < similarities.length && similarities[i + 1] > s + 1e-9);
  return k < 0 ? null : k;
}

// A word's embedding: seeded by its letters, so that the same word always has the same one.
export function wordVector(word, D) {
  const seed = [...word].reduce((h, letter) => (h * 31 + letter.codePointAt(0)) % 1000003, 7);
  return Array.from(seededNormals(seed, D), (v) => 0.7 * v);
}

// Attention without parameters: the sequence is its own queries, keys and values.
export function selfAttention(x) {
  const weights = x.map((q) => softmax(x.map((k) => dot(q, k) / Math.sqrt(q.length))));
  return weights.map((row) => x[0].map((_, f) => sum(row.map((a, j) => a * x[j][f]))));
}

function outputsOf(words, D, base, positions) {
  return selfAttention(
    words.map((word, p) => {
      const place = encodingRow(p, D, base);
      return wordVector(word, D).map((v, f) => v + (positions ? place[f] : 0));
    }),
  );
}

const apart = (a, b) => Math.max(...a.map((v, i) => Math.abs(v - b[i])));

// Outputs of the sentence and of its shuffled words; by how much each shuffled word's own output has changed. Where
// only equal words have changed places the sentence is the same, and so is every output.
export function shuffled(words, order, D, base, positions) {
  const first = outputsOf(words, D, base, positions);
  const sentence = order.map((i) => words[i]);
  const second = outputsOf(sentence, D, base, positions);
  const same = sentence.every((word, j) => word === words[j]);
  const changes = order.map((i, j) => apart(first[same ? j : i], second[j]));
  return { first, second, changes, largest: Math.max(...changes) };
}

// The order after a seeded shuffle, never the one that is there already.
export function nextOrder(order, seed) {
  const drawn = seededUniforms(101 + 7 * seed, order.length);
  const next = range(order.length).sort((a, b) => drawn[a] - drawn[b]);
  return String(next) === String(order) ? [...next.slice(1), next[0]] : next;
}
