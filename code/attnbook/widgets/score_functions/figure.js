/* Score functions: five scores of a query over the plane of all keys, their weights, and their costs. */
// uses maths.js, drawing.js

function render({ model, el }) {
  const fig = figure({
    model,
    el,
    title: "Five ways to score a key",
    hint:
      "Drag the query q or a key, or move it with the arrow keys. Violet: score above zero; grey, dashed: below; " +
      "thick line: zero.",
  });
  fig.stage({
    label: (view) =>
      `Plane of keys: query at ${view.query.map((v) => fmt(v)).join(", ")}; level lines of the ${view.label} score`,
    basis: 340,
    grow: 3,
    height: (width) => width + 16,
    draw: (p, view) => drawPlane(p, view, fig),
  });
  fig.stage({
    label: (view) =>
      `Weights of the four keys: ${view.weights.map((a) => fmt(a, 3)).join(", ")}. Dot product ` +
      `${view.dots.map((a) => fmt(a, 3)).join(", ")}; Gaussian ` +
      `${view.gaussians.map((a) => fmt(a, 3)).join(", ")}`,
    basis: 230,
    grow: 2,
    height: 410,
    draw(p, view) {
      p.group("weights", {}, (g) => drawWeights(g, view));
      p.group("pair", { transform: "translate(0 210)" }, (g) => drawPair(g, view));
    },
  });
  const select = fig.select("score", { label: "Score", options: SCORES.map(([name, text]) => [name, text]) });
  select.style.minWidth = select.parentNode.style.minWidth = "0"; // the longest formula is wider than a phone
  fig.checkbox("on_circle", { label: "Keys on a circle (equal norms)" });
  fig.reset(["query", "key", "d", "h", "num_queries", "num_keys"]);
  fig.controlsFirst();
  fig.output("difference", { label: "dot − Gaussian", digits: 3, note: "largest difference of weights" });
  range(4).forEach((j) => fig.output(`weight_${j + 1}`, { label: `weight of k${subscript(j)}`, digits: 3 }));

  fig.card.querySelector(".ab-outputs").style.gridTemplateColumns = "repeat(auto-fit,minmax(104px,1fr))";

  const costs = figure({
    model,
    el,
    title: "… and what they cost",
    hint: "Queries and keys of size d; T queries, S keys; h hidden units in the additive score.",
  });
  costs.card.style.marginTop = "0.75rem";
  costs.stage({
    label(view) {
      const lines = SCORES.map(([, , label], i) => {
        const { parameters, multiply_adds, largest } = view.costs[i];
        return `${label}: ${parameters} parameters, ${multiply_adds} multiply-adds, largest tensor ${largest}`;
      });
      return `Costs: ${lines.join("; ")}`;
    },
    height: (width) => 68 + SCORES.length * (width < NARROW ? 56 : 38) + 4,
    draw: drawCosts,
  });
  const power = { min: 0, max: SIZES.length - 1, values: SIZES, format: (v) => String(v) };
  costs.slider("d", { label: "size d", ...power });
  costs.slider("h", { label: "hidden units h", ...power });
  costs.slider("num_queries", { label: "queries T", ...power });
  costs.slider("num_keys", { label: "keys S", ...power });
  costs.controlsFirst();
  costs.card.querySelector(".ab-outputs").style.gridTemplateColumns = "repeat(auto-fit,minmax(104px,1fr))";
  const shortName = (name) => SCORES.find(([one]) => one === name)[2];
  costs.output("multiply_adds", { label: "multiply-adds, chosen score", format: big, note: "× 2 = FLOPs" });
  costs.output("parameters", { label: "its parameters", format: big });
  costs.output("tanh", { label: "its tanh evaluations", format: big });
  costs.output("largest", { label: "its largest tensor", format: big, note: "numbers" });
  costs.output("ratio", { label: "additive ÷ dot product, multiply-adds", format: (v) => `× ${fmtShort(v)}` });

  // Moves of one thing that follow each other closely are one change, told from where it began.
  let [begun, last, moved, when, told] = [null, null, null, 0, ""];
  const change = (now) => {
    const what = last && changed(last, now);
    if (what) {
      if (what !== moved || performance.now() - when > 1500) begun = last;
      [moved, when] = [what, performance.now()];
      told = sayChange(what, begun, now);
    }
    last = now;
    return told;
  };

  const stopFirst = fig.start((state) => {
    const [name, query, circle, radius] = ["score", "query", "on_circle", "radius"].map(state);
    const parameters = { weight: state("weight"), W_q: state("W_q"), W_k: state("W_k"), w_v: state("w_v") };
    const keys = circle ? onCircle(state("key"), radius) : state("key");
    const scores = scoreAll(name, query, keys, parameters);
    const weights = softmax(scores);
    const dots = softmax(scoreAll("dot", query, keys));
    const gaussians = softmax(scoreAll("gaussian", query, keys));
    const difference = largestDifference(dots, gaussians);
    fig.show({ difference, ...Object.fromEntries(weights.map((weight, j) => [`weight_${j + 1}`, weight])) });
    const told = change({ label: shortName(name), query, keys, circle, weights });
    fig.say(`${told}${sayScore(name, query, scores, weights, dots, parameters)} ${sayPair(keys, difference)}`);
    const bent =
      name === "multiplicative"
        ? [0, 1].map((i) =>
            dot(
              query,
              parameters.weight.map((row) => row[i]),
            ),
          )
        : null;
    return {
      name,
      label: shortName(name),
      bent,
      query,
      keys,
      circle,
      radius,
      scores,
      weights,
      dots,
      gaussians,
      field: sampleScores(name, query, parameters),
    };
  });
  const stopSecond = costs.start((state) => {
    const sizes = Object.fromEntries(["d", "h", "num_queries", "num_keys"].map((name) => [name, state(name)]));
    const all = SCORES.map(([name]) => cost(name, sizes));
    const name = state("score");
    const chosen = cost(name, sizes);
    const [plain, additive] = [cost("dot", sizes), cost("additive", sizes)];
    const ratio = additive.multiply_adds / plain.multiply_adds;
    const { multiply_adds, parameters, tanh, largest } = chosen;
    costs.show({ multiply_adds, parameters, tanh, largest, ratio });
    costs.say(sayCosts(ratio, additive, plain));
    return { name, costs: all };
  });
  return () => {
    stopFirst();
    stopSecond();
  };
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
    score: `From ${before.label} to ${now.label}`,
    circle: now.circle ? "With all keys at one distance from 0" : "With the keys where they were",
    query: "As q moved",
  }[what];
  const start = cause || `As ${what} moved`;
  if (Math.abs(rise[j]) < 0.005) return `${start}, no weight changed by as much as 0.005. `;
  const way = rise[j] > 0 ? "rose" : "fell";
  return `${start}, the weight of k${subscript(j)} ${way} from ${fmt(before.weights[j])} to ${fmt(now.weights[j])}. `;
}

