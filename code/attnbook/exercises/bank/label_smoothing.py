"""Exercise label-smoothing: a target that is not quite sure."""

import math

import torch

from ..exercise import Exercise, Mistake, draw, exact


def my_smoothed_loss(logits, target, epsilon):
    """Cross-entropy with a target that gives every word ε/V, and the right one 1 − ε on top.

    logits: (N, V), target: (N,) word numbers, epsilon: from 0 to 1 → one number
    """
    log_probs = logits.log_softmax(dim=-1)  # (N, V)
    right = -log_probs.gather(-1, target[:, None])[:, 0]  # (N,)
    even = -log_probs.mean(dim=-1)  # (N,), −log p averaged over all words
    losses = (1 - epsilon) * right + epsilon * even  # (N,)
    return losses.mean()


def example() -> tuple:
    """−log p is 1, 2, 3, 3 and 2, 2, 2, 2 times log 2."""
    probabilities = exact([1 / 2, 1 / 4, 1 / 8, 1 / 8], [1 / 4, 1 / 4, 1 / 4, 1 / 4])
    return probabilities.log() + exact([1], [-0.5]), torch.tensor([0, 3]), 0.2


def _words(n: int, v: int, epsilon: float, seed: int) -> tuple:
    target = torch.randint(v, (n,), generator=torch.Generator().manual_seed(seed))
    return draw(n, v, seed=seed), target, epsilon


def far_apart() -> tuple:
    return exact([1000, 0, -1000], [-1000, 1000, 0]), torch.tensor([0, 2]), 0.3


def loud_and_quiet() -> tuple:
    return exact([1000, 1001, 1000], [0, 1, 0]), torch.tensor([0, 1]), 0.3


def probes() -> list[tuple]:
    return [_words(2, 7, 0.1, 1301), _words(5, 3, 0.3, 1302), _words(7, 11, 0.15, 1303), _words(3, 13, 0.6, 1304)]


def edges() -> list[tuple]:
    return [_words(3, 5, 0.0, 1305), _words(1, 2, 0.25, 1306), _words(2, 5, 1.0, 1307), far_apart(), loud_and_quiet()]


def space(pick) -> tuple:
    """Any arguments that the task allows."""
    N, V = pick.sizes(1, 1)
    return pick.numbers(N, V, far=1000), pick.ids(N, among=range(V)), pick.of(0.0, 0.25, 0.5, 1.0)


# edits that are used several times
LOG, EVEN, MEAN = "logits.log_softmax(dim=-1)", "-log_probs.mean(dim=-1)", "losses.mean()"  # fmt: skip
MIX = "(1 - epsilon) * right + epsilon * even"
SMOOTH = (
    "torch.full_like(logits, epsilon / logits.shape[-1]).scatter(-1, target[:, None], "
    "1 - epsilon + epsilon / logits.shape[-1])"
)

