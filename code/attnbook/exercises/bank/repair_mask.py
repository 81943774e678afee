"""Exercise repair-mask: a decoder that goes on from a cache, in a batch that is padded on the left."""

import torch

from ..answers import Mask
from ..exercise import Exercise, Mistake


def my_mask(ids, new, pad):
    """Say which of all S positions the last `new` ones may attend to.

    ids: (B, S) integers, padded at the left; new: T, from 1 to S; pad: an integer
    → bool (B, T, S), True = may attend
    """
    length = ids.shape[1]  # S, what the cache holds and what is new
    key = torch.arange(length, device=ids.device)  # (S,)
    query = torch.arange(length - new, length, device=ids.device)  # (T,)
    past = key <= query[:, None]  # (T, S)
    real = ids != pad  # (B, S)
    return past & real[:, None]  # (B, T, S)


def example() -> tuple:
    return torch.tensor([[5, 7, 6, 8], [0, 0, 6, 8]]), 2, 0


def another_pad() -> tuple:
    return torch.tensor([[5, 7, 6, 8], [9, 9, 6, 8]]), 2, 9


def whole_row() -> tuple:
    return torch.tensor([[0, 6, 8]]), 3, 0


def _rows(lengths: list[int], S: int, pad: int, seed: int) -> torch.Tensor:
    """Rows of so many words, ids 20 to 39, the padding in front of them."""
    words = torch.randint(20, 40, (len(lengths), S), generator=torch.Generator().manual_seed(seed))
    return words.masked_fill(torch.arange(S) < S - torch.tensor(lengths)[:, None], pad)


def probes() -> list[tuple]:
    return [
        (_rows([7, 3, 5], 7, 0, 1), 2, 0),
        (_rows([4, 11], 11, 13, 2), 5, 13),
        (_rows([5, 2, 4, 3], 5, 17, 3), 3, 17),
    ]


def space(pick) -> tuple:
    """Any arguments that the task allows."""
    B, S = pick.sizes(1, 1)
    pad = pick.of(0, 50, 13)  # the words lie on both sides of it
    return pick.rows(B, S, range(10, 20), pad, least=1, left=True), pick.of(*range(1, S + 1)), pad


# edits that are used several times
QUERY, PAST, REAL, BOTH = "length - new, length,", "key <= query[:, None]", "ids != pad", "past & real[:, None]"
WHERE = "The cache holds two words, and two are new. At which positions are the new ones?"
AND = "A key must be a word *and* not be later. Which operator says so for bool masks?"
MEANING = "In this book, what does True in a mask mean?"
KNOWN = "When the word at position 2 has been read, which words are known, and which one is asked for?"
KEYS = "In (B, T, S), which axis counts the words that are attended *to*?"

