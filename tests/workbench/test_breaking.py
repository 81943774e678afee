"""A function is broken: by a mistake from the list, or by the reader's own."""

import pytest
import torch

from attnbook.exercises import guard
from attnbook.workbench import BreakIt

ROW, LENS = torch.tensor([1.0, 2.0, 3.0, 4.0]).repeat(2, 1, 1), torch.tensor([4, 2])
CLAIMS = {
    "rows sum to 1": lambda f: torch.allclose(f(ROW, LENS).sum(-1), torch.ones(2, 1)),
    "padding gets zero": lambda f: (f(ROW, LENS)[1, 0, 2:] == 0).all(),
}


@pytest.fixture
def figure():
    return BreakIt("masked-softmax", CLAIMS, (ROW, LENS), ["mask-after-softmax"])


def test_the_stored_pictures_say_which_claims_fail(figure):
    after, right = figure.stored.frames  # the mistake is seen first
    assert figure.mistake.value == "mask after softmax"
    assert "-torch.inf" not in figure.code.value
    assert right["says"] == ["✓ rows sum to 1", "✓ padding gets zero"]
    assert after["says"][-2:] == ["✗ rows sum to 1", "✓ padding gets zero"]
    assert "0.03 0.09 0.00 0.00" in after["alt"]
    assert "In JupyterLab" in figure.stored.hint


def test_a_mistake_from_the_list_changes_the_code_and_is_recognised(figure):
    figure.mistake.value = "one too many"
    assert "position <= lengths" in figure.code.value
    assert "✗ padding gets zero" in figure.seen.value
    assert "(`&lt;=`)" in figure.seen.value


def test_every_mistake_of_the_list_breaks_the_function(figure):
    assert len(figure.known) > 20
    for name, mistake in figure.known.items():
        figure.mistake.value = name
        wanted = mistake.phrase.partition("`")[0].partition("{")[0]
        assert wanted in figure.seen.value, name


def test_the_code_can_be_edited(figure):
    figure.code.value = figure.code.value.replace("dim=-1", "dim=1")
    figure.try_it()
    assert "the softmax runs over the queries" in figure.seen.value
    figure.mistake.value = "inverted"
    figure.mistake.value = "no mistake"
    assert "✗" not in figure.seen.value


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("weights = filled", "weights = fill", "NameError"),
        ("position =", "position = (", "SyntaxError"),
        ("def my_masked_softmax", "def other", "defines no my_masked_softmax"),
    ],
)
def test_what_does_not_run_is_told(figure, old, new, says):
    figure.code.value = figure.code.value.replace(old, new)
    figure.try_it()
    assert says in figure.seen.value


def test_an_endless_loop_is_stopped(figure, monkeypatch):
    monkeypatch.setattr(guard, "SECONDS", 1)
    figure.code.value = figure.code.value.replace("    position", "    while True: pass\n    position", 1)
    figure.try_it()
    assert "Stopped after" in figure.seen.value
