"""Trainings that are watched from outside, and bars for readers who wait."""

import sys

import pytest
import torch
from torch import nn

from attnbook.training import TrainConfig, train, watched
from attnbook.training.watching import reader_waits, watcher

CONFIG = TrainConfig(5, 1e-2)


def fit_line():
    torch.manual_seed(0)
    return train(nn.Linear(3, 1), lambda model, x: model(x).square().mean(), lambda epoch: [torch.ones(2, 3)], CONFIG)


def test_each_step_is_reported_with_the_losses_and_the_part_that_is_done():
    seen = []
    with watched(lambda losses, part: seen.append((len(losses), part))):
        losses = fit_line()
    assert seen == [(n, n / 5) for n in range(1, 6)]
    fit_line()
    assert len(seen) == 5 == len(losses)  # nobody watches after the block


def test_a_watcher_may_stop_the_training():
    def stop(losses, part):
        raise KeyError(len(losses))

    with pytest.raises(KeyError, match="1"), watched(stop):
        fit_line()
    assert watcher() is None


def test_only_a_reader_in_a_notebook_gets_a_bar(monkeypatch):
    monkeypatch.delenv("ATTNBOOK_BARS", raising=False)
    monkeypatch.setitem(sys.modules, "ipykernel", None)
    monkeypatch.delitem(sys.modules, "ipykernel")
    assert not reader_waits()
    monkeypatch.setitem(sys.modules, "ipykernel", sys)
    assert reader_waits()
    with watched(lambda *_: None):
        assert not reader_waits()
    monkeypatch.setenv("ATTNBOOK_BARS", "off")
    assert not reader_waits()
