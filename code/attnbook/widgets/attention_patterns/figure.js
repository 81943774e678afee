/* The attention-pattern viewer: every head of a small trained model, on sentences that the reader may change.
 * The model's weights come with the module (`DATA`); it runs here, in the browser, at every change. The word that looks
 * is drawn in the query's colour, the words that it looks at in the key's. */
// uses ../../data/sentence_model.json

const START = "<bos>";
const SCALE = Math.sqrt(DATA.config.d_model);
const LAYERS = DATA.config.num_layers;
const HEADS = DATA.config.num_heads;
const LONGEST = DATA.max_words;

// ---- the mathematics -----------------------------------------------------------------------------

// A 16-bit floating-point number from its bits.
function half(bits) {
  const sign = bits & 0x8000 ? -1 : 1;
  const power = (bits >> 10) & 31;
  const part = bits & 1023;
  return sign * (power ? 2 ** (power - 15) * (1 + part / 1024) : 2 ** -14 * (part / 1024));
}

// The weights by name, each as an array of rows (a vector is one row).
const weights = (() => {
  let ready = null;
  return () => {
    ready ||= Object.fromEntries(
      Object.entries(DATA.weights).map(([name, [shape, text]]) => {
        const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
        const numbers = range(bytes.length / 2).map((i) => half(bytes[2 * i] | (bytes[2 * i + 1] << 8)));
        const columns = shape.at(-1);
        const rows = range(numbers.length / columns).map((i) => numbers.slice(i * columns, (i + 1) * columns));
        return [name, shape.length === 1 ? rows[0] : rows];
      }),
    );
    return ready;
  };
})();

const added = (a, b) => a.map((v, i) => v + b[i]);
const linear2 = (x, W, b) => W.map((row, i) => dot(row, x) + b[i]); // y = W x + b

function layerNorm(x, gain, shift) {
  const centre = mean(x);
  const size = Math.sqrt(mean(x.map((v) => (v - centre) ** 2)) + 1e-5);
  return x.map((v, i) => ((v - centre) / size) * gain[i] + shift[i]);
}

// The sinusoids of Vaswani et al., as in `attnbook.positions`.
function place(t, f) {
  const angle = t / 10000 ** ((2 * Math.floor(f / 2)) / DATA.config.d_model);
  return f % 2 ? Math.cos(angle) : Math.sin(angle);
}

const isOff = (off, layer, head) => off.some(([l, h]) => l === layer && h === head);

// One layer: what comes out at each position, and the weights of each head, (H, T, T).
function runLayer(x, number, off) {
  const w = weights();
  const get = (name) => w[`layers.${number - 1}.${name}`];
  const D = x[0].length;
  const Dh = D / HEADS;
  const normed = x.map((v) => layerNorm(v, get("around_attention.norm.weight"), get("around_attention.norm.bias")));
  const qkv = normed.map((v) => linear2(v, get("attention.W_qkv.weight"), get("attention.W_qkv.bias")));
  const part = (t, which, h) => qkv[t].slice(which * D + h * Dh, which * D + (h + 1) * Dh);
  const seen = range(HEADS).map((h) =>
    x.map((_, i) => {
      const q = part(i, 0, h);
      const scores = x.map((__, j) => (j <= i ? dot(q, part(j, 1, h)) / Math.sqrt(Dh) : 0));
      return softmax(
        scores,
        x.map((__, j) => j <= i),
      );
    }),
  );
  const after = x.map((v, i) => {
    const heads = range(HEADS).flatMap((h) => {
      if (isOff(off, number, h + 1)) return range(Dh).map(() => 0); // it still looks, but says nothing
      const values = range(i + 1).map((j) => part(j, 2, h));
      return range(Dh).map((f) => sum(values.map((value, j) => seen[h][i][j] * value[f])));
    });
    const y = added(v, linear2(heads, get("attention.W_o.weight"), get("attention.W_o.bias")));
    const z = layerNorm(y, get("around_feed_forward.norm.weight"), get("around_feed_forward.norm.bias"));
    const hidden = linear2(z, get("feed_forward.W_1.weight"), get("feed_forward.W_1.bias")).map((u) => Math.max(0, u));
    return added(y, linear2(hidden, get("feed_forward.W_2.weight"), get("feed_forward.W_2.bias")));
  });
  return [after, seen];
}

