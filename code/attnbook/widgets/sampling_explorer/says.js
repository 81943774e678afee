/* What the sampling explorer says: which words are left, what became of the likeliest, what was drawn. */

import { fmt, fmtShort, sum } from "../kit/kit.js";
import { isEnd } from "../kit/words.js";

export function explain(view) {
  const { temperature, topK, topP, size, afterK, afterP, ended, history, greedy, names, before, after } = view;
  if (view.problem) return view.problem;
  if (view.loading) return "Loading the model …";
  if (ended) {
    const logProb = (steps) => fmt(sum(steps.map((step) => step.logProb)));
    const same = greedy.every((step, i) => history[i] && step.word === history[i].word);
    const whole = (steps) => `“${view.write([...view.prefix, ...steps.map((s) => s.word).filter((w) => !isEnd(w))])}”`;
    return (
      `${isEnd(history.at(-1).word) ? "Finished" : "Cut off"}: ${whole(history)} The words drawn have ` +
      `log-probability ${logProb(history)}. ` +
      (same ? "Greedy decoding writes the same." : `Greedy decoding writes ${whole(greedy)}, with ${logProb(greedy)}.`)
    );
  }
  const parts = [];
  const those = afterP > 3 ? "" : ` ${listOf(names.slice(0, afterP))},`;
  if (temperature !== 1)
    parts.push(`temperature ${fmt(temperature, 1)} makes the distribution ${temperature < 1 ? "sharper" : "flatter"}`);
  const tie = `, as the last ${view.tied} are tied${view.exact ? "" : " in the stored digits"}`;
  if (topK > 0) parts.push(`top-k keeps ${afterK} of ${size} words${afterK > topK ? tie : ""}`);
  if (topP < 1)
    parts.push(
      `top-p needs ${afterP} word${afterP === 1 ? "" : "s"}${those && `,${those}`} for ${fmt(topP)} of ` +
        `${topK > 0 ? "their" : "the"} probability`,
    );
  if (!parts.length) parts.push(`nothing is filtered: every one of the ${size} words can be drawn, even the odd ones`);
  const text = (history.length ? "after it, " : "") + parts.join("; then ");
  const [was, is] = [before[0].toFixed(3), after[0].toFixed(3)];
  const moves = was === is ? `stays at ${is}` : `goes from ${was} to ${is}`;
  const then =
    afterP === 1
      ? `Only one word is left${history.length ? " there" : ""}: ${GREEDY}.`
      : afterP < size
        ? `The other ${size - afterP} words are cut off, and “${names[0]}” ${moves}.`
        : temperature === 1
          ? `The ${size - TOPMOST} least likely hold ${fmt(sum(before.slice(TOPMOST)), 3)} together.`
          : `No word is cut off; “${names[0]}” ${moves}.`;
  return `${lastDrawn(history)}${text[0].toUpperCase()}${text.slice(1)}. ${then}`;
}

const TOPMOST = 10;
const listOf = (words) =>
  words.map((word, i) => `${i === 0 ? "" : i === words.length - 1 ? " and " : ", "}“${word}”`).join("");

const GREEDY = "drawing from it is greedy decoding";

// How often the likeliest word came up when words were drawn by hundreds; the product is that of the numbers shown.
export function ofDraws({ draws, drawn, names, after }) {
  if (!draws) return "";
  if (after[0] === 1) return ` All of ${draws} draws gave “${names[0]}”.`;
  const [count, share] = [drawn.filter((place) => place === 0).length, after[0].toFixed(3)];
  return (
    ` Of ${draws} draws, ${count} gave the likeliest word, “${names[0]}”; ` +
    `${draws} × ${share} = ${fmt(draws * share, 1)} were expected.`
  );
}

function lastDrawn(history) {
  if (!history.length) return "";
  const { word, place, logProb } = history.at(-1);
  const rank = place ? `number ${place + 1} on the model’s list` : "the model’s first choice";
  return `“${word}” was drawn: ${rank}, probability ${fmtShort(Math.exp(logProb))}. `;
}
