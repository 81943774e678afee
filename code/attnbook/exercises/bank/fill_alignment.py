"""Exercise fill-alignment: read off which source word each target word comes from."""

import torch  # noqa: F401 (edits use it)

from ..answers import WholeNumbers
from ..exercise import Exercise, Mistake, draw, exact


def my_alignment(weights, source_len):
    """For each target word, the index of the real source word with the largest weight.

    weights: (T, S), source_len: from 1 to S → list of T integers
    """
    real = weights[:, :source_len]  # (T, source_len), without the padding
    best = real.argmax(dim=1)  # (T,)
    return best.tolist()


def example() -> tuple:
    rows = [[0.1, 0.6, 0.05, 0.25], [0.2, 0.05, 0.45, 0.3], [0.3, 0.2, 0.1, 0.4]]
    return exact(*rows), 3


def two_real_words() -> tuple:
    weights, _ = example()
    return weights, 2


def second_prefers_padding() -> tuple:
    return exact([0.1, 0.6, 0.1, 0.2], [0.3, 0.1, 0.2, 0.4]), 3


def from_the_first_word_twice() -> tuple:
    return exact([0.5, 0.3, 0.1, 0.1], [0.6, 0.2, 0.1, 0.1], [0.1, 0.2, 0.3, 0.4]), 3


def _attention(t: int, s: int, n: int, seed: int) -> tuple:
    """Attention that a model without a mask might have: padding gets some."""
    return (2 * draw(t, s, seed=seed)).softmax(1), n


def probes() -> list[tuple]:
    sizes = (5, 7, 3), (3, 11, 7), (7, 5, 2), (2, 13, 11), (11, 7, 5), (13, 5, 4)
    return [_attention(*size, 1201 + i) for i, size in enumerate(sizes)]


def edges() -> list[tuple]:
    sizes = (3, 5, 1), (1, 5, 3), (2, 3, 3), (2, 1, 1)
    return [_attention(*size, 1207 + i) for i, size in enumerate(sizes)]


def each_word_once(weights, source_len):
    taken = []
    for row in weights[:, :source_len].tolist():
        free = [i for i in range(len(row)) if i not in taken] or list(range(len(row)))
        taken.append(max(free, key=lambda i: row[i]))
    return taken


# edits that are used several times
CUT, BEST, LINKS = "weights[:, :source_len]", "real.argmax(dim=1)", "best.tolist()"
UNCUT = (CUT, "weights")
REAL = "Of the *real* words, which has the largest weight in that row?"
ENTRIES = "How many target words are there, and how many entries does your list have?"
COLUMNS = "How many columns does `weights[:, :3]` have?"

