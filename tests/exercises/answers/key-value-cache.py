"""Answers to key-value-cache, as readers write them; `verdicts.py` says how to read this file."""
# ruff: noqa (this is how people write)

import math

import torch
import torch.nn.functional as F


def attended(q, keys, values, t, mask="causal", scale=None, dim=-1):
    scores = q @ keys.mT / (scale or math.sqrt(q.shape[-1]))
    T, S = scores.shape[-2:]
    if mask == "causal":
        scores = scores.masked_fill(torch.ones(T, S).triu(t + 1).bool(), -torch.inf)
    elif mask == "corner":
        scores = scores.masked_fill(torch.ones(T, S).triu(1).bool(), -torch.inf)
    return scores.softmax(dim) @ values


def parts(q, k, v, past_keys, past_values, rotate, first=None):
    t, T = past_keys.shape[2], k.shape[2]
    pos = torch.arange(T) + (t if first is None else first)
    keys = torch.cat([past_keys, rotate(k, pos)], 2)
    return rotate(q, pos), keys, torch.cat([past_values, v], 2), t


# === right
def cache_with_torchs_attention(q, k, v, past_keys, past_values, rotate):
    t, T = past_keys.size(2), q.size(2)
    pos = torch.arange(t, t + T, device=q.device)
    keys = torch.cat((past_keys, rotate(k, pos)), 2)
    values = torch.cat((past_values, v), 2)
    mask = torch.ones(T, t + T, dtype=torch.bool, device=q.device).tril(diagonal=t)
    return (F.scaled_dot_product_attention(rotate(q, pos), keys, values, attn_mask=mask), keys, values)


# === right
def cache_word_by_word(q, k, v, past_keys, past_values, rotate):
    keys, values, outputs = past_keys, past_values, []
    for i in range(q.shape[2]):
        here = torch.tensor([keys.shape[2]], device=q.device)
        keys = torch.cat([keys, rotate(k[:, :, i : i + 1], here)], dim=2)
        values = torch.cat([values, v[:, :, i : i + 1]], dim=2)
        scores = rotate(q[:, :, i : i + 1], here) @ keys.mT / q.shape[-1] ** 0.5
        outputs.append(scores.softmax(-1) @ values)
    return torch.cat(outputs, dim=2), keys, values


# === right
def cache_by_einsum(q, k, v, past_keys, past_values, rotate):
    t = past_keys.shape[-2]
    positions = t + torch.arange(q.shape[-2], device=q.device)
    keys = torch.cat([past_keys, rotate(k, positions)], dim=-2)
    values = torch.cat([past_values, v], dim=-2)
    scores = torch.einsum("bhtd,bhsd->bhts", rotate(q, positions), keys) * q.shape[-1] ** -0.5
    future = torch.triu(torch.ones_like(scores[0, 0]), diagonal=t + 1).bool()
    weights = torch.softmax(scores.masked_fill(future, float("-inf")), dim=-1)
    return torch.einsum("bhts,bhsd->bhtd", weights, values), keys, values


# === right
def cache_turning_all_queries_at_once(q, k, v, past_keys, past_values, rotate):
    B, H, T, Dh = q.shape
    t = past_keys.shape[2]
    everywhere = torch.arange(t + T, device=q.device)
    padded = torch.cat([torch.zeros_like(past_keys), k], dim=2)
    rotated = rotate(padded, everywhere)[:, :, t:]
    keys = torch.cat([past_keys, rotated], 2)
    values = torch.cat([past_values, v], 2)
    query = rotate(torch.cat([torch.zeros_like(past_keys), q], 2), everywhere)[:, :, t:]
    scores = (query / math.sqrt(Dh)) @ keys.transpose(-1, -2)
    add = torch.zeros_like(scores).masked_fill(everywhere[None] > everywhere[t:, None], -torch.inf)
    return (scores + add).softmax(-1) @ values, keys, values


