"""Two small tasks that cannot be done without knowing where, and an encoder that is told so in one of eight ways."""

import copy
from collections.abc import Callable
from typing import Any, cast

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from attnbook.attention import (
    DebertaPositions,
    LearnedPositions,
    MultiHeadAttention,
    RotaryPositions,
    ShawPositions,
    SinusoidalPositions,
    T5Positions,
    alibi_bias,
    causal_mask,
)
from attnbook.checks import check_choice, check_count
from attnbook.reproducible import device_of
from attnbook.training import TrainConfig, train
from attnbook.transformer import EncoderLayer

KINDS = ("none", "sinusoidal", "learned", "Shaw", "T5", "DeBERTa", "rotary", "ALiBi")


class PositionReader(nn.Module):
    """A small pre-LN encoder that names one symbol at every position, told the order in one of eight ways.

    Args:
        kind: one of `KINDS`.
        vocab_size: V.
        max_positions: how many rows the table of learned positions has.
        causal: let each position see itself and the past only.
        d_model, num_heads, num_layers: the sizes; the feed-forward network is twice as wide as the model.
        max_distance: where Shaw's and DeBERTa's distances are clipped; T5's share a bucket from twice that on.
    """

    def __init__(
        self,
        kind: str,
        vocab_size: int,
        max_positions: int,
        causal: bool = False,
        d_model: int = 32,
        num_heads: int = 4,
        num_layers: int = 2,
        max_distance: int = 8,
    ):
        super().__init__()
        check_choice("kind", kind, KINDS)
        check_count("num_layers", num_layers)
        self.kind, self.causal, self.num_heads = kind, causal, num_heads
        self.embedding = nn.Embedding(vocab_size, d_model)
        added = {
            "sinusoidal": lambda: SinusoidalPositions(d_model),
            "learned": lambda: LearnedPositions(max_positions, d_model),
        }
        self.added = added[kind]() if kind in added else None
        if isinstance(self.added, LearnedPositions):
            # as loud as sinusoids
            nn.init.normal_(self.added.embedding.weight, std=0.5**0.5)
        rotary = RotaryPositions() if kind == "rotary" else None
        self.layers = nn.ModuleList(
            EncoderLayer(
                d_model, num_heads, 2 * d_model, norm_first=True, rotary=rotary
            )
            for _ in range(num_layers)
        )
        relative = {
            "Shaw": lambda: ShawPositions(d_model // num_heads, max_distance),
            "T5": lambda: T5Positions(num_heads, 2 * max_distance, 2 * max_distance),
            "DeBERTa": lambda: DebertaPositions(d_model, num_heads, max_distance),
        }
        self.relative = nn.ModuleList(
            relative[kind]() for _ in range(num_layers) if kind in relative
        )
        self.norm, self.head = nn.LayerNorm(d_model), nn.Linear(d_model, vocab_size)

    def forward(self, ids: Tensor, start: int = 0) -> Tensor:
        """Name a symbol at every position.

        Args:
            ids: (B, T) integers below V.
            start: the position of the first symbol; only added positions notice it.

        Returns:
            logits (B, T, V).
        """
        return self.head(self.norm(self.read(ids, start)[0]))

    def read(
        self, ids: Tensor, start: int = 0, need_weights: bool = False
    ) -> tuple[Tensor, list[Tensor | None]]:
        """All layers.

        Args:
            ids: (B, T) integers below V.
            start: see `forward`.
            need_weights: whether the weights are wanted.

        Returns:
            What comes out of the last layer (B, T, D), and each layer's weights (B, H, T, T) or None.
        """
        x, seen = self.embedding(ids), []
        if self.added is not None:
            x = self.added(x, start)
        mask = causal_mask(ids.shape[1], device=ids.device) if self.causal else None
        one = alibi_bias if self.kind == "ALiBi" else None
        biases = self.relative or [one] * len(self.layers)  # relative: one for each
        for layer, bias in zip(self.layers, biases, strict=True):
            x, weights = layer(x, mask=mask, bias=bias, need_weights=need_weights)
            seen.append(weights)
        return x, seen


def fit_reader(
    kind: str,
    batch: Callable[..., tuple[Tensor, Tensor]],
    length: int = 24,
    seed: int = 0,
    steps: int = 250,
    causal: bool = False,
    lr: float = 5e-3,
    starts: int = 0,
    **sizes: Any,
) -> PositionReader:
    """Train one reader on rows of one length.

    Args:
        kind: one of `KINDS`.
        batch: `look_back_batch` or `reversal_batch`.
        length: T.
        seed: for the weights and the data.
        steps: updates, with 32 rows each.
        causal: see `PositionReader`.
        lr: the largest learning rate.
        starts: each batch begins at a random position, at most this one.
        sizes: further arguments of `PositionReader`.

    Returns:
        The trained reader; its table of learned positions is twice as long as needed, or as long as all starts need.
    """
    torch.manual_seed(seed)
    model = PositionReader(kind, 8, length + max(length, starts), causal, **sizes)
    return train_reader(model, batch, length, seed, steps, lr, starts=starts)


def train_reader(
    model: PositionReader,
    batch: Callable[..., tuple[Tensor, Tensor]],
    length: int,
    seed: int = 0,
    steps: int = 250,
    lr: float = 5e-3,
    rows: int = 32,
    starts: int = 0,
) -> PositionReader:
    """Train a reader in place, a new one or one that is to get used to something else.

    Args:
        model: the reader.
        batch: `look_back_batch` or `reversal_batch`.
        length: T.
        seed: for the data.
        steps: updates.
        lr: the largest learning rate.
        rows: how many of them make a batch.
        starts: each batch begins at a random position, at most this one.

    Returns:
        The reader itself.
    """
    generator = torch.Generator().manual_seed(1000 + seed)
    data = [batch(rows, length, generator) for _ in range(steps)]
    first = torch.randint(starts + 1, (steps,), generator=generator).tolist()
    stream = list(zip(data, first, strict=True))
    config = TrainConfig(
        steps, lr, seed=seed, schedule="warmup-cosine", warmup_fraction=0.1
    )
    train(
        model,
        lambda m, b: F.cross_entropy(m(b[0][0], b[1]).flatten(0, 1), b[0][1].flatten()),
        lambda epoch: stream,
        config,
    )
    return model.eval()


def with_rotary(model: PositionReader, rotary: RotaryPositions) -> PositionReader:
    """The same weights, turned by other angles.

    Args:
        model: a reader of the kind "rotary".
        rotary: what its copy rotates queries and keys with.

    Returns:
        A copy; the reader is left as it is.
    """
    _check_kind(model, "rotary", "other kinds have no angles to change")
    model = copy.deepcopy(model)
    for layer in model.layers:
        layer.get_submodule("attention").register_module("rotary", rotary)
    return model


@torch.no_grad()
def with_larger_scores(model: PositionReader, factor: float) -> PositionReader:
    """The same reader, but each of its scores is a number of times as large.

    Args:
        model: a reader of the kind "T5".
        factor: what its queries and its buckets, and with them all scores, are multiplied by.

    Returns:
        A copy; the reader is left as it is.
    """
    _check_kind(model, "T5", "other kinds have no buckets to multiply")
    model = copy.deepcopy(model)
    for layer, buckets in zip(model.layers, model.relative, strict=True):
        attention = cast(MultiHeadAttention, layer.get_submodule("attention"))
        for parameter in attention.W_qkv.parameters():
            parameter.chunk(3)[0].mul_(factor)  # the queries' rows
        cast(T5Positions, buckets).embedding.weight.mul_(factor)
    return model


@torch.no_grad()
def where_it_looks(
    model: PositionReader,
    length: int,
    first: int = 0,
    seed: int = 12345,
    layer: int = -1,
) -> dict[int, float]:
    """How much attention one layer gives to each distance, on average over its heads and 50 random rows.

    Args:
        model: a reader.
        length: T.
        first: ask the positions from this one on.
        seed: for the rows.
        layer: which one, counted from 0; the last if it is not said.

    Returns:
        The mean weight by distance, key − query, over the positions asked that have a key at that distance.
    """
    ids = torch.randint(8, (50, length), generator=torch.Generator().manual_seed(seed))
    weights = cast(Tensor, model.read(ids, need_weights=True)[1][layer])
    mean = weights.mean(dim=(0, 1))[first:]  # (T − first, T)
    distances = range(1 - length, length - first)
    return {d: mean.diagonal(d + first).mean().item() for d in distances}


def _check_kind(model: PositionReader, kind: str, why: str) -> None:
    if model.kind != kind:
        raise ValueError(
            f"model must be a reader of the kind {kind!r}, got {model.kind!r}; {why}"
        )


@torch.no_grad()
def reading_accuracy(
    model: PositionReader,
    batch: Callable[..., tuple[Tensor, Tensor]],
    length: int,
    first: int = 0,
    seed: int = 12345,
    start: int = 0,
) -> float:
    """The accuracy on 200 fresh rows.

    Args:
        model: a trained reader.
        batch: `look_back_batch` or `reversal_batch`.
        length: T.
        first: count the positions from this one on.
        seed: for the rows.
        start: the position of the rows' first symbol.

    Returns:
        The fraction of right answers; guessing gives 1/8.
    """
    drawn = batch(200, length, torch.Generator().manual_seed(seed))
    ids, answers = (x.to(device_of(model)) for x in drawn)
    right, has_answer = model(ids, start).argmax(dim=-1) == answers, answers >= 0
    return right[:, first:][has_answer[:, first:]].float().mean().item()
