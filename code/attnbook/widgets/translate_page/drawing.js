/* What the figure “translate in the page” draws: the two sentences with their ribbons, the heat map, the choices. */

import { clamp, COLOUR, fmt, say, sum } from "../kit/kit.js";
import { EOS, likeliest, UNK } from "../kit/models.js";
import { quoted } from "../kit/text.js";
import { textWidth } from "../kit/words.js";

const TYPE = 15; // of the words, in pixels

export function shownWord(word) {
  const letters = Array.from(word);
  return letters.length > 15 ? `${letters.slice(0, 13).join("")}…` : word;
}
export const percent = (x) =>
  x === null ? "–" : x > 0.995 && x < 1 ? ">99 %" : x < 0.005 ? "<1 %" : `${fmt(100 * x, 0)} %`;

// Where the boxes of both sentences stand: two rows if they fit, each as its language runs, else two columns.
export function layOut(view, width) {
  const widths = [view.source.tokens, view.steps.map((s) => s.word)].map((words) =>
    words.map((w) => Math.max(30, textWidth(shownWord(w), TYPE) + 18)),
  );
  const gap = 7;
  const rows = widths.every((all) => sum(all) + gap * (all.length - 1) <= width);
  if (!rows) {
    // room for a probability behind each word
    const start = Math.min(width * 0.62, width - 44 - Math.max(...widths[1]));
    const column = (all, x, end) => all.map((w, i) => ({ x: end ? x - w : x, y: 30 + 36 * i, w }));
    return {
      rows,
      height: 44 + 36 * Math.max(...widths.map((all) => all.length)) + (view.steps[0].weights ? 0 : 24),
      source: column(widths[0], width * 0.4, true),
      target: column(widths[1], start, false),
    };
  }
  const row = (all, y, left) => {
    const between = clamp((width - 40 - sum(all)) / all.length, gap, 30); // short sentences get more air
    let x = (width - sum(all) - between * (all.length - 1)) / 2;
    return all.map((w) => {
      const box = { x: left ? width - x - w : x, y, w };
      x += w + between;
      return box;
    });
  };
  return { rows, height: 244, source: row(widths[0], 26, view.left[0]), target: row(widths[1], 184, view.left[1]) };
}

const TALL = 30; // of a box

function ribbon(from, to, rows) {
  const round = (v) => Math.round(v * 10) / 10;
  const [a, b] = rows
    ? [
        [from.x + from.w / 2, from.y + TALL],
        [to.x + to.w / 2, to.y],
      ]
    : [
        [from.x + from.w, from.y + TALL / 2],
        [to.x, to.y + TALL / 2],
      ];
  const bend = rows ? (b[1] - a[1]) * 0.45 : (b[0] - a[0]) * 0.45;
  const [c, d] = rows
    ? [
        [a[0], a[1] + bend],
        [b[0], b[1] - bend],
      ]
    : [
        [a[0] + bend, a[1]],
        [b[0] - bend, b[1]],
      ];
  return `M${a.map(round)}C${c.map(round)} ${d.map(round)} ${b.map(round)}`;
}

function wordBox(g, { x, y, w }, word, { colour, lang, strong = false, unknown = false, special = false }) {
  g.rect("box", x, y, w, TALL, {
    rx: 7,
    fill: strong ? colour : COLOUR.ground,
    stroke: unknown || special ? COLOUR.masked : colour,
    "stroke-width": strong ? 2 : 1.6,
    "stroke-dasharray": unknown ? "4 3" : undefined,
  });
  g.text("word", x + w / 2, y + 20, word, {
    size: TYPE,
    weight: 600,
    anchor: "middle",
    lang,
    italic: unknown,
    colour: strong ? COLOUR.ground : unknown || special ? COLOUR.muted : COLOUR.ink,
  });
}

