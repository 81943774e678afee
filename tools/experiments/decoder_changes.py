"""From the block of 2017 to today's, one change after another, in a small language model of this book's prose.

Question: which of seven changes lower the bits per byte on chapters that were not read, and which only save?
Varies: from step to step one setting; the step before is what a change is compared with. The order is ours: the place
    of the norm first, since the rest is easier to train with it. In another order a change may count for more or less.
Equal: text, vocabulary, batches of a seed, steps, optimiser, first weights (GPT-2's, but for the embeddings', which are
    the Transformer's); parameters, but for biases and shared heads, and their number is stored; the effort of tuning:
    five peak rates with each of three warm-ups, the best pair on the development chapters, in the mean of three seeds.
Control: today's block once more on the same batches, from other first weights, with the same rate and warm-up. Its
    differences are chance alone. Those of a change may spread more or less: pre-norm, RMSNorm, rotary positions and
    QK-norm begin with the very matrices of the step before, the others with new ones.
Seeds: 10 (1 to 10), beside the three of the tuning. Measured on the two test chapters; no rate is chosen on them.
Turned round by: differences whose mean has a 95 % interval (paired t, with Bonferroni's correction for seven changes)
    that contains zero are told as no difference shown. A control whose interval does not contain it. Two layers of
    width 64 and 400 steps of 512 tokens, some 1.6 readings of the text: what helps here need not help where training is
    long, and what does not help may. A best rate or warm-up at the end of those tried: it was the longest warm-up for
    six blocks, and the largest rate for RMSNorm and grouped queries. Tried afterwards for the first two blocks, a
    warm-up of 0.7: 2.187 at best in 2017 (0.012) and 2.171 with pre-norm (0.02), both worse than with 0.5.
    With a warm-up of 0.1 they were tried with smaller rates, 0.003 and 0.002, too: 2.424 and 2.563 in 2017, 2.425 and
    2.571 with pre-norm, all worse than with 0.005.

Tried before: each change alone on the block of 2017, with 250 steps. That block was then no better than counts of
single tokens, so every change would have been compared with a model that has not begun to learn. Then, as here,
but with GPT-2's first embeddings, less than a quarter of the sinusoids' size: after SwiGLU the block was at 2.71 and
today's at 2.33 bits, which may have been the sinusoids drowning the tokens. Then with three rates, 0.002, 0.005 and
0.012: for every block but that of 2017 the largest was the best. Then with six, but chosen by one seed, and five seeds
for the differences; a change counted if all five agreed and their mean was larger than any pair of the control. One run
of today's block, 0.09 worse than the others, decided which changes did. Then as here, but with one warm-up, a tenth of
the steps: pre-norm gained 0.125 and rotary positions 0.061 in ten pairs. That warm-up is too short for the block of
2017, which gains 0.18 from a longer one. What was known of the first five seeds, and then of ten, is known here, too.

About an hour on one core; the rows were joined from several runs.
"""

from collections.abc import Iterator
from functools import cache
from statistics import mean

from attnbook.studies import DECODER_CHANGES, book_ids, decoder_after, fit_decoder, measure_decoder
from attnbook.transformer import LanguageModel, LanguageModelConfig, count_parameters

OPTIONS = {"seeds": 10, "steps": 400}
TUNED_BY = (0, 201, 202)
RATES = (5e-3, 8e-3, 1.2e-2, 2e-2, 3e-2)
WARMUPS = (0.1, 0.3, 0.5)
STEPS = {"2017": None} | {name: name for name in DECODER_CHANGES} | {"today, other weights": "grouped queries"}
OTHER = 100  # added to a seed for the control's first weights
MEASURED = (
    "bits per byte of the two test chapters after this change and those before it, one number for each seed; tuning: "
    "those of the two development chapters, mean of three seeds, for each warm-up a number for each learning rate; lr, "
    "warmup: the best of them; other weights: the same batches from other first weights"
)


def settings(options) -> Iterator[dict]:
    """Every change."""
    for name in STEPS:
        yield {"change": name, "seeds": options.seeds, "steps": options.steps}


@cache
def measured(change: str | None, lr: float, warmup: float, seed: int, steps: int, part: str, other: int = 0) -> float:
    """Bits per byte of one training."""
    model = fit_decoder(decoder_after(change), lr, seed, steps, first_weights=seed + other, warmup=warmup)
    return round(measure_decoder(model, part), 4)


def run(change: str, seeds: int, steps: int) -> dict:
    """Choose rate and warm-up for a block, then train and measure with every seed."""
    made, other = STEPS[change], OTHER * change.endswith("other weights")
    tuning = {
        warmup: [round(mean(measured(made, lr, warmup, seed, steps, "dev") for seed in TUNED_BY), 4) for lr in RATES]
        for warmup in WARMUPS
    }
    warmup = min(WARMUPS, key=lambda share: min(tuning[share]))
    lr = RATES[tuning[warmup].index(min(tuning[warmup]))]
    test = [measured(made, lr, warmup, seed, steps, "test", other) for seed in range(1, 1 + seeds)]
    config = LanguageModelConfig(len(book_ids()[0]), **decoder_after(made))
    parameters = count_parameters(LanguageModel(config))
    best = {"tuning": tuning, "lr": lr, "warmup": warmup}
    return {"change": change, "parameters": parameters, **best, "test": test}


def summary(results: list[dict], options) -> dict:
    """All changes."""
    return {"measured": MEASURED, "rates": RATES, "steps": options.steps, "rows": results}
