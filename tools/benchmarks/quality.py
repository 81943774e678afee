"""How well does the book's best translator translate sentences that it has not seen, after so many seconds?

A real file of English–French pairs is split by source sentence, a tenth of them to choose by and a tenth to report on.
A recipe of `attnbook.translation` is trained for the time given, from several seeds, and measured with sacrebleu:
corpus BLEU against all references, lower-cased, with sacrebleu's own tokenisation. A seed decides the split, too, since
a few hundred short sentences are easy or hard by chance. Times and scores are those of the machine that the command is
run on; with other programs at work there, fewer steps fit.
"""

import argparse
import functools
import hashlib
import json
import math
import os
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch

from attnbook.data import Pair, Split, read_pairs, references, split_pairs
from attnbook.files import write_atomically
from attnbook.text import normalise
from attnbook.translation import RECIPES, Recipe, fit
from tools import ROOT
from tools.benchmarks.verdicts import HOLDS, MISSES, UNMEASURED
from tools.surroundings import machine, versions

QUALITY = ROOT / "chapters" / "results" / "quality.json"
# which of the book's recipes: how much noise a training can bear depends on how long it is
SHORT, LONG = "transformer-few-pairs", "transformer-few-pairs-long"
LONG_FROM = 120.0  # seconds
BARS = {60.0: 30.0, 300.0: 35.0}  # seconds → BLEU on the test set, on two cores
BEAMS = (1, 4)  # greedy, and beam search; the better one on the development set is reported
LEFT_OUT = (
    "Left out: how well the translator translates. It needs a file of English–French pairs: make bench DATA=fra.txt "
    "(or a .tsv, or d2l's fra-eng.zip)."
)
LENGTH_PENALTY = 1.0  # of the beam search, as the stored results were measured
PATIENCE = 1.1  # a training that took longer than so many times its time proves nothing


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the command line's part about quality."""
    group = parser.add_argument_group("quality")
    group.add_argument(
        "--data",
        type=Path,
        metavar="PATH",
        help="a file of English–French pairs: fra.txt, .tsv or d2l's fra-eng.zip; "
        "without it the translator is not measured",
    )
    group.add_argument(
        "--quality-seconds", type=float, nargs="+", default=[60.0, 300.0], metavar="N", help="how long to train"
    )
    group.add_argument("--quality-seeds", type=int, default=3, metavar="N")
    group.add_argument(
        "--quality-threads", type=int, default=os.cpu_count() or 1, metavar="N", help="all cores if not given"
    )


def check_options(parser: argparse.ArgumentParser, options: argparse.Namespace) -> None:
    """Refuse what cannot be run, before anything is."""
    for name in ("quality_seeds", "quality_threads"):
        if getattr(options, name) < 1:
            option = "--" + name.replace("_", "-")
            parser.error(f"{option} must be at least 1, got {getattr(options, name)}")
    for seconds in options.quality_seconds:
        if not 0 < seconds < math.inf:
            parser.error(f"--quality-seconds must be positive and finite, got {seconds}")
    if options.data is not None and not options.data.is_file():
        parser.error(f"there is no file {options.data}; pass fra.txt or the like")
    if options.only_quality and options.data is None:
        parser.error("--only-quality needs --data PATH, a file of sentence pairs")


@functools.cache
def pairs_of(data: Path | None) -> list[Pair]:
    """The pairs of a file, which is read once; none without a file."""
    return [] if data is None else read_pairs(data)


def recipe_for(seconds: float) -> str:
    """The name of the recipe for a training of so many seconds."""
    return SHORT if seconds < LONG_FROM else LONG


def corpus_bleu(written: Sequence[str], expected: Sequence[Sequence[str]]) -> tuple[float, str]:
    """BLEU by sacrebleu, lower-cased, with its own tokenisation, and its signature.

    Args:
        written: translations.
        expected: for each of them its references.

    Returns:
        BLEU from 0 to 100, and what sacrebleu says of how it was computed.
    """
    from sacrebleu.metrics import BLEU

    most = max(map(len, expected))
    streams: list[Any] = [[r[i] if i < len(r) else None for r in expected] for i in range(most)]
    metric = BLEU(lowercase=True, force=True)  # force: keep quiet about spaces
    score = metric.corpus_score(list(written), streams).score
    return score, str(metric.get_signature())


def score(translate: Callable[[list[str]], list[str]], pairs: Sequence[Pair]) -> float:
    """BLEU of a translator on pairs that it has not seen.

    Args:
        translate: one translation a sentence.
        pairs: their sources are translated once each; all their targets are references.

    Returns:
        From 0 to 100. The references' apostrophes and spaces are made plain, as the translator writes them.
    """
    by_source = references(pairs)
    expected = [[normalise(text) for text in texts] for texts in by_source.values()]
    return corpus_bleu(translate(list(by_source)), expected)[0]


def unseen_fraction(split: Split) -> float:
    """The fraction of test sentences with a word that no training sentence has: what chance has made hard."""
    known = {w for pair in split.train for w in normalise(pair.source).split()}
    sources = references(split.test)
    return sum(not known.issuperset(text.split()) for text in sources) / len(sources)


