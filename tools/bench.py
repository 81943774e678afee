"""Measure the book's layers against PyTorch's kernel and d2l's layers: time and memory, in one run.

    python tools/bench.py                    on the CPU, one thread
    python tools/bench.py --threads 2 --lengths 256 1024
    python tools/bench.py --device cuda

Only layers that give the same output are compared, and that is checked first. Times are medians over rounds in which
the layers take turns, so that a busy moment of the machine meets all of them; a ratio compares within the run. Memory
is what a process of its own needs at most beyond its inputs for one forward and backward pass, with gradients kept.
"""

import argparse
import json
import os
import re
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import torch
import torch.nn.functional as F

from attnbook.attention import (
    AdditiveAttention,
    DotProductAttention,
    MultiplicativeAttention,
)
from attnbook.interop import load_d2l

BATCH, SIZE, HIDDEN = 2, 64, 64
REFERENCE = {"dot": "F.scaled_dot_product_attention", "additive": "AdditiveAttention"}


def fused(query: torch.Tensor, key: torch.Tensor, value: torch.Tensor) -> torch.Tensor:
    """PyTorch's kernel; on the CPU only inputs with an axis for heads reach its fused form."""
    return F.scaled_dot_product_attention(query[:, None], key[:, None], value[:, None])[
        :, 0
    ]


def layers(family: str, device: str = "cpu") -> dict[str, Callable]:
    """Layers that compute the same function, with the same weights: name → f(query, key, value).

    Args:
        family: `dot` or `additive`.
        device: where their parameters live.
    """
    d2l = load_d2l()
    if family == "dot":
        ours, theirs, bilinear = (
            DotProductAttention(),
            d2l.DotProductAttention(0.0),
            MultiplicativeAttention(SIZE, SIZE),
        )
        with torch.no_grad():  # qᵀMk with M = 1/√D is the scaled dot product
            bilinear.weight.copy_(torch.eye(SIZE) / SIZE**0.5)
        bilinear.to(device)
        return {
            "F.scaled_dot_product_attention": fused,
            "DotProductAttention": lambda q, k, v: ours(q, k, v)[0],
            "… with its weights": lambda q, k, v: ours(q, k, v, need_weights=True)[0],
            "MultiplicativeAttention": lambda q, k, v: bilinear(q, k, v)[0],
            "d2l.DotProductAttention": lambda q, k, v: theirs(q, k, v, None),
        }
    ours, theirs = (
        AdditiveAttention(SIZE, SIZE, HIDDEN),
        d2l.AdditiveAttention(HIDDEN, 0.0),
    )
    theirs(
        *[torch.zeros(1, 1, SIZE)] * 3, None
    )  # its layers learn their sizes from the first call
    for name in ("W_q", "W_k", "w_v"):
        getattr(theirs, name).load_state_dict(getattr(ours, name).state_dict())
    ours.to(device), theirs.to(device)
    return {
        "AdditiveAttention": lambda q, k, v: ours(q, k, v)[0],
        "d2l.AdditiveAttention": lambda q, k, v: theirs(q, k, v, None),
    }


def inputs(length: int, device: str = "cpu") -> list[torch.Tensor]:
    """Query, key and value (BATCH, length, SIZE) that want gradients, the same at every call."""
    make = torch.Generator().manual_seed(0)
    return [
        torch.randn(BATCH, length, SIZE, generator=make).to(device).requires_grad_()
        for _ in range(3)
    ]


def run(layer: Callable, tensors: list[torch.Tensor], backward: bool) -> torch.Tensor:
    """One forward pass, and a backward pass if wanted."""
    if backward:
        output = layer(*tensors)
        output.sum().backward()
    else:
        with torch.no_grad():
            output = layer(*tensors)
    if output.is_cuda:
        torch.cuda.synchronize()
    return output


def seconds(
    all_layers: dict, tensors: list[torch.Tensor], backward: bool, rounds: int
) -> dict[str, float]:
    """Median seconds of each layer, over rounds in which they take turns."""
    times = {name: [] for name in all_layers}
    for _ in range(rounds + 1):  # the first round warms up
        for name, layer in all_layers.items():
            begin = time.perf_counter()
            run(layer, tensors, backward)
            times[name].append(time.perf_counter() - begin)
    return {name: statistics.median(measured[1:]) for name, measured in times.items()}


PEAK_RESET = Path("/proc/self/clear_refs")


