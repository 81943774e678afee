"""Exercise batch-axis-bug: a position a word, not a position a sentence."""

from __future__ import annotations

import math

import torch

from ..legacy import Exercise, Mistake, draw, exact, slip


def solution(x, encoding):
    """Add row t of the encoding to the word at place t of every sentence."""
    rows = encoding[: x.shape[1]]  # (T, D): the words' axis is the second one
    return x + rows  # (B, T, D) + (T, D): the same for every sentence


def pipeline(
    x,
    encoding,
    rows=lambda x, e: e[: x.shape[1]],
    look=lambda r: r,
    add=lambda x, r: x + r,
):
    """The same in named steps, so that a mistake is one step done wrongly."""
    return add(x, look(rows(x, encoding)))


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
    ]


def steps(x, encoding) -> list[tuple[str, object]]:
    return [
        ("the rows of the first T places", encoding[: x.shape[1]]),
        ("the sum", solution(x, encoding)),
    ]


def _first_sentence_only(x, r):
    return torch.cat([x[:1] + r, x[1:]])


def _all_but_the_last(x, r):
    return torch.cat([x[:, :-1] + r[:-1], x[:, -1:]], dim=1)


def _to_length_one(x, r):
    total = x + r
    return total / total.norm(dim=-1, keepdim=True)


def _in_place(x, encoding):
    x += encoding[: x.shape[1]]
    return x


WRONG = (
    Mistake(
        "along-the-batch",
        slip(pipeline, rows=lambda x, e: e[: x.shape[0], None]),
        "the batch axis",
        "{seen}All three words of the first sentence got 1 and 0.1, all three of the second 2 and 0.2: a "
        "position a sentence. The order of the words is as invisible as before, and a sentence's numbers "
        "depend on who "
        "stands before it in the batch.",
        "the rows are counted along the batch (axis 0)",
        "In (B, T, D), which axis do the words stand along?",
    ),
    Mistake(
        "as-many-as-sentences",
        lambda x, encoding: x + encoding[: x.shape[0]],
        "as many rows as sentences",
        "With {given} {line} raises {error}. You take as many rows as there are sentences, 2; each sentence has 3 "
        "words. If there happened to be as many sentences as words it would run.",
        "the number of rows is read off the batch axis (`shape[0]`, or `len(x)`)",
        "Of which axis of x should there be one row each?",
        line=r"shape\[0\]|size\(0\)|len\(|\bB\b|batch",
    ),
    Mistake(
        "whole-table",
        lambda x, encoding: x + encoding,
        "the whole table",
        "With {given} {line} raises {error}. The table has rows for 5 places; these sentences are 3 words long.",
        "the whole table is added, however long the sentence",
        "How many of its rows are needed, and how do you say 'the first so many'?",
        line=r"^(?!.*encoding\s*\[).*encoding",
    ),
    Mistake(
        "as-many-as-features",
        lambda x, encoding: x + encoding[: x.shape[2]],
        "as many rows as features",
        "With {given} {line} raises {error}. You take 2 rows, one for each *feature*; there are 3 words.",
        "the number of rows is read off the feature axis",
        "In (B, T, D), which axis do the words stand along?",
        line=r"shape\[(2|-1)\]|size\((2|-1)\)|\bD\b",
    ),
    Mistake(
        "one-row-for-all",
        slip(pipeline, rows=lambda x, e: e[0]),
        "one row for all",
        "{seen}Every word got row 0, that is 1 and 0.1. Words that all get the same cannot be told apart by it.",
        "the same row is added to every word",
        "Which row belongs to the second word?",
    ),
    Mistake(
        "row-of-the-length",
        slip(pipeline, rows=lambda x, e: e[x.shape[1]]),
        "a row, or so many rows",
        "{seen}Every word got row 3, that is 4 and 0.4: the one row whose number is the length of the sentence. The "
        "first word should get 1 and 0.1, the second 2 and 0.2.",
        "the length picks a single row, where it should say how many",
        "What does `table[3]` give, and what `table[:3]`?",
    ),
    Mistake(
        "last-word-left-out",
        slip(pipeline, add=_all_but_the_last),
        "the last word",
        "{seen}The first two words are right; the third is as it was, 30. It should get row 2, and become 33.",
        "the loop (or the slice) stops one word too early",
        "Which numbers does `range(T − 1)` run through, and which is missing?",
    ),
    Mistake(
        "normalised",
        slip(pipeline, add=_to_length_one),
        "more than a sum",
        "{seen}Each of your words has length 1. 10 + 1 should stay 11; a norm has its own place in the layers above.",
        "the sums are divided by their length",
        "Which line changes the words after the rows have been added?",
    ),
    Mistake(
        "starts-at-one",
        slip(pipeline, rows=lambda x, e: e[1 : x.shape[1] + 1]),
        "the first row is skipped",
        "{seen}The first word got row 1, that is 2 and 0.2. The table begins with row 0.",
        "counting starts at row 1",
        "Which row of the table is never used in your code, and which word should get it?",
    ),
    Mistake(
        "last-rows",
        slip(pipeline, rows=lambda x, e: e[-x.shape[1] :]),
        "rows from the end",
        "{seen}Your rows are the *last* three of the table, 3 to 5. A first word would then have another code in a "
        "short sentence than in a long one.",
        "the last rows of the table are taken instead of the first",
        "Which row should the first word of any sentence get?",
    ),
    Mistake(
        "backwards",
        slip(pipeline, look=lambda r: r.flip(0)),
        "from back to front",
        "{seen}The last word got row 0 and the first one row 2.",
        "the rows are added in reverse",
        "Which row should the first word of a sentence get?",
    ),
    Mistake(
        "features-backwards",
        slip(pipeline, look=lambda r: r.flip(-1)),
        "the features",
        "{seen}The rows are those of the right words, but their two features have changed places.",
        "the features of the rows are reversed",
        "Which line touches the last axis of the encoding, and must it?",
    ),
    Mistake(
        "running-sum",
        slip(pipeline, look=lambda r: r.cumsum(0)),
        "a running sum",
        "{seen}The second word got rows 0 and 1 together, 1 + 2 = 3.",
        "the rows are added up along the sentence",
        "Should a word's code contain the codes of the words before it?",
    ),
    Mistake(
        "mean-row",
        slip(pipeline, look=lambda r: r.mean(0)),
        "an average place",
        "{seen}Every word got the mean of the three rows, 2 and 0.2.",
        "the rows are averaged before they are added",
        "What is left of the order once the rows are averaged?",
    ),
    Mistake(
        "multiplied",
        slip(pipeline, add=lambda x, r: x * r),
        "sum and product",
        "{seen}10 · 1 is 10, and 10 + 1 is 11. A feature that is 0 at some place would wipe the word out there.",
        "the rows are multiplied in, not added",
        "Which sign stands between word and place in the task?",
    ),
    Mistake(
        "subtracted",
        slip(pipeline, add=lambda x, r: x - r),
        "the sign",
        "{seen}10 − 1 is 9; wanted is 10 + 1.",
        "the rows are subtracted",
        "Which sign stands between word and place in the task?",
    ),
    Mistake(
        "words-forgotten",
        slip(pipeline, add=lambda x, r: 0 * x + r),
        "where are the words?",
        "{seen}Your result holds the rows of the encoding and nothing of x.",
        "the encoding replaces the words",
        "What should be left of x at the end?",
    ),
    Mistake(
        "side-by-side",
        slip(pipeline, add=lambda x, r: torch.cat([x, r.expand_as(x)], dim=-1)),
        "added, not appended",
        "With {given} your result has twice as many features as x: the rows stand beside the words. That is a way "
        "to go, too, but the layers above would have to be twice as wide; here 10 and 1 should make 11.",
        "the rows are concatenated to the words",
        "Which operation leaves the shape of x as it is?",
    ),
    Mistake(
        "scaled-words",
        slip(pipeline, add=lambda x, r: x * math.sqrt(x.shape[-1]) + r),
        "the words are made larger",
        "{seen}The words are multiplied by √D = 1.414 first. Some models do so where they embed; it is "
        "not asked for "
        "here.",
        "the words are multiplied by the root of D as well",
        "Which line changes x before anything is added?",
    ),
    Mistake(
        "scaled-places",
        slip(pipeline, look=lambda r: r / math.sqrt(r.shape[-1])),
        "the places are made smaller",
        "{seen}The rows are divided by √D = 1.414: a scale that belongs to scores.",
        "the rows are divided by the root of D",
        "Which line changes the encoding before it is added?",
    ),
    Mistake(
        "added-twice",
        slip(pipeline, add=lambda x, r: x + r + r),
        "twice",
        "{seen}10 + 1 + 1 is 12: the rows are in it twice.",
        "the rows are added twice",
        "At which two lines does the encoding enter?",
    ),
    Mistake(
        "first-sentence-only",
        slip(pipeline, add=_first_sentence_only),
        "the other sentences",
        "{seen}The first sentence is right; the second is as it was, 40, 50, 60.",
        "only the first sentence of the batch gets its positions",
        "What does broadcasting do with (B, T, D) + (T, D)?",
    ),
    Mistake("writes-into-argument", _in_place),
)

