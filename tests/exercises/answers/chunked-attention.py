"""Answers to chunked-attention, as readers write them; `verdicts.py` says how to read this file."""
# ruff: noqa (this is how people write)

import torch


def empty(key, value):
    return torch.zeros(value.shape[1], key.shape[1], dtype=value.dtype, device=value.device)


def places(x):
    return torch.arange(x.shape[0], dtype=x.dtype, device=x.device)


def table(q, k, a):
    p = places(q)
    return (q @ k.T * a ** (p[:, None] - p).clamp(min=0)).tril()


def write(S, k, v, a):
    n = k.shape[0]
    return a**n * S + (v * (a ** (n - 1 - places(v)))[:, None]).T @ k


def read(S, q, a):
    return q @ S.T * (a ** (places(q) + 1))[:, None]


# === right
def with_slices(query, key, value, chunk_size, decay):
    S, out = empty(key, value), []
    for i in range(0, len(key), chunk_size):
        q, k, v = (x[i : i + chunk_size] for x in (query, key, value))
        out.append(table(q, k, decay) @ v + read(S, q, decay))
        S = write(S, k, v, decay)
    return torch.cat(out)


# === right
def with_split(query, key, value, chunk_size, decay):
    S, out = empty(key, value), []
    for q, k, v in zip(*(x.split(chunk_size) for x in (query, key, value))):
        out.append(torch.add(read(S, q, decay), table(q, k, decay) @ v))
        S = write(S, k, v, decay)
    return torch.cat(out, dim=0)


# === right
def recurrent(query, key, value, chunk_size, decay):
    S, out = empty(key, value), []
    for q, k, v in zip(query, key, value):
        S = decay * S + torch.outer(v, k)
        out.append(S @ q)
    return torch.stack(out)


# === right
def parallel(query, key, value, chunk_size, decay):
    return table(query, key, decay) @ value


# === right
def by_hand_at_the_end(query, key, value, chunk_size, decay):
    scores, values, out = query @ key.T, value.unbind(), []
    for t in range(len(key)):
        o, row = 0 * value[0], scores[t].unbind()
        for j in range(t + 1):
            o = o + decay ** (t - j) * row[j] * values[j]
        out.append(o)
    return torch.stack(out)


# === right
def masked_by_hand(query, key, value, chunk_size, decay):
    S, out = empty(key, value), []
    for start in range(0, key.shape[0], chunk_size):
        stop = min(start + chunk_size, key.shape[0])
        q, k, v = query[start:stop], key[start:stop], value[start:stop]
        i = places(q)
        gap = i[:, None] - i
        D = torch.where(gap >= 0, decay ** gap.clamp(min=0), torch.zeros_like(gap))
        out.append((D * (q @ k.T)) @ v + (decay ** (i + 1))[:, None] * (S @ q.T).T)
        fade = decay ** (stop - start - 1 - i)
        S = decay ** (stop - start) * S + torch.einsum("c,cv,cd->vd", fade, v, k)
    return torch.cat(out)


# === right
def state_by_steps(query, key, value, chunk_size, decay):
    S, out = empty(key, value), []
    for q, k, v in zip(*(x.split(chunk_size) for x in (query, key, value))):
        out.append(table(q, k, decay) @ v + read(S, q, decay))
        for one_k, one_v in zip(k, v):
            S = decay * S + torch.outer(one_v, one_k)
    return torch.cat(out)


# === wrong no-decay
def page_chunks(query, key, value, chunk_size, decay):
    S, out = empty(key, value), []
    for i in range(0, len(key), chunk_size):
        q, k, v = (x[i : i + chunk_size] for x in (query, key, value))
        out.append((q @ k.T).tril() @ v + q @ S.T)
        S = S + v.T @ k
    return torch.cat(out)


# === wrong no-decay
def quadratic_without_fading(query, key, value, chunk_size, decay):
    return (query @ key.T).tril() @ value


# === wrong inside-not-faded
def only_between(query, key, value, chunk_size, decay):
    S, out = empty(key, value), []
    for i in range(0, len(key), chunk_size):
        q, k, v = (x[i : i + chunk_size] for x in (query, key, value))
        out.append((q @ k.T).tril() @ v + read(S, q, decay))
        S = write(S, k, v, decay)
    return torch.cat(out)


