"""Checks of tensors of integers: token ids, lengths."""

import torch
from torch import Tensor

from attnbook.checks.tensors import kind_of
from attnbook.checks.values import readable


def check_integers(name: str, numbers: Tensor) -> None:
    """Require a tensor of integers with which PyTorch can compute, unlike uint16."""
    if not isinstance(numbers, Tensor):
        raise TypeError(
            f"{name} must be a tensor of integers, got {type(numbers).__name__}; make one with torch.tensor([...])"
        )
    if numbers.is_floating_point() or numbers.is_complex() or numbers.dtype == torch.bool:
        raise TypeError(f"{name} must hold integers, got {numbers.dtype}; use torch.long")
    if numbers.dtype not in (torch.long, torch.int32, torch.int16, torch.int8, torch.uint8):
        raise TypeError(f"{name} is {numbers.dtype}, with which PyTorch hardly computes; convert it with {name}.long()")


def check_ids(name: str, ids: Tensor, vocab_size: int) -> None:
    """Require token ids (B, T) within a vocabulary."""
    dtype = kind_of(ids)
    if dtype not in (torch.int64, torch.int32):
        raise TypeError(
            f"{name} must be a tensor of token ids (torch.long), got {dtype}; "
            f"convert it with torch.as_tensor({name}, dtype=torch.long)"
        )
    if ids.dim() != 2:
        raise ValueError(f"{name} must be (B, T), got shape {tuple(ids.shape)}; add a batch axis with [None]")
    outside = one_outside(ids, vocab_size - 1)
    if outside is not None:
        raise ValueError(
            f"{name} holds the id {outside}, beyond the vocabulary of {vocab_size} (0 … {vocab_size - 1}); was it made "
            "with another vocabulary?"
        )


def one_outside(numbers: Tensor, last: int) -> int | None:
    """A number that is below 0 or above `last`; None if there is none, or if the numbers cannot be read."""
    if numbers.numel() == 0 or not readable(numbers):
        return None
    smallest, largest = (int(number) for number in numbers.aminmax())
    return smallest if smallest < 0 else largest if largest > last else None
