"""Answers to bits-per-byte, as readers write them; `verdicts.py` says how to read this file."""
# ruff: noqa (this is how people write)

import math

import torch
import torch.nn.functional as F


def per_token(logits, tokens):
    return F.cross_entropy(logits[:, :-1].transpose(1, 2), tokens[:, 1:], reduction="none") / math.log(2)


def kept(tokens, lens):
    return torch.arange(tokens.shape[1])[None, 1:] < lens[:, None]


# === right
def bpb_by_cross_entropy(logits, tokens, lens, sizes):
    real = kept(tokens, lens)
    return (per_token(logits, tokens) * real).sum() / (sizes[tokens[:, 1:]] * real).sum().clamp(min=1)


# === right
def bpb_selected(logits, tokens, lens, sizes):
    real = kept(tokens, lens)
    asked = tokens[:, 1:][real]
    if len(asked) == 0:
        return logits.sum() * 0
    return F.cross_entropy(logits[:, :-1][real], asked, reduction="sum") / math.log(2) / sizes[asked].sum()


# === right
def bpb_by_loops(logits, tokens, lens, sizes):
    bits, size = logits.sum() * 0, 0
    for row, text, n in zip(logits, tokens, lens.tolist()):
        for t in range(n - 1):
            bits = bits + (row[t].logsumexp(0) - row[t, text[t + 1]]) / math.log(2)
            size += int(sizes[text[t + 1]])
    return bits / max(size, 1)


# === right
def bpb_ignore_index(logits, tokens, lens, sizes):
    target = tokens[:, 1:].clone()
    target[~kept(tokens, lens)] = -100
    nats = F.cross_entropy(logits[:, :-1].flatten(0, 1), target.flatten(), ignore_index=-100, reduction="sum")
    size = sizes[tokens[:, 1:][target != -100]].sum()
    return nats / (max(int(size), 1) * math.log(2))


# === right
def bpb_log2(logits, tokens, lens, sizes):
    log_p = torch.log_softmax(logits, -1) / torch.log(torch.tensor(2.0, dtype=logits.dtype))
    own = torch.gather(log_p[:, :-1], 2, tokens[:, 1:].unsqueeze(2)).squeeze(2)
    where = kept(tokens, lens).to(logits.dtype)
    size = (sizes[tokens[:, 1:]] * where).sum()
    return -(own * where).sum() / torch.maximum(size, torch.ones_like(size))


# === right
def bpb_where(logits, tokens, lens, sizes):
    real = kept(tokens, lens)
    cost = torch.where(real, per_token(logits, tokens), 0.0).sum()
    size = torch.where(real, sizes[tokens[:, 1:]], 0).sum()
    return cost / size if size > 0 else cost


# === wrong nats
def bpb_in_nats(logits, tokens, lens, sizes):
    real = kept(tokens, lens)
    nats = F.cross_entropy(logits[:, :-1].transpose(1, 2), tokens[:, 1:], reduction="none")
    return (nats * real).sum() / (sizes[tokens[:, 1:]] * real).sum().clamp(min=1)


# === wrong log10
def bpb_log10(logits, tokens, lens, sizes):
    real = kept(tokens, lens)
    cost = per_token(logits, tokens) * math.log(2) / math.log(10)
    return (cost * real).sum() / (sizes[tokens[:, 1:]] * real).sum().clamp(min=1)


# === wrong times-log-2
def bpb_times(logits, tokens, lens, sizes):
    real = kept(tokens, lens)
    nats = F.cross_entropy(logits[:, :-1].transpose(1, 2), tokens[:, 1:], reduction="none")
    return (nats * real).sum() * math.log(2) / (sizes[tokens[:, 1:]] * real).sum().clamp(min=1)


# === wrong log-likelihood
def bpb_likelihood(logits, tokens, lens, sizes):
    real = kept(tokens, lens)
    return -(per_token(logits, tokens) * real).sum() / (sizes[tokens[:, 1:]] * real).sum().clamp(min=1)


# === wrong not-shifted
def bpb_unshifted(logits, tokens, lens, sizes):
    bits = F.cross_entropy(logits.transpose(1, 2), tokens, reduction="none")[:, 1:] / math.log(2)
    real = kept(tokens, lens)
    return (bits * real).sum() / (sizes[tokens[:, 1:]] * real).sum().clamp(min=1)


