"""Answers to measured-mask, as readers write them; `verdicts.py` says how to read this file."""
# ruff: noqa (this is how people write)

import torch


# === right
def by_columns(score, words):
    base = score(words)
    V = base.shape[1]
    table = torch.zeros(len(words), len(words), dtype=torch.bool)
    for s in range(len(words)):
        w = words.clone()
        w[s] = (w[s] + 1) % V
        table[:, s] = ((score(w) - base).abs() > 1e-6).any(1)
    return table


# === right
def by_largest_change(score, words):
    base, T = score(words), words.shape[0]
    out = []
    for s in range(T):
        other = words.clone()
        other[s] = 0 if words[s] != 0 else 1
        out.append((score(other) - base).abs().amax(dim=1) > 1e-6)
    return torch.stack(out).T


# === right
def by_two_loops(score, words):
    T = len(words)
    base = score(words)
    table = torch.zeros((T, T)).bool()
    for s in range(T):
        new = torch.cat([words[:s], (words[s : s + 1] + 1) % base.size(-1), words[s + 1 :]])
        after = score(new)
        for t in range(T):
            table[t, s] = bool(torch.max(torch.abs(after[t] - base[t])) > 1e-6)
    return table


# === right
def by_allclose(score, words):
    base = score(words)
    T, V = base.shape
    rows = []
    for t in range(T):
        row = []
        for s in range(T):
            w = words.clone()
            w[s] = (w[s] + V - 1) % V
            row.append(not torch.allclose(score(w)[t], base[t], rtol=0, atol=1e-6))
        rows.append(row)
    return torch.tensor(rows)


# === right
def by_where(score, words):
    position = torch.arange(len(words))
    base = score(words)
    other = (words + 1) % base.shape[-1]
    after = torch.stack([score(torch.where(position == s, other, words)) for s in position])
    return ((after - base).abs().amax(-1) > 1e-6).T


# === right
def tries_every_word(score, words):
    base = score(words)
    T, V = base.shape
    moved = torch.zeros(T, T, dtype=torch.bool)
    for s in range(T):
        for v in range(V):
            w = words.clone()
            w[s] = v
            moved[:, s] |= ((score(w) - base).abs() > 1e-6).any(-1)
    return moved


# === wrong rows-and-columns
def rows_filled(score, words):
    base = score(words)
    table = torch.zeros(len(words), len(words), dtype=torch.bool)
    for s in range(len(words)):
        w = words.clone()
        w[s] = (w[s] + 1) % base.shape[1]
        table[s] = ((score(w) - base).abs() > 1e-6).any(1)
    return table


# === wrong rows-and-columns
def stacked_only(score, words):
    base = score(words)
    out = []
    for s in range(len(words)):
        w = words.clone()
        w[s] = (w[s] + 1) % base.shape[1]
        out.append((score(w) - base).abs().amax(1) > 1e-6)
    return torch.stack(out)


# === wrong not-put-back
def one_clone_for_all(score, words):
    base = score(words)
    w = words.clone()
    out = []
    for s in range(len(words)):
        w[s] = (w[s] + 1) % base.shape[1]
        out.append(((score(w) - base).abs() > 1e-6).any(1))
    return torch.stack(out, 1)


# === wrong not-put-back
def no_clone(score, words):
    base = score(words)
    out = []
    for s in range(len(words)):
        kept = words[s].item()
        words[s] = (words[s] + 1) % base.shape[1]
        out.append(((score(words) - base).abs() > 1e-6).any(1))
    return torch.stack(out, 1)


# === wrong all-from-there-on
def later_words_too(score, words):
    base = score(words)
    out = []
    for s in range(len(words)):
        w = words.clone()
        w[s:] = (w[s:] + 1) % base.shape[1]
        out.append(((score(w) - base).abs() > 1e-6).any(1))
    return torch.stack(out, 1)


# === wrong not-put-back
def earlier_words_too(score, words):
    base = score(words)
    out = []
    for s in range(len(words)):
        w = words.clone()
        w[: s + 1] = (w[: s + 1] + 1) % base.shape[1]
        out.append(((score(w) - base).abs() > 1e-6).any(1))
    return torch.stack(out, 1)


# === wrong same-word
def replaced_by_padding(score, words):
    base = score(words)
    table = torch.zeros(len(words), len(words), dtype=torch.bool)
    for s in range(len(words)):
        w = words.clone()
        w[s] = 0
        table[:, s] = ((score(w) - base).abs() > 1e-6).any(1)
    return table


# === wrong nothing-replaced
def forgot_to_assign(score, words):
    base = score(words)
    out = []
    for s in range(len(words)):
        w = words.clone()
        w[s] + 1
        out.append(((score(w) - base).abs() > 1e-6).any(1))
    return torch.stack(out, 1)


# === wrong all-scores
def every_score_must_move(score, words):
    base = score(words)
    out = []
    for s in range(len(words)):
        w = words.clone()
        w[s] = (w[s] + 1) % base.shape[1]
        out.append((score(w) != base).all(1))
    return torch.stack(out, 1)


# === wrong sums-compared
def sum_of_rows(score, words):
    base = score(words).sum(1)
    V = score(words).shape[1]
    out = []
    for s in range(len(words)):
        w = words.clone()
        w[s] = (w[s] + 1) % V
        out.append((score(w).sum(1) - base).abs() > 1e-6)
    return torch.stack(out, 1)


# === wrong signed
def without_abs(score, words):
    base = score(words)
    out = []
    for s in range(len(words)):
        w = words.clone()
        w[s] = (w[s] + 1) % base.shape[1]
        out.append(((score(w) - base) > 1e-6).any(1))
    return torch.stack(out, 1)


