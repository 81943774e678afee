// What the browser keeps: what was written and solved. Part of the page's one script; `setup.exercises` holds the names
// of each page's exercises, `page` is the name of this one.
import { page, setup, t } from "./book.js";

export const FULL = t("This browser's storage is full or blocked");
export const NAMES = Object.values(setup.exercises).flat();
const LARGEST = 100_000; // characters of a record of progress; all exercises of the book take 5,000

export const store = {
  get(key, most = Infinity) {
    try {
      const text = localStorage.getItem(`attnbook:${key}`);
      return text.length > most ? null : JSON.parse(text);
    } catch { return null; } // nothing is kept, or nothing that we wrote
  },
  set(key, value) {
    const [place, text] = [`attnbook:${key}`, value === null ? null : JSON.stringify(value)];
    try {
      if (text === null) localStorage.removeItem(place);
      else localStorage.setItem(place, text);
      return !globalThis.attnbookForgets && !globalThis.attnbookUnkept?.has(place); // tools/pages/finish.py
    } catch { return false; } // private windows and full disks: the page works, and forgets
  },
};

// Once in a tab: that nothing more is kept.
function tellFull() {
  if (sessionStorage.getItem("attnbook-told")) return;
  sessionStorage.setItem("attnbook-told", "yes");
  const textContent = t("{full}: what you now write, choose or solve in this book is lost when you close the page. \
Answers can be saved to a file.", { full: FULL });
  const close = element("button", { type: "button", textContent: t("Close") });
  const bar = element("div", { className: "classroom-full" }, element("span", { textContent }), close);
  bar.setAttribute("role", "status");
  close.onclick = () => bar.remove();
  document.body.append(bar);
}

// Of what a file or the browser says, that which can be: exercises of this book, each with its state, perhaps a date.
function understood(said) {
  const entries = {};
  for (const name of NAMES) {
    const { state, solved_on } = (Object.hasOwn(said ?? {}, name) && said[name]) || {};
    const isDate = typeof solved_on === "string" && /^\d{4}-\d\d-\d\d$/.test(solved_on);
    if (state === "solved" && isDate) entries[name] = { solved_on, state };
    else if (["solved", "attempted"].includes(state)) entries[name] = { state };
  }
  return entries;
}

// The same record as the notebooks' progress file (attnbook/exercises/record.py).
export const progress = () => understood(store.get("progress", LARGEST)?.exercises);
const keep = (exercises) => store.set("progress", { exercises, version: 1 });
export function note(name, status) {
  const known = progress();
  if (status === "unwritten" || known[name]?.state === "solved") return;
  const entry = status === "solved"
    ? { solved_on: new Date().toLocaleDateString("sv"), state: "solved" } : { state: "attempted" };
  keep({ ...known, [name]: entry });
  showProgress();
}

export const element = (tag, properties = {}, ...children) => {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children);
  return made;
};

export function showProgress() {
  const known = progress();
  const solved = (names) => names.filter((name) => known[name]?.state === "solved").length;
  for (const link of document.querySelectorAll(".bd-sidebar-primary a.reference.internal")) {
    const here = link.getAttribute("href") === "#";
    const names = setup.exercises[here ? page : new URL(link.href).pathname.match(/(chapters\/[^/]+)\.html$/)?.[1]];
    link.querySelector(".classroom-solved")?.remove();
    if (!names || !solved(names)) continue;
    const textContent = `${solved(names)}/${names.length} ✓`;
    const mark = element("span", { className: "classroom-solved", textContent });
    mark.title = t("{solved} of {all} exercises solved", { solved: solved(names), all: names.length });
    link.append(" ", mark);
  }
  const table = document.querySelector("table.attnbook-progress");
  if (!table) return;
  table.caption.textContent = t("{solved} of {all} exercises solved", { solved: solved(NAMES), all: NAMES.length });
  for (const row of table.tBodies[0].rows) {
    const state = known[row.querySelector("code").textContent]?.state;
    const signs = { solved: ["✓", t("solved")], attempted: ["✗", t("tried, not solved yet")] };
    const [sign, words] = signs[state] || ["○", t("not tried yet")];
    const mark = row.cells[2].firstChild;
    mark.textContent = sign;
    mark.setAttribute("aria-label", words);
    row.cells[2].title = words;
  }
}

export function download(text, name, type) {
  const address = URL.createObjectURL(new Blob([text], { type }));
  element("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}

export async function readProgress(file) {
  const nothing = t("This is not a progress file of this book; nothing was changed.");
  try {
    if (file.size > LARGEST) return nothing;
    const { version, exercises } = JSON.parse(await file.text());
    if (!(version <= 1) || exercises.constructor !== Object) return nothing;
    const [known, theirs, names] = [progress(), understood(exercises), Object.keys(exercises)];
    if (NAMES.some((name) => Object.hasOwn(exercises, name) && !theirs[name])) return nothing;
    for (const [name, entry] of Object.entries(theirs)) {
      if (!known[name] || (entry.state === "solved" && known[name].state !== "solved")) known[name] = entry;
    }
    if (!keep(known)) return t("{full}; nothing was kept.", { full: FULL });
    const unknown = names.length - Object.keys(theirs).length;
    return unknown
      ? t("Read; what is solved in either place is now solved here. \
Names that are no exercises of this book were left out: {unknown}.", { unknown })
      : t("Read; what is solved in either place is now solved here.");
  } catch {
    return nothing;
  }
}

// A line of buttons in front of the table of progress. read(file): a promise of what to say.
export function offerFiles(accept, giving, give, taking, read) {
  const table = document.querySelector("table.attnbook-progress");
  const said = element("span", { className: "classroom-said" });
  said.setAttribute("role", "status");
  const say = (words) => { said.textContent = words; };
  const choose = element("input", { type: "file", accept, hidden: true });
  const giver = element("button", { type: "button", textContent: giving, onclick: () => give(say) });
  const taker = element("button", { type: "button", textContent: taking, onclick: () => choose.click() });
  choose.onchange = async () => {
    say(await read(choose.files[0]));
    choose.value = "";
    showProgress();
  };
  table.before(element("p", { className: "classroom-bar" }, giver, taker, choose, said));
}

if (globalThis.attnbookUnkept?.size) tellFull();
addEventListener("attnbook-full", tellFull);

export function linkExercises() {
  for (const code of document.querySelectorAll("table.attnbook-progress td code")) {
    const name = code.textContent;
    const where = Object.keys(setup.exercises).find((chapter) => setup.exercises[chapter].includes(name));
    const link = element("a", { href: `${where.replace("chapters/", "")}.html#ex-${name}` });
    code.replaceWith(link);
    link.append(code);
  }
}
