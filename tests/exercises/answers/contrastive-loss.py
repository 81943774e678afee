"""Answers to contrastive-loss, as readers write them; `verdicts.py` says how to read this file."""
# ruff: noqa (this is how people write)

import torch
import torch.nn.functional as F


def unit(x):
    return x / x.norm(dim=-1, keepdim=True)


# === right
def with_cross_entropy(first, second, scale):
    a, b = F.normalize(first, dim=-1), F.normalize(second, dim=-1)
    logits = scale * (a @ b.T)
    return F.cross_entropy(logits, torch.arange(len(a)))


# === right
def by_cosine_similarity(first, second, scale):
    cos = F.cosine_similarity(first[:, None], second[None], dim=-1)
    return -(scale * cos).log_softmax(1).diag().mean()


# === right
def with_logsumexp(first, second, scale):
    logits = scale * torch.einsum("id,jd->ij", unit(first), unit(second))
    return (logits.logsumexp(1) - logits.diagonal()).mean()


# === right
def scale_one_side(first, second, scale):
    logits = (unit(first) * scale) @ unit(second).T
    i = torch.arange(len(logits))
    return -logits.log_softmax(dim=-1)[i, i].sum() / len(logits)


# === right
def with_a_loop(first, second, scale):
    losses = []
    for i in range(len(first)):
        cos = unit(second) @ unit(first[i])
        losses.append(-(scale * cos).log_softmax(0)[i])
    return torch.stack(losses).mean()


# === right
def lengths_afterwards(first, second, scale):
    table = first @ second.T
    table = table / first.norm(dim=1)[:, None] / second.norm(dim=1)
    return -torch.log_softmax(table * scale, -1).diagonal().mean()


# === right
def shifted_by_hand(first, second, scale):
    e = scale * unit(first) @ unit(second).T
    e = e - e.max(dim=1, keepdim=True).values
    log_z = e.exp().sum(1).log()
    return (log_z - e.diagonal()).mean()


# === wrong not-normalised
def dot_products(first, second, scale):
    logits = scale * first @ second.T
    return F.cross_entropy(logits, torch.arange(len(first)))


# === wrong not-normalised
def dot_products_by_hand(first, second, scale):
    e = (first * scale) @ second.T
    return (e.logsumexp(-1) - (first * second).sum(-1) * scale).mean()


# === wrong second-not-normalised
def half_a_cosine(first, second, scale):
    logits = scale * F.normalize(first, dim=1) @ second.T
    return -logits.log_softmax(-1).diag().mean()


# === wrong first-not-normalised
def other_half(first, second, scale):
    logits = scale * first @ unit(second).T
    return -logits.log_softmax(-1).diag().mean()


# === wrong columns-normalised
def default_of_normalise(first, second, scale):
    a, b = F.normalize(first, dim=0), F.normalize(second, dim=0)
    return F.cross_entropy(scale * a @ b.T, torch.arange(len(a)))


# === wrong one-length
def norm_of_everything(first, second, scale):
    a, b = first / first.norm(), second / second.norm()
    return F.cross_entropy(scale * a @ b.T, torch.arange(len(a)))


# === wrong squared-length
def divided_twice(first, second, scale):
    a = first / first.pow(2).sum(-1, keepdim=True)
    b = second / second.pow(2).sum(-1, keepdim=True)
    return F.cross_entropy(scale * a @ b.T, torch.arange(len(a)))


# === wrong no-scale
def forgot_the_scale(first, second, scale):
    return F.cross_entropy(unit(first) @ unit(second).T, torch.arange(len(first)))


# === wrong divided-by-scale
def as_a_temperature(first, second, scale):
    logits = unit(first) @ unit(second).T / scale
    return F.cross_entropy(logits, torch.arange(len(first)))


# === wrong softmax-over-first
def wrong_axis(first, second, scale):
    logits = scale * unit(first) @ unit(second).T
    return -logits.log_softmax(0).diagonal().mean()


# === wrong softmax-over-first
def transposed(first, second, scale):
    logits = scale * unit(second) @ unit(first).T
    return F.cross_entropy(logits, torch.arange(len(first)))


# === wrong both-directions
def like_clip(first, second, scale):
    logits = scale * unit(first) @ unit(second).T
    i = torch.arange(len(first))
    return 0.5 * (F.cross_entropy(logits, i) + F.cross_entropy(logits.T, i))


