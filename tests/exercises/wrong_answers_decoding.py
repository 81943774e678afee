"""Wrong answers to the exercises on decoding, as readers write them, each with the diagnosis that it should hear."""
# ruff: noqa (this is how people write)

import math

import numpy as np
import torch
import torch.nn.functional as F
from wrong_answers import wrong


# --- beam-search ----------------------------------------------------------------------------------------------


def grow(next_log_probs, beams):
    return [
        (prefix + (word,), total + lp)
        for prefix, total in beams
        for word, lp in enumerate(next_log_probs(prefix).tolist())
    ]


def score(beam):
    return beam[1]


def search(next_log_probs, eos, width, max_len, key=score, last=score, shrink=True):
    beams, finished = [((), 0.0)], []
    for _ in range(max_len):
        places = width - len(finished) if shrink else width
        best = sorted(grow(next_log_probs, beams), key=key, reverse=True)[:places]
        finished += [b for b in best if b[0][-1] == eos]
        beams = [b for b in best if b[0][-1] != eos]
        if not beams:
            break
    return max(finished or beams, key=last)


@wrong("beam-search", "greedy")
def beam_is_greedy(next_log_probs, eos, width, max_len):
    words = []
    while len(words) < max_len and (not words or words[-1] != eos):
        words.append(int(next_log_probs(tuple(words)).argmax()))
    return words


@wrong("beam-search", "not-added-up")
def beam_does_not_add(next_log_probs, eos, width, max_len):
    beams, finished = [((), 0.0)], []
    for _ in range(max_len):
        grown = [
            (p + (w,), lp)
            for p, _ in beams
            for w, lp in enumerate(next_log_probs(p).tolist())
        ]
        best = sorted(grown, key=score, reverse=True)[: width - len(finished)]
        finished += [b for b in best if b[0][-1] == eos]
        beams = [b for b in best if b[0][-1] != eos]
        if not beams:
            break
    return list(max(finished or beams, key=score)[0])


@wrong("beam-search", "width-for-each-beginning")
def beam_keeps_width_each(next_log_probs, eos, width, max_len):
    beams, finished = [((), 0.0)], []
    for _ in range(max_len):
        grown = []
        for beam in beams:
            grown += sorted(grow(next_log_probs, [beam]), key=score, reverse=True)[
                :width
            ]
        finished += [b for b in grown if b[0][-1] == eos]
        beams = [b for b in grown if b[0][-1] != eos]
    return list(max(finished or beams, key=score)[0])


@wrong("beam-search", "product-of-probabilities")
def beam_multiplies(next_log_probs, eos, width, max_len):
    beams, finished = [((), 1.0)], []
    for _ in range(max_len):
        grown = [
            (p + (w,), q * math.exp(lp))
            for p, q in beams
            for w, lp in enumerate(next_log_probs(p).tolist())
        ]
        best = sorted(grown, key=score, reverse=True)[: width - len(finished)]
        finished += [b for b in best if b[0][-1] == eos]
        beams = [b for b in best if b[0][-1] != eos]
        if not beams:
            break
    return list(max(finished or beams, key=score)[0])


@wrong("beam-search", "finished-take-no-place")
def beam_wide(next_log_probs, eos, width, max_len):
    return list(search(next_log_probs, eos, width, max_len, shrink=False)[0])


@wrong("beam-search", "finished-compete")
def beam_keeps_finished_in_the_race(next_log_probs, eos, width, max_len):
    beams = [((), 0.0)]
    for _ in range(max_len):
        grown = []
        for prefix, total in beams:
            grown += (
                [(prefix, total)]
                if prefix[-1:] == (eos,)
                else grow(next_log_probs, [(prefix, total)])
            )
        beams = sorted(grown, key=score, reverse=True)[:width]
    done = [b for b in beams if b[0][-1] == eos]
    return list(max(done or beams, key=score)[0])


@wrong("beam-search", "last-to-finish")
def beam_returns_the_last_finished(next_log_probs, eos, width, max_len):
    beams, best_so_far = [((), 0.0)], None
    places = width
    for _ in range(max_len):
        kept = sorted(grow(next_log_probs, beams), key=score, reverse=True)[:places]
        for b in kept:
            if b[0][-1] == eos:
                best_so_far = b
                places -= 1
        beams = [b for b in kept if b[0][-1] != eos]
        if not beams:
            break
    return list((best_so_far or beams[-1])[0])


@wrong("beam-search", "another-sentence")
def beam_twice_as_wide(next_log_probs, eos, width, max_len):
    return list(search(next_log_probs, eos, 2 * width, max_len)[0])