// The whole model: words (with <bos>) → weights (L, H, T, T) and the probability of each next word, (T, V).
function run(words, off = []) {
  const w = weights();
  let x = words.map((word, t) => {
    const row = w["words.weight"][DATA.vocabulary.indexOf(word)];
    return row.map((v, f) => v * SCALE + place(t, f));
  });
  const seen = [];
  range(LAYERS).forEach((l) => {
    const [after, heads] = runLayer(x, l + 1, off);
    x = after;
    seen.push(heads);
  });
  const next = x.map((v) => {
    const out = layerNorm(v, w["norm.weight"], w["norm.bias"]);
    return softmax(w["words.weight"].map((row) => dot(row, out)));
  });
  return { weights: seen, next };
}

// Probabilities of the classes of words, the greatest first, each with its most probable words.
function byClass(next) {
  return DATA.classes
    .map(([name, words]) => {
      const some = words.map((word) => [word, next[DATA.vocabulary.indexOf(word)]]).sort((a, b) => b[1] - a[1]);
      return { name, p: sum(some.map(([, p]) => p)), words: some };
    })
    .sort((a, b) => b.p - a.p);
}

const share = (next, name) =>
  sum(DATA.classes.find(([n]) => n === name)[1].map((word) => next[DATA.vocabulary.indexOf(word)]));

// Which example the words are: its number, or −1.
const exampleOf = (words) => DATA.examples.findIndex(({ words: some }) => String(some) === String(words));

const headFacts = (layer, head) => DATA.measured.heads[layer - 1][head - 1];

// What a head does most, of the things that were measured: [name, mean weight].
function foremost(facts) {
  return JOBS.map(([name, short]) => [name, short, facts[name]]).reduce((best, one) => (one[2] > best[2] ? one : best));
}

// [what is measured, for a small map, in a sentence]
const JOBS = [
  ["before", "previous", "the word before"],
  ["itself", "itself", "the word itself"],
  ["start", "<bos>", "<bos>"],
  ["subject", "subject", "the subject, where its verb is due"],
  ["adjective", "adjective", "the adjective of a noun, where the noun looks"],
  ["noun", "its noun", "the noun that had the same adjective, where that noun is due again"],
];

// ---- the drawing ---------------------------------------------------------------------------------

const shortWeight = (a) => fmt(a, 2);
const wordWidth = (word) => word.length * 7.4 + 14;
const sentenceWidth = (words) => sum(words.map((word) => Math.max(34, wordWidth(word)))) + 4 * (words.length - 1);
const lies = (words, width) => sentenceWidth(words) <= width; // the sentence fits in one line

// A heat map of weights in few elements: one path for each of 20 shades; what is masked is hatched.
function weightMap(p, key, rows, left, top, size, hatch) {
  const round = (v) => Math.round(v * 100) / 100;
  const shades = new Map();
  rows.forEach((row, i) =>
    row.forEach((a, j) => {
      if (j > i) return;
      const level = Math.round(20 * a);
      shades.set(
        level,
        `${shades.get(level) || ""}M${round(left + j * size)} ` +
          `${round(top + i * size)}h${round(size + 0.4)}v${round(size + 0.4)}h-${round(size + 0.4)}z`,
      );
    }),
  );
  const T = rows.length;
  p.group(key, { "aria-hidden": "true", "pointer-events": "none" }, (g) => {
    const [x, y] = [(i) => round(left + i * size), (i) => round(top + i * size)];
    const steps = range(1, T).map((i) => `L${x(i)} ${y(i)}${i < T - 1 ? `L${x(i + 1)} ${y(i)}` : ""}`);
    const future = `M${x(1)} ${y(0)}${steps.join("")}L${x(T)} ${y(T - 1)}L${x(T)} ${y(0)}Z`;
    g.rect("ground", left, top, T * size, T * size, { fill: COLOUR.ground });
    if (T > 1) g.add("path", "future", { d: future, fill: hatch, opacity: 0.55 });
    [...shades]
      .sort(([a], [b]) => a - b)
      .forEach(([level, d]) =>
        g.add("path", `shade${level}`, { d, fill: weightFill(level / 20), "shape-rendering": "crispEdges" }),
      );
  });
}

