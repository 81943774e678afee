"""The command line: a translator in a folder, the same again, and errors that say what to do."""

import json
import os
import re
import shlex
import socket
import subprocess
import sys

import pytest

from attnbook.command import main as attnbook
from attnbook.command.first_look import BOOKS_OWN
from attnbook.command.train import _parser, main, read_data
from attnbook.text import SubwordVocabulary
from attnbook.translation import Translator
from toy_corpus import enough_pairs

QUICK = ["--batch-size", "16", "--lr", "0.01"]


@pytest.fixture
def toy_file(tmp_path):
    path = tmp_path / "toy.txt"
    path.write_text("".join(f"{p.source}\t{p.target}\n" for p in enough_pairs()), "utf-8")
    return path


def run(*arguments):
    return main([str(argument) for argument in arguments])


def test_it_trains_saves_and_reports(toy_file, tmp_path, capsys):
    out = tmp_path / "run"
    command = ("--data", toy_file, "--model", "bahdanau", "--out", out, *QUICK, "--steps", 30)
    assert run(*command) == 0
    printed = capsys.readouterr().out
    assert "(13a), chrF" in printed and "→" in printed
    result = json.loads((out / "result.json").read_text("utf-8"))
    assert result["steps"] == 30 == len(result["losses"])
    assert result["losses"][-1] < result["losses"][0]
    assert {*result["scores"]} == {"dev", "test"} and result["scores"]["test"]["tokens"] == "13a"
    translator = Translator.load(out / "translator.pt")
    assert isinstance(translator.translate(["two red car ."])[0], str)
    assert not translator.model.writes_unknown
    # the same command again finds everything done, and says the same
    before = (out / "training.pt").read_bytes()
    assert run(*command) == 0
    assert capsys.readouterr().out == printed
    assert (out / "training.pt").read_bytes() == before


def chinese(path):
    """The toy language again, its second column in Chinese characters, with a line that is no pair."""
    names = dict(
        zip(
            [
                "one",
                "two",
                "three",
                "four",
                "red",
                "green",
                "black",
                "car",
                "house",
                "book",
                "tree",
                "here",
                "now",
                ".",
            ],
            "一二三四红绿黑车房书树这现。",
            strict=True,
        )
    )
    lines = [f"{p.source.capitalize()}\t{''.join(names[word] for word in p.source.split())}\n" for p in enough_pairs()]
    path.write_text("".join([*lines, "1\t2\n"]), "utf-8")
    return path


def test_a_file_of_another_script_is_read_trained_on_and_written(tmp_path, capsys):
    out = tmp_path / "run"
    how = ("--out", out, "--data", chinese(tmp_path / "cmn.txt"), *QUICK, "--min-count", 1, "--steps", 60)
    assert run(*how) == 0
    said = capsys.readouterr()
    assert "(by characters), chrF" in said.out
    assert "144 pairs; 1 line left out (1 with a side without a letter, first line 145)" in said.err
    translator = Translator.load(out / "translator.pt")
    assert translator.target_vocab.encode("二红车。") == [translator.target_vocab.encode(c)[0] for c in "二红车。"]
    (found,) = translator.translate(["Two red car ."])
    assert " " in found and translator.written(found) == found.replace(" ", "")
    assert attnbook(["translate", str(out), "Two red car ."]) == 0
    assert capsys.readouterr().out == translator.written(found) + "\n"
    assert attnbook(["translate", str(out), "--tokens", "Two red car ."]) == 0
    assert capsys.readouterr().out == found + "\n"


def test_the_other_direction(tmp_path, capsys):
    out = tmp_path / "run"
    how = ("--out", out, "--data", chinese(tmp_path / "cmn.txt"), "--reverse", *QUICK, "--min-count", 1, "--steps", 60)
    assert run(*how) == 0
    translator = Translator.load(out / "translator.pt")
    assert "红" in translator.source_vocab.tokens(range(len(translator.source_vocab)))
    (found,) = translator.translate(["二红车。"])
    assert translator.written(found)[0].isupper() and translator.written(found).endswith(".")


