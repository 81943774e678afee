"""Exercise linear-attention: a causal average whose weights are products of features, from two running sums."""

import torch

from ..arguments import draw, exact
from ..exercise import Exercise, Mistake


def my_linear_attention(query, key, value):
    """Causal linear attention with the features elu(x) + 1, an average.

    query: (T, D), key: (T, D), value: (T, Dv) → (T, Dv)
    """
    q = torch.nn.functional.elu(query) + 1  # (T, D)
    k = torch.nn.functional.elu(key) + 1  # (T, D)
    pairs = value[:, :, None] * k[:, None, :]  # (T, Dv, D): what each position writes
    S = pairs.cumsum(0)  # the memory after each position
    z = k.cumsum(0)  # (T, D): the sum of the features so far
    top = (S @ q[:, :, None]).squeeze(-1)  # (T, Dv)
    bottom = (z * q).sum(1, keepdim=True)  # (T, 1)
    return top / bottom


def example() -> tuple:
    return exact([0, 0], [1, 0], [0, 1]), exact([0, 0], [1, 0], [0, -1]), exact([10], [20], [50])


def probes() -> list[tuple]:
    shapes = (5, 3, 2), (7, 2, 5), (3, 11, 7)
    return [(draw(t, d, seed=911 + t), draw(t, d, seed=921 + t), 1 + draw(t, v, seed=931 + t)) for t, d, v in shapes]


def edges() -> list[tuple]:
    return [
        (draw(t, d, seed=941 + t), draw(t, d, seed=951 + t), 1 + draw(t, v, seed=961 + t))
        for t, d, v in [(1, 3, 2), (5, 1, 3), (2, 3, 1)]
    ]


def space(pick) -> tuple:
    """Any arguments that the task allows."""
    T, D, Dv = pick.sizes(1, 1, 1)
    return pick.numbers(T, D), pick.numbers(T, D), pick.numbers(T, Dv)


# edits that are used several times
Q, K = "torch.nn.functional.elu(query) + 1", "torch.nn.functional.elu(key) + 1"
PAIRS, STATE, SUM = "value[:, :, None] * k[:, None, :]", "pairs.cumsum(0)", "k.cumsum(0)"
TOP, BOTTOM, RESULT = "(S @ q[:, :, None]).squeeze(-1)", "(z * q).sum(1, keepdim=True)", "top / bottom"
FIRST = "The first position sees only its own pair, so its answer is its own value: 10."
FEATURES = "To which of query, key and value is the feature map applied, and what is it of 0?"
PAST = "Which pairs may the answer at position t depend on?"

