"""What a training says of its data in its first seconds; what it refuses, in one sentence, with nothing left behind."""

import functools
import itertools
import json
import os
import sys
import zipfile
from pathlib import Path
from types import SimpleNamespace

import pytest

from attnbook.command import main as attnbook
from attnbook.command.first_look import first_look
from attnbook.command.train import main
from attnbook.data import in_both_scripts, in_script, is_chinese, own_scripts
from attnbook.translation import RECIPES, Translator
from tools import ROOT
from toy_corpus import enough_pairs

SAMPLES = Path(os.environ.get("ATTNBOOK_SAMPLES", ROOT.parent / "shared" / "data"))  # real files, where there are some
HOW = ("--batch-size", 16, "--lr", 0.01, "--steps", 2)

# 120 sentences in either script
WHO = {"I": "我", "We": "我们", "You": "你们", "She": "她", "They": "他们"}
DO = {"read": "读", "bought": "买", "sold": "卖", "wanted": "要", "saw": "看见", "love": "爱"}
WHAT = {"this book": "这本书", "that car": "那辆车", "a horse": "一匹马", "a fish": "一条鱼"}
CHINESE = [
    (f"{a} {b} {c}.", f"{x}{y}{z}。")
    for (a, x), (b, y), (c, z) in itertools.product(WHO.items(), DO.items(), WHAT.items())
]
OLD = str.maketrans("们读买卖见爱这书车马鱼辆条", "們讀買賣見愛這書車馬魚輛條")


def written(path, pairs):
    path.write_text("".join(f"{a}\t{b}\n" for a, b in pairs), "utf-8")
    return path


@pytest.fixture
def mixed(tmp_path):
    return written(tmp_path / "cmn.txt", [(a, b.translate(OLD) if i % 3 else b) for i, (a, b) in enumerate(CHINESE)])


@pytest.fixture
def opencc(monkeypatch):
    """A stand-in for OpenCC, which knows the characters of these sentences."""
    tables = {"s2t": OLD, "t2s": {new: old for old, new in OLD.items()}}
    made = lambda name: SimpleNamespace(convert=lambda text: text.translate(tables[name]))  # noqa: E731
    monkeypatch.setitem(sys.modules, "opencc", SimpleNamespace(OpenCC=made))


def run(*arguments):
    return main([str(argument) for argument in arguments])


def refused(capsys, tmp_path, *arguments):
    """What is said of a training that is refused: one sentence beside that of the reader, and no folder."""
    out = tmp_path / "new" / "run"
    assert run("--out", out, *HOW, *arguments) == 2
    assert not out.parent.exists()
    *_, said = capsys.readouterr().err.rstrip("\n").split("\n")
    assert said.startswith("python -m attnbook.train: ")
    return said


# -- two languages, and their names --


def test_the_languages_are_kept_and_shown(tmp_path, mixed, capsys):
    out = tmp_path / "run"
    names = ("--languages", "English", "Chinese", "--codes", "en", "zh-Hans")
    assert run("--data", mixed, "--out", out, *HOW, *names) == 0
    assert json.loads((out / "result.json").read_text("utf-8"))["languages"]["codes"] == ["en", "zh-Hans"]
    languages = Translator.load(out / "translator.pt").languages
    assert (languages.names, languages.codes, languages.script) == (("English", "Chinese"), ("en", "zh-Hans"), None)
    capsys.readouterr()
    assert attnbook(["translate", str(out), "We read this book."]) == 0
    said = capsys.readouterr()
    assert said.err == "English → Chinese\n" and said.out.count("\n") == 1


def test_reversed_names_and_codes_stay_in_the_order_of_the_columns(tmp_path, mixed, capsys, opencc):
    names = ("--languages", "English", "Chinese", "--codes", "en", "zh")
    for given, said in (
        ((), "English → Chinese: from the first"),
        (("--reverse",), "Chinese → English: from the second"),
    ):
        out = tmp_path / "-".join(["run", *given])
        assert run("--data", mixed, "--out", out, *HOW, *names, "--script", "simplified", *given) == 0
        assert capsys.readouterr().err.startswith(f"{said} column into the ")
        languages = Translator.load(out / "translator.pt").languages
        assert str(languages) == said.partition(":")[0] and languages.codes == (("zh", "en") if given else ("en", "zh"))


