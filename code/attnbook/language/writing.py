"""Writing on where a text ends, token by token."""

import torch
from torch import Tensor

from attnbook.checks import check_count, check_ids, has_values
from attnbook.transformer import LanguageModel
from attnbook.translation import filter_logits


@torch.no_grad()
def continue_tokens(
    model: LanguageModel,
    tokens: Tensor,
    *,
    length: int = 100,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
    generator: torch.Generator | None = None,
) -> Tensor:
    """Draw one token after another from the model's distribution, filtered; each is read before the next is drawn.

    The model sees at most as many tokens as it is made for, `max_positions`. Once there are more, it goes on from the
    last half of them.

    Args:
        model: in evaluation mode.
        tokens: (B, T) ids, beginnings of equal length, at least one token each.
        length: how many tokens to write.
        temperature, top_k, top_p: see `filter_logits`; a top_k of 1 takes the likeliest token at every step.
        generator: of random numbers, on the model's device.

    Returns:
        (B, length) ids, without the beginnings.

    Raises:
        TypeError, ValueError: see `filter_logits`; ids that do not fit, no beginning, a model in training mode, scores
            that are NaN.
    """
    check_count("length", length)
    check_ids("tokens", tokens, model.config.vocab_size)
    if tokens.shape[1] == 0:
        raise ValueError("there is nothing to continue; pass at least one token")
    if model.training:
        raise ValueError(
            "the model is in training mode, and dropout would change its words; call model.eval() first"
        )
    text, most = tokens, model.config.max_positions
    cache, unread = model.start_cache(), text[:, -most:]
    for _ in range(length):
        if cache[0].length + unread.shape[1] > most:  # full
            cache, unread = model.start_cache(), text[:, -max(1, most // 2) :]
        logits = model(unread, cache=cache)[0][:, -1]  # (B, V)
        if has_values(logits) and logits.isnan().any():
            raise ValueError(
                "the model's scores are NaN: its training diverged, or the file is damaged"
            )
        filtered = filter_logits(
            logits, temperature=temperature, top_k=top_k, top_p=top_p
        )
        unread = torch.multinomial(filtered.softmax(-1), 1, generator=generator)
        text = torch.cat([text, unread], dim=1)
    return text[:, tokens.shape[1] :]
