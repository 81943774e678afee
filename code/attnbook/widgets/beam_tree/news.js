/* What the sentence under the tree says: who leads, who overtakes and who falls out at a step, and how it ended. */

import DATA from "./data.json" with { type: "json" };
import { fmt, fmtShort } from "../kit/kit.js";
import { inARow, langOf } from "../kit/text.js";
import { beamSearch, EOS, named, ranked, scoreOf, standing } from "./search.js";
import { sameWords } from "./tree.js";

// The joke of the first state, for who reads no French.
const GLOSSES = { "She has a sister who is a doctor.": ["un sœur", "wrong gender: sœur is feminine"] };

export const counted = (n, one) => `${n} ${n === 1 ? one : `${one}s`}`;
const quoted = (words) => `“${inARow(named(words))}”`;

// A prefix by its words after the first `from`; of a long one the first and the last; <eos> only where it is alone.
function called({ words, logProb }, from = 0) {
  const all = words.slice(from);
  const own = all.length > 1 ? all.filter((word) => word !== EOS) : all;
  const isLong = own.length > 3 && inARow(named(own)).length > 7; // in Chinese, seven are few
  const name = isLong ? `“${named([own[0]])} … ${inARow(named(own.slice(-2)))}”` : quoted(own);
  return `${name} ${fmt(logProb)}`;
}

