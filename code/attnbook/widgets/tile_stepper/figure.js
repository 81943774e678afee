/* Attention tile by tile: a running maximum, sum and average per query, and never a table. */

const WORDS = 16;
const FEATURES = 3;
const WINDOW = 4;
const SEES = ["all keys", "causal", "a window of 4"];
const TILES = [2, 4, 8, 16];
const MOST_STEPS = (WORDS / TILES[0]) ** 2;
const SIZE = 17; // of a cell, in both drawings: a query's row goes on from the one to the other
const TOP = 40;

function sample(seed) {
  // → scores, WORDS rows of WORDS, and a value for each key
  const numbers = seededNormals(seed, WORDS * (2 * FEATURES + 1));
  const vector = (i) => [...numbers.slice(i * FEATURES, (i + 1) * FEATURES)];
  return {
    scores: range(WORDS).map((i) => range(WORDS).map((j) => dot(vector(i), vector(WORDS + j)))),
    values: [...numbers.slice(2 * WORDS * FEATURES)],
  };
}

function sees(rule, i, j) {
  return rule === SEES[0] || (j <= i && i - j < (rule === SEES[1] ? WORDS : WINDOW));
}

function worthIt(rule, tile) {
  // the tiles in which something may be seen, as [first row, first column]
  const starts = range(WORDS / tile).map((n) => n * tile);
  const some = (row, column) =>
    range(tile * tile).some((n) => sees(rule, row + Math.floor(n / tile), column + (n % tile)));
  return starts.flatMap((row) => starts.filter((column) => some(row, column)).map((column) => [row, column]));
}

function after({ scores, values }, rule, tile, step) {
  // what is kept for each query; `factor`: by how much the last tile corrected it, null where it had nothing to correct
  const kept = range(WORDS).map(() => ({ most: -Infinity, total: 0, summed: 0, factor: null }));
  const read = worthIt(rule, tile).slice(0, step);
  read.forEach(([row, column], n) =>
    range(row, row + tile).forEach((i) => {
      const own = kept[i];
      const seen = range(column, column + tile).filter((j) => sees(rule, i, j));
      const most = Math.max(own.most, ...seen.map((j) => scores[i][j]));
      const factor = own.most === -Infinity ? 0 : Math.exp(own.most - most);
      const exps = seen.map((j) => Math.exp(scores[i][j] - most));
      kept[i] = {
        most,
        total: own.total * factor + sum(exps),
        summed: own.summed * factor + sum(exps.map((e, c) => e * values[seen[c]])),
        factor: n === read.length - 1 && own.most !== -Infinity ? factor : null,
      };
    }),
  );
  return kept;
}

const average = ({ total, summed }) => (total > 0 ? summed / total : null);

