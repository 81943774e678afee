"""Answers to linear-attention, as readers write them; `verdicts.py` says how to read this file."""
# ruff: noqa (this is how people write)

import torch
import torch.nn.functional as F


def phi(x):
    return F.elu(x) + 1


# === right
def linear_attention_from_the_second_row(query, key, value):
    out = [value[0]]
    f = lambda z: torch.nn.functional.elu(z) + 1
    k = f(key)
    for t in range(1, len(query)):
        w = k[: t + 1] @ f(query[t])
        out.append(w @ value[: t + 1] / w.sum())
    return torch.stack(out)


# === right
def with_a_loop(query, key, value):
    q, k = phi(query), phi(key)
    S = torch.zeros(value.shape[1], key.shape[1], dtype=value.dtype, device=value.device)
    z = torch.zeros(key.shape[1], dtype=key.dtype, device=key.device)
    outputs = []
    for t in range(key.shape[0]):
        S = S + torch.outer(value[t], k[t])
        z = z + k[t]
        outputs.append(S @ q[t] / torch.dot(z, q[t]))
    return torch.stack(outputs)


# === right
def as_a_table(query, key, value):
    scores = (phi(query) @ phi(key).T).tril()
    return scores / scores.sum(dim=1, keepdim=True) @ value


# === right
def features_by_where(query, key, value):
    f = lambda x: torch.where(x > 0, x + 1, x.clamp(max=0).exp())
    S, z, rows = 0, 0, []
    for q, k, v in zip(f(query), f(key), value):
        S = S + k[:, None] * v[None, :]
        z = z + k
        rows.append((q @ S) / (q @ z))
    return torch.stack(rows)


# === right
def with_a_column_of_ones(query, key, value):
    wide = torch.cat([value, torch.ones_like(value[:, :1])], dim=1)
    S = torch.einsum("tv,td->tvd", wide, phi(key)).cumsum(0)
    read = torch.einsum("tvd,td->tv", S, phi(query))
    return read[:, :-1] / read[:, -1:]


# === right
def with_einsum(query, key, value):
    q, k = phi(query), phi(key)
    num = torch.einsum("td,tdv->tv", q, torch.cumsum(k.unsqueeze(2) * value.unsqueeze(1), 0))
    den = torch.einsum("td,td->t", q, torch.cumsum(k, 0))
    return num / den[:, None]


# === right
def with_a_mask(query, key, value):
    T = query.shape[0]
    w = phi(query) @ phi(key).T
    mask = torch.ones(T, T, dtype=torch.bool, device=w.device).triu(1)
    w = w.masked_fill(mask, 0)
    return (w @ value) / w.sum(-1, keepdim=True)


# === wrong no-one-added
def elu_alone(query, key, value):
    w = (F.elu(query) @ F.elu(key).T).tril()
    return w @ value / w.sum(1, keepdim=True)


# === wrong relu
def relu_plus_one(query, key, value):
    w = ((F.relu(query) + 1) @ (F.relu(key) + 1).T).tril()
    return w @ value / w.sum(1, keepdim=True)


# === wrong exponential
def exponential_features(query, key, value):
    w = (query.exp() @ key.exp().T).tril()
    return w @ value / w.sum(1, keepdim=True)


# === wrong query-as-it-is
def only_keys_mapped(query, key, value):
    w = (query @ phi(key).T).tril()
    return w @ value / w.sum(1, keepdim=True)


# === wrong key-as-it-is
def only_queries_mapped(query, key, value):
    w = (phi(query) @ key.T).tril()
    return w @ value / w.sum(1, keepdim=True)


# === wrong no-features
def no_map(query, key, value):
    w = (query @ key.T).tril()
    return w @ value / w.sum(1, keepdim=True)


# === wrong values-mapped
def everything_mapped(query, key, value):
    w = (phi(query) @ phi(key).T).tril()
    return w @ phi(value) / w.sum(1, keepdim=True)


# === wrong sees-the-future
def no_mask(query, key, value):
    w = phi(query) @ phi(key).T
    return w @ value / w.sum(1, keepdim=True)


# === wrong sees-the-future
def sums_first_then_reads(query, key, value):
    q, k = phi(query), phi(key)
    S = k.T @ value
    z = k.sum(0)
    return (q @ S) / (q @ z)[:, None]


# === wrong future-above
def mask_only_below(query, key, value):
    w = phi(query) @ phi(key).T
    return w @ value / w.tril().sum(1, keepdim=True)


# === wrong future-below
def mask_only_above(query, key, value):
    w = phi(query) @ phi(key).T
    return w.tril() @ value / w.sum(1, keepdim=True)


# === wrong reads-before-writing
def reads_first(query, key, value):
    q, k = phi(query), phi(key)
    S = value.new_zeros(value.shape[1], key.shape[1])
    z = key.new_zeros(key.shape[1])
    out = []
    for t in range(len(key)):
        out.append(S @ q[t] / (z @ q[t]))
        S = S + value[t][:, None] * k[t]
        z = z + k[t]
    return torch.stack(out)


# === wrong not-normalised
def sums_only(query, key, value):
    return (phi(query) @ phi(key).T).tril() @ value


# === wrong not-normalised
def forgot_z(query, key, value):
    S, out = 0, []
    for q, k, v in zip(phi(query), phi(key), value):
        S = S + torch.outer(v, k)
        out.append(S @ q)
    return torch.stack(out)


