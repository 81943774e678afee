"""Exercise additive-concat: a small network scores every pair of query and key."""

import torch

from ..arguments import draw, exact
from ..exercise import Exercise, Mistake


def my_concat_scores(query, key, W, w_v):
    """Score every pair by one hidden layer on the concatenation of query and key.

    query: (B, T, Dq), key: (B, S, Dk), W: (h, Dq + Dk), w_v: (h,) → (B, T, S)
    """
    T, S = query.shape[1], key.shape[1]
    q = query[:, :, None, :].expand(-1, -1, S, -1)  # (B, T, S, Dq)
    k = key[:, None, :, :].expand(-1, T, -1, -1)  # (B, T, S, Dk)
    pairs = torch.cat([q, k], dim=-1)  # (B, T, S, Dq + Dk)
    mixed = pairs @ W.T  # (B, T, S, h)
    hidden = torch.tanh(mixed)
    return hidden @ w_v  # (B, T, S)


def example() -> tuple:
    query, key = exact([[1], [2]]), exact([[0, 1], [1, 0], [1, 1]])
    return query, key, exact([1, 0, -1], [0, 1, 1]), exact(1, 2)


def _drawn(b: int, t: int, s: int, dq: int, dk: int, h: int, *seeds: int) -> tuple:
    shapes = (b, t, dq), (b, s, dk), (h, dq + dk), (h,)
    return tuple(draw(*shape, seed=n) for shape, n in zip(shapes, seeds, strict=True))


def probes() -> list[tuple]:
    shapes = [(2, 5, 7, 3, 11, 13), (3, 2, 5, 7, 13, 11), (5, 3, 2, 1, 7, 11)]
    return [_drawn(*s, *(tens + s[1] for tens in (170, 180, 190, 200))) for s in shapes]


def edges() -> list[tuple]:
    return [_drawn(1, 1, 3, 2, 5, 1, 211, 212, 213, 214), _drawn(2, 3, 1, 5, 5, 3, 215, 216, 217, 218)]


def space(pick) -> tuple:
    """Any arguments that the task allows."""
    B, T, S, Dq, Dk, h = pick.sizes(1, 1, 1, 1, 1, 1)
    return pick.numbers(B, T, Dq), pick.numbers(B, S, Dk), pick.numbers(h, Dq + Dk, most=1), pick.numbers(h)


# edits that are used several times
PAIRS, MIX, TANH, OUT = ("torch.cat([q, k], dim=-1)", "pairs @ W.T", "torch.tanh(mixed)", "hidden @ w_v")
OF_QUERY, OF_KEY = "(q @ W[:, : q.shape[-1]].T)", "(k @ W[:, q.shape[-1] :].T)"
TABLE = ".reshape(len(query), T, S, -1)"
FORMULA = "Which nonlinearity does the formula name?"
ORDER = "In w_v · tanh(W [q; k]), what is inside the brackets of the tanh, and what outside?"

