"""Exercise scaled-dot-scores: every query with every key, and the right scale."""

from __future__ import annotations

import math

import torch

from ..legacy import Exercise, Mistake, draw, exact, slip


def solution(query, key):
    """Dot product of every query with every key, divided by the root of the number of features."""
    dots = query @ key.transpose(-2, -1)  # (B, T, D) · (B, D, S) → (B, T, S)
    return dots / math.sqrt(query.shape[-1])  # D is the last axis


def pipeline(
    query,
    key,
    dot=lambda q, k: q @ k.transpose(-2, -1),
    scale=lambda e, q, k: e / math.sqrt(q.shape[-1]),
    after=lambda e: e,
):
    """The same in named steps, so that a mistake is one step done wrongly."""
    return after(scale(dot(query, key), query, key))


def example() -> tuple:
    return exact([[1, 1, 1, 1], [2, 0, 0, 0]]), exact(
        [[1, 1, 1, 1], [2, 0, 2, 0], [0, 0, 0, 2]]
    )


def two_in_a_batch() -> tuple:
    return exact([[1, 1, 1, 1]], [[0, 2, 0, 0]]), exact([[1, 1, 1, 1]], [[0, 3, 0, 0]])


def three_features() -> tuple:
    return exact([[1, 1, 1]]), exact([[1, 1, 1], [2, 0, 2]])


def probes() -> list[tuple]:
    return [
        (draw(b, t, d, seed=140 + d), draw(b, s, d, seed=150 + d))
        for b, t, s, d in [(2, 5, 7, 11), (3, 2, 5, 13), (5, 3, 2, 7)]
    ]


def edges() -> list[tuple]:
    return [
        (draw(1, 1, 3, seed=161), draw(1, 5, 3, seed=162)),
        (draw(2, 3, 1, seed=163), draw(2, 1, 1, seed=164)),
    ]


def steps(query, key) -> list[tuple[str, object]]:
    return [
        ("the dot products", query @ key.mT),
        ("the root of the number of features", math.sqrt(query.shape[-1])),
        ("the scores", solution(query, key)),
    ]


def _over(size):
    """Divide by something else than √D."""
    return lambda e, q, k: e / size(q, k)


def _cosine(q, k):
    return torch.nn.functional.normalize(q, dim=-1) @ torch.nn.functional.normalize(
        k, dim=-1
    ).transpose(-2, -1)


