"""Wrong answers to the exercises on masks and heads, as readers write them; see `wrong_answers`."""
# ruff: noqa (this is how people write)

import math

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn
from wrong_answers import wrong

# --- causal-mask ----------------------------------------------------------------------------------------------


@wrong("causal-mask", "queries-first")
def triangle_without_shift(num_queries, num_keys):
    return torch.tril(torch.ones(num_queries, num_keys)).bool()


@wrong("causal-mask", "queries-first")
def triangle_of_floats_without_shift(num_queries, num_keys):
    return torch.tril(torch.ones(num_queries, num_keys))


@wrong("causal-mask", "inverted")
def triangle_for_pytorch(num_queries, num_keys):
    return torch.triu(
        torch.ones(num_queries, num_keys), diagonal=1 + num_keys - num_queries
    ).bool()


@wrong("causal-mask", "inverted + queries-first")
def triangle_for_pytorch_without_shift(num_queries, num_keys):
    return torch.triu(torch.ones(num_queries, num_keys, dtype=torch.bool), diagonal=1)


@wrong("causal-mask", "upper-triangle + queries-first")
def triangle_upper_without_shift(num_queries, num_keys):
    return torch.triu(torch.ones(num_queries, num_keys, dtype=torch.bool))


@wrong("causal-mask", "self-excluded")
def triangle_strictly_before(num_queries, num_keys):
    q = torch.arange(num_queries) + num_keys - num_queries
    return torch.arange(num_keys)[None] < q[:, None]


@wrong("causal-mask", "self-excluded")
def triangle_with_the_shift_one_short(num_queries, num_keys):
    return torch.ones(num_queries, num_keys, dtype=torch.bool).tril(
        num_keys - num_queries - 1
    )


@wrong("causal-mask", "one-ahead")
def triangle_one_too_far(num_queries, num_keys):
    return torch.ones(num_queries, num_keys, dtype=torch.bool).tril(
        num_keys - num_queries + 1
    )


@wrong("causal-mask", "not-bool")
def triangle_of_bytes(num_queries, num_keys):
    return torch.ones(num_queries, num_keys, dtype=torch.uint8).tril(
        num_keys - num_queries
    )


@wrong("causal-mask", "not-bool")
def triangle_of_floats(num_queries, num_keys):
    return torch.tril(
        torch.ones(num_queries, num_keys), diagonal=num_keys - num_queries
    )


@wrong("causal-mask", "additive")
def triangle_to_be_added(num_queries, num_keys):
    return torch.triu(
        torch.full((num_queries, num_keys), float("-inf")),
        diagonal=num_keys - num_queries + 1,
    )


@wrong("causal-mask", "queries-first + additive")
def triangle_to_be_added_without_shift(num_queries, num_keys):
    return torch.triu(torch.full((num_queries, num_keys), float("-inf")), diagonal=1)


@wrong("causal-mask", "additive-finite")
def triangle_to_be_added_1e9(num_queries, num_keys):
    keep = torch.ones(num_queries, num_keys).tril(num_keys - num_queries)
    return (1 - keep) * -1e9


@wrong("causal-mask", "additive-finite")
def triangle_to_be_added_1e4(num_queries, num_keys):
    keep = torch.ones(num_queries, num_keys).tril(num_keys - num_queries)
    return (1 - keep) * -1e4


@wrong("causal-mask", "returns-numpy")
def triangle_numpy(num_queries, num_keys):
    return np.tri(num_queries, num_keys, num_keys - num_queries, dtype=bool)


@wrong("causal-mask", "returns-a-list")
def triangle_list(num_queries, num_keys):
    return [
        [j <= i + num_keys - num_queries for j in range(num_keys)]
        for i in range(num_queries)
    ]


@wrong("causal-mask", "keys-in-rows-cut")
def triangle_with_axes_exchanged(num_queries, num_keys):
    return torch.ones(num_keys, num_queries, dtype=torch.bool).tril()


@wrong("causal-mask", "keys-forgotten")
def triangle_square_of_queries(num_queries, num_keys):
    return torch.tril(torch.ones(num_queries, num_queries, dtype=torch.bool))


@wrong("causal-mask", "all-keys-as-queries")
def triangle_square_of_keys(num_queries, num_keys):
    return torch.tril(torch.ones(num_keys, num_keys, dtype=torch.bool))


@wrong("causal-mask", "queries-first")
def triangle_first_rows_of_the_square(num_queries, num_keys):
    return torch.tril(torch.ones(num_keys, num_keys, dtype=torch.bool))[:num_queries]


@wrong("causal-mask", "all-allowed")
def triangle_that_nobody_kept(num_queries, num_keys):
    mask = torch.ones(num_queries, num_keys, dtype=torch.bool)
    mask.tril(num_keys - num_queries)
    return mask


@wrong("causal-mask", "all-allowed")
def triangle_moved_by_the_keys(num_queries, num_keys):
    return torch.ones(num_queries, num_keys, dtype=torch.bool).tril(num_keys)


@wrong("causal-mask", "shifted-by-queries")
def triangle_moved_by_the_queries(num_queries, num_keys):
    return torch.ones(num_queries, num_keys, dtype=torch.bool).tril(num_queries)


@wrong("causal-mask", "shifted-the-other-way")
def triangle_moved_left(num_queries, num_keys):
    return torch.ones(num_queries, num_keys, dtype=torch.bool).tril(
        num_queries - num_keys
    )


@wrong("causal-mask", "unknown")
def triangle_window(num_queries, num_keys):
    i = torch.arange(num_keys - num_queries, num_keys)[:, None]
    j = torch.arange(num_keys)
    return (j <= i) & (j > i - 3)


@wrong("causal-mask", "nothing-allowed")
def triangle_nothing(num_queries, num_keys):
    return torch.zeros(num_queries, num_keys, dtype=torch.bool)


@wrong("causal-mask", "right-for-the-example-only")
def triangle_for_the_example(num_queries, num_keys):
    mask = torch.ones(num_queries, num_keys, dtype=torch.bool)
    mask[0, -1] = False
    return mask


@wrong("causal-mask", "raises")
def triangle_with_a_typo(num_queries, num_keys):
    return torch.ones(num_queries, num_keys).tril(num_keys - num_query).bool()


@wrong("causal-mask", "unknown")
def triangle_keep_the_block_only(num_queries, num_keys):
    past = num_keys - num_queries
    block = torch.zeros(num_queries, num_keys, dtype=torch.bool)
    block[:, :past] = True
    return block


@wrong("causal-mask", "earlier-keys-hidden")
def triangle_own_block_only(num_queries, num_keys):
    m = torch.zeros(num_queries, num_keys, dtype=torch.bool)
    m[:, -num_queries:] = torch.ones(num_queries, num_queries).tril().bool()
    return m


@wrong("causal-mask", "softmax-on-top")
def triangle_after_a_softmax(num_queries, num_keys):
    mask = torch.ones(num_queries, num_keys).tril(num_keys - num_queries)
    return mask.softmax(-1)


@wrong("causal-mask", "earlier-keys-behind")
def triangle_and_then_the_past(num_queries, num_keys):
    past = torch.ones(num_queries, num_keys - num_queries)
    return torch.cat([torch.ones(num_queries, num_queries).tril(), past], 1).bool()


@wrong("causal-mask", "wrong-shape")
def triangle_of_nn_transformer(num_queries, num_keys):
    return nn.Transformer.generate_square_subsequent_mask(num_queries)


@wrong("causal-mask", "additive")
def triangle_of_nn_transformer_cut(num_queries, num_keys):
    return nn.Transformer.generate_square_subsequent_mask(num_keys)[-num_queries:]


@wrong("causal-mask", "raises")
def triangle_without_a_column(num_queries, num_keys):
    return torch.arange(num_keys) <= torch.arange(num_queries)


# --- padding-and-causal ---------------------------------------------------------------------------------------


