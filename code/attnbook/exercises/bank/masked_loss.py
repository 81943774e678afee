"""Exercise masked-loss: how surprised is a decoder by the words that are there?"""

from __future__ import annotations

import math
from collections.abc import Callable

import torch

from ..exercise import Exercise, Mistake, draw, exact, slip
from ..recognise import Case, tell
from ..verdict import Finding


def solution(logits, target, pad):
    """Mean of −log p(word) over the words that are no padding."""
    log_probs = logits.log_softmax(dim=-1)  # (B, T, V)
    surprise = -log_probs.gather(-1, target[..., None])[..., 0]  # (B, T)
    real = target != pad  # (B, T)
    return (surprise * real).sum() / real.sum().clamp(min=1)


def of_the_target(scores, target):
    return scores.gather(-1, target[..., None])[..., 0]


def per_word(surprise, real):
    return (surprise * real).sum() / real.sum().clamp(min=1)


def pipeline(
    logits,
    target,
    pad,
    spread=lambda z: z.log_softmax(-1),
    pick=of_the_target,
    sign=lambda s: -s,
    real=lambda y, pad: y != pad,
    average=per_word,
    finish=lambda loss: loss,
):
    """The same in named steps, so that a mistake is one step done wrongly."""
    return finish(average(sign(pick(spread(logits), target)), real(target, pad)))


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


# --- what it is tried on ------------------------------------------------------------------------------------------

# the probabilities of the right words are 1/2, 1/4 and 1/8; at the padding it is 1/16
PROBABILITIES = [
    [[1 / 4, 1 / 2, 1 / 4], [1 / 2, 1 / 4, 1 / 4]],
    [[1 / 2, 1 / 8, 3 / 8], [1 / 16, 7 / 16, 1 / 2]],
]


def example() -> tuple:
    return (
        exact(*PROBABILITIES).log() + exact([[1], [0.5]], [[-1], [0]]),
        torch.tensor([[1, 2], [1, 0]]),
        0,
    )


def another_padding() -> tuple:
    """The same with the number 2 for the padding, and 0 an ordinary word."""
    logits, _, _ = example()
    return logits[..., [2, 1, 0]], torch.tensor([[1, 0], [1, 2]]), 2


def three_positions() -> tuple:
    """One sentence of two words, and a place for a third."""
    logits, target, pad = example()
    return logits[:, [0, 1, 1]][:1], torch.tensor([[1, 2, 0]]), pad


def nothing_but_padding() -> tuple:
    logits, target, pad = example()
    return logits, torch.full_like(target, pad), pad


def _batch(shape: tuple, pad: int, lengths: tuple, seed: int) -> tuple:
    batch, time, vocabulary = shape
    words = torch.randint(
        vocabulary - 1, (batch, time), generator=torch.Generator().manual_seed(seed)
    )
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
    return [
        _batch((2, 3, 5), 0, (3, 3), 1105),
        _batch((1, 1, 3), 2, (1,), 1106),
        _batch((2, 3, 5), 1, (0, 0), 1107),
    ]


def steps(logits, target, pad) -> list[tuple[str, object]]:
    surprise = -of_the_target(logits.log_softmax(-1), target)
    return [
        ("the probabilities of the words in `target`", (-surprise).exp()),
        ("their surprises", surprise),
        ("the surprises that count", surprise * (target != pad)),
        ("how many there are", int((target != pad).sum())),
    ]


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


def nan_without_words(
    exercise: Exercise, fn: Callable, cases: list[Case]
) -> Finding | None:
    """Recognise an answer that is right but for batches without a word, where it is NaN.

    Args:
        exercise: the exercise.
        fn: the reader's function.
        cases: the probes, all answered by numbers.

    Returns:
        The finding, or None.
    """
    wrong = [case for case in cases if not case.right()]
    if all(
        (case.arguments[1] == case.arguments[2]).all() and case.got.isnan()
        for case in wrong
    ):
        mistake = next(
            mistake for mistake in exercise.wrong if mistake.name == "nan-without-words"
        )
        return tell(exercise, mistake, fn, cases)
    return None


MASKED_LOSS = Exercise(
    name="masked-loss",
    title="Surprise at the real words",
    chapter=11,
    function="my_masked_loss",
    statement="""\
A decoder gives `logits` $(B, T, V)$ for the words `target` $(B, T)$; a batch is rectangular, and where a
sentence has ended `target` holds the number `pad`. Return the mean surprise at the real words,

$$-\\frac{1}{N} \\sum_{(b, t)\\,:\\,y_{bt} \\ne \\mathrm{pad}} \\log p_{bt}(y_{bt}), \\qquad p_{bt} =
\\operatorname{softmax}(\\text{logits}_{bt}),$$

with $N$ the number of real words in the whole batch. A batch of nothing but padding has the loss 0 and the
gradient 0. `target` is already shifted: `target[b, t]` is the word that `logits[b, t]` should have predicted.""",
    stub='''\
def my_masked_loss(logits, target, pad):
    """Mean of −log p(word) over the words that are no padding.

    logits: (B, T, V), target: (B, T) word numbers, pad: the number of the padding
    → one number; 0 if all is padding
    """
    ...
''',
    hints=(
        "Three steps: logarithms of probabilities (B, T, V), the one of the right word at every position (B, T), and a "
        "mean in which the padding takes no part. Write the shape behind each line.",
        "`gather` picks one of V numbers at each position; its index needs as many axes as the tensor, so give "
        "`target` a last axis of size 1 and take it off afterwards. A mask of True and False can be multiplied with "
        "the surprises and can be summed.",
        "Divide the sum over the real words by *their* number, `real.sum()`, not by that of all positions, which is "
        "what `.mean()` takes. `.clamp(min=1)` on that number makes an empty batch 0/1 instead of 0/0.",
    ),
    solution=solution,
    why="Padding is easy to predict: after the first of it comes more. A loss that counts it falls quickly, and the "
    "curve looks better than an honest one, the more so the shorter the sentences. The same with a sum that leaves the "
    "padding out and a mean that divides by all positions. Nothing fails; the numbers are just small, and they change "
    "when the batches are sorted by length, although the model does not.",
    shapes={"logits": "B T V", "target": "B T", "pad": "a number"},
    returns="",
    example=example,
    probes=probes,
    edges=edges,
    steps=steps,
    wrong=WRONG,
    detectors=(nan_without_words,),
    differentiable=("logits",),
)
