"""The audit: how it counts, what it misses, and what it finds on a page that is made to be found fault with."""

import contextlib
import gzip
import random
import urllib.error
import urllib.request

import pytest

from attnbook.widgets.scripts import classic_script
from tools import audit
from tools.audit import MODELS, compressed, lighthouse, missed, scores, served, visit, weight


def test_a_goal_is_the_least_of_a_score_and_the_most_of_all_else(monkeypatch):
    monkeypatch.setattr(audit, "GOALS", {"KB": 450, "performance mobile": 60})
    assert missed({"KB": 450, "performance mobile": 60, "requests": 10**6}) == []
    assert missed({"KB": 449, "performance mobile": 61}) == []
    found = missed({"KB": 451, "performance mobile": 59})
    assert found == ["KB is 451, the goal is 450", "performance mobile is 59, the goal is 60"]


def test_the_book_keeps_to_the_goals_of_its_folders(built_book):
    assert [missed(row) for row in audit.megabytes(built_book)] == [[], [], []]


def test_a_score_is_the_worse_of_two_except_of_speed(monkeypatch):
    def measured(address, desktop):
        order = 1 if desktop else -1
        return dict(zip(audit.SCORES, [90, 80, 70, 60][::order], strict=True))

    monkeypatch.setattr(audit, "lighthouse", measured)
    rest = {"accessibility": 70, "best-practices": 70, "seo": 60}
    assert scores("…/a.html", "a") == {"performance desktop": 90, "performance mobile": 60, **rest}
    assert scores("…/index.html", "index")["performance mobile, index"] == 60


def test_lighthouse_is_asked_as_a_desktop_or_a_phone(monkeypatch):
    def run(command, **options):
        asked.append("--preset=desktop" in command)
        said = ", ".join(f'"{name}": {{"score": 0.29}}' for name in audit.SCORES)
        return audit.subprocess.CompletedProcess(command, 0, f'{{"categories": {{{said}}}}}')

    asked: list[bool] = []
    monkeypatch.setattr(audit, "find_chromium", lambda: "chromium")
    monkeypatch.setattr(audit.subprocess, "run", run)
    for desktop in (True, False):
        assert lighthouse("…", desktop) == dict.fromkeys(audit.SCORES, 29)
    assert asked == [True, False]


def test_a_file_is_sent_compressed_unless_it_is_so_already(tmp_path):
    (tmp_path / "a.html").write_text("word " * 1000)
    (tmp_path / "a.png").write_bytes(b"word " * 1000)
    (tmp_path.parent / "beside.html").write_text("not in the book")
    assert compressed(tmp_path / "a.png") == b"word " * 1000
    with served(tmp_path) as base:
        with urllib.request.urlopen(f"{base}a.html?v=1") as answer:
            assert answer.headers["Content-Encoding"] == "gzip"
            assert answer.headers["Content-Type"] == "text/html; charset=utf-8"
            body = answer.read()
        assert body == compressed(tmp_path / "a.html") and len(body) < 200
        assert gzip.decompress(body) == b"word " * 1000
        with urllib.request.urlopen(f"{base}a.png") as answer:
            assert answer.headers["Content-Encoding"] is None
            assert len(answer.read()) == 5000
        for name in ("missing.html", "..%2Fbeside.html"):
            with pytest.raises(urllib.error.HTTPError, match="404"):
                urllib.request.urlopen(base + name)


def test_nothing_is_served_after_the_block_also_if_it_fails(tmp_path):
    (tmp_path / "a.html").touch()
    with pytest.raises(RuntimeError, match="the page is gone"), served(tmp_path) as base:
        raise RuntimeError("the page is gone")
    with pytest.raises(urllib.error.URLError, match="refused"):
        urllib.request.urlopen(f"{base}a.html", timeout=5)


