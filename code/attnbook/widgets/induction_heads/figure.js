/* Induction heads: a row that repeats, and how two layers of attention find out what comes next. */
// uses data.json, ../../weights/induction.safetensors, ../kit/weights.js, maths.js, drawing.js

function inWords({ ids, position: t, layers, after, target, next }) {
  const guess = foremost(next);
  const ending = `the guess is ${quoted(guess)}, with probability ${fmt(next[guess])}`;
  if (t === 0) return `<bos> can look at nothing but itself; ${ending}.`;
  if (!after.length)
    return (
      `${quoted(ids[t])} has not come before. Layer 2 looks most at position ${target}, ${quoted(ids[target])} ` +
      `(${fmt(layers[1][t][target])}); ${ending}.`
    );
  const last = after.at(-1);
  const found = sum(after.map((j) => layers[1][t][j]));
  const often = ["", "", "twice, last ", "three times, last "][after.length] ?? `${after.length} times, last `;
  const copies = `${often}at position ${last - 1}`;
  return (
    `${quoted(ids[t])} came before, ${copies}, followed by ${quoted(ids[last])}. At position ${last}, layer 1 puts ` +
    `${fmt(layers[0][last][last - 1])} of its weight on the position before. From position ${t}, layer 2 puts ` +
    `${fmt(found)} on ${after.length > 1 ? "the positions after such copies" : `position ${last}`}; ${ending}.`
  );
}

function render({ model, el }) {
  const fig = figure({
    model,
    el,
    title: "What came after it last time?",
    hint:
      "Choose a position by a click or the arrow keys; a letter from a to x changes its symbol. " +
      "Arcs and sentences average a layer’s two heads.",
  });
  fig.change = (position, symbol) => {
    if (position === 0) return;
    const others = model.get("edits").filter(([at]) => at !== position);
    fig.set({ edits: [...others, [position, symbol]] });
  };
  const positionNow = () => model.get("position");
  const stage = (options) => fig.stage({ ...options, draw: (p, view) => options.draw(p, view, fig) });
  stage({
    height: stripHeight,
    draw: drawStrip,
    label: ({ said }) => `The row, with arcs to where the layers look. ${said}`,
  });
  stage({
    basis: 220,
    height: 28 + 30 * NEXT + 24,
    draw: drawNext,
    label: ({ next }) => `The guess: ${DATA.vocabulary[foremost(next)]}, ${fmt(Math.max(...next))}`,
  });
  stage({
    basis: 380,
    grow: 2,
    height: (width) => (width < 420 ? 226 : 208),
    draw: drawCourse,
    label: ({ step }) => `Curves along training: previous token, prefix matching, accuracy; a line at step ${step}`,
  });
  stage({
    height: mapsHeight,
    draw: drawMaps,
    label: ({ position }) => `Heat maps of the four heads; row ${position} is framed`,
  });
  fig.slider("step", { label: "training steps", values: DATA.snapshots.map(({ step }) => step) });
  fig.slider("period", { label: "repeats after", min: 5, max: 12 });
  const symbols = DATA.vocabulary.slice(1);
  const select = html(
    "select",
    { id: newId(), "data-control": "symbol" },
    ...symbols.map((text) => html("option", { text })),
  );
  select.onchange = () => fig.change(positionNow(), select.selectedIndex + 1);
  const label = html("label", { for: select.id, text: "symbol here" });
  fig.button("New row", () => fig.set({ seed: (model.get("seed") + 1) % 10000, edits: [] }));
  fig.card.querySelector(".ab-controls .ab-button").before(html("div", { class: "ab-control" }, label, select));
  fig.output("chance", { label: "probability of the guess" });
  fig.output("previous", { label: "layer 1: on the one before", note: "this row, both heads" });
  fig.output("prefix", { label: "layer 2: prefix matching", note: "this row, both heads" });
  fig.reset(["seed", "position", "edits"]);
  fig.controlsFirst();
  return fig.start((state) => {
    const ids = rowOf(state("seed"), state("period"), state("edits"));
    const [position, step] = [state("position"), state("step")];
    const run = runModel(step, ids);
    const layers = run.weights.map(averaged);
    const view = { ids, position, step, run, layers, next: run.next[position] };
    view.after = followers(ids, position);
    view.target = foremost(layers[1][position]);
    view.previous = run.weights[0].map(previousWeight);
    view.prefix = run.weights[1].map((weights) => prefixMatching(weights, ids));
    view.said = inWords(view);
    select.selectedIndex = ids[position] - 1;
    select.disabled = position === 0;
    fig.show({
      chance: Math.max(...view.next),
      previous: mean(view.previous),
      prefix: view.prefix[0] === null ? null : mean(view.prefix),
    });
    fig.say(view.said);
    return view;
  });
}

export default { render, math: { rowOf, runModel, prefixMatching, previousWeight, followers } };
