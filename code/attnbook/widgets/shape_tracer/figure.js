/* The shape tracer: the six tensors of multi-head attention, drawn cell by cell.
 * A cell is named by where it was after the projection: the letter of its position, the number of its feature. */

const STEPS = ["project", "split", "transpose", "attend", "merge", "W_O"];
const POSITIONS = [2, 3, 4, 5, 6];
const SIZES = [4, 6, 8, 12];
const HEADS = [1, 2, 3, 4];
const LOOKS = [
  ["#E69F00", "circle"],
  ["#1B9FC4", "square"],
  ["#B0559B", "triangle"],
  ["#7F9F1C", "diamond"],
]; // of the heads

// ---- the mathematics -----------------------------------------------------------------------------

// (T, D) → (H, T, D/H): head h holds features h·D/H … (h + 1)·D/H − 1 of every position.
function splitHeads(x, H) {
  const Dh = x[0].length / H;
  return range(H).map((h) => x.map((row) => row.slice(h * Dh, (h + 1) * Dh)));
}

const mergeHeads = (x) => x[0].map((_, t) => x.flatMap((head) => head[t]));

// The wrong way to the same shape: the numbers stay in the order of memory and are only cut anew.
function viewHeads(x, H) {
  const [T, Dh] = [x.length, x[0].length / H];
  const flat = x.flat();
  return range(H).map((h) => range(T).map((t) => flat.slice((h * T + t) * Dh, (h * T + t + 1) * Dh)));
}

// Where the number of position t and feature f is after each step; null stands for a whole axis.
function trace(t, f, { T, D, H, wrong }) {
  const Dh = D / H;
  const memory = t * D + f;
  const split = [0, t, Math.floor(f / Dh), f % Dh]; // (B, T, H, Dh)
  const headed = wrong
    ? [0, Math.floor(memory / (T * Dh)), Math.floor(memory / Dh) % T, memory % Dh]
    : [0, split[2], t, split[3]]; // (B, H, T, Dh)
  const [, h, row, column] = headed;
  return [[0, t, f], wrong ? headed : split, headed, headed, [0, row, h * Dh + column], [0, row, null]];
}

const traceAll = (size) => range(size.T).map((t) => range(size.D).map((f) => trace(t, f, size)));

function shapesOf({ T, D, H, wrong }) {
  const headed = [1, H, T, D / H];
  return [[1, T, D], wrong ? headed : [1, T, H, D / H], headed, headed, [1, T, D], [1, T, D]];
}

// The numbers (positions, features) that are in a place of (H, T, Dh) where they do not belong.
function misplaced(size) {
  const right = { ...size, wrong: false };
  return range(size.T)
    .flatMap((t) => range(size.D).map((f) => [t, f]))
    .filter(([t, f]) => String(trace(t, f, size)[2]) !== String(trace(t, f, right)[2]));
}

const table = (seed, rows, columns, scale) => {
  const drawn = seededNormals(seed, rows * columns);
  return range(rows).map((i) => range(columns).map((j) => scale * drawn[i * columns + j]));
};

// A seeded sequence and the four weights, (out, in) as in nn.Linear.
function sample(T, D) {
  const scale = 1 / Math.sqrt(D);
  const [W_q, W_k, W_v, W_o] = [1.4, 1.4, 1, 1].map((s, i) => table(i + 1, D, D, s * scale));
  return { x: table(0, T, D, 1), W_q, W_k, W_v, W_o };
}

function attend({ x, W_q, W_k, W_v, W_o }, H, wrong) {
  const linearMap = (rows, W) => rows.map((row) => W.map((w) => dot(w, row)));
  const toHeads = wrong ? viewHeads : splitHeads;
  const projected = linearMap(x, W_q);
  const [q, k, v] = [projected, linearMap(x, W_k), linearMap(x, W_v)].map((y) => toHeads(y, H));
  const weights = q.map((rows, h) =>
    rows.map((row) => softmax(k[h].map((key) => dot(row, key) / Math.sqrt(row.length)))),
  );
  const context = weights.map((rows, h) =>
    rows.map((row) => v[h][0].map((_, f) => sum(row.map((a, j) => a * v[h][j][f])))),
  );
  const merged = mergeHeads(context);
  return { projected, q, weights, context, merged, output: linearMap(merged, W_o) };
}

