"""Exercise cross-attention: the mistakes that the checker knows by name."""

from __future__ import annotations

import math

import torch

from ..legacy import Mistake, slip
from .cross_attention_steps import (
    longer_first,
    nothing_padded,
    pipeline,
    real_keys,
    solution,
    three_questions,
    two_questions,
    two_sentences,
    unchanged,
    with_infinity,
)


def _applied_from_the_right(a, W):
    return a @ W


def _left_out(a, W):
    return a


def _alone(**steps):
    """A mistake that rarely comes with others: leaving it out of the pairs keeps the search short."""
    return lambda *arguments: pipeline(*arguments, **steps)


def _heads(x, memory, asks, offers, tells, W_q, W_k, W_v):
    """Scores and values, with any of the sequences in any of the roles."""
    query, key, value = asks @ W_q.T, offers @ W_k.T, tells @ W_v.T
    return query @ key.mT / math.sqrt(x.shape[-1]), value


def _keys_from_x(x, memory, W_q, W_k, W_v, memory_lens):
    e, value = _heads(x, memory, x, x, memory, W_q, W_k, W_v)
    weights = with_infinity(e, real_keys(e, memory_lens)).softmax(-1)
    return weights @ value


def _values_from_x(x, memory, W_q, W_k, W_v, memory_lens):
    e, value = _heads(x, memory, x, memory, x, W_q, W_k, W_v)
    weights = with_infinity(e, real_keys(e, memory_lens)).softmax(-1)
    return weights @ value


def _memory_mask_on_own_scores(x, memory, W_q, W_k, W_v, memory_lens, tells=None):
    e, value = _heads(
        x, memory, x, x, memory if tells is None else tells, W_q, W_k, W_v
    )
    e = e.masked_fill(
        torch.arange(memory.shape[1]) >= memory_lens[:, None, None], -torch.inf
    )
    return e.softmax(-1) @ value


def _mask_without_queries(x, memory, W_q, W_k, W_v, memory_lens):
    e, value = _heads(x, memory, x, memory, memory, W_q, W_k, W_v)
    e = e.masked_fill(torch.arange(memory.shape[1]) >= memory_lens[:, None], -torch.inf)
    return e.softmax(-1) @ value


def _padding_zeroed(x, memory, W_q, W_k, W_v, memory_lens):
    real = torch.arange(memory.shape[1]) < memory_lens[:, None]
    return pipeline(
        x, memory * real[..., None], W_q, W_k, W_v, memory_lens, fill=unchanged
    )


