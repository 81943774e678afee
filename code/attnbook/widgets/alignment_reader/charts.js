/* All weights as a heat map, and BLEU against the time of training. */

// The map's height is the same for all sentences: with fewer words the rows are taller.
const KEYS = SENTENCES.flatMap(({ source }) => source);
const MAP_TOP = Math.ceil(38 + 0.6 * Math.max(...KEYS.map((word) => textWidth(word, 13))));
const MAP_HEIGHT = MAP_TOP + 24 * Math.max(...EVERY.map((words) => words.length)) + 6;

function mapSizes(view, width) {
  const left = 10 + Math.max(...view.words.map((word) => textWidth(word, 13)));
  const wide = Math.min(56, (width - left - 18) / view.source.length);
  return { left, top: MAP_TOP, wide, tall: Math.min(46, (MAP_HEIGHT - MAP_TOP - 6) / view.words.length) };
}

function drawMap(p, view, act) {
  const { left, top, wide, tall } = mapSizes(view, p.width);
  p.text(
    "title",
    0,
    15,
    view.weights ? "All weights: queries down, keys across" : "No attention, so no weights",
    { weight: 650, size: 14 },
  );
  view.source.forEach((word, j) =>
    p.text(`k${j}`, left + (j + 0.5) * wide - 3, top - 6, word, { rotate: -38, colour: COLOUR.keyInk, size: 13 }),
  );
  view.words.forEach((word, i) => {
    const there = i < view.shown;
    const y = top + i * tall;
    if (there)
      p.text(`q${i}`, left - 7, y + tall / 2 + 4.5, word, {
        anchor: "end",
        colour: COLOUR.query,
        weight: i === view.at ? 700 : 400,
        size: 13,
      });
    p.group(`row${i}`, { cursor: there ? "pointer" : undefined, onclick: there ? () => act.look(i) : undefined }, (g) =>
      view.source.forEach((_, j) => {
        const a = view.weights ? view.weights[i][j] : 0;
        g.cell(`c${j}`, left + j * wide, y, wide, tall, {
          weight: there ? a : 0,
          masked: !view.weights || !there,
          "data-cell": `${i}-${j}`,
          text: there && view.weights && wide >= 21 && a >= 0.005 ? fmt(a).replace("0.", ".") : undefined,
        });
      }),
    );
  });
  if (view.at >= 0)
    p.rect("chosen", left - 1, top + view.at * tall - 1, wide * view.source.length + 2, tall + 2, {
      fill: "none",
      stroke: COLOUR.query,
      "stroke-width": 2.4,
      rx: 3,
      "pointer-events": "none",
    });
}

function drawBleu(p, view, fig) {
  const plot = p.plot({ top: 44, right: 14, bottom: 42, left: 40 });
  const n = DATA.epochs.length;
  const x = linear([0, n - 1], [plot.left + 6, plot.right - 6]);
  const top = Math.ceil(Math.max(...DATA.bleu.with, ...DATA.bleu.without) / 10) * 10;
  const y = linear([0, top], [plot.bottom, plot.top]);
  p.text("title", 0, 15, "BLEU on held-out sentences", { weight: 650, size: 14 });
  p.axes("axes", {
    plot,
    x,
    y,
    xLabel: "epochs of training",
    xTicks: range(n),
    xFormat: (i) => String(DATA.epochs[i]),
    yTicks: 4,
    grid: true,
  });
  p.line("now", x(view.moment), plot.top, x(view.moment), plot.bottom, {
    stroke: COLOUR.accent,
    "stroke-width": 2,
    "stroke-dasharray": "2 4",
  });
  [
    ["with", COLOUR.weight, "circle", undefined],
    ["without", COLOUR.muted, "square", "5 4"],
  ].forEach(([name, colour, shape, dash]) => {
    const used = (name === "with") === view.attention;
    const values = DATA.bleu[name];
    p.path(
      name,
      values.map((v, i) => [x(i), y(v)]),
      { stroke: colour, "stroke-width": used ? 2.8 : 1.8, "stroke-dasharray": dash },
    );
    values.forEach((v, i) =>
      p.mark(`${name}${i}`, shape, x(i), y(v), used && i === view.moment ? 6 : 3, {
        fill: colour,
        stroke: COLOUR.ground,
        "stroke-width": 1,
      }),
    );
  });
  p.legend(
    "legend",
    plot.left,
    34,
    [
      { label: "with attention", colour: COLOUR.weight },
      { label: "without", colour: COLOUR.muted, mark: "dash" },
    ],
    { maxWidth: plot.width + 20 },
  );
  p.rect("choose", plot.left, plot.top, plot.width, plot.height, {
    fill: "transparent",
    cursor: "pointer",
    "data-handle": "bleu",
    onclick: (event) => fig.set({ moment: clamp(Math.round(x.invert(p.where(event)[0])), 0, n - 1) }),
  });
}
