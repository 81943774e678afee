"""One training in two processes: none waits for another for ever, and each goes on with its own random numbers."""

import json
import os
import subprocess
import sys

import pytest
import torch
from torch import nn

from attnbook.training import TrainConfig
from small_training import refused

TWO_PROCESSES = """
import json, sys
from contextlib import nullcontext
import torch
from torch import nn
from attnbook.data import Batch
from attnbook.training import TrainConfig, make_fabric, train, watched
from attnbook.training.checkpoint import load_checkpoint
from attnbook.translation import translation_loss


def in_step(fabric, rank):
    found = {}

    def loss_fn(model, x):  # each process draws, the second one twice as much
        return model(x + torch.rand(1 + rank, 1)).square().mean()

    def run(steps, checkpoint=None, **options):
        torch.manual_seed(0)
        config = TrainConfig(steps=steps, lr=0.1)
        batches = lambda epoch: [torch.ones(1 + rank, 1)]
        return train(nn.Linear(1, 1), loss_fn, batches, config, fabric=fabric, checkpoint=checkpoint, **options)

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


class Tiny(nn.Linear):  # a translator, as far as a loss can tell
    def forward(self, source, told, lens):
        return super().forward(told[..., None].float())


def one_fails(fabric, rank):
    def fails(*progress):
        raise OSError("the disk is full")

    def summed(model, batch):
        return model(batch).sum()

    steps = []

    def fails_later(model, batch):
        steps.append(None)
        loss = summed(model, batch)
        return fails() if rank == 1 and len(steps) == 2 else loss

    def pairs(epoch):  # one word is in no vocabulary
        ids, lens = torch.ones(1, 1, dtype=torch.long), torch.ones(1, dtype=torch.long)
        return [Batch(ids, lens, ids, ids + (4 if rank == 1 else 0), lens)]

    blocked = sys.argv[1] + "/a file/training.pt"  # only the first process writes
    for name, on, options in (
        ("look", 1, {"after_step": fails if rank == 1 else lambda progress: False}),
        ("save", 0, {"checkpoint": blocked}),
        ("loss", 1, {}),
        ("data", 1, {}),
        ("watch", 1, {}),
        ("loss_fn", 1, {}),
        ("words", 1, {}),
    ):
        torch.manual_seed(0)
        model = Tiny(1, 3) if name == "words" else nn.Linear(1, 1)
        x = torch.full((1, 1), float("nan") if name == "loss" and rank == 1 else 1.0)
        watch = watched(fails) if name == "watch" and rank == 1 else nullcontext()
        try:
            with watch:
                train(
                    model,
                    {"loss_fn": fails_later, "words": translation_loss(0.0, fabric)}.get(name, summed),
                    pairs if name == "words" else lambda epoch: [] if name == "data" and rank == 1 else [x],
                    TrainConfig(steps=2, checkpoint_every=1),
                    fabric=fabric,
                    **options,
                )
        except Exception as error:
            open(f"{sys.argv[1]}/{name} {rank}", "w").write(f"{type(error).__name__}: {error}")


if __name__ == "__main__":
    fabric = make_fabric(devices=2)
    fabric.launch()
    in_step(fabric, fabric.global_rank)
    one_fails(fabric, fabric.global_rank)
"""


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """The folder into which two processes have written what they found."""
    folder = tmp_path_factory.mktemp("two")
    (folder / "a file").write_text("in the way of a folder")
    script = folder / "two.py"
    script.write_text(TWO_PROCESSES)
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, str(script), str(folder)]
    done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=240)
    assert done.returncode == 0, done.stderr[-2000:]
    return folder


def test_what_one_process_finds_ends_the_others(written):
    """In its data, its loss or what makes it, its way of looking at the progress, its watcher, and when it saves."""
    said = {
        case: [(written / f"{case} {rank}").read_text() for rank in (0, 1)]
        for case in ("look", "save", "loss", "data", "watch", "loss_fn", "words")
    }
    other = "OtherProcessError: another process of this training has failed"
    for case in ("look", "data", "watch", "loss_fn", "words"):
        assert said[case][0].startswith(other)
    assert said["data"][1].startswith("ValueError: epoch 0 has no batches")
    assert said["words"][1].startswith("ValueError: target must hold ids from 0 to 2")
    assert said["watch"][1] == said["loss_fn"][1] == said["look"][1]
    assert said["look"][1] == "OSError: the disk is full"
    assert "a file" in said["save"][0] and said["save"][1].startswith(other)
    assert all(one.startswith("FloatingPointError: the loss") for one in said["loss"])


def test_two_processes_stop_together_and_go_on_with_their_own_random_numbers(written):
    for rank in (0, 1):
        found = json.loads((written / f"found {rank}").read_text())
        assert found["stopped"] == 3
        assert found["resumed"] == found["whole"] and len(found["whole"]) == 6
        assert found["states"] == [2, True]
    # one process alone cannot go on with what two have begun
    torch.manual_seed(0)
    model, path = nn.Linear(1, 1), written / "training.pt"
    config = TrainConfig(steps=6, lr=0.1, checkpoint_every=2)
    assert "in 2 processes, this one has 1" in refused(path, model, config)
