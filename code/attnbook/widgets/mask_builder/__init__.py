"""The mask builder: one mask, four ways to write it down, and four ways to use it."""

import numbers

import traitlets

from ..kit import Figure, one_of, yes_or_no
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


class MaskBuilderFigure(Figure):
    """A sentence's scores, a mask to be built by hand, and the weights that come out under four policies.

    Args:
        tokens: 2 to 6 different or equal words, 1 to 10 characters each; queries and keys are the same sentence.
        scores: T lists of S = T numbers from −9 to 9, the scores e_ij before the softmax. Not given: a table
            whose first row is 1, 2, 3, 4, 5, or, for another sentence length, numbers drawn with a fixed seed.
        valid_len: how many keys from the left are real, 0…S. Not given: the tokens before the first `<pad>`.
        causal: whether each query sees itself and the past only.
        edits: cells set by hand, a list of [query index, key index, True = may attend]; they win over the rules.
        convention: how the mask is printed: "book" (True = may attend), "blocked" (True = blocked, as
            `nn.MultiheadAttention` wants it), "binary" (1 and 0) or "additive" (0 and −inf).
        policy: what the large table of weights uses: "zeros" (this book's `masked_softmax`), "minus_inf" and
            "minus_1e6" (fill the scores, then softmax), "multiply" (softmax, then multiply by the mask).
        cell: the chosen cell, [query index, key index].

    Raises:
        TypeError, ValueError: a value that does not fit; the message names what would.
    """

    module = "mask_builder"

    tokens = traitlets.Any(TOKENS).tag(sync=True)
    scores = traitlets.Any().tag(sync=True)
    valid_len = traitlets.Any().tag(sync=True)
    causal = yes_or_no(False, "whether a query sees itself and the past only")
    edits = traitlets.Any([]).tag(sync=True)
    convention = one_of("book", CONVENTIONS, "the way in which the mask is written")
    policy = one_of("zeros", POLICIES, "the way in which the mask is used")
    cell = traitlets.Any([0, 1]).tag(sync=True)

    def __init__(self, **kwargs):
        tokens = checked_tokens(kwargs.get("tokens", TOKENS))
        n = len(tokens)
        if kwargs.get("scores") is None:
            kwargs["scores"] = SCORES if n == len(SCORES) else drawn_scores(n)
        if kwargs.get("valid_len") is None:
            kwargs["valid_len"] = tokens.index("<pad>") if "<pad>" in tokens else n
        kwargs["tokens"] = tokens
        kwargs["scores"] = checked_scores(kwargs["scores"], n)
        kwargs["valid_len"] = checked_index("valid_len", kwargs["valid_len"], n)
        kwargs["edits"] = checked_edits(kwargs.get("edits", []), n)
        kwargs["cell"] = checked_cell(kwargs.get("cell", [0, 1]), n)
        super().__init__(**kwargs)

    @traitlets.validate("tokens")
    def _check_tokens(self, proposal):
        tokens = checked_tokens(proposal["value"])
        if len(tokens) != len(self.tokens):
            raise ValueError(
                f"MaskBuilderFigure has {len(self.tokens)} tokens, got {len(tokens)}; "
                "make a new figure for a sentence of another length"
            )
        return tokens

    @traitlets.validate("scores")
    def _check_scores(self, proposal):
        return checked_scores(proposal["value"], len(self.tokens))

    @traitlets.validate("valid_len")
    def _check_valid_len(self, proposal):
        return checked_index("valid_len", proposal["value"], len(self.tokens))

    @traitlets.validate("edits")
    def _check_edits(self, proposal):
        return checked_edits(proposal["value"], len(self.tokens))

    @traitlets.validate("cell")
    def _check_cell(self, proposal):
        return checked_cell(proposal["value"], len(self.tokens))

    def alt_text(self):
        """What the figure shows, in words."""
        n = len(self.tokens)
        return (
            f"Mask builder. Left, a table of {n} by {n} scores for the sentence {' '.join(self.tokens)}: queries "
            "down, keys across, the cells that may not be attended to hatched. Right, the attention weights, from "
            "white for 0 to violet for 1, and the sum of each row. Below, one row under four ways to mask: zeros "
            "as in this book, filling with minus infinity, filling with minus a million, and multiplying after "
            "the softmax, whose rows do not sum to 1. Last, the mask as code in one of four conventions."
        )


