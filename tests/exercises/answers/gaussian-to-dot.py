"""Answers to gaussian-to-dot, as readers write them; `verdicts.py` says how to read this file."""
# ruff: noqa (this is how people write)

import math

import torch
import torch.nn.functional as F


# === right
def gaussian_short(query, key):
    return (query @ key.T - key.square().sum(1) / 2).softmax(1)


# === right
def gaussian_with_the_query_norm(query, key):
    squares = query.pow(2).sum(1, keepdim=True) - 2 * query @ key.T + key.pow(2).sum(1)
    return F.softmax(-squares / 2, dim=-1)


# === wrong not-finite
def gaussian_kernel_and_sum(query, key):
    kernel = torch.exp(query @ key.T) * torch.exp(-(key.norm(dim=1) ** 2) / 2)
    return kernel / kernel.sum(dim=1, keepdim=True)


# === right
def gaussian_einsum(query, key):
    scores = torch.einsum("td,sd->ts", query, key) - 0.5 * torch.einsum("sd,sd->s", key, key)
    return torch.softmax(scores, -1)


# === wrong exp-overflows
def gaussian_loops(query, key):
    rows = []
    for q in query:
        scores = torch.stack([torch.dot(q, k) - torch.dot(k, k) / 2 for k in key])
        rows.append(scores.exp() / scores.exp().sum())
    return torch.stack(rows)


# === right
def gaussian_gram_diagonal(query, key):
    return (query @ key.mT - torch.diag(key @ key.mT) / 2).softmax(-1)


# === right
def gaussian_dot_by_broadcasting(query, key):
    return ((query[:, None, :] * key).sum(-1) - (key * key).sum(-1) / 2).softmax(-1)


# === wrong norms-forgotten + scaled
def gaussian_norms_forgotten_scaled(query, key):
    return (query @ key.T / math.sqrt(query.shape[1])).softmax(-1)


# === wrong norms-forgotten
def gaussian_norms_forgotten(query, key):
    return (query @ key.T - 0.5 * key.norm() ** 2).softmax(-1)


# === wrong raises
def gaussian_raises(query, key):
    return (query @ key.T - 0.5 * (key**2).sum(0)).softmax(-1)


# === wrong raises
def gaussian_raises_2(query, key):
    return (query @ key.T - 0.5 * (key**2).sum(1, keepdim=True)).softmax(-1)


# === wrong norms-forgotten
def gaussian_norms_forgotten_2(query, key):
    return (query @ key.T - 0.5 * (query**2).sum(1, keepdim=True)).softmax(-1)


# === wrong outer-half-missing
def gaussian_outer_half_missing(query, key):
    d = (query**2).sum(1, keepdim=True) + (key**2).sum(1) - 2 * query @ key.T
    return (-d).softmax(-1)


# === wrong kernel-returned
def gaussian_kernel_returned(query, key):
    d = (query**2).sum(1, keepdim=True) + (key**2).sum(1) - 2 * query @ key.T
    return torch.exp(-d / 2)


# === wrong half-distance
def gaussian_half_distance(query, key):
    d = (query**2).sum(1, keepdim=True) + (key**2).sum(1) - 2 * query @ key.T
    return (-d.sqrt() / 2).softmax(-1)


# === wrong norm-added + sign
def gaussian_norm_added_sign(query, key):
    d = (query**2).sum(1, keepdim=True) + (key**2).sum(1) + 2 * query @ key.T
    return (-d / 2).softmax(-1)


# === wrong kernel-over-queries
def gaussian_kernel_over_queries(query, key):
    d = (query**2).sum(1, keepdim=True) + (key**2).sum(1) - 2 * query @ key.T
    k = torch.exp(-d / 2)
    return k / k.sum(0)


# === wrong kernel-returned + softmax-on-top
def gaussian_kernel_returned_softmax_on_top(query, key):
    return torch.stack([torch.stack([torch.exp(-(q - k) @ (q - k) / 2) for k in key]) for q in query]).softmax(-1)


# === wrong exp-only + softmax-on-top
def gaussian_exp_only_softmax_on_top(query, key):
    return torch.exp(query @ key.T - 0.5 * (key**2).sum(1)).softmax(-1)


# === wrong exp-only
def gaussian_exp_only(query, key):
    return torch.exp(query @ key.T) / torch.exp((key**2).sum(1) / 2)


