"""Answers to nested-decode, as readers write them; `verdicts.py` says how to read this file."""
# ruff: noqa (this is how people write)

import torch


def positive(scores):
    return [(i, j) for i, j in (scores > 0).nonzero().tolist() if i <= j]


def by_score(scores):
    return sorted(positive(scores), key=lambda c: scores[c[0], c[1]].item(), reverse=True)


def greedy(scores, order, bad):
    taken = []
    for c in order:
        if all(not bad(c, d) for d in taken):
            taken.append(c)
    return mark(scores, taken)


def mark(scores, taken):
    out = torch.zeros(scores.shape, dtype=torch.bool, device=scores.device)
    for i, j in taken:
        out[i, j] = True
    return out


def cross(c, d):
    (a, b), (i, j) = sorted([c, d])
    return a < i <= b < j


# === right
def with_helpers(scores):
    return greedy(scores, by_score(scores), cross)


# === right
def by_the_book(scores):
    from attnbook.pairs import nested_decode

    return nested_decode(scores)


# === right
def by_token_sets(scores):
    def bad(c, d):
        x, y = set(range(c[0], c[1] + 1)), set(range(d[0], d[1] + 1))
        return bool(x & y) and not x <= y and not y <= x

    return greedy(scores, by_score(scores), bad)


# === right
def by_striking_out(scores):
    left = scores.triu().masked_fill(torch.ones_like(scores).tril(-1).bool(), -1)
    left = left.clone()
    out = torch.zeros_like(scores, dtype=torch.bool)
    n = len(scores)
    while left.max() > 0:
        i, j = divmod(int(left.argmax()), n)
        out[i, j] = True
        left[i, j] = -1
        for a in range(n):
            for b in range(a, n):
                if cross((i, j), (a, b)):
                    left[a, b] = -1
    return out


# === right
def by_argsort(scores):
    n, out = len(scores), torch.zeros_like(scores, dtype=torch.bool)
    for flat in scores.flatten().argsort(descending=True).tolist():
        i, j = flat // n, flat % n
        if j < i or scores[i, j] <= 0:
            continue
        before = out[:i, i:j].any() if j > i else False
        after = out[i + 1 : j + 1, j + 1 :].any()
        if not before and not after:
            out[i, j] = True
    return out


# === right
def with_for_else(scores):
    taken = []
    for i, j in by_score(scores):
        for a, b in taken:
            inside = a <= i and j <= b
            around = i <= a and b <= j
            apart = j < a or b < i
            if not (inside or around or apart):
                break
        else:
            taken.append((i, j))
    return mark(scores, taken)


# === wrong crossing-kept
def threshold_only(scores):
    return scores.triu() > 0


# === wrong crossing-kept
def all_positive(scores):
    return mark(scores, positive(scores))


# === wrong overlaps-dropped
def flat(scores):
    return greedy(scores, by_score(scores), lambda c, d: c[0] <= d[1] and d[0] <= c[1])


# === wrong overlaps-dropped
def flat_by_tokens(scores):
    used, taken = set(), []
    for i, j in by_score(scores):
        if used.isdisjoint(range(i, j + 1)):
            used.update(range(i, j + 1))
            taken.append((i, j))
    return mark(scores, taken)


# === wrong backwards-kept
def whole_table(scores):
    cells = [tuple(c) for c in (scores > 0).nonzero().tolist()]
    order = sorted(cells, key=lambda c: -scores[c].item())
    return greedy(scores, order, lambda c, d: d[0] < c[0] <= d[1] < c[1] or c[0] < d[0] <= c[1] < d[1])


# === wrong single-tokens-dropped
def no_diagonal(scores):
    order = [c for c in by_score(scores) if c[0] < c[1]]
    return greedy(scores, order, cross)


# === wrong zero-kept
def not_negative(scores):
    cells = [(i, j) for i, j in (scores >= 0).nonzero().tolist() if i <= j]
    return greedy(scores, sorted(cells, key=lambda c: -scores[c].item()), cross)


# === wrong in-reading-order
def unsorted(scores):
    return greedy(scores, positive(scores), cross)


# === wrong worst-first
def ascending(scores):
    return greedy(scores, by_score(scores)[::-1], cross)


# === wrong worst-first
def sorted_the_wrong_way(scores):
    order = sorted(positive(scores), key=lambda c: scores[c])
    return greedy(scores, order, cross)


# === wrong longest-first
def outer_first(scores):
    return greedy(scores, sorted(positive(scores), key=lambda c: c[0] - c[1]), cross)


# === wrong only-right-crossings
def one_way(scores):
    return greedy(scores, by_score(scores), lambda c, d: d[0] < c[0] <= d[1] < c[1])


# === wrong only-left-crossings
def other_way(scores):
    return greedy(scores, by_score(scores), lambda c, d: c[0] < d[0] <= c[1] < d[1])


# === wrong one-shared-token
def strictly(scores):
    def bad(c, d):
        (a, b), (i, j) = sorted([c, d])
        return a < i < b < j

    return greedy(scores, by_score(scores), bad)


