"""Answers to bahdanau-step, as readers write them; `verdicts.py` says how to read this file."""
# ruff: noqa (this is how people write)

import math

import torch
import torch.nn.functional as F


def attend(query, memory, lens, W_k, w_v, act=torch.tanh, fill=-torch.inf, dim=-1, values=None):
    keys = memory @ W_k.T
    e = act(query[:, None] + keys) @ w_v
    if fill is not None:
        e = e.masked_fill(torch.arange(memory.shape[1], device=memory.device) >= lens[:, None], fill)
    a = e.softmax(dim)
    return (a[:, None] @ (memory if values is None else keys))[:, 0], a


# === right
def bahdanau_by_einsum(state, memory, lens, W_q, W_k, w_v):
    q = torch.einsum("bd,hd->bh", state[-1], W_q)
    k = torch.einsum("bsk,hk->bsh", memory, W_k)
    e = torch.einsum("bsh,h->bs", torch.tanh(q.unsqueeze(1) + k), w_v)
    mask = torch.arange(memory.size(1), device=memory.device)[None] >= lens[:, None]
    a = F.softmax(e.masked_fill(mask, float("-inf")), dim=1)
    return torch.einsum("bs,bsk->bk", a, memory), a


# === right
def bahdanau_by_loops(state, memory, lens, W_q, W_k, w_v):
    contexts, rows = [], []
    for b in range(memory.shape[0]):
        n = int(lens[b])
        query = W_q @ state[-1, b]
        scores = torch.stack([w_v @ torch.tanh(query + W_k @ memory[b, j]) for j in range(n)])
        weights = scores.softmax(0)
        rows.append(torch.cat([weights, weights.new_zeros(memory.shape[1] - n)]))
        contexts.append(weights @ memory[b, :n])
    return torch.stack(contexts), torch.stack(rows)


# === right
def bahdanau_by_the_package(state, memory, lens, W_q, W_k, w_v):
    from attnbook.attention.masks import masked_softmax
    from attnbook.attention.scores import additive_score

    query = state[-1][:, None]
    weights = masked_softmax(additive_score(query, memory, W_q, W_k, w_v), lens)
    return (weights @ memory).squeeze(1), weights.squeeze(1)


# === right
def bahdanau_by_linear_layers(state, memory, lens, W_q, W_k, w_v):
    top = state[state.shape[0] - 1]
    hidden = torch.tanh(F.linear(top, W_q).unsqueeze(1) + F.linear(memory, W_k))
    scores = F.linear(hidden, w_v.unsqueeze(0)).squeeze(-1)
    keep = torch.arange(scores.shape[1]).to(scores.device).expand_as(scores) < lens.view(-1, 1)
    weights = torch.where(keep, scores, torch.full_like(scores, -torch.inf)).softmax(-1)
    return torch.bmm(weights.unsqueeze(1), memory).squeeze(1), weights


# === wrong rescaled-after-softmax
def bahdanau_by_exponentials(state, memory, lens, W_q, W_k, w_v):
    scores = torch.tanh((state[-1] @ W_q.T)[:, None, :] + memory @ W_k.T).matmul(w_v)
    there = (torch.arange(memory.shape[1], device=lens.device) < lens[:, None]).to(scores.dtype)
    share = (scores - scores.max(1, keepdim=True).values).exp() * there
    weights = share / share.sum(1, keepdim=True)
    return (weights[:, :, None] * memory).sum(1), weights


# === right
def bahdanau_by_exponentials_of_the_words(state, memory, lens, W_q, W_k, w_v):
    scores = torch.tanh((state[-1] @ W_q.T)[:, None, :] + memory @ W_k.T).matmul(w_v)
    there = torch.arange(memory.shape[1], device=lens.device) < lens[:, None]
    scores = scores.masked_fill(~there, -torch.inf)
    share = (scores - scores.max(1, keepdim=True).values).exp()
    weights = share / share.sum(1, keepdim=True)
    return (weights[:, :, None] * memory).sum(1), weights


# === right
def bahdanau_as_a_list(state, memory, lens, W_q, W_k, w_v):
    *_, last = state
    hidden = torch.tanh(last.matmul(W_q.t()).unsqueeze(-2) + memory.matmul(W_k.t()))
    scores = (hidden * w_v).sum(dim=-1)
    blocked = torch.arange(memory.shape[1], device=memory.device).unsqueeze(0).ge(lens.unsqueeze(1))
    weights = torch.softmax(scores.masked_fill(blocked, torch.finfo(scores.dtype).min), -1)
    return [(weights.unsqueeze(1) @ memory).sum(1), weights]


# === wrong bottom-layer
def bahdanau_asks_below(state, memory, lens, W_q, W_k, w_v):
    return attend(state[0] @ W_q.T, memory, lens, W_k, w_v)