@wrong("beam-search", "ignores-an-argument")
def beam_of_three(next_log_probs, eos, width, max_len):
    return list(search(next_log_probs, eos, 3, max_len)[0])


@wrong("beam-search", "finished-forgotten")
def beam_loses_finished(next_log_probs, eos, width, max_len):
    beams = [((), 0.0)]
    for _ in range(max_len):
        best = sorted(grow(next_log_probs, beams), key=score, reverse=True)[:width]
        beams = [b for b in best if b[0][-1] != eos] or beams
    return list(beams[0][0])


@wrong("beam-search", "goes-on-after-the-end")
def beam_never_ends(next_log_probs, eos, width, max_len):
    beams = [((), 0.0)]
    for _ in range(max_len):
        beams = sorted(grow(next_log_probs, beams), key=score, reverse=True)[:width]
    return list(beams[0][0])


@wrong("beam-search", "cut-at-the-end")
def beam_stops_when_the_best_ends(next_log_probs, eos, width, max_len):
    beams = [((), 0.0)]
    for _ in range(max_len):
        beams = sorted(grow(next_log_probs, beams), key=score, reverse=True)[:width]
        if beams[0][0][-1] == eos:
            break
    return list(beams[0][0])


@wrong("beam-search", "first-to-finish")
def beam_stops_at_the_first_end(next_log_probs, eos, width, max_len):
    beams = [((), 0.0)]
    for _ in range(max_len):
        beams = sorted(grow(next_log_probs, beams), key=score, reverse=True)[:width]
        done = [b for b in beams if b[0][-1] == eos]
        if done:
            return list(done[0][0])
    return list(beams[0][0])


@wrong("beam-search", "unfinished-returned")
def beam_returns_the_best_of_all(next_log_probs, eos, width, max_len):
    beams, finished = [((), 0.0)], []
    for _ in range(max_len):
        best = sorted(grow(next_log_probs, beams), key=score, reverse=True)[
            : width - len(finished)
        ]
        finished += [b for b in best if b[0][-1] == eos]
        beams = [b for b in best if b[0][-1] != eos]
        if not beams:
            break
    return list(max(finished + beams, key=score)[0])


@wrong("beam-search", "best-on-average")
def beam_normalises_at_the_end(next_log_probs, eos, width, max_len):
    return list(
        search(next_log_probs, eos, width, max_len, last=lambda b: b[1] / len(b[0]))[0]
    )


@wrong("beam-search", "first-to-finish")
def beam_likes_short_ones(next_log_probs, eos, width, max_len):
    return list(
        search(next_log_probs, eos, width, max_len, last=lambda b: -len(b[0]))[0]
    )


@wrong("beam-search", "worst-first")
def beam_minimises(next_log_probs, eos, width, max_len):
    return list(search(next_log_probs, eos, width, max_len, key=lambda b: -b[1])[0])


@wrong("beam-search", "end-left-off")
def beam_strips_the_end(next_log_probs, eos, width, max_len):
    return [w for w in search(next_log_probs, eos, width, max_len)[0] if w != eos]


@wrong("beam-search", "returns-a-tuple")
def beam_returns_the_score_too(next_log_probs, eos, width, max_len):
    words, total = search(next_log_probs, eos, width, max_len)
    return list(words), total


@wrong("beam-search", "returns-another-kind")
def beam_returns_the_score(next_log_probs, eos, width, max_len):
    return search(next_log_probs, eos, width, max_len)[1]


@wrong("beam-search", "returns-a-tuple")
def beam_returns_all(next_log_probs, eos, width, max_len):
    words, _ = search(next_log_probs, eos, width, max_len)
    return [list(words), list(words)]


@wrong("beam-search", "a-tuple")
def beam_returns_a_tuple(next_log_probs, eos, width, max_len):
    return search(next_log_probs, eos, width, max_len)[0]


@wrong("beam-search", "a-tensor")
def beam_returns_a_tensor(next_log_probs, eos, width, max_len):
    return torch.tensor(search(next_log_probs, eos, width, max_len)[0])


@wrong("beam-search", "last-word-only")
def beam_asks_with_the_last_word(next_log_probs, eos, width, max_len):
    return list(
        search(lambda prefix: next_log_probs(prefix[-1:]), eos, width, max_len)[0]
    )


@wrong("beam-search", "raises")
def beam_asks_with_a_number(next_log_probs, eos, width, max_len):
    return list(
        search(
            lambda prefix: next_log_probs(prefix[-1] if prefix else 0),
            eos,
            width,
            max_len,
        )[0]
    )


@wrong("beam-search", "raises")
def beam_asks_with_a_tensor(next_log_probs, eos, width, max_len):
    return list(
        search(
            lambda prefix: next_log_probs(torch.tensor(prefix)), eos, width, max_len
        )[0]
    )