def test_a_visit_weighs_what_a_page_loads_and_names_what_is_wrong(browser, tmp_path):
    noise = random.Random(0)
    (tmp_path / "some").mkdir()
    for name in ("a.js", "some/model-a.js", "unasked.js"):
        (tmp_path / name).write_text("// " + noise.randbytes(10_000).hex())
    (tmp_path / "a.html").write_text(
        '<!doctype html><html lang="en"><head><title>a</title><link rel="icon" href="data:,">'
        "<style>[data-theme=dark] p { color: #eee }</style></head><body><main><h1>a</h1><p>only by day</p>"
        '<img src="data:image/gif;base64,R0lGODlhAQABAAAAACw="><script src="a.js"></script>'
        '<script src="some/model-a.js"></script><script src="gone.js"></script>'
        '<script src="http://127.0.0.1:9/b.js"></script></main></body></html>'
    )
    with served(tmp_path) as base:
        row, found, heaviest = visit(browser, base, "a", tmp_path)
    page, script = (len(compressed(tmp_path / name)) for name in ("a.html", "a.js"))
    assert row["KB"] == round((page + script) / 1000) > 10
    assert len(heaviest) == 2 and heaviest[0] == f"{script / 1000:7.1f} KB  a.js"
    assert row["outside"] == 1 and "http://127.0.0.1:9/b.js" in found
    assert row["light"] == row["dark"] == 1 and row["cut"] == 0
    assert any(line.startswith("image-alt") for line in found)
    assert any(line.startswith("dark: color-contrast") for line in found)
    assert [line.split()[0] for line in missed(row)] == ["outside", "light", "dark"]


@pytest.mark.parametrize("name", MODELS)
def test_a_model_in_a_figures_script_is_not_weighed(tmp_path, name):
    script = tmp_path / name
    script.write_text(classic_script(script.stem), "utf-8")
    assert 0 < weight(script) < len(compressed(script)) / 2


def test_the_wanted_pages_are_visited_and_the_folder_is_weighed(monkeypatch, tmp_path, capsys):
    tmp_path = tmp_path / "classroom/engine-html"  # what is above the book says nothing of its files
    tmp_path.mkdir(parents=True)
    for name in ("index", "chapters/01-a", "chapters/02-b", "_static/webpack-macros"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).with_suffix(".html").touch()
    for name in ("_static/classroom", "zh"):
        (tmp_path / name).mkdir()
    loaded = ("_static/classroom/page.js", 0.07), ("_static/classroom/classroom.css", 0.03)
    asked = (
        ("_static/classroom/engine-0.js", 8),
        ("_static/classroom/words-zh-CN.js", 1),
        ("_static/model-minilm.0.js", 2),
        ("_static/model-bahdanau.js", 2),
    )
    for name, megabytes in (("_static/big.js", 22.8), ("zh/big.html", 8.8), *loaded, *asked):
        with open(tmp_path / name, "wb") as file:
            file.truncate(int(megabytes * 1e6))  # takes no room

    def visited(browser, base, name, folder):
        names.append(name)
        return {"KB": 451 if name == "index" else 450}, ["a finding"], ["a file"]

    names: list[str] = []
    monkeypatch.setattr(audit, "BOOK", tmp_path)
    monkeypatch.setattr(audit, "chromium", contextlib.nullcontext)
    monkeypatch.setattr(audit, "visit", visited)
    assert audit.main(["chapters/0*"]) == 0
    assert names == ["chapters/01-a", "chapters/02-b"]
    said = capsys.readouterr().out
    assert "folder MB 22.9, asked MB 13.0, translation MB 8.8" in said and "2 pages, 0 goals missed" in said
    assert said.count("    a finding\n") == 2 and "a file" not in said
    with open(tmp_path / "_static/big.js", "wb") as file:
        file.truncate(23_900_000)
    with pytest.raises(SystemExit):
        audit.main(["nosuch"])
    assert "has no page such as nosuch; build the book, or name others" in capsys.readouterr().err
    assert audit.main([]) == 1
    assert names[2:] == ["chapters/01-a", "chapters/02-b", "index", "zh/big"]
    said = capsys.readouterr().out
    assert "4 pages, 2 goals missed\nfolder MB is 24.0, the goal is 23\n" in said
    assert said.endswith("index: KB is 451, the goal is 450\n")
