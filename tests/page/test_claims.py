"""A claim prints when it is true and raises when it is not; the list holds what was executed and nothing else."""

import numpy as np
import pytest
import torch

from attnbook.page import ClaimError, claim, claims, what_we_found
from tensors import says


@pytest.fixture(autouse=True)
def a_fresh_notebook(monkeypatch):
    monkeypatch.setattr(claims, "_executed", [])


TRUE = [True, np.True_, np.array(True), np.array([[True]]), torch.tensor(True), torch.tensor([[True]])]
FALSE = [False, np.False_, np.array([False]), torch.tensor(False)]


@pytest.mark.parametrize("ok", TRUE, ids=repr)
def test_a_true_claim_is_printed(ok, capsys):
    claim("rows sum to 1", ok)
    assert capsys.readouterr().out == "✓ rows sum to 1\n"
    assert what_we_found().texts == ["rows sum to 1"]


@pytest.mark.parametrize("ok", FALSE, ids=repr)
def test_a_false_claim_stops_the_page(ok, capsys):
    with pytest.raises(ClaimError, match=says("✗ rows sum to 2")) as caught:
        claim("rows sum to 2", ok)
    assert isinstance(caught.value, AssertionError)
    assert capsys.readouterr().out == ""
    with pytest.raises(RuntimeError):
        what_we_found()


@pytest.mark.parametrize(
    ("text", "ok", "message"),
    [
        ("", True, ("claim() needs a sentence first",)),
        ("  ", True, ("claim() needs a sentence first",)),
        (True, "rows sum to 1", ("claim() needs a sentence first", "claim('rows sum to 1', bool(...))")),
        ("x", 1, ("claim() needs True or False, got int", "compare it with something")),
        ("x", 0.0, ("needs True or False, got float",)),
        ("x", None, ("needs True or False, got NoneType",)),
        ("x", "yes", ("needs True or False, got str",)),
        ("x", [True], ("needs True or False, got list",)),
        ("x", np.float64(1), ("needs True or False, got float64",)),
        ("x", torch.tensor(1), ("one truth value, got torch.int64 of shape ()", ".all()")),
        ("x", torch.tensor([True, True]), ("one truth value, got torch.bool of shape (2,)", "(...).all()?")),
        ("x", torch.tensor([], dtype=torch.bool), ("one truth value, got torch.bool of shape (0,)",)),
        ("x", np.array([True, False]), ("one truth value, got bool of shape (2,)", "(...).all()?")),
        ("x", np.array(1.0), ("one truth value, got float64 of shape ()",)),
    ],
)
def test_what_is_no_claim(text, ok, message, capsys):
    with pytest.raises(TypeError, match=says(*message)):
        claim(text, ok)
    assert capsys.readouterr().out == ""
    assert claims._executed == []


def test_the_list_keeps_the_order_and_repeats_nothing():
    for text in ("rows sum to 1", "a mask hides", "rows sum to 1"):
        claim(text, True)
    found = what_we_found()
    assert found.texts == ["rows sum to 1", "a mask hides"]
    assert repr(found) == "✓ rows sum to 1\n✓ a mask hides"
    shown = found._repr_markdown_()
    assert "\n\n- ✓ rows sum to 1\n- ✓ a mask hides\n\n</details>" in shown
    assert shown.startswith("<details") and "All 2 claims" in shown


def test_what_would_be_markup_is_shown_in_the_list():
    claim("without <bos>, 2 * 3 keys", True)
    assert "- ✓ without \\<bos>, 2 \\* 3 keys" in what_we_found()._repr_markdown_()


def test_a_claim_that_turns_false_leaves_the_list():
    """The reader changes something above and runs the cell again."""
    claim("first", True)
    claim("second", True)
    with pytest.raises(ClaimError):
        claim("first", False)
    assert what_we_found().texts == ["second"]


def test_a_list_that_was_shown_does_not_grow():
    claim("first", True)
    found = what_we_found()
    claim("second", True)
    assert found.texts == ["first"]


def test_nothing_claimed_yet():
    with pytest.raises(RuntimeError, match=says("no claim has been executed", "run the cells above first")):
        what_we_found()
