"""Answers to parameter-budget, as readers write them; `verdicts.py` says how to read this file."""
# ruff: noqa (this is how people write)

import math

import numpy as np
import torch
from torch import nn


def refuse(d_model, num_heads):
    if d_model % num_heads != 0:
        raise ValueError("d_model must be divisible by num_heads")


# === right
def budget_in_closed_form(d_model, num_heads):
    refuse(d_model, num_heads)
    return 4 * d_model**2


# === right
def budget_head_by_head(d_model, num_heads):
    refuse(d_model, num_heads)
    d_head = d_model // num_heads
    total = 0
    for _ in range(num_heads):
        for _ in ("q", "k", "v"):
            total += d_model * d_head
    return total + num_heads * d_head * d_model


# === right
def budget_of_the_packages_layer(d_model, num_heads):
    from attnbook.attention.heads import MultiHeadAttention

    return sum(
        p.numel()
        for p in MultiHeadAttention(d_model, num_heads, bias=False).parameters()
    )


# === right
def budget_of_pytorchs_layer(d_model, num_heads):
    layer = nn.MultiheadAttention(
        d_model, num_heads, bias=False
    )  # refuses by an assertion
    return sum(p.numel() for p in layer.parameters())


# === right
def budget_of_linear_layers(d_model, num_heads):
    assert d_model % num_heads == 0, "heads must divide the width"
    size = d_model // num_heads
    head = nn.ModuleList(nn.Linear(d_model, size, bias=False) for _ in range(3))
    output = nn.Linear(num_heads * size, d_model, bias=False)
    return num_heads * sum(W.weight.numel() for W in head) + output.weight.numel()


# === right
def budget_with_divmod(d_model, num_heads):
    size, rest = divmod(d_model, num_heads)
    if rest:
        raise ValueError(f"{rest} features left over")
    return d_model * (3 * num_heads * size + d_model)


