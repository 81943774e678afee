"""Exercise length-penalty: which of the finished sentences wins?"""

import random

import torch

from ..answers import Number
from ..arguments import Listed
from ..exercise import Exercise, Mistake
from ..verdict import Finding
from ..wording import inputs, number


def my_length_penalty_best(candidates, alpha):
    """The index of the candidate with the greatest length-penalised log-probability.

    candidates: list of pairs (log_prob, length), alpha: at least 0 → an integer
    """
    log_probs, lengths = torch.tensor(candidates, dtype=torch.float64).T
    divisors = ((5 + lengths) / 6) ** alpha
    scores = log_probs / divisors  # still negative: the best is nearest to 0
    best = scores.argmax()
    return int(best)


def others(candidates: list) -> list:
    return [(2 * p if length % 2 else p / 2, length) for p, length in candidates]


def among(alpha: float, *candidates: tuple):
    """What makes a call's arguments."""
    return lambda: (Listed(candidates, others), alpha)


FINISHED = (-1.8, 1), (-2.4, 4), (-3.4, 7), (-5.7, 13)  # (5 + 1)/6 is 1, then 3/2, 2, 3
example, gentle = among(1.0, *FINISHED), among(0.5, *FINISHED)
far_apart = among(0.5, (-2.4, 4), (-3.5, 16))
weak = among(0.2, (-1.7, 1), (-3.0, 4), (-9.0, 20))
close_together = among(1.0, (-1.0, 1), (-1.19, 2))


def _beam(count: int, alpha: float, seed: int) -> tuple:
    """Candidates whose scores are close by one rule or another, so that rules can be told apart."""
    draw = random.Random(seed)
    bend = draw.uniform(-1.5, 2.2)
    found = []
    for length in draw.sample(range(1, 26), count):
        size = ((5 + length) / 6) ** bend
        found.append((round(-1.5 * size * draw.uniform(0.97, 1.03), 3), length))
    return Listed(found, others), alpha


def probes() -> list[tuple]:
    settings = [
        (7, 0.6, 1949), (11, 1.0, 3013), (5, 0.3, 3770), (13, 1.4, 4826), (11, 0.8, 5609), (7, 0.45, 6549),
        (9, 2.0, 7968), (11, 0.7, 8812), (13, 0.9, 9971), (7, 1.2, 10694), (11, 0.55, 11507), (13, 0.65, 13091),
        (9, 1.1, 13680), (11, 0.35, 14834),
    ]  # fmt: skip
    return [*(_beam(*one) for one in settings), weak()]


def edges() -> list[tuple]:
    small = among(0.6, (-2.5, 3)), among(0.6, (0.0, 4), (-1.0, 9))
    return [_beam(7, 0.0, 1431), *(make() for make in small)]


# edits that are used several times
DIVISORS, SCORES = "((5 + lengths) / 6) ** alpha", "log_probs / divisors"
RESULT = "return int(best)"
INDEX = "How does one find the index of an entry in a list?"

