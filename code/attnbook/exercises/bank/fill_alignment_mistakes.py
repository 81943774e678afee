"""Exercise fill-alignment: the mistakes that the checker knows by name."""

from __future__ import annotations

import torch

from ..legacy import Mistake, exact, slip
from .fill_alignment_steps import (
    from_the_first_word_twice,
    pipeline,
    solution,
    two_real_words,
)


def _uncut(weights, n):
    return weights


def _mean_place(w):
    places = torch.arange(w.shape[1], dtype=w.dtype)
    return ((w @ places) / w.sum(1)).round().long().tolist()


def _never_back(links, n):
    return [max(links[: j + 1]) for j in range(len(links))]


def _each_word_once(w):
    taken: list[int] = []
    for row in w.tolist():
        free = [i for i in range(len(row)) if i not in taken] or list(range(len(row)))
        taken.append(max(free, key=lambda i: row[i]))
    return taken


def _sure_ones_only(w):
    return [row.index(max(row)) if max(row) >= 0.5 else -1 for row in w.tolist()]


GIVEN = (
    "The rows of the weights are (0.1, 0.6, 0.05), (0.2, 0.05, 0.45) and (0.3, 0.2, 0.1) for the three real words, and "
    "0.25, 0.3, 0.4 for the padding behind them. You return {got}; right is {expected}.\n"
)


