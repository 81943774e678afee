"""Attention: one operation, from kernel regression to many heads, positions and a cache.

Masks say who may attend to what; scores say how well a key fits a query; pooling and layers average the values;
a memory of fixed size (linear attention, the delta rule) regresses values on keys. Measures say what a head does.

A **mask** is a bool tensor, True = may attend, with a column for each key, those of a cache included: (T, S), or
(B, T, S) for all heads, or all axes of the scores, such as (B, H, T, S). Any size but S may be 1. A mask of padding,
(B, S), goes in as `mask[:, None]`; as it is, it would be read as (T, S) where B = T. A **bias** has the axes of a mask,
is of floating point, and is added to the scores. **Valid lengths**, (B,) for sequences or (B, T) for queries, are
integers from 0 to S: how many keys count, the first ones. Beside a mask, a key must pass both. A head's **weights** are
returned beside its output where `need_weights` asks for them, and else None. There are exceptions: the regressions
(`average_pooling`, `nadaraya_watson`, `NWKernelRegression`) always return weights, and `LatentAttention`, which is
causal, takes no mask and returns its cache, a tensor, in their place.

Arguments that do not fit are refused: with a `TypeError` if they are of another kind or dtype, with a `ValueError` if
they have a wrong shape or value or are on another device. What a function refuses besides stands under Raises.
"""

from attnbook.attention.cache import KeyValueCache
from attnbook.attention.conventions import (
    from_additive,
    from_binary,
    from_blocked,
    to_additive,
    to_binary,
    to_blocked,
)
from attnbook.attention.head_measures import ablate_head, prefix_matching, rollout
from attnbook.attention.heads import Bias, MultiHeadAttention, stack_heads
from attnbook.attention.kernels import (
    KERNELS,
    boxcar,
    epanechnikov,
    gaussian,
    triangular,
)
from attnbook.attention.latent import LatentAttention
from attnbook.attention.layers import (
    AdditiveAttention,
    DotProductAttention,
    MultiplicativeAttention,
)
from attnbook.attention.linear import (
    chunked_memory,
    elu_features,
    normalised,
    parallel_memory,
    random_features,
    recurrent_memory,
)
from attnbook.attention.masks import (
    causal_mask,
    combine_masks,
    masked_softmax,
    sequence_mask,
    sliding_window_mask,
)
from attnbook.attention.pooling import (
    NWKernelRegression,
    WidthStep,
    attention_pooling,
    average_pooling,
    fit_width,
    leave_one_out_mask,
    nadaraya_watson,
    regression_loss,
)
from attnbook.attention.positions import (
    LearnedPositions,
    SinusoidalPositions,
    sinusoidal_encoding,
)
from attnbook.attention.relative import (
    DebertaPositions,
    ShawPositions,
    T5Positions,
    alibi_bias,
    relative_positions,
)
from attnbook.attention.rotary import RotaryPositions, rotary_frequencies, rotate
from attnbook.attention.rotary_scaling import LinearScaling, Llama3Scaling
from attnbook.attention.scores import (
    additive_score,
    concat_score,
    dot_score,
    gaussian_score,
    multiplicative_score,
    scaled_dot_score,
)
from attnbook.attention.self_attention import (
    CrossAttention,
    QueryPooling,
    SelfAttention,
    pair_mask,
)
from attnbook.attention.separate_heads import SeparateHeads, WideHeads, widen_heads
from attnbook.attention.sinks import SinkAttention
from attnbook.attention.splitting import merge_heads, split_heads
from attnbook.attention.tiled import online_softmax, tiled_attention, tiles

__all__ = [
    "sequence_mask",
    "causal_mask",
    "sliding_window_mask",
    "combine_masks",
    "masked_softmax",
    "to_blocked",
    "from_blocked",
    "to_additive",
    "from_additive",
    "to_binary",
    "from_binary",
    "gaussian_score",
    "dot_score",
    "scaled_dot_score",
    "multiplicative_score",
    "additive_score",
    "concat_score",
    "gaussian",
    "boxcar",
    "triangular",
    "epanechnikov",
    "KERNELS",
    "attention_pooling",
    "average_pooling",
    "nadaraya_watson",
    "NWKernelRegression",
    "leave_one_out_mask",
    "regression_loss",
    "fit_width",
    "WidthStep",
    "CrossAttention",
    "SelfAttention",
    "QueryPooling",
    "pair_mask",
    "sinusoidal_encoding",
    "SinusoidalPositions",
    "LearnedPositions",
    "rotate",
    "rotary_frequencies",
    "RotaryPositions",
    "LinearScaling",
    "Llama3Scaling",
    "relative_positions",
    "ShawPositions",
    "T5Positions",
    "DebertaPositions",
    "alibi_bias",
    "KeyValueCache",
    "DotProductAttention",
    "MultiplicativeAttention",
    "AdditiveAttention",
    "MultiHeadAttention",
    "Bias",
    "WideHeads",
    "SeparateHeads",
    "widen_heads",
    "stack_heads",
    "split_heads",
    "merge_heads",
    "LatentAttention",
    "online_softmax",
    "tiled_attention",
    "tiles",
    "elu_features",
    "random_features",
    "parallel_memory",
    "recurrent_memory",
    "chunked_memory",
    "normalised",
    "SinkAttention",
    "prefix_matching",
    "ablate_head",
    "rollout",
]
