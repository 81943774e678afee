"""Checkpoints that survive a power cut, and that are safe to read."""

import io
import math
import random
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn

from attnbook.files import write_atomically

# what a checkpoint holds, and what each part is
PARTS = {
    "model": dict,
    "optimizer": dict,
    "schedule": dict,
    "losses": list,
    "elapsed": float,
    "random": list,  # of each process
    "model_config": dict,
    "train_config": dict,
}


class CheckpointError(ValueError):
    """A checkpoint that cannot be used; the message says why and what to do."""


def random_state() -> dict:
    """The state of Python's, NumPy's and PyTorch's random numbers, in plain numbers and tensors.

    Returns:
        What `set_random_state` takes.
    """
    kind, keys, *rest = np.random.get_state(legacy=True)  # noqa: NPY002 — libraries still use it
    state = {
        "python": random.getstate(),
        "numpy": (kind, np.asarray(keys).tolist(), *rest),
        "torch": torch.get_rng_state(),
    }
    if torch.cuda.is_available():
        state["cuda"] = torch.cuda.get_rng_state_all()
    if torch.backends.mps.is_available():
        state["mps"] = torch.mps.get_rng_state()
    return state


def set_random_state(state: dict) -> None:
    """Continue all random numbers from a stored state, on as many GPUs as it holds and there are.

    Args:
        state: from `random_state`.
    """
    random.setstate(state["python"])
    np.random.set_state(state["numpy"])  # noqa: NPY002
    torch.set_rng_state(state["torch"])
    if "cuda" in state and torch.cuda.is_available():
        for gpu in range(min(len(state["cuda"]), torch.cuda.device_count())):
            torch.cuda.set_rng_state(state["cuda"][gpu], gpu)
    if "mps" in state and torch.backends.mps.is_available():
        torch.mps.set_rng_state(state["mps"])


def save_checkpoint(path: str | Path, state: dict) -> None:
    """Write a checkpoint in one step: a reader finds the old one or the new one, never half of one.

    Args:
        path: where to; missing folders are made.
        state: tensors, numbers, texts, and lists, tuples and dicts of them.
    """
    whole = io.BytesIO()  # on a full disk torch.save would say nothing of the disk
    torch.save(state, whole)
    write_atomically(path, whole.getvalue())


def check_plain(what: str, config: dict) -> None:
    """Require a configuration that can be saved and read again.

    Args:
        what: whose it is, for the message.
        config: names and values.

    Raises:
        CheckpointError: a value that is more than numbers, texts, and lists of them, such as a function.
    """
    for name, value in config.items():
        whole = io.BytesIO()
        try:
            torch.save(value, whole)
            torch.load(io.BytesIO(whole.getvalue()), weights_only=True)
        except Exception as error:  # whatever pickling a stranger's class raises
            raise CheckpointError(
                f"{what} has {name} = {value!r:.60}, which a checkpoint cannot hold: numbers, texts and lists of them "
                "only; change it, or train without a checkpoint"
            ) from error


def read_archive(path: str | Path) -> dict:
    """Read what `save_checkpoint` wrote, whole or not at all. Nothing in the file is executed.

    Args:
        path: where from.

    Returns:
        What was saved.

    Raises:
        FileNotFoundError: no such file.
        CheckpointError: a folder, or the file is damaged, or holds more than plain data. It is left as it is.
    """
    path = Path(path)
    if path.is_dir():
        raise CheckpointError(f"{path} is a folder; name a file in it")
    if not path.is_file():
        raise FileNotFoundError(f"no checkpoint at {path}; train first, or pass another path")
    try:
        with zipfile.ZipFile(path) as archive:
            _check_bounds(archive, path.stat().st_size)
            if archive.testzip() is not None:  # torch.load compares no checksums
                raise zipfile.BadZipFile("a checksum differs")
        state = torch.load(path, map_location="cpu", weights_only=True)
        if not isinstance(state, dict):
            raise TypeError("no dict of parts")
        return state
    except Exception as error:  # of zip, of pickle, or a class that is not plain data
        raise CheckpointError(
            f"{path} is not a whole checkpoint ({type(error).__name__}); delete it to start anew"
        ) from error


def _check_bounds(archive: zipfile.ZipFile, size: int) -> None:
    """Require what `torch.save` writes: nothing is compressed, so nothing is larger than the file when it is read."""
    inside = archive.infolist()
    if any(one.compress_type != zipfile.ZIP_STORED for one in inside):
        raise zipfile.BadZipFile("a part is compressed")
    if sum(one.file_size for one in inside) > size:
        raise zipfile.BadZipFile("the parts are larger than the file")


