"""Exercise padding-and-causal: a decoder's mask for sentences that are padded in front."""

import torch

from ..answers import Mask
from ..exercise import Exercise, Mistake


def my_decoder_mask(valid_lens, T):
    """Let each query attend to the words, which come last, up to itself.

    valid_lens: (B,) integers from 0 to T → bool (B, T, T), True = may attend
    """
    position = torch.arange(T, device=valid_lens.device)  # (T,)
    lengths = valid_lens[:, None, None]  # (B, 1, 1)
    real = position >= T - lengths  # (B, 1, T), the keys that are words
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
REAL, PAST, BOTH = "position >= T - lengths", "position <= position[:, None]", "real & past"
LENGTHS = "valid_lens[:, None, None]"
AND = "A key must be a word *and* not be later. Which operator says so for bool masks?"
SHAPE = "Which shape must the lengths have to match a mask of shape (B, T, T) along B?"
EACH = "Every sentence has a length of its own."
MEANING = "What does True mean in your mask of the lengths, and what in your triangle?"
LAST_LINE = "What is left of the first sentence's mask when your last line is reached?"

# fmt: off
MISTAKES = (
    Mistake("itself-allowed", (BOTH, "real & past | torch.eye(T, dtype=torch.bool)"),
        "each query may see itself, the padding too. That spares a row without keys its NaN; but padding is no word.",
        "In the first row of the example, which key is a word?"),
    Mistake("or-instead-of-and", (BOTH, "real | past"),
        "the two masks are joined by `|` (or added, which is the same for bool). Either condition is then enough: a "
        "word that comes later is allowed because it is real, and padding because it comes earlier.", AND),
    Mistake("padded-at-the-end", (REAL, "position < lengths"),
        "the words are looked for in front (`position < length`). This batch is padded there, and its words come last.",
        "At which positions do two words stand that are padded in front to three?"),
    Mistake("inverted", (BOTH, "~(real & past)"),
        "True and False are the wrong way round. Your True marks what is to be *hidden*, as `nn.MultiheadAttention` "
        "wants it; in this book and in `F.scaled_dot_product_attention` True means *may attend*.",
        "May the last query attend to itself? What does your mask say?"),
    Mistake("no-causality", (PAST, "position >= 0 * position[:, None]"),
        "the causal half is missing. The padding is hidden, but the first word sees a word that comes after it.",
        "Which keys may the first word see?"),
    Mistake("no-padding-mask", (REAL, "position >= T - lengths - T"),
        "the lengths have no effect. The future is hidden, but each word sees the padding before it.",
        "Which column must be False in every row of this sentence?"),
    Mistake("lengths-inverted", (REAL, "position < T - lengths"),
        "the mask of the lengths is the wrong way round. You keep the padding and hide the words.", MEANING),
    Mistake("triangle-inverted", (PAST, "position > position[:, None]"),
        "the triangle is the wrong way round, True for the future. The padding is hidden, but of the words you keep "
        "those that come later, and the last query sees nothing.", MEANING),
    Mistake("upper-triangle", (PAST, "position >= position[:, None]"),
        "the upper triangle is kept instead of the lower one. Read it by rows: the first word sees itself and what "
        "comes *after* it.", "A row is a query. Which words are already there when the first one is read?"),
    Mistake("self-excluded", (PAST, "position < position[:, None]"),
        "the diagonal is left out, so that no query sees itself. The first word may then attend to nothing at all, "
        "and its softmax would be 0/0.", "When position i is read, is word i known?"),
    Mistake("one-ahead", (PAST, "position <= position[:, None] + 1"),
        "the diagonal is one too high. Each query sees the next word, the very one that a model is to predict.",
        "How many keys may the first word see?"),
    Mistake("one-too-many", (REAL, "position >= T - lengths - 1"),
        "the last position of the padding, just before the first word, is kept too.",
        "Positions count from 0: where does the first of two words stand, padded in front to three?"),
    Mistake("one-too-few", (REAL, "position >= T - lengths + 1"),
        "the first word of each sentence is hidden as well",
        "Which positions do two words fill, padded in front to three and counted from 0?"),
    Mistake("queries-masked", (REAL, "position[:, None] >= T - lengths"),
        "the lengths mask the queries instead of the keys. The *rows* of the padding are empty, but every word sees "
        "the padding before it: a padded key is to be hidden in its *column*.",
        "In a mask (B, T, T), which axis counts the words that are attended *to*?"),
    Mistake("pairs-without-causality", (PAST, "position[:, None] >= T - lengths"),
        "the mask keeps all pairs of real words. The first word then sees the second, which comes later.",
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
        "A row belongs to one query. How many keys may the last query see, and how many does your last row allow?"),
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
        "Both conditions compare `torch.arange(T)` with something: once with the place where the words begin, as "
        "(B, 1, 1), once with itself, as a column. On which device should it be?",
    ),
    why="`position < length` is right for the other layout, and for full sentences. Here it hides each sentence's last "
        "words and shows the padding in front of them. With padding at the end a word never meets it, since what comes "
        "later is hidden anyway; in front, every word does. Only sentences of different lengths tell.",
)
