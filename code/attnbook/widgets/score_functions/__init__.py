"""Score functions over the plane, the weights they give, and what they cost."""

import numbers
from typing import Any

import numpy as np
import traitlets

from ..kit import (
    Figure,
    listed,
    number,
    number_between,
    one_of,
    point,
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
KEYS = [[1.0, 1.6], [2.4, 1.2], [-1.2, 0.8], [0.6, -1.6]]
LARGEST = 4096


def score_costs(
    score: str, d: int, h: int, num_queries: int, num_keys: int
) -> dict[str, int]:
    """Counts what a table of T × S scores costs, for queries and keys of the same size d.

    A multiply-add is one multiplication with its addition; a lone addition, subtraction or multiplication of two
    numbers counts as one too. (One multiply-add is two FLOPs where both halves are counted.) `products` are those
    inside matrix products, `elementwise` the others:

    | score | parameters | products | elementwise | tanh | largest tensor |
    |---|---|---|---|---|---|
    | dot, q·k | 0 | TSd | 0 | 0 | TS |
    | scaled dot, q·k/√d | 0 | TSd | TS | 0 | TS |
    | multiplicative, qᵀMk | d² | Td² + TSd | 0 | 0 | TS |
    | additive, w_vᵀ tanh(W_q q + W_k k) | 2hd + h | (T + S)hd + TSh | TSh | TSh | TSh |
    | Gaussian, −‖q − k‖²/2 | 0 | TSd + (T + S)d | 2TS + T + S | 0 | TS |

    The additive score projects each query and each key once; qᵀM is computed once per query.
    The Gaussian is counted through q·k − ½‖q‖² − ½‖k‖²; built from the differences q − k it would need a tensor of
    TSd numbers. The largest tensor is the largest one computed beside queries and keys *that depends on T · S*,
    which is what long sequences are short of.

    Args:
        score: "dot", "scaled_dot", "multiplicative", "additive" or "gaussian".
        d: size of queries and keys.
        h: hidden units of the additive score; the others ignore it.
        num_queries: T.
        num_keys: S.

    Returns:
        dict of whole numbers: `parameters`, `products`, `elementwise`, `multiply_adds` (the sum of the two),
        `tanh` (evaluations) and `largest` (numbers in the largest tensor).

    Raises:
        ValueError: an unknown score or a size below 1.
    """
    sizes = {"d": d, "h": h, "num_queries": num_queries, "num_keys": num_keys}
    for name, size in sizes.items():
        if isinstance(size, bool) or not isinstance(size, numbers.Integral) or size < 1:
            raise ValueError(f"{name} must be a whole number from 1, got {size!r}")
    if score not in SCORES:
        raise ValueError(f"score must be one of {', '.join(SCORES)}; got {score!r}")
    t, s = num_queries, num_keys
    parameters, products, elementwise, tanh, largest = {
        "dot": (0, t * s * d, 0, 0, t * s),
        "scaled_dot": (0, t * s * d, t * s, 0, t * s),
        "multiplicative": (d * d, t * d * d + t * s * d, 0, 0, t * s),
        "additive": (
            2 * h * d + h,
            (t + s) * h * d + t * s * h,
            t * s * h,
            t * s * h,
            t * s * h,
        ),
        "gaussian": (0, t * s * d + (t + s) * d, 2 * t * s + t + s, 0, t * s),
    }[score]
    return {
        "parameters": parameters,
        "products": products,
        "elementwise": elementwise,
        "multiply_adds": products + elementwise,
        "tanh": tanh,
        "largest": largest,
    }


def drawn_weights(seed: int) -> dict[str, list]:
    """Draws the parameters of the multiplicative and the additive score in the plane.

    Args:
        seed: whole number; the same seed gives the same weights.

    Returns:
        dict of nested lists with two decimal places: `weight` (2, 2), `W_q` and `W_k` (3, 2), `w_v` (3,).
    """
    draw = np.random.default_rng(seed).normal
    shapes = {
        "weight": (2, 2),
        "W_q": (HIDDEN, 2),
        "W_k": (HIDDEN, 2),
        "w_v": (HIDDEN,),
    }
    return {
        name: draw(scale=2 if name == "w_v" else 1, size=shape).round(2).tolist()
        for name, shape in shapes.items()
    }


class ScoreFunctionsFigure(Figure):
    """Five scores of a query that can be dragged, over all keys of the plane, and what each of them costs.

    Args:
        score: "dot", "scaled_dot", "multiplicative", "additive" or "gaussian" (width 1).
        query: [x, y], each from −3 to 3.
        key: four points [x, y], each coordinate from −3 to 3.
        on_circle: whether the keys are moved to the same norm, `radius`, along the ray from the origin.
        radius: that norm, 0.5…3.
        d: size of queries and keys in the count of costs, 1…4096.
        h: hidden units of the additive score in the count of costs, 1…4096.
        num_queries, num_keys: T and S in the count of costs, 1…4096.
        weight: M of the multiplicative score, (2, 2) nested lists.
        W_q, W_k: (h, 2) nested lists, and
        w_v: (h,) list: the parameters of the additive score in the plane, 1 to 16 hidden units.
        seed: whole number with which those four are drawn where they are not given; not a trait.

    Raises:
        TypeError, ValueError: a value that does not fit; the message names what would.
    """

    module = "score_functions"
    alt = """Score functions. Left, a plane with a query and four keys that can be dragged: lines of equal score for
        every place where a key could be, violet where the score is above zero, grey where it is below, and the zero
        level drawn thick. Right, the softmax weights of the four keys, and below them the weights of the dot product
        beside those of the Gaussian; they agree when all keys are on a circle around the origin. In the
        live figure a second part compares the five scores by parameters, multiply-adds and largest tensor."""

    score = one_of("dot", SCORES, "the score function")
    query = taking([1.5, 1.0], POINT, "the query")
    key = taking(KEYS, listed(POINT, 4), "the keys")
    on_circle = yes_or_no(False, "whether all keys get the same norm")
    radius = number_between(2.0, 0.5, REACH, "the norm of the keys on the circle")
    d = number_between(64, 1, LARGEST, "the size of queries and keys", whole=True)
    h = number_between(64, 1, LARGEST, "the number of hidden units", whole=True)
    num_queries = number_between(64, 1, LARGEST, "the number of queries", whole=True)
    num_keys = number_between(64, 1, LARGEST, "the number of keys", whole=True)
    weight = taking(None, listed(PAIR, 2), "the matrix M (2, 2)")
    W_q = taking(None, listed(PAIR, 1, 16), "the matrix W_q (h, 2)")
    W_k = taking(None, listed(PAIR, 1, 16), "the matrix W_k (h, 2)")
    w_v = taking(None, listed(ENTRY, 1, 16), "the vector w_v (h,)")

    def __init__(self, seed: int = 1, **kwargs: Any):
        if isinstance(seed, bool) or not isinstance(seed, numbers.Integral) or seed < 0:
            raise ValueError(f"seed must be a whole number from 0, got {seed!r}")
        for name, value in drawn_weights(seed).items():
            if kwargs.get(name) is None:
                kwargs[name] = value
        super().__init__(**kwargs)

    @traitlets.validate("W_q", "W_k", "w_v")
    def _check_hidden_size(self, proposal: dict[str, Any]) -> Any:
        sizes = {n: len(getattr(self, n)) for n in ("W_q", "W_k", "w_v")}
        if len(set(sizes.values())) > 1:
            got = ", ".join(f"{name} has {size}" for name, size in sizes.items())
            raise ValueError(
                f"W_q (h, 2), W_k (h, 2) and w_v (h,) share one hidden size h; {got}"
            )
        return same_number(self, proposal, "hidden units")
