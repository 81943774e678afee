"""One spelling for every sentence, and the tokens that it falls into, in any script."""

import functools
import re
import unicodedata

#: The id of a special token, the same in every vocabulary: 0, 1, 2, 3.
PAD, BOS, EOS, UNK = 0, 1, 2, 3
#: The four special tokens as they are written, in the order of their ids.
SPECIALS = ("<pad>", "<bos>", "<eos>", "<unk>")

# marks that nobody sees (of zero width, of the direction of writing, soft hyphens) and the Arabic stroke that only
# stretches a word; the joiners U+200C and U+200D stay, which change letters
INVISIBLE = re.compile(
    "[\u200b\u2060\ufeff\u00ad\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069\u0640]"
)
NARROW_KANA = re.compile("[\uff66-\uff9f]+")
# Thai and Lao, Tibetan, Burmese, Khmer, kana, Bopomofo, Han: they put no spaces between words
WITHOUT_SPACES = (
    "\u0e00-\u0eff\u0f00-\u0fff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u3105-\u312f"
    "\u31a0-\u31bf\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
)
_WITHOUT_SPACES = re.compile(f"[{WITHOUT_SPACES}]")
# full-width letters and digits
_WIDE = [chr(code) for code in range(0xFF10, 0xFF5B) if chr(code).isalnum()]
_PLAIN = {
    **str.maketrans(dict.fromkeys("\u2019\u2018\u02bc", "'")),
    **str.maketrans(dict.fromkeys("\u2010\u2011", "-")),
    **{ord(wide): chr(ord(wide) - 0xFEE0) for wide in _WIDE},
}


def spell(sentence: str) -> str:
    """Spell a sentence in one way, and leave its words and capitals as they are.

    Accents become one character each (NFC), every kind of space one plain space, typographic apostrophes ', full-width
    letters and digits plain ones, half-width kana full ones; invisible marks go. Spelling twice changes nothing more.

    Args:
        sentence: as people write it.

    Returns:
        The same words.

    Raises:
        TypeError: not a str.
    """
    if not isinstance(sentence, str):
        raise TypeError(
            f"a sentence must be a str, got {type(sentence).__name__}; join tokens with ' '.join(tokens)"
        )
    plain = INVISIBLE.sub("", sentence).translate(_PLAIN)
    plain = NARROW_KANA.sub(lambda kana: unicodedata.normalize("NFKC", kana[0]), plain)
    return " ".join(unicodedata.normalize("NFC", plain).split())


def normalise(sentence: str) -> str:
    """Spell a sentence as its tokens in small letters, with a space between any two; see `spell` and `tokenise`.

    Normalising twice changes nothing more.

    Args:
        sentence: as people write it.

    Returns:
        The same words, tokens separated by single spaces.

    Raises:
        TypeError: not a str.
    """
    return " ".join(tokenise(sentence))


def tokenise(sentence: str) -> list[str]:
    """Split a sentence into words and punctuation marks, in small letters.

    Letters and digits that stand together are a token. An apostrophe or a hyphen between letters stays inside, as do a
    point, a comma or a colon between digits. In a script without spaces between words, such as Chinese, Japanese or
    Thai, each character is a token. Each other mark is a token, too. A mark that combines stays with its character.

    Args:
        sentence: as people write it; it is normalised first.

    Returns:
        Its tokens: "Va !" and "va!" both give ["va", "!"], and "我们走吧。" gives five.

    Raises:
        TypeError: not a str.
    """
    return cut(small(spell(sentence)))


def small(text: str) -> str:
    """A text in small letters.

    Args:
        text: spelt; see `spell`.

    Returns:
        It, in which accents are one character each again.
    """
    return unicodedata.normalize("NFC", text.lower())


def cut(text: str) -> list[str]:
    """The tokens of a text that is spelt already; see `tokenise`. Joined, they are the text without its spaces."""
    kinds = "".join(map(_kind, text))
    return [text[token.start() : token.end()] for token in _TOKEN.finditer(kinds)]


def is_spaced(token: str) -> bool:
    """Whether a token is of a script that puts spaces between words, or a mark of punctuation.

    Args:
        token: not empty.

    Returns:
        False for a character of Chinese, Japanese, Thai, ….
    """
    return _kind(token[0]) != "C"


def kind_of(character: str) -> str:
    """L for a letter, N for a digit, C for a character of a script without spaces; anything else for another mark."""
    return "L" if character == "s" else _kind(character)


@functools.cache
def _kind(character: str) -> str:
    """One letter for what a character is: of these `_TOKEN` is made."""
    if character in " s'-":
        return character
    if character in ".,:":
        return "."
    category = unicodedata.category(character)[0]
    if category == "M" or character in "\u200c\u200d":
        return "M"  # combines with what stands before
    if category in "LN":
        return "C" if _WITHOUT_SPACES.match(character) else category
    return "o"


# a character by itself; letters and digits, with what stays inside, and an s' at the end; any other mark
_TOKEN = re.compile(
    r"CM*|(?:[Ls]+M*(?:['-](?=[Ls]))?|N+M*(?:\.(?=N))?)+(?:(?<=s)')?|[^ ]M*"
)
