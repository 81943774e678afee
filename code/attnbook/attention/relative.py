"""Relative positions: scores are told how far apart a query and a key are, not where they are.

T5's and ALiBi's are biases that depend on the distance alone; Shaw's and DeBERTa's score the distance by the content.
All are called alike, `positions(query, key)` with the projected queries (B, H, T, Dh) and keys (B, H, S, Dh) of one
sequence, and return a bias on the scores, (B or 1, H, T, S). So each can be passed as the `bias` of
`MultiHeadAttention`, with a cache, too: the queries are the last positions of the keys.
"""

import math

import torch
from torch import Tensor, nn

from attnbook.attention.splitting import head_size
from attnbook.checks import (
    check_batch,
    check_count,
    check_features,
    check_integers,
    check_switch,
    check_tensor,
)


def relative_positions(
    num_queries: int, num_keys: int, *, device: torch.device | None = None
) -> Tensor:
    """How far each key lies ahead of each query, j − i; the queries are the last positions of the keys.

    Args:
        num_queries: T.
        num_keys: S ≥ T.
        device: where to make the table.

    Returns:
        int64 (T, S): negative for the past, zero for the query's own position.
    """
    check_count("num_queries", num_queries, at_least=0)
    check_count("num_keys", num_keys, at_least=0)
    if num_keys < num_queries:
        raise ValueError(
            f"the queries are the last positions of the keys, got {num_queries} queries and {num_keys} keys; "
            "positions of two different sequences have no distance"
        )
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
        check_count("head_dim", head_dim)
        check_count("max_distance", max_distance)
        self.max_distance, self.head_dim = max_distance, head_dim
        self.embedding = nn.Embedding(2 * max_distance + 1, head_dim)
        nn.init.normal_(self.embedding.weight, std=head_dim**-0.5)

    def forward(self, query: Tensor, key: Tensor) -> Tensor:
        """The bias on the scores.

        Args:
            query: (B, H, T, Dh), projected queries.
            key: (B, H, S, Dh); only their number matters.

        Returns:
            (B, H, T, S), to be added to the scaled scores.
        """
        check_features(
            "query", query, "head_dim", self.head_dim, dims=4, module=self.embedding
        )
        distance = _keys_ahead(query, key)
        index = distance.clamp(-self.max_distance, self.max_distance)  # (T, S)
        vectors = self.embedding(index + self.max_distance)  # (T, S, Dh)
        return torch.einsum("bhtd,tsd->bhts", query, vectors) / math.sqrt(self.head_dim)


