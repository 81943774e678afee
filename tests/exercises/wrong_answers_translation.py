"""Wrong answers to the exercises of chapters 11 to 13, as readers write them, each with the diagnosis that it should hear."""
# ruff: noqa (this is how people write)

import math
from collections import Counter

import numpy as np
import torch
import torch.nn.functional as F
from wrong_answers import wrong


# --- masked-loss ----------------------------------------------------------------------------------------------


@wrong("masked-loss", "padding-counted")
def loss_of_everything(logits, target, pad):
    return F.cross_entropy(logits.reshape(-1, logits.shape[-1]), target.reshape(-1))


@wrong("masked-loss", "divided-by-everything")
def loss_masked_then_mean(logits, target, pad):
    losses = F.cross_entropy(logits.transpose(1, 2), target, reduction="none")
    return (losses * (target != pad)).mean()


@wrong("masked-loss", "divided-by-everything")
def loss_as_d2l_does(logits, target, pad):
    losses = F.cross_entropy(logits.permute(0, 2, 1), target, reduction="none")
    weighted = losses * (target != pad)
    return weighted.mean(dim=1).mean()


@wrong("masked-loss", "mean-of-sentence-means")
def loss_per_sentence(logits, target, pad):
    losses = F.cross_entropy(logits.permute(0, 2, 1), target, reduction="none")
    mask = (target != pad).double()
    return ((losses * mask).sum(1) / mask.sum(1).clamp(min=1)).mean()


@wrong("masked-loss", "padding-is-zero")
def loss_ignores_index_zero(logits, target, pad):
    total = F.cross_entropy(
        logits.flatten(0, 1), target.flatten(), ignore_index=0, reduction="sum"
    )
    return total / (target != 0).sum().clamp(min=1)


@wrong("masked-loss", "nan-without-words")
def loss_by_ignore_index_alone(logits, target, pad):
    return F.cross_entropy(logits.flatten(0, 1), target.flatten(), ignore_index=pad)


@wrong("masked-loss", "softmax-twice")
def loss_of_softmaxed(logits, target, pad):
    probs = torch.softmax(logits, -1)
    real = target != pad
    return F.cross_entropy(
        probs.flatten(0, 1), target.flatten(), ignore_index=pad, reduction="sum"
    ) / real.sum().clamp(min=1)


@wrong("masked-loss", "no-softmax")
def loss_with_nll_of_logits(logits, target, pad):
    real = target != pad
    return F.nll_loss(
        logits.flatten(0, 1), target.flatten(), ignore_index=pad, reduction="sum"
    ) / real.sum().clamp(min=1)


@wrong("masked-loss", "softmax-for-log-softmax")
def loss_without_log(logits, target, pad):
    p = logits.softmax(-1).gather(-1, target.unsqueeze(-1)).squeeze(-1)
    real = target != pad
    return -(p * real).sum() / real.sum().clamp(min=1)


@wrong("masked-loss", "factor")
def loss_log10(logits, target, pad):
    p = logits.softmax(-1).gather(-1, target.unsqueeze(-1)).squeeze(-1)
    real = target != pad
    return -(p.log10() * real).sum() / real.sum().clamp(min=1)


@wrong("masked-loss", "inverted")
def loss_of_the_padding(logits, target, pad):
    losses = F.cross_entropy(logits.permute(0, 2, 1), target, reduction="none")
    mask = (target == pad).to(losses.dtype)
    return (losses * mask).sum() / mask.sum().clamp(min=1)


@wrong("masked-loss", "shifted")
def loss_shifts_the_target(logits, target, pad):
    return mean_of(logits[:, :-1], target[:, 1:], pad)


def mean_of(logits, target, pad):
    losses = F.cross_entropy(logits.transpose(1, 2), target, reduction="none")
    real = target != pad
    return (losses * real).sum() / real.sum().clamp(min=1)


@wrong("masked-loss", "unknown")
def loss_viewed_instead_of_transposed(logits, target, pad):
    B, T, V = logits.shape
    losses = F.cross_entropy(logits.reshape(B, V, T), target, reduction="none")
    real = target != pad
    return (losses * real).sum() / real.sum().clamp(min=1)


