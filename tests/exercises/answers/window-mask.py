"""Answers to window-mask, as readers write them; `verdicts.py` says how to read this file."""
# ruff: noqa (this is how people write)

import torch


# === right
def by_comparison(length, window, sinks):
    i = torch.arange(length)[:, None]
    j = torch.arange(length)
    return (j <= i) & ((i - j < window) | (j < sinks))


# === right
def by_triangles(length, window, sinks):
    causal = torch.ones(length, length).tril()
    band = causal.triu(1 - window)
    band[:, :sinks] = causal[:, :sinks]
    return band.bool()


# === right
def by_loops(length, window, sinks):
    mask = torch.zeros(length, length, dtype=torch.bool)
    for t in range(length):
        mask[t, max(0, t - window + 1) : t + 1] = True
        mask[t, : min(sinks, t + 1)] = True
    return mask


# === right
def from_lists(length, window, sinks):
    return torch.tensor([[k <= q and (q - k < window or k < sinks) for k in range(length)] for q in range(length)])


# === right
def future_and_old_removed(length, window, sinks):
    ones = torch.ones(length, length, dtype=torch.bool)
    future = ones.triu(1)
    old = ones.tril(-window)
    old[:, :sinks] = False
    return ~(future | old)


# === right
def with_where(length, window, sinks):
    i = torch.arange(length)[:, None]
    j = torch.arange(length)
    near = (i - j) < window
    return torch.where(j > i, False, near | (j < sinks))


# === right
def named_backwards(length, window, sinks):
    i = torch.arange(length)[:, None]
    j = torch.arange(length)
    back = i - j
    return back.ge(0).logical_and(back.lt(window).logical_or(j.lt(sinks)))


# === wrong one-too-many
def window_without_self(length, window, sinks):
    i = torch.arange(length)[:, None]
    j = torch.arange(length)
    return (j <= i) & ((i - j <= window) | (j < sinks))


# === wrong one-too-many
def triangle_one_lower(length, window, sinks):
    causal = torch.ones(length, length).tril()
    band = causal.triu(-window)
    band[:, :sinks] = causal[:, :sinks]
    return band.bool()


# === wrong one-too-few
def too_short(length, window, sinks):
    i = torch.arange(length)[:, None]
    j = torch.arange(length)
    return (j <= i) & ((i - j < window - 1) | (j < sinks))


# === wrong self-excluded
def strict(length, window, sinks):
    i = torch.arange(length)[:, None]
    j = torch.arange(length)
    return (j < i) & ((i - j < window) | (j < sinks))


# === wrong no-sinks
def band_only(length, window, sinks):
    return torch.ones(length, length).tril().triu(1 - window).bool()


# === wrong no-sinks
def band_by_slices(length, window, sinks):
    m = torch.zeros(length, length, dtype=torch.bool)
    for t in range(length):
        m[t, max(0, t + 1 - window) : t + 1] = True
    return m


# === wrong no-window
def triangle(length, window, sinks):
    return torch.ones(length, length, dtype=torch.bool).tril()


# === wrong not-causal
def forgot_the_future(length, window, sinks):
    i = torch.arange(length)[:, None]
    j = torch.arange(length)
    return (i - j < window) | (j < sinks)


# === wrong two-sided
def both_sides(length, window, sinks):
    i = torch.arange(length)[:, None]
    j = torch.arange(length)
    near = (i - j).abs() < window
    return near | ((j <= i) & (j < sinks))


# === wrong sinks-of-the-future
def columns_filled(length, window, sinks):
    band = torch.ones(length, length).tril().triu(1 - window).bool()
    band[:, :sinks] = True
    return band


# === wrong sinks-of-the-future
def precedence(length, window, sinks):
    i = torch.arange(length)[:, None]
    j = torch.arange(length)
    return (j <= i) & (i - j < window) | (j < sinks)


# === wrong both-at-once
def and_instead_of_or(length, window, sinks):
    i = torch.arange(length)[:, None]
    j = torch.arange(length)
    return (j <= i) & (i - j < window) & (j < sinks)


# === wrong one-sink-too-many
def sinks_inclusive(length, window, sinks):
    i = torch.arange(length)[:, None]
    j = torch.arange(length)
    return (j <= i) & ((i - j < window) | (j <= sinks))


