"""Attention with a memory of fixed size: linear attention, gates and the delta rule, in three forms each.

A memory is a matrix S that maps keys to values. At every position a pair is written and a query is answered:

    S_t = a_t S_{t-1} + u_t k_tᵀ,     o_t = S_t q_t,

where u_t is written: the value v_t itself (linear attention), or β_t (v_t − a_t S_{t-1} k_t), the part of it that the
memory does not hold yet (the delta rule). The three forms, parallel, recurrent and chunked, give the same numbers at
different costs. Half precision is computed in float32, also under autocast, and the results are rounded once: outputs
as autocast rounds a product, the memory to the dtype of the values.
"""

from collections.abc import Callable
from itertools import combinations
from typing import Any

import torch
from torch import Tensor

from attnbook.attention.precision import product_dtype, sum_dtype, without_autocast
from attnbook.checks import (
    check_alike,
    check_callable,
    check_count,
    check_leading_axes,
    check_query_key,
    check_tensor,
    check_value,
    readable,
)


def elu_features(x: Tensor) -> Tensor:
    """Positive features, elu(x) + 1: x + 1 where x is positive, eˣ elsewhere.

    Args:
        x: queries or keys, (…, D).

    Returns:
        Positive numbers, (…, D).

    Source:
        Katharopoulos et al. (2020), section 3.2.
    """
    check_tensor("x", x)
    # elu itself ends in −1, and adding 1 to that leaves nothing of a small eˣ
    return torch.where(x > 0, x + 1, x.clamp_max(0).exp())


def random_features(x: Tensor, directions: Tensor) -> Tensor:
    """Positive features whose products are exp(q · k) on average over normally distributed directions.

    Args:
        x: queries or keys, (…, D).
        directions: (m, D), drawn from N(0, 1); the same ones for queries and keys.

    Returns:
        exp(w · x − ‖x‖²/2) / √m for each direction w, (…, m).

    Source:
        Choromanski et al. (2021), lemma 1, without their orthogonal directions.
    """
    check_tensor("x", x, min_dims=1)
    check_tensor("directions", directions, dims=2)
    check_alike("x", x, "directions", directions)
    if x.shape[-1] != directions.shape[-1]:
        raise ValueError(
            f"x has size {x.shape[-1]}, directions have size {directions.shape[-1]}; draw them for this size"
        )
    precise = x.to(sum_dtype(x))
    with without_autocast(x):
        products = precise @ directions.to(precise).T  # (…, m)
    exponent = products - precise.square().sum(-1, keepdim=True) / 2
    return (exponent.exp() / len(directions) ** 0.5).to(x.dtype)


def parallel_memory(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    *,
    decay: Tensor | None = None,
    beta: Tensor | None = None,
    state: Tensor | None = None,
) -> tuple[Tensor, Tensor]:
    """All positions at once: a causal table of scores q · k times what was written, without a softmax.

    Args:
        query: (…, T, D).
        key: (…, T, D).
        value: (…, T, Dv).
        decay: (…, T), what the old memory is multiplied by at each position, above 0, and at most 1 where it
            forgets; nothing is forgotten if not given.
        beta: (…, T), the step size of the delta rule; if not given, values are written as they are.
        state: (…, Dv, D), the memory before the first position; empty if not given.

    Returns:
        outputs (…, T, Dv), each read after its position has been written, and the memory after the last position.

    Source:
        Katharopoulos et al. (2020), section 3.3; with a decay, Sun et al. (2023), section 2; with beta, Yang et al.
        (2024b), section 3, who solve the triangular system under another name.
    """
    tensors = _resolved(query, key, value, decay, beta, state)
    with without_autocast(key):
        output, state = _chunk(*tensors)
    return _rounded(output, state, value)


