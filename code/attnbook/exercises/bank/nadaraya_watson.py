"""Exercise nadaraya-watson: predict by averaging the observed values, near ones first."""

from __future__ import annotations

import torch

from ..legacy import Exercise, Mistake, draw, exact, slip
from .nadaraya_watson_kernel import another_kernel


def solution(queries, keys, values, width):
    """Predict at every query by a Gaussian-weighted average of the values."""
    distance = (
        queries[:, None] - keys[None, :]
    )  # (T, 1) − (1, S) → (T, S): every query meets every key
    scores = (
        -((distance / width) ** 2) / 2
    )  # (T, S): the logarithm of the Gaussian kernel
    weights = scores.softmax(dim=1)  # (T, S): every row sums to 1
    return weights @ values  # (T, S) · (S,) → (T,)


def pipeline(
    queries,
    keys,
    values,
    width,
    scale=lambda d, w: d / w,
    score=lambda u: -(u**2) / 2,
    normalise=lambda e: e.softmax(1),
    pool=lambda a, v: a @ v,
):
    """The same in named steps, so that a mistake is one step done wrongly."""
    return pool(
        normalise(score(scale(queries[:, None] - keys[None, :], width))), values
    )


def example() -> tuple:
    return exact(1, 3), exact(1, 3, 5), exact(0, 10, 60), 2.0


def probes() -> list[tuple]:
    shapes = [(5, 7, 0.6), (3, 2, 1.7), (7, 11, 0.8)]
    return [
        (draw(t, seed=40 + t), draw(s, seed=50 + t), 1 + draw(s, seed=60 + t), w)
        for t, s, w in shapes
    ]


def edges() -> list[tuple]:
    return [
        (draw(t, seed=71 + t), draw(s, seed=81 + t), 1 + draw(s, seed=91 + t), w)
        for t, s, w in [(1, 5, 1.3), (2, 1, 0.5)]
    ]


def steps(queries, keys, values, width) -> list[tuple[str, object]]:
    u = (queries[:, None] - keys[None, :]) / width
    kernel = torch.exp(-(u**2) / 2)
    weights = kernel / kernel.sum(1, keepdim=True)
    return [
        ("the scaled distances u", u),
        ("the kernel exp(−u²/2)", kernel),
        ("the weights", weights),
        ("the averages", weights @ values),
    ]


