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


def search(next_log_probs, eos, width, max_len, alpha, key=score, penalty=lp, extra=0):
    beams, best = [((), 0.0)], (-math.inf, ())
    for n in range(1, max_len + 1):
        grown = grow(next_log_probs, beams)
        best = max([best] + [(s / penalty(n + extra, alpha), p) for p, s in grown if p[-1] == eos])
        beams = sorted([b for b in grown if b[0][-1] != eos], key=key, reverse=True)[:width]
        if max(s for _, s in beams) / penalty(max_len, alpha) <= best[0]:
            break
    return best[1]


# === right
def beam_by_topk(next_log_probs, eos, width, max_len, alpha):
    beams, totals = [()], torch.zeros(1, dtype=torch.float64)
    best, best_score = None, float("-inf")
    for n in range(1, max_len + 1):
        table = torch.stack([next_log_probs(b) for b in beams]) + totals[:, None]
        V = table.shape[1]
        ended = table[:, eos] / ((5 + n) / 6) ** alpha
        if ended.max() > best_score:
            best_score = ended.max().item()
            best = [*beams[int(ended.argmax())], eos]
        table[:, eos] = -torch.inf
        totals, where = table.flatten().topk(min(width, table.numel() - len(beams)))
        beams = [beams[i // V] + (i % V,) for i in where.tolist()]
        if totals[0] / ((5 + max_len) / 6) ** alpha <= best_score:
            break
    return best


# === right
def beam_with_dictionaries(next_log_probs, eos, width, max_len, alpha):
    open_, done, n = {(): 0.0}, {}, 0
    while n < max_len:
        n += 1
        candidates = {}
        for prefix, total in open_.items():
            for word, lp in enumerate(next_log_probs(prefix)):
                if word == eos:
                    done[prefix + (word,)] = (total + float(lp)) / ((5 + n) / 6) ** alpha
                else:
                    candidates[prefix + (word,)] = total + float(lp)
        ranking = sorted(candidates, key=candidates.get, reverse=True)[:width]
        open_ = {p: candidates[p] for p in ranking}
        if max(open_.values()) / ((5 + max_len) / 6) ** alpha <= max(done.values()):
            break
    return list(max(done, key=done.get))


# === right
def beam_with_a_heap(next_log_probs, eos, width, max_len, alpha):
    beams, finished = [(0.0, ())], []
    for n in range(max_len):
        going = []
        for total, prefix in beams:
            for word, gain in enumerate(next_log_probs(prefix).tolist()):
                if word == eos:
                    heapq.heappush(finished, (-(total + gain) / lp(n + 1, alpha), prefix + (word,)))
                else:
                    going.append((total + gain, prefix + (word,)))
        beams = heapq.nlargest(width, going)
        if -beams[0][0] / lp(max_len, alpha) >= finished[0][0]:
            break
    return list(finished[0][1])


# === right
def beam_with_costs(next_log_probs, eos, width, max_len, alpha):
    beams, best = [(0.0, [])], None
    for n in range(1, max_len + 1):
        grown = []
        for cost, words in beams:
            for word, gain in enumerate(next_log_probs(tuple(words)).tolist()):
                grown.append((cost - gain, words + [word]))
        for cost, words in grown:
            if words[-1] == eos and (best is None or cost / lp(n, alpha) < best[0]):
                best = (cost / lp(n, alpha), words)
        beams = sorted((c for c in grown if c[1][-1] != eos), key=lambda c: c[0])[:width]
        if beams[0][0] / lp(max_len, alpha) >= best[0]:
            return best[1]
    return best[1]


# === right
def beam_by_pruning_each_first(next_log_probs, eos, width, max_len, alpha):
    beams, finished = [((), 0.0)], []
    for n in range(1, max_len + 1):
        going = []
        for prefix, total in beams:
            log_probs = next_log_probs(prefix)
            finished.append(((total + log_probs[eos].item()) / lp(n, alpha), [*prefix, eos]))
            others = [(g, w) for w, g in enumerate(log_probs.tolist()) if w != eos]
            going += [((*prefix, w), total + g) for g, w in sorted(others)[-width:]]
        beams = sorted(going, key=score)[-width:]
        if beams[-1][1] / lp(max_len, alpha) <= max(finished)[0]:
            break
    return max(finished)[1]


# === right
def beam_in_a_class(next_log_probs, eos, width, max_len, alpha):
    class Hypothesis:
        def __init__(self, words, total):
            self.words, self.total = words, total

        def reach(self, length):
            return self.total / ((5 + length) / 6) ** alpha

    active, best = [Hypothesis([], 0.0)], None
    while True:
        new = [
            Hypothesis([*h.words, w], h.total + g)
            for h in active
            for w, g in enumerate(next_log_probs(tuple(h.words)).numpy())
        ]
        for h in new:
            if h.words[-1] == eos and (best is None or h.reach(len(h.words)) > best.reach(len(best.words))):
                best = h
        active = sorted((h for h in new if h.words[-1] != eos), key=lambda h: -h.total)[:width]
        if len(active[0].words) == max_len or active[0].reach(max_len) <= best.reach(len(best.words)):
            return best.words


# === right
def beam_checks_at_the_head(next_log_probs, eos, width, max_len, alpha):
    beams, done, n = [((), 0.0)], [], 0
    while n < max_len and (not done or score(beams[0]) / lp(max_len, alpha) > max(done)[0]):
        n += 1
        grown = grow(next_log_probs, beams)
        done += [(s / lp(n, alpha), p) for p, s in grown if p[-1] == eos]
        beams = sorted([b for b in grown if b[0][-1] != eos], key=score, reverse=True)[:width]
    return list(max(done)[1])


# === wrong greedy
def beam_is_greedy(next_log_probs, eos, width, max_len, alpha):
    return list(search(next_log_probs, eos, 1, max_len, alpha))


# === wrong goes-on-too-long
def beam_never_stops(next_log_probs, eos, width, max_len, alpha):
    beams, done = [((), 0.0)], []
    for n in range(1, max_len + 1):
        grown = grow(next_log_probs, beams)
        done += [(s / lp(n, alpha), p) for p, s in grown if p[-1] == eos]
        beams = sorted([b for b in grown if b[0][-1] != eos], key=score, reverse=True)[:width]
    return list(max(done)[1])


# === wrong places-taken
def beam_of_the_page(next_log_probs, eos, width, max_len, alpha):
    beams, finished = [((), 0.0)], []
    for n in range(1, max_len + 1):
        kept = sorted(grow(next_log_probs, beams), key=score, reverse=True)[: width - len(finished)]
        finished += [(p, s / lp(n, alpha)) for p, s in kept if p[-1] == eos]
        beams = [b for b in kept if b[0][-1] != eos]
        if not beams:
            break
    return list(max(finished or beams, key=score)[0])


# === wrong cut-before
def beam_cuts_before(next_log_probs, eos, width, max_len, alpha):
    beams, finished = [((), 0.0)], []
    for n in range(1, max_len + 1):
        kept = sorted(grow(next_log_probs, beams), key=score, reverse=True)[:width]
        finished += [(p, s / lp(n, alpha)) for p, s in kept if p[-1] == eos]
        beams = [b for b in kept if b[0][-1] != eos]
        if not beams:
            break
    return list(max(finished or beams, key=score)[0])


# === wrong finished-must-rank
def beam_like_a_library(next_log_probs, eos, width, max_len, alpha):
    beams, finished = [((), 0.0)], []
    for n in range(1, max_len + 1):
        grown = sorted(grow(next_log_probs, beams), key=score, reverse=True)
        finished += [(p, s / lp(n, alpha)) for p, s in grown[:width] if p[-1] == eos]
        beams = [b for b in grown if b[0][-1] != eos][:width]
        if finished and beams[0][1] / lp(max_len, alpha) <= max(finished, key=score)[1]:
            break
    return list(max(finished, key=score)[0]) if finished else []


# === wrong first-to-finish
def beam_stops_at_the_first_end(next_log_probs, eos, width, max_len, alpha):
    beams = [((), 0.0)]
    for n in range(1, max_len + 1):
        grown = grow(next_log_probs, beams)
        done = [b for b in grown if b[0][-1] == eos]
        if done:
            return list(max(done, key=score)[0])
        beams = sorted(grown, key=score, reverse=True)[:width]


# === wrong enough-finished
def beam_stops_with_enough(next_log_probs, eos, width, max_len, alpha):
    beams, done = [((), 0.0)], []
    for n in range(1, max_len + 1):
        grown = grow(next_log_probs, beams)
        done += [(s / lp(n, alpha), p) for p, s in grown if p[-1] == eos]
        beams = sorted([b for b in grown if b[0][-1] != eos], key=score, reverse=True)[:width]
        if len(done) >= width or beams[0][1] / lp(max_len, alpha) <= max(done)[0]:
            break
    return list(max(done)[1])


# === wrong bound-of-this-length
def beam_compares_as_it_is(next_log_probs, eos, width, max_len, alpha):
    beams, done = [((), 0.0)], []
    for n in range(1, max_len + 1):
        grown = grow(next_log_probs, beams)
        done += [(s / lp(n, alpha), p) for p, s in grown if p[-1] == eos]
        beams = sorted([b for b in grown if b[0][-1] != eos], key=score, reverse=True)[:width]
        if beams[0][1] / lp(n, alpha) <= max(done)[0]:
            break
    return list(max(done)[1])


# === wrong bound-of-this-length
def beam_looks_one_word_ahead(next_log_probs, eos, width, max_len, alpha):
    beams, done = [((), 0.0)], []
    for n in range(1, max_len + 1):
        grown = grow(next_log_probs, beams)
        done += [(s / lp(n, alpha), p) for p, s in grown if p[-1] == eos]
        beams = sorted([b for b in grown if b[0][-1] != eos], key=score, reverse=True)[:width]
        if beams[0][1] / lp(n + 1, alpha) <= max(done)[0]:
            break
    return list(max(done)[1])


# === wrong bound-undivided
def beam_forgets_to_divide_the_open_one(next_log_probs, eos, width, max_len, alpha):
    beams, done = [((), 0.0)], []
    for n in range(1, max_len + 1):
        grown = grow(next_log_probs, beams)
        done += [(s / lp(n, alpha), p) for p, s in grown if p[-1] == eos]
        beams = sorted([b for b in grown if b[0][-1] != eos], key=score, reverse=True)[:width]
        if beams[0][1] <= max(done)[0]:
            break
    return list(max(done)[1])


# === wrong worst-open-prefix
def beam_stops_when_one_cannot_win(next_log_probs, eos, width, max_len, alpha):
    beams, done = [((), 0.0)], []
    for n in range(1, max_len + 1):
        grown = grow(next_log_probs, beams)
        done += [(s / lp(n, alpha), p) for p, s in grown if p[-1] == eos]
        beams = sorted([b for b in grown if b[0][-1] != eos], key=score, reverse=True)[:width]
        if any(s / lp(max_len, alpha) <= max(done)[0] for _, s in beams):
            break
    return list(max(done)[1])


# === wrong not-added-up
def beam_does_not_add(next_log_probs, eos, width, max_len, alpha):
    beams, done = [((), 0.0)], []
    for n in range(1, max_len + 1):
        grown = [(p + (w,), g) for p, _ in beams for w, g in enumerate(next_log_probs(p).tolist())]
        done += [(s / lp(n, alpha), p) for p, s in grown if p[-1] == eos]
        beams = sorted([b for b in grown if b[0][-1] != eos], key=score, reverse=True)[:width]
        if beams[0][1] / lp(max_len, alpha) <= max(done)[0]:
            break
    return list(max(done)[1])


# === wrong product-of-probabilities
def beam_multiplies(next_log_probs, eos, width, max_len, alpha):
    beams, done = [((), 1.0)], []
    for n in range(1, max_len + 1):
        grown = [(p + (w,), q * math.exp(g)) for p, q in beams for w, g in enumerate(next_log_probs(p).tolist())]
        done += [(s / lp(n, alpha), p) for p, s in grown if p[-1] == eos]
        beams = sorted([b for b in grown if b[0][-1] != eos], key=score, reverse=True)[:width]
        if beams[0][1] / lp(max_len, alpha) <= max(done)[0]:
            break
    return list(max(done)[1])


# === wrong not-penalised
def beam_without_a_penalty(next_log_probs, eos, width, max_len, alpha):
    return list(search(next_log_probs, eos, width, max_len, 0.0))


# === wrong penalty-multiplied
def beam_multiplies_by_the_penalty(next_log_probs, eos, width, max_len, alpha):
    beams, done = [((), 0.0)], []
    for n in range(1, max_len + 1):
        grown = grow(next_log_probs, beams)
        done += [(s * lp(n, alpha), p) for p, s in grown if p[-1] == eos]
        beams = sorted([b for b in grown if b[0][-1] != eos], key=score, reverse=True)[:width]
        if beams[0][1] / lp(max_len, alpha) <= max(done)[0]:
            break
    return list(max(done)[1])


# === wrong divided-by-length
def beam_divides_by_the_length(next_log_probs, eos, width, max_len, alpha):
    return list(search(next_log_probs, eos, width, max_len, alpha, penalty=lambda n, a: n**a))


# === wrong end-not-counted
def beam_does_not_count_the_end(next_log_probs, eos, width, max_len, alpha):
    return list(search(next_log_probs, eos, width, max_len, alpha, extra=-1))


# === wrong width-for-each-beginning
def beam_keeps_width_each(next_log_probs, eos, width, max_len, alpha):
    beams, done = [((), 0.0)], []
    for n in range(1, min(max_len, 9) + 1):
        going = []
        for beam in beams:
            grown = grow(next_log_probs, [beam])
            done += [(s / lp(n, alpha), p) for p, s in grown if p[-1] == eos]
            going += sorted([b for b in grown if b[0][-1] != eos], key=score, reverse=True)[:width]
        beams = going
    return list(max(done)[1])


# === wrong goes-on-after-the-end
def beam_never_sorts_out_the_ends(next_log_probs, eos, width, max_len, alpha):
    beams, done = [((), 0.0)], []
    for n in range(1, max_len + 1):
        grown = grow(next_log_probs, beams)
        done += [(s / lp(n, alpha), p) for p, s in grown if p[-1] == eos]
        beams = sorted(grown, key=score, reverse=True)[:width]
        if beams[0][1] / lp(max_len, alpha) <= max(done)[0]:
            break
    return list(max(done)[1])


# === wrong last-to-finish
def beam_returns_the_last_finished(next_log_probs, eos, width, max_len, alpha):
    beams, done = [((), 0.0)], []
    for n in range(1, max_len + 1):
        grown = grow(next_log_probs, beams)
        done += [(s / lp(n, alpha), p) for p, s in grown if p[-1] == eos]
        beams = sorted([b for b in grown if b[0][-1] != eos], key=score, reverse=True)[:width]
        if beams[0][1] / lp(max_len, alpha) <= max(done)[0]:
            break
    return list(done[-1][1])


# === wrong unfinished-returned
def beam_returns_the_best_of_all(next_log_probs, eos, width, max_len, alpha):
    beams, done = [((), 0.0)], []
    for n in range(1, max_len + 1):
        grown = grow(next_log_probs, beams)
        done += [(s / lp(n, alpha), p) for p, s in grown if p[-1] == eos]
        beams = sorted([b for b in grown if b[0][-1] != eos], key=score, reverse=True)[:width]
        if beams[0][1] / lp(max_len, alpha) <= max(done)[0]:
            break
    return list(max(done + [(s / lp(n, alpha), p) for p, s in beams])[1])


# === wrong worst-first
def beam_minimises(next_log_probs, eos, width, max_len, alpha):
    beams, done = [((), 0.0)], []
    for n in range(1, max_len + 1):
        grown = grow(next_log_probs, beams)
        done += [(s / lp(n, alpha), p) for p, s in grown if p[-1] == eos]
        beams = sorted([b for b in grown if b[0][-1] != eos], key=score)[:width]
        if beams[0][1] / lp(max_len, alpha) <= max(done)[0]:
            break
    return list(max(done)[1])


# === wrong last-word-only
def beam_asks_with_the_last_word(next_log_probs, eos, width, max_len, alpha):
    return list(search(lambda prefix: next_log_probs(prefix[-1:]), eos, width, max_len, alpha))


# === wrong end-is-zero
def beam_ends_in_zero(next_log_probs, eos, width, max_len, alpha):
    return list(search(next_log_probs, 0, width, max_len, alpha))


# === wrong end-left-off
def beam_strips_the_end(next_log_probs, eos, width, max_len, alpha):
    return list(search(next_log_probs, eos, width, max_len, alpha)[:-1])


# === wrong one-word-too-many
def beam_makes_one_round_more(next_log_probs, eos, width, max_len, alpha):
    beams, done = [((), 0.0)], []
    for n in range(1, max_len + 2):
        grown = grow(next_log_probs, beams)
        done += [(s / lp(n, alpha), p) for p, s in grown if p[-1] == eos]
        beams = sorted([b for b in grown if b[0][-1] != eos], key=score, reverse=True)[:width]
        if beams[0][1] / lp(max_len, alpha) <= max(done)[0]:
            break
    return list(max(done)[1])


# === wrong one-word-too-few
def beam_makes_one_round_less(next_log_probs, eos, width, max_len, alpha):
    beams, done = [((), 0.0)], [(-math.inf, ())]
    for n in range(1, max_len):
        grown = grow(next_log_probs, beams)
        done += [(s / lp(n, alpha), p) for p, s in grown if p[-1] == eos]
        beams = sorted([b for b in grown if b[0][-1] != eos], key=score, reverse=True)[:width]
        if beams[0][1] / lp(max_len, alpha) <= max(done)[0]:
            break
    return list(max(done)[1])


# === wrong another-sentence
def beam_twice_as_wide(next_log_probs, eos, width, max_len, alpha):
    return list(search(next_log_probs, eos, 2 * width, max_len, alpha))


# === wrong another-sentence
def beam_asks_backwards(next_log_probs, eos, width, max_len, alpha):
    return list(search(lambda prefix: next_log_probs(prefix[::-1]), eos, width, max_len, alpha))


# === wrong ignores-an-argument
def beam_of_three(next_log_probs, eos, width, max_len, alpha):
    return list(search(next_log_probs, eos, 3, max_len, alpha))


# === wrong returns-a-tuple
def beam_returns_the_score_too(next_log_probs, eos, width, max_len, alpha):
    return list(search(next_log_probs, eos, width, max_len, alpha)), -1.0


# === wrong a-tuple
def beam_returns_a_tuple(next_log_probs, eos, width, max_len, alpha):
    return search(next_log_probs, eos, width, max_len, alpha)


# === wrong a-tensor
def beam_returns_a_tensor(next_log_probs, eos, width, max_len, alpha):
    return torch.tensor(search(next_log_probs, eos, width, max_len, alpha))


# === wrong raises
def beam_asks_with_a_number(next_log_probs, eos, width, max_len, alpha):
    return list(search(lambda prefix: next_log_probs(prefix[-1] if prefix else 0), eos, width, max_len, alpha))


# === wrong raises
def beam_asks_with_a_tensor(next_log_probs, eos, width, max_len, alpha):
    return list(search(lambda prefix: next_log_probs(torch.tensor(prefix)), eos, width, max_len, alpha))


# === wrong not-repeatable
def beam_samples(next_log_probs, eos, width, max_len, alpha):
    words = []
    while len(words) < max_len and (not words or words[-1] != eos):
        words.append(int(torch.multinomial(next_log_probs(tuple(words)).exp(), 1)))
    return words


# === wrong always-the-same
def beam_returns_nothing(next_log_probs, eos, width, max_len, alpha):
    return []


# === wrong nothing-found
def beam_begins_at_zero(next_log_probs, eos, width, max_len, alpha):
    beams, best, words = [((), 0.0)], -1.3, []
    for n in range(1, max_len + 1):
        grown = grow(next_log_probs, beams)
        for p, s in grown:
            if p[-1] == eos and s / lp(n, alpha) > best:
                best, words = s / lp(n, alpha), list(p)
        beams = sorted([b for b in grown if b[0][-1] != eos], key=score, reverse=True)[:width]
        if beams[0][1] / lp(max_len, alpha) <= best:
            break
    return words


# === wrong unfinished
def beam_is_cut_off(next_log_probs, eos, width, max_len, alpha):
    beams = [((), 0.0)]
    for n in range(1, max_len + 1):
        beams = sorted(grow(next_log_probs, beams), key=score, reverse=True)[:width]
        if beams[0][0][-1] == eos:
            break
    return list(beams[0][0])


# === wrong finished-must-rank
def rank_none(next_log_probs, eos, width, max_len, alpha):
    beams, best, found = [((), 0.0)], None, -math.inf
    for T in range(1, max_len + 1):
        cand = sorted(grow(next_log_probs, beams), key=score, reverse=True)
        for p, s in cand[:width]:
            if p[-1] == eos and s / lp(T, alpha) > found:
                best, found = p, s / lp(T, alpha)
        beams = [c for c in cand if c[0][-1] != eos][:width]
        if beams[0][1] / lp(max_len, alpha) <= found:
            break
    return best


# === wrong finished-must-rank
def rank_raises(next_log_probs, eos, width, max_len, alpha):
    beams, done = [((), 0.0)], []
    for T in range(1, max_len + 1):
        cand = sorted(grow(next_log_probs, beams), key=score, reverse=True)
        done += [(s / lp(T, alpha), p) for p, s in cand[:width] if p[-1] == eos]
        beams = [c for c in cand if c[0][-1] != eos][:width]
        if done and beams[0][1] / lp(max_len, alpha) <= max(done)[0]:
            break
    return max(done)[1]


# === wrong finished-must-rank
def rank_else_olp(next_log_probs, eos, width, max_len, alpha):
    beams, done = [((), 0.0)], []
    for T in range(1, max_len + 1):
        cand = sorted(grow(next_log_probs, beams), key=score, reverse=True)
        done += [(s / lp(T, alpha), p) for p, s in cand[:width] if p[-1] == eos]
        beams = [c for c in cand if c[0][-1] != eos][:width]
        if done and beams[0][1] / lp(max_len, alpha) <= max(done)[0]:
            break
    return max(done)[1] if done else beams[0][0]


# === wrong finished-must-rank
def walk_until_full(next_log_probs, eos, width, max_len, alpha):
    beams, done = [((), 0.0)], []
    for T in range(1, max_len + 1):
        new = []
        for p, s in sorted(grow(next_log_probs, beams), key=score, reverse=True):
            if p[-1] == eos:
                done.append((s / lp(T, alpha), p))
            else:
                new.append((p, s))
            if len(new) == width:
                break
        beams = new
        if done and beams[0][1] / lp(max_len, alpha) <= max(done)[0]:
            break
    return max(done)[1]


# === wrong finished-among-twice-as-many
def top_two_width(next_log_probs, eos, width, max_len, alpha):
    beams, done = [((), 0.0)], []
    for T in range(1, max_len + 1):
        cand = sorted(grow(next_log_probs, beams), key=score, reverse=True)[: 2 * width]
        done += [(s / lp(T, alpha), p) for p, s in cand if p[-1] == eos]
        beams = [c for c in cand if c[0][-1] != eos][:width]
        if done and beams[0][1] / lp(max_len, alpha) <= max(done)[0]:
            break
    return max(done)[1] if done else []


# === wrong best-words-of-each-prefix
def topk_each(next_log_probs, eos, width, max_len, alpha):
    beams, done = [((), 0.0)], []
    for T in range(1, max_len + 1):
        out = []
        for p, s in beams:
            v, i = next_log_probs(p).topk(width)
            out += [(p + (w,), s + x) for x, w in zip(v.tolist(), i.tolist())]
        out.sort(key=lambda b: -b[1])
        done += [(s / lp(T, alpha), p) for p, s in out if p[-1] == eos]
        beams = [c for c in out if c[0][-1] != eos][:width]
        if done and beams and beams[0][1] / lp(max_len, alpha) <= max(done)[0]:
            break
        if not beams:
            break
    return max(done)[1] if done else []


# === right
def tensors(next_log_probs, eos, width, max_len, alpha):
    prefixes, totals = [()], torch.zeros(1, dtype=torch.float64)
    best, sentence = -math.inf, None
    for T in range(1, max_len + 1):
        table = totals[:, None] + torch.stack([next_log_probs(p) for p in prefixes]).double()
        ends = table[:, eos] / lp(T, alpha)
        if ends.max() > best:
            best, sentence = ends.max().item(), [*prefixes[ends.argmax()], eos]
        table[:, eos] = -math.inf
        V = table.shape[1]
        totals, flat = table.flatten().topk(min(width, len(prefixes) * (V - 1)))
        prefixes = [(*prefixes[i // V], i % V) for i in flat.tolist()]
        if totals[0] / lp(max_len, alpha) <= best:
            break
    return sentence


# === right
def with_heap(next_log_probs, eos, width, max_len, alpha):
    heap, done = [(0.0, ())], {}
    for T in range(1, max_len + 1):
        new = []
        for cost, p in heap:
            for w, gain in enumerate(next_log_probs(p)):
                if w == eos:
                    done[p + (w,)] = (float(gain) - cost) / lp(T, alpha)
                else:
                    new.append((cost - float(gain), p + (w,)))
        heap = heapq.nsmallest(width, new)
        if -heap[0][0] / lp(max_len, alpha) < max(done.values()):
            break
    return list(max(done, key=done.get))
