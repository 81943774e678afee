/* What the viewer says: notes on a head, a sentence in both directions, and the two lists. */

const MOST = 8; // rows of a list

// What one should know about this head before reading its numbers.
function notesOn(kind, layer, head, kept) {
  const [off, low, high, missing] = kind.heads[layer - 1][head - 1].unusual;
  const notes = [];
  const sums = low === high ? fmt(low) : `${fmt(low)} to ${fmt(high)}`;
  if (off === 1) notes.push(`One query of this head has weights that do not sum to 1: ${sums}.`);
  if (off > 1) notes.push(`${off} queries of this head have weights that do not sum to 1: ${sums}.`);
  if (missing) notes.push(`${missing === 1 ? "One query has" : `${missing} queries have`} NaN weights (hatched).`);
  if (kept)
    notes.push(
      `Stored are the ${kept === 1 ? "largest weight" : `${kept} largest weights`} of each query and of each key; ` +
        "grey cells were not stored.",
    );
  return notes.join(" ");
}

// How the chosen row is spread over the keys. (Small weights may have been rounded to 0, so nobody "gets none".)
function spreadInWords(spread, kind, query) {
  const all = isCausal(kind) ? query + 1 : sizesOf(kind)[1];
  if (all === 1) return " It sees no other key.";
  if (!spread) return "";
  const { most, entropy, seen } = spread;
  if (seen === 1) return " Its other weights are 0, or too small to be stored.";
  const on = most === 1 ? "" : ` 90 % of its weight lies on ${most} keys`;
  if (!seen) return on && `${on}.`;
  const even = `even weights on ${isCausal(kind) ? `the ${all} keys it sees` : `all ${all} keys`}`;
  return `${on ? `${on}; its` : " Its"} entropy is ${fmt(entropy)} (${even}: ${fmt(Math.log(all))}).`;
}

// Whether a key gets more than all others, and at least twice its even share.
function isSink(kind, layer, head, key) {
  const all = received(kind, layer, head);
  const [T, S] = sizesOf(kind);
  return S > 1 && all[key] >= (2 * T) / S && all.every((weight, j) => j === key || weight < all[key]);
}

// Both directions: the key that the query looks at most, and the query that looks most at the key.
function inWords({ kind, layer, head, query, key, queries, keys }) {
  const tell = (axis, who, i, own, others, verb, other) => {
    const me = `${who} ${i} ${quoted(own[i])}`;
    const best = largestOf(kind, layer, head, axis, i, 1)[0];
    if (!best) return `${me} has no weights: they are NaN.`;
    if (best.weight === 0) return `${me} has weights of 0.00 only.`;
    const end = `${best.at} ${quoted(others[best.at])}`;
    const also =
      axis === "columns" && isSink(kind, layer, head, i)
        ? `; its average, ${fmt(received(kind, layer, head)[i] / sizesOf(kind)[0])}, is the highest of all keys.`
        : ".";
    return `${me} ${verb} its largest weight, ${twoDigits(best.weight)}, ${other} ${end}${also}`;
  };
  return (
    tell("rows", "Query", query, queries, keys, "gives", "to key") +
    `${spreadInWords(spreadOf(kind, layer, head, query), kind, query)} ` +
    tell("columns", "Key", key, keys, queries, "gets", "from query")
  );
}

// The largest weights of a row or column, what is masked last: [{at, weight, masked}].
function topOf(kind, layer, head, axis, i) {
  const place = (at) => (axis === "rows" ? [i, at] : [at, i]);
  const line = largestOf(kind, layer, head, axis, i);
  const marked = line.map(({ at, weight }) => ({ at, weight, masked: isMasked(kind, ...place(at), weight) }));
  return [...marked.filter(({ masked }) => !masked), ...marked.filter(({ masked }) => masked)].slice(0, MOST);
}

