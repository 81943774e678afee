"""Answers to rollout, as readers write them; `verdicts.py` says how to read this file."""
# ruff: noqa (this is how people write)

import torch


def ready(weights):
    a = weights.mean(dim=1) + torch.eye(weights.shape[-1], dtype=weights.dtype)
    return a / a.sum(-1, keepdim=True)


# === right
def step_by_step(weights):
    a = weights.mean(dim=1)
    a = a + torch.eye(a.shape[-1], dtype=a.dtype)
    a = a / a.sum(dim=-1, keepdim=True)
    out = a[0]
    for l in range(1, len(a)):
        out = a[l] @ out
    return out


# === right
def from_the_top(weights):
    maps = ready(weights)
    out = torch.eye(weights.shape[-1], dtype=weights.dtype)
    for m in reversed(list(maps)):
        out = out @ m
    return out


# === right
def by_reduce(weights):
    from functools import reduce

    return reduce(lambda below, layer: layer @ below, ready(weights))


# === right
def half_and_half_first(weights):
    eye = torch.eye(weights.shape[-1]).to(weights)
    mixed = 0.5 * weights.mean(1) + 0.5 * eye
    out = eye
    for layer in mixed:
        out = (layer / layer.sum(1, keepdim=True)) @ out
    return out


# === right
def by_the_book(weights):
    from attnbook.attention import rollout

    return rollout(weights.mean(1))


# === right
def recursive(weights):
    maps = ready(weights)

    def down(l):
        return maps[l] if l == 0 else torch.matmul(maps[l], down(l - 1))

    return down(len(maps) - 1)


# === wrong other-order
def left_to_right(weights):
    out = torch.eye(weights.shape[-1], dtype=weights.dtype)
    for m in ready(weights):
        out = out @ m
    return out


# === wrong other-order
def chain(weights):
    maps = ready(weights)
    out = maps[0]
    for m in maps[1:]:
        out = torch.matmul(out, m)
    return out


# === wrong no-residual
def attention_alone(weights):
    out = torch.eye(weights.shape[-1], dtype=weights.dtype)
    for a in weights.mean(1):
        out = (a / a.sum(-1, keepdim=True).clamp(min=1e-9)) @ out
    return out


# === wrong half-residual
def a_little_residual(weights):
    a = weights.mean(1) + 0.5 * torch.eye(weights.shape[-1], dtype=weights.dtype)
    a = a / a.sum(-1, keepdim=True)
    out = a[0]
    for m in a[1:]:
        out = m @ out
    return out


# === wrong residual-in-each-head
def summed_heads(weights):
    a = weights.sum(1) + torch.eye(weights.shape[-1], dtype=weights.dtype)
    a = a / a.sum(-1, keepdim=True)
    out = a[0]
    for m in a[1:]:
        out = m @ out
    return out


# === wrong not-normalised
def no_division(weights):
    a = weights.mean(1) + torch.eye(weights.shape[-1], dtype=weights.dtype)
    out = a[0]
    for m in a[1:]:
        out = m @ out
    return out


# === wrong halved
def half_of_each(weights):
    a = 0.5 * weights.mean(1) + 0.5 * torch.eye(weights.shape[-1], dtype=weights.dtype)
    out = a[0]
    for m in a[1:]:
        out = m @ out
    return out


# === wrong halved
def half_of_each_reversed(weights):
    out = torch.eye(weights.shape[-1], dtype=weights.dtype)
    for a in weights.mean(1).flip(0):
        out = out @ a / 2 + out / 2
    return out


# === wrong normalised-before
def weights_first(weights):
    a = weights.mean(1)
    a = a / a.sum(-1, keepdim=True)
    a = (a + torch.eye(a.shape[-1], dtype=a.dtype)) / 2
    out = a[0]
    for m in a[1:]:
        out = m @ out
    return out


# === wrong normalised-at-the-end
def once_at_the_end(weights):
    a = weights.mean(1) + torch.eye(weights.shape[-1], dtype=weights.dtype)
    out = a[0]
    for m in a[1:]:
        out = m @ out
    return out / out.sum(-1, keepdim=True)


# === wrong columns-normalised
def wrong_axis(weights):
    a = weights.mean(1) + torch.eye(weights.shape[-1], dtype=weights.dtype)
    a = a / a.sum(1, keepdim=True)
    out = a[0]
    for m in a[1:]:
        out = m @ out
    return out


