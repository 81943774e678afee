"""Answers to padding-and-causal, as readers write them; `verdicts.py` says how to read this file."""
# ruff: noqa (this is how people write)

import torch


# === right
def decoder_by_a_triangle(valid_lens, T):
    causal = torch.ones(T, T, dtype=torch.bool, device=valid_lens.device).tril()
    padding = torch.arange(T, device=valid_lens.device)[None, :] >= T - valid_lens[:, None]
    return padding.unsqueeze(1) & causal.unsqueeze(0)


# === right
def decoder_by_adding_the_length(valid_lens, T):
    i = torch.arange(T, device=valid_lens.device)
    return (i <= i[:, None]) & (i + valid_lens[:, None, None] >= T)


# === right
def decoder_by_loops(valid_lens, T):
    mask = torch.zeros(len(valid_lens), T, T, dtype=torch.bool, device=valid_lens.device)
    for b, n in enumerate(valid_lens.tolist()):
        for i in range(T):
            mask[b, i, T - n : i + 1] = True
    return mask


# === right
def decoder_by_a_product(valid_lens, T):
    p = torch.arange(T, device=valid_lens.device)
    return (p >= T - valid_lens[:, None])[:, None] * (p <= p[:, None])


# === right
def decoder_by_what_is_hidden(valid_lens, T):
    p = torch.arange(T).to(valid_lens.device)
    future, padding = p > p[:, None], p < T - valid_lens[:, None, None]
    return ~(future | padding)


# === right
def decoder_one_sentence_at_a_time(valid_lens, T):
    device = valid_lens.device
    causal = torch.tril(torch.ones(T, T, device=device))
    rows = []
    for n in valid_lens:
        m = causal.clone()
        m[:, : T - n] = 0
        rows.append(m)
    return torch.stack(rows) > 0


# === right
def decoder_with_the_packages_functions(valid_lens, T):
    from attnbook.attention.masks import causal_mask, sequence_mask

    words = sequence_mask(valid_lens, T).flip(-1)
    return words[:, None] & causal_mask(T, device=valid_lens.device)


# === wrong or-instead-of-and
def decoder_or(valid_lens, T):
    padding = torch.arange(T)[None, :] >= T - valid_lens[:, None]
    causal = torch.tril(torch.ones(T, T)).bool()
    return padding[:, None, :] | causal


# === wrong or-instead-of-and
def decoder_plus(valid_lens, T):
    padding = torch.arange(T)[None, :] >= T - valid_lens[:, None]
    causal = torch.tril(torch.ones(T, T)).bool()
    return padding[:, None, :] + causal


# === wrong or-instead-of-and
def decoder_de_morgan(valid_lens, T):
    p = torch.arange(T)
    future, padding = p > p[:, None], p < T - valid_lens[:, None, None]
    return ~(future & padding)


# === wrong inverted
def decoder_what_is_hidden(valid_lens, T):
    p = torch.arange(T)
    future, padding = p > p[:, None], p < T - valid_lens[:, None, None]
    return future | padding


# === wrong lengths-inverted + triangle-inverted
def decoder_what_is_hidden_by_both(valid_lens, T):
    p = torch.arange(T)
    future, padding = p > p[:, None], p < T - valid_lens[:, None, None]
    return future & padding


# === wrong lengths-inverted
def decoder_mixed_conventions(valid_lens, T):
    causal = torch.ones(T, T).tril().bool()
    padding = torch.arange(T) < T - valid_lens[:, None, None]
    return causal & padding


# === wrong triangle-inverted
def decoder_mixed_conventions_2(valid_lens, T):
    causal = torch.ones(T, T).triu(1).bool()
    words = torch.arange(T) >= T - valid_lens[:, None, None]
    return causal & words


# === wrong or-instead-of-and + triangle-inverted
def decoder_mixed_conventions_or(valid_lens, T):
    causal = torch.ones(T, T).triu(1).bool()
    words = torch.arange(T) >= T - valid_lens[:, None, None]
    return causal | words


