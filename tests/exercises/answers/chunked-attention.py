"""Answers to chunked-attention, as readers write them; `verdicts.py` says how to read this file."""
# ruff: noqa (this is how people write)

import torch


def empty(key, value):
    return torch.zeros(
        value.shape[1], key.shape[1], dtype=value.dtype, device=value.device
    )


# === right
def with_slices(query, key, value, chunk_size):
    S, out = empty(key, value), []
    for i in range(0, len(key), chunk_size):
        q, k, v = (x[i : i + chunk_size] for x in (query, key, value))
        out.append((q @ k.T).tril() @ v + q @ S.T)
        S = S + v.T @ k
    return torch.cat(out)


# === right
def with_split(query, key, value, chunk_size):
    S, out = empty(key, value).T, []
    for q, k, v in zip(*(x.split(chunk_size) for x in (query, key, value))):
        out.append(q @ S + torch.tril(q @ k.T) @ v)
        S = S + k.T @ v
    return torch.cat(out, dim=0)


# === right
def recurrent(query, key, value, chunk_size):
    S, out = empty(key, value), []
    for q, k, v in zip(query, key, value):
        S = S + torch.outer(v, k)
        out.append(S @ q)
    return torch.stack(out)


# === right
def parallel(query, key, value, chunk_size):
    return (query @ key.T).tril() @ value


# === right
def all_states_first(query, key, value, chunk_size):
    chunks = list(zip(*(x.split(chunk_size) for x in (query, key, value))))
    states = torch.stack([v.T @ k for _, k, v in chunks]).cumsum(0)
    out = []
    for n, (q, k, v) in enumerate(chunks):
        o = (q @ k.T).tril() @ v
        if n > 0:
            o = o + q @ states[n - 1].T
        out.append(o)
    return torch.cat(out)


# === right
def masked_by_hand(query, key, value, chunk_size):
    S, out = empty(key, value), []
    for start in range(0, key.shape[0], chunk_size):
        stop = min(start + chunk_size, key.shape[0])
        q, k, v = query[start:stop], key[start:stop], value[start:stop]
        mask = torch.ones(
            stop - start, stop - start, dtype=torch.bool, device=key.device
        ).triu(1)
        out.append((q @ k.T).masked_fill(mask, 0.0) @ v + (S @ q.T).T)
        S = S + torch.einsum("cv,cd->vd", v, k)
    return torch.cat(out)


# === wrong no-mask
def forgot_tril(query, key, value, chunk_size):
    S, out = empty(key, value), []
    for i in range(0, len(key), chunk_size):
        q, k, v = (x[i : i + chunk_size] for x in (query, key, value))
        out.append(q @ k.T @ v + q @ S.T)
        S = S + v.T @ k
    return torch.cat(out)


# === wrong blind-to-itself
def strictly_past(query, key, value, chunk_size):
    S, out = empty(key, value), []
    for i in range(0, len(key), chunk_size):
        q, k, v = (x[i : i + chunk_size] for x in (query, key, value))
        out.append((q @ k.T).tril(-1) @ v + q @ S.T)
        S = S + v.T @ k
    return torch.cat(out)


# === wrong mask-upside-down
def triu_for_tril(query, key, value, chunk_size):
    S, out = empty(key, value), []
    for i in range(0, len(key), chunk_size):
        q, k, v = (x[i : i + chunk_size] for x in (query, key, value))
        out.append((q @ k.T).triu() @ v + q @ S.T)
        S = S + v.T @ k
    return torch.cat(out)


# === wrong mask-upside-down
def keys_down_queries_across(query, key, value, chunk_size):
    S, out = empty(key, value), []
    for i in range(0, len(key), chunk_size):
        q, k, v = (x[i : i + chunk_size] for x in (query, key, value))
        out.append((k @ q.T).tril().T @ v + q @ S.T)
        S = S + v.T @ k
    return torch.cat(out)


# === wrong nothing-before
def chunks_alone(query, key, value, chunk_size):
    out = []
    for q, k, v in zip(
        query.split(chunk_size), key.split(chunk_size), value.split(chunk_size)
    ):
        out.append((q @ k.T).tril() @ v)
    return torch.cat(out)


