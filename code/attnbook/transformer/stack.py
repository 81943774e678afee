"""What all models share: a check of tokens, masks, a loop over layers, and a count of parameters."""

from typing import Any

import torch
from torch import Tensor, nn

from attnbook.attention import causal_mask, combine_masks
from attnbook.attention.masks import shared_triangle
from attnbook.checks import check_ids, check_kind


def check_tokens(name: str, ids: Tensor, vocab_size: int, start: int = 0) -> None:
    """Require token ids (B, T), and at least one token for each text; the `start` cached ones count."""
    check_ids(name, ids, vocab_size)
    if start + ids.shape[1] == 0:
        raise ValueError(
            f"{name} has shape {tuple(ids.shape)}: no token to read; pass at least one"
        )


def one_mask(
    num_heads: int,
    ids: Tensor,
    valid_lens: Tensor | None,
    mask: Tensor | None = None,
    start: int = 0,
) -> Tensor | None:
    """One mask from lengths and a mask, for all layers: ids (B, T) attend to themselves and `start` cached ones."""
    if isinstance(valid_lens, Tensor) and valid_lens.dim() != 1:
        raise ValueError(
            f"valid_lens must have shape ({len(ids)},), one length per text, got {tuple(valid_lens.shape)}; "
            "a 0/1 attention_mask goes in as mask=from_binary(attention_mask)[:, None]"
        )
    batch, length = ids.shape
    shape = torch.Size([batch, num_heads, length, start + length])
    return combine_masks(shape, valid_lens, mask, ids.device)


def step_mask(length: int, start: int, device: torch.device) -> Tensor | None:
    """The causal mask of positions that follow `start` others; None for a single one, which may look at all of them."""
    if length < 2:
        return None
    if start:
        return causal_mask(length, start + length, device=device)
    return shared_triangle(length, device)


def run_layers(
    layers: nn.ModuleList, x: Tensor, *, need_weights: bool, **options: Any
) -> tuple[Tensor, list[Any] | None]:
    """Send x (B, T, D) through the layers in turn; return it with a list of their weights, or None.

    A list of masks or of caches holds an entry for each layer; every other option goes to all layers.
    """
    lists = [name for name in ("mask", "cache") if isinstance(options.get(name), list)]
    weights_of_layers = []
    for number, layer in enumerate(layers):
        entries = {name: options[name][number] for name in lists}
        x, weights = layer(x, need_weights=need_weights, **options | entries)
        weights_of_layers.append(weights)
    return x, weights_of_layers if need_weights else None


def count_parameters(module: nn.Module) -> int:
    """How many numbers a module learns, shared ones counted once.

    Args:
        module: any module.

    Returns:
        The count.
    """
    check_kind("module", module, nn.Module, "pass a layer or a model")
    return sum(p.numel() for p in module.parameters() if p.requires_grad)
