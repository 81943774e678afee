"""Exercise grouped-queries: several query heads, one head of keys and values."""

import math

import torch

from ..arguments import draw, exact
from ..exercise import Exercise, Mistake


def my_grouped_attention(q, k, v):
    """Let groups of query heads share one key/value head.

    q: (B, H, T, Dh), k, v: (B, G, S, Dh), G a divisor of H → (B, H, T, Dh)
    """
    group = q.shape[1] // k.shape[1]  # query heads per key/value head
    keys = k.repeat_interleave(group, dim=1)  # (B, H, S, Dh)
    values = v.repeat_interleave(group, dim=1)  # (B, H, S, Dh)
    scores = q @ keys.mT  # (B, H, T, S)
    scaled = scores / math.sqrt(q.shape[-1])
    weights = scaled.softmax(dim=-1)  # (B, H, T, S), every row sums to 1
    return weights @ values  # (B, H, T, Dh)


# fmt: off
def example() -> tuple:
    return exact([[[0]], [[1]], [[0]], [[1]]]), exact([[[0], [1]], [[0], [2]]]), exact([[[10], [20]], [[30], [50]]])


def two_features() -> tuple:
    return exact([[[1, 1]], [[2, 0]]]), exact([[[1, 0], [0, 1]]]), exact([[[10, 0], [20, 4]]])


def two_positions() -> tuple:
    return exact([[[0], [1]], [[1], [2]]]), exact([[[0], [1]]]), exact([[[10], [20]]])


def loud() -> tuple:
    q, k, v = example()
    return 1000 * q, k, v


def two_groups_of_three() -> tuple:
    q, k, v = example()
    return torch.cat([q, q[:, :2]], 1), k, v


def probes() -> list[tuple]:
    sizes = (5, 6, 2, 4, 7, 3), (3, 8, 4, 2, 5, 7), (2, 6, 3, 7, 5, 11)
    return [(draw(b, h, t, d, seed=800 + t), *(draw(b, g, s, d, seed=810 + s + i) for i in range(2)))
            for b, h, g, t, s, d in sizes]


def edges() -> list[tuple]:
    shapes = (2, 3, 3, 5, 2, 7), (2, 5, 1, 3, 2, 7), (1, 1, 1, 1, 1, 1), (2, 4, 2, 1, 3, 5)
    made = [(draw(b, h, t, d, seed=830 + t), *(draw(b, g, s, d, seed=840 + s + i) for i in range(2)))
            for b, h, g, t, s, d in shapes]
    return [*made, two_groups_of_three(), two_features(), two_positions(), loud()]


def space(pick) -> tuple:
    """Any arguments that the task allows."""
    B, G, T, S, Dh = pick.sizes(1, 1, 1, 1, 1)
    q = pick.numbers(B, G * pick.of(1, 2, 3), T, Dh, loud=300)
    return q, pick.numbers(B, G, S, Dh), pick.numbers(B, G, S, Dh)


# edits that are used several times
KEYS, VALUES = "k.repeat_interleave(group, dim=1)", "v.repeat_interleave(group, dim=1)"
SCALE, SOFTMAX, OUT = "scores / math.sqrt(q.shape[-1])", "scaled.softmax(dim=-1)", "weights @ values"
FIRST = ("k.shape[1]  #", "1  #")
NEIGHBOURS = "If the key/value heads are A and B and there are four query heads, in which order must A and B be?"
WEIGHTS = "Which step turns scores into weights that sum to 1?"

