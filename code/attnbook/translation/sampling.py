"""Drawing a translation word by word: from a distribution that is cut to size, or with a small model that drafts.

The functions take what those of `attnbook.translation.decoding` take.
"""

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from attnbook.checks import check_count, check_positive, has_values
from attnbook.text import EOS
from attnbook.translation.decoding import (
    Decoded,
    begin,
    check_single,
    next_word_log_probs,
    one_by_one,
)
from attnbook.translation.interface import DraftModel, TranslationModel


@dataclass(frozen=True)
class SpeculativeResult:
    """One translation by two models.

    Attributes:
        ids: its words; the last is <eos> unless the length ran out.
        target_calls: passes of the large model.
        proposed, accepted: words that the small model proposed, and how many of them stayed.
    """

    ids: list[int]
    target_calls: int
    proposed: int
    accepted: int


def filter_logits(
    logits: Tensor,
    *,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
) -> Tensor:
    """Sharpen or flatten a distribution, then cut off its tail.

    Args:
        logits: (…, V), or log-probabilities.
        temperature: what they are divided by; below 1 sharpens.
        top_k: keep this many of the likeliest words.
        top_p: of these, keep the smallest set whose probabilities sum to at least this; the likeliest always stays.

    Returns:
        (…, V), −inf for words that were cut off.

    Raises:
        TypeError, ValueError: a temperature that is not positive, or so low that the scores overflow, a count below 1,
            a probability outside (0, 1].

    Source:
        Fan et al. (2018), arXiv:1805.04833, top-k; Holtzman et al. (2020), arXiv:1904.09751, top-p ("nucleus").
    """
    check_positive("temperature", temperature)
    logits = logits / temperature
    if has_values(logits) and not logits.amax(-1).isfinite().all():
        raise ValueError(
            f"divided by the temperature, {temperature}, the scores are no longer numbers of {logits.dtype}; take a "
            "higher one, or top_k=1 for the likeliest word"
        )
    if top_k is not None:
        check_count("top_k", top_k)
        last = logits.topk(min(top_k, logits.shape[-1])).values[..., -1:]
        logits = logits.masked_fill(logits < last, -torch.inf)
    if top_p is not None:
        if not 0 < top_p <= 1:
            raise ValueError(f"top_p must be in (0, 1], got {top_p}")
        ranked, order = logits.sort(dim=-1, descending=True)
        probs = ranked.softmax(-1)
        before = probs.cumsum(-1) - probs  # what the likelier words have already
        cut = torch.zeros_like(ranked, dtype=torch.bool)
        cut.scatter_(-1, order, before >= top_p)
        logits = logits.masked_fill(cut, -torch.inf)
    return logits


@torch.no_grad()
def sample(
    model: TranslationModel,
    source: Tensor,
    valid_lens: Tensor,
    *,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
    generator: torch.Generator | None = None,
    max_len: int = 50,
) -> list[Decoded]:
    """Draw every word from the model's distribution, filtered.

    Args:
        model: a translator in evaluation mode.
        source: (B, S) ids.
        valid_lens: (B,) integers.
        temperature, top_k, top_p: see `filter_logits`.
        generator: of random numbers, on the model's device.
        max_len: the most words to write, <eos> included.

    Returns:
        One `Decoded` per sentence; `log_prob` is the unfiltered model's.

    Raises:
        TypeError, ValueError: see `filter_logits` and `greedy`.
    """

    def draw(log_probs: Tensor) -> Tensor:
        filtered = filter_logits(
            log_probs, temperature=temperature, top_k=top_k, top_p=top_p
        )
        return torch.multinomial(filtered.softmax(-1), 1, generator=generator)[:, 0]

    return one_by_one(model, source, valid_lens, max_len, False, draw)


@torch.no_grad()
def speculative(
    target: TranslationModel,
    draft: DraftModel,
    source: Tensor,
    valid_lens: Tensor,
    *,
    generator: torch.Generator | None = None,
    lookahead: int = 4,
    max_len: int = 50,
    temperature: float = 1.0,
) -> SpeculativeResult:
    """Let a small model propose several words and a large one check them all in one pass.

    A proposed word x stays with probability min(1, p(x) / q(x)), p the large model's and q the small one's; the first
    one rejected is replaced by a draw from max(0, p − q), normalised. The output is distributed exactly as if
    the large model had been sampled alone.

    Args:
        target: the large translator, in evaluation mode.
        draft: the small one, with the same vocabularies.
        source: (1, S) ids.
        valid_lens: (1,) integers.
        generator: of random numbers, on the models' device.
        lookahead: how many words to propose at once.
        max_len: the most words to write, <eos> included.
        temperature: of both models.

    Returns:
        The words, and how much was proposed, accepted and checked.

    Raises:
        TypeError, ValueError: more than one sentence, sizes that are not counts, vocabularies that differ, or a model
            in training mode.

    Source:
        Leviathan et al. (2023), arXiv:2211.17192, algorithm 1; Chen et al. (2023), arXiv:2302.01318.
    """
    check_single(source)
    check_count("lookahead", lookahead)
    check_positive("temperature", temperature)
    sizes = [model.config.target_vocab_size for model in (target, draft)]
    if sizes[0] != sizes[1]:
        raise ValueError(
            f"the models must share a vocabulary, but the target's has {sizes[0]} words and the draft's {sizes[1]}"
        )
    large, pending = begin(target, source, valid_lens, max_len)
    small, _ = begin(draft, source, valid_lens, max_len)

    def probabilities(logits: Tensor) -> Tensor:
        log_probs = next_word_log_probs(logits, unknown=target.writes_unknown)
        return filter_logits(log_probs, temperature=temperature).softmax(-1)

    def draw(probs: Tensor) -> Tensor:
        return torch.multinomial(probs, 1, generator=generator)

    ids: list[int] = []
    unread = pending  # (1 or 2,), what the draft has not read yet
    calls = proposed = accepted = 0
    while len(ids) < max_len and (not ids or ids[-1] != EOS):
        words: list[int] = []
        beliefs: list[Tensor] = []
        places: list[Any] = []  # the draft's states
        number = min(lookahead, max_len - len(ids))
        while len(words) < number and (not words or words[-1] != EOS):
            logits = draft.extend(unread[None], small)[0, -1]
            beliefs.append(probabilities(logits))
            places.append(small.copy())  # where the draft stands after reading so far
            unread = draw(beliefs[-1])
            words.append(int(unread))
        to_check = torch.cat([pending, pending.new_tensor(words)])
        truths = probabilities(
            target.extend(to_check[None], large)[0]
        )  # (words + 1, V)
        calls, proposed = calls + 1, proposed + len(words)

        accepted_here = 0
        for word, belief, truth in zip(words, beliefs, truths[:-1], strict=True):
            chance = torch.rand((), generator=generator, device=source.device)
            if chance * belief[word] >= truth[word]:
                break
            accepted_here += 1
        ids += words[:accepted_here]
        accepted += accepted_here
        if ids and ids[-1] == EOS:
            break
        target.rewind(large, len(words) - accepted_here)
        if accepted_here < len(
            words
        ):  # rejected: draw from what the draft gave too little
            rest = (truths[accepted_here] - beliefs[accepted_here]).clamp(min=0)
            pending = draw(rest)
            small, unread = places[accepted_here], pending
        else:  # all stayed, and the last pass has scored one more word for nothing
            pending = draw(truths[-1])
            unread = torch.cat([unread, pending])
        if len(ids) < max_len:
            ids.append(int(pending))
    return SpeculativeResult(ids, calls, proposed, accepted)
