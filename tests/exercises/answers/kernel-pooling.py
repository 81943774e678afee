"""Answers to kernel-pooling, as readers write them; `verdicts.py` says how to read this file."""
# ruff: noqa (this is how people write)

import torch
import torch.nn.functional as F


def parabola(queries, keys, width):
    u = (queries.unsqueeze(-1) - keys.unsqueeze(-2)) / width
    return torch.relu(1 - u**2)


# === right
def with_where(queries, keys, values, width):
    k = parabola(queries, keys, width)
    total = k.sum(-1, keepdim=True)
    return torch.bmm(k / torch.where(total > 0, total, torch.ones_like(total)), values)


# === right
def with_masked_fill(queries, keys, values, width):
    k = parabola(queries, keys, width)
    s = k.sum(-1, keepdim=True)
    w = k / s.masked_fill(s == 0, 1.0)
    return torch.einsum("bts,bsv->btv", w, values)


# === right
def divide_at_the_end(queries, keys, values, width):
    k = parabola(queries, keys, width)
    s = k.sum(2)
    s = s + (s == 0)
    return (k @ values) / s[..., None]


# === right
def with_three_quarters(queries, keys, values, width):
    u = (queries[:, :, None] - keys[:, None]) / width
    k = 0.75 * torch.clamp(1 - u * u, min=0)
    s = k.sum(-1, keepdim=True)
    return k / s.where(s != 0, 1) @ values


# === right
def sequence_by_sequence(queries, keys, values, width):
    answers = []
    for q, k, v in zip(queries, keys, values):
        u = (q[:, None] - k[None]) / width
        kernel = torch.where(u.abs() < 1, 1 - u**2, torch.zeros_like(u))
        total = kernel.sum(1, keepdim=True)
        answers.append(kernel @ v / torch.where(total == 0, 1.0, total))
    return torch.stack(answers)


# === right
def number_by_number(queries, keys, values, width):
    rows = []
    for b in range(len(queries)):
        for t in range(queries.shape[1]):
            k = (1 - ((queries[b, t] - keys[b]) / width) ** 2).clamp(min=0)
            if k.sum() > 0:
                k = k / k.sum()
            rows.append(k @ values[b])
    return torch.stack(rows).reshape(*queries.shape, -1)


# === right
def by_the_package(queries, keys, values, width):
    from attnbook.attention import nadaraya_watson

    pooled = [nadaraya_watson(q, k, v, kernel="epanechnikov", width=width)[0] for q, k, v in zip(queries, keys, values)]
    return torch.stack(pooled)


# === right
def nan_to_num_after(queries, keys, values, width):
    # the NaN on the way back meets relu, whose gradient is 0 there by a where
    k = parabola(queries, keys, width)
    return torch.nan_to_num(k / k.sum(-1, keepdim=True)) @ values


# === right
def where_after(queries, keys, values, width):
    k = parabola(queries, keys, width)
    s = k.sum(-1, keepdim=True)
    return torch.where(s > 0, k / s, torch.zeros_like(k)) @ values


# === wrong lonely-nan
def never_thought_of_it(queries, keys, values, width):
    k = parabola(queries, keys, width)
    return k / k.sum(-1, keepdim=True) @ values


# === wrong lonely-nan
def never_thought_of_it_by_einsum(queries, keys, values, width):
    u = (queries[:, :, None] - keys[:, None, :]) / width
    k = (1 - u**2) * (u.abs() < 1)
    return torch.einsum("bts,bsv->btv", k, values) / k.sum(-1)[..., None]


# === wrong nan-gradient
def answers_mended(queries, keys, values, width):
    k = parabola(queries, keys, width)
    out = k / k.sum(-1, keepdim=True) @ values
    return out.masked_fill(out.isnan(), 0.0)


# === wrong nan-gradient
def cut_off_by_a_product(queries, keys, values, width):
    u = (queries[:, :, None] - keys[:, None, :]) / width
    k = (1 - u**2) * (u.abs() < 1)
    return torch.nan_to_num(k / k.sum(-1, keepdim=True)) @ values


