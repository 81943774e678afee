"""The exercises themselves, one module each; `SHELF` has them in the order of the book and loads them by name."""

from __future__ import annotations

from importlib import import_module

from ..exercise import Exercise, Shelf

MODULES = (  # soft_lookup holds the exercise soft-lookup
    "soft_lookup",
    "lookup_gradient",
    "nadaraya_watson",
    "kernel_pooling",
    "leave_one_out",
    "left_out",
    "masked_softmax",
    "log_weight",
    "padding_and_causal",
    "gaussian_to_dot",
    "scaled_dot_scores",
    "unit_variance",
    "additive_concat",
    "causal_mask",
    "cross_attention",
    "leaks",
    "split_heads",
    "torch_weights",
    "grouped_queries",
    "batch_axis_bug",
    "odd_size",
    "rotary",
    "layer_norm",
    "pre_ln_block",
    "noam_rate",
    "teacher_forcing",
    "count_parameters",
    "repair_mask",
    "leak_free_split",
    "masked_loss",
    "bleu",
    "bahdanau_step",
    "alignment_error",
    "label_smoothing",
    "measured_mask",
    "beam_search",
    "top_p",
    "key_value_cache",
    "accept_draft",
    "merge_softmax",
    "window_mask",
    "cache_bytes",
    "linear_attention",
    "delta_rule",
    "chunked_attention",
    "biaffine_score",
    "pair_loss",
    "nested_decode",
    "prefix_matching",
    "ablate_head",
    "rollout",
    "rms_norm",
    "bits_per_byte",
    "cover_words",
    "contrastive_loss",
)


def _exercise(name: str) -> Exercise:
    contents = vars(import_module(f"{__name__}.{name.replace('-', '_')}")).values()
    return next(thing for thing in contents if isinstance(thing, Exercise))


SHELF = Shelf([module.replace("_", "-") for module in MODULES], _exercise)
