"""Train a GlobalPointer with and one without rotary positions, and store their tables for the figure `span_table`.

    python -m tools.experiments.span_tables

writes code/attnbook/widgets/span_table/data.json; about half a minute on one core.
"""

import argparse

import torch

from attnbook.files import write_atomically
from attnbook.studies import (
    TYPES,
    NestedSentence,
    SpanReader,
    fit_pairs,
    nested_ids,
    nested_sentences,
    span_f1,
)
from tools import ROOT
from tools.experiments.spans import sentences
from tools.experiments.stored import made_by, row_by_row

RESULT = ROOT / "code" / "attnbook" / "widgets" / "span_table" / "data.json"
LONGEST = 14
TEXT = "the founder of the museum of paris lives in georgia ."  # the chapter's example
FOUNDER = NestedSentence(
    tuple(TEXT.split()),
    frozenset({(0, 0, 6), (1, 3, 6), (2, 6, 6), (2, 9, 9)}),
    frozenset({(0, (0, 6), (3, 6)), (1, (0, 6), (9, 9))}),
)


def examples(drawn: dict) -> list[NestedSentence]:
    """The chapter's sentence, three that are as deep as those of training, two that are deeper."""
    test = [one for one in drawn["test"] if 11 <= len(one.words) <= LONGEST]
    test.sort(key=lambda one: -len(one.spans))
    # short ones of four levels are rare among those of the experiment
    deep = nested_sentences(2000, seed=97, depth=4, exactly=True)
    deep = [one for one in deep if len(one.words) <= LONGEST]
    return [FOUNDER, *test[:3], *deep[:2]]


def main() -> None:
    """Train both readers and write the file."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=300)
    parser.add_argument("--sentences", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    torch.set_num_threads(1)
    drawn = sentences(options.sentences)
    train = [one for one in drawn["train"] if one.words != FOUNDER.words]
    shown = examples(drawn)
    rows = [
        {"words": list(one.words), "gold": sorted(map(list, one.spans))}
        for one in shown
    ]
    f1 = {}
    for name, rotary in (("rotary", True), ("plain", False)):
        torch.manual_seed(options.seed)
        model = SpanReader(rotary=rotary)
        fit_pairs(model, train, options.steps, options.seed)
        f1[name] = round(span_f1(model, drawn["test"]), 3)
        for row, one in zip(rows, shown, strict=True):
            with torch.no_grad():
                table = model(*nested_ids([one]))[0]  # (C, T, T)
            row[name] = [
                [[round(s, 1) for s in line[i:]] for i, line in enumerate(layer)]
                for layer in table.tolist()
            ]
    result = {
        **made_by(__spec__.name, options),
        "types": list(TYPES),
        "f1": f1,
        "sentences": rows,
    }
    RESULT.parent.mkdir(exist_ok=True)
    write_atomically(RESULT, row_by_row(result, "sentences"))
    print(f1, RESULT.stat().st_size)


if __name__ == "__main__":
    main()
