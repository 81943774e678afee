"""Associative recall: right answers by loops, memories that learn, and what each kind can and cannot see."""

import json
from pathlib import Path

import pytest
import torch

from attnbook.studies import (
    MEMORIES,
    NUM_KEYS,
    NUM_VALUES,
    RECALL_TASKS,
    Recall,
    Rememberer,
    fit_memory,
    recall_accuracy,
    recall_batch,
)
from tensors import generator
from tools.experiments.recall import OPTIONS, PAIRS, variants

STORED = Path(__file__).resolve().parents[2] / "chapters" / "results" / "recall.json"


def memory(kind, d=5):
    torch.manual_seed(0)
    return Rememberer(kind, d, width=7).double()


@pytest.mark.parametrize("task", RECALL_TASKS)
@pytest.mark.parametrize("pairs", [4, 12, 128])
def test_answers_by_loops(task, pairs):
    batch = recall_batch(task, 3, pairs, generator())
    assert batch.keys.shape == batch.values.shape == batch.marks.shape == (3, pairs)
    assert batch.keys.min() >= 0 and batch.keys.max() < NUM_KEYS
    assert batch.values.min() >= 0 and batch.values.max() < NUM_VALUES
    wanted = {"store": pairs, "update": pairs // 2, "reset": pairs // 4}[task]
    rows = zip(*(x.tolist() for x in vars(batch).values()), strict=True)
    for keys, values, marks, asked, answers in rows:
        memory = {}
        for k, v, mark in zip(keys, values, marks, strict=True):
            memory = {} if mark else memory
            memory[k] = v
        assert len(asked) == wanted and sorted(memory) == sorted(asked)
        assert answers == [memory[k] for k in asked]
        assert all(keys.count(k) == 1 + (task == "update") for k in keys)
        assert sum(marks) == (task == "reset")


def test_all_that_is_stored_is_asked_for_in_order():
    batch = recall_batch("store", 3, 8, generator())
    assert torch.equal(batch.asked, batch.keys)


def test_batches_come_from_their_generator():
    first, second, third = (recall_batch("update", 3, 8, generator(s)).keys for s in (1, 1, 2))  # fmt: skip
    assert torch.equal(first, second) and not torch.equal(first, third)


@pytest.mark.parametrize("kind", MEMORIES)
def test_every_parameter_is_trained(kind):
    model, batch = memory(kind), recall_batch("reset", 3, 8, generator())
    batch = Recall(*(x.double() if x.is_floating_point() else x for x in vars(batch).values()))  # fmt: skip
    logits = model(batch)
    assert logits.shape == (3, 2, NUM_VALUES)
    (logits * torch.randn(logits.shape, generator=generator())).sum().backward()
    idle = {n for n, p in model.named_parameters() if p.grad is None or not p.grad.any()}  # fmt: skip
    assert idle == ({"mark"} if kind == "linear" else set())


@pytest.mark.parametrize("kind", MEMORIES)
def test_only_a_sum_is_blind_to_order(kind):
    """What linear attention remembers is a sum; the others know what came last."""
    model, batch = memory(kind), recall_batch("store", 2, 12, generator())
    parts = {k: v.double() if v.is_floating_point() else v for k, v in vars(batch).items()}  # fmt: skip
    turned = parts | {name: parts[name].flip(1) for name in ("keys", "values", "marks")}
    same = torch.allclose(model(Recall(**parts)), model(Recall(**turned)), atol=1e-9)
    assert same == (kind == "linear")


def test_the_same_seed_trains_the_same_memory():
    first, second, third = (
        fit_memory("delta", "store", 5, (4,), seed=seed, steps=3).state_dict() for seed in (1, 1, 2)
    )
    assert all(torch.equal(first[name], second[name]) for name in first)
    assert any(not torch.equal(first[name], third[name]) for name in first)


def test_training_teaches():
    before = fit_memory("delta", "update", 16, (8,), steps=1)
    after = fit_memory("delta", "update", 16, (8,), steps=150)
    assert recall_accuracy(before, "update", 8) < 0.2
    assert recall_accuracy(after, "update", 8) > 0.8


@pytest.mark.parametrize(
    ("call", "match"),
    [
        (lambda: recall_batch("recite", 2, 8, generator()), "task must be one of store, update, reset, got 'recite'"),
        (lambda: recall_batch("store", 2, 6, generator()), "multiple of 4 and at most 128, got 6"),
        (lambda: recall_batch("store", 2, 132, generator()), "at most 128, got 132"),
        (lambda: Rememberer("elephant", 5), "kind must be one of softmax, .*got 'elephant'"),
    ],
)  # fmt: skip
def test_wrong_arguments(call, match):
    with pytest.raises(ValueError, match=match):
        call()


def test_the_stored_results_are_complete():
    stored = json.loads(STORED.read_text("utf-8"))
    wanted = [plan | {"seed": seed} for plan in variants(None) for seed in range(OPTIONS["seeds"])]
    names = ("task", "kind", "d", "longer", "seed")
    found = [{name: row[name] for name in names} for row in stored["rows"]]
    assert found == wanted and OPTIONS["seeds"] >= 3
    for row in stored["rows"]:
        assert [int(n) for n in row["right"]] == list(PAIRS)
        assert all(0 <= right <= 1 for right in row["right"].values())
    assert sum(row["cpu_seconds"] for row in stored["rows"]) < 12 * 60
    assert stored["command"].startswith("python -m tools.experiments recall")
    assert set(stored["versions"]) == {"python", "torch"}
