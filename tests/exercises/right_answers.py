"""Right answers as different people write them: loops, einsum, broadcasting, other formulas. All must pass.

`right("soft-lookup")` files a function under its exercise.
"""
# ruff: noqa (this is how people write)

import math

import numpy as np
import torch
import torch.nn.functional as F

RIGHT = []


def right(exercise):
    def file(function):
        RIGHT.append((exercise, function))
        return function

    return file


# --- soft-lookup ----------------------------------------------------------------------------------------------


@right("soft-lookup")
def lookup_in_one_line(query, keys, values):
    return torch.softmax(keys @ query, dim=0) @ values


@right("soft-lookup")
def lookup_by_loops(query, keys, values):
    scores = torch.stack([sum(q * k for q, k in zip(query, key)) for key in keys])
    exps = [torch.exp(s) for s in scores]
    total = sum(exps)
    return sum(e / total * v for e, v in zip(exps, values))


@right("soft-lookup")
def lookup_by_einsum(query, keys, values):
    weights = F.softmax(torch.einsum("d,sd->s", query, keys), dim=-1)
    return torch.einsum("s,sv->v", weights, values)


@right("soft-lookup")
def lookup_by_broadcasting(query, keys, values):
    weights = (query * keys).sum(dim=1).softmax(0)
    return (weights.unsqueeze(1) * values).sum(dim=0)


@right("soft-lookup")
def lookup_with_the_maximum_taken_away(query, keys, values):
    scores = keys.matmul(query)
    exps = (scores - scores.max()).exp()
    return (exps / exps.sum()).matmul(values)


@right("soft-lookup")
def lookup_by_torch(query, keys, values):
    return F.scaled_dot_product_attention(query[None], keys, values, scale=1.0)[0]


@right("soft-lookup")
def lookup_with_a_buffer(query, keys, values):
    weights = torch.mv(keys, query).softmax(0)
    answer = values.new_zeros(values.shape[1])
    for weight, value in zip(weights, values):
        answer = answer + weight * value
    return answer


@right("soft-lookup")
def lookup_that_prints(query, keys, values):
    print("shapes", query.shape, keys.shape)
    return (query @ keys.T).softmax(-1) @ values


# --- nadaraya-watson ------------------------------------------------------------------------------------------


@right("nadaraya-watson")
def nw_softmax(queries, keys, values, width):
    return F.softmax(-((queries[:, None] - keys) ** 2) / (2 * width**2), dim=1) @ values


@right("nadaraya-watson")
def nw_kernel_and_sum(queries, keys, values, width):
    kernel = torch.exp(
        -0.5 * ((queries.reshape(-1, 1) - keys.reshape(1, -1)) / width) ** 2
    )
    return (kernel * values).sum(1) / kernel.sum(1)


@right("nadaraya-watson")
def nw_density(queries, keys, values, width):
    distance = queries.unsqueeze(1) - keys.unsqueeze(0)
    density = torch.exp(-(distance**2) / (2 * width * width)) / (
        width * math.sqrt(2 * math.pi)
    )
    return density @ values / density.sum(dim=1)


@right("nadaraya-watson")
def nw_one_query_at_a_time(queries, keys, values, width):
    predictions = []
    for query in queries:
        kernel = torch.exp(-((query - keys) ** 2) / (2 * width**2))
        predictions.append((kernel * values).sum() / kernel.sum())
    return torch.stack(predictions)


@right("nadaraya-watson")
def nw_double_loop(queries, keys, values, width):
    result = torch.zeros_like(queries)
    for i in range(len(queries)):
        top, bottom = 0, 0
        for j in range(len(keys)):
            k = torch.exp(-((queries[i] - keys[j]) ** 2) / 2 / width**2)
            top, bottom = top + k * values[j], bottom + k
        result[i] = top / bottom
    return result


@right("nadaraya-watson")
def nw_keys_down(queries, keys, values, width):
    weights = torch.softmax(
        -((keys[:, None] - queries[None]) ** 2) / (2 * width**2), dim=0
    )
    return values @ weights


