"""The position tasks: right answers by loops, and readers that know what their kind of position lets them know."""

import json
from pathlib import Path

import pytest
import torch
from torch import nn

from attnbook.attention import LinearScaling, RotaryPositions
from attnbook.studies import (
    KINDS,
    PositionReader,
    fit_reader,
    look_back_batch,
    reading_accuracy,
    reversal_batch,
    train_reader,
    where_it_looks,
    with_larger_scores,
    with_rotary,
)
from tensors import generator
from tools.experiments.positions import OPTIONS, seeds_of, variants

STORED = Path(__file__).resolve().parents[2] / "chapters" / "results" / "positions.json"
BLIND = {"none", "ALiBi"}  # cannot tell a row from its mirror image


def reader(kind, **sizes):
    torch.manual_seed(0)
    return PositionReader(kind, 5, 11, **sizes).double()


def test_look_back_asks_for_the_symbol_a_few_places_to_the_left():
    ids, answers = look_back_batch(2, 7, generator(), vocab_size=5, back=3)
    for row, wanted in zip(ids.tolist(), answers.tolist(), strict=True):
        assert wanted == [-100, -100, -100, *row[:4]]
    assert ids.min() >= 0 and ids.max() < 5


def test_mirror_asks_for_the_row_reversed():
    ids, answers = reversal_batch(2, 7, generator())
    assert answers.tolist() == [row[::-1] for row in ids.tolist()]


def test_batches_come_from_their_generator():
    first, second, third = (look_back_batch(3, 5, generator(seed))[0] for seed in (1, 1, 2))
    assert torch.equal(first, second)
    assert not torch.equal(first, third)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("length", [1, 7, 11])
def test_every_kind_names_a_symbol_at_every_place(kind, length):
    logits = reader(kind)(torch.randint(5, (2, length), generator=generator()))
    assert logits.shape == (2, length, 5)
    assert logits.isfinite().all()


@pytest.mark.parametrize("kind", KINDS)
def test_only_a_reader_without_positions_is_blind_to_order(kind):
    model, ids = reader(kind), torch.randint(5, (2, 7), generator=generator())
    order = torch.tensor([3, 0, 6, 1, 5, 2, 4])
    same = torch.allclose(model(ids[:, order]), model(ids)[:, order], atol=1e-9)
    assert same == (kind == "none")


@pytest.mark.parametrize("kind", KINDS)
def test_only_kinds_without_direction_are_blind_to_a_mirror(kind):
    model, ids = reader(kind), torch.randint(5, (2, 7), generator=generator())
    same = torch.allclose(model(ids.flip(1)).flip(1), model(ids), atol=1e-9)
    assert same == (kind in BLIND)


@pytest.mark.parametrize("kind", KINDS)
def test_a_causal_reader_does_not_see_the_future(kind):
    ids = torch.randint(5, (2, 7), generator=generator())
    other = ids.clone()
    other[:, 4] = (other[:, 4] + 1) % 5
    for causal in (True, False):
        model = reader(kind, causal=causal)
        change = (model(other) - model(ids)).abs().amax(dim=(0, 2))  # (T,)
        assert (change[4:].max() > 1e-6) and (bool((change[:4] < 1e-9).all()) == causal)


@pytest.mark.parametrize("kind", ["Shaw", "DeBERTa", "T5", "learned"])
def test_every_parameter_is_trained(kind):
    model, ids = reader(kind), torch.randint(5, (7, 11), generator=generator())
    (model(ids) * torch.randn(7, 11, 5, generator=generator(), dtype=torch.float64)).sum().backward()
    assert all(p.grad is not None and p.grad.abs().max() > 0 for p in model.parameters())


@pytest.mark.parametrize("kind", ["Shaw", "T5", "DeBERTa"])
def test_relative_terms_are_scored_by_the_layers_own_queries_and_keys(kind):
    model, ids, given = reader(kind), torch.arange(7)[None] % 5, []
    for term in model.relative:
        term.register_forward_hook(lambda _, arguments, __: given.append(arguments))
    model(ids)
    assert len(given) == len(model.layers)
    layer = model.layers[0]
    x = layer.around_attention.norm(model.embedding(ids))
    for came, wanted in zip(given[0], layer.attention.project_all(x), strict=False):
        assert torch.equal(came, wanted)


