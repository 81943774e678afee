/* The kit of the interactive figures, part 1: numbers, colours, the model, the card and its controls.
 * (Part 2, paint.js: scales, axes and everything that is drawn.) Both files are put in front of every
 * figure.js, so each name below is simply in scope there; a figure must not declare it again. What else a
 * figure needs from a file, it says in a line "// uses ../kit/words.js, data.json" (the numbers become `DATA`).
 *
 * A figure in one look:
 *
 *   function render({ model, el }) {
 *     const fig = figure({ model, el, title: "How far is far?", hint: "Drag the query." });
 *     fig.stage({ label: "what the drawing shows", height: 240, draw(p, view) { p.circle("dot", ...); } });
 *     fig.slider("width", { label: "width σ", min: 0.1, max: 3, step: 0.1, digits: 1 });
 *     fig.output("largest", { label: "largest weight", digits: 3 });
 *     fig.reset();
 *     return fig.start((state) => {                  // runs at the start and after every change
 *       const weights = softmax(state("scores"));    // state(name) = the trait's value
 *       fig.show({ largest: Math.max(...weights) }); // fills the <output>s
 *       return { weights };                          // the `view` that each draw(p, view) receives
 *     });
 *   }
 *   export default { render, math: { ... } };
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
 * Colours   COLOUR.ink, muted, ground, panel, grid, query, key, value, output, masked, weight, accent, onAccent, line
 *                                           CSS values that follow light and dark mode, with a fallback
 *           COLOUR.keyInk, valueInk         the darker orange and green in which small text can be read
 *           weightFill(a)                   cell colour of a weight 0 … 1: white → blue-violet; in the dark the
 *                                           ground → light violet, in twenty shades, as drawn pictures are inverted
 *           weightInk(a)                    colour of text that is readable on that cell
 *           signedFill(v), signedInk(v)     the same for a signed number −1 … 1: ochre, white, blue-violet
 *           COLOUR.heads                    four, for heads
 * DOM       html(tag, attrs, ...children)   an HTML element; attrs: text, class, on… = function, others as they are
 * Model     setTrait(model, name, value)    model.set + a throttled save_changes (several sets, one message)
 * Figure    figure({model, el, title, hint})  the card; returns fig:
 *   fig.stage({label, height, keep, basis, grow, draw})  an SVG, drawn anew on every change and on every new width.
 *                                           height: number or (width) => number; while keep(width) gives the same, it
 *                                           does not shrink. basis: preferred width in px
 *                                           (stages share a row while they fit; default: a row of its own).
 *                                           label: string or (view) => string, what a screen reader says.
 *   fig.slider(name, {label, min, max, step, digits, format})   range input bound to the trait `name`
 *   fig.slider(name, {label, values, format})                   … over a list of values
 *   fig.select(name, {label, options})      options: [value, …] or [[value, "text"], …]
 *   fig.checkbox(name, {label})
 *   fig.button(label, onClick, {primary})
 *   fig.more()                              on a phone what is added from here on, until the function that it returns
 *                                           is called, is folded behind a button in the head
 *   fig.reset(names = [])                   a button in the head: every control's trait, and these, as at first
 *   fig.keep(name, value, {reset = true})   a trait that no control shows, such as what was seen before: a link holds
 *                                           it, too; value: of a trait _…, as at first, where there is no kernel
 *   fig.controlsFirst()                     puts the controls above the drawing, which may change its height below them
 *   fig.output(name, {label, digits, format, note})   a number under the drawing: <output data-value="name">
 *   fig.show({name: value, …})              fills outputs; data-number keeps all digits; null shows "–"
 *   fig.say(text)                           the sentence under the drawing that says what one sees now
 *   fig.start(compute)                      begins; returns the function that takes everything down again
 *   fig.set({name: value, …})               sets traits (what handles and buttons call); one redraw
 *   fig.get(name)                           a trait's value
 *   fig.redraw()                            computes and draws again, when something else than a trait has changed
 *   fig.card                                the root element, for anything the kit has no word for
 */

// ---- numbers -------------------------------------------------------------------------------------

