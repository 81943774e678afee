"""Exercise masked-softmax: no attention for the padding."""

from __future__ import annotations

import torch

from ..legacy import Exercise, Mistake, draw, exact, slip
from .masked_softmax_leaks import first_row, leaks, leaks_a_little, right_where_kept


def solution(scores, valid_lens):
    """Softmax over the first valid_lens[b] keys; the others get exactly 0."""
    position = torch.arange(scores.shape[-1], device=scores.device)  # (S,)
    keep = position < valid_lens[:, None, None]  # (B, 1, 1) → (B, 1, S)
    weights = scores.masked_fill(~keep, -torch.inf).softmax(
        dim=-1
    )  # NaN where nothing is kept
    return weights.masked_fill(~keep, 0.0)  # … and zeros there


def first_keys(scores, valid_lens):
    return torch.arange(scores.shape[-1]) < valid_lens[:, None, None]


def pipeline(
    scores,
    valid_lens,
    keep=first_keys,
    fill=lambda e, k: e.masked_fill(~k, -torch.inf),
    normalise=lambda e: e.softmax(-1),
    after=lambda a, k: a.masked_fill(~k, 0),
):
    """The same in named steps, so that a mistake is one step done wrongly."""
    kept = keep(scores, valid_lens).expand_as(scores)
    return after(normalise(fill(scores, kept)), kept)


def _leave(a, keep):
    return a


def _finite(e, keep):
    return e.masked_fill(~keep, -1e6)


def _lengths(*lengths: int) -> torch.Tensor:
    return torch.tensor(lengths)


def example() -> tuple:
    return exact([[1, 2, 3, 4]]), _lengths(2)


def two_sentences() -> tuple:
    return exact([[1, 2, 3], [3, 1, 2]], [[2, 2, 1], [1, 3, 3]]), _lengths(1, 2)


def longer_first() -> tuple:
    scores, lengths = two_sentences()
    return scores, lengths.flip(0)


def no_words() -> tuple:
    return exact([[1, 2, 3, 4]]), _lengths(0)


def probes() -> list[tuple]:
    return [
        (draw(2, 5, 7, seed=101), _lengths(3, 5)),
        (draw(3, 2, 11, seed=102), _lengths(4, 9, 2)),
        (draw(1, 3, 5, seed=103), _lengths(2)),
        (draw(5, 3, 7, seed=104), _lengths(4, 2, 5, 2, 3)),
    ]


def edges() -> list[tuple]:
    return [
        (draw(3, 2, 5, seed=105), _lengths(1, 5, 0)),
        (draw(2, 3, 1, seed=106), _lengths(0, 1)),
    ]


def steps(scores, valid_lens) -> list[tuple[str, object]]:
    kept = first_keys(scores, valid_lens).expand_as(scores)
    return [
        ("which keys may be attended to", kept.to(scores)),
        ("their exponentials", scores.exp() * kept),
        ("the sum of these", (scores.exp() * kept).sum(-1)),
        ("the weights", solution(scores, valid_lens)),
    ]


