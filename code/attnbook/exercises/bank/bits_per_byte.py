"""Exercise bits-per-byte: what a language model's predictions cost, whatever its vocabulary."""

import math

import torch

from ..arguments import draw, exact
from ..exercise import Exercise, Mistake


def my_bits_per_byte(logits, tokens, lens, sizes):
    """Bits per byte of all tokens but each text's first.

    logits: (B, T, V), tokens: (B, T) integers, lens: (B,) how many are real,
    sizes: (V,) bytes of each entry → one number; 0 if nothing is predicted
    """
    log_probs = logits[:, :-1].log_softmax(dim=-1)  # (B, T - 1, V)
    asked = tokens[:, 1:]  # (B, T - 1)
    picked = log_probs.gather(-1, asked[..., None])[..., 0]
    bits = -picked / math.log(2)
    place = torch.arange(1, tokens.shape[1], device=tokens.device)
    real = place < lens[:, None]
    total = (bits * real).sum()
    length = (sizes[asked] * real).sum()
    return total / length.clamp(min=1)  # every entry has a byte: 0/1 if nothing is predicted


# the asked tokens' probabilities are 1/2 and 1/8, and 1/4; they stand for 1 and 6, and 1 bytes
PROBABILITIES = [
    [[1 / 4, 1 / 2, 1 / 4], [1 / 2, 3 / 8, 1 / 8], [1 / 8, 1 / 8, 3 / 4], [1 / 2, 1 / 4, 1 / 4]],
    [[1 / 2, 1 / 4, 1 / 4], [5 / 16, 3 / 16, 1 / 2], [1 / 8, 5 / 8, 1 / 4], [1 / 4, 1 / 2, 1 / 4]],
]


def example() -> tuple:
    tokens = torch.tensor([[0, 1, 2, 1], [0, 1, 0, 0]])
    return exact(*PROBABILITIES).log() + 0.5, tokens, torch.tensor([3, 2]), torch.tensor([3, 1, 6])


def far_apart() -> tuple:
    """Logits so far apart that a probability is 0."""
    logits = exact([[0, 1000, 0], [1000, 0, 0], [0, 0, 0]])
    return logits, torch.tensor([[0, 1, 2]]), torch.tensor([3]), torch.tensor([2, 1, 3])


def loud_and_quiet() -> tuple:
    """One position has logits around 1000, the other around 0."""
    logits = exact([[1000, 1001, 1000], [1, 0, 0], [0, 0, 0]])
    return logits, torch.tensor([[0, 1, 0]]), torch.tensor([3]), torch.tensor([2, 1, 3])


def only_first_tokens() -> tuple:
    logits, tokens, lens, sizes = example()
    return logits, tokens, torch.ones_like(lens), sizes


def _batch(batch: int, time: int, vocabulary: int, lens: tuple, seed: int) -> tuple:
    source = torch.Generator().manual_seed(seed)
    tokens = torch.randint(vocabulary, (batch, time), generator=source)
    sizes = torch.randint(1, 6, (vocabulary,), generator=source)
    return draw(batch, time, vocabulary, seed=seed), tokens, torch.tensor(lens), sizes


def probes() -> list[tuple]:
    return [_batch(2, 5, 7, (5, 3), 1901), _batch(3, 2, 11, (1, 2, 1), 1902), _batch(5, 7, 13, (6, 1, 3, 7, 2), 1903)]


def edges() -> list[tuple]:
    return [_batch(1, 2, 3, (2,), 1904), only_first_tokens(), far_apart(), loud_and_quiet()]


def space(pick) -> tuple:
    """Any arguments that the task allows."""
    B, T, V = pick.sizes(1, 2, 2)
    logits, tokens = pick.numbers(B, T, V, far=3000), pick.ids(B, T, among=range(V))
    return logits, tokens, pick.lengths(B, T, least=1), pick.ids(V, among=range(1, 6))


# edits that are used several times
ASKED = "tokens[:, 1:]", "tokens"
LOG, BITS, REAL = "logits[:, :-1].log_softmax(dim=-1)", "-picked / math.log(2)", "place < lens[:, None]"
TOTAL, LENGTH, RESULT = "(bits * real).sum()", "(sizes[asked] * real).sum()", "total / length.clamp(min=1)"

