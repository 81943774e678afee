"""Reading sentence pairs: every form in which they go round, every way in which a file can be broken."""

import hashlib
import io
import re
import subprocess
import sys
import unicodedata
import zipfile
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attnbook.data import Pair, bundled_pairs, near_duplicates, read_pairs, references, split_pairs, tatoeba_pairs
from attnbook.data import corpus as module
from attnbook.data.corpus import TARGETS, corpus_sha256
from attnbook.text import normalise, tokenise
from tensors import PROPERTY, says
from tools import ROOT

DATA = ROOT / "code" / "attnbook" / "data"

TWO = "Go.\tVa !\nI lost.\tJ'ai perdu.\n"
THREE = "Go.\tVa !\tCC-BY 2.0 (CM)\nI lost.\tJ'ai perdu.\tCC-BY 2.0 (CK)\n"
READ = [Pair("Go.", "Va !"), Pair("I lost.", "J'ai perdu.")]


def zipped(text=THREE, name="fra.txt", **others) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("_about.txt", "about")
        archive.writestr(name, text)
        for other, content in others.items():
            archive.writestr(other, content)
    return buffer.getvalue()


# --- forms ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("fra.txt", TWO.encode()),
        ("fra.txt", THREE.encode()),
        ("pairs.tsv", THREE.encode()),
        ("no-suffix", TWO.encode()),
        ("fra.txt", TWO.replace("\n", "\r\n").encode()),
        ("fra.txt", b"\xef\xbb\xbf" + TWO.encode()),
        ("fra.txt", TWO.replace("Go.", " Go. ").encode()),
        ("fra-eng.zip", zipped(TWO)),
        ("fra-eng.zip", zipped(THREE)),
        ("fra-eng.ZIP", zipped(THREE, "fra-eng/fra.txt")),
        ("cmn-eng.zip", zipped(THREE, "cmn.txt")),
        ("pairs.zip", zipped(THREE, "a/pairs.tsv", **{"__MACOSX/a/pairs.tsv": "x", "readme.md": "x"})),
        ("a zip by content", zipped(THREE, "fra-eng/fra.txt")),
    ],
)
def test_every_form_reads_the_same(tmp_path, name, content):
    (tmp_path / name).write_bytes(content)
    assert read_pairs(tmp_path / name) == READ
    assert read_pairs(str(tmp_path / name)) == READ
    assert tatoeba_pairs(tmp_path / name) == READ


LINE = st.text(st.characters(exclude_characters="\t\n\r\0\ufeff", exclude_categories=("Cs",)), min_size=1).filter(
    lambda text: text.strip()
)


@PROPERTY
@given(st.lists(st.tuples(LINE, LINE), min_size=1, max_size=9))
def test_what_is_written_is_read(tmp_path_factory, pairs):
    """Any sentence without tabs and line ends, those with exotic separators of lines, too."""
    file = tmp_path_factory.getbasetemp() / "written.tsv"
    file.write_bytes("".join(f"{a}\t{b}\n" for a, b in pairs).encode())
    assert read_pairs(file, strict=True) == [Pair(a.strip(), b.strip()) for a, b in pairs]


def test_a_file_of_ones_own_in_the_cache_is_taken_without_a_network(tmp_path, monkeypatch):
    monkeypatch.setenv("ATTNBOOK_CACHE", str(tmp_path))
    (tmp_path / "fra.txt").write_text(TWO)
    monkeypatch.setattr(module, "download_tatoeba", lambda: pytest.fail("downloads"))
    assert tatoeba_pairs() == READ


def test_without_a_file_of_ones_own_the_zip_is_downloaded(tmp_path, monkeypatch):
    monkeypatch.setenv("ATTNBOOK_CACHE", str(tmp_path / "none"))
    (tmp_path / "fra-eng.zip").write_bytes(zipped())
    monkeypatch.setattr(module, "download_tatoeba", lambda: tmp_path / "fra-eng.zip")
    assert tatoeba_pairs() == READ


# --- broken files ---------------------------------------------------------------------------------------------

