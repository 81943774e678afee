/* The block explorer: a layer whose norm and residual sum can be moved and taken out, and what a stack of such
 * layers does before training. All numbers were measured by tools/experiments/block_grid.py and come with the state. */

import { figure } from "../kit/card.js";
import { clamp, COLOUR, range, say } from "../kit/kit.js";
import { linear } from "../kit/paint.js";
import { textWidth } from "../kit/words.js";
import { drawBlock, isSmall, layerWide, shapeAt } from "./layer.js";
import {
  decades,
  DEEPEST,
  factor,
  FLOOR,
  inWords,
  lineOf,
  logTicks,
  longestSentences,
  LOOKS,
  MEASURES,
  nameOf,
  NORMS,
  sentence,
  sentenceFor,
  SHORT_TITLES,
  nameShown,
  tickName,
  TITLES,
  topsOf,
  trendOf,
  value,
  viewOf,
  WIRINGS,
} from "./numbers.js";

// ---- the charts ----------------------------------------------------------------------------------

// `lost` is said of a number below which there is only rounding: the line ends there, without a mark.
function series(p, key, all, { x, y, colour, shape, bold, lost }) {
  const end = all.findIndex(lost);
  const rows = end < 0 ? all : all.slice(0, end + 1);
  const at = (row, q) => [x(row[0]), y(Math.log10(row[q]))];
  if (bold) {
    p.path(`${key}-band`, [...rows.map((row) => at(row, 1)), ...rows.map((row) => at(row, 3)).reverse()], {
      close: true,
      fill: colour,
      "fill-opacity": 0.16,
    });
  }
  p.path(
    `${key}-line`,
    rows.map((row) => at(row, 2)),
    { stroke: colour, "stroke-width": bold ? 2.6 : 1.6, "stroke-dasharray": bold ? undefined : "5 4" },
  );
  rows.forEach((row, i) => {
    if (lost(row)) return;
    p.mark(`${key}-mark${i}`, shape, ...at(row, 2), bold ? 4 : 3, {
      fill: bold ? colour : COLOUR.ground,
      stroke: colour,
      "stroke-width": bold ? 0 : 1.4,
      "data-mark": key,
    });
  });
}

// Where a label has the fewest marks behind it: above the place or below it, near or a little further away.
function clearOf(spots, [x, y], half, { top, bottom }) {
  const behind = (at) => spots.filter(([sx, sy]) => Math.abs(sx - x) < half + 2 && sy > at - 14 && sy < at + 5).length;
  const all = [-15, 26, -33, 44].map((by) => y + by).filter((at) => at > top + 8 && at < bottom - 2);
  return [x, all.reduce((best, at) => (behind(at) < behind(best) ? at : best))];
}

// The zone of shares that are rounding alone.
function rounding(p, key, plot, top, name) {
  if (top >= plot.bottom) return;
  p.rect(key, plot.left, top, plot.width, plot.bottom - top, { fill: COLOUR.muted, "fill-opacity": 0.16 });
  if (name)
    p.text(`${key}-name`, plot.left + 6, (top + plot.bottom) / 2 + 4, say("only rounding"), {
      size: 12,
      colour: COLOUR.muted,
    });
}

const IN_TO_OUT = say("layer, from input to output");

