"""One training in two processes: none waits for another for ever, and each goes on with its own random numbers."""

import json
import os
import subprocess
import sys

import torch
from torch import nn

from attnbook.training import TrainConfig
from small_training import refused

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