@right("nadaraya-watson")
def nw_logarithms(queries, keys, values, width):
    scores = -((queries[:, None] - keys) ** 2) / (2 * width**2)
    return torch.exp(scores - torch.logsumexp(scores, 1, keepdim=True)) @ values


@right("nadaraya-watson")
def nw_small_epsilon(queries, keys, values, width):
    kernel = torch.exp(-((queries[:, None] - keys) ** 2) / (2 * width**2))
    return (kernel @ values) / (kernel.sum(1) + 1e-9)


# --- leave-one-out --------------------------------------------------------------------------------------------


@right("leave-one-out")
def loo_infinite_diagonal(x, y, w):
    scores = -((w * (x[:, None] - x)) ** 2) / 2
    scores.fill_diagonal_(-torch.inf)
    return ((scores.softmax(1) @ y - y) ** 2).sum()


@right("leave-one-out")
def loo_zero_kernel(x, y, w):
    kernel = torch.exp(-0.5 * w**2 * (x[:, None] - x[None, :]) ** 2)
    kernel = kernel - torch.diag(kernel.diagonal())
    return torch.sum((kernel @ y / kernel.sum(1) - y) ** 2)


@right("leave-one-out")
def loo_by_cutting(x, y, w):
    loss = 0
    for i in range(len(x)):
        others = torch.arange(len(x), device=x.device) != i
        weights = (-((w * (x[i] - x[others])) ** 2) / 2).softmax(0)
        loss = loss + (weights @ y[others] - y[i]) ** 2
    return loss


@right("leave-one-out")
def loo_by_concatenation(x, y, w):
    errors = []
    for i in range(x.shape[0]):
        xs, ys = torch.cat([x[:i], x[i + 1 :]]), torch.cat([y[:i], y[i + 1 :]])
        kernel = torch.exp(-((w * (xs - x[i])) ** 2) / 2)
        errors.append((kernel * ys).sum() / kernel.sum() - y[i])
    return torch.stack(errors).square().sum()


@right("leave-one-out")
def loo_large_negative_diagonal(x, y, w):
    scores = -((w * (x[:, None] - x)) ** 2) / 2 - 1e9 * torch.eye(len(x), dtype=x.dtype)
    return F.mse_loss(scores.softmax(-1) @ y, y, reduction="sum")


@right("leave-one-out")
def loo_squared_norm(x, y, w):
    scores = -((x[:, None] - x) * w).pow(2).div(2)
    weights = scores.masked_fill(torch.eye(len(x)).bool(), -torch.inf).softmax(1)
    return torch.linalg.vector_norm(weights @ y - y) ** 2


# --- masked-softmax -------------------------------------------------------------------------------------------


@right("masked-softmax")
def masked_where(scores, valid_lens):
    keep = (
        torch.arange(scores.size(-1), device=scores.device)[None, None]
        < valid_lens[:, None, None]
    )
    exps = torch.where(keep, scores.exp(), torch.zeros_like(scores))
    return exps / exps.sum(-1, keepdim=True).clamp(min=1e-30)


@right("masked-softmax")
def masked_large_negative(scores, valid_lens):
    keep = torch.arange(scores.size(-1), device=scores.device) < valid_lens.view(
        -1, 1, 1
    )
    return scores.masked_fill(~keep, -1e6).softmax(-1) * keep


@right("masked-softmax")
def masked_nan_to_num(scores, valid_lens):
    keep = (
        torch.arange(scores.size(-1), device=scores.device) < valid_lens[:, None, None]
    )
    return torch.nan_to_num(
        F.softmax(scores.masked_fill(~keep, float("-inf")), dim=-1), nan=0.0
    )


@right("masked-softmax")
def masked_by_loops(scores, valid_lens):
    weights = torch.zeros_like(scores)
    for b in range(scores.shape[0]):
        n = int(valid_lens[b])
        for t in range(scores.shape[1]):
            if n > 0:
                weights[b, t, :n] = scores[b, t, :n].softmax(-1)
    return weights


@right("masked-softmax")
def masked_in_a_copy(scores, valid_lens):
    copy = scores.clone()
    for b, n in enumerate(valid_lens.tolist()):
        copy[b, :, n:] = -torch.inf
    weights = copy.softmax(-1)
    return torch.where(torch.isnan(weights), torch.zeros_like(weights), weights)


