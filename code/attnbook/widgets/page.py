"""Sphinx extension that makes the figures live on the built pages, from a file and without a network.

At build time each figure's ES module becomes a classic script below `_static/attnbook/` (`scripts.py`), and each page
gets only the scripts of the figures on it. The directive

    ```{live-figure} query_key_value
    :state: {"width": 0.5}
    ```

puts a figure on a page that is not a notebook; `:state:` (JSON, optional) sets its traits.
"""

import base64
import hashlib
import html
import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote_to_bytes

from . import figure_class
from .scripts import assets_are_current, figures_in, page_scripts, script_names, write_assets

if TYPE_CHECKING:
    from sphinx.application import Sphinx

FOLDER = "attnbook"
PICTURES = f"_static/{FOLDER}/pictures"
PICTURE = re.compile(r'\b(src|srcset)="data:image/svg\+xml(;base64)?,([^"]+)"')
FRAME = re.compile(r'(?<=")data:image/png;base64,([\w+/=]+)(?=")')  # of `StoredFrames`, which shows one at a time
SIZE = re.compile(rb'<svg [^>]*?(?:viewBox="0 0 (\d+) (\d+)"|width="(\d+)" height="(\d+)")')
# lines of one kind, one after the other, which may not shine through each other where they cross
LINES = re.compile(rb'<path d="[^"]*"( fill="none"(?![^>]*opacity)[^>]*/>)(?:<path d="[^"]*"\1)+')
# what an element is without these words, too: no group of a picture says otherwise
DEFAULTS = re.compile(rb' (?:stroke-width="1"|text-anchor="start")')


def smaller(picture: bytes) -> bytes:
    """An SVG picture that looks the same and is smaller: lines of one kind are one path, defaults are not written."""

    def one_path(lines: re.Match[bytes]) -> bytes:
        return b'<path d="%b"%b' % (b"".join(re.findall(rb'd="([^"]*)"', lines[0])), lines[1])

    return DEFAULTS.sub(b"", LINES.sub(one_path, picture))


def with_picture_files(body: str, folder: Path, address: str) -> str:
    """A page whose drawings and figures' pictures are files: its text does not wait for them, and they are smaller.

    Args:
        body: its HTML.
        folder: path of the folder for the pictures; made if it does not exist.
        address: of this folder, seen from the page.

    Returns:
        HTML text.
    """

    def moved(image: re.Match[str]) -> str:
        of_figure = image[2]  # which will take its place
        picture = smaller(base64.b64decode(image[3]) if of_figure else unquote_to_bytes(html.unescape(image[3])))
        found = SIZE.match(picture)  # its place is kept until it or the figure is there
        sides = [int(side) for side in found.groups() if side] if found else []
        size = 'width="{}" height="{}" '.format(*sides) if sides else ""
        lazy = 'loading="lazy" ' if of_figure else ""
        return f'{lazy}{size}{image[1]}="{written(picture, ".svg")}"'

    def written(picture: bytes, suffix: str) -> str:
        name = hashlib.sha256(picture).hexdigest()[:16] + suffix
        folder.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(picture)
        return f"{address}/{name}"

    return FRAME.sub(lambda frame: written(base64.b64decode(frame[1]), ".png"), PICTURE.sub(moved, body))


def _add_assets(app: "Sphinx", pagename: str, templatename: str, context: dict[str, Any], doctree: Any) -> None:
    body = context.get("body") or ""
    if app.config.language == "en":  # elsewhere the drawings are still to be translated (tools/languages)
        context["body"] = with_picture_files(body, Path(app.outdir) / PICTURES, context["pathto"](PICTURES, 1))
    modules = figures_in(body)
    if not modules:
        return
    app.add_css_file(f"{FOLDER}/figures.css")
    for module in modules:
        if module not in script_names():
            raise ValueError(f"the page {pagename} has a figure {module!r}, but there is no {module}/figure.js")
    for name in page_scripts(modules):
        app.add_js_file(f"{FOLDER}/{name}.js", loading_method="defer")


def _note_scripts(app: "Sphinx", config: Any) -> None:
    """Pages name the scripts that they need, and which version: all are written anew when one has changed."""
    sources = sorted(Path(__file__).parent.rglob("*.js"))
    config.figures_scripts = hashlib.sha256(b"".join(path.read_bytes() for path in sources)).hexdigest()


def _write_for_build(app: "Sphinx") -> None:
    # the pages in other languages share those of the English ones
    if app.builder.format == "html" and app.config.language == "en":
        folder = Path(app.outdir) / "_static" / FOLDER
        if not assets_are_current(folder):
            write_assets(folder)


def setup(app: "Sphinx") -> dict[str, Any]:
    """Register the extension with Sphinx."""
    from docutils import nodes
    from docutils.parsers.rst import directives
    from sphinx.util.docutils import SphinxDirective

    class LiveFigure(SphinxDirective):
        required_arguments = 1
        option_spec = {"state": directives.unchanged}

        def run(self) -> list["nodes.Node"]:
            try:
                state = json.loads(self.options.get("state") or "{}")
                figure = figure_class(self.arguments[0])(**state)
            except (ValueError, TypeError) as error:
                raise self.error(f"live-figure: {error}") from error
            return [nodes.raw("", figure.to_html(), format="html")]

    app.add_directive("live-figure", LiveFigure)
    app.add_config_value("figures_scripts", "", "html")
    app.connect("config-inited", _note_scripts)
    app.connect("builder-inited", _write_for_build)
    app.connect("html-page-context", _add_assets)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
