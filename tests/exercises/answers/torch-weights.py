"""Answers to torch-weights, as readers write them; `verdicts.py` says how to read this file."""
# ruff: noqa (this is how people write)

import math

import torch
from torch import nn


def _new(W, num_heads, **options):
    return nn.MultiheadAttention(len(W), num_heads, **{"bias": False, "batch_first": True, "dtype": W.dtype, **options})


# === right
def layer_by_data(W_q, W_k, W_v, W_o, num_heads):
    D = W_q.shape[0]
    mha = nn.MultiheadAttention(D, num_heads, bias=False, batch_first=True, dtype=W_q.dtype)
    mha.in_proj_weight.data = torch.cat((W_q, W_k, W_v), dim=0)
    mha.out_proj.weight.data = W_o.clone()
    return mha


# === right
def layer_by_state(W_q, W_k, W_v, W_o, num_heads):
    mha = nn.MultiheadAttention(len(W_q), num_heads, bias=False, batch_first=True).to(W_q.dtype)
    mha.load_state_dict({"in_proj_weight": torch.cat([W_q, W_k, W_v]), "out_proj.weight": W_o})
    return mha


# === right
def layer_by_parameters(W_q, W_k, W_v, W_o, num_heads):
    mha = nn.MultiheadAttention(W_q.size(0), num_heads, bias=False, batch_first=True)
    mha.in_proj_weight = nn.Parameter(torch.vstack([W_q, W_k, W_v]))
    mha.out_proj.weight = nn.Parameter(W_o.clone())
    return mha


# === right
def layer_by_slices(W_q, W_k, W_v, W_o, num_heads):
    D = len(W_o)
    layer = nn.MultiheadAttention(D, num_heads, bias=False, batch_first=True, dtype=W_o.dtype)
    with torch.no_grad():
        layer.in_proj_weight[:D] = W_q
        layer.in_proj_weight[D : 2 * D] = W_k
        layer.in_proj_weight[2 * D :] = W_v
        layer.out_proj.weight[:] = W_o
    return layer


# === right
def layer_by_chunks(W_q, W_k, W_v, W_o, num_heads):
    layer = nn.MultiheadAttention(len(W_o), num_heads, bias=False, batch_first=True).type(W_o.dtype)
    with torch.no_grad():
        for part, W in zip(layer.in_proj_weight.chunk(3), (W_q, W_k, W_v)):
            part.copy_(W)
        layer.out_proj.weight.copy_(W_o)
    return layer.eval()


# === right
def layer_by_the_package(W_q, W_k, W_v, W_o, num_heads):
    from attnbook.interop.pytorch import to_torch_attention
    from attnbook.attention.heads import MultiHeadAttention

    ours = MultiHeadAttention(len(W_q), num_heads, bias=False).to(W_q.dtype)
    with torch.no_grad():
        ours.W_qkv.weight.copy_(torch.cat([W_q, W_k, W_v]))
        ours.W_o.weight.copy_(W_o)
    return to_torch_attention(ours)


# === right
def layer_with_sizes_spelled_out(W_q, W_k, W_v, W_o, num_heads):
    D = W_q.shape[0]
    layer = nn.MultiheadAttention(
        embed_dim=D, num_heads=num_heads, dropout=0.0, bias=False, kdim=D, vdim=D, batch_first=True, dtype=W_q.dtype
    )
    nn.init.zeros_(layer.in_proj_weight)
    layer.in_proj_weight.data.add_(torch.concat([W_q, W_k, W_v]))
    layer.out_proj.weight.data.copy_(W_o)
    return layer


# === wrong order-k-q-v
def layer_k_q_v(W_q, W_k, W_v, W_o, num_heads):
    layer = _new(W_q, num_heads)
    layer.in_proj_weight.data = torch.cat([W_k, W_q, W_v])
    layer.out_proj.weight.data = W_o
    return layer


