"""A training loop to be read: seeds, progress, clipping, schedules, and checkpoints that survive a power cut.

Lightning Fabric does the plumbing (devices, precision, several processes); the loop itself is in plain sight.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass, is_dataclass
from pathlib import Path

import torch
from lightning_fabric import Fabric
from torch import Tensor, nn
from torch.optim.lr_scheduler import LambdaLR
from tqdm.auto import tqdm

from attnbook.checks import check_count, check_positive, check_probability
from attnbook.reproducible import seed_everything
from attnbook.training.checkpoint import (
    CheckpointError,
    check_same_config,
    load_checkpoint,
    random_state,
    resume,
    save_checkpoint,
    set_random_state,
)
from attnbook.training.schedules import noam_factor, warmup_cosine_factor


@dataclass(frozen=True)
class TrainConfig:
    """How to train.

    Attributes:
        steps: updates in all.
        lr: the learning rate that the schedule's factor multiplies.
        clip: the greatest gradient norm, or None.
        seed: for Python's, NumPy's and PyTorch's random numbers.
        schedule: "constant", "warmup-cosine" or "noam".
        warmup: steps until the schedule's peak.
        d_model: for "noam".
        betas, weight_decay: AdamW's.
        checkpoint_every: steps between checkpoints; 0 for one at the end only.

    Raises:
        TypeError, ValueError: a number out of range, or an unknown schedule.
    """

    steps: int
    lr: float = 1e-3
    clip: float | None = 1.0
    seed: int = 0
    schedule: str = "constant"
    warmup: int = 0
    d_model: int = 0
    betas: tuple[float, float] = (0.9, 0.98)
    weight_decay: float = 0.0
    checkpoint_every: int = 0

    def __post_init__(self):
        check_count("steps", self.steps)
        check_positive("lr", self.lr)
        if self.clip is not None:
            check_positive("clip", self.clip)
        for name in ("seed", "warmup", "d_model", "checkpoint_every"):
            check_count(name, getattr(self, name), at_least=0)
        for beta in self.betas:
            check_probability("betas", beta)
        if self.weight_decay < 0:
            raise ValueError(
                f"weight_decay must be at least 0, got {self.weight_decay}"
            )
        if self.schedule not in ("constant", "warmup-cosine", "noam"):
            raise ValueError(
                f"schedule must be constant, warmup-cosine or noam, got {self.schedule!r}"
            )
        if self.schedule == "noam" and not (self.d_model > 0 and self.warmup > 0):
            raise ValueError("the noam schedule needs d_model and warmup, both above 0")

    def factor(self, step: int) -> float:
        """What the learning rate is multiplied by at a step.

        Args:
            step: 0, 1, 2, ….

        Returns:
            The factor.
        """
        if self.schedule == "noam":
            return noam_factor(step, self.d_model, self.warmup)
        if self.schedule == "warmup-cosine":
            return warmup_cosine_factor(step, self.warmup, self.steps)
        return 1.0


def _sizes(model: nn.Module) -> dict:
    """The model's configuration, where it has one."""
    config = getattr(model, "config", None)
    return asdict(config) if is_dataclass(config) else {}


def _lasting(config: TrainConfig) -> dict:
    """What a continued training may not change: all but how often it is saved and, mostly, how long it is."""
    free = {"checkpoint_every"}
    if config.schedule != "warmup-cosine":  # where every step depends on the last
        free.add("steps")
    return {k: v for k, v in asdict(config).items() if k not in free}


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
    if done > config.steps:
        raise CheckpointError(
            f"{path} has gone {done} steps already, further than the {config.steps} wanted; take another file"
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
    loss_fn: Callable[[nn.Module, object], Tensor],
    batches: Callable[[int], Iterable],
    config: TrainConfig,
    fabric: Fabric | None = None,
    checkpoint: str | Path | None = None,
    progress: bool = False,
    after_step: Callable[[int], bool] | None = None,
) -> list[float]:
    """Train a model; the same seed gives the same losses, also across an interruption.

    Args:
        model: changed in place.
        loss_fn: (model, batch) → a scalar to be made smaller.
        batches: epoch number → the batches of that epoch, the same for the same number.
        config: how to train.
        fabric: Lightning Fabric, already launched; one on the CPU if not given.
        checkpoint: a file to save to and, if it exists, to resume from.
        progress: show a progress bar.
        after_step: called with the number of steps done, and again with the same number when a training goes on; the
            training stops when it returns True.

    Returns:
        The loss of every step, resumed ones included, averaged over the processes. The model is left in training mode.

    Raises:
        CheckpointError: a damaged checkpoint, or one of another configuration; the model is left as it was.
        FloatingPointError: the loss or the gradient became NaN or infinite; the last checkpoint is kept.
        ValueError: an epoch without batches, or a loss that is not a scalar.
    """
    fabric = fabric or Fabric(accelerator="cpu", devices=1)
    seed_everything(config.seed)
    optimizer = torch.optim.AdamW(
        model.parameters(),
        lr=config.lr,
        betas=config.betas,
        weight_decay=config.weight_decay,
        fused=fabric.device.type == "cpu" or None,  # one pass over the weights
    )
    schedule = LambdaLR(optimizer, config.factor)
    wrapped, stepper = fabric.setup(model, optimizer)  # on the fabric's device
    wrapped.train()

    losses: list[float] = []
    stream = _endless(batches)
    if checkpoint is not None and Path(checkpoint).exists():
        state = _checkpoint_for(checkpoint, model, config)
        resume(checkpoint, state, model, optimizer, schedule)
        losses += state["losses"]
        for _ in losses:
            next(stream)  # these batches have been seen
        set_random_state(state["random"])

    quiet = not progress or not fabric.is_global_zero
    stop = bool(losses) and after_step is not None and after_step(len(losses))
    with tqdm(total=config.steps, initial=len(losses), disable=quiet) as bar:
        while len(losses) < config.steps and not stop:
            loss = loss_fn(wrapped, next(stream))
            _check_finite("loss", loss, len(losses))
            stepper.zero_grad()
            fabric.backward(loss)
            if config.clip is not None:
                norm = fabric.clip_gradients(
                    wrapped, stepper, max_norm=config.clip, error_if_nonfinite=False
                )
                _check_finite("gradient's norm", norm, len(losses))
            stepper.step()
            schedule.step()
            losses.append(float(fabric.all_reduce(loss.detach(), reduce_op="mean")))
            bar.update()
            bar.set_postfix(loss=f"{losses[-1]:.3f}")

            step, every = len(losses), config.checkpoint_every
            # before the checkpoint: what a checkpoint contains has been looked at
            stop = after_step is not None and after_step(step)
            due = stop or step == config.steps or (every and step % every == 0)
            if checkpoint is not None and due and fabric.is_global_zero:
                state = {
                    "model": model.state_dict(),
                    "optimizer": optimizer.state_dict(),
                    "schedule": schedule.state_dict(),
                    "losses": losses,
                    "random": random_state(),
                    "model_config": _sizes(model),
                    "train_config": _lasting(config),
                }
                save_checkpoint(checkpoint, state)
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
