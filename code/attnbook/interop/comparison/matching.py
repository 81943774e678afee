"""Which parameter of one library is which of another: found by the numbers in them."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from torch import Tensor, nn


@dataclass(frozen=True)
class Match:
    """The same numbers in two modules.

    Attributes:
        ours, theirs: names of two parameters.
        our_part, their_part: where in each, flattened, the numbers stand.
        rows: what to write behind their name if it is a part of it, such as `[0:8]`.
    """

    ours: str
    theirs: str
    our_part: slice
    their_part: slice
    rows: str = ""


def _position(part: Tensor, whole: Tensor) -> int | None:
    """Where a run of numbers begins within a longer one."""
    for start in (whole == part[0]).nonzero().flatten().tolist():
        if whole[start : start + len(part)].equal(part):
            return start
    return None


def _rows(part: slice, parameter: Tensor) -> str:
    """A stretch of a flattened parameter as its rows, `[0:8]`."""
    size = parameter.numel() // len(parameter)
    return f"[{part.start // size}:{part.stop // size}]"


def _matching_rows(ours: str, matrix: Tensor, others: dict) -> list[Match]:
    """A matrix whose rows stand in one of theirs, but not all in a row: the fewest stretches of them."""
    for theirs, other in others.items():
        stretches: list[tuple[slice, slice]] = []
        for number, row in enumerate(matrix):
            if (start := _position(row, other.detach().flatten())) is None:
                break
            mine = slice(number * len(row), (number + 1) * len(row))
            where = slice(start, start + len(row))
            if stretches and stretches[-1][1].stop == start:
                before = stretches.pop()
                mine = slice(before[0].start, mine.stop)
                where = slice(before[1].start, where.stop)
            stretches.append((mine, where))
        else:
            return [
                Match(ours, theirs, mine, where, _rows(where, other))
                for mine, where in stretches
            ]
    return []


def match_parameters(ours: nn.Module, theirs: nn.Module) -> list[Match]:
    """Which parameter is which, found by its numbers and not by its name.

    Args:
        ours: a module with weights copied from `theirs`, or the other way round.
        theirs: a module of another library, after `randomise`.

    Returns:
        A `Match` for every stretch of our parameters, in their order. What only `theirs` has is left out.

    Raises:
        ValueError: numbers of ours that stand nowhere in theirs; they were not copied.
    """
    found, others = [], dict(theirs.named_parameters())
    flat = {name: p.detach().flatten() for name, p in others.items()}
    for name, parameter in ours.named_parameters():
        mine, parts = parameter.detach().flatten(), []
        for other, numbers in flat.items():
            if (start := _position(numbers, mine)) is not None:
                where = slice(start, start + len(numbers))
                parts.append(Match(name, other, where, slice(None)))
            elif (start := _position(mine, numbers)) is not None:
                where = slice(start, start + len(mine))
                rows = _rows(where, others[other])
                parts.append(Match(name, other, slice(0, len(mine)), where, rows))
        if not parts and parameter.dim() == 2:
            parts = _matching_rows(name, parameter.detach(), others)
        parts.sort(key=lambda match: match.our_part.start)
        ends = [0, *(match.our_part.stop for match in parts)]
        if [match.our_part.start for match in parts] != ends[:-1] or ends[-1] != len(
            mine
        ):
            raise ValueError(
                f"{name} of {type(ours).__name__} holds numbers that {type(theirs).__name__} does not hold; "
                "copy the weights before comparing, and randomise them before copying"
            )
        found += parts
    return found


class Table:
    """Rows that a notebook shows as a table, and that print as lines.

    Args:
        head: the columns' titles.
        rows: texts, one per title in each row; text in backticks is set as code.
    """

    def __init__(self, head: Sequence[str], rows: Sequence[Sequence[str]]):
        self.head, self.rows = head, rows

    def _repr_html_(self) -> str:
        def line(texts: Sequence[str], tag: str) -> str:
            # a long name may break behind a stop, an underscore, and within CamelCase; a number stays whole
            breaks = r"(?<=[._])(?=[^\W\d])|(?<=[a-z])(?=[A-Z])"
            broken = (re.sub(breaks, "<wbr>", escape(x)) for x in texts)
            code = r'<code style="white-space: normal">\1</code>'
            marked = (re.sub("`([^`]*)`", code, x) for x in broken)
            return "<tr>" + "".join(f"<{tag}>{x}</{tag}>" for x in marked) + "</tr>"

        head = f"<thead>{line(self.head, 'th')}</thead>"
        body = "\n".join(line(row, "td") for row in self.rows)
        table = f'<table class="table">\n{head}\n<tbody>\n{body}\n</tbody>\n</table>'
        return f'<div class="pst-scrollable-table-container">{table}</div>'

    def __repr__(self) -> str:
        return "\n".join(" · ".join(row) for row in [self.head, *self.rows])


def name_table(**peers: tuple[nn.Module, nn.Module]) -> Table:
    """How the parameters of one class are called in each library, read off the numbers.

    Args:
        peers: library → (ours, theirs), a pair with copied weights; ours is of one class in all pairs.

    Returns:
        A table with a row for each parameter of ours.
    """
    columns: dict[str, dict[str, list[str]]] = {}
    for library, (ours, theirs) in peers.items():
        for match in match_parameters(ours, theirs):
            column = columns.setdefault(match.ours, {})
            column.setdefault(library, []).append(f"`{match.theirs}`{match.rows}")
    rows = [
        [f"`{name}`", *(", ".join(column.get(library, ["–"])) for library in peers)]
        for name, column in columns.items()
    ]
    return Table(["this book", *peers], rows)
