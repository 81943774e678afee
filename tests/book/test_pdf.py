"""The PDF of the book, printed from a few pages of it."""

import re
import subprocess
import sys
import unicodedata

import pytest
from pypdf import PdfReader

from attnbook.widgets.browser import MISSING, find_chromium
from tools import ROOT

PAGES = ("index", "chapters/04-masked-softmax", "chapters/notation", "chapters/bibliography")


def printed(*arguments) -> subprocess.CompletedProcess:
    command = [sys.executable, "-m", "tools.pdf", *map(str, arguments)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True)


@pytest.fixture(scope="module")
def pdf(built_book, tmp_path_factory) -> PdfReader:
    if find_chromium() is None:
        pytest.skip(MISSING)
    out = tmp_path_factory.mktemp("pdf") / "some.pdf"
    done = printed(*PAGES, "--book", built_book, "--out", out)
    assert done.returncode == 0, done.stderr
    assert [file.name for file in out.parent.iterdir()] == ["some.pdf"]
    return PdfReader(out)


def words(text: str) -> str:
    """A text without its spaces, which a PDF does not keep, and without ligatures."""
    return re.sub(r"\s+", "", unicodedata.normalize("NFKC", text))


@pytest.fixture(scope="module")
def texts(pdf) -> list[str]:
    """What each page says."""
    return [page.extract_text() for page in pdf.pages]


def test_the_contents_say_on_which_page_a_heading_stands(texts):
    contents = unicodedata.normalize("NFKC", texts[1])
    titles = "What is different here", "4.5. What should a row get", "Colours"
    for title in titles:
        number = int(re.search(re.escape(title) + r".*?(\d+)$", contents, re.M)[1])
        assert number > 2 and words(title) in words(texts[number - 1])
    assert "000" not in contents


def test_links_lead_to_pages_of_the_pdf_or_to_the_web(pdf):
    links = [note.get_object() for page in pdf.pages for note in page.get("/Annots", ())]
    outside = [link["/A"]["/URI"] for link in links if "/A" in link]
    inside = [link for link in links if "/Dest" in link]
    assert len(inside) > 30 and len(outside) > 3
    assert [a for a in outside if not re.match("https?://", a)] == []


def test_bookmarks_follow_the_headings(pdf):
    def titles(entries):
        for entry in entries:
            yield from titles(entry) if isinstance(entry, list) else [entry.title]

    found = list(titles(pdf.outline))
    assert found[:3] == ["Paying Attention", "Contents", "Paying Attention"]
    assert "4.6. How large is a large negative number?" in found
    assert found.index("Appendices") < found.index("Notation and shapes")


def test_solutions_stand_at_the_end_and_folded_code_nowhere(texts):
    at_the_end = next(n for n, text in enumerate(texts) if "Hint 1" in text)
    notation = next(n for n, t in enumerate(texts) if n > 2 and "Notation and shapes" in t)
    assert at_the_end > notation
    assert not any("use_book_style()" in text for text in texts)


def test_a_book_that_is_not_built_and_pages_that_do_not_exist(tmp_path):
    for arguments, message in (
        (["--book", tmp_path], "build it first"),
        (["chapters/99*"], "none matches chapters/99*"),
    ):
        done = printed(*arguments, "--out", tmp_path / "out" / "book.pdf")
        assert (done.returncode, message in done.stderr) == (2, True), done.stderr
        assert not list(tmp_path.rglob("*.pdf")) + list(tmp_path.rglob("*.print.html"))


def test_a_folder_is_no_file_for_the_pdf(tmp_path):
    done = printed("index", "--out", tmp_path)
    assert done.returncode == 2 and f"--out must name a file, but {tmp_path} is a folder" in done.stderr


@pytest.mark.parametrize("out", [(), ("--out", "_build/paying-attention.pdf")])
def test_a_part_is_not_printed_over_the_whole_book(out):
    done = printed("index", *out)
    assert done.returncode == 2 and "paying-attention.pdf is the whole book; say with --out" in done.stderr
