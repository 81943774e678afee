"""Run an experiment, and store its result.

    python -m tools.experiments --list
    python -m tools.experiments NAME [--seeds N] [--its-own-options …] [--out FILE] [--threads N] [--resume | --anew]

Every finished run is kept in FILE.part, written in one step; FILE itself is replaced when all are there. Where an
interrupted experiment has left such a file, --resume goes on with it and --anew replaces it. The book's own results are
made with the defaults; with other options, --out must say where the result goes.
"""

import argparse
import ast
import importlib
import json
import sys
import time
from pathlib import Path
from types import ModuleType, SimpleNamespace

from attnbook.files import write_atomically
from tools import ROOT
from tools.experiments.stored import as_list, code_hash, every_seed, flag_of, made_by, row_by_row
from tools.surroundings import clean_environment

NO_EXPERIMENTS = {"__init__", "__main__", "stored"}


def names() -> list[str]:
    """All experiments."""
    return sorted({path.stem for path in Path(__file__).parent.glob("*.py")} - NO_EXPERIMENTS)


def experiment(name: str) -> ModuleType:
    """The module of an experiment."""
    return importlib.import_module(f"tools.experiments.{name}")


def result_path(name: str) -> Path:
    """Where an experiment's result goes if nothing else is said."""
    return ROOT / getattr(experiment(name), "RESULT", f"chapters/results/{name}.json")


def is_the_books_own(name: str, out: Path) -> bool:
    """Whether a result that goes there replaces the one that the book shows."""
    return out.resolve() == result_path(name).resolve()