export function drawAlignment(p, view, act) {
  if (!view.ready) {
    p.text("wait", p.width / 2, 60, view.problem || say("Reading the model …"), {
      anchor: "middle",
      size: 14,
      colour: COLOUR.muted,
    });
    return;
  }
  const { source, steps, shown, at, round, languages, langs } = view;
  const place = layOut(view, p.width);
  p.text(
    "sourceName",
    place.rows ? 0 : place.source[0].x + place.source[0].w,
    15,
    steps[0].weights ? say`${languages[0]}: keys` : languages[0],
    { size: 13, colour: COLOUR.keyInk, weight: 650, anchor: place.rows ? "start" : "end" },
  );
  p.group("ribbons", { "aria-hidden": "true" }, (g) =>
    steps.slice(0, shown).forEach((step, i) => {
      if (!step.weights) return;
      g.group(`${round}-${i}`, { class: "ab-tp-in" }, (one) =>
        step.weights.forEach((a, j) => {
          if (a < 0.015) return;
          one.add("path", `r${j}`, {
            d: ribbon(place.source[j], place.target[i], place.rows),
            fill: "none",
            stroke: COLOUR.weight,
            "stroke-width": Math.max(0.6, 15 * a),
            opacity: i === at ? 0.9 : 0.2,
          });
        }),
      );
    }),
  );
  if (!steps[0].weights) {
    const [cx, cy] = place.rows ? [p.width / 2, 118] : [p.width * 0.51, place.height / 2];
    const knot = { x: cx - 4, y: cy - TALL / 2, w: 8 };
    p.group("funnel", { "aria-hidden": "true" }, (g) => {
      place.source.forEach((box, j) =>
        g.add("path", `s${j}`, {
          d: ribbon(box, { ...knot, y: place.rows ? cy : knot.y }, place.rows),
          fill: "none",
          stroke: COLOUR.masked,
          "stroke-width": 1.4,
        }),
      );
      place.target
        .slice(0, shown)
        .forEach((box, i) =>
          g.add("path", `t${i}`, {
            d: ribbon({ ...knot, y: place.rows ? cy - TALL : knot.y }, box, place.rows),
            fill: "none",
            stroke: COLOUR.masked,
            "stroke-width": 1.4,
            "stroke-dasharray": "4 3",
          }),
        );
      g.circle("vector", cx, cy, 9, { fill: COLOUR.ink });
      const name = { size: 13, weight: 650, halo: true, anchor: place.rows ? "start" : "middle" };
      if (place.rows) g.text("name", cx + 18, cy + 5, say`one vector of ${view.size} numbers`, name);
      else
        [say("one vector of"), say`${view.size} numbers`].forEach((line, i) =>
          g.text(`name${i}`, cx, place.height - 30 + 17 * i, line, name),
        );
    });
  }
  p.text(
    "targetName",
    place.rows ? 0 : place.target[0].x,
    place.rows ? 176 : 15,
    steps[0].weights ? say`${languages[1]}: queries` : languages[1],
    { size: 13, colour: COLOUR.query, weight: 650, halo: true },
  );
  source.tokens.forEach((word, j) =>
    p.group(`s${j}`, { "data-source": String(j), "data-unknown": source.unknown[j] }, (g) => {
      const special = j === source.tokens.length - 1;
      wordBox(g, place.source[j], shownWord(word), {
        colour: COLOUR.key,
        lang: langs[0],
        unknown: source.unknown[j],
        special,
      });
    }),
  );
  steps.slice(0, shown).forEach((step, i) => {
    const box = place.target[i];
    p.group(
      `t${round}-${i}`,
      {
        class: "ab-tp-word ab-tp-in",
        tabindex: 0,
        role: "button",
        "data-handle": `word${i}`,
        "aria-pressed": String(i === at),
        "aria-label": wordInWords(view, i),
        onclick: () => act.look(i),
        onpointerenter: () => act.look(i),
        onfocus: () => act.look(i),
        onkeydown: (event) => act.walk(event, i),
      },
      (g) => {
        g.rect("ring", box.x - 4, box.y - 4, box.w + 8, TALL + 8, { fill: "none", rx: 10, class: "ab-ring" });
        wordBox(g, box, shownWord(step.word), {
          colour: COLOUR.query,
          lang: langs[1],
          strong: i === at,
          unknown: step.id === UNK,
          special: step.id === EOS,
        });
        const below = place.rows
          ? [box.x + box.w / 2, box.y + TALL + 18, "middle"]
          : [box.x + box.w + 8, box.y + 20, "start"];
        if (step.id !== EOS)
          g.text("prob", below[0], below[1], percent(Math.exp(step.logProb)), {
            size: 12,
            anchor: below[2],
            colour: COLOUR.muted,
          });
      },
    );
  });
  if (shown < steps.length) {
    // the pen
    const box = place.target[shown];
    const start = place.rows && view.left[1] ? box.x + box.w - 2.5 : box.x;
    p.rect("pen", start, box.y + 4, 2.5, TALL - 8, { fill: COLOUR.query });
  }
}

function wordInWords({ source, steps }, i) {
  const { word, weights, logProb } = steps[i];
  const name = word === "<unk>" ? say("a word outside its vocabulary") : word;
  const start = say`word ${i + 1}, ${name}, probability ${percent(Math.exp(logProb))}`;
  if (!weights) return start;
  const most = likeliest(weights.map(Math.log), 2).map(({ id, prob }) => `${source.tokens[id]} ${fmt(prob)}`);
  return say`${start}; looks at ${most.join(", ")}`;
}

const HEAT = { cell: 28, wide: 44, left: 96 };
const heatTop = (tokens) => 30 + Math.max(...tokens.map((token) => textWidth(shownWord(token), 13))) * 0.72;

const PHONE = 370; // a column of a desktop has more; where less is, there is no room for a map of nothing

