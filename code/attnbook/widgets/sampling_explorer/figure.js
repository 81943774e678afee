/* The sampling explorer: a page model's complete next-word distribution, filtered as attnbook.translation.filter_logits
 * does: first the temperature, then top-k, then top-p. Before is an outline, after is filled, cut off is hatched. The
 * first distribution is stored; the model itself is read when somebody draws a word to go on from. */

import DATA from "./data.json" with { type: "json" };
import { figure } from "../kit/card.js";
import { loadTranslator } from "../kit/files.js";
import { clamp, COLOUR, fmt, fmtShort, html, range, seededUniforms, softmax, sum } from "../kit/kit.js";
import { BOOK, fileOf, selectTarget } from "../kit/languages.js";
import { BOS, nextStep, translateIds } from "../kit/models.js";
import { linear, NARROW, ticks } from "../kit/paint.js";
import { inARow, langOf } from "../kit/text.js";
import { isEnd, styleSheet, textWidth } from "../kit/words.js";
import { explain, ofDraws } from "./says.js";

const TARGETS = DATA.models.map(({ target }) => target);
const EXAMPLES = Object.fromEntries(TARGETS.map((one) => [one, DATA.examples.filter(({ target }) => target === one)]));
const TEMPERATURES = range(1, 31).map((i) => i / 10);
const KS = [0, 1, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 50, 100, 200, 500, 1000];
const PS = [...range(1, 20).map((i) => i / 20), 0.99, 1];
const MOST_DRAWS = 2000;
const LONGEST = 40;

// ---- the mathematics -----------------------------------------------------------------------------

// Stored as the first −log p and the differences to the next, in units: log-probabilities, the likeliest first.
function logProbsOf({ costs }) {
  let cost = 0;
  return costs.map((step) => {
    cost += step;
    return -cost * DATA.unit;
  });
}

// Logits from the largest to the smallest → the same, −∞ for words that are cut off. topK 0 and topP 1 cut nothing.
function filterLogits(logits, temperature, topK, topP) {
  let kept = logits.map((v) => v / temperature);
  if (topK > 0) {
    const least = kept[Math.min(topK, kept.length) - 1]; // whatever is as likely as the last one stays, too
    kept = kept.map((v) => (v < least ? -Infinity : v));
  }
  if (topP < 1) {
    const shares = softmax(kept);
    let before = 0; // what the likelier words have already
    kept = kept.map((v, i) => {
      const cut = before >= topP;
      before += shares[i];
      return cut ? -Infinity : v;
    });
  }
  return kept;
}

const entropyOf = (probs) => -sum(probs.filter((p) => p > 0).map((p) => p * Math.log(p)));

function cumulative(probs) {
  let total = 0;
  return probs.map((p) => {
    total += p;
    return total;
  });
}

// n words by their places: every die falls into one of the steps of the cumulative probability.
function drawWords(probs, n, seed) {
  const steps = cumulative(probs);
  const last = probs.findLastIndex((p) => p > 0); // rounding leaves the total a little beside 1
  return Array.from(seededUniforms(seed, n), (u) => {
    const place = steps.findIndex((total) => u < total);
    return place < 0 ? last : Math.min(place, last);
  });
}

// What the model makes of the next word after these: its state, and the log-probability of every word.
const asked = new Map();
function nextAfter(translator, sentence, words) {
  const key = [translator.name, sentence, ...words].join(" ");
  if (!asked.has(key)) {
    const before = words.length ? nextAfter(translator, sentence, words.slice(0, -1)).state : null;
    const state = before ? translator.copy(before) : translator.start(translator.read(sentence).ids);
    const id = before ? translator.words.indexOf(words.at(-1)) : BOS;
    const logProbs = nextStep(translator, id, state).logProbs;
    asked.set(key, { state, logProbs });
  }
  return asked.get(key);
}

