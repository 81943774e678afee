/* The mask builder: a mask by rule or by hand, in four notations, and the weights under four policies.
 * A mask is a table of booleans, queries down, keys across; true = may attend. */

import { figure } from "../kit/card.js";
import { clamp, COLOUR, fillTrack, fmt, html, newId, range, say, sum, take } from "../kit/kit.js";
import { NARROW } from "../kit/paint.js";
import { drawCell, drawKeys, drawSum, tableSizes } from "./drawing.js";
import {
  blockRow,
  buildMask,
  CONVENTIONS,
  drawScores,
  LIMIT,
  maskCode,
  maskRule,
  nextScores,
  NOTES,
  POLICIES,
  POLICY_NOTES,
  POLICY_SHORT,
  rowWeights,
  toggleCell,
  weightsUnder,
  weightText,
} from "./maths.js";

function render({ model, el }) {
  const fig = figure({
    model,
    el,
    title: say("Who may attend to whom?"),
    hint: globalThis.matchMedia("(pointer: coarse)").matches
      ? say("Tap a cell to mask it or open it; a slider changes its score.")
      : say(
          "Click a cell to mask it or open it; drag it up or down to change its score. Keyboard: arrow keys move, " +
            "space masks or opens, + and − change the score.",
        ),
  });
  const tokens = () => model.get("tokens");
  const n = tokens().length;
  const ids = newId();
  let grip = null;

  const rules = () => [n, model.get("valid_len"), model.get("causal")];
  const toggle = (i, j) => fig.set({ cell: [i, j], edits: toggleCell(...rules(), model.get("edits"), i, j) });
  const setScore = (i, j, value) => {
    const scores = model.get("scores").map((row) => [...row]);
    scores[i][j] = Number(clamp(value, -LIMIT, LIMIT).toFixed(1));
    fig.set({ cell: [i, j], scores });
  };

  // A press that stays in place switches the cell; one that moves up or down changes its score.
  function cellEvents(i, j, editable) {
    return {
      cursor: "pointer",
      onpointerdown(event) {
        if (event.button !== 0) return;
        grip = { y: event.clientY, score: model.get("scores")[i][j], moved: false };
        if (editable && event.pointerType !== "touch") event.currentTarget.setPointerCapture(event.pointerId);
      },
      onpointermove(event) {
        if (!grip || !editable || event.pointerType === "touch") return;
        const rise = grip.y - event.clientY;
        if (Math.abs(rise) > 4) grip.moved = true;
        if (grip.moved) setScore(i, j, grip.score + Math.trunc(rise / 4) / 10);
      },
      onpointerup() {
        if (grip && !grip.moved) toggle(i, j);
        grip = null;
      },
      onpointercancel() {
        grip = null;
      },
    };
  }

  function onKey(event) {
    const [i, j] = model.get("cell");
    const to = {
      ArrowUp: [i - 1, j],
      ArrowDown: [i + 1, j],
      ArrowLeft: [i, j - 1],
      ArrowRight: [i, j + 1],
      Home: [i, 0],
      End: [i, n - 1],
    }[event.key];
    const by = { "+": 0.1, "=": 0.1, "-": -0.1, "−": -0.1, PageUp: 1, PageDown: -1 }[event.key];
    if (to) fig.set({ cell: to.map((at) => clamp(at, 0, n - 1)) });
    else if (by) setScore(i, j, model.get("scores")[i][j] + by);
    else if (event.key === " " || event.key === "Enter") toggle(i, j);
    else return;
    take(event);
  }

  const tableHeight = (width) => {
    const size = tableSizes(width, tokens());
    return size.top + n * size.down + 8;
  };

  function drawTable(p, view, { name, title, note, editable }) {
    const size = tableSizes(p.width, tokens());
    const hatch = p.hatch("hatch");
    const scoresTable = name === "score";
    p.text("title", 0, 15, title, { weight: 650, size: 14 });
    p.text("note", 0, 33, note, { size: 12, colour: COLOUR.muted });
    p.text("queries", 0, size.top - 9, say("query"), { size: 12, italic: true, colour: COLOUR.query });
    drawKeys(p, size, tokens());
    tokens().forEach((token, i) => {
      p.text(`query${i}`, size.left - 8, size.top + (i + 0.5) * size.down + 4.5, token, {
        anchor: "end",
        colour: COLOUR.query,
      });
    });
    const all = { id: `${ids}-${name}`, role: editable ? "grid" : undefined };
    if (editable) {
      const [i, j] = view.cell;
      Object.assign(all, {
        tabindex: 0,
        "data-handle": "grid",
        "data-control": "grid",
        onkeydown: onKey,
        "aria-label": say("Scores and mask: queries down, keys across"),
        "aria-activedescendant": `${ids}-${name}-${i}-${j}`,
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
            const [query, key] = [tokens()[i], tokens()[j]];
            const words = masked
              ? say`query ${query}, key ${key}: score ${fmt(score, 1)}, masked, weight ${weightText(weight)}`
              : say`query ${query}, key ${key}: score ${fmt(score, 1)}, may attend, weight ${weightText(weight)}`;
            row.group(
              `cell${j}`,
              {
                ...cellEvents(i, j, editable),
                id: `${ids}-${name}-${i}-${j}`,
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

  fig.stage({
    label: say("Table of scores, queries down and keys across; masked cells are hatched"),
    basis: 100 + 36 * n,
    height: tableHeight,
    draw: (p, view) =>
      drawTable(p, view, {
        name: "score",
        editable: true,
        title: say("Scores eᵢⱼ"),
        note: view.byHand.size ? say("hatched: masked · dot: set by hand") : say("hatched: masked"),
      }),
  });
  fig.stage({
    label: (view) =>
      say`Table of weights; the rows sum to ${view.weights.map((row) => weightText(sum(row))).join(", ")}`,
    basis: 100 + 36 * n,
    height: tableHeight,
    draw: (p, view) =>
      drawTable(p, view, {
        name: "weight",
        editable: false,
        title: say("Weights αᵢⱼ"),
        note: say`mask applied by: ${view.policyText}`,
      }),
  });

  const policySizes = (width) =>
    tableSizes(width, tokens(), { left: width < NARROW ? 108 : 150, rowHeight: 34, top: width < NARROW ? 46 : 50 });
  fig.stage({
    basis: 158 + 30 * n,
    label: (view) =>
      say("The row of query {name} under four policies: {rows}", {
        name: view.rowName,
        rows: view.policies
          .map((row, k) => {
            const weights = row.map((a) => weightText(a)).join(say(", "));
            return say("{policy} {weights}", { policy: POLICIES[k][1], weights });
          })
          .join(say("; ")),
      }),
    height: (width) => policySizes(width).top + 4 * 34 + 10,
    draw(p, view) {
      const size = policySizes(p.width);
      const hatch = p.hatch("hatch");
      p.text("title", 0, 15, say`One row, four policies: query “${view.rowName}”`, { weight: 650, size: 14 });
      drawKeys(p, size, tokens());
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
          onclick: () => fig.set({ policy: name }),
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
      p.rect("used", size.left - 1, top - 1, size.cell * n + 2, 36, {
        fill: "none",
        stroke: COLOUR.accent,
        "stroke-width": 2.5,
        rx: 3,
        "pointer-events": "none",
      });
    },
  });

  fig.slider("valid_len", { label: say("Valid length"), min: 0, max: n, step: 1 });
  fig.checkbox("causal", { label: say("Causal: no looking ahead") });
  fig.more();
  fig.select("policy", { label: say("Mask by"), options: POLICIES });

  const scoreNow = html("output", { class: "ab-now", "data-value": "score" });
  const score = html("input", { type: "range", min: -LIMIT, max: LIMIT, step: 0.1 });
  score.oninput = () => setScore(...model.get("cell"), +score.value);
  fig.control(
    "scores",
    say("Score of the chosen cell"),
    score,
    () => {
      const [i, j] = model.get("cell");
      const value = model.get("scores")[i][j];
      score.value = value;
      fillTrack(score);
      score.setAttribute("aria-valuetext", say`${fmt(value, 1)}, query ${tokens()[i]}, key ${tokens()[j]}`);
      scoreNow.textContent = fmt(value, 1);
      scoreNow.dataset.number = value;
    },
    scoreNow,
  );
  const tools = [];
  const tool = (label, act) => tools.push(fig.button(label, act));
  tool("", () => toggle(...model.get("cell")));
  tool(say("Mask row"), () => fig.set({ edits: blockRow(...rules(), model.get("edits"), model.get("cell")[0]) }));
  tool(say("Undo edits"), () => fig.set({ edits: [] }));
  tool(say("New scores"), () => fig.set({ scores: nextScores(model.get("scores")) }));
  const look = "display:flex;flex-wrap:wrap;gap:0.5rem";
  const bar = html("div", { role: "toolbar", "aria-label": say("Mask and scores"), style: look });
  tools[0].before(bar);
  bar.append(...tools);
  tools[0].style.minWidth = "6.75rem"; // for either of its names
  oneStop(bar, tools);
  fig.reset(["cell", "edits"]);
  fig.controlsFirst();

  // the mask as code, with its own choice of notation
  const code = html("output", {
    "data-value": "code",
    style: "display:block;white-space:pre;font:inherit;color:inherit",
  });
  const says = Object.entries(NOTES).map(([name, text]) =>
    html("p", { "data-note": name, style: "grid-area:1/1;color:var(--ab-muted)", text }),
  );
  const copied = html("span", { role: "status", style: "color:var(--ab-muted)" });
  const copy = html("button", { type: "button", class: "ab-button", text: say("Copy") });
  copy.onclick = () =>
    copyText(code, (text) => {
      copied.textContent = text;
    });
  const row = fig.select("convention", { label: say("As code, with"), options: CONVENTIONS }).closest(".ab-control");
  row.style.cssText = "flex-wrap:wrap;min-width:0;flex:1 1 280px";
  const shelf = [
    html(
      "div",
      { style: "display:flex;flex-wrap:wrap;gap:0.5rem 0.75rem;align-items:center;margin:0.75rem 0 0.5rem" },
      row,
      copied,
      copy,
    ),
    html(
      "pre",
      {
        tabindex: 0,
        "aria-label": say("The mask as code"),
        // room for the longest: three lines before the rows, two after them, and a scroll bar
        style:
          `margin:0;padding:0.75rem 0.875rem;min-height:calc(${n + 5} * 1.5 * 13px + 2.5rem);overflow-x:auto;` +
          "background:var(--ab-panel);color:var(--ab-ink);border:1px solid var(--ab-grid);border-radius:8px;" +
          "font:13px/1.5 ui-monospace,Menlo,Consolas,monospace",
      },
      code,
    ),
    html("div", { style: "display:grid;margin-top:0.5rem" }, ...says), // as tall as the longest of them
  ];
  fig.card.querySelector(".ab-said").after(...shelf);

  return fig.start((state) => {
    const [i] = state("cell");
    const [scores, edits, policy] = [state("scores"), state("edits"), state("policy")];
    const mask = buildMask(...rules(), edits);
    const weights = weightsUnder(policy, scores, mask);
    const policies = POLICIES.map(([name]) => rowWeights(name, scores[i], mask[i]));
    const open = mask[i].filter(Boolean).length;
    tools[0].textContent = mask[i][state("cell")[1]] ? say("Mask cell") : say("Open cell");
    fig.say(sayRow(tokens()[i], open, n, sum(policies[3])));
    const text = maskCode(state("convention"), mask, tokens(), edits.length ? "" : maskRule(...rules()));
    if (code.textContent !== text) {
      code.textContent = text;
      copied.textContent = "";
    }
    says.forEach((note) => {
      note.style.visibility = note.dataset.note === state("convention") ? "" : "hidden";
    });
    return {
      cell: state("cell"),
      scores,
      mask,
      weights,
      policies,
      policy,
      rowName: tokens()[i],
      policyText: POLICIES.find(([name]) => name === policy)[1],
      byHand: new Set(edits.map(([a, b]) => `${a}-${b}`)),
    };
  });
}

// One stop for the Tab key in a row of buttons: the arrow keys go from one to the next.
function oneStop(row, buttons) {
  const reach = (to) => buttons.forEach((one, i) => (one.tabIndex = i === to ? 0 : -1));
  reach(0);
  row.addEventListener("focusin", (event) => reach(buttons.indexOf(event.target)));
  row.addEventListener("keydown", (event) => {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!by) return;
    take(event);
    buttons[(buttons.indexOf(event.target) + by + buttons.length) % buttons.length].focus();
  });
}

function sayRow(token, open, n, kept) {
  if (open === 0) {
    return say(
      "“{token}” may attend to nothing. Filling with −∞ divides 0 by 0: NaN. Filling with −10⁶ makes all scores " +
        "equal: {equal} for every masked key. This book gives zeros, and so does multiplying afterwards.",
      { token, equal: fmt(1 / n) },
    );
  }
  if (open === n) return say`“${token}” may attend to every key: nothing is masked, and all four policies agree.`;
  const rest =
    kept >= 0.995
      ? say("multiplying afterwards hardly differs here: the masked keys had almost no weight.")
      : kept < 0.005
        ? say("multiplying afterwards keeps almost nothing: the masked keys had already taken their share.")
        : kept > 0.9
          ? say`multiplying afterwards keeps ${fmt(kept)}: the masked keys had already taken their share.`
          : say`multiplying afterwards keeps only ${fmt(kept)}: the masked keys had already taken their share.`;
  return open === 1
    ? say("“{token}” may attend to 1 of {n} keys. The first three policies spend its budget on it; {rest}", {
        token,
        n,
        rest,
      })
    : say("“{token}” may attend to {open} of {n} keys. The first three policies spend its budget on them; {rest}", {
        token,
        open,
        n,
        rest,
      });
}

function copyText(node, report) {
  const select = () => {
    const area = document.createRange();
    area.selectNodeContents(node);
    getSelection().removeAllRanges();
    getSelection().addRange(area);
    report(say("Selected: press Ctrl+C"));
  };
  if (!navigator.clipboard) {
    select();
    return;
  }
  navigator.clipboard.writeText(node.textContent).then(() => report(say("Copied")), select);
}

export default {
  render,
  math: { buildMask, rowWeights, weightsUnder, toggleCell, blockRow, drawScores, nextScores, maskCode, maskRule },
};
