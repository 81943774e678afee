"""Bahdanau's model as Dive into Deep Learning publishes it, on 512 pairs and on the whole corpus: behind chapter 12.

    python -m tools.experiments.published --epochs 30 --seeds 3

Batch 128, vectors of 256, two layers of 256, dropout 0.2, learning rate 0.005, clipping at 1, 30 epochs. A run with 512
pairs takes half a minute on one core, one with the whole corpus about five; writes chapters/results/published.json
after every run and goes on where it stopped.

What was memorised is measured on two sets of sentences, trained on and held out, that are equally hard as far as one
can count: equally many of each length, all their words known to the model, all translations of the corpus allowed. The
512 pairs and the sentences held out from them both come from the training part; for the whole corpus the test part is
held out, which lists more translations per sentence, so that the difference is rather too small.
"""

import argparse
import json
import random

from attnbook.files import write_atomically
from tools import ROOT
from tools.experiments.stored import made_by, unfinished
from tools.surroundings import clean_environment

RESULT = ROOT / "chapters" / "results" / "published.json"
DEMO = ("Go.", "I lost.", "He's calm.", "I'm home.")
FEW = 512


def few_pairs(train: list, corpus: list, seed: int) -> list:
    """The four demonstration pairs, and as many others of the training part as make 512."""
    by_source = {pair.source: pair for pair in reversed(corpus)}
    others = [pair for pair in train if pair.source not in DEMO]
    drawn = random.Random(seed).sample(others, FEW - len(DEMO))
    return [by_source[source] for source in DEMO] + drawn


def equally_long(first, second, seed: int) -> tuple[list, list]:
    """Sentences drawn from two sets, equally many of each number of tokens from both."""
    dice, drawn = random.Random(seed), ([], [])
    sides = [sorted(first), sorted(second)]
    for length in range(1, 40):
        parts = [[s for s in side if len(s.split()) == length] for side in sides]
        for side, part in zip(drawn, parts, strict=True):
            side += dice.sample(part, min(map(len, parts)))
    return drawn


def run(whole: bool, seed: int, epochs: int) -> dict:
    """Train one model and measure it."""
    from attnbook.data import (
        bundled_pairs,
        near_duplicates,
        references,
        split_pairs,
    )
    from attnbook.text import UNK, normalise
    from attnbook.translation import RECIPES, d2l_bleu, evaluate, fit

    corpus = bundled_pairs()
    split = split_pairs(corpus, seed=0)
    train = split.train if whole else few_pairs(split.train, corpus, seed)
    trained = {normalise(pair.source) for pair in train}
    fitted = fit(
        RECIPES["bahdanau-published"],
        train,
        [pair for pair in split.dev if normalise(pair.source) not in trained],
        epochs=epochs,
        seed=seed,
        evaluations=epochs,
        keep_best=False,
    )
    translator, wanted = fitted.translator, references(corpus)
    per_epoch = len(fitted.losses) // epochs

    def known(source: str) -> bool:
        """Whether the model has a number for each word, and for those of one translation at least."""
        source_known = UNK not in translator.source_vocab.encode(source)
        to_ids = translator.target_vocab.encode
        return source_known and any(UNK not in to_ids(t) for t in wanted[source])

    def measured(sources: list) -> float:
        chosen = set(sources)
        pairs = [pair for pair in corpus if normalise(pair.source) in chosen]
        return round(evaluate(translator, pairs)["bleu"], 2)

    tested = set(references(split.test)) - trained
    held_out = tested if whole else references(split.train).keys() - trained
    seen, unseen = equally_long(filter(known, trained), filter(known, held_out), seed)
    near = near_duplicates(
        [pair for pair in split.test if normalise(pair.source) in tested], train
    )
    row = {
        "pairs": len(train),
        "seed": seed,
        "training": [
            round(sum(fitted.losses[i : i + per_epoch]) / per_epoch, 4)
            for i in range(0, len(fitted.losses) - per_epoch + 1, per_epoch)
        ],
        "development": [[step, round(loss, 4)] for step, loss in fitted.history],
        "matched": len(seen),
        "seen_bleu": measured(seen),
        "unseen_bleu": measured(unseen),
        "test_bleu": measured(tested),
        "test_far_bleu": measured(tested - set(near)),
        "demo": {
            source: {
                "translation": found,
                "seen": normalise(source) in trained,
                "d2l_bleu": round(
                    max(
                        d2l_bleu(found, normalise(text), 2)
                        for text in wanted[normalise(source)]
                    ),
                    3,
                ),
            }
            for source, found in zip(DEMO, translator.translate(DEMO), strict=True)
        },
    }
    print(
        {k: v for k, v in row.items() if k not in ("training", "development")},
        flush=True,
    )
    return row


def main() -> None:
    """Run what is missing and store it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--epochs", type=int, default=30)
    parser.add_argument("--seeds", type=int, default=3)
    options = parser.parse_args()
    import torch

    torch.set_num_threads(1)
    result = {
        **made_by(__spec__.name, options),
        "measured": "negative log-likelihood in nats per word: of the training batches (with dropout), averaged over "
        "an epoch, and of the development set; BLEU after the last epoch: on sentences trained on (seen) and held out "
        "(unseen), equally many of each length and with known words only, on the test set, and on those of its "
        "sentences that are no near-duplicates of one trained on; d2l's BLEU with k = 2 of four sentences",
        "rows": [],
    }
    result = unfinished(RESULT, result)
    done = {(row["pairs"] > FEW, row["seed"]) for row in result["rows"]}
    for whole in (False, True):
        for seed in range(options.seeds):
            if (whole, seed) not in done:
                result["rows"].append(run(whole, seed, options.epochs))
                write_atomically(RESULT, json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    with clean_environment():
        main()