function render({ model, el }) {
  const fig = figure({
    model,
    el,
    title: "Attention without a table",
    hint: "Read the table tile by tile. What is left of a tile is one correction of each row's average.",
  });
  let timer = null;
  const total = () => worthIt(fig.get("sees"), fig.get("tile")).length;
  const done = () => Math.min(fig.get("step"), total());
  const go = (step) => fig.set({ step: clamp(step, 0, total()) });

  function stop() {
    clearInterval(timer);
    timer = null;
    playing.textContent = "Play";
  }

  function play() {
    if (timer) {
      stop();
      return;
    }
    if (done() === total()) go(0);
    playing.textContent = "Pause";
    timer = setInterval(() => {
      go(done() + 1);
      if (done() === total()) stop();
    }, 450);
  }

  function drawTable(p, view) {
    const left = 26;
    const hatch = p.hatch("hatch");
    p.text("keys", left, TOP - 10, "keys →", { size: 12.5, colour: COLOUR.key });
    p.text("queries", 12, TOP + 2, "queries →", { size: 12.5, colour: COLOUR.query, rotate: 90 });
    range(WORDS).forEach((i) =>
      range(WORDS).forEach((j) => {
        const [x, y] = [left + j * SIZE, TOP + i * SIZE];
        const state = view.cells[i][j];
        p.rect(`c${i}-${j}`, x, y, SIZE, SIZE, {
          fill: state.now ? weightFill(state.exp) : state.hidden ? hatch : state.read ? COLOUR.grid : "transparent",
          stroke: COLOUR.line,
          "stroke-width": 0.5,
        });
      }),
    );
    const n = view.tile;
    range(WORDS / n + 1).forEach((k) => {
      const at = k * n * SIZE;
      p.line(`h${k}`, left, TOP + at, left + WORDS * SIZE, TOP + at, { stroke: COLOUR.muted, "stroke-width": 1 });
      p.line(`v${k}`, left + at, TOP, left + at, TOP + WORDS * SIZE, { stroke: COLOUR.muted, "stroke-width": 1 });
    });
    if (view.current)
      p.rect("now", left + view.current[1] * SIZE, TOP + view.current[0] * SIZE, n * SIZE, n * SIZE, {
        fill: "none",
        stroke: COLOUR.accent,
        "stroke-width": 3,
      });
  }

  function drawAverages(p, view) {
    const x = linear(view.reach, [10, p.width - 62]);
    p.text("title", 10, TOP - 26, "average of the values", { size: 12.5, colour: COLOUR.output });
    p.text("times", p.width - 4, TOP - 26, "corrected by", { size: 12.5, anchor: "end" });
    view.kept.forEach((kept, i) => {
      const y = TOP + (i + 0.5) * SIZE;
      p.line(`base${i}`, x.range[0], y, x.range[1], y, { stroke: COLOUR.grid, "stroke-width": 1 });
      const exact = clamp(x(view.exact[i]), ...x.range);
      p.line(`exact${i}`, exact, y - 0.42 * SIZE, exact, y + 0.42 * SIZE, { stroke: COLOUR.ink, "stroke-width": 2 });
      if (average(kept) !== null)
        p.circle(`dot${i}`, clamp(x(average(kept)), ...x.range), y, 5, {
          fill: COLOUR.output,
          stroke: COLOUR.ink,
          "stroke-width": 0.8,
        });
      if (kept.factor !== null)
        p.text(`factor${i}`, p.width - 4, y + 4, `× ${fmt(kept.factor, 2)}`, {
          size: 12.5,
          anchor: "end",
          weight: kept.factor < 1 ? 650 : undefined,
        });
    });
    p.legend("legend", 10, p.height - 10, [
      { label: "so far", colour: COLOUR.output, mark: "circle" },
      { label: "exact", colour: COLOUR.ink, mark: "line" },
    ]);
  }

  const height = TOP + WORDS * SIZE + 28;
  fig.stage({
    height,
    basis: 300,
    grow: 5,
    draw: drawTable,
    label: (view) => `Table of 16 queries and 16 keys in tiles of ${view.tile} by ${view.tile}; ${view.read} read`,
  });
  fig.stage({
    height,
    basis: 300,
    grow: 4,
    draw: drawAverages,
    label: (view) => `The average of each query so far, and its exact attention; ${view.right} of 16 agree`,
  });
  fig.slider("step", {
    label: "tiles read",
    min: 0,
    max: MOST_STEPS,
    step: 1,
    format: (step) => `${Math.min(step, total())} of ${total()}`,
  });
  const playing = fig.button("Play", play, { primary: true });
  fig.button("Next tile", () => {
    if (timer) stop();
    go(done() + 1);
  });
  fig.select("tile", { label: "tile", options: TILES.map((n) => [n, `${n} × ${n}`]) });
  fig.select("sees", { label: "a query sees", options: SEES });
  fig.output("held", { label: "numbers held now", digits: 0, note: "a tile, and 3 per query" });
  fig.output("table", { label: "the whole table", digits: 0 });
  fig.output("skipped", { label: "tiles never computed", digits: 0 });
  fig.reset(["seed"]);
  fig.controlsFirst();
  const end = fig.start((state) => {
    const [tile, rule] = [state("tile"), state("sees")];
    const data = sample(state("seed"));
    const list = worthIt(rule, tile);
    const read = Math.min(state("step"), list.length);
    const kept = after(data, rule, tile, read);
    const exact = after(data, rule, tile, list.length).map(average);
    const current = read > 0 && read < list.length ? list[read - 1] : null;
    const gone = new Set(list.slice(0, read).map(String));
    const cells = range(WORDS).map((i) =>
      range(WORDS).map((j) => {
        const at = [i - (i % tile), j - (j % tile)];
        const hidden = !sees(rule, i, j);
        const now = current !== null && String(at) === String(current) && !hidden;
        const exp = now ? Math.exp(data.scores[i][j] - kept[i].most) : 0;
        return { hidden, now, read: gone.has(String(at)), exp };
      }),
    );
    const right = kept.filter((k, i) => average(k) !== null && Math.abs(average(k) - exact[i]) < 1e-9).length;
    const newBest = kept.filter((k) => k.factor !== null && k.factor < 1).length;
    const skipped = (WORDS / tile) ** 2 - list.length;
    fig.show({ held: (current ? tile * tile : 0) + (read ? 3 * WORDS : 0), table: WORDS * WORDS, skipped });
    const span = (start) => `${start + 1} to ${start + tile}`;
    fig.say(
      read === 0
        ? "Nothing has been read. Each query will keep three numbers: its largest score, a sum, and a sum with values."
        : read === list.length
          ? "All tiles have been read: every dot is on its stroke. There were never more than " +
            `${tile * tile + 3 * WORDS} numbers at a time; the table has ${WORDS * WORDS}.`
          : `Queries ${span(current[0])} meet keys ${span(current[1])}. ` +
            (newBest
              ? `In ${newBest} of the ${tile} rows a new largest score has come, and the sums so far are corrected.`
              : kept.some((k) => k.factor !== null)
                ? "No row finds a larger score than before, so nothing has to be corrected."
                : "It is the first tile of these rows: there is nothing to correct yet."),
    );
    const reach = [0.8 * Math.min(...data.values), 0.8 * Math.max(...data.values)];
    return { tile, read, kept, exact, current, cells, right, reach };
  });
  return () => {
    clearInterval(timer);
    end();
  };
}

export default { render, math: { sample, sees, worthIt, after, average } };
