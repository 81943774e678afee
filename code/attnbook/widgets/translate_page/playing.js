/* What moves the figure: words written one after another, and what a reader does with a written word. */

import { calm, clamp, take } from "../kit/kit.js";

const BEAT = 420; // milliseconds between two words

// now() is the view that is drawn.
export function makePlayer(fig, now) {
  const still = calm();
  let timer = null;
  const stop = () => {
    clearInterval(timer);
    timer = null;
    delete fig.card.abSettled;
  };
  const show = (traits) => {
    stop();
    fig.set(traits);
  };
  function play() {
    stop();
    if (still) {
      fig.set({ written: -1, at: -1 });
      return;
    }
    fig.set({ written: 0, at: -1 });
    fig.card.abSettled = { written: -1 }; // a link made meanwhile leads to the whole
    timer = setInterval(() => {
      const { ready, problem, searching, shown, steps } = now();
      if (problem) show({ written: -1, at: -1 }); // nothing to write
      if (!ready || searching) return;
      if (shown + 1 < steps.length) fig.set({ written: shown + 1, at: -1 });
      else show({ written: -1, at: -1 });
    }, BEAT);
  }
  const ask = (sentence) => {
    fig.set({ sentence: sentence.slice(0, 120), given: [] });
    play();
  };
  return { stop, show, play, ask, isPlaying: () => timer !== null };
}

export function makeActs(fig, player, now) {
  return {
    look(i) {
      if (!player.isPlaying() && i !== now().at) fig.set({ at: i });
    },
    press(event, run) {
      if (event.key !== "Enter" && event.key !== " ") return;
      take(event);
      run();
    },
    walk(event, i) {
      const onwards = now().left[1] ? -1 : 1;
      const by = { ArrowRight: onwards, ArrowDown: 1, ArrowLeft: -onwards, ArrowUp: -1 }[event.key];
      if (!by) return;
      take(event);
      const to = fig.card.querySelector(`[data-handle="word${clamp(i + by, 0, now().shown - 1)}"]`);
      if (to) to.focus();
    },
    write(id) {
      // another word here; what stood before it stays, the model goes on after it
      if (now().searching) return;
      const before = now().steps.slice(0, now().at).map((s) => s.word);
      player.show({ given: [...before, now().words[id]], written: -1, at: now().at });
    },
  };
}
