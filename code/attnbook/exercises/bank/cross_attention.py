"""Exercise cross-attention: one sequence asks, another answers."""

import torch

from ..arguments import draw, exact
from ..case import fit, make_case
from ..exercise import Exercise, Mistake
from ..language import say
from ..recognise import does_as, tell
from ..verdict import found
from ..weights import odd_weights
from ..wording import number, values


def my_cross_attention(x, memory, W_q, W_k, W_v, memory_lens):
    """Ask with x; answer from the first memory_lens[b] positions of the memory.

    x: (B, T, D), memory: (B, S, D), W_q, W_k, W_v: (D, D) each
    memory_lens: (B,) integers from 1 to S
    → (B, T, D)
    """
    query = x @ W_q.T  # (B, T, D)
    key = memory @ W_k.T  # (B, S, D)
    value = memory @ W_v.T  # (B, S, D)
    scores = query @ key.mT  # (B, T, S)
    scaled = scores / x.shape[-1] ** 0.5
    position = torch.arange(key.shape[1], device=key.device)  # (S,)
    lengths = memory_lens[:, None, None]  # (B, 1, 1)
    real = position < lengths  # (B, 1, S)
    filled = scaled.masked_fill(~real, -torch.inf)
    weights = filled.softmax(dim=-1)  # (B, T, S), every row sums to 1
    return weights @ value  # (B, T, D)


MEMORY = exact([[1, 0], [0, 1], [3, 3]])
MATRICES = exact([2, 1], [0, 1]), exact([0, 1], [-1, 1]), exact([2, 0], [1, 3])


def example() -> tuple:
    return exact([[1, 0]]), MEMORY, *MATRICES, torch.tensor([2])


def two_questions() -> tuple:
    return exact([[1, 0], [-1, 0]]), MEMORY, *MATRICES, torch.tensor([2])


def loud() -> tuple:
    """The scores of the first sentence lie in the thousands, the largest at the padding."""
    memory = exact([[0, 1], [1, 2], [3, 3]], [[0, 1], [1, 2], [3, 3]])
    return exact([[1000, 0]], [[1, 0]]), memory, *MATRICES, torch.tensor([2, 2])


def low() -> tuple:
    return loud()[0] * exact([[-1]], [[1]]), *loud()[1:]


def nothing_padded() -> tuple:
    return exact([[1, 0], [-1, 0]]), MEMORY, *MATRICES, torch.tensor([3])


def two_sentences() -> tuple:
    memory = exact([[1, 0], [0, 1]], [[0, 1], [1, 0]])
    return exact([[1, 0]], [[1, 0]]), memory, *MATRICES, torch.tensor([1, 2])


def three_questions() -> tuple:
    x, memory = exact([[1], [2], [3]], [[1], [2], [3]]), exact([[1], [2]], [[2], [1]])
    return x, memory, *[exact([1])] * 3, torch.tensor([1, 2])


# fmt: off
def probes() -> list[tuple]:
    sizes = (2, 5, 7, 3, (3, 5)), (3, 2, 11, 5, (4, 9, 2)), (5, 7, 3, 2, (2, 1, 2, 1, 2))
    return [
        (draw(b, t, d, seed=400 + t), draw(b, s, d, seed=410 + t),
         *(draw(d, d, seed=420 + 10 * i + d) for i in range(3)), torch.tensor(lengths))
        for b, t, s, d, lengths in sizes
    ]


def edges() -> list[tuple]:
    one, several, full = torch.tensor([1]), torch.tensor([1, 5, 3]), torch.tensor([3, 2])
    return [
        (*(draw(1, n, 5, seed=451) for n in (1, 1)), *(draw(5, 5, seed=452 + i) for i in range(3)), one),
        (*(draw(3, n, 1, seed=455) for n in (2, 5)), *(draw(1, 1, seed=456 + i) for i in range(3)), several),
        (*(draw(2, 3, 5, seed=460 + i) for i in (1, 2)), *(draw(5, 5, seed=463 + i) for i in range(3)), full),
        loud(), low(),
    ]