// Words as one list that the arrow keys walk through: the one that looks is in the tab order, the others are not.
function wordNode(p, t, view, fig, draw) {
  const { words, query } = view;
  const pick = (to) => {
    fig.hover(null);
    fig.set({ query: clamp(to, 0, words.length - 1) });
    p.root.node.querySelector(`[data-handle="word-${clamp(to, 0, words.length - 1)}"]`)?.focus();
  };
  p.group(
    `word${t}`,
    {
      role: "radio",
      "aria-checked": String(t === view.pinned),
      tabindex: t === view.pinned ? 0 : -1,
      "data-handle": `word-${t}`,
      "aria-label": `${words[t]}, word ${t}${t < query ? `, gets ${shortWeight(view.row[t])}` : ""}`,
      cursor: "pointer",
      onclick: () => pick(t),
      onpointerenter: (event) => {
        if (event.pointerType === "mouse") fig.hover(t);
      },
      onpointerleave: () => fig.hover(null),
      onkeydown: (event) => {
        const by = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
        const to = by ? t + by : { Home: 0, End: words.length - 1 }[event.key];
        if (to === undefined) return;
        event.preventDefault();
        event.stopPropagation(); // JupyterLab moves between cells with the same keys
        pick(to);
      },
    },
    draw,
  );
}

const looksOfWord = (view, t) => {
  const [looks, future] = [t === view.query, t > view.query];
  return {
    fill: looks || future ? COLOUR.ground : weightFill(view.row[t]),
    stroke: looks ? COLOUR.query : future ? COLOUR.grid : COLOUR.line,
    ink: looks ? COLOUR.query : future ? COLOUR.muted : weightInk(view.row[t]),
    weight: looks ? 700 : view.row[t] > 0.25 && !future ? 650 : 500,
  };
};

const bright = (a) => 0.2 + 0.8 * Math.min(1, a * 1.2);

