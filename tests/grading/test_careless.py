"""What honest and careless people hand in: files of other programs, cells out of order, helpers that are run."""

import json

import pytest
from handed_in import RIGHT, WRONG, book, written

NEEDY = written("{HELPER}\n{NEEDY}\n{CHECK}")
ASKS = 'from attnbook.exercises import check\ncheck("causal-mask", mine)'


def changed(*cells, **over):
    """A notebook as another program may have written it."""
    return json.dumps(json.loads(book(*cells)) | over)


def each(*cells, **over):
    made = json.loads(book(*cells))
    made["cells"] = [cell | over for cell in made["cells"]]
    return json.dumps(made)


ODD = [None, "x", {"data": None}, {"text": None}, {"data": {"text/plain": {}}}]
MORE = [None, {}, {"cell_type": "code"}, {"cell_type": "code", "source": 3}]
AGAIN = {"cell_type": "code", "input": RIGHT.splitlines(True), "outputs": None}


@pytest.mark.parametrize(
    "content",
    [
        changed(RIGHT, metadata=None),
        changed(RIGHT, metadata={"kernelspec": "python3", "language_info": None}),
        changed(RIGHT, metadata={"language_info": {"name": "xpython"}}),
        changed(RIGHT, nbformat=None, nbformat_minor=0),
        changed(RIGHT, worksheets=[]),
        json.dumps({"worksheets": [None, {"cells": [AGAIN]}], "nbformat": 2}),
        each(RIGHT, outputs=None, metadata=None),
        each(RIGHT, outputs=ODD),
        json.dumps({"cells": json.loads(book(RIGHT))["cells"] + MORE}),
        book(RIGHT).encode("utf-8-sig"),
        book(RIGHT).encode("utf-16"),
        book(RIGHT.replace("\n", "\r\n")),
    ],
    ids=lambda content: str(content)[:40] + str(len(content)),
)
def test_a_notebook_of_any_program_is_read(judged, content):
    verdicts, problems = judged({"a.ipynb": content})
    assert verdicts["causal-mask"] and not problems


ODD_LINES = ["# coding: rot13", "# coding: klingon", "%run 'a\\0'", f"%run {'a' * 999}"]


@pytest.mark.parametrize("line", ODD_LINES, ids=range(4))
def test_an_odd_line_costs_nobody_the_answer(judged, line):
    assert judged({"a.py": f"{line}\n{RIGHT}"})[0]["causal-mask"]
    cell = "get_ipython().run_line_magic('run', 'a\\0b')"
    assert judged({"b.ipynb": book(line, cell, RIGHT)})[0]["causal-mask"]


@pytest.mark.parametrize("encoding", ["latin-1", "cp1252", "utf-16", "utf-8-sig"])
@pytest.mark.parametrize("ends", ["\n", "\r\n", "\r"])
def test_a_python_file_of_any_editor_is_read(judged, encoding, ends):
    text = f"# café\n{RIGHT}".replace("→", "->").replace("\n", ends)
    content = text.encode(encoding, "replace")
    verdicts, problems = judged({"a.py": content})
    assert verdicts["causal-mask"] and not problems


EXPORTED = {
    "writefile": "get_ipython().run_cell_magic('writefile', 'own.py', 'SHIFT = 1\\n')\nfrom own import SHIFT",
    "await": "async def shift():\n    return 1\n\n# In[2]:\nSHIFT = await shift()",
    "bang": "!pip install nothing\nSHIFT = 1",
    "time": "get_ipython().run_line_magic('time', 'SHIFT = 1')",
    "tabs": "if True:\n\tSHIFT = 1",
}


@pytest.mark.parametrize("how", EXPORTED)
def test_a_notebook_saved_as_a_script(judged, how):
    text = f"#!/usr/bin/env python\n# coding: utf-8\n\n# In[1]:\n\n{EXPORTED[how]}\n\n# In[ ]:\n\nimport torch\n{NEEDY}"
    verdicts, problems = judged({"a.py": text})
    assert verdicts["causal-mask"] and not problems


@pytest.mark.parametrize(
    "cells, beside",
    [
        (["%run other.py"], {"other.py": "SHIFT = 1"}),
        (["%run -i 'lib/my other.py' 2"], {"lib/my other.py": "import sys\nSHIFT = int(sys.argv[1])"}),
        (["%run other"], {"other.ipynb": book("%time SHIFT = 1")}),
        (["if True:\n    %run other"], {"other.py": "# two\n# lines\nfor SHIFT in [3]:\n    pass"}),
        (["%run other"], {"other.py": "%run more.py", "more.py": "%run other.py\nSHIFT = 1"}),
        (["exec(open('other.py').read())"], {"other.py": "SHIFT = 1"}),
        (["%cd lib", "from other import SHIFT"], {"lib/other.py": "SHIFT = 1"}),
        (["cd lib", "SHIFT = int(open('shift.txt').read())"], {"lib/shift.txt": "1"}),
    ],
    ids=lambda given: given[0] if isinstance(given, list) else "",
)
def test_what_lies_beside_the_notebook_is_run(judged, cells, beside):
    verdicts, problems = judged({"a.ipynb": book(*cells, NEEDY), **beside}, beside=beside)
    assert verdicts["causal-mask"], verdicts["causal-mask"]
    assert problems == []