def space(pick) -> tuple:
    """Any arguments that the task allows."""
    B, T, S, D = pick.sizes(1, 1, 1, 1)
    matrices = (pick.numbers(D, D) for _ in "qkv")
    return pick.numbers(B, T, D, loud=300), pick.numbers(B, S, D), *matrices, pick.lengths(B, S, least=1)


# edits that are used several times
FROM_MEMORY = ("query = x", "query = memory")
KEY, VALUE = ("key = memory", "key = x"), ("value = memory", "value = x")
MASK_OF_MEMORY = ("key.shape[1]", "memory.shape[1]")
Q, K, V = "W_q.T", "W_k.T", "W_v.T"
ROOT, SCALE = "x.shape[-1] ** 0.5", "scores / x.shape[-1] ** 0.5"
REAL, LENGTHS = "position < lengths", "memory_lens[:, None, None]"
FILL, SOFTMAX, OUT = "scaled.masked_fill(~real, -torch.inf)", "filled.softmax(dim=-1)", "weights @ value"
BY_ALL = "(lambda e: e / e.sum(-1, keepdim=True))((filled - scaled.amax(-1, keepdim=True)).exp())"
PRODUCT = r"@|matmul|bmm|einsum"
ROLES = "Which of query, key and value belong to the sequence that asks, and which to the one that answers?"
AXIS = "A linear layer keeps its weight as (outputs, inputs). Which axis of {} must meet the features?"
SHAPE = "Which shape must the lengths have to match scores of shape (B, T, S) along B?"
ZERO = "For which score is exp(score) zero?"

