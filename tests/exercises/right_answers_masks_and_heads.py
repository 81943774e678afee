"""Right answers to the exercises on masks and heads, as different people write them; see `right_answers`."""
# ruff: noqa (this is how people write)

import math

import numpy as np
import torch
import torch.nn.functional as F
from right_answers import right
from torch import nn

# --- causal-mask ----------------------------------------------------------------------------------------------


@right("causal-mask")
def triangle_of_ones(num_queries, num_keys):
    return torch.ones(num_queries, num_keys, dtype=torch.bool).tril(
        num_keys - num_queries
    )


@right("causal-mask")
def triangle_above_turned_round(num_queries, num_keys):
    future = torch.triu(
        torch.ones(num_queries, num_keys), diagonal=1 + num_keys - num_queries
    )
    return future == 0


@right("causal-mask")
def triangle_cut_from_a_square(num_queries, num_keys):
    return torch.tril(torch.ones(num_keys, num_keys)).bool()[-num_queries:]


@right("causal-mask")
def triangle_by_loops(num_queries, num_keys):
    mask = torch.zeros(num_queries, num_keys, dtype=torch.bool)
    for i in range(num_queries):
        for j in range(num_keys):
            mask[i, j] = j <= i + num_keys - num_queries
    return mask


@right("causal-mask")
def triangle_by_slices(num_queries, num_keys):
    mask = torch.full((num_queries, num_keys), False)
    past = num_keys - num_queries
    for i in range(num_queries):
        mask[i, : past + i + 1] = True
    return mask


@right("causal-mask")
def triangle_beside_a_block(num_queries, num_keys):
    before = torch.ones(num_queries, num_keys - num_queries, dtype=torch.bool)
    return torch.cat(
        [before, torch.ones(num_queries, num_queries, dtype=torch.bool).tril()], dim=1
    )


@right("causal-mask")
def triangle_from_lists(num_queries, num_keys):
    return torch.tensor(
        [
            [k < num_keys - num_queries + q + 1 for k in range(num_keys)]
            for q in range(num_queries)
        ]
    )


@right("causal-mask")
def triangle_from_numpy(num_queries, num_keys):
    return torch.from_numpy(
        np.tri(num_queries, num_keys, num_keys - num_queries, dtype=bool)
    )


@right("causal-mask")
def triangle_from_the_end(T, S):
    i, j = (
        torch.arange(T).flip(0)[:, None],
        torch.arange(S).flip(0),
    )  # both counted from the last position
    return j >= i


# --- padding-and-causal ---------------------------------------------------------------------------------------


@right("padding-and-causal")
def decoder_by_a_triangle(valid_lens, T):
    causal = torch.ones(T, T, dtype=torch.bool, device=valid_lens.device).tril()
    padding = torch.arange(T, device=valid_lens.device)[None, :] < valid_lens[:, None]
    return padding.unsqueeze(1) & causal.unsqueeze(0)


@right("padding-and-causal")
def decoder_by_the_smaller_bound(valid_lens, T):
    i = torch.arange(T, device=valid_lens.device)
    return i < torch.minimum(i[:, None] + 1, valid_lens[:, None, None])


@right("padding-and-causal")
def decoder_by_loops(valid_lens, T):
    mask = torch.zeros(
        len(valid_lens), T, T, dtype=torch.bool, device=valid_lens.device
    )
    for b, n in enumerate(valid_lens.tolist()):
        for i in range(T):
            mask[b, i, : min(n, i + 1)] = True
    return mask


@right("padding-and-causal")
def decoder_by_a_product(valid_lens, T):
    p = torch.arange(T, device=valid_lens.device)
    return (p < valid_lens[:, None])[:, None] * (p <= p[:, None])


@right("padding-and-causal")
def decoder_by_what_is_hidden(valid_lens, T):
    p = torch.arange(T).to(valid_lens.device)
    future, padding = p > p[:, None], p >= valid_lens[:, None, None]
    return ~(future | padding)


@right("padding-and-causal")
def decoder_one_sentence_at_a_time(valid_lens, T):
    device = valid_lens.device
    causal = torch.tril(torch.ones(T, T, device=device))
    rows = []
    for n in valid_lens:
        m = causal.clone()
        m[:, n:] = 0
        rows.append(m)
    return torch.stack(rows) > 0


