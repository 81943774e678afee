"""Answers to alignment-error, as readers write them; `verdicts.py` says how to read this file."""
# ruff: noqa (this is how people write)

import numpy as np
import torch


def argmax_links(weights):
    w = weights[:-1, :-1]
    return {(w[j].argmax().item(), j) for j in range(w.shape[0])}


# === right
def aer_by_sets(weights, sure, possible):
    a, s, p = argmax_links(weights), set(sure), set(possible)
    return 1 - (len(a & s) + len(a & p)) / (len(a) + len(s))


# === right
def aer_by_loops(weights, sure, possible):
    good = 0
    n = len(weights) - 1
    for j in range(n):
        best = 0
        for i in range(weights.shape[1] - 1):
            if weights[j, i] > weights[j, best]:
                best = i
        if (best, j) in sure:
            good += 1
        if (best, j) in possible:
            good += 1
    return 1 - good / (n + len(sure))


# === right
def aer_with_numpy(weights, sure, possible):
    table = np.array(weights.tolist())[:-1, :-1]
    found = list(zip(table.argmax(1).tolist(), range(len(table))))
    right = sum(link in sure for link in found) + sum(link in possible for link in found)
    return 1.0 - right / (len(found) + len(sure))


# === right
def aer_of_the_book(weights, sure, possible):
    from attnbook.translation import alignment_error_rate, hard_alignment

    return alignment_error_rate(hard_alignment(weights[:-1, :-1]), set(sure), set(possible))


# === right
def aer_by_max(weights, sure, possible):
    values, index = weights[:-1, :-1].max(-1)
    found = {(int(i), j) for j, i in enumerate(index)}
    wrong = len(found) + len(sure) - len(found.intersection(sure)) - len(found.intersection(possible))
    return wrong / (len(found) + len(sure))


# === right
def aer_with_minus_infinity(weights, sure, possible):
    w = weights.clone()
    w[:, -1] = -float("inf")
    found = {(i, j) for j, i in enumerate(w.argmax(1).tolist()[:-1])}
    return 1 - (len(found & set(sure)) + len(found & set(possible))) / (len(found) + len(sure))


# === wrong eos-kept
def aer_whole_table(weights, sure, possible):
    a = {(i, j) for j, i in enumerate(weights.argmax(-1).tolist())}
    return 1 - (len(a & set(sure)) + len(a & set(possible))) / (len(a) + len(sure))


# === wrong eos-column-kept
def aer_rows_cut(weights, sure, possible):
    a = {(i, j) for j, i in enumerate(weights[:-1].argmax(-1).tolist())}
    return 1 - (len(a & set(sure)) + len(a & set(possible))) / (len(a) + len(sure))


# === wrong eos-row-kept
def aer_columns_cut(weights, sure, possible):
    a = {(i, j) for j, i in enumerate(weights[:, :-1].argmax(-1).tolist())}
    return 1 - (len(a & set(sure)) + len(a & set(possible))) / (len(a) + len(sure))


# === wrong eos-links-dropped
def aer_drops_eos(weights, sure, possible):
    a = set()
    for j in range(weights.shape[0] - 1):
        i = weights[j].argmax().item()
        if i != weights.shape[1] - 1:
            a.add((i, j))
    return 1 - (len(a & set(sure)) + len(a & set(possible))) / (len(a) + len(sure))


# === wrong wrong-axis
def aer_dim_zero(weights, sure, possible):
    w = weights[:-1, :-1]
    a = {(i, w[:, i].argmax().item()) for i in range(w.shape[1])}
    return 1 - (len(a & set(sure)) + len(a & set(possible))) / (len(a) + len(sure))


# === wrong wrong-axis
def aer_dim_zero_batched(weights, sure, possible):
    a = set(enumerate(weights[:-1, :-1].argmax(0).tolist()))
    return 1 - (len(a & set(sure)) + len(a & set(possible))) / (len(a) + len(sure))


# === wrong links-turned
def aer_target_first(weights, sure, possible):
    a = set(enumerate(weights[:-1, :-1].argmax(1).tolist()))
    return 1 - (len(a & set(sure)) + len(a & set(possible))) / (len(a) + len(sure))


# === wrong sure-only
def aer_is_one_minus_f1(weights, sure, possible):
    a, s = argmax_links(weights), set(sure)
    precision, recall = len(a & s) / len(a), len(a & s) / max(len(s), 1)
    if precision + recall == 0:
        return 1.0
    return 1 - 2 * precision * recall / (precision + recall)


# === wrong sure-only
def aer_forgets_possible(weights, sure, possible):
    a, s = argmax_links(weights), set(sure)
    return 1 - 2 * len(a & s) / (len(a) + len(s))


