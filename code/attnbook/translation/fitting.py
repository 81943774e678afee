"""Train a translator by a recipe: its loss, its batches shared among processes, and when to stop."""

import random
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import torch
from lightning_fabric import Fabric
from torch import Tensor, nn

from attnbook.checks import check_count, check_positive
from attnbook.data import Batch, EncodedPair, encode_pairs, make_batches
from attnbook.text import EOS, BPEDropout, tokenise
from attnbook.training import TrainConfig, read_archive, save_checkpoint, train
from attnbook.translation.losses import masked_cross_entropy
from attnbook.translation.translator import Recipe, Translator, prepare


def translation_loss(
    label_smoothing: float = 0.0, fabric: Fabric | None = None
) -> Callable[[nn.Module, Batch], Tensor]:
    """The loss for `attnbook.training.train`: mean surprise a word, over the batches of all processes.

    Args:
        label_smoothing: see `masked_cross_entropy`.
        fabric: where several processes share a batch. Each one's mean is weighted by its share of the words, so that
            their average is the mean over all words.

    Returns:
        (model, batch) → a scalar.
    """

    def loss_fn(model: nn.Module, batch: Batch) -> Tensor:
        batch = batch.to(next(model.parameters()).device)
        logits = model(batch.source, batch.target_in, batch.source_lens)
        loss = masked_cross_entropy(logits, batch.target_out, label_smoothing)
        if fabric is None or fabric.world_size == 1:
            return loss
        words = torch.tensor(float(batch.num_tokens), device=loss.device)
        everybody = fabric.all_reduce(words, reduce_op="mean")
        return loss * words / everybody

    return loss_fn


def share_of(batch: Batch, rank: int, number: int) -> Batch:
    """The rows of a batch that one of several processes works on.

    Args:
        batch: for all processes.
        rank: 0, 1, …, which one.
        number: how many processes.

    Returns:
        Rows rank, rank + number, ….

    Raises:
        ValueError: fewer rows than processes.
    """
    if number == 1:
        return batch
    if len(batch.source) < number:
        raise ValueError(
            f"a batch of {len(batch.source)} pairs cannot be shared among {number} processes; use larger batches"
        )
    rows = slice(rank, None, number)
    return Batch(
        batch.source[rows],
        batch.source_lens[rows],
        batch.target_in[rows],
        batch.target_out[rows],
        batch.target_lens[rows],
    )


@torch.no_grad()
def development_loss(model: nn.Module, batches: Sequence[Batch]) -> float:
    """Mean surprise a word on pairs that are not trained on, without smoothing and dropout.

    Args:
        model: a translator; its mode is given back as it was.
        batches: of the development set.

    Returns:
        Nats a word.
    """
    was_training = model.training
    model.eval()
    device = next(model.parameters()).device
    total = words = 0.0
    for batch in batches:
        batch = batch.to(device)
        logits = model(batch.source, batch.target_in, batch.source_lens)
        loss = masked_cross_entropy(logits, batch.target_out)
        total += float(loss) * batch.num_tokens
        words += batch.num_tokens
    model.train(was_training)
    return total / words


