/* The beam as a tree: the search itself, run here over a page model's next-word log-probabilities, step by step.
 * Kept beginnings are drawn in the colour of weights, what was dropped in grey, what is finished in a box. */
// uses data.json, ../kit/words.js

const EOS = DATA.words.indexOf("<eos>");
const ALPHAS = range(21).map((i) => i / 10);
const DROPPED = 2; // of the continuations that are turned down, so many are shown at each step

// ---- the mathematics -----------------------------------------------------------------------------

const scoreOf = (hyp, alpha) => hyp.logProb / lengthFactor(hyp.words.length, alpha);

// All that one search does. `nodes` as stored: for every beginning its likeliest next words, [word, −log p in units,
// place of the longer beginning]. As in attnbook.decoding: what is finished keeps its place in the beam.
function beamSearch(nodes, width, maxLen) {
  const root = { words: [], logProb: 0, own: 0, place: 0, parent: null };
  const steps = [];
  const finished = [];
  let beams = [root];
  while (beams.length && steps.length < maxLen) {
    const grown = beams
      .flatMap((parent) =>
        nodes[parent.place].map(([word, cost, place], rank) => {
          const own = -cost * DATA.unit;
          return {
            parent,
            word,
            own,
            rank,
            place,
            words: [...parent.words, word],
            logProb: parent.logProb + own,
            ended: word === EOS,
          };
        }),
      )
      .sort((a, b) => b.logProb - a.logProb);
    const room = width - finished.length;
    const kept = grown.slice(0, room);
    steps.push({ kept, dropped: grown.slice(room), finished: [...finished] });
    finished.push(...kept.filter((hyp) => hyp.ended));
    beams = kept.filter((hyp) => !hyp.ended);
  }
  return { root, steps, finished, unfinished: beams };
}

// What the length cut off comes after everything that ended by itself.
function ranked({ finished, unfinished }, alpha) {
  const order = (hyps) => [...hyps].sort((a, b) => scoreOf(b, alpha) - scoreOf(a, alpha));
  return [...order(finished), ...order(unfinished)];
}

const named = (words) => words.map((word) => DATA.words[word]);
const nameOf = (words) => (words.length ? named(words).join(" ") : "<bos>");

// What a test can compare: the best hypotheses of a sentence by its number.
function nBest(sentence, width, alpha, maxLen) {
  return ranked(beamSearch(DATA.sentences[sentence].nodes, width, maxLen), alpha).map((hyp) => ({
    words: named(hyp.words),
    logProb: hyp.logProb,
    score: scoreOf(hyp, alpha),
    ended: hyp.ended,
  }));
}

// Places as near as possible to the wanted ones (weighted least squares), each at least `apart` from the one before.
function spread(wanted, apart, weights) {
  const before = wanted.map((_, i) => sum(apart.slice(1, i + 1)));
  const blocks = [];
  wanted.forEach((w, i) => {
    let block = { mean: w - before[i], weight: weights[i], count: 1 };
    while (blocks.length && blocks.at(-1).mean > block.mean) {
      const left = blocks.pop();
      const weight = left.weight + block.weight;
      block = {
        mean: (left.mean * left.weight + block.mean * block.weight) / weight,
        weight,
        count: left.count + block.count,
      };
    }
    blocks.push(block);
  });
  return blocks.flatMap(({ mean: place, count }) => range(count).map(() => place)).map((z, i) => z + before[i]);
}

// ---- where everything stands ---------------------------------------------------------------------

const TALL = { root: 30, kept: 38, ended: 38, lane: 20, dropped: 32 };
const GAP = 6;
const RANKS = 74; // room for the ranking at the right
const sameWords = (a, b) => String(a) === String(b);
const wordText = (word) => DATA.words[word];

