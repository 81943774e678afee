"""Predictions, quizzes and questions to think about: what a chapter's text asks, and what is wrong with it."""

from __future__ import annotations

import re
from typing import NamedTuple

from nbformat import NotebookNode

# a box of one class, and in it the choices: title, options, reply
BOX = r"^(:{4,}|`{4,})\{admonition\}[^\n]*\n:class: %s\n(.*?)^\1\s*$"
CHOICE = re.compile(r"^(:{3,}|`{3,})\{dropdown\} ([^\n]*)\n((?::[\w-]+:[^\n]*\n)*)(.*?)^\1\s*$", re.M | re.S)
RIGHT = ":class-container: right"


class Choice(NamedTuple):
    """One of the choices of a prediction or a quiz question."""

    title: str
    right: bool
    reply: str


def boxes_of(cell: NotebookNode, kind: str) -> list[list[Choice]]:
    """The choices of every box of class `kind`, predict or quiz, in a Markdown cell."""
    return [
        [Choice(title, RIGHT in options, reply.strip()) for _, title, options, reply in CHOICE.findall(body)]
        for _, body in re.findall(BOX % kind, cell.source, re.M | re.S)
    ]


def wrong_quiz(notebook: NotebookNode) -> list[str]:
    """Three or four questions with three or four choices each, one of them right, and a reply to every one."""
    cells = [cell for cell in notebook.cells if cell.cell_type == "markdown"]
    questions = [box for cell in cells for box in boxes_of(cell, "quiz")]
    marked = sum(cell.source.count(":class: quiz") for cell in cells)
    problems = []
    if len(questions) not in (3, 4) or len(questions) != marked:
        problems.append(
            f"Check yourself has {len(questions)} questions; it needs three or four, "
            "each an admonition of four colons or more and `:class: quiz`"
        )
    for number, choices in enumerate(questions, 1):
        if len(choices) not in (3, 4):
            problems.append(f"question {number} has {len(choices)} choices; it needs three or four")
        if sum(choice.right for choice in choices) != 1:
            problems.append(f"question {number} needs one right choice, marked by a line `{RIGHT}`")
        problems += [f"question {number} has no reply to {choice.title!r}" for choice in choices if not choice.reply]
    for choices in [box for cell in cells for box in boxes_of(cell, "predict")]:
        problems += [
            f"the choice {choice.title!r} needs a line `{RIGHT}`, or a reply that does not begin with {opening}"
            for choice in choices
            for opening in ("Yes", "Right")
            if re.match(rf"{opening}\b", choice.reply) and not choice.right
        ]
    places = [[choice.right for choice in box].index(True) for box in questions if any(choice.right for choice in box)]
    if len(places) > 2 and len(set(places)) == 1:
        problems.append("the right choice has the same place in every question")
    return problems


def unanswered(notebook: NotebookNode) -> list[str]:
    """Every prediction has choices with a reply to each, every question to think about a folded answer."""
    problems = []
    for number, cell in enumerate(notebook.cells, 1):
        if cell.cell_type != "markdown":
            continue
        boxes = boxes_of(cell, "predict")
        if len(boxes) != cell.source.count(":class: predict") or any(
            len(choices) < 2 or not all(choice.reply for choice in choices) for choices in boxes
        ):
            problems.append(
                f"cell {number}: a prediction needs two or more choices, each a {{dropdown}} with its reply, "
                "inside an admonition of four colons or more"
            )
        _, _, thoughts = cell.source.partition("### To think about")
        count = len(re.findall(r"^\*\*\d+\.\*\* ", thoughts, re.M))
        if count != thoughts.count("{dropdown} Answer") or (thoughts and not count):
            problems.append(
                f"cell {number}: each question to think about, `**1.** …`, needs a `{{dropdown}} Answer` below it"
            )
    return problems
