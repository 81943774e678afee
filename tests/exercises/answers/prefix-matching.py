"""Answers to prefix-matching, as readers write them; `verdicts.py` says how to read this file."""
# ruff: noqa (this is how people write)

import torch


# === right
def by_loops(weights, tokens):
    T = len(tokens)
    rows = []
    for t in range(T):
        js = [j for j in range(1, t + 1) if tokens[j - 1] == tokens[t]]
        if js:
            rows.append(weights[:, t, js].sum(-1))
    return torch.stack(rows).mean(0)


# === right
def with_a_padded_table(weights, tokens):
    same = tokens[:, None] == tokens[None, :]
    shifted = torch.zeros_like(same)
    shifted[:, 1:] = same[:, :-1]
    m = shifted.tril()
    rows = m.any(1)
    return (weights * m).sum(2)[:, rows].mean(1)


# === right
def divided_by_hand(weights, tokens):
    T = tokens.shape[0]
    m = torch.zeros(T, T, dtype=weights.dtype)
    m[:, 1:] = (tokens[:, None] == tokens[:-1]).to(weights.dtype)
    m = torch.tril(m)
    n = (m.sum(1) > 0).sum()
    return (weights * m).sum((1, 2)) / n


# === right
def einsum(weights, tokens):
    eq = (tokens[:, None] == tokens[None, :-1]).to(weights)
    m = torch.nn.functional.pad(eq, (1, 0)).tril()
    total = torch.einsum("htj,tj->h", weights, m)
    return total / m.any(-1).sum()


# === right
def by_the_book(weights, tokens):
    from attnbook.attention import prefix_matching

    return prefix_matching(weights, tokens)


# === right
def head_by_head(weights, tokens):
    scores = []
    for w in weights:
        total, count = 0.0, 0
        for t in range(len(tokens)):
            seen = torch.zeros(len(tokens), dtype=torch.bool)
            seen[1 : t + 1] = tokens[:t] == tokens[t]
            if seen.any():
                total = total + w[t][seen].sum()
                count += 1
        scores.append(total / count)
    return torch.stack(scores)


# === wrong copy-and-itself
def equal_tokens(weights, tokens):
    same = (tokens[:, None] == tokens).tril()
    return (weights * same).sum(-1).mean(-1)


# === wrong copy-and-itself
def equal_tokens_loop(weights, tokens):
    out = 0
    for t in range(len(tokens)):
        out = out + weights[:, t, : t + 1][:, tokens[: t + 1] == tokens[t]].sum(-1)
    return out / len(tokens)


# === wrong copy-itself
def earlier_copies(weights, tokens):
    same = (tokens[:, None] == tokens).tril(-1)
    return (weights * same).sum(-1)[:, same.any(-1)].mean(-1)


# === wrong copy-itself
def earlier_copies_loop(weights, tokens):
    rows = []
    for t in range(len(tokens)):
        js = [j for j in range(t) if tokens[j] == tokens[t]]
        if js:
            rows.append(weights[:, t, js].sum(-1))
    return torch.stack(rows).mean(0)


# === wrong before-the-copy
def one_too_early(weights, tokens):
    rows = []
    for t in range(len(tokens)):
        js = [copy - 1 for copy in range(1, t) if tokens[copy] == tokens[t]]
        if js:
            rows.append(weights[:, t, js].sum(-1))
    return torch.stack(rows).mean(0)


# === wrong two-after
def one_too_late(weights, tokens):
    rows = []
    for t in range(len(tokens)):
        js = [copy + 2 for copy in range(t - 1) if tokens[copy] == tokens[t]]
        if js:
            rows.append(weights[:, t, js].sum(-1))
    return torch.stack(rows).mean(0)


# === wrong wraps-around
def rolled(weights, tokens):
    m = (tokens[:, None] == tokens.roll(1)).tril()
    return (weights * m).sum(-1)[:, m.any(-1)].mean(-1)


# === wrong wraps-around
def negative_index(weights, tokens):
    rows = []
    for t in range(len(tokens)):
        js = [j for j in range(t + 1) if tokens[j - 1] == tokens[t]]
        if js:
            rows.append(weights[:, t, js].sum(-1))
    return torch.stack(rows).mean(0)


# === wrong own-position-excluded
def strictly_before(weights, tokens):
    rows = []
    for t in range(len(tokens)):
        js = [j for j in range(1, t) if tokens[j - 1] == tokens[t]]
        if js:
            rows.append(weights[:, t, js].sum(-1))
    return torch.stack(rows).mean(0)


# === wrong own-position-excluded
def strict_triangle(weights, tokens):
    m = torch.zeros(len(tokens), len(tokens), dtype=torch.bool)
    m[:, 1:] = tokens[:, None] == tokens[:-1]
    m = m.tril(-1)
    return (weights * m).sum(-1)[:, m.any(-1)].mean(-1)


# === wrong future-copies
def causal_anyway(weights, tokens):
    # the weights on the future are zero, so no triangle is needed
    m = torch.zeros(len(tokens), len(tokens), dtype=torch.bool)
    m[:, 1:] = tokens[:, None] == tokens[:-1]
    return (weights * m).sum(-1)[:, m.any(-1)].mean(-1)


