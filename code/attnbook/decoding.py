"""Writing a translation word by word: the likeliest word, the likeliest sentence, or a draw.

Every function takes a translator (`attnbook.translators`), source ids ending in <eos>, and their lengths. Nobody may
write <pad> or <bos>; both are taken out of the distribution before anything else.
"""

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from attnbook.checks import check_count, check_positive
from attnbook.text import BOS, EOS, PAD

__all__ = [
    "Decoded",
    "SpeculativeResult",
    "next_word_log_probs",
    "greedy",
    "length_penalty_factor",
    "beam_search",
    "filter_logits",
    "sample",
    "speculative",
]


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


def next_word_log_probs(logits: Tensor) -> Tensor:
    """Log-probabilities of the next word, <pad> and <bos> ruled out.

    Args:
        logits: (…, V).

    Returns:
        (…, V), −inf for those two.
    """
    logits = logits.clone()
    logits[..., [PAD, BOS]] = -torch.inf
    return logits.log_softmax(-1)


def _begin(model: nn.Module, source: Tensor, source_lens: Tensor, max_len: int):
    """Check the input; the decoder's state, and a <bos> for each sentence."""
    check_count("max_len", max_len)
    if model.training:
        raise ValueError(
            "the model is in training mode, and dropout would change its words; call model.eval() first"
        )
    state = model.start(source, source_lens)
    return state, source.new_full((len(source),), BOS)


def _check_single(source: Tensor) -> None:
    if source.dim() != 2 or len(source) != 1:
        raise ValueError(
            f"source must be one sentence, (1, S), got shape {tuple(source.shape)}; loop over the sentences"
        )


def _one_by_one(model, source, source_lens, max_len, need_weights, choose):
    """Write all sentences of a batch at once, choosing each next word by itself."""
    state, words = _begin(model, source, source_lens, max_len)
    done = torch.zeros(len(source), dtype=torch.bool, device=source.device)
    total = torch.zeros(len(source), device=source.device)
    written, seen = [], []
    while len(written) < max_len and not done.all():
        logits, weights, state = model.step(words, state, need_weights=need_weights)
        log_probs = next_word_log_probs(logits)
        words = choose(log_probs).masked_fill(done, PAD)
        gained = log_probs.gather(-1, words[:, None])[:, 0]
        total = total + gained.masked_fill(done, 0.0)
        written.append(words)
        seen.append(weights)
        done = done | (words == EOS)
    ids = torch.stack(written, dim=1).tolist()
    attended = need_weights and seen[0] is not None
    at_words = torch.stack(seen, dim=1) if attended else None  # (B, T, S)
    results = []
    for sentence, row in enumerate(ids):
        length = row.index(EOS) + 1 if EOS in row else len(row)
        mine = at_words[sentence, :length] if attended else None
        results.append(Decoded(row[:length], float(total[sentence]), mine))
    return results


@torch.no_grad()
def greedy(
    model: nn.Module,
    source: Tensor,
    source_lens: Tensor,
    max_len: int = 50,
    need_weights: bool = False,
) -> list[Decoded]:
    """Take the likeliest word at every step.

    Args:
        model: a translator in evaluation mode.
        source: (B, S) ids.
        source_lens: (B,) integers.
        max_len: the most words to write, <eos> included.
        need_weights: keep the attention weights.

    Returns:
        One `Decoded` a sentence.

    Raises:
        TypeError, ValueError: ids or lengths that do not fit, or a model in training mode.
    """

    def likeliest(log_probs: Tensor) -> Tensor:
        return log_probs.argmax(-1)

    return _one_by_one(model, source, source_lens, max_len, need_weights, likeliest)


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
    model: nn.Module,
    source: Tensor,
    source_lens: Tensor,
    width: int = 4,
    length_penalty: float = 0.6,
    max_len: int = 50,
    n_best: int = 1,
) -> list[Decoded]:
    """Look for the likeliest sentence, keeping the best few beginnings at every step.

    A hypothesis that writes <eos> is finished and takes its place in the beam with it, so that the search ends when
    `width` hypotheses are finished; with a width of 1 this is `greedy`.

    Args:
        model: a translator in evaluation mode.
        source: (1, S) ids.
        source_lens: (1,) integers.
        width: how many beginnings to keep.
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
    _check_single(source)
    check_count("width", width)
    check_count("n_best", n_best)
    if n_best > width:
        raise ValueError(f"n_best {n_best} is more than the beam's width {width}")
    if length_penalty < 0:
        raise ValueError(f"length_penalty must be at least 0, got {length_penalty}")
    state, words = _begin(model, source, source_lens, max_len)
    beams, total = [[]], torch.zeros(1, device=source.device)
    finished: list[Decoded] = []
    for _ in range(max_len):
        logits, _, state = model.step(words, state)
        scores = total[:, None] + next_word_log_probs(logits)  # (beams, V)
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


def filter_logits(
    logits: Tensor,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
) -> Tensor:
    """Sharpen or flatten a distribution, then cut off its tail.

    Args:
        logits: (…, V), or log-probabilities.
        temperature: what they are divided by; below 1 sharpens.
        top_k: keep this many of the likeliest words.
        top_p: of these, keep the fewest words that have this probability together; the likeliest always stays.

    Returns:
        (…, V), −inf for words that were cut off.

    Raises:
        TypeError, ValueError: a temperature that is not positive, a count below 1, a probability outside (0, 1].

    Source:
        Fan et al. (2018), arXiv:1805.04833, top-k; Holtzman et al. (2020), arXiv:1904.09751, top-p ("nucleus").
    """
    check_positive("temperature", temperature)
    logits = logits / temperature
    if top_k is not None:
        check_count("top_k", top_k)
        last = logits.topk(min(top_k, logits.shape[-1])).values[..., -1:]
        logits = logits.masked_fill(logits < last, -torch.inf)
    if top_p is not None:
        if not 0 < top_p <= 1:
            raise ValueError(f"top_p must lie in (0, 1], got {top_p}")
        ranked, order = logits.sort(dim=-1, descending=True)
        shares = ranked.softmax(-1)
        before = shares.cumsum(-1) - shares  # what the likelier words have already
        cut = torch.zeros_like(ranked, dtype=torch.bool)
        cut.scatter_(-1, order, before >= top_p)
        logits = logits.masked_fill(cut, -torch.inf)
    return logits


@torch.no_grad()
def sample(
    model: nn.Module,
    source: Tensor,
    source_lens: Tensor,
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
        source_lens: (B,) integers.
        temperature, top_k, top_p: see `filter_logits`.
        generator: of random numbers, on the model's device.
        max_len: the most words to write, <eos> included.

    Returns:
        One `Decoded` a sentence; `log_prob` is the unfiltered model's.

    Raises:
        TypeError, ValueError: see `filter_logits` and `greedy`.
    """

    def draw(log_probs: Tensor) -> Tensor:
        filtered = filter_logits(log_probs, temperature, top_k, top_p)
        return torch.multinomial(filtered.softmax(-1), 1, generator=generator)[:, 0]

    return _one_by_one(model, source, source_lens, max_len, False, draw)


