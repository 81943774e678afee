"""Wrong answers as readers write them, each with the diagnosis that it should hear.

They are written independently of the mistakes that the exercises know: in other styles, by other formulas, and
many are mistakes that no exercise knows by name. `wrong("soft-lookup", "no-softmax")` files a function.
"""
# ruff: noqa (this is how people write)

import math

import numpy as np
import torch
import torch.nn.functional as F

WRONG = []


def wrong(exercise, diagnosis):
    def file(function):
        WRONG.append((exercise, diagnosis, function))
        return function

    return file


# --- soft-lookup -----------------------------------------------------------------------------------------


@wrong("soft-lookup", "gradient-cut")
def lookup_gradient_cut(query, keys, values):
    scores = torch.tensor([query @ k for k in keys])
    return F.softmax(scores, dim=0) @ values


@wrong("soft-lookup", "size-one-axis")
def lookup_size_one_axis(query, keys, values):
    scores = query.unsqueeze(0) @ keys.T
    weights = F.softmax(scores, dim=0)
    return weights @ values


@wrong("soft-lookup", "extra-axis")
def lookup_extra_axis(query, keys, values):
    scores = query.unsqueeze(0) @ keys.T
    weights = F.softmax(scores, dim=-1)
    return weights @ values


@wrong("soft-lookup", "raises")
def lookup_raises(query, keys, values):
    return query @ keys @ values


@wrong("soft-lookup", "raises")
def lookup_raises_2(query, keys, values):
    weights = F.softmax(query @ keys.T, dim=0)
    return (weights * values).sum(0)


@wrong("soft-lookup", "not-summed")
def lookup_not_summed(query, keys, values):
    weights = F.softmax(query @ keys.T, dim=0)
    return values.T * weights


@wrong("soft-lookup", "features-added")
def lookup_features_added(query, keys, values):
    weights = F.softmax(query @ keys.T, dim=0)
    return torch.sum(weights[:, None] * values, dim=1)


@wrong("soft-lookup", "over-summed")
def lookup_over_summed(query, keys, values):
    weights = F.softmax(query @ keys.T, dim=0)
    return torch.sum(weights[:, None] * values)


@wrong("soft-lookup", "gradient-cut")
def lookup_gradient_cut_2(query, keys, values):
    scores = [float(query @ k) for k in keys]
    es = [math.exp(s) for s in scores]
    return sum(e / sum(es) * v for e, v in zip(es, values))


@wrong("soft-lookup", "changes-dtype")
def lookup_changes_dtype(query, keys, values):
    weights = F.softmax(query @ keys.T, dim=0)
    out = torch.zeros(values.shape[1])
    for w_, v in zip(weights, values):
        out += w_ * v
    return out


@wrong("soft-lookup", "returns-a-tuple")
def lookup_returns_a_tuple(query, keys, values):
    weights = F.softmax(query @ keys.T, dim=0)
    return weights, weights @ values


@wrong("soft-lookup", "prints")
def lookup_prints(query, keys, values):
    weights = F.softmax(query @ keys.T, dim=0)
    print(weights @ values)


@wrong("soft-lookup", "weights-do-not-sum-to-one")
def lookup_weights_do_not_sum_to_one(query, keys, values):
    weights = F.softmax(query @ keys.T)
    return values[weights.argmax()] * weights.max()


@wrong("soft-lookup", "not-normalised + mean-of-weighted")
def lookup_not_normalised_mean_of_weighted(query, keys, values):
    e = torch.exp(keys @ query)
    return e @ values / len(e)


@wrong("soft-lookup", "absolute-scores")
def lookup_absolute_scores(query, keys, values):
    sim = torch.abs(keys @ query)
    return sim.softmax(0) @ values


@wrong("soft-lookup", "scores-rescaled")
def lookup_scores_rescaled(query, keys, values):
    weights = F.softmax(keys @ query / 0.5, dim=0)
    return weights @ values


@wrong("soft-lookup", "over-summed")
def lookup_over_summed_2(query, keys, values):
    weights = F.softmax(keys @ query, dim=0)
    return (weights @ values).mean()


@wrong("soft-lookup", "scaled")
def lookup_scaled(query, keys, values):
    return F.scaled_dot_product_attention(query[None], keys, values)[0]


@wrong("soft-lookup", "not-finite")
def lookup_not_finite(query, keys, values):
    w = F.relu(keys @ query)
    return (w / w.sum()) @ values


@wrong("soft-lookup", "weights-do-not-sum-to-one")
def lookup_weights_do_not_sum_to_one_2(query, keys, values):
    s = keys @ query
    return (s / s.max()) @ values


@wrong("soft-lookup", "ignores-an-argument")
def lookup_ignores_an_argument(query, keys, values):
    s = (query - keys).sum(1)
    return s.softmax(0) @ values


@wrong("soft-lookup", "other-weights")
def lookup_other_weights(query, keys, values):
    s = keys @ query
    s = (s - s.min()) / (s.max() - s.min())
    return (s / s.sum()) @ values


@wrong("soft-lookup", "other-weights")
def lookup_other_weights_2(query, keys, values):
    top = (keys @ query).topk(min(2, len(keys)))
    return top.values.softmax(0) @ values[top.indices]


@wrong("soft-lookup", "returns-numpy")
def lookup_returns_numpy(query, keys, values):
    s = np.exp(keys.numpy() @ query.numpy())
    return s / s.sum() @ values.numpy()


@wrong("soft-lookup", "wrong-shape")
def lookup_wrong_shape(query, keys, values):
    return (keys @ query).argmax()


@wrong("soft-lookup", "not-repeatable")
def lookup_not_repeatable(query, keys, values):
    w = (keys @ query).softmax(0)
    return values[torch.multinomial(w, 1)][0]


@wrong("soft-lookup", "returns-a-list")
def lookup_returns_a_list(query, keys, values):
    w = (keys @ query).softmax(0)
    return (w @ values).tolist()


@wrong("soft-lookup", "scores-rescaled")
def lookup_scores_rescaled_2(query, keys, values):
    query = F.normalize(query, dim=0)
    return (keys @ query).softmax(0) @ values


@wrong("soft-lookup", "weights-do-not-sum-to-one")
def lookup_weights_do_not_sum_to_one_3(query, keys, values):
    w = (keys @ query).softmax(0)
    w = torch.where(w < 0.1, 0.0, w)
    return w @ values


@wrong("soft-lookup", "changes-dtype")
def lookup_changes_dtype_2(query, keys, values):
    return ((keys @ query).softmax(0) @ values).float()


@wrong("soft-lookup", "returns-another-kind")
def lookup_returns_another_kind(query, keys, values):
    yield (keys @ query).softmax(0) @ values


@wrong("soft-lookup", "unknown")
def lookup_unknown(query, keys, values):
    return (keys @ query).softmax(0) @ values + query.sum()


# --- nadaraya-watson -------------------------------------------------------------------------------------


@wrong("nadaraya-watson", "width-multiplied")
def nw_width_multiplied(queries, keys, values, width):
    d = queries[:, None] - keys
    k = torch.exp(-(d**2) / 2 * width**2)
    return (k @ values) / k.sum(1)


@wrong("nadaraya-watson", "over-everything")
def nw_over_everything(queries, keys, values, width):
    d = queries[:, None] - keys
    k = torch.exp(-0.5 * (d / width) ** 2)
    return (k @ values) / k.sum()


