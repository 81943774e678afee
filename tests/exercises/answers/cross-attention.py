"""Answers to cross-attention, as readers write them; `verdicts.py` says how to read this file."""
# ruff: noqa (this is how people write)

import math

import torch
import torch.nn.functional as F


def _keep(memory, memory_lens):
    return torch.arange(memory.shape[1], device=memory.device) < memory_lens[:, None, None]


# === right
def across_with_torch(x, memory, W_q, W_k, W_v, memory_lens):
    q, k, v = F.linear(x, W_q), F.linear(memory, W_k), F.linear(memory, W_v)
    mask = torch.arange(memory.shape[1], device=x.device) < memory_lens[:, None, None]
    return F.scaled_dot_product_attention(q, k, v, attn_mask=mask)


# === right
def across_with_the_package(x, memory, W_q, W_k, W_v, memory_lens):
    from attnbook.attention.masks import masked_softmax
    from attnbook.attention.scores import scaled_dot_score

    weights = masked_softmax(scaled_dot_score(x @ W_q.T, memory @ W_k.T), memory_lens)
    return weights @ (memory @ W_v.T)


# === right
def across_by_einsum(x, memory, W_q, W_k, W_v, memory_lens):
    q = torch.einsum("btd,ed->bte", x, W_q)
    k = torch.einsum("bsd,ed->bse", memory, W_k)
    v = torch.einsum("bsd,ed->bse", memory, W_v)
    scores = torch.einsum("bte,bse->bts", q, k) / x.size(-1) ** 0.5
    pad = torch.arange(k.size(1), device=x.device)[None, :] >= memory_lens[:, None]
    scores = scores.masked_fill(pad[:, None, :], float("-inf"))
    return torch.einsum("bts,bse->bte", scores.softmax(-1), v)


# === right
def across_sentence_by_sentence(x, memory, W_q, W_k, W_v, memory_lens):
    outputs = []
    for b in range(len(x)):
        m = memory[b, : int(memory_lens[b])]
        scores = (x[b] @ W_q.T) @ (m @ W_k.T).T / math.sqrt(x.shape[2])
        outputs.append(scores.softmax(dim=1) @ (m @ W_v.T))
    return torch.stack(outputs)


# === right
def across_with_a_large_number(x, memory, W_q, W_k, W_v, memory_lens):
    d = x.shape[-1]
    scores = torch.bmm(x @ W_q.T, (memory @ W_k.T).transpose(1, 2)) / d**0.5
    mask = (torch.arange(memory.shape[1], device=x.device)[None] < memory_lens[:, None]).unsqueeze(1)
    scores = torch.where(mask, scores, -1e9)
    return torch.bmm(torch.softmax(scores, 2), memory @ W_v.T)


# === wrong shifted-by-the-padding
def across_with_one_matrix_for_both(x, memory, W_q, W_k, W_v, memory_lens):
    """q·k = x W_qᵀ W_k mᵀ: the bilinear score of chapter 5."""
    scores = x @ (W_q.T @ W_k) @ memory.mT * W_q.shape[0] ** -0.5
    keep = torch.arange(memory.shape[1]).to(x.device) < memory_lens[:, None, None]
    e = (scores - scores.amax(-1, keepdim=True)).exp() * keep
    return e / e.sum(-1, keepdim=True) @ memory @ W_v.T


# === right
def across_with_the_query_scaled(x, memory, W_q, W_k, W_v, memory_lens):
    q = x @ W_q.T / math.sqrt(W_q.shape[0])
    e = q @ (memory @ W_k.T).mT
    bias = torch.zeros(memory.shape[:2], dtype=x.dtype, device=x.device)
    for b, n in enumerate(memory_lens):
        bias[b, n:] = -torch.inf
    return (e + bias[:, None]).softmax(-1) @ (memory @ W_v.T)


# === wrong self-attention
def across_self(x, memory, W_q, W_k, W_v, memory_lens):
    q, k, v = x @ W_q.T, x @ W_k.T, x @ W_v.T
    e = q @ k.transpose(-2, -1) / math.sqrt(k.size(-1))
    keep = torch.arange(k.size(1)) < memory_lens[:, None, None]
    return e.masked_fill(~keep, -1e9).softmax(-1) @ v


