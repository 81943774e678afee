/* Heat maps as images: one pixel per cell, in the colours of the present theme. */

import { clamp, html, range, signedFill, weightFill } from "../kit/kit.js";
import { mapOfHead, NOT_KEPT, smaller, unmasked } from "./stored.js";

// The present theme's colours as [red, green, blue]: the twenty-one shades of weightFill, those of negative weights,
// and cells not kept.
export function coloursNow(card) {
  const style = getComputedStyle(card);
  const numbers = (colour) =>
    colour[0] === "#"
      ? [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16))
      : colour.match(/\d+/g).map(Number);
  const named = (fill) => {
    const [, name, other] = fill.match(/^var\((--[^,]+),(.*)\)$/);
    return numbers(style.getPropertyValue(name).trim() || other);
  };
  const shades = range(21).map((i) => named(weightFill(i / 20)));
  const negative = range(21).map((i) => (i ? named(signedFill(-i / 20)) : shades[0]));
  return { shades, negative, absent: named("var(--ab-grid,#e6e9ef)") };
}

// How dark a weight is, −1 to 1, by what makes a cell dark and the largest weight that is shown.
function darkness(weight, { shade, top }) {
  const part = clamp(Math.abs(weight) / (shade === "one" ? 1 : top || 1), 0, 1);
  return Math.sign(weight) * (shade === "root" ? Math.sqrt(part) : part);
}

// Writes cells into the pixels of an image; NaN stays transparent: the hatching below shows through.
function paint(image, left, top, cells, columns, colours) {
  const { shades, negative, absent } = colours;
  cells.forEach((weight, n) => {
    if (Number.isNaN(weight)) return;
    const dark = weight === NOT_KEPT ? 0 : Math.round(20 * darkness(weight, colours));
    const colour = weight === NOT_KEPT ? absent : dark < 0 ? negative[-dark] : shades[dark];
    image.data.set([...colour, 255], 4 * ((top + Math.floor(n / columns)) * image.width + left + (n % columns)));
  });
}

function imageOf(across, down, fill) {
  const canvas = html("canvas", { width: across, height: down });
  const context = canvas.getContext("2d");
  const image = context.createImageData(across, down);
  fill(image);
  context.putImageData(image, 0, 0);
  return canvas.toDataURL();
}

export const mapImage = (cells, rows, columns, colours) =>
  imageOf(columns, rows, (image) => paint(image, 0, 0, cells, columns, colours));

// All heads, a map of at most `most` cells on a side for each. What separates them is drawn on top, in screen pixels.
export function overviewImage(kind, colours, most) {
  const [rows, columns] = kind.thumb;
  const [high, wide] = [Math.min(rows, most), Math.min(columns, most)];
  return imageOf(kind.heads[0].length * wide, kind.heads.length * high, (image) =>
    kind.heads.forEach((layer, l) =>
      layer.forEach((packed, h) => {
        const cells = unmasked(kind, mapOfHead(packed, "thumb"), columns);
        paint(image, h * wide, l * high, smaller(cells, rows, columns, most), wide, colours);
      }),
    ),
  );
}

// An image over a hatched ground, its pixels as sharp squares.
export function putImage(p, key, href, x, y, width, height) {
  const attrs = { x, y, width, height, preserveAspectRatio: "none", style: "image-rendering:pixelated" };
  p.add("image", key, { href, "pointer-events": "none", "aria-hidden": "true", ...attrs });
}
