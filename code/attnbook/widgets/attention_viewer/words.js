/* What the viewer says: notes on a head, a sentence in both directions, and the two lists. */

import { clamp, fmt, html, mean, range, say, sentences, signedFill, weightFill } from "../kit/kit.js";
import { cut, quoted } from "./drawing.js";
import {
  averages, isCausal, isMasked, largestOf, packedOf, sizesOf, spreadOf, threeDecimals, topOfCells,
} from "./stored.js";

export const MOST = 8; // rows of a list

// What one should know about this head before reading its numbers.
export function notesOn(kind, layer, head, kept) {
  const { unusual, signed } = packedOf(kind, layer, head);
  const [off, low, high, missing] = unusual;
  const notes = [];
  const sums = low === high ? fmt(low) : say`${fmt(low)} to ${fmt(high)}`;
  if (off === 1) notes.push(say("One query of this head has weights that do not sum to 1: {sums}.", { sums }));
  if (off > 1) notes.push(say("{n} queries of this head have weights that do not sum to 1: {sums}.", { n: off, sums }));
  if (missing === 1) notes.push(say("One query has NaN weights (hatched)."));
  if (missing > 1) notes.push(say`${missing} queries have NaN weights (hatched).`);
  if (signed) notes.push(say("This head has negative weights (ochre)."));
  if (kept)
    notes.push(
      kept === 1
        ? say("Stored are the largest weight of each query and of each key; grey cells were not stored.")
        : say`Stored are the ${kept} largest weights of each query and of each key; grey cells were not stored.`,
    );
  return sentences(...notes);
}

// How the chosen row is spread over the keys. (Small weights may have been rounded to 0, so nobody "gets none".)
function spreadInWords(spread, kind, query) {
  if (sizesOf(kind)[1] === 1 || (isCausal(kind) && query === 0)) return say("It sees no other key.");
  if (!spread) return "";
  if (spread.seen === 1) return say("Its other weights are 0, or too small to be stored.");
  return spread.most === 1 ? "" : say`90 % of its weight lies on ${spread.most} keys.`;
}

// "0.04 of 1.79": how evenly the row is spread, and how evenly it could be.
export function entropyInWords(spread, kind, query) {
  if (spread?.entropy === undefined) return null;
  return say`${fmt(spread.entropy)} of ${fmt(Math.log(isCausal(kind) ? query + 1 : sizesOf(kind)[1]))}`;
}

// Whether a key gets more than all others that several queries see, and at least twice what even weights would give.
function isSink(kind, layer, head, key) {
  const all = averages(kind, layer, head);
  const [T, S] = sizesOf(kind);
  const even = isCausal(kind) ? mean(range(key, T).map((i) => 1 / (i + 1))) : 1 / S;
  const lower = (weight, j) => j === key || (isCausal(kind) && j === S - 1) || weight < all[key];
  return T > 1 && S > 1 && !(isCausal(kind) && key === S - 1) && all[key] >= 2 * even && all.every(lower);
}

const aQuery = (i, labels) => say`query ${i} ${quoted(labels[i])}`;
const aKey = (i, labels) => say`key ${i} ${quoted(labels[i])}`;
const remarks = (at, [from, to], forced) => {
  if (at >= from && at < to) return forced ? say(" (query 0 has no choice)") : "";
  return forced ? say(" (not shown; query 0 has no choice)") : say(" (not shown)");
};

// "largest weight", of a head that has negative ones the weight that is farthest from 0.
const largest = ({ kind, layer, head }) =>
  packedOf(kind, layer, head).signed ? say("weight farthest from 0") : say("largest weight");

// The key that the query looks at most.
function ofQuery(view) {
  const { kind, layer, head, query, queries, keys, columns } = view;
  const best = largestOf(kind, layer, head, "rows", query, 1)[0];
  const me = say`Query ${query} ${quoted(queries[query])}`;
  if (!best) return say`${me} has no weights: they are NaN.`;
  if (best.weight === 0) return say`${me} has weights of 0.000 only.`;
  const to = aKey(best.at, keys) + remarks(best.at, columns);
  const values = { me, largest: largest(view), weight: threeDecimals(best.weight), to };
  const more = spreadInWords(spreadOf(kind, layer, head, query), kind, query);
  return sentences(say("{me} gives its {largest}, {weight}, to {to}.", values), more);
}

