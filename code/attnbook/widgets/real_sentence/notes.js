/* What is said of a text of which the model, or the page's part of it, does not read every letter. */

const list = (parts, most = 3) =>
  parts.slice(0, most).join(", ") + (parts.length > most ? `, and ${parts.length - most} more` : "");

// Sentences on what a reader (pieces.js) found.
export function notesOn({ changed, unknown, unseen, kept, all }) {
  const said = [];
  if (unseen) said.push(`${unseen} invisible character${unseen > 1 ? "s were" : " was"} left out, as BERT does.`);
  if (unknown.length) said.push(`The model has no piece for ${list(unknown.map((word) => `“${word}”`))}: it reads [UNK].`);
  if (changed.length) {
    const cuts = changed.map(({ word, here, there }) =>
      there.length === 1 && here[0] !== "[UNK]"
        ? `“${word}” is read as ${here.join(" ")}`
        : `“${word}” is read as ${here.join(" ")} in place of ${there.join(" ")}`,
    );
    said.push(`This page keeps ${kept} of the model’s ${all} pieces (underlined: cut otherwise): ${list(cuts)}.`);
  }
  return said;
}
