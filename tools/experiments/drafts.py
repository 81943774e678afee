"""Speculative decoding: does a draft pay, and which?

Question: when does a draft model make the page's Transformer write faster, and how far should it look ahead?
Varies: the draft (the page's Bahdanau model, or a table of word pairs, which costs nearly nothing); how many words it
    looks ahead.
Equal: every sixth development sentence, the dice of a repeat, one core. All take turns in a repeat, and each time
    is divided by that of the Transformer alone.
Control: the Transformer alone; the time of single passes over 1 to 9 words and of single drafted words; and of each
    word's time, the parts that were spent in drafting, in the Transformer's passes, and in the rest (reading the
    source, drawing words, book-keeping).
Seeds: 7 of the dice, one for each repeat; median, smallest and largest are stored.
Turned round by: a draft whose time is below that of the Transformer alone in every repeat.

Milliseconds are processor time. About two minutes on one core.
"""

import functools
import operator
import time
from collections.abc import Callable, Iterator
from statistics import mean, median

import torch

from attnbook.data import bundled_pairs, references, split_pairs
from attnbook.text import BOS, EOS
from attnbook.translation import BigramDraft, load_page_model, sample, speculative
from tools.benchmarks.measure import in_turns

OPTIONS = {"every": 6, "repeats": 7}
DRAFTS = [("", 0), *((name, k) for name in ("bahdanau", "bigrams") for k in (1, 2, 4))]
AT_ONCE = (1, 2, 3, 5, 9)  # words in a pass
MEASURED = (
    "median, smallest and largest over the repeats: passes of the Transformer per word, the share of "
    "drafted words that stay, the words drafted per pass, the share of passes that end with a drafted <eos> that "
    "stays, the time relative to the Transformer alone in the same repeat, milliseconds of "
    "processor time per word; parts: the means of those spent in drafting, in the Transformer's passes and in "
    "the rest; single: milliseconds of one pass over so many words, and of one drafted word"
)


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


class Timed:
    """A model that adds up the processor time of its passes, in milliseconds."""

    def __init__(self, model):
        self.model, self.ms = model, 0.0

    def __getattr__(self, name: str):
        attribute = getattr(self.model, name)
        if name not in ("step", "extend"):
            return attribute

        def timed(*args, **kwargs):
            began = time.process_time()
            out = attribute(*args, **kwargs)
            self.ms += 1000 * (time.process_time() - began)
            return out

        return timed


def settings(options) -> Iterator[dict]:
    """One repeat after the other."""
    for seed in range(options.repeats):
        yield {"seed": seed, "every": options.every}


def written(seed: int, every: int, draft: str, lookahead: int) -> dict:
    """Write all translations once."""
    model, drafts, encoded = models()
    large, small = Timed(model), Timed(drafts.get(draft))
    dice = torch.Generator().manual_seed(seed)
    words = passes = proposed = accepted = 0
    began = time.process_time()
    for ids, lens in encoded[::every]:
        if not draft:
            number = len(sample(large, ids, lens, generator=dice)[0].ids)
            words, passes = words + number, passes + number
            continue
        sentence = speculative(large, small, ids, lens, generator=dice, lookahead=lookahead)
        words, passes = words + len(sentence.ids), passes + sentence.target_calls
        proposed, accepted = proposed + sentence.proposed, accepted + sentence.accepted
    spent = 1000 * (time.process_time() - began)
    parts = [part / words for part in (small.ms, large.ms, spent - small.ms - large.ms)]
    return {
        "words": words, "passes": passes, "proposed": proposed, "accepted": accepted,
        "ms": spent / words, "parts": parts,
    }  # fmt: skip


@torch.no_grad()
def single(number: int = 60) -> dict:
    """Milliseconds of single passes over so many words, and of single drafted words: medians."""
    model, drafts, encoded = models()
    words = torch.full((1, max(AT_ONCE)), BOS)

    def spent(decoder, count: int) -> Callable:
        state = decoder.start(*encoded[len(encoded) // 2])

        def once() -> float:
            began = time.process_time()
            decoder.extend(words[:, :count], state)
            ended = time.process_time()
            if decoder is model:
                decoder.rewind(state, count)
            return 1000 * (ended - began)

        return once

    kinds = {f"pass over {n}": spent(model, n) for n in AT_ONCE}
    kinds |= {name: spent(draft, 1) for name, draft in drafts.items()}
    times = in_turns(kinds, operator.call, number)
    return {name: median(milliseconds) for name, milliseconds in times.items()}


def run(seed: int, every: int) -> dict:
    """All drafts once, in turn, and the single passes."""
    rows = [{"draft": draft or None, "lookahead": k} | written(seed, every, draft, k) for draft, k in DRAFTS]
    for row in rows:
        row["relative"] = row["ms"] / rows[0]["ms"]
    return {"seed": seed, "rows": rows, "single": single()}


def spread(values: list[float]) -> list[float]:
    """Median, smallest and largest, as they are stored."""
    return [round(measure(values), 3) for measure in (median, min, max)]


def summary(results: list[dict], options) -> dict:
    """A row for each draft: medians over the repeats, with the smallest and the largest of what the page shows."""
    rows = []
    for number, (draft, lookahead) in enumerate(DRAFTS):
        repeats = [result["rows"][number] for result in results]
        drafted = [repeat for repeat in repeats if repeat["proposed"]]
        row = {"draft": draft or None, "lookahead": lookahead, "sentences": len(models()[2][:: options.every])}
        shares = {
            "passes_per_word": [repeat["passes"] / repeat["words"] for repeat in repeats],
            "stay": [repeat["accepted"] / repeat["proposed"] for repeat in drafted],
            "drafted_per_pass": [repeat["proposed"] / repeat["passes"] for repeat in drafted],
            # each pass gives the words that stay and one more, unless an <eos> was among those
            "ended_by_draft": [
                (repeat["accepted"] + repeat["passes"] - repeat["words"]) / repeat["passes"] for repeat in drafted
            ],
            "relative": [repeat["relative"] for repeat in repeats],
            "ms": [repeat["ms"] for repeat in repeats],
        }
        row |= {name: spread(values) for name, values in shares.items() if values}
        parts = zip(*(repeat["parts"] for repeat in repeats), strict=True)
        rows.append(row | {"parts": [round(mean(part), 3) for part in parts]})
    single = {name: [result["single"][name] for result in results] for name in results[0]["single"]}
    return {"measured": MEASURED, "rows": rows, "single": {name: spread(times) for name, times in single.items()}}
