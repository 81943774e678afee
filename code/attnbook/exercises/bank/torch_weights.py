"""Exercise torch-weights: the same attention as a layer of PyTorch."""

import torch
from torch import nn

from .. import forms
from ..answers import Tensors
from ..arguments import draw, exact
from ..beyond_numbers import in_another_dtype
from ..calls import observe
from ..case import near
from ..exercise import Exercise, Mistake
from ..language import later, say
from ..verdict import found
from ..wording import number, values


def my_torch_attention(W_q, W_k, W_v, W_o, num_heads):
    """Make PyTorch's multi-head attention with these weights.

    W_q, W_k, W_v, W_o: (D, D) each, num_heads: H
    → nn.MultiheadAttention without bias, batch_first, in the dtype of the weights
    """
    size = len(W_q)
    layer = torch.nn.MultiheadAttention(size, num_heads, bias=False, batch_first=True)
    layer.to(W_q)  # the dtype and the device of the weights
    stacked = torch.cat([W_q, W_k, W_v])  # (3D, D)
    with torch.no_grad():
        layer.in_proj_weight.copy_(stacked)
        layer.out_proj.weight.copy_(W_o)  # (D, D)
    return layer


def example() -> tuple:
    weights = [[1, 2], [1, 0]], [[0, 1], [2, 0]], [[1, 0], [3, 2]], [[1, 1], [0, 1]]
    return *(exact(*rows) for rows in weights), 2


def probes():
    return [
        (*(1.5 * d**-0.5 * draw(d, d, seed=480 + 10 * i + h) for i in range(4)), h)
        for d, h in [(6, 2), (15, 3), (35, 5), (21, 7)]
    ]


def edges():
    return [(*(draw(n, n, seed=530 + i) for i in range(4)), h) for n, h in [(3, 1), (3, 3), (1, 1)]]


def space(pick) -> tuple:
    """Any arguments that the task allows."""
    H, size = pick.of(1, 2, 3), pick.of(1, 2, 3)
    return *(pick.numbers(H * size, H * size, most=1) for _ in "qkvo"), H


# edits that are used several times
SIZES, ORDER, RETURN = "size, num_heads", "[W_q, W_k, W_v]", "return layer"
CAT = "torch.cat([W_q, W_k, W_v])"
FILL, OUT = "layer.in_proj_weight.copy_(stacked)", "layer.out_proj.weight.copy_(W_o)"
NO_GRAD, GRAD = "with torch.no_grad():", "with torch.enable_grad():"
BY_HEAD = "torch.stack([W_q, W_k, W_v]).unflatten(1, (num_heads, -1)).transpose(0, 1).flatten(0, 2)"  # fmt: skip
SAME = "The weights you are given and PyTorch's are both laid out as (outputs, inputs). Is there anything to transpose?"
LOAD = "layer.load_state_dict({'in_proj_weight': stacked, 'out_proj.weight': W_o})"
WATCHED = "How do you tell torch that a step is not part of any computation to be differentiated?"
LOOK = "What does `[name for name, _ in layer.named_parameters()]` show?"

