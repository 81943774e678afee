"""Does the book's translator learn as much as JoeyNMT's Transformer in the same processor time?

JoeyNMT (Kreutzer et al., 2019) is a toolkit that, as this book, is written to be read. `tools/benchmarks/joey.py`
drives it as it comes, by its command line and its configuration.

Question: after 60 and after 300 seconds of processor time, whose translations of unseen sentences have the higher BLEU?
Data: the book's corpora, English–French and English–Chinese, and the file that is given; split by source sentence as in
`quality.py`. A seed decides the split, the weights and the order of the batches.
Equal: the tokens (the book's subwords, learned on the training part; JoeyNMT is handed them as words), layers, widths,
where the norms stand, the output map tied to the target embedding, dropout, label smoothing, pairs in a batch, the
largest gradient norm, Adam's betas; greedy decoding to at most 60 tokens, the scorer, the references.
Different: initial weights, learning rate and schedule, weight decay (JoeyNMT's own examples have none), how a batch is
put together, and the code.
Time: of the processor, one thread, from the first batch on. A busy machine slows both alike in this clock. JoeyNMT is
interrupted when its time is over. Ours has to know its number of steps, since its schedule ends with them: they are
measured for a few seconds before, so that it may end a little early, and it is stopped when its time is over, too.
Nothing is evaluated before the end. BPE dropout, which the book's long recipe has, is left out.
Said in advance: ours holds if its mean BLEU over the seeds, on the test set, is at least JoeyNMT's.

What could make it unfair:
- Settings. The book's recipes were chosen for a few thousand pairs, on other data (`quality.py`), and are not chosen
  anew. JoeyNMT's learning rate is, from `TRIED`, on the development set of seed 0 of English–French.
- The schedule. JoeyNMT warms up for the same fraction of the updates as ours, then falls with the inverse square root,
  which is Noam's schedule by another name. Ours ends at 0; none of JoeyNMT's schedules for single steps can. Its
  exponential one falls once an epoch, and only four epochs fit into a minute: from 0.001 or 0.002 to a fiftieth, it
  reached a BLEU below 1.
- The rate is chosen at the shortest of the times asked for, and kept for the longer ones and the other data.
- Not tried: batches of tokens, other dropouts, other initial weights, "plateau", whose validations cost time.
"""

import argparse
import functools
import hashlib
import json
import os
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import torch

from attnbook.data import EncodedPair, Pair, Split, bundled_pairs, encode_pairs, make_batches, references, split_pairs
from attnbook.files import write_atomically
from attnbook.text import SPECIALS, UNK
from attnbook.training import train
from attnbook.translation import RECIPES, Recipe, Translator, prepare, translation_loss
from tools import ROOT
from tools.benchmarks import joey
from tools.benchmarks.joey import NotThere
from tools.benchmarks.quality import LONG, SHORT, corpus_bleu, pairs_of, recipe_for, score, settings
from tools.benchmarks.verdicts import HOLDS, MISSES
from tools.surroundings import machine, versions

BESIDE_RESULT = ROOT / "chapters" / "results" / "beside.json"
TRIED = (2e-3, 4e-3, 8e-3)  # JoeyNMT's learning rates
PROBE = 4.0  # seconds that a training is watched to see how many steps fit


@dataclass
class Task:
    """One training: what is learned, and from what.

    Attributes:
        recipe: without BPE dropout.
        split: train, dev and test.
        seed: of weights and order.
        translator: untrained, with the vocabularies.
        encoded: the training pairs in tokens' numbers.
    """

    recipe: Recipe
    split: Split
    seed: int
    translator: Translator
    encoded: list[EncodedPair]

    @classmethod
    def of(cls, pairs: Sequence[Pair], seconds: float, seed: int) -> "Task":
        """The task that a seed makes of a corpus; the time says which recipe."""
        recipe = replace(RECIPES[recipe_for(seconds)], bpe_dropout=0.0)
        split = split_pairs(pairs, seed=seed)
        return cls(recipe, split, seed, *prepare(recipe, split.train, seed))


