"""Exact search: how far is a beam from the likeliest sentence, and does finding it help?

Question: how often does a beam of the page's Transformer find the likeliest sentence, and is the translation better
    for it? And is a beam of 2 better than the exact search, as it was on every third sentence?
Varies: the beam's width, 1 to 8, without a length penalty; a beam of 4 with a strong one, α = 2; whether a finished
    sentence keeps its place in that beam, as in the book, or the next best prefix gets it, until no prefix can win; and
    a search that is exact.
Equal: the model; the development sentences, all 541.
Control: the exact search, which drops a prefix only when it is less likely than a sentence that has been found; the
    empty sentence, whose probability is computed for each source; BLEU on every third sentence alone, where the
    question of the beam of 2 came up.
Seeds: one model, the book's; what chance there is lies in the sentences, which a paired bootstrap draws again, 2000
    times. A search helps if the 95 % interval of its difference to greedy decoding lies above 0; a beam of 2 is better
    than the exact search if that of their difference does.
Turned round by: exact translations that are much likelier than a beam's, or worse, or empty; a beam of 2 that stays
    ahead of the exact search on all sentences; a beam whose places are filled again and that finds other translations.

About seven minutes on one core.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import torch

from attnbook.data import bundled_pairs, references, split_pairs
from attnbook.text import EOS, normalise
from attnbook.translation import beam_search, length_penalty_factor, load_page_model, next_word_log_probs
from attnbook.translation.decoding import begin
from attnbook.translation.metrics import bleu_counts, bleu_of

OPTIONS = {"every": 1, "widths": [1, 2, 4, 8]}
PENALISED = "4, α = 2"
MAX_LEN, MOST = 30, 20000  # words; open prefixes at which a search gives up
MEASURED = (
    "sentences, those whose search was proved exact, prefixes that it read (median, most), the mean log-probability"
    " of the empty sentence and how often that is the likeliest; where greedy decoding and exact search differ, how"
    " many of either's translations are a reference, and for how many both are; how many translations of a beam of "
    "4 α = 2 changes, and how many stay if places are filled again, with α = 0 and 2; for each search the mean log-"
    "probability, how many are the likeliest sentence, words with <eos>, BLEU, on every third sentence alone, the "
    "95 % intervals of its differences to greedy decoding and to exact search over 2000 bootstrap draws of the "
    "sentences, and how many translations are not theirs"
)


@dataclass
class Search:
    """What one way to search has found.

    Attributes:
        name: of the way.
        sentences: for each source words, <eos> among them.
        log_probs: of the sentences.
    """

    name: str
    sentences: list[list[int]] = field(default_factory=list)
    log_probs: list[float] = field(default_factory=list)

    def add(self, sentence: list[int], log_prob: float) -> None:
        """What it has found for the next source."""
        self.sentences.append(sentence)
        self.log_probs.append(log_prob)

    def apart(self, sentences: list[list[int]]) -> list[int]:
        """The numbers of the sources for which others were found."""
        pairs = zip(self.sentences, sentences, strict=True)
        return [number for number, (ours, theirs) in enumerate(pairs) if ours != theirs]


class Exact(NamedTuple):
    """What the exact search has found for one source.

    Attributes:
        ids: of the likeliest sentence, <eos> among them.
        log_prob: of that sentence.
        empty: log-probability of the empty sentence.
        read: prefixes that were read.
        proved: whether no other sentence can be likelier.
    """

    ids: list[int]
    log_prob: float
    empty: float
    read: int
    proved: bool


@torch.no_grad()
def exact(model, ids, lens, known: list[int], likely: float) -> Exact:
    """The likeliest sentence.

    Args:
        model: the translator.
        ids, lens: one source.
        known: a sentence to begin with.
        likely: its log-probability.
    """
    state, words = begin(model, ids, lens, MAX_LEN)
    prefixes, total, best = [[]], torch.zeros(1), (known, likely)
    empty, read = 0.0, 0
    for length in range(MAX_LEN):
        logits, _, state = model.step(words, state)
        read += len(prefixes)
        scores = total[:, None] + next_word_log_probs(logits, unknown=model.writes_unknown)  # (prefixes, V)
        empty = scores[0, EOS].item() if length == 0 else empty
        ended, which = scores[:, EOS].max(0)
        if ended > best[1] + 1e-5:
            best = ([*prefixes[which], EOS], ended.item())
        scores[:, EOS] = -torch.inf
        origin, words = (scores > best[1]).nonzero().T
        if not len(words) or len(words) > MOST:
            return Exact(*best, empty, read, not len(words))
        prefixes = [prefixes[i] + [word] for i, word in zip(origin.tolist(), words.tolist(), strict=True)]
        total = scores[origin, words]
        state.reorder(origin)
    return Exact(*best, empty, read, False)


@torch.no_grad()
def filled_again(model, ids, lens, alpha: float, width: int = 4) -> list[int]:
    """The words that a beam finds which always has so many open prefixes, and ends when none of them can win."""
    state, words = begin(model, ids, lens, MAX_LEN)
    prefixes, total, best = [[]], torch.zeros(1), (-torch.inf, [])
    for length in range(1, MAX_LEN + 1):
        logits, _, state = model.step(words, state)
        scores = total[:, None] + next_word_log_probs(logits, unknown=model.writes_unknown)  # (prefixes, V)
        ended, which = (scores[:, EOS] / length_penalty_factor(length, alpha)).max(0)
        if ended > best[0]:
            best = ended.item(), [*prefixes[which], EOS]
        scores[:, EOS] = -torch.inf
        total, where = scores.flatten().topk(width)
        if total[0] / length_penalty_factor(MAX_LEN, alpha) <= best[0]:
            break
        origin, words = where // scores.shape[1], where % scores.shape[1]
        prefixes = [prefixes[i] + [word] for i, word in zip(origin.tolist(), words.tolist(), strict=True)]
        state.reorder(origin)
    return best[1]


def check(options) -> None:
    """Refuse widths without those that others are compared with."""
    if not {1, 4} <= {*options.widths}:
        raise ValueError(f"widths must hold 1 and 4, with which the others are compared, got {options.widths}")


def intervals(counts: dict[str, np.ndarray], seed: int) -> Callable[[Search, Search], list[float]]:
    """From two searches to the 95 % interval of the difference of their BLEU, over the same draws of the sentences.

    Args:
        counts: name of a search → for each source what `bleu_counts` says.
        seed: of the draws.
    """
    dice, number = np.random.default_rng(seed), len(next(iter(counts.values())))
    draws = [dice.integers(number, size=number) for _ in range(2000)]
    redrawn = {name: np.array([bleu_of(of_search[d].sum(0)) for d in draws]) for name, of_search in counts.items()}

    def interval(search: Search, other: Search) -> list[float]:
        return [round(float(q), 2) for q in np.quantile(redrawn[search.name] - redrawn[other.name], (0.025, 0.975))]

    return interval


def rows_of(
    searches: list[Search], greedy: Search, likeliest: Search, counts: dict[str, np.ndarray], interval: Callable
) -> list[dict]:
    """What is stored of each search, beside greedy decoding and the likeliest sentences."""
    rows = []
    for search in searches:
        apart = [len(search.apart(other.sentences)) for other in (greedy, likeliest)]
        rows.append(
            {
                "search": search.name,
                "log_prob": round(float(np.mean(search.log_probs)), 3),
                "likeliest": len(search.sentences) - apart[1],
                "words": round(float(np.mean([len(ids) for ids in search.sentences])), 2),
                "bleu": round(bleu_of(counts[search.name].sum(0)), 2),
                "bleu_third": round(bleu_of(counts[search.name][::3].sum(0)), 2),
                "over_greedy": interval(search, greedy),
                "over_exact": interval(search, likeliest),
                "apart": apart,
            }
        )
    return rows


def run(seed: int, every: int, widths: list[int]) -> dict:
    """Search for every sentence in all ways."""
    split = split_pairs(bundled_pairs(), seed=0)
    translator = load_page_model("transformer")
    dev = references(split.dev)
    sources = list(dev)[::every]
    expected = [[normalise(text) for text in dev[source]] for source in sources]
    beams, penalised = {width: Search(str(width)) for width in widths}, Search(PENALISED)
    filled = {0.0: list[list[int]](), 2.0: list[list[int]]()}  # α → what a beam finds whose places are filled again
    proofs = list[Exact]()
    for source in sources:
        encoded = translator.encode([source])
        for width, beam in beams.items():
            best = beam_search(translator.model, *encoded, width=width, length_penalty=0.0, max_len=MAX_LEN)[0]
            beam.add(best.ids, best.log_prob)
        proofs.append(exact(translator.model, *encoded, best.ids, best.log_prob))
        best = beam_search(translator.model, *encoded, length_penalty=2.0, max_len=MAX_LEN)[0]
        penalised.add(best.ids, best.log_prob)
        for alpha, sentences in filled.items():
            sentences.append(filled_again(translator.model, *encoded, alpha))
    likeliest = Search("exact", [proof.ids for proof in proofs], [proof.log_prob for proof in proofs])
    searches = [*beams.values(), penalised, likeliest]
    written = {s.name: [translator.target_vocab.decode(ids) for ids in s.sentences] for s in searches}
    counts = {name: bleu_counts(texts, expected, 4) for name, texts in written.items()}
    greedy = beams[1]
    missed = greedy.apart(likeliest.sentences)
    right = [{i for i in missed if written[s.name][i] in expected[i]} for s in (greedy, likeliest)]
    kept = [len(sources) - len(s.apart(filled[alpha])) for s, alpha in ((beams[4], 0.0), (penalised, 2.0))]
    return {
        "seed": seed,
        "rows": rows_of(searches, greedy, likeliest, counts, intervals(counts, seed)),
        "sentences": len(sources),
        "proved": sum(proof.proved for proof in proofs),
        "read": [int(np.median([proof.read for proof in proofs])), max(proof.read for proof in proofs)],
        "empty": round(float(np.mean([proof.empty for proof in proofs])), 2),
        "empty_likeliest": likeliest.sentences.count([EOS]),
        "matches": [*map(len, right), len(right[0] & right[1])],
        "penalty_changes": len(beams[4].apart(penalised.sentences)),
        "filled_again": kept,
    }


def summary(results: list[dict], options) -> dict:
    """A row for each search."""
    (result,) = results
    return (
        {"measured": MEASURED}
        | {key: result[key] for key in result if key not in ("seed", "rows")}
        | {"rows": result["rows"]}
    )
