/* What is written of the translation: itself, how the model knows the sentence, what a beam found, the known words. */

import { fmt, html, say, sum } from "../kit/kit.js";
import { kindOf, langOf } from "../kit/text.js";
import { ALPHA, listFound, textOf } from "./beam.js";
import { percent } from "./drawing.js";
import { inWords, wordSoFar } from "./explain.js";
import { BADGES } from "./standing.js";

const COUNTED = { "13a": say("of this model, from 0 to 100"), "by characters": say("of this model, by characters") };

// The outputs below the drawings; returns the note on how BLEU was counted.
export function addOutputs(fig) {
  fig.output("logprob", { label: say("log-probability"), digits: 2, note: say("of the whole translation") });
  fig.output("each", {
    label: say("per word, on average"),
    format: percent,
    note: say("geometric mean of the probabilities"),
  });
  fig.output("time", {
    label: say("computed in"),
    format: (ms) => `${fmt(ms, ms < 10 ? 1 : 0)} ms`,
    note: say("by this browser"),
  });
  fig.output("bleu", { label: say("BLEU, held out"), digits: 1, note: say("of this model") });
  return fig.card.querySelector('[data-value="bleu"] ~ .ab-note');
}

// between() gives the languages, says what is said of how a sentence stands to the corpus; own is of a reader's model.
export function makeResult(fig, between, says, own) {
  const written = html("output", { "data-value": "translation", dir: "auto", "aria-live": "off" });
  const status = html("p", { class: "ab-tp-status" });
  const rows = html("ol", { class: "ab-rows", "aria-label": say("What the beam search found, the best first") });
  const found = html(
    "div",
    { class: "ab-tp-found" },
    html(
      "p",
      {},
      say("Found, by score: log-probability ÷ ((5 + words) / 6)"),
      html("sup", { text: ALPHA }),
      say(", <eos> counted."),
    ),
    rows,
  );
  const list = html("p", { lang: langOf(between().codes[0]), dir: "auto" });
  const summary = html("summary", {}, say`The ${between().languages[0]} words it knows`);
  const lexicon = html("details", { class: "ab-tp-words" }, summary, list);
  const node = html("div", { class: "ab-tp-result" }, written, status);
  let [listed, roomOf] = [null, null]; // what is listed; the sentence and the width that there is room for
  let [said, counted] = [null, null];

  // The translation and the sentence below have room for all of it from the first word on; for another, new room.
  function holdRoom({ sentence, ...view }) {
    const whole = textOf(view.steps, view.write);
    const of = `${said.clientWidth} ${sentence}`;
    for (const [node, text] of [
      [written, whole],
      [said, inWords(view, whole)],
    ]) {
      const before = node.textContent;
      const held = roomOf === of ? parseFloat(node.dataset.room) : 0;
      node.style.minHeight = "";
      const now = node.offsetHeight;
      if (before !== text) node.textContent = text;
      node.dataset.room = Math.max(held, now, node.offsetHeight);
      if (before !== text) node.textContent = before;
      node.style.minHeight = `${node.dataset.room}px`;
    }
    roomOf = of;
  }

  function listWords(translator) {
    if (list.textContent && list.dataset.of === translator.name) return;
    const all = [...translator.ids.keys()].filter((word) => /\p{L}/u.test(word)).sort();
    const alone = all.filter((word) => kindOf(word) === "C").length > all.length / 2;
    const { languages } = between();
    summary.textContent = alone
      ? say`The ${all.length} ${languages[0]} characters and words it knows`
      : say`The ${all.length} ${languages[0]} words it knows`;
    list.textContent = all.join(", ");
    list.dataset.of = translator.name;
  }

  function tell(view, translator, isPlaying) {
    found.hidden = !view.ready || !view.found;
    if (!found.hidden && listed !== view.found) listFound(rows, view);
    listed = view.found;
    written.lang = langOf(between().codes[1]);
    const text = view.ready ? textOf(view.steps.slice(0, view.shown), view.write) : "";
    written.textContent = text || "\u00a0";
    if (!view.ready) {
      status.textContent = view.problem || "";
      fig.show({ logprob: null, each: null, time: null, bleu: null });
      fig.say(view.problem || say("The model’s weights are being read."));
      return;
    }
    const [badge, why] = says[view.standing];
    const theirs = view.people && { lang: written.lang, dir: "auto", text: view.people.join(" · ") };
    status.replaceChildren(
      html("b", { "data-kind": badge, text: BADGES[badge] }),
      why,
      ...(theirs ? [own ? say(" In the pairs: ") : say(" People wrote: "), html("span", theirs)] : []),
    );
    const total = sum(view.steps.map((s) => s.logProb));
    const whole = view.shown === view.steps.length;
    fig.show({
      logprob: whole ? total : null,
      each: whole ? Math.exp(total / view.steps.length) : null,
      time: view.time,
      bleu: translator.test.bleu,
    });
    const tokens = translator.test.tokens || "13a"; // the name of what was counted
    counted.textContent = COUNTED[tokens] ?? say`of this model, ${tokens}`;
    said.setAttribute("aria-live", isPlaying ? "off" : "polite"); // read out when all is written
    fig.say(whole ? inWords(view, text) : wordSoFar(view));
    holdRoom(view);
    listWords(translator);
  }

  // Puts it below all that is watched while a beam is chosen; the sentence of the card stands below the drawing.
  function place(drawing) {
    counted = addOutputs(fig);
    fig.card.append(found, lexicon);
    node.after(fig.card.querySelector(".ab-controls")); // above the drawing that they move
    said = fig.card.querySelector(".ab-said");
    said.classList.add("ab-tp-said");
    drawing.after(said); // it speaks of the lines above it
  }

  return { node, place, tell };
}
