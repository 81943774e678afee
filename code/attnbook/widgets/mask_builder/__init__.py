"""The mask builder: one mask, four ways to write it down, and four ways to use it."""

from typing import Any, ClassVar

import traitlets

from ..kit import (
    FLAG,
    Figure,
    checked,
    listed,
    number,
    one_of,
    record,
    same_number,
    taking,
    whole_number,
    word,
    yes_or_no,
)
from ..kit.samples import seeded_normals

TOKENS = ["Learn", "to", "code", "<pad>", "<pad>"]
SCORES = [
    [1.0, 2.0, 3.0, 4.0, 5.0],
    [0.5, 2.0, -1.0, 1.5, 0.0],
    [2.5, -0.5, 1.0, 0.5, 3.0],
    [0.0, 1.0, 0.0, 2.0, -1.0],
    [1.5, -2.0, 0.5, 1.0, 2.5],
]
LIMIT = 9.0
CONVENTIONS = ["book", "blocked", "binary", "additive"]
POLICIES = ["zeros", "minus_inf", "minus_1e6", "multiply"]
SCORE, INDEX = number(-LIMIT, LIMIT), whole_number(0, 5)
CELL = record("a cell", "cells", INDEX, INDEX)
EDIT = record("an edit", "edits", INDEX, INDEX, FLAG)


class MaskBuilderFigure(Figure):
    """A sentence's scores, a mask to be built by hand, and the weights that come out under four policies.

    Args:
        tokens: 2 to 6 words, which may repeat, of 1 to 10 characters each; queries and keys are the same sentence.
        scores: T lists of S = T numbers from −9 to 9, the scores e_ij before the softmax. Not given: a table
            whose first row is 1, 2, 3, 4, 5, or, for another sentence length, numbers drawn with a fixed seed.
        valid_len: how many keys from the left are real, 0…S. Not given: the tokens before the first `<pad>`.
        causal: whether each query sees only itself and the past.
        edits: cells set by hand, a list of [query index, key index, True = may attend]; they win over the rules.
        convention: how the mask is printed: "book" (True = may attend), "blocked" (True = blocked, as
            `nn.MultiheadAttention` wants it), "binary" (1 and 0) or "additive" (0 and −inf).
        policy: what the large table of weights uses: "zeros" (this book's `masked_softmax`), "minus_inf" and
            "minus_1e6" (fill the scores, then softmax), "multiply" (softmax, then multiply by the mask).
        cell: the chosen cell, [query index, key index].
    """

    module = "mask_builder"
    pictures: ClassVar[dict[str, dict[str, Any]]] = {
        "fallback": {},
        "causal": {"tokens": ["time", "flies", "like", "an", "<pad>"], "causal": True},
    }

    tokens = taking(TOKENS, listed(word(10), 2, 6), "the sentence")
    # Limits depend on the sentence: here for the longest.
    scores = traitlets.Any().tag(sync=True, kind=listed(listed(SCORE, 2, 6), 2, 6))
    valid_len = traitlets.Any().tag(sync=True, kind=whole_number(0, 6))
    causal = yes_or_no(False, "whether a query sees only itself and the past")
    edits = traitlets.Any().tag(sync=True, kind=listed(EDIT, 0, 36, once=2))
    convention = one_of("book", CONVENTIONS, "how the mask is written")
    policy = one_of("zeros", POLICIES, "how the mask is used")
    cell = traitlets.Any().tag(sync=True, kind=CELL)

    def __init__(self, scores: Any = None, valid_len: int | None = None, **kwargs: Any):
        given = {"scores": scores, "valid_len": valid_len}
        super().__init__(**kwargs, **{n: value for n, value in given.items() if value is not None})

    @traitlets.default("scores")
    def _default_scores(self) -> list[list[float]]:
        n = len(self.tokens)
        return [row[:] for row in SCORES] if n == len(SCORES) else drawn_scores(n)

    @traitlets.default("valid_len")
    def _tokens_before_the_padding(self) -> int:
        return [*self.tokens, "<pad>"].index("<pad>")

    @traitlets.default("edits")
    def _no_edits(self) -> list:
        return []

    @traitlets.default("cell")
    def _first_cell(self) -> list[int]:
        return [0, 1]

    @traitlets.validate("tokens")
    def _check_tokens(self, proposal: dict[str, Any]) -> Any:
        return same_number(self, proposal, "tokens")

    @traitlets.validate("scores", "valid_len", "edits", "cell")
    def _check_against_the_sentence(self, proposal: dict[str, Any]) -> Any:
        n = len(self.tokens)
        index = whole_number(0, n - 1)
        place = f"[query index, key index], {index.many}"
        edit = f"[query index, key index, True = may attend] with {index.many}"
        name = proposal["trait"].name
        kind, what = {
            "scores": (
                listed(listed(SCORE, n), n),
                "the scores, one row per query (a masked cell belongs in the mask)",
            ),
            "valid_len": (whole_number(0, n), "how many keys are real"),
            "edits": (
                listed(record(edit, f"triples {edit}", index, index, FLAG), 0, n * n, once=2),
                "what is set by hand, each cell once",
            ),
            "cell": (record(place, place, index, index), "the chosen cell"),
        }[name]
        return checked(self, name, proposal["value"], kind, what)

    def picture(self) -> str:
        """The name of the stored picture."""
        return "causal" if self.causal else "fallback"

    def alt_text(self) -> str:
        """What the figure shows, in words."""
        n = len(self.tokens)
        return (
            f"Mask builder. Left, a table of {n} by {n} scores for the sentence {' '.join(self.tokens)}: queries "
            "down, keys across, masked cells hatched. Right, the attention weights as a heat map, and the sum of each "
            "row. Below, one row under four policies: zeros as in this book, filling with minus infinity, filling "
            "with minus a million, and multiplying after the softmax, which leaves sums below 1. In the live figure, "
            "the mask is also printed as code, in one of four conventions."
        )


def drawn_scores(n: int) -> list[list[float]]:
    """Draw a table of scores (n × n lists) with one decimal place, the same as the figure's seed 0 draws."""
    return (1.5 * seeded_normals(0, n * n)).clip(-LIMIT, LIMIT).round(1).reshape(n, n).tolist()
