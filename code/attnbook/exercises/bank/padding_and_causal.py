"""Exercise padding-and-causal: a decoder's mask, from lengths and the triangle."""

from __future__ import annotations

import torch

from ..legacy import Exercise, Mistake, slip
from .mask_answers import additive, as_numbers, mask_kind, must_be_bool, to_be_added


def solution(valid_lens, T):
    """True where the key is a real word and not later than the query."""
    position = torch.arange(T, device=valid_lens.device)  # (T,)
    real = position < valid_lens[:, None, None]  # (B, 1, T): the keys that are words
    past = position <= position[:, None]  # (T, T): the keys that are not later
    return real & past  # (B, T, T): both at once


def real_keys(lengths, T):
    return (torch.arange(T) < lengths[:, None])[:, None, :]  # (B, 1, T)


def pipeline(
    valid_lens,
    T,
    keep=real_keys,
    past=lambda q, k: k <= q,
    join=lambda real, past: real & past,
    write=lambda mask: mask,
):
    """The same in named steps, so that a mistake is one step done wrongly."""
    position = torch.arange(T)
    real, past = torch.broadcast_tensors(
        keep(valid_lens, T), past(position[:, None], position)
    )
    return write(join(real, past))  # (B, T, T) each


def _always(q, k):
    return torch.ones_like(k <= q)


def _lengths(*lengths: int) -> torch.Tensor:
    return torch.tensor(lengths)


def example() -> tuple:
    return _lengths(2), 3


def two_sentences() -> tuple:
    return _lengths(1, 2), 2


def longer_first() -> tuple:
    return _lengths(2, 1), 2


def no_padding() -> tuple:
    return _lengths(3), 3


def probes() -> list[tuple]:
    return [(_lengths(3, 5), 7), (_lengths(4, 2, 3), 5), (_lengths(7, 3, 5, 9, 2), 11)]


def edges() -> list[tuple]:
    return [(_lengths(1, 5, 0), 5), (_lengths(0, 1), 1)]


def steps(valid_lens, T) -> list[tuple[str, object]]:
    position = torch.arange(T)
    return [
        ("which keys are words", real_keys(valid_lens, T).double()),
        (
            "which keys are not later than the query",
            (position <= position[:, None]).double(),
        ),
        ("both at once", solution(valid_lens, T).double()),
    ]


def _pairs(lengths, T):
    real = torch.arange(T) < lengths[:, None]
    return real[:, :, None] & real[:, None, :]


def _cut_to_length(lengths, T):
    return torch.stack([torch.ones(n, n).tril() == 1 for n in lengths.tolist()])


