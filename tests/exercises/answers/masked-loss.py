"""Answers to masked-loss, as readers write them; `verdicts.py` says how to read this file."""
# ruff: noqa (this is how people write)

import torch
import torch.nn.functional as F


def mean_of(logits, target, pad):
    losses = F.cross_entropy(logits.transpose(1, 2), target, reduction="none")
    real = target != pad
    return (losses * real).sum() / real.sum().clamp(min=1)


# === right
def loss_by_cross_entropy(logits, target, pad):
    total = F.cross_entropy(logits.flatten(0, 1), target.flatten(), ignore_index=pad, reduction="sum")
    return total / max((target != pad).sum(), 1)


# === right
def loss_unreduced(logits, target, pad):
    losses = F.cross_entropy(logits.permute(0, 2, 1), target, reduction="none")
    mask = (target != pad).to(losses.dtype)
    count = mask.sum()
    return (losses * mask).sum() / count if count > 0 else (losses * mask).sum()


# === right
def loss_by_selection(logits, target, pad):
    real = target != pad
    if not real.any():
        return logits.sum() * 0
    return F.cross_entropy(logits[real], target[real])


# === right
def loss_by_loops(logits, target, pad):
    total, count = logits.sum() * 0.0, 0
    for sentence, words in zip(logits, target):
        for z, word in zip(sentence, words):
            if word != pad:
                total = total + torch.logsumexp(z, 0) - z[word]
                count += 1
    return total / max(count, 1)


# === wrong not-finite
def loss_by_one_hot(logits, target, pad):
    V = logits.shape[-1]
    p = torch.exp(logits) / torch.exp(logits).sum(-1, keepdim=True)
    picked = (p * F.one_hot(target, V)).sum(-1)
    mask = target.ne(pad)
    return -(picked.log() * mask).sum() / mask.sum().clamp_min(1)


# === right
def loss_with_where(logits, target, pad):
    log_p = F.log_softmax(logits, -1).gather(2, target.unsqueeze(2)).squeeze(2)
    kept = torch.where(target == pad, torch.zeros_like(log_p), log_p)
    return -kept.sum() / (target != pad).sum().clamp(min=1)


# === right
def loss_by_nll(logits, target, pad):
    copy = target.clone()
    copy[copy == pad] = -100
    nll = F.nll_loss(F.log_softmax(logits, dim=-1).reshape(-1, logits.size(-1)), copy.reshape(-1), reduction="sum")
    n = torch.count_nonzero(target != pad)
    return nll / torch.maximum(n, torch.ones_like(n))


# === wrong padding-counted
def loss_of_everything(logits, target, pad):
    return F.cross_entropy(logits.reshape(-1, logits.shape[-1]), target.reshape(-1))


# === wrong divided-by-everything
def loss_masked_then_mean(logits, target, pad):
    losses = F.cross_entropy(logits.transpose(1, 2), target, reduction="none")
    return (losses * (target != pad)).mean()


# === wrong divided-by-everything
def loss_as_d2l_does(logits, target, pad):
    losses = F.cross_entropy(logits.permute(0, 2, 1), target, reduction="none")
    weighted = losses * (target != pad)
    return weighted.mean(dim=1).mean()


# === wrong mean-of-sentence-means
def loss_per_sentence(logits, target, pad):
    losses = F.cross_entropy(logits.permute(0, 2, 1), target, reduction="none")
    mask = (target != pad).double()
    return ((losses * mask).sum(1) / mask.sum(1).clamp(min=1)).mean()


# === wrong padding-is-zero
def loss_ignores_index_zero(logits, target, pad):
    total = F.cross_entropy(logits.flatten(0, 1), target.flatten(), ignore_index=0, reduction="sum")
    return total / (target != 0).sum().clamp(min=1)


# === wrong nan-without-words
def loss_by_ignore_index_alone(logits, target, pad):
    return F.cross_entropy(logits.flatten(0, 1), target.flatten(), ignore_index=pad)


