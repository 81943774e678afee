"""Wrong answers to the exercise on the whole Transformer, as readers write them, with the diagnosis each should hear."""
# ruff: noqa (this is how people write)

import torch
import torch.nn.functional as F
from wrong_answers import wrong


def framed(target_ids, bos, eos, pad):
    B, T = target_ids.shape
    out = torch.full((B, T + 2), pad)
    for b in range(B):
        words = target_ids[b][target_ids[b] != pad]
        out[b, 0] = bos
        out[b, 1 : len(words) + 1] = words
        out[b, len(words) + 1] = eos
    return out


@wrong("teacher-forcing", "eos-behind-the-padding")
def shift_naive_cat(target_ids, bos, eos, pad):
    B = target_ids.shape[0]
    inputs = torch.cat([torch.full((B, 1), bos), target_ids], dim=1)
    labels = torch.cat([target_ids, torch.full((B, 1), eos)], dim=1)
    return inputs, labels


@wrong("teacher-forcing", "last-word-never-fed")
def shift_no_room(target_ids, bos, eos, pad):
    inputs = torch.cat(
        [torch.full((len(target_ids), 1), bos), target_ids[:, :-1]], dim=1
    )
    return inputs, target_ids


@wrong("teacher-forcing", "not-shifted")
def shift_same(target_ids, bos, eos, pad):
    x = framed(target_ids, bos, eos, pad)[:, :-1]
    return x, x.clone()


@wrong("teacher-forcing", "inputs-not-shifted")
def shift_same_labels(target_ids, bos, eos, pad):
    x = framed(target_ids, bos, eos, pad)[:, 1:]
    return x, x


@wrong("teacher-forcing", "shifted-the-other-way")
def shift_swapped(target_ids, bos, eos, pad):
    f = framed(target_ids, bos, eos, pad)
    labels, inputs = f[:, :-1], f[:, 1:]
    return inputs, labels


@wrong("teacher-forcing", "last-word-overwritten")
def shift_off_by_one(target_ids, bos, eos, pad):
    n = (target_ids != pad).sum(1) - 1
    labels = F.pad(target_ids, (0, 1), value=pad)
    labels[torch.arange(len(labels)), n] = eos
    return F.pad(labels[:, :-1], (1, 0), value=bos), labels


@wrong("teacher-forcing", "eos-missing")
def shift_no_eos(target_ids, bos, eos, pad):
    wide = F.pad(target_ids, (0, 1), value=pad)
    inputs = wide.roll(1, 1)
    inputs[:, 0] = bos
    return inputs, wide


@wrong("teacher-forcing", "padding-becomes-eos")
def shift_all_eos(target_ids, bos, eos, pad):
    labels = F.pad(target_ids, (0, 1), value=pad)
    labels = torch.where(labels == pad, eos, labels)
    return F.pad(target_ids, (1, 0), value=bos), labels


@wrong("teacher-forcing", "ignore-index")
def shift_minus_hundred(target_ids, bos, eos, pad):
    f = framed(target_ids, bos, eos, pad)
    labels = f[:, 1:].masked_fill(f[:, 1:] == pad, -100)
    return f[:, :-1], labels


@wrong("teacher-forcing", "wrapped-around")
def shift_rolled(target_ids, bos, eos, pad):
    f = framed(target_ids, bos, eos, pad)[:, :-1]
    return f, torch.roll(f, -1, 1)


@wrong("teacher-forcing", "first-word-never-asked")
def shift_without_bos(target_ids, bos, eos, pad):
    f = framed(target_ids, bos, eos, pad)[:, 1:]
    return f[:, :-1], f[:, 1:]


@wrong("teacher-forcing", "padding-is-zero")
def shift_nonzero(target_ids, bos, eos, pad):
    n = torch.count_nonzero(target_ids, dim=1)
    labels = F.pad(target_ids, (0, 1), value=pad)
    labels[torch.arange(len(labels)), n] = eos
    return F.pad(labels[:, :-1], (1, 0), value=bos), labels


@wrong("teacher-forcing", "signs-written-in")
def shift_constants(target_ids, bos, eos, pad):
    BOS, EOS = 1, 2
    f = framed(target_ids, BOS, EOS, pad)
    return f[:, :-1], f[:, 1:]


@wrong("teacher-forcing", "begins-with-eos")
def shift_like_bart(target_ids, bos, eos, pad):
    f = framed(target_ids, eos, eos, pad)
    return f[:, :-1], f[:, 1:]


