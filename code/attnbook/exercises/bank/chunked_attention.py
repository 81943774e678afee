"""Exercise chunked-attention: a table of scores within each chunk, a matrix for all that was before it."""

import torch

from ..exercise import Exercise, Mistake, draw, exact


def my_chunked_attention(query, key, value, chunk_size):
    """Causal linear attention without features and without division, chunk by chunk.

    query: (T, D), key: (T, D), value: (T, Dv), chunk_size: C → (T, Dv)
    """
    outputs = []
    states = [value.new_zeros(value.shape[1], key.shape[1])]  # (Dv, D)
    for start in range(0, len(key), chunk_size):
        part = slice(start, start + chunk_size)
        q, k, v = query[part], key[part], value[part]
        scores = (q @ k.T).tril()  # this chunk, up to each position
        inside = scores @ v
        before = q @ states[-1].T  # all chunks before this one
        outputs.append(inside + before)
        states.append(states[-1] + v.T @ k)
    return torch.cat(outputs)


def example() -> tuple:
    return exact([1, 1], [1, 0], [0, 1]), exact([1, 0], [0, 1], [0.6, 0.8]), exact([10], [20], [50]), 2


def five_positions() -> tuple:
    keys = exact([1, 0], [0, 1], [0.6, 0.8], [1, 0], [0, 1])
    return keys + 1, keys, exact([10], [20], [50], [10], [40]), 2


def probes() -> list[tuple]:
    shapes = (7, 3, 2, 4), (11, 2, 5, 4), (6, 5, 3, 2)
    return [
        (draw(t, d, seed=1031 + t), draw(t, d, seed=1041 + t), 1 + draw(t, v, seed=1051 + t), c)
        for t, d, v, c in shapes
    ]


def edges() -> list[tuple]:
    shapes = (1, 3, 2, 4), (5, 2, 3, 1), (3, 2, 5, 3), (3, 5, 2, 7), (5, 1, 2, 2)
    more = [
        (draw(t, d, seed=1061 + t), draw(t, d, seed=1071 + t), 1 + draw(t, v, seed=1081 + t), c)
        for t, d, v, c in shapes
    ]
    return [*more, five_positions()]


def space(pick) -> tuple:
    """Any arguments that the task allows."""
    T, D, Dv = pick.sizes(1, 1, 1)
    return pick.numbers(T, D), pick.numbers(T, D), pick.numbers(T, Dv), pick.of(1, 2, 3, 4, 9)


# edits that are used several times
SCORES, INSIDE, BEFORE = "(q @ k.T).tril()", "scores @ v", "q @ states[-1].T"
JOIN, WRITE, RESULT = "inside + before", "states[-1] + v.T @ k", "return torch.cat(outputs)"
PHI_Q, PHI_K = "(torch.nn.functional.elu(q) + 1)", "(torch.nn.functional.elu(k) + 1)"
FIRST = "In the example the first position sees only the first pair, and its answer is 10."
ORDER = "When the first position of a chunk reads the memory, which chunks should be in it?"

