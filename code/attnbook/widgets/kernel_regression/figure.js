/* Kernel regression by hand: points, a query, a kernel and its width; the fit, one row of weights, three errors. */

const KERNELS = {
  gaussian: (u) => Math.exp((-u * u) / 2),
  boxcar: (u) => (u <= 1 ? 1 : 0),
  triangular: (u) => Math.max(0, 1 - u),
  epanechnikov: (u) => Math.max(0, 1 - u * u),
};
const KERNEL_NAMES = [
  ["gaussian", "Gaussian"],
  ["boxcar", "boxcar"],
  ["triangular", "triangular"],
  ["epanechnikov", "Epanechnikov"],
];
const WIDTHS = range(61).map((i) => Number((10 ** (i / 20 - 2)).toPrecision(3))); // 0.01 … 10
const QUERIES = 100; // at which the error to the truth is measured

// ---- the mathematics -----------------------------------------------------------------------------

const trueCurve = (x) => 2 * Math.sin(x) + x ** 0.8;

// One row of weights; `skip` is the index of a key left out. All are 0 where no key is in reach.
// Plain loops: dragging a point asks for some ten thousand rows at once.
function weightsAt(kernel, width, query, x, skip = -1) {
  const weights = x.map((key) => Math.abs(query - key) / width); // at first the scaled distances u
  // A common factor cancels in the fraction. The Gaussian of the nearest key, divided out, keeps the others of a
  // far query from all underflowing to 0.
  let near = Infinity;
  weights.forEach((u, j) => {
    if (j !== skip && u < near) near = u;
  });
  const of = kernel === "gaussian" ? (u) => Math.exp((near * near - u * u) / 2) : KERNELS[kernel];
  let total = 0;
  weights.forEach((u, j) => {
    total += weights[j] = j === skip ? 0 : of(u);
  });
  if (total > 0)
    weights.forEach((part, j) => {
      weights[j] = part / total;
    });
  return weights;
}

// The prediction, or null where no key is in reach: 0/0.
function predict(kernel, width, query, x, y, skip = -1) {
  let [total, f] = [0, 0];
  weightsAt(kernel, width, query, x, skip).forEach((a, j) => {
    total += a;
    f += a * y[j];
  });
  return total > 0 ? f : null;
}

const queryGrid = ([low, high]) => range(QUERIES).map((i) => low + ((high - low) * i) / QUERIES);

// Mean squared errors, and at how many places no key was in reach (the prediction counts as 0 there).
function errorsAt(kernel, width, x, y, domain, truth = true) {
  const measure = (places, wanted, leaveOut) => {
    const found = places.map((place, i) => predict(kernel, width, place, x, y, leaveOut ? i : -1));
    return {
      error: mean(found.map((f, i) => ((f ?? 0) - wanted[i]) ** 2)),
      gaps: found.filter((f) => f === null).length,
    };
  };
  const grid = queryGrid(domain);
  const errors = {
    train: measure(x, y, false),
    leave_one_out: measure(x, y, true),
    truth: measure(grid, grid.map(trueCurve), false),
  };
  // without a known curve there is no truth to compare with
  return truth ? errors : { ...errors, truth: { error: null, gaps: errors.truth.gaps } };
}

const lowest = (errors) => errors.reduce((best, error, i) => (error < errors[best] ? i : best), 0);

function nearestIndex(x, place) {
  return x.reduce((best, key, j) => (Math.abs(key - place) < Math.abs(x[best] - place) ? j : best), 0);
}

// ---- the fit and the row of weights ----------------------------------------------------------------

const roundUp = (a) => [0.02, 0.05, 0.1, 0.2, 0.5].find((step) => a <= step) || 1;

