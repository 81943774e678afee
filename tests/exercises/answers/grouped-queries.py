"""Answers to grouped-queries, as readers write them; `verdicts.py` says how to read this file."""
# ruff: noqa (this is how people write)

import math

import torch
import torch.nn.functional as F


# === right
def by_the_fused_kernel(q, k, v):
    return F.scaled_dot_product_attention(q, k, v, enable_gqa=True)


# === right
def with_an_axis_more(q, k, v):
    B, H, T, D = q.shape
    G = k.shape[1]
    grouped = q.reshape(B, G, H // G, T, D)
    scores = grouped @ k[:, :, None].transpose(-1, -2) / D**0.5
    return (scores.softmax(-1) @ v[:, :, None]).reshape(B, H, T, D)


# === right
def by_expand(q, k, v):
    B, H, T, D = q.shape
    G, S = k.shape[1], k.shape[2]
    k = k[:, :, None].expand(B, G, H // G, S, D).flatten(1, 2)
    v = v[:, :, None].expand(B, G, H // G, S, D).flatten(1, 2)
    return F.softmax(q @ k.mT / math.sqrt(D), dim=-1) @ v


# === right
def head_by_head(q, k, v):
    H, G = q.shape[1], k.shape[1]
    outputs = []
    for h in range(H):
        g = h * G // H
        scores = q[:, h] @ k[:, g].transpose(1, 2) / math.sqrt(q.shape[-1])
        outputs.append(torch.softmax(scores, -1) @ v[:, g])
    return torch.stack(outputs, dim=1)


# === right
def by_an_index(q, k, v):
    H, G = q.shape[1], k.shape[1]
    which = torch.arange(H, device=q.device) // (H // G)
    k, v = k[:, which], v[:, which]
    weights = torch.einsum("bhtd,bhsd->bhts", q, k) / q.shape[-1] ** 0.5
    return torch.einsum("bhts,bhsd->bhtd", weights.softmax(-1), v)


# === right
def queries_scaled_first(q, k, v):
    n = q.size(1) // k.size(1)
    q = q * q.size(-1) ** -0.5
    k = torch.repeat_interleave(k, n, 1)
    v = torch.repeat_interleave(v, n, 1)
    return (q @ k.mT).softmax(-1) @ v


# === wrong in-turn
def tiled(q, k, v):
    n = q.shape[1] // k.shape[1]
    k, v = k.repeat(1, n, 1, 1), v.repeat(1, n, 1, 1)
    return (q @ k.mT / q.shape[-1] ** 0.5).softmax(-1) @ v


# === wrong in-turn
def concatenated(q, k, v):
    n = q.shape[1] // k.shape[1]
    return F.scaled_dot_product_attention(q, torch.cat([k] * n, 1), torch.cat([v] * n, 1))


# === wrong in-turn
def modulo(q, k, v):
    outputs = []
    for h in range(q.shape[1]):
        g = h % k.shape[1]
        w = (q[:, h] @ k[:, g].mT / q.shape[-1] ** 0.5).softmax(-1)
        outputs.append(w @ v[:, g])
    return torch.stack(outputs, 1)


# === wrong in-turn
def axis_in_the_wrong_place(q, k, v):
    B, H, T, D = q.shape
    G = k.shape[1]
    grouped = q.reshape(B, H // G, G, T, D)
    scores = grouped @ k[:, None].mT / D**0.5
    return (scores.softmax(-1) @ v[:, None]).reshape(B, H, T, D)


# === wrong keys-in-turn
def mixed_functions(q, k, v):
    n = q.shape[1] // k.shape[1]
    return F.scaled_dot_product_attention(q, k.repeat(1, n, 1, 1), v.repeat_interleave(n, 1))


# === wrong values-in-turn
def mixed_the_other_way(q, k, v):
    n = q.shape[1] // k.shape[1]
    return F.scaled_dot_product_attention(q, k.repeat_interleave(n, 1), v.repeat(1, n, 1, 1))


# === wrong first-head-for-all
def multi_query(q, k, v):
    return F.scaled_dot_product_attention(q, k[:, :1], v[:, :1])


# === wrong averaged
def one_mean_head(q, k, v):
    k, v = k.mean(dim=1, keepdim=True), v.mean(dim=1, keepdim=True)
    return (q @ k.mT / math.sqrt(q.shape[-1])).softmax(-1) @ v


# === wrong queries-averaged
def mean_of_the_group(q, k, v):
    B, H, T, D = q.shape
    q = q.reshape(B, k.shape[1], -1, T, D).mean(2)
    return F.scaled_dot_product_attention(q, k, v)


# === wrong unscaled
def without_the_root(q, k, v):
    n = q.shape[1] // k.shape[1]
    k, v = k.repeat_interleave(n, 1), v.repeat_interleave(n, 1)
    return (q @ k.mT).softmax(-1) @ v


# === wrong scaled-by-d
def divided_by_the_width(q, k, v):
    n = q.shape[1] // k.shape[1]
    k, v = k.repeat_interleave(n, 1), v.repeat_interleave(n, 1)
    return (q @ k.mT / q.shape[-1]).softmax(-1) @ v


# === wrong scaled-by-all-heads
def the_models_width(q, k, v):
    n = q.shape[1] // k.shape[1]
    d_model = q.shape[1] * q.shape[3]
    k, v = k.repeat_interleave(n, 1), v.repeat_interleave(n, 1)
    return (q @ k.mT / math.sqrt(d_model)).softmax(-1) @ v


# === wrong over-queries
def wrong_axis(q, k, v):
    n = q.shape[1] // k.shape[1]
    k, v = k.repeat_interleave(n, 1), v.repeat_interleave(n, 1)
    return torch.softmax(q @ k.mT / math.sqrt(q.shape[-1]), dim=2) @ v


# === wrong over-heads
def wrong_axis_again(q, k, v):
    n = q.shape[1] // k.shape[1]
    k, v = k.repeat_interleave(n, 1), v.repeat_interleave(n, 1)
    return torch.softmax(q @ k.mT / math.sqrt(q.shape[-1]), dim=1) @ v


# === wrong no-softmax
def linear(q, k, v):
    n = q.shape[1] // k.shape[1]
    k, v = k.repeat_interleave(n, 1), v.repeat_interleave(n, 1)
    return (q @ k.mT / math.sqrt(q.shape[-1])) @ v


# === wrong backwards
def flipped(q, k, v):
    n = q.shape[1] // k.shape[1]
    k, v = k.flip(1).repeat_interleave(n, 1), v.flip(1).repeat_interleave(n, 1)
    return F.scaled_dot_product_attention(q, k, v)


# === wrong keys-averaged
def values_forgotten(q, k, v):
    n = q.shape[1] // k.shape[1]
    k = k.repeat_interleave(n, 1)
    return (q @ k.mT / math.sqrt(q.shape[-1])).softmax(-1) @ k


# === wrong raises
def not_repeated(q, k, v):
    return (q @ k.mT / math.sqrt(q.shape[-1])).softmax(-1) @ v


# === wrong raises
def repeated_by_all_heads(q, k, v):
    k, v = k.repeat_interleave(q.shape[1], 1), v.repeat_interleave(q.shape[1], 1)
    return (q @ k.mT / math.sqrt(q.shape[-1])).softmax(-1) @ v


# === wrong missing-axis
def merged(q, k, v):
    n = q.shape[1] // k.shape[1]
    k, v = k.repeat_interleave(n, 1), v.repeat_interleave(n, 1)
    out = (q @ k.mT / math.sqrt(q.shape[-1])).softmax(-1) @ v
    return out.transpose(1, 2).flatten(2)


# === wrong returns-a-tuple
def output_and_weights(q, k, v):
    n = q.shape[1] // k.shape[1]
    k, v = k.repeat_interleave(n, 1), v.repeat_interleave(n, 1)
    w = (q @ k.mT / math.sqrt(q.shape[-1])).softmax(-1)
    return w @ v, w


# === wrong writes-into-argument
def scaled_in_place(q, k, v):
    n = q.shape[1] // k.shape[1]
    q /= math.sqrt(q.shape[-1])
    return (q @ k.repeat_interleave(n, 1).mT).softmax(-1) @ v.repeat_interleave(n, 1)


# === wrong no-gradient
@torch.no_grad()
def frozen(q, k, v):
    n = q.shape[1] // k.shape[1]
    return F.scaled_dot_product_attention(q, k.repeat_interleave(n, 1), v.repeat_interleave(n, 1))


# === wrong exp-overflows
def grouped_queries_exp_unseen_3(q, k, v):
    n = q.shape[1] // k.shape[1]
    k, v = k.repeat_interleave(n, 1), v.repeat_interleave(n, 1)
    e = (q @ k.mT / q.shape[-1] ** 0.5).exp()
    return e @ v / e.sum(-1, keepdim=True)


# === wrong in-turn
def fresh_repeat(q, k, v):
    g = q.shape[1] // k.shape[1]
    k, v = k.repeat(1, g, 1, 1), v.repeat(1, g, 1, 1)
    return (q @ k.mT / q.shape[-1] ** 0.5).softmax(-1) @ v


# === wrong unknown
def fresh_mean_q(q, k, v):
    g = q.shape[1] // k.shape[1]
    m = q.unflatten(1, (k.shape[1], g)).mean(2)
    o = (m @ k.mT / q.shape[-1] ** 0.5).softmax(-1) @ v
    return o.repeat_interleave(g, 1)


# === right
def fresh_five(q, k, v):
    B, H, T, D = q.shape
    G = k.shape[1]
    s = q.reshape(B, G, H // G, T, D) @ k[:, :, None].mT / D**0.5
    return (s.softmax(-1) @ v[:, :, None]).reshape(B, H, T, D)


# === wrong scaled-by-the-group
def blind_b2(q, k, v):
    B, H, T, d = q.shape
    G = k.shape[1]
    q = q.reshape(B, G, H // G, T, d)
    s = torch.einsum("bgntd,bgsd->bgnts", q, k) / math.sqrt(d * (H // G))
    o = torch.einsum("bgnts,bgsd->bgntd", s.softmax(-1), v)
    return o.reshape(B, H, T, d)


# === wrong exchanged
def blind_b6(q, k, v):
    n = q.shape[1] // k.shape[1]
    k, v = k.repeat_interleave(n, 1), v.repeat_interleave(n, 1)
    return torch.softmax(q @ v.mT / q.shape[-1] ** 0.5, -1) @ k


# === wrong causal-too
def blind_b7(q, k, v):
    n = q.shape[1] // k.shape[1]
    k, v = k.repeat_interleave(n, 1), v.repeat_interleave(n, 1)
    return torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)


# === wrong one-pool
def blind_n3(q, k, v):
    B, G, S, D = k.shape
    kk = k.reshape(B, 1, G * S, D)
    vv = v.reshape(B, 1, G * S, D)
    a = torch.softmax(q @ kk.mT / D**0.5, -1)
    return a @ vv
