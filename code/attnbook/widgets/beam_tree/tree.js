/* Where everything is in the tree, and how it is drawn. */

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
  const y = (entry) => TOP + view.air + entry.y;
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
              stroke: COLOUR.weight,
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
    "aria-label": "Prefixes of the translation, step by step",
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
    TOP + view.tall + 28,
    [
      { label: "finished", colour: COLOUR.ground, mark: "box" },
      { label: "kept", colour: COLOUR.weight },
      { label: "dropped", colour: COLOUR.masked, mark: "dash" },
      { label: "greedy", colour: COLOUR.ink, mark: "dot" },
    ],
    { maxWidth: view.window },
  );
  [0, 3].forEach((inner) =>
    p.rect(`frame${inner}`, 3 + inner, TOP + view.tall + 17 + inner, 17 - 2 * inner, 14 - 2 * inner, {
      fill: "none",
      stroke: COLOUR.weight,
      "stroke-width": 1.3,
      rx: 3,
    }),
  );
  if (step < last) {
    p.text("more", lefts[step] + plan.wide[step] + 14, TOP + view.tall / 2, "…", { size: 18, colour: COLOUR.muted });
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
      const colour = entry.hyp.ended ? COLOUR.weight : COLOUR.masked;
      p.line(`out${place}`, x, y(entry), right - 2, y(entry), {
        stroke: colour,
        "stroke-width": best ? 2.2 : 1.4,
        "stroke-dasharray": "2 4",
        "aria-hidden": "true",
      });
      p.group(`rank${place}`, { cursor: "pointer", onclick: () => act.look(entry.hyp) }, (g) => {
        g.circle("badge", right + 9, y(entry), 10, {
          fill: best ? (entry.hyp.ended ? COLOUR.weight : COLOUR.muted) : COLOUR.ground,
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
          fill: COLOUR.ink,
          stroke: COLOUR.ground,
          "stroke-width": 1.2,
        });
    },
  );
}
