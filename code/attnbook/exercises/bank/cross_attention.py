"""Exercise cross-attention: one sequence asks, another answers."""

from __future__ import annotations

from ..legacy import Exercise
from .cross_attention_mistakes import WRONG
from .cross_attention_steps import edges, example, probes, solution, steps
from .cross_attention_weights import over_queries, own_weights

CROSS_ATTENTION = Exercise(
    name="cross-attention",
    title="Across two lengths",
    chapter=6,
    function="my_cross_attention",
    statement="""\
One head of cross-attention: `x` $(B, T, D)$ asks and `memory` $(B, S, D)$ answers. Of memory $b$ the first
`memory_lens[b]` positions are real, at least one; the others are padding and must not answer. Each matrix is
$(D, D)$ and is applied as a linear layer applies its weight, `x @ W.T`. Scale the scores by $\\sqrt D$; there
is no $\\mathbf W^O$:

$$\\operatorname{softmax}\\!\\Bigl(\\frac{(\\mathbf X \\mathbf W_q^\\top)(\\mathbf M \\mathbf W_k^\\top)^\\top}
{\\sqrt D}\\Bigr)\\,\\mathbf M \\mathbf W_v^\\top .$$

Return the output $(B, T, D)$.""",
    stub='''\
def my_cross_attention(x, memory, W_q, W_k, W_v, memory_lens):
    """Ask with x; answer from the first memory_lens[b] positions of the memory.

    x: (B, T, D), memory: (B, S, D), W_q, W_k, W_v: (D, D) each
    memory_lens: (B,) integers from 1 to S
    → (B, T, D)
    """
    ...
''',
    hints=(
        "Write the shapes of query, key and value first. Two of them have S positions. Which two, and why "
        "must it be the same two that share the memory?",
        "The scores are (B, T, S): a row for each position of x, a column for each of the memory. The "
        "lengths count columns. With `real` of shape (B, 1, S) every query of sentence b gets the same mask.",
        "`query, key, value = x @ W_q.T, memory @ W_k.T, memory @ W_v.T`; divide by "
        "`math.sqrt(x.shape[-1])`; fill the scores with `-torch.inf` where `torch.arange(S)` is not below "
        "`memory_lens[:, None, None]`; softmax over the last axis.",
    ),
    solution=solution,
    why="As long as x and the memory are equally long, keys from x run as well as keys from the memory, and "
    "a mask with one length for both looks natural: a class with a single `seq_len` cannot tell. And with "
    "square matrices `x @ W` runs where `x @ W.T` is meant; in training nobody notices, since the matrix "
    "simply learns its own transpose. It shows when weights are copied.",
    shapes={
        "x": "B T D",
        "memory": "B S D",
        "W_q": "D D",
        "W_k": "D D",
        "W_v": "D D",
        "memory_lens": "B",
    },
    returns="B T D",
    example=example,
    probes=probes,
    edges=edges,
    steps=steps,
    wrong=WRONG,
    detectors=(over_queries,),
    describers=(own_weights,),
    differentiable=("x", "memory", "W_q", "W_k", "W_v"),
)