# === wrong nothing-before
def state_reset_in_the_loop(query, key, value, chunk_size):
    out = []
    for i in range(0, len(key), chunk_size):
        S = empty(key, value)
        q, k, v = (x[i : i + chunk_size] for x in (query, key, value))
        out.append((q @ k.T).tril() @ v + q @ S.T)
        S = S + v.T @ k
    return torch.cat(out)


# === wrong nothing-inside
def state_only(query, key, value, chunk_size):
    S, out = empty(key, value), []
    for i in range(0, len(key), chunk_size):
        q, k, v = (x[i : i + chunk_size] for x in (query, key, value))
        out.append(q @ S.T)
        S = S + v.T @ k
    return torch.cat(out)


# === wrong written-too-early
def updated_first(query, key, value, chunk_size):
    S, out = empty(key, value), []
    for i in range(0, len(key), chunk_size):
        q, k, v = (x[i : i + chunk_size] for x in (query, key, value))
        S = S + v.T @ k
        out.append((q @ k.T).tril() @ v + q @ S.T)
    return torch.cat(out)


# === wrong no-mask
def write_chunk_read_chunk(query, key, value, chunk_size):
    S, out = empty(key, value), []
    for i in range(0, len(key), chunk_size):
        S = S + value[i : i + chunk_size].T @ key[i : i + chunk_size]
        out.append(query[i : i + chunk_size] @ S.T)
    return torch.cat(out)


# === wrong memory-replaced
def assigned(query, key, value, chunk_size):
    S, out = empty(key, value), []
    for i in range(0, len(key), chunk_size):
        q, k, v = (x[i : i + chunk_size] for x in (query, key, value))
        out.append((q @ k.T).tril() @ v + q @ S.T)
        S = v.T @ k
    return torch.cat(out)


# === wrong one-chunk-late
def lagging(query, key, value, chunk_size):
    S = waiting = empty(key, value)
    out = []
    for i in range(0, len(key), chunk_size):
        q, k, v = (x[i : i + chunk_size] for x in (query, key, value))
        out.append((q @ k.T).tril() @ v + q @ S.T)
        S, waiting = waiting, waiting + v.T @ k
    return torch.cat(out)


# === wrong read-by-keys
def no_queries(query, key, value, chunk_size):
    S, out = empty(key, value), []
    for k, v in zip(key.split(chunk_size), value.split(chunk_size)):
        out.append((k @ k.T).tril() @ v + k @ S.T)
        S = S + v.T @ k
    return torch.cat(out)


# === wrong before-read-by-keys
def state_asked_by_keys(query, key, value, chunk_size):
    S, out = empty(key, value), []
    for i in range(0, len(key), chunk_size):
        q, k, v = (x[i : i + chunk_size] for x in (query, key, value))
        out.append((q @ k.T).tril() @ v + k @ S.T)
        S = S + v.T @ k
    return torch.cat(out)


# === wrong inside-read-by-keys
def table_of_keys(query, key, value, chunk_size):
    S, out = empty(key, value), []
    for i in range(0, len(key), chunk_size):
        q, k, v = (x[i : i + chunk_size] for x in (query, key, value))
        out.append((k @ k.T).tril() @ v + q @ S.T)
        S = S + v.T @ k
    return torch.cat(out)


# === wrong softmax-inside
def softmax_in_the_chunk(query, key, value, chunk_size):
    S, out = empty(key, value), []
    for i in range(0, len(key), chunk_size):
        q, k, v = (x[i : i + chunk_size] for x in (query, key, value))
        mask = torch.ones(len(q), len(q), dtype=torch.bool, device=q.device).triu(1)
        out.append((q @ k.T).masked_fill(mask, -torch.inf).softmax(-1) @ v + q @ S.T)
        S = S + v.T @ k
    return torch.cat(out)


# === wrong averaged
def normalised_in_the_chunk(query, key, value, chunk_size):
    S, out = empty(key, value), []
    for i in range(0, len(key), chunk_size):
        q, k, v = (x[i : i + chunk_size] for x in (query, key, value))
        w = (q @ k.T).tril()
        out.append(w / w.sum(-1, keepdim=True) @ v + q @ S.T)
        S = S + v.T @ k
    return torch.cat(out)


