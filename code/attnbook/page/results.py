"""Stored results of experiments that take longer than a page should."""

import json
from importlib.metadata import PackageNotFoundError, files
from pathlib import Path

FOLDER = Path("results")  # beside the chapters, which are executed in their folder


def installed_results() -> dict[str, Path]:
    """The stored results that were installed with the package, by name: for a notebook outside the book's folder."""
    try:
        installed = files("attnbook") or ()
    except PackageNotFoundError:
        installed = ()
    return {f.stem: Path(f.locate()) for f in installed if f.match("results/*.json")}


def stored_results(name: str) -> dict:
    """Read what an experiment in `tools/experiments/` has stored.

    Args:
        name: of the experiment, for instance "heads".

    Returns:
        What the file holds: the results, and the command, versions and seeds that made them.

    Raises:
        FileNotFoundError: there is no such file; the message says which there are.
    """
    beside = {path.stem: path for path in FOLDER.glob("*.json")}
    there = beside or installed_results()
    if name not in there:
        raise FileNotFoundError(
            f"no stored results {FOLDER / f'{name}.json'} in {Path.cwd().name}/; there are "
            f"{', '.join(sorted(there)) or 'none'}. Run the notebook in the book's folder chapters/, "
            "or install the package from the book's folder: pip install ."
        )
    return json.loads(there[name].read_text("utf-8"))
