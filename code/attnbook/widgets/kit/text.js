/* Text in any script, as attnbook.text has it: the tokens of a sentence, and the way back, which a file has learned.
 *
 *   tokenise("Va !")                  ["va", "!"]
 *   makeWriting(stored)(["va", "!"])  "Va !", if it was learned from French; stored: Writing.to_dict
 *   inARow(["不", "知", "道"])          "不知道": with spaces in other scripts, "je ne"
 *   runsLeft("ar", "أين")             whether a sentence is written from right to left
 *   quoted("أين؟")                    for a sentence in English: in quotation marks, with its own direction
 */

export const SPECIALS = ["<pad>", "<bos>", "<eos>", "<unk>"];

const INVISIBLE = /[\u200b\u2060\ufeff\u00ad\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069\u0640]/g;
// Python's spaces; \s differs a little
const SPACES = /[\t-\r\x1c- \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+/g;
// Thai and Lao, Tibetan, Burmese, Khmer, kana, Bopomofo, Han: scripts without spaces between words
const ALONE =
  "(?=[\\u0e00-\\u0eff\\u0f00-\\u0fff\\u1000-\\u109f\\u1780-\\u17ff\\u3005-\\u3007\\u3040-\\u30ff\\u3105-\\u312f" +
  "\\u31a0-\\u31bf\\u31f0-\\u31ff\\u3400-\\u4dbf\\u4e00-\\u9fff\\uf900-\\ufaff\\u{20000}-\\u{3ffff}])[\\p{L}\\p{N}]";
const [MARKS, LETTER, DIGIT] = ["[\\p{M}\\u200c\\u200d]*", `(?!${ALONE})\\p{L}`, `(?!${ALONE})\\p{N}`];
// a character by itself; letters and digits, with what stays inside, and an s' at the end; any other mark
const TOKEN = new RegExp(
  `${ALONE}${MARKS}|(?:${LETTER}${MARKS}(?:['-](?=${LETTER}))?|${DIGIT}${MARKS}(?:[.,:](?=${DIGIT}))?)+(?:(?<=s)')?|` +
    `[^ ]${MARKS}`,
  "gsu",
);

export function tokenise(sentence) {
  const plain = sentence
    .replace(INVISIBLE, "")
    .replace(/[\u2019\u2018\u02bc]/g, "'")
    .replace(/[\u2010\u2011]/g, "-")
    .replace(/[\uff10-\uff19\uff21-\uff3a\uff41-\uff5a]/g, (wide) => String.fromCharCode(wide.charCodeAt(0) - 0xfee0))
    .replace(/[\uff66-\uff9f]+/g, (kana) => kana.normalize("NFKC"))
    .normalize("NFC");
  const small = plain.toLowerCase().normalize("NFC").replace(SPACES, " ").trim();
  return small.match(TOKEN) ?? [];
}

// A number for a sentence (FNV-1a over its UTF-8 bytes): what the page keeps of the sentences of the corpus.
export function sentenceKey(normalised) {
  let key = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(normalised)) key = Math.imul(key ^ byte, 0x01000193);
  return key >>> 0;
}

// ---- from tokens to text: as attnbook.text.Writing does it ----------------------------------------

export const ENDS = /^[.!?。！？؟।]$/; // behind them a sentence begins
const SET_OFF = /^[!?;:»]$/; // by a narrow space, where they have one

const KINDS = [["C", new RegExp(`^${ALONE}`, "u")], ["L", /^\p{L}/u], ["N", /^\p{N}/u]];
// C for a character of a script without spaces, L for letters, N for digits; each mark is a kind by itself.
export function kindOf(token) {
  if (token === "<unk>") return "L"; // it stands for a word
  const found = KINDS.find(([, start]) => start.test(token));
  return found ? found[0] : token;
}

export function makeWriting({ kinds, pairs, forms }) {
  const table = (rows) => new Map(rows.map(([a, b, spaced]) => [`${a} ${b}`, spaced]));
  const [ofKinds, ofTokens] = [table(kinds), table(pairs)];
  const capital = new Map(Object.entries(forms));
  const spaced = (a, b) =>
    ofTokens.get(`${a} ${b}`) ??
    ofKinds.get(`${kindOf(a)} ${kindOf(b)}`) ??
    (kindOf(a) !== "C" && ["L", "N"].includes(kindOf(b)));

  return (tokens) => {
    let [text, before, begins, quotes] = ["", null, true, 0];
    for (const token of tokens) {
      const name = token === '"' ? ['"(', '")'][quotes++ % 2] : token.toLowerCase(); // one opens, one closes
      const isWord = ["L", "N", "C"].includes(kindOf(token));
      const form = capital.get(token) ?? token;
      const [head] = form;
      if (before !== null && spaced(before, name)) text += SET_OFF.test(token) || text.endsWith("«") ? "\u202f" : " ";
      text += begins && isWord ? head.toUpperCase() + form.slice(head.length) : form;
      begins = ENDS.test(token) || (begins && !isWord);
      before = name;
    }
    return text.replaceAll("'", "’");
  };
}

// The tokens of the book's French and English sentences as people write them: a capital at the start, no space before a
// full stop; in French, narrow spaces before ! ? ; and :
export function readable(tokens, language = "fr") {
  const main = spoken(language);
  const plain = tokens
    .join(" ")
    .replaceAll("'", "’")
    .replace(/ ([.,])/g, "$1");
  const text =
    main === "fr"
      ? plain.replace(/ ([!?;:])/g, "\u202f$1")
      : plain.replace(/ ([!?;:])/g, "$1").replace(/(^| )i\b/g, main === "en" ? "$1I" : "$&");
  return text && text[0].toUpperCase() + text.slice(1);
}

// Tokens as they are, in a row: spaces between them, but none beside a character of a script without spaces.
const CLOSE = `(?:${ALONE}|[\\u3001-\\u303e\\uff01-\\uff60])`;
const BESIDE = new RegExp(`(?<=${CLOSE}) | (?=${CLOSE})`, "gu");
export const inARow = (tokens) => tokens.join(" ").replace(BESIDE, "");

// ---- languages -----------------------------------------------------------------------------------

const LEFTWARD = ["ar", "fa", "he", "ur", "ps", "ckb", "dv", "yi"];
const LEFTWARD_LETTER = /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;

// The main part of a language's code: "pt" of pt-BR.
const spoken = (code) => code.toLowerCase().split("-")[0];

export function runsLeft(code, text) {
  const [letter] = text.match(/\p{L}/u) || [];
  return LEFTWARD.includes(spoken(code)) ? !letter || LEFTWARD_LETTER.test(text) : LEFTWARD_LETTER.test(letter ?? "");
}

// The value of the attribute lang, by which a browser chooses the shape of a Chinese character.
export const langOf = (code) => (code.toLowerCase() === "zh" ? "zh-Hans" : code);

export const quoted = (text) => `“${LEFTWARD_LETTER.test(text) ? `\u2068${text}\u2069` : text}”`;
