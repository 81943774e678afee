"""Exercise gaussian-to-dot: Gaussian weights without ever forming a distance."""

import torch
from torch.utils._pytree import tree_leaves

from ..arguments import draw, exact
from ..calls import observe
from ..devices import Watch
from ..exercise import Exercise, Mistake
from ..language import say
from ..verdict import found
from ..weights import odd_weights
from ..wording import inputs


def my_gaussian_weights(query, key):
    """Gaussian-kernel weights (width 1) from dot products and key norms only.

    query: (T, D), key: (S, D) → (T, S), every row sums to 1
    """
    dots = query @ key.T  # (T, D) · (D, S) → (T, S)
    norms = (key**2).sum(dim=-1)  # (S,): ‖k‖² of each key
    scores = dots - norms / 2  # ‖q‖² is the same in a whole row and cancels
    return scores.softmax(dim=-1)  # (T, S)


def example() -> tuple:
    return exact([1, 0], [0, 2]), exact([1, 0], [2, 0], [0, 1])


def probes() -> list[tuple]:
    return [
        (draw(t, d, seed=110 + t), draw(s, d, seed=120 + t))
        for t, s, d in [(5, 7, 3), (3, 2, 11), (7, 5, 2), (2, 11, 5)]
    ]


def far() -> tuple:
    """All keys far from the origin: the scores of the three queries lie around 1800, −1800 and 0."""
    return exact([60, 0], [0, 2], [30, 0]), exact([60, 0], [61, 0], [60, 1])


def edges() -> list[tuple]:
    return [(draw(1, 3, seed=131), draw(5, 3, seed=132)), (draw(3, 1, seed=133), draw(2, 1, seed=134)), far()]


def space(pick) -> tuple:
    """Any arguments that the task allows."""
    T, S, D = pick.sizes(1, 1, 1)
    return pick.numbers(T, D, loud=20), pick.numbers(S, D) + pick.of(0, 60, -60)


# edits that are used several times
DOTS, NORMS, COMBINE = "query @ key.T", "(key**2).sum(dim=-1)", "dots - norms / 2"
SOFTMAX = "scores.softmax(dim=-1)"
MULTIPLY = "What does ‖q − k‖² become when it is multiplied out?"
UNIT = "query / query.norm(dim=-1, keepdim=True) @ (key / key.norm(dim=-1, keepdim=True)).T"

