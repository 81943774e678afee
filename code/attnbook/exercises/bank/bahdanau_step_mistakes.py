"""Exercise bahdanau-step: the mistakes that the checker knows by name."""

from __future__ import annotations

import torch

from ..legacy import Mistake, slip
from .bahdanau_step_parts import (
    both_full,
    four_features,
    gather,
    longer_first,
    pipeline,
    real_words,
    solution,
    two_sentences,
)


def _unfilled(scores, keep):
    return scores


def _dot(query, keys, w_v):
    return (query[:, None] * keys).sum(-1)


def _maps_exchanged(state, memory, lens, W_q, W_k, w_v):
    query = state[-1] @ W_k.T
    return solution(state, memory, lens, W_k, W_q, w_v + 0 * query.sum())


def _not_transposed(state, memory, lens, W_q, W_k, w_v):
    query = state[-1] @ W_q
    return solution(state, memory, lens, W_k, W_q, w_v + 0 * query.sum())


def _written_into(state, memory, lens, W_q, W_k, w_v):
    context, weights = solution(state, memory, lens, W_q, W_k, w_v)
    memory[torch.arange(memory.shape[1]) >= lens[:, None]] = 0
    return context, weights


def _same_query_for_all(query, keys, w_v):
    return torch.tanh(query[:1, None] + keys) @ w_v


GIVEN = (
    "The top layer's query is (1, 0); the keys of the two words are (0, 2) and (1, 0), and (3, 3) that of the padding. "
    "Context and weights, one behind the other, are {got}; right is {expected}.\n"
)
BATCH = "With two sentences context and weights, one behind the other, are\n    {got};\nright is\n    {expected}.\n"

