"""Answers to layer-norm, as readers write them; `verdicts.py` says how to read this file."""
# ruff: noqa (this is how people write)

import math

import torch
import torch.nn.functional as F
from torch import nn


# === right
def ln_by_torch(x, gain, shift, eps):
    return F.layer_norm(x, x.shape[-1:], gain, shift, eps)


# === right
def ln_with_var(x, gain, shift, eps):
    mu = x.mean(-1, keepdim=True)
    var = x.var(-1, keepdim=True, correction=0)
    return (x - mu) / torch.sqrt(var + eps) * gain + shift


# === right
def ln_with_var_mean(x, gain, shift, eps):
    var, mean = torch.var_mean(x, dim=2, unbiased=False, keepdim=True)
    return torch.rsqrt(var + eps) * (x - mean) * gain + shift


# === right
def ln_by_loops(x, gain, shift, eps):
    rows = []
    for sentence in x:
        for word in sentence:
            mu = word.sum() / len(word)
            var = ((word - mu) ** 2).sum() / len(word)
            rows.append((word - mu) / (var + eps) ** 0.5 * gain + shift)
    return torch.stack(rows).reshape(x.shape)


# === right
def ln_second_moment(x, gain, shift, eps):
    D = x.size(-1)
    m1 = x.sum(dim=-1) / D
    m2 = (x - m1[..., None]).pow(2).sum(dim=-1) / D
    y = (x - m1.unsqueeze(-1)) / torch.sqrt(m2 + eps).unsqueeze(-1)
    return torch.addcmul(shift, y, gain)


# === right
def ln_as_a_projection(x, gain, shift, eps):
    d = x.shape[-1]
    center = torch.eye(d, dtype=x.dtype) - torch.ones(d, d, dtype=x.dtype) / d
    c = x @ center
    return c * (c.pow(2).mean(-1, True) + eps).rsqrt() * gain + shift


# === right
def ln_with_corrected_std(x, gain, shift, eps):
    d = x.shape[-1]
    mean = x.mean(-1, keepdim=True)
    var = ((x - mean) ** 2).sum(-1, keepdim=True) / d
    return gain * ((x - mean) / torch.sqrt(eps + var)) + shift


# === wrong divides-by-d-minus-1
def ln_default_var(x, gain, shift, eps):
    mu = x.mean(-1, keepdim=True)
    var = torch.sum((x - mu) ** 2, -1, keepdim=True) / (x.size(-1) - 1)
    return gain * (x - mu) / torch.sqrt(var + eps) + shift


# === wrong eps-outside-the-root
def ln_eps_outside(x, gain, shift, eps):
    mu = x.mean(-1, keepdim=True)
    sigma = ((x - mu) ** 2).mean(-1, keepdim=True).sqrt()
    return gain * (x - mu) / (sigma + eps) + shift


# === wrong divides-by-d-minus-1 + eps-outside-the-root
def ln_annotated_transformer(x, gain, shift, eps):
    mean = x.mean(-1, keepdim=True)
    std = x.std(-1, keepdim=True)
    return gain * (x - mean) / (std + eps) + shift


# === wrong no-eps
def ln_without_eps(x, gain, shift, eps):
    c = x - x.mean(2, keepdim=True)
    return gain * c / c.square().mean(2, keepdim=True).sqrt() + shift


# === wrong no-root
def ln_by_variance(x, gain, shift, eps):
    c = x - x.mean(-1, True)
    return gain * c / ((c * c).mean(-1, True) + eps) + shift


# === wrong not-divided
def ln_only_centred(x, gain, shift, eps):
    return gain * (x - x.mean(-1, keepdim=True)) + shift


# === wrong rms-norm
def ln_rms(x, gain, shift, eps):
    rms = (x.pow(2).mean(-1, keepdim=True) + eps).sqrt()
    return x / rms * gain + shift


# === wrong mean-kept-in-the-quotient
def ln_forgets_to_centre(x, gain, shift, eps):
    var = x.var(-1, keepdim=True, unbiased=False)
    return x / torch.sqrt(var + eps) * gain + shift


# === wrong mean-absolute-difference
def ln_with_abs(x, gain, shift, eps):
    c = x - x.mean(-1, keepdim=True)
    return gain * c / (c.abs().mean(-1, keepdim=True) + eps) + shift


# === wrong sum-of-squares
def ln_by_the_norm(x, gain, shift, eps):
    c = x - x.mean(-1, keepdim=True)
    return gain * c / torch.sqrt((c**2).sum(-1, keepdim=True) + eps) + shift


