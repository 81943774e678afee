/* The position explorer: sinusoidal positions as waves, as rotations and as similarities, and what they are for:
 * attention on shuffled words. Position p is drawn in the query's colour, position p + k in the key's. */

import { figure } from "../kit/card.js";
import { fillTrack, fmt, fmtShort, html, range, sameShape, say, take } from "../kit/kit.js";
import { NARROW } from "../kit/paint.js";
import { drawGram, drawShuffle, drawSimilarity, shuffleHeight } from "./comparing.js";
import {
  BASES,
  encoding,
  firstRise,
  frequencyOf,
  FURTHEST,
  gramMatrix,
  nextOrder,
  offsetSpread,
  P,
  pairs,
  plain,
  rotatePair,
  selfAttention,
  shuffled,
  twinOf,
  VIEWS,
  wordVector,
} from "./maths.js";
import { CIRCLE, CIRCLE_WIDTH, drawCircle, drawMap, mapHeight, pairText, viewHeight } from "./waves.js";
import { inWords } from "./words.js";

// The views as tabs: arrow keys go from one to the next.
function tabs(fig) {
  const buttons = VIEWS.map(([name, text], i) => {
    const button = html("button", {
      type: "button",
      role: "tab",
      class: "ab-button",
      text,
      "data-control": `view-${name}`,
    });
    button.onclick = () => fig.set({ view: name });
    button.onkeydown = (event) => {
      const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (!by) return;
      take(event);
      const to = (i + by + VIEWS.length) % VIEWS.length;
      fig.set({ view: VIEWS[to][0] });
      buttons[to].focus();
    };
    return button;
  });
  const list = html(
    "div",
    {
      role: "tablist",
      "aria-label": say("Views of the encoding"),
      style: "display:flex;flex-wrap:wrap;gap:0.375rem;margin-bottom:0.75rem",
    },
    ...buttons,
  );
  fig.card.querySelector(".ab-head").after(list);
  const hint = fig.card.querySelector(".ab-hint");
  return (show) =>
    buttons.forEach((button, i) => {
      const on = VIEWS[i][0] === show;
      if (on) hint.textContent = VIEWS[i][2];
      button.setAttribute("aria-selected", String(on));
      button.setAttribute("tabindex", on ? "0" : "-1");
      button.style.cssText = on
        ? "background:var(--ab-accent);border-color:var(--ab-accent);color:var(--ab-on-accent)"
        : "";
    });
}

