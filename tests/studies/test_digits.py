"""Pictures as sentences: patches lie where they should, each has its place, readers learn."""

import subprocess
import sys

import pytest
import torch

from attnbook.studies import PictureReader, cut_patches, digit_pictures, fit_pictures, picture_accuracy
from tensors import close

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


def test_a_patch_that_moves_changes_the_scores():
    torch.manual_seed(0)
    reader = PictureReader()
    moved = SOME.roll(2, dims=2)  # the same patches at other places
    assert (reader(SOME) - reader(moved)).abs().max() > 1e-3
    with torch.no_grad():
        reader.positions.embedding.weight.zero_()
    close(reader(SOME), reader(moved), 1e-5)


def test_a_reader_learns_some_pictures_by_heart(parts):
    torch.manual_seed(0)
    pictures, digits = (x[:40] for x in parts["train"])
    reader = PictureReader()
    losses = fit_pictures(reader, pictures, digits, steps=60)
    assert len(losses) == 60 and not reader.training
    assert picture_accuracy(reader, pictures, digits) > 0.9


def test_the_seed_decides_the_order_of_the_pictures(parts):
    weights = []
    for seed in (0, 1, 1):
        torch.manual_seed(0)
        reader = PictureReader()
        fit_pictures(reader, *parts["train"], steps=2, seed=seed)
        weights.append(reader.W_patch.weight.detach())
    assert not torch.equal(weights[0], weights[1])
    assert torch.equal(weights[1], weights[2])


def test_the_room_opens_without_scikit_learn():
    code = "import sys, attnbook.studies; sys.exit('sklearn' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
