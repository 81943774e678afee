"""A training loop to be read: seeds, progress, clipping, schedules, and checkpoints that survive a power cut.

Lightning Fabric does the plumbing (devices, precision, several processes); the loop itself is in plain sight.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, is_dataclass
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any, TypeVar, cast

import torch
from torch import Tensor, nn
from torch.optim.lr_scheduler import LambdaLR
from tqdm.auto import tqdm

from attnbook.reproducible import best_device, seed_everything
from attnbook.training.checkpoint import (
    CheckpointError,
    check_same_config,
    load_checkpoint,
    random_state,
    resume,
    save_checkpoint,
    set_random_state,
)
from attnbook.training.config import Progress, TrainConfig
from attnbook.training.modes import device_of
from attnbook.training.watching import reader_waits, watcher

if (
    TYPE_CHECKING
):  # importing Fabric takes seconds, so it waits until something is trained
    from lightning_fabric import Fabric

T = TypeVar("T")


FLEETING = {"delay": 2, "leave": False}


def make_fabric(devices: int = 1, nodes: int = 1) -> "Fabric":
    """Lightning Fabric for the best device, or for several of its kind.

    Args:
        devices: processes on each machine.
        nodes: machines.

    Returns:
        A Fabric that is not launched yet; with one process it need not be.

    Raises:
        ValueError: `ATTNBOOK_DEVICE` names a device that is not there, see `best_device`; or one device by its number
            although several are wanted.
    """
    from lightning_fabric import Fabric

    device, several = best_device(), devices * nodes > 1
    if device.index is None:
        wanted = devices
    elif several:
        raise ValueError(
            f"ATTNBOOK_DEVICE is {device}, a single device, but {devices} × {nodes} are wanted; set it to {device.type}"
        )
    else:
        wanted = [device.index]
    strategy = "ddp" if several else "auto"
    return Fabric(
        accelerator=device.type, devices=wanted, num_nodes=nodes, strategy=strategy
    )


def average(fabric: "Fabric", value: Tensor) -> Tensor:
    """The mean of each process's value."""
    # a copy, since Fabric reduces in place; it also takes dicts and lists, so the type that it returns is open
    return cast(Tensor, fabric.all_reduce(value.clone(), reduce_op="mean"))


class OtherProcessError(RuntimeError):
    """Another process of this training has failed, so that this one cannot go on."""


def together(fabric: "Fabric", action: Callable[[], T]) -> T:
    """Do what may fail in some processes only, and let all learn of it: the others would wait for them for ever.

    Args:
        fabric: already launched; each of its processes calls this.
        action: what to do. It must not wait for other processes itself.

    Returns:
        What the action returns in this process.

    Raises:
        Exception: what the action raised in this process.
        OtherProcessError: the action failed, but in others only.
    """
    if fabric.world_size == 1:
        return action()
    failure = None
    try:
        result = action()
    except Exception as error:
        failure = error
    failed = torch.tensor(float(failure is not None), device=fabric.device)
    part = float(average(fabric, failed))
    if failure is not None:
        raise failure
    if part:
        raise OtherProcessError(
            "another process of this training has failed, and its message says why; this one ends, too"
        )
    return result


def _sizes(model: nn.Module) -> dict:
    """The model's configuration, where it has one."""
    config = getattr(model, "config", None)
    if is_dataclass(config) and not isinstance(config, type):
        return asdict(config)
    return {}


def _lasting(config: TrainConfig) -> dict:
    """What a resumed training may not change: all but how often it is saved and, mostly, how long it is."""
    free = {"checkpoint_every"}
    if config.schedule != "warmup-cosine":  # whose every step depends on the length
        free |= {"steps", "seconds"}
    return {k: v for k, v in asdict(config).items() if k not in free}


def _is_there(checkpoint: str | Path, fabric: "Fabric") -> bool:
    """Whether there is a checkpoint to resume from; all processes have to agree, or they would not be in step."""
    here = torch.tensor(float(Path(checkpoint).exists()), device=fabric.device)
    part = float(average(fabric, here))
    if 0 < part < 1:
        raise CheckpointError(
            f"{checkpoint} is not on all machines; take a folder that they share"
        )
    return part == 1


def _checkpoint_for(path: str | Path, model: nn.Module, config: TrainConfig) -> dict:
    """A checkpoint of this model and this training; anything else is refused before a weight has changed."""
    state = load_checkpoint(path, _sizes(model))
    check_same_config(path, state["train_config"], _lasting(config))
    stored, wanted = (
        {name: tuple(weight.shape) for name, weight in weights.items()}
        for weights in (state["model"], model.state_dict())
    )
    check_same_config(path, stored, wanted)
    done = len(state["losses"])
    if config.steps is not None and done > config.steps:
        raise CheckpointError(
            f"{path} has already trained for {done} steps, more than the {config.steps} wanted; take another file"
        )
    return state


def _endless(batches: Callable[[int], Iterable]) -> Iterator:
    """Epoch after epoch of batches."""
    epoch = 0
    while True:
        empty = True
        for batch in batches(epoch):
            empty = False
            yield batch
        if empty:
            raise ValueError(
                f"epoch {epoch} has no batches; the data is smaller than one batch"
            )
        epoch += 1


