/* The search page: looks for words and for "phrases in quotes" in the text of all sections, which text.js holds.
 * A place is [id, title, text, code]; places are shown below their pages, the best page first, the book's chapters
 * before the pages of its package. */
(() => {
"use strict";
const COMMON = /^(an?|and|are|by|do|does|for|how|i|in|is|it|of|on|or|that|the|this|to|was|what|when|where|which|why|with)$/;
// the ids, in every language, of sections that name what others explain
const ENDS = new Set(["exercises", "to-think-about", "what-we-found", "check-yourself", "further-reading"]);
const ALSO = { // what others call what the book writes out
  bpe: "byte-pair", ffn: "feed-forward", gqa: "grouped-query", kv: "key-value", layernorm: "layer norm",
  mha: "multi-head", mla: "latent", mqa: "multi-query", multihead: "multi-head", rnn: "recurrent", rope: "rotary",
  sdpa: "scaled dot-product", seq2seq: "sequence to sequence",
};
const GAP = "[\\s\\p{Pd}]+";
const KINDS = { chapter: 1.5, page: 1, glossary: 0.6, package: 1 }; // what a place is worth there
const SHOWN = 3; // places of a page that are not folded
const AROUND = 110; // characters on each side of a hit
const t = globalThis.attnbookSay; // tools/languages
const LANGUAGE = document.documentElement.lang;
const folder = document.currentScript.src.replace(/[^/]*$/, "");
const box = document.querySelector(".book-search input");
const told = document.querySelector(".search-told");
const results = document.querySelector("#search-results");
const hint = told.textContent;

// What is looked for: of each word or phrase its pattern. A word also finds what begins with it: mask, masks, masked;
// and another name of it.
function wanted(query) {
  const parts = [...query.matchAll(/["“„”]([^"“„”]+)["“”]|[^\s"“„”]+/g)].map((part) => ({
    quoted: part[1] !== undefined,
    said: (part[1] ?? part[0]).toLowerCase().replace(/^[\s([{.,;:!?]+|[\s)\]}.,;:!?]+$/gu, ""),
  }));
  const words = parts.filter((part) => part.said && (part.quoted || !COMMON.test(part.said)));
  return (words.length ? words : parts.filter((part) => part.said)).map((part) => {
    const stem = part.quoted ? part.said : part.said.replace(/(?<=\p{L}{4})(ies|ing|ed|es|(?<!s)s)$/u, "");
    const also = part.quoted ? {} : ALSO;
    const bare = source(stem, also);
    const begins = /^[\p{Script=Han}\P{L}]/u.test(stem) ? "" : "(?<!\\p{L})";
    const ends = part.quoted && /[\p{L}\p{N}]$/u.test(stem) && !/\p{Script=Han}$/u.test(stem) ? "(?![\\p{L}\\p{N}])" : "";
    const whole = new RegExp(`(?<!\\p{L})${source(part.said, also)}s?(?!\\p{L})`, "iu");
    const names = Object.hasOwn(also, part.said) ? [part.said, also[part.said]] : [part.said];
    return { ...part, names, bare, whole, pattern: new RegExp(begins + bare + ends, "giu") };
  });
}

// The pattern of a text, spaces and hyphens being the same; with the other names of its words.
function source(text, also) {
  const one = (word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  const some = (word) => (Object.hasOwn(also, word) ? `(?:${one(word)}|${source(also[word], {})})` : one(word));
  return text.split(/[\s\p{Pd}]+/u).map(some).join(GAP);
}

const count = (text, pattern) => text.match(pattern)?.length ?? 0;

// How well each place answers: as in BM25, a rare word counts more, and so does a short place, and each further time
// counts less. A title counts more than the text below it; several words count more where they stand together.
function judged(parts) {
  const all = book.flatMap(([page, kind, places]) =>
    places.map((place, number) => ({ page, kind, number, place, heading: places[0][1], found: 0, score: 0 })));
  const size = ({ place: [, , text, code] }) => text.length + 0.3 * code.length;
  const usual = all.reduce((sum, one) => sum + size(one), 0) / all.length;
  const phrase = new RegExp(`(?<!\\p{L})${parts.map(({ bare }) => bare).join(GAP)}`, "giu");
  const together = parts.length > 1 ? [{ pattern: phrase, whole: new RegExp(phrase, "iu") }] : [];
  for (const { pattern, whole } of [...parts, ...together]) {
    const hits = all.map((one) => {
      const [, title, text, code] = one.place;
      const often = count(text, pattern) + 0.3 * count(code, pattern);
      const titled = count(title, pattern) > 0;
      const above = one.number > 0 && count(one.heading, pattern) > 0;
      const exact = whole.test(`${title} ${text} ${code}`) ? 1 : 0.5;
      const worth = often / (often + 0.25 + (0.75 * size(one)) / usual) + (titled ? 1 : 0) + (above ? 0.7 : 0);
      return { here: often > 0 || titled, above, worth: exact * worth };
    });
    const rare = Math.log(1 + all.length / (1 + hits.filter((hit) => hit.here).length));
    hits.forEach(({ here, above, worth }, index) => {
      const one = all[index];
      if (here || above) one.score += rare * worth;
      if (together.some((phrase) => phrase.pattern === pattern)) return;
      one.here ||= here;
      one.found += here || above ? 1 : 0;
    });
  }
  for (const one of all) one.score *= KINDS[one.kind] * (ENDS.has(one.place[0]) ? 0.5 : 1);
  return all.filter((one) => one.here);
}

// The pages with the places that have as many parts of the query as any place has.
function search(parts) {
  const places = judged(parts);
  const most = Math.max(0, ...places.map((one) => one.found));
  const pages = new Map();
  for (const one of places.filter((each) => each.found === most).sort((a, b) => b.score - a.score)) {
    if (!pages.has(one.page)) pages.set(one.page, { ...one, places: [], worth: 0 });
    const page = pages.get(one.page);
    page.worth += one.score / 2 ** page.places.length;
    page.places.push(one);
  }
  return { most, sorted: [...pages.values()].sort((a, b) => (a.kind === "package") - (b.kind === "package") || b.worth - a.worth) };
}

function element(name, className, ...children) {
  const made = document.createElement(name);
  if (className) made.className = className;
  made.append(...children);
  return made;
}

// Where in a line the most parts of the query stand together.
function best(line, parts) {
  const hits = parts.flatMap(({ pattern }, part) => [...line.matchAll(pattern)].map(({ index }) => ({ index, part })));
  const near = ({ index }) => new Set(hits.filter((hit) => hit.index >= index && hit.index < index + AROUND)
    .map((hit) => hit.part)).size;
  return hits.map((hit) => ({ ...hit, near: near(hit) })).sort((a, b) => b.near - a.near || a.index - b.index)[0]?.index;
}

// Where a line may be cut, from a place on: at a space, or behind a Chinese character.
function gap(line, from) {
  const at = line.slice(from).search(/\s|(?<=\p{Script=Han}|[，。；：！？）])/u);
  return at < 0 ? line.length : from + at;
}

// A line of a place around its best hit, with all hits in it marked.
function snippet([, , text, code], parts) {
  const inCode = best(text, parts) === undefined && best(code, parts) !== undefined;
  const line = inCode ? code : text;
  const at = best(line, parts) ?? 0;
  const begin = at > AROUND ? gap(line, at - AROUND) : 0;
  const end = begin + 2.5 * AROUND < line.length ? gap(line, begin + 2.5 * AROUND) : line.length;
  const shown = line.slice(Math.min(begin, at), Math.max(end, at));
  const ends = "(?:(?<!\\p{Script=Han})[\\p{L}\\p{N}]*)?"; // the rest of the word; Chinese shows no ends of words
  const marks = new RegExp(parts.map(({ pattern }) => `(?:${pattern.source})${ends}`).join("|"), "giu");
  const pieces = [];
  let from = 0;
  for (const { 0: hit, index } of shown.matchAll(marks)) {
    pieces.push(shown.slice(from, index), element("mark", "", hit));
    from = index + hit.length;
  }
  const rest = shown.slice(from) + (end < line.length ? " …" : "");
  return element("p", inCode ? "search-code" : "", begin ? "… " : "", ...pieces, rest);
}

function link(one, title) {
  const made = element("a", "", title);
  made.href = one.page + (one.number ? `#${one.place[0]}` : "");
  return made;
}

function shownPlace(one, parts) {
  const title = one.number ? [element("h3", "", link(one, one.place[1]))] : [];
  return element("li", "", ...title, snippet(one.place, parts));
}

function shownPage(page, parts) {
  const heading = element("h2", "", link({ ...page, number: 0 }, page.heading));
  const items = page.places.map((one) => shownPlace(one, parts));
  const rest = items.splice(SHOWN);
  const made = element("section", "search-page", heading, element("ul", "", ...items));
  if (rest.length) {
    const summary = element("summary", "", t("{number} more on this page", { number: rest.length }));
    made.append(element("details", "", summary, element("ul", "", ...rest)));
  }
  return made;
}

const howMany = (found) => {
  const number = found.reduce((sum, page) => sum + page.places.length, 0);
  const pages = found.length;
  if (number === 1) return t("1 place on 1 page");
  return pages === 1 ? t("{number} places on 1 page", { number }) : t("{number} places on {pages} pages", { number, pages });
};

function show(query) {
  const parts = wanted(query);
  const { most, sorted } = search(parts);
  const chapters = sorted.filter((page) => page.kind !== "package");
  const ofPackage = sorted.filter((page) => page.kind === "package");
  const said = parts.map((part) => (part.quoted ? `“${part.said}”` : part.names.join(t(" or ")))).join(" ");
  const quoted = parts.some((part) => part.quoted);
  const counted = { said, places: howMany(sorted) };
  results.replaceChildren(...chapters.map((page) => shownPage(page, parts)));
  if (ofPackage.length)
    results.append(
      element("p", "search-package", t("In the description of the package: {places}", { places: howMany(ofPackage) })),
      ...ofPackage.map((page) => shownPage(page, parts)),
    );
  if (!sorted.length)
    told.textContent = quoted
      ? t("Nothing in the book has {said}. A phrase in quotes must stand there word for word.", counted)
      : t("Nothing in the book has {said}.", counted);
  else
    told.textContent = most < parts.length
      ? t("No place has all of: {said}. These have a part of it: {places}", counted)
      : t("{said}: {places}", counted);
  localStorage.removeItem("sphinx_highlight_terms");
  results.onclick = ({ target }) => {
    // Sphinx marks these words on the page that is opened
    if (!target.closest("a")) return;
    localStorage.setItem("sphinx_highlight_terms", parts.flatMap(({ names }) => names).join(" "));
    remember(box.value.trim()); // what was typed last may not have been looked up yet
  };
}

let asked = null;
let book = null; // the pages, with their places
function loaded() {
  asked ??= new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.src = `${folder}text${LANGUAGE === "en" ? "" : `-${LANGUAGE}`}.js`;
    script.onload = () => resolve(globalThis.attnbookText);
    script.onerror = reject;
    document.head.append(script);
  }).then((bytes) => { book = JSON.parse(new TextDecoder().decode(bytes)); });
  asked.catch(() => { asked = null; }); // the next query asks again
  return asked;
}

function remember(query) {
  const address = new URL(location.href);
  if (query) address.searchParams.set("q", query);
  else address.searchParams.delete("q");
  history.replaceState(null, "", address);
}

async function look() {
  const query = box.value.trim();
  remember(query);
  if (!wanted(query).length) { // nothing, or only punctuation
    results.replaceChildren();
    told.textContent = hint;
    return;
  }
  try {
    await loaded();
  } catch {
    told.textContent = t("The text of the book, _static/search/text.js, could not be loaded. \
Is the folder of the book whole?");
    return;
  }
  if (query === box.value.trim()) show(query);
}

box.value = new URLSearchParams(location.search).get("q") ?? "";
box.focus();
box.select();
let timer;
const after = (wait) => {
  clearTimeout(timer);
  if (wait) timer = setTimeout(look, wait);
  else look();
};
box.addEventListener("input", () => after(200));
box.addEventListener("keydown", ({ key }) => {
  if (key === "Tab") after(0); // later, it would replace the link that has the focus
});
box.form.addEventListener("submit", (event) => {
  event.preventDefault();
  after(0);
});
look();
})();
