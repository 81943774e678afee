"""What a viewer is given, brought into one form: layers of weights (H, T, S), and the tokens as they are written."""

from typing import Any

import torch
from torch import Tensor

VISIBLE = {" ": "␣", "\n": "⏎", "\r": "␍", "\t": "⇥", "\xa0": "⍽"}
NONE_KEPT = "the model kept no weights. In Hugging Face, load it with attn_implementation='eager'"
JOINERS = "\u200c\u200d"  # they have a shape only together with their neighbours


def layers_of(attentions: Any, batch: int = 0) -> list[Tensor]:
    """Finds the layers in the forms that attention weights come in.

    Args:
        attentions: a list or tuple of layers, each (B, H, T, S), (H, T, S) or (T, S), as Hugging Face returns them;
            or one array (B, L, H, T, S), (L, H, T, S), (H, T, S) or (T, S).
        batch: which sequence of the batch.

    Returns:
        list of L tensors (H, T, S), all of one shape, on their device and in their dtype.

    Raises:
        TypeError, ValueError: something else; the message says what came.
    """
    if isinstance(attentions, list | tuple) and not attentions:
        raise ValueError(f"attentions are empty: {NONE_KEPT}")
    several = isinstance(attentions, list | tuple) and any(
        hasattr(layer, "shape") or layer is None for layer in attentions
    )
    if several:
        layers = [_layer(i, one, batch) for i, one in enumerate(attentions, start=1)]
    else:
        whole = _tensor(attentions, "attentions")
        if whole.ndim == 5:
            whole = _of_batch(whole, batch, "attentions")
        if whole.ndim not in (2, 3, 4):
            raise ValueError(
                f"attentions have shape {tuple(whole.shape)}; expected (L, H, T, S), with or without a batch axis in "
                "front, (H, T, S), (T, S), or a list of layers"
            )
        layers = list(whole) if whole.ndim == 4 else [_with_heads(whole)]
    shapes = {tuple(layer.shape) for layer in layers}
    if len(shapes) != 1:
        raise ValueError(
            f"the layers differ in shape: {', '.join(map(str, sorted(shapes)))}; view those of one shape together"
        )
    (shape,) = shapes
    if 0 in shape:
        raise ValueError(f"the layers are empty: heads, queries and keys are {shape}")
    if max(shape) > 2**16:
        raise ValueError(
            f"the viewer takes at most {2**16} tokens; heads, queries and keys are {shape}"
        )
    return layers


def _tensor(value: Any, name: str) -> Tensor:
    try:
        tensor = torch.as_tensor(value)
    except (TypeError, ValueError, RuntimeError) as error:
        raise TypeError(
            f"{name} must be tensors, arrays or lists of numbers with equally long rows; got "
            f"{type(value).__name__} ({error})"
        ) from None
    if tensor.is_complex():
        raise TypeError(f"{name} must be real numbers; got {tensor.dtype}")
    return tensor.detach()


def _layer(number: int, value: Any, batch: int) -> Tensor:
    name = f"layer {number}"
    if value is None:
        raise ValueError(f"{name} is None: {NONE_KEPT}")
    if isinstance(value, list | tuple):
        raise TypeError(
            f"{name} is a {type(value).__name__}, not an array. generate() returns one tuple per step: run the model "
            "once on the whole text instead. Decoder layers of this package hold two arrays: pass one of them"
        )
    layer = _tensor(value, name)
    if layer.ndim == 4:
        layer = _of_batch(layer, batch, name)
    if layer.ndim not in (2, 3):
        raise ValueError(
            f"{name} has shape {tuple(layer.shape)}; expected (B, H, T, S), (H, T, S) or (T, S)"
        )
    return _with_heads(layer)


def _with_heads(layer: Tensor) -> Tensor:
    return layer if layer.ndim == 3 else layer[None]


def _of_batch(tensor: Tensor, batch: int, name: str) -> Tensor:
    if not -len(tensor) <= batch < len(tensor):
        raise ValueError(
            f"batch is {batch}, but {name} has {len(tensor)} sequences: shape {tuple(tensor.shape)}"
        )
    return tensor[batch]


def labels_of(tokens: Any, count: int, role: str) -> list[str]:
    """Writes tokens so that each can be seen: a space as ␣, a line break as ⏎, other unprintable characters escaped.

    Args:
        tokens: `count` texts or ids, in a list, an array or a tensor; None for the positions 0, 1, ….
        count: how many the weights have.
        role: "tokens" or "key_tokens", for the message.

    Returns:
        list of `count` texts.

    Raises:
        TypeError, ValueError: not a flat list of texts or ids, or not `count` of them.
    """
    if tokens is None:
        return [str(i) for i in range(count)]
    if isinstance(tokens, str):
        raise TypeError(
            f"{role} must be a list of tokens, got one text; split it as the model's tokenizer does"
        )
    listed = tokens.tolist() if hasattr(tokens, "tolist") else list(tokens)
    if len(listed) == 1 and isinstance(listed[0], list | tuple) and count > 1:
        raise ValueError(
            f"{role} must be the tokens of one sequence, got a batch; pass {role}[0]"
        )
    wrong = [one for one in listed if not isinstance(one, str | int)]
    if wrong:
        raise TypeError(f"{role} must be texts or ids; one of them is {wrong[0]!r}")
    if len(listed) != count:
        axis = "queries" if role == "tokens" else "keys"
        raise ValueError(
            f"there are {len(listed)} {role}, but the weights have {count} {axis}"
        )
    return [visible(str(one)) for one in listed]


def visible(token: str) -> str:
    """One token with spaces and unprintable characters made visible; ▁, Ġ and ## stay as they are."""
    if not token:
        return "(empty)"
    return "".join(
        VISIBLE.get(letter)
        or (
            letter
            if letter.isprintable() or letter in JOINERS
            else letter.encode("unicode_escape").decode("ascii")
        )
        for letter in token
    )
