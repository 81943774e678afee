"""The house is built as the plan says: rooms, names, documentation, and a repository that knows no machine."""

import ast
import functools
import importlib
import inspect
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tools import ROOT

PACKAGE = ROOT / "code" / "attnbook"

MODULES = [path.relative_to(PACKAGE) for path in sorted(PACKAGE.rglob("*.py")) if path != PACKAGE / "__init__.py"]
ROOMS = sorted({path.parts[0] for path in MODULES if len(path.parts) > 1} - {"exercises", "widgets"})


# --- who imports whom: the contracts are in pyproject.toml --------------------------------------------------------


def lint_imports(root: Path) -> subprocess.CompletedProcess:
    """Run import-linter on the package below root/code and the tools, with the contracts of root/pyproject.toml."""
    return subprocess.run(
        [Path(sys.executable).with_name("lint-imports"), "--no-cache"],
        cwd=root,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(root), str(root / "code")]), "COLUMNS": "200"},
        capture_output=True,
        text=True,
    )


def test_rooms_import_only_from_rooms_below():
    done = lint_imports(ROOT)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(
    ("module", "line", "broken"),
    [
        (
            "attention/masks.py",
            "from attnbook.transformer import Encoder",
            "A room imports only from rooms below it BROKEN",
        ),
        (
            "attention/masks.py",
            "from attnbook.attention.layers import DotProductAttention",
            "No circle of imports, between rooms or within one, nor among the tools BROKEN",
        ),
        (
            "../../tools/pages/search.py",
            "from tools.pages.assembly import assemble",
            "No circle of imports, between rooms or within one, nor among the tools BROKEN",
        ),
        (
            "exercises/verdict.py",
            "from attnbook.attention import masked_softmax",
            "The exercises need nothing else of the package BROKEN",
        ),
        ("training/loop.py", "import matplotlib.pyplot as plt", "Below the page nothing draws BROKEN"),
    ],
)
def test_a_wrong_import_is_noticed(tmp_path, module, line, broken):
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    shutil.copytree(
        PACKAGE, tmp_path / "code" / "attnbook", ignore=shutil.ignore_patterns("*.json", "*.js", "*.svg", "__pycache__")
    )
    shutil.copytree(ROOT / "tools", tmp_path / "tools", ignore=shutil.ignore_patterns("__pycache__"))
    file = tmp_path / "code" / "attnbook" / module
    file.write_text(f"{file.read_text('utf-8')}\n\ndef late():\n    {line}\n", "utf-8")
    done = lint_imports(tmp_path)
    assert done.returncode == 1, done.stdout + done.stderr
    assert broken in done.stdout


def test_the_package_itself_imports_nothing_so_that_each_room_costs_only_itself():
    tree = ast.parse((PACKAGE / "__init__.py").read_text("utf-8"))
    assert not any(isinstance(n, ast.Import | ast.ImportFrom) for n in ast.walk(tree))


# --- the standard library's `code` ----------------------------------------------------------------------------


def test_code_is_a_source_root_and_no_package():
    assert not (ROOT / "code" / "__init__.py").exists()


def test_the_standard_librarys_code_is_found_from_the_root():
    program = "import code, pdb, sysconfig; print(code.__file__.startswith(sysconfig.get_paths()['stdlib']))"
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True)
    assert done.stdout == "True\n", done.stderr


# --- documentation --------------------------------------------------------------------------------------------


# The functions of one exercise fill the slots that an exercise has; the slots are explained once. The stand-in's
# functions are those of PyTorch, whose documentation explains them.
SLOTS = "exercises/bank/", "standin/torch/"


def module_of(path: Path):
    parts = ["attnbook", *path.with_suffix("").parts]
    return importlib.import_module(".".join(parts[:-1] if parts[-1] == "__init__" else parts))


@functools.cache
def public_objects() -> dict:
    """(where → object) of the functions and classes that the rooms offer in their `__all__`."""
    rooms = [importlib.import_module(f"attnbook.{room}") for room in ROOMS]
    return {
        f"{room.__name__}.{name}": getattr(room, name)
        for room in rooms
        for name in room.__all__
        if inspect.isfunction(getattr(room, name)) or inspect.isclass(getattr(room, name))
    }