def test_the_books_own_data_has_names_in_either_direction(tmp_path, monkeypatch):
    monkeypatch.setattr("attnbook.command.first_look.bundled_pairs", lambda target: enough_pairs())
    for given, expected in (((), ("English", "French")), (("--reverse",), ("French", "English"))):
        out = tmp_path / "-".join(["run", *given])
        assert run("--data", "bundled", "--out", out, *HOW, *given) == 0
        assert Translator.load(out / "translator.pt").languages.names == expected


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (("--codes", "en", "cn"), "got 'cn'; cn is a country, and its language is zh"),
        (("--codes", "english", "zh"), "two codes of languages such as de or pt-BR, got 'english'"),
        (("--codes", "en", "zz"), "got 'zz'"),
        (("--languages", "English", " "), "--languages takes two names, and one of them is empty"),
        (("--codes", "zh", "en"), "to translate from are in Latin letters, not in Han; exchange the codes"),
        (("--codes", "zh", "en", "--reverse"), "to translate into are in Latin letters, not in Han; exchange"),
        (("--codes", "en", "ar"), "to translate into are in Han letters, not in Arabic; correct the codes"),
        (("--script", "simplified"), 'OpenCC, which writes Chinese in one script, is not installed: pip install "attn'),
    ],
)  # fmt: skip
def test_what_does_not_fit_the_languages_is_refused(tmp_path, mixed, capsys, monkeypatch, given, said):
    monkeypatch.setitem(sys.modules, "opencc", None)
    assert said in refused(capsys, tmp_path, "--data", mixed, *given)


# -- the scripts of Chinese --


def test_mixed_scripts_are_told_and_made_one(tmp_path, mixed, capsys, opencc):
    out = tmp_path / "run"
    assert run("--data", mixed, "--out", out, *HOW) == 0
    assert "mix two scripts: 40 are in simplified characters, 80 in traditional ones" in capsys.readouterr().err
    out = tmp_path / "one"
    assert run("--data", mixed, "--out", out, *HOW, "--script", "simplified", "--min-count", 1) == 0
    said = capsys.readouterr().err
    assert "80 sentences were turned into simplified characters\n" in said and "mix two" not in said
    vocabulary = Translator.load(out / "translator.pt").target_vocab
    tokens = vocabulary.tokens(range(len(vocabulary)))
    assert "们" in tokens and "們" not in tokens
    # from Chinese: what is typed is turned, too
    out = tmp_path / "from"
    assert run("--data", mixed, "--reverse", "--out", out, *HOW, "--script", "simplified") == 0
    found = []
    for text in ("我們讀這本書。", "我们读这本书。"):
        assert attnbook(["translate", str(out), text]) == 0
        found.append(capsys.readouterr().out.splitlines()[-1])
    assert found[0] == found[1]


def test_pairs_that_differ_by_their_script_become_one(tmp_path, capsys, opencc):
    path = written(tmp_path / "cmn.txt", [*CHINESE, *((a, b.translate(OLD)) for a, b in CHINESE)])
    assert run("--data", path, "--out", tmp_path / "run", *HOW, "--script", "traditional") == 0
    assert "120 sentences were turned into traditional characters, by which 120 pairs became" in capsys.readouterr().err


def test_only_chinese_has_two_scripts(tmp_path, capsys, opencc):
    data = written(tmp_path / "toy.txt", enough_pairs())
    assert "neither side of" in refused(capsys, tmp_path, "--data", data, "--script", "simplified")
    japanese = ["私たちは学校に行きます。", "本を買う。", "時間がない。"]
    assert not is_chinese(japanese) and own_scripts(japanese) == {"CJK", "HIRAGANA"}
    assert is_chinese(["我们走吧。"]) and not is_chinese(["We go."])
    assert in_both_scripts(["我们走吧。", "我們走吧。", "好。", "们們"]) == (1, 1)
    with pytest.raises(ValueError, match="simplified or traditional, got 'old'"):
        in_script(["我们"], "old")


# -- what a training cannot work by --


def test_too_few_pairs(tmp_path, capsys):
    data = written(tmp_path / "few.txt", enough_pairs()[:99])
    assert "few.txt has 99 pairs, and from fewer than 100 nothing" in refused(capsys, tmp_path, "--data", data)


