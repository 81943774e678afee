"""BLEU by sentence length, with attention and without.

Question: does a translator without attention fall behind as sentences grow, beyond the trained lengths too?
Varies: attention or none; the length of the tested sentences.
Equal: the number of parameters (within 1 %), the training pairs of 4 to 20 English words from the bilingual grammar,
    batches, updates and learning rate.
Control: the shortest sentences, on which both should do well.
Seeds: 3 of model and data; for each length the middle 95 % of bootstrap resamples is stored as well.
Turned round by: a gap that does not grow with the length.

About three minutes a model on one core.
"""

import statistics
from dataclasses import replace

from attnbook.data import BilingualGrammar
from attnbook.training import TrainConfig
from attnbook.transformer import count_parameters
from attnbook.translation import Recipe, bleu, bootstrap_band, fit

OPTIONS = {"seeds": 3, "steps": 2500}
SEED_BY_SEED = True
LENGTHS = (5, 10, 15, 20, 25, 30, 35, 40)
TRAIN, PER_LENGTH, LONGEST_TRAINED = 20_000, 100, 20
MEASURED = (
    f"BLEU on {PER_LENGTH} new sentences of each length in English words, and the middle 95 % of 200 "
    f"bootstrap resamples; trained on sentences of 4 to {LONGEST_TRAINED} words"
)


def recipes() -> dict:
    """The two models: a bidirectional GRU with additive attention, and one without, wider by as much as it lacks."""
    sizes = {"embed_size": 64, "hidden_size": 128, "num_layers": 1, "dropout": 0.1}
    attention = Recipe(
        "recurrent",
        sizes | {"bidirectional": True},
        min_count=1,
        batch_size=64,
        training=TrainConfig(lr=3e-3, schedule="warmup-cosine", warmup_fraction=0.1, betas=(0.9, 0.999)),
    )

    def without(hidden: int) -> Recipe:
        wider = {"hidden_size": hidden, "attention": "none"}
        return replace(attention, sizes=attention.sizes | wider)

    parameters = count_parameters(attention.build(200, 300))
    hidden = min(range(128, 200), key=lambda h: abs(count_parameters(without(h).build(200, 300)) - parameters))
    return {"attention": attention, "none": without(hidden)}


def test_sentences(seed: int) -> dict:
    """New sentences of each length, none of which is trained on: length → aligned pairs."""
    return {length: BilingualGrammar(1000 * seed + length).sample(PER_LENGTH, length, length) for length in LENGTHS}


def variants(options) -> list[dict]:
    """Both models."""
    return [{"kind": kind} for kind in ("attention", "none")]


def run(seed: int, kind: str, steps: int) -> dict:
    """Train one model and measure it."""
    tests = test_sentences(seed + 1)
    test_sources = {pair.source for pairs in tests.values() for pair in pairs}
    sampled = BilingualGrammar(seed).sample(TRAIN, 4, LONGEST_TRAINED)
    pairs = [aligned.pair for aligned in sampled if aligned.source not in test_sources]
    fitted = fit(recipes()[kind], pairs, steps=steps, seed=seed)
    row = {
        "kind": kind,
        "seed": seed,
        "parameters": count_parameters(fitted.translator.model),
        "training_pairs": len(pairs),
        "last_loss": round(statistics.mean(fitted.losses[-50:]), 4),
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
    return row
