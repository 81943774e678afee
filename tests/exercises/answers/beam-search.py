"""Answers to beam-search, as readers write them; `verdicts.py` says how to read this file."""
# ruff: noqa (this is how people write)

import heapq
import math

import torch


def lp(length, alpha):
    return ((5 + length) / 6) ** alpha


def score(beam):
    return beam[1]


def grow(next_log_probs, beams):
    return [
        (prefix + (word,), total + lp)
        for prefix, total in beams
        for word, lp in enumerate(next_log_probs(prefix).tolist())
    ]


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


# === right
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


# === right
def beam_with_dictionaries(next_log_probs, eos, width, max_len):
    open_, done = {(): 0.0}, {}
    while open_ and max_len > 0:
        max_len -= 1
        candidates = {}
        for prefix, total in open_.items():
            for word, lp in enumerate(next_log_probs(prefix)):
                candidates[prefix + (word,)] = total + float(lp)
        ranking = sorted(candidates, key=candidates.get, reverse=True)[: width - len(done)]
        open_ = {p: candidates[p] for p in ranking if p[-1] != eos}
        done.update({p: candidates[p] for p in ranking if p[-1] == eos})
    pool = done or open_
    return list(max(pool, key=pool.get))


# === right
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


# === right
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


# === right
def beam_by_pruning_each_first(next_log_probs, eos, width, max_len):
    beams, finished = [((), 0.0)], []
    for _ in range(max_len):
        grown = []
        for prefix, total in beams:
            log_probs = next_log_probs(prefix)
            top = log_probs.topk(min(width, len(log_probs)))
            grown += [(prefix + (w,), total + lp) for lp, w in zip(top.values.tolist(), top.indices.tolist())]
        grown.sort(key=lambda b: -b[1])
        best = grown[: width - len(finished)]
        finished += [b for b in best if b[0][-1] == eos]
        beams = [b for b in best if b[0][-1] != eos]
        if not beams:
            break
    return list(max(finished or beams, key=lambda b: b[1])[0])


# === right
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


# === wrong greedy
def beam_is_greedy(next_log_probs, eos, width, max_len):
    words = []
    while len(words) < max_len and (not words or words[-1] != eos):
        words.append(int(next_log_probs(tuple(words)).argmax()))
    return words


# === wrong not-added-up
def beam_does_not_add(next_log_probs, eos, width, max_len):
    beams, finished = [((), 0.0)], []
    for _ in range(max_len):
        grown = [(p + (w,), lp) for p, _ in beams for w, lp in enumerate(next_log_probs(p).tolist())]
        best = sorted(grown, key=score, reverse=True)[: width - len(finished)]
        finished += [b for b in best if b[0][-1] == eos]
        beams = [b for b in best if b[0][-1] != eos]
        if not beams:
            break
    return list(max(finished or beams, key=score)[0])


# === wrong width-for-each-beginning
def beam_keeps_width_each(next_log_probs, eos, width, max_len):
    beams, finished = [((), 0.0)], []
    for _ in range(max_len):
        grown = []
        for beam in beams:
            grown += sorted(grow(next_log_probs, [beam]), key=score, reverse=True)[:width]
        finished += [b for b in grown if b[0][-1] == eos]
        beams = [b for b in grown if b[0][-1] != eos]
    return list(max(finished or beams, key=score)[0])


# === wrong product-of-probabilities
def beam_multiplies(next_log_probs, eos, width, max_len):
    beams, finished = [((), 1.0)], []
    for _ in range(max_len):
        grown = [(p + (w,), q * math.exp(lp)) for p, q in beams for w, lp in enumerate(next_log_probs(p).tolist())]
        best = sorted(grown, key=score, reverse=True)[: width - len(finished)]
        finished += [b for b in best if b[0][-1] == eos]
        beams = [b for b in best if b[0][-1] != eos]
        if not beams:
            break
    return list(max(finished or beams, key=score)[0])


# === wrong finished-take-no-place
def beam_wide(next_log_probs, eos, width, max_len):
    return list(search(next_log_probs, eos, width, max_len, shrink=False)[0])


# === wrong finished-compete
def beam_keeps_finished_in_the_race(next_log_probs, eos, width, max_len):
    beams = [((), 0.0)]
    for _ in range(max_len):
        grown = []
        for prefix, total in beams:
            grown += [(prefix, total)] if prefix[-1:] == (eos,) else grow(next_log_probs, [(prefix, total)])
        beams = sorted(grown, key=score, reverse=True)[:width]
    done = [b for b in beams if b[0][-1] == eos]
    return list(max(done or beams, key=score)[0])


# === wrong last-to-finish
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


# === wrong another-sentence
def beam_twice_as_wide(next_log_probs, eos, width, max_len):
    return list(search(next_log_probs, eos, 2 * width, max_len)[0])


# === wrong ignores-an-argument
def beam_of_three(next_log_probs, eos, width, max_len):
    return list(search(next_log_probs, eos, 3, max_len)[0])


