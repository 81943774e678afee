// Answers that were written in the page, as a notebook: made by Python (handing_in.py), handed in, read back. Part of
// the page's one script.
import { setup, t } from "./book.js";
import { download, FULL, NAMES, store } from "./progress.js";
import { python } from "./python.js";

const LARGEST_NOTEBOOK = 2_000_000; // bytes
const MOST_OTHERS = 500; // cells that this edition does not have, or that are no exercises

// All that the browser keeps, by page and exercise (handing_in.py says what else there is).
export function kept() {
  const found = {};
  for (let number = 0; number < localStorage.length; number += 1) {
    const key = localStorage.key(number).match(/^attnbook:(cell:(.*))$/s);
    const text = key && store.get(key[1]);
    if (typeof text === "string") found[key[2]] = text;
  }
  return found;
}

const nameOf = (key) => key.slice(key.indexOf(":") + 1);

export async function saveAnswers(written, file, say) {
  if (!Object.keys(written).some((key) => NAMES.includes(nameOf(key)))) {
    return say(globalThis.attnbookForgets
      ? t("{full}; answers can be saved only where they are written, below a chapter's exercises.", { full: FULL })
      : t("No answer is written yet."));
  }
  try {
    const { notebook, answers } = await python.run({ kept: written }, say, () => {});
    download(notebook, file, "application/x-ipynb+json");
    say(t("Saved as {file}: {answers}.", { file, answers: answers.join(", ") }));
  } catch (error) {
    say(error.message);
  }
}

// What a notebook says that it is the reader's text of: cells of pages of this book.
function theirs({ cells: all }) {
  const [found, others] = [{}, new Set()];
  for (const { metadata, source } of all) {
    const key = String(metadata?.attnbook);
    const where = key.slice(0, key.indexOf(":"));
    if (!Object.hasOwn(setup.exercises, where)) continue;
    const isOurs = setup.exercises[where].includes(nameOf(key));
    if (!isOurs && !/^[0-9a-z]{1,7}$/.test(nameOf(key))) continue;
    if (!isOurs && others.add(key).size > MOST_OTHERS) return {}; // was not saved here
    found[key] = [source].flat().join("");
  }
  return found;
}

export async function readAnswers(file) {
  const nothing = t("This file holds no answers that were saved here; nothing was changed.");
  try {
    if (file.size > LARGEST_NOTEBOOK) return nothing;
    const [found, here] = [theirs(JSON.parse(await file.text())), kept()];
    const others = Object.keys(found).filter((key) => (here[key] ?? found[key]) !== found[key]);
    const question = t("Here you have written something else for these. Replace it by what the file holds?");
    const isKept = others.length && !confirm(`${question}\n\n${others.map(nameOf).join("\n")}`);
    if (isKept) others.forEach((key) => delete found[key]);
    const read = Object.entries(found);
    if (!read.length) return nothing;
    for (const [key, text] of read)
      if (!store.set(`cell:${key}`, text)) return t("{full}; not everything was kept.", { full: FULL });
    const answers = read.map(([key]) => nameOf(key)).join(", ");
    return t("Read; they stand in their chapters now: {answers}.", { answers });
  } catch {
    return nothing;
  }
}
