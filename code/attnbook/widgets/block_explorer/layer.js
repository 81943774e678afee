/* The drawing of a layer, whose norm and sum can be moved and taken out. */

import { calm, COLOUR, say, take } from "../kit/kit.js";

// Where the parts of the layer are: beside the charts on a desk, and closer together beside them on a phone. `join`,
// `sub`, `before` and `after` are measured upwards from where a side branch leaves; `starts`, `top`, `last` from below.
const WIDE = { height: 440, main: 58, side: 170, half: 14, norm: 60, sublayer: 92, size: 13, head: 20, bottom: 40 };
Object.assign(WIDE, { starts: [58, 198], join: 94, sub: 64, before: 28, after: 121, top: 345, last: 371, rim: 50 });
const SMALL = { height: 352, main: 28, side: 96, half: 12, norm: 46, sublayer: 72, size: 12.5, head: 14, bottom: 24 };
Object.assign(SMALL, { starts: [36, 152], join: 74, sub: 50, before: 20, after: 97, top: 269, last: 287, rim: 40 });
export const isSmall = (width) => width < 560;
export const shapeAt = (width) => (isSmall(width) ? SMALL : WIDE);
// then come the charts
export const layerWide = (width) => (isSmall(width) ? 148 : Math.max(236, Math.round(0.3 * width)));

function pressable(label, pressed, act, first) {
  // attributes of a group that works like a button
  return {
    role: "button",
    "aria-label": label,
    "aria-pressed": String(pressed),
    cursor: "pointer",
    tabindex: first ? 0 : undefined,
    onclick: act,
    onkeydown: (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      take(event);
      act();
    },
  };
}

function box(g, key, x, y, wide, text, { half, size, solid = false }) {
  g.rect(key, x - wide / 2, y - half, wide, 2 * half, {
    rx: 7,
    fill: solid ? COLOUR.accent : COLOUR.ground,
    stroke: solid ? COLOUR.accent : COLOUR.ink,
    "stroke-width": 1.6,
  });
  g.text(`${key}-text`, x, y + 4.5, text, {
    size,
    anchor: "middle",
    weight: 600,
    colour: solid ? COLOUR.onAccent : COLOUR.ink,
    "pointer-events": "none",
  });
}

