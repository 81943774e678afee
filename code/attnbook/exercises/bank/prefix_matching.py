"""Exercise prefix-matching: how much a head looks at what came after earlier copies of the current token."""

import torch

from ..arguments import draw, exact
from ..exercise import Exercise, Mistake


def my_prefix_matching(weights, tokens):
    """The mean weight on what came after earlier copies of the current token.

    weights: (H, T, T), causal, tokens: (T,) integers → (H,)
    """
    before = tokens.roll(1)  # (T,): the token before each position
    match = tokens[:, None] == before  # (T, T): the current token is the one before j
    position = torch.arange(len(tokens), device=tokens.device)
    past = position <= position[:, None]
    counted = match & past & (position > 0)  # position 0 has nothing before it
    found = (weights * counted).sum(-1)  # (H, T)
    has_copy = counted.any(-1)  # (T,)
    return found[:, has_copy].mean(-1)


# fmt: off
def example() -> tuple:
    head = [[1, 0, 0, 0, 0], [0.5, 0.5, 0, 0, 0], [0.25, 0.5, 0.25, 0, 0], [0, 0.25, 0.75, 0, 0],
            [0.125, 0.125, 0.25, 0.25, 0.25]]
    return exact(head), torch.tensor([3, 5, 3, 5, 5])


def two_heads() -> tuple:
    return _drawn(2, (1, 4, 4, 1, 2, 4, 1), 1810)


def _drawn(heads: int, tokens: tuple, seed: int) -> tuple:
    size = len(tokens)
    scores = draw(heads, size, size, seed=seed)
    future = torch.ones(size, size, dtype=torch.bool).triu(1)
    return scores.masked_fill(future, -torch.inf).softmax(-1), torch.tensor(tokens)


def probes() -> list[tuple]:
    rows = (7, 2, 9, 7, 2), (6, 1, 6, 3, 1, 6, 6, 3, 8, 1, 4), (2, 5, 8, 2, 5, 8, 2)
    return [_drawn(h, row, 1820 + h) for h, row in zip((3, 2, 5), rows, strict=True)]


def edges() -> list[tuple]:
    return [two_heads(), _drawn(1, (4, 4), 1840), _drawn(3, (0, 3, 0), 1850)]


def space(pick) -> tuple:
    """Any arguments that the task allows."""
    H, T = pick.sizes(1, 2)
    some = pick.of(range(T - 1), range(50, 49 + T))[: pick.of(1, 2, 5)]  # fewer than positions: one comes again
    past = torch.ones(T, T, dtype=torch.bool).tril()
    return pick.weights(H, T, T, mask=past), pick.ids(T, among=some)


# edits that are used several times
BEFORE, PAST, MATCH = "tokens.roll(1)", "position <= position[:, None]", "match & past & (position > 0)"
FOUND, MEAN, HAS = "(weights * counted).sum(-1)", "found[:, has_copy].mean(-1)", "counted.any(-1)"
WHICH = "In a b … a, which position would tell you what comes next?"
COUNT = "How many positions of the example have an earlier copy of their token?"
SEVERAL = "If a token has two earlier copies, which weights of its row belong to the sum?"

