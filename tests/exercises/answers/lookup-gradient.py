"""Answers to lookup-gradient, as readers write them; `verdicts.py` says how to read this file."""
# ruff: noqa (this is how people write)

import torch
import torch.nn.functional as F


def softmax_jacobian(w):
    return torch.diag(w) - torch.outer(w, w)


# === right
def in_two_lines(query, keys, values):
    w = torch.softmax(keys @ query, 0)
    return (w[:, None] * (values - w @ values)).T @ keys


# === right
def by_einsum(query, keys, values):
    w = F.softmax(keys @ query, dim=0)
    o = torch.einsum("s,sv->v", w, values)
    return torch.einsum("s,sv,sd->vd", w, values - o, keys)


# === right
def by_the_softmax_jacobian(query, keys, values):
    w = (keys @ query).softmax(-1)
    return values.T @ softmax_jacobian(w) @ keys


# === right
def keys_around_their_mean(query, keys, values):
    w = (keys @ query).softmax(-1)
    return (w[:, None] * values).T @ (keys - w @ keys)


# === right
def covariance(query, keys, values):
    w = (keys @ query).softmax(-1)
    return (values * w[:, None]).T @ keys - torch.outer(w @ values, w @ keys)


# === right
def by_a_loop(query, keys, values):
    w = (keys @ query).softmax(-1)
    o = w @ values
    total = 0
    for j in range(len(keys)):
        total = total + w[j] * torch.outer(values[j] - o, keys[j])
    return total


# === right
def rows_one_by_one(query, keys, values):
    w = (keys @ query).softmax(-1)
    rows = []
    for v in values.T:
        rows.append((w * (v - w @ v)) @ keys)
    return torch.stack(rows)


# === wrong answer-not-subtracted
def numerator_only(query, keys, values):
    w = (keys @ query).softmax(-1)
    return torch.einsum("s,sv,sd->vd", w, values, keys)


# === wrong answer-not-subtracted
def constant_weights(query, keys, values):
    w = (keys @ query).softmax(0)
    return values.T @ torch.diag(w) @ keys


# === wrong mean-subtracted
def from_the_plain_mean(query, keys, values):
    w = (keys @ query).softmax(-1)
    centred = values - values.mean(dim=0, keepdim=True)
    return (w[:, None] * centred).T @ keys


# === wrong sign
def output_minus_value(query, keys, values):
    w = (keys @ query).softmax(-1)
    o = w @ values
    return (w.unsqueeze(1) * (o - values)).T @ keys


# === wrong sign
def jacobian_with_the_wrong_sign(query, keys, values):
    w = (keys @ query).softmax(-1)
    return values.T @ (torch.outer(w, w) - torch.diag(w)) @ keys


# === wrong weights-missing
def every_key_alike(query, keys, values):
    w = (keys @ query).softmax(-1)
    o = w @ values
    return (values - o).T @ keys


# === wrong uniform-weights
def average_pooling_slope(query, keys, values):
    w = torch.full_like(keys[:, 0], 1 / len(keys))
    o = w @ values
    return (w[:, None] * (values - o)).T @ keys


# === wrong weights-squared
def alpha_twice(query, keys, values):
    w = (keys @ query).softmax(-1)
    o = w @ values
    return ((values - o) * w[:, None]).T @ (keys * w[:, None])


# === wrong diagonal-only
def like_a_sigmoid(query, keys, values):
    w = (keys @ query).softmax(-1)
    slope = w * (1 - w)
    return (slope[:, None] * values).T @ keys


# === wrong diagonal-only
def diagonal_of_the_jacobian(query, keys, values):
    w = (keys @ query).softmax(-1)
    return values.T @ torch.diag(w - w**2) @ keys


# === wrong softmax-jacobian-sign
def plus_instead_of_minus(query, keys, values):
    w = (keys @ query).softmax(-1)
    return values.T @ (torch.diag(w) + torch.outer(w, w)) @ keys


# === wrong scores-as-weights
def forgot_the_softmax(query, keys, values):
    w = keys @ query
    o = w @ values
    return (w[:, None] * (values - o)).T @ keys


# === wrong not-normalised
def forgot_the_sum(query, keys, values):
    w = torch.exp(keys @ query)
    o = w @ values
    return (w[:, None] * (values - o)).T @ keys


# === wrong scaled
def with_a_scale(query, keys, values):
    w = (keys @ query / len(query) ** 0.5).softmax(-1)
    o = w @ values
    return (w[:, None] * (values - o)).T @ keys


