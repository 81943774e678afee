"""Train a translator from the command line, on one device or several, and resume after an interruption.

    python -m attnbook.train --data bundled --model bahdanau --epochs 30 --out runs/bahdanau
    python -m attnbook.train --data cmn.txt --model transformer --seconds 300 --script simplified \\
        --languages English Chinese --codes en zh --out runs/chinese
    python -m attnbook.train --data grammar --model seq2seq --steps 2000 --out runs/seq2seq --devices 2

Give the same command again, and it goes on where it was stopped. On several machines that share the folder of --out,
start it with torchrun on each, the second with --node-rank 1:

    torchrun --nnodes 2 --node-rank 0 --master-addr FIRST --master-port 29500 --nproc-per-node 4 \\
        -m attnbook.train --data cmn.txt --model transformer --seconds 300 --out runs/two --devices 4 --nodes 2
"""

import argparse
import json
import os
import shlex
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from pathlib import Path

import torch

from attnbook.checks import check_count, check_positive
from attnbook.command.first_look import BOOKS_OWN, first_look, read_data
from attnbook.command.languages import add_language_options, check_languages
from attnbook.command.same_data import check_same_data
from attnbook.data import Split
from attnbook.files import make_folder, write_atomically
from attnbook.reproducible import best_device, seed_everything
from attnbook.training import CheckpointError, OtherProcessError, make_fabric, together
from attnbook.translation import RECIPES, Fitted, Languages, Recipe, evaluate, fit

__all__ = ["main", "read_data"]

PROG = "python -m attnbook.train"
Report = Callable[[str], object]


def _parser(prog: str = PROG) -> argparse.ArgumentParser:
    examples = "\n".join(__doc__.splitlines()[2:])
    parser = argparse.ArgumentParser(
        prog=prog,
        description=__doc__.splitlines()[0],
        formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog=examples.replace(PROG, prog),
    )
    parser.add_argument(
        "--task",
        default="translation",
        choices=("translation", "language-model"),
        help="with language-model the options are others: --task language-model --help",
    )
    parser.add_argument(
        "--data",
        default="bundled",
        help=f"{', '.join(BOOKS_OWN)}, or a file of pairs: Anki's cmn.txt, a .tsv, or a zip with one of them",
    )
    add_language_options(parser)
    scripts = ("simplified", "traditional")
    parser.add_argument("--script", choices=scripts, help="write Chinese in this one of its scripts, by OpenCC")
    parser.add_argument("--model", default="bahdanau", choices=sorted(RECIPES))
    parser.add_argument(
        "--out", type=Path, required=True, help="a folder for checkpoints, the trained translator and its results"
    )
    length = parser.add_mutually_exclusive_group(required=True)
    length.add_argument("--steps", type=int, help="number of updates")
    length.add_argument("--epochs", type=int, help="times through the training pairs")
    length.add_argument("--seconds", type=float, help="as many steps as fit; the learning rate follows the clock")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--batch-size", type=int, help="instead of the recipe's")
    parser.add_argument("--lr", type=float, help="instead of the recipe's")
    parser.add_argument("--subwords", type=int, help="entries of a vocabulary, instead of the recipe's; 0: whole words")
    parser.add_argument("--min-count", type=int, help="how often a whole word must occur, instead of the recipe's")
    parser.add_argument(
        "--max-len", type=int, help="the most tokens of a sentence to train on, instead of the recipe's"
    )
    parser.add_argument("--patience", type=int, help="stop after so many evaluations without improvement")
    parser.add_argument("--beam", type=int, default=1, help="width of the beam search on the test set")
    parser.add_argument("--devices", type=int, default=1, help="processes per machine")
    parser.add_argument("--nodes", type=int, default=1, help="number of machines")
    return parser


def _recipe(options: argparse.Namespace) -> Recipe:
    recipe = RECIPES[options.model]
    if options.data not in BOOKS_OWN:  # those have scores in the book
        recipe = replace(recipe, writes_unknown=False)
    for name in ("batch_size", "subwords", "min_count", "max_len"):
        if (value := getattr(options, name)) is not None:
            recipe = replace(recipe, **{name: value})
    if options.lr is not None:
        recipe = recipe.with_training(lr=options.lr)
    return recipe


def _check_machines(options: argparse.Namespace) -> None:
    """Refuse what would wait for machines that do not come, or start more processes than there are devices."""
    if options.nodes > 1 and not {"MASTER_ADDR", "SLURM_NTASKS"} & os.environ.keys():
        raise ValueError("--nodes is for a training that torchrun, or Slurm, starts on each machine; see --help")
    kind = best_device().type
    there = {"cpu": os.cpu_count() or 1, "cuda": torch.cuda.device_count()}
    most = there.get(kind, 1)
    if options.devices > most:
        what = "cores" if kind == "cpu" else "devices"
        raise ValueError(f"--devices must be at most {most}, this machine's number of {what}; got {options.devices}")