// Columns of entries {hyp, kind, from}: the same order as their parents, so that no two branches cross.
function arrange(search, greedy) {
  const columns = [[{ hyp: search.root, kind: "root", from: null }]];
  search.steps.forEach(({ kept, dropped, finished }, t) => {
    const greedyWords = greedy.words.slice(0, t + 1);
    const turnedDown = dropped.filter((hyp, i) => i < DROPPED || sameWords(hyp.words, greedyWords));
    const entries = columns[t].flatMap((from) => {
      if (from.kind === "dropped") return [];
      if (from.hyp.ended) return [{ hyp: from.hyp, kind: "lane", from }];
      const own = (hyps, kind) =>
        hyps
          .filter((hyp) => hyp.parent === from.hyp)
          .map((hyp) => ({ hyp, kind: kind || (hyp.ended ? "ended" : "kept"), from }));
      return [...own(kept), ...own(turnedDown, "dropped")];
    });
    columns.push(entries);
    if (finished.some((hyp) => !entries.some((entry) => entry.hyp === hyp)))
      throw new Error("a finished hypothesis lost its lane");
  });
  columns.flat().forEach((entry) => Object.assign(entry, { kids: [], y: 0, pull: 0.02 }));
  columns.forEach((entries, t) =>
    entries.forEach((entry) => {
      entry.t = t;
      if (entry.from && entry.kind !== "dropped") entry.from.kids.push(entry);
    }),
  );
  const reach = (entry) => {
    entry.pull = 1;
    if (entry.from && entry.from.pull < 1) reach(entry.from);
  };
  columns
    .at(-1)
    .filter((entry) => entry.kind !== "dropped")
    .forEach(reach); // what survives goes straight on
  const settle = (entries, wanted) => {
    const apart = entries.map((entry, i) => (i ? (TALL[entry.kind] + TALL[entries[i - 1].kind]) / 2 + GAP : 0));
    spread(
      entries.map(wanted),
      apart,
      entries.map((entry) => entry.pull),
    ).forEach((y, i) => {
      entries[i].y = y;
    });
  };
  const heirs = (entry) => entry.kids.filter((kid) => kid.pull === 1).map((kid) => kid.y);
  [...columns]
    .reverse()
    .forEach((entries) => settle(entries, (entry) => (heirs(entry).length ? mean(heirs(entry)) : 0)));
  columns.forEach((entries) => settle(entries, (entry) => (entry.pull === 1 || !entry.from ? entry.y : entry.from.y)));
  const all = columns.flat();
  const [top, bottom] = [
    Math.min(...all.map((e) => e.y - TALL[e.kind] / 2)),
    Math.max(...all.map((e) => e.y + TALL[e.kind] / 2)),
  ];
  all.forEach((entry) => {
    entry.y -= top;
  });
  const need = {
    root: () => 48,
    lane: () => 0,
    dropped: (word) => textWidth(word, 12.5),
    kept: (word) => textWidth(word, 13.5) + 10,
    ended: () => 54,
  };
  const wide = columns.map((entries) =>
    Math.max(42, ...entries.map((entry) => need[entry.kind](wordText(entry.hyp.word) || ""))),
  );
  return { columns, wide, tall: bottom - top };
}

const leastWidth = (plan) => Math.ceil(sum(plan.wide) + 10 * plan.columns.length + RANKS);

function placeColumns(plan, width) {
  const air = clamp((width - RANKS - sum(plan.wide)) / plan.columns.length, 8, 52);
  let x = 0;
  return plan.wide.map((w) => {
    const left = x;
    x += w + air;
    return left;
  });
}

// ---- the drawing ---------------------------------------------------------------------------------

const TOP = 34;

function branch(x1, y1, x2, y2) {
  const bend = (x2 - x1) / 2;
  const r = (v) => Math.round(v * 10) / 10;
  return `M${r(x1)} ${r(y1)}C${r(x1 + bend)} ${r(y1)} ${r(x2 - bend)} ${r(y2)} ${r(x2)} ${r(y2)}`;
}