# === wrong all-positions
def plain_mean(weights, tokens):
    m = torch.zeros(len(tokens), len(tokens))
    m[:, 1:] = (tokens[:, None] == tokens[:-1]).float()
    return (weights * m.tril()).sum(-1).mean(-1)


# === wrong all-positions
def loop_over_all(weights, tokens):
    total = 0
    for t in range(len(tokens)):
        for j in range(1, t + 1):
            if tokens[j - 1] == tokens[t]:
                total = total + weights[:, t, j]
    return total / len(tokens)


# === wrong sum-not-mean
def summed(weights, tokens):
    total = torch.zeros_like(weights[:, 0, 0])
    for t in range(len(tokens)):
        for j in range(1, t + 1):
            if tokens[j - 1] == tokens[t]:
                total = total + weights[:, t, j]
    return total


# === wrong mean-over-copies
def nested_means(weights, tokens):
    rows = []
    for t in range(len(tokens)):
        js = [j for j in range(1, t + 1) if tokens[j - 1] == tokens[t]]
        if js:
            rows.append(weights[:, t, js].mean(-1))
    return torch.stack(rows).mean(0)


# === wrong mean-over-pairs
def masked_mean(weights, tokens):
    m = torch.zeros(len(tokens), len(tokens), dtype=torch.bool)
    m[:, 1:] = tokens[:, None] == tokens[:-1]
    return weights[:, m.tril()].mean(-1)


# === wrong largest-copy
def strongest(weights, tokens):
    rows = []
    for t in range(len(tokens)):
        js = [j for j in range(1, t + 1) if tokens[j - 1] == tokens[t]]
        if js:
            rows.append(weights[:, t, js].amax(-1))
    return torch.stack(rows).mean(0)


# === wrong latest-copy
def most_recent(weights, tokens):
    rows = []
    for t in range(len(tokens)):
        js = [j for j in range(1, t + 1) if tokens[j - 1] == tokens[t]]
        if js:
            rows.append(weights[:, t, js[-1]])
    return torch.stack(rows).mean(0)


# === wrong first-copy
def earliest(weights, tokens):
    last = {}
    rows = []
    for t, token in enumerate(tokens.tolist()):
        if t and tokens[t - 1].item() not in last:
            last[tokens[t - 1].item()] = t
        if token in last:
            rows.append(weights[:, t, last[token]])
    return torch.stack(rows).mean(0)


# === wrong argmax
def hits(weights, tokens):
    m = torch.zeros(len(tokens), len(tokens), dtype=torch.bool)
    m[:, 1:] = tokens[:, None] == tokens[:-1]
    m = m.tril()
    rows = m.any(-1).nonzero()[:, 0]
    top = weights.argmax(-1)
    return torch.stack([torch.stack([m[t, top[h, t]] for t in rows]).double().mean() for h in range(len(weights))])


# === wrong transposed
def columns(weights, tokens):
    m = torch.zeros(len(tokens), len(tokens), dtype=torch.bool)
    m[:, 1:] = tokens[:, None] == tokens[:-1]
    m = m.tril()
    return (weights.transpose(1, 2) * m).sum(-1)[:, m.any(-1)].mean(-1)


# === wrong one-number
def no_heads(weights, tokens):
    m = torch.zeros(len(tokens), len(tokens), dtype=torch.bool)
    m[:, 1:] = tokens[:, None] == tokens[:-1]
    m = m.tril()
    return (weights * m).sum(-1)[:, m.any(-1)].mean()


# === wrong heads-averaged
def mean_head(weights, tokens):
    m = torch.zeros(len(tokens), len(tokens), dtype=torch.bool)
    m[:, 1:] = tokens[:, None] == tokens[:-1]
    m = m.tril()
    score = (weights.mean(0) * m).sum(-1)[m.any(-1)].mean()
    return score.repeat(len(weights))


# === wrong changes-dtype
def single(weights, tokens):
    m = torch.zeros(len(tokens), len(tokens))
    m[:, 1:] = (tokens[:, None] == tokens[:-1]).float()
    m = m.tril()
    return (weights.float() * m).sum((1, 2)) / m.any(-1).sum()


# === wrong always-the-same
def prefix_matching_zeros_unseen_2(weights, tokens):
    return torch.zeros(len(weights), dtype=weights.dtype)


# === wrong copy-itself
def fresh_copy_itself(weights, tokens):
    T = len(tokens)
    m = (tokens[:, None] == tokens).tril(-1)
    has = m.any(1)
    return (weights * m).sum(-1)[:, has].mean(-1)


# === wrong all-positions
def fresh_all_positions(weights, tokens):
    T = len(tokens)
    m = torch.zeros(T, T, dtype=torch.bool)
    m[:, 1:] = tokens[:, None] == tokens[:-1]
    m = m.tril()
    return (weights * m).sum(-1).mean(-1)


# === wrong latest-copy
def fresh_last_copy(weights, tokens):
    out = []
    for t in range(len(tokens)):
        earlier = [i for i in range(t) if tokens[i] == tokens[t]]
        if earlier:
            out.append(weights[:, t, earlier[-1] + 1])
    return torch.stack(out).mean(0)


# === right
def fresh_loops(weights, tokens):
    out = []
    for t in range(len(tokens)):
        after = [i + 1 for i in range(t) if tokens[i] == tokens[t]]
        if after:
            out.append(weights[:, t, after].sum(-1))
    return torch.stack(out, 1).mean(1)
