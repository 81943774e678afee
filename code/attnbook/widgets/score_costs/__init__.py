"""What five score functions cost."""

from attnbook.checks import check_count

from ..kit import Figure, number_between
from ..score_functions import SCORES

LARGEST = 4096


def score_costs(score: str, d: int, h: int, num_queries: int, num_keys: int) -> dict[str, int]:
    """Count what a table of T × S scores costs, for queries and keys of the same size d.

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
        TypeError: a size that is no integer.
        ValueError: an unknown score or a size below 1.
    """
    sizes = {"d": d, "h": h, "num_queries": num_queries, "num_keys": num_keys}
    for name, size in sizes.items():
        check_count(name, size)
    if score not in SCORES:
        raise ValueError(f"score must be one of {', '.join(SCORES)}; got {score!r}")
    t, s = num_queries, num_keys
    parameters, products, elementwise, tanh, largest = {
        "dot": (0, t * s * d, 0, 0, t * s),
        "scaled_dot": (0, t * s * d, t * s, 0, t * s),
        "multiplicative": (d * d, t * d * d + t * s * d, 0, 0, t * s),
        "additive": (2 * h * d + h, (t + s) * h * d + t * s * h, t * s * h, t * s * h, t * s * h),
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


class ScoreCostsFigure(Figure):
    """What the additive score costs for each number of hidden units, in multiples of the dot product, and five counts.

    For 256 queries and 256 keys of size 64, 256 or 1024 it also marks the times in chapters/results/scores.json.

    Args:
        h: hidden units of the additive score, 1…4096.
        d: size of queries and keys, 1…4096.
        num_queries, num_keys: T and S, 1…4096.
    """

    module = "score_costs"
    alt = """What five scores cost for 256 queries and 256 keys of size 256. Above, two lines over the hidden units of
        the additive score, from 1 to 4096, both axes logarithmic: how many times the dot product's multiply-adds it
        does, and how many times as many numbers it holds for the pairs. Both rise in proportion to the hidden units.
        At 256 they are at 4 and 256; the first falls below 1 at 64 hidden units, the second is never below 1. A diamond
        at 8 hidden units marks the measured time, 3.6 times the scaled dot product's, though the arithmetic is an
        eighth. Below, a table of the parameters, multiply-adds and numbers for the pairs of all five scores."""

    h = number_between(256, 1, LARGEST, "the number of hidden units", whole=True)
    d = number_between(256, 1, LARGEST, "the size of queries and keys", whole=True)
    num_queries = number_between(256, 1, LARGEST, "the number of queries", whole=True)
    num_keys = number_between(256, 1, LARGEST, "the number of keys", whole=True)