def _prepare(options: argparse.Namespace, recipe: Recipe, report: Report | None) -> tuple[Split, Languages]:
    """Read the data and make the folder, which the first process then marks as one of this data."""
    split, script = first_look(
        recipe,
        options.data,
        options.seed,
        options.reverse,
        options.script,
        options.codes,
        report or (lambda said: None),
    )
    make_folder(options.out)
    if report:
        check_same_data(options.out, "\n".join(f"{pair.source}\t{pair.target}" for pair in split.train))
    return split, _languages(options, script)


def _languages(options: argparse.Namespace, script: str | None) -> Languages:
    given = options.languages and tuple(options.languages), options.codes and tuple(options.codes)
    own = BOOKS_OWN.get(options.data, Languages())
    known = [two and two[::-1] if options.reverse else two for two in (own.names, own.codes)]
    return Languages(given[0] or known[0], given[1] or known[1], script)


def _say(said: str) -> None:
    print(said, file=sys.stderr, flush=True)


def _task(arguments: Sequence[str]) -> str | None:
    """What is to be trained, before the options that this decides are known."""
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("--task")
    return parser.parse_known_args(arguments)[0].task


def main(arguments: Sequence[str] | None = None, prog: str = PROG) -> int:
    """Train, save and measure.

    Args:
        arguments: of the command line; the process's own if not given.
        prog: what the user has called, for messages.

    Returns:
        0, or 2 after an error that the user can mend, with its message on stderr.
    """
    arguments = sys.argv[1:] if arguments is None else list(arguments)
    command = shlex.join(["python", "-m", "attnbook.train", *arguments])
    try:
        if _task(arguments) == "language-model":
            from attnbook.command import language_models

            return language_models.train(arguments, prog, command)
        return _run(_parser(prog).parse_args(arguments), command)
    except (CheckpointError, ModuleNotFoundError, OSError, OtherProcessError, ValueError) as error:
        print(f"{prog}: {error}", file=sys.stderr)
        return 2


def _run(options: argparse.Namespace, command: str) -> int:
    for name in ("steps", "epochs", "patience", "beam", "devices", "nodes"):
        if (count := getattr(options, name)) is not None:
            check_count(name, count)
    seed_everything(options.seed)  # refuses an impossible one
    _check_machines(options)
    check_languages(options.languages, options.codes)
    if options.reverse:  # from here on: translated from, translated into
        options.languages, options.codes = (two and two[::-1] for two in (options.languages, options.codes))
    if options.seconds is not None:
        check_positive("seconds", options.seconds)
    recipe = _recipe(options)
    fabric = make_fabric(options.devices, options.nodes)
    fabric.launch()
    report = _say if fabric.is_global_zero else None
    if report and (named := str(_languages(options, None))):
        first, second = ("second", "first") if options.reverse else ("first", "second")
        report(f"{named}: from the {first} column into the {second}")
    split, languages = together(fabric, lambda: _prepare(options, recipe, report))
    fitted = fit(
        recipe,
        split.train,
        split.dev,
        steps=options.steps,
        epochs=options.epochs,
        seconds=options.seconds,
        seed=options.seed,
        patience=options.patience,
        fabric=fabric,
        folder=options.out,
        progress=sys.stderr.isatty(),
        report=report,
    )
    fitted.translator.languages = languages
    if report:
        _report(options, command, fitted, split)
    return 0


def _report(options: argparse.Namespace, command: str, fitted: Fitted, split: Split) -> None:
    """Save the translator and say how good it is on sentences it has not seen."""
    translator = fitted.translator
    translator.save(options.out / "translator.pt")
    scores = {part: evaluate(translator, getattr(split, part), options.beam) for part in ("dev", "test")}
    result = {
        "command": command,
        "languages": asdict(translator.languages),
        "steps": len(fitted.losses),
        "losses": fitted.losses,
        "development": fitted.history,
        "scores": {part: {k: v for k, v in score.items() if k != "translations"} for part, score in scores.items()},
    }
    write_atomically(options.out / "result.json", json.dumps(result) + "\n")
    for part, score in scores.items():
        print(
            f"{part}: BLEU {score['bleu']:.1f} ({score['tokens']}), chrF {score['chrf']:.1f} "
            f"on {score['sentences']} sentences"
        )
    for source, written in list(scores["test"]["translations"].items())[:5]:
        print(f"  {source} → {translator.written(written)}")
    if not scores["test"]["bleu"]:
        _say("BLEU is 0 where no four tokens in a row are as in a reference: more steps or more pairs would help")
    print(f"saved in {os.fspath(options.out)}")