def test_options_replace_those_of_the_recipe(toy_file, tmp_path):
    out = tmp_path / "run"
    how = ("--subwords", 30, "--max-len", 20, *QUICK, "--steps", 2)
    assert run("--data", toy_file, "--out", out, *how) == 0
    vocabulary = Translator.load(out / "translator.pt").source_vocab
    assert isinstance(vocabulary, SubwordVocabulary) and len(vocabulary) == 30


def test_a_vocabulary_that_knows_too_little_is_told_or_refused(toy_file, tmp_path, capsys):
    out, how = tmp_path / "run", ("--data", toy_file, *QUICK, "--steps", 1)
    assert run(*how, "--out", out, "--min-count", 45) == 2
    said = capsys.readouterr().err
    assert "of the source tokens in new sentences are unknown" in said and "--subwords 1500" in said
    assert not out.exists()
    toy_file.write_text("".join(f"{p.source[:-1]}{i} .\t{p.target}\n" for i, p in enumerate(enough_pairs())), "utf-8")
    assert run(*how, "--out", out) == 0  # names that are all new: a fifth of the tokens
    said = capsys.readouterr().err
    assert "of the source tokens" in said and "of the target tokens" not in said


def test_a_time_is_used_once(toy_file, tmp_path):
    out = tmp_path / "run"
    how = ("--out", out, *QUICK, "--model", "seq2seq", "--seconds", 2)
    assert run("--data", toy_file, *how) == 0
    before = json.loads((out / "result.json").read_text("utf-8"))
    assert run("--data", toy_file, *how) == 0
    after = json.loads((out / "result.json").read_text("utf-8"))
    assert before["steps"] == after["steps"] >= 1


def test_the_stored_command_can_be_run_as_it_stands(tmp_path, monkeypatch, capsys):
    folder = tmp_path / "a folder"
    folder.mkdir()
    file = folder / "toy pairs.txt"
    file.write_text("".join(f"{p.source}\t{p.target}\n" for p in enough_pairs()), "utf-8")
    given = ["--data", file, "--out", folder / "run", *QUICK, "--steps", 2]
    given = [*map(str, given), "--model", "seq2seq", "--seed", "3"]
    monkeypatch.setattr(sys, "argv", ["train.py", *given])
    assert main() == 0
    result = json.loads((folder / "run" / "result.json").read_text("utf-8"))
    python, dash, module, *arguments = shlex.split(result["command"])
    assert [python, dash, module] == ["python", "-m", "attnbook.train"]
    assert arguments == given
    assert _parser().parse_args(arguments) == _parser().parse_args(given)


def test_errors_that_are_the_users_to_mend(toy_file, tmp_path, capsys):
    out = tmp_path / "run"
    assert run("--data", tmp_path / "none.txt", "--out", out, "--steps", 1) == 2
    assert "none.txt" in capsys.readouterr().err
    assert run("--data", toy_file, "--out", out, *QUICK, "--steps", 2) == 0
    other = tmp_path / "other.txt"
    other.write_text(toy_file.read_text("utf-8").replace("red", "blue"), "utf-8")
    assert run("--data", other, "--out", out, *QUICK, "--steps", 2) == 2
    assert "take another folder" in capsys.readouterr().err
    assert run("--data", toy_file, "--out", out, *QUICK, "--model", "seq2seq", "--steps", 2) == 2
    assert "attention" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        run("--data", toy_file, "--out", out)  # how long?
    assert "--steps" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["--nodes", "2"], "torchrun"),
        (["--devices", "100000"], "--devices must be at most"),
        (["--seed", "4294967296"], "seed must be between"),
        (["--out", "toy.txt"], "there is a file of that name"),
    ],
)
def test_what_cannot_be_begun_leaves_nothing(toy_file, monkeypatch, capsys, given, said):
    monkeypatch.chdir(toy_file.parent)
    monkeypatch.delenv("MASTER_ADDR", raising=False)
    assert run("--data", toy_file, "--steps", 1, "--out", "run", *given) == 2
    assert said in capsys.readouterr().err
    assert [path.name for path in toy_file.parent.iterdir()] == ["toy.txt"]