# fmt: off
MISTAKES = (
    Mistake("no-penalty", (SCORES, "log_probs"),
        "the lengths have no effect. Every further word lowers the log-probability, so that without a penalty short "
        "sentences win.", "Where does the second entry of each pair enter your code?"),
    Mistake("divided-by-the-length", (SCORES, "log_probs / lengths"),
        "the log-probability is divided by the length itself. This gives the mean per word, which favours long "
        "sentences more than the formula does, and α makes no difference. The divisors should be {divisors}.",
        "In the formula, what is added to the length, and what is done with α?"),
    Mistake("power-of-the-length", (DIVISORS, "lengths**alpha"),
        "the length itself is raised to the power of α. The formula has (5 + length)/6 there: the 5 makes the "
        "penalty gentle for short sentences. The divisors should be {divisors}.",
        "What is inside the bracket that α belongs to?"),
    Mistake("multiplied", (SCORES, "log_probs * divisors"),
        "the log-probability is multiplied by the penalty (or α has the wrong sign). Log-probabilities are negative: "
        "multiplied by something above 1 they become worse, and long sentences are punished twice.",
        "Should a long sentence's score be higher or lower than its log-probability?"),
    Mistake("the-worst", ("argmax", "argmin"),
        "the smallest score is taken. The scores are negative, here {scores}, and the best is the *largest*, the one "
        "nearest to 0.", "Of two negative scores, which belongs to the better sentence?"),
    Mistake("added", (SCORES, "log_probs + alpha * lengths"),
        "α times the length is added. Some programs do give such a reward for every word; but as soon as α is larger "
        "than what a word costs, the longest sentence wins.", "Is the penalty of the formula a sum or a quotient?"),
    Mistake("subtracted", (SCORES, "log_probs - divisors"),
        "the penalty is subtracted from the log-probability, which makes long sentences even worse",
        "Is the penalty of the formula a difference or a quotient?"),
    Mistake("alpha-ignored", (DIVISORS, "(5 + lengths) / 6"),
        "the divisor is (5 + length)/6 itself, not raised to the power of α. The divisors should be {divisors}. "
        "(Multiplying by α would change nothing: a common factor never changes the winner.)",
        "Where does α enter your code, and does it matter there?", gentle),
    Mistake("power-inside", (DIVISORS, "(5 + lengths**alpha) / 6"),
        "the length is raised to the power of α before the 5 is added. The divisors should be {divisors}.",
        "Does the bracket close before or after the power?", far_apart),
    Mistake("five-outside-the-fraction", (DIVISORS, "(5 + lengths / 6) ** alpha"),
        "5 + length / 6 is computed, without brackets around the sum, so that the divisors hardly differ. The "
        "divisors should be {divisors}.", "Which is done first in `5 + length / 6`?"),
    Mistake("end-not-counted", (DIVISORS, "((4 + lengths) / 6) ** alpha"),
        "1 is subtracted from each length. The `length` that you are given counts everything that belongs to the "
        "sentence. The divisors should be {divisors}.", "What is (5 + length)/6 for a sentence of one word?",
        close_together),
    Mistake("probabilities-divided", (SCORES, "log_probs.exp() / divisors"),
        "the exponential is taken first, and *probabilities* are divided. Probabilities are positive: divided by the "
        "penalty, those of long sentences become smaller instead of larger.",
        "Is it log p or p that is in the numerator?"),
    Mistake("the-longest", (SCORES, "lengths"),
        "the longest candidate is taken", "Where do the log-probabilities enter your code?"),
    Mistake("counted-from-one", (RESULT, "return int(best) + 1"),
        "candidates are counted from 1. The first one has the index 0.",
        "What is `candidates[i]` for the number that you return?"),
    Mistake("place-in-the-ranking", (RESULT, "return 0"),
        "the index is that in a sorted list, where the best is always number 0. Asked for is its index in "
        "`candidates`, in the order in which they were given.",
        "What would you have to sort so that you still know each candidate's index?"),
    Mistake("the-score", (RESULT, "return float(scores[best])"),
        "the winner's score is returned. Asked for is its index.", INDEX),
    Mistake("the-log-probability", (RESULT, "return float(log_probs[best])"),
        "the winner's log-probability is returned. Asked for is its index.", INDEX),
    Mistake("the-length", (RESULT, "return int(lengths[best])"),
        "the winner's length is returned. Asked for is its index.", INDEX),
    Mistake("returns-a-tuple", (RESULT, "return candidates[best]")),
    Mistake("a-tensor", (RESULT, "return best")),
    Mistake("a-float", (RESULT, "return float(best)")),
    Mistake("writes-into-argument", (RESULT, "candidates.sort()\n    return int(best)")),
)


def another_winner(exercise, fn, cases):
    """Compare the candidate that was chosen with the one that wins."""
    if any(float(case.got) not in range(len(case.arguments[0])) for case in cases):
        return None
    case = next(case for case in cases if not case.right())
    scores = dict(exercise.on_the_way(case.arguments))["the scores"]
    chosen, right = int(case.got), int(case.expected)
    return Finding("another-winner", "another winner",
        f"With {inputs(exercise.parameters, case.arguments)} you choose number {chosen}; right is {right}.\n"
        f"Number {chosen}, {case.arguments[0][chosen]}, should have the score {number(scores[chosen], 5)}, and number "
        f"{right}, {case.arguments[0][right]}, the score {number(scores[right], 5)}.".replace("-", "−"),
        "Which scores does your own code compute for these two?")


EXERCISE = Exercise(
    name="length-penalty", title="Long or short?", chapter=14, solution=my_length_penalty_best,
    shapes={"candidates": "a list", "alpha": "a number"},
    answer=Number("the index of one candidate, a whole number", whole=True), example=example, probes=probes,
    edges=edges, mistakes=MISTAKES, steps={"divisors": "the divisors", "scores": "the scores"},
    detectors=(another_winner,),
    hints=(
        "First compute a score for every candidate: a list of numbers as long as `candidates`. What is the score of "
        "(−6, 7) with α = 1?",
        "The divisor is 1 for a sentence of one word and grows with the length. The scores stay negative; the best is "
        "the largest, the one nearest to 0.",
        "Mind the brackets: add the 5 before you divide by 6, and raise the whole fraction to the power of α. The "
        "index of the largest number in a list `scores` is `scores.index(max(scores))`.",
    ),
    why="Dividing by something larger than 1 usually makes a number smaller, so it is tempting to multiply when "
        "long sentences should win. But log-probabilities are negative: divided, they come nearer to 0, which is "
        "better. And an exponent in the wrong place is hard to see, since every variant is the same for α = 1, and "
        "none changes anything when all candidates are equally long.",
)
