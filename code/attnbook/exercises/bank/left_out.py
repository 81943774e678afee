"""Exercise left-out: all leave-one-out predictions from the weights of one fit."""

import torch

from ..arguments import draw, exact
from ..exercise import Exercise, Mistake


def my_left_out_predictions(weights, y):
    """Predict each point by all the others, from one fit that includes it.

    weights: (n, n), rows sum to 1, y: (n,) → (n,)
    """
    seeing = weights @ y  # (n,): each point has voted for itself, too
    own = weights.diagonal()  # (n,)
    others = seeing - own * y  # (n,): its own vote is taken back
    budget = 1 - own  # (n,): what the others had to spend
    return others / budget  # their weights sum to 1 again


def example() -> tuple:
    return exact([0.5, 0.25, 0.25], [0.25, 0.5, 0.25], [0, 0.25, 0.75]), exact(2, 1, 4)


def probes() -> list[tuple]:
    return [((2 * draw(n, n, seed=200 + n)).softmax(1), draw(n, seed=210 + n)) for n in (5, 3, 7, 11)]


def edges() -> list[tuple]:
    two = draw(2, 2, seed=221).softmax(1), draw(2, seed=222)
    blind = draw(5, 5, seed=223).softmax(1) * (1 - torch.eye(5, dtype=torch.float64))  # already without itself
    narrow = (draw(5, 5, seed=224) + 6 * torch.eye(5, dtype=torch.float64)).softmax(1)  # own weights near 0.99
    return [two, (blind / blind.sum(1, keepdim=True), draw(5, seed=225)), (narrow, draw(5, seed=226))]


def space(pick) -> tuple:
    """Any arguments that the task allows."""
    (n,) = pick.sizes(2)
    return pick.weights(n, n, least=1), pick.numbers(n)


# edits that are used several times
SEEING, OWN, TAKEN, BUDGET, LAST = "weights @ y", "weights.diagonal()", "seeing - own * y", "1 - own", "others / budget"

# fmt: off
MISTAKES = (
    Mistake("unchanged", (LAST, "seeing"),
        "each point still votes for itself. These are the predictions of the ordinary fit, from which its own vote "
        "has to be taken back.", "How much of prediction i came from y_i itself?"),
    Mistake("not-rescaled", (LAST, "others"),
        "each point's own vote is taken back, but the rest is not rescaled. The weights of the others sum to {budget}, "
        "not to 1.", "By what must the others' weights be divided so that they are an average again?"),
    Mistake("not-taken-back", (LAST, "seeing / budget"),
        "the prediction is rescaled without taking the point's own vote back. First its own term has to go.",
        "Which term of the sum over j is the one with j = i?"),
    Mistake("divided-by-own", (BUDGET, "own"),
        "you divide by each point's own weight. The others had what was left of the budget: {budget}.",
        "If a point spends 0.75 on itself, how much is left for the others?"),
    Mistake("divided-by-count", (BUDGET, "len(y) - 1"),
        "you divide by the number of the others. Their weights do not sum to that, but to 1 − α_ii.",
        "The others' weights sum to 0.5, 0.5 and 0.25. By what must each row be divided?"),
    Mistake("multiplied", (LAST, "others * budget"),
        "you multiply by 1 − α_ii instead of dividing. Multiplying makes the weights of the others smaller still.",
        "The others' weights sum to 0.25. What makes them sum to 1?"),
    Mistake("own-weight-subtracted", (TAKEN, "seeing - own"),
        "the point's own *weight* is subtracted, not its vote. What a point adds to its prediction is its weight times "
        "its value.", "In Σ_j α_ij y_j, what is the term for j = i?"),
    Mistake("errors-returned", (TAKEN, "seeing - y"),
        "you return the errors instead of the predictions. (prediction − y) / (1 − α_ii) is the *error* of the point "
        "left out, and right.", "If the error is prediction − y, what is the prediction?"),
    Mistake("identity-reversed", (LAST, "y + budget * (seeing - y)"),
        "the identity is used the wrong way round. The training error is the *smaller* one of the two.",
        "Is a leave-one-out error larger or smaller than the error of a point that sees itself?"),
    Mistake("error-sign", (LAST, "y - (seeing - y) / budget"),
        "the leave-one-out error is subtracted from y. An error is prediction minus y.",
        "If the error is prediction − y, what is the prediction?"),
    Mistake("columns", (SEEING, "weights.T @ y"),
        "the columns of the weights are used instead of the rows. Row i belongs to the query i and sums to 1.",
        "Which index of α_ij is summed over?"),
    Mistake("columns-rescaled", ((SEEING, "weights @ (y / (weights.sum(0) - weights.diagonal()))"),
        (TAKEN, "seeing - own * y / (weights.sum(0) - own)"), (LAST, "others")),
        "each *column* of the others' weights is divided by its sum. A row holds the weights of one prediction.",
        "Which axis of the others' weights must sum to 1?"),
    Mistake("mean-of-others", (LAST, "(y.sum() - y) / (len(y) - 1)"),
        "all others count the same. The fit had weights, and they still say who is near.",
        "What is the ratio of any two of the others' weights before and after a point is left out?"),
    Mistake("budget-of-all", (BUDGET, "1 - own.mean()"),
        "all points are rescaled by the same factor. Each row has its own weight on the diagonal: {own}.",
        "What did row i spend on itself?"),
    Mistake("softmax-again", ((SEEING, "weights.softmax(1) @ y"), (OWN, "weights.softmax(1).diagonal()")),
        "a softmax is taken of the weights (−∞ on their diagonal ends there, too). They are not scores any more.",
        "What makes numbers that are weights already sum to 1 again?"),
    Mistake("loss-returned", (LAST, "((others / budget - y) ** 2).sum()"),
        "the function returns the loss. The task asks for the predictions, one per point.",
        "How many numbers should come back for three points?"),
    Mistake("no-gradient", (LAST, "(others / budget).detach()")),
    Mistake("changes-dtype", (LAST, "(others / budget).float()")),
)

EXERCISE = Exercise(
    name="left-out", title="The shortcut", chapter=3, solution=my_left_out_predictions,
    shapes={"weights": "n n", "y": "n"}, returns="n", example=example, probes=probes, edges=edges, mistakes=MISTAKES,
    steps={
        "seeing": "the predictions that include each point",
        "own": "each point's own weight",
        "budget": "1 − own weight",
    },
    differentiable=("y",),
    space=space,
    hints=(
        "In the example's first row, which number should have had no say, and what do the other weights sum to?",
        "Take a point's own term out of its sum, then make the remaining weights sum to 1 again. Or set the diagonal "
        "to zero and divide each row by what is left in it.",
        "`diagonal()` gives every point's own weight at once, (n,). What did each of them add to its prediction?",
    ),
    why="Taking a point's own vote back without rescaling gives numbers of the right kind, a little too near zero. "
        "Where a point has many neighbours the difference is small, so a plot of the predictions looks fine; at lonely "
        "points, where leaving out matters most, almost nothing is left of the prediction.",
)