WRONG = (
    Mistake(
        "not-normalised",
        slip(pipeline, normalise=torch.exp),
        "the sum of the weights",
        "{seen}For the query 1 the kernel is (1, 0.607, 0.135). "
        "These numbers sum to 1.742, not to 1, and your answer is the weighted sum itself.",
        "the kernel values are not divided by their sum",
        "An average of 0, 10, 60 with weights 1, 0.607, 0.135: what do you divide by at the end?",
    ),
    Mistake(
        "kernel-mean",
        slip(pipeline, normalise=lambda e: e.exp() / e.shape[1]),
        "divided by the wrong number",
        "{seen}For the query 1 the kernel is (1, 0.607, 0.135), and you divide by the number of "
        "keys, 3. Then the weights sum to 1.742/3 = 0.581, and where keys are far away to almost nothing.",
        "the kernel-weighted values are averaged with mean",
        "Which number makes 1, 0.607 and 0.135 sum to 1?",
    ),
    Mistake(
        "mean-of-weighted",
        slip(pipeline, pool=lambda a, v: (a * v).mean(1)),
        "divided twice",
        "{seen}It should be three times as much. The weights of each row sum to 1 already; "
        "mean divides by the number of keys (3) once more.",
        "the weighted values are averaged with mean",
        "The shares are in the weights. What is left to do with the weighted values?",
    ),
    Mistake(
        "not-squared",
        slip(pipeline, score=lambda u: -u / 2),
        "the square",
        "{seen}Without the square the sign of the distance matters: seen from query 1 the keys "
        "3 and 5 have u = −1 and −2, and exp(−u/2) grows the further they lie to that side.",
        "the distance is not squared",
        "What must a key 2 to the left and a key 2 to the right have in common?",
    ),
    Mistake(
        "absolute",
        slip(pipeline, score=lambda u: -u.abs() / 2),
        "the square",
        "{seen}Your kernel is exp(−|u|/2): 1, 0.607, 0.368 at u = 0, 1, 2, "
        "where the Gaussian has 1, 0.607, 0.135. It has a sharp top and a long tail.",
        "the distance enters by its absolute value instead of its square",
        "At u = 1 the two kernels agree. What does u = 2 become in the exponent of a Gaussian?",
    ),
    Mistake(
        "laplace",
        slip(pipeline, score=lambda u: -u.abs()),
        "the square",
        "{seen}Your kernel is exp(−|u|): 1, 0.368, 0.135 at u = 0, 1, 2, "
        "where the Gaussian has 1, 0.607, 0.135. At u = 2 they agree, and that is a coincidence.",
        "the kernel is exp(−|u|)",
        "What stands in the exponent of a Gaussian at u = 1?",
    ),
    Mistake(
        "square-outside",
        slip(pipeline, score=lambda u: -u),
        "the brackets",
        "{seen}At u = −1 and 1 your kernel is 2.718 and 0.368. The square of an exponential is "
        "exp(−u/2)² = exp(−u): it doubles the exponent and does not square it.",
        "the square stands behind the exponential instead of inside it",
        "In exp(−u²/2), what is squared: u or exp?",
    ),
    Mistake(
        "half-missing",
        slip(pipeline, score=lambda u: -(u**2)),
        "the half",
        "{seen}Your kernel is 1, 0.368, 0.018 at u = 0, 1, 2: exp(−u²). "
        "The Gaussian has 1, 0.607, 0.135. Its bump is wider by a factor √2.",
        "the factor 1/2 in the exponent is missing",
        "exp of what is 0.607?",
    ),
    Mistake(
        "width-multiplied",
        slip(pipeline, scale=lambda d, w: d * w),
        "the width",
        "{seen}The keys lie 0, 2 and 4 from query 1. With width 2 that is u = 0, 1, 2; "
        "yours is 0, 4, 8. A *larger* width makes your kernel *narrower*.",
        "the distance is multiplied by the width (note that Python reads `a / 2 * b` as `(a / 2) * b`)",
        "How many widths away is a key at distance 4 when the width is 2?",
    ),
    Mistake(
        "width-multiplied-once",
        slip(pipeline, scale=lambda d, w: d * w**0.5),
        "the brackets",
        "{seen}A key at distance 2 with width 2 lies one width away, so its kernel is exp(−1/2) = 0.607. "
        "Yours is exp(−4) = 0.018: the square of the distance, halved and then *multiplied* by the width.",
        "a bracket is missing: Python reads `a / 2 * b` as `(a / 2) * b`",
        "Which bracket puts both the 2 and the squared width below the line?",
    ),
    Mistake(
        "width-not-squared",
        slip(pipeline, scale=lambda d, w: d / w**0.5),
        "the width",
        "{seen}A key at distance 2 with width 2 lies one width away, "
        "so its kernel is exp(−1/2) = 0.607. Yours is exp(−4/(2·2)) = 0.368.",
        "the square covers the distance but not the width",
        "In −(d/width)²/2, what stands under the square?",
    ),
    Mistake(
        "two-widths",
        slip(pipeline, scale=lambda d, w: d / (2**0.5 * w)),
        "the brackets",
        "{seen}A key one width away should have the kernel exp(−1/2) = 0.607; "
        "yours has exp(−1/4) = 0.779. You divide by (2·width)² = 16, where 2·width² = 8 belongs.",
        "the square reaches the 2 as well: (2·width)² instead of 2·width²",
        "Which of the two does the exponent −d²/(2·width²) ask for: the square of 2·width, or twice the "
        "square of the width?",
    ),
    Mistake(
        "no-width",
        slip(pipeline, scale=lambda d, w: d),
        "the width",
        "{seen}The keys lie 0, 2 and 4 from query 1. Measured in widths that is 0, 1, 2; "
        "you use the distances as they are.",
        "the width does not enter",
        "What should happen to the curve when the width is doubled, and where could that happen in your "
        "code?",
    ),
    Mistake(
        "width-cancels",
        slip(pipeline, scale=lambda d, w: d, score=lambda u: -(u**2)),
        "the brackets",
        "{seen}Your weights are those of exp(−d²): the factor 1/(2·width²) has dropped out, as it "
        "does when the whole exponential is divided by 2·width². A factor common to all keys cancels in "
        "the average.",
        "the division by 2·width² happens outside the exponential, or not at all",
        "Which bracket must the division be in so that it acts on the exponent?",
    ),
    Mistake(
        "sign",
        slip(pipeline, score=lambda u: u**2 / 2),
        "the sign",
        "{seen}At u = 0, 1, 2 your kernel is 1, 1.649, 7.389: the further away, the weightier.",
        "the minus sign in the exponent is missing (or squared away: `(-u) ** 2` is positive)",
        "Should the weight of a key rise or fall with its distance?",
    ),
    Mistake(
        "over-queries",
        slip(pipeline, normalise=lambda e: e.softmax(0)),
        "the axis",
        "{seen}In your weights every *column* sums to 1: the queries compete for each key. "
        "Then the shares of the first query's keys sum to 1.182, and those of the second to 1.818.",
        "the normalisation runs over the queries",
        "A prediction at one query is an average over what? Which axis of the (T, S) weights is that?",
    ),
    Mistake(
        "over-everything",
        slip(pipeline, normalise=lambda e: e.flatten().softmax(0).reshape(e.shape)),
        "one sum for all",
        "{seen}All your weights together sum to 1, "
        "so that the queries share one budget. Each query has a budget of its own.",
        "the kernel is divided by the sum over all queries and keys",
        "What does a sum over one axis with keepdim=True give that a sum over everything does not?",
    ),
    Mistake(
        "softmax-of-kernel",
        slip(pipeline, normalise=lambda e: e.exp().softmax(1)),
        "one exponential too many",
        "{seen}For the query 1 the kernel is (1, 0.607, 0.135); its softmax is "
        "(0.477, 0.322, 0.201). A key infinitely far away would still get a share, since exp(0) = 1.",
        "a softmax is taken of the kernel values, which are exponentials already",
        "softmax(x) is exp(x) divided by its sum. Which x makes exp(x) the kernel?",
    ),
    Mistake(
        "by-the-largest",
        slip(
            pipeline, normalise=lambda e: e.exp() / e.exp().max(1, keepdim=True).values
        ),
        "divided by the wrong number",
        "{seen}You divide the kernel by its largest number, so that the nearest key "
        "has weight 1, and all together more than 1.",
        "the kernel is divided by its maximum",
        "Which number makes the weights sum to 1?",
    ),
    Mistake(
        "keys-averaged",
        lambda queries, keys, values, width: solution(queries, keys, keys, width),
        "what is averaged",
        "{seen}The weights are right, but they average the keys 1, 3, 5, "
        "the places of the observations. Wanted is what was observed there: 0, 10, 60.",
        "the keys are averaged instead of the values",
        "A prediction is measured in the units of which of the two?",
    ),
    Mistake(
        "nearest",
        slip(
            pipeline,
            normalise=lambda e: torch.nn.functional.one_hot(e.argmax(1), e.shape[1]).to(
                e
            ),
        ),
        "one key takes all",
        "With {given} you return {got}: for every query the value of its nearest key. The curve jumps "
        "half-way between two keys, "
        "and the width changes nothing.",
        "only the nearest key is used",
        "What would let the keys 2 and 4 away have a (smaller) say?",
    ),
    Mistake(
        "average",
        slip(pipeline, normalise=lambda e: torch.ones_like(e) / e.shape[1]),
        "the query has no say",
        "With {given} you return {got}: the plain average of the values, for every query the same.",
        "all keys get the same weight",
        "Which number tells how near a key is to the query, and how could it become that key's share?",
    ),
    Mistake(
        "weights-returned",
        slip(pipeline, pool=lambda a, v: a),
        "half-way",
        "With {given} you return {got}. These are the weights, and they are right: every row sums to 1. "
        "One step is missing; right is {expected}.",
        "the function stops at the weights",
        "Row 1 says how much each of 0, 10, 60 counts. What is the average?",
    ),
    Mistake(
        "no-pairs",
        lambda queries, keys, values, width: solution(
            queries - keys, keys, values, width
        ),
        "every query meets every key",
        "With {given} {line} raises {error}. Two queries and three keys make six pairs, and so six "
        "distances: a table (T, S).",
        "the keys are subtracted from the queries one by one",
        "Broadcasting makes a table when one factor has the shape (T, 1). What shape must the other have, "
        "and how do you get both?",
        line=r"\bq\w*\s*-\s*k|\bk\w*\s*-\s*q|sub",
    ),
    Mistake(
        "extra-axis",
        lambda queries, keys, values, width: solution(
            queries, keys, values[:, None], width
        ),
    ),
    Mistake(
        "no-gradient",
        lambda queries, keys, values, width: solution(
            queries, keys, values, width
        ).detach(),
    ),
)

