"""Snapshots of the two-layer model of seed 0, for the figure "induction heads" of chapter 18.

No design: the comparison is that of `induction`; here is one of its models, as it learns.

  sizes      V (symbol 0 is <bos>, its name is in `vocabulary`), D, layers, heads, head_dim, longest row, rotary base
  snapshots  step; loss {new, repeated}, accuracy, prefix [L][H], previous [L][H], measured with the stored weights;
             weights: for each parameter of `AttentionOnly` its shape, int8 `bytes` row by row and one float32 of
             `scales` for each row, both little-endian in base64: weight[i][j] = bytes[i][j] · scales[i]
  curve      as `induction` has it, for the line along training
The model: x = embedding[ids]; for each layer, with q, k, v = W_qkv x (rows q, then k, then v; each split into heads),
q and k rotated (pairs of neighbouring features 2i, 2i + 1, angle position · base^(−2i / head_dim)), causal softmax of
q·k / √head_dim, heads joined, x += W_o output; logits = unembedding x. There is no bias, no norm and no feed-forward
network. Positions are rotary, and not added to the embeddings, so that what layer 1 writes for layer 2 is about
symbols only. Half a minute on one core.
"""

from copy import deepcopy

from attnbook.studies import (
    NUM_SYMBOLS,
    PERIODS,
    AttentionOnly,
    fit_induction,
    measure_induction,
)
from attnbook.translation.quantisation import packed, restored
from tools.experiments.induction import EVERY, entry, point

RESULT = "code/attnbook/widgets/induction_heads/data.json"
OPTIONS = {"steps": 750}
SHOWN = 0, 100, 200, 250, 300, 350, 400, 500, 750


def snapshot(step: int, model: AttentionOnly) -> dict:
    """The model as the figure gets it."""
    weights = {name: packed(name, w) for name, w in model.state_dict().items()}
    stored = deepcopy(model)
    stored.load_state_dict({name: restored(w) for name, w in weights.items()})
    return {"step": step} | entry(measure_induction(stored)) | {"weights": weights}


def settings(options) -> list[dict]:
    """The one model."""
    return [{"seed": 0, "steps": options.steps}]


def run(seed: int, steps: int) -> dict:
    """Train it: its curve, and its snapshots."""
    curve, snapshots = [], []

    def watch(step: int, model: AttentionOnly) -> None:
        if step % EVERY == 0:
            curve.append(point(step, measure_induction(model)))
        if step in SHOWN:
            snapshots.append(snapshot(step, model))

    fit_induction(seed, steps, watch=watch)
    return {"curve": curve, "snapshots": snapshots}


def summary(results: list[dict], options) -> dict:
    """What the figure draws."""
    model = AttentionOnly()
    first = model.layers[0]
    return {
        "vocabulary": ["<bos>", *"abcdefghijklmnopqrstuvwxyz"[:NUM_SYMBOLS]],
        "sizes": {
            "D": first.d_model,
            "layers": len(model.layers),
            "heads": first.num_heads,
            "head_dim": first.head_dim,
            "longest": 33,
            "base": first.rotary.base,
        },
        "periods": list(PERIODS),
        **results[0],
    }
