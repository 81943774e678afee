"""Measure the book's layers against PyTorch's and d2l's: time and memory, in one run.

    python -m tools.bench                              everything, on the CPU, one thread
    python -m tools.bench --families multi-head --lengths 512
    python -m tools.bench --store                      and keep it for the performance appendix
    python -m tools.bench --families translation --store        these alone; what is kept of the others stays
    python -m tools.bench --only-quality --data fra.txt         how well the book's translator translates
    python -m tools.bench --only-beside                         and whether JoeyNMT's translates as well
    python -m tools.bench --device cuda

Only layers that give the same output are compared, and that is checked first. Layers take turns, round by round, so
that a busy moment of the machine meets all of them; a ratio is the median over the rounds of two layers' times within a
round. Memory is what a process of its own needs at most beyond its inputs, its weights and their gradients. The
families are in `tools/benchmarks/`; a bar that a family misses is printed as missed.

With --data, a file of sentence pairs, a run of everything also trains the book's best translator on it, and the one
for a few thousand pairs beside JoeyNMT's; see `tools/benchmarks/quality.py` and `beside.py`. `make bench DATA=fra.txt`
is that; without a file the last line says what was left out.
"""

import argparse
import json
import os
import shlex
import sys
from pathlib import Path

import torch

from tools.benchmarks import FAMILIES, GROUPS, beside, quality
from tools.benchmarks.family import PASS_KINDS, Case, Family
from tools.benchmarks.measure import joined, memory, peak_bytes, times
from tools.benchmarks.report import BENCH_RESULT, bar_line, merged, record, store, summary, sweep_table, table
from tools.benchmarks.verdicts import judge


def parse(arguments: list[str] | None) -> argparse.Namespace:
    """The command line; what cannot be run is refused before anything is measured."""
    parser = argparse.ArgumentParser(prog="python -m tools.bench", description=__doc__.splitlines()[0])
    parser.add_argument(
        "--families",
        nargs="+",
        choices=[*FAMILIES, *GROUPS],
        default=list(FAMILIES),
        metavar="NAME",
        help=", ".join([*FAMILIES, *GROUPS]),
    )
    parser.add_argument("--lengths", type=int, nargs="+", help="only cases of these lengths")
    parser.add_argument("--rounds", type=int, default=11)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--device", default="cpu", choices=["cpu", "cuda"])
    parser.add_argument("--no-memory", action="store_true", help="measure times only")
    where = parser.add_mutually_exclusive_group()
    where.add_argument("--json", type=Path, help="write what was measured to this file")
    where.add_argument("--store", action="store_true", help="write it where the book reads it")
    only = parser.add_mutually_exclusive_group()
    only.add_argument("--only-quality", action="store_true", help="no families, only the translator")
    only.add_argument("--only-beside", action="store_true", help="nothing but the translator beside JoeyNMT's")
    quality.add_options(parser)
    options = parser.parse_args(arguments)
    groups = [GROUPS.get(name, [name]) for name in options.families]
    options.families = list(dict.fromkeys(name for group in groups for name in group))
    quality.check_options(parser, options)
    refuse_unused(parser, options)
    if options.device == "cuda" and not torch.cuda.is_available():
        parser.error("there is no CUDA device here; leave --device out")
    lengths = sorted({case.length for name in options.families for case in FAMILIES[name].cases})
    if unknown := {*(options.lengths or ())} - {*lengths}:
        parser.error(f"--lengths takes some of {lengths} for these families, got {sorted(unknown)}")
    for name in ("rounds", "threads"):
        if getattr(options, name) < 1:
            parser.error(f"--{name} must be at least 1, got {getattr(options, name)}")
    if options.store and (options.lengths or options.no_memory):
        parser.error("--store keeps whole families; use --json PATH for a part of one")
    partial = set(options.families) != set(FAMILIES)
    if options.store and partial and not BENCH_RESULT.exists():
        parser.error(f"there is no {BENCH_RESULT.name} to add to; store a whole run first")
    if options.json and not options.json.absolute().parent.is_dir():
        parser.error(f"there is no folder for {options.json}; make it first")
    if options.json and options.json.is_dir():
        parser.error(f"--json must name a file, but {options.json} is a folder")
    return options


OF_FAMILIES = "families", "lengths", "rounds", "threads", "device", "no_memory", "json"
OF_TRANSLATOR = "data", "quality_seconds", "quality_seeds", "quality_threads"


