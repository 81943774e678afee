"""Answers to bleu, as readers write them; `verdicts.py` says how to read this file."""
# ruff: noqa (this is how people write)

import math
from collections import Counter, defaultdict
from fractions import Fraction

import numpy as np
import torch


def grams(tokens, n):
    return [tuple(tokens[i : i + n]) for i in range(len(tokens) - n + 1)]


def near_length(hypothesis, references):
    return min((len(r) for r in references), key=lambda r: (abs(r - len(hypothesis)), r))


def short(c, r):
    return 1.0 if c >= r else math.exp(1 - r / c) if c else 0.0


def core(hypothesis, references, max_n, bp=None, mean=lambda ps: math.prod(ps) ** (1 / len(ps))):
    ps = []
    for n in range(1, max_n + 1):
        mine = Counter(grams(hypothesis, n))
        granted = Counter()
        for r in references:
            granted |= Counter(grams(r, n))
        ps.append(sum((mine & granted).values()) / sum(mine.values()) if mine else 0.0)
    c, r = len(hypothesis), near_length(hypothesis, references)
    return (short(c, r) if bp is None else bp(c, r)) * mean(ps)


# === right
def bleu_with_logs(hypothesis, references, max_n):
    c = len(hypothesis)
    if c < max_n:
        return 0.0
    logs = 0.0
    for n in range(1, max_n + 1):
        hyp = Counter(zip(*[hypothesis[i:] for i in range(n)]))
        best = Counter()
        for ref in references:
            for gram, count in Counter(zip(*[ref[i:] for i in range(n)])).items():
                best[gram] = max(best[gram], count)
        matches = sum(min(count, best[gram]) for gram, count in hyp.items())
        if matches == 0:
            return 0.0
        logs += math.log(matches / (c - n + 1))
    r = sorted((abs(len(ref) - c), len(ref)) for ref in references)[0][1]
    return min(1.0, math.exp(1 - r / c)) * math.exp(logs / max_n)


# === right
def bleu_by_loops(hypothesis, references, max_n):
    precisions = []
    for n in range(1, max_n + 1):
        grams = [tuple(hypothesis[i : i + n]) for i in range(len(hypothesis) - n + 1)]
        if len(grams) == 0:
            return 0.0
        clip = 0
        for gram in set(grams):
            most = max([sum(tuple(ref[i : i + n]) == gram for i in range(len(ref) - n + 1)) for ref in references])
            clip += min(grams.count(gram), most)
        precisions.append(clip / len(grams))
    c = len(hypothesis)
    closest = None
    for ref in references:
        r = len(ref)
        if closest is None or abs(r - c) < abs(closest - c) or (abs(r - c) == abs(closest - c) and r < closest):
            closest = r
    bp = 1 if c > closest else math.exp(1 - closest / c)
    product = 1
    for p in precisions:
        product *= p
    return bp * product ** (1 / max_n)


# === right
def bleu_with_numpy(hypothesis, references, max_n):
    def grams(tokens, n):
        return ["\t".join(tokens[i : i + n]) for i in range(max(0, len(tokens) - n + 1))]

    p = []
    for n in np.arange(1, max_n + 1):
        mine = grams(hypothesis, n)
        if not mine:
            return 0.0
        p.append(sum(min(mine.count(g), max(grams(r, n).count(g) for r in references)) for g in set(mine)) / len(mine))
    lengths = np.array(sorted(len(r) for r in references))
    r = lengths[np.abs(lengths - len(hypothesis)).argmin()]
    bp = np.exp(min(0, 1 - r / len(hypothesis)))
    return float(bp * np.prod(p) ** (1 / max_n))


# === right
def bleu_with_fractions(hypothesis, references, max_n):
    product = Fraction(1)
    for n in range(1, max_n + 1):
        counts = defaultdict(int)
        for i in range(len(hypothesis) - n + 1):
            counts[tuple(hypothesis[i : i + n])] += 1
        if not counts:
            return 0
        granted = 0
        for gram, count in counts.items():
            there = [[tuple(r[i : i + n]) for i in range(len(r))].count(gram) for r in references]
            granted += min(count, max(there))
        product *= Fraction(granted, sum(counts.values()))
    c = len(hypothesis)
    r = min([len(r) for r in references], key=lambda length: 2 * abs(length - c) + (length > c) * 0.5)
    return float(product) ** (1 / max_n) * (math.exp(1 - r / c) if r > c else 1)


