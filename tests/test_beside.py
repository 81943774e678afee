"""The comparison with JoeyNMT: what it is handed, when it is stopped, what is judged. A stand-in answers for it."""

import json
import os
import sys
from dataclasses import replace
from pathlib import Path

import pytest
import torch
import yaml

from attnbook.translation import RECIPES
from tools import bench
from tools.benchmarks import beside, joey
from tools.benchmarks.beside import Record, Task, in_processor_time, line, run_theirs
from tools.benchmarks.joey import NotThere
from toy_corpus import toy_pairs

# Speaks as JoeyNMT does: its steps are milliseconds of processor time, and it has learned the development set by heart.
STAND_IN = """
import json, logging, sys, time
from pathlib import Path

mode, config = sys.argv[1], json.loads(Path(sys.argv[2]).read_text("utf-8"))
if mode == "train":
    logging.basicConfig(level="INFO")
    log = logging.getLogger("joeynmt.training")
    sum(range(3_000_000))  # before the first epoch: not counted
    began = time.process_time()
    log.info("EPOCH %d", 1)
    try:
        time.sleep(0.2)  # not the processor's time
        while True:
            sum(range(1000))
    except KeyboardInterrupt:
        log.info("Interrupt at epoch %d, step %d.", 1, 1000 * (time.process_time() - began))
        Path(config["model_dir"]).touch()
else:
    assert Path(config["model_dir"]).exists()
    source, target = (Path(config["data"]["dev"] + side).read_text("utf-8").splitlines()
                      for side in (".source", ".target"))
    for asked in sys.stdin.read().splitlines():
        print(dict(zip(source, target)).get(asked, "<unk>"))
"""


@pytest.fixture
def stand_in(tmp_path, monkeypatch):
    folder = tmp_path / "joeynmt"
    folder.mkdir()
    (folder / "__main__.py").write_text(STAND_IN, "utf-8")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    return Path(sys.executable)


needs_timer = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no timer of the processor's time")


@needs_timer
def test_theirs_is_stopped_by_its_own_processor_time_and_both_directions_of_the_tokens_fit(stand_in):
    found = run_theirs(stand_in, toy_pairs(), 0.5, 0, 1e-3, 10.0)
    assert 0.5 <= found["taken"] < 0.7 and found["updates"] == pytest.approx(500, abs=200)
    assert found["dev"] == pytest.approx(100) and found["test"] < 5


@needs_timer
def test_a_failure_of_theirs_is_an_error_that_says_why(stand_in, tmp_path):
    (tmp_path / "joeynmt" / "__main__.py").write_text("raise SystemExit('no such thing')", "utf-8")
    with pytest.raises(RuntimeError, match=r"(?s)JoeyNMT failed, with exit code 1.*no such thing"):
        run_theirs(stand_in, toy_pairs(), 0.5, 0, 1e-3, 10.0)


def test_ours_is_stopped_by_its_processor_time_or_by_its_steps():
    task = Task.of(toy_pairs(), 60.0, 0)
    steps, taken = in_processor_time(task, 0.5)
    assert steps > 1 and 0.5 <= taken < 5
    assert in_processor_time(task, 600.0, steps=3)[0] == 3


def test_what_they_are_handed_are_our_tokens_and_no_special_ones(monkeypatch):
    seen = {}
    monkeypatch.setattr(joey, "write_sentences", lambda folder, parts, vocabularies: seen.update(parts, **vocabularies))
    monkeypatch.setattr(joey, "train_and_translate", lambda *given: (7, 4.0, given[-1]))
    beside.their_pace(Path("none"), toy_pairs(), 60.0)
    task = Task.of(toy_pairs(), 60.0, 0)
    vocab = task.translator.target_vocab
    source, target = seen["train"][0]
    assert target == vocab.tokens(task.encoded[0].target) and "<eos>" not in source + target
    assert len(seen["train"]) == len(task.encoded) and len(seen["target"]) == len(vocab) - 4
    assert not {"<pad>", "<bos>", "<eos>", "<unk>"} & {*seen["source"], *seen["target"]}


def test_their_model_and_batches_are_as_ours():
    recipe = replace(RECIPES["transformer-few-pairs"], label_smoothing=0.2)
    config = joey.configuration(recipe, 1e-3, 500, 3, "there")
    encoder, training = config["model"]["encoder"], config["training"]
    assert (encoder["num_layers"], encoder["hidden_size"], encoder["ff_size"]) == (2, 128, 512)
    assert (encoder["num_heads"], encoder["dropout"], encoder["layer_norm"]) == (4, 0.1, "pre")
    assert (training["batch_size"], training["label_smoothing"], config["random_seed"]) == (64, 0.2, 3)
    assert training["learning_rate_warmup"] == 50 and training["learning_rate"] == 1e-3
    assert yaml.safe_load(json.dumps(config)) == config, "JoeyNMT reads numbers, not texts such as 1e-05"


