/* What can be drawn as the next token, in a sentence: which one was drawn last, which ones the filters leave, and what
 * became of the likeliest. The view is that of next_bars.js, with the history of what was drawn ({word, place,
 * logProb}) and `unit`, what a token is called. */

import { fmt, fmtShort, sum } from "./kit.js";

export function saysOfNext(view) {
  const { temperature, topK, topP, size, afterK, afterP, history, names, before, after, unit = "word" } = view;
  const parts = [];
  const those = afterP > 3 ? "" : ` ${listOf(names.slice(0, afterP))},`;
  if (temperature !== 1)
    parts.push(`temperature ${fmt(temperature, 1)} makes the distribution ${temperature < 1 ? "sharper" : "flatter"}`);
  const tie = `, as the last ${view.tied} are tied${view.exact ? "" : " in the stored digits"}`;
  if (topK > 0) parts.push(`top-k keeps ${afterK} of ${size} ${unit}s${afterK > topK ? tie : ""}`);
  if (topP < 1)
    parts.push(
      `top-p needs ${afterP} ${unit}${afterP === 1 ? "" : "s"}${those && `,${those}`} for ${fmt(topP)} of ` +
        `${topK > 0 ? "their" : "the"} probability`,
    );
  if (!parts.length)
    parts.push(`nothing is filtered: every one of the ${size} ${unit}s can be drawn, even the odd ones`);
  const text = (history.length ? "after it, " : "") + parts.join("; then ");
  const [was, is] = [before[0].toFixed(3), after[0].toFixed(3)];
  const moves = was === is ? `stays at ${is}` : `goes from ${was} to ${is}`;
  const then =
    afterP === 1
      ? `Only one ${unit} is left${history.length ? " there" : ""}: ${GREEDY}.`
      : afterP < size
        ? `The other ${size - afterP} ${unit}s are cut off, and “${names[0]}” ${moves}.`
        : temperature === 1
          ? `The ${size - TOPMOST} least likely hold ${fmt(sum(before.slice(TOPMOST)), 3)} together.`
          : `No ${unit} is cut off; “${names[0]}” ${moves}.`;
  return `${lastDrawn(history)}${text[0].toUpperCase()}${text.slice(1)}. ${then}`;
}

const TOPMOST = 10;
const listOf = (words) =>
  words.map((word, i) => `${i === 0 ? "" : i === words.length - 1 ? " and " : ", "}“${word}”`).join("");

const GREEDY = "drawing from it is greedy decoding";

function lastDrawn(history) {
  if (!history.length) return "";
  const { word, place, logProb } = history.at(-1);
  const rank = place ? `number ${place + 1} on the model’s list` : "the model’s first choice";
  return `“${word}” was drawn: ${rank}, probability ${fmtShort(Math.exp(logProb))}. `;
}
