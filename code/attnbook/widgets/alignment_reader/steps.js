/* The two sequences that can be stepped through: the moments of the training, and the words. */

import DATA from "./data.json" with { type: "json" };
import { fillTrack, html, say } from "../kit/kit.js";

// A button that plays the training from its beginning; whoever moves the training meanwhile stops it.
export function playTraining(fig) {
  const end = DATA.epochs.length - 1;
  let expected = 0;
  const go = (moment) => {
    expected = moment;
    fig.set({ moment });
  };
  const ended = () => fig.get("moment") !== expected || expected >= end;
  const { button, stop } = fig.player(say("Play"), {
    pace: 1100,
    begin() {
      fig.set({ written: -1 });
      go(fig.get("moment") >= end ? 0 : fig.get("moment") + 1);
    },
    next: () => go(expected + 1),
    ended,
  });
  button.classList.add("ab-ar-play");
  return () => ended() && stop();
}

// A slider over the words that are written, and two buttons; sizes() gives the last step and the number of all words.
export function wordByWord(fig, shown, sizes) {
  const go = (to) => fig.set({ written: to >= sizes()[0] ? -1 : Math.max(0, to), at: -1 });
  const input = html("input", { type: "range", min: 0, step: 1, oninput: () => go(+input.value) });
  const now = html("output", { class: "ab-now", "data-value": "written", "aria-live": "off" });
  const write = () => {
    const [last, total] = sizes();
    input.max = last;
    input.value = shown();
    fillTrack(input);
    now.textContent = say`${shown()} of ${total}`;
    now.dataset.number = shown();
    input.setAttribute("aria-valuetext", now.textContent);
  };
  fig.control("written", say("Words"), input, write, now);
  const back = fig.button(say("◀ Word"), () => go(shown() - 1));
  const forward = fig.button(say("Word ▶"), () => go(shown() + 1));
  const group = html("div", { class: "ab-ar-words", role: "group", "aria-label": say("Words") });
  const row = input.closest(".ab-control");
  row.before(group);
  group.append(row, back, forward);
  return () => {
    back.disabled = shown() <= 0;
    forward.disabled = shown() >= sizes()[0];
  };
}
