"""From the block of 2017 to today's, one change after another, in a small language model of this book's prose.

Question: which of seven changes lower the bits per byte on chapters that were not read, and which only save?
Varies: from step to step one setting; the step before is what a change is compared with. The order is ours: the place
    of the norm first, since the rest is easier to train with it. In another order a change may count for more or less.
Equal: text, vocabulary, batches of a seed, steps, optimiser, first weights (GPT-2's, but for the embeddings', which are
    the Transformer's); parameters, but for biases and shared heads, and their number is stored; the effort of tuning:
    six learning rates, the best on the development chapters, with seed 0.
Control: today's block once more on the same batches, from other first weights, paired as the changes are. It differs by
    chance at least as much as a change: pre-norm, RMSNorm, rotary positions and QK-norm begin with the very matrices of
    the step before. It has the learning rate of today's block. (Before, the control had the batches of seeds 6 to 10,
    while changes were compared on equal batches.)
Seeds: 5 (1 to 5), beside the one of the tuning. Measured on the two test chapters; no rate is chosen on them.
    The six rates were decided on when the results with three were known.
Turned round by: differences that do not all have one sign in the five pairs, or whose mean is no larger than the
    largest difference of the control, are told as no difference. Two layers of width 64 and 400 steps of 512 tokens,
    some 1.6 readings of the text: what helps here need not help where training is long, and what does not help may. A
    best rate at the end of the six.

Tried before: each change alone on the block of 2017, with 250 steps. That block was then no better than counts of
single tokens, so every change would have been compared with a model that has not begun to learn. Then, as here,
but with GPT-2's first embeddings, less than a quarter of the sinusoids' size: after SwiGLU the block was at 2.71 and
today's at 2.33 bits, which may have been the sinusoids drowning the tokens. Then with three rates, 0.002, 0.005 and
0.012: for every block but that of 2017 the largest was the best.

About a quarter of an hour on one core.
"""

from collections.abc import Iterator
from functools import cache

from attnbook.studies import DECODER_CHANGES, book_ids, decoder_after, fit_decoder, measure_decoder
from attnbook.transformer import LanguageModel, LanguageModelConfig, count_parameters

OPTIONS = {"seeds": 5, "steps": 400}
RATES = (2e-3, 5e-3, 8e-3, 1.2e-2, 2e-2, 3e-2)
STEPS = {"2017": None} | {name: name for name in DECODER_CHANGES} | {"today, other weights": "grouped queries"}
OTHER = 100  # added to a seed for the control's first weights
MEASURED = (
    "bits per byte of the two test chapters after this change and those before it, one number for each seed; tuning: "
    "those of the two development chapters, one for each learning rate, seed 0; lr: the best of them; other weights: "
    "the same batches from other first weights"
)


def settings(options) -> Iterator[dict]:
    """Every change."""
    for name in STEPS:
        yield {"change": name, "seeds": options.seeds, "steps": options.steps}


@cache
def measured(change: str | None, lr: float, seed: int, steps: int, part: str, other: int = 0) -> float:
    """Bits per byte of one training."""
    model = fit_decoder(decoder_after(change), lr, seed, steps, first_weights=seed + other)
    return round(measure_decoder(model, part), 4)


def run(change: str, seeds: int, steps: int) -> dict:
    """Choose a learning rate for a block, then train and measure with every seed."""
    made, other = STEPS[change], OTHER * change.endswith("other weights")
    tuning = [measured(made, lr, 0, steps, "dev") for lr in RATES]
    lr = RATES[tuning.index(min(tuning))]
    test = [measured(made, lr, seed, steps, "test", other) for seed in range(1, 1 + seeds)]
    config = LanguageModelConfig(len(book_ids()[0]), **decoder_after(made))
    parameters = count_parameters(LanguageModel(config))
    return {"change": change, "parameters": parameters, "tuning": tuning, "lr": lr, "test": test}


def summary(results: list[dict], options) -> dict:
    """All changes."""
    return {"measured": MEASURED, "rates": RATES, "steps": options.steps, "rows": results}
