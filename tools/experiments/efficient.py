"""What the thrifty forms of attention save: memory, time, bits, and processes; behind the chapter on them.

    python -m tools.experiments.efficient        writes chapters/results/efficient.json (some four minutes)

One thread. Memory is the most that a process of its own holds beyond what it held before, by Linux's account. Times are
processor time in milliseconds, medians over rounds in which all candidates take turns. Two processes train a translator
without dropout on the same batches as one.
"""

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from statistics import median

import torch
import torch.nn.functional as F

from attnbook.attention import (
    causal_mask,
    sliding_window_mask,
    tiled_attention,
)
from attnbook.files import write_atomically
from attnbook.transformer import EncoderLayer
from tools import ROOT
from tools.benchmarks.measure import PEAK_RESET, _peak_resident
from tools.experiments.costs import milliseconds
from tools.experiments.stored import made_by, row_by_row

RESULT = ROOT / "chapters" / "results" / "efficient.json"
LENGTHS = 512, 1024, 2048, 4096
HEADS, SIZE, WINDOW = 4, 64, 256
STEPS = 20


def table(query, key, value):
    """The formula as it stands, with its T × S table."""
    return (query @ key.mT / query.shape[-1] ** 0.5).softmax(dim=-1) @ value


FORMS = {
    "table": table,
    "tiles": tiled_attention,
    "fused": F.scaled_dot_product_attention,
}


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


def peaks() -> list[dict]:
    """`peak` of all forms and lengths, each in a fresh process."""
    thrifty = {"MALLOC_MMAP_THRESHOLD_": "4096", "MALLOC_TRIM_THRESHOLD_": "0"}
    rows = []
    for n in LENGTHS:
        for form in FORMS:
            row = {"n": n, "form": form}
            for name, backward in (("forward", 0), ("with_gradients", 1)):
                job = [sys.executable, "-m", __spec__.name, "--peak", form, str(n)]
                done = subprocess.run(
                    [*job, str(backward)],
                    env=os.environ | thrifty,
                    capture_output=True,
                    check=True,
                )
                row[name] = float(done.stdout)
            rows.append(row)
            print(row, flush=True)
    return rows


def medians(runs: dict[str, Callable], rounds: int = 7) -> dict[str, float]:
    """Milliseconds of each, the candidates taking turns; the first round warms up."""
    spent = {name: [] for name in runs}
    for number in range(rounds + 1):
        for name, run in runs.items():
            found = milliseconds(run)
            spent[name] += [found] if number else []
    return {name: float(f"{median(found):.4g}") for name, found in spent.items()}


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


@torch.no_grad()
def windows() -> list[dict]:
    """Milliseconds of a causal window: as a mask for the fused kernel, and as tiles that are left out."""
    rows = []
    for n in LENGTHS:
        rows.append({"n": n, **medians(window_runs(n), 5)})
        print(rows[-1], flush=True)
    return rows


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
    rows, runs, found = [], {}, {}
    for dtype in (torch.float64, torch.float32, torch.bfloat16, torch.float16):
        name = str(dtype).removeprefix("torch.")
        own = EncoderLayer(512, 8, 2048).eval()
        own.load_state_dict(layer.state_dict())
        own, h, a = own.to(dtype), x.to(dtype), heads.to(dtype)
        runs[f"layer {name}"] = lambda own=own, h=h: own(h)[0]
        runs[f"attention {name}"] = lambda a=a: F.scaled_dot_product_attention(a, a, a)
        found[name] = [
            difference(runs[f"{what} {name}"](), right)
            for what, right in zip(("layer", "attention"), whole, strict=True)
        ]
    spent = medians(runs, 5)
    for name, (layer_error, attention_error) in found.items():
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
            rows.append(
                {"what": name, **medians(runs), "first_call_s": round(first, 1)}
            )
            print(rows[-1], flush=True)
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
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        for devices in (1, 2):
            out = Path(folder) / f"{devices}.json"
            job = [sys.executable, "-m", __spec__.name, "--train", str(devices)]
            subprocess.run([*job, str(out)], check=True, capture_output=True)
            found[devices] = json.loads(out.read_text())
    return {"steps": STEPS, "one": found[1], "two": found[2]}


def main() -> None:
    """Measure everything and replace the file."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--peak", nargs=3, help=argparse.SUPPRESS)
    parser.add_argument("--train", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(0)
    if options.peak:
        form, n, backward = options.peak
        print(peak(form, int(n), backward == "1"))
        return
    if options.train:
        trained(int(options.train[0]), options.train[1])
        return
    result = {
        **made_by(__spec__.name, options),
        "machine": {
            "architecture": platform.machine(),
            "processor": torch.backends.cpu.get_cpu_capability(),
            "threads": 1,
        },
        "measured": "memory: MiB beyond the inputs, one sequence, four heads of 64, float32; windows: milliseconds, "
        f"the same, a causal window of {WINDOW}; dtypes: milliseconds and relative errors, n = 512, eight heads of 64; "
        "compiled: milliseconds, n = 256, four heads of 64; processes: losses of Bahdanau's model without dropout",
        "memory": peaks(),
        "windows": windows(),
        "dtypes": dtypes(),
        "compiled": compiled(),
        "processes": processes(),
    }
    rows = "memory", "windows", "dtypes", "compiled"
    write_atomically(
        RESULT,
        row_by_row({k: result[k] for k in (*result.keys() - rows, *rows)}, *rows),
    )


if __name__ == "__main__":
    main()