# === wrong other-weights
def layer_v_k_q(W_q, W_k, W_v, W_o, num_heads):
    layer = _new(W_q, num_heads)
    layer.load_state_dict({"in_proj_weight": torch.cat([W_v, W_k, W_q]), "out_proj.weight": W_o})
    return layer


# === wrong inputs-transposed
def layer_cat_and_turn(W_q, W_k, W_v, W_o, num_heads):
    layer = _new(W_q, num_heads)
    layer.in_proj_weight.data = torch.cat([W_q, W_k, W_v], dim=1).T.contiguous()
    layer.out_proj.weight.data = W_o.clone()
    return layer


# === wrong all-transposed
def layer_all_turned(W_q, W_k, W_v, W_o, num_heads):
    layer = _new(W_q, num_heads)
    with torch.no_grad():
        layer.in_proj_weight.copy_(torch.cat([W.T for W in (W_q, W_k, W_v)]))
        layer.out_proj.weight.copy_(W_o.T)
    return layer


# === wrong side-by-side
def layer_side_by_side(W_q, W_k, W_v, W_o, num_heads):
    layer = _new(W_q, num_heads)
    layer.in_proj_weight = nn.Parameter(torch.cat([W_q, W_k, W_v], dim=-1))
    layer.out_proj.weight = nn.Parameter(W_o)
    return layer


# === wrong raises
def layer_side_by_side_copied(W_q, W_k, W_v, W_o, num_heads):
    layer = _new(W_q, num_heads)
    with torch.no_grad():
        layer.in_proj_weight.copy_(torch.cat([W_q, W_k, W_v], dim=1))
        layer.out_proj.weight.copy_(W_o)
    return layer


# === wrong rows-interleaved
def layer_stacked(W_q, W_k, W_v, W_o, num_heads):
    layer = _new(W_q, num_heads)
    layer.in_proj_weight.data = torch.cat([W_q, W_k, W_v], dim=1).reshape(-1, len(W_q))
    layer.out_proj.weight.data = W_o.clone()
    return layer