# fmt: off
MISTAKES = (
    Mistake("order-k-q-v", (ORDER, "[W_k, W_q, W_v]"),
        "the three weights are stacked in the order W_k, W_q, W_v. The queries are then multiplied by W_k.",
        "In which order does `layer(query, key, value)` name its arguments, and does your stack follow it?"),
    Mistake("inputs-transposed", (ORDER, "[W_q.T, W_k.T, W_v.T]"),
        "W_q, W_k and W_v are transposed. PyTorch applies its weights as `x @ W.T`, too.", SAME),
    Mistake("W_o-transposed", (OUT, "layer.out_proj.weight.copy_(W_o.T)"),
        "W_o is transposed. PyTorch applies its weights as `x @ W.T`, too.", SAME),
    Mistake("all-transposed", ((ORDER, "[W_q.T, W_k.T, W_v.T]"), (OUT, "layer.out_proj.weight.copy_(W_o.T)")),
        "all four weights are transposed. PyTorch applies its weights as `x @ W.T`, too.", SAME),
    Mistake("rows-interleaved", (CAT, "torch.stack([W_q, W_k, W_v], 1).reshape(-1, len(W_q))"),
        "the rows of the three weights alternate. PyTorch takes the first D rows for the queries.",
        "All of W_q must come before anything of W_k. Which function puts tables one below the other?"),
    Mistake("head-by-head", (CAT, BY_HEAD),
        "the weights are stacked head by head: queries, keys and values of the first head, then those of the second",
        "Which comes first in `in_proj_weight`: the next head's queries, or this head's keys?"),
    Mistake("tensor-assigned", (FILL, "layer.in_proj_weight = stacked"),
        "a plain tensor is assigned to `in_proj_weight`. A layer takes nothing but an `nn.Parameter` there.",
        "Can the numbers be copied into the parameter that is there already (or be wrapped in a new one)?",
        line="in_proj_weight"),
    Mistake("tensor-instead-of-a-layer", (OUT, "layer.out_proj = W_o"),
        "a tensor is assigned to `out_proj` itself. That is a whole linear layer; its weight is `out_proj.weight`.",
        "Where inside `out_proj` are its numbers?", line="out_proj"),
    Mistake("copied-with-gradient", (NO_GRAD, GRAD),
        "a weight is overwritten in place outside `torch.no_grad()`. While autograd is watching you may not write "
        "into a parameter.", WATCHED, line="\\w"),
    Mistake("sliced-with-gradient", ((NO_GRAD, GRAD), (FILL, "layer.in_proj_weight[: len(W_q)] = W_q")),
        "a slice of a weight is overwritten outside `torch.no_grad()`. While autograd is watching you may not write "
        "into a parameter.", WATCHED, line="\\w"),
    Mistake("no-separate-projections", (FILL, "layer.q_proj_weight.copy_(W_q)"),
        "`q_proj_weight` is filled, which is None. The layer keeps all three weights in one `in_proj_weight` of 3·D "
        "rows, here 6.", LOOK, line="_proj_weight"),
    Mistake("separate-projections-assigned", (FILL, "layer.q_proj_weight.data = W_q"),
        "numbers are assigned to `q_proj_weight`, which is None. The layer keeps all three weights in one "
        "`in_proj_weight` of 3·D rows, here 6.", LOOK, line="_proj_weight"),
    Mistake("state-does-not-fit", (("bias=False, ", ""), (FILL, LOAD)),
        "the dictionary has other names or shapes than the layer, which by default has biases, too",
        "What does `layer.state_dict().keys()` show before you load anything?", line="load_state_dict"),
    Mistake("arguments-exchanged", (SIZES, "num_heads, len(W_q)"),
        "the size of the layer and its number of heads have changed places",
        "In which order does `nn.MultiheadAttention` name its first two arguments?",
        lambda: probes()[0], line="MultiheadAttention"),
    Mistake("W_o-not-copied", (OUT, "pass")),
    Mistake("inputs-not-copied", (FILL, "pass")),
    Mistake("nothing-copied", ((FILL, "pass"), (OUT, "pass"))),
    Mistake("changes-dtype", (RETURN, "return layer.double()")),
    Mistake("returns-another-kind", (RETURN, "return layer.state_dict()")),
)


def own_memory(exercise, fn):
    """Demand that training the layer leaves the matrices alone, and that it can be trained."""
    arguments = exercise.example()
    layer = fn(*(a.clone() if isinstance(a, torch.Tensor) else a for a in arguments))
    frozen = [name for name, p in layer.named_parameters() if not p.requires_grad]
    if frozen:
        return found("frozen", "weights that do not learn",
            "The numbers are right, but `{name}` has requires_grad = False: training would leave it as it is.",
            "Which line makes a parameter, and what does it say about gradients?", name=frozen[0])
    layer = fn(*arguments)
    before = [a.clone() for a in arguments[:4]]
    with torch.no_grad():
        for p in layer.parameters():
            p.add_(1)
    pairs = zip(exercise.parameters, arguments, before, strict=False)
    shared = [name for name, matrix, old in pairs if not torch.equal(matrix, old)]
    return shared and found("shares-memory", "`{name}` is part of the layer",
        "The numbers are right, but your layer holds the caller's `{name}` itself: when the layer is trained, "
        "the matrix changes, too.", "Which operation gives a tensor with numbers of its own?",
        name=shared[0]) or None


