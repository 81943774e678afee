"""One query that wants several things at once: jars on a shelf, and layers with any number of heads of any width."""

from typing import Any, cast

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from attnbook.attention import merge_heads, scaled_dot_score, split_heads
from attnbook.reproducible import seed_everything
from attnbook.training import TrainConfig, train
from attnbook.transformer import count_parameters

LABELS, CONTENTS, JARS = 32, 8, 12


class FreeHeads(nn.Module):
    """Attention with heads of any number and width: 4 · D · heads · width parameters.

    Args:
        heads, width: H heads of Dh features.
        output_map: whether W_o follows.
        kv_heads: heads of keys and values, which groups of queries share; H if not given.
        size: D.
    """

    def __init__(
        self,
        heads: int,
        width: int,
        output_map: bool = True,
        kv_heads: int | None = None,
        size: int = 32,
    ):
        super().__init__()
        self.heads, self.kv_heads = heads, kv_heads or heads
        self.W_q = nn.Linear(size, heads * width, bias=False)
        self.W_k = nn.Linear(size, self.kv_heads * width, bias=False)
        self.W_v = nn.Linear(size, self.kv_heads * width, bias=False)
        self.W_o: nn.Module = nn.Identity()
        if output_map:
            self.W_o = nn.Linear(heads * width, size, bias=False)

    def forward(self, query: Tensor, memory: Tensor) -> tuple[Tensor, Tensor]:
        """Look.

        Args:
            query: (B, T, D).
            memory: (B, S, D), keys and values.

        Returns:
            output (B, T, D) and weights (B, H, T, S).
        """
        q, group = split_heads(self.W_q(query), self.heads), self.heads // self.kv_heads
        k, v = (
            split_heads(W(memory), self.kv_heads).repeat_interleave(group, dim=1)
            for W in (self.W_k, self.W_v)
        )  # (B, H, S, Dh)
        weights = scaled_dot_score(q, k).softmax(dim=-1)
        return self.W_o(merge_heads(weights @ v)), weights


