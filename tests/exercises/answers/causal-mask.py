"""Answers to causal-mask, as readers write them; `verdicts.py` says how to read this file."""
# ruff: noqa (this is how people write)

import numpy as np
import torch
from torch import nn


# === right
def triangle_of_ones(num_queries, num_keys):
    return torch.ones(num_queries, num_keys, dtype=torch.bool).tril(num_keys - num_queries)


# === right
def triangle_above_turned_round(num_queries, num_keys):
    future = torch.triu(torch.ones(num_queries, num_keys), diagonal=1 + num_keys - num_queries)
    return future == 0


# === right
def triangle_cut_from_a_square(num_queries, num_keys):
    return torch.tril(torch.ones(num_keys, num_keys)).bool()[-num_queries:]


# === right
def triangle_by_loops(num_queries, num_keys):
    mask = torch.zeros(num_queries, num_keys, dtype=torch.bool)
    for i in range(num_queries):
        for j in range(num_keys):
            mask[i, j] = j <= i + num_keys - num_queries
    return mask


# === right
def triangle_by_slices(num_queries, num_keys):
    mask = torch.full((num_queries, num_keys), False)
    past = num_keys - num_queries
    for i in range(num_queries):
        mask[i, : past + i + 1] = True
    return mask


# === right
def triangle_beside_a_block(num_queries, num_keys):
    before = torch.ones(num_queries, num_keys - num_queries, dtype=torch.bool)
    return torch.cat([before, torch.ones(num_queries, num_queries, dtype=torch.bool).tril()], dim=1)


# === right
def triangle_from_lists(num_queries, num_keys):
    return torch.tensor([[k < num_keys - num_queries + q + 1 for k in range(num_keys)] for q in range(num_queries)])


# === right
def triangle_from_numpy(num_queries, num_keys):
    return torch.from_numpy(np.tri(num_queries, num_keys, num_keys - num_queries, dtype=bool))


# === right
def triangle_from_the_end(T, S):
    i, j = (torch.arange(T).flip(0)[:, None], torch.arange(S).flip(0))  # both counted from the last position
    return j >= i


# === wrong queries-first
def triangle_without_shift(num_queries, num_keys):
    return torch.tril(torch.ones(num_queries, num_keys)).bool()


# === wrong queries-first
def triangle_of_floats_without_shift(num_queries, num_keys):
    return torch.tril(torch.ones(num_queries, num_keys))


# === wrong inverted
def triangle_for_pytorch(num_queries, num_keys):
    return torch.triu(torch.ones(num_queries, num_keys), diagonal=1 + num_keys - num_queries).bool()


# === wrong inverted + queries-first
def triangle_for_pytorch_without_shift(num_queries, num_keys):
    return torch.triu(torch.ones(num_queries, num_keys, dtype=torch.bool), diagonal=1)


# === wrong upper-triangle + queries-first
def triangle_upper_without_shift(num_queries, num_keys):
    return torch.triu(torch.ones(num_queries, num_keys, dtype=torch.bool))


# === wrong self-excluded
def triangle_strictly_before(num_queries, num_keys):
    q = torch.arange(num_queries) + num_keys - num_queries
    return torch.arange(num_keys)[None] < q[:, None]


# === wrong self-excluded
def triangle_with_the_shift_one_short(num_queries, num_keys):
    return torch.ones(num_queries, num_keys, dtype=torch.bool).tril(num_keys - num_queries - 1)


# === wrong one-ahead
def triangle_one_too_far(num_queries, num_keys):
    return torch.ones(num_queries, num_keys, dtype=torch.bool).tril(num_keys - num_queries + 1)


# === wrong not-bool
def triangle_of_bytes(num_queries, num_keys):
    return torch.ones(num_queries, num_keys, dtype=torch.uint8).tril(num_keys - num_queries)


# === wrong not-bool
def triangle_of_floats(num_queries, num_keys):
    return torch.tril(torch.ones(num_queries, num_keys), diagonal=num_keys - num_queries)


# === wrong additive
def triangle_to_be_added(num_queries, num_keys):
    return torch.triu(torch.full((num_queries, num_keys), float("-inf")), diagonal=num_keys - num_queries + 1)


# === wrong queries-first + additive
def triangle_to_be_added_without_shift(num_queries, num_keys):
    return torch.triu(torch.full((num_queries, num_keys), float("-inf")), diagonal=1)


# === wrong additive-finite
def triangle_to_be_added_1e9(num_queries, num_keys):
    keep = torch.ones(num_queries, num_keys).tril(num_keys - num_queries)
    return (1 - keep) * -1e9


# === wrong additive-finite
def triangle_to_be_added_1e4(num_queries, num_keys):
    keep = torch.ones(num_queries, num_keys).tril(num_keys - num_queries)
    return (1 - keep) * -1e4


