"""Right answers to the exercises on decoding, as different people write them."""
# ruff: noqa (this is how people write)

import heapq
import math

import numpy as np
import torch
import torch.nn.functional as F
from right_answers import right


# --- beam-search ----------------------------------------------------------------------------------------------


@right("beam-search")
def beam_by_topk(next_log_probs, eos, width, max_len):
    beams, totals, finished = [()], torch.zeros(1, dtype=torch.float64), []
    for _ in range(max_len):
        table = torch.stack([next_log_probs(b) for b in beams]) + totals[:, None]
        V = table.shape[1]
        best, where = table.flatten().topk(min(width - len(finished), table.numel()))
        new, kept = [], []
        for score, place in zip(best.tolist(), where.tolist()):
            prefix = beams[place // V] + (place % V,)
            if place % V == eos:
                finished.append((score, prefix))
            else:
                new.append(prefix)
                kept.append(score)
        beams, totals = new, torch.tensor(kept, dtype=torch.float64)
        if not beams:
            break
    pool = finished if finished else list(zip(totals.tolist(), beams))
    return list(max(pool)[1])


@right("beam-search")
def beam_with_dictionaries(next_log_probs, eos, width, max_len):
    open_, done = {(): 0.0}, {}
    while open_ and max_len > 0:
        max_len -= 1
        candidates = {}
        for prefix, total in open_.items():
            for word, lp in enumerate(next_log_probs(prefix)):
                candidates[prefix + (word,)] = total + float(lp)
        ranking = sorted(candidates, key=candidates.get, reverse=True)[
            : width - len(done)
        ]
        open_ = {p: candidates[p] for p in ranking if p[-1] != eos}
        done.update({p: candidates[p] for p in ranking if p[-1] == eos})
    pool = done or open_
    return list(max(pool, key=pool.get))


@right("beam-search")
def beam_with_a_heap(next_log_probs, eos, width, max_len):
    beams = [(0.0, ())]
    finished = []
    for step in range(max_len):
        every = []
        for total, prefix in beams:
            log_probs = next_log_probs(prefix)
            for word in range(len(log_probs)):
                every.append((total + log_probs[word].item(), prefix + (word,)))
        beams = []
        for item in heapq.nlargest(width - len(finished), every):
            (finished if item[1][-1] == eos else beams).append(item)
        if not beams or len(finished) == width:
            break
    return list(max(finished or beams)[1])


@right("beam-search")
def beam_with_costs(next_log_probs, eos, width, max_len):
    beams, finished = [(0.0, [])], []
    for _ in range(max_len):
        if not beams:
            break
        grown = []
        for cost, words in beams:
            for word, lp in enumerate(next_log_probs(tuple(words)).tolist()):
                grown.append((cost - lp, words + [word]))
        grown.sort(key=lambda x: x[0])
        places = width - len(finished)
        beams = []
        for cost, words in grown[:places]:
            if words[-1] == eos:
                finished.append((cost, words))
            else:
                beams.append((cost, words))
    return min(finished or beams, key=lambda x: x[0])[1]


@right("beam-search")
def beam_by_pruning_each_first(next_log_probs, eos, width, max_len):
    beams, finished = [((), 0.0)], []
    for _ in range(max_len):
        grown = []
        for prefix, total in beams:
            log_probs = next_log_probs(prefix)
            top = log_probs.topk(min(width, len(log_probs)))
            grown += [
                (prefix + (w,), total + lp)
                for lp, w in zip(top.values.tolist(), top.indices.tolist())
            ]
        grown.sort(key=lambda b: -b[1])
        best = grown[: width - len(finished)]
        finished += [b for b in best if b[0][-1] == eos]
        beams = [b for b in best if b[0][-1] != eos]
        if not beams:
            break
    return list(max(finished or beams, key=lambda b: b[1])[0])


@right("beam-search")
def beam_in_a_class(next_log_probs, eos, width, max_len):
    class Hypothesis:
        def __init__(self, words, score):
            self.words, self.score = words, score

        @property
        def ended(self):
            return bool(self.words) and self.words[-1] == eos

    active, ended = [Hypothesis([], 0.0)], []
    for _ in range(max_len):
        new = [
            Hypothesis([*h.words, w], h.score + lp)
            for h in active
            for w, lp in enumerate(next_log_probs(tuple(h.words)).numpy())
        ]
        new = sorted(new, key=lambda h: h.score)[::-1][: width - len(ended)]
        active = [h for h in new if not h.ended]
        ended.extend(h for h in new if h.ended)
        if not active:
            break
    return max(ended if ended else active, key=lambda h: h.score).words


# --- length-penalty -------------------------------------------------------------------------------------------


@right("length-penalty")
def penalty_by_a_loop(candidates, alpha):
    best, where = -math.inf, None
    for i, (log_prob, length) in enumerate(candidates):
        score = log_prob / math.pow((5 + length) / 6, alpha)
        if score > best:
            best, where = score, i
    return where


@right("length-penalty")
def penalty_by_max(candidates, alpha):
    return max(
        range(len(candidates)),
        key=lambda i: candidates[i][0] / ((5 + candidates[i][1]) / 6) ** alpha,
    )


@right("length-penalty")
def penalty_without_the_six(candidates, alpha):
    scores = [lp / (5 + n) ** alpha for lp, n in candidates]  # 6^α is the same for all
    return int(np.argmax(scores))


@right("length-penalty")
def penalty_by_torch(candidates, alpha):
    log_probs, lengths = torch.tensor(
        [list(pair) for pair in candidates], dtype=torch.float64
    ).T
    return (log_probs * ((5 + lengths) / 6).pow(-alpha)).argmax().item()


@right("length-penalty")
def penalty_by_sorting(candidates, alpha):
    ranking = sorted(
        enumerate(candidates),
        key=lambda pair: pair[1][0] / ((5 + pair[1][1]) / 6) ** alpha,
    )
    return ranking[-1][0]


@right("length-penalty")
def penalty_of_the_book(candidates, alpha):
    from attnbook.translation import length_penalty_factor

    scores = [lp / length_penalty_factor(n, alpha) for lp, n in candidates]
    return scores.index(max(scores))


# --- top-p ----------------------------------------------------------------------------------------------------


@right("top-p")
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


@right("top-p")
def nucleus_by_comparison(probs, p):
    likelier = probs[None, :] > probs[:, None]  # (V, V): row i, who is likelier than i
    before = (likelier * probs).sum(-1)
    kept = torch.where(before < p, probs, torch.zeros_like(probs))
    return kept / kept.sum()


@right("top-p")
def nucleus_by_argsort_twice(probs, p):
    order = torch.argsort(probs, descending=True)
    ranked = probs[order]
    ranked = ranked * (ranked.cumsum(0) - ranked < p)
    back = torch.argsort(order)
    return (ranked / ranked.sum())[back]


@right("top-p")
def nucleus_by_the_library_idiom(probs, p):
    ranked, order = torch.sort(probs, descending=True)
    remove = torch.cumsum(ranked, dim=-1) >= p
    remove = torch.cat([torch.zeros_like(remove[:1]), remove[:-1]])
    removed = torch.zeros_like(remove)
    removed[order] = remove
    left = probs.masked_fill(removed, 0.0)
    return left / left.sum(-1, keepdim=True)


@right("top-p")
def nucleus_by_counting(probs, p):
    ranked, order = probs.sort(descending=True)
    count = int((ranked.cumsum(0) < p).sum()) + 1
    count = min(count, len(probs))
    top = ranked[:count] / ranked[:count].sum()
    return torch.zeros_like(probs).scatter(0, order[:count], top)


@right("top-p")
def nucleus_of_the_book(probs, p):
    from attnbook.translation import filter_logits

    kept = filter_logits(probs.detach().log(), top_p=float(p)).isfinite()
    return probs * kept / (probs * kept).sum()


@right("top-p")
def nucleus_by_a_threshold(probs, p):
    ranked = probs.sort(descending=True)[0]
    least = ranked[ranked.cumsum(0) - ranked < p][-1]
    kept = probs * (probs >= least)
    return kept / kept.sum()


@right("top-p")
def nucleus_from_below(probs, p):
    upwards, order = torch.sort(probs)
    keep = upwards.cumsum(0) > 1 - p
    out = torch.zeros_like(probs).scatter(0, order, upwards * keep)
    return out / out.sum()


# --- key-value-cache ------------------------------------------------------------------------------------------


@right("key-value-cache")
def cache_with_torchs_attention(q, k, v, past_keys, past_values, rotate):
    t, T = past_keys.size(2), q.size(2)
    pos = torch.arange(t, t + T, device=q.device)
    keys = torch.cat((past_keys, rotate(k, pos)), 2)
    values = torch.cat((past_values, v), 2)
    mask = torch.ones(T, t + T, dtype=torch.bool, device=q.device).tril(diagonal=t)
    return (
        F.scaled_dot_product_attention(rotate(q, pos), keys, values, attn_mask=mask),
        keys,
        values,
    )


@right("key-value-cache")
def cache_word_by_word(q, k, v, past_keys, past_values, rotate):
    keys, values, outputs = past_keys, past_values, []
    for i in range(q.shape[2]):
        here = torch.tensor([keys.shape[2]], device=q.device)
        keys = torch.cat([keys, rotate(k[:, :, i : i + 1], here)], dim=2)
        values = torch.cat([values, v[:, :, i : i + 1]], dim=2)
        scores = rotate(q[:, :, i : i + 1], here) @ keys.mT / q.shape[-1] ** 0.5
        outputs.append(scores.softmax(-1) @ values)
    return torch.cat(outputs, dim=2), keys, values


@right("key-value-cache")
def cache_by_einsum(q, k, v, past_keys, past_values, rotate):
    t = past_keys.shape[-2]
    positions = t + torch.arange(q.shape[-2], device=q.device)
    keys = torch.cat([past_keys, rotate(k, positions)], dim=-2)
    values = torch.cat([past_values, v], dim=-2)
    scores = (
        torch.einsum("bhtd,bhsd->bhts", rotate(q, positions), keys)
        * q.shape[-1] ** -0.5
    )
    future = torch.triu(torch.ones_like(scores[0, 0]), diagonal=t + 1).bool()
    weights = torch.softmax(scores.masked_fill(future, float("-inf")), dim=-1)
    return torch.einsum("bhts,bhsd->bhtd", weights, values), keys, values


@right("key-value-cache")
def cache_turning_all_queries_at_once(q, k, v, past_keys, past_values, rotate):
    B, H, T, Dh = q.shape
    t = past_keys.shape[2]
    everywhere = torch.arange(t + T, device=q.device)
    padded = torch.cat([torch.zeros_like(past_keys), k], dim=2)
    turned = rotate(padded, everywhere)[:, :, t:]
    keys = torch.cat([past_keys, turned], 2)
    values = torch.cat([past_values, v], 2)
    query = rotate(torch.cat([torch.zeros_like(past_keys), q], 2), everywhere)[:, :, t:]
    scores = (query / math.sqrt(Dh)) @ keys.transpose(-1, -2)
    add = torch.zeros_like(scores).masked_fill(
        everywhere[None] > everywhere[t:, None], -torch.inf
    )
    return (scores + add).softmax(-1) @ values, keys, values


@right("key-value-cache")
def cache_with_the_books_mask(q, k, v, past_keys, past_values, rotate):
    from attnbook.attention import causal_mask, masked_softmax

    t, T = past_keys.shape[2], k.shape[2]
    new = torch.arange(t + T, device=k.device)[t:]
    keys, values = (
        torch.cat([past_keys, rotate(k, new)], 2),
        torch.cat([past_values, v], 2),
    )
    scores = rotate(q, new) @ keys.mT / math.sqrt(q.shape[-1])
    return (
        masked_softmax(scores, mask=causal_mask(T, t + T, device=q.device)) @ values,
        keys,
        values,
    )


@right("key-value-cache")
def cache_as_a_list(q, k, v, past_keys, past_values, rotate):
    start = past_keys.shape[2]
    stop = start + k.shape[2]
    where = torch.arange(start, stop, device=k.device)
    q, k = rotate(q, where), rotate(k, where)
    keys = torch.cat([past_keys, k], dim=2)
    values = torch.cat([past_values, v], dim=2)
    rows = []
    for i in range(q.shape[2]):
        seen = start + i + 1
        scores = (q[:, :, i, None] * keys[:, :, :seen]).sum(-1) / q.shape[-1] ** 0.5
        rows.append((scores.softmax(-1)[..., None] * values[:, :, :seen]).sum(2))
    return [torch.stack(rows, 2), keys, values]
