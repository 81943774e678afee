"""Exercise additive-concat: a small network scores every pair of query and key."""

from __future__ import annotations

import math

import torch

from ..legacy import Exercise, Mistake, draw, exact, slip


def solution(query, key, W, w_v):
    """Score every pair by one hidden layer on the concatenation of query and key."""
    T, S = query.shape[1], key.shape[1]
    q = query[:, :, None, :].expand(-1, -1, S, -1)  # (B, T, 1, Dq) → (B, T, S, Dq)
    k = key[:, None, :, :].expand(-1, T, -1, -1)  # (B, 1, S, Dk) → (B, T, S, Dk)
    pairs = torch.cat([q, k], dim=-1)  # (B, T, S, Dq + Dk)
    hidden = torch.tanh(pairs @ W.T)  # (B, T, S, h)
    return hidden @ w_v  # (B, T, S)


def pairs_of(query, key):
    size = (query.shape[0], query.shape[1], key.shape[1], -1)
    return torch.cat([query[:, :, None].expand(size), key[:, None].expand(size)], -1)


def pipeline(
    query,
    key,
    W,
    w_v,
    pair=pairs_of,
    layer=lambda p, W: p @ W.T,
    act=torch.tanh,
    out=lambda h, v: h @ v,
    after=lambda e: e,
):
    """The same in named steps, so that a mistake is one step done wrongly."""
    return after(out(act(layer(pair(query, key), W)), w_v))


def _halves_apart(query, key, W, w_v):
    """tanh of each part, instead of tanh of their sum."""
    size = query.shape[-1]
    return (
        torch.tanh(query @ W[:, :size].T)[:, :, None]
        + torch.tanh(key @ W[:, size:].T)[:, None]
    ) @ w_v


def _parts(query, key, W, w_v, join):
    size = query.shape[-1]
    return (
        torch.tanh(
            join((query @ W[:, :size].T)[:, :, None], (key @ W[:, size:].T)[:, None])
        )
        @ w_v
    )


def _shuffled_pairs(query, key):
    """Both sides repeated as a whole, so that the pairs do not cover the table."""
    T, S = query.shape[1], key.shape[1]
    return torch.cat([query.repeat(1, S, 1), key.repeat(1, T, 1)], -1).reshape(
        query.shape[0], T, S, -1
    )


def _held_pairs(query, key):
    """Both sides repeated number by number."""
    T, S = query.shape[1], key.shape[1]
    pairs = torch.cat([query.repeat_interleave(S, 1), key.repeat_interleave(T, 1)], -1)
    return pairs.reshape(query.shape[0], T, S, -1)


def _pairs_key_first(query, key):
    """The right pairs, but counted key by key and then read as if query by query."""
    return (
        pairs_of(query, key)
        .transpose(1, 2)
        .reshape(query.shape[0], query.shape[1], key.shape[1], -1)
    )


def example() -> tuple:
    return (
        exact([[1], [2]]),
        exact([[0, 1], [1, 0], [1, 1]]),
        exact([1, 0, -1], [0, 1, 1]),
        exact(1, 2),
    )


def probes() -> list[tuple]:
    shapes = [(2, 5, 7, 3, 11, 13), (3, 2, 5, 7, 13, 11), (5, 3, 2, 1, 7, 11)]
    return [
        (
            draw(b, t, dq, seed=170 + t),
            draw(b, s, dk, seed=180 + t),
            draw(h, dq + dk, seed=190 + t),
            draw(h, seed=200 + t),
        )
        for b, t, s, dq, dk, h in shapes
    ]


def edges() -> list[tuple]:
    return [
        (
            draw(1, 1, 2, seed=211),
            draw(1, 3, 5, seed=212),
            draw(1, 7, seed=213),
            draw(1, seed=214),
        ),
        (
            draw(2, 3, 5, seed=215),
            draw(2, 1, 5, seed=216),
            draw(3, 10, seed=217),
            draw(3, seed=218),
        ),
    ]


def steps(query, key, W, w_v) -> list[tuple[str, object]]:
    pair = pairs_of(query, key)[0, 0, 0]
    return [
        ("the first pair [q; k]", pair),
        ("W times it", W @ pair),
        ("its tanh", torch.tanh(W @ pair)),
        ("the first score", torch.tanh(W @ pair) @ w_v),
        ("all scores", solution(query, key, W, w_v)),
    ]


