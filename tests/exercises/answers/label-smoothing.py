"""Answers to label-smoothing, as readers write them; `verdicts.py` says how to read this file."""
# ruff: noqa (this is how people write)

import math

import torch
import torch.nn.functional as F


def soft(logits, target, epsilon):
    V = logits.shape[-1]
    smooth = torch.full_like(logits, epsilon / (V - 1))
    return smooth.scatter(1, target[:, None], 1 - epsilon)


def entropy(smooth):
    return -torch.where(smooth > 0, smooth * smooth.clamp_min(1e-300).log(), 0).sum(-1)


# === right
def smoothing_by_a_target(logits, target, epsilon):
    smooth = soft(logits, target, epsilon)
    return (-(smooth * logits.log_softmax(-1)).sum(-1) - entropy(smooth)).mean()


# === right
def smoothing_by_torch(logits, target, epsilon):
    V = logits.shape[1]
    loss = F.cross_entropy(logits, soft(logits, target, epsilon))
    best = 0.0
    if epsilon > 0:
        best -= epsilon * math.log(epsilon / (V - 1))
    if epsilon < 1:
        best -= (1 - epsilon) * math.log(1 - epsilon)
    return loss - best


# === right
def smoothing_by_loops(logits, target, epsilon):
    total, V = 0, logits.shape[1]
    for z, y in zip(logits, target):
        lp = z - torch.logsumexp(z, 0)
        for v in range(V):
            q = 1 - epsilon if v == y else epsilon / (V - 1)
            if q > 0:
                total = total + q * (math.log(q) - lp[v])
    return total / len(target)


# === right
def smoothing_with_a_mask(logits, target, epsilon):
    lp = F.log_softmax(logits, dim=1)
    V = lp.shape[1]
    hit = F.one_hot(target, V).bool()
    right = -lp[hit]
    rest = -lp.masked_fill(hit, 0).sum(1) / (V - 1)
    q = torch.tensor([1 - epsilon] + [epsilon / (V - 1)] * (V - 1), dtype=lp.dtype)
    q = q[q > 0]
    return ((1 - epsilon) * right + epsilon * rest).mean() + (q * q.log()).sum()


# === right
def smoothing_by_divergence(logits, target, epsilon):
    q = soft(logits, target, epsilon)
    lp = logits.log_softmax(-1)
    return ((q + (q == 0)).log() * q - q * lp).sum() / len(q)


# === right
def smoothing_by_the_other_epsilon(logits, target, epsilon):
    V = logits.shape[1]
    e = epsilon * V / (V - 1)
    lp = logits - logits.logsumexp(-1, keepdim=True)
    nll = -lp[torch.arange(len(target)), target]
    a, b = 1 - epsilon, epsilon / (V - 1)
    floor = -(a * math.log(a) if a else 0) - (epsilon * math.log(b) if b else 0)
    return ((1 - e) * nll - e * lp.mean(-1)).mean() - floor


# === wrong not-smoothed
def smoothing_forgotten(logits, target, epsilon):
    return F.cross_entropy(logits, target)


# === wrong spread-over-all
def smoothing_of_the_chapter(logits, target, epsilon):
    V = logits.shape[1]
    smooth = (1 - epsilon) * F.one_hot(target, V) + epsilon / V
    return (-(smooth * logits.log_softmax(-1)).sum(-1) - entropy(smooth)).mean()


# === wrong two-layouts
def smoothing_two_layouts(logits, target, epsilon):
    loss = F.cross_entropy(logits, target, label_smoothing=epsilon)
    return loss - entropy(soft(logits, target, epsilon)).mean()


# === wrong smallest-of-the-chapter
def smoothing_other_floor(logits, target, epsilon):
    V = logits.shape[1]
    other = (1 - epsilon) * F.one_hot(target, V) + epsilon / V
    loss = -(soft(logits, target, epsilon) * logits.log_softmax(1)).sum(1)
    return (loss - entropy(other)).mean()


# === wrong nothing-subtracted
def smoothing_as_it_is(logits, target, epsilon):
    return F.cross_entropy(logits, soft(logits, target, epsilon))