@pytest.mark.skipif(os.name == "nt", reason="no such limit on Windows")
def test_a_full_disk_is_named_and_the_same_command_goes_on(toy_file, tmp_path, capsys):
    """A limit on the size of files stands for the end of the disk."""
    import resource

    out = tmp_path / "run"
    command = ["--data", toy_file, "--out", out, *QUICK, "--model", "seq2seq"]
    command += ["--steps", 2]
    limit = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, limit[1]))
    try:
        assert run(*command) == 2
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limit)
    said = capsys.readouterr().err
    assert "File too large" in said and str(out) in said
    assert [path.name for path in out.iterdir()] == ["data.sha256"]
    assert run(*command) == 0


@pytest.fixture
def on_two(toy_file):
    """A function: folder and data of either of two machines → what both return and say.

    Each machine is a torchrun of its own on this one, as chapters/start.md says; or, to be quicker, the process that a
    torchrun would start, told by its variables.
    """

    def train(outs, data=(toy_file, toy_file), torchrun=False):
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        machines = []
        for rank, (out, pairs) in enumerate(zip(outs, data, strict=True)):
            words = f"--nnodes 2 --node-rank {rank} --master-addr 127.0.0.1 --master-port {port} --nproc-per-node 1"
            told = {"RANK": f"{rank}", "GROUP_RANK": f"{rank}", "WORLD_SIZE": "2", "MASTER_ADDR": "127.0.0.1"}
            told |= {"MASTER_PORT": f"{port}", "LOCAL_RANK": "0", "LOCAL_WORLD_SIZE": "1"}
            given = ["--data", pairs, "--model", "seq2seq", "--steps", "2", *QUICK]
            machines.append(
                subprocess.Popen(
                    [sys.executable, *(["-m", "torch.distributed.run", *words.split()] if torchrun else [])]
                    + ["-m", "attnbook.train", *given, "--out", out]
                    + ["--devices", "1", "--nodes", "2"],
                    env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)} | ({} if torchrun else told),
                    stdout=subprocess.PIPE,
                    stderr=subprocess.STDOUT,
                    text=True,
                )
            )
        said = [machine.communicate(timeout=300)[0] for machine in machines]
        return [machine.returncode for machine in machines], said

    return train


def test_two_machines_train_one_translator_if_they_share_a_folder(toy_file, tmp_path, on_two):
    shared = tmp_path / "shared"
    status, said = on_two([shared, shared], torchrun=True)
    assert status == [0, 0], said
    assert "test: BLEU" in said[0] and "BLEU" not in said[1]
    losses = json.loads((shared / "result.json").read_text("utf-8"))["losses"]
    alone = ("--data", toy_file, "--model", "seq2seq", "--steps", 2, *QUICK)
    assert run(*alone, "--out", tmp_path / "alone") == 0
    expected = json.loads((tmp_path / "alone/result.json").read_text("utf-8"))
    assert losses == pytest.approx(expected["losses"], rel=1e-4)
    # it would begin anew there
    status, said = on_two([shared, tmp_path / "own"])
    assert 0 not in status
    assert all("is not on all machines" in one for one in said)


def test_what_only_one_of_two_machines_finds_ends_both(toy_file, tmp_path, on_two):
    out = tmp_path / "run"
    out.mkdir()
    (out / "data.sha256").write_text("another's\n", "utf-8")
    absent = tmp_path / "absent.txt"
    for folder, data, finder, problem in (
        (out, (toy_file, toy_file), 0, "take another folder"),
        (tmp_path / "new", (toy_file, absent), 1, "absent.txt"),
    ):
        status, said = on_two([folder, folder], data)
        assert 0 not in status
        assert problem in said[finder], said
        assert "another process of this training has failed" in said[1 - finder], said


def test_the_data_that_there_is():
    for name in BOOKS_OWN:
        split = read_data(name)
        assert len(split.train) > 2000 and split.dev and split.test
        assert not {p.source for p in split.train} & {p.source for p in split.test}
        latin = any(re.search("[a-z]", pair.target) for pair in split.train)
        assert latin != name.endswith("-chinese")
