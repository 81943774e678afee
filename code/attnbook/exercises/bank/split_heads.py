"""Exercise split-heads: the features in groups, and the groups in front."""

from __future__ import annotations

import math

import torch

from ..legacy import Exercise, Mistake, draw, exact


def solution(x, num_heads):
    """Cut the features into heads and bring the head axis before the positions."""
    batch, length, features = x.shape
    x = x.reshape(
        batch, length, num_heads, features // num_heads
    )  # (B, T, H, Dh): cut the last axis
    return x.transpose(1, 2)  # (B, H, T, Dh): the heads before the positions


def example() -> tuple:
    return exact([[11, 12, 13, 14], [21, 22, 23, 24], [31, 32, 33, 34]]), 2


def two_in_a_batch() -> tuple:
    return exact([[11, 12], [21, 22]], [[51, 52], [61, 62]]), 2


def probes() -> list[tuple]:
    return [
        (draw(b, t, h * size, seed=310 + t), h)
        for b, t, h, size in [(2, 5, 3, 7), (3, 2, 5, 11), (5, 7, 2, 3), (2, 11, 7, 3)]
    ]


def edges() -> list[tuple]:
    return [
        (draw(2, 3, 5, seed=321), 1),
        (draw(2, 3, 5, seed=322), 5),
        (draw(1, 1, 6, seed=323), 2),
    ]


