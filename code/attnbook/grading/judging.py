"""What a submission's answers are worth: what its own checks judged, and its functions of the expected names."""

import __future__

import ast
import asyncio
import builtins
import contextlib
import inspect
import re
import time
import types
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

from attnbook import exercises
from attnbook.classroom import needs
from attnbook.exercises import Verdict, check, get
from attnbook.exercises.guard import SECONDS, TooLong, clock_stopped, time_limit
from attnbook.grading.checks import Check, checks
from attnbook.grading.commands import CommandNotRun, Shell
from attnbook.grading.companions import Home
from attnbook.grading.reading import Source, in_words

NOTEBOOKS_OWN = {"check", "display", "get_ipython", "__file__", "__name__"}


class Submission(Source):
    """The answers of one file.

    Args:
        path: a notebook (.ipynb) or a Python file.
        skipped: line → why the statement that begins there is not run.
        enter: is given the line of each statement before it is run, and the statement in words; 0 after the last.
        home: the working folder.
        name: of the file, for messages, if its author calls it otherwise.

    Raises:
        NotASubmission: it is neither, or holds no code.
    """

    def __init__(
        self,
        path: Path,
        skipped: Mapping[int, str] = MappingProxyType({}),
        enter: Callable[[int, str], None] = lambda line, where: None,
        home: Home | None = None,
        name: str = "",
    ):
        super().__init__(path, home or Home(Path.cwd()), name or path.name)
        self.skipped, self.enter = skipped, enter
        self.ways = [(order, [*checks(order)]) for order in self.orders()]
        self.asked = self.ways[0][1]
        self.unread: list[str] = []  # checks of which it is not known what they check
        self.endless: set[ast.stmt] = set()  # statements that the whole file is run without
        self._tried: dict[ast.expr, set[str]] = {}
        self._ran: set[str] | None = None

    def answers(self, exercise: str, function: str) -> bool:
        """Whether there is an answer to an exercise, right or wrong.

        Args:
            exercise: its name.
            function: the name that the answer should have.
        """
        if self.meant(function) or self._checks_of(exercise, self.asked):
            return True
        if not any(name in text for name in (exercise, function) for text in self._texts()):
            return False
        if self._ran is None:  # it may ask, or define, in a way that cannot be seen from its text
            with self._world("") as (world, recorder):
                self._everything(self.statements, world, recorder)
                self._ran = {*recorder.asked, *world}
        return exercise in self._ran or function in self._ran

    def _texts(self) -> Iterator[str]:
        """What is written in the file, and in the modules beside it that it imports."""
        yield self.text
        for node in (one for statement in self.statements for one in ast.walk(statement)):
            modules = [one.name for one in node.names] if isinstance(node, ast.Import) else []
            modules += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            for name in modules:
                with contextlib.suppress(OSError):
                    yield (self.folder / f"{name.replace('.', '/')}.py").read_text("utf-8", "replace")

    def _checks_of(self, exercise: str, asked: list[Check]) -> list[Check]:
        return [one for one in asked if exercise == one.name or not one.name and exercise in self._try(one)]

    def _try(self, one: Check) -> set[str]:
        """The exercises that a check is for that does not name one: it is run once, and nothing is judged."""
        if one.call in self._tried:
            return self._tried[one.call]
        above = self.statements[: one.place]
        recorder, error = self._run(one.target, "", self.statements, above)
        if not recorder.asked:
            where = self.where(one.statement)[1]
            because = f" ({error})" if error else ""
            self.unread.append(f"{self.name}: {where}: which exercise it checks cannot be read off{because}")
        self._tried[one.call] = recorder.asked
        return recorder.asked

    def verdicts(self, exercise: str, function: str) -> Iterator[Verdict]:
        """Judge the answers to an exercise, the last first: in the world of each check, and in that of the whole file.

        Args:
            exercise: its name.
            function: the name that the answer should have.

        Yields:
            Verdicts; the student has seen one of them, if a notebook was run from top to bottom, or in the order that
            it tells.
        """
        verdicts: list[Verdict] = []
        seen: set[tuple] = set()
        for order, asked in self.ways:
            for verdict in self._sliced(exercise, function, order, asked, seen):
                verdicts.append(verdict)
                yield verdict
        if not verdicts or any(verdict.status == "wrong" for verdict in verdicts):
            for order, _ in self.ways:
                yield from self._unsliced(exercise, function, order)

    def _unsliced(self, exercise: str, function: str, order: list[ast.stmt]) -> Iterator[Verdict]:
        """Run everything: it may change, define or ask what nobody can see from its text."""
        with self._world(exercise) as (world, recorder):
            error = self._everything(order, world, recorder)
            if not recorder.verdicts and function in world:
                recorder(exercise, world[function])
        for verdict in recorder.verdicts:
            yield _noted(verdict, error)

    def _everything(self, statements: list[ast.stmt], world: dict, recorder: "_Recorder") -> str:
        """Run statements, all together not much longer than a call of a function may take."""
        end, first = time.monotonic() + SECONDS, ""
        for statement in statements:
            if statement not in self.endless:
                try:
                    with time_limit(max(1, end - time.monotonic())):
                        first = first or self._all([statement], world, recorder)
                except TooLong:
                    self.endless.add(statement)
                    recorder.at = 0, ""
                    self.enter(*recorder.at)
        return first

    def _sliced(
        self, exercise: str, function: str, order: list[ast.stmt], asked: list[Check], seen: set
    ) -> Iterator[Verdict]:
        whole = self.statements
        worlds: list[tuple[ast.stmt | str, str | None, list]] = []
        for one in reversed(self._checks_of(exercise, asked)):
            worlds += [
                (one.target, one.function, [whole, order, order[: one.place]]),
                (one.target, one.function, [whole, order]),
            ]
        if self.meant(function):
            worlds.append((function, function, [whole, order]))
        for what, called, rounds in worlds:
            target = [what] if isinstance(what, ast.stmt) else ast.parse(what).body
            world = tuple(id(n) for n in needs(target, *rounds)[0] if not _of_ours(n))
            if (key := (called or ast.dump(target[0]), world)) not in seen:
                seen.add(key)
                yield from self._judged(exercise, what, rounds)

    def _judged(self, exercise: str, what: ast.stmt | str, rounds: list) -> list[Verdict]:
        recorder, error = self._run(what, exercise, *rounds)
        if not recorder.verdicts:
            return [_cannot_be_loaded(exercise, error)]
        return [_noted(verdict, error) for verdict in recorder.verdicts]

    def _run(self, what: ast.stmt | str, exercise: str, *rounds: list[ast.stmt]) -> tuple["_Recorder", str]:
        """Run what a check, or the function of a name, needs, and nothing else; then itself.

        Returns:
            What was asked and judged, and the first error on the way, in words.
        """
        target = [what] if isinstance(what, ast.stmt) else ast.parse(what).body
        statements, absent = needs(target, *rounds)
        with self._world(exercise) as (world, recorder):
            if isinstance(what, ast.stmt):
                error = self._all([*statements, what], world, recorder)
            else:
                error = self._all(statements, world, recorder)
                if what in world:
                    recorder(exercise, world[what])
        why = self.why_absent(absent - NOTEBOOKS_OWN)
        return recorder, "; ".join(filter(None, [error, why]))

    @contextlib.contextmanager
    def _world(self, exercise: str) -> Iterator[tuple[dict, "_Recorder"]]:
        """A world with what a kernel gives it, and the files that cells write."""
        recorder = _Recorder(exercise, self.enter)
        with self.home.world(self.folder) as world, recorder:
            shell = Shell(world, self.home.root, lambda text: self._cell(text, world))
            own = {"check": recorder, "display": _show_nothing, "get_ipython": lambda: shell}
            world |= {"__builtins__": builtins, **own, **_file(self.folder / Path(self.name).name, self.is_script)}
            for name, text in self.files.items():
                if path := self.home.inside(self.folder, name):
                    with contextlib.suppress(OSError):
                        path.parent.mkdir(parents=True, exist_ok=True)
                        path.write_text(text, "utf-8", "replace")
            yield world, recorder

    def _cell(self, text: str, world: dict) -> None:
        """Run a text as a cell."""
        for statement in (one for part in self._parts([text]) for one in part.body):
            self._execute(statement, world)

    def _all(self, statements: list[ast.stmt], world: dict, recorder: "_Recorder") -> str:
        first = ""
        for statement in statements:
            line, where = self.where(statement)
            error = self.skipped.get(line, "")
            if not error:
                recorder.at = line, where
                self.enter(line, where)
                try:
                    self._execute(statement, world)
                except TooLong:
                    raise
                except BaseException as raised:  # noqa: BLE001 (SystemExit, too)
                    error = _said(raised)
            first = first or (f"{where}, {error}" if error else "")
        recorder.at = 0, ""
        self.enter(*recorder.at)
        return first

    def _execute(self, statement: ast.stmt, world: dict) -> None:
        code = self._compiled(statement)
        if code.co_flags & inspect.CO_COROUTINE:  # `await` outside functions
            asyncio.run(eval(code, world))
        else:
            exec(code, world)

    def _compiled(self, statement: ast.stmt) -> types.CodeType:
        flags = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
        for one in self.statements:  # as in a notebook, `from __future__ import annotations` holds on
            if isinstance(one, ast.ImportFrom) and one.module == "__future__":
                features = [getattr(__future__, each.name, None) for each in one.names]
                flags |= sum(each.compiler_flag for each in features if each)
        file = getattr(statement, "file", self.file)
        module = ast.Module([statement], [])
        return compile(module, file, "exec", flags, dont_inherit=True)


