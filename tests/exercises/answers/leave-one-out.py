"""Answers to leave-one-out, as readers write them; `verdicts.py` says how to read this file."""
# ruff: noqa (this is how people write)

import math

import torch
import torch.nn.functional as F


# === right
def loo_infinite_diagonal(x, y, w):
    scores = -((w * (x[:, None] - x)) ** 2) / 2
    scores.fill_diagonal_(-torch.inf)
    return ((scores.softmax(1) @ y - y) ** 2).sum()


# === right
def loo_zero_kernel(x, y, w):
    kernel = torch.exp(-0.5 * w**2 * (x[:, None] - x[None, :]) ** 2)
    kernel = kernel - torch.diag(kernel.diagonal())
    return torch.sum((kernel @ y / kernel.sum(1) - y) ** 2)


# === right
def loo_by_cutting(x, y, w):
    loss = 0
    for i in range(len(x)):
        others = torch.arange(len(x), device=x.device) != i
        weights = (-((w * (x[i] - x[others])) ** 2) / 2).softmax(0)
        loss = loss + (weights @ y[others] - y[i]) ** 2
    return loss


# === right
def loo_by_concatenation(x, y, w):
    errors = []
    for i in range(x.shape[0]):
        xs, ys = torch.cat([x[:i], x[i + 1 :]]), torch.cat([y[:i], y[i + 1 :]])
        kernel = torch.exp(-((w * (xs - x[i])) ** 2) / 2)
        errors.append((kernel * ys).sum() / kernel.sum() - y[i])
    return torch.stack(errors).square().sum()


# === right
def loo_large_negative_diagonal(x, y, w):
    scores = -((w * (x[:, None] - x)) ** 2) / 2 - 1e9 * torch.eye(len(x), dtype=x.dtype)
    return F.mse_loss(scores.softmax(-1) @ y, y, reduction="sum")


# === right
def loo_squared_norm(x, y, w):
    scores = -((x[:, None] - x) * w).pow(2).div(2)
    weights = scores.masked_fill(torch.eye(len(x)).bool(), -torch.inf).softmax(1)
    return torch.linalg.vector_norm(weights @ y - y) ** 2


# === wrong no-gradient
def loo_no_gradient(x, y, w):
    n = len(x)
    loss = 0
    for i in range(n):
        num = den = 0
        for j in range(n):
            if i != j:
                k = math.exp(-((w * (x[i] - x[j])) ** 2) / 2)
                num += k * y[j]
                den += k
        loss += (num / den - y[i]) ** 2
    return loss


# === wrong mean
def loo_mean(x, y, w):
    d = x[:, None] - x
    k = torch.exp(-((w * d) ** 2) / 2) - torch.eye(len(x))
    return F.mse_loss((k @ y) / k.sum(1), y)


# === wrong errors-added-first
def loo_errors_added_first(x, y, w):
    loss = 0
    for i in range(len(x)):
        xs = torch.cat([x[:i], x[i + 1 :]])
        ys = torch.cat([y[:i], y[i + 1 :]])
        loss += ((xs - x[i]) * w).pow(2).div(-2).softmax(0) @ ys - y[i]
    return loss**2


# === wrong raises
def loo_raises(x, y, w):
    loss = 0
    for i in range(len(x)):
        xs = torch.cat([x[:i], x[i + 1 :]])
        loss += (((xs - x[i]) * w).pow(2).div(-2).softmax(0) @ y - y[i]) ** 2
    return loss


# === wrong point-kept
def loo_point_kept(x, y, w):
    d = x[:, None] - x
    s = -((w * d) ** 2) / 2
    s.fill_diagonal_(0)
    return ((s.softmax(1) @ y - y) ** 2).sum()


# === wrong rooted
def loo_rooted(x, y, w):
    d = x[:, None] - x
    s = -((w * d) ** 2) / 2
    s = s - 1e9 * torch.eye(len(x))
    return ((s.softmax(1) @ y - y) ** 2).sum() ** 0.5


# === wrong unknown
def loo_point_kept_mean_half_missing(x, y, w):
    d = x[:, None] - x
    s = -((w * d) ** 2)
    a = s.softmax(1)
    return ((a @ y - y) ** 2).mean()


# === wrong unknown
def loo_unknown(x, y, w):
    d = x[:, None] - x
    s = -((d / w) ** 2) / 2
    s = s.masked_fill(torch.eye(len(x)).bool(), -1)
    return ((s.softmax(1) @ y - y) ** 2).sum()


# === wrong not-finite
def loo_not_finite(x, y, w):
    d = x[:, None] - x
    s = -((w * d) ** 2) / 2
    s = s.masked_fill(torch.triu(torch.ones_like(s)).bool(), -torch.inf)
    return ((s.softmax(1) @ y - y) ** 2).sum()


# === wrong unknown
def loo_unknown_2(x, y, w):
    d = x[:, None] - x
    s = (-((w * d) ** 2) / 2).softmax(1)
    s = s * (1 - torch.eye(len(x)))
    s = s / s.sum()
    return ((s @ y - y) ** 2).sum()


# === wrong no-gradient
def loo_no_gradient_2(x, y, w):
    d = x[:, None] - x
    s = -((w * d) ** 2) / 2
    s.fill_diagonal_(-torch.inf)
    return ((s.softmax(1) @ y - y) ** 2).sum().detach()


