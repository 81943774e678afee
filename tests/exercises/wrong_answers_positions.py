"""Wrong answers to the exercises on positions, as readers write them; see `wrong_answers`."""
# ruff: noqa (this is how people write)

import math

import numpy as np
import torch
from wrong_answers import wrong

# --- batch-axis-bug -------------------------------------------------------------------------------------------


@wrong("batch-axis-bug", "along-the-batch")
def add_along_the_batch(x, encoding):
    return x + encoding[: x.size(0)].unsqueeze(1)


@wrong("batch-axis-bug", "along-the-batch")
def add_along_the_batch_2(x, encoding):
    B, T, D = x.shape
    positions = torch.arange(B)[:, None].expand(B, T)
    return x + encoding[positions]


@wrong("batch-axis-bug", "as-many-as-sentences")
def add_as_many_as_sentences(x, encoding):
    return x + encoding[: len(x)]


@wrong("batch-axis-bug", "whole-table")
def add_whole_table(x, encoding):
    return x + encoding.unsqueeze(0)


@wrong("batch-axis-bug", "as-many-as-features")
def add_as_many_as_features(x, encoding):
    return x + encoding[: x.size(-1)]


@wrong("batch-axis-bug", "one-row-for-all")
def add_one_row(x, encoding):
    return x + encoding[:1]


@wrong("batch-axis-bug", "row-of-the-length")
def add_t(x, encoding):
    T = x.shape[1]
    return x + encoding[T]


@wrong("batch-axis-bug", "starts-at-one")
def add_from_one(x, encoding):
    return x + encoding[torch.arange(1, x.shape[1] + 1)]


@wrong("batch-axis-bug", "last-word-left-out")
def add_one_short(x, encoding):
    out = x.clone()
    for t in range(x.shape[1] - 1):
        out[:, t] = x[:, t] + encoding[t]
    return out


@wrong("batch-axis-bug", "writes-into-argument")
def add_in_place(x, encoding):
    for t in range(x.shape[1]):
        x[:, t] += encoding[t]
    return x


@wrong("batch-axis-bug", "gradient-cut")
def add_detached(x, encoding):
    return x + encoding[: x.shape[1]].detach()


@wrong("batch-axis-bug", "no-gradient")
def add_through_numpy(x, encoding):
    return torch.from_numpy(
        x.detach().numpy() + encoding.detach().numpy()[: x.shape[1]]
    )


@wrong("batch-axis-bug", "changes-dtype")
def add_float(x, encoding):
    pe = torch.zeros(x.shape)
    pe[:] = encoding[: x.shape[1]]
    return x.float() + pe


@wrong("batch-axis-bug", "returns-none")
def add_nothing(x, encoding):
    x + encoding[: x.shape[1]]


@wrong("batch-axis-bug", "wrong-shape")
def add_only_rows(x, encoding):
    return encoding[: x.shape[1]]


@wrong("batch-axis-bug", "ignores-an-argument")
def add_nothing_at_all(x, encoding):
    return x


@wrong("batch-axis-bug", "prints")
def add_printed(x, encoding):
    print(x + encoding[: x.shape[1]])


@wrong("batch-axis-bug", "transposed")
def add_words_in_front(x, encoding):
    words_first = x.transpose(0, 1)
    return words_first + encoding[: len(words_first), None]


@wrong("batch-axis-bug", "factor")
def add_averaged(x, encoding):
    return (x + encoding[: x.shape[1]]) / 2


@wrong("batch-axis-bug", "normalised")
def add_normalised(x, encoding):
    out = x + encoding[: x.shape[1]]
    return out / out.norm(dim=-1, keepdim=True)


@wrong("batch-axis-bug", "returns-a-list")
def add_list(x, encoding):
    return [sentence + encoding[: x.shape[1]] for sentence in x]


@wrong("batch-axis-bug", "cut-short")
def add_first_sentence(x, encoding):
    return x[0] + encoding[: x.shape[1]]


# --- odd-size -------------------------------------------------------------------------------------------------


@wrong("odd-size", "odd-raises")
def sinusoids_classic(num_positions, d_model):
    position = torch.arange(num_positions).unsqueeze(1)
    div = torch.exp(torch.arange(0, d_model, 2) * (-math.log(10000.0) / d_model))
    pe = torch.zeros(num_positions, d_model)
    pe[:, 0::2] = torch.sin(position * div)
    pe[:, 1::2] = torch.cos(position * div)
    return pe


@wrong("odd-size", "halves")
def sinusoids_halves(num_positions, d_model):
    angle = torch.outer(
        torch.arange(num_positions).float(),
        10000 ** (-torch.arange(0, d_model, 2) / d_model),
    )
    return torch.cat([angle.sin(), angle.cos()], 1)[:, :d_model]


