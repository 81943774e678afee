"""Exercise kernel-pooling: kernel averages for a batch, and what a query without neighbours gets."""

from ..arguments import draw, exact
from ..exercise import Exercise, Mistake


def my_kernel_pooling(queries, keys, values, width):
    """Average by an Epanechnikov kernel; where no key is near, answer 0.

    queries: (B, T), keys: (B, S), values: (B, S, Dv), width: number → (B, T, Dv)
    """
    distance = queries[:, :, None] - keys[:, None, :]  # (B, T, S)
    u = distance / width
    kernel = (1 - u**2).clamp(min=0)  # (B, T, S): zero beyond one width
    total = kernel.sum(dim=2, keepdim=True)  # (B, T, 1)
    safe = total.masked_fill(total == 0, 1)  # 0/1 where it would be 0/0
    weights = kernel / safe  # rows sum to 1, or to 0
    return weights @ values  # (B, T, S) · (B, S, Dv) → (B, T, Dv)


def example() -> tuple:
    return exact([1], [4]), exact([0, 1, 4], [5, 7, 3]), exact([[1], [2], [4]], [[10], [20], [60]]), 2.0


def lonely() -> tuple:
    return exact([9, 1]), exact([0, 1, 4]), exact([[1], [2], [4]]), 2.0


def two_queries() -> tuple:
    return exact([1, 1.5]), exact([0, 1, 4]), exact([[1], [2], [4]]), 2.0


def one_near() -> tuple:
    return exact([2.5]), exact([0, 1, 4]), exact([[1], [2], [4]]), 2.0


def probes() -> list[tuple]:
    return [
        (draw(b, t, seed=150 + b), draw(b, s, seed=160 + b), 1 + draw(b, s, v, seed=170 + b), width)
        for b, t, s, v, width in [(2, 5, 7, 3, 2.6), (3, 2, 11, 5, 3.1), (5, 3, 2, 1, 4.5)]
    ]


def edges() -> list[tuple]:
    nobody = exact([-5, 0.3, 7], [0.2, 9, -8]), draw(2, 5, seed=181), 1 + draw(2, 5, 2, seed=182), 1.5
    one_key = draw(3, 2, seed=183), draw(3, 1, seed=184), draw(3, 1, 2, seed=185), 0.4
    return [lonely(), two_queries(), one_near(), nobody, one_key]


def space(pick) -> tuple:
    """Any arguments that the task allows."""
    B, T, S, Dv = pick.sizes(1, 1, 1, 1)
    width = pick.of(1.0, 2.0, 0.5)  # some keys lie exactly at the edge, and some queries have none
    return pick.numbers(B, T), pick.numbers(B, S), pick.numbers(B, S, Dv), width


# edits that are used several times
PAIRS, SCALE, KERNEL = "queries[:, :, None] - keys[:, None, :]", "distance / width", "(1 - u**2).clamp(min=0)"
TOTAL, SAFE = "kernel.sum(dim=2, keepdim=True)", "total.masked_fill(total == 0, 1)"
WEIGHTS, POOL = "kernel / safe", "weights @ values"

