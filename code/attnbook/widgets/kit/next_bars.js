/* The likeliest next tokens as bars: before the filters an outline, after them filled, what is cut off hatched; beside
 * them the running sum of what top-p sees, and its threshold, a handle of the trait `top_p`. */

import { clamp, COLOUR, fmt, range, say, softmax, sum } from "./kit.js";
import { linear, NARROW, ticks } from "./paint.js";
import { cumulative, filterLogits } from "./sampling.js";
import { textWidth } from "./words.js";

const ROW = 22;
const oneLine = (width) => width > 640; // room for both titles beside each other
const topOf = (width) => (oneLine(width) ? 52 : 68);
// What a token is called: one, and several.
export const unitsOf = (unit) => (unit === "token" ? [say("token"), say("tokens")] : [say("word"), say("words")]);
const shownOn = (width) => (width < NARROW ? 8 : 14); // words that have a row of their own

// A stage of bars. The view has names, before, after, kept, running, size, topK, topP, afterP, draws, drawn, lang and,
// unless it is a word, `unit`: what one is called.
export function nextBars(fig) {
  fig.stage({
    label: ({ names, after, afterP, size, unit = "word" }) =>
      !names
        ? say("Nothing to be drawn")
        : say("The {n} likeliest next {units}: {list}, …; {left} of {size} {units} can be drawn", {
            n: shownOn(1000),
            units: unitsOf(unit)[1],
            list: names
              .slice(0, 5)
              .map((name, i) => `${name} ${fmt(after[i], 3)}`)
              .join(say(", ")),
            left: afterP,
            size,
          }),
    height: (width) => topOf(width) + (shownOn(width) + 1) * ROW + (width < NARROW ? 62 : 50),
    draw: (p, view) => view.names && drawBars(p, view, fig),
  });
}

// What the view has of a distribution: log-probabilities, the likeliest first, and the filters.
export function filtered(logProbs, temperature, topK, topP) {
  const left = filterLogits(logProbs, temperature, topK, topP);
  const byK = filterLogits(logProbs, temperature, topK, 1);
  const kept = left.map((v) => v > -Infinity);
  return {
    before: softmax(logProbs),
    after: softmax(left),
    kept,
    running: cumulative(softmax(byK)),
    size: logProbs.length,
    afterK: byK.filter((v) => v > -Infinity).length,
    afterP: kept.filter(Boolean).length,
    tied: byK.filter((v) => v === byK[topK - 1]).length,
    temperature,
    topK,
    topP,
  };
}

function drawBars(p, view, fig) {
  const { before, after, kept, running, draws, size, unit = "word" } = view;
  const TOP = topOf(p.width);
  const shown = shownOn(p.width);
  const names = view.names.slice(0, shown);
  const counts = range(shown).map((i) => view.drawn.filter((place) => place === i).length);
  const [restBefore, restAfter] = [before, after].map((probs) => sum(probs.slice(shown)));
  const [restWords, restDrawn] = [size - shown, draws - sum(counts)];
  const restKept = kept.slice(shown).filter(Boolean).length;
  const rest = p.narrow
    ? say("{n} others", { n: restWords })
    : say("{n} other {units}", { n: restWords, units: unitsOf(unit)[1] });
  const left = 12 + Math.max(textWidth(rest, 13), ...names.map((word) => textWidth(word, 13.5)));
  const right = p.narrow ? 78 : 190;
  const gap = 58;
  const x = linear([0, 1], [left, p.width - right - gap]); // one scale for all settings: only the bars move
  const line = linear([0, 1], [p.width - right, p.width - 10]);
  const hatch = p.hatch("hatch");
  const bottom = TOP + (shown + 1) * ROW + 4;
  const title = say("Probability of the next {unit}", { unit: unitsOf(unit)[0] });
  p.text("title", p.narrow ? 0 : left, 15, title, { weight: 650, size: 14 });
  // after the temperature, as top-p sees it; on a phone the longer name would stand over the first plot
  const summed = view.temperature === 1 || p.narrow ? say("Running sum") : say("Running sum, after temperature");
  const over = !oneLine(p.width) || textWidth(summed, 14) > right - 10;
  p.text("titleLine", over ? p.width : line(0), oneLine(p.width) ? 15 : 34, summed, {
    anchor: over ? "end" : "start",
    weight: 650,
    size: 14,
  });
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
          (cut
            ? say("{name}: {was} before, then cut off", { name, was: fmt(was, 3) })
            : say("{name}: {was} before, {is} after", { name, was: fmt(was, 3), is: fmt(is, 3) })) +
          (!draws || cut ? "" : drawn === 1 ? say(", drawn 1 time") : say(", drawn {n} times", { n: drawn })),
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
        const value = cut ? say`was ${was < 0.0005 ? "< 0.001" : fmt(was, 3)}` : fmt(is, 3);
        g.text("value", end + 7, y + 15, beside ? say`${value}, ${note}` : value, {
          size: 12.5,
          colour: cut ? COLOUR.muted : COLOUR.ink,
          halo: true,
        });
        if (note && !beside && x(is) - left > textWidth(note, 12.5) + 8) // in the bar, not over the running sum
          g.text("note", left + 6, y + 15, note, { size: 12.5, colour: COLOUR.onAccent });
      },
    );
  p.group("rows", { role: "list", "aria-label": say("The likeliest words, and the rest") }, (rows) => {
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
      restKept && restKept < restWords ? say`${restKept} stay` : undefined,
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
    const place = `p = ${fmt(view.topP)}`;
    const half = textWidth(place, 12.5) / 2;
    p.text("p", Math.min(line(view.topP), p.width - half - 4), bottom + (p.narrow ? 13 : 15), place, {
      anchor: "middle",
      size: 12.5,
      weight: 600,
      colour: COLOUR.accent,
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
    label: say("threshold p of top-p"),
    text: view.topP < 1 ? `p = ${fmt(view.topP)}` : say("p = 1, off"),
    onMove: ([to]) => fig.set({ top_p: Math.round(clamp(to, 0.05, 1) * 100) / 100 }),
  });
  p.legend(
    "legend",
    0,
    bottom + (p.narrow ? 28 : 38),
    [
      { label: say("before the filters"), colour: COLOUR.ink, mark: "outline" },
      { label: say("after the filters"), colour: COLOUR.weight, mark: "box" },
      { label: p.narrow ? say("cut off") : say("cut off, with what it had"), colour: COLOUR.masked, mark: "hatch" },
      { label: say("threshold p"), colour: COLOUR.accent, mark: "dash" },
      ...(draws ? [{ label: say`drawn, of ${draws}`, colour: COLOUR.ink, mark: "diamond" }] : []),
    ],
    { maxWidth: p.width },
  );
}
