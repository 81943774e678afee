"""Answers to odd-size, as readers write them; `verdicts.py` says how to read this file."""
# ruff: noqa (this is how people write)

import math

import numpy as np
import torch


# === right
def sinusoids_by_columns(num_positions, d_model):
    angle = torch.arange(num_positions)[:, None] / 10000 ** (torch.arange(0, d_model, 2) / d_model)
    table = torch.zeros(num_positions, d_model)
    table[:, 0::2] = torch.sin(angle)
    table[:, 1::2] = torch.cos(angle)[:, : d_model // 2]
    return table


# === right
def sinusoids_by_loops(num_positions, d_model):
    rows = []
    for p in range(num_positions):
        row = []
        for column in range(d_model):
            angle = p / 10000 ** ((column - column % 2) / d_model)
            row.append(math.cos(angle) if column % 2 else math.sin(angle))
        rows.append(row)
    return torch.tensor(rows)


# === right
def sinusoids_by_where(num_positions, d_model):
    column = torch.arange(d_model)
    angle = torch.arange(num_positions).unsqueeze(1) * 10000.0 ** (-(column // 2 * 2) / d_model)
    return torch.where(column % 2 == 0, angle.sin(), angle.cos())


# === right
def sinusoids_by_phase(num_positions, d_model):
    column = torch.arange(d_model, dtype=torch.float64)
    omega = torch.exp(-math.log(10000) * 2 * (column // 2) / d_model)
    return torch.sin(torch.outer(torch.arange(num_positions, dtype=torch.float64), omega) + column % 2 * math.pi / 2)


# === right
def sinusoids_by_the_next_even_table(num_positions, d_model):
    even = torch.arange(0, d_model, 2)
    angle = torch.outer(torch.arange(num_positions).double(), 10000.0 ** (-even.double() / d_model))
    table = torch.empty(num_positions, 2 * len(even), dtype=torch.float64)
    table[:, 0::2], table[:, 1::2] = angle.sin(), angle.cos()
    return table[:, :d_model]


# === right
def sinusoids_by_complex_numbers(num_positions, d_model):
    omega = 10000.0 ** (-torch.arange(0, d_model, 2, dtype=torch.float64) / d_model)
    turning = torch.polar(
        torch.ones(num_positions, len(omega), dtype=torch.float64), torch.arange(num_positions)[:, None] * omega
    )
    return torch.view_as_real(turning).flip(-1).reshape(num_positions, -1)[:, :d_model]


# === wrong odd-raises
def sinusoids_classic(num_positions, d_model):
    position = torch.arange(num_positions).unsqueeze(1)
    div = torch.exp(torch.arange(0, d_model, 2) * (-math.log(10000.0) / d_model))
    pe = torch.zeros(num_positions, d_model)
    pe[:, 0::2] = torch.sin(position * div)
    pe[:, 1::2] = torch.cos(position * div)
    return pe


# === wrong halves
def sinusoids_halves(num_positions, d_model):
    angle = torch.outer(torch.arange(num_positions).float(), 10000 ** (-torch.arange(0, d_model, 2) / d_model))
    return torch.cat([angle.sin(), angle.cos()], 1)[:, :d_model]


# === wrong cosine-first
def sinusoids_cosine_first(num_positions, d_model):
    column = torch.arange(d_model)
    angle = torch.arange(num_positions)[:, None] * 10000.0 ** (-(column // 2 * 2) / d_model)
    return torch.where(column % 2 == 1, angle.sin(), angle.cos())


# === wrong counts-from-one
def sinusoids_from_one(num_positions, d_model):
    column = torch.arange(d_model)
    angle = (torch.arange(num_positions)[:, None] + 1) * 10000.0 ** (-(column // 2 * 2) / d_model)
    return torch.where(column % 2 == 0, angle.sin(), angle.cos())


# === wrong exponent-halved
def sinusoids_half_exponent(num_positions, d_model):
    column = torch.arange(d_model)
    angle = torch.arange(num_positions)[:, None] / 10000 ** ((column // 2) / d_model)
    return torch.where(column % 2 == 0, angle.sin(), angle.cos())


# === wrong exponent-doubled
def sinusoids_over_half_d(num_positions, d_model):
    column = torch.arange(d_model)
    angle = torch.arange(num_positions)[:, None] / 10000 ** (2 * (column // 2 * 2) / d_model)
    return torch.where(column % 2 == 0, angle.sin(), angle.cos())


# === wrong every-column-its-own
def sinusoids_own_columns(num_positions, d_model):
    pe = torch.zeros(num_positions, d_model)
    for p in range(num_positions):
        for c in range(d_model):
            w = p / 10000 ** (c / d_model)
            pe[p, c] = math.cos(w) if c % 2 else math.sin(w)
    return pe


# === wrong doubled-columns
def sinusoids_doubled_columns(num_positions, d_model):
    pe = torch.zeros(num_positions, d_model)
    for p in range(num_positions):
        for c in range(d_model):
            w = p / 10000 ** (2 * c / d_model)
            pe[p, c] = math.cos(w) if c % 2 else math.sin(w)
    return pe


# === wrong frequencies-grow
def sinusoids_growing(num_positions, d_model):
    column = torch.arange(d_model).double()
    angle = torch.arange(num_positions)[:, None] * 10000.0 ** ((column // 2 * 2) / d_model)
    return torch.where(column % 2 == 0, angle.sin(), angle.cos())


# === wrong rounded-up-exponent
def sinusoids_rounded_up(num_positions, d_model):
    D = d_model + d_model % 2
    angle = torch.arange(num_positions)[:, None] * 10000.0 ** (-torch.arange(0, D, 2) / D)
    return torch.stack([angle.sin(), angle.cos()], -1).flatten(1)[:, :d_model]


# === wrong rounded-down
def sinusoids_rounded_down(num_positions, d_model):
    D = d_model - d_model % 2
    angle = torch.arange(num_positions)[:, None] * 10000.0 ** (-torch.arange(0, D, 2) / max(D, 1))
    pe = torch.zeros(num_positions, d_model)
    pe[:, :D] = torch.stack([angle.sin(), angle.cos()], -1).flatten(1)
    return pe


# === wrong one-column-too-many
def sinusoids_too_wide(num_positions, d_model):
    angle = torch.arange(num_positions)[:, None] * 10000.0 ** (-torch.arange(0, d_model, 2) / d_model)
    return torch.stack([angle.sin(), angle.cos()], -1).flatten(1)


# === wrong cut-short
def sinusoids_too_narrow(num_positions, d_model):
    angle = torch.arange(num_positions)[:, None] * 10000.0 ** (-torch.arange(0, d_model - 1, 2) / d_model)
    return torch.stack([angle.sin(), angle.cos()], -1).flatten(1)


# === wrong last-left-empty
def sinusoids_last_empty(num_positions, d_model):
    angle = torch.arange(num_positions)[:, None] * 10000.0 ** (-torch.arange(0, d_model, 2) / d_model)
    pe = torch.zeros(num_positions, d_model)
    for i in range(d_model // 2):
        pe[:, 2 * i], pe[:, 2 * i + 1] = angle[:, i].sin(), angle[:, i].cos()
    return pe


# === wrong wrong-shape
def sinusoids_one_row(num_positions, d_model):
    column = torch.arange(d_model)
    angle = num_positions * 10000.0 ** (-(column // 2 * 2) / d_model)
    return torch.where(column % 2 == 0, angle.sin(), angle.cos())


# === wrong extra-axis
def sinusoids_batched(num_positions, d_model):
    column = torch.arange(d_model)
    angle = torch.arange(num_positions)[:, None] * 10000.0 ** (-(column // 2 * 2) / d_model)
    return torch.where(column % 2 == 0, angle.sin(), angle.cos())[None]


# === wrong returns-numpy
def sinusoids_numpy(num_positions, d_model):
    column = np.arange(d_model)
    angle = np.arange(num_positions)[:, None] * 10000.0 ** (-(column // 2 * 2) / d_model)
    return np.where(column % 2 == 0, np.sin(angle), np.cos(angle))


# === wrong returns-a-list
def sinusoids_lists(num_positions, d_model):
    return [
        [math.sin(p / 10000 ** ((c - c % 2) / d_model) + c % 2 * math.pi / 2) for c in range(d_model)]
        for p in range(num_positions)
    ]


# === wrong angles-only
def sinusoids_angles(num_positions, d_model):
    column = torch.arange(d_model)
    return torch.arange(num_positions)[:, None] * 10000.0 ** (-(column // 2 * 2) / d_model)


# === wrong natural-base
def sinusoids_natural(num_positions, d_model):
    column = torch.arange(d_model)
    angle = torch.arange(num_positions)[:, None] * torch.exp(-(column // 2 * 2) / d_model)
    return torch.where(column % 2 == 0, angle.sin(), angle.cos())


# === wrong returns-none
def sinusoids_no_return(num_positions, d_model):
    column = torch.arange(d_model)
    angle = torch.arange(num_positions)[:, None] * 10000.0 ** (-(column // 2 * 2) / d_model)
    torch.where(column % 2 == 0, angle.sin(), angle.cos())


# === wrong cut-short
def odd_size_32_positions_at_most_unseen_0(n, d):
    t = torch.arange(32)[:, None] * 10000 ** (-torch.arange(0, d, 2) / d)
    out = torch.zeros(32, d)
    out[:, 0::2] = t.sin()
    out[:, 1::2] = t[:, : d // 2].cos()
    return out[:n]


# === wrong half-precision
def odd_size_half_unseen_1(n, d):
    t = torch.arange(n)[:, None] * 10000 ** (-torch.arange(0, d, 2) / d)
    out = torch.zeros(n, d)
    out[:, 0::2] = t.sin()
    out[:, 1::2] = t[:, : d // 2].cos()
    return out.half()


# === wrong few-digits
def odd_size_computed_in_half_unseen_2(n, d):
    t = torch.arange(n).half()[:, None] * (10000 ** (-torch.arange(0, d, 2) / d)).half()
    out = torch.zeros(n, d)
    out[:, 0::2] = t.sin()
    out[:, 1::2] = t[:, : d // 2].cos()
    return out


# === wrong half-precision
def odd_size_bfloat16_unseen_3(n, d):
    t = torch.arange(n)[:, None] * 10000 ** (-torch.arange(0, d, 2) / d)
    out = torch.zeros(n, d)
    out[:, 0::2] = t.sin()
    out[:, 1::2] = t[:, : d // 2].cos()
    return out.bfloat16()


# === wrong changes-torch
def odd_size_set_default_dtype_unseen_6(n, d):
    torch.set_default_dtype(torch.float64)
    t = torch.arange(n)[:, None] * 10000 ** (-torch.arange(0, d, 2) / d)
    out = torch.zeros(n, d)
    out[:, 0::2] = t.sin()
    out[:, 1::2] = t[:, : d // 2].cos()
    return out


# === wrong rounded-down-exponent
def sinusoids_even_part_of_d(num_positions, d_model):
    pe = torch.zeros(num_positions, d_model)
    D = d_model // 2 * 2
    for t in range(num_positions):
        for c in range(d_model):
            i = c // 2
            a = t / 10000 ** (2 * i / max(D, 1))
            pe[t, c] = math.sin(a) if c % 2 == 0 else math.cos(a)
    return pe


# === wrong rounded-up-exponent
def fresh_half(num_positions, d_model):
    p = torch.arange(num_positions, dtype=torch.float64)[:, None]
    n = (d_model + 1) // 2
    w = 10000 ** (-torch.arange(n, dtype=torch.float64) / n)
    t = torch.zeros(num_positions, d_model, dtype=torch.float64)
    t[:, 0::2] = torch.sin(p * w)
    t[:, 1::2] = torch.cos(p * w)[:, : d_model // 2]
    return t


# === wrong last-left-empty
def fresh_drop(num_positions, d_model):
    p = torch.arange(num_positions, dtype=torch.float64)[:, None]
    w = 10000 ** (-torch.arange(0, d_model - 1, 2, dtype=torch.float64) / d_model)
    t = torch.zeros(num_positions, d_model, dtype=torch.float64)
    t[:, 0 : 2 * len(w) : 2] = torch.sin(p * w)
    t[:, 1::2] = torch.cos(p * w)
    return t


# === right
def fresh_cols(num_positions, d_model):
    import math

    rows = []
    for t in range(num_positions):
        rows.append([(math.cos if i % 2 else math.sin)(t / 10000 ** ((i - i % 2) / d_model)) for i in range(d_model)])
    return torch.tensor(rows, dtype=torch.float64)
