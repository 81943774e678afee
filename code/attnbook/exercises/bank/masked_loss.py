"""Exercise masked-loss: the negative log-likelihood of the real words."""

import torch

from ..arguments import draw, exact
from ..exercise import Exercise, Mistake
from ..recognise import tell


def my_masked_loss(logits, target, pad):
    """Mean of −log p(word) over the real words, without the padding.

    logits: (B, T, V), target: (B, T) word numbers, pad: the number of the padding
    → one number; 0 if all is padding
    """
    log_probs = logits.log_softmax(dim=-1)  # (B, T, V)
    picked = log_probs.gather(-1, target[..., None])[..., 0]  # (B, T)
    nll = -picked
    real = target != pad  # (B, T)
    count = real.sum().clamp(min=1)  # at least 1: an empty batch gives 0/1, not 0/0
    total = (nll * real).sum()
    return total / count


# the probabilities of the right words are 1/2, 1/4 and 1/8; at the padding it is 1/16
PROBABILITIES = [[[1 / 4, 1 / 2, 1 / 4], [1 / 2, 1 / 4, 1 / 4]], [[1 / 2, 1 / 8, 3 / 8], [1 / 16, 7 / 16, 1 / 2]]]


def example() -> tuple:
    shift = exact([[1], [0.5]], [[-1], [0]])
    return exact(*PROBABILITIES).log() + shift, torch.tensor([[1, 2], [1, 0]]), 0


def another_padding() -> tuple:
    """The same with the number 2 for the padding, and 0 an ordinary word."""
    return example()[0][..., [2, 1, 0]], torch.tensor([[1, 0], [1, 2]]), 2


def three_positions() -> tuple:
    """One sentence of two words, and room for a third."""
    logits, _, pad = example()
    return logits[:, [0, 1, 1]][:1], torch.tensor([[1, 2, 0]]), pad


def far_apart() -> tuple:
    """Logits so far apart that a probability is 0: the losses are 1000, 0 and 2000."""
    return exact([[1000, 0, 0], [0, 1000, 0], [-1000, 1000, 0]]), torch.tensor([[1, 1, 0]]), 2


def loud_and_quiet() -> tuple:
    """One position has logits around 1000, the other around 0."""
    return exact([[1000, 1001, 1000], [1, 0, 0]]), torch.tensor([[1, 0]]), 2


def nothing_but_padding() -> tuple:
    logits, target, pad = example()
    return logits, torch.full_like(target, pad), pad


def _batch(shape: tuple, pad: int, lengths: tuple, seed: int) -> tuple:
    batch, time, vocabulary = shape
    source = torch.Generator().manual_seed(seed)
    words = torch.randint(vocabulary - 1, (batch, time), generator=source)
    words = words + (words >= pad)  # every word but the padding
    there = torch.arange(time) < torch.tensor(lengths)[:, None]
    return draw(*shape, seed=seed), words.where(there, pad), pad


def probes() -> list[tuple]:
    return [
        _batch((2, 5, 7), 0, (5, 3), 1101),
        _batch((3, 2, 11), 1, (1, 2, 1), 1102),
        _batch((5, 7, 13), 4, (6, 1, 3, 7, 2), 1103),
        _batch((2, 11, 5), 3, (4, 9), 1104),
    ]


def edges() -> list[tuple]:
    small = _batch((2, 3, 5), 0, (3, 3), 1105), _batch((1, 1, 3), 2, (1,), 1106), _batch((2, 3, 5), 1, (0, 0), 1107)
    return [*small, far_apart(), loud_and_quiet()]


def space(pick) -> tuple:
    """Any arguments that the task allows."""
    B, T, V = pick.sizes(1, 1, 2)
    pad = pick.of(*range(V))
    return pick.numbers(B, T, V, far=3000), pick.rows(B, T, range(V), pad), pad


