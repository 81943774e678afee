"""The words of the exercises: hints, mistakes with their questions, and what the checker says by itself.

The checker says them with `say` (attnbook/exercises/language.py), in the language of the page or of the system. Each
exercise has a catalog, and `checker` what it says of any; all together are compiled for Python's `gettext`.
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import polib

from attnbook.exercises import get, names
from attnbook.exercises.language import CATALOGS, DOMAIN
from attnbook.exercises.wording import inline
from tools.languages import Language, entries

ROOM = CATALOGS.parent
SAID_BY = {"say": slice(0, 1), "later": slice(0, 1), "found": slice(1, 4)}  # calls, and where their sentences stand
SHOWN = re.compile(r'<div class="attnbook-hints" data-exercise="([\w-]+)">')
HOLE = re.compile(r"\{\w*\}")
PARTS = "hint", "why", "part"  # kinds of sentences that a page holds before its Python runs


def catalog(name: str) -> str:
    """The name of an exercise's catalog; `checker` is that of all."""
    return f"exercises/{name}"


def said(source: str) -> Iterator[str]:
    """What Python code says: the texts in calls of `say`, `later` and `found`."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in SAID_BY:
            for argument in node.args[SAID_BY[node.func.id]]:
                chosen = (argument.body, argument.orelse) if isinstance(argument, ast.IfExp) else (argument,)
                yield from (text.value for text in chosen if isinstance(text, ast.Constant) and text.value)


def _stored(name: str) -> Iterator[str]:
    """The texts of `messages.txt` and the questions of `questions.txt`."""
    text = (ROOM / name).read_text("utf-8")
    if name == "questions.txt":
        yield from (line.split(" | ")[2].strip() for line in text.partition("\n\n")[2].splitlines())
        return
    for block in text.split("\n## ")[1:]:
        head, _, rest = block.partition("\n")
        says, _, asks = rest.partition("\n→")
        yield from (head.partition(" | ")[2], says, asks.partition("\n")[0].strip())


def of_exercise(name: str) -> dict[str, str]:
    """What is said of one exercise: sentence to what it is."""
    exercise = get(name)
    found = dict.fromkeys(exercise.hints, "hint") | {exercise.why: "why"}
    found |= dict.fromkeys([*exercise.steps.values(), exercise.seen, getattr(exercise.answer, "what", "")], "")
    for mistake in exercise.mistakes:
        found |= {mistake.says: f"mistake {mistake.name}", mistake.ask: "question"}
    found |= dict.fromkeys(said((ROOM / "bank" / f"{name.replace('-', '_')}.py").read_text("utf-8")), "message")
    return {text: kind for text, kind in found.items() if HOLE.sub("", text).strip()}


def sentences() -> dict[str, dict[str, str]]:
    """What exercises say: name of a catalog to its sentences, each with what it is, and each in one catalog only."""
    sources = [path.read_text("utf-8") for path in sorted(ROOM.glob("*.py"))]
    texts = [*(text for source in sources for text in said(source)), *_stored("messages.txt"), *_stored("questions.txt")]
    display = set(said((ROOM / "display.py").read_text("utf-8"))) | {"not written yet"}
    found = {"checker": {text: "part" if text in display else "message" for text in texts if HOLE.sub("", text).strip()}}
    for name in names():
        known = {text for those in found.values() for text in those}
        found[name] = {text: kind for text, kind in of_exercise(name).items() if text not in known}
    return {catalog(name): those for name, those in found.items()}


def _entries(language: Language) -> list[polib.POEntry]:
    return [e for name in ("checker", *names()) for e in entries(language.catalog(catalog(name))) if e.msgstr]


def compiled(language: Language) -> bytes:
    """All catalogs of the exercises, as `gettext` reads them."""
    whole = polib.POFile()
    whole.metadata = {"Content-Type": "text/plain; charset=UTF-8"}
    whole.extend(polib.POEntry(msgid=entry.msgid, msgstr=entry.msgstr) for entry in _entries(language))
    return whole.to_binary()


def compiled_file(language: Language) -> Path:
    """Where the checker looks for them."""
    return CATALOGS / language.code / "LC_MESSAGES" / f"{DOMAIN}.mo"


def write(language: Language) -> None:
    """Compile the catalogs for the checker, unless that is done."""
    path, content = compiled_file(language), compiled(language)
    if not path.is_file() or path.read_bytes() != content:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


def with_hints(page: str, language: Language) -> str:
    """A page whose hints, and verdicts on answers that are not begun, are in its language."""
    shown = {catalog(name) for name in SHOWN.findall(page)}
    for name in [catalog("checker"), *shown] if shown else ():
        for entry in entries(language.catalog(name)):
            if entry.msgstr and entry.comment in PARTS:
                english, other = inline(entry.msgid), inline(entry.msgstr)
                page = page.replace(f"<p>{english}</p>", f"<p>{other}</p>").replace(f" — {english}<", f" — {other}<")
                page = page.replace(f"<summary>{english}<", f"<summary>{other}<")
                for level in "123":
                    hint, its = english.replace("{level}", level), other.replace("{level}", level)
                    page = page.replace(f"<summary>{hint}<", f"<summary>{its}<")
    return page
