/* The alignment reader: stored attention weights of a translator at several moments of its training, read word by
 * word. The target word that asks is drawn in the query's colour, the source words in the key's. */
// uses data.json, ../kit/words.js, reading.js, charts.js

const quote = (words) => sentenceOf(words) + (isCut(words) ? " …" : "");

// The sentence under the drawing.
function explain(view) {
  const { source, words, weights, shown, at } = view;
  const when = view.moment === 0 ? "Untrained" : `After ${epochText(DATA.epochs[view.moment])}`;
  if (!weights) {
    const vector =
      "Without attention the decoder gets the whole sentence as one vector and cannot look back at any word.";
    if (view.own && view.same) {
      const other = SENTENCES.find((sentence) => !sameBoth(sentence, view.moment));
      return `${vector} ${when} both write the same here, “${quote(words)}”; try “${other.text}”`;
    }
    return view.own
      ? `${when}, without attention, it writes “${quote(words)}”; with attention it writes ` +
          `“${quote(view.other)}”. ${vector}`
      : "Without attention there is nothing to look at: the reference is fed in, and every word is predicted from " +
          "the same vector of the source.";
  }
  if (at < 0)
    return (
      `The decoder has read “${view.text}” and written nothing. Step forward: before each word it puts a ` +
      "question to the English words."
    );
  const row = weights[at];
  const order = range(row.length).sort((a, b) => row[b] - row[a]);
  const name = (j) => `“${source[j]}” (${fmt(row[j])})`;
  const second = row[order[1]] > 0.15 ? ` and ${name(order[1])}` : "";
  const before = at ? `after “${words.slice(0, at).join(" ")}”` : "before the first word";
  const done =
    shown === words.length && isCut(words)
      ? ` After ${view.total} words, ${words.length} of them shown, it has still not ended the sentence.`
      : "";
  const looks =
    row.every((a) => Math.abs(a * row.length - 1) < EVEN)
      ? `looks at all ${row.length} places almost alike (even would be ${fmt(1 / row.length)} each, the largest is ` +
        `${fmt(row[order[0]])})`
      : `looks most at ${name(order[0])}${second}`;
  return `${when}: the state ${before} asks, and ${looks}; then comes “${words[at]}”.${done}`;
}

const EVEN = 0.3; // a row is called even if none of its weights is further than this part from 1/S

const STYLE = `
.ab-card .ab-controls, .ab-card .ab-control { min-width: 0; max-width: 100%; }
.ab-card .ab-control select { min-width: 0; flex: 0 1 auto; }
.ab-card p.ab-ar-seen { color: var(--ab-muted); margin: 0 0 0.5rem; }`;

function render({ model, el }) {
  const fig = figure({
    model,
    el,
    title: "Reading an alignment",
    hint:
      "Point at a French word, or step through the sentence: the ribbons show where the model looks before it " +
      "writes the word. Move the training back to see how it learned.",
  });
  fig.card.prepend(styleSheet(STYLE));
  const ids = newId();
  let view = null;
  const number = () => SENTENCES.findIndex(({ text }) => text === model.get("sentence"));
  const now = () => {
    const all = reading(number(), model.get("moment"), model.get("attention"), model.get("target"));
    const words = shortened(all.words);
    return { words, weights: all.weights && all.weights.slice(0, words.length), total: all.words.length };
  };
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
  fig.stage({
    label: (v) =>
      `${v.text} Its translation: ${sentenceOf(v.words)}${v.weights ? "" : "; without attention, no weights"}`,
    height: (width) => layOut(view.source, view.words, view.every, width).height,
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
  fig.controlsFirst();
  fig.card.querySelector(".ab-stages").before(info); // below the controls: it may be one line or two

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
    const { words, weights, total } = now();
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
      other: shortened(sentence.with[moment].own),
      same: sameBoth(sentence, moment),
      every: everyTranslation(sentence),
      total,
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
