"""The stored outputs are compared: one changed digit, or one changed line of shown source, fails nbval.

Of one chapter a copy is changed in several cells, each in one digit, and cut off after the last of them; one run of
pytest then says of every cell whether that was noticed. A copy without any change shows that the change is it.
"""

import copy
import os
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import nbformat
import pytest

from attnbook.command.repository import NBVAL
from tools import ROOT
from tools.notebooks import calls
from tools.rules import package_names

CHAPTER = "04-masked-softmax"
KINDS = {  # what a reader sees → how to find it in an output
    "printed": lambda output: output.get("text") if output.get("name") == "stdout" else None,
    "value": lambda output: output.data.get("text/plain") if output.output_type == "execute_result" else None,
    "figure": lambda output: output.get("data", {}).get("text/html"),
    "source": lambda output: output.get("data", {}).get("text/markdown"),
}


def digits(text: str) -> list[int]:
    """Where the digits of a text stand, those of embedded pictures left out."""
    blank = re.sub(r"base64,[A-Za-z0-9+/=]*", lambda picture: " " * len(picture.group()), text)
    return [found.start() for found in re.finditer(r"\d", blank)]


def change_digit(text: str) -> str:
    """The text with its last digit changed."""
    at = digits(text)[-1]
    return text[:at] + str((int(text[at]) + 1) % 10) + text[at + 1 :]


def change_one(notebook, kind: str, changed: list[int]) -> int:
    """Change one digit in the first output of a kind, in a cell not changed yet; the number of the code cell."""
    for number, cell in enumerate(cell for cell in notebook.cells if cell.cell_type == "code"):
        ignored = "nbval-ignore-output" in cell.metadata.get("tags", [])
        for output in cell.outputs:
            text = KINDS[kind](output)
            if text and digits(text) and not ignored and number not in changed:
                if "text" in output:
                    output.text = change_digit(text)
                else:
                    mime = next(mime for mime, data in output.data.items() if data == text)
                    output.data[mime] = change_digit(text)
                return number
    raise AssertionError(f"{CHAPTER} has no output of the kind {kind} with a digit in it; choose another chapter")


def first_shown(notebook) -> tuple[str, int]:
    """(name of the first function of the package that the chapter shows, number of the code cell)."""
    names = package_names()
    for number, cell in enumerate(cell for cell in notebook.cells if cell.cell_type == "code"):
        for call in calls(cell, "show"):
            if getattr(call.args[0], "id", None) in names:
                return call.args[0].id, number
    raise AssertionError(f"{CHAPTER} shows no function of the package; choose another chapter")


def upto(notebook, number: int):
    """A copy that ends with the code cell of this number."""
    cut = copy.deepcopy(notebook)
    code = [index for index, cell in enumerate(cut.cells) if cell.cell_type == "code"]
    cut.cells = cut.cells[: code[number] + 1]
    return cut


def failed_cells(folder: Path) -> dict[str, list[int]]:
    """Run nbval as `make test` does in a copy of the repository; notebook → numbers of the cells that fail."""
    report = folder / "report.xml"
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *NBVAL, f"--junitxml={report}", "chapters"],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(folder / "code")},
        capture_output=True,
        text=True,
    )
    assert done.returncode in (0, 1), done.stdout + done.stderr
    failed = {path.stem: [] for path in (folder / "chapters").glob("*.ipynb")}
    cases = list(ElementTree.parse(report).iter("testcase"))
    assert {case.get("classname").rpartition(".")[0] or case.get("classname") for case in cases}
    for case in cases:
        if case.find("failure") is not None or case.find("error") is not None:
            notebook = next(name for name in failed if name in case.get("classname"))
            failed[notebook].append(int(case.get("name").removeprefix("Cell ")))
    return failed


@pytest.fixture
def workplace(tmp_path):
    """A copy of what nbval needs, with a copy of the package, and the chapter's notebook."""
    for name in ("tools", "code"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__", "*.egg-info"))
    for name in ("conftest.py", "pyproject.toml", "tests/nbval_sanitize.cfg"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    (tmp_path / "chapters").mkdir()
    return tmp_path, nbformat.read(ROOT / "chapters" / f"{CHAPTER}.ipynb", as_version=4)


def test_one_changed_digit_in_any_kind_of_output_is_noticed(workplace):
    folder, notebook = workplace
    copied, changed = copy.deepcopy(notebook), []
    for kind in KINDS:
        changed.append(change_one(copied, kind, changed))
    for name, one in {"unchanged": notebook, "different": copied}.items():
        nbformat.write(upto(one, max(changed)), folder / "chapters" / f"{name}.ipynb")
    assert failed_cells(folder) == {"unchanged": [], "different": sorted(changed)}


def test_one_changed_line_of_a_shown_function_is_noticed(workplace):
    folder, notebook = workplace
    name, number = first_shown(notebook)
    nbformat.write(upto(notebook, number), folder / "chapters" / "shown.ipynb")
    module = folder / "code" / "attnbook" / package_names()[name]
    text = module.read_text("utf-8")
    definition = re.search(rf"^(def|class) {name}\b.*?(?=^\S)", text + "\nend", re.MULTILINE | re.DOTALL).group()
    changed = definition.rstrip() + "  # one line, changed\n\n\n"
    module.write_text(text.replace(definition.rstrip() + "\n", changed, 1), "utf-8")
    assert module.read_text("utf-8") != text
    assert failed_cells(folder) == {"shown": [number]}


def test_the_digit_that_is_changed_is_one_that_a_reader_sees():
    assert change_digit("loss 1.29\n") == "loss 1.20\n"
    assert change_digit("tensor([0.5, 1.0])") == "tensor([0.5, 1.1])"
    assert change_digit('{"d":64}<img src="data:;base64,Ab3/9x4==">') == '{"d":65}<img src="data:;base64,Ab3/9x4==">'