WRONG = (
    Mistake(
        "no-tanh",
        slip(pipeline, act=lambda x: x),
        "the nonlinearity",
        "{seen}For the pair (1; 0, 1) W gives (0, 1) and w_v makes 0·1 + 1·2 = 2 of it. Without the tanh "
        "the score is a "
        "sum of one number for the query and one for the key: every query would rank the keys in the same "
        "order.",
        "the tanh is missing",
        "What stands between the two layers of a network with one hidden layer?",
    ),
    Mistake(
        "relu",
        slip(pipeline, act=torch.relu),
        "the nonlinearity",
        "{seen}Negative numbers are cut off at 0 and positive ones stay as they are: relu(2) = 2, where "
        "tanh(2) = 0.964.",
        "relu stands where tanh should",
        "Which nonlinearity does the formula name?",
    ),
    Mistake(
        "sigmoid",
        slip(pipeline, act=torch.sigmoid),
        "the nonlinearity",
        "{seen}At 0 your hidden layer gives 0.5, where tanh(0) = 0.",
        "a sigmoid stands where tanh should",
        "Which nonlinearity does the formula name?",
    ),
    Mistake(
        "tanh-last",
        lambda query, key, W, w_v: torch.tanh(
            pipeline(query, key, W, w_v, act=lambda x: x)
        ),
        "the order of the layers",
        "{seen}The pair (1; 0, 1) gives tanh(2) = 0.964 in yours. All your scores lie between −1 and 1, "
        "and the two layers before the "
        "tanh could be replaced by one.",
        "the tanh comes last, after w_v",
        "Which comes first: squashing the h hidden numbers, or adding them up?",
    ),
    Mistake(
        "tanh-twice",
        slip(pipeline, after=torch.tanh),
        "one tanh too many",
        "{seen}The hidden layer is right, but a further tanh squeezes the scores between −1 and 1.",
        "a tanh is applied to the scores as well",
        "May a score be 2?",
    ),
    Mistake(
        "tanh-before-w",
        slip(pipeline, pair=lambda q, k: pairs_of(q, k).tanh(), act=lambda x: x),
        "the order of the layers",
        "{seen}The features themselves go through the tanh, before W mixes them.",
        "the tanh is applied before W",
        "In w_v · tanh(W [q; k]), what stands inside the brackets of the tanh?",
    ),
    Mistake(
        "tanh-of-each",
        _halves_apart,
        "the sum inside",
        "{seen}For the pair (1; 0, 1) the parts of W [q; k] are (1, 0) from the query and (−1, 1) from the "
        "key. "
        "tanh(1) + tanh(−1) and tanh(1 − 1) agree by luck; for (2; 0, 1) they are 0.964 − 0.762 = 0.202 "
        "and tanh(1) = 0.762.",
        "query and key go through the tanh one by one",
        "Is tanh(a + b) the same as tanh(a) + tanh(b)? Where does the formula put the sum?",
    ),
    Mistake(
        "w-v-inside",
        lambda query, key, W, w_v: torch.tanh((pairs_of(query, key) @ W.T) * w_v).sum(
            -1
        ),
        "the order of the layers",
        "{seen}For the pair (1; 0, 1) W gives (0, 1). You multiply by w_v = (1, 2) first and take the tanh "
        "of (0, 2): "
        "0.964 in all. Right is 1·tanh(0) + 2·tanh(1) = 1.523.",
        "w_v comes before the tanh",
        "In w_v · tanh(W [q; k]), which stands outside the brackets?",
    ),
    Mistake(
        "key-first",
        slip(pipeline, pair=lambda q, k: pairs_of(k, q).transpose(1, 2)),
        "the order in the pair",
        "{seen}The first pair should read (1; 0, 1), query before key; yours reads (0, 1; 1). "
        "The columns of W are made for the other order.",
        "the concatenation is [k; q]",
        "The first Dq columns of W belong to which of the two?",
    ),
    Mistake(
        "hidden-summed",
        slip(pipeline, out=lambda h, v: h.sum(-1)),
        "the second layer",
        "{seen}The hidden numbers are added up as if w_v were (1, 1); it is (1, 2).",
        "w_v has no part in it",
        "How does each of the h hidden numbers get its own weight?",
    ),
    Mistake(
        "hidden-mean",
        slip(pipeline, out=lambda h, v: (h * v).mean(-1)),
        "sum or mean",
        "{seen}It should be twice as much. The products with w_v are averaged over h = 2 hidden numbers.",
        "the mean over the hidden numbers is taken instead of their sum",
        "Is a dot product a sum or a mean?",
    ),
    Mistake(
        "hidden-returned",
        slip(pipeline, out=lambda h, v: h * v),
        "one number for each pair",
        "With {given} your result has one axis too many: the products of the hidden numbers with w_v, h = "
        "2 for each pair, are not added up.",
        "the products with w_v are not summed",
        "The score of a pair is one number. Which axis must go?",
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
        "scaled",
        slip(pipeline, after=lambda e: e, out=lambda h, v: h @ v / math.sqrt(len(v))),
        "a scale that does not belong",
        "{seen}Every score is divided by 1.414, the root of h = 2.",
        "the scores are divided by √h",
        "Which score has a root in it? Does this one?",
    ),
    Mistake(
        "query-only",
        slip(pipeline, pair=lambda q, k: pairs_of(q, 0 * k)),
        "the key has no say",
        "{seen}In every row of yours all numbers are equal: the key makes no difference.",
        "only the query's columns of W are used",
        "Which columns of W belong to the key?",
    ),
    Mistake(
        "key-only",
        slip(pipeline, pair=lambda q, k: pairs_of(0 * q, k)),
        "the query has no say",
        "{seen}All rows of yours are equal: whatever is asked, the scores are the same.",
        "only the key's columns of W are used",
        "Which columns of W belong to the query?",
    ),
    Mistake(
        "pairs-shuffled",
        slip(pipeline, pair=_shuffled_pairs),
        "who meets whom",
        "{seen}Both lists are repeated as a whole: q1 q2 q1 q2 q1 q2 beside k1 k2 k3 k1 k2 k3. "
        "In a table row 1 holds q1 q1 q1 beside k1 k2 k3.",
        "query and key are both repeated with `repeat`",
        "Each query must stay while all keys pass by. Which of the two must be repeated number by number, "
        "or given an axis of size 1?",
    ),
    Mistake(
        "pairs-both-held",
        slip(pipeline, pair=_held_pairs),
        "who meets whom",
        "{seen}Both lists are repeated number by number: q1 q1 q1 q2 q2 q2 beside k1 k1 k2 k2 k3 k3. "
        "In a table row 1 holds q1 q1 q1 beside k1 k2 k3.",
        "query and key are both repeated with `repeat_interleave`",
        "Each query must stay while all keys pass by. Which of the two must be repeated as a whole, or "
        "given an "
        "axis of size 1?",
    ),
    Mistake(
        "pairs-key-first",
        slip(pipeline, pair=_pairs_key_first),
        "who meets whom",
        "{seen}The numbers are all there, but in other places: the pairs are counted key by key, and then "
        "read as a (T, S) table.",
        "the pairs are laid out as (S, T) and then reshaped, not transposed, to (T, S)",
        "`reshape` keeps the order in memory. What changes the order of two axes?",
    ),
    Mistake(
        "parts-multiplied",
        lambda query, key, W, w_v: _parts(query, key, W, w_v, lambda q, k: q * k),
        "sum or product",
        "{seen}You multiply the query's part of W [q; k] with the key's part. A row of W times [q; k] is a "
        "*sum*: the query's columns and the key's columns both add to it.",
        "the two parts of W [q; k] are multiplied",
        "What is (1, 0, −1) times (1, 0, 1), and which part of it comes from the query?",
    ),
    Mistake(
        "parts-subtracted",
        lambda query, key, W, w_v: _parts(query, key, W, w_v, lambda q, k: q - k),
        "the sign",
        "{seen}You subtract the key's part of W [q; k] from the query's part; both add to it.",
        "the two parts of W [q; k] are subtracted",
        "What is (1, 0, −1) times (1, 0, 1), and which part of it comes from the key?",
    ),
    Mistake(
        "not-expanded",
        lambda query, key, W, w_v: (
            torch.tanh(torch.cat([query[:, :, None], key[:, None]], -1) @ W.T) @ w_v
        ),
        "cat does not broadcast",
        "With {given} {line} raises {error}. The axes of size 1 are in the right places, (B, T, 1, Dq) and "
        "(B, 1, S, Dk), but `torch.cat` does not stretch them as `+` would.",
        "the query and the key are joined before they are stretched to the table's size",
        "Which method of a tensor stretches an axis of size 1 without copying?",
        line=r"cat|stack",
    ),
    Mistake(
        "pairs-in-step",
        lambda query, key, W, w_v: torch.tanh(torch.cat([query, key], -1) @ W.T) @ w_v,
        "every query meets every key",
        "With {given} {line} raises {error}. Two queries and three keys make six pairs; side by side, "
        "query 1 would only meet key 1.",
        "query and key are concatenated as they come",
        "What shape has a table of all pairs, and which axis must the query get for it, and which one the "
        "key?",
        line=r"cat|stack",
    ),
    Mistake(
        "w-not-transposed",
        lambda query, key, W, w_v: torch.tanh(pairs_of(query, key) @ W) @ w_v,
        "rows and columns of W",
        "With {given} {line} raises {error}. The pairs have Dq + Dk = 3 features in their last axis; W has "
        "the shape (h, Dq + Dk) = (2, 3).",
        "W is not transposed",
        "Over which axis of W does the sum run?",
        line=r"@|matmul|linear",
    ),
    Mistake(
        "transposed",
        lambda query, key, W, w_v: solution(query, key, W, w_v).transpose(1, 2),
    ),
    Mistake(
        "changes-dtype",
        lambda query, key, W, w_v: torch.stack(
            [
                torch.stack(
                    [
                        torch.stack(
                            [torch.tanh(W @ torch.cat([q, k])) @ w_v for k in ks]
                        )
                        for q in qs
                    ]
                )
                for qs, ks in zip(query, key, strict=True)
            ]
        ).float(),
    ),
)

