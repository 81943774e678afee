"""Answers to scaled-dot-scores, as readers write them; `verdicts.py` says how to read this file."""
# ruff: noqa (this is how people write)

import math

import numpy as np
import torch
import torch.nn.functional as F


# === right
def scaled_bmm(query, key):
    return torch.bmm(query, key.transpose(1, 2)) / math.sqrt(query.shape[-1])


# === right
def scaled_einsum(query, key):
    return torch.einsum("btd,bsd->bts", query, key) / query.size(-1) ** 0.5


# === right
def scaled_query_first(query, key):
    return (query / np.sqrt(query.shape[2])) @ key.mT


# === right
def scaled_half_and_half(query, key):
    root = key.shape[-1] ** 0.25
    return (query / root).matmul((key / root).permute(0, 2, 1))


# === right
def scaled_tensor_root(query, key):
    return query @ key.swapaxes(1, 2) / torch.sqrt(torch.tensor(query.shape[-1]))


# === right
def scaled_broadcasting(query, key):
    return (query[:, :, None, :] * key[:, None, :, :]).sum(-1) * query.shape[-1] ** -0.5


# === right
def scaled_loops(query, key):
    B, T, D = query.shape
    S = key.shape[1]
    scores = torch.zeros(B, T, S, dtype=query.dtype, device=query.device)
    for b in range(B):
        for t in range(T):
            for s in range(S):
                scores[b, t, s] = (query[b, t] * key[b, s]).sum() / D**0.5
    return scores


# === right
def scaled_one_matrix_at_a_time(query, key):
    return torch.stack([q @ k.T for q, k in zip(query, key)]) / math.sqrt(key.size(2))


# === right
def scaled_baddbmm(query, key):
    start = query.new_zeros(query.shape[0], query.shape[1], key.shape[1])
    return torch.baddbmm(start, query, key.mT, beta=0, alpha=1 / math.sqrt(query.shape[-1]))


# === wrong factor
def scaled_factor(query, key):
    return torch.bmm(query, key.transpose(1, 2)) / query.shape[-1] ** 2


# === wrong t-of-three-axes
def scaled_t_of_three_axes(query, key):
    return query @ key.T / math.sqrt(query.shape[-1])


# === wrong root-of-batch
def scaled_root_of_batch(query, key):
    d = query.shape[0]
    return query @ key.mT / math.sqrt(d)


# === wrong factor
def scaled_factor_2(query, key):
    return query @ key.mT / math.sqrt(4)


# === wrong transposed
def scaled_transposed(query, key):
    return torch.einsum("btd,bsd->bst", query, key) / math.sqrt(query.shape[-1])


# === wrong all-keys-added
def scaled_all_keys_added(query, key):
    return torch.einsum("btd,csd->bts", query, key) / math.sqrt(query.shape[-1])


# === wrong factor
def scaled_factor_3(query, key):
    return torch.einsum("btd,bsd->bts", query, key) / math.sqrt(query.shape[-2] * query.shape[-1])


# === wrong factor
def scaled_factor_4(query, key):
    return torch.einsum("btd,bsd->bts", query, key) / math.log(query.shape[-1])


# === wrong factor
def scaled_factor_5(query, key):
    s = query @ key.mT
    return s / s.std()


# === wrong root-of-keys
def scaled_root_of_keys(query, key):
    s = query @ key.mT
    return s / math.sqrt(s.shape[-1])


# === wrong unknown
def scaled_unknown(query, key):
    q = query / query.norm(dim=-1, keepdim=True)
    return q @ key.mT / math.sqrt(query.shape[-1])


# === wrong raises
def scaled_raises(query, key):
    return query * key / math.sqrt(query.shape[-1])


# === wrong no-scale
def scaled_no_scale(query, key):
    out = torch.zeros(query.shape[0], query.shape[1], key.shape[1])
    for b in range(query.shape[0]):
        for t in range(query.shape[1]):
            for s in range(key.shape[1]):
                out[b, t, s] = query[b, t] @ key[b, s]
    return out


# === wrong softmax-over-queries
def scaled_softmax_over_queries(query, key):
    return (query @ key.mT / math.sqrt(query.shape[-1])).softmax(1)


# === wrong multiplied + softmax-applied
def scaled_multiplied_softmax_applied(query, key):
    return (query @ key.mT * math.sqrt(query.shape[-1])).softmax(-1)


