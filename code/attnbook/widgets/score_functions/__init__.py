"""Score functions over the plane, and the weights they give."""

from typing import Any

import numpy as np
import traitlets

from attnbook.checks import check_count

from ..kit import (
    FLAG,
    Figure,
    choice,
    listed,
    number,
    number_between,
    one_of,
    point,
    record,
    same_number,
    taking,
    yes_or_no,
)

SCORES = ["dot", "scaled_dot", "multiplicative", "additive", "gaussian"]
REACH = 3.0
HIDDEN = 3
POINT = point(REACH)
ENTRY = number(-10, 10)
PAIR = listed(ENTRY, 2)
SEEN = record("what was seen", "", choice(SCORES), FLAG, POINT, listed(POINT, 4))
KEYS = [[1.0, 1.6], [2.4, 1.2], [-1.2, 0.8], [0.6, -1.6]]


def drawn_weights(seed: int) -> dict[str, list]:
    """Draw the parameters of the multiplicative and the additive score in the plane.

    Args:
        seed: whole number; the same seed gives the same weights.

    Returns:
        dict of nested lists with two decimal places: `weight` (2, 2), `W_q` and `W_k` (3, 2), `w_v` (3,).
    """
    draw = np.random.default_rng(seed).normal
    shapes = {"weight": (2, 2), "W_q": (HIDDEN, 2), "W_k": (HIDDEN, 2), "w_v": (HIDDEN,)}
    return {name: draw(scale=2 if name == "w_v" else 1, size=shape).round(2).tolist() for name, shape in shapes.items()}


class ScoreFunctionsFigure(Figure):
    """Five scores of a query that can be dragged, over all keys of the plane, and the weights of four keys.

    Args:
        score: "dot", "scaled_dot", "multiplicative", "additive" or "gaussian" (width 1).
        query: [x, y], each from −3 to 3.
        key: four points [x, y], each coordinate from −3 to 3.
        on_circle: whether the keys are moved to the same norm, `radius`, along the ray from the origin.
        radius: that norm, 0.5…3.
        weight: M of the multiplicative score, (2, 2) nested lists.
        W_q, W_k: (h, 2) nested lists, and
        w_v: (h,) list: the parameters of the additive score in the plane, 1 to 16 hidden units.
        seed: whole number with which those four are drawn where they are not given; not a trait.
    """

    module = "score_functions"
    alt = """Score functions. Left, a plane with a query and four keys that can be dragged: lines of equal score for
        every place where a key could be, violet where the score is above zero, grey where it is below, and the zero
        level drawn thick. Right, for each key its score, and its softmax weight beside the one that the Gaussian
        gives it; those of the dot product and the Gaussian agree when all keys are on a circle around the origin."""

    score = one_of("dot", SCORES, "the score function")
    query = taking([1.5, 1.0], POINT, "the query")
    key = taking(KEYS, listed(POINT, 4), "the keys")
    on_circle = yes_or_no(False, "whether all keys get the same norm")
    _begun = traitlets.Any(None).tag(sync=True, kind=SEEN)
    radius = number_between(2.0, 0.5, REACH, "the norm of the keys on the circle")
    weight = taking(None, listed(PAIR, 2), "the matrix M (2, 2)")
    W_q = taking(None, listed(PAIR, 1, 16), "the matrix W_q (h, 2)")
    W_k = taking(None, listed(PAIR, 1, 16), "the matrix W_k (h, 2)")
    w_v = taking(None, listed(ENTRY, 1, 16), "the vector w_v (h,)")

    def __init__(self, seed: int = 1, **kwargs: Any):
        check_count("seed", seed, 0)
        for name, value in drawn_weights(seed).items():
            if kwargs.get(name) is None:
                kwargs[name] = value
        super().__init__(**kwargs)

    @traitlets.validate("W_q", "W_k", "w_v")
    def _check_hidden_size(self, proposal: dict[str, Any]) -> Any:
        sizes = {n: len(getattr(self, n)) for n in ("W_q", "W_k", "w_v")}
        if len(set(sizes.values())) > 1:
            got = ", ".join(f"{name} has {size}" for name, size in sizes.items())
            raise ValueError(f"W_q (h, 2), W_k (h, 2) and w_v (h,) share one hidden size h; {got}")
        return same_number(self, proposal, "hidden units")
