/* Where everything is in the tree, and how it is drawn: from left to right where there is room for every step, and
 * downwards where there is not. "Across" is the direction in which the prefixes of one step stand beside each other. */

import DATA from "./data.json" with { type: "json" };
import { clamp, COLOUR, fmt, mean, range, say, sum } from "../kit/kit.js";
import { inARow } from "../kit/text.js";
import { textWidth } from "../kit/words.js";
import { droppedAt, named, nameOf, scoreOf, spread } from "./search.js";

const TALL = { root: 30, kept: 38, ended: 38, lane: 20, dropped: 32 };
const RANKS = 68; // room for the ranking at the right
export const MARGIN = 20; // room for the steps' numbers at the left, where the tree grows downwards
export const sameWords = (a, b) => String(a) === String(b);
const wordText = (word) => DATA.words[word];

// How wide an entry is, at least; in a tree that grows to the right lanes need no width. `tight`: in small type.
function needs({ kind, hyp }, upright, tight) {
  const word = wordText(hyp.word) || "";
  if (!upright) {
    const wide = { root: 48, lane: 0, ended: 52, dropped: textWidth(word, 12.5), kept: textWidth(word, 13.5) + 12 };
    return Math.max(kind === "kept" ? 46 : 42, wide[kind]);
  }
  const kept = textWidth(word, tight ? 12 : 13) + 9;
  const wide = { root: 50, lane: 38, ended: 54, dropped: textWidth(word, 12.5) + 2, kept };
  return Math.max(kind === "lane" ? 0 : (hyp.logProb < -9.99 ? 48 : 42) - (tight ? 4 : 0), wide[kind]);
}

// Steps of entries {hyp, kind, from}: the same order as their parents, so that no two branches cross. `room` is what
// there is across: as many of the dropped as fit are shown, and the tree is spread over it; on a small phone a step
// that is wider is drawn tight.
export function arrange(search, greedy, { upright, room, width, tight = false }) {
  const gap = upright ? (tight ? 2 : 4) : 6;
  const size = (entry) => (upright ? needs(entry, true, tight) : TALL[entry.kind]);
  const across = (entries) => sum(entries.map((entry) => size(entry) + gap)) - gap;
  const columns = [[{ hyp: search.root, kind: "root", from: null }]];
  search.steps.forEach(({ kept, dropped, finished }, t) => {
    const greedyWords = greedy.words.slice(0, t + 1);
    const entriesWith = (most) => {
      const turnedDown = dropped.filter((hyp, i) => i < most || sameWords(hyp.words, greedyWords));
      return columns[t].flatMap((from) => {
        if (from.kind === "dropped") return [];
        if (from.hyp.ended) return [{ hyp: from.hyp, kind: "lane", from }];
        const own = (hyps, kind) =>
          hyps
            .filter((hyp) => hyp.parent === from.hyp)
            .map((hyp) => ({ hyp, kind: kind || (hyp.ended ? "ended" : "kept"), from }));
        return [...own(kept), ...own(turnedDown, "dropped")];
      });
    };
    const few = Number(width < 4); // on a phone the numbers need the room
    const shown = upright && room < 460 ? few : droppedAt(width);
    const most = [...range(shown + 1)].reverse().find((n) => !n || across(entriesWith(n)) <= room);
    const entries = entriesWith(most);
    columns.push(entries);
    if (finished.some((hyp) => !entries.some((entry) => entry.hyp === hyp)))
      throw new Error("a finished hypothesis lost its lane");
  });
  if (upright && !tight && columns.some((entries) => across(entries) > room))
    return arrange(search, greedy, { upright, room, width, tight: true });
  columns.flat().forEach((entry) => Object.assign(entry, { kids: [], z: 0, pull: 0.02, across: size(entry) }));
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
    const apart = entries.map((entry, i) => (i ? (size(entry) + size(entries[i - 1])) / 2 + gap : 0));
    const pulls = entries.map((entry) => entry.pull);
    within(spread(entries.map(wanted), apart, pulls), apart, entries.map(size), room).forEach((z, i) => {
      entries[i].z = z;
    });
  };
  const heirs = (entry) => entry.kids.filter((kid) => kid.pull === 1).map((kid) => kid.z);
  [...columns]
    .reverse()
    .forEach((entries) => settle(entries, (entry) => (heirs(entry).length ? mean(heirs(entry)) : 0)));
  columns.forEach((entries) => settle(entries, (entry) => (entry.pull === 1 || !entry.from ? entry.z : entry.from.z)));
  // Then in the middle of the room, spread over it.
  const all = columns.flat();
  const [low, high] = [
    Math.min(...all.map((entry) => entry.z - size(entry) / 2)),
    Math.max(...all.map((entry) => entry.z + size(entry) / 2)),
  ];
  const wider = clamp(room / (high - low), 1, 1.6);
  all.forEach((entry) => {
    entry.z = room / 2 + (entry.z - (low + high) / 2) * wider;
  });
  const wide = columns.map((entries) => Math.max(...entries.map((entry) => needs(entry, upright))));
  return { columns, wide, upright, tight };
}

