/* What packing.py has packed, read again: weights of a cell, a row, a column, a window. `NaN` is a NaN weight,
 * `NOT_KEPT` one that was not stored. An axis is "rows" (of a query) or "columns" (of a key). Layers and heads go by
 * the model's numbers. */

import { fmt, range, say, sum } from "../kit/kit.js";
import { bytesOf, half } from "../kit/weights.js";

export const NOT_KEPT = -Infinity; // packing.py refuses infinite weights, so no weight is taken for this
let halves = null; // every float16 number

// A typed array of what a table says of each number.
function converted(numbers, table) {
  const out = new Float32Array(numbers.length);
  for (let i = 0; i < out.length; i++) out[i] = table[numbers[i]];
  return out;
}

const wholeNumbers = (text) => new Uint16Array(bytesOf(text).buffer);

function weightsOf(text) {
  halves ||= Float32Array.from(range(65536), half);
  return converted(wholeNumbers(text), halves);
}

const read = new WeakMap(); // packed head → its arrays, unpacked when first asked for

export const packedOf = (kind, layer, head) => kind.heads[kind.layers.indexOf(layer)][kind.head_numbers.indexOf(head)];

function headOf(kind, layer, head) {
  const packed = packedOf(kind, layer, head);
  if (!read.has(packed)) {
    const table = (name) => packed[name] && { at: wholeNumbers(packed[name][0]), weights: weightsOf(packed[name][1]) };
    read.set(packed, {
      all: packed.all && weightsOf(packed.all),
      rows: table("rows"),
      columns: table("columns"),
      sums: {
        rows: packed.row_sums && weightsOf(packed.row_sums),
        columns: packed.column_sums && weightsOf(packed.column_sums),
      },
    });
  }
  return read.get(packed);
}

export const sizesOf = (kind) => [kind.queries.length, (kind.keys || kind.queries).length];

// The weights of a row or column that are there, the one farthest from 0 first: [{at, weight}].
export function largestOf(kind, layer, head, axis, i, most = Infinity) {
  const [T, S] = sizesOf(kind);
  const found = headOf(kind, layer, head);
  const line = [];
  if (found.all) {
    const [start, step, n] = axis === "rows" ? [i * S, 1, S] : [i, S, T];
    for (let at = 0; at < n; at++) line.push({ at, weight: found.all[start + at * step] });
  } else if (axis === "columns" || !Number.isNaN(found.sums.rows[i])) {
    const { at, weights } = found[axis];
    for (let n = i * kind.kept; n < (i + 1) * kind.kept; n++) line.push({ at: at[n], weight: weights[n] });
  }
  const there = line.filter(({ weight }) => Number.isFinite(weight));
  return there.sort((a, b) => Math.abs(b.weight) - Math.abs(a.weight) || a.at - b.at).slice(0, most);
}

// The sum of a row (NaN if one of its weights is) or of what is there of a column.
export function sumOf(kind, layer, head, axis, i) {
  const found = headOf(kind, layer, head);
  if (!found.all) return found.sums[axis][i];
  const S = sizesOf(kind)[1];
  return axis === "rows" ? sum(Array.from(found.all.subarray(i * S, (i + 1) * S))) : received(kind, layer, head)[i];
}

export function weightAt(kind, layer, head, i, j) {
  return partOf(kind, layer, head, [i, i + 1], [j, j + 1])[0];
}

// The cells of the rows a … b−1 and the columns c … d−1, row by row.
export function partOf(kind, layer, head, [a, b], [c, d]) {
  const S = sizesOf(kind)[1];
  const found = headOf(kind, layer, head);
  const cells = new Float32Array((b - a) * (d - c)).fill(NOT_KEPT);
  const put = (i, j, weight) => {
    if (i >= a && i < b && j >= c && j < d && weight !== -Infinity) cells[(i - a) * (d - c) + j - c] = weight;
  };
  if (found.all) {
    for (let i = a; i < b; i++) for (let j = c; j < d; j++) put(i, j, found.all[i * S + j]);
    return cells;
  }
  const each = (axis, from, to, visit) => {
    for (let n = from * kind.kept; n < to * kind.kept; n++)
      visit(Math.floor(n / kind.kept), found[axis].at[n], found[axis].weights[n]);
  };
  each("columns", c, d, (j, i, weight) => put(i, j, weight));
  each("rows", a, b, (i, j, weight) => put(i, j, weight));
  for (let i = a; i < b; i++)
    if (Number.isNaN(found.sums.rows[i])) cells.fill(NaN, (i - a) * (d - c), (i + 1 - a) * (d - c));
  return cells;
}

// A stored map of a whole head: the largest weight in each of its cells.
const sizeOfCode = (code, signed) => (signed ? code / 127 - 1 : code / 254);
const SQUARES = [false, true].map((signed) =>
  range(256).map((code) => (code === 255 ? NaN : sizeOfCode(code, signed) * Math.abs(sizeOfCode(code, signed)))),
);
export const mapOf = (text, scale = 1, signed = false) =>
  converted(bytesOf(text), SQUARES[+signed]).map((weight) => scale * weight);
