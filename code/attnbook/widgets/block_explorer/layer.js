/* The drawing of a layer, whose norm and sum can be moved and taken out. */

const HEIGHT = 466;
const calm = () => globalThis.matchMedia && matchMedia("(prefers-reduced-motion: reduce)").matches;

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
      event.preventDefault();
      event.stopPropagation(); // JupyterLab has shortcuts of its own
      act();
    },
  };
}

function box(g, key, x, y, wide, text, { solid = false, ...attrs } = {}) {
  g.rect(key, x - wide / 2, y - 14, wide, 28, {
    rx: 7,
    fill: solid ? COLOUR.accent : COLOUR.ground,
    stroke: solid ? COLOUR.accent : COLOUR.ink,
    "stroke-width": 1.6,
    ...attrs,
  });
  g.text(`${key}-text`, x, y + 4.5, text, {
    size: 13,
    anchor: "middle",
    weight: 600,
    colour: solid ? COLOUR.onAccent : COLOUR.ink,
    "pointer-events": "none",
  });
}

function drawBlock(p, view, rewire) {
  const { norm, residual, depth, place } = view;
  const [main, side] = [p.width / 2 - 58, p.width / 2 + 54];
  const starts = [HEIGHT - 66, HEIGHT - 218]; // where the side branches leave, from below
  const [join, before, after] = [-102, -31, -130]; // of the sum and of the two places for a norm, above a start
  const [top, lastNorm] = [HEIGHT - 378, HEIGHT - 406];
  const still = calm() ? "" : "transition:transform 0.4s ease,opacity 0.3s ease";
  const heavy = { stroke: COLOUR.ink, "stroke-width": 3.5 };
  const thin = { stroke: COLOUR.muted, "stroke-width": 2 };

  p.rect("layer", main - 46, top, side - main + 104, HEIGHT - 44 - top, {
    rx: 12,
    fill: COLOUR.accent,
    "fill-opacity": 0.06,
    stroke: COLOUR.line,
    "stroke-width": 1.2,
  });
  p.text("times", side + 46, top + 24, `× ${depth}`, { size: 15, weight: 700, anchor: "end", colour: COLOUR.accent });
  p.text("in", main, HEIGHT - 6, "words + positions", { size: 12.5, anchor: "middle", colour: COLOUR.muted });
  const open = residual ? HEIGHT - 22 : starts[1] + join; // of the main line, where it leads to the top without a break
  if (!residual)
    p.path(
      "into",
      [
        [main, HEIGHT - 22],
        [main, starts[0]],
      ],
      heavy,
    );
  if (!residual)
    p.path(
      "between",
      [
        [main, starts[0] + join],
        [main, starts[1]],
      ],
      heavy,
    );
  p.arrow("up", main, open, main, 36, { colour: COLOUR.ink, width: 3.5, head: 11 });
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
    p.group(`sum${s}`, pressable("Residual sum", residual, toggle, s === 0), (g) => {
      g.add("title", "title", {}, residual ? "Cut the sum" : "Add the input back");
      g.rect("reach", main - 16, y + join - 14, 32, -join + 10, { fill: "transparent", rx: 8 });
      g.circle("plus", main, y + join, 11, {
        fill: residual ? COLOUR.ground : "transparent",
        stroke: residual ? COLOUR.ink : COLOUR.line,
        "stroke-width": 1.8,
        "stroke-dasharray": residual ? undefined : "3 3",
      });
      if (residual) g.text("sign", main, y + join + 5.5, "+", { size: 16, weight: 700, anchor: "middle" });
    });
    box(p, `sublayer${s}`, side, y - 70, 92, s ? "network" : "attention");
    [
      ["after", main, y + after],
      ["before", side, y + before],
    ].forEach(([where, x, at]) => {
      const taken = norm === where;
      const act = () => rewire({ norm: taken ? "none" : where });
      const label = `Layer norm ${where === "after" ? "after the sublayer" : "before the sublayer"}`;
      p.group(`slot-${where}${s}`, pressable(label, taken, act, s === 0), (g) => {
        g.add("title", "title", {}, taken ? "Remove the norm" : "Move the norm here");
        g.rect("ghost", x - 30, at - 14, 60, 28, {
          rx: 7,
          fill: "transparent",
          stroke: taken ? "transparent" : COLOUR.accent,
          "stroke-width": 1.4,
          "stroke-dasharray": "4 4",
          "stroke-opacity": 0.6,
        });
      });
    });
    const [x, at] = place === "after" ? [main, y + after] : [side, y + before];
    p.group(
      `norm${s}`,
      { transform: `translate(${x} ${at})`, opacity: norm === "none" ? 0 : 1, style: `pointer-events:none;${still}` },
      (g) => box(g, "box", 0, 0, 60, "norm", { solid: true }),
    );
  });
  p.group("last", { opacity: norm === "before" ? 1 : 0, style: `pointer-events:none;${still}` }, (g) =>
    box(g, "box", main, lastNorm, 60, "norm", { solid: true }),
  );
  box(p, "head", main, 20, 60, "head");
  if (norm === "before")
    p.text("lastName", main + 40, lastNorm + 4.5, "one more, at the end", { size: 12, colour: COLOUR.muted });
}
