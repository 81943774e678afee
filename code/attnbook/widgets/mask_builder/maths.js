/* Masks by rule and by hand, weights under four policies, and masks as code. */

import { clamp, fmt, range, say, seededNormals, softmax } from "../kit/kit.js";

export const POLICIES = [
  ["zeros", say("zeros (this book)")],
  ["minus_inf", say("fill −∞")],
  ["minus_1e6", say("fill −10⁶")],
  ["multiply", say("multiply afterwards")],
];
export const POLICY_NOTES = [
  say("all masked: a row of zeros"),
  say("all masked: 0 / 0, so NaN"),
  say("all masked: uniform"),
  say("less than 1 once a key is masked"),
];
export const POLICY_SHORT = [say("zeros (book)"), say("fill −∞"), say("fill −10⁶"), say("multiply after")];
export const CONVENTIONS = [
  ["book", say("True = may attend (this book, F.scaled_dot_product_attention)")],
  ["blocked", say("True = blocked (nn.MultiheadAttention)")],
  ["binary", say("1 and 0 (Hugging Face)")],
  ["additive", say("0 and −∞, added to the scores")],
];
export const NOTES = {
  book: say("True = may attend. Such masks combine with &."),
  blocked: say(
    "True = blocked: the opposite. nn.MultiheadAttention reads attn_mask and key_padding_mask this way. " +
      "Handing this table to F.scaled_dot_product_attention lets every query see exactly what it must not.",
  ),
  binary: say(
    "1 = may attend. A Hugging Face attention_mask is usually (B, S), one row per sentence: it says " +
      "which tokens are padding, and a causal model adds its own triangle.",
  ),
  additive: say(
    "Added to the scores: 0 changes nothing, −inf removes the cell. Both PyTorch functions accept it, as floats.",
  ),
};
export const LIMIT = 9;

export function buildMask(n, validLen, causal, edits = []) {
  const mask = range(n).map((i) => range(n).map((j) => j < validLen && (!causal || j <= i)));
  edits.forEach(([i, j, allowed]) => {
    mask[i][j] = allowed;
  });
  return mask;
}

export function rowWeights(policy, scores, allowed) {
  const filled = (value) => scores.map((score, j) => (allowed[j] ? score : value));
  if (policy === "zeros") return softmax(scores, allowed);
  if (policy === "minus_inf") return softmax(filled(-Infinity)); // 0/0 where nothing is allowed: NaN
  if (policy === "minus_1e6") return softmax(filled(-1e6));
  if (policy === "multiply") return softmax(scores).map((weight, j) => (allowed[j] ? weight : 0));
  throw new Error(`no policy named ${policy}`);
}

export const weightsUnder = (policy, scores, mask) => scores.map((row, i) => rowWeights(policy, row, mask[i]));

// The edits after cell (i, j) has been switched; an edit that only repeats the rule is dropped.
export function toggleCell(n, validLen, causal, edits, i, j) {
  const now = buildMask(n, validLen, causal, edits)[i][j];
  const ruled = buildMask(n, validLen, causal)[i][j];
  const others = edits.filter(([a, b]) => a !== i || b !== j);
  return !now === ruled ? others : [...others, [i, j, !now]];
}

// The edits after a whole row has been blocked.
export function blockRow(n, validLen, causal, edits, i) {
  const ruled = buildMask(n, validLen, causal)[i];
  return [
    ...edits.filter(([a]) => a !== i),
    ...range(n)
      .filter((j) => ruled[j])
      .map((j) => [i, j, false]),
  ];
}

export function drawScores(seed, n) {
  const drawn = seededNormals(seed, n * n);
  return range(n).map((i) => range(n).map((j) => Number(clamp(1.5 * drawn[i * n + j], -LIMIT, LIMIT).toFixed(1))));
}

// Drawn with the table that is there as the seed: another one at every press, and the same after a link to it.
export function nextScores(scores) {
  const seed = scores.flat().reduce((mixed, score) => (mixed * 31 + Math.round(10 * score) + 90) % 1000003, 7);
  return drawScores(seed, scores.length);
}

export function maskCode(convention, mask, tokens, rule = "") {
  const [name, what] = {
    book: ["mask", "(T, S), True = may attend"],
    blocked: ["blocked", "(T, S), True = blocked"],
    binary: ["attention_mask", "(T, S), 1 = may attend"],
    additive: ["bias", "(T, S), added to the scores"],
  }[convention];
  const cellText = {
    book: (allowed) => (allowed ? "True" : "False"),
    blocked: (allowed) => (allowed ? "False" : "True"),
    binary: (allowed) => (allowed ? "1" : "0"),
    additive: (allowed) => (allowed ? "0.0" : "-inf"),
  }[convention];
  const wide = Math.max(...mask.flat().map((allowed) => cellText(allowed).length));
  const line = (row) =>
    `    [${row
      .map((a) => `${cellText(a)},`.padEnd(wide + 1))
      .join(" ")
      .trimEnd()
      .slice(0, -1)}],`;
  const longest = Math.max(...mask.map((row) => line(row).length));
  const rows = mask.map((row, i) => `${line(row).padEnd(longest)}  # ${tokens[i]}`);
  const lines = ["import torch", ""];
  if (convention === "additive") lines.splice(1, 1, "from torch import inf", "");
  lines.push(`${name} = torch.tensor([`, ...rows, `])  # ${what}`);
  if (convention === "book" && rule) lines.push(`# by rule: ${rule}`);
  if (convention === "binary" && mask.every((row) => row.every((a, j) => a === mask[0][j]))) {
    lines.push(`# as (B, S): torch.tensor([[${mask[0].map(cellText).join(", ")}]])`);
  }
  return lines.join("\n");
}

// The package's functions that make this mask, while nothing is set by hand.
export function maskRule(n, validLen, causal) {
  const length = `sequence_mask(torch.tensor(${validLen}), ${n})`;
  return causal ? `${length} & causal_mask(${n})` : `${length}.expand(${n}, ${n})`;
}

// "0" is exactly zero, "0.00" is merely small.
export const weightText = (a, digits = 2) => (Number.isNaN(a) ? "NaN" : a === 0 ? "0" : fmt(a, digits));
