/* Span scores of a trained reader: a table per type, a threshold, and the spans that it finds and misses.
 * A row is where a span starts, a column where it ends. `DATA` holds the scores from the diagonal on. */
// uses data.json

const MARKS = { hit: "✓", missed: "○", wrong: "!" };
const NAMES = { hit: "found", missed: "missed", wrong: "wrong" };

const exampleOf = (text) => DATA.sentences.find((row) => row.words.join(" ") === text);
const scoreAt = (layer, i, j) => (j < i ? null : layer[i][j - i]);

// Every span that is right or predicted: [{type, i, j, score, kind}], in the order of the tables.
function judgeSpans(example, rotary, threshold) {
  const layers = example[rotary ? "rotary" : "plain"];
  const spans = [];
  layers.forEach((layer, type) =>
    layer.forEach((row, i) =>
      row.forEach((score, step) => {
        const j = i + step;
        const right = example.gold.some(([t, a, b]) => t === type && a === i && b === j);
        const said = score > threshold;
        if (!right && !said) return;
        spans.push({ type, i, j, score, kind: right && said ? "hit" : right ? "missed" : "wrong" });
      }),
    ),
  );
  return spans;
}

const countOf = (spans, kind) => spans.filter((span) => span.kind === kind).length;

function f1Of(spans) {
  const hits = countOf(spans, "hit");
  const size = 2 * hits + countOf(spans, "missed") + countOf(spans, "wrong");
  return size ? (2 * hits) / size : 1;
}

const shade = (score, threshold) => 1 / (1 + Math.exp(-(score - threshold) / 8));

function layout(width, words) {
  const left = Math.max(...words.map((word) => word.length)) * 7.4 + 14;
  const size = Math.min(34, (width - left - 4) / words.length);
  return { left, top: left + 28, size, bottom: left + 28 + size * words.length };
}

