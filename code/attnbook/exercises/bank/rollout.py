"""Exercise rollout: from the last layer's positions back to the inputs."""

import torch

from ..arguments import draw, exact
from ..exercise import Exercise, Mistake


def my_rollout(weights):
    """How much each position of the last layer goes back to each input.

    weights: (L, H, T, T), first layer first → (T, T)
    """
    average = weights.mean(1)  # (L, T, T)
    itself = torch.eye(weights.shape[-1], dtype=weights.dtype, device=weights.device)
    mixed = average + itself  # attention and residual count alike
    maps = mixed / mixed.sum(-1, keepdim=True)  # rows sum to 1
    through = [itself]
    for layer in maps:
        through.append(layer @ through[-1])
    return through[-1]


# fmt: off
def example() -> tuple:
    return (exact([[[0, 1], [0.5, 0.5]]], [[[1, 0], [1, 0]]]),)


def leaky() -> tuple:
    """Rows that sum to less than 1, as off-by-one makes them; two heads."""
    return _drawn(2, 2, 3, 2010, leaks=True)


def _drawn(layers: int, heads: int, size: int, seed: int, leaks: bool = False) -> tuple:
    weights = (2 * draw(layers, heads, size, size, seed=seed)).softmax(-1)
    kept = (2 * draw(layers, heads, size, 1, seed=seed + 1)).sigmoid()
    return (weights * kept if leaks else weights,)


def probes() -> list[tuple]:
    return [_drawn(2, 3, 5, 2020), _drawn(3, 2, 7, 2030, leaks=True), _drawn(5, 7, 3, 2040, leaks=True)]


def edges() -> list[tuple]:
    return [leaky(), _drawn(1, 2, 5, 2050), _drawn(3, 1, 2, 2060), (torch.zeros(2, 3, 4, 4, dtype=torch.float64),)]


def space(pick) -> tuple:
    """Any arguments that the task allows."""
    L, H, T = pick.sizes(1, 1, 1)
    return (pick.weights(L, H, T, T) * pick.of(1.0, 0.5, 0.0),)


def heads_apart(weights):
    itself = torch.eye(weights.shape[-1], dtype=weights.dtype)
    through = itself
    for layer in weights + itself:  # (H, T, T)
        through = layer / layer.sum(-1, keepdim=True) @ through
    return through.mean(0)


# edits that are used several times
AVERAGE, MIXED, STEP = "weights.mean(1)", "average + itself", "layer @ through[-1]"
MAPS, RESULT = "mixed / mixed.sum(-1, keepdim=True)", "return through[-1]"
RESIDUAL = "What part of a position's vector does not come through attention at all?"
ORDER = "Row t of the result starts in the last layer. Which layer's map does it meet first?"
SUM = "What do the rows of each layer's map sum to, where those of the weights sum to less than 1?"

