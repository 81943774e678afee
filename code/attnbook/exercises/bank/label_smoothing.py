"""Exercise label-smoothing: a target that is not quite sure."""

from __future__ import annotations

from ..legacy import Exercise
from .label_smoothing_mistakes import WRONG
from .label_smoothing_steps import edges, example, probes, solution, steps

LABEL_SMOOTHING = Exercise(
    name="label-smoothing",
    title="A share for every word",
    chapter=13,
    function="my_smoothed_loss",
    statement="""\
Compute the smoothed loss from its definition. The target of example $n$ is not the word $y_n$ alone: it keeps
$1 - \\varepsilon$, and a share $\\varepsilon$ is spread evenly over *all* $V$ words, the right one included.
The loss is the cross-entropy between this target and the model's distribution, averaged over the $N$ examples:

$$\\frac1N \\sum_n \\Bigl[ -(1 - \\varepsilon) \\log p_n(y_n) - \\frac{\\varepsilon}{V} \\sum_v \\log p_n(v)
\\Bigr], \\qquad p_n = \\operatorname{softmax}(\\text{logits}_n).$$""",
    stub='''\
def my_smoothed_loss(logits, target, epsilon):
    """Cross-entropy with a target that gives every word the share ε/V, and the right one 1 − ε on top.

    logits: (N, V), target: (N,) word numbers, epsilon: from 0 to 1 → one number
    """
    ...
''',
    hints=(
        "The loss is a mixture of two surprises: that at the right word, and that at a word drawn evenly from the "
        "vocabulary. Compute both for every example, (N,) each.",
        "With the logarithms of the probabilities, (N, V), in hand: `gather` picks the right word's, and the other "
        "surprise is minus their *mean* over the vocabulary, since every word has the share 1/V.",
        "Weigh the first with `1 - epsilon` and the second with `epsilon`, add, and take `.mean()` over the examples. "
        "`F.cross_entropy` has a parameter for it, with which you can check yourself.",
    ),
    solution=solution,
    why="Every variant here falls during training, and with ε = 0.1 and a vocabulary of thousands the ways to share ε "
    "differ in the fourth digit: over V words or over V − 1, with the right word's own share or without. "
    "It matters when "
    "losses are compared between programs, and when V is small. Leaving out the even part is quieter still: the loss "
    "is 10 % smaller, which looks like progress, and the model becomes as sure of itself as before.",
    shapes={"logits": "N V", "target": "N", "epsilon": "a number"},
    returns="",
    example=example,
    probes=probes,
    edges=edges,
    steps=steps,
    wrong=WRONG,
    differentiable=("logits",),
)
