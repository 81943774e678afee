"""Exercise soft-lookup: a dictionary that answers with a weighted average of all its values."""

from __future__ import annotations

import math
from collections.abc import Callable

import torch

from ..legacy import Exercise, Mistake, draw, exact, slip
from ..observe import observe
from ..recognise import Case, near
from ..verdict import Finding
from ..weights import odd_weights


def solution(query, keys, values):
    """Look a query up softly: a softmax-weighted average of the values."""
    scores = keys @ query  # (S, D) · (D,) → (S,): one dot product for each key
    weights = scores.softmax(dim=0)  # (S,): positive, sum to 1
    return weights @ values  # (S,) · (S, Dv) → (Dv,)


def pipeline(
    query,
    keys,
    values,
    score=lambda q, k: k @ q,
    normalise=lambda e: e.softmax(0),
    pool=lambda a, v: a @ v,
):
    """The same in named steps, so that a mistake is one step done wrongly."""
    return pool(normalise(score(query, keys)), values)


def example() -> tuple:
    return exact(1, 2), exact([1, 0], [0, 1], [1, 1]), exact([10], [20], [30])


def probes() -> list[tuple]:
    shapes = [(5, 7, 3), (3, 2, 11), (7, 11, 2), (13, 3, 5)]
    return [
        (draw(d, seed=10 + d), draw(s, d, seed=20 + d), draw(s, v, seed=30 + d))
        for d, s, v in shapes
    ]


def edges() -> list[tuple]:
    return [
        (draw(2, seed=41), draw(1, 2, seed=42), draw(1, 3, seed=43)),
        (draw(1, seed=44), draw(5, 1, seed=45), draw(5, 2, seed=46)),
    ]


def negative_score() -> tuple:
    return exact(1, 2), exact([1, 0], [0, -1], [1, 1]), exact([10], [20], [30])


def its_weights(exercise: Exercise, fn: Callable, cases: list[Case]) -> Finding | None:
    """Read the weights off a look-up whose values are (1, 0, 0), (0, 1, 0), (0, 0, 1).

    Args:
        exercise: the exercise.
        fn: the reader's function.
        cases: the probes, all answered by tensors of the right shape.

    Returns:
        The finding, or None if the answer is no weighted sum of the values.
    """
    query, keys, mine = *exercise.example()[:2], []
    for case in cases:
        other_query, other_keys, other_values = case.arguments
        weights = observe(
            fn,
            (other_query, other_keys, torch.eye(len(other_keys), dtype=torch.float64)),
        ).result
        if (
            not isinstance(weights, torch.Tensor)
            or weights.shape != other_keys.shape[:1]
        ):
            return None
        if not near(case.got, weights.detach().to(torch.float64) @ other_values):
            return None
        mine.append(weights)
    return odd_weights(
        mine[0],
        (keys @ query).softmax(0),
        "With query (1, 2), keys ((1, 0), (0, 1), (1, 1)) and the unit vectors for values",
    )


def steps(query, keys, values) -> list[tuple[str, object]]:
    scores = keys @ query
    return [
        ("the dot products", scores),
        ("the weights", scores.softmax(0)),
        ("the average", scores.softmax(0) @ values),
    ]


