"""Multi-head attention in three stages, and with fewer key/value heads than query heads.

The stages are the chapter's derivation, and compute the same thing with the same weights: `WideHeads` (a module a head,
each at full width), `SeparateHeads` (a module a head, each at width D/H), `MultiHeadAttention` (one projection for all
heads, split and merged by reshaping). The last is the one that the models use. `widen_heads` copies the weights of the
second into the first, `MultiHeadAttention.from_separate` into the last.
"""

from attnbook.multihead.layer import MultiHeadAttention
from attnbook.multihead.splitting import merge_heads, split_heads
from attnbook.multihead.stages import SeparateHeads, WideHeads, widen_heads

__all__ = [
    "WideHeads",
    "SeparateHeads",
    "MultiHeadAttention",
    "widen_heads",
    "split_heads",
    "merge_heads",
]
