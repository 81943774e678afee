"""Call a reader's function for a limited time, and put back what it changes in torch and of the random numbers."""

import contextlib
import math
import operator
import random
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextvars import ContextVar

import torch
import torch.nn.functional as F

from .language import say

SECONDS = 20  # for a call; the slowest right answer takes less than one
CHECK = 120  # seconds for all calls of a check
WRAPPED = {"manual_seed"}  # torch wraps it itself when it loads its compiler
SPACES = {"torch": torch, "F": F, "torch.nn": torch.nn, "torch.Tensor": torch.Tensor, "math": math}


_end: ContextVar[float] = ContextVar("when the check that is under way has to be over", default=math.inf)


class TooLong(BaseException):
    """A call took longer than `SECONDS`. No `except Exception` of the reader's should catch it."""


class CheckTooLong(TooLong):
    """The calls of a check took longer than `CHECK`."""


@contextlib.contextmanager
def check_limit() -> Iterator[None]:
    """Let no call within this last or begin later than `CHECK` seconds from now."""
    token = _end.set(time.monotonic() + CHECK)
    try:
        yield
    finally:
        _end.reset(token)


@contextlib.contextmanager
def time_limit(seconds: float | None = None) -> Iterator[None]:
    """Stop a call after some seconds (`SECONDS`, if not given), where there are alarms.

    That is on the main thread, and not in the page, which has its own. The limit of a check holds there, too, but only
    between its calls.
    """
    left = min(seconds or SECONDS, _end.get() - time.monotonic())
    if left <= 0:
        raise CheckTooLong
    alarms = hasattr(signal, "setitimer") and sys.platform != "emscripten"
    ours = alarms and threading.current_thread() is threading.main_thread()
    if not ours or any(signal.getitimer(signal.ITIMER_REAL)):  # somebody else's alarm is left alone
        yield
        return
    before = signal.signal(signal.SIGALRM, _stop)
    signal.setitimer(signal.ITIMER_REAL, left, 1)  # again every second, lest an `except:` swallow it
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before or signal.SIG_DFL)


@contextlib.contextmanager
def clock_stopped() -> Iterator[None]:
    """Let something with a limit of its own be called inside `time_limit`, without counting its time."""
    left = signal.setitimer(signal.ITIMER_REAL, 0) if hasattr(signal, "setitimer") else (0, 0)
    try:
        yield
    finally:
        if any(left):
            signal.setitimer(signal.ITIMER_REAL, *left)


def _stop(*_) -> None:
    raise CheckTooLong if time.monotonic() >= _end.get() else TooLong


@contextlib.contextmanager
def kept() -> Iterator[list[str]]:
    """Put torch's settings and functions back afterwards; the list then names those that were changed."""
    changed, spaces = [], {name: vars(space).copy() for name, space in SPACES.items()}
    grad, dtype, device = torch.is_grad_enabled(), torch.get_default_dtype(), _device()
    try:
        yield changed
    finally:
        if torch.is_grad_enabled() != grad:
            changed.append(say("whether gradients are recorded (`torch.set_grad_enabled`)"))
            torch.set_grad_enabled(grad)
        if torch.get_default_dtype() != dtype:
            changed.append(say("the default dtype (`torch.set_default_dtype`)"))
            torch.set_default_dtype(dtype)
        if _device() != device:
            changed.append(say("the default device (`torch.set_default_device`)"))
            torch.set_default_device(None if device == "cpu" else device)
        for name, before in spaces.items():
            changed += [f"`{name}.{key}`" for key in _put_back(SPACES[name], before)]


@contextlib.contextmanager
def own_dice() -> Iterator[None]:
    """Let the random numbers of torch, NumPy and Python begin anew, and go on afterwards from where they stood.

    Answers that draw some hear the same every time.
    """
    numpys = getattr(sys.modules.get("numpy"), "random", None)  # torch imports it; the page has a stand-in
    numpys = numpys if hasattr(numpys, "get_state") else None
    before, numpys_before = random.getstate(), numpys and numpys.get_state()
    with torch.random.fork_rng(devices=[]):
        torch.default_generator.manual_seed(0)
        random.seed(0)
        if numpys:
            numpys.seed(0)
        try:
            yield
        finally:
            random.setstate(before)
            if numpys:
                numpys.set_state(numpys_before)


def on_the_cpu() -> contextlib.AbstractContextManager:
    """Make tensors on the CPU, whatever the notebook's default device is."""
    return contextlib.nullcontext() if _device() == "cpu" else torch.device("cpu")


def _device() -> str:
    ask = getattr(torch, "get_default_device", None)  # the page has one device only
    return str(ask()) if ask else "cpu"


def _put_back(space: object, before: dict[str, object]) -> list[str]:
    """Restore a module's or a class's own names; returns those that had been changed."""
    now = vars(space)
    if len(now) == len(before) and all(map(operator.is_, now.values(), before.values())):
        return []
    changed = [name for name, thing in before.items() if now.get(name) is not thing and name not in WRAPPED]
    changed += [name for name in now if name not in before] if isinstance(space, type) else []  # modules load others
    for name in changed:
        setattr(space, name, before[name]) if name in before else delattr(space, name)
    return [name for name in changed if not name.startswith("__")]