# === wrong missing-axis
def scaled_missing_axis(query, key):
    return (query @ key.mT / math.sqrt(query.shape[-1])).squeeze()


# === wrong writes-into-argument
def scaled_writes_into_argument(query, key):
    query *= query.shape[-1] ** -0.5
    return query @ key.mT


# === wrong raises
def scaled_raises_2(query, key):
    return query @ key.mT / torch.sqrt(query.shape[-1])


# === wrong reshaped
def scaled_reshaped(query, key):
    return (query @ key.reshape(key.shape[0], key.shape[2], key.shape[1])) / math.sqrt(query.shape[-1])


# === wrong unknown
def scaled_unknown_2(query, key):
    return query.sum(-1)[..., None] * key.sum(-1)[:, None] / math.sqrt(query.shape[-1]) * 0 + (query @ key.mT).mean()


# === wrong cosine-scaled
def scaled_cosine_scaled(query, key):
    return F.cosine_similarity(query[:, :, None], key[:, None], dim=-1) / math.sqrt(query.shape[-1])


# === wrong factor
def scaled_factor_6(query, key):
    return query @ key.mT / math.sqrt(query.dim())


# === wrong factor
def scaled_factor_7(query, key):
    return query @ key.mT / math.sqrt(query.shape[-1]) * 0.5


# === wrong not-finite
def scaled_not_finite(query, key):
    s = query @ key.mT / math.sqrt(query.shape[-1])
    return s.masked_fill(torch.ones_like(s).triu(1).bool(), -torch.inf)


# === wrong not-repeatable
def scaled_not_repeatable(query, key):
    return F.dropout(query @ key.mT / math.sqrt(query.shape[-1]), 0.1)


# === wrong wrong-shape
def scaled_wrong_shape(query, key):
    return (query @ key.mT).mean(-1)


# === wrong divided-by-d
def scaled_divided_by_d(query, key):
    return torch.einsum("btd,bsd->bts", query, key).div_(query.shape[-1])


# === wrong divided-by-d
def scaled_divided_by_d_2(query, key):
    return (query[:, :, None] * key[:, None]).mean(-1)


# === wrong right-for-the-example-only
def scaled_right_for_the_example_only(query, key):
    return (query[:, :, None] * key[:, None]).sum(-1) / query.norm(dim=-1, keepdim=True)


# === wrong cut-short
def scaled_cut_short(query, key):
    return (query[0] @ key[0].T) / math.sqrt(query.shape[-1])


# === wrong wrong-shape
def scaled_wrong_shape_2(query, key):
    return torch.tensordot(query, key, dims=([2], [2])) / math.sqrt(query.shape[-1])


# === wrong factor
def scaled_factor_8(query, key):
    return (query @ key.mT) / (query.shape[-1] // 2)


# === wrong wrong-shape
def scaled_wrong_shape_3(query, key):
    B, T, D = query.shape
    S = key.shape[1]
    return (query.reshape(B * T, D) @ key.reshape(B * S, D).T).reshape(B, T, -1) / math.sqrt(D)


# === wrong returns-numpy
def scaled_returns_numpy(query, key):
    return (query @ key.mT / math.sqrt(query.shape[-1])).detach().numpy()


# === wrong truncated
def scaled_truncated(query, key):
    return (query @ key.mT / math.sqrt(query.shape[-1])).int()


# === wrong factor
def scaled_factor_9(query, key):
    return query @ key.mT / math.sqrt(query.shape[-1] + key.shape[-1])


# === wrong changes-torch
def scaled_dot_scores_global_default_dtype_unseen_3(query, key):
    torch.set_default_dtype(query.dtype)
    return query @ key.transpose(1, 2) / torch.sqrt(torch.tensor(query.shape[-1] * 1.0))


# === wrong raises
def scaled_dot_scores_math_sqrt_of_tensor_unseen_6(query, key):
    return query @ key.transpose(1, 2) / math.sqrt(query)


# === wrong root-of-queries
def fresh_root_t(query, key):
    return query @ key.mT / query.shape[1] ** 0.5


# === wrong divided-by-d
def fresh_no_root(query, key):
    return query @ key.mT / query.shape[-1]


# === right
def fresh_einsum(query, key):
    return torch.einsum("bid,bjd->bij", query, key) * key.size(-1) ** -0.5