@wrong("padding-and-causal", "or-instead-of-and")
def decoder_or(valid_lens, T):
    padding = torch.arange(T)[None, :] < valid_lens[:, None]
    causal = torch.tril(torch.ones(T, T)).bool()
    return padding[:, None, :] | causal


@wrong("padding-and-causal", "or-instead-of-and")
def decoder_plus(valid_lens, T):
    padding = torch.arange(T)[None, :] < valid_lens[:, None]
    causal = torch.tril(torch.ones(T, T)).bool()
    return padding[:, None, :] + causal


@wrong("padding-and-causal", "or-instead-of-and")
def decoder_de_morgan(valid_lens, T):
    p = torch.arange(T)
    future, padding = p > p[:, None], p >= valid_lens[:, None, None]
    return ~(future & padding)


@wrong("padding-and-causal", "inverted")
def decoder_what_is_hidden(valid_lens, T):
    p = torch.arange(T)
    future, padding = p > p[:, None], p >= valid_lens[:, None, None]
    return future | padding


@wrong("padding-and-causal", "or-instead-of-and + inverted")
def decoder_what_is_hidden_by_both(valid_lens, T):
    p = torch.arange(T)
    future, padding = p > p[:, None], p >= valid_lens[:, None, None]
    return future & padding


@wrong("padding-and-causal", "lengths-inverted")
def decoder_mixed_conventions(valid_lens, T):
    causal = torch.ones(T, T).tril().bool()
    padding = torch.arange(T) >= valid_lens[:, None, None]
    return causal & padding


@wrong("padding-and-causal", "triangle-inverted")
def decoder_mixed_conventions_2(valid_lens, T):
    causal = torch.ones(T, T).triu(1).bool()
    words = torch.arange(T) < valid_lens[:, None, None]
    return causal & words


@wrong("padding-and-causal", "or-instead-of-and + triangle-inverted")
def decoder_mixed_conventions_or(valid_lens, T):
    causal = torch.ones(T, T).triu(1).bool()
    words = torch.arange(T) < valid_lens[:, None, None]
    return causal | words


@wrong("padding-and-causal", "upper-triangle")
def decoder_upper(valid_lens, T):
    words = torch.arange(T) < valid_lens[:, None, None]
    return torch.triu(torch.ones(T, T)).bool() & words


@wrong("padding-and-causal", "queries-masked")
def decoder_pairs(valid_lens, T):
    real = torch.arange(T) < valid_lens[:, None]
    return real[:, :, None] & real[:, None, :] & torch.ones(T, T).tril().bool()


@wrong("padding-and-causal", "queries-masked")
def decoder_rows(valid_lens, T):
    mask = torch.ones(len(valid_lens), T, T).tril().bool()
    for b, n in enumerate(valid_lens):
        mask[b, n:] = False
    return mask


@wrong("padding-and-causal", "one-too-many")
def decoder_up_to_and_with(valid_lens, T):
    mask = torch.ones(len(valid_lens), T, T).tril().bool()
    for b, n in enumerate(valid_lens):
        mask[b, :, n + 1 :] = False
    return mask


@wrong("padding-and-causal", "one-too-few")
def decoder_one_short(valid_lens, T):
    mask = torch.ones(len(valid_lens), T, T).tril().bool()
    for b, n in enumerate(valid_lens):
        mask[b, :, n - 1 :] = False
    return mask


@wrong("padding-and-causal", "no-padding-mask")
def decoder_only_causal(valid_lens, T):
    return torch.tril(torch.ones(len(valid_lens), T, T)).bool()


@wrong("padding-and-causal", "no-causality")
def decoder_only_padding(valid_lens, T):
    return (torch.arange(T)[None, :] < valid_lens[:, None])[:, None, :].repeat(1, T, 1)


@wrong("padding-and-causal", "only-padding")
def decoder_padding_unexpanded(valid_lens, T):
    return (torch.arange(T)[None, :] < valid_lens[:, None])[:, None, :]


@wrong("padding-and-causal", "lengths-not-lifted")
def decoder_no_axis(valid_lens, T):
    padding = torch.arange(T) < valid_lens[:, None]
    causal = torch.tril(torch.ones(T, T)).bool()
    return padding & causal


@wrong("padding-and-causal", "raises")
def decoder_lengths_without_axis(valid_lens, T):
    padding = torch.arange(T) < valid_lens
    return padding & torch.tril(torch.ones(T, T)).bool()


@wrong("padding-and-causal", "extra-axis")
def decoder_for_heads(valid_lens, T):
    padding = torch.arange(T) < valid_lens[:, None, None, None]
    return padding & torch.tril(torch.ones(T, T)).bool()


@wrong("padding-and-causal", "not-bool")
def decoder_product_of_floats(valid_lens, T):
    padding = (torch.arange(T) < valid_lens[:, None, None]).float()
    return padding * torch.tril(torch.ones(T, T))


@wrong("padding-and-causal", "counted")
def decoder_sum_of_floats(valid_lens, T):
    padding = (torch.arange(T) < valid_lens[:, None, None]).float()
    return padding + torch.tril(torch.ones(T, T))


@wrong("padding-and-causal", "additive")
def decoder_to_be_added(valid_lens, T):
    keep = (torch.arange(T) < valid_lens[:, None, None]) & torch.tril(
        torch.ones(T, T)
    ).bool()
    return torch.zeros(keep.shape).masked_fill(~keep, float("-inf"))


@wrong("padding-and-causal", "additive-finite")
def decoder_additive_twice(valid_lens, T):
    padding = torch.arange(T) >= valid_lens[:, None, None]
    return padding * -1e9 + torch.triu(torch.ones(T, T), 1) * -1e9


@wrong("padding-and-causal", "self-excluded")
def decoder_strict(valid_lens, T):
    p = torch.arange(T)
    return (p < valid_lens[:, None, None]) & (p < p[:, None])


@wrong("padding-and-causal", "last-length")
def decoder_overwritten(valid_lens, T):
    for n in valid_lens:
        m = torch.ones(T, T).tril().bool()
        m[:, n:] = False
    return m.expand(len(valid_lens), T, T)


@wrong("padding-and-causal", "last-sentence-only")
def decoder_last_only(valid_lens, T):
    for n in valid_lens:
        m = torch.ones(T, T).tril().bool()
        m[:, n:] = False
    return m


@wrong("padding-and-causal", "right-for-the-example-only")
def decoder_shared_triangle(valid_lens, T):
    causal = torch.ones(T, T).tril().bool()
    out = []
    for n in valid_lens:
        causal[:, n:] = False
        out.append(causal.clone())
    return torch.stack(out)


@wrong("padding-and-causal", "wrong-device")
def decoder_on_the_cpu(valid_lens, T):
    mask = torch.zeros(len(valid_lens), T, T, dtype=torch.bool)
    for b, n in enumerate(valid_lens.tolist()):
        mask[b, :, :n] = True
    return mask.tril()


@wrong("padding-and-causal", "returns-a-list")
def decoder_list(valid_lens, T):
    return [torch.ones(T, T).tril().bool() & (torch.arange(T) < n) for n in valid_lens]


@wrong("padding-and-causal", "transposed")
def decoder_batch_last(valid_lens, T):
    p = torch.arange(T)
    return (p[:, None] < valid_lens)[None] & (p[None, :, None] <= p[:, None, None])


@wrong("padding-and-causal", "unknown")
def decoder_own_length_as_shift(valid_lens, T):
    return torch.stack([torch.ones(T, T).tril(int(n) - T).bool() for n in valid_lens])


@wrong("padding-and-causal", "queries-masked")
def decoder_tril_of_three_axes(valid_lens, T):
    keep = (torch.arange(T) < valid_lens[:, None])[:, None].expand(-1, T, -1)
    return keep.transpose(1, 2).tril()


@wrong("padding-and-causal", "writes-into-argument")
def decoder_lengths_changed(valid_lens, T):
    p = torch.arange(T, device=valid_lens.device)
    valid_lens -= 1
    return (p <= valid_lens[:, None, None]) & (p <= p[:, None])


