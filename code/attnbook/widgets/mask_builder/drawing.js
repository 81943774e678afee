/* Sizes of the tables, names of the keys, sums, and cells. */

import { clamp, COLOUR, columns, weightFill, weightInk } from "../kit/kit.js";
import { NARROW } from "../kit/paint.js";
import { weightText } from "./maths.js";

const textWidth = (string, size = 13) => columns(string) * size * 0.6;

// Sizes of one table: tokens on two sides, a column for the sums on the right.
export function tableSizes(width, tokens, { left, rowHeight, top = 66 } = {}) {
  const longest = Math.max(...tokens.map((t) => textWidth(t, 14))); // "<" and ">" are broad
  const start = left || clamp(longest + 14, 46, 92);
  const cell = Math.floor(Math.min(54, (width - start - 50) / tokens.length));
  const slanted = longest > cell - 2;
  const lift = slanted ? Math.round(longest * 0.6) - 4 : 0;
  const down = rowHeight || (width < NARROW ? 36 : Math.max(cell, 40));
  return { left: start, top: top + lift, cell, down, slanted, right: start + cell * tokens.length };
}

export function drawKeys(p, size, tokens) {
  tokens.forEach((token, j) => {
    const x = size.left + (j + 0.5) * size.cell;
    if (size.slanted) p.text(`key${j}`, x - 4, size.top - 8, token, { rotate: -38, colour: COLOUR.keyInk });
    else p.text(`key${j}`, x, size.top - 9, token, { size: 12, anchor: "middle", colour: COLOUR.keyInk });
  });
}

export function drawSum(p, key, x, y, total) {
  const odd = !(Math.abs(total - 1) < 0.005);
  if (odd)
    p.rect(`${key}-box`, x - 19, y - 16, 46, 23, {
      fill: "none",
      stroke: COLOUR.ink,
      "stroke-dasharray": "3 2",
      rx: 5,
    });
  p.text(key, x + 4, y, weightText(total), { anchor: "middle", weight: odd ? 700 : 400, "data-sum": key });
}

// One cell: its colour says the weight, its hatching that it may not be attended to.
export function drawCell(p, key, x, y, w, h, { weight, masked, text, hatch, plain = false }) {
  const empty = plain || Number.isNaN(weight) || (masked && weight === 0);
  p.rect(`${key}-fill`, x, y, w, h, {
    fill: empty ? COLOUR.ground : weightFill(weight),
    stroke: COLOUR.line,
    "stroke-width": 1,
  });
  if (masked) p.rect(`${key}-hatch`, x, y, w, h, { fill: hatch, opacity: 0.6, "pointer-events": "none" });
  const faint = masked && (plain || weight === 0);
  const short = w < 34 && text !== "0.0" ? text.replace("0.", ".") : text;
  const nan = !plain && Number.isNaN(weight);
  if (masked) {
    // a plate behind the number, so that the hatching does not cross it
    const plate = Math.min(short.length * 7.2 + 4, w - 2);
    p.rect(`${key}-plate`, x + (w - plate) / 2, y + h / 2 - 9, plate, 18, {
      fill: empty ? COLOUR.ground : weightFill(weight),
      rx: 4,
      "pointer-events": "none",
    });
  }
  p.text(`${key}-text`, x + w / 2, y + h / 2 + 4.5, short, {
    anchor: "middle",
    size: 12.5,
    weight: nan ? 700 : undefined,
    "pointer-events": "none",
    "data-cell": key,
    colour: faint ? COLOUR.muted : empty ? COLOUR.ink : weightInk(weight),
  });
}
