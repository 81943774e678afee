"""Exercise nested-decode: spans that may lie in each other but not across each other."""

import torch

from ..answers import Mask
from ..arguments import draw, exact
from ..exercise import Exercise, Mistake


def my_nested_spans(scores):
    """Keep spans with a score above 0, the best first, unless they cross one that is kept.

    scores: (T, T), row = first token, column = last token → bool (T, T), True = kept
    """
    n = len(scores)
    cells = [(i, j) for i in range(n) for j in range(i, n)]
    found = [cell for cell in cells if scores[cell] > 0]
    ranked = sorted(found, key=lambda cell: -scores[cell])
    kept = torch.zeros_like(scores, dtype=torch.bool)
    done = []
    for i, j in ranked:
        crossed = [(a, b) for a, b in done if a < i <= b < j or i < a <= j < b]
        if not crossed:
            done.append((i, j))
            kept[i, j] = True
    return kept


def example() -> tuple:
    return (exact([1, -1, 3, -2], [5, -1, 2, 2.5], [-1, -1, -3, -1], [-2, -1, -1, 0]),)


def _of(size: int, **spans: float) -> tuple:
    """A table of −1 with some spans: a01=3 means tokens 0 to 1 with the score 3."""
    scores = torch.full((size, size), -1.0, dtype=torch.float64)
    for name, score in spans.items():
        scores[int(name[1]), int(name[2])] = score
    return (scores,)


def left_crossing() -> tuple:
    return _of(4, a12=3, a01=2)


def right_crossing() -> tuple:
    return _of(4, a01=3, a12=2)


def same_end() -> tuple:
    return _of(3, a02=3, a12=2)


def same_start() -> tuple:
    return _of(3, a02=3, a01=2)


def chain() -> tuple:
    """The best crosses the second, which crosses the third: the third stays."""
    return _of(5, a02=3, a13=2, a34=1)


def short_is_better() -> tuple:
    return _of(5, a12=3, a24=2)


def at_zero() -> tuple:
    return _of(3, a00=0, a12=1)


def probes() -> list[tuple]:
    drawn = [(draw(n, n, seed=1760 + n) + shift,) for n, shift in ((5, 0.2), (7, 0.0), (11, -0.4), (3, 0.5))]
    return [*drawn, left_crossing(), right_crossing(), same_end(), same_start(), chain(), short_is_better()]


def edges() -> list[tuple]:
    return [at_zero(), (exact([2]),), (draw(3, 3, seed=1780) - 9,)]


def space(pick) -> tuple:
    """Any arguments that the task allows."""
    (n,) = pick.sizes(1)
    return (pick.distinct(n, n),)


# edits that are used several times
CELLS, ABOVE, RANK = "range(i, n)", "scores[cell] > 0", "sorted(found, key=lambda cell: -scores[cell])"
CROSSED = "a < i <= b < j or i < a <= j < b"
EITHER = "Two spans can cross in two ways: the better one may begin first, or end last. Do you look for both?"

