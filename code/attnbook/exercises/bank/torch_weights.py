"""Exercise torch-weights: the same attention as a layer of PyTorch."""

from __future__ import annotations

import math

import torch
from torch import nn

from ..legacy import Exercise, Mistake, draw, exact
from .torch_weights_blocks import read_blocks
from .torch_weights_layers import answers, layer_demands, layer_kind, worth_a_remark


def solution(W_q, W_k, W_v, W_o, num_heads):
    """Copy four weights into PyTorch's layer: three stacked, one for the output."""
    layer = torch.nn.MultiheadAttention(
        len(W_q), num_heads, bias=False, batch_first=True
    ).to(W_q)
    with torch.no_grad():
        layer.in_proj_weight.copy_(
            torch.cat([W_q, W_k, W_v])
        )  # (3D, D): query, key, value from above
        layer.out_proj.weight.copy_(W_o)  # (D, D)
    return layer


def _layer(in_proj, W_o, num_heads, **options) -> nn.MultiheadAttention:
    options = {"bias": False, "batch_first": True, **options}
    layer = nn.MultiheadAttention(len(W_o), num_heads, dtype=torch.float64, **options)
    with torch.no_grad():
        layer.in_proj_weight.copy_(in_proj)
        layer.out_proj.weight.copy_(W_o)
    return layer


def _empty(W_o, num_heads) -> nn.MultiheadAttention:
    return nn.MultiheadAttention(
        len(W_o), num_heads, bias=False, batch_first=True, dtype=torch.float64
    )


def example() -> tuple:
    return (
        exact([1, 2], [1, 0]),
        exact([0, 1], [2, 0]),
        exact([1, 0], [3, 2]),
        exact([1, 1], [0, 1]),
        2,
    )


def one_wide_head() -> tuple:
    return *example()[:4], 1


def probes() -> list[tuple]:
    return [
        (*(1.5 * d**-0.5 * draw(d, d, seed=480 + 10 * i + h) for i in range(4)), h)
        for d, h in [(6, 2), (15, 3), (35, 5), (21, 7)]
    ]


def edges() -> list[tuple]:
    return [
        (*(draw(n, n, seed=530 + i) for i in range(4)), h)
        for n, h in [(3, 1), (3, 3), (1, 1)]
    ]


def steps(W_q, W_k, W_v, W_o, num_heads) -> list[tuple[str, object]]:
    return [("in_proj_weight", torch.cat([W_q, W_k, W_v])), ("out_proj.weight", W_o)]


ASKED = (
    "Asked with the query (1, 0) about the keys and values (1, 0) and (0, 1), your layer answers {got} in "
    "the small example; right is {expected}. "
)


def _order(name: str, order: str, seen: str) -> Mistake:
    def stacked(W_q, W_k, W_v, W_o, num_heads):
        blocks = {"q": W_q, "k": W_k, "v": W_v}
        return _layer(torch.cat([blocks[letter] for letter in order]), W_o, num_heads)

    listed = ", ".join(f"W_{letter}" for letter in order)
    return Mistake(
        name,
        stacked,
        "the order of the three",
        f"{ASKED}Your in_proj_weight holds, from above, {listed}. {seen}",
        f"the three weights are stacked in the order {listed}",
        "In which order does `layer(query, key, value)` name its arguments, and does `in_proj_weight` "
        "follow it?",
    )


def _interleaved(W_q, W_k, W_v, W_o, num_heads):
    return _layer(torch.stack([W_q, W_k, W_v], 1).reshape(-1, len(W_q)), W_o, num_heads)


def _head_by_head(W_q, W_k, W_v, W_o, num_heads):
    heads = [W.chunk(num_heads) for W in (W_q, W_k, W_v)]
    return _layer(
        torch.cat([W for head in zip(*heads, strict=True) for W in head]),
        W_o,
        num_heads,
    )


def _assigned(W_q, W_k, W_v, W_o, num_heads):
    _empty(W_o, num_heads).in_proj_weight = torch.cat([W_q, W_k, W_v])


def _output_assigned(W_q, W_k, W_v, W_o, num_heads):
    _empty(W_o, num_heads).out_proj.weight = W_o


def _output_layer_assigned(W_q, W_k, W_v, W_o, num_heads):
    _empty(W_o, num_heads).out_proj = W_o


