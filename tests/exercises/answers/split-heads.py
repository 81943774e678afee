"""Answers to split-heads, as readers write them; `verdicts.py` says how to read this file."""
# ruff: noqa (this is how people write)

import numpy as np
import torch


# === right
def split_by_view_and_transpose(x, num_heads):
    b, t, d = x.shape
    return x.view(b, t, num_heads, d // num_heads).transpose(1, 2)


# === right
def split_by_permute(x, num_heads):
    return x.reshape(*x.shape[:2], num_heads, -1).permute(0, 2, 1, 3).contiguous()


# === right
def split_by_chunks(x, num_heads):
    return torch.stack(x.chunk(num_heads, dim=-1), dim=1)


# === right
def split_by_slices(x, num_heads):
    size = x.shape[-1] // num_heads
    return torch.stack([x[:, :, h * size : (h + 1) * size] for h in range(num_heads)], 1)


# === right
def split_by_unflatten(x, num_heads):
    return x.unflatten(2, (num_heads, x.size(2) // num_heads)).swapaxes(1, 2)


# === right
def split_by_turning_twice(x, num_heads):
    b, t, d = x.shape
    return x.transpose(1, 2).reshape(b, num_heads, d // num_heads, t).transpose(2, 3)


# === right
def split_by_torch_split(x, num_heads):
    heads = torch.split(x, x.size(-1) // num_heads, dim=-1)
    return torch.cat([h.unsqueeze(1) for h in heads], dim=1)


# === right
def split_by_einsum(x, num_heads):
    return torch.einsum("bthd->bhtd", x.reshape(x.shape[0], x.shape[1], num_heads, -1))


# === right
def split_by_the_package(x, num_heads):
    from attnbook.attention.splitting import split_heads

    return split_heads(x, num_heads)


# === wrong reshaped-at-once
def split_by_view_at_once(x, num_heads):
    b, t, d = x.shape
    return x.view(b, num_heads, t, d // num_heads)


# === wrong reshaped-at-once
def split_twice_reshaped(x, num_heads):
    b, t, d = x.shape
    return x.reshape(b, t, num_heads, -1).reshape(b, num_heads, t, -1)


# === wrong not-transposed
def split_without_transpose(x, num_heads):
    b, t, d = x.shape
    return x.view(b, t, num_heads, d // num_heads)


# === wrong not-transposed
def split_transpose_that_nobody_kept(x, num_heads):
    y = x.unflatten(-1, (num_heads, -1))
    y.transpose(1, 2)
    return y


# === wrong not-transposed
def split_chunks_stacked_last_but_one(x, num_heads):
    return torch.stack(x.chunk(num_heads, -1), dim=-2)


# === wrong heads-first-of-all
def split_chunks_stacked_in_front(x, num_heads):
    return torch.stack(x.chunk(num_heads, dim=-1))


# === wrong heads-last
def split_chunks_stacked_last(x, num_heads):
    return torch.stack(x.chunk(num_heads, -1), dim=-1)


# === wrong sizes-exchanged
def split_into_pieces_of_num_heads(x, num_heads):
    return torch.stack(x.split(num_heads, dim=-1), dim=1)


# === wrong every-other-feature
def split_every_other(x, num_heads):
    return torch.stack([x[..., h::num_heads] for h in range(num_heads)], dim=1)


# === wrong every-other-feature
def split_view_the_other_way(x, num_heads):
    b, t, d = x.shape
    return x.view(b, t, d // num_heads, num_heads).permute(0, 3, 1, 2)


# === wrong sizes-exchanged + features-in-front
def split_view_the_other_way_transposed(x, num_heads):
    b, t, d = x.shape
    return x.view(b, t, d // num_heads, num_heads).transpose(1, 3)


# === wrong turned-then-cut
def split_transpose_first(x, num_heads):
    b, t, d = x.shape
    return x.transpose(1, 2).reshape(b, num_heads, t, d // num_heads)


# === wrong features-before-positions
def split_transpose_first_and_stop(x, num_heads):
    b, t, d = x.shape
    return x.transpose(1, 2).reshape(b, num_heads, d // num_heads, t)


# === wrong memory-layout
def split_transpose_first_by_view(x, num_heads):
    b, t, d = x.shape
    return x.view(b * t, num_heads, d // num_heads).view(b, t, num_heads, -1).transpose(1, 2)


# === wrong features-in-front
def split_wrong_transpose(x, num_heads):
    b, t, d = x.shape
    return x.view(b, t, num_heads, -1).transpose(1, -1)


# === wrong batch-and-heads-joined
def split_for_bmm(x, num_heads):
    b, t, d = x.shape
    y = x.reshape(b, t, num_heads, -1).permute(0, 2, 1, 3)
    return y.reshape(-1, t, d // num_heads)


# === wrong heads-outside-the-batch
def split_for_bmm_heads_outside(x, num_heads):
    return torch.cat(x.chunk(num_heads, dim=2), dim=0)


# === wrong size-is-a-float
def split_divided(x, num_heads):
    b, t, d = x.shape
    return x.reshape(b, t, num_heads, d / num_heads).transpose(1, 2)


# === wrong full-width-heads
def split_repeated(x, num_heads):
    return x.unsqueeze(1).repeat(1, num_heads, 1, 1)


# === wrong first-head-only
def split_first(x, num_heads):
    return x[:, :, : x.shape[-1] // num_heads]


# === wrong first-head-only
def split_first_with_axis(x, num_heads):
    return x[:, None, :, : x.shape[-1] // num_heads]


# === wrong returns-a-tuple
def split_chunks(x, num_heads):
    return x.chunk(num_heads, dim=-1)


# === wrong returns-a-list
def split_list(x, num_heads):
    size = x.shape[-1] // num_heads
    return [x[..., i * size : (i + 1) * size] for i in range(num_heads)]


# === wrong one-shape-only
def split_for_the_example(x, num_heads):
    return x.reshape(1, 3, 2, 2).transpose(1, 2)


# === wrong positions-cut
def split_positions(x, num_heads):
    b, t, d = x.shape
    return x.view(b, num_heads, t // num_heads, d)


# === wrong unknown
def split_overlapping(x, num_heads):
    size = x.shape[-1] // num_heads
    return torch.stack([x[..., i : i + size] for i in range(num_heads)], 1)


# === wrong cut-short
def split_off_by_one_slices(x, num_heads):
    size = x.shape[-1] // num_heads
    return torch.stack([x[..., i * size : (i + 1) * size - 1] for i in range(num_heads)], 1)


# === wrong unknown
def split_needs_T_over_H(x, num_heads):
    b, t, d = x.shape
    return x.reshape(b, num_heads, -1, t).transpose(2, 3)


# === wrong no-gradient
def split_by_numpy(x, num_heads):
    y = np.reshape(x.detach().numpy(), (*x.shape[:2], num_heads, -1))
    return torch.from_numpy(np.swapaxes(y, 1, 2).copy())


# === wrong positions-chunked
def split_chunks_of_positions(x, num_heads):
    return torch.stack(torch.chunk(x, num_heads, dim=1), dim=1)


# === wrong changes-dtype
def split_into_a_buffer(x, num_heads):
    size = x.shape[-1] // num_heads
    out = torch.zeros(x.shape[0], num_heads, x.shape[1], size)
    for h in range(num_heads):
        out[:, h] = x[..., h * size : (h + 1) * size]
    return out


# === right
def heads_features_first(x, num_heads):
    B, T, D = x.shape
    return x.transpose(1, 2).reshape(B, num_heads, D // num_heads, T).transpose(2, 3)


# === wrong reshaped-at-once
def fresh_view(x, num_heads):
    B, T, D = x.shape
    return x.reshape(B, num_heads, T, D // num_heads)


# === wrong every-other-feature
def fresh_interleave(x, num_heads):
    B, T, D = x.shape
    return x.reshape(B, T, D // num_heads, num_heads).permute(0, 3, 1, 2)


# === right
def fresh_chunks(x, num_heads):
    return torch.stack(x.chunk(num_heads, dim=-1), dim=1)


# === right
def blind_b3(x, num_heads):
    B, T, D = x.shape
    return x.view(B, T, num_heads, -1).transpose(1, 2)
