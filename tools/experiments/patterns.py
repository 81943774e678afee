"""Train the small model of chapter 10's attention viewer with several seeds, measure every head, store one of them.

    python -m tools.experiments.patterns     (some ten minutes, one core)

writes the model to code/attnbook/weights/next_words.safetensors, in half precision, and what was measured to
code/attnbook/studies/next_words.json.

Stored is the first model with a head that puts 0.95 of its weight on the subject and one that puts 0.95 on the noun
(without such a model, the one that comes closest). The numbers of all seeds are kept.
"""

import argparse
import json
from pathlib import Path

import torch

from attnbook.files import write_atomically
from attnbook.studies import (
    CLASSES,
    JOBS,
    MAX_WORDS,
    STORED,
    VOCABULARY,
    NextWordModel,
    agreement_sentence,
    answer_accuracy,
    fit_sentences,
    measure_heads,
    noun_sentence,
    sentences,
    without_head,
)
from attnbook.studies.next_words import STORED_MODEL
from attnbook.weights import to_float, to_half, weights_file
from tools.experiments.stored import made_by

EXAMPLES = [  # all held out
    ("agreement", "the dogs that the king likes sleep .", 2, 7),
    ("agreement", "the dog that the kings like sleeps .", 2, 7),
    ("agreement", "the girls that the boy near the birds likes run .", 2, 10),
    ("agreement", "today the king that likes the cats laughs .", 3, 8),
    ("agreement", "the birds behind the girl see the boys .", 2, 6),
    ("noun", "the tall king likes the old dogs and the old dogs sleep .", 7, 11),
    ("noun", "the tall king likes the old dogs and the tall king sleeps .", 3, 11),
    ("noun", "now the shy girls near the big cat and the big cat laughs .", 8, 12),
    (
        "noun",
        "today the loud boy chases the young birds and the loud boy runs .",
        4,
        12,
    ),
]
CLEAR = 0.95


def summary(model: NextWordModel, count: int) -> dict:
    """What is stored of one model: how often it is right, as it is and without each head, and what the heads do."""
    both = {"agreement": agreement_sentence, "noun": noun_sentence}
    tests = {
        kind: sentences(count, 10**6 + i, True, draw)
        for i, (kind, draw) in enumerate(both.items())
    }
    tests["agreement"] = [sentence for sentence in tests["agreement"] if sentence.far]

    def rights(model):
        return {
            kind: round(answer_accuracy(model, some), 3) for kind, some in tests.items()
        }

    numbers = measure_heads(model, [s for some in tests.values() for s in some])
    heads = [
        [
            {job: round(a, 4) for job, a in zip(JOBS, row.tolist(), strict=True)}
            | {"without": rights(without_head(model, layer, head))}
            for head, row in enumerate(of_layer, 1)
        ]
        for layer, of_layer in enumerate(numbers, 1)
    ]
    return {
        "count": {kind: len(some) for kind, some in tests.items()},
        "full": rights(model),
        "heads": heads,
    }


def clarity(found: dict) -> float:
    """How clearly the subject and the noun are looked at: the lesser of the greatest weights, all above 0.95 alike."""
    heads = [head for layer in found["heads"] for head in layer]
    return min(
        CLEAR, *(max(head[job] for head in heads) for job in ("subject", "noun"))
    )


def main() -> None:
    """Train, measure, and store; the file is written anew after every seed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=STORED)
    parser.add_argument("--weights", type=Path, default=STORED_MODEL)
    parser.add_argument("--seeds", type=int, default=4)
    parser.add_argument("--steps", type=int, default=2500)
    parser.add_argument(
        "--count", type=int, default=600, help="test sentences of each kind"
    )
    options = parser.parse_args()
    torch.set_num_threads(1)
    result = {
        **made_by(__spec__.name, options),
        "max_words": MAX_WORDS,
        "classes": list(CLASSES.items()),
        "examples": [
            {"kind": kind, "words": text.split(), "source": source, "answer": answer}
            for kind, text, source, answer in EXAMPLES
        ],
        "runs": [],
    }
    best = None
    for seed in range(options.seeds):
        model, losses = fit_sentences(seed, options.steps)
        stored = to_half(model.state_dict())
        model.load_state_dict(to_float(stored))  # measured as it is stored
        found = summary(model, options.count)
        heads = [head for layer in found["heads"] for head in layer]
        greatest = {job: max(head[job] for head in heads) for job in JOBS}
        loss = round(sum(losses[-20:]) / len(losses[-20:]), 4)
        result["runs"].append(
            {"seed": seed, "loss": loss, "full": found["full"], "greatest": greatest}
        )
        print(result["runs"][-1], flush=True)
        if best is None or clarity(found) > best:
            best = clarity(found)
            result |= {"seed": seed, "measured": found}
            about = {key: result[key] for key in ("command", "versions", "seed")}
            about |= {"config": model.sizes, "vocabulary": VOCABULARY}
            write_atomically(options.weights, weights_file(stored, about))
        text = json.dumps(result, ensure_ascii=False, separators=(",", ":"))
        write_atomically(options.out, text + "\n")


if __name__ == "__main__":
    main()