def recurrent_memory(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    *,
    decay: Tensor | None = None,
    beta: Tensor | None = None,
    state: Tensor | None = None,
) -> tuple[Tensor, Tensor]:
    """The same, position by position: forget, write, read. Nothing but the memory is carried along.

    Args:
        query, key, value, decay, beta, state: as for `parallel_memory`.

    Returns:
        As `parallel_memory` does.

    Source:
        Katharopoulos et al. (2020), section 3.4; Schlag et al. (2021), section 4.2; with both, Yang et al. (2025),
        section 3.
    """
    queries, keys, values, decay, beta, state = _resolved(
        query, key, value, decay, beta, state
    )
    outputs = []
    with without_autocast(key):
        for t in range(keys.shape[-2]):
            k, v = keys[..., t, :], values[..., t, :]  # (…, D), (…, Dv)
            state = decay[..., t, None, None] * state  # forget
            if beta is not None:  # write only what the memory does not know
                v = beta[..., t, None] * (v - (state @ k[..., None])[..., 0])
            state = state + v[..., :, None] * k[..., None, :]  # write
            outputs.append((state @ queries[..., t, :, None])[..., 0])  # read
    return _rounded(torch.stack(outputs, dim=-2), state, value)


def chunked_memory(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    *,
    decay: Tensor | None = None,
    beta: Tensor | None = None,
    state: Tensor | None = None,
    chunk_size: int = 16,
) -> tuple[Tensor, Tensor]:
    """The same, chunk by chunk: parallel within a chunk, and the memory carried from one chunk to the next.

    Args:
        query, key, value, decay, beta, state: as for `parallel_memory`.
        chunk_size: positions per chunk; the last chunk may be shorter.

    Returns:
        As `parallel_memory` does.

    Source:
        Sun et al. (2023), section 2; Yang et al. (2024b), section 3.
    """
    check_count("chunk_size", chunk_size)
    queries, keys, values, decay, beta, state = _resolved(
        query, key, value, decay, beta, state
    )
    outputs = []
    with without_autocast(key):
        for start in range(0, keys.shape[-2], chunk_size):
            part = slice(start, start + chunk_size)
            output, state = _chunk(
                queries[..., part, :], keys[..., part, :], values[..., part, :],
                decay[..., part], None if beta is None else beta[..., part], state,
            )  # fmt: skip
            outputs.append(output)
    return _rounded(torch.cat(outputs, dim=-2), state, value)


def normalised(
    form: Callable, query: Tensor, key: Tensor, value: Tensor, **options: Any
) -> tuple[Tensor, Tensor]:
    """A memory's answer divided by the sum of its scores, so that the weights on the values sum to 1.

    The sum is stored like one more value that is 1 at each position.

    Args:
        form: `parallel_memory`, `recurrent_memory` or `chunked_memory`.
        query, key, value: as for the form; the products of queries and keys must be positive.
        options: further arguments of the form.

    Returns:
        outputs (…, T, Dv), and the memory (…, Dv + 1, D), whose last row is the sum of the keys.

    Source:
        Katharopoulos et al. (2020), sections 3.2 and 3.3.
    """
    advice = "pass parallel_memory, recurrent_memory or chunked_memory"
    check_callable("form", form, advice)
    check_query_key(query, key)
    check_value(query, key, value)
    with_one = torch.cat([value, torch.ones_like(value[..., :1])], dim=-1)
    # in float32 already: the form rounds, and float16 may not hold a sum of scores
    dtype = sum_dtype(value)
    for name, x in options.items():
        if isinstance(x, Tensor) and x.is_floating_point():
            check_alike("key", key, name, x)
            options[name] = x.to(dtype)
    tensors = (x.to(dtype) for x in (query, key, with_one))
    with without_autocast(key):
        output, state = form(*tensors, **options)
    output = output[..., :-1] / output[..., -1:]
    return _rounded(output, state, value)


