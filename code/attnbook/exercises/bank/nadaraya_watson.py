"""Exercise nadaraya-watson: predict by averaging the observed values, near ones first."""

import torch

from ..arguments import draw, exact
from ..calls import observe
from ..case import near
from ..exercise import Exercise, Mistake
from ..verdict import found
from ..wording import inputs, values


def my_nadaraya_watson(queries, keys, values, width):
    """Predict at every query by a Gaussian-weighted average of the values.

    queries: (T,), keys: (S,), values: (S,), width: a positive number → (T,)
    """
    # (T, 1) − (1, S) → (T, S): every query meets every key
    distance = queries[:, None] - keys[None, :]
    u = distance / width  # (T, S): measured in widths
    scores = -(u**2) / 2  # (T, S): the logarithm of the Gaussian kernel
    weights = scores.softmax(dim=1)  # (T, S): every row sums to 1
    return weights @ values  # (T, S) · (S,) → (T,)


def example() -> tuple:
    return exact(1, 3), exact(1, 3, 5), exact(0, 10, 60), 2.0


def probes() -> list[tuple]:
    shapes = [(5, 7, 0.6), (3, 2, 1.7), (7, 11, 0.8)]
    return [(draw(t, seed=40 + t), draw(s, seed=50 + t), 1 + draw(s, seed=60 + t), w) for t, s, w in shapes]


def edges() -> list[tuple]:
    return [
        (draw(t, seed=71 + t), draw(s, seed=81 + t), 1 + draw(s, seed=91 + t), w)
        for t, s, w in [(1, 5, 1.3), (2, 1, 0.5)]
    ]


def space(pick) -> tuple:
    """Any arguments that the task allows."""
    T, S = pick.sizes(1, 1)
    return pick.numbers(T, most=2), pick.numbers(S, most=2), pick.numbers(S), pick.of(1.0, 2.0)


# edits that are used several times
PAIRS, SCALE, SCORE = ("queries[:, None] - keys[None, :]", "distance / width", "-(u**2) / 2")
SOFTMAX, POOL = "scores.softmax(dim=1)", "weights @ values"

# fmt: off
MISTAKES = (
    Mistake("not-normalised", (SOFTMAX, "scores.exp()"),
        "the kernel values are not divided by their sum. What you return is a weighted sum, not an average: the "
        "weights of each query should be {weights}.",
        "To average numbers with the weights 3, 2 and 1, what do you divide by at the end?"),
    Mistake("mean-of-weighted", (POOL, "(weights * values).mean(1)"),
        "the weighted values are averaged with mean. The weights of each row sum to 1 already; a mean divides by the "
        "number of keys once more.", "How must the weighted values be put together, if the weights sum to 1 already?"),
    Mistake("not-squared", (SCORE, "-u / 2"),
        "the distance is not squared. Without the square the sign of the distance matters: the further a key is to "
        "one side, the larger its weight.", "What must a key 2 to the left and a key 2 to the right have in common?"),
    Mistake("absolute", (SCORE, "-u.abs() / 2"),
        "the distance enters by its absolute value instead of its square. The kernel exp(−|u|/2) has a sharp top and "
        "a long tail; at one width it agrees with the Gaussian, and nowhere else but at 0.",
        "At two widths, what is the exponent of a Gaussian?"),
    Mistake("square-outside", (SCORE, "-u"),
        "the exponential is squared instead of u. The square of an exponential is exp(−u/2)² = exp(−u): it doubles "
        "the exponent, but does not square it.", "In exp(−u²/2), what is squared: u or exp?"),
    Mistake("half-missing", (SCORE, "-(u**2)"),
        "the factor 1/2 in the exponent is missing. The kernel exp(−u²) is a Gaussian, too, but narrower by a factor "
        "of √2.", "At a distance of one width, is the exponent −1 or −1/2?"),
    Mistake("width-multiplied", (SCALE, "distance * width"),
        "the distance is multiplied by the width (note that Python reads `a / 2 * b` as `(a / 2) * b`). A *larger* "
        "width then makes the kernel *narrower*.", "How many widths away is a key at distance 4 when the width is 2?"),
    Mistake("width-multiplied-once", (SCALE, "distance * width**0.5"),
        "brackets are missing: Python reads `a / 2 * b` as `(a / 2) * b`. You *multiply* by the width.",
        "Where do brackets put both the 2 and the squared width below the fraction bar?"),
    Mistake("width-not-squared", (SCALE, "distance / width**0.5"),
        "the square covers the distance but not the width. With a width of 2 a key at distance 2 is one width away, "
        "so its exponent is −1/2; yours is −1.", "In −(d/width)²/2, what is squared?"),
    Mistake("no-width", (SCALE, "distance"),
        "the width does not enter. The distances are used as they are, not measured in widths.",
        "What should happen to the curve when the width is doubled, and where could that happen in your code?"),
    Mistake("sign", (SCORE, "u**2 / 2"),
        "the minus sign in the exponent is missing (or squared away: `(-u) ** 2` is positive). The further away a "
        "key is, the larger its weight.", "Should the weight of a key rise or fall with its distance?"),
    Mistake("over-queries", (SOFTMAX, "scores.softmax(dim=0)"),
        "the weights are normalised over the queries. Every *column* sums to 1: the queries compete for each key, "
        "and the weights of one query do not sum to 1.",
        "What is a prediction at one query an average over? Which axis of the (T, S) weights is that?"),
    Mistake("over-everything", (SOFTMAX, "scores.flatten().softmax(0).reshape(scores.shape)"),
        "the kernel is divided by the sum over all queries and keys. All queries then share one budget; each should "
        "have its own.", "What does a sum over one axis with keepdim=True give that a sum over all does not?"),
    Mistake("softmax-of-kernel", (SOFTMAX, "scores.exp().softmax(1)"),
        "a softmax is taken of the kernel values, which are exponentials already. A key infinitely far away would "
        "still get some weight, since exp(0) = 1.",
        "softmax(x) is exp(x) divided by its sum. For which x is exp(x) the kernel?"),
    Mistake("keys-averaged", (POOL, "weights @ keys"),
        "the keys are averaged instead of the values. The weights are right, but the keys are only where the "
        "observations were made; the task is to average what was observed there.",
        "A prediction is measured in the units of which of the two?"),
    Mistake("nearest", (SOFTMAX, "torch.nn.functional.one_hot(scores.argmax(1), scores.shape[1]).to(scores)"),
        "only the nearest key is used. The curve jumps half-way between two keys, and the width changes nothing.",
        "What would give the keys further away a (smaller) say?"),
    Mistake("average", (SOFTMAX, "torch.ones_like(scores) / scores.shape[1]"),
        "all keys get the same weight. The prediction is the plain average of the values, the same for every query.",
        "Which number tells how near a key is to the query, and how could it become that key's weight?"),
    Mistake("weights-returned", (POOL, "weights"),
        "the function stops at the weights. The weights are right: every row sums to 1. One step is missing.",
        "Row 1 says how much each of the values counts at the first query. What is their average?"),
    Mistake("no-pairs", (PAIRS, "queries - keys"),
        "the keys are subtracted from the queries one by one. Every query should meet every key: a table (T, S).",
        "Broadcasting makes a table when one of two tensors has the shape (T, 1). What shape must the other have, "
        "and how do you get both?", line="\\bq\\w*\\s*-\\s*k|\\bk\\w*\\s*-\\s*q|sub"),
    Mistake("extra-axis", (POOL, "weights @ values[:, None]")),
    Mistake("no-gradient", (POOL, "(weights @ values).detach()")),
)


