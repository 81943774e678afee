"""Stacks of encoder layers to be measured: gradients before training, and training with and without warm-up."""

from collections.abc import Iterable
from typing import Any, NamedTuple, cast

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from attnbook.checks import check_choice, check_count, check_positive
from attnbook.studies.symbols import reversal_batch
from attnbook.training import noam_factor
from attnbook.transformer import EncoderLayer

NORM_PLACES = ("after", "before", "none")
SYMBOLS, LENGTH = 8, 16  # V, and T of the rows that are read


class StackedReader(nn.Module):
    """An encoder of any depth that names one symbol at every position.

    Words and positions together have entries of variance 1, and every matrix of the layers and the head is drawn by
    Glorot's rule, as in the analysis of Xiong et al. (2020).

    Args:
        depth: how many encoder layers.
        norm_first: pre-LN (with one more layer norm at the end) instead of post-LN.
        d_model: D, a multiple of the 4 heads; the feed-forward network is four times as wide.

    Raises:
        TypeError, ValueError: sizes that are not counts, or do not fit each other.
    """

    def __init__(self, depth: int, norm_first: bool, d_model: int = 64):
        super().__init__()
        check_count("depth", depth)
        self.words = nn.Embedding(SYMBOLS, d_model)
        self.places = nn.Embedding(LENGTH, d_model)
        layers = (
            EncoderLayer(d_model, 4, 4 * d_model, norm_first=norm_first)
            for _ in range(depth)
        )
        self.layers = nn.ModuleList(layers)
        self.norm = nn.LayerNorm(d_model) if norm_first else nn.Identity()
        self.head = nn.Linear(d_model, SYMBOLS)
        for table in (self.words, self.places):
            nn.init.normal_(table.weight, std=0.5**0.5)
        for parameter in (*self.layers.parameters(), self.head.weight):
            if parameter.dim() == 2:
                nn.init.xavier_uniform_(parameter)

    def forward(self, ids: Tensor) -> Tensor:
        """Name a symbol at every position.

        Args:
            ids: (B, T) integers below V.

        Returns:
            logits (B, T, V).
        """
        x = self.words(ids) + self.places.weight
        for layer in self.layers:
            x, _ = layer(x)
        return self.head(self.norm(x))

    def loss(self, ids: Tensor, answers: Tensor) -> Tensor:
        """How badly the answers are named.

        Args:
            ids: (B, T) integers below V.
            answers: (B, T) integers below V.

        Returns:
            The mean cross-entropy, in nats.
        """
        return F.cross_entropy(self(ids).flatten(0, 1), answers.flatten())


def layer_gradients(depth: int, norm_first: bool, seed: int) -> list[float]:
    """The gradient that reaches each layer before the first step of training.

    Args:
        depth: how many layers.
        norm_first: pre-LN instead of post-LN.
        seed: for the weights and for one batch of 8 rows.

    Returns:
        For each layer, from the input to the output, the norm of the gradient of its feed-forward network's second
        matrix.

    Source:
        Xiong et al. (2020), §3.3, who look at the same matrix.
    """
    torch.manual_seed(seed)
    model = StackedReader(depth, norm_first)
    batch = reversal_batch(8, LENGTH, torch.Generator().manual_seed(1000 + seed))
    model.loss(*batch).backward()
    return _gradient_norms(model)


class Wiring(nn.Module):
    """What stands around a sublayer, with the norm in any place or none, and with or without the residual sum.

    With the sum, "after" is post-LN and "before" is pre-LN, as in `attnbook.transformer.Residual`.

    Args:
        d_model: D.
        norm: "after" (the sum, or the sublayer where there is no sum), "before" (the sublayer) or "none".
        residual: add the input back.

    Raises:
        ValueError: there is no such place for a norm.
    """

    def __init__(self, d_model: int, norm: str, residual: bool):
        super().__init__()
        check_choice("norm", norm, NORM_PLACES)
        self.norm, self.place, self.residual = nn.LayerNorm(d_model), norm, residual

    def before(self, x: Tensor) -> Tensor:
        """What the sublayer is given.

        Args:
            x: (…, D).

        Returns:
            (…, D).
        """
        return self.norm(x) if self.place == "before" else x

    def forward(self, x: Tensor, h: Tensor) -> Tensor:
        """Go on from what the sublayer has made.

        Args:
            x: (…, D).
            h: the sublayer's output, (…, D).

        Returns:
            (…, D).
        """
        h = x + h if self.residual else h
        return self.norm(h) if self.place == "after" else h


