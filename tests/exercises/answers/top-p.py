"""Answers to top-p, as readers write them; `verdicts.py` says how to read this file."""
# ruff: noqa (this is how people write)

import numpy as np
import torch


def ranked(probs):
    return torch.sort(probs, descending=True)


# === right
def nucleus_by_a_loop(probs, p):
    total, kept = 0.0, []
    for i in probs.argsort(descending=True).tolist():
        kept.append(i)
        total += float(probs[i])
        if total >= p:
            break
    out = torch.zeros_like(probs)
    out[kept] = probs[kept]
    return out / out.sum()


# === right
def nucleus_by_comparison(probs, p):
    likelier = probs[None, :] > probs[:, None]  # (V, V): row i, who is likelier than i
    before = (likelier * probs).sum(-1)
    kept = torch.where(before < p, probs, torch.zeros_like(probs))
    return kept / kept.sum()


# === right
def nucleus_by_argsort_twice(probs, p):
    order = torch.argsort(probs, descending=True)
    ranked = probs[order]
    ranked = ranked * (ranked.cumsum(0) - ranked < p)
    back = torch.argsort(order)
    return (ranked / ranked.sum())[back]


# === right
def nucleus_by_the_library_idiom(probs, p):
    ranked, order = torch.sort(probs, descending=True)
    remove = torch.cumsum(ranked, dim=-1) >= p
    remove = torch.cat([torch.zeros_like(remove[:1]), remove[:-1]])
    removed = torch.zeros_like(remove)
    removed[order] = remove
    left = probs.masked_fill(removed, 0.0)
    return left / left.sum(-1, keepdim=True)


# === right
def nucleus_by_counting(probs, p):
    ranked, order = probs.sort(descending=True)
    count = int((ranked.cumsum(0) < p).sum()) + 1
    count = min(count, len(probs))
    top = ranked[:count] / ranked[:count].sum()
    return torch.zeros_like(probs).scatter(0, order[:count], top)


# === right
def nucleus_of_the_book(probs, p):
    from attnbook.translation.sampling import filter_logits

    kept = filter_logits(probs.detach().log(), top_p=float(p)).isfinite()
    return probs * kept / (probs * kept).sum()


# === right
def nucleus_by_a_threshold(probs, p):
    ranked = probs.sort(descending=True)[0]
    least = ranked[ranked.cumsum(0) - ranked < p][-1]
    kept = probs * (probs >= least)
    return kept / kept.sum()


# === right
def nucleus_from_below(probs, p):
    upwards, order = torch.sort(probs)
    keep = upwards.cumsum(0) > 1 - p
    out = torch.zeros_like(probs).scatter(0, order, upwards * keep)
    return out / out.sum()


# === wrong crossing-word-dropped
def nucleus_below_p(probs, p):
    sorted_probs, order = ranked(probs)
    mask = sorted_probs.cumsum(0) <= p
    out = torch.zeros_like(probs)
    out[order[mask]] = sorted_probs[mask]
    return out / out.sum()


# === wrong crossing-word-dropped-but-one
def nucleus_strictly_below_p(probs, p):
    sorted_probs, order = ranked(probs)
    mask = sorted_probs.cumsum(0) < p
    mask[0] = True
    out = torch.zeros_like(probs)
    out[order[mask]] = sorted_probs[mask]
    return out / out.sum()


# === wrong not-rescaled
def nucleus_not_rescaled(probs, p):
    sorted_probs, order = ranked(probs)
    keep = order[: int((sorted_probs.cumsum(0) < p).sum()) + 1]
    return torch.zeros_like(probs).scatter(0, keep, probs[keep])


# === wrong in-sorted-order
def nucleus_sorted(probs, p):
    sorted_probs, order = ranked(probs)
    keep = sorted_probs.cumsum(0) - sorted_probs < p
    return sorted_probs * keep / (sorted_probs * keep).sum()


# === wrong mask-in-sorted-order
def nucleus_mask_unsorted(probs, p):
    sorted_probs, _ = ranked(probs)
    keep = sorted_probs.cumsum(0) - sorted_probs < p
    return probs * keep / (probs * keep).sum()


# === wrong indexed-with-order
def nucleus_indexes_forward(probs, p):
    sorted_probs, order = ranked(probs)
    sorted_probs = sorted_probs * (sorted_probs.cumsum(0) - sorted_probs < p)
    return (sorted_probs / sorted_probs.sum())[order]


