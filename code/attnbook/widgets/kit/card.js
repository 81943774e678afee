/* The kit of the interactive figures, part 3: the card and its controls.
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
 * Figure    figure({model, el, title, hint})  the card; returns fig:
 *   fig.stage({label, height, keep, basis, grow, draw})  an SVG, drawn anew on every change and on every new width.
 *                                           height: number or (width) => number; while keep(width) gives the same, it
 *                                           does not shrink. basis: preferred width in px
 *                                           (stages share a row while they fit; default: a row of its own).
 *                                           label: string or (view) => string, what a screen reader says.
 *   fig.slider(name, {label, min, max, step, digits, format})   range input bound to the trait `name`
 *   fig.slider(name, {label, values, format})                   … over a list of values
 *   fig.select(name, {label, options})      options: [value, …] or [[value, "text"], …], or a
 *                                           function that gives them, where they depend on other traits
 *   fig.checkbox(name, {label})
 *   fig.button(label, onClick, {primary})
 *   fig.player(label, {pace, begin, next, ended})   a button: begin() at once, then next() every `pace` ms, until
 *                                           ended(), another press or the end of the card; without motion begin()
 *                                           for each press. Gives {button, stop}
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

import { calm, closeUp, fillTrack, fmt, html, nearest, newId, say, setTrait } from "./kit.js";
import { makeStage } from "./paint.js";

export function figure({ model, el, title, hint }) {
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
          fillTrack(input);
          now.textContent = text(value);
          now.dataset.number = value;
          input.setAttribute("aria-valuetext", text(value));
        },
        now,
      );
    },

    select(name, { label, options }) {
      const input = html("select");
      let pairs = [];
      const fill = () => {
        const now = typeof options === "function" ? options() : options;
        const wanted = now.map((option) => (Array.isArray(option) ? option : [option, String(option)]));
        if (String(wanted) === String(pairs)) return;
        pairs = wanted;
        input.replaceChildren(...pairs.map(([value, text]) => html("option", { value: String(value), text })));
      };
      fill();
      input.onchange = () => setTrait(model, name, pairs[input.selectedIndex][0]);
      return fig.control(name, label, input, () => {
        fill();
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

    player(label, { pace, begin, next, ended }) {
      let timer = null;
      const stop = () => {
        clearInterval(timer);
        timer = null;
        button.textContent = label;
      };
      const play = () => {
        button.style.minWidth = `${Math.ceil(button.getBoundingClientRect().width)}px`; // the row keeps its place
        begin();
        if (calm()) return;
        timer = setInterval(() => (card.isConnected && !ended() ? next() : stop()), pace);
        button.textContent = say("Pause");
      };
      const button = fig.button(label, () => (timer === null ? play() : stop()), { primary: true });
      return { button, stop };
    },

    more() {
      const rest = html("div", { class: "ab-rest" });
      const attributes = { type: "button", class: "ab-button ab-more", "aria-expanded": "false" };
      const button = html("button", { ...attributes, text: say("More settings") });
      button.onclick = () => {
        const open = rest.classList.toggle("ab-open");
        button.setAttribute("aria-expanded", open);
        button.textContent = open ? say("Fewer settings") : say("More settings");
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
        text: say("Reset"),
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
      const sentences = closeUp(text ?? "");
      said.hidden = !sentences;
      if (said.textContent !== sentences) said.textContent = sentences;
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