def load_checkpoint(path: str | Path, model_config: dict | None = None) -> dict:
    """Read a checkpoint, whole or not at all. Nothing in the file is executed, so a stranger's file is safe to read.

    Args:
        path: where from.
        model_config: the model's sizes; a checkpoint of other sizes is refused.

    Returns:
        What was saved: model, optimizer, schedule, losses, elapsed (seconds), random (the state in each process),
        model_config, train_config.

    Raises:
        FileNotFoundError: no such file.
        CheckpointError: the file is damaged, or belongs to a model with another configuration. It is left as it is.
    """
    state = read_archive(path)
    absent = [part for part in PARTS if part not in state]
    if absent:
        raise CheckpointError(f"{path} is not a training checkpoint: it lacks {', '.join(absent)}")
    damaged = [part for part, kind in PARTS.items() if not isinstance(state[part], kind)]
    weights, losses = state["model"], state["losses"]
    if "model" not in damaged and not all(map(torch.is_tensor, weights.values())):
        damaged.append("model")
    if "losses" not in damaged and any(type(loss) is not float for loss in losses):
        damaged.append("losses")
    if "elapsed" not in damaged and not 0 <= state["elapsed"] < math.inf:
        damaged.append("elapsed")
    if damaged:
        raise CheckpointError(f"{path} is damaged ({', '.join(damaged)}); delete it to start anew")
    if model_config is not None:
        check_same_config(path, state["model_config"], model_config)
    return state


def resume(
    path: str | Path,
    state: dict,
    model: nn.Module,
    optimizer: torch.optim.Optimizer,
    schedule: torch.optim.lr_scheduler.LRScheduler,
) -> None:
    """Put a checkpoint's numbers in place: all of them, or none. Random numbers are tried only, not changed.

    Args:
        path: of the checkpoint, for the message.
        state: from `load_checkpoint`, of a model with weights of the same names and shapes.
        model: changed in place, after everything else has been found good.
        optimizer: a new one, of this model.
        schedule: a new one, of this optimizer.

    Raises:
        CheckpointError: a part that this model, optimizer or schedule cannot take; the model is left as it was.
    """
    before = random_state()
    try:
        for of_process in state["random"]:
            set_random_state(of_process)
        options = state["optimizer"]["param_groups"]
        if not _alike(options, optimizer.state_dict()["param_groups"]):
            raise ValueError("the optimizer's options are not of the right types")
        if not _alike(state["schedule"], schedule.state_dict()):
            raise ValueError("the schedule's numbers are not of the right types")
        optimizer.load_state_dict(state["optimizer"])
        for weight, moments in optimizer.state.items():
            for name, numbers in moments.items():  # and the step, a number
                if torch.is_tensor(numbers) and numbers.shape not in ((), weight.shape):
                    raise ValueError(f"{name} has shape {tuple(numbers.shape)}")
        schedule.load_state_dict(state["schedule"])
    except Exception as error:  # whatever optimizers and schedules raise
        raise CheckpointError(
            f"{path} cannot be resumed from ({type(error).__name__}: {error}); delete it to start anew"
        ) from error
    finally:
        set_random_state(before)
    model.load_state_dict(state["model"])


def _alike(stored: Any, own: Any) -> bool:
    """Whether what a file says has the form of what is here: the same types, as many entries, finite numbers."""
    if type(stored) is not type(own):
        return False
    if isinstance(own, dict):  # PyTorch's versions differ by a few names
        return all(_alike(stored[k], own[k]) for k in own.keys() & stored.keys())
    if isinstance(own, list | tuple):
        return len(stored) == len(own) and all(map(_alike, stored, own))
    return not isinstance(own, float) or math.isfinite(stored)


def check_same_config(path: str | Path, stored: dict, wanted: dict) -> None:
    """Require a checkpoint's configuration to be the wanted one.

    Args:
        path: of the checkpoint, for the message.
        stored: names and values in the checkpoint.
        wanted: names and values here.

    Raises:
        CheckpointError: they differ, or cannot be compared; the message says where.
    """
    try:
        names = sorted(name for name in {*stored, *wanted} if stored.get(name) != wanted.get(name))
    except Exception as error:  # tensors for numbers, numbers for names
        raise CheckpointError(
            f"{path} is damaged (its configuration: {type(error).__name__}); delete it to start anew"
        ) from error
    if names:
        pairs = (f"{name}: {stored.get(name)} there, {wanted.get(name)} here" for name in names)
        raise CheckpointError(
            f"{path} belongs to another configuration ({', '.join(pairs)}); use that one, or another file"
        )