WRONG = (
    Mistake(
        "mask-after-softmax",
        slip(pipeline, fill=_leave),
        "row sums",
        "With {given} your weights are {got}: they sum to 0.119, not 1. "
        "The masked positions are zero, but they had already taken their share of the sum.",
        "the mask is applied after the softmax",
        "What would a score have to be for exp(score) to be zero *before* the sum is taken?",
    ),
    Mistake(
        "filled-after-softmax",
        slip(pipeline, fill=_leave, after=lambda a, k: a.masked_fill(~k, -1e6)),
        "too late",
        "With {given} your weights are {got}. The words get 0.032 and 0.087, their shares among all four, "
        "and the "
        "padding gets a number that is no share of anything. The fill belongs to the scores.",
        "the masked positions are filled after the softmax",
        "In which tensor does a large negative number turn into a weight of zero?",
    ),
    Mistake(
        "zero-fill",
        slip(pipeline, fill=lambda e, k: e * k, after=_leave),
        "a score of zero is a score",
        "With {given} your weights are {got}: the padding takes 0.083 + 0.083 = 0.166 of the attention. "
        "exp(0) is 1, not 0; with the scores (−1, −2) the padding would even get the most.",
        "the masked scores are set to 0 before the softmax",
        "For which score is exp(score) zero?",
    ),
    Mistake(
        "zero-fill-and-mask",
        slip(pipeline, fill=lambda e, k: e * k),
        "a score of zero is a score",
        "With {given} your weights are {got}: they sum to 0.835, not 1. The padding is zero in the end, "
        "but in the sum it stood with exp(0) = 1 each.",
        "the masked scores are set to 0, and the weights are masked once more afterwards",
        "For which score is exp(score) zero, so that it takes nothing from the sum?",
    ),
    Mistake(
        "inverted",
        slip(pipeline, keep=lambda e, n: ~first_keys(e, n)),
        "the wrong side of the mask",
        "With {given} your weights are {got}: the two words get nothing, and the two paddings share "
        "everything.",
        "the mask is the wrong way round",
        "In your mask, does True mean *may be attended to* or *is to be hidden*, and which of the two does "
        "the line that uses it expect?",
    ),
    Mistake(
        "one-too-many",
        slip(pipeline, keep=lambda e, n: torch.arange(e.shape[-1]) <= n[:, None, None]),
        "off by one",
        "With {given} your weights are {got}: three keys are kept. Two words stand at positions 0 and 1.",
        "the key at position `valid_len` is kept too (`<=`)",
        "Positions count from 0: is 2 < 2?",
    ),
    Mistake(
        "one-too-few",
        slip(
            pipeline, keep=lambda e, n: torch.arange(e.shape[-1]) < n[:, None, None] - 1
        ),
        "off by one",
        "With {given} your weights are {got}: only one key is kept. Two words stand at positions 0 and 1.",
        "the last valid key is masked as well",
        "Which positions does a sentence of two words fill, counted from 0?",
    ),
    Mistake(
        "from-the-right",
        slip(
            pipeline,
            keep=lambda e, n: (
                torch.arange(e.shape[-1]) >= e.shape[-1] - n[:, None, None]
            ),
        ),
        "the other end",
        "With {given} your weights are {got}: the *last* two keys are kept. The padding stands at the end "
        "of a sentence, not at its beginning.",
        "the first keys are masked instead of the last",
        "Which of the positions 0, 1, 2, 3 belong to a sentence of two words?",
    ),
    Mistake(
        "query-axis",
        slip(
            pipeline,
            keep=lambda e, n: (torch.arange(e.shape[1]) < n[:, None])[..., None],
        ),
        "the axis",
        "{seen}You mask whole *rows*: the queries from position `valid_len` on get nothing (or NaN, "
        "or the same for all), and the others still look at the padding.",
        "the mask runs along the queries instead of the keys",
        "In scores of shape (B, T, S), which axis holds the words that are looked *at*?",
        example=two_sentences,
    ),
    Mistake(
        "ignores-lengths",
        slip(pipeline, keep=lambda e, n: torch.ones_like(e, dtype=torch.bool)),
        "no mask at all",
        "With {given} your weights are {got}: a plain softmax. The padding gets 0.237 + 0.644 = 0.881 of "
        "the attention.",
        "the valid lengths have no effect",
        "Did a method return a masked copy that nobody kept (`scores.masked_fill(...)` alone on a line)?",
    ),
    Mistake(
        "first-length-only",
        slip(pipeline, keep=lambda e, n: first_keys(e, n[:1].expand(len(n)))),
        "every sentence has its own length",
        "{seen}The second sentence is masked with the length of the first, 1.",
        "`valid_lens[0]` is used for the whole batch",
        "Which shape must the lengths have so that they meet scores of shape (B, T, S) along B?",
        example=two_sentences,
    ),
    Mistake(
        "longest-length",
        slip(pipeline, keep=lambda e, n: first_keys(e, n.max().expand(len(n)))),
        "every sentence has its own length",
        "{seen}The first sentence is masked with the length of the longest, 2.",
        "the largest of the lengths is used for the whole batch",
        "Which shape must the lengths have so that they meet scores of shape (B, T, S) along B?",
        example=two_sentences,
    ),
    Mistake(
        "shortest-length",
        slip(pipeline, keep=lambda e, n: first_keys(e, n.min().expand(len(n)))),
        "every sentence has its own length",
        "{seen}Both sentences are masked with the length of the shorter one, 1 (taken out of the batch as "
        "its minimum).",
        "the smallest of the lengths is used for the whole batch",
        "Which shape must the lengths have so that they meet scores of shape (B, T, S) along B?",
        example=longer_first,
    ),
    Mistake(
        "lengths-in-the-wrong-order",
        slip(
            pipeline,
            keep=lambda e, n: (
                torch.arange(e.shape[-1])
                < n.repeat(e.shape[1]).reshape(e.shape[0], e.shape[1], 1)
            ),
        ),
        "lengths and rows do not match",
        "{seen}The lengths go through the rows as 1, 2, 1, 2; "
        "sentence 1 needs 1 for both of its queries, and then sentence 2 needs 2: 1, 1, 2, 2.",
        "the lengths are repeated as a whole (`repeat`) rather than each for itself",
        "torch has a second kind of repetition, which keeps equal numbers together. What is it called? (Or "
        "which broadcast makes it unnecessary?)",
        example=two_sentences,
    ),
    Mistake(
        "softmax-over-queries",
        slip(pipeline, normalise=lambda e: e.softmax(1)),
        "the axis",
        "{seen}In your weights the *columns* sum to 1: the queries compete for each key.",
        "the softmax runs over the queries (dim=1)",
        "Each query spends a budget of 1 on the keys. Which axis of (B, T, S) counts the keys?",
        example=two_sentences,
    ),
    Mistake(
        "softmax-over-batch",
        slip(pipeline, normalise=lambda e: e.softmax(0)),
        "the axis",
        "{seen}Your softmax runs over the sentences of the batch, which have nothing to do with each other.",
        "the softmax runs over the batch (dim=0)",
        "Each query spends a budget of 1 on the keys. Which axis of (B, T, S) counts the keys?",
        example=two_sentences,
    ),
    Mistake(
        "no-softmax",
        slip(pipeline, normalise=lambda e: e),
        "half-way",
        "With {given} you return {got}: the scores where they are kept. Weights should come out: positive, "
        "and summing to 1 in every row.",
        "the softmax is missing",
        "Which function makes shares out of scores?",
    ),
    Mistake(
        "exp-only",
        slip(pipeline, normalise=torch.exp),
        "row sums",
        "With {given} you return {got}: exp(1) = 2.718 and exp(2) = 7.389. They sum to 10.107, not 1.",
        "the exponentials are not divided by their sum",
        "Over which axis do you add up what you divide by?",
    ),
    Mistake(
        "log-softmax",
        slip(pipeline, normalise=lambda e: e.log_softmax(-1)),
        "logarithms",
        "With {given} you return {got}: (−1.313, −0.313) are the logarithms of the weights 0.269 and 0.731.",
        "log_softmax stands where softmax should",
        "Can a share of attention be negative?",
    ),
    Mistake(
        "sum-normalised",
        slip(
            pipeline,
            fill=lambda e, k: e * k,
            normalise=lambda e: e / e.sum(-1, keepdim=True),
        ),
        "no exponential",
        "With {given} your weights are {got}: 1/3 and 2/3, the scores divided by their sum. With the "
        "scores (1, −2) these would be −1 and 2.",
        "the scores are divided by their sum",
        "Which function makes every score positive first?",
    ),
    Mistake(
        "uniform",
        slip(pipeline, fill=lambda e, k: (e * 0).masked_fill(~k, -torch.inf)),
        "the scores have no say",
        "With {given} your weights are {got}: the words share equally. The score 2 should get more than "
        "the score 1.",
        "the scores do not enter, only the mask does",
        "Which tensor should the softmax be applied to?",
    ),
    Mistake(
        "over-everything",
        slip(pipeline, normalise=lambda e: e.flatten().softmax(0).reshape(e.shape)),
        "one sum for all",
        "{seen}All your weights together sum to 1. Each query has a budget of its own, and so has each "
        "sentence.",
        "the exponentials are divided by the sum of all of them",
        "Which axis should the sum run over, and what does keepdim=True do?",
        example=two_sentences,
    ),
    Mistake(
        "over-the-sentence",
        slip(pipeline, normalise=lambda e: e.flatten(1).softmax(-1).reshape(e.shape)),
        "one sum for all queries",
        "{seen}In each sentence all weights together sum to 1. Each *query* has a budget of its own.",
        "the softmax runs over queries and keys of a sentence together",
        "How many sums are there to be equal to 1 in weights of shape (B, T, S)?",
        example=two_sentences,
    ),
    Mistake(
        "divided-by-length",
        lambda scores, valid_lens: (
            pipeline(scores, valid_lens, fill=_leave)
            / valid_lens[:, None, None].clamp(min=1)
        ),
        "row sums",
        "With {given} your weights are {got}: they sum to 0.06. To make weights sum to 1 one divides by "
        "their sum (0.119 before), not by how many there are (2).",
        "the masked weights are divided by the valid length",
        "0.032 and 0.087 should become shares of a whole. What is the whole?",
    ),
    Mistake(
        "filled-with-minimum",
        slip(pipeline, fill=lambda e, k: torch.where(k, e, e.min()), after=_leave),
        "a small score is a score",
        "With {given} your weights are {got}. The masked scores are replaced by the smallest score of all, "
        "1, and exp(1) = 2.718 is far from 0.",
        "the masked scores are replaced by the smallest one",
        "For which score is exp(score) zero?",
    ),
    Mistake(
        "nan-row",
        slip(pipeline, after=_leave),
        "a sentence without words",
        "With {given} your weights are {got}; agreed are zeros. Nothing is kept, so that every exponential "
        "is 0 and so is their sum: 0/0 is NaN. "
        "For all other lengths you are right.",
        "the row with nothing to attend to is left to the softmax",
        "Where may nothing be attended to? Could the same mask be used once more, after the softmax?",
        example=no_words,
    ),
    Mistake(
        "uniform-row",
        slip(pipeline, fill=_finite, after=_leave),
        "a sentence without words",
        "With {given} your weights are {got}; agreed are zeros. All scores are replaced by the same large "
        "negative number, and a softmax of equal scores is "
        "uniform: all the attention goes to padding. For all other lengths you are right.",
        "the masked scores get a large negative number, and nothing happens after the softmax",
        "Where may nothing be attended to? Could the same mask be used once more, after the softmax?",
        example=no_words,
    ),
    Mistake(
        "finite-fill",
        slip(pipeline, fill=lambda e, k: e.masked_fill(~k, -1), after=_leave),
    ),
    Mistake(
        "finite-fill",
        slip(
            pipeline,
            fill=lambda e, k: e.masked_fill(~k, -100),
            after=lambda a, k: a * k.any(-1, keepdim=True),
        ),
    ),
    Mistake(
        "finite-penalty",
        slip(pipeline, fill=lambda e, k: e - 10 * (~k).to(e), after=_leave),
    ),
    Mistake(
        "writes-into-argument",
        lambda scores, valid_lens: pipeline(
            scores, valid_lens, fill=lambda e, k: e.masked_fill_(~k, -1e6)
        ),
    ),
    Mistake(
        "nan-gradient",
        lambda scores, valid_lens: (
            (
                scores
                + torch.zeros_like(scores).masked_fill(
                    ~first_keys(scores, valid_lens), -torch.inf
                )
            )
            .softmax(-1)
            .nan_to_num(0.0)
        ),
    ),
    Mistake("wrong-device", lambda scores, valid_lens: pipeline(scores, valid_lens)),
)