# === wrong raises
def loo_raises_2(x, y, w):
    s = -(w**2) * (x[:, None] - x) ** 2 / 2
    s = s.masked_fill(torch.eye(7).bool(), -torch.inf)
    return ((s.softmax(1) @ y - y) ** 2).sum()


# === wrong all-pairs
def loo_all_pairs(x, y, w):
    s = -((w * (x[:, None] - x)) ** 2) / 2
    s.fill_diagonal_(-torch.inf)
    p = s.softmax(1) @ y[:, None]
    return ((p - y) ** 2).sum()


# === wrong last-point-missing
def loo_last_point_missing(x, y, w):
    loss = 0
    for i in range(len(x) - 1):
        m = torch.arange(len(x)) != i
        loss += ((-((w * (x[m] - x[i])) ** 2) / 2).softmax(0) @ y[m] - y[i]) ** 2
    return loss


# === wrong factor
def loo_factor(x, y, w):
    s = -((w * (x[:, None] - x)) ** 2) / 2
    s.fill_diagonal_(-torch.inf)
    return (s.softmax(1) @ y - y).pow(2).sum() / 2 / len(x)


# === wrong few-digits
def loo_few_digits(x, y, w):
    s = -((w * (x[:, None] - x)) ** 2) / 2
    s.fill_diagonal_(-10)
    return (s.softmax(1) @ y - y).pow(2).sum()


# === wrong no-gradient
def loo_no_gradient_3(x, y, w):
    s = -((w * (x[:, None] - x)) ** 2) / 2
    s.fill_diagonal_(-torch.inf)
    return torch.tensor(float((s.softmax(1) @ y - y).pow(2).sum()))


# === wrong gradient-fails
def loo_gradient_fails(x, y, w):
    k = torch.exp(-((w * (x[:, None] - x)) ** 2) / 2)
    k.fill_diagonal_(0)
    return ((k @ y) / k.sum(1) - y).pow(2).sum()


# === wrong last-point-only
def loo_last_point_only(x, y, w):
    loss = 0
    for i in range(len(x)):
        s = -((w * (x - x[i])) ** 2) / 2
        s[i] = -torch.inf
        loss = (s.softmax(0) @ y - y[i]) ** 2
    return loss


# === wrong first-point-only
def loo_first_point_only(x, y, w):
    loss = 0
    for i in range(len(x)):
        s = -((w * (x - x[i])) ** 2) / 2
        s[i] = -torch.inf
        loss += (s.softmax(0) @ y - y[i]) ** 2
        return loss


# === wrong rooted
def loo_rooted_2(x, y, w):
    s = -((w * (x[:, None] - x)) ** 2) / 2
    s[torch.eye(len(x)).bool()] = -torch.inf
    w = 1
    return (s.softmax(1) @ y - y).norm()


# === wrong writes-into-argument
def loo_writes_into_argument(x, y, w):
    y -= y.mean()
    s = -((w * (x[:, None] - x)) ** 2) / 2
    s.fill_diagonal_(-torch.inf)
    return (s.softmax(1) @ y - y).pow(2).sum()


# === wrong not-repeatable
def loo_not_repeatable(x, y, w):
    i = torch.randint(len(x), (1,)).item()
    s = -((w * (x - x[i])) ** 2) / 2
    s[i] = -torch.inf
    return (s.softmax(0) @ y - y[i]) ** 2


# === wrong wrong-at-the-edge
def leave_one_out_1e2_as_minus_infinity_unseen_5(x, y, w):
    s = -(((x[:, None] - x) * w) ** 2) / 2
    s = s.masked_fill(torch.eye(len(x), dtype=torch.bool, device=x.device), -100)
    return ((s.softmax(1) @ y - y) ** 2).sum()


# === wrong not-squared-errors
def loo_absolute_errors(x, y, w):
    s = -0.5 * (w * (x[:, None] - x)) ** 2
    s.fill_diagonal_(float("-inf"))
    return (torch.softmax(s, 1) @ y - y).abs().sum()


# === wrong zeroed-after-softmax
def fresh_self_zero_after(x, y, w):
    s = -0.5 * (w * (x[:, None] - x[None])) ** 2
    a = s.softmax(1) * (1 - torch.eye(len(x), dtype=x.dtype))
    return ((a @ y - y) ** 2).sum()


# === wrong twins-left-out
def fresh_excl_same_x(x, y, w):
    d = x[:, None] - x[None]
    s = (-0.5 * (w * d) ** 2).masked_fill(d == 0, -torch.inf)
    a = s.softmax(1)
    return ((a @ y - y) ** 2).sum()


# === wrong mean
def fresh_mean(x, y, w):
    s = -0.5 * (w * (x[:, None] - x[None])) ** 2
    s = s + torch.diag(torch.full_like(x, -torch.inf))
    return ((s.nan_to_num(nan=-torch.inf).softmax(1) @ y - y) ** 2).mean()


# === right
def fresh_loop(x, y, w):
    total = 0.0
    for i in range(len(x)):
        rest = [j for j in range(len(x)) if j != i]
        a = (-0.5 * (w * (x[i] - x[rest])) ** 2).softmax(0)
        total = total + (a @ y[rest] - y[i]) ** 2
    return total


# === wrong width-not-squared
def blind_b2(x, y, w):
    d = x[:, None] - x[None, :]
    scores = -w * d**2 / 2
    eye = torch.eye(len(x), dtype=torch.bool)
    a = scores.masked_fill(eye, float("-inf")).softmax(-1)
    return ((a @ y - y) ** 2).sum()
