"""From the block of 2017 to today's, one change at a time, in a small language model of this book's prose.

Question: which of ten changes, and all of today's together, lower the bits per byte on chapters that were not read?
Varies: one setting of the block of 2017 (post-norm, LayerNorm, ReLU, sinusoids, biases, tied output).
Equal: text, vocabulary, batches of a seed, steps, optimiser; parameters, but for those that a change is about, and
    their number is stored; the effort of tuning: three learning rates, the best on the development chapters, seed 0.
Control: the block of 2017 once more with other seeds, paired as the changes are: what chance does.
Seeds: 5 (1 to 5), beside the one of the tuning. Measured on the two test chapters, which no choice has seen.
Turned round by: differences that do not all have one sign in the five pairs, or whose mean is no larger than the
    largest difference of the control, are told as no difference. Two layers of width 64 and 400 steps of 512 tokens,
    some 1.6 readings of the text: what helps here need not help where training is long, and what does not help may.

A try with 250 steps left the block of 2017 at the level of single tokens' counts, hence 400. About a quarter of an hour
on one core; the rows were joined from two runs.
"""

from collections.abc import Iterator

from attnbook.studies import book_ids, changed_decoder, fit_decoder, measure_decoder
from attnbook.transformer import LanguageModel, LanguageModelConfig, count_parameters

OPTIONS = {"seeds": 5, "steps": 400}
RATES = (2e-3, 5e-3, 1.2e-2)
NAMES = (
    "2017",
    "pre-norm",
    "rotary positions",
    "SwiGLU",
    "RMSNorm",
    "today",
    "2017 again",
    "QK-norm",
    "grouped queries",
    "no biases",
    "learned positions",
    "untied output",
    "GELU",
)
MEASURED = (
    "bits per byte of the two test chapters, one number for each seed; tuning: those of the two development chapters, "
    "one for each learning rate, seed 0; lr: the best of them; 2017 again: seeds 6 to 10"
)


def settings(options) -> Iterator[dict]:
    """Every change."""
    for name in NAMES:
        yield {"change": name, "seeds": options.seeds, "steps": options.steps}


def run(change: str, seeds: int, steps: int) -> dict:
    """Choose a learning rate for a change, then train and measure with every seed."""
    sizes, first = changed_decoder(change.removesuffix(" again")), 1 + seeds * change.endswith(" again")

    def measured(lr: float, seed: int, part: str) -> float:
        return round(measure_decoder(fit_decoder(sizes, lr, seed, steps), part), 4)

    tuning = [measured(lr, 0, "dev") for lr in RATES]
    lr = RATES[tuning.index(min(tuning))]
    test = [measured(lr, seed, "test") for seed in range(first, first + seeds)]
    vocabulary = len(book_ids()[0])
    parameters = count_parameters(LanguageModel(LanguageModelConfig(vocabulary, **sizes)))
    return {"change": change, "parameters": parameters, "tuning": tuning, "lr": lr, "test": test}


def summary(results: list[dict], options) -> dict:
    """All changes."""
    return {"measured": MEASURED, "rates": RATES, "steps": options.steps, "rows": results}
