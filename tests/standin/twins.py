"""One line of Python, run with PyTorch and with the stand-in, and what came out of both.

In a line `torch` and `F` are the one or the other; the names of `arguments` are tensors with the same numbers.
"""

import functools
import math
import re
import warnings
from pathlib import Path

import torch

from attnbook.standin import torch as page

LAYOUTS = {
    "in a row": lambda x: x.clone(memory_format=x_format(x)),
    "turned": lambda x: x.transpose(0, -1).clone(memory_format=x_format(x)).transpose(0, -1) if x.dim() > 1 else x,
    "with gaps": lambda x: x.repeat_interleave(2, -1)[..., ::2] if x.dim() else x,
}
TOLERANCE = {"float32": (2e-5, 2e-6), "complex64": (2e-5, 2e-6), "float16": (2e-3, 2e-3), "bfloat16": (2e-2, 2e-2)}


def tables() -> dict[str, list[str]]:
    """The lines of lines.txt by their headings; what follows a colon is put in front of each line."""
    found = {}
    for block in Path(__file__).with_name("lines.txt").read_text("utf-8").split("\n## ")[1:]:
        heading, _, body = block.partition("\n")
        name, _, first = heading.partition(": ")
        lines = [line for row in body.splitlines() for line in row.split("   ") if line]
        if first:
            lines = [f"{first}; {line}" + ("" if "; = " in line else "; = z") for line in lines]
        found.setdefault(name, []).extend(lines)
    return found


def x_format(x):
    """The dense memory format of the library that `x` belongs to."""
    return (torch if isinstance(x, torch.Tensor) else page).contiguous_format


@functools.cache
def drawn(seed: int) -> dict[str, tuple[list, str]]:
    """The numbers of all arguments, and the dtype ("" for the one that is asked for).

    Sizes are different primes; the numbers are moderate, some of them equal.
    """
    g = torch.Generator().manual_seed(seed)
    n, m, k = 3, 5, 2

    def numbers(*shape, low=-2.0, high=2.0):
        x = low + (high - low) * torch.rand(shape, generator=g, dtype=torch.float64)
        return (4 * x).round() / 4 if seed % 3 == 0 else x

    def whole(*shape, high=3):
        return torch.randint(high, shape, generator=g)

    floats = {
        "x": numbers(n, m),
        "y": numbers(n, m),
        "v": numbers(m),
        "u": numbers(m),
        "w": numbers(n),
        "a": numbers(m, k),
    }
    floats |= {
        "p": numbers(n, m, low=0.1),
        "s": numbers(n, n),
        "b": numbers(k, n, m),
        "c": numbers(k, m, 7),
        "o": numbers(),
    }
    floats |= {"q": numbers(2, 3, 5, 4), "one": numbers(1, m), "col": numbers(n, 1), "none": numbers(0, m)}
    others = {
        "mask": numbers(n, m) > 0,
        "line": numbers(m) > 0,
        "i": whole(n, m),
        "j": whole(n, high=m),
        "t": whole(n, high=m),
    }
    others |= {"byte": whole(n, m).to(torch.uint8), "int": whole(n, m, high=9) - 4}
    found = {name: (x.tolist(), "") for name, x in floats.items()}
    return found | {name: (x.tolist(), str(x.dtype)[6:]) for name, x in others.items()}


def arguments(library, seed: int, dtype: str, layout: str, line: str) -> dict:
    """The same tensors in either library: those that a line names, and `x`, so that there is always one."""
    names = {"x", *re.findall(r"\w+", line)}
    found = {
        name: library.tensor(x, dtype=getattr(library, own or dtype))
        for name, (x, own) in drawn(seed).items()
        if name in names
    }
    if "none" in found:
        found["none"] = found["none"].reshape(0, 5)
    return {name: LAYOUTS[layout](x) for name, x in found.items()}


