"""Answers to nadaraya-watson, as readers write them; `verdicts.py` says how to read this file."""
# ruff: noqa (this is how people write)

import math

import numpy as np
import torch
import torch.nn.functional as F


# === right
def nw_softmax(queries, keys, values, width):
    return F.softmax(-((queries[:, None] - keys) ** 2) / (2 * width**2), dim=1) @ values


# === right
def nw_kernel_and_sum(queries, keys, values, width):
    kernel = torch.exp(-0.5 * ((queries.reshape(-1, 1) - keys.reshape(1, -1)) / width) ** 2)
    return (kernel * values).sum(1) / kernel.sum(1)


# === right
def nw_density(queries, keys, values, width):
    distance = queries.unsqueeze(1) - keys.unsqueeze(0)
    density = torch.exp(-(distance**2) / (2 * width * width)) / (width * math.sqrt(2 * math.pi))
    return density @ values / density.sum(dim=1)


# === right
def nw_one_query_at_a_time(queries, keys, values, width):
    predictions = []
    for query in queries:
        kernel = torch.exp(-((query - keys) ** 2) / (2 * width**2))
        predictions.append((kernel * values).sum() / kernel.sum())
    return torch.stack(predictions)


# === right
def nw_double_loop(queries, keys, values, width):
    result = torch.zeros_like(queries)
    for i in range(len(queries)):
        top, bottom = 0, 0
        for j in range(len(keys)):
            k = torch.exp(-((queries[i] - keys[j]) ** 2) / 2 / width**2)
            top, bottom = top + k * values[j], bottom + k
        result[i] = top / bottom
    return result


# === right
def nw_keys_down(queries, keys, values, width):
    weights = torch.softmax(-((keys[:, None] - queries[None]) ** 2) / (2 * width**2), dim=0)
    return values @ weights


# === right
def nw_logarithms(queries, keys, values, width):
    scores = -((queries[:, None] - keys) ** 2) / (2 * width**2)
    return torch.exp(scores - torch.logsumexp(scores, 1, keepdim=True)) @ values


# === right
def nw_small_epsilon(queries, keys, values, width):
    kernel = torch.exp(-((queries[:, None] - keys) ** 2) / (2 * width**2))
    return (kernel @ values) / (kernel.sum(1) + 1e-9)


# === wrong width-multiplied
def nw_width_multiplied(queries, keys, values, width):
    d = queries[:, None] - keys
    k = torch.exp(-(d**2) / 2 * width**2)
    return (k @ values) / k.sum(1)


# === wrong over-everything
def nw_over_everything(queries, keys, values, width):
    d = queries[:, None] - keys
    k = torch.exp(-0.5 * (d / width) ** 2)
    return (k @ values) / k.sum()


# === wrong raises
def nw_raises(queries, keys, values, width):
    d = queries[:, None] - keys
    k = torch.exp(-0.5 * (d / width) ** 2)
    return (k @ values) / k.sum(0)


# === wrong raises
def nw_raises_2(queries, keys, values, width):
    d = queries[:, None] - keys
    k = torch.exp(-0.5 * (d / width) ** 2)
    return k / k.sum(1) @ values


# === wrong weights-do-not-sum-to-one
def nw_weights_do_not_sum_to_one(queries, keys, values, width):
    d = queries[:, None] - keys
    k = torch.exp(-0.5 * (d / width) ** 2) / (math.sqrt(2 * math.pi) * width)
    return k @ values


# === wrong returns-a-list
def nw_returns_a_list(queries, keys, values, width):
    out = []
    for q in queries:
        k = torch.exp(-((q - keys) ** 2) / (2 * width**2))
        out.append((k * values).sum() / k.sum())
    return out


# === wrong changes-dtype
def nw_changes_dtype(queries, keys, values, width):
    out = torch.zeros(len(queries))
    for i, q in enumerate(queries):
        k = torch.exp(-((q - keys) ** 2) / (2 * width**2))
        out[i] = (k * values).sum() / k.sum()
    return out


# === wrong another-kernel
def nw_another_kernel(queries, keys, values, width):
    d = queries[:, None] - keys
    k = torch.clamp(1 - (d / width).abs(), min=0)
    return (k @ values) / k.sum(1)


# === wrong another-kernel
def nw_another_kernel_2(queries, keys, values, width):
    d = (queries[:, None] - keys).abs()
    k = (d < width).double()
    return (k @ values) / k.sum(1)


# === wrong no-width + over-queries
def nw_no_width_over_queries(queries, keys, values, width):
    d = queries.reshape(-1, 1) - keys
    return F.softmax(-(d**2) / 2, dim=0) @ values


# === wrong mean-of-weighted + width-not-squared
def nw_mean_of_weighted_width_not_squared(queries, keys, values, width):
    d = queries.reshape(-1, 1) - keys
    return F.softmax(-(d**2) / (2 * width), dim=1) @ values / len(keys)


# === wrong no-gradient
def nw_no_gradient(queries, keys, values, width):
    d = np.array(queries)[:, None] - np.array(keys)
    k = np.exp(-(d**2) / (2 * width**2))
    return torch.tensor(k / k.sum(1, keepdims=True)) @ values


# === wrong extra-axis
def nw_extra_axis(queries, keys, values, width):
    d = queries.reshape(-1, 1) - keys
    return (F.softmax(-((d / width) ** 2) / 2, dim=1) @ values).reshape(-1, 1)


