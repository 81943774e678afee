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
