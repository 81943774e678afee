"""Exercise merge-heads: the heads side by side again."""

import torch  # noqa: F401  (some of the mistakes use it)

from ..exercise import Exercise, Mistake, draw, exact


def my_merge_heads(x):
    """Put the features of all heads side by side again, position by position.

    x: (B, H, T, Dh) → (B, T, H·Dh)
    """
    batch, heads, length, size = x.shape
    swapped = x.transpose(1, 2)  # (B, T, H, Dh)
    return swapped.reshape(batch, length, heads * size)  # (B, T, H·Dh)


def example() -> tuple:
    first, second = [[11, 12], [21, 22], [31, 32]], [[13, 14], [23, 24], [33, 34]]
    return (exact([first, second]),)


def two_in_a_batch() -> tuple:
    return (exact([[[11], [21]], [[12], [22]]], [[[51], [61]], [[52], [62]]]),)


def probes() -> list[tuple]:
    sizes = (2, 3, 5, 7), (3, 5, 2, 11), (5, 2, 7, 3), (2, 7, 11, 3)
    return [(draw(b, h, t, size, seed=330 + t),) for b, h, t, size in sizes]


def edges() -> list[tuple]:
    sizes = (2, 1, 3, 5), (2, 5, 3, 1), (1, 3, 1, 2)
    return [(draw(*shape, seed=341),) for shape in sizes]


# edits that are used several times
SWAP = "x.transpose(1, 2)"
JOIN = "swapped.reshape(batch, length, heads * size)"
ADDRESS = "The tens digit is the position and the last digit the feature."
SECOND = "In this example the second sentence's numbers begin at 51."
AXES = "In (B, H, T, Dh), which exchange brings the heads next to their features?"
ALL = "Does a position get as many numbers as one head has, or as many as all heads?"
ALONG = "Along which axis should the heads be side by side?"