// The words that can follow, the likeliest first.
function rankedAfter(translator, sentence, words) {
  const { logProbs } = nextAfter(translator, sentence, words);
  const ids = Array.from(logProbs.keys()).filter((id) => logProbs[id] > -Infinity);
  ids.sort((a, b) => logProbs[b] - logProbs[a] || a - b);
  return { names: ids.map((id) => translator.words[id]), logProbs: ids.map((id) => logProbs[id]) };
}

// Of each word drawn: the model's own probability for it, and its place among all words.
function historyOf(translator, { sentence, prefix }, words) {
  return words.map((word, i) => {
    const { logProbs } = nextAfter(translator, sentence, [...prefix, ...words.slice(0, i)]);
    const id = translator.words.indexOf(word);
    const own = logProbs[id];
    const place = logProbs.reduce((count, other, j) => count + (other > own || (other === own && j < id)), 0);
    return { word, place, logProb: own };
  });
}

// ---- the drawing ---------------------------------------------------------------------------------

const ROW = 22;
const TOP = 52;
const shownOn = (width) => (width < NARROW ? 8 : 14); // words that have a row of their own

function drawBars(p, view, fig) {
  const { before, after, kept, running, draws, size } = view;
  const shown = shownOn(p.width);
  const names = view.names.slice(0, shown);
  const counts = range(shown).map((i) => view.drawn.filter((place) => place === i).length);
  const [restBefore, restAfter] = [before, after].map((probs) => sum(probs.slice(shown)));
  const [restWords, restDrawn] = [size - shown, draws - sum(counts)];
  const restKept = kept.slice(shown).filter(Boolean).length;
  const rest = `${restWords} ${p.narrow ? "others" : "other words"}`;
  const left = 12 + Math.max(textWidth(rest, 13), ...names.map((word) => textWidth(word, 13.5)));
  const right = p.narrow ? 78 : 190;
  const gap = 58;
  const x = linear([0, 1], [left, p.width - right - gap]); // one scale for all settings: only the bars move
  const line = linear([0, 1], [p.width - right, p.width - 10]);
  const hatch = p.hatch("hatch");
  const bottom = TOP + (shown + 1) * ROW + 4;
  p.text("title", left, 15, "Probability", { weight: 650, size: 14 });
  p.text("titleLine", line(0), 15, p.narrow ? "Sum" : "Running sum", { weight: 650, size: 14 });
  p.group("grid", { "aria-hidden": "true" }, (g) => {
    ticks(0, 1, p.narrow ? 2 : 5).forEach((v) => {
      g.line(`x${v}`, x(v), TOP - 6, x(v), bottom, { stroke: COLOUR.grid, "stroke-width": 1 });
      g.text(`t${v}`, x(v), TOP - 12, String(v), { size: 12, anchor: "middle", colour: COLOUR.muted });
    });
    (p.narrow ? [0, 1] : [0, 0.5, 1]).forEach((v) => {
      g.line(`l${v}`, line(v), TOP - 6, line(v), bottom, { stroke: COLOUR.grid, "stroke-width": 1 });
      g.text(`lt${v}`, line(v), TOP - 12, String(v), { size: 12, anchor: "middle", colour: COLOUR.muted });
    });
  });
  const row = (rows, key, i, name, was, is, cut, drawn, note) =>
    rows.group(
      key,
      {
        role: "listitem",
        "data-row": key,
        "data-cut": String(cut),
        "aria-label":
          `${name}: ${fmt(was, 3)} before, ${cut ? "then cut off" : `${fmt(is, 3)} after`}` +
          `${draws && !cut ? `, drawn ${drawn} ${drawn === 1 ? "time" : "times"}` : ""}`,
      },
      (g) => {
        const y = TOP + i * ROW;
        g.text("name", left - 8, y + 15, name, {
          lang: key === "rest" ? undefined : view.lang,
          anchor: "end",
          size: key === "rest" ? 13 : 13.5,
          weight: cut || key === "rest" ? 400 : 600,
          italic: key === "rest",
          colour: cut ? COLOUR.muted : COLOUR.ink,
        });
        if (!cut) g.rect("after", left, y + 3, x(is) - left, ROW - 6, { fill: COLOUR.weight, rx: 2, opacity: 0.9 });
        if (cut) g.rect("cut", left, y + 3, x(was) - left, ROW - 6, { fill: hatch, rx: 2 });
        g.rect("before", left, y + 3, Math.max(1, x(was) - left), ROW - 6, {
          fill: "none",
          stroke: cut ? COLOUR.masked : COLOUR.ink,
          "stroke-width": 1.3,
          rx: 2,
        });
        if (draws && !cut)
          g.mark("drawn", "diamond", x(drawn / draws), y + ROW / 2, 5, {
            fill: COLOUR.ink,
            stroke: COLOUR.ground,
            "stroke-width": 1.5,
            "data-drawn": drawn,
          });
        const end = Math.max(x(was), cut ? 0 : x(is), draws && !cut ? x(drawn / draws) + 6 : 0);
        const beside = note && end + 7 + textWidth(`${fmt(is, 3)}, ${note}`, 12.5) < p.width - right - 8;
        const value = cut ? `was ${was < 0.0005 ? "< 0.001" : fmt(was, 3)}` : fmt(is, 3);
        g.text("value", end + 7, y + 15, beside ? `${value}, ${note}` : value, {
          size: 12.5,
          colour: cut ? COLOUR.muted : COLOUR.ink,
          halo: true,
        });
        if (note && !beside && x(is) - left > textWidth(note, 12.5) + 8) // in the bar, not over the running sum
          g.text("note", left + 6, y + 15, note, { size: 12.5, colour: COLOUR.onAccent });
      },
    );
  p.group("rows", { role: "list", "aria-label": "The likeliest words, and the rest" }, (rows) => {
    names.forEach((name, i) => row(rows, `w${i}`, i, name, before[i], after[i], !kept[i], counts[i]));
    row(
      rows,
      "rest",
      shown,
      rest,
      restBefore,
      restAfter,
      restKept === 0,
      restDrawn,
      restKept && restKept < restWords ? `${restKept} stay` : undefined,
    );
  });
  // the running sum of what top-p sees, and its threshold
  const points = [[line(0), TOP]];
  running.slice(0, shown).forEach((total, i) => points.push([line(total), TOP + i * ROW + ROW / 2]));
  // the others share one row: there the sum goes on to 1, and there the threshold may cut
  points.push([points.at(-1)[0], TOP + shown * ROW + ROW / 2], [line(1), TOP + shown * ROW + ROW / 2]);
  p.path("sum", points, { stroke: COLOUR.muted, "stroke-width": 2.4, "data-line": "sum" });
  running
    .slice(0, shown)
    .forEach((total, i) =>
      p.circle(`s${i}`, line(total), TOP + i * ROW + ROW / 2, 2.6, { fill: kept[i] ? COLOUR.ink : COLOUR.masked }),
    );
  if (view.topP < 1) {
    const stays = view.afterP;
    p.line("threshold", line(view.topP), TOP - 6, line(view.topP), bottom, {
      stroke: COLOUR.accent,
      "stroke-width": 2,
      "stroke-dasharray": "6 4",
    });
    if (stays <= shown && !restKept)
      p.line("cutline", 0, TOP + stays * ROW, p.width - 10, TOP + stays * ROW, {
        stroke: COLOUR.accent,
        "stroke-width": 1.6,
        "stroke-dasharray": "6 4",
        opacity: 0.8,
      });
  } else if (view.topK > 0 && view.topK <= shown) {
    p.line("cutline", 0, TOP + view.topK * ROW, p.width - 10, TOP + view.topK * ROW, {
      stroke: COLOUR.masked,
      "stroke-width": 1.6,
      "stroke-dasharray": "6 4",
    });
  }
  p.handle("top_p", {
    x: line,
    at: [view.topP, TOP - 1],
    axis: "x",
    step: 0.05,
    min: [0.05, -Infinity],
    max: [1, Infinity],
    shape: "triangle",
    size: 6,
    label: "threshold p of top-p",
    text: view.topP < 1 ? `p = ${fmt(view.topP)}` : "p = 1, off",
    onMove: ([to]) => fig.set({ top_p: Math.round(clamp(to, 0.05, 1) * 100) / 100 }),
  });
  p.legend(
    "legend",
    0,
    bottom + 22,
    [
      { label: "the model's", colour: COLOUR.ink },
      { label: "after the filters", colour: COLOUR.weight, mark: "box" },
      { label: p.narrow ? "cut off" : "cut off, with what it had", colour: COLOUR.masked, mark: "hatch" },
      { label: "threshold p", colour: COLOUR.accent, mark: "dash" },
      ...(draws ? [{ label: `drawn, of ${draws}`, colour: COLOUR.ink, mark: "diamond" }] : []),
    ],
    { maxWidth: p.width },
  );
}

