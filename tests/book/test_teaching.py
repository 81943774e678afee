"""The plan for a course agrees with the chapters it plans."""

import re

from attnbook.grading import WEEKS as SET
from tools import ROOT

PLAN = (ROOT / "chapters/teaching.md").read_text("utf-8")
WEEKS = re.findall(r"^\* - (\d+)\n  - (.*)\n  - (\d+)\n  - .*\n  - (.*)$", PLAN, re.M)
CHAPTERS = {
    re.search(r"^\((ch-[\w-]+)\)=", text, re.M)[1]: text
    for path in sorted((ROOT / "chapters/text").glob("[0-9]*.md"))
    for text in [path.read_text("utf-8")]
}


def test_every_chapter_is_read_once_in_the_order_of_the_book():
    assert [week for week, *_ in WEEKS] == [str(n) for n in range(1, 14)]
    read = [name for _, names, *_ in WEEKS for name in re.findall(r"`(.+?)`", names)]
    assert read == list(CHAPTERS)


def test_the_minutes_are_those_of_the_chapters_and_the_exercises_theirs():
    for week, names, minutes, exercises in WEEKS:
        texts = [CHAPTERS[name] for name in re.findall(r"`(.+?)`", names)]
        heads = [int(re.search(r"\*\*Time\*\* (\d+)", text)[1]) for text in texts]
        assert sum(heads) == int(minutes), f"week {week}"
        asked = re.findall(r"`(.+?)`", exercises)
        assert asked and all(any(f":label: {name}\n" in text for text in texts) for name in asked), f"week {week}"


def test_the_command_sets_what_the_plan_sets():
    planned = {int(week): tuple(re.findall(r"`ex-(.+?)`", exercises)) for week, _, _, exercises in WEEKS}
    assert planned == SET