# === wrong scaled
def scaled_throughout(query, key, value, chunk_size):
    S, out = empty(key, value), []
    query = query / query.shape[1] ** 0.5
    for i in range(0, len(key), chunk_size):
        q, k, v = (x[i : i + chunk_size] for x in (query, key, value))
        out.append((q @ k.T).tril() @ v + q @ S.T)
        S = S + v.T @ k
    return torch.cat(out)


# === wrong inside-scaled
def scaled_inside(query, key, value, chunk_size):
    S, out = empty(key, value), []
    for i in range(0, len(key), chunk_size):
        q, k, v = (x[i : i + chunk_size] for x in (query, key, value))
        out.append((q @ k.T / key.shape[1] ** 0.5).tril() @ v + q @ S.T)
        S = S + v.T @ k
    return torch.cat(out)


# === wrong memory-averaged
def mean_over_the_chunk(query, key, value, chunk_size):
    S, out = empty(key, value), []
    for i in range(0, len(key), chunk_size):
        q, k, v = (x[i : i + chunk_size] for x in (query, key, value))
        out.append((q @ k.T).tril() @ v + q @ S.T)
        S = S + v.T @ k / k.shape[0]
    return torch.cat(out)


# === wrong short-chunk-lost
def whole_chunks_only(query, key, value, chunk_size):
    S, out = empty(key, value), torch.zeros_like(value)
    for n in range(len(key) // chunk_size):
        part = slice(n * chunk_size, (n + 1) * chunk_size)
        q, k, v = query[part], key[part], value[part]
        out[part] = (q @ k.T).tril() @ v + q @ S.T
        S = S + v.T @ k
    return out


# === wrong chunk-doubled
def added_twice(query, key, value, chunk_size):
    S, out = empty(key, value), []
    for i in range(0, len(key), chunk_size):
        q, k, v = (x[i : i + chunk_size] for x in (query, key, value))
        before = q @ S.T
        inside = (q @ k.T).tril() @ v + before
        out.append(inside + before)
        S = S + v.T @ k
    return torch.cat(out)


# === wrong no-gradient
def detached_state(query, key, value, chunk_size):
    return ((query @ key.T).tril() @ value).detach()


# === wrong divided
def normalised(query, key, value, chunk_size):
    w = (query @ key.T).tril()
    return w @ value / w.sum(-1, keepdim=True)


# === wrong features
def features_too(query, key, value, chunk_size):
    f = torch.nn.functional.elu
    query, key = f(query) + 1, f(key) + 1
    S, out = torch.zeros(key.shape[1], value.shape[1], dtype=key.dtype), []
    for q, k, v in zip(
        query.split(chunk_size), key.split(chunk_size), value.split(chunk_size)
    ):
        out.append(q @ S + (q @ k.T).tril() @ v)
        S = S + k.T @ v
    return torch.cat(out)


# === right
def token_by_token(query, key, value, chunk_size):
    S = 0
    rows = []
    for q, k, v in zip(query, key, value):
        S = S + torch.outer(k, v)
        rows.append(q @ S)
    return torch.stack(rows)


# === right
def chunked_whole_table(query, key, value, chunk_size):
    return (query @ key.T).tril() @ value


# === wrong cut-short
def fresh_full_chunks(query, key, value, chunk_size):
    n = len(key) // chunk_size * chunk_size
    out, S = [], value.new_zeros(value.shape[1], key.shape[1])
    for i in range(0, n, chunk_size):
        q, k, v = (x[i : i + chunk_size] for x in (query, key, value))
        out.append((q @ k.T).tril() @ v + q @ S.T)
        S = S + v.T @ k
    return torch.cat(out) if out else value[:0]


# === wrong written-too-early
def fresh_state_first(query, key, value, chunk_size):
    out, S = [], value.new_zeros(value.shape[1], key.shape[1])
    for i in range(0, len(key), chunk_size):
        q, k, v = (x[i : i + chunk_size] for x in (query, key, value))
        S = S + v.T @ k
        out.append((q @ k.T).tril() @ v + q @ S.T)
    return torch.cat(out)


# === right
def fresh_quadratic(query, key, value, chunk_size):
    return (query @ key.T).tril() @ value