function drawFit(p, view, act) {
  const { x: keys, y: values, kernel, width, query, own, weights, prediction, domain, chosen } = view;
  const items = [
    { label: "training points", colour: COLOUR.value, mark: "dot" },
    { label: "fit and errors", colour: COLOUR.output },
  ];
  if (view.truth) items.splice(1, 0, { label: "truth", colour: COLOUR.ink, mark: "dash" });
  const top = 10 + p.legend("legend", 42, 12, items, { maxWidth: p.width - 42 });
  const strip = { height: Math.round(0.22 * p.height), bottom: p.height - 40 };
  strip.top = strip.bottom - strip.height;
  const rail = strip.top - 22; // the query moves on it
  const plot = { left: 42, right: p.width - 12, top, bottom: rail - 18 };
  const x = linear(domain, [plot.left, plot.right]);
  const y = linear(view.ends, [plot.bottom, plot.top]);
  const most = Math.max(...weights);
  const bars = linear([0, roundUp(most)], [strip.bottom, strip.top]);
  const inside = p.clip("inside", plot.left, plot.top - 6, plot.right - plot.left, plot.bottom - plot.top + 6);

  p.group("axes", { "aria-hidden": "true" }, (g) => {
    const places = ticks(...domain, p.narrow ? 5 : 6);
    const text = tickText(places);
    places.forEach((v) => {
      g.line(`grid${v}`, x(v), plot.top, x(v), plot.bottom, { stroke: COLOUR.grid, "stroke-width": 1 });
      g.line(`stem${v}`, x(v), strip.top, x(v), strip.bottom, { stroke: COLOUR.grid, "stroke-width": 1 });
      g.text(`tick${v}`, x(v), strip.bottom + 17, text(v), { size: 12, anchor: "middle", colour: COLOUR.muted });
    });
    const levels = ticks(...view.ends, 5);
    const level = tickText(levels);
    levels.forEach((v) => {
      g.line(`level${v}`, plot.left, y(v), plot.right, y(v), { stroke: COLOUR.grid, "stroke-width": 1 });
      g.text(`value${v}`, plot.left - 8, y(v) + 4, level(v), { size: 12, anchor: "end", colour: COLOUR.muted });
    });
    g.text("y", 12, (plot.top + plot.bottom) / 2, "value y", { anchor: "middle", rotate: -90 });
    g.text("x", (plot.left + plot.right) / 2, strip.bottom + 35, "key x", { anchor: "middle" });
    g.text("weight", 12, (strip.top + strip.bottom) / 2, "weight α", { anchor: "middle", rotate: -90 });
    g.text("most", plot.left - 8, strip.top + 5, String(roundUp(most)), {
      size: 12,
      anchor: "end",
      colour: COLOUR.muted,
    });
    g.text("none", plot.left - 8, strip.bottom + 4, "0", { size: 12, anchor: "end", colour: COLOUR.muted });
    g.line("rail", plot.left, rail, plot.right, rail, {
      stroke: COLOUR.line,
      "stroke-width": 3,
      "stroke-linecap": "round",
    });
    g.line("base", plot.left, strip.bottom, plot.right, strip.bottom, { stroke: COLOUR.line, "stroke-width": 1.2 });
  });

  // The fit at every pixel, in pieces: between two pieces no key is in reach.
  const pieces = [[]];
  const gaps = [];
  range(Math.floor(plot.right - plot.left) + 1).forEach((i) => {
    const place = x.invert(plot.left + i);
    const f = predict(kernel, width, place, keys, values);
    if (f !== null) {
      pieces.at(-1).push([plot.left + i, y(f)]);
      return;
    }
    if (pieces.at(-1).length || i === 0) {
      pieces.push([]);
      gaps.push([plot.left + i, 1]);
    } else gaps.at(-1)[1] += 1;
  });
  p.group("gaps", { "aria-hidden": "true" }, (g) =>
    gaps.forEach(([left, wide], i) => {
      g.rect(`tint${i}`, left, plot.top, wide, plot.bottom - plot.top, { fill: COLOUR.masked, opacity: 0.13 });
      g.rect(`gap${i}`, left, plot.top, wide, plot.bottom - plot.top, { fill: g.hatch(`hatch${i}`), opacity: 0.4 });
      if (wide > 34)
        g.text(`text${i}`, left + wide / 2, plot.bottom - 8, "0/0", {
          size: 12.5,
          weight: 650,
          anchor: "middle",
          halo: true,
        });
    }),
  );
  p.group("curves", { "clip-path": inside, "aria-hidden": "true" }, (g) => {
    keys.forEach((key, j) => {
      // how far the prediction at each training point is off
      const f = view.fitted[j] ?? 0;
      g.line(`off${j}`, x(key), y(values[j]), x(key), y(f), {
        stroke: COLOUR.output,
        "stroke-width": 1.2,
        opacity: 0.75,
      });
      if (!own) g.line(`left${j}`, x(key) - 4, y(f), x(key) + 4, y(f), { stroke: COLOUR.output, "stroke-width": 2 });
    });
    if (view.truth)
      g.path(
        "truth",
        linspace(...domain, 201).map((v) => [x(v), y(trueCurve(v))]),
        { "stroke-dasharray": "6 5", "stroke-width": 1.6 },
      );
    pieces
      .filter((piece) => piece.length)
      .forEach((piece, i) => g.path(`fit${i}`, piece, { stroke: COLOUR.output, "stroke-width": 3 }));
  });

  // The row of weights, under the kernel's own shape.
  p.group("weights", { "aria-hidden": "true" }, (g) => {
    if (most > 0) {
      const one = weights.indexOf(most);
      const scale = most / KERNELS[kernel](Math.abs(query - keys[one]) / width);
      const shape = range(Math.floor(plot.right - plot.left) + 1)
        .map((i) => plot.left + i)
        .map((px) => [
          px,
          bars(Math.min(bars.domain[1], scale * KERNELS[kernel](Math.abs(query - x.invert(px)) / width))),
        ]);
      if (Number.isFinite(scale))
        g.path("shape", [[plot.left, strip.bottom], ...shape, [plot.right, strip.bottom]], {
          close: true,
          fill: COLOUR.weight,
          "fill-opacity": 0.14,
        });
    }
    keys.forEach((key, j) => {
      g.line(`key${j}`, x(key), strip.bottom, x(key), strip.bottom + 5, { stroke: COLOUR.key, "stroke-width": 1.4 });
      if (j === view.skip)
        g.rect(`own${j}`, x(key) - 5, strip.top, 10, strip.height, { fill: g.hatch("hatch"), stroke: COLOUR.masked });
      else if (weights[j] > 0)
        g.line(`bar${j}`, x(key), strip.bottom, x(key), bars(weights[j]), { stroke: COLOUR.weight, "stroke-width": 3 });
    });
    if (most === 0)
      g.text("nothing", (plot.left + plot.right) / 2, strip.top + strip.height / 2, "no key in reach: 0/0", {
        anchor: "middle",
        weight: 650,
        halo: true,
      });
  });

  p.line(
    "plumb",
    x(query),
    prediction === null ? plot.top : clamp(y(prediction), plot.top, plot.bottom),
    x(query),
    strip.bottom,
    { stroke: COLOUR.query, "stroke-width": 1.6, "stroke-dasharray": "2 4", "stroke-linecap": "round" },
  );
  // Under each point a wider spot for the mouse's hand.
  keys.forEach((key, j) => p.circle(`reach${j}`, x(key), y(values[j]), 11, { fill: "transparent", cursor: "grab" }));
  const share = (j) => (most > 0 ? weights[j] / most : 0);
  const size = (j) => 2.8 + 4.2 * Math.sqrt(share(j));
  const spot = (key, j, attrs) =>
    p.circle(key, x(keys[j]), y(values[j]), size(j), {
      fill: COLOUR.value,
      "fill-opacity": 0.3 + 0.7 * share(j),
      stroke: COLOUR.value,
      "pointer-events": "none",
      ...attrs,
    });
  keys.forEach((_, j) => spot(`point${j}`, j, { "data-point": j }));
  // The handle's knob is only the ground on which the chosen point is drawn once more, with a dark rim.
  p.handle("point", {
    x,
    y,
    at: [keys[chosen], values[chosen]],
    step: 0.05,
    colour: COLOUR.ground,
    size: size(chosen) - 1,
    label: `training point ${view.rank + 1} of ${keys.length}; Page Up and Page Down choose another one`,
    text: `x ${fmt(keys[chosen])}, y ${fmt(values[chosen])}, weight ${fmt(weights[chosen], 3)}`,
    onMove: (to) => act.movePoint(to, [domain, view.ends]),
  });
  spot("chosen", chosen, { stroke: COLOUR.ink, "stroke-width": 1.6 });
  p.handle("query", {
    x,
    at: [query, rail],
    axis: "x",
    min: [domain[0], rail],
    max: [domain[1], rail],
    step: 0.05,
    colour: COLOUR.query,
    size: 12,
    label: "query",
    text: `x ${fmt(query)}, ${prediction === null ? "no key in reach" : `prediction ${fmt(prediction)}`}`,
    onMove: ([to]) => act.moveQuery(to),
  });
  p.text("q", x(query), rail + 5, "q", {
    size: 14,
    weight: 650,
    italic: true,
    anchor: "middle",
    colour: COLOUR.ground,
    "pointer-events": "none",
  });
  if (prediction !== null) {
    p.circle("prediction", x(query), clamp(y(prediction), plot.top, plot.bottom), 6.5, {
      fill: COLOUR.output,
      stroke: COLOUR.ink,
      "stroke-width": 1.5,
      "pointer-events": "none",
    });
  }
  act.seen = { p, x, y, plot, view };
}

