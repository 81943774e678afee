"""Positions: attention treats its keys as a set, so order must be put in by hand.

Absolute encodings are added to the embeddings; relative ones change the scores, as a bias (T5, ALiBi) or through extra
vectors (Shaw, DeBERTa); rotary encoding turns queries and keys.
"""

import math

import torch
from torch import Tensor, nn

from attnbook.checks import check_count, check_positive, check_same_size, check_tensor

__all__ = [
    "sinusoidal_encoding",
    "SinusoidalPositions",
    "LearnedPositions",
    "relative_positions",
    "ShawPositions",
    "T5Positions",
    "DebertaPositions",
    "alibi_bias",
    "rotate",
    "RotaryPositions",
]


def sinusoidal_encoding(num_positions: int, d_model: int, base: float = 10000.0, start: int = 0) -> Tensor:
    """Sines and cosines of geometrically spaced frequencies: PE[p, 2i] = sin(p ω_i), PE[p, 2i+1] = cos(p ω_i).

    Args:
        num_positions: T.
        d_model: D; if it is odd, the last frequency has its sine only.
        base: ω_i = base^(−2i/D).
        start: the first position.

    Returns:
        (T, D), float32, each entry in [−1, 1].

    Raises:
        TypeError, ValueError: sizes that are not counts, or a base that is not positive.

    Source:
        Vaswani et al. (2017), §3.5.
    """
    check_count("num_positions", num_positions, at_least=0)
    check_count("d_model", d_model)
    check_positive("base", base)
    position = torch.arange(start, start + num_positions, dtype=torch.float64)  # (T,)
    even = torch.arange(0, d_model, 2, dtype=torch.float64)  # (⌈D/2⌉,)
    angle = position[:, None] * base ** (-even / d_model)  # (T, ⌈D/2⌉)
    encoding = torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(1)  # (T, D or D + 1): sin cos sin cos …
    return encoding[:, :d_model].float()


class SinusoidalPositions(nn.Module):
    """Add sinusoidal encodings to embeddings.

    Args:
        d_model: D.
        dropout: the probability of dropping an entry of the sum while training.
        base: see `sinusoidal_encoding`.

    Source:
        Vaswani et al. (2017), §3.5 and §5.4 (dropout on the sum).
    """

    def __init__(self, d_model: int, dropout: float = 0.0, base: float = 10000.0):
        super().__init__()
        self.d_model, self.base = d_model, base
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Tensor, start: int = 0) -> Tensor:
        """Add the encodings of positions start, start + 1, ….

        Args:
            x: (B, T, D) embeddings.
            start: the position of the first token, the length of the cache when decoding step by step.

        Returns:
            (B, T, D).

        Raises:
            ValueError: another size than d_model.
        """
        check_tensor("x", x, min_dims=2)
        check_same_size("x has size", x.shape[-1], "d_model is", self.d_model, "they must agree")
        encoding = sinusoidal_encoding(x.shape[-2], self.d_model, self.base, start)
        return self.dropout(x + encoding.to(x))


class LearnedPositions(nn.Module):
    """Add one learned vector a position.

    Args:
        max_positions: how many positions can be told apart.
        d_model: D.
        dropout: the probability of dropping an entry of the sum while training.

    Source:
        Gehring et al. (2017), arXiv:1705.03122; Devlin et al. (2019).
    """

    def __init__(self, max_positions: int, d_model: int, dropout: float = 0.0):
        super().__init__()
        check_count("max_positions", max_positions)
        self.embedding = nn.Embedding(max_positions, d_model)
        nn.init.normal_(self.embedding.weight, std=0.02)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Tensor, start: int = 0) -> Tensor:
        """Add the vectors of positions start, start + 1, ….

        Args:
            x: (B, T, D) embeddings.
            start: the position of the first token.

        Returns:
            (B, T, D).

        Raises:
            ValueError: more positions than were learned.
        """
        check_tensor("x", x, min_dims=2)
        end = start + x.shape[-2]
        if end > self.embedding.num_embeddings:
            raise ValueError(
                f"the sequence ends at position {end}, but only {self.embedding.num_embeddings} positions are learned; "
                "cut it, or make the model with a greater max_positions"
            )
        return self.dropout(x + self.embedding.weight[start:end])