# fmt: off
MISTAKES = (
    Mistake("divided-by-the-length", (COMBINE, "dots / norms.sqrt()"),
        "the dot products are divided by the keys' lengths. A long key in the right direction then counts as much as "
        "the key that is the query.", MULTIPLY),
    Mistake("exp-overflows", (SOFTMAX, "scores.exp() / scores.exp().sum(dim=-1, keepdim=True)"),
        "the exponentials are taken of the scores as they are. Near the origin you are right; but exp(1800) is ∞, "
        "exp(−1800) is 0, and ∞/∞ and 0/0 are NaN.",
        "Which number may be subtracted from all scores of a query without changing its weights?", far),
    Mistake("one-shift-for-all", (SOFTMAX, "(lambda e: e / e.sum(-1, keepdim=True))((scores - scores.max()).exp())"),
        "the largest score of the whole table is subtracted from every row. A query whose scores are all far lower is "
        "left with 0/0.", "Over which axis should the maximum be taken?", far),
    Mistake("norms-forgotten", (COMBINE, "dots"),
        "the norms of the single keys have no effect. The dot products {dots} alone let long keys win: (2, 0) beats "
        "(1, 0), which *is* the query. (Subtracting ‖q‖², or one norm for all keys, changes nothing: it cancels in "
        "the softmax.)", "Which term of −½‖q − k‖² changes from key to key, besides q · k?"),
    Mistake("half-missing", (COMBINE, "dots - norms"),
        "the whole squared norm is subtracted instead of half of it. Your scores are q · k − ‖k‖²; they should be "
        "{scores}.", "Multiply out −½‖q − k‖². What is the factor of q · k, and what that of ‖k‖²?"),
    Mistake("halved-dot", (COMBINE, "dots / 2 - norms / 2"),
        "the middle term has lost its factor 2: ‖q − k‖² = ‖q‖² − 2 q · k + ‖k‖². Your scores are half of q · k − "
        "‖k‖²; they should be {scores}.", "What is (a − b)² for a = 3 and b = 1, with the factor 2 and without?"),
    Mistake("outer-half-missing", (COMBINE, "2 * dots - norms"),
        "the half before ‖q − k‖² is missing. Your scores, 2 q · k − ‖k‖², are twice what they should be: the kernel "
        "exp(−‖q − k‖²) is narrower.", "What is the exponent of a Gaussian of width 1?"),
    Mistake("norm-not-squared", (NORMS, "key.norm(dim=-1)"),
        "the norms are not squared. The squared norms of the keys are {norms}.", "In −½‖q − k‖², what happens to ‖k‖?"),
    Mistake("norm-added", (COMBINE, "dots + norms / 2"),
        "the norms are added instead of subtracted. Long keys are rewarded; the scores should be {scores}.",
        "Of two keys with the same dot product, which is nearer to the query: the short one or the long one?"),
    Mistake("norm-mean", (NORMS, "(key**2).mean(dim=-1)"),
        "the mean of the squared features is taken instead of their sum. The squared norms of the keys are {norms}.",
        "What is ‖(3, 4)‖?"),
    Mistake("over-queries", (SOFTMAX, "scores.softmax(dim=0)"),
        "the softmax runs over the queries. In your weights every column sums to 1: the queries compete for each "
        "key. (And over the queries ‖q‖² would not even cancel.)",
        "Which axis of (T, S) holds the keys that share a query's budget?"),
    Mistake("over-everything", (SOFTMAX, "scores.flatten().softmax(0).reshape(scores.shape)"),
        "the softmax runs over all queries and keys together. All your weights sum to 1; each query has a budget of "
        "its own.", "Which axis of (T, S) should it run over?"),
    Mistake("scores-returned", (SOFTMAX, "scores"),
        "the softmax is missing. What you return are the scores q · k − ½‖k‖², and they are right.",
        "What turns each row into weights that sum to 1?"),
    Mistake("exp-only", (SOFTMAX, "scores.exp()"),
        "the exponentials are not divided by their sum. You return the exponentials of {scores}, and their rows do "
        "not sum to 1.", "By what must the first row be divided?"),
    Mistake("kernel-returned", (SOFTMAX, "(scores - (query**2).sum(-1, keepdim=True) / 2).exp()"),
        "the kernel is not divided by its sum. What you return is the Gaussian kernel itself, exp(−½‖q − k‖²), and "
        "its rows do not sum to 1.", "What makes weights out of kernel values?"),
    Mistake("sign", (SOFTMAX, "(-scores).softmax(dim=-1)"),
        "all the scores have the wrong sign. The smallest weight of the first row goes to the key (1, 0), which is "
        "the query itself.", "Should a weight rise or fall with the distance?"),
    Mistake("scaled", (DOTS, "query @ key.T / query.shape[-1] ** 0.5"),
        "the dot products are divided by √D. Then they no longer complete the square with ½‖k‖².",
        "Where in −½‖q − k‖² would a √D come from?"),
    Mistake("cosine", ((DOTS, UNIT), (NORMS, "torch.ones_like(key[:, 0])")),
        "the vectors are brought to length 1. The keys (1, 0) and (2, 0) get the same weight: their lengths have "
        "been divided away.", "Is (2, 0) as near to (1, 0) as (1, 0) is?"),
    Mistake("distance-not-squared", (COMBINE, "-torch.cdist(query, key)"),
        "the scores are minus the distances, not squared and not halved. Your kernel is exp(−‖q − k‖). The Gaussian "
        "has minus half the *square* in its exponent, and only the square can be multiplied out.", MULTIPLY),
    Mistake("half-distance", (COMBINE, "-torch.cdist(query, key) / 2"),
        "the distances are halved but not squared. Your kernel is exp(−½‖q − k‖); the Gaussian has the *square* of "
        "the distance in its exponent.", MULTIPLY),
    Mistake("kernel-over-queries",
        ((COMBINE, "-(torch.cdist(query, key) ** 2) / 2"), (SOFTMAX, "scores.softmax(dim=0)")),
        "the kernel is normalised over the queries. In your weights every column sums to 1: the Gaussian kernel is "
        "divided by its sum over the queries.", "Which axis of (T, S) holds the keys that share a query's budget?"),
    Mistake("uses-distances", (COMBINE, "-((query[:, None] - key) ** 2).sum(-1) / 2")),
    Mistake("transposed", (SOFTMAX, "scores.softmax(dim=-1).T")),
)


