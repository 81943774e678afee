"""The training loop: repeatable, resumable, also after a kill −9; schedules, clipping, checkpoints, errors."""

import contextlib
import dataclasses
import json
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
import torch.nn.functional as F
from hypothesis import given
from hypothesis import strategies as st
from tensors import PROPERTY, says
from torch import nn
from torch.optim.optimizer import register_optimizer_step_pre_hook

from attnbook.training import (
    CheckpointError,
    Progress,
    TrainConfig,
    evaluating,
    load_checkpoint,
    noam_factor,
    random_state,
    save_checkpoint,
    set_random_state,
    train,
    warmup_cosine,
    warmup_cosine_factor,
)

STEPS = TrainConfig(steps=7, lr=0.05, clip=0.5, schedule="warmup-cosine", warmup=2)
SAVING = dataclasses.replace(STEPS, checkpoint_every=2)


@dataclasses.dataclass(frozen=True)
class Sizes:
    """The configuration of the small model."""

    d_model: int = 5
    dropout: float = 0.3


class Small(nn.Module):
    """With dropout, so that random numbers matter at every step."""

    def __init__(self, config=Sizes()):  # noqa: B008 — frozen
        super().__init__()
        torch.manual_seed(1)
        self.config = config
        self.inner = nn.Linear(3, config.d_model)
        self.dropout = nn.Dropout(config.dropout)
        self.outer = nn.Linear(config.d_model, 1)

    def forward(self, x):
        return self.outer(self.dropout(self.inner(x).tanh()))


def batches(epoch):
    """Three batches an epoch, shuffled by the epoch's number."""
    generator = torch.Generator().manual_seed(epoch)
    for _ in range(3):
        x = torch.randn(4, 3, generator=generator)
        yield x, x.sum(-1, keepdim=True)


def loss_fn(model, batch):
    x, y = batch
    return F.mse_loss(model(x), y)


class Interrupted(Exception):
    pass


def interrupt_at(step):
    """A loss that stops the training at a step, as a power cut would."""
    seen = []

    def loss(model, batch):
        seen.append(batch)
        if len(seen) > step:
            raise Interrupted
        return loss_fn(model, batch)

    return loss


def weights_of(model):
    return {name: weight.clone() for name, weight in model.state_dict().items()}


@contextlib.contextmanager
def watching(look):
    """Collect what `look` finds in the optimizer's group of parameters before each step."""
    found = []
    hook = register_optimizer_step_pre_hook(
        lambda optimizer, *_: found.append(look(optimizer.param_groups[0]))
    )
    try:
        yield found
    finally:
        hook.remove()


def same(a, b):
    return a.keys() == b.keys() and all(torch.equal(a[name], b[name]) for name in a)


@pytest.fixture(scope="module")
def uninterrupted():
    model = Small()
    return train(model, loss_fn, batches, STEPS), weights_of(model)


# --- the loop --------------------------------------------------------------------------------------------------------


def test_the_progress_says_where_it_ends():
    seen = []
    train(Small(), loss_fn, batches, STEPS, after_step=seen.append)
    assert [here.step for here in seen if here.last] == [7] == [len(seen)]


def test_the_same_seed_gives_the_same_losses(uninterrupted):
    losses, weights = uninterrupted
    assert len(losses) == 7 and all(math.isfinite(loss) for loss in losses)
    random.seed(99)
    torch.manual_seed(99)
    again = Small()
    assert train(again, loss_fn, batches, STEPS) == losses
    assert same(weights_of(again), weights)
    other = train(Small(), loss_fn, batches, dataclasses.replace(STEPS, seed=1))
    assert other != losses


def test_it_learns():
    config = TrainConfig(steps=150, lr=0.05)
    losses = train(Small(Sizes(dropout=0.0)), loss_fn, batches, config)
    assert sum(losses[-10:]) < 0.1 * sum(losses[:10])