def relative_positions(num_queries: int, num_keys: int, device: torch.device | None = None) -> Tensor:
    """How far each key lies ahead of each query, j − i; the queries are the last positions of the keys.

    Args:
        num_queries: T.
        num_keys: S ≥ T.
        device: where to make the table.

    Returns:
        int64 (T, S): negative for the past, zero for the query's own position.
    """
    query = torch.arange(num_keys - num_queries, num_keys, device=device)
    return torch.arange(num_keys, device=device) - query[:, None]


class ShawPositions(nn.Module):
    """A learned vector for each clipped distance, scored against the query: e_ij += q_i · a_{clip(j−i)} / √Dh.

    Args:
        head_dim: Dh.
        max_distance: distances beyond it share one vector.

    Source:
        Shaw et al. (2018), arXiv:1803.02155, eq. 4 (their a^K; the value-side a^V is left out, as in their ablation).
    """

    def __init__(self, head_dim: int, max_distance: int):
        super().__init__()
        check_count("max_distance", max_distance)
        self.max_distance = max_distance
        self.embedding = nn.Embedding(2 * max_distance + 1, head_dim)
        nn.init.normal_(self.embedding.weight, std=head_dim**-0.5)

    def forward(self, query: Tensor, num_keys: int) -> Tensor:
        """The bias on the scores.

        Args:
            query: (B, H, T, Dh), projected queries.
            num_keys: S.

        Returns:
            (B, H, T, S), to be added to the scaled scores.
        """
        distance = relative_positions(query.shape[-2], num_keys, query.device)
        vectors = self.embedding(distance.clamp(-self.max_distance, self.max_distance) + self.max_distance)
        return torch.einsum("bhtd,tsd->bhts", query, vectors) / math.sqrt(query.shape[-1])


class T5Positions(nn.Module):
    """One learned number a head and bucket of distances: exact nearby, logarithmic far away.

    Args:
        num_heads: H.
        num_buckets: how many distances are told apart.
        max_distance: all distances from here on share the last bucket.
        causal: spend all buckets on the past.

    Source:
        Raffel et al. (2020), arXiv:1910.10683, §2.1.
    """

    def __init__(self, num_heads: int, num_buckets: int = 32, max_distance: int = 128, causal: bool = False):
        super().__init__()
        check_count("num_buckets", num_buckets, at_least=4)
        self.num_buckets, self.max_distance, self.causal = num_buckets, max_distance, causal
        self.embedding = nn.Embedding(num_buckets, num_heads)
        nn.init.normal_(self.embedding.weight, std=0.02)

    def bucket(self, distance: Tensor) -> Tensor:
        """The bucket of each relative position j − i.

        Args:
            distance: integers, any shape.

        Returns:
            int64, same shape, in 0…num_buckets − 1.
        """
        buckets, offset = self.num_buckets, torch.zeros_like(distance)
        if self.causal:
            size = (-distance).clamp_min(0)  # the future is masked anyway
        else:
            buckets //= 2
            offset, size = (distance > 0) * buckets, distance.abs()  # the future gets the upper half
        exact = buckets // 2
        ratio = (size.clamp_min(1).float() / exact).log() / math.log(self.max_distance / exact)
        far = (exact + (ratio * (buckets - exact)).long()).clamp_max(buckets - 1)
        return offset + torch.where(size < exact, size, far)

    def forward(self, num_queries: int, num_keys: int) -> Tensor:
        """The bias on the scores.

        Args:
            num_queries: T.
            num_keys: S.

        Returns:
            (H, T, S), to be added to the scores.
        """
        distance = relative_positions(num_queries, num_keys, self.embedding.weight.device)
        return self.embedding(self.bucket(distance)).permute(2, 0, 1)


