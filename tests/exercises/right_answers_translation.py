"""Right answers to the exercises of chapters 11 to 13, as different people write them."""
# ruff: noqa (this is how people write)

import math
from collections import Counter, defaultdict
from fractions import Fraction

import numpy as np
import torch
import torch.nn.functional as F
from right_answers import right


# --- masked-loss ----------------------------------------------------------------------------------------------


@right("masked-loss")
def loss_by_cross_entropy(logits, target, pad):
    total = F.cross_entropy(
        logits.flatten(0, 1), target.flatten(), ignore_index=pad, reduction="sum"
    )
    return total / max((target != pad).sum(), 1)


@right("masked-loss")
def loss_unreduced(logits, target, pad):
    losses = F.cross_entropy(logits.permute(0, 2, 1), target, reduction="none")
    mask = (target != pad).to(losses.dtype)
    count = mask.sum()
    return (losses * mask).sum() / count if count > 0 else (losses * mask).sum()


@right("masked-loss")
def loss_by_selection(logits, target, pad):
    real = target != pad
    if not real.any():
        return logits.sum() * 0
    return F.cross_entropy(logits[real], target[real])


@right("masked-loss")
def loss_by_loops(logits, target, pad):
    total, count = logits.sum() * 0.0, 0
    for sentence, words in zip(logits, target):
        for z, word in zip(sentence, words):
            if word != pad:
                total = total + torch.logsumexp(z, 0) - z[word]
                count += 1
    return total / max(count, 1)


@right("masked-loss")
def loss_by_one_hot(logits, target, pad):
    V = logits.shape[-1]
    p = torch.exp(logits) / torch.exp(logits).sum(-1, keepdim=True)
    picked = (p * F.one_hot(target, V)).sum(-1)
    mask = target.ne(pad)
    return -(picked.log() * mask).sum() / mask.sum().clamp_min(1)


@right("masked-loss")
def loss_with_where(logits, target, pad):
    log_p = F.log_softmax(logits, -1).gather(2, target.unsqueeze(2)).squeeze(2)
    kept = torch.where(target == pad, torch.zeros_like(log_p), log_p)
    return -kept.sum() / (target != pad).sum().clamp(min=1)


@right("masked-loss")
def loss_by_nll(logits, target, pad):
    copy = target.clone()
    copy[copy == pad] = -100
    nll = F.nll_loss(
        F.log_softmax(logits, dim=-1).reshape(-1, logits.size(-1)),
        copy.reshape(-1),
        reduction="sum",
    )
    n = torch.count_nonzero(target != pad)
    return nll / torch.maximum(n, torch.ones_like(n))


# --- bleu -----------------------------------------------------------------------------------------------------


@right("bleu")
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


@right("bleu")
def bleu_by_loops(hypothesis, references, max_n):
    precisions = []
    for n in range(1, max_n + 1):
        grams = [tuple(hypothesis[i : i + n]) for i in range(len(hypothesis) - n + 1)]
        if len(grams) == 0:
            return 0.0
        clip = 0
        for gram in set(grams):
            most = max(
                [
                    sum(tuple(ref[i : i + n]) == gram for i in range(len(ref) - n + 1))
                    for ref in references
                ]
            )
            clip += min(grams.count(gram), most)
        precisions.append(clip / len(grams))
    c = len(hypothesis)
    closest = None
    for ref in references:
        r = len(ref)
        if (
            closest is None
            or abs(r - c) < abs(closest - c)
            or (abs(r - c) == abs(closest - c) and r < closest)
        ):
            closest = r
    bp = 1 if c > closest else math.exp(1 - closest / c)
    product = 1
    for p in precisions:
        product *= p
    return bp * product ** (1 / max_n)


@right("bleu")
def bleu_with_numpy(hypothesis, references, max_n):
    def grams(tokens, n):
        return [
            "\t".join(tokens[i : i + n]) for i in range(max(0, len(tokens) - n + 1))
        ]

    p = []
    for n in np.arange(1, max_n + 1):
        mine = grams(hypothesis, n)
        if not mine:
            return 0.0
        p.append(
            sum(
                min(mine.count(g), max(grams(r, n).count(g) for r in references))
                for g in set(mine)
            )
            / len(mine)
        )
    lengths = np.array(sorted(len(r) for r in references))
    r = lengths[np.abs(lengths - len(hypothesis)).argmin()]
    bp = np.exp(min(0, 1 - r / len(hypothesis)))
    return float(bp * np.prod(p) ** (1 / max_n))