MISTAKES = (
    Mistake("copy-and-itself", ((BEFORE, "tokens"), (MATCH, "match & past")),
        "the weight on equal tokens is counted, the position itself among them. What counts is the position right "
        "after an earlier copy.", WHICH),
    Mistake("copy-itself", ((BEFORE, "tokens"), (PAST, "position < position[:, None]"), (MATCH, "match & past")),
        "the weight on the earlier copies themselves is counted. A head that copies looks one further.", WHICH),
    Mistake("before-the-copy",
        ((BEFORE, "tokens.roll(-1)"), (PAST, "position < position[:, None] - 1"), (MATCH, "match & past")),
        "the weight on the position before the earlier copy is counted", WHICH),
    Mistake("two-after", ((BEFORE, "tokens.roll(2)"), (MATCH, "match & past & (position > 1)")),
        "the weight two positions after the earlier copy is counted", WHICH),
    Mistake("wraps-around", (MATCH, "match & past"),
        "position 0 counts as coming after the last token. Shifting a row around brings its end to its front.",
        "What comes before position 0?"),
    Mistake("own-position-excluded", (PAST, "position < position[:, None]"),
        "a position never counts itself. After two equal tokens in a row, the second one comes right after a copy.",
        "In 5, 5: what comes after the first 5?"),
    Mistake("future-copies", (MATCH, "match & (position > 0)"),
        "positions are averaged whose copies all come later. They have nothing to look back at.", COUNT),
    Mistake("all-positions", (MEAN, "found.mean(-1)"),
        "the mean is taken over all positions. Those without an earlier copy have no way to score.", COUNT),
    Mistake("sum-not-mean", (MEAN, "found[:, has_copy].sum(-1)"),
        "the positions are added up and not averaged. A score above 1 cannot be a share of attention.", COUNT),
    Mistake("mean-over-copies", (FOUND, "(weights * counted).sum(-1) / counted.sum(-1).clamp(min=1)"),
        "the weights on several copies of one token are averaged. They are parts of one row and belong together.",
        SEVERAL),
    Mistake("largest-copy", (FOUND, "(weights * counted).amax(-1)"),
        "only the largest weight of each row counts", SEVERAL),
    Mistake("latest-copy",
        (FOUND, "(weights * counted * (counted.cumsum(-1) == counted.sum(-1, keepdim=True))).sum(-1)"),
        "of several earlier copies only the latest counts. What followed the older ones counts, too.", SEVERAL),
    Mistake("first-copy", (FOUND, "(weights * counted * (counted.cumsum(-1) == 1)).sum(-1)"),
        "of several earlier copies only the first counts. What followed the later ones counts, too.", SEVERAL),
    Mistake("mean-over-pairs", (MEAN, "found.sum(-1) / counted.sum()"),
        "the sum is divided by the number of pairs. It should be the number of positions with an earlier copy.", COUNT),
    Mistake("argmax", (FOUND, "counted[position, weights.argmax(-1)].to(weights)"),
        "it is counted how often the largest weight is in the right place. The score uses the weights.",
        "Would weights of 0.5 and 0.75 in the right place give the same score?"),
    Mistake("transposed", (FOUND, "(weights.mT * counted).sum(-1)"),
        "queries and keys are exchanged in the weights", "Which axis of the weights sums to 1?"),
    Mistake("heads-averaged", (FOUND, "(weights.mean(0, keepdim=True) * counted).sum(-1).expand(len(weights), -1)"),
        "all heads get the same score, that of their average", "Which axis should be left in the result?", two_heads),
    Mistake("one-number", (MEAN, "found[:, has_copy].mean()"),
        "there is one number for all heads together", "Which axis should be left in the result?", two_heads),
    Mistake("changes-dtype", (MEAN, "found[:, has_copy].mean(-1).float()")),
)
EXERCISE = Exercise(
    name="prefix-matching", title="How well does a head match prefixes?", chapter=18, solution=my_prefix_matching,
    shapes={"weights": "H T T", "tokens": "T"}, returns="H", example=example, probes=probes, edges=edges,
    mistakes=MISTAKES,
    steps={"counted": "the cells that count", "found": "the weight on them in each row",
           "has_copy": "the positions that have an earlier copy"},
    differentiable=("weights",),
    space=space,
    hints=(
        "For each position t, which positions come right after an earlier copy of token t? Do it by hand for "
        "positions 2, 3 and 4 of 3, 5, 3, 5, 5.",
        "Make a table of True and False, (T, T): row t, column j is True if token t equals the token *before* j, and "
        "j is not in the future. Then sum the weights in the True cells of each row.",
        "The tokens before each position are the tokens shifted by one; position 0 has none before it. Average the row "
        "sums over those rows only in which at least one cell is True.",
    ),
    why="The weight on the earlier copy itself looks like the thing to measure: that is where the match is. But a head "
        "that looks at the copy brings back the symbol that is already there. What comes next is one position further, "
        "and a head finds it only if a layer below has written there what came before.",
)