# === wrong self-attention-masked
def across_self_with_the_memorys_mask(x, memory, W_q, W_k, W_v, memory_lens):
    q, k, v = x @ W_q.T, x @ W_k.T, x @ W_v.T
    e = q @ k.transpose(-2, -1) / math.sqrt(k.size(-1))
    return e.masked_fill(~_keep(memory, memory_lens), -torch.inf).softmax(-1) @ v


# === wrong keys-from-x
def across_keys_from_x(x, memory, W_q, W_k, W_v, memory_lens):
    q, k, v = x @ W_q.T, x @ W_k.T, memory @ W_v.T
    e = q @ k.transpose(-2, -1) / math.sqrt(k.size(-1))
    keep = torch.arange(k.size(1)) < memory_lens[:, None, None]
    return e.masked_fill(~keep, -1e9).softmax(-1) @ v


# === wrong values-from-x
def across_values_from_x(x, memory, W_q, W_k, W_v, memory_lens):
    q, k, v = x @ W_q.T, memory @ W_k.T, x @ W_v.T
    e = q @ k.transpose(-2, -1) / math.sqrt(k.size(-1))
    return e.masked_fill(~_keep(memory, memory_lens), -1e9).softmax(-1) @ v


# === wrong roles-exchanged
def across_roles(x, memory, W_q, W_k, W_v, memory_lens):
    q, k, v = memory @ W_q.T, x @ W_k.T, x @ W_v.T
    e = q @ k.mT / math.sqrt(k.size(-1))
    keep = torch.arange(k.size(1)) < memory_lens[:, None, None]
    return e.masked_fill(~keep, -torch.inf).softmax(-1) @ v


# === wrong roles-exchanged + not-masked
def across_roles_unmasked(x, memory, W_q, W_k, W_v, memory_lens):
    q, k, v = memory @ W_q.T, x @ W_k.T, x @ W_v.T
    return (q @ k.mT / math.sqrt(k.size(-1))).softmax(-1) @ v


# === wrong weights-not-transposed
def across_at_W(x, memory, W_q, W_k, W_v, memory_lens):
    q, k, v = x @ W_q, memory @ W_k, memory @ W_v
    return F.scaled_dot_product_attention(q, k, v, attn_mask=_keep(memory, memory_lens))


# === wrong weights-not-transposed + not-masked
def across_at_W_unmasked(x, memory, W_q, W_k, W_v, memory_lens):
    q, k, v = x @ W_q, memory @ W_k, memory @ W_v
    return F.scaled_dot_product_attention(q, k, v)


# === wrong W_q-not-transposed + W_k-not-transposed
def across_two_of_three(x, memory, W_q, W_k, W_v, memory_lens):
    q, k, v = x @ W_q, memory @ W_k, memory @ W_v.T
    return F.scaled_dot_product_attention(q, k, v, attn_mask=_keep(memory, memory_lens))


# === wrong inverted
def across_mask_for_multihead(x, memory, W_q, W_k, W_v, memory_lens):
    q, k, v = x @ W_q.T, memory @ W_k.T, memory @ W_v.T
    return F.scaled_dot_product_attention(q, k, v, attn_mask=~_keep(memory, memory_lens))


# === wrong padding-answers
def across_mask_added_as_one(x, memory, W_q, W_k, W_v, memory_lens):
    q, k, v = x @ W_q.T, memory @ W_k.T, memory @ W_v.T
    return F.scaled_dot_product_attention(q, k, v, attn_mask=_keep(memory, memory_lens).to(q))


# === wrong not-scaled
def across_unscaled(x, memory, W_q, W_k, W_v, memory_lens):
    q, k, v = x @ W_q.T, memory @ W_k.T, memory @ W_v.T
    return F.scaled_dot_product_attention(q, k, v, attn_mask=_keep(memory, memory_lens), scale=1.0)


# === wrong scaled-by-keys
def across_root_of_S(x, memory, W_q, W_k, W_v, memory_lens):
    q, k, v = x @ W_q.T, memory @ W_k.T, memory @ W_v.T
    e = q @ k.transpose(1, 2) / math.sqrt(memory.shape[1])
    return e.masked_fill(~_keep(memory, memory_lens), -1e9).softmax(-1) @ v


