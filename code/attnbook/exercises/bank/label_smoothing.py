"""Exercise label-smoothing: a target that is not quite sure, as Tensor2Tensor has it."""

import math

import torch

from ..arguments import draw, exact
from ..exercise import Exercise, Mistake


def my_smoothed_loss(logits, target, epsilon):
    """The loss with ε spread over the other words, less the smallest value that it can have.

    logits: (N, V), V at least 2; target: (N,) word numbers; epsilon: from 0 to 1 → one number
    """
    V = logits.shape[-1]
    log_probs = logits.log_softmax(dim=-1)  # (N, V)
    right = -log_probs.gather(-1, target[:, None])[:, 0]  # (N,)
    rest = log_probs.scatter(-1, target[:, None], 0.0)  # (N, V), 0 at the right word
    others = -rest.sum(dim=-1) / (V - 1)  # (N,), −log p averaged
    losses = (1 - epsilon) * right + epsilon * others  # (N,)
    kept, given = 1 - epsilon, epsilon / (V - 1)  # to the right word, to each other one
    least = -kept * math.log(kept or 1) - (1 - kept) * math.log(given or 1)
    return losses.mean() - least


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
    N, V = pick.sizes(1, 2)
    return pick.numbers(N, V, far=1000), pick.ids(N, among=range(V)), pick.of(0.0, 0.25, 0.5, 1.0)


# edits that are used several times
LOG, RESULT = "logits.log_softmax(dim=-1)", "losses.mean() - least"
OTHERS = "-rest.sum(dim=-1) / (V - 1)"
MIX = "(1 - epsilon) * right + epsilon * others"
SHARES = "kept, given = 1 - epsilon, epsilon / (V - 1)"
SECOND = "(1 - kept) * math.log(given or 1)"