class T5Positions(nn.Module):
    """One learned number per head and bucket of distances: exact nearby, logarithmic far away.

    Args:
        num_heads: H.
        num_buckets: how many distances are told apart.
        max_distance: all distances from here on share the last bucket.
        causal: spend all buckets on the past.

    Source:
        Raffel et al. (2020), arXiv:1910.10683, §2.1.
    """

    def __init__(
        self,
        num_heads: int,
        num_buckets: int = 32,
        max_distance: int = 128,
        *,
        causal: bool = False,
    ):
        super().__init__()
        check_count("num_heads", num_heads)
        check_count("num_buckets", num_buckets, at_least=4)
        check_count("max_distance", max_distance)
        check_switch("causal", causal)
        self.num_buckets, self.causal = num_buckets, causal
        self.max_distance = max_distance
        self.buckets_per_side = num_buckets if causal else num_buckets // 2
        exact = self.buckets_per_side // 2
        if max_distance <= exact:
            raise ValueError(
                f"max_distance must be above {exact}, the distances that have a bucket of their own, "
                f"got {max_distance}; take fewer buckets"
            )
        self.embedding = nn.Embedding(num_buckets, num_heads)
        nn.init.normal_(self.embedding.weight, std=0.02)

    def bucket(self, distance: Tensor) -> Tensor:
        """The bucket of each relative position j − i.

        Args:
            distance: integers, any shape.

        Returns:
            int64, same shape, in 0…num_buckets − 1.
        """
        check_integers("distance", distance)
        distance = distance.long()  # uint8 has no negatives, int8 no 128
        buckets = self.buckets_per_side
        exact = buckets // 2  # as many distances have a bucket of their own
        offset: int | Tensor = 0
        if self.causal:
            size = (-distance).clamp_min(0)  # the future is masked anyway
        else:
            size, offset = distance.abs(), (distance > 0) * buckets
        log_size = (size.clamp_min(1).float() / exact).log()
        fraction = log_size / math.log(self.max_distance / exact)  # 0 … 1: exact … max
        far = exact + (fraction * (buckets - exact)).long()
        return offset + torch.where(size < exact, size, far.clamp_max(buckets - 1))

    def forward(self, query: Tensor, key: Tensor) -> Tensor:
        """As `ShawPositions.forward`, but (1, H, T, S): of the queries, too, only the number matters."""
        distance = _keys_ahead(query, key)
        return self.embedding(self.bucket(distance)).permute(2, 0, 1)[None]


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
        self.head_dim = head_size(d_model, num_heads)
        self.embedding = nn.Embedding(2 * max_distance, d_model)
        self.W_q = nn.Linear(d_model, d_model, bias=False)
        self.W_k = nn.Linear(d_model, d_model, bias=False)
        nn.init.normal_(self.embedding.weight, std=0.02)

    def forward(self, query: Tensor, key: Tensor) -> Tensor:
        """As `ShawPositions.forward`, and the keys are scored, too.

        For the paper's scale of √(3 Dh) divide the sum with q·k / √Dh by √3.
        """
        heads, size = self.num_heads, self.head_dim
        for name, x in (("query", query), ("key", key)):
            check_features(name, x, "head_dim", size, dims=4, module=self.embedding)
            if x.shape[1] != heads:
                raise ValueError(
                    f"{name} has {x.shape[1]} heads, num_heads is {heads}; pass it split into as many"
                )
        check_batch(query=query, key=key)
        rows = torch.arange(2 * self.max_distance, device=query.device)
        vectors = self.embedding(rows)  # (2k, D), k the largest distance
        position_query = self.W_q(vectors).unflatten(-1, (heads, size))  # (2k, H, Dh)
        position_key = self.W_k(vectors).unflatten(-1, (heads, size))
        ahead = _keys_ahead(query, key)  # j − i
        # c2p: the content of i against the distance i − j, the paper's δ(i, j)
        scores = torch.einsum("bhtd,rhd->bhtr", query, position_key)
        c2p = scores.gather(-1, self._row(-ahead).expand(*scores.shape[:2], -1, -1))
        # p2c: the content of j against the distance j − i, δ(j, i)
        scores = torch.einsum("bhsd,rhd->bhsr", key, position_query)
        p2c = scores.gather(-1, self._row(ahead).T.expand(*scores.shape[:2], -1, -1))
        return (c2p + p2c.mT) / math.sqrt(size)

    def _row(self, distance: Tensor) -> Tensor:
        """The row of the table that belongs to a distance."""
        k = self.max_distance
        return (distance + k).clamp(0, 2 * k - 1)


def alibi_bias(query: Tensor, key: Tensor) -> Tensor:
    """Attention with linear biases: a penalty −m_h |i − j| that grows with distance, steeper in some heads.

    Args:
        query: (B, H, T, Dh); only the sizes and the device matter, as of the keys. The slopes of the H heads are
            2^(−8/H), 2^(−16/H), …, 2^(−8).
        key: (B, H, S, Dh).

    Returns:
        (1, H, T, S), float32, never above 0.

    Source:
        Press et al. (2022), arXiv:2108.12409, §3 (for H a power of two; here the same formula serves every H).
    """
    distance = _keys_ahead(query, key).abs()  # (T, S)
    num_heads = query.shape[1]
    slopes = 2.0 ** (
        -8.0 * torch.arange(1, num_heads + 1, device=query.device) / num_heads
    )
    return -slopes[:, None, None] * distance[None, None]  # (1, H, T, S)


def _keys_ahead(query: Tensor, key: Tensor) -> Tensor:
    """`relative_positions` (T, S) of queries and keys that are split into heads."""
    check_tensor("query", query, dims=4)
    check_tensor("key", key, dims=4)
    return relative_positions(query.shape[2], key.shape[2], device=query.device)
