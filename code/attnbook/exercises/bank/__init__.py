"""The exercises themselves, one module each; `SHELF` holds them in the order of the book."""

from __future__ import annotations

from ..exercise import Shelf
from .additive_concat import ADDITIVE_CONCAT
from .bahdanau_step import BAHDANAU_STEP
from .beam_search import BEAM_SEARCH
from .bilinear import BILINEAR
from .bleu import BLEU
from .causal_mask import CAUSAL_MASK
from .cross_attention import CROSS_ATTENTION
from .fill_alignment import FILL_ALIGNMENT
from .gaussian_to_dot import GAUSSIAN_TO_DOT
from .key_value_cache import KEY_VALUE_CACHE
from .label_smoothing import LABEL_SMOOTHING
from .leave_one_out import LEAVE_ONE_OUT
from .length_penalty import LENGTH_PENALTY
from .masked_loss import MASKED_LOSS
from .masked_softmax import MASKED_SOFTMAX
from .merge_heads import MERGE_HEADS
from .nadaraya_watson import NADARAYA_WATSON
from .padding_and_causal import PADDING_AND_CAUSAL
from .parameter_budget import PARAMETER_BUDGET
from .positions_batch import BATCH_AXIS_BUG
from .positions_rotary import ROTARY
from .positions_sinusoids import ODD_SIZE
from .pre_ln_block import PRE_LN_BLOCK
from .scaled_dot_scores import SCALED_DOT_SCORES
from .soft_lookup import SOFT_LOOKUP
from .split_heads import SPLIT_HEADS
from .teacher_forcing import TEACHER_FORCING
from .top_p import TOP_P
from .torch_weights import TORCH_WEIGHTS

SHELF = Shelf()
SHELF.add(
    SOFT_LOOKUP,
    NADARAYA_WATSON,
    LEAVE_ONE_OUT,
    MASKED_SOFTMAX,
    GAUSSIAN_TO_DOT,
    SCALED_DOT_SCORES,
    ADDITIVE_CONCAT,
    BILINEAR,
    CAUSAL_MASK,
    PADDING_AND_CAUSAL,
    CROSS_ATTENTION,
    SPLIT_HEADS,
    MERGE_HEADS,
    TORCH_WEIGHTS,
    PARAMETER_BUDGET,
    BATCH_AXIS_BUG,
    ODD_SIZE,
    ROTARY,
    PRE_LN_BLOCK,
    TEACHER_FORCING,
    MASKED_LOSS,
    BLEU,
    BAHDANAU_STEP,
    FILL_ALIGNMENT,
    LABEL_SMOOTHING,
    BEAM_SEARCH,
    LENGTH_PENALTY,
    TOP_P,
    KEY_VALUE_CACHE,
)