def test_a_step_by_hand():
    """AdamW with the schedule's learning rate and the gradient clipped to a norm of `clip`."""
    config = TrainConfig(
        steps=3,
        lr=0.5,
        clip=0.1,
        schedule="noam",
        warmup=2,
        d_model=4,
        weight_decay=0.3,
    )
    model, by_hand = (Small(Sizes(dropout=0.0)) for _ in range(2))
    losses = train(model, loss_fn, batches, config)
    optimizer = torch.optim.AdamW(
        by_hand.parameters(), betas=(0.9, 0.98), weight_decay=0.3
    )
    for step, batch in enumerate(batches(0)):
        optimizer.param_groups[0]["lr"] = 0.5 * noam_factor(step, 4, 2)
        loss = loss_fn(by_hand, batch)
        assert loss.item() == pytest.approx(losses[step], rel=1e-5)
        optimizer.zero_grad()
        loss.backward()
        norm = sum((p.grad**2).sum() for p in by_hand.parameters()).sqrt()
        assert norm > 0.1  # there is something to clip
        for p in by_hand.parameters():
            p.grad *= 0.1 / norm
        optimizer.step()
    for got, expected in zip(model.parameters(), by_hand.parameters(), strict=True):
        torch.testing.assert_close(got, expected, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(("clip", "largest"), [(0.1, 0.1), (None, math.inf)])
def test_gradients_are_clipped_to_the_norm(clip, largest):
    def norm(group):
        return sum(p.grad.square().sum() for p in group["params"]).sqrt().item()

    with watching(norm) as norms:
        train(Small(), loss_fn, batches, TrainConfig(steps=3, clip=clip))
    assert len(norms) == 3 and max(norms) <= largest * (1 + 1e-4)
    assert min(norms) > 0.09
    if clip is None:
        assert max(norms) > 0.2


def test_epochs_follow_each_other():
    asked, seen = [], []

    def numbered(epoch):
        asked.append(epoch)
        return iter([(epoch, i) for i in range(3)])

    def loss(model, batch):
        seen.append(batch)
        return model(torch.ones(1, 3)).sum()

    train(Small(), loss, numbered, TrainConfig(steps=7))
    assert asked == [0, 1, 2]
    assert seen == [(e, i) for e in range(2) for i in range(3)] + [(2, 0)]


def test_every_parameter_gets_a_gradient_and_training_mode():
    model = Small().eval()
    before = weights_of(model)
    train(model, loss_fn, batches, TrainConfig(steps=2))
    assert model.training
    after = weights_of(model)
    assert all((after[name] != before[name]).any() for name in before)


def test_progress_is_shown_only_if_wanted(capsys):
    train(Small(), loss_fn, batches, STEPS)
    assert capsys.readouterr() == ("", "")
    train(Small(), loss_fn, batches, STEPS, progress=True)
    assert "7/7" in capsys.readouterr().err


# --- schedules -------------------------------------------------------------------------------------------------------


@PROPERTY
@given(
    d_model=st.sampled_from([4, 512]),
    warmup=st.integers(1, 4000),
    step=st.integers(0, 10**5),
)
def test_noam_by_the_formula_and_its_peak(d_model, warmup, step):
    number = step + 1  # the paper's step_num
    wanted = d_model**-0.5 * min(number**-0.5, number * warmup**-1.5)
    assert noam_factor(step, d_model, warmup) == pytest.approx(wanted, rel=1e-12)
    peak = noam_factor(warmup - 1, d_model, warmup)
    assert peak == pytest.approx((d_model * warmup) ** -0.5, rel=1e-9)
    assert noam_factor(step, d_model, warmup) <= peak * (1 + 1e-9)


def test_the_papers_peak():
    """512 wide, 4000 steps of warm-up: about 7e-4."""
    assert noam_factor(3999, 512, 4000) == pytest.approx(6.9877e-4, rel=1e-4)


def test_after_its_peak_the_papers_rate_falls_with_the_root_of_the_step():
    """Four times as many steps, half the rate."""
    peak = noam_factor(3999, 512, 4000)
    assert noam_factor(15999, 512, 4000) == pytest.approx(peak / 2, rel=1e-9)
    assert noam_factor(1999, 512, 4000) == pytest.approx(peak / 2, rel=1e-9)


def test_warmup_and_cosine():
    factors = [warmup_cosine_factor(step, 4, 24, floor=0.1) for step in range(30)]
    assert factors[:5] == [0.25, 0.5, 0.75, 1.0, 1.0]
    assert factors[14] == pytest.approx(0.55)  # half-way down
    assert factors[24:] == [pytest.approx(0.1)] * 6
    assert all(a > b for a, b in zip(factors[4:24], factors[5:25], strict=True))
    assert warmup_cosine_factor(0, 0, 10) == 1


@pytest.mark.parametrize(
    ("options", "wanted"),
    [
        ({}, lambda step: 1.0),
        ({"schedule": "warmup-cosine", "warmup": 3}, lambda step: warmup_cosine_factor(step, 3, 9)),
        ({"schedule": "noam", "warmup": 3, "d_model": 8}, lambda step: noam_factor(step, 8, 3)),
    ],
)  # fmt: skip
def test_the_schedule_reaches_the_optimizer(options, wanted):
    with watching(lambda group: group["lr"]) as rates:
        train(Small(), loss_fn, batches, TrainConfig(steps=9, lr=0.01, **options))
    assert rates == [pytest.approx(0.01 * wanted(step)) for step in range(9)]


@PROPERTY
@given(st.integers(1, 400), st.integers(0, 99), st.floats(0, 1))
def test_by_the_clock_the_schedule_has_the_same_shape(steps, percent, done):
    """A training whose steps all take the same time sees the factors that it would see by steps."""
    fraction = percent / 100
    by_clock = TrainConfig(
        seconds=50.0, schedule="warmup-cosine", warmup_fraction=fraction
    )
    found = by_clock.factor(3, elapsed=50.0 * done)
    assert found == pytest.approx(warmup_cosine(done, fraction))
    warmup = fraction * 1000
    if round(1000 * done) >= warmup + 1:
        step = round(1000 * done)
        wanted = 0.5 * (1 + math.cos(math.pi * (step - warmup) / (1000 - warmup)))
        assert found == pytest.approx(wanted, abs=0.2)
    assert warmup_cosine(1.0, fraction) == pytest.approx(0, abs=1e-12)
    assert warmup_cosine(7.0, fraction) == pytest.approx(0, abs=1e-12)


def test_a_fraction_of_the_steps_is_a_number_of_steps():
    as_fraction = TrainConfig(19, schedule="warmup-cosine", warmup_fraction=0.3)
    as_steps = TrainConfig(19, schedule="warmup-cosine", warmup=5)
    assert [as_fraction.factor(s) for s in range(19)] == [
        as_steps.factor(s) for s in range(19)
    ]


def test_progress_passes_each_multiple_once():
    steps = [Progress(n, n - 1, n) for n in range(1, 13)]
    assert [p.step for p in steps if p.passed(4)] == [4, 8, 12]
    times = [0.0, 0.9, 1.1, 3.5, 3.6, 4.0]
    clocked = [Progress(n, times[n - 1], times[n]) for n in range(1, 6)]
    assert [p.step for p in clocked if p.passed(1.0)] == [2, 3, 5]
    assert not any(p.passed(0) for p in steps)


# --- for a moment ----------------------------------------------------------------------------------------------------


def test_evaluating_gives_every_part_its_own_mode_back():
    model = Small()
    model.dropout.eval()
    with pytest.raises(Interrupted), evaluating(model) as same_model:
        assert same_model is model
        assert not any(part.training for part in model.modules())
        raise Interrupted
    assert model.training and model.inner.training and not model.dropout.training


ONE_OF_TWO_FAILS = """
import sys
from contextlib import nullcontext
import torch
from torch import nn
from attnbook.training import TrainConfig, make_fabric, train, watched

if __name__ == "__main__":
    fabric = make_fabric(devices=2)
    fabric.launch()
    rank = fabric.global_rank

    def fails(*progress):
        raise OSError("the disk is full")

    blocked = sys.argv[1] + "/a file/training.pt"  # only the first process writes
    for name, on, options in (
        ("look", 1, {"after_step": fails if rank == 1 else lambda progress: False}),
        ("save", 0, {"checkpoint": blocked}),
        ("loss", 1, {}),
        ("data", 1, {}),
        ("watch", 1, {}),
    ):
        torch.manual_seed(0)
        model = nn.Linear(1, 1)
        x = torch.full((1, 1), float("nan") if name == "loss" and rank == 1 else 1.0)
        watch = watched(fails) if name == "watch" and rank == 1 else nullcontext()
        try:
            with watch:
                train(
                    model,
                    lambda model, batch: model(batch).sum(),
                    lambda epoch: [] if name == "data" and rank == 1 else [x],
                    TrainConfig(steps=2, checkpoint_every=1),
                    fabric,
                    **options,
                )
        except Exception as error:
            open(f"{sys.argv[1]}/{name} {rank}", "w").write(f"{type(error).__name__}: {error}")
"""


def in_two_processes(program, folder):
    """Run a program that makes a fabric of two devices."""
    script = folder / "two.py"
    script.write_text(program)
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, str(script), str(folder)]
    done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr[-2000:]


