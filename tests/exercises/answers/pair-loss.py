"""Answers to pair-loss, as readers write them; `verdicts.py` says how to read this file."""
# ruff: noqa (this is how people write)

import torch
import torch.nn.functional as F

INF = float("inf")


# === right
def filled(scores, target):
    zero = scores.new_zeros(1)
    pos = (-scores).masked_fill(~target, -INF).flatten()
    neg = scores.masked_fill(target, -INF).flatten()
    return torch.logsumexp(torch.cat([pos, zero]), 0) + torch.logsumexp(torch.cat([neg, zero]), 0)


# === right
def by_the_book(scores, target):
    from attnbook.pairs import pair_loss

    return pair_loss(scores, target)


# === right
def signed(scores, target):
    y = target.to(scores)
    s = (1 - 2 * y) * scores
    neg = s - y * 1e12
    pos = s - (1 - y) * 1e12
    zero = torch.zeros_like(s.flatten()[:1])
    return torch.cat([neg.flatten(), zero]).logsumexp(-1) + torch.cat([pos.flatten(), zero]).logsumexp(-1)


# === right
def softplus_of_logsumexp(scores, target):
    loss = 0 * scores.sum()
    for group in (-scores[target], scores[~target]):
        if len(group):
            loss = loss + F.softplus(group.logsumexp(0), threshold=800)
    return loss


# === right
def logaddexp_loop(scores, target):
    low = high = scores.new_zeros(())
    for s, t in zip(scores.flatten(), target.flatten()):
        if t:
            low = torch.logaddexp(low, -s)
        else:
            high = torch.logaddexp(high, s)
    return low + high


# === right
def shifted_by_hand(scores, target):
    def one(x):
        m = torch.cat([x, x.new_zeros(1)]).max().detach()
        return m + ((-m).exp() + (x - m).exp().sum()).log()

    return one(-scores[target]) + one(scores[~target])


# === wrong overflows
def naive(scores, target):
    pos = torch.exp(-scores[target]).sum()
    neg = torch.exp(scores[~target]).sum()
    return torch.log(1 + pos) + torch.log(1 + neg)


# === wrong overflows
def naive_log1p(scores, target):
    e = torch.where(target, -scores, scores).exp()
    return torch.log1p(e[target].sum()) + torch.log1p(e[~target].sum())


# === wrong no-threshold
def without_one(scores, target):
    pos = (-scores).masked_fill(~target, -1e12)
    neg = scores.masked_fill(target, -1e12)
    return pos.flatten().logsumexp(0) + neg.flatten().logsumexp(0)


# === wrong no-threshold-low
def one_missing(scores, target):
    zero = scores.new_zeros(1)
    neg = torch.cat([scores[~target], zero]).logsumexp(0)
    return (-scores[target]).logsumexp(0) + neg


# === wrong no-threshold-high
def other_missing(scores, target):
    zero = scores.new_zeros(1)
    pos = torch.cat([-scores[target], zero]).logsumexp(0)
    return scores[~target].logsumexp(0) + pos


# === wrong signs-swapped
def swapped(scores, target):
    zero = scores.new_zeros(1)
    pos = torch.cat([scores[target], zero]).logsumexp(0)
    return pos + torch.cat([-scores[~target], zero]).logsumexp(0)


# === wrong right-sign
def no_minus(scores, target):
    zero = scores.new_zeros(1)
    pos = torch.cat([scores[target], zero]).logsumexp(0)
    return pos + torch.cat([scores[~target], zero]).logsumexp(0)


# === wrong wrong-sign
def two_minus(scores, target):
    zero = scores.new_zeros(1)
    pos = torch.cat([-scores[target], zero]).logsumexp(0)
    return pos + torch.cat([-scores[~target], zero]).logsumexp(0)


# === wrong signs-swapped
def inverted(scores, target):
    zero = scores.new_zeros(1)
    pos = torch.cat([-scores[~target], zero]).logsumexp(0)
    return pos + torch.cat([scores[target], zero]).logsumexp(0)


# === wrong all-pairs-wrong
def everywhere(scores, target):
    zero = scores.new_zeros(1)
    pos = torch.cat([-scores[target], zero]).logsumexp(0)
    return pos + torch.cat([scores.flatten(), zero]).logsumexp(0)


# === wrong right-only
def only_pos(scores, target):
    zero = scores.new_zeros(1)
    return torch.cat([-scores[target], zero]).logsumexp(0)


# === wrong wrong-only
def only_neg(scores, target):
    zero = scores.new_zeros(1)
    return torch.cat([scores[~target], zero]).logsumexp(0)


# === wrong one-by-one
def summed_bce(scores, target):
    return F.binary_cross_entropy_with_logits(scores, target.to(scores), reduction="sum")


