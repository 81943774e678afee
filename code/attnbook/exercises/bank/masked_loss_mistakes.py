"""Exercise masked-loss: the mistakes that the checker knows by name."""

from __future__ import annotations

import math

import torch

from ..legacy import Mistake, slip
from .masked_loss_steps import (
    another_padding,
    nothing_but_padding,
    of_the_target,
    pipeline,
    solution,
    three_positions,
)


def _shifted(logits, target, pad):
    return pipeline(logits[:, :-1], target[:, 1:], pad)


def _shifted_the_other_way(logits, target, pad):
    return pipeline(logits[:, 1:], target[:, :-1], pad)


def _padding_zeroed(logits, target, pad):
    real = target != pad
    surprise = -of_the_target((logits * real[..., None]).log_softmax(-1), target)
    return surprise.sum() / real.sum().clamp(min=1)


def _sentence_means(surprise, real):
    return ((surprise * real).sum(1) / real.sum(1).clamp(min=1)).mean()


def _likeliest(scores, target):
    return scores.max(-1).values


def _written_into(logits, target, pad):
    target[target == pad] = -100
    total = torch.nn.functional.cross_entropy(
        logits.flatten(0, 1), target.flatten(), reduction="sum"
    )
    return total / (target != -100).sum().clamp(min=1)


GIVEN = (
    "The three real words have the probabilities 1/2, 1/4 and 1/8, surprises of 0.693, 1.386 and 2.079; the padding "
    "behind the third would surprise by 2.773. You return {got}; right is {expected}.\n"
)