LATIN = TWO.encode() + "Summer.\tL'été.\n".encode("latin-1")
CUT_CHARACTER = (TWO + "Summer.\tL'été").encode()[:-1]
DAMAGED = bytearray(zipped(THREE * 50))
INSIDE = DAMAGED.index(b"fra.txt") + len("fra.txt")
DAMAGED[INSIDE + 8 : INSIDE + 20] = bytes(12)  # of what is compressed


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("fra.txt", b"", ("fra.txt is empty",)),
        ("fra.txt", b"\n \n", ("fra.txt is empty",)),
        ("fra.txt", LATIN, ("line 3", "byte 0xe9 at position 39", "not UTF-8")),
        ("fra.txt", b"\xef\xbb\xbf" + LATIN, ("line 3", "0xe9 at position 42")),
        ("fra.txt", CUT_CHARACTER, ("line 3", "byte 0xc3", "not UTF-8")),
        ("fra.txt", TWO.encode("utf-16"), ("line 1", "looks like UTF-16")),
        ("fra.txt", TWO.encode("utf-16-le"), ("line 1", "looks like UTF-16")),
        ("fra.txt", b"Go.\tVa !\nI lost.\n", ("line 2: no tab", "'I lost.'")),
        ("fra.txt", b"English,French\nGo.,Va !\n", ("line 1: no tab",)),
        ("fra.txt", b"Go.\tVa !\n\nHi.\tSalut.\n", ("line 2: no tab", "''")),
        ("fra.txt", b"a\tb\tc\td\n", ("line 1: 4 columns", "expected 2, or 3")),
        ("fra.txt", b"a\tb\tc\nd\te\tf\tg\n", ("line 2: 4 columns",)),
        ("fra.txt", b"a\tb\tc\nd\te\n", ("line 2: 2 columns, but line 1 has 3",)),
        ("fra.txt", b"a\tb\nd\te\tf\n", ("line 2: 3 columns, but line 1 has 2",)),
        ("fra.txt", b"a\tb\nc\t \n", ("line 2: the translation is empty",)),
        ("fra.txt", b"a\tb\n\tc\n", ("line 2: the sentence is empty",)),
        ("fra.txt", TWO[:-1].encode(), ("line 2: the last line has no line end",)),
        ("fra.txt", THREE[:-20].encode(), ("line 2: the last line", "cut off")),
        ("fra.zip", zipped()[:200], ("not a whole zip", "cut off")),
        ("fra.zip", b"", ("not a whole zip",)),
        ("fra.zip", TWO.encode(), ("not a whole zip",)),
        ("fra.zip", bytes(DAMAGED), ("fra.zip", "download it again")),
        ("fra.zip", zipped(name="deu.doc"), ("holds 0", "_about.txt, deu.doc")),
        ("fra.zip", zipped(name="fra.txt.bak"), ("must hold one .txt or .tsv",)),
        ("fra.zip", zipped(**{"b/deu.txt": "x"}), ("holds 2", "unpack it")),
        ("fra.zip", zipped(""), ("fra.zip, fra.txt is empty",)),
        ("fra.zip", zipped("Go.\n", "f/fra.txt"), ("fra.zip, f/fra.txt, line 1: no tab",)),
    ],
)  # fmt: skip
def test_a_broken_file_is_an_error_that_names_the_place(tmp_path, name, content, message):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(ValueError, match=says(*message)):
        read_pairs(tmp_path / name, strict=True)


def peak_of_reading(path):
    """The message, and how many MB it took to get it, in a process of its own."""
    program = (
        "import resource, sys; from attnbook.data import read_pairs\n"
        "used = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1000\n"
        "before = used()\n"
        "try: read_pairs(sys.argv[1])\n"
        "except ValueError as error: print(used() - before, error)"
    )
    done = subprocess.run([sys.executable, "-c", program, path], capture_output=True, text=True)
    peak, _, message = done.stdout.partition(" ")
    return int(peak), message


