"""Exercise lookup-gradient: how the answer of a soft look-up changes with its query, by formula."""

from ..arguments import draw, exact
from ..calls import names_used
from ..exercise import Exercise, Mistake
from ..verdict import found


def my_lookup_gradient(query, keys, values):
    """Say how each feature of a soft look-up's answer changes with the query.

    query: (D,), keys: (S, D), values: (S, Dv) → (Dv, D)
    """
    scores = keys @ query  # (S, D) · (D,) → (S,)
    weights = scores.softmax(dim=0)  # (S,)
    answer = weights @ values  # (S,) · (S, Dv) → (Dv,)
    above = values - answer  # (S, Dv): how far each value lies above the answer
    pulls = weights[:, None] * above  # (S, Dv): weighted by how much the key counts
    return pulls.T @ keys  # (Dv, S) · (S, D) → (Dv, D)


def example() -> tuple:
    return exact(1, 2), exact([1, 0], [0, 1], [1, 1]), exact([10], [20], [60])


def two_features() -> tuple:
    return exact(1, 2), exact([1, 0], [0, 1], [1, 1]), exact([10, 0], [20, 8], [60, 4])


def probes() -> list[tuple]:
    shapes = [(5, 7, 3), (3, 2, 11), (7, 11, 2), (13, 3, 5)]
    return [(draw(d, seed=110 + d), draw(s, d, seed=120 + d), draw(s, v, seed=130 + d)) for d, s, v in shapes]


def edges() -> list[tuple]:
    lone_key = draw(2, seed=141), draw(1, 2, seed=142), draw(1, 3, seed=143)  # nothing to choose: the slope is 0
    shouting = 40 * draw(3, seed=144), 40 * draw(5, 3, seed=145), draw(5, 2, seed=146)
    return [two_features(), lone_key, shouting]


def space(pick) -> tuple:
    """Any arguments that the task allows."""
    D, S, Dv = pick.sizes(1, 1, 1)
    return pick.numbers(D, loud=300), pick.numbers(S, D), pick.numbers(S, Dv)


# edits that are used several times
SOFTMAX, ABOVE, PULLS, KEYS = "scores.softmax(dim=0)", "values - answer", "weights[:, None] * above", "pulls.T @ keys"

