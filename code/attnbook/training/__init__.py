"""Training: one loop on one device or several, learning-rate schedules, and checkpoints that resume exactly."""

from attnbook.training.checkpoint import (
    CheckpointError,
    check_same_config,
    load_checkpoint,
    random_state,
    read_archive,
    resume,
    save_checkpoint,
    set_random_state,
)
from attnbook.training.config import Progress, TrainConfig
from attnbook.training.loop import train
from attnbook.training.modes import device_of, evaluating
from attnbook.training.processes import OtherProcessError, make_fabric, together
from attnbook.training.rebuilding import rebuilt, settings
from attnbook.training.schedules import (
    noam_factor,
    warmup_cosine,
    warmup_cosine_factor,
)
from attnbook.training.watching import watched

__all__ = [
    "noam_factor",
    "warmup_cosine",
    "warmup_cosine_factor",
    "TrainConfig",
    "Progress",
    "make_fabric",
    "together",
    "OtherProcessError",
    "train",
    "watched",
    "evaluating",
    "device_of",
    "save_checkpoint",
    "load_checkpoint",
    "CheckpointError",
    "read_archive",
    "check_same_config",
    "resume",
    "settings",
    "rebuilt",
    "random_state",
    "set_random_state",
]
