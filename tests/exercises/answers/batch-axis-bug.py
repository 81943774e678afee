"""Answers to batch-axis-bug, as readers write them; `verdicts.py` says how to read this file."""
# ruff: noqa (this is how people write)

import torch


# === right
def add_in_one_line(x, encoding):
    return x + encoding[: x.size(1)]


# === right
def add_with_an_axis_for_the_batch(x, encoding):
    B, T, D = x.shape
    return x + encoding[:T].unsqueeze(0).expand(B, T, D)


# === right
def add_by_loops(x, encoding):
    return torch.stack([torch.stack([word + encoding[t] for t, word in enumerate(sentence)]) for sentence in x])


# === right
def add_by_looking_up(x, encoding):
    return x + encoding[torch.arange(x.shape[-2])]


# === right
def add_into_a_clone(x, encoding):
    result = x.clone()
    for t in range(x.shape[1]):
        result[:, t] += encoding[t]
    return result


# === right
def add_by_narrow(x, encoding):
    return torch.add(x, encoding.narrow(0, 0, x.shape[1])[None])


# === right
def add_with_the_words_in_front(x, encoding):
    words_first = x.transpose(0, 1)
    return (words_first + encoding[: len(words_first), None]).transpose(0, 1)


# === wrong along-the-batch
def add_along_the_batch(x, encoding):
    return x + encoding[: x.size(0)].unsqueeze(1)


# === wrong along-the-batch
def add_along_the_batch_2(x, encoding):
    B, T, D = x.shape
    positions = torch.arange(B)[:, None].expand(B, T)
    return x + encoding[positions]


# === wrong as-many-as-sentences
def add_as_many_as_sentences(x, encoding):
    return x + encoding[: len(x)]


# === wrong whole-table
def add_whole_table(x, encoding):
    return x + encoding.unsqueeze(0)


# === wrong as-many-as-features
def add_as_many_as_features(x, encoding):
    return x + encoding[: x.size(-1)]


# === wrong one-row-for-all
def add_one_row(x, encoding):
    return x + encoding[:1]


# === wrong row-of-the-length
def add_t(x, encoding):
    T = x.shape[1]
    return x + encoding[T]


# === wrong starts-at-one
def add_from_one(x, encoding):
    return x + encoding[torch.arange(1, x.shape[1] + 1)]


# === wrong last-word-left-out
def add_one_short(x, encoding):
    out = x.clone()
    for t in range(x.shape[1] - 1):
        out[:, t] = x[:, t] + encoding[t]
    return out


# === wrong writes-into-argument
def add_in_place(x, encoding):
    for t in range(x.shape[1]):
        x[:, t] += encoding[t]
    return x


# === wrong gradient-cut
def add_detached(x, encoding):
    return x + encoding[: x.shape[1]].detach()


# === wrong no-gradient
def add_through_numpy(x, encoding):
    return torch.from_numpy(x.detach().numpy() + encoding.detach().numpy()[: x.shape[1]])


# === wrong changes-dtype
def add_float(x, encoding):
    pe = torch.zeros(x.shape)
    pe[:] = encoding[: x.shape[1]]
    return x.float() + pe


# === wrong returns-none
def add_nothing(x, encoding):
    x + encoding[: x.shape[1]]


# === wrong wrong-shape
def add_only_rows(x, encoding):
    return encoding[: x.shape[1]]


# === wrong ignores-an-argument
def add_nothing_at_all(x, encoding):
    return x


# === wrong prints
def add_printed(x, encoding):
    print(x + encoding[: x.shape[1]])


# === wrong transposed
def add_words_in_front(x, encoding):
    words_first = x.transpose(0, 1)
    return words_first + encoding[: len(words_first), None]


# === wrong factor
def add_averaged(x, encoding):
    return (x + encoding[: x.shape[1]]) / 2


# === wrong normalised
def add_normalised(x, encoding):
    out = x + encoding[: x.shape[1]]
    return out / out.norm(dim=-1, keepdim=True)


# === wrong returns-a-list
def add_list(x, encoding):
    return [sentence + encoding[: x.shape[1]] for sentence in x]


# === wrong cut-short
def add_first_sentence(x, encoding):
    return x[0] + encoding[: x.shape[1]]


# === wrong fails-at-the-edge
def batch_axis_bug_only_32_unseen_3(x, encoding):
    return x + encoding[:32][: x.shape[1]]


# === wrong axis-left-in
def positions_slice_mended_none_left(x, encoding):
    return x + encoding[: x.shape[1], None]


# === wrong last-rows
def fresh_minus(x, encoding):
    return x + encoding[-x.shape[1] :]


# === wrong unknown
def fresh_first(x, encoding):
    return x + encoding[: x.shape[1]].sum(0)


# === right
def fresh_gather(x, encoding):
    return x + encoding.index_select(0, torch.arange(x.shape[1], device=x.device))