# fmt: off
MISTAKES = (
    Mistake("lonely-nan", (SAFE, "total"),
        "a query without a key in reach is divided by zero. All its kernel values are 0 and so is their sum; 0/0 is "
        "NaN.", "By what else could you divide, so that 0 stays 0?", lonely),
    Mistake("lonely-average", ((SAFE, "total"), (WEIGHTS, "(kernel / safe).nan_to_num(nan=1 / kernel.shape[2])")),
        "a lonely query gets the plain average of its sequence. The task wants zeros: visibly nothing.",
        "What should a row of weights sum to when no key is in reach?", lonely),
    Mistake("lonely-nearest", (WEIGHTS,
        "kernel / safe + (total == 0) * (distance.abs() == distance.abs().min(2, keepdim=True).values)"),
        "a lonely query gets the value of its nearest key. That is a policy, but not the one asked for: zeros.",
        "What should a row of weights sum to when no key is in reach?", lonely),
    Mistake("sum-below-one", (SAFE, "total.clamp(min=1)"),
        "a sum of kernel values below 1 is raised to 1. That mends 0/0; but a smaller sum has to divide, too.",
        "Which sums need mending, and which do not?", one_near),
    Mistake("not-normalised", (WEIGHTS, "kernel"),
        "the kernel values are not divided by their sum. Weights should be {weights}.",
        "To average with the weights 3, 2 and 1, what do you divide by at the end?"),
    Mistake("kernel-mean", (WEIGHTS, "kernel / kernel.shape[2]"),
        "the kernel values are divided by the number of keys, reached or not. Each row should sum to 1.",
        "What number makes the kernel values of one query sum to 1?"),
    Mistake("mean-over-reached", (WEIGHTS, "kernel / (kernel > 0).sum(2, keepdim=True).clamp(min=1)"),
        "the kernel values are divided by the number of keys in reach. That makes a mean, not weights that sum to 1.",
        "What is the sum of the kernel values 0.75 and 1, and how many are they?"),
    Mistake("over-queries", (TOTAL, "kernel.sum(dim=1, keepdim=True)"),
        "the kernel is divided by its sum over the queries. Then the queries compete for each key.",
        "In (B, T, S), which axis counts the keys?", two_queries),
    Mistake("over-everything", (TOTAL, "kernel.sum(dim=(1, 2), keepdim=True)"),
        "all queries of a sequence share one budget. Each should have its own.",
        "Over which one axis should the sum run?", two_queries),
    Mistake("over-the-batch", (TOTAL, "kernel.sum()"),
        "the kernel is divided by the sum over the whole batch. Sequences must not know of each other.",
        "What changes in the first answer when the second sequence is left out? What should change?"),
    Mistake("first-sequence", (PAIRS, "queries[:, :, None] - keys[:1, None, :]"),
        "all sequences use the keys of the first one. Each has its own.", "Which index selects a sequence?"),
    Mistake("triangular", (KERNEL, "(1 - u.abs()).clamp(min=0)"),
        "the kernel is the triangle 1 − |u|. It often goes by the name of Epanechnikov; his kernel is a parabola.",
        "Halfway out, at u = ½, what is 1 − u²?"),
    Mistake("boxcar", (KERNEL, "(u.abs() <= 1).to(u)"),
        "every key in reach counts the same: that is the boxcar. Epanechnikov's kernel falls towards its edge.",
        "What is 1 − u² at u = 0, and what at u = 1?"),
    Mistake("gaussian", (KERNEL, "(-0.5 * u**2).exp()"),
        "the kernel is a Gaussian. It reaches everywhere; the one asked for ends at one width.",
        "What is max(0, 1 − u²) at u = 2?"),
    Mistake("negative-weights", (KERNEL, "1 - u**2"),
        "the kernel is not cut off at zero. Beyond one width 1 − u² is negative, and distant values are subtracted.",
        "What turns negative numbers into 0 and leaves the others alone?"),
    Mistake("softmax-of-kernel", (WEIGHTS, "kernel.softmax(dim=2)"),
        "a softmax is taken of the kernel values. Keys out of reach then get weight, too, since exp(0) = 1.",
        "The kernel values are not scores any more. What is left to do with them?"),
    Mistake("width-multiplied", (SCALE, "distance * width"),
        "the distance is multiplied by the width. A larger width then makes the kernel narrower.",
        "How many widths away is a key at distance 4 when the width is 2?"),
    Mistake("width-not-squared", (SCALE, "distance / width**0.5"),
        "the distance is squared, but the width is not.", "In u² = (distance/width)², what is squared?"),
    Mistake("no-width", (SCALE, "distance"),
        "the width is not used. The distance is measured in units of the width.",
        "How many widths away is a key at distance 1 when the width is 2?"),
    Mistake("mean-of-weighted", (POOL, "weights @ values / values.shape[1]"),
        "the weighted values are averaged with mean. The weights sum to 1 already.",
        "How must the weighted values be put together, if the weights sum to 1?"),
    Mistake("weights-returned", (POOL, "weights"),
        "the function stops at the weights. They are right: {weights}. One step is missing.",
        "Which product turns (B, T, S) and (B, S, Dv) into (B, T, Dv)?"),
    Mistake("no-gradient", (POOL, "weights.detach() @ values.detach()")),
    Mistake("changes-dtype", (POOL, "weights.float() @ values.float()")),
)

EXERCISE = Exercise(
    name="kernel-pooling", title="A batch with lonely queries", chapter=2, solution=my_kernel_pooling,
    shapes={"queries": "B T", "keys": "B S", "values": "B S Dv", "width": "a number"}, returns="B T Dv",
    example=example, probes=probes, edges=edges, mistakes=MISTAKES,
    steps={"u": "the distances in widths", "kernel": "the kernel values", "weights": "the weights"},
    differentiable=("queries", "keys", "values"),
    space=space,
    hints=(
        "Every query of a sequence meets every key of the same sequence. What shape has that table, and where do the "
        "queries and the keys need an axis of size 1?",
        "Kernel values first, then divide each row by its sum. Where that sum is 0, divide by something harmless "
        "*before* there is a NaN: a gradient goes back through every division that was carried out.",
        "`masked_fill` or `torch.where` on the sums (B, T, 1), not on the quotients. Which number may stand where the "
        "sum is 0?",
    ),
    why="Turning the NaN of a lonely answer into 0 gives the right numbers, and a loss would look fine. But the "
        "gradient goes back through the 0/0 all the same: the zero that comes from above meets a NaN on its way, and "
        "zero times NaN is NaN. One lonely query can fill a whole network with NaN in the first step of training.",
)
