/* Gradient descent on the width of a kernel, one step at a time: the loss over w, and the curve that w gives. */

import DATA from "./data.json" with { type: "json" };
import { trueCurve, weightsAt } from "../kernel_regression/maths.js";
import { figure } from "../kit/card.js";
import { clamp, COLOUR, fmt, fmtShort, linspace, range, say } from "../kit/kit.js";
import { linear } from "../kit/paint.js";
import { stepper } from "../kit/words.js";

const RATES = [0.5, 0.05, 0.01, 0.005];
const STARTS = range(1, 61).map((i) => i / 10);
const STEPS = 100;
const FAR = 10; // beyond this |w| the loss is nearly flat: the plateau
const GRID = range(361).map((i) => i / 10 - 6); // w from −6 to 30
const PLACES = linspace(0, 5, 101);

// ---- the mathematics -----------------------------------------------------------------------------

// The prediction at a query, and its slope df/dw = −w Σⱼ αⱼ (x − xⱼ)² (yⱼ − f). The kernel's width is 1/|w|.
function predictAt(w, query, x, y, skip = -1) {
  const weights = weightsAt("gaussian", 1 / Math.abs(w), query, x, skip);
  let [f, slope] = [0, 0];
  weights.forEach((a, j) => {
    f += a * y[j];
  });
  weights.forEach((a, j) => {
    slope -= w * a * (query - x[j]) ** 2 * (y[j] - f);
  });
  return { f, slope };
}

// The summed squared leave-one-out error of the points, and its slope in w.
function lossAt(w, x, y) {
  let [loss, slope] = [0, 0];
  x.forEach((query, i) => {
    const at = predictAt(w, query, x, y, i);
    loss += (at.f - y[i]) ** 2;
    slope += 2 * (at.f - y[i]) * at.slope;
  });
  return { w, loss, slope };
}

// w, loss and slope before the first step and after each.
function descend(w0, rate, steps, x, y) {
  const path = [lossAt(w0, x, y)];
  for (let i = 0; i < steps; i++) path.push(lossAt(path[i].w - rate * path[i].slope, x, y));
  return path;
}

// Two digits behind the point; three that count where the number is small.
function few(x) {
  const size = Math.abs(x);
  return size >= 1 ? fmt(x) : size < 0.001 ? fmtShort(x) : x.toPrecision(3).replace("-", "−");
}

// The next move of w, worked out from the slope as it is printed.
const moveText = (slope, rate) => few(-rate * Number(few(slope).replaceAll("−", "-")));

// What happened in step k of a path, and what the next step will do.
function tell(path, k, rate, best) {
  const [now, last] = [path[k], path[k - 1]];
  const [slope, move] = [few(now.slope), moveText(now.slope, rate)];
  const values = { k, slope, move, w: fmt(now.w), loss: fmt(now.loss), best: fmt(best) };
  values.next = say("the next step is −{rate} × {slope} = {move}", {
    rate,
    slope: now.slope < 0 ? `(${slope})` : slope,
    move,
  });
  if (last) Object.assign(values, { from: fmt(last.w), before: fmt(last.loss), was: few(last.slope) });
  if (last && Math.abs(last.w) <= FAR && Math.abs(now.w) > FAR)
    return say(
      "Overshoot: the slope at {from} was {was}, so step {k} led from there to {w}, over the whole valley. The curve " +
        "now follows one or two neighbours of each point.",
      values,
    );
  if (Math.abs(now.w) > FAR)
    return say("On the plateau: the slope is just {slope}, so the next move is only {move}.", values);
  if (now.loss < best + 0.3) {
    if (now.w < 0)
      return say(
        "In the valley on the left: loss {loss}. Only the size of w matters: the curve is that of w = {size}.",
        { ...values, size: fmt(-now.w) },
      );
    return Math.abs(now.slope) < 0.005
      ? say(
          "In the valley: loss {loss}, the lowest is {best}. The slope is almost 0, and so the steps become short.",
          values,
        )
      : say(
          "In the valley: loss {loss}, the lowest is {best}. The slope is {slope}, and so the steps become short.",
          values,
        );
  }
  if (Math.abs(now.w) < 0.3 && Math.abs(now.slope) < 6)
    return say("Near w = 0 all keys get nearly equal weights and the loss is almost flat: {next}.", values);
  if (!last) return say("At the start the slope is {slope}: {next}.", values);
  const lowered = now.loss < last.loss;
  values.losses =
    values.before !== values.loss
      ? lowered
        ? say("lowered the loss from {before} to {loss}", values)
        : say("raised the loss from {before} to {loss}", values)
      : lowered
        ? say("lowered the loss by less than 0.01, to {loss}", values)
        : say("raised the loss by less than 0.01, to {loss}", values);
  return last.w * now.w < 0
    ? say("Step {k} crossed 0, from {from} to {w}, and {losses}: {next}.", values)
    : say("Step {k} {losses}: {next}.", values);
}

