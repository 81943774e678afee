/* The plane of angles and values with a curve per memory. */

const LOOKS = {
  softmax: { label: "softmax", colour: COLOUR.weight, dash: undefined, mark: "line" },
  linear: { label: "linear", colour: COLOUR.key, dash: "9 5", mark: "dash" },
  delta: { label: "delta rule", colour: COLOUR.ink, dash: undefined, mark: "line" },
  best: { label: "best wave (least squares)", colour: COLOUR.muted, dash: "2 5", mark: "dash" },
};
const degrees = (x) => `${fmt(x * UNIT, 0)}°`;
const TOP = 4; // how far up the plane goes, more than a value may

function drawPlane(p, view, fig) {
  const plot = p.plot({ top: p.narrow ? 54 : 34, right: 14, bottom: 46, left: 44 });
  const x = linear([-REACH, REACH], [plot.left, plot.right]);
  const y = linear([-TOP, TOP], [plot.bottom, plot.top]);
  p.axes("axes", {
    plot,
    x,
    y,
    xTicks: range(-3, 4),
    xFormat: degrees,
    yTicks: [-4, -2, 0, 2, 4],
    xLabel: "angle of the key",
    yLabel: "value",
  });
  const inside = p.clip("inside", plot.left, plot.top, plot.width, plot.height);
  const shown = view.least_squares ? ["best", "linear", "delta", "softmax"] : ["linear", "delta", "softmax"];
  p.group("curves", { "clip-path": inside, "aria-hidden": "true" }, (g) =>
    shown.forEach((name) => {
      const { colour, dash } = LOOKS[name];
      const curve = linspace(-REACH, REACH, 181).map((at) => [x(at), y(clamp(view.answers[name](at), -9, 9))]);
      g.path(name, curve, { stroke: colour, "stroke-width": name === "softmax" ? 2.2 : 2.8, "stroke-dasharray": dash });
    }),
  );
  const order = ["softmax", "linear", "delta", "best"].filter((name) => shown.includes(name));
  p.legend(
    "legend",
    plot.left,
    17,
    order.map((name) => LOOKS[name]),
    { maxWidth: plot.width },
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
      label: `pair ${j + 1}`,
      text: `key at ${degrees(at[0])}, value ${fmt(at[1], 1)}${there ? "" : ", not written yet"}`,
      onMove: (to) => fig.set({ pairs: view.pairs.map((pair, i) => (i === j ? to : pair)) }),
    });
    p.text(`name${j}`, x(at[0]), y(at[1]) - 15, String(j + 1), {
      size: 13,
      weight: 650,
      anchor: "middle",
      halo: true,
      "pointer-events": "none",
    });
  });
}