# === wrong over-positions
def ln_dim_1(x, gain, shift, eps):
    mu = x.mean(1, keepdim=True)
    var = x.var(1, keepdim=True, unbiased=False)
    return gain * (x - mu) / (var + eps).sqrt() + shift


# === wrong over-the-batch
def ln_dim_0(x, gain, shift, eps):
    mu = x.mean(0)
    var = x.var(0, unbiased=False)
    return gain * (x - mu) / (var + eps).sqrt() + shift


# === wrong batch-norm
def ln_batch_norm(x, gain, shift, eps):
    y = F.batch_norm(x.transpose(1, 2), None, None, gain, shift, True, 0.1, eps)
    return y.transpose(1, 2)


# === wrong over-positions-and-features
def ln_whole_sentence(x, gain, shift, eps):
    y = F.layer_norm(x, x.shape[1:], eps=eps)
    return gain * y + shift


# === wrong over-everything
def ln_one_mean(x, gain, shift, eps):
    return gain * (x - x.mean()) / (x.var(correction=0) + eps) ** 0.5 + shift


# === wrong no-gain
def ln_without_gain(x, gain, shift, eps):
    mean = x.mean(-1, keepdim=True)
    var = (x - mean).square().mean(-1, keepdim=True)
    return (x - mean) / (var + eps).sqrt() + shift


# === wrong no-shift
def ln_without_shift(x, gain, shift, eps):
    return F.layer_norm(x, (x.size(-1),), gain, None, eps)


# === wrong ignores-an-argument
def ln_without_parameters(x, gain, shift, eps):
    return F.layer_norm(x, (x.size(-1),), eps=eps)


# === wrong shift-before-gain
def ln_stretches_the_shift(x, gain, shift, eps):
    normed = F.layer_norm(x, x.shape[-1:], eps=eps)
    return (normed + shift) * gain


# === wrong one-plus-gain
def ln_like_gemma(x, gain, shift, eps):
    normed = F.layer_norm(x, x.shape[-1:], eps=eps)
    return normed * (1 + gain) + shift


# === wrong writes-into-argument
def ln_in_place(x, gain, shift, eps):
    x -= x.mean(-1, keepdim=True)
    x /= torch.sqrt(x.square().mean(-1, keepdim=True) + eps)
    return gain * x + shift


# === wrong raises
def ln_without_keepdim(x, gain, shift, eps):
    mu = x.mean(-1)
    var = x.var(-1, unbiased=False)
    return gain * (x - mu) / torch.sqrt(var + eps) + shift


# === wrong no-gradient
def ln_by_a_module(x, gain, shift, eps):
    norm = nn.LayerNorm(x.shape[-1], eps=eps, dtype=x.dtype)
    norm.weight.data, norm.bias.data = gain.data, shift.data
    with torch.no_grad():
        return norm(x)


# === wrong prints
def ln_prints(x, gain, shift, eps):
    mu = x.mean(-1, keepdim=True)
    var = x.var(-1, keepdim=True, unbiased=False)
    print(gain * (x - mu) / torch.sqrt(var + eps) + shift)


# === wrong changes-dtype
def ln_in_float32(x, gain, shift, eps):
    y = F.layer_norm(x.float(), x.shape[-1:], gain.float(), shift.float(), eps)
    return y


# === wrong eps-outside-the-root
def ln_std_without_correction(x, gain, shift, eps):
    std, mean = torch.std_mean(x, dim=-1, correction=0, keepdim=True)
    return torch.addcmul(shift, gain, (x - mean) / (std + eps))


# === wrong divides-by-d-minus-1
def ln_forgets_the_correction(x, gain, shift, eps):
    centred = x - x.mean(-1, keepdim=True)
    return centred * torch.rsqrt(x.var(-1, keepdim=True) + eps) * gain + shift


# === wrong divides-by-d-minus-1
def fresh_unbiased(x, gain, shift, eps):
    return gain * (x - x.mean(-1, keepdim=True)) / (x.var(-1, keepdim=True) + eps).sqrt() + shift


# === wrong eps-outside-the-root
def fresh_eps_outside(x, gain, shift, eps):
    c = x - x.mean(-1, keepdim=True)
    return gain * c / (c.pow(2).mean(-1, keepdim=True).sqrt() + eps) + shift


# === right
def fresh_var(x, gain, shift, eps):
    v, m = torch.var_mean(x, dim=-1, correction=0, keepdim=True)
    return (x - m) * (v + eps).rsqrt() * gain + shift


# === wrong float32
def blind_b7(x, gain, shift, eps):
    m = x.mean(-1, keepdim=True)
    v = (x**2).mean(-1, keepdim=True) - m**2
    return gain * (x - m) / torch.sqrt(v + eps) + shift
