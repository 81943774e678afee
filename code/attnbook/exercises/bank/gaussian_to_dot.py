"""Exercise gaussian-to-dot: Gaussian weights without ever forming a distance."""

from __future__ import annotations

import math
from collections.abc import Callable

import torch
from torch.utils._pytree import tree_leaves

from ..devices import Watch
from ..legacy import Exercise, Mistake, draw, exact, slip
from ..observe import copies
from ..recognise import Case
from ..verdict import Finding
from ..weights import odd_weights


def solution(query, key):
    """Gaussian-kernel weights (width 1) from dot products and key norms only."""
    dots = query @ key.T  # (T, D) · (D, S) → (T, S)
    norms = (key**2).sum(dim=-1)  # (S,): ‖k‖² of each key
    return (dots - norms / 2).softmax(
        dim=-1
    )  # (T, S); ‖q‖² is the same in a whole row and cancels


def pipeline(
    query,
    key,
    dot=lambda q, k: q @ k.T,
    norm=lambda k: (k**2).sum(-1),
    combine=lambda dots, norms: dots - norms / 2,
    normalise=lambda e: e.softmax(-1),
):
    """The same in named steps, so that a mistake is one step done wrongly."""
    return normalise(combine(dot(query, key), norm(key)))


def example() -> tuple:
    return exact([1, 0], [0, 2]), exact([1, 0], [2, 0], [0, 1])


def probes() -> list[tuple]:
    return [
        (draw(t, d, seed=110 + t), draw(s, d, seed=120 + t))
        for t, s, d in [(5, 7, 3), (3, 2, 11), (7, 5, 2), (2, 11, 5)]
    ]


def edges() -> list[tuple]:
    return [
        (draw(1, 3, seed=131), draw(5, 3, seed=132)),
        (draw(3, 1, seed=133), draw(2, 1, seed=134)),
    ]


def steps(query, key) -> list[tuple[str, object]]:
    norms = (key**2).sum(-1)
    return [
        ("the dot products", query @ key.T),
        ("the squared key norms", norms),
        ("the scores", query @ key.T - norms / 2),
        ("the weights", solution(query, key)),
    ]


def first_row(exercise: Exercise, fn: Callable, cases: list[Case]) -> Finding | None:
    """Describe the weights of the example's first query.

    Args:
        exercise: the exercise.
        fn: the reader's function.
        cases: the probes, all answered by tensors of the right shape.

    Returns:
        The finding, or None if that row is right.
    """
    return odd_weights(
        cases[0].got[0],
        cases[0].expected[0],
        "For the query (1, 0) and the keys (1, 0), (2, 0), (0, 1)",
    )


class _Differences(Watch):
    """Notes whether queries and keys are subtracted from each other, or a distance is asked for."""

    def __init__(self, features: int) -> None:
        super().__init__()
        self.features, self.seen = features, False

    def __torch_dispatch__(
        self, func: Callable, types: tuple, args: tuple = (), kwargs: dict | None = None
    ):
        result = func(*args, **(kwargs or {}))
        name = str(func)
        vectors = [
            x
            for x in tree_leaves(args[:2])
            if isinstance(x, torch.Tensor) and x.dim() and x.shape[-1] == self.features
        ]
        subtracts = (
            name.startswith(
                ("aten.sub.", "aten.rsub.", "aten.sub_.", "aten.add.Tensor")
            )
            and len(vectors) == 2
        )
        if (
            subtracts
            or "cdist" in name
            or "euclidean_dist" in name
            or "pairwise_distance" in name
        ):
            self.seen = True
        return result


def uses_differences(exercise: Exercise, fn: Callable) -> Finding | None:
    """Demand that the weights come from dot products, not from distances.

    Args:
        exercise: the exercise.
        fn: the reader's function, right in its numbers.

    Returns:
        The finding, or None.
    """
    features = 13  # unlike any other axis
    with torch.no_grad(), _Differences(features) as watch:
        fn(*copies((draw(3, features, seed=135), draw(5, features, seed=136))))
    if not watch.seen:
        return None
    return Finding(
        "uses-distances",
        "the long way round",
        "The numbers are right, but they are made from the differences q − k (or a distance function). For "
        "T queries and S keys of D features that is a table of "
        "T·S·D numbers; with 1000 queries, 1000 keys and 64 features, 64 million of them. Dot products "
        "need a table of T·S.",
        "Multiply out −½‖q − k‖². Which of the three terms does the softmax over the keys not see?",
    )


