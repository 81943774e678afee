"""The thrifty forms of attention: what do they save in memory and time, what do they cost in bits?

Question: how much memory and time do tiles, windows, fewer bits and compiled code save, and is the result the same?
Varies: the form and the length; the window; the precision; compiled or not; one process or two.
Equal: inputs, heads and sizes within a table; one thread. Two processes train a translator without dropout on the same
    batches as one.
Control: the formula with its table; float64 for the errors; a mask instead of tiles that are left out.
Seeds: one; errors are of one draw, given to two digits. Times are medians over rounds in which the candidates take
    turns.
Turned round by: a fused kernel with a mask that is as fast as tiles that are left out.

Memory is the most that a process of its own holds beyond what it held before, by Linux's account. Times are processor
time in milliseconds. Some four minutes.
"""

import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from statistics import median

import torch
import torch.nn.functional as F

from attnbook.attention import causal_mask, sliding_window_mask, tiled_attention
from attnbook.transformer import EncoderLayer
from tools.benchmarks.measure import PEAK_RESET, _peak_resident
from tools.experiments.costs import milliseconds

OPTIONS: dict = {}
LENGTHS = 512, 1024, 2048, 4096
HEADS, SIZE, WINDOW = 4, 64, 256
STEPS = 20


def table(query, key, value):
    """The formula as it stands, with its T × S table."""
    return (query @ key.mT / query.shape[-1] ** 0.5).softmax(dim=-1) @ value


FORMS = {"table": table, "tiles": tiled_attention, "fused": F.scaled_dot_product_attention}


def draw(n: int, **options) -> list[torch.Tensor]:
    """A query, a key and a value of random numbers, (1, H, n, Dh) each."""
    return [torch.randn(1, HEADS, n, SIZE, **options) for _ in range(3)]


def peak(form: str, n: int, backward: bool) -> float:
    """MiB that a form of attention needs beyond its inputs; to be called in a process of its own."""

    def run(inputs):
        output = FORMS[form](*inputs)
        if backward:
            output.sum().backward()

    small, inputs = ([*draw(m, requires_grad=backward)] for m in (64, n))
    for x in inputs:
        x.grad = torch.zeros_like(x) if backward else None
    run(small)  # what is set aside only once
    PEAK_RESET.write_text("5")
    before = _peak_resident()
    run(inputs)
    return round((_peak_resident() - before) / 2**20, 2)


def alone(*words: object, **more: str) -> str:
    """What a call of this module in a process of its own prints."""
    job = [sys.executable, "-m", "tools.experiments.efficient", *map(str, words)]
    done = subprocess.run(job, env=os.environ | more, capture_output=True, check=True)
    return done.stdout.decode()


def peaks(n: int, form: str) -> dict:
    """`peak` without gradients and with, each in a fresh process."""
    thrifty = {"MALLOC_MMAP_THRESHOLD_": "4096", "MALLOC_TRIM_THRESHOLD_": "0"}
    forward, with_gradients = (float(alone("peak", form, n, back, **thrifty)) for back in (False, True))
    return {"n": n, "form": form, "forward": forward, "with_gradients": with_gradients}


def medians(runs: dict[str, Callable], rounds: int = 7) -> dict[str, float]:
    """Milliseconds of each, the candidates taking turns; the first round warms up."""
    spent = {name: [] for name in runs}
    for number in range(rounds + 1):
        for name, run in runs.items():
            took = milliseconds(run)
            spent[name] += [took] if number else []
    return {name: float(f"{median(took):.4g}") for name, took in spent.items()}


def window_runs(n: int) -> dict[str, Callable]:
    """Causal attention over n words with and without a window, in several ways, ready to be called."""
    q, k, v = draw(n)
    mask, hidden = sliding_window_mask(n, WINDOW), ~causal_mask(n)

    def table():
        scores = (q @ k.mT / SIZE**0.5).masked_fill_(hidden, -torch.inf)
        return scores.softmax(dim=-1) @ v

    return {
        "table": table,
        "fused": lambda: F.scaled_dot_product_attention(q, k, v, is_causal=True),
        "fused_mask": lambda: F.scaled_dot_product_attention(q, k, v, mask),
        "tiles": lambda: tiled_attention(q, k, v, causal=True),
        "tiles_window": lambda: tiled_attention(q, k, v, causal=True, window=WINDOW),
    }


def difference(a: torch.Tensor, b: torch.Tensor) -> float:
    """The error of a relative to b, as a whole."""
    return float(f"{((a.double() - b).norm() / b.norm()).item():.2g}")


