/* Span scores of a trained reader: a table per type, a threshold, and the spans that it finds and misses.
 * A row is where a span starts, a column where it ends. `DATA` holds the scores from the diagonal on. */

import DATA from "./data.json" with { type: "json" };
import { figure } from "../kit/card.js";
import { clamp, COLOUR, fmt, html, say, take, weightFill, weightInk } from "../kit/kit.js";
import { linear } from "../kit/paint.js";

const MARKS = { hit: "✓", missed: "○", wrong: "!" };
const REACH = 20; // of the threshold
const LISTED = 8; // spans that are named at a time

const exampleOf = (text) => DATA.sentences.find((row) => row.words.join(" ") === text);
const scoreAt = (layer, i, j) => (j < i ? null : layer[i][j - i]);

// Every span of every type, [{type, i, j, score, right, kind}], and what a threshold makes of it: right or predicted
// ones are a "hit", "missed" or "wrong", the others of no kind.
function judgeSpans(example, rotary, threshold) {
  return example[rotary ? "rotary" : "plain"].flatMap((layer, type) =>
    layer.flatMap((row, i) =>
      row.map((score, step) => {
        const j = i + step;
        const right = example.gold.some(([t, a, b]) => t === type && a === i && b === j);
        const kind = score > threshold ? (right ? "hit" : "wrong") : right ? "missed" : null;
        return { type, i, j, score, right, kind };
      }),
    ),
  );
}

const countOf = (spans, kind) => spans.filter((span) => span.kind === kind).length;

function f1Of(spans) {
  const hits = countOf(spans, "hit");
  const size = 2 * hits + countOf(spans, "missed") + countOf(spans, "wrong");
  return size ? (2 * hits) / size : 1;
}

const shade = (score, threshold) => 1 / (1 + Math.exp(-(score - threshold) / 8));

const textOf = (words, { i, j }) => words.slice(i, j + 1).join(" ");

// The lowest right span, the highest of the others, and how many of those are no lower than the lowest right one.
function gapOf(spans) {
  const byScore = (right) => spans.filter((span) => span.right === right).sort((a, b) => a.score - b.score);
  const [right, others] = [byScore(true), byScore(false)];
  return { low: right[0], high: others.at(-1), over: others.filter(({ score }) => score >= right[0].score).length };
}

// Whether a reader sees at this threshold what the sentence would say about all thresholds: where they can be right,
// that one of them is not; where none is right, what comes up with the last of the right spans.
function tellsAll(spans) {
  const [missed, wrong] = [countOf(spans, "missed"), countOf(spans, "wrong")];
  return gapOf(spans).over ? missed === 0 : missed + wrong > 0;
}

function inWords(words, spans, threshold, answered) {
  const [found, wrong] = [countOf(spans, "hit"), countOf(spans, "wrong")];
  const all = found + countOf(spans, "missed");
  const { low, high, over } = gapOf(spans);
  const at = fmt(threshold, 1);
  const spansFound =
    found === all
      ? say`At a threshold of ${at}, all ${all} spans are found, `
      : say`At a threshold of ${at}, ${found} of ${all} spans are found, `;
  const others =
    wrong === 0 ? say("and no wrong one. ") : wrong === 1 ? say("and 1 wrong one. ") : say`and ${wrong} wrong ones. `;
  const now = spansFound + others;
  if (!answered)
    return (
      now +
      (over
        ? say`Lower it until all ${all} are found: what else comes up?`
        : say("How far can you move it, up or down, before that changes?"))
    );
  if (!over)
    return (
      now +
      say(
        "Any threshold from {high} to just below {low} finds the right ones and nothing else: no score lies between.",
        { high: fmt(high.score, 1), low: fmt(low.score, 1) },
      )
    );
  const worst = { text: textOf(words, low), type: DATA.types[low.type], low: fmt(low.score, 1), over };
  return (
    now +
    (over > 1
      ? say(
          "No threshold would be right: “{text}” is a {type} and scores {low}, and {over} wrong spans score no less.",
          worst,
        )
      : say(
          "No threshold would be right: “{text}” is a {type} and scores {low}, and 1 wrong span scores no less.",
          worst,
        ))
  );
}

function layout(width, words) {
  const left = Math.max(...words.map((word) => word.length)) * 7.4 + 14;
  const size = Math.min(34, (width - left - 4) / words.length);
  return { left, top: left + 28, size, bottom: left + 28 + size * words.length };
}