const furthest = (a, b) => Math.max(...a.flatMap((row, i) => row.map((v, j) => Math.abs(v - b[i][j]))));

// Nothing, or why so many heads cannot share so many features.
function divisionError(D, H) {
  if (D % H === 0) return "";
  const fit = (values, test) => values.filter(test).join(", ");
  return (
    `${D} features cannot be shared by ${H} heads: ${D} / ${H} is not a whole number. ` +
    `Take ${fit(HEADS, (h) => D % h === 0)} heads, or ${fit(SIZES, (d) => d % H === 0)} features.`
  );
}

// ---- where things stand --------------------------------------------------------------------------

const TOP = 92; // of the cells: title, code, names of the heads, numbers of the columns
const LABEL = 20; // width of a column of row labels
const WEIGHT = 30; // width of a cell of the weights

// The place of every block of cells at a step: a whole table, or one block a head; and the total height.
function blocksOf(step, width, size) {
  const { T, D, H, wrong } = size;
  const Dh = D / H;
  const tall = 32;
  const gap = width < NARROW ? 6 : 10;
  const wide = clamp(Math.floor((width - LABEL - gap * (H - 1)) / D), 22, 58);
  if (step === 0 || step > 3) {
    // (B, T, D)
    const left = Math.max(LABEL, (width - D * wide) / 2);
    return {
      wide,
      tall,
      height: TOP + T * tall + 6,
      place: ([, t, f]) => [left + f * wide, TOP + t * tall],
      blocks: range(H).map((h) => ({ left: left + h * Dh * wide, top: TOP, head: h, labels: h === 0, first: h * Dh })),
    };
  }
  if (step === 1 && !wrong) {
    // (B, T, H, Dh): each row in pieces
    const left = Math.max(LABEL, (width - D * wide - gap * (H - 1)) / 2);
    const lefts = range(H).map((h) => left + h * (Dh * wide + gap));
    return {
      wide,
      tall,
      height: TOP + T * tall + 6,
      place: ([, t, h, f]) => [lefts[h] + f * wide, TOP + t * tall],
      blocks: lefts.map((x, h) => ({ left: x, top: TOP, head: h, labels: h === 0, first: 0 })),
    };
  }
  const attending = step === 3; // (B, H, T, Dh), with the weights (B, H, T, T) beside it while attending
  const twoInRow = Math.floor(((width - 22) / 2 - LABEL - T * WEIGHT - 26) / Dh); // cells narrow enough for two heads
  const cellWide = attending ? Math.min(wide, H > 1 && twoInRow >= 26 ? twoInRow : 38, 38) : wide;
  const beside = attending && LABEL + T * WEIGHT + 26 + Dh * cellWide <= width;
  const shift = beside ? T * WEIGHT + 26 : 0;
  const drop = attending && !beside ? T * tall + 24 : 0;
  const across = LABEL + Math.max(shift + Dh * cellWide, attending ? T * WEIGHT : 0);
  const down = drop + T * tall + 52;
  const fit = Math.max(1, Math.min(H, Math.floor((width + 22) / (across + 22))));
  const inRow = Math.ceil(H / Math.ceil(H / fit)); // four heads of which three would fit stand two by two
  const start = Math.max(0, (width - inRow * across - (inRow - 1) * 22) / 2);
  const blocks = range(H).map((h) => {
    const [x, y] = [start + (h % inRow) * (across + 22) + LABEL, TOP + Math.floor(h / inRow) * down];
    return { left: x + shift, top: y + drop, weightsLeft: x, weightsTop: y, head: h, labels: !beside, first: 0 };
  });
  return {
    wide: cellWide,
    tall,
    blocks,
    height: TOP + Math.ceil(H / inRow) * down - 46,
    place: ([, h, t, f]) => [blocks[h].left + f * cellWide, blocks[h].top + t * tall],
  };
}

// ---- the drawing ---------------------------------------------------------------------------------

const letter = (t) => "abcdef"[t];
const shapeText = (shape) => `(${shape.join(", ")})`;
const indexText = (index) => `[${index.map((i) => (i === null ? ":" : i)).join(", ")}]`;
const short = (a, digits = 2) => fmt(a, digits).replace(/^(−?)0\./, "$1."); // ".25": what fits a narrow cell

