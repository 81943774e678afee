"""Answers to cache-bytes, as readers write them; `verdicts.py` says how to read this file."""
# ruff: noqa (this is how people write)

import math


# === right
def counted(positions, layers, every, window, kv_heads, head_dim, size):
    full = layers // every
    local = layers - full
    return (full * positions + local * min(window, positions)) * 2 * kv_heads * head_dim * size


# === right
def layer_by_layer(positions, layers, every, window, kv_heads, head_dim, size):
    total = 0
    for layer in range(1, layers + 1):
        kept = positions if layer % every == 0 else min(positions, window)
        total += 2 * kept * kv_heads * head_dim * size
    return total


# === right
def keys_and_values_apart(positions, layers, every, window, kv_heads, head_dim, size):
    keys = values = 0
    for n in range(layers):
        kept = positions if (n + 1) % every == 0 else min(window, positions)
        keys += kept * kv_heads * head_dim
        values += kept * kv_heads * head_dim
    return (keys + values) * size


# === right
def with_floor(positions, layers, every, window, kv_heads, head_dim, size):
    g = math.floor(layers / every)
    return (
        2 * kv_heads * head_dim * size * (g * positions + (layers - g) * (window if window < positions else positions))
    )


# === right
def by_a_list(positions, layers, every, window, kv_heads, head_dim, size):
    kept = [positions if not n % every else min(positions, window) for n in range(1, layers + 1)]
    return sum(kept) * 2 * kv_heads * head_dim * size


# === right
def savings_subtracted(positions, layers, every, window, kv_heads, head_dim, size):
    everything = layers * positions
    saved = (layers - layers // every) * max(0, positions - window)
    return (everything - saved) * 2 * kv_heads * head_dim * size


# === wrong keys-only
def one_of_two(positions, layers, every, window, kv_heads, head_dim, size):
    full = layers // every
    return (full * positions + (layers - full) * min(window, positions)) * kv_heads * head_dim * size


# === wrong one-head
def heads_forgotten(positions, layers, every, window, kv_heads, head_dim, size):
    full = layers // every
    return (full * positions + (layers - full) * min(window, positions)) * 2 * head_dim * size


# === wrong queries-kept
def qkv(positions, layers, every, window, kv_heads, head_dim, size):
    full = layers // every
    return (full * positions + (layers - full) * min(window, positions)) * 3 * kv_heads * head_dim * size


# === wrong bits
def in_bits(positions, layers, every, window, kv_heads, head_dim, size):
    full = layers // every
    return 8 * (full * positions + (layers - full) * min(window, positions)) * 2 * kv_heads * head_dim * size


# === wrong numbers-not-bytes
def size_forgotten(positions, layers, every, window, kv_heads, head_dim, size):
    full = layers // every
    return (full * positions + (layers - full) * min(window, positions)) * 2 * kv_heads * head_dim


# === wrong no-window
def all_whole(positions, layers, every, window, kv_heads, head_dim, size):
    return 2 * layers * positions * kv_heads * head_dim * size


# === wrong all-windows
def all_short(positions, layers, every, window, kv_heads, head_dim, size):
    return 2 * layers * min(positions, window) * kv_heads * head_dim * size


# === wrong always-full
def window_in_full(positions, layers, every, window, kv_heads, head_dim, size):
    full = layers // every
    return (full * positions + (layers - full) * window) * 2 * kv_heads * head_dim * size


# === wrong no-window
def max_for_min(positions, layers, every, window, kv_heads, head_dim, size):
    full = layers // every
    return (full * positions + (layers - full) * max(window, positions)) * 2 * kv_heads * head_dim * size


# === wrong exchanged
def the_other_kind(positions, layers, every, window, kv_heads, head_dim, size):
    total = 0
    for n in range(1, layers + 1):
        kept = min(positions, window) if n % every == 0 else positions
        total += kept * 2 * kv_heads * head_dim * size
    return total


# === wrong whole-as-given
def every_is_a_number(positions, layers, every, window, kv_heads, head_dim, size):
    return (every * positions + (layers - every) * min(window, positions)) * 2 * kv_heads * head_dim * size


# === wrong rounded-up
def ceiling(positions, layers, every, window, kv_heads, head_dim, size):
    full = math.ceil(layers / every)
    return (full * positions + (layers - full) * min(window, positions)) * 2 * kv_heads * head_dim * size


# === wrong not-rounded
def fractions(positions, layers, every, window, kv_heads, head_dim, size):
    full = layers / every
    return int((full * positions + (layers - full) * min(window, positions)) * 2 * kv_heads * head_dim * size)


# === wrong rounded-up
def from_zero(positions, layers, every, window, kv_heads, head_dim, size):
    total = 0
    for n in range(layers):
        kept = positions if n % every == 0 else min(window, positions)
        total += kept * 2 * kv_heads * head_dim * size
    return total


# === wrong layers-counted-twice
def window_everywhere(positions, layers, every, window, kv_heads, head_dim, size):
    full = layers // every
    return (full * positions + layers * min(window, positions)) * 2 * kv_heads * head_dim * size


# === wrong window-forgotten-in-rest
def whole_only(positions, layers, every, window, kv_heads, head_dim, size):
    return layers // every * positions * 2 * kv_heads * head_dim * size


# === wrong one-layer
def layers_forgotten(positions, layers, every, window, kv_heads, head_dim, size):
    return positions * 2 * kv_heads * head_dim * size


# === wrong a-float
def as_a_float(positions, layers, every, window, kv_heads, head_dim, size):
    full = layers // every
    return 1.0 * (full * positions + (layers - full) * min(window, positions)) * 2 * kv_heads * head_dim * size


# === wrong keys-only
def two_slips(positions, layers, every, window, kv_heads, head_dim, size):
    full = layers // every
    return (full * positions + (layers - full) * window) * kv_heads * head_dim * size


# === wrong unknown
def power_of_two(positions, layers, every, window, kv_heads, head_dim, size):
    full = layers // every
    return (full * positions + (layers - full) * min(window, positions)) * 2 * kv_heads * head_dim * 2**size


# === wrong unknown
def head_dim_added(positions, layers, every, window, kv_heads, head_dim, size):
    full = layers // every
    return (full * positions + (layers - full) * min(window, positions)) * 2 * (kv_heads + head_dim) * size


# === wrong no-window
def maximum(positions, layers, every, window, kv_heads, head_dim, size):
    full = layers // every
    kept = full * positions + (layers - full) * max(window, positions)
    return 2 * kept * kv_heads * head_dim * size


# === wrong always-the-same
def cache_bytes_constant_unseen_b4(positions, layers, every, window, kv_heads, head_dim, size):
    return 6912


# === wrong rounded-up
def fresh_ceil(positions, layers, every, window, kv_heads, head_dim, size):
    full = -(-layers // every)
    return 2 * kv_heads * head_dim * size * (full * positions + (layers - full) * min(window, positions))


# === wrong always-full
def fresh_no_min(positions, layers, every, window, kv_heads, head_dim, size):
    full = layers // every
    return 2 * kv_heads * head_dim * size * (full * positions + (layers - full) * window)


# === right
def fresh_loop(positions, layers, every, window, kv_heads, head_dim, size):
    n = 0
    for l in range(1, layers + 1):
        n += positions if l % every == 0 else min(window, positions)
    return n * 2 * kv_heads * head_dim * size
