"""Exercise padding-and-causal: a decoder's mask, from lengths and the triangle."""

import torch

from ..answers import Mask
from ..exercise import Exercise, Mistake


def my_decoder_mask(valid_lens, T):
    """Let each query attend to the real words that are not later than itself.

    valid_lens: (B,) integers from 0 to T → bool (B, T, T), True = may attend
    """
    position = torch.arange(T, device=valid_lens.device)  # (T,)
    lengths = valid_lens[:, None, None]  # (B, 1, 1)
    real = position < lengths  # (B, 1, T), the keys that are words
    past = position <= position[:, None]  # (T, T), the keys that are not later
    return real & past  # (B, T, T)


def _lengths(*lengths: int) -> torch.Tensor:
    return torch.tensor(lengths)


def example() -> tuple:
    return _lengths(2), 3


def two_sentences() -> tuple:
    return _lengths(1, 2), 2


def longer_first() -> tuple:
    return _lengths(2, 1), 2


def one_and_two_of_three() -> tuple:
    return _lengths(1, 2), 3


def probes() -> list[tuple]:
    return [(_lengths(3, 5), 7), (_lengths(4, 2, 3), 5), (_lengths(7, 3, 5, 9, 2), 11)]


def space(pick) -> tuple:
    """Any arguments that the task allows."""
    B, T = pick.sizes(1, 1)
    return pick.lengths(B, T), T


# edits that are used several times
REAL, PAST, BOTH = "position < lengths", "position <= position[:, None]", "real & past"
LENGTHS = "valid_lens[:, None, None]"
AND = "A key must be a word *and* not be later. Which operator says so for bool masks?"
SHAPE = "Which shape must the lengths have to match a mask of shape (B, T, T) along B?"
EACH = "Every sentence has a length of its own."
MEANING = "What does True mean in your mask of the lengths, and what in your triangle?"
LAST_LINE = "What is left of the first sentence's mask when your last line is reached?"

