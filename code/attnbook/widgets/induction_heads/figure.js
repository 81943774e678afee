/* Induction heads: a row that repeats, and how two layers of attention find out what comes next. */

import DATA from "./data.json" with { type: "json" };
import { figure } from "../kit/card.js";
import { fmt, html, mean, newId, say, sum } from "../kit/kit.js";
import { drawCourse, drawMaps, drawNext, drawStrip, mapsHeight, NEXT, quoted, stripHeight } from "./drawing.js";
import { averaged, followers, foremost, prefixMatching, previousWeight, rowOf, runModel } from "./maths.js";

function inWords({ ids, position: t, layers, after, target, next }) {
  const guess = foremost(next);
  const ending = say`the guess is ${quoted(guess)}, with probability ${fmt(next[guess])}`;
  const symbol = quoted(ids[t]);
  if (t === 0) return say`<bos> can look at nothing but itself; ${ending}.`;
  if (!after.length)
    return say("{symbol} has not come before. Layer 2 looks most at position {target}, {there} ({weight}); {ending}.", {
      symbol,
      target,
      there: quoted(ids[target]),
      weight: fmt(layers[1][t][target]),
      ending,
    });
  const last = after.at(-1);
  const copies = { symbol, n: after.length, at: last - 1, then: quoted(ids[last]) };
  const came =
    [
      say("{symbol} came before, at position {at}, followed by {then}. ", copies),
      say("{symbol} came before, twice, last at position {at}, followed by {then}. ", copies),
      say("{symbol} came before, three times, last at position {at}, followed by {then}. ", copies),
    ][after.length - 1] ?? say("{symbol} came before, {n} times, last at position {at}, followed by {then}. ", copies);
  const looks = {
    last,
    t,
    one: fmt(layers[0][last][last - 1]),
    two: fmt(sum(after.map((j) => layers[1][t][j]))),
    ending,
  };
  return (
    came +
    (after.length > 1
      ? say(
          "At position {last}, layer 1 puts {one} of its weight on the position before. From position {t}, layer 2 " +
            "puts {two} on the positions after such copies; {ending}.",
          looks,
        )
      : say(
          "At position {last}, layer 1 puts {one} of its weight on the position before. From position {t}, layer 2 " +
            "puts {two} on position {last}; {ending}.",
          looks,
        ))
  );
}

function render({ model, el }) {
  const fig = figure({
    model,
    el,
    title: say("What came after it last time?"),
    hint: say(
      "Choose a position by a click or the arrow keys; a letter from a to x changes its symbol. " +
        "Arcs and sentences average a layer’s two heads.",
    ),
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
    label: ({ said }) => say`The row, with arcs to where the layers look. ${said}`,
  });
  stage({
    basis: 220,
    height: 28 + 30 * NEXT + 24,
    draw: drawNext,
    label: ({ next }) => say`The guess: ${DATA.vocabulary[foremost(next)]}, ${fmt(Math.max(...next))}`,
  });
  stage({
    basis: 380,
    grow: 2,
    height: (width) => (width < 420 ? 226 : 208),
    draw: drawCourse,
    label: ({ step }) =>
      say("Curves along training: previous token, prefix matching, accuracy; a line at step {step}", { step }),
  });
  stage({
    height: mapsHeight,
    draw: drawMaps,
    label: ({ position }) => say`Heat maps of the four heads; row ${position} is framed`,
  });
  fig.slider("step", { label: say("training steps"), values: DATA.snapshots.map(({ step }) => step) });
  fig.slider("period", { label: say("repeats after"), min: 5, max: 12 });
  const symbols = DATA.vocabulary.slice(1);
  const select = html(
    "select",
    { id: newId(), "data-control": "symbol" },
    ...symbols.map((text) => html("option", { text })),
  );
  select.onchange = () => fig.change(positionNow(), select.selectedIndex + 1);
  const label = html("label", { for: select.id, text: say("symbol here") });
  fig.button(say("New row"), () => fig.set({ seed: (model.get("seed") + 1) % 10000, edits: [] }));
  fig.card.querySelector(".ab-controls .ab-button").before(html("div", { class: "ab-control" }, label, select));
  fig.output("chance", { label: say("probability of the guess") });
  fig.output("previous", { label: say("layer 1: on the one before"), note: say("this row, both heads") });
  fig.output("prefix", { label: say("layer 2: prefix matching"), note: say("this row, both heads") });
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
