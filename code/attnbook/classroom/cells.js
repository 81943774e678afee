// Makes cells of a page into editors that run Python in the page. The last part of the page's one script.
import { kept, readAnswers, saveAnswers } from "./answers.js";
import { page, setup, t } from "./book.js";
import {
  download, element, FULL, linkExercises, note, offerFiles, progress, readProgress, showProgress, store,
} from "./progress.js";
import { load, python } from "./python.js";

const COMMAND = /Mac|iP/.test(navigator.platform) ? "⌘" : "Ctrl";
const HELP = t("{command}+Enter runs it · Esc, then Tab, leaves the editor", { command: COMMAND });
const ABOUT = t("Cells with ▶ Run can be changed and run here. PyTorch is then a small stand-in in plain Python; \
the other cells need more than it has, and so the notebook.");

const codeOf = (cell) => cell.querySelector(".cell_input pre")?.textContent.replace(/\n$/, "");
const CHECK = /^check\("([\w-]+)"/m;
const cells = [];

const HASH = (text) => [...text].reduce((sum, sign) => (sum * 33 + sign.codePointAt(0)) % 2 ** 32, 5381).toString(36);
const RESULTS = {
  solved: t("Solved."), wrong: t("Not right yet. The result is below."), unwritten: t("Not written yet."),
};

function prepare(cell) {
  const original = codeOf(cell);
  const exercise = original.match(CHECK)?.[1];
  const asked = original.match(/^check\(.*$/m)?.[0];
  const place = `${page}:${exercise || HASH(original)}`; // as in handing_in.py
  const key = `cell:${place}`;
  const code = cell.querySelector(".cell_input");
  const still = code.innerHTML;
  const output = cell.querySelector(".cell_output")
    || cell.appendChild(element("div", { className: "cell_output docutils container" }));
  const first = output.innerHTML;
  const label = exercise ? t("Your answer to the exercise {exercise}", { exercise }) : t("A cell to change and run");
  const button = (text, what) => {
    const made = element("button", { type: "button", textContent: text });
    made.setAttribute("aria-label", exercise ? `${text} ${exercise}` : what);
    return made;
  };
  const go = exercise ? button(t("Check")) : button(t("Run"), t("Run this cell"));
  const edit = button(t("Edit"), t("Edit this cell"));
  const halt = button(t("Stop"), t("Stop this cell"));
  const anew = exercise ? t("Start again") : t("Restore");
  const again = button(anew, t("Restore this cell"));
  go.className = "classroom-run";
  halt.className = "classroom-stop";
  edit.title = t("Loads Python ({megabytes} MB) once", setup);
  halt.hidden = again.hidden = true;
  const said = element("span", { className: "classroom-said" });
  said.setAttribute("role", "status");
  const bar = element("progress", { hidden: true, max: 1 });
  bar.setAttribute("aria-label", t("Loading Python"));
  const help = element("span", { className: "classroom-help", textContent: HELP });
  code.after(element("div", { className: "classroom-bar" }, go, edit, halt, again, bar, said, help));
  cell.classList.add("classroom-cell");
  if (exercise) {
    cell.dataset.exercise = exercise;
    output.setAttribute("role", "group");
    output.setAttribute("aria-label", t("Result of {exercise}", { exercise }));
  }
  const kept = store.get(key);
  let editor = null, opening = null, running = null, before = null;
  let lost = ""; // what is said, whatever Python is doing, as long as nothing can be kept
  let text = typeof kept === "string" ? kept : original;
  const mine = { place, original, current: () => text };
  cells.push(mine);

  const say = (words, share) => {
    if (said.textContent !== words) said.textContent = words;
    bar.hidden = share === undefined;
    bar.value = share || 0;
  };
  const call = (name) => {
    again.textContent = name;
    again.setAttribute("aria-label", `${name} ${exercise || t("this cell")}`);
  };
  const write = (now) => {
    [text, before] = [now, null];
    call(anew);
    again.hidden = text === original;
    const isKept = store.set(key, text === original ? null : text);
    lost = isKept ? "" : t("{full}: your answer is lost when you close the page.", { full: FULL });
    if (lost) say(lost);
  };
  const options = { label, help: HELP, told: write, run };
  const busy = (now) => {
    halt.hidden = !now;
    again.disabled = now;
    go.setAttribute("aria-disabled", now); // not `disabled`, which would take the focus away
    output.classList.toggle("classroom-waiting", now);
  };

  function open() {
    opening ??= load("editor.js").catch(() => {}).then(() => {
      const place = element("div", { className: "classroom-editor" });
      code.replaceChildren(place);
      code.classList.add("classroom-open");
      edit.hidden = true;
      editor = globalThis.attnbookEditor ? attnbookEditor.make(place, text, options) : plain(place, text, options);
      return editor;
    });
    return opening;
  }

  async function run() {
    if (!halt.hidden) return;
    busy(true);
    const printed = element("pre", { className: "classroom-printed", tabIndex: 0 });
    printed.setAttribute("role", "group");
    printed.setAttribute("aria-label", t("What the cell printed"));
    const tell = (piece) => {
      if (!printed.isConnected) output.replaceChildren(printed);
      printed.append(piece);
    };
    const folded = output.closest("details");
    if (folded) folded.open = true;
    try {
      (await open()).mark(null);
      const others = changed().filter((other) => other !== mine).map((other) => [other.original, other.current()]);
      running = python.run({ page, original, source: text, changed: Object.fromEntries(others) }, say, tell);
      const answer = await running;
      output.replaceChildren(...[printed.textContent && printed, ...shown(answer)].filter(Boolean));
      editor.mark(answer.line);
      for (const verdict of answer.verdicts) note(verdict.exercise, verdict.status);
      const status = answer.verdicts.findLast((verdict) => verdict.exercise === exercise)?.status;
      cell.dataset.status = answer.error ? "error" : status || "done";
      cell.dataset.milliseconds = Math.round(answer.milliseconds);
      if (answer.error) say(answer.line ? t("Line {line} raises an error.", answer) : t("The cell ends with an error."));
      else if (RESULTS[status] || !asked) say(RESULTS[status] || t("Done."));
      else say(t("Nothing was checked: the last line should be {asked}", { asked }));
    } catch (error) {
      if (!printed.isConnected) output.replaceChildren();
      cell.dataset.status = "stopped";
      say(error.message);
    }
    running = null;
    again.hidden = text === original && output.innerHTML === first;
    busy(false);
  }

  function reset() {
    const undone = before;
    const last = text;
    const now = undone ?? original;
    if (editor) editor.set(now);
    else code.innerHTML = still;
    write(now);
    if (undone === null) {
      output.innerHTML = first;
      delete cell.dataset.status;
      if (last !== original) {
        call(t("Undo"));
        [before, again.hidden] = [last, false];
      }
    }
    say(undone === null ? t("Your changes are removed.") : t("They are back."));
    go.focus();
  }

  go.onclick = run;
  halt.onclick = () => {
    if (running) running.cancel();
    else python.stop();
    go.focus();
  };
  again.onclick = reset;
  const begin = () => {
    python.warm((words, share) => say(lost || words, share));
    open().then((made) => made.focus());
  };
  edit.onclick = begin;
  code.addEventListener("click", (event) => {
    if (!editor && !event.target.closest("button") && !String(getSelection())) begin();
  });
  const recall = () => {
    if (text === original) return;
    code.querySelector("pre").textContent = text;
    again.hidden = false;
    if (!exercise) return;
    const when = progress()[exercise]?.solved_on;
    const textContent = when
      ? t("Solved on {when}. Your answer was kept; Check judges it again.", { when })
      : t("Your answer was kept; Check judges it again.");
    output.replaceChildren(element("p", { className: "classroom-said", textContent }));
  };
  recall();
  addEventListener("storage", (event) => { // another tab
    if (event.key !== `attnbook:${key}`) return;
    const theirs = store.get(key) ?? original;
    if (editor) {
      if (theirs !== text) say(t("This cell was changed in another tab; what you write here replaces it."));
      return;
    }
    text = theirs;
    if (text !== original) return recall();
    code.innerHTML = still;
    output.innerHTML = first;
    again.hidden = true;
  });
}

function plain(place, text, { label, told, run }) { // without CodeMirror
  const area = element("textarea", { value: text, spellcheck: false, rows: text.split("\n").length + 1 });
  area.setAttribute("aria-label", label);
  area.oninput = () => told(area.value);
  area.onkeydown = (event) => {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey || event.shiftKey)) return;
    run();
    event.preventDefault();
  };
  place.append(area);
  return { get: () => area.value, set: (now) => { area.value = now; }, focus: () => area.focus(), mark: () => {} };
}