export function heatHeight(view, width, model) {
  if (model === "seq2seq" && width < PHONE) return 24;
  return view && view.ready ? Math.ceil(heatTop(view.source.tokens) + HEAT.cell * view.steps.length + 8) : 120;
}

export function drawHeat(p, view, act) {
  if (!view.ready) return;
  const { source, steps, shown, at, round, langs } = view;
  p.text(
    "title",
    0,
    15,
    steps[0].weights ? say("Weights: queries down, keys across") : say("No attention, no weights"),
    { weight: 650, size: 14 },
  );
  if (!steps[0].weights && p.width < PHONE) return;
  const left = Math.min(HEAT.left, 14 + Math.max(...steps.map((s) => textWidth(shownWord(s.word), 13))));
  const top = heatTop(source.tokens);
  const wide = Math.min(HEAT.wide, (p.width - left - 26) / source.tokens.length);
  const column = (j) => left + wide * (view.left[0] ? source.tokens.length - 1 - j : j);
  source.tokens.forEach((token, j) => {
    p.text(`k${j}`, column(j) + wide / 2 + 3, top - 7, shownWord(token), {
      size: 13,
      weight: 500,
      rotate: -46,
      lang: langs[0],
      colour: source.unknown[j] ? COLOUR.muted : COLOUR.keyInk,
      italic: source.unknown[j],
    });
  });
  steps.slice(0, shown).forEach((step, i) => {
    const y = top + i * HEAT.cell;
    p.group(
      `row${round}-${i}`,
      {
        class: "ab-tp-in",
        cursor: "pointer",
        "aria-hidden": "true",
        onpointerenter: () => act.look(i),
        onclick: () => act.look(i),
      },
      (g) => {
        g.text("word", left - 7, y + 18, shownWord(step.word), {
          size: 13,
          weight: i === at ? 700 : 500,
          anchor: "end",
          lang: langs[1],
          colour: COLOUR.query,
        });
        source.tokens.forEach((_, j) => {
          const a = step.weights ? step.weights[j] : 0;
          const text = wide >= 25 && a >= 0.095 ? fmt(a, 1).replace(/^0/, "") : undefined;
          g.cell(`c${j}`, column(j), y, wide, HEAT.cell, { weight: a, masked: !step.weights, text });
        });
      },
    );
  });
  if (shown)
    p.rect("frame", left - 1, top + at * HEAT.cell, wide * source.tokens.length + 2, HEAT.cell, {
      fill: "none",
      stroke: COLOUR.query,
      "stroke-width": 2.5,
      rx: 2,
      "pointer-events": "none",
    });
}

const BAR = 34;
export const choiceHeight = 52 + 5 * BAR;

export function drawChoices(p, view, act) {
  if (!view.ready || !view.shown) return;
  const { steps, at, words, langs } = view;
  const before = steps
    .slice(Math.max(0, at - 3), at)
    .map((s) => shownWord(s.word))
    .join(" ");
  const lead = `${at > 3 ? "… " : ""}${before}`; // tokens, as the model has them
  p.text("title", 0, 15, say`Word ${at + 1}: what it could have been`, { weight: 650, size: 14 });
  p.text("lead", 0, 36, lead ? say`after ${quoted(lead)}` : say("at the start"), { size: 13, colour: COLOUR.muted });
  const left = Math.min(118, p.width * 0.36);
  const full = p.width - left - 58;
  view.choices.forEach(({ id, prob }, i) => {
    const y = 48 + i * BAR;
    const mine = id === steps[at].id;
    const name = words[id];
    p.group(
      `choice${i}`,
      {
        class: "ab-tp-word",
        tabindex: 0,
        role: "button",
        "data-handle": `choice${i}`,
        "aria-pressed": String(mine),
        "aria-label": mine
          ? say`${name}, ${percent(prob)}, written`
          : say`${name}, ${percent(prob)}; write this instead`,
        onclick: () => act.write(id),
        onkeydown: (event) => act.press(event, () => act.write(id)),
      },
      (g) => {
        g.rect("reach", 0, y, p.width, BAR - 4, { fill: mine ? COLOUR.panel : "transparent", rx: 6 });
        g.rect("ring", 0, y, p.width, BAR - 4, { fill: "none", rx: 6, class: "ab-ring" });
        g.text("word", left - 8, y + 20, name, {
          lang: langs[1],
          size: 14,
          anchor: "end",
          weight: mine ? 700 : 500,
          colour: id < 4 ? COLOUR.muted : COLOUR.ink,
        });
        g.rect("bar", left, y + 7, Math.max(1.5, full * prob), BAR - 18, {
          fill: mine ? COLOUR.query : COLOUR.masked,
          rx: 3,
        });
        g.text("prob", left + full * prob + 7, y + 20, percent(prob), { size: 12.5, colour: COLOUR.muted });
      },
    );
  });
}
