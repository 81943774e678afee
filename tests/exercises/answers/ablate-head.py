"""Answers to ablate-head, as readers write them; `verdicts.py` says how to read this file."""
# ruff: noqa (this is how people write)

import torch


def heads_of(weights, value):
    return torch.einsum("bhts,bhsd->bhtd", weights, value)


# === right
def cloned(weights, value, W_o, b_o, head, mean):
    out = (weights @ value).clone()
    out[:, head] = mean
    B, H, T, Dh = out.shape
    return out.permute(0, 2, 1, 3).reshape(B, T, H * Dh) @ W_o.T + b_o


# === right
def as_a_list(weights, value, W_o, b_o, head, mean):
    heads = []
    for h in range(weights.shape[1]):
        out = weights[:, h] @ value[:, h]
        heads.append(mean.expand_as(out) if h == head else out)
    return torch.nn.functional.linear(torch.cat(heads, dim=-1), W_o, b_o)


# === right
def through_the_columns(weights, value, W_o, b_o, head, mean):
    H, Dh = value.shape[1], value.shape[3]
    out = (weights @ value).transpose(1, 2).flatten(2)
    columns = torch.ones(H * Dh, dtype=W_o.dtype)
    columns[head * Dh : (head + 1) * Dh] = 0
    part = W_o[:, head * Dh : (head + 1) * Dh]
    return out @ (W_o * columns).T + part @ mean + b_o


# === right
def corrected_afterwards(weights, value, W_o, b_o, head, mean):
    out = heads_of(weights, value)
    whole = out.transpose(1, 2).flatten(2) @ W_o.T + b_o
    Dh = value.shape[-1]
    return whole + (mean - out[:, head]) @ W_o[:, head * Dh : (head + 1) * Dh].T


# === right
def head_by_head(weights, value, W_o, b_o, head, mean):
    # the layer is a sum over heads
    Dh = value.shape[-1]
    total = b_o
    for h, W in enumerate(W_o.split(Dh, dim=1)):
        out = mean.expand(len(value), weights.shape[2], -1) if h == head else weights[:, h] @ value[:, h]
        total = total + out @ W.T
    return total


# === right
def by_einsum(weights, value, W_o, b_o, head, mean):
    B, H, S, Dh = value.shape
    out = heads_of(weights, value)
    gone = (torch.arange(H) == head)[None, :, None, None]
    out = out.masked_fill(gone, 0) + gone * mean
    return torch.einsum("bhtd,ohd->bto", out, W_o.view(-1, H, Dh)) + b_o


# === wrong zeroed
def zero_ablation(weights, value, W_o, b_o, head, mean):
    out = (weights @ value).clone()
    out[:, head] = 0
    return out.transpose(1, 2).flatten(2) @ W_o.T + b_o


# === wrong zeroed
def columns_only(weights, value, W_o, b_o, head, mean):
    H, Dh = value.shape[1], value.shape[3]
    W = W_o.clone()
    W.view(-1, H, Dh)[:, head] = 0
    return (weights @ value).transpose(1, 2).flatten(2) @ W.T + b_o


# === wrong nothing-silenced
def the_layer(weights, value, W_o, b_o, head, mean):
    return (weights @ value).transpose(1, 2).flatten(2) @ W_o.T + b_o


# === wrong mean-added
def added(weights, value, W_o, b_o, head, mean):
    out = (weights @ value).clone()
    out[:, head] += mean
    return out.transpose(1, 2).flatten(2) @ W_o.T + b_o


# === wrong others-silenced
def the_one_head(weights, value, W_o, b_o, head, mean):
    out = mean.expand(*weights.shape[:3], -1).clone()
    out[:, head] = (weights @ value)[:, head]
    return out.transpose(1, 2).flatten(2) @ W_o.T + b_o


# === wrong counted-from-one
def from_one(weights, value, W_o, b_o, head, mean):
    heads = []
    for number, (w, v) in enumerate(zip(weights.unbind(1), value.unbind(1)), start=1):
        heads.append(mean.expand(*w.shape[:2], -1) if number == head else w @ v)
    return torch.cat(heads, -1) @ W_o.T + b_o


# === wrong all-replaced
def nothing_but_means(weights, value, W_o, b_o, head, mean):
    out = mean.repeat(weights.shape[1]).expand(len(weights), weights.shape[2], -1)
    return out @ W_o.T + b_o


# === wrong its-own-mean
def measured_here(weights, value, W_o, b_o, head, mean):
    out = (weights @ value).clone()
    out[:, head] = out[:, head].mean(1, keepdim=True)
    return out.transpose(1, 2).flatten(2) @ W_o.T + b_o


# === wrong feature-silenced
def last_axis(weights, value, W_o, b_o, head, mean):
    out = weights @ value
    keep = torch.arange(out.shape[-1]) != head
    out = torch.where(keep, out, mean)
    return out.transpose(1, 2).flatten(2) @ W_o.T + b_o