# === wrong inverted
def true_is_hidden(length, window, sinks):
    i = torch.arange(length)[:, None]
    j = torch.arange(length)
    return (j > i) | ((i - j >= window) & (j >= sinks))


# === wrong transposed
def ahead(length, window, sinks):
    i = torch.arange(length)[:, None]
    j = torch.arange(length)
    return (j >= i) & ((j - i < window) | (j < sinks))


# === wrong last-sinks
def last_columns(length, window, sinks):
    i = torch.arange(length)[:, None]
    j = torch.arange(length)
    return (j <= i) & ((i - j < window) | (j >= length - sinks))


# === wrong sinks-as-queries
def rows_filled(length, window, sinks):
    causal = torch.ones(length, length).tril().bool()
    band = causal.triu(1 - window)
    band[:sinks] = causal[:sinks]
    return band


# === wrong only-the-window's-end
def far_end(length, window, sinks):
    i = torch.arange(length)[:, None]
    j = torch.arange(length)
    return (j <= i) & ((i - j == window - 1) | (j < sinks))


# === wrong blocks
def cut_into_blocks(length, window, sinks):
    i = torch.arange(length)[:, None]
    j = torch.arange(length)
    return (j <= i) & ((i // window == j // window) | (j < sinks))


# === wrong not-bool
def ones_and_zeros(length, window, sinks):
    i = torch.arange(length)[:, None]
    j = torch.arange(length)
    return ((j <= i) & ((i - j < window) | (j < sinks))).int()


# === wrong additive-finite
def to_be_added(length, window, sinks):
    i = torch.arange(length)[:, None]
    j = torch.arange(length)
    keep = (j <= i) & ((i - j < window) | (j < sinks))
    return torch.zeros(length, length).masked_fill(~keep, -1e9)


# === wrong extra-axis
def with_batch_axis(length, window, sinks):
    i = torch.arange(length)[:, None]
    j = torch.arange(length)
    return ((j <= i) & ((i - j < window) | (j < sinks)))[None, None]


# === wrong one-too-many + sinks-of-the-future
def two_slips(length, window, sinks):
    i = torch.arange(length)[:, None]
    j = torch.arange(length)
    return (j <= i) & (i - j <= window) | (j < sinks)


# === wrong sinks-use-up-the-window
def budget_shared(length, window, sinks):
    mask = torch.zeros(length, length, dtype=torch.bool)
    for t in range(length):
        mask[t, max(0, t - (window - sinks) + 1) : t + 1] = True
        mask[t, : min(sinks, t + 1)] = True
    return mask


# === right
def bands(length, window, sinks):
    ones = torch.ones(length, length, dtype=torch.bool)
    band = ones.tril() & ~ones.tril(-window)
    first = ones.tril()
    first[:, sinks:] = False
    return band | first


# === wrong wrong-shape
def window_mask_32_unseen_3(length, window, sinks):
    i, j = torch.arange(32)[:, None], torch.arange(32)
    return ((j <= i) & ((i - j < window) | (j < sinks)))[:length, :length]


# === wrong returns-another-kind
def window_mask_complex_unseen_4(length, window, sinks):
    i, j = torch.arange(length)[:, None], torch.arange(length)
    return ((j <= i) & ((i - j < window) | (j < sinks))).to(torch.complex64)


# === wrong negative-beginning
def window_slices_from_behind(length, window, sinks):
    m = torch.zeros(length, length, dtype=torch.bool)
    for t in range(length):
        m[t, t - window + 1 : t + 1] = True
        m[t, : min(sinks, t + 1)] = True
    return m


# === wrong one-too-many
def fresh_off(length, window, sinks):
    i, j = torch.arange(length)[:, None], torch.arange(length)
    return (j <= i) & ((i - j <= window) | (j < sinks))


# === wrong sinks-of-the-future
def fresh_sinks_future(length, window, sinks):
    i, j = torch.arange(length)[:, None], torch.arange(length)
    return ((j <= i) & (i - j < window)) | (j < sinks)


# === right
def fresh_loops(length, window, sinks):
    m = torch.zeros(length, length, dtype=torch.bool)
    for t in range(length):
        m[t, max(0, t - window + 1) : t + 1] = True
        m[t, : min(sinks, t + 1)] = True
    return m


# === wrong window-widened
def blind_b4(length, window, sinks):
    d = torch.arange(length)[:, None] - torch.arange(length)
    return (d >= 0) & (d < window + sinks)