// ---- the errors against the width --------------------------------------------------------------------

const ERRORS = [
  ["leave_one_out", "leave-one-out", COLOUR.weight, undefined, "circle"],
  ["train", "training", COLOUR.muted, "6 4", "square"],
  ["truth", "to the truth", COLOUR.ink, "7 3 1.5 3", "diamond"],
];

function drawErrors(p, view) {
  const shown = ERRORS.filter(([name]) => name !== "truth" || view.truth);
  p.text("title", 2, 15, "Error against width", { weight: 650, size: 14 });
  const plot = p.plot({ top: 54 + 20 * shown.length, right: 12, bottom: 40, left: 48 });
  const note = 34 + 20 * shown.length;
  p.circle("lowest", 17, note - 4, 6, { fill: "none", stroke: COLOUR.ink, "stroke-width": 1.6 });
  p.text("lowest-label", 38, note, "lowest point", { size: 12.5 });
  const x = linear([-2, 1], [plot.left, plot.right]);
  const top = Math.ceil(Math.log10(2 * variance(view.y) || 1));
  const y = linear([top - 3, top], [plot.bottom, plot.top]);
  const power = (v) => String(Number((10 ** v).toPrecision(1)));
  p.axes("axes", {
    plot,
    x,
    y,
    xLabel: "width",
    xTicks: [-2, -1, 0, 1],
    yTicks: range(top - 3, top + 1),
    xFormat: power,
    yFormat: power,
  });
  const height = (error) => clamp(y(Math.log10(Math.max(error, 1e-12))), plot.top, plot.bottom + 30);
  p.line("width", x(Math.log10(view.width)), plot.top, x(Math.log10(view.width)), plot.bottom, {
    stroke: COLOUR.accent,
    "stroke-width": 1.5,
    "stroke-dasharray": "2 4",
    "stroke-linecap": "round",
  });
  const inside = p.clip("inside", plot.left - 6, plot.top - 6, plot.width + 12, plot.height + 6);
  shown.forEach(([name, label, colour, dashes, shape], i) => {
    const row = 34 + 20 * i;
    p.line(`sample-${name}`, 4, row - 4, 30, row - 4, {
      stroke: colour,
      "stroke-width": 2.4,
      "stroke-dasharray": dashes,
    });
    p.mark(`shape-${name}`, shape, 17, row - 4, 4.5, { fill: colour });
    p.text(
      `label-${name}`,
      38,
      row,
      label + (name === "train" ? " (own point in)" : name === "leave_one_out" ? " (own point out)" : ""),
      { size: 12.5 },
    );
    p.group(name, { "clip-path": inside, "aria-hidden": "true" }, (g) => {
      const curve = view.sweep[name];
      g.path(
        "curve",
        curve.map((error, k) => [x(Math.log10(WIDTHS[k])), height(error)]),
        { stroke: colour, "stroke-width": 2.2, "stroke-dasharray": dashes },
      );
      if (name !== "train") {
        const best = lowest(curve);
        g.circle("lowest", x(Math.log10(WIDTHS[best])), height(curve[best]), 8, {
          fill: "none",
          stroke: colour,
          "stroke-width": 1.6,
        });
      }
      g.mark("now", shape, x(Math.log10(view.width)), height(view.errors[name].error), 4.5, {
        fill: colour,
        stroke: COLOUR.ground,
        "stroke-width": 1,
      });
    });
  });
}

