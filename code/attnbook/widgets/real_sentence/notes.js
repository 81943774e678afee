/* What is said of a text of which the model, or the page's part of it, does not read every letter. */

const list = (parts, between) =>
  parts.slice(0, 3).join(between) + (parts.length > 3 ? `${between}and ${parts.length - 3} more` : "");

const thousands = (n) => n.toLocaleString("en");

// Sentences on what a reader (pieces.js) found.
export function notesOn({ changed, unknown, unseen, kept, all }) {
  const said = [];
  if (unseen) said.push(`${unseen} invisible character${unseen > 1 ? "s were" : " was"} left out, as BERT does.`);
  if (unknown.length)
    said.push(
      `The model has no piece for ${list(
        unknown.map((word) => `“${word}”`),
        ", ",
      )}: it reads [UNK].`,
    );
  if (changed.length) {
    const cuts = changed.map(({ word, here, there }) => `“${word}” as ${here.join(" ")}, not ${there.join(" ")}`);
    said.push(
      `This page keeps ${thousands(kept)} of the model’s ${thousands(all)} pieces. It reads ${list(cuts, "; ")}.`,
    );
  }
  return said;
}
