"""Answers to merge-softmax, as readers write them; `verdicts.py` says how to read this file."""
# ruff: noqa (this is how people write)

import math

import torch


# === right
def merged(ma, ta, oa, mb, tb, ob):
    m = torch.maximum(ma, mb)
    a, b = ta * (ma - m).exp(), tb * (mb - m).exp()
    return m, a + b, (a * oa + b * ob) / (a + b)


# === right
def merged_by_stack(ma, ta, oa, mb, tb, ob):
    most = torch.stack([ma, mb])
    m = most.amax(0)
    w = torch.stack([ta, tb]) * torch.exp(most - m)
    return m, w.sum(0), (w * torch.stack([oa, ob])).sum(0) / w.sum(0)


# === right
def merged_by_log(ma, ta, oa, mb, tb, ob):
    la, lb = ma + ta.log(), mb + tb.log()
    both = torch.logaddexp(la, lb)
    m = torch.max(ma, mb)
    return m, (both - m).exp(), (la - both).exp() * oa + (lb - both).exp() * ob


# === right
def merged_by_share(ma, ta, oa, mb, tb, ob):
    m = torch.where(ma > mb, ma, mb)
    a = ta * torch.exp(ma - m)
    b = tb * torch.exp(mb - m)
    share = a / (a + b)
    return m, a + b, share * oa + (1 - share) * ob


# === right
def merged_by_steps(most_a, total_a, mean_a, most_b, total_b, mean_b):
    new = torch.maximum(most_a, most_b)
    sum_a = mean_a * total_a
    sum_b = mean_b * total_b
    corr_a = torch.exp(most_a - new)
    corr_b = torch.exp(most_b - new)
    total = corr_a * total_a + corr_b * total_b
    return new, total, (sum_a * corr_a + sum_b * corr_b) / total


# === right
def merged_as_list(ma, ta, oa, mb, tb, ob):
    m = torch.cat([ma, mb], -1).max(-1, keepdim=True).values
    a = ta * math.e ** (ma - m)
    b = tb * math.e ** (mb - m)
    return [m, a + b, torch.lerp(oa, ob, b / (a + b))]


# === wrong not-rescaled
def added_as_they_came(ma, ta, oa, mb, tb, ob):
    m = torch.maximum(ma, mb)
    t = ta + tb
    return m, t, (ta * oa + tb * ob) / t


# === wrong sign
def wrong_way_round(ma, ta, oa, mb, tb, ob):
    m = torch.maximum(ma, mb)
    a, b = ta * (m - ma).exp(), tb * (m - mb).exp()
    return m, a + b, (a * oa + b * ob) / (a + b)


# === wrong only-one-rescaled
def assumes_a_is_larger(ma, ta, oa, mb, tb, ob):
    m = torch.maximum(ma, mb)
    b = tb * (mb - m).exp()
    return m, ta + b, (ta * oa + b * ob) / (ta + b)


# === wrong other-one-rescaled
def assumes_b_is_larger(ma, ta, oa, mb, tb, ob):
    m = torch.maximum(ma, mb)
    a = ta * (ma - m).exp()
    return m, a + tb, (a * oa + tb * ob) / (a + tb)


# === wrong minimum
def smaller_maximum(ma, ta, oa, mb, tb, ob):
    m = torch.min(ma, mb)
    a, b = ta * (ma - m).exp(), tb * (mb - m).exp()
    return m, a + b, (a * oa + b * ob) / (a + b)


# === wrong maxima-added
def sum_of_maxima(ma, ta, oa, mb, tb, ob):
    m = ma + mb
    a, b = ta * (ma - m).exp(), tb * (mb - m).exp()
    return m, a + b, (a * oa + b * ob) / (a + b)


# === wrong means-averaged
def half_and_half(ma, ta, oa, mb, tb, ob):
    m = torch.maximum(ma, mb)
    t = ta * (ma - m).exp() + tb * (mb - m).exp()
    return m, t, (oa + ob) / 2


# === wrong means-added
def sum_of_means(ma, ta, oa, mb, tb, ob):
    m = torch.maximum(ma, mb)
    t = ta * (ma - m).exp() + tb * (mb - m).exp()
    return m, t, oa + ob