WRONG = (
    Mistake(
        "or-instead-of-and",
        slip(pipeline, join=lambda real, past: real | past),
        "one permission is not enough",
        "{seen}Here 1 stands for True. Your first query sees the second word, which is real but comes later; "
        "your last query sees the padding, which is earlier but not real. With `|` either reason is enough.",
        "the two masks are joined by `|` (or added, which is the same for bool)",
        "A key must be a word *and* not be later. Which operator says so?",
    ),
    Mistake(
        "exclusive-or",
        slip(pipeline, join=lambda real, past: real ^ past),
        "either, but not both",
        "{seen}Your mask is True where exactly one of the two conditions holds, and False where both do.",
        "the two masks are joined by `^` or by `!=`",
        "A key must be a word *and* not be later. Which operator says so?",
    ),
    Mistake(
        "no-causality",
        slip(pipeline, past=_always),
        "looking ahead",
        "{seen}Your first query sees the second word before it has been said. The padding is hidden, the "
        "future is not.",
        "the causal half is missing",
        "Which keys may the query at position 0 see?",
    ),
    Mistake(
        "no-padding-mask",
        slip(pipeline, keep=lambda n, T: torch.ones(len(n), 1, T, dtype=torch.bool)),
        "the padding",
        "{seen}The sentence has two words, the third position is padding, and your last query sees it. The "
        "future is hidden, the padding is not.",
        "the lengths have no effect",
        "Which column must be False in every row of this sentence?",
    ),
    Mistake(
        "inverted",
        slip(pipeline, write=lambda mask: ~mask),
        "the wrong side of the mask",
        "{seen}Your True marks what is to be *hidden*. That is how `nn.MultiheadAttention` wants its masks; "
        "in this book and in `F.scaled_dot_product_attention` True means *may attend*.",
        "True and False have changed places",
        "May the first query attend to itself? What does your mask say?",
    ),
    Mistake(
        "lengths-inverted",
        slip(pipeline, keep=lambda n, T: ~real_keys(n, T)),
        "half of it upside down",
        "{seen}Your triangle is right, but you keep the padding and hide the words.",
        "the mask of the lengths is the wrong way round",
        "In your mask of the lengths, what does True mean, and what does it mean in your triangle?",
    ),
    Mistake(
        "triangle-inverted",
        slip(pipeline, past=lambda q, k: k > q),
        "half of it upside down",
        "{seen}The padding is hidden, but of the words you keep the ones that come later and hide the "
        "others. Your last query sees nothing.",
        "the triangle is the wrong way round, True for the future",
        "In your triangle, what does True mean, and what does it mean in your mask of the lengths?",
    ),
    Mistake(
        "upper-triangle",
        slip(pipeline, past=lambda q, k: k >= q),
        "looking ahead",
        "{seen}Your first query sees itself and the word after it. Your second one does not see the word "
        "before it.",
        "the upper triangle is kept instead of the lower one",
        "A row is a query. Which words are there when the first one is read?",
    ),
    Mistake(
        "self-excluded",
        slip(pipeline, past=lambda q, k: k < q),
        "not even itself",
        "{seen}No query of yours may attend to itself, and the first one to nothing at all: its softmax "
        "would be 0/0.",
        "the diagonal is left out",
        "When position i is read, is word i known?",
    ),
    Mistake(
        "one-ahead",
        slip(pipeline, past=lambda q, k: k <= q + 1),
        "one word ahead",
        "{seen}Each query of yours sees the next word too, which is the very one that a model is to predict.",
        "the diagonal lies one too high",
        "How many keys may the first query see?",
    ),
    Mistake(
        "one-too-many",
        slip(pipeline, keep=lambda n, T: (torch.arange(T) <= n[:, None])[:, None]),
        "off by one",
        "{seen}The sentence has two words, at the positions 0 and 1. You let the third query see position 2, "
        "the first of the padding.",
        "the key at position `valid_len` is kept too (`<=`)",
        "Positions count from 0: is 2 < 2?",
    ),
    Mistake(
        "one-too-few",
        slip(pipeline, keep=lambda n, T: (torch.arange(T) < n[:, None] - 1)[:, None]),
        "off by one",
        "{seen}The sentence has two words, at the positions 0 and 1. You hide the second of them.",
        "the last word is hidden as well",
        "Which positions does a sentence of two words fill, counted from 0?",
    ),
    Mistake(
        "from-the-right",
        slip(pipeline, keep=lambda n, T: (torch.arange(T) >= T - n[:, None])[:, None]),
        "the other end",
        "{seen}You take the *last* two positions for the words. The padding stands at the end of a sentence.",
        "the first keys are hidden instead of the last",
        "Which of the positions 0, 1, 2 belong to a sentence of two words?",
    ),
    Mistake(
        "queries-masked",
        slip(pipeline, keep=lambda n, T: (torch.arange(T) < n[:, None])[:, :, None]),
        "queries or keys?",
        "{seen}You empty the *row* of the third position, which is padding, and its query may look nowhere. "
        "The task hides padding as a *key*: its column. A padded query follows the same rule as the others.",
        "the lengths mask the queries (instead of the keys, or besides them)",
        "In a mask (B, T, T), which axis counts the words that are looked *at*?",
    ),
    Mistake(
        "pairs-without-causality",
        _pairs,
        "looking ahead",
        "{seen}A pair counts in yours if *both* its ends are words. The first query then sees the second word, "
        "which comes later; and the query of the padding may look nowhere, although the task hides padding "
        "only as a key.",
        "the mask keeps all pairs of real words",
        "Two conditions are asked for. Which of them speaks of i and j together, and is it in your code?",
    ),
    Mistake(
        "cut-to-their-lengths",
        _cut_to_length,
        "tables of different sizes",
        "With {given} {line} raises {error}. Each of your tables is as large as its sentence, and tables of "
        "different sizes cannot be stacked. All are to be T·T, here 3·3, with False where the padding is.",
        "each sentence gets a table of its own size",
        "How many rows and columns has the mask of a sentence of 1 word that is padded to 3?",
        example=lambda: (_lengths(1, 2), 3),
        line=r"stack",
    ),
    Mistake(
        "first-length-only",
        slip(pipeline, keep=lambda n, T: real_keys(n[:1], T).expand(len(n), -1, -1)),
        "every sentence has its own length",
        "{seen}The second sentence is masked with the length of the first, 1.",
        "`valid_lens[0]` is used for the whole batch",
        "Which shape must the lengths have so that they meet a mask of shape (B, T, T) along B?",
        example=two_sentences,
    ),
    Mistake(
        "longest-length",
        slip(pipeline, keep=lambda n, T: real_keys(n.max().expand(len(n)), T)),
        "every sentence has its own length",
        "{seen}The first sentence is masked with the length of the longest, 2.",
        "the largest of the lengths is used for the whole batch",
        "Which shape must the lengths have so that they meet a mask of shape (B, T, T) along B?",
        example=two_sentences,
    ),
    Mistake(
        "last-length",
        slip(pipeline, keep=lambda n, T: real_keys(n[-1:].expand(len(n)), T)),
        "every sentence has its own length",
        "{seen}The first sentence is masked with the length of the last one, 1.",
        "the last of the lengths is used for the whole batch (did a loop overwrite its result?)",
        "What is left of the first sentence's mask when your last line is reached?",
        example=longer_first,
    ),
    Mistake(
        "transposed-table",
        lambda valid_lens, T: solution(valid_lens, T).transpose(1, 2),
        "rows and columns",
        "{seen}Your table is the right one, mirrored: keys run down and queries across.",
        "the mask is laid out as (B, keys, queries)",
        "A row belongs to one query. How many keys may the first query see, and how many does your first row "
        "allow?",
    ),
    Mistake(
        "only-padding",
        lambda valid_lens, T: real_keys(valid_lens, T)[:, 0],
        "half of it",
        "{seen}Yours has the shape (B, T): for each sentence which positions are words. The triangle is "
        "missing, and with it the axis of the queries.",
        "only the mask of the lengths is returned",
        "What must be added to (B, T) so that it can meet a triangle (T, T)?",
    ),
    Mistake(
        "only-triangle",
        lambda valid_lens, T: torch.ones(T, T).tril() == 1,
        "half of it",
        "{seen}Yours has the shape (T, T): the same triangle for every sentence. The lengths are missing, "
        "and with them the axis of the batch.",
        "only the triangle is returned",
        "Which shape must the mask of the lengths have, so that it meets (T, T) along the keys?",
        example=two_sentences,
    ),
    Mistake(
        "lengths-not-lifted",
        lambda valid_lens, T: (
            (torch.arange(T) < valid_lens[:, None]) & (torch.ones(T, T).tril() == 1)
        ),
        "an axis is missing",
        "With {given} {line} raises {error}. The mask of the lengths is (B, T) and the triangle (T, T); laid "
        "on each other from the right, sentences would meet queries.",
        "the mask of the lengths has no axis for the queries",
        "Which shape must (B, T) become, so that its T meets the keys and one row serves all queries?",
        example=lambda: (_lengths(1, 2), 3),
        line=r"&|\*|and|where|mask",
    ),
    Mistake(
        "additive",
        slip(pipeline, write=additive),
        "a mask to be added",
        "With {given} your mask is {got}: numbers to be added to the scores, 0 where a query may look and −∞ "
        "where not. Asked for is a bool mask, with True where it may look.",
        "an additive mask (0 and −∞) is made instead of a bool one",
        "Which part of your code comes *before* the −∞, and says who may attend?",
    ),
    Mistake(
        "counted",
        slip(pipeline, join=lambda real, past: real.double() + past.double()),
        "a count",
        "{seen}You count how many of the two conditions hold: 0, 1 or 2. Whatever takes 1 for True lets "
        "through what fulfils only one of them.",
        "the two masks are added as numbers",
        "A key must be a word *and* not be later. Which operator says so for bool masks?",
    ),
    Mistake(
        "last-sentence-only",
        lambda valid_lens, T: solution(valid_lens, T)[-1],
        "one sentence",
        "{seen}Yours has the shape (T, T): it is the mask of the last sentence. The others are lost.",
        "only the last sentence's mask is returned (did a loop overwrite its result?)",
        "What is left of the first sentence's mask when your last line is reached?",
        example=two_sentences,
    ),
    Mistake(
        "first-sentence-only",
        lambda valid_lens, T: solution(valid_lens, T)[0],
        "one sentence",
        "{seen}Yours has the shape (T, T): it is the mask of the first sentence. The others are missing.",
        "only the first sentence's mask is returned (does a `return` stand inside a loop?)",
        "Which axis of (B, T, T) counts the sentences?",
        example=two_sentences,
    ),
    Mistake(
        "additive-finite",
        lambda valid_lens, T: -1e9 * (~solution(valid_lens, T)).double(),
    ),
    Mistake("not-bool", lambda valid_lens, T: solution(valid_lens, T).float()),
    Mistake("not-bool", lambda valid_lens, T: solution(valid_lens, T).int()),
    Mistake("extra-axis", lambda valid_lens, T: solution(valid_lens, T)[:, None]),
    Mistake("wrong-device", lambda valid_lens, T: pipeline(valid_lens, T)),
)