function shown(answer) {
  const nodes = [];
  if (answer.error) {
    if (answer.help) nodes.push(element("p", { className: "classroom-above", innerHTML: answer.help }));
    const where = answer.line ? t("line {line}: ", answer) : "";
    nodes.push(element("pre", { className: "classroom-error", textContent: where + answer.error }));
  } else if (answer.html) nodes.push(element("div", { className: "output text_html", innerHTML: answer.html }));
  else if (answer.text) {
    const plainly = element("pre", { textContent: answer.text });
    nodes.push(element("div", { className: "output text_plain highlight" }, plainly));
  }
  return nodes;
}

function missing() {
  const wanted = { Worker: t("workers"), WebAssembly: "WebAssembly", DecompressionStream: t("decompression") };
  return Object.keys(wanted).filter((name) => !(name in globalThis)).map((name) => wanted[name]);
}

document.querySelector(".classroom-without")?.remove(); // what only a page without scripts says
linkExercises();
showProgress();
addEventListener("storage", showProgress); // another tab
const mine = [...document.querySelectorAll("div.cell")].filter((cell) => {
  const code = codeOf(cell);
  return code && (cell.classList.contains("tag_try-it") || CHECK.test(code));
});
// Everything that the reader has changed on this page, kept or not.
const changed = () => cells.filter((cell) => cell.current() !== cell.original);