def outcome(library, line: str, seed: int, dtype: str, layout: str, gradients: bool = True):
    """What a line gives: (result, gradients by the name of the argument) or the exception."""
    given = arguments(library, seed, dtype, layout, line)
    leaves = {}
    if gradients and "float" in dtype:
        for name, x in given.items():
            if x.is_floating_point():
                given[name] = leaves[name] = x.detach().requires_grad_()
    library.manual_seed(seed)
    world = {"torch": library, "F": library.nn.functional, "nn": library.nn, "inf": math.inf, "nan": math.nan, **given}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        *before, last = line.split("; = ")
        code = f"def run():\n  {'; '.join([*before, f'return {last}'])}"
        exec(code, world)
        try:
            result = world["run"]()
        except Exception as error:
            return error
        found = {}
        for out in flat(result):
            if (
                isinstance(out, library.Tensor)
                and out.requires_grad
                and out.dtype in (library.float64, library.float32)
            ):
                up = library.linspace(0.5, 1.5, out.numel(), dtype=out.dtype).reshape(out.shape)
                try:
                    got = library.autograd.grad(out, list(leaves.values()), up, allow_unused=True, retain_graph=True)
                except RuntimeError as error:
                    return error
                found |= {(name, len(found)): g for name, g in zip(leaves, got, strict=True) if g is not None}
    return result, found


def flat(result) -> list:
    """The parts of a result."""
    return [y for part in result for y in flat(part)] if isinstance(result, list | tuple) else [result]


def differences(theirs, ours, line: str = "") -> list[str]:
    """How our outcome differs from PyTorch's."""
    if isinstance(theirs, Exception) or isinstance(ours, Exception):
        told = [
            f"{type(e).__name__}: {str(e)[:160]}" if isinstance(e, Exception) else "no error" for e in (theirs, ours)
        ]
        return [" != ".join(told)] if type(theirs) is not type(ours) else []
    strides = not any(word in line for word in ("nn.", "F.", "complex", "polar", "sort", "linalg", "einsum"))
    found, one, other = [], flat(theirs[0]), flat(ours[0])
    if len(one) != len(other):
        return [f"{len(one)} results != {len(other)}"]
    rough = TOLERANCE["float32"] if "nn." in line or "float32" in line else (0, 0)
    for a, b in zip(one, other, strict=True):
        found += _different(a, b, strides, rough)
    if theirs[1].keys() != ours[1].keys():
        return [*found, f"gradients of {sorted(theirs[1])} != {sorted(ours[1])}"]
    pairs = [(key, a, ours[1][key]) for key, a in theirs[1].items()]
    return found + [f"gradient of {key}: {told}" for key, a, b in pairs for told in _different(a, b, False, rough)]


def _different(a, b, strides: bool, rough: tuple) -> list[str]:
    if not isinstance(a, torch.Tensor):
        same = repr(a) == repr(b) or (a == b if not isinstance(a, float) else _close(a, b, 1e-12, 1e-12))
        return [] if same else [f"{a!r} != {b!r}"]
    if not isinstance(b, page.Tensor):
        return [f"a tensor != {b!r}"]
    facts = [(str(x.dtype), tuple(x.shape), x.requires_grad) for x in (a, b)]
    if facts[0] != facts[1]:
        return [f"{facts[0]} != {facts[1]}"]
    steps = [[s for s, size in zip(x.stride(), x.shape, strict=True) if size > 1] for x in (a, b)]
    if strides and steps[0] != steps[1] and a.numel():
        return [f"strides {steps[0]} != {steps[1]}"]
    rtol, atol = map(max, zip(TOLERANCE.get(facts[0][0][6:], (1e-11, 1e-12)), rough, strict=True))
    pairs = zip(a.detach().reshape(-1).tolist(), b.detach().reshape(-1).tolist(), strict=True)
    wrong = [pair for pair in pairs if not _close(*pair, rtol, atol)]
    return [f"{len(wrong)} of {a.numel()} numbers, for instance {wrong[0]}"] if wrong else []


def _close(a, b, rtol: float, atol: float) -> bool:
    return a == b or (a != a and b != b) or abs(a - b) <= atol + rtol * abs(a)
