/* Memories as regressions: what softmax attention, linear attention and the delta rule answer to all keys. */

import { figure } from "../kit/card.js";
import { clamp, fmt, range, say } from "../kit/kit.js";
import { stepper } from "../kit/words.js";
import { drawPlane } from "./drawing.js";
import { answers, keyAt, leastSquares, readBack, softmaxAnswer, UNIT, written } from "./maths.js";

// The last two written pairs that have the same key, or nothing.
function sharing(pairs) {
  const same = (i, j) => Math.abs(pairs[i][0] - pairs[j][0]) < 0.01;
  return pairs.flatMap((_, j) => range(j).flatMap((i) => (same(i, j) ? [[i, j]] : []))).at(-1);
}

// How far a write goes, for any β but 1.
const pastBy = (beta) => (beta === 2 ? say("as much as was missing") : say`${fmt(beta - 1, 1)} times what was missing`);

function sayTwins([i, j], { pairs, count, answers, beta, decay, sharpness }) {
  const [x, first, second] = [pairs[j][0], pairs[i][1], pairs[j][1]];
  const average =
    sharpness === 0 && count > 2
      ? say`the mean of all ${count} values`
      : say`their mean is ${fmt((first + second) / 2)}`;
  const read = say(
    "Pairs {i} and {j} have one key and two values, {first} and {second}. Asked for it, softmax attention answers " +
      "{softmax} ({average}), the delta rule {delta}, and linear attention {linear}",
    {
      i: i + 1,
      j: j + 1,
      first: fmt(first, 1),
      second: fmt(second, 1),
      softmax: fmt(answers.softmax(x)),
      average,
      delta: fmt(answers.delta(x)),
      linear: fmt(answers.linear(x)),
    },
  );
  if (beta === 1 && decay === 1)
    return count > 2
      ? say("{read}: it adds both, and what the other pairs leave there.", { read })
      : say("{read}: it adds both.", { read });
  const fading = decay === 1 ? "" : say` Each write first scales both matrices by ${fmt(decay)}.`;
  return say("{read}.", { read }) + sayStep(beta, decay) + fading;
}

// What any β but 1 does.
function sayStep(beta, decay) {
  if (beta === 1) return "";
  if (beta === 0) return say(" With β = 0 the delta rule writes nothing.");
  const values = { beta: fmt(beta, 1), by: pastBy(beta) };
  if (decay === 1)
    return beta < 1
      ? say(" With β = {beta} the delta rule goes {beta} of the way to each value.", values)
      : say(" With β = {beta} the delta rule goes past each value, by {by}.", values);
  return beta < 1
    ? say(" With β = {beta} the delta rule goes {beta} of the way.", values)
    : say(" With β = {beta} the delta rule goes past each value.", values);
}

// What the last write did to the delta rule's answer for its own key …
function sayWrite({ pairs, count, before, answers, beta, decay }) {
  const [x, value] = pairs[count - 1];
  const [was, now] = [before(x), answers.delta(x)];
  const values = { count, beta: fmt(beta, 1), aim: fmt(value), by: pastBy(beta), now: fmt(now) };
  values.end =
    beta === 1
      ? say("exactly its value")
      : beta < 1
        ? say("{beta} of the way to its value, {aim}", values)
        : say("past its value, {aim}, by {by}", values);
  values.was =
    decay === 1 || count === 1 ? fmt(was) : say("{was}, faded to {faded},", { was: fmt(was), faded: fmt(decay * was) });
  return beta === 1
    ? say("Writing pair {count} moves the delta rule's answer for its key from {was} to {now}, {end}. ", values)
    : say(
        "With β = {beta}, writing pair {count} moves the delta rule's answer for its key from {was} to {now}, {end}. ",
        values,
      );
}

// … and to that for an older one, the one that moved most.
function sayOlder({ pairs, count, before, answers, beta, decay }) {
  if (count < 2 || (beta !== 1 && decay !== 1)) return "";
  const moved = (j) => Math.abs(answers.delta(pairs[j][0]) - before(pairs[j][0]));
  const j = range(count - 1).reduce((most, i) => (moved(i) > moved(most) ? i : most));
  const [x] = pairs[j];
  if (moved(j) < 0.05) return say("No older answer moves by more than 0.05. ");
  const apart = Number((Math.abs(x - pairs[count - 1][0]) * UNIT).toFixed(1));
  const ratio = fmt(Math.cos((apart * Math.PI) / 180));
  const values = { j: j + 1, was: fmt(before(x)), is: fmt(answers.delta(x)), apart, ratio };
  if (decay !== 1) return say("The answer for pair {j}'s key fades and is dragged along, from {was} to {is}. ", values);
  if (beta !== 1) return say("That for pair {j}'s key follows, from {was} to {is}. ", values);
  return say(
    "The answer for pair {j}'s key, {apart}° away, is dragged along cos {apart}° = {ratio} times as far, from {was} " +
      "to {is}. ",
    values,
  );
}