function drawCharts(p, view, fig) {
  const { measure, depth, layer, line, tops, otherLine, otherTops, other, domain } = view;
  const small = isSmall(p.width);
  const start = layerWide(p.width);
  const lost = (row) => measure === "apart" && row[2] <= FLOOR;
  const [left, right] = [start + (small ? 42 : 50), p.width - (small ? 9 : 12)];
  const plot = (top, bottom) => ({ left, right, top, bottom, width: right - left, height: bottom - top });
  const above = small ? plot(58, 194) : plot(62, 232);
  const below = small ? plot(266, 326) : plot(309, 399);
  const from = measure === "gradient" ? 1 : 0;
  const x = linear([from - 0.4, DEEPEST + 0.4], [left, right]);
  const deep = linear([1.6, DEEPEST + 0.4], [left, right]);
  const y = linear(domain, [above.bottom, above.top]);
  const low = linear(domain, [below.bottom, below.top]);
  const yTicks = logTicks(...domain);
  const [colour, shape] = LOOKS[view.norm];
  const [otherColour, otherShape] = other ? LOOKS[view.otherNorm] : [];
  const heading = { weight: 650, size: small ? 13 : 14 };
  const every = (ticks) => (small ? ticks.filter((tick) => tick % 2 === 0) : ticks);
  p.text("title", start, small ? 12 : 15, (small ? SHORT_TITLES : TITLES)[measure], heading);
  p.legend(
    "legend",
    small ? start : left,
    small ? 32 : 42,
    [
      { label: nameShown(view.name), colour, mark: shape },
      ...(other ? [{ label: nameShown(other), colour: otherColour, mark: "dash" }] : []),
    ],
    { maxWidth: small ? 60 : above.width }, // on a phone one below the other
  );
  p.axes("layers", {
    plot: above,
    x,
    y,
    xTicks: every(range(from, DEEPEST + 1)),
    xFormat: String,
    yTicks,
    yFormat: tickName,
    xLabel: measure !== "gradient" ? say("after layer (0: input)") : small ? say("layer, input to output") : IN_TO_OUT,
  });
  const aside = { size: 12, anchor: "end", colour: COLOUR.muted };
  p.text("unit", right, small ? 32 : 15, say("log axis"), aside);
  // on a phone it is said below
  if (!small) p.text("bandName", right, 42, say`band: middle half of ${nameShown(view.name)}`, aside);
  const floors = measure === "apart" ? [y, low].map((scale) => scale(Math.log10(FLOOR))) : [Infinity, Infinity];
  rounding(p, "rounding", above, floors[0], true);
  if (other) series(p, "other", otherLine, { x, y, colour: otherColour, shape: otherShape, bold: false, lost });
  series(p, "line", line, { x, y, colour, shape, bold: true, lost });
  const here = line[layer - from];
  p.handle("layer", {
    x,
    y,
    at: [layer, Math.log10(here[2])],
    axis: "x",
    step: 1,
    min: [1, -Infinity],
    max: [depth, Infinity],
    size: 6.5,
    colour: lost(here) ? COLOUR.muted : colour,
    label: say("layer that is read"),
    text: say`layer ${layer}: ${value(here[2], measure)}`,
    onMove: ([to]) => fig.set({ layer: Math.round(to) }),
  });
  const [hx, hy] = [x(layer), y(Math.log10(here[2]))];
  const shown = value(here[2], measure);
  const half = Math.max(24, textWidth(shown, 13) / 2 + 4);
  const marks = [...line, ...(otherLine || [])].filter((row) => row !== here && !lost(row));
  const spots = marks.map((row) => [x(row[0]), y(Math.log10(row[2]))]);
  const place = [clamp(hx, left + half, right - half), hy];
  p.text("read", ...clearOf(spots, place, half, above), shown, {
    size: 13,
    weight: 700,
    anchor: "middle",
    halo: true,
    "pointer-events": "none",
  });

  const deepTitle = small ? say("Last layer, by depth L") : say("The last layer, in stacks of 2 to 12");
  p.text("depths", start, below.top - 15, deepTitle, heading);
  p.axes("stacks", {
    plot: below,
    x: deep,
    y: low,
    xTicks: every(range(2, DEEPEST + 1)),
    xFormat: String,
    yTicks: thinned(yTicks),
    yFormat: tickName,
    xLabel: small ? undefined : say("number of layers, L"),
  });
  rounding(p, "roundingTops", below, floors[1], false);
  const deepAxes = { x: deep, y: low, lost };
  if (other) series(p, "otherTops", otherTops, { ...deepAxes, colour: otherColour, shape: otherShape, bold: false });
  series(p, "tops", tops, { ...deepAxes, colour, shape, bold: true });
  p.handle("depth", {
    x: deep,
    y: low,
    at: [depth, Math.log10(tops[depth - 2][2])],
    axis: "x",
    step: 1,
    min: [2, -Infinity],
    max: [DEEPEST, Infinity],
    size: 6.5,
    colour: lost(tops[depth - 2]) ? COLOUR.muted : colour,
    label: say("number of layers"),
    text: say`${depth} layers`,
    onMove: ([to]) => fig.set(deeper(view, Math.round(to))),
  });
}

const thinned = (values) => values.filter((_, i) => values.length < 4 || i % Math.ceil(values.length / 3) === 0);

// Another wiring: what one had before is drawn beside it, unless nothing is.
const rewired = ({ norm, residual, compare }, change) => ({
  ...change,
  ...(compare === "nothing" ? {} : { compare: nameOf(norm, residual) }),
});

// A new depth: if the last layer was being read, it still is.
const deeper = ({ depth, layer }, to) => ({ depth: to, layer: layer === depth ? to : Math.min(layer, to) });

