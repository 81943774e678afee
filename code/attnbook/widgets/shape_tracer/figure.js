/* The shape tracer: the six tensors of multi-head attention, drawn cell by cell.
 * A cell is named by where it was after the projection: the letter of its position, the number of its feature. */

import { figure } from "../kit/card.js";
import { clamp, fmt, html, newId, range } from "../kit/kit.js";
import { NARROW } from "../kit/paint.js";
import { drawSteps, drawTensor, indexText, letter, shapeText } from "./drawing.js";
import {
  attend, blocksOf, divisionError, furthest, HEADS, mergeHeads, misplaced, POSITIONS, sample, shapesOf, SIZES,
  splitHeads, STEPS, TALLEST, trace, traceAll, viewHeads,
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
    ts.length === 1 ? letter(ts[0]) : `${ts.slice(0, -1).map(letter).join(", ")} and ${letter(ts.at(-1))}`;
  const inHead = [...new Set(range(T * Dh).map((m) => Math.floor((h * T * Dh + m) / D)))];
  const own = Dh * Math.floor(f / Dh); // the first feature of the head that the followed one belongs to
  const owned = Dh === 1 ? `feature ${own}` : `features ${own} to ${own + Dh - 1}`;
  const astray = view.astray.size > 0;
  if (step === 0)
    return (
      `${name} is feature ${f} of position ${letter(t)}. It belongs to head ${Math.floor(f / Dh) + 1}, which ` +
      `should get ${owned} of every position.`
    );
  if (wrong && !astray)
    return (
      "With one head there is nothing to share out, so nothing can go wrong: the view without the transpose is right."
    );
  if (wrong && step < 3) {
    return (
      `The shape is right, and no error is raised. But a view keeps the order of memory: head ${h + 1} should hold ` +
      `${Dh} ${Dh === 1 ? "feature" : "features"} of all ${T} positions, and ` +
      (inHead.length < T
        ? `it holds numbers of ${inHead.length === 1 ? "position" : "positions"} ${letters(inHead)} only. `
        : "it holds the wrong ones. ") +
      `${step === 2 ? "The missing transpose would have sorted them. " : ""}${name} is in row ` +
      `${letter(row)} of head ${h + 1}.`
    );
  }
  if (step === 1)
    return (
      `${H === 1 ? "Each row stays in one piece" : `Each row is cut into ${H} pieces of ${Dh}`}; nothing moves in ` +
      `memory. ${name} becomes number ${f % Dh} of piece ${h}.`
    );
  if (step === 2)
    return (
      `The head axis comes before the positions: each head is now a table of its own, ${T} positions by ${Dh} ` +
      `${Dh === 1 ? "feature" : "features"}, and all heads can attend in one batch.`
    );
  if (step === 3) {
    const shares = run.weights[h][row].map((a) => fmt(a)).join(", ");
    return wrong
      ? `Head ${h} treats pieces of ${letters(inHead)} as if they were ${T} positions, with weights ${shares}.` +
          (inHead.length < T ? " It never sees the others." : "")
      : `Only numbers of one head meet: in row ${letter(t)}, feature ${f} becomes the average of feature ${f} of ` +
          `the values of all ${T} positions, with weights ${shares}.`;
  }
  if (step === 4) {
    return wrong
      ? `The merge is right, but it cannot repair the split: row ${letter(row)} is put together from pieces of ` +
          "different rows."
      : `The inverse of split and transpose: ${name} is back in row ${letter(t)}, column ${f}.` +
          (H === 1 ? "" : " The heads are side by side and have not met yet.");
  }
  return wrong
    ? `Every output is computed from misplaced numbers. The shape ${shapeText(view.shapes[5])} gives no sign of ` +
        `it; the largest error is ${fmt(view.error)}.`
    : `W_O mixes the whole row: each of the ${D} outputs of position ${letter(row)} depends on all ${D} merged ` +
        `features.${H === 1 ? "" : " Here the heads meet for the first time."}`;
}

const inside = ([t, f], { T, D }) => [Math.min(t, T - 1), Math.min(f, D - 1)];

function render({ model, el }) {
  const fig = figure({
    model,
    el,
    title: "Which number goes to which head?",
    hint:
      "Step through the layer and point at a cell to follow it. Its letter is its position, its number its " +
      "feature. Keyboard: arrow keys on the cells.",
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
    event.preventDefault();
    event.stopPropagation(); // JupyterLab moves between cells with the same keys
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
      `The six steps and their shapes: ${STEPS.map((name, i) => `${name} ${shapeText(view.shapes[i])}`).join(", ")}`,
  });
  const tensor = fig.stage({
    // As high as its highest step, so that the buttons below do not jump; but no large gap where only one step is high.
    height(width) {
      const heights = range(6).map((step) => blocksOf(step, width, sizes()).height);
      return Math.max(heights[model.get("step")], Math.min(Math.max(...heights), TALLEST));
    },
    draw: (p, view) => drawTensor(p, view, fig, ids, onKey),
    label: (view) =>
      `The tensor after step ${view.step + 1}, ${STEPS[view.step]}, of shape ${shapeText(view.shapes[view.step])}`,
  });

  const go = (by) => fig.set({ step: clamp(model.get("step") + by, 0, 5) });
  fig.slider("step", { label: "Step", min: 0, max: 5, step: 1, format: (i) => `${i + 1} ${STEPS[i]}` });
  const back = fig.button("Previous", () => go(-1));
  const next = fig.button("Next", () => go(1), { primary: true });
  fig.more();
  fig.checkbox("wrong_order", { label: "Wrong order: view as (B, H, T, Dₕ), no transpose" });

  // A choice that does not fit is refused with its reason, and the figure stays as it was.
  function sizeSelect(name, label, options) {
    const input = fig.select(name, { label, options });
    input.onchange = () => {
      const wanted = { ...sizes(), [label.at(-1)]: options[input.selectedIndex] };
      const problem = divisionError(wanted.D, wanted.H);
      refused.textContent = problem;
      refused.hidden = !problem;
      if (problem) input.selectedIndex = options.indexOf(model.get(name));
      else fig.set({ cell: inside(model.get("cell"), wanted), [name]: options[input.selectedIndex] });
    };
  }
  sizeSelect("num_positions", "Positions T", POSITIONS);
  sizeSelect("d_model", "Features D", SIZES);
  sizeSelect("num_heads", "Heads H", HEADS);
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
  fig.output("shape", { label: "shape", format: String });
  fig.output("index", { label: "followed cell", format: String });
  fig.output("number", { label: "its number", digits: 3 });
  fig.output("misplaced", { label: "misplaced cells", digits: 0, note: " " });
  fig.output("error", { label: "largest error of the output", digits: 3 });
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
    outOf.textContent = `of ${size.T * size.D}`;
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

export default {
  render,
  math: { splitHeads, mergeHeads, viewHeads, traceAll, shapesOf, misplaced, sample, attend, divisionError },
};
