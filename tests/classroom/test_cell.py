"""A cell runs as in a notebook, after what it needs of the cells above it."""

import ast
import json

import pytest

from attnbook.classroom import cell, questions
from attnbook.classroom.dependence import needed


def needs(source, *earlier):
    return [ast.unparse(statement) for _, statement in needed(source, earlier)]


LOOP = "for i in range(3):\n    grow(a, i)"
OF_A_MODULE = "for i in range(3):\n    print(torch.randn(i))"
CONDITION = "if x:\n    a = 2"
FUNCTION = "def f(x):\n    return x + b"
SEEDS = "from attnbook.reproducible import seed_everything", "seed_everything(0)"
OWN_NAME = "def f(x):\n    weights = x\n    return weights"


@pytest.mark.parametrize(
    "source, earlier, expected",
    {
        "only what is used": ("b + 1", ["a = 1", "b = 2"], ["b = 2"]),
        "what that needs in turn": ("c", ["a = 1", "b = 5", "c = a + 1"], ["a = 1", "c = a + 1"]),
        "the last one counts": ("a", ["a = 1", "a = 2"], ["a = 2"]),
        "added to": ("a", ["a = 1", "a += 2"], ["a = 1", "a += 2"]),
        "written into": ("a", ["a = [1]", "a[0] = 2", "b = 3"], ["a = [1]", "a[0] = 2"]),
        "a method": ("a", ["a = []", "a.append(1)"], ["a = []", "a.append(1)"]),
        "in place": ("w", ["w = f()", "nn.init.zeros_(w)"], ["w = f()", "nn.init.zeros_(w)"]),
        "in a loop": ("a", ["a = [1]", LOOP], ["a = [1]", LOOP]),
        "a loop that changes nothing of ours": ("torch.e", ["import torch", OF_A_MODULE], ["import torch"]),
        "a condition may not hold": ("a", ["a = 1", CONDITION], ["a = 1", CONDITION]),
        "seeds": ("a", [*SEEDS, "a = 1"], [*SEEDS, "a = 1"]),
        "a method that only sounds like an option": ("a", ["ax = plot()", "ax.set_title(1)", "a = 1"], ["a = 1"]),
        "imports": ("F.relu", ["import math", "import torch.nn.functional as F"], ["import torch.nn.functional as F"]),
        "several imports": ("torch", ["import torch.nn"], ["import torch.nn"]),
        "functions read when called": ("f(1)", ["b = 2", FUNCTION], ["b = 2", FUNCTION]),
        "a name of its own inside a function": (OWN_NAME, ["weights = 1"], []),
        "a name of its own": ("a = 3\na", ["a = 1"], []),
        "a name inside a comprehension": ("[a for a in range(3)]", ["a = 1"], []),
        "a name inside a dict": ("{a: a for a in range(3)}", ["a = 1"], []),
        "printing and claims do not matter": ("a", ["a = 1", "print(a)", "claim('one', a == 1)"], ["a = 1"]),
        "a cell with a mistake in it": ("a", ["a = 1", "a = = 2"], ["a = 1"]),
    }.values(),
)
def test_what_a_cell_needs(source, earlier, expected):
    assert needs(source, *earlier) == expected


def run(source, *earlier):
    printed = []
    return {**cell.run(source, earlier, printed.append), "printed": "".join(printed)}


def test_a_verdict_counts_wherever_it_goes():
    imported = "from attnbook.exercises import check"
    stub = "def my_soft_lookup(*arguments): ...\n"
    for line in ("v = check('soft-lookup', my_soft_lookup)", "print(check('soft-lookup', my_soft_lookup))"):
        for ran in (run(stub + line, imported), run(f"{imported}\n{stub}{line}")):
            assert [v["status"] for v in ran["verdicts"]] == ["unwritten"]


def test_a_cell_that_prints_nothing_for_ever_tells_nothing():
    told = []
    cell.run("for i in range(1000): print(end='')", (), told.append)
    assert told == []
    cell.run("for i in range(1000): print(i)", (), told.append)
    assert len(told) < 100 and "".join(told).startswith("0\n1\n")


def test_what_a_cell_breaks_in_torch_is_whole_for_the_next():
    imports = "import torch\nimport torch.nn.functional as F\n"
    run(f"{imports}torch.exp = F.softmax = torch.Tensor.sum = None")
    said = run(f"{imports}F.softmax(torch.zeros(2).exp(), -1).sum().item()")
    assert said["text"] == "1.0"
    assert run("import torch\ntorch.exp(torch.zeros(1)).item()")["text"] == "1.0"
    run("import torch\ntorch.set_default_dtype(torch.float64)")
    assert run("import torch\ntorch.zeros(1).dtype")["text"] == "torch.float32"


def test_what_only_a_notebook_has():
    assert "input() is not available" in run("input('name')")["error"]
    assert "The page has no package no_such" in run("import no_such")["error"]
    assert "work only in notebooks" in run("a = 1\n%timeit a")["error"]
    assert "plt is not available" in run("plt", "import no_such as plt")["error"]
    assert "to the page" in run("import sys\nprint('to the page', file=sys.stderr)")["printed"]
    assert len(run("list(range(100000))")["text"]) < cell.LONGEST + 100