class EarlyStopping:
    """Look at the development loss now and then, keep the best weights, and stop when it no longer falls.

    Args:
        model: the model that is trained.
        batches: of the development set.
        every: steps between two looks.
        patience: how many looks without a new best until the training stops; None to never stop it.
        path: where the best weights and the history are kept, so that a resumed training knows them; None for memory.
        writes: write there; of several processes, one does.

    Attributes:
        history: (steps, development loss) of every look.

    Source:
        Prechelt (1998), early stopping — but when?
    """

    def __init__(
        self,
        model: nn.Module,
        batches: Iterable[Batch],
        every: int,
        patience: int | None = None,
        path: str | Path | None = None,
        writes: bool = True,
    ):
        check_count("every", every)
        if patience is not None:
            check_count("patience", patience)
        self.model, self.batches, self.every = model, list(batches), every
        self.patience, self.path = patience, None if path is None else Path(path)
        self.writes = writes
        self.history: list[tuple[int, float]] = []
        self.weights: dict | None = None
        if self.path is not None and self.path.exists():
            kept = read_archive(self.path)
            self.history = [tuple(look) for look in kept["history"]]
            self.weights = kept["weights"]

    @property
    def best(self) -> float:
        """The lowest development loss so far."""
        return min((loss for _, loss in self.history), default=float("inf"))

    def __call__(self, step: int) -> bool:
        """Look, if it is time.

        Args:
            step: how many steps are done.

        Returns:
            Whether to stop.
        """
        # a training that was killed goes on from an earlier step: what it had seen since, it will see again
        self.history = [look for look in self.history if look[0] < step]
        if step % self.every == 0:
            loss = development_loss(self.model, self.batches)
            better = loss < self.best
            self.history.append((step, loss))
            if better:
                state = self.model.state_dict()
                self.weights = {k: v.detach().clone() for k, v in state.items()}
            if self.path is not None and self.writes:
                kept = {"history": self.history, "weights": self.weights}
                save_checkpoint(self.path, kept)
        return self.exhausted

    @property
    def exhausted(self) -> bool:
        """Whether the last `patience` looks were all worse than the best one before."""
        if self.patience is None or len(self.history) <= self.patience:
            return False
        earlier = min(loss for _, loss in self.history[: -self.patience])
        return all(loss >= earlier for _, loss in self.history[-self.patience :])

    def restore(self) -> None:
        """Give the model the best weights."""
        if self.weights is not None:
            self.model.load_state_dict(self.weights)


@dataclass
class Fitted:
    """A trained translator and how it came about.

    Attributes:
        translator: with the weights of the lowest development loss, if there was a development set to choose by.
        losses: of every step.
        history: (steps, development loss).
        seconds: how long the training took, the development set included.
    """

    translator: Translator
    losses: list[float]
    history: list[tuple[int, float]] = field(default_factory=list)
    seconds: float = 0.0


def steps_in(
    seconds: float,
    recipe: Recipe,
    pairs: Sequence,
    seed: int = 0,
    tries: int = 12,
    fabric: Fabric | None = None,
) -> int:
    """How many steps of a recipe fit into a time on these devices, found by trying a few on a model of its own.

    Args:
        seconds: the time.
        recipe: how to train.
        pairs: the training set.
        seed: of the batches that are tried.
        tries: how many steps, at least 2; the first two only warm up where there are more.
        fabric: Lightning Fabric, already launched; one on the CPU if not given. Several processes get one answer.

    Returns:
        At least 1.
    """
    check_positive("seconds", seconds)
    check_count("tries", tries, at_least=2)
    fabric = fabric or Fabric(accelerator="cpu", devices=1)
    pairs = list(pairs)
    translator, _ = prepare(recipe, pairs, seed)
    ends = [time.perf_counter()]

    def note_time(_: int) -> bool:
        ends.append(time.perf_counter())
        return False

    train(
        translator.model,
        translation_loss(recipe.label_smoothing, fabric),
        _shared_batches(recipe, pairs, translator, seed, fabric),
        _config(recipe, tries, seed),
        fabric=fabric,
        after_step=note_time,
    )
    first = min(2, tries - 1)
    a_step = (ends[-1] - ends[first]) / (tries - first)
    return fabric.broadcast(max(1, int(seconds / a_step)))


def _shared_batches(
    recipe: Recipe, pairs: Sequence, translator: Translator, seed: int, fabric: Fabric
) -> Callable[[int], Iterable[Batch]]:
    """This process's rows of every batch."""
    numbered = _numbered(recipe, pairs, translator, seed)

    def batches(epoch: int):
        for batch in make_batches(numbered(epoch), recipe.batch_size, seed)(epoch):
            yield share_of(batch, fabric.global_rank, fabric.world_size)

    return batches


def _numbered(
    recipe: Recipe, pairs: Sequence, translator: Translator, seed: int
) -> Callable[[int], list[EncodedPair]]:
    """The pairs of an epoch in numbers: always the same, or, with BPE dropout, cut anew."""
    vocabs = (translator.source_vocab, translator.target_vocab)
    encoded = encode_pairs(pairs, *vocabs, recipe.max_len)
    if not recipe.bpe_dropout:
        return lambda epoch: encoded
    source, target = (BPEDropout(v, recipe.bpe_dropout, seed=seed) for v in vocabs)
    kept = [
        (tokenise(one), tokenise(other))
        for one, other in pairs
        if encode_pairs([(one, other)], *vocabs, recipe.max_len)
    ]

    def cut(epoch: int) -> list[EncodedPair]:
        dice = random.Random(f"{seed} {epoch}")
        return [
            EncodedPair([*source.encode(one, dice), EOS], target.encode(other, dice))
            for one, other in kept
        ]

    return cut


