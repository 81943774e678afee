"""Call the reader's function and write down everything that can be seen from outside."""

import builtins
import contextlib
import copy
import dis
import inspect
import io
import linecache
import os
import re
import sysconfig
import traceback
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch

from .guard import TooLong, kept, time_limit
from .language import say
from .wording import number, one_line

# what the compiler makes of a body that is only `...`, `pass`, a docstring, `return ...` or `weights = ...`
NOTHING = {
    "RESUME", "NOP", "CACHE", "PUSH_NULL", "POP_TOP", "LOAD_CONST", "STORE_FAST", "RETURN_VALUE", "RETURN_CONST",
}  # fmt: skip


@dataclass(frozen=True)
class Call:
    """One call of the reader's function."""

    arguments: tuple  # what it was given (the function got copies)
    result: Any
    error: BaseException | None
    printed: str
    after: tuple  # the copies as the function left them
    changed: tuple[str, ...] = ()  # what it changed in torch (and was put back)

    def touched(self) -> list[int]:
        """Positions of the arguments that the function wrote into."""
        pairs = enumerate(zip(self.arguments, self.after, strict=True))
        return [i for i, (old, new) in pairs if not _unchanged(old, new)]


def observe(fn: Callable, arguments: tuple) -> Call:
    """Call a function on copies of the arguments, quietly and for a limited time."""
    given = copies(arguments)
    printed, result, error = _Printed(), None, None
    with contextlib.redirect_stdout(printed), warnings.catch_warnings(), kept() as changed:
        warnings.simplefilter("ignore")
        try:
            with time_limit():
                result = fn(*given)
        except (KeyboardInterrupt, TooLong):
            raise
        except BaseException as raised:
            error = raised
    return Call(arguments, result, error, printed.getvalue(), given, tuple(changed))


class _Printed(io.StringIO):
    """What is printed, as far as a message could need it; a function that closes it closes nothing."""

    def write(self, text: str) -> int:
        super().write(text[: max(0, 100_000 - self.tell())])
        return len(text)

    def close(self) -> None:
        pass


def copies(arguments: tuple) -> tuple:
    """Copy a call's arguments."""
    return tuple(a.clone() if isinstance(a, torch.Tensor) else copy.deepcopy(a) for a in arguments)


def _unchanged(before: Any, after: Any) -> bool:
    if not isinstance(before, torch.Tensor):
        return not isinstance(before, list) or before == after
    same_kind = before.shape == after.shape and before.dtype == after.dtype
    return same_kind and torch.allclose(before, after, rtol=0, atol=0, equal_nan=True)


def is_unwritten(fn: Callable, call: Call) -> bool:
    """Tell a stub from an answer."""
    if isinstance(call.error, NotImplementedError):  # torch raises them, too
        return "NotImplementedError" in names_used(fn)
    if call.error is not None:
        return isinstance(call.error, TypeError | AttributeError) and "ellipsis" in error_text(call.error)
    if call.result is not None:
        return call.result is ...
    code = getattr(inspect.unwrap(fn), "__code__", None)
    return code is not None and {step.opname for step in dis.get_instructions(code)} <= NOTHING


def own_line(error: BaseException, fn: Callable) -> tuple[str, int, str, dict] | None:
    """The reader's own line in which an error came up: in which function, its number there, its text, the locals."""
    code = getattr(inspect.unwrap(fn), "__code__", None) or getattr(type(fn).__call__, "__code__", None)
    home = code.co_filename if code else None
    here = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    place = None
    for frame, line in traceback.walk_tb(error.__traceback__):
        file, begin = frame.f_code.co_filename, frame.f_code.co_firstlineno
        if file == home or not (_belongs_to_python(file) or os.path.abspath(file).startswith(here)):
            text = linecache.getline(file, line, frame.f_globals).strip()
            place = frame.f_code.co_name, line - begin + 1, text, frame.f_locals
    return place


def at_line(error: BaseException, fn: Callable) -> str:
    """The reader's own failing line, as the subject of "raises": ``line 3, `x.view(6)`,``."""
    place = own_line(error, fn)
    return say("line {line}, `{text}`,", line=place[1], text=place[2]) if place and place[2] else say("your function")


def _belongs_to_python(file: str) -> bool:
    paths = sysconfig.get_paths()
    homes = [paths[kind] for kind in ("stdlib", "platstdlib", "purelib", "platlib")]
    homes += [os.path.dirname(module.__file__) for module in (os, torch)]  # in a page these are elsewhere
    return file.startswith("<frozen") or os.path.abspath(file).startswith(tuple(homes))


def shapes_there(error: BaseException, fn: Callable) -> str:
    """Shapes of the tensors that the reader's failing line mentions, as they were at that moment."""
    *_, text, known = own_line(error, fn) or ("", {})
    text = re.sub(r"^\w+\s*=(?!=)", "", text)  # without the name that the line would have set
    names = dict.fromkeys(re.findall(r"(?<![\w.])[A-Za-z_]\w*", text))
    found = {name: known[name] for name in names if isinstance(known.get(name), torch.Tensor)}
    return say(", ").join(
        f"{n} {tuple(x.shape)}" if x.dim() else say("{name} is one number", name=n) for n, x in found.items()
    )


def error_text(error: BaseException) -> str:
    """Write an error on one line."""
    try:
        message = one_line(str(error))
    except (Exception, SystemExit):  # an error of the reader's own that cannot be written
        message = ""
    return f"{type(error).__name__}: {message}" if message else type(error).__name__


def names_used(fn: Callable) -> set[str]:
    """Names that a function's code mentions (attributes and globals), inner functions included."""
    waiting, found = [getattr(inspect.unwrap(fn), "__code__", None)], set()
    while waiting:
        code = waiting.pop()
        if code is not None:
            found.update(code.co_names)
            waiting += [const for const in code.co_consts if inspect.iscode(const)]
    return found


def read_from_outside(fn: Callable, numbers: bool = True) -> dict[str, str]:
    """Find tensors (and numbers) that a function reads from the notebook instead of getting them as arguments."""
    plain = inspect.unwrap(fn)
    world, used = getattr(plain, "__globals__", {}), names_used(fn)
    outside = {name: world[name] for name in world if name in used and not hasattr(builtins, name)}
    names = getattr(getattr(plain, "__code__", None), "co_freevars", ())
    for name, cell in zip(names, getattr(plain, "__closure__", None) or (), strict=False):
        with contextlib.suppress(ValueError):  # an empty cell
            outside[name] = cell.cell_contents
    told = {}
    for name, x in sorted(outside.items()):
        if isinstance(x, torch.Tensor):
            told[name] = say("a tensor of shape {shape}", shape=tuple(x.shape))
        elif numbers and type(x) in (int, float):
            told[name] = say("the number {number}", number=number(x))
    return told