function codeOf(step, { T, D, H, wrong }) {
  const Dh = D / H;
  return [
    "q = W_q(x)",
    wrong ? `q = q.view(1, ${H}, ${T}, ${Dh})` : `q = q.view(1, ${T}, ${H}, ${Dh})`,
    wrong ? "# q.transpose(1, 2) is left out" : "q = q.transpose(1, 2)",
    "context, weights = attention(q, k, v)",
    `y = context.transpose(1, 2).reshape(1, ${T}, ${D})`,
    "output = W_o(y)",
  ][step];
}

function axesOf(step, wrong) {
  return ["B, T, D", wrong ? "B, H, T, Dₕ" : "B, T, H, Dₕ", "B, H, T, Dₕ", "B, H, T, Dₕ", "B, T, D", "B, T, D"][step];
}

// The six steps as a row of cards (three by two on a phone): name, shape, and where the followed number is.
function drawSteps(p, view, fig) {
  const columns = p.narrow ? 3 : 6;
  const [gap, tall] = [p.narrow ? 8 : 12, 66];
  const wide = (p.width - gap * (columns - 1)) / columns;
  STEPS.forEach((name, i) => {
    const [x, y] = [(i % columns) * (wide + gap), 1 + Math.floor(i / columns) * (tall + 8)];
    const now = i === view.step;
    const left = view.size.wrong && i === 2;
    p.group(`step${i}`, { cursor: "pointer", onclick: () => fig.set({ step: i }), "data-step": i }, (g) => {
      g.rect("box", x + 1, y, wide - 2, tall, {
        rx: 8,
        fill: now ? COLOUR.accent : "var(--ab-panel,#f6f7fa)",
        "fill-opacity": now ? 0.13 : 1,
        stroke: now ? COLOUR.accent : COLOUR.line,
        "stroke-width": now ? 2 : 1,
      });
      g.text("name", x + wide / 2, y + 19, `${i + 1} ${name}`, {
        anchor: "middle",
        weight: now ? 700 : 600,
        size: 13,
        colour: left ? COLOUR.muted : COLOUR.ink,
        "text-decoration": left ? "line-through" : undefined,
      });
      g.text("shape", x + wide / 2, y + 38, shapeText(view.shapes[i]), { anchor: "middle", size: 12.5, mono: true });
      g.text("index", x + wide / 2, y + 56, indexText(view.path[i]), {
        anchor: "middle",
        size: 12,
        mono: true,
        colour: COLOUR.accent,
      });
      if (columns === 6 && i < 5)
        g.path(
          "next",
          [
            [x + wide + 3, y + 29],
            [x + wide + 8, y + 33],
            [x + wide + 3, y + 37],
          ],
          { stroke: COLOUR.muted, "stroke-width": 1.6 },
        );
    });
  });
}

