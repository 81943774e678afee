"""The exercises themselves, one module each; `SHELF` holds them in the order of the book."""

from __future__ import annotations

from ..exercise import Shelf
from .additive_concat import ADDITIVE_CONCAT
from .bilinear import BILINEAR
from .gaussian_to_dot import GAUSSIAN_TO_DOT
from .leave_one_out import LEAVE_ONE_OUT
from .masked_softmax import MASKED_SOFTMAX
from .nadaraya_watson import NADARAYA_WATSON
from .scaled_dot_scores import SCALED_DOT_SCORES
from .soft_lookup import SOFT_LOOKUP

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
)
