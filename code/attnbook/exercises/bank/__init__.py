"""The exercises themselves, one module each; `SHELF` holds them in the order of the book."""

from __future__ import annotations

from importlib import import_module

from ..exercise import Exercise, Shelf

MODULES = (
    "soft_lookup",
    "nadaraya_watson",
    "leave_one_out",
    "masked_softmax",
    "gaussian_to_dot",
    "scaled_dot_scores",
    "additive_concat",
    "bilinear",
    "causal_mask",
    "padding_and_causal",
    "cross_attention",
    "split_heads",
    "merge_heads",
    "torch_weights",
    "parameter_budget",
    "positions_batch",
    "positions_sinusoids",
    "positions_rotary",
    "pre_ln_block",
    "teacher_forcing",
    "leak_free_split",
    "masked_loss",
    "bleu",
    "bahdanau_step",
    "alignment_error",
    "label_smoothing",
    "beam_search",
    "length_penalty",
    "top_p",
    "key_value_cache",
)


def _exercise(module: str) -> Exercise:
    contents = vars(import_module(f"{__name__}.{module}")).values()
    return next(thing for thing in contents if isinstance(thing, Exercise))


SHELF = Shelf()
SHELF.add(*map(_exercise, MODULES))