def drawn_scores(n):
    """Draws a table of scores (n × n lists) with one decimal place, the same as the figure's seed 0 draws."""
    return (
        (1.5 * seeded_normals(0, n * n))
        .clip(-LIMIT, LIMIT)
        .round(1)
        .reshape(n, n)
        .tolist()
    )


def checked_tokens(tokens):
    """Returns the tokens as a list, or says what is wrong with them."""
    wanted = "MaskBuilderFigure.tokens is a list of 2 to 6 words of 1 to 10 characters"
    if isinstance(tokens, str) or not isinstance(tokens, (list, tuple)):
        raise TypeError(f"{wanted}; got {tokens!r}; split the sentence first")
    for token in tokens:
        if not isinstance(token, str):
            raise TypeError(f"{wanted}; one of them is {token!r}")
        if (
            not 1 <= len(token) <= 10
            or not token.isprintable()
            or token != token.strip()
        ):
            raise ValueError(
                f"{wanted}, without spaces around them or line breaks; one of them is {token!r}"
            )
    if not 2 <= len(tokens) <= 6:
        raise ValueError(f"{wanted}; got {len(tokens)} words")
    return list(tokens)


def checked_scores(scores, n):
    """Returns the scores as n lists of n floats, or says what is wrong with them."""
    wanted = f"MaskBuilderFigure.scores is a list of {n} lists of {n} numbers from −9 to 9 (one row a query)"
    if hasattr(scores, "tolist"):
        scores = scores.tolist()
    rows = scores if isinstance(scores, (list, tuple)) else [None]
    if not all(isinstance(row, (list, tuple)) for row in rows):
        raise TypeError(f"{wanted}; got {scores!r}")
    if len(rows) != n or any(len(row) != n for row in rows):
        raise ValueError(f"{wanted}; got rows of length {[len(row) for row in rows]}")
    for value in (value for row in rows for value in row):
        if isinstance(value, bool) or not isinstance(value, numbers.Real):
            raise TypeError(f"{wanted}; one of them is {value!r}")
        if not -LIMIT <= value <= LIMIT:
            raise ValueError(
                f"{wanted}; one of them is {value!r}; a masked cell belongs in the mask"
            )
    return [[float(value) for value in row] for row in rows]


def checked_index(name, value, high):
    """Returns a whole number from 0 to `high`, or says what is wrong with it."""
    wanted = f"MaskBuilderFigure.{name} is a whole number from 0 to {high}"
    if isinstance(value, bool) or not isinstance(value, numbers.Integral):
        raise TypeError(f"{wanted}; got {value!r}")
    if not 0 <= value <= high:
        raise ValueError(f"{wanted}; got {value!r}")
    return int(value)


def checked_cell(cell, n):
    """Returns a cell as [query index, key index], or says what is wrong with it."""
    if not isinstance(cell, (list, tuple)) or len(cell) != 2:
        raise TypeError(
            f"MaskBuilderFigure.cell is [query index, key index]; got {cell!r}"
        )
    return [checked_index("cell", index, n - 1) for index in cell]


def checked_edits(edits, n):
    """Returns the cells set by hand as [query index, key index, bool], or says what is wrong with them."""
    wanted = "MaskBuilderFigure.edits is a list of [query index, key index, True = may attend]"
    if not isinstance(edits, (list, tuple)):
        raise TypeError(f"{wanted}; got {edits!r}")
    out = []
    for edit in edits:
        if (
            not isinstance(edit, (list, tuple))
            or len(edit) != 3
            or not isinstance(edit[2], bool)
        ):
            raise TypeError(f"{wanted}; one of them is {edit!r}")
        out.append(
            [*(checked_index("edits", index, n - 1) for index in edit[:2]), edit[2]]
        )
    if len({(i, j) for i, j, _ in out}) != len(out):
        raise ValueError(f"{wanted}, each cell once; got {edits!r}")
    return out