# edits that are used several times
LOG, REAL = "logits.log_softmax(dim=-1)", "target != pad"
PICK = "log_probs.gather(-1, target[..., None])[..., 0]"
COUNT, TOTAL, MEAN = ("real.sum().clamp(min=1)", "(nll * real).sum()", "total / count")
ZEROED = "(logits * (target != pad)[..., None]).log_softmax(dim=-1)"
SHIFT = (
    (LOG, "logits[:, :-1].log_softmax(dim=-1)"),
    ("target[..., None]", "target[:, 1:, None]"),
    (REAL, "target[:, 1:] != pad"),
)
WORDS = "In logits of shape (B, T, V), which axis counts the words to choose from?"
SHIFTED = "`target` is shifted already. Which word should `logits[0, 0]` have predicted?"

# fmt: off
MISTAKES = (
    Mistake("sums-averaged", (MEAN, "total / len(target)"),
        "the sum is divided by the number of sentences. The mean is one over *words*.",
        "How many losses have you added up?"),
    Mistake("padding-counted", (REAL, "target == target"),
        "the padding counts like any other word. The four positions have the losses {nll}, the last one at padding. "
        "A model trained with this learns to write padding after padding, and its loss falls for it.",
        "How does your code know which of the four positions hold a word?"),
    Mistake("divided-by-everything", (COUNT, "real.numel()"),
        "the padding's loss is set to 0, and then the mean is taken over all positions. The sum is right, {total}; "
        "but you divide it by 4 positions instead of {count} words. The more padding, the better such a loss looks.",
        "How many numbers enter your sum, and how many does the mean count?"),
    Mistake("mean-of-sentence-means", (MEAN, "((nll * real).sum(1) / real.sum(1).clamp(min=1)).mean()"),
        "a mean is taken for each sentence, and then the mean of these. The four positions have the losses {nll}, the "
        "last one at padding. The one word of the short sentence counts as much as both words of the other.",
        "What has the same weight in your mean: every word, or every sentence?"),
    Mistake("not-averaged", (MEAN, "total"),
        "the sum is not divided by the number of words. With a batch twice as large, loss and gradient would be "
        "twice as large, and the learning rate would no longer fit.",
        "By what should you divide so that a batch of twice the size gives the same?"),
    Mistake("inverted", (REAL, "target == pad"),
        "the mask is the wrong way round. The four positions have the losses {nll}, the last one at padding.",
        "Is your mask True for the words or for the padding, and which of the two do you want to sum?"),
    Mistake("padding-is-zero", (REAL, "target != 0"),
        "0 is taken for the padding, whatever `pad` says. Here 0 is an ordinary word, which you leave out, and the "
        "padding, 2, is counted.", "Where does `pad` enter your code?", another_padding),
    Mistake("padding-not-a-word",
        ((LOG, "logits.masked_fill(torch.arange(logits.shape[-1]) == pad, -torch.inf).log_softmax(-1)"),
        (TOTAL, "nll[real].sum()")),
        "the padding is taken out of the vocabulary: its logit is left out of the softmax. The four positions have "
        "the losses {nll}.", "Over how many words does the softmax of the task run?"),
    Mistake("padding-logits-zeroed", ((LOG, ZEROED), (TOTAL, "nll.sum()")),
        "the logits are multiplied by the mask, and not the losses. A logit of 0 is a logit: it makes all three "
        "words equally likely at the padding, and log 3 is added to your sum.",
        "Which quantity must be 0 at the padding so that nothing is added there?"),
    Mistake("softmax-for-log-softmax", (LOG, "logits.softmax(dim=-1)"),
        "softmax is used instead of log_softmax. You average probabilities with a minus in front; the loss is about "
        "their logarithms, so that the cost of a word grows without limit as its probability goes to 0.",
        "What is −log(1/8), and where is the logarithm in your code?"),
    Mistake("no-softmax", (LOG, "logits"),
        "the softmax is missing: logits are taken for logarithms of probabilities. If you add 1 to all logits of a "
        "position, the loss should not change; yours does.",
        "What turns V numbers of any size into probabilities that sum to 1?"),
    Mistake("softmax-twice", (LOG, "logits.softmax(dim=-1).log_softmax(dim=-1)"),
        "softmax is applied twice. The second one makes the probabilities nearly equal: no word can become more than "
        "e times as likely as another. `F.cross_entropy` and `log_softmax` want the logits.",
        "What does the function that takes your logarithm do with its input first?"),
    Mistake("softmax-over-positions", (LOG, "logits.log_softmax(dim=1)"),
        "the softmax runs over T (dim=1). At each position the *words* compete, not the positions of a sentence.",
        WORDS),
    Mistake("shifted", SHIFT,
        "`logits[:, :-1]` is compared with `target[:, 1:]`. You shift once more. In a language model the target is "
        "the input itself and must be shifted; not here.", SHIFTED, three_positions),
    Mistake("log-likelihood", ("-picked", "picked"),
        "the minus is missing. Logarithms of probabilities are negative; making this number smaller would make the "
        "right words ever less likely.", "Should a better model have a smaller or a larger loss?"),
    Mistake("perplexity", (MEAN, "(total / count).exp()"),
        "the exponential of the loss is returned. That is the perplexity: the number of equally likely words that "
        "the model might as well be choosing from.", "Which of your lines comes after the mean?"),
    Mistake("log-of-softmax", (LOG, "logits.softmax(dim=-1).log()"),
        "the probabilities are computed first, and then their logarithms. Far from the largest logit a probability is "
        "rounded to 0, and log 0 is −∞; with moderate logits you are right.",
        "Which function computes the logarithm of a softmax in one go?", far_apart,
        also=tuple((LOG, f"(logits.softmax(dim=-1) + {small}).log()") for small in ("1e-8", "1e-9", "1e-10", "1e-12"))),
    Mistake("exp-overflows", (LOG, "logits - logits.exp().sum(-1, keepdim=True).log()"),
        "the exponentials are taken of the logits as they are. exp(1000) is ∞; with moderate logits you are right.",
        "What may be subtracted from all logits of a position without changing a probability?", far_apart),
    Mistake("one-maximum", (LOG, "(lambda e: e - e.exp().sum(-1, keepdim=True).log())(logits - logits.max())"),
        "one maximum is subtracted for the whole batch. Far below it all exponentials of a position are 0, and the "
        "logarithm of their sum is −∞; where all logits are moderate you are right.",
        "Whose maximum should be subtracted from the logits of a position?", loud_and_quiet),
    Mistake("nan-without-words", (COUNT, "real.sum()"),
        "the sum is divided by the number of words even if that is 0. 0/0 is NaN: one such batch, and after the next "
        "step every parameter of the model is NaN. For all other batches you are right.",
        "Which smallest divisor would leave an empty sum at 0?", nothing_but_padding),
    Mistake("writes-into-argument", (REAL, "target != pad\n    target.masked_fill_(~real, -100)")),
    Mistake("returns-a-number", (MEAN, "(total / count).item()")),
)