function drawHeadings(p, view, plan) {
  const { step, size, shapes } = view;
  const { D, H } = size;
  p.text("title", 0, 15, `${step + 1} ${STEPS[step]}: ${shapeText(shapes[step])}`, { weight: 650, size: 14 });
  p.text("axes", p.width, 15, `(${axesOf(step, size.wrong)})`, {
    anchor: "end",
    size: 13,
    colour: COLOUR.muted,
    italic: true,
  });
  p.text("code", 0, 36, codeOf(step, size), { mono: true, size: 12.5, colour: COLOUR.muted });
  p.group("labels", { "aria-hidden": "true" }, (g) =>
    plan.blocks.forEach((block) => {
      const { left, top, head } = block;
      const [colour, shape] = LOOKS[head];
      const across = (D / H) * plan.wide;
      const beside = step === 3 && !block.labels;
      if (step < 5) {
        const x = step === 3 ? block.weightsLeft : left;
        const y = step === 3 && !beside ? block.weightsTop + 20 : top;
        g.line(`bar${head}`, left + 2, top - 22, left + across - 2, top - 22, {
          stroke: colour,
          "stroke-width": 3,
          "stroke-linecap": "round",
        });
        g.mark(`mark${head}`, shape, x + 6, y - 33, 4.5, { fill: colour });
        g.text(`head${head}`, x + 15, y - 28.5, across < 62 && step !== 3 ? String(head) : `head ${head}`, {
          size: 12.5,
          weight: 600,
        });
        if (step === 3) {
          if (!beside || size.T > 3)
            g.text(`weights${head}`, x + 66, y - 28.5, "weights", { size: 12.5, colour: COLOUR.muted });
          g.text(`context${head}`, left, top - (beside ? 28.5 : 7), "context", { size: 12.5, colour: COLOUR.muted });
          if (beside)
            range(size.T).forEach((j) =>
              g.text(`key${head}-${j}`, x + (j + 0.5) * WEIGHT, y - 7, letter(j), {
                size: 13,
                anchor: "middle",
                italic: true,
                colour: COLOUR.muted,
              }),
            );
        }
      }
      if (step !== 3) {
        range(D / H).forEach((f) =>
          g.text(`column${head}-${f}`, left + (f + 0.5) * plan.wide, top - 7, String(block.first + f), {
            size: 12,
            anchor: "middle",
            colour: COLOUR.muted,
          }),
        );
      }
      const rows = (key, x, y) =>
        range(size.T).forEach((t) =>
          g.text(`${key}${head}-${t}`, x - 6, y + (t + 0.5) * plan.tall + 4.5, letter(t), {
            size: 13,
            anchor: "end",
            italic: true,
            colour: COLOUR.muted,
          }),
        );
      if (step === 3) rows("row", block.weightsLeft, block.weightsTop);
      if (block.labels) rows("own", left, top);
    }),
  );
}

function drawWeights(p, view, plan) {
  const [, chosenHead, chosenRow] = view.path[3];
  p.group("weights", {}, (g) =>
    plan.blocks.forEach(({ weightsLeft, weightsTop, left, top, head, labels }) => {
      view.run.weights[head].forEach((row, i) =>
        row.forEach((a, j) => {
          const [x, y] = [weightsLeft + j * WEIGHT, weightsTop + i * plan.tall];
          g.rect(`fill${head}-${i}-${j}`, x, y, WEIGHT, plan.tall, {
            fill: weightFill(a),
            stroke: COLOUR.line,
            "stroke-width": 1,
          });
          g.text(`text${head}-${i}-${j}`, x + WEIGHT / 2, y + plan.tall / 2 + 4.5, short(a), {
            anchor: "middle",
            size: 12,
            colour: weightInk(a),
            "data-weight": `${head}-${i}-${j}`,
          });
        }),
      );
      if (head === chosenHead) {
        g.rect("row", weightsLeft, weightsTop + chosenRow * plan.tall, WEIGHT * view.size.T, plan.tall, {
          fill: "none",
          stroke: COLOUR.accent,
          "stroke-width": 2.5,
          rx: 2,
        });
      }
      if (!labels) {
        const [x, y] = [weightsLeft + view.size.T * WEIGHT, top + (view.size.T * plan.tall) / 2];
        g.arrow(`arrow${head}`, x + 7, y, left - 6, y, { colour: COLOUR.muted, head: 7 });
      }
    }),
  );
}

// One number: a colour and a mark for the head whose feature it is, a hatching where it has no business to be.
function drawCell(g, view, plan, [t, f], hatch) {
  const { step, size, run } = view;
  const [w, h] = [plan.wide, plan.tall];
  const [colour, shape] = LOOKS[Math.floor((f * size.H) / size.D)];
  const astray = view.astray.has(`${t}-${f}`) && step > 0;
  const mixed = step === 5;
  g.rect("ground", 0, 0, w, h, { fill: COLOUR.ground, stroke: COLOUR.line, "stroke-width": 1 });
  g.rect("tint", 0, 0, w, h, { fill: mixed ? COLOUR.output : colour, "fill-opacity": mixed ? 0.2 : 0.32 });
  if (astray && !mixed) {
    g.rect("hatch", 0, 0, w, h, { fill: hatch, opacity: 0.45 });
    g.rect("plate", w / 2 - 12, h / 2 - 9, 24, 18, { fill: COLOUR.ground, rx: 5, opacity: 0.85 });
  }
  if (!mixed) g.mark("mark", shape, 6, 6, 3, { fill: colour });
  const [, row, column] = view.paths[t][f][4];
  const text = mixed ? (w < 34 ? short(run.output[row][column], 1) : fmt(run.output[row][column])) : letter(t) + f;
  g.text("name", w / 2, h / 2 + 5, text, {
    anchor: "middle",
    size: w < 30 ? 12 : 13,
    "letter-spacing": w < 30 ? "-0.4" : undefined,
    weight: astray && !mixed ? 700 : 500,
    "pointer-events": "none",
  });
}

