/* The mask builder: a mask by rule or by hand, in four notations, and the weights under four policies.
 * A mask is a table of booleans, queries down, keys across; true = may attend. */

import { figure } from "../kit/card.js";
import { clamp, fillTrack, fmt, html, newId, sameShape, say, sum, take } from "../kit/kit.js";
import { addCode } from "./code.js";
import {
  blockRow,
  buildMask,
  drawScores,
  LIMIT,
  maskCode,
  maskRule,
  nextScores,
  POLICIES,
  rowWeights,
  toggleCell,
  weightsUnder,
  weightText,
} from "./maths.js";
import { drawPolicies, drawTable, policyHeight, tableHeight } from "./tables.js";

// What a reader does with a cell, by pointer or keyboard, in tables whose ids begin with `ids`.
function makeActs(fig, ids, rules) {
  const [n] = rules();
  let grip = null;

  const toggle = (i, j) => fig.set({ cell: [i, j], edits: toggleCell(...rules(), fig.get("edits"), i, j) });
  const setScore = (i, j, value) => {
    const scores = fig.get("scores").map((row) => [...row]);
    scores[i][j] = Number(clamp(value, -LIMIT, LIMIT).toFixed(1));
    fig.set({ cell: [i, j], scores });
  };

  // A press that stays in place switches the cell; one that moves up or down changes its score.
  function cellEvents(i, j, editable) {
    return {
      cursor: "pointer",
      onpointerdown(event) {
        if (event.button !== 0) return;
        grip = { y: event.clientY, score: fig.get("scores")[i][j], moved: false };
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
    const [i, j] = fig.get("cell");
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
    else if (by) setScore(i, j, fig.get("scores")[i][j] + by);
    else if (event.key === " " || event.key === "Enter") toggle(i, j);
    else return;
    take(event);
  }
  return { ids, toggle, setScore, cellEvents, onKey };
}

function addStages(fig, act, tokens) {
  const n = tokens().length;
  fig.stage({
    label: say("Table of scores, queries down and keys across; masked cells are hatched"),
    basis: 100 + 36 * n,
    height: (width) => tableHeight(width, tokens()),
    draw: (p, view) =>
      drawTable(p, view, act, {
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
    height: (width) => tableHeight(width, tokens()),
    draw: (p, view) =>
      drawTable(p, view, act, {
        name: "weight",
        editable: false,
        title: say("Weights αᵢⱼ"),
        note: say`mask applied by: ${view.policyText}`,
      }),
  });

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
    height: (width) => policyHeight(width, tokens()),
    draw: (p, view) => drawPolicies(p, view, (policy) => fig.set({ policy })),
  });
}

// The controls; returns the button whose name says what it will do to the chosen cell.
function addControls(fig, act, tokens, rules) {
  const n = tokens().length;
  fig.slider("valid_len", { label: say("Valid length"), min: 0, max: n, step: 1 });
  fig.checkbox("causal", { label: say("Causal: no looking ahead") });
  fig.more();
  fig.select("policy", { label: say("Mask by"), options: POLICIES });

  const scoreNow = html("output", { class: "ab-now", "data-value": "score" });
  const score = html("input", { type: "range", min: -LIMIT, max: LIMIT, step: 0.1 });
  score.oninput = () => act.setScore(...fig.get("cell"), +score.value);
  fig.control(
    "scores",
    say("Score of the chosen cell"),
    score,
    () => {
      const [i, j] = fig.get("cell");
      const value = fig.get("scores")[i][j];
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
  tool("", () => act.toggle(...fig.get("cell")));
  tool(say("Mask row"), () => fig.set({ edits: blockRow(...rules(), fig.get("edits"), fig.get("cell")[0]) }));
  tool(say("Undo edits"), () => fig.set({ edits: [] }));
  tool(say("New scores"), () => fig.set({ scores: nextScores(fig.get("scores")) }));
  const look = "display:flex;flex-wrap:wrap;gap:0.5rem";
  const bar = html("div", { role: "toolbar", "aria-label": say("Mask and scores"), style: look });
  tools[0].before(bar);
  bar.append(...tools);
  tools[0].style.minWidth = "6.75rem"; // for either of its names
  oneStop(bar, tools);
  fig.reset(["cell", "edits"]);
  fig.controlsFirst();
  return tools[0];
}

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
  const rules = () => [n, model.get("valid_len"), model.get("causal")];
  const act = makeActs(fig, newId(), rules);
  addStages(fig, act, tokens);
  const switching = addControls(fig, act, tokens, rules);
  const showCode = addCode(fig, n);

  return fig.start((state) => {
    const [i] = state("cell");
    const [scores, edits, policy] = [state("scores"), state("edits"), state("policy")];
    const mask = buildMask(...rules(), edits);
    const weights = weightsUnder(policy, scores, mask);
    const policies = POLICIES.map(([name]) => rowWeights(name, scores[i], mask[i]));
    const open = mask[i].filter(Boolean).length;
    switching.textContent = mask[i][state("cell")[1]] ? say("Mask cell") : say("Open cell");
    fig.say(sayRow(tokens()[i], open, n, sum(policies[3])));
    const text = maskCode(state("convention"), mask, tokens(), edits.length ? "" : maskRule(...rules()));
    showCode(text, state("convention"));
    return {
      tokens: tokens(),
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

// Nothing leads out of the table.
function takes(now, first) {
  const n = now("tokens").length;
  const places = [now("cell"), ...now("edits")].flatMap(([i, j]) => [i, j]);
  return sameShape(now("scores"), first("scores")) && now("valid_len") <= n && places.every((at) => at < n);
}

export default {
  render,
  takes,
  math: { buildMask, rowWeights, weightsUnder, toggleCell, blockRow, drawScores, nextScores, maskCode, maskRule },
};
