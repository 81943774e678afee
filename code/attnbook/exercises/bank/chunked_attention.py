"""Exercise chunked-attention: chunks of a memory that fades, a table within each and a matrix for what was before."""

import torch

from ..arguments import draw, exact
from ..exercise import Exercise, Mistake


def my_chunked_attention(query, key, value, chunk_size, decay):
    """Causal linear attention in chunks, fading by `decay` at each step; no features and no division.

    query: (T, D), key: (T, D), value: (T, Dv), chunk_size: C, decay: a, 0 < a ≤ 1 → (T, Dv)
    """
    outputs = []
    states = [value.new_zeros(value.shape[1], key.shape[1])]  # (Dv, D)
    for start in range(0, len(key), chunk_size):
        part = slice(start, start + chunk_size)
        q, k, v = query[part], key[part], value[part]
        place = torch.arange(len(k), dtype=key.dtype, device=key.device)[:, None]
        apart = (place - place.T).clamp(min=0)  # how many steps ago
        scores = (decay**apart * (q @ k.T)).tril()  # this chunk, up to each position
        inside = scores @ v
        before = decay ** (place + 1) * (q @ states[-1].T)  # all chunks before this one
        outputs.append(inside + before)
        left = decay ** (len(k) - 1 - place)  # of each pair, at the chunk's last position
        states.append(decay ** len(k) * states[-1] + (left * v).T @ k)
    return torch.cat(outputs)


def example() -> tuple:
    return exact([1, 1], [1, 0], [1, 1]), exact([1, 0], [0, 1], [0.6, 0.8]), exact([10], [20], [50]), 2, 0.5


def five_positions() -> tuple:
    keys = exact([1, 0], [0, 1], [0.6, 0.8], [1, 0], [0, 1])
    return keys + 1, keys, exact([10], [20], [50], [10], [40]), 2, 0.5


def probes() -> list[tuple]:
    shapes = (7, 3, 2, 4, 0.75), (11, 2, 5, 4, 0.5), (6, 5, 3, 2, 0.875)
    return [
        (draw(t, d, seed=1031 + t), draw(t, d, seed=1041 + t), 1 + draw(t, v, seed=1051 + t), c, a)
        for t, d, v, c, a in shapes
    ]


def edges() -> list[tuple]:
    shapes = (1, 3, 2, 4, 0.5), (5, 2, 3, 1, 0.25), (3, 2, 5, 3, 1.0), (3, 5, 2, 7, 0.5), (5, 1, 2, 2, 1.0)
    more = [
        (draw(t, d, seed=1061 + t), draw(t, d, seed=1071 + t), 1 + draw(t, v, seed=1081 + t), c, a)
        for t, d, v, c, a in shapes
    ]
    return [*more, five_positions(), fading_fast()]


def space(pick) -> tuple:
    """Any arguments that the task allows."""
    T, D, Dv = pick.sizes(1, 1, 1)
    chunk_size, decay = pick.of(1, 2, 3, 4, 9), pick.of(0.5, 0.75, 1.0, 0.125)
    return pick.numbers(T, D), pick.numbers(T, D), pick.numbers(T, Dv), chunk_size, decay


def fading_fast() -> tuple:
    """A hundred positions and more, and 1/1024 at each step: a power of 1/decay overflows."""
    ones = torch.ones(113, 1, dtype=torch.float64)
    return ones, ones, ones, 4, 2**-10


def by_powers(query, key, value, chunk_size, decay):
    n = torch.arange(len(query), dtype=value.dtype)[:, None]
    return ((query * decay**n) @ (key * decay**-n).T).tril() @ value