// A place in the drawing of a step from its index: an output cell stands where the merged number stood.
const placeOf = (paths, t, f, step) => paths[t][f][step === 5 ? 4 : step];

function drawTensor(p, view, fig, ids, onKey) {
  const { step, size, cell } = view;
  const plan = blocksOf(step, p.width, size);
  const hatch = p.hatch("hatch", COLOUR.ink);
  const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
  const move = view.moving && !still && !p.once() ? "transition:transform .55s cubic-bezier(.4,0,.2,1)" : "";
  const spot = (t, f) => plan.place(placeOf(view.paths, t, f, step));
  drawHeadings(p, view, plan);
  if (step === 3) drawWeights(p, view, plan);
  p.group(
    "cells",
    {
      role: "listbox",
      tabindex: 0,
      "data-handle": "cells",
      onkeydown: onKey,
      "aria-activedescendant": `${ids}-${cell.join("-")}`,
      "aria-label":
        `The numbers of the tensor after step ${step + 1}, ${STEPS[step]}; ` + "the arrow keys follow another one",
    },
    (all) =>
      range(size.T).forEach((t) =>
        range(size.D).forEach((f) => {
          const [x, y] = spot(t, f);
          const pick = () => fig.set({ cell: [t, f] });
          all.group(
            `cell-${t}-${f}`,
            {
              id: `${ids}-${t}-${f}`,
              role: "option",
              "aria-selected": String(t === cell[0] && f === cell[1]),
              "aria-label":
                `feature ${f} of position ${letter(t)}, now at ` +
                `${indexText(view.paths[t][f][step])}${step && view.astray.has(`${t}-${f}`) ? ", misplaced" : ""}`,
              "data-cell": `${t}-${f}`,
              cursor: "pointer",
              onpointermove: pick,
              onclick: pick,
              style: `transform:translate(${x.toFixed(1)}px,${y.toFixed(1)}px);${move}`,
            },
            (g) => drawCell(g, view, plan, [t, f], hatch),
          );
        }),
      ),
  );
  const [x, y] = spot(...cell);
  const start = step === 5 ? plan.place([0, view.path[5][1], 0]) : [x, y];
  p.rect("row", 0, 0, step === 5 ? plan.wide * size.D : plan.wide, plan.tall, {
    fill: "none",
    stroke: COLOUR.accent,
    "stroke-width": 3,
    rx: 3,
    "pointer-events": "none",
    style: `transform:translate(${start[0].toFixed(1)}px,${start[1].toFixed(1)}px);${move}`,
  });
}