# === wrong returns-numpy
def triangle_numpy(num_queries, num_keys):
    return np.tri(num_queries, num_keys, num_keys - num_queries, dtype=bool)


# === wrong returns-a-list
def triangle_list(num_queries, num_keys):
    return [[j <= i + num_keys - num_queries for j in range(num_keys)] for i in range(num_queries)]


# === wrong keys-in-rows-cut
def triangle_with_axes_exchanged(num_queries, num_keys):
    return torch.ones(num_keys, num_queries, dtype=torch.bool).tril()


# === wrong keys-forgotten
def triangle_square_of_queries(num_queries, num_keys):
    return torch.tril(torch.ones(num_queries, num_queries, dtype=torch.bool))


# === wrong all-keys-as-queries
def triangle_square_of_keys(num_queries, num_keys):
    return torch.tril(torch.ones(num_keys, num_keys, dtype=torch.bool))


# === wrong queries-first
def triangle_first_rows_of_the_square(num_queries, num_keys):
    return torch.tril(torch.ones(num_keys, num_keys, dtype=torch.bool))[:num_queries]


# === wrong all-allowed
def triangle_that_nobody_kept(num_queries, num_keys):
    mask = torch.ones(num_queries, num_keys, dtype=torch.bool)
    mask.tril(num_keys - num_queries)
    return mask


# === wrong all-allowed
def triangle_moved_by_the_keys(num_queries, num_keys):
    return torch.ones(num_queries, num_keys, dtype=torch.bool).tril(num_keys)


# === wrong shifted-by-queries
def triangle_moved_by_the_queries(num_queries, num_keys):
    return torch.ones(num_queries, num_keys, dtype=torch.bool).tril(num_queries)


# === wrong shifted-the-other-way
def triangle_moved_left(num_queries, num_keys):
    return torch.ones(num_queries, num_keys, dtype=torch.bool).tril(num_queries - num_keys)


# === wrong unknown
def triangle_window(num_queries, num_keys):
    i = torch.arange(num_keys - num_queries, num_keys)[:, None]
    j = torch.arange(num_keys)
    return (j <= i) & (j > i - 3)


# === wrong nothing-allowed
def triangle_nothing(num_queries, num_keys):
    return torch.zeros(num_queries, num_keys, dtype=torch.bool)


# === wrong right-for-the-example-only
def triangle_for_the_example(num_queries, num_keys):
    mask = torch.ones(num_queries, num_keys, dtype=torch.bool)
    mask[0, -1] = False
    return mask


# === wrong raises
def triangle_with_a_typo(num_queries, num_keys):
    return torch.ones(num_queries, num_keys).tril(num_keys - num_query).bool()


# === wrong unknown
def triangle_keep_the_block_only(num_queries, num_keys):
    past = num_keys - num_queries
    block = torch.zeros(num_queries, num_keys, dtype=torch.bool)
    block[:, :past] = True
    return block


# === wrong earlier-keys-hidden
def triangle_own_block_only(num_queries, num_keys):
    m = torch.zeros(num_queries, num_keys, dtype=torch.bool)
    m[:, -num_queries:] = torch.ones(num_queries, num_queries).tril().bool()
    return m


# === wrong softmax-on-top
def triangle_after_a_softmax(num_queries, num_keys):
    mask = torch.ones(num_queries, num_keys).tril(num_keys - num_queries)
    return mask.softmax(-1)


# === wrong earlier-keys-behind
def triangle_and_then_the_past(num_queries, num_keys):
    past = torch.ones(num_queries, num_keys - num_queries)
    return torch.cat([torch.ones(num_queries, num_queries).tril(), past], 1).bool()


# === wrong wrong-shape
def triangle_of_nn_transformer(num_queries, num_keys):
    return nn.Transformer.generate_square_subsequent_mask(num_queries)


# === wrong additive
def triangle_of_nn_transformer_cut(num_queries, num_keys):
    return nn.Transformer.generate_square_subsequent_mask(num_keys)[-num_queries:]


# === wrong raises
def triangle_without_a_column(num_queries, num_keys):
    return torch.arange(num_keys) <= torch.arange(num_queries)


# === wrong wrong-shape
def causal_mask_32_max_unseen_4(n, m):
    table = torch.ones(32, 32, dtype=torch.bool).tril()
    return table[m - n : m, :m]


# === wrong queries-first
def fresh_first_positions(num_queries, num_keys):
    return torch.ones(num_queries, num_keys, dtype=torch.bool).tril()


# === wrong self-excluded
def fresh_strict(num_queries, num_keys):
    return torch.ones(num_queries, num_keys, dtype=torch.bool).tril(num_keys - num_queries - 1)


# === right
def fresh_diag(num_queries, num_keys):
    return torch.ones(num_keys, num_keys).tril().bool()[-num_queries:]