@wrong("masked-loss", "raises")
def loss_untransposed(logits, target, pad):
    return F.cross_entropy(logits, target, ignore_index=pad)


@wrong("masked-loss", "returns-a-number")
def loss_as_a_number(logits, target, pad):
    return float(mean_of(logits, target, pad))


@wrong("masked-loss", "no-gradient")
def loss_under_no_grad(logits, target, pad):
    with torch.no_grad():
        return mean_of(logits, target, pad)


@wrong("masked-loss", "writes-into-argument")
def loss_sets_minus_hundred(logits, target, pad):
    n = (target != pad).sum().clamp(min=1)
    target[target == pad] = -100
    return F.cross_entropy(logits.transpose(1, 2), target, reduction="sum") / n


@wrong("masked-loss", "padding-logits-zeroed")
def loss_zeroes_the_logits(logits, target, pad):
    mask = target != pad
    logits = logits * mask.unsqueeze(-1)
    return F.cross_entropy(
        logits.transpose(1, 2), target, reduction="sum"
    ) / mask.sum().clamp(min=1)


@wrong("masked-loss", "not-averaged")
def loss_summed(logits, target, pad):
    return F.cross_entropy(
        logits.flatten(0, 1), target.flatten(), ignore_index=pad, reduction="sum"
    )


@wrong("masked-loss", "perplexity")
def loss_as_perplexity(logits, target, pad):
    return mean_of(logits, target, pad).exp()


@wrong("masked-loss", "unknown")
def loss_with_a_small_number(logits, target, pad):
    p = logits.softmax(-1).gather(-1, target[..., None])[..., 0]
    real = target != pad
    return -((p + 1e-3).log() * real).sum() / real.sum().clamp(min=1)


@wrong("masked-loss", "unknown")
def loss_adds_one_to_the_count(logits, target, pad):
    losses = F.cross_entropy(logits.transpose(1, 2), target, reduction="none")
    real = target != pad
    return (losses * real).sum() / (real.sum() + 1)


@wrong("masked-loss", "changes-dtype")
def loss_in_float32(logits, target, pad):
    return mean_of(logits.float(), target, pad)


@wrong("masked-loss", "returns-a-tuple")
def loss_returns_the_count(logits, target, pad):
    return mean_of(logits, target, pad), (target != pad).sum()


@wrong("masked-loss", "unknown")
def loss_of_the_vocabularys_mean(logits, target, pad):
    log_probs = logits.log_softmax(-1)
    one_hot = F.one_hot(target, logits.shape[-1])
    real = (target != pad)[..., None]
    return -(log_probs * one_hot * real).mean()


# --- bleu -----------------------------------------------------------------------------------------------------


def grams(tokens, n):
    return [tuple(tokens[i : i + n]) for i in range(len(tokens) - n + 1)]


def near_length(hypothesis, references):
    return min(
        (len(r) for r in references), key=lambda r: (abs(r - len(hypothesis)), r)
    )


def short(c, r):
    return 1.0 if c >= r else math.exp(1 - r / c) if c else 0.0


@wrong("bleu", "not-clipped")
def bleu_with_in(hypothesis, references, max_n):
    product = 1
    for n in range(1, max_n + 1):
        mine = grams(hypothesis, n)
        if not mine:
            return 0.0
        product *= sum(any(g in grams(r, n) for r in references) for g in mine) / len(
            mine
        )
    return short(len(hypothesis), near_length(hypothesis, references)) * product ** (
        1 / max_n
    )


@wrong("bleu", "distinct-only")
def bleu_with_sets(hypothesis, references, max_n):
    product = 1
    for n in range(1, max_n + 1):
        mine = set(grams(hypothesis, n))
        if not mine:
            return 0.0
        theirs = set().union(*(grams(r, n) for r in references))
        product *= len(mine & theirs) / len(mine)
    return short(len(hypothesis), near_length(hypothesis, references)) * product ** (
        1 / max_n
    )


@wrong("bleu", "first-reference-only + first-references-length")
def bleu_of_the_first_reference(hypothesis, references, max_n):
    return core(hypothesis, references[:1], max_n)


