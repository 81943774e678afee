"""Exercise batch-axis-bug: one position per word, not one per sentence."""

import torch  # noqa: F401 (the mistakes use it)

from ..arguments import draw, exact
from ..exercise import Exercise, Mistake


def my_add_positions(x, encoding):
    """Add row t of the encoding to the word at position t of each sentence.

    x: (B, T, D), encoding: (max_T, D), max_T ≥ T → (B, T, D)
    """
    length = x.shape[1]  # T: the words are counted along the second axis
    rows = encoding[:length]  # (T, D)
    return x + rows  # (B, T, D) + (T, D): the same for every sentence


def example() -> tuple:
    x = exact([[10, 10], [20, 20], [30, 30]], [[40, 40], [50, 50], [60, 60]])
    return x, exact([1, 0.1], [2, 0.2], [3, 0.3], [4, 0.4], [5, 0.5])


def probes() -> list[tuple]:
    return [
        (draw(b, t, d, seed=800 + d), draw(n, d, seed=810 + d))
        for b, t, d, n in [(2, 5, 7, 13), (5, 3, 11, 17), (3, 7, 2, 11)]
    ]


def edges() -> list[tuple]:
    return [
        (draw(1, 5, 3, seed=821), draw(7, 3, seed=822)),
        (draw(3, 1, 5, seed=823), draw(7, 5, seed=824)),
        (draw(2, 5, 3, seed=825), draw(5, 3, seed=826)),
        (draw(2, 67, 3, seed=827), draw(71, 3, seed=828)),
    ]


def space(pick) -> tuple:
    """Any arguments that the task allows."""
    B, T, D = pick.sizes(1, 1, 1)
    return pick.numbers(B, T, D), pick.numbers(T + pick.of(0, 1, 4), D)


# edits that are used several times
LENGTH, ROWS, SUM = "x.shape[1]", "encoding[:length]", "x + rows"
TIMES = "Does the task ask for a sum or for something else?"

