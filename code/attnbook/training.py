"""A training loop to be read: seeds, progress, clipping, schedules, and checkpoints that survive a power cut.

Lightning Fabric does the plumbing (devices, precision, several processes); the loop itself is in plain sight.
"""

import math
import os
import random
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass, is_dataclass
from pathlib import Path

import numpy as np
import torch
from lightning_fabric import Fabric
from torch import Tensor, nn
from torch.optim.lr_scheduler import LambdaLR
from tqdm.auto import tqdm

from attnbook.checks import check_count, check_positive

__all__ = [
    "noam_factor",
    "warmup_cosine_factor",
    "TrainConfig",
    "train",
    "save_checkpoint",
    "load_checkpoint",
    "CheckpointError",
]


def noam_factor(step: int, d_model: int, warmup: int) -> float:
    """The paper's learning rate: linear warm-up, then falling with the square root of the step.

    Args:
        step: 0, 1, 2, …; the paper's step_num is step + 1.
        d_model: D.
        warmup: steps until the peak.

    Returns:
        d_model^(−1/2) · min(s^(−1/2), s · warmup^(−3/2)) with s = step + 1.

    Source:
        Vaswani et al. (2017), eq. 3.
    """
    check_count("warmup", warmup)
    s = step + 1
    return d_model**-0.5 * min(s**-0.5, s * warmup**-1.5)


def warmup_cosine_factor(
    step: int, warmup: int, total: int, floor: float = 0.0
) -> float:
    """Linear warm-up to 1, then half a cosine down to `floor`.

    Args:
        step: 0, 1, 2, ….
        warmup: steps until the peak; 0 for none.
        total: steps in all.
        floor: the factor at the end.

    Returns:
        A factor in (0, 1].

    Source:
        Loshchilov & Hutter (2017), arXiv:1608.03983, without restarts.
    """
    check_count("total", total)
    if step < warmup:
        return (step + 1) / warmup
    done = min(1.0, (step - warmup) / max(1, total - warmup))
    return floor + (1 - floor) * 0.5 * (1 + math.cos(math.pi * done))


@dataclass(frozen=True)
class TrainConfig:
    """How to train.

    Attributes:
        steps: updates in all.
        lr: the learning rate that the schedule's factor multiplies.
        clip: the greatest gradient norm, or None.
        seed: for everything random in the loop.
        schedule: "constant", "warmup-cosine" or "noam".
        warmup: steps until the schedule's peak.
        d_model: for "noam".
        betas, weight_decay: AdamW's.
        checkpoint_every: steps between checkpoints; 0 for none.
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


class CheckpointError(ValueError):
    """A checkpoint that cannot be used; the message says why and what to do."""


def _random_state() -> dict:
    state = {
        "python": random.getstate(),
        "numpy": np.random.get_state(),
        "torch": torch.get_rng_state(),
    }
    if torch.cuda.is_available():
        state["cuda"] = torch.cuda.get_rng_state_all()
    return state


def _set_random_state(state: dict) -> None:
    random.setstate(state["python"])
    np.random.set_state(state["numpy"])
    torch.set_rng_state(state["torch"])
    if "cuda" in state and torch.cuda.is_available():
        torch.cuda.set_rng_state_all(state["cuda"])


def save_checkpoint(path: str | Path, state: dict) -> None:
    """Write a checkpoint in one step: whoever looks finds the old one or the new one, never half of one.

    Args:
        path: where to.
        state: what `torch.save` can write.
    """
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with open(temporary, "wb") as file:
            torch.save(state, file)
            file.flush()
            os.fsync(file.fileno())  # on the disk before it gets its name
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


def load_checkpoint(path: str | Path, model_config: dict | None = None) -> dict:
    """Read a checkpoint, whole or not at all.

    Args:
        path: where from.
        model_config: the model's sizes; a checkpoint of other sizes is refused before anything is loaded.

    Returns:
        The state that was saved.

    Raises:
        FileNotFoundError: no such file.
        CheckpointError: the file is damaged, or belongs to a model of another configuration.
    """
    path = Path(path)
    if not path.is_file():
        raise FileNotFoundError(
            f"no checkpoint at {path}; train first, or pass another path"
        )
    try:
        state = torch.load(path, map_location="cpu", weights_only=False)
        stored = state["model_config"]
    except Exception as error:
        raise CheckpointError(
            f"{path} is not a whole checkpoint ({type(error).__name__}); delete it to start anew"
        ) from error
    if model_config is not None and stored != model_config:
        differing = sorted(
            k for k in {*stored, *model_config} if stored.get(k) != model_config.get(k)
        )
        what = ", ".join(
            f"{k}: {stored.get(k)} there, {model_config.get(k)} here" for k in differing
        )
        raise CheckpointError(
            f"{path} belongs to another configuration ({what}); make the model with its sizes"
        )
    return state


def _endless(batches: Callable[[int], Iterable], start: int) -> Iterator:
    """Epoch after epoch of batches, from the start-th batch on."""
    epoch, skipped = 0, 0
    while True:
        empty = True
        for batch in batches(epoch):
            empty = False
            if skipped < start:
                skipped += 1
                continue
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

    Returns:
        The loss of every step, resumed ones included.

    Raises:
        CheckpointError: a damaged checkpoint, or one of another configuration.
        FloatingPointError: the loss became NaN or infinite.
    """
    fabric = fabric or Fabric(accelerator="cpu", devices=1)
    model_config = (
        asdict(model.config) if is_dataclass(getattr(model, "config", None)) else {}
    )
    torch.manual_seed(config.seed)
    optimizer = torch.optim.AdamW(
        model.parameters(),
        lr=config.lr,
        betas=config.betas,
        weight_decay=config.weight_decay,
    )
    schedule = LambdaLR(optimizer, config.factor)
    losses: list[float] = []
    if checkpoint is not None and Path(checkpoint).exists():
        state = load_checkpoint(checkpoint, model_config)
        model.load_state_dict(state["model"])
        optimizer.load_state_dict(state["optimizer"])
        schedule.load_state_dict(state["schedule"])
        losses = list(state["losses"])
        _set_random_state(state["random"])
    wrapped, optimizer = fabric.setup(model, optimizer)
    wrapped.train()
    bar = tqdm(
        total=config.steps,
        initial=len(losses),
        disable=not progress or not fabric.is_global_zero,
    )
    stream = _endless(batches, start=len(losses))
    while len(losses) < config.steps:
        loss = loss_fn(wrapped, next(stream))
        if not torch.isfinite(loss):
            raise FloatingPointError(
                f"the loss is {loss.item()} at step {len(losses)}; lower the learning rate or clip gradients"
            )
        optimizer.zero_grad()
        fabric.backward(loss)
        if config.clip is not None:
            fabric.clip_gradients(wrapped, optimizer, max_norm=config.clip)
        optimizer.step()
        schedule.step()
        losses.append(loss.item())
        bar.update()
        bar.set_postfix(loss=f"{losses[-1]:.3f}")
        due = config.checkpoint_every and len(losses) % config.checkpoint_every == 0
        if (
            checkpoint is not None
            and fabric.is_global_zero
            and (due or len(losses) == config.steps)
        ):
            state = dict(
                model=model.state_dict(),
                optimizer=optimizer.state_dict(),
                schedule=schedule.state_dict(),
                losses=losses,
                random=_random_state(),
                model_config=model_config,
            )
            save_checkpoint(checkpoint, state)
    bar.close()
    return losses
