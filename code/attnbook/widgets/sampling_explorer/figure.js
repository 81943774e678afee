/* The sampling explorer: a page model's complete next-word distribution, filtered as attnbook.translation.filter_logits
 * does: first the temperature, then top-k, then top-p. Before is an outline, after is filled, cut off is hatched. */
// uses data.json, ../kit/words.js

const EXAMPLES = DATA.examples;
const TEMPERATURES = range(1, 31).map((i) => i / 10);
const KS = [0, 1, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 50, 100, 200, 500, 1000];
const PS = [...range(1, 20).map((i) => i / 20), 0.99, 1];
const MOST_DRAWS = 2000;

// ---- the mathematics -----------------------------------------------------------------------------

// Stored as the first −log p and the differences to the next, in units: log-probabilities, the likeliest first.
function logProbsOf(example) {
  let cost = 0;
  return EXAMPLES[example].costs.map((step) => {
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

// ---- the drawing ---------------------------------------------------------------------------------

const ROW = 22;
const TOP = 52;
const SHOWN = 20;

function drawBars(p, view, fig) {
  const { names, before, after, kept, running, draws, counts, restBefore, restAfter, restDrawn, restWords, restKept } =
    view;
  const rest = `${restWords} other words`;
  const left = 12 + Math.max(textWidth(rest, 13), ...names.map((word) => textWidth(word, 13.5)));
  const right = p.narrow ? 78 : 190;
  const gap = 58;
  const widest = Math.max(
    ...before,
    ...after,
    restBefore,
    restAfter,
    draws ? Math.max(...counts.map((c) => c / draws), restDrawn / draws) : 0,
  );
  const x = linear([0, widest], [left, p.width - right - gap]);
  const line = linear([0, 1], [p.width - right, p.width - 10]);
  const hatch = p.hatch("hatch");
  const bottom = TOP + (SHOWN + 1) * ROW + 4;
  p.text("title", left, 15, "Probability", { weight: 650, size: 14 });
  p.text("titleLine", line(0), 15, p.narrow ? "Sum" : "Running sum", { weight: 650, size: 14 });
  p.group("grid", { "aria-hidden": "true" }, (g) => {
    ticks(0, widest, p.narrow ? 2 : 4).forEach((v) => {
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
            fill: COLOUR.value,
            stroke: COLOUR.ground,
            "stroke-width": 1.5,
            "data-drawn": drawn,
          });
        const end = Math.max(x(was), cut ? 0 : x(is), draws && !cut ? x(drawn / draws) + 6 : 0);
        g.text("value", end + 7, y + 15, note || (cut ? "cut off" : fmt(is, 3)), {
          size: 12.5,
          colour: cut ? COLOUR.muted : COLOUR.ink,
          halo: true,
        });
      },
    );
  p.group("rows", { role: "list", "aria-label": "The likeliest words, and the rest" }, (rows) => {
    names.forEach((name, i) => row(rows, `w${i}`, i, name, before[i], after[i], !kept[i], counts[i]));
    row(
      rows,
      "rest",
      SHOWN,
      rest,
      restBefore,
      restAfter,
      restKept === 0,
      restDrawn,
      restKept && restKept < restWords ? `${fmt(restAfter, 3)}, ${restKept} stay` : undefined,
    );
  });
  // the running sum of what top-p sees, and its threshold
  const points = [[line(0), TOP]];
  running.slice(0, SHOWN).forEach((total, i) => points.push([line(total), TOP + i * ROW + ROW / 2]));
  points.push([line(1), TOP + SHOWN * ROW + ROW / 2]);
  p.path("sum", points, { stroke: COLOUR.query, "stroke-width": 2.4 });
  running
    .slice(0, SHOWN)
    .forEach((total, i) =>
      p.circle(`s${i}`, line(total), TOP + i * ROW + ROW / 2, 2.6, { fill: kept[i] ? COLOUR.query : COLOUR.masked }),
    );
  if (view.topP < 1) {
    const stays = kept.filter(Boolean).length;
    p.line("threshold", line(view.topP), TOP - 6, line(view.topP), bottom, {
      stroke: COLOUR.key,
      "stroke-width": 2,
      "stroke-dasharray": "6 4",
    });
    if (stays <= SHOWN && !restKept)
      p.line("cutline", 0, TOP + stays * ROW, p.width - 10, TOP + stays * ROW, {
        stroke: COLOUR.key,
        "stroke-width": 1.6,
        "stroke-dasharray": "6 4",
        opacity: 0.8,
      });
  } else if (view.topK > 0 && view.topK <= SHOWN) {
    p.line("cutline", 0, TOP + view.topK * ROW, p.width - 10, TOP + view.topK * ROW, {
      stroke: COLOUR.masked,
      "stroke-width": 1.6,
      "stroke-dasharray": "6 4",
    });
  }
  p.handle("top_p", {
    x: line,
    at: [view.topP, TOP - 5],
    axis: "x",
    step: 0.05,
    min: [0.05, -Infinity],
    max: [1, Infinity],
    colour: COLOUR.key,
    shape: "diamond",
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
      { label: "cut off", colour: COLOUR.masked, mark: "hatch" },
      { label: "threshold p", colour: COLOUR.key, mark: "dash" },
      ...(draws ? [{ label: `drawn, of ${draws}`, colour: COLOUR.value, mark: "diamond" }] : []),
    ],
    { maxWidth: p.width },
  );
}

function explain(view) {
  const { temperature, topK, topP, size, afterK, afterP } = view;
  const parts = [];
  if (temperature !== 1)
    parts.push(`temperature ${fmt(temperature, 1)} makes the distribution ${temperature < 1 ? "sharper" : "flatter"}`);
  if (topK > 0) parts.push(`top-k keeps ${afterK} of ${size} words`);
  if (topP < 1)
    parts.push(
      `top-p needs ${afterP} word${afterP === 1 ? "" : "s"} for ${fmt(topP)} of ${topK > 0 ? "their" : "the"} ` +
        "probability",
    );
  if (!parts.length)
    return `Nothing is filtered: every one of the ${size} words of the vocabulary can be drawn, even the odd ones.`;
  const text = parts.join("; then ");
  const lone = afterP === 1 ? " Only one word is left: sampling is greedy decoding now." : "";
  return `${text[0].toUpperCase()}${text.slice(1)}.${lone}`;
}

function render({ model, el }) {
  const fig = figure({
    model,
    el,
    title: "Which words may be drawn?",
    hint:
      "The next word of a real translation, over the whole vocabulary. Move the temperature, k and p, then " +
      "draw words.",
  });
  fig.card.prepend(
    styleSheet(`
.ab-card .ab-controls, .ab-card .ab-control { min-width: 0; max-width: 100%; }
.ab-card .ab-control select { min-width: 0; flex: 0 1 auto; }
.ab-se-prefix { margin: 0.25rem 0 0.5rem; font-size: 15px; }
.ab-se-prefix b { color: var(--ab-query); }`),
  );
  const prefix = html("p", { class: "ab-se-prefix" });
  fig.card.querySelector(".ab-head").after(prefix);
  const known = new Map();
  const numbers = (example) => {
    if (!known.has(example)) known.set(example, logProbsOf(example));
    return known.get(example);
  };

  fig.stage({
    label: (v) =>
      `The ${SHOWN} likeliest next words: ${v.names
        .slice(0, 5)
        .map((word, i) => `${word} ${fmt(v.after[i], 3)}`)
        .join(", ")}, …; ${v.afterP} of ${v.size} words can be drawn`,
    height: (width) => TOP + (SHOWN + 1) * ROW + (width < NARROW ? 76 : 36),
    draw: (p, v) => drawBars(p, v, fig),
  });

  fig.select("example", {
    label: "After",
    options: EXAMPLES.map(({ sentence, prefix: words }, i) => [i, `“${words.join(" ") || "<bos>"} …”: ${sentence}`]),
  });
  fig.slider("temperature", { label: "Temperature", values: TEMPERATURES, format: (t) => fmt(t, 1) });
  fig.slider("top_k", { label: "Top-k", values: KS, format: (k) => (k ? String(k) : "off") });
  fig.slider("top_p", { label: "Top-p", values: PS, format: (q) => (q < 1 ? fmt(q) : "off") });
  const more = fig.button("Draw 100", () => fig.set({ draws: Math.min(MOST_DRAWS, model.get("draws") + 100) }), {
    primary: true,
  });
  const clear = fig.button("New seed", () => fig.set({ seed: (model.get("seed") + 1) % 10000, draws: 0 }));
  fig.reset(["draws", "seed"]);
  fig.controlsFirst();

  fig.output("kept", { label: "Words that stay", format: String, note: `of ${EXAMPLES[0].costs.length}` });
  fig.output("mass", { label: "They held", digits: 3, note: "of the model's probability" });
  fig.output("entropy_before", { label: "Entropy before", digits: 3, note: "nats" });
  fig.output("entropy_after", { label: "Entropy after", digits: 3, note: "nats" });
  fig.output("distinct", {
    label: "Drawn so far",
    format: (n) => (n === null ? "–" : String(n)),
    note: "different words",
  });

  fig.card.querySelector(".ab-outputs").style.gridTemplateColumns = "repeat(auto-fit,minmax(118px,1fr))";

  return fig.start((state) => {
    const [example, temperature, topK, topP, draws] = ["example", "temperature", "top_k", "top_p", "draws"].map(state);
    const logProbs = numbers(example);
    const before = softmax(logProbs);
    const byK = filterLogits(logProbs, temperature, topK, 1);
    const filtered = filterLogits(logProbs, temperature, topK, topP);
    const after = softmax(filtered);
    const kept = filtered.map((v) => v > -Infinity);
    const drawn = drawWords(after, draws, state("seed"));
    const counts = range(SHOWN).map((i) => drawn.filter((place) => place === i).length);
    const size = logProbs.length;
    const afterP = kept.filter(Boolean).length;
    const tail = (values) => sum(values.slice(SHOWN));
    const { sentence, prefix: words, reference } = EXAMPLES[example];
    prefix.replaceChildren(
      `${sentence} → `,
      html("b", { text: `${words.join(" ")} …`.trim() }),
      ` (one human translation: ${reference})`,
    );
    fig.show({
      kept: afterP,
      mass: sum(before.filter((_, i) => kept[i])),
      entropy_before: entropyOf(before),
      entropy_after: entropyOf(after),
      distinct: draws ? new Set(drawn).size : null,
    });
    const view = {
      names: EXAMPLES[example].names.slice(0, SHOWN),
      before: before.slice(0, SHOWN),
      after: after.slice(0, SHOWN),
      kept,
      draws,
      counts,
      temperature,
      topK,
      topP,
      size,
      running: cumulative(softmax(byK)),
      afterK: byK.filter((v) => v > -Infinity).length,
      afterP,
      restBefore: tail(before),
      restAfter: tail(after),
      restDrawn: draws - sum(counts),
      restWords: size - SHOWN,
      restKept: kept.slice(SHOWN).filter(Boolean).length,
    };
    more.disabled = draws >= MOST_DRAWS;
    clear.disabled = draws === 0;
    fig.say(explain(view));
    return view;
  });
}

export default { render, math: { logProbsOf, filterLogits, entropyOf, drawWords, cumulative } };
