/* The beam as a tree: the search itself, run here over a page model's next-word log-probabilities, step by step.
 * Kept prefixes are drawn in the colour of weights, what was dropped in grey, what is finished in a double frame. */

import DATA from "./data.json" with { type: "json" };
import { figure } from "../kit/card.js";
import { COLOUR, fmt, html, newId, range, say, take } from "../kit/kit.js";
import { selectTarget } from "../kit/languages.js";
import { inARow } from "../kit/text.js";
import { division, lengthFactor, ROWS, sentenceOf, sentenceRow, stepper, styleSheet } from "../kit/words.js";
import { explain, explained, viewOf } from "./news.js";
import { ALPHAS, beamSearch, named, nameOf, nBest, ranked, scoreOf, spread, standing } from "./search.js";
import { arrange, drawTree, leastWidth, MARGIN, sameWords, TOP } from "./tree.js";

// As a list: the best three hypotheses (while the search goes on, of those so far), greedy decoding's, the references.
function drawList(list, view) {
  const { references } = view;
  const done = view.step === view.last;
  const numbers = (hyp) => division(hyp.logProb, hyp.words.length, view.alpha);
  const best = done ? view.ranking : standing(view.search, view.step);
  list.replaceChildren(
    ...best
      .slice(0, 3)
      .map((hyp, i) =>
        sentenceRow(
          String(i + 1),
          sentenceOf(named(hyp.words)) + (hyp.ended ? "" : done ? say(" … (cut off)") : say(" …")),
          done ? numbers(hyp) : `log p ${fmt(hyp.logProb)}`,
          hyp.ended ? COLOUR.weight : COLOUR.masked,
          view.lang,
        ),
      ),
    sentenceRow(
      say("greedy"),
      sentenceOf(named(view.greedy.words)) + (view.greedy.ended ? "" : say(" … (cut off)")),
      numbers(view.greedy),
      COLOUR.ink,
      view.lang,
    ),
    sentenceRow(
      references.length > 1 ? say("references") : say("reference"),
      someOf(references, list),
      "",
      COLOUR.line,
      view.lang,
    ),
  );
}

// Two of the references, one in a narrow list, and how many more there are.
function someOf(references, list) {
  const shown = references.slice(0, list.clientWidth < 480 ? 1 : 2);
  const more = references.length - shown.length;
  const texts = shown.join(" · ");
  return more ? say`${texts} … and ${more} more` : texts;
}

const STYLE = `${ROWS}
.ab-card .ab-controls, .ab-card .ab-control { min-width: 0; max-width: 100%; }
.ab-card .ab-control select { min-width: 0; flex: 0 1 auto; }
@media (min-width: 481px) {
  .ab-card .ab-control.ab-range { flex-basis: 230px; }
  .ab-card .ab-rest .ab-control.ab-range { flex-basis: auto; }
  .ab-card .ab-rest .ab-control.ab-range input { flex-basis: 60px; min-width: 60px; width: 60px; }
}
@media (max-width: 480px) {
  .ab-bt .ab-controls { column-gap: 0.375rem; }
  .ab-bt .ab-controls [role="group"] { gap: 0.375rem !important; }
  .ab-bt .ab-controls .ab-button { padding-inline: 5px; font-size: 12px; white-space: nowrap; } /* all in a row */
  .ab-bt .ab-controls .ab-button.ab-primary { min-width: 4em; }
  .ab-output output[data-value="prefix"] { font-size: 15px; min-height: 2.8em; } /* a long one has two lines */
}
.ab-bt .ab-rows { display: flex; flex-direction: column; }
.ab-bt .ab-rows li { flex: 1 0 auto; align-content: center; } /* room for longer ones is shared by all rows */
.ab-bt-in { animation: ab-bt-in 0.3s ease-out; outline: none; }
@keyframes ab-bt-in { from { opacity: 0; } }
@media (prefers-reduced-motion: reduce) { .ab-bt-in { animation: none; } }`;