class _Recorder:
    """Stands for `check` while a submission is run.

    Args:
        exercise: the one that is judged; of others it is only noted that they were asked for.
        enter: is told when the submission's own statement rests, and when it goes on.
    """

    def __init__(self, exercise: str, enter: Callable[[int, str], None]):
        self.exercise, self.enter = exercise, enter
        self.at = 0, ""
        self.asked: set[str] = set()
        self.verdicts: list[Verdict] = []

    def __call__(self, name: str, fn: Callable) -> Verdict:
        get(name)  # what is no exercise raises here as it did in the notebook
        self.asked.add(name)
        if name != self.exercise:
            return Verdict(name, "solved", None, "solved")
        self.enter(0, "")
        with clock_stopped():
            verdict = check(name, fn)
        self.enter(*self.at)
        self.verdicts.append(verdict)
        return verdict

    def __enter__(self) -> None:
        self.replaced, exercises.check = exercises.check, self

    def __exit__(self, *_: object) -> None:
        exercises.check = self.replaced


def _show_nothing(*_: object, **__: object) -> None:
    pass


def _file(path: Path, is_script: bool) -> dict[str, str]:
    return {"__file__": str(path)} if is_script else {}


def _of_ours(statement: ast.stmt) -> bool:
    """Whether a statement only imports the checker, which an answer does not need."""
    return isinstance(statement, ast.ImportFrom) and statement.module == "attnbook.exercises"