@functools.cache
def inner_objects() -> dict:
    """(where → object) of the functions and classes that the modules of the package share among themselves."""
    found = {}
    for path in MODULES:
        module = module_of(path)
        for name, thing in vars(module).items():
            mine = getattr(thing, "__module__", None) == module.__name__ and not name.startswith("_")
            if mine and (inspect.isfunction(thing) or inspect.isclass(thing)) and not path.as_posix().startswith(SLOTS):
                found[f"{module.__name__}.{name}"] = thing
    return found


def own_parameters(function) -> list[str]:
    return [p for p in inspect.signature(function).parameters if p not in ("self", "cls", "ctx", "kwargs", "args")]


def missing_documentation(where, thing) -> list[str]:
    """What a public object's docstring does not say: its meaning, its arguments, what it returns."""
    doc = inspect.getdoc(thing) if thing.__doc__ else ""
    if not doc:
        return [f"{where} has no docstring"]
    if inspect.isclass(thing):
        # a class without an __init__ of its own inherits its arguments' explanation
        takes = own_parameters(vars(thing)["__init__"]) if inspect.isfunction(vars(thing).get("__init__")) else []
        returns = False
    else:
        takes = own_parameters(thing)
        annotation = inspect.signature(thing).return_annotation
        returns = _returns_something(thing) and annotation is not None
    missing = []
    if takes and not re.search(r"^(Args|Attributes):$", doc, re.MULTILINE):
        missing.append(f"{where} takes {', '.join(takes)}; its docstring has no Args:")
    elif absent := [name for name in takes if not re.search(rf"\b{re.escape(name)}\b", doc)]:
        missing.append(f"{where}: the docstring does not name {', '.join(absent)}")
    if takes and returns and "Returns:" not in doc:
        missing.append(f"{where} returns something; its docstring has no Returns:")
    return missing


def _returns_something(function) -> bool:
    import textwrap

    tree = ast.parse(textwrap.dedent(inspect.getsource(function))).body[0]
    inner = {
        n for d in ast.walk(tree) if d is not tree and isinstance(d, ast.FunctionDef | ast.Lambda) for n in ast.walk(d)
    }
    return any(isinstance(n, ast.Return) and n.value is not None and n not in inner for n in ast.walk(tree))


def test_every_public_function_and_class_says_what_it_means_takes_and_returns():
    # a check is the house's own, and its sentence the contract: it requires what it says of the arguments that it names
    objects = {where: thing for where, thing in public_objects().items() if not where.startswith("attnbook.checks.")}
    assert len(objects) > 30, "the package was not found"
    missing = [line for where, thing in objects.items() for line in missing_documentation(where, thing)]
    assert not missing, "\n".join(missing)


def test_the_forward_of_a_public_layer_says_what_it_takes_or_whose_it_is_like():
    """The contract stands once: a sister refers to it, and a subclass may inherit it."""
    silent = []
    for where, thing in public_objects().items():
        forward = vars(thing).get("forward") if inspect.isclass(thing) else None
        if forward is None:
            continue
        doc, base = inspect.getdoc(forward) or "", ""
        if refers := re.match(r"As `(\w+)\.forward`, ", doc):
            base = vars(sys.modules[thing.__module__]).get(refers.group(1))
            doc = inspect.getdoc(base.forward)
        takes = [name for name in own_parameters(forward) if name not in doc]
        if "Args:" not in doc or "Returns:" not in doc or takes:
            silent.append((where, takes))
    assert not silent


def test_everything_else_that_modules_share_has_a_docstring():
    assert not [where for where, thing in inner_objects().items() if not thing.__doc__]


def test_a_missing_docstring_is_noticed():
    def silent(x):
        return x

    def brief(x):
        """Give it back."""
        return x

    assert "no docstring" in missing_documentation("silent", silent)[0]
    assert [line.rpartition(" ")[2] for line in missing_documentation("brief", brief)] == ["Args:", "Returns:"]


# --- the repository -------------------------------------------------------------------------------------------