def refuse_unused(parser: argparse.ArgumentParser, options: argparse.Namespace) -> None:
    """Refuse an option that says how something is measured which these options leave out."""
    unused: dict[str, str] = {}
    if options.only_quality or options.only_beside:
        unused = dict.fromkeys(OF_FAMILIES, "is about the families, which --only-quality and --only-beside leave out")
    elif not is_everything(options) or options.data is None:
        unused = dict.fromkeys(
            OF_TRANSLATOR,
            "is about the translator, which is measured with --data, beside all families and lengths and without "
            "--json, or with --only-quality or --only-beside",
        )
    if options.only_beside:
        unused["quality_threads"] = "is not for --only-beside, where both translators have one thread"
    for name, why in unused.items():
        if getattr(options, name) != parser.get_default(name):
            parser.error(f"--{name.replace('_', '-')} {why}")


def is_everything(options: argparse.Namespace) -> bool:
    """Whether all families are measured, and so the translator, too, if there is a file."""
    partly = options.only_quality or options.only_beside or options.lengths or options.json
    return {*options.families} == {*FAMILIES} and not partly


def typed_command(arguments: list[str]) -> str:
    """The command as it can be repeated, files by their names only: a path would be one of this machine."""

    def named(word: str) -> str:
        option, equals, value = word.partition("=") if word.startswith("--") else ("", "", word)
        return f"{option}{equals}{Path(value).name}"

    return shlex.join(["python", "-m", "tools.bench", *map(named, arguments)])


def peaks(family: str, cases: list[dict], name: str, device: str, threads: int) -> list[dict[str, int]]:
    """What a process of its own is asked for, see `peaks_in_a_process`."""
    torch.set_num_threads(threads)
    return [peak_bytes(FAMILIES[family], Case(**case), name, device) for case in cases]


def main(arguments: list[str] | None = None) -> int:
    """Measure, print, and store if asked."""
    options = parse(arguments)
    command = typed_command(sys.argv[1:] if arguments is None else arguments)
    try:
        quality.pairs_of(options.data)
    except ValueError as error:
        sys.exit(f"error: {error}")
    if not (options.only_quality or options.only_beside):
        measure_families(options, command)
    everything = is_everything(options)
    if options.only_quality or everything:
        quality.measure(options, command)
    if options.only_beside or (everything and options.data is not None):
        beside.measure(options, command)
    return 0


def measure_families(options: argparse.Namespace, command: str) -> None:
    """Time and memory of the families asked for; printed, and stored if asked."""
    torch.set_num_threads(options.threads)
    at = (options.device, options.threads)
    print(
        f"PyTorch {torch.__version__}, {options.device}, {options.threads} thread(s), float32, "
        f"medians of {options.rounds} rounds"
    )
    for kind in dict.fromkeys(k for n in options.families for k in FAMILIES[n].kinds):
        print(f"  {kind:10} {PASS_KINDS[kind]}")
    results, swept, bars = list[dict](), list[dict](), list[dict]()
    for name in options.families:
        of_family = measure_family(FAMILIES[name], options, at)
        for of_all, of_this in zip((results, swept, bars), of_family, strict=True):
            of_all += of_this
    print("\n" + summary(bars))
    path = BENCH_RESULT if options.store else options.json
    if path:
        cores = os.cpu_count() or 1
        measured = record(command, options.rounds, *at, cores, results, swept, bars)
        if options.store and set(options.families) != set(FAMILIES):
            before = json.loads(BENCH_RESULT.read_text("utf-8"))
            measured = merged(before, measured, options.families)
        store(path, measured)
        print(f"stored in {path.name}")


def measure_family(
    family: Family, options: argparse.Namespace, at: tuple[str, int]
) -> tuple[list[dict], list[dict], list[dict]]:
    """Measure and print one family; returns its results, its sweep and its judged bars."""
    cases = [case for case in family.cases if not options.lengths or case.length in options.lengths]
    unweighed = options.no_memory or not family.weighed
    further = () if options.lengths or unweighed else family.sweep
    weighed = [] if unweighed else memory(family, [*cases, *further], *at)
    results = []
    for number, case in enumerate(cases):
        timed = times(family, case, options.rounds, *at)
        results.append(joined(timed, weighed[number] if weighed else None))
        lines = [bar_line(bar) for bar in judge(family, results[-1:], []) if bar["case"]]
        print("\n" + "\n".join([table(family, results[-1]), *lines]), flush=True)
    swept = weighed[len(cases) :]
    bars = judge(family, results, swept)
    if swept:
        lines = [bar_line(bar) for bar in bars if not bar["case"]]
        print("\n" + "\n".join([sweep_table(family, swept), *lines]), flush=True)
    return results, swept, bars


if __name__ == "__main__":
    sys.exit(main())
