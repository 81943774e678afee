/* What the figures that show written sentences share: widths of words, sentences found by a search,
 * steps forwards and backwards. */

import { columns, fillTrack, fmt, html, say, sum } from "./kit.js";
import { inARow } from "./text.js";

// About how wide a text is. An estimate, so that the drawing is the same whatever fonts a machine has.
export function textWidth(text, size = 13) {
  const width = (letter) =>
    /[ijlI.,'!:;|()\u202f]/.test(letter)
      ? 0.31
      : /[frt -]/.test(letter)
        ? 0.42
        : /[mwMW<>…]/.test(letter)
          ? 0.92
          : [0, 0.61, 1][columns(letter)];
  return size * sum(Array.from(text, width));
}

export const isEnd = (word) => word === "<eos>";

// A sentence as people write it: no <eos>, French spaces kept as they are between tokens.
export const sentenceOf = (words) => inARow(words.filter((word) => !isEnd(word)));

// A sheet of style for one card, beside figures.css.
export const styleSheet = (text) => html("style", { text });

// What a log-probability is divided by before sentences of different lengths are compared: Wu et al. (2016), eq. 14.
export const lengthFactor = (length, alpha) => ((5 + length) / 6) ** alpha;

// The score of a sentence as it is computed: "−1.35 ÷ 1.43 = −0.94".
export function division(logProb, length, alpha) {
  const factor = lengthFactor(length, alpha);
  return `${fmt(logProb)} ÷ ${fmt(factor)} = ${fmt(logProb / factor)}`;
}

// Sentences one below the other, in a list of class "ab-rows": a mark, the text, its numbers.
export const ROWS = `
.ab-rows { list-style: none; margin: 0.75rem 0 0; padding: 0; }
.ab-rows li { display: flex; flex-wrap: wrap; gap: 0.1rem 0.75rem; align-items: baseline; padding: 0.3rem 0.25rem;
  margin: 0; border-top: 1px solid var(--ab-grid); }
.ab-rows .ab-row-mark { flex: none; min-width: 1.9em; text-align: center; font-weight: 650; font-size: 12.5px;
  border: 2px solid; border-radius: 1em; padding: 0 0.5em; }
.ab-rows .ab-row-text { flex: 1 1 200px; min-width: 0; font-weight: 550; overflow-wrap: anywhere; }
.ab-rows .ab-row-numbers { color: var(--ab-muted); font-variant-numeric: tabular-nums; font-size: 13px; }`;

export function sentenceRow(mark, text, numbers, colour, lang = "fr") {
  return html(
    "li",
    { "data-row": mark },
    html("span", { class: "ab-row-mark", text: mark, style: `border-color:${colour}` }),
    html("span", { class: "ab-row-text", lang, dir: "auto", text }),
    html("span", { class: "ab-row-numbers", text: numbers }),
  );
}

// Steps 0 … last of something that is written word by word: a slider with the number, backwards, forwards and play.
// step() gives the step now, last() the last one, go(step) moves there. Returns what refreshes the buttons.
export function stepper(fig, { name, label, step, last, go, pace = 900 }) {
  const input = html("input", { type: "range", min: 0, step: 1 });
  const now = html("output", { class: "ab-now", "data-value": name, "aria-live": "off" });
  input.oninput = () => {
    player.stop();
    go(+input.value);
  };
  fig.control(
    name,
    label,
    input,
    () => {
      input.max = last();
      input.value = step();
      fillTrack(input);
      now.textContent = say`${step()} of ${last()}`;
      now.dataset.number = step();
      input.setAttribute("aria-valuetext", now.textContent);
    },
    now,
  );
  const back = fig.button(say("◀ Back"), () => {
    player.stop();
    go(step() - 1);
  });
  const forward = fig.button(say("Forward ▶"), () => {
    player.stop();
    go(step() + 1);
  });
  const ended = () => step() >= last();
  const player = fig.player(say("Play"), {
    pace,
    begin: () => go(ended() ? 0 : step() + 1),
    next: () => go(step() + 1),
    ended,
  });
  const group = html(
    "div",
    { role: "group", "aria-label": label, style: "display:flex;flex-wrap:wrap;gap:0.5rem" },
    back,
    forward,
    player.button,
  );
  const row = input.closest(".ab-control");
  row.after(group);
  function refresh() {
    if (ended()) player.stop();
    back.disabled = step() <= 0;
    forward.disabled = ended();
  }
  return refresh;
}
