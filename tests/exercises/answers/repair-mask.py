"""Answers to repair-mask, as readers write them; `verdicts.py` says how to read this file."""
# ruff: noqa (this is how people write)

import torch


# === right
def repaired_line_by_line(ids, new, pad):
    S = ids.shape[1]
    past = torch.ones(new, S, device=ids.device).tril(S - new)
    real = ids != pad
    return past.bool() & real[:, None]


# === right
def last_rows_of_the_square(ids, new, pad):
    S = ids.shape[1]
    square = torch.ones(S, S, dtype=torch.bool, device=ids.device).tril()
    return square[-new:] & (ids != pad).unsqueeze(1)


# === right
def with_the_package(ids, new, pad):
    from attnbook.attention import causal_mask

    return causal_mask(new, ids.shape[1], device=ids.device) & (ids != pad)[:, None, :]


# === right
def by_loops(ids, new, pad):
    B, S = ids.shape
    mask = torch.zeros(B, new, S, dtype=torch.bool, device=ids.device)
    for b in range(B):
        for i in range(new):
            for j in range(S - new + i + 1):
                mask[b, i, j] = ids[b, j] != pad
    return mask


# === right
def by_what_is_hidden(ids, new, pad):
    p = torch.arange(ids.shape[1], device=ids.device)
    later = p > p[-new:, None]
    return ~(later | (ids == pad)[:, None])


# === right
def by_counting_the_padding(ids, new, pad):
    S = ids.shape[1]
    p = torch.arange(S, device=ids.device)
    first = (ids == pad).sum(1)[:, None, None]
    return (p >= first) & (p <= p[S - new :, None])


# === right
def padded_queries_emptied_too(ids, new, pad):  # they see padding only, so it is the same
    S = ids.shape[1]
    real = ids != pad
    square = torch.ones(S, S, device=ids.device).tril().bool()
    return (square & real[:, None] & real[:, :, None])[:, S - new :]


# === wrong as-given
def as_given(ids, new, pad):
    S = ids.shape[1]
    past = torch.ones(new, S).tril(1).bool()
    real = ids == pad
    return past & real[:, None]


# === wrong first-positions
def still_at_the_left(ids, new, pad):
    S = ids.shape[1]
    past = torch.ones(new, S, device=ids.device).tril().bool()
    real = ids != pad
    return past & real[:, None]


# === wrong first-positions
def square_cut_at_the_wrong_end(ids, new, pad):
    S = ids.shape[1]
    square = torch.ones(S, S).tril().bool()
    return square[:new] & (ids != pad)[:, None]


# === wrong one-ahead
def off_by_one_diagonal(ids, new, pad):
    S = ids.shape[1]
    past = torch.ones(new, S).tril(S - new + 1).bool()
    return past & (ids != pad)[:, None]


# === wrong padding-kept
def polarity(ids, new, pad):
    S = ids.shape[1]
    past = torch.ones(new, S).tril(S - new).bool()
    return past & (ids == pad)[:, None]


# === wrong first-and-ahead
def only_the_padding(ids, new, pad):
    S = ids.shape[1]
    past = torch.ones(new, S).tril(1).bool()
    real = ids != pad
    return past & real[:, None]


# === wrong first-and-padding
def only_the_diagonal(ids, new, pad):
    S = ids.shape[1]
    past = torch.ones(new, S).tril().bool()
    real = ids == pad
    return past & real[:, None]


# === wrong or-instead-of-and
def joined_by_or(ids, new, pad):
    S = ids.shape[1]
    past = torch.ones(new, S).tril(S - new).bool()
    return past | (ids != pad)[:, None]


# === wrong inverted
def blocked_for_pytorch(ids, new, pad):
    S = ids.shape[1]
    later = torch.ones(new, S).triu(S - new + 1).bool()
    return later | (ids == pad)[:, None]


# === wrong self-excluded
def strictly_before(ids, new, pad):
    p = torch.arange(ids.shape[1])
    return (p < p[-new:, None]) & (ids != pad)[:, None]


# === wrong self-excluded
def one_short(ids, new, pad):
    S = ids.shape[1]
    past = torch.ones(new, S).tril(S - new - 1).bool()
    return past & (ids != pad)[:, None]


