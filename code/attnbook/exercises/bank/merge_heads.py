"""Exercise merge-heads: the heads side by side again."""

from __future__ import annotations

import math

import torch

from ..legacy import Exercise, Mistake, draw, exact


def solution(x):
    """Put the features of all heads side by side again, position by position."""
    batch, heads, length, size = x.shape
    x = x.transpose(1, 2)  # (B, T, H, Dh): the heads behind the positions
    return x.reshape(
        batch, length, heads * size
    )  # (B, T, H·Dh): the last two axes become one


def _call(x) -> tuple:
    return (x,)


def example() -> tuple:
    return _call(
        exact([[[11, 12], [21, 22], [31, 32]], [[13, 14], [23, 24], [33, 34]]])
    )


def two_in_a_batch() -> tuple:
    return _call(exact([[[11], [21]], [[12], [22]]], [[[51], [61]], [[52], [62]]]))


def probes() -> list[tuple]:
    return [
        _call(draw(b, h, t, size, seed=330 + t))
        for b, h, t, size in [(2, 3, 5, 7), (3, 5, 2, 11), (5, 2, 7, 3), (2, 7, 11, 3)]
    ]


def edges() -> list[tuple]:
    return [
        _call(draw(*shape, seed=341))
        for shape in [(2, 1, 3, 5), (2, 5, 3, 1), (1, 3, 1, 2)]
    ]


def steps(x) -> list[tuple[str, object]]:
    return [
        ("the heads behind the positions, (B, T, H, Dh)", x.transpose(1, 2)),
        ("all heads side by side, (B, T, H·Dh)", solution(x)),
    ]


def _shape(x) -> tuple[int, int, int]:
    return x.shape[0], x.shape[2], x.shape[1] * x.shape[3]


