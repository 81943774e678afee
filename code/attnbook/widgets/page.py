"""Sphinx extension that makes the figures live on the built pages, from a file and without a network.

At build time each figure's ES module becomes a classic script below `_static/attnbook/` (browsers load no
modules from `file://`), and each page gets only the scripts of the figures on it. The directive

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

from . import FIGURES, TOOLS, figure_class
from .kit import KIT, figure_parts, file_parts, model_files, script_parts

if TYPE_CHECKING:
    from sphinx.application import Sphinx

FOLDER = "attnbook"
SHARED = "widgets/kit/"
BOX = re.compile(r'<div class="attnbook-figure" data-widget="([^"]+)"')
PICTURE = re.compile(r'(<img alt="[^"]*") src="data:image/svg\+xml;base64,([^"]+)"')
VIEW = re.compile(rb'<svg [^>]*viewBox="0 0 (\d+) (\d+)"')


def classic_script(module: str, source: str | None = None) -> str:
    """Turns a figure's ES module into a classic script that registers itself with the host script.

    What it imports from the kit is not in it: that has scripts of its own (`kit_scripts`), one for all of a page.

    Args:
        module: the figure's name.
        source: text of the ES module; by default the figure's own `figure.js`.

    Returns:
        JavaScript text for a `<script>` without `type=module`.

    Raises:
        ValueError: see `attnbook.widgets.kit.figure_parts`.
    """
    parts = figure_parts(module, source)
    own = [text for name, text in parts.items() if not name.startswith(SHARED)]
    given = [json.dumps(module), f"modules[{json.dumps(list(parts)[-1])}]"]
    if source is None:
        given.append(json.dumps(figure_class(module).limits(), ensure_ascii=False))
    return _classic(*own, f"attnbook.register({', '.join(given)});")


def kit_scripts() -> dict[str, str]:
    """The kit as classic scripts: `kit` is what every figure has, the others are for the figures that import them.

    Returns:
        dict of script name → JavaScript text.
    """
    kit = script_parts(KIT / "card.js")
    scripts = {"kit": _classic(*kit.values())}
    for path in sorted(set(KIT.glob("*.js")) - {KIT / "host.js"}):
        *_, (name, text) = script_parts(path).items()
        if name not in kit:
            scripts[f"kit-{path.stem}"] = _classic(text)
    return scripts


def page_scripts(modules: list[str]) -> list[str]:
    """Names of the scripts of a page with these figures, in the order in which they have to run."""
    kit = script_parts(KIT / "card.js")
    names = [name for module in modules for name in figure_parts(module)]
    more = [f"kit-{Path(name).stem}" for name in names if name.startswith(SHARED) and name not in kit]
    return ["host", "kit", *dict.fromkeys(more), *modules]


def _classic(*statements: str) -> str:
    body = "\n".join(statements)
    return f'(function () {{\n"use strict";\nconst {{ modules }} = attnbook;\n{body}\n}})();\n'


def write_assets(folder: str | Path) -> list[str]:
    """Writes the host script, the style and the classic scripts of all figures into a folder.

    Args:
        folder: path; made if it does not exist.

    Returns:
        Sorted names of the files written.
    """
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    files = {name: (KIT / name).read_text("utf-8") for name in ("host.js", "figures.css")}
    for module in script_names():
        files[f"{module}.js"] = classic_script(module)
    files |= {f"{name}.js": text for name, text in kit_scripts().items()} | data_scripts()
    for name, text in files.items():
        (folder / name).write_text(text, "utf-8")
    return sorted(files)


def data_scripts() -> dict[str, str]:
    """What figures load only when they need it: files of weights as classic scripts.

    No page names these scripts. A figure that wants one asks for it (`loadFile` in kit/files.js), and the script leaves
    its content, in base64, in `attnbookFiles`, that of a large file in parts (`file_parts`); a page opened from a file
    can load scripts, but fetch nothing else.

    Returns:
        dict of file name → JavaScript text.
    """
    return {
        f"model-{part}.js": text
        for name, make in model_files().items()
        for part, text in _data_scripts(name, make()).items()
    }


def _data_scripts(name: str, content: bytes) -> dict[str, str]:
    start = "(globalThis.attnbookFiles = globalThis.attnbookFiles || {})"
    return {
        part: f"{start}[{json.dumps(part)}] = {json.dumps(text)};\n" for part, text in file_parts(name, content).items()
    }


def script_names() -> list[str]:
    """Names of the JavaScript modules: one for each figure and tool."""
    return [*FIGURES.values(), *TOOLS.values()]


def figures_in(body: str) -> list[str]:
    """Names of the figures in a page's HTML, in their order, each once."""
    return list(dict.fromkeys(BOX.findall(body)))