# === right
def cache_with_the_books_mask(q, k, v, past_keys, past_values, rotate):
    from attnbook.attention.masks import causal_mask, masked_softmax

    t, T = past_keys.shape[2], k.shape[2]
    new = torch.arange(t + T, device=k.device)[t:]
    keys, values = (torch.cat([past_keys, rotate(k, new)], 2), torch.cat([past_values, v], 2))
    scores = rotate(q, new) @ keys.mT / math.sqrt(q.shape[-1])
    return (masked_softmax(scores, mask=causal_mask(T, t + T, device=q.device)) @ values, keys, values)


# === right
def cache_as_a_list(q, k, v, past_keys, past_values, rotate):
    start = past_keys.shape[2]
    stop = start + k.shape[2]
    where = torch.arange(start, stop, device=k.device)
    q, k = rotate(q, where), rotate(k, where)
    keys = torch.cat([past_keys, k], dim=2)
    values = torch.cat([past_values, v], dim=2)
    rows = []
    for i in range(q.shape[2]):
        seen = start + i + 1
        scores = (q[:, :, i, None] * keys[:, :, :seen]).sum(-1) / q.shape[-1] ** 0.5
        rows.append((scores.softmax(-1)[..., None] * values[:, :, :seen]).sum(2))
    return [torch.stack(rows, 2), keys, values]


# === wrong position-zero
def cache_position_zero(q, k, v, past_keys, past_values, rotate):
    q, keys, values, t = parts(q, k, v, past_keys, past_values, rotate, first=0)
    return attended(q, keys, values, t), keys, values


# === wrong one-place-too-far
def cache_position_off_by_one(q, k, v, past_keys, past_values, rotate):
    q, keys, values, t = parts(q, k, v, past_keys, past_values, rotate, first=past_keys.shape[2] + 1)
    return attended(q, keys, values, t), keys, values


# === wrong one-place-behind
def cache_position_one_behind(q, k, v, past_keys, past_values, rotate):
    q, keys, values, t = parts(q, k, v, past_keys, past_values, rotate, first=max(past_keys.shape[2] - 1, 0))
    return attended(q, keys, values, t), keys, values


# === wrong unknown
def cache_position_from_the_batch(q, k, v, past_keys, past_values, rotate):
    q, keys, values, t = parts(q, k, v, past_keys, past_values, rotate, first=past_keys.shape[1])
    return attended(q, keys, values, t), keys, values


# === wrong query-at-zero
def cache_query_at_zero(q, k, v, past_keys, past_values, rotate):
    _, keys, values, t = parts(q, k, v, past_keys, past_values, rotate)
    q = rotate(q, torch.arange(q.shape[2]))
    return attended(q, keys, values, t), keys, values


# === wrong query-not-rotated
def cache_query_raw(q, k, v, past_keys, past_values, rotate):
    _, keys, values, t = parts(q, k, v, past_keys, past_values, rotate)
    return attended(q, keys, values, t), keys, values


# === wrong cached-keys-rotated-again
def cache_turns_everything(q, k, v, past_keys, past_values, rotate):
    t = past_keys.shape[2]
    keys = torch.cat([past_keys, k], dim=2)
    keys = rotate(keys, torch.arange(keys.shape[2]))
    values = torch.cat([past_values, v], dim=2)
    q = rotate(q, torch.arange(t, t + q.shape[2]))
    return attended(q, keys, values, t), keys, values


# === wrong raw-keys-kept
def cache_stores_raw_keys(q, k, v, past_keys, past_values, rotate):
    q, keys, values, t = parts(q, k, v, past_keys, past_values, rotate)
    return attended(q, keys, values, t), torch.cat([past_keys, k], 2), values


# === wrong values-rotated
def cache_turns_values(q, k, v, past_keys, past_values, rotate):
    t = past_keys.shape[2]
    v = rotate(v, torch.arange(t, t + v.shape[2]))
    q, keys, values, t = parts(q, k, v, past_keys, past_values, rotate)
    return attended(q, keys, values, t), keys, values