// ---- the drawing ---------------------------------------------------------------------------------

const LOSSES = [10, 72];

function drawLoss(p, { landscape, path, k, rate, act }) {
  const items = [
    { label: say("w now"), colour: COLOUR.accent, mark: "dot" },
    { label: say("start"), colour: COLOUR.accent, mark: "triangle" },
    { label: say("next step"), colour: COLOUR.ink },
    { label: say("slope"), colour: COLOUR.ink, mark: "dash" },
  ];
  const top = 14 + p.legend("legend", 12, 14, items, { maxWidth: p.width - 12 });
  const plot = p.plot({ top, left: 46, right: 10, bottom: 44 });
  const end = rate < RATES[0] ? FAR : GRID.at(-1); // short steps do not lead far
  const x = linear([GRID[0], end], [plot.left, plot.right]);
  const y = linear(LOSSES, [plot.bottom, plot.top]);
  const now = path[k];
  const rail = plot.bottom - 14; // the next step is drawn on it
  p.axes("axes", { plot, x, y, xLabel: "w", yLabel: say("leave-one-out loss"), xTicks: p.width < 330 ? 4 : 7 });
  const seen = GRID.filter((w) => w <= x.domain[1]);
  p.path("loss", seen.map((w, i) => [x(w), y(landscape[i])]), { stroke: COLOUR.muted, "stroke-width": 1.8 });
  const inside = p.clip("inside", plot.left, plot.top, plot.width, plot.height);
  p.group("tangent", { "clip-path": inside, "aria-hidden": "true" }, (g) => {
    const reach = 46 / Math.hypot(x(1) - x(0), now.slope * (y(1) - y(0))); // as long on steep slopes as on flat ones
    const end = (by) => [x(now.w + by), y(now.loss + by * now.slope)];
    g.path("line", [end(-reach), end(reach)], { "stroke-dasharray": "5 4" });
  });
  const places = path.slice(0, k + 1).map((at) => [x(at.w), y(at.loss)]);
  p.path("walk", places, { stroke: COLOUR.accent, opacity: 0.6 });
  places.slice(1, -1).forEach(([px, py], i) => p.circle(`step${i}`, px, py, 3, { fill: COLOUR.accent, opacity: 0.7 }));
  const to = clamp(now.w - rate * now.slope, ...x.domain);
  if (Math.abs(x(to) - x(now.w)) > 3)
    p.arrow("next", x(now.w), rail, x(to), rail, { width: 2.5, head: 9 });
  p.line("plumb", x(now.w), y(now.loss), x(now.w), rail, { "stroke-dasharray": "2 4" });
  p.circle("now", x(now.w), y(now.loss), 7, {
    "data-mark": "now",
    fill: COLOUR.accent, stroke: COLOUR.ground, "stroke-width": 2 });

  p.handle("w0", {
    x,
    at: [path[0].w, plot.bottom],
    axis: "x",
    step: 0.1,
    min: [STARTS[0], -Infinity],
    max: [STARTS.at(-1), Infinity],
    shape: "triangle",
    size: 7,
    label: say("start w₀"),
    text: `w₀ = ${fmt(path[0].w, 1)}`,
    onMove: ([w]) => act({ w0: Number(w.toFixed(1)) }),
  });
}