@right("bleu")
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
            there = [
                [tuple(r[i : i + n]) for i in range(len(r))].count(gram)
                for r in references
            ]
            granted += min(count, max(there))
        product *= Fraction(granted, sum(counts.values()))
    c = len(hypothesis)
    r = min(
        [len(r) for r in references],
        key=lambda length: 2 * abs(length - c) + (length > c) * 0.5,
    )
    return float(product) ** (1 / max_n) * (math.exp(1 - r / c) if r > c else 1)


@right("bleu")
def bleu_with_torch(hypothesis, references, max_n):
    shares = torch.zeros(max_n, dtype=torch.float64)
    for n in range(1, max_n + 1):
        mine = Counter(
            tuple(hypothesis[i : i + n]) for i in range(len(hypothesis) - n + 1)
        )
        refs = [
            Counter(tuple(r[i : i + n]) for i in range(len(r) - n + 1))
            for r in references
        ]
        total = sum(mine.values())
        if total:
            shares[n - 1] = (
                sum(min(k, max(ref[g] for ref in refs)) for g, k in mine.items())
                / total
            )
    c = len(hypothesis)
    if c == 0:
        return 0.0
    r = min(map(len, references), key=lambda r: (abs(r - c), r))
    return (torch.exp(shares.log().mean()) * math.exp(min(0.0, 1 - r / c))).item()


@right("bleu")
def bleu_of_the_book(hypothesis, references, max_n):
    from attnbook.translation import sentence_bleu

    return (
        sentence_bleu(" ".join(hypothesis), [" ".join(r) for r in references], max_n)
        / 100
    )


# --- bahdanau-step --------------------------------------------------------------------------------------------


@right("bahdanau-step")
def bahdanau_by_einsum(state, memory, lens, W_q, W_k, w_v):
    q = torch.einsum("bd,hd->bh", state[-1], W_q)
    k = torch.einsum("bsk,hk->bsh", memory, W_k)
    e = torch.einsum("bsh,h->bs", torch.tanh(q.unsqueeze(1) + k), w_v)
    mask = torch.arange(memory.size(1), device=memory.device)[None] >= lens[:, None]
    a = F.softmax(e.masked_fill(mask, float("-inf")), dim=1)
    return torch.einsum("bs,bsk->bk", a, memory), a


@right("bahdanau-step")
def bahdanau_by_loops(state, memory, lens, W_q, W_k, w_v):
    contexts, rows = [], []
    for b in range(memory.shape[0]):
        n = int(lens[b])
        query = W_q @ state[-1, b]
        scores = torch.stack(
            [w_v @ torch.tanh(query + W_k @ memory[b, j]) for j in range(n)]
        )
        weights = scores.softmax(0)
        rows.append(torch.cat([weights, weights.new_zeros(memory.shape[1] - n)]))
        contexts.append(weights @ memory[b, :n])
    return torch.stack(contexts), torch.stack(rows)


@right("bahdanau-step")
def bahdanau_by_the_package(state, memory, lens, W_q, W_k, w_v):
    from attnbook.attention import masked_softmax
    from attnbook.attention import additive_score

    query = state[-1][:, None]
    weights = masked_softmax(additive_score(query, memory, W_q, W_k, w_v), lens)
    return (weights @ memory).squeeze(1), weights.squeeze(1)


@right("bahdanau-step")
def bahdanau_by_linear_layers(state, memory, lens, W_q, W_k, w_v):
    top = state[state.shape[0] - 1]
    hidden = torch.tanh(F.linear(top, W_q).unsqueeze(1) + F.linear(memory, W_k))
    scores = F.linear(hidden, w_v.unsqueeze(0)).squeeze(-1)
    keep = torch.arange(scores.shape[1]).to(scores.device).expand_as(
        scores
    ) < lens.view(-1, 1)
    weights = torch.where(keep, scores, torch.full_like(scores, -torch.inf)).softmax(-1)
    return torch.bmm(weights.unsqueeze(1), memory).squeeze(1), weights


