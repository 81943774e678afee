/* What can be drawn as the next token, in a sentence: which one was drawn last, which ones the filters leave, and what
 * became of the likeliest. The view is that of next_bars.js, with the history of what was drawn ({word, place,
 * logProb}) and `unit`, what a token is called. */

import { fmt, fmtShort, say, sum } from "./kit.js";
import { unitsOf } from "./next_bars.js";

export function saysOfNext(view) {
  const { temperature, topK, topP, size, afterK, afterP, history, names, before, after } = view;
  const [unit, units] = unitsOf(view.unit);
  const parts = [];
  if (temperature !== 1) {
    const t = fmt(temperature, 1);
    parts.push(
      temperature < 1
        ? say("temperature {t} makes the distribution sharper", { t })
        : say("temperature {t} makes the distribution flatter", { t }),
    );
  }
  if (topK > 0) {
    const values = { k: afterK, size, units, tied: view.tied };
    parts.push(
      afterK <= topK
        ? say("top-k keeps {k} of {size} {units}", values)
        : view.exact
          ? say("top-k keeps {k} of {size} {units}, as the last {tied} are tied", values)
          : say("top-k keeps {k} of {size} {units}, as the last {tied} are tied in the stored digits", values),
    );
  }
  if (topP < 1) {
    const count = { n: afterP, units: afterP === 1 ? unit : units, names: listOf(names.slice(0, afterP)) };
    const values = {
      words: afterP > 3 ? say("{n} {units}", count) : say("{n} {units}, {names},", count),
      p: fmt(topP),
    };
    parts.push(
      topK > 0
        ? say("top-p needs {words} for {p} of their probability", values)
        : temperature < 1
          ? say("top-p needs {words} for {p} of the sharpened probability", values)
          : temperature > 1
            ? say("top-p needs {words} for {p} of the flattened probability", values)
            : say("top-p needs {words} for {p} of the probability", values),
    );
  }
  if (!parts.length)
    parts.push(
      say("nothing is filtered: every one of the {size} {units} can be drawn, even the odd ones", { size, units }),
    );
  const filters = parts.join(say("; then "));
  const text = history.length ? say("after it, {filters}", { filters }) : filters;
  const [was, is] = [before[0].toFixed(3), after[0].toFixed(3)];
  const same = was === is;
  const rest = { n: size - afterP, unit, units, first: names[0], was, is };
  const then =
    afterP === 1
      ? history.length
        ? say("Only one {unit} is left there: drawing from it is greedy decoding.", { unit })
        : say("Only one {unit} is left: drawing from it is greedy decoding.", { unit })
      : afterP < size
        ? same
          ? say("The other {n} {units} are cut off, and “{first}” stays at {is}.", rest)
          : say("The other {n} {units} are cut off, and “{first}” goes from {was} to {is}.", rest)
        : temperature === 1
          ? say("The {n} least likely hold {p} together.", { n: size - TOPMOST, p: fmt(sum(before.slice(TOPMOST)), 3) })
          : same
            ? say("No {unit} is cut off; “{first}” stays at {is}.", rest)
            : say("No {unit} is cut off; “{first}” goes from {was} to {is}.", rest);
  return lastDrawn(history) + say("{text}. {then}", { text: text[0].toUpperCase() + text.slice(1), then });
}

const TOPMOST = 10;

function listOf(words) {
  const all = words.map((word) => `“${word}”`);
  return all.length < 2 ? all.join("") : say`${all.slice(0, -1).join(say(", "))} and ${all.at(-1)}`;
}

function lastDrawn(history) {
  if (!history.length) return "";
  const { word, place, logProb } = history.at(-1);
  const values = { word, rank: place + 1, p: fmtShort(Math.exp(logProb)) };
  return place
    ? say("“{word}” was drawn: number {rank} on the model’s list, probability {p}. ", values)
    : say("“{word}” was drawn: the model’s first choice, probability {p}. ", values);
}
