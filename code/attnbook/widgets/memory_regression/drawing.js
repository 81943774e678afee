/* The plane of angles and values with a curve per memory; three columns of what is read back. */

const LOOKS = {
  softmax: { label: "softmax", colour: COLOUR.weight, dash: undefined, mark: "line" },
  linear: { label: "linear", colour: COLOUR.key, dash: "9 5", mark: "dash" },
  delta: { label: "delta rule", colour: COLOUR.ink, dash: undefined, mark: "line" },
  best: { label: "least squares", colour: COLOUR.muted, dash: "2 5", mark: "dash" },
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
  p.legend("legend", plot.left, 17, order.map((name) => LOOKS[name]), { maxWidth: plot.width });
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

function drawColumns(p, view) {
  const [top, row] = [46, 24];
  const gap = p.narrow ? 8 : 22;
  const names = 18;
  const wide = (p.width - names - 2 * gap - 4) / 3;
  const base = top + row * view.pairs.length;
  view.pairs.forEach((_, j) =>
    p.text(`row${j}`, 2, top + row * (j + 0.5) + 4.5, String(j + 1), { size: 13, weight: 650 }),
  );
  ["softmax", "linear", "delta"].forEach((name, c) => {
    const left = names + c * (wide + gap);
    const place = linear([-TOP, TOP], [left + 4, left + wide - 4]);
    const { read, error } = view.back[name];
    p.group(name, { "aria-hidden": "true" }, (g) => {
      g.text("title", left, 15, LOOKS[name].label, { size: 14, weight: 650, colour: LOOKS[name].colour });
      g.text("error", left, 33, `off by ${fmt(error)}`, { size: 12.5, colour: COLOUR.muted });
      g.rect("ground", left, top - 4, wide, base - top + 8, { fill: "var(--ab-panel,#f6f7fa)", rx: 6 });
      g.line("zero", place(0), top - 4, place(0), base + 4, { stroke: COLOUR.line, "stroke-width": 1 });
      read.forEach((r, j) => {
        const middle = top + row * (j + 0.5);
        const [from, to] = [place(view.pairs[j][1]), place(clamp(r, -TOP, TOP))];
        g.line(`gap${j}`, from, middle, to, middle, { stroke: COLOUR.output, "stroke-width": 3 });
        g.mark(`value${j}`, "square", from, middle, 5.5, { fill: COLOUR.value });
        g.circle(`read${j}`, to, middle, 5, { fill: COLOUR.output, stroke: COLOUR.ground, "stroke-width": 1.5 });
      });
    });
  });
  p.group("legend", { "aria-hidden": "true" }, (g) => {
    g.legend("items", names, base + 24, [
      { label: "written", colour: COLOUR.value, mark: "square" },
      { label: "read back", colour: COLOUR.output, mark: "dot" },
    ]);
  });
}