# === wrong smallest-added
def smoothing_plus(logits, target, epsilon):
    smooth = soft(logits, target, epsilon)
    return F.cross_entropy(logits, smooth) + entropy(smooth).mean()


# === wrong smallest-of-one-other
def smoothing_one_other(logits, target, epsilon):
    V = logits.shape[1]
    a, b = 1 - epsilon, epsilon / (V - 1)
    floor = -(a * math.log(a) if a else 0) - (b * math.log(b) if b else 0)
    return F.cross_entropy(logits, soft(logits, target, epsilon)) - floor


# === wrong smallest-without-the-right-word
def smoothing_without_the_first(logits, target, epsilon):
    V = logits.shape[1]
    b = epsilon / (V - 1)
    floor = -epsilon * math.log(b) if b else 0.0
    return F.cross_entropy(logits, soft(logits, target, epsilon)) - floor


# === wrong right-word-among-the-others
def smoothing_right_word_twice(logits, target, epsilon):
    V = logits.shape[1]
    lp = logits.log_softmax(1)
    nll = F.nll_loss(lp, target, reduction="none")
    loss = (1 - epsilon) * nll - epsilon * lp.sum(1) / (V - 1)
    return (loss - entropy(soft(logits, target, epsilon))).mean()


# === wrong right-word-without-share
def smoothing_divides_by_V(logits, target, epsilon):
    V = logits.shape[1]
    smooth = torch.full_like(logits, epsilon / V).scatter(1, target[:, None], 1 - epsilon)
    floor = entropy(soft(logits, target, epsilon))
    return (-(smooth * logits.log_softmax(1)).sum(1) - floor).mean()


# === wrong others-summed
def smoothing_without_dividing(logits, target, epsilon):
    smooth = torch.full_like(logits, epsilon).scatter(1, target[:, None], 1 - epsilon)
    floor = entropy(soft(logits, target, epsilon))
    return (-(smooth * logits.log_softmax(1)).sum(1) - floor).mean()


# === wrong weights-exchanged
def smoothing_exchanged(logits, target, epsilon):
    smooth = soft(logits, target, 1 - epsilon)
    floor = entropy(soft(logits, target, epsilon))
    return (-(smooth * logits.log_softmax(1)).sum(1) - floor).mean()


# === wrong nothing-taken-away
def smoothing_adds_on_top(logits, target, epsilon):
    q = soft(logits, target, epsilon)
    smooth = q + epsilon * F.one_hot(target, logits.shape[1])
    return (-(smooth * logits.log_softmax(1)).sum(1) - entropy(q)).mean()


# === wrong nothing-given
def smoothing_gives_nothing(logits, target, epsilon):
    floor = entropy(soft(logits, target, epsilon)).mean()
    return (1 - epsilon) * F.cross_entropy(logits, target) - floor


# === wrong others-with-the-wrong-sign
def smoothing_with_a_minus_missing(logits, target, epsilon):
    q = soft(logits, target, epsilon)
    lp = logits.log_softmax(1)
    nll = F.nll_loss(lp, target, reduction="none")
    rest = (lp.sum(1) + nll) / (lp.shape[1] - 1)
    return ((1 - epsilon) * nll + epsilon * rest - entropy(q)).mean()


# === wrong not-averaged
def smoothing_sums(logits, target, epsilon):
    q = soft(logits, target, epsilon)
    return (-(q * logits.log_softmax(1)).sum(1) - entropy(q)).sum()


# === wrong not-summed
def smoothing_for_each(logits, target, epsilon):
    q = soft(logits, target, epsilon)
    return -(q * logits.log_softmax(1)).sum(1) - entropy(q)


# === wrong divided-by-the-vocabulary
def smoothing_means_over_all(logits, target, epsilon):
    q = soft(logits, target, epsilon)
    return -(q * logits.log_softmax(1)).mean() - entropy(q).mean()


# === wrong no-logarithm
def smoothing_of_probabilities(logits, target, epsilon):
    q = soft(logits, target, epsilon)
    return (-(q * logits.softmax(1)).sum(1) - entropy(q)).mean()