function drawTree(p, view, act) {
  const { plan, step, last, chosen, ranking } = view;
  const lefts = placeColumns(plan, p.width);
  const y = (entry) => TOP + entry.y;
  const onPath = (hyp) => sameWords(chosen.words.slice(0, hyp.words.length), hyp.words);
  range(step + 1).forEach((t) =>
    p.text(`step${t}`, lefts[t] + plan.wide[t] / 2, 13, t ? String(t) : "", {
      anchor: "middle",
      size: 12,
      colour: COLOUR.muted,
    }),
  );
  p.text("steps", 0, 13, "step", { size: 12, colour: COLOUR.muted, italic: true });
  const shown = plan.columns.slice(0, step + 1);
  p.group("branches", { "aria-hidden": "true" }, (g) =>
    shown.flat().forEach((entry, i) => {
      if (!entry.from) return;
      const { hyp, kind, from, t } = entry;
      const start = [
        from.kind === "lane" ? lefts[t - 1] + plan.wide[t - 1] / 2 : lefts[t - 1] + plan.wide[t - 1],
        y(from),
      ];
      const end = [kind === "lane" ? lefts[t] + plan.wide[t] / 2 : lefts[t], y(entry)];
      const strong = onPath(hyp);
      const look =
        kind === "lane"
          ? {
              stroke: COLOUR.value,
              "stroke-width": strong ? 2.2 : 1.4,
              "stroke-dasharray": "2 4",
              opacity: strong ? 1 : 0.65,
            }
          : kind === "dropped"
            ? {
                stroke: COLOUR.masked,
                "stroke-width": 1.2,
                "stroke-dasharray": "4 3",
                opacity: strong || t === step ? 0.9 : 0.4,
              }
            : { stroke: COLOUR.weight, "stroke-width": 1.2 + 5 * Math.exp(hyp.own), opacity: strong ? 1 : 0.5 };
      g.add("path", `b${t}-${i}`, { d: branch(...start, ...end), fill: "none", ...look });
    }),
  );
  const attrs = {
    role: "tree",
    tabindex: 0,
    "data-handle": "tree",
    "aria-label": "Beginnings of the translation, step by step",
    "aria-activedescendant": act.idOf(chosen.words),
    onkeydown: act.onKey,
  };
  p.group("tree", attrs, (g) =>
    shown.forEach((entries, t) =>
      entries.forEach((entry) => {
        if (entry.kind === "lane") return;
        drawEntry(g, entry, { x: lefts[t], y: y(entry), w: plan.wide[t] }, view, act, onPath(entry.hyp));
      }),
    ),
  );
  p.legend(
    "legend",
    0,
    TOP + plan.tall + 28,
    [
      { label: "kept", colour: COLOUR.weight },
      { label: "dropped", colour: COLOUR.masked, mark: "dash" },
      { label: "finished", colour: COLOUR.value, mark: "box" },
      { label: "greedy", colour: COLOUR.query, mark: "dot" },
    ],
    { maxWidth: view.window },
  );
  if (step < last) {
    p.text("more", lefts[step] + plan.wide[step] + 14, TOP + plan.tall / 2, "…", { size: 18, colour: COLOUR.muted });
    return;
  }
  // the ranking: every place of the beam ends here
  const right = p.width - RANKS + 8;
  p.text("rank", right + 24, 13, "score", { size: 12, colour: COLOUR.muted, italic: true });
  plan.columns
    .at(-1)
    .filter((entry) => entry.kind !== "dropped")
    .forEach((entry) => {
      const place = ranking.indexOf(entry.hyp);
      const best = place === 0;
      const x = entry.kind === "lane" ? lefts.at(-1) + plan.wide.at(-1) / 2 : lefts.at(-1) + plan.wide.at(-1);
      const colour = entry.hyp.ended ? COLOUR.value : COLOUR.masked;
      p.line(`out${place}`, x, y(entry), right - 2, y(entry), {
        stroke: colour,
        "stroke-width": best ? 2.2 : 1.4,
        "stroke-dasharray": "2 4",
        "aria-hidden": "true",
      });
      p.group(`rank${place}`, { cursor: "pointer", onclick: () => act.look(entry.hyp) }, (g) => {
        g.circle("badge", right + 9, y(entry), 10, {
          fill: best ? colour : COLOUR.ground,
          stroke: colour,
          "stroke-width": 2,
        });
        g.text("place", right + 9, y(entry) + 4.5, String(place + 1), {
          anchor: "middle",
          size: 13,
          weight: 700,
          colour: best ? COLOUR.ground : COLOUR.ink,
        });
        g.text("score", right + 24, y(entry) + 4.5, fmt(scoreOf(entry.hyp, view.alpha)), {
          size: 13,
          weight: best ? 700 : 500,
          "data-score": place,
        });
      });
    });
}

