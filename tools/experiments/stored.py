"""What the results of all experiments have in common: how they were made, and how they are written."""

from __future__ import annotations

import ast
import functools
import hashlib
import json
import shlex
import statistics
from collections import defaultdict
from collections.abc import Iterable
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING

from tools.surroundings import versions

if TYPE_CHECKING:  # seconds that `--list` need not wait
    from torch import Tensor

    from attnbook.translation import Fitted

# what the docstring of an experiment says, each at the beginning of a line; or "No design:" and why there is none
DESIGN = ("Question", "Varies", "Equal", "Control", "Seeds", "Turned round by")
OWN = "attnbook.studies", "tools.benchmarks", "tools.experiments"  # whose code an experiment is made of


def made_by(name: str, options: SimpleNamespace) -> dict:
    """The beginning of every result: the command that repeats it, defaults written out, and the versions.

    Args:
        name: the experiment's.
        options: its options; None and False are not typed, nor is where result and weights go, which changes neither.
            Of a file its name is told: its path would be one of this machine.
    """
    words = ["python", "-m", "tools.experiments", name]
    for option, value in vars(options).items():
        if value is None or value is False or option == "weights":
            continue
        words.append(flag_of(option))
        if value is not True:
            words += [Path(str(word)).name for word in as_list(value)]
    return {"command": shlex.join(words), "versions": versions()}


def flag_of(option: str) -> str:
    """An option as it is typed."""
    return f"--{option.replace('_', '-')}"


def as_list(value: object) -> list:
    """A value as a list, that of an option which takes several as it is."""
    return value if isinstance(value, list) else [value]


def every_seed(variants: Iterable[dict], options: SimpleNamespace, seed_by_seed: bool = False) -> list[dict]:
    """The arguments of every run where each variant is run with every seed.

    Args:
        variants: seeds aside.
        options: those of which a variant says nothing are arguments of every run; without `seeds`, there is one seed.
        seed_by_seed: all variants with a seed, then all with the next; else all seeds of a variant, then of the next.
    """
    same = {option: value for option, value in vars(options).items() if option not in ("seeds", "threads")}
    plans, seeds = list(variants), range(getattr(options, "seeds", 1))
    pairs = [(plan, seed) for seed in seeds for plan in plans]
    if not seed_by_seed:
        pairs = [(plan, seed) for plan in plans for seed in seeds]
    return [plan | {"seed": seed} | {name: same[name] for name in same if name not in plan} for plan, seed in pairs]


@functools.cache
def _defined(module: str) -> tuple[dict[str, list[str]], dict[str, tuple[str, str]]]:
    """By name: the definitions of a module, without docstrings; what it imports of ours, as (module, name there)."""
    spec = find_spec(module)
    assert spec and spec.origin
    tree = ast.parse(Path(spec.origin).read_bytes())
    imported, code = dict[str, tuple[str, str]](), defaultdict[str, list[str]](list)
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith(OWN):
            imported |= {alias.asname or alias.name: (node.module, alias.name) for alias in node.names}
        elif isinstance(node, ast.FunctionDef | ast.ClassDef) and ast.get_docstring(node) is not None:
            node.body[0] = ast.Pass()
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            code[node.name].append(ast.unparse(node))
        elif not isinstance(node, ast.Import | ast.ImportFrom):
            changed = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", node)]
            for name in (part for target in changed for part in ast.walk(target) if isinstance(part, ast.Name)):
                code[name.id].append(ast.unparse(node))
    return code, imported


def sources(name: str) -> dict[str, dict[str, list[str]]]:
    """The code that decides the numbers of an experiment: what its `run` reaches of the modules below `OWN`.

    Layers, training and data are not among them, nor is what only describes or sums up: words, `summary`.

    Args:
        name: the experiment's.

    Returns:
        Module → name → its definitions, without docstrings and comments.
    """
    reached: dict[str, dict[str, list[str]]] = {}
    ahead = [(f"tools.experiments.{name}", "run")]
    while ahead:
        module, wanted = ahead.pop()
        code, imported = _defined(module)
        if wanted in imported:
            ahead.append(imported[wanted])
        elif wanted in code and wanted not in reached.get(module, {}):
            reached.setdefault(module, {})[wanted] = code[wanted]
            names = ast.walk(ast.parse("\n".join(code[wanted])))
            ahead += [(module, node.id) for node in names if isinstance(node, ast.Name)]
    return reached


def code_hash(name: str) -> str:
    """A short hash of an experiment's `sources`."""
    return hashlib.sha256(json.dumps(sources(name), sort_keys=True).encode()).hexdigest()[:12]


def row_by_row(result: dict) -> str:
    """A result as JSON, each of its entries on a line, and of lists of rows each row, so that changes can be read."""
    lines = []
    for key, value in result.items():
        if isinstance(value, list) and value and isinstance(value[0], dict):
            rows = ",\n".join(json.dumps(row, ensure_ascii=False, separators=(",", ":")) for row in value)
            lines.append(f"{json.dumps(key)}: [\n{rows}\n]")
        else:
            lines.append(f"{json.dumps(key)}: {json.dumps(value, ensure_ascii=False)}")
    return "{\n" + ",\n".join(lines) + "}\n"


def quartiles(values: Tensor) -> list[float]:
    """Lower quartile, median and upper quartile of the numbers of a tensor."""
    return values.quantile(values.new_tensor([0.25, 0.5, 0.75])).tolist()


def medians(times: dict[str, list[float]]) -> dict[str, float]:
    """The median of each list, to four digits."""
    return {name: float(f"{statistics.median(numbers):.4g}") for name, numbers in times.items()}


def loss_curves(fitted: Fitted, epochs: int) -> dict[str, list]:
    """The losses of a fitted translator as they are stored: of training, averaged over each epoch; of development."""
    losses, per_epoch = fitted.losses, len(fitted.losses) // epochs
    starts = range(0, len(losses) - per_epoch + 1, per_epoch)
    return {
        "training": [round(sum(losses[start : start + per_epoch]) / per_epoch, 4) for start in starts],
        "development": [[step, round(loss, 4)] for step, loss in fitted.history],
    }


def share(which: Tensor) -> float | None:
    """How many numbers of a tensor are True, to four digits; None of none."""
    return round(which.float().mean().item(), 4) if len(which) else None


@functools.cache
def page_model(name: str, target: str = "fr") -> tuple:
    """A page model, and the sentences that it was not trained on.

    Args:
        name, target: the model's, as `load_page_model` takes them.

    Returns:
        The translator; normalised source → translations; normalised source → source as it is written; and what a
        result says of the model.
    """
    from attnbook.data import bundled_pairs, references, split_pairs
    from attnbook.text import normalise
    from attnbook.translation import load_page_model, page_model_header
    from attnbook.weights import PAGE_TARGETS

    header = page_model_header(name, target)
    test = split_pairs(bundled_pairs(PAGE_TARGETS[target].lower()), seed=header["split_seed"]).test
    written = {normalise(pair.source): pair.source for pair in test}
    about = {"model": name, "target": target, **{k: header[k] for k in ("test", "seed", "split_seed")}}
    return load_page_model(name, target), references(test), written, about