# === wrong head-by-head
def layer_by_heads(W_q, W_k, W_v, W_o, num_heads):
    D = len(W_q)
    W = torch.stack([W_q, W_k, W_v]).view(3, num_heads, D // num_heads, D)
    layer = _new(W_q, num_heads)
    layer.in_proj_weight.data = W.transpose(0, 1).reshape(3 * D, D)
    layer.out_proj.weight.data = W_o.clone()
    return layer


# === wrong W_o-not-copied
def layer_without_output(W_q, W_k, W_v, W_o, num_heads):
    layer = _new(W_q, num_heads)
    with torch.no_grad():
        layer.in_proj_weight.copy_(torch.cat([W_q, W_k, W_v]))
    return layer


# === wrong W_o-not-copied
def layer_without_output_and_wrong_order(W_q, W_k, W_v, W_o, num_heads):
    layer = _new(W_q, num_heads)
    with torch.no_grad():
        layer.in_proj_weight.copy_(torch.cat([W_v, W_k, W_q]))
    return layer


# === wrong inputs-not-copied
def layer_copy_of_a_copy(W_q, W_k, W_v, W_o, num_heads):
    layer = _new(W_q, num_heads)
    layer.in_proj_weight.clone().data.copy_(torch.cat([W_q, W_k, W_v]))
    layer.out_proj.weight.data.copy_(W_o)
    return layer


# === wrong W_o-not-copied
def layer_out_proj_replaced(W_q, W_k, W_v, W_o, num_heads):
    layer = _new(W_q, num_heads)
    layer.in_proj_weight.data.copy_(torch.cat([W_q, W_k, W_v]))
    layer.out_proj = nn.Linear(len(W_q), len(W_q), bias=False, dtype=W_q.dtype)
    return layer


# === wrong biases
def layer_default_bias(W_q, W_k, W_v, W_o, num_heads):
    layer = _new(W_q, num_heads, bias=True)
    layer.in_proj_weight.data.copy_(torch.cat([W_q, W_k, W_v]))
    layer.out_proj.weight.data.copy_(W_o)
    return layer


# === wrong positions-first
def layer_default_batch(W_q, W_k, W_v, W_o, num_heads):
    layer = _new(W_q, num_heads, batch_first=False)
    layer.in_proj_weight.data.copy_(torch.cat([W_q, W_k, W_v]))
    layer.out_proj.weight.data.copy_(W_o)
    return layer


# === wrong biases
def layer_all_defaults(W_q, W_k, W_v, W_o, num_heads):
    layer = nn.MultiheadAttention(len(W_q), num_heads)
    layer.in_proj_weight.data.copy_(torch.cat([W_q, W_k, W_v]))
    layer.out_proj.weight.data.copy_(W_o)
    return layer


# === wrong arguments-exchanged
def layer_arguments_exchanged(W_q, W_k, W_v, W_o, num_heads):
    layer = nn.MultiheadAttention(num_heads, len(W_q), bias=False, batch_first=True, dtype=W_q.dtype)
    layer.in_proj_weight.data.copy_(torch.cat([W_q, W_k, W_v]))
    layer.out_proj.weight.data.copy_(W_o)
    return layer


# === wrong size-of-the-layer
def layer_size_of_a_head(W_q, W_k, W_v, W_o, num_heads):
    layer = nn.MultiheadAttention(len(W_q) // num_heads, 1, bias=False, batch_first=True, dtype=W_q.dtype)
    layer.in_proj_weight.data = torch.cat([W_q, W_k, W_v])
    layer.out_proj.weight.data = W_o
    return layer


# === wrong number-of-heads
def layer_one_head(W_q, W_k, W_v, W_o, num_heads):
    layer = _new(W_q, 1)
    layer.in_proj_weight.data = torch.cat([W_q, W_k, W_v])
    layer.out_proj.weight.data = W_o
    return layer


# === wrong copied-with-gradient
def layer_without_no_grad(W_q, W_k, W_v, W_o, num_heads):
    layer = _new(W_q, num_heads)
    layer.in_proj_weight.copy_(torch.cat([W_q, W_k, W_v]))
    layer.out_proj.weight.copy_(W_o)
    return layer


# === wrong sliced-with-gradient
def layer_slices_without_no_grad(W_q, W_k, W_v, W_o, num_heads):
    layer, D = _new(W_q, num_heads), len(W_q)
    layer.in_proj_weight[:D] = W_q
    layer.in_proj_weight[D : 2 * D] = W_k
    layer.in_proj_weight[2 * D :] = W_v
    layer.out_proj.weight[:] = W_o
    return layer


# === wrong tensor-assigned
def layer_tensor_assigned(W_q, W_k, W_v, W_o, num_heads):
    layer = _new(W_q, num_heads)
    layer.in_proj_weight = torch.cat([W_q, W_k, W_v])
    layer.out_proj.weight = W_o
    return layer


# === wrong no-separate-projections
def layer_separate(W_q, W_k, W_v, W_o, num_heads):
    layer = _new(W_q, num_heads)
    with torch.no_grad():
        layer.q_proj_weight.copy_(W_q)
        layer.k_proj_weight.copy_(W_k)
        layer.v_proj_weight.copy_(W_v)
        layer.out_proj.weight.copy_(W_o)
    return layer


# === wrong separate-projections-assigned
def layer_separate_data(W_q, W_k, W_v, W_o, num_heads):
    layer = _new(W_q, num_heads)
    layer.q_proj_weight.data = W_q
    layer.k_proj_weight.data = W_k
    return layer


# === wrong other-names
def layer_own_attributes(W_q, W_k, W_v, W_o, num_heads):
    layer = _new(W_q, num_heads)
    layer.W_q, layer.W_k, layer.W_v = (nn.Parameter(W) for W in (W_q, W_k, W_v))
    layer.out_proj.weight = nn.Parameter(W_o)
    return layer


# === wrong returns-another-kind
def layer_of_the_book(W_q, W_k, W_v, W_o, num_heads):
    from attnbook.attention.heads import MultiHeadAttention

    layer = MultiHeadAttention(len(W_q), num_heads, bias=False).to(W_q)
    layer.W_qkv.weight.data = torch.cat([W_q, W_k, W_v])
    layer.W_o.weight.data = W_o
    return layer


# === wrong returns-another-kind
def layer_called(W_q, W_k, W_v, W_o, num_heads):
    layer = _new(W_q, num_heads)
    x = torch.zeros(1, 3, len(W_q), dtype=W_q.dtype)
    return layer(x, x, x)[0]


# === wrong returns-another-kind
def layer_in_a_tuple(W_q, W_k, W_v, W_o, num_heads):
    return _new(W_q, num_heads), W_o


# === wrong changes-dtype
def layer_single_precision(W_q, W_k, W_v, W_o, num_heads):
    layer = nn.MultiheadAttention(len(W_q), num_heads, bias=False, batch_first=True)
    with torch.no_grad():
        layer.in_proj_weight.copy_(torch.cat([W_q, W_k, W_v]))
        layer.out_proj.weight.copy_(W_o)
    return layer


# === wrong mixed-dtypes
def layer_half_and_half(W_q, W_k, W_v, W_o, num_heads):
    layer = nn.MultiheadAttention(len(W_q), num_heads, bias=False, batch_first=True)
    layer.in_proj_weight = nn.Parameter(torch.cat([W_q, W_k, W_v]))
    layer.out_proj.weight.data.copy_(W_o)
    return layer


# === wrong other-weights
def layer_doubled_output(W_q, W_k, W_v, W_o, num_heads):
    layer = _new(W_q, num_heads)
    layer.in_proj_weight.data = torch.cat([W_q, W_k, W_v])
    layer.out_proj.weight.data = num_heads * W_o
    return layer


# === wrong nothing-copied
def layer_added_to_the_random_numbers(W_q, W_k, W_v, W_o, num_heads):
    layer = _new(W_q, num_heads)
    layer.in_proj_weight.data += torch.cat([W_q, W_k, W_v])
    layer.out_proj.weight.data += W_o
    return layer


# === wrong other-weights
def layer_one_turned(W_q, W_k, W_v, W_o, num_heads):
    layer = _new(W_q, num_heads)
    layer.in_proj_weight.data = torch.cat([W_q, W_k.T, W_v])
    layer.out_proj.weight.data = W_o.T.clone()
    return layer


# === wrong other-weights
def layer_seeded_and_forgotten(W_q, W_k, W_v, W_o, num_heads):
    torch.manual_seed(0)
    layer = _new(W_q, num_heads)
    layer.in_proj_weight.data = torch.cat([W_q, W_k, W_v])
    return layer


# === wrong writes-into-argument
def layer_scales_in_place(W_q, W_k, W_v, W_o, num_heads):
    layer = _new(W_q, num_heads)
    layer.in_proj_weight.data = torch.cat([W_q, W_k, W_v])
    layer.out_proj.weight.data = W_o.clone()
    W_q /= math.sqrt(2)
    return layer


# === wrong shape-of-a-weight
def layer_stacked_along_a_new_axis(W_q, W_k, W_v, W_o, num_heads):
    layer = _new(W_q, num_heads)
    layer.in_proj_weight.data = torch.stack([W_q, W_k, W_v])
    layer.out_proj.weight.data = W_o
    return layer


# === wrong keys-of-their-own-size
def layer_with_a_kdim(W_q, W_k, W_v, W_o, num_heads):
    return _new(W_q, num_heads, kdim=1, vdim=1)


# === wrong state-does-not-fit
def layer_loads_half(W_q, W_k, W_v, W_o, num_heads):
    layer = _new(W_q, num_heads)
    layer.load_state_dict({"in_proj_weight": torch.cat([W_q, W_k, W_v])})
    return layer


# === wrong nothing-copied
def layer_state_changed_but_not_loaded(W_q, W_k, W_v, W_o, num_heads):
    layer = _new(W_q, num_heads)
    state = layer.state_dict()
    state["in_proj_weight"], state["out_proj.weight"] = torch.cat([W_q, W_k, W_v]), W_o
    return layer


# === wrong tensor-instead-of-a-layer
def layer_output_assigned(W_q, W_k, W_v, W_o, num_heads):
    layer = _new(W_q, num_heads)
    layer.in_proj_weight.data = torch.cat([W_q, W_k, W_v])
    layer.out_proj = W_o
    return layer


# === wrong biases
def layer_with_a_new_linear(W_q, W_k, W_v, W_o, num_heads):
    layer = _new(W_q, num_heads)
    layer.in_proj_weight.data = torch.cat([W_q, W_k, W_v])
    layer.out_proj = nn.Linear(len(W_q), len(W_q), dtype=W_q.dtype)
    layer.out_proj.weight.data = W_o
    return layer


# === wrong returns-another-kind
def layer_method(W_q, W_k, W_v, W_o, num_heads):
    return _new(W_q, num_heads).forward


# === wrong changes-torch
def torch_weights_default_dtype_set_unseen_1(W_q, W_k, W_v, W_o, num_heads):
    torch.set_default_dtype(W_q.dtype)
    a = torch.nn.MultiheadAttention(len(W_q), num_heads, bias=False, batch_first=True)
    with torch.no_grad():
        a.in_proj_weight.copy_(torch.cat([W_q, W_k, W_v]))
        a.out_proj.weight.copy_(W_o)
    return a


# === wrong all-transposed
def fresh_bias(W_q, W_k, W_v, W_o, num_heads):
    m = torch.nn.MultiheadAttention(len(W_q), num_heads, bias=False, batch_first=True).to(W_q.dtype)
    m.in_proj_weight.data = torch.cat([W_q.T, W_k.T, W_v.T])
    m.out_proj.weight.data = W_o.T.contiguous()
    return m


# === wrong order-k-q-v
def fresh_order(W_q, W_k, W_v, W_o, num_heads):
    m = torch.nn.MultiheadAttention(len(W_q), num_heads, bias=False, batch_first=True).to(W_q.dtype)
    with torch.no_grad():
        m.in_proj_weight.copy_(torch.cat([W_k, W_q, W_v]))
        m.out_proj.weight.copy_(W_o)
    return m


# === right
def fresh_data(W_q, W_k, W_v, W_o, num_heads):
    m = torch.nn.MultiheadAttention(W_q.shape[0], num_heads, bias=False, batch_first=True, dtype=W_q.dtype)
    m.in_proj_weight.data = torch.cat([W_q, W_k, W_v]).clone()
    m.out_proj.weight.data = W_o.clone()
    return m


# === wrong W_o-transposed
def blind_b1(W_q, W_k, W_v, W_o, num_heads):
    layer = torch.nn.MultiheadAttention(W_q.shape[0], num_heads, bias=False, batch_first=True, dtype=W_q.dtype)
    with torch.no_grad():
        layer.in_proj_weight.copy_(torch.cat([W_q, W_k, W_v]))
        layer.out_proj.weight.copy_(W_o.T)
    return layer


# === wrong shares-memory
def blind_b4(W_q, W_k, W_v, W_o, num_heads):
    m = torch.nn.MultiheadAttention(W_q.shape[0], num_heads, bias=False, batch_first=True, dtype=W_q.dtype)
    m.in_proj_weight = torch.nn.Parameter(torch.cat([W_q, W_k, W_v]))
    m.out_proj.weight = torch.nn.Parameter(W_o)
    return m


# === wrong frozen
def blind_b8(W_q, W_k, W_v, W_o, num_heads):
    m = torch.nn.MultiheadAttention(W_q.shape[0], num_heads, bias=False, batch_first=True, dtype=W_q.dtype)
    m.in_proj_weight = torch.nn.Parameter(torch.cat([W_q, W_k, W_v]), requires_grad=False)
    m.out_proj.weight = torch.nn.Parameter(W_o.clone(), requires_grad=False)
    return m