WRONG = (
    Mistake(
        "not-transposed-back",
        lambda x: x.reshape(_shape(x)),
        "the right shape, the wrong numbers",
        "{seen}In the example the tens digit is the position and the last digit the feature. Your first row "
        "holds 11, 12, 21, 22: it mixes the positions 1 and 2 of one head. It should hold the features 1 to "
        "4 of position 1. `reshape` and `view` keep the numbers in their order and only draw new borders.",
        "x is reshaped (or viewed) straight to (B, T, H·Dh)",
        "Two axes become one only if they stand side by side. Which two should stand side by side before the "
        "reshape?",
    ),
    Mistake(
        "not-joined",
        lambda x: x.transpose(1, 2),
        "half-way",
        "{seen}Your shape is (B, T, H, Dh): the heads stand where they should, but each still has an axis of "
        "its own.",
        "the last two axes are not joined",
        "How many numbers should one position have, and in how many axes?",
    ),
    Mistake(
        "interleaved",
        lambda x: x.permute(0, 2, 3, 1).reshape(_shape(x)),
        "the right shape, the wrong numbers",
        "{seen}Your first row takes the heads in turn: 11 from head 1, 13 from head 2, 12 from head 1, 14 "
        "from head 2. Each head's features should stay together: 11, 12, then 13, 14.",
        "the features of different heads alternate (the heads stand last before the reshape, or are stacked "
        "along the last axis)",
        "Before the last two axes are joined, in which order should they stand, (H, Dh) or (Dh, H)?",
    ),
    Mistake(
        "features-exchanged",
        lambda x: x.transpose(2, 3).reshape(_shape(x)),
        "the wrong two axes",
        "{seen}Your first row holds feature 1 of *all* positions: 11, 21, 31. A row belongs to one position.",
        "the axes 2 and 3 are exchanged instead of 1 and 2",
        "In (B, H, T, Dh), which two axes have to change places, so that the heads stand beside their "
        "features?",
    ),
    Mistake(
        "features-in-front",
        lambda x: x.transpose(1, 3).reshape(_shape(x)),
        "the wrong two axes",
        "{seen}The heads have changed places with their features, (B, Dh, T, H), and then all was cut anew: "
        "your first row mixes positions and heads.",
        "the axes 1 and 3 are exchanged instead of 1 and 2",
        "In (B, H, T, Dh), which two axes have to change places, so that the heads stand beside their "
        "features?",
    ),
    Mistake(
        "batch-moved",
        lambda x: x.transpose(0, 1).reshape(_shape(x)),
        "the wrong two axes",
        "{seen}Head and batch have changed places, so that your first sentence is mixed with the second. In "
        "this example the second sentence's numbers begin at 51.",
        "the axes 0 and 1 are exchanged instead of 1 and 2",
        "In (B, H, T, Dh), which two axes have to change places?",
        example=two_in_a_batch,
    ),
    Mistake(
        "positions-in-front",
        lambda x: x.permute(2, 0, 1, 3).reshape(x.shape[2], x.shape[0], -1),
        "one place too far",
        "{seen}Your shape is (T, B, H·Dh): the positions stand even before the batch.",
        "the positions are brought to the very front",
        "Behind which axis should the positions stand?",
        example=two_in_a_batch,
    ),
    Mistake(
        "positions-in-front-then-cut",
        lambda x: x.permute(2, 0, 1, 3).reshape(_shape(x)),
        "one place too far",
        "{seen}Before the reshape your positions stood even before the batch, (T, B, H, Dh); then the rows "
        "were dealt out anew, and your first sentence got a row of the second. In this example the second "
        "sentence's numbers begin at 51.",
        "the positions are brought to the very front, and all is then cut into (B, T, H·Dh)",
        "Which axis should be the first one at the moment of the reshape?",
        example=two_in_a_batch,
    ),
    Mistake(
        "heads-in-the-batch",
        lambda x: torch.cat(x.unbind(1)),
        "the wrong axis is joined",
        "{seen}Your shape is (H·B, T, Dh): `torch.cat` without a `dim` lays the heads one behind the other "
        "along the axis of the batch.",
        "the heads are joined along the batch",
        "Along which axis should the heads lie side by side?",
        example=two_in_a_batch,
    ),
    Mistake(
        "positions-joined",
        lambda x: x.flatten(1, 2),
        "the wrong two axes are joined",
        "{seen}Yours has a row for every pair of a head and a position, 6 of them, with 2 features each. "
        "Asked for is a row for every position, with all 4 features.",
        "heads and positions are joined instead of heads and features (`torch.cat` along the positions does "
        "the same)",
        "Along which axis should the heads lie side by side?",
    ),
    Mistake(
        "batch-joined",
        lambda x: solution(x).flatten(0, 1),
        "batch and positions run together",
        "{seen}Your rows are right, but (B, T) has become one axis.",
        "the batch and the positions are joined as well",
        "Which `-1` or `flatten` takes in an axis too many?",
        example=two_in_a_batch,
    ),
    Mistake(
        "heads-summed",
        lambda x: x.sum(1),
        "added, not side by side",
        "{seen}You add the heads: 11 + 13 = 24. What each head has found is mixed up before anyone could "
        "look at it; the mixing is the work of W_O, with weights of its own for each head.",
        "the heads are summed",
        "How many numbers does a position have in the end: as many as one head, or as many as all?",
    ),
    Mistake(
        "heads-averaged",
        lambda x: x.mean(1),
        "averaged, not side by side",
        "{seen}You average the heads: (11 + 13)/2 = 12. What each head has found is mixed up before anyone "
        "could look at it; the mixing is the work of W_O.",
        "the heads are averaged",
        "How many numbers does a position have in the end: as many as one head, or as many as all?",
    ),
    Mistake(
        "maximum-over-heads",
        lambda x: x.amax(1),
        "the loudest head",
        "{seen}For every feature you keep the largest number that any head has, and lose the others.",
        "the maximum over the heads is taken",
        "How many numbers does a position have in the end: as many as one head, or as many as all?",
    ),
    Mistake(
        "first-head-only",
        lambda x: x[:, 0],
        "one head",
        "{seen}Yours is head 1 alone. The features 3 and 4 are lost.",
        "only the first head is returned",
        "What happens to the other heads, and does a `return` stand inside a loop?",
    ),
    Mistake(
        "last-head-only",
        lambda x: x[:, -1],
        "one head",
        "{seen}Yours is the last head alone. The features 1 and 2 are lost.",
        "only the last head is returned (did a loop overwrite its result?)",
        "What happens to the other heads?",
    ),
    Mistake(
        "heads-in-reverse",
        lambda x: solution(x.flip(1)),
        "the order of the heads",
        "{seen}In your rows the features 3 and 4 of the second head come first.",
        "the heads come in reverse order",
        "Which head's features should a row begin with?",
    ),
    Mistake(
        "scaled",
        lambda x: solution(x) / math.sqrt(x.shape[1]),
        "a scale that does not belong",
        "{seen}Every number of yours is divided by 1.414, the root of H = 2.",
        "the result is divided by √H",
        "Should merging change a number, or only its place?",
    ),
    Mistake(
        "view-after-transpose",
        lambda x: x.transpose(1, 2).view(_shape(x)),
        "`view` wants the numbers in a row",
        "With {given} {line} raises {error}. The transpose is right. It moves no number in memory, it only "
        "reads them in another order; and `view` cannot join two axes whose numbers do not lie one behind "
        "the other.",
        "`view` follows directly on the transpose",
        "Which relative of `view` copies the numbers when it must? (Or what could be called in between?)",
        line=r"view",
    ),
    Mistake("no-gradient", lambda x: solution(x.detach())),
    Mistake("missing-axis", lambda x: solution(x).squeeze()),
)

