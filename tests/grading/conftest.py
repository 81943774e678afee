"""What tests of reading and judging share."""

import pytest

from attnbook.exercises import get
from attnbook.grading.companions import Home, copied
from attnbook.grading.judging import Submission
from attnbook.grading.reading import NotASubmission
from attnbook.grading.remarks import doubted, remarks
from attnbook.grading.worker import best_of


@pytest.fixture
def judged(tmp_path, monkeypatch):
    """Judges files as the grader does, but in this process: the verdict, and the problems."""
    monkeypatch.setenv("ATTNBOOK_PROGRESS", "off")
    monkeypatch.chdir(tmp_path)
    handed_in, working = tmp_path / "ada", tmp_path / "working"
    working.mkdir()

    def judge(files, asked=("causal-mask",), beside=()):
        for name, content in files.items():
            path = handed_in / name
            path.parent.mkdir(parents=True, exist_ok=True)
            content = content.encode() if isinstance(content, str) else content
            path.write_bytes(content)
        left_out = copied([handed_in], working)
        home, read, problems = Home(working, [handed_in]), [], []
        for name in files:
            if name.endswith((".py", ".ipynb")) and name not in beside:
                try:
                    read.append(Submission(handed_in / name, home=home))
                except NotASubmission as error:
                    problems.append(str(error))
        problems += [one for one in (left_out, *remarks(read, asked)) if one]
        verdicts = {}
        for name in asked:
            function = get(name).function
            with_it = [one for one in read if one.answers(name, function)]
            verdict = best_of(name, function, with_it)[0] if with_it else None
            problems += doubted(read, name, verdict)
            verdicts[name] = verdict
        return verdicts, problems

    return judge
