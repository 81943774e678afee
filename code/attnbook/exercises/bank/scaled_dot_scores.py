"""Exercise scaled-dot-scores: every query with every key, and the right scale."""

import math

from ..arguments import draw, exact
from ..exercise import Exercise, Mistake


def my_scaled_scores(query, key):
    """Dot product of every query with every key, divided by the root of the number of features.

    query: (B, T, D), key: (B, S, D) → (B, T, S)
    """
    dots = query @ key.transpose(-2, -1)  # (B, T, D) · (B, D, S) → (B, T, S)
    root = math.sqrt(query.shape[-1])  # D is the last axis
    return dots / root


def example() -> tuple:
    keys = exact([[1, 1, 1, 1], [2, 0, 2, 0], [0, 0, 0, 2]])
    return exact([[1, 1, 1, 1], [2, 0, 0, 0]]), keys


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
    return [(draw(1, 1, 3, seed=161), draw(1, 5, 3, seed=162)), (draw(2, 3, 1, seed=163), draw(2, 1, 1, seed=164))]


def space(pick) -> tuple:
    """Any arguments that the task allows."""
    B, T, S, D = pick.sizes(1, 1, 1, 1)
    return pick.numbers(B, T, D), pick.numbers(B, S, D)


# edits that are used several times
DOTS, ROOT, OUT = ("query @ key.transpose(-2, -1)", "math.sqrt(query.shape[-1])", "dots / root")
COSINE = "query / query.norm(dim=-1, keepdim=True) @ (key / key.norm(dim=-1, keepdim=True)).mT"
SUMMED = "In (B, T, D), over which axis does a dot product sum?"
LENGTH = "Should a query that is twice as long give the same scores, or scores twice as large?"