export const mapOfHead = (packed, role) => mapOf(packed[role], packed.scale, packed.signed);

// The weight of a cell that is farthest from 0; 0 if there is none.
export const topOfCells = (cells) =>
  cells.reduce((top, weight) => (Number.isFinite(weight) ? Math.max(top, Math.abs(weight)) : top), 0);

// Each cell of a smaller map holds the weight of its cells that is farthest from 0.
export function smaller(cells, rows, columns, most) {
  const [high, wide] = [Math.min(rows, most), Math.min(columns, most)];
  if (high === rows && wide === columns) return cells;
  const out = new Float32Array(high * wide).fill(NaN);
  cells.forEach((weight, n) => {
    const [row, column] = [Math.floor(n / columns), n % columns];
    const at = Math.floor((row * high) / rows) * wide + Math.floor((column * wide) / columns);
    if (!(Math.abs(out[at]) >= Math.abs(weight)) && !Number.isNaN(weight)) out[at] = weight;
  });
  return out;
}

const causal = new WeakMap(); // kind → whether it is

// Whether no query of any head looks at a later key: then these are taken to be masked.
export function isCausal(kind) {
  if (!causal.has(kind)) {
    const [T, S] = sizesOf(kind);
    const n = kind.thumb[0];
    const near = T % n ? 1 : 0; // cells of the small map that overlap: the first above the diagonal holds some of it
    const clear = (packed) =>
      mapOfHead(packed, "thumb").every(
        (weight, at) => (at % n) - Math.floor(at / n) <= near || weight === 0 || Number.isNaN(weight),
      );
    causal.set(kind, T === S && T > 1 && kind.heads.every((layer) => layer.every(clear)));
  }
  return causal.get(kind);
}

export const isMasked = (kind, i, j, weight) => isCausal(kind) && j > i && (weight === 0 || weight === NOT_KEPT);

// Cells, of the whole or from (top, left) on, with NaN in place of what is masked.
export function unmasked(kind, cells, columns, top = 0, left = 0) {
  if (!isCausal(kind)) return cells;
  const at = (n) => [top + Math.floor(n / columns), left + (n % columns)];
  return cells.map((weight, n) => (isMasked(kind, ...at(n), weight) ? NaN : weight));
}

// What each key gets from all queries together, those with a NaN left out.
function received(kind, layer, head) {
  const found = headOf(kind, layer, head);
  if (!found.all) return found.sums.columns;
  const S = sizesOf(kind)[1];
  const counts = haveNumbers(kind, layer, head);
  found.received ||= found.all.reduce((all, weight, n) => {
    all[n % S] += counts[Math.floor(n / S)] ? weight : 0;
    return all;
  }, new Float64Array(S));
  return found.received;
}

// Which queries have weights that are numbers: 1, or else 0.
function haveNumbers(kind, layer, head) {
  const found = headOf(kind, layer, head);
  const sums = () => range(sizesOf(kind)[0]).map((i) => sumOf(kind, layer, head, "rows", i));
  found.haveNumbers ||= sums().map((total) => +!Number.isNaN(total));
  return found.haveNumbers;
}

// What each key gets, on average, from the queries that can see it; NaN if none of these has weights.
export function averages(kind, layer, head) {
  const counts = haveNumbers(kind, layer, head);
  let seeing = sum(counts);
  return Array.from(received(kind, layer, head), (total, j) => {
    const mean = total / seeing;
    if (isCausal(kind)) seeing -= counts[j];
    return mean;
  });
}

// What one weight is called wherever it is printed: "0.625", "< 0.001".
export function threeDecimals(weight) {
  if (weight === NOT_KEPT) return say("not kept");
  if (Number.isNaN(weight)) return "NaN";
  if (Math.abs(weight) >= 0.001) return fmt(weight, 3);
  return weight < 0 ? "> −0.001" : "< 0.001";
}

// How a row's weight is spread: on how many keys 90 % of it lie, its entropy, and the number of keys that
// get more than what is rounded to 0.
// Of a long head, whose small weights were not stored, only the first, if it is known; null of an unusual row.
export function spreadOf(kind, layer, head, i) {
  const total = sumOf(kind, layer, head, "rows", i);
  const line = largestOf(kind, layer, head, "rows", i).filter(({ weight }) => weight !== 0);
  if (!(total > 0) || line.some(({ weight }) => weight < 0)) return null;
  let part = 0;
  const most = 1 + line.findIndex(({ weight }) => (part += weight) >= 0.9 * total);
  if (!most) return null;
  const entropy = -sum(line.map(({ weight }) => (weight / total) * Math.log(weight / total)));
  return kind.kept ? { most } : { most, entropy, seen: line.length };
}
