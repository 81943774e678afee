"""French words that know where they come from: determiners, negation, and what happens when words meet.

Phrases are put together from words in full, *de le jardin*, *je ne ai pas*; at the end `join` makes them *du jardin*,
*je n'ai pas*.
"""

from attnbook.data.grammar.lexicon import starts_with_vowel
from attnbook.data.grammar.meanings import Word, translation

ELIDED = {"le", "la", "je", "ne", "de", "que"}
CONTRACTED = {
    ("de", "le"): "du",
    ("de", "les"): "des",
    ("à", "le"): "au",
    ("à", "les"): "aux",
}
# masculine, feminine, plural; "" where English has another word
DETERMINERS = {
    "the": ("le", "la", "les"),
    "a": ("un", "une", ""),
    "some": ("", "", "des"),
    "this": ("ce", "cette", ""),
    "these": ("", "", "ces"),
    "every": ("chaque", "chaque", ""),
    "my": ("mon", "ma", "mes"),
    "your": ("ton", "ta", "tes"),
    "his": ("son", "sa", "ses"),
    "her": ("son", "sa", "ses"),
    "our": ("notre", "notre", "nos"),
    "their": ("leur", "leur", "leurs"),
    "two": ("", "", "deux"),
    "three": ("", "", "trois"),
}
BEFORE_VOWEL = {"ce": "cet", "ma": "mon", "ta": "ton", "sa": "son"}


def determiner(english: str, feminine: bool, plural: bool, vowel: bool) -> str:
    """The French article, possessive, demonstrative or number.

    Args:
        english: one of `DETERMINERS`.
        feminine: the noun's gender.
        plural: the noun's number.
        vowel: whether the next French word begins with a vowel: mon école, cet arbre.

    Returns:
        The form in full: *le* and *la* are elided later, by `join`.
    """
    form = DETERMINERS[english][2 if plural else int(feminine)]
    return BEFORE_VOWEL.get(form, form) if vowel else form


def negate(
    verb: list[Word], word: str, negation: int, do: int | None = None
) -> list[Word]:
    """Put ne and pas, or ne and jamais, around a verb.

    Args:
        verb: the finite verb, with the pronoun before it if there is one.
        word: "pas" or "jamais".
        negation: the place of the English "not" or "never".
        do: the place of "do", for which French has no word: it goes with both parts.

    Returns:
        A list of Word.
    """
    links = (negation,) if do is None else (negation, do)
    ne, pas = translation(["ne", word], *links)
    return [ne, *verb, pas]


def join(words: list[Word]) -> list[Word]:
    """Contract and elide: de le jardin → du jardin, le arbre → l'arbre, je ne ai → je n'ai.

    Args:
        words: French words, each in full.

    Returns:
        Fewer words; a joined one has the links of both. An elided one depends on its second part most, a contracted
        one on its first.
    """
    joined: list[Word] = []  # from the end, so that *de le arbre* is de + l'arbre
    for word in reversed(words):
        after = joined[-1] if joined else None
        if after and word.text in ELIDED and starts_with_vowel(after.text):
            text, sure = f"{word.text[:-1]}'{after.text}", after.sure
        elif after and (word.text, after.text) in CONTRACTED:
            text, sure = CONTRACTED[word.text, after.text], word.sure
        else:
            joined.append(word)
            continue
        joined[-1] = Word(text, word.links + after.links, sure)
    return joined[::-1]