// The query that looks most at the key, of those that have a choice.
function ofKey(view) {
  const { kind, layer, head, key, queries, keys, rows } = view;
  const all = largestOf(kind, layer, head, "columns", key).filter(({ at }) => !isCausal(kind) || at >= key);
  const [me, forced] = [say`Key ${key} ${quoted(keys[key])}`, isCausal(kind) && key === 0 && all.length > 1];
  const best = all.find(({ at }) => !forced || at > 0);
  if (!best) return say`${me} has no weights: they are NaN.`;
  const given = threeDecimals(best.weight);
  const from = aQuery(best.at, queries) + remarks(best.at, rows, forced);
  if (isCausal(kind) && key === queries.length - 1) return say`Only ${from} sees ${aKey(key, keys)}: ${given}.`;
  if (best.weight === 0) return say`${me} has weights of 0.000 only.`;
  const start = say("{me} gets its {largest}, {given}, from {from}", { me, largest: largest(view), given, from });
  if (!isSink(kind, layer, head, key)) return say("{start}.", { start });
  const means = averages(kind, layer, head);
  const values = { start, mean: threeDecimals(means[key]) };
  return isCausal(kind) && means.at(-1) >= means[key]
    ? say("{start}; its average, {mean}, is the highest of all keys but the last, which only one query sees.", values)
    : say("{start}; its average, {mean}, is the highest of all keys.", values);
}

// Both directions of a weight.
export const inWords = (view) => sentences(ofQuery(view), ofKey(view));

// The longest that can be said of a kind, for which there is room from the start: null if there are very many heads.
export function longestSaid(kind, labels) {
  const [T, S] = sizesOf(kind);
  if (kind.heads.length * kind.heads[0].length * (T + S) > 3000) return null;
  const outside = Math.max(T, S) > 8 ? [0, 0] : [0, Infinity]; // of all that is named, or of nothing
  const longest = (all) => all.reduce((one, other) => (other.length > one.length ? other : one));
  const said = kind.heads.flatMap((heads, l) =>
    heads.map((_, h) => {
      const [layer, head] = [kind.layers[l], kind.head_numbers[h]];
      const place = { ...labels, kind, layer, head, rows: outside, columns: outside };
      const query = longest(range(T).map((i) => ofQuery({ ...place, query: i })));
      return sentences(query, longest(range(S).map((j) => ofKey({ ...place, key: j }))));
    }),
  );
  return longest(said);
}

// The largest weights of a row or column that are not masked: [{at, weight}].
export function topOf(kind, layer, head, axis, i) {
  const masked = ({ at, weight }) => isMasked(kind, ...(axis === "rows" ? [i, at] : [at, i]), weight);
  return largestOf(kind, layer, head, axis, i)
    .filter((one) => !masked(one))
    .slice(0, MOST);
}

// How long a weight may be, written out.
export const lettersOf = (kinds) =>
  Math.max(
    ...kinds
      .flatMap(({ heads }) => heads.flat())
      .flatMap(({ top, signed }) => (signed ? [-top, -1e-4] : [top, 1e-4]))
      .map((weight) => threeDecimals(weight).length),
  );

export function makeList(name, rows, letters) {
  const caption = html("caption");
  const lines = range(rows).map(() => html("tr", {}, html("td"), html("td"), html("td")));
  const named = [say("pos."), say("token"), say("weight")];
  const head = html("tr", {}, ...named.map((text) => html("th", { scope: "col", text })));
  const table = html(
    "table",
    { class: "ab-list", "data-value": name },
    caption,
    html("thead", {}, head),
    html("tbody", {}, ...lines),
  );
  table.style.setProperty("--ab-letters", letters);
  return {
    table,
    show(title, found, labels) {
      const most = topOfCells(found.map(({ weight }) => weight)) || 1;
      table.style.setProperty("--ab-digits", String(labels.length - 1).length);
      caption.textContent = title;
      lines.forEach((line, i) => {
        const [position, label, weight] = line.children;
        const one = found[i];
        line.style.visibility = one ? "visible" : "hidden";
        position.textContent = one ? one.at : " ";
        label.textContent = one ? cut(labels[one.at], 24) : "";
        label.title = one ? labels[one.at] : "";
        weight.textContent = one ? threeDecimals(one.weight) : "";
        weight.classList.toggle("ab-negative", one?.weight < 0);
        weight.style.setProperty("--ab-part", one ? `${100 * clamp(Math.abs(one.weight) / most, 0, 1)}%` : "0%");
      });
    },
  };
}

