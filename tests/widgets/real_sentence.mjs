// Reads [a file of weights, texts, whether to encode them, too] as JSON and writes how the page reads each text, and what
// its encoder makes of it (test_real_sentence.py).
import { readFileSync } from "node:fs";
import { readWeights } from "../../code/attnbook/widgets/kit/weights.js";
import { makeEncoder, sentenceVector } from "../../code/attnbook/widgets/real_sentence/encoder.js";
import { notesOn } from "../../code/attnbook/widgets/real_sentence/notes.js";
import { makeReader } from "../../code/attnbook/widgets/real_sentence/pieces.js";

const [path, texts, encoded] = JSON.parse(readFileSync(0, "utf8"));
const file = readWeights(readFileSync(path, "base64"));
const { pieces, others } = file.about;
const [here, whole] = [makeReader(pieces, others), makeReader([...pieces, ...others], [])];
const { encode, positions } = makeEncoder(file);
const answers = texts.map((text) => {
  const read = here(text);
  const answer = { ...read, whole: whole(text).pieces, notes: notesOn(read) };
  if (!encoded || read.pieces.length > positions) return answer;
  const { hidden, weights } = encode(read.rows);
  return { ...answer, hidden, weights, vector: sentenceVector(hidden, read.rows.length) };
});
const listed = (_key, value) => (ArrayBuffer.isView(value) ? Array.from(value) : value);
process.stdout.write(JSON.stringify(answers, listed));