function drawSentence(p, view, fig) {
  const { words, query, row } = view;
  const many = words.length;
  const key = COLOUR.key;
  p.text("title", 0, 15, `Who does “${words[query]}” look at?`, { weight: 650, size: 14 });
  if (!p.narrow)
    p.text("which", p.width, 15, `layer ${view.layer}, head ${view.head}`, {
      size: 13,
      anchor: "end",
      colour: COLOUR.muted,
    });
  if (lies(words, p.width)) {
    const widths = words.map((word) => Math.max(34, wordWidth(word)));
    const gap = Math.min(10, (p.width - sum(widths)) / Math.max(1, many - 1));
    let x = (p.width - sum(widths) - gap * (many - 1)) / 2;
    const at = widths.map((wide) => {
      const middle = x + wide / 2;
      x += wide + gap;
      return middle;
    });
    const top = 100;
    const rise = (j) => 16 + 70 * Math.sqrt(Math.abs(at[query] - at[j]) / p.width);
    p.group("arcs", { "aria-hidden": "true", "pointer-events": "none" }, (g) =>
      row.forEach((a, j) => {
        if (a < 0.015) return;
        const look = {
          fill: "none",
          stroke: key,
          "stroke-width": 1 + 6 * a,
          "stroke-linecap": "round",
          opacity: bright(a),
          "data-line": j,
        };
        const [from, to] = [at[query], at[j]];
        const d =
          j === query
            ? `M${from - 8} ${top - 3}c-14 -30 30 -30 16 0`
            : `M${from} ${top - 3}C${from} ${top - 3 - 1.3 * rise(j)} ${to} ${top - 3 - 1.3 * rise(j)} ${to} ` +
              `${top - 3}`;
        g.add("path", `arc${j}`, { ...look, d });
      }),
    );
    p.group("words", { role: "radiogroup", "aria-label": "The word that looks" }, (g) =>
      words.forEach((word, t) => {
        const look = looksOfWord(view, t);
        wordNode(g, t, view, fig, (w) => {
          w.rect("pill", at[t] - widths[t] / 2, top, widths[t], 28, {
            fill: look.fill,
            stroke: look.stroke,
            "stroke-width": t === query ? 2.5 : 1,
            rx: 7,
          });
          w.text("word", at[t], top + 19, word, {
            size: 13.5,
            anchor: "middle",
            colour: look.ink,
            weight: look.weight,
          });
          w.text("weight", at[t], top + 45, t <= query ? shortWeight(row[t]) : "·", {
            size: 12.5,
            anchor: "middle",
            weight: row[t] > 0.25 ? 700 : 500,
            colour: t <= query && row[t] >= 0.095 ? COLOUR.ink : COLOUR.muted,
            "data-number": t <= query ? `weight-${t}` : undefined,
          });
        });
      }),
    );
    return;
  }
  const [tall, left] = [27, 74];
  const y = (t) => 32 + t * tall;
  const wide = Math.max(...words.map(wordWidth)) + 4;
  p.group("arcs", { "aria-hidden": "true", "pointer-events": "none" }, (g) =>
    row.forEach((a, j) => {
      if (a < 0.015) return;
      const look = {
        fill: "none",
        stroke: key,
        "stroke-width": 1 + 6 * a,
        "stroke-linecap": "round",
        opacity: bright(a),
        "data-line": j,
      };
      const [from, to, bow] = [y(query) + 12, y(j) + 12, 14 + 60 * Math.sqrt((query - j) / LONGEST)];
      const d =
        j === query
          ? `M${left - 3} ${from - 6}c-26 -10 -26 22 0 12`
          : `M${left - 3} ${from}C${left - 3 - 1.3 * bow} ${from} ${left - 3 - 1.3 * bow} ${to} ${left - 3} ${to}`;
      g.add("path", `arc${j}`, { ...look, d });
    }),
  );
  p.group("words", { role: "radiogroup", "aria-label": "The word that looks" }, (g) =>
    words.forEach((word, t) => {
      const look = looksOfWord(view, t);
      wordNode(g, t, view, fig, (w) => {
        w.rect("reach", left, y(t) - 1, p.width - left, tall, { fill: "transparent" });
        w.rect("pill", left, y(t), wide, 24, {
          fill: look.fill,
          stroke: look.stroke,
          "stroke-width": t === query ? 2.5 : 1,
          rx: 6,
        });
        w.text("word", left + wide / 2, y(t) + 17, word, {
          size: 13.5,
          anchor: "middle",
          colour: look.ink,
          weight: look.weight,
        });
        const long = p.width - left - wide - 60;
        if (t <= query)
          w.rect("bar", left + wide + 10, y(t) + 5, long * row[t], 14, { fill: key, "fill-opacity": 0.85, rx: 2 });
        w.text(
          "weight",
          left + wide + 16 + (t <= query ? long * row[t] : 0),
          y(t) + 17,
          t <= query ? shortWeight(row[t]) : "later",
          {
            size: 12.5,
            weight: row[t] > 0.25 ? 700 : 500,
            colour: t <= query && row[t] >= 0.095 ? COLOUR.ink : COLOUR.muted,
            "data-number": t <= query ? `weight-${t}` : undefined,
          },
        );
      });
    }),
  );
}

const GRID = { top: 26, label: 34, side: 22, gap: 8 };
const tileSize = (width) => Math.min(78, (width - GRID.side - GRID.gap * (HEADS - 1)) / HEADS);
const gridHeight = (width) => GRID.top + 14 + LAYERS * (tileSize(width) + GRID.label + 6);