export const STYLE = `
.ab-card .ab-lists { flex: 1 1 300px; display: grid; grid-template-columns: repeat(2, minmax(0, 1fr));
  gap: 0.5rem 0.75rem; align-items: start; }
.ab-card .ab-lists.ab-tall { flex: 0 1 300px; grid-template-columns: minmax(0, 1fr); align-content: start; }
.ab-card .ab-list { display: table; table-layout: fixed; border-collapse: collapse; font-size: 13px; margin: 0;
  width: 100%; }
@media (max-width: 480px) {
  .ab-card .ab-lists.ab-tall { flex: 1 1 100%; grid-template-columns: repeat(2, minmax(0, 1fr)); }
}
.ab-card .ab-list caption { text-align: left; font-weight: 650; font-size: 14px; color: var(--ab-ink);
  padding: 0 0 4px; caption-side: top; white-space: nowrap; }
.ab-card .ab-list th, .ab-card .ab-list td { padding: 1px 4px; border: 0; text-align: left; font-weight: 450;
  background: none; white-space: nowrap; line-height: 1.5; overflow: hidden; text-overflow: ellipsis; }
.ab-card .ab-list thead th { color: var(--ab-muted); font-size: 12px; }
.ab-card .ab-list thead th:first-child { width: max(2.9em, calc(var(--ab-digits) * 1ch + 1.2em)); text-align: right; }
.ab-card .ab-list thead th:last-child { width: calc(var(--ab-letters) * 1.1ch + 0.6em); }
.ab-card .ab-list tbody tr { height: 21.5px; }
.ab-card .ab-list td { font-variant-numeric: tabular-nums; }
.ab-card .ab-list td:first-child { color: var(--ab-muted); text-align: right; }
.ab-card .ab-list tbody td:last-child {
  background: linear-gradient(to right, var(--ab-bar) var(--ab-part), transparent var(--ab-part)); }
.ab-card .ab-list tbody td { --ab-bar: ${weightFill(0.25)}; }
.ab-card .ab-list tbody td.ab-negative { --ab-bar: ${signedFill(-0.25)}; }
.ab-card .ab-note-line { color: var(--ab-muted); min-height: 1.45em; margin: 0 0 0.5rem; }
.ab-card .ab-overviews { flex: 1 1 300px; min-width: min(240px, 100%); display: flex; flex-direction: column;
  gap: 0.5rem; }
.ab-card .ab-overviews > * { flex: none !important; }
.ab-card .ab-stages > .ab-said { flex: 1 1 100%; margin: 0.25rem 0; }
.ab-card .ab-stages > .ab-whole { order: 2; }
.ab-card .ab-all-there { display: none; }
.ab-card > .ab-outputs { grid-template-columns: repeat(4, minmax(0, 1fr)); }
@media (min-width: 481px) { .ab-card .ab-room { min-height: 262px; } } /* for the whole head, beside the lines */
@media (max-width: 480px) {
  .ab-card > .ab-outputs { grid-template-columns: repeat(2, minmax(0, 1fr)); }
  .ab-card .ab-overviews { display: contents; }
  .ab-card .ab-overviews > * { flex: 1 1 100% !important; }
  .ab-card .ab-overviews > .ab-all.ab-few { order: -2; }
  .ab-card .ab-stages > .ab-whole.ab-short { display: none; } /* the sliders reach every token */
  .ab-card .ab-stages > :is(.ab-window, .ab-said) { order: -1; }
  .ab-card .ab-lists, .ab-card .ab-stages > .ab-lines { order: 1; }
}`;
