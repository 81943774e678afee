"""Checks of what is no tensor: counts, probabilities, switches, choices, functions, configurations."""

import math
from collections.abc import Collection
from typing import Any, get_type_hints

import torch
from torch import Tensor

from attnbook.checks.values import is_traced, readable


def check_number(name: str, value: float) -> None:
    """Require a finite number."""
    _check_real(name, value)
    if not math.isfinite(value):
        raise ValueError(
            f"{name} must be a finite number, got {value}; look for a division by zero or an overflow where it was made"
        )


def check_probability(name: str, value: float) -> None:
    """Require a dropout probability in [0, 1)."""
    _check_real(name, value)
    if not 0 <= value < 1:
        raise ValueError(f"{name} must be at least 0 and below 1, got {value}; pass a fraction, such as 0.1")


def check_positive(name: str, value: float, *, or_zero: bool = False) -> None:
    """Require a finite number above zero (or zero, with `or_zero`); a tensor of one element will do."""
    if isinstance(value, Tensor) and value.numel() == 1:
        if not readable(value):
            return
        value = value.item()
    _check_real(name, value)
    if not 0 <= value < math.inf or (value == 0 and not or_zero):
        bound = "of at least 0" if or_zero else "above 0"
        raise ValueError(f"{name} must be a finite number {bound}, got {value}")


def _check_real(name: str, value: float) -> None:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise TypeError(f"{name} must be a number, got {type(value).__name__}; pass an int or a float")


def check_count(name: str, value: int, at_least: int = 1) -> None:
    """Require a whole number that is not below `at_least`, such as a number of points, units or steps."""
    if isinstance(value, Tensor) and is_traced():
        return  # while `torch.jit.trace` records, sizes are tensors
    if isinstance(value, bool) or not isinstance(value, (int, torch.SymInt)):
        raise TypeError(f"{name} must be an integer, got {type(value).__name__}; convert it with int({name})")
    if value < at_least:
        raise ValueError(f"{name} must be at least {at_least}, got {value}")


def check_fields(config: Any) -> None:
    """Check a dataclass by its annotations: an int is at least 1, a float is finite, a bool is True or False."""
    for name, kind in get_type_hints(type(config)).items():
        value = getattr(config, name)
        if kind is int:
            check_count(name, value)
        if kind is float:
            check_number(name, value)
        if kind is bool:
            check_switch(name, value)


def check_switch(name: str, value: bool, *, advice: str = "") -> None:
    """Require True or False itself, not a value that counts as one in an `if`.

    `advice` says where a tensor or a function, for which the switch may be taken, belongs.
    """
    if isinstance(value, bool):
        return
    if isinstance(value, Tensor) or callable(value):
        raise TypeError(f"{name} must be True or False, got {type(value).__name__}" + (advice and f"; {advice}"))
    raise TypeError(f"{name} must be True or False, got {value!r}")


def check_choice(name: str, value: str, choices: Collection[str]) -> None:
    """Require one of some names."""
    names = ", ".join(choices)
    if not isinstance(value, str):
        raise TypeError(f"{name} must be a name, one of {names}, got {type(value).__name__}")
    if value not in choices:
        raise ValueError(f"{name} must be one of {names}, got {value!r}")


def check_callable(name: str, value: Any, advice: str) -> None:
    """Require a function or a module, not the class of one."""
    if isinstance(value, type):
        raise TypeError(f"{name} must be a function, got the class {value.__name__}, of which none was made; {advice}")
    if not callable(value):
        raise TypeError(f"{name} must be a function, got {type(value).__name__}; {advice}")


def check_kind(name: str, value: Any, kind: type, advice: str) -> None:
    """Require an instance of a class."""
    if not isinstance(value, kind):
        raise TypeError(f"{name} must be a {kind.__name__}, got {type(value).__name__}; {advice}")


def check_config(config: Any, kind: type) -> None:
    """Require the model's kind of configuration, not a dict or another model's."""
    check_kind("config", config, kind, f"make one with {kind.__name__}(…)")