# fmt: off
MISTAKES = (
    Mistake("features-of-the-score", (RESULT, "(lambda a: a @ value / a.sum(1, keepdim=True))"
            "((torch.nn.functional.elu(query @ key.T) + 1).tril())"),
        "the feature map is applied to the dot products. Then nothing can be summed up beforehand; it belongs to "
        "queries and keys, entry by entry.", FEATURES),
    Mistake("own-key-below", (BOTTOM, "(k * q).sum(1, keepdim=True)"),
        "the sum below the line holds the position's own key only. Every pair that counts above counts below as well.",
        "If all values were 1, what should each answer be?"),
    Mistake("no-one-added", ((Q, "torch.nn.functional.elu(query)"), (K, "torch.nn.functional.elu(key)")),
        "1 is not added to elu. The features of negative numbers are then negative, weights may be negative, and the "
        "sum below the line may be 0.", "What is elu(0) + 1, and what is elu(0)?"),
    Mistake("one-added-inside", ((Q, "torch.nn.functional.elu(query + 1)"), (K, "torch.nn.functional.elu(key + 1)")),
        "1 is added before elu instead of after it. From 0 on the two agree; below −1, elu(x + 1) is negative.",
        "What should the feature of −1 be, and what is elu(0)?"),
    Mistake("relu", ((Q, "torch.nn.functional.relu(query) + 1"), (K, "torch.nn.functional.relu(key) + 1")),
        "relu + 1 is used instead of elu + 1. They agree for positive numbers; for negative ones elu + 1 is eˣ, "
        "and relu + 1 is 1.", "What should the feature of −1 be?"),
    Mistake("exponential", ((Q, "query.exp()"), (K, "key.exp()")),
        "the features are eˣ everywhere. For negative numbers that is right, for positive ones the feature is x + 1.",
        "What should the feature of 1 be?"),
    Mistake("query-as-it-is", (Q, "query"), "the query goes in as it is. Its features are needed, as the key's are.",
        FEATURES),
    Mistake("key-as-it-is", (K, "key"), "the keys go in as they are. Their features are needed, as the query's are.",
        FEATURES),
    Mistake("no-features", ((Q, "query"), (K, "key")),
        "the feature map is missing. Products of plain queries and keys can be negative.", FEATURES),
    Mistake("values-mapped", (PAIRS, "(torch.nn.functional.elu(value) + 1)[:, :, None] * k[:, None, :]"),
        f"the values go through the feature map, too. They are what is averaged, and stay as they are. {FIRST}",
        FEATURES),
    Mistake("sees-the-future", ((STATE, "pairs.sum(0).expand_as(pairs)"), (SUM, "k.sum(0).expand_as(k)")),
        f"every position reads the memory after the *last* pair. {FIRST}", PAST),
    Mistake("future-above", (STATE, "pairs.sum(0).expand_as(pairs)"),
        f"the values are summed over all positions, and only the weights over the past. {FIRST}", PAST),
    Mistake("future-below", (SUM, "k.sum(0).expand_as(k)"),
        f"the sum below the line runs over all positions, and the one above it over the past. {FIRST}", PAST),
    Mistake("reads-before-writing", ((STATE, "pairs.cumsum(0) - pairs"), (SUM, "k.cumsum(0) - k")),
        "each position reads before its own pair is written. At the first position nothing is there yet, and 0/0 is "
        "NaN.", "Does position t see itself?"),
    Mistake("first-answer-zero", ((STATE, "pairs.cumsum(0) - pairs"), (SUM, "k.cumsum(0) - k"), (RESULT,
        "top / bottom.clamp(min=1e-9)")),
        f"each position reads before its own pair is written, and a small number below the line hides 0/0. {FIRST}",
        "Does position t see itself?"),
    Mistake("not-normalised", (RESULT, "top"),
        f"the division is missing. What you return are sums, not averages. {FIRST}",
        "Which sum of features says how much all the weights add up to?"),
    Mistake("divided-by-count", (BOTTOM, "torch.arange(1, len(key) + 1, dtype=key.dtype)[:, None]"),
        "the sum is divided by the number of pairs. Weights that add up to something else need that sum below the "
        "line.", "What do the weights φ(q)·φ(k) at one position add up to?"),
    Mistake("sum-without-query", (BOTTOM, "z.sum(1, keepdim=True)"),
        "the sum below the line leaves out the query. z is a vector of features; the sum of the weights is its "
        "product with those of the query.", "If all values are 1, the answer should be 1. Is yours?"),
    Mistake("raw-key-below", (SUM, "key.cumsum(0)"),
        "below the line plain keys are summed, above it features of keys. If all values are 1, the two should be "
        "equal.", "What is the sum of the weights that you used above the line?"),
    Mistake("raw-query-below", (BOTTOM, "(z * query).sum(1, keepdim=True)"),
        "below the line the plain query is used, above it its features.",
        "If all values are 1, the answer should be 1. Is yours?"),
    Mistake("future-only", ((STATE, "pairs.flip(0).cumsum(0).flip(0)"), (SUM, "k.flip(0).cumsum(0).flip(0)")),
        f"each position sees the pairs from its own to the *last*: the triangle is the wrong way round. {FIRST}", PAST),
    Mistake("nothing-kept", ((STATE, "pairs"), (SUM, "k")),
        "nothing is carried along: each position sees its own pair only, and returns its own value.", PAST),
    Mistake("values-not-kept", (STATE, "pairs"),
        "the memory S is not carried along, only the sum z is. The pairs written earlier are lost.",
        "How many pairs are in S after position 3?"),
    Mistake("softmax", (RESULT, "((query @ key.T).masked_fill(torch.ones(len(key), len(key)).triu(1) == 1, "
        "-torch.inf)).softmax(1) @ value"),
        "the weights are a softmax. That is attention with the kernel exp(q·k), for which no memory of fixed size "
        "is enough.", "Which kernel do the features make?"),
    Mistake("softmax-of-features", (RESULT, "((q @ k.T).masked_fill(torch.ones(len(key), len(key)).triu(1) == 1, "
        "-torch.inf)).softmax(1) @ value"),
        "a softmax is taken of the products of features. These products are the weights already; only a division by "
        "their sum is missing.",
        "The second position's weights are 3 and 5, before division: which parts of 8 are they?"),
    Mistake("scaled-features", ((Q, "torch.nn.functional.elu(query / query.shape[1] ** 0.5) + 1"),),
        "the query is divided by √D. That belongs to the softmax; here it changes the features.", FEATURES),
    Mistake("extra-axis", (RESULT, "(top / bottom)[None]")),
    Mistake("no-gradient", (RESULT, "(top / bottom).detach()")),
)

EXERCISE = Exercise(
    name="linear-attention", title="Attention from two running sums", chapter=16, solution=my_linear_attention,
    shapes={"query": "T D", "key": "T D", "value": "T Dv"}, returns="T Dv", example=example, probes=probes,
    edges=edges, mistakes=MISTAKES,
    steps={"q": "the queries' features", "k": "the keys' features", "z": "z after each position",
           "top": "the sums above the line", "bottom": "the sums of the weights"},
    differentiable=("query", "key", "value"),
    space=space,
    hints=(
        "At position 2 of the example, with the features (2, 1) of the query and (1, 1), (2, 1) of the two keys: which "
        "weights do the values 10 and 20 get?",
        "Keep a matrix S, the sum of values times features of their keys, and a vector z, the sum of these features. "
        "Write first, then read: S φ(q) above the line, z · φ(q) below it.",
        "A loop over the positions will do, with S of shape (Dv, D). Without one, `cumsum` over the positions gives S "
        "after each of them at once, (T, Dv, D).",
    ),
    why="Without +1, or with another feature map, the result is still some weighted sum of the right values; and since "
        "the division cancels every constant factor, many slips leave numbers of the right size. The surest test needs "
        "no reference: with all values equal to 1, every answer must be 1.",
)
