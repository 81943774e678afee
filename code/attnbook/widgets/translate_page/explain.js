/* What “translate in the page” says about a translation, in sentences. */

import { fmt, range, say, sentences } from "../kit/kit.js";
import { EOS, UNK } from "../kit/models.js";
import { ENDS, quoted, tokenise } from "../kit/text.js";
import { beamInWords } from "./beam.js";
import { percent, shownWord } from "./drawing.js";

export function heatInWords({ source, steps, shown }) {
  if (!steps[0].weights) return say("This model has no attention weights");
  return say`Attention weights of ${shown} written words over ${source.tokens.length} source words`;
}

// Two words, one after the other, of which the second looks mainly at a place before that of the first: those whose
// looks are the clearest, as [the first word, its place, the second word's place].
export function crossing({ source, steps }) {
  const looks = steps.map(({ weights }) => weights.indexOf(Math.max(...weights)));
  const isWord = (j) => j < source.tokens.length - 1 && /\p{L}/u.test(source.tokens[j]);
  const clear = (i) => (isWord(looks[i]) ? steps[i].weights[looks[i]] : 0);
  const both = (i) => Math.min(clear(i), clear(i + 1));
  const words = range(steps.length - 1).filter((i) => steps[i + 1].id !== EOS && looks[i] > looks[i + 1]);
  const [best] = words.filter((i) => both(i) > 0.3).sort((i, j) => both(j) - both(i));
  return best === undefined ? null : [best, looks[best], looks[best + 1]];
}

// The word whose look is the firmest: “viande” looked most at “meat” (0.97). Of the words only, not of marks and <unk>.
function firmest({ source, steps }) {
  const look = ({ weights }) => Math.max(...weights);
  const [best] = steps
    .filter((step) => /\p{L}/u.test(step.word) && step.id !== EOS && step.id !== UNK)
    .sort((a, b) => look(b) - look(a));
  if (!best) return null;
  const word = source.tokens[best.weights.indexOf(look(best))];
  const [firm, weight] = [quoted(shownWord(best.word)), fmt(look(best))];
  return say`Of its words, ${firm} has the firmest look: ${weight} at ${quoted(word)}.`;
}

// While not all is written: the word that is looked at.
export function wordSoFar({ source, steps, shown, at }) {
  if (!shown) return say("No word is written yet: the model has only read the sentence.");
  const { word, weights, logProb } = steps[at];
  const [place, name, prob] = [at + 1, quoted(shownWord(word)), percent(Math.exp(logProb))];
  if (!weights) return say`Word ${place}, ${name}: probability ${prob}.`;
  const most = weights.indexOf(Math.max(...weights));
  const looked = quoted(source.tokens[most]);
  return say`Word ${place}, ${name}: looks most at ${looked}, ${fmt(weights[most])}; probability ${prob}.`;
}

const listed = (words) => words.map((word) => quoted(shownWord(word))).join(say(", "));

const series = (items) =>
  items.length > 1 ? say`${items.slice(0, -1).join(say(", "))} and ${items.at(-1)}` : items.join("");

// One clause for all words that one of the two vocabularies lacks; nothing if there are none.
function unknownWords({ source, steps }) {
  const strange = source.tokens.filter((_, j) => source.unknown[j]);
  const places = range(steps.length).filter((i) => steps[i].id === UNK);
  const where = series(places.map((i) => i + 1));
  if (strange.length) {
    const some = listed(strange.slice(0, 3));
    const names = strange.length > 3 ? say`${some} and ${strange.length - 3} more` : some;
    const also = places.length > 1 ? say`; its words ${where} are <unk>, too` : say`; its word ${where} is <unk>, too`;
    const end = places.length ? also : "";
    return strange.length > 1
      ? say`${names} are unknown to this model: it reads <unk> and can only guess from the rest${end}.`
      : say`${names} is unknown to this model: it reads <unk> and can only guess from the rest${end}.`;
  }
  if (!places.length) return "";
  if (places.length > 1) return say`Words ${where} are <unk>: it wants words that are not in its vocabulary.`;
  const { weights } = steps[places[0]];
  if (!weights) return say`Word ${where} is <unk>: it wants a word that is not in its vocabulary.`;
  const looked = quoted(source.tokens[weights.indexOf(Math.max(...weights))]);
  return say`Word ${where} is <unk>: it wants a word that is not in its vocabulary; it looked most at ${looked}.`;
}

// Whether one of people's translations is this one, but for capitals, spaces and the mark at the end.
export function asPeopleWrote(people, steps) {
  const plain = (words) => (ENDS.test(words.at(-1)) ? words.slice(0, -1) : words).join(" ");
  const here = plain(steps.filter((step) => step.id !== EOS).map((step) => step.word)).toLowerCase();
  return people.some((theirs) => plain(tokenise(theirs)) === here);
}

// If people wrote something else: whether the other model writes what they did (`agrees`: [its name, its sentence]).
function besidePeople({ steps, people, agrees }) {
  if (!people || asPeopleWrote(people, steps)) return "";
  if (agrees) {
    const [other, text] = agrees;
    return say("People wrote something else. The {other} writes {text}, as they did: choose it as the model.", {
      other,
      text: quoted(text),
    });
  }
  return steps.some((step) => step.id === UNK) ? "" : say("People wrote something else: compare the line above.");
}

// What the lines show, or why there are none.
function linesInWords({ source, steps, size, heads }) {
  if (!steps[0].weights)
    return say(
      "No attention: all that the decoder knows of the sentence has passed through one vector of {size} numbers.",
      { size },
    );
  const parts = [];
  const cross = crossing({ source, steps });
  const look = (i, j) => `${quoted(source.tokens[j])} (${fmt(steps[i].weights[j])})`;
  if (cross) {
    const [i, first, second] = cross;
    parts.push(
      say("{word} looked most at {source} and the next word, {next}, back at {before}: their lines cross.", {
        word: quoted(shownWord(steps[i].word)),
        source: look(i, first),
        next: quoted(shownWord(steps[i + 1].word)),
        before: look(i + 1, second),
      }),
    );
  } else if (firmest({ source, steps })) parts.push(firmest({ source, steps }));
  if (heads) parts.push(say`The lines are the weights of its last layer, averaged over ${heads} heads.`);
  return sentences(...parts);
}

const NO_MARK = say("Nearly all sentences of the corpus end in a mark: try it with a full stop.");

// What is odd about the translation comes first; if nothing is, what the lines show.
export function inWords(view, text) {
  const { steps, found, unmarked } = view;
  const yours = steps.filter((step) => step.given && step.id !== step.best);
  const odd = [unmarked ? NO_MARK : "", unknownWords(view), yours.length ? "" : besidePeople(view)].filter(Boolean);
  const parts = [quoted(text), ...odd, odd.length && steps[0].weights ? "" : linesInWords(view)];
  if (steps.at(-1).id !== EOS)
    parts.push(say`It did not end the sentence and was stopped after ${steps.length} words.`);
  if (found) parts.push(beamInWords(view));
  if (yours.length) {
    const words = listed(yours.map((step) => step.word));
    parts.push(
      yours.length > 1
        ? say`${words} are your choice; the model went on from there.`
        : say`${words} is your choice; the model went on from there.`,
    );
  }
  return sentences(...parts);
}