# === wrong ignores-an-argument
def nw_ignores_an_argument(queries, keys, values, width):
    d = queries.reshape(-1, 1) - values
    return F.softmax(-((d / width) ** 2) / 2, dim=1) @ values


# === wrong writes-into-argument
def nw_writes_into_argument(queries, keys, values, width):
    keys -= queries.mean()
    d = queries.reshape(-1, 1) - keys
    return F.softmax(-((d / width) ** 2) / 2, dim=1) @ values


# === wrong ignores-an-argument
def nw_ignores_an_argument_2(queries, keys, values, width):
    d = queries.reshape(-1, 1) - keys
    return F.softmax(-1 / 2 * ((d / width) ** 2), dim=1).sum(1)


# === wrong weights-do-not-sum-to-one
def nw_weights_do_not_sum_to_one_2(queries, keys, values, width):
    d = queries.reshape(-1, 1) - keys
    return values.mean() + F.softmax(-1 / 2 * ((d / width) ** 2), dim=1) @ values


# === wrong another-kernel
def nw_another_kernel_3(queries, keys, values, width):
    d = torch.cdist(queries[:, None], keys[:, None])
    k = torch.exp(-d / (2 * width**2))
    return (k @ values) / k.sum(1)


# === wrong width-multiplied-once
def nw_width_multiplied_once(queries, keys, values, width):
    d = queries[:, None] - keys
    k = torch.exp(-(d**2) / 2 * width)
    return (k @ values) / k.sum(1)


# === wrong square-outside
def nw_square_outside(queries, keys, values, width):
    d = queries[:, None] - keys
    k = torch.exp(-0.5 * d / width) ** 2
    return (k @ values) / k.sum(1)


# === wrong sign
def nw_sign(queries, keys, values, width):
    u = (queries[:, None] - keys) / width
    k = torch.exp((-u) ** 2 / 2)
    return (k @ values) / k.sum(1)


# === wrong weights-do-not-sum-to-one
def nw_weights_do_not_sum_to_one_3(queries, keys, values, width):
    u = (queries[:, None] - keys) / width
    k = torch.exp(-(u**2) / 2)
    return (k @ values) / values.sum()


# === wrong ignores-an-argument
def nw_ignores_an_argument_3(queries, keys, values, width):
    return torch.from_numpy(np.interp(queries, keys, values))


# === wrong rounded
def nw_rounded(queries, keys, values, width):
    u = (queries[:, None] - keys) / width
    k = torch.exp(-(u**2) / 2)
    k = k / k.sum(1, keepdim=True)
    return (k @ values).round()


# === wrong another-kernel
def nw_another_kernel_4(queries, keys, values, width):
    u = (queries[:, None] - keys) / width
    k = 1 / (1 + u**2)
    return (k @ values) / k.sum(1)


# === wrong another-kernel
def nw_another_kernel_5(queries, keys, values, width):
    u = (queries[:, None] - keys) / width
    k = torch.clamp(1 - u**2, min=0)
    return (k @ values) / k.sum(1)


# === wrong factor
def nw_factor(queries, keys, values, width):
    u = (queries[:, None] - keys) / width
    k = torch.exp(-(u**2) / 2)
    return (k @ values) / k.sum(1) / width


# === wrong mean-of-weighted
def nw_mean_of_weighted(queries, keys, values, width):
    u = (queries[:, None] - keys) / width
    k = torch.exp(-(u**2) / 2)
    return (k * values).mean(1) / k.sum(1)


# === wrong unknown
def nw_unknown(queries, keys, values, width):
    u = (queries[:, None] - keys) / width
    k = torch.exp(-(u**2) / 2).masked_fill(u == 0, 0)
    return (k @ values) / k.sum(1)


# === wrong cut-short
def nw_cut_short(queries, keys, values, width):
    q = queries[0]
    k = torch.exp(-(((q - keys) / width) ** 2) / 2)
    return (k * values).sum() / k.sum()


# === wrong no-gradient
def nw_no_gradient_2(queries, keys, values, width):
    out = []
    for q in queries:
        k = torch.exp(-(((q - keys) / width) ** 2) / 2)
        out.append(((k * values).sum() / k.sum()).item())
    return torch.tensor(out)


# === wrong cut-short
def nw_cut_short_2(queries, keys, values, width):
    out = []
    for q in queries:
        k = torch.exp(-(((q - keys) / width) ** 2) / 2)
        out.append((k * values).sum() / k.sum())
        return torch.stack(out)


# === wrong weights-do-not-sum-to-one
def nw_weights_do_not_sum_to_one_4(queries, keys, values, width):
    u = (queries[:, None] - keys) / width
    k = torch.exp(-(u**2) / 2) / width
    return k @ values / len(keys)


# === wrong half-missing
def fresh_no_half(queries, keys, values, width):
    d = (queries[:, None] - keys[None]) / width
    return (-(d**2)).softmax(1) @ values


# === wrong width-not-squared
def fresh_variance(queries, keys, values, width):
    d = queries[:, None] - keys[None]
    return (-(d**2) / (2 * width)).softmax(1) @ values


# === right
def fresh_kernel(queries, keys, values, width):
    k = torch.exp(-0.5 * ((queries.unsqueeze(1) - keys) / width).pow(2))
    return (k * values).sum(1) / k.sum(1)