# === wrong no-mask
def cache_no_mask(q, k, v, past_keys, past_values, rotate):
    q, keys, values, t = parts(q, k, v, past_keys, past_values, rotate)
    return attended(q, keys, values, t, mask=None), keys, values


# === wrong mask-from-the-first-column
def cache_corner_mask(q, k, v, past_keys, past_values, rotate):
    q, keys, values, t = parts(q, k, v, past_keys, past_values, rotate)
    return attended(q, keys, values, t, mask="corner"), keys, values


# === wrong mask-from-the-first-column
def cache_is_causal(q, k, v, past_keys, past_values, rotate):
    q, keys, values, t = parts(q, k, v, past_keys, past_values, rotate)
    return F.scaled_dot_product_attention(q, keys, values, is_causal=True), keys, values


# === wrong mask-of-the-new-words
def cache_square_mask(q, k, v, past_keys, past_values, rotate):
    q, keys, values, t = parts(q, k, v, past_keys, past_values, rotate)
    scores = q @ keys.mT / math.sqrt(q.shape[-1])
    T = q.shape[2]
    mask = torch.tril(torch.ones(T, T)) == 0
    weights = scores.masked_fill(mask, -torch.inf).softmax(-1)
    return weights @ values, keys, values


# === wrong joined-along-the-heads
def cache_wrong_axis(q, k, v, past_keys, past_values, rotate):
    pos = torch.arange(k.shape[2]) + past_keys.shape[2]
    keys = torch.cat([past_keys, rotate(k, pos)], dim=1)
    return keys


# === wrong raises
def cache_feature_axis(q, k, v, past_keys, past_values, rotate):
    pos = torch.arange(k.shape[2]) + past_keys.shape[2]
    keys = torch.cat([past_keys, rotate(k, pos)], dim=-1)
    return keys


# === wrong new-in-front
def cache_new_first(q, k, v, past_keys, past_values, rotate):
    t = past_keys.shape[2]
    pos = torch.arange(t, t + k.shape[2])
    keys, values = (torch.cat([rotate(k, pos), past_keys], 2), torch.cat([v, past_values], 2))
    return attended(rotate(q, pos), keys, values, t), keys, values


# === wrong raises
def cache_forgets_values(q, k, v, past_keys, past_values, rotate):
    q, keys, values, t = parts(q, k, v, past_keys, past_values, rotate)
    return attended(q, keys, v, t), keys, v


# === wrong only-the-new-returned
def cache_returns_new_only(q, k, v, past_keys, past_values, rotate):
    q, keys, values, t = parts(q, k, v, past_keys, past_values, rotate)
    return attended(q, keys, values, t), keys[:, :, t:], v


# === wrong one-thing-only
def cache_returns_output_only(q, k, v, past_keys, past_values, rotate):
    q, keys, values, t = parts(q, k, v, past_keys, past_values, rotate)
    return attended(q, keys, values, t)


# === wrong returns-a-dict
def cache_returns_a_dictionary(q, k, v, past_keys, past_values, rotate):
    q, keys, values, t = parts(q, k, v, past_keys, past_values, rotate)
    return {"output": attended(q, keys, values, t), "keys": keys, "values": values}


# === wrong returns-another-kind
def cache_returns_a_pair(q, k, v, past_keys, past_values, rotate):
    q, keys, values, t = parts(q, k, v, past_keys, past_values, rotate)
    return attended(q, keys, values, t), (keys, values)


# === wrong not-scaled
def cache_unscaled(q, k, v, past_keys, past_values, rotate):
    q, keys, values, t = parts(q, k, v, past_keys, past_values, rotate)
    return attended(q, keys, values, t, scale=1.0), keys, values


# === wrong divided-by-the-features
def cache_scaled_by_size(q, k, v, past_keys, past_values, rotate):
    q, keys, values, t = parts(q, k, v, past_keys, past_values, rotate)
    return attended(q, keys, values, t, scale=q.shape[-1]), keys, values


