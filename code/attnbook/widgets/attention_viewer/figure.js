/* The attention viewer: all heads of a model, one of them in detail, and both directions of a weight:
 * where a query looks, and who looks at a key. */
// uses stored.js, images.js, drawing.js, words.js

// The first and the last token of the page of `window` tokens that token t is on.
function pageOf(t, count, window) {
  const start = Math.min(Math.floor(t / window) * window, Math.max(0, count - window));
  return [start, Math.min(count, start + window)];
}

function render({ model, el }) {
  const fig = figure({
    model,
    el,
    title: "Where does each head look?",
    hint:
      "Look first for a column that gets much weight from all rows, and for a diagonal one step back. Then choose a " +
      "head, a query and a key: with the pointer, the arrow keys or the sliders.",
  });
  const data = model.get("data");
  const kindNow = () => data.kinds.find(({ name }) => name === model.get("kind")) || data.kinds[0];
  const sizes = data.kinds.map(sizesOf);
  const longest = Math.max(...sizes.flat());
  const note = html("p", { class: "ab-note-line", "data-value": "note" });
  const stages = fig.card.querySelector(".ab-stages");
  const overviews = html("div", { class: "ab-overviews" });
  stages.append(overviews);
  let latest = null;
  const within = (kind) => {
    const [T, S] = sizesOf(kind);
    const to = (name, low, high) => clamp(model.get(name), low, high);
    return {
      layer: to("layer", 1, kind.heads.length),
      head: to("head", 1, kind.heads[0].length),
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
  const heads = (size) => [kindNow().heads.length, kindNow().heads[0].length][size];
  const overview = stage({
    basis: 300,
    height: (width) => overviewLayout(width, [heads(0), heads(1)]).bottom + 4,
    draw: drawOverview,
    label: ({ kind }) => `Overview of ${kind.heads.length} layers of ${kind.heads[0].length} heads`,
  });
  const whole = stage({
    basis: 300,
    height: (width) => longHeight(width, sizesOf(kindNow())),
    draw: (p, view) => view.whole && drawWhole(p, view, fig),
    label: ({ layer, head }) => `The whole of layer ${layer}, head ${head}`,
  });
  overviews.append(overview.svg.parentNode, whole.svg.parentNode);
  stage({
    basis: 380,
    height: (width) => windowHeight(width, latest),
    draw: drawWindow,
    label: ({ layer, head }) => `Heat map of layer ${layer}, head ${head}`,
  });
  const lists = {
    rows: makeList("top-keys", Math.min(MOST, longest)),
    columns: makeList("top-queries", Math.min(MOST, longest)),
  };
  stages.append(html("div", { class: "ab-lists" }, lists.rows.table, lists.columns.table));
  stage({
    basis: 300,
    height: () => linesHeight(latest),
    draw: drawLines,
    label: ({ said }) => `Lines from queries to keys. ${said}`,
  });

  if (data.kinds.length > 1) fig.select("kind", { label: "attention", options: data.kinds.map(({ name }) => name) });
  const named = (labels) => (i) => `${i} ${cut(labels(kindNow())[i] ?? "", 10)}`;
  const keysOf = (kind) => kind.keys || kind.queries;
  const inputs = {
    query: fig.slider("query", { label: "query", min: 0, max: longest - 1, format: named((kind) => kind.queries) }),
    key: fig.slider("key", { label: "key", min: 0, max: longest - 1, format: named(keysOf) }),
  };
  if (longest > 8) fig.slider("window", { label: "tokens in the window", min: 8, max: 64, step: 8 });
  fig.select("shade", {
    label: "shade",
    options: [
      ["weight", "weight, 0 to 1"],
      ["root", "square root of the weight"],
    ],
  });
  fig.output("weight", { label: "weight of this pair", format: twoDigits });
  fig.output("spent", { label: "this query’s weights together", format: twoDigits });
  fig.output("received", { label: "what this key gets, on average", format: twoDigits });
  fig.reset(["layer", "head"]);
  fig.controlsFirst();
  stages.before(note); // if one of the heads has something to note, there is room for it at all of them
  note.hidden = !data.kinds.some((kind) =>
    kind.heads.some((layer, l) => layer.some((_, h) => notesOn(kind, l + 1, h + 1, kind.kept))),
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
    const colours = { ...coloursNow(fig.card), root: state("shade") === "root" };
    const name = `${kind.name} ${state("shade")} ${colours.shades[0]}`;
    const cells = partOf(kind, layer, head, rows, columns);
    const packed = kind.heads[layer - 1][head - 1];
    const [down, across] = kind.map || kind.thumb;
    Object.entries({ query: [query, T], key: [key, S] }).forEach(([name, [value, count]]) => {
      inputs[name].max = count - 1;
      inputs[name].value = value;
    });
    latest = { kind, layer, head, query, key, T, S, queries, keys, rows, columns, window, cells };
    Object.assign(latest, {
      queryLabels: queries.slice(...rows),
      keyLabels: keys.slice(...columns),
      said: inWords(latest),
      overview: image(name, () => overviewImage(kind, colours)),
      part: mapImage(cells, rows[1] - rows[0], columns[1] - columns[0], colours),
    });
    whole.svg.parentNode.hidden = longest <= 8;
    whole.svg.parentNode.classList.toggle("ab-all-there", longest <= window);
    if (longest > window) {
      const draw = () => mapImage(mapOf(packed.map || packed.thumb), down, across, colours);
      latest.whole = image(`${name} ${layer} ${head}`, draw);
    }
    note.textContent = notesOn(kind, layer, head, kind.kept);
    const top = (axis, i) => largestOf(kind, layer, head, axis, i, MOST);
    lists.rows.show(`Where query ${query} looks`, top("rows", query), keys);
    lists.columns.show(`Who looks at key ${key}`, top("columns", key), queries);
    fig.show({
      weight: weightAt(kind, layer, head, query, key),
      spent: sumOf(kind, layer, head, "rows", query),
      received: sumOf(kind, layer, head, "columns", key) / T,
    });
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

export default { render, math: { spreadOf, largestOf, partOf, sumOf, weightAt, mapOf, twoDigits, pageOf, notesOn } };
