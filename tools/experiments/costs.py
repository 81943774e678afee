"""Time self-attention, recurrence and convolution, for chapter 15.

    python -m tools.experiments.costs            writes chapters/results/costs.json (some five minutes, one core)

Every round times all layers one after the other, so that a busy moment of the machine meets all of them; what is stored
is the median over the rounds, in milliseconds of processor time of one thread, without gradients.
"""

import argparse
import platform
import statistics
import time
from collections.abc import Callable
from pathlib import Path

import torch
import torch.nn.functional as F
from torch import nn

from attnbook.files import write_atomically
from attnbook.studies import bare_attention, bare_convolution, bare_recurrence
from attnbook.transformer import EncoderLayer
from tools import ROOT
from tools.experiments.stored import made_by, row_by_row

WIDTHS, LENGTHS = (64, 512), (64, 128, 256, 512, 1024, 2048, 4096)
WINDOW, BATCH, HEAD = 3, 32, 64
LEAST = 0.02  # seconds that one measurement takes at least
DEFAULT = ROOT / "chapters" / "results" / "costs.json"
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


def main() -> None:
    """Measure everything and replace the file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=DEFAULT)
    parser.add_argument("--rounds", type=int, default=9)
    options = parser.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(0)
    result = {
        **made_by(__spec__.name, options),
        "machine": {"architecture": platform.machine(), "threads": 1},
        "measured": MEASURED,
        "times": [],
    }
    for d in WIDTHS:
        for n in LENGTHS:
            runs = layers(n, d)
            rounds = {name: [] for name in runs}
            with torch.no_grad():
                for number in range(options.rounds + 1):  # the first one warms up
                    for name, run in runs.items():
                        spent = milliseconds(run) / (
                            BATCH if name == "rnn_of_32" else 1
                        )
                        rounds[name] += [spent] if number else []
            found = {name: statistics.median(spent) for name, spent in rounds.items()}
            row = {"d": d, "n": n} | {k: float(f"{v:.4g}") for k, v in found.items()}
            result["times"].append(row)
            print(row, flush=True)
    write_atomically(options.out, row_by_row(result, "times"))


if __name__ == "__main__":
    main()
