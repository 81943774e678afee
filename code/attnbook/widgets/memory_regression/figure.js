/* Memories as regressions: what softmax attention, linear attention and the delta rule answer to all keys. */
// uses maths.js, drawing.js

function inWords({ pairs, count, back, beta }) {
  if (!count) return "Nothing is written yet: both matrices are zero, and so are their answers.";
  const last = Math.abs(back.delta.read[count - 1] - pairs[count - 1][1]);
  const exact =
    last < 0.005
      ? `The delta rule answers pair ${count}, the last one written, exactly`
      : `The delta rule is off by ${fmt(last)} at pair ${count}, the last one written` +
        (beta === 1 ? "" : `, since its step is ${fmt(beta, 1)}`);
  const order = Object.entries({ "the delta rule": back.delta.error, "linear attention": back.linear.error }).sort(
    (a, b) => a[1] - b[1],
  );
  const rest =
    order[1][1] - order[0][1] < 0.005
      ? "over all pairs the two matrices are equally far off"
      : `over all pairs ${order[0][0]} is nearer (${fmt(order[0][1])} against ${fmt(order[1][1])})`;
  return `${exact}; ${rest}. Softmax attention, which keeps the pairs, is off by ${fmt(back.softmax.error)}.`;
}

function render({ model, el }) {
  const fig = figure({
    model,
    el,
    title: "A memory is a regression",
    hint: "Each numbered square is a pair: the angle of its key and its value. Drag one, or write them one by one.",
  });
  fig.stage({
    height: (width) => Math.round(clamp(0.5 * width, 270, 350)),
    draw: (p, view) => drawPlane(p, view, fig),
    label: ({ count }) => `Plane of key angles and values with ${count} pairs written, and a curve for each memory`,
  });
  fig.stage({
    height: () => 46 + 24 * model.get("pairs").length + 40,
    draw: drawColumns,
    label: ({ back }) =>
      "Values written and values read back, in three columns. Average distance: softmax " +
      `${fmt(back.softmax.error)}, linear ${fmt(back.linear.error)}, delta rule ${fmt(back.delta.error)}`,
  });
  fig.slider("written", { label: "pairs written", min: 0, max: model.get("pairs").length });
  fig.slider("beta", { label: "step size β (delta)", min: 0, max: 2, step: 0.1 });
  fig.slider("decay", { label: "decay a (both matrices)", min: 0.5, max: 1, step: 0.05 });
  fig.slider("sharpness", { label: "sharpness (softmax)", min: 0, max: 50, step: 1 });
  fig.checkbox("least_squares", { label: "show the best wave" });
  fig.output("softmax", { label: "softmax is off by" });
  fig.output("linear", { label: "linear is off by" });
  fig.output("delta", { label: "delta rule is off by" });
  fig.output("best", { label: "least squares is off by", note: "the best that a wave can do" });
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
      beta: options.beta,
      answers: answers(there, options),
      least_squares: state("least_squares"),
    };
    fig.show(Object.fromEntries(Object.entries(back).map(([name, { error }]) => [name, error])));
    fig.say(inWords(view));
    return view;
  });
}

export default { render, math: { keyAt, written, leastSquares, softmaxAnswer, readBack } };