@wrong("beam-search", "another-sentence")
def beam_asks_backwards(next_log_probs, eos, width, max_len):
    return list(
        search(lambda prefix: next_log_probs(prefix[::-1]), eos, width, max_len)[0]
    )


@wrong("beam-search", "goes-on-after-the-end")
def beam_divides_by_width(next_log_probs, eos, width, max_len):
    beams, totals, finished = [()], torch.zeros(1, dtype=torch.float64), []
    for _ in range(max_len):
        table = torch.stack([next_log_probs(b) for b in beams]) + totals[:, None]
        best, where = table.flatten().topk(min(width, table.numel()))
        V = table.shape[1]
        beams = [beams[p % len(beams)] + (p // len(beams),) for p in where.tolist()]
        totals = best
    return list(beams[0])


@wrong("beam-search", "raises")
def beam_takes_topk_too_large(next_log_probs, eos, width, max_len):
    beams, totals = [()], torch.zeros(1, dtype=torch.float64)
    for _ in range(max_len):
        table = torch.stack([next_log_probs(b) for b in beams]) + totals[:, None]
        totals, where = table.flatten().topk(width * 20)
        beams = [
            beams[p // table.shape[1]] + (p % table.shape[1],) for p in where.tolist()
        ]
    return list(beams[0])


@wrong("beam-search", "one-word-too-few")
def beam_one_round_less(next_log_probs, eos, width, max_len):
    return (
        list(search(next_log_probs, eos, width, max_len - 1)[0]) if max_len > 1 else []
    )


@wrong("beam-search", "one-word-too-many")
def beam_end_does_not_count(next_log_probs, eos, width, max_len):
    return list(search(next_log_probs, eos, width, max_len + 1)[0])


@wrong("beam-search", "not-repeatable")
def beam_samples(next_log_probs, eos, width, max_len):
    words = []
    while len(words) < max_len and (not words or words[-1] != eos):
        words.append(int(torch.multinomial(next_log_probs(tuple(words)).exp(), 1)))
    return words


@wrong("beam-search", "goes-on-after-the-end")
def beam_begins_with_the_end(next_log_probs, eos, width, max_len):
    words = search(lambda prefix: next_log_probs(prefix), eos, width, max_len)[0]
    return [eos, *words]


@wrong("beam-search", "end-is-zero")
def beam_ends_in_zero(next_log_probs, eos, width, max_len):
    return list(search(next_log_probs, 0, width, max_len)[0])


# --- length-penalty -------------------------------------------------------------------------------------------


def lp(length, alpha):
    return ((5 + length) / 6) ** alpha


def argmax(scores):
    return max(range(len(scores)), key=scores.__getitem__)


@wrong("length-penalty", "no-penalty")
def penalty_forgotten(candidates, alpha):
    return argmax([p for p, n in candidates])


@wrong("length-penalty", "divided-by-the-length")
def penalty_by_length(candidates, alpha):
    return argmax([p / n for p, n in candidates])


@wrong("length-penalty", "power-of-the-length")
def penalty_by_power_of_length(candidates, alpha):
    return argmax([p / n**alpha for p, n in candidates])


@wrong("length-penalty", "power-of-the-length")
def penalty_over_six(candidates, alpha):
    return argmax([p / (n / 6) ** alpha for p, n in candidates])


@wrong("length-penalty", "multiplied")
def penalty_multiplied(candidates, alpha):
    return argmax([p * lp(n, alpha) for p, n in candidates])


@wrong("length-penalty", "multiplied")
def penalty_with_minus_alpha(candidates, alpha):
    return argmax([p / lp(n, -alpha) for p, n in candidates])


@wrong("length-penalty", "the-worst")
def penalty_of_the_worst(candidates, alpha):
    scores = [p / lp(n, alpha) for p, n in candidates]
    return scores.index(min(scores))


@wrong("length-penalty", "the-worst")
def penalty_of_absolute_values(candidates, alpha):
    return argmax([abs(p) / lp(n, alpha) for p, n in candidates])


@wrong("length-penalty", "alpha-ignored")
def penalty_without_alpha(candidates, alpha):
    return argmax([p / ((5 + n) / 6) for p, n in candidates])


@wrong("length-penalty", "alpha-ignored")
def penalty_times_alpha(candidates, alpha):
    return argmax([p / (alpha * (5 + n) / 6) for p, n in candidates])


@wrong("length-penalty", "five-outside-the-fraction")
def penalty_without_brackets(candidates, alpha):
    return argmax([p / (5 + n / 6) ** alpha for p, n in candidates])


@wrong("length-penalty", "alpha-ignored")
def penalty_power_first(candidates, alpha):
    return argmax([p / (5 + n) / 6**alpha for p, n in candidates])


@wrong("length-penalty", "power-inside")
def penalty_divides_in_a_row(candidates, alpha):
    return argmax([p / ((5 + n**alpha) / 6) for p, n in candidates])


@wrong("length-penalty", "added")
def penalty_as_a_reward(candidates, alpha):
    return argmax([p + alpha * n for p, n in candidates])


@wrong("length-penalty", "subtracted")
def penalty_subtracts(candidates, alpha):
    return argmax([p - lp(n, alpha) for p, n in candidates])


@wrong("length-penalty", "probabilities-divided")
def penalty_of_probabilities(candidates, alpha):
    return argmax([math.exp(p) / lp(n, alpha) for p, n in candidates])


@wrong("length-penalty", "another-winner")
def penalty_with_log(candidates, alpha):
    return argmax([p / math.log(5 + n) ** alpha for p, n in candidates])


@wrong("length-penalty", "another-winner")
def penalty_root(candidates, alpha):
    return argmax([p / lp(n, alpha / 2) for p, n in candidates])


@wrong("length-penalty", "returns-a-tuple")
def penalty_returns_the_pair(candidates, alpha):
    return max(candidates, key=lambda c: c[0] / lp(c[1], alpha))


@wrong("length-penalty", "the-score")
def penalty_returns_the_score(candidates, alpha):
    return max(p / lp(n, alpha) for p, n in candidates)


@wrong("length-penalty", "the-length")
def penalty_returns_the_length(candidates, alpha):
    return max(candidates, key=lambda c: c[0] / lp(c[1], alpha))[1]


@wrong("length-penalty", "place-in-the-ranking")
def penalty_sorts_first(candidates, alpha):
    candidates = sorted(candidates, key=lambda c: c[0] / lp(c[1], alpha), reverse=True)
    return candidates.index(candidates[0])


@wrong("length-penalty", "writes-into-argument")
def penalty_sorts_in_place(candidates, alpha):
    before = list(candidates)
    candidates.sort(key=lambda c: c[0] / lp(c[1], alpha))
    return before.index(candidates[-1])


@wrong("length-penalty", "counted-from-one")
def penalty_from_one(candidates, alpha):
    return 1 + argmax([p / lp(n, alpha) for p, n in candidates])


@wrong("length-penalty", "a-tensor")
def penalty_as_a_tensor(candidates, alpha):
    return torch.tensor([p / lp(n, alpha) for p, n in candidates]).argmax()


@wrong("length-penalty", "a-float")
def penalty_as_a_float(candidates, alpha):
    best = torch.tensor([p / lp(n, alpha) for p, n in candidates]).max(0)
    return float(best.indices)


@wrong("length-penalty", "raises")
def penalty_unpacks_the_list(candidates, alpha):
    log_prob, length = candidates
    return log_prob / lp(length, alpha)


@wrong("length-penalty", "raises")
def penalty_swaps_the_pair(candidates, alpha):
    return argmax([p / lp(n, alpha) for n, p in candidates])


@wrong("length-penalty", "end-not-counted")
def penalty_counts_without_the_end(candidates, alpha):
    return argmax([p / ((5 + n - 1) / 6) ** alpha for p, n in candidates])


@wrong("length-penalty", "prints")
def penalty_prints(candidates, alpha):
    print(argmax([p / lp(n, alpha) for p, n in candidates]))


@wrong("length-penalty", "returns-a-tuple")
def penalty_returns_all_scores(candidates, alpha):
    return [p / lp(n, alpha) for p, n in candidates]


@wrong("length-penalty", "another-winner")
def penalty_adds_alpha_to_the_divisor(candidates, alpha):
    return argmax([p / ((5 + n) / 6 + alpha) for p, n in candidates])


@wrong("length-penalty", "writes-into-argument")
def penalty_pops(candidates, alpha):
    scores = []
    while candidates:
        p, n = candidates.pop(0)
        scores.append(p / lp(n, alpha))
    return argmax(scores)


# --- top-p ----------------------------------------------------------------------------------------------------


def ranked(probs):
    return torch.sort(probs, descending=True)


@wrong("top-p", "crossing-word-dropped")
def nucleus_below_p(probs, p):
    sorted_probs, order = ranked(probs)
    mask = sorted_probs.cumsum(0) <= p
    out = torch.zeros_like(probs)
    out[order[mask]] = sorted_probs[mask]
    return out / out.sum()


@wrong("top-p", "crossing-word-dropped-but-one")
def nucleus_strictly_below_p(probs, p):
    sorted_probs, order = ranked(probs)
    mask = sorted_probs.cumsum(0) < p
    mask[0] = True
    out = torch.zeros_like(probs)
    out[order[mask]] = sorted_probs[mask]
    return out / out.sum()


@wrong("top-p", "not-rescaled")
def nucleus_not_rescaled(probs, p):
    sorted_probs, order = ranked(probs)
    keep = order[: int((sorted_probs.cumsum(0) < p).sum()) + 1]
    return torch.zeros_like(probs).scatter(0, keep, probs[keep])


@wrong("top-p", "in-sorted-order")
def nucleus_sorted(probs, p):
    sorted_probs, order = ranked(probs)
    keep = sorted_probs.cumsum(0) - sorted_probs < p
    return sorted_probs * keep / (sorted_probs * keep).sum()


@wrong("top-p", "mask-in-sorted-order")
def nucleus_mask_unsorted(probs, p):
    sorted_probs, _ = ranked(probs)
    keep = sorted_probs.cumsum(0) - sorted_probs < p
    return probs * keep / (probs * keep).sum()


@wrong("top-p", "indexed-with-order")
def nucleus_indexes_forward(probs, p):
    sorted_probs, order = ranked(probs)
    sorted_probs = sorted_probs * (sorted_probs.cumsum(0) - sorted_probs < p)
    return (sorted_probs / sorted_probs.sum())[order]


@wrong("top-p", "least-likely-first")
def nucleus_ascending(probs, p):
    sorted_probs, order = torch.sort(probs)
    keep = sorted_probs.cumsum(0) - sorted_probs < p
    out = torch.zeros_like(probs).scatter(0, order, sorted_probs * keep)
    return out / out.sum()


@wrong("top-p", "softmax-of-probabilities")
def nucleus_by_softmax(probs, p):
    sorted_probs, order = ranked(probs)
    keep = sorted_probs.cumsum(0) - sorted_probs < p
    mask = torch.zeros_like(keep).scatter(0, order, keep)
    return probs.masked_fill(~mask, -torch.inf).softmax(-1)


@wrong("top-p", "softmax-first")
def nucleus_softmax_first(probs, p):
    probs = probs.softmax(-1)
    sorted_probs, order = ranked(probs)
    keep = sorted_probs.cumsum(0) - sorted_probs < p
    out = torch.zeros_like(probs).scatter(0, order, sorted_probs * keep)
    return out / out.sum()


@wrong("top-p", "min-p")
def nucleus_min_p(probs, p):
    keep = probs >= p * probs.max()
    return probs * keep / (probs * keep).sum()


@wrong("top-p", "p-as-a-threshold")
def nucleus_threshold(probs, p):
    kept = torch.where(probs > p, probs, torch.zeros_like(probs))
    return kept / kept.sum()


@wrong("top-p", "right-for-the-example-only")
def nucleus_top_k(probs, p):
    k = max(1, int(p * len(probs)))
    top = probs.topk(k)
    return torch.zeros_like(probs).scatter(
        0, top.indices, top.values / top.values.sum()
    )


@wrong("top-p", "one-too-many")
def nucleus_one_more(probs, p):
    sorted_probs, order = ranked(probs)
    n = int((sorted_probs.cumsum(0) < p).sum()) + 2
    out = torch.zeros_like(probs)
    out[order[:n]] = probs[order[:n]]
    return out / out.sum()


@wrong("top-p", "one-too-many-at-exactly-p")
def nucleus_exactly(probs, p):
    sorted_probs, order = ranked(probs)
    keep = sorted_probs.cumsum(0) - sorted_probs <= p
    out = torch.zeros_like(probs).scatter(0, order, sorted_probs * keep)
    return out / out.sum()


@wrong("top-p", "divided-by-p")
def nucleus_divides_by_p(probs, p):
    sorted_probs, order = ranked(probs)
    keep = sorted_probs.cumsum(0) - sorted_probs < p
    return torch.zeros_like(probs).scatter(0, order, sorted_probs * keep) / p


@wrong("top-p", "writes-into-argument")
def nucleus_in_place(probs, p):
    sorted_probs, order = ranked(probs)
    probs[order[sorted_probs.cumsum(0) - sorted_probs >= p]] = 0
    return probs / probs.sum()


@wrong("top-p", "wrong-shape")
def nucleus_short(probs, p):
    sorted_probs, _ = ranked(probs)
    kept = sorted_probs[sorted_probs.cumsum(0) - sorted_probs < p]
    return kept / kept.sum()


@wrong("top-p", "mask-returned")
def nucleus_as_a_mask(probs, p):
    sorted_probs, order = ranked(probs)
    return torch.zeros_like(probs).scatter(
        0, order, (sorted_probs.cumsum(0) - sorted_probs < p).to(probs)
    )


@wrong("top-p", "returns-a-tuple")
def nucleus_with_order(probs, p):
    sorted_probs, order = ranked(probs)
    kept = sorted_probs * (sorted_probs.cumsum(0) - sorted_probs < p)
    return kept / kept.sum(), order


@wrong("top-p", "returns-numpy")
def nucleus_from_numpy(probs, p):
    q = probs.detach().numpy()
    order = np.argsort(-q)
    n = int((np.cumsum(q[order]) < p).sum()) + 1
    out = np.zeros_like(q)
    out[order[:n]] = q[order[:n]]
    return out / out.sum()


@wrong("top-p", "no-gradient")
def nucleus_detached(probs, p):
    sorted_probs, order = ranked(probs.detach())
    keep = sorted_probs.cumsum(0) - sorted_probs < p
    out = torch.zeros_like(sorted_probs).scatter(0, order, sorted_probs * keep)
    return out / out.sum()


@wrong("top-p", "the-tail")
def nucleus_keeps_the_tail(probs, p):
    sorted_probs, order = ranked(probs)
    out = probs.clone()
    out[order[sorted_probs.cumsum(0) - sorted_probs < p]] = 0
    return out / out.sum()


@wrong("top-p", "fails-at-the-edge")
def nucleus_forgets_the_last_when_all(probs, p):
    sorted_probs, order = ranked(probs)
    n = int(torch.nonzero(sorted_probs.cumsum(0) > p)[0]) + 1
    out = torch.zeros_like(probs)
    out[order[:n]] = probs[order[:n]]
    return out / out.sum()


@wrong("top-p", "not-repeatable")
def nucleus_samples(probs, p):
    sorted_probs, order = ranked(probs)
    keep = sorted_probs * (sorted_probs.cumsum(0) - sorted_probs < p)
    return order[torch.multinomial(keep / keep.sum(), 1)]


@wrong("top-p", "the-likeliest-only")
def nucleus_largest_alone(probs, p):
    out = torch.zeros_like(probs)
    out[probs.argmax()] = 1.0
    return out


@wrong("top-p", "few-digits")
def nucleus_rounded(probs, p):
    sorted_probs, order = ranked(probs)
    keep = sorted_probs.cumsum(0) - sorted_probs < p
    out = torch.zeros_like(probs).scatter(0, order, sorted_probs * keep)
    return (1000 * out / out.sum()).round() / 1000


@wrong("top-p", "ignores-an-argument")
def nucleus_of_nine_tenths(probs, p):
    sorted_probs, order = ranked(probs)
    keep = sorted_probs.cumsum(0) - sorted_probs < 0.9
    out = torch.zeros_like(probs).scatter(0, order, sorted_probs * keep)
    return out / out.sum()


@wrong("top-p", "changes-dtype")
def nucleus_in_float32(probs, p):
    q = probs.float()
    sorted_probs, order = torch.sort(q, descending=True)
    out = torch.zeros(len(q)).scatter(
        0, order, sorted_probs * (sorted_probs.cumsum(0) - sorted_probs < p)
    )
    return out / out.sum()


@wrong("top-p", "unknown")
def nucleus_squares(probs, p):
    sorted_probs, order = ranked(probs)
    keep = sorted_probs.cumsum(0) - sorted_probs < p
    out = torch.zeros_like(probs).scatter(0, order, sorted_probs * keep)
    return out * probs / (out * probs).sum()


# --- key-value-cache ------------------------------------------------------------------------------------------


def attended(q, keys, values, t, mask="causal", scale=None, dim=-1):
    scores = q @ keys.mT / (scale or math.sqrt(q.shape[-1]))
    T, S = scores.shape[-2:]
    if mask == "causal":
        scores = scores.masked_fill(torch.ones(T, S).triu(t + 1).bool(), -torch.inf)
    elif mask == "corner":
        scores = scores.masked_fill(torch.ones(T, S).triu(1).bool(), -torch.inf)
    return scores.softmax(dim) @ values


def parts(q, k, v, past_keys, past_values, rotate, first=None):
    t, T = past_keys.shape[2], k.shape[2]
    pos = torch.arange(T) + (t if first is None else first)
    keys = torch.cat([past_keys, rotate(k, pos)], 2)
    return rotate(q, pos), keys, torch.cat([past_values, v], 2), t


@wrong("key-value-cache", "position-zero")
def cache_position_zero(q, k, v, past_keys, past_values, rotate):
    q, keys, values, t = parts(q, k, v, past_keys, past_values, rotate, first=0)
    return attended(q, keys, values, t), keys, values


@wrong("key-value-cache", "one-place-too-far")
def cache_position_off_by_one(q, k, v, past_keys, past_values, rotate):
    q, keys, values, t = parts(
        q, k, v, past_keys, past_values, rotate, first=past_keys.shape[2] + 1
    )
    return attended(q, keys, values, t), keys, values


@wrong("key-value-cache", "one-place-behind")
def cache_position_one_behind(q, k, v, past_keys, past_values, rotate):
    q, keys, values, t = parts(
        q, k, v, past_keys, past_values, rotate, first=max(past_keys.shape[2] - 1, 0)
    )
    return attended(q, keys, values, t), keys, values


@wrong("key-value-cache", "unknown")
def cache_position_from_the_batch(q, k, v, past_keys, past_values, rotate):
    q, keys, values, t = parts(
        q, k, v, past_keys, past_values, rotate, first=past_keys.shape[1]
    )
    return attended(q, keys, values, t), keys, values


@wrong("key-value-cache", "query-at-zero")
def cache_query_at_zero(q, k, v, past_keys, past_values, rotate):
    _, keys, values, t = parts(q, k, v, past_keys, past_values, rotate)
    q = rotate(q, torch.arange(q.shape[2]))
    return attended(q, keys, values, t), keys, values


@wrong("key-value-cache", "query-not-turned")
def cache_query_raw(q, k, v, past_keys, past_values, rotate):
    _, keys, values, t = parts(q, k, v, past_keys, past_values, rotate)
    return attended(q, keys, values, t), keys, values


@wrong("key-value-cache", "cached-keys-turned-again")
def cache_turns_everything(q, k, v, past_keys, past_values, rotate):
    t = past_keys.shape[2]
    keys = torch.cat([past_keys, k], dim=2)
    keys = rotate(keys, torch.arange(keys.shape[2]))
    values = torch.cat([past_values, v], dim=2)
    q = rotate(q, torch.arange(t, t + q.shape[2]))
    return attended(q, keys, values, t), keys, values


@wrong("key-value-cache", "raw-keys-kept")
def cache_stores_raw_keys(q, k, v, past_keys, past_values, rotate):
    q, keys, values, t = parts(q, k, v, past_keys, past_values, rotate)
    return attended(q, keys, values, t), torch.cat([past_keys, k], 2), values


@wrong("key-value-cache", "values-turned")
def cache_turns_values(q, k, v, past_keys, past_values, rotate):
    t = past_keys.shape[2]
    v = rotate(v, torch.arange(t, t + v.shape[2]))
    q, keys, values, t = parts(q, k, v, past_keys, past_values, rotate)
    return attended(q, keys, values, t), keys, values


@wrong("key-value-cache", "no-mask")
def cache_no_mask(q, k, v, past_keys, past_values, rotate):
    q, keys, values, t = parts(q, k, v, past_keys, past_values, rotate)
    return attended(q, keys, values, t, mask=None), keys, values


@wrong("key-value-cache", "mask-from-the-first-column")
def cache_corner_mask(q, k, v, past_keys, past_values, rotate):
    q, keys, values, t = parts(q, k, v, past_keys, past_values, rotate)
    return attended(q, keys, values, t, mask="corner"), keys, values


@wrong("key-value-cache", "mask-from-the-first-column")
def cache_is_causal(q, k, v, past_keys, past_values, rotate):
    q, keys, values, t = parts(q, k, v, past_keys, past_values, rotate)
    return F.scaled_dot_product_attention(q, keys, values, is_causal=True), keys, values


@wrong("key-value-cache", "mask-of-the-new-words")
def cache_square_mask(q, k, v, past_keys, past_values, rotate):
    q, keys, values, t = parts(q, k, v, past_keys, past_values, rotate)
    scores = q @ keys.mT / math.sqrt(q.shape[-1])
    T = q.shape[2]
    mask = torch.tril(torch.ones(T, T)) == 0
    weights = scores.masked_fill(mask, -torch.inf).softmax(-1)
    return weights @ values, keys, values


@wrong("key-value-cache", "joined-along-the-heads")
def cache_wrong_axis(q, k, v, past_keys, past_values, rotate):
    pos = torch.arange(k.shape[2]) + past_keys.shape[2]
    keys = torch.cat([past_keys, rotate(k, pos)], dim=1)
    return keys


@wrong("key-value-cache", "raises")
def cache_feature_axis(q, k, v, past_keys, past_values, rotate):
    pos = torch.arange(k.shape[2]) + past_keys.shape[2]
    keys = torch.cat([past_keys, rotate(k, pos)], dim=-1)
    return keys


@wrong("key-value-cache", "new-in-front")
def cache_new_first(q, k, v, past_keys, past_values, rotate):
    t = past_keys.shape[2]
    pos = torch.arange(t, t + k.shape[2])
    keys, values = (
        torch.cat([rotate(k, pos), past_keys], 2),
        torch.cat([v, past_values], 2),
    )
    return attended(rotate(q, pos), keys, values, t), keys, values


@wrong("key-value-cache", "raises")
def cache_forgets_values(q, k, v, past_keys, past_values, rotate):
    q, keys, values, t = parts(q, k, v, past_keys, past_values, rotate)
    return attended(q, keys, v, t), keys, v


@wrong("key-value-cache", "only-the-new-returned")
def cache_returns_new_only(q, k, v, past_keys, past_values, rotate):
    q, keys, values, t = parts(q, k, v, past_keys, past_values, rotate)
    return attended(q, keys, values, t), keys[:, :, t:], v


@wrong("key-value-cache", "one-thing-only")
def cache_returns_output_only(q, k, v, past_keys, past_values, rotate):
    q, keys, values, t = parts(q, k, v, past_keys, past_values, rotate)
    return attended(q, keys, values, t)


@wrong("key-value-cache", "returns-another-kind")
def cache_returns_a_dictionary(q, k, v, past_keys, past_values, rotate):
    q, keys, values, t = parts(q, k, v, past_keys, past_values, rotate)
    return {"output": attended(q, keys, values, t), "keys": keys, "values": values}


@wrong("key-value-cache", "returns-another-kind")
def cache_returns_a_pair(q, k, v, past_keys, past_values, rotate):
    q, keys, values, t = parts(q, k, v, past_keys, past_values, rotate)
    return attended(q, keys, values, t), (keys, values)


@wrong("key-value-cache", "not-scaled")
def cache_unscaled(q, k, v, past_keys, past_values, rotate):
    q, keys, values, t = parts(q, k, v, past_keys, past_values, rotate)
    return attended(q, keys, values, t, scale=1.0), keys, values


@wrong("key-value-cache", "divided-by-the-features")
def cache_scaled_by_size(q, k, v, past_keys, past_values, rotate):
    q, keys, values, t = parts(q, k, v, past_keys, past_values, rotate)
    return attended(q, keys, values, t, scale=q.shape[-1]), keys, values


@wrong("key-value-cache", "wrong-shape")
def cache_squeezes(q, k, v, past_keys, past_values, rotate):
    q, keys, values, t = parts(q, k, v, past_keys, past_values, rotate)
    return attended(q, keys, values, t).squeeze(2), keys, values


@wrong("key-value-cache", "wrong-shape")
def cache_merges_heads(q, k, v, past_keys, past_values, rotate):
    q, keys, values, t = parts(q, k, v, past_keys, past_values, rotate)
    return attended(q, keys, values, t).transpose(1, 2).flatten(2), keys, values


@wrong("key-value-cache", "writes-into-argument")
def cache_scales_in_place(q, k, v, past_keys, past_values, rotate):
    q *= q.shape[-1] ** -0.5
    q, keys, values, t = parts(q, k, v, past_keys, past_values, rotate)
    return attended(q, keys, values, t, scale=1.0), keys, values


@wrong("key-value-cache", "gradient-cut")
def cache_detached(q, k, v, past_keys, past_values, rotate):
    q, keys, values, t = parts(
        q, k, v, past_keys.detach(), past_values.detach(), rotate
    )
    return attended(q, keys, values, t), keys, values


@wrong("key-value-cache", "one-shape-only")
def cache_one_number_for_all(q, k, v, past_keys, past_values, rotate):
    t = past_keys.shape[2]
    keys = torch.cat([past_keys, rotate(k, torch.tensor([t]))], 2)
    values = torch.cat([past_values, v], 2)
    return attended(rotate(q, torch.tensor([t])), keys, values, t), keys, values


@wrong("key-value-cache", "raises")
def cache_with_a_plain_number(q, k, v, past_keys, past_values, rotate):
    keys = torch.cat([past_keys, rotate(k, past_keys.shape[2])], 2)
    return keys


@wrong("key-value-cache", "unknown")
def cache_mixes_the_batch(q, k, v, past_keys, past_values, rotate):
    q, keys, values, t = parts(
        q, k, v, past_keys.roll(1, 0), past_values.roll(1, 0), rotate
    )
    return attended(q, keys, values, t), keys, values


@wrong("key-value-cache", "first-of-the-batch")
def cache_first_of_the_batch(q, k, v, past_keys, past_values, rotate):
    past_keys, past_values = (
        past_keys[:1].repeat(len(q), 1, 1, 1),
        past_values[:1].repeat(len(q), 1, 1, 1),
    )
    q, keys, values, t = parts(q, k, v, past_keys, past_values, rotate)
    return attended(q, keys, values, t), keys, values
