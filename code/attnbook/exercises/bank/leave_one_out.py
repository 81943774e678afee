"""Exercise leave-one-out: how well is every point predicted by all the others?"""

from __future__ import annotations

import torch

from ..legacy import Exercise, Mistake, draw, exact, slip


def solution(x, y, w):
    """Sum the squared errors of predicting every point from all the others."""
    distance = x[:, None] - x[None, :]  # (n, n)
    scores = -((w * distance) ** 2) / 2  # (n, n): the Gaussian kernel's logarithm
    itself = torch.eye(len(x), dtype=torch.bool, device=x.device)
    weights = scores.masked_fill(itself, -torch.inf).softmax(
        dim=1
    )  # zero on the diagonal, rows sum to 1
    return ((weights @ y - y) ** 2).sum()  # a scalar


def pipeline(
    x,
    y,
    w,
    scale=lambda d, w: w * d,
    score=lambda u: -(u**2) / 2,
    leave=lambda e: e.masked_fill(_eye(e).bool(), -torch.inf),
    normalise=lambda e: e.softmax(1),
    pool=lambda a, x, y: a @ y,
    loss=lambda error: (error**2).sum(),
):
    """The same in named steps, so that a mistake is one step done wrongly."""
    weights = normalise(leave(score(scale(x[:, None] - x[None, :], w))))
    return loss(pool(weights, x, y) - y)


def _eye(e: torch.Tensor) -> torch.Tensor:
    return torch.eye(len(e), dtype=e.dtype)


def _earlier(e: torch.Tensor) -> torch.Tensor:
    """Only the points before this one; the first, which has none, keeps itself."""
    keep = torch.ones_like(e).tril(-1).bool()
    keep[0, 0] = True
    return e.masked_fill(~keep, -torch.inf)


def example() -> tuple:
    return exact(0, 0.5, 1), exact(0, 2, 6), torch.tensor(2.0, dtype=torch.float64)


def probes() -> list[tuple]:
    sizes = [(7, 1.4), (5, 0.6), (11, 2.2), (3, 0.8)]
    return [
        (
            draw(n, seed=70 + n),
            draw(n, seed=80 + n),
            torch.tensor(w, dtype=torch.float64),
        )
        for n, w in sizes
    ]


def edges() -> list[tuple]:
    same_place = draw(5, seed=91)
    same_place[3] = same_place[1]  # two observations at the same x
    return [
        (same_place, draw(5, seed=92), torch.tensor(1.3, dtype=torch.float64)),
        (draw(2, seed=93), draw(2, seed=94), torch.tensor(0.9, dtype=torch.float64)),
    ]


def steps(x, y, w) -> list[tuple[str, object]]:
    kernel = torch.exp(-((w * (x[:, None] - x[None, :])) ** 2) / 2)
    weights = kernel * (1 - _eye(kernel))
    weights = weights / weights.sum(1, keepdim=True)
    return [
        ("the kernel", kernel),
        ("the weights without the point itself", weights),
        ("the predictions", weights @ y),
        ("their errors", weights @ y - y),
    ]


def twins() -> tuple:
    return exact(0, 0, 1), exact(1, 3, 8), torch.tensor(1.0, dtype=torch.float64)


