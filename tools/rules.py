"""What every chapter must keep to, as functions that return the list of what is wrong.

The tests run them on all chapters; `make chapter` prints what they find, so that an author sees it at once.
"""

from __future__ import annotations

import ast
import functools
import re
from pathlib import Path

from nbformat import NotebookNode

from tools import ROOT
from tools.edited import fingerprint, stored_fingerprint
from tools.normal_form import check_outputs
from tools.notebooks import (
    CELL_METADATA,
    ChapterError,
    calls,
    code_cells,
    first_arguments,
    is_chapter,
    notebook_path,
    parsed,
    read_chapter,
    read_stored,
    twin_path,
)
from tools.questions import unanswered, wrong_quiz
from tools.reading import load

LONGEST_CHAPTER = 45  # minutes
LONGEST_CELL = 24  # lines
SHORTEST_ALT = 20  # characters: a picture's alt text says what it shows, not only that it is a plot
CLOSING_SECTIONS = ("What we found", "Check yourself", "Exercises", "Further reading")
HEADING = re.compile(r"^(#{1,6})\s+(.*?)\s*$", re.MULTILINE)
PICTURE = re.compile(r"^([`~:]{3,})\{(?:image|figure)\}.*?^\1", re.MULTILINE | re.DOTALL)
IMG = re.compile(r"<img\b[^>]*>")
IMG_ALT = re.compile(rf"""\balt=(?:"[^"]{{{SHORTEST_ALT},}}"|'[^']{{{SHORTEST_ALT},}}')""")
FENCE = re.compile(r"^(`{3,}|~{3,}|:{3,}).*?^\1", re.MULTILINE | re.DOTALL)
# the line below a chapter's title
HEAD = re.compile(
    r"^# [^\n]+\n+\*\*Time\*\* (\d+) minutes · \*\*Needs\*\* [^\n·]+ · \*\*Exercises\*\* (\d+)$", re.MULTILINE
)
# what a chapter without a checked exercise tells its reader
UNMARKED = "This chapter's exercises have no checker"


@functools.cache
def package_names(package: Path = ROOT / "code" / "attnbook") -> dict[str, str]:
    """Names of the package's public functions and classes, with the module each one stands in.

    The insides of `classroom`, `exercises` and `standin` are left out: they are no part of what the book teaches.
    """
    return {
        node.name: path.relative_to(package).as_posix()
        for path in sorted(package.rglob("*.py"))
        if path.relative_to(package).parts[0] not in ("classroom", "exercises", "standin") or path.name == "__init__.py"
        for node in ast.parse(path.read_text("utf-8")).body
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and not node.name.startswith("_")
    }


# --- the rules ------------------------------------------------------------------------------------------------


def wrong_execution_counts(notebook: NotebookNode) -> list[str]:
    """A cell that was never executed would pass nbval, so the counts must run 1..n without a gap."""
    counts = [cell.execution_count for cell in code_cells(notebook)]
    if counts == list(range(1, len(counts) + 1)):
        return []
    return [f"execution counts are {counts}, not 1..{len(counts)}: the outputs are not those of one clean run"]


def twin_differences(notebook: NotebookNode, twin: NotebookNode) -> list[str]:
    """The notebook's cells against those of its text twin."""

    def content(cell: NotebookNode) -> tuple[str, str, dict[str, object]]:
        return (cell.cell_type, cell.source, {k: cell.metadata[k] for k in CELL_METADATA if k in cell.metadata})

    stored, written = list(map(content, notebook.cells)), list(map(content, twin.cells))
    problems = [
        f"cell {number} differs from the text twin, which has {b[1][:60]!r}"
        for number, (a, b) in enumerate(zip(stored, written, strict=False), 1)
        if a != b
    ]
    if len(stored) != len(written):
        problems.append(f"the notebook has {len(stored)} cells, its text twin {len(written)}")
    return problems


def twin_header(twin: NotebookNode) -> list[str]:
    """With `formats` in the header, JupyterLab would write over a reader's notebook when it saves the twin."""
    if "formats" in twin.metadata.get("jupytext", {}):
        return ["the text twin's header has a line `formats: …`; remove it"]
    return []


def edited_elsewhere(notebook: NotebookNode) -> list[str]:
    """The cells are those that were stored, or the next `make chapter` would take them for somebody's own."""
    if fingerprint(notebook) == stored_fingerprint(notebook):
        return []
    return [
        "the notebook was edited after it was stored; take it over with attnbook chapter --from-notebook, "
        "then make chapter"
    ]