# fmt: off
MISTAKES = (
    Mistake("not-transposed-back", (SWAP, "x"),
        f"x is reshaped (or viewed) straight to (B, T, H·Dh). {ADDRESS} Your first row mixes several positions of "
        "one head; it should hold all features of position 1. `reshape` and `view` keep the numbers in their "
        "order and only draw new borders.",
        "`reshape` can join two axes only if they are neighbours. Which two should be neighbours here?"),
    Mistake("not-joined", (JOIN, "swapped"),
        "the last two axes are not joined. Your shape is (B, T, H, Dh): the heads are where they should be, but each "
        "still has an axis of its own.", "How many numbers should one position have, and in how many axes?"),
    Mistake("interleaved", (SWAP, "x.permute(0, 2, 3, 1)"),
        "the features of different heads alternate (the heads are last before the reshape, or are stacked along the "
        "last axis). Each head's features should stay together.",
        "Before the last two axes are joined, in which order should they be, (H, Dh) or (Dh, H)?"),
    Mistake("features-exchanged", (SWAP, "x.transpose(2, 3)"),
        f"the axes 2 and 3 are exchanged instead of 1 and 2. {ADDRESS} Your first row holds feature 1 of *all* "
        "positions. A row belongs to one position.",
        AXES),
    Mistake("features-in-front", (SWAP, "x.transpose(1, 3)"),
        "the axes 1 and 3 are exchanged instead of 1 and 2. The reshape then started from (B, Dh, T, H), and your "
        "rows mix positions and heads.", AXES),
    Mistake("batch-moved", (SWAP, "x.transpose(0, 1)"),
        "the axes 0 and 1 are exchanged instead of 1 and 2. Head and batch have changed places, and your first "
        f"sentence is mixed with the second. {SECOND}",
        AXES, two_in_a_batch),
    Mistake("positions-in-front",
        ((SWAP, "x.permute(2, 0, 1, 3)"), (JOIN, "swapped.reshape(length, batch, heads * size)")),
        "the positions are brought to the very front. Your shape is (T, B, H·Dh): they are even before the batch.",
        "After which axis should the positions come?", two_in_a_batch),
    Mistake("positions-in-front-then-cut", (SWAP, "x.permute(2, 0, 1, 3)"),
        "the positions are brought to the very front, and all is then cut into (B, T, H·Dh). Your first sentence "
        f"got a row of the second. {SECOND}",
        "Which axis should be the first one at the moment of the reshape?", two_in_a_batch),
    Mistake("heads-in-the-batch", (JOIN, "torch.cat(x.unbind(1))"),
        "the heads are joined along the batch, (H·B, T, Dh). That is what `torch.cat` does without a `dim`.", ALONG,
        two_in_a_batch),
    Mistake("positions-joined", (JOIN, "x.flatten(1, 2)"),
        "heads and positions are joined instead of heads and features (`torch.cat` along the positions does the "
        "same). Yours has a row for every pair of a head and a position; there should be one row per position, with "
        "all its features.", ALONG),
    Mistake("batch-joined", (JOIN, f"{JOIN}.flatten(0, 1)"),
        "the batch and the positions are joined as well. Your rows are right, but (B, T) has become one axis.",
        "Which `-1` or `flatten` takes in an axis too many?", two_in_a_batch),
    Mistake("heads-summed", (JOIN, "x.sum(1)"),
        "the heads are summed. What each head has found is mixed up before anything could use it; mixing is the work "
        "of W_O, with weights of its own for each head.", ALL),
    Mistake("heads-averaged", (JOIN, "x.mean(1)"),
        "the heads are averaged. What each head has found is mixed up before anything could use it; mixing is the "
        "work of W_O, with weights of its own for each head.", ALL),
    Mistake("maximum-over-heads", (JOIN, "x.amax(1)"),
        "the maximum over the heads is taken. Of every feature you keep the largest number that any head has, and "
        "lose the others.", ALL),
    Mistake("first-head-only", (JOIN, "x[:, 0]"),
        "only the first head is returned", "What happens to the other heads, and is there a `return` inside a loop?"),
    Mistake("last-head-only", (JOIN, "x[:, -1]"),
        "only the last head is returned (did a loop overwrite its result?)", "What happens to the other heads?"),
    Mistake("heads-in-reverse", (SWAP, "x.flip(1).transpose(1, 2)"),
        "the heads come in reverse order", "Which head's features should a row begin with?"),
    Mistake("scaled", ("return ", "return heads**-0.5 * "),
        "the result is divided by √H", "Should merging change a number, or only where it is?"),
    Mistake("view-after-transpose", ("swapped.reshape", "swapped.view"),
        "`view` follows directly on the transpose. The transpose is right. It moves no number in memory, it only "
        "reads them in another order; and `view` cannot join two axes whose numbers do not follow one another there.",
        "Which relative of `view` copies the numbers when it must? (Or what could be called in between?)", line="view"),
    Mistake("no-gradient", (JOIN, f"{JOIN}.detach()")),
    Mistake("missing-axis", (JOIN, f"{JOIN}.squeeze()")),
)

EXERCISE = Exercise(
    name="merge-heads", title="Swap and glue", chapter=7, solution=my_merge_heads, shapes={"x": "B H T Dh"},
    returns="B T H·Dh", example=example, probes=probes, edges=edges, mistakes=MISTAKES,
    steps={"swapped": "the heads behind the positions, (B, T, H, Dh)"}, differentiable=("x",),
    hints=(
        "The same two steps as in splitting, backwards. Two axes can become one only if they are neighbours, in the "
        "right order. Are they, in (B, H, T, Dh)?",
        "First the heads go back behind the positions: (B, H, T, Dh) becomes (B, T, H, Dh). Then the last two axes "
        "become one.",
        "`transpose` exchanges two axes (which two?), and `reshape` to three sizes joins the last two. (`view` would "
        "need `.contiguous()` in between, because a transpose leaves the numbers where they are.)",
    ),
    why="`x.reshape(B, T, H * Dh)` has the right shape, and nothing complains. But without the transpose a row of "
        "the result is filled from one head and several positions: words see each other past every mask. After it "
        "comes W_O, a linear map, and training finds weights that make the best of it, so that the loss falls all the "
        "same. With one head only, or one position, even the numbers are right. That is why the check uses neither.",
)
