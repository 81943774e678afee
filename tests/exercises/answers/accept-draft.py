"""Answers to accept-draft, as readers write them; `verdicts.py` says how to read this file."""
# ruff: noqa (this is how people write)

import torch


# === right
def zipped(drafted, p, q, luck):
    for word, a, b, u in zip(drafted.tolist(), p, q, luck):
        if not u < a[word] / b[word]:
            rest = torch.clamp(a - b, min=0)
            return rest / rest.sum()
    return p[len(drafted)]


# === right
def with_relu_and_min(drafted, p, q, luck):
    for t, word in enumerate(drafted):
        keep = min(1.0, float(p[t][word] / q[t][word]))
        if luck[t] < keep:
            continue
        missing = torch.relu(p[t] - q[t])
        return missing / missing.sum()
    return p[-1]


# === right
def without_division(drafted, p, q, luck):
    t = 0
    while t < len(drafted) and luck[t] * q[t, drafted[t]] < p[t, drafted[t]]:
        t += 1
    if t == len(drafted):
        return p[t]
    rest = torch.maximum(p[t] - q[t], torch.zeros_like(p[t]))
    return rest / rest.sum(-1)


# === right
def vectorised(drafted, p, q, luck):
    K = len(drafted)
    at = torch.arange(K)
    rejected = luck >= p[:K][at, drafted] / q[at, drafted]
    if not rejected.any():
        return p[K]
    t = int(rejected.int().argmax())
    rest = (p[t] - q[t]).clamp_min(0)
    return rest / rest.sum()


# === right
def by_where(drafted, p, q, luck):
    for t in range(drafted.shape[0]):
        x = drafted[t].item()
        if luck[t] >= p[t, x] / q[t, x]:
            rest = torch.where(p[t] > q[t], p[t] - q[t], 0.0)
            return rest / rest.sum()
    return p[drafted.shape[0]].clone()


# === wrong stays-at-equality
def minus_the_minimum(drafted, p, q, luck):
    for t, x in enumerate(drafted.tolist()):
        if luck[t] > p[t, x] / q[t, x]:
            rest = p[t] - torch.minimum(p[t], q[t])
            return rest / rest.sum()
    return p[-1]


# === wrong from-p
def draws_from_p(drafted, p, q, luck):
    for t, x in enumerate(drafted):
        if luck[t] >= p[t, x] / q[t, x]:
            return p[t]
    return p[-1]


# === wrong from-p
def always_the_row_of_p(drafted, p, q, luck):
    t = 0
    while t < len(drafted) and luck[t] < p[t, drafted[t]] / q[t, drafted[t]]:
        t += 1
    return p[t]


# === wrong from-q
def draws_again(drafted, p, q, luck):
    for t, x in enumerate(drafted):
        if luck[t] >= p[t, x] / q[t, x]:
            return q[t]
    return p[-1]


# === wrong not-divided
def forgot_to_normalise(drafted, p, q, luck):
    for t, x in enumerate(drafted):
        if luck[t] >= p[t, x] / q[t, x]:
            return torch.relu(p[t] - q[t])
    return p[-1]


# === wrong not-cut
def negative(drafted, p, q, luck):
    for t, x in enumerate(drafted):
        if luck[t] >= p[t, x] / q[t, x]:
            rest = p[t] - q[t]
            return rest / rest.sum()
    return p[-1]


# === wrong absolute
def absolute(drafted, p, q, luck):
    for t, x in enumerate(drafted):
        if luck[t] >= p[t, x] / q[t, x]:
            rest = (p[t] - q[t]).abs()
            return rest / rest.sum()
    return p[-1]


# === wrong softmax-of-rest
def softmax(drafted, p, q, luck):
    for t, x in enumerate(drafted):
        if luck[t] >= p[t, x] / q[t, x]:
            return torch.softmax(torch.relu(p[t] - q[t]), dim=0)
    return p[-1]


# === wrong differences-exchanged
def q_minus_p(drafted, p, q, luck):
    for t, x in enumerate(drafted):
        if luck[t] >= p[t, x] / q[t, x]:
            rest = torch.relu(q[t] - p[t])
            return rest / rest.sum()
    return p[-1]


# === wrong ratio-inverted
def upside_down(drafted, p, q, luck):
    for t, x in enumerate(drafted):
        if luck[t] >= q[t, x] / p[t, x]:
            rest = torch.relu(p[t] - q[t])
            return rest / rest.sum()
    return p[-1]


