"""Exercise unit-variance: what to divide a dot product by."""

import math

from ..answers import Number
from ..exercise import Exercise, Mistake


def my_scale(num_features, query_variance, key_variance):
    """What a dot product must be divided by, so that its variance is 1.

    num_features: D, query_variance and key_variance: of their entries, above 0 → a number
    """
    of_a_term = query_variance * key_variance
    of_the_sum = num_features * of_a_term
    return math.sqrt(of_the_sum)


def example() -> tuple:
    return 4, 9.0, 4.0


def probes() -> list[tuple]:
    return [(64, 0.25, 3.0), (7, 2.0, 0.3), (37, 1.7, 5.0), (11, 0.6, 0.2)]


def edges() -> list[tuple]:
    return [(1, 2.0, 3.0), (1000, 1e-4, 1e-3)]


def space(pick) -> tuple:
    """Any arguments that the task allows."""
    return pick.of(1, 2, 3, 5, 64), pick.of(1.0, 4.0, 0.25, 7.0), pick.of(1.0, 9.0, 0.5, 3.0)


# edits that are used several times
TERM, SUM, ROOT = "query_variance * key_variance", "num_features * of_a_term", "math.sqrt(of_the_sum)"
SHRINK = "If all scores are divided by c, by what is their variance divided?"
PRODUCT = "Two independent numbers have mean 0. What is the mean of the square of their product?"

# fmt: off
MISTAKES = (
    Mistake("variances-ignored", (SUM, "num_features"),
        "you return √D, the scale for entries of variance 1", PRODUCT),
    Mistake("variance-of-the-sum", (ROOT, "of_the_sum"),
        "the root is missing. You return the variance of the dot product; what is divided by it ends up with the "
        "variance 1 / {of_the_sum}.", SHRINK),
    Mistake("variances-as-deviations", (ROOT, "math.sqrt(num_features) * of_a_term"),
        "the variances stand outside the root. You took them for standard deviations, or squared them.",
        "What is the variance of entries whose standard deviation is 3?"),
    Mistake("roots-of-features-missing", (ROOT, "num_features * math.sqrt(of_a_term)"),
        "D stands outside the root. Variances of independent terms add up, not standard deviations.",
        "The sum of D independent terms of variance 1 has which standard deviation?"),
    Mistake("inverse", (ROOT, "1 / math.sqrt(of_the_sum)"),
        "you return what to *multiply* by. Your number is right, upside down.",
        "Are dot products of long vectors too large or too small?"),
    Mistake("variances-added", (TERM, "query_variance + key_variance"),
        "the two variances are added. That is the variance of a sum q + k; a term of the dot product is a product.",
        PRODUCT),
    Mistake("variances-averaged", (TERM, "((query_variance + key_variance) / 2) ** 2"),
        "the mean of the two variances is used for both", PRODUCT),
    Mistake("query-only", (TERM, "query_variance"), "the key's variance has no effect", PRODUCT),
    Mistake("key-only", (TERM, "key_variance"), "the query's variance has no effect", PRODUCT),
    Mistake("query-twice", (TERM, "query_variance * query_variance"),
        "the query's variance is used for the key as well", "Which two numbers does a term of q · k multiply?"),
    Mistake("key-twice", (TERM, "key_variance * key_variance"),
        "the key's variance is used for the query as well", "Which two numbers does a term of q · k multiply?"),
    Mistake("variances-divided", (TERM, "1 / query_variance / key_variance"),
        "you divide by the variances where you should multiply by them", "Do larger entries make larger dot products?"),
    Mistake("features-missing", (SUM, "of_a_term"),
        "D has no effect. You return the standard deviation of one term; the dot product adds up D of them.", SHRINK),
)

EXERCISE = Exercise(
    name="unit-variance", title="What to divide by", chapter=5, solution=my_scale,
    shapes=dict.fromkeys(("num_features", "query_variance", "key_variance"), "a number"),
    answer=Number("one number above 0"), example=example, probes=probes, edges=edges, mistakes=MISTAKES,
    steps={"of_a_term": "the variance of one term", "of_the_sum": "the variance of the dot product"},
    space=space,
    hints=(
        "Take one term, q₁ k₁. Its mean is 0, so its variance is the mean of (q₁ k₁)². What does independence make of "
        "that?",
        "The variance of a sum of independent terms is the sum of their variances. In the example four terms have the "
        "variance 9 · 4 each.",
        "You have the variance of the dot product. Dividing by c divides a variance by c². Which c makes it 1?",
    ),
    why="√D is in the famous formula, and with it everything runs. It is right for entries of variance 1, as the "
        "paper says in a footnote. A default `nn.Linear` fed with such entries returns entries of variance 1/3; "
        "divided by √D, the scores start with a ninth of the variance that they were meant to have.",
)