WRONG = (
    Mistake(
        "no-scale",
        slip(pipeline, scale=lambda e, q, k: e),
        "the scale",
        "{seen}It should be half as much. These are the dot products as they are. With D features their "
        "variance is D: "
        "at D = 512 scores of ±22 are usual, and the softmax after them puts nearly everything on one key.",
        "the dot products are not divided",
        "By what must a sum of D independent terms of variance 1 be divided, so that its variance is 1 "
        "again?",
    ),
    Mistake(
        "divided-by-d",
        slip(pipeline, scale=_over(lambda q, k: q.shape[-1])),
        "the root",
        "{seen}Your scores are divided by D = 4 (by √D twice, perhaps, once in the query and once in the "
        "key). "
        "The *variance* of the dot product grows with D; its standard deviation grows with something else.",
        "the dot products are divided by D instead of its root",
        "When all scores shrink by c, by how much does their variance shrink?",
    ),
    Mistake(
        "multiplied",
        slip(pipeline, scale=lambda e, q, k: e * math.sqrt(q.shape[-1])),
        "the wrong way",
        "{seen}4 · 2 is 8, and 4/2 is 2: your dot products grow by √D = 2 where they should shrink by it.",
        "the dot products are multiplied by √D",
        "Are the dot products of long vectors too large or too small?",
    ),
    Mistake(
        "root-of-queries",
        slip(pipeline, scale=_over(lambda q, k: math.sqrt(q.shape[1]))),
        "the root of what?",
        "{seen}You divide by 1.414, the root of T = 2, the number of queries. Should a score change because "
        "somebody else asks something too?",
        "the root is taken of T (`shape[1]`) instead of D",
        "In (B, T, D), which axis is summed in a dot product?",
    ),
    Mistake(
        "root-of-keys",
        slip(pipeline, scale=_over(lambda q, k: math.sqrt(k.shape[1]))),
        "the root of what?",
        "{seen}You divide by 1.732, the root of S = 3, the number of keys. Should a score change because "
        "another key joins?",
        "the root is taken of the number of keys instead of the number of features",
        "Which axis is summed in a dot product, and how long is it?",
    ),
    Mistake(
        "root-of-batch",
        slip(pipeline, scale=_over(lambda q, k: math.sqrt(q.shape[0]))),
        "the root of what?",
        "{seen}The batch has two elements, each with one query and one key. You divide by 1.414, the root "
        "of its size, B = 2. A score would change with the company it is computed in.",
        "the root is taken of B (`shape[0]`, or `len(query)`) instead of D",
        "In (B, T, D), which axis is summed in a dot product?",
        example=two_in_a_batch,
    ),
    Mistake(
        "sqrt-64",
        slip(pipeline, scale=lambda e, q, k: e / 8),
        "a number from elsewhere",
        "{seen}You divide by 8 for every number of features: right for D = 64, as in the paper, "
        "but here D is 4.",
        "the scale is written into the code",
        "Where can the code read off how many features there are?",
    ),
    Mistake(
        "whole-root",
        slip(pipeline, scale=_over(lambda q, k: int(math.sqrt(q.shape[-1])))),
        "the root is cut off",
        "{seen}With D = 3 you divide by 1, where the root is 1.732. With D = 4 all is well, since its root "
        "is a whole number.",
        "the root is rounded down (`int`, `//`)",
        "Of which numbers below 100 is the root a whole number?",
        example=three_features,
    ),
    Mistake(
        "not-transposed",
        lambda query, key: query @ key,
        "rows and columns",
        "With {given} {line} raises {error}. A matrix product runs over the last axis of the first factor "
        "and the last but one of the second: "
        "here these are D = 4 and S = 3.",
        "the key is not transposed",
        "The sum must run over the features of both. Which two axes of the key must change places?",
        line=r"@|matmul|bmm",
    ),
    Mistake(
        "t-of-three-axes",
        lambda query, key: query @ key.permute(2, 1, 0),
        "too many axes turned round",
        "With {given} {line} raises {error}. `.T` reverses *all* axes: (B, S, D) becomes (D, S, B), and "
        "the batch is no longer in front.",
        "the key is transposed by `.T`, batch and all",
        "Which operation swaps just the last two axes?",
        line=r"\.T\b|permute",
    ),
    Mistake(
        "swapped-t-b",
        lambda query, key: query @ key.transpose(0, 1),
        "the wrong two axes",
        "With {given} {line} raises {error}. The first two axes of the key have changed places, batch and "
        "keys.",
        "the wrong two axes of the key are transposed",
        "Which axis of the key must meet the last axis of the query?",
        line=r"transpose|swap|permute|movedim",
    ),
    Mistake(
        "softmax-applied",
        slip(pipeline, after=lambda e: e.softmax(-1)),
        "one step too far",
        "{seen}Your rows sum to 1: these are the weights already.",
        "the softmax is applied as well",
        "What stands between scores and weights in the next step (chapter 4), and must therefore come "
        "before the softmax?",
    ),
    Mistake(
        "softmax-then-scale",
        lambda query, key: (
            (query @ key.transpose(-2, -1)).softmax(-1) / math.sqrt(query.shape[-1])
        ),
        "softmax, then scale",
        "{seen}Your rows sum to 0.5: a softmax of the unscaled dot products, and then a division by √D = 2.",
        "a softmax is taken first and the scale applied to its result",
        "The scale is there to keep the softmax from saturating. Which must come first? (And is the "
        "softmax asked for here?)",
    ),
    Mistake(
        "cosine",
        slip(pipeline, dot=_cosine, scale=lambda e, q, k: e),
        "lengths are lost",
        "{seen}Your scores are cosines, between −1 and 1: each is divided by the lengths of its own two "
        "vectors.",
        "the vectors are brought to length 1",
        "Should a query that is twice as long give the same scores, or scores twice as large?",
    ),
    Mistake(
        "cosine-scaled",
        slip(pipeline, dot=_cosine),
        "lengths are lost",
        "{seen}Your scores are cosines, each divided by the lengths of its own two vectors, and then by √D "
        "as well.",
        "the vectors are brought to length 1 before the dot product",
        "Should a query that is twice as long give the same scores, or scores twice as large?",
    ),
    Mistake(
        "reshaped",
        slip(
            pipeline, dot=lambda q, k: q @ k.reshape(k.shape[0], k.shape[2], k.shape[1])
        ),
        "turned or cut anew?",
        "{seen}The shapes fit, the numbers do not: `reshape` and `view` to (B, D, S) read the key's "
        "numbers in the old order and cut them into new rows. "
        "The key (2, 0, 2, 0) is torn apart.",
        "the key is reshaped instead of transposed",
        "Which operation makes rows into columns?",
    ),
    Mistake(
        "softmax-over-queries",
        slip(pipeline, after=lambda e: e.softmax(1)),
        "one step too far",
        "{seen}Your columns sum to 1: a softmax has been applied, and over the queries at that.",
        "a softmax over the queries is applied as well",
        "Are scores asked for, or weights?",
    ),
    Mistake(
        "all-keys-added",
        slip(pipeline, dot=lambda q, k: q @ k.sum(0, keepdim=True).transpose(-2, -1)),
        "the batch",
        "{seen}The batch has two elements, each with one query and one key. Every query meets the keys of "
        "both, added together: "
        "the batch letter is missing in an einsum, or summed over.",
        "the keys are summed over the batch",
        "Which letter of the einsum must stand in the query, in the key and in the result?",
        example=two_in_a_batch,
    ),
    Mistake(
        "sums-multiplied",
        slip(pipeline, dot=lambda q, k: q.sum(-1)[:, :, None] * k.sum(-1)[:, None, :]),
        "sum and product",
        "{seen}The features of the query are added up, and those of the key, and then the two sums are "
        "multiplied: 4 · 4 = 16.",
        "the sums are multiplied instead of the products added",
        "What is (1, 0) · (0, 1)?",
    ),
    Mistake(
        "first-keys-for-all",
        slip(pipeline, dot=lambda q, k: q @ k[:1].transpose(-2, -1)),
        "the batch",
        "{seen}The batch has two elements, each with one query and one key. The query of the second is "
        "compared with the key of the first.",
        "the keys of the first batch element serve for all",
        "Which operation multiplies the matrices of a batch pair by pair?",
        example=two_in_a_batch,
    ),
    Mistake(
        "squared-distance",
        lambda query, key: -(torch.cdist(query, key) ** 2) / 2,
        "another score",
        "{seen}These are Gaussian scores, minus half the squared distances: the last exercise's.",
        "distances are computed instead of dot products",
        "What is the dot product of (1, 1, 1, 1) with itself?",
    ),
    Mistake("transposed", lambda query, key: solution(query, key).transpose(-2, -1)),
    Mistake(
        "memory-layout",
        lambda query, key: solution(
            query.view(query.shape), key.view(-1).view(key.shape)
        ),
    ),
    Mistake(
        "writes-into-argument",
        lambda query, key: (
            query.div_(math.sqrt(query.shape[-1])) @ key.transpose(-2, -1)
        ),
    ),
)