def _config(recipe: Recipe, steps: int, seed: int, **more) -> TrainConfig:
    """The recipe's part of the training's settings."""
    warms_up = recipe.schedule == "warmup-cosine"
    return TrainConfig(
        steps,
        lr=recipe.lr,
        clip=recipe.clip,
        seed=seed,
        schedule=recipe.schedule,
        warmup=int(recipe.warmup_share * steps) if warms_up else 0,
        betas=recipe.betas,
        weight_decay=recipe.weight_decay,
        **more,
    )


def _until(
    stopping: EarlyStopping | None,
    seconds: float | None,
    began: float,
    fabric: Fabric,
) -> Callable[[int], bool] | None:
    """What `train` asks after every step: whether it is enough."""
    if seconds is None:
        return stopping
    check_positive("seconds", seconds)

    def enough(step: int) -> bool:
        late = fabric.broadcast(time.perf_counter() - began >= seconds)
        return (stopping is not None and stopping(step)) or late

    return enough


def fit(
    recipe: Recipe,
    pairs: Sequence,
    development: Sequence = (),
    steps: int | None = None,
    epochs: int | None = None,
    seed: int = 0,
    looks: int = 10,
    patience: int | None = None,
    keep_best: bool = True,
    fabric: Fabric | None = None,
    folder: str | Path | None = None,
    progress: bool = False,
    seconds: float | None = None,
) -> Fitted:
    """Train a translator; the same seed gives the same model, also across an interruption.

    Args:
        recipe: what to build and how to train it.
        pairs: the training set.
        development: pairs to look at now and then; without them the last weights are taken.
        steps: updates in all; or
        epochs: times through the pairs.
        seed: for the weights, the order of the pairs and dropout.
        looks: how often to look at the development set.
        patience: looks without progress until the training stops early; None to use all steps.
        keep_best: end with the weights of the lowest development loss, not with the last ones.
        fabric: Lightning Fabric, already launched; one on the CPU if not given.
        folder: for checkpoints; a training that was interrupted goes on from there.
        progress: show a progress bar.
        seconds: stop then, even if steps are left; how far it comes depends on the machine.

    Returns:
        The translator in evaluation mode, its losses and its history.

    Raises:
        ValueError: neither steps nor epochs, or both; no pairs.
        CheckpointError: the folder holds a training of another recipe.
    """
    if (steps is None) == (epochs is None):
        raise ValueError("pass either steps or epochs")
    fabric = fabric or Fabric(accelerator="cpu", devices=1)
    began = time.perf_counter()
    pairs = list(pairs)
    translator, encoded = prepare(recipe, pairs, seed)
    model = translator.model
    if steps is None:
        steps = epochs * -(-len(encoded) // recipe.batch_size)
    every = max(1, steps // looks)
    saves = every if folder is not None else 0
    folder = None if folder is None else Path(folder)
    stopping = None
    if development:
        vocabs = (translator.source_vocab, translator.target_vocab)
        unseen = make_batches(encode_pairs(development, *vocabs), 256, seed)
        best = folder / "best.pt" if folder else None
        writes = fabric.is_global_zero
        stopping = EarlyStopping(model, unseen(0), every, patience, best, writes)
    losses = train(
        model,
        translation_loss(recipe.label_smoothing, fabric),
        _shared_batches(recipe, pairs, translator, seed, fabric),
        _config(recipe, steps, seed, checkpoint_every=saves),
        fabric=fabric,
        checkpoint=folder / "training.pt" if folder else None,
        progress=progress,
        after_step=_until(stopping, seconds, began, fabric),
    )
    if stopping is not None and keep_best:
        stopping.restore()
    model.eval()
    history = stopping.history if stopping else []
    return Fitted(translator, losses, history, time.perf_counter() - began)