ADDITIVE_CONCAT = Exercise(
    name="additive-concat",
    title="A network on the pair",
    chapter=5,
    function="my_concat_scores",
    statement="""\
Score every pair of a query and a key by a network with one hidden layer, applied to the concatenation
of the two (query first):

$$e_{ij} = \\mathbf w_v^\\top \\tanh\\bigl(\\mathbf W\\, [\\mathbf q_i; \\mathbf k_j]\\bigr).$$

Query and key may have different sizes. With $\\mathbf q = (1)$, $\\mathbf k = (0, 1)$, $\\mathbf W =
\\begin{pmatrix}1&0&-1\\\\0&1&1\\end{pmatrix}$ and
$\\mathbf w_v = (1, 2)$ the hidden layer is $\\tanh(0, 1) = (0, 0.762)$ and the score $1.523$.""",
    stub='''\
def my_concat_scores(query, key, W, w_v):
    """Score every pair by one hidden layer on the concatenation of query and key.

    query: (B, T, Dq), key: (B, S, Dk), W: (h, Dq + Dk), w_v: (h,) → (B, T, S)
    """
    ...
''',
    hints=(
        "Every query meets every key: the pairs form a table (B, T, S, Dq + Dk). Give the query an axis of "
        "size 1 where the keys are counted, and the key one where the queries are.",
        "`query[:, :, None, :].expand(-1, -1, S, -1)` has the shape (B, T, S, Dq). Do the same for the "
        "key, join them with `torch.cat(..., dim=-1)`, and only then apply W.",
        "Another way needs no table of pairs: W [q; k] is W_q q + W_k k with `W_q = W[:, :Dq]` and `W_k = "
        "W[:, Dq:]`. "
        "Add (B, T, 1, h) and (B, 1, S, h), take the tanh of the sum, and the dot product with w_v.",
    ),
    solution=solution,
    why="Leaving the tanh out keeps every shape, trains, and even gives sensible-looking weights. But the "
    "score is then a(q) + b(k), and a(q) is the same for a whole row: "
    "the softmax cancels it, and every query gets the same weights. The nonlinearity is what lets query "
    "and key meet at all.",
    shapes={"query": "B T Dq", "key": "B S Dk", "W": "h Dq+Dk", "w_v": "h"},
    returns="B T S",
    example=example,
    probes=probes,
    edges=edges,
    steps=steps,
    wrong=WRONG,
    differentiable=("query", "key", "W", "w_v"),
)