BATCH_AXIS_BUG = Exercise(
    name="batch-axis-bug",
    title="A position for every word",
    chapter=8,
    function="my_add_positions",
    statement="""\
This line runs without complaint and is wrong:

    return x + encoding[: x.shape[0], None]

Find the mistake and mend it. `x` is (B, T, D), `encoding` is (max_T, D) with a row for every place; every sentence
of the batch should get rows 0, 1, …, T − 1 added to its words. With words 10, 20, 30 (one feature) and rows 1, 2, 3, …
the sums are 11, 22, 33.""",
    stub='''\
def my_add_positions(x, encoding):
    """Add row t of the encoding to the word at place t of every sentence.

    x: (B, T, D), encoding: (max_T, D), max_T ≥ T → (B, T, D)
    """
    ...
''',
    hints=(
        "Try the mistaken line on a batch that holds the same sentence twice. Are the two results equal? "
        "Should they be?",
        "In (B, T, D) the words stand along axis 1. So there must be as many rows as `x.shape[1]`.",
        "(T, D) added to (B, T, D) is broadcast over the sentences without any help; an index `None` would only be "
        "needed to say otherwise.",
    ),
    solution=solution,
    why="The line comes from code whose axes are (T, B, D); there axis 0 holds the words, and it is "
    "right. In a model "
    "with the batch in front it still runs, for any B up to max_T, and the loss still falls, because "
    "much of language "
    "can be guessed without order. With a single sentence every word gets row 0, that is 1 and 0.1 in "
    "the small example, "
    "so that the result looks like an encoding.",
    shapes={"x": "B T D", "encoding": "N D"},
    returns="B T D",
    example=example,
    probes=probes,
    edges=edges,
    steps=steps,
    wrong=WRONG,
    differentiable=("x", "encoding"),
)
