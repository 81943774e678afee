"""How to train: the configuration that the loop reads, and the progress of training."""

import math
from dataclasses import dataclass

from attnbook.checks import check_choice, check_count, check_positive, check_probability
from attnbook.training.schedules import noam_factor, warmup_cosine, warmup_cosine_factor

SCHEDULES = ("constant", "warmup-cosine", "noam")


@dataclass(frozen=True)
class TrainConfig:
    """How to train. The length is a number of steps or of seconds; a recipe leaves both open.

    Attributes:
        steps: updates in all; or
        seconds: how long, the clock running on through everything that happens between two steps. The schedule then
            follows the clock, so that it is completed however fast the machine is.
        lr: the learning rate that the schedule's factor multiplies.
        clip: the largest gradient norm, or None.
        seed: for Python's, NumPy's and PyTorch's random numbers.
        schedule: "constant", "warmup-cosine" or "noam".
        warmup: steps until the schedule's peak; or
        warmup_fraction: the same as a fraction of the training's length.
        d_model: for "noam".
        betas, weight_decay: AdamW's.
        checkpoint_every: steps between checkpoints, or seconds where the length is given in seconds; 0 for one at the
            end only.

    Raises:
        TypeError, ValueError: a number out of range, an unknown schedule, or settings that exclude each other.
    """

    steps: int | None = None
    lr: float = 1e-3
    clip: float | None = 1.0
    seed: int = 0
    schedule: str = "constant"
    warmup: int = 0
    d_model: int = 0
    betas: tuple[float, float] = (0.9, 0.98)
    weight_decay: float = 0.0
    checkpoint_every: float = 0
    seconds: float | None = None
    warmup_fraction: float = 0.0

    def __post_init__(self) -> None:
        if self.steps is not None:
            check_count("steps", self.steps)
        if self.seconds is not None:
            check_positive("seconds", self.seconds)
        check_positive("lr", self.lr)
        if self.clip is not None:
            check_positive("clip", self.clip)
        for name in ("seed", "warmup", "d_model"):
            check_count(name, getattr(self, name), at_least=0)
        if not isinstance(self.betas, tuple):
            raise TypeError(f"betas must be a tuple of two numbers, got {type(self.betas).__name__}")
        if len(self.betas) != 2:
            raise ValueError(f"betas must be two numbers, got {self.betas}")
        for beta in self.betas:
            check_probability("betas", beta)
        check_probability("warmup_fraction", self.warmup_fraction)
        for name in ("weight_decay", "checkpoint_every"):
            check_positive(name, getattr(self, name), or_zero=True)
        self._check_together()

    def _check_together(self) -> None:
        check_choice("schedule", self.schedule, SCHEDULES)
        if None not in (self.steps, self.seconds):
            raise ValueError("pass steps or seconds, not both")
        if self.warmup and self.warmup_fraction:
            raise ValueError("pass warmup or warmup_fraction, not both")
        if self.schedule == "constant" and (self.warmup or self.warmup_fraction):
            raise ValueError("a constant learning rate has no warm-up: pass schedule='warmup-cosine', or no warmup")
        if self.schedule == "warmup-cosine" and self.warmup > (self.steps or math.inf):
            raise ValueError(
                f"warmup must be at most steps, {self.steps}, got {self.warmup}: the training would end before its peak"
            )
        if self.schedule == "noam" and not (self.d_model > 0 and self.warmup > 0):
            raise ValueError("the noam schedule needs d_model and warmup, both above 0")
        by_clock = self.seconds is not None and self.schedule == "warmup-cosine"
        if by_clock and self.warmup:
            raise ValueError(
                "a schedule that follows the clock warms up for a fraction of it: pass warmup_fraction, not warmup"
            )

    @property
    def length(self) -> float:
        """The training's length, in steps or in seconds.

        Raises:
            ValueError: neither is given.
        """
        length = self.seconds if self.steps is None else self.steps
        if length is None:
            raise ValueError("how long to train? pass steps or seconds")
        return length

    def factor(self, step: int, elapsed: float = 0.0) -> float:
        """What the learning rate is multiplied by at a step.

        Args:
            step: 0, 1, 2, ….
            elapsed: seconds since the training began; only a length in seconds needs them.

        Returns:
            The factor.
        """
        if self.schedule == "noam":
            return noam_factor(step, self.d_model, self.warmup)
        if self.schedule == "constant":
            return 1.0
        if self.seconds is not None:
            return warmup_cosine(elapsed / self.seconds, self.warmup_fraction)
        steps = int(self.length)
        warmup = self.warmup or int(self.warmup_fraction * steps)
        return warmup_cosine_factor(step, warmup, steps)


@dataclass(frozen=True)
class Progress:
    """How far training has come after a step.

    Attributes:
        step: updates done.
        before, now: how far it was one step ago, and how far it is: in steps, or in seconds where the length is given
            in seconds.
        last: whether the length is reached.
    """

    step: int
    before: float
    now: float
    last: bool = False

    def passed(self, every: float) -> bool:
        """Whether the last step has reached or passed a multiple of `every`."""
        return bool(every) and self.now // every > self.before // every