function inWords(view) {
  const {
    step,
    size,
    cell: [t, f],
    path,
    run,
  } = view;
  const { T, D, H, wrong } = size;
  const Dh = D / H;
  const name = `${letter(t)}${f}`;
  const [, h, row] = path[3];
  const letters = (ts) =>
    ts.length === 1 ? letter(ts[0]) : `${ts.slice(0, -1).map(letter).join(", ")} and ${letter(ts.at(-1))}`;
  const inHead = [...new Set(range(T * Dh).map((m) => Math.floor((h * T * Dh + m) / D)))];
  const astray = view.astray.size > 0;
  if (step === 0)
    return (
      `${name} is feature ${f} of position ${letter(t)}. It will go to head ${Math.floor(f / Dh)}, which is to ` +
      `get features ${Dh * Math.floor(f / Dh)} to ${Dh * Math.floor(f / Dh) + Dh - 1} of every position.`
    );
  if (wrong && !astray)
    return (
      "With one head there is nothing to deal out, and so nothing to get wrong: the view without the transpose " +
      "is right."
    );
  if (wrong && step < 3) {
    return (
      `The shape is right, and no error is raised. But a view keeps the order of memory: head ${h} was to get ` +
      `${Dh} features of ${T} positions, ` +
      `and holds numbers of ${inHead.length === 1 ? "position" : "positions"} ${letters(inHead)} only. ` +
      `${step === 2 ? "The transpose that is left out would have sorted them. " : ""}${name} stands in row ` +
      `${letter(row)} of head ${h}.`
    );
  }
  if (step === 1)
    return (
      `Each row is cut into ${H} pieces of ${Dh}; nothing moves in memory. ${name} becomes number ${f % Dh} of ` +
      `piece ${h}.`
    );
  if (step === 2)
    return (
      `The head axis comes before the positions: each head is now a table of its own, ${T} positions by ${Dh} ` +
      "features, and all heads can attend in one batch."
    );
  if (step === 3) {
    const shares = run.weights[h][row].map((a) => fmt(a)).join(", ");
    return wrong
      ? `Head ${h} weighs pieces of ${letters(inHead)} as if they were ${T} positions: weights ${shares}. It ` +
          "never sees the others."
      : `Only numbers of one head meet: in row ${letter(t)}, feature ${f} becomes the average of feature ${f} of ` +
          `the values of all ${T} positions, with weights ${shares}.`;
  }
  if (step === 4) {
    return wrong
      ? `The merge is right, but it cannot repair the split: row ${letter(row)} is put together from pieces of ` +
          "other rows."
      : `The inverse of split and transpose: ${name} is back in row ${letter(t)}, column ${f}. The heads stand ` +
          "side by side and have not met yet.";
  }
  return wrong
    ? `Every output is computed from misplaced numbers. The shape ${shapeText(view.shapes[5])} gives no sign of ` +
        `it; the largest error is ${fmt(view.error)}.`
    : `W_O mixes the whole row: each of the ${D} outputs of position ${letter(row)} depends on all ${D} merged ` +
        "features. Here the heads meet for the first time.";
}

const inside = ([t, f], { T, D }) => [Math.min(t, T - 1), Math.min(f, D - 1)];