# === wrong not-divided
def weighted_sum(ma, ta, oa, mb, tb, ob):
    m = torch.maximum(ma, mb)
    a, b = ta * (ma - m).exp(), tb * (mb - m).exp()
    return m, a + b, a * oa + b * ob


# === wrong old-totals-as-weights
def weights_before_rescaling(ma, ta, oa, mb, tb, ob):
    m = torch.maximum(ma, mb)
    t = ta * (ma - m).exp() + tb * (mb - m).exp()
    return m, t, (ta * oa + tb * ob) / (ta + tb)


# === wrong maxima-as-weights
def softmax_of_maxima(ma, ta, oa, mb, tb, ob):
    m = torch.maximum(ma, mb)
    a, b = (ma - m).exp(), (mb - m).exp()
    t = ta * a + tb * b
    return m, t, (a * oa + b * ob) / (a + b)


# === wrong exchanged
def crosswise(ma, ta, oa, mb, tb, ob):
    m = torch.maximum(ma, mb)
    a, b = ta * (ma - m).exp(), tb * (mb - m).exp()
    return m, a + b, (b * oa + a * ob) / (a + b)


# === wrong totals-averaged
def mean_total(ma, ta, oa, mb, tb, ob):
    m = torch.maximum(ma, mb)
    a, b = ta * (ma - m).exp(), tb * (mb - m).exp()
    return m, (a + b) / 2, (a * oa + b * ob) / (a + b) * 2


# === wrong totals-averaged
def mean_total_and_right_average(ma, ta, oa, mb, tb, ob):
    m = torch.maximum(ma, mb)
    a, b = ta * (ma - m).exp(), tb * (mb - m).exp()
    t = 0.5 * (a + b)
    return m, t, (a * oa + b * ob) / t


# === wrong larger-total-only
def winner_takes_all(ma, ta, oa, mb, tb, ob):
    m = torch.maximum(ma, mb)
    a, b = ta * (ma - m).exp(), tb * (mb - m).exp()
    t = torch.maximum(a, b)
    return m, t, (a * oa + b * ob) / t


# === wrong logarithm-of-the-total
def log_sum_exp(ma, ta, oa, mb, tb, ob):
    la, lb = ma + ta.log(), mb + tb.log()
    both = torch.logaddexp(la, lb)
    return torch.maximum(ma, mb), both, (la - both).exp() * oa + (lb - both).exp() * ob


# === wrong unsafe
def no_maximum(ma, ta, oa, mb, tb, ob):
    a, b = ta * ma.exp(), tb * mb.exp()
    return torch.zeros_like(ma), a + b, (a * oa + b * ob) / (a + b)


# === wrong order-of-results
def average_first(ma, ta, oa, mb, tb, ob):
    m = torch.maximum(ma, mb)
    a, b = ta * (ma - m).exp(), tb * (mb - m).exp()
    return (a * oa + b * ob) / (a + b), a + b, m


# === wrong one-thing-only
def average_only(ma, ta, oa, mb, tb, ob):
    m = torch.maximum(ma, mb)
    a, b = ta * (ma - m).exp(), tb * (mb - m).exp()
    return (a * oa + b * ob) / (a + b)


# === wrong divided-before-adding
def divided_first(ma, ta, oa, mb, tb, ob):
    m = torch.maximum(ma, mb)
    a, b = ta * (ma - m).exp(), tb * (mb - m).exp()
    return m, a + b, oa / a + ob / b


# === wrong unknown
def total_is_weight_sum(ma, ta, oa, mb, tb, ob):
    m = torch.maximum(ma, mb)
    a, b = ta * (ma - m).exp(), tb * (mb - m).exp()
    a, b = a / (a + b), b / (a + b)
    return m, a + b, a * oa + b * ob


# === wrong gradient-cut
def first_average_detached(ma, ta, oa, mb, tb, ob):
    m = torch.maximum(ma, mb)
    a, b = ta * (ma - m).exp(), tb * (mb - m).exp()
    return m, a + b, (a * oa.data + b * ob) / (a + b)


# === wrong second-maximum
def always_b_max(most_a, total_a, mean_a, most_b, total_b, mean_b):
    total = total_a * torch.exp(most_a - most_b) + total_b
    mean = (total_a * torch.exp(most_a - most_b) * mean_a + total_b * mean_b) / total
    return most_b, total, mean


