"""Tables of a GlobalPointer with and one without rotary positions, for the figure "span table" of chapter 17.

No design: the comparison is that of `spans`, with several seeds; here are the tables of one model of each kind.

About half a minute on one core.
"""

import torch

from attnbook.studies import TYPES, NestedSentence, SpanReader, fit_pairs, nested_ids, nested_sentences, span_f1
from tools.experiments.spans import draw

RESULT = "code/attnbook/widgets/span_table/data.json"
OPTIONS = {"steps": 300, "sentences": 1000, "seed": 0}
LONGEST = 14
FOUNDER_TEXT = "the founder of the museum of paris lives in georgia ."  # the chapter's example
FOUNDER = NestedSentence(
    tuple(FOUNDER_TEXT.split()),
    frozenset({(0, 0, 6), (1, 3, 6), (2, 6, 6), (2, 9, 9)}),
    frozenset({(0, (0, 6), (3, 6)), (1, (0, 6), (9, 9))}),
)


def examples(drawn: dict) -> list[NestedSentence]:
    """The chapter's sentence, three that are as deep as those of training, two that are deeper."""
    test = [sentence for sentence in drawn["test"] if 11 <= len(sentence.words) <= LONGEST]
    test.sort(key=lambda sentence: -len(sentence.spans))
    # short ones of four levels are rare among those of the experiment
    deep = nested_sentences(2000, seed=97, depth=4, exactly=True)
    deep = [sentence for sentence in deep if len(sentence.words) <= LONGEST]
    return [FOUNDER, *test[:3], *deep[:2]]


def variants(options) -> list[dict]:
    """Both readers."""
    return [{"name": name} for name in ("rotary", "plain")]


def run(seed: int, name: str, sentences: int, steps: int) -> dict:
    """Train one reader: its F1, and its tables, the upper halves row by row."""
    drawn = draw(sentences)
    train = [sentence for sentence in drawn["train"] if sentence.words != FOUNDER.words]
    torch.manual_seed(seed)
    model = SpanReader(rotary=name == "rotary")
    fit_pairs(model, train, steps, seed)
    with torch.no_grad():
        tables = [model(*nested_ids([sentence]))[0].tolist() for sentence in examples(drawn)]
    halves = [
        [[[round(s, 1) for s in line[i:]] for i, line in enumerate(layer)] for layer in table]
        for table in tables  # (C, T, T) each
    ]
    return {"name": name, "f1": round(span_f1(model, drawn["test"]), 3), "tables": halves}


def summary(results: list[dict], options) -> dict:
    """The sentences, each with the tables of both readers."""
    rows = [
        {"words": list(sentence.words), "gold": sorted(map(list, sentence.spans))}
        | {result["name"]: result["tables"][i] for result in results}
        for i, sentence in enumerate(examples(draw(options.sentences)))
    ]
    return {"types": list(TYPES), "f1": {result["name"]: result["f1"] for result in results}, "sentences": rows}