@wrong("padding-and-causal", "pairs-without-causality")
def decoder_pairs_only(valid_lens, T):
    real = torch.arange(T) < valid_lens[:, None]
    return real[:, None] * real[:, :, None]


@wrong("padding-and-causal", "cut-to-their-lengths")
def decoder_tables_of_all_sizes(valid_lens, T):
    return torch.stack(
        [torch.tril(torch.ones(int(n), int(n))).bool() for n in valid_lens]
    )


@wrong("padding-and-causal", "raises")
def decoder_python_and(valid_lens, T):
    p = torch.arange(T)
    return (p < valid_lens[:, None, None]) and (p <= p[:, None])


@wrong("padding-and-causal", "one-too-few")
def decoder_positions_from_one(valid_lens, T):
    p = torch.arange(1, T + 1)
    return (p < valid_lens[:, None, None]) & (p <= p[:, None])


# --- cross-attention ------------------------------------------------------------------------------------------


def _keep(memory, memory_lens):
    return (
        torch.arange(memory.shape[1], device=memory.device) < memory_lens[:, None, None]
    )


@wrong("cross-attention", "self-attention")
def across_self(x, memory, W_q, W_k, W_v, memory_lens):
    q, k, v = x @ W_q.T, x @ W_k.T, x @ W_v.T
    e = q @ k.transpose(-2, -1) / math.sqrt(k.size(-1))
    keep = torch.arange(k.size(1)) < memory_lens[:, None, None]
    return e.masked_fill(~keep, -1e9).softmax(-1) @ v


@wrong("cross-attention", "self-attention-masked")
def across_self_with_the_memorys_mask(x, memory, W_q, W_k, W_v, memory_lens):
    q, k, v = x @ W_q.T, x @ W_k.T, x @ W_v.T
    e = q @ k.transpose(-2, -1) / math.sqrt(k.size(-1))
    return e.masked_fill(~_keep(memory, memory_lens), -torch.inf).softmax(-1) @ v


@wrong("cross-attention", "keys-from-x")
def across_keys_from_x(x, memory, W_q, W_k, W_v, memory_lens):
    q, k, v = x @ W_q.T, x @ W_k.T, memory @ W_v.T
    e = q @ k.transpose(-2, -1) / math.sqrt(k.size(-1))
    keep = torch.arange(k.size(1)) < memory_lens[:, None, None]
    return e.masked_fill(~keep, -1e9).softmax(-1) @ v


@wrong("cross-attention", "values-from-x")
def across_values_from_x(x, memory, W_q, W_k, W_v, memory_lens):
    q, k, v = x @ W_q.T, memory @ W_k.T, x @ W_v.T
    e = q @ k.transpose(-2, -1) / math.sqrt(k.size(-1))
    return e.masked_fill(~_keep(memory, memory_lens), -1e9).softmax(-1) @ v


@wrong("cross-attention", "roles-exchanged")
def across_roles(x, memory, W_q, W_k, W_v, memory_lens):
    q, k, v = memory @ W_q.T, x @ W_k.T, x @ W_v.T
    e = q @ k.mT / math.sqrt(k.size(-1))
    keep = torch.arange(k.size(1)) < memory_lens[:, None, None]
    return e.masked_fill(~keep, -torch.inf).softmax(-1) @ v


@wrong("cross-attention", "roles-exchanged + not-masked")
def across_roles_unmasked(x, memory, W_q, W_k, W_v, memory_lens):
    q, k, v = memory @ W_q.T, x @ W_k.T, x @ W_v.T
    return (q @ k.mT / math.sqrt(k.size(-1))).softmax(-1) @ v


@wrong("cross-attention", "weights-not-transposed")
def across_at_W(x, memory, W_q, W_k, W_v, memory_lens):
    q, k, v = x @ W_q, memory @ W_k, memory @ W_v
    return F.scaled_dot_product_attention(q, k, v, attn_mask=_keep(memory, memory_lens))


@wrong("cross-attention", "weights-not-transposed + not-masked")
def across_at_W_unmasked(x, memory, W_q, W_k, W_v, memory_lens):
    q, k, v = x @ W_q, memory @ W_k, memory @ W_v
    return F.scaled_dot_product_attention(q, k, v)


@wrong("cross-attention", "W_q-not-transposed + W_k-not-transposed")
def across_two_of_three(x, memory, W_q, W_k, W_v, memory_lens):
    q, k, v = x @ W_q, memory @ W_k, memory @ W_v.T
    return F.scaled_dot_product_attention(q, k, v, attn_mask=_keep(memory, memory_lens))


@wrong("cross-attention", "inverted")
def across_mask_for_multihead(x, memory, W_q, W_k, W_v, memory_lens):
    q, k, v = x @ W_q.T, memory @ W_k.T, memory @ W_v.T
    return F.scaled_dot_product_attention(
        q, k, v, attn_mask=~_keep(memory, memory_lens)
    )


@wrong("cross-attention", "padding-answers")
def across_mask_added_as_one(x, memory, W_q, W_k, W_v, memory_lens):
    q, k, v = x @ W_q.T, memory @ W_k.T, memory @ W_v.T
    return F.scaled_dot_product_attention(
        q, k, v, attn_mask=_keep(memory, memory_lens).to(q)
    )


@wrong("cross-attention", "not-scaled")
def across_unscaled(x, memory, W_q, W_k, W_v, memory_lens):
    q, k, v = x @ W_q.T, memory @ W_k.T, memory @ W_v.T
    return F.scaled_dot_product_attention(
        q, k, v, attn_mask=_keep(memory, memory_lens), scale=1.0
    )


@wrong("cross-attention", "scaled-by-keys")
def across_root_of_S(x, memory, W_q, W_k, W_v, memory_lens):
    q, k, v = x @ W_q.T, memory @ W_k.T, memory @ W_v.T
    e = q @ k.transpose(1, 2) / math.sqrt(memory.shape[1])
    return e.masked_fill(~_keep(memory, memory_lens), -1e9).softmax(-1) @ v


@wrong("cross-attention", "right-for-the-example-only")
def across_root_of_lengths(x, memory, W_q, W_k, W_v, memory_lens):
    q, k, v = x @ W_q.T, memory @ W_k.T, memory @ W_v.T
    e = q @ k.transpose(1, 2) / memory_lens[:, None, None].sqrt()
    return e.masked_fill(~_keep(memory, memory_lens), -1e9).softmax(-1) @ v


@wrong("cross-attention", "scaled-by-features")
def across_divided_by_D(x, memory, W_q, W_k, W_v, memory_lens):
    q, k, v = x @ W_q.T, memory @ W_k.T, memory @ W_v.T
    e = q @ k.transpose(1, 2) / x.shape[2]
    return e.masked_fill(~_keep(memory, memory_lens), -1e9).softmax(-1) @ v


@wrong("cross-attention", "not-masked")
def across_copy_that_nobody_kept(x, memory, W_q, W_k, W_v, memory_lens):
    e = (x @ W_q.T) @ (memory @ W_k.T).mT / math.sqrt(x.shape[2])
    e.masked_fill(~_keep(memory, memory_lens), -1e9)
    return e.softmax(-1) @ (memory @ W_v.T)


@wrong("cross-attention", "one-too-many")
def across_one_too_many(x, memory, W_q, W_k, W_v, memory_lens):
    e = (x @ W_q.T) @ (memory @ W_k.T).mT / math.sqrt(x.shape[2])
    pad = torch.arange(memory.shape[1]) > memory_lens[:, None, None]
    return e.masked_fill(pad, -1e9).softmax(-1) @ (memory @ W_v.T)


@wrong("cross-attention", "mask-after-softmax")
def across_masked_weights(x, memory, W_q, W_k, W_v, memory_lens):
    a = ((x @ W_q.T) @ (memory @ W_k.T).mT / math.sqrt(x.shape[2])).softmax(-1)
    return a * _keep(memory, memory_lens) @ (memory @ W_v.T)


