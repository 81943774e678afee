/* Where the sentence for “translate in the page” is typed or chosen. */

import { html, newId, say } from "../kit/kit.js";
import { langOf } from "../kit/text.js";

const AUTO = { dir: "auto" }; // as its letters run

export function makeAsking({ languages, codes, sentence, ask }) {
  const id = newId();
  const field = html("input", {
    id,
    type: "text",
    maxlength: 120,
    autocomplete: "off",
    autocapitalize: "off",
    spellcheck: "false",
    lang: langOf(codes[0]),
    ...AUTO,
    "data-control": "sentence",
  });
  const form = html(
    "form",
    { class: "ab-tp-ask" },
    html("label", { for: id, text: say`${languages[0]} sentence` }),
    field,
    html("button", { type: "submit", class: "ab-button ab-primary", text: say("Translate") }),
  );
  let pause = null;
  field.oninput = () => {
    clearTimeout(pause);
    pause = setTimeout(() => ask(field.value), 500);
  };
  field.onchange = () => field.value !== sentence() && form.requestSubmit(); // left without waiting
  field.onkeydown = (event) => event.stopPropagation(); // letters are commands to JupyterLab
  form.onsubmit = (event) => {
    event.preventDefault();
    clearTimeout(pause);
    ask(field.value);
  };
  const tries = html("ul", { class: "ab-tp-tries", "aria-label": say("Sentences to try") });
  const button = (run, ...inside) =>
    html("li", {}, html("button", { type: "button", class: "ab-button", onclick: run }, ...inside));
  const choose = (text) => {
    field.value = text;
    ask(text);
  };
  return {
    field,
    form,
    tries,
    // Sentences to begin with, each with a note on it, and another one each time: next() gives it.
    offer(sentences, note, next) {
      tries.replaceChildren(
        ...sentences.map((text) =>
          button(
            () => choose(text),
            html("span", { lang: langOf(codes[0]), ...AUTO, text }),
            html("small", { text: note(text) }),
          ),
        ),
        button(() => choose(next()), say("Another held-out sentence")),
      );
    },
    stop: () => clearTimeout(pause),
  };
}
