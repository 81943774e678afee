"""The Transformer and Bahdanau's model at equal time on one core: which translates better after how long?

Question: after the same time of training on one core, which of the two is ahead?
Varies: the model; the seconds.
Equal: the bundled corpus, subwords and vocabularies, batches, parameters within 2 %; each with its recipe's own
    learning rate, which falls to zero as the clock runs out.
Control: times from too short for either to long enough for both.
Seeds: 3, all stored.
Turned round by: an order that changes with the seed, or with the time.

The clock is the processor's, which does not count the time that others had it. About 20 minutes of it in all.
"""

import functools
import time
from collections.abc import Iterator
from dataclasses import replace

from attnbook.data import Split, bundled_pairs, make_batches, split_pairs
from attnbook.training import train
from attnbook.transformer import count_parameters
from attnbook.translation import RECIPES, evaluate, prepare, translation_loss

OPTIONS = {"seeds": 3, "seconds": [10, 20, 40, 80]}
SEED_BY_SEED = True
MEASURED = (
    "BLEU after so many seconds of training, in the processor's time on one core; spent: the seconds "
    "that it really took"
)


@functools.cache
def corpus() -> Split:
    """The bundled pairs."""
    return split_pairs(bundled_pairs(), seed=0)


def recipes() -> dict:
    """The book's two recipes, made alike in all that is not the model."""
    transformer, bahdanau = RECIPES["transformer"], RECIPES["bahdanau"]
    alike = {
        "subwords": transformer.subwords,
        "batch_size": transformer.batch_size,
        "sizes": {**bahdanau.sizes, "hidden_size": 160},  # as many parameters
    }
    return {"transformer": transformer, "bahdanau": replace(bahdanau, **alike)}


def variants(options) -> Iterator[dict]:
    """Every time and model."""
    for seconds in options.seconds:
        for kind in recipes():
            yield {"kind": kind, "seconds": seconds}


def run(seed: int, kind: str, seconds: int) -> dict:
    """Train one model for so long, and measure it."""
    recipe, split = recipes()[kind], corpus()
    translator, encoded = prepare(recipe, split.train, seed)
    config = replace(recipe.training, steps=None, seconds=seconds, seed=seed)
    batches = make_batches(encoded, recipe.batch_size, seed)
    began = time.process_time()  # reading the pairs, which is the same for both, is not counted
    losses = train(translator.model, translation_loss(recipe.label_smoothing), batches, config, clock=time.process_time)
    spent = time.process_time() - began
    translator.model.eval()
    scores = {part: round(evaluate(translator, getattr(split, part))["bleu"], 2) for part in ("dev", "test")}
    return {
        "kind": kind,
        "seconds": seconds,
        "seed": seed,
        "steps": len(losses),
        "spent": round(spent, 1),
        "parameters": count_parameters(translator.model),
        **scores,
    }
