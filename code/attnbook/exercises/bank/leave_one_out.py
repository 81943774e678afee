"""Exercise leave-one-out: how well is every point predicted by all the others?"""

import torch

from ..arguments import draw, exact
from ..exercise import Exercise, Mistake


def my_leave_one_out_loss(x, y, w):
    """Sum the squared errors of predicting every point from all the others.

    x: (n,), y: (n,), w: a tensor with one number → a tensor with one number
    """
    distance = x[:, None] - x[None, :]  # (n, n)
    u = w * distance
    scores = -(u**2) / 2  # (n, n): the Gaussian kernel's logarithm
    itself = torch.eye(len(x), dtype=torch.bool, device=x.device)
    others = scores.masked_fill(itself, -torch.inf)  # −∞ on the diagonal
    weights = others.softmax(dim=1)  # zero there, and rows sum to 1
    predictions = weights @ y
    errors = predictions - y
    return (errors**2).sum()  # a scalar


def _number(w: float) -> torch.Tensor:
    return torch.tensor(w, dtype=torch.float64)


def example() -> tuple:
    return exact(0, 0.5, 1), exact(0, 2, 6), _number(2.0)


def twins() -> tuple:
    return exact(0, 0, 1), exact(1, 3, 8), _number(1.0)


def probes() -> list[tuple]:
    sizes = [(7, 1.4), (5, 0.6), (11, 2.2), (3, 0.8)]
    return [(draw(n, seed=70 + n), draw(n, seed=80 + n), _number(w)) for n, w in sizes]


def edges() -> list[tuple]:
    same_place = draw(5, seed=91)
    same_place[3] = same_place[1]  # two observations at the same x
    few = (same_place, draw(5, seed=92), _number(1.3)), (draw(2, seed=93), draw(2, seed=94), _number(0.9))
    narrow = exact(0, 0.5, 1), exact(0, 2, 6), _number(40.0)  # the scores of neighbours are −200
    return [*few, narrow]


def space(pick) -> tuple:
    """Any arguments that the task allows."""
    (n,) = pick.sizes(2)
    return pick.numbers(n), pick.numbers(n), _number(pick.of(1.0, 2.0, 0.5))


# edits that are used several times
SCALE, SCORE, SOFTMAX = "w * distance", "-(u**2) / 2", "others.softmax(dim=1)"
LEAVE, SUM = "scores.masked_fill(itself, -torch.inf)", "(errors**2).sum()"
EARLIER = "torch.ones_like(scores).tril(-1).bool() | (torch.arange(len(x)) + torch.arange(len(x))[:, None] == 0)"