# === wrong layers-averaged
def bahdanau_asks_all_layers(state, memory, lens, W_q, W_k, w_v):
    return attend(state.mean(dim=0) @ W_q.T, memory, lens, W_k, w_v)


# === wrong raises
def bahdanau_asks_the_last_sentence(state, memory, lens, W_q, W_k, w_v):
    return attend(state[:, -1] @ W_q.T, memory, lens, W_k, w_v)


# === wrong no-tanh
def bahdanau_without_tanh(state, memory, lens, W_q, W_k, w_v):
    return attend(state[-1] @ W_q.T, memory, lens, W_k, w_v, act=lambda x: x)


# === wrong relu-for-tanh
def bahdanau_with_relu(state, memory, lens, W_q, W_k, w_v):
    return attend(state[-1] @ W_q.T, memory, lens, W_k, w_v, act=torch.relu)


# === wrong sigmoid-for-tanh
def bahdanau_with_sigmoid(state, memory, lens, W_q, W_k, w_v):
    return attend(state[-1] @ W_q.T, memory, lens, W_k, w_v, act=torch.sigmoid)


# === wrong padding-attended
def bahdanau_forgets_the_lengths(state, memory, lens, W_q, W_k, w_v):
    return attend(state[-1] @ W_q.T, memory, lens, W_k, w_v, fill=None)


# === wrong zero-fill
def bahdanau_fills_zero(state, memory, lens, W_q, W_k, w_v):
    return attend(state[-1] @ W_q.T, memory, lens, W_k, w_v, fill=0.0)


# === wrong padding-heard
def bahdanau_fills_a_little(state, memory, lens, W_q, W_k, w_v):
    return attend(state[-1] @ W_q.T, memory, lens, W_k, w_v, fill=-5.0)


# === wrong keys-averaged
def bahdanau_averages_keys(state, memory, lens, W_q, W_k, w_v):
    return attend(state[-1] @ W_q.T, memory, lens, W_k, w_v, values="keys")


# === wrong softmax-over-batch
def bahdanau_softmax_dim_0(state, memory, lens, W_q, W_k, w_v):
    return attend(state[-1] @ W_q.T, memory, lens, W_k, w_v, fill=-1e30, dim=0)


# === wrong scaled
def bahdanau_scaled(state, memory, lens, W_q, W_k, w_v):
    return attend(state[-1] @ W_q.T, memory, lens, W_k, w_v / math.sqrt(W_q.shape[0]))


# === wrong dot-product
def bahdanau_dot(state, memory, lens, W_q, W_k, w_v):
    e = ((memory @ W_k.T) @ (state[-1] @ W_q.T)[:, :, None])[..., 0]
    a = e.masked_fill(torch.arange(e.shape[1]) >= lens[:, None], -torch.inf).softmax(-1)
    return (a[..., None] * memory).sum(1), a


# === wrong maps-exchanged
def bahdanau_exchanges_the_maps(state, memory, lens, W_q, W_k, w_v):
    query = state[-1] @ W_k.T
    keys = memory @ W_q.T
    return query, keys


# === wrong not-transposed
def bahdanau_does_not_transpose(state, memory, lens, W_q, W_k, w_v):
    query = state[-1] @ W_q
    keys = memory @ W_k
    return query, keys


# === wrong raises
def bahdanau_forgets_the_axis(state, memory, lens, W_q, W_k, w_v):
    query = state[-1] @ W_q.T
    keys = memory @ W_k.T
    e = torch.tanh(query + keys) @ w_v
    return e, e


# === wrong one-thing-only
def bahdanau_returns_the_context(state, memory, lens, W_q, W_k, w_v):
    return attend(state[-1] @ W_q.T, memory, lens, W_k, w_v)[0]


# === wrong order-of-results
def bahdanau_returns_the_other_order(state, memory, lens, W_q, W_k, w_v):
    context, weights = attend(state[-1] @ W_q.T, memory, lens, W_k, w_v)
    return weights, context


# === wrong wrong-shape
def bahdanau_keeps_an_axis(state, memory, lens, W_q, W_k, w_v):
    context, weights = attend(state[-1] @ W_q.T, memory, lens, W_k, w_v)
    return context[:, None], weights[:, None]


# === wrong wrong-shape
def bahdanau_squeezes_everything(state, memory, lens, W_q, W_k, w_v):
    context, weights = attend(state[-1] @ W_q.T, memory, lens, W_k, w_v)
    return context.squeeze(), weights.squeeze()


# === wrong scores-for-weights
def bahdanau_returns_scores(state, memory, lens, W_q, W_k, w_v):
    e = torch.tanh((state[-1] @ W_q.T)[:, None] + memory @ W_k.T) @ w_v
    e = e.masked_fill(torch.arange(memory.shape[1]) >= lens[:, None], -torch.inf)
    return (e.softmax(-1)[:, None] @ memory)[:, 0], e