function render({ model, el }) {
  const fig = figure({
    model,
    el,
    title: say("Where does the norm go?"),
    hint: say("Click a dashed box to move the norm, or a + to cut the sum: what you had before stays, dashed."),
  });
  const rewire = (change) => {
    const [norm, residual, compare] = ["norm", "residual", "compare"].map(fig.get);
    if (norm !== "none") fig.set({ _place: norm });
    fig.set(rewired({ norm, residual, compare }, change));
  };
  fig.stage({
    height: (width) => shapeAt(width).height,
    draw: (p, view) => {
      p.group("block", {}, (g) => drawBlock(g, view, rewire));
      drawCharts(p, view, fig);
    },
    label: ({ name, other, depth, measure }) => {
      const drawn = { name: nameShown(name), depth, what: TITLES[measure].toLowerCase() };
      return other
        ? say(
            "A layer: {name}; {depth} of them make the stack. Beside it {what}, compared with {other}; below, the " +
              "last layer against the depth",
            { ...drawn, other: nameShown(other) },
          )
        : say(
            "A layer: {name}; {depth} of them make the stack. Beside it {what}; below, the last layer against the " +
              "depth",
            drawn,
          );
    },
  });
  const norms = fig.select("norm", { label: say("Norm"), options: NORMS });
  norms.onchange = () => rewire({ norm: NORMS[norms.selectedIndex][0] });
  const added = fig.checkbox("residual", { label: say("residual sum") });
  added.onchange = () => rewire({ residual: added.checked });
  const depths = fig.slider("depth", { label: say("Layers L"), min: 2, max: DEEPEST, step: 1 });
  depths.oninput = () => fig.set(deeper({ depth: fig.get("depth"), layer: fig.get("layer") }, +depths.value));
  // The stack grows layer by layer; then it begins with two again.
  const deepen = () => {
    const [depth, layer] = ["depth", "layer"].map(fig.get);
    fig.set(deeper({ depth, layer }, depth === DEEPEST ? 2 : depth + 1));
  };
  const ended = () => fig.get("depth") === DEEPEST;
  const { button } = fig.player(say("Add layers"), { pace: 700, begin: deepen, next: deepen, ended });
  depths.closest(".ab-control").before(button); // on a phone beside the checkbox
  fig.more();
  fig.select("measure", { label: say("Draw"), options: MEASURES });
  const compare = fig.select("compare", {
    label: say("Compare with"),
    options: [...WIRINGS.map(([name]) => [name, nameShown(name)]), ["nothing", say("nothing")]],
  });
  fig.keep("_place", "after"); // where the norm stood last: when it is taken out it fades there
  fig.reset(["layer"]);
  fig.controlsFirst();
  let measure = "gradient";
  const format = (v) => (v === null ? "–" : value(v, measure));
  const { seeds } = model.get("grid");
  fig.output("first", { label: say("where it starts"), format, note: say`median of ${seeds} stacks` });
  fig.output("last", { label: say("where it ends"), format, note: say("band: the middle half") });
  fig.output("ratio", {
    label: say("end ÷ start"),
    format: (v) => (v === null ? "–" : factor(v)),
    note: say("of the two medians"),
  });
  fig.output("other", { label: say("end of the dashed line"), format, note: say("median of the stacks") });
  // two by two on a phone
  fig.card.querySelector(".ab-outputs").style.gridTemplateColumns = "repeat(auto-fit,minmax(138px,1fr))";

  let room = -1; // the card's width for which the sentence's height is kept
  return fig.start((state) => {
    const [norm, residual, depth, grid] = ["norm", "residual", "depth", "grid"].map(state);
    measure = state("measure");
    const place = norm === "none" ? state("_place") : norm;
    const [layer, compared] = ["layer", "compare"].map(state);
    const seen = viewOf(grid, { norm, residual, depth, measure, layer, compare: compared });
    const { name, other, otherNorm, otherResidual, line } = seen;
    WIRINGS.forEach(([own], i) => {
      compare.options[i].disabled = own === name;
    });
    const wirings = [[norm, residual], ...(other ? [[otherNorm, otherResidual]] : [])];
    const view = { ...seen, place, domain: decades(grid, wirings, measure) };
    const gone = line.at(-1)[2] <= FLOOR && measure === "apart";
    fig.show({
      first: line[0][2],
      last: line.at(-1)[2],
      ratio: gone ? null : line.at(-1)[2] / line[0][2],
      other: other ? view.otherLine.at(-1)[2] : null,
    });
    if (room !== fig.card.clientWidth) {
      room = fig.card.clientWidth;
      longestSentences(grid).forEach(fig.say); // at a new width: nothing below moves later
    }
    fig.say(sentenceFor(view));
    return view;
  });
}

export default {
  render,
  math: { lineOf, topsOf, decades, logTicks, tickName, factor, inWords, trendOf, rewired, deeper, sentence },
};
