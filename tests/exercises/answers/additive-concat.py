"""Answers to additive-concat, as readers write them; `verdicts.py` says how to read this file."""
# ruff: noqa (this is how people write)

import torch
import torch.nn.functional as F


# === right
def concat_split(query, key, W, w_v):
    size = query.shape[-1]
    return torch.tanh((query @ W[:, :size].T)[:, :, None] + (key @ W[:, size:].T)[:, None]) @ w_v


# === right
def concat_loops(query, key, W, w_v):
    rows = []
    for qs, ks in zip(query, key):
        rows.append(torch.stack([torch.stack([w_v @ torch.tanh(W @ torch.cat([q, k])) for k in ks]) for q in qs]))
    return torch.stack(rows)


# === right
def concat_repeat(query, key, W, w_v):
    q = query.unsqueeze(2).repeat(1, 1, key.shape[1], 1)
    k = key.unsqueeze(1).repeat(1, query.shape[1], 1, 1)
    return F.linear(torch.tanh(F.linear(torch.cat((q, k), dim=3), W)), w_v[None]).squeeze(-1)


# === right
def concat_repeat_interleave(query, key, W, w_v):
    B, T, S = query.shape[0], query.shape[1], key.shape[1]
    q, k = query.repeat_interleave(S, dim=1), key.repeat(1, T, 1)
    hidden = torch.tanh(torch.cat([q, k], -1) @ W.t())
    return (hidden @ w_v).reshape(B, T, S)


# === right
def concat_einsum(query, key, W, w_v):
    W_q, W_k = W.split([query.shape[-1], key.shape[-1]], dim=1)
    q = torch.einsum("btd,hd->bth", query, W_q)
    k = torch.einsum("bsd,hd->bsh", key, W_k)
    return torch.einsum("btsh,h->bts", torch.tanh(q[:, :, None] + k[:, None]), w_v)


# === right
def concat_tanh_by_exp(query, key, W, w_v):
    size = query.size(2)
    x = (query @ W[:, :size].T).unsqueeze(2) + (key @ W[:, size:].T).unsqueeze(1)
    return ((1 - 2 / (torch.exp(2 * x) + 1)) * w_v).sum(-1)


# === wrong not-expanded
def concat_not_expanded(query, key, W, w_v):
    q = query.unsqueeze(2)
    k = key.unsqueeze(1)
    return torch.tanh(torch.cat([q, k], -1) @ W.T) @ w_v


# === wrong hidden-summed
def concat_hidden_summed(query, key, W, w_v):
    dq = query.shape[-1]
    return torch.tanh((query @ W[:, :dq].T).unsqueeze(2) + (key @ W[:, dq:].T).unsqueeze(1)).sum(-1)


# === wrong key-first
def concat_key_first(query, key, W, w_v):
    dq = key.shape[-1]
    return torch.tanh((query @ W[:, dq:].T).unsqueeze(2) + (key @ W[:, :dq].T).unsqueeze(1)) @ w_v


# === wrong transposed
def concat_transposed(query, key, W, w_v):
    dq = query.shape[-1]
    return torch.tanh((query @ W[:, :dq].T).unsqueeze(1) + (key @ W[:, dq:].T).unsqueeze(2)) @ w_v


# === wrong hidden-returned
def concat_hidden_returned(query, key, W, w_v):
    dq = query.shape[-1]
    return torch.tanh((query @ W[:, :dq].T).unsqueeze(2) + (key @ W[:, dq:].T).unsqueeze(1)) * w_v


# === wrong parts-multiplied
def concat_parts_multiplied(query, key, W, w_v):
    dq = query.shape[-1]
    return torch.tanh((query @ W[:, :dq].T).unsqueeze(2) * (key @ W[:, dq:].T).unsqueeze(1)) @ w_v


# === wrong parts-subtracted
def concat_parts_subtracted(query, key, W, w_v):
    dq = query.shape[-1]
    return torch.tanh((query @ W[:, :dq].T).unsqueeze(2) - (key @ W[:, dq:].T).unsqueeze(1)) @ w_v


# === wrong no-tanh
def concat_no_tanh(query, key, W, w_v):
    dq = query.shape[-1]
    return ((query @ W[:, :dq].T).unsqueeze(2) + (key @ W[:, dq:].T).unsqueeze(1)) @ w_v


# === wrong pairs-key-first
def concat_pairs_key_first(query, key, W, w_v):
    B, T, _ = query.shape
    S = key.shape[1]
    q = query.repeat(1, S, 1)
    k = key.repeat_interleave(T, 1)
    return (torch.tanh(torch.cat([q, k], -1) @ W.T) @ w_v).reshape(B, T, S)


# === wrong sigmoid
def concat_sigmoid(query, key, W, w_v):
    dq = query.shape[-1]
    return torch.sigmoid((query @ W[:, :dq].T).unsqueeze(2) + (key @ W[:, dq:].T).unsqueeze(1)) @ w_v


# === wrong extra-axis
def concat_extra_axis(query, key, W, w_v):
    dq = query.shape[-1]
    h = torch.tanh((query @ W[:, :dq].T).unsqueeze(2) + (key @ W[:, dq:].T).unsqueeze(1))
    return h @ w_v.unsqueeze(1)


# === wrong tanh-of-each
def concat_tanh_of_each(query, key, W, w_v):
    dq = query.shape[-1]
    return (torch.tanh((query @ W[:, :dq].T).unsqueeze(2)) + torch.tanh((key @ W[:, dq:].T).unsqueeze(1))) @ w_v