# === wrong memory-read-unfaded
def state_as_it_is(query, key, value, chunk_size, decay):
    S, out = empty(key, value), []
    for i in range(0, len(key), chunk_size):
        q, k, v = (x[i : i + chunk_size] for x in (query, key, value))
        out.append(table(q, k, decay) @ v + q @ S.T)
        S = write(S, k, v, decay)
    return torch.cat(out)


# === wrong read-one-step-early
def from_zero(query, key, value, chunk_size, decay):
    S, out = empty(key, value), []
    for i in range(0, len(key), chunk_size):
        q, k, v = (x[i : i + chunk_size] for x in (query, key, value))
        out.append(table(q, k, decay) @ v + q @ S.T * (decay ** places(q))[:, None])
        S = write(S, k, v, decay)
    return torch.cat(out)


# === wrong memory-never-fades
def sum_of_chunks(query, key, value, chunk_size, decay):
    S, out = empty(key, value), []
    for i in range(0, len(key), chunk_size):
        q, k, v = (x[i : i + chunk_size] for x in (query, key, value))
        out.append(table(q, k, decay) @ v + read(S, q, decay))
        n = len(k)
        S = S + (v * (decay ** (n - 1 - places(v)))[:, None]).T @ k
    return torch.cat(out)


# === wrong memory-fades-once
def one_factor_per_chunk(query, key, value, chunk_size, decay):
    S, out = empty(key, value), []
    for i in range(0, len(key), chunk_size):
        q, k, v = (x[i : i + chunk_size] for x in (query, key, value))
        out.append(table(q, k, decay) @ v + read(S, q, decay))
        n = len(k)
        S = decay * S + (v * (decay ** (n - 1 - places(v)))[:, None]).T @ k
    return torch.cat(out)


# === wrong written-fresh
def all_new(query, key, value, chunk_size, decay):
    S, out = empty(key, value), []
    for i in range(0, len(key), chunk_size):
        q, k, v = (x[i : i + chunk_size] for x in (query, key, value))
        out.append(table(q, k, decay) @ v + read(S, q, decay))
        S = decay ** len(k) * S + v.T @ k
    return torch.cat(out)


# === wrong fades-the-wrong-way
def first_stays(query, key, value, chunk_size, decay):
    S, out = empty(key, value), []
    for i in range(0, len(key), chunk_size):
        q, k, v = (x[i : i + chunk_size] for x in (query, key, value))
        out.append(table(q, k, decay) @ v + read(S, q, decay))
        S = decay ** len(k) * S + (v * (decay ** places(v))[:, None]).T @ k
    return torch.cat(out)


# === wrong no-mask
def forgot_tril(query, key, value, chunk_size, decay):
    S, out = empty(key, value), []
    for i in range(0, len(key), chunk_size):
        q, k, v = (x[i : i + chunk_size] for x in (query, key, value))
        p = places(q)
        w = q @ k.T * decay ** (p[:, None] - p).clamp(min=0)
        out.append(w @ v + read(S, q, decay))
        S = write(S, k, v, decay)
    return torch.cat(out)


# === wrong blind-to-itself
def strictly_past(query, key, value, chunk_size, decay):
    S, out = empty(key, value), []
    for i in range(0, len(key), chunk_size):
        q, k, v = (x[i : i + chunk_size] for x in (query, key, value))
        out.append(table(q, k, decay).tril(-1) @ v + read(S, q, decay))
        S = write(S, k, v, decay)
    return torch.cat(out)


# === wrong mask-upside-down
def keys_down_queries_across(query, key, value, chunk_size, decay):
    S, out = empty(key, value), []
    for i in range(0, len(key), chunk_size):
        q, k, v = (x[i : i + chunk_size] for x in (query, key, value))
        out.append(table(k, q, decay).T @ v + read(S, q, decay))
        S = write(S, k, v, decay)
    return torch.cat(out)


# === wrong nothing-before
def chunks_alone(query, key, value, chunk_size, decay):
    out = []
    for q, k, v in zip(query.split(chunk_size), key.split(chunk_size), value.split(chunk_size)):
        out.append(table(q, k, decay) @ v)
    return torch.cat(out)


