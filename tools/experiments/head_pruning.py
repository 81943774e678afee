"""Eight heads for four jars, taken out one by one: the runs behind chapter 07's section on it, five seeds.

    python -m tools.experiments.head_pruning

The task, the layer and the training are the chapter's own cells, those with the tag `experiment`. Takes about a minute
on one core; writes chapters/results/head_pruning.json.
"""

import argparse

from attnbook.files import write_atomically
from tools import ROOT
from tools.experiments.heads import CHAPTER
from tools.experiments.stored import made_by, row_by_row
from tools.notebooks import read_twin, twin_path
from tools.surroundings import clean_environment

RESULT = ROOT / "chapters" / "results" / "head_pruning.json"
SEEDS = range(5)


def main() -> None:
    """Train and prune one model per seed; store the accuracy with 8, 7, … 1 heads left."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0]).parse_args()
    import torch

    torch.set_num_threads(1)
    chapter: dict = {}
    for cell in read_twin(twin_path(CHAPTER)).cells:
        if "experiment" in cell.metadata.get("tags", []):
            exec(compile(cell.source, f"<{CHAPTER}>", "exec"), chapter)
    runs = []
    for seed in SEEDS:
        _, model = chapter["look_up_run"](8, 8, wanted=4, steps=800, seed=seed)
        left = [round(a, 4) for a in chapter["prune"](model)]
        runs.append({"seed": seed, "heads": 8, "width": 8, "steps": 800, "left": left})
        print(runs[-1], flush=True)
    result = {**made_by(__spec__.name, options), "runs": runs}
    write_atomically(RESULT, row_by_row(result, "runs"))


if __name__ == "__main__":
    with clean_environment():
        main()