# === wrong wrong-shape
def cache_squeezes(q, k, v, past_keys, past_values, rotate):
    q, keys, values, t = parts(q, k, v, past_keys, past_values, rotate)
    return attended(q, keys, values, t).squeeze(2), keys, values


# === wrong wrong-shape
def cache_merges_heads(q, k, v, past_keys, past_values, rotate):
    q, keys, values, t = parts(q, k, v, past_keys, past_values, rotate)
    return attended(q, keys, values, t).transpose(1, 2).flatten(2), keys, values


# === wrong writes-into-argument
def cache_scales_in_place(q, k, v, past_keys, past_values, rotate):
    q *= q.shape[-1] ** -0.5
    q, keys, values, t = parts(q, k, v, past_keys, past_values, rotate)
    return attended(q, keys, values, t, scale=1.0), keys, values


# === wrong gradient-cut
def cache_detached(q, k, v, past_keys, past_values, rotate):
    q, keys, values, t = parts(q, k, v, past_keys.detach(), past_values.detach(), rotate)
    return attended(q, keys, values, t), keys, values


# === wrong one-shape-only
def cache_one_number_for_all(q, k, v, past_keys, past_values, rotate):
    t = past_keys.shape[2]
    keys = torch.cat([past_keys, rotate(k, torch.tensor([t]))], 2)
    values = torch.cat([past_values, v], 2)
    return attended(rotate(q, torch.tensor([t])), keys, values, t), keys, values


# === wrong raises
def cache_with_a_plain_number(q, k, v, past_keys, past_values, rotate):
    keys = torch.cat([past_keys, rotate(k, past_keys.shape[2])], 2)
    return keys


# === wrong unknown
def cache_mixes_the_batch(q, k, v, past_keys, past_values, rotate):
    q, keys, values, t = parts(q, k, v, past_keys.roll(1, 0), past_values.roll(1, 0), rotate)
    return attended(q, keys, values, t), keys, values


# === wrong first-of-the-batch
def cache_first_of_the_batch(q, k, v, past_keys, past_values, rotate):
    past_keys, past_values = (past_keys[:1].repeat(len(q), 1, 1, 1), past_values[:1].repeat(len(q), 1, 1, 1))
    q, keys, values, t = parts(q, k, v, past_keys, past_values, rotate)
    return attended(q, keys, values, t), keys, values


# === wrong raises
def key_value_cache_cat_on_batch_unseen_b6(q, k, v, past_keys, past_values, rotate):
    t, T = past_keys.shape[2], q.shape[2]
    p = torch.arange(t, t + T)
    keys = torch.cat([past_keys, rotate(k, p)])
    values = torch.cat([past_values, v])
    return q, keys, values


# === wrong exp-overflows
def key_value_cache_exp_unseen_b7(q, k, v, past_keys, past_values, rotate):
    t, T = past_keys.shape[2], q.shape[2]
    p = torch.arange(t, t + T)
    keys = torch.cat([past_keys, rotate(k, p)], 2)
    values = torch.cat([past_values, v], 2)
    m = torch.ones(T, t + T, dtype=torch.bool).tril(t)
    e = (rotate(q, p) @ keys.mT / q.shape[-1] ** 0.5).exp() * m
    return e @ values / e.sum(-1, keepdim=True), keys, values


# === wrong one-position-for-all
def cache_one_position_for_all(q, k, v, past_keys, past_values, rotate):
    t, T = past_keys.shape[2], q.shape[2]
    pos = torch.full((T,), t)
    q, k = rotate(q, pos), rotate(k, pos)
    keys, values = torch.cat([past_keys, k], 2), torch.cat([past_values, v], 2)
    s = q @ keys.mT / math.sqrt(q.shape[-1])
    mask = torch.ones(T, t + T, dtype=torch.bool).tril(t)
    return torch.softmax(s.masked_fill(~mask, float("-inf")), -1) @ values, keys, values


