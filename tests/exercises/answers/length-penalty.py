"""Answers to length-penalty, as readers write them; `verdicts.py` says how to read this file."""
# ruff: noqa (this is how people write)

import math

import numpy as np
import torch


def argmax(scores):
    return max(range(len(scores)), key=scores.__getitem__)


def lp(length, alpha):
    return ((5 + length) / 6) ** alpha


# === right
def penalty_by_a_loop(candidates, alpha):
    best, where = -math.inf, None
    for i, (log_prob, length) in enumerate(candidates):
        score = log_prob / math.pow((5 + length) / 6, alpha)
        if score > best:
            best, where = score, i
    return where


# === right
def penalty_by_max(candidates, alpha):
    return max(
        range(len(candidates)),
        key=lambda i: candidates[i][0] / ((5 + candidates[i][1]) / 6) ** alpha,
    )


# === right
def penalty_without_the_six(candidates, alpha):
    scores = [lp / (5 + n) ** alpha for lp, n in candidates]  # 6^α is the same for all
    return int(np.argmax(scores))


# === right
def penalty_by_torch(candidates, alpha):
    log_probs, lengths = torch.tensor(
        [list(pair) for pair in candidates], dtype=torch.float64
    ).T
    return (log_probs * ((5 + lengths) / 6).pow(-alpha)).argmax().item()


# === right
def penalty_by_sorting(candidates, alpha):
    ranking = sorted(
        enumerate(candidates),
        key=lambda pair: pair[1][0] / ((5 + pair[1][1]) / 6) ** alpha,
    )
    return ranking[-1][0]


# === right
def penalty_of_the_book(candidates, alpha):
    from attnbook.translation.decoding import length_penalty_factor

    scores = [lp / length_penalty_factor(n, alpha) for lp, n in candidates]
    return scores.index(max(scores))


# === wrong no-penalty
def penalty_forgotten(candidates, alpha):
    return argmax([p for p, n in candidates])


# === wrong divided-by-the-length
def penalty_by_length(candidates, alpha):
    return argmax([p / n for p, n in candidates])


# === wrong power-of-the-length
def penalty_by_power_of_length(candidates, alpha):
    return argmax([p / n**alpha for p, n in candidates])


# === wrong power-of-the-length
def penalty_over_six(candidates, alpha):
    return argmax([p / (n / 6) ** alpha for p, n in candidates])


# === wrong multiplied
def penalty_multiplied(candidates, alpha):
    return argmax([p * lp(n, alpha) for p, n in candidates])


# === wrong multiplied
def penalty_with_minus_alpha(candidates, alpha):
    return argmax([p / lp(n, -alpha) for p, n in candidates])


# === wrong the-worst
def penalty_of_the_worst(candidates, alpha):
    scores = [p / lp(n, alpha) for p, n in candidates]
    return scores.index(min(scores))


# === wrong the-worst
def penalty_of_absolute_values(candidates, alpha):
    return argmax([abs(p) / lp(n, alpha) for p, n in candidates])


# === wrong alpha-ignored
def penalty_without_alpha(candidates, alpha):
    return argmax([p / ((5 + n) / 6) for p, n in candidates])


# === wrong alpha-ignored
def penalty_times_alpha(candidates, alpha):
    return argmax([p / (alpha * (5 + n) / 6) for p, n in candidates])


# === wrong five-outside-the-fraction
def penalty_without_brackets(candidates, alpha):
    return argmax([p / (5 + n / 6) ** alpha for p, n in candidates])


# === wrong alpha-ignored
def penalty_power_first(candidates, alpha):
    return argmax([p / (5 + n) / 6**alpha for p, n in candidates])


# === wrong power-inside
def penalty_divides_in_a_row(candidates, alpha):
    return argmax([p / ((5 + n**alpha) / 6) for p, n in candidates])


# === wrong added
def penalty_as_a_reward(candidates, alpha):
    return argmax([p + alpha * n for p, n in candidates])


# === wrong subtracted
def penalty_subtracts(candidates, alpha):
    return argmax([p - lp(n, alpha) for p, n in candidates])


# === wrong probabilities-divided
def penalty_of_probabilities(candidates, alpha):
    return argmax([math.exp(p) / lp(n, alpha) for p, n in candidates])


# === wrong another-winner
def penalty_with_log(candidates, alpha):
    return argmax([p / math.log(5 + n) ** alpha for p, n in candidates])


# === wrong another-winner
def penalty_root(candidates, alpha):
    return argmax([p / lp(n, alpha / 2) for p, n in candidates])


# === wrong returns-a-tuple
def penalty_returns_the_pair(candidates, alpha):
    return max(candidates, key=lambda c: c[0] / lp(c[1], alpha))


# === wrong the-score
def penalty_returns_the_score(candidates, alpha):
    return max(p / lp(n, alpha) for p, n in candidates)


# === wrong the-length
def penalty_returns_the_length(candidates, alpha):
    return max(candidates, key=lambda c: c[0] / lp(c[1], alpha))[1]


# === wrong place-in-the-ranking
def penalty_sorts_first(candidates, alpha):
    candidates = sorted(candidates, key=lambda c: c[0] / lp(c[1], alpha), reverse=True)
    return candidates.index(candidates[0])


# === wrong writes-into-argument
def penalty_sorts_in_place(candidates, alpha):
    before = list(candidates)
    candidates.sort(key=lambda c: c[0] / lp(c[1], alpha))
    return before.index(candidates[-1])


# === wrong counted-from-one
def penalty_from_one(candidates, alpha):
    return 1 + argmax([p / lp(n, alpha) for p, n in candidates])


# === wrong a-tensor
def penalty_as_a_tensor(candidates, alpha):
    return torch.tensor([p / lp(n, alpha) for p, n in candidates]).argmax()


# === wrong a-float
def penalty_as_a_float(candidates, alpha):
    best = torch.tensor([p / lp(n, alpha) for p, n in candidates]).max(0)
    return float(best.indices)


# === wrong raises
def penalty_unpacks_the_list(candidates, alpha):
    log_prob, length = candidates
    return log_prob / lp(length, alpha)


# === wrong raises
def penalty_swaps_the_pair(candidates, alpha):
    return argmax([p / lp(n, alpha) for n, p in candidates])


# === wrong end-not-counted
def penalty_counts_without_the_end(candidates, alpha):
    return argmax([p / ((5 + n - 1) / 6) ** alpha for p, n in candidates])


# === wrong prints
def penalty_prints(candidates, alpha):
    print(argmax([p / lp(n, alpha) for p, n in candidates]))


# === wrong returns-a-list
def penalty_returns_all_scores(candidates, alpha):
    return [p / lp(n, alpha) for p, n in candidates]


# === wrong another-winner
def penalty_adds_alpha_to_the_divisor(candidates, alpha):
    return argmax([p / ((5 + n) / 6 + alpha) for p, n in candidates])


# === wrong writes-into-argument
def penalty_pops(candidates, alpha):
    scores = []
    while candidates:
        p, n = candidates.pop(0)
        scores.append(p / lp(n, alpha))
    return argmax(scores)
