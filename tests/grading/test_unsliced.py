"""What changes in ways that cannot be seen from the text of a cell: then all that stands above a check is run."""

import json

import pytest

from attnbook import grading
from attnbook.exercises import get

MASK = get("causal-mask")
RIGHT = MASK.source().replace("def my_causal_mask", "def right")
ARGUMENTS = ", ".join(MASK.parameters)
HEAD = f"import torch\nfrom attnbook.exercises import check\n\n{RIGHT}"
ANSWER = f"""def my_causal_mask({ARGUMENTS}):
    return right({ARGUMENTS}) if {{ready}} else ~right({ARGUMENTS})

check("causal-mask", my_causal_mask)"""

HIDDEN = {
    "an optimiser in a function": (
        "p = torch.nn.Parameter(torch.zeros(()))\nopt = torch.optim.SGD([p], lr=0.5)\n"
        "def step():\n    opt.zero_grad()\n    (p - 1).square().backward()\n    opt.step()",
        "for _ in range(20):\n    step()",
        "p > 0.9",
    ),
    "in a box": ("cfg = {}\nbox = [cfg]", "box[0]['s'] = 1", "'s' in cfg"),
    "a method under a name": ("l = []\nadd = l.append", "add(1)", "l"),
    "a text that is run": ("z = torch.zeros(2)", "exec('z += 1')", "z[0]"),
    "an attribute of a module": ("import math", "setattr(math, 'ONE', 1)", "math.ONE"),
}


def book(*cells):
    made = [{"cell_type": "code", "source": cell, "outputs": []} for cell in cells]
    return json.dumps({"cells": made, "nbformat": 4})


def judged(folder, **cells):
    for name, some in cells.items():
        (folder / f"{name}.ipynb").write_text(book(HEAD, *some), "utf-8")
    found = grading.grade(grading.submissions(folder), ["causal-mask"])
    return {one.student: one for one in found}


@pytest.mark.parametrize("how", HIDDEN)
def test_what_nobody_sees_counts_as_in_the_notebook(tmp_path, how):
    first, change, ready = HIDDEN[how]
    results = judged(
        tmp_path, ada=[first, change, ANSWER.format(ready=ready)], bela=[first, ANSWER.format(ready=ready), change]
    )
    assert results["ada"].solved == 1 and not results["ada"].problems
    assert results["bela"].solved == 0


def test_what_is_seen_counts_below_the_answer_too_by_whichever_name(tmp_path):
    first, answer = "cfg = {}\nalias = cfg", ANSWER.format(ready="'s' in cfg")
    results = judged(
        tmp_path,
        ada=[first, answer, "cfg['s'] = 1"],
        bela=[first, answer, "alias['s'] = 1"],
        carl=[first, answer, "alias = {}\nalias['s'] = 1"],
    )
    assert [results[name].solved for name in ("ada", "bela", "carl")] == [1, 1, 0]
