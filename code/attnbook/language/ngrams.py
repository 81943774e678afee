"""The rival of every language model: how often this token has followed those."""

import math
from collections import Counter
from collections.abc import Sequence

import torch
from torch import Tensor

from attnbook.checks import check_count, check_ids, check_positive


def ngram_loss(
    train: Sequence[int],
    held_out: Sequence[int],
    vocab_size: int,
    order: int = 2,
    prior: float = 2.0,
) -> float:
    """Mean negative log-likelihood per token under a table of counts.

    p(w | h) = (c(h, w) + prior · p(w | h')) / (c(h) + prior), where h' is the history h without its first token, and
    1 / V stands at the end of the chain. c counts in the training text.

    Args:
        train: ids to count in.
        held_out: ids to score, from the token that has a whole history on.
        vocab_size: V.
        order: n; 2 for a bigram, which looks at one token before.
        prior: how many sightings the shorter history's opinion is worth.

    Returns:
        Nats per token.

    Raises:
        TypeError, ValueError: sizes that are not counts, or fewer tokens than n in either text.

    Source:
        Jelinek & Mercer (1980); MacKay & Peto (1995), for the prior.
    """
    check_positive("prior", prior)
    _check(train, held_out, vocab_size, order)
    if vocab_size**order >= 2**63:
        raise ValueError(
            f"runs of {order} tokens out of {vocab_size} are more than can be numbered; take a smaller order"
        )
    seen, asked = (torch.tensor(list(ids)) for ids in (train, held_out))
    number = len(asked) - order + 1  # of tokens to score
    probs = torch.full((number,), 1 / vocab_size, dtype=torch.float64)
    for length in range(1, order + 1):
        together = _counts(seen, asked, length, vocab_size)[-number:]
        # a history at the end of the text has been seen, but not what follows
        before = (
            _counts(seen[:-1], asked[:-1], length - 1, vocab_size)[-number:]
            if length > 1
            else torch.full((number,), float(len(seen)), dtype=torch.float64)
        )
        probs = (together + prior * probs) / (before + prior)
    return -probs.log().mean().item()


def kneser_ney_loss(
    train: Sequence[int], held_out: Sequence[int], vocab_size: int, order: int = 3
) -> float:
    """Mean negative log-likelihood per token under counts that are mixed as Kneser and Ney do.

    p(w | h) = (max(c(h, w) − d, 0) + d · k(h) · p(w | h')) / c(h), where k(h) is how many different tokens follow h; of
    a history that was never seen p(w | h) = p(w | h'), and 1 / V stands at the end of the chain. Of runs shorter than
    the longest, c counts how many different tokens stand before them, not how often they occur. d is for each length
    n₁ / (n₁ + 2 n₂) with n₁ and n₂ the numbers of runs that count once and twice; a half if none counts once.

    Args:
        train: ids to count in.
        held_out: ids to score, from the token that has a whole history on.
        vocab_size: V.
        order: n; 2 for a bigram, which looks at one token before.

    Returns:
        Nats per token.

    Raises:
        TypeError, ValueError: sizes that are not counts, or fewer tokens than n in either text.

    Source:
        Kneser & Ney (1995), interpolated as in Chen & Goodman (1999), section 3.
    """
    _check(train, held_out, vocab_size, order)
    tables = [Counter(zip(*(train[start:] for start in range(order)), strict=False))]
    while len(tables) < order:
        tables.append(Counter(run[1:] for run in tables[-1]))
    levels = []
    for table in reversed(tables):
        once, twice = (
            sum(count == times for count in table.values()) for times in (1, 2)
        )
        total, kinds = Counter[tuple](), Counter[tuple]()
        for run, count in table.items():
            total[run[:-1]] += count
            kinds[run[:-1]] += 1
        levels.append((table, total, kinds, once / (once + 2 * twice) if once else 0.5))
    loss = 0.0
    for end in range(order, len(held_out) + 1):
        p = 1 / vocab_size
        for length, (table, total, kinds, less) in enumerate(levels, 1):
            run = tuple(held_out[end - length : end])
            if run[:-1] not in total:
                break  # nor has a longer history been seen
            p = (max(table[run] - less, 0) + less * kinds[run[:-1]] * p) / total[
                run[:-1]
            ]
        loss -= math.log(p)
    return loss / (len(held_out) - order + 1)


def _check(
    train: Sequence[int], held_out: Sequence[int], vocab_size: int, order: int
) -> None:
    check_count("vocab_size", vocab_size)
    check_count("order", order)
    for name, ids in (("train", train), ("held_out", held_out)):
        check_count(f"the number of tokens in {name}", len(ids), at_least=order)
        check_ids(name, torch.tensor(list(ids))[None], vocab_size)


def _counts(seen: Tensor, asked: Tensor, length: int, vocab_size: int) -> Tensor:
    """How often each run of tokens in `asked` occurs in `seen`."""
    runs = []
    for ids in (seen, asked):
        run = torch.zeros(len(ids) - length + 1, dtype=torch.long)
        for place in range(length):
            run = run * vocab_size + ids[place : place + len(run)]
        runs.append(run)
    kinds, counts = runs[0].unique(return_counts=True)
    where = torch.searchsorted(kinds, runs[1]).clamp(max=len(kinds) - 1)
    return counts[where].double() * (kinds[where] == runs[1])
