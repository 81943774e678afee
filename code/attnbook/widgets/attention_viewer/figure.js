/* The attention viewer: all heads of a model, one of them in detail, and both directions of a weight:
 * where a query looks, and who looks at a key. */

import { figure } from "../kit/card.js";
import { clamp, fmt, html, say } from "../kit/kit.js";
import {
  cut, drawLines, drawOverview, drawWhole, drawWindow, FEW, isSmall, linesHeight, longHeight, overviewLayout, WIDEST,
  windowHeight,
} from "./drawing.js";
import { coloursNow, mapImage, overviewImage } from "./images.js";
import {
  averages, isCausal, isMasked, largestOf, mapOf, mapOfHead, packedOf, partOf, sizesOf, spreadOf, sumOf,
  threeDecimals, topOfCells, unmasked, weightAt,
} from "./stored.js";
import { entropyInWords, inWords, lettersOf, longestSaid, makeList, MOST, notesOn, STYLE, topOf } from "./words.js";

// The first and the last token of the page of `window` tokens that token t is on.
function pageOf(t, count, window) {
  const start = Math.min(Math.floor(t / window) * window, Math.max(0, count - window));
  return [start, Math.min(count, start + window)];
}

// Where things stand, so that columns side by side are about as high: with short sequences the lists are below the
// overview, with long ones the whole head is; the rest is below the sentence.
function arrange(card, { overview, whole, map, tables, lines }, kinds) {
  const longest = Math.max(...kinds.flatMap(sizesOf));
  const layers = Math.max(...kinds.map((kind) => kind.heads.length));
  const mapOfKind = (kind) => {
    const [[T, S], keys] = [sizesOf(kind), kind.keys || kind.queries];
    return windowHeight(500, { T, S, queries: kind.queries, keys, queryLabels: kind.queries, keyLabels: keys });
  };
  const left = Math.max(...kinds.map((kind) => overviewLayout(420, kind).bottom)) + 44 + 21.5 * Math.min(MOST, longest);
  const beside = longest <= WIDEST && left <= Math.max(...kinds.map(mapOfKind)) + 40;
  const node = (one, name) => {
    one.svg.parentNode.classList.add(name);
    return one.svg.parentNode;
  };
  const column = html("div", { class: "ab-overviews" }, node(overview, layers <= FEW ? "ab-few" : "ab-many"));
  column.firstChild.classList.add("ab-all");
  const [large, many, said] = [node(map, "ab-window"), node(lines, "ab-lines"), card.querySelector(".ab-said")];
  const one = node(whole, "ab-whole");
  if (longest > WIDEST) {
    column.append(one);
    tables.classList.add("ab-tall");
  } else {
    one.style.flex = "0 1 230px";
    one.classList.add("ab-short");
    many.classList.toggle("ab-room", longest > 8);
  }
  if (beside) column.append(tables);
  const below = longest > WIDEST ? [tables, many] : [beside ? "" : tables, one, many];
  card.querySelector(".ab-stages").append(column, large, said, ...below.filter(Boolean));
}

