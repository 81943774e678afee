"""Attention-only models on rows that repeat: what do they learn, and when?

Question: does copying need two layers, does it come suddenly, and what do its heads do when there is nothing to copy?
Varies: one layer or two; a single period; a sink in the softmax; rows without <bos>; weights kept uniform.
Equal: width, heads, batches, learning rate and rows; one layer is trained twice as long, a single period half as long.
Control: one layer; weights that stay uniform; each head silenced, by zeros or by its mean (`without`).
Seeds: 3, all stored; the chapter shows the lowest and the highest, and nothing that it concludes rests on ranges that
    overlap.
Turned round by: one layer that copies at several periods, or two layers that copy with uniform weights.

About eight minutes of one core.
"""

import time
from collections.abc import Iterator
from copy import deepcopy
from functools import partial

import torch

from attnbook.attention import ablate_head
from attnbook.studies import PERIODS, AttentionOnly, InductionMeasures, fit_induction, measure_induction, repeated_rows

OPTIONS = {"seeds": 3, "steps": 750}
EVERY = 25
FIXED = (8, 8)
ELSEWHERE = (9, 16)
MEASURED = (
    "losses of new and of repeated symbols, accuracy, and for each layer and head the weight on the match (prefix), on "
    "the token before (previous) and on the first (start); end: of the trained model; elsewhere: in rows of other "
    f"periods, {ELSEWHERE[0]} and {ELSEWHERE[1]}; without: with a head silenced; curve: every {EVERY} steps [step, "
    "loss of new symbols, of repeated ones, accuracy, prefix, previous]"
)
USUAL = {"num_layers": 2, "sink": "none", "periods": PERIODS, "steps": OPTIONS["steps"], "bos": True, "uniform": False}


def variants(options) -> Iterator[dict]:
    """What is trained, seeds aside."""
    steps, usual = options.steps, USUAL | {"steps": options.steps}
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


def entry(measures: InductionMeasures) -> dict:
    """Measures as they are stored."""
    return {
        "loss": {"new": round(measures.new, 4), "repeated": round(measures.repeated, 4)},
        "accuracy": round(measures.accuracy, 4),
        "prefix": rounded(measures.prefix),
        "previous": rounded(measures.previous),
        "start": rounded(measures.start),
    }


def point(step: int, measures: InductionMeasures) -> list:
    """Measures as a point of a curve."""
    numbers = (measures.new, measures.repeated, measures.accuracy)
    tables = rounded(measures.prefix), rounded(measures.previous)
    return [step, *(round(a, 4) for a in numbers), *tables]


def head_means(model: AttentionOnly) -> list[torch.Tensor]:
    """The mean of what each head gives, (H, Dh) for each layer, on rows of its own."""
    seen: list[torch.Tensor] = []
    hooks = [layer.W_o.register_forward_pre_hook(lambda _, x: seen.append(x[0])) for layer in model.layers]
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
                yield {"layer": layer + 1, "head": head + 1, "by": how} | entry(measure_induction(quiet))


def run(seed: int, **plan) -> dict:
    """Train one model."""
    curve = []
    measure = partial(measure_induction, periods=plan["periods"], bos=plan["bos"])
    began = time.process_time()

    def watch(step: int, model: AttentionOnly) -> None:
        if step % EVERY == 0:
            curve.append(point(step, measure(model)))

    model, _ = fit_induction(seed, watch=watch, **plan)
    row = plan | {"seed": seed, "end": entry(measure(model))}
    if plan["periods"] == FIXED:
        row["elsewhere"] = entry(measure_induction(model, ELSEWHERE))
    if plan == USUAL | {"steps": plan["steps"]}:
        row["without"] = list(without(model))
    spent = round(time.process_time() - began, 1)
    return row | {"cpu_seconds": spent, "curve": curve}