# === wrong softmax-twice
def loss_of_softmaxed(logits, target, pad):
    probs = torch.softmax(logits, -1)
    real = target != pad
    return F.cross_entropy(probs.flatten(0, 1), target.flatten(), ignore_index=pad, reduction="sum") / real.sum().clamp(
        min=1
    )


# === wrong no-softmax
def loss_with_nll_of_logits(logits, target, pad):
    real = target != pad
    return F.nll_loss(logits.flatten(0, 1), target.flatten(), ignore_index=pad, reduction="sum") / real.sum().clamp(
        min=1
    )


# === wrong softmax-for-log-softmax
def loss_without_log(logits, target, pad):
    p = logits.softmax(-1).gather(-1, target.unsqueeze(-1)).squeeze(-1)
    real = target != pad
    return -(p * real).sum() / real.sum().clamp(min=1)


# === wrong factor
def loss_log10(logits, target, pad):
    p = logits.softmax(-1).gather(-1, target.unsqueeze(-1)).squeeze(-1)
    real = target != pad
    return -(p.log10() * real).sum() / real.sum().clamp(min=1)


# === wrong inverted
def loss_of_the_padding(logits, target, pad):
    losses = F.cross_entropy(logits.permute(0, 2, 1), target, reduction="none")
    mask = (target == pad).to(losses.dtype)
    return (losses * mask).sum() / mask.sum().clamp(min=1)


# === wrong shifted
def loss_shifts_the_target(logits, target, pad):
    return mean_of(logits[:, :-1], target[:, 1:], pad)


# === wrong unknown
def loss_viewed_instead_of_transposed(logits, target, pad):
    B, T, V = logits.shape
    losses = F.cross_entropy(logits.reshape(B, V, T), target, reduction="none")
    real = target != pad
    return (losses * real).sum() / real.sum().clamp(min=1)


# === wrong raises
def loss_untransposed(logits, target, pad):
    return F.cross_entropy(logits, target, ignore_index=pad)


# === wrong returns-a-number
def loss_as_a_number(logits, target, pad):
    return float(mean_of(logits, target, pad))


# === wrong no-gradient
def loss_under_no_grad(logits, target, pad):
    with torch.no_grad():
        return mean_of(logits, target, pad)


# === wrong writes-into-argument
def loss_sets_minus_hundred(logits, target, pad):
    n = (target != pad).sum().clamp(min=1)
    target[target == pad] = -100
    return F.cross_entropy(logits.transpose(1, 2), target, reduction="sum") / n


# === wrong padding-logits-zeroed
def loss_zeroes_the_logits(logits, target, pad):
    mask = target != pad
    logits = logits * mask.unsqueeze(-1)
    return F.cross_entropy(logits.transpose(1, 2), target, reduction="sum") / mask.sum().clamp(min=1)


# === wrong not-averaged
def loss_summed(logits, target, pad):
    return F.cross_entropy(logits.flatten(0, 1), target.flatten(), ignore_index=pad, reduction="sum")


# === wrong perplexity
def loss_as_perplexity(logits, target, pad):
    return mean_of(logits, target, pad).exp()


# === wrong unknown
def loss_with_a_small_number(logits, target, pad):
    p = logits.softmax(-1).gather(-1, target[..., None])[..., 0]
    real = target != pad
    return -((p + 1e-3).log() * real).sum() / real.sum().clamp(min=1)


# === wrong unknown
def loss_adds_one_to_the_count(logits, target, pad):
    losses = F.cross_entropy(logits.transpose(1, 2), target, reduction="none")
    real = target != pad
    return (losses * real).sum() / (real.sum() + 1)


# === wrong changes-dtype
def loss_in_float32(logits, target, pad):
    return mean_of(logits.float(), target, pad)


# === wrong returns-a-tuple
def loss_returns_the_count(logits, target, pad):
    return mean_of(logits, target, pad), (target != pad).sum()


