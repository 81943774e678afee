"""The stand-in for PyTorch beside PyTorch: readers' answers judged under both.

    python -m tools.standin [NAME …]           the answers of tests/exercises/answers, exercise by exercise
    python -m tools.standin --mutants 5 --seed 3 [NAME …]    five of each exercise, changed at random

Each exercise is judged by two fresh processes; in one of them `import torch` finds the stand-in.
"""

import argparse
import ast
import copy
import inspect
import json
import linecache
import os
import random
import subprocess
import sys
import textwrap
import time

from tools import ROOT

STANDIN = ROOT / "code" / "attnbook" / "standin"
FIELDS = "status", "diagnosis", "about", "says", "asks", "note"
STOPPED = "takes-too-long"  # the checker's diagnosis, of a call or of all


# --- in the child: one exercise, under the torch that is found there ------------------------------------------------


def judged(name: str, mutants: int, seed: int) -> list[dict]:
    """Judge the answers to an exercise, or changed copies of some of them."""
    import torch
    import verdicts

    from attnbook.exercises.bank import SHELF
    from attnbook.exercises.checker import judge

    chance, rows = random.Random(f"{seed} {name}"), []
    functions = [answer.function for answer in verdicts.answers(name)]
    if mutants:
        functions = [new for function in functions if (new := changed(function, chance))]
        functions = chance.sample(functions, min(mutants, len(functions)))
    for function in functions:
        torch.manual_seed(0)
        begin = time.process_time()
        try:
            verdict = judge(SHELF.get(name), function)
            fields = {field: getattr(verdict, field) for field in FIELDS}
        except Exception as error:
            fields = dict.fromkeys(FIELDS) | {"status": "crash", "says": repr(error)}
        rows.append({"answer": function.__name__, "seconds": time.process_time() - begin, **fields})
    return rows


SWAPS = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.Pow: ast.Mult,
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
}


def _changes(tree: ast.AST) -> list:
    """What could be changed somewhere in a function: (the node, its field, what comes there)."""
    nodes, names = (list(ast.walk(tree)), sorted({node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)}))
    changes = [(node, "op", SWAPS[type(node.op)]()) for node in nodes if type(getattr(node, "op", 0)) in SWAPS]
    compared = [node for node in nodes if isinstance(node, ast.Compare) and type(node.ops[0]) in SWAPS]
    changes += [(node, "ops", [SWAPS[type(node.ops[0])]()]) for node in compared]
    for node in nodes:
        if isinstance(node, ast.Constant) and type(node.value) in (int, bool, float):
            changes.append((node, "value", not node.value if type(node.value) is bool else node.value + 1))
        if isinstance(node, ast.Name) and node.id in names:
            changes += [(node, "id", other) for other in names if other != node.id]
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load):
            changes += [(node, "attr", word) for word in ("sum", "mean", "exp", "T") if word != node.attr]
    return changes


def changed(function, chance: random.Random):
    """A function with one thing changed; None if its source cannot be read."""
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    except (OSError, TypeError, SyntaxError):
        return None
    if not isinstance(tree.body[0], ast.FunctionDef) or not _changes(tree.body[0]):
        return None
    node, field, new = chance.choice(_changes(tree.body[0]))
    setattr(node, field, new)
    code, file = (ast.unparse(ast.fix_missing_locations(tree)), f"<{function.__name__}, changed {chance.random()}>")
    linecache.cache[file] = len(code), None, code.splitlines(keepends=True), file
    world = copy.copy(function.__globals__)
    try:
        exec(compile(code, file, "exec"), world)
    except Exception:  # its defaults or annotations cannot be evaluated again
        return None
    return world[function.__name__]


# --- in the parent --------------------------------------------------------------------------------------------------


def both(name: str, mutants: int = 0, seed: int = 0) -> list[tuple[dict, dict]]:
    """The verdicts on an exercise's answers under PyTorch and under the stand-in, side by side."""
    under_each = []
    for first in ([], [str(STANDIN)]):
        path = os.pathsep.join([*first, str(ROOT / "code"), str(ROOT), str(ROOT / "tests" / "exercises")])
        settings = {"PYTHONPATH": path, "ATTNBOOK_PROGRESS": "off", "OMP_NUM_THREADS": "1", "PYTHONHASHSEED": "0"}
        command = [sys.executable, "-m", "tools.standin", "--child", str(mutants), str(seed), name]
        done = subprocess.run(command, cwd=ROOT, env=os.environ | settings, capture_output=True, text=True)
        if done.returncode:
            raise RuntimeError(f"{name} could not be judged:\n{done.stderr}")
        under_each.append(json.loads(done.stdout.splitlines()[-1]))
    return list(zip(*under_each, strict=True))


def alike(pytorch: dict, standin: dict) -> str:
    """How far two verdicts agree: "text", "diagnosis", "status" or "nothing".

    "outside" if the answer needs something that is not in the page (NumPy, the rest of the package), "too long" if it
    was stopped under one of them.
    """
    if sum((verdict["diagnosis"] or "").startswith(STOPPED) for verdict in (pytorch, standin)) == 1:
        return "too long"
    if all(pytorch[field] == standin[field] for field in FIELDS):  # the time is another in any case
        return "text"
    message = f"{standin['says']} {standin['note']}"
    if "not available in the page" in message or "No module named" in message:
        return "outside"
    if pytorch["status"] != standin["status"]:
        return "nothing"
    return "diagnosis" if pytorch["diagnosis"] == standin["diagnosis"] else "status"


def main(arguments: list[str] | None = None) -> int:
    """Compare, and print a table."""
    from attnbook.exercises import names as all_names

    parser = argparse.ArgumentParser(prog="python -m tools.standin", description=__doc__.splitlines()[0])
    parser.add_argument("exercise", nargs="*", help="names of exercises; without, all")
    parser.add_argument("--mutants", type=int, default=0, help="this many answers of each, changed at random")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args(arguments)
    if unknown := {*options.exercise} - {*all_names()}:
        parser.error(f"there is no exercise {', '.join(sorted(unknown))}; there are {', '.join(all_names())}")
    if options.mutants < 0:
        parser.error(f"--mutants must be at least 0, got {options.mutants}")
    total: dict[str, int] = {}
    for name in options.exercise or all_names():
        pairs = both(name, options.mutants, options.seed)
        for pytorch, standin in pairs:
            level = alike(pytorch, standin)
            total[level] = total.get(level, 0) + 1
            if level not in ("text", "diagnosis", "outside"):
                said = [f"{v['status']} {v['diagnosis']}: {v['says']}" for v in (pytorch, standin)]
                print(f"    {pytorch['answer']}: {level}\n        PyTorch   {said[0]}\n        stand-in  {said[1]}")
        slow = max((standin["seconds"] for _, standin in pairs), default=0.0)
        print(f"{name:<20} {len(pairs):4} answers, slowest {slow:5.1f} s", flush=True)
    print(", ".join(f"{level}: {count}" for level, count in sorted(total.items())), f"(of {sum(total.values())})")
    return 0


if __name__ == "__main__":
    if sys.argv[1:2] == ["--child"]:
        print(json.dumps(judged(sys.argv[4], int(sys.argv[2]), int(sys.argv[3]))))
    else:
        sys.exit(main())
