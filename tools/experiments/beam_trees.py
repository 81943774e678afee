"""What the figure “beam tree” of chapter 14 searches in: a page model's next-word log-probabilities.

    python tools/experiments/beam_trees.py             write code/attnbook/widgets/beam_tree.json
    python tools/experiments/beam_trees.py --survey    list held-out sentences whose beams differ, and write nothing

For every sentence the file has each prefix that a search of width 1 to 5 asks the model about, and the likeliest words
after it. A search of width w takes at most w words from one prefix, so that these are all it needs, and the browser can
search by itself. The same bytes for the same versions and the same model.
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

RESULT = ROOT / "code" / "attnbook" / "widgets" / "beam_tree.json"
MODEL = "transformer"
WIDTHS = range(1, 6)
LONGEST = 12  # tokens of a hypothesis, <eos> included
SHOWN = 8  # words after each prefix; <eos> is there besides
UNIT = 1e-5  # of the stored log-probabilities
SENTENCES = [
    "I don't see anything on the screen.",
    "They have a small house near the sea.",
    "She has a sister who is a doctor.",
    "The language that we are learning is difficult.",
    "I'd like a glass of wine, please.",
    "It's the most beautiful city in the world.",
]


class Asked:
    """A model's answers, each prefix asked once."""

    def __init__(self, translator, sentence: str):
        self.model = translator.model
        ids, lens = translator.encode([sentence])
        # where the model stands after a prefix; for the empty one, at first, before it has read <bos>
        self.states = {(): self.model.start(ids, lens)}
        self.answers: dict[tuple[int, ...], list[float]] = {}

    def __call__(self, prefix: tuple[int, ...]) -> list[float]:
        """Log-probabilities of all next words after a prefix whose beginning has been asked before."""
        import torch

        from attnbook.decoding import next_word_log_probs
        from attnbook.text import BOS

        if prefix not in self.answers:
            state = self.states[prefix[:-1]].copy()
            word = torch.tensor([prefix[-1] if prefix else BOS])
            with torch.no_grad():
                logits, _, state = self.model.step(word, state)
            self.states[prefix] = state
            self.answers[prefix] = next_word_log_probs(logits)[0].tolist()
        return self.answers[prefix]


def search(ask: Asked, width: int) -> None:
    """Ask about every prefix that `attnbook.decoding.beam_search` of this width extends."""
    from attnbook.text import EOS

    beams, room = [((), 0.0)], width
    for _ in range(LONGEST):
        grown = [
            (total + log_prob, (*prefix, word))
            for prefix, total in beams
            for word, log_prob in enumerate(ask(prefix))
        ]
        kept = sorted(grown, key=lambda one: -one[0])[:room]
        beams = [(prefix, total) for total, prefix in kept if prefix[-1] != EOS]
        room -= len(kept) - len(beams)
        if not beams:
            break


def tree(translator, sentence: str) -> list[list[list[int]]]:
    """Every prefix's likeliest next words: [word's id, −log p in units, place of the longer prefix if there is one]."""
    from attnbook.text import EOS

    ask = Asked(translator, sentence)
    for width in WIDTHS:
        search(ask, width)
    places = {prefix: place for place, prefix in enumerate(ask.answers)}
    nodes = []
    for prefix, log_probs in ask.answers.items():
        order = sorted(range(len(log_probs)), key=lambda word: -log_probs[word])
        words = order[:SHOWN] + [EOS] * (EOS not in order[:SHOWN])
        longer = (
            [places[(*prefix, word)]] if (*prefix, word) in places else []
            for word in words
        )
        nodes.append(
            [
                [word, round(-log_probs[word] / UNIT), *place]
                for word, place in zip(words, longer, strict=True)
            ]
        )
    return nodes


def survey(translator, wanted: dict[str, list[str]]) -> None:
    """Print the held-out sentences for which a beam finds something else than greedy decoding."""
    from attnbook.decoding import beam_search

    for source in wanted:
        ids, lens = translator.encode([source])
        found = {}
        for width in (1, 2, 3, 5):
            for alpha in (0.0, 1.0, 2.0):
                best = beam_search(
                    translator.model, ids, lens, width, alpha, LONGEST
                )[0]
                text = translator.target_vocab.decode(best.ids)
                found.setdefault((text, round(best.log_prob, 2)), []).append(
                    (width, alpha)
                )
        if len(found) > 1:
            print(f"{source}  {wanted[source]}")
            for (text, log_prob), where in found.items():
                print(f"    {log_prob}  {text}  {where}")


def main() -> None:
    """Ask the model about every sentence and store its answers."""
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
    held_out = references(
        split_pairs(bundled_pairs(), seed=header["split_seed"]).test
    )
    if options.survey:
        survey(translator, held_out)
        return
    rows = []
    for sentence in SENTENCES:
        if normalise(sentence) not in held_out:
            raise ValueError(f"{sentence!r} is not held out; take another one")
        rows.append(
            {
                "text": sentence,
                "references": held_out[normalise(sentence)],
                "nodes": tree(translator, sentence),
            }
        )
    used = sorted(
        {entry[0] for row in rows for node in row["nodes"] for entry in node}
    )
    number = {word: place for place, word in enumerate(used)}
    for row in rows:
        row["nodes"] = [
            [[number[word], *rest] for word, *rest in node] for node in row["nodes"]
        ]
    head = {
        "command": "python tools/experiments/beam_trees.py",
        "versions": {"python": platform.python_version(), "torch": torch.__version__},
        "model": options.model,
        "test": header["test"],
        "seed": header["seed"],
        "split_seed": header["split_seed"],
        "longest": LONGEST,
        "unit": UNIT,
        "words": translator.target_vocab.tokens(used),
    }
    lines = [f"{json.dumps(k)}: {json.dumps(v, ensure_ascii=False)}" for k, v in head.items()]
    stored = [
        json.dumps(row, ensure_ascii=False, separators=(",", ":")) for row in rows
    ]
    text = (
        "{\n" + ",\n".join(lines) + ',\n"sentences": [\n' + ",\n".join(stored) + "\n]}\n"
    )
    write_atomically(RESULT, text.encode())
    print(f"{RESULT.name}: {len(text.encode()) / 1000:.0f} KB, {[len(r['nodes']) for r in rows]} prefixes")


if __name__ == "__main__":
    with clean_environment():
        main()