@right("masked-softmax")
def masked_and_shared_out_again(scores, valid_lens):
    keep = (
        torch.arange(scores.shape[2], device=scores.device) < valid_lens[:, None, None]
    ).to(scores.dtype)
    weights = scores.softmax(-1) * keep
    return weights / (weights.sum(-1, keepdim=True) + 1e-12)


@right("masked-softmax")
def masked_flat_rows(scores, valid_lens):
    rows = scores.reshape(-1, scores.shape[-1])
    lengths = valid_lens.repeat_interleave(scores.shape[1])
    keep = torch.arange(rows.shape[1], device=rows.device)[None] < lengths[:, None]
    return (
        rows.masked_fill(~keep, torch.finfo(rows.dtype).min).softmax(-1) * keep
    ).reshape(scores.shape)


@right("masked-softmax")
def masked_pad(scores, valid_lens):
    parts = []
    for matrix, n in zip(scores, valid_lens.tolist()):
        parts.append(F.pad(matrix[:, :n].softmax(-1), (0, scores.shape[-1] - n)))
    return torch.stack(parts)


# --- gaussian-to-dot ------------------------------------------------------------------------------------------


@right("gaussian-to-dot")
def gaussian_short(query, key):
    return (query @ key.T - key.square().sum(1) / 2).softmax(1)


@right("gaussian-to-dot")
def gaussian_with_the_query_norm(query, key):
    squares = query.pow(2).sum(1, keepdim=True) - 2 * query @ key.T + key.pow(2).sum(1)
    return F.softmax(-squares / 2, dim=-1)


@right("gaussian-to-dot")
def gaussian_kernel_and_sum(query, key):
    kernel = torch.exp(query @ key.T) * torch.exp(-(key.norm(dim=1) ** 2) / 2)
    return kernel / kernel.sum(dim=1, keepdim=True)


@right("gaussian-to-dot")
def gaussian_einsum(query, key):
    scores = torch.einsum("td,sd->ts", query, key) - 0.5 * torch.einsum(
        "sd,sd->s", key, key
    )
    return torch.softmax(scores, -1)


@right("gaussian-to-dot")
def gaussian_loops(query, key):
    rows = []
    for q in query:
        scores = torch.stack([torch.dot(q, k) - torch.dot(k, k) / 2 for k in key])
        rows.append(scores.exp() / scores.exp().sum())
    return torch.stack(rows)


@right("gaussian-to-dot")
def gaussian_gram_diagonal(query, key):
    return (query @ key.mT - torch.diag(key @ key.mT) / 2).softmax(-1)


@right("gaussian-to-dot")
def gaussian_dot_by_broadcasting(query, key):
    return ((query[:, None, :] * key).sum(-1) - (key * key).sum(-1) / 2).softmax(-1)


# --- scaled-dot-scores ----------------------------------------------------------------------------------------


@right("scaled-dot-scores")
def scaled_bmm(query, key):
    return torch.bmm(query, key.transpose(1, 2)) / math.sqrt(query.shape[-1])


@right("scaled-dot-scores")
def scaled_einsum(query, key):
    return torch.einsum("btd,bsd->bts", query, key) / query.size(-1) ** 0.5


@right("scaled-dot-scores")
def scaled_query_first(query, key):
    return (query / np.sqrt(query.shape[2])) @ key.mT


@right("scaled-dot-scores")
def scaled_half_and_half(query, key):
    root = key.shape[-1] ** 0.25
    return (query / root).matmul((key / root).permute(0, 2, 1))


@right("scaled-dot-scores")
def scaled_tensor_root(query, key):
    return query @ key.swapaxes(1, 2) / torch.sqrt(torch.tensor(query.shape[-1]))


@right("scaled-dot-scores")
def scaled_broadcasting(query, key):
    return (query[:, :, None, :] * key[:, None, :, :]).sum(-1) * query.shape[-1] ** -0.5


@right("scaled-dot-scores")
def scaled_loops(query, key):
    B, T, D = query.shape
    S = key.shape[1]
    scores = torch.zeros(B, T, S, dtype=query.dtype, device=query.device)
    for b in range(B):
        for t in range(T):
            for s in range(S):
                scores[b, t, s] = (query[b, t] * key[b, s]).sum() / D**0.5
    return scores


