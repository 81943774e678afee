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
    write_text,
)
from attnbook.training.loop import TrainConfig, train
from attnbook.training.schedules import noam_factor, warmup_cosine_factor

__all__ = [
    "noam_factor",
    "warmup_cosine_factor",
    "TrainConfig",
    "train",
    "save_checkpoint",
    "load_checkpoint",
    "CheckpointError",
    "read_archive",
    "write_text",
    "check_same_config",
    "resume",
    "random_state",
    "set_random_state",
]
