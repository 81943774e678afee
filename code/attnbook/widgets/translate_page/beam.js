/* Beam search over a trained translator of the page: the search and the score of attnbook.translation.beam_search. */

import { COLOUR, fmt, say, sum } from "../kit/kit.js";
import { BOS, EOS, likeliest, MAX_WORDS, nextStep, taken } from "../kit/models.js";
import { quoted } from "../kit/text.js";
import { division, lengthFactor, sentenceRow } from "../kit/words.js";

export const WIDTHS = [
  [1, say("1 (greedy)")],
  [2, "2"],
  [4, "4"],
];
export const ALPHA = 0.6; // of the length penalty; attnbook.translation's, unless it is told otherwise

export const scoreOf = ({ steps, logProb }) => logProb / lengthFactor(steps.length, ALPHA);

// Returns at most `width` hypotheses {steps, logProb, ended}, the best first. A generator: it pauses after every pass
// through the model, so that whoever runs it can let the browser draw. What is finished keeps its place in the beam.
export function* searchBeam(translator, source, width, prefix = [], maxWords = MAX_WORDS) {
  const finished = [];
  let going = [{ steps: [], logProb: 0, state: translator.start(source) }];
  for (let t = 0; t < maxWords && going.length; t++) {
    const room = width - finished.length;
    const grown = [];
    for (const parent of going) {
      const step = nextStep(translator, t ? parent.steps.at(-1).id : BOS, parent.state);
      const ids = t < prefix.length ? [prefix[t]] : likeliest(step.logProbs, room).map(({ id }) => id);
      grown.push(...ids.map((id) => ({ parent, step, id, logProb: parent.logProb + step.logProbs[id] })));
      yield;
    }
    const kept = grown
      .sort((a, b) => b.logProb - a.logProb)
      .slice(0, room)
      .map(({ parent, step, id, logProb }) => ({
        steps: [...parent.steps, taken(step, translator, id, t < prefix.length)],
        logProb,
        ended: id === EOS,
        state: translator.copy(parent.state),
      }));
    finished.push(...kept.filter((hyp) => hyp.ended));
    going = kept.filter((hyp) => !hyp.ended);
  }
  const order = (hyps) => hyps.sort((a, b) => scoreOf(b) - scoreOf(a));
  return [...order(finished), ...order(going)]; // what the length cut off comes last
}

// Runs a generator for some milliseconds, lets the browser have its turn, and goes on while `wanted()`.
// done(value, time, late) is called at the end: not late if one turn is enough; time is what the generator took.
export function inSlices(generator, wanted, done, slice = 50, before = 0) {
  const began = performance.now();
  let turn = generator.next();
  while (!turn.done && performance.now() - began < slice) turn = generator.next();
  const time = before + performance.now() - began;
  if (turn.done) done(turn.value, time, before > 0);
  else
    setTimeout(() => {
      if (wanted()) inSlices(generator, wanted, done, slice, time);
    });
}

export const textOf = (steps, write) => write(steps.filter((step) => step.id !== EOS).map((step) => step.word));
const idsOf = (steps) => String(steps.map((step) => step.id));

// The list of what the beam found, the best first.
export function listFound(list, { found, write, langs }) {
  list.replaceChildren(
    ...found.map((hyp, i) =>
      sentenceRow(
        String(i + 1),
        textOf(hyp.steps, write) + (hyp.ended ? "" : say(" … (cut off)")),
        division(hyp.logProb, hyp.steps.length, ALPHA),
        hyp.ended ? COLOUR.weight : COLOUR.masked,
        langs[1],
      ),
    ),
  );
}

// Whether the search was worth its while.
export function beamInWords({ found: [best, ...others], greedy, write }) {
  const score = scoreOf({ steps: greedy, logProb: sum(greedy.map((step) => step.logProb)) });
  if (idsOf(best.steps) === idsOf(greedy))
    return say`The best of the ${others.length + 1} in the beam is what greedy decoding writes, too.`;
  return say("Greedy decoding writes {text} instead: its score is {score}, that of the beam’s best {best}.", {
    text: quoted(textOf(greedy, write)),
    score: fmt(score),
    best: fmt(scoreOf(best)),
  });
}
