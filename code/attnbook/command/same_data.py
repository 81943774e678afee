"""A training goes on with the data that it began with."""

import hashlib
from pathlib import Path

from attnbook.files import write_atomically
from attnbook.training import CheckpointError


def check_same_data(out: Path, text: str) -> None:
    """Refuse to resume with data other than what training began with; the first time, mark the folder.

    Args:
        out: the training's folder.
        text: the data.

    Raises:
        CheckpointError: the folder holds a training on other data.
    """
    mark = hashlib.sha256(text.encode()).hexdigest()
    stored = out / "data.sha256"
    if not stored.exists():
        write_atomically(stored, mark + "\n")
    elif stored.read_text("utf-8").strip() != mark:
        raise CheckpointError(
            f"{out} holds a training run on other data; take another folder, or the same data and seed"
        )
