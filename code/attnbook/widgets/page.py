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

from attnbook.weights import FOLDER as WEIGHTS

from . import FIGURES, TOOLS, figure_class
from .kit import FILES, KIT, module_source

if TYPE_CHECKING:
    from sphinx.application import Sphinx

FOLDER = "attnbook"
EXPORT = re.compile(r"^export default\s+(.*?);?\s*\Z", re.MULTILINE | re.DOTALL)
BOX = re.compile(r'<div class="attnbook-figure" data-widget="([^"]+)"')
PICTURE = re.compile(r'(<img alt="[^"]*") src="data:image/svg\+xml;base64,([^"]+)"')
VIEW = re.compile(rb'<svg [^>]*viewBox="0 0 (\d+) (\d+)"')


def classic_script(module: str, source: str | None = None) -> str:
    """Turns a figure's ES module into a classic script that registers itself with the host script.

    Args:
        module: the figure's name.
        source: text of the ES module; by default the kit and the figure's own `figure.js`.

    Returns:
        JavaScript text for a `<script>` without `type=module`.

    Raises:
        ValueError: the source has an import, or not exactly one `export default` as its last statement.
    """
    own = source is None
    source = module_source(module) if source is None else source
    if re.search(r"^\s*import\b(?!\s*\()", source, re.MULTILINE):
        raise ValueError(
            f"{module}/figure.js has an import; name what it needs in a line `// uses …` (the kit is in scope)"
        )
    found = EXPORT.search(source)
    if not found or len(re.findall(r"^export\b", source, re.MULTILINE)) != 1:
        raise ValueError(
            f"{module}/figure.js must end in its one and only export: export default {{ render, math: {{…}} }};"
        )
    body = source[: found.start()]
    given = [json.dumps(module), found.group(1)]
    if own:
        given.append(json.dumps(figure_class(module).limits(), ensure_ascii=False))
    return f'(function () {{\n"use strict";\n{body}\nattnbook.register({", ".join(given)});\n}})();\n'


def write_assets(folder: str | Path) -> list[str]:
    """Writes the host script, the style and the classic scripts of all figures into a folder.

    Args:
        folder: path; made if it does not exist.

    Returns:
        Sorted names of the files written.
    """
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    files = {
        name: (KIT / name).read_text("utf-8") for name in ("host.js", "figures.css")
    }
    for module in script_names():
        files[f"{module}.js"] = classic_script(module)
    files |= data_scripts()
    for name, text in files.items():
        (folder / name).write_text(text, "utf-8")
    return sorted(files)


def data_scripts() -> dict[str, str]:
    """What figures load only when they need it: files of weights as classic scripts.

    No page names these scripts. A figure that wants one asks for it (`loadFile` in kit/files.js), and the script leaves
    its content, in base64, in `attnbookFiles`; a page opened from a file can load scripts, but fetch nothing else.

    Returns:
        dict of file name → JavaScript text.
    """
    return {
        f"model-{name}.js": _data_script(
            name, (WEIGHTS / f"{name}.safetensors").read_bytes()
        )
        for name in FILES
    }


def _data_script(name: str, content: bytes) -> str:
    text = base64.b64encode(content).decode("ascii")
    return f'(globalThis.attnbookFiles = globalThis.attnbookFiles || {{}})[{json.dumps(name)}] = "{text}";\n'


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


def standalone_page(
    body: str,
    assets: str = "_static",
    theme: str = "light",
    scripts: list[str] | None = None,
) -> str:
    """A whole page around the HTML of figures, for looking at them outside a book.

    Args:
        body: HTML text with figures in it.
        assets: address of the folder that `write_assets` wrote, seen from the page.
        theme: "light" or "dark".
        scripts: names of the scripts to load; by default the host's and those of the figures in `body`.

    Returns:
        HTML text.
    """
    names = ["host", *figures_in(body)] if scripts is None else scripts
    tags = "".join(
        f'<script defer src="{assets}/{name}.js"></script>' for name in names
    )
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
    scripts = [
        *(_data_script(name, content) for name, content in (data or {}).items()),
        (KIT / "host.js").read_text("utf-8"),
        *map(classic_script, figures_in(body)),
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


def _add_assets(
    app: "Sphinx",
    pagename: str,
    templatename: str,
    context: dict[str, Any],
    doctree: Any,
) -> None:
    modules = figures_in(context.get("body") or "")
    if not modules:
        return
    pictures = f"_static/{FOLDER}/pictures"
    context["body"] = with_picture_files(
        context["body"], Path(app.outdir) / pictures, context["pathto"](pictures, 1)
    )
    app.add_css_file(f"{FOLDER}/figures.css")
    app.add_js_file(f"{FOLDER}/host.js", loading_method="defer")
    for module in modules:
        if module not in script_names():
            raise ValueError(
                f"the page {pagename} has a figure {module!r}, but there is no {module}/figure.js"
            )
        app.add_js_file(f"{FOLDER}/{module}.js", loading_method="defer")


def _write_for_build(app: "Sphinx") -> None:
    if app.builder.format == "html":
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