@torch.no_grad()
def dtypes() -> list[dict]:
    """An encoder layer and its attention alone in several precisions: milliseconds, bytes, and the error."""
    layer = EncoderLayer(512, 8, 2048).eval().double()
    x = torch.randn(1, 512, 512, dtype=torch.float64)
    heads = torch.randn(1, 8, 512, 64, dtype=torch.float64)
    whole = layer(x)[0], F.scaled_dot_product_attention(heads, heads, heads)
    rows, runs, errors = [], {}, {}
    for dtype in (torch.float64, torch.float32, torch.bfloat16, torch.float16):
        name = str(dtype).removeprefix("torch.")
        own = EncoderLayer(512, 8, 2048).eval()
        own.load_state_dict(layer.state_dict())
        own, h, a = own.to(dtype), x.to(dtype), heads.to(dtype)
        runs[f"layer {name}"] = lambda own=own, h=h: own(h)[0]
        runs[f"attention {name}"] = lambda a=a: F.scaled_dot_product_attention(a, a, a)
        errors[name] = [
            difference(runs[f"{what} {name}"](), right)
            for what, right in zip(("layer", "attention"), whole, strict=True)
        ]
    spent = medians(runs, 5)
    for name, (layer_error, attention_error) in errors.items():
        rows.append(
            {
                "dtype": name,
                "layer": spent[f"layer {name}"],
                "attention": spent[f"attention {name}"],
                "layer_error": layer_error,
                "attention_error": attention_error,
            }
        )
    return rows


def compiled() -> list[dict]:
    """What `torch.compile` makes of a formula and of a layer: milliseconds, and seconds for the first call."""
    layer = EncoderLayer(256, 4, 1024).eval()
    x, heads = torch.randn(1, 256, 256), torch.randn(1, 4, 256, 64)
    rows = []
    with torch.no_grad():
        for name, run, given in (
            ("formula", lambda a: (a @ a.mT / 8).softmax(-1) @ a, heads),
            ("fused", lambda a: F.scaled_dot_product_attention(a, a, a), heads),
            ("layer", lambda h: layer(h)[0], x),
        ):
            quick = torch.compile(run)
            began = time.perf_counter()
            torch.testing.assert_close(quick(given), run(given))
            first = time.perf_counter() - began
            runs = {
                "eager": lambda run=run, given=given: run(given),
                "compiled": lambda quick=quick, given=given: quick(given),
            }
            rows.append({"what": name, **medians(runs), "first_call_s": round(first, 1)})
    return rows


def trained(devices: int, out: str) -> None:
    """Train in so many processes, and write the losses."""
    from attnbook.data import bundled_pairs, split_pairs
    from attnbook.training import make_fabric
    from attnbook.translation import RECIPES, fit

    recipe = RECIPES["bahdanau"]
    recipe = replace(recipe, sizes={**recipe.sizes, "dropout": 0.0})
    fabric = make_fabric(devices)
    fabric.launch()
    pairs = split_pairs(bundled_pairs(), seed=0).train
    losses = fit(recipe, pairs, steps=STEPS, seed=0, fabric=fabric).losses
    if fabric.is_global_zero:
        Path(out).write_text(json.dumps(losses))


def processes() -> dict:
    """The losses of one process and of two."""
    losses = {}
    with tempfile.TemporaryDirectory() as folder:
        for devices in (1, 2):
            out = Path(folder) / f"{devices}.json"
            alone("train", devices, out)
            losses[devices] = json.loads(out.read_text())
    return {"steps": STEPS, "one": losses[1], "two": losses[2]}


TABLES = {"dtypes": dtypes, "compiled": compiled}


def settings(options) -> Iterator[dict]:
    """Every row of memory and of windows, then the other tables."""
    for n in LENGTHS:
        for form in FORMS:
            yield {"seed": 0, "what": "memory", "n": n, "form": form}
    for n in LENGTHS:
        yield {"seed": 0, "what": "windows", "n": n}
    for what in (*TABLES, "processes"):
        yield {"seed": 0, "what": what}


def run(seed: int, what: str, n: int = 0, form: str = "") -> dict:
    """Measure a row or a table."""
    torch.manual_seed(seed)
    if what == "memory":
        rows = [peaks(n, form)]
    elif what == "windows":
        with torch.no_grad():
            rows = [{"n": n, **medians(window_runs(n), 5)}]
    elif what == "processes":
        rows = [processes()]
    else:
        rows = TABLES[what]()
    return {"what": what, "rows": rows}


def summary(results: list[dict], options) -> dict:
    """All tables, and on what they were measured."""

    def table(what: str) -> list[dict]:
        return [row for found in results if found["what"] == what for row in found["rows"]]

    return {
        "measured": "memory: MiB beyond the inputs, one sequence, four heads of 64, float32; windows: milliseconds, "
        f"the same, a causal window of {WINDOW}; dtypes: milliseconds and relative errors, n = 512, eight heads of 64; "
        "compiled: milliseconds, n = 256, four heads of 64; processes: losses of Bahdanau's model without dropout",
        "machine": {
            "architecture": platform.machine(),
            "processor": torch.backends.cpu.get_cpu_capability(),
            "threads": torch.get_num_threads(),
        },
        "processes": table("processes")[0],
        **{what: table(what) for what in ("memory", "windows", "dtypes", "compiled")},
    }


if __name__ == "__main__":  # one measurement in a process of its own
    torch.set_num_threads(1)
    torch.manual_seed(0)
    if sys.argv[1] == "peak":
        print(peak(sys.argv[2], int(sys.argv[3]), sys.argv[4] == "True"))
    else:
        trained(int(sys.argv[2]), sys.argv[3])
