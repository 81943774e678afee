"""The training loop: repeatable, clipped, in epochs; and the losses and data that it refuses."""

import dataclasses
import math
import os
import random
import subprocess
import sys

import pytest
import torch

from attnbook.training import TrainConfig, evaluating, noam_factor, train
from small_training import STEPS, Interrupted, Sizes, Small, batches, loss_fn, same, watching, weights_of


def test_the_progress_says_where_it_ends():
    seen = []
    train(Small(), loss_fn, batches, STEPS, after_step=seen.append)
    assert [here.step for here in seen if here.last] == [7] == [len(seen)]


def test_the_same_seed_gives_the_same_losses():
    model = Small()
    losses = train(model, loss_fn, batches, STEPS)
    weights = weights_of(model)
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
    config = TrainConfig(steps=3, lr=0.5, clip=0.1, schedule="noam", warmup=2, d_model=4, weight_decay=0.3)
    model, by_hand = (Small(Sizes(dropout=0.0)) for _ in range(2))
    losses = train(model, loss_fn, batches, config)
    optimizer = torch.optim.AdamW(by_hand.parameters(), betas=(0.9, 0.98), weight_decay=0.3)
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


def test_evaluating_gives_every_part_its_own_mode_back():
    model = Small()
    model.dropout.eval()
    with pytest.raises(Interrupted), evaluating(model) as same_model:
        assert same_model is model
        assert not any(part.training for part in model.modules())
        raise Interrupted
    assert model.training and model.inner.training and not model.dropout.training


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


# --- errors ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("clip", [1.0, None])
def test_a_gradient_that_is_no_number_stops_before_the_weights_change(clip, tmp_path):
    """And before they are saved: the last checkpoint is kept, here none."""
    model = Small()
    before = weights_of(model)

    def loss(model, batch):  # the square root of 0 is finite, its slope is not
        return (model(batch[0]) * 0).abs().sum().sqrt()

    with pytest.raises(FloatingPointError, match="the gradient's norm is .* at step 0"):
        train(model, loss, batches, TrainConfig(steps=2, clip=clip), checkpoint=tmp_path / "model.pt")
    assert same(weights_of(model), before)
    assert not [*tmp_path.iterdir()]


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


def test_a_training_needs_a_length():
    with pytest.raises(ValueError, match="pass steps or seconds"):
        train(Small(), loss_fn, batches, TrainConfig())


@pytest.mark.parametrize("elapsed", [-1.0, math.nan, math.inf])
def test_a_training_has_spent_a_number_of_seconds(elapsed):
    config = TrainConfig(seconds=1.0)
    with pytest.raises(ValueError, match="elapsed must be a finite number"):
        train(Small(), loss_fn, batches, config, elapsed=elapsed)
