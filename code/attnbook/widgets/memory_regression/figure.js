/* Memories as regressions: what softmax attention, linear attention and the delta rule answer to all keys. */
// uses ../kit/words.js, maths.js, drawing.js

// The last two written pairs that have the same key, or nothing.
function sharing(pairs) {
  const same = (i, j) => Math.abs(pairs[i][0] - pairs[j][0]) < 0.01;
  return pairs.flatMap((_, j) => range(j).flatMap((i) => (same(i, j) ? [[i, j]] : []))).at(-1);
}

// How far a write goes, for any β but 1.
const pastBy = (beta) => (beta === 2 ? "as much as was missing" : `${fmt(beta - 1, 1)} times what was missing`);

function sayTwins([i, j], { pairs, count, answers, beta, decay, sharpness }) {
  const [x, first, second] = [pairs[j][0], pairs[i][1], pairs[j][1]];
  const average =
    sharpness === 0 && count > 2
      ? `the mean of all ${count} values`
      : `their mean is ${fmt((first + second) / 2)}`;
  const read =
    `Pairs ${i + 1} and ${j + 1} have one key and two values, ${fmt(first, 1)} and ${fmt(second, 1)}. Asked for it, ` +
    `softmax attention answers ${fmt(answers.softmax(x))} (${average}), the delta rule ${fmt(answers.delta(x))}, and ` +
    `linear attention ${fmt(answers.linear(x))}`;
  if (beta === 1 && decay === 1)
    return `${read}: it adds both${count > 2 ? ", and what the other pairs leave there" : ""}.`;
  const past = `past each value${decay === 1 ? `, by ${pastBy(beta)}` : ""}`;
  const way = beta < 1 ? `${fmt(beta, 1)} of the way${decay === 1 ? " to each value" : ""}` : past;
  const step =
    beta === 0 ? " With β = 0 the delta rule writes nothing." : ` With β = ${fmt(beta, 1)} the delta rule goes ${way}.`;
  const fading = decay === 1 ? "" : ` Each write first scales both matrices by ${fmt(decay)}.`;
  return `${read}.${beta === 1 ? "" : step}${fading}`;
}

// What the last write did to the delta rule's answer for its own key …
function sayWrite({ pairs, count, before, answers, beta, decay }) {
  const [x, value] = pairs[count - 1];
  const [was, now] = [before(x), answers.delta(x)];
  const aim = fmt(value);
  const faded = decay === 1 || count === 1 ? "" : `, faded to ${fmt(decay * was)},`;
  const end =
    beta === 1
      ? "exactly its value"
      : beta < 1
        ? `${fmt(beta, 1)} of the way to its value, ${aim}`
        : `past its value, ${aim}, by ${pastBy(beta)}`;
  return (
    `${beta === 1 ? "Writing" : `With β = ${fmt(beta, 1)}, writing`} pair ${count} moves the delta rule's answer for ` +
    `its key from ${fmt(was)}${faded} to ${fmt(now)}, ${end}. `
  );
}

// … and to that for an older one, the one that moved most.
function sayOlder({ pairs, count, before, answers, beta, decay }) {
  if (count < 2 || (beta !== 1 && decay !== 1)) return "";
  const moved = (j) => Math.abs(answers.delta(pairs[j][0]) - before(pairs[j][0]));
  const j = range(count - 1).reduce((most, i) => (moved(i) > moved(most) ? i : most));
  const [x] = pairs[j];
  const path = `from ${fmt(before(x))} to ${fmt(answers.delta(x))}. `;
  if (moved(j) < 0.05) return "No older answer moves by more than 0.05. ";
  const answer = `The answer for pair ${j + 1}'s key`;
  if (decay !== 1) return `${answer} fades and is dragged along, ${path}`;
  if (beta !== 1) return `That for pair ${j + 1}'s key follows, ${path}`;
  const apart = Number((Math.abs(x - pairs[count - 1][0]) * UNIT).toFixed(1));
  return (
    `${answer}, ${apart}° away, is dragged along cos ${apart}° = ` +
    `${fmt(Math.cos((apart * Math.PI) / 180))} times as far, ${path}`
  );
}

function sayLinear({ pairs, count, back, decay }) {
  if (decay !== 1 && count > 1)
    return `In linear attention pair 1 is down to ${fmt(decay ** (count - 1))} of its strength.`;
  const miss = (j) => Math.abs(back.linear.read[j] - pairs[j][1]);
  const j = range(count).reduce((most, i) => (miss(i) > miss(most) ? i : most));
  if (miss(j) < 0.005) return "Linear attention reads everything exactly.";
  const reads = `${fmt(back.linear.read[j])} instead of ${fmt(pairs[j][1])}`;
  return `Linear attention only adds: it reads pair ${j + 1} as ${reads}.`;
}

function inWords(view) {
  const { pairs, count, answers, beta, sharpness } = view;
  if (!count) return "Nothing is written yet: both matrices are zero, and so are their answers.";
  const twins = sharing(pairs.slice(0, count));
  if (twins) return sayTwins(twins, view);
  const delta =
    beta === 0
      ? "With β = 0 the delta rule writes nothing, and answers 0 to every key. "
      : sayWrite(view) + sayOlder(view);
  return sharpness === 0
    ? `${delta}With sharpness 0 softmax attention always answers the mean, ${fmt(answers.softmax(0))}.`
    : delta + sayLinear(view);
}

function render({ model, el }) {
  const fig = figure({
    model,
    el,
    title: "A memory is a regression",
    hint:
      "Drag the squares (a key's angle, its value) or press Play. Arrows: how the last write moves the delta rule.",
  });
  fig.stage({
    height: (width) => Math.round(clamp(0.5 * width, 280, 350)),
    draw: (p, view) => drawPlane(p, view, fig),
    label: ({ count }) => `Plane of key angles and values with ${count} pairs written, and a curve for each memory`,
  });
  const steps = stepper(fig, {
    name: "written",
    label: "pairs written",
    step: () => Math.min(fig.get("written"), fig.get("pairs").length),
    last: () => fig.get("pairs").length,
    go: (written) => fig.set({ written: clamp(written, 0, fig.get("pairs").length) }),
  });
  fig.button("Two values for one key", () => {
    const pairs = fig.get("pairs");
    const [angle, value] = pairs.at(-2);
    const later = value > 0 ? value - 1 : value + 1; // mean, later and sum are then far apart
    fig.set({ pairs: [...pairs.slice(0, -1), [angle, later]], written: pairs.length });
  });
  fig.more();
  fig.slider("beta", { label: "step size β (delta)", min: 0, max: 2, step: 0.1 });
  fig.slider("decay", { label: "decay a (both matrices)", min: 0.5, max: 1, step: 0.05 });
  fig.slider("sharpness", { label: "sharpness (softmax)", min: 0, max: 50, step: 1 });
  fig.checkbox("least_squares", { label: "show least squares" });
  const note = "root mean square";
  fig.output("softmax", { label: "softmax is off by", note });
  fig.output("linear", { label: "linear is off by", note });
  fig.output("delta", { label: "delta rule is off by", note });
  fig.output("best", { label: "least squares is off by", note: "best a·cos + b·sin" });
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