WRONG = (
    Mistake(
        "self-attention",
        slip(pipeline, sources=lambda x, memory: (x, x, x)),
        "x asks itself",
        "{seen}What the memory holds makes no difference to yours. x has a single position, which can only "
        "ask itself: its weight is 1, and the answer is W_v times (1, 0) = (2, 1).",
        "keys and values are made of x (self-attention)",
        "Which of the three, query, key and value, belong to the one who asks, and which to the one who "
        "answers?",
    ),
    Mistake(
        "keys-from-x",
        _keys_from_x,
        "keys and values belong together",
        "With {given} {line} raises {error}. The keys are made of x, and the values of the memory: the "
        "weights have the shape (B, T, T), and (B, S, D) does not fit behind it.",
        "the keys are made of x",
        "Which sequence offers the keys: the one that asks, or the one that answers?",
        line=r"@|matmul|bmm|einsum",
    ),
    Mistake(
        "keys-from-x-masked",
        _memory_mask_on_own_scores,
        "keys and values belong together",
        "With {given} {line} raises {error}. The keys are made of x, so that the scores have the shape (B, "
        "T, T); a mask for the S positions of the memory does not fit on them.",
        "the keys are made of x",
        "Which sequence offers the keys: the one that asks, or the one that answers?",
        example=two_questions,
        line=r"mask|where|fill|\+",
    ),
    Mistake(
        "self-attention-masked",
        lambda x, *others: _memory_mask_on_own_scores(x, *others, tells=x),
        "x asks itself",
        "With {given} {line} raises {error}. Keys and values are made of x, so that the scores have the "
        "shape (B, T, T); a mask for the S positions of the memory does not fit on them.",
        "keys and values are made of x (self-attention)",
        "Which of the three, query, key and value, belong to the one who asks, and which to the one who "
        "answers?",
        example=two_questions,
        line=r"mask|where|fill|\+|@|matmul|bmm",
    ),
    Mistake(
        "queries-from-memory",
        slip(pipeline, sources=lambda x, memory: (memory, memory, memory)),
        "the memory asks itself",
        "{seen}Yours has a row for each position of the memory: it is the memory that asks. x makes no "
        "difference.",
        "the queries are made of the memory",
        "How many answers are wanted: one for each position of x, or of the memory?",
    ),
    Mistake(
        "roles-exchanged",
        slip(pipeline, sources=lambda x, memory: (memory, x, x)),
        "who asks whom?",
        "{seen}Yours has a row for each position of the memory, and is made of the values of x: the memory "
        "asks and x answers.",
        "x and the memory have changed places",
        "Who asks, and who answers?",
    ),
    Mistake(
        "values-from-x",
        _values_from_x,
        "keys and values belong together",
        "With {given} {line} raises {error}. The weights have the shape (B, T, S), and the values are made "
        "of x: (B, T, D). The weights belong to the positions of the memory.",
        "the values are made of x",
        "Weight j belongs to key j. Which value belongs to it?",
        line=r"@|matmul|bmm|einsum",
    ),
    Mistake(
        "weights-in-front",
        lambda x, memory, W_q, W_k, W_v, memory_lens: W_q @ x,
        "matrix times vector, but for rows",
        "With {given} {line} raises {error}. `W @ x` multiplies a vector that stands upright. The vectors of x "
        "are *rows*, T of them, and W (D, D) meets their axis D from the other side.",
        "the matrices are multiplied from the left, `W @ x`",
        "If y = W x for one upright vector, what is it for a table with a vector in every row?",
        line=r"@|matmul|bmm",
    ),
    Mistake(
        "weights-not-transposed",
        slip(
            pipeline,
            ask=_applied_from_the_right,
            offer=_applied_from_the_right,
            tell=_applied_from_the_right,
        ),
        "three matrices the other way round",
        "{seen}The query of (1, 0) is (2, 1) in yours: `x @ W_q`, the first *row* of W_q. `x @ W_q.T` is "
        "(2·1 + 1·0, 0·1 + 1·0) = (2, 0). With square matrices both run.",
        "all three matrices are applied as `x @ W` instead of `x @ W.T`",
        "A linear layer keeps its weight as (outputs, inputs). Which axis of W must meet the features of x?",
    ),
    Mistake(
        "W_q-not-transposed",
        slip(pipeline, ask=_applied_from_the_right),
        "W_q the other way round",
        "{seen}The query of (1, 0) is (2, 1) in yours: `x @ W_q`, the first *row* of W_q. `x @ W_q.T` is "
        "(2·1 + 1·0, 0·1 + 1·0) = (2, 0).",
        "W_q is applied as `x @ W_q`",
        "A linear layer keeps its weight as (outputs, inputs). Which axis of W_q must meet the features of "
        "x?",
    ),
    Mistake(
        "W_k-not-transposed",
        slip(pipeline, offer=_applied_from_the_right),
        "W_k the other way round",
        "{seen}The key of (1, 0) is (0, 1) in yours: `memory @ W_k`, the first *row* of W_k. `memory @ "
        "W_k.T` is (0·1 + 1·0, −1·1 + 1·0) = (0, −1).",
        "W_k is applied as `memory @ W_k`",
        "A linear layer keeps its weight as (outputs, inputs). Which axis of W_k must meet the features?",
    ),
    Mistake(
        "W_v-not-transposed",
        slip(pipeline, tell=_applied_from_the_right),
        "W_v the other way round",
        "{seen}The value of (1, 0) is (2, 0) in yours: `memory @ W_v`, the first *row* of W_v. "
        "`memory @ W_v.T` is (2·1 + 0·0, 1·1 + 3·0) = (2, 1).",
        "W_v is applied as `memory @ W_v`",
        "A linear layer keeps its weight as (outputs, inputs). Which axis of W_v must meet the features?",
    ),
    Mistake(
        "W_q-forgotten",
        _alone(ask=_left_out),
        "the raw query",
        "{seen}x itself meets the keys in yours: (1, 0) where W_q makes (2, 0) of it.",
        "W_q does not enter",
        "Each of the three matrices has one use. Where is that of W_q?",
    ),
    Mistake(
        "W_k-forgotten",
        _alone(offer=_left_out),
        "the raw key",
        "{seen}The memory itself meets the queries in yours: its first position offers (1, 0), where W_k "
        "makes (0, −1) of it.",
        "W_k does not enter",
        "Each of the three matrices has one use. Where is that of W_k?",
    ),
    Mistake(
        "W_v-forgotten",
        _alone(tell=_left_out),
        "the raw value",
        "{seen}The right weights average the memory itself in yours: (1, 0) and (0, 1), where W_v makes (2, "
        "1) and (0, 3) of them.",
        "W_v does not enter",
        "Each of the three matrices has one use. Where is that of W_v?",
    ),
    Mistake(
        "key-and-value-exchanged",
        slip(pipeline, matrices=lambda W_q, W_k, W_v: (W_q, W_v, W_k)),
        "two matrices exchanged",
        "{seen}The first position of the memory offers the key (2, 1) in yours. That is W_v times (1, 0), "
        "and should be its *value*.",
        "W_k and W_v have changed places",
        "Which matrix makes what is compared, and which makes what is handed on?",
    ),
    Mistake(
        "query-and-key-exchanged",
        _alone(matrices=lambda W_q, W_k, W_v: (W_k, W_q, W_v)),
        "two matrices exchanged",
        "{seen}The query of (1, 0) is (0, −1) in yours. That is W_k times (1, 0).",
        "W_q and W_k have changed places",
        "Which matrix belongs to the one who asks?",
    ),
    Mistake(
        "keys-averaged",
        _alone(matrices=lambda W_q, W_k, W_v: (W_q, W_k, W_k)),
        "keys for values",
        "{seen}You average the keys (0, −1) and (1, 1). Found with a key, but handed on should be the value.",
        "the weights are applied to the keys instead of the values",
        "What does a dictionary return, its keys or its values?",
    ),
    Mistake(
        "not-scaled",
        slip(pipeline, scale=lambda e, q, k: e),
        "the scale",
        "{seen}The scores of your first query are (0, 2); divided by √2 they would be (0, 1.414), and the "
        "weights less extreme: (0.196, 0.804) instead of (0.119, 0.881).",
        "the scores are not divided by √D",
        "What happens to the variance of a dot product as the number of features grows?",
    ),
    Mistake(
        "scaled-by-keys",
        slip(pipeline, scale=lambda e, q, k: e / math.sqrt(k.shape[1])),
        "the root of what?",
        "{seen}You divide the scores by √S = √3, the root of the number of keys. The variance of a dot "
        "product grows with the number of its terms, the features: D = 2.",
        "the scores are divided by √S",
        "Over which axis does a dot product sum?",
    ),
    Mistake(
        "scaled-by-queries",
        _alone(scale=lambda e, q, k: e / math.sqrt(q.shape[1])),
        "the root of what?",
        "{seen}You divide the scores by √T = 1, the root of the number of queries. The variance of a dot "
        "product grows with the number of its terms, the features: D = 2.",
        "the scores are divided by √T",
        "Over which axis does a dot product sum?",
    ),
    Mistake(
        "scaled-by-features",
        _alone(scale=lambda e, q, k: e / q.shape[-1]),
        "the root is missing",
        "{seen}You divide the scores by D = 2 itself: (0, 1) where (0, 1.414) should come.",
        "the scores are divided by D instead of √D",
        "The *variance* of a dot product is D. What is its standard deviation?",
    ),
    Mistake(
        "multiplied",
        _alone(scale=lambda e, q, k: e * math.sqrt(q.shape[-1])),
        "the wrong way",
        "{seen}You multiply the scores by √2: (0, 2) becomes (0, 2.828) where (0, 1.414) should come.",
        "the scores are multiplied by √D",
        "Should the scale make large dot products larger or smaller?",
    ),
    Mistake(
        "weights-scaled",
        lambda x, *rest: (
            pipeline(x, *rest, scale=lambda e, q, k: e) / math.sqrt(x.shape[-1])
        ),
        "too late",
        "{seen}Your weights sum to 0.707 = 1/√2, not to 1: they were divided by √2 *after* the softmax, and "
        "the scores were not divided at all.",
        "the weights are divided by √D instead of the scores",
        "Before or after which step does the scale belong?",
    ),
    Mistake(
        "scaled-twice",
        lambda x, *rest: pipeline(x, *rest) / math.sqrt(x.shape[-1]),
        "scaled once more",
        "{seen}Your weights sum to 0.707 = 1/√2, not to 1: the scores were divided by √2, as they should be, "
        "and the weights (or the output) once more.",
        "the weights or the output are divided by √D, besides the scores",
        "How many times does √D occur in softmax(QKᵀ/√D) V?",
    ),
    Mistake(
        "not-masked",
        slip(pipeline, fill=unchanged),
        "the padding answers",
        "{seen}The memory has 2 real positions of 3. The third, (3, 3), takes part in yours, and with the "
        "score 6/√2 = 4.243 it gets nearly everything.",
        "`memory_lens` has no effect",
        "Which of the S scores of a query must not reach the softmax? (Did a method return a masked copy "
        "that nobody kept?)",
    ),
    Mistake(
        "inverted",
        slip(pipeline, fill=lambda e, keep: e.masked_fill(keep, -torch.inf)),
        "the wrong side of the mask",
        "{seen}You listen to the padding alone: W_v times (3, 3) = (6, 12). The two real positions get "
        "nothing.",
        "the mask is the wrong way round",
        "`masked_fill` fills where its mask is True. Is that where you keep, or where you hide?",
    ),
    Mistake(
        "one-too-many",
        slip(pipeline, keep=lambda e, n: torch.arange(e.shape[-1]) <= n[:, None, None]),
        "off by one",
        "{seen}The memory has 2 real positions, 0 and 1. Position 2 is padding, and takes part in yours.",
        "the position `memory_lens` is kept too (`<=`)",
        "Positions count from 0: is 2 < 2?",
    ),
    Mistake(
        "one-too-few",
        _alone(
            keep=lambda e, n: (
                torch.arange(e.shape[-1]) < (n[:, None, None] - 1).clamp(min=0)
            )
        ),
        "off by one",
        "{seen}The memory has 2 real positions, 0 and 1. You hide position 1 as well, so that the first one, "
        "with the value (2, 1), is the only answer.",
        "the last real position is masked as well",
        "Which positions do two words fill, counted from 0?",
    ),
    Mistake(
        "from-the-right",
        _alone(
            keep=lambda e, n: (
                torch.arange(e.shape[-1]) >= e.shape[-1] - n[:, None, None]
            )
        ),
        "the other end",
        "{seen}You keep the *last* two positions of the memory. The padding stands at the end.",
        "the first positions are masked instead of the last",
        "Which of the positions 0, 1, 2 belong to a memory of two words?",
    ),
    Mistake(
        "queries-masked",
        _alone(
            keep=lambda e, n: (torch.arange(e.shape[1]) < n[:, None])[..., None],
            fill=lambda e, keep: e.masked_fill(~keep, -1e9),
        ),
        "whose lengths?",
        "{seen}`memory_lens` counts positions of the memory, the *keys*. You use it on the queries: the "
        "padding of the memory still answers.",
        "the mask runs along the queries instead of the keys",
        "In scores of shape (B, T, S), which axis has to do with the memory?",
    ),
    Mistake(
        "first-length-only",
        slip(pipeline, keep=lambda e, n: real_keys(e, n[:1].expand(len(n)))),
        "every memory has its own length",
        "{seen}The second memory is masked with the length of the first, 1.",
        "`memory_lens[0]` is used for the whole batch",
        "Which shape must the lengths have so that they meet scores of shape (B, T, S) along B?",
        example=two_sentences,
    ),
    Mistake(
        "longest-length",
        _alone(keep=lambda e, n: real_keys(e, n.max().expand(len(n)))),
        "every memory has its own length",
        "{seen}The first memory is masked with the length of the longest, 2.",
        "the largest of the lengths is used for the whole batch",
        "Which shape must the lengths have so that they meet scores of shape (B, T, S) along B?",
        example=two_sentences,
    ),
    Mistake(
        "shortest-length",
        _alone(keep=lambda e, n: real_keys(e, n.min().expand(len(n)))),
        "every memory has its own length",
        "{seen}The first memory is masked with the length of the shortest, 1.",
        "the smallest of the lengths is used for the whole batch",
        "Which shape must the lengths have so that they meet scores of shape (B, T, S) along B?",
        example=longer_first,
    ),
    Mistake(
        "padding-zeroed",
        _padding_zeroed,
        "a zero still answers",
        "{seen}You set the padding of the memory to zero. Its score is then 0, not −∞, and exp(0) = 1: it "
        "still takes a share of the attention, and hands on a value of 0.",
        "the padded positions of the memory are set to 0 instead of their scores to −∞",
        "For which score is exp(score) zero?",
    ),
    Mistake(
        "zero-fill",
        _alone(fill=lambda e, keep: e.masked_fill(~keep, 0)),
        "a score of zero is a score",
        "{seen}You set the score of the padding to 0, and exp(0) = 1: it still takes a share of the "
        "attention.",
        "the masked scores are set to 0 instead of −∞",
        "For which score is exp(score) zero?",
    ),
    Mistake(
        "mask-after-softmax",
        slip(pipeline, fill=unchanged, after=lambda a, keep: a * keep),
        "row sums",
        "{seen}You set the weight of the padding to 0 after the softmax. By then it had already taken its "
        "share: what is left does not sum to 1.",
        "the mask is applied after the softmax",
        "What would a score have to be for exp(score) to be zero *before* the sum is taken?",
    ),
    Mistake(
        "causal",
        slip(
            pipeline,
            fill=lambda e, keep: with_infinity(
                e, keep & (torch.ones_like(e).tril() == 1)
            ),
        ),
        "the memory is no future",
        "{seen}Your first query sees only the first position of the memory, as if what comes later in it "
        "were not there yet. But the memory has been read to its end before x asks.",
        "a causal mask is applied as well",
        "In a translation, may the first word of the answer depend on the last word of the question?",
    ),
    Mistake(
        "softmax-over-queries",
        _alone(normalise=lambda e: e.softmax(1)),
        "the wrong axis",
        "{seen}In yours each *key* shares itself out among the queries. Each query should share itself out "
        "among the keys.",
        "the softmax runs over the queries (dim=1)",
        "Which axis of (B, T, S) counts the keys?",
        example=nothing_padded,
    ),
    Mistake(
        "no-softmax",
        _alone(fill=lambda e, keep: e * keep, normalise=lambda e: e),
        "scores are no weights",
        "{seen}You average with the scores (0, 1.414) themselves: they do not sum to 1, and may be negative.",
        "the softmax is missing",
        "Which function makes shares out of scores?",
    ),
    Mistake(
        "weights-returned",
        slip(pipeline, gather=lambda a, v: a),
        "half-way",
        "{seen}These are the weights, and they are right. The values have not come in yet.",
        "the weights are returned",
        "What is done with the weights (B, T, S) and the values (B, S, D)?",
    ),
    Mistake(
        "softmax-twice",
        _alone(normalise=lambda e: e.softmax(-1).softmax(-1), after=lambda a, keep: a),
        "one softmax too many",
        "{seen}Two softmaxes follow each other: the first gives (0.196, 0.804, 0), and the second makes "
        "them nearly equal, the 0 of the padding included.",
        "the softmax is applied twice",
        "What is exp(0), and does the padding still get nothing?",
    ),
    Mistake(
        "key-not-transposed",
        lambda x, memory, W_q, W_k, W_v, memory_lens: (x @ W_q.T) @ (memory @ W_k.T),
        "rows and columns",
        "With {given} {line} raises {error}. A matrix product runs over the last axis of the first factor "
        "and the last but one of the second: here these are D = 2 and S = 3.",
        "the keys are not transposed",
        "The sum must run over the features of both. Which two axes of the keys must change places?",
        line=r"@|matmul|bmm|einsum",
    ),
    Mistake(
        "residual",
        lambda x, *rest: x + pipeline(x, *rest),
        "something is added",
        "{seen}The difference is x itself. Blocks add it around their attention; here the attention alone is "
        "asked for.",
        "x is added to the result",
        "Where does the sum with x come in?",
    ),
    Mistake(
        "wrong-lengths-axis",
        _mask_without_queries,
        "an axis is missing",
        "With {given} {line} raises {error}. The mask has the shape (B, S); laid on scores (B, T, S) from "
        "the right, its B would meet the T queries.",
        "the mask has no axis for the queries",
        "Which shape must (B, S) become, so that one row serves all queries of a sentence?",
        example=three_questions,
        line=r"mask|where|fill|\+|&",
    ),
    Mistake(
        "gradient-cut", lambda x, memory, *rest: solution(x, memory.detach(), *rest)
    ),
    Mistake("missing-axis", lambda *arguments: solution(*arguments).squeeze()),
)