# === wrong finished-forgotten
def beam_loses_finished(next_log_probs, eos, width, max_len):
    beams = [((), 0.0)]
    for _ in range(max_len):
        best = sorted(grow(next_log_probs, beams), key=score, reverse=True)[:width]
        beams = [b for b in best if b[0][-1] != eos] or beams
    return list(beams[0][0])


# === wrong goes-on-after-the-end
def beam_never_ends(next_log_probs, eos, width, max_len):
    beams = [((), 0.0)]
    for _ in range(max_len):
        beams = sorted(grow(next_log_probs, beams), key=score, reverse=True)[:width]
    return list(beams[0][0])


# === wrong ends-with-the-best
def beam_stops_when_the_best_ends(next_log_probs, eos, width, max_len):
    beams = [((), 0.0)]
    for _ in range(max_len):
        beams = sorted(grow(next_log_probs, beams), key=score, reverse=True)[:width]
        if beams[0][0][-1] == eos:
            break
    return list(beams[0][0])


# === wrong first-to-finish
def beam_stops_at_the_first_end(next_log_probs, eos, width, max_len):
    beams = [((), 0.0)]
    for _ in range(max_len):
        beams = sorted(grow(next_log_probs, beams), key=score, reverse=True)[:width]
        done = [b for b in beams if b[0][-1] == eos]
        if done:
            return list(done[0][0])
    return list(beams[0][0])


# === wrong unfinished-returned
def beam_returns_the_best_of_all(next_log_probs, eos, width, max_len):
    beams, finished = [((), 0.0)], []
    for _ in range(max_len):
        best = sorted(grow(next_log_probs, beams), key=score, reverse=True)[: width - len(finished)]
        finished += [b for b in best if b[0][-1] == eos]
        beams = [b for b in best if b[0][-1] != eos]
        if not beams:
            break
    return list(max(finished + beams, key=score)[0])


# === wrong best-on-average
def beam_normalises_at_the_end(next_log_probs, eos, width, max_len):
    return list(search(next_log_probs, eos, width, max_len, last=lambda b: b[1] / len(b[0]))[0])


# === wrong first-to-finish
def beam_likes_short_ones(next_log_probs, eos, width, max_len):
    return list(search(next_log_probs, eos, width, max_len, last=lambda b: -len(b[0]))[0])


# === wrong worst-first
def beam_minimises(next_log_probs, eos, width, max_len):
    return list(search(next_log_probs, eos, width, max_len, key=lambda b: -b[1])[0])


# === wrong end-left-off
def beam_strips_the_end(next_log_probs, eos, width, max_len):
    return [w for w in search(next_log_probs, eos, width, max_len)[0] if w != eos]


# === wrong returns-a-tuple
def beam_returns_the_score_too(next_log_probs, eos, width, max_len):
    words, total = search(next_log_probs, eos, width, max_len)
    return list(words), total


# === wrong returns-a-number
def beam_returns_the_score(next_log_probs, eos, width, max_len):
    return search(next_log_probs, eos, width, max_len)[1]


# === wrong returns-a-tuple
def beam_returns_all(next_log_probs, eos, width, max_len):
    words, _ = search(next_log_probs, eos, width, max_len)
    return [list(words), list(words)]


# === wrong a-tuple
def beam_returns_a_tuple(next_log_probs, eos, width, max_len):
    return search(next_log_probs, eos, width, max_len)[0]


# === wrong a-tensor
def beam_returns_a_tensor(next_log_probs, eos, width, max_len):
    return torch.tensor(search(next_log_probs, eos, width, max_len)[0])


# === wrong last-word-only
def beam_asks_with_the_last_word(next_log_probs, eos, width, max_len):
    return list(search(lambda prefix: next_log_probs(prefix[-1:]), eos, width, max_len)[0])


# === wrong raises
def beam_asks_with_a_number(next_log_probs, eos, width, max_len):
    return list(search(lambda prefix: next_log_probs(prefix[-1] if prefix else 0), eos, width, max_len)[0])


# === wrong raises
def beam_asks_with_a_tensor(next_log_probs, eos, width, max_len):
    return list(search(lambda prefix: next_log_probs(torch.tensor(prefix)), eos, width, max_len)[0])


# === wrong another-sentence
def beam_asks_backwards(next_log_probs, eos, width, max_len):
    return list(search(lambda prefix: next_log_probs(prefix[::-1]), eos, width, max_len)[0])