function drawFit(p, { path, k }) {
  const plot = p.plot({ top: 34, left: 40, right: 10, bottom: 44 });
  const x = linear([0, 5], [plot.left, plot.right]);
  const y = linear([-0.8, 6], [plot.bottom, plot.top]);
  p.axes("axes", { plot, x, y, xLabel: say("key x"), yLabel: say("value y") });
  const inside = p.clip("inside", plot.left, plot.top, plot.width, plot.height);
  p.group("curves", { "clip-path": inside, "aria-hidden": "true" }, (g) => {
    const at = (f) => PLACES.map((v) => [x(v), y(f(v))]);
    const curve = (key, f, attrs) => g.path(key, at(f), attrs);
    curve("truth", trueCurve, { "stroke-dasharray": "6 5", "stroke-width": 1.6 });
    const fit = ({ w }) => (v) => predictAt(w, v, DATA.x, DATA.y).f;
    curve("start", fit(path[0]), { stroke: COLOUR.output, "stroke-width": 2, "stroke-dasharray": "2 4" });
    DATA.x.forEach((v, j) => g.circle(`point${j}`, x(v), y(DATA.y[j]), 3.2, { fill: COLOUR.value, opacity: 0.75 }));
    curve("fit", fit(path[k]), { "data-mark": "fit", stroke: COLOUR.output, "stroke-width": 3 });
  });
  p.legend(
    "legend",
    plot.left - 28,
    14,
    [
      { label: say("fit now"), colour: COLOUR.output },
      { label: say("at the start"), colour: COLOUR.output, mark: "dash" },
      { label: say("truth"), colour: COLOUR.ink, mark: "dash" },
    ],
    { maxWidth: p.width },
  );
}

function render({ model, el }) {
  const fig = figure({
    model,
    el,
    title: say("Where does training take w?"),
    hint: say(
      "Choose where w starts and the step size, then play, or go step by step. The triangle can be dragged.",
    ),
  });
  const landscape = GRID.map((w) => lossAt(w, DATA.x, DATA.y).loss);
  const best = Math.min(...landscape);
  let walk = {};
  fig.stage({
    height: (width) => (width < 340 ? 250 : 280),
    basis: 300,
    draw: drawLoss,
    label: ({ path, k }) =>
      say`The leave-one-out loss over w; after ${k} steps w is ${fmt(path[k].w)} and the loss ${fmt(path[k].loss, 1)}`,
  });
  fig.stage({
    height: (width) => (width < 340 ? 250 : 280),
    basis: 300,
    draw: drawFit,
    label: ({ path, k }) =>
      say`Training points, the true curve, and the curves of w = ${fmt(path[0].w)} and ${fmt(path[k].w)}`,
  });
  const shown = fig.more(); // the start can be dragged, too
  fig.slider("w0", { label: say("start w₀"), values: STARTS, format: (w) => fmt(w, 1) });
  shown();
  fig.select("lr", { label: say("step size"), options: RATES });
  const refresh = stepper(fig, {
    name: "step",
    label: say("step"),
    step: () => fig.get("step"),
    last: () => STEPS,
    go: (step) => fig.set({ step: clamp(step, 0, STEPS) }),
    pace: 350,
  });
  fig.output("w", { label: say("w now") });
  fig.output("loss", { label: say("loss now"), note: say`lowest: ${fmt(best)}` });
  fig.output("slope", { label: say("slope there"), format: few });
  const moved = (move) => moveText(-move / fig.get("lr"), fig.get("lr"));
  fig.output("move", { label: say("next move of w"), format: moved, note: say("−step size × slope") });
  fig.card.querySelector(".ab-outputs").style.gridTemplateColumns = "repeat(auto-fit,minmax(118px,1fr))";
  fig.reset();
  fig.controlsFirst();

  return fig.start((state) => {
    const [w0, rate, k] = ["w0", "lr", "step"].map(state);
    if (walk.w0 !== w0 || walk.rate !== rate) walk = { w0, rate, path: descend(w0, rate, STEPS, DATA.x, DATA.y) };
    const now = walk.path[k];
    refresh();
    fig.show({ w: now.w, loss: now.loss, slope: now.slope, move: -rate * now.slope });
    fig.say(tell(walk.path, k, rate, best));
    return { landscape, path: walk.path, k, rate, act: fig.set };
  });
}

export default { render, math: { predictAt, lossAt, descend, tell } };