# === wrong one-by-one
def softplus_sum(scores, target):
    return F.softplus(-scores[target]).sum() + F.softplus(scores[~target]).sum()


# === wrong binary-mean
def bce(scores, target):
    return F.binary_cross_entropy_with_logits(scores, target.to(scores))


# === wrong averaged
def half(scores, target):
    zero = scores.new_zeros(1)
    pos = torch.cat([-scores[target], zero]).logsumexp(0)
    neg = torch.cat([scores[~target], zero]).logsumexp(0)
    return torch.stack([pos, neg]).mean()


# === wrong multiplied
def product(scores, target):
    zero = scores.new_zeros(1)
    pos = torch.cat([-scores[target], zero]).logsumexp(0)
    neg = torch.cat([scores[~target], zero]).logsumexp(0)
    return pos * neg


# === wrong returns-a-number
def detached(scores, target):
    zero = scores.new_zeros(1)
    pos = torch.cat([-scores[target], zero]).logsumexp(0)
    neg = torch.cat([scores[~target], zero]).logsumexp(0)
    return (pos + neg).item()


# === wrong writes-into-argument
def in_place(scores, target):
    zero = scores.new_zeros(1)
    pos = torch.cat([-scores[target], zero]).logsumexp(0)
    scores[target] = -INF
    return pos + torch.cat([scores.flatten(), zero]).logsumexp(0)


# === wrong no-logarithm
def exponentials(scores, target):
    return 2 + (-scores[target]).exp().sum() + scores[~target].exp().sum()


# === wrong mean-inside
def means(scores, target):
    y = target.to(scores)
    pos = ((-scores).exp() * y).sum() / y.sum().clamp(min=1)
    neg = (scores.exp() * (1 - y)).sum() / (1 - y).sum().clamp(min=1)
    return torch.log1p(pos) + torch.log1p(neg)


# === wrong one-logarithm
def one_log(scores, target):
    zero = scores.new_zeros(1)
    s = torch.where(target, -scores, scores).flatten()
    return torch.logsumexp(torch.cat([zero, s]), 0)


# === wrong zeros-in-the-sums
def zeros_count(scores, target):
    zero = scores.new_zeros(1)
    p = torch.cat([zero, (-scores * target).flatten()])
    n = torch.cat([zero, (scores * ~target).flatten()])
    return torch.logsumexp(p, 0) + torch.logsumexp(n, 0)


# === wrong row-by-row
def per_row(scores, target):
    s = torch.where(target, -scores, scores)
    zero = torch.zeros_like(s[:, :1])
    p = torch.cat([zero, s.masked_fill(~target, -torch.inf)], 1).logsumexp(1)
    n = torch.cat([zero, s.masked_fill(target, -torch.inf)], 1).logsumexp(1)
    return (p + n).mean()


# === right
def softplus_of_lse(scores, target):
    low = torch.finfo(scores.dtype).min
    p = (-scores).masked_fill(~target, low).flatten().logsumexp(0)
    n = scores.masked_fill(target, low).flatten().logsumexp(0)
    return F.softplus(p) + F.softplus(n)


# === wrong always-the-same
def pair_loss_zero_unseen_6(scores, target):
    return scores.sum() * 0


# === right
def pair_loss_minus_1e12(scores, target):
    y = target.to(scores.dtype)
    s = (1 - 2 * y) * scores
    neg = s - y * 1e12
    pos = s - (1 - y) * 1e12
    zero = torch.zeros(1, dtype=s.dtype)
    return torch.logsumexp(torch.cat([neg.flatten(), zero]), 0) + torch.logsumexp(torch.cat([pos.flatten(), zero]), 0)


# === wrong one-by-one
def fresh_bce(scores, target):
    return torch.nn.functional.binary_cross_entropy_with_logits(scores, target.to(scores.dtype), reduction="sum")


# === wrong wrong-at-the-edge
def fresh_clip(scores, target):
    s = scores.clamp(-500, 500)
    return (1 + (-s[target]).exp().sum()).log() + (1 + s[~target].exp().sum()).log()


# === right
def fresh_mask(scores, target):
    z = torch.where(target, -scores, scores).flatten()
    t = target.flatten()
    zero = z.new_zeros(1)
    low = torch.cat([z.masked_fill(~t, -torch.inf), zero])
    high = torch.cat([z.masked_fill(t, -torch.inf), zero])
    return low.logsumexp(0) + high.logsumexp(0)


# === right
def blind_b8(scores, target):
    p = torch.where(target, -scores, torch.full_like(scores, -1e3)).flatten()
    n = torch.where(target, torch.full_like(scores, -1e3), scores).flatten()
    return torch.nn.functional.softplus(p.logsumexp(0)) + torch.nn.functional.softplus(n.logsumexp(0))
