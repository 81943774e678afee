"""What the figure “sampling explorer” of chapter 14 draws from: a page model's next-word distributions, complete.

    python tools/experiments/next_words.py             write code/attnbook/widgets/sampling_explorer.json
    python tools/experiments/next_words.py --survey    list beginnings of held-out translations by their entropy

For every example the file has the log-probabilities of all words, the likeliest first, and the names of the first ones.
The same bytes for the same versions and the same model.
"""

import argparse
import json
import platform
import sys
from pathlib import Path

sys.path.insert(
    0, str(Path(__file__).resolve().parents[1])
)  # tools/, where chapter.py is

from chapter import ROOT, clean_environment, write_atomically  # noqa: E402

RESULT = ROOT / "code" / "attnbook" / "widgets" / "sampling_explorer.json"
MODEL = "transformer"
NAMED = 60  # words of each distribution whose names are stored
UNIT = 1e-3  # of the stored log-probabilities
EXAMPLES = [  # a held-out sentence, and how its translation begins
    ("They have a small house near the sea.", "ils ont une petite"),
    ("They have a small house near the sea.", ""),
    ("She has a sister who is a doctor.", "elle a une"),
    ("I don't see anything on the screen.", "je ne vois rien sur"),
    ("The man who works here is my brother.", "l'homme qui"),
    ("I'd like a glass of wine, please.", "je"),
]


def distribution(translator, sentence: str, prefix: str):
    """Log-probabilities (V,) of the word after a beginning, and the beginning in numbers."""
    import torch

    from attnbook.decoding import next_word_log_probs
    from attnbook.text import BOS, UNK

    ids, lens = translator.encode([sentence])
    words = translator.target_vocab.encode(prefix)
    if UNK in words:
        raise ValueError(f"the model does not know every word of {prefix!r}")
    with torch.no_grad():
        logits = translator.model(ids, torch.tensor([[BOS, *words]]), lens)
    return next_word_log_probs(logits[0, -1]), words


def survey(translator, wanted: dict[str, list[str]]) -> None:
    """Print the entropy after every beginning of the first reference of some held-out sentences."""
    from attnbook.text import UNK, tokenise

    for source in list(wanted)[::12]:
        words = tokenise(wanted[source][0])
        if UNK in translator.target_vocab.encode(wanted[source][0]):
            continue
        for n in range(len(words)):
            prefix = " ".join(words[:n])
            log_probs, _ = distribution(translator, source, prefix)
            probs = log_probs.exp()
            entropy = -(probs * log_probs.nan_to_num(neginf=0.0)).sum()
            first = translator.target_vocab.tokens(log_probs.topk(5).indices.tolist())
            print(f"{entropy:.2f}  {source} | {prefix} | {' '.join(first)}")


def main() -> None:
    """Ask the model about every example and store its answers."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", default=MODEL)
    parser.add_argument("--survey", action="store_true")
    options = parser.parse_args()
    import torch

    from attnbook.data.splits import references, split_pairs
    from attnbook.data.translation import bundled_pairs
    from attnbook.page_models import load_page_model, page_model_header
    from attnbook.text import normalise

    torch.set_num_threads(1)
    translator = load_page_model(options.model)
    header = page_model_header(options.model)
    held_out = references(split_pairs(bundled_pairs(), seed=header["split_seed"]).test)
    if options.survey:
        survey(translator, held_out)
        return
    rows = []
    for sentence, prefix in EXAMPLES:
        if normalise(sentence) not in held_out:
            raise ValueError(f"{sentence!r} is not held out; take another one")
        log_probs, words = distribution(translator, sentence, prefix)
        ranked, order = log_probs[log_probs.isfinite()].sort(descending=True)
        ids = log_probs.isfinite().nonzero()[:, 0][order].tolist()
        costs = [round(-log_prob / UNIT) for log_prob in ranked.tolist()]
        rows.append(
            {
                "sentence": sentence,
                "prefix": translator.target_vocab.tokens(words),
                "reference": held_out[normalise(sentence)][0],
                "names": translator.target_vocab.tokens(ids[:NAMED]),
                # the first −log p, then by how much each word's is above the one before
                "costs": [
                    cost - before
                    for cost, before in zip(costs, [0, *costs], strict=False)
                ],
            }
        )
    head = {
        "command": "python tools/experiments/next_words.py",
        "versions": {"python": platform.python_version(), "torch": torch.__version__},
        "model": options.model,
        "test": header["test"],
        "seed": header["seed"],
        "split_seed": header["split_seed"],
        "unit": UNIT,
    }
    lines = [
        f"{json.dumps(k)}: {json.dumps(v, ensure_ascii=False)}" for k, v in head.items()
    ]
    stored = [
        json.dumps(row, ensure_ascii=False, separators=(",", ":")) for row in rows
    ]
    text = (
        "{\n" + ",\n".join(lines) + ',\n"examples": [\n' + ",\n".join(stored) + "\n]}\n"
    )
    write_atomically(RESULT, text.encode())
    print(f"{RESULT.name}: {len(text.encode()) / 1000:.0f} KB")


if __name__ == "__main__":
    with clean_environment():
        main()
