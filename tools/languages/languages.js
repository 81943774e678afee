/* Words of scripts in the language of the page, and the way to the same place in another language. */
// What to say for an English text; {name} in it stands for one of the values. A page in another language has loaded
// `attnbookWords` before (tools/languages).
globalThis.attnbookSay = (text, values = {}) =>
  (globalThis.attnbookWords?.[text] ?? text).replace(/\{(\w+)\}/g, (_, name) => values[name]);
document.addEventListener("click", ({ target }) => {
  const link = target.closest?.("a.other-language[data-same]");
  if (!link) return;
  // ids are the same in all languages: the last place that begins above the upper third of the window
  const places = [...document.querySelectorAll("article section[id], article .exercise[id], article dt[id]")];
  const begun = places.filter((place) => place.getBoundingClientRect().top < innerHeight / 3);
  link.hash = scrollY > 0 ? (begun.at(-1)?.id ?? "") : "";
  link.search = location.search;
});