# === right
def bleu_with_torch(hypothesis, references, max_n):
    shares = torch.zeros(max_n, dtype=torch.float64)
    for n in range(1, max_n + 1):
        mine = Counter(tuple(hypothesis[i : i + n]) for i in range(len(hypothesis) - n + 1))
        refs = [Counter(tuple(r[i : i + n]) for i in range(len(r) - n + 1)) for r in references]
        total = sum(mine.values())
        if total:
            shares[n - 1] = sum(min(k, max(ref[g] for ref in refs)) for g, k in mine.items()) / total
    c = len(hypothesis)
    if c == 0:
        return 0.0
    r = min(map(len, references), key=lambda r: (abs(r - c), r))
    return (torch.exp(shares.log().mean()) * math.exp(min(0.0, 1 - r / c))).item()


# === right
def bleu_of_the_book(hypothesis, references, max_n):
    from attnbook.translation.metrics import sentence_bleu

    return sentence_bleu(" ".join(hypothesis), [" ".join(r) for r in references], max_n) / 100


# === wrong not-clipped
def bleu_with_in(hypothesis, references, max_n):
    product = 1
    for n in range(1, max_n + 1):
        mine = grams(hypothesis, n)
        if not mine:
            return 0.0
        product *= sum(any(g in grams(r, n) for r in references) for g in mine) / len(mine)
    return short(len(hypothesis), near_length(hypothesis, references)) * product ** (1 / max_n)


# === wrong distinct-only
def bleu_with_sets(hypothesis, references, max_n):
    product = 1
    for n in range(1, max_n + 1):
        mine = set(grams(hypothesis, n))
        if not mine:
            return 0.0
        theirs = set().union(*(grams(r, n) for r in references))
        product *= len(mine & theirs) / len(mine)
    return short(len(hypothesis), near_length(hypothesis, references)) * product ** (1 / max_n)


# === wrong first-reference-only + first-references-length
def bleu_of_the_first_reference(hypothesis, references, max_n):
    return core(hypothesis, references[:1], max_n)


# === wrong no-penalty
def bleu_without_penalty(hypothesis, references, max_n):
    return core(hypothesis, references, max_n, bp=lambda c, r: 1)


# === wrong arithmetic-mean
def bleu_averages_plainly(hypothesis, references, max_n):
    return core(hypothesis, references, max_n, mean=lambda ps: sum(ps) / max_n)


# === wrong arithmetic-mean
def bleu_with_numpy_mean(hypothesis, references, max_n):
    return core(hypothesis, references, max_n, mean=lambda ps: float(np.mean(ps)))


# === wrong unknown
def bleu_harmonic(hypothesis, references, max_n):
    return core(hypothesis, references, max_n, mean=lambda ps: len(ps) / sum(1 / p for p in ps) if all(ps) else 0.0)


# === wrong long-ones-punished
def bleu_penalises_length(hypothesis, references, max_n):
    return core(hypothesis, references, max_n, bp=lambda c, r: math.exp(min(0, 1 - c / r)))


# === wrong penalty-above-one
def bleu_rewards_length(hypothesis, references, max_n):
    return core(hypothesis, references, max_n, bp=lambda c, r: math.exp(1 - r / c) if c else 0)


# === wrong right-for-the-example-only
def bleu_penalises_any_difference(hypothesis, references, max_n):
    return core(hypothesis, references, max_n, bp=lambda c, r: math.exp(-abs(1 - r / c)) if c else 0)


# === wrong log-of-zero
def bleu_takes_logs(hypothesis, references, max_n):
    return core(hypothesis, references, max_n, mean=lambda ps: math.exp(sum(math.log(p) for p in ps) / max_n))


# === wrong few-digits
def bleu_with_epsilon(hypothesis, references, max_n):
    return core(hypothesis, references, max_n, mean=lambda ps: math.exp(sum(math.log(p + 1e-9) for p in ps) / max_n))


# === wrong orders-without-match-skipped
def bleu_skips_empty(hypothesis, references, max_n):
    return core(hypothesis, references, max_n, mean=lambda ps: math.prod([p for p in ps if p] or [0]) ** (1 / max_n))


# === wrong d2l-weights
def bleu_as_in_d2l(hypothesis, references, max_n):
    return core(hypothesis, references, max_n, mean=lambda ps: math.prod(p ** (0.5**n) for n, p in enumerate(ps, 1)))