# === wrong shares-for-logs
def probabilities(first, second, scale):
    logits = scale * unit(first) @ unit(second).T
    return -logits.softmax(-1).diagonal().mean()


# === wrong no-softmax
def pairs_only(first, second, scale):
    return -(scale * F.cosine_similarity(first, second)).mean()


# === wrong softmax-over-everything
def one_big_softmax(first, second, scale):
    logits = scale * unit(first) @ unit(second).T
    p = logits.reshape(-1).log_softmax(0).reshape(logits.shape)
    return -p.diagonal().mean()


# === wrong partner-left-out
def only_strangers_below(first, second, scale):
    logits = scale * unit(first) @ unit(second).T
    e = logits.exp()
    strangers = e.sum(1) - e.diagonal()
    return (strangers.log() - logits.diagonal()).mean()


# === wrong sum
def added_up(first, second, scale):
    logits = scale * unit(first) @ unit(second).T
    return F.cross_entropy(logits, torch.arange(len(first)), reduction="sum")


# === wrong mean-of-the-table
def everything_averaged(first, second, scale):
    logits = scale * unit(first) @ unit(second).T
    return -logits.log_softmax(-1).mean()


# === wrong other-diagonal
def flipped(first, second, scale):
    logits = scale * unit(first) @ unit(second).T
    return F.cross_entropy(logits, torch.arange(len(first) - 1, -1, -1))


# === wrong first-column
def labels_of_zero(first, second, scale):
    logits = scale * unit(first) @ unit(second).T
    return F.cross_entropy(logits, torch.zeros(len(first), dtype=torch.long))


# === wrong log-likelihood
def without_the_minus(first, second, scale):
    logits = scale * unit(first) @ unit(second).T
    return logits.log_softmax(-1).diagonal().mean()


# === wrong exp-overflows
def straight_from_the_formula(first, second, scale):
    e = (scale * unit(first) @ unit(second).T).exp()
    return -(e.diagonal() / e.sum(1)).log().mean()


# === wrong distances
def by_distance(first, second, scale):
    d = torch.cdist(unit(first), unit(second))
    return F.cross_entropy(-scale * d, torch.arange(len(first)))


# === wrong returns-a-number
def as_a_float(first, second, scale):
    logits = scale * unit(first) @ unit(second).T
    return float(F.cross_entropy(logits, torch.arange(len(first))))


# === wrong softmax-twice
def softmaxed_ce(first, second, scale):
    return F.cross_entropy((scale * (unit(first) @ unit(second).T)).softmax(-1), torch.arange(len(first)))


# === right
def log_softmax_twice(first, second, scale):
    return F.cross_entropy((scale * (unit(first) @ unit(second).T)).log_softmax(-1), torch.arange(len(first)))


# === wrong both-directions
def both_sum(first, second, scale):
    l = scale * (unit(first) @ unit(second).T)
    return F.cross_entropy(l, torch.arange(len(first))) + F.cross_entropy(l.T, torch.arange(len(first)))


# === wrong no-softmax
def one_minus(first, second, scale):
    return (1 - F.cosine_similarity(first, second)).mean()


# === wrong scale-twice
def scale_squared(first, second, scale):
    one, two = scale * F.normalize(first, dim=-1), scale * F.normalize(second, dim=-1)
    return F.cross_entropy(one @ two.T, torch.arange(len(first)))


# === wrong first-column
def target_ones(first, second, scale):
    return F.cross_entropy(scale * (unit(first) @ unit(second).T), torch.ones(len(first), dtype=torch.long))


# === wrong each-pair-by-itself
def bce(first, second, scale):
    return F.binary_cross_entropy_with_logits(scale * (unit(first) @ unit(second).T), torch.eye(len(first)).to(first))


# === wrong log-of-the-mean
def softmax_only_log(first, second, scale):
    p = (scale * (unit(first) @ unit(second).T)).softmax(-1)
    return -p.diagonal().mean().log()


# === right
def einsum_lse(first, second, scale):
    c = torch.einsum("id,jd->ij", first, second) / torch.outer(first.norm(dim=1), second.norm(dim=1))
    return (torch.logsumexp(scale * c, 1) - scale * torch.einsum("ii->i", c)).mean()


# === right
def differences(first, second, scale):
    c = F.cosine_similarity(first[:, None], second[None], dim=-1)
    return torch.logsumexp(scale * (c - c.diagonal()[:, None]), -1).mean()
