"""Several heads or one, at equal parameters: all the runs behind chapter 07's section on it, five seeds each.

    python -m tools.experiments.heads

The task, the layer and the training are the chapter's own cells, those with the tag `experiment`, so that the stored
numbers and the page cannot drift apart. Takes about ten minutes on one core; writes chapters/results/heads.json.
"""

import argparse
import json
import time

from attnbook.files import write_atomically
from tools import ROOT
from tools.experiments.stored import made_by
from tools.notebooks import read_twin, twin_path
from tools.surroundings import clean_environment

CHAPTER = "07-multi-head-attention"
RESULT = ROOT / "chapters" / "results" / "heads.json"
SEEDS = range(5)
HEADS = (1, 2, 4, 8, 16, 32)


def settings() -> list[dict]:
    """Every condition: how many heads of which width, how many look-ups, how many steps, what reads the output."""
    short = [
        {"heads": h, "width": budget // h, "wanted": wanted, "steps": 500}
        for budget in (
            32,
            128,
        )  # heads × width: 4 · 32 · 32 and 4 · 32 · 128 parameters
        for wanted in (1, 2, 4)
        for h in HEADS
    ]
    without = [
        {"heads": 1, "width": 32, "wanted": w, "steps": 500, "output_map": False}
        for w in (1, 4)
    ]
    hidden = [
        {"heads": h, "width": 32 // h, "wanted": 4, "steps": 2000, "hidden": 128}
        for h in HEADS[:4]
    ]
    shared = [
        {"heads": 4, "width": 8, "wanted": 4, "steps": 2000, "kv_heads": g}
        for g in (1, 2, 4)
    ]
    patient = [{"heads": 4, "width": 32, "wanted": 4, "steps": 2000}]
    return short + without + shared + hidden + patient


def main() -> None:
    """Run every condition with every seed and store the accuracies."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0]).parse_args()
    import torch

    torch.set_num_threads(1)
    chapter: dict = {}
    for cell in read_twin(twin_path(CHAPTER)).cells:
        if "experiment" in cell.metadata.get("tags", []):
            exec(compile(cell.source, f"<{CHAPTER}>", "exec"), chapter)
    runs, began = [], time.perf_counter()
    for number, condition in enumerate(settings(), 1):
        accuracies = [
            round(chapter["look_up_run"](**condition, seed=seed)[0], 4)
            for seed in SEEDS
        ]
        runs.append(condition | {"accuracy": accuracies})
        print(
            f"{number}/{len(settings())} {condition} {accuracies} {time.perf_counter() - began:.0f} s",
            flush=True,
        )
    result = {
        **made_by(__spec__.name, options),
        "seeds": list(SEEDS),
        "runs": runs,
    }
    rows = ",\n  ".join(json.dumps(run) for run in runs)
    text = json.dumps(result | {"runs": []}, indent=1).replace(
        '"runs": []', f'"runs": [\n  {rows}\n ]'
    )
    write_atomically(RESULT, text + "\n")


if __name__ == "__main__":
    with clean_environment():
        main()