# === wrong unknown
def bleu_weights_from_zero(hypothesis, references, max_n):
    return core(hypothesis, references, max_n, mean=lambda ps: math.prod(p ** (0.5**n) for n, p in enumerate(ps)))


# === wrong percent
def bleu_in_percent(hypothesis, references, max_n):
    return round(100 * core(hypothesis, references, max_n), 6)


# === wrong few-digits
def bleu_rounded(hypothesis, references, max_n):
    return round(core(hypothesis, references, max_n), 2)


# === wrong letters
def bleu_of_letters(hypothesis, references, max_n):
    return core(" ".join(hypothesis), [" ".join(r) for r in references], max_n)


# === wrong raises
def bleu_splits_again(hypothesis, references, max_n):
    return core(hypothesis.split(), [r.split() for r in references], max_n)


# === wrong longest-reference
def bleu_by_the_longest(hypothesis, references, max_n):
    r = max(len(r) for r in references)
    return core(hypothesis, references, max_n, bp=lambda c, _: short(c, r))


# === wrong unknown
def bleu_by_all_lengths_together(hypothesis, references, max_n):
    r = sum(len(r) for r in references)
    return core(hypothesis, references, max_n, bp=lambda c, _: short(c, r))


# === wrong writes-into-argument
def bleu_uses_up_the_references(hypothesis, references, max_n):
    best = 0
    answer = core(hypothesis, references, max_n)
    while references:
        references.pop()
    return max(best, answer)


# === wrong unknown
def bleu_sorts_the_hypothesis(hypothesis, references, max_n):
    return core(sorted(hypothesis), [sorted(r) for r in references], max_n)


# === wrong returns-a-list
def bleu_returns_precisions(hypothesis, references, max_n):
    return core(hypothesis, references, max_n, bp=lambda c, r: 1, mean=lambda ps: ps)


# === wrong returns-none
def bleu_returns_nothing_when_short(hypothesis, references, max_n):
    if len(hypothesis) >= max_n:
        return core(hypothesis, references, max_n)


# === wrong ignores-an-argument
def bleu_of_four(hypothesis, references, max_n):
    return core(hypothesis, references, 4)


# === wrong glued
def bleu_glued_unseen_0(hypothesis, references, max_n):
    def grams(s, n):
        return Counter("".join(s[i : i + n]) for i in range(len(s) - n + 1))

    c = len(hypothesis)
    r = min((abs(len(x) - c), len(x)) for x in references)[1]
    total = 1.0
    for n in range(1, max_n + 1):
        h = grams(hypothesis, n)
        m = Counter()
        for x in references:
            m |= grams(x, n)
        if not h:
            return 0.0
        total *= sum((h & m).values()) / sum(h.values())
    return (1 if c >= r else math.exp(1 - r / c)) * total ** (1 / max_n) if c else 0.0


# === wrong always-the-same
def bleu_zero_unseen_5(hypothesis, references, max_n):
    return 0.0


# === wrong references-added
def bleu_sums_the_references(hypothesis, references, max_n):
    from collections import Counter

    c = len(hypothesis)
    logp = 0
    for n in range(1, max_n + 1):
        h = Counter(tuple(hypothesis[i : i + n]) for i in range(c - n + 1))
        r = Counter(tuple(x[i : i + n]) for x in references for i in range(len(x) - n + 1))
        hit = sum((h & r).values())
        if hit == 0:
            return 0.0
        logp += math.log(hit / sum(h.values())) / max_n
    r = min((abs(len(x) - c), len(x)) for x in references)[1]
    return math.exp(logp) * (1 if c >= r else math.exp(1 - r / c))


# === wrong arithmetic-mean-or-zero
def bleu_arithmetic_unless_zero(hypothesis, references, max_n):
    from collections import Counter

    c = len(hypothesis)
    ps = []
    for n in range(1, max_n + 1):
        h = Counter(tuple(hypothesis[i : i + n]) for i in range(c - n + 1))
        r = Counter()
        for x in references:
            r |= Counter(tuple(x[i : i + n]) for i in range(len(x) - n + 1))
        hit = sum((h & r).values())
        if hit == 0:
            return 0.0
        ps.append(hit / sum(h.values()))
    r = min((abs(len(x) - c), len(x)) for x in references)[1]
    return sum(ps) / max_n * (1 if c >= r else math.exp(1 - r / c))


