// What the viewer's picture without a browser has computed, too: viewer.json, which test_attention_viewer.py also reads.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { cut, labelled, threeDigits } from "../../code/attnbook/widgets/attention_viewer/drawing.js";
import viewer from "../../code/attnbook/widgets/attention_viewer/figure.js";
import { smaller } from "../../code/attnbook/widgets/attention_viewer/stored.js";

const TABLE = JSON.parse(readFileSync(new URL("viewer.json", import.meta.url), "utf8"));
const small = (rows, most) => {
  const cells = smaller(Float32Array.from(rows.flat()), rows.length, rows[0].length, most);
  const wide = Math.min(rows[0].length, most);
  return Array.from({ length: cells.length / wide }, (_, i) => [...cells.subarray(i * wide, (i + 1) * wide)]);
};
const FUNCTIONS = { cut, page: viewer.math.pageOf, labelled, threeDigits, smaller: small };

for (const [name, compute] of Object.entries(FUNCTIONS))
  test(`the viewer's ${name} is the picture's`, () => {
    assert.ok(TABLE[name].length >= 4);
    for (const [given, answer] of TABLE[name]) assert.deepEqual(compute(...given), answer);
  });
