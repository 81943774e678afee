"""Exercise key-value-cache: go on where the last call stopped, at the right position."""

from __future__ import annotations

from ..legacy import Exercise
from .key_value_cache_mistakes import WRONG
from .key_value_cache_parts import PARTS, edges, example, probes, solution, steps

KEY_VALUE_CACHE = Exercise(
    name="key-value-cache",
    title="Continue from the cache",
    chapter=14,
    function="my_cached_attention",
    statement="""\
Causal self-attention with rotary positions, a few words at a time. The cache holds the keys and values of the
$t$ words read so far (none at first: $t$ may be 0); its keys have been turned to their positions already. Now
$T$ more words arrive, often just one: `q`, `k` and `v` are theirs, not turned yet. `rotate(x, positions)` turns
`x` $(\\dots, T, D_h)$, row by row, to the $T$ whole numbers in `positions`.

Turn what has to be turned, append to the cache, and let each new word attend to all words up to itself, with
scores divided by $\\sqrt{D_h}$. Return (output $(B, H, T, D_h)$, keys, values), both $(B, H, t + T, D_h)$ and
ready for the next call. The tensors that you are given must stay as they are.""",
    stub='''\
def my_cached_attention(q, k, v, past_keys, past_values, rotate):
    """Attend from T new words to the t cached ones and to each other, and return the longer cache.

    q, k, v: (B, H, T, Dh), past_keys (turned already), past_values: (B, H, t, Dh),
    rotate: function (x, positions) → x turned → ((B, H, T, Dh), (B, H, t+T, Dh), (B, H, t+T, Dh))
    """
    ...
''',
    hints=(
        "Where do the new words stand? If the cache holds t of them, the first new one is number t, counted from 0. "
        "Which of the six tensors have to be turned, and which have been already?",
        "`torch.cat` along the axis of the positions makes the longer cache, turned keys behind turned "
        "keys, and values "
        "behind values. The scores are then (B, H, T, t + T), and new word i may see the columns up to t + i.",
        "`new = torch.arange(t, t + T, device=k.device)` serves twice: as the positions in `rotate(q, new)` and "
        "`rotate(k, new)`, and in the mask, where `new[:, None]` is compared with the numbers of all t + T columns.",
    ),
    solution=solution,
    why="A new word that believes to stand at position 0 still sees all others, the shapes fit, and the text goes on; "
    "it "
    "only becomes stranger with every word, since distances are wrong. In a model with learned positions the same "
    "mistake is as quiet. Turning the cached keys once more at every step is right for the first call, when nothing is "
    "cached, and for no other. The only sure test is the one that the chapter makes: the same text once with the cache "
    "and once without it.",
    shapes={
        "q": "B H T Dh",
        "k": "B H T Dh",
        "v": "B H T Dh",
        "past_keys": "B H t Dh",
        "past_values": "B H t Dh",
        "rotate": "a function",
    },
    returns="B H T+2(t+T) Dh",
    example=example,
    probes=probes,
    edges=edges,
    steps=steps,
    wrong=WRONG,
    describers=(PARTS.which_part,),
    demands=(PARTS.flows,),
    read=PARTS.read,
    kind=PARTS.kind,
)
