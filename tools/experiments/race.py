"""The Transformer and Bahdanau's model at equal time on one core: the runs behind chapter 13's comparison.

    python -m tools.experiments.race --seeds 2 --seconds 20 60

Both translate subwords (the same vocabularies), train on the bundled corpus and get as many steps as fit into
the seconds of processor time; the schedule falls to zero within them. Writes chapters/results/race.json after every
model and goes on where it stopped; about six minutes of processor time in all.
"""

import argparse
import json
import time
from dataclasses import replace

from attnbook.files import write_atomically
from tools import ROOT
from tools.experiments.stored import made_by, unfinished
from tools.surroundings import clean_environment

RESULT = ROOT / "chapters" / "results" / "race.json"


def recipes() -> dict:
    """The book's two recipes, made alike in all that is not the model."""
    from attnbook.translation import RECIPES

    transformer = RECIPES["transformer"]
    alike = {"subwords": transformer.subwords, "batch_size": transformer.batch_size}
    return {
        "transformer": transformer,
        "bahdanau": replace(RECIPES["bahdanau"], **alike),
    }


def steps_in_processor_time(seconds: float, recipe, pairs, tries: int = 25) -> int:
    """How many steps fit; the processor's time does not count the time that others had it."""
    from attnbook.translation import fit

    spent = []
    for steps in (tries // 5, tries):  # the difference leaves out what is done once
        began = time.process_time()
        fit(recipe, pairs, steps=steps)
        spent.append(time.process_time() - began)
    return int(seconds / ((spent[1] - spent[0]) / (tries - tries // 5)))


def main() -> None:
    """Run what is missing and store it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--seconds", type=int, nargs="+", default=[20, 60])
    options = parser.parse_args()
    import torch

    from attnbook.data import bundled_pairs, split_pairs
    from attnbook.transformer import count_parameters
    from attnbook.translation import evaluate, fit

    torch.set_num_threads(1)
    split = split_pairs(bundled_pairs(), seed=0)
    result = {
        **made_by(__spec__.name, options),
        "measured": "BLEU on the test set after so many seconds of processor time on one core",
        "rows": [],
    }
    result = unfinished(RESULT, result)
    done = {(row["kind"], row["seconds"], row["seed"]) for row in result["rows"]}
    for seed in range(options.seeds):
        for seconds in options.seconds:
            for kind, recipe in recipes().items():
                if (kind, seconds, seed) in done:
                    continue
                steps = steps_in_processor_time(seconds, recipe, split.train)
                began = time.process_time()
                fitted = fit(recipe, split.train, steps=steps, seed=seed)
                spent = time.process_time() - began
                row = {
                    "kind": kind,
                    "seconds": seconds,
                    "seed": seed,
                    "steps": steps,
                    "spent": round(spent, 1),
                    "parameters": count_parameters(fitted.translator.model),
                    "bleu": round(evaluate(fitted.translator, split.test)["bleu"], 2),
                }
                print(row, flush=True)
                result["rows"].append(row)
                write_atomically(RESULT, json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    with clean_environment():
        main()