WRONG = (
    Mistake(
        "norms-forgotten",
        slip(pipeline, combine=lambda dots, norms: dots),
        "long keys win",
        "{seen}These are the weights of the dot products (1, 2, 0) and (0, 0, 2) alone. The key (2, 0) "
        "gets the most from the "
        "query (1, 0), though the key (1, 0) *is* that query. Taking away something that is the same for "
        "all keys (‖q‖², or one norm of the whole key matrix) "
        "gives these weights too: it cancels in the softmax.",
        "the norms of the single keys have no effect",
        "Which term of −½‖q − k‖² changes from key to key, besides q · k?",
    ),
    Mistake(
        "half-missing",
        slip(pipeline, combine=lambda dots, norms: dots - norms),
        "the half",
        "{seen}For the query (1, 0) your scores are q · k − ‖k‖² = (0, −2, −1); they should be (0.5, 0, "
        "−0.5).",
        "the whole squared norm is taken away instead of half of it",
        "Multiply out −½‖q − k‖². What stands before q · k, and what before ‖k‖²?",
    ),
    Mistake(
        "halved-dot",
        slip(pipeline, combine=lambda dots, norms: dots / 2 - norms / 2),
        "the factor 2",
        "{seen}For the query (1, 0) your scores are half of q · k − ‖k‖², that is (0, −1, −0.5); they "
        "should be (0.5, 0, −0.5).",
        "the middle term has lost its factor 2: ‖q − k‖² = ‖q‖² − 2 q · k + ‖k‖²",
        "What is (a − b)² for a = 3 and b = 1, with the factor 2 and without?",
    ),
    Mistake(
        "outer-half-missing",
        slip(pipeline, combine=lambda dots, norms: 2 * dots - norms),
        "the half outside",
        "{seen}For the query (1, 0) your scores are 2 q · k − ‖k‖² = (1, 0, −1), twice what they should be: "
        "the weights of exp(−‖q − k‖²), a narrower kernel.",
        "the half before ‖q − k‖² is missing",
        "What stands in the exponent of a Gaussian of width 1?",
    ),
    Mistake(
        "norm-not-squared",
        slip(pipeline, norm=lambda k: k.norm(dim=-1)),
        "the square",
        "{seen}The key (2, 0) has the length 2 and the squared length 4: you take away half of 2.",
        "the norms are not squared",
        "In −½‖q − k‖², what happens to ‖k‖?",
    ),
    Mistake(
        "norm-added",
        slip(pipeline, combine=lambda dots, norms: dots + norms / 2),
        "the sign",
        "{seen}For the query (1, 0) your scores are (1.5, 4, 0.5): the longest key is rewarded for its "
        "length.",
        "the norms are added instead of taken away",
        "Of two keys with the same dot product, which lies nearer to the query: the short one or the long "
        "one?",
    ),
    Mistake(
        "norm-mean",
        slip(pipeline, norm=lambda k: (k**2).mean(-1)),
        "sum or mean",
        "{seen}The squared norm of the key (2, 0) is 4 + 0 = 4; the mean of its squares is 2.",
        "the mean of the squared features is taken instead of their sum",
        "What is ‖(3, 4)‖?",
    ),
    Mistake(
        "over-queries",
        slip(pipeline, normalise=lambda e: e.softmax(0)),
        "the axis",
        "{seen}In yours every column sums to 1: the queries compete for each key.",
        "the softmax runs over the queries",
        "Which axis of (T, S) holds the keys that share a query's budget? (Over the queries ‖q‖² would not "
        "even cancel.)",
    ),
    Mistake(
        "over-everything",
        slip(pipeline, normalise=lambda e: e.flatten().softmax(0).reshape(e.shape)),
        "one sum for all",
        "{seen}All your weights together sum to 1; each query has a budget of its own.",
        "the softmax runs over all queries and keys together",
        "Which axis of (T, S) should it run over?",
    ),
    Mistake(
        "scores-returned",
        slip(pipeline, normalise=lambda e: e),
        "half-way",
        "With {given} you return {got}. These are the scores q · k − ½‖k‖², and they are right. Weights "
        "are wanted: {expected}.",
        "the softmax is missing",
        "What turns each row into shares that sum to 1?",
    ),
    Mistake(
        "exp-only",
        slip(pipeline, normalise=torch.exp),
        "row sums",
        "With {given} you return {got}. The first row is exp of (0.5, 0, −0.5) and sums to 3.255, not to 1.",
        "the exponentials are not divided by their sum",
        "By what must the first row be divided?",
    ),
    Mistake(
        "kernel-returned",
        lambda query, key: torch.exp(-((query[:, None] - key) ** 2).sum(-1) / 2),
        "row sums",
        "With {given} you return {got}. This is the Gaussian kernel itself, exp(−½‖q − k‖²), and its rows "
        "do not sum to 1.",
        "the kernel is not divided by its sum",
        "What makes weights out of kernel values?",
    ),
    Mistake(
        "sign",
        slip(pipeline, normalise=lambda e: (-e).softmax(-1)),
        "the sign",
        "{seen}The smallest weight of the first row went to the key (1, 0), which is the query itself.",
        "all the scores have the wrong sign",
        "Should a weight rise or fall with the distance?",
    ),
    Mistake(
        "scaled",
        slip(pipeline, dot=lambda q, k: q @ k.T / math.sqrt(q.shape[-1])),
        "a scale that does not belong",
        "{seen}The dot products are divided by √D = 1.414; then they no longer complete the square with "
        "½‖k‖².",
        "the dot products are divided by √D",
        "Where in −½‖q − k‖² would a √D come from?",
    ),
    Mistake(
        "cosine",
        lambda query, key: pipeline(
            query / query.norm(dim=-1, keepdim=True),
            key / key.norm(dim=-1, keepdim=True),
        ),
        "lengths are lost",
        "{seen}The keys (1, 0) and (2, 0) get the same weight: their lengths have been divided away.",
        "the vectors are brought to length 1",
        "Is (2, 0) as near to (1, 0) as (1, 0) is?",
    ),
    Mistake(
        "distance-not-squared",
        lambda query, key: (-torch.cdist(query, key)).softmax(-1),
        "another kernel",
        "{seen}Your kernel is exp(−‖q − k‖): from the query (1, 0) the keys lie 0, 1 and 1.414 away. The "
        "Gaussian has minus half the *square* "
        "in its exponent, and only the square can be multiplied out.",
        "the scores are minus the distances, not squared and not halved",
        "What does ‖q − k‖² become when it is multiplied out?",
    ),
    Mistake(
        "half-distance",
        lambda query, key: (-torch.cdist(query, key) / 2).softmax(-1),
        "another kernel",
        "{seen}Your kernel is exp(−½‖q − k‖): from the query (1, 0) the keys lie 0, 1 and 1.414 away. The "
        "Gaussian has the *square* of the distance in its exponent.",
        "the distances are halved but not squared",
        "What does ‖q − k‖² become when it is multiplied out?",
    ),
    Mistake(
        "kernel-over-queries",
        lambda query, key: (-(torch.cdist(query, key) ** 2) / 2).softmax(0),
        "the axis",
        "{seen}In yours every column sums to 1: the Gaussian kernel is divided by its sum over the queries.",
        "the kernel is normalised over the queries",
        "Which axis of (T, S) holds the keys that share a query's budget?",
    ),
    Mistake(
        "uses-distances",
        lambda query, key: (-((query[:, None] - key) ** 2).sum(-1) / 2).softmax(-1),
    ),
    Mistake("transposed", lambda query, key: solution(query, key).T),
)