@pytest.mark.parametrize(("ours", "verdict"), [((31, 29), "holds"), ((31, 28.9), "misses")])
def test_the_mean_over_the_seeds_decides(ours, verdict):
    runs = [[{"test": test} for test in tests] for tests in (ours, (30, 30))]
    said = line("toys", 60.0, *runs)
    assert said.split()[0] == verdict
    assert "JoeyNMT's 30.0, after 60 s of the processor, toys" in said and "; 30.0, 30.0)" in said


def test_what_is_stored_is_not_run_again_unless_it_was_made_otherwise(tmp_path, monkeypatch, capsys):
    path, made = tmp_path / "beside.json", []

    def make():
        made.append(1)
        return {"test": 30.0}

    for command in ("first", "second"):
        found = Record(command, path).run({"seed": 0}, make)
        assert found == {"seed": 0, "test": 30.0}
    Record("third", path).run({"seed": 1}, make)
    stored = json.loads(path.read_text("utf-8"))
    assert len(made) == 2 and stored["commands"] == ["first", "third"], "the second added nothing"
    monkeypatch.setattr(joey, "VERSION", "3")
    Record("fourth", path).run({"seed": 0}, make)
    stored = json.loads(path.read_text("utf-8"))
    assert len(made) == 3 and stored["commands"] == ["fourth"] and len(stored["runs"]) == 1
    assert "not kept: 2 runs that were made otherwise (versions)" in capsys.readouterr().out
    monkeypatch.setitem(RECIPES, "transformer-few-pairs", RECIPES["transformer"])
    Record("fifth", path).run({"seed": 0}, make)
    assert len(made) == 4, "the same seed by another recipe is another run"
    assert "not kept: 1 runs that were made otherwise (recipes)" in capsys.readouterr().out


@needs_timer
def test_from_command_to_file(stand_in, tmp_path, monkeypatch, capsys):
    stored, threads = tmp_path / "beside.json", torch.get_num_threads()
    monkeypatch.setattr(joey, "environment", lambda: stand_in)
    monkeypatch.setattr(beside, "corpora", lambda data: {"toys": toy_pairs()})
    monkeypatch.setattr(beside, "BESIDE_RESULT", stored)
    monkeypatch.setattr(beside, "TRIED", beside.TRIED[:2])
    monkeypatch.setenv("OMP_NUM_THREADS", "3")
    command = ["--only-beside", "--quality-seconds", "0.1", "--quality-seeds", "1", "--store"]
    bench.main(command)
    said = capsys.readouterr().out
    assert "after 0.1 s of the processor, toys  (seeds: " in said
    found = json.loads(stored.read_text("utf-8"))
    assert found["commands"] == ["python -m tools.bench " + " ".join(command)]
    assert [run["system"] for run in found["runs"]] == ["JoeyNMT", "JoeyNMT", "ours"], "the chosen run is not repeated"
    assert found["chosen"].items() <= found["runs"][0].items()  # both are as good, so the first
    assert str(tmp_path) not in stored.read_text("utf-8")
    assert torch.get_num_threads() == threads and os.environ["OMP_NUM_THREADS"] == "3"


def test_without_joeynmt_one_sentence_says_so(monkeypatch, capsys, tmp_path):
    monkeypatch.setenv("ATTNBOOK_CACHE", str(tmp_path))
    monkeypatch.setattr(joey, "_run", lambda command: no_network())
    bench.main(["--only-beside"])
    (said,) = [text for text in capsys.readouterr().out.splitlines() if text.startswith("Left out")]
    assert said == "Left out: translations beside JoeyNMT's: no network."


def no_network():
    raise NotThere("no network")


@needs_timer
def test_an_environment_that_cannot_be_made_is_not_there(monkeypatch, tmp_path):
    monkeypatch.setenv("ATTNBOOK_CACHE", str(tmp_path))
    monkeypatch.setattr(sys, "executable", "/bin/false")
    with pytest.raises(NotThere, match="its environment could not be made"):
        joey.environment()


def test_the_translator_alone_is_one_thing_and_beside_joeynmt_another(capsys):
    with pytest.raises(SystemExit):
        bench.main(["--only-beside", "--only-quality", "--data", "x"])
    assert "not allowed with argument" in capsys.readouterr().err