# fmt: off
MISTAKES = (
    Mistake("or-instead-of-and", (BOTH, "real | past"),
        "the two masks are joined by `|` (or added, which is the same for bool). Either condition is then enough: a "
        "word that comes later is allowed because it is real, and padding because it comes earlier.", AND),
    Mistake("inverted", (BOTH, "~(real & past)"),
        "True and False are the wrong way round. Your True marks what is to be *hidden*, as `nn.MultiheadAttention` "
        "wants it; in this book and in `F.scaled_dot_product_attention` True means *may attend*.",
        "May the first query attend to itself? What does your mask say?"),
    Mistake("no-causality", (PAST, "position >= 0 * position[:, None]"),
        "the causal half is missing. The padding is hidden, but the first query sees a word that comes after it.",
        "Which keys may the query at position 0 see?"),
    Mistake("no-padding-mask", (REAL, "position < lengths + T"),
        "the lengths have no effect. The future is hidden, but the last query sees the padding.",
        "Which column must be False in every row of this sentence?"),
    Mistake("lengths-inverted", (REAL, "position >= lengths"),
        "the mask of the lengths is the wrong way round. You keep the padding and hide the words.", MEANING),
    Mistake("triangle-inverted", (PAST, "position > position[:, None]"),
        "the triangle is the wrong way round, True for the future. The padding is hidden, but of the words you keep "
        "those that come later, and the last query sees nothing.", MEANING),
    Mistake("upper-triangle", (PAST, "position >= position[:, None]"),
        "the upper triangle is kept instead of the lower one. Read it by rows: the first query sees itself and what "
        "comes *after* it.", "A row is a query. Which words are already there when the first one is read?"),
    Mistake("self-excluded", (PAST, "position < position[:, None]"),
        "the diagonal is left out, so that no query sees itself. The first query may then attend to nothing at all, "
        "and its softmax would be 0/0.", "When position i is read, is word i known?"),
    Mistake("one-ahead", (PAST, "position <= position[:, None] + 1"),
        "the diagonal is one too high. Each query sees the next word, the very one that a model is to predict.",
        "How many keys may the first query see?"),
    Mistake("one-too-many", (REAL, "position <= lengths"),
        "the key at position `valid_len` is kept too (`<=`). That is the first position of the padding.",
        "Positions count from 0: is 2 < 2?"),
    Mistake("one-too-few", (REAL, "position < lengths - 1"),
        "the last word of each sentence is hidden as well",
        "Which positions does a sentence of two words fill, counted from 0?"),
    Mistake("queries-masked", (REAL, "position[:, None] < lengths"),
        "the lengths mask the queries (instead of the keys, or besides them). You empty the *row* of a padded "
        "position; padding is to be hidden as a key, in its *column*. Padded queries follow the same rule as the "
        "others.", "In a mask (B, T, T), which axis counts the words that are attended *to*?"),
    Mistake("pairs-without-causality", (PAST, "position[:, None] < lengths"),
        "the mask keeps all pairs of real words. The first query then sees the second word, which comes later, and a "
        "padded query sees nothing, although padding is hidden only as a key.",
        "Two conditions are asked for. Which of them is about i and j together, and is it in your code?"),
    Mistake("cut-to-their-lengths", (BOTH, "torch.stack([torch.ones(n, n).tril() == 1 for n in valid_lens.tolist()])"),
        "each sentence gets a table of its own size. Such tables cannot be stacked. All should be T × T, False for "
        "the padding.", "How many rows and columns has the mask of a sentence of one word that is padded to three?",
        one_and_two_of_three, line="stack"),
    Mistake("longest-length", (LENGTHS, "valid_lens.max().expand_as(valid_lens)[:, None, None]"),
        f"the largest of the lengths is used for the whole batch. {EACH}", SHAPE, two_sentences),
    Mistake("last-length", (LENGTHS, "valid_lens[-1:].expand_as(valid_lens)[:, None, None]"),
        f"the last of the lengths is used for the whole batch (did a loop overwrite its result?). {EACH}", LAST_LINE,
        longer_first),
    Mistake("transposed-table", (BOTH, "(real & past).mT"),
        "the mask is laid out as (B, keys, queries): the right table, transposed",
        "A row belongs to one query. How many keys may the first query see, and how many does your first row allow?"),
    Mistake("only-padding", (BOTH, "real[:, 0]"),
        "only the mask of the lengths is returned, (B, T). The triangle is missing, and with it the axis of the "
        "queries.", "Which shape must (B, T) get before it can be combined with a triangle (T, T)?"),
    Mistake("lengths-not-lifted", (LENGTHS, "valid_lens[:, None]"),
        "the mask of the lengths has no axis for the queries. It is (B, T) and the triangle (T, T); aligned from the "
        "right, the sentences of the one would meet the queries of the other.",
        "Which shape must (B, T) become, so that its T is the axis of the keys and one row serves all queries?",
        one_and_two_of_three, line="&|\\*|and|where|mask"),
    Mistake("additive", (BOTH, "torch.zeros(len(real), T, T).masked_fill(~(real & past), -torch.inf)"),
        "an additive mask (0 and −∞) is made instead of a bool one. Some functions take that, too; here it should "
        "be a bool mask, True where a query may attend.",
        "Which part of your code comes *before* the −∞, and says who may attend?"),
    Mistake("counted", (BOTH, "real.double() + past.double()"),
        "the two masks are added as numbers. You count how many of the two conditions hold; if 1 is then taken for "
        "True, a key that meets only one of them gets through.", AND),
    Mistake("last-sentence-only", (BOTH, "(real & past)[-1]"),
        "only the last sentence's mask is returned (did a loop overwrite its result?)", LAST_LINE, two_sentences),
    Mistake("first-sentence-only", (BOTH, "(real & past)[0]"),
        "only the first sentence's mask is returned (is there a `return` inside a loop?)",
        "Which axis of (B, T, T) counts the sentences?", two_sentences),
    Mistake("additive-finite", (BOTH, "-1e9 * (~(real & past)).double()")),
    Mistake("not-bool", (BOTH, "(real & past).float()")),
    Mistake("not-bool", (BOTH, "(real & past).int()")),
    Mistake("extra-axis", (BOTH, "(real & past)[:, None]")),
)

EXERCISE = Exercise(
    name="padding-and-causal", title="A decoder's mask", chapter=4, solution=my_decoder_mask,
    shapes={"valid_lens": "B", "T": "a number"}, returns="B T T", answer=Mask(), example=example, probes=probes,
    edges=lambda: [(_lengths(1, 5, 0), 5), (_lengths(0, 1), 1), (_lengths(34, 2), 37)], mistakes=MISTAKES,
    steps={"real": "which keys are words", "past": "which keys are not later than the query"},
    space=space,
    hints=(
        "Two conditions, and a key must meet both. Which of them depends on the sentence, and which on the query?",
        "Each condition is a mask. The one for the words is the same for all queries, the triangle the same for all "
        "sentences. Broadcasting aligns shapes from the right: where does each of them need an axis of size 1?",
        "Both conditions compare `torch.arange(T)` with something: once with the lengths, as (B, 1, 1), once with "
        "itself, as a column. On which device should it be?",
    ),
    why="With `|` the mask has the right shape, hides something, and a model with it trains: its loss even falls "
        "faster, because most words can see the next one. In a batch without padding, the causal half alone gives the "
        "same numbers; with padding in the batch, each word's own row is right as well, since words come before the "
        "padding. What differs are the rows of the padding, and everything that pools or normalises over them. Only a "
        "mask that is tested on sentences of different lengths tells.",
)
