"""What the numbers in the texts of the exercises on translation are computed from; see `test_exercise_numbers`."""

import math

import torch

from attnbook.exercises.bank import SHELF, bleu_steps, length_penalty_steps

t = torch.tensor
LOG2 = math.log(2)


def _masked_loss():
    surprises = t([1.0, 2, 3, 4]) * LOG2  # of probabilities 1/2, 1/4, 1/8, 1/16
    return [
        surprises, surprises[:3].sum(), surprises.sum(), surprises.mean(), surprises[:2].mean(), surprises[:3].mean(),
        math.log(3),
    ]  # fmt: skip


def _bleu():
    short = SHELF.get("bleu").solution(["the", "cat"], [["the", "cat", "sat"]], 2)
    return [short, bleu_steps.short()[2], 1 - 6 / 4, (6 + 7) / 2]


def _bahdanau_step():
    example = SHELF.get("bahdanau-step").example()
    return [
        *(value for _, value in SHELF.get("bahdanau-step").steps(*example)),
        math.sqrt(2),
    ]


def _fill_alignment():
    return [SHELF.get("fill-alignment").example()[0], 0.5, 0.6]


def _label_smoothing():
    even, right = t([9 / 4, 2.0]) * LOG2, t([1.0, 2.0]) * LOG2
    return [even, right, 0.2, 0.8, 0.05, 0.8 + 3 * 0.05, 0.8 + 4 * 0.2, 1.2, 0.1]


def _beam_search():
    return [0.1, 0.5, 0.4, 0.3, 0.9, 0.05, 0.4 * 0.9, 0.6, 0.6 * 0.6, 0.3 * 0.9]


def _length_penalty():
    pairs, _ = length_penalty_steps.example()
    factors = [length_penalty_steps.factor(n, 1.0) for _, n in pairs]
    roots = [length_penalty_steps.factor(n, 0.5) for _, n in pairs]
    by_hand = [log_prob for log_prob, _ in pairs]
    return [
        0.5, *by_hand, *factors, *roots, *(p / f for p, f in zip(by_hand, factors, strict=True)),
        *(p / f for p, f in zip(by_hand, roots, strict=True)), length_penalty_steps.factor(16, 0.5),
        -3.5, -3.5 / length_penalty_steps.factor(16, 0.5), -1.19, -1.19 / length_penalty_steps.factor(2, 1.0),
        5 + 1 / 6, 5 + 13 / 6,
    ]  # fmt: skip


def _top_p():
    probs, p = SHELF.get("top-p").example()
    exactly, reached = SHELF.get("top-p").edges()[0]
    ranked = probs.sort(descending=True).values
    return [
        probs, p, ranked.cumsum(0), SHELF.get("top-p").solution(probs, p), 1 - p, p * 0.5, exactly, reached, 0.9,
    ]  # fmt: skip


def _key_value_cache():
    return [math.sqrt(2), math.sqrt(3)]


TRANSLATION = {
    "masked-loss": _masked_loss,
    "bleu": _bleu,
    "bahdanau-step": _bahdanau_step,
    "fill-alignment": _fill_alignment,
    "label-smoothing": _label_smoothing,
    "beam-search": _beam_search,
    "length-penalty": _length_penalty,
    "top-p": _top_p,
    "key-value-cache": _key_value_cache,
}
