"""A figure: sinusoidal positions as waves, as rotations and as similarities, and what shuffled words show of them."""

import traitlets

from ..kit import Figure, number_between, one_of

NUM_POSITIONS = 48  # rows of the encoding that is drawn
VIEWS = ["encoding", "similarity", "shuffle"]
WORDS = ["dog", "bites", "man"]


class PositionExplorerFigure(Figure):
    """The sinusoidal encoding of 48 positions in three views: its waves, its similarities, and what a shuffle does.

    Args:
        view: "encoding" (heat map, waves, two rows, and the rotation that leads from one to the other), "similarity"
            (the Gram matrix and its row through `position`) or "shuffle" (attention without parameters on a sentence
            and on the same words in another order, without and with positions).
        position: p, 0 to 31.
        offset: k, 0 to 16; the second row is that of position p + k.
        d_model: D, 2 to 32; if it is odd, the last frequency has its sine only.
        base: 2 to 1000000; frequency i is base^(−2i/D).
        frequency: i, the pair of features (2i, 2i + 1) whose wave and rotation are drawn: 0 to ⌈D/2⌉ − 1.
        words: the sentence of the shuffle, 2 to 5 words of 1 to 8 characters.
        order: the shuffled sentence, as indices into `words`. Not given: the words in reverse.

    Raises:
        TypeError, ValueError: a value of the wrong kind or outside its limits; the message names what would fit.

    Source:
        Vaswani et al. (2017), §3.5: our p, i, D are their pos, i, d_model, and base is their 10000.
    """

    module = "position_explorer"
    alt = """Sinusoidal positions. Left, a heat map of the encoding, positions down and features across: the first
        features change from position to position, the last ones hardly at all. Beside it, on the same axis, the sine
        and the cosine of one frequency. Right, the pair of the two at positions p and p + k as two points on a circle,
        one turned into the other by the angle k times ω. Below, the two whole rows as vectors. Where the figure is
        alive, two more views show the similarity of two positions, which falls and rises again with their distance,
        and attention on shuffled words, which changes only when positions are added."""

    view = one_of("encoding", VIEWS, "what is looked at")
    position = number_between(6, 0, 31, "the position p", whole=True)
    offset = number_between(5, 0, 16, "the offset k", whole=True)
    d_model = number_between(16, 2, 32, "the number of features, D", whole=True)
    base = number_between(10000.0, 2, 1e6, "what the frequencies are powers of")
    frequency = number_between(1, 0, 15, "the number i of a frequency", whole=True)
    words = traitlets.Any(WORDS).tag(sync=True)
    order = traitlets.Any([2, 1, 0]).tag(sync=True)

    def __init__(self, **kwargs):
        kwargs["words"] = checked_words(kwargs.get("words", WORDS))
        n = len(kwargs["words"])
        kwargs["order"] = checked_order(kwargs.get("order", list(range(n))[::-1]), n)
        d_model = self.traits()["d_model"].validate(self, kwargs.get("d_model", 16))
        if "frequency" in kwargs:
            checked_frequency(
                self.traits()["frequency"].validate(self, kwargs["frequency"]), d_model
            )
        else:
            kwargs["frequency"] = min(1, (d_model + 1) // 2 - 1)
        super().__init__(**kwargs)

    @traitlets.validate("frequency")
    def _check_frequency(self, proposal):
        return checked_frequency(proposal["value"], self.d_model)

    @traitlets.observe("d_model")
    def _keep_the_frequency_inside(self, change):
        self.frequency = min(self.frequency, (self.d_model + 1) // 2 - 1)

    @traitlets.validate("words")
    def _check_words(self, proposal):
        words = checked_words(proposal["value"])
        if len(words) != len(self.words):
            raise ValueError(
                f"PositionExplorerFigure has {len(self.words)} words, got {len(words)}; "
                "make a new figure for a sentence of another length"
            )
        return words

    @traitlets.validate("order")
    def _check_order(self, proposal):
        return checked_order(proposal["value"], len(self.words))


def checked_frequency(frequency, d_model):
    """Returns the number of a frequency, or says which numbers there are."""
    last = (d_model + 1) // 2 - 1
    if frequency > last:
        raise ValueError(
            f"PositionExplorerFigure.frequency is a whole number from 0 to {last} with {d_model} features (two for "
            f"each frequency); got {frequency}"
        )
    return frequency


def checked_words(words):
    """Returns the words as a list, or says what is wrong with them."""
    wanted = (
        "PositionExplorerFigure.words is a list of 2 to 5 words of 1 to 8 characters"
    )
    if isinstance(words, str) or not isinstance(words, (list, tuple)):
        raise TypeError(f"{wanted}; got {words!r}; split the sentence first")
    for word in words:
        if not isinstance(word, str):
            raise TypeError(f"{wanted}; one of them is {word!r}")
        if not 1 <= len(word) <= 8 or not word.isprintable() or word != word.strip():
            raise ValueError(
                f"{wanted}, without spaces around them or line breaks; one of them is {word!r}"
            )
    if not 2 <= len(words) <= 5:
        raise ValueError(f"{wanted}; got {len(words)} words")
    return list(words)


def checked_order(order, n):
    """Returns the order as a list of indices, or says what is wrong with it."""
    wanted = f"PositionExplorerFigure.order is a list of the indices 0 to {n - 1} of the words, each once"
    if not isinstance(order, (list, tuple)) or any(
        isinstance(i, bool) or not isinstance(i, int) for i in order
    ):
        raise TypeError(f"{wanted}; got {order!r}")
    if sorted(order) != list(range(n)):
        raise ValueError(f"{wanted}; got {order!r}")
    return list(order)
