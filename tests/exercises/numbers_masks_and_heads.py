"""What the numbers in the texts of the exercises on masks and heads are computed from; see `test_exercise_numbers`."""

import torch

from attnbook.exercises.bank import SHELF

t = torch.tensor
WHOLE_NUMBERS_ONLY = {"causal-mask", "padding-and-causal", "parameter-budget"}


def _masks():
    return [1, 0]


def _cross_attention():
    x, memory, W_q, W_k, W_v, lengths = SHELF.get("cross-attention").example()
    scores = (x @ W_q.T) @ (memory @ W_k.T).mT  # (1, 2, 3)
    kept = scores[0, 0, :2]
    return [
        scores, scores / 2**0.5, kept.softmax(0), (kept / 2**0.5).softmax(0), kept * 2**0.5, 2**-0.5,
        SHELF.get("cross-attention").solution(x, memory, W_q, W_k, W_v, lengths),
    ]  # fmt: skip


def _heads():
    return [2**0.5]


def _torch_weights():
    return [2**0.5]


def _parameter_budget():
    return [4 * 10 * 10]


MASKS_AND_HEADS = {
    "causal-mask": _masks,
    "padding-and-causal": _masks,
    "cross-attention": _cross_attention,
    "split-heads": _heads,
    "merge-heads": _heads,
    "torch-weights": _torch_weights,
    "parameter-budget": _parameter_budget,
}