# fmt: off
MISTAKES = (
    Mistake("no-mask", (SCORES, "(q @ k.T)"),
        f"within a chunk every position sees every other. {FIRST} (Writing a whole chunk into the memory and reading "
        "it then comes to the same.)",
        "Within the first chunk, may position 1 see pair 2?"),
    Mistake("blind-to-itself", (SCORES, "(q @ k.T).tril(-1)"),
        "no position sees its own pair. The diagonal of the table belongs to the past.",
        "Which diagonal should `tril` keep?"),
    Mistake("mask-upside-down", (SCORES, "(q @ k.T).triu()"),
        f"each position sees itself and the *later* ones of its chunk. {FIRST}",
        "In a table of queries down and keys across, which triangle is the past?"),
    Mistake("nothing-before", (JOIN, "inside"),
        "each chunk stands alone: nothing comes over from the chunks before it. (The first chunk is right.)",
        "What does the first position of the second chunk know of the first chunk?"),
    Mistake("nothing-inside", (JOIN, "before"),
        "only the chunks before are read, and nothing of the chunk itself",
        "Where does the first position of the first chunk find its own pair?"),
    Mistake("written-too-early", (BEFORE, "q @ (states[-1] + v.T @ k).T"),
        "the memory is read after the chunk has been written into it. The chunk's pairs then count twice, and some of "
        "them are in the future.", ORDER),
    Mistake("memory-replaced", (WRITE, "v.T @ k"),
        "the memory is replaced by each chunk's, and the chunks before it are lost. The first two chunks are right.",
        "After the second chunk, what is left of the first in your memory?", example=five_positions),
    Mistake("one-chunk-late", (BEFORE, "q @ states[max(len(states) - 2, 0)].T"),
        "the memory that is read is one chunk too old", ORDER),
    Mistake("read-by-keys", ((SCORES, "(k @ k.T).tril()"), (BEFORE, "k @ states[-1].T")),
        "the memory is read with the keys, and the queries are not used", "Which vector asks?"),
    Mistake("before-read-by-keys", (BEFORE, "k @ states[-1].T"),
        "the chunks before are read with keys instead of queries", "Which vector asks?"),
    Mistake("inside-read-by-keys", (SCORES, "(k @ k.T).tril()"),
        "within a chunk keys are compared with keys, not queries with keys", "Which vector asks?"),
    Mistake("softmax-inside", (SCORES,
        "(q @ k.T).masked_fill(torch.ones(len(q), len(q)).triu(1) == 1, -torch.inf).softmax(1)"),
        "there is a softmax within the chunk. Then the two parts have different kernels and cannot be added.",
        "Which kernel does a matrix memory have?"),
    Mistake("averaged", (SCORES, "(q @ k.T).tril() / (q @ k.T).tril().sum(1, keepdim=True)"),
        "the scores of a chunk are divided by their sum. No division is asked for, and the sum would have to cover "
        "the chunks before, too.", "What would be the sum of the weights over *all* chunks so far?"),
    Mistake("divided", (RESULT, "return torch.cat(outputs) / (query @ key.T).tril().sum(1, keepdim=True)"),
        "the sums are divided by the sum of their weights. This task leaves the division out.",
        "What weights do the first two pairs get from the query (0, 1), and what do they add up to?"),
    Mistake("features", ((SCORES, f"({PHI_Q} @ {PHI_K}.T).tril()"), (BEFORE, f"{PHI_Q} @ states[-1].T"),
        (WRITE, f"states[-1] + v.T @ {PHI_K}")),
        "queries and keys go through elu(x) + 1. This task takes them as they are.",
        "What is the product of the query (1, 1) and the key (1, 0)?"),
    Mistake("scaled",
        ((SCORES, "(q @ k.T / k.shape[1] ** 0.5).tril()"), (BEFORE, "q @ states[-1].T / k.shape[1] ** 0.5")),
        "the scores are divided by √D. That belongs to the softmax.", "Is there a √D in S q?"),
    Mistake("inside-scaled", (SCORES, "(q @ k.T / k.shape[1] ** 0.5).tril()"),
        "the scores within a chunk are divided by √D, and those with the memory are not.", "Is there a √D in S q?"),
    Mistake("memory-averaged", (WRITE, "states[-1] + v.T @ k / len(k)"),
        "each chunk is divided by its length when it is written into the memory",
        "What is S after one chunk, as a sum over its pairs?"),
    Mistake("short-chunk-lost", (RESULT,
        "return torch.cat([*outputs[: len(key) // chunk_size], 0 * value[len(key) - len(key) % chunk_size :]])"),
        "the last chunk is left at zero when it is shorter than the others",
        "With 3 positions in chunks of 2, how many positions has the last chunk?"),
    Mistake("chunk-doubled", (JOIN, "inside + 2 * before"),
        "the chunks before count twice", ORDER),
    Mistake("transposed", (RESULT, "return torch.cat(outputs).T")),
    Mistake("no-gradient", (RESULT, "return torch.cat(outputs).detach()")),
)

EXERCISE = Exercise(
    name="chunked-attention", title="In chunks", chapter=16, solution=my_chunked_attention,
    shapes={"query": "T D", "key": "T D", "value": "T Dv", "chunk_size": "a number"}, returns="T Dv", example=example,
    probes=probes, edges=edges, mistakes=MISTAKES,
    steps={"scores": "the last chunk's scores", "inside": "what the last chunk sees of itself",
           "before": "what it sees of those before"},
    differentiable=("query", "key", "value"),
    space=space,
    hints=(
        "With 3 positions and chunks of 2, the third position is alone in its chunk. Where do the first two pairs "
        "reach it from?",
        "Each output is a sum of two parts: a causal table of scores within the chunk, and the query times the memory "
        "of all chunks before. The memory grows when the chunk is done.",
        "Slices may reach beyond the end, so the last chunk needs no special case. `tril` makes a table causal, and "
        "one product of (Dv, C) and (C, D) writes a whole chunk.",
    ),
    why="With one chunk, or with chunks of one position, many mistakes cannot be seen: then there is nothing "
        "before, or nothing to mask inside. And a model trained with a leak inside its chunks has a beautiful loss. "
        "Compare with the recurrent form, for a length that the chunk size does not divide.",
)