def first_row(exercise, fn, cases):
    """Describe the weights of the example's first query."""
    query, key = exercise.example()
    where = say("With {given}", given=inputs(exercise.parameters, (query[0], key)))
    return odd_weights(cases[0].got[0], cases[0].expected[0], where)


class _Differences(Watch):
    """Notes whether queries and keys are subtracted from each other, or a distance is asked for."""

    features, seen = 13, False  # as many features as no other axis has

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        leaves = [x for x in tree_leaves(args[:2]) if isinstance(x, torch.Tensor)]
        vectors = [x for x in leaves if x.dim() and x.shape[-1] == self.features]
        name, subtractions = (str(func), ("aten.sub.", "aten.rsub.", "aten.sub_.", "aten.add.Tensor"))
        subtracts = name.startswith(subtractions) and len(vectors) == 2
        distances = "cdist", "euclidean_dist", "pairwise_distance"
        self.seen |= subtracts or any(distance in name for distance in distances)
        return func(*args, **(kwargs or {}))


def uses_differences(exercise, fn):
    """Demand that the weights come from dot products, not from distances."""
    with torch.no_grad(), _Differences() as watch:
        observe(fn, (draw(3, 13, seed=135), draw(5, 13, seed=136)))
    if not watch.seen:
        return None
    return found("uses-distances", "the long way round",
        "The numbers are right, but they are made from the differences q − k (or by a distance function). For T "
        "queries and S keys of D features that is a table of T·S·D numbers; with 1000 queries, 1000 keys and 64 "
        "features, 64 million of them. Dot products need a table of T·S.",
        "Multiply out −½‖q − k‖². Which of the three terms does the softmax over the keys not see?")


EXERCISE = Exercise(
    name="gaussian-to-dot", title="From the Gaussian kernel to the dot product", chapter=5,
    solution=my_gaussian_weights, shapes={"query": "T D", "key": "S D"}, returns="T S", example=example, probes=probes,
    edges=edges, mistakes=MISTAKES,
    steps={"dots": "the dot products", "norms": "the squared key norms", "scores": "the scores"},
    describers=(first_row,), demands=(uses_differences,), differentiable=("query", "key"),
    space=space,
    hints=(
        "Multiply out −½‖q − k‖². Which of its three terms is the same for all keys of a query?",
        "What is the same for a whole row cancels in its softmax. Two terms are left. What do they give for the query "
        "(1, 0) and each of the keys (1, 0), (2, 0) and (0, 1)?",
        "One of the two is a table, (T, S), the other one number per key, (S,). With which factor does each enter?",
    ),
    why="Since the norm of the query cancels, it is tempting to let the norms of the keys cancel, too: q · k is so "
        "much shorter. If all keys have the same norm (as after a normalisation) that is even right. Otherwise long "
        "keys win, whether they are near or not: try the query (1, 0) with the keys (1, 0) and (2, 0).",
)