class DebertaPositions(nn.Module):
    """Disentangled attention: content scores distance, and distance scores content.

    Args:
        d_model: D.
        num_heads: H.
        max_distance: distances are clipped to −max_distance … max_distance − 1.

    Source:
        He et al. (2021), arXiv:2006.03654, eq. 4 (c2p and p2c terms; the content term comes from the layer itself).
    """

    def __init__(self, d_model: int, num_heads: int, max_distance: int):
        super().__init__()
        check_count("max_distance", max_distance)
        self.max_distance, self.num_heads = max_distance, num_heads
        self.embedding = nn.Embedding(2 * max_distance, d_model)
        self.W_q = nn.Linear(d_model, d_model, bias=False)
        self.W_k = nn.Linear(d_model, d_model, bias=False)
        nn.init.normal_(self.embedding.weight, std=0.02)

    def forward(self, query: Tensor, key: Tensor) -> Tensor:
        """The bias on the scores.

        Args:
            query: (B, H, T, Dh), projected queries.
            key: (B, H, S, Dh), projected keys.

        Returns:
            (B, H, T, S). Added to q·k / √Dh; divide all three by √3 for the paper's scale of √(3 Dh).
        """
        # the paper's δ(i, j) counts i − j, clipped to 0 … 2k − 1
        delta = -relative_positions(query.shape[-2], key.shape[-2], query.device)
        to_key = (delta + self.max_distance).clamp(0, 2 * self.max_distance - 1)  # (T, S): δ(i, j)
        to_query = (-delta + self.max_distance).clamp(0, 2 * self.max_distance - 1)  # (T, S): δ(j, i)
        shape = (self.num_heads, query.shape[-1])
        position_key = self.W_k(self.embedding.weight).unflatten(-1, shape)  # (2k, H, Dh)
        position_query = self.W_q(self.embedding.weight).unflatten(-1, shape)
        content_to_position = torch.einsum("bhtd,rhd->bhtr", query, position_key)
        position_to_content = torch.einsum("bhsd,rhd->bhsr", key, position_query)
        batch = query.shape[:2]
        c2p = content_to_position.gather(-1, to_key.expand(*batch, -1, -1))
        p2c = position_to_content.gather(-1, to_query.T.expand(*batch, -1, -1)).transpose(-2, -1)
        return (c2p + p2c) / math.sqrt(query.shape[-1])


def alibi_bias(num_heads: int, num_queries: int, num_keys: int, device: torch.device | None = None) -> Tensor:
    """Attention with linear biases: a penalty −m_h |i − j| that grows with distance, steeper in some heads.

    Args:
        num_heads: H. The slopes are 2^(−8/H), 2^(−16/H), …, 2^(−8).
        num_queries: T.
        num_keys: S.
        device: where to make the table.

    Returns:
        (H, T, S), float32, never above 0.

    Source:
        Press et al. (2022), arXiv:2108.12409, §3 (for H a power of two; here the same formula serves every H).
    """
    check_count("num_heads", num_heads)
    slopes = 2.0 ** (-8.0 * torch.arange(1, num_heads + 1, device=device) / num_heads)
    return -slopes[:, None, None] * relative_positions(num_queries, num_keys, device).abs()


def rotate(x: Tensor, position: Tensor, base: float = 10000.0) -> Tensor:
    """Turn each pair of features (x_2i, x_2i+1) by the angle position · base^(−2i/Dh).

    Args:
        x: (…, T, Dh), Dh even.
        position: (T,), numbers.
        base: of the geometric row of frequencies.

    Returns:
        (…, T, Dh), the same norms.

    Raises:
        ValueError: an odd number of features.

    Source:
        Su et al. (2021), arXiv:2104.09864, eq. 34.
    """
    check_tensor("x", x, min_dims=2)
    size = x.shape[-1]
    if size % 2:
        raise ValueError(f"rotary positions turn pairs of features, got {size} of them; use an even head_dim")
    even = torch.arange(0, size, 2, device=x.device, dtype=torch.float64 if x.dtype == torch.float64 else torch.float32)
    angle = position.to(even)[:, None] * base ** (-even / size)  # (T, Dh/2)
    cos, sin = angle.cos().to(x.dtype), angle.sin().to(x.dtype)
    first, second = x[..., 0::2], x[..., 1::2]
    return torch.stack([first * cos - second * sin, first * sin + second * cos], dim=-1).flatten(-2)


class RotaryPositions(nn.Module):
    """Rotary positions as a layer: turns queries and keys so that q·k depends on their distance only.

    Args:
        base: of the geometric row of frequencies.

    Source:
        Su et al. (2021), arXiv:2104.09864.
    """

    def __init__(self, base: float = 10000.0):
        super().__init__()
        check_positive("base", base)
        self.base = base

    def forward(self, x: Tensor, start: int = 0) -> Tensor:
        """Turn the features of positions start, start + 1, ….

        Args:
            x: (…, T, Dh), queries or keys.
            start: the first position.

        Returns:
            (…, T, Dh).
        """
        position = torch.arange(start, start + x.shape[-2], device=x.device)
        return rotate(x, position, self.base)
