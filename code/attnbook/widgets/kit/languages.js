/* Between which languages the book's models translate, and the choice among them. A page of other languages has a trait
 * `own` like one of these (translate_page/own.py); there is one model, and its files have the names of the French ones.
 */

import { say } from "./kit.js";
import { langOf } from "./text.js";

const WHO = say("A model trained for this book");
// self: how the language calls itself
export const BOOK = {
  fr: { languages: [say("English"), say("French")], codes: ["en", "fr"], self: "Français", who: WHO },
  zh: { languages: [say("English"), say("Chinese")], codes: ["en", "zh"], self: "中文", who: WHO },
};

export const fileOf = (name, target) => (target === "fr" ? name : `${name}-${target}`);

// A select of the trait `target`; choose(target) sets it, and what has to change with it.
export function selectTarget(fig, targets, choose) {
  const input = fig.select("target", { label: say("Into"), options: targets.map((one) => [one, BOOK[one].self]) });
  input.onchange = () => choose(targets[input.selectedIndex]);
  input.querySelectorAll("option").forEach((option, i) => option.setAttribute("lang", langOf(targets[i])));
}
