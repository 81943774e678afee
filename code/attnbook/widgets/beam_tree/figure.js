/* The beam as a tree: the search itself, run here over a page model's next-word log-probabilities, step by step.
 * Kept prefixes are drawn in the colour of weights, what was dropped in grey, what is finished in a double frame. */
// uses data.json, ../kit/words.js, search.js, tree.js

function inWords(hyp, kind, view) {
  if (kind === "root") return "The beginning of every sentence, <bos>";
  const what = { kept: "kept", ended: "finished", dropped: "dropped" }[kind];
  return `${named(hyp.words).join(" ")}: ${what}, log p ${fmt(hyp.logProb)}, score ${fmt(scoreOf(hyp, view.alpha))}`;
}

// The hypotheses as a list, the best first, with greedy decoding's and the references.
function drawList(list, view) {
  const done = view.step === view.last;
  const numbers = (hyp) => division(hyp.logProb, hyp.words.length, view.alpha);
  list.replaceChildren(
    ...(done
      ? view.ranking.map((hyp, i) =>
          sentenceRow(
            String(i + 1),
            sentenceOf(named(hyp.words)) + (hyp.ended ? "" : " … (cut off)"),
            numbers(hyp),
            hyp.ended ? COLOUR.weight : COLOUR.masked,
          ),
        )
      : []),
    sentenceRow("greedy", sentenceOf(named(view.greedy.words)), numbers(view.greedy), COLOUR.ink),
    sentenceRow(view.references.length > 1 ? "references" : "reference", view.references.join(" · "), "", COLOUR.line),
  );
}

const STYLE = `${ROWS}
.ab-bt-scroll { flex: 1 1 100%; min-width: 0; overflow-x: auto; padding: 4px; margin: -4px;
  mask-image: linear-gradient(to right, transparent, black var(--bt-left, 0px),
    black calc(100% - var(--bt-right, 0px)), transparent); }
.ab-card .ab-controls, .ab-card .ab-control { min-width: 0; max-width: 100%; }
.ab-card .ab-control select { min-width: 0; flex: 0 1 auto; }
.ab-bt-in { animation: ab-bt-in 0.3s ease-out; outline: none; }
@keyframes ab-bt-in { from { opacity: 0; } }
@media (prefers-reduced-motion: reduce) { .ab-bt-in { animation: none; } }`;

// Where widths 1 and k part: the first word at which the best of the beam is not greedy decoding's; -1 if nowhere.
const partingOf = ({ ranking: [best], greedy }) => best.words.findIndex((word, i) => word !== greedy.words[i]);

// Where greedy decoding's sentence comes in among those of the wider beam.
function placeOfGreedy({ ranking, greedy }) {
  const place = ranking.findIndex((hyp) => sameWords(hyp.words, greedy.words));
  return place < 0
    ? ""
    : ` Greedy decoding's sentence comes ${["first", "second", "third", "fourth", "fifth"][place]}.`;
}

// The sentence under the tree: what happens at this step, and where widths 1 and k part.
function explain(view) {
  const { search, step, last, width, alpha, ranking, greedy } = view;
  const parts = partingOf(view);
  const [best] = ranking;
  const word = (hyp) => `“${named(hyp.words.slice(parts, parts + 1))}”`;
  const counted = (n, one, more = `${one}s`) => `${n} ${n === 1 ? one : more}`;
  if (step === 0) return `The model has read “${view.text}”. Every search begins with <bos>, log-probability 0.`;
  if (step < last) {
    const { kept, finished } = search.steps[step - 1];
    const open = step > 1 ? search.steps[step - 2].kept.filter((hyp) => !hyp.ended).length : 1;
    const ended = finished.length
      ? ` ${counted(finished.length, "finished sentence")} ` +
        `keep${finished.length === 1 ? "s its place" : " their places"} in the beam.`
      : "";
    return (
      `Step ${step}: ${counted(open, "prefix", "prefixes")} and every word after ${open === 1 ? "it" : "each"}; the ` +
      `${kept.length === 1 ? "likeliest one stays" : `${kept.length} likeliest stay`}, the rest is ` +
      `dropped.${ended}` +
      (parts >= 0 && step > parts
        ? ` Widths 1 and ${width} parted at step ${parts + 1}: greedy decoding took ${word(greedy)}, the sentence ` +
          `that will win ${word(best)}.`
        : "")
    );
  }
  if (width === 1) return "A beam of width 1 is greedy decoding: one prefix, and the likeliest word after it.";
  if (parts < 0)
    return (
      `Widths 1 and ${width} do not part: the best of the beam is what greedy decoding writes` +
      `${alpha ? ` (α = ${fmt(alpha, 1)})` : ""}.`
    );
  const apart = best.logProb - greedy.logProb;
  const after = parts === 0 ? "" : `, after “${named(best.words.slice(0, parts)).join(" ")}”`;
  const ratio = Math.exp(apart);
  const hardly = `hardly ${apart > 0 ? "more" : "less"} probable`;
  const compared = Math.abs(ratio - 1) < 0.005 ? hardly : `${fmtShort(ratio)} times as probable`;
  const finished = ", but finished: what the length cuts off comes last";
  const why = greedy.ended ? `, but longer: with α = ${fmt(alpha, 1)} its score is better` : finished;
  const longer = apart > 0 ? "" : why;
  return (
    `Widths 1 and ${width} part at step ${parts + 1}${after}: greedy decoding takes ${word(greedy)}, the best of the ` +
    `beam ${word(best)}, and ends ${compared}${longer}.${placeOfGreedy(view)}`
  );
}

