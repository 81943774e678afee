"""`python -m attnbook.exercises new NAME` begins an exercise: its file in the bank, and what to add elsewhere."""

from __future__ import annotations

import argparse
import re
from pathlib import Path

BANK = Path(__file__).parent / "bank"

MODULE = '''\
"""Exercise {name}: what it is about, in a line."""

from ..exercise import Exercise, Mistake, draw, exact


def my_{function}(scores):
    """What it does, in a sentence.

    scores: (T, S) → (T, S)
    """
    return scores.softmax(dim=-1)


def example() -> tuple:
    """Small enough to follow by hand."""
    return (exact([1, 2], [3, 0]),)


def probes() -> list[tuple]:
    """Several shapes, all axes different."""
    return [(draw(3, 5, seed=1),), (draw(7, 2, seed=2),)]


# fmt: off
MISTAKES = (
    Mistake("softmax-over-queries", ("dim=-1", "dim=0"),
            "the softmax runs over the queries. In your weights the columns sum to 1.",
            "Each query spends a budget of 1. Over which axis?"),
)
# fmt: on

EXERCISE = Exercise(
    name="{name}",
    title="A title for people",
    chapter=1,
    solution=my_{function},
    shapes={{"scores": "T S"}},
    returns="T S",
    example=example,
    probes=probes,
    mistakes=MISTAKES,
    differentiable=("scores",),
    hints=("Where to look first.", "The idea.", "A last push, short of the solution."),
    why="Why the commonest wrong answer looks right.",
)
'''

CHAPTER = """\
```{{exercise}} {title}
:label: ex-{name}

The task, with its formula and one example in numbers.
```

```{{code-cell}} ipython3
from attnbook.exercises import check, hints

{stub}
check("{name}", {function})
```

```{{code-cell}} ipython3
:tags: [remove-input]

hints("{name}")
```
"""


def new(name: str, bank: Path = BANK) -> tuple[Path, str]:
    """Write the file of a new exercise.

    Args:
        name: its name, lower-case words joined by hyphens, for instance ``soft-lookup``.
        bank: the folder to write into.

    Returns:
        The file, and what to do next in words.

    Raises:
        ValueError: if `name` is not such a name.
        FileExistsError: if there is such a file already.
    """
    if not re.fullmatch(r"[a-z][a-z0-9]*(-[a-z0-9]+)*", name):
        raise ValueError(f"an exercise's name is lower-case words joined by hyphens, such as soft-lookup; got {name!r}")
    function = name.replace("-", "_")
    file = bank / f"{function}.py"
    with open(file, "x", encoding="utf-8") as module:
        module.write(MODULE.format(name=name, function=function))
    stub = MODULE[MODULE.index("def my_") : MODULE.index("    return")] + "    ...\n"
    block = CHAPTER.format(
        name=name,
        title="A title for people",
        stub=stub.format(function=function),
        function=f"my_{function}",
    )
    return file, (
        f"Written: {file}. It runs as it is; replace what is in it.\n\n"
        f"One line for MODULES in {bank / '__init__.py'}, where the exercise belongs in the book:\n\n"
        f'    "{function}",\n\n'
        f"One block for the chapter:\n\n{block}\n"
        f"Answers to test it with: tests/exercises/answers/{name}.py (see verdicts.py beside that folder)."
    )


def main(arguments: list[str] | None = None) -> None:
    """Run the command line.

    Args:
        arguments: its words; those of the command line if None.
    """
    parser = argparse.ArgumentParser("python -m attnbook.exercises", description=__doc__)
    commands = parser.add_subparsers(required=True)
    begin = commands.add_parser("new", help="begin an exercise")
    begin.add_argument("name", help="lower-case words joined by hyphens: soft-lookup")
    wish = parser.parse_args(arguments)
    try:
        print(new(wish.name)[1])
    except (ValueError, FileExistsError) as error:
        parser.error(str(error))


if __name__ == "__main__":
    main()