def _rounded(output: Tensor, state: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    """Outputs rounded as autocast would round a product of the values, and the memory in the values' dtype."""
    return output.to(product_dtype(value)), state.to(value.dtype)


def _chunk(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    decay: Tensor,
    beta: Tensor | None,
    state: Tensor,
) -> tuple[Tensor, Tensor]:
    """The output of a chunk, and the memory after it."""
    # (…, T), of all positions up to this one; in float64, as small differences count
    log_decay = decay.double().log().cumsum(-1)
    since = log_decay[..., :, None] - log_decay[..., None, :]  # of j + 1 … i
    later = torch.ones_like(since, dtype=torch.bool).triu(1)
    decay_since = since.masked_fill(later, -torch.inf).to(decay).exp()  # (…, T, T)
    decay_so_far = log_decay.exp().to(decay)[..., None]  # (…, T, 1): of the memory
    if beta is not None:
        known = decay_so_far * (key @ state.mT)  # (…, T, Dv): from before the chunk
        value = _corrected(key, value - known, decay_since, beta[..., None])
    scores = (query @ key.mT) * decay_since  # (…, T, T)
    output = scores @ value + decay_so_far * (query @ state.mT)
    to_end = decay_since[..., -1, :, None]  # (…, T, 1)
    state = decay_so_far[..., -1:, :] * state + value.mT @ (to_end * key)
    return output, state


def _corrected(
    key: Tensor, unknown: Tensor, decay_since: Tensor, beta: Tensor
) -> Tensor:
    """The vectors u that the delta rule writes at all positions, from one triangular system.

    u_i = β_i (v_i − the value stored for k_i), and what is stored depends on the u_j before: (I + L) u = β (v − S k).
    """
    overlap = beta * (key @ key.mT) * decay_since  # (…, T, T)
    system = overlap.tril(-1) + torch.eye(
        key.shape[-2], dtype=key.dtype, device=key.device
    )
    return torch.linalg.solve_triangular(system, beta * unknown, upper=False)


def _resolved(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    decay: Tensor | None,
    beta: Tensor | None,
    state: Tensor | None,
) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor | None, Tensor]:
    """The arguments, checked and in float32 at least; the default decay is 1, the default memory empty."""
    check_query_key(query, key)
    check_value(query, key, value)
    num_queries, num_keys = query.shape[-2], key.shape[-2]
    if num_queries != num_keys:
        raise ValueError(
            f"the number of queries is {num_queries}, the number of keys is {num_keys}; at each position a pair is "
            "written and a query answered"
        )
    lead = torch.broadcast_shapes(query.shape[:-2], key.shape[:-2], value.shape[:-2])
    leads = {"queries, keys and values": lead}
    for name, gate in (("decay", decay), ("beta", beta)):
        if gate is not None:
            _check_gate(name, gate, key)
            leads[name] = gate.shape[:-1]
    if decay is None:
        decay = key.new_ones(key.shape[-2])
    elif readable(decay) and not (decay > 0).all():
        refused = decay[~(decay > 0)][0].item()
        raise ValueError(
            f"decay must be above 0, got {refused}; to begin with an empty memory, make a new call without a state"
        )
    if state is None:
        state = key.new_zeros(*lead, value.shape[-1], key.shape[-1])
    check_tensor("state", state, min_dims=2)
    check_alike("key", key, "state", state)
    if state.shape[-2:] != (value.shape[-1], key.shape[-1]):
        raise ValueError(
            f"state must be (…, Dv, D) = (…, {value.shape[-1]}, {key.shape[-1]}), got {tuple(state.shape)}; "
            "pass what an earlier call returned"
        )
    leads["state"] = state.shape[:-2]
    for (name_a, a), (name_b, b) in combinations(leads.items(), 2):
        check_leading_axes(name_b, b, name_a, a)
    dtype = sum_dtype(value)
    query, key, value, decay, state = (
        x.to(dtype) for x in (query, key, value, decay, state)
    )
    beta = None if beta is None else beta.to(dtype)
    return query, key, value, decay, beta, state


def _check_gate(name: str, gate: Tensor, key: Tensor) -> None:
    """Require one number for each position, (…, T), beside keys (…, T, D)."""
    check_tensor(name, gate, min_dims=1)
    check_alike("key", key, name, gate)
    if gate.shape[-1] != key.shape[-2]:
        raise ValueError(
            f"{name} is given for {gate.shape[-1]}, the number of keys is {key.shape[-2]}; pass one number for each "
            "position, (…, T)"
        )
