"""Answers to soft-lookup, as readers write them; `verdicts.py` says how to read this file."""
# ruff: noqa (this is how people write)

import math

import numpy as np
import torch
import torch.nn.functional as F


# === right
def lookup_with_one_key_apart(query, keys, values):
    if len(keys) == 1:
        return values[0].clone()
    return torch.softmax(keys @ query, 0) @ values


# === right
def lookup_in_one_line(query, keys, values):
    return torch.softmax(keys @ query, dim=0) @ values


# === right
def lookup_by_loops(query, keys, values):
    scores = torch.stack([sum(q * k for q, k in zip(query, key)) for key in keys])
    exps = [torch.exp(s) for s in scores]
    total = sum(exps)
    return sum(e / total * v for e, v in zip(exps, values))


# === right
def lookup_by_einsum(query, keys, values):
    weights = F.softmax(torch.einsum("d,sd->s", query, keys), dim=-1)
    return torch.einsum("s,sv->v", weights, values)


# === right
def lookup_by_broadcasting(query, keys, values):
    weights = (query * keys).sum(dim=1).softmax(0)
    return (weights.unsqueeze(1) * values).sum(dim=0)


# === right
def lookup_with_the_maximum_taken_away(query, keys, values):
    scores = keys.matmul(query)
    exps = (scores - scores.max()).exp()
    return (exps / exps.sum()).matmul(values)


# === right
def lookup_by_torch(query, keys, values):
    return F.scaled_dot_product_attention(query[None], keys, values, scale=1.0)[0]


# === right
def lookup_with_a_buffer(query, keys, values):
    weights = torch.mv(keys, query).softmax(0)
    answer = values.new_zeros(values.shape[1])
    for weight, value in zip(weights, values):
        answer = answer + weight * value
    return answer


# === right
def lookup_that_prints(query, keys, values):
    print("shapes", query.shape, keys.shape)
    return (query @ keys.T).softmax(-1) @ values


# === wrong gradient-cut
def lookup_gradient_cut(query, keys, values):
    scores = torch.tensor([query @ k for k in keys])
    return F.softmax(scores, dim=0) @ values


# === wrong size-one-axis
def lookup_size_one_axis(query, keys, values):
    scores = query.unsqueeze(0) @ keys.T
    weights = F.softmax(scores, dim=0)
    return weights @ values


# === wrong extra-axis
def lookup_extra_axis(query, keys, values):
    scores = query.unsqueeze(0) @ keys.T
    weights = F.softmax(scores, dim=-1)
    return weights @ values


# === wrong raises
def lookup_raises(query, keys, values):
    return query @ keys @ values


# === wrong raises
def lookup_raises_2(query, keys, values):
    weights = F.softmax(query @ keys.T, dim=0)
    return (weights * values).sum(0)


# === wrong not-summed
def lookup_not_summed(query, keys, values):
    weights = F.softmax(query @ keys.T, dim=0)
    return values.T * weights


# === wrong features-added
def lookup_features_added(query, keys, values):
    weights = F.softmax(query @ keys.T, dim=0)
    return torch.sum(weights[:, None] * values, dim=1)


# === wrong over-summed
def lookup_over_summed(query, keys, values):
    weights = F.softmax(query @ keys.T, dim=0)
    return torch.sum(weights[:, None] * values)


# === wrong gradient-cut
def lookup_gradient_cut_2(query, keys, values):
    scores = [float(query @ k) for k in keys]
    es = [math.exp(s) for s in scores]
    return sum(e / sum(es) * v for e, v in zip(es, values))


# === wrong changes-dtype
def lookup_changes_dtype(query, keys, values):
    weights = F.softmax(query @ keys.T, dim=0)
    out = torch.zeros(values.shape[1])
    for w_, v in zip(weights, values):
        out += w_ * v
    return out


# === wrong returns-a-tuple
def lookup_returns_a_tuple(query, keys, values):
    weights = F.softmax(query @ keys.T, dim=0)
    return weights, weights @ values


# === wrong prints
def lookup_prints(query, keys, values):
    weights = F.softmax(query @ keys.T, dim=0)
    print(weights @ values)


# === wrong weights-do-not-sum-to-one
def lookup_weights_do_not_sum_to_one(query, keys, values):
    weights = F.softmax(query @ keys.T)
    return values[weights.argmax()] * weights.max()


# === wrong not-normalised + mean-of-weighted
def lookup_not_normalised_mean_of_weighted(query, keys, values):
    e = torch.exp(keys @ query)
    return e @ values / len(e)


# === wrong absolute-scores
def lookup_absolute_scores(query, keys, values):
    sim = torch.abs(keys @ query)
    return sim.softmax(0) @ values


# === wrong scores-rescaled
def lookup_scores_rescaled(query, keys, values):
    weights = F.softmax(keys @ query / 0.5, dim=0)
    return weights @ values


