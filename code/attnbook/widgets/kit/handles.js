/* Points that are dragged, or moved by keyboard: p.handle of paint.js. */

import { clamp, take } from "./kit.js";

// The least and the most place, [x, y]: what is given, or else the ends of the scales.
export function handleLimits({ x, y, min, max }) {
  const ends = (pick) =>
    [x, y].map((scale) => (scale ? pick(...scale.domain) : pick === Math.min ? -Infinity : Infinity));
  return [min || ends(Math.min), max || ends(Math.max)];
}

export function makeMovable(node) {
  // reads node.abHandle at each event, so that it always has the last drawing's options
  let grip = null;
  const move = (place) => {
    const { axis, at, onMove } = node.abHandle;
    const [low, high] = handleLimits(node.abHandle);
    const next = place.map((v, i) =>
      (axis === "x" && i === 1) || (axis === "y" && i === 0) ? at[i] : clamp(v, low[i], high[i]),
    );
    if (next[0] !== at[0] || next[1] !== at[1]) onMove(next);
  };
  // Inside an SVG Chromium does not heed `touch-action`: without this a finger would scroll the page instead.
  node.addEventListener("touchstart", (event) => event.preventDefault(), { passive: false });
  node.onpointerdown = (event) => {
    if (event.button !== 0) return;
    const { where, px, py } = node.abHandle;
    const [ex, ey] = where(event);
    grip = [px - ex, py - ey]; // so that the point does not jump to the pointer
    node.setPointerCapture(event.pointerId);
    node.focus({ preventScroll: true });
    event.preventDefault();
  };
  node.onpointermove = (event) => {
    if (!grip) return;
    const { where, x, y, at } = node.abHandle;
    const [ex, ey] = where(event);
    move([x ? x.invert(ex + grip[0]) : at[0], y ? y.invert(ey + grip[1]) : at[1]]);
  };
  node.onpointerup = node.onpointercancel = () => {
    if (grip && node.abHandle.onEnd) node.abHandle.onEnd();
    grip = null;
  };
  node.onkeydown = (event) => {
    const { axis, at, step = 0.1 } = node.abHandle;
    const [sx, sy] = (Array.isArray(step) ? step : [step, step]).map((s) => s * (event.shiftKey ? 5 : 1));
    const one = axis === "y" ? [0, sy] : [sx, 0];
    const up = axis === "x" ? [sx, 0] : [0, sy];
    const [low, high] = handleLimits(node.abHandle);
    const by = { ArrowRight: one, ArrowLeft: one.map((v) => -v), ArrowUp: up, ArrowDown: up.map((v) => -v) }[event.key];
    const to = axis === "both" ? null : { Home: low, End: high }[event.key];
    if (!by && !to) return;
    take(event);
    // Rounded, because 0.1 + 0.2 would otherwise show in what the figure stores.
    move(to || at.map((v, i) => Number((v + by[i]).toPrecision(12))));
    if (node.abHandle.onEnd) node.abHandle.onEnd();
  };
}