def test_what_one_process_finds_ends_the_others(tmp_path):
    """In its data, its loss, its own way of looking at the progress, its watcher, and when it saves; none waits."""
    (tmp_path / "a file").write_text("in the way of a folder")
    in_two_processes(ONE_OF_TWO_FAILS, tmp_path)
    said = {
        case: [(tmp_path / f"{case} {rank}").read_text() for rank in (0, 1)]
        for case in ("look", "save", "loss", "data", "watch")
    }
    other = "OtherProcessError: another process of this training has failed"
    for case in ("look", "data", "watch"):
        assert said[case][0].startswith(other)
    assert said["data"][1].startswith("ValueError: epoch 0 has no batches")
    assert said["watch"][1] == said["look"][1]
    assert said["look"][1] == "OSError: the disk is full"
    assert "a file" in said["save"][0] and said["save"][1].startswith(other)
    assert all(one.startswith("FloatingPointError: the loss") for one in said["loss"])


TWO_IN_STEP = """
import json, sys
import torch
from torch import nn
from attnbook.training import TrainConfig, load_checkpoint, make_fabric, train

if __name__ == "__main__":
    fabric = make_fabric(devices=2)
    fabric.launch()
    rank = fabric.global_rank
    found = {}

    def loss_fn(model, x):  # each process draws, the second one twice as much
        return model(x + torch.rand(1 + rank, 1)).square().mean()

    def run(steps, checkpoint=None, **options):
        torch.manual_seed(0)
        config = TrainConfig(steps=steps, lr=0.1)
        batches = lambda epoch: [torch.ones(1 + rank, 1)]
        return train(nn.Linear(1, 1), loss_fn, batches, config, fabric, checkpoint, **options)

    path = sys.argv[1] + "/training.pt"
    stop = lambda progress: rank == 1 and progress.step == 3
    found["stopped"] = len(run(9, after_step=stop))
    found["whole"] = run(6)
    run(3, path)
    torch.manual_seed(99)
    found["resumed"] = run(6, path)
    states = load_checkpoint(path)["random"]
    found["states"] = len(states), not torch.equal(states[0]["torch"], states[1]["torch"])
    json.dump(found, open(f"{sys.argv[1]}/found {rank}", "w"))
"""


