/* Memories as regressions: what softmax attention, linear attention and the delta rule answer to all keys. */
// uses ../kit/words.js, maths.js, drawing.js

// The last two written pairs that have the same key, or nothing.
function sharing(pairs) {
  const same = (i, j) => Math.abs(pairs[i][0] - pairs[j][0]) < 0.01;
  return pairs.flatMap((_, j) => range(j).flatMap((i) => (same(i, j) ? [[i, j]] : []))).at(-1);
}

function sayTwins([i, j], { pairs, answers }) {
  const [x, first, second] = [pairs[j][0], pairs[i][1], pairs[j][1]];
  return (
    `Pairs ${i + 1} and ${j + 1} have one key and two values, ${fmt(first, 1)} and ${fmt(second, 1)}. Asked for this ` +
    `key, softmax attention answers ${fmt(answers.softmax(x))} (the mean of the two is ` +
    `${fmt((first + second) / 2)}), the delta rule ${fmt(answers.delta(x))}, and linear attention ` +
    `${fmt(answers.linear(x))}: it adds both, and what the other pairs leave there.`
  );
}

function inWords(view) {
  const { pairs, count, back, beta, decay } = view;
  if (!count) return "Nothing is written yet: both matrices are zero, and so are their answers.";
  const there = pairs.slice(0, count);
  const twins = sharing(there);
  if (twins) return sayTwins(twins, view);
  const miss = (name, j) => Math.abs(back[name].read[j] - there[j][1]);
  const worst = (name) => range(count).reduce((most, j) => (miss(name, j) > miss(name, most) ? j : most), 0);
  const reads = (name, j) => `pair ${j + 1} as ${fmt(back[name].read[j])} instead of ${fmt(there[j][1])}`;
  const [w, v, last] = [worst("linear"), worst("delta"), count - 1];
  const linear =
    miss("linear", w) < 0.005
      ? "Linear attention reads everything exactly."
      : `Linear attention only adds: it reads ${reads("linear", w)}` +
        (decay === 1 ? ", because the other pairs are in there too." : ", since the others are added and all decays.");
  const delta =
    miss("delta", last) < 0.005
      ? `The delta rule reads pair ${count}, the last one, exactly` +
        (miss("delta", v) < 0.005 ? "." : `; to fit it, the wave has left what was there (${reads("delta", v)}).`)
      : `The delta rule reads ${reads("delta", last)}, although it is the last` +
        (beta === 1 ? "." : `: its step is ${fmt(beta, 1)}, not 1.`);
  return `${linear} ${delta} Softmax attention keeps the pairs, and is off by ${fmt(back.softmax.error)}.`;
}

function render({ model, el }) {
  const fig = figure({
    model,
    el,
    title: "A memory is a regression",
    hint: "Each square is a pair: the angle of its key, and its value. Play writes them one by one; drag them, too.",
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
  fig.slider("beta", { label: "step size β (delta)", min: 0, max: 2, step: 0.1 });
  fig.slider("decay", { label: "decay a (both matrices)", min: 0.5, max: 1, step: 0.05 });
  fig.slider("sharpness", { label: "sharpness (softmax)", min: 0, max: 50, step: 1 });
  fig.checkbox("least_squares", { label: "show the best wave" });
  const note = "root mean square";
  fig.output("softmax", { label: "softmax is off by", note });
  fig.output("linear", { label: "linear is off by", note });
  fig.output("delta", { label: "delta rule is off by", note });
  fig.output("best", { label: "the best wave is off by", note });
  fig.reset(["pairs"]);
  fig.controlsFirst();
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
      least_squares: state("least_squares"),
    };
    fig.show(Object.fromEntries(Object.entries(back).map(([name, { error }]) => [name, error])));
    steps();
    fig.say(inWords(view));
    return view;
  });
}

export default { render, math: { keyAt, written, leastSquares, softmaxAnswer, readBack } };
