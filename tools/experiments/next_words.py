"""The small model of chapter 10's attention viewer: what does each head of several models look at?

Question: does a trained model have heads that find the subject and the noun, and are they needed?
Varies: the seed; which head is taken out.
Equal: sentences, sizes, steps.
Control: the model with all heads; each head taken out.
Seeds: 4. The numbers of all are kept; the weights are those of the first model with a head that puts 0.95 of its weight
    on the subject and one that puts 0.95 on the noun (without such a model, of the one that comes closest).
Turned round by: models that answer alike without the head that looks where the answer is.

Some ten minutes on one core. The weights go to code/attnbook/weights/next_words.safetensors, in half precision.
"""

import torch

from attnbook.files import write_atomically
from attnbook.studies import (
    CLASSES,
    JOBS,
    MAX_WORDS,
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

RESULT = "code/attnbook/studies/next_words.json"
# test sentences of each kind
OPTIONS = {"seeds": 4, "steps": 2500, "count": 600, "weights": None}
EXAMPLES = [  # all held out
    ("agreement", "the dogs that the king likes sleep .", 2, 7),
    ("agreement", "the dog that the kings like sleeps .", 2, 7),
    ("agreement", "the girls that the boy near the birds likes run .", 2, 10),
    ("agreement", "today the king that likes the cats laughs .", 3, 8),
    ("agreement", "the birds behind the girl see the boys .", 2, 6),
    ("noun", "the tall king likes the old dogs and the old dogs sleep .", 7, 11),
    ("noun", "the tall king likes the old dogs and the tall king sleeps .", 3, 11),
    ("noun", "now the shy girls near the big cat and the big cat laughs .", 8, 12),
    ("noun", "today the loud boy chases the young birds and the loud boy runs .", 4, 12),
]
CLEAR = 0.95


def heads_of(model: NextWordModel, count: int) -> dict:
    """What is stored of one model: how often it is right, as it is and without each head, and what the heads do."""
    both = {"agreement": agreement_sentence, "noun": noun_sentence}
    tests = {kind: sentences(count, 10**6 + i, True, draw) for i, (kind, draw) in enumerate(both.items())}
    tests["agreement"] = [sentence for sentence in tests["agreement"] if sentence.far]

    def rights(model):
        return {kind: round(answer_accuracy(model, of_kind), 3) for kind, of_kind in tests.items()}

    numbers = measure_heads(model, [sentence for of_kind in tests.values() for sentence in of_kind])
    heads = [
        [
            {job: round(a, 4) for job, a in zip(JOBS, row.tolist(), strict=True)}
            | {"without": rights(without_head(model, layer, head))}
            for head, row in enumerate(of_layer, 1)
        ]
        for layer, of_layer in enumerate(numbers, 1)
    ]
    return {"count": {kind: len(of_kind) for kind, of_kind in tests.items()}, "full": rights(model), "heads": heads}


def clarity(measured: dict) -> float:
    """How clearly the subject and the noun are looked at: the lesser of the greatest weights, all above 0.95 alike."""
    heads = [head for layer in measured["heads"] for head in layer]
    return min(CLEAR, *(max(head[job] for head in heads) for job in ("subject", "noun")))


def settings(options) -> list[dict]:
    """One model per seed."""
    how = {"steps": options.steps, "count": options.count}
    return [{"seed": seed} | how for seed in range(options.seeds)]


def run(seed: int, steps: int, count: int) -> dict:
    """Train one model, and measure it as it is stored."""
    model, losses = fit_sentences(seed, steps)
    stored = to_half(model.state_dict())
    model.load_state_dict(to_float(stored))
    measured = heads_of(model, count)
    heads = [head for layer in measured["heads"] for head in layer]
    return {
        "seed": seed,
        "loss": round(sum(losses[-20:]) / len(losses[-20:]), 4),
        "full": measured["full"],
        "greatest": {job: max(head[job] for head in heads) for job in JOBS},
        "config": model.sizes,
        "measured": measured,
        "weights": {name: weight.tolist() for name, weight in stored.items()},
    }


def summary(results: list[dict], options) -> dict:
    """The numbers of all models, and the clearest of them, whose weights are stored."""
    best = max(results, key=lambda result: clarity(result["measured"]))
    about = made_by("next_words", options) | {"seed": best["seed"], "config": best["config"], "vocabulary": VOCABULARY}
    weights = {name: torch.tensor(numbers) for name, numbers in best["weights"].items()}
    write_atomically(options.weights or STORED_MODEL, weights_file(to_half(weights), about))
    kept = ("seed", "loss", "full", "greatest")
    return {
        "max_words": MAX_WORDS,
        "classes": list(CLASSES.items()),
        "examples": [
            {"kind": kind, "words": text.split(), "source": source, "answer": answer}
            for kind, text, source, answer in EXAMPLES
        ],
        "runs": [{key: result[key] for key in kept} for result in results],
        "seed": best["seed"],
        "measured": best["measured"],
    }
