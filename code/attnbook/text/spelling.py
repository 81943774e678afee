"""One spelling for every sentence, and the tokens that it falls into."""

import re
import unicodedata

#: The id of a special token, the same in every vocabulary: 0, 1, 2, 3.
PAD, BOS, EOS, UNK = 0, 1, 2, 3
#: The four special tokens as they are written, in the order of their ids.
SPECIALS = ("<pad>", "<bos>", "<eos>", "<unk>")

APOSTROPHES = str.maketrans(dict.fromkeys("\u2019\u2018\u02bc", "'"))


def normalise(sentence: str) -> str:
    """Spell a sentence in one way: composed accents, plain spaces, straight apostrophes, small letters.

    Accents become one character each (NFC), every kind of space one plain space (French typography sets narrow
    unbreakable ones before ! and ?), typographic apostrophes ', and each of , . ! ? ; : gets a space before it.
    Normalising twice changes nothing more.

    Args:
        sentence: as people write it.

    Returns:
        The same words, tokens separated by single spaces.

    Raises:
        TypeError: not a str.
    """
    if not isinstance(sentence, str):
        raise TypeError(
            f"a sentence must be a str, got {type(sentence).__name__}; join tokens with ' '.join(tokens)"
        )
    composed = unicodedata.normalize("NFC", sentence).translate(APOSTROPHES)
    small = unicodedata.normalize("NFC", composed.lower())
    return " ".join(re.sub(r"([,.!?;:])", r" \1", small).split())


def tokenise(sentence: str) -> list[str]:
    """Split a sentence into words and punctuation marks.

    Args:
        sentence: as people write it; it is normalised first.

    Returns:
        Its tokens: "Va !" and "va!" both give ["va", "!"].

    Raises:
        TypeError: not a str.
    """
    return normalise(sentence).split()