function render({ model, el }) {
  const fig = figure({ model, el, title: say("A position, written in waves"), hint: VIEWS[0][2] });
  fig.keep("view", null, { reset: false });
  const showTab = tabs(fig);
  const phone = () => fig.card.clientWidth < NARROW;
  const parts = []; // [element, the views that show it]
  const stage = (view, options) => {
    const made = fig.stage({
      ...options,
      draw: (p, now) => {
        if (now.show === view) options.draw(p, now);
      },
    });
    parts.push([made.svg.parentElement, [view]]);
  };
  stage("encoding", {
    basis: 240,
    grow: 1000, // up to its full size; the map takes the rest
    height: () => (phone() ? CIRCLE : mapHeight(false)),
    draw: drawCircle,
    label: (v) =>
      say("The pair of frequency {i} on a circle: from position {from} to {to} it turns by {turn} degrees", {
        i: v.i,
        from: v.at,
        to: v.at + v.k,
        turn: fmt((v.angle * 180) / Math.PI, 0),
      }),
  });
  stage("encoding", {
    basis: 360,
    grow: 3,
    height: () => mapHeight(phone()),
    draw: (p, view) => drawMap(p, view, fig),
    label: (v) =>
      say(
        "Heat map of the encoding, {P} positions by {D} features, and the wave of frequency {i}; rows {from} and " +
        "{to} " +
          "are marked",
        { P, D: v.D, i: v.i, from: v.at, to: v.at + v.k },
      ),
  });
  stage("similarity", {
    basis: 354,
    grow: 0,
    height: () => (phone() ? 242 : mapHeight(false)),
    draw: (p, view) => drawGram(p, view, fig),
    label: (v) => say`Gram matrix of ${P} positions; the row of ${v.at} is marked`,
  });
  stage("similarity", {
    basis: 310,
    height: () => viewHeight(phone()) - (phone() ? 250 : 0),
    draw: (p, view) => drawSimilarity(p, view, fig),
    label: (v) => say`Similarity to position ${v.at} against the offset; at offset ${v.k} it is ${fmt(v.similarity)}`,
  });
  [false, true].forEach((positions) =>
    stage("shuffle", {
      basis: 310,
      height: () => shuffleHeight(model.get("words").length, phone()),
      draw: (p, view) => drawShuffle(p, view, positions),
      label: (v) =>
        positions
          ? say("Outputs of attention with positions for the two orders; a word's output changes by up to {largest}", {
              largest: fmt(v.withPositions.largest),
            })
          : say(
              "Outputs of attention without positions for the two orders; a word's output changes by up to {largest}",
              { largest: fmt(v.without.largest) },
            ),
    }),
  );

  const seen = (node, views) => parts.push([node.closest(".ab-control") || node, views]);
  let round = 0;
  seen(
    fig.button(
      say("Shuffle the words"),
      () => {
        round += 1;
        fig.set({ order: nextOrder(model.get("order"), round) });
      },
      { primary: true },
    ),
    ["shuffle"],
  );
  seen(
    fig.button(say("Original order"), () => fig.set({ order: range(model.get("words").length) })),
    ["shuffle"],
  );
  seen(fig.slider("position", { label: say("Position p"), min: 0, max: 31, step: 1 }), ["encoding", "similarity"]);
  const forward = () => fig.set({ position: (fig.get("position") + 1) % 32 });
  const ended = () => fig.get("view") === "shuffle" || fig.get("position") === 31;
  const player = fig.player(say("Play p"), { pace: 400, begin: forward, next: forward, ended });
  seen(player.button, ["encoding", "similarity"]);
  fig.more();
  seen(fig.slider("offset", { label: say("Offset k"), min: 0, max: FURTHEST, step: 1 }), ["encoding", "similarity"]);
  const frequency = fig.slider("frequency", { label: say("Frequency i"), min: 0, max: 15, step: 1 });
  seen(frequency, ["encoding"]);
  const size = fig.slider("d_model", { label: say("Features D"), min: 2, max: 32, step: 1 });
  let wish = {}; // with fewer features the frequency is lower, until there are enough again
  size.oninput = () => {
    const now = { d_model: fig.get("d_model"), frequency: fig.get("frequency") };
    const kept = wish.d_model === now.d_model && wish.frequency === now.frequency;
    const asked = kept ? wish.asked : now.frequency;
    const next = { d_model: +size.value, frequency: Math.min(asked, pairs(+size.value) - 1) };
    wish = { ...next, asked };
    fig.set(next);
  };
  fig.slider("base", { label: say("Base"), values: BASES, format: (b) => String(b) });
  fig.reset(["order"]);
  fig.controlsFirst();
  fig.card.classList.add("ab-positions");
  fig.card.append(
    html("style", {
      text:
        "@media (min-width: 481px) { .ab-positions .ab-control.ab-range { flex-basis: 200px; } " +
        `.ab-positions .ab-stages > :first-child { max-width: ${CIRCLE_WIDTH}px; } } ` +
        ".ab-positions .ab-controls:has(.ab-open) { min-height: var(--unfolded) !important; }",
    }),
  );

  const output = (name, views, options) => {
    fig.output(name, options);
    seen(fig.card.querySelector(`.ab-outputs output[data-value="${name}"]`).parentElement, views);
  };
  output("omega", ["encoding"], { label: say("frequency ω"), format: fmtShort, note: "base^(−2i/D)" });
  output("here", ["encoding"], { label: say("pair at p"), note: "(sin pω, cos pω)" });
  output("turned", ["encoding"], { label: say("turned by kω"), note: say("Rₖ · pair at p") });
  output("there", ["encoding"], { label: say("pair at p + k"), note: say("from the table") });
  output("similarity", ["similarity"], { label: "PE(p) · PE(p + k)", digits: 3 });
  output("rise", ["similarity"], { label: say("first rise"), format: String, note: say("after this offset") });
  output("spread", ["similarity"], {
    label: say("same offset, elsewhere"),
    format: (x) => (x < 1e-9 ? "0" : plain(x)),
    note: say("largest difference"),
  });
  output("without", ["shuffle"], {
    label: say("without positions"),
    digits: 3,
    note: say("largest change of a word's output"),
  });
  output("with", ["shuffle"], {
    label: say("with positions"),
    digits: 3,
    note: say("largest change of a word's output"),
  });

  const showView = (show) => {
    showTab(show);
    // room for a pair of numbers; a phone has two rows of them in each view
    const least = show === "shuffle" && phone() ? "100%" : "132px";
    room[2].style.gridTemplateColumns = `repeat(auto-fit,minmax(${least},1fr))`;
    parts.forEach(([node, views]) => {
      node.style.display = views.includes(show) ? "" : "none";
    });
  };
  // All views are as high as the highest, part by part; looked at once for each width.
  const room = [".ab-hint", ".ab-controls", ".ab-outputs"].map((name) => fig.card.querySelector(name));
  let levelled = 0;
  const level = (view) => {
    if (fig.card.clientWidth === levelled) return;
    levelled = fig.card.clientWidth;
    room.forEach((part) => (part.style.minHeight = ""));
    range(pairs(view.D)).forEach((i) => {
      const omega = frequencyOf(i, view.D, view.base);
      fig.say(inWords({ ...view, show: "encoding", i, omega, angle: view.k * omega }));
    });
    const rest = fig.card.querySelector(".ab-rest");
    const open = rest.classList.contains("ab-open");
    rest.classList.add("ab-open");
    room[1].style.setProperty("--unfolded", "0");
    const unfolded = VIEWS.map(([show]) => {
      showView(show);
      return room[1].offsetHeight;
    });
    room[1].style.setProperty("--unfolded", `${Math.max(...unfolded)}px`);
    rest.classList.remove("ab-open");
    const heights = VIEWS.map(([show]) => {
      showView(show);
      fig.say(inWords({ ...view, show }));
      return room.map((part) => part.offsetHeight);
    });
    room.forEach((part, n) => (part.style.minHeight = `${Math.max(...heights.map((of) => of[n]))}px`));
    rest.classList.toggle("ab-open", open);
  };
  const observer = new ResizeObserver(() => fig.card.clientWidth !== levelled && fig.redraw());
  observer.observe(fig.card);

  let drawn = null; // the encoding and its Gram matrix, kept while D and base stay
  const stop = fig.start((state) => {
    const [show, at, k, D, base] = ["view", "position", "offset", "d_model", "base"].map(state);
    const i = Math.min(state("frequency"), pairs(D) - 1);
    frequency.max = pairs(D) - 1;
    frequency.value = i;
    fillTrack(frequency);
    if (!drawn || drawn.D !== D || drawn.base !== base) {
      const rows = encoding(P, D, base);
      drawn = { D, base, rows, gram: gramMatrix(rows) };
      drawn.spread = offsetSpread(drawn.gram);
    }
    const { rows, gram, spread } = drawn;
    const omega = frequencyOf(i, D, base);
    const angle = k * omega;
    const pair = (q) => rows[q].slice(2 * i, 2 * i + 2);
    const [words, order] = [state("words"), state("order")];
    const view = {
      show,
      phone: phone(),
      at,
      k,
      D,
      base,
      i,
      rows,
      gram,
      spread,
      omega,
      angle,
      here: pair(at),
      there: pair(at + k),
      similarity: gram[at][at + k],
      rise: firstRise(gram[at].slice(at)),
      words,
      order,
      without: shuffled(words, order, D, base, false),
      withPositions: shuffled(words, order, D, base, true),
    };
    fig.show({
      omega,
      here: pairText(view.here),
      turned: view.here.length < 2 ? null : pairText(rotatePair(view.here, angle)),
      there: pairText(view.there),
      similarity: view.similarity,
      rise: view.rise === null ? say("never") : `k = ${view.rise}`,
      spread,
      without: view.without.largest,
      with: view.withPositions.largest,
    });
    level(view);
    showView(show);
    fig.say(inWords(view));
    return view;
  });
  return () => {
    observer.disconnect();
    stop();
  };
}

const takes = (now) => sameShape(now("order"), now("words")) && now("order").every((at) => at < now("words").length);

export default {
  render,
  takes,
  math: {
    inWords,
    frequencyOf,
    encoding,
    gramMatrix,
    rotatePair,
    twinOf,
    offsetSpread,
    firstRise,
    wordVector,
    selfAttention,
    shuffled,
    nextOrder,
  },
};
