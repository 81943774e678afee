"""Latent attention: the cache keeps one short vector per position instead of the keys and values of all heads."""

import torch
from torch import Tensor, nn

from attnbook.attention.masks import causal_mask, masked_softmax
from attnbook.attention.scores import scaled_product
from attnbook.attention.splitting import head_size, merge_heads, split_heads
from attnbook.checks import (
    check_alike,
    check_batch,
    check_count,
    check_features,
    check_keys,
)


class LatentAttention(nn.Module):
    """Causal self-attention whose keys and values are linear maps of one latent vector of C numbers per position.

    It is multi-head attention with W_k = W_uk W_down and W_v = W_uv W_down, but keys and values are never made: W_uk is
    applied to the query and W_uv to the average instead, so that only the latents have to be kept. Positions are left
    out: a rotation between W_uk and the query would have to be undone for every distance, for which DeepSeek-V2 adds a
    few rotated features beside the latents.

    Args:
        d_model: D, divisible by `num_heads`.
        num_heads: H.
        latent_size: C, usually much smaller than 2 D.

    Attributes:
        W_q: D to H · Dh.
        W_down: D to C.
        W_uk, W_uv: C to H · Dh.
        W_o: the output map.

    Source:
        DeepSeek-AI (2024), arXiv:2405.04434, §2.1 and appendix C (their W^DKV, W^UK, W^UV are our W_down, W_uk, W_uv).
    """

    def __init__(self, d_model: int, num_heads: int, latent_size: int):
        super().__init__()
        check_count("latent_size", latent_size)
        self.d_model, self.latent_size = d_model, latent_size
        self.num_heads, self.head_dim = num_heads, head_size(d_model, num_heads)
        self.W_q = nn.Linear(d_model, d_model, bias=False)
        self.W_down = nn.Linear(d_model, latent_size, bias=False)
        self.W_uk = nn.Linear(latent_size, d_model, bias=False)
        self.W_uv = nn.Linear(latent_size, d_model, bias=False)
        self.W_o = nn.Linear(d_model, d_model, bias=False)

    def forward(
        self, x: Tensor, *, cache: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        """Attend from each new position to itself and all before it.

        Args:
            x: (B, T, D), the new positions.
            cache: (B, t, C), the latents of the positions before them, as the last call returned them.

        Returns:
            output (B, T, D), and the latents of all positions, (B, t + T, C): the next call's cache.
        """
        check_features("x", x, "d_model", self.d_model, dims=3, module=self.W_q)
        latents = self.W_down(x)  # (B, T, C)
        if cache is not None:
            check_features("cache", cache, "latent_size", self.latent_size, dims=3)
            check_alike("x", x, "cache", cache)
            check_batch(x=x, cache=cache)
            latents = torch.cat([cache, latents], dim=1)  # (B, t + T, C)
        check_keys("x", x if cache is None else latents)
        mask = causal_mask(x.shape[1], latents.shape[1], device=x.device)
        # each map as a matrix: what it makes of the unit vectors
        units = torch.eye(self.latent_size, dtype=x.dtype, device=x.device)  # (C, C)
        up_k, up_v = (
            split_heads(w(units), self.num_heads) for w in (self.W_uk, self.W_uv)
        )  # (H, C, Dh)
        query = split_heads(self.W_q(x), self.num_heads) @ up_k.mT  # (B, H, T, C)
        scores = scaled_product(query, latents[:, None], self.head_dim)  # (B, H, T, S)
        average = masked_softmax(scores, mask=mask) @ latents[:, None]  # (B, H, T, C)
        return self.W_o(merge_heads(average @ up_v)), latents
