"""Answers to merge-heads, as readers write them; `verdicts.py` says how to read this file."""
# ruff: noqa (this is how people write)

import numpy as np
import torch


# === right
def merge_by_contiguous_and_view(x):
    B, H, T, Dh = x.shape
    return x.transpose(1, 2).contiguous().view(B, T, H * Dh)


# === right
def merge_by_flatten(x):
    return x.transpose(1, 2).flatten(2)


# === right
def merge_by_permute(x):
    return x.permute(0, 2, 1, 3).reshape(x.shape[0], x.shape[2], -1)


# === right
def merge_by_cat(x):
    return torch.cat([x[:, h] for h in range(x.shape[1])], dim=-1)


# === right
def merge_by_unbind(x):
    return torch.cat(x.unbind(1), -1)


# === right
def merge_by_stack(x):
    return torch.stack(list(x.unbind(dim=1)), dim=2).flatten(start_dim=2)


# === right
def merge_by_einsum(x):
    return torch.einsum("bhtd->bthd", x).reshape(
        x.size(0), x.size(2), x.size(1) * x.size(3)
    )


# === right
def merge_by_slices(x):
    B, H, T, Dh = x.shape
    out = x.new_zeros(B, T, H * Dh)
    for h in range(H):
        out[..., h * Dh : (h + 1) * Dh] = x[:, h]
    return out


# === wrong not-transposed-back
def merge_by_reshape(x):
    b, h, t, d = x.shape
    return x.reshape(b, t, h * d)


# === wrong not-transposed-back
def merge_by_view(x):
    b, h, t, d = x.shape
    return x.view(b, -1, h * d)


# === wrong view-after-transpose
def merge_view_too_soon(x):
    b, h, t, d = x.shape
    x = x.transpose(1, 2)
    return x.view(b, t, h * d)


# === wrong not-joined
def merge_not_joined(x):
    return x.permute(0, 2, 1, 3).contiguous()


# === wrong interleaved
def merge_interleaved(x):
    return torch.stack(x.unbind(1), dim=-1).flatten(2)


# === wrong positions-joined
def merge_cat_along_positions(x):
    return torch.cat([x[:, h] for h in range(x.shape[1])], dim=1)


# === wrong heads-in-the-batch
def merge_cat_along_batch(x):
    return torch.cat([x[:, h] for h in range(x.shape[1])])


# === wrong heads-summed
def merge_by_einsum_sum(x):
    return torch.einsum("bhtd->btd", x)


# === wrong heads-averaged
def merge_mean(x):
    return x.mean(dim=1)


# === wrong features-exchanged
def merge_last_two(x):
    b, h, t, d = x.shape
    return x.transpose(-2, -1).reshape(b, t, -1)


# === wrong transposed
def merge_last_two_right_order(x):
    b, h, t, d = x.shape
    return x.transpose(-2, -1).reshape(b, h * d, t)


# === wrong batch-joined
def merge_everything_before(x):
    b, h, t, d = x.shape
    return x.transpose(1, 2).reshape(-1, h * d)


# === wrong flattened
def merge_flatten_one(x):
    return x.transpose(1, 2).flatten(1)


# === wrong last-head-only
def merge_loop_overwrites(x):
    for h in range(x.shape[1]):
        out = x[:, h]
    return out


# === wrong first-head-only
def merge_loop_returns(x):
    for h in range(x.shape[1]):
        return x[:, h]


# === wrong heads-in-reverse
def merge_reversed(x):
    out = x[:, 0]
    for h in range(1, x.shape[1]):
        out = torch.cat([x[:, h], out], dim=-1)
    return out


# === wrong returns-a-list
def merge_list(x):
    return [torch.cat([head for head in sentence], dim=-1) for sentence in x]


# === wrong batch-moved
def merge_batch_and_head(x):
    b, h, t, d = x.shape
    return x.permute(1, 0, 2, 3).reshape(b, t, h * d)


# === wrong positions-in-front-then-cut
def merge_positions_first(x):
    b, h, t, d = x.shape
    return x.permute(2, 0, 1, 3).reshape(b, t, h * d)


# === wrong positions-in-front
def merge_positions_first_right(x):
    b, h, t, d = x.shape
    return x.permute(2, 0, 1, 3).reshape(t, b, h * d)


# === wrong one-shape-only
def merge_for_the_example(x):
    return x.transpose(1, 2).reshape(1, 3, 4)


# === wrong unknown
def merge_as_split(x):
    b, h, t, d = x.shape
    return x.reshape(b, t, h, d).transpose(1, 2).reshape(b, t, h * d)


# === wrong missing-axis
def merge_squeeze(x):
    return x.transpose(1, 2).flatten(2).squeeze(0)


# === wrong factor
def merge_divided(x):
    return x.transpose(1, 2).flatten(2) / x.shape[1]


# === wrong raises
def merge_unbind_wrong(x):
    return torch.cat(x, dim=-1, axis=1)


# === wrong interleaved
def merge_heads_last_then_flatten(x):
    return x.movedim(1, -1).flatten(-2)


# === wrong cut-short
def merge_first_two_heads(x):
    return torch.cat([x[:, 0], x[:, 1]], dim=-1)


# === wrong no-gradient
def merge_by_numpy(x):
    y = np.moveaxis(x.detach().numpy(), 1, 2)
    return torch.tensor(y.reshape(*y.shape[:2], -1))


# === wrong writes-into-argument
def merge_transposed_in_place(x):
    x.transpose_(1, 2)
    return x.flatten(2)