# === wrong shifted-the-other-way
def bpb_backwards(logits, tokens, lens, sizes):
    bits = F.cross_entropy(logits[:, 1:].transpose(1, 2), tokens[:, :-1], reduction="none") / math.log(2)
    real = kept(tokens, lens)
    return (bits * real).sum() / (sizes[tokens[:, :-1]] * real).sum().clamp(min=1)


# === wrong bytes-of-what-is-read
def bpb_bytes_read(logits, tokens, lens, sizes):
    real = kept(tokens, lens)
    return (per_token(logits, tokens) * real).sum() / (sizes[tokens[:, :-1]] * real).sum().clamp(min=1)


# === wrong first-bytes-counted
def bpb_whole_text(logits, tokens, lens, sizes):
    whole = torch.arange(tokens.shape[1]) < lens[:, None]
    return (per_token(logits, tokens) * kept(tokens, lens)).sum() / (sizes[tokens] * whole).sum()


# === wrong padding-counted
def bpb_of_everything(logits, tokens, lens, sizes):
    return per_token(logits, tokens).sum() / sizes[tokens[:, 1:]].sum()


# === wrong padding-bytes-counted
def bpb_all_bytes(logits, tokens, lens, sizes):
    return (per_token(logits, tokens) * kept(tokens, lens)).sum() / sizes[tokens[:, 1:]].sum()


# === wrong padding-bits-counted
def bpb_all_bits(logits, tokens, lens, sizes):
    return per_token(logits, tokens).sum() / (sizes[tokens[:, 1:]] * kept(tokens, lens)).sum().clamp(min=1)


# === wrong one-too-many
def bpb_of_lens_targets(logits, tokens, lens, sizes):
    real = torch.arange(tokens.shape[1] - 1) < lens[:, None]
    return (per_token(logits, tokens) * real).sum() / (sizes[tokens[:, 1:]] * real).sum().clamp(min=1)


# === wrong one-too-few
def bpb_short(logits, tokens, lens, sizes):
    real = torch.arange(tokens.shape[1] - 1) < (lens - 2)[:, None]
    return (per_token(logits, tokens) * real).sum() / (sizes[tokens[:, 1:]] * real).sum().clamp(min=1)


# === wrong bits-per-token
def bpb_per_token(logits, tokens, lens, sizes):
    real = kept(tokens, lens)
    return (per_token(logits, tokens) * real).sum() / real.sum().clamp(min=1)


# === wrong mean-of-texts
def bpb_by_text(logits, tokens, lens, sizes):
    real = kept(tokens, lens)
    each = (per_token(logits, tokens) * real).sum(1) / (sizes[tokens[:, 1:]] * real).sum(1).clamp(min=1)
    return each.mean()


# === wrong mean-of-tokens
def bpb_by_token(logits, tokens, lens, sizes):
    real = kept(tokens, lens)
    each = per_token(logits, tokens) / sizes[tokens[:, 1:]]
    return (each * real).sum() / real.sum().clamp(min=1)


# === wrong no-bytes
def bpb_bits(logits, tokens, lens, sizes):
    return (per_token(logits, tokens) * kept(tokens, lens)).sum()


# === wrong softmax-over-positions
def bpb_dim_one(logits, tokens, lens, sizes):
    real = kept(tokens, lens)
    log_p = logits[:, :-1].log_softmax(1)
    bits = -log_p.gather(-1, tokens[:, 1:, None])[..., 0] / math.log(2)
    return (bits * real).sum() / (sizes[tokens[:, 1:]] * real).sum().clamp(min=1)


# === wrong softmax-twice
def bpb_softmaxed(logits, tokens, lens, sizes):
    real = kept(tokens, lens)
    return (per_token(logits.softmax(-1), tokens) * real).sum() / (sizes[tokens[:, 1:]] * real).sum().clamp(min=1)


# === wrong log-of-softmax
def bpb_log_of_softmax(logits, tokens, lens, sizes):
    p = logits[:, :-1].softmax(-1).gather(-1, tokens[:, 1:, None])[..., 0]
    real = kept(tokens, lens)
    bits = torch.where(real, -torch.log2(p), 0.0)
    return bits.sum() / (sizes[tokens[:, 1:]] * real).sum().clamp(min=1)


# === wrong nan-without-tokens
def bpb_unguarded(logits, tokens, lens, sizes):
    real = kept(tokens, lens)
    return (per_token(logits, tokens) * real).sum() / (sizes[tokens[:, 1:]] * real).sum()


