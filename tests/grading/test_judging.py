"""A submission is judged as its author saw it judged, or a sentence says what was not understood."""

import json

import pytest
from handed_in import EXERCISE, HEAD, NOTEBOOKS, RIGHT, WRONG, book, written

from attnbook import grading
from attnbook.exercises import get


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_what_the_notebook_showed_as_right_is_right(judged, name):
    verdicts, problems = judged({"a.ipynb": book(*NOTEBOOKS[name])})
    assert verdicts["causal-mask"].status == "solved", verdicts["causal-mask"]
    assert problems == []


HIDDEN = "  def my_causal_mask(:"
NO_SHIFT = "def before(n):\n    return torch.arange(n) + shift"
AWAY = "shift = int(open('data/shift.txt').read())"


@pytest.mark.parametrize(
    "cells, status, diagnosis, said",
    [
        (
            ["shift = !ls", NO_SHIFT, "{NEEDY}", "{CHECK}"],
            "wrong",
            None,
            "line 1, `shift = !ls`, is a command of IPython's and is not run here",
        ),
        (
            ["%run shift.py", NO_SHIFT, "{NEEDY}", "{CHECK}"],
            "wrong",
            None,
            "line 1, `%run shift.py`, is not run here: shift.py was not handed in",
        ),
        (
            ["get_ipython().run_line_magic('run', 'shift.py')", NO_SHIFT, "{NEEDY}", "{CHECK}"],
            "wrong",
            None,
            "is not run here: shift.py was not handed in",
        ),
        (
            ["import torch\nif torch:\n    my_causal_mask = !ls", "{CHECK}"],
            "wrong",
            "cannot-be-loaded",
            "is a command of IPython's and is not run here",
        ),
        (
            ["shift = = 3", NO_SHIFT, "{NEEDY}", "{CHECK}"],
            "wrong",
            None,
            "what gives shift cannot be parsed (SyntaxError: invalid syntax)",
        ),
        (
            ["import torch", HIDDEN, "{CHECK}"],
            "wrong",
            "cannot-be-loaded",
            "what gives my_causal_mask cannot be parsed (SyntaxError",
        ),
        ([AWAY, NO_SHIFT, "{NEEDY}", "{CHECK}"], "wrong", None, "FileNotFoundError: data/shift.txt was not handed in"),
        (
            ["import torch\ndef my_causal_mask(t, s):\n    return torch.load('w.pt')", "{CHECK}"],
            "wrong",
            None,
            "A file that it reads was not handed in.",
        ),
        (
            ["from no_such_helper import shift", NO_SHIFT, "{NEEDY}", "{CHECK}"],
            "wrong",
            None,
            "no_such_helper was not handed in and is not installed here",
        ),
        (["{WRONG}\n{CHECK}"], "wrong", EXERCISE.mistakes[0].name, "wrong way round"),
        (["{STUB}\n{CHECK}"], "unwritten", None, "not written yet"),
        (["{STUB}\n{CHECK}", "{WRONG}\n{CHECK}"], "wrong", EXERCISE.mistakes[0].name, "wrong way round"),
        (["{CHECK}"], "wrong", "cannot-be-loaded", "NameError: name 'my_causal_mask' is not defined"),
        (
            ["class Mine:\n    {SOURCE}"],
            "wrong",
            "cannot-be-loaded",
            "Nothing at the top level of the file defines it.",
        ),
        (
            ["{MINE}\ndel mine", "check('causal-mask', mine)"],
            "wrong",
            "cannot-be-loaded",
            "NameError: name 'mine' is not defined",
        ),
    ],
)
def test_what_is_wrong_says_why(judged, cells, status, diagnosis, said):
    verdicts, problems = judged({"a.ipynb": book(*map(written, cells))})
    verdict = verdicts["causal-mask"]
    assert verdict.status == status, verdict
    assert diagnosis in (None, verdict.diagnosis)
    assert said in f"{verdict.about} {verdict.says} {verdict.note}"
    if verdict.note or verdict.diagnosis == "cannot-be-loaded":  # no mistake of the answer's own
        (problem,) = problems
        assert problem.startswith("causal-mask") and said in problem
    else:
        assert problems == []


OLD = {"worksheets": [{"cells": [{"cell_type": "code", "input": [RIGHT]}]}], "nbformat": 3}