def long_cells(notebook: NotebookNode) -> list[str]:
    """A code cell is one idea."""
    lengths = [len(cell.source.splitlines()) for cell in code_cells(notebook)]
    return [
        f"code cell {number} has {length} lines; at most {LONGEST_CELL}"
        for number, length in enumerate(lengths, 1)
        if length > LONGEST_CELL
    ]


def redefinitions(notebook: NotebookNode, names: dict[str, str]) -> list[str]:
    """A chapter derives in bare expressions and shows the package: it defines nothing a second time."""
    problems = []
    for number, cell in enumerate(code_cells(notebook), 1):
        for node in ast.walk(parsed(cell)):
            defined = []
            if isinstance(node, ast.FunctionDef | ast.ClassDef):
                defined = [node.name]
            elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Lambda):
                defined = [target.id for target in node.targets if isinstance(target, ast.Name)]
            problems += [
                f"code cell {number} defines {name}, which attnbook/{names[name]} defines; import or rename it"
                for name in defined
                if name in names
            ]
    return problems


def missing_alt_texts(notebook: NotebookNode) -> list[str]:
    """Every picture says in words what it shows."""
    problems = []
    for number, cell in enumerate(code_cells(notebook), 1):
        data = [output.get("data", {}) for output in cell.outputs]
        alt = cell.metadata.get("mystnb", {}).get("image", {}).get("alt", "")
        if any(mime.startswith("image/") for mimes in data for mime in mimes) and len(alt) < SHORTEST_ALT:
            problems.append(f"code cell {number} draws a picture; say what it shows in mystnb: image: alt: …")
        images = IMG.findall("".join(d.get("text/html", "") for d in data))
        problems += [f"code cell {number} puts out an <img> without alt text" for i in images if not IMG_ALT.search(i)]
    for number, cell in enumerate(notebook.cells, 1):
        if cell.cell_type == "markdown":
            bare = re.search(r"!\[\s*\]\(", cell.source) is not None
            bare |= any(":alt:" not in picture[0] for picture in PICTURE.finditer(cell.source))
            bare |= any(not IMG_ALT.search(image) for image in IMG.findall(cell.source))
            if bare:
                problems.append(f"cell {number} shows a picture without alt text")
    return problems


def wrong_order(notebook: NotebookNode) -> list[str]:
    """Label and title; a question and what the reader will be able to do; sections; the four closing ones."""
    text = "\n\n".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")
    prose = FENCE.sub("", text)
    problems = []
    if not re.match(r"\(ch-[a-z0-9-]+\)=\n+# \S", text):
        problems.append("it must begin with a label `(ch-…)=` and the title `# …`")
    opening = re.split(r"^## ", prose, maxsplit=1, flags=re.MULTILINE)[0]
    if "?" not in opening:
        problems.append("the opening, before the first section, asks no question")
    if not re.search(r"\b(you (will|can)|you[’']ll)\b", opening, re.IGNORECASE):
        problems.append("the opening does not say what the reader will be able to do (`you will …`, `you can …`)")
    sections = [title for marks, title in HEADING.findall(prose) if len(marks) == 2]
    if tuple(sections[-4:]) != CLOSING_SECTIONS:
        problems.append(f"the last sections must be {', '.join(CLOSING_SECTIONS)}; they are {sections[-4:]}")
    elif len(sections) < 6:
        problems.append(f"there are only {len(sections) - 4} sections before What we found")
    elif "{cite" not in re.split(r"^##\s+Further reading", text, flags=re.MULTILINE)[-1]:
        problems.append("Further reading cites nothing; use {cite:t}`key`")
    return problems + _misplaced_findings(notebook)


def wrong_time(notebook: NotebookNode) -> list[str]:
    """A chapter says at its head how long it takes and what it needs; none is too long for one sitting."""
    minutes = load(notebook).minutes
    problems = []
    if minutes > LONGEST_CHAPTER:
        problems.append(
            f"it takes {minutes} minutes to read; at most {LONGEST_CHAPTER} (python -m tools.reading counts)"
        )
    head = HEAD.search(notebook.cells[0].source) if notebook.cells else None
    exercises = len(first_arguments(notebook, "check"))
    if head is None:
        return [
            *problems,
            "below its title there must be a line "
            f"`**Time** {minutes} minutes · **Needs** … · **Exercises** {exercises}`",
        ]
    if abs(int(head[1]) - minutes) > 2:
        problems.append(f"its head says {head[1]} minutes; it takes {minutes}")
    if int(head[2]) != exercises:
        problems.append(f"its head says {head[2]} exercises; there are {exercises}")
    return problems


