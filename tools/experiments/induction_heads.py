"""Snapshots of the two-layer model of seed 0, for the figure "induction heads" of chapter 18.

No design: the comparison is that of `induction`; here is one of its models, as it learns.

  sizes      V (symbol 0 is <bos>, its name is in `vocabulary`), D, layers, heads, head_dim, longest row, rotary base
  snapshots  step; loss {new, repeated}, accuracy, prefix [L][H], previous [L][H], measured with the stored weights
  curve      as `induction` has it, for the line along training
The weights of all snapshots go to code/attnbook/weights/induction.safetensors, in eight bits; those of step 200, say,
are named `200.layers.0.W_qkv.weight` and so on.
The model: x = embedding[ids]; for each layer, with q, k, v = W_qkv x (rows q, then k, then v; each split into heads),
q and k rotated (pairs of neighbouring features 2i, 2i + 1, angle position · base^(−2i / head_dim)), causal softmax of
q·k / √head_dim, heads joined, x += W_o output; logits = unembedding x. There is no bias, no norm and no feed-forward
network. Positions are rotary, and not added to the embeddings, so that what layer 1 writes for layer 2 is about
symbols only. Half a minute on one core.
"""

from types import SimpleNamespace

from attnbook.files import write_atomically
from attnbook.studies import NUM_SYMBOLS, PERIODS, AttentionOnly, fit_induction, measure_induction
from attnbook.studies.induction import STORED_SNAPSHOTS
from attnbook.weights import to_float, to_int8, weights_file
from tools.experiments.induction import EVERY, entry, point
from tools.experiments.stored import made_by

RESULT = "code/attnbook/widgets/induction_heads/data.json"
OPTIONS = {"steps": 750, "weights": None}
SHOWN = 0, 100, 200, 250, 300, 350, 400, 500, 750


def snapshot(step: int, stored: dict) -> dict:
    """What is measured of a model as it is stored."""
    model = AttentionOnly()
    model.load_state_dict(to_float(stored))
    return {"step": step} | entry(measure_induction(model))


def run(seed: int, steps: int, weights: str | None) -> dict:
    """Train it, and store its weights: its curve, and what its snapshots do."""
    curve, snapshots, stored = [], [], {}

    def watch(step: int, model: AttentionOnly) -> None:
        if step % EVERY == 0:
            curve.append(point(step, measure_induction(model)))
        if step in SHOWN:
            small = to_int8(model.state_dict())
            snapshots.append(snapshot(step, small))
            stored.update({f"{step}.{name}": tensor for name, tensor in small.items()})

    fit_induction(seed, steps, watch=watch)
    about = made_by("induction_heads", SimpleNamespace(steps=steps)) | {"seed": seed}
    write_atomically(weights or STORED_SNAPSHOTS, weights_file(stored, about))
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
