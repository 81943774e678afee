"""The quality measurement: what is scored, what is judged, and that it runs from file to file on a toy language."""

import argparse
import json
from dataclasses import replace
from functools import partial

import pytest
import torch

from attnbook import translation
from attnbook.data import Pair, Split, split_pairs
from attnbook.translation import RECIPES, Translator, prepare
from tools import bench
from tools.benchmarks import quality
from tools.benchmarks.quality import corpus_bleu, judged, line, score, train_and_score, unseen_fraction
from toy_corpus import toy_pairs

TOY = replace(
    RECIPES["transformer"],
    sizes=RECIPES["transformer"].sizes | {"d_model": 32, "d_ff": 64, "dropout": 0.0},
    subwords=0,
    min_count=1,
    batch_size=16,
).with_training(lr=5e-3)


def test_bleu_is_sacrebleus_lower_cased_with_every_reference():
    import sacrebleu

    written = ["va !", "je suis chez moi ce soir ."]
    expected = [["Marche.", "Va !"], ["Je suis à la maison ce soir."]]
    found, signature = corpus_bleu(written, expected)
    streams = [["Marche.", "Je suis à la maison ce soir."], ["Va !", None]]
    wanted = sacrebleu.corpus_bleu(written, streams, lowercase=True, force=True).score
    assert found == pytest.approx(wanted) and "case:lc" in signature and "tok:13a" in signature
    assert corpus_bleu(["VA ! c'est bien"], [["va ! c'est bien"]])[0] == pytest.approx(100)


def test_each_source_is_translated_once_and_spelling_of_the_references_is_made_plain(monkeypatch):
    pairs = [("I lost.", "J’ai perdu."), ("I lost.", "J'ai perdu !"), ("Go on now.", "Continue donc maintenant.")]
    translator, _ = prepare(TOY, toy_pairs())
    asked = []

    def translate(self, sentences, beam=1, length_penalty=0.0):
        asked.append((sentences, beam))
        return ["j'ai perdu .", "continue donc maintenant ."]

    monkeypatch.setattr(Translator, "translate", translate)
    assert score(partial(translator.translate, beam=4), split_pairs(pairs, (1, 0, 0)).train) == pytest.approx(100)
    assert asked == [(["i lost .", "go on now ."], 4)]


def test_a_sentence_is_hard_if_training_lacks_one_of_its_words():
    train = [Pair("I lost.", "J'ai perdu."), Pair("Go on!", "Continue !")]
    test = [Pair("I go.", "Je vais."), Pair("I lost you.", "Je t'ai perdu."), Pair("I lost you.", "Je vous ai perdu.")]
    assert unseen_fraction(Split(train, [], test)) == 1 / 2


def run(seed, greedy, beam, seconds=60.0):
    scores = {"1": {"dev": greedy, "test": greedy}, "4": {"dev": beam, "test": beam - 0.5}}
    return {"seed": seed, "steps": 100, "seconds": seconds, "bleu": scores}


@pytest.mark.parametrize(
    ("seconds", "runs", "verdict", "beam", "test"),
    [
        (60.0, [run(0, 29, 31), run(1, 29, 30)], "holds", 4, 30.0),
        (60.0, [run(0, 29, 31), run(1, 29, 29.8)], "misses", 4, 29.9),
        (60.0, [run(0, 31, 30), run(1, 33, 32)], "holds", 1, 32),  # as the development set says
        (60.0, [run(0, 31, 30, 67.0)], "not measured", 1, 31),  # too slow to prove anything
        (60.0, [run(0, 20, 21, 67.0)], "misses", 4, 20.5),  # too slow, and still not good enough
        (300.0, [run(0, 34, 34.5)], "misses", 4, 34),
        (7.0, [run(0, 34, 34.5, 7)], "not measured", 4, 34),  # nothing was promised
    ],
)
def test_a_verdict_is_about_the_mean_on_the_test_set(seconds, runs, verdict, beam, test):
    found = judged(seconds, runs)
    assert (found["verdict"], found["beam"]) == (verdict, beam)
    assert found["test"] == pytest.approx(test)
    assert line(found).split("BLEU")[0].strip() == verdict and f"after {seconds:g} s" in line(found)


def test_a_toy_language_is_learned_in_the_time_given(monkeypatch):
    def fit(recipe, pairs, seed, seconds):  # whatever the machine is busy with
        assert seconds == 600.0
        return translation.fit(recipe, pairs, seed=seed, steps=150)

    monkeypatch.setattr(quality, "fit", fit)
    found = train_and_score(TOY, split_pairs(toy_pairs(), (0.6, 0.2, 0.2)), 600.0, seed=0)
    assert found["steps"] == 150 and found["seconds"] > 0
    assert 0 <= found["unseen"] <= 1
    assert set(found["bleu"]) == {"1", "4"} and min(found["bleu"]["1"].values()) > 60


