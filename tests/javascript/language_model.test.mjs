// The language model of the page against PyTorch's numbers (test_javascript.py), with small random weights.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { makeBytePieces } from "../../code/attnbook/widgets/kit/byte_pieces.js";
import {
  gated, makeDecoder, makeWriter, rmsNorm, windowStart,
} from "../../code/attnbook/widgets/kit/decoder.js";
import { logSoftmax, rotated } from "../../code/attnbook/widgets/kit/layers.js";
import { readWeights } from "../../code/attnbook/widgets/kit/weights.js";

const { file, pieces, parts, texts, steps, begun, greedy } = JSON.parse(
  readFileSync(process.env.PYTHON_NUMBERS, "utf8"),
).languageModel;
const matrix = (rows) => ({ rows: rows.length, cols: rows[0].length, data: Float32Array.from(rows.flat()) });

function close(found, expected, most = 2e-6) {
  assert.equal(found.length, expected.length);
  expected.forEach((x, i) => assert.ok(Math.abs(found[i] - x) <= most, `number ${i} is ${found[i]}, not ${x}`));
}

test("every text has Python's pieces, and comes back", () => {
  const vocabulary = makeBytePieces(pieces);
  assert.ok(texts.length >= 30);
  for (const [text, ids, back] of texts) {
    assert.deepEqual(vocabulary.encode(text), ids, JSON.stringify(text));
    assert.equal(vocabulary.decode(ids), text);
    assert.equal(vocabulary.parts(ids).join(""), text);
    assert.equal(vocabulary.decode(ids.slice(1)), back); // perhaps from within a character
  }
});

test("a piece that is no character is shown by its bytes", () => {
  const vocabulary = makeBytePieces(pieces);
  const ids = vocabulary.encode("é the\n");
  assert.deepEqual(vocabulary.names(ids), ["‹c3›", "‹a9›", "␣the", "⏎"]);
  assert.deepEqual(vocabulary.parts(ids), ["", "é", " the", "\n"]);
});

test("norm, rotation, gate and log-softmax are PyTorch's", () => {
  const { x, weight, eps, norm, place, base, turned, gate, first, last, out, logs } = parts;
  const vector = Float32Array.from(x);
  close(rmsNorm(vector, weight, eps), norm);
  close(rotated(vector, place, base), turned, 1e-5);
  close(gated(vector, matrix(first), matrix(gate), matrix(last)), out, 1e-5);
  close(logSoftmax(vector), logs);
});

test("all tokens after every beginning have PyTorch's log-probabilities, and each layer looks where it does", () => {
  const writer = makeWriter(readWeights(file));
  for (const { ids, logProbs, weights } of steps) {
    const found = writer.after(ids, ids.length);
    close(found.logProbs, logProbs, 1e-5);
    found.weights.forEach((row, layer) => close(row, weights[layer]));
  }
  const [short, long] = [steps[0], steps.at(-1)];
  close(writer.after(short.ids, short.ids.length).logProbs, short.logProbs, 1e-5); // the cache is cut, and grows again
  close(writer.after(long.ids, long.ids.length).logProbs, long.logProbs, 1e-5);
});

test("the likeliest tokens are the package's, also after the window has been full", () => {
  const writer = makeWriter(readWeights(file));
  const ids = greedy.slice(0, begun);
  while (ids.length < greedy.length) {
    const { logProbs } = writer.after(ids, begun);
    ids.push(logProbs.indexOf(Math.max(...logProbs)));
  }
  assert.deepEqual(ids, greedy);
});

test("a full window goes on from its last half", () => {
  assert.deepEqual([3, 8, 9, 13, 14].map((now) => windowStart(3, now, 8)), [0, 0, 5, 5, 10]);
  assert.deepEqual([20, 21].map((now) => windowStart(20, now, 8)), [12, 17]);
});

test("what the page cannot compute is refused by its name", () => {
  const { about } = readWeights(file);
  assert.throws(() => makeDecoder({}, { ...about.config, norm: "layer" }), /norm layer/);
  assert.throws(() => makeDecoder({}, { ...about.config, qk_norm: true }), /qk_norm true/);
  assert.throws(() => makeWriter({ about: { ...about, format: "x" } }), /“x”/);
  assert.throws(() => makeBytePieces({ ...pieces, kind: "words" }), /words/);
});
