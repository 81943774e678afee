"""Exercise split-heads: the features in groups, and the groups in front."""

import torch  # noqa: F401  (some of the mistakes use it)

from ..arguments import draw, exact
from ..exercise import Exercise, Mistake


def my_split_heads(x, num_heads):
    """Cut the features into heads and bring the head axis before the positions.

    x: (B, T, D), num_heads: H, a divisor of D → (B, H, T, D/H)
    """
    batch, length, features = x.shape
    size = features // num_heads  # D/H
    cut = x.reshape(batch, length, num_heads, size)  # (B, T, H, D/H)
    return cut.transpose(1, 2)  # (B, H, T, D/H)


def example() -> tuple:
    return exact([[11, 12, 13, 14], [21, 22, 23, 24], [31, 32, 33, 34]]), 2


def two_in_a_batch() -> tuple:
    return exact([[11, 12], [21, 22]], [[51, 52], [61, 62]]), 2


def six_features() -> tuple:
    return exact([[11, 12, 13, 14, 15, 16], [21, 22, 23, 24, 25, 26]]), 2


def four_positions() -> tuple:
    return exact([[11, 12], [21, 22], [31, 32], [41, 42]]), 2


def probes() -> list[tuple]:
    sizes = (2, 5, 3, 7), (3, 2, 5, 11), (5, 7, 2, 3), (2, 11, 7, 3)
    return [(draw(b, t, h * size, seed=310 + t), h) for b, t, h, size in sizes]


def edges() -> list[tuple]:
    return [(draw(2, 3, 5, seed=321), 1), (draw(2, 3, 5, seed=322), 5), (draw(1, 1, 6, seed=323), 2)]


def space(pick) -> tuple:
    """Any arguments that the task allows."""
    B, T, H, size = pick.sizes(1, 1, 1, 1)
    return pick.numbers(B, T, H * size), H


# edits that are used several times
CUT, SWAP = "x.reshape(batch, length, num_heads, size)", "cut.transpose(1, 2)"
ADDRESS = "The tens digit is the position and the last digit the feature."
AXES = "In (B, T, H, Dh), which two axes have to be exchanged to get (B, H, T, Dh)?"
SHORTER = "Which axis of (B, T, D) must get shorter?"