# === wrong upper-triangle
def decoder_upper(valid_lens, T):
    words = torch.arange(T) >= T - valid_lens[:, None, None]
    return torch.triu(torch.ones(T, T)).bool() & words


# === right
def decoder_pairs(valid_lens, T):
    real = torch.arange(T) >= T - valid_lens[:, None]
    return real[:, :, None] & real[:, None, :] & torch.ones(T, T).tril().bool()


# === wrong queries-masked
def decoder_rows(valid_lens, T):
    mask = torch.ones(len(valid_lens), T, T).tril().bool()
    for b, n in enumerate(valid_lens):
        mask[b, : T - n] = False
    return mask


# === wrong one-too-many
def decoder_up_to_and_with(valid_lens, T):
    mask = torch.ones(len(valid_lens), T, T).tril().bool()
    for b, n in enumerate(valid_lens):
        mask[b, :, : max(T - int(n) - 1, 0)] = False
    return mask


# === wrong one-too-few
def decoder_one_short(valid_lens, T):
    mask = torch.ones(len(valid_lens), T, T).tril().bool()
    for b, n in enumerate(valid_lens):
        mask[b, :, : T - n + 1] = False
    return mask


# === wrong no-padding-mask
def decoder_only_causal(valid_lens, T):
    return torch.tril(torch.ones(len(valid_lens), T, T)).bool()


# === wrong no-causality
def decoder_only_padding(valid_lens, T):
    return (torch.arange(T)[None, :] >= T - valid_lens[:, None])[:, None, :].repeat(1, T, 1)


# === wrong only-padding
def decoder_padding_unexpanded(valid_lens, T):
    return (torch.arange(T)[None, :] >= T - valid_lens[:, None])[:, None, :]


# === wrong lengths-not-lifted
def decoder_no_axis(valid_lens, T):
    padding = torch.arange(T) >= T - valid_lens[:, None]
    causal = torch.tril(torch.ones(T, T)).bool()
    return padding & causal


# === wrong raises
def decoder_lengths_without_axis(valid_lens, T):
    padding = torch.arange(T) >= T - valid_lens
    return padding & torch.tril(torch.ones(T, T)).bool()


# === wrong extra-axis
def decoder_for_heads(valid_lens, T):
    padding = torch.arange(T) >= T - valid_lens[:, None, None, None]
    return padding & torch.tril(torch.ones(T, T)).bool()


# === wrong not-bool
def decoder_product_of_floats(valid_lens, T):
    padding = (torch.arange(T) >= T - valid_lens[:, None, None]).float()
    return padding * torch.tril(torch.ones(T, T))


# === wrong counted
def decoder_sum_of_floats(valid_lens, T):
    padding = (torch.arange(T) >= T - valid_lens[:, None, None]).float()
    return padding + torch.tril(torch.ones(T, T))


# === wrong additive
def decoder_to_be_added(valid_lens, T):
    keep = (torch.arange(T) >= T - valid_lens[:, None, None]) & torch.tril(torch.ones(T, T)).bool()
    return torch.zeros(keep.shape).masked_fill(~keep, float("-inf"))


# === wrong additive-finite
def decoder_additive_twice(valid_lens, T):
    padding = torch.arange(T) < T - valid_lens[:, None, None]
    return padding * -1e9 + torch.triu(torch.ones(T, T), 1) * -1e9


# === wrong self-excluded
def decoder_strict(valid_lens, T):
    p = torch.arange(T)
    return (p >= T - valid_lens[:, None, None]) & (p < p[:, None])


# === wrong last-length
def decoder_overwritten(valid_lens, T):
    for n in valid_lens:
        m = torch.ones(T, T).tril().bool()
        m[:, : T - n] = False
    return m.expand(len(valid_lens), T, T)


# === wrong last-sentence-only
def decoder_last_only(valid_lens, T):
    for n in valid_lens:
        m = torch.ones(T, T).tril().bool()
        m[:, : T - n] = False
    return m


# === wrong right-for-the-example-only
def decoder_shared_triangle(valid_lens, T):
    causal = torch.ones(T, T).tril().bool()
    out = []
    for n in valid_lens:
        causal[:, : T - n] = False
        out.append(causal.clone())
    return torch.stack(out)


