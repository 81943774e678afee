// The layers of the figures' models against PyTorch's numbers (test_javascript.py).
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { affine, attend, attention, layerNorm, rowOf, rowsOf } from "../../code/attnbook/widgets/kit/layers.js";
import { readWeights } from "../../code/attnbook/widgets/kit/weights.js";

const { layers } = JSON.parse(readFileSync(process.env.PYTHON_NUMBERS, "utf8"));
const x = Float32Array.from(layers.x);
const vector = (numbers) => ({ rows: 1, cols: numbers.length, data: Float32Array.from(numbers) });
const matrix = (rows) => ({ rows: rows.length, cols: rows[0].length, data: Float32Array.from(rows.flat()) });
const D = layers.gain.length;

function close(found, expected, most = 2e-6) {
  assert.equal(found.length, expected.length);
  expected.forEach((number, i) => assert.ok(Math.abs(found[i] - number) <= most, `number ${i}: ${found[i]}, ${number}`));
}

test("an affine map of rows is PyTorch's, whatever is left of four rows and of two", () => {
  const bias = vector(layers.bias);
  for (const [W, expected] of layers.affine) {
    const count = W.length;
    close(affine(x, matrix(W), bias), expected);
    close(affine(x.subarray(D), matrix(W), bias), expected.slice(count));
    close(affine(x.subarray(0, D), matrix(W), bias, 0, 1), expected.slice(0, 1));
    const plain = affine(x.subarray(0, D), matrix(W), null, count - 1, 1);
    close(plain, [expected[count - 1] - layers.bias[count - 1]]);
  }
  assert.throws(() => affine(x.subarray(1), matrix(layers.affine[0][0]), bias), /a matrix of 11 columns got rows of 54/);
});

test("layer normalisation is PyTorch's", () => {
  close(layerNorm(x, vector(layers.gain), vector(layers.shift), 0.01), layers.norm);
});

test("attention is the package's, also causal", () => {
  const [given, size, heads, expected] = layers.attention;
  const [query, key, value] = given.map((numbers) => Float32Array.from(numbers));
  for (const causal of [false, true]) {
    const { context, weights } = attention(query, key, value, size, heads, causal);
    const [contexts, rows] = expected[causal];
    close(context, contexts);
    weights.forEach((head, h) => head.forEach((row, i) => close(row, rows[h][i].slice(0, row.length))));
    assert.deepEqual(weights[0].map((row) => row.length), causal ? [1, 2, 3, 4, 5] : [7, 7, 7, 7, 7]);
  }
});

test("heads of queries share those of keys, one behind the other", () => {
  const [given, size, heads] = layers.attention;
  const [query, key, value] = given.map((numbers) => Float32Array.from(numbers));
  const wide = size / heads;
  const shared = [key, value].map((all) => rowsOf(all, size).map((row) => row.subarray(0, 2 * wide)));
  const { context, weights } = attend(query.subarray(0, size), ...shared, 3, 2);
  [0, 0, 1].forEach((from, h) => {
    const own = shared.map((rows) => rows.map((row) => row.subarray(from * wide, (from + 1) * wide)));
    const alone = attend(query.subarray(h * wide, (h + 1) * wide), ...own, 1);
    close(weights[h], alone.weights[0], 0);
    close(context.subarray(h * wide, (h + 1) * wide), [...alone.context], 0);
  });
});

test("a matrix in eight bits is the same matrix, unpacked or as it is stored", () => {
  const [content, numbers, expected] = layers.eightBits;
  const file = readWeights(content);
  const [stored, whole] = [file.stored("large"), file.weight("large")];
  assert.ok(stored.data instanceof Int8Array);
  close(whole.data, expected.flat(), 0);
  expected.forEach((row, i) => close(rowOf(stored, i), row, 0));
  const narrow = Float32Array.from(numbers);
  for (const part of [[], [1], [2, 3]])
    close(affine(narrow, stored, null, ...part), [...affine(narrow, whole, null, ...part)], 0);
});