def core(
    hypothesis,
    references,
    max_n,
    bp=None,
    mean=lambda ps: math.prod(ps) ** (1 / len(ps)),
):
    ps = []
    for n in range(1, max_n + 1):
        mine = Counter(grams(hypothesis, n))
        granted = Counter()
        for r in references:
            granted |= Counter(grams(r, n))
        ps.append(sum((mine & granted).values()) / sum(mine.values()) if mine else 0.0)
    c, r = len(hypothesis), near_length(hypothesis, references)
    return (short(c, r) if bp is None else bp(c, r)) * mean(ps)


@wrong("bleu", "no-penalty")
def bleu_without_penalty(hypothesis, references, max_n):
    return core(hypothesis, references, max_n, bp=lambda c, r: 1)


@wrong("bleu", "arithmetic-mean")
def bleu_averages_plainly(hypothesis, references, max_n):
    return core(hypothesis, references, max_n, mean=lambda ps: sum(ps) / max_n)


@wrong("bleu", "arithmetic-mean")
def bleu_with_numpy_mean(hypothesis, references, max_n):
    return core(hypothesis, references, max_n, mean=lambda ps: float(np.mean(ps)))


@wrong("bleu", "unknown")
def bleu_harmonic(hypothesis, references, max_n):
    return core(
        hypothesis,
        references,
        max_n,
        mean=lambda ps: len(ps) / sum(1 / p for p in ps) if all(ps) else 0.0,
    )


@wrong("bleu", "long-ones-punished")
def bleu_penalises_length(hypothesis, references, max_n):
    return core(
        hypothesis, references, max_n, bp=lambda c, r: math.exp(min(0, 1 - c / r))
    )


@wrong("bleu", "penalty-above-one")
def bleu_rewards_length(hypothesis, references, max_n):
    return core(
        hypothesis, references, max_n, bp=lambda c, r: math.exp(1 - r / c) if c else 0
    )


@wrong("bleu", "right-for-the-example-only")
def bleu_penalises_any_difference(hypothesis, references, max_n):
    return core(
        hypothesis,
        references,
        max_n,
        bp=lambda c, r: math.exp(-abs(1 - r / c)) if c else 0,
    )


@wrong("bleu", "log-of-zero")
def bleu_takes_logs(hypothesis, references, max_n):
    return core(
        hypothesis,
        references,
        max_n,
        mean=lambda ps: math.exp(sum(math.log(p) for p in ps) / max_n),
    )


@wrong("bleu", "few-digits")
def bleu_with_epsilon(hypothesis, references, max_n):
    return core(
        hypothesis,
        references,
        max_n,
        mean=lambda ps: math.exp(sum(math.log(p + 1e-9) for p in ps) / max_n),
    )


@wrong("bleu", "orders-without-match-skipped")
def bleu_skips_empty(hypothesis, references, max_n):
    return core(
        hypothesis,
        references,
        max_n,
        mean=lambda ps: math.prod([p for p in ps if p] or [0]) ** (1 / max_n),
    )


@wrong("bleu", "d2l-weights")
def bleu_as_in_d2l(hypothesis, references, max_n):
    return core(
        hypothesis,
        references,
        max_n,
        mean=lambda ps: math.prod(p ** (0.5**n) for n, p in enumerate(ps, 1)),
    )


@wrong("bleu", "unknown")
def bleu_weights_from_zero(hypothesis, references, max_n):
    return core(
        hypothesis,
        references,
        max_n,
        mean=lambda ps: math.prod(p ** (0.5**n) for n, p in enumerate(ps)),
    )


@wrong("bleu", "percent")
def bleu_in_percent(hypothesis, references, max_n):
    return round(100 * core(hypothesis, references, max_n), 6)


@wrong("bleu", "few-digits")
def bleu_rounded(hypothesis, references, max_n):
    return round(core(hypothesis, references, max_n), 2)


@wrong("bleu", "letters")
def bleu_of_letters(hypothesis, references, max_n):
    return core(" ".join(hypothesis), [" ".join(r) for r in references], max_n)