export function drawBlock(p, view, rewire) {
  const { norm, residual, depth, place } = view;
  const shape = shapeAt(p.width);
  const small = shape === SMALL;
  const { height, half, bottom, rim } = shape;
  const open = { half, size: shape.size };
  const solid = { ...open, solid: true };
  const shift = small ? 0 : (layerWide(p.width) - 236) / 2;
  const [main, side] = [shape.main + shift, shape.side + shift];
  const starts = shape.starts.map((above) => height - above); // where the side branches leave, from below
  const [join, before, after] = [-shape.join, -shape.before, -shape.after];
  const [top, lastNorm] = [height - shape.top, height - shape.last];
  const foot = height - 20;
  const still = calm() ? "" : "transition:transform 0.4s ease,opacity 0.3s ease";
  const heavy = { stroke: COLOUR.ink, "stroke-width": 3.5 };
  const thin = { stroke: COLOUR.muted, "stroke-width": 2 };
  const edge = main - (small ? 26 : 46);

  p.rect("layer", edge, top, side + rim - edge, height - bottom - top, {
    rx: 12,
    fill: COLOUR.accent,
    "fill-opacity": 0.06,
    stroke: COLOUR.line,
    "stroke-width": 1.2,
  });
  p.text("times", side + rim - 8, top + 22, `× ${depth}`, {
    size: 15,
    weight: 700,
    anchor: "end",
    colour: COLOUR.accent,
  });
  p.text("in", small ? edge : main, height - 5, say("words + positions"), {
    size: 12.5,
    anchor: small ? "start" : "middle",
    colour: COLOUR.muted,
  });
  const lines = (key, ...points) => p.path(key, points, heavy);
  if (!residual) lines("into", [main, foot], [main, starts[0]]);
  if (!residual) lines("between", [main, starts[0] + join], [main, starts[1]]);
  const from = residual ? foot : starts[1] + join; // of the main line, where it leads to the top without a break
  p.arrow("up", main, from, main, shape.head + half + 2, { colour: COLOUR.ink, width: 3.5, head: 11 });
  starts.forEach((y, s) => {
    if (!residual)
      p.line(`gone${s}`, main, y - 6, main, y + join + 6, {
        stroke: COLOUR.line,
        "stroke-width": 2,
        "stroke-dasharray": "2 6",
      });
    p.path(
      `branch${s}`,
      [
        [main, y],
        [side, y],
        [side, y + join],
        [main, y + join],
      ],
      residual ? thin : heavy,
    );
    if (residual)
      p.path(
        `tip${s}`,
        [
          [main + 11, y + join],
          [main + 20, y + join - 4.5],
          [main + 20, y + join + 4.5],
        ],
        { close: true, fill: COLOUR.muted },
      );
    const toggle = () => rewire({ residual: !residual });
    p.group(`sum${s}`, pressable(say("Residual sum"), residual, toggle, s === 0), (g) => {
      g.add("title", "title", {}, residual ? say("Cut the sum") : say("Add the input back"));
      g.rect("reach", main - 16, y + join - 14, 32, -join + 10, { fill: "transparent", rx: 8 });
      g.circle("plus", main, y + join, small ? 9.5 : 11, {
        fill: residual ? COLOUR.ground : "transparent",
        stroke: residual ? COLOUR.ink : COLOUR.line,
        "stroke-width": 1.8,
        "stroke-dasharray": residual ? undefined : "3 3",
      });
      if (residual) g.text("sign", main, y + join + 5.5, "+", { size: 16, weight: 700, anchor: "middle" });
    });
    box(p, `sublayer${s}`, side, y - shape.sub, shape.sublayer, s ? say("network") : say("attention"), open);
    [
      ["after", main, y + after],
      ["before", side, y + before],
    ].forEach(([where, x, at]) => {
      const taken = norm === where;
      const act = () => rewire({ norm: taken ? "none" : where });
      const label = where === "after" ? say("Layer norm after the sublayer") : say("Layer norm before the sublayer");
      p.group(`slot-${where}${s}`, pressable(label, taken, act, s === 0), (g) => {
        g.add("title", "title", {}, taken ? say("Remove the norm") : say("Move the norm here"));
        g.rect("ghost", x - shape.norm / 2, at - half, shape.norm, 2 * half, {
          rx: 7,
          fill: taken ? "transparent" : COLOUR.ground,
          stroke: taken ? "transparent" : COLOUR.accent,
          "stroke-width": 1.4,
          "stroke-dasharray": "4 4",
          "stroke-opacity": 0.6,
        });
        if (!taken)
          g.text("offer", x, at + 4.5, say("norm?"), {
            size: 12,
            anchor: "middle",
            colour: COLOUR.accent,
            opacity: 0.75,
          });
      });
    });
    const [x, at] = place === "after" ? [main, y + after] : [side, y + before];
    p.group(
      `norm${s}`,
      { transform: `translate(${x} ${at})`, opacity: norm === "none" ? 0 : 1, style: `pointer-events:none;${still}` },
      (g) => box(g, "box", 0, 0, shape.norm, say("norm"), solid),
    );
  });
  p.group("last", { opacity: norm === "before" ? 1 : 0, style: `pointer-events:none;${still}` }, (g) =>
    box(g, "box", main, lastNorm, shape.norm, say("norm"), solid),
  );
  box(p, "head", main, shape.head, shape.norm, say("head"), open);
  if (norm === "before")
    (small ? [say("one more,"), say("at the end")] : [say("one more, at the end")]).forEach((words, i, all) =>
      p.text(`lastName${i}`, main + shape.norm / 2 + 8, lastNorm + 4.5 + 15 * (i - (all.length - 1) / 2), words, {
        size: 12,
        colour: COLOUR.muted,
      }),
    );
}
