"""How far a score would move with other test sentences of the same kind."""

from collections.abc import Callable, Sequence

import numpy as np

from attnbook.checks import check_count
from attnbook.translation.metrics import bleu, bleu_counts, bleu_of, check_corpus


def bootstrap_band(
    hypotheses: Sequence[str],
    references: Sequence[Sequence[str]],
    metric: Callable = bleu,
    resamples: int = 200,
    seed: int = 0,
    level: float = 0.95,
) -> tuple[float, float]:
    """How far the score would move if the test sentences had been others of the same kind.

    Draws as many sentences as there are, with replacement, again and again, and scores each draw. It knows nothing
    of other seeds of training: for those, train again.

    Args:
        hypotheses: translations, tokens separated by spaces.
        references: for each hypothesis the list of its references.
        metric: a function of (hypotheses, references) that gives a number.
        resamples: how many draws.
        seed: of the draws.
        level: the fraction of draws inside the band.

    Returns:
        (low, high), percentiles of the draws' scores: 2.5 % and 97.5 % for level 0.95.

    Raises:
        TypeError: not lists of strings, or `resamples` is not an integer.
        ValueError: no sentence, a hypothesis without reference, lists of two lengths, no draw, or a level outside 0…1.

    Source:
        Koehn (2004), section 3, bootstrap resampling.
    """
    check_corpus(hypotheses, references)
    check_count("resamples", resamples)
    if not 0 < level < 1:
        raise ValueError(f"level must be between 0 and 1, got {level}")
    num, rng = len(hypotheses), np.random.default_rng(seed)
    draws = (rng.integers(num, size=num) for _ in range(resamples))
    if metric is bleu:  # BLEU is a function of sums: count once, add up each draw
        counts = bleu_counts(hypotheses, references, 4)
        scores = [bleu_of(counts[draw].sum(axis=0)) for draw in draws]
    else:
        scores = [
            metric([hypotheses[i] for i in draw], [references[i] for i in draw])
            for draw in draws
        ]
    low, high = np.quantile(scores, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)