# === wrong unknown
def bahdanau_context_is_the_last_state(state, memory, lens, W_q, W_k, w_v):
    _, weights = attend(state[-1] @ W_q.T, memory, lens, W_k, w_v)
    return memory[torch.arange(len(lens)), lens - 1], weights


# === wrong gradient-cut
def bahdanau_detaches_the_query(state, memory, lens, W_q, W_k, w_v):
    return attend(state[-1].detach() @ W_q.T, memory, lens, W_k, w_v)


# === wrong writes-into-argument
def bahdanau_writes_into_memory(state, memory, lens, W_q, W_k, w_v):
    result = attend(state[-1] @ W_q.T, memory, lens, W_k, w_v)
    for b, n in enumerate(lens.tolist()):
        memory[b, n:] = 0
    return result


# === wrong changes-dtype
def bahdanau_in_float32(state, memory, lens, W_q, W_k, w_v):
    context, weights = attend(state[-1] @ W_q.T, memory, lens, W_k, w_v)
    return context.double(), weights.double()


# === wrong longest-length
def bahdanau_one_length(state, memory, lens, W_q, W_k, w_v):
    return attend(state[-1] @ W_q.T, memory, lens.max().expand(len(lens)), W_k, w_v)


# === wrong padding-heard
def bahdanau_zeroes_the_memory(state, memory, lens, W_q, W_k, w_v):
    real = torch.arange(memory.shape[1]) < lens[:, None]
    return attend(state[-1] @ W_q.T, memory * real[..., None], lens, W_k, w_v, fill=None)


# === wrong filled-too-high
def bahdanau_step_fill_5_unseen_2(state, memory, lens, W_q, W_k, w_v):
    s = torch.tanh((state[-1] @ W_q.T)[:, None] + memory @ W_k.T) @ w_v
    m = torch.arange(memory.shape[1], device=memory.device) < lens[:, None]
    w = s.masked_fill(~m, -50.0).softmax(-1)
    return torch.einsum("bs,bsd->bd", w, memory), w


# === wrong not-finite
def bahdanau_step_exp_without_shift_unseen_3(state, memory, lens, W_q, W_k, w_v):
    s = torch.tanh((state[-1] @ W_q.T)[:, None] + memory @ W_k.T) @ w_v
    m = torch.arange(memory.shape[1], device=memory.device) < lens[:, None]
    w = s.exp() * m
    w = w / w.sum(-1, keepdim=True)
    return torch.einsum("bs,bsd->bd", w, memory), w


# === wrong always-the-same
def bahdanau_step_zeros_unseen_4(state, memory, lens, W_q, W_k, w_v):
    return torch.zeros(memory.shape[0], memory.shape[2], dtype=memory.dtype), torch.zeros(
        memory.shape[:2], dtype=memory.dtype
    )


# === wrong bottom-layer
def fresh_bottom(state, memory, lens, W_q, W_k, w_v):
    s = torch.tanh((state[0] @ W_q.T)[:, None] + memory @ W_k.T) @ w_v
    s = s.masked_fill(torch.arange(memory.shape[1]) >= lens[:, None], -torch.inf)
    a = s.softmax(-1)
    return torch.einsum("bs,bsd->bd", a, memory), a


# === wrong one-maximum
def fresh_batch_max(state, memory, lens, W_q, W_k, w_v):
    s = torch.tanh((state[-1] @ W_q.T)[:, None] + memory @ W_k.T) @ w_v
    m = (torch.arange(memory.shape[1]) < lens[:, None]).to(s.dtype)
    e = (s - s.max()).exp() * m
    a = e / e.sum(-1, keepdim=True)
    return torch.einsum("bs,bsd->bd", a, memory), a


# === right
def fresh_loop(state, memory, lens, W_q, W_k, w_v):
    cs, ws = [], []
    for q, h, n in zip(state[-1], memory, lens.tolist()):
        e = torch.tanh(W_q @ q + h[:n] @ W_k.T) @ w_v
        a = torch.cat([e.softmax(0), torch.zeros_like(h[n:, 0])])
        cs.append(a @ h)
        ws.append(a)
    return torch.stack(cs), torch.stack(ws)


# === wrong rescaled-after-softmax
def blind_b5(state, memory, lens, W_q, W_k, w_v):
    e = torch.tanh((state[-1] @ W_q.T)[:, None] + memory @ W_k.T) @ w_v
    a = e.softmax(-1) * (torch.arange(memory.shape[1]) < lens[:, None])
    a = a / a.sum(-1, keepdim=True)
    return (a[:, None] @ memory)[:, 0], a


# === wrong softmax-over-batch
def blind_b8(state, memory, lens, W_q, W_k, w_v):
    e = torch.tanh((state[-1] @ W_q.T)[:, None] + memory @ W_k.T) @ w_v
    e = e.masked_fill(torch.arange(memory.shape[1]) >= lens[:, None], -1e9)
    a = e.softmax(0)
    return (a[:, None] @ memory)[:, 0], a
