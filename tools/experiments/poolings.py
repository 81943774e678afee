"""Seven ways from a sentence to one vector, three tasks: the runs behind chapter 06's section on it, ten seeds each.

    python -m tools.experiments.poolings

The tasks, the models and the training are the chapter's own cells, those with the tag `experiment`. Takes about three
minutes on one core; writes chapters/results/poolings.json.
"""

import argparse

from attnbook.files import write_atomically
from tools import ROOT
from tools.experiments.stored import made_by, row_by_row
from tools.notebooks import read_twin, twin_path
from tools.surroundings import clean_environment

CHAPTER = "06-self-and-cross-attention"
RESULT = ROOT / "chapters" / "results" / "poolings.json"
TASKS = ("most", "loudest", "after but")
SEEDS = range(10)


def main() -> None:
    """Run every pooling on every task with every seed and store the accuracies."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0]).parse_args()
    import torch

    torch.set_num_threads(1)
    chapter: dict = {}
    for cell in read_twin(twin_path(CHAPTER)).cells:
        if "experiment" in cell.metadata.get("tags", []):
            exec(compile(cell.source, f"<{CHAPTER}>", "exec"), chapter)
    runs = []
    for task in TASKS:
        for kind in chapter["poolings"]:
            pairs = [chapter["pooling_run"](task, kind, seed) for seed in SEEDS]
            short, long = (
                [round(a, 3) for a in column] for column in zip(*pairs, strict=True)
            )
            runs.append(
                {"task": task, "kind": kind, "as trained": short, "longer": long}
            )
            print(runs[-1], flush=True)
    result = {**made_by(__spec__.name, options), "seeds": list(SEEDS), "runs": runs}
    write_atomically(RESULT, row_by_row(result, "runs"))


if __name__ == "__main__":
    with clean_environment():
        main()