def peak_bytes(family: str, name: str, length: int, device: str) -> int:
    """What one layer needs at most beyond its inputs for a forward and backward pass, here and now.

    Called in a process of its own: a peak never goes down again.
    """
    layer, tensors = layers(family, device)[name], inputs(length, device)
    run(
        layer, inputs(2, device), backward=True
    )  # what is loaded only once is not the layer's
    if device == "cuda":
        torch.cuda.reset_peak_memory_stats()
        before = torch.cuda.memory_allocated()
        run(layer, tensors, backward=True)
        return torch.cuda.max_memory_allocated() - before
    for tensor in tensors:
        tensor.grad = torch.ones_like(
            tensor
        )  # in place before the measurement, as the inputs are
    PEAK_RESET.write_text("5")
    before = resident("VmHWM")  # the peak is now what is resident
    run(layer, tensors, backward=True)
    return resident("VmHWM") - before


def resident(field: str) -> int:
    """A field of Linux's account of this process, in bytes."""
    return 1024 * int(
        re.search(rf"{field}:\s+(\d+) kB", Path("/proc/self/status").read_text()).group(
            1
        )
    )


def peak_in_a_process(
    family: str, name: str, length: int, device: str, threads: int
) -> int | None:
    """`peak_bytes` in a fresh process; None where the operating system keeps no such account."""
    if device == "cpu" and not PEAK_RESET.exists():
        return None
    job = json.dumps([family, name, length, device, threads])
    # Every tensor of a page or more is then asked of the system and given back at once: nothing hides in a pool.
    env = {
        **os.environ,
        "MALLOC_MMAP_THRESHOLD_": "4096",
        "MALLOC_TRIM_THRESHOLD_": "0",
    }
    command = [sys.executable, __file__, "--peak", job]
    return int(
        subprocess.run(
            command, env=env, capture_output=True, text=True, check=True
        ).stdout
    )


def compare(
    family: str,
    length: int,
    device: str,
    threads: int,
    rounds: int,
    memory: bool = True,
) -> list[dict]:
    """Measure all layers of a family at one length.

    Returns:
        One dict a layer: name, seconds forward, seconds forward and backward, peak bytes (None if not wanted).

    Raises:
        AssertionError: two layers do not give the same output, so they must not be compared.
    """
    all_layers, tensors = layers(family, device), inputs(length, device)
    expected = run(all_layers[REFERENCE[family]], tensors, backward=False)
    for name, layer in all_layers.items():
        found = run(layer, tensors, backward=False)
        torch.testing.assert_close(
            found,
            expected,
            atol=2e-5,
            rtol=1e-4,
            msg=lambda text, n=name: f"{n}: {text}",
        )
    forward = seconds(all_layers, tensors, False, rounds)
    both = seconds(all_layers, tensors, True, rounds)
    return [
        {
            "layer": name,
            "forward": forward[name],
            "both": both[name],
            "peak": peak_in_a_process(family, name, length, device, threads)
            if memory
            else None,
        }
        for name in all_layers
    ]


def table(family: str, length: int, rows: list[dict]) -> str:
    """The measurements of one length as text; ratios are to the family's reference."""
    base = next(row for row in rows if row["layer"] == REFERENCE[family])
    lines = [
        f"{family}, {length} queries and {length} keys",
        f"  {'':32} {'forward':>18} {'and backward':>18} {'peak':>12}",
    ]
    for row in rows:
        times = [
            f"{1e3 * row[kind]:9.2f} ms {row[kind] / base[kind]:4.1f}×"
            for kind in ("forward", "both")
        ]
        peak = "" if row["peak"] is None else f"{row['peak'] / 2**20:8.1f} MiB"
        lines.append(f"  {row['layer']:32} {times[0]:>18} {times[1]:>18} {peak:>12}")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--lengths",
        type=int,
        nargs="+",
        default=[128, 512, 2048],
        help="queries and keys, dot products",
    )
    parser.add_argument(
        "--additive-lengths",
        type=int,
        nargs="+",
        default=[128, 512],
        help="the same, additive scores",
    )
    parser.add_argument("--rounds", type=int, default=11)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--device", default="cpu", choices=["cpu", "cuda"])
    parser.add_argument("--peak", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.peak:
        *job, threads = json.loads(options.peak)
        torch.set_num_threads(threads)
        print(peak_bytes(*job))
        return
    if options.device == "cuda" and not torch.cuda.is_available():
        parser.error("there is no CUDA device here; leave --device out")
    torch.set_num_threads(options.threads)
    where = (
        torch.cuda.get_device_name()
        if options.device == "cuda"
        else f"CPU, {options.threads} thread(s)"
    )
    print(
        f"PyTorch {torch.__version__}, {where}, float32, batch {BATCH}, size {SIZE}, median of {options.rounds}\n"
    )
    for family, lengths in (
        ("dot", options.lengths),
        ("additive", options.additive_lengths),
    ):
        for length in lengths:
            rows = compare(
                family, length, options.device, options.threads, options.rounds
            )
            print(table(family, length, rows) + "\n", flush=True)


if __name__ == "__main__":
    main()
