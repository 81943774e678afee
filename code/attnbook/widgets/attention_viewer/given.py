"""What a viewer is given, brought into one form: layers of weights (H, T, S), and the tokens as they are written."""

import operator
from collections.abc import Iterator
from typing import Any

import numpy as np
import torch
from torch import Tensor

from .generated import are_steps, stack

VISIBLE = {" ": "␣", "\n": "⏎", "\r": "␍", "\t": "⇥", "\xa0": "⍽"}
NONE_KEPT = (
    "the model has no attention of this kind, or kept no weights. In Hugging Face, load it with "
    "attn_implementation='eager'"
)
JOINERS = "\u200c\u200d"  # they have a shape only together with their neighbours


def layers_of(attentions: Any, batch: Any = 0, keys_are_queries: bool = True) -> list[Tensor]:
    """Find the layers in the forms that attention weights come in.

    Args:
        attentions: a list or tuple of layers, each (B, H, T, S), (H, T, S) or (T, S), as Hugging Face returns them; a
            tuple of steps of layers, as its generate() does; or one array (B, L, H, T, S), (L, H, T, S), (H, T, S) or
            (T, S).
        batch: which sequence of the batch; of steps, also a list with a place for each.
        keys_are_queries: whether no other keys are named, which steps leave open.

    Returns:
        list of L tensors (H, T, S), all of one shape, on their device and in their dtype.

    Raises:
        TypeError, ValueError: something else; the message says what came.
    """
    _refuse_outputs(attentions)
    listed = isinstance(attentions, list | tuple)
    if listed and all(layer is None or _is_empty(layer) for layer in attentions):
        raise ValueError(f"attentions are empty: {NONE_KEPT}")
    if has_steps(attentions):
        layers = _stacked(attentions, batch, keys_are_queries)
    elif listed and any(_is_array(layer) for layer in attentions):
        layers = [_layer(i, one, _one(batch)) for i, one in enumerate(attentions, start=1)]
    else:
        whole = _tensor(attentions, "attentions")
        if whole.ndim == 5:
            whole = _of_batch(whole, _one(batch), "attentions")
        if whole.ndim not in (2, 3, 4):
            raise ValueError(
                f"attentions have shape {tuple(whole.shape)}; expected (L, H, T, S), with or without a batch axis in "
                "front, (H, T, S), (T, S), or a list of layers"
            )
        layers = list(whole) if whole.ndim == 4 else [_with_heads(whole)]
    shapes = {tuple(layer.shape) for layer in layers}
    if len(shapes) > 1:
        raise ValueError(
            f"the layers differ in shape: {', '.join(map(str, sorted(shapes)))}; view those of one shape together"
        )
    shape = next(iter(shapes), (0,))
    if 0 in shape:
        raise ValueError(f"the layers are empty: heads, queries and keys are {shape}")
    if max(shape) > 2**16:
        raise ValueError(f"the viewer takes at most {2**16} tokens; heads, queries and keys are {shape}")
    return layers


def _refuse_outputs(value: Any) -> None:
    """Of a model's whole output, one is asked to choose."""
    if value is None:
        raise ValueError("attentions are None; call the model with output_attentions=True")
    if isinstance(value, tuple) and any(_tuples(value)) and any(map(_is_array, value)):
        raise TypeError(
            "got arrays beside tuples of arrays, which is a model's whole output; pass the part that holds its "
            "attentions, such as out[-1], or call the model with return_dict=True"
        )
    if not is_output(value):
        if isinstance(value, dict):
            raise TypeError(f"attentions must be tensors, arrays or lists; got a {type(value).__name__}")
        return
    kinds = [name for name in value if name.endswith("attentions") and value[name]]
    advice = f"pass {' or '.join(f'out.{name}' for name in kinds)}"
    if not kinds:
        advice = f"it holds no attentions: call the model with output_attentions=True; or {NONE_KEPT}"
    raise TypeError(f"got a model's whole output, {type(value).__name__}; {advice}")


def is_output(value: Any) -> bool:
    """Whether this is what a model of Hugging Face returns: a dict that calls itself a tuple, too."""
    return isinstance(value, dict) and hasattr(value, "to_tuple")


def _is_array(value: Any) -> bool:
    return hasattr(value, "shape") or hasattr(value, "__array__")


