"""`attnbook train --task language-model` and `attnbook write`: a model in a folder, and errors that say what to do."""

import json

import pytest

from attnbook.command import main
from attnbook.language import TextModel, split_book
from attnbook.translation import RECIPES, untrained
from small_texts import TEXT
from toy_corpus import toy_pairs

QUICK = ["--task", "language-model", "--steps", "20", "--context", "16", "--subwords", "280"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("texts")
    (folder / "book.txt").write_text(TEXT, "utf-8")
    assert main(["train", *QUICK, "--data", f"{folder}/book.txt", "--out", f"{folder}/run"]) == 0
    untrained(RECIPES["seq2seq"], toy_pairs()).save(folder / "translator.pt")
    return folder


def test_it_trains_saves_and_reports_beside_a_bigram(folder, capsys):
    result = json.loads((folder / "run/result.json").read_text("utf-8"))
    assert result["steps"] == 20 == len(result["losses"]) and result["losses"][-1] < result["losses"][0]
    # the same command again finds everything done, and says the same
    before = (folder / "run/training.pt").read_bytes()
    assert main(["train", *QUICK, "--data", f"{folder}/book.txt", "--out", f"{folder}/run"]) == 0
    said = capsys.readouterr()
    assert (folder / "run/training.pt").read_bytes() == before
    for part, both in result["scores"].items():
        told = [f"{one['loss']:.2f} nats per token (perplexity {one['perplexity']:.0f}" for one in both.values()]
        assert f"{part}: the model {told[0]}" in said.out and f"a bigram {told[1]}" in said.out
    assert "one 360" in said.out.replace("\n", " ") and "words; the last fifth is held out" in said.err


def test_options_replace_those_of_the_recipe(folder, tmp_path):
    given = ["--model", "gpt-2", "--batch-size", "2", "--lr", "0.1", "--patience", "1", "--seed", "3"]
    assert main(["train", *QUICK, "--data", f"{folder}/book.txt", "--out", str(tmp_path), *given]) == 0
    model = TextModel.load(tmp_path / "language-model.pt")
    assert (model.model.config.positions, model.model.config.max_positions) == ("learned", 16)
    assert len(model.vocabulary) == 280
    result = json.loads((tmp_path / "result.json").read_text("utf-8"))
    assert result["steps"] < 20, "so high a rate does not help, and patience ends it"


def test_of_this_book_whole_chapters_are_held_out(tmp_path, capsys, monkeypatch):
    seen = []

    def remember(recipe, train, dev, **how):
        seen.append((train, dev))
        raise ValueError("enough")

    monkeypatch.setattr("attnbook.command.language_models.fit_language_model", remember)
    assert main(["train", *QUICK, "--data", "this-book", "--out", str(tmp_path)]) != 0
    assert seen == [split_book()[:2]]
    assert "words; chapters 5, 8, 12 and 17 are held out" in capsys.readouterr().err


@pytest.mark.parametrize("place", ["run", "run/language-model.pt"])
def test_it_writes(folder, capsys, place):
    words = ["write", f"{folder}/{place}", "one 3", "two", "--length", "9"]
    outputs = []
    for more in ([], [], ["--seed", "4"], ["--top-k", "1"], ["--top-k", "1", "--seed", "4"]):
        assert main([*words, *more]) == 0
        outputs.append(capsys.readouterr().out)
    assert all(said.startswith("one 3 two") and len(said) > 11 for said in outputs)
    assert outputs[0] == outputs[1] != outputs[2] and outputs[3] == outputs[4]


@pytest.mark.parametrize(
    ("beginning", "sentence"),
    [
        ("one 🙂 日", "the model has never read '🙂', '日'"),
        ("ΑΒΓΔΕΖ", "never read 'Α', 'Β', 'Γ', 'Δ', 'Ε', …"),
        ("a\0b", r"never read '\x00'"),
        ("one 3 two " * 60, "tokens, and the model sees the last 16 of them"),
    ],
)
def test_what_is_odd_about_a_beginning_is_said(folder, capsys, beginning, sentence):
    assert main(["write", f"{folder}/run", beginning, "--length", "3"]) == 0
    assert sentence in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["write", "nowhere", "a"], "there is no file nowhere; attnbook train --task language-model writes one"),
        (["write", "{here}", "a"], "language-model.pt is not there"),
        (["write", "{here}/book.txt", "a"], "is not a whole checkpoint"),
        (["write", "{here}/run/training.pt", "a"], "holds a training checkpoint, not a language model"),
        (["write", "{here}/translator.pt", "a"], "not a language model; attnbook translate translates with it"),
        (["write", "{here}/run", ""], "there is nothing to continue"),
        (["write", "{here}/run", "a\ud800"], "is half of one"),
        (["write", "{here}/run", "a", "--top-p", "1.5"], "top_p must be in (0, 1]"),
        (["write", "{here}/run", "a", "--temperature", "1e-300"], "take a higher one, or top_k=1"),
        (["translate", "{here}/run/training.pt", "a"], "holds a training checkpoint, not a translator; attnbook train"),
        (
            ["translate", "{here}/run/language-model.pt", "a"],
            "holds a language model, not a translator; attnbook write",
        ),
        (["train", *QUICK, "--out", "{here}/x", "--data", "nowhere"], "there is no file nowhere"),
        (["train", *QUICK, "--out", "{here}/x", "--data", "{here}/empty.txt"], "is empty"),
        (["train", *QUICK, "--out", "{here}/x", "--data", "{here}/short.txt"], "has 3 characters"),
        (["train", *QUICK, "--out", "{here}/x", "--subwords", "9"], "subwords must be at least 256"),
        (["train", *QUICK, "--out", "{here}/x", "--steps", "0"], "steps must be at least 1"),
        (["train", *QUICK, "--out", "{here}/run"], "holds a training run on other data"),
    ],
)
def test_bad_input_is_answered_with_2(folder, capsys, arguments, sentence):
    (folder / "empty.txt").write_text("")
    (folder / "short.txt").write_text("🙂日a", "utf-8")
    assert main([word.replace("{here}", str(folder)) for word in arguments]) == 2
    assert sentence in capsys.readouterr().err
    assert not (folder / "x").exists()


def test_the_help_of_either_task_names_the_other(capsys):
    for words, named in ((["train", "--help"], "--task language-model"), (["train", *QUICK, "--help"], "--context")):
        with pytest.raises(SystemExit):
            main(words)
        assert named in capsys.readouterr().out.replace("\n" + " " * 24, " ")