function fmt(x, digits = 2) {
  if (x === null || x === undefined || Number.isNaN(x)) return "–";
  if (!Number.isFinite(x)) return x > 0 ? "∞" : "−∞";
  const text = x.toFixed(digits);
  return (Number(text) === 0 ? text.replace("-", "") : text).replace("-", "−");
}

function fmtShort(x) {
  const size = Math.abs(x);
  if (!Number.isFinite(x) || size === 0) return fmt(x, 0);
  if (size < 0.001) return x.toExponential(1).replaceAll("-", "−");
  return fmt(x, clamp(2 - Math.floor(Math.log10(size)), 0, 3));
}

const clamp = (x, low, high) => Math.min(high, Math.max(low, x));
const range = (a, b) => Array.from({ length: b === undefined ? a : b - a }, (_, i) => (b === undefined ? i : a + i));
const linspace = (a, b, n) => range(n).map((i) => (n === 1 ? a : a + ((b - a) * i) / (n - 1)));
const sum = (xs) => xs.reduce((total, x) => total + x, 0);
const mean = (xs) => sum(xs) / xs.length;
const dot = (a, b) => sum(range(a.length).map((i) => a[i] * b[i]));

function variance(xs) {
  const centre = mean(xs);
  return mean(xs.map((x) => (x - centre) ** 2));
}

function softmax(xs, mask) {
  const allowed = range(xs.length).filter((j) => !mask || mask[j]);
  const weights = range(xs.length).map(() => 0);
  if (allowed.length === 0) return weights;
  const top = Math.max(...allowed.map((j) => xs[j])); // subtracting the maximum keeps exp from overflowing
  const powers = allowed.map((j) => Math.exp(xs[j] - top));
  const total = sum(powers);
  allowed.forEach((j, i) => {
    weights[j] = powers[i] / total;
  });
  return weights;
}

// A counter passed through an integer hash: number i of a seed needs none of the numbers before it,
// which is what lets Python compute the very same stream with whole arrays.
function seededUniforms(seed, n) {
  const out = new Float64Array(n);
  for (let i = 0; i < n; i++) {
    let z = (Math.imul(seed + 1, 0x9e3779b1) + Math.imul(i + 1, 0x6d2b79f5)) >>> 0;
    z = Math.imul(z ^ (z >>> 16), 0x21f0aaad);
    z = Math.imul(z ^ (z >>> 15), 0x735a2d97);
    out[i] = (((z ^ (z >>> 15)) >>> 0) + 0.5) / 4294967296;
  }
  return out;
}