function render({ model, el }) {
  const fig = figure({
    model,
    el,
    title: say("Where does each head look?"),
    hint: say("Choose a head, then a query (row) and a key (column)."),
  });
  const data = model.get("data");
  const kindNow = () => data.kinds.find(({ name }) => name === model.get("kind")) || data.kinds[0];
  const sizes = data.kinds.map(sizesOf);
  const longest = Math.max(...sizes.flat());
  const note = html("p", { class: "ab-note-line", "data-value": "note" });
  const stages = fig.card.querySelector(".ab-stages");
  let latest = null;
  const within = (kind) => {
    const [T, S] = sizesOf(kind);
    const to = (name, low, high) => clamp(model.get(name), low, high);
    const nearestOf = (name, numbers) =>
      [...numbers].sort((one, other) => Math.abs(one - model.get(name)) - Math.abs(other - model.get(name)))[0];
    return {
      layer: nearestOf("layer", kind.layers),
      head: nearestOf("head", kind.head_numbers),
      query: to("query", 0, T - 1),
      key: to("key", 0, S - 1),
    };
  };
  fig.go = (query, key) => {
    const [T, S] = sizesOf(kindNow());
    fig.set({ query: clamp(query, 0, T - 1), key: clamp(key, 0, S - 1) });
  };

  fig.card.prepend(html("style", { text: STYLE }));
  const drawn = [];
  const stage = (options) => {
    drawn.push(fig.stage({ ...options, draw: (p, view) => options.draw(p, view, fig) }));
    return drawn.at(-1);
  };
  const overview = stage({
    basis: 300,
    height: (width) => overviewLayout(width, kindNow(), isSmall(kindNow().heads.length)).bottom + 4,
    draw: drawOverview,
    label: ({ kind }) => say`Overview of ${kind.heads.length} layers of ${kind.heads[0].length} heads`,
  });
  const whole = stage({
    basis: 300,
    height: (width) => longHeight(width, sizesOf(kindNow())),
    draw: (p, view) => view.whole && drawWhole(p, view, fig),
    label: ({ layer, head }) => say`The whole of layer ${layer}, head ${head}`,
  });
  const map = stage({
    basis: 380,
    height: (width) => windowHeight(width, latest),
    draw: drawWindow,
    label: ({ layer, head }) => say`Heat map of layer ${layer}, head ${head}`,
  });
  const letters = lettersOf(data.kinds);
  const lists = {
    rows: makeList("top-keys", Math.min(MOST, longest), letters),
    columns: makeList("top-queries", Math.min(MOST, longest), letters),
  };
  const tables = html("div", { class: "ab-lists" }, lists.rows.table, lists.columns.table);
  const lines = stage({
    basis: 380,
    height: () => linesHeight(latest),
    draw: drawLines,
    label: ({ said }) => say`Lines from queries to keys. ${said}`,
  });
  arrange(fig.card, { overview, whole, map, tables, lines }, data.kinds);

  if (data.kinds.length > 1)
    fig.select("kind", { label: say("attention"), options: data.kinds.map(({ name }) => name) });
  const named = (labels) => (i) => `${i} ${cut(labels(kindNow())[i] ?? "", 10)}`;
  const keysOf = (kind) => kind.keys || kind.queries;
  const ends = { min: 0, max: longest - 1 };
  const inputs = {
    query: fig.slider("query", { ...ends, label: say("query"), format: named((kind) => kind.queries) }),
    key: fig.slider("key", { ...ends, label: say("key"), format: named(keysOf) }),
  };
  fig.more();
  if (longest > 8) {
    const max = Math.min(WIDEST, longest);
    const format = (count) => String(Math.min(count, max));
    fig.slider("window", { label: say("tokens in the window"), min: 8, max, step: max < WIDEST ? 1 : 8, format });
  }
  fig.select("shade", {
    label: say("shade"),
    options: [
      ["weight", say("weight, 0 to the largest shown")],
      ["root", say("square root of the weight")],
      ["one", say("weight, 0 to 1")],
    ],
  });
  fig.output("weight", { label: say("weight of this pair"), format: threeDecimals });
  const total = (x) => (Number.isNaN(x) ? "NaN" : fmt(x));
  fig.output("spent", { label: say("this query’s weights together"), format: total });
  fig.output("entropy", { label: say("their entropy, of the largest possible") });
  fig.output("received", { label: say("what this key gets, on average"), format: threeDecimals });
  fig.reset(["layer", "head"]);
  fig.controlsFirst();
  stages.before(note); // if one of the heads has something to note, there is room for it at all of them
  note.hidden = !data.kinds.some((kind) =>
    kind.layers.some((layer) => kind.head_numbers.some((head) => notesOn(kind, layer, head, kind.kept))),
  );

  const images = new Map(); // drawn once for each kind, head, shade and theme
  const image = (key, make) => {
    if (!images.has(key)) {
      if (images.size > 60) images.clear();
      images.set(key, make());
    }
    return images.get(key);
  };

  const compute = (state) => {
    const kind = kindNow();
    const { layer, head, query, key } = within(kind);
    const [T, S] = sizesOf(kind);
    const [queries, keys] = [kind.queries, keysOf(kind)];
    const window = state("window");
    const [rows, columns] = [pageOf(query, T, window), pageOf(key, S, window)];
    const shade = state("shade");
    const colours = coloursNow(fig.card);
    const name = `${kind.name} ${shade} ${colours.shades[0]}`;
    const cells = partOf(kind, layer, head, rows, columns);
    const shown = unmasked(kind, cells, columns[1] - columns[0], rows[0], columns[0]);
    const packed = packedOf(kind, layer, head);
    const scale = (top, signed) => ({ shade, top: shade === "one" ? 1 : top, signed });
    const every = kind.heads.flat();
    const scales = {
      overview: scale(
        every.reduce((top, one) => Math.max(top, one.top), 0),
        every.some(({ signed }) => signed),
      ),
      whole: scale(packed.top, packed.signed),
      part: scale(topOfCells(shown), packed.signed),
    };
    const [down, across] = kind.map || kind.thumb;
    Object.entries({ query: [query, T], key: [key, S] }).forEach(([name, [value, count]]) => {
      inputs[name].max = count - 1;
      inputs[name].value = value;
    });
    latest = { kind, layer, head, query, key, T, S, queries, keys, rows, columns, window, cells, scales };
    Object.assign(latest, {
      queryLabels: queries.slice(...rows),
      keyLabels: keys.slice(...columns),
      said: inWords(latest),
      overview(size) {
        const most = clamp(Math.ceil(2 * size), 4, 64); // cells that a screen can still show
        return image(`${name} ${most}`, () => overviewImage(kind, { ...colours, ...scales.overview }, most));
      },
      part: mapImage(shown, rows[1] - rows[0], columns[1] - columns[0], { ...colours, ...scales.part }),
    });
    whole.svg.parentNode.classList.toggle("ab-all-there", longest <= window);
    if (longest > window) {
      const cellsOf = () => unmasked(kind, mapOfHead(packed, kind.map ? "map" : "thumb"), across);
      const draw = () => mapImage(cellsOf(), down, across, { ...colours, ...scales.whole });
      latest.whole = image(`${name} ${layer} ${head}`, draw);
    }
    note.textContent = notesOn(kind, layer, head, kind.kept);
    const top = (axis, i) => topOf(kind, layer, head, axis, i);
    const pair = weightAt(kind, layer, head, query, key);
    lists.rows.show(say`Query ${query} looks at`, top("rows", query), keys);
    lists.columns.show(say`Looking at key ${key}`, top("columns", key), queries);
    fig.show({
      weight: isMasked(kind, query, key, pair) ? say("masked") : pair,
      spent: sumOf(kind, layer, head, "rows", query),
      entropy: entropyInWords(spreadOf(kind, layer, head, query), kind, query),
      received: averages(kind, layer, head)[key],
    });
    const room = image(`${kind.name} said`, () => longestSaid(kind, { queries, keys }));
    if (room) fig.say(room);
    fig.say(latest.said);
    return latest;
  };
  const stop = fig.start(compute);
  const theme = new MutationObserver(() => {
    const view = compute((name) => model.get(name));
    drawn.forEach((one) => one.draw(view));
  });
  for (const [node, name] of [
    [document.documentElement, "data-theme"],
    [document.body, "data-jp-theme-light"],
  ])
    theme.observe(node, { attributeFilter: [name] });
  return () => {
    theme.disconnect();
    stop();
  };
}

const math = { spreadOf, largestOf, partOf, sumOf, weightAt, mapOf, threeDecimals, pageOf, notesOn, isCausal };

export default { render, math };
