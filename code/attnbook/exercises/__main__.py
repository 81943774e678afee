"""`python -m attnbook.exercises new NAME` begins an exercise: its file in the bank, and what to add elsewhere."""

import argparse
import re
from pathlib import Path

BANK = Path(__file__).parent / "bank"
NEXT = """\
Written: {file}. It runs as it is; replace what is in it.

One line for MODULES in {bank}, where the exercise belongs in the book:

    "{function}",

One block for the chapter:

{block}
Answers to test it with: tests/exercises/answers/{name}.py (see verdicts.py beside that folder)."""


def new(name: str, bank: Path = BANK) -> tuple[Path, str]:
    """Write the file of a new exercise; returns the file, and what to do next in words."""
    if not re.fullmatch(r"[a-z][a-z0-9]*(-[a-z0-9]+)*", name):
        raise ValueError(f"an exercise's name is lower-case words joined by hyphens, such as soft-lookup; got {name!r}")
    function = name.replace("-", "_")
    module, _, chapter = Path(__file__).with_name("skeleton.txt").read_text("utf-8").partition("=== chapter\n")
    stub = module[module.index("def my_") : module.index("    return")].format(function=function) + "    ..."
    file = bank / f"{function}.py"
    if file.exists():
        raise ValueError(f"there is an exercise of this name: {file}; give the new one another")
    file.write_text(module.format(name=name, function=function), "utf-8")
    block = chapter.format(name=name, title="A title for people", stub=stub + "\n", function=f"my_{function}")
    return file, NEXT.format(file=file, bank=bank / "__init__.py", function=function, block=block, name=name)


def main(arguments: list[str] | None = None) -> None:
    """Run the command line, or a list of its words."""
    parser = argparse.ArgumentParser("python -m attnbook.exercises", description=__doc__)
    begin = parser.add_subparsers(required=True).add_parser("new", help="begin an exercise")
    begin.add_argument("name", help="lower-case words joined by hyphens: soft-lookup")
    try:
        print(new(parser.parse_args(arguments).name)[1])
    except ValueError as error:
        parser.error(str(error))


if __name__ == "__main__":
    main()