@wrong("bleu", "raises")
def bleu_splits_again(hypothesis, references, max_n):
    return core(hypothesis.split(), [r.split() for r in references], max_n)


@wrong("bleu", "longest-reference")
def bleu_by_the_longest(hypothesis, references, max_n):
    r = max(len(r) for r in references)
    return core(hypothesis, references, max_n, bp=lambda c, _: short(c, r))


@wrong("bleu", "unknown")
def bleu_by_all_lengths_together(hypothesis, references, max_n):
    r = sum(len(r) for r in references)
    return core(hypothesis, references, max_n, bp=lambda c, _: short(c, r))


@wrong("bleu", "writes-into-argument")
def bleu_uses_up_the_references(hypothesis, references, max_n):
    best = 0
    answer = core(hypothesis, references, max_n)
    while references:
        references.pop()
    return max(best, answer)


@wrong("bleu", "unknown")
def bleu_sorts_the_hypothesis(hypothesis, references, max_n):
    return core(sorted(hypothesis), [sorted(r) for r in references], max_n)


@wrong("bleu", "returns-a-tuple")
def bleu_returns_precisions(hypothesis, references, max_n):
    return core(hypothesis, references, max_n, bp=lambda c, r: 1, mean=lambda ps: ps)


@wrong("bleu", "returns-none")
def bleu_returns_nothing_when_short(hypothesis, references, max_n):
    if len(hypothesis) >= max_n:
        return core(hypothesis, references, max_n)


@wrong("bleu", "ignores-an-argument")
def bleu_of_four(hypothesis, references, max_n):
    return core(hypothesis, references, 4)


# --- bahdanau-step --------------------------------------------------------------------------------------------


def attend(
    query, memory, lens, W_k, w_v, act=torch.tanh, fill=-torch.inf, dim=-1, values=None
):
    keys = memory @ W_k.T
    e = act(query[:, None] + keys) @ w_v
    if fill is not None:
        e = e.masked_fill(
            torch.arange(memory.shape[1], device=memory.device) >= lens[:, None], fill
        )
    a = e.softmax(dim)
    return (a[:, None] @ (memory if values is None else keys))[:, 0], a


@wrong("bahdanau-step", "bottom-layer")
def bahdanau_asks_below(state, memory, lens, W_q, W_k, w_v):
    return attend(state[0] @ W_q.T, memory, lens, W_k, w_v)


@wrong("bahdanau-step", "layers-averaged")
def bahdanau_asks_all_layers(state, memory, lens, W_q, W_k, w_v):
    return attend(state.mean(dim=0) @ W_q.T, memory, lens, W_k, w_v)


@wrong("bahdanau-step", "raises")
def bahdanau_asks_the_last_sentence(state, memory, lens, W_q, W_k, w_v):
    return attend(state[:, -1] @ W_q.T, memory, lens, W_k, w_v)


@wrong("bahdanau-step", "no-tanh")
def bahdanau_without_tanh(state, memory, lens, W_q, W_k, w_v):
    return attend(state[-1] @ W_q.T, memory, lens, W_k, w_v, act=lambda x: x)


@wrong("bahdanau-step", "relu-for-tanh")
def bahdanau_with_relu(state, memory, lens, W_q, W_k, w_v):
    return attend(state[-1] @ W_q.T, memory, lens, W_k, w_v, act=torch.relu)


@wrong("bahdanau-step", "sigmoid-for-tanh")
def bahdanau_with_sigmoid(state, memory, lens, W_q, W_k, w_v):
    return attend(state[-1] @ W_q.T, memory, lens, W_k, w_v, act=torch.sigmoid)


@wrong("bahdanau-step", "padding-attended")
def bahdanau_forgets_the_lengths(state, memory, lens, W_q, W_k, w_v):
    return attend(state[-1] @ W_q.T, memory, lens, W_k, w_v, fill=None)


@wrong("bahdanau-step", "zero-fill")
def bahdanau_fills_zero(state, memory, lens, W_q, W_k, w_v):
    return attend(state[-1] @ W_q.T, memory, lens, W_k, w_v, fill=0.0)