# === wrong upper-triangle
def triu(ids, new, pad):
    S = ids.shape[1]
    past = torch.ones(new, S).triu(S - new).bool()
    return past & (ids != pad)[:, None]


# === wrong no-causality
def padding_only(ids, new, pad):
    real = (ids != pad)[:, None]
    return real.expand(-1, new, -1)


# === wrong no-padding-mask
def triangle_for_each_row(ids, new, pad):
    B, S = ids.shape
    return torch.ones(new, S).tril(S - new).bool().expand(B, new, S)


# === wrong pad-is-zero
def truthy(ids, new, pad):
    S = ids.shape[1]
    past = torch.ones(new, S).tril(S - new).bool()
    return past & ids.bool()[:, None]


# === wrong padding-at-the-right
def by_lengths(ids, new, pad):
    S = ids.shape[1]
    p = torch.arange(S)
    lengths = (ids != pad).sum(1)
    return (p <= p[-new:, None]) & (p < lengths[:, None])[:, None]


# === wrong queries-masked
def rows_for_columns(ids, new, pad):
    S = ids.shape[1]
    past = torch.ones(new, S).tril(S - new).bool()
    real = ids[:, -new:] != pad
    return past & real[:, :, None]


# === wrong cache-hidden
def new_words_only(ids, new, pad):
    S = ids.shape[1]
    p = torch.arange(S)
    past = (p <= p[-new:, None]) & (p >= S - new)
    return past & (ids != pad)[:, None]


# === wrong cache-only
def what_was_before(ids, new, pad):
    S = ids.shape[1]
    return ((torch.arange(S) < S - new) & (ids != pad))[:, None].repeat(1, new, 1)


# === wrong whole-square
def whole(ids, new, pad):
    S = ids.shape[1]
    return torch.ones(S, S).tril().bool() & (ids != pad)[:, None]


# === wrong last-row-only
def the_last_word(ids, new, pad):
    return (ids != pad)[:, None]


# === wrong without-the-batch
def triangle(ids, new, pad):
    S = ids.shape[1]
    return torch.ones(new, S).tril(S - new).bool()


# === wrong additive-finite
def additive(ids, new, pad):
    S = ids.shape[1]
    past = torch.ones(new, S).tril(S - new).bool()
    keep = past & (ids != pad)[:, None]
    return torch.zeros(keep.shape).masked_fill(~keep, -1e9)


# === wrong not-bool
def zeros_and_ones(ids, new, pad):
    S = ids.shape[1]
    return torch.ones(new, S).tril(S - new) * (ids != pad)[:, None]


# === wrong extra-axis
def with_heads(ids, new, pad):
    S = ids.shape[1]
    past = torch.ones(new, S).tril(S - new).bool()
    return past & (ids != pad)[:, None, None]


# === right
def always_on_the_cpu(ids, new, pad):
    S = ids.shape[1]
    past = torch.ones(new, S).tril(S - new).bool()
    return past & (ids != pad)[:, None].cpu()


# === wrong always-the-same
def repair_mask_all_false_unseen_2(ids, new, pad):
    return torch.zeros(len(ids), new, ids.shape[1], dtype=torch.bool)


# === wrong padding-sees-itself
def mask_with_an_eye_for_padded_rows(ids, new, pad):
    S = ids.shape[1]
    past = torch.ones(new, S).tril(S - new).bool()
    real = ids != pad
    m = past & real[:, None]
    eye = torch.eye(S, dtype=torch.bool)[-new:]
    return m | eye


# === wrong first-positions
def fresh_fault1(ids, new, pad):
    S = ids.shape[1]
    past = torch.ones(new, S).tril().bool()
    return past & (ids != pad)[:, None]


# === wrong words-above-the-padding
def fresh_eq(ids, new, pad):
    S = ids.shape[1]
    past = torch.ones(new, S).tril(S - new).bool()
    return past & (ids > pad)[:, None]


# === wrong one-ahead
def fresh_diag1(ids, new, pad):
    S = ids.shape[1]
    past = torch.ones(new, S).tril(S - new + 1).bool()
    return past & (ids != pad)[:, None]


# === right
def fresh_full(ids, new, pad):
    S = ids.shape[1]
    full = torch.ones(S, S, dtype=torch.bool, device=ids.device).tril()
    return full[S - new :] & ids.ne(pad).unsqueeze(1)