def another_kernel(exercise, fn, cases):
    """Ask about two keys at chosen distances, and read off which kernel a function must have used."""

    def answer(*arguments):
        result = observe(fn, arguments).result
        if not isinstance(result, torch.Tensor) or result.shape != arguments[0].shape:
            return None
        return result.detach().to(torch.float64) if result.isfinite().all() else None

    queries, keys, _, width = exercise.example()
    level = queries, keys, torch.ones_like(keys), width
    ones = answer(*level)
    if ones is None:
        return None
    if not near(ones, torch.ones_like(ones)):
        return found("weights-do-not-sum-to-one", "the sum of the weights",
            "With {given} every average is 1. Yours are {ones}: that is the sum of your weights.",
            "What must the weights of each query be divided by?",
            given=inputs(exercise.parameters, level), ones=values(ones))
    distances = exact(-2, -1, 0.5, 1, 2)  # in widths
    seen = [answer(exact(0), exact(0, u * width), exact(0, 1), width) for u in distances]
    if not all(weight is not None and 0 <= float(weight) < 1 for weight in seen):
        return None
    mine, right = torch.cat(seen) / (1 - torch.cat(seen)), (-(distances**2) / 2).exp()
    if near(mine, right):
        return None
    return found("another-kernel", "another kernel",
        "Your kernel can be read off your predictions, relative to its top. At u = −2, −1, 0.5, 1, 2 widths it is "
        "{mine}; a Gaussian has {right}.",
        "Which formula gives these numbers, and where does it differ from exp(−u²/2)?",
        mine=values(mine), right=values(right))



def far_away(exercise, fn):
    """Remark on a query so far from every key that all its kernel values are 0."""
    arguments = exact(81), exact(0, 1), exact(2, 6), 2.0
    result = observe(fn, arguments).result
    if near(result, exercise.solution(*arguments)):
        return None
    return found("far-away", "far away",
        "Forty widths away from every key, with {given}, your guess is {result}: every kernel value is rounded to 0. "
        "By then the nearest key decides, and its value is 6.",
        "Which number may be subtracted from all exponents of a query without changing its weights?",
        given=inputs(exercise.parameters, arguments), result=values(result))


EXERCISE = Exercise(
    name="nadaraya-watson", title="Nadaraya–Watson by hand", chapter=2, solution=my_nadaraya_watson,
    shapes={"queries": "T", "keys": "S", "values": "S", "width": "a number"}, returns="T", example=example,
    probes=probes, edges=edges, mistakes=MISTAKES,
    steps={"u": "the distances in widths", "scores": "the exponents −u²/2", "weights": "the weights"},
    describers=(another_kernel,), remarks=(far_away,), differentiable=("queries", "keys", "values"),
    space=space,
    hints=(
        "Every query meets every key. What shape has the table of distances, and which axes of size 1 make it?",
        "Measure the distances in widths, u = distance / width. The kernel is exp(−u²/2); divide each row by its sum.",
        "An exponential divided by a sum of exponentials has a name in PyTorch. What are its scores here, and over "
        "which axis does it run?",
    ),
    why="Width and distance appear inside an exponential *and* inside a ratio, so almost any slip still gives a "
        "smooth, sensible curve: a missing 1/2 or a width that is not squared is only another width. With width 1 a "
        "slip in the width even gives the right answer. That is why the checker never uses width 1.",
)
