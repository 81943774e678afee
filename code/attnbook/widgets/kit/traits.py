"""Traits that say what they take: a few kinds of values, which compose, and the traits made of them.

    index = whole_number(0, 4)
    cell = record("a cell [row, column]", "cells [row, column]", index, index)
    marks = taking([], listed(cell, 0, 9, once=2), "what is marked")

Set to something else, such a trait raises TypeError (the wrong kind of thing) or ValueError (outside the limits), with
a message that says what was expected and what came: "Table.marks is what is marked: a list of at most 9 cells
[row, column], each once; one of them is [0, 5]".
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import traitlets

SPLIT = "split the sentence first"


@dataclass(frozen=True)
class Kind:
    """A kind of value.

    Attributes:
        one, many: what it is, in words, for one value and for several.
        check: function (value, came) → the value as plain numbers, texts and lists. Where it does not fit, it raises
            TypeError or ValueError with a message that begins with `came`: "got" or "one of them is".
        hint: what to do if a text came instead of a list of these.
        choices: the values allowed, where they can be listed.
        limits: the same as JSON, for the page (`fits` in kit/host.js): what a link may set is checked there.
    """

    one: str
    many: str
    check: Callable
    hint: str = ""
    choices: tuple = ()
    limits: dict[str, Any] = field(default_factory=dict)


def short(value: object) -> str:
    """repr of a value, cut so that a long list does not fill the page."""
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


def _plain(x: float) -> str:
    return str(int(x)) if x == int(x) else str(x)


def _without_arrays(value: Any) -> Any:
    """Numbers and lists in place of arrays and tensors."""
    return value.tolist() if hasattr(value, "tolist") else value


def _as_float(value: Any, came: str) -> float:
    value = _without_arrays(value)
    if isinstance(value, bool) or not hasattr(value, "__float__"):
        raise TypeError(f"{came} {short(value)}")
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        raise TypeError(f"{came} {short(value)}") from None


def number(low: float = -math.inf, high: float = math.inf) -> Kind:
    """The kind of a finite number from `low` to `high`; it becomes a float."""
    open_ended = (low, high) == (-math.inf, math.inf)
    limits = "" if open_ended else f" from {_plain(low)} to {_plain(high)}"
    name = "finite number" if open_ended else "number"

    def check(value: Any, came: str = "got") -> float:
        x = _as_float(value, came)
        if not (low <= x <= high and math.isfinite(x)):
            raise ValueError(f"{came} {value!r}")
        return x

    ends = {} if open_ended else {"from": low, "to": high}
    return Kind(f"a {name}{limits}", f"{name}s{limits}", check, limits=ends)


def whole_number(low: int, high: int) -> Kind:
    """The kind of a whole number from `low` to `high`; it becomes an int."""
    limits = f"from {low} to {high}"

    def check(value: Any, came: str = "got") -> int:
        x = _as_float(value, came)
        if not low <= x <= high or x != int(x):
            raise ValueError(f"{came} {value!r}")
        return int(x)

    return Kind(
        f"a whole number {limits}", f"whole numbers {limits}", check, limits={"from": low, "to": high, "whole": True}
    )


def line(most: int) -> Kind:
    """The kind of a text of at most so many characters on one line."""

    def check(value: Any, came: str = "got") -> str:
        if not isinstance(value, str):
            raise TypeError(f"{came} {value!r}")
        if len(value) > most:
            raise ValueError(f"{came} {len(value)} characters, {value[:30]!r}…")
        if value.splitlines() not in ([], [value]):
            raise ValueError(f"{came} {value!r}")
        return value

    limits = f"of at most {most} characters on one line"
    return Kind(f"a text {limits}", f"texts {limits}", check, SPLIT, limits={"text": most})


def word(most: int) -> Kind:
    """The kind of a word of 1 to so many characters: printable, without spaces around it."""

    def check(value: Any, came: str = "got") -> str:
        if not isinstance(value, str):
            raise TypeError(f"{came} {value!r}")
        if not 1 <= len(value) <= most:
            raise ValueError(f"{came} {value!r}")
        if not value.isprintable() or value != value.strip():
            raise ValueError(f"{came} {value!r}; leave out line breaks and outer spaces")
        return value

    limits = f"of 1 to {most} characters"
    return Kind(f"a word {limits}", f"words {limits}", check, SPLIT, limits={"text": most, "least": 1})


def choice(choices: Sequence, many: str | None = None) -> Kind:
    """The kind of one of several values; `many` names them where a list of them is meant."""
    names = "one of " + ", ".join(map(repr, choices))
    texts = all(isinstance(c, str) for c in choices)

    def check(value: Any, came: str = "got") -> Any:
        value = _without_arrays(value)
        if texts and not isinstance(value, str):
            raise TypeError(f"{came} {short(value)}")
        for c in choices:
            if isinstance(c, bool) == isinstance(value, bool) and c == value:
                return c
        raise ValueError(f"{came} {short(value)}")

    hint = SPLIT if texts else ""
    limits = {"among": list(choices)}
    return Kind(names, many or names, check, hint, tuple(choices), limits)


def _true_or_false(value: Any, came: str = "got") -> bool:
    if value is True or value is False:
        return value
    raise TypeError(f"{came} {value!r}")


FLAG = Kind("True or False", "True or False", _true_or_false, limits={"among": [True, False]})


def listed(item: Kind, low: int, high: int | None = None, once: int = 0) -> Kind:
    """The kind of a list (a tuple, an array, a tensor) of `low` to `high` values, or of exactly `low`.

    Args:
        item: the kind of the values.
        low, high: the least and the largest number of them.
        once: if not 0, no two of them may agree in so many of their first parts; a number has one.
    """
    count = low if high is None else f"{low} to {high}" if low else f"at most {high}"
    many = f"{count} {item.many}" + (", each once" if once else "")

    def check(value: Any, came: str = "got") -> list:
        rows = _without_arrays(value)
        if not isinstance(rows, list | tuple):
            todo = f"; {item.hint}" if item.hint and isinstance(rows, str) else ""
            raise TypeError(f"{came} {short(value)}{todo}")
        found = [item.check(one, "one of them is") for one in rows]
        if high is None and len(found) != low:
            raise ValueError(f"{came} {short(rows)}")
        if high is not None and not low <= len(found) <= high:
            has = "one of them has" if came != "got" else came
            raise ValueError(f"{has} {len(found)}")
        keys = [tuple(one[:once]) if isinstance(one, list) else one for one in found]
        if once and len({*keys}) < len(keys):
            raise ValueError(f"{came} {short(rows)}")
        return found

    most = low if high is None else high
    limits = {"list": item.limits, "from": low, "to": most}
    if once:
        limits["once"] = once
    return Kind(f"a list of {many}", f"lists of {many}", check, limits=limits)


def record(one: str, many: str, *kinds: Kind) -> Kind:
    """The kind of a short list with a kind for each place, such as a point; `one` and `many` describe it."""

    def check(value: Any, came: str = "got") -> list:
        parts = _without_arrays(value)
        if not isinstance(parts, list | tuple):
            raise TypeError(f"{came} {short(value)}")
        if len(parts) != len(kinds):
            raise ValueError(f"{came} {short(parts)}")
        try:
            return [kind.check(part) for kind, part in zip(kinds, parts, strict=True)]
        except (TypeError, ValueError) as error:
            raise type(error)(f"{came} {short(parts)}") from None

    return Kind(one, many, check, limits={"each": [kind.limits for kind in kinds]})


def point(reach: float) -> Kind:
    """The kind of a point [x, y] whose coordinates go from -`reach` to `reach`."""
    axis = number(-reach, reach)
    return record(f"a point [x, y], {axis.many}", f"points [x, y], {axis.many}", axis, axis)


def checked(figure: object, name: str, value: Any, kind: Kind, what: str) -> Any:
    """Check a value for a trait of a figure: what the traits below do, where limits depend on other traits.

    Args:
        figure: the figure, whose class the message names.
        name: the trait's name.
        value: what came.
        kind: the kind it must have.
        what: the quantity in words.

    Returns:
        The value in its plain form.

    Raises:
        TypeError, ValueError: it does not fit; the message says what was expected and what came.
    """
    try:
        return kind.check(value)
    except (TypeError, ValueError) as error:
        wanted = f"{type(figure).__name__}.{name} is {what}: {kind.one}"
        raise type(error)(f"{wanted}; {error}") from None


def same_number(figure: object, proposal: dict[str, Any], of: str) -> Any:
    """Let a list be replaced by one of the same length only: the value proposed, or ValueError.

    Args:
        figure: the figure.
        proposal: what a traitlets validator receives.
        of: what the list holds, in words, for the message.

    Returns:
        The value.
    """
    name, value = proposal["trait"].name, proposal["value"]
    now = getattr(figure, name)
    if len(now) != len(value):
        raise ValueError(
            f"{type(figure).__name__}.{name} has {len(now)} {of}, got {len(value)}; "
            f"make a new figure for another number of {of}"
        )
    return value


def as_proposed(figure: object, proposal: dict[str, Any], *names: str) -> list:
    """The values of traits as they will be once a proposal is taken, for limits that hold between them.

    Args:
        figure: the figure.
        proposal: what a traitlets validator receives.
        names: of the traits, the proposed one among them.

    Returns:
        The values, in the order of the names.
    """
    return [proposal["value"] if name == proposal["trait"].name else getattr(figure, name) for name in names]


class Checked(traitlets.TraitType):
    """A trait of a certain kind; see `taking`."""

    def __init__(self, default: Any, kind: Kind, what: str):
        super().__init__(default)
        self.kind, self.what = kind, what

    def validate(self, obj: Any, value: Any) -> Any:
        return checked(obj, str(self.name), value, self.kind, self.what)


def taking(default: Any, kind: Kind, what: str) -> Checked:
    """A trait, synchronised with the browser, that takes values of one kind only.

    Args:
        default: value at the start.
        kind: what it takes.
        what: the quantity in words, with its unit, for the message.

    Returns:
        A traitlets trait.
    """
    return Checked(default, kind, what).tag(sync=True)


def number_between(default: float, low: float, high: float, what: str, whole: bool = False) -> Checked:
    """`taking` a number from `low` to `high`, a whole one if `whole`."""
    kind = whole_number(int(low), int(high)) if whole else number(low, high)
    return taking(default, kind, what)


def one_of(default: Any, choices: Sequence, what: str) -> Checked:
    """`taking` one of several values."""
    return taking(default, choice(choices), what)


def yes_or_no(default: bool, what: str) -> Checked:
    """`taking` True or False."""
    return taking(default, FLAG, what)
