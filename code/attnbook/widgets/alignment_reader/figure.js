/* The alignment reader: stored attention weights of a translator at several moments of its training, read word by
 * word. The target word that asks is drawn in the query's colour, the source words in the key's. */
// uses data.json, ../kit/words.js

const SENTENCES = DATA.sentences;
const STATE_SIZE = DATA.recipe.sizes.hidden_size;

// ---- the numbers ---------------------------------------------------------------------------------

// What is read: target words and, with attention, a row of weights for each; weights are stored in thousandths.
function reading(sentence, moment, attention, target) {
  const row = SENTENCES[sentence];
  const words = target === "reference" ? row.reference : attention ? row.with[moment].own : row.without[moment];
  if (!attention) return { words, weights: null };
  const stored = target === "reference" ? row.with[moment].forced : row.with[moment].weights;
  return { words, weights: stored.map((weights) => weights.map((a) => a / 1000)) };
}

// Over how many words a row is spread: the exponential of its entropy, 1 … S.
function spreadOf(weights) {
  const total = sum(weights);
  return Math.exp(-sum(weights.filter((a) => a > 0).map((a) => (a / total) * Math.log(a / total))));
}

const largest = (weights) => weights.indexOf(Math.max(...weights));

const epochText = (epoch) => (epoch === 0 ? "untrained" : `${epoch} epoch${epoch === 1 ? "" : "s"}`);

// ---- the drawing ---------------------------------------------------------------------------------

const TYPE = 15;
const BOX = 31;

// Where the boxes of both sentences stand: two rows if they fit, else two columns.
function layOut(source, target, width) {
  const sizes = [source, target].map((words) => words.map((word) => Math.max(34, textWidth(word, TYPE) + 18)));
  const gap = 7;
  const rows = sizes.every((all) => sum(all) + gap * (all.length - 1) <= width);
  if (!rows) {
    const column = (all, x, end) => all.map((w, i) => ({ x: end ? x - w : x, y: 30 + 37 * i, w }));
    return {
      rows,
      height: 40 + 37 * Math.max(source.length, target.length),
      source: column(sizes[0], width * 0.41, true),
      target: column(sizes[1], width * 0.61, false),
    };
  }
  const row = (all, y) => {
    const air = clamp((width - 40 - sum(all)) / all.length, gap, 30);
    let x = (width - sum(all) - air * (all.length - 1)) / 2;
    return all.map((w) => {
      const box = { x, y, w };
      x += w + air;
      return box;
    });
  };
  return { rows, height: 266, source: row(sizes[0], 42), target: row(sizes[1], 214) };
}

function ribbon(from, to, rows) {
  const r = (v) => Math.round(v * 10) / 10;
  const [a, b] = rows
    ? [
        [from.x + from.w / 2, from.y + BOX],
        [to.x + to.w / 2, to.y],
      ]
    : [
        [from.x + from.w, from.y + BOX / 2],
        [to.x, to.y + BOX / 2],
      ];
  const bend = 0.45 * (rows ? b[1] - a[1] : b[0] - a[0]);
  const [c, d] = rows
    ? [
        [a[0], a[1] + bend],
        [b[0], b[1] - bend],
      ]
    : [
        [a[0] + bend, a[1]],
        [b[0] - bend, b[1]],
      ];
  return `M${a.map(r)}C${c.map(r)} ${d.map(r)} ${b.map(r)}`;
}

