"""Every stored result says which command repeats it, and that command can be run."""

import argparse
import importlib
import json
import re
import shlex
import sys
from pathlib import Path

import pytest
import torch

from tools import ROOT, bench
from tools.experiments import scores
from tools.experiments.stored import made_by, row_by_row, unfinished

EXPERIMENTS = sorted(
    f"tools.experiments.{path.stem}"
    for path in (ROOT / "tools" / "experiments").glob("*.py")
    if path.stem not in ("__init__", "stored")
)


def stored_commands() -> list[str]:
    """All commands in the results that the book and its package hold."""
    found = set()
    for folder in ("chapters/results", "code/attnbook"):
        for path in (ROOT / folder).rglob("*.json"):
            text = path.read_text("utf-8")
            found |= set(re.findall(r'"command": ?"(python -?[^"]*)"', text))
    return sorted(found)


class Parsed(Exception):
    """Raised in place of a run that would take minutes."""


@pytest.fixture
def parse(monkeypatch):
    """A function: module, arguments → the options that its `main` understands; nothing is run."""
    understand = argparse.ArgumentParser.parse_args

    def stop(self, *_):
        raise Parsed(understand(self))

    def parse(module, arguments):
        main = importlib.import_module(module).main
        with monkeypatch.context() as patch:
            patch.setattr(sys, "argv", [module, *arguments])
            patch.setattr(argparse.ArgumentParser, "parse_args", stop)
            with pytest.raises(Parsed) as caught:
                main()
        return caught.value.args[0]

    return parse


def test_every_result_has_a_command():
    assert len(stored_commands()) >= 15


@pytest.mark.parametrize("command", stored_commands())
def test_a_stored_command_can_be_run_and_stores_itself(command, parse, monkeypatch):
    python, flag, module, *arguments = shlex.split(command)
    assert (python, flag) == ("python", "-m")
    if module == "tools.bench":
        monkeypatch.setattr(Path, "is_file", lambda path: True)
        assert bench.parse(arguments) and bench.said(arguments) == command
    else:
        assert module in EXPERIMENTS
        assert made_by(module, parse(module, arguments))["command"] == command


@pytest.mark.parametrize("module", EXPERIMENTS)
def test_an_experiment_explains_itself_and_runs_without_arguments(module, parse):
    assert f"python -m {module}" in importlib.import_module(module).__doc__
    assert parse(module, []) is not None


def test_the_command_writes_all_options_out_as_they_are_typed():
    options = argparse.Namespace(
        batch_size=3, seconds=[20, 60], dev=True, fresh=False, only=None, out=Path("x")
    )
    made = made_by("tools.experiments.race", options)
    assert made["command"] == (
        "python -m tools.experiments.race --batch-size 3 --seconds 20 60 --dev"
    )
    import torch

    # PyTorch for CUDA calls itself "2.13.0+cu130"; its package is 2.13.0
    assert torch.__version__.startswith(made["versions"]["torch"])


def test_only_a_result_of_the_same_command_and_versions_is_gone_on_with(tmp_path):
    path = tmp_path / "result.json"
    fresh = {"command": "a", "versions": {"torch": "2"}, "rows": []}
    assert unfinished(path, fresh) is fresh
    begun = fresh | {"rows": [1]}
    path.write_text(json.dumps(begun))
    assert unfinished(path, fresh) == begun
    for other in ({"command": "b"}, {"versions": {"torch": "3"}}):
        assert unfinished(path, fresh | other) == fresh | other


def test_a_result_row_by_row_is_the_same_result():
    result = {"command": "é", "rows": [{"a": [1, 2]}, {"a": []}], "seeds": 2}
    text = row_by_row(result, "rows")
    assert json.loads(text) == result
    assert '\n{"a":[1,2]},\n{"a":[]}\n' in text and '"command": "é",\n' in text


def test_the_stored_figures_are_written_in_this_form():
    """A result that is made again differs in what has changed, and not in how it is laid out."""
    found = 0
    for path in (ROOT / "code" / "attnbook" / "widgets").rglob("*.json"):
        text = path.read_text("utf-8")
        if text.startswith('{\n"command"'):
            result = json.loads(text)
            assert text == row_by_row(result, list(result)[-1])
            found += 1
    assert found == 5


def test_peak_memory_counts_what_is_alive_at_one_time():
    x = torch.zeros(256)  # 1024 bytes, given
    assert scores.peak(lambda: x.view(2, 128)) == 0
    assert scores.peak(lambda: x + 1 + 1) == 2048  # a sum beside the next one
    assert scores.peak(lambda: [x + 1 for _ in range(3)]) == 3072


def test_the_stored_counts_of_the_scores_are_those_of_the_formula():
    stored = json.loads(scores.RESULT.read_text("utf-8"))
    for row in stored["rows"]:
        d, h = row["d"], row["h"]
        assert (
            row["multiply_adds"]
            == scores.multiply_adds(stored["n"], d, h)[row["score"]]
        )
        again = scores.scorers(64, d, h)[row["score"]]
        with torch.no_grad():
            assert scores.peak(again) == row["peak"]["64"]
