"""Answers to delta-rule, as readers write them; `verdicts.py` says how to read this file."""
# ruff: noqa (this is how people write)

import torch


def empty(key, value):
    return torch.zeros(value.shape[1], key.shape[1], dtype=value.dtype, device=value.device)


# === right
def with_outer(key, value, beta):
    S = empty(key, value)
    for t in range(len(key)):
        S = S + beta[t] * torch.outer(value[t] - S @ key[t], key[t])
    return S


# === right
def erase_then_write(key, value, beta):
    S = empty(key, value)
    eye = torch.eye(key.shape[1], dtype=key.dtype, device=key.device)
    for k, v, b in zip(key, value, beta):
        S = S @ (eye - b * torch.outer(k, k)) + b * torch.outer(v, k)
    return S


# === right
def old_and_new(key, value, beta):
    S = empty(key, value)
    for k, v, b in zip(key, value, beta):
        old = S @ k
        new = b * v + (1 - b) * old
        S = S - torch.outer(old, k) + torch.outer(new, k)
    return S


# === right
def triangular(key, value, beta):
    T = len(key)
    L = (beta[:, None] * (key @ key.T)).tril(-1) + torch.eye(T, dtype=key.dtype, device=key.device)
    U = torch.linalg.solve_triangular(L, beta[:, None] * value, upper=False)
    return U.T @ key


# === right
def column_by_row(key, value, beta):
    S = empty(key, value).T
    for t, b in enumerate(beta):
        k = key[t : t + 1]
        error = value[t : t + 1] - k @ S
        S = S + b * k.T @ error
    return S.T


# === right
def with_einsum(key, value, beta):
    S = empty(key, value)
    for t in range(key.shape[0]):
        read = torch.einsum("vd,d->v", S, key[t])
        S = S + torch.einsum("v,d->vd", beta[t] * (value[t] - read), key[t])
    return S


# === wrong linear
def just_adds(key, value, beta):
    S = empty(key, value)
    for k, v, b in zip(key, value, beta):
        S = S + b * torch.outer(v, k)
    return S


# === wrong linear
def one_product(key, value, beta):
    return (beta[:, None] * value).T @ key


# === wrong known-added
def plus(key, value, beta):
    S = empty(key, value)
    for k, v, b in zip(key, value, beta):
        S = S + b * torch.outer(v + S @ k, k)
    return S


# === wrong wrong-way
def gradient_ascent(key, value, beta):
    S = empty(key, value)
    for k, v, b in zip(key, value, beta):
        error = S @ k - v
        S = S + b * torch.outer(error, k)
    return S


# === wrong no-step-size
def full_steps(key, value, beta):
    S = empty(key, value)
    for k, v in zip(key, value):
        S = S + torch.outer(v - S @ k, k)
    return S


# === wrong step-of-value-only
def brackets_missing(key, value, beta):
    S = empty(key, value)
    for k, v, b in zip(key, value, beta):
        S = S + torch.outer(b * v - S @ k, k)
    return S


# === wrong step-of-known-only
def beta_in_the_wrong_place(key, value, beta):
    S = empty(key, value)
    for k, v, b in zip(key, value, beta):
        S = S + torch.outer(v - b * (S @ k), k)
    return S


# === wrong step-twice
def beta_at_both_ends(key, value, beta):
    S = empty(key, value)
    for k, v, b in zip(key, value, beta):
        u = b * (v - S @ k)
        S = S + b * torch.outer(u, k)
    return S


# === wrong factor-of-two
def derivative_of_the_square(key, value, beta):
    S = empty(key, value)
    for k, v, b in zip(key, value, beta):
        gradient = -2 * torch.outer(v - S @ k, k)
        S = S - b * gradient
    return S


# === wrong first-step-size
def one_beta(key, value, beta):
    S, b = empty(key, value), beta[0]
    for k, v in zip(key, value):
        S = S + b * torch.outer(v - S @ k, k)
    return S


# === wrong whole-memory-fades
def moving_average(key, value, beta):
    S = empty(key, value)
    for k, v, b in zip(key, value, beta):
        S = (1 - b) * S + b * torch.outer(v, k)
    return S


