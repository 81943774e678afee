"""Numbers and tensors as one writes them on paper: short, exact enough, the same on every machine."""

import html
import math
import re
from collections.abc import Iterable
from typing import Any

import torch

from .language import say

# not inside a word or a product; Chinese has no spaces around its words
STRESS = re.compile(r"(?<![^\W\u4e00-\u9fff])(?<!\*)\*([^*\s][^*]*)\*(?!\*)(?![^\W\u4e00-\u9fff])")
LONGEST = 12  # numbers that a line of a message shows; anything longer is described by its shape


def number(x: float, digits: int = 3) -> str:
    """Write one number with at most `digits` decimals: 0.5, −1.25, 140, 2.1e−05, NaN."""
    if isinstance(x, bool):
        return str(x)
    x = float(x)
    if math.isnan(x):
        return "NaN"
    if math.isinf(x):
        return "∞" if x > 0 else "−∞"
    size = abs(x)
    if 0 < size < 0.5 * 10**-digits or size >= 1e6:
        text = re.sub(r"e([+-])0*(\d)", r"e\1\2", f"{x:.{max(digits - 2, 1)}e}").replace("e+", "e").replace(".0e", "e")
    else:
        # the nudge settles ties the same way whatever the last bit of x is
        text = f"{math.copysign(size + 1e-10, x):.{digits}f}".rstrip("0").rstrip(".")
    return "0" if text in ("-0", "") else text.replace("-", "−")


def values(x: Any, digits: int = 3, longest: int = LONGEST) -> str:
    """Write a tensor as nested tuples, without axes of size 1; a long one by its shape."""
    if isinstance(x, bool | int | float):
        return number(x, digits)
    if not isinstance(x, torch.Tensor):
        told = in_words([*x], digits) if isinstance(x, list | set) else ""
        if isinstance(x, dict):
            told = ", ".join(f"{in_words(key, digits)}: {in_words(value, digits)}" for key, value in x.items())
        return getattr(x, "described", told if 0 < len(told) < 60 else a(type(x).__name__))
    if by_shape(x, longest):
        return say("numbers of shape {shape}", shape=tuple(x.shape))
    x = x.flatten() if x.dim() and x.numel() == 1 else x.squeeze()
    return in_words(x.detach().cpu().tolist(), digits) if x.numel() else "()"


def by_shape(x: Any, longest: int = LONGEST) -> bool:
    """Whether a message tells a tensor by its shape only."""
    return isinstance(x, torch.Tensor) and (x.numel() > longest or (x.numel() == 0 and x.dim() > 1))


def told_apart(expected: torch.Tensor, got: torch.Tensor) -> tuple[str, str]:
    """Write two tensors with as few decimals as show that they differ."""
    digits = decimals(expected, got)
    return values(expected, digits), values(got, digits)


def decimals(a: torch.Tensor, b: torch.Tensor) -> int:
    """As few decimals as show that two tensors differ."""
    return next((digits for digits in (3, 5, 8, 12) if values(a, digits) != values(b, digits)), 17)


def inputs(names: tuple[str, ...], arguments: tuple) -> str:
    """Write a call's arguments: ``query (1, 2), keys ((1, 0), (0, 1)) and width 2``, ``norm = max(0, h)``."""
    return listed(
        say("{name} of shape {shape}", name=name, shape=tuple(a.shape))
        if by_shape(a)
        else f"{name} {'= ' * callable(a)}{values(a)}"
        for name, a in zip(names, arguments, strict=True)
    )


def listed(parts: Iterable[str]) -> str:
    """Write parts one after another: a, b and c."""
    *others, last = parts
    return say("{others} and {last}", others=say(", ").join(others), last=last) if others else last


def shapes(names: tuple[str, ...], arguments: tuple) -> str:
    """Write a call's arguments by their shapes: ``query (2, 5, 11), key (2, 7, 11), width 2``."""
    told = (
        tuple(a.shape)
        if isinstance(a, torch.Tensor) and a.dim() and (a.is_floating_point() or by_shape(a))
        else f"{'= ' * callable(a)}{values(a)}"
        for a in arguments
    )
    return say(", ").join(f"{name} {what}" for name, what in zip(names, told, strict=True))


def one_line(text: str, longest: int = 200) -> str:
    """Cut a text (an error message, a print-out) to one line without memory addresses."""
    lines = [line.strip() for line in str(text).splitlines() if line.strip()]
    line = re.sub(r"0x[0-9a-fA-F]{4,}", "0x…", lines[0] if lines else "")
    sentence = line.rfind(". ", 0, longest)
    if len(line) > longest and sentence > longest // 2:
        return line[:sentence]
    return line.rstrip(".:") if len(line) <= longest else line[: longest - 1] + "…"


def inline(text: str) -> str:
    """Turn the little markdown of hints and messages (`code`, *stress*) into HTML."""

    def piece(part: str) -> str:
        if part.startswith("`"):
            return f"<code>{html.escape(part.strip('`'), quote=False)}</code>"
        return STRESS.sub(r"<em>\1</em>", html.escape(part, quote=False))

    return "".join(map(piece, re.split(r"(`[^`]+`)", text)))


def a(kind: str) -> str:
    """Write a type's name with its article: a list, an int."""
    return say("an {kind}" if kind[0].lower() in "aeiou" else "a {kind}", kind=kind)


def in_words(x: object, digits: int = 3) -> str:
    """Write lists, pairs, words and numbers as on paper: “the cat”, ((−1.8, 1), (−2.4, 4))."""
    if isinstance(x, str):
        return f"“{x}”"
    if isinstance(x, bool | int | float):
        return number(x, digits)
    if not isinstance(x, list | tuple):
        return a(type(x).__name__)
    if not x:
        return say("empty")
    if isinstance(x, list) and all(isinstance(part, str) for part in x):
        return f"“{' '.join(x)}”"
    return "(" + ", ".join(in_words(part, digits) for part in x) + ")"


def short(dtype: torch.dtype) -> str:
    """Name a dtype: ``float32``."""
    return str(dtype).removeprefix("torch.")