def test_learned_positions_end_where_their_table_ends():
    with pytest.raises(ValueError, match="positions 0 to 10 are learned"):
        reader("learned")(torch.zeros(1, 13, dtype=torch.long))


def test_a_learned_table_starts_as_loud_as_sinusoids():
    table = reader("learned", d_model=128).added.embedding.weight
    assert table.square().mean().item() == pytest.approx(0.5, rel=0.1)


def test_an_unknown_kind_is_refused():
    with pytest.raises(ValueError, match="kind must be one of none, sinusoidal.*got 'rotation'"):
        PositionReader("rotation", 5, 11)


def test_the_same_seed_trains_the_same_reader():
    first, second, third = (
        fit_reader("rotary", look_back_batch, length=5, seed=seed, steps=3).state_dict() for seed in (1, 1, 2)
    )
    assert all(torch.equal(first[name], second[name]) for name in first)
    assert any(not torch.equal(first[name], third[name]) for name in first)


def test_training_teaches():
    before = fit_reader("sinusoidal", reversal_batch, length=3, steps=1)
    after = fit_reader("sinusoidal", reversal_batch, length=3, steps=150)
    assert reading_accuracy(before, reversal_batch, 3) < 0.4
    assert reading_accuracy(after, reversal_batch, 3) > 0.9


def test_a_reader_is_trained_in_place_on_as_many_rows_as_asked():
    asked = []

    def batch(rows, length, generator):
        asked.append((rows, length))
        return look_back_batch(rows, length, generator)

    model = PositionReader("rotary", 8, 11)
    before = model.head.weight.clone()
    assert train_reader(model, batch, 13, steps=2, rows=5) is model
    assert asked == [(5, 13)] * 2 and not torch.equal(model.head.weight, before)


@pytest.mark.parametrize("kind", ["sinusoidal", "learned"])
def test_only_added_positions_notice_where_a_row_begins(kind):
    ids, model = torch.randint(5, (2, 7), generator=generator()), reader(kind)
    rows = model.added(torch.zeros(1, 11, 32, dtype=torch.float64))
    x = model.embedding(ids) + rows[:, 4:]
    for layer in model.layers:
        x, _ = layer(x)
    torch.testing.assert_close(model.read(ids, start=4)[0], x)
    rotary = reader("rotary")
    assert torch.equal(rotary(ids, start=4), rotary(ids))


def test_batches_begin_at_random_positions_up_to_the_last_one_allowed():
    model, begun = PositionReader("learned", 8, 11), []
    model.added.register_forward_hook(lambda _, arguments, __: begun.append(arguments[1]))
    train_reader(model, look_back_batch, 5, steps=200, rows=1)
    assert begun == [0] * 200
    train_reader(model, look_back_batch, 5, steps=200, rows=1, starts=6)
    assert set(begun[200:]) == set(range(7))
    wide = fit_reader("learned", look_back_batch, 5, steps=1, starts=9)
    assert wide.added.embedding.num_embeddings == 14


def test_other_angles_change_what_a_copy_reads_and_nothing_else():
    model, ids = reader("rotary"), torch.randint(5, (2, 7), generator=generator())
    given = model.layers[0].attention.rotary
    same, other = (with_rotary(model, RotaryPositions(scaling=LinearScaling(s))) for s in (1.0, 3.0))
    assert torch.equal(same(ids), model(ids))
    assert (other(ids) - model(ids)).abs().max() > 1e-3
    assert all(torch.equal(a, b) and a is not b for a, b in zip(other.parameters(), model.parameters(), strict=True))
    assert all(layer.attention.rotary is given for layer in model.layers)