def test_from_file_to_file(tmp_path, monkeypatch, capsys):
    file, stored, threads = (tmp_path / "toy.tsv", tmp_path / "quality.json", torch.get_num_threads())
    file.write_text("".join(f"{pair.source}\t{pair.target}\n" for pair in toy_pairs()), "utf-8")
    monkeypatch.setattr(quality, "QUALITY", stored)
    monkeypatch.setattr(
        quality, "fit", lambda recipe, pairs, seed, seconds: translation.fit(recipe, pairs, seed=seed, steps=3)
    )
    for name in (quality.SHORT, quality.LONG):
        monkeypatch.setitem(RECIPES, name, TOY)
    tested, measured = [], quality.train_and_score
    monkeypatch.setattr(quality, "train_and_score", lambda *given: tested.append(given[1].test) or measured(*given))
    bench.main(["--only-quality", "--data", str(file), "--quality-seconds", "60", "--quality-seeds", "2", "--store"])
    said = capsys.readouterr().out
    assert "toy.tsv" in said and "misses       BLEU" in said and "at least 30 after 60 s" in said
    found = json.loads(stored.read_text("utf-8"))
    command = "python -m tools.bench --only-quality --data toy.tsv --quality-seconds 60 --quality-seeds 2 --store"
    assert found["results"][0]["command"] == command
    assert found["data"]["file"] == "toy.tsv" and str(tmp_path) not in stored.read_text("utf-8")
    assert sum(found["data"]["sources"].values()) == 48 and list(found["recipes"]) == [quality.SHORT]
    (result,) = found["results"]
    assert [one["seed"] for one in result["runs"]] == [0, 1] and result["verdict"] == "misses"
    assert tested[0] != tested[1], "a seed decides the split, too"
    assert torch.get_num_threads() == threads


@pytest.fixture
def stored(tmp_path, monkeypatch):
    """A run of 60 seconds and its file."""
    (data := tmp_path / "toy.tsv").write_text("a\tb\n", "utf-8")
    monkeypatch.setattr(quality, "QUALITY", tmp_path / "quality.json")
    results = [{"recipe": quality.SHORT, "seconds": 60.0, "bar": 30.0}]
    record = quality.recorded(argparse.Namespace(data=data, quality_threads=1), {"train": 1}, results)
    quality.QUALITY.write_text(json.dumps(record), "utf-8")
    return record


def later(stored, **other):
    return stored | {"results": [{"recipe": quality.LONG, "seconds": 300.0, "bar": None}]} | other


def test_what_is_stored_of_other_lengths_stays(stored, capsys):
    both = quality.with_stored(later(stored))
    assert [result["seconds"] for result in both["results"]] == [60.0, 300.0]
    assert list(both["recipes"]) == [quality.SHORT, quality.LONG] and not capsys.readouterr().out
    assert quality.with_stored(stored) == stored


@pytest.mark.parametrize("key", ["versions", "machine", "data", "metric"])
def test_a_result_that_was_measured_otherwise_is_not_put_under_what_the_record_says(stored, capsys, key):
    assert [r["seconds"] for r in quality.with_stored(later(stored, **{key: {"of": "another"}}))["results"]] == [300.0]
    assert "not kept: the result after 60 s" in capsys.readouterr().out


def test_nor_is_one_of_a_recipe_that_has_changed(stored, monkeypatch):
    monkeypatch.setitem(RECIPES, quality.SHORT, TOY)
    assert list(quality.with_stored(later(stored))["recipes"]) == [quality.LONG]


def test_without_a_file_a_line_says_so(capsys):
    quality.measure(argparse.Namespace(data=None), "")
    assert "Left out: " in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--only-quality"], "--only-quality needs --data PATH"),
        (["--data", "no/such.tsv"], "there is no file no/such.tsv"),
        (["--quality-seconds", "0"], "--quality-seconds must be positive"),
        (["--quality-seeds", "0"], "--quality-seeds must be at least 1, got 0"),
        (["--quality-threads", "0"], "--quality-threads must be at least 1, got 0"),
    ],
)
def test_what_cannot_be_run_is_refused_before_it_begins(arguments, message, capsys):
    with pytest.raises(SystemExit):
        bench.main(arguments)
    assert message in capsys.readouterr().err