@wrong("cross-attention", "mask-after-softmax")
def across_masked_values(x, memory, W_q, W_k, W_v, memory_lens):
    a = ((x @ W_q.T) @ (memory @ W_k.T).mT / math.sqrt(x.shape[2])).softmax(-1)
    real = _keep(memory, memory_lens)[:, 0, :, None]
    return a @ (memory @ W_v.T * real)


@wrong("cross-attention", "padding-zeroed")
def across_zeroed_memory(x, memory, W_q, W_k, W_v, memory_lens):
    m = memory * _keep(memory, memory_lens).transpose(1, 2)
    a = ((x @ W_q.T) @ (m @ W_k.T).mT / math.sqrt(x.shape[2])).softmax(-1)
    return a @ (m @ W_v.T)


@wrong("cross-attention", "zero-fill")
def across_zeroed_keys(x, memory, W_q, W_k, W_v, memory_lens):
    k = memory @ W_k.T * _keep(memory, memory_lens).transpose(1, 2)
    a = ((x @ W_q.T) @ k.mT / math.sqrt(x.shape[2])).softmax(-1)
    return a @ (memory @ W_v.T)


@wrong("cross-attention", "wrong-lengths-axis")
def across_mask_without_queries(x, memory, W_q, W_k, W_v, memory_lens):
    e = (x @ W_q.T) @ (memory @ W_k.T).mT / math.sqrt(x.shape[2])
    mask = torch.arange(memory.shape[1]) < memory_lens[:, None]
    e = e.masked_fill(~mask, -torch.inf)
    return e.softmax(-1) @ (memory @ W_v.T)


@wrong("cross-attention", "first-length-only")
def across_batch_of_one_mask(x, memory, W_q, W_k, W_v, memory_lens):
    n = memory_lens[0]
    k, v = memory[:, :n] @ W_k.T, memory[:, :n] @ W_v.T
    return ((x @ W_q.T) @ k.mT / math.sqrt(x.shape[2])).softmax(-1) @ v


@wrong("cross-attention", "longest-length")
def across_cut_to_the_longest(x, memory, W_q, W_k, W_v, memory_lens):
    n = memory_lens.max()
    k, v = memory[:, :n] @ W_k.T, memory[:, :n] @ W_v.T
    return ((x @ W_q.T) @ k.mT / math.sqrt(x.shape[2])).softmax(-1) @ v


@wrong("cross-attention", "weights-do-not-sum-to-one")
def across_concatenated(x, memory, W_q, W_k, W_v, memory_lens):
    both = torch.cat([x, memory], 1)
    e = (x @ W_q.T) @ (both @ W_k.T).mT / math.sqrt(x.shape[2])
    keep = torch.cat(
        [torch.ones(len(x), 1, x.shape[1]).bool(), _keep(memory, memory_lens)], -1
    )
    return e.masked_fill(~keep, -torch.inf).softmax(-1) @ (both @ W_v.T)


@wrong("cross-attention", "padding-answers")
def across_padding_at_minus_ten(x, memory, W_q, W_k, W_v, memory_lens):
    e = (x @ W_q.T) @ (memory @ W_k.T).mT / math.sqrt(x.shape[2])
    return e.masked_fill(~_keep(memory, memory_lens), -5.0).softmax(-1) @ (
        memory @ W_v.T
    )


@wrong("cross-attention", "weights-do-not-sum-to-one")
def across_sigmoid(x, memory, W_q, W_k, W_v, memory_lens):
    e = (x @ W_q.T) @ (memory @ W_k.T).mT / math.sqrt(x.shape[2])
    return (e.sigmoid() * _keep(memory, memory_lens)) @ (memory @ W_v.T)


@wrong("cross-attention", "other-weights")
def across_hard(x, memory, W_q, W_k, W_v, memory_lens):
    e = (x @ W_q.T) @ (memory @ W_k.T).mT / math.sqrt(x.shape[2])
    best = e.masked_fill(~_keep(memory, memory_lens), -torch.inf).argmax(-1)
    return F.one_hot(best, memory.shape[1]).to(x) @ (memory @ W_v.T)


@wrong("cross-attention", "ignores-an-argument")
def across_average(x, memory, W_q, W_k, W_v, memory_lens):
    a = _keep(memory, memory_lens).to(x).expand(-1, x.shape[1], -1)
    return a / a.sum(-1, keepdim=True) @ (memory @ W_v.T)


@wrong("cross-attention", "unknown")
def across_projected_again(x, memory, W_q, W_k, W_v, memory_lens):
    e = (x @ W_q.T) @ (memory @ W_k.T).mT / math.sqrt(x.shape[2])
    a = e.masked_fill(~_keep(memory, memory_lens), -torch.inf).softmax(-1)
    return (a @ (memory @ W_v.T)) @ W_v.T


@wrong("cross-attention", "softmax-twice")
def across_softmax_twice(x, memory, W_q, W_k, W_v, memory_lens):
    e = (x @ W_q.T) @ (memory @ W_k.T).mT / math.sqrt(x.shape[2])
    a = e.masked_fill(~_keep(memory, memory_lens), -torch.inf).softmax(-1)
    return a.softmax(-1) @ (memory @ W_v.T)


@wrong("cross-attention", "key-not-transposed")
def across_untransposed_keys(x, memory, W_q, W_k, W_v, memory_lens):
    e = (x @ W_q.T) @ (memory @ W_k.T) / math.sqrt(x.shape[2])
    return e.softmax(-1) @ (memory @ W_v.T)


@wrong("cross-attention", "returns-a-tuple")
def across_with_weights(x, memory, W_q, W_k, W_v, memory_lens):
    e = (x @ W_q.T) @ (memory @ W_k.T).mT / math.sqrt(x.shape[2])
    a = e.masked_fill(~_keep(memory, memory_lens), -torch.inf).softmax(-1)
    return a @ (memory @ W_v.T), a


@wrong("cross-attention", "cut-short")
def across_loop_first_only(x, memory, W_q, W_k, W_v, memory_lens):
    for b in range(len(x)):
        m = memory[b, : memory_lens[b]]
        a = ((x[b] @ W_q.T) @ (m @ W_k.T).T / math.sqrt(x.shape[2])).softmax(-1)
        return a @ (m @ W_v.T)


@wrong("cross-attention", "weights-in-front")
def across_weights_in_front(x, memory, W_q, W_k, W_v, memory_lens):
    q, k, v = W_q @ x, W_k @ memory, W_v @ memory
    return F.scaled_dot_product_attention(q, k, v, attn_mask=_keep(memory, memory_lens))


@wrong("cross-attention", "other-scores")
def across_cosines(x, memory, W_q, W_k, W_v, memory_lens):
    q, k = F.normalize(x @ W_q.T, dim=-1), F.normalize(memory @ W_k.T, dim=-1)
    return F.scaled_dot_product_attention(
        q, k, memory @ W_v.T, attn_mask=_keep(memory, memory_lens)
    )


@wrong("cross-attention", "W_q-not-transposed + W_v-not-transposed + scaled-by-keys")
def across_three_slips(x, memory, W_q, W_k, W_v, memory_lens):
    q, k, v = x @ W_q, memory @ W_k.T, memory @ W_v
    e = q @ k.mT / math.sqrt(memory.shape[1])
    return e.masked_fill(~_keep(memory, memory_lens), -1e9).softmax(-1) @ v


@wrong("cross-attention", "not-repeatable")
def across_dropout(x, memory, W_q, W_k, W_v, memory_lens):
    q, k, v = x @ W_q.T, memory @ W_k.T, memory @ W_v.T
    return F.scaled_dot_product_attention(
        q, k, v, attn_mask=_keep(memory, memory_lens), dropout_p=0.1
    )


# --- split-heads ----------------------------------------------------------------------------------------------