WRONG = (
    Mistake(
        "padding-counted",
        slip(pipeline, average=lambda s, real: s.mean()),
        "the padding is graded, too",
        GIVEN
        + "That is the mean over all four positions, 6.931/4 = 1.733. A model that is trained so learns to write "
        "padding after padding, and its loss falls with every such position.",
        "the padding counts like any other word",
        "How does your code know which of the four positions hold a word?",
    ),
    Mistake(
        "divided-by-everything",
        slip(pipeline, average=lambda s, real: (s * real).mean()),
        "what it is divided by",
        GIVEN
        + "The sum is right, 4.159; but you divide it by 4 positions instead of 3 words. The more padding, "
        "the better such a loss looks.",
        "the padding's surprise is set to 0, and then the mean is taken over all positions",
        "How many numbers enter your sum, and how many does the mean believe there are?",
    ),
    Mistake(
        "mean-of-sentence-means",
        slip(pipeline, average=_sentence_means),
        "every sentence alike",
        GIVEN
        + "That is the mean of 1.04 for the first sentence and 2.079 for the second. The one word of the short "
        "sentence counts as much as the two of the other together.",
        "a mean is taken for each sentence, and then the mean of these",
        "What has the same weight in yours: every word, or every sentence?",
    ),
    Mistake(
        "not-averaged",
        slip(pipeline, average=lambda s, real: (s * real).sum()),
        "the sum",
        GIVEN
        + "That is the sum over the three words. With a batch twice as large, loss and gradient would be twice "
        "as large, and the learning rate would no longer fit.",
        "the sum is not divided by the number of words",
        "By what would you have to divide so that a batch of twice the size gives the same?",
    ),
    Mistake(
        "sum-per-sentence",
        slip(pipeline, average=lambda s, real: (s * real).sum() / len(s)),
        "what it is divided by",
        GIVEN
        + "That is the sum over the words divided by the number of *sentences*, 2.",
        "the sum is divided by the size of the batch",
        "The mean surprise at a *word*: how many words are there?",
    ),
    Mistake(
        "sum-per-position",
        slip(pipeline, average=lambda s, real: (s * real).sum() / s.shape[1]),
        "what it is divided by",
        "Two words in a row of three places, with surprises of 0.693 and 1.386: you return {got}, right is {expected}. "
        "You divide the sum by the length of the row, 3, and not by the number of words that are there.",
        "the sum is divided by T",
        "Which of your tensors knows how many words there are in the whole batch?",
        example=three_positions,
    ),
    Mistake(
        "inverted",
        slip(pipeline, real=lambda y, pad: y == pad),
        "the wrong side of the mask",
        GIVEN + "That is the surprise at the padding alone.",
        "the mask is the wrong way round",
        "Is your mask True for the words or for the padding, and which of the two should be summed?",
    ),
    Mistake(
        "padding-is-zero",
        slip(pipeline, real=lambda y, pad: y != 0),
        "which number is the padding?",
        "With pad 2 the three real words have the numbers 1, 0 and 1. You return {got}; right is {expected}. The word "
        "0 is left out, and the padding, 2, is counted.",
        "0 is taken for the padding, whatever `pad` says",
        "Where does `pad` enter your code?",
        example=another_padding,
    ),
    Mistake(
        "padding-logits-zeroed",
        _padding_zeroed,
        "a logit of 0 is a logit",
        GIVEN
        + "You set the *logits* at the padding to 0. That makes all words equally likely there, and the surprise "
        "at the padding log 3 = 1.099, which is still in your sum.",
        "the logits are multiplied by the mask, and not the surprises",
        "Which quantity must be 0 at the padding so that nothing is added there?",
    ),
    Mistake(
        "softmax-for-log-softmax",
        slip(pipeline, spread=lambda z: z.softmax(-1)),
        "no logarithm",
        GIVEN
        + "You average the probabilities 1/2, 1/4 and 1/8 with a minus in front. Probabilities have a mean, but "
        "the loss is about their logarithms: a word that was thought impossible must cost without limit.",
        "softmax stands where log_softmax should",
        "What is −log(1/8), and where is the logarithm in your code?",
    ),
    Mistake(
        "no-softmax",
        slip(pipeline, spread=lambda z: z),
        "logits are no probabilities",
        GIVEN
        + "You take the logits themselves for logarithms of probabilities. Add 1 to all logits of a word, and "
        "nothing should change; yours does.",
        "the softmax is missing",
        "What turns V numbers of any size into probabilities that sum to 1?",
    ),
    Mistake(
        "softmax-twice",
        slip(pipeline, spread=lambda z: z.softmax(-1).log_softmax(-1)),
        "one softmax too many",
        GIVEN
        + "The probabilities go through a softmax once more, which makes them nearly equal: no word can become "
        "likelier than e times any other. `F.cross_entropy` and `log_softmax` want the logits.",
        "softmax is applied twice",
        "What does the function that takes your logarithm do with its input first?",
    ),
    Mistake(
        "softmax-over-positions",
        slip(pipeline, spread=lambda z: z.log_softmax(1)),
        "the axis",
        GIVEN
        + "Your probabilities sum to 1 over the positions of a sentence. At each position the *words* compete.",
        "the softmax runs over T (dim=1)",
        "In logits of shape (B, T, V), which axis counts the words to choose from?",
    ),
    Mistake(
        "softmax-over-batch",
        slip(pipeline, spread=lambda z: z.log_softmax(0)),
        "the axis",
        GIVEN
        + "Your probabilities sum to 1 over the sentences of the batch, which have nothing to do with each "
        "other.",
        "the softmax runs over the batch (dim=0)",
        "In logits of shape (B, T, V), which axis counts the words to choose from?",
    ),
    Mistake(
        "shifted",
        _shifted,
        "shifted once more",
        "Two words in a row of three places, with surprises of 0.693 and 1.386: you return {got}, right is {expected}. "
        "You compare the logits at t with the word at t + 1. A language model's target must be shifted, "
        "since it is the "
        "input itself; here `target` has been shifted already.",
        "`logits[:, :-1]` is compared with `target[:, 1:]`",
        "Which word should `logits[0, 0]` have predicted, according to the task?",
        example=three_positions,
    ),
    Mistake(
        "shifted-the-other-way",
        _shifted_the_other_way,
        "shifted once more",
        GIVEN
        + "You compare the logits at t + 1 with the word at t, which the decoder has just read.",
        "`logits[:, 1:]` is compared with `target[:, :-1]`",
        "Which word should `logits[0, 0]` have predicted, according to the task?",
    ),
    Mistake(
        "log-likelihood",
        slip(pipeline, sign=lambda s: s),
        "the sign",
        GIVEN
        + "Logarithms of probabilities are negative; a loss that goes down with them would make the right words "
        "ever less likely.",
        "the minus is missing",
        "Should a better model have a smaller or a larger loss?",
    ),
    Mistake(
        "in-bits",
        slip(pipeline, finish=lambda loss: loss / math.log(2)),
        "the unit",
        GIVEN
        + "That is 2: the surprise in bits, with the logarithm to the base 2. The task takes the natural one.",
        "the logarithm has the base 2",
        "What is log(1/2), and what is log2(1/2)?",
    ),
    Mistake(
        "perplexity",
        slip(pipeline, finish=torch.exp),
        "one step too far",
        GIVEN
        + "That is e to the power of the loss, the perplexity: among how many equally likely words the model "
        "hesitates. It is for reading; the loss is its logarithm.",
        "the exponential of the loss is returned",
        "Which of your lines comes after the mean?",
    ),
    Mistake(
        "the-likeliest-word",
        slip(pipeline, pick=_likeliest),
        "whose probability?",
        GIVEN
        + "You take the *largest* probability at each position, whatever the right word was. A model that is "
        "sure of itself and wrong would have a small loss.",
        "the maximum over the vocabulary stands where the target's entry should",
        "Where does `target` enter your code, apart from the mask?",
    ),
    Mistake(
        "first-sentence-only",
        lambda logits, target, pad: solution(logits[:1], target[:1], pad),
        "one sentence",
        GIVEN + "That is the mean over the first sentence, (0.693 + 1.386)/2 = 1.04.",
        "the first sentence is all that counts",
        "Which line picks the number 0 of the batch?",
    ),
    Mistake(
        "nan-without-words",
        slip(pipeline, average=lambda s, real: (s * real).sum() / real.sum()),
        "a batch without words",
        "When all is padding you return {got}; agreed is {expected}. There are 0 words, and 0/0 is NaN: "
        "one such batch, "
        "and after the next step every parameter of the model is NaN. For all other batches you are right.",
        "the number of words is divided by even if it is 0",
        "What is the smallest number that may stand under the fraction, so that an empty sum stays 0?",
        example=nothing_but_padding,
    ),
    Mistake("writes-into-argument", _written_into),
    Mistake(
        "returns-a-number",
        lambda logits, target, pad: solution(logits, target, pad).item(),
    ),
    Mistake(
        "one-for-each-position",
        slip(pipeline, average=lambda s, real: s * real),
        "one number for all",
        "{seen}You return a surprise for each position; `backward` wants a single number.",
        "the surprises are not averaged",
        "Over which of these numbers should the mean be taken, and by how many words is it divided?",
    ),
)