def _is_empty(value: Any) -> bool:
    return isinstance(value, list | tuple) and all(one is None for one in value)


def has_steps(layers: Any) -> bool:
    """Whether arrays stand in tuples in a tuple, as the steps of generate() do."""
    listed = isinstance(layers, list | tuple)
    return listed and any(_is_array(part) for _, one in _tuples(layers) for part in one)


def _stacked(attentions: Any, batch: Any, keys_are_queries: bool) -> list[Tensor]:
    """Layers of what comes as a tuple of tuples."""
    try:
        steps = [
            [_tensor(layer, f"step {i}") for layer in step if layer is not None]
            for i, step in enumerate(attentions, start=1)
        ]
        understood = are_steps(steps, isinstance(attentions, list))
    except (TypeError, IndexError):
        understood = False
    if not understood:
        raise _no_array(*next(_tuples(attentions)))
    count, size = len(steps), len(steps[0][0])
    if _is_number(batch):
        rows = [int(batch)] * count
    else:
        try:
            rows = [operator.index(row) for row in batch]
        except TypeError:
            raise TypeError(f"batch must be a whole number, or one for each step; got {batch!r}") from None
        if rows[count:]:
            raise ValueError(
                f"batch has {len(rows)} places, but there are {count} steps; pass one for each, as out.beam_indices"
            )
        ends = [step for step, row in enumerate(rows) if row < 0]
        rows = rows[: ends[0]] if ends else rows  # generate() fills up with -1
    wrong = [row for row in rows if not -size <= row < size]
    if wrong or not rows:
        raise ValueError(
            f"batch is {wrong[0] if wrong else 'empty'}, but each step has {size} sequences: shape "
            f"{tuple(steps[0][0].shape)}"
        )
    return stack(steps, rows, keys_are_queries)


def _tuples(layers: Any) -> Iterator[tuple[int, Any]]:
    numbered = enumerate(layers, start=1)
    return ((i, one) for i, one in numbered if isinstance(one, list | tuple))


def _no_array(number: int, value: Any) -> TypeError:
    return TypeError(
        f"layer {number} is a {type(value).__name__} of {len(value)}, not an array; nor are these the steps of "
        "generate(), each with all layers. Decoder layers of this package hold two arrays, (self, cross): pass one of "
        "them. Of a single step of generate(), pass its layers: [0]"
    )


def _is_number(batch: Any) -> bool:
    return hasattr(batch, "__index__") and getattr(batch, "ndim", 0) == 0


def _one(batch: Any) -> int:
    """The sequence in a batch of weights that are not steps."""
    if _is_number(batch):
        return operator.index(batch)
    raise TypeError(
        f"batch must be a whole number; got {type(batch).__name__}. A list of places is for the steps of generate(): "
        "view other weights of that sequence in a viewer of their own"
    )


def _tensor(value: Any, name: str) -> Tensor:
    try:
        if not isinstance(value, Tensor) and hasattr(value, "__array__"):
            value = _plain(np.asarray(value))
        tensor = torch.as_tensor(value).detach()
        tensor = tensor if tensor.layout == torch.strided else tensor.to_dense()
    except (TypeError, ValueError, RuntimeError) as error:
        raise TypeError(
            f"{name} must be tensors, arrays or lists of numbers with equally long rows; got "
            f"{type(value).__name__} ({error})"
        ) from None
    if tensor.is_complex():
        raise TypeError(f"{name} must be real numbers; got {tensor.dtype}")
    if tensor.is_meta:
        raise TypeError(f"{name} must hold numbers; tensors on the meta device have none")
    return tensor


def _plain(array: np.ndarray) -> np.ndarray:
    """An array that PyTorch takes: of a dtype it knows, in one direction, and writable, or it would warn."""
    kind = array.dtype
    strange = kind.kind in "iuf" and (kind.itemsize > 8 or not kind.isnative)
    if strange or kind.kind == "V":  # bfloat16 of JAX and TensorFlow
        array = array.astype("f4")
    backwards = any(stride < 0 for stride in array.strides)
    return array.copy() if backwards or not array.flags.writeable else array