const listOf = (names) => (names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`);

// Where widths 1 and k part: the first word at which the best of the beam is not greedy decoding's; -1 if nowhere.
const partingOf = ({ ranking: [best], greedy }) => best.words.findIndex((word, i) => word !== greedy.words[i]);

// The pair that changed places at this step, the likelier first; null if none did.
function overtaking(before, now) {
  const earlier = (hyp) => before.indexOf(before.includes(hyp) ? hyp : hyp.parent);
  const pairs = now.flatMap((fast, i) => now.slice(i + 1).map((slow) => [fast, slow]));
  return pairs.find(([fast, slow]) => earlier(fast) > earlier(slow)) || null;
}

// What is new at a step before the last, at most two things.
function news({ search, step, width, greedy }) {
  const { kept, dropped } = search.steps[step - 1];
  if (width === 1) {
    const after = step === 1 ? "" : ` after ${quoted(kept[0].parent.words.slice(-2))}`;
    const near = (x) => (x < 0.005 ? "< 0.01" : x > 0.995 ? "> 0.99" : `= ${fmt(x)}`).replace(" ", "\u00a0");
    const p = (hyp) => `${quoted([hyp.word])} (p\u00a0${near(Math.exp(hyp.own))})`;
    const other = dropped.length ? `; ${p(dropped[0])} is dropped for good` : "";
    return `Step ${step}: ${p(kept[0])} is the likeliest word${after}${other}.`;
  }
  if (step === 1) return `Step 1: the beam begins with ${listOf(kept.map((hyp) => called(hyp)))}.`;
  const [before, now] = [standing(search, step - 1), standing(search, step)];
  const open = before.filter((hyp) => !hyp.ended);
  const kids = (hyp) => kept.filter((kid) => kid.parent === hyp);
  const found = [];
  const pair = overtaking(before, now);
  if (pair) {
    const same = pair[0].words.findIndex((word, i) => word !== pair[1].words[i]);
    found.push(`${called(pair[0], same)} overtakes ${called(pair[1], same)}`);
  }
  kept.filter((hyp) => hyp.ended).forEach((hyp) => found.push(`${called(hyp)} is finished and keeps its place`));
  const out = open.filter((hyp) => !kids(hyp).length);
  out.slice(0, 1).forEach((hyp) => {
    const greedys = sameWords(hyp.words, greedy.words.slice(0, step - 1)) ? ", greedy decoding's way," : "";
    const next = dropped.find((kid) => kid.parent === hyp);
    const others = out.length > 1 ? ` and ${counted(out.length - 1, "other")} fall out` : " falls out";
    const why = out.length === 1 && next ? `, as its best continuation has only ${fmt(next.logProb)}` : "";
    found.push(`${called(hyp)}${greedys}${others}${why}`);
  });
  open
    .filter((hyp) => kids(hyp).length > 1)
    .forEach((hyp) =>
      found.push(`${called(hyp)} goes on with ${listOf(kids(hyp).map((kid) => called(kid, hyp.words.length)))}`),
    );
  if (!found.length) found.push(`no prefix falls out or overtakes; ${called(now[0])} leads`);
  return `Step ${step}: ${found.slice(0, 2).join("; ")}.`;
}

// How a search ended that writes something else than greedy decoding.
function outcome(view, parts) {
  const { text, width, alpha, ranking, greedy } = view;
  const [best] = ranking;
  const after = parts === 0 ? "" : `, after ${quoted(best.words.slice(0, parts))}`;
  const [wrong, why] = GLOSSES[text] || [];
  const gloss = wrong && named(greedy.words.slice(parts)).join(" ").startsWith(wrong) ? ` (${why})` : "";
  const word = (hyp) => quoted(hyp.words.slice(parts, parts + 1));
  const begin =
    `Widths 1 and ${width} part at step ${parts + 1}${after}: greedy decoding takes ${word(greedy)}${gloss}, ` +
    `the best of the beam ${word(best)}.`;
  const apart = best.logProb - greedy.logProb;
  const ratio = Math.exp(apart);
  const close = Math.abs(ratio - 1) < 0.005;
  const hardly = `hardly ${apart > 0 ? "more" : "less"} probable than`;
  const times = close ? hardly : `${fmtShort(ratio)} times as probable as`;
  const place = ranking.findIndex((hyp) => sameWords(hyp.words, greedy.words));
  const comes = place < 0 ? "which fell out" : `which comes ${["first", "second", "third", "fourth", "fifth"][place]}`;
  const what = best.ended ? "sentence" : "prefix";
  if (apart > 0) return `${begin} The beam's ${what} is ${times} greedy's, ${comes}.`;
  if (!greedy.ended && best.ended)
    return `${begin} The beam's sentence is ${times} greedy's, but what is cut off comes last.`;
  const longer = best.words.length > greedy.words.length ? "longer, and " : "";
  const better = scoreOf(best, alpha) > scoreOf(greedy, alpha);
  if (better)
    return `${begin} The beam's ${what} is ${times} greedy's, but ${longer}with α = ${fmt(alpha, 1)} scores better.`;
  return `${begin} The beam's ${what} is ${times} greedy's, ${comes}.`;
}

// The sentence under the tree: what happens at this step, and where widths 1 and k part.
export function explain(view) {
  const { step, last, width, alpha, lang } = view;
  const units = lang === "zh-Hans" ? " Each Chinese character counts as a word." : "";
  if (step === 0)
    return `The model has read “${view.text}”. Every search begins with <bos>, log-probability 0.${units}`;
  if (step < last) return news(view);
  if (width === 1) return "A beam of width 1 is greedy decoding: one prefix, and the likeliest word after it.";
  const parts = partingOf(view);
  if (parts >= 0) return outcome(view, parts);
  const at = alpha ? ` (α = ${fmt(alpha, 1)})` : "";
  return `Widths 1 and ${width} do not part: the best of the beam is what greedy decoding writes${at}.`;
}

// What is said and listed of a sentence at a width, without what is drawn; `searched` gives a search.
export function viewOf(searched, sentence, width, maxLen, alpha, shown = null) {
  const search = searched(sentence, width, maxLen);
  const { target, text, references } = DATA.sentences[sentence];
  return {
    lang: langOf(target),
    text,
    references,
    search,
    width,
    alpha,
    last: search.steps.length,
    step: shown ?? search.steps.length,
    ranking: ranked(search, alpha),
    greedy: ranked(searched(sentence, 1, maxLen), alpha)[0],
  };
}

// What a test can read: the sentence of a state.
export const explained = (...of) =>
  explain(viewOf((s, width, n) => beamSearch(DATA.sentences[s].nodes, width, n), ...of));