@wrong("nadaraya-watson", "raises")
def nw_raises(queries, keys, values, width):
    d = queries[:, None] - keys
    k = torch.exp(-0.5 * (d / width) ** 2)
    return (k @ values) / k.sum(0)


@wrong("nadaraya-watson", "raises")
def nw_raises_2(queries, keys, values, width):
    d = queries[:, None] - keys
    k = torch.exp(-0.5 * (d / width) ** 2)
    return k / k.sum(1) @ values


@wrong("nadaraya-watson", "weights-do-not-sum-to-one")
def nw_weights_do_not_sum_to_one(queries, keys, values, width):
    d = queries[:, None] - keys
    k = torch.exp(-0.5 * (d / width) ** 2) / (math.sqrt(2 * math.pi) * width)
    return k @ values


@wrong("nadaraya-watson", "returns-a-list")
def nw_returns_a_list(queries, keys, values, width):
    out = []
    for q in queries:
        k = torch.exp(-((q - keys) ** 2) / (2 * width**2))
        out.append((k * values).sum() / k.sum())
    return out


@wrong("nadaraya-watson", "changes-dtype")
def nw_changes_dtype(queries, keys, values, width):
    out = torch.zeros(len(queries))
    for i, q in enumerate(queries):
        k = torch.exp(-((q - keys) ** 2) / (2 * width**2))
        out[i] = (k * values).sum() / k.sum()
    return out


@wrong("nadaraya-watson", "another-kernel")
def nw_another_kernel(queries, keys, values, width):
    d = queries[:, None] - keys
    k = torch.clamp(1 - (d / width).abs(), min=0)
    return (k @ values) / k.sum(1)


@wrong("nadaraya-watson", "another-kernel")
def nw_another_kernel_2(queries, keys, values, width):
    d = (queries[:, None] - keys).abs()
    k = (d < width).double()
    return (k @ values) / k.sum(1)


@wrong("nadaraya-watson", "no-width + over-queries")
def nw_no_width_over_queries(queries, keys, values, width):
    d = queries.reshape(-1, 1) - keys
    return F.softmax(-(d**2) / 2, dim=0) @ values


@wrong("nadaraya-watson", "mean-of-weighted + width-not-squared")
def nw_mean_of_weighted_width_not_squared(queries, keys, values, width):
    d = queries.reshape(-1, 1) - keys
    return F.softmax(-(d**2) / (2 * width), dim=1) @ values / len(keys)


@wrong("nadaraya-watson", "no-gradient")
def nw_no_gradient(queries, keys, values, width):
    d = np.array(queries)[:, None] - np.array(keys)
    k = np.exp(-(d**2) / (2 * width**2))
    return torch.tensor(k / k.sum(1, keepdims=True)) @ values


@wrong("nadaraya-watson", "extra-axis")
def nw_extra_axis(queries, keys, values, width):
    d = queries.reshape(-1, 1) - keys
    return (F.softmax(-((d / width) ** 2) / 2, dim=1) @ values).reshape(-1, 1)


@wrong("nadaraya-watson", "ignores-an-argument")
def nw_ignores_an_argument(queries, keys, values, width):
    d = queries.reshape(-1, 1) - values
    return F.softmax(-((d / width) ** 2) / 2, dim=1) @ values


@wrong("nadaraya-watson", "writes-into-argument")
def nw_writes_into_argument(queries, keys, values, width):
    keys -= queries.mean()
    d = queries.reshape(-1, 1) - keys
    return F.softmax(-((d / width) ** 2) / 2, dim=1) @ values


@wrong("nadaraya-watson", "ignores-an-argument")
def nw_ignores_an_argument_2(queries, keys, values, width):
    d = queries.reshape(-1, 1) - keys
    return F.softmax(-1 / 2 * ((d / width) ** 2), dim=1).sum(1)


@wrong("nadaraya-watson", "weights-do-not-sum-to-one")
def nw_weights_do_not_sum_to_one_2(queries, keys, values, width):
    d = queries.reshape(-1, 1) - keys
    return values.mean() + F.softmax(-1 / 2 * ((d / width) ** 2), dim=1) @ values


@wrong("nadaraya-watson", "another-kernel")
def nw_another_kernel_3(queries, keys, values, width):
    d = torch.cdist(queries[:, None], keys[:, None])
    k = torch.exp(-d / (2 * width**2))
    return (k @ values) / k.sum(1)


@wrong("nadaraya-watson", "width-multiplied-once")
def nw_width_multiplied_once(queries, keys, values, width):
    d = queries[:, None] - keys
    k = torch.exp(-(d**2) / 2 * width)
    return (k @ values) / k.sum(1)


@wrong("nadaraya-watson", "square-outside")
def nw_square_outside(queries, keys, values, width):
    d = queries[:, None] - keys
    k = torch.exp(-0.5 * d / width) ** 2
    return (k @ values) / k.sum(1)


@wrong("nadaraya-watson", "sign")
def nw_sign(queries, keys, values, width):
    u = (queries[:, None] - keys) / width
    k = torch.exp((-u) ** 2 / 2)
    return (k @ values) / k.sum(1)


@wrong("nadaraya-watson", "weights-do-not-sum-to-one")
def nw_weights_do_not_sum_to_one_3(queries, keys, values, width):
    u = (queries[:, None] - keys) / width
    k = torch.exp(-(u**2) / 2)
    return (k @ values) / values.sum()


@wrong("nadaraya-watson", "ignores-an-argument")
def nw_ignores_an_argument_3(queries, keys, values, width):
    return torch.from_numpy(np.interp(queries, keys, values))


@wrong("nadaraya-watson", "rounded")
def nw_rounded(queries, keys, values, width):
    u = (queries[:, None] - keys) / width
    k = torch.exp(-(u**2) / 2)
    k = k / k.sum(1, keepdim=True)
    return (k @ values).round()


@wrong("nadaraya-watson", "another-kernel")
def nw_another_kernel_4(queries, keys, values, width):
    u = (queries[:, None] - keys) / width
    k = 1 / (1 + u**2)
    return (k @ values) / k.sum(1)


@wrong("nadaraya-watson", "another-kernel")
def nw_another_kernel_5(queries, keys, values, width):
    u = (queries[:, None] - keys) / width
    k = torch.clamp(1 - u**2, min=0)
    return (k @ values) / k.sum(1)


@wrong("nadaraya-watson", "factor")
def nw_factor(queries, keys, values, width):
    u = (queries[:, None] - keys) / width
    k = torch.exp(-(u**2) / 2)
    return (k @ values) / k.sum(1) / width


@wrong("nadaraya-watson", "mean-of-weighted")
def nw_mean_of_weighted(queries, keys, values, width):
    u = (queries[:, None] - keys) / width
    k = torch.exp(-(u**2) / 2)
    return (k * values).mean(1) / k.sum(1)


@wrong("nadaraya-watson", "unknown")
def nw_unknown(queries, keys, values, width):
    u = (queries[:, None] - keys) / width
    k = torch.exp(-(u**2) / 2).masked_fill(u == 0, 0)
    return (k @ values) / k.sum(1)


@wrong("nadaraya-watson", "cut-short")
def nw_cut_short(queries, keys, values, width):
    q = queries[0]
    k = torch.exp(-(((q - keys) / width) ** 2) / 2)
    return (k * values).sum() / k.sum()


@wrong("nadaraya-watson", "no-gradient")
def nw_no_gradient_2(queries, keys, values, width):
    out = []
    for q in queries:
        k = torch.exp(-(((q - keys) / width) ** 2) / 2)
        out.append(((k * values).sum() / k.sum()).item())
    return torch.tensor(out)