def _written_with_gradient(W_q, W_k, W_v, W_o, num_heads):
    _empty(W_o, num_heads).in_proj_weight.copy_(torch.cat([W_q, W_k, W_v]))


def _sliced_with_gradient(W_q, W_k, W_v, W_o, num_heads):
    _empty(W_o, num_heads).in_proj_weight[: len(W_q)] = W_q


def _separate_projections(W_q, W_k, W_v, W_o, num_heads):
    with torch.no_grad():
        _empty(W_o, num_heads).q_proj_weight.copy_(W_q)


def _separate_data(W_q, W_k, W_v, W_o, num_heads):
    _empty(W_o, num_heads).q_proj_weight.data = W_q


def _arguments_exchanged(W_q, W_k, W_v, W_o, num_heads):
    layer = nn.MultiheadAttention(
        num_heads, len(W_q), bias=False, batch_first=True, dtype=torch.float64
    )
    with torch.no_grad():
        layer.in_proj_weight.copy_(torch.cat([W_q, W_k, W_v]))
        layer.out_proj.weight.copy_(W_o)
    return layer


def _loaded_without_bias(W_q, W_k, W_v, W_o, num_heads):
    layer = nn.MultiheadAttention(len(W_q), num_heads, batch_first=True)
    layer.load_state_dict(
        {"in_proj_weight": torch.cat([W_q, W_k, W_v]), "out_proj.weight": W_o}
    )


def _side_by_side(W_q, W_k, W_v, W_o, num_heads):
    layer = solution(W_q, W_k, W_v, W_o, num_heads)
    layer.in_proj_weight = nn.Parameter(torch.cat([W_q, W_k, W_v], 1))
    return layer


def _part_random(W_q, W_k, W_v, W_o, num_heads, output):
    layer, fresh = solution(W_q, W_k, W_v, W_o, num_heads), _empty(W_o, num_heads)
    if output:
        layer.out_proj = fresh.out_proj
    else:
        layer.in_proj_weight = fresh.in_proj_weight
    return layer


def _other_names(W_q, W_k, W_v, W_o, num_heads):
    layer = _part_random(W_q, W_k, W_v, W_o, num_heads, output=False)
    layer.q_proj_weight, layer.k_proj_weight, layer.v_proj_weight = map(
        nn.Parameter, (W_q, W_k, W_v)
    )
    return layer


def _mixed(W_q, W_k, W_v, W_o, num_heads):
    layer = solution(W_q, W_k, W_v, W_o, num_heads)
    layer.out_proj.float()
    return layer