def in_processor_time(task: Task, seconds: float, steps: int | None = None) -> tuple[int, float]:
    """Train the book's translator.

    Args:
        task: its translator is changed.
        seconds: of the processor, at most.
        steps: in which the schedule ends; without them it hardly begins.

    Returns:
        The steps made, and the seconds that they took.
    """
    config = replace(task.recipe.training, steps=steps or joey.NEVER, seed=task.seed)
    loss = translation_loss(task.recipe.label_smoothing)
    batches = make_batches(task.encoded, task.recipe.batch_size, task.seed)
    import torch._dynamo  # noqa: F401  # the optimiser imports it, seconds that are no training

    began = time.process_time()
    losses = train(
        task.translator.model,
        loss,
        batches,
        config,
        progress=False,
        after_step=lambda _: time.process_time() - began >= seconds,
    )
    return len(losses), time.process_time() - began


def run_ours(pairs: Sequence[Pair], seconds: float, seed: int) -> dict:
    """Train and score the book's translator; returns a run, as `run_theirs`."""
    made, taken = in_processor_time(Task.of(pairs, seconds, seed), min(PROBE, seconds))
    task = Task.of(pairs, seconds, seed)
    steps, taken = in_processor_time(task, seconds, max(1, int(seconds * made / taken)))
    return _scored(task, task.translator.translate, steps, taken)


def run_theirs(
    python: Path, pairs: Sequence[Pair], seconds: float, seed: int, learning_rate: float, pace: float
) -> dict:
    """Train and score JoeyNMT's.

    Args:
        python: that runs it.
        pairs: the corpus.
        seconds: of the processor.
        seed: of split, weights and order.
        learning_rate: the highest.
        pace: about how many updates it makes in a second.

    Returns:
        updates, taken (seconds), dev and test (BLEU).
    """
    task = Task.of(pairs, seconds, seed)
    sentences = sorted([*references(task.split.dev), *references(task.split.test)], key=len)  # as our translator does
    updates, taken, written = _theirs(python, task, seconds, learning_rate, pace, sentences)
    translations = dict(zip(sentences, written, strict=True))
    return _scored(task, lambda asked: [translations[sentence] for sentence in asked], updates, taken)


def their_pace(python: Path, pairs: Sequence[Pair], seconds: float) -> float:
    """How many updates a second JoeyNMT makes, watched for a few seconds; at least one in that time."""
    watched = min(PROBE, seconds)
    updates, taken, _ = _theirs(python, Task.of(pairs, seconds, 0), watched, TRIED[0], 1.0, ["go !"])
    return max(updates, 1) / taken


def _theirs(
    python: Path, task: Task, seconds: float, learning_rate: float, pace: float, sentences: Sequence[str]
) -> tuple[int, float, list[str]]:
    """Updates made, seconds taken, and translations of some sentences; JoeyNMT sees tokens and nothing else."""
    source, target = vocabs = task.translator.source_vocab, task.translator.target_vocab
    parts = {"train": task.encoded, "dev": encode_pairs(task.split.dev, *vocabs)}
    tokens = {
        name: [(source.tokens(pair.source[:-1]), target.tokens(pair.target)) for pair in part]  # without EOS
        for name, part in parts.items()
    }
    ordinary = [vocab.tokens(range(len(SPECIALS), len(vocab))) for vocab in vocabs]
    with tempfile.TemporaryDirectory() as folder:
        joey.write_sentences(Path(folder), tokens, dict(zip(("source", "target"), ordinary, strict=True)))
        config = joey.configuration(task.recipe, learning_rate, round(pace * seconds), task.seed, folder)
        asked = [source.tokens(source.encode(sentence)) for sentence in sentences]
        made, taken, written = joey.train_and_translate(python, config, seconds, asked)
    number = {token: i for i, token in enumerate(target.tokens(range(len(target))))}
    return made, taken, [target.decode([number.get(token, UNK) for token in tokens]) for tokens in written]


def _scored(task: Task, translate: Callable[[list[str]], list[str]], updates: int, taken: float) -> dict:
    dev, test = (round(score(translate, part), 2) for part in (task.split.dev, task.split.test))
    return {"updates": updates, "taken": round(taken, 1), "dev": dev, "test": test}


