"""A training loop to be read: seeds, progress, clipping, schedules, and checkpoints that survive a power cut.

Lightning Fabric does the plumbing (devices, precision, several processes); the loop itself is in plain sight.
"""

import math
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any, cast

from torch import Tensor, nn
from tqdm.auto import tqdm

from attnbook.checks import check_positive
from attnbook.reproducible import device_of
from attnbook.training.checkpoint import random_state, set_random_state
from attnbook.training.config import Progress, TrainConfig
from attnbook.training.processes import average, fraction, make_fabric, together
from attnbook.training.run import Run
from attnbook.training.watching import reader_waits, watcher

if TYPE_CHECKING:
    from lightning_fabric import Fabric


def train(
    model: nn.Module,
    loss_fn: Callable[[Any, Any], Tensor],
    batches: Callable[[int], Iterable],
    config: TrainConfig,
    *,
    fabric: "Fabric | None" = None,
    checkpoint: str | Path | None = None,
    progress: bool | None = None,
    after_step: Callable[[Progress], bool | None] | None = None,
    elapsed: float = 0.0,
    clock: Callable[[], float] = perf_counter,
) -> list[float]:
    """Train a model; the same seed and number of steps give the same losses, also across an interruption.

    Args:
        model: changed in place, on the fabric's device; without a fabric it comes back to its own when it is done.
        loss_fn: (model, batch) → a scalar to be made smaller. Where it fails in one process, the others end, too; what
            it waits for in other processes has to come before what may fail.
        batches: epoch number → the batches of that epoch, the same for the same number; they are moved to the model's
            device.
        config: how to train.
        fabric: Lightning Fabric, already launched; one on `best_device()` if not given.
        checkpoint: a file to save to and, if it exists, to resume from.
        progress: show a progress bar; by default in a notebook, if the training takes more than two seconds.
        after_step: called with the progress after every step, and once when a training is resumed; the training stops
            when it returns True, in one process at least.
        elapsed: seconds that were spent before the call and belong to `config.seconds`; a resumed training takes them
            from the checkpoint.
        clock: tells the seconds, by default those on the wall; `time.process_time` counts the processor's.

    Returns:
        The loss of every step, resumed ones included, averaged over the processes. The model is left in training mode.

    Raises:
        CheckpointError: a damaged checkpoint, one of another configuration or of another number of processes, one
            that some of the processes do not see, or a configuration that a checkpoint cannot hold, such as a function;
            the model is left as it was.
        OtherProcessError: another process has failed.
        FloatingPointError: the loss or the gradient became NaN or infinite; the last checkpoint is kept.
        ValueError: no length, an epoch without batches, a loss that is not a scalar, or an impossible `elapsed`.
    """
    check_positive("elapsed", elapsed, or_zero=True)
    home = device_of(model)
    run = Run(model, config, fabric or make_fabric(), elapsed, clock)
    try:
        return _train(run, loss_fn, batches, checkpoint, progress, after_step)
    finally:
        if fabric is None:
            model.to(home)


def _train(
    run: Run,
    loss_fn: Callable[[Any, Any], Tensor],
    batches: Callable[[int], Iterable],
    checkpoint: str | Path | None,
    progress: bool | None,
    after_step: Callable[[Progress], bool | None] | None,
) -> list[float]:
    fabric, config, losses = run.fabric, run.config, run.losses
    model, optimizer = fabric.setup(run.model, run.optimizer)  # on the fabric's device
    model.train()
    stream, watch = _endless(batches), watcher()

    def stops(here: Progress) -> bool:
        """Show a step to who watches; one process's wish to stop is all processes'."""

        def wishes_to_stop() -> bool:
            if watch is not None:
                watch(losses, min(1.0, here.now / run.length))
            return after_step is not None and bool(after_step(here))

        return fraction(fabric, together(fabric, wishes_to_stop)) > 0

    stop, now = False, run.now()
    if checkpoint is not None:
        run.check_can_be_saved()
    if checkpoint is not None and run.is_stored(checkpoint):
        run.resume(checkpoint, stream)
        now = run.now()
        here = Progress(len(losses), now, now, last=now >= run.length)
        drawn = random_state()
        stop = bool(losses) and stops(here)
        set_random_state(drawn)  # it was saved after what this step has drawn

    with _bar(run, progress) as bar:
        while now < run.length and not stop:
            loss = together(fabric, lambda: loss_fn(model, fabric.to_device(next(stream))))
            # of all processes: one that stopped alone would leave the others waiting
            mean = average(fabric, loss.detach())
            _check_finite("loss", mean, len(losses))
            optimizer.zero_grad()
            fabric.backward(loss)
            norm = fabric.clip_gradients(
                model,
                optimizer,
                max_norm=math.inf if config.clip is None else config.clip,  # ∞ clips nothing
                error_if_nonfinite=False,
            )
            # None is for clipping by value
            _check_finite("gradient's norm", cast(Tensor, norm), len(losses))
            optimizer.step()
            run.schedule.step()
            losses.append(float(mean))
            bar.update()
            bar.set_postfix(loss=f"{losses[-1]:.3f}")

            before, now = now, run.now()
            here = Progress(len(losses), before, now, last=now >= run.length)
            # before the checkpoint, so that both know of the same evaluations
            stop = stops(here)
            due = stop or here.last or here.passed(config.checkpoint_every)
            if checkpoint is not None and due:
                run.save(checkpoint)
    return losses


def _endless(batches: Callable[[int], Iterable]) -> Iterator:
    """Epoch after epoch of batches."""
    epoch = 0
    while True:
        empty = True
        for batch in batches(epoch):
            empty = False
            yield batch
        if empty:
            raise ValueError(f"epoch {epoch} has no batches; the data is smaller than one batch")
        epoch += 1


def _bar(run: Run, progress: bool | None) -> "tqdm[Any]":
    """The progress bar; by default one for a reader who waits, gone when the training is done."""
    fleeting = {"delay": 2, "leave": False} if progress is None else {}
    visible = reader_waits() if progress is None else progress
    return tqdm(
        total=run.config.steps,
        initial=len(run.losses),
        disable=not visible or not run.fabric.is_global_zero,
        **fleeting,
    )


def _check_finite(what: str, value: Tensor, step: int) -> None:
    if value.dim():
        raise ValueError(f"the {what} must be a scalar, got shape {tuple(value.shape)}; take its mean or its sum")
    if not value.isfinite():
        raise FloatingPointError(
            f"the {what} is {value.item()} at step {step}; lower the learning rate, or look for a division by zero"
        )