def test_a_check_in_a_module_beside_the_notebook_counts(judged):
    asks = "from attnbook.exercises import check\ndef go(f):\n    return check('causal-mask', f)"
    for answer, solved in ((RIGHT, True), (WRONG, False)):
        cell = f"{answer.replace('my_causal_mask', 'mine')}\nimport asks\nasks.go(mine)"
        verdicts, problems = judged({"a.ipynb": book(cell), "asks.py": asks}, beside=["asks.py"])
        assert bool(verdicts["causal-mask"]) is solved and problems == []


def counted(*cells):
    """A notebook of cells and of the moments at which they were run."""
    made = json.loads(book(*(code for code, _ in cells)))
    for cell, (_, count) in zip(made["cells"], cells, strict=True):
        cell["execution_count"] = count
    return json.dumps(made)


@pytest.mark.parametrize(
    "cells",
    [
        [("SHIFT = None", 4), (NEEDY, 3), ("SHIFT = 1", 2)],
        [("SHIFT = 1", 2), ("SHIFT = None", 1), (NEEDY, 3)],
        [("SHIFT = SHIFT - BASE", 3), ("SHIFT = 2\nBASE = 1", 2), ("def my_causal_mask(): 0", None), (NEEDY, 4)],
    ],
    ids=["changed afterwards", "run upwards", "needs what stands below"],
)
def test_cells_count_in_the_order_in_which_they_were_run(judged, cells):
    verdicts, problems = judged({"a.ipynb": counted(("import torch", 1), *cells)})
    assert verdicts["causal-mask"] and problems == []
    cells[0] = ("SHIFT = None", 2.5)  # no count at all
    assert not judged({"a.ipynb": counted(("import torch", 1), *cells[:1], (NEEDY, 3))})[0]["causal-mask"]


@pytest.mark.parametrize(
    "cells, said",
    [
        ([written("{NEEDY}\n{CHECK}")], "No cell that was handed in gives before."),
        ([("raw", RIGHT), ASKS.replace("mine", "my_causal_mask")], "stands in a cell that is not a code cell"),
        (["%%writefile own.py\n" + RIGHT], "is written to own.py, which is neither imported nor run"),
        (["%run other.py", NEEDY], "other.py cannot be parsed (SyntaxError"),
        ([RIGHT.replace("def my_causal_mask", "def my_c\u0430usal_mask"), written("{CHECK}")], "CYRILLIC"),
    ],
    ids=["no such name", "a raw cell", "written and left", "a script that cannot be parsed", "another alphabet"],
)
def test_what_was_not_understood_is_a_problem(judged, cells, said):
    made = json.loads(book(*(code if isinstance(code, str) else code[1] for code in cells)))
    for cell, code in zip(made["cells"], cells, strict=True):
        cell["cell_type"] = "code" if isinstance(code, str) else code[0]
    verdicts, problems = judged({"a.ipynb": json.dumps(made), "other.py": "x = = 3"}, beside=["other.py"])
    assert not verdicts["causal-mask"] and any(said in one for one in problems), problems


def test_a_slow_cell_does_not_shorten_a_check(judged, monkeypatch):
    """Everything is run, since the text shows no check; a cell without end is left, and the answer has its own time."""
    monkeypatch.setattr("attnbook.grading.judging.SECONDS", 0.2)
    slow = RIGHT.replace("my_causal_mask", "mine").replace("    ", "    time.sleep(0.05)\n    ", 1)
    ask = "import importlib\nimportlib.import_module('attnbook.exercises').check('causal-mask', mine)"
    verdicts, problems = judged({"a.ipynb": book("import time", "while True:\n    pass", slow, ask)})
    assert verdicts["causal-mask"] and problems == []


def test_a_cell_that_trains_for_ever_stops_nobody(judged, monkeypatch):
    monkeypatch.setattr("attnbook.grading.judging.SECONDS", 0.2)
    cells = "while True:\n    pass", written("{WRONG}\n{CHECK}")
    verdicts, problems = judged({"a.ipynb": book(*cells)})
    assert verdicts["causal-mask"].status == "wrong" and problems == []