// ---- the figure ----------------------------------------------------------------------------------

function inWords({ x, y, domain, kernel, errors, sweep, width, own }) {
  const { train, leave_one_out: left, truth } = errors;
  if (left.gaps || truth.gaps) {
    const places = [];
    if (truth.gaps) places.push(`${truth.gaps} of ${QUERIES} queries (hatched: gaps in the curve)`);
    if (left.gaps) places.push(`${left.gaps} of the ${x.length} training points once they leave themselves out`);
    return (
      `No key is in reach of ${places.join(", nor of ")}. Every kernel value is 0 there, and 0/0 has no answer. ` +
      "The errors count a prediction of 0, which is what the package gives."
    );
  }
  const best = WIDTHS[lowest(sweep.leave_one_out)];
  if (width < best / 1.6) {
    const self = mean(x.map((key, i) => weightsAt(kernel, width, key, x)[i]));
    return own
      ? `Narrow: on average a training point gives ${fmt(100 * self, 0)} % of its weight to itself. So the ` +
          `training error is only ${fmt(train.error, 3)}; without themselves, the points are missed by ` +
          `${fmt(left.error, 3)}.`
      : "Narrow: few keys share the weight, and the curve runs after each of them. Leave-one-out error is lowest " +
          `near width ${fmtShort(best)}.`;
  }
  if (width > best * 1.6)
    return (
      "Wide: many keys share the weight, and the curve is flattened towards the average of all. Leave-one-out " +
      `error is lowest near width ${fmtShort(best)}.`
    );
  const narrow = errorsAt(kernel, width / 4, x, y, domain, false);
  return (
    `Near the lowest leave-one-out error (width ${fmtShort(best)}). At a quarter of this width the training ` +
    `error would be ${fmt(narrow.train.error, 3)} instead of ${fmt(train.error, 3)}, the leave-one-out error ` +
    `${fmt(narrow.leave_one_out.error, 3)} instead of ${fmt(left.error, 3)}.`
  );
}

