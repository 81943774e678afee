/* The plane of angles and values with a curve per memory. */

import { clamp, COLOUR, fmt, linspace, range, say } from "../kit/kit.js";
import { linear } from "../kit/paint.js";
import { REACH, UNIT } from "./maths.js";

const LOOKS = {
  softmax: { label: say("softmax"), colour: COLOUR.ink, dash: undefined, mark: "line" },
  linear: { label: say("linear"), colour: COLOUR.muted, dash: "9 5", mark: "dash" },
  delta: { label: say("delta rule"), colour: COLOUR.weight, dash: undefined, mark: "line" },
  before: {
    label: say("delta, one pair earlier"),
    short: { label: say("… before") }, // on a phone, next to the delta rule
    colour: COLOUR.masked,
    dash: undefined,
    mark: "line",
  },
  best: { label: say("least squares"), colour: COLOUR.ink, dash: "2 5", mark: "dash" },
};
const PAIR = { label: say("pair"), colour: COLOUR.value, mark: "square" };
const HEAD = 8; // of an arrow, in pixels
const WIDTHS = { softmax: 2.2, before: 1.6 };
const degrees = (x) => `${fmt(x * UNIT, 0)}°`;
const TOP = 4; // how far up the plane goes, more than a value may

export function drawPlane(p, view, fig) {
  const plot = p.plot({ top: p.width < 640 ? 54 : 34, right: 14, bottom: 46, left: 44 });
  const x = linear([-REACH, REACH], [plot.left, plot.right]);
  const y = linear([-TOP, TOP], [plot.bottom, plot.top]);
  p.axes("axes", {
    plot,
    x,
    y,
    xTicks: range(-3, 4),
    xFormat: degrees,
    yTicks: [-4, -2, 0, 2, 4],
    xLabel: say("angle of the key"),
    yLabel: say("value"),
  });
  const inside = p.clip("inside", plot.left, plot.top, plot.width, plot.height);
  const answers = { ...view.answers, before: view.before };
  const shown = ["before", "best", "linear", "delta", "softmax"].filter(
    (name) => (name !== "best" || view.least_squares) && (name !== "before" || view.count > 0),
  );
  p.group("curves", { "clip-path": inside, "aria-hidden": "true" }, (g) =>
    shown.forEach((name) => {
      const { colour, dash } = LOOKS[name];
      const curve = linspace(-REACH, REACH, 181).map((at) => [x(at), y(clamp(answers[name](at), -9, 9))]);
      g.path(name, curve, { stroke: colour, "stroke-width": WIDTHS[name] || 2.8, "stroke-dasharray": dash });
    }),
  );
  const order = ["softmax", "linear", "delta", "before", "best"].filter((name) => shown.includes(name));
  p.legend(
    "legend",
    p.narrow ? 0 : plot.left,
    17,
    [PAIR, ...order.map((name) => ({ ...LOOKS[name], ...(p.narrow && LOOKS[name].short) }))],
    { maxWidth: p.narrow ? p.width : plot.width },
  );
  view.pairs.forEach((at, j) => {
    const there = j < view.written;
    p.handle(`pair-${j + 1}`, {
      x,
      y,
      at,
      step: 0.1,
      min: [-REACH, -REACH],
      max: [REACH, REACH],
      colour: there ? COLOUR.value : COLOUR.masked,
      shape: "square",
      size: there ? 9 : 6,
      label: say`pair ${j + 1}`,
      text: there
        ? say`key at ${degrees(at[0])}, value ${fmt(at[1], 1)}`
        : say`key at ${degrees(at[0])}, value ${fmt(at[1], 1)}, not written yet`,
      onMove: (to) => fig.set({ pairs: view.pairs.map((pair, i) => (i === j ? to : pair)) }),
    });
    p.text(`name${j}`, x(at[0]) + (there ? 13 : 10), y(at[1]) + 4.5, String(j + 1), {
      size: 13,
      weight: 650,
      halo: true,
      "pointer-events": "none",
    });
  });
  p.group("moves", { "aria-hidden": "true", "pointer-events": "none" }, (g) =>
    view.pairs.slice(0, view.count).forEach(([at], j) => {
      const [from, to] = [view.before(at), view.answers.delta(at)].map((answer) => y(clamp(answer, -TOP, TOP)));
      if (Math.abs(to - from) < 2) return;
      const start = to - Math.sign(to - from) * Math.max(HEAD, Math.abs(to - from)); // a short move is all head
      g.arrow(`move${j}`, x(at), start, x(at), to, { width: j === view.count - 1 ? 3 : 1.8, head: HEAD });
    }),
  );
  markOutside(p, shown, answers, x, y);
}

// Curves that leave the plane: an arrow at the edge where each is furthest out, and how far it goes.
function markOutside(p, names, answers, x, y) {
  [1, -1].forEach((side) => {
    names
      .filter((name) => name !== "before")
      .map((name) => {
        const curve = linspace(-REACH, REACH, 181).map((at) => [at, answers[name](at)]);
        return [name, ...curve.reduce((most, point) => (side * point[1] > side * most[1] ? point : most))];
      })
      .filter(([, , value]) => side * value > TOP)
      .forEach(([name, at, value], n) => {
        const { label } = LOOKS[name];
        const number = fmt(value);
        const far = side > 0 ? say`${label} up to ${number}` : say`${label} down to ${number}`;
        const room = p.narrow ? 60 : 90; // half a line
        p.text(
          `${name}${side}`,
          clamp(x(at), x(-REACH) + room, x(REACH) - room),
          y(side * TOP) + (side > 0 ? 15 + 17 * n : -7 - 17 * n),
          `${side > 0 ? "▲" : "▼"} ${p.narrow ? `${label} ${number}` : far}`,
          {
            size: 12.5,
            weight: 650,
            anchor: "middle",
            colour: LOOKS[name].colour,
            halo: true,
            "pointer-events": "none",
          },
        );
      });
  });
}
