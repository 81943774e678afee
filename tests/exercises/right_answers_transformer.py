"""Right answers to the exercise on the whole Transformer, as different people write them; see `right_answers`."""
# ruff: noqa (this is how people write)

import torch
import torch.nn.functional as F
from right_answers import right
from torch.nn.utils.rnn import pad_sequence


@right("teacher-forcing")
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


@right("teacher-forcing")
def shift_by_framing_and_cutting(target_ids, bos, eos, pad):
    rows = [torch.tensor([bos, *row[row != pad].tolist(), eos]) for row in target_ids]
    framed = pad_sequence(rows, batch_first=True, padding_value=pad)
    framed = F.pad(framed, (0, target_ids.shape[1] + 2 - framed.shape[1]), value=pad)
    return framed[:, :-1], framed[:, 1:]


@right("teacher-forcing")
def shift_by_where(target_ids, bos, eos, pad):
    B, T = target_ids.shape
    n = (target_ids != pad).sum(-1)
    wide = torch.cat([target_ids, target_ids.new_full((B, 1), pad)], -1)
    end = torch.arange(T + 1) == n[:, None]
    labels = torch.where(end, eos, wide)
    inputs = torch.cat(
        [target_ids.new_full((B, 1), bos), target_ids], -1
    )  # without <eos>
    return inputs, labels


@right("teacher-forcing")
def shift_by_roll(target_ids, bos, eos, pad):
    wide = F.pad(target_ids, (0, 1), value=pad)
    n = (target_ids != pad).sum(1)
    labels = wide.clone()
    labels[torch.arange(len(wide)), n] = eos
    inputs = wide.roll(1, dims=1)
    inputs[:, 0] = bos
    return inputs, labels


@right("teacher-forcing")
def shift_with_the_first_padding(target_ids, bos, eos, pad):
    labels = F.pad(target_ids, (0, 1), value=pad)
    first = (labels == pad).int().argmax(dim=1)
    labels = labels.scatter(1, first.unsqueeze(1), torch.full((len(labels), 1), eos))
    inputs = F.pad(labels[:, :-1], (1, 0), value=bos)
    return inputs, labels


@right("teacher-forcing")
def shift_with_cumsum(target_ids, bos, eos, pad):
    wide = F.pad(target_ids, (0, 1), value=pad)
    is_pad = wide == pad
    labels = wide.masked_fill(is_pad & (is_pad.cumsum(1) == 1), eos)
    inputs = F.pad(target_ids, (1, 0), value=bos)
    return [inputs, labels]


@right("teacher-forcing")
def shift_by_one_hot(target_ids, bos, eos, pad):
    T = target_ids.shape[1]
    wide = torch.hstack([target_ids, torch.full_like(target_ids[:, :1], pad)])
    end = F.one_hot((target_ids != pad).sum(1), T + 1)
    labels = wide * (1 - end) + eos * end
    return torch.hstack(
        [torch.full_like(target_ids[:, :1], bos), labels[:, :T]]
    ), labels


@right("teacher-forcing")
def shift_from_lists(target_ids, bos, eos, pad):
    T = target_ids.size(1)
    inputs, labels = [], []
    for row in target_ids.tolist():
        words = row[: row.index(pad)] if pad in row else row
        inputs.append([bos] + words + [pad] * (T - len(words)))
        labels.append(words + [eos] + [pad] * (T - len(words)))
    return torch.tensor(inputs), torch.tensor(labels)


@right("teacher-forcing")
def shift_stacked(target_ids, bos, eos, pad):
    wide = F.pad(target_ids, (0, 1), value=pad)
    labels = wide.scatter(1, (target_ids != pad).sum(1)[:, None], eos)
    return torch.stack(
        [F.pad(labels[:, :-1], (1, 0), value=bos), labels]
    )  # can be taken apart, too
