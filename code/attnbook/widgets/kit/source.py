"""The files of a figure, put together: its JavaScript as one module, its stored numbers, its fallback picture."""

import base64
import json
import re
from functools import cache
from pathlib import Path
from typing import Any

KIT = Path(__file__).resolve().parent
WIDGETS = KIT.parent
PACKAGE = WIDGETS.parent
IMPORT = re.compile(r'^import (\{[^}]*\}|\w+) from "([^"]+)"( with \{ type: "json" \})?;$', re.MULTILINE)
EXPORT = re.compile(r"^export (?=(?:async )?(?:function\*?|class|const) (?:(\w+)|[\[{]([\w, ]+)[\]}]))", re.MULTILINE)
DEFAULT = re.compile(r"^export default\s+(?=\S)", re.MULTILINE)
DATA = (".json", ".safetensors")
GLUE = re.compile(r"^(?:import\b(?!\s*\()|export\b).*", re.MULTILINE)


def module_source(module: str) -> str:
    """A figure's JavaScript with everything it imports in front of it: one ES module without imports.

    Args:
        module: the figure's name, which is that of its folder.

    Returns:
        The source text.

    Raises:
        ValueError: see `figure_parts`.
    """
    parts = figure_parts(module)
    return "\n".join(["const modules = {};", *parts.values(), f"export default {_place([*parts][-1])};\n"])


def figure_parts(module: str, source: str | None = None) -> dict[str, str]:
    """The `script_parts` of a figure's `figure.js`.

    Args:
        module: the figure's name.
        source: text of the file; by default what it holds.

    Returns:
        dict of the file's name within the package → statement; the last is the figure's own.

    Raises:
        ValueError: there is no such figure, it exports nothing by default, or an import cannot be followed.
    """
    path = WIDGETS / module / "figure.js"
    if source is None and not path.is_file():
        raise ValueError(f"the figure {module!r} has no widgets/{module}/figure.js; write it first")
    source = path.read_text("utf-8") if source is None else source
    if len(DEFAULT.findall(source)) != 1:
        raise ValueError(
            f"{module}/figure.js must have one export default, and no other export: "
            "export default { render, math: {…} };"
        )
    return script_parts(path, source)


def script_parts(path: Path, source: str | None = None) -> dict[str, str]:
    """A JavaScript module and all that it imports, each once, as statements that a script without imports can hold.

    Each becomes `modules["widgets/kit/kit.js"] = …`: an object of what it exports by name, or the one thing that it
    exports by default, the content of a JSON file, or, in base64, of a file of weights. Its other names stay its own.

    Args:
        path: of the file.
        source: its text; by default what the file holds.

    Returns:
        dict of the file's name within the package → statement, whatever is imported before what imports it.

    Raises:
        ValueError: a file is missing, a name is imported that is not exported, the imports run in a circle, or an
            import or export is written in another way than `import { a, b } from "./file.js";`,
            `import DATA from "./file.json" with { type: "json" };`, `import WEIGHTS from "./file.safetensors";`,
            `export` before a declaration, or one
            `export default` and no other export.
    """
    parts: dict[str, str] = {}
    exports: dict[str, list[str]] = {}

    def add(path: Path, text: str, above: tuple[str, ...]) -> None:
        name = _name(path)
        if name in above:
            circle = " → ".join((*above[above.index(name) :], name))
            raise ValueError(f"imports in a circle: {circle}; move what both need into a file that imports neither")
        if name in parts:
            return
        if path.suffix in DATA:
            parts[name] = f"{_place(name)} = {text.strip()};"
            return

        def imported(found: re.Match[str]) -> str:
            names, address, json_type = found.groups()
            other = (path.parent / address).resolve()
            if not other.is_file():
                raise ValueError(f"{name} imports {address}; there is no such file")
            is_json = other.suffix == ".json"
            if (other.suffix in DATA) != (names[0] != "{") or is_json != bool(json_type):
                raise ValueError(
                    f"{name} has `{found[0]}`; names come in braces from a .js file, one name without braces from a "
                    '.json file, with { type: "json" }, or from a .safetensors file'
                )
            add(other, _content(other), (*above, name))
            wanted = re.findall(r"\w+", names) if names[0] == "{" else []
            missing = [one for one in wanted if one not in exports[_name(other)]]
            if missing:
                raise ValueError(f"{name} imports {', '.join(missing)} from {address}, which exports no such name")
            return f"const {names} = {_place(_name(other))};"

        body = IMPORT.sub(imported, text)
        own = [one for pair in EXPORT.findall(body) for one in re.findall(r"\w+", ",".join(pair))]
        body = EXPORT.sub("", body)
        if not own:
            body = DEFAULT.sub("const exported = ", body)
        left = GLUE.search(body)
        if left:
            raise ValueError(
                f"{name} has `{left[0]}`, which the build does not understand; write "
                '`import { a, b } from "./file.js";`, `export` before a function, class or const, '
                "or one `export default` and no other export"
            )
        exports[name] = own
        answer = "exported" if not own and DEFAULT.search(text) else f"{{ {', '.join(own)} }}"
        parts[name] = f"{_place(name)} = (() => {{\n{body.rstrip()}\nreturn {answer};\n}})();"

    add(path, path.read_text("utf-8") if source is None else source, ())
    return parts


def _content(path: Path) -> str:
    return path.read_text("utf-8") if path.suffix in (".js", ".json") else json.dumps(base64_of(path))


def _name(path: Path) -> str:
    return path.relative_to(PACKAGE).as_posix()


def _place(name: str) -> str:
    return f"modules[{json.dumps(name)}]"


def base64_of(path: Path) -> str:
    """Read a file as base64."""
    return base64.b64encode(path.read_bytes()).decode("ascii")


@cache
def figure_data(module: str) -> Any:
    """Read the stored numbers of a figure, its `data.json`.

    Args:
        module: the figure's name.

    Returns:
        What the file holds; the same object every time, not to be changed.
    """
    return json.loads((WIDGETS / module / "data.json").read_text("utf-8"))


def fallback_image(module: str, picture: str = "fallback") -> str:
    """Give the stored picture of a figure as a data URI, for readers without JavaScript.

    Args:
        module: the figure's name.
        picture: the file's name, without its ending.

    Returns:
        `data:image/svg+xml;base64,…`; of an empty picture if none is stored yet.
    """
    path = WIDGETS / module / f"{picture}.svg"
    empty = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 640 40"/>'
    svg = path.read_text("utf-8") if path.is_file() else empty
    text = base64.b64encode(svg.encode("utf-8")).decode("ascii")
    return f"data:image/svg+xml;base64,{text}"