def test_two_processes_stop_together_and_go_on_with_their_own_random_numbers(tmp_path):
    in_two_processes(TWO_IN_STEP, tmp_path)
    for rank in (0, 1):
        found = json.loads((tmp_path / f"found {rank}").read_text())
        assert found["stopped"] == 3
        assert found["resumed"] == found["whole"] and len(found["whole"]) == 6
        assert found["states"] == [2, True]
    # one process alone cannot go on with what two have begun
    torch.manual_seed(0)
    model, path = nn.Linear(1, 1), tmp_path / "training.pt"
    config = TrainConfig(steps=6, lr=0.1, checkpoint_every=2)
    assert "in 2 processes, this one has 1" in refused(path, model, config)


def test_importing_the_room_does_not_import_fabric():
    """It takes seconds, and a reader who only looks at a page never trains."""
    program = (
        "import sys, attnbook.training, attnbook.translation\n"
        "print([name for name in sys.modules if 'lightning' in name])"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert done.stdout == "[]\n", done.stderr


# --- interruptions ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("at", [1, 2, 3, 5, 6])
def test_resumed_losses_are_the_uninterrupted_ones(tmp_path, uninterrupted, at):
    """Wherever it stops: before the first checkpoint, within an epoch, and at its end."""
    path = tmp_path / "folder" / "model.pt"
    with pytest.raises(Interrupted):
        train(Small(), interrupt_at(at), batches, SAVING, checkpoint=path)
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
    with pytest.raises(Interrupted):
        train(Small(), interrupt_at(4), drawing, config, checkpoint=path)
    resumed = train(Small(), loss_fn, drawing, config, checkpoint=path)
    assert resumed == losses


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
    with pytest.raises(
        CheckpointError, match="has already trained for 9 steps, more than the 4"
    ):
        train(Small(), loss_fn, batches, config, checkpoint=path)


PROGRAM = """
import sys, time
sys.path[:0] = {folders!r}
from test_loop import SAVING, Small, batches, loss_fn, train

def slowly(model, batch):
    print("step", flush=True)
    time.sleep(0.1)
    return loss_fn(model, batch)

train(Small(), slowly, batches, SAVING, checkpoint={path!r})
"""


def test_after_kill_9_it_goes_on_to_the_same_losses(tmp_path, uninterrupted):
    path = tmp_path / "model.pt"
    program = PROGRAM.format(folders=sys.path, path=str(path))
    with subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, text=True
    ) as process:
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