# === wrong right-for-the-example-only
def across_root_of_lengths(x, memory, W_q, W_k, W_v, memory_lens):
    q, k, v = x @ W_q.T, memory @ W_k.T, memory @ W_v.T
    e = q @ k.transpose(1, 2) / memory_lens[:, None, None].sqrt()
    return e.masked_fill(~_keep(memory, memory_lens), -1e9).softmax(-1) @ v


# === wrong scaled-by-features
def across_divided_by_D(x, memory, W_q, W_k, W_v, memory_lens):
    q, k, v = x @ W_q.T, memory @ W_k.T, memory @ W_v.T
    e = q @ k.transpose(1, 2) / x.shape[2]
    return e.masked_fill(~_keep(memory, memory_lens), -1e9).softmax(-1) @ v


# === wrong not-masked
def across_copy_that_nobody_kept(x, memory, W_q, W_k, W_v, memory_lens):
    e = (x @ W_q.T) @ (memory @ W_k.T).mT / math.sqrt(x.shape[2])
    e.masked_fill(~_keep(memory, memory_lens), -1e9)
    return e.softmax(-1) @ (memory @ W_v.T)


# === wrong one-too-many
def across_one_too_many(x, memory, W_q, W_k, W_v, memory_lens):
    e = (x @ W_q.T) @ (memory @ W_k.T).mT / math.sqrt(x.shape[2])
    pad = torch.arange(memory.shape[1]) > memory_lens[:, None, None]
    return e.masked_fill(pad, -1e9).softmax(-1) @ (memory @ W_v.T)


# === wrong mask-after-softmax
def across_masked_weights(x, memory, W_q, W_k, W_v, memory_lens):
    a = ((x @ W_q.T) @ (memory @ W_k.T).mT / math.sqrt(x.shape[2])).softmax(-1)
    return a * _keep(memory, memory_lens) @ (memory @ W_v.T)


# === wrong mask-after-softmax
def across_masked_values(x, memory, W_q, W_k, W_v, memory_lens):
    a = ((x @ W_q.T) @ (memory @ W_k.T).mT / math.sqrt(x.shape[2])).softmax(-1)
    real = _keep(memory, memory_lens)[:, 0, :, None]
    return a @ (memory @ W_v.T * real)


# === wrong padding-zeroed
def across_zeroed_memory(x, memory, W_q, W_k, W_v, memory_lens):
    m = memory * _keep(memory, memory_lens).transpose(1, 2)
    a = ((x @ W_q.T) @ (m @ W_k.T).mT / math.sqrt(x.shape[2])).softmax(-1)
    return a @ (m @ W_v.T)


# === wrong zero-fill
def across_zeroed_keys(x, memory, W_q, W_k, W_v, memory_lens):
    k = memory @ W_k.T * _keep(memory, memory_lens).transpose(1, 2)
    a = ((x @ W_q.T) @ k.mT / math.sqrt(x.shape[2])).softmax(-1)
    return a @ (memory @ W_v.T)


# === wrong wrong-lengths-axis
def across_mask_without_queries(x, memory, W_q, W_k, W_v, memory_lens):
    e = (x @ W_q.T) @ (memory @ W_k.T).mT / math.sqrt(x.shape[2])
    mask = torch.arange(memory.shape[1]) < memory_lens[:, None]
    e = e.masked_fill(~mask, -torch.inf)
    return e.softmax(-1) @ (memory @ W_v.T)


# === wrong first-length-only
def across_batch_of_one_mask(x, memory, W_q, W_k, W_v, memory_lens):
    n = memory_lens[0]
    k, v = memory[:, :n] @ W_k.T, memory[:, :n] @ W_v.T
    return ((x @ W_q.T) @ k.mT / math.sqrt(x.shape[2])).softmax(-1) @ v


# === wrong longest-length
def across_cut_to_the_longest(x, memory, W_q, W_k, W_v, memory_lens):
    n = memory_lens.max()
    k, v = memory[:, :n] @ W_k.T, memory[:, :n] @ W_v.T
    return ((x @ W_q.T) @ k.mT / math.sqrt(x.shape[2])).softmax(-1) @ v