@wrong("bahdanau-step", "padding-heard")
def bahdanau_fills_a_little(state, memory, lens, W_q, W_k, w_v):
    return attend(state[-1] @ W_q.T, memory, lens, W_k, w_v, fill=-5.0)


@wrong("bahdanau-step", "keys-averaged")
def bahdanau_averages_keys(state, memory, lens, W_q, W_k, w_v):
    return attend(state[-1] @ W_q.T, memory, lens, W_k, w_v, values="keys")


@wrong("bahdanau-step", "softmax-over-batch")
def bahdanau_softmax_dim_0(state, memory, lens, W_q, W_k, w_v):
    return attend(state[-1] @ W_q.T, memory, lens, W_k, w_v, fill=-1e30, dim=0)


@wrong("bahdanau-step", "scaled")
def bahdanau_scaled(state, memory, lens, W_q, W_k, w_v):
    return attend(state[-1] @ W_q.T, memory, lens, W_k, w_v / math.sqrt(W_q.shape[0]))


@wrong("bahdanau-step", "dot-product")
def bahdanau_dot(state, memory, lens, W_q, W_k, w_v):
    e = ((memory @ W_k.T) @ (state[-1] @ W_q.T)[:, :, None])[..., 0]
    a = e.masked_fill(torch.arange(e.shape[1]) >= lens[:, None], -torch.inf).softmax(-1)
    return (a[..., None] * memory).sum(1), a


@wrong("bahdanau-step", "maps-exchanged")
def bahdanau_exchanges_the_maps(state, memory, lens, W_q, W_k, w_v):
    query = state[-1] @ W_k.T
    keys = memory @ W_q.T
    return query, keys


@wrong("bahdanau-step", "not-transposed")
def bahdanau_does_not_transpose(state, memory, lens, W_q, W_k, w_v):
    query = state[-1] @ W_q
    keys = memory @ W_k
    return query, keys


@wrong("bahdanau-step", "raises")
def bahdanau_forgets_the_axis(state, memory, lens, W_q, W_k, w_v):
    query = state[-1] @ W_q.T
    keys = memory @ W_k.T
    e = torch.tanh(query + keys) @ w_v
    return e, e


@wrong("bahdanau-step", "one-thing-only")
def bahdanau_returns_the_context(state, memory, lens, W_q, W_k, w_v):
    return attend(state[-1] @ W_q.T, memory, lens, W_k, w_v)[0]


@wrong("bahdanau-step", "order-of-results")
def bahdanau_returns_the_other_order(state, memory, lens, W_q, W_k, w_v):
    context, weights = attend(state[-1] @ W_q.T, memory, lens, W_k, w_v)
    return weights, context


@wrong("bahdanau-step", "wrong-shape")
def bahdanau_keeps_an_axis(state, memory, lens, W_q, W_k, w_v):
    context, weights = attend(state[-1] @ W_q.T, memory, lens, W_k, w_v)
    return context[:, None], weights[:, None]


@wrong("bahdanau-step", "wrong-shape")
def bahdanau_squeezes_everything(state, memory, lens, W_q, W_k, w_v):
    context, weights = attend(state[-1] @ W_q.T, memory, lens, W_k, w_v)
    return context.squeeze(), weights.squeeze()


@wrong("bahdanau-step", "scores-for-weights")
def bahdanau_returns_scores(state, memory, lens, W_q, W_k, w_v):
    e = torch.tanh((state[-1] @ W_q.T)[:, None] + memory @ W_k.T) @ w_v
    e = e.masked_fill(torch.arange(memory.shape[1]) >= lens[:, None], -torch.inf)
    return (e.softmax(-1)[:, None] @ memory)[:, 0], e


@wrong("bahdanau-step", "unknown")
def bahdanau_context_is_the_last_state(state, memory, lens, W_q, W_k, w_v):
    _, weights = attend(state[-1] @ W_q.T, memory, lens, W_k, w_v)
    return memory[torch.arange(len(lens)), lens - 1], weights


@wrong("bahdanau-step", "gradient-cut")
def bahdanau_detaches_the_query(state, memory, lens, W_q, W_k, w_v):
    return attend(state[-1].detach() @ W_q.T, memory, lens, W_k, w_v)


