"""Memories of fixed size under the gated delta rule: the book's three forms beside those of transformers."""

from functools import partial

import torch.nn.functional as F
from torch import Tensor

from attnbook.attention import chunked_memory, parallel_memory, recurrent_memory
from tools.benchmarks.family import Case, Family, Layer, quiet_transformers, random_sequences

CHUNK = 64  # transformers' choice
THEIRS = "transformers, chunks of 64"


def rule_inputs(case: Case, device: str) -> list[Tensor]:
    """Query, normalised key and value (B, H, T, D / H), decay and step size (B, H, T) between 0 and 1."""
    query, key, value, gates = (
        x.detach().unflatten(-1, (case.heads, -1)).transpose(1, 2) for x in random_sequences(case, device, count=4)
    )
    forget, step = gates[..., 0].add(3).sigmoid(), gates[..., 1].sigmoid()
    given = [query, F.normalize(key, dim=-1), value, forget, step]
    return [x.contiguous().requires_grad_() for x in given]


def memory_layers(case: Case, device: str) -> dict[str, Layer]:
    """Five ways to read the same memory. Theirs has heads behind positions, a logarithm, and a scale of its own."""
    quiet_transformers()
    from transformers.models.qwen3_next.modeling_qwen3_next import (
        torch_chunk_gated_delta_rule,
        torch_recurrent_gated_delta_rule,
    )

    def theirs(rule, **options) -> Layer:
        def call(query, key, value, forget, step):
            query = query * query.shape[-1] ** 0.5
            given = (query, key, value, forget.log(), step)
            turned = (x.transpose(1, 2) for x in given)
            return rule(*turned, **options)[0].transpose(1, 2)

        return Layer(call)

    def ours(form) -> Layer:
        return Layer(lambda q, k, v, decay, beta: form(q, k, v, decay=decay, beta=beta)[0])

    empty = {"initial_state": None, "output_final_state": False}
    return {
        THEIRS: theirs(torch_chunk_gated_delta_rule, chunk_size=CHUNK),
        "chunked_memory, the same": ours(partial(chunked_memory, chunk_size=CHUNK)),
        "parallel_memory": ours(parallel_memory),
        "recurrent_memory": ours(recurrent_memory),
        "transformers, recurrent": theirs(torch_recurrent_gated_delta_rule, **empty),
    }


MEMORY = Family(
    "memory",
    tuple(Case(1, length, 256, 4) for length in (256, 1024)),
    memory_layers,
    rule_inputs,
    reference=THEIRS,
    weighed=False,
)
