"""Exercise bleu, computed: the solution, the same in named steps, and sentences to try them on."""

from __future__ import annotations

import math
from collections import Counter

import torch

from .plain_lists import Listed


def solution(hypothesis, references, max_n):
    """BLEU of one sentence against one or more references, not smoothed."""
    from collections import Counter

    def ngrams(tokens, n):
        return Counter(tuple(tokens[i : i + n]) for i in range(len(tokens) - n + 1))

    product = 1.0
    for n in range(1, max_n + 1):
        counts, granted = ngrams(hypothesis, n), Counter()
        for reference in references:
            granted |= ngrams(reference, n)  # the larger of the two counts
        if not counts:
            return 0.0
        clipped = counts & granted  # the smaller of the two counts
        product *= sum(clipped.values()) / sum(counts.values())
    c = len(hypothesis)
    r = min((len(reference) for reference in references), key=lambda r: (abs(r - c), r))
    penalty = 1.0 if c >= r else math.exp(1 - r / c)
    return penalty * product ** (1 / max_n)


# --- the same in steps that can go wrong --------------------------------------------------------------------------


def ngrams(tokens, n):
    return Counter(tuple(tokens[i : i + n]) for i in range(len(tokens) - n + 1))


def largest(counters):
    granted: Counter = Counter()
    for counter in counters:
        granted |= counter
    return granted


def clipped(counts, granted):
    return counts & granted


def share(matched, counts, granted):
    return matched.total() / counts.total() if counts else 0.0


def geometric(shares):
    return math.prod(shares) ** (1 / len(shares)) if shares else 0.0


def nearest(c, lengths):
    return min(lengths, key=lambda r: (abs(r - c), r))


def brevity(c, r):
    return 1.0 if c >= r else math.exp(1 - r / c) if c else 0.0


def all_orders(max_n, c):
    return range(1, max_n + 1)


def pipeline(
    hypothesis,
    references,
    max_n,
    count=ngrams,
    grant=largest,
    match=clipped,
    divide=share,
    orders=all_orders,
    average=geometric,
    length=nearest,
    penalty=brevity,
    finish=lambda score: score,
):
    shares = []
    for n in orders(max_n, len(hypothesis)):
        counts = count(hypothesis, n)
        granted = grant([count(reference, n) for reference in references])
        shares.append(divide(match(counts, granted), counts, granted))
    r = length(len(hypothesis), [len(reference) for reference in references])
    return finish(penalty(len(hypothesis), r) * average(shares))


def precisions(hypothesis: list, references: list, max_n: int) -> list[tuple[int, int]]:
    """For each n how many n-grams are granted, and how many there are."""
    found = []
    for n in range(1, max_n + 1):
        counts = ngrams(hypothesis, n)
        granted = largest(ngrams(reference, n) for reference in references)
        found.append(((counts & granted).total(), counts.total()))
    return found


# --- what it is tried on ------------------------------------------------------------------------------------------


def _turned_round(tokens: list) -> list:
    return [*tokens[::-1], "indeed"]


def _fewer(references: list) -> list:
    return [[*reference[1:], "indeed"] for reference in references]


def sentences(hypothesis: str, *references: str, max_n: int) -> tuple:
    """Write a call's arguments down as text."""
    return (
        Listed(hypothesis.split(), _turned_round),
        Listed([r.split() for r in references], _fewer),
        max_n,
    )


CAT = "the cat is on the mat", "there is a cat on the mat"


def example() -> tuple:
    """Seven words, as many as the nearer reference has; 5 of 7 are granted, and 4 of 6 bigrams."""
    return sentences("the cat the cat on the mat", *CAT, max_n=2)


def short() -> tuple:
    """Four words of six: the penalty is e^(1 − 6/4)."""
    return sentences("the cat is on", *CAT, max_n=2)


def shorter_still() -> tuple:
    return sentences("the cat", "the cat sat", max_n=2)


def long() -> tuple:
    return sentences(
        "the cat is on the mat now and then", "the cat is on the mat", max_n=2
    )


def between_two_lengths() -> tuple:
    """Five words, references of four and six: equally near, so the shorter counts."""
    return sentences(
        "the cat is on it", "the cat is here", "the cat is on it all", max_n=2
    )


def three_lengths() -> tuple:
    """Five words, references of three and six."""
    return sentences(
        "she is at home now", "she is home", "now she is at home again", max_n=2
    )


def far_one_first() -> tuple:
    """Five words, references of eight and six."""
    return sentences(
        "she is at home now",
        "and now at last she is at home",
        "now she is at home again",
        max_n=2,
    )


def said_twice() -> tuple:
    """*calm* stands once in each reference, and twice in the hypothesis."""
    return sentences("calm and calm", "he is calm", "keep calm and go", max_n=1)


def nothing_in_common() -> tuple:
    """Words in common, but no bigram."""
    return sentences("mat the on cat the", "the cat is on the mat", max_n=2)


def too_short() -> tuple:
    return sentences("the cat", "the cat", max_n=3)


def probes() -> list[tuple]:
    return [
        sentences(
            "he is calm and he is here now",
            "he is very calm and he is here",
            "he is calm here",
            max_n=4,
        ),
        sentences(
            "i am at home at home",
            "i am at home",
            "at home i am well at ease",
            "home at last",
            max_n=3,
        ),
        sentences(
            "we lost the the game again",
            "once again we lost the game the other day",
            "we lost the game",
            max_n=2,
        ),
        sentences(
            "she does not see it", "she does not see that it is so late", max_n=3
        ),
        sentences("a b a b a b c", "a b c a b", "b a b a c c c c c", max_n=4),
        sentences(
            "the cat sat on a mat on a mat",
            "a cat sat on the mat",
            "on a mat sat the cat and that was it",
            max_n=1,
        ),
        sentences("go home now my good old friend", "go home now my friend", max_n=2),
        between_two_lengths(),
        three_lengths(),
        nothing_in_common(),
        short(),
    ]


def edges() -> list[tuple]:
    return [
        too_short(),
        sentences("", "the cat", max_n=2),
        sentences("go", "go", "go on", max_n=1),
        sentences("the cat is on the mat", *CAT, max_n=6),
        sentences("no word of it", "the cat", max_n=1),
    ]


def steps(hypothesis, references, max_n) -> list[tuple[str, object]]:
    found = precisions(hypothesis, references, max_n)
    c = len(hypothesis)
    r = nearest(c, [len(reference) for reference in references])
    return [
        (
            "the n-grams that are granted",
            torch.tensor([float(granted) for granted, _ in found]),
        ),
        ("of", torch.tensor([float(total) for _, total in found])),
        ("c", c),
        ("r", r),
        ("the penalty", brevity(c, r)),
    ]
