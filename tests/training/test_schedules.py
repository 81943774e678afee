"""Learning-rate schedules by their formulas, how far a training is, and configurations that are refused."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attnbook.training import Progress, TrainConfig, noam_factor, train
from attnbook.training.schedules import warmup_cosine, warmup_cosine_factor
from small_training import Small, batches, loss_fn, watching
from tensors import PROPERTY


@PROPERTY
@given(d_model=st.sampled_from([4, 512]), warmup=st.integers(1, 4000), step=st.integers(0, 10**5))
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
    factors = [warmup_cosine_factor(step, 4, 24) for step in range(30)]
    assert factors[:5] == [0.25, 0.5, 0.75, 1.0, 1.0]
    assert factors[14] == pytest.approx(0.5)  # half-way down
    assert factors[24:] == [pytest.approx(0.0)] * 6
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


@pytest.mark.parametrize("warmup", [0, 100, 370])
def test_by_the_clock_the_schedule_has_the_same_shape(warmup):
    """A training whose steps all take the same time sees the factors that it would see by steps, half a step apart."""
    by_clock = TrainConfig(seconds=50.0, schedule="warmup-cosine", warmup_fraction=warmup / 1000)
    for step in range(1000):
        found = by_clock.factor(3, elapsed=50.0 * step / 1000)
        assert found == pytest.approx(warmup_cosine_factor(step, warmup, 1000), abs=0.011)
    for late in (50.0, 350.0):
        assert by_clock.factor(3, elapsed=late) == pytest.approx(0, abs=1e-12)


def test_a_fraction_of_the_steps_is_a_number_of_steps():
    as_fraction = TrainConfig(19, schedule="warmup-cosine", warmup_fraction=0.3)
    as_steps = TrainConfig(19, schedule="warmup-cosine", warmup=5)
    assert [as_fraction.factor(s) for s in range(19)] == [as_steps.factor(s) for s in range(19)]


def test_progress_passes_each_multiple_once():
    steps = [Progress(n, n - 1, n) for n in range(1, 13)]
    assert [p.step for p in steps if p.passed(4)] == [4, 8, 12]
    times = [0.0, 0.9, 1.1, 3.5, 3.6, 4.0]
    clocked = [Progress(n, times[n - 1], times[n]) for n in range(1, 6)]
    assert [p.step for p in clocked if p.passed(1.0)] == [2, 3, 5]
    assert not any(p.passed(0) for p in steps)


# --- errors ----------------------------------------------------------------------------------------------------------


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
        ({"betas": 0.9}, TypeError, "betas must be a tuple of two numbers, got float"),
        ({"betas": [0.9, 0.9]}, TypeError, "betas must be a tuple of two numbers, got list"),
        ({"warmup_fraction": math.nan}, ValueError, "warmup_fraction must be at least 0 and below 1"),
        ({"schedule": "cosine"}, ValueError, "schedule must be one of constant, warmup-cosine, noam, got 'cosine'"),
        ({"schedule": "noam", "warmup": 10}, ValueError, "the noam schedule needs d_model and warmup"),
        ({"seconds": 3.0}, ValueError, "steps or seconds, not both"),
        ({"warmup": 3, "warmup_fraction": 0.1}, ValueError, "warmup or warmup_fraction, not both"),
        ({"warmup": 5}, ValueError, "a constant learning rate has no warm-up: pass schedule='warmup-cosine'"),
        ({"warmup_fraction": 0.1}, ValueError, "a constant learning rate has no warm-up"),
        ({"schedule": "warmup-cosine", "warmup": 6}, ValueError, "warmup must be at most steps, 5, got 6"),
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


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: warmup_cosine(math.nan, 0.1), "done must be at least 0"),
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