MISTAKES = (
    Mistake("heads-apart", heads_apart,
        "each head is followed through all layers by itself, and the average is taken in the end. Between two layers "
        "the heads meet: what one head brought, all of the next layer read.",
        "When are the heads to be averaged: in each layer, or after the last?", lambda: probes()[0]),
    Mistake("double-residual", (MIXED, "average + 2 * itself"),
        "the residual connection counts twice as much as the attention. They should count alike.", RESIDUAL),
    Mistake("other-order", (STEP, "through[-1] @ layer"),
        "the layers are multiplied in the other order. Then the inputs would look through the last layer first.",
        ORDER),
    Mistake("no-residual", (MIXED, "average"),
        "the residual connection is left out. Everything then comes through attention.", RESIDUAL),
    Mistake("half-residual", (MIXED, "average + itself / 2"),
        "the residual connection counts half as much as the attention. They should count alike.", RESIDUAL),
    Mistake("residual-in-each-head", (AVERAGE, "weights.sum(1)"),
        "the heads are added up, so that the residual connection counts less the more heads there are",
        "With two heads and one residual connection, how should a vector be shared?", leaky),
    Mistake("not-normalised", (MAPS, "mixed"),
        "the rows are not divided by their sum. They grow with each layer.", SUM),
    Mistake("halved", (MAPS, "mixed / 2"),
        "the mixture is divided by 2. That is its sum only where the weights sum to 1.", SUM, leaky),
    Mistake("normalised-before", ((MIXED, "average / average.sum(-1, keepdim=True) + itself"), (MAPS, "mixed / 2")),
        "the weights are scaled to a sum of 1 before the residual connection is added. Attention that gave little then "
        "counts as much as any.", SUM, leaky),
    Mistake("normalised-at-the-end",
        ((MAPS, "mixed"), (RESULT, "return through[-1] / through[-1].sum(-1, keepdim=True)")),
        "only the product is divided by its row sums. A row that lost weight in one layer then counts too little on "
        "the way.", SUM, leaky),
    Mistake("columns-normalised", (MAPS, "mixed / mixed.sum(-2, keepdim=True)"),
        "each column is divided by its sum. A row is what one position is made of.", "Which axis is summed over?"),
    Mistake("softmax", (MAPS, "mixed.softmax(-1)"),
        "a softmax makes the rows sum to 1. It also gives weight to positions that had none.",
        "What does a softmax make of a zero?"),
    Mistake("layers-averaged", (RESULT, "return maps.mean(0)"),
        "the layers are averaged and not multiplied", ORDER),
    Mistake("last-layer-only", (RESULT, "return maps[-1]"),
        "only the last layer is used. It says where the last layer looks, among mixed vectors.", ORDER),
    Mistake("first-layer-only", (RESULT, "return maps[0]"),
        "only the first layer is used", ORDER),
    Mistake("entry-by-entry", ((STEP, "layer * through[-1]"), ("through = [itself]", "through = [1]")),
        "the maps are multiplied entry by entry", "How do two steps of a walk make a walk of two steps?"),
    Mistake("first-head-only", (AVERAGE, "weights[:, 0]"),
        "only the first head is used", "Which axis of the weights counts the heads?", leaky),
    Mistake("strongest-head", (AVERAGE, "weights.amax(1)"),
        "of all heads the largest weight is taken in each cell. The average is asked for.",
        "What should become of the axis of the heads?", leaky),
    Mistake("heads-for-layers", ((AVERAGE, "weights.mean(0)"),),
        "the layers are averaged and the heads are multiplied", "Which axis of the weights counts the layers?", leaky),
    Mistake("inputs-as-rows", (RESULT, "return through[-1].mT"),
        "rows are inputs and columns are positions. The numbers are right, the table is transposed.",
        "Which axis of your table sums to 1, and which should?"),
    Mistake("weights-transposed", (AVERAGE, "weights.mean(1).mT"),
        "queries and keys are exchanged in each layer", "Which axis of the weights sums to 1?"),
    Mistake("changes-dtype", (RESULT, "return through[-1].float()")),
)

EXERCISE = Exercise(
    name="rollout", title="Through all layers", chapter=18, solution=my_rollout, shapes={"weights": "L H T T"},
    returns="T T", example=example, probes=probes, edges=edges, mistakes=MISTAKES,
    steps={"average": "the average of the heads", "mixed": "attention and residual connection added",
           "maps": "the map of each layer"},
    differentiable=("weights",),
    space=space,
    hints=(
        "Take one layer first. Half of a position comes from itself and half from where it looks. Which (T, T) table "
        "says so?",
        "Average the heads, add the identity, divide each row by its sum: that is one layer's map. Two layers, one "
        "after the other, are a product of maps.",
        "Row t of the result begins at the last layer, so the last layer's map is the leftmost factor. In the example, "
        "the last row is half of (0.5, 0.5) and half of (0.25, 0.75).",
    ),
    why="In the other order the product has rows that sum to 1 as well, and with one layer, or with two that are "
        "alike, it is the same table. With two positions that may only look back it is the same for *any* two layers. "
        "But it answers another question: it sends the inputs through the last layer first.",
)