# fmt: off
MISTAKES = (
    Mistake("overlaps-dropped", (CROSSED, "a <= j and i <= b"),
        "a span is dropped if it shares a token with a better one, nested or not. That is how a flat decoder works.",
        "Does the shorter of two nested spans cross the longer one?"),
    Mistake("inner-dropped", (CROSSED, f"{CROSSED} or a <= i <= j <= b"),
        "a span is dropped if it lies inside a better one. Nested spans may both stay.",
        "The span 0–0 lies inside 0–2: do the two cross?"),
    Mistake("crossing-kept", (CROSSED, "False"),
        "all spans above 0 are kept, those that cross as well", "Which two spans of your answer cross each other?",
        right_crossing),
    Mistake("backwards-kept", (CELLS, "range(n)"),
        "cells below the diagonal are taken for spans, too. There the last token comes before the first.",
        "Which cells have a column that is not before the row?"),
    Mistake("single-tokens-dropped", (CELLS, "range(i + 1, n)"),
        "the diagonal is left out. A span of one token begins and ends at the same token.",
        "Where in the table is an entity of one word?"),
    Mistake("zero-kept", (ABOVE, "scores[cell] >= 0"),
        "a score of exactly 0 counts as above 0", "Is 0 > 0?", at_zero),
    Mistake("in-reading-order", (RANK, "found"),
        "the spans are visited in the order of the table, not by their scores. Of two that cross, the one that begins "
        "first wins.", "In which order should the spans be visited, so that the better of two that cross stays?",
        left_crossing),
    Mistake("worst-first", (RANK, "sorted(found, key=lambda cell: scores[cell])"),
        "the spans are visited from the lowest score to the highest", "Which of two that cross should stay?",
        right_crossing),
    Mistake("longest-first", (RANK, "sorted(found, key=lambda cell: cell[0] - cell[1])"),
        "the longest span goes first, whatever its score", "Which of two that cross should stay?", short_is_better),
    Mistake("only-right-crossings", (CROSSED, "a < i <= b < j"),
        "a span is compared with better ones that begin before it only", EITHER, left_crossing),
    Mistake("only-left-crossings", (CROSSED, "i < a <= j < b"),
        "a span is compared with better ones that begin after it only", EITHER, right_crossing),
    Mistake("one-shared-token", (CROSSED, "a < i < b < j or i < a < j < b"),
        "two spans that share a single token do not count as crossing. The end of a span belongs to it.",
        "Spans 0–1 and 1–2: which token is in both, and does one lie inside the other?", right_crossing),
    Mistake("same-end-crosses", (CROSSED, "a < i <= b <= j or i < a <= j <= b"),
        "two spans that end at the same token count as crossing. One of them lies inside the other.",
        "Does the span 1–2 have a token that is not in 0–2?", same_end),
    Mistake("same-start-crosses", (CROSSED, "a <= i <= b < j or i <= a <= j < b"),
        "two spans that begin at the same token count as crossing. One of them lies inside the other.",
        "Does the span 0–1 have a token that is not in 0–2?", same_start),
    Mistake("same-end-or-start-crosses", (CROSSED, "a <= i <= b <= j or i <= a <= j <= b"),
        "two spans that begin or end at the same token count as crossing. One of them lies inside the other.",
        "Is there a token in 0–1 that 0–2 does not have?", same_start),
    Mistake("dropped-spans-forbid", ("for a, b in done", "for a, b in ranked[: ranked.index((i, j))]"),
        "a span is dropped if it crosses a better one that was itself dropped", "Had the second span been kept when "
        "you came to the third?", chain),
    Mistake("all-crossing-dropped", ("for a, b in done", "for a, b in found"),
        "all spans that cross another one are dropped, the better one as well",
        "Is there a reason to drop the better of two that cross?", right_crossing),
    Mistake("transposed", ("kept[i, j] = True", "kept[j, i] = True"),
        "rows and columns of the answer are swapped: the table is transposed",
        "Which axis counts the first tokens?"),
    Mistake("not-bool", ("return kept", "return kept.float()")),
)

EXERCISE = Exercise(
    name="nested-decode", title="Spans that nest but never cross", chapter=17, solution=my_nested_spans,
    shapes={"scores": "T T"}, returns="T T", answer=Mask(), example=example, probes=probes, edges=edges,
    mistakes=MISTAKES, steps={"ranked": "the spans, best first"},
    space=space,
    hints=(
        "Which cells of the table are spans at all, and which of them are above 0? List them by hand for the example.",
        "Visit them from the best score to the worst, and keep a list of those that you have taken. A span is dropped "
        "only if it crosses one on that list.",
        "Two spans cross if one begins inside the other and ends outside it. Write that as two chains of comparisons; "
        "which of their signs must be < and which ≤?",
    ),
    why="Dropping everything that overlaps a better span is how flat entities are decoded, and on flat data it works. "
    "On nested data it throws away what the table was made for. And a span that was dropped should not forbid "
    "another one: it is no longer there.",
)
