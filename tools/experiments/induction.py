"""Train attention-only models on rows that repeat, and store what they learn, and when.

    python -m tools.experiments.induction

writes three files; about eight minutes of one core. An interrupted run goes on where it stopped.

chapters/results/induction.json has a row for each model that was trained, in order: two layers, one layer, one layer
with a single period, two layers with a sink, two layers on rows without <bos>, the same with a sink, and two layers
whose weights stay uniform. `curve` has the measures every 25 steps, [step, loss of new symbols,
loss of repeated ones, accuracy, prefix matching (L × H), previous token (L × H)], and `without` the measures of
repeated symbols when a head is silenced, by zeros or by its mean.

code/attnbook/weights/induction.safetensors has snapshots of the two-layer model of seed 0, in eight bits: the weights
of step 200, say, are named `200.layers.0.W_qkv.weight` and so on. code/attnbook/widgets/induction_heads/data.json is
for the figure:
  sizes      V (symbol 0 is <bos>, its name is in `vocabulary`), D, layers, heads, head_dim, longest row, rotary base
  snapshots  step; loss {new, repeated}, accuracy, prefix [L][H], previous [L][H], measured with the stored weights
  curve      as above, for the line along training
The model: x = embedding[ids]; for each layer, with q, k, v = W_qkv x (rows q, then k, then v; each split into heads),
q and k rotated (pairs of neighbouring features 2i, 2i + 1, angle position · base^(−2i / head_dim)), causal softmax of
q·k / √head_dim, heads joined, x += W_o output; logits = unembedding x. There is no bias, no norm and no feed-forward
network. Positions are rotary, and not added to the embeddings, so that what layer 1 writes for layer 2 is about
symbols only.
"""

import argparse
import time
from collections.abc import Iterator
from copy import deepcopy
from functools import partial
from pathlib import Path

import torch

from attnbook.attention import ablate_head
from attnbook.files import write_atomically
from attnbook.studies import (
    NUM_SYMBOLS,
    PERIODS,
    AttentionOnly,
    InductionMeasures,
    fit_induction,
    measure_induction,
    repeated_rows,
)
from attnbook.studies.induction import STORED_SNAPSHOTS
from attnbook.weights import to_float, to_int8, weights_file
from tools import ROOT
from tools.experiments.stored import made_by, row_by_row, unfinished

RESULT = ROOT / "chapters" / "results" / "induction.json"
FIGURE = ROOT / "code" / "attnbook" / "widgets" / "induction_heads" / "data.json"
EVERY = 25
SHOWN = 0, 100, 200, 250, 300, 350, 400, 500, 750
FIXED = (8, 8)
ELSEWHERE = (9, 16)


