"""Additive, scaled dot and multiplicative scores in the same translator: the runs behind chapter 12's last comparison.

    python -m tools.experiments.alignments --seeds 2 --steps 900

Grammar sentences of 4 to 14 words, a GRU encoder that reads one way (a dot product needs states of one size), the same
batches and steps. About half a minute a model on one core; writes chapters/results/alignments.json after every model
and goes on where it stopped.
"""

import argparse
import json
import time

from attnbook.files import write_atomically
from tools import ROOT
from tools.experiments.stored import made_by, unfinished
from tools.surroundings import clean_environment

RESULT = ROOT / "chapters" / "results" / "alignments.json"
KINDS = ("additive", "scaled dot", "multiplicative")


def run(kind: str, seed: int, steps: int) -> dict:
    """Train one model and measure it."""
    from attnbook.data import BilingualGrammar
    from attnbook.training import TrainConfig
    from attnbook.transformer import count_parameters
    from attnbook.translation import (
        Recipe,
        alignment_error_rate,
        bleu,
        fit,
        hard_alignment,
    )

    sizes = {"embed_size": 64, "hidden_size": 128, "num_layers": 1, "dropout": 0.1}
    recipe = Recipe(
        "recurrent",
        sizes | {"attention": kind},
        min_count=1,
        batch_size=64,
        training=TrainConfig(
            lr=4e-3, schedule="warmup-cosine", warmup_fraction=0.1, betas=(0.9, 0.999)
        ),
    )
    trained = BilingualGrammar(seed).sample(8000, 4, 14)
    known = {aligned.source for aligned in trained}
    fresh = [
        aligned
        for aligned in BilingualGrammar(1000 + seed).sample(300, 4, 14)
        if aligned.source not in known
    ]
    began = time.process_time()
    pairs = [aligned.pair for aligned in trained]
    translator = fit(recipe, pairs, steps=steps, seed=seed).translator
    spent = (time.process_time() - began) / steps
    written = translator.translate([" ".join(a.source) for a in fresh], max_len=60)
    predicted, sure, possible = set(), set(), set()
    for k, aligned in enumerate(fresh):
        texts = " ".join(aligned.source), " ".join(aligned.target)
        weights = translator.align(*texts)[2][:-1, :-1]
        predicted |= {(k, *link) for link in hard_alignment(weights)}
        sure |= {(k, *link) for link in aligned.sure}
        possible |= {(k, *link) for link in aligned.alignment}
    row = {
        "kind": kind,
        "seed": seed,
        "parameters": count_parameters(translator.model),
        "bleu": round(bleu(written, [[" ".join(a.target)] for a in fresh]), 2),
        "aer": round(alignment_error_rate(predicted, sure, possible), 4),
        "cpu_ms_per_step": round(1000 * spent, 1),
    }
    print(row, flush=True)
    return row


def main() -> None:
    """Run what is missing and store it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--steps", type=int, default=900)
    options = parser.parse_args()
    import torch

    torch.set_num_threads(1)
    result = {
        **made_by(__spec__.name, options),
        "measured": "BLEU and alignment error rate on new sentences of 4 to 14 words; CPU milliseconds a training step",
        "rows": [],
    }
    result = unfinished(RESULT, result)
    done = {(row["kind"], row["seed"]) for row in result["rows"]}
    for seed in range(options.seeds):
        for kind in KINDS:
            if (kind, seed) not in done:
                result["rows"].append(run(kind, seed, options.steps))
                write_atomically(RESULT, json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    with clean_environment():
        main()