function render({ model, el }) {
  const fig = figure({
    model,
    el,
    title: "Which words may be drawn?",
    hint: "The bars show which words may come next. Move the sliders, then draw a word and go on from there.",
  });
  fig.card.prepend(
    styleSheet(`
.ab-card .ab-controls, .ab-card .ab-control { min-width: 0; max-width: 100%; }
.ab-card .ab-control select { min-width: 0; flex: 0 1 auto; }
.ab-card p.ab-se-source { margin-top: 0.5rem; color: var(--ab-muted); }
@media (min-width: 481px) { /* three rows of controls */
  .ab-card .ab-control.ab-range { flex-basis: 250px; }
  .ab-card [data-control="example"] { max-width: 32rem; }
}
.ab-card p.ab-se-said { min-height: calc(4.35em + 1rem); } /* three lines */
@media (max-width: 480px) {
  .ab-card .ab-range:has([data-control^="top_"]) { flex: 1 1 40%; flex-wrap: nowrap; white-space: nowrap; }
  .ab-card .ab-range input[data-control^="top_"] { flex-basis: 40px; min-width: 40px; }
  .ab-card .ab-control label { white-space: nowrap; }
  .ab-card p.ab-se-said { min-height: calc(8.7em + 1rem); }
  .ab-card p.ab-se-source { min-height: 2.9em; }
}
.ab-card .ab-outputs { grid-template-columns: repeat(auto-fit, minmax(100px, 1fr)); }
.ab-se-buttons { display: flex; flex-wrap: wrap; gap: 0.5rem; }
.ab-card .ab-se-buttons .ab-button { padding: 5px 10px; }
.ab-card p.ab-se-prefix { margin: 0.75rem 0 0.25rem; min-height: 48px; font-size: 15px; line-height: 24px; }
@media (min-width: 481px) { .ab-se-prefix [lang="en"] { display: block; } }
.ab-se-prefix small { color: var(--ab-muted); font-size: 12px; line-height: 1; font-variant-numeric: tabular-nums; }`),
  );
  const source = html("p", { class: "ab-se-source" });
  fig.card.querySelector(".ab-outputs").before(source);
  fig.card.querySelector(".ab-said").classList.add("ab-se-said");
  const known = new Map();
  const stored = (example) => {
    if (!known.has(example)) known.set(example, logProbsOf(example));
    return { names: example.names, logProbs: known.get(example) };
  };
  const target = () => model.get("target");
  const shown = () => EXAMPLES[target()][model.get("example")];
  // of each language: the model, what is to be said if it cannot be loaded, and whether it is on its way
  const [translators, problems, loading] = [{}, {}, {}];
  const load = (into = target()) =>
    (loading[into] ||= loadTranslator(model, fileOf(DATA.models[0].model, into)).then(
      (made) => {
        [translators[into], problems[into]] = [made, ""];
        fig.redraw();
      },
      (error) => {
        [loading[into], problems[into]] = [null, `The model could not be loaded: ${error.message}.`];
        fig.redraw();
      },
    ));
  const isEnded = (written) => written.length >= LONGEST || isEnd(written.at(-1));

  // The distribution to be seen now: at the end, the one from which <eos> was drawn.
  function look() {
    const [translator, written] = [translators[target()], model.get("written")];
    const { sentence, prefix } = shown();
    const words = isEnd(written.at(-1)) ? written.slice(0, -1) : written;
    const now = translator ? rankedAfter(translator, sentence, [...prefix, ...words]) : stored(shown());
    const filters = ["temperature", "top_k", "top_p"].map((name) => model.get(name));
    const filtered = filterLogits(now.logProbs, ...filters);
    return { ...now, filtered, after: softmax(filtered) };
  }

  fig.stage({
    label: (v) =>
      `The ${shownOn(1000)} likeliest next words: ${v.names
        .slice(0, 5)
        .map((word, i) => `${word} ${fmt(v.after[i], 3)}`)
        .join(", ")}, …; ${v.afterP} of ${v.size} words can be drawn`,
    height: (width) => TOP + (shownOn(width) + 1) * ROW + (width < NARROW ? 56 : 34),
    draw: (p, v) => drawBars(p, v, fig),
  });

  fig.slider("temperature", { label: "Temperature", values: TEMPERATURES, format: (t) => fmt(t, 1) });
  fig.slider("top_k", { label: "Top-k", values: KS, format: (k) => (k ? String(k) : "off") });
  fig.slider("top_p", { label: "Top-p", values: PS, format: (q) => (q < 1 ? fmt(q) : "off") });

  // -- word by word --
  let timer = null;
  const stop = () => {
    clearTimeout(timer);
    timer = null;
  };
  async function write() {
    await load();
    const [written, cast] = [model.get("written"), model.get("cast")];
    if (!translators[target()] || isEnded(written)) return false;
    const { names, after } = look();
    const word = names[drawWords(after, cast + 1, model.get("seed"))[cast]];
    fig.set({ written: [...written, word], cast: (cast + 1) % MOST_DRAWS, draws: 0 });
    return true;
  }
  async function writeOn(expected) {
    const isMoved = model.get("written").join(" ") !== expected.join(" "); // by somebody; JupyterLab gives a new array
    if (!fig.card.isConnected || isMoved) return stop();
    const goes = await write();
    const now = model.get("written");
    if (!goes || isEnded(now)) stop();
    else if (timer) timer = setTimeout(() => writeOn(now), 500);
    fig.redraw();
  }
  const next = fig.button(
    "Draw a word",
    () => {
      stop();
      write();
    },
    { primary: true },
  );
  fig.more();
  const toEnd = fig.button("To the end", () => {
    if (timer) {
      stop();
      fig.redraw();
      return;
    }
    toEnd.style.minWidth = `${toEnd.getBoundingClientRect().width}px`; // as wide when it says Stop
    timer = -1; // until the first word is there
    writeOn(model.get("written"));
  });
  const back = fig.button("Back", () => {
    stop();
    fig.set({ written: model.get("written").slice(0, -1), draws: 0 });
  });
  const more = fig.button("Draw 100", () => fig.set({ draws: Math.min(MOST_DRAWS, model.get("draws") + 100) }));
  const clear = fig.button("New seed", () => fig.set({ seed: (model.get("seed") + 1) % 10000, draws: 0 }));
  const begins = html("p", { class: "ab-se-prefix" });
  const buttons = html("div", { class: "ab-se-buttons", role: "group", "aria-label": "Drawing" });
  toEnd.before(buttons);
  buttons.append(toEnd, back, more, clear);
  selectTarget(fig, TARGETS, (one) => fig.set({ target: one, written: [], draws: 0 }));
  const begun = fig.select("example", {
    label: "After",
    options: () => EXAMPLES[target()].map(({ sentence, prefix }, i) => [i, `“${inARow(prefix)} …”: ${sentence}`]),
  });
  begun.addEventListener("change", () => fig.set({ written: [], draws: 0 }));
  fig.reset(["draws", "seed", "written", "cast"]);
  fig.controlsFirst();
  fig.card.querySelector(".ab-stages").before(begins);

  fig.output("kept", { label: "Words that stay", format: String, note: " " });
  const counted = fig.card.querySelector('[data-value="kept"] ~ .ab-note');
  fig.output("mass", { label: "They held", digits: 3, note: "of the model's probability" });
  fig.output("entropy_before", { label: "Entropy before", digits: 3, note: "nats" });
  fig.output("entropy_after", { label: "Entropy after", digits: 3, note: "nats" });
  fig.output("distinct", { label: "Different words", format: String, note: "when drawn by hundreds" });
  const distinct = fig.card.querySelector('[data-value="distinct"]').parentElement;

  return fig.start((state) => {
    const [temperature, topK, topP, draws] = ["temperature", "top_k", "top_p", "draws"].map(state);
    const written = state("written");
    const into = state("target");
    const [translator, problem] = [translators[into], problems[into]];
    if ((written.length || state("cast")) && !translator && !problem) load(); // words have been drawn
    const { names, logProbs, filtered, after } = look();
    const before = softmax(logProbs);
    const byK = filterLogits(logProbs, temperature, topK, 1);
    const kept = filtered.map((v) => v > -Infinity);
    const drawn = drawWords(after, draws, state("seed"));
    const size = logProbs.length;
    const afterP = kept.filter(Boolean).length;
    const { sentence, prefix, reference } = shown();
    const lang = langOf(BOOK[into].codes[1]);
    const history = translator ? historyOf(translator, shown(), written) : [];
    const ended = translator && isEnded(written);
    counted.textContent = `of ${size}`;
    source.replaceChildren(
      "One human translation: ",
      html("span", { lang, text: reference }),
      into === "zh" ? " Each character counts as a word." : "",
    );
    begins.lang = lang;
    begins.replaceChildren(
      html("span", { lang: "en", text: sentence }),
      " → ",
      html("b", { text: inARow(prefix) }),
      ...history.flatMap(({ word, logProb }) => [
        ` ${word} `,
        html("small", { text: fmtShort(Math.exp(logProb)), title: "the model’s probability" }),
      ]),
      ended ? "" : " …",
    );
    distinct.hidden = !draws;
    fig.show({
      kept: afterP,
      mass: sum(before.filter((_, i) => kept[i])),
      entropy_before: entropyOf(before),
      entropy_after: entropyOf(after),
      distinct: draws ? new Set(drawn).size : null,
    });
    const view = {
      lang,
      names,
      before,
      after,
      kept,
      draws,
      drawn,
      prefix,
      history,
      ended,
      problem,
      loading: loading[into] && !translator,
      write: translator?.write,
      greedy: ended ? greedyFrom(translator, shown()) : null,
      temperature,
      topK,
      topP,
      size,
      running: cumulative(softmax(byK)),
      afterK: byK.filter((v) => v > -Infinity).length,
      tied: byK.filter((v) => v === byK[topK - 1]).length,
      exact: Boolean(translator),
      afterP,
    };
    next.disabled = toEnd.disabled = Boolean(ended);
    toEnd.textContent = timer ? "Stop" : "To the end";
    back.disabled = !written.length;
    fig.card.setAttribute("aria-busy", String(Boolean(view.loading)));
    more.disabled = draws >= MOST_DRAWS;
    clear.disabled = draws === 0;
    fig.say(explain(view) + ofDraws(view));
    return view;
  });
}

// The likeliest word at every step after the beginning of an example.
function greedyFrom(translator, { sentence, prefix }) {
  const given = prefix.map((word) => translator.words.indexOf(word));
  return translateIds(translator, translator.read(sentence).ids, given).slice(prefix.length);
}

export default { render, math: { logProbsOf, filterLogits, entropyOf, drawWords, cumulative } };