// What the chosen score looks like over the plane, and which key it prefers at present.
function sayScore(name, query, scores, weights, dots, { w_v }) {
  const order = range(weights.length).sort((a, b) => weights[b] - weights[a]);
  const [best, next] = order.map((j) => `k${subscript(j)}`);
  const [most, second] = order.map((j) => weights[j]);
  const lead =
    most - second < 0.0005
      ? `${best} and ${next} tie at a weight of ${fmt(most)}`
      : `${best} scores highest, ${fmt(scores[order[0]])}, and gets ${fmt(most)} of the weight`;
  const still = Math.hypot(...query) < 1e-9;
  if (still && name !== "gaussian" && name !== "additive")
    return "The query is 0: every key scores 0, wherever it is, and all weights are equal.";
  if (name === "dot") return `The level lines are straight and cross q at right angles; ${lead}.`;
  if (name === "scaled_dot")
    return (
      "The dot product divided by √2: the same lines, and weights that are closer together; " +
      `${lead} (${fmt(Math.max(...dots))} undivided).`
    );
  if (name === "multiplicative")
    return `qᵀMk is the dot product of k with Mᵀq: the lines cross that dashed arrow at right angles; ${lead}.`;
  if (name === "additive") {
    const limit = fmt(sum(w_v.map(Math.abs)));
    return (
      `tanh keeps each hidden unit between −1 and 1, so every score is between −${limit} and ${limit}, and the ` +
      `lines bend; ${lead}.`
    );
  }
  return `The level lines are circles around q, so the nearest key wins: ${lead}.`;
}

function sayPair(keys, difference) {
  const norms = keys.map((key) => -dot(key, key) / 2);
  const [low, high] = [Math.min(...norms), Math.max(...norms)];
  const rule = "Gaussian against dot product: −½‖q − k‖² = q·k − ½‖q‖² − ½‖k‖², and the softmax cancels ½‖q‖²";
  if (high - low < 1e-9)
    return (
      `${rule}. Here it cancels ½‖k‖² too, because all keys have norm ${fmt(Math.sqrt(-2 * high))}: both give the ` +
      "same weights."
    );
  const apart = difference < 0.0005 ? "less than 0.001" : `up to ${fmt(difference, 3)}`;
  return (
    `${rule}. What is left, −½‖k‖², runs from ${fmt(low)} to ${fmt(high)} and counts against long keys: the two ` +
    `sets of weights differ by ${apart}.`
  );
}

function sayCosts(ratio, additive, plain) {
  return (
    `The additive score needs ${fmtShort(ratio)} times the dot product's multiply-adds, evaluates tanh ` +
    `${big(additive.tanh)} times, and its largest tensor has ${big(additive.largest)} numbers; the dot product's ` +
    `has ${big(plain.largest)}.`
  );
}

export default {
  render,
  math: { score, scoreAll, onCircle, largestDifference, cost, levelStep, region, joinPieces, sampleScores, sayChange },
};
