"""Stored results of experiments that take longer than a page should."""

import json
from pathlib import Path

FOLDER = Path("results")  # beside the chapters, which are executed in their folder


def stored_results(name: str) -> dict:
    """Read what an experiment in `tools/experiments/` has stored.

    Args:
        name: of the experiment, for instance "heads".

    Returns:
        What the file holds: the results, and the command, versions and seeds that made them.

    Raises:
        FileNotFoundError: there is no such file; the message says which there are.
    """
    path = FOLDER / f"{name}.json"
    if not path.is_file():
        there = ", ".join(sorted(p.stem for p in FOLDER.glob("*.json"))) or "none"
        raise FileNotFoundError(
            f"no stored results {path} in {Path.cwd().name}/; there are {there}. "
            "Run the notebook in the book's folder chapters/."
        )
    return json.loads(path.read_text("utf-8"))