// The same places, moved no further than needed to be inside the room, whose middle is 0.
function within(places, apart, sizes, room) {
  const out = [...places];
  out.forEach((z, i) => {
    out[i] = Math.max(z, i ? out[i - 1] + apart[i] : (sizes[0] - room) / 2);
  });
  range(out.length)
    .reverse()
    .forEach((i) => {
      const last = i === out.length - 1;
      out[i] = Math.min(out[i], last ? (room - sizes[i]) / 2 : out[i + 1] - apart[i + 1]);
    });
  return out;
}

export const leastWidth = (plan) => Math.ceil(sum(plan.wide) + 10 * plan.columns.length + RANKS);

function placeColumns(plan, width) {
  const air = clamp((width - RANKS - sum(plan.wide)) / plan.columns.length, 6, 130);
  let x = 0;
  return plan.wide.map((w) => {
    const left = x;
    x += w + air;
    return left;
  });
}

// ---- the drawing ---------------------------------------------------------------------------------

export const TOP = 26; // of a tree that grows to the right, below the steps' numbers

// Where things are on a drawing of this size: the box of an entry, the ends of its branches, its step's number.
function geometry(plan, width, height) {
  if (plan.upright) {
    const gone = plan.columns.length - 1; // rows below the first
    const pitch = clamp((height - 135) / Math.max(1, gone - 1), 30, 110);
    const tall = clamp(pitch - 7, 28, 33);
    const row = (t) => (t ? 51 + (t - 1) * pitch : 14);
    const box = (entry) => {
      const w = entry.across - (entry.kind === "ended" ? 6 : 0); // its second frame is around it
      return { x: MARGIN + entry.z - w / 2, y: row(entry.t), w, tall: entry.kind === "root" ? 24 : tall };
    };
    return {
      box,
      enter: (entry) => [MARGIN + entry.z, row(entry.t) - (entry.kind === "lane" ? 0 : tall / 2)],
      leave: (entry) => [MARGIN + entry.z, row(entry.t) + (entry.kind === "lane" ? 0 : box(entry).tall / 2)],
      number: (t) => [7, row(t) + 4.5],
      rank: ({ z }) => [MARGIN + z, row(gone) + 32],
      score: { dy: 24, anchor: "middle" },
      go: (t) => [MARGIN + (width - MARGIN) / 2, row(t) + 36],
      bottom: height - 6,
    };
  }
  const lefts = placeColumns(plan, width);
  const right = (t) => lefts[t] + plan.wide[t];
  const middle = (t) => lefts[t] + plan.wide[t] / 2;
  const ranks = Math.min(width - RANKS, right(lefts.length - 1) + 60); // of a short tree, beside its end
  return {
    ranks,
    box: (entry) => ({ x: lefts[entry.t], y: TOP + entry.z, w: plan.wide[entry.t], tall: TALL[entry.kind] }),
    enter: ({ t, z, kind }) => [kind === "lane" ? middle(t) : lefts[t], TOP + z],
    leave: ({ t, z, kind }) => [kind === "lane" ? middle(t) : right(t), TOP + z],
    number: (t) => [middle(t), 13],
    rank: ({ z }) => [ranks + 13, TOP + z],
    score: { dx: 12, dy: 4.5, anchor: "start" },
    go: (t) => [right(t) + 14, height / 2],
    bottom: height - 8,
  };
}