# === wrong returns-a-number
def bpb_item(logits, tokens, lens, sizes):
    real = kept(tokens, lens)
    return ((per_token(logits, tokens) * real).sum() / (sizes[tokens[:, 1:]] * real).sum().clamp(min=1)).item()


# === wrong not-shifted
def own_place_all(logits, tokens, lens, sizes):
    real = torch.arange(tokens.shape[1]) < lens[:, None]
    nats = F.cross_entropy(logits.transpose(1, 2), tokens, reduction="none")
    return (nats * real).sum() / math.log(2) / (sizes[tokens] * real).sum()


# === wrong not-shifted
def own_place_all_but_first_bytes(logits, tokens, lens, sizes):
    real = torch.arange(tokens.shape[1]) < lens[:, None]
    nats = F.cross_entropy(logits.transpose(1, 2), tokens, reduction="none")
    return (nats * real).sum() / math.log(2) / (sizes[tokens[:, 1:]] * real[:, 1:]).sum().clamp(min=1)


# === wrong not-shifted
def own_place_cut_last(logits, tokens, lens, sizes):
    real = kept(tokens, lens)
    nats = F.cross_entropy(logits[:, :-1].transpose(1, 2), tokens[:, :-1], reduction="none")
    return (nats * real).sum() / math.log(2) / (sizes[tokens[:, :-1]] * real).sum().clamp(min=1)


# === wrong mean-of-texts
def mean_of_nonempty(logits, tokens, lens, sizes):
    real = kept(tokens, lens)
    some = real.any(1)
    if not some.any():
        return logits.sum() * 0
    b = (per_token(logits, tokens) * real).sum(1)[some]
    n = (sizes[tokens[:, 1:]] * real).sum(1)[some]
    return (b / n).mean()


# === wrong mean-of-texts
def nanmean_of_texts(logits, tokens, lens, sizes):
    real = kept(tokens, lens)
    b = (per_token(logits, tokens) * real).sum(1)
    n = (sizes[tokens[:, 1:]] * real).sum(1)
    return (b / n).nanmean()


# === wrong mean-of-texts
def mean_of_texts_nan(logits, tokens, lens, sizes):
    real = kept(tokens, lens)
    b = (per_token(logits, tokens) * real).sum(1)
    n = (sizes[tokens[:, 1:]] * real).sum(1)
    return (b / n).mean()


# === wrong mean-size
def token_mean_over_mean_size(logits, tokens, lens, sizes):
    # bits per token divided by the vocabulary's mean size
    real = kept(tokens, lens)
    bits = (per_token(logits, tokens) * real).sum() / real.sum().clamp(min=1)
    return bits / sizes.to(bits).mean()


# === wrong bytes-of-the-vocabulary
def sizes_of_vocabulary(logits, tokens, lens, sizes):
    real = kept(tokens, lens)
    return (per_token(logits, tokens) * real).sum() / sizes.sum()


# === wrong perplexity
def perplexity(logits, tokens, lens, sizes):
    real = kept(tokens, lens)
    return 2 ** ((per_token(logits, tokens) * real).sum() / (sizes[tokens[:, 1:]] * real).sum().clamp(min=1))


# === wrong entropy
def entropy(logits, tokens, lens, sizes):
    real = kept(tokens, lens)
    p = logits[:, :-1].softmax(-1)
    h = -(p * logits[:, :-1].log_softmax(-1)).sum(-1) / math.log(2)
    return (h * real).sum() / (sizes[tokens[:, 1:]] * real).sum().clamp(min=1)


# === right
def einsum_onehot(logits, tokens, lens, sizes):
    real = kept(tokens, lens).to(logits.dtype)
    hot = F.one_hot(tokens[:, 1:], logits.shape[-1]).to(logits.dtype)
    bits = torch.einsum("btv,btv,bt->", (logits[:, :-1].logsumexp(-1, keepdim=True) - logits[:, :-1]), hot, real)
    n = torch.einsum("btv,v,bt->", hot, sizes.to(logits.dtype), real)
    return bits / n.clamp(min=1) / math.log(2)


# === right
def backwards_loop(logits, tokens, lens, sizes):
    total = logits.new_zeros(())
    n = 0
    for b in reversed(range(len(lens))):
        L = int(lens[b])
        lp = torch.log_softmax(logits[b, : L - 1], 1)
        for t in range(L - 2, -1, -1):
            total = total - lp[t, tokens[b, t + 1]]
            n += sizes[tokens[b, t + 1]].item()
    return total / (math.log(2) * n) if n else total + logits.sum() * 0
