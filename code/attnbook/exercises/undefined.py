"""A name that Python does not know: what its author may have meant."""

import builtins
import difflib
import inspect
import re
import sys
from collections.abc import Callable, Iterable, Mapping
from types import ModuleType

import torch

from .calls import own_line
from .language import say

USUAL = {"F": "torch.nn.functional", "np": "numpy", "plt": "matplotlib.pyplot"}  # what modules are called everywhere


def in_function(error: NameError, fn: Callable, task: str) -> str:
    """The question about a name in the reader's function; `task` is the name of the function that is asked for."""
    where, _, line, known = own_line(error, fn) or ("", 0, "", {})
    plain = inspect.unwrap(fn)
    if where.startswith("<"):  # in a comprehension, where few names are local
        known = dict.fromkeys(getattr(getattr(plain, "__code__", None), "co_varnames", ())) | known
    return meant(error.name, getattr(plain, "__globals__", {}), known, line, task)


def meant(name: str, world: Mapping[str, object], here: Iterable[str] = (), line: str = "", task: str = "") -> str:
    """What to ask about a name that is not known.

    Args:
        name: the name.
        world: what the cell knows.
        here: names of arguments, and of what is set inside the function.
        line: the code in which the name stands: that of a module stands before a dot.
        task: the name of the function that the exercise asks for.
    """
    here = [*here]
    uses = re.search(rf"(?<![\w.]){re.escape(name)}\s*([.(]?)\s*(\w*)", line)
    after, member = uses.groups() if uses else ("", "")
    module, own = _module(name), _near(name, here, parts=True)
    if module and (after == "." or not uses) and not (own and module == name):
        return _to_import(name, module, member, any(thing is torch for thing in world.values()))
    if task == f"my_{name}":
        return say("`{name}` is what you are asked to write. Of which simpler steps is it made?", name=name)
    if not own and (found := _torch_has(name, after == "(" or not uses) or _book_has(name)):
        return found
    outside = [other for other in world if not other.startswith("_")]
    if near := own or _near(name, outside) or _near(name, dir(builtins)):
        return say("Nothing here is called `{name}`. Did you mean `{near}`?", name=name, near=near)
    if here:
        known = say(", ").join(f"`{other}`" for other in here[:8])
        return say(
            "Nothing here is called `{name}`. Is one of these meant: {known}? Or should a line above have set it?",
            name=name,
            known=known,
        )
    return say("Nothing here is called `{name}`. Which line, or which cell above, should have set it?", name=name)


def _module(name: str) -> str:
    """The module that is usually called so."""
    found = getattr(torch, name, None)
    if isinstance(found, ModuleType) and name not in sys.stdlib_module_names:
        return f"torch.{name}"
    return USUAL.get(name) or (name if name == "torch" or name in sys.stdlib_module_names else "")


def _to_import(name: str, module: str, member: str, with_torch: bool) -> str:
    """The question about a module; `member` is what the line takes from it."""
    facts = {"name": name, "module": module, "member": member, "whole": f"{module}.{member}".rstrip(".")}
    if module == name:
        return say("`{name}` is not imported here. Should your cell begin with `import {name}`?", **facts)
    if module.startswith("torch.") and with_torch:
        return say(
            "`{name}` is not imported here; torch is. Is `{whole}` meant? Write it in full, or begin your "
            "cell with `import {module} as {name}`.",
            **facts,
        )
    if module == "numpy" and member and hasattr(torch, member):
        return say(
            "`{name}` is not imported here. Can `torch.{member}` do it? If not, begin your cell with "
            "`import {module} as {name}`.",
            **facts,
        )
    return say("`{name}` is not imported here. Should your cell begin with `import {module} as {name}`?", **facts)


def _near(name: str, others: Iterable[str], parts: bool = False) -> str:
    """The name that differs in a few letters, or in capitals; if `parts`, also one of which it is a word."""
    others = [*others]
    same = [other for other in others if other.lower() == name.lower()]
    longer = [other for other in others if parts and name in other.split("_")]
    return next(iter(same or longer or difflib.get_close_matches(name, others, 1, 0.75)), "")


def _torch_has(name: str, called: bool) -> str:
    """The question, if torch knows the name; its functions count only where the name is called."""
    homes = {"torch": torch, "torch.nn.functional": torch.nn.functional, "torch.nn": torch.nn}
    home = next((home for home, space in homes.items() if hasattr(space, name)), "")
    method = callable(getattr(torch.Tensor, name, None))
    if not called and (method or (home and callable(getattr(homes[home], name)))):
        return ""
    if home == "torch" and method:
        return say(
            "`{name}` alone is not known here. Is the function `torch.{name}` meant, or the method `x.{name}()` of a "
            "tensor?",
            name=name,
        )
    if method:
        return say("`{name}` alone is not known here. Is the method `x.{name}()` of a tensor meant?", name=name)
    if home:
        return say("`{name}` alone is not known here. Is `{home}.{name}` meant?", name=name, home=home)
    return ""


def _book_has(name: str) -> str:
    """The question, if something that was imported from the book has the name."""
    loaded = [room for room in sorted(sys.modules) if re.fullmatch(r"attnbook\.\w+", room)]
    home = next((room for room in loaded if name in getattr(sys.modules[room], "__all__", ())), "")
    return home and say(
        "`{name}` of the book is not imported here. Do you need `from {home} import {name}`?", name=name, home=home
    )