# --- checkpoints -----------------------------------------------------------------------------------------------------


@pytest.fixture
def path(tmp_path):
    """A good checkpoint of two steps."""
    path = tmp_path / "model.pt"
    train(
        Small(),
        loss_fn,
        batches,
        dataclasses.replace(SAVING, steps=2, schedule="constant"),
        checkpoint=path,
    )
    return path


def refused(path, model, config=None):
    """Train on a checkpoint that does not fit: it must be refused, and neither model nor file be touched."""
    weights, content = weights_of(model), path.read_bytes()
    config = config or dataclasses.replace(SAVING, schedule="constant")
    with pytest.raises(CheckpointError) as caught:
        train(model, loss_fn, batches, config, checkpoint=path)
    assert same(weights_of(model), weights)
    assert path.read_bytes() == content
    return str(caught.value)


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
    ("make", "says"),
    [
        (Longer, "last.bias: None there, (1,) here"),
        (Wider, "outer.bias: (1,) there, (2,) here"),
    ],
)
def test_other_weights_are_refused_though_the_configuration_is_the_same(
    path, make, says
):
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
    config = dataclasses.replace(SAVING, schedule="constant")
    assert says in refused(path, Small(), dataclasses.replace(config, **change))


def test_a_cosine_cannot_be_made_longer(tmp_path):
    path = tmp_path / "model.pt"
    train(
        Small(), loss_fn, batches, dataclasses.replace(STEPS, steps=2), checkpoint=path
    )
    assert "steps: 2 there, 7 here" in refused(path, Small(), STEPS)


