"""Answers to rms-norm, as readers write them; `verdicts.py` says how to read this file."""
# ruff: noqa (this is how people write)

import torch
import torch.nn.functional as F
from torch import nn


# === right
def rms_by_torch(x, weight, eps):
    return F.rms_norm(x, (x.shape[-1],), 1 + weight, eps)


# === right
def rms_as_llama_writes_it(x, weight, eps):
    variance = x.pow(2).mean(-1, keepdim=True)
    return (1 + weight) * (x * torch.rsqrt(variance + eps))


# === right
def rms_by_norm(x, weight, eps):
    d = x.shape[-1]
    return x * (1 + weight) / torch.sqrt(torch.sum(x * x, dim=2, keepdim=True) / d + eps)


# === right
def rms_by_loops(x, weight, eps):
    rows = []
    for sentence in x:
        for word in sentence:
            rows.append(word / ((word @ word) / len(word) + eps) ** 0.5 * (weight + 1))
    return torch.stack(rows).reshape(x.shape)


# === right
def rms_plus_itself(x, weight, eps):
    y = x / (x.square().mean(2)[..., None] + eps).sqrt()
    return y + y * weight


# === right
def rms_by_einsum(x, weight, eps):
    ms = torch.einsum("btd,btd->bt", x, x) / x.size(2)
    return torch.einsum("btd,bt,d->btd", x, (ms + eps) ** -0.5, weight + 1)


# === wrong weight-alone
def rms_of_llama(x, weight, eps):
    return F.rms_norm(x, (x.shape[-1],), weight, eps)


# === wrong weight-alone
def rms_formula_without_one(x, weight, eps):
    return weight * x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + eps)


# === wrong layer-norm
def rms_is_layer_norm(x, weight, eps):
    return F.layer_norm(x, x.shape[-1:], 1 + weight, None, eps)


# === wrong layer-norm
def rms_centred(x, weight, eps):
    c = x - x.mean(-1, keepdim=True)
    return c / (c.pow(2).mean(-1, keepdim=True) + eps).sqrt() * (1 + weight)


# === wrong variance
def rms_with_var(x, weight, eps):
    return x / torch.sqrt(x.var(-1, keepdim=True, correction=0) + eps) * (1 + weight)


# === wrong sum-of-squares
def rms_by_length(x, weight, eps):
    return x / torch.sqrt((x**2).sum(-1, keepdim=True) + eps) * (1 + weight)


# === wrong divides-by-d-minus-1
def rms_corrected(x, weight, eps):
    d = x.shape[-1]
    return x / torch.sqrt((x**2).sum(-1, keepdim=True) / (d - 1) + eps) * (1 + weight)


# === wrong mean-absolute
def rms_by_abs(x, weight, eps):
    return x / (x.abs().mean(-1, keepdim=True) + eps) * (1 + weight)


# === wrong eps-outside-the-root
def rms_eps_last(x, weight, eps):
    rms = x.square().mean(-1, keepdim=True).sqrt()
    return x / (rms + eps) * (1 + weight)


# === wrong no-eps
def rms_without_eps(x, weight, eps):
    return x / x.square().mean(-1, keepdim=True).sqrt() * (1 + weight)


# === wrong no-root
def rms_without_root(x, weight, eps):
    return x / (x.square().mean(-1, keepdim=True) + eps) * (1 + weight)


# === wrong not-divided
def rms_only_scaled(x, weight, eps):
    return x * (1 + weight)


# === wrong multiplied
def rms_sqrt_for_rsqrt(x, weight, eps):
    return x * torch.sqrt(x.pow(2).mean(-1, keepdim=True) + eps) * (1 + weight)


# === wrong no-weight
def rms_unweighted(x, weight, eps):
    return F.rms_norm(x, (x.shape[-1],), eps=eps)


# === wrong weight-added
def rms_shifted(x, weight, eps):
    return x / torch.sqrt(x.square().mean(-1, keepdim=True) + eps) + weight


# === wrong one-added-to-the-result
def rms_brackets_lost(x, weight, eps):
    return 1 + weight * x / torch.sqrt(x.square().mean(-1, keepdim=True) + eps)


# === wrong one-minus-weight
def rms_minus(x, weight, eps):
    return (1 - weight) * x / torch.sqrt(x.square().mean(-1, keepdim=True) + eps)


# === wrong over-positions
def rms_dim_one(x, weight, eps):
    return x / torch.sqrt(x.square().mean(1, keepdim=True) + eps) * (1 + weight)