class Layer(Tensors):
    """A layer of PyTorch, which is compared by what it answers to a fixed question."""

    def wanted(self, exercise):
        return say("a layer, an `nn.MultiheadAttention` that holds the four weights")

    def read(self, arguments, layer):
        """Its output for one query about two keys (D = 2), or for random ones of different numbers (any other D)."""
        size = len(arguments[0])
        query, key, value = (draw(2, n, size, seed=501 + i) for i, n in enumerate((5, 3, 3)))
        if size == 2:
            query, key, value = exact([[1, 0]]), *2 * [exact([[1, 0], [0, 1]])]
        dtype = layer.out_proj.weight.dtype
        with torch.no_grad():
            return layer(query.to(dtype), key.to(dtype), value.to(dtype))[0]

    def amiss(self, exercise, fn, case):
        layer = case.call.result
        if isinstance(layer, nn.MultiheadAttention):
            facts = about(layer, case)
            known = (found(name, *words, **facts) for name, applies, *words in SETTINGS if applies(layer, case))
            return next(known, None) or left_random(case)
        inside = say("something of the type `{kind}`", kind=type(layer).__name__)
        return forms.wrong_kind(case, self.wanted(exercise), inside)

    def demand(self, exercise, fn, cases):
        if amiss := self.amiss(exercise, fn, cases[0]):
            return amiss
        for dtype in (torch.float64, torch.float32):
            layer = observe(fn, in_another_dtype(exercise.example(), dtype)).result
            if isinstance(layer, nn.MultiheadAttention) and layer.out_proj.weight.dtype != dtype:
                return found("changes-dtype", "another precision",
                    "The numbers are right, but with weights in {dtype} your layer has {came}.",
                    "How could you make the layer in the dtype of the weights, or bring it to it afterwards?",
                    dtype=dtype, came=layer.out_proj.weight.dtype)
        return None


def size_of(case):
    """The features of a position."""
    return len(case.arguments[0])


def shape_of(layer):
    """The shape of a layer's input weights; () if it has none."""
    return tuple(getattr(layer.in_proj_weight, "shape", ()))


def biases(layer):
    """A layer's biases."""
    return [b for b in (layer.in_proj_bias, layer.out_proj.bias) if b is not None]


def about(layer, case):
    """What the words of `SETTINGS` mention."""
    size, output = size_of(case), layer.out_proj.weight
    made = say("With {size} features and {heads} heads your layer has", size=size, heads=case.arguments[-1])
    return {
        "made": made, "size": size, "own": layer.embed_dim, "keys": layer.kdim, "values": layer.vdim,
        "more": sum(b.numel() for b in biases(layer)), "dropout": number(layer.dropout), "heads": layer.num_heads,
        "shape": shape_of(layer), "right": (3 * size, size), "square": (size, size), "output": tuple(output.shape),
        "dtype": getattr(layer.in_proj_weight, "dtype", None), "other": output.dtype,
    }


# what a layer may be made with: the finding's name, whether it is so, and the words
SETTINGS = (
    ("size-of-the-layer", lambda layer, case: layer.embed_dim != size_of(case), later("the size"),
     later("{made} embed_dim = {own}; the weights are ({size}, {size})."),
     later("Is the size of a (D, D) weight that of all heads or of one?")),
    ("keys-of-their-own-size", lambda layer, case: layer.in_proj_weight is None,
     later("keys or values of another size"),
     later("{made} keys of size {keys} and values of size {values} (`kdim`, `vdim`)."),
     later("Which arguments of `nn.MultiheadAttention` can you leave out?")),
    ("biases", lambda layer, case: biases(layer), later("biases"),
     later("{made} {more} numbers more than the four weights: biases, which are 0 at first."),
     later("Which argument of `nn.MultiheadAttention` leaves the biases out?")),
    ("positions-first", lambda layer, case: not layer.batch_first, later("which axis comes first?"),
     later("Your layer reads (T, B, D). It takes 2 sentences of 5 words for 5 sentences of 2 words."),
     later("Which argument of `nn.MultiheadAttention` says that the batch comes first?")),
    ("dropout", lambda layer, case: layer.dropout, later("dropout"),
     later("In training your layer drops each weight with probability {dropout}; two calls differ."),
     later("Does the function that it should compute have any dropout?")),
    ("number-of-heads", lambda layer, case: layer.num_heads != case.arguments[-1], later("the number of heads"),
     later("{made} num_heads = {heads}. The weights have the same shapes for any number of heads; but each head "
           "has a softmax of its own."),
     later("Which argument of `nn.MultiheadAttention` is the number of heads?")),
    ("side-by-side", lambda layer, case: shape_of(layer) == (size_of(case), 3 * size_of(case)), later("side by side"),
     later("Your in_proj_weight has the shape {shape}: the three weights are side by side. They should be one below "
           "the other, {right}: 3·D outputs for D features."),
     later("Along which axis does `torch.cat` put them so?")),
    ("shape-of-a-weight",
     lambda layer, case: shape_of(layer) != (3 * size_of(case), size_of(case))
     or layer.out_proj.weight.shape != (size_of(case), size_of(case)), later("the shape of a weight"),
     later("With {size} features your in_proj_weight has the shape {shape} and your out_proj.weight {output}; they "
           "should be {right} and {square}."),
     later("Which of the four weights belong to each, and how are they put together?")),
    ("mixed-dtypes", lambda layer, case: getattr(layer.in_proj_weight, "dtype", None) != layer.out_proj.weight.dtype,
     later("two precisions in one layer"),
     later("Given weights in float64, your in_proj_weight is {dtype} and your out_proj.weight {other}."),
     later("How could the layer be made in the dtype of the weights from the beginning?")),
)


