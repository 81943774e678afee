/* What the sentence under the tree says: who leads, who overtakes and who falls out at a step, and how it ended. */

import DATA from "./data.json" with { type: "json" };
import { fmt, fmtShort, say } from "../kit/kit.js";
import { inARow, langOf } from "../kit/text.js";
import { beamSearch, EOS, named, ranked, scoreOf, standing } from "./search.js";
import { sameWords } from "./tree.js";

// The joke of the first state, for who reads no French.
const GLOSSES = { "She has a sister who is a doctor.": ["un sœur", say(" (wrong gender: sœur is feminine)")] };

const quoted = (words) => `“${inARow(named(words))}”`;

// A prefix by its words after the first `from`; of a long one the first and the last; <eos> only where it is alone.
function called({ words, logProb }, from = 0) {
  const all = words.slice(from);
  const own = all.length > 1 ? all.filter((word) => word !== EOS) : all;
  const isLong = own.length > 3 && inARow(named(own)).length > 7; // in Chinese, seven are few
  const name = isLong ? `“${named([own[0]])} … ${inARow(named(own.slice(-2)))}”` : quoted(own);
  return `${name} ${fmt(logProb)}`;
}

const listOf = (names) =>
  names.length < 2
    ? names.join("")
    : say("{others} and {last}", { others: names.slice(0, -1).join(say(", ")), last: names.at(-1) });

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
    const near = (x) => (x < 0.005 ? "< 0.01" : x > 0.995 ? "> 0.99" : `= ${fmt(x)}`).replace(" ", "\u00a0");
    const p = (hyp) => `${quoted([hyp.word])} (p\u00a0${near(Math.exp(hyp.own))})`;
    const other = dropped.length ? say`; ${p(dropped[0])} is dropped for good` : "";
    if (step === 1) return say`Step 1: ${p(kept[0])} is the likeliest word${other}.`;
    const after = quoted(kept[0].parent.words.slice(-2));
    return say`Step ${step}: ${p(kept[0])} is the likeliest word after ${after}${other}.`;
  }
  if (step === 1) return say`Step 1: the beam begins with ${listOf(kept.map((hyp) => called(hyp)))}.`;
  const [before, now] = [standing(search, step - 1), standing(search, step)];
  const open = before.filter((hyp) => !hyp.ended);
  const kids = (hyp) => kept.filter((kid) => kid.parent === hyp);
  const found = [];
  const pair = overtaking(before, now);
  if (pair) {
    const same = pair[0].words.findIndex((word, i) => word !== pair[1].words[i]);
    found.push(say`${called(pair[0], same)} overtakes ${called(pair[1], same)}`);
  }
  kept.filter((hyp) => hyp.ended).forEach((hyp) => found.push(say`${called(hyp)} is finished and keeps its place`));
  const out = open.filter((hyp) => !kids(hyp).length);
  out.slice(0, 1).forEach((hyp) => {
    const isGreedys = sameWords(hyp.words, greedy.words.slice(0, step - 1));
    const name = isGreedys ? say`${called(hyp)}, on the greedy path,` : called(hyp);
    const next = dropped.find((kid) => kid.parent === hyp);
    if (out.length === 2) found.push(say`${name} and 1 other fall out`);
    else if (out.length > 2) found.push(say`${name} and ${out.length - 1} others fall out`);
    else if (next) found.push(say`${name} falls out, as its best continuation has only ${fmt(next.logProb)}`);
    else found.push(say`${name} falls out`);
  });
  open
    .filter((hyp) => kids(hyp).length > 1)
    .forEach((hyp) =>
      found.push(say`${called(hyp)} goes on with ${listOf(kids(hyp).map((kid) => called(kid, hyp.words.length)))}`),
    );
  if (!found.length) found.push(say`no prefix falls out or overtakes another; ${called(now[0])} leads`);
  return say`Step ${step}: ${found.slice(0, 2).join(say("; "))}.`;
}

const PLACES = [
  say("which comes first"),
  say("which comes second"),
  say("which comes third"),
  say("which comes fourth"),
  say("which comes fifth"),
];

// How a search ended that writes something else than greedy decoding.
function outcome(view, parts) {
  const { text, alpha, ranking, greedy } = view;
  const [best] = ranking;
  const [wrong, why] = GLOSSES[text] || [];
  const gloss = wrong && named(greedy.words.slice(parts)).join(" ").startsWith(wrong) ? why : "";
  const word = (hyp) => quoted(hyp.words.slice(parts, parts + 1));
  const after = quoted(best.words.slice(0, parts));
  const [step, taken, other] = [parts + 1, `${word(greedy)}${gloss}`, word(best)];
  const begin =
    parts === 0
      ? say`At step 1 greedy decoding takes ${taken} and the beam's best takes ${other}.`
      : say("At step {step}, after {after}, greedy decoding takes {taken} and the beam's best takes {other}.", {
          step,
          after,
          taken,
          other,
        });
  const apart = best.logProb - greedy.logProb;
  const ratio = Math.exp(apart);
  const close = Math.abs(ratio - 1) < 0.005;
  const hardly = apart > 0 ? say("hardly more probable than") : say("hardly less probable than");
  const times = close ? hardly : say`${fmtShort(ratio)} times as probable as`;
  const place = ranking.findIndex((hyp) => sameWords(hyp.words, greedy.words));
  const comes = place < 0 ? say("which fell out of the beam") : PLACES[place];
  if (apart <= 0 && !greedy.ended && best.ended)
    return say`${begin} The beam's sentence is ${times} the greedy one, but what is cut off comes last.`;
  const longer =
    best.words.length > greedy.words.length
      ? say`but it is longer, and with α = ${fmt(alpha, 1)} scores better`
      : say`but with α = ${fmt(alpha, 1)} it scores better`;
  const end = apart <= 0 && scoreOf(best, alpha) > scoreOf(greedy, alpha) ? longer : comes;
  return best.ended
    ? say`${begin} The beam's sentence is ${times} the greedy one, ${end}.`
    : say`${begin} The beam's prefix is ${times} the greedy one, ${end}.`;
}

// The sentence under the tree: what happens at this step, and where widths 1 and k part.
export function explain(view) {
  const { step, last, width, alpha, lang } = view;
  const units = lang === "zh-Hans" ? say(" Each Chinese character counts as a word.") : "";
  if (step === 0)
    return say`The model has read “${view.text}”. Every search begins with <bos>, log-probability 0.${units}`;
  if (step < last) return news(view);
  if (width === 1) return say("A beam of width 1 is greedy decoding: one prefix, and the likeliest word after it.");
  const parts = partingOf(view);
  if (parts >= 0) return outcome(view, parts);
  const at = alpha ? say` (α = ${fmt(alpha, 1)})` : "";
  return say`The best of the beam of ${width} is what greedy decoding writes, too${at}.`;
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
