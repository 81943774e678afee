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

// How the chosen row is spread over the keys.
function spreadInWords(spread) {
  if (!spread) return "";
  const { most, entropy, seen } = spread;
  if (seen === 1) return " No other key gets any.";
  const on = ` 90 % of its weight ${most === 1 ? "is on this key" : `lies on ${most} keys`}`;
  if (!seen) return `${on}.`;
  const all = `${seen} keys with a weight above 0`;
  return `${on}; its entropy is ${fmt(entropy)}, and even weights on the ${all} would have ${fmt(Math.log(seen))}.`;
}

// Both directions: the key that the query looks at most, and the query that looks most at the key.
function inWords({ kind, layer, head, query, key, queries, keys }) {
  const tell = (axis, who, i, own, others, verb, other) => {
    const me = `${who} ${i} ${quoted(own[i])}`;
    const best = largestOf(kind, layer, head, axis, i, 1)[0];
    if (!best) return `${me} has no weights: they are NaN.`;
    if (best.weight === 0) return `${me} has weights of 0.00 only.`;
    const end = `${best.at} ${quoted(others[best.at])}`;
    return `${me} ${verb} its largest weight, ${twoDigits(best.weight)}, ${other} ${end}.`;
  };
  return (
    tell("rows", "Query", query, queries, keys, "gives", "to key") +
    `${spreadInWords(spreadOf(kind, layer, head, query))} ` +
    tell("columns", "Key", key, keys, queries, "gets", "from query")
  );
}

function makeList(name, rows) {
  const caption = html("caption");
  const lines = range(rows).map(() => html("tr", {}, html("td"), html("th", { scope: "row" }), html("td")));
  const head = html("tr", {}, ...["position", "token", "weight"].map((text) => html("th", { scope: "col", text })));
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
        weight.textContent = one ? twoDigits(one.weight) : "";
        weight.style.setProperty("--ab-part", one ? `${100 * clamp(one.weight, 0, 1)}%` : "0%");
      });
    },
  };
}

const STYLE = `
.ab-card .ab-lists { flex: 1 1 300px; display: flex; flex-wrap: wrap; gap: 0.5rem 1.25rem; align-content: flex-start; }
.ab-card .ab-list { flex: 1 1 200px; border-collapse: collapse; font-size: 13px; margin: 0; width: auto; }
.ab-card .ab-list caption { text-align: left; font-weight: 650; font-size: 14px; color: var(--ab-ink);
  padding: 0 0 4px; caption-side: top; }
.ab-card .ab-list th, .ab-card .ab-list td { padding: 1px 6px; border: 0; text-align: left; font-weight: 450;
  background: none; white-space: nowrap; line-height: 1.5; }
.ab-card .ab-list thead th { color: var(--ab-muted); font-size: 12px; }
.ab-card .ab-list td { font-variant-numeric: tabular-nums; }
.ab-card .ab-list td:first-child { color: var(--ab-muted); text-align: right; width: 1%; }
.ab-card .ab-list tbody td:last-child { width: 45%;
  background: linear-gradient(to right, var(--ab-line) var(--ab-part), transparent var(--ab-part)); }
.ab-card .ab-note-line { color: var(--ab-muted); min-height: 1.45em; margin: 0 0 0.5rem; }
.ab-card .ab-overviews { flex: 1 1 300px; min-width: min(240px, 100%); }
.ab-card .ab-all-there { visibility: hidden; } /* its place is kept, beside the window */
@media (max-width: 480px) { .ab-card .ab-all-there { display: none; } }`;
