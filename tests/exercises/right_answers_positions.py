"""Right answers to the exercises on positions, as different people write them; see `right_answers`."""
# ruff: noqa (this is how people write)

import math

import torch
from right_answers import right

# --- batch-axis-bug -------------------------------------------------------------------------------------------


@right("batch-axis-bug")
def add_in_one_line(x, encoding):
    return x + encoding[: x.size(1)]


@right("batch-axis-bug")
def add_with_an_axis_for_the_batch(x, encoding):
    B, T, D = x.shape
    return x + encoding[:T].unsqueeze(0).expand(B, T, D)


@right("batch-axis-bug")
def add_by_loops(x, encoding):
    return torch.stack(
        [
            torch.stack([word + encoding[t] for t, word in enumerate(sentence)])
            for sentence in x
        ]
    )


@right("batch-axis-bug")
def add_by_looking_up(x, encoding):
    return x + encoding[torch.arange(x.shape[-2])]


@right("batch-axis-bug")
def add_into_a_clone(x, encoding):
    result = x.clone()
    for t in range(x.shape[1]):
        result[:, t] += encoding[t]
    return result


@right("batch-axis-bug")
def add_by_narrow(x, encoding):
    return torch.add(x, encoding.narrow(0, 0, x.shape[1])[None])


@right("batch-axis-bug")
def add_with_the_words_in_front(x, encoding):
    words_first = x.transpose(0, 1)
    return (words_first + encoding[: len(words_first), None]).transpose(0, 1)


# --- odd-size -------------------------------------------------------------------------------------------------


@right("odd-size")
def sinusoids_by_columns(num_positions, d_model):
    angle = torch.arange(num_positions)[:, None] / 10000 ** (
        torch.arange(0, d_model, 2) / d_model
    )
    table = torch.zeros(num_positions, d_model)
    table[:, 0::2] = torch.sin(angle)
    table[:, 1::2] = torch.cos(angle)[:, : d_model // 2]
    return table


@right("odd-size")
def sinusoids_by_loops(num_positions, d_model):
    rows = []
    for p in range(num_positions):
        row = []
        for column in range(d_model):
            angle = p / 10000 ** ((column - column % 2) / d_model)
            row.append(math.cos(angle) if column % 2 else math.sin(angle))
        rows.append(row)
    return torch.tensor(rows)


@right("odd-size")
def sinusoids_by_where(num_positions, d_model):
    column = torch.arange(d_model)
    angle = torch.arange(num_positions).unsqueeze(1) * 10000.0 ** (
        -(column // 2 * 2) / d_model
    )
    return torch.where(column % 2 == 0, angle.sin(), angle.cos())


@right("odd-size")
def sinusoids_by_phase(num_positions, d_model):
    column = torch.arange(d_model, dtype=torch.float64)
    omega = torch.exp(-math.log(10000) * 2 * (column // 2) / d_model)
    return torch.sin(
        torch.outer(torch.arange(num_positions, dtype=torch.float64), omega)
        + column % 2 * math.pi / 2
    )


@right("odd-size")
def sinusoids_by_the_next_even_table(num_positions, d_model):
    even = torch.arange(0, d_model, 2)
    angle = torch.outer(
        torch.arange(num_positions).double(), 10000.0 ** (-even.double() / d_model)
    )
    table = torch.empty(num_positions, 2 * len(even), dtype=torch.float64)
    table[:, 0::2], table[:, 1::2] = angle.sin(), angle.cos()
    return table[:, :d_model]


@right("odd-size")
def sinusoids_by_complex_numbers(num_positions, d_model):
    omega = 10000.0 ** (-torch.arange(0, d_model, 2, dtype=torch.float64) / d_model)
    turning = torch.polar(
        torch.ones(num_positions, len(omega), dtype=torch.float64),
        torch.arange(num_positions)[:, None] * omega,
    )
    return torch.view_as_real(turning).flip(-1).reshape(num_positions, -1)[:, :d_model]


# --- rotary ---------------------------------------------------------------------------------------------------


@right("rotary")
def rotary_in_single_precision_angles(x, positions):
    omega = 10000 ** (-torch.arange(0, x.shape[1], 2) / x.shape[1])
    angle = positions[:, None] * omega
    cos, sin = angle.cos().to(x.dtype), angle.sin().to(x.dtype)
    a, b = x[:, 0::2], x[:, 1::2]
    return torch.stack([a * cos - b * sin, a * sin + b * cos], -1).reshape(x.shape)


@right("rotary")
def rotary_by_complex_numbers(x, positions):
    T, D = x.shape
    omega = 10000.0 ** (-torch.arange(0, D, 2, dtype=x.dtype) / D)
    turn = torch.polar(torch.ones(T, D // 2, dtype=x.dtype), positions[:, None] * omega)
    pairs = torch.view_as_complex(x.reshape(T, -1, 2).contiguous())
    return torch.view_as_real(pairs * turn).flatten(1)


@right("rotary")
def rotary_by_matrices(x, positions):
    D, rows = x.shape[1], []
    for row, p in zip(x, positions.tolist()):
        turned = []
        for i in range(D // 2):
            w = p * 10000 ** (-2 * i / D)
            R = torch.tensor(
                [[math.cos(w), -math.sin(w)], [math.sin(w), math.cos(w)]], dtype=x.dtype
            )
            turned.append(R @ row[2 * i : 2 * i + 2])
        rows.append(torch.cat(turned))
    return torch.stack(rows)


@right("rotary")
def rotary_by_the_partner(x, positions):
    even = torch.arange(0, x.shape[-1], 2, device=x.device).repeat_interleave(2)
    angle = positions.to(x)[:, None] * 10000.0 ** (-even.to(x) / x.shape[-1])
    partner = torch.stack([-x[:, 1::2], x[:, 0::2]], dim=-1).flatten(1)
    return x * angle.cos() + partner * angle.sin()


@right("rotary")
def rotary_into_an_empty_table(x, positions):
    result = torch.empty_like(x)
    for i in range(x.shape[1] // 2):
        w = positions.to(x.dtype) * 10000.0 ** (-2 * i / x.shape[1])
        result[:, 2 * i] = x[:, 2 * i] * w.cos() - x[:, 2 * i + 1] * w.sin()
        result[:, 2 * i + 1] = x[:, 2 * i] * w.sin() + x[:, 2 * i + 1] * w.cos()
    return result


@right("rotary")
def rotary_by_einsum(x, positions):
    T, D = x.shape
    i = torch.arange(D // 2, dtype=x.dtype)
    w = positions.to(x.dtype)[:, None] / 10000.0 ** (2 * i / D)
    R = torch.stack([w.cos(), -w.sin(), w.sin(), w.cos()], -1).view(T, D // 2, 2, 2)
    return torch.einsum("tiab,tib->tia", R, x.reshape(T, D // 2, 2)).reshape(T, D)
