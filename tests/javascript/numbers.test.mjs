// The kit's numbers and scales. What Python computes too is in the file that PYTHON_NUMBERS names (test_javascript.py).
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import {
  clamp, columns, dot, fmt, fmtShort, linspace, mean, nearest, range, say, seededNormals, seededUniforms, sentences,
  signedFill, signedInk, softmax, sum, variance, weightFill, weightInk,
} from "../../code/attnbook/widgets/kit/kit.js";
import { linear, ticks } from "../../code/attnbook/widgets/kit/paint.js";
import { division, lengthFactor, sentenceOf, textWidth } from "../../code/attnbook/widgets/kit/words.js";

const PYTHON = JSON.parse(readFileSync(process.env.PYTHON_NUMBERS, "utf8"));

function close(found, expected, relative = 1e-12, absolute = 1e-14) {
  assert.equal(found.length, expected.length);
  expected.forEach((x, i) => {
    const off = Math.abs(found[i] - x);
    assert.ok(off <= absolute + relative * Math.abs(x), `number ${i} is ${found[i]}, Python's is ${x}`);
  });
}

test("fixed digits, a real minus sign, no minus zero", () => {
  const texts = [[1.5, 2], [-1.5, 1], [-0.001, 2], [2, 0], [null, 2], [NaN, 2], [1e30, 0], [-Infinity, 2]];
  const expected = ["1.50", "−1.5", "0.00", "2", "–", "–", "1e+30", "−∞"];
  assert.deepEqual(texts.map(([x, digits]) => fmt(x, digits)), expected);
});

test("short numbers have about three digits", () => {
  const texts = [764.2, 61.77, 0.3321, 1.34e-4, 0, -5.5].map(fmtShort);
  assert.deepEqual(texts, ["764", "61.8", "0.332", "1.3e−4", "0", "−5.50"]);
});

test("ticks are round and inside", () => {
  assert.deepEqual(ticks(0, 5), [0, 1, 2, 3, 4, 5]);
  assert.deepEqual(ticks(-1, 1), [-1, -0.5, 0, 0.5, 1]);
  assert.deepEqual(ticks(0.13, 0.31), [0.15, 0.2, 0.25, 0.3]);
  assert.deepEqual(ticks(3, 3), [3]);
});

test("ranges, limits and scales", () => {
  assert.deepEqual([range(3), range(2, 5), range(0)], [[0, 1, 2], [2, 3, 4], []]);
  assert.deepEqual([-1, 0.5, 7].map((x) => clamp(x, 0, 1)), [0, 0.5, 1]);
  assert.equal(nearest([0.1, 1, 10], 4), 1);
  const scale = linear([0, 5], [40, 340]);
  assert.deepEqual([scale(2), scale.invert(160)], [160, 2]);
});

test("a character of East Asia takes the room of two letters", () => {
  for (const [text, count] of PYTHON.columns) assert.equal(columns(text), count, text);
  assert.equal(columns("我们！"), 6);
  assert.equal(textWidth("我们！", 10), 30);
  assert.equal(textWidth("e\u0301", 10), textWidth("e", 10));
});

test("sentences stand one after another, in Chinese without a space", () => {
  assert.equal(sentences("One.", "", "Two.", undefined), "One. Two.");
  assert.equal(sentences("一。", "2 个。", "“Un.”", "三。"), "一。2 个。“Un.”三。");
  assert.equal(sentences("“Un.”", "“Deux.”"), "“Un.” “Deux.”");
});

test("sums are NumPy's", () => {
  const { xs, ...expected } = PYTHON.sums;
  const found = [sum(xs), mean(xs), variance(xs), dot(xs, [...xs].reverse())];
  close(found, [expected.sum, expected.mean, expected.variance, expected.dot]);
  close(linspace(-1, 2, 7), expected.linspace);
  assert.deepEqual(linspace(3, 9, 1), [3]);
});

test("softmax is PyTorch's", () => {
  assert.ok(PYTHON.softmax.length >= 30);
  for (const [scores, weights] of PYTHON.softmax) close(softmax(scores), weights);
});

test("masked softmax is the package's, and a row without keys has no weights", () => {
  for (const [scores, mask, weights] of PYTHON.maskedSoftmax) close(softmax(scores, mask), weights);
  assert.deepEqual(softmax([1, 2, 3], [false, false, false]), [0, 0, 0]);
  assert.deepEqual(softmax([1e6, 0], [false, true]), [0, 1]);
  assert.deepEqual(softmax([]), []);
});

test("random numbers are Python's", () => {
  for (const [seed, uniforms, normals] of PYTHON.random) {
    assert.deepEqual([...seededUniforms(seed, uniforms.length)], uniforms);
    close([...seededNormals(seed, normals.length)], normals);
  }
});

test("weights have the plots' colours", () => {
  for (const [weight, colour] of PYTHON.colours) {
    const rgb = weightFill(weight).match(/rgb\(([\d,]+)\)/)[1].split(",").map(Number);
    close(rgb, colour, 0, 2);
  }
});

test("words can be read on every shade, in the light and in the dark", () => {
  const css = readFileSync(new URL("../../code/attnbook/widgets/kit/figures.css", import.meta.url), "utf8");
  const declared = [...css.matchAll(/(--ab-[\w-]+): (#[0-9a-f]{6});/g)].map(([, name, hex]) => [name, hex]);
  const dark = Object.fromEntries(declared); // the dark ones come last
  const shown = (colour, theme) => {
    const [, name, light] = colour.match(/^var\((--[\w-]+),(.*)\)$/) ?? [null, null, colour];
    const said = (theme === "dark" && dark[name]) || light;
    return said.startsWith("#")
      ? said.match(/[0-9a-fA-F]{2}/g).map((digits) => parseInt(digits, 16))
      : said.match(/\d+/g).map(Number);
  };
  const luminance = (rgb) => {
    const parts = rgb.map((part) => part / 255).map((p) => (p > 0.04045 ? ((p + 0.055) / 1.055) ** 2.4 : p / 12.92));
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2] + 0.05;
  };
  for (const theme of ["light", "dark"])
    for (let k = -200; k <= 400; k++) {
      const [fill, ink] = k > 200 ? [weightFill, weightInk] : [signedFill, signedInk];
      const a = k > 200 ? (k - 200) / 200 : k / 200;
      const both = [fill(a), ink(a)].map((colour) => luminance(shown(colour, theme)));
      const contrast = Math.max(...both) / Math.min(...both);
      assert.ok(contrast >= 4.5, `${theme}, ${a}: ${contrast}`);
    }
});

test("a sentence's score is the package's, and is written as it is computed", () => {
  for (const [length, alpha, factor] of PYTHON.lengthFactors) close([lengthFactor(length, alpha)], [factor]);
  assert.equal(division(-1.35, 4, 1), "−1.35 ÷ 1.50 = −0.90");
  assert.equal(sentenceOf(["je", "suis", "là", ".", "<eos>"]), "je suis là .");
});

test("what is said is in the language of the page, and in English where it has no words", () => {
  const both = () => [say("Reset"), say("{k} of {n}", { k: 2, n: 3 }), say`step ${1} of ${"{0}"}`];
  assert.deepEqual(both(), ["Reset", "2 of 3", "step 1 of {0}"]);
  globalThis.attnbookWords = { Reset: "重置", "{k} of {n}": "共 {n} 步，第 {k} 步", "step {0} of {1}": "{1}：{0}" };
  assert.deepEqual(both(), ["重置", "共 3 步，第 2 步", "{0}：1"]);
  delete globalThis.attnbookWords;
});
