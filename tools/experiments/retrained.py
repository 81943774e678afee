"""The runs that the pages show where a notebook trains anew: chapters 07 and 18, one seed or two of some settings.

    python -m tools.experiments.retrained

What trains them are the chapters' own cells with the tag `experiment`, the last of which defines `retrain`. Takes about
three minutes on one core; writes chapters/results/retrained.json.
"""

import argparse

from attnbook.files import write_atomically
from attnbook.training import watched
from attnbook.workbench.retraining import thinned
from tools import ROOT
from tools.experiments.stored import made_by, row_by_row
from tools.notebooks import read_twin, twin_path
from tools.surroundings import clean_environment

RESULT = ROOT / "chapters" / "results" / "retrained.json"
CHAPTERS = {"heads": "07-multi-head-attention", "induction": "18-reading-attention"}
SETTINGS = {
    "heads": [
        {"heads": heads, "width": width, "jars": jars, "seed": 0}
        for jars, sizes in (
            (2, ((1, 32), (2, 16))),
            (4, ((1, 32), (4, 8), (1, 128), (4, 32))),
        )
        for heads, width in sizes
    ],
    "induction": [
        {"layers": layers, "heads": heads, "seed": seed}
        for layers, heads, seed in (
            (2, 2, 0),
            (2, 2, 1),
            (1, 2, 0),
            (1, 8, 0),
            (2, 1, 0),
            (3, 2, 0),
        )
    ],
}


def run_one(chapter: dict, choice: dict) -> dict:
    """Train with these settings: the curve, and what the chapter says of the result."""
    curve: list = []

    def look(losses: list[float], part: float) -> None:
        curve[:] = losses

    with watched(look):
        said = chapter["retrain"](**choice)
    points = [[step, round(loss, 3)] for step, loss in thinned(curve)]
    return {"choice": choice, "curve": points, "says": said}


def main() -> None:
    """Run every setting and store the curves."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0]).parse_args()
    import torch

    torch.set_num_threads(1)
    result = made_by(__spec__.name, options)
    for kind, name in CHAPTERS.items():
        chapter: dict = {}
        for cell in read_twin(twin_path(name)).cells:
            if "experiment" in cell.metadata.get("tags", []):
                exec(compile(cell.source, f"<{name}>", "exec"), chapter)
        result[kind] = []
        for choice in SETTINGS[kind]:
            result[kind].append(run_one(chapter, choice))
            print(kind, choice, result[kind][-1]["says"], flush=True)
    write_atomically(RESULT, row_by_row(result, *CHAPTERS).encode())
    print(f"written: {RESULT.relative_to(ROOT)}")


if __name__ == "__main__":
    with clean_environment():
        main()
