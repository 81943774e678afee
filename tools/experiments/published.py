"""Bahdanau's model as Dive into Deep Learning publishes it, on this book's whole corpus: the run behind chapter 12.

    python -m tools.experiments.published --epochs 30 --seed 0

Batch 128, vectors of 256, two layers of 256, dropout 0.2, learning rate 0.005, clipping at 1, 30 epochs. Takes about
five minutes on one core; writes chapters/results/published.json.
"""

import argparse
import json

from attnbook.files import write_atomically
from tools import ROOT
from tools.experiments.stored import made_by
from tools.surroundings import clean_environment

RESULT = ROOT / "chapters" / "results" / "published.json"
DEMO = ("Go.", "I lost.", "He's calm.", "I'm home.")


def main() -> None:
    """Train, translate, and store the curves and what came out."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--epochs", type=int, default=30)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    import torch

    from attnbook.data import bundled_pairs, split_pairs
    from attnbook.text import normalise
    from attnbook.translation import RECIPES, bleu, evaluate, fit

    torch.set_num_threads(1)
    split = split_pairs(bundled_pairs(), seed=0)
    recipe = RECIPES["bahdanau-published"]
    fitted = fit(
        recipe,
        split.train,
        split.dev,
        epochs=options.epochs,
        seed=options.seed,
        evaluations=options.epochs,
        keep_best=False,
    )
    translator = fitted.translator
    seen = {normalise(pair.source) for pair in split.train}
    per_epoch = len(fitted.losses) // options.epochs
    demo = dict(zip(DEMO, translator.translate(DEMO), strict=True))
    targets = {pair.source: pair.target for pair in bundled_pairs()}
    result = {
        **made_by(__spec__.name, options),
        "measured": "negative log-likelihood in nats per word: of the training batches (with dropout), "
        "averaged over an epoch, and of the development set; BLEU after the last epoch, on the test set and on the "
        "sentences of the first "
        "800 training pairs",
        "training": [
            round(sum(fitted.losses[i : i + per_epoch]) / per_epoch, 4)
            for i in range(0, len(fitted.losses) - per_epoch + 1, per_epoch)
        ],
        "development": [[step, round(loss, 4)] for step, loss in fitted.history],
        "steps": len(fitted.losses),
        "test_bleu": round(evaluate(translator, split.test)["bleu"], 2),
        "seen_bleu": round(evaluate(translator, split.train[:800])["bleu"], 2),
        "demo": {
            source: {
                "translation": found,
                "seen": normalise(source) in seen,
                "bleu_k2": round(bleu([found], [[normalise(targets[source])]], 2), 2),
            }
            for source, found in demo.items()
        },
    }
    write_atomically(RESULT, json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    with clean_environment():
        main()