function drawReading(p, view, act) {
  const { source, words, weights, shown, at } = view;
  const place = layOut(source, words, p.width);
  const now = weights && at >= 0 ? weights[at] : null;
  const label = (key, text, box, y, colour) =>
    p.text(key, place.rows ? 0 : box.x + (key === "keys" ? box.w : 0), y, text, {
      colour,
      weight: 650,
      size: 13,
      anchor: place.rows || key === "queries" ? "start" : "end",
    });
  label("keys", "English: keys", place.source[0], 14, COLOUR.key);
  label("queries", "French: queries", place.target[0], place.rows ? place.height - 4 : 14, COLOUR.query);
  p.group("ribbons", { "aria-hidden": "true" }, (g) => {
    if (!weights) {
      drawFunnel(g, view, place);
      return;
    }
    weights.slice(0, shown).forEach((row, i) =>
      row.forEach((a, j) => {
        if (a < 0.015) return;
        const strong = i === at;
        g.add("path", `r${i}-${j}`, {
          d: ribbon(place.source[j], place.target[i], place.rows),
          fill: "none",
          stroke: COLOUR.weight,
          "stroke-width": Math.max(0.7, 16 * a),
          opacity: strong ? 0.88 : 0.13,
          "data-ribbon": `${i}-${j}`,
        });
      }),
    );
  });
  source.forEach((word, j) => {
    const { x, y, w } = place.source[j];
    const unknown = view.unknown.includes(j);
    p.group(`s${j}`, {}, (g) => {
      g.rect("box", x, y, w, BOX, {
        rx: 7,
        fill: now ? weightFill(now[j]) : COLOUR.ground,
        stroke: isEnd(word) || unknown ? COLOUR.masked : COLOUR.key,
        "stroke-width": 1.7,
        "stroke-dasharray": unknown ? "4 3" : undefined,
      });
      g.text("word", x + w / 2, y + 21, word, {
        size: TYPE,
        weight: 600,
        anchor: "middle",
        colour: now ? weightInk(now[j]) : isEnd(word) ? COLOUR.muted : COLOUR.ink,
      });
      if (now) {
        const [tx, ty, anchor] = place.rows ? [x + w / 2, y - 7, "middle"] : [x - 6, y + 20, "end"];
        g.text("weight", tx, ty, fmt(now[j]), {
          size: 12.5,
          anchor,
          weight: j === largest(now) ? 700 : 400,
          colour: now[j] < 0.005 ? COLOUR.muted : COLOUR.ink,
          "data-weight": j,
        });
      }
    });
  });
  const attrs = {
    role: "listbox",
    tabindex: 0,
    "data-handle": "words",
    "aria-label": "Words of the translation",
    "aria-orientation": place.rows ? "horizontal" : "vertical",
    "aria-activedescendant": at >= 0 ? act.idOf(at) : undefined,
    onkeydown: act.onKey,
  };
  p.group("words", attrs, (all) =>
    words.slice(0, shown).forEach((word, i) => {
      const { x, y, w } = place.target[i];
      const strong = i === at;
      all.group(
        `t${i}`,
        {
          id: act.idOf(i),
          role: "option",
          "aria-selected": String(strong),
          "aria-label": view.rowInWords(i),
          "data-handle": `word${i}`,
          cursor: "pointer",
          onclick: () => act.look(i),
          onpointerenter: (event) => {
            if (event.pointerType === "mouse") act.look(i);
          },
        },
        (g) => {
          g.rect("box", x, y, w, BOX, {
            rx: 7,
            fill: strong ? COLOUR.query : COLOUR.ground,
            stroke: isEnd(word) && !strong ? COLOUR.masked : COLOUR.query,
            "stroke-width": strong ? 2.2 : 1.7,
          });
          g.text("word", x + w / 2, y + 21, word, {
            size: TYPE,
            weight: 600,
            anchor: "middle",
            colour: strong ? COLOUR.ground : isEnd(word) ? COLOUR.muted : COLOUR.ink,
          });
        },
      );
    }),
  );
  if (shown < words.length) {
    const { x, y } = place.target[shown];
    p.rect("next", x, y, 34, BOX, {
      rx: 7,
      fill: "none",
      stroke: COLOUR.masked,
      "stroke-width": 1.5,
      "stroke-dasharray": "4 3",
    });
    p.text("ask", x + 17, y + 21, "?", { size: TYPE, anchor: "middle", colour: COLOUR.muted });
  }
}

// Without attention: all words go into one vector, and every word comes out of it.
function drawFunnel(g, { shown }, place) {
  const [cx, cy] = place.rows ? [g.width / 2, 143] : [g.width * 0.51, place.height / 2];
  const knot = { x: cx - 4, w: 8 };
  place.source.forEach((box, j) =>
    g.add("path", `s${j}`, {
      d: ribbon(box, { ...knot, y: place.rows ? cy : cy - BOX / 2 }, place.rows),
      fill: "none",
      stroke: COLOUR.masked,
      "stroke-width": 1.4,
    }),
  );
  place.target
    .slice(0, shown)
    .forEach((box, i) =>
      g.add("path", `t${i}`, {
        d: ribbon({ ...knot, y: place.rows ? cy - BOX : cy - BOX / 2 }, box, place.rows),
        fill: "none",
        stroke: COLOUR.masked,
        "stroke-width": 1.4,
        "stroke-dasharray": "4 3",
      }),
    );
  g.circle("vector", cx, cy, 9, { fill: COLOUR.ink });
  const beside = place.rows && g.width - cx > 200; // room for the words at the right of the vector
  const [x, y, anchor] = beside ? [cx + 18, cy + 5, "start"] : [cx, place.rows ? cy + 30 : cy - 18, "middle"];
  g.text("name", x, y, place.rows ? `one vector of ${STATE_SIZE} numbers` : `${STATE_SIZE} numbers`, {
    size: 13,
    weight: 650,
    halo: true,
    anchor,
  });
}