@wrong("nadaraya-watson", "cut-short")
def nw_cut_short_2(queries, keys, values, width):
    out = []
    for q in queries:
        k = torch.exp(-(((q - keys) / width) ** 2) / 2)
        out.append((k * values).sum() / k.sum())
        return torch.stack(out)


@wrong("nadaraya-watson", "weights-do-not-sum-to-one")
def nw_weights_do_not_sum_to_one_4(queries, keys, values, width):
    u = (queries[:, None] - keys) / width
    k = torch.exp(-(u**2) / 2) / width
    return k @ values / len(keys)


# --- leave-one-out ---------------------------------------------------------------------------------------


@wrong("leave-one-out", "no-gradient")
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


@wrong("leave-one-out", "mean")
def loo_mean(x, y, w):
    d = x[:, None] - x
    k = torch.exp(-((w * d) ** 2) / 2) - torch.eye(len(x))
    return F.mse_loss((k @ y) / k.sum(1), y)


@wrong("leave-one-out", "errors-added-first")
def loo_errors_added_first(x, y, w):
    loss = 0
    for i in range(len(x)):
        xs = torch.cat([x[:i], x[i + 1 :]])
        ys = torch.cat([y[:i], y[i + 1 :]])
        loss += ((xs - x[i]) * w).pow(2).div(-2).softmax(0) @ ys - y[i]
    return loss**2


@wrong("leave-one-out", "raises")
def loo_raises(x, y, w):
    loss = 0
    for i in range(len(x)):
        xs = torch.cat([x[:i], x[i + 1 :]])
        loss += (((xs - x[i]) * w).pow(2).div(-2).softmax(0) @ y - y[i]) ** 2
    return loss


@wrong("leave-one-out", "point-kept")
def loo_point_kept(x, y, w):
    d = x[:, None] - x
    s = -((w * d) ** 2) / 2
    s.fill_diagonal_(0)
    return ((s.softmax(1) @ y - y) ** 2).sum()


@wrong("leave-one-out", "rooted")
def loo_rooted(x, y, w):
    d = x[:, None] - x
    s = -((w * d) ** 2) / 2
    s = s - 1e9 * torch.eye(len(x))
    return ((s.softmax(1) @ y - y) ** 2).sum() ** 0.5


@wrong("leave-one-out", "point-kept + mean + half-missing")
def loo_point_kept_mean_half_missing(x, y, w):
    d = x[:, None] - x
    s = -((w * d) ** 2)
    a = s.softmax(1)
    return ((a @ y - y) ** 2).mean()


@wrong("leave-one-out", "unknown")
def loo_unknown(x, y, w):
    d = x[:, None] - x
    s = -((d / w) ** 2) / 2
    s = s.masked_fill(torch.eye(len(x)).bool(), -1)
    return ((s.softmax(1) @ y - y) ** 2).sum()


@wrong("leave-one-out", "not-finite")
def loo_not_finite(x, y, w):
    d = x[:, None] - x
    s = -((w * d) ** 2) / 2
    s = s.masked_fill(torch.triu(torch.ones_like(s)).bool(), -torch.inf)
    return ((s.softmax(1) @ y - y) ** 2).sum()


@wrong("leave-one-out", "unknown")
def loo_unknown_2(x, y, w):
    d = x[:, None] - x
    s = (-((w * d) ** 2) / 2).softmax(1)
    s = s * (1 - torch.eye(len(x)))
    s = s / s.sum()
    return ((s @ y - y) ** 2).sum()


@wrong("leave-one-out", "no-gradient")
def loo_no_gradient_2(x, y, w):
    d = x[:, None] - x
    s = -((w * d) ** 2) / 2
    s.fill_diagonal_(-torch.inf)
    return ((s.softmax(1) @ y - y) ** 2).sum().detach()


@wrong("leave-one-out", "raises")
def loo_raises_2(x, y, w):
    s = -(w**2) * (x[:, None] - x) ** 2 / 2
    s = s.masked_fill(torch.eye(7).bool(), -torch.inf)
    return ((s.softmax(1) @ y - y) ** 2).sum()


@wrong("leave-one-out", "all-pairs")
def loo_all_pairs(x, y, w):
    s = -((w * (x[:, None] - x)) ** 2) / 2
    s.fill_diagonal_(-torch.inf)
    p = s.softmax(1) @ y[:, None]
    return ((p - y) ** 2).sum()


@wrong("leave-one-out", "last-point-missing")
def loo_last_point_missing(x, y, w):
    loss = 0
    for i in range(len(x) - 1):
        m = torch.arange(len(x)) != i
        loss += ((-((w * (x[m] - x[i])) ** 2) / 2).softmax(0) @ y[m] - y[i]) ** 2
    return loss


@wrong("leave-one-out", "factor")
def loo_factor(x, y, w):
    s = -((w * (x[:, None] - x)) ** 2) / 2
    s.fill_diagonal_(-torch.inf)
    return (s.softmax(1) @ y - y).pow(2).sum() / 2 / len(x)


@wrong("leave-one-out", "few-digits")
def loo_few_digits(x, y, w):
    s = -((w * (x[:, None] - x)) ** 2) / 2
    s.fill_diagonal_(-10)
    return (s.softmax(1) @ y - y).pow(2).sum()


@wrong("leave-one-out", "no-gradient")
def loo_no_gradient_3(x, y, w):
    s = -((w * (x[:, None] - x)) ** 2) / 2
    s.fill_diagonal_(-torch.inf)
    return torch.tensor(float((s.softmax(1) @ y - y).pow(2).sum()))


@wrong("leave-one-out", "gradient-fails")
def loo_gradient_fails(x, y, w):
    k = torch.exp(-((w * (x[:, None] - x)) ** 2) / 2)
    k.fill_diagonal_(0)
    return ((k @ y) / k.sum(1) - y).pow(2).sum()


@wrong("leave-one-out", "last-point-only")
def loo_last_point_only(x, y, w):
    loss = 0
    for i in range(len(x)):
        s = -((w * (x - x[i])) ** 2) / 2
        s[i] = -torch.inf
        loss = (s.softmax(0) @ y - y[i]) ** 2
    return loss


@wrong("leave-one-out", "first-point-only")
def loo_first_point_only(x, y, w):
    loss = 0
    for i in range(len(x)):
        s = -((w * (x - x[i])) ** 2) / 2
        s[i] = -torch.inf
        loss += (s.softmax(0) @ y - y[i]) ** 2
        return loss


@wrong("leave-one-out", "rooted")
def loo_rooted_2(x, y, w):
    s = -((w * (x[:, None] - x)) ** 2) / 2
    s[torch.eye(len(x)).bool()] = -torch.inf
    w = 1
    return (s.softmax(1) @ y - y).norm()


@wrong("leave-one-out", "writes-into-argument")
def loo_writes_into_argument(x, y, w):
    y -= y.mean()
    s = -((w * (x[:, None] - x)) ** 2) / 2
    s.fill_diagonal_(-torch.inf)
    return (s.softmax(1) @ y - y).pow(2).sum()


@wrong("leave-one-out", "not-repeatable")
def loo_not_repeatable(x, y, w):
    i = torch.randint(len(x), (1,)).item()
    s = -((w * (x - x[i])) ** 2) / 2
    s[i] = -torch.inf
    return (s.softmax(0) @ y - y[i]) ** 2


