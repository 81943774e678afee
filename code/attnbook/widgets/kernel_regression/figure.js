/* Kernel regression by hand: points, a query, a kernel and its width; the fit, one row of weights, three errors. */

import { figure } from "../kit/card.js";
import { clamp, fmt, fmtShort, mean, range, sameShape, say, take } from "../kit/kit.js";
import { drawErrors, drawFit } from "./drawing.js";
import {
  errorsAt, KERNEL_NAMES, KERNELS, lowest, nearestIndex, predict, QUERIES, queryGrid, trueCurve, weightsAt, WIDTHS,
} from "./maths.js";

// How many keys it takes to hold 90 % of the query's weight, and what the prediction is.
function queryWords({ x, skip, query, weights, prediction }) {
  const keys = x.length - (skip >= 0 ? 1 : 0);
  if (prediction === null) return say`At q = ${fmt(query)}, no key is in reach.`;
  const sorted = [...weights].sort((a, b) => b - a);
  let held = 0;
  const enough = 1 + sorted.findIndex((a) => (held += a) >= 0.9 - 1e-9);
  const values = { q: fmt(query), enough, keys, f: fmt(prediction, 3) };
  return enough === 1
    ? say("At q = {q}, 1 of {keys} keys holds 90 % of the weight, and the prediction is {f}.", values)
    : say("At q = {q}, {enough} of {keys} keys hold 90 % of the weight, and the prediction is {f}.", values);
}

function inWords({ x, y, domain, kernel, errors, sweep, width, own }) {
  const { train, leave_one_out: left, truth } = errors;
  if (left.gaps || truth.gaps) {
    const places = [];
    if (truth.gaps) places.push(say`${truth.gaps} of ${QUERIES} queries (hatched: gaps in the curve)`);
    if (left.gaps)
      places.push(say`${left.gaps} of the ${x.length} training points when each is left out of its own keys`);
    return say(
      "No key is in reach of {places}. Every kernel value is 0 there, and 0/0 has no answer. The errors count a " +
        "prediction of 0, which is what the package gives.",
      { places: places.join(say(", nor of ")) },
    );
  }
  const lowestAt = WIDTHS[lowest(sweep.leave_one_out)];
  const values = { best: fmtShort(lowestAt), train: fmt(train.error, 3), left: fmt(left.error, 3) };
  if (width < lowestAt / 1.6) {
    const self = fmt(100 * mean(x.map((key, i) => weightsAt(kernel, width, key, x)[i])), 0);
    return own
      ? say(
          "Narrow: on average a training point gives {self} % of its weight to itself. With that help the training " +
            "error is {train}; without it, leaving each point out, the error is {left}.",
          { ...values, self },
        )
      : say(
          "Narrow: few keys share the weight, and the curve follows each of them. The leave-one-out error is lowest " +
            "near width {best}.",
          values,
        );
  }
  if (width > lowestAt * 1.6)
    return say(
      "Wide: many keys share the weight, and the curve is flattened towards the mean of all values. The " +
        "leave-one-out error is lowest near width {best}.",
      values,
    );
  const narrow = errorsAt(kernel, width / 4, x, y, domain, false);
  return say(
    "Near the lowest leave-one-out error (width {best}). At a quarter of this width the training error would be " +
      "{narrowTrain} instead of {train}, the leave-one-out error {narrowLeft} instead of {left}.",
    { ...values, narrowTrain: fmt(narrow.train.error, 3), narrowLeft: fmt(narrow.leave_one_out.error, 3) },
  );
}

