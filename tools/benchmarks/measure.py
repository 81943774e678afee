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
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import torch
from torch import Tensor

from tools import ROOT
from tools.benchmarks.family import TRAINING, Case, Family, Layer

PEAK_RESET = Path("/proc/self/clear_refs")
LEAST = 0.02  # seconds that one measurement takes at least
CALL = """
import importlib, json, sys
_, module, function, arguments = sys.argv
print(json.dumps(getattr(importlib.import_module(module), function)(*json.loads(arguments))))
"""
T = TypeVar("T")


def run(layer: Layer, inputs: list, kind: str) -> Tensor:
    """One pass of a kind, see `PASS_KINDS`; returns the output."""
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
            output = run(layer, inputs, kind).detach()

            def explain(text: str, what: str = f"{name}, {kind}") -> str:
                return f"{what}: {text}"

            torch.testing.assert_close(output, expected, atol=2e-5, rtol=1e-4, msg=explain)


def check_same_words(first: Tensor, *others: Tensor) -> None:
    """Require that what all models have written is the same, before that is measured.

    Args:
        first, others: (B, T) token ids.

    Raises:
        AssertionError: they differ, so the models must not be compared.
    """
    if not all(torch.equal(first, words) for words in others):
        raise AssertionError("the words differ, so the models must not be compared")


def clock(device: str, threads: int) -> tuple[str, Callable[[], float]]:
    """What to measure time with: one thread's own time on the CPU does not count the turns of other programs."""
    if device == "cpu" and threads == 1:
        return "CPU time of the one thread", time.thread_time
    return "wall-clock time", time.perf_counter


def in_turns(
    candidates: dict[str, T], measured: Callable[[T], float], rounds: int, warm_up: bool = True
) -> dict[str, list[float]]:
    """A number for each candidate in each round; they take turns, in an order that is reversed every round.

    Args:
        candidates: by their names.
        measured: candidate → the number.
        rounds: how many are kept.
        warm_up: one more comes first, and is not kept.
    """
    found: dict[str, list[float]] = {name: [] for name in candidates}
    for number in range(rounds + warm_up):
        for name in list(candidates)[:: -1 if number % 2 else 1]:
            found[name].append(measured(candidates[name]))
    return {name: numbers[warm_up:] for name, numbers in found.items()}


def milliseconds(call: Callable[[], object], calls: int = 1) -> float:
    """Processor time of one call, of all its threads; so many are made, and again, until there is time to measure."""
    began, made = time.process_time(), 0
    while (spent := time.process_time() - began) < LEAST:
        for _ in range(calls):
            call()
        made += calls
    return 1000 * spent / made


def seconds(
    layers: dict[str, Layer],
    inputs: list,
    kind: str,
    rounds: int,
    now: Callable[[], float] = time.perf_counter,
    warm_up: bool = True,
) -> dict[str, list[float]]:
    """Seconds of each layer in each round."""

    def spent(layer: Layer) -> float:
        begin = now()
        run(layer, inputs, kind)
        return round(now() - begin, 6)

    return in_turns(layers, spent, rounds, warm_up)


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
    return peak_of(partial(run, layer, inputs, kind))


def peak_of(call: Callable[[], object]) -> int:
    """Bytes that a call needs at most beyond what this process holds; to be asked in a process of its own."""
    PEAK_RESET.write_text("5")
    before = _peak_resident()  # the peak is now what is resident
    call()
    return _peak_resident() - before


def _peak_resident() -> int:
    """Linux's account of the most memory that this process has held, in bytes."""
    status = Path("/proc/self/status").read_text()
    (kilobytes,) = re.findall(r"VmHWM:\s+(\d+) kB", status)
    return 1024 * int(kilobytes)


def peaks_in_a_process(
    family: Family, cases: Sequence[Case], name: str, device: str = "cpu", threads: int = 1
) -> list[dict[str, int] | None]:
    """`peak_bytes` of one layer at several sizes, in a fresh process; None where the system keeps no such account.

    Raises:
        RuntimeError: as `in_a_process`.
    """
    if device == "cpu" and not PEAK_RESET.exists():
        return [None] * len(cases)
    return in_a_process("tools.bench", "peaks", family.name, [asdict(c) for c in cases], name, device, threads)


def in_a_process(module: str, function: str, *arguments: object) -> Any:
    """What a function returns in a fresh process in which it is the first to need memory.

    Args:
        module, function: their names.
        arguments: what it is given; as what it returns, they travel as JSON.

    Raises:
        RuntimeError: the process failed, for instance for want of memory.
    """
    # Every tensor of a page or more is then asked of the system and given back at once: nothing hides in a pool.
    allocator = {
        "MALLOC_MMAP_THRESHOLD_": "4096",
        "MALLOC_TRIM_THRESHOLD_": "0",
        "MALLOC_TOP_PAD_": "0",
        "GLIBC_TUNABLES": "",
    }
    environment = os.environ | allocator
    command = [sys.executable, "-c", CALL, module, function, json.dumps(arguments)]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(
            f"{module}.{function}{arguments} could not be measured; its process ended with {done.returncode}:\n"
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