PADDING_AND_CAUSAL = Exercise(
    name="padding-and-causal",
    title="A decoder's mask",
    chapter=6,
    function="my_decoder_mask",
    statement="""\
A decoder's sentences are padded at the end, and nobody may look ahead. From the lengths (B,) and the padded
length T make one bool mask (B, T, T), on the device of the lengths: query $i$ of sentence $b$ may attend to
key $j$ (`True`) if $j$ is not later than $i$ and is one of the sentence's first $n_b$ positions, its words.
Padded *queries* follow the same rule as the others. For a sentence of 2 words padded to 3 the rows are
(1, 0, 0), (1, 1, 0) and (1, 1, 0), if 1 stands for `True`.""",
    stub='''\
def my_decoder_mask(valid_lens, T):
    """Let each query attend to the real words that are not later than itself.

    valid_lens: (B,) integers from 0 to T → bool (B, T, T), True = may attend
    """
    ...
''',
    hints=(
        "Two masks, and a key must pass both. One says which keys are words, (B, T), and is the same for all "
        "queries; the other says which keys are not later, (T, T), and is the same for all sentences. Which "
        "shapes must they get to meet as (B, T, T)?",
        "Broadcasting lays shapes on each other from the right: (B, 1, T) and (T, T) give (B, T, T). The 1 "
        "stands in the place of the queries, because what is padding does not depend on who asks.",
        "`position = torch.arange(T, device=valid_lens.device)`; the words are `position < valid_lens[:, "
        "None, None]`; the triangle compares `position` with `position[:, None]`. For bool tensors *and* is "
        "`&`.",
    ),
    solution=solution,
    why="With `|` the mask has the right shape, hides something, and a model with it trains: its loss even "
    "falls faster, because every word can see the next one. In a batch without padding, the causal half "
    "alone gives the same numbers; with padding in the batch, each word's own row is right as well, since "
    "words come before the padding. What differs are the rows of the padding, and everything that pools or "
    "normalises over them. Only a mask that is tested on sentences of different lengths tells.",
    shapes={"valid_lens": "B", "T": "a number"},
    returns="B T T",
    example=example,
    probes=probes,
    edges=edges,
    steps=steps,
    wrong=WRONG,
    detectors=(to_be_added,),
    demands=(must_be_bool,),
    device_matters=True,
    read=as_numbers,
    kind=mask_kind,
)
