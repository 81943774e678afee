"""Checkpoints: a training goes on from them as if nothing had happened, also after a kill −9; others are refused."""

import dataclasses
import math
import os
import pickle
import random
import signal
import subprocess
import sys

import numpy as np
import pytest
import torch
from torch import nn

from attnbook.training import CheckpointError, TrainConfig, read_archive, save_checkpoint, train
from attnbook.training.checkpoint import PARTS, load_checkpoint, random_state, set_random_state
from small_training import (
    EVEN,
    SAVING,
    STEPS,
    Interrupted,
    Sizes,
    Small,
    batches,
    interrupt_at,
    loss_fn,
    refused,
    same,
    weights_of,
)
from tensors import says


@pytest.fixture(scope="module")
def uninterrupted():
    model = Small()
    return train(model, loss_fn, batches, STEPS), weights_of(model)


# --- interruptions ---------------------------------------------------------------------------------------------------


def stopped(at, data, config, path):
    with pytest.raises(Interrupted):
        train(Small(), interrupt_at(at), data, config, checkpoint=path)


@pytest.mark.parametrize("at", [1, 2, 3, 5, 6])
def test_resumed_losses_are_the_uninterrupted_ones(tmp_path, uninterrupted, at):
    """Wherever it stops: before the first checkpoint, within an epoch, and at its end."""
    path = tmp_path / "folder" / "model.pt"
    stopped(at, batches, SAVING, path)
    assert path.exists() == (at >= 2)
    random.seed(99)
    torch.manual_seed(99)
    model = Small()
    losses = train(model, loss_fn, batches, SAVING, checkpoint=path)
    assert losses == uninterrupted[0]
    assert same(weights_of(model), uninterrupted[1])


def test_batches_that_draw_from_the_global_generators_resume_too(tmp_path):
    """As a shuffling DataLoader does: it draws when an epoch begins."""

    def drawing(epoch):
        first = random.random() + np.random.rand()  # noqa: NPY002
        for _ in range(3):
            yield torch.rand(4, 3) + first, torch.ones(4, 1)

    config = dataclasses.replace(STEPS, checkpoint_every=3)  # at the end of an epoch
    losses = train(Small(), loss_fn, drawing, config)
    path = tmp_path / "model.pt"
    stopped(4, drawing, config, path)
    resumed = train(Small(), loss_fn, drawing, config, checkpoint=path)
    assert resumed == losses


def test_an_evaluation_that_draws_changes_no_losses_of_a_resumed_training(tmp_path):
    """It is repeated when the training is resumed, but was drawn for before the checkpoint was written."""

    def evaluated(progress):
        random.random(), np.random.rand(), torch.rand(())  # noqa: NPY002

    losses = train(Small(), loss_fn, batches, SAVING, after_step=evaluated)
    path = tmp_path / "model.pt"
    with pytest.raises(Interrupted):
        train(Small(), interrupt_at(4), batches, SAVING, checkpoint=path, after_step=evaluated)
    assert train(Small(), loss_fn, batches, SAVING, checkpoint=path, after_step=evaluated) == losses


def test_a_finished_training_is_read_and_one_made_longer_goes_on(tmp_path):
    path = tmp_path / "model.pt"
    config = TrainConfig(steps=4)
    model = Small()
    losses = train(model, loss_fn, batches, config, checkpoint=path)

    def never(model, batch):
        raise AssertionError("nothing is left to be trained")

    again = Small()
    assert train(again, never, batches, config, checkpoint=path) == losses
    assert same(weights_of(again), weights_of(model))
    longer = dataclasses.replace(config, steps=9, checkpoint_every=2)
    whole = train(Small(), loss_fn, batches, longer)
    assert train(Small(), loss_fn, batches, longer, checkpoint=path) == whole
    with pytest.raises(CheckpointError, match="has already trained for 9 steps, more than the 4"):
        train(Small(), loss_fn, batches, config, checkpoint=path)