@wrong("bahdanau-step", "writes-into-argument")
def bahdanau_writes_into_memory(state, memory, lens, W_q, W_k, w_v):
    result = attend(state[-1] @ W_q.T, memory, lens, W_k, w_v)
    for b, n in enumerate(lens.tolist()):
        memory[b, n:] = 0
    return result


@wrong("bahdanau-step", "changes-dtype")
def bahdanau_in_float32(state, memory, lens, W_q, W_k, w_v):
    context, weights = attend(state[-1] @ W_q.T, memory, lens, W_k, w_v)
    return context.double(), weights.double()


@wrong("bahdanau-step", "longest-length")
def bahdanau_one_length(state, memory, lens, W_q, W_k, w_v):
    return attend(state[-1] @ W_q.T, memory, lens.max().expand(len(lens)), W_k, w_v)


@wrong("bahdanau-step", "padding-heard")
def bahdanau_zeroes_the_memory(state, memory, lens, W_q, W_k, w_v):
    real = torch.arange(memory.shape[1]) < lens[:, None]
    return attend(
        state[-1] @ W_q.T, memory * real[..., None], lens, W_k, w_v, fill=None
    )


# --- fill-alignment -------------------------------------------------------------------------------------------


@wrong("fill-alignment", "padding-chosen")
def alignment_of_all(weights, source_len):
    return torch.argmax(weights, dim=-1).tolist()


@wrong("fill-alignment", "one-number")
def alignment_without_dim(weights, source_len):
    return weights[:, :source_len].argmax().item()


@wrong("fill-alignment", "over-the-target-words")
def alignment_of_columns(weights, source_len):
    return weights[:, :source_len].argmax(dim=0).tolist()


@wrong("fill-alignment", "padding-chosen + over-the-target-words")
def alignment_of_all_columns(weights, source_len):
    return weights.argmax(dim=0).tolist()


@wrong("fill-alignment", "rows-cut")
def alignment_cuts_rows(weights, source_len):
    return weights[:source_len].argmax(-1).tolist()


@wrong("fill-alignment", "a-tensor")
def alignment_as_a_tensor(weights, source_len):
    return torch.argmax(weights[:, :source_len], 1)


@wrong("fill-alignment", "tensors-inside")
def alignment_of_tensors(weights, source_len):
    return [row[:source_len].argmax() for row in weights]


@wrong("fill-alignment", "tensors-inside")
def alignment_of_numpy_numbers(weights, source_len):
    return list(np.argmax(weights.numpy()[:, :source_len], axis=1))


@wrong("fill-alignment", "an-array")
def alignment_as_an_array(weights, source_len):
    return weights.numpy()[:, :source_len].argmax(1)


@wrong("fill-alignment", "a-tuple")
def alignment_as_a_tuple(weights, source_len):
    return tuple(weights[:, :source_len].argmax(1).tolist())


@wrong("fill-alignment", "returns-another-kind")
def alignment_of_values(weights, source_len):
    return weights[:, :source_len].max(dim=1)[0].tolist()


@wrong("fill-alignment", "returns-a-tuple")
def alignment_with_values(weights, source_len):
    values, indices = weights[:, :source_len].max(dim=1)
    return values.tolist(), indices.tolist()


@wrong("fill-alignment", "returns-a-tuple")
def alignment_both(weights, source_len):
    values, indices = weights[:, :source_len].max(dim=1)
    return indices.tolist(), values.tolist()


@wrong("fill-alignment", "counted-from-one")
def alignment_from_one(weights, source_len):
    return [1 + max(range(source_len), key=row.__getitem__) for row in weights.tolist()]


@wrong("fill-alignment", "last-word-left-out")
def alignment_without_the_last(weights, source_len):
    best = []
    for row in weights.tolist():
        at = 0
        for i in range(source_len - 1):
            at = i if row[i] > row[at] else at
        best.append(at)
    return best


@wrong("fill-alignment", "one-column-too-many")
def alignment_with_the_first_padding(weights, source_len):
    return weights[:, : source_len + 1].argmax(1).tolist()