# === wrong cached-keys-rotated-again
def fresh_pos(q, k, v, past_keys, past_values, rotate):
    import math

    T, t = q.shape[2], past_keys.shape[2]
    K, V = torch.cat([past_keys, k], 2), torch.cat([past_values, v], 2)
    K = rotate(K, torch.arange(t + T))
    Q = rotate(q, torch.arange(t, t + T))
    s = Q @ K.mT / math.sqrt(q.shape[-1])
    m = torch.ones(T, t + T, dtype=torch.bool).tril(t)
    return s.masked_fill(~m, -torch.inf).softmax(-1) @ V, K, V


# === wrong one-maximum
def fresh_nomask_one(q, k, v, past_keys, past_values, rotate):
    import math

    T, t = q.shape[2], past_keys.shape[2]
    pos = torch.arange(T) + t
    K, V = torch.cat([past_keys, rotate(k, pos)], 2), torch.cat([past_values, v], 2)
    s = rotate(q, pos) @ K.mT / math.sqrt(q.shape[-1])
    m = torch.ones(T, t + T, dtype=torch.bool).tril(t)
    e = s.masked_fill(~m, -torch.inf)
    e = (e - e.amax((2, 3), keepdim=True)).exp()
    return e / e.sum(-1, keepdim=True) @ V, K, V


# === right
def fresh_sdpa(q, k, v, past_keys, past_values, rotate):
    T, t = q.shape[2], past_keys.shape[2]
    pos = torch.arange(t, t + T, device=q.device)
    K, V = torch.cat([past_keys, rotate(k, pos)], -2), torch.cat([past_values, v], -2)
    m = torch.ones(T, t + T, dtype=torch.bool, device=q.device).tril(t)
    return (torch.nn.functional.scaled_dot_product_attention(rotate(q, pos), K, V, attn_mask=m), K, V)


# === wrong rescaled-after-softmax
def blind_b10(q, k, v, past_keys, past_values, rotate):
    t, T = past_keys.shape[2], q.shape[2]
    at = torch.arange(t, t + T)
    K, V = torch.cat([past_keys, rotate(k, at)], 2), torch.cat([past_values, v], 2)
    a = torch.softmax(rotate(q, at) @ K.mT / q.shape[-1] ** 0.5, -1) * (torch.arange(t + T) <= at[:, None])
    return a / a.sum(-1, keepdim=True) @ V, K, V


# === wrong mask-from-the-first-column
def blind_b6(q, k, v, past_keys, past_values, rotate):
    t, T = past_keys.shape[2], q.shape[2]
    pos = torch.arange(t, t + T)
    K = torch.cat([past_keys, rotate(k, pos)], 2)
    V = torch.cat([past_values, v], 2)
    o = torch.nn.functional.scaled_dot_product_attention(rotate(q, pos), K, V, is_causal=T > 1)
    return o, K, V


# === wrong one-ahead
def mask_one_column_late(q, k, v, past_keys, past_values, rotate):
    queries, keys, values, t = parts(q, k, v, past_keys, past_values, rotate)
    return attended(queries, keys, values, t + 1), keys, values


# === wrong divided-by-the-keys
def root_of_the_number_of_keys(q, k, v, past_keys, past_values, rotate):
    queries, keys, values, t = parts(q, k, v, past_keys, past_values, rotate)
    return attended(queries, keys, values, t, scale=math.sqrt(keys.shape[2])), keys, values


# === right
def word_by_word(q, k, v, past_keys, past_values, rotate):
    outputs = []
    for i in range(q.shape[2]):
        here = torch.tensor([past_keys.shape[2]])
        past_keys = torch.cat((past_keys, rotate(k[:, :, i : i + 1], here)), -2)
        past_values = torch.cat((past_values, v[:, :, i : i + 1]), -2)
        scores = torch.einsum("bhtd,bhsd->bhts", rotate(q[:, :, i : i + 1], here), past_keys)
        weights = scores.div(q.shape[-1] ** 0.5).softmax(-1)
        outputs.append(torch.einsum("bhts,bhsd->bhtd", weights, past_values))
    return torch.cat(outputs, 2), past_keys, past_values
