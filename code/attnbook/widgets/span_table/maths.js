/* The stored spans, and what a threshold makes of them. */

import DATA from "./data.json" with { type: "json" };

export const [TYPES, SENTENCES] = [DATA.types, DATA.sentences];
export const REACH = 20; // of the threshold
export const MARKS = { hit: "✓", missed: "○", wrong: "!" };

export const exampleOf = (text) => SENTENCES.find((row) => row.words.join(" ") === text);
export const scoreAt = (layer, i, j) => (j < i ? null : layer[i][j - i]);

// Every span of every type, [{type, i, j, score, right, kind}], and what a threshold makes of it: right or predicted
// ones are a "hit", "missed" or "wrong", the others of no kind.
export function judgeSpans(example, rotary, threshold) {
  return example[rotary ? "rotary" : "plain"].flatMap((layer, type) =>
    layer.flatMap((row, i) =>
      row.map((score, step) => {
        const j = i + step;
        const right = example.gold.some(([t, a, b]) => t === type && a === i && b === j);
        const kind = score > threshold ? (right ? "hit" : "wrong") : right ? "missed" : null;
        return { type, i, j, score, right, kind };
      }),
    ),
  );
}

export const countOf = (spans, kind) => spans.filter((span) => span.kind === kind).length;

export function f1Of(spans) {
  const hits = countOf(spans, "hit");
  const size = 2 * hits + countOf(spans, "missed") + countOf(spans, "wrong");
  return size ? (2 * hits) / size : 1;
}

export const shade = (score, threshold) => 1 / (1 + Math.exp(-(score - threshold) / 8));

export const textOf = (words, { i, j }) => words.slice(i, j + 1).join(" ");

// The lowest right span, the highest of the others, and how many of those are no lower than the lowest right one.
export function gapOf(spans) {
  const byScore = (right) => spans.filter((span) => span.right === right).sort((a, b) => a.score - b.score);
  const [right, others] = [byScore(true), byScore(false)];
  return { low: right[0], high: others.at(-1), over: others.filter(({ score }) => score >= right[0].score).length };
}

// Whether a reader sees at this threshold what the sentence would say about all thresholds: where they can be right,
// that one of them is not; where none is right, what comes up with the last of the right spans.
export function tellsAll(spans) {
  const [missed, wrong] = [countOf(spans, "missed"), countOf(spans, "wrong")];
  return gapOf(spans).over ? missed === 0 : missed + wrong > 0;
}
