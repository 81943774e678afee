"""What students hand in, for tests: answers to one exercise in pieces, and notebooks of cells."""

import json
import re
from pathlib import Path

from attnbook.exercises import get

EXERCISE = get("causal-mask")
SOURCE = EXERCISE.source()
RIGHT = f"import torch\n{SOURCE}"
WRONG = RIGHT.replace(*EXERCISE.mistakes[0].edits[0])
HEAD = "def my_causal_mask(num_queries, num_keys):\n"
PIECES = {
    "RIGHT": RIGHT,
    "WRONG": WRONG,
    "SOURCE": SOURCE,
    "MINE": f"import torch\n{SOURCE.replace('my_causal_mask', 'mine')}",
    "STUB": f"{HEAD}    ...",
    # an answer that needs a helper, and the helper
    "NEEDY": f"import torch\n{HEAD}    return before(num_keys) <= before(num_keys)[num_keys - num_queries:, None]",
    "HELPER": "def before(n):\n    return torch.arange(n) + SHIFT",
    "CHECK": 'from attnbook.exercises import check\ncheck("causal-mask", my_causal_mask)',
}


def written(text):
    """A text in which names of pieces stand for them, indented as they are."""

    def piece(found):
        return re.sub("^(?=.)", found[1], PIECES[found[2]].strip(), flags=re.MULTILINE)

    return re.sub(r"^( *)\{([A-Z]+)\}$", piece, text, flags=re.MULTILINE)


TEXT = Path(__file__).with_name("notebooks.txt").read_text("utf-8")
NOTEBOOKS = {
    name: written(cells.strip("\n")).split("\n---\n")
    for name, _, cells in (one.partition("\n") for one in TEXT.split("=== ")[1:])
}


def book(*cells, **about):
    """A notebook; a cell is its code, or its code and what its output shows."""
    made = []
    for cell in cells:
        code, shown = (cell, "") if isinstance(cell, str) else cell
        output = {"output_type": "execute_result", "data": {"text/plain": [shown]}}
        outputs = [output] if shown else []
        source = code.splitlines(True)
        made.append({"cell_type": "code", "source": source, "outputs": outputs})
    return json.dumps({"cells": made, "nbformat": 4, "metadata": about})
