"""Training again from a notebook: the bar, the curves, Stop, and what goes wrong."""

import threading

import pytest
import torch
from torch import nn

from attnbook.training import TrainConfig, train
from attnbook.workbench import Retrain
from attnbook.workbench.retraining import named, short_names, spread_labels, thinned

STORED = [{"choice": {"width": 3, "seed": 0}, "curve": [[1, 2.0], [2, 1.0]], "says": "1 %"}]


def run(width, seed, steps=40, after_step=None):
    torch.manual_seed(seed)
    losses = train(
        nn.Linear(width, 1),
        lambda model, x: model(x).square().mean(),
        lambda epoch: [torch.ones(2, width)],
        TrainConfig(steps, 1e-2),
        after_step=after_step,
    )
    return f"{len(losses)} steps"


def bench(work=run):
    return Retrain(work, STORED, "Again", width=[3, 5], seed=range(7))


def test_it_begins_with_the_stored_runs():
    one = bench()
    assert one.controls["width"].value == 3 and one.controls["seed"].max == 6
    frame = one.stored.frames[0]
    assert frame["name"] == "width 3, seed 0" and frame["says"] == ["1 %"]
    assert "from 2.00 to 1.00" in frame["alt"]
    assert "In JupyterLab" in one.stored.hint


def test_a_training_fills_the_bar_and_adds_a_curve():
    one = bench()
    one.controls["width"].value = 5
    one.begin()
    one.wait()
    assert one.bar.value == 1 and "40 steps" in one.picture.value
    assert list(one.curves) == ["width 3, seed 0", "width 5, seed 0"]
    assert one.curves["width 5, seed 0"][-1][0] == 40
    assert not one.start.disabled and one.stop.disabled


def test_stop_ends_it_and_the_buttons_come_back():
    going = threading.Event()

    def endless(width, seed):
        return run(width, seed, 10**9, lambda progress: going.set())

    one = bench(endless)
    one.begin()
    assert going.wait(20) and one.start.disabled and not one.stop.disabled
    one.begin()  # a second press does not begin a second training
    one.stop.click()
    one.wait()
    assert "Stopped." in one.picture.value and not one.start.disabled


def test_an_error_is_told_and_does_not_end_the_figure():
    def broken(width, seed):
        raise ValueError("width <9> does not fit")

    one = bench(broken)
    one.begin()
    one.wait()
    assert "ValueError: width &lt;9&gt; does not fit" in one.picture.value
    assert not one.start.disabled


@pytest.mark.parametrize(("count", "points"), [(0, 0), (1, 1), (99, 99), (1000, 100)])
def test_a_curve_keeps_its_mean_and_its_end(count, points):
    losses = [float(n) for n in range(count)]
    curve = thinned(losses)
    assert len(curve) == points
    if count:
        assert curve[-1][0] == count
        means = sum(loss for _, loss in curve) / points
        assert means == pytest.approx(sum(losses) / count)


def test_names():
    assert named({"d_model": 8, "seed": 1}) == "d model 8, seed 1"


def test_labels_are_apart_and_in_order():
    found = spread_labels({"a": 1.0, "b": 0.0, "c": 1.05, "d": 0.02}, 0.1)
    assert found == pytest.approx({"b": 0.0, "d": 0.1, "a": 1.0, "c": 1.1})


def test_a_label_says_only_in_what_runs_differ():
    names = [named({"heads": h, "jars": j, "seed": 0}) for h, j in ((1, 2), (4, 2), (4, 4))]
    heading, labels = short_names(names)
    assert heading == "heads · jars"
    assert list(labels.values()) == ["1 · 2", "4 · 2", "4 · 4"]
    assert short_names(names[:1])[0] == "heads · jars · seed"
