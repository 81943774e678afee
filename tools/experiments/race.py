"""The Transformer and Bahdanau's model at equal time on one core: the runs behind chapter 13's comparison.

    python -m tools.experiments.race --seeds 3 --seconds 10 20 40 80

Both translate subwords (the same vocabularies), have the same number of parameters to within 2 %, and train on the
bundled corpus. The training's clock is the processor's, which does not count the time that others had it; the learning
rate falls to zero as the clock runs out. Writes chapters/results/race.json after every model and goes on where it
stopped; about 20 minutes of processor time in all.
"""

import argparse
import json
import time
from dataclasses import replace
from unittest.mock import patch

from attnbook.files import write_atomically
from tools import ROOT
from tools.experiments.stored import made_by, unfinished
from tools.surroundings import clean_environment

RESULT = ROOT / "chapters" / "results" / "race.json"


def recipes() -> dict:
    """The book's two recipes, made alike in all that is not the model."""
    from attnbook.translation import RECIPES

    transformer, bahdanau = RECIPES["transformer"], RECIPES["bahdanau"]
    alike = {
        "subwords": transformer.subwords,
        "batch_size": transformer.batch_size,
        "sizes": {**bahdanau.sizes, "hidden_size": 160},  # as many parameters
    }
    return {"transformer": transformer, "bahdanau": replace(bahdanau, **alike)}


def run(kind: str, seconds: int, seed: int, split) -> dict:
    """Train one model for so long, and measure it."""
    from attnbook.transformer import count_parameters
    from attnbook.translation import evaluate, fit

    readings = []

    def clock() -> float:
        readings.append(time.process_time())
        return readings[-1]

    with (
        patch("attnbook.training.loop.perf_counter", clock),
        # reading the pairs, which is the same for both, is not counted
        patch("attnbook.translation.fitting.time.perf_counter", lambda: 0.0),
    ):
        fitted = fit(recipes()[kind], split.train, seconds=seconds, seed=seed)
    spent = readings[-1] - readings[0]
    scores = {
        part: round(evaluate(fitted.translator, getattr(split, part))["bleu"], 2)
        for part in ("dev", "test")
    }
    return {
        "kind": kind,
        "seconds": seconds,
        "seed": seed,
        "steps": len(fitted.losses),
        "spent": round(spent, 1),
        "parameters": count_parameters(fitted.translator.model),
        **scores,
    }


def main() -> None:
    """Run what is missing and store it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--seconds", type=int, nargs="+", default=[10, 20, 40, 80])
    options = parser.parse_args()
    import torch

    from attnbook.data import bundled_pairs, split_pairs

    torch.set_num_threads(1)
    split = split_pairs(bundled_pairs(), seed=0)
    result = {
        **made_by(__spec__.name, options),
        "measured": "BLEU after so many seconds of training, in the processor's time on one core; spent: the seconds "
        "that it really took",
        "rows": [],
    }
    result = unfinished(RESULT, result)
    done = {(row["kind"], row["seconds"], row["seed"]) for row in result["rows"]}
    for seed in range(options.seeds):
        for seconds in options.seconds:
            for kind in recipes():
                if (kind, seconds, seed) in done:
                    continue
                row = run(kind, seconds, seed, split)
                print(row, flush=True)
                result["rows"].append(row)
                write_atomically(RESULT, json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    with clean_environment():
        main()
