/* The kit of the interactive figures, part 1: numbers, colours, the page's elements, the model. Nothing here needs a
 * browser before it is called. (Part 2, paint.js: scales, axes and everything that is drawn; part 3, card.js: the card
 * and its controls.)
 *
 * Numbers   fmt(x, digits = 2)              "−1.50": fixed digits, a real minus sign, no "−0.00"
 *           fmtShort(x)                     about three significant digits: "764", "0.33", "1.3e−4"
 *           clamp(x, low, high)             x kept within [low, high]
 *           range(n), range(a, b)           [0 … n−1], [a … b−1]
 *           linspace(a, b, n)               n evenly spaced numbers, both ends included
 *           sum(xs), mean(xs), variance(xs) variance divides by n
 *           dot(a, b)                       Σ aᵢ bᵢ
 *           softmax(xs, mask)               weights; mask[j] false → 0; nothing allowed → all 0
 *           seededUniforms(seed, n)         Float64Array in (0, 1): the same for the same seed, everywhere
 *           seededNormals(seed, n)          the same for N(0, 1), by Box and Muller's formula
 * Text      columns(text)                   its width in letters: a character of East Asia takes two, an accent none
 *           say("Reset"), say`step ${k}`    in the language of the page; the English is the source, and is said where
 *                                           there is no translation. There {k} or {0} stands for a value:
 *                                           say("step {k}", { k })
 *           sentences(a, b, …)              one after another, the empty ones left out
 * Colours   COLOUR.ink, muted, ground, panel, grid, query, key, value, output, masked, weight, accent, onAccent, line
 *                                           CSS values that follow light and dark mode, with a fallback
 *           COLOUR.keyInk, valueInk         the darker orange and green in which small text can be read
 *           weightFill(a)                   cell colour of a weight 0 … 1: white → blue-violet; in the dark the
 *                                           ground → light violet, in twenty shades, as drawn pictures are inverted
 *           weightInk(a)                    colour of text that is readable on that cell
 *           signedFill(v), signedInk(v)     the same for a signed number −1 … 1: ochre, white, blue-violet
 *           COLOUR.heads                    four, for heads
 * DOM       html(tag, attrs, ...children)   an HTML element; attrs: text, class, on… = function, others as they are
 *           fillTrack(input)                colours the track of a range input up to its value; after each change
 *           calm()                          whether a reader wants nothing to move by itself
 *           take(event)                     nobody else hears of a key that a figure has understood
 * Model     setTrait(model, name, value)    model.set + a throttled save_changes (several sets, one message)
 */

// ---- numbers -------------------------------------------------------------------------------------

export function fmt(x, digits = 2) {
  if (x === null || x === undefined || Number.isNaN(x)) return "–";
  if (!Number.isFinite(x)) return x > 0 ? "∞" : "−∞";
  const text = x.toFixed(digits);
  return (Number(text) === 0 ? text.replace("-", "") : text).replace("-", "−");
}

export function fmtShort(x) {
  const size = Math.abs(x);
  if (!Number.isFinite(x) || size === 0) return fmt(x, 0);
  if (size < 0.001) return x.toExponential(1).replaceAll("-", "−");
  return fmt(x, clamp(2 - Math.floor(Math.log10(size)), 0, 3));
}

// Whether lists of lists have the same lengths everywhere: neither is ragged where the other is not.
export const sameShape = (a, b) =>
  Array.isArray(a) && Array.isArray(b)
    ? a.length === b.length && a.every((one, i) => sameShape(one, b[i]))
    : Array.isArray(a) === Array.isArray(b);
export const clamp = (x, low, high) => Math.min(high, Math.max(low, x));
export const range = (a, b) =>
  Array.from({ length: b === undefined ? a : b - a }, (_, i) => (b === undefined ? i : a + i));
export const linspace = (a, b, n) => range(n).map((i) => (n === 1 ? a : a + ((b - a) * i) / (n - 1)));
export const sum = (xs) => xs.reduce((total, x) => total + x, 0);
export const mean = (xs) => sum(xs) / xs.length;
export const dot = (a, b) => sum(range(a.length).map((i) => a[i] * b[i]));

// A page in another language has loaded `attnbookWords` before (tools/languages/figures.py).
export function say(text, ...values) {
  const tagged = typeof text !== "string";
  const english = tagged ? text.reduce((whole, piece, i) => `${whole}{${i - 1}}${piece}`) : text;
  const given = tagged ? values : (values[0] ?? {});
  return (globalThis.attnbookWords?.[english] ?? english).replace(/\{(\w+)\}/g, (hole, name) => given[name] ?? hole);
}

// Sentences without the spaces between them that Chinese does not have.
export const closeUp = (text) => text.replace(/(?<=[。！？]) +|(?<=”) (?=\p{Script=Han})/gu, "");

// Sentences one after another, the empty ones left out.
export const sentences = (...said) => closeUp(said.filter(Boolean).join(" "));

const WIDE = /[\p{Script=Han}\p{Script=Hangul}\u3001-\u303e\u3041-\u30ff\u3105-\u312f\uff01-\uff60]/u;
export const columns = (text) =>
  sum(Array.from(text, (letter) => (/\p{Mn}/u.test(letter) ? 0 : WIDE.test(letter) ? 2 : 1)));

export function variance(xs) {
  const centre = mean(xs);
  return mean(xs.map((x) => (x - centre) ** 2));
}

export function softmax(xs, mask) {
  const isAllowed = (j) => !mask || mask[j];
  const top = xs.reduce((most, x, j) => (isAllowed(j) ? Math.max(most, x) : most), -Infinity);
  const powers = Array.from(xs, (x, j) => (isAllowed(j) ? Math.exp(x - top) : 0)); // without the top, exp overflows
  const total = sum(powers);
  return powers.map((power) => power && power / total);
}

