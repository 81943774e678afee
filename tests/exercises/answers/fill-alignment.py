"""Answers to fill-alignment, as readers write them; `verdicts.py` says how to read this file."""
# ruff: noqa (this is how people write)

import numpy as np
import torch


# === right
def alignment_by_loops(weights, source_len):
    links = []
    for row in weights:
        best = 0
        for i in range(source_len):
            if row[i] > row[best]:
                best = i
        links.append(best)
    return links


# === right
def alignment_by_max(weights, source_len):
    return [row[:source_len].index(max(row[:source_len])) for row in weights.tolist()]


# === right
def alignment_with_minus_infinity(weights, source_len):
    padding = torch.arange(weights.shape[1], device=weights.device) >= source_len
    return weights.masked_fill(padding, -torch.inf).max(-1).indices.tolist()


# === right
def alignment_with_numpy(weights, source_len):
    table = np.array(weights.tolist())[:, :source_len]
    return table.argmax(axis=1).tolist()


# === right
def alignment_by_topk(weights, source_len):
    return [
        int(i)
        for i in weights.narrow(1, 0, source_len).topk(1, dim=1).indices.flatten()
    ]


# === right
def alignment_by_sorting(weights, source_len):
    rows = (
        weights.detach().cpu().numpy()
        if weights.device.type == "cpu"
        else np.array(weights.tolist())
    )
    return [max(range(source_len), key=lambda i: row[i]) for row in rows]


# === right
def alignment_of_the_book(weights, source_len):
    from attnbook.translation.word_alignment import hard_alignment

    links = {j: i for i, j in hard_alignment(weights[:, :source_len])}
    return [links[j] for j in range(len(weights))]


# === wrong padding-chosen
def alignment_of_all(weights, source_len):
    return torch.argmax(weights, dim=-1).tolist()


# === wrong one-number
def alignment_without_dim(weights, source_len):
    return weights[:, :source_len].argmax().item()


# === wrong over-the-target-words
def alignment_of_columns(weights, source_len):
    return weights[:, :source_len].argmax(dim=0).tolist()


# === wrong padding-chosen + over-the-target-words
def alignment_of_all_columns(weights, source_len):
    return weights.argmax(dim=0).tolist()


# === wrong rows-cut
def alignment_cuts_rows(weights, source_len):
    return weights[:source_len].argmax(-1).tolist()


# === wrong a-tensor
def alignment_as_a_tensor(weights, source_len):
    return torch.argmax(weights[:, :source_len], 1)


# === wrong tensors-inside
def alignment_of_tensors(weights, source_len):
    return [row[:source_len].argmax() for row in weights]


# === wrong tensors-inside
def alignment_of_numpy_numbers(weights, source_len):
    return list(np.argmax(weights.numpy()[:, :source_len], axis=1))


# === wrong an-array
def alignment_as_an_array(weights, source_len):
    return weights.numpy()[:, :source_len].argmax(1)


# === wrong a-tuple
def alignment_as_a_tuple(weights, source_len):
    return tuple(weights[:, :source_len].argmax(1).tolist())


# === wrong returns-another-kind
def alignment_of_values(weights, source_len):
    return weights[:, :source_len].max(dim=1)[0].tolist()


# === wrong returns-a-tuple
def alignment_with_values(weights, source_len):
    values, indices = weights[:, :source_len].max(dim=1)
    return values.tolist(), indices.tolist()


# === wrong returns-a-tuple
def alignment_both(weights, source_len):
    values, indices = weights[:, :source_len].max(dim=1)
    return indices.tolist(), values.tolist()


# === wrong counted-from-one
def alignment_from_one(weights, source_len):
    return [1 + max(range(source_len), key=row.__getitem__) for row in weights.tolist()]


# === wrong last-word-left-out
def alignment_without_the_last(weights, source_len):
    best = []
    for row in weights.tolist():
        at = 0
        for i in range(source_len - 1):
            at = i if row[i] > row[at] else at
        best.append(at)
    return best


# === wrong one-column-too-many
def alignment_with_the_first_padding(weights, source_len):
    return weights[:, : source_len + 1].argmax(1).tolist()


# === wrong unknown
def alignment_by_the_last_word(weights, source_len):
    return [weights[-1, :source_len].argmax().item()] * len(weights)


# === wrong ignores-an-argument
def alignment_returns_early(weights, source_len):
    for row in weights:
        return [row[:source_len].argmax().item()]


# === wrong prints
def alignment_prints(weights, source_len):
    print(weights[:, :source_len].argmax(1).tolist())


# === wrong returns-a-tuple
def alignment_as_pairs(weights, source_len):
    return [(int(i), j) for j, i in enumerate(weights[:, :source_len].argmax(1))]


# === wrong returns-another-kind
def alignment_as_a_dictionary(weights, source_len):
    return {j: int(i) for j, i in enumerate(weights[:, :source_len].argmax(1))}


# === wrong padding-as-minus-one
def alignment_minus_one_for_padding(weights, source_len):
    return [i if i < source_len else -1 for i in weights.argmax(1).tolist()]


# === wrong unknown
def alignment_modulo(weights, source_len):
    return [i % source_len for i in weights.argmax(1).tolist()]


# === wrong returns-none
def alignment_forgets_return(weights, source_len):
    weights[:, :source_len].argmax(1).tolist()


# === wrong writes-into-argument
def alignment_zeroes_in_place(weights, source_len):
    weights[:, source_len:] = 0
    return weights.argmax(1).tolist()


# === wrong unknown
def alignment_subtracts_the_length(weights, source_len):
    return (weights[:, :source_len].argmax(1) - source_len).tolist()