SCALED_DOT_SCORES = Exercise(
    name="scaled-dot-scores",
    title="Scaled dot-product scores",
    chapter=5,
    function="my_scaled_scores",
    statement="""\
Compute the score of every query with every key of the same batch element, scaled so that its variance
does not grow with the number of features $D$:

$$e_{ij} = \\frac{\\mathbf q_i^\\top \\mathbf k_j}{\\sqrt D}.$$

No softmax yet: scores are wanted, not weights. With $\\mathbf q = (1, 1, 1, 1)$ and $\\mathbf k = (2,
0, 2, 0)$ the score is $4/\\sqrt 4 = 2$.""",
    stub='''\
def my_scaled_scores(query, key):
    """Dot product of every query with every key, divided by the root of the number of features.

    query: (B, T, D), key: (B, S, D) → (B, T, S)
    """
    ...
''',
    hints=(
        "All dot products of one batch element are one matrix product, (T, D) times (D, S). The key comes "
        "as (S, D).",
        "`key.transpose(-2, -1)` swaps the last two axes and leaves the batch alone; `@` multiplies batch "
        "element by batch element.",
        "`query @ key.transpose(-2, -1)` holds the dot products, (B, T, S). D is `query.shape[-1]`; divide by its "
        "root, `math.sqrt(...)`.",
    ),
    solution=solution,
    why="Without the scale everything runs, shapes and all, and with the small vectors of a first test the "
    "softmax looks healthy. The harm comes with D: at D = 512 the dot products "
    "have a standard deviation of 22.627, the softmax is nearly one-hot and its gradient nearly zero. "
    "Dividing by the root of the wrong axis (T instead of D) even "
    "agrees as long as the two happen to be equal: hence the odd sizes in the checker.",
    shapes={"query": "B T D", "key": "B S D"},
    returns="B T S",
    example=example,
    probes=probes,
    edges=edges,
    steps=steps,
    wrong=WRONG,
    differentiable=("query", "key"),
)