def test_a_zip_does_not_become_larger_than_is_sensible(tmp_path):
    path, text = tmp_path / "fra.zip", b"Go.\tVa !\n" * 30_000_000
    path.write_bytes(zipped(text))
    peak, message = peak_of_reading(path)
    assert "fra.txt would have 270,000,000 bytes, and at most 100,000,000" in message
    assert peak < 50
    # as one that says it is small
    size = len(text).to_bytes(4, "little")
    path.write_bytes(path.read_bytes().replace(size, (1000).to_bytes(4, "little")))
    peak, message = peak_of_reading(path)
    assert "is not a whole zip file (Bad CRC-32" in message
    assert peak < 50


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_what_cannot_be_unpacked_piece_by_piece_is_refused(tmp_path, method):
    with zipfile.ZipFile(tmp_path / "fra.zip", "w", method) as archive:
        archive.writestr("fra.txt", THREE)
    with pytest.raises(ValueError, match="fra.txt is not packed as zip files usually are"):
        read_pairs(tmp_path / "fra.zip")


@pytest.mark.parametrize("text", [TWO, THREE])
def test_a_file_cut_off_within_a_line_never_passes(tmp_path, text):
    data = text.encode()
    file = tmp_path / "fra.txt"
    for end in range(len(data)):
        file.write_bytes(data[:end])
        if end and data[end - 1 : end] == b"\n":
            assert read_pairs(file, strict=True) == READ[: data[:end].count(b"\n")]
        else:
            with pytest.raises(ValueError, match=r"fra\.txt"):
                read_pairs(file, strict=True)


def test_a_missing_file_and_a_folder(tmp_path):
    with pytest.raises(FileNotFoundError, match=says("fra.txt is not there")):
        read_pairs(tmp_path / "fra.txt")
    with pytest.raises(FileNotFoundError, match="a folder"):
        read_pairs(tmp_path)


def test_a_long_line_is_shortened_in_the_message(tmp_path):
    (tmp_path / "x.tsv").write_text("a" * 10_000 + "\n")
    with pytest.raises(ValueError) as error:
        read_pairs(tmp_path / "x.tsv")
    assert len(str(error.value)) < 300 + len(str(tmp_path))


# --- what is no pair is left out, and said -------------------------------------------------------------------

MANY = "".join(f"Go, {i} of you.\tVa, toi qui es {i}.\n" for i in range(100))


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("\n", "blank"),
        ("1\t2\n", "with a side without a letter"),
        ("Go.\t\n", "with a side without a letter"),
        ("Go.\t…\n", "with a side without a letter"),
        ("Hi. Salut.\n", "with other columns"),
        ("Hi. Salut.\tCC-BY 2.0\tone\n", "with other columns"),
        ("Hi.\tSal\ufffdt.\n", "with a character that was lost"),
        ("Hi.\tSalut.\rGo.\n", "with a carriage return inside"),
        ("Hi.\tПривет.\n", "in another script than the rest"),
        ("Hi.\t你好。\n", "in another script than the rest"),
        ("This one is untranslated.\tThis one is untranslated.\n", "with both sides the same"),
        ("Go, 3 of you.\tVa, toi qui es 3.\n", "repeated"),
        ("Go, 3 of you.\tVa, toi qui es 3\u200b.\n", "repeated"),
        ("Hi.\t" + "a" * 1_000_000 + "\n", "over 1,000 characters long"),
    ],
)
def test_a_line_that_is_no_pair_is_left_out_and_named(tmp_path, line, why):
    file, told = tmp_path / "fra.txt", []
    file.write_bytes((MANY[: MANY.index("Go, 50")] + line + MANY[MANY.index("Go, 50") :]).encode())
    pairs = read_pairs(file, report=told.append)
    assert len(pairs) == 100
    assert told == [f"{file}: 100 pairs; 1 line left out (1 {why}, first line 51)"]
    with pytest.warns(UserWarning, match="1 line left out"):
        assert read_pairs(file) == pairs