# === wrong nan-gradient
def cut_off_by_a_product_and_where(queries, keys, values, width):
    u = (queries[:, :, None] - keys[:, None, :]) / width
    k = (1 - u**2) * (u.abs() < 1)
    s = k.sum(-1, keepdim=True)
    return torch.where(s == 0, 0, (k @ values) / s)


# === wrong lonely-average
def plain_average_for_the_lonely(queries, keys, values, width):
    k = parabola(queries, keys, width)
    s = k.sum(-1, keepdim=True)
    k = torch.where(s > 0, k, torch.ones_like(k))
    return k / k.sum(-1, keepdim=True) @ values


# === wrong lonely-average
def softmax_of_logarithms(queries, keys, values, width):
    k = parabola(queries, keys, width)
    low = torch.finfo(k.dtype).min / 2
    return torch.where(k > 0, k.clamp(min=1e-30).log(), low).softmax(-1) @ values


# === wrong lonely-nearest
def nearest_for_the_lonely(queries, keys, values, width):
    k = parabola(queries, keys, width)
    s = k.sum(-1, keepdim=True)
    nearest = F.one_hot((queries[:, :, None] - keys[:, None]).abs().argmin(-1), keys.shape[1]).to(k)
    k = torch.where(s > 0, k, nearest)
    return k / k.sum(-1, keepdim=True) @ values


# === wrong not-normalised
def weighted_sum(queries, keys, values, width):
    return parabola(queries, keys, width) @ values


# === wrong kernel-mean
def divided_by_the_number_of_keys(queries, keys, values, width):
    k = parabola(queries, keys, width)
    return (k.unsqueeze(-1) * values.unsqueeze(1)).mean(2)


# === wrong mean-over-reached
def divided_by_the_number_in_reach(queries, keys, values, width):
    k = parabola(queries, keys, width)
    n = (k > 0).sum(-1, keepdim=True).clamp(min=1)
    return k / n @ values


# === wrong over-queries
def the_other_axis(queries, keys, values, width):
    k = parabola(queries, keys, width)
    s = k.sum(1, keepdim=True)
    return k / torch.where(s == 0, 1.0, s) @ values


# === wrong triangular
def the_triangle(queries, keys, values, width):
    u = (queries[:, :, None] - keys[:, None]) / width
    k = torch.relu(1 - u.abs())
    s = k.sum(-1, keepdim=True)
    return k / s.masked_fill(s == 0, 1) @ values


# === wrong boxcar
def all_in_reach_alike(queries, keys, values, width):
    k = ((queries[:, :, None] - keys[:, None]).abs() <= width).to(values.dtype)
    s = k.sum(-1, keepdim=True)
    return k / s.clamp(min=1) @ values


# === wrong gaussian
def softmax_of_distances(queries, keys, values, width):
    u = (queries[:, :, None] - keys[:, None]) / width
    return (-(u**2) / 2).softmax(-1) @ values


# === wrong negative-weights
def forgot_to_cut(queries, keys, values, width):
    u = (queries[:, :, None] - keys[:, None]) / width
    k = 1 - u**2
    s = k.sum(-1, keepdim=True)
    return k / s.masked_fill(s == 0, 1) @ values


# === wrong softmax-of-kernel
def softmax_at_the_end(queries, keys, values, width):
    return torch.softmax(parabola(queries, keys, width), dim=-1) @ values


# === wrong width-multiplied
def times_the_width(queries, keys, values, width):
    k = parabola(width * queries, width * keys, 1)
    s = k.sum(-1, keepdim=True)
    return k / s.masked_fill(s == 0, 1) @ values


# === wrong width-not-squared
def the_width_once(queries, keys, values, width):
    k = torch.relu(1 - (queries[:, :, None] - keys[:, None]) ** 2 / width)
    s = k.sum(-1, keepdim=True)
    return k / s.masked_fill(s == 0, 1) @ values


# === wrong no-width
def without_the_width(queries, keys, values, width):
    k = parabola(queries, keys, 1.0)
    s = k.sum(-1, keepdim=True)
    return k / s.masked_fill(s == 0, 1) @ values