function drawGrid(p, view, fig) {
  const size = tileSize(p.width);
  const T = view.words.length;
  const hatch = p.hatch("hatching", COLOUR.masked);
  p.text("title", 0, 15, "All heads, and what each does most", { weight: 650, size: 14 });
  range(LAYERS).forEach((l) => {
    const top = GRID.top + 8 + l * (size + GRID.label + 6);
    p.text(`layer${l}`, 12, top + size / 2, `layer ${l + 1}`, {
      size: 12.5,
      anchor: "middle",
      rotate: -90,
      colour: COLOUR.muted,
    });
    range(HEADS).forEach((h) => {
      const left = GRID.side + h * (size + GRID.gap);
      const [chosen, off] = [l + 1 === view.layer && h + 1 === view.head, isOff(view.off, l + 1, h + 1)];
      const [name, short, a] = foremost(headFacts(l + 1, h + 1));
      const go = (to) => {
        const [dl, dh] = to;
        const [layer, head] = [clamp(l + 1 + dl, 1, LAYERS), clamp(h + 1 + dh, 1, HEADS)];
        fig.set({ layer, head });
        p.root.node.querySelector(`[data-handle="head-${layer}-${head}"]`).focus();
      };
      p.group(
        `head-${l}-${h}`,
        {
          role: "radio",
          "aria-checked": String(chosen),
          tabindex: chosen ? 0 : -1,
          "data-handle": `head-${l + 1}-${h + 1}`,
          cursor: "pointer",
          "aria-label": `layer ${l + 1}, head ${h + 1}${off ? ", switched off" : ""}: ${name} ${fmt(a)}`,
          onclick: () => go([0, 0]),
          onkeydown: (event) => {
            const by = { ArrowRight: [0, 1], ArrowLeft: [0, -1], ArrowDown: [1, 0], ArrowUp: [-1, 0] }[event.key];
            if (event.key === "Enter" || event.key === " ") fig.toggle(l + 1, h + 1);
            else if (by) go(by);
            else return;
            event.preventDefault();
            event.stopPropagation();
          },
        },
        (g) => {
          g.rect("ground", left - 3, top - 3, size + 6, size + GRID.label + 4, {
            fill: chosen ? "var(--ab-panel,#f6f7fa)" : COLOUR.ground,
            rx: 5,
          });
          weightMap(g, "map", view.run.weights[l][h], left, top, size / T, hatch);
          if (off) {
            g.rect("veil", left, top, size, size, { fill: COLOUR.ground, "fill-opacity": 0.72 });
            g.text("off", left + size / 2, top + size / 2 + 5, "off", { size: 14, weight: 700, anchor: "middle" });
          }
          g.rect("frame", left, top, size, size, {
            fill: "none",
            stroke: chosen ? COLOUR.accent : COLOUR.line,
            "stroke-width": chosen ? 3 : 1,
            rx: 2,
          });
          g.text("name", left + size / 2, top + size + 15, short, {
            size: 12,
            anchor: "middle",
            weight: chosen ? 650 : 500,
            colour: chosen ? COLOUR.ink : COLOUR.muted,
          });
          g.text("share", left + size / 2, top + size + 29, fmt(a), {
            size: 12,
            anchor: "middle",
            weight: chosen ? 650 : 500,
            colour: chosen ? COLOUR.ink : COLOUR.muted,
          });
        },
      );
    });
  });
}

const mapLayout = (width, words) => {
  const left = Math.max(...words.map((word) => word.length)) * 7.2 + 12;
  const size = Math.min(30, (width - left - 2) / words.length);
  return { left, size, top: 26 + left, bottom: 26 + left + size * words.length };
};

