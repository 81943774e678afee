"""Multi-head attention as in today's language models: normalised queries and keys."""

from typing import Any

from torch import Tensor, nn

from attnbook.attention.heads import MultiHeadAttention
from attnbook.checks import check_positive, check_switch


class DecoderAttention(MultiHeadAttention):
    """Multi-head attention whose queries and keys may be normalised.

    It is called as `MultiHeadAttention` is.

    Args:
        d_model, num_heads: see `MultiHeadAttention`.
        qk_norm: bring every query and every key of a head to a root mean square of 1, times a learned weight per
            feature, before they are rotated.
        eps: of that norm, added to the mean square.
        options: further arguments of `MultiHeadAttention`.

    Attributes:
        norm_q, norm_k: the norms; without them, what does nothing.

    Source:
        Henry et al. (2020), arXiv:2010.04245, for the norm; with a learned weight as in Qwen3 (arXiv:2505.09388, §2).
    """

    def __init__(
        self,
        d_model: int,
        num_heads: int,
        *,
        qk_norm: bool = False,
        eps: float = 1e-6,
        **options: Any,
    ):
        super().__init__(d_model, num_heads, **options)
        check_switch("qk_norm", qk_norm)
        check_positive("eps", eps)
        self.norm_q, self.norm_k = (
            nn.RMSNorm(self.head_dim, eps=eps) if qk_norm else nn.Identity()
            for _ in "qk"
        )

    def project_all(self, x: Tensor) -> tuple[Tensor, ...]:
        """As in the layer above, queries and keys normalised."""
        q, k, v = super().project_all(x)
        # values by themselves: as a part of the product they would keep the other parts until the backward pass
        return self.norm_q(q), self.norm_k(k), v.contiguous()
