"""Argument checks: every error says what was expected, what came, and what to do.

Those called `check_…` return nothing. They raise `TypeError` for the wrong kind of object or another dtype, and
`ValueError` for the right kind with a wrong shape or value or on another device; `name` is what the message calls the
argument, and `advice` what it says to do. A count is an `int` and a number an `int` or a `float`, everywhere; the
message says how to convert NumPy's integers.
"""

from attnbook.checks.integers import check_ids, check_integers
from attnbook.checks.masking import aligned_shape, check_bias, check_lengths, check_mask, check_scores, check_valid_lens
from attnbook.checks.numbers import (
    check_callable,
    check_choice,
    check_config,
    check_count,
    check_fields,
    check_kind,
    check_number,
    check_positive,
    check_probability,
    check_switch,
)
from attnbook.checks.tensors import (
    check_alike,
    check_batch,
    check_features,
    check_keys,
    check_leading_axes,
    check_own_weights,
    check_query_key,
    check_tensor,
    check_value,
    check_weight,
    kind_of,
)
from attnbook.checks.values import has_values, is_traced, readable

__all__ = [
    "check_tensor",
    "check_alike",
    "check_batch",
    "check_features",
    "check_weight",
    "check_leading_axes",
    "check_own_weights",
    "check_query_key",
    "check_keys",
    "check_value",
    "check_mask",
    "check_bias",
    "aligned_shape",
    "kind_of",
    "has_values",
    "is_traced",
    "readable",
    "check_integers",
    "check_ids",
    "check_lengths",
    "check_valid_lens",
    "check_scores",
    "check_probability",
    "check_positive",
    "check_number",
    "check_count",
    "check_fields",
    "check_switch",
    "check_choice",
    "check_callable",
    "check_kind",
    "check_config",
]