# === wrong one-for-all-queries
def global_max(most_a, total_a, mean_a, most_b, total_b, mean_b):
    most = max(most_a.max(), most_b.max())
    ea, eb = torch.exp(most_a - most), torch.exp(most_b - most)
    total = ea * total_a + eb * total_b
    mean = (ea * total_a * mean_a + eb * total_b * mean_b) / total
    return most.expand_as(most_a), total, mean


# === right
def logsumexp(most_a, total_a, mean_a, most_b, total_b, mean_b):
    la, lb = most_a + total_a.log(), most_b + total_b.log()
    both = torch.logaddexp(la, lb)
    most = torch.maximum(most_a, most_b)
    return (most, (both - most).exp(), (la - both).exp() * mean_a + (lb - both).exp() * mean_b)


# === right
def sigmoid(most_a, total_a, mean_a, most_b, total_b, mean_b):
    share = torch.sigmoid(most_a + total_a.log() - most_b - total_b.log())
    most = torch.where(most_a > most_b, most_a, most_b)
    total = total_a * (most_a - most).exp() + total_b * (most_b - most).exp()
    return most, total, mean_b + share * (mean_a - mean_b)


# === wrong not-finite
def merge_softmax_shift_by_a_unseen_4(ma, ta, a, mb, tb, b):
    f = (mb - ma).exp()
    t = ta + tb * f
    m = torch.maximum(ma, mb)
    return m, t * (ma - m).exp(), (ta * a + tb * f * b) / t


# === wrong logarithm-of-all
def merge_returns_logsumexp(most_a, total_a, mean_a, most_b, total_b, mean_b):
    la, lb = most_a + total_a.log(), most_b + total_b.log()
    l = torch.logaddexp(la, lb)
    return (l, torch.ones_like(l), torch.exp(la - l) * mean_a + torch.exp(lb - l) * mean_b)


# === wrong old-totals-as-weights
def fresh_average(most_a, total_a, mean_a, most_b, total_b, mean_b):
    most = torch.maximum(most_a, most_b)
    total = total_a * (most_a - most).exp() + total_b * (most_b - most).exp()
    return most, total, (total_a * mean_a + total_b * mean_b) / (total_a + total_b)


# === wrong measured-from-zero
def fresh_exp_most(most_a, total_a, mean_a, most_b, total_b, mean_b):
    most = torch.maximum(most_a, most_b)
    a, b = total_a * most_a.exp(), total_b * most_b.exp()
    return most, (a + b) * (-most).exp(), (a * mean_a + b * mean_b) / (a + b)


# === right
def fresh_sigmoid(most_a, total_a, mean_a, most_b, total_b, mean_b):
    most = torch.maximum(most_a, most_b)
    la, lb = most_a + total_a.log(), most_b + total_b.log()
    share = torch.sigmoid(la - lb)
    return (most, (torch.logaddexp(la, lb) - most).exp(), share * mean_a + (1 - share) * mean_b)


# === wrong totals-added-as-they-are
def blind_b5(most_a, total_a, mean_a, most_b, total_b, mean_b):
    m = torch.maximum(most_a, most_b)
    a, b = total_a * (most_a - m).exp(), total_b * (most_b - m).exp()
    return m, total_a + total_b, (a * mean_a + b * mean_b) / (a + b)


# === wrong means-without-totals
def blind_b6(most_a, total_a, mean_a, most_b, total_b, mean_b):
    m = torch.maximum(most_a, most_b)
    a, b = (most_a - m).exp(), (most_b - m).exp()
    t = total_a * a + total_b * b
    return m, t, (a * mean_a + b * mean_b) / t


# === wrong maximum-as-a-sum
def blind_n2(most_a, total_a, mean_a, most_b, total_b, mean_b):
    most = torch.logaddexp(most_a, most_b)
    ta, tb = total_a * torch.exp(most_a - most), total_b * torch.exp(most_b - most)
    t = ta + tb
    return most, t, (ta * mean_a + tb * mean_b) / t


# === wrong measured-against-the-first
def blind_n4(most_a, total_a, mean_a, most_b, total_b, mean_b):
    most = torch.maximum(most_a, most_b)
    tb = total_b * torch.exp(most_b - most_a)
    t = total_a + tb
    return most, t, (total_a * mean_a + tb * mean_b) / t
