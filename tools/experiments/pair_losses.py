"""Tables of pairs with few right cells: which loss trains them?

Question: how fast does a table learn with the loss for pairs, and with binary cross-entropy?
Varies: the loss; for the binary one, whether the score's bias begins at the log-odds of a right cell, the usual remedy
    for rare classes.
Equal: 1,000 sentences, encoder, biaffine scorer (it has a bias), steps, batches, and the effort of tuning: each loss
    has the best of three learning rates, by its F1 on development sentences with a seed of its own.
Control: the remedy.
Seeds: 5, all stored, none of them the one that chose the rates.
Turned round by: a binary loss with the remedy that is as fast.

About four minutes on one core. `curve` has the F1 on the test sentences every 50 steps.
"""

import functools
import math

import torch

from attnbook.pairs import binary_loss, pair_loss, span_mask
from attnbook.studies import SpanReader, fit_pairs, span_f1
from tools.experiments.spans import TUNING, development, draw

OPTIONS = {"seeds": 5, "steps": 300}
LOSSES = {"pairs": pair_loss, "binary": binary_loss, "binary, from the odds": binary_loss}
RATES = (1e-3, 3e-3, 1e-2)
EVERY = 50
MEASURED = "F1 of exact spans with their types on 300 unseen sentences, every 50 steps"


@functools.cache
def log_odds() -> float:
    """Of a right cell among those that count, in the training sentences."""
    ids, lengths, target = SpanReader("biaffine", 28).batch(draw(1000)["train"])
    cells = int(span_mask(lengths, ids.shape[1]).expand_as(target).sum())
    right = int(target.sum())
    return math.log(right / (cells - right))


def trained(loss: str, rate: float, seed: int, steps: int) -> tuple[SpanReader, list[float]]:
    """A reader, and its F1 on the test sentences on the way."""
    drawn, curve = draw(1000), []
    torch.manual_seed(seed)
    model = SpanReader("biaffine", 28, None, LOSSES[loss])
    if loss.endswith("odds"):
        model.scorer.bias.data.fill_(log_odds())

    def watch(step: int) -> None:
        if step % EVERY == 0 and seed != TUNING:
            model.eval()
            curve.append(round(span_f1(model, drawn["test"]), 4))
            model.train()

    fit_pairs(model, drawn["train"], steps, seed, rate, watch=watch)
    return model, curve


@functools.cache
def tuned(loss: str, steps: int) -> dict[float, float]:
    """For each learning rate the F1 on development sentences."""
    models = {rate: trained(loss, rate, TUNING, steps)[0] for rate in RATES}
    return {rate: round(span_f1(model, development(1000)), 4) for rate, model in models.items()}


def variants(options) -> list[dict]:
    """Every loss."""
    return [{"loss": loss} for loss in LOSSES]


def run(loss: str, seed: int, steps: int) -> dict:
    """Train one reader at the best rate of its loss."""
    tuning = tuned(loss, steps)
    rate = max(tuning, key=tuning.__getitem__)
    curve = trained(loss, rate, seed, steps)[1]
    return {"loss": loss, "seed": seed, "rate": rate, "tuning": {str(r): f for r, f in tuning.items()}, "curve": curve}


def summary(results: list[dict], options) -> dict:
    """All rows."""
    return {
        "seeds": list(range(options.seeds)),
        "every": EVERY,
        "log_odds": round(log_odds(), 3),
        "measured": MEASURED,
        "rows": results,
    }
