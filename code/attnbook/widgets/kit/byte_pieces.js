/* Byte-pair encoding of a text's bytes, as attnbook.text.ByteVocabulary has it: nothing is unknown.
 *
 *   const pieces = makeBytePieces(stored)    stored: ByteVocabulary.to_dict
 *   pieces.encode("a cat")                   [64, 312], its ids
 *   pieces.decode([64, 312])                 "a cat"; � where the bytes of a character are not all there
 *   pieces.parts([64, 312])                  ["a", " cat"]: what each adds to the text; together they are the text
 *   pieces.names([64, 312])                  ["a", "␣cat"]: each by itself, to be read
 */

import { range } from "./kit.js";

const SPACE = "[\\t-\\r \\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]";
const OTHER = SPACE.replace("[", "[^\\p{L}\\p{N}");
// Pieces end where words do: a short ending, letters, digits or other marks with the space before them, spaces.
const WORDS = new RegExp(
  `'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?${OTHER}+|${SPACE}+(?!${SPACE.replace("[", "[^")})|${SPACE}+`,
  "gu",
);

// GPT-2's letter for each byte: itself where it can be seen, and letters from 256 on for the others.
const seen = (byte) => (byte > 32 && byte < 127) || (byte > 160 && byte !== 173);
const LETTERS = [];
range(256).reduce((next, byte) => {
  LETTERS[byte] = String.fromCharCode(seen(byte) ? byte : next);
  return next + !seen(byte);
}, 256);
const BYTES = new Map(LETTERS.map((letter, byte) => [letter, byte]));

// A piece of text, to be read by itself.
export const visible = (text) => text.replace(/ /g, "␣").replace(/\n/g, "⏎");

export function makeBytePieces({ kind, tokenizer }) {
  if (kind !== "bytes") throw new Error(`the vocabulary is of “${kind}”, not of bytes`);
  const ids = new Map(Object.entries(tokenizer.model.vocab));
  const pieces = [];
  ids.forEach((id, piece) => (pieces[id] = piece));
  const ranks = new Map(tokenizer.model.merges.map(([a, b], rank) => [`${a} ${b}`, rank]));

  function joined(word) {
    const parts = Array.from(new TextEncoder().encode(word), (byte) => LETTERS[byte]);
    while (parts.length > 1) {
      let [best, at] = [Infinity, -1];
      for (let i = 0; i + 1 < parts.length; i++) {
        const rank = ranks.get(`${parts[i]} ${parts[i + 1]}`) ?? Infinity;
        if (rank < best) [best, at] = [rank, i];
      }
      if (at < 0) break;
      parts.splice(at, 2, parts[at] + parts[at + 1]);
    }
    return parts;
  }
  const bytesOf = (id) => Uint8Array.from(pieces[id], (letter) => BYTES.get(letter));
  const inHex = (bytes) => `‹${Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join(" ")}›`;

  function parts(some) {
    const reader = new TextDecoder("utf-8", { ignoreBOM: true });
    return some.map((id, i) => reader.decode(bytesOf(id), { stream: i + 1 < some.length }));
  }
  return {
    size: pieces.length,
    encode: (text) => (text.match(WORDS) ?? []).flatMap((word) => joined(word).map((piece) => ids.get(piece))),
    parts,
    decode: (some) => parts(some).join(""),
    names: (some) =>
      some.map((id) => {
        const [text] = parts([id]);
        return text.includes("�") ? inHex(bytesOf(id)) : visible(text);
      }),
  };
}