def steps(x, num_heads) -> list[tuple[str, object]]:
    return [
        ("the features of one head", x.shape[-1] // num_heads),
        ("the features in groups, (B, T, H, Dh)", x.unflatten(-1, (num_heads, -1))),
        ("the heads in front, (B, H, T, Dh)", solution(x, num_heads)),
    ]


def _sizes(x, num_heads) -> tuple[int, int, int, int]:
    return (*x.shape[:2], num_heads, x.shape[-1] // num_heads)


def _cut(x, num_heads):
    return x.reshape(_sizes(x, num_heads))


def _wrongly_reshaped(x, num_heads):
    b, t, h, size = _sizes(x, num_heads)
    return x.reshape(b, h, t, size)


def _turned_then_cut(x, num_heads):
    b, t, h, size = _sizes(x, num_heads)
    return x.transpose(1, 2).reshape(b, h, t, size)


def _sizes_exchanged(x, num_heads):
    return x.reshape(*x.shape[:2], -1, num_heads).transpose(1, 2)


def _strided(x, num_heads):
    b, t, h, size = _sizes(x, num_heads)
    return x.reshape(b, t, size, h).permute(0, 3, 1, 2)


def _positions_cut(x, num_heads):
    return x.reshape(x.shape[0], num_heads, x.shape[1] // num_heads, x.shape[2])


def _flat(x, num_heads):
    return _cut(x, num_heads).transpose(1, 2).flatten(0, 1)


WRONG = (
    Mistake(
        "reshaped-at-once",
        _wrongly_reshaped,
        "the right shape, the wrong numbers",
        "{seen}In the example the tens digit is the position and the last digit the feature. Your first "
        "head holds 11, 12, 13, 14: *all* features of position 1, and half of those of position 2. It "
        "should hold the features 1 and 2 of every position. `reshape` and `view` keep the numbers in their "
        "order and only draw new borders.",
        "x is reshaped (or viewed) straight to (B, H, T, Dh)",
        "Which axis does a head cut, the positions or the features? And which operation changes the *order* "
        "of axes?",
    ),
    Mistake(
        "not-transposed",
        _cut,
        "half-way",
        "{seen}Your shape is (B, T, H, Dh): the features are cut rightly, but the heads still stand behind "
        "the positions. The next product, over the last two axes, would compare heads within one position "
        "instead of positions within one head.",
        "the transpose is missing",
        "Which two axes have to change places, so that each head has a table (T, Dh) of its own?",
    ),
    Mistake(
        "turned-then-cut",
        _turned_then_cut,
        "the right shape, the wrong numbers",
        "{seen}Your first head begins with 11, 21: feature 1 of positions 1 and 2, where the features 1 and "
        "2 of one position belong. The transpose came first, and the cut then went through the positions.",
        "x is transposed before its features are cut",
        "At the moment of the cut, which axis must be the last one?",
    ),
    Mistake(
        "every-other-feature",
        _strided,
        "the right shape, the wrong numbers",
        "{seen}Your first head gets the features 1 and 3, your second one 2 and 4. A head's features lie "
        "side by side: 1 and 2, then 3 and 4.",
        "the features are cut into (Dh, H) instead of (H, Dh)",
        "If the last axis is read in order, what is counted first to its end, the features of a head or the "
        "heads?",
    ),
    Mistake(
        "sizes-exchanged",
        _sizes_exchanged,
        "how many, or how large?",
        "{seen}The example asks for 2 heads out of 4 features; with 3 heads and 21 features yours would make "
        "7 heads of 3 features each.",
        "`num_heads` is used as the size of a head",
        "`num_heads` says how many heads there are. How large is each?",
        example=lambda: (
            exact([[11, 12, 13, 14, 15, 16], [21, 22, 23, 24, 25, 26]]),
            2,
        ),
    ),
    Mistake(
        "features-in-front",
        lambda x, num_heads: _cut(x, num_heads).transpose(1, 3),
        "the wrong two axes",
        "{seen}Your shape is (B, Dh, H, T): the features of a head stand where the heads should, and the "
        "positions are last.",
        "the axes 1 and 3 are exchanged instead of 1 and 2",
        "In (B, T, H, Dh), which two axes have to change places to make (B, H, T, Dh)?",
    ),
    Mistake(
        "heads-last",
        lambda x, num_heads: _cut(x, num_heads).transpose(2, 3),
        "the wrong two axes",
        "{seen}Your shape is (B, T, Dh, H): the heads have moved to the end.",
        "the axes 2 and 3 are exchanged instead of 1 and 2",
        "In (B, T, H, Dh), which two axes have to change places to make (B, H, T, Dh)?",
    ),
    Mistake(
        "batch-moved",
        lambda x, num_heads: _cut(x, num_heads).transpose(0, 1),
        "the wrong two axes",
        "{seen}Your shape is (T, B, H, Dh): the positions stand in front, where the batch should.",
        "the axes 0 and 1 are exchanged instead of 1 and 2",
        "In (B, T, H, Dh), which two axes have to change places to make (B, H, T, Dh)?",
        example=two_in_a_batch,
    ),
    Mistake(
        "heads-first-of-all",
        lambda x, num_heads: _cut(x, num_heads).permute(2, 0, 1, 3),
        "one place too far",
        "{seen}Your shape is (H, B, T, Dh): the heads stand even before the batch.",
        "the heads are brought to the very front",
        "Behind which axis should the heads stand? (For a list of heads: along which `dim` does `stack` lay "
        "them?)",
        example=two_in_a_batch,
    ),
    Mistake(
        "features-before-positions",
        lambda x, num_heads: _cut(x, num_heads).permute(0, 2, 3, 1),
        "one exchange too many",
        "{seen}Your shape is (B, H, Dh, T): the heads stand right, but the positions are last. (That is the "
        "shape a *key* has inside the dot product, one step later.)",
        "the last two axes are exchanged as well",
        "A head's table should have a position in each row. What is in the rows of yours?",
    ),
    Mistake(
        "batch-and-heads-joined",
        _flat,
        "three axes",
        "{seen}Yours has three axes, (B·H, T, Dh). Some code works like this; asked for are four, so that a "
        "mask can still tell the sentences from the heads.",
        "batch and heads are run together",
        "Which `reshape` or `flatten` joins the first two axes?",
        example=two_in_a_batch,
    ),
    Mistake(
        "heads-outside-the-batch",
        lambda x, num_heads: torch.cat(x.chunk(num_heads, dim=-1)),
        "three axes",
        "{seen}Yours has three axes, (H·B, T, Dh): `torch.cat` lays the heads one behind the other along "
        "the axis of the batch. Asked for is an axis of their own.",
        "the heads are joined along the batch",
        "Which relative of `cat` makes a *new* axis, and where should it stand?",
        example=two_in_a_batch,
    ),
    Mistake(
        "first-head-only",
        lambda x, num_heads: _cut(x, num_heads).transpose(1, 2)[:, 0],
        "one head",
        "{seen}Yours is the first head alone. The features 3 and 4 are lost.",
        "only the first head is returned",
        "What happens to the other features, and does a `return` stand inside a loop?",
    ),
    Mistake(
        "last-head-only",
        lambda x, num_heads: _cut(x, num_heads).transpose(1, 2)[:, -1],
        "one head",
        "{seen}Yours is the last head alone. The features 1 and 2 are lost.",
        "only the last head is returned (did a loop overwrite its result?)",
        "Where do the other heads go when your last line is reached?",
    ),
    Mistake(
        "full-width-heads",
        lambda x, num_heads: x[:, None].expand(-1, num_heads, -1, -1),
        "copied, not cut",
        "{seen}Each of your heads holds all 4 features. A head should hold 4/2 = 2 of them; all heads "
        "together hold each feature once.",
        "every head gets a copy of all features",
        "How many numbers come in, and how many should come out?",
    ),
    Mistake(
        "positions-cut",
        _positions_cut,
        "the wrong axis is cut",
        "{seen}You cut the *positions* into groups: your heads hold different words, with all their "
        "features. A head holds all words, with some of their features.",
        "the axis of the positions is cut instead of that of the features",
        "Which axis of (B, T, D) must get shorter?",
        example=lambda: (exact([[11, 12], [21, 22], [31, 32], [41, 42]]), 2),
    ),
    Mistake(
        "positions-chunked",
        lambda x, num_heads: torch.stack(x.chunk(num_heads, dim=1), 1),
        "the wrong axis is cut",
        "With {given} {line} raises {error}. You cut the 3 *positions* into 2 groups, which do not even come out "
        "equal. To be cut are the 4 features.",
        "the axis of the positions is cut instead of that of the features",
        "Which axis of (B, T, D) must get shorter?",
        line=r"stack",
    ),
    Mistake(
        "heads-in-reverse",
        lambda x, num_heads: solution(x, num_heads).flip(1),
        "the order of the heads",
        "{seen}Your first head holds the features 3 and 4; they belong to the second.",
        "the heads come in reverse order",
        "Which features should head 1 hold?",
    ),
    Mistake(
        "features-in-reverse",
        lambda x, num_heads: solution(x, num_heads).flip(3),
        "the order of the features",
        "{seen}Within a head your features run backwards: 12 before 11.",
        "the features of each head come in reverse order",
        "Which line turns the last axis round?",
    ),
    Mistake(
        "scaled",
        lambda x, num_heads: (
            solution(x, num_heads) / math.sqrt(x.shape[-1] // num_heads)
        ),
        "a scale that does not belong",
        "{seen}Every number of yours is divided by 1.414, the root of Dh = 2. The scale belongs to the "
        "scores.",
        "the heads are divided by √Dh",
        "Should splitting change a number, or only its place?",
    ),
    Mistake(
        "size-is-a-float",
        lambda x, num_heads: x.reshape(
            *x.shape[:2], num_heads, x.shape[-1] / num_heads
        ).transpose(1, 2),
        "4/2 is 2.0",
        "With {given} {line} raises {error}. In Python `/` makes a floating-point number even of 4/2, and a "
        "size must be a whole one.",
        "the size of a head is computed with `/`",
        "Which operator divides whole numbers and gives a whole number? (`-1` would let torch work it out.)",
        line=r"reshape|view|unflatten|split|permute|transpose",
    ),
    Mistake("missing-axis", lambda x, num_heads: solution(x, num_heads).squeeze()),
    Mistake("no-gradient", lambda x, num_heads: solution(x.detach(), num_heads)),
)

SPLIT_HEADS = Exercise(
    name="split-heads",
    title="Cut and swap",
    chapter=7,
    function="my_split_heads",
    statement="""\
Cut the $D$ features of every position into $H$ heads of $D/H$ features that lie side by side, and bring the
head axis in front of the positions: $(B, T, D)$ becomes $(B, H, T, D/H)$. Head 1 holds the first $D/H$
features of *every* position. $H$ divides $D$. With the two positions $(11, 12, 13, 14)$ and $(21, 22, 23, 24)$
and 2 heads, head 1 is $\\begin{pmatrix}11&12\\\\21&22\\end{pmatrix}$ and head 2
$\\begin{pmatrix}13&14\\\\23&24\\end{pmatrix}$.""",
    stub='''\
def my_split_heads(x, num_heads):
    """Cut the features into heads and bring the head axis before the positions.

    x: (B, T, D), num_heads: H, a divisor of D → (B, H, T, D/H)
    """
    ...
''',
    hints=(
        "Two steps. Cutting an axis in two does not move any number: which axis is cut, and into what? "
        "Exchanging two axes does move them. Write the shape behind each step.",
        "Cut the *last* axis: (B, T, D) becomes (B, T, H, D/H), in this order, because a head's features lie "
        "side by side. Then the heads and the positions change places.",
        "`x.reshape(B, T, num_heads, D // num_heads)` cuts (or `x.unflatten(-1, (num_heads, -1))`), and "
        "`.transpose(1, 2)` exchanges.",
    ),
    solution=solution,
    why="`x.reshape(B, H, T, Dh)` has the right shape at once, and every later line runs. But reshaping never "
    'changes the order in which numbers are read: such a "head" holds all features of the first positions, '
    "so that different heads look at different words. A model even trains with it, and it leaks: in a causal "
    "model, a row then mixes positions that the mask believes to be apart. Numbers that carry their address, "
    "such as 23 for position 2 and feature 3, show it at a glance.",
    shapes={"x": "B T D", "num_heads": "a number"},
    returns="B H T D/H",
    example=example,
    probes=probes,
    edges=edges,
    steps=steps,
    wrong=WRONG,
    differentiable=("x",),
)