def plans(steps: int) -> Iterator[dict]:
    """What is trained, seeds aside."""
    usual = {"num_layers": 2, "sink": "none", "periods": PERIODS, "steps": steps}
    usual |= {"bos": True, "uniform": False}
    yield usual
    yield usual | {"num_layers": 1, "steps": 2 * steps}
    yield usual | {"num_layers": 1, "periods": FIXED, "steps": steps // 2}
    yield usual | {"sink": "off-by-one"}
    yield usual | {"sink": "learned"}
    yield usual | {"bos": False}
    yield usual | {"bos": False, "sink": "off-by-one"}
    yield usual | {"uniform": True}


def rounded(table: torch.Tensor) -> list:
    """A table of scores as it is stored."""
    return [[round(a, 4) for a in row] for row in table.tolist()]


def entry(found: InductionMeasures) -> dict:
    """Measures as they are stored."""
    return {
        "loss": {"new": round(found.new, 4), "repeated": round(found.repeated, 4)},
        "accuracy": round(found.accuracy, 4),
        "prefix": rounded(found.prefix),
        "previous": rounded(found.previous),
        "start": rounded(found.start),
    }


def point(step: int, found: InductionMeasures) -> list:
    """Measures as a point of a curve."""
    numbers = (found.new, found.repeated, found.accuracy)
    tables = rounded(found.prefix), rounded(found.previous)
    return [step, *(round(a, 4) for a in numbers), *tables]


def head_means(model: AttentionOnly) -> list[torch.Tensor]:
    """The mean of what each head gives, (H, Dh) for each layer, on rows of its own."""
    seen: list[torch.Tensor] = []
    hooks = [
        layer.W_o.register_forward_pre_hook(lambda _, x: seen.append(x[0]))
        for layer in model.layers
    ]
    ids, _ = repeated_rows(256, torch.Generator().manual_seed(54321))
    with torch.no_grad():
        model(ids[:, :-1])
    for hook in hooks:
        hook.remove()
    return [x.mean((0, 1)).unflatten(0, (model.layers[0].num_heads, -1)) for x in seen]


def without(model: AttentionOnly) -> Iterator[dict]:
    """The measures with each head silenced."""
    means = head_means(model)
    for layer, of_layer in enumerate(means):
        for head, mean in enumerate(of_layer):
            for how in ("zero", "mean"):
                quiet = deepcopy(model)
                ablate_head(quiet.layers[layer], head, mean if how == "mean" else None)
                yield {"layer": layer + 1, "head": head + 1, "by": how} | entry(
                    measure_induction(quiet)
                )


def snapshot(step: int, weights: dict) -> dict:
    """What is measured of a model as it is stored."""
    stored = AttentionOnly()
    stored.load_state_dict(to_float(weights))
    return {"step": step} | entry(measure_induction(stored))


def run(plan: dict, seed: int) -> tuple[dict, dict[int, dict]]:
    """Train one model: its row, and its weights at some steps as they are stored."""
    curve, snapshots = [], {}
    measure = partial(measure_induction, periods=plan["periods"], bos=plan["bos"])
    began = time.process_time()

    def watch(step: int, model: AttentionOnly) -> None:
        if step % EVERY == 0:
            curve.append(point(step, measure(model)))
        if step in SHOWN:
            snapshots[step] = to_int8(model.state_dict())

    model, _ = fit_induction(seed, watch=watch, **plan)
    row = plan | {"seed": seed, "end": entry(measure(model))}
    if plan["periods"] == FIXED:
        row["elsewhere"] = entry(measure_induction(model, ELSEWHERE))
    if plan == next(plans(plan["steps"])):
        row["without"] = list(without(model))
    spent = round(time.process_time() - began, 1)
    return row | {"cpu_seconds": spent, "curve": curve}, snapshots


def main() -> None:
    """Run all trainings and write both files."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=RESULT)
    parser.add_argument("--figure", type=Path, default=FIGURE)
    parser.add_argument("--weights", type=Path, default=STORED_SNAPSHOTS)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--steps", type=int, default=750)
    options = parser.parse_args()
    torch.set_num_threads(1)
    made = made_by(__spec__.name, options)
    result = unfinished(
        options.out,
        {
            **made,
            "seeds": list(range(options.seeds)),
            "elsewhere": ELSEWHERE,
            "rows": [],
        },
    )
    done = len(result["rows"])
    jobs = [(p, s) for p in plans(options.steps) for s in result["seeds"]]
    for plan, seed in jobs[done:]:
        row, snapshots = run(plan, seed)
        if plan == next(plans(options.steps)) and seed == 0:
            write_weights(options.weights, made, snapshots)
            write_figure(options.figure, made, row["curve"], snapshots)
        result["rows"].append(row)
        print(
            {key: row[key] for key in row if key not in ("curve", "without")},
            flush=True,
        )
        write_atomically(options.out, row_by_row(result, "rows"))


def write_weights(path: Path, made: dict, snapshots: dict[int, dict]) -> None:
    """Store the weights of all snapshots in one file."""
    stored = {
        f"{step}.{name}": tensor
        for step, weights in snapshots.items()
        for name, tensor in weights.items()
    }
    write_atomically(path, weights_file(stored, made | {"seed": 0}))


def write_figure(
    path: Path, made: dict, curve: list, snapshots: dict[int, dict]
) -> None:
    """Store what the figure draws."""
    model = AttentionOnly()
    first = model.layers[0]
    data = {
        **made,
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
        "curve": curve,
        "snapshots": [snapshot(*one) for one in snapshots.items()],
    }
    path.parent.mkdir(exist_ok=True)
    write_atomically(path, row_by_row(data, "snapshots"))
    print(f"{path.name}: {path.stat().st_size / 1000:.0f} KB", flush=True)


if __name__ == "__main__":
    main()