WRONG = (
    Mistake(
        "padding-chosen",
        slip(pipeline, cut=_uncut),
        "a word that is not there",
        GIVEN
        + "The third word looks at the padding most, 0.4, and you link it to position 3. The sentence has three "
        "words, 0, 1 and 2: looking up number 3 gives `<pad>`.",
        "the largest weight is looked for among all columns, padding included",
        "Where does `source_len` enter your code?",
    ),
    Mistake(
        "padding-made-the-last-word",
        slip(
            pipeline, cut=_uncut, finish=lambda links, n: [min(i, n - 1) for i in links]
        ),
        "the second best is not the last",
        "Of two target words the second looks at the padding most, and of the real words at the first. You return "
        "{got}; right is {expected}. Moving its link to the last real word gives it a word that it hardly looks at.",
        "links to the padding are moved to the last real word",
        "Of the *real* words, which has the largest weight in that row?",
        example=lambda: (exact([0.1, 0.6, 0.1, 0.2], [0.3, 0.1, 0.2, 0.4]), 3),
    ),
    Mistake(
        "padding-as-minus-one",
        slip(
            pipeline,
            cut=_uncut,
            finish=lambda links, n: [i if i < n else -1 for i in links],
        ),
        "every word has an answer",
        GIVEN
        + "The third word looks at the padding most, and you answer −1. Asked for is the *real* word that it looks "
        "at most, and −1 as an index is the last position.",
        "links to the padding are replaced by −1",
        "Of the *real* words, which has the largest weight in that row?",
    ),
    Mistake(
        "words-left-out",
        slip(pipeline, cut=_uncut, finish=lambda links, n: [i for i in links if i < n]),
        "one answer a word",
        GIVEN
        + "The third word looks at the padding most, and you leave it out. The list no longer says which entry "
        "belongs to which word.",
        "target words that look at the padding get no entry",
        "How many target words are there, and how many entries has your list?",
    ),
    Mistake(
        "over-the-target-words",
        slip(pipeline, choose=lambda w: w.argmax(0).tolist()),
        "who asks?",
        GIVEN
        + "For every *source* word you say which target word looks at it most. Each target word is a row, and "
        "the largest number of its row is wanted. (Here both have three entries.)",
        "the maximum is taken over the target words (dim 0)",
        "The result has one entry for each row. Along which axis must the maximum be taken, so that the rows remain?",
    ),
    Mistake(
        "rows-cut",
        slip(pipeline, cut=lambda w, n: w[:n]),
        "the axis",
        "Three target words, and four source positions of which two are real: you return {got}, right is {expected}. "
        "`source_len` counts source words, which are the *columns*. You cut off rows, that is, target "
        "words, and keep the "
        "padding.",
        "the first `source_len` rows are taken instead of columns",
        "In `weights` of shape (T, S), which axis is that of the source?",
        example=two_real_words,
    ),
    Mistake(
        "counted-from-one",
        slip(pipeline, finish=lambda links, n: [i + 1 for i in links]),
        "off by one",
        GIVEN + "All are one too large: the first source word has the index 0.",
        "source words are counted from 1",
        "What is `source[i]` for your first entry, and what should it be?",
    ),
    Mistake(
        "last-word-left-out",
        slip(pipeline, cut=lambda w, n: w[:, : max(n - 1, 1)]),
        "off by one",
        GIVEN + "The last real word, number 2, can never be chosen in yours.",
        "the last real source word is cut off together with the padding",
        "How many columns does `weights[:, :3]` have?",
    ),
    Mistake(
        "one-column-too-many",
        slip(pipeline, cut=lambda w, n: w[:, : n + 1]),
        "off by one",
        GIVEN
        + "The first position of the padding, number 3, can still be chosen in yours.",
        "one column of padding is kept",
        "How many columns does `weights[:, :3]` have?",
    ),
    Mistake(
        "the-smallest",
        slip(pipeline, choose=lambda w: w.argmin(1).tolist()),
        "the wrong end",
        GIVEN + "You choose the word with the *smallest* weight in each row.",
        "argmin stands where argmax should",
        "Does a large weight mean much attention or little?",
    ),
    Mistake(
        "the-diagonal",
        lambda weights, source_len: [
            min(j, source_len - 1) for j in range(len(weights))
        ],
        "the weights have no say",
        GIVEN + "That is word for word in order, whatever the weights are.",
        "target word j is linked to source word j",
        "Where do the weights enter your code?",
    ),
    Mistake(
        "mean-place",
        slip(pipeline, choose=_mean_place),
        "a mean of places",
        GIVEN
        + "You average the *places* with the weights and round. A word that looks half at the first word and half "
        "at the third would be linked to the second, at which it does not look at all.",
        "the weighted mean of the positions is taken",
        "Is the place in the middle between two large weights itself a place of a large weight?",
    ),
    Mistake(
        "never-back",
        slip(pipeline, finish=_never_back),
        "order may change",
        GIVEN
        + "Your links never go back: behind a 2 comes no 0. But *calm* may stand before *is* in one language "
        "and behind it in the other; that is what the alignment should show.",
        "each link is at least as large as the one before",
        "Must the second target word come from behind the first one's source?",
    ),
    Mistake(
        "each-word-once",
        slip(pipeline, choose=_each_word_once),
        "a word may be used twice",
        "Two target words look at the first source word most, with 0.5 and 0.6. You return {got}; right is {expected}. "
        "*calm* may become two words, and both come from it.",
        "a source word that has been taken is not given again",
        "Does a row of the weights know of the rows above it?",
        example=from_the_first_word_twice,
    ),
    Mistake(
        "sure-ones-only",
        slip(pipeline, choose=_sure_ones_only),
        "no threshold",
        GIVEN
        + "The largest real weights of the last two rows are 0.45 and 0.3; below 0.5 yours "
        "answers −1. The task has no threshold, "
        "and −1 as an index is the last word.",
        "a row whose largest weight is below 0.5 gets −1",
        "What is asked for if no weight is large?",
    ),
    Mistake(
        "from-the-end",
        slip(pipeline, cut=lambda w, n: w[:, -n:]),
        "the other end",
        GIVEN
        + "You look at the *last* `source_len` columns. The padding stands at the end, not at the beginning.",
        "the first columns are cut off instead of the last",
        "Which of the columns 0, 1, 2, 3 belong to a sentence of three words?",
    ),
    Mistake(
        "in-order",
        slip(pipeline, finish=lambda links, n: sorted(links)),
        "sorted",
        GIVEN
        + "Your links are the right ones, in ascending order: which belongs to which target word is lost.",
        "the result is sorted",
        "To which target word does the first entry of your list belong?",
    ),
    Mistake(
        "distinct-only",
        slip(pipeline, finish=lambda links, n: list(dict.fromkeys(links))),
        "one answer a word",
        "Two target words look at the first source word most, with 0.5 and 0.6. You return {got}; right is {expected}. "
        "The second 0 is left out as a repetition.",
        "repeated entries are left out",
        "How many target words are there, and how many entries has your list?",
        example=from_the_first_word_twice,
    ),
    Mistake("a-tensor", lambda weights, source_len: weights[:, :source_len].argmax(1)),
    Mistake(
        "tensors-inside",
        lambda weights, source_len: list(weights[:, :source_len].argmax(1)),
    ),
    Mistake(
        "one-number", lambda weights, source_len: int(weights[:, :source_len].argmax())
    ),
    Mistake(
        "returns-a-tuple",
        lambda weights, source_len: list(enumerate(solution(weights, source_len))),
    ),
    Mistake(
        "returns-another-kind",
        lambda weights, source_len: weights[:, :source_len].max(1).values.tolist(),
    ),
)