function branch([x1, y1], [x2, y2], upright) {
  const bend = (upright ? y2 - y1 : x2 - x1) / 2;
  const r = (v) => Math.round(v * 10) / 10;
  return upright
    ? `M${r(x1)} ${r(y1)}C${r(x1)} ${r(y1 + bend)} ${r(x2)} ${r(y2 - bend)} ${r(x2)} ${r(y2)}`
    : `M${r(x1)} ${r(y1)}C${r(x1 + bend)} ${r(y1)} ${r(x2 - bend)} ${r(y2)} ${r(x2)} ${r(y2)}`;
}

function branchLook({ hyp, kind, t }, strong, step) {
  if (kind === "lane") {
    const width = strong ? 2.2 : 1.4;
    return { stroke: COLOUR.weight, "stroke-width": width, "stroke-dasharray": "2 4", opacity: strong ? 1 : 0.65 };
  }
  if (kind === "dropped") {
    const opacity = strong || t === step ? 0.9 : 0.4;
    return { stroke: COLOUR.masked, "stroke-width": 1.2, "stroke-dasharray": "4 3", opacity };
  }
  return { stroke: COLOUR.weight, "stroke-width": 1.2 + 5 * Math.exp(hyp.own), opacity: strong ? 1 : 0.5 };
}

export function drawTree(p, view, act) {
  const { plan, step, last, chosen } = view;
  const at = geometry(plan, p.width, p.height);
  const onPath = (hyp) => sameWords(chosen.words.slice(0, hyp.words.length), hyp.words);
  const small = { size: 12, colour: COLOUR.muted };
  range(1, step + 1).forEach((t) => p.text(`step${t}`, ...at.number(t), String(t), { anchor: "middle", ...small }));
  p.text("steps", 0, plan.upright ? at.number(0)[1] : 13, say("step"), { italic: true, ...small });
  const shown = plan.columns.slice(0, step + 1);
  p.group("branches", { "aria-hidden": "true" }, (g) =>
    shown.flat().forEach((entry, i) => {
      if (!entry.from) return;
      const d = branch(at.leave(entry.from), at.enter(entry), plan.upright);
      const look = branchLook(entry, onPath(entry.hyp), step);
      g.add("path", `b${entry.t}-${i}`, { d, fill: "none", ...look });
    }),
  );
  const attrs = {
    role: "tree",
    tabindex: 0,
    "data-handle": "tree",
    "aria-label": say("Prefixes of the translation, step by step; the arrow keys walk through them"),
    "aria-activedescendant": act.idOf(chosen.words),
    onkeydown: act.onKey,
  };
  p.group("tree", attrs, (g) =>
    shown
      .flat()
      .filter((entry) => entry.kind !== "lane")
      .forEach((entry) => drawEntry(g, entry, at.box(entry), view, act, onPath(entry.hyp))),
  );
  drawLegend(
    p,
    at.bottom,
    shown.flat().some((entry) => entry.kind === "dropped"),
  );
  if (step === last) drawRanking(p, view, at, act);
  else p.text("more", ...at.go(step), "…", { size: 18, colour: COLOUR.muted, anchor: "middle" });
}

function drawLegend(p, y, drops) {
  const items = [
    { label: say("finished"), colour: COLOUR.ground, mark: "box" },
    { label: say("kept"), colour: COLOUR.weight },
    ...(drops ? [{ label: say("dropped"), colour: COLOUR.masked, mark: "dash" }] : []),
  ];
  const dot = { label: say("greedy"), colour: COLOUR.ink, mark: "dot" };
  const full = drops && p.width < 330; // then the dot is explained in the empty corner beside the first box
  p.legend("legend", 0, y, full ? items : [...items, dot]);
  if (full) p.legend("dots", p.width - 30 - textWidth(dot.label, 12.5), 14, [dot]);
  [0, 3].forEach((inner) =>
    p.rect(`frame${inner}`, 3 + inner, y - 11 + inner, 17 - 2 * inner, 14 - 2 * inner, {
      fill: "none",
      stroke: COLOUR.weight,
      "stroke-width": 1.3,
      rx: 3,
    }),
  );
}

