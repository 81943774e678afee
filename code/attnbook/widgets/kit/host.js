/* Brings the stored figures of a built page to life, without a kernel, a server or a module loader.
 * A page holds boxes <div class="attnbook-figure" data-widget="name">: the state as JSON, a fallback image.
 * Each figure's script calls attnbook.register(name, { render, math }, limits); here the two meet. Whatever
 * goes wrong, the fallback image of the box stays. A classic script: file:// pages cannot load modules. */
(function () {
  "use strict";
  const widgets = {};
  const say = (text) => globalThis.attnbookWords?.[text] ?? text; // as in kit.js, which is loaded later

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

  // ---- the link to what is seen: #fig-NAME--width=0.5&query=[1,0.2], what is not as at the start -----------------
  // Of a page's second figure of one name: #fig-NAME-2. A link sets only what a reader can set, to what its trait takes
  // (`limits`, from kit/traits.py), and a figure may ask for what holds between traits: `takes(now, first)`, functions
  // of a trait's name that give its value. If anything does not fit, the figure stays as at the start, and says so.
  const nameOf = (box) => {
    const same = [...document.querySelectorAll(`.attnbook-figure[data-widget="${box.dataset.widget}"]`)];
    return `fig-${box.dataset.widget}${box === same[0] ? "" : `-${same.indexOf(box) + 1}`}`;
  };
  const cardOf = (box) => box.querySelector(".ab-card:last-of-type");
  const foldsOf = (box) => [...box.querySelectorAll("details, .ab-more")];
  const isOpen = (fold) => fold.open || fold.getAttribute("aria-expanded") === "true";
  const FOLDS = ".open"; // in place of a trait: the numbers of what is unfolded

  const BREAKS = /[\n\v\f\r\x1c-\x1e\x85\u2028\u2029]/; // what ends a line, as Python sees it
  const isLine = (text, least, most) => {
    const length = [...text].length; // characters, as Python counts them
    return least <= length && length <= most && !BREAKS.test(text);
  };

  function fits(value, limits) {
    const { among, text, least = 0, list, once, each, from = -Infinity, to = Infinity, whole = false } = limits;
    const within = (x) => from <= x && x <= to;
    if (among) return among.includes(value);
    if (text) return typeof value === "string" && isLine(value, least, text);
    if (list && (!Array.isArray(value) || !within(value.length))) return false;
    if (list) return value.every((v) => fits(v, list)) && (!once || differ(value, once));
    if (each)
      return Array.isArray(value) && value.length === each.length && each.every((one, i) => fits(value[i], one));
    return Number.isFinite(value) && within(value) && (!whole || Number.isInteger(value));
  }

  const differ = (list, parts) => new Set(list.map((v) => String([v].flat().slice(0, parts)))).size === list.length;

  const written = (name, value) => `${name}=${encodeURIComponent(JSON.stringify(value)).replaceAll("%2C", ",")}`;

  function addressOf(box) {
    const { abFirst, abSettled = {} } = cardOf(box); // abSettled: where what moves by itself will come to rest
    const now = [...abFirst.keys()].map((name) => [name, abSettled[name] ?? box.abModel.get(name)]);
    const parts = now.filter(([name, value]) => JSON.stringify(value) !== abFirst.get(name));
    const open = foldsOf(box).flatMap((fold, i) => (isOpen(fold) ? [i] : []));
    if (open.length) parts.push([FOLDS, open]);
    return `#${nameOf(box)}--${parts.map(([name, value]) => written(name, value)).join("&")}`;
  }

  // Sets what the address says, if it speaks of this figure, and returns whether it does. Throws if it does not fit.
  function restore(box) {
    const [, figure, parts = ""] = /^#(.*?)(?:--(.*))?$/.exec(location.hash) || [];
    if (figure !== nameOf(box)) return false;
    const { limits, takes } = widgets[box.dataset.widget];
    const { abFirst, abUpdate } = cardOf(box);
    for (const part of parts.split("&").filter(Boolean)) {
      const [name, text] = part.split("=", 2);
      const value = JSON.parse(decodeURIComponent(text));
      if (name === FOLDS && fits(value, { list: { whole: true } })) {
        foldsOf(box)
          .filter((fold, i) => value.includes(i) && !isOpen(fold))
          .forEach((fold) => (fold.localName === "details" ? (fold.open = true) : fold.click()));
        continue;
      }
      if (!abFirst.has(name) || !Object.hasOwn(limits, name) || !fits(value, limits[name]))
        throw new Error(`${name} cannot be ${text}`);
      box.abModel.set(name, value);
    }
    const [now, first] = [(name) => box.abModel.get(name), (name) => JSON.parse(abFirst.get(name))];
    if (takes && !takes(now, first)) throw new Error(`${parts} cannot be together`);
    abUpdate(); // at once: what cannot be drawn throws here
    return true;
  }

  const made = (tag, className, more) => Object.assign(document.createElement(tag), { className, ...more });

  function addLink(box) {
    const card = cardOf(box);
    if (!card || !card.abFirst.size) return () => {};
    const row = made("div", "ab-linked");
    const link = made("a", "ab-link", { textContent: say("Link to this state"), href: addressOf(box) });
    const said = made("span", "ab-link-said");
    said.setAttribute("role", "status");
    const field = made("input", "ab-link-text", { type: "text", readOnly: true });
    field.setAttribute("aria-label", say("Link to this state"));
    const tell = (text, shown = "") => {
      said.textContent = text;
      field.value = shown;
      if (!shown) return field.remove();
      said.after(field);
      field.select();
    };
    link.onpointerdown = link.onfocus = () => link.setAttribute("href", addressOf(box));
    link.onclick = async (event) => {
      link.setAttribute("href", addressOf(box));
      if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return; // a new tab or window
      event.preventDefault();
      const { href } = link;
      history.replaceState(null, "", href); // a reload shows the same
      try {
        await navigator.clipboard.writeText(href);
        tell(say("Copied: a link to what you see"));
      } catch {
        tell(say("The link to what you see, to copy:"), href);
      }
    };
    box.abModel.on("change", () => said.textContent && tell(""));
    row.append(said, link);
    card.append(row);
    return tell;
  }

  // Renders a figure as it is at the start, then as the address wants it; shows it if that comes from a link.
  function render(box) {
    const widget = widgets[box.dataset.widget];
    const begin = () => {
      if (box.abStop) box.abStop();
      if (box.abElement) box.abElement.remove();
      box.abModel = makeModel(JSON.parse(box.querySelector('script[type="application/json"]').textContent));
      box.abElement = document.createElement("div");
      box.append(box.abElement); // in the page before render, so that the figure can measure its width
      box.abStop = widget.render({ model: box.abModel, el: box.abElement });
      return addLink(box);
    };
    begin();
    try {
      if (!cardOf(box) || !restore(box)) return;
    } catch {
      begin()(say("This link does not fit the figure, which is as at the start."));
    }
    setTimeout(() => box.scrollIntoView());
  }

  function hydrate(box) {
    if (!widgets[box.dataset.widget] || box.abTried) return;
    box.abTried = true;
    try {
      render(box);
      box.classList.add("ab-live");
      window.addEventListener("hashchange", () => `${location.hash}--`.startsWith(`#${nameOf(box)}--`) && render(box));
    } catch (error) {
      if (box.abElement) box.abElement.remove();
      console.error(`The figure ${box.dataset.widget} stays a picture:`, error);
    }
  }

  function hydrateAll() {
    document.querySelectorAll(".attnbook-figure[data-widget]").forEach(hydrate);
  }

  window.attnbook = {
    widgets,
    modules: {}, // what the scripts of the kit give to those of the figures
    register(name, widget, limits = {}) {
      widgets[name] = { ...widget, limits };
      if (document.readyState !== "loading") hydrateAll();
    },
  };
  document.addEventListener("DOMContentLoaded", hydrateAll);
})();