MASKED_SOFTMAX = Exercise(
    name="masked-softmax",
    title="Softmax over the words that are there",
    chapter=4,
    function="my_masked_softmax",
    statement="""\
A batch of scores $(B, T, S)$ comes with the valid length of each of its $B$ sentences. Turn the scores
into weights such that query $i$ of
sentence $b$ spreads a budget of 1 over the first $n_b$ keys only:

$$\\alpha_{ij} = \\frac{\\exp(e_{ij})}{\\sum_{j' \\le n_b} \\exp(e_{ij'})} \\quad (j \\le n_b), \\qquad
\\alpha_{ij} = 0 \\text{ otherwise.}$$

A sentence of length 0 gets zeros in every row, and finite gradients. The scores that you are given
must stay as they are. With scores
$(1, 2, 3, 4)$ and length 2 the weights are $(0.269, 0.731, 0, 0)$.""",
    stub='''\
def my_masked_softmax(scores, valid_lens):
    """Softmax over the first valid_lens[b] keys of sentence b; zero for the others.

    scores: (B, T, S), valid_lens: (B,) integers from 0 to S → (B, T, S)
    """
    ...
''',
    hints=(
        "Make a mask first: `torch.arange(S, device=scores.device)` numbers the keys 0, 1, 2, …, and a key "
        "is valid if its number is less than its sentence's length. "
        "Which shape must `valid_lens` get so that the comparison yields (B, 1, S)?",
        "A masked key must have vanished before the sum is taken: exp(−∞) = 0. `scores.masked_fill(~keep, "
        "-torch.inf)` makes a new tensor; "
        "its namesake with `_` would write into your caller's.",
        "With length 0 the row is −∞ throughout, and 0/0 is NaN. Fill once more, after the softmax: "
        "`weights.masked_fill(~keep, 0.0)`.",
    ),
    solution=solution,
    why="Multiplying by the mask *after* the softmax puts the zeros in the right places, and a heat map of "
    "it looks right. Only the row sums tell: "
    "the padding has already eaten its part of the budget, and the rest is too pale. Setting the masked "
    "*scores* to zero looks right for another reason: "
    "zero feels like nothing. But exp(0) = 1.",
    shapes={"scores": "B T S", "valid_lens": "B"},
    returns="B T S",
    example=example,
    probes=probes,
    edges=edges,
    steps=steps,
    wrong=WRONG,
    detectors=(right_where_kept, leaks),
    describers=(first_row,),
    demands=(leaks_a_little,),
    device_matters=True,
    differentiable=("scores",),
)
