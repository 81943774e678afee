/* The six steps, and the tensor of the chosen one as cells. */

import { calm, COLOUR, fmt, range, say, weightFill, weightInk } from "../kit/kit.js";
import { blocksOf, LOOKS, STEPS, WEIGHT } from "./maths.js";

export const letter = (t) => "abcdef"[t];
export const shapeText = (shape) => `(${shape.join(", ")})`;
export const indexText = (index) => `[${index.map((i) => (i === null ? ":" : i)).join(", ")}]`;
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
export function drawSteps(p, view, fig) {
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
        fill: now ? COLOUR.accent : COLOUR.panel,
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
      g.text("shape", x + wide / 2, y + 38, shapeText(view.shapes[i]), { anchor: "middle", size: 13, mono: true });
      g.text("index", x + wide / 2, y + 56, indexText(view.path[i]), {
        anchor: "middle",
        size: 13,
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
  const title = say("{k} {name}: {shape}", { k: step + 1, name: STEPS[step], shape: shapeText(shapes[step]) });
  p.text("title", 0, 15, title, { weight: 650, size: 14 });
  p.text("axes", p.width, 15, `(${axesOf(step, size.wrong)})`, {
    anchor: "end",
    size: 13,
    colour: COLOUR.muted,
    italic: true,
  });
  const code = codeOf(step, size);
  const said = p.width < 340 ? code.replace("y = ", "") : code;
  p.text("code", 0, 36, said, { mono: true, size: 12.5, colour: COLOUR.muted });
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
        g.text(`head${head}`, x + 15, y - 28.5, across < 62 && step !== 3 ? String(head + 1) : say`head ${head + 1}`, {
          size: 12.5,
          weight: 600,
        });
        if (step === 3) {
          if (!beside || size.T > 3)
            g.text(`weights${head}`, x + 66, y - 28.5, say("weights"), { size: 12.5, colour: COLOUR.muted });
          g.text(`context${head}`, left, top - (beside ? 28.5 : 7), say("context"), {
            size: 12.5,
            colour: COLOUR.muted,
          });
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
    size: w < 30 ? 12 : h > 40 && !mixed ? 15 : 13,
    "letter-spacing": w < 30 ? "-0.4" : undefined,
    weight: astray && !mixed ? 700 : 500,
    "pointer-events": "none",
  });
}

// A place in the drawing of a step from its index: an output cell stands where the merged number stood.
const placeOf = (paths, t, f, step) => paths[t][f][step === 5 ? 4 : step];

export function drawTensor(p, view, fig, ids, onKey) {
  const { step, size, cell } = view;
  const plan = blocksOf(step, p.width, size);
  const hatch = p.hatch("hatch", COLOUR.ink);
  const still = calm();
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
      "aria-label": say("The numbers of the tensor after step {number}, {step}; the arrow keys follow another one", {
        number: step + 1,
        step: STEPS[step],
      }),
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
                step && view.astray.has(`${t}-${f}`)
                  ? say`feature ${f} of position ${letter(t)}, now at ${indexText(view.paths[t][f][step])}, misplaced`
                  : say`feature ${f} of position ${letter(t)}, now at ${indexText(view.paths[t][f][step])}`,
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