# === wrong least-likely-first
def nucleus_ascending(probs, p):
    sorted_probs, order = torch.sort(probs)
    keep = sorted_probs.cumsum(0) - sorted_probs < p
    out = torch.zeros_like(probs).scatter(0, order, sorted_probs * keep)
    return out / out.sum()


# === wrong softmax-of-probabilities
def nucleus_by_softmax(probs, p):
    sorted_probs, order = ranked(probs)
    keep = sorted_probs.cumsum(0) - sorted_probs < p
    mask = torch.zeros_like(keep).scatter(0, order, keep)
    return probs.masked_fill(~mask, -torch.inf).softmax(-1)


# === wrong softmax-first
def nucleus_softmax_first(probs, p):
    probs = probs.softmax(-1)
    sorted_probs, order = ranked(probs)
    keep = sorted_probs.cumsum(0) - sorted_probs < p
    out = torch.zeros_like(probs).scatter(0, order, sorted_probs * keep)
    return out / out.sum()


# === wrong min-p
def nucleus_min_p(probs, p):
    keep = probs >= p * probs.max()
    return probs * keep / (probs * keep).sum()


# === wrong p-as-a-threshold
def nucleus_threshold(probs, p):
    kept = torch.where(probs > p, probs, torch.zeros_like(probs))
    return kept / kept.sum()


# === wrong share-of-the-vocabulary
def nucleus_top_k(probs, p):
    k = max(1, int(p * len(probs)))
    top = probs.topk(k)
    return torch.zeros_like(probs).scatter(0, top.indices, top.values / top.values.sum())


# === wrong one-too-many
def nucleus_one_more(probs, p):
    sorted_probs, order = ranked(probs)
    n = int((sorted_probs.cumsum(0) < p).sum()) + 2
    out = torch.zeros_like(probs)
    out[order[:n]] = probs[order[:n]]
    return out / out.sum()


# === wrong one-too-many-at-exactly-p
def nucleus_exactly(probs, p):
    sorted_probs, order = ranked(probs)
    keep = sorted_probs.cumsum(0) - sorted_probs <= p
    out = torch.zeros_like(probs).scatter(0, order, sorted_probs * keep)
    return out / out.sum()


# === wrong divided-by-p
def nucleus_divides_by_p(probs, p):
    sorted_probs, order = ranked(probs)
    keep = sorted_probs.cumsum(0) - sorted_probs < p
    return torch.zeros_like(probs).scatter(0, order, sorted_probs * keep) / p


# === wrong writes-into-argument
def nucleus_in_place(probs, p):
    sorted_probs, order = ranked(probs)
    probs[order[sorted_probs.cumsum(0) - sorted_probs >= p]] = 0
    return probs / probs.sum()


# === wrong in-sorted-order + zeros-left-out
def nucleus_short(probs, p):
    sorted_probs, _ = ranked(probs)
    kept = sorted_probs[sorted_probs.cumsum(0) - sorted_probs < p]
    return kept / kept.sum()


# === wrong mask-returned
def nucleus_as_a_mask(probs, p):
    sorted_probs, order = ranked(probs)
    return torch.zeros_like(probs).scatter(0, order, (sorted_probs.cumsum(0) - sorted_probs < p).to(probs))


# === wrong returns-a-tuple
def nucleus_with_order(probs, p):
    sorted_probs, order = ranked(probs)
    kept = sorted_probs * (sorted_probs.cumsum(0) - sorted_probs < p)
    return kept / kept.sum(), order


# === wrong returns-numpy
def nucleus_from_numpy(probs, p):
    q = probs.detach().numpy()
    order = np.argsort(-q)
    n = int((np.cumsum(q[order]) < p).sum()) + 1
    out = np.zeros_like(q)
    out[order[:n]] = q[order[:n]]
    return out / out.sum()


# === wrong no-gradient
def nucleus_detached(probs, p):
    sorted_probs, order = ranked(probs.detach())
    keep = sorted_probs.cumsum(0) - sorted_probs < p
    out = torch.zeros_like(sorted_probs).scatter(0, order, sorted_probs * keep)
    return out / out.sum()


# === wrong the-tail
def nucleus_keeps_the_tail(probs, p):
    sorted_probs, order = ranked(probs)
    out = probs.clone()
    out[order[sorted_probs.cumsum(0) - sorted_probs < p]] = 0
    return out / out.sum()