PROGRAM = """
import sys, time
sys.path[:0] = {folders!r}
from attnbook.training import train
from small_training import SAVING, Small, batches, loss_fn

def slowly(model, batch):
    print("step", flush=True)
    time.sleep(0.1)
    return loss_fn(model, batch)

train(Small(), slowly, batches, SAVING, checkpoint={path!r})
"""


def test_after_kill_9_it_goes_on_to_the_same_losses(tmp_path, uninterrupted):
    path = tmp_path / "model.pt"
    program = PROGRAM.format(folders=sys.path, path=str(path))
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True) as process:
        for _ in range(4):  # two steps are saved, the fourth is being made
            assert process.stdout.readline() == "step\n"
        process.send_signal(signal.SIGKILL)
        assert process.wait(timeout=60) == -signal.SIGKILL
    saved = load_checkpoint(path)["losses"]
    assert len(saved) == 2 and saved == uninterrupted[0][:2]
    model = Small()
    losses = train(model, loss_fn, batches, SAVING, checkpoint=path)
    assert losses == uninterrupted[0]
    assert same(weights_of(model), uninterrupted[1])


def test_random_numbers_go_on_from_where_they_stood(tmp_path):
    state = random_state()
    save_checkpoint(tmp_path / "random.pt", state)
    wanted = (random.random(), np.random.rand(), torch.rand(1).item())  # noqa: NPY002
    random.seed(5)
    np.random.seed(5)  # noqa: NPY002
    torch.manual_seed(5)
    set_random_state(torch.load(tmp_path / "random.pt", weights_only=True))
    assert (random.random(), np.random.rand(), torch.rand(1).item()) == wanted  # noqa: NPY002


def test_random_numbers_of_apples_processor_go_on_too(monkeypatch):
    generator = torch.Generator()
    monkeypatch.setattr(torch.backends.mps, "is_available", lambda: True)
    monkeypatch.setattr(torch.mps, "get_rng_state", generator.get_state)
    monkeypatch.setattr(torch.mps, "set_rng_state", generator.set_state)
    state = random_state()
    drawn = torch.rand(1, generator=generator)
    set_random_state(state)
    assert torch.rand(1, generator=generator) == drawn


@pytest.mark.parametrize(("there", "here"), [(2, 1), (1, 2), (2, 2)])
def test_random_numbers_of_the_gpus_that_there_are_go_on(monkeypatch, there, here):
    """A checkpoint of a machine with two GPUs, on one with one, and the other way round."""
    gpus = [torch.Generator().manual_seed(gpu) for gpu in range(2)]
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: here)
    monkeypatch.setattr(torch.cuda, "get_rng_state_all", lambda: [gpu.get_state() for gpu in gpus[:there]])
    monkeypatch.setattr(torch.cuda, "set_rng_state", lambda state, gpu: gpus[:here][gpu].set_state(state))
    monkeypatch.setattr(
        torch.cuda, "set_rng_state_all", lambda states: [gpus[:here][gpu].set_state(s) for gpu, s in enumerate(states)]
    )
    state = random_state()
    drawn = [torch.rand(1, generator=gpu) for gpu in gpus]
    set_random_state(state)
    again = [torch.rand(1, generator=gpu) for gpu in gpus]
    assert [a.equal(b) for a, b in zip(drawn, again, strict=True)] == [True, there == here == 2]


# --- what is refused -------------------------------------------------------------------------------------------------


@pytest.fixture
def path(tmp_path):
    """A good checkpoint of two steps."""
    return two_steps(tmp_path, EVEN)


def two_steps(folder, config):
    path = folder / "model.pt"
    train(Small(), loss_fn, batches, dataclasses.replace(config, steps=2), checkpoint=path)
    return path


def test_a_checkpoint_of_other_sizes_is_refused_before_anything_is_loaded(path):
    message = refused(path, Small(Sizes(d_model=7)))
    assert "(d_model: 5 there, 7 here)" in message and "another file" in message


