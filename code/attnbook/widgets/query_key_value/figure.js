/* A soft look-up in the plane: one query, a few keys, their values, and the average that comes out. */

import { figure } from "../kit/card.js";
import { calm, clamp, COLOUR, fmt, fmtShort, range, sameShape, say, sum } from "../kit/kit.js";
import {
  answerOf, bestOf, drawQueryPlane, drawRows, drawValuePlane, numbersTable, percent, place, questionOf, WORDS,
} from "./drawing.js";
import {
  convexHull, keysTakingPart, lookUp, outputOf, SCORES, scoresOf, SHARPNESS, tiedKeys, weightsOf, winningRegions,
} from "./maths.js";

function inWords({ query, weights, output, winner, sharpness, named }) {
  const order = range(weights.length).sort((a, b) => weights[b] - weights[a]);
  const [best, next] = order;
  const key = (j) => (named ? `“${WORDS[j]}”` : say`key ${j + 1}`);
  const value = (j) => (named ? say`the value of ${key(j)}` : say`value ${j + 1}`);
  const ask = named ? say`You ask for ${questionOf(query)}. ` : "";
  const end = named ? say`: ${answerOf(output)}.` : say(".");
  if (sharpness === 0)
    return say(
      "Sharpness 0: the scores play no part. Every value gets the same weight, and the output is their mean.",
    );
  if (weights[best] > 0.99) {
    const values = { ask, end, key: key(winner), p: fmt(100 * weights[best], 1), value: value(winner) };
    return weights[best] > 0.9995
      ? say(
          "{ask}Nearly a hard look-up: {key} takes more than 99.9 % of the weight, and the output is almost exactly " +
            "{value}{end}",
          values,
        )
      : say(
          "{ask}Nearly a hard look-up: {key} takes {p} % of the weight, and the output is almost exactly {value}{end}",
          values,
        );
  }
  if (weights[best] < 1.3 / weights.length && Math.min(...weights) > 0.7 / weights.length)
    return say`${ask}No key stands out: all values get similar weights, and the output is near their mean.`;
  const tie = weights[best] - weights[next] < 0.005;
  const lead = tie
    ? say`${key(Math.min(best, next))} and ${key(Math.max(best, next))} tie`
    : named
      ? say`${key(best)} fits best`
      : say`${key(best)} answers best`;
  const shown = [best, next].map((j) => Math.round(100 * weights[j]));
  const left = Math.max(0, 100 - sum(shown));
  const last = weights.length === 3 ? Math.round(100 * (1 - weights[best] - weights[next])) : left;
  const exact = sum(shown) + (weights.length < 3 ? 0 : last) === 100;
  const share = (j) => say`${percent(weights[j])} ${named ? key(j) : value(j)}`;
  const values = {
    ask,
    end,
    lead: lead[0].toUpperCase() + lead.slice(1),
    one: exact ? share(best) : say`about ${share(best)}`,
    two: share(next),
    rest: last < 1 ? say("less than 1 %") : `${last} %`,
  };
  if (weights.length < 3) return say("{ask}{lead}: the output is {one} and {two}{end}", values);
  return weights.length > 3
    ? say("{ask}{lead}: the output is {one}, {two}, and {rest} all the others{end}", values)
    : say("{ask}{lead}: the output is {one}, {two}, and {rest} the third{end}", values);
}

// A few rings that leave the query until it is touched: the one thing to try first.
function beckon(stage, model) {
  const query = stage.svg.querySelector('[data-handle="query"] .ab-ring');
  if (!query || !query.animate || calm()) return () => {};
  const rings = query.animate(
    [
      { stroke: COLOUR.query, strokeOpacity: 0.9, r: "12px" },
      { stroke: COLOUR.query, strokeOpacity: 0, r: "32px" },
    ],
    { duration: 1600, iterations: 6, easing: "ease-out" },
  );
  const stop = () => {
    rings.cancel();
    model.off("change", stop);
  };
  model.on("change", stop);
  return stop;
}

function render({ model, el }) {
  const fig = figure({
    model,
    el,
    title: say("A soft look-up"),
    hint: model.get("named")
      ? say(
          "Ask for something: drag the blue query. A word whose orange key fits gets more weight, and the pink " +
            "output moves towards its green value.",
        )
      : say("Drag the blue query towards a key: its weight grows, and the pink output moves to that key’s value."),
  });
  const height = (width) => Math.round(clamp(0.8 * width, 260, 350));
  const planes = fig.stage({
    height,
    basis: 285,
    draw: (p, view) => drawQueryPlane(p, view, fig),
    label: (view) => {
      const values = { question: questionOf(view.query), at: place(view.query), best: bestOf(view) };
      return view.named
        ? say("Plane with the query “{question}?” at {at} and the keys; {best}", values)
        : say("Plane with the query at {at} and the keys; {best}", values);
    },
  });
  fig.stage({
    height,
    basis: 285,
    draw: (p, view) => drawValuePlane(p, view, fig),
    label: ({ output }) => say`Plane with the values, their hull, and the output at ${place(output)} inside it`,
  });
  fig.stage({
    height: () => 28 + 26 * model.get("key").length + 22,
    draw: drawRows,
    label: ({ weights }) =>
      say`Scores and weights of the ${weights.length} pairs, as bars; the table after the figure has the numbers`,
  });
  fig.select("score", { label: say("score"), options: SCORES });
  fig.slider("sharpness", { label: say("sharpness"), values: SHARPNESS, format: fmtShort });
  fig.output("output", { label: say("output o"), note: "Σⱼ αⱼ vⱼ" });
  fig.output("hard", { label: say("hard look-up"), note: say("the best key’s value") });
  fig.output("largest", { label: say("largest weight"), note: say("1 in a hard look-up") });
  fig.output("taking-part", { label: say("effective number of keys"), note: "1 / Σⱼ αⱼ²" });
  // room for (x, y)
  fig.card.querySelector(".ab-outputs").style.gridTemplateColumns = "repeat(auto-fit, minmax(146px, 1fr))";
  fig.reset(["query", "key", "value"]);
  fig.controlsFirst();
  const { table, write } = numbersTable(model.get("key").length, model.get("named"));
  fig.card.append(table);
  const stop = fig.start((state) => {
    const [query, keys, values, score, sharpness] = ["query", "key", "value", "score", "sharpness"].map(state);
    const named = state("named");
    const view = { query, keys, values, score, sharpness, named, ...lookUp(score, query, keys, values, sharpness) };
    const tied = tiedKeys(view.scores);
    view.winner = tied.length > 1 ? -1 : tied[0];
    view.scores.forEach((e, j) => write(`score-${j + 1}`, e));
    view.weights.forEach((a, j) => write(`weight-${j + 1}`, a));
    fig.show({
      output: place(view.output),
      hard:
        tied.length === 1
          ? place(values[tied[0]])
          : tied.length === keys.length
            ? say("all tie")
            : say`${tied.length} tie`,
      largest: Math.max(...view.weights),
      "taking-part": keysTakingPart(view.weights),
    });
    fig.say(inWords(view));
    return view;
  });
  const rest = beckon(planes, model);
  return () => {
    rest();
    stop();
  };
}

const takes = (now, first) => ["key", "value"].every((name) => sameShape(now(name), first(name)));

export default {
  render,
  takes,
  math: { scoresOf, weightsOf, outputOf, lookUp, inWords, tiedKeys, convexHull, winningRegions, keysTakingPart },
};
