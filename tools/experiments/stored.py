"""What the results of all experiments have in common: how they were made, and how they are written."""

import argparse
import json
import platform
import shlex
from importlib.metadata import version
from pathlib import Path


def made_by(module: str, options: argparse.Namespace) -> dict:
    """The beginning of every result: the command that repeats it, defaults written out, and the versions.

    Args:
        module: its `__spec__.name`.
        options: as parsed. A path is where the result goes, which does not change it, and is left out.
    """
    words = ["python", "-m", module]
    for name, value in vars(options).items():
        if value is None or value is False or isinstance(value, Path):
            continue
        words.append(f"--{name.replace('_', '-')}")
        if value is not True:
            words += map(str, value if isinstance(value, list) else [value])
    versions = {"python": platform.python_version(), "torch": version("torch")}
    return {"command": shlex.join(words), "versions": versions}


def page_model(name: str) -> tuple:
    """A page model on one thread, and the sentences that it was not trained on.

    Args:
        name: the model's.

    Returns:
        The translator; normalised source → translations; normalised source → source as it is written; and what a
        result says of the model.
    """
    import torch

    from attnbook.data import bundled_pairs, references, split_pairs
    from attnbook.text import normalise
    from attnbook.translation import load_page_model, page_model_header

    torch.set_num_threads(1)
    header = page_model_header(name)
    test = split_pairs(bundled_pairs(), seed=header["split_seed"]).test
    written = {normalise(pair.source): pair.source for pair in test}
    about = {"model": name, **{k: header[k] for k in ("test", "seed", "split_seed")}}
    return load_page_model(name), references(test), written, about


def unfinished(path: Path, fresh: dict) -> dict:
    """What is stored at a path if the same command with the same versions made it, to be continued; else `fresh`."""
    if path.exists():
        before = json.loads(path.read_text("utf-8"))
        if all(before[key] == fresh[key] for key in ("command", "versions")):
            return before
    return fresh


def row_by_row(result: dict, *rows: str) -> str:
    """A result as JSON, each of its entries on a line and each of its `rows` on one, so that changes can be read.

    Args:
        result: as it is stored; the entries named in `rows` are lists and come last.
        rows: which entries are written row by row.
    """
    lines = [
        f"{json.dumps(key)}: {json.dumps(value, ensure_ascii=False)}"
        for key, value in result.items()
        if key not in rows
    ]
    dense = {"ensure_ascii": False, "separators": (",", ":")}
    for name in rows:
        entries = ",\n".join(json.dumps(row, **dense) for row in result[name])
        lines.append(f"{json.dumps(name)}: [\n{entries}\n]")
    return "{\n" + ",\n".join(lines) + "}\n"