GAUSSIAN_TO_DOT = Exercise(
    name="gaussian-to-dot",
    title="From the Gaussian kernel to the dot product",
    chapter=5,
    function="my_gaussian_weights",
    statement="""\
Compute the weights of a Gaussian kernel of width 1,

$$\\alpha_{ij} = \\frac{\\exp(-\\tfrac12\\lVert\\mathbf q_i - \\mathbf k_j\\rVert^2)}{\\sum_{j'=1}^{n}
\\exp(-\\tfrac12\\lVert\\mathbf q_i - \\mathbf k_{j'}\\rVert^2)},$$

from **dot products and the norms of the keys only**: no difference $\\mathbf q - \\mathbf k$, no
distance function. For the query $(1, 0)$ and the keys
$(1, 0), (2, 0), (0, 1)$ the weights are $0.506, 0.307, 0.186$.""",
    stub='''\
def my_gaussian_weights(query, key):
    """Gaussian-kernel weights (width 1) from dot products and key norms only.

    query: (T, D), key: (S, D) → (T, S), every row sums to 1
    """
    ...
''',
    hints=(
        "Multiply out: −½‖q − k‖² = q · k − ½‖q‖² − ½‖k‖². Which of the three terms is the same for all "
        "keys of a query?",
        "What is the same for a whole row cancels in its softmax. Two terms are left; for the query (1, 0) "
        "of the example they give the scores 0.5, 0, −0.5.",
        "All dot products at once: `query @ key.T`, of shape (T, S). All squared key norms: `(key ** "
        "2).sum(dim=-1)`, of shape (S,); they broadcast along the rows.",
    ),
    solution=solution,
    why="Since the norm of the query cancels, it is tempting to let the norms of the keys cancel too: q · "
    "k is so much shorter. If all keys have the same norm "
    "(as after a normalisation) that is even right. Otherwise long keys win, whether they are near or not: "
    "try the query (1, 0) with the keys (1, 0) and (2, 0).",
    shapes={"query": "T D", "key": "S D"},
    returns="T S",
    example=example,
    probes=probes,
    edges=edges,
    steps=steps,
    wrong=WRONG,
    describers=(first_row,),
    demands=(uses_differences,),
    differentiable=("query", "key"),
)
