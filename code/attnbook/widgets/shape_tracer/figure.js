/* The shape tracer: the six tensors of multi-head attention, drawn cell by cell.
 * A cell is named by where it was after the projection: the letter of its position, the number of its feature. */

import { figure } from "../kit/card.js";
import { clamp, fmt, html, newId, range, say, take } from "../kit/kit.js";
import { NARROW } from "../kit/paint.js";
import { drawSteps, drawTensor, indexText, letter, shapeText } from "./drawing.js";
import {
  attend,
  blocksOf,
  divisionError,
  furthest,
  HEADS,
  mergeHeads,
  misplaced,
  POSITIONS,
  sample,
  shapesOf,
  SIZES,
  splitHeads,
  STEPS,
  TALLEST,
  trace,
  traceAll,
  viewHeads,
} from "./maths.js";

function inWords(view) {
  const {
    step,
    size,
    cell: [t, f],
    path,
    run,
  } = view;
  const { T, D, H, wrong } = size;
  const Dh = D / H;
  const name = `${letter(t)}${f}`;
  const [, h, row] = path[3];
  const letters = (ts) =>
    ts.length === 1
      ? letter(ts[0])
      : say("{others} and {last}", { others: ts.slice(0, -1).map(letter).join(say(", ")), last: letter(ts.at(-1)) });
  const inHead = [...new Set(range(T * Dh).map((m) => Math.floor((h * T * Dh + m) / D)))];
  const own = Dh * Math.floor(f / Dh); // the first feature of the head that the followed one belongs to
  const owned = Dh === 1 ? say`feature ${own}` : say`features ${own} to ${own + Dh - 1}`;
  const astray = view.astray.size > 0;
  if (step === 0)
    return say(
      "{name} is feature {f} of position {at}. It belongs to head {head}, which should get {owned} of every position.",
      { name, f, at: letter(t), head: Math.floor(f / Dh) + 1, owned },
    );
  if (wrong && !astray)
    return say(
      "With one head there is nothing to share out, so nothing can go wrong: the view without the transpose is right.",
    );
  if (wrong && step < 3) {
    const should = { head: h + 1, Dh, T };
    return [
      Dh === 1
        ? say(
            "The shape is right, and no error is raised. But a view keeps the order of memory: head {head} should " +
              "hold {Dh} feature of all {T} positions, ",
            should,
          )
        : say(
            "The shape is right, and no error is raised. But a view keeps the order of memory: head {head} should " +
              "hold {Dh} features of all {T} positions, ",
            should,
          ),
      inHead.length >= T
        ? say("and it holds the wrong ones. ")
        : inHead.length === 1
          ? say`and it holds numbers of position ${letters(inHead)} only. `
          : say`and it holds numbers of positions ${letters(inHead)} only. `,
      step === 2 ? say("The missing transpose would have sorted them. ") : "",
      say`${name} is in row ${letter(row)} of head ${h + 1}.`,
    ].join("");
  }
  if (step === 1)
    return H === 1
      ? say`Each row stays in one piece; nothing moves in memory. ${name} becomes number ${f % Dh} of piece ${h}.`
      : say(
          "Each row is cut into {H} pieces of {Dh}; nothing moves in memory. {name} becomes number {number} of piece " +
            "{piece}.",
          { H, Dh, name, number: f % Dh, piece: h },
        );
  if (step === 2)
    return Dh === 1
      ? say(
          "The head axis comes before the positions: each head is now a table of its own, {T} positions by {Dh} " +
            "feature, and all heads can attend in one batch.",
          { T, Dh },
        )
      : say(
          "The head axis comes before the positions: each head is now a table of its own, {T} positions by {Dh} " +
            "features, and all heads can attend in one batch.",
          { T, Dh },
        );
  if (step === 3) {
    const shares = run.weights[h][row].map((a) => fmt(a)).join(say(", "));
    if (!wrong)
      return say(
        "Only numbers of one head meet: in row {row}, feature {f} becomes the average of feature {f} of the " +
        "values of " +
          "all {T} positions, with weights {shares}.",
        { row: letter(t), f, T, shares },
      );
    const pieces = say("Head {h} treats pieces of {letters} as if they were {T} positions, with weights {shares}.", {
      h: h + 1,
      letters: letters(inHead),
      T,
      shares,
    });
    return pieces + (inHead.length < T ? say(" It never sees the others.") : "");
  }
  if (step === 4)
    return wrong
      ? say(
          "The merge is right, but it cannot repair the split: row {row} is put together from pieces of " +
          "different rows.",
          { row: letter(row) },
        )
      : say`The inverse of split and transpose: ${name} is back in row ${letter(t)}, column ${f}.` +
          (H === 1 ? "" : say(" The heads are side by side and have not met yet."));
  return wrong
    ? say(
        "Every output is computed from misplaced numbers. The shape {shape} gives no sign of it; the largest " +
        "error is " +
          "{error}.",
        { shape: shapeText(view.shapes[5]), error: fmt(view.error) },
      )
    : say("W_O mixes the whole row: each of the {D} outputs of position {at} depends on all {D} merged features.", {
        D,
        at: letter(row),
      }) + (H === 1 ? "" : say(" Here the heads meet for the first time."));
}

