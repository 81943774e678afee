/* What the sampling explorer says: which words are left, what became of the likeliest, what was drawn. */

import { fmt, say, sum } from "../kit/kit.js";
import { saysOfNext } from "../kit/next_says.js";
import { isEnd } from "../kit/words.js";

export function explain(view) {
  const { ended, history, greedy } = view;
  if (view.problem) return view.problem;
  if (view.loading) return say("Loading the model …");
  if (ended) {
    const logProb = (steps) => fmt(sum(steps.map((step) => step.logProb)));
    const same = greedy.every((step, i) => history[i] && step.word === history[i].word);
    const whole = (steps) => `“${view.write([...view.prefix, ...steps.map((s) => s.word).filter((w) => !isEnd(w))])}”`;
    const [text, drawn] = [whole(history), logProb(history)];
    const first = isEnd(history.at(-1).word)
      ? say`Finished: ${text} The words drawn have log-probability ${drawn}.`
      : say`Cut off: ${text} The words drawn have log-probability ${drawn}.`;
    const second = same
      ? say("Greedy decoding writes the same.")
      : say`Greedy decoding writes ${whole(greedy)}, with ${logProb(greedy)}.`;
    return `${first} ${second}`;
  }
  return saysOfNext(view);
}

// How often the likeliest word came up when words were drawn by hundreds; the product is that of the numbers shown.
export function ofDraws({ draws, drawn, names, after }) {
  if (!draws) return "";
  if (after[0] === 1) return say` All of ${draws} draws gave “${names[0]}”.`;
  const [count, share] = [drawn.filter((place) => place === 0).length, after[0].toFixed(3)];
  return say(
    " Of {draws} draws, {count} gave the likeliest word, “{word}”; {draws} × {share} = {expected} were expected.",
    { draws, count, word: names[0], share, expected: fmt(draws * share, 1) },
  );
}
