/* Between which languages “translate in the page” translates. A page of other languages has a trait `own` like one of
 * these (own.py); there is one model, and its files have the names of the French ones. */

const WHO = "A model trained for this book";
// self: how the language calls itself
export const BOOK = {
  fr: { languages: ["English", "French"], codes: ["en", "fr"], self: "Français", who: WHO },
  zh: { languages: ["English", "Chinese"], codes: ["en", "zh"], self: "中文", who: WHO },
};

export const fileOf = (name, target) => (target === "fr" ? name : `${name}-${target}`);