# === wrong p-alone
def compares_with_p(drafted, p, q, luck):
    for t, x in enumerate(drafted):
        if luck[t] >= p[t, x]:
            rest = torch.relu(p[t] - q[t])
            return rest / rest.sum()
    return p[-1]


# === wrong the-other-way
def exchanged_branches(drafted, p, q, luck):
    for t, x in enumerate(drafted):
        if luck[t] < p[t, x] / q[t, x]:
            rest = torch.relu(p[t] - q[t])
            return rest / rest.sum()
    return p[-1]


# === wrong first-word-only
def no_loop(drafted, p, q, luck):
    x = drafted[0]
    if luck[0] >= p[0, x] / q[0, x]:
        rest = torch.relu(p[0] - q[0])
        return rest / rest.sum()
    return p[-1]


# === wrong row-after
def next_row(drafted, p, q, luck):
    for t, x in enumerate(drafted):
        if luck[t] >= p[t, x] / q[t, x]:
            return p[t + 1]
    return p[-1]


# === wrong bonus-from-the-last-draft
def ends_with_q(drafted, p, q, luck):
    for t, x in enumerate(drafted):
        if luck[t] >= p[t, x] / q[t, x]:
            rest = torch.relu(p[t] - q[t])
            return rest / rest.sum()
    return q[-1]


# === wrong bonus-one-too-early
def ends_with_last_t(drafted, p, q, luck):
    for t, x in enumerate(drafted):
        if luck[t] >= p[t, x] / q[t, x]:
            rest = torch.relu(p[t] - q[t])
            return rest / rest.sum()
    return p[t]


# === wrong bonus-from-the-rest
def rest_in_any_case(drafted, p, q, luck):
    t = 0
    while t < len(drafted) - 1 and luck[t] < p[t, drafted[t]] / q[t, drafted[t]]:
        t += 1
    rest = torch.relu(p[t] - q[t])
    return rest / rest.sum()


# === wrong ratio-inverted
def logs_upside_down(drafted, p, q, luck):
    for t, x in enumerate(drafted):
        if luck[t].log() >= q[t, x].log() - p[t, x].log():
            rest = (p[t] - q[t]).clamp(min=0)
            return rest / rest.sum()
    return p[-1]


# === wrong extra-axis
def keeps_an_axis(drafted, p, q, luck):
    for t in range(len(drafted)):
        x = drafted[t]
        if luck[t] >= p[t, x] / q[t, x]:
            rest = torch.relu(p[t : t + 1] - q[t : t + 1])
            return rest / rest.sum()
    return p[-1:]


# === wrong writes-into-argument
def in_place(drafted, p, q, luck):
    for t, x in enumerate(drafted):
        if luck[t] >= p[t, x] / q[t, x]:
            p[t] -= q[t]
            p[t].clamp_(min=0)
            return p[t] / p[t].sum()
    return p[-1]


# === wrong from-p
def multinomial_thinking(drafted, p, q, luck):
    stays = torch.minimum(
        torch.ones(len(drafted)), p[:-1].gather(1, drafted[:, None])[:, 0] / q.gather(1, drafted[:, None])[:, 0]
    )
    for t in range(len(drafted)):
        if luck[t] >= stays[t]:
            return p[t] / p[t].sum()
    return p[-1]


# === wrong stays-at-equality
def accept_draft__unseen_0(drafted, p, q, luck):
    for t, x in enumerate(drafted.tolist()):
        if luck[t] > p[t, x] / q[t, x]:
            r = (p[t] - q[t]).clamp(min=0)
            return r / r.sum()
    return p[-1]


# === wrong always-the-same
def accept_draft_zeros_unseen_3(drafted, p, q, luck):
    return torch.zeros(p.shape[1], dtype=p.dtype)


# === right
def accept_draft_right_unseen_6(drafted, p, q, luck):
    for t in range(len(drafted)):
        x = drafted[t]
        if luck[t] * q[t, x] >= p[t, x]:
            r = torch.relu(p[t] - q[t])
            return r / r.sum()
    return p[len(drafted)]


# === right
def accept_draft_right_unseen_7(drafted, p, q, luck):
    k = torch.arange(len(drafted), device=p.device)
    bad = luck >= p[k, drafted] / q[k, drafted]
    if bad.any():
        t = int(bad.nonzero()[0])
        r = (p[t] - q[t]).clamp_min(0)
        return r / r.sum()
    return p[-1].clone()