@wrong("fill-alignment", "unknown")
def alignment_by_the_last_word(weights, source_len):
    return [weights[-1, :source_len].argmax().item()] * len(weights)


@wrong("fill-alignment", "ignores-an-argument")
def alignment_returns_early(weights, source_len):
    for row in weights:
        return [row[:source_len].argmax().item()]


@wrong("fill-alignment", "prints")
def alignment_prints(weights, source_len):
    print(weights[:, :source_len].argmax(1).tolist())


@wrong("fill-alignment", "returns-a-tuple")
def alignment_as_pairs(weights, source_len):
    return [(int(i), j) for j, i in enumerate(weights[:, :source_len].argmax(1))]


@wrong("fill-alignment", "returns-another-kind")
def alignment_as_a_dictionary(weights, source_len):
    return {j: int(i) for j, i in enumerate(weights[:, :source_len].argmax(1))}


@wrong("fill-alignment", "padding-as-minus-one")
def alignment_minus_one_for_padding(weights, source_len):
    return [i if i < source_len else -1 for i in weights.argmax(1).tolist()]


@wrong("fill-alignment", "unknown")
def alignment_modulo(weights, source_len):
    return [i % source_len for i in weights.argmax(1).tolist()]


@wrong("fill-alignment", "returns-none")
def alignment_forgets_return(weights, source_len):
    weights[:, :source_len].argmax(1).tolist()


@wrong("fill-alignment", "writes-into-argument")
def alignment_zeroes_in_place(weights, source_len):
    weights[:, source_len:] = 0
    return weights.argmax(1).tolist()


@wrong("fill-alignment", "unknown")
def alignment_subtracts_the_length(weights, source_len):
    return (weights[:, :source_len].argmax(1) - source_len).tolist()


# --- label-smoothing ------------------------------------------------------------------------------------------


@wrong("label-smoothing", "not-smoothed")
def smoothing_forgotten(logits, target, epsilon):
    return F.cross_entropy(logits, target)


@wrong("label-smoothing", "spread-over-the-others")
def smoothing_over_the_others(logits, target, epsilon):
    V = logits.shape[1]
    smooth = torch.full_like(logits, epsilon / (V - 1))
    smooth.scatter_(1, target[:, None], 1 - epsilon)
    return -(smooth * F.log_softmax(logits, 1)).sum(1).mean()


@wrong("label-smoothing", "right-word-without-share")
def smoothing_overwrites_the_share(logits, target, epsilon):
    V = logits.shape[1]
    smooth = torch.full_like(logits, epsilon / V)
    smooth.scatter_(1, target[:, None], 1 - epsilon)
    return -(smooth * F.log_softmax(logits, 1)).sum(1).mean()


@wrong("label-smoothing", "nothing-taken-away")
def smoothing_adds_on_top(logits, target, epsilon):
    V = logits.shape[1]
    smooth = F.one_hot(target, V) + epsilon / V
    return -(smooth * F.log_softmax(logits, 1)).sum(1).mean()


@wrong("label-smoothing", "even-part-summed")
def smoothing_without_V(logits, target, epsilon):
    smooth = (1 - epsilon) * F.one_hot(target, logits.shape[1]) + epsilon
    return -(smooth * F.log_softmax(logits, 1)).sum(1).mean()


@wrong("label-smoothing", "divided-by-the-vocabulary")
def smoothing_means_over_all(logits, target, epsilon):
    V = logits.shape[1]
    smooth = (1 - epsilon) * F.one_hot(target, V) + epsilon / V
    return -(smooth * F.log_softmax(logits, 1)).mean()


@wrong("label-smoothing", "not-averaged")
def smoothing_sums_over_all(logits, target, epsilon):
    V = logits.shape[1]
    smooth = (1 - epsilon) * F.one_hot(target, V) + epsilon / V
    return -(smooth * F.log_softmax(logits, 1)).sum()


@wrong("label-smoothing", "weights-exchanged")
def smoothing_exchanged(logits, target, epsilon):
    lp = F.log_softmax(logits, 1)
    return epsilon * F.nll_loss(lp, target) - (1 - epsilon) * lp.mean()


