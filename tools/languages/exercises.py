"""The words of the exercises: hints, mistakes with their questions, and what the checker says by itself.

The checker says them with `say` (attnbook/exercises/language.py), in the language of the page or of the system. Each
exercise has a catalog, and `checker` what it says of any; all together are compiled for Python's `gettext`.
"""

import ast
import itertools
import re
from collections.abc import Iterator
from pathlib import Path

import polib

from attnbook.exercises import get, names
from attnbook.exercises.arguments import Described
from attnbook.exercises.checker import UNWRITTEN
from attnbook.exercises.exercise import CHAPTERS, Exercise
from attnbook.exercises.language import CATALOGS, DOMAIN
from attnbook.exercises.wording import inline
from tools.languages import LANGUAGES, Language, translations

EXERCISES_ROOM = CATALOGS.parent
CALLS = {"say": slice(0, 1), "later": slice(0, 1), "found": slice(1, 4)}  # calls, and where their sentences stand
HOLE = re.compile(r"\{\w+\}")
# what a page holds before its Python runs, and the kinds of its sentences
STORED_BLOCKS = re.compile(
    r'<\w+ class="attnbook-(?:hints|verdict|progress)\b.*?(?=<div class="cell|</section>)', re.DOTALL
)
OF = re.compile(r'data-exercise="([\w-]+)"')
PARTS = "title", "hint", "why", "part"


def catalog_name(name: str) -> str:
    """The name of an exercise's catalog; `checker` is that of all."""
    return f"exercises/{name}"


def texts_in_calls(source: str) -> Iterator[str]:
    """What Python code says: the texts in calls of `say`, `later` and `found`."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in CALLS:
            for argument in node.args[CALLS[node.func.id]]:
                chosen = (argument.body, argument.orelse) if isinstance(argument, ast.IfExp) else (argument,)
                for text in chosen:
                    if isinstance(text, ast.Constant) and isinstance(text.value, str) and text.value:
                        yield text.value


def _stored(name: str) -> Iterator[str]:
    """The texts of `messages.txt` and the questions of `questions.txt`."""
    text = (EXERCISES_ROOM / name).read_text("utf-8")
    if name == "questions.txt":
        yield from (line.split(" | ")[2].strip() for line in text.partition("\n\n")[2].splitlines())
        return
    for block in text.split("\n## ")[1:]:
        head, _, rest = block.partition("\n")
        says, _, asks = rest.partition("\n→")
        yield from (head.partition(" | ")[2], says, asks.partition("\n")[0].strip())


def _described(exercise: Exercise) -> Iterator[str]:
    """The words of functions that are arguments."""
    examples = [mistake.example() for mistake in exercise.mistakes if mistake.example]
    for arguments in (exercise.example(), *exercise.probes(), *exercise.edges(), *examples):
        yield from (argument.words for argument in arguments if isinstance(argument, Described))


def exercise_messages(name: str) -> dict[str, str]:
    """What is said of one exercise: sentence to what it is."""
    exercise = get(name)
    kinds = {exercise.title: "title"} | dict.fromkeys(exercise.hints, "hint") | {exercise.why: "why"}
    kinds |= dict.fromkeys([*exercise.steps.values(), exercise.seen, getattr(exercise.answer, "what", "")], "")
    kinds |= dict.fromkeys(_described(exercise), "argument")
    for mistake in exercise.mistakes:
        kinds |= {mistake.says: f"mistake {mistake.name}", mistake.ask: "question"}
    source = (EXERCISES_ROOM / "bank" / f"{name.replace('-', '_')}.py").read_text("utf-8")
    return _with_words(kinds | dict.fromkeys(texts_in_calls(source), "message"))


def _with_words(kinds: dict[str, str]) -> dict[str, str]:
    """Those texts that are more than what is put into them."""
    return {text: kind for text, kind in kinds.items() if HOLE.sub("", text).strip()}


def messages_by_catalog() -> dict[str, dict[str, str]]:
    """What exercises say: name of a catalog to its sentences, each with what it is, and each in one catalog only."""
    by_module = {path.stem: [*texts_in_calls(path.read_text("utf-8"))] for path in sorted(EXERCISES_ROOM.glob("*.py"))}
    texts = [*itertools.chain(*by_module.values()), *_stored("messages.txt"), *_stored("questions.txt")]
    parts = {*by_module["display"], *by_module["record"], UNWRITTEN.about}
    kinds = {text: "part" if text in parts else "message" for text in texts}
    catalogs = {"checker": _with_words(kinds | dict.fromkeys(CHAPTERS.values(), "part"))}
    for name in names():
        known = {text for messages in catalogs.values() for text in messages}
        catalogs[name] = {text: kind for text, kind in exercise_messages(name).items() if text not in known}
    return {catalog_name(name): messages for name, messages in catalogs.items()}


def gettext_catalog(language: Language) -> bytes:
    """All catalogs of the exercises, as `gettext` reads them."""
    catalog = polib.POFile()
    catalog.metadata = {"Content-Type": "text/plain; charset=UTF-8"}
    for name in ("checker", *names()):
        known = translations(language, catalog_name(name))
        catalog.extend(polib.POEntry(msgid=text, msgstr=other) for text, other in known.items())
    return catalog.to_binary()


def compiled_file(language: Language) -> Path:
    """Where the checker looks for them."""
    return CATALOGS / language.code / "LC_MESSAGES" / f"{DOMAIN}.mo"


def write(language: Language) -> None:
    """Compile the catalogs for the checker; those that are the same become newer than what they are made of."""
    path, content = compiled_file(language), gettext_catalog(language)
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.is_file() and path.read_bytes() == content:
        path.touch()
    else:
        path.write_bytes(content)


def translate_page(page: str, language: Language) -> str:
    """A page whose hints, table of progress, and verdicts on answers that are not begun are in its language."""
    if not (blocks := STORED_BLOCKS.findall(page)):
        return page
    table = any("attnbook-progress" in block for block in blocks)
    here = names() if table else {name for block in blocks for name in OF.findall(block)}
    patterns = []
    for name in ("checker", *here):
        for text, other in translations(language, catalog_name(name), *PARTS).items():
            places = re.sub(r"\\{(\w+)\\}", r"(?P<\1>\\d+)", re.escape(inline(text)))
            # after the beginning of an element, the number of a chapter or a dash, and before its end or a name
            patterns.append((re.compile(rf"(?<=[> ]){places}(?=<| \(<code>|\" )"), inline(other)))

    def in_its_words(stored: re.Match[str]) -> str:
        block = stored[0]
        for english, other in patterns:

            def filled(numbers: re.Match[str], other: str = other) -> str:
                return HOLE.sub(lambda hole: numbers[hole[0][1:-1]], other)

            block = english.sub(filled, block)
        return block

    return STORED_BLOCKS.sub(in_its_words, page)


if __name__ == "__main__":  # for tools/environment.py
    for each in LANGUAGES.values():
        write(each)