# === wrong signed
def largest_without_abs(score, words):
    base = score(words)
    out = []
    for s in range(len(words)):
        w = words.clone()
        w[s] = (w[s] + 1) % base.shape[1]
        out.append((score(w) - base).max(1).values > 1e-6)
    return torch.stack(out, 1)


# === wrong likeliest-compared
def predictions_compared(score, words):
    base = score(words)
    out = []
    for s in range(len(words)):
        w = words.clone()
        w[s] = (w[s] + 1) % base.shape[1]
        out.append(score(w).argmax(1) != base.argmax(1))
    return torch.stack(out, 1)


# === wrong rounding-counts
def not_equal(score, words):
    base = score(words)
    out = []
    for s in range(len(words)):
        w = words.clone()
        w[s] = (w[s] + 1) % base.shape[1]
        out.append((score(w) != base).any(1))
    return torch.stack(out, 1)


# === wrong too-coarse
def threshold_of_a_tenth(score, words):
    base = score(words)
    out = []
    for s in range(len(words)):
        w = words.clone()
        w[s] = (w[s] + 1) % base.shape[1]
        out.append((score(w) - base).abs().amax(1) > 0.1)
    return torch.stack(out, 1)


# === wrong inverted
def allclose_is_true(score, words):
    base = score(words)
    table = torch.zeros(len(words), len(words), dtype=torch.bool)
    for s in range(len(words)):
        w = words.clone()
        w[s] = (w[s] + 1) % base.shape[1]
        after = score(w)
        for t in range(len(words)):
            table[t, s] = torch.allclose(after[t], base[t], rtol=0, atol=1e-6)
    return table


# === wrong any-position
def one_answer_for_all_rows(score, words):
    base = score(words)
    table = torch.zeros(len(words), len(words), dtype=torch.bool)
    for s in range(len(words)):
        w = words.clone()
        w[s] = (w[s] + 1) % base.shape[1]
        table[:, s] = ((score(w) - base).abs() > 1e-6).any()
    return table


# === wrong not-measured
def the_mask_it_should_have(score, words):
    T = len(words)
    return torch.arange(T) <= torch.arange(T)[:, None]


# === wrong own-row-only
def diagonal(score, words):
    base = score(words)
    table = torch.zeros(len(words), len(words), dtype=torch.bool)
    for s in range(len(words)):
        w = words.clone()
        w[s] = (w[s] + 1) % base.shape[1]
        table[s, s] = ((score(w)[s] - base[s]).abs() > 1e-6).any()
    return table


# === wrong raises
def next_number(score, words):
    base = score(words)
    out = []
    for s in range(len(words)):
        w = words.clone()
        w[s] += 1
        out.append(((score(w) - base).abs() > 1e-6).any(1))
    return torch.stack(out, 1)


# === wrong wrong-shape
def over_positions(score, words):
    base = score(words)
    out = []
    for s in range(len(words)):
        w = words.clone()
        w[s] = (w[s] + 1) % base.shape[1]
        out.append(((score(w) - base).abs() > 1e-6).any(0))
    return torch.stack(out, 1)


# === wrong not-bool
def numbers_instead(score, words):
    base = score(words)
    out = []
    for s in range(len(words)):
        w = words.clone()
        w[s] = (w[s] + 1) % base.shape[1]
        out.append(((score(w) - base).abs() > 1e-6).any(1).float())
    return torch.stack(out, 1)


# === wrong all-scores
def measured_mask_first_score_only_unseen_5(score, words):
    base = score(words)
    out = torch.zeros(len(words), len(words), dtype=torch.bool)
    for s in range(len(words)):
        w = words.clone()
        w[s] = (w[s] + 1) % base.shape[1]
        out[:, s] = (score(w) - base)[:, 0].abs() > 1e-6
    return out


# === wrong all-scores
def fresh_first_score(score, words):
    y = score(words)
    T = len(words)
    out = torch.zeros(T, T, dtype=torch.bool)
    for s in range(T):
        z = words.clone()
        z[s] = (z[s] + 1) % y.shape[1]
        out[:, s] = (score(z)[:, 0] - y[:, 0]).abs() > 1e-6
    return out


# === wrong rows-and-columns
def fresh_transposed(score, words):
    y = score(words)
    T = len(words)
    out = torch.zeros(T, T, dtype=torch.bool)
    for s in range(T):
        z = words.clone()
        z[s] = (z[s] + 1) % y.shape[1]
        out[s] = ((score(z) - y).abs() > 1e-6).any(1)
    return out


# === wrong same-word
def fresh_to_zero(score, words):
    y = score(words)
    cols = []
    for s in range(len(words)):
        z = words.clone()
        z[s] = 0
        cols.append(((score(z) - y).abs() > 1e-6).any(1))
    return torch.stack(cols, 1)


# === right
def fresh_minus(score, words):
    y = score(words)
    cols = []
    for s in range(len(words)):
        z = words.clone()
        z[s] = words[s] - 1 if words[s] > 0 else 1
        cols.append((score(z) - y).abs().amax(1) > 1e-6)
    return torch.stack(cols, 1)


# === wrong mirrored
def blind_b6(score, words):
    base = score(words)
    T, V = base.shape
    out = torch.zeros(T, T, dtype=torch.bool)
    for s in range(T):
        w = words.clone()
        w[s] = V - 1 - w[s]
        out[:, s] = ((score(w) - base).abs() > 1e-6).any(1)
    return out


# === wrong triangle-assumed
def blind_b8(score, words):
    base = score(words)
    T, V = base.shape
    out = torch.zeros(T, T, dtype=torch.bool)
    for s in range(T):
        w = words.clone()
        w[s] = (w[s] + 1) % V
        out[s:, s] = ((score(w)[s:] - base[s:]).abs() > 1e-6).any(1)
    return out
