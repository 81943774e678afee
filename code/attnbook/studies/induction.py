"""Induction: a row of symbols begins again, and what comes next can be copied. Attention-only models learn how."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, cast

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from attnbook.attention import (
    MultiHeadAttention,
    RotaryPositions,
    SinkAttention,
    causal_mask,
    prefix_matching,
)
from attnbook.checks import check_choice, check_count
from attnbook.training import Progress, TrainConfig, train
from attnbook.weights import FOLDER, read_weights

STORED_SNAPSHOTS = FOLDER / "induction.safetensors"

NUM_SYMBOLS, ROW = 24, 32  # <bos> is symbol 0, the others are 1 to 24
PERIODS = (5, 16)
SINKS = ("none", "off-by-one", "learned")


def repeated_rows(
    size: int,
    generator: torch.Generator,
    periods: tuple[int, int] = PERIODS,
    length: int = ROW,
) -> tuple[Tensor, Tensor]:
    """Rows of symbols that repeat: the first few, all different, come again and again.

    Args:
        size: B.
        generator: where the symbols and the periods come from.
        periods: the least and the largest period P; each row draws its own.
        length: T, symbols in a row; <bos> stands in front of them.

    Returns:
        ids (B, T + 1), and the periods (B,).
    """
    low, high = periods
    period = torch.randint(low, high + 1, (size,), generator=generator)
    order = torch.rand(size, NUM_SYMBOLS, generator=generator).argsort(-1) + 1
    place = torch.arange(length) % period[:, None]  # (B, T)
    bos = torch.zeros(size, 1, dtype=torch.long)
    return torch.cat([bos, order.gather(1, place)], dim=1), period


class AttentionOnly(nn.Module):
    """Causal attention layers on a residual stream, and nothing else: no feed-forward network, no norm, no bias.

    Positions are rotary, so the stream holds symbols only, and a layer can tell the next one nothing but symbols.

    Args:
        num_layers, num_heads, d_model: the sizes.
        sink: "none", "off-by-one" or "learned", see `SinkAttention`.

    Source:
        Elhage et al. (2021), "A Mathematical Framework for Transformer Circuits".
    """

    def __init__(
        self,
        num_layers: int = 2,
        num_heads: int = 2,
        d_model: int = 32,
        sink: str = "none",
    ):
        super().__init__()
        check_count("num_layers", num_layers)
        check_choice("sink", sink, SINKS)
        self.embedding = nn.Embedding(NUM_SYMBOLS + 1, d_model)
        options: dict[str, Any] = {"bias": False, "rotary": RotaryPositions()}
        self.layers = nn.ModuleList(
            MultiHeadAttention(d_model, num_heads, **options)
            if sink == "none"
            else SinkAttention(d_model, num_heads, learned=sink == "learned", **options)
            for _ in range(num_layers)
        )
        self.unembedding = nn.Linear(d_model, NUM_SYMBOLS + 1, bias=False)
        self.has_sink = sink != "none"
        nn.init.normal_(self.embedding.weight, std=d_model**-0.5)

    def forward(
        self, ids: Tensor, need_weights: bool = False
    ) -> tuple[Tensor, Tensor | None]:
        """Score every next symbol.

        Args:
            ids: (B, T).
            need_weights: return all attention weights too.

        Returns:
            logits (B, T, V), and weights (B, L, H, T, T), or None. With a sink, its weight is what a row lacks to 1.
        """
        return self.read(self.embedding(ids), need_weights)

    def read(
        self, x: Tensor, need_weights: bool = False
    ) -> tuple[Tensor, Tensor | None]:
        """The same from embedded symbols, (B, T, D)."""
        mask = causal_mask(x.shape[1], device=x.device)
        if self.has_sink:
            mask = F.pad(mask, (1, 0), value=True)  # every row may use the sink
        all_weights = []
        for layer in self.layers:
            output, weights = layer(x, mask=mask, need_weights=need_weights)
            x = x + output
            all_weights.append(weights)
        logits = self.unembedding(x)
        if not need_weights:
            return logits, None
        weights = torch.stack(all_weights, dim=1)
        return logits, weights[..., 1:] if self.has_sink else weights


@torch.no_grad()
def make_uniform(layer: MultiHeadAttention) -> None:
    """Set a layer's queries to zero, in place: each position spreads its weight evenly over what it may see.

    Args:
        layer: the attention, without bias.
    """
    layer.W_qkv.weight[: layer.d_model] = 0


def induction_loss(model: AttentionOnly, ids: Tensor) -> Tensor:
    """The loss of every next symbol, predictable or not.

    Args:
        model: the model.
        ids: (B, T) rows, as `repeated_rows` makes them.

    Returns:
        A mean, in nats.
    """
    logits, _ = model(ids[:, :-1])
    return F.cross_entropy(logits.flatten(0, 1), ids[:, 1:].flatten())


def fit_induction(
    seed: int = 0,
    steps: int = 1500,
    periods: tuple[int, int] = PERIODS,
    lr: float = 3e-3,
    rows: int = 64,
    bos: bool = True,
    uniform: bool = False,
    watch: Callable[[int, AttentionOnly], None] | None = None,
    **options: Any,
) -> tuple[AttentionOnly, list[float]]:
    """Train an attention-only model on rows that repeat.

    Args:
        seed: for the weights and the rows.
        steps: updates.
        periods: see `repeated_rows`.
        lr: the learning rate.
        rows: B.
        bos: whether rows begin with <bos>.
        uniform: keep all queries at zero, so that the weights stay uniform.
        watch: called with the number of steps done and the model: before the first and after each.
        options: of the model.

    Returns:
        The model, and the loss of every step.
    """
    torch.manual_seed(seed)
    model = AttentionOnly(**options)
    generator = torch.Generator().manual_seed(1000 + seed)
    first = 0 if bos else 1
    stream = (
        repeated_rows(rows, generator, periods)[0][:, first:] for _ in range(steps)
    )
    if uniform:
        for layer in cast(Iterable[MultiHeadAttention], model.layers):
            make_uniform(layer)
            queries = torch.arange(len(layer.W_qkv.weight)) < layer.d_model
            layer.W_qkv.weight.register_hook(
                lambda grad, q=queries: grad.masked_fill(q.to(grad.device)[:, None], 0)
            )

    def after_step(progress: Progress) -> None:
        if watch is not None:
            watch(progress.step, model)

    if watch is not None:
        watch(0, model)
    config = TrainConfig(steps, lr, seed=seed)
    losses = train(
        model, induction_loss, lambda epoch: stream, config, after_step=after_step
    )
    return model.eval(), losses


@dataclass(frozen=True)
class InductionMeasures:
    """What a model does on fresh rows.

    Attributes:
        new, repeated: the mean loss of symbols that cannot be known and of those that can, in nats.
        accuracy: how often a symbol that can be known is guessed.
        prefix: (L, H) prefix-matching scores.
        previous: (L, H) mean weight on the position before.
        start: (L, H) mean weight on the first position of later ones whose symbol is new.
    """

    new: float
    repeated: float
    accuracy: float
    prefix: Tensor
    previous: Tensor
    start: Tensor


@torch.no_grad()
def measure_induction(
    model: AttentionOnly,
    periods: tuple[int, int] = PERIODS,
    seed: int = 12345,
    rows: int = 256,
    bos: bool = True,
) -> InductionMeasures:
    """Measure a model on fresh rows.

    Args:
        model: the model.
        periods: see `repeated_rows`.
        seed: for the rows.
        rows: B.
        bos: whether rows begin with <bos>.

    Returns:
        The measures.
    """
    ids, period = repeated_rows(rows, torch.Generator().manual_seed(seed), periods)
    ids = ids if bos else ids[:, 1:]
    seen, target = ids[:, :-1], ids[:, 1:]
    logits, weights = model(seen, need_weights=True)
    place = torch.arange(target.shape[1]) - int(bos)  # of the current symbol in its row
    known = place >= period[:, None]  # (B, T): it is a copy
    loss = F.cross_entropy(logits.mT, target, reduction="none")
    right = logits.argmax(-1) == target
    fresh = ~known
    fresh[:, 0] = False  # the first position can look at nothing else
    start = weights[..., 0].movedim(0, 2)[..., fresh]  # (L, H, how many)
    return InductionMeasures(
        loss[~known].mean().item(),
        loss[known].mean().item(),
        right[known].float().mean().item(),
        prefix_matching(weights, seen),
        weights.diagonal(-1, -2, -1).mean((0, 3)),
        start.mean(-1),
    )


def retrain_induction(layers: int, heads: int, seed: int) -> str:
    """Train a model of another size for 750 steps.

    Args:
        layers, heads: how many, the heads of each layer.
        seed: for the weights and the rows.

    Returns:
        What came of it, in a sentence.
    """
    model, _ = fit_induction(seed, 750, num_layers=layers, num_heads=heads)
    found = measure_induction(model)
    return (
        f"{found.accuracy:.0%} of the symbols that can be known are right; "
        f"best prefix-matching score {found.prefix.max():.2f}"
    )


def stored_induction(step: int | None = None) -> AttentionOnly:
    """The two-layer model of the figure, as it was at some point of its training.

    Args:
        step: one of those stored; the last if not given.

    Returns:
        The model.

    Raises:
        ValueError: a step that is not stored.
    """
    weights: dict[int, dict[str, Tensor]] = {}
    for stored, weight in read_weights(STORED_SNAPSHOTS)[0].items():
        at, name = stored.split(".", 1)
        weights.setdefault(int(at), {})[name] = weight
    step = max(weights) if step is None else step
    if step not in weights:
        raise ValueError(
            f"stored are the steps {', '.join(map(str, sorted(weights)))}; got {step}"
        )
    model = AttentionOnly()
    model.load_state_dict(weights[step])
    return model.eval()