function drawMap(p, view, fig) {
  const { words, query } = view;
  const { left, size, top, bottom } = mapLayout(p.width, words);
  const rows = view.run.weights[view.layer - 1][view.head - 1];
  const T = words.length;
  p.text("title", 0, 15, `Layer ${view.layer}, head ${view.head}`, { weight: 650, size: 14 });
  p.text("axes", p.width, 15, "queries down, keys across, in %", { size: 12.5, anchor: "end", colour: COLOUR.muted });
  words.forEach((word, t) => {
    const strong = t === query;
    p.text(`row${t}`, left - 7, top + (t + 0.5) * size + 4.5, word, {
      size: 13,
      anchor: "end",
      weight: strong ? 700 : 500,
      colour: strong ? COLOUR.query : COLOUR.ink,
    });
    const key = t <= query && view.row[t] >= 0.095;
    p.text(`column${t}`, left + (t + 0.5) * size + 4.5, top - 7, word, {
      size: 13,
      rotate: -90,
      weight: key ? 700 : 500,
      colour: key ? COLOUR.key : t <= query ? COLOUR.ink : COLOUR.muted,
    });
  });
  weightMap(p, "map", rows, left, top, size, p.hatch("hatching", COLOUR.masked));
  p.group("lines", { "aria-hidden": "true", "pointer-events": "none" }, (g) =>
    range(T + 1).forEach((i) => {
      g.line(`h${i}`, left, top + i * size, left + T * size, top + i * size, {
        stroke: COLOUR.grid,
        "stroke-width": 1,
      });
      g.line(`v${i}`, left + i * size, top, left + i * size, bottom, { stroke: COLOUR.grid, "stroke-width": 1 });
    }),
  );
  p.group("numbers", { "aria-hidden": "true", "pointer-events": "none" }, (g) =>
    rows.forEach((row, i) =>
      row.forEach((a, j) => {
        if (a < 0.095 || j > i) return;
        g.text(`n${i}-${j}`, left + (j + 0.5) * size, top + (i + 0.5) * size + 4.5, fmt(100 * a, 0), {
          size: 12,
          anchor: "middle",
          "letter-spacing": a >= 0.995 && size < 22 ? -0.8 : undefined,
          colour: weightInk(a),
          "data-number": `cell-${i}-${j}`,
        });
      }),
    ),
  );
  p.rect("frame", left, top, T * size, T * size, {
    fill: "none",
    stroke: COLOUR.line,
    "stroke-width": 1,
    "pointer-events": "none",
  });
  p.rect("row", left - 1, top + query * size - 1, (query + 1) * size + 2, size + 2, {
    fill: "none",
    stroke: COLOUR.query,
    "stroke-width": 2.5,
    rx: 2,
    "pointer-events": "none",
  });
  const rowAt = (event) => clamp(Math.floor((p.where(event)[1] - top) / size), 0, T - 1);
  p.rect("reach", 0, top, left + T * size, T * size, {
    fill: "transparent",
    cursor: "pointer",
    "data-handle": "map",
    onpointermove: (event) => {
      if (event.pointerType === "mouse") fig.hover(rowAt(event));
    },
    onpointerleave: () => fig.hover(null),
    onclick: (event) => {
      fig.hover(null);
      fig.set({ query: rowAt(event) });
    },
  });
}

const NEXT = 4; // classes that are shown
const nextHeight = 24 + 36 * NEXT + 22;

function drawNext(p, view) {
  const { words, query, classes } = view;
  const truth = words[query + 1];
  p.text("title", 0, 15, `What comes after “${words[query]}”?`, { weight: 650, size: 14 });
  const start = 108;
  const long = p.width - start - 36;
  classes.slice(0, NEXT).forEach(({ name, p: chance, words: some }, i) => {
    const y = 26 + i * 36;
    const best = some.filter(([, q]) => q >= 0.005).slice(0, p.width - start > 225 ? 3 : 2);
    p.text(`name${i}`, 0, y + 14, name, { size: 13, weight: i === 0 ? 650 : 500 });
    p.rect(`ground${i}`, start, y + 2, long, 15, { fill: "var(--ab-panel,#f6f7fa)", rx: 3 });
    p.rect(`bar${i}`, start, y + 2, Math.max(1, long * chance), 15, { fill: COLOUR.output, rx: 3 });
    p.text(`share${i}`, p.width, y + 14, fmt(chance), {
      size: 12.5,
      anchor: "end",
      weight: i === 0 ? 650 : 500,
      "data-number": `class-${i}`,
    });
    if (some.length > 1)
      p.text(`words${i}`, start, y + 30, best.map(([word, q]) => `${word} ${fmt(q)}`).join(" · "), {
        size: 12,
        colour: COLOUR.muted,
      });
  });
  const told = truth
    ? `In this sentence: “${truth}”, ${fmt(view.now.next[query][DATA.vocabulary.indexOf(truth)])}`
    : "The sentence ends here.";
  p.text("truth", 0, 26 + 36 * NEXT + 14, told, { size: 13, "data-number": "truth" });
}

function drawLeft(p, view, fig) {
  drawGrid(p, view, fig);
  p.group("next", { transform: `translate(0 ${gridHeight(p.width)})` }, (g) => drawNext(g, view));
}

// ---- words ---------------------------------------------------------------------------------------

const percent = (a) => `${fmt(100 * a, 0)} %`;

function inWords(view) {
  const { layer, head } = view;
  const facts = headFacts(layer, head);
  const [job, , a] = foremost(facts);
  const place = JOBS.find(([name]) => name === job)[2];
  const { count, full } = DATA.measured;
  const tested =
    { subject: count.agreement, adjective: count.noun, noun: count.noun }[job] || count.agreement + count.noun;
  const first =
    `Head ${head} of layer ${layer} puts ${fmt(a)} of its weight on ${place}: the mean over ${tested} sentences ` +
    "that no training has seen.";
  const { agreement, noun } = facts.without;
  const second =
    agreement === full.agreement && noun === full.noun
      ? `Nothing is lost without this head: still ${percent(agreement)} of the verbs agree, and ${percent(noun)} ` +
        "of the repeated nouns are right."
      : `Without this head ${percent(agreement)} of the verbs agree (with it ${percent(full.agreement)}), and ` +
        `${percent(noun)} of the repeated nouns are right (with it ${percent(full.noun)}).`;
  return `${first} ${second}`;
}

// ---- the figure ----------------------------------------------------------------------------------

