"""What the page asks Python, and Python answers, as JSON."""

import importlib
import json
from collections.abc import Callable
from pathlib import Path

from attnbook.classroom.cell import run


def earlier_cells(page: str, original: str, changed: dict[str, str]) -> list[str]:
    """The code of the cells above one of a page, those that the reader has changed as they stand now."""
    cells = json.loads(Path(__file__).with_name("cells.json").read_text("utf-8")).get(page, [])
    above = cells[: cells.index(original)] if original in cells else []
    return [changed.get(cell, cell) for cell in above]


def answer(question: str, tell: Callable[[str], None], enter: Callable[[str], None]) -> str:
    """What the worker asks: JSON with `page`, `original`, `source` and `changed`; JSON of what `run` returns."""
    asked = json.loads(question)
    earlier = earlier_cells(asked["page"], asked["original"], asked["changed"])
    return json.dumps(run(asked["source"], earlier, tell, enter))


def warm() -> None:
    """Import what nearly every cell needs, before the reader asks."""
    importlib.import_module("torch")
    importlib.import_module("attnbook.exercises")