# === wrong unknown
def concat_unknown(query, key, W, w_v):
    dq = query.shape[-1]
    return (F.gelu((query @ W[:, :dq].T).unsqueeze(2) + (key @ W[:, dq:].T).unsqueeze(1))) @ w_v


# === wrong factor
def concat_factor(query, key, W, w_v):
    dq = query.shape[-1]
    return torch.tanh((query @ W[:, :dq].T).unsqueeze(2) + (key @ W[:, dq:].T).unsqueeze(1)) @ w_v / w_v.sum()


# === wrong one-shape-only
def concat_one_shape_only(query, key, W, w_v):
    dq = 1
    return torch.tanh((query @ W[:, :dq].T).unsqueeze(2) + (key @ W[:, dq:].T).unsqueeze(1)) @ w_v


# === wrong raises
def concat_raises(query, key, W, w_v):
    return torch.tanh(torch.cat([query, key], 1) @ W.T) @ w_v


# === wrong not-repeatable
def concat_not_repeatable(query, key, W, w_v):
    lin = torch.nn.Linear(W.shape[1], W.shape[0])
    dq = query.shape[-1]
    q = query[:, :, None].expand(-1, -1, key.shape[1], -1)
    k = key[:, None].expand(-1, query.shape[1], -1, -1)
    return torch.tanh(lin(torch.cat([q, k], -1).float())) @ w_v.float()


# === wrong w-v-inside
def concat_w_v_inside(query, key, W, w_v):
    dq = query.shape[-1]
    return torch.tanh(((query @ W[:, :dq].T).unsqueeze(2) + (key @ W[:, dq:].T).unsqueeze(1)) * w_v).sum(-1)


# === wrong raises
def concat_raises_2(query, key, W, w_v):
    dq = query.shape[-1]
    return torch.tanh((query @ W[:, :dq].T) + (key @ W[:, dq:].T)) @ w_v


# === wrong unknown
def concat_unknown_2(query, key, W, w_v):
    dq = query.shape[-1]
    return (torch.tanh((query @ W[:, :dq].T).unsqueeze(2) + (key @ W[:, dq:].T).unsqueeze(1)) * w_v).max(-1).values


# === wrong key-first
def concat_key_first_2(query, key, W, w_v):
    dk = key.shape[-1]
    return torch.tanh((query @ W[:, dk:].T).unsqueeze(2) + (key @ W[:, :dk].T).unsqueeze(1)) @ w_v


# === wrong one-shape-only
def concat_one_shape_only_2(query, key, W, w_v):
    h = W.shape[1] // 2
    return torch.tanh((query @ W[:, :h].T).unsqueeze(2) + (key @ W[:, h:].T).unsqueeze(1)) @ w_v


# === wrong pairs-both-held
def concat_pairs_both_held(query, key, W, w_v):
    B, T, _ = query.shape
    S = key.shape[1]
    q = query.repeat_interleave(S, 1)
    k = key.repeat_interleave(T, 1)
    return (torch.tanh(torch.cat([q, k], -1) @ W.T) @ w_v).reshape(B, T, S)


# === wrong softmax-over-another-axis
def concat_softmax_over_another_axis(query, key, W, w_v):
    dq = query.shape[-1]
    return torch.softmax(torch.tanh((query @ W[:, :dq].T).unsqueeze(2) + (key @ W[:, dq:].T).unsqueeze(1)) @ w_v, 1)


# === wrong flattened
def concat_flattened(query, key, W, w_v):
    rows = []
    for b in range(len(query)):
        for q in query[b]:
            rows.append(torch.stack([torch.tanh(W @ torch.cat([q, k])) @ w_v for k in key[b]]))
    return torch.stack(rows)


# === wrong cut-short
def concat_cut_short(query, key, W, w_v):
    rows = []
    for q in query[0]:
        rows.append(torch.stack([torch.tanh(W @ torch.cat([q, k])) @ w_v for k in key[0]]))
    return torch.stack(rows)[None]


# === wrong changes-dtype
def concat_changes_dtype(query, key, W, w_v):
    out = torch.zeros(query.shape[0], query.shape[1], key.shape[1])
    for b in range(query.shape[0]):
        for i in range(query.shape[1]):
            for j in range(key.shape[1]):
                out[b, i, j] = w_v @ torch.tanh(W @ torch.cat((query[b][i], key[b][j])))
    return out


# === wrong offset
def concat_offset(query, key, W, w_v):
    dq = query.shape[-1]
    return torch.tanh((query @ W[:, :dq].T).unsqueeze(2) + (key @ W[:, dq:].T).unsqueeze(1)) @ w_v + 1


# === wrong always-the-same
def additive_concat_all_zeros_unseen_2(query, key, W, w_v):
    return query.new_zeros(query.shape[0], query.shape[1], key.shape[1])


# === wrong tanh-of-each
def fresh_add_separate_tanh(query, key, W, w_v):
    d = query.shape[-1]
    return (torch.tanh(query @ W[:, :d].T)[:, :, None] + torch.tanh(key @ W[:, d:].T)[:, None]) @ w_v


# === wrong key-first
def fresh_split_dk(query, key, W, w_v):
    d = key.shape[-1]
    k = key @ W[:, :d].T
    q = query @ W[:, d:].T
    return torch.tanh(q[:, :, None] + k[:, None]) @ w_v


# === right
def fresh_split(query, key, W, w_v):
    d = query.shape[-1]
    q, k = query @ W[:, :d].mT, key @ W[:, d:].mT
    return (torch.tanh(q.unsqueeze(2) + k.unsqueeze(1)) * w_v).sum(-1)
