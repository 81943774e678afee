"""Answers to label-smoothing, as readers write them; `verdicts.py` says how to read this file."""
# ruff: noqa (this is how people write)

import torch
import torch.nn.functional as F


# === right
def smoothing_by_torch(logits, target, epsilon):
    return F.cross_entropy(logits, target, label_smoothing=epsilon)


# === right
def smoothing_by_a_target(logits, target, epsilon):
    V = logits.shape[-1]
    smooth = (1 - epsilon) * F.one_hot(target, V) + epsilon / V
    return -(smooth * logits.log_softmax(-1)).sum(-1).mean()


# === right
def smoothing_by_scatter(logits, target, epsilon):
    smooth = torch.full_like(logits, epsilon / logits.size(1))
    smooth = smooth.scatter_add(
        1, target[:, None], torch.full_like(logits[:, :1], 1 - epsilon)
    )
    return F.cross_entropy(logits, smooth)


# === right
def smoothing_by_loops(logits, target, epsilon):
    total = 0
    for z, y in zip(logits, target):
        log_z = torch.logsumexp(z, 0)
        total = total + (1 - epsilon) * (log_z - z[y])
        for v in range(len(z)):
            total = total + epsilon / len(z) * (log_z - z[v])
    return total / len(target)


# === right
def smoothing_by_closed_form(logits, target, epsilon):
    right_logit = logits[torch.arange(len(target)), target]
    return (
        logits.logsumexp(-1) - (1 - epsilon) * right_logit - epsilon * logits.mean(-1)
    ).mean()


# === right
def smoothing_of_the_book(logits, target, epsilon):
    log_p = F.log_softmax(logits, dim=1)
    nll = F.nll_loss(log_p, target)
    return torch.lerp(nll, -log_p.mean(), epsilon)


# === wrong not-smoothed
def smoothing_forgotten(logits, target, epsilon):
    return F.cross_entropy(logits, target)


# === wrong spread-over-the-others
def smoothing_over_the_others(logits, target, epsilon):
    V = logits.shape[1]
    smooth = torch.full_like(logits, epsilon / (V - 1))
    smooth.scatter_(1, target[:, None], 1 - epsilon)
    return -(smooth * F.log_softmax(logits, 1)).sum(1).mean()


# === wrong right-word-without-share
def smoothing_overwrites_the_share(logits, target, epsilon):
    V = logits.shape[1]
    smooth = torch.full_like(logits, epsilon / V)
    smooth.scatter_(1, target[:, None], 1 - epsilon)
    return -(smooth * F.log_softmax(logits, 1)).sum(1).mean()


# === wrong nothing-taken-away
def smoothing_adds_on_top(logits, target, epsilon):
    V = logits.shape[1]
    smooth = F.one_hot(target, V) + epsilon / V
    return -(smooth * F.log_softmax(logits, 1)).sum(1).mean()


# === wrong even-part-summed
def smoothing_without_V(logits, target, epsilon):
    smooth = (1 - epsilon) * F.one_hot(target, logits.shape[1]) + epsilon
    return -(smooth * F.log_softmax(logits, 1)).sum(1).mean()


# === wrong divided-by-the-vocabulary
def smoothing_means_over_all(logits, target, epsilon):
    V = logits.shape[1]
    smooth = (1 - epsilon) * F.one_hot(target, V) + epsilon / V
    return -(smooth * F.log_softmax(logits, 1)).mean()


# === wrong not-averaged
def smoothing_sums_over_all(logits, target, epsilon):
    V = logits.shape[1]
    smooth = (1 - epsilon) * F.one_hot(target, V) + epsilon / V
    return -(smooth * F.log_softmax(logits, 1)).sum()


# === wrong weights-exchanged
def smoothing_exchanged(logits, target, epsilon):
    lp = F.log_softmax(logits, 1)
    return epsilon * F.nll_loss(lp, target) - (1 - epsilon) * lp.mean()


# === wrong even-part-with-the-wrong-sign
def smoothing_with_a_minus_missing(logits, target, epsilon):
    lp = F.log_softmax(logits, 1)
    return (1 - epsilon) * F.nll_loss(lp, target) + epsilon * lp.mean()


# === wrong model-smoothed
def smoothing_of_the_model(logits, target, epsilon):
    p = (1 - epsilon) * logits.softmax(1) + epsilon / logits.shape[1]
    return F.nll_loss(p.log(), target)


# === wrong unknown
def smoothing_of_the_logits(logits, target, epsilon):
    return F.cross_entropy((1 - epsilon) * logits, target)


# === wrong divergence
def smoothing_by_kl(logits, target, epsilon):
    V = logits.shape[1]
    smooth = (1 - epsilon) * F.one_hot(target, V) + epsilon / V
    return F.kl_div(logits.log_softmax(1), smooth, reduction="batchmean")