WRONG = (
    Mistake(
        "point-kept",
        slip(pipeline, leave=lambda e: e),
        "the point sees itself",
        "{seen}In the first row your weights are (0.574, 0.348, 0.078): the largest share of the "
        "prediction at x = 0 is the answer y = 0 itself. (A 0 on the diagonal of the scores changes "
        "nothing: a point is at distance 0 from "
        "itself already, and exp(0) = 1.)",
        "every point is among its own keys",
        "Which score makes exp(score) zero, before the sum is taken?",
    ),
    Mistake(
        "zeroed-after-softmax",
        slip(
            pipeline,
            leave=lambda e: e,
            normalise=lambda e: e.softmax(1) * (1 - _eye(e)),
        ),
        "row sums",
        "{seen}The diagonal is zero, but the first row of your weights is (0, 0.348, 0.078): it sums to "
        "0.426, not 1. The point had already taken its share of the sum.",
        "the diagonal is set to zero after the softmax",
        "What must happen first: leaving the point out, or dividing by the sum?",
    ),
    Mistake(
        "mean",
        slip(pipeline, loss=lambda r: (r**2).mean()),
        "sum or mean",
        "{seen}It should be three times as much. The squared errors are 7.451, 1 and 19.052; you divide "
        "their sum by n = 3.",
        "the mean of the squared errors is taken",
        "Does the task speak of a sum or of a mean? (With a mean the same learning rate takes a much "
        "smaller step.)",
    ),
    Mistake(
        "halved",
        slip(pipeline, loss=lambda r: (r**2).sum() / 2),
        "a half too many",
        "{seen}It should be twice as much. The squared errors are 7.451, 1 and 19.052.",
        "the sum of squares is halved",
        "The half belongs into the exponent of the Gaussian. Is there another one in the task?",
    ),
    Mistake(
        "rooted",
        slip(pipeline, loss=lambda r: (r**2).sum().sqrt()),
        "a root too many",
        "{seen}It should be the square of that. You return the length of the vector of errors.",
        "the root of the sum is taken",
        "Which of your lines takes a root (or a norm)?",
    ),
    Mistake(
        "absolute-errors",
        slip(pipeline, loss=lambda r: r.abs().sum()),
        "the square",
        "With {given} you return {got} = 2.73 + 1 + 4.365; right is {expected} = 7.451 + 1 + 19.052.",
        "the absolute errors are added up",
        "What is to be done with an error before the errors are added?",
    ),
    Mistake(
        "errors-added-first",
        slip(pipeline, loss=lambda r: r.sum() ** 2),
        "the order of square and sum",
        "{seen}The errors 2.73, 1 and −4.365 are added first: they sum to −0.635, and its square is yours. "
        "Errors up and errors down cancel.",
        "the errors are added before they are squared",
        "Which comes first in a sum of squares?",
    ),
    Mistake(
        "errors-not-added",
        slip(pipeline, loss=lambda r: r**2),
        "one number is wanted",
        "With {given} you return {got}: the squared error of every point, and they are right. The loss is "
        "one number.",
        "the squared errors are not added up",
        "What does `backward()` need: one number, or one for each point?",
    ),
    Mistake(
        "predictions-returned",
        lambda x, y, w: pipeline(x, y, w, loss=lambda r: r) + y,
        "half-way",
        "With {given} you return {got}: the predictions, and they are right. The loss tells how far they "
        "are from y = (0, 2, 6).",
        "the function stops at the predictions",
        "How do you make one number out of three predictions and three observations?",
    ),
    Mistake(
        "last-point-missing",
        slip(pipeline, loss=lambda r: (r[:-1] ** 2).sum()),
        "a point is missing",
        "{seen}The squared errors are 7.451, 1 and 19.052; you add up the first two: 8.451.",
        "the loop ends one point too early",
        "Which numbers does range(n − 1) give for n = 3?",
    ),
    Mistake(
        "last-point-only",
        slip(pipeline, loss=lambda r: r[-1] ** 2),
        "one point only",
        "{seen}The squared errors are 7.451, 1 and 19.052; you return the last one.",
        "each round of the loop overwrites the loss",
        "Which sign adds to what is there already: = or +=?",
    ),
    Mistake(
        "first-point-only",
        slip(pipeline, loss=lambda r: r[0] ** 2),
        "one point only",
        "{seen}The squared errors are 7.451, 1 and 19.052; you return the first one.",
        "the function returns in the first round of its loop",
        "How far is the `return` line indented?",
    ),
    Mistake(
        "first-point-missing",
        slip(pipeline, loss=lambda r: (r[1:] ** 2).sum()),
        "a point is missing",
        "{seen}The squared errors are 7.451, 1 and 19.052; you add up the last two: 20.052.",
        "the loop begins one point too late",
        "Which is the index of the first point?",
    ),
    Mistake(
        "all-pairs",
        lambda x, y, w: (
            (pipeline(x, y, w, loss=lambda r: r)[:, None] + y[:, None] - y) ** 2
        ).sum(),
        "errors of all pairs",
        "{seen}You add up nine squares: every prediction is compared with every observation, not just with "
        "its "
        "own. That happens when predictions of the shape (n, 1) and y of the shape (n,) are subtracted: "
        "broadcasting makes a table of them.",
        "the predictions have the shape (n, 1) when y is subtracted",
        "Print the shape of the errors. How many should there be for three points?",
    ),
    Mistake(
        "half-missing",
        slip(pipeline, score=lambda u: -(u**2)),
        "the half",
        "{seen}At w·distance = 1 and 2 your kernel is 0.368 and 0.018; the Gaussian has 0.607 and 0.135.",
        "the factor 1/2 in the exponent is missing",
        "exp of what is 0.607?",
    ),
    Mistake(
        "divided-by-w",
        slip(pipeline, scale=lambda d, w: d / w),
        "what w means",
        "{seen}The distance 0.5 becomes 0.25 in your code; it should become 1. In this chapter w is the "
        "*inverse* of a width: a large w makes a narrow kernel.",
        "the distance is divided by w",
        "Where does the formula have w: below the distance, or beside it?",
    ),
    Mistake(
        "w-not-squared",
        slip(pipeline, scale=lambda d, w: d * w**0.5),
        "the square",
        "{seen}With w = 2 the neighbour at distance 0.5 has u = w·0.5 = 1 and the score −u²/2 = −0.5; "
        "yours is −0.25.",
        "the square covers the distance but not w",
        "In −(w·d)²/2, what stands under the square?",
    ),
    Mistake(
        "w-ignored",
        slip(pipeline, scale=lambda d, w: d),
        "w makes no difference",
        "{seen}The distances 0.5 and 1 enter as they are, whatever w is: there would be nothing to learn.",
        "w does not enter",
        "Where does w stand in the formula?",
    ),
    Mistake(
        "not-squared",
        slip(pipeline, score=lambda u: -u / 2),
        "the square",
        "{seen}Without the square a point on the right gets a larger weight the further away it is.",
        "the distance is not squared",
        "What must a neighbour 0.5 to the left and one 0.5 to the right have in common?",
    ),
    Mistake(
        "absolute-distance",
        slip(pipeline, score=lambda u: -u.abs() / 2),
        "the square",
        "{seen}At w·distance = 1 and 2 your kernel is 0.607 and 0.368, where the Gaussian has 0.607 and "
        "0.135.",
        "the distance enters by its absolute value instead of its square",
        "What does u = 2 become in the exponent of a Gaussian?",
    ),
    Mistake(
        "sign",
        slip(pipeline, score=lambda u: u**2 / 2),
        "the sign",
        "{seen}At w·distance = 1 and 2 your kernel is 1.649 and 7.389: the further away, the weightier.",
        "the minus sign in the exponent is missing (or squared away: `(-u) ** 2` is positive)",
        "Should the weight of a point rise or fall with its distance?",
    ),
    Mistake(
        "itself-only",
        slip(pipeline, leave=lambda e: e.masked_fill(~_eye(e).bool(), -torch.inf)),
        "the wrong ones are left out",
        "With {given} you return {got}. A perfect fit, but look how it comes about: all *other* points are "
        "left out, and each predicts itself.",
        "the mask is the wrong way round",
        "On which positions of the (n, n) table should −∞ stand?",
    ),
    Mistake(
        "earlier-only",
        slip(pipeline, leave=_earlier),
        "too much is left out",
        "{seen}Each point sees only the points before it in the list (a triangular mask). "
        "A point has neighbours on both sides.",
        "a triangle is left out instead of the diagonal",
        "How many numbers of an (n, n) table are to be left out: n, or about n²/2?",
    ),
    Mistake(
        "down-the-columns",
        slip(pipeline, normalise=lambda e: e.softmax(0)),
        "the axis",
        "{seen}In your weights the columns sum to 1. The scores are symmetric, so that the picture looks "
        "the same, "
        "but each *prediction* must be an average: it is the row that has to sum to 1.",
        "the softmax runs over the wrong axis",
        "In `weights @ y`, over which axis of the weights is the sum taken?",
    ),
    Mistake(
        "not-normalised",
        slip(pipeline, normalise=torch.exp),
        "the sum of the weights",
        "{seen}The first row of your kernel is (0, 0.607, 0.135): it sums to 0.742, not 1.",
        "the kernel values are not divided by their sum",
        "What makes 0.607 and 0.135 the shares of an average?",
    ),
    Mistake(
        "x-averaged",
        slip(pipeline, pool=lambda a, x, y: a @ x),
        "what is averaged",
        "{seen}The weights are right, but they average x = (0, 0.5, 1), the places of the points. "
        "Predicted is what was observed there.",
        "the keys x are averaged instead of the values y",
        "Which of the two is compared with y?",
    ),
    Mistake(
        "twins-left-out",
        slip(pipeline, leave=lambda e: e.masked_fill(e == 0, -torch.inf)),
        "leaving out too much",
        "{seen}Two observations share the place x = 0, with y = 1 and y = 3. The second may very well help "
        "to predict the first: it is another observation. Yours leaves out every point at distance 0.",
        "points are left out by their distance (0) rather than by being the same point",
        "What do x_i = x_j and i = j have in common, and where do they differ?",
        example=twins,
    ),
    Mistake("returns-a-number", lambda x, y, w: solution(x, y, w).item()),
    Mistake("no-gradient", lambda x, y, w: solution(x, y, float(w))),
)

