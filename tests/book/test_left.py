"""A page that leaves the book, or is renamed, leaves nothing behind in a folder that an earlier build has filled."""

import pytest

from attnbook.widgets.scripts import unpacked_script
from tools import book
from tools.languages import LANGUAGES, own_pages
from tools.pages import finish
from tools.pages.assembly import assemble

pytestmark = [
    pytest.mark.filterwarnings("ignore::PendingDeprecationWarning"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::FutureWarning"),
]
(LANGUAGE,) = LANGUAGES.values()
EXTENSIONS = (
    "sphinx_exercise",
    "myst_nb",
    "jupyter_book",
    "sphinx_external_toc",
    "sphinx_book_theme",
    "tools.pages.search",
    "tools.pages.downloads",
    "tools.pages.documents",
    "tools.pages.finish",
    "tools.languages.builder",
)


@pytest.fixture
def build(tmp_path):
    """Builds a book with the pages that are named, in English and below it in the other language."""
    source, toc = tmp_path / "source", tmp_path / "source/_toc.yml"
    source.mkdir()
    settings = {
        "latex_individualpages": False,
        "extensions": [*EXTENSIONS],
        "external_toc_path": str(toc),
        "external_toc_exclude_missing": True,
        "html_theme": "sphinx_book_theme",
        "html_sourcelink_suffix": "",
        "nb_execution_mode": "off",
        "use_multitoc_numbering": False,
    }

    def run(*names):
        files = "".join(f"      - file: {name}\n" for name in names)
        contents = f"format: jb-book\nroot: index\nparts:\n  - caption: Pages\n    chapters:\n{files}"
        if not toc.exists() or toc.read_text() != contents:  # all pages are written again where it is newer
            toc.write_text(contents)
        options = {"noconfig": True, "quiet": True}
        html = book.build(source, tmp_path / "_build", confoverrides={**settings, "templates_path": []}, **options)
        # a list of its own: the theme appends to Sphinx's default, and in one process the next build would take
        # that for a change of the settings, and write all pages again
        own = {**settings, "templates_path": [], "language": LANGUAGE.code}
        assemble(book.build(source, tmp_path / "_build/zh", confoverrides=own, **options), LANGUAGE, html)
        return html

    run.source, run.toc = source, toc
    return run


def names_in(folder):
    return {path.relative_to(folder).with_suffix("").as_posix() for path in own_pages(folder)}


def left_of(name, html):
    """The files in which a page still is, or is still named."""
    named = [page for page in html.rglob("*.html") if f"{name}.html" in page.read_text("utf-8")]
    texts = [html / "_static/search" / script for script in ("text.js", f"text-{LANGUAGE.tag}.js")]
    found = [text for text in texts if f'"{name}.html"' in unpacked_script(text.read_bytes()).decode()]
    return sorted({path.relative_to(html).as_posix() for path in [*html.rglob(f"{name}.*"), *named, *found]})


def test_a_page_leaves_nothing_behind(build):
    for name in ("index", "zeroth", "first", "second", "third"):
        (build.source / f"{name}.md").write_text(f"# The {name} page\n\nIt says something.\n")
    html = build("zeroth", "first", "second", "third")
    assert len(left_of("second", html)) > 8
    html = build("zeroth", "first", "third")  # its file is still there
    assert left_of("second", html) == [] != left_of("third", html)
    (build.source / "third.md").rename(build.source / "last.md")
    html = build("zeroth", "first", "last")  # the contents beside each page name it
    now = "index", "zeroth", "first", "last"
    assert left_of("third", html) == []
    assert names_in(html) == names_in(html / LANGUAGE.folder) == {*now, "search", "genindex"}
    assert {path.name for path in (html / "_sources").iterdir()} == {
        f"{name}.md{script}" for name in now for script in ("", ".js")
    }


def test_a_build_that_writes_nothing_loses_nothing(build):
    """As after a change of a translation: there is nothing to write in English."""
    for name in ("index", "first"):
        (build.source / f"{name}.md").write_text(f"# The {name} page\n\nIt says something.\n")
    before = names_in(build("first"))
    html = build("first")
    assert names_in(html) == names_in(html / LANGUAGE.folder) == before == {"index", "first", "search", "genindex"}


def test_strings_of_the_theme_are_looked_for_beside_an_older_translation(build, monkeypatch):
    """Pages of another language are finished already; they say nothing of what the theme writes now."""
    for name in ("index", "first"):
        (build.source / f"{name}.md").write_text(f"# The {name} page\n\nIt says something.\n")
    html = build("first")
    asked = []
    monkeypatch.setattr(finish, "check_theme", asked.append)
    monkeypatch.setattr(finish, "ROOT", build.source)
    build.toc.touch()
    build("first")  # every page is written again, since the contents are newer
    assert (html / LANGUAGE.folder / "first.html").is_file()
    assert len(asked) == 1 and asked[0][finish.CHARSET.pattern] == len(names_in(html))