@pytest.mark.parametrize(
    "name, content, said",
    [
        ("a.py", "", "a.py is empty"),
        ("a.ipynb", " \n", "a.ipynb is empty"),
        ("a.py", "# my answers\n", "a.py holds no answer"),
        ("a.py", f"{RIGHT}\0", "a.py is not Python text (it holds NUL bytes)"),
        ("a.py", RIGHT.encode("utf-16-le"), "a.py is not Python text (it holds NUL bytes)"),
        ("a.ipynb", book(), "a.ipynb holds no code cells"),
        ("a.ipynb", '{"cells": [{"cell_type": "markdown", "source": "x"}]}', "a.ipynb holds no code cells"),
        ("a.ipynb", '{"name": "Ada"}', "a.ipynb is JSON, and not a notebook: it has no cells"),
        ("a.ipynb", "[1]", "a.ipynb is JSON, and not a notebook: it has no cells"),
        ("a.ipynb", '{"cells": 3}', "a.ipynb is not a notebook (TypeError"),
        ("a.ipynb", RIGHT, "a.ipynb is not a notebook (JSONDecodeError"),
        ("a.ipynb", book("x <- 3", kernelspec={"language": "R"}), "a.ipynb is a notebook in R, not in Python"),
        ("a.ipynb", book("x = 3", language_info={"name": "julia"}), "a.ipynb is a notebook in julia, not in Python"),
        ("a.py", "print 'hello'\n", "a.py cannot be parsed (SyntaxError: Missing parentheses in call to 'print'"),
        (
            "a.py",
            "def my_casual_mask(a, b):\n    return a",
            "a.py defines my_casual_mask, which no exercise asks for; did you mean my_causal_mask?",
        ),
        *(
            ("a.py", f"def {name}(a, b):\n    return a", f"a.py defines {name}")
            for name in (
                *("myCausalMask", "My_causal_mask", "MY_CAUSAL_MASK", "causal_mask", "mycausalmask"),
                *("my_causal_mask_v2", "causal_mask_solution", "CausalMask", "my_mask_causal"),
            )
        ),
        (
            "a.py",
            "def my_c\u0430usal_mask(a, b):\n    return a",
            "a.py defines my_c\u0430usal_mask (\u0430 is CYRILLIC SMALL LETTER A), which no exercise asks for; did "
            "you mean my_causal_mask?",
        ),
        (
            "a.py",
            "check('casual-mask', max)",
            "a.py: there is no exercise called 'casual-mask'; did you mean 'causal-mask'",
        ),
        (
            "a.py",
            "for x in range(2):\n    check(names[x], max)",
            "a.py: line 1, `for x in range(2):`: which exercise it checks cannot be read off (line 1, "
            "`for x in range(2):`, raises NameError: name 'names' is not defined)",
        ),
        (
            "a.py",
            "def go(name):\n    check(name, max)",
            "a.py holds no answer: neither a function that an exercise asks for nor a check",
        ),
        (
            "a.py",
            "def my_soft_lookup(q, k, v):\n    return v\ncheck('log-weight', max)",
            "a.py answers soft-lookup, log-weight, for which was not asked",
        ),
    ],
)
def test_where_nothing_answers_it_is_said(judged, name, content, said):
    verdicts, problems = judged({name: content})
    assert verdicts == {"causal-mask": None}
    assert len(problems) == 1 and problems[0].startswith(said), problems


STUB, MISSPELT = written("{STUB}\n{CHECK}"), RIGHT.replace("my_causal_mask", "my_casual_mask")
NO_ANSWERS = f"{HEAD.replace('my_causal_mask', 'my_masks')}    ...\n\nmy_causal_mask_shown = 1"


@pytest.mark.parametrize("there", [STUB, WRONG], ids=["stub", "wrong"])
@pytest.mark.parametrize("name", ["my_casual_mask", "my_causal_mask2", "my_causal_mask_new", "myCausalMask"])
@pytest.mark.parametrize("answer", [RIGHT, WRONG], ids=["right", "is wrong"])
def test_a_misspelt_answer_beside_the_stub_or_a_wrong_one_is_said(judged, there, name, answer):
    verdicts, problems = judged({"a.ipynb": book(there, answer.replace("my_causal_mask", name))})
    assert not verdicts["causal-mask"]
    assert problems == [f"a.ipynb defines {name}, which no exercise asks for; did you mean my_causal_mask?"]
    other = {"a.ipynb": book(there), "b.ipynb": book(answer.replace("my_causal_mask", name))}
    assert judged(other)[1] == [problems[0].replace("a.ipynb", "b.ipynb")]