# edits that are used several times
PLACED, SCORES, INSIDE = "decay**apart * (q @ k.T)", "(decay**apart * (q @ k.T)).tril()", "scores @ v"
BEFORE, READ = "decay ** (place + 1) * (q @ states[-1].T)", "q @ states[-1].T"
LEFT, WRITE = "decay ** (len(k) - 1 - place)", "decay ** len(k) * states[-1] + (left * v).T @ k"
JOIN, RESULT = "inside + before", "return torch.cat(outputs)"
UNFADED = (
    (SCORES, "(q @ k.T).tril()"), (BEFORE, READ), (WRITE, "states[-1] + v.T @ k"), (LEFT, "1")
)  # fmt: skip
FIRST = "In the example the first position sees only the first pair, and its answer is 10."
ORDER = "When the first position of a chunk reads the memory, which chunks should be in it?"
STEPS = "How many steps lie between the last position of a chunk and the first of the next?"
WHOLE = "at = torch.arange(len(key), dtype=key.dtype, device=key.device)[:, None]"
WHOLE += "\n    weights = (decay ** (at - at.T).clamp(min=0) * (query @ key.T)).tril()"

# fmt: off
MISTAKES = (
    Mistake("powers-overflow", by_powers,
        "a^(t − j) is made of a^t and 1/a^j, over the whole sequence. For long ones 1/a^j overflows: 0 · ∞ is NaN.",
        "How far apart are two positions of one chunk at most, and which powers do you need then?", fading_fast),
    Mistake("no-decay", UNFADED,
        "nothing fades: these are the page's chunks. Here a pair loses the factor a with each step.",
        "In the example, how much of the first pair is left for the third position?"),
    Mistake("inside-not-faded", (SCORES, "(q @ k.T).tril()"),
        "within a chunk nothing fades, and between chunks it does. A chunk's own pairs are of different ages, too.",
        "For the second position of a chunk, how old is the first?"),
    Mistake("memory-read-unfaded", (BEFORE, READ),
        "the memory is read as it was at the end of the chunk before. For each position of this chunk it has faded "
        "further.", STEPS),
    Mistake("read-one-step-early", (BEFORE, "decay ** place * (q @ states[-1].T)"),
        "the memory is read with one step too few of fading. For the first position of a chunk it has already faded "
        "once.", STEPS),
    Mistake("memory-never-fades", (WRITE, "states[-1] + (left * v).T @ k"),
        "the memory takes in a chunk's pairs, and what it held before does not fade meanwhile.",
        "By how much does a whole chunk of C steps fade what was there before it?", example=five_positions),
    Mistake("memory-fades-once", (WRITE, "decay * states[-1] + (left * v).T @ k"),
        "the memory fades by one step per chunk. A chunk is C steps long.",
        "By how much does a whole chunk of C steps fade what was there before it?", example=five_positions),
    Mistake("written-fresh", (WRITE, "decay ** len(k) * states[-1] + v.T @ k"),
        "all pairs of a chunk are written as if each were its last. The earlier ones have faded by then.",
        "At the end of a chunk of 2, how old is its first pair?"),
    Mistake("fades-the-wrong-way", (LEFT, "decay ** place"),
        "when a chunk is written, its last pair fades most and its first not at all.",
        "At the end of a chunk of 2, which of its pairs is the older one?"),
    Mistake("no-mask", (SCORES, "(decay**apart * (q @ k.T))"),
        f"within a chunk every position sees every other. {FIRST}",
        "Within the first chunk, may position 1 see pair 2?"),
    Mistake("blind-to-itself", (SCORES, "(decay**apart * (q @ k.T)).tril(-1)"),
        "no position sees its own pair. The diagonal of the table belongs to the past.",
        "Which diagonal should `tril` keep?"),
    Mistake("mask-upside-down", (SCORES, "(decay**apart.T * (q @ k.T)).triu()"),
        f"each position sees itself and the *later* ones of its chunk. {FIRST}",
        "In a table of queries down and keys across, which triangle is the past?"),
    Mistake("nothing-before", (JOIN, "inside"),
        "each chunk stands alone: nothing comes over from the chunks before it. (The first chunk is right.)",
        "What does the first position of the second chunk know of the first chunk?"),
    Mistake("nothing-inside", (JOIN, "before"),
        "only the chunks before are read, and nothing of the chunk itself",
        "Where does the first position of the first chunk find its own pair?"),
    Mistake("written-too-early", (BEFORE,
        "decay ** (place + 1) * (q @ (decay ** len(k) * states[-1] + (decay ** (len(k) - 1 - place) * v).T @ k).T)"),
        "the memory is read after the chunk has been written into it. The chunk's pairs then count twice, and some of "
        "them are in the future.", ORDER),
    Mistake("memory-replaced", (WRITE, "(left * v).T @ k"),
        "the memory is replaced by each chunk's, and the chunks before it are lost. The first two chunks are right.",
        "After the second chunk, what is left of the first in your memory?", example=five_positions),
    Mistake("one-chunk-late", (READ, "q @ states[max(len(states) - 2, 0)].T"),
        "the memory that is read is one chunk too old", ORDER),
    Mistake("read-by-keys", ((SCORES, "(decay**apart * (k @ k.T)).tril()"), (READ, "k @ states[-1].T")),
        "the memory is read with the keys, and the queries are not used", "Which vector asks?"),
    Mistake("softmax-inside", (SCORES,
        "(q @ k.T).masked_fill(torch.ones(len(q), len(q)).triu(1) == 1, -torch.inf).softmax(1)"),
        "there is a softmax within the chunk. Then the two parts have different kernels and cannot be added.",
        "Which kernel does a matrix memory have?"),
    Mistake("divided", (RESULT, WHOLE + "\n    return weights @ value / weights.sum(1, keepdim=True)"),
        "the sums are divided by the sum of their weights. This task leaves the division out.",
        "What weight does the second pair get from the query (1, 0)?"),
    Mistake("scaled", ((PLACED, "decay**apart * (q @ k.T / k.shape[1] ** 0.5)"),
        (READ, "q @ states[-1].T / k.shape[1] ** 0.5")),
        "the scores are divided by √D. That belongs to the softmax.", "Is there a √D in S q?"),
    Mistake("short-chunk-lost", (RESULT,
        "return torch.cat([*outputs[: len(key) // chunk_size], 0 * value[len(key) - len(key) % chunk_size :]])"),
        "the last chunk is left at zero when it is shorter than the others",
        "With 3 positions in chunks of 2, how many positions has the last chunk?"),
    Mistake("transposed", (RESULT, "return torch.cat(outputs).T")),
    Mistake("no-gradient", (RESULT, "return torch.cat(outputs).detach()")),
)