# === wrong possible-only
def aer_forgets_sure(weights, sure, possible):
    a, p = argmax_links(weights), set(possible)
    return 1 - (len(a & p) + len(a & p)) / (len(a) + len(sure))


# === wrong sure-once
def aer_disjoint(weights, sure, possible):
    a, s = argmax_links(weights), set(sure)
    p = set(possible) - s
    return 1 - (len(a & s) + len(a & p)) / (len(a) + len(s))


# === wrong sure-once
def aer_counts_hits(weights, sure, possible):
    a = argmax_links(weights)
    hits = sum(link in possible for link in a)
    return 1 - hits / (len(a) + len(sure))


# === wrong possible-below
def aer_over_possible(weights, sure, possible):
    a, s, p = argmax_links(weights), set(sure), set(possible)
    return 1 - (len(a & s) + len(a & p)) / (len(a) + len(p))


# === wrong all-three-below
def aer_over_all(weights, sure, possible):
    a, s, p = argmax_links(weights), set(sure), set(possible)
    return 1 - (len(a & s) + len(a & p)) / (len(a) + len(s) + len(p))


# === wrong not-subtracted
def aer_is_accuracy(weights, sure, possible):
    a, s, p = argmax_links(weights), set(sure), set(possible)
    return (len(a & s) + len(a & p)) / (len(a) + len(s))


# === wrong precision
def aer_share_of_wrong_links(weights, sure, possible):
    a = argmax_links(weights)
    return sum(link not in possible for link in a) / len(a)


# === wrong recall
def aer_share_of_missed(weights, sure, possible):
    a = argmax_links(weights)
    if not sure:
        return 1.0
    return sum(link not in a for link in sure) / len(sure)


# === wrong percent
def aer_in_percent(weights, sure, possible):
    a, s, p = argmax_links(weights), set(sure), set(possible)
    return 100 * (1 - (len(a & s) + len(a & p)) / (len(a) + len(s)))


# === wrong every-large-weight
def aer_half_of_largest(weights, sure, possible):
    w = weights[:-1, :-1]
    big = w >= 0.5 * w.max(1, keepdim=True).values
    a = {(i, j) for j, i in big.nonzero().tolist()}
    return 1 - (len(a & set(sure)) + len(a & set(possible))) / (len(a) + len(sure))


# === wrong unknown
def aer_threshold(weights, sure, possible):
    a = {(i, j) for j, i in (weights[:-1, :-1] > 0.5).nonzero().tolist()}
    return 1 - (len(a & set(sure)) + len(a & set(possible))) / max(len(a) + len(sure), 1)


# === wrong unknown
def aer_union(weights, sure, possible):
    a, s, p = argmax_links(weights), set(sure), set(possible)
    return 1 - (len(a | s) + len(a | p)) / (len(a) + len(s))


# === wrong eos-kept + links-turned
def aer_enumerates_everything(weights, sure, possible):
    a = set(enumerate(weights.argmax(1).tolist()))
    return 1 - (len(a & set(sure)) + len(a & set(possible))) / (len(a) + len(sure))


# === wrong returns-a-tuple
def aer_with_links(weights, sure, possible):
    a, s, p = argmax_links(weights), set(sure), set(possible)
    return 1 - (len(a & s) + len(a & p)) / (len(a) + len(s)), a


# === wrong always-the-same
def alignment_error_zero_unseen_3(weights, sure, possible):
    return 0.0


# === wrong links-of-tensors
def aer_set_of_tensors(weights, sure, possible):
    A = set()
    for t in range(weights.shape[0] - 1):
        A.add((weights[t, :-1].argmax(), t))
    S, P = set(sure), set(possible)
    return 1 - (len(A & S) + len(A & P)) / (len(A) + len(S))


# === wrong unknown
def fresh_threshold(weights, sure, possible):
    w = weights[:-1, :-1]
    A = {(i, j) for j in range(w.shape[0]) for i in range(w.shape[1]) if w[j, i] > 0.5}
    return 1 - (len(A & set(sure)) + len(A & set(possible))) / max(len(A) + len(sure), 1)


# === wrong eos-column-kept
def fresh_eos_in(weights, sure, possible):
    A = {(int(row.argmax()), j) for j, row in enumerate(weights[:-1])}
    return 1 - (len(A & set(sure)) + len(A & set(possible))) / (len(A) + len(sure))


# === right
def fresh_loop(weights, sure, possible):
    hits, T = 0, weights.shape[0] - 1
    for j in range(T):
        link = (int(weights[j, :-1].argmax()), j)
        hits += (link in sure) + (link in possible)
    return 1 - hits / (T + len(sure))