function render({ model, el }) {
  const fig = figure({
    model,
    el,
    title: "Which number goes to which head?",
    hint:
      "Step through the layer and point at a cell to follow it. Its letter is its position, its number its " +
      "feature. Keyboard: arrows on the cells.",
  });
  const ids = newId();
  const sizes = () => ({
    T: model.get("num_positions"),
    D: model.get("d_model"),
    H: model.get("num_heads"),
    wrong: model.get("wrong_order"),
  });
  let last = "";
  let shown = null;

  // The arrow keys go to the nearest cell of the drawing in their direction.
  function onKey(event) {
    const ahead = { ArrowUp: [0, -1], ArrowDown: [0, 1], ArrowLeft: [-1, 0], ArrowRight: [1, 0] }[event.key];
    if (!ahead) return;
    event.preventDefault();
    event.stopPropagation(); // JupyterLab moves between cells with the same keys
    const [size, step, [t, f]] = [sizes(), model.get("step"), model.get("cell")];
    const { place } = blocksOf(step, tensor.svg.viewBox.baseVal.width, size);
    const at = (a, b) => {
      const path = trace(a, b, size);
      return place(path[step === 5 ? 4 : step]);
    };
    const [x, y] = at(t, f);
    const ranked = range(size.T)
      .flatMap((a) => range(size.D).map((b) => [a, b]))
      .map(([a, b]) => {
        const [dx, dy] = [at(a, b)[0] - x, at(a, b)[1] - y];
        const along = dx * ahead[0] + dy * ahead[1];
        return { cell: [a, b], along, cost: along + 50 * Math.abs(dx * ahead[1] + dy * ahead[0]) };
      })
      .filter(({ along }) => along > 1)
      .sort((a, b) => a.cost - b.cost);
    if (ranked.length) fig.set({ cell: ranked[0].cell });
  }

  fig.stage({
    height: (width) => (width < NARROW ? 2 * 66 + 10 : 68),
    draw: (p, view) => drawSteps(p, view, fig),
    label: (view) =>
      `The six steps and their shapes: ${STEPS.map((name, i) => `${name} ${shapeText(view.shapes[i])}`).join(", ")}`,
  });
  const tensor = fig.stage({
    // As high as its highest step, so that the buttons below do not jump; but no large gap where only one step is high.
    height(width) {
      const heights = range(6).map((step) => blocksOf(step, width, sizes()).height);
      return Math.max(heights[model.get("step")], Math.min(Math.max(...heights), 360));
    },
    draw: (p, view) => drawTensor(p, view, fig, ids, onKey),
    label: (view) =>
      `The tensor after step ${view.step + 1}, ${STEPS[view.step]}, of shape ${shapeText(view.shapes[view.step])}`,
  });

  const go = (by) => fig.set({ step: clamp(model.get("step") + by, 0, 5) });
  fig.slider("step", { label: "Step", min: 0, max: 5, step: 1, format: (i) => `${i + 1} ${STEPS[i]}` });
  const back = fig.button("Previous", () => go(-1));
  const next = fig.button("Next", () => go(1), { primary: true });
  fig.checkbox("wrong_order", { label: "Wrong order: view as (B, H, T, Dₕ), no transpose" });

  // A choice that does not fit is refused with its reason, and the figure stays as it was.
  function sizeSelect(name, label, options) {
    const input = fig.select(name, { label, options });
    input.onchange = () => {
      const wanted = { ...sizes(), [label.at(-1)]: options[input.selectedIndex] };
      const problem = divisionError(wanted.D, wanted.H);
      refused.textContent = problem;
      refused.hidden = !problem;
      if (problem) input.selectedIndex = options.indexOf(model.get(name));
      else fig.set({ cell: inside(model.get("cell"), wanted), [name]: options[input.selectedIndex] });
    };
  }
  sizeSelect("num_positions", "Positions T", POSITIONS);
  sizeSelect("d_model", "Features D", SIZES);
  sizeSelect("num_heads", "Heads H", HEADS);
  const refused = html("p", {
    role: "alert",
    "data-value": "refused",
    hidden: true,
    style:
      "margin-top:0.5rem;padding:0.5rem 0.75rem;border:1px dashed var(--ab-key);border-left:4px solid " +
      "var(--ab-key);border-radius:8px",
  });
  fig.card.querySelector(".ab-controls").after(refused);
  fig.reset(["cell"]);

  // five in a row
  fig.card.querySelector(".ab-outputs").style.gridTemplateColumns = "repeat(auto-fit,minmax(118px,1fr))";
  fig.output("shape", { label: "shape", format: String });
  fig.output("index", { label: "followed cell", format: String });
  fig.output("number", { label: "its number", digits: 3 });
  fig.output("misplaced", { label: "misplaced cells", digits: 0, note: " " });
  fig.output("error", { label: "output error", digits: 3, note: "the largest" });
  for (const name of ["shape", "index"]) {
    // four numbers in one line
    fig.card.querySelector(`output[data-value="${name}"]`).style.cssText =
      "font-size:15.5px;line-height:1.58;white-space:nowrap";
  }
  const outOf = fig.card.querySelector('output[data-value="misplaced"]').parentElement.querySelector(".ab-note");

  return fig.start((state) => {
    const size = sizes();
    if (size.D % size.H && shown) return shown; // one of two new sizes is still on its way from the kernel
    const [step, cell] = [state("step"), inside(state("cell"), size)];
    const paths = traceAll(size);
    const layer = sample(size.T, size.D);
    const run = attend(layer, size.H, size.wrong);
    const error = furthest(run.output, attend(layer, size.H, false).output);
    const astray = new Set(misplaced(size).map((at) => at.join("-")));
    const now = JSON.stringify([step, size]);
    const path = paths[cell[0]][cell[1]];
    const [, row, column] = path[4];
    shown = { size, step, cell, paths, path, run, error, astray, shapes: shapesOf(size), moving: now !== last };
    last = now;
    back.disabled = step === 0;
    next.disabled = step === 5;
    outOf.textContent = `of ${size.T * size.D}`;
    fig.show({
      shape: shapeText(shown.shapes[step]),
      index: indexText(path[step]),
      misplaced: astray.size,
      error,
      number: step < 3 ? run.projected[cell[0]][cell[1]] : (step === 5 ? run.output : run.merged)[row][column],
    });
    fig.say(inWords(shown));
    return shown;
  });
}

export default {
  render,
  math: { splitHeads, mergeHeads, viewHeads, traceAll, shapesOf, misplaced, sample, attend, divisionError },
};