# fmt: off
MISTAKES = (
    Mistake("not-smoothed", (MIX, "right"),
        "only the right word's −log p enters. That is the ordinary cross-entropy; ε makes no difference.",
        "Where does ε enter your code?"),
    Mistake("spread-over-the-others", (EVEN, "-(log_probs.sum(-1) + right) / (log_probs.shape[-1] - 1)"),
        "ε is spread over the V − 1 *other* words. Some libraries do that; here the right word gets its part of ε "
        "like all others, on top of 1 − ε.", "In the formula, does the sum over v leave out the right word?"),
    Mistake("right-word-without-share", (EVEN, "-(log_probs.sum(-1) + right) / log_probs.shape[-1]"),
        "the right word gets nothing of what is spread. Every wrong word gets ε/V, and the right one 1 − ε alone: "
        "less than 1 in all.", "What do the four entries of your target sum to?"),
    Mistake("even-part-summed", (EVEN, "-log_probs.sum(dim=-1)"),
        "ε is not divided by V: you add ε times the *sum* of −log p over all words. Every word gets the whole of ε, "
        "and the target sums to more than 1.", "How much of ε is there for each word if V words share it?"),
    Mistake("weights-exchanged", (MIX, "epsilon * right + (1 - epsilon) * even"),
        "ε and 1 − ε have changed places. The right word gets ε, and 1 − ε is spread over all words.",
        "If ε is 0, what should be left: the right word's part or the even one?"),
    Mistake("even-part-with-the-wrong-sign", ("+ epsilon", "- epsilon"),
        "the minus is missing in front of the even part. The less probable the other words are, the smaller is "
        "your loss. A mean of logarithms is negative and needs its minus, too.",
        "How many minus signs has the formula, and how many has your code?"),
    Mistake("nothing-taken-away", ("(1 - epsilon) * right", "right"),
        "1 − ε is missing in front of the right word's part. That word keeps a weight of 1, and ε is given away "
        "besides: 1 + ε in all.", "Which word should give up the weight ε that is spread?"),
    Mistake("nothing-given", (MIX, "(1 - epsilon) * right"),
        "the even part is missing. The right word's part has the weight 1 − ε, and the rest, ε, goes to no word. The "
        "best model would be the same as without ε.", "Which words get the weight ε that the right word gives up?"),
    Mistake("even-part-only", (MIX, "epsilon * even"),
        "the right word's part is missing. Only ε times the mean of −log p over all words is left, and `target` makes "
        "no difference.", "Which word should the model have predicted, and where does your code use it?"),
    Mistake("model-smoothed",
        ((LOG, "((1 - epsilon) * logits.softmax(-1) + epsilon / logits.shape[-1]).log()"), (MIX, "right")),
        "the *model's* probabilities are smoothed instead of the target. You mix them with 1/V and then take the "
        "logarithm; the loss is a mean of logarithms, not the logarithm of a mean.",
        "In the formula, is ε inside the logarithm or in front of it?"),
    Mistake("no-logarithm", (LOG, "logits.softmax(dim=-1)"),
        "softmax is used instead of log_softmax. You average probabilities with a minus in front. Over all words "
        "their mean is 1/4, whatever the model thinks: the even part is a constant.",
        "What is −log(1/2), and where is the logarithm in your code?"),
    Mistake("no-softmax", (LOG, "logits"),
        "the softmax is missing: logits are taken for logarithms of probabilities. If you add 1 to all logits of an "
        "example, the loss should not change; yours does.",
        "What turns V numbers of any size into probabilities that sum to 1?"),
    Mistake("log-of-softmax", (LOG, "logits.softmax(dim=-1).log()"),
        "the probabilities are computed first, and then their logarithms. Far from the largest logit a probability is "
        "rounded to 0, and log 0 is −∞; with moderate logits you are right.",
        "Which function computes the logarithm of a softmax in one go?", far_apart),
    Mistake("exp-overflows", (LOG, "logits - logits.exp().sum(-1, keepdim=True).log()"),
        "the exponentials are taken of the logits as they are. exp(1000) is ∞; with moderate logits you are right.",
        "What may be subtracted from all logits of an example without changing a probability?", far_apart),
    Mistake("one-maximum", (LOG, "(lambda e: e - e.exp().sum(-1, keepdim=True).log())(logits - logits.max())"),
        "one maximum is subtracted for the whole batch. Far below it all exponentials of an example are 0, and the "
        "logarithm of their sum is −∞; where all logits are moderate you are right.",
        "Whose maximum should be subtracted from the logits of an example?", loud_and_quiet),
    Mistake("softmax-twice", (LOG, "logits.softmax(dim=-1).log_softmax(dim=-1)"),
        "softmax is applied twice. The second one makes the probabilities nearly equal.",
        "What does the function that takes your logarithm do with its input first?"),
    Mistake("softmax-over-examples", (LOG, "logits.log_softmax(dim=0)"),
        "the softmax runs over the examples (dim=0). In each example the *words* compete.",
        "In logits of shape (N, V), which axis counts the words to choose from?"),
    Mistake("not-averaged", (MEAN, "losses.sum()"),
        "the sum over the examples is not divided by N",
        "By what should you divide so that a batch of twice the size gives the same?"),
    Mistake("divided-by-the-vocabulary", (MEAN, "losses.mean() / logits.shape[-1]"),
        "`.mean()` runs over the vocabulary as well, over all (N, V) products of target and −log p. Over the words "
        "they must be *summed*, since the target's entries are weights already.",
        "Over which axis does your last line sum, and over which does it average?"),
    Mistake("log-likelihood", ("return", "return -1 *"),
        "the minus is missing. Logarithms of probabilities are negative; a loss is what should become smaller.",
        "Should a better model have a smaller or a larger loss?"),
    Mistake("in-bits", ("return", f"return 1 / {math.log(2)} *"),
        "the logarithm has the base 2, which gives the loss in bits. The task takes the natural logarithm.",
        "What is log(1/2), and what is log2(1/2)?"),
    Mistake("divergence", ("+ epsilon", f"- torch.special.entr({SMOOTH}).sum(-1) + epsilon"),
        "the target's own entropy is subtracted. That gives the Kullback–Leibler divergence (`F.kl_div`). Its "
        "gradient is the same, and it would do for training; but it is another number.",
        "In the formula, is there a logarithm of the target?"),
    Mistake("entropy-of-the-model", (EVEN, "-(log_probs.exp() * log_probs).sum(-1)"),
        "the even part is the model's entropy. For each example, −log p of the right word and its mean over "
        "all words should be {right} and {even}. You weight every word with the *model's* probability; evenly means "
        "1/V for every word.", "If all V words are equally likely to be drawn, which weight has each?"),
    Mistake("log-of-the-mean", (EVEN, "-log_probs.exp().mean(-1).log()"),
        "mean and logarithm have changed places in the even part. The mean probability is 1/4, whatever the model "
        "thinks. Wanted is the mean of the logarithms.",
        "Which comes first in the formula, the logarithm or the sum over v?"),
    Mistake("returns-a-number", (MEAN, "losses.mean().item()")),
)

EXERCISE = Exercise(
    name="label-smoothing", title="Something for every word", chapter=13, solution=my_smoothed_loss,
    shapes={"logits": "N V", "target": "N", "epsilon": "a number"}, returns="", example=example, probes=probes,
    edges=edges, mistakes=MISTAKES,
    steps={"right": "−log p of the right words", "even": "the means of −log p over all words",
        "losses": "each example's loss"},
    differentiable=("logits",),
    space=space,
    hints=(
        "The loss mixes two numbers per example: −log p of the right word, and the mean of −log p over the whole "
        "vocabulary. Compute both for every example, (N,) each.",
        "Start from the logarithms of the probabilities, (N, V): `gather` picks the right word's, and the other "
        "number is minus their *mean* over the vocabulary, since every word has the weight 1/V.",
        "Weight the first with `1 - epsilon` and the second with `epsilon`, add, and average over the examples. "
        "`F.cross_entropy` can smooth, too; compare your result with it.",
    ),
    why="With ε = 0.1 and a vocabulary of thousands, it hardly shows in the loss whether ε is spread over V words or "
        "over V − 1, with the right word's own part or without. It matters when losses are compared between programs, "
        "and when V is small. Leaving out the even part is quieter still: the loss is 10 % smaller, which looks like "
        "progress, and the model becomes as sure of itself as before.",
)