# fmt: off
MISTAKES = (
    Mistake("answer-not-subtracted", (ABOVE, "values"),
        "the answer is not subtracted from the values. This would be the slope if the sum of the exponentials, by "
        "which they are divided, stayed as it is; but that sum depends on the query, too.",
        "If all the values were equal, how much could the answer change with the query?"),
    Mistake("mean-subtracted", (ABOVE, "values - values.mean(0)"),
        "the plain mean of the values is subtracted. What counts is how far a value lies above the present answer "
        "{answer}.", "Which average of the values is the answer, the plain one or the weighted one?"),
    Mistake("keys-mean-subtracted", ((ABOVE, "values"), (KEYS, "pulls.T @ (keys - keys.mean(0))")),
        "the plain mean of the keys is subtracted. One may centre the keys instead of the values, but around their "
        "*weighted* mean. The weights are {weights}.", "With these weights, what is the average of the keys?"),
    Mistake("unweighted-covariance", ((PULLS, "above / len(keys)"), (KEYS, "pulls.T @ (keys - weights @ keys)")),
        "all keys count the same in the last average. The weights are {weights}.",
        "Should a key of hardly any weight move the answer as much as the best one?"),
    Mistake("sign", (ABOVE, "answer - values"),
        "the sign is the wrong way round. Yours is the direction in which the answer *falls*.",
        "Which way should the query move to raise the answer: towards a key whose value is above it, or below?"),
    Mistake("weights-missing", (PULLS, "above"),
        "the pulls are not weighted. Every key pulls with the same strength; the weights are {weights}.",
        "Should a key of hardly any weight move the answer as much as the best one?"),
    Mistake("uniform-weights", (SOFTMAX, "0 * scores + 1 / len(scores)"),
        "all keys have the same weight. The weights should be {weights}.", "Which line turns the scores into weights?"),
    Mistake("weights-squared", (PULLS, "(weights**2)[:, None] * above"),
        "the weights enter twice. Each term of the sum has one factor α_j.", "How often is α_j in the formula?"),
    Mistake("diagonal-only", (PULLS, "(weights * (1 - weights))[:, None] * values"),
        "only the diagonal α_j(1 − α_j) of the softmax's derivative is used. When a score grows, the *other* weights "
        "fall, and that moves the answer, too.", "What does key 3 gain in weight, and who pays for it?"),
    Mistake("softmax-jacobian-sign", (PULLS, "weights[:, None] * (values + answer)"),
        "the answer is added instead of subtracted. When a key's score grows, the others lose weight.",
        "Is the sign between v_j and o a plus or a minus?"),
    Mistake("scores-as-weights", (SOFTMAX, "scores"),
        "the scores are used as weights without a softmax. They are {scores} and do not sum to 1.",
        "What turns the scores into numbers that sum to 1?"),
    Mistake("not-normalised", (SOFTMAX, "scores.exp()"),
        "the exponentials are not divided by their sum. The weights should be {weights}.",
        "What do all the weights have to sum to?"),
    Mistake("scaled", ("keys @ query", "keys @ query / query.shape[0] ** 0.5"),
        "the scores are divided by √D. The time of that scale comes in chapter 5; here the scores are {scores}.",
        "Does the task ask for anything but the dot product?"),
    Mistake("query-instead-of-keys", (KEYS, "pulls.sum(0)[:, None] * query"),
        "the last factor is the query. A step towards key j raises score j by k_j: that is the last factor.",
        "The score is q · k_j. What is its derivative with respect to q?"),
    Mistake("transposed", (KEYS, "keys.T @ pulls"),
        "the matrix is transposed. Row d should belong to feature d of the answer, and each row have one number per "
        "entry of the query: (Dv, D).", "Which axis of the result counts the features of the answer?", two_features),
    Mistake("features-added", (KEYS, "pulls.sum(1) @ keys"),
        "the features of the values are added up. That is the gradient of their sum, one row (D,) in place of Dv rows.",
        "How many gradients has an answer with Dv features?", two_features),
    Mistake("keys-averaged", (KEYS, "pulls.T @ keys / len(keys)"),
        "a mean over the keys is taken instead of a sum. The weights have seen to the average already.",
        "The weights sum to 1. What would dividing by the number of keys do once more?"),
    Mistake("keys-not-summed", (KEYS, "pulls[:, :, None] * keys[:, None, :]"),
        "the terms are not added up. You return one matrix per key; the gradient is their sum.",
        "Over which axis should the sum run?"),
    Mistake("answer-returned", (KEYS, "answer"),
        "the function returns the answer of the look-up. The answer is right, and you are half-way there: the "
        "task asks for its slope.",
        "How does the answer change when the query moves a little?"),
    Mistake("jacobian-of-weights", (KEYS, "(weights[:, None] * (keys - weights @ keys))"),
        "the function returns the slopes of the *weights*. They are right, one row per key; the answer averages the "
        "values with the weights.", "If the weights change by these amounts, by how much does the average change?"),
    Mistake("no-gradient", (KEYS, "pulls.detach().T @ keys.detach()")),
    Mistake("changes-dtype", (KEYS, "pulls.float().T @ keys.float()")),
)

AUTOGRAD = {
    *("backward", "autograd", "requires_grad", "requires_grad_", "grad", "jacobian", "jacrev", "jacfwd"),
    *("func", "torch.func", "jvp", "vjp", "linearize", "forward_ad", "dual_level", "make_dual"),
}


def by_autograd(exercise, fn):
    """The numbers may be right, but PyTorch finds them."""
    if not (used := AUTOGRAD & names_used(fn)):
        return None
    return found("by-autograd", "found by PyTorch",
        "Your code mentions `{name}`: PyTorch differentiates the look-up for you. That is a good "
        "way to check a formula; the task is to write one.",
        "What is the derivative of α_j with respect to the query, and what does the sum over j make of it?",
        name=max(used, key=len))


EXERCISE = Exercise(
    name="lookup-gradient", title="The slope, predicted", chapter=1, solution=my_lookup_gradient,
    shapes={"query": "D", "keys": "S D", "values": "S Dv"}, returns="Dv D", example=example, probes=probes,
    edges=edges, mistakes=MISTAKES, bans=(by_autograd,), differentiable=("query", "keys", "values"),
    steps={"weights": "the weights", "answer": "the answer", "above": "how far each value lies above the answer"},
    space=space,
    hints=(
        "Which part of the formula changes when a value has Dv features instead of one, and which parts stay one "
        "number per key?",
        "Key j contributes α_j (v_j − o) k_j. With a vector v_j − o this becomes a column times a row: one (Dv, D) "
        "matrix per key, and the sum of them all.",
        "A sum of columns times rows is a matrix product: (Dv, S) times (S, D). What has the shape (S, Dv) before it "
        "is transposed?",
    ),
    why="Leaving out “− o” looks right because it is the derivative of the numerator. But the sum in the denominator "
        "moves as well: raise all scores alike, and no weight changes. What one key gains, the others pay; so with "
        "equal values the answer cannot move at all.",
)