# === wrong no-softmax
def smoothing_without_softmax(logits, target, epsilon):
    q = soft(logits, target, epsilon)
    return (-(q * logits).sum(1) - entropy(q)).mean()


# === wrong log-of-softmax
def smoothing_log_of_softmax(logits, target, epsilon):
    q = soft(logits, target, epsilon)
    return (-(q * logits.softmax(1).log()).sum(1) - entropy(q)).mean()


# === wrong one-maximum
def smoothing_batch_max(logits, target, epsilon):
    z = logits - logits.max()
    lp = z - z.exp().sum(-1, keepdim=True).log()
    q = soft(logits, target, epsilon)
    return (-(q * lp).sum(1) - entropy(q)).mean()


# === wrong softmax-over-examples
def smoothing_dim_0(logits, target, epsilon):
    q = soft(logits, target, epsilon)
    return (-(q * logits.log_softmax(0)).sum(1) - entropy(q)).mean()


# === wrong wrong-way-round
def smoothing_upside_down(logits, target, epsilon):
    q = soft(logits, target, epsilon)
    return (entropy(q) + (q * logits.log_softmax(1)).sum(1)).mean()


# === wrong returns-a-number
def smoothing_as_a_number(logits, target, epsilon):
    q = soft(logits, target, epsilon)
    return (-(q * logits.log_softmax(1)).sum(1) - entropy(q)).mean().item()


# === wrong ignores-an-argument
def smoothing_a_tenth(logits, target, epsilon):
    q = soft(logits, target, 0.1)
    return (-(q * logits.log_softmax(1)).sum(1) - entropy(q)).mean()


# === wrong wrong-gradient
def smoothing_detached(logits, target, epsilon):
    q = soft(logits, target, epsilon)
    lp = logits.log_softmax(1)
    nll = F.nll_loss(lp, target, reduction="none")
    rest = (-lp.detach().sum(1) - nll.detach()) / (lp.shape[1] - 1)
    return ((1 - epsilon) * nll + epsilon * rest - entropy(q)).mean()


# === wrong writes-into-argument
def smoothing_in_place(logits, target, epsilon):
    logits -= logits.logsumexp(1, keepdim=True)
    q = soft(logits, target, epsilon)
    return (-(q * logits).sum(1) - entropy(q)).mean()


# === wrong unknown
def smoothing_log_of_zero(logits, target, epsilon):
    V = logits.shape[1]
    floor = -(1 - epsilon) * math.log(1 - epsilon + 1e-9) - epsilon * math.log(epsilon / (V - 1) + 1e-3)
    return F.cross_entropy(logits, soft(logits, target, epsilon)) - floor


# === wrong fails-at-the-edge
def smoothing_of_an_edge(logits, target, epsilon):
    V = logits.shape[1]
    a, b = 1 - epsilon, epsilon / (V - 1)
    floor = -a * math.log(a) - epsilon * math.log(b)
    return F.cross_entropy(logits, soft(logits, target, epsilon)) - floor


# === wrong smallest-of-two-words
def blind_b1(logits, target, epsilon):
    V = logits.shape[1]
    lp = logits.log_softmax(-1)
    right = lp.gather(1, target[:, None]).squeeze(1)
    others = lp.sum(1) - right
    loss = -(1 - epsilon) * right - epsilon / (V - 1) * others
    e = torch.tensor([1 - epsilon, epsilon], dtype=logits.dtype)
    low = -torch.xlogy(e, e).sum()
    return loss.mean() - low


# === wrong target-exchanged
def blind_b6(logits, target, epsilon):
    V = logits.shape[1]
    soft = torch.full_like(logits, (1 - epsilon) / (V - 1)).scatter(1, target[:, None], epsilon)
    return (torch.xlogy(soft, soft) - soft * logits.log_softmax(1)).sum(1).mean()


# === wrong smallest-of-the-batch
def blind_b9(logits, target, epsilon):
    V = logits.shape[1]
    soft = torch.full_like(logits, epsilon / (V - 1)).scatter(1, target[:, None], 1 - epsilon)
    loss = -(soft * logits.log_softmax(1)).sum(1)
    return (loss - loss.min()).mean()
