"""Look into a layer of PyTorch: what kind it is, what it answers, and which weights it holds."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import nn

from .. import legacy as kinds
from ..conduct import in_another_dtype
from ..legacy import Exercise, draw, exact
from ..observe import Call, copies, observe
from ..recognise import Case, make_case
from ..verdict import Finding
from ..wording import number
from .torch_weights_blocks import left_random


def answers(arguments: tuple, layer: nn.MultiheadAttention) -> torch.Tensor:
    """What a layer answers to a fixed question.

    Args:
        arguments: the four weights and the number of heads that the layer was made of.
        layer: PyTorch's layer.

    Returns:
        Its output for one query about two keys (D = 2), or for random queries, keys and values of different
        numbers (any other D).
    """
    size = len(arguments[0])
    if size == 2:
        query, key = exact([[1, 0]]), exact([[1, 0], [0, 1]])
        asked = query, key, key
    else:
        asked = (
            draw(2, 5, size, seed=501),
            draw(2, 3, size, seed=502),
            draw(2, 3, size, seed=503),
        )
    with torch.no_grad():
        return layer(*(x.to(layer.out_proj.weight.dtype) for x in asked))[0]


def layer_kind(exercise: Exercise, fn: Callable, case: Case) -> Finding | None:
    """Find a result that is no usable `nn.MultiheadAttention`.

    Args:
        exercise: the exercise.
        fn: the reader's function.
        case: a probe, already answered without an error.

    Returns:
        The finding, or None.
    """
    layer = case.call.result
    if not isinstance(layer, nn.MultiheadAttention):
        return _something_else(exercise, case)
    return (
        _settings(layer, case)
        or _heads(exercise, fn, case)
        or _shapes(layer, case)
        or left_random(fn, case)
        or _dtypes(layer)
    )


def _something_else(exercise: Exercise, case: Case) -> Finding:
    result = case.call.result
    wanted = "wanted is a layer, an `nn.MultiheadAttention` that holds the four weights"
    if result is None and not case.call.printed.strip():
        return Finding(
            "returns-none",
            "nothing comes back",
            f"Your function returns nothing (None); {wanted}.",
            "Which line of yours holds the layer, and does the last line begin with `return`?",
        )
    if result is None:
        return kinds.wrong_kind(exercise, case)
    if result is nn.MultiheadAttention:
        return Finding(
            "not-made",
            "the class, not a layer",
            "Your function returns the class `nn.MultiheadAttention` itself; wanted is a layer made with "
            f"it, of size {len(case.arguments[0])} and with {case.arguments[-1]} heads in the small example.",
            "What stands between the brackets when a layer is made?",
        )
    if isinstance(result, dict):
        names = ", ".join(f"`{name}`" for name in result)
        return Finding(
            "state-returned",
            "weights without their layer",
            f"Your function returns a dictionary of weights ({names}); {wanted}.",
            "Which method of a layer takes such a dictionary in?",
        )
    if isinstance(result, torch.Tensor):
        return Finding(
            "weights-returned",
            "a tensor",
            f"Your function returns a tensor of shape {tuple(result.shape)}; {wanted}.",
            "Which of your lines holds the layer?",
        )
    inside = (
        [part for part in result.modules() if isinstance(part, nn.MultiheadAttention)]
        if isinstance(result, nn.Module)
        else [part for part in result if isinstance(part, nn.MultiheadAttention)]
        if isinstance(result, tuple | list)
        else []
    )
    there = " There is one inside it." if inside else ""
    return Finding(
        "returns-another-kind",
        "not the layer that was asked for",
        f"Your function returns {_named(result)}; {wanted}.{there}",
        "What is the layer called in PyTorch, and which line of yours holds it?",
    )


def _named(thing: object) -> str:
    if isinstance(thing, tuple | list):
        return f"a {type(thing).__name__} of {len(thing)}"
    if isinstance(thing, type):
        return f"the class `{thing.__name__}`"
    home = (
        "the book's own "
        if type(thing).__module__.startswith("attnbook")
        else "an object of the class "
    )
    return f"{home}`{type(thing).__name__}`"


def _settings(layer: nn.MultiheadAttention, case: Case) -> Finding | None:
    size, heads = len(case.arguments[0]), case.arguments[-1]
    made = f"With {size} features and {heads} heads"
    if layer.embed_dim != size:
        return Finding(
            "size-of-the-layer",
            "the size",
            f"{made} your layer has embed_dim = {layer.embed_dim}; the weights are ({size}, {size}).",
            "Which of the two axes of a (D, D) weight tells the size of the layer, and is it all heads' "
            "size or one's?",
        )
    if layer.in_proj_weight is None:
        return Finding(
            "keys-of-their-own-size",
            "keys or values of another size",
            f"{made} your layer expects keys of size {layer.kdim} and values of size {layer.vdim} (`kdim`, "
            f"`vdim`). All of the weights are ({size}, {size}).",
            "Which arguments of `nn.MultiheadAttention` would the layer do without?",
        )
    biases = [
        bias for bias in (layer.in_proj_bias, layer.out_proj.bias) if bias is not None
    ]
    if biases:
        return Finding(
            "biases",
            "biases",
            f"{made} your layer has {sum(bias.numel() for bias in biases)} numbers more than the four "
            "weights: biases. A new attention layer has them at zero, so that they go unnoticed until somebody "
            "trains it.",
            "Which argument of `nn.MultiheadAttention` leaves the biases out?",
        )
    if layer.bias_k is not None or layer.add_zero_attn:
        return Finding(
            "another-key",
            "one key too many",
            "Your layer adds a key of its own to those that it is given (`add_zero_attn` or `add_bias_kv`): "
            "with 3 keys its softmax runs over 4.",
            "Which argument of `nn.MultiheadAttention` does that, and what is its default?",
        )
    if not layer.batch_first:
        return Finding(
            "positions-first",
            "which axis comes first?",
            "Your layer reads (T, B, D). A batch of 2 sentences with 5 words each is for it 5 sentences of "
            "2 words; with `layer(x, x, x)` it answers without complaint, in the right shape.",
            "Which argument of `nn.MultiheadAttention` says that the batch comes first?",
        )
    if layer.dropout:
        return Finding(
            "dropout",
            "dropout",
            f"Your layer drops each weight with probability {number(layer.dropout)} while it trains; two "
            "calls differ.",
            "Does the function that it should compute have any dropout?",
        )
    return None


def _heads(exercise: Exercise, fn: Callable, case: Case) -> Finding | None:
    """Find a wrong number of heads, told by a probe whose heads are not as large as they are many."""
    if case.call.result.num_heads == case.arguments[-1]:
        return None
    for arguments in (*exercise.probes(), case.arguments):
        layer, size, heads = (
            observe(fn, arguments).result,
            len(arguments[0]),
            arguments[-1],
        )
        if isinstance(layer, nn.MultiheadAttention) and layer.num_heads != heads:
            break
    per_head = (
        ", the number of features of one head"
        if layer.num_heads * heads == size
        else ""
    )
    return Finding(
        "number-of-heads",
        "the number of heads",
        f"With {size} features and {heads} heads your layer has num_heads = {layer.num_heads}{per_head}. "
        "The weights have the same shapes whatever the number of heads is; each head has a softmax of its "
        "own, though.",
        "Which argument of `nn.MultiheadAttention` is the number of heads?",
    )


def _shapes(layer: nn.MultiheadAttention, case: Case) -> Finding | None:
    size = len(case.arguments[0])
    wanted = {"in_proj_weight": (3 * size, size), "out_proj.weight": (size, size)}
    for name, weight in (
        ("in_proj_weight", layer.in_proj_weight),
        ("out_proj.weight", layer.out_proj.weight),
    ):
        if weight is None or tuple(weight.shape) == wanted[name]:
            continue
        if tuple(weight.shape) == (size, 3 * size):
            return Finding(
                "side-by-side",
                "side by side",
                f"Your in_proj_weight has the shape {tuple(weight.shape)}: the three weights lie side by "
                f"side. They should lie one under the other, {wanted[name]}: 3·D outputs for D features.",
                "Along which axis does `torch.cat` put tables one under the other?",
            )
        return Finding(
            "shape-of-a-weight",
            "the shape of a weight",
            f"With {size} features your {name} has the shape {tuple(weight.shape)}; right is {wanted[name]}.",
            "Which of the four weights belong there, and how are they put together?",
        )
    return None


def _dtypes(layer: nn.MultiheadAttention) -> Finding | None:
    if (
        layer.in_proj_weight is None
        or layer.in_proj_weight.dtype == layer.out_proj.weight.dtype
    ):
        return None
    kinds_ = [
        str(w.dtype).removeprefix("torch.")
        for w in (layer.in_proj_weight, layer.out_proj.weight)
    ]
    return Finding(
        "mixed-dtypes",
        "two precisions in one layer",
        f"Given weights in float64, your in_proj_weight is {kinds_[0]} and your out_proj.weight "
        f"{kinds_[1]}. No input fits both. A new parameter takes the dtype of its numbers; a copy into an "
        "old one keeps the old one's.",
        "How could the layer be made in the dtype of the weights from the beginning?",
    )


def layer_demands(exercise: Exercise, fn: Callable) -> Finding | None:
    """Demand that a layer with the right answers is what was asked for in every other respect, too.

    Args:
        exercise: the exercise.
        fn: the reader's function.

    Returns:
        The finding, or None.
    """
    found = layer_kind(exercise, fn, make_case(exercise, fn, exercise.example()))
    return found or _keeps_dtype(exercise, fn)


def _keeps_dtype(exercise: Exercise, fn: Callable) -> Finding | None:
    """Find a layer that is always made in the same dtype."""
    for dtype in (torch.float64, torch.float32):
        layer = observe(
            fn, in_another_dtype(exercise, exercise.example(), dtype)
        ).result
        came = (
            layer.out_proj.weight.dtype
            if isinstance(layer, nn.MultiheadAttention)
            else dtype
        )
        if came != dtype:
            given, made = (str(kind).removeprefix("torch.") for kind in (dtype, came))
            return Finding(
                "changes-dtype",
                f"{given} in, {made} out",
                f"The numbers are right, but with weights in {given} your layer is in {made}: it cannot "
                "take inputs of the dtype that the weights have.",
                "How could the layer be made in the dtype of the weights, or be brought to it afterwards?",
            )
    return None


def worth_a_remark(exercise: Exercise, fn: Callable) -> Finding | None:
    """Remark on what will matter later in a layer that is right.

    Args:
        exercise: the exercise.
        fn: the reader's function.

    Returns:
        The finding, or None.
    """
    given = copies(exercise.example())
    layer = _kept(fn, given).result
    weights = [layer.in_proj_weight, layer.out_proj.weight]
    if not all(w.requires_grad for w in weights):
        return Finding(
            "frozen",
            "frozen",
            "Your weights have `requires_grad=False`: no training would move them.",
            "",
        )
    theirs = {w.untyped_storage().data_ptr() for w in given[:4]}
    if any(w.untyped_storage().data_ptr() in theirs for w in weights):
        return Finding(
            "shared-memory",
            "shared memory",
            "Your layer does not copy all of the numbers, it shares their memory with the tensors that it "
            "was given: a training step on the layer would change them, too.",
            "",
        )
    return None


def _kept(fn: Callable, given: tuple) -> Call:
    return observe(
        lambda: fn(*given), ()
    )  # no copies: whether memory is shared shows on these very tensors
