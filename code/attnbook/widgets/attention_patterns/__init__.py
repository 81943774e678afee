"""A figure: every attention head of a small trained model, on sentences that the reader may change."""

from typing import Any

import traitlets

from attnbook.studies.sentences import MAX_WORDS, START, VOCABULARY

from ..kit import Figure, checked, choice, listed, number_between, record, taking, whole_number, yes_or_no

SENTENCE = ["the", "tall", "king", "likes", "the", "old", "dogs", "and", "the", "old", "dogs", "sleep", "."]
SHORT = ["the", "dogs", "that", "the", "king", "likes", "sleep", "."]
LAYERS, HEADS = 2, 4
WORD = choice(
    VOCABULARY[1:],
    many=f"words that the model knows, without {START}, which the figure adds in front ({', '.join(VOCABULARY[1:])})",
)
WORDS = listed(WORD, 2, MAX_WORDS - 1)
LIMITS = f"[layer, head], layers 1 to {LAYERS} and heads 1 to {HEADS}"
PAIR = record(f"a pair {LIMITS}", f"pairs {LIMITS}", whole_number(1, LAYERS), whole_number(1, HEADS))


class AttentionPatternsFigure(Figure):
    """The heads of a trained causal model: all maps small, one large, and the lines from one word to what it looks at.

    Args:
        words: the sentence without <bos>, 2 to 14 words of the model's small vocabulary.
        query: the position of the word that looks; 0 is <bos>. Not given: the last word before "sleep".
        layer: 1 or 2.
        head: 1 to 4.
        off: the heads that are switched off, as pairs [layer, head].

    Source:
        The model is `attnbook.studies.NextWordModel`, trained by `tools/experiments/next_words.py`.
    """

    module = "attention_patterns"
    alt = """The heads of a small trained model on the sentence "the tall king likes the old dogs and the old dogs
        sleep". Above, the sentence in a row, with lines from the second "old" to the words that one head of the second
        layer looks at: nearly all its weight goes to "dogs", which followed the first "old". Below, small heat maps
        of all eight heads, the chosen one large with words on both axes and the future hatched, and the model's
        probabilities of the next word. In the live figure words can be changed and heads switched off."""

    words = taking(SENTENCE, WORDS, "the sentence")
    query = number_between(10, 0, MAX_WORDS - 1, "the position of the word that looks", whole=True)
    layer = number_between(2, 1, LAYERS, "the number of a layer", whole=True)
    head = number_between(2, 1, HEADS, "the number of a head", whole=True)
    off = taking([], listed(PAIR, 0, LAYERS * HEADS, once=2), "the heads switched off")

    @traitlets.default("query")
    def _before_sleep(self) -> int:
        return min(10, len(self.words))

    @traitlets.validate("query")
    def _check_query(self, proposal: dict[str, Any]) -> Any:
        words = len(self.words)
        what = f"the position of the word that looks, in a sentence of {words} words"
        return checked(self, "query", proposal["value"], whole_number(0, words), what)

    @traitlets.observe("words")
    def _keep_the_query_inside(self, change: dict[str, Any]) -> None:
        self.query = min(self.query, len(self.words))


class FourHeadsFigure(AttentionPatternsFigure):
    """The same model, and all heads of one layer side by side, with the rows of the word that looks below them.

    Args:
        words: the sentence without <bos>, at best no more than nine words: the maps share the width of the page.
        query: the position of the word that looks; 0 is <bos>. Not given: the sixth word, "likes", or the last.
        layer: 1 or 2.
        together: what makes the figure this one.
        head, off: of no effect here.
    """

    module = "attention_patterns"
    alt = """Four heat maps side by side, the heads of the second layer of a small trained model, for the sentence
        "the dogs that the king likes sleep", words on both axes and the future hatched. Below them the four rows of
        "likes", after which the verb of "dogs" is due: head 3 gives "dogs" all of its weight; of the others only
        head 4 gives "dogs" any, 0.11, and 0.46 and 0.42 to the two "the". In the live figure a word can be pointed
        at, and the sentence and the layer chosen."""

    words = taking(SHORT, WORDS, "the sentence")
    together = yes_or_no(True, "whether all heads of a layer stand side by side")

    @traitlets.default("query")
    def _likes(self) -> int:
        return min(6, len(self.words))

    def picture(self) -> str:
        """The name of the stored picture."""
        return "together"
