"""Exercise bahdanau-step: the decoder's previous state asks, the encoder's states answer."""

from __future__ import annotations

from ..legacy import Exercise
from .bahdanau_step_mistakes import WRONG
from .bahdanau_step_parts import (
    PARTS,
    edges,
    example,
    over_the_batch,
    own_weights,
    padding_heard,
    probes,
    solution,
    steps,
)

BAHDANAU_STEP = Exercise(
    name="bahdanau-step",
    title="One step of Bahdanau's attention",
    chapter=12,
    function="my_bahdanau_step",
    statement="""\
The decoder is about to write word $t'$. Let the state from *before* this step ask, and the encoder's states
answer. `state` $(L, B, D)$ is the GRU's hidden state after word $t' - 1$, a slice for each of its $L$ layers;
the query is that of the top layer, which is the last. `memory` $(B, S, D_k)$ holds the encoder's states, keys
and values in one; of sentence $b$ the first `lens[b]` are real, at least one. Score additively,

$$e_{bj} = \\mathbf w_v^\\top \\tanh(\\mathbf W_q \\mathbf s_b + \\mathbf W_k \\mathbf h_{bj}),$$

make weights of the scores (none for the padding), and average the states themselves. Return the pair (context
$(B, D_k)$, weights $(B, S)$).""",
    stub='''\
def my_bahdanau_step(state, memory, lens, W_q, W_k, w_v):
    """Ask with the top layer's previous state; return the context and the weights behind it.

    state: (L, B, D), memory: (B, S, Dk), lens: (B,) integers from 1 to S,
    W_q: (h, D), W_k: (h, Dk), w_v: (h,) → ((B, Dk), (B, S))
    """
    ...
''',
    hints=(
        "Write the shapes first. The query is one vector a sentence, (B, D); W_q makes (B, h) of it. The keys are "
        "(B, S, h). How must the query be shaped so that it is added to *every* key of its own sentence?",
        "tanh comes after the sum and before w_v; w_v turns the h numbers of each pair into one score, "
        "(B, S). Fill the "
        "padding's scores with −∞ before the softmax, which runs over the S source words.",
        "`query[:, None] + keys` is (B, S, h), and `@ w_v` makes (B, S) of it. The context averages `memory` itself: "
        "`weights[:, None] @ memory` is (B, 1, Dk), and an axis has to go.",
    ),
    solution=solution,
    why="With a single layer top and bottom are the same, and `state[0]` is right. Whether the previous state asks or "
    "the current one, and whether the states or their projections are averaged, a model learns to live with: "
    "it trains, and only the comparison with the published numbers is lost. Attention to the padding is worse than it "
    "looks, since a sentence is then translated differently beside a longer one.",
    shapes={
        "state": "L B D",
        "memory": "B S Dk",
        "lens": "B",
        "W_q": "h D",
        "W_k": "h Dk",
        "w_v": "h",
    },
    returns="B Dk+S",
    example=example,
    probes=probes,
    edges=edges,
    steps=steps,
    wrong=WRONG,
    detectors=(over_the_batch,),
    describers=(padding_heard, own_weights, PARTS.which_part),
    demands=(PARTS.flows,),
    read=PARTS.read,
    kind=PARTS.kind,
)