// Every place of the beam ends in its rank and its score.
function drawRanking(p, { plan, ranking, alpha }, at, act) {
  const small = { size: 12, colour: COLOUR.muted, italic: true };
  const { dx, dy, anchor } = at.score;
  if (!plan.upright) p.text("rank", at.ranks + 25, 13, say("score"), small);
  plan.columns
    .at(-1)
    .filter((entry) => entry.kind !== "dropped")
    .forEach((entry) => {
      const place = ranking.indexOf(entry.hyp);
      const best = place === 0;
      const [x, y] = at.rank(entry);
      const colour = entry.hyp.ended ? COLOUR.weight : COLOUR.masked;
      p.line(`out${place}`, ...at.leave(entry), x, y, {
        stroke: colour,
        "stroke-width": best ? 2.2 : 1.4,
        "stroke-dasharray": "2 4",
        "aria-hidden": "true",
      });
      p.group(`rank${place}`, { cursor: "pointer", onclick: () => act.look(entry.hyp) }, (g) => {
        g.circle("badge", x, y, 10, {
          fill: best ? (entry.hyp.ended ? COLOUR.weight : COLOUR.muted) : COLOUR.ground,
          stroke: colour,
          "stroke-width": 2,
        });
        g.text("place", x, y + 4.5, String(place + 1), {
          anchor: "middle",
          size: 13,
          weight: 700,
          colour: best ? COLOUR.ground : COLOUR.ink,
        });
        g.text("score", plan.upright ? clamp(x, 22, p.width - 22) : x + dx, y + dy, fmt(scoreOf(entry.hyp, alpha)), {
          size: 13,
          anchor,
          weight: best ? 700 : 500,
          "data-score": place,
        });
      });
    });
}

function drawEntry(g, { hyp, kind, t }, { x, y, w, tall }, view, act, strong) {
  const flat = tall < 34; // two lines of writing in little room
  const root = kind === "root";
  const chosen = sameWords(hyp.words, view.chosen.words);
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
      class: "ab-bt-in",
      onclick: () => act.look(hyp),
      onpointerenter: (event) => {
        if (event.pointerType === "mouse") act.look(hyp);
      },
    },
    (e) => {
      const colour = kind === "dropped" ? "transparent" : COLOUR.weight;
      e.rect("box", x, y - tall / 2, w, tall, {
        rx: 7,
        fill: COLOUR.ground,
        stroke: colour,
        "stroke-width": strong ? 2.4 : 1.4,
      });
      if (strong && kind !== "dropped")
        e.rect("tint", x, y - tall / 2, w, tall, { rx: 7, fill: colour, "fill-opacity": 0.13 });
      const rim = flat && kind === "ended" ? -3 : 3; // in little room the second frame is around the first
      if (kind === "ended")
        e.rect("inner", x + rim, y - tall / 2 + rim, w - 2 * rim, tall - 2 * rim, {
          rx: rim < 0 ? 9 : 5,
          fill: "none",
          stroke: colour,
          "stroke-width": 1.2,
        });
      const away = rim < 0 ? 3 : 0;
      if (chosen)
        e.rect("ring", x - 3 - away, y - tall / 2 - 3 - away, w + 6 + 2 * away, tall + 6 + 2 * away, {
          rx: 9 + away,
          fill: "none",
          stroke: COLOUR.ink,
          "stroke-width": 1.8,
          "stroke-dasharray": kind === "dropped" ? "4 3" : undefined,
        });
      const word = root ? "<bos>" : wordText(hyp.word);
      const quiet = kind === "dropped" || root;
      e.text("word", x + w / 2, root ? y + 4.5 : y - (flat ? 2.5 : 2), word, {
        lang: view.lang,
        anchor: "middle",
        size: flat ? (kind === "dropped" || view.plan.tight ? 12 : 12.5) : quiet || hyp.ended ? 12.5 : 13.5,
        weight: quiet ? 500 : 650,
        colour: quiet ? COLOUR.muted : COLOUR.ink,
      });
      if (!root)
        e.text("logp", x + w / 2, y + (flat ? 10 : 13), fmt(hyp.logProb), {
          anchor: "middle",
          size: 12,
          colour: COLOUR.muted,
        });
      if (isGreedy)
        e.circle("greedy", x + 1, y - tall / 2 + 1, 4, {
          fill: COLOUR.ink,
          stroke: COLOUR.ground,
          "stroke-width": 1.2,
        });
    },
  );
}

function inWords(hyp, kind, view) {
  if (kind === "root") return say("The beginning of every sentence, <bos>");
  const what = { kept: say("kept"), ended: say("finished"), dropped: say("dropped") }[kind];
  const [words, score] = [inARow(named(hyp.words)), fmt(scoreOf(hyp, view.alpha))];
  return say`${words}: ${what}, log p ${fmt(hyp.logProb)}, score ${score}`;
}