NADARAYA_WATSON = Exercise(
    name="nadaraya-watson",
    title="Nadaraya–Watson by hand",
    chapter=2,
    function="my_nadaraya_watson",
    statement="""\
Predict at every query $x_i$ by an average of the observed values $y_j$, in which near keys $x_j$ count
more. Use the Gaussian kernel of a given
**width** $\\sigma$:

$$f(x_i) = \\sum_{j=1}^{n} \\frac{K_{ij}}{\\sum_{j'=1}^{n} K_{ij'}}\\, y_j, \\qquad
K_{ij} = \\exp\\!\\left(-\\frac{(x_i - x_j)^2}{2\\sigma^2}\\right).$$

With keys $1, 3, 5$, values $0, 10, 60$ and width $2$ the prediction at $1$ is $8.144$ and at $3$ is
$20.963$. Follow the first on paper:
the kernel is $1$, $0.607$, $0.135$.""",
    stub='''\
def my_nadaraya_watson(queries, keys, values, width):
    """Predict at every query by a Gaussian-weighted average of the values.

    queries: (T,), keys: (S,), values: (S,), width: a positive number → (T,)
    """
    ...
''',
    hints=(
        "First the table of distances: every query meets every key, so its shape is (T, S). "
        "Broadcasting does it when queries have the shape (T, 1) and keys (1, S).",
        "Measure the distances in widths: u = distance / width. The kernel is exp(−u²/2); for the first "
        "row of the example it is 1, 0.607, 0.135. "
        "Divide every row by its own sum.",
        "exp of a score, divided by the sum over a row, is a softmax over that row. With `scores = -(u ** "
        "2) / 2` the weights are "
        "`scores.softmax(dim=1)`, and the predictions are `weights @ values`.",
    ),
    solution=solution,
    why="Width and distance appear inside an exponential *and* inside a ratio, so almost any slip still "
    "gives a smooth, sensible curve: "
    "a missing 1/2 or a width that is not squared is only another width. With width 1 most of them even "
    "agree with the right answer. "
    "That is why the checker never uses width 1.",
    shapes={"queries": "T", "keys": "S", "values": "S", "width": "a number"},
    returns="T",
    example=example,
    probes=probes,
    edges=edges,
    steps=steps,
    wrong=WRONG,
    describers=(another_kernel,),
    differentiable=("queries", "keys", "values"),
)
