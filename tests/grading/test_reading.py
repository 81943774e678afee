"""A submission is judged as its author saw it judged, or a sentence says what was not understood."""

import json
import re
from pathlib import Path

import pytest

from attnbook.exercises import get
from attnbook.grading.companions import Home
from attnbook.grading.judging import Submission
from attnbook.grading.reading import NotASubmission
from attnbook.grading.remarks import doubted, remarks
from attnbook.grading.worker import best_of

EXERCISE = get("causal-mask")
SOURCE = EXERCISE.source()
RIGHT = f"import torch\n{SOURCE}"
WRONG = RIGHT.replace(*EXERCISE.mistakes[0].edits[0])
HEAD = "def my_causal_mask(num_queries, num_keys):\n"
PIECES = {
    "RIGHT": RIGHT,
    "WRONG": WRONG,
    "SOURCE": SOURCE,
    "MINE": f"import torch\n{SOURCE.replace('my_causal_mask', 'mine')}",
    "STUB": f"{HEAD}    ...",
    # an answer that needs a helper, and the helper
    "NEEDY": f"import torch\n{HEAD}    return before(num_keys) <= before(num_keys)[num_keys - num_queries:, None]",
    "HELPER": "def before(n):\n    return torch.arange(n) + SHIFT",
    "CHECK": 'from attnbook.exercises import check\ncheck("causal-mask", my_causal_mask)',
}


def written(text):
    """A text in which names of pieces stand for them, indented as they are."""

    def piece(found):
        return re.sub("^(?=.)", found[1], PIECES[found[2]].strip(), flags=re.MULTILINE)

    return re.sub(r"^( *)\{([A-Z]+)\}$", piece, text, flags=re.MULTILINE)


NOTEBOOKS = {
    one.partition("\n")[0]: written(one.partition("\n")[2].strip("\n")).split("\n---\n")
    for one in Path(__file__)
    .with_name("notebooks.txt")
    .read_text("utf-8")
    .split("=== ")[1:]
}


def book(*cells, **about):
    """A notebook; a cell is its code, or its code and what its output shows."""
    made = []
    for cell in cells:
        code, shown = (cell, "") if isinstance(cell, str) else cell
        output = {"output_type": "execute_result", "data": {"text/plain": [shown]}}
        outputs = [output] if shown else []
        source = code.splitlines(True)
        made.append({"cell_type": "code", "source": source, "outputs": outputs})
    return json.dumps({"cells": made, "nbformat": 4, "metadata": about})


@pytest.fixture
def judged(tmp_path, monkeypatch):
    """Judges files as the grader does, but in this process: the verdict, and the problems."""
    monkeypatch.setenv("ATTNBOOK_PROGRESS", "off")
    monkeypatch.chdir(tmp_path)
    handed_in, working = tmp_path / "ada", tmp_path / "working"
    working.mkdir()

    def judge(files, asked=("causal-mask",), beside=()):
        for name, content in files.items():
            path = handed_in / name
            path.parent.mkdir(parents=True, exist_ok=True)
            content = content.encode() if isinstance(content, str) else content
            path.write_bytes(content)
        home, read, problems = Home(working, handed_in), [], []
        for name in files:
            if name.endswith((".py", ".ipynb")) and name not in beside:
                try:
                    read.append(Submission(handed_in / name, home=home))
                except NotASubmission as error:
                    problems.append(str(error))
        problems += [one for one in (home.problem(), *remarks(read, asked)) if one]
        verdicts = {}
        for name in asked:
            function = get(name).function
            with_it = [one for one in read if one.answers(name, function)]
            verdict = best_of(name, function, with_it) if with_it else None
            problems += doubted(read, name, verdict)
            verdicts[name] = verdict
        return verdicts, problems

    return judge


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_what_the_notebook_showed_as_right_is_right(judged, name):
    verdicts, problems = judged({"a.ipynb": book(*NOTEBOOKS[name])})
    assert verdicts["causal-mask"].status == "solved", verdicts["causal-mask"]
    assert problems == []