WRONG = (
    Mistake(
        "no-softmax",
        slip(pipeline, normalise=lambda e: e),
        "the weights",
        "With {given} you return {got}: 1·10 + 2·20 + 3·30 = 140. The dot products 1, 2, 3 serve as "
        "weights as they are. "
        "They sum to 6, so the answer lies far outside the values 10 … 30 that it should be an average of.",
        "the scores are used as weights without a softmax",
        "What turns any three numbers into three positive ones that sum to 1 and keeps their order?",
    ),
    Mistake(
        "hard-lookup",
        slip(
            pipeline,
            normalise=lambda e: torch.nn.functional.one_hot(e.argmax(), len(e)).to(e),
        ),
        "one key takes all",
        "With {given} you return {got}, the value of the best key alone; right is {expected}. The scores "
        "are 1, 2, 3: "
        "key 3 is the best, but the others have something to say too. And a choice has no slope: nothing "
        "can be learned through it.",
        "the single best key is picked (an argmax)",
        "What gives the best key the most weight without giving it all?",
    ),
    Mistake(
        "average",
        slip(pipeline, normalise=lambda e: torch.ones_like(e) / len(e)),
        "the query has no say",
        "With {given} you return {got}, the plain average: (10 + 20 + 30)/3 = 20. Every key counts the "
        "same, whatever is asked.",
        "the values are averaged without looking at the query",
        "Which number says how well a key fits the query, and how could it become that key's share?",
    ),
    Mistake(
        "weights-returned",
        slip(pipeline, pool=lambda a, v: a),
        "half-way",
        "With {given} you return {got}. These are the weights, one for each key, and they are right. "
        "The look-up should come back with what is behind the keys: values 10, 20, 30, in these shares.",
        "the function stops at the weights",
        "What do you get if 0.09 of the first value, 0.245 of the second and 0.665 of the third are poured "
        "together?",
    ),
    Mistake(
        "scores-returned",
        slip(pipeline, normalise=lambda e: e, pool=lambda e, v: e),
        "half-way",
        "With {given} you return {got}. These are the scores, the dot product of the query with each key, "
        "and they are right. "
        "Two steps are still to come.",
        "the function stops at the scores",
        "How do scores become shares, and what is shared out?",
    ),
    Mistake(
        "softmax-last",
        slip(pipeline, normalise=lambda e: e, pool=lambda e, v: (e @ v).softmax(0)),
        "the order of the steps",
        "With {given} you return {got}. The softmax comes last, over the result, so it makes the columns "
        "of the *answer* sum to 1. "
        "With one column that is always 1, whatever was asked.",
        "the softmax is taken of the result instead of the scores",
        "Which numbers have to sum to 1: those in the answer, or the shares of the keys?",
    ),
    Mistake(
        "sum-normalised",
        slip(pipeline, normalise=lambda e: e / e.sum()),
        "the weights",
        "With {given} you return {got}: the weights are 1/6, 2/6, 3/6. They sum to 1, but try the scores "
        "1, −1, 0.5: divided by their sum 0.5 "
        "they become 2, −2, 1. A share of −2?",
        "the scores are divided by their sum",
        "Which function makes every number positive before you divide?",
    ),
    Mistake(
        "not-normalised",
        slip(pipeline, normalise=torch.exp),
        "the sum of the weights",
        "With {given} you return {got}. The weights are exp(1), exp(2), exp(3) = 2.718, 7.389, 20.086: "
        "positive, good, but they sum to 30.193. "
        "Right is {expected}.",
        "the exponentials are not divided by their sum",
        "What must all the weights be divided by so that they sum to 1?",
    ),
    Mistake(
        "sigmoid",
        slip(pipeline, normalise=torch.sigmoid),
        "the sum of the weights",
        "With {given} you return {got}. The weights are 0.731, 0.881 and 0.953, each between 0 and 1, but "
        "together 2.564. "
        "A sigmoid judges every key by itself; here the keys share one budget.",
        "the weights come from a sigmoid",
        "Which function lets one key's gain be the others' loss?",
    ),
    Mistake(
        "scaled",
        slip(pipeline, score=lambda q, k: k @ q / math.sqrt(q.shape[0])),
        "the scores",
        "{seen}Your scores are the dot products divided by √2, the root of the number of "
        "features: (0.707, 1.414, 2.121) instead of (1, 2, 3). That is a good idea whose time comes in "
        "chapter 5.",
        "the dot products are divided by √D",
        "Does the task ask for anything but the dot product here?",
    ),
    Mistake(
        "softmin",
        slip(pipeline, normalise=lambda e: (-e).softmax(0)),
        "the wrong end",
        "{seen}The largest weight, 0.665, went to the key with the smallest score, 1.",
        "the scores enter the softmax with a minus sign",
        "Is a dot product larger for keys that fit, or for keys that do not?",
    ),
    Mistake(
        "gaussian",
        slip(pipeline, score=lambda q, k: -((k - q) ** 2).sum(-1) / 2),
        "the scores",
        "{seen}Your scores are −2, −1, −0.5: minus half the squared distances. "
        "A fine measure of likeness (chapter 2 lives on it), but another one.",
        "keys are compared with the query by distance",
        "The dot products here are 1, 2, 3. Which line should make them?",
    ),
    Mistake(
        "distance",
        slip(pipeline, score=lambda q, k: -(k - q).norm(dim=-1)),
        "the scores",
        "{seen}Your scores are −2, −1.414, −1: minus the distances from the query. "
        "A distance is a measure of likeness too, but another one.",
        "keys are compared with the query by their distance",
        "The dot products here are 1, 2, 3. Which line should make them?",
    ),
    Mistake(
        "cosine",
        slip(
            pipeline,
            score=lambda q, k: torch.nn.functional.cosine_similarity(
                k, q[None], dim=-1
            ),
        ),
        "the scores",
        "{seen}Your scores are 0.447, 0.894, 0.949: the cosines of the angles, "
        "between −1 and 1. The lengths of query and keys are divided away.",
        "vectors are brought to length 1 before the dot product",
        "What does the dot product of (1, 2) and (1, 1) give as it stands?",
    ),
    Mistake(
        "size-one-axis",
        slip(pipeline, normalise=torch.ones_like),
        "every weight is 1",
        "With {given} you return {got}: 10 + 20 + 30 = 60. Every key has the weight 1, which happens when "
        "the softmax runs over an axis "
        "that holds a single number: exp(x)/exp(x) = 1. The shares must sum to 1 over the *keys*.",
        "the softmax runs over an axis of size 1 (scores of shape (S, 1), say)",
        "Which axis of your scores counts the keys?",
    ),
    Mistake(
        "mean-of-weighted",
        slip(pipeline, pool=lambda a, v: (a[:, None] * v).mean(0)),
        "divided twice",
        "{seen}It should be three times as much. The weights sum to 1 already. "
        "A mean over the keys divides by their number (3) once more.",
        "the weighted values are averaged with mean",
        "The shares are in the weights. What is left to do with the weighted values?",
    ),
    Mistake(
        "largest-part",
        slip(pipeline, pool=lambda a, v: (a[:, None] * v).max(0).values),
        "only one part is kept",
        "{seen}The three parts are 0.09·10, 0.245·20 and 0.665·30; you keep the largest.",
        "the maximum of the weighted values is taken",
        "What should become of the smaller parts?",
    ),
    Mistake(
        "not-added",
        slip(pipeline, pool=lambda a, v: a[:, None] * v),
        "the last step",
        "With {given} you return {got}: each value in its share, one row for each key. One row is wanted, "
        "the blend of them all.",
        "the weighted values are not added up",
        "Over which axis do you blend?",
    ),
    Mistake(
        "keys-averaged",
        lambda query, keys, values: (keys @ query).softmax(0) @ keys,
        "what is averaged",
        "With {given} you return {got}. The weights are right, but they average the keys: a key only says "
        "where to look. "
        "What is found there is its value.",
        "the keys are averaged instead of the values",
        "In a Python dict `d[key]`, which of the two do you get back?",
    ),
    Mistake(
        "softmax-twice",
        slip(pipeline, normalise=lambda e: e.softmax(0).softmax(0)),
        "one softmax too many",
        "{seen}The weights (0.09, 0.245, 0.665) went through the softmax again and came out as "
        "(0.253, 0.296, 0.451): much flatter, since numbers between 0 and 1 are close to each other.",
        "the softmax is taken twice",
        "Which of your lines takes the second?",
    ),
    Mistake(
        "per-feature",
        slip(
            pipeline, score=lambda q, k: k * q, normalise=lambda e: e.softmax(0).sum(1)
        ),
        "the sum comes too late",
        "{seen}Each feature (column of keys · query) has its own softmax over the keys; "
        "added up, the weights sum to the number of features (2), not to 1.",
        "the softmax is taken before the products are added up",
        "A dot product is products *and* their sum. How many numbers per key should enter the softmax?",
    ),
    Mistake(
        "log-weights",
        slip(pipeline, normalise=lambda e: e.log_softmax(0)),
        "logarithms",
        "With {given} you return {got}: a negative number from positive values. The weights are (−2.408, "
        "−1.408, −0.408), "
        "logarithms of the shares.",
        "log_softmax stands where softmax should",
        "Can a share of something be negative?",
    ),
    Mistake(
        "features-added",
        slip(pipeline, pool=lambda a, v: (a[:, None] * v).sum(1)),
        "the wrong axis",
        "With {given} you return {got}, one number for each key. The weighted values are added up over "
        "their features, not over the keys.",
        "the last sum runs over the features of the values",
        "After the blend, which axis should be gone: the keys or the features?",
    ),
    Mistake(
        "absolute-scores",
        slip(pipeline, score=lambda q, k: (k @ q).abs()),
        "the sign of the scores",
        "{seen}The scores are 1, −2, 3. You use 1, 2, 3: a key that points away from the query counts like "
        "one that points towards it.",
        "the scores enter by their absolute values",
        "What does a negative dot product say about a key?",
        example=negative_score,
    ),
    Mistake(
        "gradient-cut",
        lambda query, keys, values: (keys @ query).softmax(0).detach() @ values,
    ),
    Mistake(
        "changes-dtype",
        lambda query, keys, values: (
            (keys.float() @ query.float()).softmax(0) @ values.float()
        ),
    ),
)