# === wrong last-rejection
def accept_keeps_the_last_rejection(drafted, p, q, luck):
    out = p[-1]
    for t in range(len(drafted)):
        x = drafted[t]
        if luck[t] >= p[t, x] / q[t, x]:
            r = (p[t] - q[t]).clamp(min=0)
            out = r / r.sum()
    return out


# === wrong row-after-in-the-rest
def accept_rest_of_the_next_row(drafted, p, q, luck):
    for t in range(len(drafted)):
        x = drafted[t]
        if luck[t] >= p[t, x] / q[t, x]:
            r = (p[t + 1] - q[t]).clamp(min=0)
            return r / r.sum()
    return p[-1]


# === wrong likeliest-only
def accept_by_argmax(drafted, p, q, luck):
    for t in range(len(drafted)):
        if drafted[t] != p[t].argmax():
            r = (p[t] - q[t]).clamp(min=0)
            return r / r.sum()
    return p[-1]


# === wrong cut-too-late
def accept_cuts_after_dividing(drafted, p, q, luck):
    for t in range(len(drafted)):
        x = drafted[t]
        if luck[t] >= p[t, x] / q[t, x]:
            r = p[t] - q[t]
            return (r / r.sum()).clamp(min=0)
    return p[-1]


# === wrong ratio-inverted
def fresh_le(drafted, p, q, luck):
    for t, w in enumerate(drafted.tolist()):
        if luck[t] > q[t, w] / p[t, w]:
            r = (p[t] - q[t]).clamp(min=0)
            return r / r.sum()
    return p[-1]


# === wrong p-without-the-word
def fresh_resample_p(drafted, p, q, luck):
    for t, w in enumerate(drafted.tolist()):
        if luck[t] >= p[t, w] / q[t, w]:
            r = p[t].clone()
            r[w] = 0
            return r / r.sum()
    return p[-1]


# === right
def fresh_product(drafted, p, q, luck):
    for t, w in enumerate(drafted.tolist()):
        if not luck[t] * q[t, w] < p[t, w]:
            r = torch.relu(p[t] - q[t])
            return r / r.sum()
    return p[len(drafted)]


# === wrong accepted-ones-counted
def blind_b4(drafted, p, q, luck):
    K = len(drafted)
    i = torch.arange(K)
    ok = luck < p[i, drafted] / q[i, drafted]
    n = int(ok.sum())
    if n == K:
        return p[-1].clone()
    r = (p[n] - q[n]).clamp(min=0)
    return r / r.sum()


# === wrong luck-turned-round
def greater(drafted, p, q, luck):
    for t, w in enumerate(drafted):
        if luck[t] < 1 - p[t, w] / q[t, w]:
            r = (p[t] - q[t]).clamp(min=0)
            return r / r.sum()
    return p[-1]


# === wrong common-part
def min_pq(drafted, p, q, luck):
    for t, w in enumerate(drafted):
        if luck[t] >= p[t, w] / q[t, w]:
            r = torch.minimum(p[t], q[t])
            return r / r.sum()
    return p[-1]


# === wrong row-after-everywhere
def shifted_p(drafted, p, q, luck):
    for t, w in enumerate(drafted):
        if luck[t] >= p[t + 1, w] / q[t, w]:
            r = (p[t + 1] - q[t]).clamp(min=0)
            return r / r.sum()
    return p[-1]


# === wrong chances-multiplied
def cumulative(drafted, p, q, luck):
    chance = 1
    for t, w in enumerate(drafted):
        chance = chance * p[t, w] / q[t, w]
        if luck[t] >= chance:
            r = (p[t] - q[t]).clamp(min=0)
            return r / r.sum()
    return p[-1]


# === right
def cumprod(drafted, p, q, luck):
    c = (p[:-1] / q).gather(1, drafted[:, None])[:, 0]
    t = int((luck < c).long().cumprod(0).sum())
    padded = torch.cat([q, torch.zeros_like(q[:1])])
    r = torch.relu(p[t] - padded[t])
    return r / r.sum() if t < len(q) else p[t]


# === right
def one_minus_min(drafted, p, q, luck):
    hot = torch.nn.functional.one_hot(drafted, p.shape[1]).to(p)
    stay = luck < torch.einsum("kv,kv->k", p[:-1] / q, hot)
    for t in range(len(stay)):
        if not stay[t]:
            m = torch.minimum(p[t], q[t])
            return (p[t] - m) / (p[t] - m).sum()
    return p[len(stay)]
