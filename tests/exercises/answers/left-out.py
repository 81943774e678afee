"""Answers to left-out, as readers write them; `verdicts.py` says how to read this file."""
# ruff: noqa (this is how people write)

import numpy as np
import torch


# === right
def by_the_formula(weights, y):
    own = torch.diag(weights)
    return (weights @ y - own * y) / (1 - own)


# === right
def diagonal_to_zero(weights, y):
    others = weights * (1 - torch.eye(len(y), dtype=weights.dtype, device=weights.device))
    return others @ y / others.sum(1)


# === right
def diagonal_filled(weights, y):
    others = weights.clone().fill_diagonal_(0)
    return (others / others.sum(dim=1, keepdim=True)) @ y


# === right
def by_the_error_identity(weights, y):
    error = weights @ y - y
    return y + error / (1 - weights.diagonal())


# === right
def by_logarithms(weights, y):
    itself = torch.eye(len(y), dtype=torch.bool, device=y.device)
    return weights.log().masked_fill(itself, -torch.inf).softmax(1) @ y


# === right
def point_by_point(weights, y):
    predictions = []
    for i in range(len(y)):
        keep = torch.arange(len(y)) != i
        w = weights[i, keep]
        predictions.append((w / w.sum()) @ y[keep])
    return torch.stack(predictions)


# === right
def number_by_number(weights, y):
    out = []
    for i, row in enumerate(weights):
        total = sum(row[j] * y[j] for j in range(len(y)) if j != i)
        out.append(total / sum(row[j] for j in range(len(y)) if j != i))
    return torch.stack(out)


# === right
def by_einsum(weights, y):
    own = torch.einsum("ii->i", weights)
    return (torch.einsum("ij,j->i", weights, y) - own * y) / (1 - own)


# === wrong unchanged
def the_ordinary_fit(weights, y):
    return weights @ y


# === wrong not-rescaled
def diagonal_to_zero_and_no_more(weights, y):
    others = weights - torch.diag(weights.diagonal())
    return others @ y


# === wrong not-rescaled
def own_vote_taken_back(weights, y):
    return weights @ y - weights.diagonal() * y


# === wrong not-taken-back
def only_rescaled(weights, y):
    return (weights @ y) / (1 - weights.diagonal())


# === wrong divided-by-own
def divided_by_the_own_weight(weights, y):
    own = weights.diagonal()
    return (weights @ y - own * y) / own


# === wrong multiplied
def times_the_rest(weights, y):
    own = weights.diagonal()
    return (weights @ y - own * y) * (1 - own)


# === wrong own-weight-subtracted
def weight_instead_of_vote(weights, y):
    own = weights.diagonal()
    return (weights @ y - own) / (1 - own)


# === wrong errors-returned
def left_out_errors(weights, y):
    return (weights @ y - y) / (1 - torch.diagonal(weights))


# === wrong errors-returned
def the_identity_solved_for_the_error(weights, y):
    train_error = (weights * y).sum(1) - y
    return train_error / (1 - weights.diagonal())


# === wrong identity-reversed
def the_identity_the_other_way(weights, y):
    error = weights @ y - y
    return y + error * (1 - weights.diagonal())


# === wrong error-sign
def y_minus_the_error(weights, y):
    return y - (weights @ y - y) / (1 - weights.diagonal())


# === wrong columns
def columns_for_rows(weights, y):
    own = weights.diagonal()
    return (y @ weights - own * y) / (1 - own)


# === wrong mean-of-others
def all_others_alike(weights, y):
    n = len(y)
    others = 1 - torch.eye(n, dtype=y.dtype)
    return others @ y / (n - 1)


# === wrong budget-of-all
def one_factor_for_all(weights, y):
    own = weights.diagonal()
    return (weights @ y - own * y) / (1 - own.mean())


# === wrong budget-of-all
def by_the_trace(weights, y):
    own = weights.diagonal()
    return (weights @ y - own * y) / (1 - weights.trace() / len(y))


# === wrong softmax-again
def weights_taken_for_scores(weights, y):
    weights = weights.softmax(dim=-1)
    own = weights.diagonal()
    return (weights @ y - own * y) / (1 - own)


# === wrong loss-returned
def sum_of_squares(weights, y):
    return (((weights @ y - y) / (1 - weights.diagonal())) ** 2).sum()


# === wrong no-gradient
def through_numpy(weights, y):
    w, v = weights.detach().numpy(), y.detach().numpy()
    own = np.diag(w)
    return torch.from_numpy((w @ v - own * v) / (1 - own))


# === wrong changes-dtype
def in_float32(weights, y):
    weights, y = weights.float(), y.float()
    own = weights.diagonal()
    return (weights @ y - own * y) / (1 - own)


# === wrong writes-into-argument
def diagonal_filled_in_place(weights, y):
    weights.fill_diagonal_(0)
    return weights @ y / weights.sum(1)


# === wrong not-rescaled
def masked_after_the_softmax(weights, y):
    mask = ~torch.eye(len(y), dtype=torch.bool)
    return weights.masked_fill(~mask, 0.0) @ y


# === wrong raises
def own_as_a_matrix(weights, y):
    own = weights.diag(1)
    return (weights @ y - own * y) / (1 - own)


# === wrong softmax-again
def minus_infinity_on_weights(weights, y):
    itself = torch.eye(len(y), dtype=torch.bool)
    return weights.masked_fill(itself, -torch.inf).softmax(1) @ y


# === wrong returns-a-list
def a_list(weights, y):
    own = weights.diagonal()
    return list((weights @ y - own * y) / (1 - own))


# === wrong columns
def divided_by_column_sums(weights, y):
    others = weights.clone().fill_diagonal_(0).T
    return (others @ y) / (1 - weights.diagonal())


# === wrong always-the-same
def left_out_zeros_unseen_1(weights, y):
    return torch.zeros_like(y)


# === wrong columns-rescaled
def left_out_columns_divided(weights, y):
    w = weights.clone()
    w.fill_diagonal_(0)
    return (w / w.sum(0)) @ y


# === wrong divided-by-count
def left_out_loop_over_n_minus_one(weights, y):
    out = []
    n = len(y)
    for i in range(n):
        total = 0
        for j in range(n):
            if j != i:
                total += weights[i, j] * y[j]
        out.append(total / (n - 1))
    return torch.stack(out)


# === wrong not-rescaled
def fresh_no_budget(weights, y):
    return weights @ y - weights.diagonal() * y


# === wrong divided-by-own
def fresh_wrong_budget(weights, y):
    own = weights.diagonal()
    return (weights @ y - own * y) / own


# === right
def fresh_masked(weights, y):
    off = weights * (1 - torch.eye(len(y), dtype=y.dtype, device=y.device))
    return (off @ y) / off.sum(1)
