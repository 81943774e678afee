"""Self-attention and a recurrence: which takes less time for a text, and how does that depend on the batch?

Question: attention takes 2n²d multiply-adds and a recurrence 2nd², so they should meet at n = d. Do they, on a clock?
Varies: the layer; the length n and the width d; how many texts are read at once.
Equal: both layers get the same batch of the same inputs; one thread, no gradients, no projections around them; each
    layer is timed in two forms (the formula and PyTorch's own kernel) and the faster one counts; every round times all
    forms in turn, so that a busy moment meets all of them.
Control: a batch of one for both, where the recurrence has a single vector for its matrix; the recurrence's products
    alone, with no waiting.
Seeds: one; times do not depend on the numbers. Medians over the rounds, with the lowest and the highest ratio of a
    round.
Turned round by: attention that stays ahead beyond n = d in a batch as well.

Times are milliseconds of processor time for one text of the batch. Some five minutes on one core.
"""

from collections.abc import Callable

import torch
import torch.nn.functional as F
from torch import nn

from attnbook.studies import bare_attention, bare_recurrence
from tools.benchmarks.measure import in_turns, milliseconds
from tools.experiments.stored import medians
from tools.surroundings import machine

OPTIONS = {"rounds": 7}
WIDTHS, LENGTHS, BATCHES = (64, 512), (64, 128, 256, 512, 1024, 2048), (1, 8, 32)
MEASURED = (
    "milliseconds of processor time for one of a batch of texts of n words of width d; attention: softmax(xxᵀ/√d) x, "
    "by the formula; fused: the same by PyTorch's kernel; recurrence: h_t = tanh(x_t W + h_(t-1) U), step by step; "
    "rnn: the same by nn.RNN, with biases; products: the multiplications of the recurrence, x W and x U, with no "
    "waiting; ratios: lowest and highest of the rounds, the faster attention over the faster recurrence"
)


def layers(n: int, d: int, batch: int) -> dict[str, Callable[[], object]]:
    """What is timed, each as a call without arguments."""
    x = torch.randn(batch, n, d)
    W, U = torch.randn(2, d, d) / d**0.5
    rnn = nn.RNN(d, d, batch_first=True)
    return {
        "attention": lambda: bare_attention(x),
        "fused": lambda: F.scaled_dot_product_attention(*[x[:, None]] * 3),
        "recurrence": lambda: bare_recurrence(x, W, U),
        "rnn": lambda: rnn(x),
        "products": lambda: (x @ W, x @ U),
    }


def variants(options) -> list[dict]:
    """Every width, batch and length."""
    return [{"d": d, "batch": batch, "n": n} for d in WIDTHS for batch in BATCHES for n in LENGTHS]


@torch.no_grad()
def run(seed: int, d: int, batch: int, n: int, rounds: int) -> dict:
    """Time all forms at one size."""
    torch.manual_seed(seed)
    spent = in_turns(layers(n, d, batch), lambda layer: milliseconds(layer) / batch, rounds)
    ratios = [
        min(ours) / min(theirs)
        for ours, theirs in zip(
            zip(spent["attention"], spent["fused"], strict=True),
            zip(spent["recurrence"], spent["rnn"], strict=True),
            strict=True,
        )
    ]
    return {"d": d, "batch": batch, "n": n, **medians(spent), "ratios": [round(min(ratios), 3), round(max(ratios), 3)]}


def summary(results: list[dict], options) -> dict:
    """All times, and on what they were measured."""
    return {"machine": machine(threads=torch.get_num_threads()), "measured": MEASURED, "times": results}
