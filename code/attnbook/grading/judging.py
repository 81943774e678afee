"""What a submission's answers are worth: what its own checks judged, and its functions of the expected names."""

import __future__

import ast
import builtins
import contextlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

from attnbook import exercises
from attnbook.classroom import needs
from attnbook.exercises import Verdict, check, get
from attnbook.exercises.guard import TooLong, time_limit
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

    Raises:
        NotASubmission: it is neither, or holds no code.
    """

    def __init__(
        self,
        path: Path,
        skipped: Mapping[int, str] = MappingProxyType({}),
        enter: Callable[[int, str], None] = lambda line, where: None,
        home: Home | None = None,
    ):
        super().__init__(path)
        self.skipped, self.enter = skipped, enter
        self.home = home or Home(Path.cwd())
        self.folder = self.home.of(path)
        self.is_script = path.suffix.lower() == ".py"
        self.asked = [*checks(self.statements)]
        self.unread: list[str] = []  # checks of which it is not known what they check
        self._tried: dict[Check, set[str]] | None = None

    def answers(self, exercise: str, function: str) -> bool:
        """Whether there is an answer to an exercise, right or wrong.

        Args:
            exercise: its name.
            function: the name that the answer should have.
        """
        return self.meant(function) or bool(self._checks_of(exercise))

    def _checks_of(self, exercise: str) -> list[Check]:
        if self._tried is None:
            self._tried = {one: self._try(one) for one in self.asked if not one.name}
        return [
            one
            for one in self.asked
            if exercise in (one.name, *self._tried.get(one, ()))
        ]

    def _try(self, one: Check) -> set[str]:
        """The exercises that a check is for that does not name one: it is run once, and nothing is judged."""
        above = self.statements[: one.place]
        recorder, error = self._run(one.target, "", self.statements, above)
        if not recorder.asked:
            where = self.where(one.statement)[1]
            because = f" ({error})" if error else ""
            self.unread.append(
                f"{self.name}: {where}: which exercise it checks cannot be read off{because}"
            )
        return recorder.asked

    def verdicts(self, exercise: str, function: str) -> Iterator[Verdict]:
        """Judge the answers to an exercise, the last first: in the world of each check, and in that of the whole file.

        Args:
            exercise: its name.
            function: the name that the answer should have.

        Yields:
            Verdicts; the student has seen one of them, if a notebook was run from top to bottom.
        """
        found = []
        for verdict in self._sliced(exercise, function):
            found.append(verdict)
            yield verdict
        if any(verdict.status == "wrong" for verdict in found):
            yield from self._unsliced(exercise)

    def _unsliced(self, exercise: str) -> Iterator[Verdict]:
        """Run all that stands above each check, for a short time: it may change what nobody can see from its text."""
        for one in reversed(self._checks_of(exercise)):
            above = self.statements[: one.place]
            needed = needs([one.target], self.statements, self.statements, above)[0]
            if {*map(id, above)} <= {*map(id, needed)}:
                continue
            recorder = _Recorder(exercise, self.enter)
            with self.home.world(self.folder) as world, recorder:
                self._furnish(world, recorder)
                with contextlib.suppress(TooLong), time_limit():
                    self._all(above, world, recorder)
                recorder.verdicts.clear()  # of earlier checks of the same exercise
                self._all([one.target], world, recorder)
            yield from filter(None, recorder.verdicts)

    def _sliced(self, exercise: str, function: str) -> Iterator[Verdict]:
        whole, seen = self.statements, set()
        worlds: list[tuple[ast.stmt | str, str | None, list]] = []
        for one in reversed(self._checks_of(exercise)):
            worlds += [
                (one.target, one.function, [whole, whole, whole[: one.place]]),
                (one.target, one.function, [whole, whole]),
            ]
        if self.meant(function):
            worlds.append((function, function, [whole, whole]))
        for what, called, rounds in worlds:
            target = [what] if isinstance(what, ast.stmt) else ast.parse(what).body
            world = tuple(id(n) for n in needs(target, *rounds)[0] if not _of_ours(n))
            if (key := (called or id(what), world)) not in seen:
                seen.add(key)
                yield from self._judged(exercise, what, rounds)

    def _judged(
        self, exercise: str, what: ast.stmt | str, rounds: list
    ) -> list[Verdict]:
        recorder, error = self._run(what, exercise, *rounds)
        if not recorder.verdicts:
            return [_cannot_be_loaded(exercise, error)]
        return [_noted(verdict, error) for verdict in recorder.verdicts]

    def _run(
        self, what: ast.stmt | str, exercise: str, *rounds: list[ast.stmt]
    ) -> tuple["_Recorder", str]:
        """Run what a check, or the function of a name, needs, and nothing else; then itself.

        Returns:
            What was asked and judged, and the first error on the way, in words.
        """
        target = [what] if isinstance(what, ast.stmt) else ast.parse(what).body
        statements, absent = needs(target, *rounds)
        recorder = _Recorder(exercise, self.enter)
        with self.home.world(self.folder) as world, recorder:
            self._furnish(world, recorder)
            if isinstance(what, ast.stmt):
                error = self._all([*statements, what], world, recorder)
            else:
                error = self._all(statements, world, recorder)
                if what in world:
                    recorder(exercise, world[what])
        why = self.why_absent(absent - NOTEBOOKS_OWN)
        return recorder, "; ".join(filter(None, [error, why]))

    def _furnish(self, world: dict, recorder: "_Recorder") -> None:
        """Give a world what a kernel gives it, and the files that cells write."""
        world |= {"__builtins__": builtins, "check": recorder, "display": _show_nothing}
        world |= {
            "get_ipython": Shell,
            **_file(self.folder / self.name, self.is_script),
        }
        for name, text in (pair for part in self.parts for pair in part.files.items()):
            path = (self.folder / name).resolve()
            if path.is_relative_to(self.home.root):
                with contextlib.suppress(OSError):
                    path.write_text(text, "utf-8")

    def _all(
        self, statements: list[ast.stmt], world: dict, recorder: "_Recorder"
    ) -> str:
        first = ""
        for statement in statements:
            line, where = self.where(statement)
            error = self.skipped.get(line, "")
            if not error:
                recorder.at = line, where
                self.enter(line, where)
                try:
                    exec(self._compiled(statement), world)
                except BaseException as raised:  # noqa: BLE001 (SystemExit, too)
                    error = _said(raised)
            first = first or (f"{where}, {error}" if error else "")
        recorder.at = 0, ""
        self.enter(*recorder.at)
        return first

    def _compiled(self, statement: ast.stmt):
        flags = 0  # as in a notebook, `from __future__ import annotations` holds on
        for one in self.statements:
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
        verdict = check(name, fn)
        self.enter(*self.at)
        self.verdicts.append(verdict)
        return verdict

    def __enter__(self) -> None:
        exercises.check = self

    def __exit__(self, *_) -> None:
        exercises.check = check


def _show_nothing(*_, **__) -> None:
    pass


def _file(path: Path, is_script: bool) -> dict[str, str]:
    return {"__file__": str(path)} if is_script else {}


def _of_ours(statement: ast.stmt) -> bool:
    """Whether a statement only imports the checker, which an answer does not need."""
    return (
        isinstance(statement, ast.ImportFrom)
        and statement.module == "attnbook.exercises"
    )


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
    says = (
        error[:1].upper() + error[1:]
        if error
        else "Nothing at the top level of the file defines it."
    )
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
        notes.append(
            "A module that it imports was not handed in and is not installed here."
        )
    return replace(verdict, note=" ".join(notes) or verdict.note)