const inside = ([t, f], { T, D }) => [Math.min(t, T - 1), Math.min(f, D - 1)];

function render({ model, el }) {
  const fig = figure({
    model,
    el,
    title: say("Which number goes to which head?"),
    hint: say(
      "Step through the layer and point at a cell to follow it. Its letter is its position, its number its " +
        "feature. Keyboard: arrow keys on the cells.",
    ),
  });
  const ids = newId();
  const sizes = () => ({
    T: model.get("num_positions"),
    D: model.get("d_model"),
    H: model.get("num_heads"),
    wrong: model.get("wrong_order"),
  });
  let last = "";
  let shown = null;

  // The arrow keys go to the nearest cell of the drawing in their direction.
  function onKey(event) {
    const ahead = { ArrowUp: [0, -1], ArrowDown: [0, 1], ArrowLeft: [-1, 0], ArrowRight: [1, 0] }[event.key];
    if (!ahead) return;
    take(event);
    const [size, step, [t, f]] = [sizes(), model.get("step"), model.get("cell")];
    const { place } = blocksOf(step, tensor.svg.viewBox.baseVal.width, size);
    const at = (a, b) => {
      const path = trace(a, b, size);
      return place(path[step === 5 ? 4 : step]);
    };
    const [x, y] = at(t, f);
    const ranked = range(size.T)
      .flatMap((a) => range(size.D).map((b) => [a, b]))
      .map(([a, b]) => {
        const [dx, dy] = [at(a, b)[0] - x, at(a, b)[1] - y];
        const along = dx * ahead[0] + dy * ahead[1];
        return { cell: [a, b], along, cost: along + 50 * Math.abs(dx * ahead[1] + dy * ahead[0]) };
      })
      .filter(({ along }) => along > 1)
      .sort((a, b) => a.cost - b.cost);
    if (ranked.length) fig.set({ cell: ranked[0].cell });
  }

  fig.stage({
    height: (width) => (width < NARROW ? 2 * 66 + 10 : 68),
    draw: (p, view) => drawSteps(p, view, fig),
    label: (view) =>
      say("The six steps and their shapes: {steps}", {
        steps: STEPS.map((name, i) => `${name} ${shapeText(view.shapes[i])}`).join(say(", ")),
      }),
  });
  const tensor = fig.stage({
    // As high as its highest step, so that the buttons below do not jump; but no large gap where only one step is high.
    height(width) {
      const heights = range(6).map((step) => blocksOf(step, width, sizes()).height);
      return Math.max(heights[model.get("step")], Math.min(Math.max(...heights), TALLEST));
    },
    draw: (p, view) => drawTensor(p, view, fig, ids, onKey),
    label: (view) =>
      say`The tensor after step ${view.step + 1}, ${STEPS[view.step]}, of shape ${shapeText(view.shapes[view.step])}`,
  });

  const go = (by) => fig.set({ step: clamp(model.get("step") + by, 0, 5) });
  fig.slider("step", { label: say("Step"), min: 0, max: 5, step: 1, format: (i) => `${i + 1} ${STEPS[i]}` });
  const back = fig.button(say("Previous"), () => go(-1));
  const next = fig.button(say("Next"), () => go(1), { primary: true });
  fig.more();
  fig.checkbox("wrong_order", { label: say("Wrong order: view as (B, H, T, Dₕ), no transpose") });

  // A choice that does not fit is refused with its reason, and the figure stays as it was.
  function sizeSelect(name, letter, label, options) {
    const input = fig.select(name, { label, options });
    input.onchange = () => {
      const wanted = { ...sizes(), [letter]: options[input.selectedIndex] };
      const problem = divisionError(wanted.D, wanted.H);
      refused.textContent = problem;
      refused.hidden = !problem;
      if (problem) input.selectedIndex = options.indexOf(model.get(name));
      else fig.set({ cell: inside(model.get("cell"), wanted), [name]: options[input.selectedIndex] });
    };
  }
  sizeSelect("num_positions", "T", say("Positions T"), POSITIONS);
  sizeSelect("d_model", "D", say("Features D"), SIZES);
  sizeSelect("num_heads", "H", say("Heads H"), HEADS);
  const refused = html("p", {
    role: "alert",
    "data-value": "refused",
    hidden: true,
    style:
      "margin-top:0.5rem;padding:0.5rem 0.75rem;border:1px dashed var(--ab-key);border-left:4px solid " +
      "var(--ab-key);border-radius:8px",
  });
  fig.card.querySelector(".ab-controls").after(refused);
  fig.reset(["cell"]);
  fig.controlsFirst();

  // five in a row
  fig.card.querySelector(".ab-outputs").style.gridTemplateColumns = "repeat(auto-fit,minmax(118px,1fr))";
  fig.output("shape", { label: say("shape"), format: String });
  fig.output("index", { label: say("followed cell"), format: String });
  fig.output("number", { label: say("its number"), digits: 3 });
  fig.output("misplaced", { label: say("misplaced cells"), digits: 0, note: " " });
  fig.output("error", { label: say("largest error of the output"), digits: 3 });
  for (const name of ["shape", "index"]) {
    // four numbers in one line
    fig.card.querySelector(`output[data-value="${name}"]`).style.cssText =
      "font-size:15.5px;line-height:1.58;white-space:nowrap";
  }
  const outOf = fig.card.querySelector('output[data-value="misplaced"]').parentElement.querySelector(".ab-note");

  return fig.start((state) => {
    const size = sizes();
    if (size.D % size.H && shown) return shown; // one of two new sizes is still on its way from the kernel
    const [step, cell] = [state("step"), inside(state("cell"), size)];
    const paths = traceAll(size);
    const layer = sample(size.T, size.D);
    const run = attend(layer, size.H, size.wrong);
    const error = furthest(run.output, attend(layer, size.H, false).output);
    const astray = new Set(misplaced(size).map((at) => at.join("-")));
    const now = JSON.stringify([step, size]);
    const path = paths[cell[0]][cell[1]];
    const [, row, column] = path[4];
    shown = { size, step, cell, paths, path, run, error, astray, shapes: shapesOf(size), moving: now !== last };
    last = now;
    back.disabled = step === 0;
    next.disabled = step === 5;
    outOf.textContent = say`of ${size.T * size.D}`;
    fig.show({
      shape: shapeText(shown.shapes[step]),
      index: indexText(path[step]),
      misplaced: astray.size,
      error,
      number: step < 3 ? run.projected[cell[0]][cell[1]] : (step === 5 ? run.output : run.merged)[row][column],
    });
    fig.say(inWords(shown));
    return shown;
  });
}

const takes = (now) => now("d_model") % now("num_heads") === 0;

export default {
  render,
  takes,
  math: { splitHeads, mergeHeads, viewHeads, traceAll, shapesOf, misplaced, sample, attend, divisionError },
};