function render({ model, el }) {
  const fig = figure({
    model,
    el,
    title: "Which spans does the table find?",
    hint: "Point at a cell, or choose one with the arrow keys. Move the threshold; switch the rotation off.",
  });
  const ids = newId();
  let hovered = null;
  let compute = null;
  let stage = null;

  const sentence = html("p", { class: "ab-hint", "data-value": "sentence", style: "font-size:15px;margin:0 0 0.5rem" });
  fig.card.querySelector(".ab-stages").before(sentence);

  const hover = (to) => {
    if (String(to) === String(hovered)) return;
    hovered = to;
    stage.draw(compute((name) => model.get(name)));
  };

  function onKey(event) {
    const n = exampleOf(model.get("sentence")).words.length;
    const [i, j] = model.get("cell").map((at) => Math.min(at, n - 1));
    const by = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key];
    if (!by) return;
    fig.set({ cell: [clamp(i + by[0], 0, n - 1), clamp(j + by[1], 0, n - 1)] });
    event.preventDefault();
    event.stopPropagation(); // JupyterLab moves between cells with the same keys
  }

  function draw(p, view) {
    const { words, cell } = view;
    const { left, top, size } = layout(p.width, words);
    const hatch = p.hatch("hatch", COLOUR.masked);
    p.text("title", 0, 15, `${view.type}: starts down, ends across`, { weight: 650, size: 14 });
    words.forEach((word, t) => {
      const [starts, ends] = [t === cell[0], t === cell[1]];
      p.text(`row${t}`, left - 7, top + (t + 0.5) * size + 4.5, word, {
        anchor: "end",
        size: 13,
        weight: starts ? 700 : 500,
        colour: COLOUR.query,
      });
      p.text(`column${t}`, left + (t + 0.5) * size + 4.5, top - 7, word, {
        rotate: -90,
        size: 13,
        weight: ends ? 700 : 500,
        colour: COLOUR.key,
      });
    });
    const all = {
      role: "group",
      tabindex: 0,
      "data-handle": "table",
      "data-control": "table",
      onkeydown: onKey,
      "aria-label": `Table of scores. ${view.cellText}`,
    };
    p.group("cells", all, (g) =>
      words.forEach((_, i) =>
        words.forEach((__, j) => {
          const [x, y] = [left + j * size, top + i * size];
          const score = scoreAt(view.layer, i, j);
          const a = score === null ? 0 : shade(score, view.threshold);
          g.rect(`c${i}-${j}`, x, y, size, size, {
            fill: score === null ? COLOUR.ground : weightFill(a),
            stroke: COLOUR.grid,
            "stroke-width": 1,
            "data-cell": `${i}-${j}`,
          });
          if (score === null) g.rect(`h${i}-${j}`, x, y, size, size, { fill: hatch, opacity: 0.5 });
          const found = view.spans.find((span) => span.type === view.number && span.i === i && span.j === j);
          if (found)
            g.text(`m${i}-${j}`, x + size / 2, y + size / 2 + 5, MARKS[found.kind], {
              anchor: "middle",
              size: 14,
              weight: 700,
              colour: weightInk(a),
              "data-mark": `${i}-${j}`,
            });
        }),
      ),
    );
    p.rect("chosen", left + cell[1] * size + 1, top + cell[0] * size + 1, size - 2, size - 2, {
      fill: "none",
      stroke: COLOUR.accent,
      "stroke-width": 2.5,
      rx: 3,
      "pointer-events": "none",
    });
    const cellAt = (event) => {
      const [x, y] = p.where(event);
      return [y - top, x - left].map((at) => clamp(Math.floor(at / size), 0, words.length - 1));
    };
    p.rect("reach", left, top, size * words.length, size * words.length, {
      fill: "transparent",
      cursor: "pointer",
      "data-handle": "reach",
      onpointermove: (event) => {
        if (event.pointerType === "mouse") hover(cellAt(event));
      },
      onpointerleave: () => hover(null),
      onclick: (event) => {
        hover(null);
        fig.set({ cell: cellAt(event) });
      },
    });
  }

  stage = fig.stage({
    label: (view) => `Table of the scores of all spans for the type ${view.type}. ${view.cellText}`,
    height: (width) => layout(width, exampleOf(model.get("sentence")).words).bottom + 6,
    draw,
  });

  const options = DATA.sentences.map((row) => row.words.join(" "));
  const choice = fig.select("sentence", { label: "Sentence", options });
  choice.style.cssText = "flex:1 1 auto;min-width:0;max-width:32rem";
  choice.parentElement.style.cssText = "flex:1 1 20rem;min-width:0";
  fig.select("type", { label: "Type", options: DATA.types });
  fig.slider("threshold", { label: "Threshold", min: -20, max: 20, step: 0.5 });
  fig.checkbox("rotary", { label: "Rotary positions in the score" });
  fig.reset(["cell"]);
  fig.controlsFirst();
  fig.output("found", { label: "found", digits: 0 });
  fig.output("missed", { label: "missed", digits: 0 });
  fig.output("wrong", { label: "wrong", digits: 0 });
  fig.output("f1", { label: "F1, this sentence", digits: 3 });
  fig.output("score", { label: "score of the cell", digits: 1 });

  fig.card.querySelector(".ab-outputs").style.gridTemplateColumns = "repeat(auto-fit,minmax(98px,1fr))";

  const list = html("ul", { "data-value": "spans", style: "margin:0.75rem 0 0;padding-left:1.2rem;font-size:13.5px" });
  fig.card.append(list);

  compute = (state) => {
    const example = exampleOf(state("sentence"));
    const { words } = example;
    const number = DATA.types.indexOf(state("type"));
    const cell = (hovered || state("cell")).map((at) => Math.min(at, words.length - 1));
    const layer = example[state("rotary") ? "rotary" : "plain"][number];
    const spans = judgeSpans(example, state("rotary"), state("threshold"));
    const score = scoreAt(layer, ...cell);
    const inside = (t) => score !== null && cell[0] <= t && t <= cell[1];
    sentence.replaceChildren(
      ...words.flatMap((word, t) => [
        inside(t)
          ? html("mark", { text: word, style: "background:none;color:var(--ab-accent,#4B3FA8);font-weight:700;" })
          : html("span", { text: word }),
        " ",
      ]),
    );
    fig.show({
      found: countOf(spans, "hit"),
      missed: countOf(spans, "missed"),
      wrong: countOf(spans, "wrong"),
      f1: f1Of(spans),
      score,
    });
    const texts = spans.map(
      (span) =>
        `${MARKS[span.kind]} ${NAMES[span.kind]}: ${words.slice(span.i, span.j + 1).join(" ")} ` +
        `(${DATA.types[span.type]}, ${fmt(span.score, 1)})`,
    );
    list.replaceChildren(...texts.map((text) => html("li", { text, style: "list-style:none" })));
    const cellText =
      score === null
        ? `From “${words[cell[0]]}” back to “${words[cell[1]]}”: a span cannot end before it starts.`
        : `“${words.slice(cell[0], cell[1] + 1).join(" ")}”, score ${fmt(score, 1)}: ` +
          `${score > state("threshold") ? "a" : "not a"} ${state("type")}.`;
    fig.say(cellText);
    return { words, cell, layer, spans, number, type: state("type"), threshold: state("threshold"), cellText };
  };
  return fig.start(compute);
}

export default { render, math: { exampleOf, scoreAt, judgeSpans, countOf, f1Of, shade } };
