"""What the results of all experiments have in common: how they were made, and how they are written."""

import functools
import json
import platform
import shlex
from importlib.metadata import version
from types import SimpleNamespace

# what the docstring of an experiment says, each at the beginning of a line; or "No design:" and why there is none
DESIGN = ("Question", "Varies", "Equal", "Control", "Seeds", "Turned round by")


def made_by(name: str, options: SimpleNamespace) -> dict:
    """The beginning of every result: the command that repeats it, defaults written out, and the versions.

    Args:
        name: the experiment's.
        options: its options; None and False are not typed. Where the result goes does not change it and is none.
    """
    words = ["python", "-m", "tools.experiments", name]
    for option, value in vars(options).items():
        if value is None or value is False:
            continue
        words.append(f"--{option.replace('_', '-')}")
        if value is not True:
            words += map(str, value if isinstance(value, list) else [value])
    versions = {"python": platform.python_version(), "torch": version("torch")}
    return {"command": shlex.join(words), "versions": versions}


def row_by_row(result: dict) -> str:
    """A result as JSON, each of its entries on a line, and of lists of rows each row, so that changes can be read."""
    lines = []
    for key, value in result.items():
        if isinstance(value, list) and value and isinstance(value[0], dict):
            dense = {"ensure_ascii": False, "separators": (",", ":")}
            rows = ",\n".join(json.dumps(row, **dense) for row in value)
            lines.append(f"{json.dumps(key)}: [\n{rows}\n]")
        else:
            lines.append(f"{json.dumps(key)}: {json.dumps(value, ensure_ascii=False)}")
    return "{\n" + ",\n".join(lines) + "}\n"


def share(which) -> float | None:
    """How many numbers of a tensor are True, to four digits; None of none."""
    return round(which.float().mean().item(), 4) if len(which) else None


@functools.cache
def page_model(name: str, target: str = "fr") -> tuple:
    """A page model, and the sentences that it was not trained on.

    Args:
        name, target: the model's, as `load_page_model` takes them.

    Returns:
        The translator; normalised source → translations; normalised source → source as it is written; and what a
        result says of the model.
    """
    from attnbook.data import bundled_pairs, references, split_pairs
    from attnbook.text import normalise
    from attnbook.translation import load_page_model, page_model_header
    from attnbook.weights import PAGE_TARGETS

    header = page_model_header(name, target)
    test = split_pairs(bundled_pairs(PAGE_TARGETS[target].lower()), seed=header["split_seed"]).test
    written = {normalise(pair.source): pair.source for pair in test}
    about = {"model": name, "target": target, **{k: header[k] for k in ("test", "seed", "split_seed")}}
    return load_page_model(name, target), references(test), written, about
