"""Writing a translation word by word: the likeliest word at every step, or a search for the likeliest sentence.

Every function takes a translator, source ids ending in <eos>, and their lengths. <pad> and <bos> are never written,
and <unk> is not unless the model's `writes_unknown` says so: they are taken out of the distribution before anything
else. `sampling` draws words instead of searching for them.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from attnbook.checks import check_count, check_positive, has_values
from attnbook.text import BOS, EOS, PAD, UNK
from attnbook.translation.interface import DraftModel, TranslationModel

#: α of the length penalty, 0.6; Vaswani et al. (2017), §6.1, take the same.
LENGTH_PENALTY = 0.6


@dataclass(frozen=True)
class Decoded:
    """One translation.

    Attributes:
        ids: its words; the last is <eos> unless the length ran out.
        log_prob: the sum of its words' log-probabilities under the model.
        weights: (words, S), the attention at each word, or None.
    """

    ids: list[int]
    log_prob: float
    weights: Tensor | None = None


def next_word_log_probs(logits: Tensor, *, unknown: bool = False) -> Tensor:
    """Log-probabilities of the next word, <pad>, <bos> and <unk> ruled out.

    Args:
        logits: (…, V).
        unknown: leave <unk> in, to see how often a model wants a word that it does not have.

    Returns:
        (…, V), −inf for what is ruled out.

    Raises:
        ValueError: scores from which no probabilities can be made: NaN, or an infinite one.
    """
    logits = logits.clone()
    logits[..., [PAD, BOS] if unknown else [PAD, BOS, UNK]] = -torch.inf
    log_probs = logits.log_softmax(-1)
    # one NaN makes NaN of its whole row; where words are chosen they are read anyway, on a GPU too
    if has_values(log_probs) and log_probs[..., EOS].isnan().any():
        raise ValueError(
            "the model's scores are NaN: its training diverged, or the file is damaged"
        )
    return log_probs


def begin(
    model: DraftModel, source: Tensor, valid_lens: Tensor, max_len: int
) -> tuple[Any, Tensor]:
    """Read the source sentences, before the first word is written.

    Args:
        model: a translator in evaluation mode.
        source: (B, S) ids.
        valid_lens: (B,) integers.
        max_len: the most words that are to be written.

    Returns:
        The decoder's state, and a <bos> for each sentence, (B,).

    Raises:
        TypeError, ValueError: ids or lengths that do not fit, or a model in training mode.
    """
    check_count("max_len", max_len)
    if model.training:
        raise ValueError(
            "the model is in training mode, and dropout would change its words; call model.eval() first"
        )
    state = model.start(source, valid_lens)
    return state, source.new_full((len(source),), BOS)


def check_single(source: Tensor) -> None:
    """Require one sentence, (1, S)."""
    if source.dim() != 2 or len(source) != 1:
        raise ValueError(
            f"source must be one sentence, (1, S), got shape {tuple(source.shape)}; loop over the sentences"
        )


def one_by_one(
    model: TranslationModel,
    source: Tensor,
    valid_lens: Tensor,
    max_len: int,
    need_weights: bool,
    choose: Callable[[Tensor], Tensor],
) -> list[Decoded]:
    """Write all sentences of a batch at once, choosing each next word by itself.

    Args:
        model: a translator in evaluation mode.
        source: (B, S) ids.
        valid_lens: (B,) integers.
        max_len: the most words to write, <eos> included.
        need_weights: keep the attention weights.
        choose: log-probabilities (B, V) → words (B,).

    Returns:
        One `Decoded` per sentence.
    """
    state, words = begin(model, source, valid_lens, max_len)
    done = torch.zeros(len(source), dtype=torch.bool, device=source.device)
    total = torch.zeros(len(source), device=source.device)
    written: list[Tensor] = []
    all_weights: list[Tensor] = []
    while len(written) < max_len and not done.all():
        logits, weights, state = model.step(words, state, need_weights=need_weights)
        log_probs = next_word_log_probs(logits, unknown=model.writes_unknown)
        words = choose(log_probs).masked_fill(done, PAD)
        gained = log_probs.gather(-1, words[:, None])[:, 0]
        total = total + gained.masked_fill(done, 0.0)
        written.append(words)
        if weights is not None:
            all_weights.append(weights)
        done = done | (words == EOS)
    ids = torch.stack(written, dim=1).tolist()
    at_words = torch.stack(all_weights, dim=1) if all_weights else None  # (B, T, S)
    results = []
    for sentence, row in enumerate(ids):
        length = row.index(EOS) + 1 if EOS in row else len(row)
        weights = None if at_words is None else at_words[sentence, :length]
        results.append(Decoded(row[:length], float(total[sentence]), weights))
    return results


@torch.no_grad()
def greedy(
    model: TranslationModel,
    source: Tensor,
    valid_lens: Tensor,
    *,
    max_len: int = 50,
    need_weights: bool = False,
) -> list[Decoded]:
    """Take the likeliest word at every step.

    Args:
        model: a translator in evaluation mode.
        source: (B, S) ids.
        valid_lens: (B,) integers.
        max_len: the most words to write, <eos> included.
        need_weights: keep the attention weights.

    Returns:
        One `Decoded` per sentence.

    Raises:
        TypeError, ValueError: ids or lengths that do not fit, or a model in training mode.
    """

    def likeliest(log_probs: Tensor) -> Tensor:
        return log_probs.argmax(-1)

    return one_by_one(model, source, valid_lens, max_len, need_weights, likeliest)


def length_penalty_factor(length: int, alpha: float) -> float:
    """What a hypothesis' log-probability is divided by before it is compared with others.

    Args:
        length: its words, <eos> included.
        alpha: 0 for none; larger favours longer sentences.

    Returns:
        ((5 + length) / 6)^α.

    Source:
        Wu et al. (2016), arXiv:1609.08144, eq. 14 (lp).
    """
    return ((5 + length) / 6) ** alpha


@torch.no_grad()
def beam_search(
    model: TranslationModel,
    source: Tensor,
    valid_lens: Tensor,
    *,
    width: int = 4,
    length_penalty: float = LENGTH_PENALTY,
    max_len: int = 50,
    n_best: int = 1,
) -> list[Decoded]:
    """Look for the likeliest sentence, keeping the best few prefixes at every step.

    A hypothesis that writes <eos> is finished and takes its place in the beam with it, so that the search ends when
    `width` hypotheses are finished; with a width of 1 this is `greedy`.

    Args:
        model: a translator in evaluation mode.
        source: (1, S) ids.
        valid_lens: (1,) integers.
        width: how many prefixes to keep.
        length_penalty: α of `length_penalty_factor`, used to rank what is finished.
        max_len: the most words to write, <eos> included.
        n_best: how many to return, at most `width`.

    Returns:
        The best first.

    Raises:
        TypeError, ValueError: more than one sentence, sizes that are not counts, or a model in training mode.

    Source:
        Sutskever et al. (2014), §3.2; length penalty by Wu et al. (2016).
    """
    check_single(source)
    check_count("width", width)
    check_count("n_best", n_best)
    if n_best > width:
        raise ValueError(f"n_best {n_best} is more than the beam's width {width}")
    check_positive("length_penalty", length_penalty, or_zero=True)
    state, words = begin(model, source, valid_lens, max_len)
    beams: list[list[int]] = [[]]
    total = torch.zeros(1, device=source.device)
    finished: list[Decoded] = []
    for _ in range(max_len):
        logits, _, state = model.step(words, state)
        log_probs = next_word_log_probs(logits, unknown=model.writes_unknown)
        scores = total[:, None] + log_probs  # (beams, V)
        places = min(width - len(finished), int(scores.isfinite().sum()))
        best, where = scores.flatten().topk(places)
        origin, words = where // scores.shape[1], where % scores.shape[1]
        grown = [
            beams[old] + [new]
            for old, new in zip(origin.tolist(), words.tolist(), strict=True)
        ]
        ended = words == EOS
        finished += [
            Decoded(ids, float(log_prob))
            for ids, log_prob, end in zip(grown, best, ended, strict=True)
            if end
        ]
        going = (~ended).nonzero()[:, 0]
        if not len(going):
            beams = []
            break
        beams = [grown[i] for i in going.tolist()]
        total, words = best[going], words[going]
        state.reorder(origin[going])
    unfinished = [
        Decoded(ids, float(log_prob))
        for ids, log_prob in zip(beams, total, strict=bool(beams))
    ]

    def rank(decoded: Decoded) -> float:
        return decoded.log_prob / length_penalty_factor(
            len(decoded.ids), length_penalty
        )

    # what the length cut off comes after everything that ended by itself
    ranked = sorted(finished, key=rank, reverse=True)
    return (ranked + sorted(unfinished, key=rank, reverse=True))[:n_best]
