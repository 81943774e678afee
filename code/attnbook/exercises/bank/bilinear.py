"""Exercise bilinear: a matrix between query and key."""

from __future__ import annotations

import math

import torch

from ..legacy import Exercise, Mistake, draw, exact, slip


def solution(query, key, M):
    """Score every query with every key through a matrix: qᵀ M k."""
    projected = (
        query @ M
    )  # (B, T, Dq) · (Dq, Dk) → (B, T, Dk): the query in the key's space
    return projected @ key.transpose(-2, -1)  # (B, T, Dk) · (B, Dk, S) → (B, T, S)


def pipeline(
    query,
    key,
    M,
    matrix=lambda M: M,
    project=lambda q, M: q @ M,
    dot=lambda p, k: p @ k.transpose(-2, -1),
    after=lambda e: e,
):
    """The same in named steps, so that a mistake is one step done wrongly."""
    return after(dot(project(query, matrix(M)), key))


def example() -> tuple:
    return (
        exact([[1, 1], [2, 0]]),
        exact([[1, 0], [0, 1], [1, 1]]),
        exact([1, 2], [0, 1]),
    )


def two_in_a_batch() -> tuple:
    return exact([[1, 1]], [[2, 0]]), exact([[1, 0]], [[0, 1]]), exact([1, 2], [0, 1])


def different_sizes() -> tuple:
    return (
        exact([[1, 1], [2, 0]]),
        exact([[1, 0, 0], [0, 1, 2]]),
        exact([1, 2, 0], [0, 1, -1]),
    )


def probes() -> list[tuple]:
    return [
        (
            draw(b, t, dq, seed=220 + t),
            draw(b, s, dk, seed=230 + t),
            draw(dq, dk, seed=240 + t),
        )
        for b, t, s, dq, dk in [(2, 5, 7, 3, 11), (3, 2, 5, 13, 7), (5, 3, 2, 7, 11)]
    ]


def edges() -> list[tuple]:
    return [
        (draw(1, 1, 2, seed=251), draw(1, 3, 5, seed=252), draw(2, 5, seed=253)),
        (draw(2, 3, 1, seed=254), draw(2, 1, 5, seed=255), draw(1, 5, seed=256)),
    ]


def steps(query, key, M) -> list[tuple[str, object]]:
    return [
        ("the queries times M", query @ M),
        ("their dot products with the keys", solution(query, key, M)),
    ]


def _cut_to_fit(query, key):
    size = min(query.shape[-1], key.shape[-1])
    return query[..., :size] @ key[..., :size].transpose(-2, -1)


