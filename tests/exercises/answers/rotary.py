"""Answers to rotary, as readers write them; `verdicts.py` says how to read this file."""
# ruff: noqa (this is how people write)

import math

import torch


def angles(x, positions, base=10000.0):
    D = x.shape[1]
    return positions.to(x.dtype)[:, None] * base ** (-torch.arange(0, D, 2, dtype=x.dtype) / D)


# === right
def rotary_in_single_precision_angles(x, positions):
    omega = 10000 ** (-torch.arange(0, x.shape[1], 2) / x.shape[1])
    angle = positions[:, None] * omega
    cos, sin = angle.cos().to(x.dtype), angle.sin().to(x.dtype)
    a, b = x.chunk(2, dim=1)
    return torch.cat([a * cos - b * sin, a * sin + b * cos], 1)


# === right
def rotary_by_complex_numbers(x, positions):
    T, D = x.shape
    omega = 10000.0 ** (-torch.arange(0, D, 2, dtype=x.dtype) / D)
    turn = torch.polar(torch.ones(T, D // 2, dtype=x.dtype), positions[:, None] * omega)
    pairs = torch.complex(*x.chunk(2, dim=1))
    turned = pairs * turn
    return torch.cat([turned.real, turned.imag], dim=1)


# === right
def rotary_by_matrices(x, positions):
    D, rows = x.shape[1], []
    for row, p in zip(x, positions.tolist()):
        turned = []
        for i in range(D // 2):
            w = p * 10000 ** (-2 * i / D)
            R = torch.tensor([[math.cos(w), -math.sin(w)], [math.sin(w), math.cos(w)]], dtype=x.dtype)
            turned.append(R @ row[[i, i + D // 2]])
        rows.append(torch.stack(turned, dim=1).flatten())
    return torch.stack(rows)


# === right
def rotary_by_the_partner(x, positions):
    h = x.shape[-1] // 2
    even = torch.arange(0, x.shape[-1], 2, device=x.device).repeat(2)
    angle = positions.to(x)[:, None] * 10000.0 ** (-even.to(x) / x.shape[-1])
    partner = torch.cat([-x[:, h:], x[:, :h]], dim=1)
    return x * angle.cos() + partner * angle.sin()


# === right
def rotary_into_an_empty_table(x, positions):
    result = torch.empty_like(x)
    h = x.shape[1] // 2
    for i in range(x.shape[1] // 2):
        w = positions.to(x.dtype) * 10000.0 ** (-2 * i / x.shape[1])
        result[:, i] = x[:, i] * w.cos() - x[:, i + h] * w.sin()
        result[:, i + h] = x[:, i] * w.sin() + x[:, i + h] * w.cos()
    return result


# === right
def rotary_by_einsum(x, positions):
    T, D = x.shape
    i = torch.arange(D // 2, dtype=x.dtype)
    w = positions.to(x.dtype)[:, None] / 10000.0 ** (2 * i / D)
    R = torch.stack([w.cos(), -w.sin(), w.sin(), w.cos()], -1).view(T, D // 2, 2, 2)
    return torch.einsum("tiab,tbi->tai", R, x.reshape(T, 2, D // 2)).reshape(T, D)


# === right
def rotary_rotate_half(x, positions):
    angle = torch.cat([angles(x, positions)] * 2, dim=1)
    a, b = x.chunk(2, dim=1)
    return x * angle.cos() + torch.cat([-b, a], dim=1) * angle.sin()


# === wrong mixed-pairs
def rotary_mixed_conventions(x, positions):
    angle = angles(x, positions).repeat_interleave(2, dim=1)
    a, b = x.chunk(2, dim=1)
    return x * angle.cos() + torch.cat([-b, a], dim=1) * angle.sin()


# === wrong clockwise
def rotary_clockwise(x, positions):
    angle = angles(x, -positions)
    a, b = x.chunk(2, dim=1)
    return torch.cat([a * angle.cos() - b * angle.sin(), a * angle.sin() + b * angle.cos()], 1)


# === wrong row-numbers
def rotary_row_numbers(x, positions):
    angle = angles(x, torch.arange(len(positions)))
    a, b = x.chunk(2, dim=1)
    return torch.cat([a * angle.cos() - b * angle.sin(), a * angle.sin() + b * angle.cos()], 1)


# === wrong no-minus
def rotary_no_minus(x, positions):
    angle = angles(x, positions).repeat(1, 2)
    partner = x.roll(x.shape[1] // 2, dims=1)
    return x * angle.cos() + partner * angle.sin()


# === wrong first-overwritten
def rotary_overwritten(x, positions):
    angle, out, h = angles(x, positions), x.clone(), x.shape[1] // 2
    out[:, :h] = out[:, :h] * angle.cos() - out[:, h:] * angle.sin()
    out[:, h:] = out[:, :h] * angle.sin() + out[:, h:] * angle.cos()
    return out


# === wrong writes-into-argument
def rotary_in_place(x, positions):
    angle, h = angles(x, positions), x.shape[1] // 2
    a, b = x[:, :h].clone(), x[:, h:].clone()
    x[:, :h], x[:, h:] = (a * angle.cos() - b * angle.sin(), a * angle.sin() + b * angle.cos())
    return x


# === wrong woven
def rotary_stack(x, positions):
    angle = angles(x, positions)
    a, b = x.chunk(2, dim=1)
    return torch.stack([a * angle.cos() - b * angle.sin(), a * angle.sin() + b * angle.cos()], -1).flatten(1)


# === wrong flattened
def rotary_not_flattened(x, positions):
    angle = angles(x, positions)
    a, b = x.chunk(2, dim=1)
    return torch.stack([a * angle.cos() - b * angle.sin(), a * angle.sin() + b * angle.cos()], 1)


# === wrong returns-another-kind
def rotary_complex(x, positions):
    angle = angles(x, positions)
    return torch.complex(*x.chunk(2, 1)) * torch.polar(torch.ones_like(angle), angle)


# === wrong returns-a-tuple
def rotary_tuple(x, positions):
    angle = angles(x, positions)
    a, b = x.chunk(2, dim=1)
    return a * angle.cos() - b * angle.sin(), a * angle.sin() + b * angle.cos()


# === wrong no-column
def rotary_no_column(x, positions):
    omega = 10000.0 ** (-torch.arange(0, x.shape[1], 2) / x.shape[1])
    angle = positions * omega
    a, b = x.chunk(2, dim=1)
    return torch.cat([a * angle.cos() - b * angle.sin(), a * angle.sin() + b * angle.cos()], 1)


# === wrong every-feature-its-own
def rotary_all_frequencies(x, positions):
    angle = positions.to(x.dtype)[:, None] * 10000.0 ** (-torch.arange(x.shape[1], dtype=x.dtype) / x.shape[1])
    partner = torch.cat([-x[:, x.shape[1] // 2 :], x[:, : x.shape[1] // 2]], dim=1)
    return x * angle.cos() + partner * angle.sin()


# === wrong exponent-halved
def rotary_half_exponent(x, positions):
    D = x.shape[1]
    angle = positions.to(x.dtype)[:, None] * 10000.0 ** (-torch.arange(D // 2, dtype=x.dtype) / D)
    a, b = x.chunk(2, dim=1)
    return torch.cat([a * angle.cos() - b * angle.sin(), a * angle.sin() + b * angle.cos()], 1)


# === wrong exponent-doubled
def rotary_double_exponent(x, positions):
    D = x.shape[1]
    angle = positions.to(x.dtype)[:, None] * 10000.0 ** (-torch.arange(0, D, 2, dtype=x.dtype) / (D // 2))
    a, b = x.chunk(2, dim=1)
    return torch.cat([a * angle.cos() - b * angle.sin(), a * angle.sin() + b * angle.cos()], 1)


# === wrong first-pair-only
def rotary_first_pair_only(x, positions):
    w, h, out = positions.to(x.dtype), x.shape[1] // 2, x.clone()
    out[:, 0] = x[:, 0] * w.cos() - x[:, h] * w.sin()
    out[:, h] = x[:, 0] * w.sin() + x[:, h] * w.cos()
    return out


# === wrong changes-dtype
def rotary_single_precision(x, positions):
    angle = angles(x, positions).float()
    a, b = x.float().chunk(2, dim=1)
    return torch.cat([a * angle.cos() - b * angle.sin(), a * angle.sin() + b * angle.cos()], 1)


# === wrong no-gradient
def rotary_without_gradient(x, positions):
    angle, out = angles(x, positions), torch.empty_like(x)
    with torch.no_grad():
        a, b = x.chunk(2, dim=1)
        out[:, : a.shape[1]], out[:, a.shape[1] :] = (
            a * angle.cos() - b * angle.sin(),
            a * angle.sin() + b * angle.cos(),
        )
    return out


# === wrong sinusoids-added
def rotary_sinusoids(x, positions):
    angle = angles(x, positions)
    return x + torch.cat([angle.sin(), angle.cos()], 1)


# === wrong sinusoids-multiplied
def rotary_sinusoids_multiplied(x, positions):
    angle = angles(x, positions)
    return x * torch.cat([angle.sin(), angle.cos()], 1)


# === wrong returns-none
def rotary_no_return(x, positions):
    angle = angles(x, positions)
    a, b = x.chunk(2, dim=1)
    torch.cat([a * angle.cos() - b * angle.sin(), a * angle.sin() + b * angle.cos()], 1)


# === wrong fails-at-the-edge
def rotary_table_of_32_positions_unseen_2(x, positions):
    D = x.shape[-1]
    w = 10000 ** (-torch.arange(0, D, 2, dtype=x.dtype, device=x.device) / D)
    a = (torch.arange(32, device=x.device)[:, None] * w)[positions]
    x1, x2 = x.chunk(2, dim=1)
    return torch.cat([x1 * a.cos() - x2 * a.sin(), x1 * a.sin() + x2 * a.cos()], 1)


# === wrong wrong-at-the-edge
def rotary_table_by_modulo_unseen_3(x, positions):
    D = x.shape[-1]
    w = 10000 ** (-torch.arange(0, D, 2, dtype=x.dtype, device=x.device) / D)
    a = (torch.arange(512, device=x.device)[:, None] * w)[positions % 512]
    x1, x2 = x.chunk(2, dim=1)
    return torch.cat([x1 * a.cos() - x2 * a.sin(), x1 * a.sin() + x2 * a.cos()], 1)


# === right
def fresh_halves(x, positions):
    D = x.shape[1]
    w = 10000 ** (-torch.arange(0, D, 2, dtype=x.dtype) / D)
    a = positions[:, None] * w
    f, s = x[:, : D // 2], x[:, D // 2 :]
    return torch.cat([f * a.cos() - s * a.sin(), f * a.sin() + s * a.cos()], 1)


# === wrong clockwise
def fresh_back(x, positions):
    D = x.shape[1]
    w = 10000 ** (-torch.arange(0, D, 2, dtype=x.dtype) / D)
    a = positions[:, None] * w
    f, s = x.chunk(2, dim=1)
    return torch.cat([f * a.cos() + s * a.sin(), s * a.cos() - f * a.sin()], 1)


# === wrong row-numbers
def fresh_arange(x, positions):
    D = x.shape[1]
    w = 10000 ** (-torch.arange(0, D, 2, dtype=x.dtype) / D)
    a = torch.arange(len(x))[:, None] * w
    f, s = x.chunk(2, dim=1)
    return torch.cat([f * a.cos() - s * a.sin(), s * a.cos() + f * a.sin()], 1)


# === right
def fresh_matrix(x, positions):
    D = x.shape[1]
    out = torch.empty_like(x)
    for i, j in zip(range(0, D, 2), range(D)):
        a = positions.to(x.dtype) * 10000 ** (-i / D)
        out[:, j] = x[:, j] * a.cos() - x[:, j + D // 2] * a.sin()
        out[:, j + D // 2] = x[:, j] * a.sin() + x[:, j + D // 2] * a.cos()
    return out


# === wrong neighbours
def rotary_as_on_the_page(x, positions):
    angle = angles(x, positions)
    a, b = x[:, 0::2], x[:, 1::2]
    turned = [a * angle.cos() - b * angle.sin(), a * angle.sin() + b * angle.cos()]
    return torch.stack(turned, dim=-1).flatten(1)


# === wrong neighbours
def fresh_neighbours(x, positions):
    out, D = x.clone(), x.shape[1]
    for i in range(0, D, 2):
        w = positions.to(x.dtype) * 10000 ** (-i / D)
        out[:, i] = x[:, i] * w.cos() - x[:, i + 1] * w.sin()
        out[:, i + 1] = x[:, i] * w.sin() + x[:, i + 1] * w.cos()
    return out


# === wrong not-woven-back
def rotary_two_layouts(x, positions):
    angle = angles(x, positions)
    a, b = x[:, 0::2], x[:, 1::2]
    turned = [a * angle.cos() - b * angle.sin(), a * angle.sin() + b * angle.cos()]
    return torch.cat(turned, dim=1)


# === wrong counted-from-the-first
def blind_b5(x, positions):
    D = x.shape[1]
    h = D // 2
    a = (positions - positions[0])[:, None] * 10000.0 ** (-2 * torch.arange(h, dtype=x.dtype) / D)
    u, w = x[:, :h], x[:, h:]
    return torch.cat([u * a.cos() - w * a.sin(), w * a.cos() + u * a.sin()], 1)


# === right
def blind_b6(x, positions):
    D = x.shape[1]
    h = D // 2
    a = positions[:, None] * 10000.0 ** (-2 * torch.arange(h) / D)
    u, w = x[:, :h], x[:, h:]
    return torch.cat([u * a.cos() - w * a.sin(), w * a.cos() + u * a.sin()], 1)


# === wrong pairs-from-one
def blind_n2(x, positions):
    h = x.shape[1] // 2
    i = torch.arange(1, h + 1, dtype=x.dtype)
    a = positions[:, None] * 10000 ** (-i / h)
    u, w = x.chunk(2, 1)
    return torch.cat([u * a.cos() - w * a.sin(), u * a.sin() + w * a.cos()], 1)