@pytest.mark.parametrize(
    "cells",
    [
        [RIGHT, MISSPELT],  # solved
        [STUB, NO_ANSWERS],
        [STUB, RIGHT.replace("my_causal_mask", "my_decoder_mask")],  # another exercise's
        [STUB, RIGHT.replace("my_causal_mask", "causal_mask")],
        [STUB, "def my_causal_mask_shown():\n    print(my_causal_mask(3, 3))"],
        [f"{MISSPELT}\n{HEAD}    return ~my_casual_mask(num_queries, num_keys)"],
    ],
    ids=range(6),
)
def test_a_helper_beside_an_answer_is_not_a_misspelt_one(judged, cells):
    assert judged({"a.ipynb": book(*cells)})[1] == []


def test_a_softmax_of_ones_own_is_not_a_masked_one(judged):
    masked = get("masked-softmax").source()
    cells = [masked.replace("my_masked_softmax", name) for name in ("my_softmax", "my_maskd_softmax")]
    stub = "def my_masked_softmax(scores, valid_lens):\n    ..."
    (problem,) = judged({"a.py": "\n\n".join([stub, *cells])}, ["masked-softmax"])[1]
    assert "defines my_maskd_softmax, which" in problem


def test_an_imported_function_is_not_a_misspelt_answer(judged):
    text = "from attnbook.attention import causal_mask\ncheck('soft-lookup', max)"
    assert judged({"a.py": text})[1] == ["a.py answers soft-lookup, for which was not asked"]


def test_python_that_only_in_part_can_be_parsed(judged):
    text = f"# In[1]:\nprint 'hello'\n\n# In[2]:\n{RIGHT}"
    verdicts, problems = judged({"a.py": text})
    assert verdicts["causal-mask"] and "a.py cannot be parsed" in problems[0]
    verdicts, problems = judged({"a.py": f"print 'hello'\n{RIGHT}"})
    assert verdicts["causal-mask"].diagnosis == "cannot-be-loaded"
    assert "Missing parentheses" in verdicts["causal-mask"].says


def test_a_notebook_of_long_ago_is_read(judged):
    verdicts, problems = judged({"a.ipynb": json.dumps(OLD)})
    assert verdicts["causal-mask"] and not problems


def test_a_python_file_is_its_own_main_and_knows_its_place(judged):
    place = "import pathlib\nassert (pathlib.Path(__file__).parent / 'a.py').exists()"
    main = 'if __name__ == "__main__":\n    check("causal-mask", mine)'
    answer = "SHIFT = 1\n{HELPER}\n{NEEDY}\nmine = my_causal_mask"
    text = written(f"{place}\n{answer}\n{main}")
    verdicts, problems = judged({"a.py": text})
    assert verdicts["causal-mask"] and not problems


SHOWN = "✓ causal-mask — solved\n  Right on 7 sets of arguments"


@pytest.mark.parametrize(
    "cell, here",
    [
        ("{WRONG}\n{CHECK}", "it is judged wrong"),
        ("{STUB}\n{CHECK}", "it is not written yet"),
        ("x = 1", "nothing answers it"),
    ],
)
def test_a_stored_mark_that_is_not_earned_is_said(judged, cell, here):
    verdicts, problems = judged({"04.ipynb": book((written(cell), SHOWN))})
    assert not verdicts["causal-mask"]
    said = next(one for one in problems if "shows ✓" in one)
    assert said.startswith("04.ipynb shows ✓ for causal-mask, and here ")
    assert said.endswith("; cells were run in another order, or something was not handed in")
    assert f"and here {here}" in said


def test_a_stored_mark_that_is_earned_is_not_mentioned(judged):
    for shown in (SHOWN, "✗ causal-mask — wrong", "✓ soft-lookup — solved"):
        assert judged({"a.ipynb": book((written("{RIGHT}\n{CHECK}"), shown))})[1] == []


def test_one_who_is_judged_again_in_a_new_process_is_not_told_of_what_was_judged(tmp_path):
    text = f"import os\n{HEAD}    os._exit(3)\n"
    (tmp_path / "a.py").write_text(text, "utf-8")
    found = grading.submissions(tmp_path)
    (one,) = grading.grade(found, ["causal-mask", "soft-lookup"])
    assert one.verdicts["causal-mask"].diagnosis == "ends-python"
    assert one.problems == []


def test_a_check_that_has_to_be_run_to_be_understood_may_not_end(tmp_path):
    text = "name = 'causal-mask'\nwhile True:\n    check(name.strip(), 0) and None\n"
    (tmp_path / "a.py").write_text(f"{text}\n{RIGHT}", "utf-8")
    limits = grading.Limits(seconds=5)
    (one,) = grading.grade(grading.submissions(tmp_path), ["causal-mask"], limits)
    assert one.solved == 1
    assert one.problems == ["a.py: line 2, `while True:`, had not ended after 5 seconds; it is left out"]
