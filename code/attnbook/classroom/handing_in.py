"""Answers that were written in the page, as a notebook: to hand in, to go on with in JupyterLab, to read back."""

import ast
import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from attnbook.classroom.dependence import needed
from attnbook.exercises import get
from attnbook.exercises.exercise import CHAPTERS

CHECK = re.compile(r'^check\("([\w-]+)".*$', re.MULTILINE)
DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
HEADING = "Written for cells that this edition of the book does not have"


def key(page: str, source: str) -> str:
    """Under which name the browser keeps what a reader makes of a cell; the same as in `cells.js`.

    Args:
        page: for instance "chapters/04-masked-softmax".
        source: the cell as the book has it.

    Returns:
        The page, a colon, and the exercise's name or, for another cell, a number made of its code.
    """
    if exercise := CHECK.search(source):
        return f"{page}:{exercise[1]}"
    number, digits = 5381, ""
    for sign in source:
        number = (number * 33 + ord(sign)) % 2**32
    while number or not digits:
        number, digit = divmod(number, 36)
        digits = DIGITS[digit] + digits
    return f"{page}:{digits}"


def notebook(pages: Mapping[str, Sequence[str]], kept: Mapping[str, str]) -> dict:
    """A notebook of a reader's answers, and of what they need of the cells above them.

    Args:
        pages: the code of each page's cells.
        kept: what the reader has written, by `key`.

    Returns:
        The notebook, nbformat 4.5. A changed cell is there as it was written, an answer with the line that checks it
        even if that was taken out, and says in its metadata whose place it takes. Of other cells there are those
        statements that a changed one needs. What belongs to no cell of the book stands at the end, as plain text.
    """
    made, placed = [], set()
    for page, originals in pages.items():
        keys = [key(page, source) for source in originals]
        placed.update(keys)
        mine = [number for number, name in enumerate(keys) if name in kept]
        if not mine:
            continue
        now = list(originals)
        for number in mine:
            now[number] = _with_check(kept[keys[number]], originals[number])
        lines = _lines(now, mine)
        stem = page.rpartition("/")[2]
        made.append(_cell("markdown", f"{stem}-", f"# {_title(stem, originals)}"))
        for number in sorted({*mine, *lines}):
            name, source = f"{stem}-{number}", now[number]
            if number in mine:
                made.append(_cell("code", name, source, {"attnbook": keys[number]}))
            else:
                every = source.split("\n")
                few = "\n".join(every[n] for n in sorted(lines[number]))
                made.append(_cell("code", name, few))
    if left := [name for name in kept if name not in placed]:
        made.append(_cell("markdown", "left-", f"# {HEADING}"))
        made += [_cell("raw", f"left-{n}", kept[name], {"attnbook": name}) for n, name in enumerate(left)]
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    return {
        "cells": made,
        "metadata": {"kernelspec": kernel, "language_info": {"name": "python"}},
        "nbformat": 4,
        "nbformat_minor": 5,
    }


def _with_check(written: str, original: str) -> str:
    """A reader's answer, with the line that checks it."""
    line = CHECK.search(original)
    if line is None or _checks(written, line[1]):
        return written
    return f"{written.rstrip()}\n\n{line[0]}"


def _checks(written: str, exercise: str) -> bool:
    """Whether an answer, when it is run, checks itself: a call in a comment, a text or a function does not."""
    try:
        below: list[ast.AST] = [ast.parse(written)]
    except (SyntaxError, ValueError):  # magics, or what cannot run before it is mended
        call = rf"""^[^#\n]*\bcheck\(\s*["']{exercise}["']"""
        return re.search(call, written, re.MULTILINE) is not None
    while below:
        match below.pop():
            case ast.Call(ast.Name("check"), [ast.Constant(name), *_]) if name == exercise:
                return True
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.Lambda():
                continue
            case node:
                below += ast.iter_child_nodes(node)
    return False


def _lines(now: Sequence[str], mine: Sequence[int]) -> dict[int, set[int]]:
    """Which lines of the book's own cells the reader's need, by the cell's number."""
    found: dict[int, set[int]] = {}
    for number in mine:
        for cell, statement in needed(now[number], now[:number]):
            parts = statement, *getattr(statement, "decorator_list", ())
            first = min(part.lineno for part in parts)
            for other in range(number):
                if other not in mine and now[other] == cell:
                    lines = range(first - 1, statement.end_lineno or first)
                    found.setdefault(other, set()).update(lines)
    return found


def _title(stem: str, originals: Sequence[str]) -> str:
    for found in filter(None, map(CHECK.search, originals)):
        chapter = get(found[1]).chapter
        return f"{chapter}. {CHAPTERS[chapter]}"
    return stem


def _cell(kind: str, name: str, source: str, metadata: Mapping[str, str] | None = None) -> dict:
    cell = {"cell_type": kind, "id": name[-64:], "metadata": dict(metadata or {}), "source": source}
    return cell | ({"execution_count": None, "outputs": []} if kind == "code" else {})


def answer(question: str) -> str:
    """What the worker asks: JSON with `kept`; JSON with the notebook's text, and the names of the answers in it."""
    stored = Path(__file__).with_name("cells.json").read_text("utf-8")
    pages, kept = json.loads(stored), json.loads(question)["kept"]
    known = {key(page, cell) for page, cells in pages.items() for cell in cells if CHECK.search(cell)}
    made = json.dumps(notebook(pages, kept), ensure_ascii=False, indent=1)
    answers = [name.rpartition(":")[2] for name in kept if name in known]
    return json.dumps({"notebook": f"{made}\n", "answers": answers})