class Record:
    """All runs, by their conditions. What is stored is not run again: an interrupted command, repeated, goes on.

    Args:
        command: as it can be repeated.
        path: where it is stored; None for nowhere. Runs of other versions, recipes or machines are not kept, and one
            line says so.

    Attributes:
        content: what is stored.
    """

    def __init__(self, command: str, path: Path | None):
        self.path = path
        how = {
            "versions": versions("sacrebleu") | {"joeynmt": joey.VERSION},
            "machine": machine(cores=os.cpu_count() or 1, threads=1),
            "metric": corpus_bleu(["a", "b"], [["a"], ["b", "c"]])[1],
            "recipes": {name: settings(name) for name in (SHORT, LONG)},
        }
        before = json.loads(path.read_text("utf-8")) if path is not None and path.exists() else {}
        if other := [name for name, value in how.items() if before.get(name) != value]:
            if before:
                print(f"not kept: {len(before['runs'])} runs that were made otherwise ({', '.join(other)})")
            before = {"commands": [], "chosen": {}, "runs": []}
        self.command, self.content = command, {**how, **before}

    def run(self, conditions: dict, make: Callable[[], dict]) -> dict:
        """A run under these conditions, which are a part of it: the stored one, or one that is made and stored."""
        runs = self.content["runs"]
        for run in runs:
            if conditions.items() <= run.items():
                return run
        runs.append(conditions | make())
        print(f"  {runs[-1]}", flush=True)
        if self.command not in self.content["commands"]:
            self.content["commands"].append(self.command)
        self.store()
        return runs[-1]

    def store(self) -> None:
        """Write all of it."""
        if self.path is not None:
            write_atomically(self.path, json.dumps(self.content, indent=1, ensure_ascii=False) + "\n")


def corpora(data: Path | None) -> dict[str, list[Pair]]:
    """The corpora by name: the book's, and the file that is given."""
    by_name = {f"English–{target.title()}": bundled_pairs(target) for target in ("french", "chinese")}
    return by_name if data is None else by_name | {data.name: pairs_of(data)}


def measure(options: argparse.Namespace, command: str) -> None:
    """Train both, print, and store if asked; one line says so where JoeyNMT cannot be had."""
    try:
        python = joey.environment()
    except NotThere as why:
        print(f"\nLeft out: translations beside JoeyNMT's: {why}.")
        return
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    print(f"\nquality: beside JoeyNMT {joey.VERSION}, one thread each")
    record, every = Record(command, BESIDE_RESULT if options.store else None), corpora(options.data)
    pace = functools.cache(lambda seconds: their_pace(python, bundled_pairs(), seconds))

    def theirs(name: str, seconds: float, seed: int, learning_rate: float) -> dict:
        conditions = _conditions("JoeyNMT", name, every[name], seconds, seed) | {"learning_rate": learning_rate}
        return record.run(
            conditions, lambda: run_theirs(python, every[name], seconds, seed, learning_rate, pace(seconds))
        )

    def ours(name: str, seconds: float, seed: int) -> dict:
        conditions = _conditions("ours", name, every[name], seconds, seed)
        return record.run(conditions, lambda: run_ours(every[name], seconds, seed))

    first, shortest = next(iter(every)), min(options.quality_seconds)
    best = max(TRIED, key=lambda rate: theirs(first, shortest, 0, rate)["dev"])
    record.content["chosen"] = {"learning_rate": best}
    record.store()
    for seconds in sorted(options.quality_seconds):
        runs = {name: (list[dict](), list[dict]()) for name in every}
        for seed in range(options.quality_seeds):
            for name, (mine, other) in runs.items():
                mine.append(ours(name, seconds, seed))
                other.append(theirs(name, seconds, seed, best))
        for name, (mine, other) in runs.items():
            print(line(name, seconds, mine, other), flush=True)
    torch.set_num_threads(before)


def _conditions(system: str, name: str, pairs: Sequence[Pair], seconds: float, seed: int) -> dict:
    sha256 = hashlib.sha256("\n".join(map("\t".join, pairs)).encode()).hexdigest()
    recipe = recipe_for(seconds)
    return {"system": system, "data": name, "sha256": sha256, "seconds": seconds, "recipe": recipe, "seed": seed}


def line(name: str, seconds: float, ours: list[dict], theirs: list[dict]) -> str:
    """The verdict about one corpus and one time as a line of text.

    Args:
        name: of the corpus.
        seconds: the time.
        ours, theirs: runs of all seeds.

    Returns:
        Whether ours holds, the mean BLEU of both on the test set, and each seed's.
    """
    means = [statistics.mean(run["test"] for run in runs) for runs in (ours, theirs)]
    each = [", ".join(f"{run['test']:.1f}" for run in runs) for runs in (ours, theirs)]
    return (
        f"  {HOLDS if means[0] >= means[1] else MISSES:12} BLEU {means[0]:.1f}, JoeyNMT's {means[1]:.1f}, "
        f"after {seconds:g} s of the processor, {name}  (seeds: {each[0]}; {each[1]})"
    )