@right("padding-and-causal")
def decoder_with_the_packages_functions(valid_lens, T):
    from attnbook.attention import causal_mask, sequence_mask

    return sequence_mask(valid_lens, T)[:, None] & causal_mask(
        T, device=valid_lens.device
    )


# --- cross-attention ------------------------------------------------------------------------------------------


@right("cross-attention")
def across_with_torch(x, memory, W_q, W_k, W_v, memory_lens):
    q, k, v = F.linear(x, W_q), F.linear(memory, W_k), F.linear(memory, W_v)
    mask = torch.arange(memory.shape[1], device=x.device) < memory_lens[:, None, None]
    return F.scaled_dot_product_attention(q, k, v, attn_mask=mask)


@right("cross-attention")
def across_with_the_package(x, memory, W_q, W_k, W_v, memory_lens):
    from attnbook.attention import masked_softmax
    from attnbook.attention import scaled_dot_score

    weights = masked_softmax(scaled_dot_score(x @ W_q.T, memory @ W_k.T), memory_lens)
    return weights @ (memory @ W_v.T)


@right("cross-attention")
def across_by_einsum(x, memory, W_q, W_k, W_v, memory_lens):
    q = torch.einsum("btd,ed->bte", x, W_q)
    k = torch.einsum("bsd,ed->bse", memory, W_k)
    v = torch.einsum("bsd,ed->bse", memory, W_v)
    scores = torch.einsum("bte,bse->bts", q, k) / x.size(-1) ** 0.5
    pad = torch.arange(k.size(1), device=x.device)[None, :] >= memory_lens[:, None]
    scores = scores.masked_fill(pad[:, None, :], float("-inf"))
    return torch.einsum("bts,bse->bte", scores.softmax(-1), v)


@right("cross-attention")
def across_sentence_by_sentence(x, memory, W_q, W_k, W_v, memory_lens):
    outputs = []
    for b in range(len(x)):
        m = memory[b, : int(memory_lens[b])]
        scores = (x[b] @ W_q.T) @ (m @ W_k.T).T / math.sqrt(x.shape[2])
        outputs.append(scores.softmax(dim=1) @ (m @ W_v.T))
    return torch.stack(outputs)


@right("cross-attention")
def across_with_a_large_number(x, memory, W_q, W_k, W_v, memory_lens):
    d = x.shape[-1]
    scores = torch.bmm(x @ W_q.T, (memory @ W_k.T).transpose(1, 2)) / d**0.5
    mask = (
        torch.arange(memory.shape[1], device=x.device)[None] < memory_lens[:, None]
    ).unsqueeze(1)
    scores = torch.where(mask, scores, -1e9)
    return torch.bmm(torch.softmax(scores, 2), memory @ W_v.T)


@right("cross-attention")
def across_with_one_matrix_for_both(x, memory, W_q, W_k, W_v, memory_lens):
    """q·k = x W_qᵀ W_k mᵀ: the bilinear score of chapter 5."""
    scores = x @ (W_q.T @ W_k) @ memory.mT * W_q.shape[0] ** -0.5
    keep = torch.arange(memory.shape[1]).to(x.device) < memory_lens[:, None, None]
    e = (scores - scores.amax(-1, keepdim=True)).exp() * keep
    return e / e.sum(-1, keepdim=True) @ memory @ W_v.T


@right("cross-attention")
def across_with_the_query_scaled(x, memory, W_q, W_k, W_v, memory_lens):
    q = x @ W_q.T / math.sqrt(W_q.shape[0])
    e = q @ (memory @ W_k.T).mT
    bias = torch.zeros(memory.shape[:2], dtype=x.dtype, device=x.device)
    for b, n in enumerate(memory_lens):
        bias[b, n:] = -torch.inf
    return (e + bias[:, None]).softmax(-1) @ (memory @ W_v.T)


# --- split-heads ----------------------------------------------------------------------------------------------


