"""What the pages carry once the repository has an address, and that they carry none of it before."""

import os
import re
import subprocess
import sys
import tomllib
from html import unescape
from importlib.metadata import files
from pathlib import PurePath
from types import SimpleNamespace

import pytest
import test_build
import yaml
from sphinx.errors import ConfigError

from tools import ROOT
from tools.barriers import DESK, barriers
from tools.chapter import make_chapter
from tools.languages import LANGUAGES
from tools.languages.builder import SCRIPT, words_script
from tools.pages import publishing
from tools.pages.notices import PYTHON, _part, _terms, notices
from tools.pages.publishing import PREVIEW_PICTURE, preview

ADDRESS = "https://github.com/Someone/paying-attention"
HOME = "https://someone.github.io/paying-attention/"
CONFIG = yaml.safe_load((ROOT / "_config.yml").read_text("utf-8"))
# what a book of two pages does without
TEXT = """---
jupytext:
  text_representation: {extension: .md, format_name: myst}
kernelspec: {display_name: Python 3, language: python, name: python3}
---

# One
"""
LEFT_OUT = (
    "tools.pages.classroom", "tools.pages.notices", "tools.pages.api", "tools.languages.builder",
    "attnbook.widgets.page", "sphinxcontrib.bibtex", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx_exercise",
)  # fmt: skip


def small_book(folder, address, language="en"):
    """A landing page and a notebook, built with the book's own settings: the result of the build, and its pages."""
    config = yaml.safe_load((ROOT / "_config.yml").read_text("utf-8"))
    config["repository"]["url"] = address
    for name in ("bibtex_bibfiles", "logo"):
        del config[name]
    del config["html"]["favicon"]
    settings = config["sphinx"]["config"]
    settings["extensions"] = [e for e in settings["extensions"] if e not in LEFT_OUT]
    if language != "en":
        settings |= {"language": language, "extensions": [*settings["extensions"], "tools.languages.builder"]}
    for name in [n for n in settings if n.startswith(("bibtex", "autodoc", "napoleon"))]:
        del settings[name]
    config["sphinx"]["local_extensions"] = {"tools.pages.publishing": str(ROOT)}
    (folder / "_config.yml").write_text(yaml.safe_dump(config))
    toc = {"format": "jb-book", "root": "index", "chapters": [{"file": "chapters/01-a"}]}
    (folder / "_toc.yml").write_text(yaml.safe_dump(toc))
    (folder / "index.md").write_text("# A & B\n\n" + "The first page of them. " * 5)
    (folder / "chapters/text").mkdir(parents=True)
    (folder / "chapters/text/01-a.md").write_text(TEXT)
    make_chapter("01-a", folder, words=True)
    done = subprocess.run(
        [PurePath(sys.executable).with_name("jupyter-book"), "build", "-W", "-n", folder],
        capture_output=True,
        text=True,
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
    )
    html = folder / "_build/html"
    return done, {page.stem: page.read_text("utf-8") for page in test_build.pages(html)}


@pytest.fixture(scope="module")
def published(tmp_path_factory):
    folder = tmp_path_factory.mktemp("published")
    done, pages = small_book(folder, ADDRESS)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    return folder / "_build/html", pages


def test_with_an_address_a_notebook_can_be_launched_and_edited(published):
    _, pages = published
    notebook = "Someone/paying-attention/{}/chapters/01-a.ipynb"
    links = re.findall(r'href="(https://[^"]*)"', pages["01-a"])
    assert f"{ADDRESS}/edit/main/chapters/text/01-a.md" in links
    colab = "https://colab.research.google.com/github/" + notebook.format("blob/main")
    assert colab in links
    assert any(
        link.startswith("https://mybinder.org/v2/gh/Someone/paying-attention/main")
        and link.endswith("chapters/01-a.ipynb")
        for link in links
    )
    assert f"{ADDRESS}/edit/main/index.md" in pages["index"]
    assert "colab" not in pages["index"]


def test_with_an_address_the_notebook_says_how_to_install_the_book(published):
    html, pages = published
    stored = (html.parents[1] / "chapters/01-a.ipynb").read_text("utf-8")
    assert f"`%pip install git+{ADDRESS}`" in stored
    assert "%pip" not in pages["01-a"]


def test_with_an_address_previews_know_what_a_page_is(published):
    _, pages = published
    found = dict(re.findall(r'<meta property="og:(\w+)" content="([^"]*)"', pages["index"]))
    assert found["title"] == "A &amp; B" and found["url"] == HOME + "index.html"
    assert found["description"].startswith("The first page of them.")
    assert found["image"].startswith(HOME)
    picture = found["image"].removeprefix(HOME)
    assert (ROOT / picture).is_file()


@pytest.mark.parametrize("language", ["en", *LANGUAGES])
def test_the_address_of_a_page_is_its_own_in_each_language(published, tmp_path, language):
    _, pages = published
    home = HOME
    if language != "en":
        done, pages = small_book(tmp_path, ADDRESS, language)
        assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
        home += f"{LANGUAGES[language].folder}/"
        assert f'hreflang="en" href="{HOME}index.html"' in pages["index"]
    assert {"index", "01-a", "search"} <= pages.keys()
    for name, page in pages.items():
        address = f"{home}chapters/{name}.html" if name == "01-a" else f"{home}{name}.html"
        assert re.findall('<link rel="canonical" href="([^"]*)"', page) == [address]
        assert re.findall('property="og:url" content="([^"]*)"', page) == [address]
        assert re.findall('property="og:image" content="([^"]*)"', page) == [HOME + PREVIEW_PICTURE]