@pytest.mark.parametrize(
    "line",
    ["Ignore Tom.\tIgnore Tom.\n", "Go.\tVa&quot;!\n", "Go.\tVa\u202f!\n", "Go, 3 of you!\tVa, toi qui es 3.\r\n"],
)
def test_what_may_well_be_a_pair_is_taken_without_a_word(tmp_path, recwarn, line):
    (tmp_path / "fra.txt").write_bytes((MANY + line).encode())
    assert len(read_pairs(tmp_path / "fra.txt")) == 101 and not recwarn.list


def test_a_file_without_a_last_line_end_is_taken_with_a_word(tmp_path):
    told = []
    (tmp_path / "fra.txt").write_bytes(MANY[:-1].encode())
    assert len(read_pairs(tmp_path / "fra.txt", report=told.append)) == 100
    assert told[0].endswith("100 pairs; the last line has no line end: the file may be cut off")


def test_one_pair_is_one_pair(tmp_path):
    told = []
    (tmp_path / "fra.txt").write_text("Hi.\tSalut.\n")
    read_pairs(tmp_path / "fra.txt", report=told.append)
    assert told[0].endswith("fra.txt: 1 pair")


def test_several_faults_are_counted_each_with_its_first_line(tmp_path):
    told = []
    (tmp_path / "fra.txt").write_text("\n" + MANY + "\nno tab\n1\t2\n")
    read_pairs(tmp_path / "fra.txt", report=told.append)
    reasons = (
        "2 blank, first line 1",
        "1 with other columns, first line 103",
        "1 with a side without a letter, first line 104",
    )
    assert told[0].endswith(f"100 pairs; 4 lines left out ({'; '.join(reasons)})")


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("fra.txt", b"", ("fra.txt is empty",)),
        ("fra.txt", LATIN, ("line 3", "byte 0xe9", "not UTF-8")),
        ("fra.txt", TWO.encode("utf-16"), ("looks like UTF-16",)),
        ("fra.txt", b"English,French\nGo.,Va !\n", ("no line with a tab", "'English,French'")),
        ("fra.txt", b"a" * 1_000_000, ("no line with a tab",)),
        ("fra.txt", MANY.encode() + b"no tab\n" * 9, ("9 of 109 lines", "9 with other columns, first line 101")),
        ("picture.png", b"\x89PNG\r\n\x1a\n\0\0", ("not UTF-8",)),
        ("sheet.xlsx", zipped(name="xl/sheet.xml"), ("must hold one .txt or .tsv", "xl/sheet.xml")),
    ],
)  # fmt: skip
def test_what_is_no_file_of_pairs_is_refused(tmp_path, name, content, message):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(ValueError, match=says(*message)):
        read_pairs(tmp_path / name)


# --- Tatoeba --------------------------------------------------------------------------------------------------


def shared_sample(name: str = "fra-sample.tsv") -> Path | None:
    """A sample of Tatoeba beside the repository, or beside the one that this is a worktree of."""
    command = ["git", "rev-parse", "--path-format=absolute", "--git-common-dir"]
    found = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    roots = [ROOT, *([Path(found.stdout.strip()).parent] if not found.returncode else [])]
    files = [root.parent / "shared" / "data" / name for root in roots]
    return next((file for file in files if file.is_file()), None)


@pytest.fixture(scope="module")
def sample(tmp_path_factory) -> Path:
    """Tatoeba's pairs in their own layout: real ones where they lie beside the repository, else ours in disguise.

    So the tests run everywhere; Tatoeba's sentences are not the book's to pass on.
    """
    file = shared_sample()
    if file is None:
        file = tmp_path_factory.mktemp("disguise") / "fra-sample.tsv"
        lines = []
        for number, (english, french) in enumerate(bundled_pairs()):
            french = re.sub(r" ([!?;])", "\u202f\\1", french).replace("'", "’")
            attribution = f"CC-BY 2.0 (France) Attribution: #{number} (A) & #{number} (B)"
            lines.append(f"{english}\t{french}\t{attribution}\n")
        file.write_text("".join(lines), encoding="utf-8")
    return file