function render({ model, el }) {
  const fig = figure({
    model,
    el,
    title: "Kernel regression",
    hint: "Drag the blue query q along the axis, drag the points, and move the width.",
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
      `Training points and fit over x; at the query ${fmt(query)} the prediction is ` +
      `${prediction === null ? "missing, no key is in reach" : fmt(prediction)}`,
  });
  fig.stage({
    height: (width) => (width > 330 ? 280 : 440),
    basis: 220,
    grow: 3,
    draw: drawErrors,
    label: ({ errors }) =>
      `Errors against the kernel's width, both logarithmic; now training ${fmt(errors.train.error, 3)}, ` +
      `leave-one-out ${fmt(errors.leave_one_out.error, 3)}`,
  });
  fig.select("kernel", { label: "kernel", options: KERNEL_NAMES });
  fig.slider("width", { label: "width", values: WIDTHS, format: fmtShort });
  fig.checkbox("own_point", { label: "own point among its keys" });
  fig.output("prediction", { label: "prediction at q", digits: 3, note: "Σⱼ αⱼ yⱼ" });
  fig.output("train", { label: "training error", digits: 3, note: "own point in" });
  fig.output("leave_one_out", { label: "leave-one-out error", digits: 3, note: "own point out" });
  fig.output("truth", { label: "error to the truth", digits: 3, note: `at ${QUERIES} queries` });
  // 4 or 2 × 2
  fig.card.querySelector(".ab-outputs").style.gridTemplateColumns = "repeat(auto-fit, minmax(146px, 1fr))";
  fig.reset(["x", "y", "query"]);

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
      event.preventDefault();
      event.stopPropagation();
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
    fig.say(inWords(view));
    return view;
  });
}

export default {
  render,
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