# === right
def budget_of_shapes(d_model, num_heads):
    refuse(d_model, num_heads)
    shapes = [(d_model // num_heads, d_model)] * 3 * num_heads + [(d_model, d_model)]
    return sum(math.prod(shape) for shape in shapes)


# === right
def budget_by_numpy(d_model, num_heads):
    refuse(d_model, num_heads)
    return np.prod([4, d_model, d_model])


# === wrong W_O-forgotten
def budget_heads_only(d_model, num_heads):
    d_head = d_model // num_heads
    return num_heads * (d_model * d_head + d_model * d_head + d_model * d_head)


# === wrong full-width-heads-without-W_O
def budget_full_width(d_model, num_heads):
    return num_heads * 3 * d_model**2


# === wrong full-width-heads-small-output
def budget_full_width_with_output(d_model, num_heads):
    return num_heads * 3 * d_model**2 + d_model**2


# === wrong full-width-heads
def budget_wide(d_model, num_heads):
    from attnbook.attention.stages import WideHeads

    return sum(p.numel() for p in WideHeads(d_model, num_heads).parameters())


# === wrong biases-added
def budget_default_layer(d_model, num_heads):
    return sum(
        p.numel() for p in nn.MultiheadAttention(d_model, num_heads).parameters()
    )


# === wrong biases-added
def budget_linear(d_model, num_heads):
    return 4 * sum(p.numel() for p in nn.Linear(d_model, d_model).parameters())


# === wrong output-bias-added
def budget_output_bias(d_model, num_heads):
    return 3 * d_model * d_model + d_model * (d_model + 1)


# === wrong a-float
def budget_float(d_model, num_heads):
    d_head = d_model / num_heads
    return 3 * num_heads * d_model * d_head + d_model**2


# === wrong W_O-forgotten
def budget_float_heads_only(d_model, num_heads):
    return 3 * num_heads * d_model * (d_model / num_heads)


# === wrong one-head-and-W_O
def budget_one_head(d_model, num_heads):
    d_head = d_model // num_heads
    return 3 * d_model * d_head + d_model * d_model


# === wrong one-head-with-its-output
def budget_one_head_all(d_model, num_heads):
    d_head = d_model // num_heads
    return 4 * d_model * d_head


# === wrong one-head-only
def budget_small_squares(d_model, num_heads):
    d_head = d_model // num_heads
    return num_heads * 3 * d_head * d_head


# === wrong one-head-and-W_O
def budget_small_squares_and_output(d_model, num_heads):
    d_head = d_model // num_heads
    return num_heads * 3 * d_head**2 + d_model**2


# === wrong an-output-for-every-head
def budget_many_outputs(d_model, num_heads):
    d_head = d_model // num_heads
    return num_heads * (3 * d_model * d_head + d_model * d_model)


# === wrong unknown
def budget_wide_output(d_model, num_heads):
    return 3 * d_model**2 + num_heads * d_model * d_model // 1 * num_heads


# === wrong not-refused
def budget_never_refuses(d_model, num_heads):
    return 4 * d_model * d_model


# === wrong refused-in-silence
def budget_returns_nothing(d_model, num_heads):
    if d_model % num_heads == 0:
        return 4 * d_model * d_model


# === wrong not-refused
def budget_returns_minus_one(d_model, num_heads):
    if d_model % num_heads:
        return -1
    return 4 * d_model * d_model


# === wrong raises
def budget_refuses_the_wrong_way_round(d_model, num_heads):
    if num_heads % d_model:
        raise ValueError("not divisible")
    return 4 * d_model * d_model


# === wrong prints
def budget_prints(d_model, num_heads):
    print(4 * d_model * d_model)


# === wrong returns-a-tuple
def budget_in_parts(d_model, num_heads):
    return 3 * d_model**2, d_model**2


# === wrong returns-another-kind
def budget_as_text(d_model, num_heads):
    return f"{4 * d_model**2:,}"


# === wrong a-tensor
def budget_as_a_tensor(d_model, num_heads):
    return torch.zeros(4, d_model, d_model).numel() * torch.tensor(1)


# === wrong returns-a-layer
def budget_layer(d_model, num_heads):
    return nn.MultiheadAttention(d_model, num_heads, bias=False)


# === wrong ignores-an-argument
def budget_number_of_tensors(d_model, num_heads):
    return len(list(nn.MultiheadAttention(d_model, num_heads, bias=False).parameters()))


# === wrong returns-another-kind
def budget_generator(d_model, num_heads):
    return (
        p.numel()
        for p in nn.MultiheadAttention(d_model, num_heads, bias=False).parameters()
    )


# === wrong factor
def budget_in_bytes(d_model, num_heads):
    return 4 * 4 * d_model * d_model


# === wrong ignores-an-argument
def budget_of_the_example(d_model, num_heads):
    return 400


# === wrong unknown
def budget_power(d_model, num_heads):
    return 4 ^ d_model * 2


# === wrong raises
def budget_attribute(d_model, num_heads):
    return nn.MultiheadAttention(d_model, num_heads, bias=False).numel()


# === wrong off-by-a-part
def budget_five_matrices(d_model, num_heads):
    return 5 * d_model**2


# === wrong off-by-a-part
def budget_with_a_softmax_per_head(d_model, num_heads):
    return 4 * d_model**2 + num_heads


# === wrong not-refused
def budget_wrong_rounding(d_model, num_heads):
    return 4 * (d_model // num_heads * num_heads) ** 2 - d_model % num_heads


# === wrong refused-otherwise
def budget_refuses_with_a_runtime_error(d_model, num_heads):
    if d_model // num_heads * num_heads != d_model:
        raise RuntimeError("bad sizes")
    return 4 * d_model**2


# === wrong grouped
def budget_of_shared_keys(d_model, num_heads):
    from attnbook.attention.heads import MultiHeadAttention

    return sum(
        p.numel()
        for p in MultiHeadAttention(
            d_model, num_heads, num_kv_heads=1, bias=False
        ).parameters()
    )


# === wrong output-of-one-head
def budget_narrow_output(d_model, num_heads):
    d_head = d_model // num_heads
    return num_heads * 3 * d_model * d_head + d_head * d_model