def test_the_sample(sample):
    pairs = read_pairs(sample)
    assert len(pairs) == sample.read_bytes().count(b"\n")
    if sample == shared_sample():
        assert len(pairs) == 5000
        assert pairs[0] == Pair("Go.", "Va !") and len(references(pairs)["go ."]) > 2
    spelled = [normalise(side) for pair in pairs for side in pair]
    assert not re.search("[\u00a0\u2009\u202f’A-ZÉ]", "".join(spelled))
    assert all(unicodedata.is_normalized("NFC", side) for side in spelled)
    assert not any(re.search(r"\w[,.!?]", side) for side in spelled if "." not in side)


def test_the_sample_splits_without_a_leak(sample):
    pairs = read_pairs(sample)
    split = split_pairs(pairs)
    train, dev, test = ({normalise(p.source) for p in part} for part in split)
    assert not (train & dev or train & test or dev & test)
    assert sum(map(len, split)) == len(pairs)
    assert len(test) == pytest.approx(0.1 * len(train | dev | test), abs=1)


def test_a_truncated_sample_is_noticed(sample, tmp_path):
    data = sample.read_bytes()
    for end in (len(data) - 1, len(data) // 2, len(data) // 3 + 1):
        file = tmp_path / "cut.tsv"
        file.write_bytes(data[:end].removesuffix(b"\n"))
        with pytest.raises(ValueError, match=r"cut\.tsv, line \d+: "):
            read_pairs(file, strict=True)


# --- the book's own -------------------------------------------------------------------------------------------

DEMOS = {
    "go .": "va !",
    "i lost .": "j'ai perdu .",
    "he's calm .": "il est calme .",
    "i'm home .": "je suis chez moi .",
}


def said_about(target):
    """What SOURCES.md says about the corpus of that target."""
    sources = (DATA / "SOURCES.md").read_text("utf-8")
    return sources.split(f"## english_{target}.tsv\n")[1].split("\n## ")[0]


@pytest.mark.parametrize("target", TARGETS)
def test_the_bundled_corpus_is_the_one_that_sources_describes(target):
    data = (DATA / f"english_{target}.tsv").read_bytes().replace(b"\r\n", b"\n")
    sources = said_about(target)
    named = re.findall(r"\b[0-9a-f]{64}\b", sources)  # this edition, then earlier ones
    assert named[0] == hashlib.sha256(data).hexdigest() == corpus_sha256(target)
    pairs = bundled_pairs(target)
    assert f"{len(pairs):,} pairs" in sources
    known = references(pairs)
    assert f"{len(known):,} distinct English sentences" in sources
    several = sum(len(targets) > 1 for targets in known.values())
    assert re.search(rf"{several:,} sentences\b.* have (more than one|two) translation", sources)
    longest = max(len(tokenise(side)) for pair in pairs for side in pair)
    assert f"to {longest} tokens per side" in sources


def shares_of_neighbours(split) -> tuple[float, float]:
    """Of the test sources: how many are one word from a training source; how many have a reference trained on."""
    train, test = references(split.train), references(split.test)
    targets = {normalise(target) for known in train.values() for target in known}
    near = len(near_duplicates(split.test, split.train))
    seen = sum(any(normalise(t) in targets for t in known) for known in test.values())
    return near / len(test), seen / len(test)


def test_how_near_test_sentences_are_to_training_sentences_is_told():
    near, seen = shares_of_neighbours(split_pairs(bundled_pairs()))
    assert f"{100 * near:.0f} % of the test sentences differ" in said_about("french")
    assert f"for {100 * seen:.0f} % one of the translations" in said_about("french")
    _, seen = shares_of_neighbours(split_pairs(bundled_pairs("chinese")))
    assert f"For {100 * seen:.0f} % of the test sentences one of the translations" in said_about("chinese")


def test_what_the_corpus_shares_with_tatoeba_is_told(sample):
    if sample != shared_sample():
        return  # in disguise it is ours: nothing to compare
    share_is_told("french", read_pairs(sample), 5)


@pytest.mark.filterwarnings("ignore:.*lines left out")
def test_what_the_chinese_corpus_shares_with_tatoeba_is_told():
    if sample := shared_sample("cmn-sample.txt"):
        share_is_told("chinese", read_pairs(sample), 7)


def share_is_told(target, others, longest):
    known = {tuple(map(normalise, pair)) for pair in others}
    shared = [p for p in bundled_pairs(target) if tuple(map(normalise, p)) in known]
    assert len(shared) < 0.05 * len(bundled_pairs(target))
    assert max(len(tokenise(pair.source)) for pair in shared) <= longest
    assert f"{len(shared)} of the pairs also occur" in said_about(target)


def test_both_corpora_have_the_same_english_sentences():
    french, chinese = (list(references(bundled_pairs(target))) for target in TARGETS)
    assert french == chinese


@pytest.mark.parametrize("target", TARGETS)
def test_the_bundled_corpus_is_big_enough_and_has_no_repeats(target):
    pairs = bundled_pairs(target)
    known = references(pairs)
    assert len(known) >= 2500
    assert len({tuple(map(normalise, pair)) for pair in pairs}) == len(pairs)
    assert sum(len(targets) > 1 for targets in known.values()) >= 100


def test_the_demo_sentences_are_among_them():
    known = references(bundled_pairs())
    for english, french in DEMOS.items():
        assert french in map(normalise, known[english])


def test_the_bundled_sentences_are_clean():
    for pair in bundled_pairs():
        for side in pair:
            assert unicodedata.is_normalized("NFC", side), pair
            assert side == side.strip() and "  " not in side, pair
            assert 2 <= len(tokenise(side)) <= 15, pair
            assert re.fullmatch(r"[\w ',.!?;:-]+", side), pair
        # a sentence in both languages, or in both a phrase like "a red car"
        (kind,) = {(s[0].isupper(), s[-1] in ".!?") for s in pair}
        assert kind in {(True, True), (False, False)}, pair
        assert not re.search(r"[^\W\d_a-zA-Zéïç]", pair.source), pair
        assert ("?" in pair.source) == ("?" in pair.target), pair
        assert not re.search(r" [,.!?;:]", pair.source), pair
        assert not re.search(r" [,.]|[^ ][!?;:]", pair.target), pair


def test_the_chinese_sentences_are_clean():
    characters = Counter()
    for pair in bundled_pairs("chinese"):
        assert re.fullmatch(r"[\u4e00-\u9fff0-9，、：“”…]+[。！？]?", pair.target), pair
        assert (pair.source[-1] in ".!?") == (pair.target[-1] in "。！？"), pair
        assert unicodedata.is_normalized("NFC", pair.target), pair
        characters.update(set(pair.target))
    han = {c: n for c, n in characters.items() if c not in "0123456789，、：“”…。！？"}
    told = said_about("chinese")
    assert f"{len(han)} different ones, {sum(n >= 3 for n in han.values())} of them at least three times" in told


@pytest.mark.parametrize("target", TARGETS)
def test_the_bundled_corpus_is_sorted(target):
    sources = [pair.source for pair in bundled_pairs(target)]
    assert sources == sorted(sources, key=lambda s: (len(s), s))


def test_a_changed_corpus_is_refused(tmp_path, monkeypatch):
    data = (DATA / "english_french.tsv").read_bytes()
    changed = tmp_path / "english_french.tsv"
    monkeypatch.setattr(module, "FOLDER", tmp_path)
    changed.write_bytes(data.replace(b"\n", b"\r\n"))  # as git may check it out
    assert len(bundled_pairs()) == data.count(b"\n")
    changed.write_bytes(data + b"More.\tPlus.\n")
    with pytest.raises(ValueError, match=says("SHA-256", "SOURCES.md", "changed")):
        bundled_pairs()


def test_another_language_is_refused():
    with pytest.raises(ValueError, match="target must be one of french, chinese, got 'german'"):
        bundled_pairs("german")
