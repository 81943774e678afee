/* Makes questions of the folded choices in "Predict first" and quiz boxes: radio buttons, and a reply to the chosen.
 * Click, Enter and Space answer; arrow keys only move. The class `right` marks a right choice. Answers are kept in
 * localStorage, by the number of the question on its page. Without this script, and in print, the folded choices stay. */
(function () {
  "use strict";
  const STORE = "attnbook-choices";
  const PAGE = location.pathname.split("/").pop().replace(/\.html$/, "");

  // All answers; none, if the browser forbids storage or something else is stored there.
  function stored() {
    try {
      return JSON.parse(localStorage.getItem(STORE)) || {};
    } catch {
      return {};
    }
  }
  function store(key, answers) {
    try {
      localStorage.setItem(STORE, JSON.stringify({ ...stored(), [key]: answers })); // another tab may have written, too
    } catch {} // forbidden or full: the answers last as long as the page
  }

  function make(tag, attributes, ...children) {
    const element = document.createElement(tag);
    Object.entries(attributes).forEach(([name, value]) => element.setAttribute(name, value));
    element.append(...children);
    return element;
  }
  // An element's content once more, without ids, which have to stay unique.
  function copies(element) {
    const copy = element.cloneNode(true);
    copy.querySelectorAll("[id]").forEach((inner) => inner.removeAttribute("id"));
    return [...copy.childNodes];
  }
  const t = (...said) => globalThis.attnbookSay(...said); // tools/languages

  // Put a question in the place of a box. `onAnswer` is called whenever its answers have changed.
  function question(box, name, onAnswer) {
    const title = box.querySelector(":scope > .admonition-title");
    const folded = [...box.querySelectorAll(":scope > details")];
    const asked = [...box.children].filter((child) => child !== title && !folded.includes(child));
    const key = `${PAGE}: ${name} in ${box.closest("section[id]")?.id}`; // the same in all languages
    const graded = folded.filter((fold) => fold.classList.contains("right")).length === 1;
    const reply = make("div", { role: "status", class: "choice-reply" });
    const choices = folded.map((fold, index) => {
      const summary = fold.querySelector(".sd-summary-text");
      const right = fold.classList.contains("right");
      const input = make("input", { type: "radio", name, id: `${name}-${index}` });
      const mark = make("span", { class: "choice-mark" });
      const row = make("div", { class: "choice" }, input, make("label", { for: input.id }, ...copies(summary), mark));
      const verdict = right ? t("✓ Correct") : graded ? t("✗ Not this one") : "";
      return { index, input, mark, row, right, verdict, body: fold.querySelector(".sd-card-body") };
    });
    const before = stored()[key];
    let answers = Array.isArray(before) ? before.filter((index) => choices[index]?.input) : [];
    function draw() {
      reply.replaceChildren();
      choices.forEach(({ index, input, mark, row, right, verdict, body }) => {
        const tried = answers.includes(index);
        input.checked = answers.at(-1) === index;
        mark.textContent = tried ? ` ${verdict.toLowerCase()}` : "";
        row.dataset.verdict = tried ? (right ? "right" : graded ? "wrong" : "open") : "";
        if (!input.checked) return;
        reply.append(...(verdict ? [make("p", { class: "choice-verdict" }, verdict)] : []), ...copies(body));
        reply.dataset.verdict = row.dataset.verdict;
      });
    }
    function answer(all) {
      if (all.length && all.at(-1) === answers.at(-1)) return; // is shown already
      store(key, (answers = all));
      draw();
      onAnswer();
    }
    const choose = ({ index }) => answer([...answers, index]);
    draw();

    const about = make("div", { id: `${name}-asked`, class: "choice-asked" });
    const hint = make("p", { id: `${name}-hint`, class: "choice-hint" }, t("Arrow keys move, Enter or Space answers."));
    const field = make("fieldset", { "aria-describedby": `${about.id} ${hint.id}`, class: `${box.className} choices` });
    let moving = false; // an arrow key "clicks" the choice to which it moves
    field.addEventListener("keydown", (event) => {
      moving = event.key.startsWith("Arrow");
      const choice = ["Enter", " "].includes(event.key) && choices.find((one) => one.input === event.target);
      if (choice) choose(choice);
    });
    ["keyup", "pointerdown"].forEach((type) => field.addEventListener(type, () => (moving = false)));
    choices.forEach((choice) => choice.input.addEventListener("click", () => moving || choose(choice)));
    // The page changes only here: if anything has failed above, the folded choices are still there.
    field.append(make("legend", { class: "admonition-title" }, ...title.childNodes), about);
    about.append(...asked);
    field.append(...choices.map((one) => one.row), hint, reply, ...folded);
    box.replaceWith(field);
    const first = () => choices[answers[0]];
    return { first, forget: () => answer([]), focus: () => choices[0].input.focus() };
  }

  document.addEventListener("DOMContentLoaded", () => {
    const quiz = []; // a page has one at most; its score stands below the last question
    const said = make("p", { role: "status" });
    const again = make("button", { type: "button" }, t("Start again"));
    const score = make("div", { class: "choice-score" }, said, again);
    function update() {
      const tries = quiz.map((one) => one.first()).filter(Boolean);
      const right = tries.filter((one) => one.right).length;
      const left = quiz.length - tries.length;
      score.hidden = !tries.length;
      const counts = { right, tried: tries.length, left };
      said.textContent = left
        ? t("{right} of {tried} right at the first try, {left} to go", counts)
        : t("{right} of {tried} right at the first try", counts);
    }
    again.addEventListener("click", () => {
      quiz.forEach((one) => one.forget());
      quiz[0].focus();
    });
    document.querySelectorAll("div.admonition.predict, div.admonition.quiz").forEach((box, number) => {
      const section = box.classList.contains("quiz") && box.closest("section");
      const made = question(box, `choice-${number}`, section ? update : () => {});
      if (section) {
        quiz.push(made);
        section.append(score);
      }
    });
    update();
  });
})();
