/* Heat maps as images: one pixel per cell, or a square of them, in the colours of the present theme. */

const BARE = { grid: "#e6e9ef", line: "#c9cfd9" }; // as in figures.css, should it not be there

// The present theme's colours as [red, green, blue]: the twenty-one shades of weightFill, cells not kept, and edges.
function coloursNow(card) {
  const style = getComputedStyle(card);
  const numbers = (colour) =>
    colour[0] === "#"
      ? [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16))
      : colour.match(/\d+/g).map(Number);
  const named = (name, other) => numbers(style.getPropertyValue(name).trim() || other);
  const shades = range(21).map((i) => named(`--ab-w${i}`, weightFill(i / 20).match(/rgb\([^)]*\)/)[0]));
  return { shades, absent: named("--ab-grid", BARE.grid), edge: named("--ab-line", BARE.line) };
}

// Writes cells into the pixels of an image, each as a square; NaN stays transparent: the hatching below shows through.
function paint(image, left, top, cells, columns, { shades, absent, root }, square = 1) {
  cells.forEach((weight, n) => {
    if (Number.isNaN(weight)) return;
    const shown = clamp(root ? Math.sqrt(Math.max(0, weight)) : weight, 0, 1);
    const colour = weight === NOT_KEPT ? absent : shades[Math.round(20 * shown)];
    const [x, y] = [left + (n % columns) * square, top + Math.floor(n / columns) * square];
    for (let down = 0; down < square; down++) {
      let at = 4 * ((y + down) * image.width + x);
      for (let across = 0; across < square; across++, at += 4) {
        image.data[at] = colour[0];
        image.data[at + 1] = colour[1];
        image.data[at + 2] = colour[2];
        image.data[at + 3] = 255;
      }
    }
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

const mapImage = (cells, rows, columns, colours) =>
  imageOf(columns, rows, (image) => paint(image, 0, 0, cells, columns, colours));

const GAP = 2; // pixels between the heads of the overview, of about 64

function overviewImage(kind, colours) {
  const [rows, columns] = kind.thumb;
  const square = Math.ceil(48 / Math.max(rows, columns));
  const [high, wide] = [rows * square + GAP, columns * square + GAP];
  return imageOf(kind.heads[0].length * wide, kind.heads.length * high, (image) =>
    kind.heads.forEach((layer, l) =>
      layer.forEach((head, h) => {
        const edge = new Float32Array(high * wide);
        edge.forEach((_, n) => {
          const inside = n % wide < wide - GAP && Math.floor(n / wide) < high - GAP;
          edge[n] = inside ? NaN : NOT_KEPT;
        });
        paint(image, h * wide, l * high, edge, wide, { ...colours, absent: colours.edge });
        paint(image, h * wide, l * high, unmasked(kind, mapOf(head.thumb), columns), columns, colours, square);
      }),
    ),
  );
}

// An image over a hatched ground, its pixels as sharp squares.
function putImage(p, key, href, x, y, width, height) {
  const attrs = { x, y, width, height, preserveAspectRatio: "none", style: "image-rendering:pixelated" };
  p.add("image", key, { href, "pointer-events": "none", "aria-hidden": "true", ...attrs });
}