# === wrong weights-do-not-sum-to-one
def gaussian_weights_do_not_sum_to_one(query, key):
    return (query @ key.T).softmax(-1) * torch.exp(-(key**2).sum(-1) / 2)


# === wrong not-finite
def gaussian_uses_distances(query, key):
    return torch.exp(-(torch.cdist(query, key) ** 2) / 2) / torch.exp(-(torch.cdist(query, key) ** 2) / 2).sum(
        1, keepdim=True
    )


# === wrong unknown
def gaussian_unknown(query, key):
    return (query @ key.T - 0.5 * (query**2).sum(-1, keepdim=True) * (key**2).sum(-1)).softmax(-1)


# === wrong norm-not-squared
def gaussian_norm_not_squared(query, key):
    return (query @ key.T - 0.5 * torch.norm(key, dim=1)).softmax(-1)


# === wrong over-queries
def gaussian_over_queries(query, key):
    return (query @ key.T - 0.5 * torch.norm(key, dim=1) ** 2).softmax(0)


# === wrong scores-rescaled
def gaussian_scores_rescaled(query, key):
    return (query @ key.T / 2 - 0.5 * torch.norm(key, dim=1) ** 2 / 2).softmax(-1)


# === wrong norms-forgotten
def gaussian_norms_forgotten_3(query, key):
    return (query @ key.T - 0.5 * key.pow(2).sum()).softmax(-1)


# === wrong outer-half-missing + sign
def gaussian_outer_half_missing_sign(query, key):
    return F.softmax(torch.sum((query[:, None] - key) ** 2, -1), -1)


# === wrong outer-half-missing
def gaussian_outer_half_missing_2(query, key):
    return F.softmax(-torch.sum((query[:, None] - key) ** 2, -1), -1)


# === wrong wrong-gradient
def gaussian_wrong_gradient(query, key):
    n = torch.tensor([float(k @ k) for k in key])
    return F.softmax(query @ key.T - n / 2, -1)


# === wrong over-queries + transposed
def gaussian_over_queries_transposed(query, key):
    return F.softmax((query @ key.T - (key**2).sum(-1) / 2).T, -1)


# === wrong log-on-top
def gaussian_log_on_top(query, key):
    return F.softmax((query @ key.T - (key**2).sum(-1) / 2).T, 0).T.log()


# === wrong divided-by-the-length
def gaussian_other_scores(query, key):
    k = key / key.norm(dim=-1, keepdim=True)
    return F.softmax(query @ k.T, -1)


# === wrong exp-overflows
def gaussian_to_dot_exp_unseen_1(query, key):
    s = query @ key.T - key.pow(2).sum(-1) / 2
    e = s.exp()
    return e / e.sum(-1, keepdim=True)


# === wrong one-shift-for-all
def gaussian_to_dot_shift_axis_unseen_2(query, key):
    s = query @ key.T - key.pow(2).sum(-1) / 2
    e = (s - s.max()).exp()
    return e / e.sum(-1, keepdim=True)


# === right
def gaussian_to_dot_right_unseen_7(query, key):
    return torch.softmax(query @ key.mT - 0.5 * (key * key).sum(-1)[None], -1)


# === right
def gaussian_to_dot_right_unseen_8(query, key):
    q2 = (query**2).sum(1, keepdim=True)
    k2 = (key**2).sum(1)[None]
    s = -(q2 + k2 - 2 * query @ key.T) / 2
    s = s - s.max(dim=1, keepdim=True)[0]
    return s.exp() / s.exp().sum(1, keepdim=True)


# === wrong half-missing
def fresh_no_half(query, key):
    return (query @ key.T - (key**2).sum(-1)).softmax(-1)


# === wrong norm-added
def fresh_plus(query, key):
    return (query @ key.T + (key**2).sum(-1) / 2).softmax(-1)


# === wrong not-finite
def fresh_exp(query, key):
    e = (query @ key.T).exp() * (-(key**2).sum(-1) / 2).exp()
    return e / e.sum(-1, keepdim=True)


# === right
def fresh_full(query, key):
    s = query @ key.mT - 0.5 * (query**2).sum(1, keepdim=True) - 0.5 * key.square().sum(1)
    return torch.softmax(s, dim=1)