MERGE_HEADS = Exercise(
    name="merge-heads",
    title="Swap and glue",
    chapter=7,
    function="my_merge_heads",
    statement="""\
Undo the splitting: put the features of the $H$ heads side by side again, position by position, so that
$(B, H, T, D_h)$ becomes $(B, T, H \\cdot D_h)$. Row $i$ holds what head 1 says of position $i$, then what head
2 says of it, and so on. If head 1 is $\\begin{pmatrix}11&12\\\\21&22\\end{pmatrix}$ and head 2
$\\begin{pmatrix}13&14\\\\23&24\\end{pmatrix}$, the two rows are $(11, 12, 13, 14)$ and $(21, 22, 23, 24)$.""",
    stub='''\
def my_merge_heads(x):
    """Put the features of all heads side by side again, position by position.

    x: (B, H, T, Dh) → (B, T, H·Dh)
    """
    ...
''',
    hints=(
        "The same two steps as in splitting, backwards. Two axes can become one only if they stand side by "
        "side, in the right order. Do they, in (B, H, T, Dh)?",
        "First the heads go back behind the positions: (B, H, T, Dh) becomes (B, T, H, Dh). Then the last "
        "two axes become one.",
        "`x.transpose(1, 2)` and then `.reshape(B, T, H * Dh)` or `.flatten(2)`. (`.view` would need "
        "`.contiguous()` in between, because a transpose leaves the numbers where they are.)",
    ),
    solution=solution,
    why="`x.reshape(B, T, H * Dh)` has the right shape, and nothing complains. But without the transpose a "
    "row of the result is filled from one head and several positions: words see each other past every mask. "
    "After it comes W_O, a linear map, and training finds weights that make the best of it, so that the "
    "loss falls all the same. With one head only, or one position, even the numbers are right. That is why "
    "the check uses neither.",
    shapes={"x": "B H T Dh"},
    returns="B T H·Dh",
    example=example,
    probes=probes,
    edges=edges,
    steps=steps,
    wrong=WRONG,
    differentiable=("x",),
)