function render({ model, el }) {
  const fig = figure({
    model,
    el,
    title: "Keeping several prefixes",
    hint:
      "Point at a prefix to see its numbers, or walk through the tree with the arrow keys. Dots mark " +
      "greedy decoding's way.",
  });
  fig.card.prepend(styleSheet(STYLE));
  const ids = newId();
  const known = new Map(); // searches, by sentence, width and length
  let view = null;
  let seenStep = null;
  let listed = { height: 0 };

  function searched(sentence, width, maxLen) {
    const key = [sentence, width, maxLen].join();
    if (!known.has(key)) known.set(key, beamSearch(DATA.sentences[sentence].nodes, width, maxLen));
    return known.get(key);
  }

  const number = () => DATA.sentences.findIndex(({ text }) => text === model.get("sentence"));
  const current = () => searched(number(), model.get("width"), model.get("max_len"));
  const last = () => current().steps.length;
  const planOf = (search, maxLen) => (search.plan ||= arrange(search, ranked(searched(number(), 1, maxLen), 0)[0]));
  // Room for the tallest tree of this sentence: nothing below it moves while the sliders do.
  const tallest = () =>
    Math.max(
      ...[model.get("max_len"), DATA.longest].flatMap((n) =>
        range(1, 6).map((width) => planOf(searched(number(), width, n), n).tall),
      ),
    );
  const step = () => {
    const s = model.get("step");
    return s < 0 ? last() : Math.min(s, last());
  };

  const act = {
    idOf: (words) => `${ids}-${words.length ? words.join("-") : "bos"}`,
    look: (hyp) => fig.set({ at: nameOf(hyp.words).split(" ") }),
    onKey(event) {
      const seen = view.plan.columns
        .slice(0, view.step + 1)
        .map((entries) => entries.filter((entry) => entry.kind !== "lane"));
      const here = seen.flat().find((entry) => sameWords(entry.hyp.words, view.chosen.words));
      const column = seen[here.t];
      const i = column.indexOf(here);
      const to = {
        ArrowLeft: () => here.from,
        ArrowUp: () => column[i - 1],
        ArrowDown: () => column[i + 1],
        Home: () => seen[0][0],
        ArrowRight: () => (seen[here.t + 1] || []).find((entry) => entry.hyp.parent === here.hyp),
        End: () => seen.flat().find((entry) => entry.hyp === view.ranking[0]),
      }[event.key];
      if (!to) return;
      event.preventDefault();
      event.stopPropagation(); // JupyterLab moves between cells with the same keys
      if (to()) act.look(to().hyp);
    },
  };

  const stage = fig.stage({
    label: (v) =>
      `Beam search of width ${v.width} as a tree, ${v.step} of ${v.last} steps; best: ` +
      `${sentenceOf(named(v.ranking[0].words))}`,
    height: () => TOP + tallest() + (scroll.clientWidth < 320 ? 58 : 38),
    draw: (p, v) => drawTree(p, v, act),
  });
  const holder = stage.svg.parentElement;
  const scroll = html("div", { class: "ab-bt-scroll" });
  holder.before(scroll);
  scroll.append(holder);
  const fade = () => {
    // where the tree goes on beyond a narrow window, it fades
    const hidden = { left: scroll.scrollLeft, right: scroll.scrollWidth - scroll.clientWidth - scroll.scrollLeft };
    for (const [side, w] of Object.entries(hidden)) scroll.style.setProperty(`--bt-${side}`, `${w > 5 ? 44 : 0}px`);
  };
  scroll.onscroll = fade;
  holder.style.flex = "none";
  const list = html("ol", { class: "ab-rows", "aria-label": "What the search found, the best first" });
  fig.card.append(list); // the last of all, as its length changes

  fig.select("sentence", { label: "Sentence", options: DATA.sentences.map(({ text }) => text) });
  fig.slider("width", { label: "Width", min: 1, max: 5, step: 1 });
  fig.slider("length_penalty", { label: "Length penalty α", values: ALPHAS, format: (a) => fmt(a, 1) });
  fig.slider("max_len", { label: "At most", min: 1, max: DATA.longest, step: 1, format: (n) => `${n} words` });
  const refresh = stepper(fig, {
    name: "step",
    label: "Step",
    step,
    last,
    go: (to) => fig.set({ step: to >= last() ? -1 : Math.max(0, to) }),
  });
  fig.reset(["at"]);
  fig.controlsFirst();

  fig.output("prefix", { label: "Prefix", format: String });
  fig.output("own", { label: "Its last word: p", digits: 3 });
  fig.output("log_prob", { label: "log p, summed", digits: 3 });
  fig.output("factor", { label: "((5 + n) / 6)^α", digits: 3 });
  fig.output("score", { label: "Score: log p ÷ it", digits: 3 });
  fig.card.querySelector('[data-value="prefix"]').parentElement.style.gridColumn = "1 / -1";
  fig.card.querySelector(".ab-outputs").style.gridTemplateColumns = "repeat(auto-fit,minmax(max(22%,120px),1fr))";

  return fig.start((state) => {
    const [sentence, width, alpha] = [number(), state("width"), state("length_penalty")];
    const search = current();
    const greedySearch = searched(sentence, 1, state("max_len"));
    const [greedy] = ranked(greedySearch, alpha);
    const ranking = ranked(search, alpha);
    const plan = planOf(search, state("max_len"));
    const shown = plan.columns.slice(0, step() + 1).flat();
    const wanted = state("at").join(" ");
    const at = shown.find((entry) => nameOf(entry.hyp.words) === wanted);
    const fallback = step() === last() ? ranking[0] : step() ? search.steps[step() - 1].kept[0] : search.root;
    const chosen = at ? at.hyp : fallback;
    view = {
      text: state("sentence"),
      references: DATA.sentences[sentence].references,
      search,
      plan,
      air: (tallest() - plan.tall) / 2,
      tall: tallest(),
      width,
      alpha,
      step: step(),
      last: last(),
      ranking,
      greedy,
      chosen,
      window: scroll.clientWidth || 700,
    };
    holder.style.minWidth = `${leastWidth(plan)}px`;
    const n = chosen.words.length;
    fig.show({
      prefix: nameOf(chosen.words),
      own: n ? Math.exp(chosen.own) : null,
      log_prob: chosen.logProb,
      factor: lengthFactor(n, alpha),
      score: n ? scoreOf(chosen, alpha) : null,
    });
    fig.say(explain(view));
    drawList(list, view);
    if (listed.width !== list.clientWidth || listed.text !== view.text)
      listed = { width: list.clientWidth, text: view.text, height: 0 };
    list.style.minHeight = "";
    listed.height = Math.max(listed.height, list.offsetHeight); // nor does it become shorter
    list.style.minHeight = `${listed.height}px`;
    requestAnimationFrame(fade);
    refresh();
    if (seenStep !== null && seenStep !== view.step) {
      // keep the step that is looked at within a narrow window
      const wide = Math.max(leastWidth(plan), scroll.clientWidth);
      scroll.scrollLeft =
        view.step === view.last
          ? wide
          : placeColumns(plan, wide)[view.step] + plan.wide[view.step] + 60 - scroll.clientWidth;
    }
    seenStep = view.step;
    return view;
  });
}

export default { render, math: { beamSearch, nBest, spread, lengthFactor } };