def held(layer):
    """The four weights that a layer uses, by their names."""
    thirds = layer.in_proj_weight.detach().chunk(3)
    return dict(zip(("W_q", "W_k", "W_v", "W_o"), (*thirds, layer.out_proj.weight.detach()), strict=True))


def left_random(case):
    """Find weights that are different random numbers every time."""
    layer, first, second = case.call.result, *(held(observe(case.fn, case.arguments).result) for _ in range(2))
    left = [name for name in first if not torch.equal(first[name], second[name])]
    if not left:
        return None
    others = [n for n in ("q_proj_weight", "W_q", "q_proj") if getattr(layer, n, None) is not None]
    if others and left[:3] == ["W_q", "W_k", "W_v"]:
        return found("other-names", "a weight that is never read",
            "You fill `{name}`, but the layer reads `in_proj_weight`, which still holds random numbers.",
            "Where do the three weights belong, and how do they become one table?", name=others[0])
    which = {4: "nothing-copied", 1: f"{left[0]}-not-copied"}.get(len(left), "some-not-copied")
    return found("inputs-not-copied" if left == ["W_q", "W_k", "W_v"] else which, "random numbers are left",
        "Two calls of your function make layers with different weights: random numbers are still where {weights} "
        "should be.",
        "Which parameters has a new layer, and which of your lines writes into each of them?",
        weights=", ".join(f"{name} = {values(case.arguments['qkvo'.index(name[-1])])}" for name in left))


def read_weights(exercise, fn, cases):
    """Say which weight is not in its place, if the answers are wrong and no known mistake explains them."""
    case = cases[0]
    for (name, got), right in zip(held(case.call.result).items(), case.arguments[:4], strict=True):
        if not near(got, right):
            return found("other-weights", "which weight is where?",
                "In the small example your layer holds {got} where {name} = {right} belongs.",
                "Which of the lines that fill the layer puts something in another place, or in another form?",
                got=values(got), name=name, right=values(right))
    return None


EXERCISE = Exercise(
    name="torch-weights", title="Into PyTorch's layer", chapter=7,
    space=space,
    hints=(
        "Make the layer first, and look at what it holds: `[(name, p.shape) for name, p in layer.named_parameters()]`. "
        "There are two weights, not four. How can 3·D rows be three weights?",
        "`in_proj_weight` holds W_q, W_k and W_v one below the other, in the order in which the layer is called: "
        "query, key, value. `out_proj.weight` is W_o. Nothing needs to be transposed, since PyTorch applies its "
        "weights as `x @ W.T` too.",
        "`torch.cat` puts tables one below the other. A parameter is filled in place with `copy_`, where autograd is "
        "not watching; and `.to` gives a layer the dtype of your weights.",
    ),
    solution=my_torch_attention,
    why="A layer with the wrong weights answers in the right shape, and its attention weights sum to 1. If W_o was "
        "forgotten, a random one of the right size is in its place; W_q and W_k exchanged give plausible maps "
        "from transposed scores. Comparing outputs number by number shows all of these.",
    shapes={"W_q": "D D", "W_k": "D D", "W_v": "D D", "W_o": "D D", "num_heads": "a number"}, returns="B T D",
    seen="With {given}: asked with the query (1, 0) about the keys and values (1, 0) and (0, 1), your layer answers "
        "{got}; it should be {expected}. ",
    example=example, probes=probes, edges=edges, mistakes=MISTAKES,
    steps={"stacked": "in_proj_weight"}, detectors=(read_weights,), answer=Layer(), demands=(own_memory,),
)