# fmt: off
MISTAKES = (
    Mistake("nats", (BITS, "-picked"),
        "the natural logarithm is taken: the result is in nats. A probability of 1/2 should cost 1.",
        "To which base is 1/2 a single unit?"),
    Mistake("log10", (BITS, "-picked / math.log(10)"),
        "the logarithm is to base 10. A probability of 1/2 should cost 1.",
        "To which base is 1/2 a single unit?"),
    Mistake("times-log-2", (BITS, "-picked * math.log(2)"),
        "nats are multiplied by log 2 instead of divided. A bit is less than a nat, so there are more of them.",
        "How many bits is −log(1/2) = 0.693 nats?"),
    Mistake("log-likelihood", (BITS, "picked / math.log(2)"),
        "the minus is missing. A likelier text should cost less, not more.",
        "Which sign has the logarithm of a probability?"),
    Mistake("not-shifted", ((LOG, "logits[:, 1:].log_softmax(dim=-1)"),),
        "each token is scored by the logits at its own position, which have read it. The logits before it are the "
        "ones that predict it.",
        "Which token have the logits at position 0 not seen yet?",
        # the same with the first token, with it in the bits only, and without the last one
        also=(((LOG, "logits.log_softmax(dim=-1)"), ASKED, ("torch.arange(1, tokens", "torch.arange(tokens")),
              ((LOG, "logits.log_softmax(dim=-1)"), ASKED, ("torch.arange(1, tokens", "torch.arange(tokens"),
               (LENGTH, "(sizes[asked] * real)[:, 1:].sum()")),
              (("tokens[:, 1:]", "tokens[:, :-1]"),))),
    Mistake("shifted-the-other-way", ((LOG, "logits[:, 1:].log_softmax(dim=-1)"), ("tokens[:, 1:]", "tokens[:, :-1]")),
        "the logits are compared with the token *before* theirs, which the model has read",
        "Which token comes after position t?"),
    Mistake("bytes-of-what-is-read", (LENGTH, "(sizes[tokens[:, :-1]] * real).sum()"),
        "the bytes counted are those of the tokens that are read, not of those that are predicted",
        "Whose bytes do your bits pay for?"),
    Mistake("first-bytes-counted", (LENGTH, "(sizes[tokens] * (torch.arange(tokens.shape[1]) < lens[:, None])).sum()"),
        "the bytes of each text's first token are counted, too, though nothing was paid for it. The bits are right: "
        "{total}; the bytes should be {length}.",
        "For how many tokens of a text do you have a prediction?"),
    Mistake("padding-counted", (REAL, "torch.ones_like(asked) > 0"),
        "the padding is scored like the text. The bits of all positions are {bits}.",
        "How does your code know which positions hold a token?"),
    Mistake("padding-bytes-counted", (LENGTH, "sizes[asked].sum()"),
        "the padding's bits are left out, but its bytes are counted. The bits are right: {total}; the bytes should be "
        "{length}.",
        "Do both sums run over the same tokens?"),
    Mistake("padding-bits-counted", (TOTAL, "bits.sum()"),
        "the padding's bytes are left out, but its bits are counted. The bytes are right: {length}.",
        "Do both sums run over the same tokens?"),
    Mistake("one-too-many", (REAL, "place <= lens[:, None]"),
        "one token too many is scored in each text: the first of its padding",
        "Which positions does a text of 2 tokens have, counted from 0?"),
    Mistake("one-too-few", (REAL, "place < lens[:, None] - 1"),
        "the last token of each text is left out",
        "How many predictions does a text of 3 tokens have?"),
    Mistake("bits-per-token", (LENGTH, "real.sum()"),
        "the bits are divided by the number of tokens: bits per token. The bits are right, {total}. A larger "
        "vocabulary makes this number larger for the same text.",
        "What does not depend on how a text is cut?"),
    Mistake("mean-of-texts", (RESULT, "((bits * real).sum(1) / (sizes[asked] * real).sum(1).clamp(min=1)).mean()"),
        "a ratio is taken for each text, and then their mean: a short text weighs as much as a long one",
        "Which two numbers does the task want divided?",
        # over the texts with a prediction only; with 0/0 for the others
        also=((RESULT, "((bits * real).sum(1) / (sizes[asked] * real).sum(1)).nanmean()"),
              (RESULT, "((bits * real).sum(1) / (sizes[asked] * real).sum(1)).mean()"))),
    Mistake("mean-of-tokens", (RESULT, "(bits / sizes[asked] * real).sum() / real.sum().clamp(min=1)"),
        "a ratio is taken for each token, and then their mean: a token of one byte weighs as much as one of three",
        "Which two numbers does the task want divided?"),
    Mistake("bytes-of-the-vocabulary", (LENGTH, "sizes.sum()"),
        "the bits are divided by the bytes of the whole vocabulary, each entry once. The bits are right: {total}; the "
        "bytes should be {length}.",
        "Whose bytes do your bits pay for, and how often does each entry occur?"),
    Mistake("mean-size", (LENGTH, "real.sum() * sizes.to(logits).mean()"),
        "the bits of a token are divided by the mean size of an entry. Entries occur more or less often; the bytes of "
        "the predicted tokens are {length}.",
        "How many bytes do the three predicted tokens of the example have together?"),
    Mistake("bytes-per-bit", (RESULT, "length / total.clamp(min=1e-9)"),
        "the ratio is the wrong way round: bytes per bit",
        "Should a better model have a smaller or a larger number?"),
    Mistake("perplexity", (RESULT, "2 ** (total / length.clamp(min=1))"),
        "2 is raised to the result, as for a perplexity. The bits themselves are asked for.",
        "What do you return if a token of one byte has the probability 1/2?"),
    Mistake("entropy", ("log_probs.gather(-1, asked[..., None])[..., 0]", "(log_probs.exp() * log_probs).sum(-1)"),
        "the entropy of the predictions is computed, that is, the bits that the model *expects*. The tokens that came "
        "do not enter.", "How sure the model is, or how right: which of the two should your number say?"),
    Mistake("no-bytes", (RESULT, "total"),
        "the bits are not divided by the bytes. The bits are {total}.",
        "What would a text of twice the length cost?"),
    Mistake("softmax-over-positions", (LOG, "logits[:, :-1].log_softmax(dim=1)"),
        "the softmax runs over the positions. At each position the entries of the vocabulary compete.",
        "Which axis of (B, T, V) counts the tokens to choose from?"),
    Mistake("softmax-twice", (LOG, "logits[:, :-1].softmax(dim=-1).log_softmax(dim=-1)"),
        "softmax is applied twice, which makes the probabilities nearly equal",
        "What does the function that takes your logarithm do with its input first?"),
    Mistake("no-softmax", (LOG, "logits[:, :-1]"),
        "logits are taken for logarithms of probabilities. If you add 1 to all logits of a position, the result should "
        "not change; yours does.",
        "What turns V numbers of any size into probabilities that sum to 1?"),
    Mistake("softmax-without-log", (LOG, "logits[:, :-1].softmax(dim=-1)"),
        "probabilities are added up where their logarithms are asked for",
        "What is −log(1/8), to base 2?"),
    Mistake("log-of-softmax", (LOG, "logits[:, :-1].softmax(dim=-1).log()"),
        "the probabilities are computed first, and then their logarithms. Far from the largest logit a probability is "
        "rounded to 0, and log 0 is −∞; with moderate logits you are right.",
        "Which function computes the logarithm of a softmax in one go?", far_apart),
    Mistake("nan-without-tokens", (RESULT, "total / length"),
        "where nothing is predicted, 0 is divided by 0; elsewhere you are right",
        "Which smallest divisor would leave an empty sum at 0?", only_first_tokens),
    Mistake("returns-a-number", (RESULT, "(total / length.clamp(min=1)).item()")),
)

EXERCISE = Exercise(
    name="bits-per-byte", title="Bits per byte", chapter=19, solution=my_bits_per_byte,
    shapes={"logits": "B T V", "tokens": "B T", "lens": "B", "sizes": "V"}, returns="",
    example=example, probes=probes, edges=edges, mistakes=MISTAKES,
    steps={"bits": "the bits of all positions", "real": "which of them count", "total": "the bits together",
        "length": "the bytes together"},
    differentiable=("logits",),
    space=space,
    hints=(
        "Which logits predict the token at position 1, and which predict the first token of a text?",
        "Line up T − 1 rows of logits with T − 1 asked tokens. Both sums, of bits and of bytes, run over the same of "
        "these positions.",
        "In the example the three predictions cost 1, 3 and 2 bits and stand for 1, 6 and 1 bytes. Which divisor does "
        "a text with a single token leave?",
    ),
    why="The mean of `F.cross_entropy` is what training prints, and it falls as the model learns, so it looks like the "
        "score. But it is per token: a vocabulary with longer entries raises it while the text becomes cheaper. "
        "Divide by what no tokenizer can change.",
)
