/* Score functions: five scores of a query over the plane of all keys, and their weights. */

import { figure } from "../kit/card.js";
import { dot, fmt, range, say, softmax, sum } from "../kit/kit.js";
import { drawPlane, drawWeights, subscript } from "./drawing.js";
import {
  joinPieces,
  largestDifference,
  levelStep,
  onCircle,
  region,
  sampleScores,
  score,
  scoreAll,
  SCORES,
} from "./maths.js";

function render({ model, el }) {
  const fig = figure({
    model,
    el,
    title: say("Ways to score a key"),
    hint: say(
      "Drag q and the keys: when do a dot product and nearness give the same weights? Violet: score above zero; " +
        "grey: below.",
    ),
  });
  fig.stage({
    label: ({ query, label }) =>
      say`Plane of keys: query at ${query.map((v) => fmt(v)).join(say(", "))}; level lines of the ${label} score`,
    basis: 340,
    grow: 3,
    height: (width) => width + 16,
    draw: (p, view) => drawPlane(p, view, fig),
  });
  fig.stage({
    label: (view) =>
      say("Weights of the four keys: {weights}; with the score {other} {others}", {
        weights: view.weights.map((a) => fmt(a, 3)).join(say(", ")),
        other: view.other,
        others: view.others.map((a) => fmt(a, 3)).join(say(", ")),
      }),
    basis: 230,
    grow: 2,
    height: 304,
    draw: drawWeights,
  });
  const select = fig.select("score", { label: say("Score"), options: SCORES.map(([name, text]) => [name, text]) });
  select.style.minWidth = select.parentNode.style.minWidth = "0"; // the longest formula is wider than a phone
  fig.checkbox("on_circle", { label: say("Keys on a circle (equal norms)") });
  fig.reset(["query", "key"]);
  fig.controlsFirst();
  const shortName = (name) => SCORES.find(([one]) => one === name)[2];

  // What is looked at: a score of a query and keys, [score, on_circle, query, key].
  function viewOf([name, circle, query, given]) {
    const [radius, weight, W_q, W_k, w_v] = ["radius", "weight", "W_q", "W_k", "w_v"].map(fig.get);
    const parameters = { weight, W_q, W_k, w_v };
    const keys = circle ? onCircle(given, radius) : given;
    const scores = scoreAll(name, query, keys, parameters);
    return { name, label: shortName(name), query, keys, circle, radius, parameters, scores, weights: softmax(scores) };
  }

  // Moves of one thing that follow each other closely are one change, told from where it began.
  fig.keep("_begun", null);
  let [last, moved, when] = [{}, null, 0];
  const begun = (now) => {
    const [what, from] = [last.now && changed(viewOf(last.now), viewOf(now)), fig.get("_begun")];
    const told = String(from) !== String(last.from); // whoever has set it knows better
    const dragged = what !== "score" && what !== "circle"; // a choice in the list or the box stands for itself
    const anew = what && !told && (!dragged || what !== moved || performance.now() - when > 1500);
    if (what) [moved, when] = [what, performance.now()];
    if (anew) fig.set({ _begun: last.now });
    last = { now, from: fig.get("_begun") };
    return last.from;
  };

  return fig.start((state) => {
    const now = ["score", "on_circle", "query", "key"].map(state);
    const seen = viewOf(now);
    const { name, query, keys, scores, weights, parameters } = seen;
    const other = name === "gaussian" ? "dot" : "gaussian";
    const others = softmax(scoreAll(other, query, keys));
    const view = { ...seen, other: shortName(other), others };
    const from = begun(now);
    const before = from && viewOf(from);
    const what = before && changed(before, view);
    const told = what ? sayChange(what, before, view) : "";
    const dots = softmax(scoreAll("dot", query, keys));
    fig.say(told + sayScore(name, query, scores, weights, dots, parameters) + sayPair(name, keys, weights, others));
    const bent =
      name === "multiplicative"
        ? [0, 1].map((i) =>
            dot(
              query,
              parameters.weight.map((row) => row[i]),
            ),
          )
        : null;
    return { ...view, bent, field: sampleScores(name, query, parameters) };
  });
}

