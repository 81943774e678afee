"""Answers to teacher-forcing, as readers write them; `verdicts.py` says how to read this file."""
# ruff: noqa (this is how people write)

import torch
import torch.nn.functional as F
from torch.nn.utils.rnn import pad_sequence


def framed(target_ids, bos, eos, pad):
    B, T = target_ids.shape
    out = torch.full((B, T + 2), pad)
    for b in range(B):
        words = target_ids[b][target_ids[b] != pad]
        out[b, 0] = bos
        out[b, 1 : len(words) + 1] = words
        out[b, len(words) + 1] = eos
    return out


# === right
def shift_row_by_row(target_ids, bos, eos, pad):
    B, T = target_ids.shape
    inputs = torch.full((B, T + 1), pad)
    labels = torch.full((B, T + 1), pad)
    for b in range(B):
        words = [w for w in target_ids[b].tolist() if w != pad]
        for t, (a, z) in enumerate(zip([bos] + words, words + [eos])):
            inputs[b, t] = a
            labels[b, t] = z
    return inputs, labels


# === right
def shift_by_framing_and_cutting(target_ids, bos, eos, pad):
    rows = [torch.tensor([bos, *row[row != pad].tolist(), eos]) for row in target_ids]
    framed = pad_sequence(rows, batch_first=True, padding_value=pad)
    framed = F.pad(framed, (0, target_ids.shape[1] + 2 - framed.shape[1]), value=pad)
    return framed[:, :-1], framed[:, 1:]


# === right
def shift_by_where(target_ids, bos, eos, pad):
    B, T = target_ids.shape
    n = (target_ids != pad).sum(-1)
    wide = torch.cat([target_ids, target_ids.new_full((B, 1), pad)], -1)
    end = torch.arange(T + 1) == n[:, None]
    labels = torch.where(end, eos, wide)
    inputs = torch.cat([target_ids.new_full((B, 1), bos), target_ids], -1)  # without <eos>
    return inputs, labels


# === right
def shift_by_roll(target_ids, bos, eos, pad):
    wide = F.pad(target_ids, (0, 1), value=pad)
    n = (target_ids != pad).sum(1)
    labels = wide.clone()
    labels[torch.arange(len(wide)), n] = eos
    inputs = wide.roll(1, dims=1)
    inputs[:, 0] = bos
    return inputs, labels


# === right
def shift_with_the_first_padding(target_ids, bos, eos, pad):
    labels = F.pad(target_ids, (0, 1), value=pad)
    first = (labels == pad).int().argmax(dim=1)
    labels = labels.scatter(1, first.unsqueeze(1), torch.full((len(labels), 1), eos))
    inputs = F.pad(labels[:, :-1], (1, 0), value=bos)
    return inputs, labels


# === right
def shift_with_cumsum(target_ids, bos, eos, pad):
    wide = F.pad(target_ids, (0, 1), value=pad)
    is_pad = wide == pad
    labels = wide.masked_fill(is_pad & (is_pad.cumsum(1) == 1), eos)
    inputs = F.pad(target_ids, (1, 0), value=bos)
    return [inputs, labels]


# === right
def shift_by_one_hot(target_ids, bos, eos, pad):
    T = target_ids.shape[1]
    wide = torch.hstack([target_ids, torch.full_like(target_ids[:, :1], pad)])
    end = F.one_hot((target_ids != pad).sum(1), T + 1)
    labels = wide * (1 - end) + eos * end
    return torch.hstack([torch.full_like(target_ids[:, :1], bos), labels[:, :T]]), labels


# === right
def shift_from_lists(target_ids, bos, eos, pad):
    T = target_ids.size(1)
    inputs, labels = [], []
    for row in target_ids.tolist():
        words = row[: row.index(pad)] if pad in row else row
        inputs.append([bos] + words + [pad] * (T - len(words)))
        labels.append(words + [eos] + [pad] * (T - len(words)))
    return torch.tensor(inputs), torch.tensor(labels)


# === right
def shift_stacked(target_ids, bos, eos, pad):
    wide = F.pad(target_ids, (0, 1), value=pad)
    labels = wide.scatter(1, (target_ids != pad).sum(1)[:, None], eos)
    return torch.stack([F.pad(labels[:, :-1], (1, 0), value=bos), labels])  # can be taken apart, too


# === wrong eos-behind-the-padding
def shift_naive_cat(target_ids, bos, eos, pad):
    B = target_ids.shape[0]
    inputs = torch.cat([torch.full((B, 1), bos), target_ids], dim=1)
    labels = torch.cat([target_ids, torch.full((B, 1), eos)], dim=1)
    return inputs, labels


# === wrong last-word-never-fed
def shift_no_room(target_ids, bos, eos, pad):
    inputs = torch.cat([torch.full((len(target_ids), 1), bos), target_ids[:, :-1]], dim=1)
    return inputs, target_ids