// A counter passed through an integer hash: number i of a seed needs none of the numbers before it,
// which is what lets Python compute the very same stream with whole arrays.
export function seededUniforms(seed, n) {
  const out = new Float64Array(n);
  for (let i = 0; i < n; i++) {
    let z = (Math.imul(seed + 1, 0x9e3779b1) + Math.imul(i + 1, 0x6d2b79f5)) >>> 0;
    z = Math.imul(z ^ (z >>> 16), 0x21f0aaad);
    z = Math.imul(z ^ (z >>> 15), 0x735a2d97);
    out[i] = (((z ^ (z >>> 15)) >>> 0) + 0.5) / 4294967296;
  }
  return out;
}

export function seededNormals(seed, n) {
  const uniforms = seededUniforms(seed, 2 * Math.ceil(n / 2));
  const out = new Float64Array(n);
  for (let i = 0; i < n; i += 2) {
    const radius = Math.sqrt(-2 * Math.log(uniforms[i]));
    const angle = 2 * Math.PI * uniforms[i + 1];
    out[i] = radius * Math.cos(angle);
    if (i + 1 < n) out[i + 1] = radius * Math.sin(angle);
  }
  return out;
}

export function nearest(values, value) {
  let best = 0;
  values.forEach((v, i) => {
    if (Math.abs(v - value) < Math.abs(values[best] - value)) best = i;
  });
  return best;
}

// ---- colours -------------------------------------------------------------------------------------

export const COLOUR = {
  ink: "var(--ab-ink,#1f2430)",
  strong: "var(--ab-strong,#000000)",
  muted: "var(--ab-muted,#5b6472)",
  ground: "var(--ab-ground,#ffffff)",
  panel: "var(--ab-panel,#f6f7fa)",
  grid: "var(--ab-grid,#e6e9ef)",
  line: "var(--ab-line,#c9cfd9)",
  query: "var(--ab-query,#0072B2)",
  key: "var(--ab-key,#D55E00)",
  keyInk: "var(--ab-key-ink,#b34e00)",
  value: "var(--ab-value,#009E73)",
  valueInk: "var(--ab-value-ink,#007a5a)",
  output: "var(--ab-output,#CC79A7)",
  masked: "var(--ab-masked,#999999)",
  weight: "var(--ab-weight,#4B3FA8)",
  accent: "var(--ab-accent,#4B3FA8)",
  onAccent: "var(--ab-on-accent,#ffffff)",
  heads: ["#E69F00", "#1B9FC4", "#B0559B", "#7F9F1C"],
};

const WEIGHT_STOPS = [
  [255, 255, 255],
  [185, 181, 232],
  [75, 63, 168],
]; // the plots' colour map, too

export function weightFill(a) {
  const place = clamp(a, 0, 1) * 2;
  const i = Math.min(1, Math.floor(place));
  const mix = (low, high) => Math.round(low + (high - low) * (place - i));
  const light = range(3).map((c) => mix(WEIGHT_STOPS[i][c], WEIGHT_STOPS[i + 1][c]));
  return `var(--ab-w${Math.round(10 * place)},rgb(${light.join(",")}))`;
}

// On every shade, in either theme, words have a contrast of at least 4.5 : 1.
const inkOn = (a, strong, black, accent) =>
  a > accent ? COLOUR.onAccent : a >= black ? "#000000" : a > strong ? COLOUR.strong : COLOUR.ink;

export const weightInk = (a) => inkOn(a, 0.6, 0.725, 0.81);

const SIGNED_ENDS = [
  [140, 98, 20],
  [255, 255, 255],
  [75, 63, 168],
]; // ochre −1, white 0, blue-violet 1

export function signedFill(v) {
  const size = Math.min(1, Math.abs(v));
  const end = SIGNED_ENDS[v < 0 ? 0 : 2];
  const light = range(3).map((c) => Math.round(255 + (end[c] - 255) * size));
  const step = Math.round(10 * size);
  return `var(--ab-${v < 0 && step ? "m" : "p"}${step},rgb(${light.join(",")}))`;
}

export const signedInk = (v) => inkOn(Math.abs(v), 0.5, 0.65, v < 0 ? 0.91 : 0.77);

// ---- DOM and model -------------------------------------------------------------------------------

export const newId = () => {
  // unique on the page, also when several figures carry their own copy of this kit
  globalThis.attnbookIds = (globalThis.attnbookIds || 0) + 1;
  return `ab${globalThis.attnbookIds}`;
};

export function html(tag, attrs = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attrs)) {
    if (name === "text") node.textContent = value;
    else if (typeof value === "function") node[name] = value;
    else if (value === true) node.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) node.setAttribute(name, value);
  }
  node.append(...children);
  return node;
}

// Colours the track of a range input up to its value.
export const fillTrack = (input) =>
  input.style.setProperty("--ab-part", `${(100 * (input.value - input.min)) / (input.max - input.min || 1)}%`);

// Whether a reader wants nothing to move by itself.
export const calm = () => globalThis.matchMedia?.("(prefers-reduced-motion: reduce)").matches;

// A key or click that a figure has understood: JupyterLab moves between cells with the same keys.
export const take = (event) => {
  event.preventDefault();
  event.stopPropagation();
};

const savings = new WeakMap();

export function setTrait(model, name, value) {
  model.set(name, value);
  if (savings.has(model)) return;
  savings.set(
    model,
    setTimeout(() => {
      savings.delete(model);
      model.save_changes();
    }, 50),
  );
}