@right("split-heads")
def split_by_view_and_transpose(x, num_heads):
    b, t, d = x.shape
    return x.view(b, t, num_heads, d // num_heads).transpose(1, 2)


@right("split-heads")
def split_by_permute(x, num_heads):
    return x.reshape(*x.shape[:2], num_heads, -1).permute(0, 2, 1, 3).contiguous()


@right("split-heads")
def split_by_chunks(x, num_heads):
    return torch.stack(x.chunk(num_heads, dim=-1), dim=1)


@right("split-heads")
def split_by_slices(x, num_heads):
    size = x.shape[-1] // num_heads
    return torch.stack(
        [x[:, :, h * size : (h + 1) * size] for h in range(num_heads)], 1
    )


@right("split-heads")
def split_by_unflatten(x, num_heads):
    return x.unflatten(2, (num_heads, x.size(2) // num_heads)).swapaxes(1, 2)


@right("split-heads")
def split_by_turning_twice(x, num_heads):
    b, t, d = x.shape
    return x.transpose(1, 2).reshape(b, num_heads, d // num_heads, t).transpose(2, 3)


@right("split-heads")
def split_by_torch_split(x, num_heads):
    heads = torch.split(x, x.size(-1) // num_heads, dim=-1)
    return torch.cat([h.unsqueeze(1) for h in heads], dim=1)


@right("split-heads")
def split_by_einsum(x, num_heads):
    return torch.einsum("bthd->bhtd", x.reshape(x.shape[0], x.shape[1], num_heads, -1))


@right("split-heads")
def split_by_the_package(x, num_heads):
    from attnbook.attention import split_heads

    return split_heads(x, num_heads)


# --- merge-heads ----------------------------------------------------------------------------------------------


@right("merge-heads")
def merge_by_contiguous_and_view(x):
    B, H, T, Dh = x.shape
    return x.transpose(1, 2).contiguous().view(B, T, H * Dh)


@right("merge-heads")
def merge_by_flatten(x):
    return x.transpose(1, 2).flatten(2)


@right("merge-heads")
def merge_by_permute(x):
    return x.permute(0, 2, 1, 3).reshape(x.shape[0], x.shape[2], -1)


@right("merge-heads")
def merge_by_cat(x):
    return torch.cat([x[:, h] for h in range(x.shape[1])], dim=-1)


@right("merge-heads")
def merge_by_unbind(x):
    return torch.cat(x.unbind(1), -1)


@right("merge-heads")
def merge_by_stack(x):
    return torch.stack(list(x.unbind(dim=1)), dim=2).flatten(start_dim=2)


@right("merge-heads")
def merge_by_einsum(x):
    return torch.einsum("bhtd->bthd", x).reshape(
        x.size(0), x.size(2), x.size(1) * x.size(3)
    )


@right("merge-heads")
def merge_by_slices(x):
    B, H, T, Dh = x.shape
    out = x.new_zeros(B, T, H * Dh)
    for h in range(H):
        out[..., h * Dh : (h + 1) * Dh] = x[:, h]
    return out


# --- torch-weights --------------------------------------------------------------------------------------------


@right("torch-weights")
def layer_by_data(W_q, W_k, W_v, W_o, num_heads):
    D = W_q.shape[0]
    mha = nn.MultiheadAttention(
        D, num_heads, bias=False, batch_first=True, dtype=W_q.dtype
    )
    mha.in_proj_weight.data = torch.cat((W_q, W_k, W_v), dim=0)
    mha.out_proj.weight.data = W_o.clone()
    return mha


@right("torch-weights")
def layer_by_state(W_q, W_k, W_v, W_o, num_heads):
    mha = nn.MultiheadAttention(len(W_q), num_heads, bias=False, batch_first=True).to(
        W_q.dtype
    )
    mha.load_state_dict(
        {"in_proj_weight": torch.cat([W_q, W_k, W_v]), "out_proj.weight": W_o}
    )
    return mha


@right("torch-weights")
def layer_by_parameters(W_q, W_k, W_v, W_o, num_heads):
    mha = nn.MultiheadAttention(W_q.size(0), num_heads, bias=False, batch_first=True)
    mha.in_proj_weight = nn.Parameter(torch.vstack([W_q, W_k, W_v]))
    mha.out_proj.weight = nn.Parameter(W_o.clone())
    return mha


@right("torch-weights")
def layer_by_slices(W_q, W_k, W_v, W_o, num_heads):
    D = len(W_o)
    layer = nn.MultiheadAttention(
        D, num_heads, bias=False, batch_first=True, dtype=W_o.dtype
    )
    with torch.no_grad():
        layer.in_proj_weight[:D] = W_q
        layer.in_proj_weight[D : 2 * D] = W_k
        layer.in_proj_weight[2 * D :] = W_v
        layer.out_proj.weight[:] = W_o
    return layer


@right("torch-weights")
def layer_by_chunks(W_q, W_k, W_v, W_o, num_heads):
    layer = nn.MultiheadAttention(
        len(W_o), num_heads, bias=False, batch_first=True
    ).type(W_o.dtype)
    with torch.no_grad():
        for part, W in zip(layer.in_proj_weight.chunk(3), (W_q, W_k, W_v)):
            part.copy_(W)
        layer.out_proj.weight.copy_(W_o)
    return layer.eval()


@right("torch-weights")
def layer_by_the_package(W_q, W_k, W_v, W_o, num_heads):
    from attnbook.interop import to_torch_attention
    from attnbook.attention import MultiHeadAttention

    ours = MultiHeadAttention(len(W_q), num_heads, bias=False).to(W_q.dtype)
    with torch.no_grad():
        ours.W_qkv.weight.copy_(torch.cat([W_q, W_k, W_v]))
        ours.W_o.weight.copy_(W_o)
    return to_torch_attention(ours)


@right("torch-weights")
def layer_with_sizes_spelled_out(W_q, W_k, W_v, W_o, num_heads):
    D = W_q.shape[0]
    layer = nn.MultiheadAttention(
        embed_dim=D,
        num_heads=num_heads,
        dropout=0.0,
        bias=False,
        kdim=D,
        vdim=D,
        batch_first=True,
        dtype=W_q.dtype,
    )
    nn.init.zeros_(layer.in_proj_weight)
    layer.in_proj_weight.data.add_(torch.concat([W_q, W_k, W_v]))
    layer.out_proj.weight.data.copy_(W_o)
    return layer


# --- parameter-budget -----------------------------------------------------------------------------------------


def refuse(d_model, num_heads):
    if d_model % num_heads != 0:
        raise ValueError("d_model must be divisible by num_heads")


@right("parameter-budget")
def budget_in_closed_form(d_model, num_heads):
    refuse(d_model, num_heads)
    return 4 * d_model**2


@right("parameter-budget")
def budget_head_by_head(d_model, num_heads):
    refuse(d_model, num_heads)
    d_head = d_model // num_heads
    total = 0
    for _ in range(num_heads):
        for _ in ("q", "k", "v"):
            total += d_model * d_head
    return total + num_heads * d_head * d_model


@right("parameter-budget")
def budget_of_the_packages_layer(d_model, num_heads):
    from attnbook.attention import MultiHeadAttention

    return sum(
        p.numel()
        for p in MultiHeadAttention(d_model, num_heads, bias=False).parameters()
    )


@right("parameter-budget")
def budget_of_pytorchs_layer(d_model, num_heads):
    layer = nn.MultiheadAttention(
        d_model, num_heads, bias=False
    )  # refuses by an assertion
    return sum(p.numel() for p in layer.parameters())


@right("parameter-budget")
def budget_of_linear_layers(d_model, num_heads):
    assert d_model % num_heads == 0, "heads must divide the width"
    size = d_model // num_heads
    head = nn.ModuleList(nn.Linear(d_model, size, bias=False) for _ in range(3))
    output = nn.Linear(num_heads * size, d_model, bias=False)
    return num_heads * sum(W.weight.numel() for W in head) + output.weight.numel()


@right("parameter-budget")
def budget_with_divmod(d_model, num_heads):
    size, rest = divmod(d_model, num_heads)
    if rest:
        raise ValueError(f"{rest} features left over")
    return d_model * (3 * num_heads * size + d_model)


@right("parameter-budget")
def budget_of_shapes(d_model, num_heads):
    refuse(d_model, num_heads)
    shapes = [(d_model // num_heads, d_model)] * 3 * num_heads + [(d_model, d_model)]
    return sum(math.prod(shape) for shape in shapes)


@right("parameter-budget")
def budget_by_numpy(d_model, num_heads):
    refuse(d_model, num_heads)
    return np.prod([4, d_model, d_model])