function drawEntry(g, { hyp, kind, t }, { x, y, w }, view, act, strong) {
  const tall = TALL[kind];
  const root = kind === "root";
  const chosen = sameWords(hyp.words, view.chosen.words);
  const faint = kind === "dropped" && !(chosen || t === view.step) ? 0.6 : 1;
  const isGreedy = !root && sameWords(hyp.words, view.greedy.words.slice(0, hyp.words.length));
  g.group(
    `e${hyp.words.join("-")}`,
    {
      id: act.idOf(hyp.words),
      role: "treeitem",
      "aria-level": t + 1,
      "aria-selected": String(chosen),
      "data-entry": kind,
      "data-words": nameOf(hyp.words),
      "aria-label": inWords(hyp, kind, view),
      cursor: "pointer",
      opacity: faint,
      class: "ab-bt-in",
      onclick: () => act.look(hyp),
      onpointerenter: (event) => {
        if (event.pointerType === "mouse") act.look(hyp);
      },
    },
    (e) => {
      const colour = kind === "ended" ? COLOUR.value : kind === "dropped" ? "transparent" : COLOUR.weight;
      e.rect("box", x, y - tall / 2, w, tall, {
        rx: 7,
        fill: COLOUR.ground,
        stroke: colour,
        "stroke-width": strong ? 2.4 : 1.4,
      });
      if (strong && kind !== "dropped")
        e.rect("tint", x, y - tall / 2, w, tall, { rx: 7, fill: colour, "fill-opacity": 0.13 });
      if (kind === "ended")
        e.rect("inner", x + 3, y - tall / 2 + 3, w - 6, tall - 6, {
          rx: 5,
          fill: "none",
          stroke: colour,
          "stroke-width": 1.2,
        });
      if (chosen)
        e.rect("ring", x - 3, y - tall / 2 - 3, w + 6, tall + 6, {
          rx: 9,
          fill: "none",
          stroke: COLOUR.ink,
          "stroke-width": 1.8,
          "stroke-dasharray": kind === "dropped" ? "4 3" : undefined,
        });
      const word = root ? "<bos>" : wordText(hyp.word);
      const quiet = kind === "dropped" || root;
      e.text("word", x + w / 2, root ? y + 4.5 : y - 2, word, {
        anchor: "middle",
        size: quiet || hyp.ended ? 12.5 : 13.5,
        weight: quiet ? 500 : 650,
        colour: quiet ? COLOUR.muted : COLOUR.ink,
      });
      if (!root)
        e.text("logp", x + w / 2, y + 13, fmt(hyp.logProb), { anchor: "middle", size: 12, colour: COLOUR.muted });
      if (isGreedy)
        e.circle("greedy", x + 1, y - tall / 2 + 1, 4, {
          fill: COLOUR.query,
          stroke: COLOUR.ground,
          "stroke-width": 1.2,
        });
    },
  );
}

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
            hyp.ended ? COLOUR.value : COLOUR.masked,
          ),
        )
      : []),
    sentenceRow("greedy", sentenceOf(named(view.greedy.words)), numbers(view.greedy), COLOUR.query),
    sentenceRow(view.references.length > 1 ? "references" : "reference", view.references.join(" · "), "", COLOUR.line),
  );
}

const STYLE = `${ROWS}
.ab-bt-scroll { flex: 1 1 100%; min-width: 0; overflow-x: auto; padding: 4px; margin: -4px; }
.ab-card .ab-controls, .ab-card .ab-control { min-width: 0; max-width: 100%; }
.ab-card .ab-control select { min-width: 0; flex: 0 1 auto; }
.ab-bt-in { animation: ab-bt-in 0.3s ease-out; outline: none; }
@keyframes ab-bt-in { from { opacity: 0; } }
@media (prefers-reduced-motion: reduce) { .ab-bt-in { animation: none; } }`;

