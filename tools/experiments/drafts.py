"""Speculative decoding: does a draft pay, and which?

Question: when does a draft model make the page's Transformer write faster, and how far should it look ahead?
Varies: the draft (the page's Bahdanau model, which costs about as much, or a table of word pairs, which costs nearly
    nothing); how many words it looks ahead.
Equal: the development sentences, the dice, one core. The repeats take turns.
Control: the Transformer alone.
Seeds: one of the dice; what varies from repeat to repeat is the time, of which the median is stored.
Turned round by: a draft that is good and slow and still pays.

Milliseconds are processor time. About a minute on one core.
"""

import functools
import time
from collections.abc import Iterator
from statistics import median

import torch

from attnbook.data import bundled_pairs, references, split_pairs
from attnbook.text import EOS
from attnbook.translation import BigramDraft, load_page_model, sample, speculative

OPTIONS = {"sentences": 100, "repeats": 5}
KINDS = [("", 0), *((name, k) for name in ("bahdanau", "bigrams") for k in (1, 2, 4, 8))]


@functools.cache
def models() -> tuple:
    """The Transformer, the drafts by name, and the development sentences in numbers."""
    split = split_pairs(bundled_pairs(), seed=0)
    translator = load_page_model("transformer")
    model, vocab = translator.model, translator.target_vocab
    rows = ([*vocab.encode(pair.target), EOS] for pair in split.train)
    table = BigramDraft(rows, model.config).eval()
    drafts = {"bahdanau": load_page_model("bahdanau").model, "bigrams": table}
    return (model, drafts, [translator.encode([source]) for source in references(split.dev)])


def settings(options) -> Iterator[dict]:
    """Every draft in each repeat."""
    for _ in range(options.repeats):
        for draft, lookahead in KINDS:
            kind = {"draft": draft, "lookahead": lookahead}
            yield {"seed": 0, "sentences": options.sentences} | kind


def run(seed: int, sentences: int, draft: str, lookahead: int) -> dict:
    """Write all translations once."""
    model, drafts, encoded = models()
    dice = torch.Generator().manual_seed(seed)
    words = passes = proposed = accepted = 0
    began = time.process_time()
    for ids, lens in encoded[:sentences]:
        if not draft:
            written = len(sample(model, ids, lens, generator=dice)[0].ids)
            words, passes = words + written, passes + written
            continue
        found = speculative(model, drafts[draft], ids, lens, dice, lookahead)
        words, passes = words + len(found.ids), passes + found.target_calls
        proposed, accepted = proposed + found.proposed, accepted + found.accepted
    return {
        "draft": draft or None,
        "lookahead": lookahead,
        "words": words,
        "passes": passes,
        "proposed": proposed,
        "accepted": accepted,
        "ms": 1000 * (time.process_time() - began) / words,
    }


def summary(results: list[dict], options) -> dict:
    """A row for each draft, with the median time of its repeats."""
    rows = []
    for number in range(len(KINDS)):
        same = results[number :: len(KINDS)]
        rows.append(same[0] | {"ms": round(median(one["ms"] for one in same), 3)})
    return {
        "measured": "words written, passes of the Transformer, words proposed and accepted, and milliseconds of "
        "processor time per word",
        "rows": rows,
    }