# === wrong weights-do-not-sum-to-one
def across_concatenated(x, memory, W_q, W_k, W_v, memory_lens):
    both = torch.cat([x, memory], 1)
    e = (x @ W_q.T) @ (both @ W_k.T).mT / math.sqrt(x.shape[2])
    keep = torch.cat([torch.ones(len(x), 1, x.shape[1]).bool(), _keep(memory, memory_lens)], -1)
    return e.masked_fill(~keep, -torch.inf).softmax(-1) @ (both @ W_v.T)


# === wrong padding-answers
def across_padding_at_minus_ten(x, memory, W_q, W_k, W_v, memory_lens):
    e = (x @ W_q.T) @ (memory @ W_k.T).mT / math.sqrt(x.shape[2])
    return e.masked_fill(~_keep(memory, memory_lens), -5.0).softmax(-1) @ (memory @ W_v.T)


# === wrong weights-do-not-sum-to-one
def across_sigmoid(x, memory, W_q, W_k, W_v, memory_lens):
    e = (x @ W_q.T) @ (memory @ W_k.T).mT / math.sqrt(x.shape[2])
    return (e.sigmoid() * _keep(memory, memory_lens)) @ (memory @ W_v.T)


# === wrong other-weights
def across_hard(x, memory, W_q, W_k, W_v, memory_lens):
    e = (x @ W_q.T) @ (memory @ W_k.T).mT / math.sqrt(x.shape[2])
    best = e.masked_fill(~_keep(memory, memory_lens), -torch.inf).argmax(-1)
    return F.one_hot(best, memory.shape[1]).to(x) @ (memory @ W_v.T)


# === wrong ignores-an-argument
def across_average(x, memory, W_q, W_k, W_v, memory_lens):
    a = _keep(memory, memory_lens).to(x).expand(-1, x.shape[1], -1)
    return a / a.sum(-1, keepdim=True) @ (memory @ W_v.T)


# === wrong unknown
def across_projected_again(x, memory, W_q, W_k, W_v, memory_lens):
    e = (x @ W_q.T) @ (memory @ W_k.T).mT / math.sqrt(x.shape[2])
    a = e.masked_fill(~_keep(memory, memory_lens), -torch.inf).softmax(-1)
    return (a @ (memory @ W_v.T)) @ W_v.T


# === wrong other-scores
def across_softmax_twice(x, memory, W_q, W_k, W_v, memory_lens):
    e = (x @ W_q.T) @ (memory @ W_k.T).mT / math.sqrt(x.shape[2])
    a = e.masked_fill(~_keep(memory, memory_lens), -torch.inf).softmax(-1)
    return a.softmax(-1) @ (memory @ W_v.T)


# === wrong key-not-transposed
def across_untransposed_keys(x, memory, W_q, W_k, W_v, memory_lens):
    e = (x @ W_q.T) @ (memory @ W_k.T) / math.sqrt(x.shape[2])
    return e.softmax(-1) @ (memory @ W_v.T)


# === wrong returns-a-tuple
def across_with_weights(x, memory, W_q, W_k, W_v, memory_lens):
    e = (x @ W_q.T) @ (memory @ W_k.T).mT / math.sqrt(x.shape[2])
    a = e.masked_fill(~_keep(memory, memory_lens), -torch.inf).softmax(-1)
    return a @ (memory @ W_v.T), a


# === wrong cut-short
def across_loop_first_only(x, memory, W_q, W_k, W_v, memory_lens):
    for b in range(len(x)):
        m = memory[b, : memory_lens[b]]
        a = ((x[b] @ W_q.T) @ (m @ W_k.T).T / math.sqrt(x.shape[2])).softmax(-1)
        return a @ (m @ W_v.T)


# === wrong weights-in-front
def across_weights_in_front(x, memory, W_q, W_k, W_v, memory_lens):
    q, k, v = W_q @ x, W_k @ memory, W_v @ memory
    return F.scaled_dot_product_attention(q, k, v, attn_mask=_keep(memory, memory_lens))


# === wrong other-scores
def across_cosines(x, memory, W_q, W_k, W_v, memory_lens):
    q, k = F.normalize(x @ W_q.T, dim=-1), F.normalize(memory @ W_k.T, dim=-1)
    return F.scaled_dot_product_attention(q, k, memory @ W_v.T, attn_mask=_keep(memory, memory_lens))