# === wrong nothing-kept
def assigned_not_added(key, value, beta):
    S = empty(key, value)
    for k, v, b in zip(key, value, beta):
        S = b * torch.outer(v - S @ k, k)
    return S


# === wrong two-back
def stale_read(key, value, beta):
    S = before = empty(key, value)
    for k, v, b in zip(key, value, beta):
        new = S + b * torch.outer(v - before @ k, k)
        before, S = S, new
    return S


# === wrong normalised-key
def writes_at_unit_key(key, value, beta):
    S = empty(key, value)
    for k, v, b in zip(key, value, beta):
        S = S + b * torch.outer(v - S @ k, k / k.norm())
    return S


# === wrong exact-projection
def kaczmarz(key, value, beta):
    S = empty(key, value)
    for k, v, b in zip(key, value, beta):
        S = S + b * torch.outer(v - S @ k, k) / k.square().sum()
    return S


# === wrong unit-keys
def normalises(key, value, beta):
    key = torch.nn.functional.normalize(key, dim=-1)
    S = empty(key, value)
    for k, v, b in zip(key, value, beta):
        S = S + b * torch.outer(v - S @ k, k)
    return S


# === wrong backwards
def newest_first(key, value, beta):
    S = empty(key, value)
    for t in range(len(key) - 1, -1, -1):
        S = S + beta[t] * torch.outer(value[t] - S @ key[t], key[t])
    return S


# === wrong last-pair-left-out
def off_by_one(key, value, beta):
    S = empty(key, value)
    for t in range(len(key) - 1):
        S = S + beta[t] * torch.outer(value[t] - S @ key[t], key[t])
    return S


# === wrong first-pair-only
def returns_too_early(key, value, beta):
    S = empty(key, value)
    for k, v, b in zip(key, value, beta):
        S = S + b * torch.outer(v - S @ k, k)
        return S


# === wrong averaged
def mean_gradient(key, value, beta):
    S = empty(key, value)
    for k, v, b in zip(key, value, beta):
        S = S + b * torch.outer(v - S @ k, k)
    return S / key.shape[0]


# === wrong transposed
def other_layout(key, value, beta):
    S = empty(key, value).T
    for k, v, b in zip(key, value, beta):
        S = S + b * torch.outer(k, v - k @ S)
    return S


# === wrong no-gradient
def detached(key, value, beta):
    S = empty(key, value)
    for k, v, b in zip(key, value, beta):
        S = (S + b * torch.outer(v - S @ k, k)).detach()
    return S


# === wrong linear
def one_batch(key, value, beta):
    S = torch.zeros(value.shape[1], key.shape[1], dtype=key.dtype)
    error = value - key @ S.T
    return (beta[:, None] * error).T @ key


# === right
def triangular_again(key, value, beta):
    gram = (beta[:, None] * (key @ key.T)).tril(-1)
    eye = torch.eye(len(key), dtype=key.dtype)
    u = torch.linalg.solve_triangular(eye + gram, beta[:, None] * value, upper=False)
    return u.T @ key


# === wrong linear
def fresh_sum(key, value, beta):
    return (beta[:, None] * value).T @ key


# === wrong unit-keys
def fresh_normalised(key, value, beta):
    S = value.new_zeros(value.shape[1], key.shape[1])
    for k, v, b in zip(key, value, beta):
        k = k / k.norm().clamp(min=1e-6)
        S = S + b * torch.outer(v - S @ k, k)
    return S


# === wrong whole-memory-fades
def fresh_decay(key, value, beta):
    S = value.new_zeros(value.shape[1], key.shape[1])
    for k, v, b in zip(key, value, beta):
        S = (1 - b) * S + b * torch.outer(v, k)
    return S


# === right
def fresh_householder(key, value, beta):
    S = torch.zeros_like(value[:1]).T @ torch.zeros_like(key[:1])
    I = torch.eye(key.shape[1], dtype=key.dtype, device=key.device)
    for k, v, b in zip(key, value, beta):
        S = S @ (I - b * torch.outer(k, k)) + b * torch.outer(v, k)
    return S
