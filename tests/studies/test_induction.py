"""Induction: rows that repeat, models without more than attention, measures by loops, and what is stored."""

import json
from pathlib import Path
from types import SimpleNamespace

import pytest
import torch
import torch.nn.functional as F
from torch.testing import assert_close

from attnbook.studies import (
    NUM_SYMBOLS,
    PERIODS,
    SINKS,
    AttentionOnly,
    fit_induction,
    induction_loss,
    make_uniform,
    measure_induction,
    repeated_rows,
    stored_induction,
)
from attnbook.weights import FOLDER
from attnbook.widgets.kit import figure_data
from tensors import generator
from tools.experiments.induction import OPTIONS, head_means, variants, without
from tools.experiments.induction_heads import SHOWN

STORED = Path(__file__).resolve().parents[2] / "chapters" / "results" / "induction.json"


def small(**options):
    torch.manual_seed(0)
    return AttentionOnly(num_heads=3, d_model=18, **options)


def test_rows_repeat():
    ids, period = repeated_rows(200, generator(), (5, 7), length=17)
    assert ids.shape == (200, 18) and set(period.tolist()) == {5, 6, 7}
    for row, p in zip(ids.tolist(), period.tolist(), strict=True):
        assert row[0] == 0
        first = row[1 : p + 1]
        assert len(set(first)) == p and min(first) > 0 and max(first) <= NUM_SYMBOLS
        assert row[1:] == (first * 4)[:17]
    assert ids.max() == NUM_SYMBOLS and ids[:, 1:].min() == 1
    again, other = (repeated_rows(200, generator(s), (5, 7), 17)[0] for s in (0, 1))
    assert torch.equal(ids, again) and not torch.equal(ids, other)


@pytest.mark.parametrize("sink", SINKS)
def test_a_model_reads_the_past_only(sink):
    model, (ids, _) = small(sink=sink), repeated_rows(2, generator())
    logits, weights = model(ids, need_weights=True)
    assert logits.shape == (2, 33, NUM_SYMBOLS + 1) and weights.shape == (2, 2, 3, 33, 33)  # fmt: skip
    assert_close(model(ids)[0], logits)
    changed = ids.clone()
    changed[:, 20:] = 1
    assert_close(model(changed)[0][:, :20], logits[:, :20])
    assert not torch.allclose(model(changed)[0][:, 20:], logits[:, 20:])
    assert (weights.triu(1) == 0).all()
    sums = weights.sum(-1)
    if sink == "none":
        assert_close(sums, torch.ones_like(sums))
    else:  # a fresh sink's key is zero
        assert (sums < 1).all() and 0.4 < sums[..., 0].mean() < 0.6


def test_a_model_needs_a_kind_of_sink():
    with pytest.raises(ValueError, match="none, off-by-one, learned"):
        AttentionOnly(sink="kitchen")


def test_uniform_weights():
    model, (ids, _) = small(num_layers=1), repeated_rows(2, generator())
    make_uniform(model.layers[0])
    weights = model(ids, need_weights=True)[1]
    expected = torch.ones(33, 33).tril() / torch.arange(1.0, 34)[:, None]
    assert_close(weights[0, 0, 1], expected)


def test_weights_stay_uniform_in_training():
    model, losses = fit_induction(steps=3, rows=4, uniform=True, num_layers=1)
    assert len(losses) == 3
    assert (model.layers[0].W_qkv.weight[:32] == 0).all()
    fresh, _ = fit_induction(steps=3, rows=4, num_layers=1)
    assert (fresh.layers[0].W_qkv.weight[:32] != 0).all()