# === wrong not-shifted
def shift_same(target_ids, bos, eos, pad):
    x = framed(target_ids, bos, eos, pad)[:, :-1]
    return x, x.clone()


# === wrong inputs-not-shifted
def shift_same_labels(target_ids, bos, eos, pad):
    x = framed(target_ids, bos, eos, pad)[:, 1:]
    return x, x


# === wrong shifted-the-other-way
def shift_swapped(target_ids, bos, eos, pad):
    f = framed(target_ids, bos, eos, pad)
    labels, inputs = f[:, :-1], f[:, 1:]
    return inputs, labels


# === wrong last-word-overwritten
def shift_off_by_one(target_ids, bos, eos, pad):
    n = (target_ids != pad).sum(1) - 1
    labels = F.pad(target_ids, (0, 1), value=pad)
    labels[torch.arange(len(labels)), n] = eos
    return F.pad(labels[:, :-1], (1, 0), value=bos), labels


# === wrong eos-missing
def shift_no_eos(target_ids, bos, eos, pad):
    wide = F.pad(target_ids, (0, 1), value=pad)
    inputs = wide.roll(1, 1)
    inputs[:, 0] = bos
    return inputs, wide


# === wrong padding-becomes-eos
def shift_all_eos(target_ids, bos, eos, pad):
    labels = F.pad(target_ids, (0, 1), value=pad)
    labels = torch.where(labels == pad, eos, labels)
    return F.pad(target_ids, (1, 0), value=bos), labels


# === wrong ignore-index
def shift_minus_hundred(target_ids, bos, eos, pad):
    f = framed(target_ids, bos, eos, pad)
    labels = f[:, 1:].masked_fill(f[:, 1:] == pad, -100)
    return f[:, :-1], labels


# === wrong wrapped-around
def shift_rolled(target_ids, bos, eos, pad):
    f = framed(target_ids, bos, eos, pad)[:, :-1]
    return f, torch.roll(f, -1, 1)


# === wrong first-word-never-asked
def shift_without_bos(target_ids, bos, eos, pad):
    f = framed(target_ids, bos, eos, pad)[:, 1:]
    return f[:, :-1], f[:, 1:]


# === wrong padding-is-zero
def shift_nonzero(target_ids, bos, eos, pad):
    n = torch.count_nonzero(target_ids, dim=1)
    labels = F.pad(target_ids, (0, 1), value=pad)
    labels[torch.arange(len(labels)), n] = eos
    return F.pad(labels[:, :-1], (1, 0), value=bos), labels


# === wrong signs-written-in
def shift_constants(target_ids, bos, eos, pad):
    BOS, EOS = 1, 2
    f = framed(target_ids, BOS, EOS, pad)
    return f[:, :-1], f[:, 1:]


# === wrong begins-with-eos
def shift_like_bart(target_ids, bos, eos, pad):
    f = framed(target_ids, eos, eos, pad)
    return f[:, :-1], f[:, 1:]


# === wrong wrong-shape
def shift_widths(target_ids, bos, eos, pad):
    f = framed(target_ids, bos, eos, pad)
    return f, f[:, 1:]


# === wrong one-thing-only
def shift_only_framed(target_ids, bos, eos, pad):
    return framed(target_ids, bos, eos, pad)


# === wrong one-thing-only
def shift_only_labels(target_ids, bos, eos, pad):
    return framed(target_ids, bos, eos, pad)[:, 1:]


# === wrong one-thing-only
def shift_stacked(target_ids, bos, eos, pad):
    f = framed(target_ids, bos, eos, pad)
    return torch.stack([f[:, :-1], f[:, 1:]], dim=1)


# === wrong not-tensors
def shift_lists(target_ids, bos, eos, pad):
    f = framed(target_ids, bos, eos, pad)
    return f[:, :-1].tolist(), f[:, 1:].tolist()


# === wrong returns-numpy
def shift_numpy(target_ids, bos, eos, pad):
    f = framed(target_ids, bos, eos, pad).numpy()
    return f[:, :-1], f[:, 1:]


# === wrong returns-another-kind
def shift_three(target_ids, bos, eos, pad):
    f = framed(target_ids, bos, eos, pad)
    return f[:, :-1], f[:, 1:], (target_ids != pad).sum(1)


# === wrong returns-a-dict
def shift_dict(target_ids, bos, eos, pad):
    f = framed(target_ids, bos, eos, pad)
    return {"decoder_input_ids": f[:, :-1], "labels": f[:, 1:]}


# === wrong returns-none
def shift_nothing(target_ids, bos, eos, pad):
    f = framed(target_ids, bos, eos, pad)
    inputs, labels = f[:, :-1], f[:, 1:]


# === wrong prints
def shift_prints(target_ids, bos, eos, pad):
    f = framed(target_ids, bos, eos, pad)
    print(f[:, :-1], f[:, 1:])