# fmt: off
MISTAKES = (
    Mistake("no-tanh", (TANH, "mixed"),
        "the tanh is missing. The score is then a sum of one number for the query and one for the key: every query "
        "would rank the keys in the same order.",
        "What is there between the two layers of a network with one hidden layer?"),
    Mistake("relu", (TANH, "torch.relu(mixed)"),
        "relu is used instead of tanh. The relu cuts negative numbers off at 0, and leaves positive ones as they are.",
        FORMULA),
    Mistake("sigmoid", (TANH, "torch.sigmoid(mixed)"),
        "a sigmoid is used instead of tanh. At 0 your hidden layer gives 1/2, where tanh(0) = 0.", FORMULA),
    Mistake("tanh-last", ((TANH, "mixed"), (OUT, "torch.tanh(hidden @ w_v)")),
        "the tanh comes last, after w_v. All your scores are between −1 and 1, and the two layers before the tanh "
        "could be replaced by one.", "Which comes first: squashing the h hidden numbers, or adding them up?"),
    Mistake("tanh-twice", (OUT, "torch.tanh(hidden @ w_v)"),
        "a tanh is applied to the scores as well. The hidden layer is right, but this further tanh squeezes the "
        "scores between −1 and 1.", "May a score be 2?"),
    Mistake("tanh-before-w", ((MIX, "pairs.tanh() @ W.T"), (TANH, "mixed")),
        "the tanh is applied before W. The features themselves go through the tanh, and W mixes them afterwards.",
        ORDER),
    Mistake("tanh-of-each", ((MIX, f"torch.tanh{OF_QUERY} + torch.tanh{OF_KEY}"), (TANH, "mixed")),
        "query and key go through the tanh one by one. W [q; k] is a sum of a part from the query and a part from "
        "the key, and the tanh should be taken of the sum.",
        "Is tanh(a + b) the same as tanh(a) + tanh(b)? Where does the formula have the sum?"),
    Mistake("w-v-inside", ((MIX, "pairs @ W.T * w_v"), (OUT, "hidden.sum(-1)")),
        "w_v comes before the tanh. You multiply W [q; k] by w_v first, and add up the tanh of the products.", ORDER),
    Mistake("key-first", (PAIRS, "torch.cat([k, q], dim=-1)"),
        "the concatenation is [k; q]. The columns of W are made for the other order, query before key.",
        "The first Dq columns of W belong to which of the two?"),
    Mistake("hidden-summed", (OUT, "hidden.sum(-1)"),
        "w_v has no effect. The hidden numbers are added up as if w_v were (1, 1); it is (1, 2).",
        "How does each of the h hidden numbers get its own weight?"),
    Mistake("hidden-mean", (OUT, "(hidden * w_v).mean(-1)"),
        "the mean over the hidden numbers is taken instead of their sum. The products with w_v are divided by h.",
        "Is a dot product a sum or a mean?"),
    Mistake("hidden-returned", (OUT, "hidden * w_v"),
        "the products with w_v are not summed. Your result has one axis too many: h numbers for each pair.",
        "The score of a pair is one number. Which axis must go?"),
    Mistake("softmax-applied", (OUT, "(hidden @ w_v).softmax(-1)"),
        "the softmax is applied as well. Your rows sum to 1: these are the weights already.",
        "Are scores asked for, or weights?"),
    Mistake("scaled", (OUT, "hidden @ w_v / len(w_v) ** 0.5"),
        "the scores are divided by √h. This score has no scale.", "Which score has a root in it? Does this one?"),
    Mistake("query-only", (PAIRS, "torch.cat([q, 0 * k], dim=-1)"),
        "only the query's columns of W are used. In each of your rows all numbers are equal: the key makes no "
        "difference.", "Which columns of W belong to the key?"),
    Mistake("key-only", (PAIRS, "torch.cat([0 * q, k], dim=-1)"),
        "only the key's columns of W are used. All your rows are equal: whatever the query is, the scores are the "
        "same.", "Which columns of W belong to the query?"),
    Mistake("pairs-shuffled", (PAIRS, f"torch.cat([query.repeat(1, S, 1), key.repeat(1, T, 1)], -1){TABLE}"),
        "query and key are both repeated with `repeat`. You pair q1 q2 q1 q2 q1 q2 with k1 k2 k3 k1 k2 k3. In a "
        "table, row 1 pairs q1 q1 q1 with k1 k2 k3.",
        "Each query must stay while all keys pass by. Which of the two is repeated row by row, or given an axis of "
        "size 1?"),
    Mistake("pairs-both-held",
        (PAIRS, f"torch.cat([query.repeat_interleave(S, 1), key.repeat_interleave(T, 1)], -1){TABLE}"),
        "query and key are both repeated with `repeat_interleave`. You pair q1 q1 q1 q2 q2 q2 with k1 k1 k2 k2 k3 "
        "k3. In a table, row 1 pairs q1 q1 q1 with k1 k2 k3.",
        "Each query must stay while all keys pass by. Which of the two is repeated as a whole, or given an axis of "
        "size 1?"),
    Mistake("pairs-key-first", (PAIRS, f"{PAIRS}.transpose(1, 2){TABLE}"),
        "the pairs are laid out as (S, T) and then reshaped, not transposed, to (T, S). The pairs are all there, but "
        "in the wrong places.", "`reshape` keeps the order in memory. What changes the order of two axes?"),
    Mistake("parts-multiplied", (MIX, f"{OF_QUERY} * {OF_KEY}"),
        "the two parts of W [q; k] are multiplied. A row of W times [q; k] is a *sum* over the columns of both.",
        "What is (1, 0, −1) times (1, 0, 1), and which part of it comes from the query?"),
    Mistake("parts-subtracted", (MIX, f"{OF_QUERY} - {OF_KEY}"),
        "the key's part of W [q; k] is subtracted from the query's. Both parts should be added.",
        "What is (1, 0, −1) times (1, 0, 1), and which part of it comes from the key?"),
    Mistake("not-expanded", (PAIRS, "torch.cat([query[:, :, None], key[:, None]], dim=-1)"),
        "query and key are joined before they are expanded to the size of the table. The axes of size 1 are in the "
        "right places, (B, T, 1, Dq) and (B, 1, S, Dk), but `torch.cat` does not broadcast.",
        "Which method of a tensor expands an axis of size 1 without copying?", line="cat|stack"),
    Mistake("pairs-in-step", (PAIRS, "torch.cat([query, key], dim=-1)"),
        "query and key are concatenated as they come. Two queries and three keys make six pairs; yours meet one by "
        "one.",
        "What shape does a table of all pairs have? Which axis must the query get for it, and which one the key?",
        line="cat|stack"),
    Mistake("w-not-transposed", (MIX, "pairs @ W"),
        "W is not transposed. The last axis of the pairs counts their Dq + Dk features; W has the shape (h, Dq + Dk).",
        "Over which axis of W does the sum run?", line="@|matmul|linear"),
    Mistake("transposed", (OUT, "(hidden @ w_v).mT")),
    Mistake("changes-dtype", (OUT, "(hidden @ w_v).float()")),
)

EXERCISE = Exercise(
    name="additive-concat", title="A network on the pair", chapter=5, solution=my_concat_scores,
    shapes={"query": "B T Dq", "key": "B S Dk", "W": "h Dq+Dk", "w_v": "h"}, returns="B T S", example=example,
    probes=probes, edges=edges, mistakes=MISTAKES, steps={"mixed": "W times each pair", "hidden": "the tanh of it"},
    differentiable=("query", "key", "W", "w_v"),
    space=space,
    hints=(
        "How many pairs do T queries and S keys make, and what shape does a table of them all have?",
        "Give the query an axis of size 1 where the keys are counted, and the key one where the queries are. Either "
        "`expand` both and join them with `torch.cat`, or see what the columns of W do to each part.",
        "Without a table of pairs: the first Dq columns of W belong to the query, the others to the key, and W [q; k] "
        "is the sum of two parts. Which two shapes broadcast to (B, T, S, h)? Two steps are left after that. (With one "
        "hidden unit at a time, what you hold is (B, T, S).)",
    ),
    why="Leaving the tanh out keeps every shape, trains, and even gives sensible-looking weights. But the score is "
        "then a(q) + b(k), and a(q) is the same for a whole row: the softmax cancels it, and every query gets the same "
        "weights. It is the nonlinearity that lets query and key meet at all.",
)