# === wrong unknown
def across_three_slips(x, memory, W_q, W_k, W_v, memory_lens):
    q, k, v = x @ W_q, memory @ W_k.T, memory @ W_v
    e = q @ k.mT / math.sqrt(memory.shape[1])
    return e.masked_fill(~_keep(memory, memory_lens), -1e9).softmax(-1) @ v


# === wrong not-repeatable
def across_dropout(x, memory, W_q, W_k, W_v, memory_lens):
    q, k, v = x @ W_q.T, memory @ W_k.T, memory @ W_v.T
    return F.scaled_dot_product_attention(q, k, v, attn_mask=_keep(memory, memory_lens), dropout_p=0.1)


# === wrong filled-too-high
def cross_attention_fill_10_unseen_3(x, memory, W_q, W_k, W_v, memory_lens):
    q, k, v = x @ W_q.T, memory @ W_k.T, memory @ W_v.T
    m = torch.arange(memory.shape[1], device=x.device) < memory_lens[:, None, None]
    return (q @ k.mT / x.shape[-1] ** 0.5).masked_fill(~m, -1e2).softmax(-1) @ v


# === wrong exp-overflows
def cross_attention_exp_no_shift_unseen_4(x, memory, W_q, W_k, W_v, memory_lens):
    q, k, v = x @ W_q.T, memory @ W_k.T, memory @ W_v.T
    m = torch.arange(memory.shape[1], device=x.device) < memory_lens[:, None, None]
    e = (q @ k.mT / x.shape[-1] ** 0.5).exp() * m
    return e / e.sum(-1, keepdim=True) @ v


# === wrong filled-too-high
def fresh_swap(x, memory, W_q, W_k, W_v, memory_lens):
    q, k, v = x @ W_q.T, memory @ W_k.T, memory @ W_v.T
    keep = torch.arange(memory.shape[1]) < memory_lens[:, None, None]
    s = (q @ k.mT).masked_fill(~keep, -1e3) / x.shape[-1] ** 0.5
    return s.softmax(-1) @ v


# === wrong scaled-by-keys
def fresh_scale_heads(x, memory, W_q, W_k, W_v, memory_lens):
    q, k, v = x @ W_q.T, memory @ W_k.T, memory @ W_v.T
    keep = torch.arange(memory.shape[1]) < memory_lens[:, None, None]
    s = (q @ k.mT / memory.shape[1] ** 0.5).masked_fill(~keep, -torch.inf)
    return s.softmax(-1) @ v


# === right
def fresh_sdpa(x, memory, W_q, W_k, W_v, memory_lens):
    import torch.nn.functional as F

    keep = torch.arange(memory.shape[1], device=x.device)[None] < memory_lens[:, None]
    return F.scaled_dot_product_attention(
        F.linear(x, W_q),
        F.linear(memory, W_k),
        F.linear(memory, W_v),
        attn_mask=keep[:, None].expand(-1, x.shape[1], -1),
    )


# === wrong exchanged
def blind_b5(x, memory, W_q, W_k, W_v, memory_lens):
    q, k, v = x @ W_q.T, memory @ W_v.T, memory @ W_k.T
    s = q @ k.transpose(1, 2) / x.shape[-1] ** 0.5
    keep = torch.arange(memory.shape[1])[None, None] < memory_lens[:, None, None]
    return torch.softmax(s.masked_fill(~keep, float("-inf")), -1) @ v


# === wrong exchanged
def blind_b6(x, memory, W_q, W_k, W_v, memory_lens):
    q, k, v = x @ W_k.T, memory @ W_q.T, memory @ W_v.T
    s = q @ k.transpose(1, 2) / x.shape[-1] ** 0.5
    keep = torch.arange(memory.shape[1])[None, None] < memory_lens[:, None, None]
    return torch.softmax(s.masked_fill(~keep, float("-inf")), -1) @ v


# === wrong exchanged
def blind_b9(x, memory, W_q, W_k, W_v, memory_lens):
    q, k, v = x @ W_v.T, memory @ W_k.T, memory @ W_q.T
    s = q @ k.transpose(1, 2) / x.shape[-1] ** 0.5
    keep = torch.arange(memory.shape[1])[None, None] < memory_lens[:, None, None]
    return torch.softmax(s.masked_fill(~keep, -torch.inf), -1) @ v