# === wrong longer-of-two
def bleu_longer_of_two(hypothesis, references, max_n):
    from collections import Counter

    c = len(hypothesis)
    logp = 0
    for n in range(1, max_n + 1):
        h = Counter(tuple(hypothesis[i : i + n]) for i in range(c - n + 1))
        r = Counter()
        for x in references:
            r |= Counter(tuple(x[i : i + n]) for i in range(len(x) - n + 1))
        hit = sum((h & r).values())
        if hit == 0:
            return 0.0
        logp += math.log(hit / sum(h.values())) / max_n
    r = len(min(references, key=lambda x: (abs(len(x) - c), -len(x))))
    return math.exp(logp) * (1 if c >= r else math.exp(1 - r / c))


# === wrong smoothed
def bleu_add_one(hypothesis, references, max_n):
    from collections import Counter

    c = len(hypothesis)
    logp = 0
    for n in range(1, max_n + 1):
        h = Counter(tuple(hypothesis[i : i + n]) for i in range(c - n + 1))
        r = Counter()
        for x in references:
            r |= Counter(tuple(x[i : i + n]) for i in range(len(x) - n + 1))
        hit = sum((h & r).values())
        logp += math.log((hit + 1) / (sum(h.values()) + 1)) / max_n
    r = min((abs(len(x) - c), len(x)) for x in references)[1]
    return math.exp(logp) * (1 if c >= r else math.exp(1 - r / c))


# === wrong first-of-two
def fresh_first_tie(hypothesis, references, max_n):
    import math
    from collections import Counter

    logs = 0.0
    for n in range(1, max_n + 1):
        c = Counter(tuple(hypothesis[i : i + n]) for i in range(len(hypothesis) - n + 1))
        best = Counter()
        for r in references:
            best |= Counter(tuple(r[i : i + n]) for i in range(len(r) - n + 1))
        hit = sum((c & best).values())
        if hit == 0:
            return 0.0
        logs += math.log(hit / sum(c.values())) / max_n
    r = min((len(x) for x in references), key=lambda k: abs(k - len(hypothesis)))
    return math.exp(logs + min(0.0, 1 - r / len(hypothesis)))


# === wrong best-reference-only
def fresh_any_ref_total(hypothesis, references, max_n):
    import math
    from collections import Counter

    logs = 0.0
    for n in range(1, max_n + 1):
        c = Counter(tuple(hypothesis[i : i + n]) for i in range(len(hypothesis) - n + 1))
        hit = max(sum((c & Counter(tuple(r[i : i + n]) for i in range(len(r) - n + 1))).values()) for r in references)
        if hit == 0:
            return 0.0
        logs += math.log(hit / sum(c.values())) / max_n
    r = min((len(x) for x in references), key=lambda k: (abs(k - len(hypothesis)), k))
    return math.exp(logs + min(0.0, 1 - r / len(hypothesis)))


# === right
def fresh_logs(hypothesis, references, max_n):
    import math
    from collections import Counter

    logs, h = 0.0, len(hypothesis)
    for n in range(1, max_n + 1):
        c = Counter(tuple(hypothesis[i : i + n]) for i in range(h - n + 1))
        hit = sum(
            min(k, max(sum(tuple(r[i : i + n]) == g for i in range(len(r) - n + 1)) for r in references))
            for g, k in c.items()
        )
        if hit == 0:
            return 0.0
        logs += math.log(hit / sum(c.values()))
    r = sorted((abs(len(x) - h), len(x)) for x in references)[0][1]
    return math.exp(logs / max_n) * min(1.0, math.exp(1 - r / h))


# === wrong divided-by-the-length
def blind_b4(hypothesis, references, max_n):
    c = len(hypothesis)
    logs = 0.0
    r = min(references, key=lambda r: (abs(len(r) - c), len(r)))
    for n in range(1, max_n + 1):
        g = lambda s: Counter(tuple(s[i : i + n]) for i in range(len(s) - n + 1))
        best = Counter()
        for ref in references:
            best |= g(ref)
        hit = sum((g(hypothesis) & best).values())
        if hit == 0:
            return 0.0
        logs += math.log(hit / c)
    return min(1.0, math.exp(1 - len(r) / c)) * math.exp(logs / max_n)
