"""Several processes that train one model: what each of them finds, all must know, or the others wait for ever.

Lightning Fabric starts them and moves the tensors between them.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar, cast

import torch
from torch import Tensor

from attnbook.checks import check_count
from attnbook.reproducible import best_device

if TYPE_CHECKING:  # its import takes seconds, and most readers never train
    from lightning_fabric import Fabric

T = TypeVar("T")


def make_fabric(devices: int = 1, nodes: int = 1) -> "Fabric":
    """Lightning Fabric for the best device, or for several of its kind.

    Args:
        devices: processes on each machine.
        nodes: machines.

    Returns:
        A Fabric that is not launched yet; with one process it need not be.

    Raises:
        TypeError, ValueError: a number that is not a count; `ATTNBOOK_DEVICE` names a device that is not there, see
            `best_device`; or one device by its number although several are wanted.
    """
    from lightning_fabric import Fabric

    check_count("devices", devices)
    check_count("nodes", nodes)
    device, several = best_device(), devices * nodes > 1
    if device.index is not None and several:
        raise ValueError(
            f"ATTNBOOK_DEVICE is {device}, a single device, but {devices} × {nodes} are wanted; set it to {device.type}"
        )
    return Fabric(
        accelerator=device.type,
        devices=devices if device.index is None else [device.index],
        num_nodes=nodes,
        strategy="ddp" if several else "auto",
    )


class OtherProcessError(RuntimeError):
    """Another process of this training has failed, so that this one cannot go on."""


def average(fabric: "Fabric", value: Tensor) -> Tensor:
    """The mean of each process's value."""
    # a copy, since Fabric reduces in place; it also takes dicts and lists, so the type that it returns is open
    return cast(Tensor, fabric.all_reduce(value.clone(), reduce_op="mean"))


def fraction(fabric: "Fabric", truth: bool) -> float:
    """In which part of the processes something is true: 0 in none, 1 in all."""
    return float(average(fabric, torch.tensor(float(truth), device=fabric.device)))


def of_each(fabric: "Fabric", value: Any) -> list:
    """The value that each process has, in the order of their ranks."""
    if fabric.world_size == 1:
        return [value]
    values = [None] * fabric.world_size
    torch.distributed.all_gather_object(values, value)
    return values


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
    some_failed = fraction(fabric, failure is not None)
    if failure is not None:
        raise failure
    if some_failed:
        raise OtherProcessError(
            "another process of this training has failed, and its message says why; this one ends, too"
        )
    return result
