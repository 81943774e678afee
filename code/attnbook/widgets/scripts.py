"""The scripts of a page with figures, and whole pages around them.

They are classic scripts, since a page that is opened from a file loads no modules. A page gets the host script, the kit
once, and the scripts of the figures on it.
"""

import codecs
import functools
import gzip
import html
import json
import re
from collections.abc import Iterable
from pathlib import Path

import numpy as np

from . import FIGURES, TOOLS, figure_class
from .kit import KIT, as_text, figure_parts, file_parts, model_files, script_parts

SHARED = "widgets/kit/"
PACKAGE = Path(__file__).parents[1]
LAST = "figures.css"  # of the files to be written
CACHES = {"__pycache__", ".ruff_cache"}  # written among the sources by whoever runs or checks them
BOX = re.compile(r'<div class="attnbook-figure" data-widget="([^"]+)"')
FILES = "(globalThis.attnbookFiles = globalThis.attnbookFiles || {})"
UNPACK = """(text, length) => {
  const bytes = new Uint8Array(length);
  let left = 0, unused = 0;
  for (let i = 0, at = 0; i < text.length; i++) {
    let pair = text.charCodeAt(i);
    if (!left--) {
      left = pair >> 5;
      unused = pair & 31;
    } else {
      if (pair >> 11 === unused) pair = (pair & 0x7ff) | 0xd800;
      bytes[at++] = pair;
      bytes[at++] = pair >> 8;
    }
  }
  return new Response(new Response(bytes).body.pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();
}"""
PACKED = re.compile(r'\)\((".*"), (\d+)\);\n$')
HALVES = 0xD800 >> 11  # the first five bits of half a surrogate pair, and of nothing else
LONGEST = (0xD800 >> 5) - 1  # of a block of `without_halves`: its first character must be none of these


def classic_script(module: str, source: str | None = None) -> str:
    """Turn a figure's ES module into a classic script that registers itself with the host script.

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


def newest(paths: Iterable[Path]) -> float:
    """When the last of some files and folders was changed, in seconds; caches are not looked at."""
    return max((path.stat().st_mtime for path in paths if CACHES.isdisjoint(path.parts)), default=0.0)


def assets_are_current(folder: Path) -> bool:
    """Whether `write_assets` has written all that belongs into a folder, and no file of the package is newer."""
    needed = [folder / LAST, *(folder / f"model-{name}.js" for name in model_files())]
    files = (path for path in PACKAGE.rglob("*") if path.is_file())
    return all(path.is_file() for path in needed) and newest(files) < (folder / LAST).stat().st_mtime


def write_assets(folder: str | Path) -> list[str]:
    """Write the host script, the style and the classic scripts of all figures into a folder.

    Args:
        folder: path; made if it does not exist.

    Returns:
        Sorted names of the files written.
    """
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    files = {name: (KIT / name).read_text("utf-8") for name in ("host.js", LAST)}
    for module in script_names():
        files[f"{module}.js"] = classic_script(module)
    files |= {f"{name}.js": text for name, text in kit_scripts().items()}
    scripts = data_scripts() | {name: text.encode() for name, text in files.items()}
    for name, script in sorted(scripts.items(), key=lambda one: one[0] == LAST):
        (folder / name).write_bytes(script)
    return sorted(scripts)


def without_halves(pairs: np.ndarray) -> np.ndarray:
    """Numbers of two bytes as characters that a text can hold: none is half of a surrogate pair.

    Such a half begins with five certain bits. So the numbers are cut into blocks in each of which some other five bits
    begin no number, and those stand for the certain ones; a character before the block says how long it is (`<< 5`) and
    which bits they are. Where all are as likely, a block has some 130 numbers.

    Args:
        pairs: (N,) uint16.

    Returns:
        (N + number of blocks,) uint16.
    """
    begins = pairs >> 11
    blocks: list[np.ndarray] = []
    at = 0
    while at < len(pairs):
        ahead = begins[at : at + LONGEST]
        first = np.full(32, len(ahead))  # where each five bits begin a number
        first[ahead[::-1]] = np.arange(len(ahead))[::-1]
        unused = 31 - int(first[::-1].argmax())
        stop = at + int(first[unused])
        block = pairs[at:stop]
        head = np.array([(stop - at) << 5 | unused], np.uint16)
        blocks += [head, np.where(block >> 11 == HALVES, block & 0x7FF | unused << 11, block)]
        at = stop
    return np.concatenate(blocks).astype(np.uint16)


def with_halves(characters: np.ndarray) -> np.ndarray:
    """The numbers of which `without_halves` has made these."""
    blocks: list[np.ndarray] = []
    at = 0
    while at < len(characters):
        length, unused = divmod(int(characters[at]), 32)
        block = characters[at + 1 : at + 1 + length]
        blocks.append(np.where(block >> 11 == unused, block & 0x7FF | 0xD800, block))
        at += 1 + length
    return np.concatenate(blocks).astype(np.uint16)


@functools.cache
def packed_script(place: str, content: bytes) -> bytes:
    """A classic script that holds any bytes, in hardly more room than gzip needs.

    Two bytes are one character of a script in UTF-16: its byte order mark goes before whatever a server or a page says
    of the encoding.

    Args:
        place: an assignable expression of JavaScript; it becomes a promise of an `ArrayBuffer` with the content.
        content: bytes.

    Returns:
        The file's bytes.
    """
    data = gzip.compress(content, 9, mtime=0)
    pairs = np.frombuffer(data + bytes(len(data) % 2), "<u2")
    text = without_halves(pairs).astype("<u2").tobytes().decode("utf-16-le")
    script = f"{place} = ({UNPACK})({json.dumps(text, ensure_ascii=False)}, {len(data)});\n"
    return codecs.BOM_UTF16_LE + script.encode("utf-16-le")


def unpacked_script(script: bytes) -> bytes:
    """The content of a `packed_script`; ValueError if it is none."""
    found = PACKED.search(script.decode("utf-16"))
    if not found:
        raise ValueError("this script does not end in a text and its length, as packed_script writes them")
    characters = np.frombuffer(json.loads(found[1]).encode("utf-16-le"), "<u2")
    return gzip.decompress(with_halves(characters).astype("<u2").tobytes()[: int(found[2])])


def data_scripts() -> dict[str, bytes]:
    """What figures load only when they need it: files of weights as classic scripts.

    No page names these scripts. A figure that wants one asks for it (`loadFile` in kit/files.js), and the script leaves
    its content in `attnbookFiles`, that of a large file in parts (`file_parts`); a page opened from a file can load
    scripts, but fetch nothing else.

    Returns:
        dict of file name → the script.
    """
    scripts = {}
    for name, make in model_files().items():
        for part, found in file_parts(name, make()).items():
            place = f"{FILES}[{json.dumps(part)}]"
            scripts[f"model-{part}.js"] = (
                packed_script(place, found) if isinstance(found, bytes) else f"{place} = {found};\n".encode()
            )
    return scripts


def script_names() -> list[str]:
    """Names of the JavaScript modules: one for each figure and tool."""
    return [*FIGURES.values(), *TOOLS.values()]


def figures_in(body: str) -> list[str]:
    """Names of the figures in a page's HTML, in their order, each once."""
    return list(dict.fromkeys(BOX.findall(body)))


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
        *(
            f"{FILES}[{json.dumps(part)}] = {json.dumps(as_text(found))};\n"
            for name, content in (data or {}).items()
            for part, found in file_parts(name, content).items()
        ),
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