# --- masked-softmax --------------------------------------------------------------------------------------


@wrong("masked-softmax", "uniform-row")
def masked_uniform_row(scores, valid_lens):
    for b in range(len(scores)):
        scores[b, :, valid_lens[b] :] = -1e6
    return scores.softmax(-1)


@wrong("masked-softmax", "returns-a-list")
def masked_returns_a_list(scores, valid_lens):
    out = []
    for s, n in zip(scores, valid_lens):
        out.append(s[:, :n].softmax(-1))
    return out


@wrong("masked-softmax", "mask-after-softmax")
def masked_mask_after_softmax(scores, valid_lens):
    out = torch.zeros_like(scores)
    for b in range(len(scores)):
        n = int(valid_lens[b])
        out[b, :, :n] = scores[b].softmax(-1)[:, :n]
    return out


@wrong("masked-softmax", "inverted")
def masked_inverted(scores, valid_lens):
    mask = torch.arange(scores.shape[2])[None, None, :] < valid_lens[:, None, None]
    e = scores.masked_fill(mask, -1e9)
    return e.softmax(-1)


@wrong("masked-softmax", "wrong-device")
def masked_wrong_device(scores, valid_lens):
    mask = torch.arange(scores.shape[2])[None, None, :] < valid_lens[:, None, None]
    e = scores.masked_fill(~mask, float("-inf"))
    return torch.nan_to_num(e.softmax(-1))


@wrong("masked-softmax", "one-shape-only")
def masked_one_shape_only(scores, valid_lens):
    mask = torch.arange(4) < valid_lens[:, None, None]
    return scores.masked_fill(~mask, float("-inf")).softmax(-1).masked_fill(~mask, 0)


@wrong("masked-softmax", "query-axis")
def masked_query_axis(scores, valid_lens):
    mask = torch.arange(scores.size(1))[None, :, None] < valid_lens[:, None, None]
    return scores.masked_fill(~mask, -1e6).softmax(-1)


@wrong("masked-softmax", "zero-fill-and-mask")
def masked_zero_fill_and_mask(scores, valid_lens):
    mask = (torch.arange(scores.size(-1)) < valid_lens[:, None, None]).float()
    return (scores * mask).softmax(-1) * mask


@wrong("masked-softmax", "nan-row")
def masked_nan_row(scores, valid_lens):
    mask = torch.arange(scores.size(-1)) < valid_lens[:, None, None]
    return F.softmax(scores + mask.log(), dim=-1)


@wrong("masked-softmax", "zero-fill")
def masked_zero_fill(scores, valid_lens):
    mask = torch.arange(scores.size(-1)) < valid_lens[:, None, None]
    return F.softmax(scores.masked_fill(~mask, 1e-6), dim=-1)


@wrong("masked-softmax", "over-everything")
def masked_over_everything(scores, valid_lens):
    mask = torch.arange(scores.size(-1)) < valid_lens[:, None, None]
    e = scores.exp() * mask
    return e / e.sum()


@wrong("masked-softmax", "softmax-over-queries")
def masked_softmax_over_queries(scores, valid_lens):
    mask = torch.arange(scores.size(-1)) < valid_lens[:, None, None]
    e = scores.exp() * mask
    return e / e.sum(1, keepdim=True)


@wrong("masked-softmax", "nan-row")
def masked_nan_row_2(scores, valid_lens):
    mask = torch.arange(scores.size(-1)) < valid_lens[:, None, None]
    e = scores.exp() * mask
    return e / e.sum(-1, keepdim=True)


@wrong("masked-softmax", "one-shape-only")
def masked_one_shape_only_2(scores, valid_lens):
    mask = torch.arange(scores.size(-1)) < valid_lens
    return scores.masked_fill(~mask, -torch.inf).softmax(-1)


@wrong("masked-softmax", "wrong-device")
def masked_wrong_device_2(scores, valid_lens):
    mask = torch.arange(scores.size(-1)) < valid_lens[:, None, None]
    return torch.where(mask, scores, torch.tensor(-1e6)).softmax(-1) * mask


@wrong("masked-softmax", "weights-do-not-sum-to-one")
def masked_weights_do_not_sum_to_one(scores, valid_lens):
    mask = torch.arange(scores.size(-1)) < valid_lens[:, None, None]
    a = scores.softmax(-1) * mask
    return a / (a.sum(-1, keepdim=True) + 1e-3)


@wrong("masked-softmax", "ignores-lengths")
def masked_ignores_lengths(scores, valid_lens):
    scores.masked_fill(torch.arange(scores.size(-1)) >= valid_lens[:, None, None], -1e6)
    return scores.softmax(-1)


@wrong("masked-softmax", "softmax-over-queries")
def masked_softmax_over_queries_2(scores, valid_lens):
    m = torch.arange(scores.size(-1)) >= valid_lens[:, None, None]
    return scores.masked_fill(m, -1e6).softmax(1)


@wrong("masked-softmax", "softmax-over-batch")
def masked_softmax_over_batch(scores, valid_lens):
    m = torch.arange(scores.size(-1)) >= valid_lens[:, None, None]
    return scores.masked_fill(m, -1e6).softmax(0)


@wrong("masked-softmax", "one-too-many")
def masked_one_too_many(scores, valid_lens):
    m = torch.arange(scores.size(-1), device=scores.device) > valid_lens[:, None, None]
    return scores.masked_fill(m, -torch.inf).softmax(-1).masked_fill(m, 0)


@wrong("masked-softmax", "no-softmax")
def masked_no_softmax(scores, valid_lens):
    m = torch.arange(scores.size(-1), device=scores.device) >= valid_lens[:, None, None]
    return scores.masked_fill(m, -torch.inf)


@wrong("masked-softmax", "one-shape-only")
def masked_one_shape_only_3(scores, valid_lens):
    m = torch.arange(scores.size(-1)) < valid_lens[:, None]
    return scores.masked_fill(~m, -1e6).softmax(-1)


@wrong("masked-softmax", "inverted")
def masked_inverted_2(scores, valid_lens):
    m = (torch.arange(scores.size(-1)) < valid_lens[:, None, None]).float()
    return (scores - 1e9 * m).softmax(-1)


@wrong("masked-softmax", "over-the-sentence")
def masked_over_the_sentence(scores, valid_lens):
    m = torch.arange(scores.size(-1)) < valid_lens[:, None, None]
    return scores.masked_fill(~m, -1e9).flatten(1).softmax(-1).reshape(scores.shape)


@wrong("masked-softmax", "fails-at-the-edge")
def masked_fails_at_the_edge(scores, valid_lens):
    out = torch.zeros_like(scores)
    for b, n in enumerate(valid_lens):
        s = scores[b, :, :n]
        e = (s - s.max(-1, keepdim=True).values).exp()
        out[b, :, :n] = e / e.sum(-1, keepdim=True)
    return out


@wrong("masked-softmax", "uniform-row")
def masked_uniform_row_2(scores, valid_lens):
    m = torch.arange(scores.size(-1)) < valid_lens[:, None, None]
    a = scores.masked_fill(~m, -1e9).softmax(-1)
    a[valid_lens == 0] = 1 / scores.size(-1)
    return a


@wrong("masked-softmax", "writes-into-argument")
def masked_writes_into_argument(scores, valid_lens):
    m = torch.arange(scores.size(-1)) < valid_lens[:, None, None]
    scores[~m.expand_as(scores)] = -1e9
    return scores.softmax(-1) * m