// Which one thing differs between two states: "score", "circle", "query", the number of a key, or null.
function changed(before, now) {
  if (before.label !== now.label) return "score";
  if (before.circle !== now.circle) return "circle";
  if (String(before.query) !== String(now.query)) return "query";
  const j = now.keys.findIndex((key, i) => String(key) !== String(before.keys[i]));
  return j < 0 ? null : `k${subscript(j)}`;
}

// What a change did to the weights: the one that changed most, before and after.
function sayChange(what, before, now) {
  const rise = now.weights.map((a, j) => a - before.weights[j]);
  const j = rise.reduce((most, r, i) => (Math.abs(r) > Math.abs(rise[most]) ? i : most), 0);
  const cause = {
    score: () => say`From ${before.label} to ${now.label}`,
    circle: () => (now.circle ? say("With all keys at one distance from 0") : say("With the keys where they were")),
    query: () => say("As q moved"),
  }[what];
  const start = cause ? cause() : say`As ${what} moved`;
  if (Math.abs(rise[j]) < 0.005) return say`${start}, no weight changed by as much as 0.005. `;
  const [key, was, is] = [`k${subscript(j)}`, fmt(before.weights[j]), fmt(now.weights[j])];
  return rise[j] > 0
    ? say`${start}, the weight of ${key} rose from ${was} to ${is}. `
    : say`${start}, the weight of ${key} fell from ${was} to ${is}. `;
}

// What the chosen score looks like over the plane, and which key it prefers at present.
function sayScore(name, query, scores, weights, dots, { w_v }) {
  const order = range(weights.length).sort((a, b) => weights[b] - weights[a]);
  const [best, next] = order.map((j) => `k${subscript(j)}`);
  const [most, second] = order.map((j) => weights[j]);
  const lead =
    most - second < 0.0005
      ? say`${best} and ${next} tie at a weight of ${fmt(most)}`
      : say`${best} scores highest, ${fmt(scores[order[0]])}, and gets ${fmt(most)} of the weight`;
  const still = Math.hypot(...query) < 1e-9;
  if (still && name !== "gaussian" && name !== "additive")
    return say("The query is 0: every key scores 0, wherever it is, and all weights are equal.");
  if (name === "dot") return say`The level lines are straight and cross q at right angles; ${lead}.`;
  if (name === "scaled_dot")
    return say(
      "The dot product divided by √2: the same lines, and weights that are closer together; {lead} ({most} undivided).",
      { lead, most: fmt(Math.max(...dots)) },
    );
  if (name === "multiplicative")
    return say`qᵀMk is the dot product of k with Mᵀq: the lines cross that dashed arrow at right angles; ${lead}.`;
  if (name === "additive")
    return say(
      "tanh keeps each hidden unit between −1 and 1, so every score is between −{limit} and {limit}, and the lines " +
        "bend; {lead}.",
      { limit: fmt(sum(w_v.map(Math.abs))), lead },
    );
  return say`The level lines are circles around q, so the nearest key wins: ${lead}.`;
}

// The dot product beside the Gaussian: what is left between them is −½‖k‖².
function sayPair(name, keys, weights, others) {
  if (name !== "dot" && name !== "gaussian") return "";
  const norms = keys.map((key) => dot(key, key) / 2);
  const [low, high] = [Math.min(...norms), Math.max(...norms)];
  if (high - low < 1e-9)
    return say(
      " All keys have length {length}: the Gaussian takes the same {half} off every score, the softmax does not " +
        "notice, and the two sets of weights are one.",
      { length: fmt(Math.sqrt(2 * high)), half: fmt(high) },
    );
  const longest = `k${subscript(norms.indexOf(high))}`;
  const largest = largestDifference(weights, others);
  const apart = largest < 0.0005 ? say("less than 0.001") : say`up to ${fmt(largest, 3)}`;
  return say(
    " The Gaussian takes ½‖k‖² off the dot product: {high} for the longest key, {longest}, and only {low} for the " +
      "shortest. So the two sets of weights differ by {apart}.",
    { high: fmt(high), longest, low: fmt(low), apart },
  );
}

export default {
  render,
  math: { score, scoreAll, onCircle, largestDifference, levelStep, region, joinPieces, sampleScores, sayChange },
};