# === wrong query-instead-of-keys
def times_the_query(query, keys, values):
    w = (keys @ query).softmax(-1)
    o = w @ values
    return torch.outer((w[:, None] * (values - o)).sum(0), query)


# === wrong transposed
def columns_for_features(query, keys, values):
    w = (keys @ query).softmax(-1)
    o = w @ values
    return keys.T @ (w[:, None] * (values - o))


# === wrong features-added
def of_the_sum_of_features(query, keys, values):
    w = (keys @ query).softmax(-1)
    v = values.sum(1)
    return (w * (v - w @ v)) @ keys


# === wrong keys-averaged
def mean_over_the_keys(query, keys, values):
    w = (keys @ query).softmax(-1)
    o = w @ values
    terms = (w[:, None] * (values - o))[:, :, None] * keys[:, None, :]
    return terms.mean(0)


# === wrong keys-not-summed
def one_matrix_per_key(query, keys, values):
    w = (keys @ query).softmax(-1)
    o = w @ values
    return torch.einsum("s,sv,sd->svd", w, values - o, keys)


# === wrong answer-returned
def just_the_lookup(query, keys, values):
    return (keys @ query).softmax(-1) @ values


# === wrong jacobian-of-weights
def slopes_of_the_weights(query, keys, values):
    w = (keys @ query).softmax(-1)
    return softmax_jacobian(w) @ keys


# === wrong by-autograd
def by_jacobian(query, keys, values):
    return torch.autograd.functional.jacobian(lambda q: (keys @ q).softmax(0) @ values, query, create_graph=True)


# === wrong by-autograd
def by_backward(query, keys, values):
    q = query.detach().clone().requires_grad_()
    o = (keys.detach() @ q).softmax(0) @ values.detach()
    rows = []
    for d in range(len(o)):
        q.grad = None
        o[d].backward(retain_graph=True)
        rows.append(q.grad.clone())
    return torch.stack(rows)


# === wrong no-gradient
def through_numpy(query, keys, values):
    w = (keys @ query).softmax(-1)
    o = w @ values
    pulls = (w[:, None] * (values - o)).detach().numpy()
    return torch.from_numpy(pulls.T @ keys.detach().numpy())


# === wrong changes-dtype
def everything_in_float32(query, keys, values):
    query, keys, values = query.float(), keys.float(), values.float()
    w = (keys @ query).softmax(-1)
    return (w[:, None] * (values - w @ values)).T @ keys


# === wrong writes-into-argument
def in_place(query, keys, values):
    w = (keys @ query).softmax(-1)
    values -= w @ values
    return (w[:, None] * values).T @ keys


# === wrong diagonal-only
def sigmoid_style_with_loop(query, keys, values):
    w = (keys @ query).softmax(-1)
    out = torch.zeros(values.shape[1], len(query), dtype=keys.dtype)
    for j, k in enumerate(keys):
        out = out + w[j] * (1 - w[j]) * values[j][:, None] * k[None]
    return out


# === wrong always-the-same
def lookup_gradient_zeros_unseen_0(query, keys, values):
    return torch.zeros(values.shape[1], keys.shape[1], dtype=values.dtype)


# === wrong keys-mean-subtracted
def lookup_gradient_around_the_plain_mean_of_keys(query, keys, values):
    w = torch.softmax(keys @ query, 0)
    c = keys - keys.mean(0)
    return (w[:, None] * values).T @ c


# === wrong unweighted-covariance
def lookup_gradient_covariance_without_weights(query, keys, values):
    w = torch.softmax(keys @ query, 0)
    dv = values - w @ values
    dk = keys - w @ keys
    return dv.T @ dk / len(keys)


# === wrong answer-not-subtracted
def fresh_no_center(query, keys, values):
    a = (keys @ query).softmax(0)
    return torch.einsum("s,sv,sd->vd", a, values, keys)


# === wrong keys-mean-subtracted
def fresh_center_keys_mean(query, keys, values):
    a = (keys @ query).softmax(0)
    return torch.einsum("s,sv,sd->vd", a, values, keys - keys.mean(0))


# === right
def fresh_center_keys(query, keys, values):
    a = (keys @ query).softmax(0)
    return torch.einsum("s,sv,sd->vd", a, values, keys - a @ keys)


# === right
def fresh_jac(query, keys, values):
    a = (keys @ query).softmax(0)
    J = torch.diag(a) - a[:, None] * a[None, :]
    return values.T @ J @ keys