WRONG = (
    Mistake(
        "m-transposed",
        slip(pipeline, matrix=lambda M: M.T),
        "M the other way round",
        "{seen}The query (1, 1) becomes (3, 1) in yours; (1, 1) times M is (1·1 + 1·0, 1·2 + 1·1) = (1, 3). "
        "With a square M both run. With Dq different from Dk only one does.",
        "M is used transposed, qᵀ Mᵀ k (or the key is multiplied by M from the right, which is the same)",
        "M has the shape (Dq, Dk). Which of its axes meets the query?",
    ),
    Mistake(
        "m-ignored",
        lambda query, key, M: _cut_to_fit(query, key),
        "where is M?",
        "{seen}These are plain dot products, as if M were the identity.",
        "M does not enter",
        "Where would a query of 3 features learn to speak to a key of 11?",
    ),
    Mistake(
        "scaled",
        slip(
            pipeline,
            after=lambda e: e,
            dot=lambda p, k: p @ k.transpose(-2, -1) / math.sqrt(k.shape[-1]),
        ),
        "a scale that does not belong",
        "{seen}Every score is divided by 1.414, the root of Dk = 2. M can learn any scale it needs.",
        "the scores are divided by √Dk",
        "Is there a root in qᵀ M k?",
    ),
    Mistake(
        "scaled-by-query-size",
        slip(pipeline, project=lambda q, M: q @ M / math.sqrt(q.shape[-1])),
        "a scale that does not belong",
        "{seen}Every score is divided by 1.414, the root of Dq = 2. M can learn any scale it needs.",
        "the scores are divided by √Dq",
        "Is there a root in qᵀ M k?",
        example=different_sizes,
    ),
    Mistake(
        "softmax-applied",
        slip(pipeline, after=lambda e: e.softmax(-1)),
        "one step too far",
        "{seen}Your rows sum to 1: these are the weights already.",
        "the softmax is applied as well",
        "Are scores asked for, or weights?",
    ),
    Mistake(
        "tanh-applied",
        slip(pipeline, after=torch.tanh),
        "a nonlinearity that does not belong",
        "{seen}No score of yours can leave (−1, 1): a tanh has been applied to it.",
        "a tanh is applied to the scores",
        "Bilinear means: twice the query gives twice the score. Does yours?",
    ),
    Mistake(
        "tanh-inside",
        slip(pipeline, project=lambda q, M: torch.tanh(q @ M)),
        "a nonlinearity that does not belong",
        "{seen}The query (1, 1) becomes tanh of (1, 3) = (0.762, 0.995); it should stay (1, 3).",
        "a tanh is applied between M and the key",
        "Bilinear means: twice the query gives twice the score. Does yours?",
    ),
    Mistake(
        "diagonal-only",
        slip(
            pipeline,
            project=lambda q, M: (
                q @ torch.diag_embed(M.diagonal(), 0)
                if M.shape[0] == M.shape[1]
                else q @ (M * torch.eye(*M.shape, dtype=M.dtype))
            ),
        ),
        "only the diagonal of M",
        "{seen}Feature 1 of a query meets only feature 1 of a key, feature 2 only feature 2. The number 2 "
        "in the corner of M, which ties "
        "feature 1 of the query to feature 2 of the key, has no effect.",
        "only the diagonal of M is used",
        "How many products does qᵀ M k sum when both vectors have 2 features: 2 or 4?",
    ),
    Mistake(
        "absolute-m",
        slip(pipeline, matrix=torch.abs),
        "the sign of M",
        "{seen}The −1 in the corner of M has become 1.",
        "M enters by its absolute values",
        "What does a negative number in M say about two features?",
        example=different_sizes,
    ),
    Mistake(
        "softmax-of-m",
        slip(pipeline, matrix=lambda M: M.softmax(-1)),
        "M is no set of weights",
        "{seen}The rows of M go through a softmax: (1, 2) becomes (0.269, 0.731). M may hold any numbers, "
        "negative ones too.",
        "a softmax is applied to M",
        "Which numbers in attention have to sum to 1: M's, or the weights that come later?",
    ),
    Mistake(
        "reshaped",
        slip(
            pipeline, dot=lambda p, k: p @ k.reshape(k.shape[0], k.shape[2], k.shape[1])
        ),
        "turned or cut anew?",
        "{seen}The shapes fit, the numbers do not: `reshape` and `view` to (B, Dk, S) read the key's "
        "numbers in the old order and cut them into new rows.",
        "the key is reshaped instead of transposed",
        "Which operation makes rows into columns?",
    ),
    Mistake(
        "first-keys-for-all",
        slip(pipeline, dot=lambda p, k: p @ k[:1].transpose(-2, -1)),
        "the batch",
        "{seen}The batch has two elements, each with one query and one key. The query of the second is "
        "compared with the key of the first.",
        "the keys of the first batch element serve for all",
        "Which operation multiplies the matrices of a batch pair by pair?",
        example=two_in_a_batch,
    ),
    Mistake(
        "first-queries-for-all",
        slip(pipeline, project=lambda q, M: (q[:1] @ M).expand(len(q), -1, -1)),
        "the batch",
        "{seen}The batch has two elements, each with one query and one key. The first element's query "
        "stands in for the second one's.",
        "the queries of the first batch element serve for all",
        "Which operation multiplies the matrices of a batch pair by pair?",
        example=two_in_a_batch,
    ),
    Mistake(
        "all-keys-added",
        slip(pipeline, dot=lambda p, k: p @ k.sum(0, keepdim=True).transpose(-2, -1)),
        "the batch",
        "{seen}The batch has two elements, each with one query and one key. Every query meets the keys of "
        "all batch elements added together, (1, 0) + (0, 1) = (1, 1): "
        "the batch letter is missing in an einsum, or summed over.",
        "the keys are summed over the batch",
        "Which letter of the einsum must stand in the query, in the key and in the result?",
        example=two_in_a_batch,
    ),
    Mistake(
        "key-summed",
        slip(
            pipeline, dot=lambda p, k: p.sum(-1)[..., None].expand(-1, -1, k.shape[1])
        ),
        "the key has no say",
        "{seen}In every row of yours all numbers are equal: the features of (1, 1) M = (1, 3) are added up "
        "without meeting a key.",
        "the key is left out",
        "What is the dot product of (1, 3) with the first key, (1, 0)?",
    ),
    Mistake(
        "query-summed",
        slip(pipeline, project=lambda q, M: M.sum(0).expand(*q.shape[:2], -1)),
        "the query has no say",
        "{seen}All rows of yours are equal, as if every query were (1, 1).",
        "the query is left out",
        "What is the query (2, 0) times M?",
    ),
    Mistake(
        "projected-returned",
        slip(pipeline, dot=lambda p, k: p),
        "half-way",
        "With {given} you return {got}. These are the queries times M, and they are right: each now lives "
        "in the key's space. The key has not come in yet.",
        "the function stops after query times M",
        "How do you compare (1, 3) with each of the keys?",
    ),
    Mistake(
        "key-not-transposed",
        lambda query, key, M: query @ M @ key,
        "rows and columns",
        "With {given} {line} raises {error}. A matrix product runs over the last axis of the first factor "
        "and the last but one of the second: "
        "here these are Dk = 2 and S = 3.",
        "the key is not transposed",
        "The sum must run over the features of both. Which two axes of the key must change places?",
        line=r"@|matmul|bmm",
    ),
    Mistake(
        "transposed", lambda query, key, M: solution(query, key, M).transpose(1, 2)
    ),
    Mistake("gradient-cut", lambda query, key, M: solution(query, key, M.detach())),
)

