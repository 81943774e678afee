"""BLEU by sentence length, with attention and without: all the runs behind chapter 12's figure, three seeds each.

    python -m tools.experiments.lengths --seeds 3 --steps 2500

Both models have the same number of parameters (within 1 %), the same training pairs of 4 to 20 English words from the
bilingual grammar, the same batches and the same number of updates. Then both translate new sentences of 5 to 40 words.
About three minutes a model on one core; writes chapters/results/lengths.json after every model and goes on where it
stopped.
"""

import argparse
import json
import time
from dataclasses import replace

from attnbook.files import write_atomically
from tools import ROOT
from tools.experiments.stored import made_by, unfinished
from tools.surroundings import clean_environment

RESULT = ROOT / "chapters" / "results" / "lengths.json"
LENGTHS = (5, 10, 15, 20, 25, 30, 35, 40)
TRAIN, PER_LENGTH, LONGEST_TRAINED = 20_000, 100, 20


def recipes() -> dict:
    """The two models: a bidirectional GRU with additive attention, and one without, wider by as much as it lacks."""
    from attnbook.training import TrainConfig
    from attnbook.transformer import count_parameters
    from attnbook.translation import Recipe

    sizes = {"embed_size": 64, "hidden_size": 128, "num_layers": 1, "dropout": 0.1}
    attention = Recipe(
        "recurrent",
        sizes | {"bidirectional": True},
        min_count=1,
        batch_size=64,
        training=TrainConfig(
            lr=3e-3, schedule="warmup-cosine", warmup_fraction=0.1, betas=(0.9, 0.999)
        ),
    )

    def without(hidden: int) -> Recipe:
        wider = {"hidden_size": hidden, "attention": "none"}
        return replace(attention, sizes=attention.sizes | wider)

    wanted = count_parameters(attention.build(200, 300))
    hidden = min(
        range(128, 200),
        key=lambda h: abs(count_parameters(without(h).build(200, 300)) - wanted),
    )
    return {"attention": attention, "none": without(hidden)}


def test_sentences(seed: int) -> dict:
    """New sentences of each length, none of which is trained on: length → aligned pairs."""
    from attnbook.data import BilingualGrammar

    return {
        length: BilingualGrammar(1000 * seed + length).sample(
            PER_LENGTH, length, length
        )
        for length in LENGTHS
    }


def run(kind: str, seed: int, steps: int) -> dict:
    """Train one model and measure it."""
    from attnbook.data import BilingualGrammar
    from attnbook.transformer import count_parameters
    from attnbook.translation import bleu, bootstrap_band, fit

    tests = test_sentences(seed + 1)
    asked = {pair.source for pairs in tests.values() for pair in pairs}
    sampled = BilingualGrammar(seed).sample(TRAIN, 4, LONGEST_TRAINED)
    pairs = [aligned.pair for aligned in sampled if aligned.source not in asked]
    began = time.perf_counter()
    fitted = fit(recipes()[kind], pairs, steps=steps, seed=seed)
    row = {
        "kind": kind,
        "seed": seed,
        "parameters": count_parameters(fitted.translator.model),
        "training_pairs": len(pairs),
        "last_loss": round(sum(fitted.losses[-50:]) / 50, 4),
        "bleu": {},
        "band": {},
    }
    for length, aligned in tests.items():
        sources = [" ".join(pair.source) for pair in aligned]
        references = [[" ".join(pair.target)] for pair in aligned]
        written = fitted.translator.translate(sources, max_len=90)
        row["bleu"][length] = round(bleu(written, references), 2)
        low, high = bootstrap_band(written, references)
        row["band"][length] = [round(low, 2), round(high, 2)]
    print(f"{row} {time.perf_counter() - began:.0f} s", flush=True)
    return row


def main() -> None:
    """Run what is missing and store it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--steps", type=int, default=2500)
    options = parser.parse_args()
    import torch

    torch.set_num_threads(1)
    result = {
        **made_by(__spec__.name, options),
        "measured": f"BLEU on {PER_LENGTH} new sentences of each length in English words, and the middle 95 % of 200 "
        f"bootstrap resamples; trained on sentences of 4 to {LONGEST_TRAINED} words",
        "rows": [],
    }
    result = unfinished(RESULT, result)
    done = {(row["kind"], row["seed"]) for row in result["rows"]}
    for seed in range(options.seeds):
        for kind in ("attention", "none"):
            if (kind, seed) not in done:
                result["rows"].append(run(kind, seed, options.steps))
                write_atomically(RESULT, json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    with clean_environment():
        main()
