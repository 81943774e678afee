"""Mistakes as edits of the solution's source, the stub and the numbers on the way; and a new exercise's skeleton."""

import importlib.util
import inspect

import pytest
import torch

from attnbook.exercises import __main__ as command
from attnbook.exercises.bank import SHELF
from attnbook.exercises.checker import judge
from attnbook.exercises.edits import edited, named_locals, source, stub


def my_scores(x, width=2.0):
    """Scale x, x + 0.

    x: (T,) → (T,)
    """
    scaled = x / width
    return scaled.exp()


@torch.no_grad()
def decorated(x):
    return x + 1


def test_an_edit_changes_the_code_and_leaves_the_docstring():
    x = torch.tensor([0.0, 2.0])
    assert torch.equal(edited(my_scores, (("x / width", "x * width"),))(x), (2 * x).exp())
    both = (("x / width", "x * width"), (".exp()", ".tanh()"))
    assert torch.equal(edited(my_scores, both)(x), (2 * x).tanh())
    assert torch.equal(my_scores(x), (x / 2).exp())


@pytest.mark.parametrize("old", ["x + 0", "scaled", "absent"])
def test_an_edit_must_match_exactly_once(old):
    count = {"x + 0": 0, "scaled": 2, "absent": 0}[old]
    with pytest.raises(ValueError, match=rf"{count} times in the code of my_scores"):
        edited(my_scores, ((old, "x"),))


def test_edits_of_the_same_characters_are_refused():
    with pytest.raises(ValueError, match="the same characters"):
        edited(my_scores, (("x / width", "x"), ("/ width", "* width")))


def test_decorators_are_left_out_and_lines_can_be_quoted():
    assert source(decorated).startswith("def decorated(x):")
    wrong = edited(decorated, (("x + 1", "x + missing"),))
    assert "x + missing" in inspect.getsource(wrong)


def test_the_stub_is_signature_and_docstring():
    assert stub(my_scores).startswith('def my_scores(x, width=2.0):\n    """Scale x')
    assert stub(my_scores).endswith('    """\n    ...\n')


def test_the_numbers_on_the_way_are_the_named_locals():
    found = named_locals(my_scores, (torch.tensor([4.0]), 2.0))
    assert list(found) == ["scaled"]
    assert found["scaled"].item() == 2


def test_mistakes_meet_only_in_different_places():
    exercise = SHELF.get("masked-softmax")
    named = {mistake.name: mistake for mistake in exercise.mistakes if mistake.says}
    assert exercise.mistaken(named["one-too-many"], named["inverted"]) is None
    assert exercise.mistaken(named["one-too-many"], named["no-softmax"]) is not None


def test_the_skeleton_of_an_exercise_runs(tmp_path):
    file, told = command.new("some-softmax", tmp_path)
    spec = importlib.util.spec_from_file_location("attnbook.exercises.bank.some", file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    exercise = module.EXERCISE
    assert judge(exercise, exercise.solution)
    (mistake,) = exercise.mistakes
    assert judge(exercise, exercise.mistaken(mistake)).diagnosis == mistake.name
    assert '"some_softmax",' in told
    assert f'{exercise.stub}\ncheck("some-softmax", my_some_softmax)' in told
    with pytest.raises(ValueError, match="there is an exercise of this name: .*some_softmax.py; give the new one"):
        command.new("some-softmax", tmp_path)
    with pytest.raises(ValueError, match="joined by hyphens"):
        command.new("Some Softmax", tmp_path)


def test_the_command_says_what_is_wrong(capsys):
    with pytest.raises(SystemExit):
        command.main(["new", "masked-softmax"])
    assert "there is an exercise of this name" in capsys.readouterr().err
