"""Answers to log-weight, as readers write them; `verdicts.py` says how to read this file."""
# ruff: noqa (this is how people write)

import math

import torch
import torch.nn.functional as F


def mask_of(scores, valid_lens):
    return torch.arange(scores.shape[1], device=scores.device) < valid_lens[:, None]


# === right
def log_weight_with_a_constant(scores, valid_lens, chosen):
    out = []
    for s, n, c in zip(scores, valid_lens, chosen):
        out.append(s.new_zeros(()) if n == 1 else s[:n].log_softmax(0)[c])
    return torch.stack(out)


# === right
def by_log_softmax(scores, valid_lens, chosen):
    keep = mask_of(scores, valid_lens)
    logs = scores.masked_fill(~keep, float("-inf")).log_softmax(-1)
    return logs.gather(1, chosen[:, None]).squeeze(1)


# === right
def by_cross_entropy(scores, valid_lens, chosen):
    keep = mask_of(scores, valid_lens)
    return -F.cross_entropy(scores.masked_fill(~keep, -torch.inf), chosen, reduction="none")


# === right
def by_logsumexp(scores, valid_lens, chosen):
    keep = mask_of(scores, valid_lens)
    rows = torch.arange(len(scores), device=scores.device)
    valid = scores.masked_fill(~keep, -torch.inf)
    return scores[rows, chosen] - torch.logsumexp(valid, dim=1)


# === right
def by_loop(scores, valid_lens, chosen):
    out = []
    for row, n, c in zip(scores, valid_lens.tolist(), chosen.tolist()):
        out.append(row[c] - row[:n].logsumexp(0))
    return torch.stack(out)


# === right
def by_shift_of_the_chosen(scores, valid_lens, chosen):
    """−log Σ exp(e_j − e_chosen), itself by log-sum-exp."""
    keep = mask_of(scores, valid_lens)
    shifted = scores - scores.gather(1, chosen.unsqueeze(1))
    return -shifted.masked_fill(~keep, -torch.inf).logsumexp(-1)


# === right
def by_finfo(scores, valid_lens, chosen):
    keep = mask_of(scores, valid_lens)
    filled = torch.where(keep, scores, torch.full_like(scores, torch.finfo(scores.dtype).min))
    return F.log_softmax(filled, -1)[torch.arange(len(scores), device=scores.device), chosen]


# === right
def by_a_list_of_softmaxes(scores, valid_lens, chosen):
    return torch.stack([F.log_softmax(s[:n], 0)[c] for s, n, c in zip(scores, valid_lens, chosen)])


# === wrong log-of-softmax
def log_of_softmax(scores, valid_lens, chosen):
    keep = mask_of(scores, valid_lens)
    w = scores.masked_fill(~keep, -torch.inf).softmax(-1)
    return w[torch.arange(len(w)), chosen].log()


# === wrong log-of-softmax
def log_of_softmax_loop(scores, valid_lens, chosen):
    return torch.stack([s[:n].softmax(0)[c].log() for s, n, c in zip(scores, valid_lens, chosen)])


# === wrong floor-under-the-weight
def log_with_epsilon(scores, valid_lens, chosen):
    keep = mask_of(scores, valid_lens)
    w = scores.masked_fill(~keep, -torch.inf).softmax(-1)
    return (w.gather(1, chosen[:, None])[:, 0] + 1e-12).log()


# === wrong not-shifted
def literal(scores, valid_lens, chosen):
    keep = mask_of(scores, valid_lens)
    e = scores.exp() * keep
    return scores.gather(1, chosen[:, None])[:, 0] - e.sum(1).log()


# === wrong not-finite
def literal_ratio(scores, valid_lens, chosen):
    keep = mask_of(scores, valid_lens)
    e = scores.exp() * keep
    return (e.gather(1, chosen[:, None])[:, 0] / e.sum(1)).log()


