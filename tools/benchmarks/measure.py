"""Time and peak memory of layers that give the same output."""

import gc
import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from pathlib import Path

import torch
from torch import Tensor

from tools import ROOT
from tools.benchmarks.family import TRAINING, Case, Family, Layer

PEAK_RESET = Path("/proc/self/clear_refs")


def run(layer: Layer, inputs: list, kind: str) -> Tensor:
    """One pass of a kind, see `KINDS`; returns the output."""
    training = kind in TRAINING
    if layer.module.training != training:
        layer.module.train(training)
    with torch.set_grad_enabled(training):
        output = layer.call(*inputs)
    if kind == "both":
        output.sum().backward()
    if output.is_cuda:
        torch.cuda.synchronize()
    return output


def check_agreement(family: Family, layers: dict[str, Layer], inputs: list) -> None:
    """Require that all layers give the same output in every kind of pass, before anything is measured.

    Raises:
        AssertionError: they do not, so they must not be compared.
    """
    expected = run(layers[family.reference], inputs, "forward").detach()
    for name, layer in layers.items():
        for kind in family.kinds:
            found = run(layer, inputs, kind).detach()

            def explain(text: str, what=f"{name}, {kind}") -> str:
                return f"{what}: {text}"

            torch.testing.assert_close(found, expected, atol=2e-5, rtol=1e-4, msg=explain)


def clock(device: str, threads: int) -> tuple[str, Callable[[], float]]:
    """What to measure time with: one thread's own time on the CPU does not count the turns of other programs."""
    if device == "cpu" and threads == 1:
        return "CPU time of the one thread", time.thread_time
    return "wall-clock time", time.perf_counter


def seconds(
    layers: dict[str, Layer],
    inputs: list,
    kind: str,
    rounds: int,
    now: Callable[[], float] = time.perf_counter,
    warm_up: bool = True,
) -> dict[str, list[float]]:
    """Seconds of each layer in each round; the layers take turns, in an order that is reversed every round."""
    taken = {name: [] for name in layers}
    for number in range(rounds + warm_up):  # the first round may only warm up
        for name in list(layers)[:: -1 if number % 2 else 1]:
            begin = now()
            run(layers[name], inputs, kind)
            taken[name].append(round(now() - begin, 6))
    return {name: measured[warm_up:] for name, measured in taken.items()}


def peak_bytes(family: Family, case: Case, name: str, device: str) -> dict[str, int]:
    """What one layer needs at most beyond its inputs, weights and gradients, for each kind of pass.

    Called in a process of its own: what another layer left behind would be counted. Each pass is run once before, by
    another copy of the layer, so that what is set aside only once, such as the matrix product's own buffers, is not
    counted, and what a layer keeps from the pass before (d2l's keeps its weights) does not hide what it needs.
    """
    inputs = family.inputs(case, device)
    for given in inputs:  # gradients are in place before, as the inputs are
        if isinstance(given, Tensor) and given.requires_grad:
            given.grad = torch.zeros_like(given)
    short = family.inputs(replace(case, length=2), device)
    peaks = {}
    for kind in family.kinds:
        run(family.layers(case, device)[name], inputs, kind)
        layer = family.layers(case, device)[name]
        run(layer, short, family.kinds[-1])  # its gradients are now in place
        gc.collect()
        peaks[kind] = _peak_of_a_pass(layer, inputs, kind)
    return peaks


def _peak_of_a_pass(layer: Layer, inputs: list, kind: str) -> int:
    if inputs[0].is_cuda:
        torch.cuda.reset_peak_memory_stats()
        before = torch.cuda.memory_allocated()
        run(layer, inputs, kind)
        return torch.cuda.max_memory_allocated() - before
    PEAK_RESET.write_text("5")
    before = _peak_resident()  # the peak is now what is resident
    run(layer, inputs, kind)
    return _peak_resident() - before


def _peak_resident() -> int:
    """Linux's account of the most memory that this process has held, in bytes."""
    status = Path("/proc/self/status").read_text()
    return 1024 * int(re.search(r"VmHWM:\s+(\d+) kB", status).group(1))


def peaks_in_a_process(
    family: Family, cases: Sequence[Case], name: str, device: str = "cpu", threads: int = 1
) -> list[dict[str, int] | None]:
    """`peak_bytes` of one layer at several sizes, in a fresh process; None where the system keeps no such account.

    Raises:
        RuntimeError: the process failed, for instance for want of memory.
    """
    if device == "cpu" and not PEAK_RESET.exists():
        return [None] * len(cases)
    job = json.dumps([family.name, [asdict(c) for c in cases], name, device, threads])
    # Every tensor of a page or more is then asked of the system and given back at once: nothing hides in a pool.
    environment = {**os.environ, "MALLOC_MMAP_THRESHOLD_": "4096", "MALLOC_TRIM_THRESHOLD_": "0"}
    command = [sys.executable, "-m", "tools.bench", "--peak", job]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(
            f"the peak of {name} could not be measured; its process ended with {done.returncode}:\n"
            f"{done.stderr[-2000:]}"
        )
    return json.loads(done.stdout)


def memory(family: Family, cases: Sequence[Case], device: str = "cpu", threads: int = 1) -> list[dict]:
    """The peaks of all layers of a family at several sizes.

    Returns:
        One dict a case: family, case, and for each layer its name and `peak` (kind → bytes, or None).
    """
    names = list(family.layers(replace(cases[0], length=2), device)) if cases else []
    peaks = [peaks_in_a_process(family, cases, name, device, threads) for name in names]
    return [
        {
            "family": family.name,
            "case": asdict(case),
            "layers": [{"layer": name, "peak": peak} for name, peak in zip(names, at_this_size, strict=True)],
        }
        for case, at_this_size in zip(cases, zip(*peaks, strict=True), strict=True)
    ]


def times(family: Family, case: Case, rounds: int, device: str = "cpu", threads: int = 1) -> dict:
    """The times of all layers of a family at one size.

    Returns:
        family, case, and for each layer its name and `seconds` (kind → one number a round).

    Raises:
        AssertionError: two layers do not give the same output, so they must not be compared.
    """
    layers, inputs = family.layers(case, device), family.inputs(case, device)
    if family.agree is None:
        check_agreement(family, layers, inputs)
    else:
        family.agree(case, device)
    _, now = clock(device, threads)
    rounds = family.rounds(case, rounds)
    warm_up = family.most_rounds is None  # where a round takes long, the check has warmed up
    taken = {kind: seconds(layers, inputs, kind, rounds, now, warm_up) for kind in family.kinds}
    rows = [{"layer": name, "seconds": {kind: taken[kind][name] for kind in family.kinds}} for name in layers]
    return {"family": family.name, "case": asdict(case), "layers": rows}


def joined(timed: dict, weighed: dict | None) -> dict:
    """Times and peaks of one case in one result; peaks are None where they were not measured."""
    peaks = {row["layer"]: row["peak"] for row in weighed["layers"]} if weighed else {}
    rows = [{**row, "peak": peaks.get(row["layer"])} for row in timed["layers"]]
    return {**timed, "layers": rows}