@wrong("teacher-forcing", "different-widths")
def shift_widths(target_ids, bos, eos, pad):
    f = framed(target_ids, bos, eos, pad)
    return f, f[:, 1:]


@wrong("teacher-forcing", "framed-only")
def shift_only_framed(target_ids, bos, eos, pad):
    return framed(target_ids, bos, eos, pad)


@wrong("teacher-forcing", "labels-only")
def shift_only_labels(target_ids, bos, eos, pad):
    return framed(target_ids, bos, eos, pad)[:, 1:]


@wrong("teacher-forcing", "one-tensor")
def shift_stacked(target_ids, bos, eos, pad):
    f = framed(target_ids, bos, eos, pad)
    return torch.stack([f[:, :-1], f[:, 1:]], dim=1)


@wrong("teacher-forcing", "not-tensors")
def shift_lists(target_ids, bos, eos, pad):
    f = framed(target_ids, bos, eos, pad)
    return f[:, :-1].tolist(), f[:, 1:].tolist()


@wrong("teacher-forcing", "returns-numpy")
def shift_numpy(target_ids, bos, eos, pad):
    f = framed(target_ids, bos, eos, pad).numpy()
    return f[:, :-1], f[:, 1:]


@wrong("teacher-forcing", "not-a-pair")
def shift_three(target_ids, bos, eos, pad):
    f = framed(target_ids, bos, eos, pad)
    return f[:, :-1], f[:, 1:], (target_ids != pad).sum(1)


@wrong("teacher-forcing", "returns-a-dict")
def shift_dict(target_ids, bos, eos, pad):
    f = framed(target_ids, bos, eos, pad)
    return {"decoder_input_ids": f[:, :-1], "labels": f[:, 1:]}


@wrong("teacher-forcing", "returns-none")
def shift_nothing(target_ids, bos, eos, pad):
    f = framed(target_ids, bos, eos, pad)
    inputs, labels = f[:, :-1], f[:, 1:]


@wrong("teacher-forcing", "prints")
def shift_prints(target_ids, bos, eos, pad):
    f = framed(target_ids, bos, eos, pad)
    print(f[:, :-1], f[:, 1:])


@wrong("teacher-forcing", "writes-into-argument")
def shift_in_place(target_ids, bos, eos, pad):
    f = framed(target_ids, bos, eos, pad)
    target_ids[target_ids == pad] = -1
    return f[:, :-1], f[:, 1:]


@wrong("teacher-forcing", "not-whole")
def shift_floats(target_ids, bos, eos, pad):
    B, T = target_ids.shape
    f = torch.ones(B, T + 2) * framed(target_ids, bos, eos, pad)
    return f[:, :-1], f[:, 1:]


@wrong("teacher-forcing", "memory-layout")
def shift_view(target_ids, bos, eos, pad):
    target_ids.view(-1)
    f = framed(target_ids, bos, eos, pad)
    return f[:, :-1], f[:, 1:]


@wrong("teacher-forcing", "wrong-at-the-edge")
def shift_needs_a_word(target_ids, bos, eos, pad):
    n = (target_ids != pad).sum(1).clamp(min=1)
    labels = F.pad(target_ids, (0, 1), value=pad)
    labels[torch.arange(len(labels)), n] = eos
    return F.pad(labels[:, :-1], (1, 0), value=bos), labels


@wrong("teacher-forcing", "wrong-labels")
def shift_one_row_only(target_ids, bos, eos, pad):
    f = framed(target_ids, bos, eos, pad)
    labels = f[:, 1:].clone()
    labels[1:, 0] = pad
    return f[:, :-1], labels


@wrong("teacher-forcing", "wrong-inputs")
def shift_unknown_inputs(target_ids, bos, eos, pad):
    f = framed(target_ids, bos, eos, pad)
    inputs = f[:, :-1].clone()
    inputs[:, 1] = inputs[:, 0]
    return inputs, f[:, 1:]


@wrong("teacher-forcing", "raises")
def shift_shapes(target_ids, bos, eos, pad):
    return torch.cat([torch.tensor([bos]), target_ids]), torch.cat(
        [target_ids, torch.tensor([eos])]
    )


@wrong("teacher-forcing", "eos-behind-the-padding + bos-missing")
def shift_two_slips(target_ids, bos, eos, pad):
    inputs = F.pad(target_ids, (1, 0), value=pad)
    labels = F.pad(target_ids, (0, 1), value=eos)
    return inputs, labels
