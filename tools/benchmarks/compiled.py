"""Multi-head self-attention after `torch.compile`: the book's layer and PyTorch's, with one set of weights.

What compiling takes is not counted, and neither is memory: the compiler's own would be most of it. A C++ compiler is
needed, as `torch.compile` needs one on the CPU.
"""

from dataclasses import replace

import torch

from tools.benchmarks.family import PASSES, Bar, Case, Family, Layer, padded_sequences
from tools.benchmarks.multihead import OURS, TORCH, multi_head_layers

COMPILED = "compiled "


def compiled_layers(case: Case, device: str) -> dict[str, Layer]:
    """The layers of the family "multi-head", compiled whole: a part that is not would be an error."""
    torch.compiler.reset()
    layers = multi_head_layers(case, device)
    return {
        COMPILED + name: replace(layers[name], call=torch.compile(layers[name].call, fullgraph=True, dynamic=False))
        for name in (TORCH, OURS)
    }


COMPILED_HEADS = Family(
    "compiled-multi-head",
    tuple(Case(8, n, 256, 8, padding) for n in (128, 512) for padding in (False, True)),
    compiled_layers,
    padded_sequences,
    reference=COMPILED + TORCH,
    bars=tuple(Bar("time", kind, COMPILED + OURS, COMPILED + TORCH, 1.0, 0.05) for kind in PASSES),
    weighed=False,
)
