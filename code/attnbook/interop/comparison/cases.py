"""Inputs in every precision and under every kind of mask, which each library is told in its own way."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from attnbook.attention import causal_mask, sequence_mask, to_binary, to_blocked

#: How far apart the numbers may be, for each dtype; for numbers above 1 this is the relative difference.
BARS = {torch.float32: 1e-5, torch.float64: 1e-10}
BATCH, QUERIES, KEYS = (
    2,
    5,
    7,
)  # all different, so that no axis can be taken for another


@dataclass(frozen=True)
class Case:
    """Inputs of one precision, and one way to mask them, in the words of each library.

    Attributes:
        dtype: of the inputs and of the weights.
        num_queries, num_keys: T and S.
        valid_lens: (B,) integers, how many keys are real, or None.
        causal: whether a query sees itself and the past only; with S > T the queries are the last positions.
    """

    dtype: torch.dtype
    num_queries: int
    num_keys: int
    valid_lens: Tensor | None
    causal: bool

    def sequences(self, *sizes: int) -> tuple[Tensor, ...]:
        """Inputs of a moderate size: the queries (B, T, sizes[0]), then keys or values (B, S, size).

        Args:
            sizes: the number of features of each.

        Returns:
            A tensor for each size, of this case's dtype.
        """
        generator = torch.Generator().manual_seed(1)
        lengths = [self.num_queries, *[self.num_keys] * (len(sizes) - 1)]
        shapes = [(BATCH, n, size) for n, size in zip(lengths, sizes, strict=True)]
        return tuple(
            0.7 * torch.randn(*shape, generator=generator, dtype=self.dtype)
            for shape in shapes
        )

    @property
    def book(self) -> dict:
        """Arguments of the book's layers: `valid_lens`, and `mask` with True = may attend."""
        mask = causal_mask(self.num_queries, self.num_keys) if self.causal else None
        return {"valid_lens": self.valid_lens, "mask": mask}

    @property
    def real(self) -> Tensor:
        """(B, S), True = a real key."""
        lens = torch.full((BATCH,), self.num_keys)
        lens = lens if self.valid_lens is None else self.valid_lens
        return sequence_mask(lens, self.num_keys)

    @property
    def allowed(self) -> Tensor:
        """(B, T, S), True = may attend: both masks in one, as `F.scaled_dot_product_attention` takes it."""
        mask = causal_mask(self.num_queries, self.num_keys)
        mask = mask if self.causal else torch.ones_like(mask)
        return self.real[:, None] & mask

    @property
    def torch(self) -> dict:
        """Arguments of `nn.MultiheadAttention`: `key_padding_mask` and `attn_mask` with True = blocked."""
        padding = None if self.valid_lens is None else to_blocked(self.real)
        mask = self.book["mask"]
        blocked = None if mask is None else to_blocked(mask)
        return {"key_padding_mask": padding, "attn_mask": blocked}

    @property
    def huggingface(self) -> Tensor:
        """(B, S) integers, `attention_mask` with 1 = a real token."""
        return to_binary(self.real)

    @property
    def d2l(self) -> Tensor | None:
        """d2l's `valid_lens`: (B,), or (B, T) if each query sees its own number of keys."""
        return self.allowed.sum(-1) if self.causal else self.valid_lens


def cases(
    num_queries: int = QUERIES,
    num_keys: int = QUERIES,
    causal: bool = True,
    dtypes: Sequence[torch.dtype] = tuple(BARS),
) -> Iterator[Case]:
    """Every mask in every precision: none, padding, and, if wanted, causal and both at once.

    Args:
        num_queries: T.
        num_keys: S; with S ≠ T, cross-attention.
        causal: whether causal masks are among them.
        dtypes: the precisions.

    Returns:
        An iterator over the cases.
    """
    lens = torch.tensor([num_keys - 4, num_keys - 1])
    for dtype in dtypes:
        for past in (False, True)[: 1 + causal]:
            for valid_lens in (None, lens):
                yield Case(dtype, num_queries, num_keys, valid_lens, past)


@torch.no_grad()
def randomise(module: nn.Module, seed: int = 0) -> nn.Module:
    """Give all parameters numbers of their own: what starts at 0 or 1 would agree whatever was copied.

    Args:
        module: changed in place; the weights of norms stay near 1.
        seed: of the random numbers.

    Returns:
        The module, in eval mode.
    """
    generator = torch.Generator().manual_seed(seed)
    for name, parameter in module.named_parameters():
        numbers = torch.randn(parameter.shape, generator=generator, dtype=torch.float64)
        is_norm = parameter.dim() == 1 and name.endswith("weight")
        parameter.copy_(is_norm + 0.2 * numbers)
    return module.eval()
