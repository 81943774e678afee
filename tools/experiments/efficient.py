"""Attention in tiles: what does it save in memory and time, and when does a window save anything?

Question: how much memory and time do tiles save, and does a window given as a mask save work?
Varies: the form (a table of all scores, our tiles, PyTorch's fused kernel), the length, and how a causal window of 256
    is said to it: as a mask, or by leaving tiles out.
Equal: inputs, heads and sizes; one thread; no gradients where times are measured.
Control: the fused kernel over the whole square, and with the causal triangle given as a mask, so that what reading a
    mask costs can be told from what the window saves.
Seeds: one; neither depends on the numbers. Times are medians over rounds in which the candidates take turns.
Turned round by: a fused kernel that is faster with the window's mask than with the triangle's.

Memory is the most that a process of its own holds beyond what it held before, by Linux's account. Times are processor
time in milliseconds. Some three minutes.
"""

from collections.abc import Callable

import torch
import torch.nn.functional as F

from attnbook.attention import causal_mask, sliding_window_mask, tiled_attention
from tools.benchmarks.measure import in_a_process, in_turns, milliseconds, peak_of
from tools.experiments.stored import medians
from tools.surroundings import machine

OPTIONS: dict = {}
LENGTHS = 512, 1024, 2048, 4096
HEADS, SIZE, WINDOW = 4, 64, 256
MEASURED = (
    "memory: MiB beyond the inputs, one sequence, four heads of 64, float32; windows: milliseconds, "
    f"the same, causal (but for fused_square), a window of {WINDOW} in fused_mask and tiles_window"
)


def table(query, key, value):
    """The formula as it stands, with its T × S table."""
    return (query @ key.mT / query.shape[-1] ** 0.5).softmax(dim=-1) @ value


FORMS = {"table": table, "tiles": tiled_attention, "fused": F.scaled_dot_product_attention}


def draw(n: int, **options) -> list[torch.Tensor]:
    """A query, a key and a value of random numbers, (1, H, n, Dh) each."""
    return [torch.randn(1, HEADS, n, SIZE, **options) for _ in range(3)]


def peak(form: str, n: int, backward: bool) -> float:
    """MiB that a form of attention needs beyond its inputs; to be called in a process of its own."""
    torch.set_num_threads(1)
    torch.manual_seed(0)

    def attend(inputs):
        output = FORMS[form](*inputs)
        if backward:
            output.sum().backward()

    small, inputs = ([*draw(m, requires_grad=backward)] for m in (64, n))
    for x in inputs:
        x.grad = torch.zeros_like(x) if backward else None
    attend(small)  # what is set aside only once
    return round(peak_of(lambda: attend(inputs)) / 2**20, 2)


def peaks(n: int, form: str) -> dict:
    """`peak` without gradients and with, each in a fresh process."""
    forward, with_gradients = (in_a_process(__name__, "peak", form, n, back) for back in (False, True))
    return {"n": n, "form": form, "forward": forward, "with_gradients": with_gradients}


def window_runs(n: int) -> dict[str, Callable]:
    """Causal attention over n words with and without a window, in several ways, ready to be called."""
    q, k, v = draw(n)
    mask, triangle = sliding_window_mask(n, WINDOW), causal_mask(n)

    def causal_table():
        scores = (q @ k.mT / SIZE**0.5).masked_fill_(~triangle, -torch.inf)
        return scores.softmax(dim=-1) @ v

    return {
        "table": causal_table,
        "fused": lambda: F.scaled_dot_product_attention(q, k, v, is_causal=True),
        "fused_square": lambda: F.scaled_dot_product_attention(q, k, v),
        "fused_triangle": lambda: F.scaled_dot_product_attention(q, k, v, triangle),
        "fused_mask": lambda: F.scaled_dot_product_attention(q, k, v, mask),
        "tiles": lambda: tiled_attention(q, k, v, causal=True),
        "tiles_window": lambda: tiled_attention(q, k, v, causal=True, window=WINDOW),
    }


def variants(options) -> list[dict]:
    """Every row of memory and of windows."""
    memory = [{"what": "memory", "n": n, "form": form} for n in LENGTHS for form in FORMS]
    return memory + [{"what": "windows", "n": n} for n in LENGTHS]


def run(seed: int, what: str, n: int = 0, form: str = "") -> dict:
    """Measure a row."""
    torch.manual_seed(seed)
    if what == "memory":
        return {"what": what, "row": peaks(n, form)}
    with torch.no_grad():
        return {"what": what, "row": {"n": n, **medians(in_turns(window_runs(n), milliseconds, rounds=5))}}


def summary(results: list[dict], options) -> dict:
    """Both tables, and on what they were measured."""
    return {
        "measured": MEASURED,
        "machine": machine(processor=torch.backends.cpu.get_cpu_capability(), threads=torch.get_num_threads()),
        **{what: [result["row"] for result in results if result["what"] == what] for what in ("memory", "windows")},
    }