function makeList(name, rows) {
  const caption = html("caption");
  const lines = range(rows).map(() => html("tr", {}, html("td"), html("th", { scope: "row" }), html("td")));
  const head = html("tr", {}, ...["pos.", "token", "weight"].map((text) => html("th", { scope: "col", text })));
  const table = html(
    "table",
    { class: "ab-list", "data-value": name },
    caption,
    html("thead", {}, head),
    html("tbody", {}, ...lines),
  );
  return {
    table,
    show(title, found, labels) {
      caption.textContent = title;
      lines.forEach((line, i) => {
        const [position, label, weight] = line.children;
        const one = found[i];
        line.style.visibility = one ? "visible" : "hidden";
        position.textContent = one ? one.at : " ";
        label.textContent = one ? cut(labels[one.at], 24) : "";
        label.title = one ? labels[one.at] : "";
        weight.textContent = !one ? "" : one.masked ? "masked" : twoDigits(one.weight);
        line.classList.toggle("ab-masked-line", Boolean(one?.masked));
        weight.style.setProperty("--ab-part", one ? `${100 * clamp(one.weight, 0, 1)}%` : "0%");
      });
    },
  };
}

const STYLE = `
.ab-card .ab-lists { flex: 1 1 300px; display: flex; flex-wrap: wrap; gap: 0.5rem 1.25rem; align-content: flex-start; }
.ab-card .ab-lists.ab-tall { flex: 0 1 300px; flex-direction: column; }
.ab-card .ab-list { flex: 1 1 140px; border-collapse: collapse; font-size: 13px; margin: 0; width: auto; }
.ab-card .ab-tall .ab-list { flex: none; width: 100%; }
@media (max-width: 480px) {
  .ab-card .ab-lists.ab-tall { flex: 1 1 100%; flex-direction: row; }
  .ab-card .ab-tall .ab-list { flex: 1 1 140px; width: auto; }
}
.ab-card .ab-list caption { text-align: left; font-weight: 650; font-size: 14px; color: var(--ab-ink);
  padding: 0 0 4px; caption-side: top; white-space: nowrap; }
.ab-card .ab-list th, .ab-card .ab-list td { padding: 1px 4px; border: 0; text-align: left; font-weight: 450;
  background: none; white-space: nowrap; line-height: 1.5; }
.ab-card .ab-list thead th { color: var(--ab-muted); font-size: 12px; }
.ab-card .ab-list td { font-variant-numeric: tabular-nums; }
.ab-card .ab-list td:first-child { color: var(--ab-muted); text-align: right; width: 1%; }
.ab-card .ab-list tbody th { width: 1%; }
.ab-card .ab-list .ab-masked-line > * { color: var(--ab-muted); }
.ab-card .ab-list tbody td:last-child { width: auto;
  background: linear-gradient(to right, ${weightFill(0.25)} var(--ab-part), transparent var(--ab-part)); }
.ab-card .ab-note-line { color: var(--ab-muted); min-height: 1.45em; margin: 0 0 0.5rem; }
.ab-card .ab-overviews { flex: 1 1 300px; min-width: min(240px, 100%); display: flex; flex-direction: column;
  gap: 0.5rem; }
.ab-card .ab-overviews > * { flex: none !important; }
.ab-card .ab-stages > .ab-said { flex: 1 1 100%; margin: 0.25rem 0; }
.ab-card .ab-stages > .ab-whole { order: 2; }
.ab-card .ab-all-there { display: none; }
@media (min-width: 481px) { .ab-card .ab-room { min-height: 240px; } } /* for the whole head, beside the lines */
@media (max-width: 480px) {
  .ab-card .ab-overviews { display: contents; }
  .ab-card .ab-overviews > * { flex: 1 1 100% !important; }
  .ab-card .ab-stages > :is(.ab-window, .ab-said) { order: -1; }
  .ab-card .ab-lists, .ab-card .ab-stages > .ab-lines { order: 1; }
}`;
