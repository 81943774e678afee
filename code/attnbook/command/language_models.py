"""Train a language model on a text from the command line, resume after an interruption, and let it write.

    python -m attnbook.train --task language-model --data book.txt --seconds 300 --out runs/book
    python -m attnbook.train --task language-model --steps 2000 --out runs/python

Without --data it learns from Python's own help, some 65,000 words; --data this-book is this book's prose. Give the same
command again, and it goes on where it was stopped. Then `attnbook write runs/book "It was a dark"` continues a text.
"""

import argparse
import json
import os
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from attnbook.checks import check_count, check_positive
from attnbook.command.same_data import check_same_data
from attnbook.files import make_folder, write_atomically
from attnbook.language import (
    LANGUAGE_RECIPES,
    FittedLanguageModel,
    LanguageRecipe,
    TextModel,
    TextSplit,
    described_loss,
    fit_language_model,
    measured,
    ngram_loss,
    read_text,
    split_book,
    split_text,
)
from attnbook.language.corpora import PYTHON_TOPICS, THIS_BOOK
from attnbook.training import CheckpointError

FILE = "language-model.pt"


def _parser(prog: str) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog=prog,
        description=__doc__.splitlines()[0],
        formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog="\n".join(__doc__.splitlines()[2:]).replace("python -m attnbook.train", prog),
    )
    option = parser.add_argument
    option("--task", choices=("language-model",), help="for translators, see --help without this")
    option(
        "--data",
        default=PYTHON_TOPICS,
        help=f"a file of text in UTF-8, or {THIS_BOOK} ({PYTHON_TOPICS}: Python's own help)",
    )
    option("--model", default="llama", choices=sorted(LANGUAGE_RECIPES), help="whose block, at a small size (llama)")
    option("--out", type=Path, required=True, help="a folder for checkpoints, the trained model and its results")
    length = parser.add_mutually_exclusive_group(required=True)
    length.add_argument("--steps", type=int, help="number of updates")
    length.add_argument("--seconds", type=float, help="as many steps as fit; the learning rate follows the clock")
    option("--seed", type=int, default=0)
    option("--batch-size", type=int, help="pieces of text in a step, instead of the recipe's")
    option("--lr", type=float, help="instead of the recipe's")
    option("--subwords", type=int, help="entries of the vocabulary, instead of the recipe's")
    option("--context", type=int, help="the most tokens that it sees, instead of the recipe's")
    option("--patience", type=int, help="stop after so many evaluations without improvement")
    return parser


def _recipe(options: argparse.Namespace) -> LanguageRecipe:
    recipe = LANGUAGE_RECIPES[options.model]
    for name in ("batch_size", "subwords"):
        if (value := getattr(options, name)) is not None:
            recipe = replace(recipe, **{name: value})
    if options.context is not None:
        recipe = replace(recipe, sizes=recipe.sizes | {"max_positions": options.context})
    if options.lr is not None:
        recipe = replace(recipe, training=replace(recipe.training, lr=options.lr))
    return recipe


def train(arguments: Sequence[str], prog: str, command: str) -> int:
    """Train, save and measure.

    Args:
        arguments: of the command line.
        prog: what the user has called, for messages.
        command: with which it can be repeated.

    Returns:
        0.

    Raises:
        OSError, ValueError: what the user can mend.
    """
    options = _parser(prog).parse_args(arguments)
    for name in ("steps", "patience"):
        if (count := getattr(options, name)) is not None:
            check_count(name, count)
    if options.seconds is not None:
        check_positive("seconds", options.seconds)
    recipe = _recipe(options)
    text = read_text(options.data)
    split = split_book() if options.data == THIS_BOOK else split_text(text)
    make_folder(options.out)
    check_same_data(options.out, text)
    words = len(text.split())
    held = "chapters 5, 8, 12 and 17 are" if options.data == THIS_BOOK else "the last fifth is"
    print(f"{words:,} words; {held} held out, for development and for the test", file=sys.stderr, flush=True)
    fitted = fit_language_model(
        recipe,
        split.train,
        split.dev,
        steps=options.steps,
        seconds=options.seconds,
        seed=options.seed,
        patience=options.patience,
        folder=options.out,
        progress=sys.stderr.isatty(),
    )
    _report(options, command, fitted, split)
    return 0


def _report(options: argparse.Namespace, command: str, fitted: FittedLanguageModel, split: TextSplit) -> None:
    """Save the model and say how well it predicts text that it has not read, beside a table of pairs of tokens."""
    model = fitted.text_model
    model.save(options.out / FILE)
    known, size = model.vocabulary.encode(split.train), len(model.vocabulary)
    scores = {}
    for part in ("dev", "test"):
        held_out = getattr(split, part)
        ids = model.vocabulary.encode(held_out)
        pairs = described_loss(ngram_loss(known, ids, size), len(ids), held_out)
        scores[part] = {"model": measured(model, held_out), "bigram": pairs}
    result = {
        "command": command,
        "steps": len(fitted.losses),
        "losses": fitted.losses,
        "development": fitted.history,
        "scores": scores,
    }
    write_atomically(options.out / "result.json", json.dumps(result) + "\n")
    for part, both in scores.items():
        print(
            "; ".join(
                f"{what} {one['loss']:.2f} nats per token (perplexity {one['perplexity']:.0f}, "
                f"{one['bits_per_byte']:.2f} bits per byte)"
                for what, one in ((f"{part}: the model", both["model"]), ("a bigram", both["bigram"]))
            )
        )
    beginning = " ".join(split.test.split()[:5])
    print(f"{beginning} …{model.continue_text(beginning, length=30, temperature=0.7)}")
    print(f"saved in {os.fspath(options.out)}")


def write(options: argparse.Namespace, rest: list[str]) -> int:
    """Continue a text with a trained language model."""
    path = Path(options.model)
    if path.is_dir():
        path /= FILE
        if not path.is_file():
            raise FileNotFoundError(
                f"{path} is not there: the training has not ended, or {path.parent} is of another kind"
            )
    if not path.is_file():
        raise FileNotFoundError(f"there is no file {path}; attnbook train --task language-model writes one")
    try:
        model = TextModel.load(path)
    except CheckpointError as error:
        advice = "; attnbook translate translates with it" if "holds a translator" in str(error) else ""
        raise ValueError(f"{error}{advice}") from error
    beginning = " ".join(options.beginning)
    if new := model.unfamiliar(beginning):
        named = ", ".join(repr(one) for one in new[:5]) + ", …" * (len(new) > 5)
        _say(f"the model has never read {named}; what follows is a guess from bytes that it knows little of")
    number, most = len(model.vocabulary.encode(beginning)), model.model.config.max_positions
    if number > most:
        _say(f"the beginning has {number} tokens, and the model sees the last {most} of them")
    written = model.continue_text(
        beginning,
        length=options.length,
        seed=options.seed,
        temperature=options.temperature,
        top_k=options.top_k,
        top_p=options.top_p,
    )
    print(beginning + written)
    return 0


def _say(sentence: str) -> None:
    print(sentence, file=sys.stderr, flush=True)