def test_the_buttons_keep_nobody_out(published, browser):
    html, _ = published
    page = browser.new_page(viewport=DESK)
    page.goto((html / "chapters/01-a.html").as_uri())
    assert barriers(page) == ([], [])
    page.close()


def test_without_an_address_pages_name_none(tmp_path):
    done, pages = small_book(tmp_path, "")
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    for page in pages.values():
        assert not re.search(r"og:|mybinder|colab\.research|/edit/|github\.com/\w+/paying", page)


@pytest.mark.parametrize(
    ("name", "home"),
    [
        ("Some.Book", "https://someone.github.io/Some.Book/"),
        ("Someone.github.io", "https://someone.github.io/"),
        ("else.github.io", "https://someone.github.io/else.github.io/"),
    ],
)
def test_a_book_is_published_where_github_serves_it(name, home):
    config = SimpleNamespace(
        html_theme_options={"repository_url": f"https://github.com/Someone/{name}"}, html_baseurl=""
    )
    publishing._configure(None, config)
    assert config.html_baseurl == home


@pytest.mark.parametrize("given", ["https://books.org/attention", "https://books.org/attention/"])
def test_a_base_is_an_address_that_pages_can_be_put_behind(given):
    config = SimpleNamespace(html_theme_options={}, html_baseurl=given)
    publishing._configure(None, config)
    assert config.html_baseurl == "https://books.org/attention/"


def test_an_address_that_cannot_be_used_is_refused():
    config = SimpleNamespace(html_theme_options={"repository_url": ADDRESS + ".git"}, html_baseurl="")
    with pytest.raises(ConfigError, match="must be like https://github.com/OWNER/NAME"):
        publishing._configure(None, config)


def test_a_page_without_a_description_has_none_in_its_preview():
    assert "og:description" not in preview("x", "<code>a</code> b", "", "y")
    assert 'content="a b"' in preview("x", "<code>a</code> b", "", "y")


# --- licences and papers ------------------------------------------------------------------------------------------


def test_the_citation_says_what_the_project_says():
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert citation["version"] == project["version"]
    assert " AND ".join(citation["license"]) == project["license"]
    assert (citation.get("repository-code") or "") == CONFIG["repository"]["url"], (
        "`repository-code` in CITATION.cff and `repository: url` in _config.yml are the same address"
    )
    changes = (ROOT / "CHANGELOG.md").read_text("utf-8")
    assert f"\n## {project['version']}" in changes


def test_a_package_without_one_licence_is_named():
    package = SimpleNamespace(name="crelt", files=["crelt-1.dist-info/METADATA"])
    with pytest.raises(
        ValueError, match="crelt has 0 files LICENSE, not one; say in tools.pages.notices which is meant"
    ):
        _terms(package)


def test_a_part_of_a_package_that_tells_no_version_is_named(tmp_path):
    (script := tmp_path / "clipboard.min.js").write_text("/* clipboard.js, without a number */")
    for parts in ([], [script]):
        with pytest.raises(
            ValueError, match="copybutton has no clipboard.min.js that tells the version of clipboard.js"
        ):
            _part(parts, "copybutton", "clipboard.js", "MIT", "", script.name, r"clipboard.js v([\d.]+)")


def test_whatever_the_pages_contain_of_others_is_named(built_book):
    theirs = {PurePath(file).name.partition(".")[0] for name in PYTHON for file in files(name)}
    made = {
        "theirs.css", "documentation_options.js", "licences.txt", "pygments.css",
        *(path.name for path in (ROOT / "_static").iterdir()),
        SCRIPT.name, *map(words_script, LANGUAGES.values()),
    }  # fmt: skip
    static = built_book / "_static"
    unnamed = [
        path.relative_to(static).as_posix()
        for path in static.rglob("*")
        if path.is_file()
        and path.name not in made
        and path.name.partition(".")[0] not in theirs
        # from npm, and our own
        and path.relative_to(static).parts[0] not in ("katex", "classroom", "attnbook", "search")
    ]
    assert not unnamed
    page = unescape((built_book / "chapters/licences.html").read_text("utf-8"))
    assert "licences.html" in (built_book / "index.html").read_text("utf-8")
    words = (static / "licences.txt").read_text("utf-8")
    for notice in notices():
        assert notice.name in page and notice.version in page
        assert f"{notice.name} {notice.version}, {notice.licence}" in words
    assert "PYTHON SOFTWARE FOUNDATION LICENSE VERSION 2" in words
    names = {n.name for n in notices()}
    assert {"pyodide", "katex", "Python", "Bootstrap"} <= names
    assert ("all-MiniLM-L6-v2" in names) == any((static / "attnbook").glob("model-minilm*"))


def test_the_workflow_runs_what_there_is_on_three_systems():
    """GitHub runs it; here it can only be read."""
    path = ROOT / ".github/workflows/book.yml"
    jobs = yaml.safe_load(path.read_text("utf-8"))["jobs"]
    systems = {one["os"] for one in jobs["test"]["strategy"]["matrix"]["include"]}
    assert systems == {"ubuntu-latest", "macos-latest", "windows-latest"}
    assert jobs["publish"]["needs"] == "test"
    runs = "\n".join(step.get("run", "") for job in jobs.values() for step in job["steps"])
    makefile = (ROOT / "Makefile").read_text("utf-8")
    for target in re.findall(r"\bmake (\w+)", runs):
        assert re.search(rf"^{target}:", makefile, re.MULTILINE)
    for file in re.findall(r"[\w./-]+\.(?:txt|cfg|sh)\b", runs):
        assert (ROOT / file).is_file(), file
    for module in re.findall(r"-m (tools\.\w+)", runs):
        assert (ROOT / module.replace(".", "/")).with_suffix(".py").is_file()
