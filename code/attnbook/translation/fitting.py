"""Train a translator by a recipe: its loss, its batches divided among processes, and how long."""

import random
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, cast

import torch
from torch import Tensor, nn

from attnbook.checks import check_count
from attnbook.data import Batch, EncodedPair, encode_pairs, make_batches
from attnbook.reproducible import device_of
from attnbook.text import EOS, BPEDropout, SubwordVocabulary
from attnbook.training import make_fabric, train
from attnbook.training.processes import average
from attnbook.translation.early_stopping import EarlyStopping
from attnbook.translation.losses import masked_cross_entropy
from attnbook.translation.recipes import Recipe, untrained
from attnbook.translation.translator import Translator

if TYPE_CHECKING:
    from lightning_fabric import Fabric


def translation_loss(
    label_smoothing: float = 0.0, fabric: "Fabric | None" = None
) -> Callable[[nn.Module, Batch], Tensor]:
    """The loss for `attnbook.training.train`: mean negative log-likelihood per word, over the batches of all processes.

    Args:
        label_smoothing: see `masked_cross_entropy`.
        fabric: where several processes divide a batch. Each one's mean is weighted by its fraction of the words, so
            that their average is the mean over all words.

    Returns:
        (model, batch) → a scalar.
    """

    def loss_fn(model: nn.Module, batch: Batch) -> Tensor:
        batch = batch.to(device_of(model))
        share: Tensor | float = 1.0
        if fabric is not None and fabric.world_size > 1:
            words = torch.tensor(float(batch.num_tokens), device=batch.source.device)
            share = words / average(fabric, words)  # first: what follows may fail
        logits = model(batch.source, batch.target_in, batch.source_lens)
        loss = masked_cross_entropy(
            logits, batch.target_out, label_smoothing=label_smoothing
        )
        return loss * share

    return loss_fn


def rows_of(batch: Batch, rank: int, number: int) -> Batch:
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
            f"a batch of {len(batch.source)} pairs cannot be divided among {number} processes; use larger batches"
        )
    rows = slice(rank, None, number)
    return Batch(*(tensor[rows] for tensor in vars(batch).values()))


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


def encode_training_set(
    recipe: Recipe, pairs: Sequence, translator: Translator, seed: int
) -> Callable[[int], list[EncodedPair]]:
    """The training pairs in numbers, epoch by epoch: always the same, or, with BPE dropout, cut anew.

    Args:
        recipe: its `max_len` and `bpe_dropout`.
        pairs: the training set.
        translator: whose vocabularies number the words.
        seed: of the cuts.

    Returns:
        Epoch number → encoded pairs, without those that are too long.

    Raises:
        ValueError: all pairs are too long.
    """
    vocabs = (translator.source_vocab, translator.target_vocab)
    # each pair by itself, so that those that are too long drop out with their sentences
    one_by_one = [
        (pair, encode_pairs([pair], *vocabs, recipe.max_len)) for pair in pairs
    ]
    encoded = [numbers for _, some in one_by_one for numbers in some]
    if not encoded:
        raise ValueError(
            f"all {len(one_by_one)} pairs have more than {recipe.max_len} tokens; "
            "raise the recipe's max_len"
        )
    if not recipe.bpe_dropout:
        return lambda epoch: encoded
    source, target = (
        BPEDropout(cast(SubwordVocabulary, v), recipe.bpe_dropout, seed=seed)
        for v in vocabs  # a recipe with BPE dropout has subwords
    )
    tokens = [
        tuple(vocab.split(side) for vocab, side in zip(vocabs, pair, strict=True))
        for pair, some in one_by_one
        if some
    ]

    def cut(epoch: int) -> list[EncodedPair]:
        dice = random.Random(f"{seed} {epoch}")
        return [
            EncodedPair([*source.encode(one, dice), EOS], target.encode(other, dice))
            for one, other in tokens
        ]

    return cut


def fit(
    recipe: Recipe,
    pairs: Sequence,
    development: Sequence = (),
    steps: int | None = None,
    epochs: int | None = None,
    seconds: float | None = None,
    seed: int = 0,
    evaluations: int = 10,
    patience: int | None = None,
    *,
    keep_best: bool = True,
    fabric: "Fabric | None" = None,
    folder: str | Path | None = None,
    progress: bool | None = None,
    report: Callable[[str], object] | None = None,
    clock: Callable[[], float] = perf_counter,
) -> Fitted:
    """Train a translator; the same seed and number of steps give the same model, also across an interruption.

    Args:
        recipe: what to build and how to train it.
        pairs: the training set.
        development: pairs to evaluate on now and then; without them the last weights are taken.
        steps: updates in all; or
        epochs: times through the pairs; or
        seconds: how long, reading and evaluating included. The schedule follows the clock; how many steps that makes
            depends on the machine.
        seed: for the weights, the order of the pairs and dropout.
        evaluations: how often to evaluate on the development set, the last time at the end.
        patience: evaluations without progress until the training stops early; None to use all steps.
        keep_best: end with the weights of the lowest development loss, not with the last ones.
        fabric: Lightning Fabric, already launched; one on `best_device()` if not given.
        folder: for checkpoints; an interrupted training resumes from there.
        progress: show a progress bar, see `train`.
        report: is told in one sentence, before the first step, if pairs are left out as too long.
        clock: tells the seconds, see `train`.

    Returns:
        The translator in evaluation mode, on the device that it was trained on; its losses and its history.

    Raises:
        ValueError: not exactly one of steps, epochs and seconds; no pairs.
        CheckpointError: the folder holds a training of another recipe.
    """
    began = clock()
    if sum(length is not None for length in (steps, epochs, seconds)) != 1:
        raise ValueError("pass one of steps, epochs and seconds")
    check_count("evaluations", evaluations)
    if epochs is not None:
        check_count("epochs", epochs)
    fabric = fabric or make_fabric()
    pairs = list(pairs)
    translator = untrained(recipe, pairs, seed)
    encoded = encode_training_set(recipe, pairs, translator, seed)
    too_long = len(pairs) - len(encoded(0))
    if report is not None and too_long:
        report(
            f"{too_long:,} of {len(pairs):,} training pairs are left out, in which a side has more than "
            f"{recipe.max_len} tokens"
        )
    if epochs is not None:
        steps = epochs * -(-len(encoded(0)) // recipe.batch_size)
    config = replace(recipe.training, steps=steps, seconds=seconds, seed=seed)
    every = config.length / evaluations
    if folder is not None:
        config = replace(config, checkpoint_every=every)
    folder = None if folder is None else Path(folder)
    stopping = None
    if development:
        vocabs = (translator.source_vocab, translator.target_vocab)
        unseen = make_batches(encode_pairs(development, *vocabs), 256, seed)
        best = folder / "best.pt" if folder else None
        stopping = EarlyStopping(
            translator.model,
            unseen(0),
            every,
            patience,
            best,
            writes=fabric.is_global_zero,
        )

    def batches(epoch: int) -> Iterable[Batch]:
        for batch in make_batches(encoded(epoch), recipe.batch_size, seed)(epoch):
            yield rows_of(batch, fabric.global_rank, fabric.world_size)

    losses = train(
        translator.model,
        translation_loss(recipe.label_smoothing, fabric),
        batches,
        config,
        fabric=fabric,
        checkpoint=folder / "training.pt" if folder else None,
        progress=progress,
        after_step=stopping,
        elapsed=clock() - began,
        clock=clock,
    )
    if stopping is not None and keep_best:
        stopping.restore()
    translator.model.eval()
    history = stopping.history if stopping else []
    return Fitted(translator, losses, history, clock() - began)