# fmt: off
MISTAKES = (
    Mistake("padding-chosen", UNCUT,
        "the largest weight is looked for in all columns, padding included. The third target word attends to the "
        "padding most, so you link it to position 3. The sentence has three words, 0, 1 and 2: number 3 is `<pad>`.",
        "Where does `source_len` enter your code?"),
    Mistake("padding-made-the-last-word", (UNCUT, (LINKS, "best.clamp(max=source_len - 1).tolist()")),
        "links to the padding are moved to the last real word. A target word that attends to the padding most is "
        "then linked to a word that it may hardly attend to.", REAL, second_prefers_padding),
    Mistake("padding-as-minus-one", (UNCUT, (LINKS, "[i if i < source_len else -1 for i in best.tolist()]")),
        "links to the padding are replaced by −1. Every target word has a *real* word that it attends to most; and "
        "as an index, −1 means the last position.", REAL),
    Mistake("words-left-out", (UNCUT, (LINKS, "[i for i in best.tolist() if i < source_len]")),
        "target words that attend to the padding most get no entry. Which entry belongs to which word is lost.",
        ENTRIES),
    Mistake("over-the-target-words", (BEST, "real.argmax(dim=0)"),
        "the maximum is taken over the target words (dim 0). For every *source* word you say which target word "
        "attends to it most; wanted is the largest number of each row.",
        "The result has one entry per row. Along which axis must you take the maximum to keep the rows?"),
    Mistake("rows-cut", (CUT, "weights[:source_len]"),
        "the first `source_len` rows are taken instead of columns. You drop target words, and keep the padding.",
        "In `weights` of shape (T, S), which axis counts the source words?", two_real_words),
    Mistake("counted-from-one", (LINKS, "[i + 1 for i in best.tolist()]"),
        "source words are counted from 1. All your numbers are one too large: the first source word has the index 0.",
        "What is `source[i]` for your first entry, and what should it be?"),
    Mistake("last-word-left-out", (CUT, "weights[:, : max(source_len - 1, 1)]"),
        "the last real word is cut off together with the padding. No target word can be linked to it.", COLUMNS),
    Mistake("one-column-too-many", (CUT, "weights[:, : source_len + 1]"),
        "one column of padding is kept. A target word can still be linked to it.", COLUMNS),
    Mistake("the-smallest", (BEST, "real.argmin(dim=1)"),
        "argmin is used instead of argmax: you choose the word with the *smallest* weight in each row",
        "Does a large weight mean much attention or little?"),
    Mistake("the-diagonal", (BEST, "torch.arange(len(real)).clamp(max=real.shape[1] - 1)"),
        "target word j is linked to source word j, whatever the weights are", "Where do the weights enter your code?"),
    Mistake("mean-place", (BEST, "(real @ torch.arange(real.shape[1], dtype=real.dtype) / real.sum(1)).round().long()"),
        "the weighted mean of the positions is taken and rounded. A word that attends half to the first word and "
        "half to the third would be linked to the second, to which it does not attend at all.",
        "Halfway between two large weights, must there be a large one?"),
    Mistake("never-back", (LINKS, "best.cummax(0).values.tolist()"),
        "each link is at least as large as the one before: your links never go back. But *calm* may come before *is* "
        "in one language and after it in the other; that is what an alignment should show.",
        "Must the second target word come from a later source word than the first?"),
    Mistake("each-word-once", each_word_once,
        "a source word that has been linked once is not used again. But *calm* may become two words, and both come "
        "from it.", "Does a row of the weights know about the rows above it?", from_the_first_word_twice),
    Mistake("sure-ones-only", (BEST, "real.argmax(dim=1).where(real.amax(1) >= 0.5, -1)"),
        "a row whose largest weight is below one half gets −1. The task has no threshold; and as an index, −1 means "
        "the last position.", "What is asked for if no weight is large?"),
    Mistake("from-the-end", (CUT, "weights[:, -source_len:]"),
        "the first columns are cut off instead of the last. The padding is at the end of a sentence.",
        "Which of the columns 0, 1, 2, 3 belong to a sentence of three words?"),
    Mistake("in-order", (LINKS, "sorted(best.tolist())"),
        "the result is sorted. The links are right, but which of them belongs to which target word is lost.",
        "To which target word does the first entry of your list belong?"),
    Mistake("distinct-only", (LINKS, "list(dict.fromkeys(best.tolist()))"),
        "repeated entries are left out. Two target words may come from the same source word.", ENTRIES,
        from_the_first_word_twice),
    Mistake("a-tensor", (LINKS, "best")),
    Mistake("tensors-inside", (LINKS, "list(best)")),
    Mistake("one-number", (LINKS, "int(real.argmax())")),
    Mistake("returns-a-tuple", (LINKS, "list(enumerate(best.tolist()))")),
    Mistake("returns-another-kind", (LINKS, "real.amax(1).tolist()")),
)

EXERCISE = Exercise(
    name="fill-alignment", title="Which word comes from which?", chapter=12, solution=my_alignment,
    shapes={"weights": "T S", "source_len": "a number"}, returns="T", answer=WholeNumbers(), example=example,
    probes=probes, edges=edges, mistakes=MISTAKES, steps={"real": "the weights of the real words"},
    hints=(
        "Each row belongs to one target word. Take the second row of the table that your function gets: which of its "
        "entries belong to real words, and which of those is the largest?",
        "Cut the padding off before you look for the largest: it is in the columns from `source_len` on. Which slice "
        "of (T, S) is (T, source_len)?",
        "`argmax` along the axis of the source words gives one index per row; `.tolist()` turns them into Python "
        "integers. Since you cut at the end, the indices still count from the first word of the sentence.",
    ),
    why="In a model that masks its padding the largest weight is never there, and the cut changes nothing: "
        "everything works, until the weights come from elsewhere. And a table with as many target words as source "
        "words hides a maximum along the wrong axis: it returns a list of the right length with legal entries only, "
        "but it answers another question, namely which target word attends most to each source word.",
)