@wrong("label-smoothing", "even-part-with-the-wrong-sign")
def smoothing_with_a_minus_missing(logits, target, epsilon):
    lp = F.log_softmax(logits, 1)
    return (1 - epsilon) * F.nll_loss(lp, target) + epsilon * lp.mean()


@wrong("label-smoothing", "model-smoothed")
def smoothing_of_the_model(logits, target, epsilon):
    p = (1 - epsilon) * logits.softmax(1) + epsilon / logits.shape[1]
    return F.nll_loss(p.log(), target)


@wrong("label-smoothing", "unknown")
def smoothing_of_the_logits(logits, target, epsilon):
    return F.cross_entropy((1 - epsilon) * logits, target)


@wrong("label-smoothing", "divergence")
def smoothing_by_kl(logits, target, epsilon):
    V = logits.shape[1]
    smooth = (1 - epsilon) * F.one_hot(target, V) + epsilon / V
    return F.kl_div(logits.log_softmax(1), smooth, reduction="batchmean")


@wrong("label-smoothing", "no-logarithm")
def smoothing_of_probabilities(logits, target, epsilon):
    V = logits.shape[1]
    smooth = (1 - epsilon) * F.one_hot(target, V) + epsilon / V
    return -(smooth * logits.softmax(1)).sum(1).mean()


@wrong("label-smoothing", "no-softmax")
def smoothing_without_softmax(logits, target, epsilon):
    V = logits.shape[1]
    smooth = (1 - epsilon) * F.one_hot(target, V) + epsilon / V
    return -(smooth * logits).sum(1).mean()


@wrong("label-smoothing", "unknown")
def smoothing_squared(logits, target, epsilon):
    V = logits.shape[1]
    smooth = (1 - epsilon) * F.one_hot(target, V) + epsilon / V
    return ((smooth - logits.softmax(1)) ** 2).sum(1).mean()


@wrong("label-smoothing", "unknown")
def smoothing_over_examples(logits, target, epsilon):
    N = logits.shape[0]
    smooth = (1 - epsilon) * F.one_hot(target, logits.shape[1]) + epsilon / N
    return -(smooth * F.log_softmax(logits, 1)).sum(1).mean()


@wrong("label-smoothing", "softmax-over-examples")
def smoothing_dim_0(logits, target, epsilon):
    lp = F.log_softmax(logits, dim=0)
    return (1 - epsilon) * F.nll_loss(lp, target) - epsilon * lp.mean()


@wrong("label-smoothing", "returns-a-number")
def smoothing_as_a_number(logits, target, epsilon):
    return F.cross_entropy(logits, target, label_smoothing=epsilon).item()


@wrong("label-smoothing", "not-summed")
def smoothing_for_each(logits, target, epsilon):
    return F.cross_entropy(logits, target, label_smoothing=epsilon, reduction="none")


@wrong("label-smoothing", "ignores-an-argument")
def smoothing_a_tenth(logits, target, epsilon):
    return F.cross_entropy(logits, target, label_smoothing=0.1)


@wrong("label-smoothing", "wrong-gradient")
def smoothing_detached(logits, target, epsilon):
    lp = F.log_softmax(logits, 1)
    return (1 - epsilon) * F.nll_loss(lp, target) - epsilon * lp.detach().mean()


@wrong("label-smoothing", "writes-into-argument")
def smoothing_in_place(logits, target, epsilon):
    logits -= logits.logsumexp(1, keepdim=True)
    return (1 - epsilon) * F.nll_loss(logits, target) - epsilon * logits.mean()


@wrong("label-smoothing", "unknown")
def smoothing_twice(logits, target, epsilon):
    V = logits.shape[1]
    smooth = (1 - epsilon) * F.one_hot(target, V) + epsilon / V
    return F.cross_entropy(logits, smooth, label_smoothing=epsilon)


@wrong("label-smoothing", "ignores-an-argument")
def smoothing_half(logits, target, epsilon):
    lp = F.log_softmax(logits, 1)
    return F.nll_loss(lp, target) / 2 - lp.mean() / 2


import wrong_answers_decoding  # those on decoding have a file of their own
