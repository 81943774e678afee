"""Self-attention, recurrence and convolution: what does each cost at which length and width?

Question: do the times follow the counts of operations, and at which length does attention cost more than a recurrence?
Varies: the layer; the length n and the width d; for the recurrence, one sentence or a batch of 32.
Equal: inputs, one thread, no gradients; every round times all layers in turn, so that a busy moment meets all of them.
Control: the products alone that the recurrence needs, and PyTorch's own kernels beside the bare formulas.
Seeds: one; times do not depend on the numbers. The median over the rounds is stored.
Turned round by: a batch of 32 (`rnn_of_32`) that makes the recurrence the faster one where attention was.

Times are milliseconds of processor time. Some five minutes on one core.
"""

import platform
import statistics
import time
from collections.abc import Callable, Iterator

import torch
import torch.nn.functional as F
from torch import nn

from attnbook.studies import bare_attention, bare_convolution, bare_recurrence
from attnbook.transformer import EncoderLayer

OPTIONS = {"rounds": 9}
WIDTHS, LENGTHS = (64, 512), (64, 128, 256, 512, 1024, 2048, 4096)
WINDOW, BATCH, HEAD = 3, 32, 64
LEAST = 0.02  # seconds that one measurement takes at least
MEASURED = (
    "milliseconds of processor time for one sequence of n words of width d; softmax: of an n by n table; products: "
    "the multiplications of the recurrence, x W and x U, with no waiting; rnn: nn.RNN; rnn_of_32: the same on a batch "
    "of 32, for one of them; layer: an encoder layer with heads of 64, its attention fused; core: the fused attention "
    "inside it"
)


def layers(n: int, d: int) -> dict[str, Callable[[], object]]:
    """What is timed, each as a call without arguments."""
    x = torch.randn(n, d)
    W, U = torch.randn(2, d, d) / d**0.5
    kernel = torch.randn(d, d, WINDOW) / (WINDOW * d) ** 0.5
    table, batch = torch.randn(n, n), torch.randn(BATCH, n, d)
    rnn = nn.RNN(d, d, batch_first=True)
    layer = EncoderLayer(d, d // HEAD, 4 * d).eval()
    heads = torch.randn(1, d // HEAD, n, HEAD)
    return {
        "attention": lambda: bare_attention(x),
        "fused": lambda: F.scaled_dot_product_attention(*[x[None, None]] * 3),
        "softmax": lambda: table.softmax(dim=-1),
        "recurrence": lambda: bare_recurrence(x, W, U),
        "products": lambda: (x @ W, x @ U),
        "rnn": lambda: rnn(x[None]),
        "rnn_of_32": lambda: rnn(batch),
        "convolution": lambda: bare_convolution(x, kernel),
        "layer": lambda: layer(x[None]),
        "core": lambda: F.scaled_dot_product_attention(heads, heads, heads),
    }


def milliseconds(run: Callable[[], object]) -> float:
    """Processor time of one call, as often as it takes to measure it."""
    began, calls = time.thread_time(), 0
    while time.thread_time() - began < LEAST:
        run()
        calls += 1
    return 1000 * (time.thread_time() - began) / calls


def settings(options) -> Iterator[dict]:
    """Every width and length."""
    for d in WIDTHS:
        for n in LENGTHS:
            yield {"seed": 0, "d": d, "n": n, "rounds": options.rounds}


@torch.no_grad()
def run(seed: int, d: int, n: int, rounds: int) -> dict:
    """Time all layers at one size."""
    torch.manual_seed(seed)
    runs = layers(n, d)
    spent: dict[str, list] = {name: [] for name in runs}
    for number in range(rounds + 1):  # the first one warms up
        for name, layer in runs.items():
            took = milliseconds(layer) / (BATCH if name == "rnn_of_32" else 1)
            spent[name] += [took] if number else []
    medians = {name: statistics.median(some) for name, some in spent.items()}
    return {"d": d, "n": n} | {k: float(f"{v:.4g}") for k, v in medians.items()}


def summary(results: list[dict], options) -> dict:
    """All times, and on what they were measured."""
    machine = {"architecture": platform.machine(), "threads": torch.get_num_threads()}
    return {"machine": machine, "measured": MEASURED, "times": results}