@functools.cache
def repository_files() -> list[Path]:
    """What is, or would be, committed: what git does not ignore; without git, everything but what is made."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    if listed.returncode == 0 and (ROOT / ".git").exists():
        files = [ROOT / name for name in listed.stdout.split("\0") if name]
    else:
        made = re.compile(r"(^|/)(\.venv|_build|\.git|__pycache__|\.\w+_cache|\.hypothesis|[^/]*\.egg-info)(/|$)")
        files = [path for path in ROOT.rglob("*") if not made.search(path.relative_to(ROOT).as_posix())]
    return [path for path in files if path.is_file()]


def offences(pattern: str, files) -> list[str]:
    found = []
    for path in files:
        if path.suffix in (".png", ".jpg", ".woff2"):
            continue
        for match in re.finditer(pattern, path.read_text("utf-8", errors="replace")):
            found.append(f"{path.relative_to(ROOT)}: {match.group()!r}")
    return found


def test_the_repository_was_listed():
    names = {path.relative_to(ROOT).as_posix() for path in repository_files()}
    assert {"Makefile", "README.md", "requirements.txt", "code/attnbook/attention/masks.py"} <= names
    assert not any(name.startswith((".venv/", "_build/")) for name in names)


def test_no_path_of_a_machine_stands_in_a_file():
    # spelled apart, so that this file does not find itself
    places = "|".join(
        ["/ho" + "me/[a-z]", "/Us" + "ers/[a-z]", r"\b[A-Z]:\\Us" + "ers", "/ro" + "ot/", "/op" + "t/", "/wo" + "rk/"]
    )
    assert not offences(rf"(?<![\w.$)}}-])({places})\w*|" + re.escape(str(ROOT)) + r"\b", repository_files())


def test_nothing_is_loaded_from_a_network_host():
    hosts = "https?:" + r"//(cdn|unpkg|cdnjs|fonts)[\w.-]*"
    assert not offences(hosts, repository_files())


def test_no_file_is_too_big_for_a_repository():
    models = PACKAGE / "weights"  # trained, and run by pages
    most = {models: 1_500_000, models / "language-model.safetensors": 3_000_000}
    big = [
        f"{path.relative_to(ROOT)}: {path.stat().st_size / 1e6:.1f} MB"
        for path in repository_files()
        if path.stat().st_size > most.get(path, most.get(path.parent, 1_000_000))
    ]
    assert not big


def test_every_command_of_the_documentation_exists():
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))
    named = set()
    for name in ("README.md", "CONTRIBUTING.md", "index.md", "chapters/start.md"):
        # commands stand in code, inline or fenced; prose may well make sense
        text = (ROOT / name).read_text("utf-8")
        code = "\n".join(re.findall(r"```.*?```|`[^`\n]+`", text, re.DOTALL))
        named |= set(re.findall(r"\bmake ([a-z][a-z-]*)", code))
    assert {"book", "test", "lab", "help"} <= named
    assert named <= targets


def test_make_help_lists_every_command():
    shown = subprocess.run(["make", "help"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert set(re.findall(r"make ([a-z-]+)", shown)) >= {"book", "test", "lab", "chapter", "chapters", "bench", "clean"}
    assert subprocess.run(["make"], cwd=ROOT, capture_output=True, text=True).stdout == shown


def test_types_are_what_they_say():
    done = subprocess.run([sys.executable, "-m", "mypy"], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]


def test_the_code_is_clean():
    done = subprocess.run([sys.executable, "-m", "ruff", "check", "."], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


def oxlint(*paths: Path | str) -> subprocess.CompletedProcess:
    """Run the linter of JavaScript, from npm, with the rules of .oxlintrc.json."""
    node = Path(sys.executable).with_name("node")
    script = Path(sys.prefix) / "node/node_modules/oxlint/bin/oxlint"
    command = [node, script, "--config", ROOT / ".oxlintrc.json", "--format", "unix"]
    return subprocess.run([*command, *paths], cwd=ROOT, capture_output=True, text=True, encoding="utf-8")


def test_the_javascript_is_clean():
    done = oxlint("code", "_static", "tools", "tests")
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(
    ("line", "rule"),
    [
        ("export const a = softmax([1]);", "no-undef"),
        ("const a = 1;", "no-unused-vars"),
        ("export const a = (b, c) => c;", "no-unused-vars"),
        ('import { fmt } from "./kit.js";', "no-unused-vars"),
        ('import { nothing } from "./kit.js"; nothing();', "import(named)"),
        ('import { round } from "./round.js"; export const a = 1; round();', "import(no-cycle)"),
    ],
)
def test_a_wrong_name_in_javascript_is_noticed(tmp_path, line, rule):
    (tmp_path / "kit.js").write_text("export const fmt = String;\n")
    (tmp_path / "round.js").write_text('import { a } from "./figure.js";\nexport const round = () => a;\n')
    (tmp_path / "figure.js").write_text(line + "\n")
    done = oxlint(tmp_path / "figure.js", tmp_path / "kit.js")
    assert done.returncode == 1 and rule in done.stdout, done.stdout + done.stderr
