"""Speculative decoding with drafts of different cost and quality: the runs behind chapter 14's table.

    python -m tools.experiments.drafts --sentences 100 --repeats 5

The page's Transformer writes translations of development sentences, alone and with a draft that looks 1, 2, 4 and 8
words ahead: the page's Bahdanau model, which costs about as much, or a table of word pairs, which costs nearly nothing.
Milliseconds are processor time on one core, the median of the repeats, which take turns. Writes
chapters/results/drafts.json; about a minute.
"""

import argparse
import json
import time
from statistics import median

from attnbook.files import write_atomically
from tools import ROOT
from tools.experiments.stored import made_by
from tools.surroundings import clean_environment

RESULT = ROOT / "chapters" / "results" / "drafts.json"
LOOKAHEADS = (1, 2, 4, 8)


def main() -> None:
    """Run all, and store it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sentences", type=int, default=100)
    parser.add_argument("--repeats", type=int, default=5)
    options = parser.parse_args()
    import torch

    from attnbook.data import bundled_pairs, references, split_pairs
    from attnbook.text import EOS
    from attnbook.translation import BigramDraft, load_page_model, sample, speculative

    torch.set_num_threads(1)
    split = split_pairs(bundled_pairs(), seed=0)
    translator = load_page_model("transformer")
    model, vocab = translator.model, translator.target_vocab
    table = BigramDraft(
        ([*vocab.encode(pair.target), EOS] for pair in split.train), model.config
    ).eval()
    drafts = {"bahdanau": load_page_model("bahdanau").model, "bigrams": table}
    sentences = [
        translator.encode([source])
        for source in list(references(split.dev))[: options.sentences]
    ]

    def run(draft: str | None, lookahead: int) -> dict:
        dice = torch.Generator().manual_seed(0)
        words = passes = proposed = accepted = 0
        began = time.process_time()
        for ids, lens in sentences:
            if draft is None:
                written = len(sample(model, ids, lens, generator=dice)[0].ids)
                words, passes = words + written, passes + written
                continue
            found = speculative(model, drafts[draft], ids, lens, dice, lookahead)
            words, passes = words + len(found.ids), passes + found.target_calls
            proposed, accepted = proposed + found.proposed, accepted + found.accepted
        spent = 1000 * (time.process_time() - began) / words
        return {"words": words, "passes": passes, "proposed": proposed, "accepted": accepted, "ms": spent}  # fmt: skip

    kinds = [(None, 0), *((draft, k) for draft in drafts for k in LOOKAHEADS)]
    runs = [[run(*kind) for kind in kinds] for _ in range(options.repeats)]
    rows = [
        {
            "draft": draft,
            "lookahead": lookahead,
            **same[0],
            "ms": round(median(one["ms"] for one in same), 3),
        }
        for (draft, lookahead), same in zip(kinds, zip(*runs, strict=True), strict=True)
    ]
    result = {
        **made_by(__spec__.name, options),
        "measured": "words written, passes of the Transformer, words proposed and accepted, and milliseconds of "
        "processor time per word",
        "rows": rows,
    }
    write_atomically(RESULT, json.dumps(result, indent=1) + "\n")
    for row in rows:
        print(row)


if __name__ == "__main__":
    with clean_environment():
        main()
