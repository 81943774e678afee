/* What “translate in the page” says about a translation, in sentences. */

function heatInWords({ source, steps, shown }) {
  if (!steps[0].weights) return "This model has no attention weights";
  return `Attention weights of ${shown} written words over ${source.tokens.length} source words`;
}

// Two words, one after the other, of which the second looks mainly at a place before that of the first: those whose
// looks are the clearest, as [the first word, its place, the second word's place].
function crossing({ source, steps }) {
  const looks = steps.map(({ weights }) => weights.indexOf(Math.max(...weights)));
  const clear = (i) => (/\p{L}/u.test(source.tokens[looks[i]]) ? steps[i].weights[looks[i]] : 0);
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
  return `Of its words, “${shownWord(best.word)}” has the firmest look: ${fmt(look(best))} at “${word}”.`;
}

// While not all is written: the word that is looked at.
function wordSoFar({ source, steps, shown, at }) {
  if (!shown) return "No word is written yet: the model has only read the sentence.";
  const { word, weights, logProb } = steps[at];
  const most = weights ? weights.indexOf(Math.max(...weights)) : -1;
  const looks = weights ? `looks most at “${source.tokens[most]}”, ${fmt(weights[most])}; ` : "";
  return `Word ${at + 1}, “${shownWord(word)}”: ${looks}probability ${percent(Math.exp(logProb))}.`;
}

function inWords({ source, steps, size, heads, found, greedy }, text) {
  const parts = [`“${text}”`];
  const strange = source.tokens.filter((_, j) => source.unknown[j]);
  if (strange.length)
    parts.push(
      `${strange.map((word) => `“${word}”`).join(", ")} ${strange.length > 1 ? "are" : "is"} unknown to this ` +
        "model: it reads <unk>, the same for every such word, and can only guess from the rest.",
    );
  steps.forEach((step, i) => {
    if (step.id !== UNK) return;
    const most = step.weights ? source.tokens[likeliest(step.weights.map(Math.log), 1)[0].id] : null;
    parts.push(
      `Word ${i + 1} is <unk>: it wants a word that is not in its ` +
        `vocabulary${most ? `; it looked most at “${most}”` : ""}.`,
    );
  });
  if (!steps[0].weights)
    parts.push(
      `No attention: all that the decoder knows of the sentence has passed through one vector of ${size} numbers.`,
    );
  else {
    const cross = crossing({ source, steps });
    const look = (i, j) => `“${source.tokens[j]}” (${fmt(steps[i].weights[j])})`;
    if (cross) {
      const [i, first, second] = cross;
      parts.push(
        `“${shownWord(steps[i].word)}” looked most at ${look(i, first)} and the next word, ` +
          `“${shownWord(steps[i + 1].word)}”, back at ${look(i + 1, second)}: their lines cross.`,
      );
    } else if (firmest({ source, steps })) parts.push(firmest({ source, steps }));
  }
  if (heads && steps[0].weights)
    parts.push(`The lines are the weights of its last layer, averaged over ${heads} heads.`);
  if (steps.at(-1).id !== EOS) parts.push(`It did not end the sentence and was stopped after ${steps.length} words.`);
  if (found) parts.push(beamInWords(found, greedy));
  const yours = steps.filter((step) => step.given && step.id !== step.best).map((step) => `“${shownWord(step.word)}”`);
  if (yours.length)
    parts.push(`${yours.join(", ")} ${yours.length > 1 ? "are" : "is"} your choice; the model went on from there.`);
  return parts.join(" ");
}