@pytest.mark.parametrize("fraction", [0.0, 0.3, 0.9, 0.999])
def test_a_truncated_checkpoint_is_refused_and_kept(path, fraction):
    content = path.read_bytes()
    path.write_bytes(content[: int(fraction * len(content))])
    message = refused(path, Small())
    assert (
        "is not a whole checkpoint" in message and "delete it to start anew" in message
    )


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
        (["a list"], "lacks model, optimizer"),
        (
            {"model": {}, "losses": []},
            "lacks optimizer, schedule, elapsed, random, model_config, train_config",
        ),
        (3, "not a whole checkpoint"),
    ],
)
def test_another_file_is_refused(path, content, says):
    torch.save(content, path)
    assert says in refused(path, Small())


class Trap:
    """What a stranger could put into a file: code that runs when it is unpickled."""

    def __init__(self, place):
        self.place = place

    def __reduce__(self):
        return os.mkdir, (str(self.place),)


def bare_pickle(state, path):
    path.write_bytes(pickle.dumps(state, protocol=2))


PARTS = [
    (("optimizer", "param_groups", 0, "lr"), "0.05", "the optimizer's options"),
    (("optimizer", "param_groups", 0, "lr"), math.nan, "the optimizer's options"),
    (("optimizer", "param_groups", 0, "betas"), (0.9,), "the optimizer's options"),
    (("schedule", "base_lrs"), ["x"], "the schedule's numbers"),
    (("schedule", "last_epoch"), 2.5, "the schedule's numbers"),
    (("elapsed",), math.nan, "is damaged (elapsed)"),
    (("elapsed",), -1.0, "is damaged (elapsed)"),
]


@pytest.mark.parametrize(("place", "value", "says"), PARTS)
def test_a_number_of_another_kind_is_refused(path, place, value, says):
    state = part = load_checkpoint(path)
    for name in place[:-1]:
        part = part[name]
    part[place[-1]] = value
    save_checkpoint(path, state)
    assert says in refused(path, Small())


@pytest.mark.parametrize(
    ("write", "reason"), [(torch.save, "UnpicklingError"), (bare_pickle, "BadZipFile")]
)
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
    assert len(state["losses"]) == 2 and set(state["model"]) == set(
        Small().state_dict()
    )
    with pytest.raises(
        CheckpointError,
        match=says("d_model: 5 there, 8 here", "heads: None there, 2 here"),
    ):
        load_checkpoint(path, {"d_model": 8, "dropout": 0.3, "heads": 2})
    with pytest.raises(FileNotFoundError, match="no checkpoint at .*; train first"):
        load_checkpoint(path.with_name("absent.pt"))
    assert issubclass(CheckpointError, ValueError)


# --- errors ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("bad", [math.nan, math.inf])
def test_a_loss_that_is_no_number_stops_before_the_weights_change(path, bad):
    content, seen = path.read_bytes(), []

    def loss(model, batch):
        value = loss_fn(model, batch)
        seen.append(weights_of(model))
        return value if len(seen) < 2 else value * bad

    model = Small()
    config = dataclasses.replace(SAVING, schedule="constant")
    with pytest.raises(
        FloatingPointError,
        match=f"the loss is {bad} at step 3; lower the learning rate",
    ):
        train(model, loss, batches, config, checkpoint=path)
    assert path.read_bytes() == content  # the last good one
    assert all(p.isfinite().all() for p in model.parameters())


def test_a_gradient_that_is_no_number_stops_before_the_weights_change():
    model = Small()
    before = weights_of(model)

    def loss(model, batch):  # the square root of 0 is finite, its slope is not
        return (model(batch[0]) * 0).abs().sum().sqrt()

    with pytest.raises(FloatingPointError, match="the gradient's norm is .* at step 0"):
        train(model, loss, batches, TrainConfig(steps=2))
    assert same(weights_of(model), before)