# === wrong softmax
def by_softmax(weights):
    a = (weights.mean(1) + torch.eye(weights.shape[-1], dtype=weights.dtype)).softmax(-1)
    out = a[0]
    for m in a[1:]:
        out = m @ out
    return out


# === wrong layers-averaged
def mean_of_layers(weights):
    return ready(weights).mean(0)


# === wrong last-layer-only
def top_layer(weights):
    return ready(weights)[-1]


# === wrong last-layer-only
def forgot_to_carry(weights):
    for m in ready(weights):
        out = m @ torch.eye(weights.shape[-1], dtype=weights.dtype)
    return out


# === wrong first-layer-only
def early_return(weights):
    out = torch.eye(weights.shape[-1], dtype=weights.dtype)
    for m in ready(weights):
        return m @ out


# === wrong entry-by-entry
def star_instead_of_at(weights):
    a = ready(weights)
    out = a[0]
    for m in a[1:]:
        out = m * out
    return out


# === wrong entry-by-entry
def prod_over_layers(weights):
    return ready(weights).prod(0)


# === wrong first-head-only
def head_zero(weights):
    return_value = torch.eye(weights.shape[-1], dtype=weights.dtype)
    for m in ready(weights[:, :1]):
        return_value = m @ return_value
    return return_value


# === wrong strongest-head
def max_head(weights):
    a = weights.max(dim=1).values + torch.eye(weights.shape[-1], dtype=weights.dtype)
    a = a / a.sum(-1, keepdim=True)
    out = a[0]
    for m in a[1:]:
        out = m @ out
    return out


# === wrong heads-for-layers
def wrong_mean(weights):
    a = weights.mean(0) + torch.eye(weights.shape[-1], dtype=weights.dtype)
    a = a / a.sum(-1, keepdim=True)
    out = a[0]
    for m in a[1:]:
        out = m @ out
    return out


# === wrong inputs-as-rows
def turned(weights):
    a = ready(weights)
    out = a[0]
    for m in a[1:]:
        out = m @ out
    return out.T


# === wrong weights-transposed
def keys_down(weights):
    a = weights.mean(1).transpose(1, 2) + torch.eye(weights.shape[-1], dtype=weights.dtype)
    a = a / a.sum(-1, keepdim=True)
    out = a[0]
    for m in a[1:]:
        out = m @ out
    return out


# === wrong changes-dtype
def in_single(weights):
    out = torch.eye(weights.shape[-1])
    for m in ready(weights.float().to(torch.float64)):
        out = m.float() @ out
    return out


# === wrong writes-into-argument
def on_the_diagonal(weights):
    T = weights.shape[-1]
    weights[..., range(T), range(T)] += 1
    a = weights.mean(1)
    a = a / a.sum(-1, keepdim=True)
    out = a[0]
    for m in a[1:]:
        out = m @ out
    return out


# === wrong other-order
def fresh_order(weights):
    T = weights.shape[-1]
    out = torch.eye(T, dtype=weights.dtype)
    for w in weights:
        m = w.mean(0) + torch.eye(T, dtype=w.dtype)
        out = out @ (m / m.sum(-1, keepdim=True))
    return out


# === wrong halved
def fresh_half(weights):
    T = weights.shape[-1]
    out = torch.eye(T, dtype=weights.dtype)
    for w in weights:
        out = (0.5 * w.mean(0) + 0.5 * torch.eye(T, dtype=w.dtype)) @ out
    return out


# === right
def fresh_norm(weights):
    m = weights.mean(1) / 2 + torch.eye(weights.shape[-1]).to(weights) / 2
    m = m / m.sum(-1, keepdim=True)
    return torch.linalg.multi_dot([*m.flip(0)]) if len(m) > 1 else m[0]


# === wrong heads-apart
def blind_n2(weights):
    L, H, T, _ = weights.shape
    eye = torch.eye(T, dtype=weights.dtype)
    out = eye.expand(H, T, T)
    for w in weights:
        m = w + eye
        m = m / m.sum(-1, keepdim=True)
        out = m @ out
    return out.mean(0)


# === wrong double-residual
def blind_n4(weights):
    T = weights.shape[-1]
    eye = torch.eye(T, dtype=weights.dtype)
    out = eye
    for w in weights.mean(1):
        m = 0.5 * w + eye
        out = (m / m.sum(-1, keepdim=True)) @ out
    return out