def nan_without_words(exercise, fn, cases):
    """Recognise an answer that is right except for batches without a word, where it is NaN."""
    wrong = [case for case in cases if not case.right()]
    if not all((c.arguments[1] == c.arguments[2]).all() and c.got.isnan() for c in wrong):
        return None
    named = {mistake.name: mistake for mistake in exercise.mistakes}
    return tell(exercise, named["nan-without-words"], fn, cases)


EXERCISE = Exercise(
    name="masked-loss", title="The loss at the real words", chapter=11, solution=my_masked_loss,
    shapes={"logits": "B T V", "target": "B T", "pad": "a number"}, returns="", example=example, probes=probes,
    edges=edges, mistakes=MISTAKES,
    steps={"nll": "the losses", "real": "where there is a word", "count": "how many words there are"},
    detectors=(nan_without_words,), differentiable=("logits",),
    space=space,
    hints=(
        "In the example, which positions enter the sum, and what is it divided by?",
        "Take three steps: log-probabilities (B, T, V); the one of the right word at each position (B, T); a mean in "
        "which the padding takes no part. A mask can be multiplied with the losses, and it can be summed.",
        "`gather` picks one of V numbers at each position; its index needs as many axes as the tensor. And `clamp` "
        "keeps a count from falling below 1.",
    ),
    why="Padding is easy to predict: after the first comes more. A loss that counts it falls quickly, and its curve "
        "looks better than an honest one. The same happens if the sum leaves the padding out and the mean still "
        "divides by all positions. Nothing fails; the numbers are just small, and change when batches are sorted by "
        "length, although the model does not.",
)