# === wrong shifted-by-the-padding
def shifted_by_the_padding(scores, valid_lens, chosen):
    keep = mask_of(scores, valid_lens)
    m = scores.max(1, keepdim=True).values
    e = (scores - m).exp() * keep
    return (scores - m).gather(1, chosen[:, None])[:, 0] - e.sum(1).log()


# === wrong finite-fill
def minus_hundred(scores, valid_lens, chosen):
    keep = mask_of(scores, valid_lens)
    return scores.masked_fill(~keep, -100.0).log_softmax(1)[torch.arange(len(scores)), chosen]


# === wrong wrong-at-the-edge
def penalised(scores, valid_lens, chosen):
    keep = mask_of(scores, valid_lens)
    s = scores - 100.0 * (~keep).to(scores.dtype)
    return s.log_softmax(1)[torch.arange(len(scores)), chosen]


# === wrong ignores-lengths
def ignores_lengths(scores, valid_lens, chosen):
    return scores.log_softmax(-1).gather(1, chosen[:, None])[:, 0]


# === wrong ignores-lengths
def cross_entropy_without_mask(scores, valid_lens, chosen):
    return -F.cross_entropy(scores, chosen, reduction="none")


# === wrong zero-fill
def zero_fill(scores, valid_lens, chosen):
    keep = mask_of(scores, valid_lens)
    return (scores * keep).log_softmax(-1).gather(1, chosen[:, None])[:, 0]


# === wrong one-too-many
def one_too_many(scores, valid_lens, chosen):
    keep = torch.arange(scores.shape[1]) <= valid_lens[:, None]
    return scores.masked_fill(~keep, -torch.inf).log_softmax(-1).gather(1, chosen[:, None])[:, 0]


# === wrong weight-returned
def the_weight(scores, valid_lens, chosen):
    keep = mask_of(scores, valid_lens)
    w = scores.masked_fill(~keep, -torch.inf).softmax(-1)
    return w[torch.arange(len(w)), chosen]


# === wrong loss-returned
def the_loss(scores, valid_lens, chosen):
    keep = mask_of(scores, valid_lens)
    return F.cross_entropy(scores.masked_fill(~keep, -torch.inf), chosen, reduction="none")


# === wrong over-summed
def the_mean_loss(scores, valid_lens, chosen):
    keep = mask_of(scores, valid_lens)
    return -F.cross_entropy(scores.masked_fill(~keep, -torch.inf), chosen)


# === wrong score-not-subtracted
def only_the_denominator(scores, valid_lens, chosen):
    keep = mask_of(scores, valid_lens)
    return scores.masked_fill(~keep, -torch.inf).logsumexp(-1)


# === wrong shift-not-undone
def max_forgotten(scores, valid_lens, chosen):
    keep = mask_of(scores, valid_lens)
    m = scores.masked_fill(~keep, -torch.inf).max(-1, keepdim=True).values
    lse = ((scores - m).exp() * keep).sum(-1).log()
    return scores.gather(1, chosen[:, None])[:, 0] - lse


# === wrong sum-without-log
def sum_without_log(scores, valid_lens, chosen):
    keep = mask_of(scores, valid_lens)
    s = scores.masked_fill(~keep, -torch.inf)
    s = s - s.max(-1, keepdim=True).values
    return s.gather(1, chosen[:, None])[:, 0] - s.exp().sum(-1)


# === wrong all-keys-returned
def all_keys(scores, valid_lens, chosen):
    keep = mask_of(scores, valid_lens)
    return scores.masked_fill(~keep, -torch.inf).log_softmax(-1)


# === wrong wrong-shape
def indexed_without_rows(scores, valid_lens, chosen):
    keep = mask_of(scores, valid_lens)
    return scores.masked_fill(~keep, -torch.inf).log_softmax(-1)[:, chosen]


# === wrong extra-axis
def not_squeezed(scores, valid_lens, chosen):
    keep = mask_of(scores, valid_lens)
    return scores.masked_fill(~keep, -torch.inf).log_softmax(-1).gather(1, chosen[:, None])