def train(
    model: nn.Module,
    loss_fn: Callable[[Any, Any], Tensor],
    batches: Callable[[int], Iterable],
    config: TrainConfig,
    fabric: "Fabric | None" = None,
    checkpoint: str | Path | None = None,
    progress: bool | None = None,
    after_step: Callable[[Progress], bool | None] | None = None,
    elapsed: float = 0.0,
) -> list[float]:
    """Train a model; the same seed and number of steps give the same losses, also across an interruption.

    Args:
        model: changed in place, on the fabric's device; without a fabric it comes back to its own when it is done.
        loss_fn: (model, batch) → a scalar to be made smaller.
        batches: epoch number → the batches of that epoch, the same for the same number; they are moved to the model's
            device.
        config: how to train.
        fabric: Lightning Fabric, already launched; one on `best_device()` if not given.
        checkpoint: a file to save to and, if it exists, to resume from.
        progress: show a progress bar; by default in a notebook, if the training takes more than two seconds.
        after_step: called with the progress after every step, and once when a training is resumed; the training stops
            when it returns True.
        elapsed: seconds that were spent before the call and belong to `config.seconds`; a resumed training takes them
            from the checkpoint.

    Returns:
        The loss of every step, resumed ones included, averaged over the processes. The model is left in training mode.

    Raises:
        CheckpointError: a damaged checkpoint, one of another configuration, or one that some of the processes do not
            see; the model is left as it was.
        OtherProcessError: another process has failed.
        FloatingPointError: the loss or the gradient became NaN or infinite; the last checkpoint is kept.
        ValueError: no length, an epoch without batches, or a loss that is not a scalar.
    """
    if fabric is None:
        home = device_of(model)
        try:
            return train(
                model,
                loss_fn,
                batches,
                config,
                make_fabric(),
                checkpoint,
                progress,
                after_step,
                elapsed,
            )
        finally:
            model.to(home)
    length = config.length
    began = perf_counter() - elapsed

    def spent() -> float:  # one clock for all processes
        return fabric.broadcast(perf_counter() - began)

    def look(here: Progress) -> bool:
        return after_step is not None and together(
            fabric, lambda: bool(after_step(here))
        )

    def save() -> None:
        if checkpoint is None or not fabric.is_global_zero:
            return
        state = {
            "model": model.state_dict(),
            "optimizer": optimizer.state_dict(),
            "schedule": schedule.state_dict(),
            "losses": losses,
            "elapsed": perf_counter() - began,
            "random": random_state(),
            "model_config": _sizes(model),
            "train_config": _lasting(config),
        }
        save_checkpoint(checkpoint, state)

    by_clock = config.steps is None
    seed_everything(config.seed)
    optimizer = torch.optim.AdamW(
        model.parameters(),
        lr=config.lr,
        betas=config.betas,
        weight_decay=config.weight_decay,
    )
    schedule = LambdaLR(
        optimizer, lambda step: config.factor(step, spent() if by_clock else 0.0)
    )
    wrapped, stepper = fabric.setup(model, optimizer)  # on the fabric's device
    wrapped.train()

    losses: list[float] = []
    stream = _endless(batches)
    stop, now = False, spent() if by_clock else 0
    if checkpoint is not None and _is_there(checkpoint, fabric):
        state = together(fabric, lambda: _checkpoint_for(checkpoint, model, config))
        resume(checkpoint, state, model, optimizer, schedule)
        losses += state["losses"]
        for _ in losses:
            next(stream)  # these batches have been seen
        set_random_state(state["random"])
        began = perf_counter() - state["elapsed"]
        now = spent() if by_clock else len(losses)
        here = Progress(len(losses), now, now)
        stop = bool(losses) and look(here)

    looks = watcher()
    bar_options: dict[str, Any] = {"total": config.steps, "initial": len(losses)}
    if progress is None:  # a bar for whoever waits, gone when it is done
        progress, bar_options = reader_waits(), bar_options | FLEETING
    quiet = not progress or not fabric.is_global_zero
    with tqdm(**bar_options, disable=quiet) as bar:
        while now < length and not stop:
            loss = loss_fn(wrapped, fabric.to_device(next(stream)))
            # of all processes: one that stopped alone would leave the others waiting
            mean = average(fabric, loss.detach())
            _check_finite("loss", mean, len(losses))
            stepper.zero_grad()
            fabric.backward(loss)
            if config.clip is not None:
                norm = fabric.clip_gradients(
                    wrapped, stepper, max_norm=config.clip, error_if_nonfinite=False
                )
                # None is for clipping by value
                _check_finite("gradient's norm", cast(Tensor, norm), len(losses))
            stepper.step()
            schedule.step()
            losses.append(float(mean))
            bar.update()
            bar.set_postfix(loss=f"{losses[-1]:.3f}")

            before, now = now, spent() if by_clock else len(losses)
            here = Progress(len(losses), before, now)
            if looks is not None:
                looks(losses, min(1.0, now / length))
            # before the checkpoint, so that both know of the same evaluations
            stop = look(here)
            due = stop or now >= length or here.passed(config.checkpoint_every)
            if checkpoint is not None and due:
                together(fabric, save)
    return losses


def _check_finite(what: str, value: Tensor, step: int) -> None:
    if value.dim():
        raise ValueError(
            f"the {what} must be a scalar, got shape {tuple(value.shape)}; take its mean or its sum"
        )
    if not value.isfinite():
        raise FloatingPointError(
            f"the {what} is {value.item()} at step {step}; lower the learning rate, or look for a division by zero"
        )
