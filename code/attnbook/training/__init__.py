"""Training: one loop on one device or several, learning-rate schedules, and checkpoints that resume exactly."""

from attnbook.training.checkpoint import CheckpointError, read_archive, save_checkpoint
from attnbook.training.config import Progress, TrainConfig
from attnbook.training.loop import train
from attnbook.training.modes import evaluating
from attnbook.training.processes import OtherProcessError, make_fabric, together
from attnbook.training.schedules import noam_factor
from attnbook.training.watching import watched

__all__ = [
    "noam_factor",
    "TrainConfig",
    "Progress",
    "make_fabric",
    "together",
    "OtherProcessError",
    "train",
    "watched",
    "evaluating",
    "save_checkpoint",
    "CheckpointError",
    "read_archive",
]
