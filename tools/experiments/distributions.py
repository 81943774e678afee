"""Two page models' next-word distributions, complete, for the figure "sampling explorer" of chapter 14.

No design: nothing is compared. The examples are beginnings of held-out translations, chosen by how uncertain the model
is there (`PLACES`), and the figure says so.

For every example the file has the log-probabilities of all words, the likeliest first, and the names of the first ones.
The same bytes for the same versions and the same model.
"""

import torch

from attnbook.text import BOS, UNK
from attnbook.translation import next_word_log_probs
from attnbook.weights import PAGE_MODELS, PAGE_TARGETS
from tools.experiments.stored import page_model

RESULT = "code/attnbook/widgets/sampling_explorer/data.json"
OPTIONS = {"model": "transformer", "targets": ["fr", "zh"]}
CHOICES = {"model": PAGE_MODELS, "targets": PAGE_TARGETS}
NAMED = 60  # words of each distribution whose names are stored
UNIT = 1e-3  # of the stored log-probabilities
# how uncertain the model is in the examples: their places among all that are looked at, by the entropy
PLACES = (0.8, 0.95, 1.0, 0.5, 0.25, 0.02)
EVERY = 5  # of the held-out sentences, one in so many is looked at


def distributions(translator, sentence: str, target: str):
    """Log-probabilities (T, V) of every word of a translation and of its end, and the words in numbers."""
    ids, lens = translator.encode([sentence])
    words = translator.target_vocab.encode(target)
    with torch.no_grad():
        logits = translator.model(ids, torch.tensor([[BOS, *words]]), lens)
    return next_word_log_probs(logits[0], unknown=translator.model.writes_unknown), words


def choose(translator, held_out: dict[str, list[str]]) -> list[tuple]:
    """Beginnings of held-out translations from flat to peaked: (sentence, how many words of its translation)."""
    examples = []
    for sentence in sorted(held_out)[::EVERY]:
        log_probs, words = distributions(translator, sentence, held_out[sentence][0])
        if UNK in words or len(words) < 5:
            continue
        entropies = -(log_probs.exp() * log_probs.clamp(min=-100)).sum(-1)
        examples += [(float(entropies[n]), sentence, n) for n in range(1, len(words))]
    examples.sort(key=lambda example: example[0])
    taken: list[tuple] = []
    for place in PLACES:
        at = round(place * (len(examples) - 1))
        while any(examples[at][1] == sentence for sentence, _ in taken):
            at -= 1  # a sentence is taken once
        _, *example = examples[at]
        taken.append(tuple(example))
    return taken


def settings(options) -> list[dict]:
    """The chosen examples."""
    return [
        {"seed": 0, "model": options.model, "target": target, "sentence": sentence, "known": known}
        for target in options.targets
        for sentence, known in choose(*page_model(options.model, target)[:2])
    ]


def run(seed: int, model: str, target: str, sentence: str, known: int) -> dict:
    """Ask the model what follows the first `known` words of a translation."""
    translator, held_out, written, _ = page_model(model, target)
    every, words = distributions(translator, sentence, held_out[sentence][0])
    log_probs = every[known]
    ranked, order = log_probs[log_probs.isfinite()].sort(descending=True)
    ids = log_probs.isfinite().nonzero()[:, 0][order].tolist()
    costs = [round(-log_prob / UNIT) for log_prob in ranked.tolist()]
    steps = zip(costs, [0, *costs], strict=False)
    return {
        "target": target,
        "sentence": written[sentence],
        "prefix": translator.target_vocab.tokens(words[:known]),
        "reference": held_out[sentence][0],
        "names": translator.target_vocab.tokens(ids[:NAMED]),
        # the first −log p, then by how much each word's is above the one before
        "costs": [cost - before for cost, before in steps],
    }


def summary(results: list[dict], options) -> dict:
    """All examples."""
    models = [page_model(options.model, target)[3] for target in options.targets]
    return {"unit": UNIT, "models": models, "examples": results}