# fmt: off
MISTAKES = (
    Mistake("smallest-of-two-words", (SECOND, "(1 - kept) * math.log(1 - kept or 1)"),
        "the smallest value is that of two words with 1 − ε and ε. The ε is spread over V − 1 words, each with "
        "ε/(V − 1).", "What is the entropy of the whole target, word by word?"),
    Mistake("smallest-of-the-batch", (RESULT, "(losses - losses.min()).mean()"),
        "the smallest loss of the batch is subtracted. The smallest possible value belongs to the target, whatever the "
        "model says.", "What would the loss be if the model's probabilities were the target itself?"),
    Mistake("target-exchanged", ((MIX, "epsilon * right + (1 - epsilon) * others"),
            (SHARES, "kept, given = epsilon, (1 - epsilon) / (V - 1)")),
        "ε and 1 − ε have changed places throughout. The right word gets ε, and 1 − ε is spread over the others.",
        "How much should the right word keep if ε is 0.2?"),
    Mistake("not-smoothed", ((MIX, "right"), (RESULT, "losses.mean()")),
        "only the right word's −log p enters. That is the ordinary cross-entropy; ε makes no difference.",
        "Where does ε enter your code?"),
    Mistake("spread-over-all",
        ((OTHERS, "-log_probs.mean(dim=-1)"), (SHARES, "kept, given = 1 - epsilon + epsilon / V, epsilon / V")),
        "ε is spread over all V words, the right one included. That is the chapter's layout (and PyTorch's); here the "
        "right word gets nothing of ε.", "Among how many words is ε divided here?"),
    Mistake("two-layouts", (OTHERS, "-log_probs.mean(dim=-1)"),
        "the loss spreads ε over all V words, and the smallest value is that of the other layout. Your result can fall "
        "below 0.", "Is the target in your loss the one whose entropy you subtract?"),
    Mistake("smallest-of-the-chapter", (SHARES, "kept, given = 1 - epsilon + epsilon / V, epsilon / V"),
        "the smallest value is that of the chapter's layout, in which the right word gets its part of ε. Here it keeps "
        "1 − ε alone.", "Which probabilities has the target here, and what do they sum to?"),
    Mistake("nothing-subtracted", (RESULT, "losses.mean()"),
        "the smallest value is not subtracted. A model that gives every word what the target asks for should have 0.",
        "How large is the loss when the model's distribution is the target?"),
    Mistake("smallest-added", (RESULT, "losses.mean() + least"),
        "the smallest value is added, not subtracted",
        "Can the loss be 0 in your code, and for which model should it be?"),
    Mistake("smallest-of-one-other", (SECOND, "given * math.log(given or 1)"),
        "in the smallest value only one of the other words is counted. There are V − 1 of them, each with ε/(V − 1).",
        "Over how many words does the entropy of the target sum?"),
    Mistake("smallest-without-the-right-word", ("-kept * math.log(kept or 1) - (", "-("),
        "the right word is missing from the smallest value. Its part is −(1 − ε) log(1 − ε).",
        "Over how many words does the entropy of the target sum?"),
    Mistake("right-word-among-the-others", (OTHERS, "-log_probs.sum(dim=-1) / (V - 1)"),
        "the right word is still in the sum over the others. It is divided by V − 1, but V words are added.",
        "How do you take the right word's −log p out of the sum over all words?"),
    Mistake("right-word-without-share", (OTHERS, "-rest.sum(dim=-1) / V"),
        "ε is divided by V, and the right word gets no part. The target sums to less than 1.",
        "What do the four entries of your target sum to?"),
    Mistake("others-summed", (OTHERS, "-rest.sum(dim=-1)"),
        "ε is not divided by V − 1: you add ε times the *sum* of −log p over the others. Every other word gets the "
        "whole of ε.", "How much of ε is there for each word if V − 1 words share it?"),
    Mistake("weights-exchanged", (MIX, "epsilon * right + (1 - epsilon) * others"),
        "ε and 1 − ε have changed places. The right word gets ε, and 1 − ε is spread over the others.",
        "If ε is 0, what should be left: the right word's part or the others'?"),
    Mistake("others-with-the-wrong-sign", ("+ epsilon", "- epsilon"),
        "the minus is missing in front of the others' part. The less probable the other words are, the smaller is "
        "your loss. A mean of logarithms is negative and needs its minus, too.",
        "How many minus signs has the formula, and how many has your code?"),
    Mistake("nothing-taken-away", ("(1 - epsilon) * right", "right"),
        "1 − ε is missing in front of the right word's part. That word keeps a weight of 1, and ε is given away "
        "besides: 1 + ε in all.", "Which word should give up the weight ε that is spread?"),
    Mistake("nothing-given", (MIX, "(1 - epsilon) * right"),
        "the others' part is missing. The right word's part has the weight 1 − ε, and the rest, ε, goes to no word.",
        "Which words get the weight ε that the right word gives up?"),
    Mistake("others-only", (MIX, "epsilon * others"),
        "the right word's part is missing. Only ε times the mean of −log p over the others is left.",
        "Which word should the model have predicted, and what weight does it keep?"),
    Mistake("model-smoothed",
        ((LOG, "((1 - epsilon) * logits.softmax(-1) + epsilon / V).log()"), (MIX, "right"), (RESULT, "losses.mean()")),
        "the *model's* probabilities are smoothed instead of the target. You mix them with 1/V and then take the "
        "logarithm; the loss is a mean of logarithms, not the logarithm of a mean.",
        "In the formula, is ε inside the logarithm or in front of it?"),
    Mistake("no-logarithm", (LOG, "logits.softmax(dim=-1)"),
        "softmax is used instead of log_softmax. You average probabilities with a minus in front.",
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
    Mistake("not-averaged", (RESULT, "(losses - least).sum()"),
        "the sum over the examples is not divided by N",
        "By what should you divide so that a batch of twice the size gives the same?"),
    Mistake("only-the-loss-summed", (RESULT, "losses.sum() - least"),
        "the losses are summed over the examples, and the smallest value is subtracted once",
        "By what should you divide so that a batch of twice the size gives the same?"),
    Mistake("divided-by-the-vocabulary", (RESULT, "losses.mean() / V - least"),
        "`.mean()` runs over the vocabulary as well, over all (N, V) products of target and −log p. Over the words "
        "they must be *summed*, since the target's entries are weights already.",
        "Over which axis does your last line sum, and over which does it average?"),
    Mistake("wrong-way-round", (RESULT, "least - losses.mean()"),
        "the loss is subtracted from its smallest value, or a minus is missing. A loss is what should become smaller.",
        "Should a better model have a smaller or a larger loss?"),
    Mistake("in-bits", (RESULT, f"(losses.mean() - least) / {math.log(2)}"),
        "the logarithm has the base 2, which gives the loss in bits. The task takes the natural logarithm.",
        "What is log(1/2), and what is log2(1/2)?"),
    Mistake("log-of-the-mean", (OTHERS, "-((1 - (-right).exp()) / (V - 1)).log()"),
        "mean and logarithm have changed places in the others' part. Wanted is the mean of their logarithms.",
        "Which comes first in the formula, the logarithm or the sum over v?"),
    Mistake("returns-a-number", (RESULT, "(losses.mean() - least).item()")),
)

EXERCISE = Exercise(
    name="label-smoothing", title="Something for every word", chapter=13, solution=my_smoothed_loss,
    shapes={"logits": "N V", "target": "N", "epsilon": "a number"}, returns="", example=example, probes=probes,
    edges=edges, mistakes=MISTAKES,
    steps={"right": "−log p of the right words", "others": "the means of −log p over the others",
        "losses": "each example's loss"},
    differentiable=("logits",),
    space=space,
    hints=(
        "The loss mixes two numbers per example: −log p of the right word, and the mean of −log p over the V − 1 "
        "others. In the first example of the statement, what are they?",
        "Start from the logarithms of the probabilities, (N, V): `gather` picks the right word's, and `scatter` "
        "puts a 0 in its place, so that it does not count in the sum over the others.",
        "The smallest value is the target's entropy: one word with 1 − ε and V − 1 words with ε/(V − 1) each. "
        "`math.log` fails at 0, where the product is to be 0: which number may stand in for 0 in the logarithm?",
    ),
    why="With ε = 0.1 and a vocabulary of thousands, it hardly shows in the loss whether ε is spread over V words or "
        "over V − 1. It shows when V is small, and when losses are compared between programs. A smallest value of the "
        "other layout is quieter still: the gradients are right, and a model that fits its target has a loss a little "
        "beside 0.",
)
