"""Answers to cover-words, as readers write them; `verdicts.py` says how to read this file."""
# ruff: noqa (this is how people write)

import torch

IGNORE = -100


def three(special, draw):
    chosen = (draw < 0.15) & ~special
    return chosen, chosen & (draw < 0.12), chosen & (draw >= 0.12) & (draw < 0.135)


# === right
def with_where(ids, special, draw, other, mask):
    chosen, cover, swap = three(special, draw)
    inputs = torch.where(cover, torch.full_like(ids, mask), torch.where(swap, other, ids))
    labels = torch.where(chosen, ids, torch.full_like(ids, IGNORE))
    return inputs, labels


# === right
def in_a_copy(ids, special, draw, other, mask):
    inputs = ids.clone()
    labels = torch.full_like(ids, -100)
    picked = (draw < 0.15) & ~special
    labels[picked] = ids[picked]
    inputs[picked & (draw < 0.12)] = mask
    swap = picked & (draw > 0.12) & (draw < 0.135)
    inputs[swap] = other[swap]
    return inputs, labels


# === right
def word_by_word(ids, special, draw, other, mask):
    inputs, labels = ids.clone(), ids.clone()
    for b in range(ids.shape[0]):
        for t in range(ids.shape[1]):
            d = draw[b, t].item()
            if special[b, t] or d >= 0.15:
                labels[b, t] = -100
            elif d < 0.12:
                inputs[b, t] = mask
            elif d < 0.135:
                inputs[b, t] = other[b, t]
    return inputs, labels


# === right
def swap_first(ids, special, draw, other, mask):
    free = ~special
    inputs = torch.where(free & (draw < 0.135), other, ids)
    inputs = inputs.masked_fill(free & (draw < 0.12), mask)
    return inputs, ids.masked_fill(special | (draw >= 0.15), -100)


# === right
def draws_of_special_tokens_raised(ids, special, draw, other, mask):
    d = draw.masked_fill(special, 1.0)
    inputs = torch.where(d < 0.12, mask, torch.where(d < 0.135, other, ids))
    return inputs, torch.where(d < 0.15, ids, -100)


# === right
def shares_of_the_rate(ids, special, draw, other, mask):
    rate = 0.15
    chosen = (draw < rate).logical_and(special.logical_not())
    share = draw / rate
    inputs = ids.masked_fill(chosen & (share < 0.8), mask)
    inputs = torch.where(chosen & (share >= 0.8) & (share < 0.9), other, inputs)
    return inputs, ids.masked_fill(chosen.logical_not(), -100)


# === wrong everything-asked
def labels_are_the_text(ids, special, draw, other, mask):
    _, cover, swap = three(special, draw)
    return torch.where(swap, other, ids.masked_fill(cover, mask)), ids.clone()


# === wrong only-covered-asked
def ask_where_it_is_masked(ids, special, draw, other, mask):
    _, cover, swap = three(special, draw)
    inputs = torch.where(swap, other, ids.masked_fill(cover, mask))
    return inputs, torch.where(cover, ids, torch.full_like(ids, -100))


# === wrong only-changed-asked
def ask_where_it_changed(ids, special, draw, other, mask):
    _, cover, swap = three(special, draw)
    inputs = torch.where(swap, other, ids.masked_fill(cover, mask))
    labels = ids.clone()
    labels[~cover & ~swap] = -100
    return inputs, labels


# === wrong special-chosen
def no_thought_of_special(ids, special, draw, other, mask):
    chosen, cover, swap = three(torch.zeros_like(special), draw)
    return torch.where(swap, other, ids.masked_fill(cover, mask)), ids.masked_fill(~chosen, -100)


# === wrong only-special
def special_the_wrong_way(ids, special, draw, other, mask):
    chosen, cover, swap = three(~special, draw)
    return torch.where(swap, other, ids.masked_fill(cover, mask)), ids.masked_fill(~chosen, -100)


