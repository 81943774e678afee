"""The same seed gives the same numbers in all three libraries; the device can be chosen and is checked."""

import random

import numpy as np
import pytest
import torch

from attnbook.reproducible import best_device, seed_everything
from tensors import says


@pytest.fixture(autouse=True)
def keep_global_state():
    """Seeding is global: put everything back for the tests that follow."""
    python, numpy, pytorch = (
        random.getstate(),
        np.random.get_state(),  # noqa: NPY002
        torch.get_rng_state(),
    )
    yield
    random.setstate(python)
    np.random.set_state(numpy)  # noqa: NPY002
    torch.set_rng_state(pytorch)


def draw():
    return random.random(), np.random.rand(), torch.rand(()).item()  # noqa: NPY002


def test_the_same_seed_gives_the_same_numbers_and_another_seed_others():
    seed_everything(7)
    first = draw()
    seed_everything(7)
    again = draw()
    seed_everything(8)
    other = draw()
    assert first == again
    assert all(a != b for a, b in zip(first, other, strict=True))


def test_the_generator_is_seeded_alike_and_independent_of_the_global_state():
    generator = seed_everything(7)
    undisturbed = torch.rand(3)
    generator = seed_everything(7)
    numbers = torch.rand(3, generator=generator)
    assert torch.equal(numbers, torch.rand(3, generator=torch.Generator().manual_seed(7)))
    assert torch.equal(torch.rand(3), undisturbed)  # drawing from the one did not advance the other
    assert generator.device.type == "cpu"


@pytest.mark.parametrize("seed", [0, 2**32 - 1])
def test_the_ends_of_the_range_are_seeds(seed):
    assert seed_everything(seed).initial_seed() == seed


@pytest.mark.parametrize(
    ("seed", "error", "message"),
    [
        (1.0, TypeError, ("seed must be an integer", "float")),
        (True, TypeError, ("seed must be an integer", "bool")),
        (None, TypeError, ("seed must be an integer", "NoneType")),
        (-1, ValueError, ("between 0 and 2**32 - 1", "got -1")),
        (2**32, ValueError, ("between 0 and 2**32 - 1", "got 4294967296")),
    ],
)
def test_what_is_no_seed(seed, error, message):
    seed_everything(7)
    expected = draw()
    seed_everything(7)
    with pytest.raises(error, match=says(*message)):
        seed_everything(seed)
    assert draw() == expected  # nothing was half seeded


@pytest.mark.parametrize(
    ("cuda", "mps", "expected"), [(True, True, "cuda"), (False, True, "mps"), (False, False, "cpu")]
)
def test_the_best_device_there_is(monkeypatch, cuda, mps, expected):
    monkeypatch.setenv("ATTNBOOK_DEVICE", " ")  # blank counts as unset
    monkeypatch.setattr(torch.cuda, "is_available", lambda: cuda)
    monkeypatch.setattr(torch.backends.mps, "is_available", lambda: mps)
    assert best_device() == torch.device(expected)
    monkeypatch.delenv("ATTNBOOK_DEVICE")
    assert best_device() == torch.device(expected)


def test_the_environment_overrides(monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setenv("ATTNBOOK_DEVICE", "cpu")
    assert best_device() == torch.device("cpu")


@pytest.mark.parametrize("name", ["gpu", "cpu:x", "cuda:999"])
def test_a_device_that_is_not_there(monkeypatch, name):
    monkeypatch.setenv("ATTNBOOK_DEVICE", name)
    with pytest.raises(ValueError, match=says(f"ATTNBOOK_DEVICE is {name!r}", "cannot use", "unset it")) as caught:
        best_device()
    assert "\n" not in str(caught.value)  # PyTorch's own message may run over many lines