# === wrong same-end-crosses
def end_counts(scores):
    def bad(c, d):
        (a, b), (i, j) = sorted([c, d])
        return a < i <= b <= j

    return greedy(scores, by_score(scores), bad)


# === wrong same-start-crosses
def start_counts(scores):
    def bad(c, d):
        (a, b), (i, j) = sorted([c, d])
        return a <= i <= b < j

    return greedy(scores, by_score(scores), bad)


# === wrong dropped-spans-forbid
def all_better_ones(scores):
    order = by_score(scores)
    taken = [c for n, c in enumerate(order) if not any(cross(c, d) for d in order[:n])]
    return mark(scores, taken)


# === wrong all-crossing-dropped
def neither(scores):
    cells = positive(scores)
    return mark(scores, [c for c in cells if not any(cross(c, d) for d in cells)])


# === wrong transposed
def end_by_start(scores):
    return greedy(scores, by_score(scores), cross).T


# === wrong not-bool
def as_numbers(scores):
    return greedy(scores, by_score(scores), cross).long()


# === wrong not-bool
def as_floats(scores):
    return greedy(scores, by_score(scores), cross) * 1.0


# === wrong returns-none
def printed_nothing(scores):
    greedy(scores, by_score(scores), cross)


# === wrong same-end-or-start-crosses
def shared_ends(scores):
    T = len(scores)
    keep = torch.zeros(T, T, dtype=torch.bool)
    spans = [(scores[i, j].item(), i, j) for i in range(T) for j in range(i, T) if scores[i, j] > 0]
    kept = []
    for s, i, j in sorted(spans, reverse=True):
        if not any(i <= a <= j <= b or a <= i <= b <= j for a, b in kept):
            kept.append((i, j))
            keep[i, j] = True
    return keep


# === right
def suppress(scores):
    work = scores.clone().triu()
    work[work <= 0] = -torch.inf
    keep = torch.zeros(scores.shape, dtype=torch.bool)
    T = len(scores)
    i, j = torch.meshgrid(torch.arange(T), torch.arange(T), indexing="ij")
    while T and (work > 0).any():
        a, b = divmod(int(work.argmax()), T)
        keep[a, b] = True
        crossing = ((a < i) & (i <= b) & (b < j)) | ((i < a) & (a <= j) & (j < b))
        work[crossing] = -torch.inf
        work[a, b] = -torch.inf
    return keep


# === wrong always-the-same
def nested_decode_none_unseen_4(scores):
    return torch.zeros(len(scores), len(scores), dtype=torch.bool)


# === wrong inner-dropped
def spans_inside_better_ones_dropped(scores):
    T = len(scores)
    kept = torch.zeros(T, T, dtype=torch.bool)
    spans = sorted(
        [(float(scores[i, j]), i, j) for i in range(T) for j in range(i, T) if scores[i, j] > 0], reverse=True
    )
    chosen = []
    for s, i, j in spans:
        inside = any(a <= i and j <= b for a, b in chosen)
        if not inside and not any(a < i <= b < j or i < a <= j < b for a, b in chosen):
            chosen.append((i, j))
            kept[i, j] = True
    return kept


# === wrong overlaps-dropped
def fresh_overlap(scores):
    n = len(scores)
    c = sorted([(-float(scores[i, j]), i, j) for i in range(n) for j in range(i, n) if scores[i, j] > 0])
    out, kept = torch.zeros(n, n, dtype=torch.bool), []
    for _, i, j in c:
        if all(j < a or b < i for a, b in kept):
            kept.append((i, j))
            out[i, j] = True
    return out


# === wrong zero-kept
def fresh_ge(scores):
    n = len(scores)
    c = sorted([(-float(scores[i, j]), i, j) for i in range(n) for j in range(i, n) if scores[i, j] >= 0])
    out, kept = torch.zeros(n, n, dtype=torch.bool), []
    for _, i, j in c:
        if not any(a < i <= b < j or i < a <= j < b for a, b in kept):
            kept.append((i, j))
            out[i, j] = True
    return out


# === wrong one-shared-token
def fresh_touch(scores):
    n = len(scores)
    c = sorted([(-float(scores[i, j]), i, j) for i in range(n) for j in range(i, n) if scores[i, j] > 0])
    out, kept = torch.zeros(n, n, dtype=torch.bool), []
    for _, i, j in c:
        if not any(a < i < b < j or i < a < j < b for a, b in kept):
            kept.append((i, j))
            out[i, j] = True
    return out


# === right
def fresh_sets(scores):
    n = len(scores)
    out = torch.zeros(n, n, dtype=torch.bool)
    for f in scores.flatten().argsort(descending=True).tolist():
        i, j = divmod(f, n)
        if j < i or scores[i, j] <= 0:
            continue
        me, ok = set(range(i, j + 1)), True
        for a, b in out.nonzero().tolist():
            o = set(range(a, b + 1))
            ok = ok and (not (me & o) or me <= o or o <= me)
        out[i, j] = ok
    return out