@right("bahdanau-step")
def bahdanau_by_exponentials(state, memory, lens, W_q, W_k, w_v):
    scores = torch.tanh((state[-1] @ W_q.T)[:, None, :] + memory @ W_k.T).matmul(w_v)
    there = (torch.arange(memory.shape[1], device=lens.device) < lens[:, None]).to(
        scores.dtype
    )
    share = (scores - scores.max(1, keepdim=True).values).exp() * there
    weights = share / share.sum(1, keepdim=True)
    return (weights[:, :, None] * memory).sum(1), weights


@right("bahdanau-step")
def bahdanau_as_a_list(state, memory, lens, W_q, W_k, w_v):
    *_, last = state
    hidden = torch.tanh(last.matmul(W_q.t()).unsqueeze(-2) + memory.matmul(W_k.t()))
    scores = (hidden * w_v).sum(dim=-1)
    blocked = (
        torch.arange(memory.shape[1], device=memory.device)
        .unsqueeze(0)
        .ge(lens.unsqueeze(1))
    )
    weights = torch.softmax(
        scores.masked_fill(blocked, torch.finfo(scores.dtype).min), -1
    )
    return [(weights.unsqueeze(1) @ memory).sum(1), weights]


# --- fill-alignment -------------------------------------------------------------------------------------------


@right("fill-alignment")
def alignment_by_loops(weights, source_len):
    links = []
    for row in weights:
        best = 0
        for i in range(source_len):
            if row[i] > row[best]:
                best = i
        links.append(best)
    return links


@right("fill-alignment")
def alignment_by_max(weights, source_len):
    return [row[:source_len].index(max(row[:source_len])) for row in weights.tolist()]


@right("fill-alignment")
def alignment_with_minus_infinity(weights, source_len):
    padding = torch.arange(weights.shape[1], device=weights.device) >= source_len
    return weights.masked_fill(padding, -torch.inf).max(-1).indices.tolist()


@right("fill-alignment")
def alignment_with_numpy(weights, source_len):
    table = np.array(weights.tolist())[:, :source_len]
    return table.argmax(axis=1).tolist()


@right("fill-alignment")
def alignment_by_topk(weights, source_len):
    return [
        int(i)
        for i in weights.narrow(1, 0, source_len).topk(1, dim=1).indices.flatten()
    ]


@right("fill-alignment")
def alignment_by_sorting(weights, source_len):
    rows = (
        weights.detach().cpu().numpy()
        if weights.device.type == "cpu"
        else np.array(weights.tolist())
    )
    return [max(range(source_len), key=lambda i: row[i]) for row in rows]


@right("fill-alignment")
def alignment_of_the_book(weights, source_len):
    from attnbook.translation import hard_alignment

    links = {j: i for i, j in hard_alignment(weights[:, :source_len])}
    return [links[j] for j in range(len(weights))]


# --- label-smoothing ------------------------------------------------------------------------------------------


@right("label-smoothing")
def smoothing_by_torch(logits, target, epsilon):
    return F.cross_entropy(logits, target, label_smoothing=epsilon)


@right("label-smoothing")
def smoothing_by_a_target(logits, target, epsilon):
    V = logits.shape[-1]
    smooth = (1 - epsilon) * F.one_hot(target, V) + epsilon / V
    return -(smooth * logits.log_softmax(-1)).sum(-1).mean()


@right("label-smoothing")
def smoothing_by_scatter(logits, target, epsilon):
    smooth = torch.full_like(logits, epsilon / logits.size(1))
    smooth = smooth.scatter_add(
        1, target[:, None], torch.full_like(logits[:, :1], 1 - epsilon)
    )
    return F.cross_entropy(logits, smooth)


@right("label-smoothing")
def smoothing_by_loops(logits, target, epsilon):
    total = 0
    for z, y in zip(logits, target):
        log_z = torch.logsumexp(z, 0)
        total = total + (1 - epsilon) * (log_z - z[y])
        for v in range(len(z)):
            total = total + epsilon / len(z) * (log_z - z[v])
    return total / len(target)


@right("label-smoothing")
def smoothing_by_closed_form(logits, target, epsilon):
    right_logit = logits[torch.arange(len(target)), target]
    return (
        logits.logsumexp(-1) - (1 - epsilon) * right_logit - epsilon * logits.mean(-1)
    ).mean()


@right("label-smoothing")
def smoothing_of_the_book(logits, target, epsilon):
    log_p = F.log_softmax(logits, dim=1)
    nll = F.nll_loss(log_p, target)
    return torch.lerp(nll, -log_p.mean(), epsilon)


import right_answers_decoding  # those on decoding have a file of their own
