"""The rival of every language model: how often this token has followed those."""

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
    check_count("vocab_size", vocab_size)
    check_count("order", order)
    check_positive("prior", prior)
    for name, ids in (("train", train), ("held_out", held_out)):
        check_count(f"the number of tokens in {name}", len(ids), at_least=order)
    if vocab_size**order >= 2**63:
        raise ValueError(
            f"runs of {order} tokens out of {vocab_size} are more than can be numbered; take a smaller order"
        )
    seen, asked = (torch.tensor(list(ids)) for ids in (train, held_out))
    check_ids("train", seen[None], vocab_size)
    check_ids("held_out", asked[None], vocab_size)
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