@wrong("masked-softmax", "mask-after-softmax + softmax-on-top")
def masked_mask_after_softmax_softmax_on_top(scores, valid_lens):
    m = torch.arange(scores.size(-1)) < valid_lens[:, None, None]
    return (scores.softmax(-1) * m).softmax(-1)


@wrong("masked-softmax", "filled-after-softmax")
def masked_filled_after_softmax(scores, valid_lens):
    m = torch.arange(scores.size(-1)) < valid_lens[:, None, None]
    a = scores.softmax(-1).masked_fill(~m, -1e9)
    return a


@wrong("masked-softmax", "weights-do-not-sum-to-one")
def masked_weights_do_not_sum_to_one_2(scores, valid_lens):
    m = torch.arange(scores.size(-1)) < valid_lens[:, None, None]
    return torch.sigmoid(scores) * m


@wrong("masked-softmax", "ignores-an-argument")
def masked_ignores_an_argument(scores, valid_lens):
    m = torch.tril(torch.ones(scores.shape[-2:])).bool()
    return scores.masked_fill(~m, -1e9).softmax(-1)


@wrong("masked-softmax", "returns-another-kind")
def masked_returns_another_kind(scores, valid_lens):
    return torch.nested.nested_tensor([s[:, :n] for s, n in zip(scores, valid_lens)])


@wrong("masked-softmax", "uniform-row")
def masked_uniform_row_3(scores, valid_lens):
    m = (
        (torch.arange(scores.size(-1)).repeat(len(scores), 1) < valid_lens.unsqueeze(1))
        .unsqueeze(1)
        .float()
    )
    return (scores * m - 1e9 * (1 - m)).softmax(-1)


@wrong("masked-softmax", "uniform-row")
def masked_uniform_row_4(scores, valid_lens):
    m = torch.arange(scores.size(-1)) < valid_lens[:, None, None]
    return F.softmax(scores.masked_fill(~m, -30.0), -1)


@wrong("masked-softmax", "no-gradient")
def masked_no_gradient(scores, valid_lens):
    m = torch.arange(scores.size(-1), device=scores.device) < valid_lens[:, None, None]
    return (
        scores.masked_fill(~m, torch.finfo(torch.float32).min).softmax(-1).detach() * m
    )


@wrong("masked-softmax", "one-shape-only")
def masked_one_shape_only_4(scores, valid_lens):
    n = int(valid_lens)
    out = torch.zeros_like(scores)
    out[..., :n] = scores[..., :n].softmax(-1)
    return out


@wrong("masked-softmax", "shortest-length")
def masked_shortest_length(scores, valid_lens):
    n = valid_lens.min()
    out = torch.zeros_like(scores)
    out[..., :n] = scores[..., :n].softmax(-1)
    return out


@wrong("masked-softmax", "zero-fill-and-mask")
def masked_zero_fill_and_mask_2(scores, valid_lens):
    m = torch.arange(scores.size(-1), device=scores.device) < valid_lens[:, None, None]
    e = (scores * m).exp()
    return e / e.sum(-1, keepdim=True) * m


# --- gaussian-to-dot -------------------------------------------------------------------------------------


@wrong("gaussian-to-dot", "norms-forgotten + scaled")
def gaussian_norms_forgotten_scaled(query, key):
    return (query @ key.T / math.sqrt(query.shape[1])).softmax(-1)


@wrong("gaussian-to-dot", "norms-forgotten")
def gaussian_norms_forgotten(query, key):
    return (query @ key.T - 0.5 * key.norm() ** 2).softmax(-1)


@wrong("gaussian-to-dot", "raises")
def gaussian_raises(query, key):
    return (query @ key.T - 0.5 * (key**2).sum(0)).softmax(-1)


@wrong("gaussian-to-dot", "raises")
def gaussian_raises_2(query, key):
    return (query @ key.T - 0.5 * (key**2).sum(1, keepdim=True)).softmax(-1)


@wrong("gaussian-to-dot", "norms-forgotten")
def gaussian_norms_forgotten_2(query, key):
    return (query @ key.T - 0.5 * (query**2).sum(1, keepdim=True)).softmax(-1)


@wrong("gaussian-to-dot", "outer-half-missing")
def gaussian_outer_half_missing(query, key):
    d = (query**2).sum(1, keepdim=True) + (key**2).sum(1) - 2 * query @ key.T
    return (-d).softmax(-1)


@wrong("gaussian-to-dot", "kernel-returned")
def gaussian_kernel_returned(query, key):
    d = (query**2).sum(1, keepdim=True) + (key**2).sum(1) - 2 * query @ key.T
    return torch.exp(-d / 2)


@wrong("gaussian-to-dot", "half-distance")
def gaussian_half_distance(query, key):
    d = (query**2).sum(1, keepdim=True) + (key**2).sum(1) - 2 * query @ key.T
    return (-d.sqrt() / 2).softmax(-1)


@wrong("gaussian-to-dot", "norm-added + sign")
def gaussian_norm_added_sign(query, key):
    d = (query**2).sum(1, keepdim=True) + (key**2).sum(1) + 2 * query @ key.T
    return (-d / 2).softmax(-1)


@wrong("gaussian-to-dot", "kernel-over-queries")
def gaussian_kernel_over_queries(query, key):
    d = (query**2).sum(1, keepdim=True) + (key**2).sum(1) - 2 * query @ key.T
    k = torch.exp(-d / 2)
    return k / k.sum(0)


@wrong("gaussian-to-dot", "kernel-returned + softmax-on-top")
def gaussian_kernel_returned_softmax_on_top(query, key):
    return torch.stack(
        [torch.stack([torch.exp(-(q - k) @ (q - k) / 2) for k in key]) for q in query]
    ).softmax(-1)


@wrong("gaussian-to-dot", "exp-only + softmax-on-top")
def gaussian_exp_only_softmax_on_top(query, key):
    return torch.exp(query @ key.T - 0.5 * (key**2).sum(1)).softmax(-1)


@wrong("gaussian-to-dot", "exp-only")
def gaussian_exp_only(query, key):
    return torch.exp(query @ key.T) / torch.exp((key**2).sum(1) / 2)


@wrong("gaussian-to-dot", "weights-do-not-sum-to-one")
def gaussian_weights_do_not_sum_to_one(query, key):
    return (query @ key.T).softmax(-1) * torch.exp(-(key**2).sum(-1) / 2)


@wrong("gaussian-to-dot", "uses-distances")
def gaussian_uses_distances(query, key):
    return torch.exp(-(torch.cdist(query, key) ** 2) / 2) / torch.exp(
        -(torch.cdist(query, key) ** 2) / 2
    ).sum(1, keepdim=True)


@wrong("gaussian-to-dot", "unknown")
def gaussian_unknown(query, key):
    return (
        query @ key.T - 0.5 * (query**2).sum(-1, keepdim=True) * (key**2).sum(-1)
    ).softmax(-1)


@wrong("gaussian-to-dot", "norm-not-squared")
def gaussian_norm_not_squared(query, key):
    return (query @ key.T - 0.5 * torch.norm(key, dim=1)).softmax(-1)


@wrong("gaussian-to-dot", "over-queries")
def gaussian_over_queries(query, key):
    return (query @ key.T - 0.5 * torch.norm(key, dim=1) ** 2).softmax(0)