MISTAKES = (
    Mistake("W_q-not-transposed", (Q, "W_q"),
        "W_q is applied as `x @ W_q`. The query should be {query}.", AXIS.format("W_q")),
    Mistake("W_v-not-transposed", (V, "W_v"),
        "W_v is applied as `memory @ W_v`. The values should be {value}.", AXIS.format("W_v")),
    Mistake("W_k-not-transposed", (K, "W_k"),
        "W_k is applied as `memory @ W_k`. The keys should be {key}.", AXIS.format("W_k")),
    Mistake("self-attention", (KEY, VALUE),
        "keys and values are made from x (self-attention). What the memory holds makes no difference.", ROLES),
    Mistake("keys-from-x", KEY,
        "the keys are made from x. The weights have the shape (B, T, T), and values of shape (B, S, D) do not fit.",
        "Which sequence offers the keys: the one that asks, or the one that answers?", line=PRODUCT),
    Mistake("self-attention-masked", (KEY, VALUE, MASK_OF_MEMORY),
        "keys and values are made from x (self-attention). A mask for the memory's S positions does not fit.", ROLES,
        two_questions, line="mask|where|fill|\\+|@|matmul|bmm"),
    Mistake("roles-exchanged", (FROM_MEMORY, KEY, VALUE),
        "x and the memory have changed places", "Which of the two asks, and which answers?"),
    Mistake("values-from-x", VALUE,
        "the values are made from x. The weights have the shape (B, T, S), and values of shape (B, T, D) do not fit.",
        "Weight j belongs to key j. Which value belongs to it?", line=PRODUCT),
    Mistake("weights-in-front", ("x @ W_q.T", "W_q @ x"),
        "the matrices are multiplied from the left, `W @ x`. That is for a vector in a column.",
        "If y = W x for one vector in a column, what is it for a table with a vector in every row?", line=PRODUCT),
    Mistake("weights-not-transposed", ((Q, "W_q"), (K, "W_k"), (V, "W_v")),
        "all three matrices are applied as `x @ W` instead of `x @ W.T`. The query should be {query}.",
        AXIS.format("W")),
    Mistake("keys-averaged", (OUT, "weights @ key"),
        "the weights are applied to the keys instead of the values", "What are keys for, and what are values for?"),
    Mistake("not-scaled", (SCALE, "scores"),
        "the scores are not divided by √D. They are {scores} and should be {scaled}.",
        "What happens to the variance of a dot product as the number of features grows?"),
    Mistake("scaled-by-keys", (SCALE, "scores / key.shape[1] ** 0.5"),
        "the scores are divided by √S, the root of the number of keys", "Over which axis does a dot product sum?"),
    Mistake("scaled-by-features", (SCALE, "scores / x.shape[-1]"),
        "the scores are divided by D instead of √D", "If the variance is D, what is the standard deviation?"),
    Mistake("not-masked", (FILL, "scaled"),
        "`memory_lens` has no effect. The padding answers, too.",
        "Which of the S scores of a query must not reach the softmax? (Was a masked copy returned, but not assigned?)"),
    Mistake("inverted", (FILL, "scaled.masked_fill(real, -torch.inf)"),
        "the mask is the wrong way round: only the padding answers",
        "`masked_fill` fills where its mask is True. Is that where you keep, or where you hide?"),
    Mistake("one-too-many", (REAL, "position <= lengths"),
        "the position `memory_lens` is kept too (`<=`). It is padding.", "Positions count from 0: is 2 < 2?"),
    Mistake("first-length-only", (LENGTHS, "memory_lens[:1, None, None]"),
        "`memory_lens[0]` is used for the whole batch", SHAPE, two_sentences),
    Mistake("longest-length", (LENGTHS, "memory_lens.max()"),
        "the largest of the lengths is used for the whole batch", SHAPE, two_sentences),
    Mistake("padding-zeroed", ((FILL, "scaled * real"), (OUT, "weights @ (value * real.mT)")),
        "the padded positions of the memory are set to 0. Their scores are then 0, and exp(0) = 1.", ZERO),
    Mistake("zero-fill", (FILL, "scaled * real"),
        "the masked scores are set to 0 instead of −∞. exp(0) = 1: the padding still takes part of the weight.", ZERO),
    Mistake("mask-after-softmax", ((FILL, "scaled"), (SOFTMAX, f"{SOFTMAX} * real")),
        "the mask is applied after the softmax. What is left does not sum to 1.",
        "What would a score have to be for exp(score) to be zero *before* the sum is taken?"),
    Mistake("softmax-over-queries", (SOFTMAX, "filled.softmax(dim=1)"),
        "the softmax runs over the queries (dim=1). In your weights the *columns* sum to 1.",
        "Which axis of (B, T, S) counts the keys?", nothing_padded),
    Mistake("one-maximum", (SOFTMAX, "(lambda e: e / e.sum(-1, keepdim=True))((filled - filled.max()).exp())"),
        "one maximum is subtracted for the whole batch. Far below it all exponentials of a row are 0, and 0/0 is NaN; "
        "where all scores are moderate you are right.", "Whose maximum should be subtracted from the scores of a row?",
        loud,
        also=((SOFTMAX, "(lambda e: e / e.sum(-1, keepdim=True))((filled - scaled.max()).exp())"),)),
    Mistake("exp-overflows", (SOFTMAX, "filled.exp() / filled.exp().sum(-1, keepdim=True)"),
        "the exponentials are taken of the scores as they are. With moderate scores you are right; but exp(1000) is "
        "∞, and ∞/∞ is NaN.", "Which number may be subtracted from all scores of a query without changing its weights?",
        loud),
    Mistake("shifted-by-the-padding", (SOFTMAX, BY_ALL),
        "the padding has its part in the softmax (or in the shift before it), and the weights are rescaled in the end. "
        "Beside a far larger score every real exponential may be 0, and 0/0 is NaN.",
        "What would a score have to be for the padding to take nothing in the first place?", loud),
    Mistake("filled-too-high", (FILL, "scaled.masked_fill(~real, -100.0)"),
        "the masked scores get a number that others can fall below. The padding then takes all the weight.",
        "Which number lies below every score?", low, also=((FILL, "scaled.masked_fill(~real, -1e3)"),)),
    Mistake("weights-returned", (OUT, "weights"),
        "the weights are returned", "What is done with the weights (B, T, S) and the values (B, S, D)?"),
    Mistake("key-not-transposed", ("key.mT", "key"),
        "the keys are not transposed. The product would sum over D and S.",
        "The sum must run over the features of both. Which two axes of the keys must be exchanged?", line=PRODUCT),
    Mistake("wrong-lengths-axis", (LENGTHS, "memory_lens[:, None]"),
        "the mask has no axis for the queries. Its shape is (B, S), and its B meets T.",
        "Which shape must (B, S) become, so that one row serves all queries of a sentence?",
        three_questions, line="mask|where|fill|\\+|&"),
)