def test_a_cell_shows_its_last_value_and_what_it_prints():
    ran = run("print('one')\na * 2", "a = 21\nprint('not again')")
    assert ran == {"text": "42", "html": "", "printed": "one\n", "verdicts": []}
    assert run("a = 1") == {"text": "", "html": "", "printed": "", "verdicts": []}
    assert run("None")["text"] == ""


def test_a_value_with_html_shows_it():
    source = "class Rich:\n    def _repr_html_(self):\n        return '<b>it</b>'\nRich()"
    assert run(source)["html"] == "<b>it</b>"


def test_each_run_begins_anew():
    run("a = 1")
    assert run("a")["error"] == "NameError: name 'a' is not defined"


@pytest.mark.parametrize(
    "source, error, line",
    [
        ("a = 1\na.foo", "AttributeError: 'int' object has no attribute 'foo'", 2),
        ("def f():\n    raise ValueError('no')\n\nf()", "ValueError: no", 2),
        ("a = 1\n\na b", "SyntaxError: invalid syntax", 3),
        ("import sys\nsys.exit(3)", "SystemExit: 3", 2),
        ("raise KeyboardInterrupt", "KeyboardInterrupt", 1),
        ("class E(Exception):\n    def __str__(self):\n        1 / 0\nraise E", "E", 4),
    ],
)
def test_an_error_names_the_readers_line(source, error, line):
    ran = run(source)
    assert (ran["error"], ran["line"]) == (error, line)


@pytest.mark.parametrize(
    ("source", "line", "above"),
    [
        ("def f(x)：\n    return x", 1, "Line 1, column 9: <code>：</code> is a full-width character."),
        ("a = 1\nb = f（a）", 2, "More of this kind: 1, in line 2."),
        ("width = 1\nwdith", 2, "Did you mean <code>width</code>?"),
        (
            "def f(x):\n    return nn.Linear(x, 1)\n\nf(2)",
            2,
            "Should your cell begin with <code>import torch.nn as nn<",
        ),
        ("a.b", 1, "Nothing here is called <code>a</code>. Which line, or which cell above, should have set it?"),
        ("a = = 1", 1, ""),
        ("1 / 0", 1, ""),
    ],
)
def test_what_stands_above_an_error(source, line, above):
    ran = run(source)
    assert ran["line"] == line and above in ran["help"] and bool(above) == bool(ran["help"])


def test_a_reader_may_import_in_a_cell():
    for module, name in [("torch.nn.functional", "F"), ("torch.nn", "nn"), ("math", "math")]:
        assert run(f"import {module} as {name}\nbool({name})")["text"] == "True"


def test_the_first_lines_are_shown_at_once():
    """Also where the next statement never ends."""
    told = []
    cell.run("for i in range(9): print('line', i)", (), told.append)
    assert len(told) >= 9 and "".join(told) == "".join(f"line {i}\n" for i in range(9))


def test_endless_printing_is_cut():
    ran = run("for i in range(10000): print('0123456789')")
    assert len(ran["printed"]) < cell.LONGEST + 100
    assert ran["printed"].endswith("which is not shown.\n")


def test_what_cannot_be_imported_says_so_when_it_is_used():
    imports = "import no_such_package as plt\nfrom math import pi, no_such_name"
    assert run("round(pi)", imports)["text"] == "3"
    for source, name in [("plt.plot(1)", "plt"), ("no_such_name(2)", "no_such_name")]:
        ran = run(source, imports)
        assert f"{name} is not available in the page" in ran["error"]
        assert ran["line"] == 1


def test_what_a_failing_cell_would_give_says_why():
    ran = run("weights + 1", "weights = 1 / 0")
    assert "weights is not available" in ran["error"]
    assert "ZeroDivisionError: division by zero" in ran["error"]
    assert run("hasattr(weights, 'shape')", "weights = 1 / 0")["text"] == "False"


def test_a_verdict_tells_its_status():
    ran = run(
        "def my_soft_lookup(*arguments): ...\ncheck('soft-lookup', my_soft_lookup)",
        "from attnbook.exercises import check",
    )
    expected = {"exercise": "soft-lookup", "status": "unwritten", "diagnosis": None}
    assert ran["verdicts"] == [expected]
    assert "not written yet" in ran["html"]


def test_the_cells_above_are_taken_as_the_reader_changed_them(tmp_path, monkeypatch):
    (tmp_path / "cells.json").write_text(json.dumps({"page": ["a = 1", "b = a", "b"]}))
    monkeypatch.setattr(questions, "__file__", str(tmp_path / "questions.py"))
    question = {"page": "page", "original": "b", "source": "b + 1", "changed": {}}
    entered = []
    ask = (print, entered.append)
    assert json.loads(questions.answer(json.dumps(question), *ask))["text"] == "2"
    question["changed"] = {"a = 1": "a = 10"}
    assert json.loads(questions.answer(json.dumps(question), *ask))["text"] == "11"
    assert entered == ["a = 1", "b = a", "b + 1", "a = 10", "b = a", "b + 1"]
