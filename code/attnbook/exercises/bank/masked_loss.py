"""Exercise masked-loss: how surprised is a decoder by the words that are there?"""

from __future__ import annotations

from collections.abc import Callable

from ..legacy import Exercise
from ..recognise import Case, tell
from ..verdict import Finding
from .masked_loss_mistakes import WRONG
from .masked_loss_steps import edges, example, probes, solution, steps


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
            mistake
            for mistake in exercise.mistakes
            if mistake.name == "nan-without-words"
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
