"""Answers to bilinear, as readers write them; `verdicts.py` says how to read this file."""
# ruff: noqa (this is how people write)

import math

import torch
import torch.nn.functional as F


RIGHT = []


def right(exercise):
    def file(function):
        RIGHT.append((exercise, function))
        return function

    return file


WRONG = []


def wrong(exercise, diagnosis):
    def file(function):
        WRONG.append((exercise, diagnosis, function))
        return function

    return file


# === right
def bilinear_einsum(query, key, M):
    return torch.einsum("btq,qk,bsk->bts", query, M, key)


# === right
def bilinear_key_side(query, key, M):
    return query @ (M @ key.transpose(1, 2))


# === right
def bilinear_key_projected(query, key, M):
    return query @ (key @ M.T).mT


# === right
def bilinear_bmm(query, key, M):
    return torch.bmm(torch.matmul(query, M), key.permute(0, 2, 1))


# === right
def bilinear_loops(query, key, M):
    return torch.stack(
        [
            torch.stack([torch.stack([q @ M @ k for k in ks]) for q in qs])
            for qs, ks in zip(query, key)
        ]
    )


# === right
def bilinear_linear_layer(query, key, M):
    return F.linear(query, M.t()) @ key.mT


# === right
def bilinear_transposed_twice(query, key, M):
    return (key @ M.T @ query.mT).mT


# === wrong m-transposed
def bilinear_m_transposed(query, key, M):
    return query @ M.T @ key.mT


# === wrong m-transposed
def bilinear_m_transposed_2(query, key, M):
    return torch.einsum("btq,kq,bsk->bts", query, M, key)


# === wrong all-keys-added
def bilinear_all_keys_added(query, key, M):
    return torch.einsum("btq,qk,csk->bts", query, M, key)


# === wrong raises
def bilinear_raises(query, key, M):
    return query @ M @ key.T


# === wrong raises
def bilinear_raises_2(query, key, M):
    return (query @ M) * key


# === wrong transposed
def bilinear_transposed(query, key, M):
    return torch.einsum("btq,qk,bsk->bst", query, M, key)


# === wrong scaled + scaled-by-query-size
def bilinear_scaled_scaled_by_query_size(query, key, M):
    return query @ M @ key.mT / math.sqrt(M.numel())


# === wrong softmax-of-m
def bilinear_softmax_of_m(query, key, M):
    return query @ torch.softmax(M, -1) @ key.mT


# === wrong over-summed
def bilinear_over_summed(query, key, M):
    return (query @ M @ key.mT).sum(0)


# === wrong unknown
def bilinear_unknown(query, key, M):
    return (query @ M @ key.mT) + query.mean()


# === wrong squared
def bilinear_squared(query, key, M):
    return (query @ M @ key.mT) ** 2


# === wrong gradient-cut
def bilinear_gradient_cut(query, key, M):
    M = torch.nn.Parameter(M)
    return query @ M @ key.mT


# === wrong transposed
def bilinear_transposed_2(query, key, M):
    return torch.stack([q @ M @ k.T for q, k in zip(query, key)], -1)


# === wrong reshaped
def bilinear_reshaped(query, key, M):
    return query @ M @ key.reshape(key.shape[0], key.shape[2], -1)


# === wrong clamped
def bilinear_clamped(query, key, M):
    return torch.relu(query @ M @ key.mT)


# === wrong unknown
def bilinear_unknown_2(query, key, M):
    return (query @ M @ key.mT).abs().sqrt()


# === wrong key-not-transposed
def bilinear_key_not_transposed(query, key, M):
    return (query @ M) @ key


# === wrong gradient-cut
def bilinear_gradient_cut_2(query, key, M):
    return (query @ M.detach()) @ key.mT


# === wrong over-summed
def bilinear_over_summed_2(query, key, M):
    return torch.einsum("btq,qk,bsk->ts", query, M, key)


# === wrong factor
def bilinear_factor(query, key, M):
    M /= M.norm()
    return query @ M @ key.mT


# === wrong transposed
def bilinear_transposed_3(query, key, M):
    return (query @ M @ key.mT).transpose(0, 1)


# === wrong sign
def bilinear_sign(query, key, M):
    return -(query @ M @ key.mT)


# === wrong exp-on-top
def bilinear_exp_on_top(query, key, M):
    return (query @ M @ key.mT).exp()


# === wrong key-not-transposed
def bilinear_key_not_transposed_2(query, key, M):
    return query @ (M @ key)


# === wrong returns-a-list
def bilinear_returns_a_list(query, key, M):
    return [q @ M @ k.T for q, k in zip(query, key)]


# === wrong wrong-shape
def bilinear_wrong_shape(query, key, M):
    return query.mean(1, keepdim=True) @ M @ key.mT


# === wrong few-digits
def bilinear_few_digits(query, key, M):
    return (query @ M @ key.mT).half().double()


# === wrong changes-dtype
def bilinear_changes_dtype(query, key, M):
    return query.float() @ M.float() @ key.float().mT


# === wrong factor
def bilinear_factor_2(query, key, M):
    return 2 * (query @ M @ key.mT)