@pytest.mark.parametrize("kind", ["rotary", "T5", "sinusoidal"])
def test_where_a_reader_looks_is_a_mean_over_a_layer_by_distance(kind):
    torch.manual_seed(0)
    model = PositionReader(kind, 8, 11).double()
    ids = torch.randint(8, (50, 7), generator=torch.Generator().manual_seed(3))
    x = model.embedding(ids) if model.added is None else model.added(model.embedding(ids))
    for number, (layer, bias) in enumerate(zip(model.layers, model.relative or [None, None], strict=True)):
        x, weights = layer(x, bias=bias, need_weights=True)
        found = where_it_looks(model, 7, first=2, seed=3, layer=number)
        assert list(found) == list(range(-6, 5))
        for distance, mean in found.items():
            asked = [t for t in range(2, 7) if 0 <= t + distance < 7]
            assert mean == pytest.approx(sum(weights[:, :, t, t + distance].mean().item() for t in asked) / len(asked))
    assert where_it_looks(model, 7, first=2, seed=3) == found


def test_larger_scores_raise_the_weights_to_a_power():
    model = PositionReader("T5", 8, 11, num_layers=1).double()
    torch.nn.init.normal_(model.relative[0].embedding.weight)
    ids = torch.randint(8, (2, 7), generator=generator())
    larger = with_larger_scores(model, 3)
    before, after = (one.read(ids, need_weights=True)[1][0] for one in (model, larger))
    torch.testing.assert_close(after, before**3 / (before**3).sum(dim=-1, keepdim=True))
    assert not torch.allclose(after, before, atol=1e-2)


def test_only_rotary_readers_have_angles_and_only_t5s_have_buckets():
    with pytest.raises(ValueError, match="of the kind 'rotary', got 'Shaw'; other kinds have no angles to change"):
        with_rotary(reader("Shaw"), RotaryPositions())
    with pytest.raises(ValueError, match="of the kind 'T5', got 'Shaw'; other kinds have no buckets to multiply"):
        with_larger_scores(reader("Shaw"), 2)


class Copies(nn.Module):
    """Names the symbol that stands `back` places to the left, and a wrong one in the first half."""

    def __init__(self, back):
        super().__init__()
        self.back = back

    def forward(self, ids, start=0):
        if start == 100:  # there it fails
            return torch.zeros(*ids.shape, 8)
        named = ids.roll(self.back, dims=1)
        half = ids.shape[1] // 2
        named = torch.cat([(named[:, :half] + 1) % 8, named[:, half:]], dim=1)
        return torch.nn.functional.one_hot(named, 8).float()


def test_accuracy_counts_from_the_first_place_that_is_asked():
    assert reading_accuracy(Copies(3), look_back_batch, 12, first=6) == 1
    assert reading_accuracy(Copies(3), look_back_batch, 12) == pytest.approx(6 / 9)  # three places have no answer
    assert reading_accuracy(Copies(2), look_back_batch, 12, first=6) < 0.25
    assert reading_accuracy(Copies(3), look_back_batch, 12, first=6, start=100) < 0.25


def test_the_stored_results_are_complete():
    stored = json.loads(STORED.read_text("utf-8"))
    count = OPTIONS["seeds"], OPTIONS["fewer"]
    wanted = [{**plan, "seed": seed} for plan in variants(None) for seed in range(seeds_of(plan, *count))]
    measured = ("trained_length", "beyond", "far", "middle")
    found = [{k: v for k, v in r.items() if k not in measured} for r in stored["rows"]]
    assert sorted(map(str, map(sorted_items, found))) == sorted(map(str, map(sorted_items, wanted)))
    assert count[0] >= 5 and count[1] >= 3
    assert all(0 <= row[name] <= 1 for row in stored["rows"] for name in measured[:2])
    far = [row["far"] for row in stored["rows"] if row["far"] is not None]
    assert len(far) == 5 * 10 + 3 * 11 and all(0 <= x <= 1 for x in far)
    assert stored["command"].startswith("python -m tools.experiments positions")
    assert set(stored["versions"]) == {"python", "torch"}


def sorted_items(plan):
    return sorted(plan.items(), key=lambda item: item[0])
