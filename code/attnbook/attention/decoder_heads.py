"""Multi-head attention as in today's language models: heads of any size, normalised queries and keys."""

from collections.abc import Callable

from torch import Tensor, nn

from attnbook.attention.heads import MultiHeadAttention, initialise
from attnbook.attention.splitting import head_size
from attnbook.checks import check_count, check_positive


class DecoderAttention(MultiHeadAttention):
    """Multi-head attention whose heads may be of any size, and whose queries and keys may be normalised.

    It is called as `MultiHeadAttention` is.

    Args:
        d_model: D.
        num_heads: H.
        num_kv_heads, dropout, bias, rotary: see `MultiHeadAttention`.
        head_dim: Dh; D / H if not given, which must then be a whole number.
        qk_norm: bring every query and every key of a head to a root mean square of 1, times a learned weight per
            feature, before they are rotated.
        eps: of that norm, added to the mean square.

    Attributes:
        W_qkv: D to (H + 2 Hkv) · Dh.
        W_o: H · Dh to D.
        norm_q, norm_k: the norms; without them, what does nothing.

    Source:
        Henry et al. (2020), arXiv:2010.04245, for the norm; with a learned weight as in Qwen3 (arXiv:2505.09388, §2).
    """

    def __init__(
        self,
        d_model: int,
        num_heads: int,
        *,
        num_kv_heads: int | None = None,
        dropout: float = 0.0,
        bias: bool = True,
        rotary: Callable[[Tensor, int], Tensor] | None = None,
        head_dim: int | None = None,
        qk_norm: bool = False,
        eps: float = 1e-6,
    ):
        check_count("d_model", d_model)
        check_count("num_heads", num_heads)
        check_positive("eps", eps)
        if head_dim is None:
            head_dim = head_size(d_model, num_heads)
        check_count("head_dim", head_dim)
        width = num_heads * head_dim
        super().__init__(
            width,
            num_heads,
            num_kv_heads=num_kv_heads,
            dropout=dropout,
            bias=bias,
            rotary=rotary,
        )
        if width != d_model:
            self.d_model = d_model
            self.W_qkv = nn.Linear(d_model, sum(self.sizes), bias=bias)
            self.W_o = nn.Linear(width, d_model, bias=bias)
            initialise(self.W_qkv, self.W_o)
        self.norm_q, self.norm_k = (
            nn.RMSNorm(head_dim, eps=eps) if qk_norm else nn.Identity() for _ in "qk"
        )

    def project_all(self, x: Tensor) -> tuple[Tensor, ...]:
        """As in the layer above, queries and keys normalised."""
        q, k, v = super().project_all(x)
        # values by themselves: as a part of the product they would keep the other parts until the backward pass
        return self.norm_q(q), self.norm_k(k), v.contiguous()