# === wrong writes-into-argument
def shift_in_place(target_ids, bos, eos, pad):
    f = framed(target_ids, bos, eos, pad)
    target_ids[target_ids == pad] = -1
    return f[:, :-1], f[:, 1:]


# === wrong not-whole
def shift_floats(target_ids, bos, eos, pad):
    B, T = target_ids.shape
    f = torch.ones(B, T + 2) * framed(target_ids, bos, eos, pad)
    return f[:, :-1], f[:, 1:]


# === wrong memory-layout
def shift_view(target_ids, bos, eos, pad):
    target_ids.view(-1)
    f = framed(target_ids, bos, eos, pad)
    return f[:, :-1], f[:, 1:]


# === wrong wrong-at-the-edge
def shift_needs_a_word(target_ids, bos, eos, pad):
    n = (target_ids != pad).sum(1).clamp(min=1)
    labels = F.pad(target_ids, (0, 1), value=pad)
    labels[torch.arange(len(labels)), n] = eos
    return F.pad(labels[:, :-1], (1, 0), value=bos), labels


# === wrong wrong-labels
def shift_one_row_only(target_ids, bos, eos, pad):
    f = framed(target_ids, bos, eos, pad)
    labels = f[:, 1:].clone()
    labels[1:, 0] = pad
    return f[:, :-1], labels


# === wrong wrong-inputs
def shift_unknown_inputs(target_ids, bos, eos, pad):
    f = framed(target_ids, bos, eos, pad)
    inputs = f[:, :-1].clone()
    inputs[:, 1] = inputs[:, 0]
    return inputs, f[:, 1:]


# === wrong raises
def shift_shapes(target_ids, bos, eos, pad):
    return torch.cat([torch.tensor([bos]), target_ids]), torch.cat([target_ids, torch.tensor([eos])])


# === wrong eos-behind-the-padding + bos-missing
def shift_two_slips(target_ids, bos, eos, pad):
    inputs = F.pad(target_ids, (1, 0), value=pad)
    labels = F.pad(target_ids, (0, 1), value=eos)
    return inputs, labels


# === wrong bos-among-the-labels
def shift_lists_the_wrong_way_round(target_ids, bos, eos, pad):
    ins, outs = [], []
    for row in target_ids.tolist():
        words = [w for w in row if w != pad]
        n = len(row) - len(words)
        ins.append(words + [eos] + [pad] * n)
        outs.append([bos] + words + [pad] * n)
    return torch.tensor(ins), torch.tensor(outs)


# === wrong eos-behind-the-padding
def fresh_eos_at_end(target_ids, bos, eos, pad):
    B = len(target_ids)
    b, e = target_ids.new_full((B, 1), bos), target_ids.new_full((B, 1), eos)
    return torch.cat([b, target_ids], 1), torch.cat([target_ids, e], 1)


# === wrong padding-is-zero
def fresh_zero_pad(target_ids, bos, eos, pad):
    B = len(target_ids)
    n = (target_ids > 0).sum(1)
    labels = torch.cat([target_ids, target_ids.new_full((B, 1), pad)], 1)
    labels[torch.arange(B), n] = eos
    return torch.cat([target_ids.new_full((B, 1), bos), labels[:, :-1]], 1), labels


# === right
def fresh_rows(target_ids, bos, eos, pad):
    ins, outs = [], []
    T = target_ids.shape[1]
    for row in target_ids.tolist():
        words = [w for w in row if w != pad]
        fill = [pad] * (T - len(words))
        ins.append([bos, *words, *fill])
        outs.append([*words, eos, *fill])
    return torch.tensor(ins), torch.tensor(outs)


# === wrong eos-twice
def blind_b1(target_ids, bos, eos, pad):
    B, T = target_ids.shape
    inputs = torch.cat([torch.full((B, 1), bos), target_ids], 1)
    labels = torch.cat([target_ids, torch.full((B, 1), eos)], 1)
    n = (target_ids != pad).sum(1)
    labels[torch.arange(B), n] = eos
    return inputs, labels


# === wrong inputs-one-ahead
def blind_b3(target_ids, bos, eos, pad):
    B, T = target_ids.shape
    labels = torch.cat([target_ids, torch.full((B, 1), pad)], 1)
    labels[torch.arange(B), (target_ids != pad).sum(1)] = eos
    inputs = torch.cat([torch.full((B, 1), bos), labels[:, 1:]], 1)
    return inputs, labels


# === wrong bos-for-the-first-word
def blind_n2(target_ids, bos, eos, pad):
    B, T = target_ids.shape
    n = (target_ids != pad).sum(1)
    labels = torch.full((B, T + 1), pad)
    inputs = torch.full((B, T + 1), pad)
    for i in range(B):
        labels[i, : n[i]] = target_ids[i, : n[i]]
        labels[i, n[i]] = eos
        inputs[i, : n[i]] = target_ids[i, : n[i]]
        inputs[i, 0] = bos
    return inputs, labels