@torch.no_grad()
def speculative(
    target: nn.Module,
    draft: nn.Module,
    source: Tensor,
    source_lens: Tensor,
    generator: torch.Generator | None = None,
    lookahead: int = 4,
    max_len: int = 50,
    temperature: float = 1.0,
) -> SpeculativeResult:
    """Let a small model propose several words and a large one check them all in one pass.

    A proposed word x stays with probability min(1, p(x) / q(x)), p the large model's and q the small one's; the first
    one turned down is replaced by a draw from max(0, p − q), normalised. What is written is distributed exactly as if
    the large model had been sampled alone.

    Args:
        target: the large translator, in evaluation mode.
        draft: the small one, with the same vocabularies.
        source: (1, S) ids.
        source_lens: (1,) integers.
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
    _check_single(source)
    check_count("lookahead", lookahead)
    check_positive("temperature", temperature)
    sizes = [model.config.target_vocab_size for model in (target, draft)]
    if sizes[0] != sizes[1]:
        raise ValueError(
            f"the models must share a vocabulary, but the target's has {sizes[0]} words and the draft's {sizes[1]}"
        )
    large, pending = _begin(target, source, source_lens, max_len)
    small, _ = _begin(draft, source, source_lens, max_len)

    def share(logits: Tensor) -> Tensor:
        return filter_logits(next_word_log_probs(logits), temperature).softmax(-1)

    def draw(shares: Tensor) -> Tensor:
        return torch.multinomial(shares, 1, generator=generator)

    ids: list[int] = []
    unread = pending  # (1 or 2,), what the draft has not read yet
    calls = proposed = accepted = 0
    while len(ids) < max_len and (not ids or ids[-1] != EOS):
        words, beliefs, places = [], [], []
        number = min(lookahead, max_len - len(ids))
        while len(words) < number and (not words or words[-1] != EOS):
            logits = draft.extend(unread[None], small)[0, -1]
            beliefs.append(share(logits))
            places.append(small.copy())  # where the draft stands after reading so far
            unread = draw(beliefs[-1])
            words.append(int(unread))
        asked = torch.cat([pending, pending.new_tensor(words)])
        truths = share(target.extend(asked[None], large)[0])  # (words + 1, V)
        calls, proposed = calls + 1, proposed + len(words)

        kept = 0
        for word, belief, truth in zip(words, beliefs, truths[:-1], strict=True):
            chance = torch.rand((), generator=generator, device=source.device)
            if chance * belief[word] >= truth[word]:
                break
            kept += 1
        ids += words[:kept]
        accepted += kept
        if ids and ids[-1] == EOS:
            break
        target.rewind(large, len(words) - kept)
        if kept < len(words):  # turned down: draw from what the draft gave too little
            rest = (truths[kept] - beliefs[kept]).clamp(min=0)
            pending = draw(rest)
            small, unread = places[kept], pending
        else:  # all stayed, and the last pass has scored one more word for nothing
            pending = draw(truths[-1])
            unread = torch.cat([unread, pending])
        if len(ids) < max_len:
            ids.append(int(pending))
    return SpeculativeResult(ids, calls, proposed, accepted)