def wrong_opening_of_appendix(notebook: NotebookNode) -> list[str]:
    """A label and a title; the rest of an appendix has the shape that its matter needs."""
    first = next((c.source for c in notebook.cells if c.cell_type == "markdown"), "")
    if re.match(r"\(app-[a-z0-9-]+\)=\n+# \S", first):
        return []
    return ["an appendix must begin with a label `(app-…)=` and the title `# …`"]


def _misplaced_findings(notebook: NotebookNode) -> list[str]:
    section, last_claim, lists = "", 0, []
    for number, cell in enumerate(notebook.cells, 1):
        if cell.cell_type == "markdown":
            for marks, title in HEADING.findall(FENCE.sub("", cell.source)):
                section = title if len(marks) == 2 else section
        elif cell.source.strip():
            last_claim = number if calls(cell, "claim") else last_claim
            lists += [(number, section)] * len(calls(cell, "what_we_found"))
    if [where for _, where in lists] != ["What we found"]:
        return ["exactly one cell must call what_we_found(), in the section What we found"]
    return ["a claim after what_we_found() is missing from its list"] if last_claim > lists[0][0] else []


def unproven_claims(notebook: NotebookNode) -> list[str]:
    """A cell that claims has printed its claims: each begins a line with ✓."""
    problems = []
    for number, cell in enumerate(code_cells(notebook), 1):
        claims = len(calls(cell, "claim"))
        printed = "".join(o.text for o in cell.outputs if o.output_type == "stream" and o.name == "stdout")
        ticks = len(re.findall(r"^✓ \S", printed, re.MULTILINE))
        if ticks < claims:
            problems.append(f"code cell {number} claims {claims} things and shows {ticks} ✓")
    return problems


def unwanted_tags(notebook: NotebookNode) -> list[str]:
    """Nothing may switch off the comparison of a whole cell, except what says so and is still executed."""
    problems = []
    for number, cell in enumerate(code_cells(notebook), 1):
        for tag in {"nbval-skip", "raises-exception", "skip-execution"} & set(cell.metadata.get("tags", [])):
            problems.append(f"code cell {number} has the tag {tag}: it would not be tested")
        if re.search(r"^\s*#\s*(NBVAL_|PYTEST_VALIDATE)", cell.source, re.MULTILINE):
            problems.append(f"code cell {number} steers nbval by a comment; use a tag")
    return problems


def wrong_exercises(notebook: NotebookNode, registered: set[str]) -> list[str]:
    """Every exercise block is a registered exercise with its check and hints, in this order, and no other."""
    text = "\n".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")
    blocks = re.findall(r"^[`:]{3,}\{exercise(?:-start)?\}[^\n]*\n(?:[^\n]*\n)*?:label:\s*(\S+)", text, re.MULTILINE)
    exercises = [label.removeprefix("ex-") for label in blocks]
    problems = [f"the exercise label {label} must begin with ex-" for label in blocks if not label.startswith("ex-")]
    problems += [f"ex-{name} is not registered in attnbook.exercises" for name in exercises if name not in registered]
    for function in ("check", "hints"):
        if (used := first_arguments(notebook, function)) != exercises:
            problems.append(f"the exercises are {exercises}, but {function}() is called for {used}")
    if exercises or UNMARKED in "".join(cell.source for cell in notebook.cells):
        return problems
    return [*problems, f"there is no exercise in it; if nothing can be checked, say: {UNMARKED}"]


# --- all of them ----------------------------------------------------------------------------------------------


def registered_exercises() -> set[str]:
    """Names of the exercises that the package can check."""
    from attnbook import exercises

    return set(exercises.names())


def problems_of(name: str, root: Path = ROOT) -> list[str]:
    """Everything that is wrong with one chapter, as sentences."""
    if not notebook_path(name, root).exists():
        return [f"there is no chapters/{name}.ipynb; run make chapter NAME={name}"]
    if not twin_path(name, root).exists():
        return [f"there is no chapters/text/{name}.md: the notebook has no text twin"]
    notebook = read_stored(name, root)
    twin = read_chapter(name, root)
    problems = [
        *wrong_execution_counts(notebook),
        *twin_differences(notebook, twin),
        *twin_header(twin),
        *edited_elsewhere(notebook),
        *long_cells(notebook),
        *redefinitions(notebook, package_names()),
        *missing_alt_texts(notebook),
        *unwanted_tags(notebook),
        *unproven_claims(notebook),
    ]
    if is_chapter(name):
        problems += wrong_order(notebook)
        problems += wrong_exercises(notebook, registered_exercises())
        problems += wrong_time(notebook)
        problems += unanswered(notebook)
        problems += wrong_quiz(notebook)
    else:
        problems += wrong_opening_of_appendix(notebook)
    try:
        check_outputs(notebook, name, root)
    except ChapterError as error:
        problems.append(str(error))
    return problems