@wrong("odd-size", "cosine-first")
def sinusoids_cosine_first(num_positions, d_model):
    column = torch.arange(d_model)
    angle = torch.arange(num_positions)[:, None] * 10000.0 ** (
        -(column // 2 * 2) / d_model
    )
    return torch.where(column % 2 == 1, angle.sin(), angle.cos())


@wrong("odd-size", "counts-from-one")
def sinusoids_from_one(num_positions, d_model):
    column = torch.arange(d_model)
    angle = (torch.arange(num_positions)[:, None] + 1) * 10000.0 ** (
        -(column // 2 * 2) / d_model
    )
    return torch.where(column % 2 == 0, angle.sin(), angle.cos())


@wrong("odd-size", "exponent-halved")
def sinusoids_half_exponent(num_positions, d_model):
    column = torch.arange(d_model)
    angle = torch.arange(num_positions)[:, None] / 10000 ** ((column // 2) / d_model)
    return torch.where(column % 2 == 0, angle.sin(), angle.cos())


@wrong("odd-size", "exponent-doubled")
def sinusoids_over_half_d(num_positions, d_model):
    column = torch.arange(d_model)
    angle = torch.arange(num_positions)[:, None] / 10000 ** (
        2 * (column // 2 * 2) / d_model
    )
    return torch.where(column % 2 == 0, angle.sin(), angle.cos())


@wrong("odd-size", "every-column-its-own")
def sinusoids_own_columns(num_positions, d_model):
    pe = torch.zeros(num_positions, d_model)
    for p in range(num_positions):
        for c in range(d_model):
            w = p / 10000 ** (c / d_model)
            pe[p, c] = math.cos(w) if c % 2 else math.sin(w)
    return pe


@wrong("odd-size", "doubled-columns")
def sinusoids_doubled_columns(num_positions, d_model):
    pe = torch.zeros(num_positions, d_model)
    for p in range(num_positions):
        for c in range(d_model):
            w = p / 10000 ** (2 * c / d_model)
            pe[p, c] = math.cos(w) if c % 2 else math.sin(w)
    return pe


@wrong("odd-size", "frequencies-grow")
def sinusoids_growing(num_positions, d_model):
    column = torch.arange(d_model).double()
    angle = torch.arange(num_positions)[:, None] * 10000.0 ** (
        (column // 2 * 2) / d_model
    )
    return torch.where(column % 2 == 0, angle.sin(), angle.cos())


@wrong("odd-size", "rounded-up-exponent")
def sinusoids_rounded_up(num_positions, d_model):
    D = d_model + d_model % 2
    angle = torch.arange(num_positions)[:, None] * 10000.0 ** (
        -torch.arange(0, D, 2) / D
    )
    return torch.stack([angle.sin(), angle.cos()], -1).flatten(1)[:, :d_model]


@wrong("odd-size", "rounded-down")
def sinusoids_rounded_down(num_positions, d_model):
    D = d_model - d_model % 2
    angle = torch.arange(num_positions)[:, None] * 10000.0 ** (
        -torch.arange(0, D, 2) / max(D, 1)
    )
    pe = torch.zeros(num_positions, d_model)
    pe[:, :D] = torch.stack([angle.sin(), angle.cos()], -1).flatten(1)
    return pe


@wrong("odd-size", "one-column-too-many")
def sinusoids_too_wide(num_positions, d_model):
    angle = torch.arange(num_positions)[:, None] * 10000.0 ** (
        -torch.arange(0, d_model, 2) / d_model
    )
    return torch.stack([angle.sin(), angle.cos()], -1).flatten(1)


@wrong("odd-size", "cut-short")
def sinusoids_too_narrow(num_positions, d_model):
    angle = torch.arange(num_positions)[:, None] * 10000.0 ** (
        -torch.arange(0, d_model - 1, 2) / d_model
    )
    return torch.stack([angle.sin(), angle.cos()], -1).flatten(1)


@wrong("odd-size", "last-left-empty")
def sinusoids_last_empty(num_positions, d_model):
    angle = torch.arange(num_positions)[:, None] * 10000.0 ** (
        -torch.arange(0, d_model, 2) / d_model
    )
    pe = torch.zeros(num_positions, d_model)
    for i in range(d_model // 2):
        pe[:, 2 * i], pe[:, 2 * i + 1] = angle[:, i].sin(), angle[:, i].cos()
    return pe


@wrong("odd-size", "wrong-shape")
def sinusoids_one_row(num_positions, d_model):
    column = torch.arange(d_model)
    angle = num_positions * 10000.0 ** (-(column // 2 * 2) / d_model)
    return torch.where(column % 2 == 0, angle.sin(), angle.cos())


@wrong("odd-size", "extra-axis")
def sinusoids_batched(num_positions, d_model):
    column = torch.arange(d_model)
    angle = torch.arange(num_positions)[:, None] * 10000.0 ** (
        -(column // 2 * 2) / d_model
    )
    return torch.where(column % 2 == 0, angle.sin(), angle.cos())[None]


@wrong("odd-size", "returns-numpy")
def sinusoids_numpy(num_positions, d_model):
    column = np.arange(d_model)
    angle = np.arange(num_positions)[:, None] * 10000.0 ** (
        -(column // 2 * 2) / d_model
    )
    return np.where(column % 2 == 0, np.sin(angle), np.cos(angle))


@wrong("odd-size", "returns-a-list")
def sinusoids_lists(num_positions, d_model):
    return [
        [
            math.sin(p / 10000 ** ((c - c % 2) / d_model) + c % 2 * math.pi / 2)
            for c in range(d_model)
        ]
        for p in range(num_positions)
    ]


@wrong("odd-size", "angles-only")
def sinusoids_angles(num_positions, d_model):
    column = torch.arange(d_model)
    return torch.arange(num_positions)[:, None] * 10000.0 ** (
        -(column // 2 * 2) / d_model
    )


@wrong("odd-size", "natural-base")
def sinusoids_natural(num_positions, d_model):
    column = torch.arange(d_model)
    angle = torch.arange(num_positions)[:, None] * torch.exp(
        -(column // 2 * 2) / d_model
    )
    return torch.where(column % 2 == 0, angle.sin(), angle.cos())


@wrong("odd-size", "returns-none")
def sinusoids_no_return(num_positions, d_model):
    column = torch.arange(d_model)
    angle = torch.arange(num_positions)[:, None] * 10000.0 ** (
        -(column // 2 * 2) / d_model
    )
    torch.where(column % 2 == 0, angle.sin(), angle.cos())


# --- rotary ---------------------------------------------------------------------------------------------------


def angles(x, positions, base=10000.0):
    D = x.shape[1]
    return positions.to(x.dtype)[:, None] * base ** (
        -torch.arange(0, D, 2, dtype=x.dtype) / D
    )


@wrong("rotary", "halves")
def rotary_rotate_half(x, positions):
    angle = torch.cat([angles(x, positions)] * 2, dim=1)
    a, b = x.chunk(2, dim=1)
    return x * angle.cos() + torch.cat([-b, a], dim=1) * angle.sin()


@wrong("rotary", "mixed-pairs")
def rotary_mixed_conventions(x, positions):
    angle = angles(x, positions).repeat_interleave(2, dim=1)
    a, b = x.chunk(2, dim=1)
    return x * angle.cos() + torch.cat([-b, a], dim=1) * angle.sin()


@wrong("rotary", "clockwise")
def rotary_clockwise(x, positions):
    angle = angles(x, -positions)
    a, b = x[:, ::2], x[:, 1::2]
    return torch.stack(
        [a * angle.cos() - b * angle.sin(), a * angle.sin() + b * angle.cos()], -1
    ).flatten(1)


@wrong("rotary", "row-numbers")
def rotary_row_numbers(x, positions):
    angle = angles(x, torch.arange(len(positions)))
    a, b = x[:, ::2], x[:, 1::2]
    return torch.stack(
        [a * angle.cos() - b * angle.sin(), a * angle.sin() + b * angle.cos()], -1
    ).flatten(1)


@wrong("rotary", "no-minus")
def rotary_no_minus(x, positions):
    angle = angles(x, positions).repeat_interleave(2, dim=1)
    partner = torch.stack([x[:, 1::2], x[:, 0::2]], dim=-1).flatten(1)
    return x * angle.cos() + partner * angle.sin()


@wrong("rotary", "first-overwritten")
def rotary_overwritten(x, positions):
    angle, out = angles(x, positions), x.clone()
    out[:, 0::2] = out[:, 0::2] * angle.cos() - out[:, 1::2] * angle.sin()
    out[:, 1::2] = out[:, 0::2] * angle.sin() + out[:, 1::2] * angle.cos()
    return out


@wrong("rotary", "writes-into-argument")
def rotary_in_place(x, positions):
    angle = angles(x, positions)
    a, b = x[:, 0::2].clone(), x[:, 1::2].clone()
    x[:, 0::2], x[:, 1::2] = (
        a * angle.cos() - b * angle.sin(),
        a * angle.sin() + b * angle.cos(),
    )
    return x


@wrong("rotary", "not-woven")
def rotary_cat(x, positions):
    angle = angles(x, positions)
    a, b = x[:, ::2], x[:, 1::2]
    return torch.cat(
        [a * angle.cos() - b * angle.sin(), a * angle.sin() + b * angle.cos()], -1
    )


@wrong("rotary", "flattened")
def rotary_not_flattened(x, positions):
    angle = angles(x, positions)
    a, b = x[:, ::2], x[:, 1::2]
    return torch.stack(
        [a * angle.cos() - b * angle.sin(), a * angle.sin() + b * angle.cos()], -1
    )


@wrong("rotary", "returns-another-kind")
def rotary_complex(x, positions):
    angle = angles(x, positions)
    return torch.complex(x[:, ::2], x[:, 1::2]) * torch.polar(
        torch.ones_like(angle), angle
    )


@wrong("rotary", "returns-a-tuple")
def rotary_tuple(x, positions):
    angle = angles(x, positions)
    a, b = x[:, ::2], x[:, 1::2]
    return a * angle.cos() - b * angle.sin(), a * angle.sin() + b * angle.cos()


@wrong("rotary", "no-column")
def rotary_no_column(x, positions):
    omega = 10000.0 ** (-torch.arange(0, x.shape[1], 2) / x.shape[1])
    angle = positions * omega
    a, b = x[:, ::2], x[:, 1::2]
    return torch.stack(
        [a * angle.cos() - b * angle.sin(), a * angle.sin() + b * angle.cos()], -1
    ).flatten(1)


@wrong("rotary", "every-feature-its-own")
def rotary_all_frequencies(x, positions):
    angle = positions.to(x.dtype)[:, None] * 10000.0 ** (
        -torch.arange(x.shape[1], dtype=x.dtype) / x.shape[1]
    )
    partner = torch.stack([-x[:, 1::2], x[:, 0::2]], dim=-1).flatten(1)
    return x * angle.cos() + partner * angle.sin()


@wrong("rotary", "exponent-halved")
def rotary_half_exponent(x, positions):
    D = x.shape[1]
    angle = positions.to(x.dtype)[:, None] * 10000.0 ** (
        -torch.arange(D // 2, dtype=x.dtype) / D
    )
    a, b = x[:, ::2], x[:, 1::2]
    return torch.stack(
        [a * angle.cos() - b * angle.sin(), a * angle.sin() + b * angle.cos()], -1
    ).flatten(1)


@wrong("rotary", "exponent-doubled")
def rotary_double_exponent(x, positions):
    D = x.shape[1]
    angle = positions.to(x.dtype)[:, None] * 10000.0 ** (
        -torch.arange(0, D, 2, dtype=x.dtype) / (D // 2)
    )
    a, b = x[:, ::2], x[:, 1::2]
    return torch.stack(
        [a * angle.cos() - b * angle.sin(), a * angle.sin() + b * angle.cos()], -1
    ).flatten(1)


@wrong("rotary", "first-pair-only")
def rotary_first_pair_only(x, positions):
    w = positions.to(x.dtype)
    first = torch.stack(
        [x[:, 0] * w.cos() - x[:, 1] * w.sin(), x[:, 0] * w.sin() + x[:, 1] * w.cos()],
        dim=1,
    )
    return torch.cat([first, x[:, 2:]], dim=1)


@wrong("rotary", "changes-dtype")
def rotary_single_precision(x, positions):
    angle = angles(x, positions).float()
    a, b = x[:, ::2].float(), x[:, 1::2].float()
    return torch.stack(
        [a * angle.cos() - b * angle.sin(), a * angle.sin() + b * angle.cos()], -1
    ).flatten(1)


@wrong("rotary", "no-gradient")
def rotary_without_gradient(x, positions):
    angle, out = angles(x, positions), torch.empty_like(x)
    with torch.no_grad():
        a, b = x[:, ::2], x[:, 1::2]
        out[:, ::2], out[:, 1::2] = (
            a * angle.cos() - b * angle.sin(),
            a * angle.sin() + b * angle.cos(),
        )
    return out


@wrong("rotary", "sinusoids-added")
def rotary_sinusoids(x, positions):
    angle = angles(x, positions)
    return x + torch.stack([angle.sin(), angle.cos()], -1).flatten(1)


@wrong("rotary", "sinusoids-multiplied")
def rotary_sinusoids_multiplied(x, positions):
    angle = angles(x, positions)
    return x * torch.stack([angle.sin(), angle.cos()], -1).flatten(1)


@wrong("rotary", "returns-none")
def rotary_no_return(x, positions):
    angle = angles(x, positions)
    a, b = x[:, ::2], x[:, 1::2]
    torch.stack(
        [a * angle.cos() - b * angle.sin(), a * angle.sin() + b * angle.cos()], -1
    ).flatten(1)