@right("scaled-dot-scores")
def scaled_one_matrix_at_a_time(query, key):
    return torch.stack([q @ k.T for q, k in zip(query, key)]) / math.sqrt(key.size(2))


@right("scaled-dot-scores")
def scaled_baddbmm(query, key):
    start = query.new_zeros(query.shape[0], query.shape[1], key.shape[1])
    return torch.baddbmm(
        start, query, key.mT, beta=0, alpha=1 / math.sqrt(query.shape[-1])
    )


# --- additive-concat ------------------------------------------------------------------------------------------


@right("additive-concat")
def concat_split(query, key, W, w_v):
    size = query.shape[-1]
    return (
        torch.tanh((query @ W[:, :size].T)[:, :, None] + (key @ W[:, size:].T)[:, None])
        @ w_v
    )


@right("additive-concat")
def concat_loops(query, key, W, w_v):
    rows = []
    for qs, ks in zip(query, key):
        rows.append(
            torch.stack(
                [
                    torch.stack([w_v @ torch.tanh(W @ torch.cat([q, k])) for k in ks])
                    for q in qs
                ]
            )
        )
    return torch.stack(rows)


@right("additive-concat")
def concat_repeat(query, key, W, w_v):
    q = query.unsqueeze(2).repeat(1, 1, key.shape[1], 1)
    k = key.unsqueeze(1).repeat(1, query.shape[1], 1, 1)
    return F.linear(
        torch.tanh(F.linear(torch.cat((q, k), dim=3), W)), w_v[None]
    ).squeeze(-1)


@right("additive-concat")
def concat_repeat_interleave(query, key, W, w_v):
    B, T, S = query.shape[0], query.shape[1], key.shape[1]
    q, k = query.repeat_interleave(S, dim=1), key.repeat(1, T, 1)
    hidden = torch.tanh(torch.cat([q, k], -1) @ W.t())
    return (hidden @ w_v).reshape(B, T, S)


@right("additive-concat")
def concat_einsum(query, key, W, w_v):
    W_q, W_k = W.split([query.shape[-1], key.shape[-1]], dim=1)
    q = torch.einsum("btd,hd->bth", query, W_q)
    k = torch.einsum("bsd,hd->bsh", key, W_k)
    return torch.einsum("btsh,h->bts", torch.tanh(q[:, :, None] + k[:, None]), w_v)


@right("additive-concat")
def concat_tanh_by_exp(query, key, W, w_v):
    size = query.size(2)
    x = (query @ W[:, :size].T).unsqueeze(2) + (key @ W[:, size:].T).unsqueeze(1)
    return ((1 - 2 / (torch.exp(2 * x) + 1)) * w_v).sum(-1)


# --- bilinear -------------------------------------------------------------------------------------------------


@right("bilinear")
def bilinear_einsum(query, key, M):
    return torch.einsum("btq,qk,bsk->bts", query, M, key)


@right("bilinear")
def bilinear_key_side(query, key, M):
    return query @ (M @ key.transpose(1, 2))


@right("bilinear")
def bilinear_key_projected(query, key, M):
    return query @ (key @ M.T).mT


@right("bilinear")
def bilinear_bmm(query, key, M):
    return torch.bmm(torch.matmul(query, M), key.permute(0, 2, 1))


@right("bilinear")
def bilinear_loops(query, key, M):
    return torch.stack(
        [
            torch.stack([torch.stack([q @ M @ k for k in ks]) for q in qs])
            for qs, ks in zip(query, key)
        ]
    )


@right("bilinear")
def bilinear_linear_layer(query, key, M):
    return F.linear(query, M.t()) @ key.mT


@right("bilinear")
def bilinear_transposed_twice(query, key, M):
    return (key @ M.T @ query.mT).mT


import right_answers_masks_and_heads  # those on masks and heads, too
import right_answers_positions  # the exercises on positions have a file of their own
import right_answers_blocks  # and those on blocks
import right_answers_translation  # and those of the part on translation
import right_answers_transformer  # and that on the whole Transformer