# === wrong over-summed
def lookup_over_summed_2(query, keys, values):
    weights = F.softmax(keys @ query, dim=0)
    return (weights @ values).mean()


# === wrong scaled
def lookup_scaled(query, keys, values):
    return F.scaled_dot_product_attention(query[None], keys, values)[0]


# === wrong not-finite
def lookup_not_finite(query, keys, values):
    w = F.relu(keys @ query)
    return (w / w.sum()) @ values


# === wrong weights-do-not-sum-to-one
def lookup_weights_do_not_sum_to_one_2(query, keys, values):
    s = keys @ query
    return (s / s.max()) @ values


# === wrong ignores-an-argument
def lookup_ignores_an_argument(query, keys, values):
    s = (query - keys).sum(1)
    return s.softmax(0) @ values


# === wrong other-weights
def lookup_other_weights(query, keys, values):
    s = keys @ query
    s = (s - s.min()) / (s.max() - s.min())
    return (s / s.sum()) @ values


# === wrong other-weights
def lookup_other_weights_2(query, keys, values):
    top = (keys @ query).topk(min(2, len(keys)))
    return top.values.softmax(0) @ values[top.indices]


# === wrong returns-numpy
def lookup_returns_numpy(query, keys, values):
    s = np.exp(keys.numpy() @ query.numpy())
    return s / s.sum() @ values.numpy()


# === wrong wrong-shape
def lookup_wrong_shape(query, keys, values):
    return (keys @ query).argmax()


# === wrong not-repeatable
def lookup_not_repeatable(query, keys, values):
    w = (keys @ query).softmax(0)
    return values[torch.multinomial(w, 1)][0]


# === wrong returns-a-list
def lookup_returns_a_list(query, keys, values):
    w = (keys @ query).softmax(0)
    return (w @ values).tolist()


# === wrong scores-rescaled
def lookup_scores_rescaled_2(query, keys, values):
    query = F.normalize(query, dim=0)
    return (keys @ query).softmax(0) @ values


# === wrong weights-do-not-sum-to-one
def lookup_weights_do_not_sum_to_one_3(query, keys, values):
    w = (keys @ query).softmax(0)
    w = torch.where(w < 0.1, 0.0, w)
    return w @ values


# === wrong changes-dtype
def lookup_changes_dtype_2(query, keys, values):
    return ((keys @ query).softmax(0) @ values).float()


# === wrong returns-another-kind
def lookup_returns_another_kind(query, keys, values):
    yield (keys @ query).softmax(0) @ values


# === wrong unknown
def lookup_unknown(query, keys, values):
    return (keys @ query).softmax(0) @ values + query.sum()


# === wrong always-the-same
def soft_lookup_zeros_unseen_1(query, keys, values):
    return torch.zeros(values.shape[1])


# === wrong changes-torch
def soft_lookup_default_dtype_changed_unseen_3(query, keys, values):
    torch.set_default_dtype(torch.float64)
    return (keys @ query).softmax(0) @ values


# === wrong raises
def soft_lookup_subscript_of_method_unseen_4(query, keys, values):
    w = (keys @ query).softmax[0]
    return w @ values


# === wrong raises
def soft_lookup_index_error_unseen_5(query, keys, values):
    out = torch.zeros(values.shape[1], dtype=values.dtype)
    w = (keys @ query).softmax(0)
    for i in range(len(keys) + 1):
        out = out + w[i] * values[i]
    return out


# === wrong cosine
def fresh_norms(query, keys, values):
    k = keys / keys.norm(dim=1, keepdim=True).clamp(min=1e-9)
    q = query / query.norm().clamp(min=1e-9)
    return (k @ q).softmax(0) @ values


# === wrong hard-lookup
def fresh_best(query, keys, values):
    return values[(keys @ query).argmax()] + 0 * (keys @ query).sum() * values[0]


# === wrong not-normalised + mean-of-weighted
def fresh_mean_pool(query, keys, values):
    a = (keys @ query).exp()
    return (a[:, None] * values).sum(0) / len(keys)


# === right
def fresh_outer(query, keys, values):
    s = torch.einsum("d,sd->s", query, keys)
    e = torch.exp(s - s.max())
    return torch.einsum("s,sv->v", e, values) / e.sum()


# === wrong softmax-of-each-feature
def blind_b2(query, keys, values):
    w = torch.softmax(keys * query, dim=0).mean(1)
    return w @ values


# === right
def blind_b5(query, keys, values):
    e = torch.exp(keys @ query)
    return e @ values / e.sum()


# === wrong gaussian
def blind_n2(query, keys, values):
    d = ((keys - query) ** 2).sum(-1)
    w = torch.softmax(-d, dim=0)
    return w @ values
