/* Brings the stored figures of a built page to life, without a kernel, a server or a module loader.
 * A page holds boxes <div class="attnbook-figure" data-widget="name">: the state as JSON, a fallback image.
 * Each figure's script calls attnbook.register(name, { render, math }); here the two meet. Whatever
 * goes wrong, the fallback image of the box stays. A classic script: file:// pages cannot load modules. */
(function () {
  "use strict";
  const widgets = {};

  // What JupyterLab gives a figure as `model`, over a plain object.
  function makeModel(state) {
    const values = { ...state };
    const listeners = new Map();
    const each = (names, visit) =>
      names.split(/\s+/).forEach((name) => {
        if (!listeners.has(name)) listeners.set(name, new Set());
        visit(listeners.get(name), name);
      });
    const fire = (name, ...args) => [...(listeners.get(name) || [])].forEach((listener) => listener(...args));
    const model = {
      get: (name) => values[name],
      set(name, value) {
        if (JSON.stringify(values[name]) === JSON.stringify(value)) return;
        values[name] = value;
        fire(`change:${name}`, model, value);
        fire("change", model);
      },
      on: (names, listener) => each(names, (set) => set.add(listener)),
      off: (names, listener) =>
        names
          ? each(names, (set, name) => (listener ? set.delete(listener) : listeners.delete(name)))
          : listeners.clear(),
      save_changes() {}, // nobody to tell: there is no kernel behind a page
    };
    return model;
  }

  // A figure's state in the address: #fig-NAME--w0-4--lr-1. Each number is a place on a control's own scale, so that
  // nothing can come in that a reader could not set; what is no place on it changes nothing.
  const controls = (box) =>
    [...box.querySelectorAll("input[type=range], input[type=checkbox], select")].filter((c) => c.dataset.control);
  const kind = (c) => (c.localName === "select" ? "selectedIndex" : c.type === "range" ? "value" : "checked");
  const placeOf = (c) => (kind(c) === "value" ? Math.round((c.value - c.min) / c.step) : +c[kind(c)]);
  const addressOf = (box) =>
    [`#fig-${box.dataset.widget}`, ...controls(box).map((c) => `${c.dataset.control}-${placeOf(c)}`)].join("--");

  function restore(box) {
    const [figure, ...parts] = location.hash.slice(1).split("--");
    if (figure !== `fig-${box.dataset.widget}`) return false;
    const places = new Map(parts.map((part) => /^(.+)-(\d+)$/.exec(part) || []).map(([, name, at]) => [name, +at]));
    for (const c of controls(box)) {
      const place = places.get(c.dataset.control);
      if (place === undefined || place === placeOf(c) || c.disabled) continue;
      if (kind(c) === "selectedIndex" && (!c.options[place] || c.options[place].disabled)) continue;
      c[kind(c)] = kind(c) === "value" ? +c.min + place * c.step : kind(c) === "checked" ? place === 1 : place;
      c.dispatchEvent(new Event(kind(c) === "value" ? "input" : "change"));
    }
    return true;
  }

  function address(box) {
    const card = box.querySelector(".ab-card:last-of-type");
    if (!card || !controls(box).length) return;
    const link = document.createElement("a");
    link.className = "ab-link";
    link.textContent = "Link to this state";
    link.href = addressOf(box);
    link.onpointerdown = link.onfocus = link.onclick = () => link.setAttribute("href", addressOf(box));
    card.append(link);
    const again = () => restore(box) && setTimeout(() => restore(box)); // one control may set another's limits
    window.addEventListener("hashchange", again);
    if (again()) setTimeout(() => box.scrollIntoView());
  }

  function hydrate(box) {
    const widget = widgets[box.dataset.widget];
    if (!widget || box.abTried) return;
    box.abTried = true;
    const el = document.createElement("div");
    try {
      box.abModel = makeModel(JSON.parse(box.querySelector('script[type="application/json"]').textContent));
      box.append(el); // in the page before render, so that the figure can measure its width
      box.abStop = widget.render({ model: box.abModel, el });
      box.classList.add("ab-live");
      address(box);
    } catch (error) {
      el.remove();
      console.error(`The figure ${box.dataset.widget} stays a picture:`, error);
    }
  }

  function hydrateAll() {
    document.querySelectorAll(".attnbook-figure[data-widget]").forEach(hydrate);
  }

  window.attnbook = {
    widgets,
    register(name, widget) {
      widgets[name] = widget;
      if (document.readyState !== "loading") hydrateAll();
    },
  };
  document.addEventListener("DOMContentLoaded", hydrateAll);
})();
