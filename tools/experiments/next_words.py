"""What the figure “sampling explorer” of chapter 14 draws from: a page model's next-word distributions, complete.

    python -m tools.experiments.next_words

The examples are beginnings of held-out translations, chosen by how uncertain the model is there (`PLACES`). For every
example the file has the log-probabilities of all words, the likeliest first, and the names of the first ones. The same
bytes for the same versions and the same model.
"""

import argparse

from attnbook.files import write_atomically
from tools import ROOT
from tools.experiments.stored import made_by, page_model, row_by_row
from tools.surroundings import clean_environment

RESULT = ROOT / "code" / "attnbook" / "widgets" / "sampling_explorer" / "data.json"
MODEL = "transformer"
NAMED = 60  # words of each distribution whose names are stored
UNIT = 1e-3  # of the stored log-probabilities
# how uncertain the model is in the examples: their places among all that are looked at, by the entropy
PLACES = (0.8, 0.95, 1.0, 0.5, 0.25, 0.02)
EVERY = 5  # of the held-out sentences, one in so many is looked at


def distributions(translator, sentence: str, target: str):
    """Log-probabilities (T, V) of every word of a translation and of its end, and the words in numbers."""
    import torch

    from attnbook.text import BOS
    from attnbook.translation import next_word_log_probs

    ids, lens = translator.encode([sentence])
    words = translator.target_vocab.encode(target)
    with torch.no_grad():
        logits = translator.model(ids, torch.tensor([[BOS, *words]]), lens)
    return next_word_log_probs(logits[0]), words


def choose(translator, held_out: dict[str, list[str]]) -> list[tuple]:
    """Beginnings of held-out translations from flat to peaked: (sentence, words, log-probabilities (V,))."""
    from attnbook.text import UNK

    seen = []
    for sentence in sorted(held_out)[::EVERY]:
        log_probs, words = distributions(translator, sentence, held_out[sentence][0])
        if UNK in words or len(words) < 5:
            continue
        entropies = -(log_probs.exp() * log_probs.clamp(min=-100)).sum(-1)
        seen += [
            (float(entropies[n]), sentence, words[:n], log_probs[n])
            for n in range(1, len(words))
        ]
    seen.sort(key=lambda one: one[0])
    taken: list[tuple] = []
    for place in PLACES:
        at = round(place * (len(seen) - 1))
        while any(seen[at][1] == sentence for sentence, _, _ in taken):
            at -= 1  # a sentence is taken once
        entropy, *example = seen[at]
        print(f"{entropy:.2f} nats: {example[0]}", flush=True)
        taken.append(tuple(example))
    return taken


def main() -> None:
    """Ask the model about every example and store its answers."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", default=MODEL)
    options = parser.parse_args()
    translator, held_out, written, about = page_model(options.model)
    rows = []
    for sentence, words, log_probs in choose(translator, held_out):
        ranked, order = log_probs[log_probs.isfinite()].sort(descending=True)
        ids = log_probs.isfinite().nonzero()[:, 0][order].tolist()
        costs = [round(-log_prob / UNIT) for log_prob in ranked.tolist()]
        rows.append(
            {
                "sentence": written[sentence],
                "prefix": translator.target_vocab.tokens(words),
                "reference": held_out[sentence][0],
                "names": translator.target_vocab.tokens(ids[:NAMED]),
                # the first −log p, then by how much each word's is above the one before
                "costs": [
                    cost - before
                    for cost, before in zip(costs, [0, *costs], strict=False)
                ],
            }
        )
    result = {
        **made_by(__spec__.name, options),
        **about,
        "unit": UNIT,
        "examples": rows,
    }
    text = row_by_row(result, "examples")
    write_atomically(RESULT, text)
    print(f"{RESULT.name}: {len(text.encode()) / 1000:.0f} KB")


if __name__ == "__main__":
    with clean_environment():
        main()
