"""Pictures as sentences: patches lie where they should, the order of reading is a matter of names, readers learn."""

import subprocess
import sys

import pytest
import torch
from tensors import close

from attnbook.studies import (
    PictureReader,
    cut_patches,
    digit_pictures,
    fit_pictures,
    neighbourliness,
    picture_accuracy,
    shift_pictures,
)

SOME = torch.rand(7, 8, 8, generator=torch.Generator().manual_seed(0))


@pytest.fixture(scope="module")
def parts():
    return digit_pictures()  # not at once: scikit-learn takes its time


def test_the_parts_are_all_pictures_and_the_same_each_time(parts):
    sizes = [len(pictures) for pictures, _ in parts.values()]
    assert sizes == [1000, 297, 500]
    for pictures, digits in parts.values():
        assert pictures.shape == (len(digits), 8, 8)
        assert pictures.min() >= 0 and pictures.max() == 1
        assert digits.unique().tolist() == list(range(10))
    again, other = digit_pictures(), digit_pictures(seed=1)
    assert torch.equal(again["test"][0], parts["test"][0])
    assert not torch.equal(other["test"][0], parts["test"][0])
    every = torch.cat([pictures for pictures, _ in parts.values()]).flatten(1)
    assert len(every.unique(dim=0)) == 1797  # so that no test picture was trained on


def test_patches_lie_row_by_row():
    picture = torch.arange(64.0).reshape(1, 8, 8)
    patches = cut_patches(torch.cat([picture, -picture, 2 * picture]))
    assert patches.shape == (3, 16, 4)
    assert patches[0, 0].tolist() == [0, 1, 8, 9]
    assert patches[0, 1].tolist() == [2, 3, 10, 11]
    assert patches[0, 4].tolist() == [16, 17, 24, 25]
    assert torch.equal(patches[2], 2 * patches[0])


def test_shifts_are_those_of_a_loop():
    down = torch.tensor([0, 1, -1, 0, 0, 1, -1])
    right = torch.tensor([0, 0, 0, 1, -1, -1, 1])
    moved = shift_pictures(SOME, down, right)
    for before, after, a, b in zip(SOME, moved, down, right, strict=True):
        for i in range(8):
            for j in range(8):
                inside = 0 <= i - a < 8 and 0 <= j - b < 8
                assert after[i, j] == (before[i - a, j - b] if inside else 0)


def test_the_order_of_reading_is_a_matter_of_names():
    torch.manual_seed(0)
    reader, order = PictureReader(), torch.randperm(16)
    other = PictureReader(order=order)
    other.load_state_dict(reader.state_dict() | {"order": order})
    other.positions.embedding.weight.data = reader.places()[order]
    close(other(SOME), reader(SOME), 1e-5)
    close(other.places(), reader.places())


def test_without_positions_the_order_does_not_matter_and_with_them_it_does():
    torch.manual_seed(0)
    for positions in (True, False):
        reader = PictureReader(positions)
        other = PictureReader(positions, order=torch.randperm(16))
        kept = {"order": other.order}
        other.load_state_dict(reader.state_dict() | kept)
        apart = (reader(SOME) - other(SOME)).abs().max()
        assert (apart > 1e-3) == positions


def test_a_reader_learns_some_pictures_by_heart(parts):
    torch.manual_seed(0)
    pictures, digits = (x[:40] for x in parts["train"])
    reader = PictureReader()
    losses = fit_pictures(reader, pictures, digits, steps=60)
    assert len(losses) == 60 and not reader.training
    assert picture_accuracy(reader, pictures, digits) > 0.9


@pytest.mark.parametrize("how", [{"shift": True}, {"noise": 0.5}, {"seed": 1}])
def test_what_a_training_is_told_it_does(how, parts):
    weights = []
    for more in ({}, how, how):
        torch.manual_seed(0)
        reader = PictureReader()
        fit_pictures(reader, *parts["train"], steps=2, **more)
        weights.append(reader.W_patch.weight.detach())
    assert not torch.equal(weights[0], weights[1])
    assert torch.equal(weights[1], weights[2])


def test_neighbours_that_are_alike_give_a_negative_number():
    rows, columns = torch.arange(16) // 4, torch.arange(16) % 4
    angles = torch.stack([rows, columns]) * 0.7
    vectors = torch.cat([angles.cos(), angles.sin()]).T  # cosine falls with distance
    assert neighbourliness(vectors) < -0.9
    scrambled = vectors[torch.randperm(16, generator=torch.Generator().manual_seed(0))]
    assert abs(neighbourliness(scrambled)) < 0.3
    assert neighbourliness(5 * vectors) == pytest.approx(neighbourliness(vectors))


def test_the_room_opens_without_scikit_learn():
    code = "import sys, attnbook.studies; sys.exit('sklearn' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