# === wrong divided-by-count
def mean_of_pairs(query, key, value):
    w = (phi(query) @ phi(key).T).tril()
    n = torch.arange(1, len(key) + 1, device=key.device)[:, None]
    return w @ value / n


# === wrong sum-without-query
def z_summed(query, key, value):
    S, z, out = 0, 0, []
    for q, k, v in zip(phi(query), phi(key), value):
        S = S + torch.outer(v, k)
        z = z + k.sum()
        out.append(S @ q / z)
    return torch.stack(out)


# === wrong raw-key-below
def z_of_keys(query, key, value):
    S, z, out = 0, 0, []
    for t in range(len(key)):
        S = S + torch.outer(value[t], phi(key[t]))
        z = z + key[t]
        out.append(S @ phi(query[t]) / (z @ phi(query[t])))
    return torch.stack(out)


# === wrong raw-query-below
def z_times_query(query, key, value):
    S, z, out = 0, 0, []
    for t in range(len(key)):
        S = S + torch.outer(value[t], phi(key[t]))
        z = z + phi(key[t])
        out.append(S @ phi(query[t]) / (z @ query[t]))
    return torch.stack(out)


# === wrong nothing-kept
def forgetful(query, key, value):
    out = []
    for q, k, v in zip(phi(query), phi(key), value):
        S, z = torch.outer(v, k), k
        out.append(S @ q / (z @ q))
    return torch.stack(out)


# === wrong values-not-kept
def z_kept_only(query, key, value):
    z, out = 0, []
    for q, k, v in zip(phi(query), phi(key), value):
        S = torch.outer(v, k)
        z = z + k
        out.append(S @ q / (z @ q))
    return torch.stack(out)


# === wrong softmax
def real_attention(query, key, value):
    T = len(query)
    scores = query @ key.T
    mask = torch.ones(T, T, dtype=torch.bool, device=scores.device).triu(1)
    return scores.masked_fill(mask, float("-inf")).softmax(-1) @ value


# === wrong scaled-features
def scaled(query, key, value):
    w = (phi(query / query.shape[-1] ** 0.5) @ phi(key).T).tril()
    return w @ value / w.sum(1, keepdim=True)


# === wrong no-gradient
def under_no_grad(query, key, value):
    with torch.no_grad():
        w = (phi(query) @ phi(key).T).tril()
        return w @ value / w.sum(1, keepdim=True)


# === wrong first-answer-zero
def reads_first_again(query, key, value):
    q, k = F.elu(query) + 1, F.elu(key) + 1
    S = torch.zeros(value.shape[1], key.shape[1], dtype=key.dtype)
    z = torch.zeros(key.shape[1], dtype=key.dtype)
    out = []
    for t in range(len(q)):
        out.append(S @ q[t] / (z @ q[t] + 1e-9))
        S = S + torch.outer(value[t], k[t])
        z = z + k[t]
    return torch.stack(out)


# === wrong softmax-of-features
def softmaxed(query, key, value):
    q, k = F.elu(query) + 1, F.elu(key) + 1
    scores = q @ k.T
    scores = scores.masked_fill(~torch.ones_like(scores).tril().bool(), float("-inf"))
    return scores.softmax(-1) @ value


# === right
def ones_column(query, key, value):
    q, k = F.elu(query) + 1, F.elu(key) + 1
    v = torch.cat([value, torch.ones_like(value[:, :1])], 1)
    both = torch.tril(q @ k.mT) @ v
    return both[:, :-1] / both[:, -1:]


# === wrong one-added-inside
def linear_elu_of_x_plus_one(query, key, value):
    q, k = F.elu(query + 1), F.elu(key + 1)
    a = (q @ k.T).tril()
    return a @ value / a.sum(-1, keepdim=True)


# === wrong future-only
def linear_triu(query, key, value):
    q, k = F.elu(query) + 1, F.elu(key) + 1
    a = (q @ k.T).triu()
    return a @ value / a.sum(-1, keepdim=True)


# === wrong sees-the-future
def fresh_noncausal(query, key, value):
    f = lambda x: torch.nn.functional.elu(x) + 1
    a = f(query) @ f(key).T
    return a @ value / a.sum(1, keepdim=True)


# === wrong unknown
def fresh_eps(query, key, value):
    f = lambda x: torch.nn.functional.elu(x) + 1
    a = (f(query) @ f(key).T).tril()
    return a @ value / (a.sum(1, keepdim=True) + 1e-2)


# === wrong relu
def fresh_relu(query, key, value):
    f = lambda x: torch.relu(x) + 1
    a = (f(query) @ f(key).T).tril()
    return a @ value / a.sum(1, keepdim=True)


# === right
def fresh_table(query, key, value):
    f = lambda x: torch.where(x > 0, x + 1, x.clamp(max=0).exp())
    a = (f(query) @ f(key).T).tril()
    return (a / a.sum(1, keepdim=True)) @ value


# === wrong features-of-the-score
def blind_b6(query, key, value):
    a = torch.nn.functional.elu(query @ key.T) + 1
    a = a.tril()
    return a @ value / a.sum(1, keepdim=True)


# === wrong own-key-below
def blind_b9(query, key, value):
    q, k = torch.nn.functional.elu(query) + 1, torch.nn.functional.elu(key) + 1
    a = (q @ k.T).tril()
    return a @ value / (q * k).sum(1, keepdim=True)