def over_queries(exercise, fn, cases):
    """A softmax over the queries gives NaN where a key is hidden from all: ask with nothing hidden."""
    mistake = next(m for m in exercise.mistakes if m.name == "softmax-over-queries")
    *others, lengths = cases[1].arguments
    whole = make_case(exercise, fn, (*others, torch.full_like(lengths, others[1].shape[1])))
    return tell(exercise, mistake, fn, cases) if does_as(exercise.mistaken(mistake), [whole]) else None


def own_weights(exercise, fn, cases):
    """Describe the weights that a query's answer is made with."""
    identity = torch.eye(3, dtype=torch.float64)
    W_q, W_k = exact([1, 0, 0], [0, 1, 0], [0, 0, 2]), exact([1, 2, 0], [0, 1, 1], [0, 0, -1])
    given = exact([[1, 0, 1]]), identity[None], W_q, W_k, identity
    whole, padded = (make_case(exercise, fn, (*given, torch.tensor([length]))) for length in (3, 2))
    if not fit([whole, padded]):
        return None
    setting = say("With an identity for the memory and for W_v the output is the weights themselves.")
    got = padded.got[0, 0].detach()
    if whole.right() and got[2] != 0 and torch.isfinite(got).all():
        return found("padding-answers", "the padding keeps some weight",
            "{setting} For 2 real positions of 3 yours are {got}; they should be {right}. The padding gets {share}.",
            "For which score is exp(score) exactly zero, however small the others are?", setting=setting,
            got=values(got, 5), right=values(padded.expected[0, 0]), share=number(float(got[2]), 5))
    where = say("{setting} For 3 real positions of 3", setting=setting)
    return odd_weights(whole.got[0, 0], whole.expected[0, 0], where)


EXERCISE = Exercise(
    name="cross-attention", title="Across two lengths", chapter=6, solution=my_cross_attention,
    shapes={"x": "B T D", "memory": "B S D"} | dict.fromkeys(("W_q", "W_k", "W_v"), "D D") | {"memory_lens": "B"},
    returns="B T D", example=example, probes=probes, edges=edges, mistakes=MISTAKES,
    steps={"query": "the queries", "key": "the keys", "value": "the values", "scaled": "the scaled scores",
        "weights": "the weights"},
    detectors=(over_queries,), describers=(own_weights,), differentiable=("x", "memory", "W_q", "W_k", "W_v"),
    space=space,
    hints=(
        "Write the shapes of query, key and value first. Two of them have S positions. Which two, and why must both be "
        "made from the memory?",
        "The scores are (B, T, S): a row for each position of x, a column for each of the memory. The lengths count "
        "columns. With a mask of shape (B, 1, S) every query of sentence b is masked in the same way.",
        "Each projection is a product with a transposed matrix. In the example the scaled scores are (0, 1.414, …): "
        "which number in the place of the dots makes the third weight exactly 0?",
    ),
    why="As long as x and the memory are equally long, keys from x run as well as keys from the memory, and a mask "
        "with one length for both looks natural. And with square matrices `x @ W` runs where `x @ W.T` is meant; in "
        "training it goes unnoticed, since the matrix learns its own transpose. It shows when weights are copied.",
)
