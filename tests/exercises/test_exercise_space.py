"""Arguments are drawn from an exercise's space: the same in the page, many kinds of them, and small in a message."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest
import torch
from torch.func import jvp

from attnbook.exercises import get, names
from attnbook.exercises.bank import leaks
from attnbook.exercises.checker import judge
from attnbook.exercises.exercise import Mistake
from attnbook.exercises.space import DRAWS, Pick, draws
from tools import ROOT

DRAWN = """
import json, torch
from attnbook.exercises import get, names
from attnbook.exercises.space import DRAWS, Pick

def plain(x):
    if isinstance(x, torch.Tensor):
        return str(x.dtype), list(x.shape), [round(float(n), 9) for n in x.flatten().tolist()]
    return getattr(x, "described", repr(x))

for name in names():
    for number in range(DRAWS):
        print(json.dumps([name, [plain(a) for a in get(name).space(Pick(f"{name} {number}"))]]))
"""


def drawn(first_on_the_path: str) -> list:
    path = os.pathsep.join([first_on_the_path, str(ROOT / "code")])
    done = subprocess.run(
        [sys.executable, "-c", DRAWN], env=os.environ | {"PYTHONPATH": path}, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_the_page_draws_the_same_as_pytorch():
    theirs, ours = (drawn(path) for path in (str(ROOT / "code"), str(ROOT / "code/attnbook/standin")))
    assert len(theirs) == DRAWS * len(names())
    assert theirs == ours


@pytest.mark.parametrize("name", names())
def test_draws_differ_and_so_do_their_axes(name):
    exercise, seen = get(name), set()
    for number in range(DRAWS):
        arguments = exercise.space(Pick(f"{name} {number}"))
        seen.add(repr(arguments))
        axes = [
            {axis for axis in spec.split() if axis.isidentifier()}
            for spec, argument in zip(exercise.shapes.values(), arguments, strict=True)
            if isinstance(argument, torch.Tensor)
        ]
        sizes = exercise.sizes(arguments)
        for together in axes:
            here = [sizes[axis] for axis in together if axis in sizes and axis not in ("H", "N", "t")]
            assert len(set(here)) == len(here), (number, sizes)
    assert len(seen) > DRAWS / 3


def test_what_a_pick_can_say():
    picks = [Pick(f"any {number}") for number in range(60)]
    lengths = torch.cat([pick.lengths(3, 7) for pick in picks])
    assert {0, 7} < set(lengths.tolist()) and lengths.float().std() > 2
    masks = torch.cat([pick.mask(5, 3) for pick in picks])
    assert masks.all(1).any() and (~masks).all(1).any() and masks.any(1).ne(masks.all(1)).any()
    far = [pick.numbers(4, 3, far=900) for pick in picks]
    assert any((x.amax(1) - x.amax(1).min()).max() > 800 for x in far), "rows lie apart"
    assert any((x.amax(1) - x.amin(1)).max() > 800 for x in far), "so do single numbers"
    assert any(len(x.unique()) < x.numel() for x in far), "ties"
    for pick in picks:
        for least in ((1, 1, 2, 2), (3, 3, 3), (5, 1, 5)):
            sizes = pick.sizes(*least)
            assert len(set(sizes)) == len(least) and all(n >= m for n, m in zip(sizes, least, strict=True))
        assert pick.distinct(3, 5).unique().numel() == 15
        weights = pick.weights(2, 5, 5, mask=torch.ones(5, 5).tril())
        assert torch.allclose(weights.sum(-1), torch.ones(2, 5, dtype=torch.float64))
        assert not weights.triu(1).any()
        rows = pick.rows(4, 5, range(3), pad=1)
        assert (rows != 1).long().diff(dim=1).amax() <= 0, "padding comes last"
        left = pick.rows(4, 5, range(3), pad=1, left=True)
        assert (left != 1).long().diff(dim=1).amin() >= 0, "padding comes first"


def test_the_same_choices_make_the_same_arguments_and_zeros_the_simplest():
    exercise, pick = get("masked-softmax"), Pick("masked-softmax 5")
    first = exercise.space(pick)
    again = exercise.space(Pick("masked-softmax 5", pick.made))
    assert all(map(torch.equal, first, again))
    scores, _ = exercise.space(Pick("masked-softmax 5", []))
    assert sorted(scores.shape) == [1, 2, 3] and torch.equal(scores, scores.round())


def test_a_failing_draw_is_made_small_and_fails_in_the_same_way():
    exercise = get("masked-softmax")

    def answer(scores, valid_lens):
        weights = exercise.solution(scores, valid_lens)
        return 2 * weights if scores.shape[-1] == 2 else weights

    small, *others = draws(exercise, answer)
    assert len(others) == DRAWS and not small.right()
    assert small.arguments[0].numel() == min(case.arguments[0].numel() for case in [small, *others] if not case.right())
    assert sorted(small.arguments[0].shape) == [1, 2, 3]
    verdict = judge(exercise, answer)
    assert verdict.status == "wrong" and small.given.partition("valid_lens")[0] in verdict.says


def by_edit(name: str, old: str, new: str):
    exercise = get(name)
    return exercise.mistaken(Mistake("any", (old, new)))


NEAREST = "min(lengths, key=lambda r: (abs(r - c), r))"
LOG_OF_ALL = "(lambda e: e - e.exp().sum(-1, keepdim=True).log())(logits - logits.max())"
SHARE_OF_ALL = "(lambda e: e / e.sum(-1, keepdim=True))((masked - masked.max()).exp())"
KEY = 'source.lower().rstrip(" .!?")'


@pytest.mark.parametrize(
    ("name", "old", "new", "diagnosis"),
    [
        ("bleu", NEAREST, "min(lengths, key=lambda r: abs(r - c))", "first-of-two"),
        ("leak-free-split", KEY, '"".join(filter(str.isalnum, source.lower()))', "letters-only"),
        ("leak-free-split", KEY, 'source.lower().rstrip(string.punctuation + " ")', "other-marks"),
        ("leak-free-split", KEY, 'source.lower().strip().rstrip(" .!?")', "all-white-space"),
        ("masked-loss", "logits.log_softmax(dim=-1)", LOG_OF_ALL, "one-maximum"),
        ("key-value-cache", "masked.softmax(dim=-1)", SHARE_OF_ALL, "one-maximum"),
        ("key-value-cache", "-torch.inf", "-1e3", "filled-too-high"),
        ("masked-softmax", "-torch.inf", "-1e3", "filled-too-high"),
        ("cross-attention", "-torch.inf", "-1e3", "filled-too-high"),
        ("bahdanau-step", "-torch.inf", "-1e3", "filled-too-high"),
        ("log-weight", "-torch.inf", "-1e3", "finite-fill"),
    ],
)  # fmt: skip
def test_what_passed_once_is_rejected(name, old, new, diagnosis):
    verdict = judge(get(name), by_edit(name, old, new))
    assert verdict.status == "wrong", verdict
    assert verdict.diagnosis == diagnosis, verdict


def test_a_table_far_below_the_threshold_has_a_loss_of_zero():
    def one_shift(scores, target):
        shift = scores.max()
        low = (scores.new_tensor(1) + (-scores[target]).exp().sum()).log()
        inside = (-shift).exp() + (scores[~target] - shift).exp().sum()
        return torch.where(
            scores.abs().max() > 700, low + shift + inside.log(), get("pair-loss").solution(scores, target)
        )

    assert judge(get("pair-loss"), one_shift).status == "wrong"


def test_a_derivative_by_torch_func_is_autograd_too():
    def answer(query, keys, values):
        def look_up(q):
            return (keys @ q).softmax(0) @ values

        return torch.stack([jvp(look_up, (query,), (e,))[1] for e in torch.eye(len(query)).to(query)], 1)

    assert judge(get("lookup-gradient"), answer).diagnosis == "by-autograd"


def test_a_leak_without_a_slope_is_a_leak():
    verdict = judge(get("leaks"), leaks.by_gradient)
    assert verdict.diagnosis == "gradient-only"
    assert leaks.my_leaks(*leaks.no_slope()).tolist() == [True, True, False]


def test_a_view_is_remarked_on_where_the_task_does_not_speak_of_views():
    def answer(query, keys, values):
        return (keys.view(-1).view(keys.shape) @ query).softmax(0) @ values

    verdict = judge(get("soft-lookup"), answer)
    assert verdict.status == "solved" and "contiguous" in verdict.note


def test_whole_numbers_of_numpy_are_whole_numbers():
    exercise = get("leak-free-split")
    verdict = judge(exercise, lambda sources, every: [np.int64(n) for n in exercise.solution(sources, every)])
    assert verdict, verdict


def test_a_full_stop_in_an_example_ends_no_heading():
    exercise = get("leak-free-split")
    for mistake in exercise.mistakes:
        assert mistake.phrase.count("*") % 2 == 0, mistake.phrase
    assert Mistake("any", ("a", "b"), "*Go. On* is one. And more.").parts == ("*Go. On* is one", "And more.")


def test_messages_say_what_they_speak_of():
    cut = judge(get("soft-lookup"), lambda query, keys, values: ((keys @ query).softmax(0) @ values).detach())
    assert "`query`, `keys`, `values`: with query (1, 2)" in cut.says
    wrong = judge(get("unit-variance"), lambda num_features, query_variance, key_variance: num_features.shape)
    assert wrong.says.startswith("With num_features 4")
    unknown = judge(get("unit-variance"), lambda num_features, query_variance, key_variance: 1 + num_features**0.3)
    assert "same quantities" not in unknown.asks or "computes:" in unknown.says