class Longer(Small):
    def __init__(self):
        super().__init__()
        self.last = nn.Linear(1, 1)


class Wider(Small):
    def __init__(self):
        super().__init__()
        self.outer = nn.Linear(self.config.d_model, 2)


@pytest.mark.parametrize(
    ("make", "says"), [(Longer, "last.bias: None there, (1,) here"), (Wider, "outer.bias: (1,) there, (2,) here")]
)
def test_other_weights_are_refused_though_the_configuration_is_the_same(path, make, says):
    assert says in refused(path, make())


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"lr": 0.01}, "lr: 0.05 there, 0.01 here"),
        ({"seed": 3}, "seed: 0 there, 3 here"),
        ({"schedule": "warmup-cosine"}, "schedule: constant there, warmup-cosine here"),
    ],
)
def test_another_training_is_refused(path, change, says):
    assert says in refused(path, Small(), dataclasses.replace(EVEN, **change))


def test_a_cosine_cannot_be_made_longer(tmp_path):
    path = two_steps(tmp_path, STEPS)
    assert "steps: 2 there, 7 here" in refused(path, Small(), STEPS)


@pytest.mark.parametrize("fraction", [0.0, 0.3, 0.9, 0.999])
def test_a_truncated_checkpoint_is_refused_and_kept(path, fraction):
    content = path.read_bytes()
    path.write_bytes(content[: int(fraction * len(content))])
    message = refused(path, Small())
    assert "is not a whole checkpoint" in message and "delete it to start anew" in message


def test_a_single_flipped_bit_is_noticed(path):
    """In the middle of a weight, where torch.load reads another number without a word."""
    weight = load_checkpoint(path)["model"]["inner.weight"]
    content = bytearray(path.read_bytes())
    content[content.index(weight.numpy().tobytes()) + 7] ^= 0b00000100
    path.write_bytes(content)
    changed = torch.load(path, weights_only=True)["model"]["inner.weight"]
    assert not torch.equal(changed, weight)
    assert "is not a whole checkpoint (BadZipFile)" in refused(path, Small())


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (["a list"], "not a whole checkpoint"),
        (list(PARTS), "not a whole checkpoint"),
        (" ".join(PARTS), "not a whole checkpoint"),
        (torch.zeros(3), "not a whole checkpoint"),
        ({"model": {}, "losses": []}, "lacks optimizer, schedule, elapsed, random, model_config, train_config"),
        (3, "not a whole checkpoint"),
    ],
)
def test_another_file_is_refused(path, content, says):
    torch.save(content, path)
    assert says in refused(path, Small())


def test_a_folder_is_no_checkpoint(tmp_path):
    for call in (lambda: train(Small(), loss_fn, batches, STEPS, checkpoint=tmp_path), lambda: read_archive(tmp_path)):
        with pytest.raises(CheckpointError, match=f"{tmp_path} is a folder; name a file in it"):
            call()


@pytest.mark.parametrize("value", [abs, lambda x: x, object(), {"inner": [abs]}], ids=["function", "λ", "object", "in"])
def test_what_a_checkpoint_cannot_hold_is_refused_before_anything_is_trained(tmp_path, value):
    model, path = Small(Sizes(d_model=5)), tmp_path / "model.pt"
    model.config = dataclasses.make_dataclass("Odd", ["d_model", "scaling"])(5, value)
    before = weights_of(model)
    with pytest.raises(CheckpointError, match="the model's configuration has scaling = "):
        train(model, loss_fn, batches, STEPS, checkpoint=path)
    assert same(weights_of(model), before) and not path.exists()
    assert len(train(model, loss_fn, batches, STEPS)) == 7  # without a checkpoint it may be trained


def test_what_a_checkpoint_holds_is_read_again(tmp_path):
    model, path = Small(Sizes(d_model=5)), tmp_path / "model.pt"
    model.config = dataclasses.make_dataclass("Sizes", ["a", "b", "c"])((1, 2.5), {"x": [None, True]}, Sizes())
    losses = train(model, loss_fn, batches, STEPS, checkpoint=path)
    assert train(model, loss_fn, batches, STEPS, checkpoint=path) == losses