@pytest.mark.parametrize(
    ("loss", "data", "error", "message"),
    [
        (lambda model, batch: model(batch[0]), batches, ValueError, r"the loss must be a scalar, got shape \(4, 1\)"),
        (loss_fn, lambda epoch: [], ValueError, "epoch 0 has no batches"),
        (loss_fn, lambda epoch: list(batches(0)) if epoch < 1 else [], ValueError, "epoch 1 has no batches"),
    ],
)  # fmt: skip
def test_wrong_losses_and_data(loss, data, error, message):
    with pytest.raises(error, match=message):
        train(Small(), loss, data, TrainConfig(steps=5))


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"steps": 0}, ValueError, "steps must be at least 1"),
        ({"steps": 2.5}, TypeError, "steps must be an integer"),
        ({"lr": 0}, ValueError, "lr must be a finite number above 0"),
        ({"seed": -1}, ValueError, "seed must be at least 0"),
        ({"warmup": -1}, ValueError, "warmup must be at least 0"),
        *(
            ({name: value}, ValueError, f"{name} must be a finite number")
            for name in ("lr", "clip", "weight_decay", "checkpoint_every")
            for value in (-1.0, math.nan, math.inf)
        ),
        *(
            ({"steps": None, "seconds": value}, ValueError, "seconds must be a finite number above 0")
            for value in (0.0, math.nan, math.inf)
        ),
        ({"weight_decay": "0.1"}, TypeError, "weight_decay must be a number, got str"),
        ({"checkpoint_every": True}, TypeError, "checkpoint_every must be a number, got bool"),
        ({"betas": (0.9, 1.0)}, ValueError, "betas must be at least 0 and below 1"),
        ({"betas": (math.nan, 0.9)}, ValueError, "betas must be at least 0 and below 1"),
        ({"betas": (0.9,)}, ValueError, "betas must be two numbers"),
        ({"warmup_fraction": math.nan}, ValueError, "warmup_fraction must be at least 0 and below 1"),
        ({"schedule": "cosine"}, ValueError, "schedule must be constant, warmup-cosine or noam, got 'cosine'"),
        ({"schedule": "noam", "warmup": 10}, ValueError, "the noam schedule needs d_model and warmup"),
        ({"seconds": 3.0}, ValueError, "steps or seconds, not both"),
        ({"warmup": 3, "warmup_fraction": 0.1}, ValueError, "warmup or warmup_fraction, not both"),
        ({"warmup_fraction": 1.0}, ValueError, "warmup_fraction must be at least 0 and below 1"),
        (
            {"steps": None, "seconds": 3.0, "schedule": "warmup-cosine", "warmup": 2},
            ValueError,
            "pass warmup_fraction, not warmup",
        ),
    ],
)  # fmt: skip
def test_wrong_training_configurations(options, error, message):
    with pytest.raises(error, match=message):
        TrainConfig(**({"steps": 5} | options))


def test_a_training_needs_a_length():
    with pytest.raises(ValueError, match="pass steps or seconds"):
        train(Small(), loss_fn, batches, TrainConfig())


@pytest.mark.parametrize("elapsed", [-1.0, math.nan, math.inf])
def test_a_training_has_spent_a_number_of_seconds(elapsed):
    config = TrainConfig(seconds=1.0)
    with pytest.raises(ValueError, match="elapsed must be a finite number"):
        train(Small(), loss_fn, batches, config, elapsed=elapsed)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: warmup_cosine(math.nan, 0.1), "done must be at least 0"),
        (lambda: warmup_cosine_factor(0, 1, 10, math.nan), "floor must be"),
        (lambda: noam_factor(-1, 8, 10), "step must be at least 0"),
        (lambda: noam_factor(0, 0, 10), "d_model must be at least 1"),
        (lambda: noam_factor(0, 8, 0), "warmup must be at least 1"),
        (lambda: warmup_cosine_factor(0, -1, 10), "warmup must be at least 0"),
        (lambda: warmup_cosine_factor(0, 1, 0), "total must be at least 1"),
    ],
)
def test_wrong_schedules(call, message):
    with pytest.raises(ValueError, match=message):
        call()