function render({ model, el }) {
  const fig = figure({
    model,
    el,
    title: say("Which spans does the table find?"),
    hint: say("What scores above the threshold is found. Move it; then try the last two sentences."),
  });
  fig.keep("_answered", []); // sentences and readers, numbered, of which it has been found out what is then said
  let hovered = null;

  const sentence = html("p", { "data-value": "sentence", style: "font-size:15px" });
  const cellWords = html("p", { "data-value": "cell", class: "ab-hint", "aria-live": "polite" });
  cellWords.style.minHeight = "2.9em";
  const list = html("ul", { "data-value": "spans" });
  list.style.cssText = "list-style:none;margin:0.75rem 0 0;padding:0;min-height:13.2em;font-size:13.5px";

  const hover = (to) => {
    if (String(to) === String(hovered)) return;
    hovered = to;
    fig.redraw();
  };

  function onKey(event) {
    const n = exampleOf(model.get("sentence")).words.length;
    const [i, j] = model.get("cell").map((at) => Math.min(at, n - 1));
    const by = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key];
    if (!by) return;
    fig.set({ cell: [clamp(i + by[0], 0, n - 1), clamp(j + by[1], 0, n - 1)] });
    take(event);
  }

  function draw(p, view) {
    const { words, cell } = view;
    const { left, top, size } = layout(p.width, words);
    const hatch = p.hatch("hatch", COLOUR.masked);
    p.text("title", 0, 15, say`${view.type}: starts down, ends across`, { weight: 650, size: 14 });
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
      "aria-label": say`Table of scores. ${view.cellText}`,
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
          const found = view.marked.find((span) => span.type === view.number && span.i === i && span.j === j);
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
    p.text("key", left + 6, top + (words.length - 0.5) * size + 4.5, say("darker: higher score"), {
      size: 12.5,
      colour: COLOUR.muted,
      halo: true,
      "pointer-events": "none",
    });
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

  function drawScores(p, view) {
    const [left, top, row] = [58, 34, 26];
    const bottom = top + row * DATA.types.length;
    const x = linear([-REACH, REACH], [left, p.width - 12]);
    p.text("title", 0, 15, say("The scores of all spans"), { weight: 650, size: 14 });
    p.rect("above", x(view.threshold), top, x(REACH) - x(view.threshold), bottom - top, {
      fill: COLOUR.accent,
      "fill-opacity": 0.1,
    });
    p.axes("axes", {
      plot: { left, top, right: x(REACH), bottom },
      x,
      xTicks: p.narrow ? 4 : 8,
      xLabel: say`score (${view.below} spans score below −${REACH})`,
    });
    DATA.types.forEach((type, t) => {
      const y = top + (t + 0.5) * row;
      const chosen = t === view.number;
      p.text(`type${t}`, left - 8, y + 4.5, type, { anchor: "end", weight: chosen ? 700 : 500 });
      p.line(`base${t}`, left, y, x(REACH), y, { stroke: COLOUR.line, "stroke-width": 1 });
    });
    const drawn = view.spans.filter(({ score }) => score >= -REACH);
    p.group("spans", {}, (g) =>
      drawn.forEach((span) => {
        const key = `${span.type}-${span.i}-${span.j}`;
        const [px, py] = [x(span.score), top + (span.type + 0.5) * row];
        const chosen = span.type === view.number && String([span.i, span.j]) === String(view.cell);
        if (chosen) g.circle("chosen", px, py, 10, { fill: "none", stroke: COLOUR.accent, "stroke-width": 2.5 });
        if (span.kind)
          g.text(key, px, py + 5, MARKS[span.kind], { anchor: "middle", size: 15, weight: 700, halo: true });
        else g.circle(key, px, py, 3.5, { fill: COLOUR.muted, "fill-opacity": 0.7 });
      }),
    );
    // the dots are small and close to each other: a click takes the nearest of its row
    p.rect("dots", left, top, x(REACH) - left, bottom - top, {
      fill: "transparent",
      cursor: "pointer",
      "data-handle": "dots",
      onclick: (event) => {
        const [px, py] = p.where(event);
        const type = clamp(Math.floor((py - top) / row), 0, DATA.types.length - 1);
        const near = drawn.filter((span) => span.type === type);
        near.sort((a, b) => Math.abs(x(a.score) - px) - Math.abs(x(b.score) - px));
        if (near.length) fig.set({ type: DATA.types[type], cell: [near[0].i, near[0].j] });
      },
    });
    p.line("line", x(view.threshold), top - 6, x(view.threshold), bottom, {
      stroke: COLOUR.accent,
      "stroke-width": 2.5,
    });
    p.handle("threshold", {
      x,
      at: [view.threshold, top - 10],
      axis: "x",
      step: 0.5,
      min: [-REACH, top - 10],
      max: [REACH, top - 10],
      size: 7,
      label: say("threshold"),
      text: fmt(view.threshold, 1),
      onMove: ([to]) => fig.set({ threshold: Math.round(2 * to) / 2 }),
    });
  }

  fig.stage({
    label: ({ threshold }) =>
      say`The scores of all spans in three rows, one for each type, and the threshold at ${fmt(threshold, 1)}`,
    height: 34 + 26 * DATA.types.length + 42,
    draw: drawScores,
  });
  fig.stage({
    basis: 420,
    grow: 3,
    label: (view) => say`Table of the scores of all spans for the type ${view.type}. ${view.cellText}`,
    height: (width) => layout(width, exampleOf(model.get("sentence")).words).bottom + 6,
    draw,
  });
  const beside = html("div", { style: "flex:1 1 200px;min-width:0;padding-top:1.5rem" }, sentence, cellWords, list);
  fig.card.querySelector(".ab-stages").append(beside);

  const options = DATA.sentences.map((row) => row.words.join(" "));
  const choice = fig.select("sentence", { label: say("Sentence"), options });
  choice.onchange = () => {
    // with the sentence, its lowest right span: the one that decides about thresholds
    const row = DATA.sentences[choice.selectedIndex];
    const { low } = gapOf(judgeSpans(row, fig.get("rotary"), 0));
    fig.set({ sentence: options[choice.selectedIndex], type: DATA.types[low.type], cell: [low.i, low.j] });
  };
  choice.style.cssText = "flex:1 1 auto;min-width:0;max-width:32rem";
  choice.parentElement.style.cssText = "flex:1 1 20rem;min-width:0";
  fig.select("type", { label: say("Type"), options: DATA.types });
  fig.slider("threshold", { label: say("Threshold"), min: -REACH, max: REACH, step: 0.5 });
  fig.more();
  fig.checkbox("rotary", { label: say("Rotary positions in the score") });
  fig.reset(["cell"]);
  fig.controlsFirst();
  fig.output("found", { label: say`${MARKS.hit} found`, digits: 0 });
  fig.output("missed", { label: say`${MARKS.missed} missed`, digits: 0 });
  fig.output("wrong", { label: say`${MARKS.wrong} wrong`, digits: 0 });
  fig.output("f1", { label: say("F1, this sentence"), digits: 3 });
  fig.card.querySelector(".ab-outputs").style.gridTemplateColumns = "repeat(auto-fit,minmax(136px,1fr))"; // two by two

  return fig.start((state) => {
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
          ? html("mark", { text: word, style: "background:none;color:var(--ab-accent);font-weight:700" })
          : html("span", { text: word }),
        " ",
      ]),
    );
    fig.show({
      found: countOf(spans, "hit"),
      missed: countOf(spans, "missed"),
      wrong: countOf(spans, "wrong"),
      f1: f1Of(spans),
    });
    const marked = spans.filter(({ kind }) => kind);
    const texts = [...marked]
      .sort((a, b) => b.right - a.right || b.score - a.score)
      .map((span) => `${MARKS[span.kind]} ${fmt(span.score, 1)} ${DATA.types[span.type]}: ${textOf(words, span)}`);
    const more = texts.splice(LISTED).length;
    if (more) texts.push(say`… and ${more} more wrong ones`);
    list.style.whiteSpace = fig.card.clientWidth < 620 ? "nowrap" : ""; // below the table every line has its place
    list.replaceChildren(
      ...texts.map((text) => html("li", { text, title: text, style: "overflow:hidden;text-overflow:ellipsis" })),
    );
    const here = textOf(words, { i: cell[0], j: cell[1] });
    const cellText =
      score === null
        ? say`From “${words[cell[0]]}” back to “${words[cell[1]]}”: a span cannot end before it starts.`
        : score > state("threshold")
          ? say`As a ${state("type")} “${here}” scores ${fmt(score, 1)}: found.`
          : say`As a ${state("type")} “${here}” scores ${fmt(score, 1)}: not found.`;
    cellWords.textContent = cellText;
    const question = 2 * DATA.sentences.indexOf(example) + state("rotary");
    const known = state("_answered").includes(question);
    const answered = known || tellsAll(spans);
    if (answered && !known) fig.set({ _answered: [...state("_answered"), question] });
    fig.say(inWords(words, spans, state("threshold"), answered));
    const below = spans.filter((span) => span.score < -REACH).length;
    const [type, threshold] = [state("type"), state("threshold")];
    return { words, cell, layer, spans, marked, below, number, type, threshold, cellText };
  });
}

export default { render, math: { exampleOf, scoreAt, judgeSpans, countOf, f1Of, gapOf, inWords } };