function render({ model, el }) {
  const fig = figure({
    model,
    el,
    title: say("Kernel regression"),
    hint: say("Drag the blue query q along the axis, drag the points, and move the width."),
  });
  const levels = [...model.get("y"), ...(model.get("truth") ? queryGrid(model.get("domain")).map(trueCurve) : [])];
  const room = 0.06 * (Math.max(...levels) - Math.min(...levels) || 1);
  const [low, high] = [Math.min(...levels) - room, Math.max(...levels) + room]; // how far a point can be dragged
  let chosen = Math.floor(model.get("x").length / 5); // the one point that can be reached by keyboard now
  let sweep = null;
  const act = {
    seen: null,
    moveQuery: (to) => fig.set({ query: fig.get("own_point") ? to : fig.get("x")[nearestIndex(fig.get("x"), to)] }),
    movePoint(to, ends) {
      const kept = to.map((v, axis) => clamp(Number(v.toFixed(4)), ...ends[axis]));
      fig.set(
        Object.fromEntries(
          ["x", "y"].map((name, axis) => [name, fig.get(name).map((v, j) => (j === chosen ? kept[axis] : v))]),
        ),
      );
    },
  };
  const order = () => range(fig.get("x").length).sort((a, b) => fig.get("x")[a] - fig.get("x")[b] || a - b);

  const fit = fig.stage({
    height: (width) => (width < 400 ? 400 : 440),
    basis: 380,
    grow: 5,
    draw: (p, view) => drawFit(p, { ...view, chosen, rank: order().indexOf(chosen) }, act),
    label: ({ query, prediction }) =>
      prediction === null
        ? say`Training points and fit over x; at the query ${fmt(query)} the prediction is missing, no key is in reach`
        : say`Training points and fit over x; at the query ${fmt(query)} the prediction is ${fmt(prediction)}`,
  });
  fig.stage({
    height: (width) => (width > 330 ? 280 : 440),
    basis: 220,
    grow: 3,
    draw: drawErrors,
    label: ({ errors }) =>
      say("Errors against the kernel's width, both logarithmic; now training {train}, leave-one-out {left}", {
        train: fmt(errors.train.error, 3),
        left: fmt(errors.leave_one_out.error, 3),
      }),
  });
  fig.select("kernel", { label: say("kernel"), options: KERNEL_NAMES });
  fig.slider("width", { label: say("width"), values: WIDTHS, format: fmtShort });
  fig.checkbox("own_point", { label: say("own point among its keys") });
  fig.output("prediction", { label: say("prediction at q"), digits: 3, note: "Σⱼ αⱼ yⱼ" });
  fig.output("train", { label: say("training error"), digits: 3, note: say("own point in") });
  fig.output("leave_one_out", { label: say("leave-one-out error"), digits: 3, note: say("own point out") });
  fig.output("truth", { label: say("error to the truth"), digits: 3, note: say`at ${QUERIES} queries` });
  // 4 or 2 × 2
  fig.card.querySelector(".ab-outputs").style.gridTemplateColumns = "repeat(auto-fit, minmax(146px, 1fr))";
  fig.reset(["x", "y", "query"]);
  fig.controlsFirst();

  // The nearest point is the one that the handle is put on: under the mouse before it is pressed, and where it is
  // pressed. On a free spot the mouse takes hold of the query.
  const choose = (j) => {
    chosen = j;
    fit.draw(act.seen.view);
  };
  const handle = (key) => fit.svg.querySelector(`[data-handle="${key}"]`);
  const under = (event) => {
    const { p, x, y, plot, view } = act.seen;
    const [px, py] = p.where(event);
    const far = view.x.map((key, j) => Math.hypot(x(key) - px, y(view.y[j]) - py));
    const j = far.indexOf(Math.min(...far));
    return {
      px,
      inPlot: px >= plot.left && px <= plot.right && py >= plot.top && py <= plot.bottom,
      point: far[j] <= 16 ? j : -1,
    };
  };
  const hover = (event) => {
    if (event.buttons) return;
    const { point } = under(event);
    if (point >= 0 && point !== chosen) choose(point);
  };
  const press = (event) => {
    if (event.button !== 0) return;
    const { px, inPlot, point } = under(event);
    if (!inPlot) return;
    event.stopPropagation();
    if (point >= 0) {
      if (point !== chosen) choose(point);
      handle("point").onpointerdown(event);
    } else if (event.pointerType === "mouse") {
      act.moveQuery(act.seen.x.invert(px));
      queueMicrotask(() => handle("query").onpointerdown(event)); // once the query has been drawn there
    }
  };
  const keys = (event) => {
    const on = event.target.dataset.handle;
    const sorted = order();
    let to;
    if (on === "point") {
      const rank = sorted.indexOf(chosen);
      to = { PageUp: rank + 1, PageDown: rank - 1, Home: 0, End: sorted.length - 1 }[event.key];
      if (to !== undefined && sorted[to] !== undefined) choose(sorted[to]);
    } else if (on === "query" && !fig.get("own_point")) {
      // from point to point, however far apart they are
      const rank = sorted.indexOf(nearestIndex(fig.get("x"), fig.get("query")));
      const step = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1 }[event.key];
      if (step) {
        to = clamp(rank + step * (event.shiftKey ? 5 : 1), 0, sorted.length - 1);
        fig.set({ query: fig.get("x")[sorted[to]] });
      }
    }
    if (to !== undefined) {
      take(event);
    }
  };
  fit.svg.addEventListener("pointermove", hover);
  fit.svg.addEventListener("pointerdown", press, true);
  // A finger that starts on a point drags the point; anywhere else it scrolls the page.
  const touch = (event) => {
    const at = under(event.touches[0]);
    if (at.inPlot && at.point >= 0) event.preventDefault();
  };
  fit.svg.addEventListener("touchstart", touch, { passive: false });
  fit.svg.addEventListener("keydown", keys, true);

  return fig.start((state) => {
    const [x, y, kernel, width, own, truth, domain] = ["x", "y", "kernel", "width", "own_point", "truth", "domain"].map(
      state,
    );
    if (!sweep || sweep.x !== x || sweep.y !== y || sweep.kernel !== kernel || sweep.withTruth !== truth) {
      const all = WIDTHS.map((w) => errorsAt(kernel, w, x, y, domain, truth)); // depends on neither query nor width
      sweep = { x, y, kernel, withTruth: truth };
      for (const name of ["train", "leave_one_out", "truth"]) sweep[name] = all.map((errors) => errors[name].error);
    }
    const skip = own ? -1 : nearestIndex(x, state("query"));
    const query = own ? state("query") : x[skip];
    const weights = weightsAt(kernel, width, query, x, skip);
    const view = {
      x,
      y,
      kernel,
      width,
      own,
      truth,
      domain,
      query,
      skip,
      weights,
      sweep,
      ends: [Math.min(low, ...y), Math.max(high, ...y)],
      prediction: predict(kernel, width, query, x, y, skip),
      fitted: x.map((key, i) => predict(kernel, width, key, x, y, own ? -1 : i)),
      errors: errorsAt(kernel, width, x, y, domain, truth),
    };
    const { errors, prediction } = view;
    fig.show({
      prediction: prediction ?? "0/0",
      train: errors.train.error,
      leave_one_out: errors.leave_one_out.error,
      truth: errors.truth.error,
    });
    fig.say(`${inWords(view)} ${queryWords(view)}`);
    return view;
  });
}

// As many points as there are, and nothing beside the axis.
function takes(now, first) {
  const [low, high] = now("domain");
  const all = [...now("x"), now("query")];
  return (
    ["x", "y"].every((name) => sameShape(now(name), first(name))) && all.every((value) => low <= value && value <= high)
  );
}

export default {
  render,
  takes,
  math: {
    KERNELS,
    kernelValue: (name, u) => KERNELS[name](u),
    trueCurve,
    weightsAt,
    predict,
    queryGrid,
    errorsAt,
    nearestIndex,
    fmt,
  },
};
