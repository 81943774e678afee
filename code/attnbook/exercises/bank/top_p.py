"""Exercise top-p: the fewest words that have the probability p together."""

from __future__ import annotations

from ..legacy import Exercise
from .top_p_mistakes import WRONG
from .top_p_steps import edges, example, probes, solution, steps

TOP_P = Exercise(
    name="top-p",
    title="The nucleus",
    chapter=14,
    function="my_top_p",
    statement="""\
Cut off a distribution's tail. Keep the fewest words that have the probability $p$ together, the likeliest
first; the word with which the sum reaches $p$ stays. All other words get 0, what is left is divided by its sum,
and every word keeps its place. `probs` is $(V,)$, sums to 1, has no two equal entries, and is *not* sorted.
With (0.1, 0.5, 0.15, 0.25) and $p = 0.7$ the result is (0, 0.667, 0, 0.333).""",
    stub='''\
def my_top_p(probs, p):
    """The fewest likeliest words that have probability p together, rescaled to sum to 1; 0 elsewhere.

    probs: (V,), in any order, p: above 0, at most 1 → (V,)
    """
    ...
''',
    hints=(
        "Sort in descending order first. A word stays as long as the likelier ones *before* it have less than p "
        "together. With 0.5, 0.25, 0.15, 0.1 and p = 0.7: what stands before each of them?",
        "`ranked, order = probs.sort(descending=True)`; the running sum is `ranked.cumsum(0)`, and what comes before a "
        "word is that sum without the word itself. `order[i]` is the place in `probs` that the i-th "
        "likeliest word came "
        "from.",
        "Bring the mask back with `scatter`: its index is `order`, and what it writes is the mask. Then multiply "
        "`probs` by it and divide by the sum of what is left.",
    ),
    solution=solution,
    why="Dropping the word with which the sum crosses p looks like the literal reading of 'until p is reached', and "
    "with p = 0.9 and a large vocabulary nobody sees the one word less, until the model is sure: then the likeliest "
    "word has more than p by itself, nothing is left, and 0/0 is NaN. Forgetting to go back to the order of the "
    "vocabulary looks right because the numbers do: they are positive and sum to 1. Only the words are wrong.",
    shapes={"probs": "V", "p": "a number"},
    returns="V",
    example=example,
    probes=probes,
    edges=edges,
    steps=steps,
    wrong=WRONG,
    differentiable=("probs",),
)