@wrong("gaussian-to-dot", "scores-rescaled")
def gaussian_scores_rescaled(query, key):
    return (query @ key.T / 2 - 0.5 * torch.norm(key, dim=1) ** 2 / 2).softmax(-1)


@wrong("gaussian-to-dot", "norms-forgotten")
def gaussian_norms_forgotten_3(query, key):
    return (query @ key.T - 0.5 * key.pow(2).sum()).softmax(-1)


@wrong("gaussian-to-dot", "outer-half-missing + sign")
def gaussian_outer_half_missing_sign(query, key):
    return F.softmax(torch.sum((query[:, None] - key) ** 2, -1), -1)


@wrong("gaussian-to-dot", "outer-half-missing")
def gaussian_outer_half_missing_2(query, key):
    return F.softmax(-torch.sum((query[:, None] - key) ** 2, -1), -1)


@wrong("gaussian-to-dot", "wrong-gradient")
def gaussian_wrong_gradient(query, key):
    n = torch.tensor([float(k @ k) for k in key])
    return F.softmax(query @ key.T - n / 2, -1)


@wrong("gaussian-to-dot", "over-queries + transposed")
def gaussian_over_queries_transposed(query, key):
    return F.softmax((query @ key.T - (key**2).sum(-1) / 2).T, -1)


@wrong("gaussian-to-dot", "log-on-top")
def gaussian_log_on_top(query, key):
    return F.softmax((query @ key.T - (key**2).sum(-1) / 2).T, 0).T.log()


@wrong("gaussian-to-dot", "other-scores")
def gaussian_other_scores(query, key):
    k = key / key.norm(dim=-1, keepdim=True)
    return F.softmax(query @ k.T, -1)


# --- scaled-dot-scores -----------------------------------------------------------------------------------


@wrong("scaled-dot-scores", "factor")
def scaled_factor(query, key):
    return torch.bmm(query, key.transpose(1, 2)) / query.shape[-1] ** 2


@wrong("scaled-dot-scores", "t-of-three-axes")
def scaled_t_of_three_axes(query, key):
    return query @ key.T / math.sqrt(query.shape[-1])


@wrong("scaled-dot-scores", "root-of-batch")
def scaled_root_of_batch(query, key):
    d = query.shape[0]
    return query @ key.mT / math.sqrt(d)


@wrong("scaled-dot-scores", "factor")
def scaled_factor_2(query, key):
    return query @ key.mT / math.sqrt(4)


@wrong("scaled-dot-scores", "transposed")
def scaled_transposed(query, key):
    return torch.einsum("btd,bsd->bst", query, key) / math.sqrt(query.shape[-1])


@wrong("scaled-dot-scores", "all-keys-added")
def scaled_all_keys_added(query, key):
    return torch.einsum("btd,csd->bts", query, key) / math.sqrt(query.shape[-1])


@wrong("scaled-dot-scores", "factor")
def scaled_factor_3(query, key):
    return torch.einsum("btd,bsd->bts", query, key) / math.sqrt(
        query.shape[-2] * query.shape[-1]
    )


@wrong("scaled-dot-scores", "factor")
def scaled_factor_4(query, key):
    return torch.einsum("btd,bsd->bts", query, key) / math.log(query.shape[-1])


@wrong("scaled-dot-scores", "factor")
def scaled_factor_5(query, key):
    s = query @ key.mT
    return s / s.std()


@wrong("scaled-dot-scores", "root-of-keys")
def scaled_root_of_keys(query, key):
    s = query @ key.mT
    return s / math.sqrt(s.shape[-1])


@wrong("scaled-dot-scores", "unknown")
def scaled_unknown(query, key):
    q = query / query.norm(dim=-1, keepdim=True)
    return q @ key.mT / math.sqrt(query.shape[-1])


@wrong("scaled-dot-scores", "raises")
def scaled_raises(query, key):
    return query * key / math.sqrt(query.shape[-1])


@wrong("scaled-dot-scores", "no-scale")
def scaled_no_scale(query, key):
    out = torch.zeros(query.shape[0], query.shape[1], key.shape[1])
    for b in range(query.shape[0]):
        for t in range(query.shape[1]):
            for s in range(key.shape[1]):
                out[b, t, s] = query[b, t] @ key[b, s]
    return out


@wrong("scaled-dot-scores", "softmax-over-queries")
def scaled_softmax_over_queries(query, key):
    return (query @ key.mT / math.sqrt(query.shape[-1])).softmax(1)


@wrong("scaled-dot-scores", "multiplied + softmax-applied")
def scaled_multiplied_softmax_applied(query, key):
    return (query @ key.mT * math.sqrt(query.shape[-1])).softmax(-1)


@wrong("scaled-dot-scores", "missing-axis")
def scaled_missing_axis(query, key):
    return (query @ key.mT / math.sqrt(query.shape[-1])).squeeze()


@wrong("scaled-dot-scores", "writes-into-argument")
def scaled_writes_into_argument(query, key):
    query *= query.shape[-1] ** -0.5
    return query @ key.mT


@wrong("scaled-dot-scores", "raises")
def scaled_raises_2(query, key):
    return query @ key.mT / torch.sqrt(query.shape[-1])


@wrong("scaled-dot-scores", "reshaped")
def scaled_reshaped(query, key):
    return (query @ key.reshape(key.shape[0], key.shape[2], key.shape[1])) / math.sqrt(
        query.shape[-1]
    )


@wrong("scaled-dot-scores", "unknown")
def scaled_unknown_2(query, key):
    return (
        query.sum(-1)[..., None] * key.sum(-1)[:, None] / math.sqrt(query.shape[-1]) * 0
        + (query @ key.mT).mean()
    )


@wrong("scaled-dot-scores", "cosine-scaled")
def scaled_cosine_scaled(query, key):
    return F.cosine_similarity(query[:, :, None], key[:, None], dim=-1) / math.sqrt(
        query.shape[-1]
    )


@wrong("scaled-dot-scores", "factor")
def scaled_factor_6(query, key):
    return query @ key.mT / math.sqrt(query.dim())


@wrong("scaled-dot-scores", "factor")
def scaled_factor_7(query, key):
    return query @ key.mT / math.sqrt(query.shape[-1]) * 0.5


@wrong("scaled-dot-scores", "not-finite")
def scaled_not_finite(query, key):
    s = query @ key.mT / math.sqrt(query.shape[-1])
    return s.masked_fill(torch.ones_like(s).triu(1).bool(), -torch.inf)


@wrong("scaled-dot-scores", "not-repeatable")
def scaled_not_repeatable(query, key):
    return F.dropout(query @ key.mT / math.sqrt(query.shape[-1]), 0.1)


@wrong("scaled-dot-scores", "wrong-shape")
def scaled_wrong_shape(query, key):
    return (query @ key.mT).mean(-1)


@wrong("scaled-dot-scores", "divided-by-d")
def scaled_divided_by_d(query, key):
    return torch.einsum("btd,bsd->bts", query, key).div_(query.shape[-1])


@wrong("scaled-dot-scores", "divided-by-d")
def scaled_divided_by_d_2(query, key):
    return (query[:, :, None] * key[:, None]).mean(-1)


@wrong("scaled-dot-scores", "right-for-the-example-only")
def scaled_right_for_the_example_only(query, key):
    return (query[:, :, None] * key[:, None]).sum(-1) / query.norm(dim=-1, keepdim=True)


@wrong("scaled-dot-scores", "cut-short")
def scaled_cut_short(query, key):
    return (query[0] @ key[0].T) / math.sqrt(query.shape[-1])