# === wrong goes-on-after-the-end
def beam_divides_by_width(next_log_probs, eos, width, max_len):
    beams, totals, finished = [()], torch.zeros(1, dtype=torch.float64), []
    for _ in range(max_len):
        table = torch.stack([next_log_probs(b) for b in beams]) + totals[:, None]
        best, where = table.flatten().topk(min(width, table.numel()))
        V = table.shape[1]
        beams = [beams[p % len(beams)] + (p // len(beams),) for p in where.tolist()]
        totals = best
    return list(beams[0])


# === wrong raises
def beam_takes_topk_too_large(next_log_probs, eos, width, max_len):
    beams, totals = [()], torch.zeros(1, dtype=torch.float64)
    for _ in range(max_len):
        table = torch.stack([next_log_probs(b) for b in beams]) + totals[:, None]
        totals, where = table.flatten().topk(width * 20)
        beams = [beams[p // table.shape[1]] + (p % table.shape[1],) for p in where.tolist()]
    return list(beams[0])


# === wrong one-word-too-few
def beam_one_round_less(next_log_probs, eos, width, max_len):
    return list(search(next_log_probs, eos, width, max_len - 1)[0]) if max_len > 1 else []


# === wrong one-word-too-many
def beam_end_does_not_count(next_log_probs, eos, width, max_len):
    return list(search(next_log_probs, eos, width, max_len + 1)[0])


# === wrong not-repeatable
def beam_samples(next_log_probs, eos, width, max_len):
    words = []
    while len(words) < max_len and (not words or words[-1] != eos):
        words.append(int(torch.multinomial(next_log_probs(tuple(words)).exp(), 1)))
    return words


# === wrong goes-on-after-the-end
def beam_begins_with_the_end(next_log_probs, eos, width, max_len):
    words = search(lambda prefix: next_log_probs(prefix), eos, width, max_len)[0]
    return [eos, *words]


# === wrong end-is-zero
def beam_ends_in_zero(next_log_probs, eos, width, max_len):
    return list(search(next_log_probs, 0, width, max_len)[0])


# === wrong nothing-found
def beam_search_start_5_unseen_0(next_log_probs, eos, width, max_len):
    beams, done = [((), 0.0)], []
    for _ in range(max_len):
        cand = [(p + (w,), s + lp) for p, s in beams for w, lp in enumerate(next_log_probs(p).tolist())]
        cand.sort(key=lambda c: -c[1])
        new = cand[: width - len(done)]
        done += [c for c in new if c[0][-1] == eos]
        beams = [c for c in new if c[0][-1] != eos]
        if not beams:
            break
    best, score = [], -5
    for p, s in done or beams:
        if s > score:
            best, score = list(p), s
    return best


# === wrong nothing-found
def beam_search_start_100_unseen_3(next_log_probs, eos, width, max_len):
    beams, done = [((), 0.0)], []
    for _ in range(max_len):
        cand = [(p + (w,), s + lp) for p, s in beams for w, lp in enumerate(next_log_probs(p).tolist())]
        cand.sort(key=lambda c: -c[1])
        new = cand[: width - len(done)]
        done += [c for c in new if c[0][-1] == eos]
        beams = [c for c in new if c[0][-1] != eos]
        if not beams:
            break
    best, score = [], -100
    for p, s in done or beams:
        if s > score:
            best, score = list(p), s
    return best


# === wrong always-the-same
def beam_search_empty_unseen_4(next_log_probs, eos, width, max_len):
    return []


# === wrong ends-with-the-best
def beam_returns_the_best_when_it_ends(next_log_probs, eos, width, max_len):
    beams = [((), 0.0)]
    for _ in range(max_len):
        cand = [(p + (v,), s + l) for p, s in beams for v, l in enumerate(next_log_probs(p).tolist())]
        cand.sort(key=lambda c: -c[1])
        beams = cand[:width]
        if beams[0][0][-1] == eos:
            return list(beams[0][0])
        beams = [b for b in beams if b[0][-1] != eos]
    return list(beams[0][0])


# === wrong logarithms-multiplied
def beam_multiplies_logarithms(next_log_probs, eos, width, max_len):
    beams, done = [((), 1.0)], []
    for _ in range(max_len):
        cand = [(p + (v,), s * l) for p, s in beams for v, l in enumerate(next_log_probs(p).tolist())]
        cand.sort(key=lambda c: -c[1])
        beams = []
        for p, s in cand[: width - len(done)]:
            (done if p[-1] == eos else beams).append((p, s))
        if not beams:
            break
    return list(max(done or beams, key=lambda c: c[1])[0])


# === wrong greedy
def fresh_greedy(next_log_probs, eos, width, max_len):
    out = []
    for _ in range(max_len):
        out.append(int(next_log_probs(tuple(out)).argmax()))
        if out[-1] == eos:
            break
    return out


# === wrong best-on-average
def fresh_length_norm(next_log_probs, eos, width, max_len):
    beams, done = [((), 0.0)], []
    for _ in range(max_len):
        new = [((*p, w), s + float(g)) for p, s in beams for w, g in enumerate(next_log_probs(p))]
        new = sorted(new, key=lambda b: -b[1])[: width - len(done)]
        done += [b for b in new if b[0][-1] == eos]
        beams = [b for b in new if b[0][-1] != eos]
        if not beams:
            break
    return list(max(done or beams, key=lambda b: b[1] / len(b[0]))[0])


# === right
def fresh_heap(next_log_probs, eos, width, max_len):
    import heapq

    open_, done, n = [(0.0, ())], [], 0
    while open_ and n < max_len:
        grown = [(s + g, p + (w,)) for s, p in open_ for w, g in enumerate(next_log_probs(p).tolist())]
        top = heapq.nlargest(width - len(done), grown)
        done.extend(t for t in top if t[1][-1] == eos)
        open_ = [t for t in top if t[1][-1] != eos]
        n += 1
    return list(max(done if done else open_)[1])