class Trap:
    """What a stranger could put into a file: code that runs when it is unpickled."""

    def __init__(self, place):
        self.place = place

    def __reduce__(self):
        return os.mkdir, (str(self.place),)


def bare_pickle(state, path):
    path.write_bytes(pickle.dumps(state, protocol=2))


CHANGED = [
    (("optimizer", "param_groups", 0, "lr"), "0.05", "the optimizer's options"),
    (("optimizer", "param_groups", 0, "lr"), math.nan, "the optimizer's options"),
    (("optimizer", "param_groups", 0, "betas"), (0.9,), "the optimizer's options"),
    (("schedule", "base_lrs"), ["x"], "the schedule's numbers"),
    (("schedule", "last_epoch"), 2.5, "the schedule's numbers"),
    (("elapsed",), math.nan, "is damaged (elapsed)"),
    (("elapsed",), -1.0, "is damaged (elapsed)"),
    (("train_config", "lr"), torch.zeros(3), "is damaged (its configuration"),
    (("train_config", "betas"), (torch.zeros(3),) * 2, "is damaged (its conf"),
    (("train_config",), {3: 1}, "is damaged (its configuration: TypeError)"),
    (("model_config", "dropout"), torch.zeros(3), "is damaged (its configuration"),
]


@pytest.mark.parametrize(("place", "value", "says"), CHANGED)
def test_a_number_of_another_kind_is_refused(path, place, value, says):
    state = part = load_checkpoint(path)
    for name in place[:-1]:
        part = part[name]
    part[place[-1]] = value
    save_checkpoint(path, state)
    assert says in refused(path, Small())


@pytest.mark.parametrize(("write", "reason"), [(torch.save, "UnpicklingError"), (bare_pickle, "BadZipFile")])
def test_nothing_in_a_checkpoint_is_executed(path, write, reason):
    place = path.parent / "executed"
    write({**load_checkpoint(path), "trap": Trap(place)}, path)
    assert f"is not a whole checkpoint ({reason})" in refused(path, Small())
    assert not place.exists()


def test_a_crash_while_writing_leaves_the_old_checkpoint(path, monkeypatch):
    content = path.read_bytes()

    def half(state, file):
        file.write(content[:100])
        raise OSError("no space left on device")

    monkeypatch.setattr(torch, "save", half)
    with pytest.raises(OSError, match="no space left"):
        save_checkpoint(path, {"a": 1})
    assert path.read_bytes() == content
    assert [p.name for p in path.parent.iterdir()] == ["model.pt"]


def test_load_checkpoint_by_itself(path):
    state = load_checkpoint(path, {"d_model": 5, "dropout": 0.3})
    assert len(state["losses"]) == 2 and set(state["model"]) == set(Small().state_dict())
    with pytest.raises(CheckpointError, match=says("d_model: 5 there, 8 here", "heads: None there, 2 here")):
        load_checkpoint(path, {"d_model": 8, "dropout": 0.3, "heads": 2})
    with pytest.raises(FileNotFoundError, match="no checkpoint at .*; train first"):
        load_checkpoint(path.with_name("absent.pt"))
    assert issubclass(CheckpointError, ValueError)


@pytest.mark.parametrize("bad", [math.nan, math.inf])
def test_a_loss_that_is_no_number_stops_before_the_weights_change(path, bad):
    content, seen = path.read_bytes(), []

    def loss(model, batch):
        value = loss_fn(model, batch)
        seen.append(weights_of(model))
        return value if len(seen) < 2 else value * bad

    model = Small()
    with pytest.raises(FloatingPointError, match=f"the loss is {bad} at step 3; lower the learning rate"):
        train(model, loss, batches, EVEN, checkpoint=path)
    assert path.read_bytes() == content  # the last good one
    assert all(p.isfinite().all() for p in model.parameters())
