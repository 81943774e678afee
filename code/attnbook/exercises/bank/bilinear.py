"""Exercise bilinear: a matrix between query and key."""

from ..exercise import Exercise, Mistake, draw, exact


def my_bilinear_scores(query, key, M):
    """Score every query with every key through a matrix: qᵀ M k.

    query: (B, T, Dq), key: (B, S, Dk), M: (Dq, Dk) → (B, T, S)
    """
    projected = query @ M  # (B, T, Dk): the queries in the keys' space
    columns = key.transpose(-2, -1)  # (B, Dk, S): one key per column
    return projected @ columns  # (B, T, S)


def example() -> tuple:
    keys = exact([[1, 0], [0, 1], [1, 1]])
    return exact([[1, 1], [2, 0]]), keys, exact([1, 2], [0, 1])


def two_in_a_batch() -> tuple:
    return exact([[1, 1]], [[2, 0]]), exact([[1, 0]], [[0, 1]]), exact([1, 2], [0, 1])


def different_sizes() -> tuple:
    keys = exact([[1, 0, 0], [0, 1, 2]])
    return exact([[1, 1], [2, 0]]), keys, exact([1, 2, 0], [0, 1, -1])


def _drawn(b: int, t: int, s: int, dq: int, dk: int, *seeds: int) -> tuple:
    one, two, three = seeds
    return draw(b, t, dq, seed=one), draw(b, s, dk, seed=two), draw(dq, dk, seed=three)


def probes() -> list[tuple]:
    shapes = [(2, 5, 7, 3, 11), (3, 2, 5, 13, 7), (5, 3, 2, 7, 11)]
    return [_drawn(*s, 220 + s[1], 230 + s[1], 240 + s[1]) for s in shapes]


def edges() -> list[tuple]:
    return [_drawn(1, 1, 3, 2, 5, 251, 252, 253), _drawn(2, 3, 1, 1, 5, 254, 255, 256)]


# edits that are used several times
PROJECT, COLUMNS, OUT = "query @ M", "key.transpose(-2, -1)", "projected @ columns"
BATCH = "Which operation multiplies the matrices of a batch pair by pair?"
TWICE = "Bilinear means: twice the query gives twice the score. Does yours?"

