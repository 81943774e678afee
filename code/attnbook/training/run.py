"""One training: its optimizer, its clock, its losses, and the checkpoint from which it goes on."""

from collections.abc import Callable, Iterator
from dataclasses import asdict, is_dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import torch
from torch import nn
from torch.optim.lr_scheduler import LambdaLR

from attnbook.reproducible import seed_everything
from attnbook.training.checkpoint import (
    CheckpointError,
    check_plain,
    check_same_config,
    load_checkpoint,
    random_state,
    resume,
    save_checkpoint,
    set_random_state,
)
from attnbook.training.config import TrainConfig
from attnbook.training.processes import fraction, of_each, together

if TYPE_CHECKING:
    from lightning_fabric import Fabric


class Run:
    """What changes while a model is trained.

    Args:
        model: the model.
        config: how to train it. All processes begin with its seed, so that dropout drops the same units in each.
        fabric: already launched.
        elapsed: seconds that were spent before.
        clock: tells the seconds.

    Attributes:
        length: in steps or in seconds.
        losses: of every step so far.
        optimizer, schedule: of the model.

    Raises:
        ValueError: a config without a length.
    """

    def __init__(
        self, model: nn.Module, config: TrainConfig, fabric: "Fabric", elapsed: float, clock: Callable[[], float]
    ):
        self.model, self.config, self.fabric = model, config, fabric
        self.length, self.losses = config.length, list[float]()
        self.by_clock = config.steps is None
        self.clock, self.began = clock, clock() - elapsed
        seed_everything(config.seed)
        self.optimizer = torch.optim.AdamW(
            model.parameters(), lr=config.lr, betas=config.betas, weight_decay=config.weight_decay
        )
        self.schedule = LambdaLR(
            self.optimizer, lambda step: config.factor(step, self.spent() if self.by_clock else 0.0)
        )

    def spent(self) -> float:
        """The seconds so far, by one clock for all processes."""
        return self.fabric.broadcast(self.clock() - self.began)

    def now(self) -> float:
        """How far the training is: in steps, or in seconds where the length is given in seconds."""
        return self.spent() if self.by_clock else len(self.losses)

    def check_can_be_saved(self) -> None:
        """Require configurations that can be read again from a checkpoint, before anything is trained for one."""
        check_plain("the model's configuration", _sizes(self.model))
        check_plain("the training's configuration", _lasting(self.config))

    def save(self, path: str | Path) -> None:
        """Write a checkpoint; of several processes, one does."""
        state = {
            "model": self.model.state_dict(),
            "optimizer": self.optimizer.state_dict(),
            "schedule": self.schedule.state_dict(),
            "losses": self.losses,
            "elapsed": self.clock() - self.began,
            "random": of_each(self.fabric, random_state()),
            "model_config": _sizes(self.model),
            "train_config": _lasting(self.config),
        }

        def write() -> None:
            if self.fabric.is_global_zero:
                save_checkpoint(path, state)

        together(self.fabric, write)

    def is_stored(self, path: str | Path) -> bool:
        """Whether there is a checkpoint; all processes have to agree, or they would not be in step."""
        exists = together(self.fabric, lambda: Path(path).exists())
        part = fraction(self.fabric, exists)
        if 0 < part < 1:
            raise CheckpointError(f"{path} is not on all machines; take a folder that they share")
        return part == 1

    def resume(self, path: str | Path, stream: Iterator) -> None:
        """Go on from a checkpoint.

        Args:
            path: the checkpoint; one of another model or training is refused before a weight has changed.
            stream: the batches, from the first one on.
        """
        state = together(self.fabric, lambda: self._checkpoint(path))
        resume(path, state, self.model, self.optimizer, self.schedule)
        self.losses += state["losses"]

        def skip() -> None:
            for _ in self.losses:
                next(stream)  # these batches have been seen

        together(self.fabric, skip)
        set_random_state(state["random"][self.fabric.global_rank])
        self.began = self.clock() - state["elapsed"]

    def _checkpoint(self, path: str | Path) -> dict:
        """A checkpoint of this model and this training."""
        state = load_checkpoint(path, _sizes(self.model))
        check_same_config(path, state["train_config"], _lasting(self.config))
        stored, own = (
            {name: tuple(weight.shape) for name, weight in weights.items()}
            for weights in (state["model"], self.model.state_dict())
        )
        check_same_config(path, stored, own)
        done, most = len(state["losses"]), self.config.steps
        if most is not None and done > most:
            raise CheckpointError(
                f"{path} has already trained for {done} steps, more than the {most} wanted; take another file"
            )
        there, here = len(state["random"]), self.fabric.world_size
        if there != here:
            raise CheckpointError(
                f"{path} is of a training in {there} processes, this one has {here}; start {there}, or take another"
                " file"
            )
        return state


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
