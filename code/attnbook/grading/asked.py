"""Which exercises are asked for: by name, by number, by chapter, or by a week of the plan for a course."""

import functools
from collections.abc import Sequence

from attnbook.exercises import get, names

#: What the plan of the page "Teaching with this book" sets in each of its weeks.
WEEKS = {
    1: ("soft-lookup", "nadaraya-watson"),
    2: ("leave-one-out", "left-out"),
    3: ("masked-softmax", "padding-and-causal"),
    4: ("scaled-dot-scores", "unit-variance"),
    5: ("causal-mask", "leaks"),
    6: ("split-heads", "torch-weights"),
    7: ("odd-size", "layer-norm"),
    8: ("teacher-forcing", "count-parameters"),
    9: ("masked-loss", "bahdanau-step"),
    10: ("label-smoothing", "beam-search"),
    11: ("merge-softmax", "linear-attention"),
    12: ("biaffine-score", "prefix-matching"),
    13: ("bits-per-byte", "contrastive-loss"),
}


@functools.cache
def numbers() -> dict[str, str]:
    """The exercises' names by the numbers that the pages give them: ``{"1.1": "soft-lookup", …}``."""
    found: dict[str, str] = {}
    chapter, count = 0, 0
    for name in names():
        count = count + 1 if get(name).chapter == chapter else 1
        chapter = get(name).chapter
        found[f"{chapter}.{count}"] = name
    return found


def chosen(
    exercises: Sequence[str] | None = None, chapters: Sequence[int] | None = None, weeks: Sequence[int] | None = None
) -> list[str]:
    """The exercises that are asked for.

    Args:
        exercises: their names or numbers ("masked-softmax", "4.1"), or None.
        chapters: the numbers of chapters, or None.
        weeks: those of the plan (`WEEKS`), or None; without any of the three, all exercises.

    Returns:
        Names, in the order of the book.

    Raises:
        ValueError: no such exercise or week, or a chapter without exercises.
    """
    wanted: set[str] = set()
    for name in exercises or ():
        if name[:1].isdigit():
            if name not in numbers():
                raise ValueError(f"there is no exercise {name}{_nearest(name)}")
            name = numbers()[name]
        wanted.add(get(name).name)
    if chapters:
        known = {name: get(name).chapter for name in names()}
        if absent := {*chapters} - {*known.values()}:
            raise ValueError(
                f"there are exercises in chapters {min(known.values())} to {max(known.values())}, not in {min(absent)}"
            )
        wanted |= {name for name in known if known[name] in chapters}
    for week in weeks or ():
        if week not in WEEKS:
            raise ValueError(f"the plan has weeks 1 to {max(WEEKS)}, not {week}")
        wanted |= {*WEEKS[week]}
    everything = not (exercises or chapters or weeks)
    return [name for name in names() if everything or name in wanted]


def _nearest(number: str) -> str:
    chapter = number.partition(".")[0]
    count = sum(one.partition(".")[0] == chapter for one in numbers())
    if not count:
        return "; numbers are those of the pages, such as 4.1"
    return f"; chapter {chapter} has {chapter}.1 to {chapter}.{count}"