# fmt: off
MISTAKES = (
    Mistake("no-scale", (ROOT, "1"),
        "the dot products are not divided. With D features of variance 1 their variance is D: at D = 512 scores of "
        "±22 are usual, and the softmax after them puts nearly everything on one key.",
        "By what must a sum of D independent terms of variance 1 be divided, so that its variance is 1 again?"),
    Mistake("divided-by-d", (ROOT, "query.shape[-1]"),
        "the dot products are divided by D instead of its root (or by √D twice, once in the query and once in the "
        "key). It is the *variance* of the dot product that grows like D, not its standard deviation.",
        "When all scores shrink by c, by how much does their variance shrink?"),
    Mistake("multiplied", (ROOT, "1 / math.sqrt(query.shape[-1])"),
        "the dot products are multiplied by √D. They should shrink by it: here √D is {root}.",
        "Are the dot products of long vectors too large or too small?"),
    Mistake("root-of-queries", (ROOT, "math.sqrt(query.shape[1])"),
        "the root is taken of T (`shape[1]`) instead of D. A score would then depend on how many queries are asked.",
        SUMMED),
    Mistake("root-of-keys", (ROOT, "math.sqrt(key.shape[1])"),
        "the root is taken of the number of keys instead of the number of features. A score would then change "
        "because another key joins.", "Over which axis does a dot product sum, and how long is it?"),
    Mistake("root-of-batch", (ROOT, "math.sqrt(query.shape[0])"),
        "the root is taken of B (`shape[0]`, or `len(query)`) instead of D. A score would then change with the "
        "company it is computed in.", SUMMED, two_in_a_batch),
    Mistake("sqrt-64", (ROOT, "8"),
        "the scale is written into the code. You divide by 8 for every number of features: right for D = 64, as in "
        "the paper, but not here.", "Where can the code read off how many features there are?"),
    Mistake("whole-root", (ROOT, "int(math.sqrt(query.shape[-1]))"),
        "the root is rounded down (`int`, `//`). The root is {root}. With D = 4 you would be right, since its root "
        "is a whole number.", "Of which numbers below 100 is the root a whole number?", three_features),
    Mistake("not-transposed", (DOTS, "query @ key"),
        "the key is not transposed. A matrix product sums over the last axis of the first factor and the last but "
        "one of the second: here these are D = 4 and S = 3.",
        "The sum must run over the features of both. Which two axes of the key must change places?",
        line="@|matmul|bmm"),
    Mistake("t-of-three-axes", (DOTS, "query @ key.permute(2, 1, 0)"),
        "the key is transposed by `.T`, batch and all. `.T` reverses *all* axes: (B, S, D) becomes (D, S, B), and "
        "the batch no longer comes first.", "Which operation swaps just the last two axes?", line="\\.T\\b|permute"),
    Mistake("swapped-t-b", (DOTS, "query @ key.transpose(0, 1)"),
        "the wrong two axes of the key are transposed. The first two axes have changed places, batch and keys.",
        "Which axis of the key must meet the last axis of the query?", line="transpose|swap|permute|movedim"),
    Mistake("softmax-applied", (OUT, "(dots / root).softmax(dim=-1)"),
        "the softmax is applied as well. Your rows sum to 1: these are the weights already.",
        "What comes between scores and weights in chapter 4, and must therefore come before the softmax?"),
    Mistake("softmax-then-scale", (DOTS, f"({DOTS}).softmax(dim=-1)"),
        "a softmax is taken first, and the scale applied to its result. Your rows sum to 1/√D.",
        "The scale is there to keep the softmax from saturating. Which comes first? (And is it asked for here?)"),
    Mistake("cosine", ((DOTS, COSINE), (ROOT, "1")),
        "the vectors are brought to length 1. Your scores are cosines, between −1 and 1: each is divided by the "
        "lengths of its own two vectors.", LENGTH),
    Mistake("cosine-scaled", (DOTS, COSINE),
        "the vectors are brought to length 1 before the dot product. Your scores are cosines, each divided by the "
        "lengths of its own two vectors, and then by √D as well.", LENGTH),
    Mistake("reshaped", (DOTS, "query @ key.reshape(len(key), key.shape[2], -1)"),
        "the key is reshaped instead of transposed. The shapes fit, the numbers do not: `reshape` and `view` to (B, "
        "D, S) read the key's numbers in the old order and cut them into new rows.",
        "Which operation makes rows into columns?"),
    Mistake("softmax-over-queries", (OUT, "(dots / root).softmax(dim=1)"),
        "a softmax over the queries is applied as well. Your columns sum to 1.", "Are scores asked for, or weights?"),
    Mistake("all-keys-added", (DOTS, "query @ key.sum(0, keepdim=True).mT"),
        "the keys are summed over the batch. Every query meets the keys of both batch elements, added together: in "
        "an einsum, the batch letter is missing or summed over.",
        "Which letter of the einsum must appear in the query, in the key and in the result?", two_in_a_batch),
    Mistake("sums-multiplied", (DOTS, "query.sum(-1)[:, :, None] * key.sum(-1)[:, None, :]"),
        "the sums are multiplied instead of the products added. You add up the features of the query, and those of "
        "the key, and multiply the two sums.", "What is (1, 0) · (0, 1)?"),
    Mistake("first-keys-for-all", (DOTS, "query @ key[:1].mT"),
        "the keys of the first batch element are used for all. The query of the second element is compared with the "
        "key of the first.", "Which operation multiplies the matrices of a batch pair by pair?", two_in_a_batch),
    Mistake("squared-distance", ((DOTS, "(query[:, :, None] - key[:, None]).square().sum(-1) / -2"), (ROOT, "1")),
        "distances are computed instead of dot products. Yours are Gaussian scores, minus half the squared "
        "distances, as in the exercise before.", "What is the dot product of (1, 1, 1, 1) with itself?"),
    Mistake("transposed", (OUT, "(dots / root).mT")),
    Mistake("memory-layout", (DOTS, "query.view(query.shape) @ key.view(-1).view(key.shape).mT")),
    Mistake("writes-into-argument", ((DOTS, "query.div_(math.sqrt(query.shape[-1])) @ key.mT"), (OUT, "dots"))),
)

EXERCISE = Exercise(
    name="scaled-dot-scores", title="Scaled dot-product scores", chapter=5, solution=my_scaled_scores,
    shapes={"query": "B T D", "key": "B S D"}, returns="B T S", example=example, probes=probes, edges=edges,
    mistakes=MISTAKES, steps={"dots": "the dot products", "root": "the root of the number of features"},
    differentiable=("query", "key"),
    space=space, views=True,
    hints=(
        "Over which axis does a dot product sum, and how long is it? That length decides what you divide by.",
        "All dot products of one batch element are one matrix product, (T, D) times (D, S). The key comes as (S, D).",
        "`@` multiplies batch element by batch element; `transpose` swaps two axes and leaves the batch alone. What do "
        "you divide by, so that with D = 4 the score in the statement is 4/2?",
    ),
    why="Without the scale everything runs, shapes and all, and with the small vectors of a first test the softmax "
        "looks healthy. The harm comes with D: at D = 512 the dot products have a standard deviation of about 23, the "
        "softmax is nearly one-hot for most rows and the gradient erratic. Dividing by the root of the wrong axis "
        "(T instead of D) even agrees as long as the two happen to be equal: hence the odd sizes in the checker.",
)