# === wrong special-covered
def covers_special(ids, special, draw, other, mask):
    chosen, _, swap = three(special, draw)
    inputs = torch.where(swap, other, torch.where(draw < 0.12, mask, ids))
    return inputs, torch.where(chosen, ids, -100)


# === wrong kept-covered
def all_but_swapped(ids, special, draw, other, mask):
    chosen, _, swap = three(special, draw)
    inputs = ids.masked_fill(chosen, mask)
    return torch.where(swap, other, inputs), ids.masked_fill(~chosen, -100)


# === wrong always-covered
def mask_only(ids, special, draw, other, mask):
    chosen = (draw < 0.15) & ~special
    return ids.masked_fill(chosen, mask), ids.masked_fill(~chosen, -100)


# === wrong always-covered
def mask_only_in_a_copy(ids, special, draw, other, mask):
    inputs, labels = ids.clone(), ids.clone()
    chosen = (draw < 0.15) & ~special
    inputs[chosen] = mask
    labels[~chosen] = -100
    return inputs, labels


# === wrong kept-swapped
def two_ways_only(ids, special, draw, other, mask):
    chosen = (draw < 0.15) & ~special
    inputs = torch.where(chosen, other, ids)
    inputs = inputs.masked_fill(chosen & (draw < 0.12), mask)
    return inputs, ids.masked_fill(~chosen, -100)


# === wrong never-swapped
def without_other(ids, special, draw, other, mask):
    chosen, cover, _ = three(special, draw)
    return ids.masked_fill(cover, mask), ids.masked_fill(~chosen, -100)


# === wrong covered-and-swapped-exchanged
def mostly_random(ids, special, draw, other, mask):
    chosen, swap, cover = three(special, draw)
    return torch.where(swap, other, ids.masked_fill(cover, mask)), ids.masked_fill(~chosen, -100)


# === wrong swapped-and-kept-exchanged
def last_tenth_swapped(ids, special, draw, other, mask):
    chosen, cover, _ = three(special, draw)
    swap = chosen & (draw >= 0.135)
    return torch.where(swap, other, ids.masked_fill(cover, mask)), ids.masked_fill(~chosen, -100)


# === wrong unchosen-swapped
def swaps_special(ids, special, draw, other, mask):
    chosen, cover, _ = three(special, draw)
    swap = (draw > 0.12) & (draw < 0.135)
    return torch.where(swap, other, ids.masked_fill(cover, mask)), ids.masked_fill(~chosen, -100)


# === wrong labels-of-the-inputs
def labels_taken_late(ids, special, draw, other, mask):
    chosen, cover, swap = three(special, draw)
    inputs = torch.where(swap, other, ids.masked_fill(cover, mask))
    labels = inputs.clone()
    labels[~chosen] = -100
    return inputs, labels


# === wrong labels-inverted
def asked_for_the_rest(ids, special, draw, other, mask):
    chosen, cover, swap = three(special, draw)
    return torch.where(swap, other, ids.masked_fill(cover, mask)), ids.masked_fill(chosen, -100)


# === wrong zero-for-unasked
def zero_means_nothing(ids, special, draw, other, mask):
    chosen, cover, swap = three(special, draw)
    return torch.where(swap, other, ids.masked_fill(cover, mask)), ids * chosen


# === wrong mask-for-unasked
def mask_means_nothing(ids, special, draw, other, mask):
    chosen, cover, swap = three(special, draw)
    return torch.where(swap, other, ids.masked_fill(cover, mask)), torch.where(chosen, ids, mask)


# === wrong next-word
def like_a_language_model(ids, special, draw, other, mask):
    chosen, cover, swap = three(special, draw)
    following = torch.roll(ids, -1, dims=1)
    return torch.where(swap, other, ids.masked_fill(cover, mask)), following.masked_fill(~chosen, -100)