function render({ model, el }) {
  const fig = figure({
    model,
    el,
    title: "What does each head look at?",
    hint: "Point at a word, choose a head, change a word, or switch a head off: the model runs again in your browser.",
  });
  const stages = [];
  let hovered = null;
  let compute = null;
  let last = {};
  const stage = (options) => stages.push(fig.stage(options));
  fig.hover = (to) => {
    if (to === hovered) return;
    hovered = to;
    const view = compute((name) => model.get(name));
    stages.forEach((one) => one.draw(view));
  };
  fig.toggle = (layer, head) => {
    const off = model.get("off");
    fig.set({
      off: isOff(off, layer, head) ? off.filter(([l, h]) => l !== layer || h !== head) : [...off, [layer, head]],
    });
  };
  const allWords = () => [START, ...model.get("words")];

  stage({
    label: (v) => `The sentence; “${v.words[v.query]}” looks at ${v.best}`,
    draw: (p, v) => drawSentence(p, v, fig),
    height: (width) => (lies(allWords(), width) ? 150 : 36 + 27 * allWords().length),
  });
  stage({
    basis: 265,
    grow: 3,
    draw: (p, v) => drawLeft(p, v, fig),
    height: (width) => gridHeight(width) + nextHeight,
    label(v) {
      const next = v.classes.slice(0, 3).map((c) => `${c.name} ${fmt(c.p)}`);
      return (
        `Small heat maps of ${LAYERS} layers with ${HEADS} heads each; layer ${v.layer}, head ${v.head} is chosen. ` +
        `Next word: ${next.join(", ")}`
      );
    },
  });
  stage({
    basis: 315,
    grow: 4,
    draw: (p, v) => drawMap(p, v, fig),
    height: (width) => mapLayout(width, allWords()).bottom + 4,
    label: (v) => `Heat map of the weights of layer ${v.layer}, head ${v.head}`,
  });

  // which sentence
  const sentence = html("select", { style: "flex:1 1 auto;min-width:0;max-width:26rem" });
  ["agreement", "noun"].forEach((kind) => {
    const group = html("optgroup", { label: kind === "agreement" ? "Which verb does it take?" : "Which noun was it?" });
    DATA.examples.forEach((example, i) => {
      if (example.kind === kind)
        group.append(html("option", { value: String(i), text: example.words.slice(0, -1).join(" ") }));
    });
    sentence.append(group);
  });
  sentence.append(html("option", { value: "-1", text: "(changed by you)", disabled: true }));
  sentence.onchange = () => {
    const example = DATA.examples[+sentence.value];
    fig.set({ words: example.words, query: example.answer - 1 });
  };
  fig.control("words", "Sentence", sentence, () => {
    sentence.value = String(exampleOf(model.get("words")));
  });
  sentence.parentElement.style.cssText = "flex:1 1 20rem;min-width:0";

  // which word stands where the query is
  const word = html("select", {});
  DATA.classes.forEach(([name, words]) =>
    word.append(html("optgroup", { label: name }, ...words.map((one) => html("option", { value: one, text: one })))),
  );
  word.append(html("option", { value: START, text: START, disabled: true }));
  word.onchange = () =>
    fig.set({ words: model.get("words").map((one, t) => (t + 1 === model.get("query") ? word.value : one)) });
  fig.control("query", "Change the word to", word, () => {
    word.value = allWords()[Math.min(model.get("query"), allWords().length - 1)];
    word.disabled = model.get("query") === 0;
  });
  const toggle = fig.button("Switch this head off", () => fig.toggle(model.get("layer"), model.get("head")));
  const all = fig.button("All heads on", () => fig.set({ off: [] }));
  fig.reset(["layer", "head", "off"]);

  // all in one row
  fig.card.querySelector(".ab-outputs").style.gridTemplateColumns = "repeat(auto-fit,minmax(98px,1fr))";
  fig.output("most", { label: "looks most at" });
  fig.output("before", { label: "weight on the word before" });
  fig.output("next", { label: "most probable next word" });
  fig.output("singular", { label: "next: verb, singular" });
  fig.output("plural", { label: "next: verb, plural" });

  const runOnce = (words, off) => {
    // pointing at a word changes nothing that the model sees
    const asked = JSON.stringify([words, off]);
    if (last.asked !== asked) last = { asked, run: run(words, off) };
    return last.run;
  };
  compute = (state) => {
    const words = [START, ...state("words")];
    const [layer, head, off] = [state("layer"), state("head"), state("off")];
    const pinned = clamp(state("query"), 0, words.length - 1);
    const query = hovered === null ? pinned : clamp(hovered, 0, words.length - 1);
    const now = runOnce(words, off);
    const row = now.weights[layer - 1][head - 1][query];
    const next = now.next[query];
    const most = row.indexOf(Math.max(...row));
    const best = `${words[most]} ${shortWeight(row[most])}`;
    const word1 = next.indexOf(Math.max(...next));
    fig.show({
      most: best,
      before: query ? row[query - 1] : null,
      next: `${DATA.vocabulary[word1]} ${fmt(next[word1])}`,
      singular: share(next, "verb, singular"),
      plural: share(next, "verb, plural"),
    });
    toggle.textContent = isOff(off, layer, head) ? "Switch this head on" : "Switch this head off";
    toggle.setAttribute("aria-pressed", String(isOff(off, layer, head)));
    all.hidden = off.length === 0;
    const view = { words, layer, head, off, pinned, query, now, run: now, row, best, classes: byClass(next) };
    fig.say(inWords(view));
    return view;
  };
  return fig.start(compute);
}

export default { render, math: { half, layerNorm, run, byClass, share, exampleOf, foremost, headFacts } };