// The sentence under the tree: what happens at this step, or whether greedy decoding found the same.
function explain(view) {
  const { search, step, last, width, alpha, ranking, greedy } = view;
  const counted = (n, thing) => `${n} ${thing}${n === 1 ? "" : "s"}`;
  if (step === 0) return `The model has read “${view.text}”. Every search begins with <bos>, log-probability 0.`;
  if (step < last) {
    const { kept, finished } = search.steps[step - 1];
    const open = step > 1 ? search.steps[step - 2].kept.filter((hyp) => !hyp.ended).length : 1;
    const ended = finished.length
      ? ` ${counted(finished.length, "finished sentence")} ` +
        `keep${finished.length === 1 ? "s its place" : " their places"} in the beam.`
      : "";
    return (
      `Step ${step}: ${counted(open, "beginning")} and every word after ${open === 1 ? "it" : "each"}; the ` +
      `${kept.length === 1 ? "likeliest one stays" : `${kept.length} likeliest stay`}, the rest is ` +
      `dropped.${ended}`
    );
  }
  const [best] = ranking;
  if (width === 1) return "A beam of width 1 is greedy decoding: one beginning, and the likeliest word after it.";
  if (sameWords(best.words, greedy.words))
    return `The best of the beam is what greedy decoding writes, too${alpha ? ` (α = ${fmt(alpha, 1)})` : ""}.`;
  const apart = best.logProb - greedy.logProb;
  const parts = range(best.words.length).find((i) => best.words[i] !== greedy.words[i]);
  const where = parts === 0 ? "at the first word" : `after “${named(best.words.slice(0, parts)).join(" ")}”`;
  const word = (hyp) => `“${named(hyp.words.slice(parts, parts + 1))}”`;
  const compared = `${fmtShort(Math.exp(apart))} times as probable`;
  const longer = apart > 0 ? "" : `, but longer: with α = ${fmt(alpha, 1)} its score is better`;
  return (
    `Greedy differs: ${where} it takes ${word(greedy)}, the best of the beam has ${word(best)} and ends ` +
    `${compared}${longer}.`
  );
}

function render({ model, el }) {
  const fig = figure({
    model,
    el,
    title: "A search that keeps several beginnings",
    hint:
      "Point at a beginning to see its numbers, or walk through the tree with the arrow keys. Blue dots mark " +
      "greedy decoding's way.",
  });
  fig.card.prepend(styleSheet(STYLE));
  const ids = newId();
  const known = new Map(); // searches, by sentence, width and length
  let view = null;
  let seenStep = null;

  function searched(sentence, width, maxLen) {
    const key = [sentence, width, maxLen].join();
    if (!known.has(key)) known.set(key, beamSearch(DATA.sentences[sentence].nodes, width, maxLen));
    return known.get(key);
  }

  const number = () => DATA.sentences.findIndex(({ text }) => text === model.get("sentence"));
  const current = () => searched(number(), model.get("width"), model.get("max_len"));
  const last = () => current().steps.length;
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
    height: () => TOP + view.plan.tall + (scroll.clientWidth < 320 ? 58 : 38),
    draw: (p, v) => drawTree(p, v, act),
  });
  const holder = stage.svg.parentElement;
  const scroll = html("div", { class: "ab-bt-scroll" });
  holder.before(scroll);
  scroll.append(holder);
  holder.style.flex = "none";
  const list = html("ol", { class: "ab-rows", "aria-label": "What the search found, the best first" });
  fig.card.querySelector(".ab-said").after(list);

  fig.select("sentence", { label: "Sentence", options: DATA.sentences.map(({ text }) => text) });
  fig.slider("width", { label: "Width of the beam", min: 1, max: 5, step: 1 });
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

  fig.output("prefix", { label: "Beginning", format: String });
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
    const plan = search.plan || (search.plan = arrange(search, greedy));
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