@wrong("scaled-dot-scores", "wrong-shape")
def scaled_wrong_shape_2(query, key):
    return torch.tensordot(query, key, dims=([2], [2])) / math.sqrt(query.shape[-1])


@wrong("scaled-dot-scores", "factor")
def scaled_factor_8(query, key):
    return (query @ key.mT) / (query.shape[-1] // 2)


@wrong("scaled-dot-scores", "wrong-shape")
def scaled_wrong_shape_3(query, key):
    B, T, D = query.shape
    S = key.shape[1]
    return (query.reshape(B * T, D) @ key.reshape(B * S, D).T).reshape(
        B, T, -1
    ) / math.sqrt(D)


@wrong("scaled-dot-scores", "returns-numpy")
def scaled_returns_numpy(query, key):
    return (query @ key.mT / math.sqrt(query.shape[-1])).detach().numpy()


@wrong("scaled-dot-scores", "truncated")
def scaled_truncated(query, key):
    return (query @ key.mT / math.sqrt(query.shape[-1])).int()


@wrong("scaled-dot-scores", "factor")
def scaled_factor_9(query, key):
    return query @ key.mT / math.sqrt(query.shape[-1] + key.shape[-1])


# --- additive-concat -------------------------------------------------------------------------------------


@wrong("additive-concat", "not-expanded")
def concat_not_expanded(query, key, W, w_v):
    q = query.unsqueeze(2)
    k = key.unsqueeze(1)
    return torch.tanh(torch.cat([q, k], -1) @ W.T) @ w_v


@wrong("additive-concat", "hidden-summed")
def concat_hidden_summed(query, key, W, w_v):
    dq = query.shape[-1]
    return torch.tanh(
        (query @ W[:, :dq].T).unsqueeze(2) + (key @ W[:, dq:].T).unsqueeze(1)
    ).sum(-1)


@wrong("additive-concat", "key-first")
def concat_key_first(query, key, W, w_v):
    dq = key.shape[-1]
    return (
        torch.tanh(
            (query @ W[:, dq:].T).unsqueeze(2) + (key @ W[:, :dq].T).unsqueeze(1)
        )
        @ w_v
    )


@wrong("additive-concat", "transposed")
def concat_transposed(query, key, W, w_v):
    dq = query.shape[-1]
    return (
        torch.tanh(
            (query @ W[:, :dq].T).unsqueeze(1) + (key @ W[:, dq:].T).unsqueeze(2)
        )
        @ w_v
    )


@wrong("additive-concat", "hidden-returned")
def concat_hidden_returned(query, key, W, w_v):
    dq = query.shape[-1]
    return (
        torch.tanh(
            (query @ W[:, :dq].T).unsqueeze(2) + (key @ W[:, dq:].T).unsqueeze(1)
        )
        * w_v
    )


@wrong("additive-concat", "parts-multiplied")
def concat_parts_multiplied(query, key, W, w_v):
    dq = query.shape[-1]
    return (
        torch.tanh(
            (query @ W[:, :dq].T).unsqueeze(2) * (key @ W[:, dq:].T).unsqueeze(1)
        )
        @ w_v
    )


@wrong("additive-concat", "parts-subtracted")
def concat_parts_subtracted(query, key, W, w_v):
    dq = query.shape[-1]
    return (
        torch.tanh(
            (query @ W[:, :dq].T).unsqueeze(2) - (key @ W[:, dq:].T).unsqueeze(1)
        )
        @ w_v
    )


@wrong("additive-concat", "no-tanh")
def concat_no_tanh(query, key, W, w_v):
    dq = query.shape[-1]
    return ((query @ W[:, :dq].T).unsqueeze(2) + (key @ W[:, dq:].T).unsqueeze(1)) @ w_v


@wrong("additive-concat", "pairs-key-first")
def concat_pairs_key_first(query, key, W, w_v):
    B, T, _ = query.shape
    S = key.shape[1]
    q = query.repeat(1, S, 1)
    k = key.repeat_interleave(T, 1)
    return (torch.tanh(torch.cat([q, k], -1) @ W.T) @ w_v).reshape(B, T, S)


@wrong("additive-concat", "sigmoid")
def concat_sigmoid(query, key, W, w_v):
    dq = query.shape[-1]
    return (
        torch.sigmoid(
            (query @ W[:, :dq].T).unsqueeze(2) + (key @ W[:, dq:].T).unsqueeze(1)
        )
        @ w_v
    )


@wrong("additive-concat", "extra-axis")
def concat_extra_axis(query, key, W, w_v):
    dq = query.shape[-1]
    h = torch.tanh(
        (query @ W[:, :dq].T).unsqueeze(2) + (key @ W[:, dq:].T).unsqueeze(1)
    )
    return h @ w_v.unsqueeze(1)


@wrong("additive-concat", "tanh-of-each")
def concat_tanh_of_each(query, key, W, w_v):
    dq = query.shape[-1]
    return (
        torch.tanh((query @ W[:, :dq].T).unsqueeze(2))
        + torch.tanh((key @ W[:, dq:].T).unsqueeze(1))
    ) @ w_v


@wrong("additive-concat", "unknown")
def concat_unknown(query, key, W, w_v):
    dq = query.shape[-1]
    return (
        F.gelu((query @ W[:, :dq].T).unsqueeze(2) + (key @ W[:, dq:].T).unsqueeze(1))
    ) @ w_v


@wrong("additive-concat", "factor")
def concat_factor(query, key, W, w_v):
    dq = query.shape[-1]
    return (
        torch.tanh(
            (query @ W[:, :dq].T).unsqueeze(2) + (key @ W[:, dq:].T).unsqueeze(1)
        )
        @ w_v
        / w_v.sum()
    )


@wrong("additive-concat", "one-shape-only")
def concat_one_shape_only(query, key, W, w_v):
    dq = 1
    return (
        torch.tanh(
            (query @ W[:, :dq].T).unsqueeze(2) + (key @ W[:, dq:].T).unsqueeze(1)
        )
        @ w_v
    )


@wrong("additive-concat", "raises")
def concat_raises(query, key, W, w_v):
    return torch.tanh(torch.cat([query, key], 1) @ W.T) @ w_v


@wrong("additive-concat", "not-repeatable")
def concat_not_repeatable(query, key, W, w_v):
    lin = torch.nn.Linear(W.shape[1], W.shape[0])
    dq = query.shape[-1]
    q = query[:, :, None].expand(-1, -1, key.shape[1], -1)
    k = key[:, None].expand(-1, query.shape[1], -1, -1)
    return torch.tanh(lin(torch.cat([q, k], -1).float())) @ w_v.float()


@wrong("additive-concat", "w-v-inside")
def concat_w_v_inside(query, key, W, w_v):
    dq = query.shape[-1]
    return torch.tanh(
        ((query @ W[:, :dq].T).unsqueeze(2) + (key @ W[:, dq:].T).unsqueeze(1)) * w_v
    ).sum(-1)


@wrong("additive-concat", "raises")
def concat_raises_2(query, key, W, w_v):
    dq = query.shape[-1]
    return torch.tanh((query @ W[:, :dq].T) + (key @ W[:, dq:].T)) @ w_v


@wrong("additive-concat", "unknown")
def concat_unknown_2(query, key, W, w_v):
    dq = query.shape[-1]
    return (
        (
            torch.tanh(
                (query @ W[:, :dq].T).unsqueeze(2) + (key @ W[:, dq:].T).unsqueeze(1)
            )
            * w_v
        )
        .max(-1)
        .values
    )


@wrong("additive-concat", "key-first")
def concat_key_first_2(query, key, W, w_v):
    dk = key.shape[-1]
    return (
        torch.tanh(
            (query @ W[:, dk:].T).unsqueeze(2) + (key @ W[:, :dk].T).unsqueeze(1)
        )
        @ w_v
    )


@wrong("additive-concat", "one-shape-only")
def concat_one_shape_only_2(query, key, W, w_v):
    h = W.shape[1] // 2
    return (
        torch.tanh((query @ W[:, :h].T).unsqueeze(2) + (key @ W[:, h:].T).unsqueeze(1))
        @ w_v
    )


@wrong("additive-concat", "pairs-both-held")
def concat_pairs_both_held(query, key, W, w_v):
    B, T, _ = query.shape
    S = key.shape[1]
    q = query.repeat_interleave(S, 1)
    k = key.repeat_interleave(T, 1)
    return (torch.tanh(torch.cat([q, k], -1) @ W.T) @ w_v).reshape(B, T, S)


@wrong("additive-concat", "softmax-over-another-axis")
def concat_softmax_over_another_axis(query, key, W, w_v):
    dq = query.shape[-1]
    return torch.softmax(
        torch.tanh(
            (query @ W[:, :dq].T).unsqueeze(2) + (key @ W[:, dq:].T).unsqueeze(1)
        )
        @ w_v,
        1,
    )


@wrong("additive-concat", "flattened")
def concat_flattened(query, key, W, w_v):
    rows = []
    for b in range(len(query)):
        for q in query[b]:
            rows.append(
                torch.stack([torch.tanh(W @ torch.cat([q, k])) @ w_v for k in key[b]])
            )
    return torch.stack(rows)


@wrong("additive-concat", "cut-short")
def concat_cut_short(query, key, W, w_v):
    rows = []
    for q in query[0]:
        rows.append(
            torch.stack([torch.tanh(W @ torch.cat([q, k])) @ w_v for k in key[0]])
        )
    return torch.stack(rows)[None]


@wrong("additive-concat", "changes-dtype")
def concat_changes_dtype(query, key, W, w_v):
    out = torch.zeros(query.shape[0], query.shape[1], key.shape[1])
    for b in range(query.shape[0]):
        for i in range(query.shape[1]):
            for j in range(key.shape[1]):
                out[b, i, j] = w_v @ torch.tanh(W @ torch.cat((query[b][i], key[b][j])))
    return out


@wrong("additive-concat", "offset")
def concat_offset(query, key, W, w_v):
    dq = query.shape[-1]
    return (
        torch.tanh(
            (query @ W[:, :dq].T).unsqueeze(2) + (key @ W[:, dq:].T).unsqueeze(1)
        )
        @ w_v
        + 1
    )


# --- bilinear --------------------------------------------------------------------------------------------


@wrong("bilinear", "m-transposed")
def bilinear_m_transposed(query, key, M):
    return query @ M.T @ key.mT


@wrong("bilinear", "m-transposed")
def bilinear_m_transposed_2(query, key, M):
    return torch.einsum("btq,kq,bsk->bts", query, M, key)


@wrong("bilinear", "all-keys-added")
def bilinear_all_keys_added(query, key, M):
    return torch.einsum("btq,qk,csk->bts", query, M, key)


@wrong("bilinear", "raises")
def bilinear_raises(query, key, M):
    return query @ M @ key.T


@wrong("bilinear", "raises")
def bilinear_raises_2(query, key, M):
    return (query @ M) * key


@wrong("bilinear", "transposed")
def bilinear_transposed(query, key, M):
    return torch.einsum("btq,qk,bsk->bst", query, M, key)


@wrong("bilinear", "scaled + scaled-by-query-size")
def bilinear_scaled_scaled_by_query_size(query, key, M):
    return query @ M @ key.mT / math.sqrt(M.numel())


@wrong("bilinear", "softmax-of-m")
def bilinear_softmax_of_m(query, key, M):
    return query @ torch.softmax(M, -1) @ key.mT


@wrong("bilinear", "over-summed")
def bilinear_over_summed(query, key, M):
    return (query @ M @ key.mT).sum(0)


@wrong("bilinear", "unknown")
def bilinear_unknown(query, key, M):
    return (query @ M @ key.mT) + query.mean()


@wrong("bilinear", "squared")
def bilinear_squared(query, key, M):
    return (query @ M @ key.mT) ** 2


@wrong("bilinear", "gradient-cut")
def bilinear_gradient_cut(query, key, M):
    M = torch.nn.Parameter(M)
    return query @ M @ key.mT


@wrong("bilinear", "transposed")
def bilinear_transposed_2(query, key, M):
    return torch.stack([q @ M @ k.T for q, k in zip(query, key)], -1)


@wrong("bilinear", "reshaped")
def bilinear_reshaped(query, key, M):
    return query @ M @ key.reshape(key.shape[0], key.shape[2], -1)


@wrong("bilinear", "clamped")
def bilinear_clamped(query, key, M):
    return torch.relu(query @ M @ key.mT)


@wrong("bilinear", "unknown")
def bilinear_unknown_2(query, key, M):
    return (query @ M @ key.mT).abs().sqrt()


@wrong("bilinear", "key-not-transposed")
def bilinear_key_not_transposed(query, key, M):
    return (query @ M) @ key


@wrong("bilinear", "gradient-cut")
def bilinear_gradient_cut_2(query, key, M):
    return (query @ M.detach()) @ key.mT


@wrong("bilinear", "over-summed")
def bilinear_over_summed_2(query, key, M):
    return torch.einsum("btq,qk,bsk->ts", query, M, key)


@wrong("bilinear", "factor")
def bilinear_factor(query, key, M):
    M /= M.norm()
    return query @ M @ key.mT


@wrong("bilinear", "transposed")
def bilinear_transposed_3(query, key, M):
    return (query @ M @ key.mT).transpose(0, 1)


@wrong("bilinear", "sign")
def bilinear_sign(query, key, M):
    return -(query @ M @ key.mT)


@wrong("bilinear", "exp-on-top")
def bilinear_exp_on_top(query, key, M):
    return (query @ M @ key.mT).exp()


@wrong("bilinear", "key-not-transposed")
def bilinear_key_not_transposed_2(query, key, M):
    return query @ (M @ key)


@wrong("bilinear", "returns-a-list")
def bilinear_returns_a_list(query, key, M):
    return [q @ M @ k.T for q, k in zip(query, key)]


@wrong("bilinear", "wrong-shape")
def bilinear_wrong_shape(query, key, M):
    return query.mean(1, keepdim=True) @ M @ key.mT


@wrong("bilinear", "few-digits")
def bilinear_few_digits(query, key, M):
    return (query @ M @ key.mT).half().double()


@wrong("bilinear", "changes-dtype")
def bilinear_changes_dtype(query, key, M):
    return query.float() @ M.float() @ key.float().mT


@wrong("bilinear", "factor")
def bilinear_factor_2(query, key, M):
    return 2 * (query @ M @ key.mT)


import wrong_answers_masks_and_heads  # those on masks and heads, too
import wrong_answers_positions  # the exercises on positions have a file of their own
import wrong_answers_blocks  # and those on blocks
import wrong_answers_translation  # and those of the part on translation
import wrong_answers_transformer  # and that on the whole Transformer