function seededNormals(seed, n) {
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

// ---- colours -------------------------------------------------------------------------------------

const COLOUR = {
  ink: "var(--ab-ink,#1f2430)",
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

function weightFill(a) {
  const place = clamp(a, 0, 1) * 2;
  const i = Math.min(1, Math.floor(place));
  const mix = (low, high) => Math.round(low + (high - low) * (place - i));
  const light = range(3).map((c) => mix(WEIGHT_STOPS[i][c], WEIGHT_STOPS[i + 1][c]));
  return `var(--ab-w${Math.round(10 * place)},rgb(${light.join(",")}))`;
}

const weightInk = (a) => (a > 0.7 ? COLOUR.onAccent : COLOUR.ink);

const SIGNED_ENDS = [
  [140, 98, 20],
  [255, 255, 255],
  [75, 63, 168],
]; // ochre −1, white 0, blue-violet 1

function signedFill(v) {
  const size = Math.min(1, Math.abs(v));
  const end = SIGNED_ENDS[v < 0 ? 0 : 2];
  const light = range(3).map((c) => Math.round(255 + (end[c] - 255) * size));
  const step = Math.round(10 * size);
  return `var(--ab-${v < 0 && step ? "m" : "p"}${step},rgb(${light.join(",")}))`;
}

const signedInk = (v) => (Math.abs(v) > 0.6 ? COLOUR.onAccent : COLOUR.ink);

// ---- DOM and model -------------------------------------------------------------------------------

const newId = () => {
  // unique on the page, also when several figures carry their own copy of this kit
  globalThis.attnbookIds = (globalThis.attnbookIds || 0) + 1;
  return `ab${globalThis.attnbookIds}`;
};

function html(tag, attrs = {}, ...children) {
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

const savings = new WeakMap();

function setTrait(model, name, value) {
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

// ---- the card and its controls -------------------------------------------------------------------

function figure({ model, el, title, hint }) {
  const body = html("div", { class: "ab-stages" });
  const said = html("p", { class: "ab-said", "aria-live": "polite", hidden: true });
  const outputs = html("div", { class: "ab-outputs", hidden: true });
  const controls = html("div", { class: "ab-controls", hidden: true });
  let panel = controls; // what new controls are put into
  const words = html("div", { class: "ab-words" }, html("p", { class: "ab-title", text: title }));
  if (hint) words.append(html("p", { class: "ab-hint", text: hint }));
  const tools = html("div", { class: "ab-tools" });
  const head = html("div", { class: "ab-head" }, words, tools);
  const card = html("div", { class: "ab-card" }, head, body, said, controls, outputs);
  // JupyterLab takes arrow keys for shortcuts of its own, unless the element in focus asks it not to.
  card.addEventListener("focusin", (event) => event.target.setAttribute("data-lm-suppress-shortcuts", "true"));
  el.append(card);

  const stages = []; // drawn on every change
  const refreshers = []; // put the model's values into the controls
  const shown = {}; // name → function that writes an output
  const first = new Map(); // the traits that a reader moves, as at first: what a link holds
  const bound = new Set(); // those that the reset button restores
  const remember = (name) => {
    bound.add(name);
    if (!first.has(name)) first.set(name, JSON.stringify(model.get(name)));
  };
  let compute = () => ({});
  let view = null;
  let waiting = false;
  let stopped = false;
  let saidAt = { width: 0, height: 0 };

  function update() {
    waiting = false;
    if (stopped) return;
    refreshers.forEach((refresh) => refresh());
    view = compute((name) => model.get(name)) || {};
    stages.forEach((stage) => stage.draw(view));
  }
  function changed() {
    // several traits set in one go give one redraw
    if (!waiting) {
      waiting = true;
      queueMicrotask(() => waiting && update());
    }
  }

  Object.assign(card, { abFirst: first, abUpdate: update }); // for the host's link

  const fig = {
    card,
    get: (name) => model.get(name),
    set(values) {
      for (const [name, value] of Object.entries(values)) setTrait(model, name, value);
    },

    stage(options) {
      const stage = makeStage(body, options, () => view);
      stages.push(stage);
      return stage;
    },

    control(name, label, input, write, extra = null) {
      const id = newId();
      input.id = id;
      input.dataset.control = name;
      remember(name);
      refreshers.push(write);
      const row = html("div", { class: `ab-control ab-${input.type || input.localName}` });
      const tag = html("label", { for: id, text: label });
      row.append(...(input.type === "checkbox" ? [input, tag] : [tag, input]));
      if (extra) {
        extra.setAttribute("for", id);
        row.append(extra);
      }
      panel.append(row);
      controls.hidden = false;
      return input;
    },

    slider(name, { label, min, max, step = 1, digits, values, format }) {
      const places = digits ?? (String(step).split(".")[1] || "").length;
      const text = format || (values ? String : (x) => fmt(x, places));
      const input = html(
        "input",
        values ? { type: "range", min: 0, max: values.length - 1, step: 1 } : { type: "range", min, max, step },
      );
      const now = html("output", { class: "ab-now", "data-value": name, "aria-live": "off" });
      input.oninput = () => setTrait(model, name, values ? values[+input.value] : +input.value);
      return fig.control(
        name,
        label,
        input,
        () => {
          const value = model.get(name);
          input.value = values ? nearest(values, value) : value;
          const [low, high] = [+input.min, +input.max];
          input.style.setProperty("--ab-part", `${(100 * (+input.value - low)) / (high - low || 1)}%`);
          now.textContent = text(value);
          now.dataset.number = value;
          input.setAttribute("aria-valuetext", text(value));
        },
        now,
      );
    },

    select(name, { label, options }) {
      const pairs = options.map((option) => (Array.isArray(option) ? option : [option, String(option)]));
      const input = html("select", {}, ...pairs.map(([value, text]) => html("option", { value: String(value), text })));
      input.onchange = () => setTrait(model, name, pairs[input.selectedIndex][0]);
      return fig.control(name, label, input, () => {
        input.selectedIndex = pairs.findIndex(([value]) => value === model.get(name));
      });
    },

    checkbox(name, { label }) {
      const input = html("input", { type: "checkbox" });
      input.onchange = () => setTrait(model, name, input.checked);
      return fig.control(name, label, input, () => {
        input.checked = Boolean(model.get(name));
      });
    },

    button(label, onClick, { primary = false } = {}) {
      const button = html("button", {
        type: "button",
        class: primary ? "ab-button ab-primary" : "ab-button",
        text: label,
      });
      button.onclick = onClick;
      panel.append(button);
      controls.hidden = false;
      return button;
    },

    more() {
      const rest = html("div", { class: "ab-rest" });
      const attributes = { type: "button", class: "ab-button ab-more", "aria-expanded": "false" };
      const button = html("button", { ...attributes, text: "More settings" });
      button.onclick = () => {
        const open = rest.classList.toggle("ab-open");
        button.setAttribute("aria-expanded", open);
        button.textContent = open ? "Fewer settings" : "More settings";
      };
      tools.append(button);
      controls.append(rest);
      panel = rest;
      return () => {
        panel = controls;
      };
    },

    reset(names = []) {
      names.forEach(remember);
      const button = html("button", {
        type: "button",
        class: "ab-button ab-reset",
        "data-control": "reset",
        text: "Reset",
      });
      button.onclick = () => bound.forEach((name) => setTrait(model, name, JSON.parse(first.get(name))));
      tools.prepend(button);
      return button;
    },

    keep(name, value, { reset = true } = {}) {
      if (model.get(name) === undefined) model.set(name, value); // a page knows of no trait that begins with _
      remember(name);
      if (!reset) bound.delete(name);
    },

    controlsFirst() {
      body.before(controls);
      controls.style.margin = "0 0 0.75rem";
    },

    output(name, { label, digits = 2, format, note }) {
      const cell = html("output", { "data-value": name, "aria-label": label, "aria-live": "off" });
      const box = html("div", { class: "ab-output" }, html("span", { class: "ab-name", text: label }), cell);
      if (note) box.append(html("span", { class: "ab-note", text: note }));
      outputs.append(box);
      outputs.hidden = false;
      shown[name] = (value) => {
        cell.textContent = typeof value === "string" ? value : (format || ((x) => fmt(x, digits)))(value);
        if (typeof value === "number") cell.dataset.number = value;
        else delete cell.dataset.number;
      };
    },

    show(values) {
      for (const [name, value] of Object.entries(values)) {
        if (!shown[name]) throw new Error(`no output named ${name}; call fig.output("${name}", …) first`);
        shown[name](value);
      }
    },

    say(text) {
      said.hidden = !text;
      if (said.textContent !== text) said.textContent = text;
      // Never shorter than before at this width: what stands below stays where it is while sentences change.
      if (said.clientWidth !== saidAt.width) saidAt = { width: said.clientWidth, height: 0 };
      said.style.minHeight = "";
      saidAt.height = Math.max(saidAt.height, said.offsetHeight);
      if (saidAt.height) said.style.minHeight = `${saidAt.height}px`;
    },

    redraw: changed,

    start(fn) {
      compute = fn;
      update();
      model.on("change", changed);
      return () => {
        stopped = true;
        model.off("change", changed);
        stages.forEach((stage) => stage.stop());
        card.remove();
      };
    },
  };
  return fig;
}

function nearest(values, value) {
  let best = 0;
  values.forEach((v, i) => {
    if (Math.abs(v - value) < Math.abs(values[best] - value)) best = i;
  });
  return best;
}
