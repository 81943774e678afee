/* Span scores of a trained reader: a table per type, a threshold, and the spans that it finds and misses.
 * A row is where a span starts, a column where it ends. `data.json` holds the scores from the diagonal on. */

import { figure } from "../kit/card.js";
import { clamp, fmt, html, say, take } from "../kit/kit.js";
import { drawScores, drawTable, layout, SCORES_HEIGHT } from "./drawing.js";
import {
  countOf, exampleOf, f1Of, gapOf, judgeSpans, MARKS, REACH, scoreAt, SENTENCES, tellsAll, textOf, TYPES,
} from "./maths.js";

const LISTED = 8; // spans that are named at a time

function inWords(words, spans, threshold, answered) {
  const [hits, wrong] = [countOf(spans, "hit"), countOf(spans, "wrong")];
  const all = hits + countOf(spans, "missed");
  const { low, high, over } = gapOf(spans);
  const at = fmt(threshold, 1);
  const spansFound =
    hits === all
      ? say`At a threshold of ${at}, all ${all} spans are found, `
      : say`At a threshold of ${at}, ${hits} of ${all} spans are found, `;
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
  const worst = { text: textOf(words, low), type: TYPES[low.type], low: fmt(low.score, 1), over };
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

// What a reader does in the table; `over` is where the mouse is, if it is anywhere.
function makeActs(fig) {
  const act = {
    over: null,
    set: fig.set,
    hover(to) {
      if (String(to) === String(act.over)) return;
      act.over = to;
      fig.redraw();
    },
    onKey(event) {
      const n = exampleOf(fig.get("sentence")).words.length;
      const [i, j] = fig.get("cell").map((at) => Math.min(at, n - 1));
      const by = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key];
      if (!by) return;
      fig.set({ cell: [clamp(i + by[0], 0, n - 1), clamp(j + by[1], 0, n - 1)] });
      take(event);
    },
  };
  return act;
}

function addStages(fig, act) {
  fig.stage({
    label: ({ threshold }) =>
      say`The scores of all spans in three rows, one for each type, and the threshold at ${fmt(threshold, 1)}`,
    height: SCORES_HEIGHT,
    draw: (p, view) => drawScores(p, view, fig.set),
  });
  fig.stage({
    basis: 420,
    grow: 3,
    label: (view) => say`Table of the scores of all spans for the type ${view.type}. ${view.cellText}`,
    height: (width) => layout(width, exampleOf(fig.get("sentence")).words).bottom + 6,
    draw: (p, view) => drawTable(p, view, act),
  });
}

// The sentence with the chosen span, what is said of the span, and a list of all that are right or found.
function addTexts(fig) {
  const sentence = html("p", { "data-value": "sentence", style: "font-size:15px" });
  const cellWords = html("p", { "data-value": "cell", class: "ab-hint", "aria-live": "polite" });
  cellWords.style.minHeight = "2.9em";
  const list = html("ul", { "data-value": "spans" });
  list.style.cssText = "list-style:none;margin:0.75rem 0 0;padding:0;min-height:13.2em;font-size:13.5px";

  const beside = html("div", { style: "flex:1 1 200px;min-width:0;padding-top:1.5rem" }, sentence, cellWords, list);
  fig.card.querySelector(".ab-stages").append(beside);
  return ({ words, cell, marked, score, cellText }) => {
    const inside = (t) => score !== null && cell[0] <= t && t <= cell[1];
    sentence.replaceChildren(
      ...words.flatMap((word, t) => [
        inside(t)
          ? html("mark", { text: word, style: "background:none;color:var(--ab-accent);font-weight:700" })
          : html("span", { text: word }),
        " ",
      ]),
    );
    const texts = [...marked]
      .sort((a, b) => b.right - a.right || b.score - a.score)
      .map((span) => `${MARKS[span.kind]} ${fmt(span.score, 1)} ${TYPES[span.type]}: ${textOf(words, span)}`);
    const more = texts.splice(LISTED).length;
    if (more) texts.push(say`… and ${more} more wrong ones`);
    list.style.whiteSpace = fig.card.clientWidth < 620 ? "nowrap" : ""; // below the table every line has its place
    list.replaceChildren(
      ...texts.map((text) => html("li", { text, title: text, style: "overflow:hidden;text-overflow:ellipsis" })),
    );
    cellWords.textContent = cellText;
  };
}

function addControls(fig) {
  const options = SENTENCES.map((row) => row.words.join(" "));
  const choice = fig.select("sentence", { label: say("Sentence"), options });
  choice.onchange = () => {
    // with the sentence, its lowest right span: the one that decides about thresholds
    const row = SENTENCES[choice.selectedIndex];
    const { low } = gapOf(judgeSpans(row, fig.get("rotary"), 0));
    fig.set({ sentence: options[choice.selectedIndex], type: TYPES[low.type], cell: [low.i, low.j] });
  };
  choice.style.cssText = "flex:1 1 auto;min-width:0;max-width:32rem";
  choice.parentElement.style.cssText = "flex:1 1 20rem;min-width:0";
  fig.select("type", { label: say("Type"), options: TYPES });
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
}

function render({ model, el }) {
  const fig = figure({
    model,
    el,
    title: say("Which spans does the table find?"),
    hint: say("What scores above the threshold is found. Move it; then try the last two sentences."),
  });
  fig.keep("_answered", []); // sentences and readers, numbered, of which it has been found out what is then said
  const act = makeActs(fig);
  addStages(fig, act);
  const showTexts = addTexts(fig);
  addControls(fig);

  return fig.start((state) => {
    const example = exampleOf(state("sentence"));
    const { words } = example;
    const number = TYPES.indexOf(state("type"));
    const cell = (act.over || state("cell")).map((at) => Math.min(at, words.length - 1));
    const layer = example[state("rotary") ? "rotary" : "plain"][number];
    const spans = judgeSpans(example, state("rotary"), state("threshold"));
    const score = scoreAt(layer, ...cell);
    fig.show({
      found: countOf(spans, "hit"),
      missed: countOf(spans, "missed"),
      wrong: countOf(spans, "wrong"),
      f1: f1Of(spans),
    });
    const marked = spans.filter(({ kind }) => kind);
    const here = textOf(words, { i: cell[0], j: cell[1] });
    const cellText =
      score === null
        ? say`From “${words[cell[0]]}” back to “${words[cell[1]]}”: a span cannot end before it starts.`
        : score > state("threshold")
          ? say`As a ${state("type")} “${here}” scores ${fmt(score, 1)}: found.`
          : say`As a ${state("type")} “${here}” scores ${fmt(score, 1)}: not found.`;
    showTexts({ words, cell, marked, score, cellText });
    const question = 2 * SENTENCES.indexOf(example) + state("rotary");
    const before = state("_answered").includes(question);
    const answered = before || tellsAll(spans);
    if (answered && !before) fig.set({ _answered: [...state("_answered"), question] });
    fig.say(inWords(words, spans, state("threshold"), answered));
    const below = spans.filter((span) => span.score < -REACH).length;
    const [type, threshold] = [state("type"), state("threshold")];
    return { words, cell, layer, spans, marked, below, number, type, threshold, cellText };
  });
}

export default { render, math: { exampleOf, scoreAt, judgeSpans, countOf, f1Of, gapOf, inWords } };