# fmt: off
MISTAKES = (
    Mistake("as-given", ((QUERY, "0, new,"), (PAST, "key <= query[:, None] + 1"), (REAL, "ids == pad")),
        "the mask is still the one that was given",
        "Take the first symptom: which line would let a word see the one that comes after it?"),
    Mistake("first-positions", (QUERY, "0, new,"),
        "the new words are taken to be the first of the row. The triangle is at the left edge, so with a cache they "
        "see the beginning and forget what came just before them.", WHERE),
    Mistake("words-above-the-padding", ("ids != pad", "ids > pad"),
        "words are told from padding by a larger number (`>`). A word's number may also lie below that of the padding.",
        "Which comparison asks only whether two numbers are the same?", another_pad),
    Mistake("one-ahead", (PAST, "key <= query[:, None] + 1"),
        "the triangle is one too high. Each position sees the very word that it is asked for.", KNOWN),
    Mistake("padding-kept", (REAL, "ids == pad"),
        "the padding is kept and the words are hidden", MEANING),
    Mistake("first-and-ahead", ((QUERY, "0, new,"), (PAST, "key <= query[:, None] + 1")),
        "only the padding has been repaired. The triangle is one too high, and it begins at position 0.", WHERE),
    Mistake("first-and-padding", ((QUERY, "0, new,"), (REAL, "ids == pad")),
        "only the looking ahead has been repaired. The new words are still taken to be the first, and padding is kept.",
        WHERE),
    Mistake("or-instead-of-and", (BOTH, "past | real[:, None]"),
        "the two masks are joined by `|`. A word that comes later gets through because it is real.", AND),
    Mistake("inverted", (BOTH, "~(past & real[:, None])"),
        "True and False are the wrong way round", "Should the mask be True for the keys that a query may see?"),
    Mistake("self-excluded", (PAST, "key < query[:, None]"),
        "no position sees itself", "When the word at position 2 has been read, is it known?"),
    Mistake("upper-triangle", (PAST, "key >= query[:, None]"),
        "the triangle is the wrong way round. The past is hidden and the future is open.", KNOWN),
    Mistake("no-causality", (PAST, "key >= 0 * query[:, None]"),
        "nothing hides the future. While one word is read at a time it does not matter; here two are new.", KNOWN),
    Mistake("no-padding-mask", (REAL, "ids == ids"),
        "padding is attended to. A row's result then depends on how long the others of its batch are.",
        "Which column of the second row's mask should be False throughout?"),
    Mistake("pad-is-zero", (REAL, "ids != 0"), "padding is taken to be 0, whatever `pad` is",
        "Which argument does your code not use?", another_pad),
    Mistake("padding-at-the-right", (REAL, "key < (ids != pad).sum(1, keepdim=True)"),
        "the padding is looked for at the right. The number of words is right; where they are is not.",
        "At which positions are the two words of the second row?"),
    Mistake("queries-masked", (BOTH, "past & real[:, length - new :, None]"),
        "padding is hidden as a query, not as a key. You empty rows; it is columns that should be hidden.", KEYS,
        whole_row),
    Mistake("padding-sees-itself", (BOTH, "past & real[:, None] | (key == query[:, None])"),
        "each query sees itself, also where it is padding. The task leaves such a row empty.",
        "Is the padding at position 0 a word?", whole_row),
    Mistake("cache-hidden", (PAST, "(key <= query[:, None]) & (key >= length - new)"),
        "the new words see one another, and nothing of what is in the cache",
        "What is a cache for?"),
    Mistake("cache-only", (PAST, "(key + 0 * query[:, None]) < length - new"),
        "the new words see the cache, and neither each other nor themselves", KNOWN),
    Mistake("whole-square", (QUERY, "0, length,"),
        "a row is made for each of the S positions. Queries are only the new ones.",
        "Which words does the cache save you from reading again?"),
    Mistake("last-row-only", (QUERY, "length - 1, length,"),
        "a row is made for the last position only", "How many words are new?"),
    Mistake("without-the-batch", (BOTH, "past"), "only the triangle is returned, (T, S). It says nothing of padding.",
        "Which of the two conditions differs from sentence to sentence?"),
    Mistake("additive-finite", (BOTH, "-1e9 * (~(past & real[:, None])).double()")),
    Mistake("not-bool", (BOTH, "(past & real[:, None]).float()")),
    Mistake("extra-axis", (BOTH, "(past & real[:, None])[:, None]")),
)

EXERCISE = Exercise(
    name="repair-mask", title="Repair the mask", chapter=10, solution=my_mask,
    shapes={"ids": "B S", "new": "a number", "pad": "a number"}, returns="B T S", answer=Mask(), example=example,
    probes=probes,
    edges=lambda: [whole_row(), another_pad(), (_rows([3, 5], 5, 0, 4), 5, 0), (_rows([1, 2], 3, 0, 5), 1, 0),
                   (_rows([34, 5], 37, 0, 6), 3, 0)],
    mistakes=MISTAKES,
    steps={"query": "the positions of the new words", "past": "which keys are not later",
        "real": "which keys are words"},
    space=space,
    hints=(
        "Each symptom has a line. Which symptom can you explain by `tril(1)`, and which by `==`? Then take new = 2 and "
        "S = 4 and write out what `torch.ones(2, 4).tril()` lets the first of the two new words see.",
        "The new words are the *last* of the row: with two words in the cache, query 0 is at position 2. Its row has "
        "to allow the keys 0, 1 and 2, as far as they are words.",
        "Number the keys with one `arange`, and the queries with another that does not begin at 0. Which comparison of "
        "the two makes the triangle? And which shape must a mask (B, S) have to meet one of shape (T, S)?",
    ),
    why="The three faults hide from each other's tests. With an empty cache the triangle is where it belongs; in a "
        "batch of equal lengths there is no padding to be kept; and the look ahead makes the training loss *better*. "
        "One test finds all of them: a batch of unequal sentences, read in two goes, must give what each sentence "
        "gives by itself in one.",
)
