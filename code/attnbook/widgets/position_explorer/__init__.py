"""A figure: sinusoidal positions as waves, as rotations and as similarities, and what shuffled words show of them."""

from typing import Any

import traitlets

from ..kit import Figure, checked, listed, number_between, one_of, same_number, taking, whole_number, word

VIEWS = ["encoding", "similarity", "shuffle"]
WORDS = ["dog", "bites", "man"]


class PositionExplorerFigure(Figure):
    """The sinusoidal encoding of 48 positions in three views: its waves, its similarities, and what a shuffle does.

    Args:
        view: "encoding" (heat map, waves, and the rotation that leads from one row to another), "similarity"
            (the Gram matrix and its row through `position`) or "shuffle" (attention without parameters on a sentence
            and on the same words in another order, without and with positions).
        position: p, 0 to 31.
        offset: k, 0 to 16; the second row is that of position p + k.
        d_model: D, 2 to 32; if it is odd, the last frequency has only its sine.
        base: 2 to 1000000; frequency i is base^(−2i/D).
        frequency: i, the pair of features (2i, 2i + 1) whose wave and rotation are drawn: 0 to ⌈D/2⌉ − 1.
        words: the sentence of the shuffle, 2 to 5 words of 1 to 8 characters.
        order: the shuffled sentence, as indices into `words`. Not given: the words in reverse.

    Source:
        Vaswani et al. (2017), §3.5: our p, i, D are their pos, i, d_model, and base is their 10000.
    """

    module = "position_explorer"
    alt = """Sinusoidal positions. Left, the sine and cosine of one frequency at positions p and p + k as two points on
        a circle, one turned into the other by the angle k times ω. Right, a heat map of the encoding, positions down
        and features across: the first features change from position to position, the last ones hardly at all. Beside
        it, on the same axis, the sine and the cosine of the frequency as waves. In the live figure, two more views
        show the similarity of two positions, which falls with their distance and rises again, and attention on
        shuffled words, whose outputs change only when positions are added."""

    view = one_of("encoding", VIEWS, "what is looked at")
    position = number_between(6, 0, 31, "the position p", whole=True)
    offset = number_between(5, 0, 16, "the offset k", whole=True)
    d_model = number_between(16, 2, 32, "the number of features, D", whole=True)
    base = number_between(10000.0, 2, 1e6, "what the frequencies are powers of")
    frequency = number_between(1, 0, 15, "the number i of a frequency", whole=True)
    words = taking(WORDS, listed(word(8), 2, 5), "the sentence of the shuffle")
    order = traitlets.Any().tag(sync=True, kind=listed(whole_number(0, 4), 2, 5, once=1))

    @traitlets.default("frequency")
    def _second_frequency(self) -> int:
        return min(1, self._last_frequency())

    @traitlets.default("order")
    def _reversed(self) -> list[int]:
        return list(range(len(self.words)))[::-1]

    def _last_frequency(self) -> int:
        return (self.d_model + 1) // 2 - 1

    @traitlets.validate("frequency")
    def _check_frequency(self, proposal: dict[str, Any]) -> Any:
        what = f"the number i of a frequency with {self.d_model} features (two for each frequency)"
        kind = whole_number(0, self._last_frequency())
        return checked(self, "frequency", proposal["value"], kind, what)

    @traitlets.observe("d_model")
    def _keep_the_frequency_inside(self, change: dict[str, Any]) -> None:
        self.frequency = min(self.frequency, self._last_frequency())

    @traitlets.validate("words")
    def _check_words(self, proposal: dict[str, Any]) -> Any:
        return same_number(self, proposal, "words")

    @traitlets.validate("order")
    def _check_order(self, proposal: dict[str, Any]) -> Any:
        n = len(self.words)
        kind = listed(whole_number(0, n - 1), n, once=1)
        return checked(self, "order", proposal["value"], kind, "the indices of the shuffled words")