# === wrong nothing-before
def state_reset_in_the_loop(query, key, value, chunk_size, decay):
    out = []
    for i in range(0, len(key), chunk_size):
        S = empty(key, value)
        q, k, v = (x[i : i + chunk_size] for x in (query, key, value))
        out.append(table(q, k, decay) @ v + read(S, q, decay))
        S = write(S, k, v, decay)
    return torch.cat(out)


# === wrong nothing-inside
def state_only(query, key, value, chunk_size, decay):
    S, out = empty(key, value), []
    for i in range(0, len(key), chunk_size):
        q, k, v = (x[i : i + chunk_size] for x in (query, key, value))
        out.append(read(S, q, decay))
        S = write(S, k, v, decay)
    return torch.cat(out)


# === wrong written-too-early
def updated_first(query, key, value, chunk_size, decay):
    S, out = empty(key, value), []
    for i in range(0, len(key), chunk_size):
        q, k, v = (x[i : i + chunk_size] for x in (query, key, value))
        S = write(S, k, v, decay)
        out.append(table(q, k, decay) @ v + read(S, q, decay))
    return torch.cat(out)


# === wrong memory-replaced
def assigned(query, key, value, chunk_size, decay):
    S, out = empty(key, value), []
    for i in range(0, len(key), chunk_size):
        q, k, v = (x[i : i + chunk_size] for x in (query, key, value))
        out.append(table(q, k, decay) @ v + read(S, q, decay))
        S = write(empty(key, value), k, v, decay)
    return torch.cat(out)


# === wrong one-chunk-late
def lagging(query, key, value, chunk_size, decay):
    S = waiting = empty(key, value)
    out = []
    for i in range(0, len(key), chunk_size):
        q, k, v = (x[i : i + chunk_size] for x in (query, key, value))
        out.append(table(q, k, decay) @ v + read(S, q, decay))
        S, waiting = waiting, write(waiting, k, v, decay)
    return torch.cat(out)


# === wrong read-by-keys
def no_queries(query, key, value, chunk_size, decay):
    S, out = empty(key, value), []
    for k, v in zip(key.split(chunk_size), value.split(chunk_size)):
        out.append(table(k, k, decay) @ v + read(S, k, decay))
        S = write(S, k, v, decay)
    return torch.cat(out)


# === wrong softmax-inside
def softmax_in_the_chunk(query, key, value, chunk_size, decay):
    S, out = empty(key, value), []
    for i in range(0, len(key), chunk_size):
        q, k, v = (x[i : i + chunk_size] for x in (query, key, value))
        out.append(
            (q @ k.T).masked_fill(torch.ones_like(q @ k.T).triu(1) > 0, -torch.inf).softmax(-1) @ v + read(S, q, decay)
        )
        S = write(S, k, v, decay)
    return torch.cat(out)


# === wrong divided
def normalised(query, key, value, chunk_size, decay):
    w = table(query, key, decay)
    return w @ value / w.sum(-1, keepdim=True)


# === wrong scaled
def scaled_throughout(query, key, value, chunk_size, decay):
    query = query / query.shape[1] ** 0.5
    return table(query, key, decay) @ value


# === wrong short-chunk-lost
def whole_chunks_only(query, key, value, chunk_size, decay):
    S, out = empty(key, value), torch.zeros_like(value)
    for n in range(len(key) // chunk_size):
        part = slice(n * chunk_size, (n + 1) * chunk_size)
        q, k, v = query[part], key[part], value[part]
        out[part] = table(q, k, decay) @ v + read(S, q, decay)
        S = write(S, k, v, decay)
    return out


# === wrong no-gradient
def detached(query, key, value, chunk_size, decay):
    return (table(query, key, decay) @ value).detach()


# === wrong cut-short
def fresh_full_chunks(query, key, value, chunk_size, decay):
    n = len(key) // chunk_size * chunk_size
    out, S = [], empty(key, value)
    for i in range(0, n, chunk_size):
        q, k, v = (x[i : i + chunk_size] for x in (query, key, value))
        out.append(table(q, k, decay) @ v + read(S, q, decay))
        S = write(S, k, v, decay)
    return torch.cat(out) if out else value[:0]


# === wrong powers-overflow
def blind_b6(query, key, value, chunk_size, decay):
    n = torch.arange(len(query), dtype=value.dtype)
    q = query * decay ** n[:, None]
    k = key * decay ** -n[:, None]
    return (q @ k.T).tril() @ value
