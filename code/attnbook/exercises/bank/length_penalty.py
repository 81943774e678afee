"""Exercise length-penalty: which of the finished sentences wins?"""

from __future__ import annotations

import torch

from ..legacy import Exercise
from ..recognise import make_case
from ..verdict import Finding
from .length_penalty_mistakes import WRONG
from .length_penalty_steps import divided, edges, example, probes, solution, steps
from .one_number import as_number, number_kind
from .plain_lists import leaves_lists_alone


def must_be_an_index(exercise: Exercise, fn) -> Finding | None:
    """Demand an ordinary integer.

    Args:
        exercise: the exercise.
        fn: the reader's function, right in its value.

    Returns:
        The finding, or None.
    """
    result = make_case(exercise, fn, exercise.example()).call.result
    if isinstance(result, torch.Tensor):
        return Finding(
            "a-tensor",
            "a tensor with one number in it",
            "The number is right, 1, but it comes in a tensor.",
            "Which method takes the number out?",
        )
    if isinstance(result, float):
        return Finding(
            "a-float",
            "1.0 is no index",
            f"The number is right, but you return {result!r}, and `candidates[1.0]` raises a TypeError.",
            "Which line of yours makes a floating-point number of a place?",
        )
    return None


def another_winner(exercise: Exercise, fn, cases: list) -> Finding | None:
    """Show the scores of the candidate that was chosen and of the one that wins.

    Args:
        exercise: the exercise.
        fn: the reader's function.
        cases: the probes, all answered by numbers.

    Returns:
        The finding, or None if some answer is no index.
    """
    for case in cases:
        place, right = float(case.got), int(case.expected)
        candidates, alpha = case.arguments
        if not (place.is_integer() and 0 <= place < len(candidates)):
            return None
    case = next(case for case in cases if not case.right())
    candidates, alpha = case.arguments
    place, right = int(case.got), int(case.expected)
    told = [
        f"number {i}, {candidates[i]}, has the score {divided(*candidates[i], alpha):.3f}"
        for i in (place, right)
    ]
    text = "; ".join(told).replace("-", "−")
    return Finding(
        "another-winner",
        "another winner",
        f"With alpha {alpha} and {len(candidates)} candidates you choose number {place}; right is {right}.\nIn the "
        f"formula {text}.",
        "Which scores does your own code compute for these two?",
    )


LENGTH_PENALTY = Exercise(
    name="length-penalty",
    title="Long or short?",
    chapter=14,
    function="my_length_penalty_best",
    statement="""\
A beam search has finished. Each candidate is a pair `(log_prob, length)`: the sum of its words'
log-probabilities, and how many words it has. Pick the winner by

$$\\frac{\\log p}{\\bigl((5 + \\text{length}) / 6\\bigr)^{\\alpha}}$$

and return its index in the list, an integer. With $\\alpha = 0$ the likeliest wins, whatever its length.""",
    stub='''\
def my_length_penalty_best(candidates, alpha):
    """The index of the candidate with the greatest length-penalised log-probability.

    candidates: list of pairs (log_prob, length), alpha: at least 0 → an integer
    """
    ...
''',
    hints=(
        "Compute a score for every candidate first, a list of numbers as long as `candidates`. What is the score of "
        "(−2.4, 4) with α = 1?",
        "The divisor is 1 for a sentence of one word and grows with the length. The scores stay negative; the best is "
        "the greatest, the one nearest to 0.",
        "`((5 + length) / 6) ** alpha`, with the brackets just so. The place of the greatest number in a list `scores` "
        "is `scores.index(max(scores))`, or `max(range(len(scores)), key=…)`.",
    ),
    solution=solution,
    why="Dividing by something larger than 1 usually makes a number smaller, and so one is tempted to multiply when "
    "long sentences should win. But log-probabilities are negative: divided they come nearer to 0, which "
    "is better. And "
    "the exponent in the wrong place is hard to see, since every variant is the same for α = 1, and none changes "
    "anything when all candidates are equally long.",
    shapes={"candidates": "a list", "alpha": "a number"},
    returns="",
    example=example,
    probes=probes,
    edges=edges,
    steps=steps,
    wrong=WRONG,
    detectors=(another_winner,),
    demands=(must_be_an_index, leaves_lists_alone),
    read=as_number,
    kind=number_kind("the index of one candidate, a whole number"),
)