# === wrong position-silenced
def third_axis(weights, value, W_o, b_o, head, mean):
    out = weights @ value
    keep = (torch.arange(out.shape[2]) != head)[:, None]
    out = torch.where(keep, out, mean)
    return out.transpose(1, 2).flatten(2) @ W_o.T + b_o


# === wrong sentence-silenced
def first_axis(weights, value, W_o, b_o, head, mean):
    out = (weights @ value).clone()
    out[head : head + 1] = mean
    return out.transpose(1, 2).flatten(2) @ W_o.T + b_o


# === wrong reshaped-without-transposing
def straight_reshape(weights, value, W_o, b_o, head, mean):
    out = (weights @ value).clone()
    out[:, head] = mean
    B, H, T, Dh = out.shape
    return out.reshape(B, T, H * Dh) @ W_o.T + b_o


# === wrong features-first
def interleaved(weights, value, W_o, b_o, head, mean):
    out = (weights @ value).clone()
    out[:, head] = mean
    return out.permute(0, 2, 3, 1).flatten(2) @ W_o.T + b_o


# === wrong features-first
def stacked_last(weights, value, W_o, b_o, head, mean):
    outs = [weights[:, h] @ value[:, h] for h in range(value.shape[1])]
    outs[head] = mean.expand_as(outs[head])
    return torch.stack(outs, dim=-1).flatten(2) @ W_o.T + b_o


# === wrong heads-reversed
def backwards(weights, value, W_o, b_o, head, mean):
    outs = [weights[:, h] @ value[:, h] for h in range(value.shape[1])]
    outs[head] = mean.expand_as(outs[head])
    return torch.cat(outs[::-1], dim=-1) @ W_o.T + b_o


# === wrong no-bias
def unbiased(weights, value, W_o, b_o, head, mean):
    out = (weights @ value).clone()
    out[:, head] = mean
    return out.transpose(1, 2).flatten(2) @ W_o.T


# === wrong bias-too-small
def bias_shared(weights, value, W_o, b_o, head, mean):
    out = (weights @ value).clone()
    out[:, head] = mean
    H = out.shape[1]
    return out.transpose(1, 2).flatten(2) @ W_o.T + b_o * (1 - 1 / H)


# === wrong not-transposed
def not_turned(weights, value, W_o, b_o, head, mean):
    out = (weights @ value).clone()
    out[:, head] = mean
    return out.transpose(1, 2).flatten(2) @ W_o + b_o


# === wrong rescaled
def like_dropout(weights, value, W_o, b_o, head, mean):
    out = (weights @ value).clone()
    out[:, head] = mean
    H = out.shape[1]
    joined = out.transpose(1, 2).flatten(2)
    return joined @ W_o.T * H / (H - 1) + b_o


# === wrong changes-dtype
def single(weights, value, W_o, b_o, head, mean):
    out = (weights @ value).float()
    out[:, head] = mean.float()
    return out.transpose(1, 2).flatten(2) @ W_o.float().T + b_o.float()


# === wrong writes-into-argument
def in_place(weights, value, W_o, b_o, head, mean):
    with torch.no_grad():
        value[:, head] = mean
    return (weights @ value).transpose(1, 2).flatten(2) @ W_o.T + b_o


# === wrong raises
def ablate_head_mean_without_map_unseen_b1(weights, value, W_o, b_o, head, mean):
    o = weights @ value
    o[:, head] = mean
    return o.flatten(2) @ W_o.T + b_o


# === wrong index-minus-one
def ablate_head_head_minus_one_unseen_b2(weights, value, W_o, b_o, head, mean):
    o = (weights @ value).clone()
    o[:, head - 1] = mean
    return o.transpose(1, 2).flatten(2) @ W_o.T + b_o


# === wrong unknown
def fresh_mean_zero(weights, value, W_o, b_o, head, mean):
    o = weights @ value
    o = torch.cat([o[:, :head], torch.zeros_like(o[:, :1]), o[:, head + 1 :]], 1)
    return o.transpose(1, 2).flatten(2) @ W_o.T + b_o + mean.sum()


# === wrong not-transposed
def fresh_value(weights, value, W_o, b_o, head, mean):
    v = value.clone()
    v[:, head] = mean
    return (weights @ v).transpose(1, 2).reshape(value.shape[0], weights.shape[2], -1) @ W_o + b_o


# === right
def fresh_difference(weights, value, W_o, b_o, head, mean):
    o = weights @ value
    Dh = value.shape[-1]
    full = o.transpose(1, 2).flatten(2) @ W_o.T + b_o
    part = W_o[:, head * Dh : (head + 1) * Dh]
    return full + (mean - o[:, head]) @ part.T


# === wrong values-replaced
def blind_b4(weights, value, W_o, b_o, head, mean):
    v = value.clone()
    v[:, head] = mean
    o = weights @ v
    B, H, T, d = o.shape
    return o.transpose(1, 2).reshape(B, T, H * d) @ W_o.T + b_o
