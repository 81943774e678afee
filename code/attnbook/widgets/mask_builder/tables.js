/* The two tables, of scores and of weights, and one row of weights under each of the policies. */

import { COLOUR, fmt, range, say, sum } from "../kit/kit.js";
import { NARROW } from "../kit/paint.js";
import { drawCell, drawKeys, drawSum, tableSizes } from "./drawing.js";
import { POLICIES, POLICY_NOTES, POLICY_SHORT, weightText } from "./maths.js";

export function tableHeight(width, tokens) {
  const size = tableSizes(width, tokens);
  return size.top + tokens.length * size.down + 8;
}

export function drawTable(p, view, act, { name, title, note, editable }) {
  const { tokens } = view;
  const n = tokens.length;
  const size = tableSizes(p.width, tokens);
  const hatch = p.hatch("hatch");
  const scoresTable = name === "score";
  p.text("title", 0, 15, title, { weight: 650, size: 14 });
  p.text("note", 0, 33, note, { size: 12, colour: COLOUR.muted });
  p.text("queries", 0, size.top - 9, say("query"), { size: 12, italic: true, colour: COLOUR.query });
  drawKeys(p, size, tokens);
  tokens.forEach((token, i) => {
    p.text(`query${i}`, size.left - 8, size.top + (i + 0.5) * size.down + 4.5, token, {
      anchor: "end",
      colour: COLOUR.query,
    });
  });
  const all = { id: `${act.ids}-${name}`, role: editable ? "grid" : undefined };
  if (editable) {
    const [i, j] = view.cell;
    Object.assign(all, {
      tabindex: 0,
      "data-handle": "grid",
      "data-control": "grid",
      onkeydown: act.onKey,
      "aria-label": say("Scores and mask: queries down, keys across"),
      "aria-activedescendant": `${act.ids}-${name}-${i}-${j}`,
      style: "touch-action:manipulation",
    });
  }
  p.group("all", all, (table) =>
    range(n).forEach((i) =>
      table.group(`row${i}`, { role: editable ? "row" : undefined }, (row) => {
        range(n).forEach((j) => {
          const [x, y] = [size.left + j * size.cell, size.top + i * size.down];
          const masked = !view.mask[i][j];
          const weight = view.weights[i][j];
          const score = view.scores[i][j];
          const [query, key] = [tokens[i], tokens[j]];
          const words = masked
            ? say`query ${query}, key ${key}: score ${fmt(score, 1)}, masked, weight ${weightText(weight)}`
            : say`query ${query}, key ${key}: score ${fmt(score, 1)}, may attend, weight ${weightText(weight)}`;
          row.group(
            `cell${j}`,
            {
              ...act.cellEvents(i, j, editable),
              id: `${act.ids}-${name}-${i}-${j}`,
              "data-handle": `${name}-${i}-${j}`,
              role: editable ? "gridcell" : undefined,
              "aria-label": editable ? words : undefined,
              "aria-selected": editable ? String(view.cell[0] === i && view.cell[1] === j) : undefined,
            },
            (g) => {
              drawCell(g, `${name}-${i}-${j}`, x, y, size.cell, size.down, {
                weight,
                masked,
                hatch,
                plain: scoresTable,
                text: scoresTable ? fmt(score, 1) : weightText(weight),
              });
              if (scoresTable && view.byHand.has(`${i}-${j}`))
                g.circle("hand", x + 7, y + 7, 3, { fill: COLOUR.accent });
            },
          );
        });
      }),
    ),
  );
  const [ci, cj] = view.cell;
  p.rect("chosen", size.left + cj * size.cell + 1, size.top + ci * size.down + 1, size.cell - 2, size.down - 2, {
    fill: "none",
    stroke: COLOUR.accent,
    "stroke-width": 2.5,
    rx: 3,
    "pointer-events": "none",
  });
  if (scoresTable) return;
  p.text("sum", size.right + 27, size.top - 9, say("sum"), {
    anchor: "middle",
    size: 12,
    italic: true,
    colour: COLOUR.muted,
  });
  view.weights.forEach((row, i) =>
    drawSum(p, `sum-${i}`, size.right + 23, size.top + (i + 0.5) * size.down + 4.5, sum(row)),
  );
}

const policySizes = (width, tokens) =>
  tableSizes(width, tokens, { left: width < NARROW ? 108 : 150, rowHeight: 34, top: width < NARROW ? 46 : 50 });
export const policyHeight = (width, tokens) => policySizes(width, tokens).top + 4 * 34 + 10;

// One row of weights under each of the policies; choose(policy) hears of a press.
export function drawPolicies(p, view, choose) {
  const { tokens } = view;
  const size = policySizes(p.width, tokens);
  const hatch = p.hatch("hatch");
  p.text("title", 0, 15, say`One row, four policies: query “${view.rowName}”`, { weight: 650, size: 14 });
  drawKeys(p, size, tokens);
  p.text("sum", size.right + 27, size.top - 9, say("sum"), {
    anchor: "middle",
    size: 12,
    italic: true,
    colour: COLOUR.muted,
  });
  view.policies.forEach((row, k) => {
    const [name, label] = POLICIES[k];
    const used = name === view.policy;
    const y = size.top + k * 34;
    p.text(`name${k}`, size.left - 10, y + 21, p.narrow ? POLICY_SHORT[k] : label, {
      anchor: "end",
      weight: used ? 700 : 400,
      size: 13,
    });
    p.rect(`reach${k}`, 0, y, size.left - 4, 34, {
      fill: "transparent",
      cursor: "pointer",
      "data-handle": name,
      onclick: () => choose(name),
    });
    row.forEach((weight, j) =>
      drawCell(p, `${name}-${j}`, size.left + j * size.cell, y, size.cell, 34, {
        weight,
        masked: !view.mask[view.cell[0]][j],
        hatch,
        text: weightText(weight),
      }),
    );
    drawSum(p, `sum-${name}`, size.right + 23, y + 21.5, sum(row));
    if (p.width - size.right > 280)
      p.text(`note${k}`, size.right + 66, y + 21, POLICY_NOTES[k], { size: 12.5, colour: COLOUR.muted });
  });
  const top = size.top + 34 * POLICIES.findIndex(([name]) => name === view.policy);
  p.rect("used", size.left - 1, top - 1, size.cell * tokens.length + 2, 36, {
    fill: "none",
    stroke: COLOUR.accent,
    "stroke-width": 2.5,
    rx: 3,
    "pointer-events": "none",
  });
}
