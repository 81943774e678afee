"""Three peak rates for the small language model of the chapter on language models, and five more seeds of the best one.

Question: which of three learning rates predicts the development chapters best? And with that one, does the model
    predict the test chapters better than the chapter's counts, with Dirichlet smoothing, or by Kneser and Ney?
Varies: the peak rate, the three of `model_sizes`; then the seed, which decides the first weights and the pieces read.
Equal: the chapter's recipe and 1,800 steps; the weights with the lowest development loss are kept. The counts beside
    the model have their m chosen on the same chapters.
Control: the counts, which the chapter computes; they have no seed.
Seeds: 1 (0) for the rates, the one that the chapter trains with; 5 more (1 to 5) for the best of them, measured on the
    test chapters; no rate is chosen on them. They were decided on when the result of seed 0 was known. Text, split and
    chapters stay the same.
Turned round by: seeds on both sides of one of the two tables. A best rate at the end of the three would favour the
    tables.

Tried afterwards, when all this was known: a warm-up of three tenths of the steps instead of one, at 0.012. Development
chapters 1.839, 1.844, 1.851, test chapters 2.065, 2.075, 2.066 with seeds 0, 1 and 2: better, and still behind Kneser
and Ney's 2.04. With 0.02 it was 1.842, with half of the steps 1.843 (seed 0, development chapters).

About seven minutes on one core.
"""

from collections.abc import Iterator
from functools import cache

from attnbook.language import FittedLanguageModel, LanguageRecipe, fit_language_model, measured, split_book
from attnbook.studies import decoder_after
from attnbook.training import TrainConfig

OPTIONS = {"rates": [5e-3, 1.2e-2, 3e-2], "steps": 1800, "seeds": 5}
MEASURED = (
    "bits per byte of the two development chapters, after the steps of the chapter, seed 0; test: of the two test "
    "chapters, for the best rate, one number for each further seed"
)


def settings(options) -> Iterator[dict]:
    """Every rate."""
    for lr in options.rates:
        yield {"lr": lr, "rates": options.rates, "steps": options.steps, "seeds": options.seeds}


def fitted(lr: float, steps: int, seed: int) -> FittedLanguageModel:
    """Trained as the chapter does, with one peak rate."""
    training = TrainConfig(lr=lr, schedule="warmup-cosine", warmup_fraction=0.1, betas=(0.9, 0.95), weight_decay=0.1)
    recipe = LanguageRecipe(decoder_after(), 1024, batch_size=4, training=training)
    split = split_book()
    return fit_language_model(recipe, split.train, split.dev, steps=steps, seed=seed)


def bits(model: FittedLanguageModel, text: str) -> float:
    """Bits per byte."""
    return round(measured(model.text_model, text)["bits_per_byte"], 3)


@cache
def tuned(lr: float, steps: int) -> float:
    """What a rate is chosen by."""
    return bits(fitted(lr, steps, 0), split_book().dev)


def run(lr: float, rates: list[float], steps: int, seeds: int) -> dict:
    """Measure a rate; if none is better, measure further seeds of it."""
    row = {"lr": lr, "dev": tuned(lr, steps)}
    if lr != min(rates, key=lambda rate: tuned(rate, steps)):
        return row
    return row | {"test": [bits(fitted(lr, steps, seed), split_book().test) for seed in range(1, 1 + seeds)]}