function sayLinear({ pairs, count, back, decay }) {
  if (decay !== 1 && count > 1)
    return say`In linear attention pair 1 is down to ${fmt(decay ** (count - 1))} of its strength.`;
  const miss = (j) => Math.abs(back.linear.read[j] - pairs[j][1]);
  const j = range(count).reduce((most, i) => (miss(i) > miss(most) ? i : most));
  if (miss(j) < 0.005) return say("Linear attention reads everything exactly.");
  const values = { j: j + 1, read: fmt(back.linear.read[j]), value: fmt(pairs[j][1]) };
  return say("Linear attention only adds: it reads pair {j} as {read} instead of {value}.", values);
}

function inWords(view) {
  const { pairs, count, answers, beta, sharpness } = view;
  if (!count) return say("Nothing is written yet: both matrices are zero, and so are their answers.");
  const twins = sharing(pairs.slice(0, count));
  if (twins) return sayTwins(twins, view);
  const delta =
    beta === 0
      ? say("With β = 0 the delta rule writes nothing, and answers 0 to every key. ")
      : sayWrite(view) + sayOlder(view);
  return sharpness === 0
    ? delta + say`With sharpness 0 softmax attention always answers the mean, ${fmt(answers.softmax(0))}.`
    : delta + sayLinear(view);
}

function render({ model, el }) {
  const fig = figure({
    model,
    el,
    title: say("A memory is a regression"),
    hint: say(
      "Drag the squares (a key's angle, its value) or press Play. Arrows: how the last write moves the delta rule.",
    ),
  });
  fig.stage({
    height: (width) => Math.round(clamp(0.5 * width, 280, 350)),
    draw: (p, view) => drawPlane(p, view, fig),
    label: ({ count }) =>
      say("Plane of key angles and values with {count} pairs written, and a curve for each memory", { count }),
  });
  const steps = stepper(fig, {
    name: "written",
    label: say("pairs written"),
    step: () => Math.min(fig.get("written"), fig.get("pairs").length),
    last: () => fig.get("pairs").length,
    go: (written) => fig.set({ written: clamp(written, 0, fig.get("pairs").length) }),
  });
  fig.button(say("Two values for one key"), () => {
    const pairs = fig.get("pairs");
    const [angle, value] = pairs.at(-2);
    const later = value > 0 ? value - 1 : value + 1; // mean, later and sum are then far apart
    fig.set({ pairs: [...pairs.slice(0, -1), [angle, later]], written: pairs.length });
  });
  fig.more();
  fig.slider("beta", { label: say("step size β (delta)"), min: 0, max: 2, step: 0.1 });
  fig.slider("decay", { label: say("decay a (both matrices)"), min: 0.5, max: 1, step: 0.05 });
  fig.slider("sharpness", { label: say("sharpness (softmax)"), min: 0, max: 50, step: 1 });
  fig.checkbox("least_squares", { label: say("show least squares") });
  const note = say("root mean square");
  fig.output("softmax", { label: say("softmax is off by"), note });
  fig.output("linear", { label: say("linear is off by"), note });
  fig.output("delta", { label: say("delta rule is off by"), note });
  fig.output("best", { label: say("least squares is off by"), note: say("best a·cos + b·sin") });
  fig.reset(["pairs"]);
  fig.controlsFirst();
  fig.card.querySelector(".ab-outputs").style.gridTemplateColumns = "repeat(auto-fit,minmax(136px,1fr))"; // two by two
  return fig.start((state) => {
    const pairs = state("pairs");
    const count = Math.min(state("written"), pairs.length);
    const options = { sharpness: state("sharpness"), beta: state("beta"), decay: state("decay") };
    const there = pairs.slice(0, count);
    const back = readBack(there, options);
    const view = {
      pairs,
      count,
      written: count,
      back,
      ...options,
      answers: answers(there, options),
      before: answers(there.slice(0, -1), options).delta, // the delta rule's answers before the last write
      least_squares: state("least_squares"),
    };
    fig.show(Object.fromEntries(Object.entries(back).map(([name, { error }]) => [name, error])));
    steps();
    fig.say(inWords(view));
    return view;
  });
}

export default { render, math: { keyAt, written, leastSquares, softmaxAnswer, readBack } };