WRONG = (
    _order(
        "order-q-v-k",
        "qvk",
        "What should be the value of (1, 0), W_v times it = (1, 3), is taken for its key.",
    ),
    _order(
        "order-k-q-v",
        "kqv",
        "The query (1, 0) is multiplied by W_k and becomes (0, 2) instead of (1, 1).",
    ),
    _order(
        "order-v-k-q",
        "vkq",
        "The query (1, 0) is multiplied by W_v and becomes (1, 3) instead of (1, 1).",
    ),
    _order(
        "order-k-v-q",
        "kvq",
        "The value of (1, 0) is W_q times it in yours, (1, 1) instead of (1, 3).",
    ),
    _order(
        "order-v-q-k",
        "vqk",
        "The value of (1, 0) is W_k times it in yours, (0, 2) instead of (1, 3).",
    ),
    Mistake(
        "inputs-transposed",
        lambda W_q, W_k, W_v, W_o, num_heads: _layer(
            torch.cat([W_q.T, W_k.T, W_v.T]), W_o, num_heads
        ),
        "the other way round",
        f"{ASKED}Your in_proj_weight holds W_qᵀ, W_kᵀ and W_vᵀ: the query (1, 0) becomes the first *row* of "
        "W_q, (1, 2), instead of its first column, (1, 1). PyTorch applies its weights as `x @ W.T`, too.",
        "W_q, W_k and W_v are transposed",
        "The weights you are given and PyTorch's are both laid out as (outputs, inputs). Is there anything "
        "to turn?",
    ),
    Mistake(
        "output-transposed",
        lambda W_q, W_k, W_v, W_o, num_heads: _layer(
            torch.cat([W_q, W_k, W_v]), W_o.T, num_heads
        ),
        "the other way round",
        f"{ASKED}Your out_proj.weight is W_oᵀ: its first row is (1, 0) where W_o has (1, 1). PyTorch applies "
        "its weights as `x @ W.T`, too.",
        "W_o is transposed",
        "The weights you are given and PyTorch's are both laid out as (outputs, inputs). Is there anything "
        "to turn?",
    ),
    Mistake(
        "all-transposed",
        lambda W_q, W_k, W_v, W_o, num_heads: _layer(
            torch.cat([W_q.T, W_k.T, W_v.T]), W_o.T, num_heads
        ),
        "the other way round",
        f"{ASKED}All four weights are transposed in your layer: the query (1, 0) becomes the first *row* of "
        "W_q, (1, 2), instead of its first column, (1, 1). PyTorch applies its weights as `x @ W.T`, too.",
        "all four weights are transposed",
        "The weights you are given and PyTorch's are both laid out as (outputs, inputs). Is there anything "
        "to turn?",
    ),
    Mistake(
        "rows-interleaved",
        _interleaved,
        "rows in turn",
        f"{ASKED}Your in_proj_weight takes a row of W_q, one of W_k, one of W_v, then the second row of "
        "W_q, and so on: from above (1, 2), (0, 1), (1, 0), … PyTorch takes its first D = 2 rows for the "
        "queries.",
        "the rows of the three weights alternate (stacked along a new axis and reshaped, or laid side by "
        "side and reshaped)",
        "All of W_q must come before anything of W_k. Which function puts tables one under the other?",
    ),
    Mistake(
        "head-by-head",
        _head_by_head,
        "head by head",
        "With 4 features and 2 heads your in_proj_weight holds, from above, 2 rows of W_q, 2 of W_k, 2 of "
        "W_v (all of head 1), and then the other 2 of W_q. Some models keep their weights like this. "
        "PyTorch takes its first D = 4 rows for the queries of all heads.",
        "the weights are stacked head by head",
        "Which comes first in `in_proj_weight`: the next head's queries, or this head's keys?",
    ),
    Mistake(
        "the-same-three-times",
        lambda W_q, W_k, W_v, W_o, num_heads: _layer(
            torch.cat([W_q, W_q, W_q]), W_o, num_heads
        ),
        "one weight for all",
        f"{ASKED}Your in_proj_weight holds W_q three times: key and value of (1, 0) are (1, 1) as well.",
        "W_q stands in for all three",
        "What should stand in the rows D to 2D of `in_proj_weight`?",
    ),
    Mistake(
        "output-left-out",
        lambda W_q, W_k, W_v, W_o, num_heads: _layer(
            torch.cat([W_q, W_k, W_v]), torch.eye(len(W_q), dtype=W_q.dtype), num_heads
        ),
        "the output map",
        f"{ASKED}Yours are the heads side by side, and right so far; but out_proj.weight is the identity, "
        "so that W_o has no effect.",
        "out_proj.weight is set to the identity",
        "What mixes the heads, and where does PyTorch keep it?",
    ),
    Mistake(
        "values-mixed-twice",
        lambda W_q, W_k, W_v, W_o, num_heads: _layer(
            torch.cat([W_q, W_k, W_v]), W_v, num_heads
        ),
        "the output map",
        f"{ASKED}Your out_proj.weight holds W_v, whose place is the last third of in_proj_weight.",
        "W_v is put into out_proj.weight",
        "Which of the four weights acts *after* the attention?",
    ),
    Mistake(
        "scaled-before",
        lambda W_q, W_k, W_v, W_o, num_heads: _layer(
            torch.cat([W_q / math.sqrt(len(W_q) // num_heads), W_k, W_v]),
            W_o,
            num_heads,
        ),
        "scaled twice",
        "With 2 features and 1 head your W_q is divided by √2 = 1.414 on its way into the layer, and the "
        "layer divides the scores by √2 once more.",
        "W_q is divided by the root of the heads' size",
        "Who divides by √Dh: whoever fills the layer, or the layer itself?",
        example=one_wide_head,
    ),
    Mistake(
        "tensor-assigned",
        _assigned,
        "a tensor is no parameter",
        "In the small example {line} raises {error}. A layer keeps its weights as `nn.Parameter`, and in "
        "that place takes nothing else. For `in_proj_weight` it has set 3·D rows aside: 6 in the small "
        "example.",
        "a plain tensor is assigned to `in_proj_weight`",
        "Can the numbers be copied into the parameter that is there already (or be wrapped in a new one)?",
        line=r"in_proj_weight",
    ),
    Mistake(
        "tensor-assigned-to-output",
        _output_assigned,
        "a tensor is no parameter",
        "In the small example {line} raises {error}. A layer keeps its weights as `nn.Parameter`, and in "
        "that place takes nothing else.",
        "a plain tensor is assigned to `out_proj.weight`",
        "Can the numbers be copied into the parameter that is there already (or be wrapped in a new one)?",
        line=r"out_proj",
    ),
    Mistake(
        "tensor-instead-of-a-layer",
        _output_layer_assigned,
        "a tensor is no layer",
        "In the small example {line} raises {error}. `out_proj` is a whole linear layer; its weight, (2, 2) in the "
        "small example, is `out_proj.weight`.",
        "a tensor is assigned to `out_proj` itself",
        "Where inside `out_proj` are its numbers?",
        line=r"out_proj",
    ),
    Mistake(
        "copied-with-gradient",
        _written_with_gradient,
        "autograd is watching",
        "In the small example {line} raises {error}. Writing into a parameter while autograd is watching is "
        "not allowed: the old numbers might still be needed for a gradient.",
        "a weight is overwritten in place outside `torch.no_grad()`",
        "How does one tell torch that a step is not part of any computation to be differentiated?",
        line=r"\w",
    ),
    Mistake(
        "sliced-with-gradient",
        _sliced_with_gradient,
        "autograd is watching",
        "In the small example {line} raises {error}. Writing into a slice of a parameter while autograd is "
        "watching is not allowed.",
        "a slice of a weight is overwritten outside `torch.no_grad()`",
        "How does one tell torch that a step is not part of any computation to be differentiated?",
        line=r"\w",
    ),
    Mistake(
        "no-separate-projections",
        _separate_projections,
        "one weight for three",
        "In the small example {line} raises {error}. `q_proj_weight`, `k_proj_weight` and `v_proj_weight` "
        "are None here: the layer uses them only if keys or values have a size of their own. Otherwise it "
        "keeps all three in one `in_proj_weight` of 3·D rows, 6 in the small example.",
        "`q_proj_weight` is filled, which is None",
        "What does `[name for name, _ in layer.named_parameters()]` show?",
        line=r"_proj_weight",
    ),
    Mistake(
        "separate-projections-assigned",
        _separate_data,
        "one weight for three",
        "In the small example {line} raises {error}. `q_proj_weight` is None here, and None has no numbers: "
        "the layer keeps all three weights in one `in_proj_weight` of 3·D rows, 6 in the small example.",
        "the numbers of `q_proj_weight` are assigned, which is None",
        "What does `[name for name, _ in layer.named_parameters()]` show?",
        line=r"_proj_weight",
    ),
    Mistake(
        "state-does-not-fit",
        _loaded_without_bias,
        "names that do not fit",
        "In the small example {line} raises {error} what it is to load has other names or shapes than the layer. "
        "Without biases a layer has two entries, in_proj_weight (6, 2) and out_proj.weight (2, 2) in the small "
        "example; with biases, which is its default, it has two more.",
        "the dictionary has not the names or the shapes that the layer has",
        "What does `layer.state_dict().keys()` show before you load anything?",
        line=r"load_state_dict",
    ),
    Mistake(
        "arguments-exchanged",
        _arguments_exchanged,
        "how large, how many?",
        "With 6 features and 2 heads {line} raises {error}. Your layer has 2 features, cut into 6 heads.",
        "the size of the layer and its number of heads have changed places",
        "In which order does `nn.MultiheadAttention` name its first two arguments?",
        example=lambda: probes()[0],
        line=r"MultiheadAttention",
    ),
    Mistake("biases", lambda *a: _layer(torch.cat(a[:3]), *a[3:], bias=True)),
    Mistake(
        "keys-of-their-own-size",
        lambda *a: nn.MultiheadAttention(len(a[0]), a[4], bias=False, kdim=7),
    ),
    Mistake(
        "positions-first",
        lambda *a: _layer(torch.cat(a[:3]), *a[3:], batch_first=False),
    ),
    Mistake("number-of-heads", lambda *a: _layer(torch.cat(a[:3]), a[3], 1)),
    Mistake(
        "number-of-heads", lambda *a: _layer(torch.cat(a[:3]), a[3], len(a[3]) // a[4])
    ),
    Mistake("dropout", lambda *a: _layer(torch.cat(a[:3]), *a[3:], dropout=0.1)),
    Mistake(
        "another-key", lambda *a: _layer(torch.cat(a[:3]), *a[3:], add_zero_attn=True)
    ),
    Mistake("side-by-side", _side_by_side),
    Mistake("W_o-not-copied", lambda *a: _part_random(*a, output=True)),
    Mistake("inputs-not-copied", lambda *a: _part_random(*a, output=False)),
    Mistake("nothing-copied", lambda *a: _empty(*a[3:])),
    Mistake("other-names", _other_names),
    Mistake("mixed-dtypes", _mixed),
    Mistake("changes-dtype", lambda *a: solution(*a).float()),
    Mistake("changes-dtype", lambda *a: solution(*a).double()),
    Mistake("not-made", lambda *a: nn.MultiheadAttention),
    Mistake("state-returned", lambda *a: solution(*a).state_dict()),
    Mistake("weights-returned", lambda *a: solution(*a).in_proj_weight),
)

TORCH_WEIGHTS = Exercise(
    name="torch-weights",
    title="Into PyTorch's layer",
    chapter=7,
    function="my_torch_attention",
    statement="""\
Four weights of a multi-head attention without biases are given, each $(D, D)$ and each applied as `x @ W.T`; head
1 uses the first $D/H$ rows of $\\mathbf W_q$, $\\mathbf W_k$ and $\\mathbf W_v$, and $\\mathbf W_o$ is applied
to the merged heads. Return an `nn.MultiheadAttention` (`bias=False`, `batch_first=True`, no dropout, in the dtype of
the weights) that computes the same function: for every `query` $(B, T, D)$, `key` and `value` $(B, S, D)$ the same
output as your four weights give. A new layer begins with random weights; yours has to hold these.""",
    stub='''\
def my_torch_attention(W_q, W_k, W_v, W_o, num_heads):
    """Make PyTorch's multi-head attention with these weights.

    W_q, W_k, W_v, W_o: (D, D) each, num_heads: H
    → nn.MultiheadAttention without bias, batch_first, in the dtype of the weights
    """
    ...
''',
    hints=(
        "Make the layer first, and look at what it holds: `[(name, p.shape) for name, p in "
        "layer.named_parameters()]`. There are two weights, not four. How can 3·D rows be three weights?",
        "`in_proj_weight` holds W_q, W_k and W_v one under the other, in the order in which the layer is "
        "called: query, key, value. `out_proj.weight` is W_o. Nothing needs to be transposed, since PyTorch "
        "applies its weights as `x @ W.T` too.",
        "Copy inside `with torch.no_grad():`, with `layer.in_proj_weight.copy_(torch.cat([...]))`; "
        "`nn.MultiheadAttention(...).to(W_q)` gives the layer the dtype and the device of your weights.",
    ),
    solution=solution,
    why="A layer with the wrong weights answers in the right shape, and its attention weights sum to 1. If "
    "only W_o was forgotten, a random one of the right size is there in its place. W_q and W_k exchanged "
    "give plausible maps, mirrored; and a layer that is called as `layer(x, x, x)` with a batch of one "
    "cannot tell whether it reads the batch or the positions first. Only a comparison of outputs, number by "
    "number, on a query that is not the key, shows all of these.",
    shapes={
        "W_q": "D D",
        "W_k": "D D",
        "W_v": "D D",
        "W_o": "D D",
        "num_heads": "a number",
    },
    returns="B T D",
    example=example,
    probes=probes,
    edges=edges,
    steps=steps,
    wrong=WRONG,
    detectors=(read_blocks,),
    demands=(layer_demands,),
    remarks=(worth_a_remark,),
    read=answers,
    kind=layer_kind,
)