def _layer(number: int, value: Any, batch: int) -> Tensor:
    name = f"layer {number}"
    if value is None:
        raise ValueError(
            f"{name} is None: {NONE_KEPT}. If other layers have weights, pass those, and their numbers as layers=[…]"
        )
    if isinstance(value, list | tuple):
        raise _no_array(number, value)
    layer = _tensor(value, name)
    if layer.ndim == 4:
        layer = _of_batch(layer, batch, name)
    if layer.ndim not in (2, 3):
        raise ValueError(f"{name} has shape {tuple(layer.shape)}; expected (B, H, T, S), (H, T, S) or (T, S)")
    return _with_heads(layer)


def _with_heads(layer: Tensor) -> Tensor:
    return layer if layer.ndim == 3 else layer[None]


def _of_batch(tensor: Tensor, batch: int, name: str) -> Tensor:
    if not -len(tensor) <= batch < len(tensor):
        raise ValueError(f"batch is {batch}, but {name} has {len(tensor)} sequences: shape {tuple(tensor.shape)}")
    return tensor[batch]


def numbers_of(given: Any, count: int, role: str) -> list[int]:
    """The numbers by which a model's layers or heads are called.

    Args:
        given: `count` whole numbers, each once; None for 1, 2, ….
        count: how many layers or heads came.
        role: "layers" or "heads", for the message.

    Returns:
        list of `count` numbers.

    Raises:
        TypeError, ValueError: not `count` whole numbers from 0 to 65535, each once.
    """
    if given is None:
        return list(range(1, count + 1))
    try:
        numbers = [operator.index(number) for number in given]
    except TypeError:
        raise TypeError(f"{role} must be a list of whole numbers, got {given!r}") from None
    if len(numbers) != count:
        raise ValueError(f"{role} has {len(numbers)} numbers, but {count} {role} came; pass the number of each")
    if len(set(numbers)) < count or not all(0 <= number < 2**16 for number in numbers):
        raise ValueError(f"{role} must be numbers from 0 to {2**16 - 1}, each once; got {numbers}")
    return numbers


def labels_of(tokens: Any, count: int, role: str, advice: str = "") -> list[str]:
    """Write tokens so that each can be seen: a space as ␣, a line break as ⏎, other unprintable characters escaped.

    Args:
        tokens: `count` texts or ids, in a list, an array or a tensor; None for the positions 0, 1, ….
        count: how many the weights have.
        role: "tokens" or "key_tokens", for the message.
        advice: what to do if they are not `count`.

    Returns:
        list of `count` texts.

    Raises:
        TypeError, ValueError: not a flat list of texts or ids, or not `count` of them.
    """
    if tokens is None:
        return [str(i) for i in range(count)]
    if isinstance(tokens, str):
        raise TypeError(f"{role} must be a list of tokens, got one text; split it as the model's tokenizer does")
    if not hasattr(tokens, "tolist") and hasattr(tokens, "__array__"):
        tokens = np.asarray(tokens)
    try:
        listed = list(tokens.tolist() if hasattr(tokens, "tolist") else tokens)
    except TypeError:
        raise TypeError(f"{role} must be a list of texts or ids, got {tokens!r}") from None
    listed = [one if isinstance(one, str) else _plain_id(one) for one in listed]
    if len(listed) == 1 and isinstance(listed[0], list | tuple) and count > 1:
        raise ValueError(f"{role} must be the tokens of one sequence, got a batch; pass {role}[0]")
    wrong = [one for one in listed if not isinstance(one, str | int)]
    if wrong:
        raise TypeError(f"{role} must be texts or ids; one of them is {wrong[0]!r}")
    if len(listed) != count:
        axis = "queries" if role == "tokens" else "keys"
        raise ValueError(f"there are {len(listed)} {role}, but the weights have {count} {axis}{advice}")
    return [visible(str(one)) for one in listed]


def _plain_id(token: Any) -> Any:
    """A whole number of NumPy or PyTorch as one of Python."""
    try:
        return operator.index(token)
    except TypeError:
        return token


def visible(token: str) -> str:
    """One token with spaces and unprintable characters made visible; ▁, Ġ and ## stay as they are."""
    if not token:
        return "(empty)"
    return "".join(
        VISIBLE.get(letter)
        or (letter if letter.isprintable() or letter in JOINERS else letter.encode("unicode_escape").decode("ascii"))
        for letter in token
    )
