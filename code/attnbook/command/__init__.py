"""One command for the book: `attnbook book`, `attnbook grade submissions/`, …; `python -m attnbook` is the same.

Each subcommand imports what it needs when it is called. One that needs the repository (chapters, tests, tools) looks
for it around the current folder, then where the package lies.
"""

import argparse
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from attnbook.command import classes, repository, translating
from attnbook.command.languages import REVERSE

__all__ = ["main"]

WIDEST_BEAM = 1000


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line.

    Args:
        arguments: its words; the process's own if not given.

    Returns:
        0; 2 after an error that the user can mend, with its message on stderr; 130 after Ctrl-C; or the exit status
        of the program that was called.
    """
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure") and not stream.isatty():
            # a pipe on Windows is not, yet
            stream.reconfigure(encoding="utf-8", errors=stream.errors)
    parser = _parser()
    words = list(sys.argv[1:] if arguments is None else arguments)
    if words[:1] == ["grade"]:
        words = classes.with_commas(words)
    options, rest = parser.parse_known_args(words)
    flags = any(word.startswith("-") for word in rest)
    if options.command == "translate" and not options.sentence and not flags:
        # argparse gives `sentence` nothing if options stand before it
        options.sentence, rest = rest, []
    if rest and not options.hands_on:
        parser.error(f"unrecognized arguments: {' '.join(rest)}")
    try:
        return options.run(options, rest)
    except (ModuleNotFoundError, OSError, ValueError, TypeError) as error:
        print(f"attnbook {options.command}: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        again = "; the same command goes on" if options.command == "grade" else ""
        print(f"attnbook {options.command}: interrupted{again}", file=sys.stderr)
        return 130


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser("attnbook", description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")

    def add(name: str, run: Callable, says: str, hands_on: str = "") -> Callable[..., argparse.Action]:
        """A subcommand; if `hands_on` names another program, that one gets the arguments."""
        also = f" Further arguments are those of {hands_on}." * bool(hands_on)
        made = commands.add_parser(
            name,
            help=says,
            description=f"{says[0].upper()}{says[1:]}.{also}",
            add_help=hands_on in ("", "pytest", "jupyter lab"),
        )
        made.set_defaults(run=run, hands_on=hands_on)
        return made.add_argument

    add("book", repository.book, "build the book, say where to open it", "tools.book")
    option = add("test", repository.test, "run all tests, or those named", "pytest")
    option("--threads", type=_whole, default=1, help="that PyTorch computes with (1)")
    add("lab", repository.lab, "open the chapters in JupyterLab", "jupyter lab")
    option = add("serve", repository.serve, "serve the built book on this machine")
    option("--port", type=int, default=8000, help="port of its address (8000)")
    add("chapter", repository.chapter, "execute chapters", "tools.chapter")
    add("train", translating.train, "train a translator or a language model", "attnbook.train")

    option = add("translate", translating.translate, "translate sentences")
    option(
        "model",
        help="what Translator.save or attnbook train has written (a file or its folder), or one of the book's: "
        "bahdanau, seq2seq, transformer",
    )
    option(
        "sentence",
        nargs="*",
        default=[],  # not required
        help="what to translate; without it, the lines of standard input",
    )
    option("--beam", type=_beam, default=1, help=f"width of the beam search, at most {WIDEST_BEAM}; 1: greedy")
    option("--length-penalty", type=float, help="exponent of the length penalty in a beam search (0.6)")
    option("--max-len", type=_whole, default=60, help="the most tokens to write (60)")
    option("--tokens", action="store_true", help="write tokens in small letters, with a space between any two")

    option = add("write", translating.write, "continue a text with a language model")
    option("model", help="what attnbook train --task language-model has written: its folder, or the file in it")
    option("beginning", nargs="+", help="the text to continue")
    option("--length", type=_whole, default=100, help="how many tokens to write (100)")
    option("--temperature", type=_positive, default=0.8, help="below 1 likely tokens become likelier (0.8)")
    option("--top-k", type=_whole, help="draw from so many of the likeliest tokens only")
    option("--top-p", type=_positive, help="draw from the fewest tokens whose probabilities sum to this")
    option("--seed", type=_seed, default=0, help="of what is drawn (0)")

    option = add(
        "page-model",
        translating.page_model,
        "train a translator on your own sentence pairs, and write a page that translates, in one file",
    )
    option("pairs", type=Path, help="a file of lines: a sentence, a tab, its translation; in any two languages")
    option("--out", type=Path, required=True, help="the page: a file ending in .html")
    option("--reverse", action="store_true", help=REVERSE)
    option(
        "--languages",
        nargs=2,
        default=["English", "French"],
        metavar=("FIRST", "SECOND"),
        help="names of the two columns' languages, as the page should write them (English French)",
    )
    option(
        "--codes",
        nargs=2,
        default=["en", "fr"],
        metavar=("FIRST", "SECOND"),
        help="codes of these languages, for fonts, screen readers and the direction of writing: zh, ar, pt-BR (en fr)",
    )
    option("--model", choices=translating.KINDS, default="bahdanau", help="(bahdanau)")
    option("--epochs", type=_whole, default=25, help="times through the pairs (25)")
    option("--seed", type=_seed, default=0, help="of the split and the weights (0)")

    option = add("grade", classes.grade, "check a class's submissions")
    option(
        "folder", type=Path, metavar="FOLDER", help="of submissions: holds a .ipynb, a .py or a folder for each student"
    )
    option("--out", type=Path, default=Path("grades"), help="folder for the results (grades)")
    option("--exercises", type=_list, metavar="LIST", help="only these, by number or name: 4.1,4.3,soft-lookup")
    option("--chapters", type=_numbers, metavar="LIST", help="only those of these chapters: 4,5")
    option(
        "--week",
        "--weeks",
        type=_numbers,
        metavar="LIST",
        help="only those that the plan of “Teaching with this book” sets in these weeks, 1 to 13: 3,4",
    )
    option("--points", type=_positive, default=1, help="for a solved exercise (1)")
    option(
        "--roster",
        type=Path,
        metavar="FILE",
        help="what Canvas (the gradebook) or Moodle (the grading worksheet) has exported, to be filled in",
    )
    option(
        "--assignment",
        metavar="NAME",
        help="the column to fill in: in Canvas's file an assignment, in Moodle's what “Grade” is called there",
    )
    option("--new-column", action="store_true", help="add that column to Canvas's file, unless it is there")
    option("--seconds", type=_positive, default=60, help="for an exercise, at most (60)")
    option("--total", type=_positive, default=600, help="for a submission, at most (600)")
    option("--memory", type=_positive, default=2, help="for a submission, in GB beyond PyTorch's own; Linux only (2)")
    option("--jobs", type=_whole, help="submissions at a time (one for each core, at most 8)")
    return parser


def _list(text: str) -> list[str]:
    items = text.replace(",", " ").split()
    if not items:
        raise argparse.ArgumentTypeError(f"expected a list such as 4.1,4.3, got {text!r}")
    return items


def _numbers(text: str) -> list[int]:
    items = _list(text)
    if odd := [one for one in items if not one.isdecimal()]:
        raise argparse.ArgumentTypeError(f"expected whole numbers such as 4,5, got {odd[0]!r}")
    return [*map(int, items)]


def _beam(text: str) -> int:
    width = _whole(text)
    if width > WIDEST_BEAM:
        raise argparse.ArgumentTypeError(f"expected a width of at most {WIDEST_BEAM}, got {width}")
    return width


def _whole(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"expected a whole number from 1, got {text!r}")
    return int(text)


def _seed(text: str) -> int:
    if not text.isdecimal() or int(text) >= 2**32:
        raise argparse.ArgumentTypeError(f"expected a whole number from 0 to 2**32 - 1, got {text!r}")
    return int(text)


def _positive(text: str) -> float:
    try:
        number = float(text.replace(",", "."))
    except ValueError:
        number = 0.0
    if not 0 < number < float("inf"):
        raise argparse.ArgumentTypeError(f"expected a number above 0, got {text!r}")
    return number