def shelves(
    size: int, wanted: int, generator: torch.Generator
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Shelves of 12 jars, and an order for some of them.

    Args:
        size: B.
        wanted: W, how many jars are ordered.
        generator: where they come from.

    Returns:
        labels 0…31 (B, 12), no two alike on a shelf; contents 0…7 (B, 12); the ordered labels (B, W); and the
        answers, what these jars hold (B, W).
    """
    labels = torch.rand(size, LABELS, generator=generator).argsort(-1)[:, :JARS]
    contents = torch.randint(CONTENTS, (size, JARS), generator=generator)
    places = torch.rand(size, JARS, generator=generator).argsort(-1)[:, :wanted]
    order = labels.gather(1, places)
    return labels, contents, order, contents.gather(1, places)


class LookUp(nn.Module):
    """One query holds the whole order; one layer looks; each jar has a read-out.

    Args:
        attention: called with query (B, 1, D) and memory (B, 12, D), gives output and weights.
        wanted: W, how many jars are ordered.
        hidden: units of a hidden layer in the read-out; it is linear if 0.
        size: D.
    """

    def __init__(
        self, attention: nn.Module, wanted: int, hidden: int = 0, size: int = 32
    ):
        super().__init__()
        self.attention = attention
        self.label = nn.Embedding(LABELS, size)
        self.content = nn.Embedding(CONTENTS, size)
        # for the first jar, the second jar, …
        self.ordered = nn.ModuleList(nn.Embedding(LABELS, size) for _ in range(wanted))
        self.out: nn.Module = nn.Linear(size, wanted * CONTENTS)
        if hidden:
            self.out = nn.Sequential(
                nn.Linear(size, hidden), nn.ReLU(), nn.Linear(hidden, wanted * CONTENTS)
            )

    def forward(
        self, labels: Tensor, contents: Tensor, order: Tensor
    ) -> tuple[Tensor, Tensor]:
        """Read the ordered jars.

        Args:
            labels, contents, order: see `shelves`.

        Returns:
            logits (B, W, 8) and the layer's weights (B, H, 1, 12).
        """
        memory = self.label(labels) + self.content(contents)  # (B, 12, D)
        query = sum(
            embed(jar[:, None])  # (B, 1, D)
            for embed, jar in zip(self.ordered, order.unbind(1), strict=True)
        )
        seen, weights = self.attention(query, memory)  # (B, 1, D), (B, H, 1, 12)
        return self.out(seen[:, 0]).unflatten(
            -1, (len(self.ordered), CONTENTS)
        ), weights


def look_up_run(
    heads: int,
    width: int,
    wanted: int,
    steps: int,
    seed: int,
    hidden: int = 0,
    **options: Any,
) -> tuple[float, LookUp]:
    """Train one layer on fresh shelves, and test it on 2,000 others.

    Args:
        heads, width: of `FreeHeads`; `options` are its further arguments.
        wanted, hidden: see `LookUp`.
        steps: updates, with 64 shelves each.
        seed: for the weights and the shelves.

    Returns:
        The fraction of right answers, and the model.
    """
    seed_everything(seed)
    model = LookUp(FreeHeads(heads, width, **options), wanted, hidden)

    def batches(epoch: int) -> list[tuple[Tensor, ...]]:
        generator = torch.Generator().manual_seed(1000 * seed + epoch)
        return [shelves(64, wanted, generator) for _ in range(100)]

    def loss(model: LookUp, batch: tuple[Tensor, ...]) -> Tensor:
        *inputs, answers = batch
        return F.cross_entropy(model(*inputs)[0].flatten(0, 1), answers.flatten())

    config = TrainConfig(steps, lr=1e-2, seed=seed, schedule="warmup-cosine", warmup=50)
    train(model, loss, batches, config)
    *inputs, answers = shelves(2000, wanted, torch.Generator().manual_seed(999_999))
    with torch.no_grad():
        right = model(*inputs)[0].argmax(-1) == answers
    return right.float().mean().item(), model


def retrain_look_up(heads: int, width: int, jars: int, seed: int) -> str:
    """Train one layer for 500 steps.

    Args:
        heads, width, seed: see `look_up_run`.
        jars: how many are ordered.

    Returns:
        What came of it, in a sentence.
    """
    right, model = look_up_run(heads, width, jars, steps=500, seed=seed)
    weights = count_parameters(model.attention)
    return f"{right:.0%} of the answers are right, with {weights:,} parameters in the layer"


@torch.no_grad()
def right_without_heads(model: LookUp, silent: list[int]) -> Tensor:
    """How well a model does when some heads are taken out, by zeros in their blocks of W_o.

    Args:
        model: a trained one; it is left as it was.
        silent: the heads, counted from 0.

    Returns:
        (W,), the fraction of right answers for each jar of the order, on 2,000 shelves.

    Raises:
        ValueError: there is no such head.
    """
    layer = cast(FreeHeads, model.attention)
    if not all(0 <= head < layer.heads for head in silent):
        raise ValueError(f"the heads are 0 to {layer.heads - 1}, got {silent}")
    weight = cast(nn.Linear, layer.W_o).weight
    *inputs, answers = shelves(
        2000, len(model.ordered), torch.Generator().manual_seed(7)
    )
    blocks, kept = weight.chunk(layer.heads, dim=1), weight.clone()
    for head in silent:
        blocks[head].zero_()
    right = (model(*inputs)[0].argmax(-1) == answers).float().mean(0)
    weight.copy_(kept)
    return right


def prune(model: LookUp) -> list[float]:
    """Take heads out one by one, the least missed first.

    Args:
        model: a trained one; it is left as it was.

    Returns:
        The fraction of right answers with all heads, with one less, … and with one left.
    """
    heads = cast(FreeHeads, model.attention).heads
    gone: list[int] = []
    found = [right_without_heads(model, []).mean().item()]
    while len(gone) < heads - 1:
        left = [head for head in range(heads) if head not in gone]
        costs = {
            head: right_without_heads(model, [*gone, head]).mean().item()
            for head in left
        }
        gone.append(max(left, key=costs.__getitem__))
        found.append(costs[gone[-1]])
    return found