EXERCISE = Exercise(
    name="chunked-attention", title="In chunks", chapter=16, solution=my_chunked_attention,
    shapes={"query": "T D", "key": "T D", "value": "T Dv", "chunk_size": "a number", "decay": "a number"},
    returns="T Dv", example=example, probes=probes, edges=edges, mistakes=MISTAKES,
    steps={"scores": "the last chunk's faded scores", "inside": "what the last chunk sees of itself",
           "before": "what it sees of those before"},
    differentiable=("query", "key", "value"),
    space=space,
    hints=(
        "With 3 positions and chunks of 2, the third position is alone in its chunk. By what factor has the first "
        "pair faded for it, and by what the second?",
        "Fading happens in three places: in the table, by how far query and key are apart; when the memory is read, "
        "by how far the position is from the end of the chunk before; and when a chunk is written, for its pairs and "
        "for all that was in the memory.",
        "Check the three exponents at a border. The first position of a chunk is one step from the last of the chunk "
        "before, a chunk's last pair is written as it is, and what was there before fades by the whole chunk.",
    ),
    why="With one chunk, or with chunks of one position, many mistakes cannot be seen: then there is nothing "
        "before, or nothing to mask inside. And an exponent that is off by one trains quite well, until the layer "
        "writes step by step and answers otherwise. Compare with the recurrence, for a length that the "
        "chunk size does not divide.",
)
