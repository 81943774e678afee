"""Exercise parameter-budget: what do heads cost?"""

from __future__ import annotations

from collections.abc import Callable

import torch

from ..legacy import Exercise, Mistake
from .parameter_budget_counts import (
    a_part_amiss,
    as_number,
    count_kind,
    must_be_whole,
    must_refuse,
    what_is_amiss,
)


def solution(d_model, num_heads):
    """Count the parameters of multi-head attention without biases, heads at width D/H, W_O included."""
    if d_model % num_heads:
        raise ValueError(
            f"{num_heads} heads cannot share {d_model} features; take a divisor of {d_model}"
        )
    head_dim = d_model // num_heads
    per_head = 3 * d_model * head_dim  # W_q, W_k and W_v of one head: D → D/H each
    output = (num_heads * head_dim) * d_model  # W_O: the merged heads → D
    return num_heads * per_head + output


def example() -> tuple:
    return 10, 5


def probes() -> list[tuple]:
    return [(12, 3), (35, 5), (77, 11), (512, 8), (15, 3)]


def edges() -> list[tuple]:
    return [(7, 1), (5, 5), (1, 1)]


def steps(d_model, num_heads) -> list[tuple[str, object]]:
    size = d_model // num_heads
    return [
        ("the features of one head", size),
        ("W_q, W_k and W_v of one head", 3 * d_model * size),
        ("those of all heads", 3 * d_model * d_model),
        ("W_O", d_model * d_model),
    ]


def _mistake(
    name: str, count: Callable, about: str, says: str, looks: str, asks: str
) -> Mistake:
    return Mistake(
        name,
        count,
        about,
        "With d_model 10 and num_heads 5 you count {got}; right is {expected}.\n"
        + says,
        looks,
        asks,
    )