# fmt: off
MISTAKES = (
    Mistake("along-the-batch", (ROWS, "encoding[: x.shape[0], None]"),
        "the rows are counted along the batch (axis 0). All words of the first sentence get row 0, and all words of "
        "the second get row 1. The order of the words is as invisible as before, and a sentence's result depends on "
        "its place in the batch.", "In (B, T, D), which axis counts the words?"),
    Mistake("as-many-as-sentences", (LENGTH, "x.shape[0]"),
        "the number of rows is read off the batch axis (`shape[0]`, or `len(x)`). You take one row per sentence, but "
        "a sentence has more words than that. If there happened to be as many sentences as words, it would run.",
        "Which axis of x needs one row per entry?", line="shape\\[0\\]|size\\(0\\)|len\\(|\\bB\\b|batch"),
    Mistake("axis-left-in", (SUM, "x + encoding[:length, None]"),
        "the rows are counted along the words now, but the `None` still makes them (T, 1, D). Aligned from the right, "
        "their T meets the B of x.", "Which shape would make row t meet word t of every sentence?",
        line="None|unsqueeze"),
    Mistake("whole-table", (SUM, "x + encoding"),
        "the whole table is added, however short the sentence is. The table has rows for longer sentences, too.",
        "How many of its rows do you need, and how do you select the first so many?",
        line="^(?!.*encoding\\s*\\[).*encoding"),
    Mistake("as-many-as-features", (LENGTH, "x.shape[2]"),
        "the number of rows is read off the feature axis. You take one row per *feature*, where each word needs one.",
        "In (B, T, D), which axis counts the words?", line="shape\\[(2|-1)\\]|size\\((2|-1)\\)|\\bD\\b"),
    Mistake("one-row-for-all", (ROWS, "encoding[0]"),
        "row 0 is added to every word. Words that all get the same row cannot be told apart by it.",
        "Which row belongs to the second word?"),
    Mistake("row-of-the-length", (ROWS, "encoding[length]"),
        "the length picks a single row, where it should say how many rows to take. Every word gets the row whose "
        "number is the length of the sentence.", "What does `table[3]` give, and what does `table[:3]` give?"),
    Mistake("last-word-left-out", (SUM, "x + rows * (torch.arange(length) < length - 1)[:, None]"),
        "the loop (or the slice) stops one word early. The last word of each sentence is unchanged.",
        "Which numbers does `range(T − 1)` run through, and which one is missing?"),
    Mistake("normalised", (SUM, "(x + rows) / (x + rows).norm(dim=-1, keepdim=True)"),
        "the sums are divided by their norm, which gives each of them length 1. Normalisation has its own place, in "
        "the layers above.", "Which line changes the words after the rows have been added?"),
    Mistake("starts-at-one", (ROWS, "encoding[1 : length + 1]"),
        "counting starts at row 1. The table begins with row 0.",
        "Which row of the table does your code never use, and which word should get it?"),
    Mistake("last-rows", (ROWS, "encoding[-length:]"),
        "the last rows of the table are taken instead of the first. The first word would then get one code in a "
        "short sentence and another in a long one.", "Which row should the first word of any sentence get?"),
    Mistake("backwards", (ROWS, "encoding[:length].flip(0)"),
        "the rows are added in reverse order. The last word got row 0.",
        "Which row should the first word of a sentence get?"),
    Mistake("features-backwards", (ROWS, "encoding[:length].flip(-1)"),
        "the features of each row are reversed. The rows themselves belong to the right words.",
        "Which line touches the last axis of the encoding, and does it have to?"),
    Mistake("running-sum", (ROWS, "encoding[:length].cumsum(0)"),
        "the rows are summed along the sentence. The second word got rows 0 and 1 together.",
        "Should a word's code contain the codes of the words before it?"),
    Mistake("mean-row", (ROWS, "encoding[:length].mean(0)"),
        "the rows are averaged before they are added. Every word got the same mean row.",
        "What is left of the order once the rows are averaged?"),
    Mistake("multiplied", (SUM, "x * rows"),
        "the words are multiplied by the rows. A feature that is 0 at some position would wipe out the word there.",
        TIMES),
    Mistake("subtracted", (SUM, "x - rows"),
        "the rows are subtracted, not added", TIMES),
    Mistake("words-forgotten", (SUM, "0 * x + rows"),
        "the encoding replaces the words. Your result holds its rows and nothing of x.",
        "What should be left of x at the end?"),
    Mistake("side-by-side", (SUM, "torch.cat([x, rows.expand_as(x)], dim=-1)"),
        "the rows are concatenated to the words. That is possible, too, but it makes your result twice as wide as x, "
        "and all the layers above with it.", "Which operation leaves the shape of x unchanged?"),
    Mistake("scaled-words", (SUM, "x * x.shape[-1] ** 0.5 + rows"),
        "the words are multiplied by √D before the sum. Some models do this to their embeddings; it is not asked for "
        "here.", "Which line changes x before anything is added?"),
    Mistake("scaled-places", (SUM, "x + rows / x.shape[-1] ** 0.5"),
        "the rows are divided by √D. That scale belongs to attention scores.",
        "Which line changes the encoding before it is added?"),
    Mistake("added-twice", (SUM, "x + rows + rows"),
        "the rows are added twice", "Which two lines of yours use the encoding?"),
    Mistake("first-sentence-only", (SUM, "torch.cat([x[:1] + rows, x[1:]])"),
        "only the first sentence of the batch gets its positions. The others are unchanged.",
        "What does broadcasting do with (B, T, D) + (T, D)?"),
    Mistake("writes-into-argument", (SUM, "x.add_(rows)")),
)

EXERCISE = Exercise(
    name="batch-axis-bug", title="A position for every word", chapter=8, solution=my_add_positions,
    shapes={"x": "B T D", "encoding": "N D"}, returns="B T D", example=example, probes=probes, edges=edges,
    mistakes=MISTAKES, steps={"rows": "the rows of the first T positions"}, differentiable=("x", "encoding"),
    space=space,
    hints=(
        "Try the faulty line on a batch that holds the same sentence twice. Are the two results equal? Should they be?",
        "In (B, T, D) axis 1 counts the words. So you need as many rows as `x.shape[1]`.",
        "When (T, D) is added to (B, T, D), it is broadcast over the sentences without any help; the index `None` in "
        "the faulty line says otherwise.",
    ),
    why="The line comes from code whose axes are (T, B, D); there axis 0 counts the words, and the line is right. "
        "In a model with the batch in front it still runs, for any B up to max_T, and the loss still falls, because "
        "much of language can be guessed without knowing the order. With a single sentence every word gets row 0, so "
        "the result looks like an encoding.",
)