# === wrong unknown
def loss_of_the_vocabularys_mean(logits, target, pad):
    log_probs = logits.log_softmax(-1)
    one_hot = F.one_hot(target, logits.shape[-1])
    real = (target != pad)[..., None]
    return -(log_probs * one_hot * real).mean()


# === wrong log-of-softmax
def masked_loss_log_of_softmax_unseen_0(logits, target, pad):
    p = logits.softmax(-1).gather(-1, target[..., None]).squeeze(-1)
    m = target != pad
    return -(p.log() * m).sum() / m.sum().clamp(min=1)


# === wrong log-of-softmax
def masked_loss_log_of_softmax_masked_select_unseen_1(logits, target, pad):
    m = target != pad
    if not m.any():
        return logits.sum() * 0
    p = logits[m].softmax(-1)
    return -p[torch.arange(len(p)), target[m]].log().mean()


# === wrong log-of-softmax
def masked_loss_floor_unseen_2(logits, target, pad):
    m = target != pad
    p = logits.softmax(-1).gather(-1, target[..., None]).squeeze(-1).clamp_min(1e-9)
    return -(p.log() * m).sum() / m.sum().clamp(min=1)


# === wrong exp-overflows
def masked_loss_exp_logsum_unseen_3(logits, target, pad):
    m = target != pad
    lp = logits.gather(-1, target[..., None]).squeeze(-1) - logits.exp().sum(-1).log()
    return -(lp * m).sum() / m.sum().clamp(min=1)


# === wrong always-the-same
def masked_loss_constant_unseen_7(logits, target, pad):
    return logits.sum() * 0


# === right
def masked_loss_right_unseen_9(logits, target, pad):
    m = target != pad
    return F.cross_entropy(logits.flatten(0, 1), target.flatten(), ignore_index=pad, reduction="sum") / m.sum().clamp(
        min=1
    )


# === right
def masked_loss_right_unseen_10(logits, target, pad):
    total, n = logits.sum() * 0, 0
    for lg, t in zip(logits.flatten(0, 1), target.flatten().tolist()):
        if t != pad:
            total = total - lg.log_softmax(0)[t]
            n += 1
    return total / max(n, 1)


# === wrong padding-not-a-word
def loss_without_the_padding_in_the_vocabulary(logits, target, pad):
    logits = logits.clone()
    logits[..., pad] = float("-inf")
    l = F.cross_entropy(logits.transpose(1, 2), target, reduction="none")
    m = target != pad
    return l[m].sum() / m.sum().clamp(min=1)


# === wrong padding-is-zero
def fresh_ignore_zero(logits, target, pad):
    import torch.nn.functional as F

    return F.cross_entropy(logits.flatten(0, 1), target.flatten(), ignore_index=0)


# === wrong mean-of-sentence-means
def fresh_sentence(logits, target, pad):
    nll = -logits.log_softmax(-1).gather(2, target[..., None])[..., 0]
    m = (target != pad).to(logits.dtype)
    return ((nll * m).sum(1) / m.sum(1).clamp(min=1)).mean()


# === right
def fresh_ce(logits, target, pad):
    import torch.nn.functional as F

    total = F.cross_entropy(logits.flatten(0, 1), target.flatten(), ignore_index=pad, reduction="sum")
    return total / max(int((target != pad).sum()), 1)


# === wrong log-of-softmax
def blind_n2(logits, target, pad):
    p = logits.softmax(-1).gather(2, target[..., None])[..., 0]
    keep = target != pad
    loss = -torch.log(p + 1e-9)
    return (loss * keep).sum() / keep.sum().clamp(min=1)


# === wrong sums-averaged
def blind_n4(logits, target, pad):
    lp = logits.log_softmax(-1).gather(2, target[..., None])[..., 0]
    keep = target != pad
    return -(lp * keep).sum(1).mean()