# === wrong no-logarithm
def smoothing_of_probabilities(logits, target, epsilon):
    V = logits.shape[1]
    smooth = (1 - epsilon) * F.one_hot(target, V) + epsilon / V
    return -(smooth * logits.softmax(1)).sum(1).mean()


# === wrong no-softmax
def smoothing_without_softmax(logits, target, epsilon):
    V = logits.shape[1]
    smooth = (1 - epsilon) * F.one_hot(target, V) + epsilon / V
    return -(smooth * logits).sum(1).mean()


# === wrong unknown
def smoothing_squared(logits, target, epsilon):
    V = logits.shape[1]
    smooth = (1 - epsilon) * F.one_hot(target, V) + epsilon / V
    return ((smooth - logits.softmax(1)) ** 2).sum(1).mean()


# === wrong unknown
def smoothing_over_examples(logits, target, epsilon):
    N = logits.shape[0]
    smooth = (1 - epsilon) * F.one_hot(target, logits.shape[1]) + epsilon / N
    return -(smooth * F.log_softmax(logits, 1)).sum(1).mean()


# === wrong softmax-over-examples
def smoothing_dim_0(logits, target, epsilon):
    lp = F.log_softmax(logits, dim=0)
    return (1 - epsilon) * F.nll_loss(lp, target) - epsilon * lp.mean()


# === wrong returns-a-number
def smoothing_as_a_number(logits, target, epsilon):
    return F.cross_entropy(logits, target, label_smoothing=epsilon).item()


# === wrong not-summed
def smoothing_for_each(logits, target, epsilon):
    return F.cross_entropy(logits, target, label_smoothing=epsilon, reduction="none")


# === wrong ignores-an-argument
def smoothing_a_tenth(logits, target, epsilon):
    return F.cross_entropy(logits, target, label_smoothing=0.1)


# === wrong wrong-gradient
def smoothing_detached(logits, target, epsilon):
    lp = F.log_softmax(logits, 1)
    return (1 - epsilon) * F.nll_loss(lp, target) - epsilon * lp.detach().mean()


# === wrong writes-into-argument
def smoothing_in_place(logits, target, epsilon):
    logits -= logits.logsumexp(1, keepdim=True)
    return (1 - epsilon) * F.nll_loss(logits, target) - epsilon * logits.mean()


# === wrong unknown
def smoothing_twice(logits, target, epsilon):
    V = logits.shape[1]
    smooth = (1 - epsilon) * F.one_hot(target, V) + epsilon / V
    return F.cross_entropy(logits, smooth, label_smoothing=epsilon)


# === wrong ignores-an-argument
def smoothing_half(logits, target, epsilon):
    lp = F.log_softmax(logits, 1)
    return F.nll_loss(lp, target) / 2 - lp.mean() / 2


# === wrong log-of-softmax
def label_smoothing_log_softmax_underflow_unseen_0(logits, target, epsilon):
    lp = logits.softmax(-1).log()
    return (
        -(1 - epsilon) * lp[torch.arange(len(target)), target] - epsilon * lp.mean(-1)
    ).mean()


# === wrong wrong-at-the-edge
def label_smoothing_floor_unseen_1(logits, target, epsilon):
    lp = logits.softmax(-1).clamp_min(1e-12).log()
    return (
        -(1 - epsilon) * lp[torch.arange(len(target)), target] - epsilon * lp.mean(-1)
    ).mean()


# === wrong not-finite
def label_smoothing_log_of_logits_unseen_b2(logits, target, epsilon):
    lp = torch.log(logits)
    return -lp.gather(1, target[:, None]).mean()


# === wrong spread-over-the-others
def fresh_others(logits, target, epsilon):
    lp = logits.log_softmax(-1)
    V = logits.shape[-1]
    t = torch.full_like(lp, epsilon / max(V - 1, 1)).scatter(
        1, target[:, None], 1 - epsilon
    )
    return -(t * lp).sum(1).mean()


# === wrong one-maximum
def fresh_batch_max(logits, target, epsilon):
    z = logits - logits.max()
    lp = z - z.exp().sum(-1, keepdim=True).log()
    return (
        -(1 - epsilon) * lp.gather(1, target[:, None])[:, 0] - epsilon * lp.mean(1)
    ).mean()


# === right
def fresh_target(logits, target, epsilon):
    lp = logits - logits.logsumexp(-1, keepdim=True)
    V = logits.shape[-1]
    t = torch.full_like(lp, epsilon / V)
    t = t + (1 - epsilon) * torch.nn.functional.one_hot(target, V)
    return -(t * lp).sum() / len(lp)