# === wrong last-valid-key
def last_valid(scores, valid_lens, chosen):
    keep = mask_of(scores, valid_lens)
    logs = scores.masked_fill(~keep, -torch.inf).log_softmax(-1)
    return logs.gather(1, valid_lens[:, None] - 1)[:, 0]


# === wrong over-everything
def over_everything(scores, valid_lens, chosen):
    keep = mask_of(scores, valid_lens)
    s = scores.masked_fill(~keep, -torch.inf)
    s = s - s.flatten().logsumexp(0)
    return s.gather(1, chosen[:, None])[:, 0]


# === wrong no-gradient
def detached(scores, valid_lens, chosen):
    keep = mask_of(scores, valid_lens)
    logs = scores.detach().masked_fill(~keep, -torch.inf).log_softmax(-1)
    return logs.gather(1, chosen[:, None])[:, 0]


# === wrong returns-a-list
def a_list(scores, valid_lens, chosen):
    return [float(s[c] - s[:n].logsumexp(0)) for s, n, c in zip(scores, valid_lens, chosen)]


# === wrong writes-into-argument
def in_place(scores, valid_lens, chosen):
    for b, n in enumerate(valid_lens):
        scores[b, n:] = -torch.inf
    return scores.log_softmax(-1)[torch.arange(len(scores)), chosen]


# === wrong base-two
def base_two(scores, valid_lens, chosen):
    keep = mask_of(scores, valid_lens)
    s = scores.masked_fill(~keep, -torch.inf)
    m = s.amax(1)
    return scores.gather(1, chosen[:, None])[:, 0] - m - (s - m[:, None]).exp().sum(1).log2()


# === wrong floor-under-the-weight
def log_weight_floor_unseen_1(scores, valid_lens, chosen):
    m = torch.arange(scores.shape[-1], device=scores.device) < valid_lens[:, None]
    w = scores.masked_fill(~m, -torch.inf).softmax(-1)
    return w.gather(1, chosen[:, None]).squeeze(1).clamp_min(1e-300).log()


# === wrong floor-under-the-weight
def log_weight_eps_unseen_2(scores, valid_lens, chosen):
    m = torch.arange(scores.shape[-1], device=scores.device) < valid_lens[:, None]
    w = scores.masked_fill(~m, -torch.inf).softmax(-1)
    return (w.gather(1, chosen[:, None]).squeeze(1) + 1e-12).log()


# === wrong fails-at-the-edge
def log_weight_math_log_domain_unseen_6(scores, valid_lens, chosen):
    out = []
    for s, n, c in zip(scores, valid_lens, chosen):
        out.append(math.log(s[:n].softmax(0)[c]))
    return torch.tensor(out, dtype=scores.dtype)


# === wrong one-maximum
def fresh_global(scores, valid_lens, chosen):
    keep = torch.arange(scores.shape[-1]) < valid_lens[:, None]
    s = scores.masked_fill(~keep, -torch.inf)
    m = s.max()
    return scores.gather(1, chosen[:, None])[:, 0] - m - (s - m).exp().sum(1).log()


# === wrong floor-under-the-weight
def fresh_softmax_eps(scores, valid_lens, chosen):
    keep = torch.arange(scores.shape[-1]) < valid_lens[:, None]
    p = scores.masked_fill(~keep, -torch.inf).softmax(1)
    return (p.gather(1, chosen[:, None])[:, 0] + 1e-9).log()


# === right
def fresh_logsumexp(scores, valid_lens, chosen):
    keep = torch.arange(scores.shape[-1], device=scores.device)[None] < valid_lens[:, None]
    s = scores.masked_fill(~keep, float("-inf"))
    return s.log_softmax(-1)[torch.arange(len(s), device=s.device), chosen]


# === wrong softmax-over-batch
def blind_b3(scores, valid_lens, chosen):
    keep = torch.arange(scores.shape[1]) < valid_lens[:, None]
    lp = scores.masked_fill(~keep, -math.inf).log_softmax(0)
    return lp.gather(1, chosen[:, None])[:, 0]