def train_and_score(recipe: Recipe, split: Split, seconds: float, seed: int) -> dict:
    """Train for a time, then translate.

    Args:
        recipe: how.
        split: train, dev and test.
        seconds: of wall time; the schedule follows the clock.
        seed: of the training.

    Returns:
        seed, steps (how many fitted), seconds (what the training took), unseen (see `unseen_fraction`), and
        `bleu`: beam → {"dev": …, "test": …}.
    """
    import torch._dynamo  # noqa: F401  # the optimiser imports it, seconds that are no training

    began = time.perf_counter()
    fitted = fit(recipe, split.train, seed=seed, seconds=seconds)
    translator, taken = fitted.translator, time.perf_counter() - began
    bleu = {}
    for beam in BEAMS:
        search = functools.partial(translator.translate, beam=beam, length_penalty=LENGTH_PENALTY)
        bleu[str(beam)] = {part: round(score(search, getattr(split, part)), 2) for part in ("dev", "test")}
    return {
        "seed": seed,
        "steps": len(fitted.losses),
        "seconds": round(taken, 1),
        "unseen": round(unseen_fraction(split), 3),
        "bleu": bleu,
    }


def judged(seconds: float, runs: list[dict]) -> dict:
    """All runs of one length together.

    Args:
        seconds: how long they were to train.
        runs: of `train_and_score`.

    Returns:
        seconds, runs, beam (the better on the development set), dev and test (means over the seeds), bar, verdict:
        "misses" where test is below the bar; else "not measured" where there is no bar, or where trainings outran
        their time; else "holds".
    """

    def mean(beam: int, part: str) -> float:
        return statistics.mean(run["bleu"][str(beam)][part] for run in runs)

    beam = max(BEAMS, key=lambda width: mean(width, "dev"))
    test, bar = mean(beam, "test"), BARS.get(seconds)
    in_time = all(run["seconds"] <= PATIENCE * seconds for run in runs)
    verdict = UNMEASURED
    if bar is not None and test < bar:
        verdict = MISSES
    elif bar is not None and in_time:
        verdict = HOLDS
    return {
        "seconds": seconds,
        "beam": beam,
        "dev": round(mean(beam, "dev"), 2),
        "test": round(test, 2),
        "bar": bar,
        "verdict": verdict,
        "runs": runs,
    }


def line(result: dict) -> str:
    """A judged length as a line of text."""
    each = ", ".join(f"{r['bleu'][str(result['beam'])]['test']:.1f}" for r in result["runs"])
    steps = ", ".join(str(run["steps"]) for run in result["runs"])
    bar = "" if result["bar"] is None else f", at least {result['bar']:.0f}"
    return (
        f"  {result['verdict']:12} BLEU {result['test']:.1f}{bar} after {result['seconds']:g} s"
        f"  (seeds: {each}; development {result['dev']:.1f}; beam {result['beam']}; steps {steps})"
    )


def measure(options: argparse.Namespace, command: str) -> None:
    """Train, print, and store if asked; a line says so where there is no file."""
    if options.data is None:
        print(f"\n{LEFT_OUT}")
        return
    before = torch.get_num_threads()
    torch.set_num_threads(options.quality_threads)
    pairs = pairs_of(options.data)
    splits = [split_pairs(pairs, seed=seed) for seed in range(options.quality_seeds)]
    sizes = {p: len(references(part)) for p, part in splits[0]._asdict().items()}
    print(f"\nquality: {options.data.name}, sources {sizes}")
    results = []
    for seconds in options.quality_seconds:
        name = recipe_for(seconds)
        runs = [train_and_score(RECIPES[name], split, seconds, seed) for seed, split in enumerate(splits)]
        results.append({"command": command, "recipe": name} | judged(seconds, runs))
        print(line(results[-1]), flush=True)
    torch.set_num_threads(before)
    if options.store:
        record = with_stored(recorded(options, sizes, results))
        write_atomically(QUALITY, json.dumps(record, indent=1, ensure_ascii=False) + "\n")
        print(f"stored in {QUALITY.name}")


def recorded(options: argparse.Namespace, sizes: dict[str, int], results: list[dict]) -> dict:
    """What is stored of a run: how it was measured, which holds for all of its results, and these."""
    sha256 = hashlib.sha256(options.data.read_bytes()).hexdigest()
    return {
        "versions": versions("sacrebleu"),
        "machine": machine(cores=os.cpu_count() or 1, threads=options.quality_threads),
        "data": {"file": options.data.name, "sha256": sha256, "split seed": "the run's", "sources": sizes},
        "recipes": _recipes(results),
        "metric": corpus_bleu(["a", "b"], [["a"], ["b", "c"]])[1],
        "results": results,
    }


def with_stored(record: dict) -> dict:
    """A run together with what is stored of other lengths, the shortest first; printed what cannot be kept.

    A stored result is kept if all that the record says of how it was measured holds for it, too.
    """
    before = json.loads(QUALITY.read_text("utf-8")) if QUALITY.exists() else {"results": []}
    alike = all(before.get(key) == record[key] for key in ("versions", "machine", "data", "metric"))
    by_seconds = {result["seconds"]: result for result in record["results"]}
    for result in before["results"]:
        seconds, name = result["seconds"], result["recipe"]
        if seconds in by_seconds:
            continue
        if alike and before["recipes"][name].items() <= settings(name).items():  # a newer field may be missing
            by_seconds[seconds] = result
        else:
            print(f"not kept: the result after {seconds:g} s, which was measured otherwise (data, versions, machine …)")
    results = [by_seconds[seconds] for seconds in sorted(by_seconds)]
    return record | {"recipes": _recipes(results), "results": results}


def _recipes(results: list[dict]) -> dict[str, dict]:
    return {result["recipe"]: settings(result["recipe"]) for result in results}


def settings(recipe: str) -> dict:
    """A recipe as a file holds it."""
    return json.loads(json.dumps(asdict(RECIPES[recipe])))