# === wrong exchanged
def labels_first(ids, special, draw, other, mask):
    chosen, cover, swap = three(special, draw)
    inputs = torch.where(swap, other, ids.masked_fill(cover, mask))
    return ids.masked_fill(~chosen, -100), inputs


# === wrong nothing-hidden
def lost_the_inputs(ids, special, draw, other, mask):
    chosen, cover, swap = three(special, draw)
    ids.clone()[cover] = mask
    return ids.clone(), ids.masked_fill(~chosen, -100)


# === wrong others-labels
def asked_for_the_replacement(ids, special, draw, other, mask):
    chosen, cover, swap = three(special, draw)
    text = torch.where(swap, other, ids)
    return text.masked_fill(cover, mask), text.masked_fill(~chosen, -100)


# === wrong asked-where-it-differs
def where_changed(ids, special, draw, other, mask):
    c, m, s = three(special, draw)
    inputs = torch.where(s, other, ids.masked_fill(m, mask))
    return inputs, torch.where(inputs != ids, ids, -100)


# === wrong covered-then-swapped
def swap_limit_tenth(ids, special, draw, other, mask):
    c = (draw < 0.15) & ~special
    inputs = torch.where(c & (draw < 0.12), mask, ids)
    inputs = torch.where(c & (draw < 0.135), other, inputs)
    return inputs, torch.where(c, ids, -100)


# === wrong minus-one-for-unasked
def minus_one(ids, special, draw, other, mask):
    c, m, s = three(special, draw)
    return torch.where(s, other, ids.masked_fill(m, mask)), ids.masked_fill(~c, -1)


# === wrong special-asked
def special_labelled(ids, special, draw, other, mask):
    c, m, s = three(special, draw)
    return torch.where(s, other, ids.masked_fill(m, mask)), ids.masked_fill(draw >= 0.15, -100)


# === wrong special-asked
def labels_special_too(ids, special, draw, other, mask):
    c, m, s = three(special, draw)
    return torch.where(s, other, ids.masked_fill(m, mask)), ids.masked_fill(~c & ~special, -100)


# === wrong zero-not-asked
def labels_truthy(ids, special, draw, other, mask):
    c, m, s = three(special, draw)
    lab = ids * c
    lab[lab == 0] = -100
    return torch.where(s, other, ids.masked_fill(m, mask)), lab


# === wrong swapped-not-asked
def swapped_not_asked(ids, special, draw, other, mask):
    c, m, s = three(special, draw)
    return torch.where(s, other, ids.masked_fill(m, mask)), ids.masked_fill(~c | s, -100)


# === wrong chosen-above
def above(ids, special, draw, other, mask):
    c = (draw > 0.15) & ~special
    m, s = c & (draw < 0.12), c & (draw < 0.135)
    return torch.where(s, other, ids.masked_fill(m, mask)), ids.masked_fill(~c, -100)


# === wrong shares-of-all
def eighty_of_all(ids, special, draw, other, mask):
    free = ~special
    m = free & (draw < 0.8)
    s = free & (draw >= 0.8) & (draw < 0.9)
    return torch.where(s, other, ids.masked_fill(m, mask)), ids.masked_fill(~(free & (draw < 0.15)), -100)


# === right
def arithmetic(ids, special, draw, other, mask):
    c, m, s = (t.to(ids.dtype) for t in three(special, draw))
    return m * mask + s * other + (1 - m - s) * ids, c * ids - 100 * (1 - c)


# === right
def index_put(ids, special, draw, other, mask):
    kind = torch.bucketize(draw, torch.tensor([0.12, 0.135, 0.15], dtype=draw.dtype)).masked_fill(special, 3)
    table = torch.stack([torch.full_like(ids, mask), other, ids, ids])
    inputs = table.gather(0, kind[None])[0]
    labels = torch.full_like(ids, -100).index_put(torch.where(kind < 3), ids[kind < 3])
    return inputs, labels
