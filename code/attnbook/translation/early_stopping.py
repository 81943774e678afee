"""When to stop a training, and which weights to keep: by the loss on the development set."""

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import torch
from torch import nn

from attnbook.checks import check_count, check_positive
from attnbook.data import Batch
from attnbook.reproducible import device_of
from attnbook.training import (
    CheckpointError,
    Progress,
    evaluating,
    read_archive,
    save_checkpoint,
)
from attnbook.translation.losses import masked_cross_entropy


@torch.no_grad()
def development_loss(model: nn.Module, batches: Sequence[Batch]) -> float:
    """Mean negative log-likelihood per word on pairs that are not trained on, without smoothing and dropout.

    Args:
        model: a translator; it is evaluated on its own device, and its mode is left as it was.
        batches: of the development set.

    Returns:
        Nats per word.

    Raises:
        ValueError: no batches.
    """
    if not batches:
        raise ValueError("no batches to evaluate on; is the development set empty?")
    device = device_of(model)
    total = words = 0.0
    with evaluating(model):
        for batch in batches:
            batch = batch.to(device)
            logits = model(batch.source, batch.target_in, batch.source_lens)
            loss = masked_cross_entropy(logits, batch.target_out)
            total += float(loss) * batch.num_tokens
            words += batch.num_tokens
    return total / words


def _read_best(path: Path) -> tuple[list[tuple[int, float]], dict | None]:
    """The history and the best weights in a file."""
    stored = read_archive(path)
    try:
        history = [(int(step), float(loss)) for step, loss in stored["history"]]
        weights = stored["weights"]
        damaged = weights is not None and not all(
            map(torch.is_tensor, weights.values())
        )
    except (LookupError, AttributeError, TypeError, ValueError, OverflowError):
        damaged = True
    if damaged:
        raise CheckpointError(f"{path} is damaged; delete it to start anew")
    return history, weights


class EarlyStopping:
    """Evaluate the development loss now and then, keep the best weights, and stop when it no longer falls.

    Args:
        model: the model that is trained.
        batches: of the development set.
        every: steps between two evaluations, or seconds where the training's length is given in seconds; there is one
            more at the end.
        patience: how many evaluations without a new best until the training stops; None to never stop it.
        path: where the best weights and the history are kept, so that a resumed training knows them; None for memory.
        writes: write there; of several processes, one does.
        loss: (model, batches) → the loss; `development_loss` if not given.

    Attributes:
        history: (steps, development loss) of every evaluation.

    Source:
        Prechelt (1998), early stopping — but when?
    """

    def __init__(
        self,
        model: nn.Module,
        batches: Iterable[Any],
        every: float,
        patience: int | None = None,
        path: str | Path | None = None,
        *,
        writes: bool = True,
        loss: Callable[[Any, list], float] | None = None,
    ):
        check_positive("every", every)
        if patience is not None:
            check_count("patience", patience)
        self.model, self.batches, self.every = model, list(batches), every
        self.patience, self.path = patience, None if path is None else Path(path)
        self.writes, self.loss = writes, loss
        self.history: list[tuple[int, float]] = []
        self.weights: dict | None = None
        if self.path is not None and self.path.exists():
            self.history, self.weights = _read_best(self.path)

    @property
    def best(self) -> float:
        """The lowest development loss so far."""
        return min((loss for _, loss in self.history), default=float("inf"))

    def __call__(self, progress: Progress) -> bool:
        """Evaluate, if it is time.

        Args:
            progress: how far training has come.

        Returns:
            Whether to stop.
        """
        # a training that was killed goes on from an earlier step, and evaluates again what came after that
        self.history = [entry for entry in self.history if entry[0] <= progress.step]
        evaluated = self.history and self.history[-1][0] == progress.step
        if (progress.passed(self.every) or progress.last) and not evaluated:
            self._evaluate(progress.step)
        return self.exhausted

    def _evaluate(self, step: int) -> None:
        loss = (self.loss or development_loss)(self.model, self.batches)
        better = loss < self.best
        self.history.append((step, loss))
        if better:
            state = self.model.state_dict()
            self.weights = {k: v.detach().clone() for k, v in state.items()}
        if self.path is not None and self.writes:
            stored = {"history": self.history, "weights": self.weights}
            save_checkpoint(self.path, stored)

    @property
    def exhausted(self) -> bool:
        """Whether the last `patience` evaluations were all no better than the best one before them."""
        if self.patience is None or len(self.history) <= self.patience:
            return False
        earlier = min(loss for _, loss in self.history[: -self.patience])
        return all(loss >= earlier for _, loss in self.history[-self.patience :])

    def restore(self) -> None:
        """Give the model the best weights; a CheckpointError if a file has brought those of another model."""
        if self.weights is not None:
            try:
                self.model.load_state_dict(self.weights)
            except RuntimeError as error:
                raise CheckpointError(
                    f"{self.path} holds the best weights of another model; delete it to start anew"
                ) from error
