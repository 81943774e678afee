/* What is said of a text of which the model, or the page's part of it, does not read every letter. */

import { say } from "../kit/kit.js";

const list = (parts, between) =>
  parts.length > 3
    ? say("{some}{between}and {more} more", { some: parts.slice(0, 3).join(between), between, more: parts.length - 3 })
    : parts.join(between);

const thousands = (n) => n.toLocaleString("en");

// Sentences on what a reader (pieces.js) found.
export function notesOn({ changed, unknown, unseen, kept, all }) {
  const said = [];
  if (unseen === 1) said.push(say("1 invisible character was left out, as BERT does."));
  if (unseen > 1) said.push(say`${unseen} invisible characters were left out, as BERT does.`);
  if (unknown.length) {
    const words = unknown.map((word) => `“${word}”`);
    said.push(say`The model has no piece for ${list(words, say(", "))}: it reads [UNK].`);
  }
  if (changed.length) {
    const cuts = changed.map(({ word, here, there }) => say`“${word}” as ${here.join(" ")}, not ${there.join(" ")}`);
    said.push(
      say("This page keeps {kept} of the model’s {all} pieces (its placeholders are no pieces). It reads {cuts}.", {
        kept: thousands(kept),
        all: thousands(all),
        cuts: list(cuts, say("; ")),
      }),
    );
  }
  return said;
}
