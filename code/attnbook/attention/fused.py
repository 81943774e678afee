"""PyTorch's fused kernel of attention, called so that it gives the numbers of the plain steps."""

from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from attnbook.attention.masks import LARGE, shared_triangle
from attnbook.checks import is_traced, readable


def fused_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    mask: Tensor | None,
    bias: Tensor | None,
    *,
    dropout: float,
    shared_heads: bool,
) -> Tensor:
    """`attention_step` without weights: the T × S table is never stored; it can be differentiated once."""
    single = max(query.dim(), key.dim()) == 3
    if single:  # PyTorch fuses only with a head axis: (B, 1, T, D)
        query, key, value = (x.unsqueeze(-3) for x in (query, key, value))
        mask = None if mask is None else mask.unsqueeze(-3)
    if bias is not None:  # one float mask says both: what to add, and −inf
        bias = bias.to(query)
        mask = bias if mask is None else bias.masked_fill(~mask, -torch.inf)
    # without a mask, the CPU's kernel takes a short row of NaN for one without keys
    short = key.device.type == "cpu" and not is_traced() and key.shape[-2] < 16
    if mask is None and short:
        mask = torch.ones(1, key.shape[-2], dtype=torch.bool, device=key.device)
    causal = mask is not None and bias is None and _is_causal(mask)
    output = F.scaled_dot_product_attention(
        query,
        key,
        value,
        attn_mask=None if causal else mask,
        dropout_p=dropout,
        is_causal=causal,
        enable_gqa=shared_heads,
    )
    if output.requires_grad and not is_traced():
        _refuse_second_derivatives(output.grad_fn)
    return output.squeeze(-3) if single else output


def _is_causal(mask: Tensor) -> bool:
    """Whether a mask is the plain triangle, whose empty half the kernel can leave out; only large ones are compared.

    On a GPU only the triangle that a language model's layers share is recognised.
    """
    size = mask.shape[-1]
    square = mask.shape[-2] == size and mask.numel() == size**2
    if size < LARGE or size % 8 or not square or not mask.is_contiguous():
        return False
    if mask.is_meta or is_traced():
        return False
    triangle = shared_triangle(size, mask.device)
    if _is_same_memory(mask, triangle):  # free, on a GPU too
        return True
    if not readable(mask) or mask.storage_offset() % 8:
        return False
    # eight entries at a time
    packed = mask.view(size, size).view(torch.int64)
    return torch.equal(packed, triangle.view(torch.int64))


def _is_same_memory(a: Tensor, b: Tensor) -> bool:
    """Whether two tensors begin at the same number."""
    try:
        return a.data_ptr() == b.data_ptr()
    except RuntimeError:  # in a fake tensor, or a slice under `vmap`, there are none
        return False


def _refuse_second_derivatives(kernel: Any) -> None:
    """Make a second backward pass say what to do instead; PyTorch's own error only says that there is none."""
    if "Attention" in type(kernel).__name__:  # else PyTorch has taken plain steps
        kernel.register_hook(_watch)


def _watch(gradients: tuple[Tensor | None, ...], _: tuple[Tensor, ...]) -> None:
    """Refuse to differentiate these gradients."""
    for gradient in gradients:
        if gradient is not None and gradient.requires_grad:
            gradient.register_hook(_refuse)


def _refuse(_: Tensor) -> None:
    raise RuntimeError(
        "the fused kernel has no second derivative; pass need_weights=True, which computes the same in steps that do"
    )