@wrong("split-heads", "reshaped-at-once")
def split_by_view_at_once(x, num_heads):
    b, t, d = x.shape
    return x.view(b, num_heads, t, d // num_heads)


@wrong("split-heads", "reshaped-at-once")
def split_twice_reshaped(x, num_heads):
    b, t, d = x.shape
    return x.reshape(b, t, num_heads, -1).reshape(b, num_heads, t, -1)


@wrong("split-heads", "not-transposed")
def split_without_transpose(x, num_heads):
    b, t, d = x.shape
    return x.view(b, t, num_heads, d // num_heads)


@wrong("split-heads", "not-transposed")
def split_transpose_that_nobody_kept(x, num_heads):
    y = x.unflatten(-1, (num_heads, -1))
    y.transpose(1, 2)
    return y


@wrong("split-heads", "not-transposed")
def split_chunks_stacked_last_but_one(x, num_heads):
    return torch.stack(x.chunk(num_heads, -1), dim=-2)


@wrong("split-heads", "heads-first-of-all")
def split_chunks_stacked_in_front(x, num_heads):
    return torch.stack(x.chunk(num_heads, dim=-1))


@wrong("split-heads", "heads-last")
def split_chunks_stacked_last(x, num_heads):
    return torch.stack(x.chunk(num_heads, -1), dim=-1)


@wrong("split-heads", "sizes-exchanged")
def split_into_pieces_of_num_heads(x, num_heads):
    return torch.stack(x.split(num_heads, dim=-1), dim=1)


@wrong("split-heads", "every-other-feature")
def split_every_other(x, num_heads):
    return torch.stack([x[..., h::num_heads] for h in range(num_heads)], dim=1)


@wrong("split-heads", "every-other-feature")
def split_view_the_other_way(x, num_heads):
    b, t, d = x.shape
    return x.view(b, t, d // num_heads, num_heads).permute(0, 3, 1, 2)


@wrong("split-heads", "every-other-feature + transposed")
def split_view_the_other_way_transposed(x, num_heads):
    b, t, d = x.shape
    return x.view(b, t, d // num_heads, num_heads).transpose(1, 3)


@wrong("split-heads", "turned-then-cut")
def split_transpose_first(x, num_heads):
    b, t, d = x.shape
    return x.transpose(1, 2).reshape(b, num_heads, t, d // num_heads)


@wrong("split-heads", "features-before-positions")
def split_transpose_first_and_stop(x, num_heads):
    b, t, d = x.shape
    return x.transpose(1, 2).reshape(b, num_heads, d // num_heads, t)


@wrong("split-heads", "memory-layout")
def split_transpose_first_by_view(x, num_heads):
    b, t, d = x.shape
    return (
        x.view(b * t, num_heads, d // num_heads)
        .view(b, t, num_heads, -1)
        .transpose(1, 2)
    )


@wrong("split-heads", "features-in-front")
def split_wrong_transpose(x, num_heads):
    b, t, d = x.shape
    return x.view(b, t, num_heads, -1).transpose(1, -1)


@wrong("split-heads", "batch-and-heads-joined")
def split_for_bmm(x, num_heads):
    b, t, d = x.shape
    y = x.reshape(b, t, num_heads, -1).permute(0, 2, 1, 3)
    return y.reshape(-1, t, d // num_heads)


@wrong("split-heads", "heads-outside-the-batch")
def split_for_bmm_heads_outside(x, num_heads):
    return torch.cat(x.chunk(num_heads, dim=2), dim=0)


@wrong("split-heads", "size-is-a-float")
def split_divided(x, num_heads):
    b, t, d = x.shape
    return x.reshape(b, t, num_heads, d / num_heads).transpose(1, 2)


@wrong("split-heads", "full-width-heads")
def split_repeated(x, num_heads):
    return x.unsqueeze(1).repeat(1, num_heads, 1, 1)


@wrong("split-heads", "first-head-only")
def split_first(x, num_heads):
    return x[:, :, : x.shape[-1] // num_heads]


@wrong("split-heads", "first-head-only")
def split_first_with_axis(x, num_heads):
    return x[:, None, :, : x.shape[-1] // num_heads]


@wrong("split-heads", "returns-a-tuple")
def split_chunks(x, num_heads):
    return x.chunk(num_heads, dim=-1)


@wrong("split-heads", "returns-a-list")
def split_list(x, num_heads):
    size = x.shape[-1] // num_heads
    return [x[..., i * size : (i + 1) * size] for i in range(num_heads)]


@wrong("split-heads", "one-shape-only")
def split_for_the_example(x, num_heads):
    return x.reshape(1, 3, 2, 2).transpose(1, 2)


@wrong("split-heads", "positions-cut")
def split_positions(x, num_heads):
    b, t, d = x.shape
    return x.view(b, num_heads, t // num_heads, d)


@wrong("split-heads", "unknown")
def split_overlapping(x, num_heads):
    size = x.shape[-1] // num_heads
    return torch.stack([x[..., i : i + size] for i in range(num_heads)], 1)


@wrong("split-heads", "cut-short")
def split_off_by_one_slices(x, num_heads):
    size = x.shape[-1] // num_heads
    return torch.stack(
        [x[..., i * size : (i + 1) * size - 1] for i in range(num_heads)], 1
    )


@wrong("split-heads", "unknown")
def split_needs_T_over_H(x, num_heads):
    b, t, d = x.shape
    return x.reshape(b, num_heads, -1, t).transpose(2, 3)


@wrong("split-heads", "no-gradient")
def split_by_numpy(x, num_heads):
    y = np.reshape(x.detach().numpy(), (*x.shape[:2], num_heads, -1))
    return torch.from_numpy(np.swapaxes(y, 1, 2).copy())


@wrong("split-heads", "positions-chunked")
def split_chunks_of_positions(x, num_heads):
    return torch.stack(torch.chunk(x, num_heads, dim=1), dim=1)


@wrong("split-heads", "changes-dtype")
def split_into_a_buffer(x, num_heads):
    size = x.shape[-1] // num_heads
    out = torch.zeros(x.shape[0], num_heads, x.shape[1], size)
    for h in range(num_heads):
        out[:, h] = x[..., h * size : (h + 1) * size]
    return out


# --- merge-heads ----------------------------------------------------------------------------------------------


@wrong("merge-heads", "not-transposed-back")
def merge_by_reshape(x):
    b, h, t, d = x.shape
    return x.reshape(b, t, h * d)


@wrong("merge-heads", "not-transposed-back")
def merge_by_view(x):
    b, h, t, d = x.shape
    return x.view(b, -1, h * d)


@wrong("merge-heads", "view-after-transpose")
def merge_view_too_soon(x):
    b, h, t, d = x.shape
    x = x.transpose(1, 2)
    return x.view(b, t, h * d)


@wrong("merge-heads", "not-joined")
def merge_not_joined(x):
    return x.permute(0, 2, 1, 3).contiguous()


@wrong("merge-heads", "interleaved")
def merge_interleaved(x):
    return torch.stack(x.unbind(1), dim=-1).flatten(2)


@wrong("merge-heads", "positions-joined")
def merge_cat_along_positions(x):
    return torch.cat([x[:, h] for h in range(x.shape[1])], dim=1)


@wrong("merge-heads", "heads-in-the-batch")
def merge_cat_along_batch(x):
    return torch.cat([x[:, h] for h in range(x.shape[1])])


@wrong("merge-heads", "heads-summed")
def merge_by_einsum_sum(x):
    return torch.einsum("bhtd->btd", x)


@wrong("merge-heads", "heads-averaged")
def merge_mean(x):
    return x.mean(dim=1)


@wrong("merge-heads", "features-exchanged")
def merge_last_two(x):
    b, h, t, d = x.shape
    return x.transpose(-2, -1).reshape(b, t, -1)


@wrong("merge-heads", "transposed")
def merge_last_two_right_order(x):
    b, h, t, d = x.shape
    return x.transpose(-2, -1).reshape(b, h * d, t)


@wrong("merge-heads", "batch-joined")
def merge_everything_before(x):
    b, h, t, d = x.shape
    return x.transpose(1, 2).reshape(-1, h * d)


@wrong("merge-heads", "flattened")
def merge_flatten_one(x):
    return x.transpose(1, 2).flatten(1)


@wrong("merge-heads", "last-head-only")
def merge_loop_overwrites(x):
    for h in range(x.shape[1]):
        out = x[:, h]
    return out


@wrong("merge-heads", "first-head-only")
def merge_loop_returns(x):
    for h in range(x.shape[1]):
        return x[:, h]


@wrong("merge-heads", "heads-in-reverse")
def merge_reversed(x):
    out = x[:, 0]
    for h in range(1, x.shape[1]):
        out = torch.cat([x[:, h], out], dim=-1)
    return out


@wrong("merge-heads", "returns-a-list")
def merge_list(x):
    return [torch.cat([head for head in sentence], dim=-1) for sentence in x]


@wrong("merge-heads", "batch-moved")
def merge_batch_and_head(x):
    b, h, t, d = x.shape
    return x.permute(1, 0, 2, 3).reshape(b, t, h * d)


@wrong("merge-heads", "positions-in-front-then-cut")
def merge_positions_first(x):
    b, h, t, d = x.shape
    return x.permute(2, 0, 1, 3).reshape(b, t, h * d)


@wrong("merge-heads", "positions-in-front")
def merge_positions_first_right(x):
    b, h, t, d = x.shape
    return x.permute(2, 0, 1, 3).reshape(t, b, h * d)


@wrong("merge-heads", "one-shape-only")
def merge_for_the_example(x):
    return x.transpose(1, 2).reshape(1, 3, 4)


@wrong("merge-heads", "unknown")
def merge_as_split(x):
    b, h, t, d = x.shape
    return x.reshape(b, t, h, d).transpose(1, 2).reshape(b, t, h * d)


@wrong("merge-heads", "missing-axis")
def merge_squeeze(x):
    return x.transpose(1, 2).flatten(2).squeeze(0)


@wrong("merge-heads", "factor")
def merge_divided(x):
    return x.transpose(1, 2).flatten(2) / x.shape[1]


@wrong("merge-heads", "raises")
def merge_unbind_wrong(x):
    return torch.cat(x, dim=-1, axis=1)


@wrong("merge-heads", "interleaved")
def merge_heads_last_then_flatten(x):
    return x.movedim(1, -1).flatten(-2)


@wrong("merge-heads", "cut-short")
def merge_first_two_heads(x):
    return torch.cat([x[:, 0], x[:, 1]], dim=-1)


@wrong("merge-heads", "no-gradient")
def merge_by_numpy(x):
    y = np.moveaxis(x.detach().numpy(), 1, 2)
    return torch.tensor(y.reshape(*y.shape[:2], -1))


@wrong("merge-heads", "writes-into-argument")
def merge_transposed_in_place(x):
    x.transpose_(1, 2)
    return x.flatten(2)


# --- torch-weights --------------------------------------------------------------------------------------------


def _new(W, num_heads, **options):
    return nn.MultiheadAttention(
        len(W),
        num_heads,
        **{"bias": False, "batch_first": True, "dtype": W.dtype, **options},
    )


@wrong("torch-weights", "order-k-q-v")
def layer_k_q_v(W_q, W_k, W_v, W_o, num_heads):
    layer = _new(W_q, num_heads)
    layer.in_proj_weight.data = torch.cat([W_k, W_q, W_v])
    layer.out_proj.weight.data = W_o
    return layer


@wrong("torch-weights", "order-v-k-q")
def layer_v_k_q(W_q, W_k, W_v, W_o, num_heads):
    layer = _new(W_q, num_heads)
    layer.load_state_dict(
        {"in_proj_weight": torch.cat([W_v, W_k, W_q]), "out_proj.weight": W_o}
    )
    return layer


@wrong("torch-weights", "inputs-transposed")
def layer_cat_and_turn(W_q, W_k, W_v, W_o, num_heads):
    layer = _new(W_q, num_heads)
    layer.in_proj_weight.data = torch.cat([W_q, W_k, W_v], dim=1).T.contiguous()
    layer.out_proj.weight.data = W_o.clone()
    return layer


@wrong("torch-weights", "all-transposed")
def layer_all_turned(W_q, W_k, W_v, W_o, num_heads):
    layer = _new(W_q, num_heads)
    with torch.no_grad():
        layer.in_proj_weight.copy_(torch.cat([W.T for W in (W_q, W_k, W_v)]))
        layer.out_proj.weight.copy_(W_o.T)
    return layer


@wrong("torch-weights", "side-by-side")
def layer_side_by_side(W_q, W_k, W_v, W_o, num_heads):
    layer = _new(W_q, num_heads)
    layer.in_proj_weight = nn.Parameter(torch.cat([W_q, W_k, W_v], dim=-1))
    layer.out_proj.weight = nn.Parameter(W_o)
    return layer


@wrong("torch-weights", "raises")
def layer_side_by_side_copied(W_q, W_k, W_v, W_o, num_heads):
    layer = _new(W_q, num_heads)
    with torch.no_grad():
        layer.in_proj_weight.copy_(torch.cat([W_q, W_k, W_v], dim=1))
        layer.out_proj.weight.copy_(W_o)
    return layer


@wrong("torch-weights", "rows-interleaved")
def layer_stacked(W_q, W_k, W_v, W_o, num_heads):
    layer = _new(W_q, num_heads)
    layer.in_proj_weight.data = torch.cat([W_q, W_k, W_v], dim=1).reshape(-1, len(W_q))
    layer.out_proj.weight.data = W_o.clone()
    return layer


@wrong("torch-weights", "head-by-head")
def layer_by_heads(W_q, W_k, W_v, W_o, num_heads):
    D = len(W_q)
    W = torch.stack([W_q, W_k, W_v]).view(3, num_heads, D // num_heads, D)
    layer = _new(W_q, num_heads)
    layer.in_proj_weight.data = W.transpose(0, 1).reshape(3 * D, D)
    layer.out_proj.weight.data = W_o.clone()
    return layer


@wrong("torch-weights", "W_o-not-copied")
def layer_without_output(W_q, W_k, W_v, W_o, num_heads):
    layer = _new(W_q, num_heads)
    with torch.no_grad():
        layer.in_proj_weight.copy_(torch.cat([W_q, W_k, W_v]))
    return layer


@wrong("torch-weights", "W_o-not-copied")
def layer_without_output_and_wrong_order(W_q, W_k, W_v, W_o, num_heads):
    layer = _new(W_q, num_heads)
    with torch.no_grad():
        layer.in_proj_weight.copy_(torch.cat([W_v, W_k, W_q]))
    return layer


@wrong("torch-weights", "inputs-not-copied")
def layer_copy_of_a_copy(W_q, W_k, W_v, W_o, num_heads):
    layer = _new(W_q, num_heads)
    layer.in_proj_weight.clone().data.copy_(torch.cat([W_q, W_k, W_v]))
    layer.out_proj.weight.data.copy_(W_o)
    return layer


@wrong("torch-weights", "W_o-not-copied")
def layer_out_proj_replaced(W_q, W_k, W_v, W_o, num_heads):
    layer = _new(W_q, num_heads)
    layer.in_proj_weight.data.copy_(torch.cat([W_q, W_k, W_v]))
    layer.out_proj = nn.Linear(len(W_q), len(W_q), bias=False, dtype=W_q.dtype)
    return layer


@wrong("torch-weights", "biases")
def layer_default_bias(W_q, W_k, W_v, W_o, num_heads):
    layer = _new(W_q, num_heads, bias=True)
    layer.in_proj_weight.data.copy_(torch.cat([W_q, W_k, W_v]))
    layer.out_proj.weight.data.copy_(W_o)
    return layer


@wrong("torch-weights", "positions-first")
def layer_default_batch(W_q, W_k, W_v, W_o, num_heads):
    layer = _new(W_q, num_heads, batch_first=False)
    layer.in_proj_weight.data.copy_(torch.cat([W_q, W_k, W_v]))
    layer.out_proj.weight.data.copy_(W_o)
    return layer


@wrong("torch-weights", "biases")
def layer_all_defaults(W_q, W_k, W_v, W_o, num_heads):
    layer = nn.MultiheadAttention(len(W_q), num_heads)
    layer.in_proj_weight.data.copy_(torch.cat([W_q, W_k, W_v]))
    layer.out_proj.weight.data.copy_(W_o)
    return layer


@wrong("torch-weights", "arguments-exchanged")
def layer_arguments_exchanged(W_q, W_k, W_v, W_o, num_heads):
    layer = nn.MultiheadAttention(
        num_heads, len(W_q), bias=False, batch_first=True, dtype=W_q.dtype
    )
    layer.in_proj_weight.data.copy_(torch.cat([W_q, W_k, W_v]))
    layer.out_proj.weight.data.copy_(W_o)
    return layer


@wrong("torch-weights", "size-of-the-layer")
def layer_size_of_a_head(W_q, W_k, W_v, W_o, num_heads):
    layer = nn.MultiheadAttention(
        len(W_q) // num_heads, 1, bias=False, batch_first=True, dtype=W_q.dtype
    )
    layer.in_proj_weight.data = torch.cat([W_q, W_k, W_v])
    layer.out_proj.weight.data = W_o
    return layer


@wrong("torch-weights", "number-of-heads")
def layer_one_head(W_q, W_k, W_v, W_o, num_heads):
    layer = _new(W_q, 1)
    layer.in_proj_weight.data = torch.cat([W_q, W_k, W_v])
    layer.out_proj.weight.data = W_o
    return layer


@wrong("torch-weights", "copied-with-gradient")
def layer_without_no_grad(W_q, W_k, W_v, W_o, num_heads):
    layer = _new(W_q, num_heads)
    layer.in_proj_weight.copy_(torch.cat([W_q, W_k, W_v]))
    layer.out_proj.weight.copy_(W_o)
    return layer


@wrong("torch-weights", "sliced-with-gradient")
def layer_slices_without_no_grad(W_q, W_k, W_v, W_o, num_heads):
    layer, D = _new(W_q, num_heads), len(W_q)
    layer.in_proj_weight[:D] = W_q
    layer.in_proj_weight[D : 2 * D] = W_k
    layer.in_proj_weight[2 * D :] = W_v
    layer.out_proj.weight[:] = W_o
    return layer


@wrong("torch-weights", "tensor-assigned")
def layer_tensor_assigned(W_q, W_k, W_v, W_o, num_heads):
    layer = _new(W_q, num_heads)
    layer.in_proj_weight = torch.cat([W_q, W_k, W_v])
    layer.out_proj.weight = W_o
    return layer


@wrong("torch-weights", "no-separate-projections")
def layer_separate(W_q, W_k, W_v, W_o, num_heads):
    layer = _new(W_q, num_heads)
    with torch.no_grad():
        layer.q_proj_weight.copy_(W_q)
        layer.k_proj_weight.copy_(W_k)
        layer.v_proj_weight.copy_(W_v)
        layer.out_proj.weight.copy_(W_o)
    return layer


@wrong("torch-weights", "separate-projections-assigned")
def layer_separate_data(W_q, W_k, W_v, W_o, num_heads):
    layer = _new(W_q, num_heads)
    layer.q_proj_weight.data = W_q
    layer.k_proj_weight.data = W_k
    return layer


@wrong("torch-weights", "other-names")
def layer_own_attributes(W_q, W_k, W_v, W_o, num_heads):
    layer = _new(W_q, num_heads)
    layer.W_q, layer.W_k, layer.W_v = (nn.Parameter(W) for W in (W_q, W_k, W_v))
    layer.out_proj.weight = nn.Parameter(W_o)
    return layer


@wrong("torch-weights", "returns-another-kind")
def layer_of_the_book(W_q, W_k, W_v, W_o, num_heads):
    from attnbook.attention import MultiHeadAttention

    layer = MultiHeadAttention(len(W_q), num_heads, bias=False).to(W_q)
    layer.W_qkv.weight.data = torch.cat([W_q, W_k, W_v])
    layer.W_o.weight.data = W_o
    return layer


@wrong("torch-weights", "weights-returned")
def layer_called(W_q, W_k, W_v, W_o, num_heads):
    layer = _new(W_q, num_heads)
    x = torch.zeros(1, 3, len(W_q), dtype=W_q.dtype)
    return layer(x, x, x)[0]


@wrong("torch-weights", "returns-another-kind")
def layer_in_a_tuple(W_q, W_k, W_v, W_o, num_heads):
    return _new(W_q, num_heads), W_o


@wrong("torch-weights", "changes-dtype")
def layer_single_precision(W_q, W_k, W_v, W_o, num_heads):
    layer = nn.MultiheadAttention(len(W_q), num_heads, bias=False, batch_first=True)
    with torch.no_grad():
        layer.in_proj_weight.copy_(torch.cat([W_q, W_k, W_v]))
        layer.out_proj.weight.copy_(W_o)
    return layer


@wrong("torch-weights", "mixed-dtypes")
def layer_half_and_half(W_q, W_k, W_v, W_o, num_heads):
    layer = nn.MultiheadAttention(len(W_q), num_heads, bias=False, batch_first=True)
    layer.in_proj_weight = nn.Parameter(torch.cat([W_q, W_k, W_v]))
    layer.out_proj.weight.data.copy_(W_o)
    return layer


@wrong("torch-weights", "other-weights")
def layer_doubled_output(W_q, W_k, W_v, W_o, num_heads):
    layer = _new(W_q, num_heads)
    layer.in_proj_weight.data = torch.cat([W_q, W_k, W_v])
    layer.out_proj.weight.data = num_heads * W_o
    return layer


@wrong("torch-weights", "nothing-copied")
def layer_added_to_the_random_numbers(W_q, W_k, W_v, W_o, num_heads):
    layer = _new(W_q, num_heads)
    layer.in_proj_weight.data += torch.cat([W_q, W_k, W_v])
    layer.out_proj.weight.data += W_o
    return layer


@wrong("torch-weights", "other-weights")
def layer_one_turned(W_q, W_k, W_v, W_o, num_heads):
    layer = _new(W_q, num_heads)
    layer.in_proj_weight.data = torch.cat([W_q, W_k.T, W_v])
    layer.out_proj.weight.data = W_o.T.clone()
    return layer


@wrong("torch-weights", "other-weights")
def layer_seeded_and_forgotten(W_q, W_k, W_v, W_o, num_heads):
    torch.manual_seed(0)
    layer = _new(W_q, num_heads)
    layer.in_proj_weight.data = torch.cat([W_q, W_k, W_v])
    return layer


@wrong("torch-weights", "writes-into-argument")
def layer_scales_in_place(W_q, W_k, W_v, W_o, num_heads):
    layer = _new(W_q, num_heads)
    layer.in_proj_weight.data = torch.cat([W_q, W_k, W_v])
    layer.out_proj.weight.data = W_o.clone()
    W_q /= math.sqrt(2)
    return layer


@wrong("torch-weights", "shape-of-a-weight")
def layer_stacked_along_a_new_axis(W_q, W_k, W_v, W_o, num_heads):
    layer = _new(W_q, num_heads)
    layer.in_proj_weight.data = torch.stack([W_q, W_k, W_v])
    layer.out_proj.weight.data = W_o
    return layer


@wrong("torch-weights", "keys-of-their-own-size")
def layer_with_a_kdim(W_q, W_k, W_v, W_o, num_heads):
    return _new(W_q, num_heads, kdim=1, vdim=1)


@wrong("torch-weights", "state-does-not-fit")
def layer_loads_half(W_q, W_k, W_v, W_o, num_heads):
    layer = _new(W_q, num_heads)
    layer.load_state_dict({"in_proj_weight": torch.cat([W_q, W_k, W_v])})
    return layer


@wrong("torch-weights", "nothing-copied")
def layer_state_changed_but_not_loaded(W_q, W_k, W_v, W_o, num_heads):
    layer = _new(W_q, num_heads)
    state = layer.state_dict()
    state["in_proj_weight"], state["out_proj.weight"] = torch.cat([W_q, W_k, W_v]), W_o
    return layer


@wrong("torch-weights", "tensor-instead-of-a-layer")
def layer_output_assigned(W_q, W_k, W_v, W_o, num_heads):
    layer = _new(W_q, num_heads)
    layer.in_proj_weight.data = torch.cat([W_q, W_k, W_v])
    layer.out_proj = W_o
    return layer


@wrong("torch-weights", "biases")
def layer_with_a_new_linear(W_q, W_k, W_v, W_o, num_heads):
    layer = _new(W_q, num_heads)
    layer.in_proj_weight.data = torch.cat([W_q, W_k, W_v])
    layer.out_proj = nn.Linear(len(W_q), len(W_q), dtype=W_q.dtype)
    layer.out_proj.weight.data = W_o
    return layer


@wrong("torch-weights", "returns-another-kind")
def layer_method(W_q, W_k, W_v, W_o, num_heads):
    return _new(W_q, num_heads).forward


# --- parameter-budget -----------------------------------------------------------------------------------------


@wrong("parameter-budget", "W_O-forgotten")
def budget_heads_only(d_model, num_heads):
    d_head = d_model // num_heads
    return num_heads * (d_model * d_head + d_model * d_head + d_model * d_head)


@wrong("parameter-budget", "full-width-heads-without-W_O")
def budget_full_width(d_model, num_heads):
    return num_heads * 3 * d_model**2


@wrong("parameter-budget", "full-width-heads-small-output")
def budget_full_width_with_output(d_model, num_heads):
    return num_heads * 3 * d_model**2 + d_model**2


@wrong("parameter-budget", "full-width-heads")
def budget_wide(d_model, num_heads):
    from attnbook.attention import WideHeads

    return sum(p.numel() for p in WideHeads(d_model, num_heads).parameters())


@wrong("parameter-budget", "biases-added")
def budget_default_layer(d_model, num_heads):
    return sum(
        p.numel() for p in nn.MultiheadAttention(d_model, num_heads).parameters()
    )


@wrong("parameter-budget", "biases-added")
def budget_linear(d_model, num_heads):
    return 4 * sum(p.numel() for p in nn.Linear(d_model, d_model).parameters())


@wrong("parameter-budget", "output-bias-added")
def budget_output_bias(d_model, num_heads):
    return 3 * d_model * d_model + d_model * (d_model + 1)


@wrong("parameter-budget", "a-float")
def budget_float(d_model, num_heads):
    d_head = d_model / num_heads
    return 3 * num_heads * d_model * d_head + d_model**2


@wrong("parameter-budget", "W_O-forgotten")
def budget_float_heads_only(d_model, num_heads):
    return 3 * num_heads * d_model * (d_model / num_heads)


@wrong("parameter-budget", "one-head-and-W_O")
def budget_one_head(d_model, num_heads):
    d_head = d_model // num_heads
    return 3 * d_model * d_head + d_model * d_model


@wrong("parameter-budget", "one-head-with-its-output")
def budget_one_head_all(d_model, num_heads):
    d_head = d_model // num_heads
    return 4 * d_model * d_head


@wrong("parameter-budget", "one-head-only")
def budget_small_squares(d_model, num_heads):
    d_head = d_model // num_heads
    return num_heads * 3 * d_head * d_head


@wrong("parameter-budget", "one-head-and-W_O")
def budget_small_squares_and_output(d_model, num_heads):
    d_head = d_model // num_heads
    return num_heads * 3 * d_head**2 + d_model**2


@wrong("parameter-budget", "an-output-for-every-head")
def budget_many_outputs(d_model, num_heads):
    d_head = d_model // num_heads
    return num_heads * (3 * d_model * d_head + d_model * d_model)


@wrong("parameter-budget", "unknown")
def budget_wide_output(d_model, num_heads):
    return 3 * d_model**2 + num_heads * d_model * d_model // 1 * num_heads


@wrong("parameter-budget", "not-refused")
def budget_never_refuses(d_model, num_heads):
    return 4 * d_model * d_model


@wrong("parameter-budget", "refused-in-silence")
def budget_returns_nothing(d_model, num_heads):
    if d_model % num_heads == 0:
        return 4 * d_model * d_model


@wrong("parameter-budget", "not-refused")
def budget_returns_minus_one(d_model, num_heads):
    if d_model % num_heads:
        return -1
    return 4 * d_model * d_model


@wrong("parameter-budget", "raises")
def budget_refuses_the_wrong_way_round(d_model, num_heads):
    if num_heads % d_model:
        raise ValueError("not divisible")
    return 4 * d_model * d_model


@wrong("parameter-budget", "prints")
def budget_prints(d_model, num_heads):
    print(4 * d_model * d_model)


@wrong("parameter-budget", "returns-a-tuple")
def budget_in_parts(d_model, num_heads):
    return 3 * d_model**2, d_model**2


@wrong("parameter-budget", "returns-another-kind")
def budget_as_text(d_model, num_heads):
    return f"{4 * d_model**2:,}"


@wrong("parameter-budget", "a-tensor")
def budget_as_a_tensor(d_model, num_heads):
    return torch.zeros(4, d_model, d_model).numel() * torch.tensor(1)


@wrong("parameter-budget", "returns-a-layer")
def budget_layer(d_model, num_heads):
    return nn.MultiheadAttention(d_model, num_heads, bias=False)


@wrong("parameter-budget", "ignores-an-argument")
def budget_number_of_tensors(d_model, num_heads):
    return len(list(nn.MultiheadAttention(d_model, num_heads, bias=False).parameters()))


@wrong("parameter-budget", "returns-another-kind")
def budget_generator(d_model, num_heads):
    return (
        p.numel()
        for p in nn.MultiheadAttention(d_model, num_heads, bias=False).parameters()
    )


@wrong("parameter-budget", "factor")
def budget_in_bytes(d_model, num_heads):
    return 4 * 4 * d_model * d_model


@wrong("parameter-budget", "ignores-an-argument")
def budget_of_the_example(d_model, num_heads):
    return 400


@wrong("parameter-budget", "unknown")
def budget_power(d_model, num_heads):
    return 4 ^ d_model * 2


@wrong("parameter-budget", "raises")
def budget_attribute(d_model, num_heads):
    return nn.MultiheadAttention(d_model, num_heads, bias=False).numel()


@wrong("parameter-budget", "off-by-a-part")
def budget_five_matrices(d_model, num_heads):
    return 5 * d_model**2


@wrong("parameter-budget", "off-by-a-part")
def budget_with_a_softmax_per_head(d_model, num_heads):
    return 4 * d_model**2 + num_heads


@wrong("parameter-budget", "not-refused")
def budget_wrong_rounding(d_model, num_heads):
    return 4 * (d_model // num_heads * num_heads) ** 2 - d_model % num_heads


@wrong("parameter-budget", "refused-otherwise")
def budget_refuses_with_a_runtime_error(d_model, num_heads):
    if d_model // num_heads * num_heads != d_model:
        raise RuntimeError("bad sizes")
    return 4 * d_model**2


@wrong("parameter-budget", "grouped")
def budget_of_shared_keys(d_model, num_heads):
    from attnbook.attention import MultiHeadAttention

    return sum(
        p.numel()
        for p in MultiHeadAttention(
            d_model, num_heads, num_kv_heads=1, bias=False
        ).parameters()
    )


@wrong("parameter-budget", "output-of-one-head")
def budget_narrow_output(d_model, num_heads):
    d_head = d_model // num_heads
    return num_heads * 3 * d_model * d_head + d_head * d_model