def parse_words(name: str, words: list[str]) -> tuple[SimpleNamespace, argparse.Namespace]:
    """What is said after an experiment's name: its own options, and those that all have."""
    module = experiment(name)
    defaults, choices = module.OPTIONS, getattr(module, "CHOICES", {})
    parser = argparse.ArgumentParser(
        prog=f"python -m tools.experiments {name}",
        description=module.__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    for option, default in defaults.items():
        flag, among = flag_of(option), choices.get(option)
        if default is False:
            parser.add_argument(flag, action="store_true")
        elif isinstance(default, list):
            parser.add_argument(flag, nargs="+", type=type(default[0]), default=default, choices=among)
        else:
            kind, told = str if default is None else type(default), f"{default} if not given"
            parser.add_argument(flag, type=kind, default=default, choices=among, help=told)
    parser.add_argument("--out", type=Path, default=result_path(name), help="the file of the result")
    parser.add_argument("--threads", type=int, default=1, help="1 if not given")
    begun = parser.add_mutually_exclusive_group()
    begun.add_argument("--resume", action="store_true", help="go on with the runs in FILE.part")
    begun.add_argument("--anew", action="store_true", help="begin again, whatever is in FILE.part")
    general = parser.parse_args(words)
    for option, default in {**defaults, "threads": 1}.items():
        refuse_numbers(parser, option, as_list(default), as_list(getattr(general, option)))
    refuse_places(parser, name, general)
    options = SimpleNamespace(**{option: getattr(general, option) for option in defaults})
    if general.threads != 1:
        options.threads = general.threads
    return options, general


def refuse_numbers(parser: argparse.ArgumentParser, option: str, usual: list, given: list) -> None:
    """Refuse a number below 0 or NaN, and 0 where the usual values have none."""
    for number in given if type(usual[0]) in (int, float) else ():
        if not number >= 0 or (number == 0 and 0 not in usual):
            least = "at least 0" if 0 in usual else "at least 1" if type(usual[0]) is int else "above 0"
            parser.error(f"{flag_of(option)} must be {least}, got {number}")


def refuse_places(parser: argparse.ArgumentParser, name: str, general: argparse.Namespace) -> None:
    """Refuse to replace the book's own result, or its weights, by those of other options."""
    module, books_own = experiment(name), is_the_books_own(name, general.out)
    may_differ = ("weights", *getattr(module, "MAY_DIFFER", ()))
    for option, usual in module.OPTIONS.items():
        if books_own and option not in may_differ and getattr(general, option) != usual:
            stored = f"{flag_of(option)} {' '.join(map(str, as_list(usual)))}"
            parser.error(f"the book's {general.out.name} has {stored}; say with --out where another result goes")
    if general.out.is_dir() and not books_own:
        parser.error(f"--out must name a file, but {general.out} is a folder")
    if "weights" in module.OPTIONS and books_own != (general.weights is None):
        parser.error(f"{name} stores weights, too: --weights and --out go elsewhere together, or neither is given")


def resumed_runs(part: Path, begun: dict, settings: list[dict]) -> list[dict]:
    """The runs of an interrupted experiment; refused if another command, other versions, code or settings made them."""
    if not part.exists():
        return []
    before = json.loads(part.read_text("utf-8"))
    for key, value in begun.items():
        if before.get(key) != value:
            raise SystemExit(
                f"error: {part.name} was begun with the {key} {before.get(key)}, this is {value}; --anew begins again"
            )
    runs = before["runs"]
    if before.get("settings") != settings[: len(runs)]:
        raise SystemExit(
            f"error: the {len(runs)} run(s) in {part.name} were made with other settings than the experiment has now; "
            "--anew begins again"
        )
    return runs


def one_line(row: dict) -> dict:
    """A run in a line: without what is long."""
    return {key: value for key, value in row.items() if len(str(value)) < 100}


def settings_of(module: ModuleType, options: SimpleNamespace) -> list[dict]:
    """The arguments of every run: as the module says; else every variant with every seed and the other options."""
    if hasattr(module, "settings"):
        return list(module.settings(options))
    variants = module.variants(options) if hasattr(module, "variants") else [{}]
    return every_seed(variants, options, getattr(module, "SEED_BY_SEED", False))


def summary_of(module: ModuleType, runs: list[dict], options: SimpleNamespace) -> dict:
    """What is stored of all runs: as the module says; else what was measured, and a row for each."""
    if hasattr(module, "summary"):
        return module.summary(runs, options)
    return {"measured": module.MEASURED, "rows": runs}


def measure(name: str, options: SimpleNamespace, out: Path, resume: bool = False, anew: bool = False) -> dict:
    """Make all runs of an experiment and store the result.

    Args:
        name: the experiment's.
        options: its options, see `parse_words`.
        out: where to.
        resume: begin with the runs that an interrupted call has left in OUT.part.
        anew: replace what an interrupted call has left.

    Returns:
        The result.

    Raises:
        SystemExit: OUT.part is there and neither was asked for, or its runs are not the first of this experiment; or
            the options cannot be run, or leave nothing to run; or the experiment does not say what is stored.
    """
    module, made = experiment(name), made_by(name, options)
    if not (hasattr(module, "summary") or hasattr(module, "MEASURED")):
        raise SystemExit(f"error: {name} has neither `summary` nor MEASURED, so nothing says what would be stored")
    begun = made | {"code": code_hash(name)}
    part = out.with_name(f"{out.name}.part")
    if part.exists() and not (resume or anew):
        raise SystemExit(f"error: {part} holds the runs of an interrupted experiment; add --resume or --anew")
    try:
        getattr(module, "check", lambda _: None)(options)
        if is_the_books_own(name, out):
            getattr(module, "check_own", lambda _: None)(options)
    except (ValueError, OSError) as error:
        raise SystemExit(f"error: {error}") from error
    settings = settings_of(module, options)
    if not settings:
        raise SystemExit(f"error: these options of {name} leave nothing to run")
    as_stored = json.loads(json.dumps(settings))
    runs = resumed_runs(part, begun, as_stored) if resume else []
    for number, setting in enumerate(settings[len(runs) :], len(runs) + 1):
        began = time.perf_counter()
        # as it comes out of the file if the experiment is resumed
        row = json.loads(json.dumps(module.run(**setting)))
        runs.append(row)
        write_atomically(part, json.dumps(begun | {"settings": as_stored[:number], "runs": runs}))
        spent = time.perf_counter() - began
        print(f"{number}/{len(settings)}, {spent:.1f} s: {one_line(row)}", flush=True)
    result = summary_of(module, runs, options)
    if result:  # or the module has stored what there is
        # a module may add a version of its own
        versions = made["versions"] | result.get("versions", {})
        result = made | result | {"versions": versions}
        write_atomically(out, row_by_row(result))
        print(f"{out}: {out.stat().st_size / 1000:.0f} KB")
    part.unlink(missing_ok=True)
    return result


def main(arguments: list[str] | None = None) -> int:
    """The command."""
    parser = argparse.ArgumentParser(
        prog="python -m tools.experiments", description="Run an experiment, and store its result."
    )
    parser.add_argument("name", nargs="?", choices=names(), metavar="NAME")
    parser.add_argument("--list", action="store_true", help="all names, with a line each")
    parser.add_argument("rest", nargs=argparse.REMAINDER, help="see NAME --help")
    options = parser.parse_args(arguments)
    if options.list or not options.name:
        for name in names():
            tree = ast.parse(Path(__file__).with_name(f"{name}.py").read_text("utf-8"))
            first_line = (ast.get_docstring(tree) or "").partition("\n")[0]
            print(f"{name:18}{first_line}")
        return 0
    settings, general = parse_words(options.name, options.rest)
    import torch

    torch.set_num_threads(general.threads)
    measure(options.name, settings, general.out, general.resume, general.anew)
    return 0


if __name__ == "__main__":
    with clean_environment():
        sys.exit(main())