# fmt: off
MISTAKES = (
    Mistake("reshaped-at-once", ((CUT, "x.reshape(batch, num_heads, length, size)"), (SWAP, "cut")),
        f"x is reshaped (or viewed) straight to (B, H, T, Dh). {ADDRESS} Your first head holds *all* features of "
        "position 1; it should hold the first features of every position. `reshape` and `view` keep the numbers "
        "in their order and only draw new borders.",
        "Which axis should be cut into heads, the positions or the features? And which operation changes the *order* "
        "of axes?"),
    Mistake("not-transposed", (SWAP, "cut"),
        "the transpose is missing. The features are cut as they should be, but the heads are still behind the "
        "positions, (B, T, H, Dh): the next product, over the last two axes, would compare heads within one position.",
        "Which two axes have to be exchanged, so that each head has a table (T, Dh) of its own?"),
    Mistake("turned-then-cut", ((CUT, "x.transpose(1, 2).reshape(batch, num_heads, length, size)"), (SWAP, "cut")),
        f"x is transposed before its features are cut. {ADDRESS} Your first head begins with feature 1 of several "
        "positions; the cut went through the positions.",
        "At the moment of the cut, which axis must be the last?"),
    Mistake("every-other-feature",
        ((CUT, "x.reshape(batch, length, size, num_heads)"), (SWAP, "cut.permute(0, 3, 1, 2)")),
        "the features are cut into (Dh, H) instead of (H, Dh). Your heads take the features in turn, while a head's "
        "features should be neighbours.",
        "`reshape` fills the last axis first. Should that axis count the features of a head, or the heads?"),
    Mistake("sizes-exchanged", (CUT, "x.reshape(batch, length, size, num_heads)"),
        "`num_heads` is used as the size of a head. You get D/H heads of H features each.",
        "`num_heads` says how many heads there are. How large is each?", six_features),
    Mistake("features-in-front", (SWAP, "cut.transpose(1, 3)"),
        "the axes 1 and 3 are exchanged instead of 1 and 2. Your shape is (B, Dh, H, T), with the features of a head "
        "where the heads should be.", AXES),
    Mistake("heads-last", (SWAP, "cut.transpose(2, 3)"),
        "the axes 2 and 3 are exchanged instead of 1 and 2. Your shape is (B, T, Dh, H): the heads have moved to the "
        "end.", AXES),
    Mistake("batch-moved", (SWAP, "cut.transpose(0, 1)"),
        "the axes 0 and 1 are exchanged instead of 1 and 2. Your shape is (T, B, H, Dh), with the positions where "
        "the batch should be.", AXES, two_in_a_batch),
    Mistake("heads-first-of-all", (SWAP, "cut.permute(2, 0, 1, 3)"),
        "the heads are brought to the very front. Your shape is (H, B, T, Dh): they are even before the batch.",
        "After which axis should the heads come? (For a list of heads: along which `dim` does `stack` put them?)",
        two_in_a_batch),
    Mistake("features-before-positions", (SWAP, "cut.permute(0, 2, 3, 1)"),
        "the last two axes are exchanged as well. Your shape is (B, H, Dh, T), that of a transposed *key* inside the "
        "scores, one step later.", "A head's table should have a position in each row. What is in the rows of yours?"),
    Mistake("batch-and-heads-joined", (SWAP, "cut.transpose(1, 2).flatten(0, 1)"),
        "batch and heads are joined into one axis, (B·H, T, Dh). Some code works like this; here there are four axes, "
        "so that a mask can still tell the sentences from the heads.",
        "Which `reshape` or `flatten` joins the first two axes?", two_in_a_batch),
    Mistake("heads-outside-the-batch", (SWAP, "torch.cat(x.chunk(num_heads, dim=-1))"),
        "the heads are joined along the batch, (H·B, T, Dh): that is what `torch.cat` does without a `dim`. They "
        "should have an axis of their own.",
        "Which relative of `cat` makes a *new* axis, and where should that axis be?", two_in_a_batch),
    Mistake("first-head-only", (SWAP, "cut[:, :, 0]"),
        "only the first head is returned, and the other features are lost",
        "What happens to the other features, and is there a `return` inside a loop?"),
    Mistake("last-head-only", (SWAP, "cut[:, :, -1]"),
        "only the last head is returned (did a loop overwrite its result?)",
        "Where are the other heads when your last line is reached?"),
    Mistake("full-width-heads", (SWAP, "x[:, None].expand(-1, num_heads, -1, -1)"),
        "every head gets a copy of all features. A head should hold D/H of them; all heads together hold each "
        "feature once.", "How many numbers come in, and how many should come out?"),
    Mistake("positions-cut", ((CUT, "x.reshape(batch, num_heads, length // num_heads, features)"), (SWAP, "cut")),
        "the axis of the positions is cut instead of that of the features. Your heads hold different words, with all "
        "their features. A head holds all words, with some of their features.", SHORTER, four_positions),
    Mistake("positions-chunked", (SWAP, "torch.stack(x.chunk(num_heads, dim=1), 1)"),
        "the axis of the positions is cut instead of that of the features. The pieces do not even come out equal, "
        "because the number of heads does not divide the number of positions.", SHORTER, line="stack"),
    Mistake("heads-in-reverse", (CUT, f"{CUT}.flip(2)"),
        "the heads come in reverse order. Your first head holds the features of the last one.",
        "Which features should head 1 hold?"),
    Mistake("features-in-reverse", (CUT, f"{CUT}.flip(3)"),
        "the features of each head come in reverse order", "Which line reverses the last axis?"),
    Mistake("scaled", ("return ", "return size**-0.5 * "),
        "the heads are divided by √Dh. That scale belongs to the scores.",
        "Should splitting change a number, or only where it is?"),
    Mistake("size-is-a-float", ("features // num_heads", "features / num_heads"),
        "the size of a head is computed with `/`. In Python `/` makes a floating-point number even of 4/2, and a "
        "size must be a whole number.",
        "Which operator divides whole numbers and gives a whole number? (`-1` would let torch work it out.)",
        line="reshape|view|unflatten|split|permute|transpose"),
    Mistake("missing-axis", (SWAP, "cut.transpose(1, 2).squeeze()")),
    Mistake("no-gradient", (SWAP, "cut.detach().transpose(1, 2)")),
)

EXERCISE = Exercise(
    name="split-heads", title="Cut and swap", chapter=7, solution=my_split_heads,
    shapes={"x": "B T D", "num_heads": "a number"}, returns="B H T D/H", example=example, probes=probes, edges=edges,
    mistakes=MISTAKES, steps={"size": "the features of one head", "cut": "the features in groups, (B, T, H, Dh)"},
    differentiable=("x",),
    space=space, views=True,
    hints=(
        "Two steps. Cutting an axis in two does not move any number: which axis is cut, and into what? Exchanging two "
        "axes does move them. Write the shape behind each step.",
        "Cut the *last* axis: (B, T, D) becomes (B, T, H, D/H), in this order, because a head's features are "
        "neighbours. Then the heads and the positions are exchanged.",
        "`reshape` (or `unflatten(-1, …)`) cuts, with four sizes of which the last is `D // num_heads`. `transpose` "
        "exchanges two axes. Which two, counted from 0?",
    ),
    why="`x.reshape(B, H, T, Dh)` has the right shape at once, and every later line runs. But reshaping never "
        "changes the order in which numbers are read: such a \"head\" holds all features of the first positions, so "
        "that different heads look at different words. A model even trains with it. Merged rightly, it leaks: "
        "a row then mixes positions that a causal mask takes to be separate. Numbers that carry their address, such as "
        "23 for position 2 and feature 3, show it at a glance.",
)