# fmt: off
MISTAKES = (
    Mistake("m-transposed", (PROJECT, "query @ M.T"),
        "M is used transposed, qᵀ Mᵀ k (or the key is multiplied by M from the right, which is the same). The "
        "queries times M should be {projected}. With a square M both run; if Dq and Dk differ, only one does.",
        "M has the shape (Dq, Dk). Which of its axes meets the query?"),
    Mistake("m-ignored", ((PROJECT, "query[..., : M.shape[1]]"), (COLUMNS, "key[..., : M.shape[0]].mT")),
        "M does not enter. Your scores are plain dot products, as if M were the identity.",
        "How would a query of 3 features be compared with a key of 11?"),
    Mistake("scaled", (COLUMNS, "key.mT / key.shape[-1] ** 0.5"),
        "the scores are divided by √Dk. M can learn any scale it needs.", "Is there a root in qᵀ M k?"),
    Mistake("scaled-by-query-size", (PROJECT, "query @ M / query.shape[-1] ** 0.5"),
        "the scores are divided by √Dq. M can learn any scale it needs.", "Is there a root in qᵀ M k?",
        different_sizes),
    Mistake("softmax-applied", (OUT, "(projected @ columns).softmax(-1)"),
        "the softmax is applied as well. Your rows sum to 1: these are the weights already.",
        "Are scores asked for, or weights?"),
    Mistake("tanh-applied", (OUT, "(projected @ columns).tanh()"),
        "a tanh is applied to the scores. Yours cannot leave the interval from −1 to 1.", TWICE),
    Mistake("tanh-inside", (PROJECT, "(query @ M).tanh()"),
        "a tanh is applied between M and the key. The queries times M are {projected}, and should stay so.", TWICE),
    Mistake("diagonal-only", (PROJECT, "query @ M.tril().triu()"),
        "only the diagonal of M is used. Feature 1 of a query meets only feature 1 of a key; the number 2 in the "
        "corner of M, which ties feature 1 of the query to feature 2 of the key, has no effect.",
        "How many products does qᵀ M k sum when both vectors have 2 features: 2 or 4?"),
    Mistake("absolute-m", (PROJECT, "query @ M.abs()"),
        "M enters by its absolute values. The −1 in the corner of M has become 1.",
        "What does a negative number in M say about two features?", different_sizes),
    Mistake("softmax-of-m", (PROJECT, "query @ M.softmax(-1)"),
        "a softmax is applied to M. M may hold any numbers, negative ones, too; its rows need not sum to 1.",
        "Which numbers in attention have to sum to 1: those in M, or the weights that come later?"),
    Mistake("reshaped", (COLUMNS, "key.reshape(len(key), key.shape[2], -1)"),
        "the key is reshaped instead of transposed. The shapes fit, the numbers do not: `reshape` and `view` to (B, "
        "Dk, S) read the key's numbers in the old order and cut them into new rows.",
        "Which operation makes rows into columns?"),
    Mistake("first-keys-for-all", (COLUMNS, "key[:1].mT"),
        "the keys of the first batch element are used for all. The query of the second element is compared with the "
        "key of the first.", BATCH, two_in_a_batch),
    Mistake("first-queries-for-all", (PROJECT, "(query[:1] @ M).expand(len(query), -1, -1)"),
        "the queries of the first batch element are used for all. The query of the second element has no effect.",
        BATCH, two_in_a_batch),
    Mistake("all-keys-added", (COLUMNS, "key.sum(0, keepdim=True).mT"),
        "the keys are summed over the batch. Every query meets the keys of both batch elements, added together: in "
        "an einsum, the batch letter is missing or summed over.",
        "Which letter of the einsum must appear in the query, in the key and in the result?", two_in_a_batch),
    Mistake("key-summed", (OUT, "projected.sum(-1, keepdim=True).expand(-1, -1, key.shape[1])"),
        "the key is left out. In each of your rows all numbers are equal: the features of the queries times M, "
        "{projected}, are added up without meeting a key.",
        "What is the dot product of the first query times M with the first key?"),
    Mistake("query-summed", (PROJECT, "M.sum(0).expand(*query.shape[:2], -1)"),
        "the query is left out. All your rows are equal, as if every query were (1, 1).",
        "What is the query (2, 0) times M?"),
    Mistake("projected-returned", (OUT, "projected"),
        "the function stops after query times M. These numbers are right: each query is now in the keys' space. But "
        "the keys have not come in yet.", "How do you compare the first of them with each of the keys?"),
    Mistake("key-not-transposed", (COLUMNS, "key"),
        "the key is not transposed. A matrix product sums over the last axis of the first factor and the last but "
        "one of the second: here these are Dk = 2 and S = 3.",
        "The sum must run over the features of both. Which two axes of the key must change places?",
        line="@|matmul|bmm"),
    Mistake("transposed", (OUT, "(projected @ columns).mT")),
    Mistake("gradient-cut", (PROJECT, "query @ M.detach()")),
)

EXERCISE = Exercise(
    name="bilinear", title="A matrix between query and key", chapter=5, solution=my_bilinear_scores,
    shapes={"query": "B T Dq", "key": "B S Dk", "M": "Dq Dk"}, returns="B T S", example=example, probes=probes,
    edges=edges, mistakes=MISTAKES, steps={"projected": "the queries times M"}, differentiable=("query", "key", "M"),
    hints=(
        "Two matrix products, one after the other. Write the shapes: (B, T, Dq), (Dq, Dk), and what must the last "
        "factor be so that (B, T, S) comes out?",
        "`query @ M` has the shape (B, T, Dk): the queries have moved to the keys' space. What is left is a plain dot "
        "product with each key.",
        "The second product is (B, T, Dk) times (B, Dk, S). The key comes as (B, S, Dk): which of its axes must change "
        "places?",
    ),
    why="With a square M the transposed one runs just as well, and with a symmetric M (an identity in a first "
        "test, say) it even gives the same numbers. In training it would go unnoticed: the matrix simply learns its "
        "own transpose. You notice when weights are copied from one implementation to another.",
)