MISTAKES = (
    Mistake("causal-too", (SCALE, "(scores / math.sqrt(q.shape[-1])).masked_fill("
            "torch.ones(scores.shape[-2:]).tril() == 0, -torch.inf)"),
        "a causal mask hides the later keys. The task has none: every query sees all keys.",
        "Which argument of yours hides keys, and does the task speak of a mask?"),
    Mistake("scaled-by-the-group", (SCALE, "scores / math.sqrt(q.shape[-1] * group)"),
        "the scores are divided by √(Dh · H/G). The heads of a group share their keys, not their dot products.",
        "Over how many features does one dot product sum?"),
    Mistake("one-pool", (KEYS + "  # (B, H, S, Dh)\n    values = " + VALUES,
            "k.flatten(1, 2)[:, None]\n    values = v.flatten(1, 2)[:, None]"),
        "every query head attends to the keys of all groups at once. A head has one key/value head, its group's.",
        "How many keys should compete for one query's attention: S, or G · S?"),
    Mistake("in-turn", ((KEYS, "k.repeat(1, group, 1, 1)"), (VALUES, "v.repeat(1, group, 1, 1)")),
        "the key/value heads are dealt out in turn: A B A B. Neighbouring query heads should share, A A B B.",
        NEIGHBOURS),
    Mistake("keys-in-turn", (KEYS, "k.repeat(1, group, 1, 1)"),
        "the keys are dealt out in turn (A B A B), the values in groups (A A B B). A head then finds with one key what "
        "belongs to another.", NEIGHBOURS),
    Mistake("values-in-turn", (VALUES, "v.repeat(1, group, 1, 1)"),
        "the values are dealt out in turn (A B A B), the keys in groups (A A B B). A head then finds with one key what "
        "belongs to another.", NEIGHBOURS),
    Mistake("first-head-for-all", ((KEYS, "k[:, :1]"), (VALUES, "v[:, :1]")),
        "all query heads use the first key/value head. That is multi-query attention, which is right for G = 1 only.",
        "Which query heads should use the second key/value head?"),
    Mistake("averaged", ((KEYS, "k.mean(1, keepdim=True)"), (VALUES, "v.mean(1, keepdim=True)")),
        "the key/value heads are averaged into one. That is how a multi-query layer is *initialised* from an ordinary "
        "one; here each group has its own.", "Which key/value head belongs to the first group?"),
    Mistake("backwards", ((KEYS, f"{KEYS}.flip(1)"), (VALUES, f"{VALUES}.flip(1)")),
        "the key/value heads come in reverse order", "Which of them should the first query head use?"),
    Mistake("queries-averaged", ((KEYS, "k"), (VALUES, "v"), ("q @ keys.mT",
        "q.unflatten(1, (k.shape[1], -1)).mean(2) @ keys.mT")),
        "the queries of a group are averaged. You get one output per key/value head; the queries stay different, only "
        "keys and values are shared.", "How many outputs should come out, one per query head or one per group?"),
    Mistake("exp-overflows", (SOFTMAX, "scaled.exp() / scaled.exp().sum(-1, keepdim=True)"),
        "the exponentials are taken of the scores as they are. With moderate scores you are right; but exp(1000) is "
        "∞, and ∞/∞ is NaN.", "Which number may be subtracted from all scores of a query without changing its weights?",
        loud),
    Mistake("unscaled", (SCALE, "scores"), "the scores are not scaled", "By what are they divided?",
        two_features),
    Mistake("scaled-by-d", (SCALE, "scores / q.shape[-1]"), "the scores are divided by Dh instead of its root",
        "What is the standard deviation of a sum of Dh products of standard normal numbers?", two_features),
    Mistake("scaled-by-all-heads", (SCALE, "scores / math.sqrt(q.shape[-1] * q.shape[1])"),
        "the scores are divided by the root of H·Dh, the width of all heads. Each score is a sum of Dh products.",
        "Over which axis does the dot product of one head run?"),
    Mistake("scaled-twice", (SCALE, "scores / q.shape[-1] / q.shape[-1] ** 0.5"),
        "the scores are scaled more than once", "How many lines of your code divide the scores?", two_features),
    Mistake("over-queries", (SOFTMAX, "scaled.softmax(dim=-2)"),
        "the softmax runs over the queries. Each query's weights should sum to 1, over the keys.",
        "Which axis of (B, H, T, S) counts the keys?", two_positions),
    Mistake("over-heads", (SOFTMAX, "scaled.softmax(dim=1)"),
        "the softmax runs over the heads. They do not compete; the keys do.",
        "Which axis of (B, H, T, S) counts the keys?"),
    Mistake("one-maximum", (SOFTMAX, "(lambda e: e / e.sum(-1, keepdim=True))((scaled - scaled.max()).exp())"),
        "one maximum is subtracted for the whole batch. Far below it all exponentials of a row are 0, and 0/0 is NaN; "
        "where all scores are moderate you are right.", "Whose maximum should be subtracted from the scores of a row?",
        loud),
    Mistake("no-softmax", (SOFTMAX, "scaled"), "the scores are used as weights", WEIGHTS),
    Mistake("weights-returned", ("return weights @ values", "return weights"),
        "the weights are returned. They are right; the values are still to be averaged.",
        "What has the shape (B, H, T, Dh)?"),
    Mistake("keys-averaged", (OUT, "weights @ keys"), "the keys are averaged instead of the values",
        "What does a head bring home?"),
    Mistake("no-gradient", (OUT, "(weights @ values).detach()")),
)

EXERCISE = Exercise(
    name="grouped-queries", title="Shared keys", chapter=7, solution=my_grouped_attention,
    shapes={"q": "B H T Dh", "k": "B G S Dh", "v": "B G S Dh"}, returns="B H T Dh", example=example, probes=probes,
    edges=edges, mistakes=MISTAKES, differentiable=("q", "k", "v"),
    steps={"group": "the size of a group", "keys": "the keys of all query heads", "weights": "the weights"},
    space=space,
    hints=(
        "In the example there are four query heads and two key/value heads. Which of the two does the third query head "
        "use? Write the key/value head beside each query head.",
        "Either make as many key/value heads as there are query heads, by copies, or give the queries an axis more, "
        "(B, G, H/G, T, Dh), and let one head of keys broadcast over its group. Then it is ordinary attention.",
        "Two functions make copies along an axis: `repeat` puts the whole row behind itself, `repeat_interleave` "
        "repeats each entry in its place. Which of them gives A A B B?",
    ),
    why="`k.repeat(1, H // G, 1, 1)` has the right shape, and with G = 1 or G = H it is right. A model trained with it "
        "from scratch learns as well as another, because the order of heads means nothing before training. It shows "
        "when weights are loaded: the heads of a published model find keys that were trained for others.",
)