# === wrong over-the-batch
def rms_dim_zero(x, weight, eps):
    return x / torch.sqrt(x.square().mean(0, keepdim=True) + eps) * (1 + weight)


# === wrong over-positions-and-features
def rms_of_sentences(x, weight, eps):
    return F.rms_norm(x, x.shape[1:], eps=eps) * (1 + weight)


# === wrong over-everything
def rms_one_number(x, weight, eps):
    return x / torch.sqrt(x.square().mean() + eps) * (1 + weight)


# === wrong writes-into-argument
def rms_in_place(x, weight, eps):
    with torch.no_grad():
        scale = torch.rsqrt(x.square().mean(-1, keepdim=True) + eps)
    x *= torch.rsqrt(x.square().mean(-1, keepdim=True) + eps)
    return x * (1 + weight)


# === wrong mean-subtracted-above
def centred_over_rms(x, weight, eps):
    return (x - x.mean(-1, keepdim=True)) / (x.square().mean(-1, keepdim=True) + eps).sqrt() * (1 + weight)


# === wrong eps-in-the-sum
def eps_in_sum(x, weight, eps):
    return x / ((x.square().sum(-1, keepdim=True) + eps) / x.shape[-1]).sqrt() * (1 + weight)


# === wrong eps-as-a-floor
def eps_clamp(x, weight, eps):
    return x / x.square().mean(-1, keepdim=True).sqrt().clamp(min=eps) * (1 + weight)


# === wrong eps-as-a-floor
def eps_clamp_square(x, weight, eps):
    return x / x.square().mean(-1, keepdim=True).clamp(min=eps).sqrt() * (1 + weight)


# === wrong d-outside-the-root
def norm_over_d(x, weight, eps):
    return x / (x.norm(dim=-1, keepdim=True) / x.shape[-1] + eps) * (1 + weight)


# === wrong d-outside-the-root
def root_sum_over_d(x, weight, eps):
    return x / ((x.square().sum(-1, keepdim=True) + eps).sqrt() / x.shape[-1]) * (1 + weight)


# === wrong variance
def var_unbiased(x, weight, eps):
    return x / (x.var(-1, keepdim=True) + eps).sqrt() * (1 + weight)


# === wrong variance
def std_default(x, weight, eps):
    return x / (x.std(-1, keepdim=True) + eps) * (1 + weight)


# === wrong layer-norm
def layer_norm_unbiased(x, weight, eps):
    return (x - x.mean(-1, keepdim=True)) / (x.var(-1, keepdim=True) + eps).sqrt() * (1 + weight)


# === wrong layer-norm
def layer_norm_std(x, weight, eps):
    return (x - x.mean(-1, keepdim=True)) / (x.std(-1, keepdim=True) + eps) * (1 + weight)


# === wrong square-of-the-mean
def square_of_mean(x, weight, eps):
    return x / (x.mean(-1, keepdim=True).square() + eps).sqrt() * (1 + weight)


# === wrong few-digits
def in_bfloat(x, weight, eps):
    h = x.to(torch.bfloat16)
    return (h * torch.rsqrt(h.pow(2).mean(-1, keepdim=True) + eps)).to(x.dtype) * (1 + weight)


# === wrong few-digits
def square_in_half(x, weight, eps):
    s = x.to(torch.float16).pow(2).mean(-1, keepdim=True).to(x.dtype)
    return x * torch.rsqrt(s + eps) * (1 + weight)


# === right
def in_float32(x, weight, eps):
    h = x.float()
    return (h * torch.rsqrt(h.pow(2).mean(-1, keepdim=True) + eps)).to(x.dtype) * (1 + weight)


# === wrong weight-first
def weight_before(x, weight, eps):
    y = x * (1 + weight)
    return y / (y.pow(2).mean(-1, keepdim=True) + eps).sqrt()


# === right
def einsum(x, weight, eps):
    s = torch.einsum("btd,btd->bt", x, x) / x.shape[-1]
    return torch.einsum("btd,bt,d->btd", x, (s + eps) ** -0.5, weight + 1)


# === right
def hypot(x, weight, eps):
    e = (eps * x.shape[-1]) ** 0.5
    n = torch.linalg.vector_norm(torch.cat([x, torch.full_like(x[..., :1], e)], -1), dim=-1, keepdim=True)
    return x / n * x.shape[-1] ** 0.5 * (1 + weight)
