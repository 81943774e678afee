"""Four widths of a small language model of this book's prose, with three equal amounts of computation.

Question: with so much computation, how wide should the model be? And does the best width grow with the amount?
Varies: the width, 16, 32, 64 or 128, with a head for each 16 and a network of 8/3 of the width; the computation,
    6 · N · D with N the parameters and D the tokens read, as Kaplan et al. (2020) count it: what 90, 360 and 1,440
    steps of width 64 take. So a wider model makes fewer steps. N has the embedding in it: it is the head's matrix, too.
    Width 16 is left out at the largest amount: its 9,906 steps would take as long as the three others together.
Equal: text, vocabulary, context, two layers of today's block, four pieces of 128 tokens in each step, optimiser, shape
    of the schedule, no dropout; 6 · N · D within 2 %; the rule of tuning, on the development chapters with seed 0: of
    three peak rates the best at the smallest amount; at each later one the best of the amount before or the next
    smaller one (the next larger one, if it was the smallest).
Control: the same setting with another seed. An order of two widths is told as one if it is the same in all seeds.
Seeds: 2 (1 and 2), beside the one of the tuning, measured on the two test chapters, which no choice has seen; at the
    largest amount the one of the tuning alone, on the development chapters, for lack of time.
Turned round by: one width that is best at every amount: then nothing grows here, and is told so. A best rate at the end
    of the grid favours the other widths; it was 0.03 for widths 16 and 32, and 0.005 from the second amount on for
    width 128. So rates beyond it were tried afterwards, seed 0, development chapters. Smallest amount, 0.06 and 0.12:
    width 16 2.211 and 2.234, width 32 2.304 and 2.294; 0.06: width 64 2.851, width 128 3.031. Second amount, 0.06:
    width 16 2.124, width 32 2.076; 0.003: width 128 2.750. Largest, 0.06: width 32 1.935.
    No order of two widths changes. Longer warm-ups were tried afterwards, too: 0.3 and 0.5 of the steps, with the best
    rate and the next larger one, seed 0, development chapters. The best of the four for widths 16, 32, 64 and 128:
    smallest amount 2.229, 2.252, 2.670, 3.034; second 2.119, 2.044, 2.133, 2.564; largest, from 32 on, 1.890, 1.879,
    2.039. So at the largest amount width 64 is ahead of 32 by 0.01 instead of 0.02 behind, one seed: their order is not
    settled. All others hold.
    Attention's own products are not in 6 · N · D; they would add 36 % to width 16 and 13 % to width 128, so
    that the narrow ones get a little more than their share.

No law can be read from three points. Kaplan et al. and Hoffmann et al. (2022) varied the parameters over more than two
powers of ten, depth with width, on billions of tokens; here they vary by a factor of 22, at one depth, and the text has
130,000 tokens, which width 32 reads sixteen times in the end.

Tried before, as a pilot, with seed 0 on the development chapters: widths 32 to 128 with all rates at the smallest
amount and 0.012 at the others. Width 32 was the best at the smallest amount; so width 16 was added then, with a
second rate everywhere. The pilot's trainings are part of the tuning and were not made again: the rows were joined from
several runs. About ten minutes on one core.
"""

from collections.abc import Iterator
from functools import cache

from attnbook.studies import book_ids, decoder_after, fit_decoder, measure_decoder
from attnbook.transformer import LanguageModel, LanguageModelConfig, count_parameters

OPTIONS = {"seeds": 2, "budgets": [90, 360, 1440]}
WIDTHS = (16, 32, 64, 128)
RATES = (5e-3, 1.2e-2, 3e-2)
MOST_STEPS = 5000
BATCH, LENGTH = 4, 128
MEASURED = (
    "bits per byte of the two test chapters, one number for each seed (none at the largest amount), after as many "
    "steps as take the computation of `budget` steps of width 64; operations: 6 · parameters · tokens; readings: of "
    "the whole text; tuning: bits per byte of the two development chapters, seed 0, for each peak rate; lr: the best"
)


def settings(options) -> Iterator[dict]:
    """Every amount of computation with every width."""
    for budget in options.budgets:
        for width in WIDTHS:
            if steps_of(width, budget) <= MOST_STEPS:
                seeds = options.seeds if budget < max(options.budgets) else 0
                yield {"width": width, "budget": budget, "budgets": options.budgets, "seeds": seeds}


def sizes(width: int) -> dict:
    """Today's block in a width."""
    heads = {"num_heads": width // 16, "num_kv_heads": max(1, width // 32)}
    return decoder_after() | heads | {"d_model": width, "d_ff": round(8 * width / 3)}


@cache
def parameters(width: int) -> int:
    """How many a width has."""
    return count_parameters(LanguageModel(LanguageModelConfig(len(book_ids()[0]), **sizes(width))))


def steps_of(width: int, budget: int) -> int:
    """How many steps of a width take the computation of `budget` steps of width 64."""
    return max(1, round(budget * parameters(64) / parameters(width)))


@cache
def measured(width: int, budget: int, lr: float, seed: int, part: str) -> float:
    """Bits per byte of one training."""
    model = fit_decoder(sizes(width), lr, seed, steps_of(width, budget), BATCH)
    return round(measure_decoder(model, part), 3)


def tuned(width: int, budget: int, budgets: list[int]) -> dict[float, float]:
    """Bits per byte on the development chapters for each rate that is tried."""
    rates = RATES
    if earlier := [less for less in budgets if less < budget]:
        before = tuned(width, max(earlier), budgets)
        first = max(0, RATES.index(min(before, key=before.get)) - 1)
        rates = RATES[first : first + 2]
    return {lr: measured(width, budget, lr, 0, "dev") for lr in rates}


def run(width: int, budget: int, budgets: list[int], seeds: int) -> dict:
    """Choose a rate, then train and measure with every seed."""
    tuning = tuned(width, budget, budgets)
    lr = min(tuning, key=tuning.get)
    steps, tokens = steps_of(width, budget), BATCH * LENGTH
    counted = {
        "parameters": parameters(width),
        "steps": steps,
        "operations": 6 * parameters(width) * steps * tokens,
        "readings": round(steps * tokens / len(book_ids()[1]), 1),
    }
    test = [measured(width, budget, lr, seed, "test") for seed in range(1, 1 + seeds)]
    return {"width": width, "budget": budget} | counted | {"tuning": tuning, "lr": lr, "test": test}