WRONG = (
    Mistake(
        "bottom-layer",
        slip(pipeline, ask=lambda state: state[0]),
        "which layer asks?",
        GIVEN
        + "Your query is (5, 0): that of `state[0]`, the *bottom* layer. It sees the word that was read; the top "
        "layer knows what the decoder makes of it, and is what the next word is predicted from.",
        "the bottom layer's state asks",
        "With L layers, which index has the last?",
    ),
    Mistake(
        "layers-averaged",
        slip(pipeline, ask=lambda state: state.mean(0)),
        "which layer asks?",
        GIVEN + "Your query is (3, 0): the mean of the layers' states, 5 and 1.",
        "the mean over the layers asks",
        "Which of the layers is meant by the top one?",
    ),
    Mistake(
        "layers-summed",
        slip(pipeline, ask=lambda state: state.sum(0)),
        "which layer asks?",
        GIVEN + "Your query is (6, 0): the sum of the layers' states, 5 and 1.",
        "the sum over the layers asks",
        "Which of the layers is meant by the top one?",
    ),
    Mistake(
        "no-tanh",
        slip(pipeline, score=lambda q, k, w: (q[:, None] + k) @ w),
        "nothing bends",
        GIVEN
        + "Your scores are 3 and 2, without tanh. They are then the sum of a number for the query and one for "
        "the key, and the softmax cancels the query's: every word of the translation would look at the same places.",
        "the tanh is missing",
        "What becomes of exp(a + b)/Σ exp(a + b′), if a is the same in all terms?",
    ),
    Mistake(
        "tanh-of-the-score",
        slip(pipeline, score=lambda q, k, w: torch.tanh((q[:, None] + k) @ w)),
        "tanh too late",
        GIVEN
        + "You bend the finished scores, tanh 3 and tanh 2. No score can then be larger than 1, and none can win "
        "clearly.",
        "tanh is taken of the score, behind w_v",
        "In the formula, what stands inside the brackets of tanh?",
    ),
    Mistake(
        "tanh-of-each",
        slip(pipeline, score=lambda q, k, w: (q.tanh()[:, None] + k.tanh()) @ w),
        "tanh too early",
        GIVEN
        + "Your weights are those of tanh of the keys alone: the decoder's state makes no difference. Either the "
        "query is not added, or you bend query and key each for itself and then add: the query's part is then the same "
        "for all words, and the softmax cancels it.",
        "tanh is taken before query and key are added (or the query is missing)",
        "In the formula, what stands inside the brackets of tanh?",
    ),
    Mistake(
        "sigmoid-for-tanh",
        slip(pipeline, score=lambda q, k, w: torch.sigmoid(q[:, None] + k) @ w),
        "another curve",
        GIVEN + "You take a sigmoid, from 0 to 1, where tanh goes from −1 to 1.",
        "a sigmoid stands where tanh should",
        "What is tanh(0), and what is yours?",
    ),
    Mistake(
        "relu-for-tanh",
        slip(pipeline, score=lambda q, k, w: torch.relu(q[:, None] + k) @ w),
        "another curve",
        GIVEN
        + "You take max(0, x), which has no upper end, where tanh levels off at 1. (Here every sum is positive, and "
        "nothing is bent at all.)",
        "a ReLU stands where tanh should",
        "What is tanh(2), and what is yours?",
    ),
    Mistake(
        "dot-product",
        slip(pipeline, score=_dot),
        "another score",
        GIVEN
        + "Your scores are 0 and 1, the dot products of query and keys: that is Luong's attention. w_v makes no "
        "difference.",
        "query and key are multiplied instead of added",
        "Which sign stands between W_q s and W_k h in the formula?",
    ),
    Mistake(
        "w_v-forgotten",
        slip(pipeline, score=lambda q, k, w: torch.tanh(q[:, None] + k).sum(-1)),
        "one vector is missing",
        "With w_v = (2, −1) context and weights, one behind the other, are {got}; right is {expected}. "
        "You sum over the "
        "hidden units without weighing them.",
        "the hidden units are summed without w_v",
        "How do h numbers become one score in the formula?",
        example=lambda: (
            *two_sentences()[:5],
            torch.tensor([2.0, -1.0], dtype=torch.float64),
        ),
    ),
    Mistake(
        "keys-forgotten",
        slip(pipeline, score=lambda q, k, w: torch.tanh(q[:, None] + 0 * k) @ w),
        "nobody answers",
        GIVEN
        + "All your scores are equal: the keys do not enter, and every word gets the same weight.",
        "the keys do not enter the scores",
        "What does each encoder state contribute to the sum inside tanh?",
    ),
    Mistake(
        "keys-averaged",
        slip(pipeline, average=lambda a, memory, keys: gather(a, keys, keys)),
        "keys for values",
        GIVEN
        + "Your weights are right, but you average the *projected* states, (0, 2) and (1, 0). They are for "
        "comparing; what is handed on are the states themselves, (2, 0) and (0, 1).",
        "the projected keys are averaged instead of the encoder's states",
        "Which of your tensors has the last axis Dk?",
    ),
    Mistake(
        "padding-attended",
        slip(pipeline, fill=_unfilled),
        "attention to the padding",
        GIVEN
        + "The padding, (3, 3), gets the largest of your weights. The same sentence would be translated "
        "differently beside a longer one.",
        "the lengths make no difference to the weights",
        "Where does `lens` enter your code?",
    ),
    Mistake(
        "mask-after-softmax",
        slip(pipeline, fill=_unfilled, after=lambda a, keep: a * keep),
        "row sums",
        GIVEN
        + "Your weights of the real words do not sum to 1: the padding had taken its share of the sum before "
        "it was set to 0.",
        "the weights are masked after the softmax",
        "What would a score have to be for exp(score) to be zero *before* the sum is taken?",
    ),
    Mistake(
        "zero-fill",
        slip(pipeline, fill=lambda e, keep: e * keep),
        "a score of zero is a score",
        GIVEN + "You set the padding's score to 0, and exp(0) is 1: it keeps a share.",
        "the padding's scores are set to 0 before the softmax",
        "For which score is exp(score) zero?",
    ),
    Mistake(
        "inverted",
        slip(pipeline, keep=lambda e, n: ~real_words(e, n)),
        "the wrong side of the mask",
        GIVEN + "The words get nothing in yours, and the padding gets everything.",
        "the mask is the wrong way round",
        "Does True in your mask mean *may be attended to* or *is padding*?",
    ),
    Mistake(
        "one-too-many",
        slip(pipeline, keep=lambda e, n: torch.arange(e.shape[1]) <= n[:, None]),
        "off by one",
        GIVEN
        + "Three positions get a weight in yours. Two words stand at positions 0 and 1.",
        "the position `lens[b]` is kept, too (`<=`)",
        "Positions count from 0: is 2 < 2?",
    ),
    Mistake(
        "first-length-only",
        slip(pipeline, keep=lambda e, n: real_words(e, n[:1].expand(len(n)))),
        "every sentence has its own length",
        BATCH
        + "The second sentence, which has two words, is masked with the length of the first, 1.",
        "`lens[0]` is used for the whole batch",
        "Which shape must the lengths have so that they meet scores of shape (B, S) along B?",
        example=two_sentences,
    ),
    Mistake(
        "longest-length",
        slip(pipeline, keep=lambda e, n: real_words(e, n.max().expand(len(n)))),
        "every sentence has its own length",
        BATCH
        + "The first sentence, which has one word, is masked with the length of the longest, 2.",
        "the largest of the lengths is used for the whole batch",
        "Which shape must the lengths have so that they meet scores of shape (B, S) along B?",
        example=two_sentences,
    ),
    Mistake(
        "first-query-for-all",
        slip(pipeline, score=_same_query_for_all),
        "every sentence has its own decoder",
        BATCH
        + "Both sentences are asked by the first sentence's state, 1; the second one's is −1.",
        "the first sentence's query is used for all",
        "Which index picks one sentence of the batch instead of one layer?",
        example=both_full,
    ),
    Mistake(
        "softmax-over-batch",
        slip(pipeline, normalise=lambda e: e.softmax(0)),
        "the axis",
        BATCH
        + "Your weights sum to 1 over the *sentences*, which have nothing to do with each other.",
        "the softmax runs over the batch (dim=0)",
        "In scores of shape (B, S), which axis counts the words that are looked at?",
        example=longer_first,
    ),
    Mistake(
        "scaled",
        slip(pipeline, scale=lambda e, state, h: e / h**0.5),
        "a scale too many",
        GIVEN
        + "You divide the scores by √h, here 1.414. Dot products grow with the number of features and need it; "
        "additive scores are weighed by w_v, and the formula has no such factor.",
        "the scores are divided by √h",
        "Does the formula of this score have a root in it?",
    ),
    Mistake(
        "scaled-by-the-state",
        slip(pipeline, scale=lambda e, state, h: e / state.shape[-1] ** 0.5),
        "a scale too many",
        "With a state of four features context and weights, one behind the other, are {got}; right is {expected}. You "
        "divide the scores by √D, here 2. Dot products grow with the number of features and need it; this formula has "
        "no such factor.",
        "the scores are divided by √D",
        "Does the formula of this score have a root in it?",
        example=four_features,
    ),
    Mistake(
        "no-softmax",
        slip(pipeline, normalise=torch.exp),
        "weights that do not sum to 1",
        GIVEN + "Your weights are exponentials that are not divided by their sum.",
        "the exponentials are not normalised",
        "Over which axis do you add up what you divide by?",
    ),
    Mistake(
        "scores-for-weights",
        slip(pipeline, hand_out=lambda e, a: e),
        "what is handed out",
        GIVEN
        + "Your context is right. But beside it you return the masked *scores*, with −∞ for the padding; the "
        "weights sum to 1.",
        "the scores are returned instead of the weights",
        "Which of your tensors was multiplied with the memory?",
    ),
    Mistake(
        "context-divided",
        slip(
            pipeline,
            average=lambda a, memory, keys: gather(a, memory, keys) / memory.shape[1],
        ),
        "a mean too many",
        GIVEN
        + "Your context is a third of the right one: a mean over the S positions stands where a sum should. The "
        "weights sum to 1 and need no further division.",
        "the weighted states are averaged over S instead of summed",
        "Which line takes a mean, and what do the weights sum to already?",
    ),
    Mistake(
        "most-attended-state",
        slip(
            pipeline,
            average=lambda a, memory, keys: memory[torch.arange(len(a)), a.argmax(1)],
        ),
        "one state instead of an average",
        GIVEN
        + "Your context is the state of the word with the largest weight. That is hard attention, and no gradient "
        "would reach the weights.",
        "the context is the most attended state alone",
        "What is done with the other words' weights?",
    ),
    Mistake(
        "maps-exchanged",
        _maps_exchanged,
        "W_q and W_k in each other's place",
        "With {given} {line} raises {error}. W_q (h, D) belongs to the decoder's state, whose last axis is D; W_k "
        "(h, Dk) to the encoder's states.",
        "W_q and W_k have changed places",
        "Which matrix has as many columns as the tensor has features?",
        line=r"@|matmul|einsum|linear",
    ),
    Mistake(
        "not-transposed",
        _not_transposed,
        "the axes of W_q",
        "With {given} {line} raises {error}. W_q is (h, D), as a linear layer keeps its weight: (outputs, inputs). The "
        "state's last axis, D, must meet its *second* one.",
        "W_q is applied as `state @ W_q`",
        "What turns (h, D) into (D, h)?",
        line=r"@|matmul|einsum|linear",
    ),
    Mistake("order-of-results", lambda *arguments: solution(*arguments)[::-1]),
    Mistake("one-thing-only", lambda *arguments: solution(*arguments)[0]),
    Mistake("writes-into-argument", _written_into),
    Mistake("gradient-cut", lambda state, *others: solution(state.detach(), *others)),
)
