"""Exercise label-smoothing: the mistakes that the checker knows by name."""

from __future__ import annotations

import math

import torch

from ..legacy import Mistake, slip
from .label_smoothing_steps import pipeline, solution


def _mixed_probabilities(logits, target, epsilon):
    probs = logits.softmax(-1)
    mixed = (1 - epsilon) * probs + epsilon / probs.shape[-1]
    return -mixed.log().gather(-1, target[:, None]).mean()


def _divergence(logits, target, epsilon):
    size = logits.shape[-1]
    smooth = torch.full_like(logits, epsilon / size).scatter(
        -1, target[:, None], 1 - epsilon + epsilon / size
    )
    entropy = -(smooth * smooth.log()).where(smooth > 0, 0.0).sum(-1)
    return solution(logits, target, epsilon) - entropy.mean()


def _right_word_left_out(log_probs, right):
    return (log_probs.sum(-1) - right) / log_probs.shape[-1]


def _others_only(log_probs, right):
    return (log_probs.sum(-1) - right) / (log_probs.shape[-1] - 1)


GIVEN = (
    "Two examples of four words, ε = 0.2. The right words surprise by 0.693 and 1.386, all words on "
    "average by 1.56 and "
    "1.386. You return {got}; right is {expected}.\n"
)


WRONG = (
    Mistake(
        "not-smoothed",
        slip(pipeline, mix=lambda right, even, e: right),
        "no smoothing",
        GIVEN
        + "That is the ordinary cross-entropy, the mean of the two surprises. ε makes no difference.",
        "only the right word's surprise enters",
        "Where does ε enter your code?",
    ),
    Mistake(
        "spread-over-the-others",
        slip(pipeline, even=_others_only),
        "how many share it?",
        GIVEN
        + "You spread ε over the V − 1 *other* words. Some libraries do; here the right word gets its share like "
        "all others, on top of 1 − ε.",
        "ε is spread over V − 1 words",
        "In the formula, does the sum over v leave out the right word?",
    ),
    Mistake(
        "right-word-without-share",
        slip(pipeline, even=_right_word_left_out),
        "the target does not sum to 1",
        GIVEN
        + "Every wrong word gets ε/V, and the right one 1 − ε alone: 0.8 + 3·0.05 = 0.95 in all. Its own share "
        "of ε is missing.",
        "the right word gets no share of what is spread",
        "What do the four entries of your target sum to?",
    ),
    Mistake(
        "even-part-summed",
        slip(pipeline, even=lambda lp, right: lp.sum(-1)),
        "every word gets all of it",
        GIVEN
        + "You add ε times the *sum* of all surprises: every word gets 0.2, and the target sums to "
        "0.8 + 4·0.2 = 1.6.",
        "ε is not divided by V",
        "How much of ε is there for one word, if V words share it?",
    ),
    Mistake(
        "weights-exchanged",
        slip(pipeline, mix=lambda right, even, e: e * right + (1 - e) * even),
        "which is which?",
        GIVEN + "The right word gets 0.2 in yours, and 0.8 is spread over all words.",
        "ε and 1 − ε have changed places",
        "If ε is 0, what should be left: the right word, or the even part?",
    ),
    Mistake(
        "even-part-with-the-wrong-sign",
        slip(pipeline, mix=lambda right, even, e: (1 - e) * right - e * even),
        "a sign",
        GIVEN
        + "The right word's part is right, but the other is *subtracted*: the more surprising the other words are, "
        "the smaller the loss. A mean of logarithms is negative and needs its minus, too.",
        "the minus is missing in front of the even part",
        "How many minus signs has the formula, and how many has your code?",
    ),
    Mistake(
        "nothing-taken-away",
        slip(pipeline, mix=lambda right, even, e: right + e * even),
        "the target does not sum to 1",
        GIVEN
        + "The right word keeps a weight of 1, and ε is given away besides: 1.2 in all.",
        "1 − ε is missing in front of the right word's part",
        "From whom should the share ε be taken?",
    ),
    Mistake(
        "nothing-given",
        slip(pipeline, mix=lambda right, even, e: (1 - e) * right),
        "half of the formula",
        GIVEN
        + "The right word's part is weighted with 0.8, and the rest, 0.2, goes to nobody. The best model would "
        "be the same as without ε.",
        "the even part is missing",
        "Who gets the share ε that the right word gives up?",
    ),
    Mistake(
        "even-part-only",
        slip(pipeline, mix=lambda right, even, e: e * even),
        "half of the formula",
        GIVEN
        + "Only ε times the mean surprise at all words is left. `target` makes no difference.",
        "the right word's part is missing",
        "Which word should the model have predicted, and where does your code say so?",
    ),
    Mistake(
        "model-smoothed",
        _mixed_probabilities,
        "who is smoothed?",
        GIVEN
        + "You mix the *model's* probabilities with 1/V and then take the logarithm. It is the target that is "
        "smoothed: a mean of logarithms, not the logarithm of a mean.",
        "the probabilities are smoothed instead of the target",
        "In the formula, does ε stand inside the logarithm or in front of it?",
    ),
    Mistake(
        "no-logarithm",
        slip(pipeline, spread=lambda z: z.softmax(-1)),
        "no logarithm",
        GIVEN
        + "You average probabilities with a minus in front. All words together have a mean of 1/4, whatever the "
        "model thinks: the even part has become a constant.",
        "softmax stands where log_softmax should",
        "What is −log(1/2), and where is the logarithm in your code?",
    ),
    Mistake(
        "no-softmax",
        slip(pipeline, spread=lambda z: z),
        "logits are no probabilities",
        GIVEN
        + "You take the logits themselves for logarithms of probabilities. Add 1 to all logits of an example, "
        "and nothing should change; yours does.",
        "the softmax is missing",
        "What turns V numbers of any size into probabilities that sum to 1?",
    ),
    Mistake(
        "softmax-twice",
        slip(pipeline, spread=lambda z: z.softmax(-1).log_softmax(-1)),
        "one softmax too many",
        GIVEN
        + "The probabilities go through a softmax once more, which makes them nearly equal.",
        "softmax is applied twice",
        "What does the function that takes your logarithm do with its input first?",
    ),
    Mistake(
        "softmax-over-examples",
        slip(pipeline, spread=lambda z: z.log_softmax(0)),
        "the axis",
        GIVEN
        + "Your probabilities sum to 1 over the examples. In each example the *words* compete.",
        "the softmax runs over the examples (dim=0)",
        "In logits of shape (N, V), which axis counts the words to choose from?",
    ),
    Mistake(
        "not-averaged",
        slip(pipeline, average=lambda s: s.sum()),
        "the sum",
        GIVEN + "That is the sum over both examples; wanted is their mean.",
        "the sum over the examples is not divided by N",
        "By what would you have to divide so that a batch of twice the size gives the same?",
    ),
    Mistake(
        "divided-by-the-vocabulary",
        lambda logits, target, epsilon: (
            solution(logits, target, epsilon) / logits.shape[-1]
        ),
        "what it is divided by",
        GIVEN
        + "That is a quarter of it: the mean runs over all (N, V) entries of target times surprise. Over the "
        "words they must be *summed*, since the target's entries are shares already.",
        "`.mean()` runs over the vocabulary as well",
        "Over which axis does your last line sum, and over which does it average?",
    ),
    Mistake(
        "log-likelihood",
        slip(pipeline, finish=lambda loss: loss),
        "the sign",
        GIVEN
        + "Logarithms of probabilities are negative; a loss is what should become smaller.",
        "the minus is missing",
        "Should a better model have a smaller or a larger loss?",
    ),
    Mistake(
        "in-bits",
        slip(pipeline, finish=lambda loss: -loss / math.log(2)),
        "the unit",
        GIVEN
        + "That is the surprise in bits, with the logarithm to the base 2. The task takes the natural one.",
        "the logarithm has the base 2",
        "What is log(1/2), and what is log2(1/2)?",
    ),
    Mistake(
        "divergence",
        _divergence,
        "entropy taken away",
        GIVEN
        + "Yours is smaller by the entropy of the smoothed target: that is the Kullback–Leibler divergence "
        "(`F.kl_div`). Its gradient is the same, and it would do for training; but it is another number.",
        "the target's own entropy is subtracted",
        "In the formula, is there a logarithm of the target?",
    ),
    Mistake(
        "entropy-of-the-model",
        slip(pipeline, even=lambda lp, right: (lp.exp() * lp).sum(-1)),
        "whose weights?",
        GIVEN
        + "In the even part every word is weighted with the *model's* probability, which gives the model's "
        "entropy. Evenly means 1/V for every word.",
        "the even part is the model's entropy",
        "Which weight has each word in a draw in which all are equally likely?",
    ),
    Mistake(
        "log-of-the-mean",
        slip(pipeline, even=lambda lp, right: lp.exp().mean(-1).log()),
        "mean and logarithm",
        GIVEN
        + "In the even part you take the logarithm of the mean probability, which is 1/4 whatever the model "
        "thinks. Wanted is the mean of the logarithms.",
        "mean and logarithm have changed places",
        "Which comes first in the formula, the logarithm or the sum over v?",
    ),
    Mistake(
        "returns-a-number",
        lambda logits, target, epsilon: solution(logits, target, epsilon).item(),
    ),
)