# fmt: off
MISTAKES = (
    Mistake("width-not-squared", (SCORE, "-w * distance**2 / 2"),
        "the distance is squared, but not w. The kernel is a function of w times the distance.",
        "In exp(−u²/2), what is u?"),
    Mistake("point-kept", (LEAVE, "scores"),
        "every point is among its own keys. The observation that should be predicted is then the nearest one. (A 0 "
        "on the diagonal of the scores changes nothing: the score of a point with itself is 0 already.)",
        "Which score makes exp(score) zero, before the sum is taken?"),
    Mistake("zeroed-after-softmax", ((LEAVE, "scores"), (SOFTMAX, "others.softmax(dim=1) * ~itself")),
        "the diagonal is set to zero after the softmax. Each point has already taken its part of the sum, so the "
        "rows of your weights do not sum to 1.",
        "What must happen first: leaving the point out, or dividing by the sum?"),
    Mistake("mean", (SUM, "(errors**2).mean()"),
        "the mean of the squared errors is taken. Yours is the loss divided by the number of points.",
        "Does the task speak of a sum or of a mean? (With a mean the same learning rate takes a smaller step.)"),
    Mistake("not-squared-errors", (SUM, "errors.abs().sum()"),
        "the absolute errors are added up. The errors are {errors}; the loss is the sum of their squares.",
        "Which of your lines should have a square?"),
    Mistake("halved", (SUM, "(errors**2).sum() / 2"),
        "the sum of squares is halved. There is a half in the exponent of the Gaussian, but not in the loss.",
        "Which of your lines has a half, and which of these does the task ask for?"),
    Mistake("rooted", (SUM, "(errors**2).sum().sqrt()"),
        "the root of the sum is taken. What you return is the length of the vector of errors {errors}.",
        "Which of your lines takes a root (or a norm)?"),
    Mistake("errors-added-first", (SUM, "errors.sum() ** 2"),
        "the errors are added before they are squared. The errors are {errors}: positive and negative ones cancel.",
        "Which comes first in a sum of squares?"),
    Mistake("errors-not-added", (SUM, "errors**2"),
        "the squared errors are not added up. You return one number per point, and they are right; the loss is one "
        "number.", "What does `backward()` need: one number, or one per point?"),
    Mistake("predictions-returned", (SUM, "predictions"),
        "the function stops at the predictions. The predictions are right; the loss says how far they are from y.",
        "How do you make one number out of three predictions and three observations?"),
    Mistake("last-point-missing", (SUM, "(errors[:-1] ** 2).sum()"),
        "the loop ends one point too early. The errors are {errors}, and the last one is not counted.",
        "Which numbers does range(n − 1) give for n = 3?"),
    Mistake("last-point-only", (SUM, "errors[-1] ** 2"),
        "each round of the loop overwrites the loss. The errors are {errors}, and only the last one is left.",
        "Which operator adds to what is there already: = or +=?"),
    Mistake("first-point-only", (SUM, "errors[0] ** 2"),
        "the function returns in the first round of its loop. The errors are {errors}, and only the first one is "
        "counted.", "How far is the `return` line indented?"),
    Mistake("all-pairs", ("predictions - y", "predictions[:, None] - y"),
        "the predictions have the shape (n, 1) when y is subtracted. Broadcasting then makes a table: every "
        "prediction is compared with every observation, not just with its own.",
        "Print the shape of the errors. How many should there be for three points?"),
    Mistake("half-missing", (SCORE, "-(u**2)"),
        "the factor 1/2 in the exponent is missing. The kernel exp(−u²) is a narrower Gaussian.",
        "When w·distance is 1, is the exponent −1 or −1/2?"),
    Mistake("divided-by-w", (SCALE, "distance / w"),
        "the distance is divided by w. In this chapter w is the *inverse* of a width: a large w makes a narrow kernel.",
        "Where does the formula have w: below the distance, or beside it?"),
    Mistake("w-ignored", (SCALE, "distance"),
        "w does not enter. The distances are used as they are, and there would be nothing to learn.",
        "Where is w in the formula?"),
    Mistake("not-squared", (SCORE, "-u / 2"),
        "the distance is not squared. Without the square, a point on the right gets a larger weight the further away "
        "it is.", "What must a neighbour 0.5 to the left and one 0.5 to the right have in common?"),
    Mistake("sign", (SCORE, "u**2 / 2"),
        "the minus sign in the exponent is missing (or squared away: `(-u) ** 2` is positive). The further away a "
        "point is, the larger its weight.", "Should the weight of a point rise or fall with its distance?"),
    Mistake("itself-only", (LEAVE, "scores.masked_fill(~itself, -torch.inf)"),
        "the mask is the wrong way round. The fit is perfect, but only because all the *other* points are left out, "
        "and each predicts itself.", "Where in the (n, n) table should −∞ be?"),
    Mistake("earlier-only", (LEAVE, f"scores.masked_fill(~({EARLIER}), -torch.inf)"),
        "a triangle is left out instead of the diagonal. Each point sees only those before it in the list; it has "
        "neighbours on both sides.", "How many numbers of an (n, n) table should be left out: n, or about n²/2?"),
    Mistake("down-the-columns", (SOFTMAX, "others.softmax(dim=0)"),
        "the softmax runs over the wrong axis. The columns of your weights sum to 1. Each *prediction* must be an "
        "average, so it is the rows that have to sum to 1.",
        "In a product of a matrix and a vector, over which axis of the matrix does the sum run?"),
    Mistake("not-normalised", (SOFTMAX, "others.exp()"),
        "the kernel values are not divided by their sum. The rows of your weights do not sum to 1; they should be "
        "{weights}.", "What turns the kernel values of a row into the weights of an average?"),
    Mistake("x-averaged", ("weights @ y", "weights @ x"),
        "the keys x are averaged instead of the values y. The weights are right, but x is where the points are; "
        "what has to be predicted is what was observed there.", "Which of the two is compared with y?"),
    Mistake("twins-left-out", (LEAVE, "scores.masked_fill(scores == 0, -torch.inf)"),
        "points are left out by their distance (0) rather than by being the same point. Two observations share the "
        "place x = 0. Each may help to predict the other; you leave out both.",
        "What do x_i = x_j and i = j have in common, and where do they differ?", twins),
    Mistake("returns-a-number", (SUM, "(errors**2).sum().item()")),
    Mistake("no-gradient", (SCALE, "float(w) * distance")),
)

EXERCISE = Exercise(
    name="leave-one-out", title="The leave-one-out loss", chapter=3, solution=my_leave_one_out_loss,
    shapes={"x": "n", "y": "n", "w": "a number"}, example=example, probes=probes, edges=edges, mistakes=MISTAKES,
    steps={"scores": "the scores", "weights": "the weights without the point itself", "predictions": "the predictions",
        "errors": "their errors"},
    differentiable=("w",),
    space=space,
    hints=(
        "Queries and keys are the same points x, so the table of scores is (n, n). What is on its diagonal, and what "
        "should the weight there be?",
        "The weight of a point for itself must be zero *before* the sum is taken, or the row would no longer sum to 1. "
        "Which score becomes zero under exp?",
        "`torch.eye` can say which scores are on the diagonal, and `masked_fill` replaces them. What do the rows do "
        "next, and what do they average?",
    ),
    why="Keeping the point among its keys runs without complaint, and the loss is *smaller*: it looks like a "
        "better model. It is only a better memory. As w grows, every point predicts itself, the loss goes to 0, and "
        "nothing has been learned. Writing 0 on the diagonal of the *scores* changes nothing at all, because the score "
        "of a point with itself is 0 already.",
)