function mapSizes(view, width) {
  const left = 10 + Math.max(...view.words.map((word) => textWidth(word, 13)));
  const top = 40 + 0.6 * Math.max(...view.source.map((word) => textWidth(word, 13)));
  const wide = Math.min(46, (width - left - 18) / view.source.length);
  return { left, top, wide, tall: 27, height: top + 27 * view.words.length + 8 };
}

function drawMap(p, view, act) {
  const { left, top, wide, tall } = mapSizes(view, p.width);
  p.text(
    "title",
    0,
    15,
    view.weights ? "All weights: queries down, keys across" : "No weights: this one does not look back",
    { weight: 650, size: 14 },
  );
  view.source.forEach((word, j) =>
    p.text(`k${j}`, left + (j + 0.5) * wide - 3, top - 6, word, { rotate: -38, colour: COLOUR.key, size: 13 }),
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
          text: there && view.weights && wide >= 29 && a >= 0.005 ? fmt(a).replace("0.", ".") : undefined,
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

// The sentence under the drawing.
function explain(view) {
  const { source, words, weights, shown, at } = view;
  const when = view.moment === 0 ? "Untrained" : `After ${epochText(DATA.epochs[view.moment])}`;
  if (!weights) {
    return view.own
      ? `${when}, without attention, it writes “${sentenceOf(words)}”; with attention it writes ` +
          `“${sentenceOf(view.other)}”. Without it the decoder has read the whole sentence as one vector and ` +
          "cannot look back at any word."
      : "Without attention there is nothing to look at: the reference is put in, and every word is scored from " +
          "the same vector.";
  }
  if (at < 0)
    return (
      `The decoder has read “${view.text}” and written nothing. Step forward: every word begins with a question ` +
      "to the English words."
    );
  const row = weights[at];
  const order = range(row.length).sort((a, b) => row[b] - row[a]);
  const name = (j) => `“${source[j]}” (${fmt(row[j])})`;
  const second = row[order[1]] > 0.15 ? ` and ${name(order[1])}` : "";
  const before = at ? `after “${words.slice(0, at).join(" ")}”` : "before the first word";
  const done =
    shown === words.length && view.own && !words.some(isEnd)
      ? ` It has not come to an end after ${words.length} words.`
      : "";
  return (
    `${when}: the state ${before} asks, and looks most at ${name(order[0])}${second}; then comes ` +
    `“${words[at]}”.${done}`
  );
}

const STYLE = `
.ab-card .ab-controls, .ab-card .ab-control { min-width: 0; max-width: 100%; }
.ab-card .ab-control select { min-width: 0; flex: 0 1 auto; }
.ab-ar-seen { color: var(--ab-muted); margin: 0.25rem 0 0.5rem; }`;

function render({ model, el }) {
  const fig = figure({
    model,
    el,
    title: "Reading an alignment",
    hint:
      "Point at a French word, or step through the sentence: the ribbons show where the model looks before it " +
      "writes. Move the training back to see it learn.",
  });
  fig.card.prepend(styleSheet(STYLE));
  const ids = newId();
  let view = null;
  const number = () => SENTENCES.findIndex(({ text }) => text === model.get("sentence"));
  const now = () => reading(number(), model.get("moment"), model.get("attention"), model.get("target"));
  const last = () => now().words.length;
  const shown = () => {
    const n = model.get("written");
    return n < 0 ? last() : Math.min(n, last());
  };

  const act = {
    idOf: (i) => `${ids}-${i}`,
    look: (i) => fig.set({ at: i }),
    onKey(event) {
      const to = {
        ArrowLeft: view.at - 1,
        ArrowUp: view.at - 1,
        ArrowRight: view.at + 1,
        ArrowDown: view.at + 1,
        Home: 0,
        End: view.shown - 1,
      }[event.key];
      if (to === undefined) return;
      event.preventDefault();
      event.stopPropagation(); // JupyterLab moves between cells with the same keys
      if (to >= 0 && to < view.shown) act.look(to);
    },
  };

  const info = html("p", { class: "ab-ar-seen" });
  fig.card.querySelector(".ab-head").after(info);
  fig.stage({
    label: (v) =>
      `${v.text} Its translation: ${sentenceOf(v.words)}${v.weights ? "" : "; without attention, no weights"}`,
    height: (width) => layOut(view.source, view.words, width).height,
    draw: (p, v) => drawReading(p, v, act),
  });
  fig.stage({
    label: (v) =>
      v.weights
        ? `Heat map of ${v.words.length} by ${v.source.length} attention weights`
        : "An empty table: without attention there are no weights",
    basis: 370,
    grow: 3,
    height: (width) => mapSizes(view, width).height,
    draw: (p, v) => drawMap(p, v, act),
  });
  fig.stage({
    label: (v) =>
      `BLEU after each part of the training; now ${fmt(DATA.bleu.with[v.moment], 1)} with attention, ` +
      `${fmt(DATA.bleu.without[v.moment], 1)} without`,
    basis: 240,
    grow: 2,
    height: 250,
    draw: (p, v) => drawBleu(p, v, fig),
  });

  fig.select("sentence", {
    label: "Sentence",
    options: SENTENCES.map(({ text, seen }) => [text, `${text} (${seen ? "seen" : "held out"})`]),
  });
  fig.slider("moment", {
    label: "Training",
    values: range(DATA.epochs.length),
    format: (m) => epochText(DATA.epochs[m]),
  });
  fig.checkbox("attention", { label: "With attention" });
  fig.select("target", {
    label: "Translation",
    options: [
      ["own", "its own"],
      ["reference", "the reference"],
    ],
  });
  const refresh = stepper(fig, {
    name: "written",
    label: "Words",
    step: shown,
    last,
    pace: 1000,
    go: (to) => fig.set({ written: to >= last() ? -1 : Math.max(0, to), at: -1 }),
  });
  fig.card
    .querySelectorAll("select")
    .forEach((select) => select.addEventListener("change", () => fig.set({ at: -1, written: -1 })));
  fig.reset(["at"]);

  fig.output("most", { label: "Looks most at", format: String });
  fig.output("weight", { label: "with weight", digits: 3 });
  fig.output("spread", {
    label: "Spread over",
    format: (x) => (x === null ? "–" : `${fmt(x, 1)} words`),
    note: "e to the entropy",
  });
  fig.output("bleu_with", { label: "BLEU with attention", digits: 1 });
  fig.output("bleu_without", { label: "BLEU without", digits: 1 });

  fig.card.querySelector(".ab-outputs").style.gridTemplateColumns = "repeat(auto-fit,minmax(112px,1fr))";

  return fig.start((state) => {
    const sentence = SENTENCES[number()];
    const { words, weights } = now();
    const there = shown();
    const wanted = state("at");
    const at = wanted < 0 || wanted >= there ? there - 1 : wanted;
    const { source } = sentence;
    const moment = state("moment");
    view = {
      text: sentence.text,
      source,
      unknown: sentence.unknown,
      words,
      weights,
      shown: there,
      at,
      moment,
      attention: state("attention"),
      own: state("target") === "own",
      other: sentence.with[moment].own,
      rowInWords: (i) =>
        weights
          ? `${words[i]}: ${source.map((word, j) => `${word} ${fmt(weights[i][j])}`).join(", ")}`
          : `${words[i]}, no weights`,
    };
    const row = weights && at >= 0 ? weights[at] : null;
    fig.show({
      most: row ? source[largest(row)] : "–",
      weight: row ? Math.max(...row) : null,
      spread: row ? spreadOf(row) : null,
      bleu_with: DATA.bleu.with[moment],
      bleu_without: DATA.bleu.without[moment],
    });
    const unknown = sentence.unknown.length
      ? ` It does not know ${sentence.unknown.map((j) => `“${source[j]}”`).join(" and ")}: it reads <unk>.`
      : "";
    const seen = sentence.seen ? "The model was trained on this sentence." : "The model has never seen this sentence.";
    info.textContent = `${seen}${unknown} A human translation: ${sentence.human}`;
    fig.say(explain(view));
    refresh();
    return view;
  });
}

export default { render, math: { reading, spreadOf, largest } };