@pytest.mark.parametrize("bos", [True, False])
def test_measures_by_loops(bos):
    model = small()
    found = measure_induction(model, (5, 7), seed=3, rows=11, bos=bos)
    ids, period = repeated_rows(11, generator(3), (5, 7))
    ids = ids if bos else ids[:, 1:]
    logits, weights = model(ids[:, :-1], need_weights=True)
    known, new, right, start = [], [], [], []
    for b, row in enumerate(ids.tolist()):
        for t in range(len(row) - 1):
            loss = F.cross_entropy(logits[b, t], ids[b, t + 1]).item()
            if row[t] in row[:t]:  # the symbol is a copy: what comes next is known
                known.append(loss)
                right.append(logits[b, t].argmax().item() == row[t + 1])
            else:
                new.append(loss)
                if t > 0:
                    start.append(weights[b, :, :, t, 0])
    assert found.repeated == pytest.approx(sum(known) / len(known), rel=1e-4)
    assert found.new == pytest.approx(sum(new) / len(new), rel=1e-4)
    assert found.accuracy == pytest.approx(sum(right) / len(right))
    assert_close(found.start, torch.stack(start).mean(0))
    before = weights.diagonal(-1, -2, -1)
    assert_close(found.previous, before.mean((0, 3)))


def test_loss_counts_all_symbols():
    model, (ids, _) = small(), repeated_rows(3, generator())
    logits = model(ids)[0]
    places = [(b, t) for b in range(3) for t in range(32)]
    expected = [F.cross_entropy(logits[b, t], ids[b, t + 1]) for b, t in places]
    assert_close(induction_loss(model, ids), torch.stack(expected).mean())


def test_training_is_watched_from_the_start():
    steps = []
    model, _ = fit_induction(steps=3, rows=4, bos=False, watch=lambda step, m: steps.append((step, m)))
    assert [step for step, _ in steps] == [0, 1, 2, 3]
    assert all(m is model for _, m in steps) and not model.training


def test_a_single_layer_learns_a_fixed_period():
    model, _ = fit_induction(steps=250, periods=(8, 8), num_layers=1)
    assert measure_induction(model, (8, 8)).accuracy > 0.95
    assert measure_induction(model, (9, 16)).accuracy < 0.1


def test_what_is_stored_is_what_it_was_measured_as():
    stored = figure_data("induction_heads")
    assert [one["step"] for one in stored["snapshots"]] == list(SHOWN)
    assert len(stored["vocabulary"]) == NUM_SYMBOLS + 1
    assert (FOLDER / "induction.safetensors").stat().st_size < 120_000
    for step in (0, 300, None):
        wanted = SHOWN[-1] if step is None else step
        one = next(s for s in stored["snapshots"] if s["step"] == wanted)
        found = measure_induction(stored_induction(step))
        assert found.accuracy == pytest.approx(one["accuracy"], abs=2e-3)
        assert_close(found.prefix, torch.tensor(one["prefix"]), atol=2e-3, rtol=0)
    with pytest.raises(ValueError, match="stored are the steps 0, 100"):
        stored_induction(1)


def test_all_plans_are_stored():
    stored = json.loads(STORED.read_text("utf-8"))
    plans = variants(SimpleNamespace(**OPTIONS))
    settings = [(p["num_layers"], p["sink"], tuple(p["periods"]), p["steps"], p["bos"], p["uniform"]) for p in plans]
    expected = [(*one, seed) for one in settings for seed in range(OPTIONS["seeds"])]
    keys = ("num_layers", "sink", "periods", "steps", "bos", "uniform", "seed")
    found = [tuple(tuple(r[k]) if k == "periods" else r[k] for k in keys) for r in stored["rows"]]  # fmt: skip
    assert found == expected
    assert tuple(stored["rows"][0]["periods"]) == PERIODS
    assert [len(r.get("without", [])) for r in stored["rows"][:4]] == [8, 8, 8, 0]


def test_heads_are_silenced_one_at_a_time():
    model = stored_induction()
    means = head_means(model)
    assert [m.shape for m in means] == [(2, 16)] * 2 and means[0].abs().max() > 0.1
    found = list(without(model))
    named = [(w["layer"], w["head"], w["by"]) for w in found]
    assert named[:3] == [(1, 1, "zero"), (1, 1, "mean"), (1, 2, "zero")]
    assert len({w["accuracy"] for w in found}) > 5