function render({ model, el }) {
  const fig = figure({
    model,
    el,
    title: say("Beam search with a length penalty"),
    hint: say("Tap or point at a prefix to see its numbers. Dots mark the greedy path."),
  });
  fig.card.classList.add("ab-bt");
  fig.card.prepend(styleSheet(STYLE));
  const ids = newId();
  const searches = new Map(); // by sentence, width and length
  let view = null;

  function searched(sentence, width, maxLen) {
    const key = [sentence, width, maxLen].join();
    if (!searches.has(key)) searches.set(key, beamSearch(DATA.sentences[sentence].nodes, width, maxLen));
    return searches.get(key);
  }

  const ofTarget = (target) => DATA.sentences.filter((one) => one.target === target);
  const number = () => {
    const own = ofTarget(model.get("target"));
    return DATA.sentences.indexOf(own.find(({ text }) => text === model.get("sentence")) || own[0]);
  };
  const current = () => searched(number(), model.get("width"), model.get("max_len"));
  const last = () => current().steps.length;
  const greedyOf = (sentence) => searched(sentence, 1, model.get("max_len"));
  // The tree grows to the right where every width's has room, so that it does not turn while the sliders move.
  const plans = new Map();
  function planOf(search, sentence, width, upright, room) {
    const key = `${upright} ${room}`;
    if (!plans.has(search)) plans.set(search, {});
    const greedy = ranked(greedyOf(sentence), 0)[0];
    return (plans.get(search)[key] ||= arrange(search, greedy, { upright, room, width }));
  }
  const heightAt = (width) => (width < 480 ? 460 : 500);
  const layout = (wide) => {
    const sentence = number();
    const rightwards = (width) =>
      planOf(searched(sentence, width, DATA.longest), sentence, width, false, heightAt(wide) - TOP - 34);
    const upright = wide < Math.max(...range(1, 6).map((width) => leastWidth(rightwards(width))));
    const room = upright ? wide - MARGIN : heightAt(wide) - TOP - 34;
    return planOf(current(), sentence, model.get("width"), upright, room);
  };
  const step = () => {
    const s = model.get("step");
    return s < 0 ? last() : Math.min(s, last());
  };

  const act = {
    idOf: (words) => `${ids}-${words.length ? words.join("-") : "bos"}`,
    look: (hyp) => fig.set({ at: nameOf(hyp.words).split(" ") }),
    onKey(event) {
      const plan = layout(stage.width());
      const seen = plan.columns
        .slice(0, view.step + 1)
        .map((entries) => entries.filter((entry) => entry.kind !== "lane"));
      const here = seen.flat().find((entry) => sameWords(entry.hyp.words, view.chosen.words));
      const column = seen[here.t];
      const i = column.indexOf(here);
      const to = {
        [plan.upright ? "ArrowUp" : "ArrowLeft"]: () => here.from,
        [plan.upright ? "ArrowLeft" : "ArrowUp"]: () => column[i - 1],
        [plan.upright ? "ArrowRight" : "ArrowDown"]: () => column[i + 1],
        Home: () => seen[0][0],
        [plan.upright ? "ArrowDown" : "ArrowRight"]: () =>
          (seen[here.t + 1] || []).find((entry) => entry.hyp.parent === here.hyp),
        End: () => seen.flat().find((entry) => entry.hyp === view.ranking[0]),
      }[event.key];
      if (!to) return;
      take(event);
      if (to()) act.look(to().hyp);
    },
  };

  const stage = fig.stage({
    label: (v) =>
      say("Beam search of width {width} as a tree, {step} of {last} steps; best: {best}", {
        width: v.width,
        step: v.step,
        last: v.last,
        best: sentenceOf(named(v.ranking[0].words)),
      }),
    height: heightAt,
    draw: (p, v) => drawTree(p, { ...v, plan: layout(p.width) }, act),
  });
  const list = html("ol", { class: "ab-rows", "aria-label": say("What the search found, the best first") });
  fig.card.append(list); // the last of all, as its length changes

  fig.slider("width", { label: say("Width"), min: 1, max: 5, step: 1 });
  const refresh = stepper(fig, {
    name: "step",
    label: say("Step"),
    step,
    last,
    go: (to) => fig.set({ step: to >= last() ? -1 : Math.max(0, to) }),
  });
  fig.more();
  fig.slider("length_penalty", { label: say("Length penalty α"), values: ALPHAS, format: (a) => fmt(a, 1) });
  fig.slider("max_len", {
    label: say("At most"),
    min: 1,
    max: DATA.longest,
    step: 1,
    format: (n) => (n === 1 ? say("1 word") : say`${n} words`),
  });
  const targets = DATA.models.map(({ target }) => target);
  selectTarget(fig, targets, (one) => fig.set({ target: one, sentence: ofTarget(one)[0].text, at: [] }));
  fig.select("sentence", {
    label: say("Sentence"),
    options: () => ofTarget(model.get("target")).map(({ text }) => text),
  });
  fig.reset(["at"]);
  fig.controlsFirst();

  fig.output("prefix", { label: say("Prefix"), format: String });
  fig.output("own", { label: say("Its last word: p"), digits: 3 });
  fig.output("log_prob", { label: say("log p, summed"), digits: 3 });
  fig.output("factor", { label: "((5 + T) / 6)^α", digits: 3 });
  fig.output("score", { label: say("Score: log p ÷ penalty"), digits: 3 });
  const factorName = fig.card.querySelector('[data-value="factor"]').previousElementSibling;
  fig.card.querySelector('[data-value="prefix"]').parentElement.style.gridColumn = "1 / -1";
  fig.card.querySelector(".ab-outputs").style.gridTemplateColumns = "repeat(auto-fit,minmax(max(22%,120px),1fr))";

  const toldOf = (...of) => viewOf(searched, ...of);
  // What is said before the search ends.
  const onTheWay = (sentence, width) =>
    range(searched(sentence, width, DATA.longest).steps.length).map((step) =>
      explain(toldOf(sentence, width, DATA.longest, 0.6, step)),
    );
  // At a new width of the card: room for the longest of what is said and listed, so that nothing moves later.
  let roomFor = -1;
  function keepRoom() {
    if (roomFor === fig.card.clientWidth) return;
    roomFor = fig.card.clientWidth;
    const sentences = range(DATA.sentences.length);
    sentences
      .flatMap((s) => range(2, 6).map((width) => [s, width]))
      .flatMap(([s, width]) => range(1, DATA.longest + 1).map((n) => [s, width, n]))
      .flatMap(([s, width, n]) => [0, 0.6, 2].map((alpha) => explain(toldOf(s, width, n, alpha))))
      .concat(sentences.flatMap((s) => range(1, 6).flatMap((width) => onTheWay(s, width))))
      .sort((a, b) => b.length - a.length)
      .slice(0, 3)
      .forEach(fig.say);
    list.style.minHeight = "";
    const heights = sentences.map((s) => {
      drawList(list, toldOf(s, 5, DATA.longest, 0.6));
      return list.offsetHeight;
    });
    list.style.minHeight = `${Math.max(...heights)}px`;
  }

  return fig.start((state) => {
    const told = toldOf(number(), state("width"), state("max_len"), state("length_penalty"), step());
    const { search, alpha, ranking } = told;
    const wanted = state("at").join(" ");
    const seen = layout(stage.width())
      .columns.slice(0, told.step + 1)
      .flat();
    const at = seen.find((entry) => nameOf(entry.hyp.words) === wanted);
    const fallback = told.step === told.last ? ranking[0] : standing(search, told.step)[0] || search.root;
    const chosen = at ? at.hyp : fallback;
    view = { ...told, chosen };
    const n = chosen.words.length;
    factorName.textContent = `((5 + T) / 6)^${fmt(alpha, 1)}`;
    fig.show({
      prefix: inARow(nameOf(chosen.words).split(" ")),
      own: n ? Math.exp(chosen.own) : null,
      log_prob: chosen.logProb,
      factor: lengthFactor(n, alpha),
      score: n ? scoreOf(chosen, alpha) : null,
    });
    keepRoom();
    fig.say(explain(view));
    drawList(list, view);
    refresh();
    return view;
  });
}

export default { render, math: { beamSearch, nBest, spread, lengthFactor, explained } };
