"""The files of a figure, put together: its JavaScript as one module, its stored numbers, its fallback picture."""

import base64
import json
import re
from functools import cache
from pathlib import Path
from typing import Any

KIT = Path(__file__).parent
WIDGETS = KIT.parent
USES = re.compile(r"^// uses (.+)$", re.MULTILINE)


def with_kit(source: str) -> str:
    """Puts the kit in front of a figure's JavaScript, so that the kit's names are in scope there."""
    kit = [(KIT / name).read_text("utf-8") for name in ("kit.js", "paint.js")]
    return "\n".join([*kit, source])


def module_source(module: str) -> str:
    """Reads a figure's JavaScript with everything it uses in front of it: one ES module without imports.

    The kit is always there. What else `figure.js` needs, it names in lines `// uses a.js, b.json`: files relative to
    its own folder, put in front in this order; a JSON file as `const DATA = …;`, a file of weights as the text that
    `readWeights` of kit/weights.js takes, `const WEIGHTS = "…";`.

    Args:
        module: the figure's name, which is that of its folder.

    Returns:
        The source text.

    Raises:
        ValueError: there is no such figure.
    """
    path = WIDGETS / module / "figure.js"
    if not path.is_file():
        raise ValueError(
            f"the figure {module!r} has no widgets/{module}/figure.js; write it first"
        )
    source = path.read_text("utf-8")
    used = [name for line in USES.findall(source) for name in line.split(", ")]
    return with_kit("\n".join([*(_in_front(path.parent / n) for n in used), source]))


def _in_front(path: Path) -> str:
    if path.suffix == ".safetensors":
        return f'const WEIGHTS = "{base64_of(path)}";'
    text = path.read_text("utf-8")
    return text if path.suffix == ".js" else f"const DATA = {text.strip()};"


def base64_of(path: Path) -> str:
    """Reads a file as base64."""
    return base64.b64encode(path.read_bytes()).decode("ascii")


@cache
def figure_data(module: str) -> Any:
    """Reads the stored numbers of a figure, its `data.json`.

    Args:
        module: the figure's name.

    Returns:
        What the file holds; the same object every time, not to be changed.
    """
    return json.loads((WIDGETS / module / "data.json").read_text("utf-8"))


def fallback_image(module: str) -> str:
    """Gives the stored picture of a figure as a data URI, for readers without JavaScript.

    Args:
        module: the figure's name.

    Returns:
        `data:image/svg+xml;base64,…`; of an empty picture if none is stored yet.
    """
    path = WIDGETS / module / "fallback.svg"
    empty = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 640 40"/>'
    svg = path.read_text("utf-8") if path.is_file() else empty
    text = base64.b64encode(svg.encode("utf-8")).decode("ascii")
    return f"data:image/svg+xml;base64,{text}"