def test_what_is_left_out_or_known_already_is_told(tmp_path, capsys):
    long = [(f"{'one ' * 20}{i} .", "un .") for i in range(30)]
    data = written(tmp_path / "toy.txt", [*enough_pairs(), *long])
    assert run("--data", data, "--out", tmp_path / "run", *HOW, "--max-len", 10) == 0
    said = capsys.readouterr().err
    assert "training pairs are left out, in which a side has more than 10 tokens" in said
    part = float(said.split("% of the test translations are also translations in training")[0].split()[-1])
    assert 5 < part < 40  # a sixth of the sentences have the translation "un ."


def test_a_score_of_nothing_is_explained(tmp_path, capsys):
    data = written(tmp_path / "toy.txt", enough_pairs())
    assert run("--data", data, "--out", tmp_path / "run", *HOW, "--lr", 1e-6) == 0
    said = capsys.readouterr()
    assert "test: BLEU 0.0 (13a)" in said.out and "BLEU is 0 where no four tokens in a row" in said.err


def test_the_other_direction_goes_into_a_folder_of_its_own(tmp_path, capsys):
    data, out = written(tmp_path / "toy.txt", enough_pairs()), tmp_path / "run"
    assert run("--data", data, "--out", out, *HOW) == 0
    before = {path.name: path.read_bytes() for path in out.iterdir()}
    assert run("--data", data, "--out", out, *HOW, "--reverse") == 2
    assert "training run on other data; take another folder" in capsys.readouterr().err
    assert {path.name: path.read_bytes() for path in out.iterdir()} == before


# -- files that are none of pairs --


def spreadsheet(path):
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("xl/workbook.xml", "<x/>")
    return path


NONE = {
    "binary": (lambda path: path.write_bytes(bytes(range(256)) * 9), "not UTF-8 text"),
    "sheet.xlsx": (spreadsheet, "must hold one .txt or .tsv with pairs, it holds 0"),
    "folder": (lambda path: path.mkdir(), "is a folder; pass a file of pairs"),
    "empty.txt": (lambda path: path.write_bytes(b""), "is empty"),
    "column.txt": (lambda path: path.write_text("one\ntwo\n" * 99), "has no line with a tab, so it holds no pairs"),
    "long.txt": (lambda path: path.write_text("a" * 1_000_000), "has no line with a tab"),
    "long.tsv": (lambda path: path.write_text("a\t" + "b" * 1_000_000 + "\n"), "over 1,000 characters long"),
    "utf16.txt": (lambda path: path.write_text("a\tb\n" * 200, "utf-16"), "save it as UTF-8"),
    "latin1.txt": (lambda path: path.write_text("a\té\n" * 200, "latin-1"), "not UTF-8 text"),
    "mostly.txt": (
        lambda path: path.write_text("".join(f"a{i}\tb\n" * (i % 9 > 0) or "c\n" for i in range(300))),
        "lines are no pair",
    ),
    "absent.txt": (lambda path: None, "is not there; pass a file of pairs"),
}


@pytest.mark.parametrize("name", NONE)
@pytest.mark.parametrize("more", [(), ("--reverse",)])
def test_what_is_no_file_of_pairs_is_refused(tmp_path, capsys, name, more):
    write, said = NONE[name]
    path = tmp_path / name
    write(path)
    sentence = refused(capsys, tmp_path, "--data", path, *more)
    assert name in sentence and said in sentence and len(sentence) < 500


@pytest.mark.parametrize("reverse", [False, True])
def test_real_files_are_read_and_told_about(reverse):
    """The samples beside the book, where they are; each is dirty in ways of its own."""
    told = {
        "cmn": ("2 lines left out", "the Chinese sentences mix two scripts"),
        "deu": ("1 line left out (1 with a side without a letter",),
    }
    for path in sorted(SAMPLES.glob("*.t[xs][tv]")):
        said = []
        look = functools.partial(first_look, RECIPES["transformer"], str(path), 0, reverse, None, None, said.append)
        if path.name.startswith("hin-small"):
            with pytest.raises(ValueError, match="and from fewer than 100 nothing can be learned"):
                look()
            continue
        split, _ = look()
        assert len(split.train) > 2000 and len(split.test) > 200
        heard = "\n".join(said)
        assert path.name in said[0] and "of the test translations are also translations in training" in heard
        assert all(sentence in heard for sentence in told.get(path.name[:3], ())), heard
        assert "unknown" not in heard
