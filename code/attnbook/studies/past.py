"""How much of the past a language model uses: the same tokens, predicted from the last few."""

import torch
import torch.nn.functional as F
from torch import Tensor

from attnbook.transformer import LanguageModel

#: How many tokens are read before the one that is asked for, at most; at least half as
#: many, and one more.
PASTS = (1, 2, 4, 8, 16, 32, 64, 128)


def asked_places(ids: Tensor) -> range:
    """The places of the tokens that `losses_by_past` asks for.

    Args:
        ids: (N,) a text, longer than the longest past.

    Returns:
        They begin where half of the longest past can be read, and are a multiple of it.

    Raises:
        ValueError: a shorter text.
    """
    half = PASTS[-1] // 2
    if len(ids) <= PASTS[-1]:
        raise ValueError(
            f"the text has {len(ids)} tokens, and {PASTS[-1]} are to be read before one; take a longer text"
        )
    return range(half + 1, len(ids) - (len(ids) - 1) % half)


@torch.no_grad()
def losses_by_past(model: LanguageModel, ids: Tensor) -> list[float]:
    """Mean negative log-likelihood per token, if only a few tokens before it are read.

    For each of `PASTS` the text is cut into pieces of as many tokens, which overlap by
    half, and the predictions in the second half of each piece count. So each token is
    predicted once for each length, and the tokens are the same for all.

    Args:
        model: in evaluation mode.
        ids: (N,) a text, longer than the longest past.

    Returns:
        Nats per token, one number for each of `PASTS`.

    Raises:
        ValueError: a shorter text.
    """
    asked, found = asked_places(ids), []
    for past in PASTS:
        step = max(1, past // 2)
        read = ids[asked.start - 1 - past + step : asked.stop]
        total = 0.0
        for pieces in read.unfold(0, past + 1, step).split(8192 // past):
            logits = model(pieces[:, :-1])[0][:, -step:]  # (P, step, V)
            total += F.cross_entropy(
                logits.flatten(0, 1), pieces[:, -step:].flatten(), reduction="sum"
            ).item()
        found.append(total / len(asked))
    return found