def _gradient_norms(model: StackedReader) -> list[float]:
    """Of each layer's second feed-forward matrix."""
    layers = cast(Iterable[EncoderLayer], model.layers)
    gradients = (layer.feed_forward.W_2.weight.grad for layer in layers)
    return [gradient.norm().item() for gradient in gradients if gradient is not None]


class StackMeasures(NamedTuple):
    """What `measure_stack` finds: one number per layer for the gradient, one more for the other two."""

    gradient: list[float]
    stream: list[float]
    apart: list[float]


def measure_stack(norm: str, residual: bool, depth: int, seed: int) -> StackMeasures:
    """What flows through a fresh stack, forwards and backwards, before the first step of training.

    Weights, rows and the matrix that is looked at are those of `layer_gradients`, which this agrees with for pre-LN
    and post-LN. A last norm stands in front of the head if the norms stand before the sublayers.

    Args:
        norm: where the norm stands, see `Wiring`.
        residual: with the residual sums.
        depth: how many layers, L.
        seed: for the weights and for one batch of 8 rows.

    Returns:
        gradient: L norms of the gradient of W_2, from the input to the output. stream: L + 1 mean squares of the
        stream's entries, before the first layer and after each. apart: for the same L + 1 places, the fraction of that
        mean square by which the positions of a row differ from their mean; 0 if all words have become the same.

    Raises:
        TypeError, ValueError: a depth that is not a count, an unknown place for the norm.

    Source:
        Xiong et al. (2020), §3.3, for the gradient; Dong et al. (2021), arXiv:2103.03404, who ask how far apart the
        positions stay, with a norm of their own.
    """
    torch.manual_seed(seed)
    model = StackedReader(depth, norm_first=norm == "before")
    # norms draw no random numbers, so the weights stay those of the seed
    for layer in cast(Iterable[Any], model.layers):
        layer.around_attention = Wiring(layer.attention.d_model, norm, residual)
        layer.around_feed_forward = Wiring(layer.attention.d_model, norm, residual)
    ids, answers = reversal_batch(8, LENGTH, torch.Generator().manual_seed(1000 + seed))
    x = model.words(ids) + model.places.weight
    through = [x]
    for layer in model.layers:
        x, _ = layer(x)
        through.append(x)
    logits = model.head(model.norm(x))
    F.cross_entropy(logits.flatten(0, 1), answers.flatten()).backward()
    size = [x.square().mean().item() for x in through]
    spread = [(x - x.mean(dim=1, keepdim=True)).square().mean().item() for x in through]
    return StackMeasures(
        gradient=_gradient_norms(model),
        stream=size,
        apart=[part / whole for part, whole in zip(spread, size, strict=True)],
    )


def rate(step: int, peak: float, warmup: int, rise: bool = True) -> float:
    """The Noam schedule with its peak at a given height, and the same without its rise.

    Args:
        step: 0, 1, 2, ….
        peak: the largest learning rate.
        warmup: steps until the peak.
        rise: climb to the peak; otherwise stay there from the first step on, and fall as the other one does.

    Returns:
        A learning rate.

    Raises:
        TypeError, ValueError: warmup is not a count.

    Source:
        Vaswani et al. (2017), eq. 3, up to a constant factor.
    """
    check_count("warmup", warmup)
    counted = step if rise else max(step, warmup - 1)
    return peak * noam_factor(counted, 1, warmup) / noam_factor(warmup - 1, 1, warmup)


def fit_stack(
    norm_first: bool,
    peak: float,
    rise: bool,
    seed: int = 0,
    depth: int = 6,
    steps: int = 200,
    warmup: int = 60,
    rows: int = 16,
    d_model: int = 32,
) -> list[float]:
    """Teach a stack to reverse rows of symbols, by Adam with the paper's settings and no clipping.

    Args:
        norm_first: pre-LN instead of post-LN.
        peak: the largest learning rate.
        rise: with warm-up, see `rate`.
        seed: for the weights and the rows.
        depth: how many layers.
        steps: updates.
        warmup: steps until the peak.
        rows: B.
        d_model: D.

    Returns:
        The loss of every step; guessing gives ln 8 = 2.08.

    Raises:
        TypeError, ValueError: a count or a rate that is not above 0.
    """
    check_positive("peak", peak)
    check_count("steps", steps)
    torch.manual_seed(seed)
    model = StackedReader(depth, norm_first, d_model=d_model)
    generator = torch.Generator().manual_seed(1000 + seed)
    optimizer = torch.optim.Adam(model.parameters(), betas=(0.9, 0.98), eps=1e-9)
    losses = []
    for step in range(steps):
        optimizer.param_groups[0]["lr"] = rate(step, peak, warmup, rise)
        loss = model.loss(*reversal_batch(rows, LENGTH, generator))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses
