"""Exercise soft-lookup: a dictionary that answers with a weighted average of all its values."""

import torch

from ..arguments import draw, exact
from ..calls import observe
from ..case import near
from ..exercise import Exercise, Mistake
from ..language import say
from ..weights import odd_weights
from ..wording import inputs


def my_soft_lookup(query, keys, values):
    """Answer a query with a softmax-weighted average of the values.

    query: (D,), keys: (S, D), values: (S, Dv) → (Dv,)
    """
    scores = keys @ query  # (S, D) · (D,) → (S,): one dot product per key
    weights = scores.softmax(dim=0)  # (S,): positive, sum to 1
    return weights @ values  # (S,) · (S, Dv) → (Dv,)


def example() -> tuple:
    return exact(1, 2), exact([1, 0], [0, 1], [1, 1]), exact([10], [20], [30])


def negative_score() -> tuple:
    return exact(1, 2), exact([1, 0], [0, -1], [1, 1]), exact([10], [20], [30])


def probes() -> list[tuple]:
    shapes = [(5, 7, 3), (3, 2, 11), (7, 11, 2), (13, 3, 5)]
    return [(draw(d, seed=10 + d), draw(s, d, seed=20 + d), draw(s, v, seed=30 + d)) for d, s, v in shapes]


def edges() -> list[tuple]:
    return [
        (draw(2, seed=41), draw(1, 2, seed=42), draw(1, 3, seed=43)),
        (draw(1, seed=44), draw(5, 1, seed=45), draw(5, 2, seed=46)),
    ]


def space(pick) -> tuple:
    """Any arguments that the task allows."""
    D, S, Dv = pick.sizes(1, 1, 1)
    return pick.numbers(D), pick.numbers(S, D), pick.numbers(S, Dv)


# edits that are used several times
SCORE, SOFTMAX, POOL = "keys @ query", "scores.softmax(dim=0)", "weights @ values"
ONLY_DOT = "The task asks for the plain dot product. Which line of yours should compute it?"

# fmt: off
MISTAKES = (
    Mistake("softmax-of-each-feature", (SOFTMAX, "(keys * query).softmax(dim=0).mean(1)"),
        "each feature has a softmax of its own, and the weights are averaged. The products should be added up first: "
        "the scores are {scores}.", "Which comes first, the sum over the features or the softmax over the keys?"),
    Mistake("no-softmax", (SOFTMAX, "scores"),
        "the scores are used as weights without a softmax. The scores {scores} do not sum to 1, so that the answer "
        "can be far outside the range of the values.",
        "What turns any three numbers into positive ones that sum to 1, and keeps their order?"),
    Mistake("hard-lookup", (SOFTMAX, "torch.nn.functional.one_hot(scores.argmax(), len(scores)).to(scores)"),
        "only the key with the largest score is used (an argmax). The other keys should have a say, too; and a "
        "choice has no slope, so gradient descent cannot learn from it where to look.",
        "What gives the best key the most weight without giving it all?"),
    Mistake("average", (SOFTMAX, "torch.ones_like(scores) / len(scores)"),
        "the values are averaged without looking at the query. Every key counts the same, whatever the query is.",
        "Which number says how well a key fits the query, and how could it become that key's weight?"),
    Mistake("weights-returned", (POOL, "weights"),
        "the function stops at the weights. The weights are right, one per key. What should come back is an average "
        "of the values.", "What is the average of the values with these weights?"),
    Mistake("scores-returned", ((SOFTMAX, "scores"), (POOL, "weights")),
        "the function stops at the scores. The dot products are right, one per key. Two steps are still to come.",
        "How do scores become weights, and what do the weights average?"),
    Mistake("softmax-last", ((SOFTMAX, "scores"), (POOL, "(weights @ values).softmax(0)")),
        "the softmax is taken of the result instead of the scores. The numbers of the *answer* then sum to 1.",
        "Which numbers have to sum to 1: those in the answer, or the weights of the keys?"),
    Mistake("sum-normalised", (SOFTMAX, "scores / scores.sum()"),
        "the scores are divided by their sum. Your weights sum to 1, but they need not be positive: a negative score "
        "gives a negative weight.", "Which function makes every number positive before you divide?"),
    Mistake("not-normalised", (SOFTMAX, "scores.exp()"),
        "the exponentials are not divided by their sum. Your weights are positive, which is good, but they should be "
        "{weights}.", "What must all the weights be divided by so that they sum to 1?"),
    Mistake("sigmoid", (SOFTMAX, "scores.sigmoid()"),
        "the weights come from a sigmoid. A sigmoid judges every key by itself; here all keys share one budget.",
        "Which function makes one key's gain the others' loss?"),
    Mistake("scaled", (SCORE, "keys @ query / query.shape[0] ** 0.5"),
        "the dot products are divided by √D. The scale is a good idea whose time comes in chapter 5; here the scores "
        "are {scores}.", "Does the task ask for anything but the dot product?"),
    Mistake("softmin", (SOFTMAX, "(-scores).softmax(dim=0)"),
        "the scores enter the softmax with a minus sign. The largest weight goes to the key with the smallest of the "
        "scores {scores}.", "Is a dot product larger for keys that fit, or for keys that do not?"),
    Mistake("gaussian", (SCORE, "-((keys - query) ** 2).sum(-1) / 2"),
        "the scores are minus half the squared distances. Distance is a fine measure of likeness (chapter 2 lives on "
        "it), but the dot products are {scores}.", ONLY_DOT,
        also=((SCORE, "-((keys - query) ** 2).sum(-1)"), (SCORE, "-((keys - query) ** 2).sum(-1).sqrt()"))),
    Mistake("cosine", (SCORE, "torch.nn.functional.cosine_similarity(keys, query[None], dim=-1)"),
        "the vectors are brought to length 1 before the dot product. The scores are then cosines, between −1 and 1, "
        "and the lengths of query and keys are lost.",
        "What is the dot product of the query with the last key, as they come?"),
    Mistake("size-one-axis", (SOFTMAX, "torch.ones_like(scores)"),
        "the softmax runs over an axis of size 1 (scores of shape (S, 1), say). Since exp(x)/exp(x) = 1, every key "
        "gets the weight 1, and the values are simply added up.", "Which axis of your scores counts the keys?"),
    Mistake("mean-of-weighted", (POOL, "(weights[:, None] * values).mean(0)"),
        "the weighted values are averaged with mean. The weights sum to 1 already; a mean divides by the number of "
        "keys once more.", "How must the weighted values be put together, if the weights sum to 1 already?"),
    Mistake("not-added", (POOL, "weights[:, None] * values"),
        "the weighted values are not added up. You return one row per key; the task asks for one row, in which all "
        "of them are blended.", "Over which axis should the sum run?"),
    Mistake("keys-averaged", (POOL, "weights @ keys"),
        "the keys are averaged instead of the values. The weights are right, but a key only says where to look; what "
        "is found there is its value.", "In a Python dict `d[key]`, which of the two do you get back?"),
    Mistake("features-added", (POOL, "(weights[:, None] * values).sum(1)"),
        "the last sum runs over the features of the values. You return one number per key; the sum should run over "
        "the keys.", "After the sum, which axis should be gone: the keys or the features?"),
    Mistake("absolute-scores", (SCORE, "(keys @ query).abs()"),
        "the scores lose their sign. The scores are {scores}; with absolute values a key that points away from the "
        "query counts like one that points towards it.", "What does a negative dot product say about a key?",
        negative_score),
    Mistake("gradient-cut", (POOL, "weights.detach() @ values")),
    Mistake("changes-dtype", ((SCORE, "keys.float() @ query.float()"), (POOL, "weights @ values.float()"))),
)


def its_weights(exercise, fn, cases):
    """Read the weights off a look-up whose values are the unit vectors."""
    mine = []
    for case in cases:
        query, keys, values = case.arguments
        units = torch.eye(len(keys), dtype=torch.float64)
        weights = observe(fn, (query, keys, units)).result
        if not isinstance(weights, torch.Tensor) or weights.shape != keys.shape[:1]:
            return None
        if not near(case.got, weights.detach().to(torch.float64) @ values):
            return None
        mine.append(weights)
    query, keys, _ = exercise.example()
    given = inputs(exercise.parameters[:2], (query, keys))
    where = say("With {given}, and with the unit vectors as values,", given=given)
    return odd_weights(mine[0], (keys @ query).softmax(0), where)


EXERCISE = Exercise(
    name="soft-lookup", title="A soft dictionary", chapter=1, solution=my_soft_lookup,
    shapes={"query": "D", "keys": "S D", "values": "S Dv"}, returns="Dv", example=example, probes=probes, edges=edges,
    mistakes=MISTAKES, steps={"scores": "the dot products", "weights": "the weights"}, describers=(its_weights,),
    differentiable=("query", "keys", "values"),
    space=space,
    hints=(
        "Three steps: one score per key, one weight per key, one average of the values. What shape does each have?",
        "`keys` (S, D) times `query` (D,) gives one number per key, and a softmax over the keys makes weights of them.",
        "The average is another matrix product. Which two things have an axis S that should disappear, and which of "
        "them comes first?",
    ),
    why="Leaving the softmax out gives an answer that still prefers fitting keys, changes smoothly and has the "
        "right shape. Only its size gives it away: scores are not weights. They need not sum to 1, so the answer grows "
        "with them, and a negative score *subtracts* its value. A test with a single key whose score happens to be 1 "
        "would never show it.",
)
