"""Seven ways from a sentence to one vector, three tasks: the runs behind chapter 06's section on it, ten seeds each.

Some are trained five times as long too, with three seeds: what has not finished learning should not be compared.

    python -m tools.experiments.poolings

The tasks, the models and the training are the chapter's own cells, those with the tag `experiment`. Takes about five
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
PATIENT = {"steps": 1000, "kinds": ("mean", "learned query"), "seeds": range(3)}


def main() -> None:
    """Run every pooling on every task with every seed and store the accuracies."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0]).parse_args()
    import torch

    torch.set_num_threads(1)
    chapter: dict = {}
    for cell in read_twin(twin_path(CHAPTER)).cells:
        if "experiment" in cell.metadata.get("tags", []):
            exec(compile(cell.source, f"<{CHAPTER}>", "exec"), chapter)

    def run(task, kind, seeds, **options):
        pairs = [chapter["pooling_run"](task, kind, seed, **options) for seed in seeds]
        short, long = (
            [round(a, 3) for a in column] for column in zip(*pairs, strict=True)
        )
        found = {"task": task, "kind": kind, "as trained": short, "longer": long}
        print(found | options, flush=True)
        return found | options

    runs = [run(task, kind, SEEDS) for task in TASKS for kind in chapter["poolings"]]
    steps, seeds = PATIENT["steps"], PATIENT["seeds"]
    patient = [
        run(task, kind, seeds, steps=steps)
        for task in ("most", "loudest")
        for kind in PATIENT["kinds"]
    ]
    result = {**made_by(__spec__.name, options), "seeds": list(SEEDS)}
    result |= {"runs": runs, "patient": patient}
    write_atomically(RESULT, row_by_row(result, "runs", "patient"))


if __name__ == "__main__":
    with clean_environment():
        main()