def with_picture_files(body: str, folder: Path, address: str) -> str:
    """A page whose figures' pictures are files: pages share them, and the text does not wait for them.

    Args:
        body: its HTML.
        folder: path of the folder for the pictures; made if it does not exist.
        address: of this folder, seen from the page.

    Returns:
        HTML text.
    """

    def moved(image: re.Match[str]) -> str:
        picture = base64.b64decode(image[2])
        name = hashlib.sha256(picture).hexdigest()[:16] + ".svg"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(picture)
        view = VIEW.match(picture)  # its place is kept until it or the figure is there
        size = f'width="{int(view[1])}" height="{int(view[2])}" ' if view else ""
        return f'{image[1]} loading="lazy" {size}src="{address}/{name}"'

    return PICTURE.sub(moved, body)


def standalone_page(body: str, assets: str = "_static", theme: str = "light", scripts: list[str] | None = None) -> str:
    """A whole page around the HTML of figures, for looking at them outside a book.

    Args:
        body: HTML text with figures in it.
        assets: address of the folder that `write_assets` wrote, seen from the page.
        theme: "light" or "dark".
        scripts: names of the scripts to load; by default those of the figures in `body`.

    Returns:
        HTML text.
    """
    names = page_scripts(figures_in(body)) if scripts is None else scripts
    tags = "".join(f'<script defer src="{assets}/{name}.js"></script>' for name in names)
    return (
        f'<!doctype html><html lang="en" data-theme="{theme}"><head><meta charset="utf-8"><title>figure</title>'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<link rel="icon" href="data:,"><link rel="stylesheet" href="{assets}/figures.css">'
        f"{tags}</head><body>{body}</body></html>"
    )


def offline_page(body: str, title: str, data: dict[str, bytes] | None = None) -> str:
    """A whole page around the HTML of figures in one file, which needs no network and follows the system's theme.

    Args:
        body: HTML text with figures in it.
        title: of the page, as plain text.
        data: dict of name → content, the files that the figures would otherwise load.

    Returns:
        HTML text.
    """
    shared = kit_scripts()
    names = page_scripts(figures_in(body))[1:]
    scripts = [
        *(text for name, content in (data or {}).items() for text in _data_scripts(name, content).values()),
        (KIT / "host.js").read_text("utf-8"),
        *(shared.get(name) or classic_script(name) for name in names),
    ]
    theme = (
        'const dark = matchMedia("(prefers-color-scheme: dark)");\n'
        'const follow = () => { document.documentElement.dataset.theme = dark.matches ? "dark" : "light"; };\n'
        'dark.addEventListener("change", follow);\nfollow();\n'
    )
    tags = "".join(f"<script>\n{text}</script>\n" for text in [theme, *scripts])
    style = (KIT / "figures.css").read_text("utf-8")
    ground = "body { margin: 0 auto; max-width: 1100px; padding: 1rem; background: var(--ab-panel); }"
    return (
        f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>{html.escape(title)}</title>\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n<link rel="icon" href="data:,">\n'
        f"<style>\n{style}{ground}\n</style>\n{tags}</head>\n<body>\n{body}\n</body>\n</html>\n"
    )


def _add_assets(app: "Sphinx", pagename: str, templatename: str, context: dict[str, Any], doctree: Any) -> None:
    modules = figures_in(context.get("body") or "")
    if not modules:
        return
    pictures = f"_static/{FOLDER}/pictures"
    context["body"] = with_picture_files(context["body"], Path(app.outdir) / pictures, context["pathto"](pictures, 1))
    app.add_css_file(f"{FOLDER}/figures.css")
    for module in modules:
        if module not in script_names():
            raise ValueError(f"the page {pagename} has a figure {module!r}, but there is no {module}/figure.js")
    for name in page_scripts(modules):
        app.add_js_file(f"{FOLDER}/{name}.js", loading_method="defer")


def _write_for_build(app: "Sphinx") -> None:
    # the pages in other languages share those of the English ones
    if app.builder.format == "html" and app.config.language == "en":
        write_assets(Path(app.outdir) / "_static" / FOLDER)


def setup(app: "Sphinx") -> dict[str, Any]:
    """Registers the extension with Sphinx."""
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
    app.connect("builder-inited", _write_for_build)
    app.connect("html-page-context", _add_assets)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