WRONG = (
    _mistake(
        "W_O-forgotten",
        lambda d, h: 3 * d * d,
        "one of four",
        "3·100 = 300: three matrices of 10·10. Queries, keys and values are complete; the fourth matrix, W_O, "
        "which mixes the merged heads, is missing.",
        "one of the four (D, D) matrices is left out, most often W_O",
        "Without W_O, could what one head has found ever meet what another has found?",
    ),
    _mistake(
        "full-width-heads",
        lambda d, h: 4 * h * d * d,
        "heads at full width",
        "5·3·100 + 500 = 2000: each of your heads is as wide as the model, 10 features instead of 10/5 = 2, "
        "and W_O has to take in 50.",
        "every head is counted at full width D",
        "From how many features to how many does the W_q of *one* head lead?",
    ),
    _mistake(
        "full-width-heads-small-output",
        lambda d, h: 3 * h * d * d + d * d,
        "heads at full width",
        "5·3·100 + 100 = 1600: each of your heads is as wide as the model, 10 features instead of 10/5 = 2.",
        "every head's W_q, W_k and W_v are counted at full width D",
        "From how many features to how many does the W_q of *one* head lead?",
    ),
    _mistake(
        "full-width-heads-without-W_O",
        lambda d, h: 3 * h * d * d,
        "heads at full width, and no W_O",
        "5·3·100 = 1500: each of your heads is as wide as the model, 10 features instead of 10/5 = 2, and W_O "
        "is missing.",
        "every head is counted at full width D, and W_O is left out",
        "From how many features to how many does the W_q of *one* head lead, and what comes after the heads?",
    ),
    _mistake(
        "biases-added",
        lambda d, h: 4 * d * d + 4 * d,
        "biases",
        "400 + 4·10 = 440: each of the four maps has got a bias of 10 numbers (as `nn.MultiheadAttention` has "
        "by default).",
        "four biases are counted as well",
        "Is there anything in the layer that is added rather than multiplied?",
    ),
    _mistake(
        "input-biases-added",
        lambda d, h: 4 * d * d + 3 * d,
        "biases",
        "400 + 3·10 = 430: W_q, W_k and W_v have got a bias of 10 numbers each.",
        "three biases are counted as well",
        "Is there anything in the layer that is added rather than multiplied?",
    ),
    _mistake(
        "output-bias-added",
        lambda d, h: 4 * d * d + d,
        "a bias",
        "400 + 10 = 410: one of the maps, probably W_O, has got a bias of 10 numbers.",
        "one bias is counted as well",
        "Is there anything in the layer that is added rather than multiplied?",
    ),
    _mistake(
        "biases-without-W_O",
        lambda d, h: 3 * d * d + 3 * d,
        "one too few, three too many",
        "3·100 + 3·10 = 330: W_q, W_k and W_v with a bias of 10 numbers each. Biases are not part of the "
        "layer, and W_O is.",
        "biases are counted, and W_O is not",
        "Which four maps does the layer have, and is anything added in them?",
    ),
    _mistake(
        "one-head-only",
        lambda d, h: 3 * d * d // h,
        "one head, or heads that see a part",
        "3·100/5 = 60. Either that is one head of the five, 3·10·2; or all, if each looked at its own 2 "
        "features only, 5·3·2·2. There are five heads, each looks at all 10 features, and W_O comes on top.",
        "one head is counted (or heads from D/H to D/H), without W_O",
        "How many heads are there, how many features does each look at, and what follows them?",
    ),
    _mistake(
        "one-head-and-W_O",
        lambda d, h: 3 * d * d // h + d * d,
        "one head, or heads that see a part",
        "3·100/5 + 100 = 160: W_O is right, 100. Of the rest you count one head of the five, 3·10·2; or all, "
        "if each looked at its own 2 features only, 5·3·2·2.",
        "the heads' maps are counted once instead of H times (or from D/H to D/H)",
        "How many heads are there, and how many features does each look at?",
    ),
    _mistake(
        "one-head-with-its-output",
        lambda d, h: 4 * d * d // h,
        "a share of the whole",
        "4·100/5 = 80: four maps, but of one head only (4·10·2), or of heads that each look at their own 2 "
        "features (5·4·2·2).",
        "all four maps are counted for one head (or from D/H to D/H)",
        "How many heads are there, and how many features does each look at?",
    ),
    _mistake(
        "shared-projections",
        lambda d, h: 2 * d * d,
        "two of four",
        "2·100 = 200: two matrices of 10·10. There are four: W_q, W_k and W_v, one for each role, and W_O.",
        "two of the four (D, D) matrices are left out (is one matrix shared by query, key and value?)",
        "Which letters stand on the matrices of the layer, and how many are there?",
    ),
    _mistake(
        "one-matrix",
        lambda d, h: d * d,
        "one of four",
        "10·10 = 100: one matrix. There are four: W_q, W_k and W_v, one for each role, and W_O.",
        "one (D, D) matrix is counted",
        "Which letters stand on the matrices of the layer, and how many are there?",
    ),
    _mistake(
        "an-output-for-every-head",
        lambda d, h: (3 + h) * d * d,
        "too many outputs",
        "3·100 + 5·100 = 800: the heads are right, 300, but you count a full W_O of 10·10 for each of the 5 "
        "heads. There is one, for the merged heads.",
        "W_O is counted once for every head",
        "How many numbers come out of all heads together, and how many does W_O therefore take in?",
    ),
    _mistake(
        "output-of-one-head",
        lambda d, h: 3 * d * d + d * d // h,
        "a narrow W_O",
        "3·100 + 100/5 = 320: the heads are right, 300, but your W_O takes in one head, 2·10 = 20, instead of "
        "all of them.",
        "W_O is counted from D/H to D",
        "How many numbers come out of all heads together?",
    ),
    _mistake(
        "grouped",
        lambda d, h: 2 * d * d + 2 * d * d // h,
        "shared keys and values",
        "100 + 2·20 + 100 = 240: one head's W_k and W_v serve all heads. That is multi-query attention, a "
        "cheaper layer than the one that is asked for.",
        "W_k and W_v are counted for one head only",
        "Do the heads share their keys and values here?",
    ),
    _mistake(
        "with-feed-forward",
        lambda d, h: 12 * d * d,
        "a whole block",
        "12·100 = 1200: 4·100 of them are the attention. The rest, 8·100, is a feed-forward network from 10 "
        "to 40 and back, which belongs to the block around it.",
        "the feed-forward network of the block is counted as well",
        "Which parts of a block belong to its attention?",
    ),
    _mistake(
        "with-layer-norm",
        lambda d, h: 4 * d * d + 2 * d,
        "two vectors more",
        "400 + 2·10 = 420: two vectors of 10 numbers are counted on top, as a layer norm has them, or two "
        "biases.",
        "two vectors of D numbers are counted as well (a layer norm?)",
        "Is there anything in the layer besides matrices?",
    ),
    _mistake(
        "head-size",
        lambda d, h: d // h,
        "only the width",
        "10/5 = 2 is the number of features of one head. That is where the count begins.",
        "the width of a head is returned",
        "How many numbers are there in a matrix that makes 2 features out of 10?",
    ),
    _mistake(
        "rows-plus-columns",
        lambda d, h: 3 * h * (d + d // h) + 2 * d,
        "plus or times?",
        "5·3·(10 + 2) + (10 + 10) = 200: rows and columns are added. A matrix has as many numbers as rows "
        "*times* columns.",
        "the two sizes of each matrix are added instead of multiplied",
        "How many numbers does a table of 10 rows and 2 columns hold?",
    ),
    _mistake(
        "vectors-for-matrices",
        lambda d, h: 4 * d,
        "vectors or matrices?",
        "4·10 = 40: four *vectors* of 10 numbers. A map from 10 features to 10 has a number for each pair of "
        "them.",
        "a vector is counted for every matrix",
        "How many numbers does a table of 10 rows and 10 columns hold?",
    ),
    Mistake("a-float", lambda d_model, num_heads: 4.0 * d_model * d_model),
    Mistake("a-tensor", lambda d_model, num_heads: torch.tensor(4 * d_model * d_model)),
    Mistake("not-refused", lambda d_model, num_heads: 4 * d_model * d_model),
    Mistake(
        "refused-in-silence",
        lambda d_model, num_heads: (
            None if d_model % num_heads else 4 * d_model * d_model
        ),
    ),
    Mistake("returns-a-tuple", lambda d_model, num_heads: (3 * d_model**2, d_model**2)),
)

PARAMETER_BUDGET = Exercise(
    name="parameter-budget",
    title="What does it cost?",
    chapter=7,
    function="my_equal_heads",
    statement="""\
Count the parameters of multi-head attention without biases, exactly and as an integer. Each of the $H$ heads has
a $\\mathbf W^Q$, a $\\mathbf W^K$ and a $\\mathbf W^V$ of its own, which make $D/H$ features out of all $D$; the
merged heads go through one $\\mathbf W^O$, from $D$ to $D$. If $H$ does not divide $D$ there is no such layer: raise
a `ValueError`. Before you write a line: will `my_equal_heads(8, 4)` be more than `my_equal_heads(8, 2)`?""",
    stub='''\
def my_equal_heads(d_model, num_heads):
    """Count the parameters of multi-head attention without biases, W_O included.

    d_model: D, num_heads: H → int; a ValueError if H does not divide D
    """
    ...
''',
    hints=(
        "Count one head first. Its W_q makes D/H features out of D: how many numbers does such a matrix "
        "have? Then the same for W_k and W_v.",
        "H times three matrices of D · D/H numbers: H cancels. What remains is the matrix that comes after "
        "the merge, W_O, which takes in all heads, H · D/H = D features, and gives D.",
        "With `head_dim = d_model // num_heads` (an integer, unlike `/`) the heads have `num_heads * 3 * "
        "d_model * head_dim` parameters. W_O is one more (D, D) matrix. `d_model % num_heads` is 0 if H "
        "divides D.",
    ),
    solution=solution,
    why="A count that leaves W_O out is right for the heads, and for a single head it even seems right to "
    "leave it out: W_V and W_O are then two maps in a row. But whoever compares one head without W_O to "
    "eight heads with it gives the eight a third more parameters, and may take the gain for a gain from "
    "heads. A head at full width looks right because every class in a first version is written so; it costs "
    "H times as much.",
    shapes={"d_model": "a number", "num_heads": "a number"},
    returns="",
    example=example,
    probes=probes,
    edges=edges,
    steps=steps,
    wrong=WRONG,
    detectors=(a_part_amiss,),
    describers=(what_is_amiss,),
    demands=(must_be_whole, must_refuse),
    read=as_number,
    kind=count_kind,
)
