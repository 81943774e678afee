/* WordPiece, as BERT without capitals reads a text: words and marks first, then the longest pieces that the vocabulary
 * has, from the left. The page's vocabulary is a part of the model's; a word that it cuts otherwise is marked.
 * (Devlin et al., 2019; the same cuts as Hugging Face's `tokenizers`, which the tests compare.) */

const MARKED = /(\[(?:PAD|UNK|CLS|SEP|MASK)\])/;
const NOTHING = /[\0\ufffd]|(?![\t\n\r])[\p{Cc}\p{Cf}\p{Co}\p{Cs}]/gu;
const HAN = new RegExp(
  "[\u4e00-\u9fff\u3400-\u4dbf\u{20000}-\u{2a6df}\u{2a700}-\u{2b73f}\u{2b740}-\u{2b81f}\u{2b920}-\u{2ceaf}" +
    "\uf900-\ufaff\u{2f800}-\u{2fa1f}]",
  "gu",
);
const WORDS = /[!-/:-@[-`{-~\p{P}]|[^\p{White_Space}!-/:-@[-`{-~\p{P}]+/gu;
const LONGEST = 100; // characters of a word that is cut at all

// A text as words and marks, in small letters without accents.
export function wordsOf(text) {
  return text.split(MARKED).flatMap((part, i) => {
    if (i % 2) return [part];
    const bare = part
      .replace(NOTHING, "")
      .replace(HAN, " $& ")
      .normalize("NFD")
      .replace(/\p{Mn}/gu, "");
    return (
      Array.from(bare, (letter) => letter.toLowerCase())
        .join("")
        .match(WORDS) || []
    );
  });
}

// A word in the longest pieces of which has(piece) is true, or [UNK].
export function cutWord(word, has) {
  const letters = Array.from(word);
  if (letters.length > LONGEST) return ["[UNK]"];
  const pieces = [];
  for (let start = 0; start < letters.length;) {
    let end = letters.length;
    const piece = () => (start ? "##" : "") + letters.slice(start, end).join("");
    while (end > start && !has(piece())) end -= 1;
    if (end === start) return ["[UNK]"];
    pieces.push(piece());
    start = end;
  }
  return pieces;
}

/* makeReader(kept, others)(text) → what the model reads:
 *   pieces     with [CLS] in front and [SEP] behind
 *   rows       of the embedding, one for each piece
 *   otherwise  per piece, whether the whole vocabulary would cut its word in another way
 *   changed    those words: {word, here, there}, in pieces
 *   unknown    the words for which the whole vocabulary has no pieces either
 *   unseen     how many characters were left out since nobody sees them, such as NUL
 *   kept, all  how many pieces the page has, and how many the model */
export function makeReader(kept, others) {
  const rows = new Map(kept.map((piece, row) => [piece, row]));
  const left = new Set(others);
  const here = (piece) => rows.has(piece);
  const there = (piece) => rows.has(piece) || left.has(piece);
  const counts = { kept: kept.length, all: kept.length + others.length };
  return (text) => {
    const unseen = (text.match(NOTHING) || []).length;
    const read = { pieces: ["[CLS]"], otherwise: [false], changed: [], unknown: [], unseen, ...counts };
    for (const word of wordsOf(text)) {
      const whole = here(word);
      const [now, full] = whole ? [[word], [word]] : [cutWord(word, here), cutWord(word, there)];
      const changed = now.join(" ") !== full.join(" ");
      if (full[0] === "[UNK]") read.unknown.push(word);
      if (changed) read.changed.push({ word, here: now, there: full });
      read.pieces.push(...now);
      now.forEach(() => read.otherwise.push(changed));
    }
    read.pieces.push("[SEP]");
    read.otherwise.push(false);
    return { ...read, rows: read.pieces.map((piece) => rows.get(piece)) };
  };
}
