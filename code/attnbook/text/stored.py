"""A vocabulary of either kind from what its `to_dict` gave."""

from attnbook.text.subwords import SubwordVocabulary
from attnbook.text.vocabulary import Vocabulary, WordVocabulary

KINDS: dict[str, type[WordVocabulary] | type[SubwordVocabulary]] = {
    "words": WordVocabulary,
    "subwords": SubwordVocabulary,
}


def vocabulary_from_dict(d: dict) -> Vocabulary:
    """Make the vocabulary, of either kind, that `to_dict` described.

    Args:
        d: what `to_dict` gave.

    Returns:
        A `WordVocabulary` or a `SubwordVocabulary`, equal to the one described.

    Raises:
        ValueError: something else.
    """
    kind = d.get("kind") if isinstance(d, dict) else None
    if kind not in KINDS:
        raise ValueError(
            f"expected a dict with kind {' or '.join(map(repr, KINDS))}, got kind {kind!r}"
        )
    return KINDS[kind].from_dict(d)