BILINEAR = Exercise(
    name="bilinear",
    title="A matrix between query and key",
    chapter=5,
    function="my_bilinear_scores",
    statement="""\
Score every query with every key through a matrix $\\mathbf M$, so that the two may have different sizes:

$$e_{ij} = \\mathbf q_i^\\top \\mathbf M\\, \\mathbf k_j .$$

With $\\mathbf q = (1, 1)$, $\\mathbf M = \\begin{pmatrix}1&2\\\\0&1\\end{pmatrix}$ and $\\mathbf k =
(0, 1)$ the score is $3$: first
$\\mathbf q^\\top\\mathbf M = (1, 3)$, then the dot product.""",
    stub='''\
def my_bilinear_scores(query, key, M):
    """Score every query with every key through a matrix: qᵀ M k.

    query: (B, T, Dq), key: (B, S, Dk), M: (Dq, Dk) → (B, T, S)
    """
    ...
''',
    hints=(
        "Two matrix products, one after the other. Write the shapes: (B, T, Dq), (Dq, Dk), and what must "
        "the last factor be so that (B, T, S) comes out?",
        "`query @ M` has the shape (B, T, Dk): the query has moved to the key's space. What is left is a "
        "plain dot product with each key.",
        "The second product is with `key.transpose(-2, -1)`, which has the shape (B, Dk, S): "
        "(B, T, Dk) times (B, Dk, S) gives (B, T, S).",
    ),
    solution=solution,
    why="With a square M the transposed one runs just as well, and with a symmetric M (an identity in a "
    "first test, say) it even gives the same numbers. "
    "In training nobody would notice: the matrix simply learns its own transpose. You notice when weights "
    "are copied from one implementation to another.",
    shapes={"query": "B T Dq", "key": "B S Dk", "M": "Dq Dk"},
    returns="B T S",
    example=example,
    probes=probes,
    edges=edges,
    steps=steps,
    wrong=WRONG,
    differentiable=("query", "key", "M"),
)
