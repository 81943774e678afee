"""What is imported is declared, what is declared is pinned, and the pins lie within what is declared."""

import ast
import functools
import re
import sys
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tools import ROOT
from tools.notebooks import code_cells, parsed, read_twin

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
APART = {"d2l"}  # its own requirements exclude ours, see tools/environment.py


def declared(requirements: list[str]) -> dict[str, Requirement]:
    return {canonicalize_name(Requirement(r).name): Requirement(r) for r in requirements}


DEPENDENCIES = declared(PROJECT["dependencies"])
EXTRAS = declared(sum(PROJECT["optional-dependencies"].values(), []))
LINES = [line.split("#")[0].strip() for line in (ROOT / "requirements.txt").read_text("utf-8").splitlines()]
*PINS, LAST = [line for line in LINES if line]


def top_modules(statements) -> set[str]:
    """The first names of all modules that these syntax trees import from elsewhere."""
    found = set()
    for node in statements:
        if isinstance(node, ast.Import):
            found |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and not node.level:
            found.add(node.module.partition(".")[0])
    return found


@functools.cache
def installed() -> dict[str, list[str]]:
    """The packages that each module is installed by: seconds to find out."""
    return packages_distributions()


def packages(modules: set[str], folder: Path) -> set[str]:
    """The installable packages that these modules belong to; Python's own and those beside the importer are none."""
    files = [p for p in folder.rglob("*.py") if "attnbook/standin" not in p.as_posix()]
    ours = {"attnbook", "tools", *(path.stem for path in files)}
    foreign = modules - ours - set(sys.stdlib_module_names)
    known = installed()
    unknown = {module for module in foreign if module not in known}
    assert not unknown, f"imported in {folder.name}/, but not installed: {unknown}"
    return {canonicalize_name(known[module][0]) for module in foreign} - APART


@functools.cache
def trees(folder: str) -> list[ast.Module]:
    paths = sorted((ROOT / folder).rglob("*.py"))
    assert paths
    return [ast.parse(path.read_text("utf-8")) for path in paths]


def test_what_the_package_imports_is_what_it_depends_on():
    modules = trees("code/attnbook")
    at_once = top_modules(node for tree in modules for node in tree.body)
    anywhere = top_modules(node for tree in modules for node in ast.walk(tree))
    at_once, anywhere = (packages(m, ROOT / "code") for m in (at_once, anywhere))
    assert at_once <= set(DEPENDENCIES)
    assert anywhere <= {*DEPENDENCIES, *EXTRAS}  # inside functions also what is extra
    assert set(DEPENDENCIES) <= anywhere


@pytest.mark.parametrize("folder", ["tools", "tests", "chapters"])
def test_what_anything_else_imports_is_declared(folder):
    found = list(trees(folder)) if folder != "chapters" else []
    for path in (ROOT / folder / "text").glob("*.md"):
        found += map(parsed, code_cells(read_twin(path)))
    modules = top_modules(node for tree in found for node in ast.walk(tree))
    assert packages(modules, ROOT / folder) <= {*DEPENDENCIES, *EXTRAS}


def test_a_dependency_is_imported_without_asking_whether_it_is_there():
    """A hard dependency is always there; a guard around its import only hides a broken installation."""
    guarded = set()
    for tree in trees("code/attnbook"):
        for attempt in ast.walk(tree):
            if isinstance(attempt, ast.Try) and any(
                "ImportError" in ast.unparse(handler.type) for handler in attempt.handlers if handler.type is not None
            ):
                guarded |= top_modules(n for part in attempt.body for n in ast.walk(part))
    assert not packages(guarded, ROOT / "code") & set(DEPENDENCIES)


def test_pins_are_exact_and_end_with_the_book_itself():
    assert LAST == "-e ."
    assert not [p for p in PINS if not re.fullmatch(r"[\w.-]+==[0-9][\w.]*", p)]


def test_everything_declared_is_pinned_within_its_range():
    pins = dict(pin.split("==") for pin in PINS)
    pins = {canonicalize_name(name): version for name, version in pins.items()}
    wrong = [
        str(requirement)
        for name, requirement in (DEPENDENCIES | EXTRAS).items()
        if not requirement.specifier.contains(pins.get(name, "0"), prereleases=True)
    ]
    assert not wrong
