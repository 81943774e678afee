"""The kinds of attention that a viewer shows: brought together from its arguments, and packed."""

from typing import Any, NamedTuple

from torch import Tensor

from .given import has_steps, is_output, labels_of, layers_of, numbers_of
from .packing import pack_head, plan


class Given(NamedTuple):
    """Layers (H, T, S), the names of queries and of keys (None: the queries), the numbers of layers and of heads."""

    layers: list[Tensor]
    queries: list[str]
    keys: list[str] | None
    layer_numbers: list[int]
    head_numbers: list[int]


def kinds_of(attentions: Any, tokens: Any, key_tokens: Any, *, batch: Any, layers: Any, heads: Any) -> dict[str, Given]:
    """What is shown, by the name of its kind; the arguments of `AttentionViewer`, which says what they may be.

    Raises:
        TypeError, ValueError: arguments that do not fit.
    """
    alone = not isinstance(attentions, dict) or is_output(attentions)
    if alone:
        attentions = {"attention": (attentions, tokens, key_tokens)}
    elif tokens is not None or key_tokens is not None:
        raise TypeError("with a dict, tokens belong to each kind: {name: (attentions, tokens, key_tokens)}")
    if not attentions:
        raise ValueError("AttentionViewer needs at least one kind of attention")
    for name in attentions:
        if not isinstance(name, str):
            raise TypeError(f"kinds are called by texts, got {name!r}")
    for role, argument in (("batch", batch), ("layers", layers), ("heads", heads)):
        _check_names(role, argument, attentions)
    return {
        name: _given(name, one, _of(batch, name, 0), [_of(numbers, name) for numbers in (layers, heads)], alone)
        for name, one in attentions.items()
    }


def packed(given: dict[str, Given], megabytes: float) -> list[dict[str, Any]]:
    """All kinds as the figure gets them, together not larger than so many million characters."""
    count = sum(len(layers) * len(layers[0]) for layers, *_ in given.values())
    return [_pack(name, one, count, megabytes) for name, one in given.items()]


def _check_names(role: str, given: Any, kinds: dict[str, Any]) -> None:
    unknown = [name for name in given if name not in kinds] if isinstance(given, dict) else []
    if unknown:
        raise ValueError(f"{role} has an entry {unknown[0]!r}, but no kind is called so; there are {', '.join(kinds)}")


def _of(given: Any, kind: str, otherwise: Any = None) -> Any:
    """What is given for all kinds, or in a dict for each."""
    return given.get(kind, otherwise) if isinstance(given, dict) else given


def _given(name: str, one: Any, batch: Any, numbers: list[Any], alone: bool) -> Given:
    if not isinstance(one, tuple) or not 1 <= len(one) <= 3:
        raise TypeError(
            f"the kind {name!r} must be a tuple (attentions, tokens) or (attentions, tokens, key_tokens); of a model's "
            "output, pass only its attentions"
        )
    try:
        attentions, tokens, key_tokens = (*one, None, None)[:3]
        return _brought_together(attentions, tokens, key_tokens, batch, numbers)
    except (TypeError, ValueError) as error:
        if alone:
            raise
        raise type(error)(f"in the kind {name!r}: {error}") from None


def _brought_together(attentions: Any, tokens: Any, key_tokens: Any, batch: Any, numbers: list[Any]) -> Given:
    layers = layers_of(attentions, batch, key_tokens is None)
    H, T, S = layers[0].shape
    sizes = (len(layers), H)
    of_layers, of_heads = (
        numbers_of(given, count, role) for given, count, role in zip(numbers, sizes, ("layers", "heads"), strict=True)
    )
    advice = ""
    more = len(tokens) - T if hasattr(tokens, "__len__") else 0
    if more > 0 and has_steps(attentions):
        advice = (
            "; in generate() a query is the token that a step reads, which the last is not, nor what follows the end: "
            f"pass tokens[:{-1 if more == 1 else T}]"
        )
    queries = labels_of(tokens, T, "tokens", advice)
    keys = None
    windowed = (
        "; if the model looks at a window only, as Longformer does, its columns are places in that window, and no keys"
        if S < T
        else ""
    )
    if key_tokens is None and T != S and tokens is not None:
        raise ValueError(
            f"the weights have {T} queries and {S} keys: pass the tokens of the keys, too, as key_tokens{windowed}"
        )
    if key_tokens is not None or T != S:
        keys = labels_of(key_tokens, S, "key_tokens", windowed)
    return Given(layers, queries, keys, of_layers, of_heads)


def _pack(name: str, given: Given, count: int, megabytes: float) -> dict[str, Any]:
    layers, queries, keys, layer_numbers, head_numbers = given
    how = plan(layers[0].shape[1:], count, megabytes)
    heads = [
        [pack_head(head, name=f"layer {l}, head {h}: ", **how) for h, head in zip(head_numbers, layer, strict=True)]
        for l, layer in zip(layer_numbers, layers, strict=True)
    ]
    return {
        "name": name,
        "queries": queries,
        "keys": keys,
        "layers": layer_numbers,
        "head_numbers": head_numbers,
        "heads": heads,
        **how,
    }
