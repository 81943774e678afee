"""A figure: every attention head of a small trained model, on sentences that the reader may change."""

import traitlets

from attnbook.sentences import MAX_WORDS, START, VOCABULARY

from ..kit import Figure, number_between

SENTENCE = [
    "the",
    "tall",
    "king",
    "likes",
    "the",
    "old",
    "dogs",
    "and",
    "the",
    "old",
    "dogs",
    "sleep",
    ".",
]
LAYERS, HEADS = 2, 4


class AttentionPatternsFigure(Figure):
    """The heads of a trained causal model: all maps small, one large, and the lines from one word to what it looks at.

    Args:
        words: the sentence without <bos>, 2 to 14 words of the model's small vocabulary.
        query: the place of the word that looks; 0 is <bos>. Not given: the last word before "sleep".
        layer: 1 or 2.
        head: 1 to 4.
        off: the heads that are switched off, as pairs [layer, head].

    Raises:
        TypeError, ValueError: a value of the wrong kind or outside its limits; the message names what would fit.

    Source:
        The model is `attnbook.sentence_model.NextWordModel`, trained by `tools/experiments/patterns.py`.
    """

    module = "attention_patterns"
    alt = """The heads of a small trained model on the sentence "the tall king likes the old dogs and the old dogs
        sleep". Above, the sentence in a row, with lines from the second "old" to the words that one head of the second
        layer looks at: nearly all its weight goes to "dogs", which stood behind the first "old". Below, small heat maps
        of all eight heads, the chosen one large with words on both axes and the future hatched, and the model's
        probabilities of the next word. Where the figure is alive, words can be changed and heads switched off."""

    words = traitlets.Any(SENTENCE).tag(sync=True)
    query = number_between(
        10, 0, MAX_WORDS - 1, "the place of the word that looks", whole=True
    )
    layer = number_between(2, 1, LAYERS, "the number of a layer", whole=True)
    head = number_between(2, 1, HEADS, "the number of a head", whole=True)
    off = traitlets.Any([]).tag(sync=True)

    def __init__(self, **kwargs):
        words = checked_words(kwargs.get("words", SENTENCE))
        kwargs["words"], kwargs["off"] = words, checked_off(kwargs.get("off", []))
        if "query" in kwargs:
            checked_query(self.traits()["query"].validate(self, kwargs["query"]), words)
        else:
            kwargs["query"] = min(10, len(words))
        super().__init__(**kwargs)

    @traitlets.validate("words")
    def _check_words(self, proposal):
        return checked_words(proposal["value"])

    @traitlets.observe("words")
    def _keep_the_query_inside(self, change):
        self.query = min(self.query, len(self.words))

    @traitlets.validate("query")
    def _check_query(self, proposal):
        return checked_query(proposal["value"], self.words)

    @traitlets.validate("off")
    def _check_off(self, proposal):
        return checked_off(proposal["value"])


def checked_words(words):
    """Returns the words as a list, or says what is wrong with them."""
    wanted = f"AttentionPatternsFigure.words is a list of 2 to {MAX_WORDS - 1} words"
    if isinstance(words, str) or not isinstance(words, (list, tuple)):
        raise TypeError(f"{wanted}; got {words!r}; split the sentence first")
    for word in words:
        if not isinstance(word, str):
            raise TypeError(f"{wanted}; one of them is {word!r}")
        if word == START:
            raise ValueError(
                f"{wanted} without {START}, which the figure puts in front itself; leave it out"
            )
        if word not in VOCABULARY:
            known = ", ".join(VOCABULARY[1:])
            raise ValueError(
                f"{wanted} that the model knows; one of them is {word!r}. It knows {known}"
            )
    if not 2 <= len(words) < MAX_WORDS:
        raise ValueError(f"{wanted}; got {len(words)}")
    return list(words)


def checked_query(query, words):
    """Returns the place of the word that looks, or says which places there are."""
    if query > len(words):
        raise ValueError(
            f"AttentionPatternsFigure.query is a place from 0 ({START}) to {len(words)} in a sentence of {len(words)} "
            f"words; got {query}"
        )
    return query


def checked_off(off):
    """Returns the heads that are switched off as a list of pairs, or says what is wrong with them."""
    wanted = (
        "AttentionPatternsFigure.off is a list of pairs [layer, head], "
        f"layers 1 to {LAYERS} and heads 1 to {HEADS}"
    )
    if not isinstance(off, (list, tuple)):
        raise TypeError(f"{wanted}; got {off!r}")
    for pair in off:
        numbers = isinstance(pair, (list, tuple)) and len(pair) == 2
        if not numbers or any(
            isinstance(n, bool) or not isinstance(n, int) for n in pair
        ):
            raise TypeError(f"{wanted}; one of them is {pair!r}")
        if not (1 <= pair[0] <= LAYERS and 1 <= pair[1] <= HEADS):
            raise ValueError(f"{wanted}; one of them is {list(pair)}")
    pairs = [list(pair) for pair in off]
    if len({tuple(pair) for pair in pairs}) < len(pairs):
        raise ValueError(f"{wanted}, each once; got {pairs}")
    return pairs