# === wrong weights-returned
def only_the_weights(queries, keys, values, width):
    k = parabola(queries, keys, width)
    s = k.sum(-1, keepdim=True)
    return k / s.masked_fill(s == 0, 1)


# === wrong first-sequence
def keys_of_the_first(queries, keys, values, width):
    k = torch.relu(1 - ((queries[..., None] - keys[0]) / width) ** 2)
    s = k.sum(-1, keepdim=True)
    return k / s.masked_fill(s == 0, 1) @ values


# === wrong no-gradient
def nothing_flows(queries, keys, values, width):
    with torch.no_grad():
        k = parabola(queries, keys, width)
        s = k.sum(-1, keepdim=True)
        return k / s.masked_fill(s == 0, 1) @ values


# === wrong flattened
def a_vector_too_few(queries, keys, values, width):
    k = parabola(queries, keys, width)
    s = k.sum(-1, keepdim=True)
    return (k / s.masked_fill(s == 0, 1) @ values).flatten(1)


# === wrong raises
def no_broadcasting(queries, keys, values, width):
    u = (queries - keys) / width
    k = torch.relu(1 - u**2)
    return k / k.sum(-1, keepdim=True) @ values


# === wrong over-the-batch
def one_sum_for_all(queries, keys, values, width):
    k = parabola(queries, keys, width)
    return k / k.sum() @ values


# === wrong sum-below-one
def pooling_sum_clamped_at_one(queries, keys, values, width):
    u = (queries[:, :, None] - keys[:, None]) / width
    k = (1 - u**2).clamp(min=0)
    return k @ values / k.sum(-1, keepdim=True).clamp(min=1)


# === right
def pooling_query_by_query_with_relu(queries, keys, values, width):
    rows = []
    for q, k, v in zip(queries, keys, values):
        for a in q:
            u = (a - k) / width
            w = torch.relu(1 - u * u)
            if w.sum() > 0:
                rows.append((w[:, None] * v).sum(0) / w.sum())
            else:
                rows.append(w @ v)
    return torch.stack(rows).reshape(queries.shape[0], queries.shape[1], -1)


# === right
def pooling_where_after_relu(queries, keys, values, width):
    u = (queries.unsqueeze(-1) - keys.unsqueeze(1)) / width
    k = torch.relu(1 - u**2)
    s = k.sum(-1, keepdim=True)
    w = torch.where(s > 0, k / s, torch.zeros_like(k))
    return w @ values


# === wrong triangular
def fresh_le(queries, keys, values, width):
    u = (queries[:, :, None] - keys[:, None]) / width
    k = torch.where(u.abs() <= 1, torch.ones_like(u), torch.zeros_like(u)) * (1 - u.abs())
    t = k.sum(-1, keepdim=True)
    return (k / torch.where(t > 0, t, torch.ones_like(t))) @ values


# === wrong few-digits
def fresh_edge_counts(queries, keys, values, width):
    u = (queries[:, :, None] - keys[:, None]) / width
    k = torch.where(u.abs() <= 1, 1 - u * u + 1e-3, 0 * u)
    t = k.sum(-1, keepdim=True)
    return (k / torch.where(t > 0, t, torch.ones_like(t))) @ values


# === wrong few-digits
def fresh_eps(queries, keys, values, width):
    u = (queries[:, :, None] - keys[:, None]) / width
    k = (1 - u**2).clamp(min=0)
    return k @ values / (k.sum(-1, keepdim=True) + 1e-3)


# === right
def fresh_where(queries, keys, values, width):
    u = (queries.unsqueeze(2) - keys.unsqueeze(1)) / width
    k = torch.where(u.abs() < 1, 1 - u**2, torch.zeros_like(u))
    top = torch.bmm(k, values)
    t = k.sum(2)
    return top / torch.where(t == 0, torch.ones_like(t), t)[..., None]


# === wrong nan-gradient
def blind_b3(queries, keys, values, width):
    u = (queries[:, :, None] - keys[:, None, :]) / width
    k = torch.clamp(1 - u**2, min=0)
    return torch.nan_to_num(k / k.sum(-1, keepdim=True)) @ values