function offerAnswers() {
  const said = element("span", { className: "classroom-said" });
  said.setAttribute("role", "status");
  const written = () => Object.fromEntries(changed().map((cell) => [cell.place, cell.current()]));
  const file = `${page.replace("chapters/", "")}-answers.ipynb`;
  const textContent = t("Save this chapter's answers to a file");
  const onclick = () => saveAnswers(written(), file, (words) => { said.textContent = words; });
  const give = element("button", { type: "button", textContent, onclick });
  const bar = element("p", { className: "classroom-bar" }, give, said);
  const exercises = document.querySelector("section#exercises");
  exercises?.insertBefore(bar, exercises.querySelector(":scope > section#to-think-about"));
}

const remark = (cell, textContent) => cell.before(element("p", { className: "classroom-said", textContent }));
if (mine.length && missing().length) {
  const lacking = missing().join(", ");
  remark(mine[0], t("This browser cannot run Python in the page (it lacks {lacking}). \
The same cells work in the notebook.", { lacking }));
} else {
  mine.forEach(prepare);
  if (setup.exercises[page]) offerAnswers();
  const first = mine.find((cell) => cell.classList.contains("tag_try-it"));
  if (first) remark(first, ABOUT);
}
if (document.querySelector("table.attnbook-progress")) {
  const save = () => download(`${JSON.stringify({ exercises: progress(), version: 1 }, null, 1)}\n`, "progress.json",
    "application/json");
  const give = (say) => saveAnswers(kept(), "answers.ipynb", say);
  offerFiles(".ipynb", t("Save my answers to a file"), give, t("Read answers from a file"), readAnswers);
  const types = ".json,application/json";
  offerFiles(types, t("Save my progress to a file"), save, t("Read progress from a file"), readProgress);
}
globalThis.attnbookPython = python; // for tests