LEAVE_ONE_OUT = Exercise(
    name="leave-one-out",
    title="The leave-one-out loss",
    chapter=3,
    function="my_leave_one_out_loss",
    statement="""\
Predict every observation $y_i$ from all the *other* ones by a Gaussian-weighted average, and add up
the squared errors:

$$L(w) = \\sum_{i=1}^{n} \\Bigl(y_i - \\sum_{j \\ne i} \\alpha_{ij}\\, y_j\\Bigr)^2, \\qquad
\\alpha_{ij} = \\frac{\\exp\\bigl(-(w (x_i - x_j))^2/2\\bigr)}{\\sum_{j' \\ne i} \\exp\\bigl(-(w (x_i -
x_{j'}))^2/2\\bigr)}.$$

The number $w$ is the inverse of the kernel's width and comes as a tensor, so that a gradient can reach
it. With $x = (0, 0.5, 1)$, $y = (0, 2, 6)$
and $w = 2$ the three predictions are $2.73$, $3$ and $1.635$, and the loss is $27.503$.""",
    stub='''\
def my_leave_one_out_loss(x, y, w):
    """Sum the squared errors of predicting every point from all the others.

    x: (n,), y: (n,), w: a tensor with one number → a tensor with one number
    """
    ...
''',
    hints=(
        "Queries and keys are the same points x, so that the table of scores is (n, n). What stands on its "
        "diagonal, and what should the weight there be?",
        "The weight of a point for itself must be zero *before* the sum is taken, or the row would no "
        "longer sum to 1. Which score becomes zero under exp?",
        "`scores.masked_fill(torch.eye(len(x), dtype=torch.bool, device=x.device), "
        "-torch.inf).softmax(dim=1)` has a zero diagonal and rows that sum to 1. "
        "The loss is the sum of `(weights @ y - y) ** 2`.",
    ),
    solution=solution,
    why="Keeping the point among its keys runs without complaint, and the loss is *smaller*: it looks like "
    "a better model. It is only a better memory. "
    "As w grows, every point predicts itself, the loss goes to 0, and nothing has been learned. Writing 0 "
    "on the diagonal of the *scores* changes "
    "nothing at all, because the score of a point with itself is 0 already.",
    shapes={"x": "n", "y": "n", "w": "a number"},
    returns="",
    example=example,
    probes=probes,
    edges=edges,
    steps=steps,
    wrong=WRONG,
    differentiable=("w",),
)