SOFT_LOOKUP = Exercise(
    name="soft-lookup",
    title="A soft dictionary",
    chapter=1,
    function="my_soft_lookup",
    statement="""\
Write the soft look-up of this chapter. The query is compared with every key by a **dot product**; a
**softmax** turns the
scores into weights; the answer is the average of the values with these weights:

$$f(\\mathbf q) = \\sum_{j=1}^{n} \\alpha_j\\, \\mathbf v_j, \\qquad
\\alpha_j = \\frac{\\exp(\\mathbf q^\\top \\mathbf k_j)}{\\sum_{j'=1}^{n} \\exp(\\mathbf q^\\top
\\mathbf k_{j'})}.$$

With the query $(1, 2)$, the keys $(1, 0), (0, 1), (1, 1)$ and the values $10, 20, 30$ the answer is
$25.752$. Follow it on paper first.""",
    stub='''\
def my_soft_lookup(query, keys, values):
    """Answer a query with a softmax-weighted average of the values.

    query: (D,), keys: (S, D), values: (S, Dv) → (Dv,)
    """
    ...
''',
    hints=(
        "Three steps: a score for each key, a weight for each key, one blend of the values. Write the "
        "shape behind each of them: (S,), (S,), (Dv,).",
        "`keys` has the shape (S, D) and `query` (D,): their matrix product has one number for each key. "
        "On paper the scores are 1, 2, 3 and the weights 0.09, 0.245, 0.665.",
        "The weights are `scores.softmax(dim=0)`. The blend is another matrix product: (S,) times (S, Dv) "
        "gives (Dv,).",
    ),
    solution=solution,
    why="Leaving the softmax out gives an answer that still prefers fitting keys, changes smoothly and has "
    "the right shape. Only its size "
    "betrays it: scores are no shares. With scores 1, 2, 3 it is six times as much as an average may be, "
    "and with negative scores it "
    "*subtracts* values. Tests with a single key whose score happens to be 1 never notice.",
    shapes={"query": "D", "keys": "S D", "values": "S Dv"},
    returns="Dv",
    example=example,
    probes=probes,
    edges=edges,
    steps=steps,
    wrong=WRONG,
    describers=(its_weights,),
    differentiable=("query", "keys", "values"),
)