# === wrong fails-at-the-edge
def nucleus_forgets_the_last_when_all(probs, p):
    sorted_probs, order = ranked(probs)
    n = int(torch.nonzero(sorted_probs.cumsum(0) > p)[0]) + 1
    out = torch.zeros_like(probs)
    out[order[:n]] = probs[order[:n]]
    return out / out.sum()


# === wrong not-repeatable
def nucleus_samples(probs, p):
    sorted_probs, order = ranked(probs)
    keep = sorted_probs * (sorted_probs.cumsum(0) - sorted_probs < p)
    return order[torch.multinomial(keep / keep.sum(), 1)]


# === wrong the-likeliest-only
def nucleus_largest_alone(probs, p):
    out = torch.zeros_like(probs)
    out[probs.argmax()] = 1.0
    return out


# === wrong few-digits
def nucleus_rounded(probs, p):
    sorted_probs, order = ranked(probs)
    keep = sorted_probs.cumsum(0) - sorted_probs < p
    out = torch.zeros_like(probs).scatter(0, order, sorted_probs * keep)
    return (1000 * out / out.sum()).round() / 1000


# === wrong ignores-an-argument
def nucleus_of_nine_tenths(probs, p):
    sorted_probs, order = ranked(probs)
    keep = sorted_probs.cumsum(0) - sorted_probs < 0.9
    out = torch.zeros_like(probs).scatter(0, order, sorted_probs * keep)
    return out / out.sum()


# === wrong changes-dtype
def nucleus_in_float32(probs, p):
    q = probs.float()
    sorted_probs, order = torch.sort(q, descending=True)
    out = torch.zeros(len(q)).scatter(0, order, sorted_probs * (sorted_probs.cumsum(0) - sorted_probs < p))
    return out / out.sum()


# === wrong unknown
def nucleus_squares(probs, p):
    sorted_probs, order = ranked(probs)
    keep = sorted_probs.cumsum(0) - sorted_probs < p
    out = torch.zeros_like(probs).scatter(0, order, sorted_probs * keep)
    return out * probs / (out * probs).sum()


# === wrong sum-never-reached
def top_p_mask_p_1_float_unseen_1(probs, p):
    s, i = probs.sort(descending=True)
    n = int((s.cumsum(0) >= p).nonzero()[0]) + 1
    out = torch.zeros_like(probs)
    out[i[:n]] = s[:n]
    return out / out.sum()


# === wrong sum-never-reached
def top_p_p_1_argmax_unseen_2(probs, p):
    s, i = probs.sort(descending=True)
    n = int((s.cumsum(0) >= p).to(torch.int).argmax()) + 1
    out = torch.zeros_like(probs)
    out[i[:n]] = s[:n]
    return out / out.sum()


# === wrong unknown
def top_p_int_unseen_b3(probs, p):
    return (probs > p).int()


# === wrong crossing-word-dropped-but-one
def fresh_below(probs, p):
    s, o = probs.sort(descending=True)
    keep = s.cumsum(0) <= p
    keep[0] = True
    out = torch.zeros_like(probs)
    out[o[keep]] = probs[o[keep]]
    return out / out.sum()


# === wrong right-for-the-example-only
def fresh_threshold(probs, p):
    kept = torch.where(probs >= probs.max() * (1 - p), probs, torch.zeros_like(probs))
    return kept / kept.sum()


# === wrong one-too-many-at-exactly-p
def fresh_cum_after(probs, p):
    s, o = probs.sort(descending=True)
    keep = s.cumsum(0) - s <= p
    out = torch.zeros_like(probs).scatter(0, o, s * keep)
    return out / out.sum()


# === right
def fresh_loop(probs, p):
    keep, total = torch.zeros_like(probs), 0.0
    for i in probs.argsort(descending=True).tolist():
        if total >= p:
            break
        keep[i] = 1
        total += float(probs[i].detach())
    return probs * keep / (probs * keep).sum()


# === wrong share-of-the-vocabulary
def top_share(probs, p):
    k = max(1, round(p * len(probs)))
    v, i = probs.topk(k)
    out = torch.zeros_like(probs)
    out[i] = v
    return out / out.sum()


# === right
def ascending_leq(probs, p):
    s, i = probs.sort()
    gone = s.cumsum(0) <= 1 - p
    out = probs * ~torch.zeros_like(gone).scatter(0, i, gone)
    return out / out.sum()


# === right
def pairwise(probs, p):
    before = torch.einsum("i,ij->j", probs, (probs[:, None] > probs).to(probs))
    kept = torch.where(before < p, probs, torch.zeros_like(probs))
    return kept / kept.sum()