def _said(error: BaseException) -> str:
    """What a statement that failed does, to follow its text."""
    if isinstance(error, CommandNotRun):
        return "is a command of IPython's and is not run here"
    if isinstance(error, FileNotFoundError) and error.filename is not None:
        return f"raises FileNotFoundError: {error.filename} was not handed in"
    if isinstance(error, ModuleNotFoundError):
        return f"raises ModuleNotFoundError: {error.name} was not handed in and is not installed here"
    return f"raises {in_words(error)}"


def _cannot_be_loaded(exercise: str, error: str) -> Verdict:
    says = error[:1].upper() + error[1:] if error else "Nothing at the top level of the file defines it."
    asks = "Does the file run from top to bottom in a fresh kernel?"
    about = "the function cannot be loaded"
    return Verdict(exercise, "wrong", "cannot-be-loaded", about, says, asks)


def _noted(verdict: Verdict, error: str) -> Verdict:
    """A verdict with what went wrong when the submission was loaded, or was not handed in."""
    if verdict:
        return verdict
    notes = [f"When the submission was loaded, {error}."] if error else []
    if "No such file or directory: '" in verdict.says:
        notes.append("A file that it reads was not handed in.")
    if "ModuleNotFoundError" in verdict.says:
        notes.append("A module that it imports was not handed in and is not installed here.")
    if missing := re.search(r"NameError: name '(\w+)'", verdict.says):
        notes.append(f"No cell that was handed in gives {missing[1]}.")
    return replace(verdict, note=" ".join(notes) or verdict.note)
