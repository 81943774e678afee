"""Three peak rates for the small language model of the chapter on language models, which is trained there.

Question: which of three learning rates predicts the development chapters best? The counts beside the model have their m
    chosen on the same chapters.
Varies: the peak rate, the three of `model_sizes`.
Equal: the chapter's recipe, 1,800 steps and seed; the weights with the lowest development loss are kept.
Control: none. A rate is chosen, and no effect of it is told.
Seeds: 1 (0), the one that the chapter trains with.
Turned round by: a best rate at the end of the three, beyond which another might be better. Whatever is chosen, its
    model is then measured on the test chapters, in the chapter itself.

About two minutes on one core.
"""

from attnbook.language import LanguageRecipe, fit_language_model, measured, split_book
from attnbook.studies import decoder_after
from attnbook.training import TrainConfig

OPTIONS = {"rates": [5e-3, 1.2e-2, 3e-2], "steps": 1800}
MEASURED = "bits per byte of the two development chapters, after the steps of the chapter, seed 0"


def settings(options) -> list[dict]:
    """Every rate."""
    return [{"lr": lr, "steps": options.steps} for lr in options.rates]


def run(lr: float, steps: int) -> dict:
    """Train as the chapter does, with one peak rate."""
    training = TrainConfig(lr=lr, schedule="warmup-cosine", warmup_fraction=0.1, betas=(0.9, 0.95), weight_decay=0.1)
    recipe = LanguageRecipe(decoder_after(), 1024, batch_size=4, training=training)
    split = split_book()
    fitted = fit_language_model(recipe, split.train, split.dev, steps=steps)
    return {"lr": lr, "dev": round(measured(fitted.text_model, split.dev)["bits_per_byte"], 3)}
