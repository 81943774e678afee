"""Train a translator from the command line, on one device or several, and resume after an interruption.

    python -m attnbook.train --data bundled --model bahdanau --epochs 30 --out runs/bahdanau
    python -m attnbook.train --data fra.txt --model transformer --seconds 300 --out runs/transformer
    python -m attnbook.train --data grammar --model seq2seq --steps 2000 --out runs/seq2seq --devices 2

Give the same command again, and it goes on where it was stopped. On several machines that share the folder of --out,
start it with torchrun on each, the second with --node-rank 1:

    torchrun --nnodes 2 --node-rank 0 --master-addr FIRST --master-port 29500 --nproc-per-node 4 \\
        -m attnbook.train --data fra.txt --model transformer --seconds 300 --out runs/two --devices 4 --nodes 2
"""

import argparse
import hashlib
import json
import os
import shlex
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import torch

from attnbook.checks import check_count, check_positive
from attnbook.data import BilingualGrammar, Pair, Split, bundled_pairs, read_pairs, split_pairs
from attnbook.files import make_folder, write_atomically
from attnbook.reproducible import best_device, seed_everything
from attnbook.text import UNK
from attnbook.training import CheckpointError, OtherProcessError, make_fabric, together
from attnbook.translation import RECIPES, Fitted, Recipe, evaluate, fit

__all__ = ["main", "read_data"]

PROG = "python -m attnbook.train"
GRAMMAR_PAIRS = 20_000
GRAMMARS = {"grammar": "french", "grammar-chinese": "chinese"}  # --data → into which language
# parts of the development tokens that are unknown: above the first it is said, above the second training is refused
MANY, HOPELESS = 0.1, 0.5


def read_data(name: str, seed: int = 0, report: Callable[[str], object] | None = None, reverse: bool = False) -> Split:
    """Pairs to train on, to choose by, and to test on; no source sentence is in two of them.

    Args:
        name: "bundled", "grammar" (into French), "grammar-chinese", or a file of sentence pairs.
        seed: of the split, and of the grammar.
        report: see `read_pairs`.
        reverse: the other direction: the second column is the source.

    Returns:
        Eight tenths of the data to train on, one tenth for development and one for the test.

    Raises:
        FileNotFoundError, ValueError: a file that is not there or cannot be read.
    """
    if name == "bundled":
        pairs = bundled_pairs()
    elif name in GRAMMARS:
        sampled = BilingualGrammar(seed, GRAMMARS[name]).sample(GRAMMAR_PAIRS, 4, 20)
        pairs = [aligned.pair for aligned in sampled]
    else:
        pairs = read_pairs(name, report=report)
    if reverse:
        pairs = [Pair(pair.target, pair.source) for pair in pairs]
    return split_pairs(pairs, seed=seed)


def _parser(prog: str = PROG) -> argparse.ArgumentParser:
    examples = "\n".join(__doc__.splitlines()[2:])
    parser = argparse.ArgumentParser(
        prog=prog,
        description=__doc__.splitlines()[0],
        formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog=examples.replace(PROG, prog),
    )
    parser.add_argument(
        "--data",
        default="bundled",
        help="bundled, grammar, grammar-chinese, or a file of pairs: Anki's cmn.txt, a .tsv, or a zip with one of them",
    )
    parser.add_argument("--reverse", action="store_true", help="translate from the second column into the first")
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


def _prepare(options: argparse.Namespace, recipe: Recipe, first: bool) -> Split:
    """Read the data and make the folder, which the first process then marks as one of this data."""
    report = _say if first else lambda said: None
    split = read_data(options.data, options.seed, report, options.reverse)
    for said in _what_is_unknown(recipe, split):
        report(said)
    make_folder(options.out)
    if first:
        _check_same_data(options.out, split)
    return split


def _what_is_unknown(recipe: Recipe, split: Split) -> list[str]:
    """Sentences about a side of which the vocabulary knows too little; a training that cannot work is refused."""
    said = []
    for side in Pair._fields:
        known, new = ([getattr(pair, side) for pair in part] for part in (split.train, split.dev))
        vocabulary = recipe.vocabulary(known)
        ids = [number for text in new for number in vocabulary.encode(text)]
        part = ids.count(UNK) / max(len(ids), 1)
        about = (
            f"{part:.0%} of the {side} tokens in new sentences are unknown to a vocabulary of {len(vocabulary)} entries"
        )
        advice = "more pairs, --subwords 1500 or a smaller --min-count would help"
        if part > HOPELESS:
            raise ValueError(f"{about}, and with so many nothing can be learned; {advice}")
        if part > MANY:
            said.append(f"{about}; {advice}")
    return said


def _say(said: str) -> None:
    print(said, file=sys.stderr, flush=True)


def _check_same_data(out: Path, split: Split) -> None:
    """Refuse to resume with data other than what training began with."""
    text = "\n".join(f"{pair.source}\t{pair.target}" for pair in split.train)
    mark = hashlib.sha256(text.encode()).hexdigest()
    stored = out / "data.sha256"
    if not stored.exists():
        write_atomically(stored, mark + "\n")
    elif stored.read_text("utf-8").strip() != mark:
        raise CheckpointError(
            f"{out} holds a training run on other data; take another folder, or the same data and seed"
        )


def main(arguments: Sequence[str] | None = None, prog: str = PROG) -> int:
    """Train, save and measure.

    Args:
        arguments: of the command line; the process's own if not given.
        prog: what the user has called, for messages.

    Returns:
        0, or 2 after an error that the user can mend, with its message on stderr.
    """
    arguments = sys.argv[1:] if arguments is None else list(arguments)
    options = _parser(prog).parse_args(arguments)
    command = shlex.join(["python", "-m", "attnbook.train", *arguments])
    try:
        return _run(options, command)
    except (CheckpointError, OSError, OtherProcessError, ValueError) as error:
        print(f"{prog}: {error}", file=sys.stderr)
        return 2


def _run(options: argparse.Namespace, command: str) -> int:
    for name in ("steps", "epochs", "patience", "beam", "devices", "nodes"):
        if (count := getattr(options, name)) is not None:
            check_count(name, count)
    seed_everything(options.seed)  # refuses an impossible one
    _check_machines(options)
    if options.seconds is not None:
        check_positive("seconds", options.seconds)
    recipe = _recipe(options)
    fabric = make_fabric(options.devices, options.nodes)
    fabric.launch()
    first = fabric.is_global_zero
    split = together(fabric, lambda: _prepare(options, recipe, first))
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
    )
    if first:
        _report(options, command, fitted, split)
    return 0


def _report(options: argparse.Namespace, command: str, fitted: Fitted, split: Split) -> None:
    """Save the translator and say how good it is on sentences it has not seen."""
    translator = fitted.translator
    translator.save(options.out / "translator.pt")
    scores = {part: evaluate(translator, getattr(split, part), options.beam) for part in ("dev", "test")}
    result = {
        "command": command,
        "steps": len(fitted.losses),
        "losses": fitted.losses,
        "development": fitted.history,
        "scores": {part: {k: v for k, v in score.items() if k != "translations"} for part, score in scores.items()},
    }
    write_atomically(options.out / "result.json", json.dumps(result) + "\n")
    for part, score in scores.items():
        print(f"{part}: BLEU {score['bleu']:.1f}, chrF {score['chrf']:.1f} on {score['sentences']} sentences")
    for source, written in list(scores["test"]["translations"].items())[:5]:
        print(f"  {source} → {written}")
    print(f"saved in {os.fspath(options.out)}")