# === right
def decoder_on_the_cpu(valid_lens, T):
    mask = torch.zeros(len(valid_lens), T, T, dtype=torch.bool)
    for b, n in enumerate(valid_lens.tolist()):
        mask[b, :, T - n :] = True
    return mask.tril()


# === wrong returns-a-list
def decoder_list(valid_lens, T):
    return [torch.ones(T, T).tril().bool() & (torch.arange(T) >= T - n) for n in valid_lens]


# === wrong transposed
def decoder_batch_last(valid_lens, T):
    p = torch.arange(T)
    return (p[:, None] >= T - valid_lens)[None] & (p[None, :, None] <= p[:, None, None])


# === wrong unknown
def decoder_own_length_as_shift(valid_lens, T):
    return torch.stack([torch.ones(T, T).tril(int(n) - T).bool() for n in valid_lens])


# === wrong queries-masked
def decoder_tril_of_three_axes(valid_lens, T):
    keep = (torch.arange(T) >= T - valid_lens[:, None])[:, None].expand(-1, T, -1)
    return keep.transpose(1, 2).tril()


# === wrong writes-into-argument
def decoder_lengths_changed(valid_lens, T):
    p = torch.arange(T, device=valid_lens.device)
    valid_lens += 1
    return (p > T - valid_lens[:, None, None]) & (p <= p[:, None])


# === wrong pairs-without-causality
def decoder_pairs_only(valid_lens, T):
    real = torch.arange(T) >= T - valid_lens[:, None]
    return real[:, None] * real[:, :, None]


# === wrong cut-to-their-lengths
def decoder_tables_of_all_sizes(valid_lens, T):
    return torch.stack([torch.tril(torch.ones(int(n), int(n))).bool() for n in valid_lens])


# === wrong raises
def decoder_python_and(valid_lens, T):
    p = torch.arange(T)
    return (p >= T - valid_lens[:, None, None]) and (p <= p[:, None])


# === wrong one-too-many
def decoder_positions_from_one(valid_lens, T):
    p = torch.arange(1, T + 1)
    return (p >= T - valid_lens[:, None, None]) & (p <= p[:, None])


# === wrong always-the-same
def padding_and_causal_all_false_unseen_3(valid_lens, T):
    return torch.zeros(len(valid_lens), T, T, dtype=torch.bool)


# === wrong raises
def padding_and_causal_subscriptable_int_unseen_5(valid_lens, T):
    p = torch.arange(T[0]) >= T - valid_lens[:, None]
    return p


# === wrong or-instead-of-and
def fresh_or(valid_lens, T):
    i = torch.arange(T, device=valid_lens.device)
    return (i >= T - valid_lens[:, None, None]) | (i <= i[:, None])


# === right
def fresh_query_padding(valid_lens, T):
    i = torch.arange(T, device=valid_lens.device)
    real = i >= T - valid_lens[:, None]
    return real[:, None] & real[:, :, None] & (i <= i[:, None])


# === right
def fresh_tril(valid_lens, T):
    past = torch.ones(T, T, dtype=torch.bool, device=valid_lens.device).tril()
    return torch.stack([past & (torch.arange(T, device=past.device) >= T - n) for n in valid_lens])


# === wrong padded-at-the-end
def decoder_as_on_the_page(valid_lens, T):
    words = torch.arange(T) < valid_lens[:, None]
    return words[:, None] & torch.ones(T, T).tril().bool()


# === wrong padded-at-the-end
def decoder_first_positions(valid_lens, T):
    mask = torch.zeros(len(valid_lens), T, T, dtype=torch.bool)
    for b, n in enumerate(valid_lens.tolist()):
        mask[b, :, :n] = True
    return mask.tril()


# === wrong itself-allowed
def blind_b2(valid_lens, T):
    j = torch.arange(T)
    m = (j[None] <= j[:, None])[None] & (j >= T - valid_lens[:, None])[:, None, :]
    return m | torch.eye(T, dtype=torch.bool)
