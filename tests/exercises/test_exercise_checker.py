"""The checker around the numbers: stubs, errors, what comes back, how it behaves, and that it never falls over."""

import concurrent.futures
import functools
import math
import random
import re
import signal
import subprocess
import sys
import textwrap
import time
import warnings
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from verdicts import same

from attnbook import exercises as book
from attnbook.attention import masks
from attnbook.exercises import guard
from attnbook.exercises.answers import Tensors
from attnbook.exercises.arguments import draw
from attnbook.exercises.bank import SHELF
from attnbook.exercises.checker import judge
from attnbook.exercises.devices import WrongDevice, on_another_device
from attnbook.exercises.exercise import Exercise, Mistake, Shelf
from attnbook.exercises.verdict import Verdict
from tensors import DEVICES

ALL = list(SHELF)
LOOKUP = SHELF.get("soft-lookup")
MASKED = SHELF.get("masked-softmax")
SCALED = SHELF.get("scaled-dot-scores")


def answer(source, name=None, **world):
    """Execute source as a notebook cell would, and return the function that it defines."""
    world = {"torch": torch, "F": F, "math": math, "np": np, **world}
    exec(compile(textwrap.dedent(source), "<cell>", "exec"), world)
    return world[name or re.search(r"def (\w+)", source).group(1)]


# --- the solutions are the package's functions ----------------------------------------------------------------


def test_log_weight_is_the_logarithm_of_the_packages_weight():
    exercise = SHELF.get("log-weight")
    for e, lengths, chosen in [exercise.example(), *exercise.probes()]:
        weights = masks.masked_softmax(e[:, None], lengths)[:, 0]
        picked = weights[torch.arange(len(e)), chosen]
        same(exercise.solution(e, lengths, chosen), picked.log())


def test_unit_variance_is_the_deviation_of_all_cases():
    scale = SHELF.get("unit-variance").solution
    for d in (1, 2, 3, 4):
        signs = torch.tensor(list(product((-1.0, 1.0), repeat=d)))
        cases = (3 * signs) @ (0.5 * signs).T  # variances 9 and 0.25
        assert scale(d, 9, 0.25) == pytest.approx(cases.std(correction=0).item())


# --- the exercises are complete -------------------------------------------------------------------------------


def test_the_exercises_stand_in_the_order_of_the_book():
    assert book.names()[:10] == [
        "soft-lookup", "lookup-gradient", "nadaraya-watson", "kernel-pooling", "leave-one-out",
        "left-out", "masked-softmax", "log-weight", "padding-and-causal", "gaussian-to-dot",
    ]  # fmt: skip
    chapters = [exercise.chapter for exercise in ALL]
    assert chapters[:10] == [1, 1, 2, 2, 3, 3, 4, 4, 4, 5]
    assert chapters == sorted(chapters)


@pytest.mark.parametrize("exercise", ALL, ids=lambda e: e.name)
def test_an_exercise_has_all_its_parts(exercise):
    assert len(exercise.hints) == 3
    assert all(len(text) > 40 for text in (*exercise.hints, exercise.why))
    stub = answer(exercise.stub)
    assert stub.__name__ == exercise.function
    assert stub.__code__.co_varnames == exercise.parameters
    assert f"def {exercise.function}(" in exercise.source()
    floats = any(isinstance(a, torch.Tensor) and a.is_floating_point() for a in exercise.example())
    assert exercise.differentiable or type(exercise.answer) is not Tensors or not floats, (
        "no gradient would be looked at"
    )
    assert max(map(len, exercise.source().splitlines())) <= 110


@pytest.mark.parametrize("exercise", ALL, ids=lambda e: e.name)
def test_a_probe_has_different_axes_and_moderate_values(exercise):
    probes = exercise.probes()
    assert len(probes) >= 3
    for arguments in probes:
        # a number with a fraction, such as a penalty's strength, is the size of nothing
        named = exercise.sizes(arguments).items()
        sizes = [size for axis, size in named if axis != "width" and not isinstance(size, float)]
        assert len(set(sizes)) == len(sizes), "two axes of a probe have the same size: swapping them would pass"
        for tensor in (a for a in arguments if isinstance(a, torch.Tensor) and a.is_floating_point()):
            assert tensor.dtype == torch.float64
            assert tensor.abs().max() < 4
    for axis in exercise.sizes(probes[0]):
        assert len({exercise.sizes(arguments)[axis] for arguments in probes}) > 1, f"{axis} never changes"


@pytest.mark.parametrize("exercise", ALL, ids=lambda e: e.name)
def test_the_shown_solution_stands_on_its_own(exercise):
    """What the fold shows can be pasted into a cell and passes."""
    assert judge(exercise, answer(exercise.source()))


def test_the_checker_leaves_the_random_numbers_and_the_arguments_alone():
    torch.manual_seed(3)
    expected = torch.rand(4)
    torch.manual_seed(3)
    judge(LOOKUP, LOOKUP.solution)
    assert torch.equal(torch.rand(4), expected)
    assert torch.equal(draw(3, seed=1), draw(3, seed=1))


DICE = {
    "torch": (torch.manual_seed, lambda: torch.rand(1).item()),
    "python": (random.seed, random.random),
    "numpy": (np.random.seed, np.random.random),  # noqa: NPY002
}


@pytest.mark.parametrize(("seed", "roll"), DICE.values(), ids=DICE)
def test_an_answer_that_rolls_dice_gets_one_verdict_and_the_notebooks_dice_stay_where_they_are(seed, roll):
    def sometimes_wrong(query, keys, values):
        return LOOKUP.solution(query, keys, values) + (roll() < 0.02)

    shown = set()
    for start in range(6):
        seed(start)
        expected = roll()
        seed(start)
        shown.add(repr(judge(LOOKUP, sometimes_wrong)))
        assert roll() == expected
    assert len(shown) == 1


# --- not written yet ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("exercise", ALL, ids=lambda e: e.name)
def test_the_stub_is_not_written_yet(exercise, tmp_path):
    verdict = book.check(exercise.name, answer(exercise.stub))
    assert repr(verdict) == f"○ {exercise.name} — not written yet"
    assert verdict.status == "unwritten"
    assert not verdict
    assert not (tmp_path / "progress.json").exists()


@pytest.mark.parametrize(
    "body",
    [
        "pass",
        "...",
        "return ...",
        "return None",
        "raise NotImplementedError",
        "raise NotImplementedError('later')",
        '"""Only a docstring."""',
        "weights = ...",
        "weights = ...\n    return weights @ values",
        "weights = ...\n    return weights.softmax(0)",
        "scores = keys @ query\n    return ...",
    ],
)
def test_other_ways_of_not_having_written_it_yet(body):
    assert judge(LOOKUP, answer(f"def f(query, keys, values):\n    {body}\n")).status == "unwritten"


def test_an_error_of_ones_own_is_no_stub():
    assert judge(LOOKUP, answer("def f(query, keys, values):\n    raise ValueError('todo')\n")).diagnosis == "raises"
    deep = answer("def f(query, keys, values):\n    return values.nothing_of_that_name\n")
    assert judge(LOOKUP, deep).diagnosis == "raises"


# --- bad input ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("soft-lokup", "'soft-lookup'"),
        ("soft_lookup", "'soft-lookup'"),
        ("Soft-Lookup", "'soft-lookup'"),
        ("ex-additive-concat", "'additive-concat'"),
        ("my_masked_softmax", "'masked-softmax'"),
        ("scaled-dot-score", "'scaled-dot-scores'"),
    ],
)
def test_a_wrong_name_hears_the_nearest_ones(name, near):
    with pytest.raises(ValueError, match=f"no exercise called .*did you mean .*{near}"):
        book.check(name, LOOKUP.solution)


def test_a_name_far_from_all_hears_the_list():
    with pytest.raises(ValueError, match="it is one of soft-lookup, lookup-gradient"):
        book.hints("quantum")


def test_swapped_arguments_are_named():
    with pytest.raises(TypeError, match="got the function my_soft_lookup"):
        book.check(LOOKUP.solution, "soft-lookup")


@pytest.mark.parametrize("thing", [None, torch.ones(2), 3, "my_soft_lookup", [1]])
def test_something_that_is_no_function_hears_so(thing, tmp_path):
    verdict = book.check("soft-lookup", thing)
    assert verdict.diagnosis == "not-a-function"
    assert 'check("soft-lookup", my_soft_lookup)' in verdict.asks
    assert not (tmp_path / "progress.json").exists()


@pytest.mark.parametrize(
    ("source", "diagnosis"),
    [
        ("def f(query, keys):\n    return keys", "parameters"),
        ("def f():\n    return 1", "parameters"),
        ("def f(query, keys, values, width):\n    return keys", "parameters"),
        ("def f(keys, query, values):\n    return (keys @ query).softmax(0) @ values", "parameter-order"),
    ],
)
def test_parameters_are_looked_at(source, diagnosis):
    verdict = judge(LOOKUP, answer(source))
    assert verdict.diagnosis == diagnosis
    assert "my_soft_lookup(query, keys, values)" in verdict.says


@pytest.mark.parametrize(
    "source",
    [
        "def f(q, k, v):\n    return (k @ q).softmax(0) @ v",
        "def f(query, keys, values, scale=1.0):\n    return (scale * keys @ query).softmax(0) @ values",
        "def f(*arguments):\n    query, keys, values = arguments\n    return (keys @ query).softmax(0) @ values",
    ],
)
def test_other_names_and_defaults_are_welcome(source):
    assert judge(LOOKUP, answer(source))


def test_a_module_and_a_callable_object_are_functions_too():
    class Lookup(torch.nn.Module):
        def forward(self, query, keys, values):
            return (keys @ query).softmax(0) @ values

    assert judge(LOOKUP, Lookup())
    assert judge(LOOKUP, torch.no_grad()(LOOKUP.solution)).diagnosis == "no-gradient"


# --- errors and prints ----------------------------------------------------------------------------------------


def test_an_error_is_told_by_the_readers_own_line():
    verdict = judge(LOOKUP, wrong_shapes)
    assert verdict.diagnosis == "raises"
    assert "line 3 of wrong_shapes raises an error:\n    return weights * values.T @ keys" in verdict.says
    assert "In that line: weights (3,), values (3, 1), keys (3, 2)." in verdict.says
    assert "checker" not in verdict.says
    assert "Traceback" not in repr(verdict)


def wrong_shapes(query, keys, values):
    weights = (keys @ query).softmax(0)
    return weights * values.T @ keys @ keys


def helper(query, keys):
    return query @ keys


def uses_helper(query, keys, values):
    return helper(query, keys) @ values


def test_an_error_in_the_readers_helper_is_told_there():
    assert "line 2 of helper" in judge(LOOKUP, uses_helper).says


def test_an_error_without_source_still_has_its_line_number():
    verdict = judge(LOOKUP, answer("def f(query, keys, values):\n    a = 1\n    return query.oops\n"))
    assert "line 3 of f raises an error:" in verdict.says
    assert "What kind of thing comes before the dot?" in verdict.asks


@pytest.mark.parametrize(
    ("body", "asks"),
    [
        ("exit()", "end the whole notebook"),
        ("return f(query, keys, values)", "calls itself without end"),
        ("raise NameError('mine')", "What did you expect that line to hold"),
        ("return torch.sqrt(3)", "plain number"),
        ("return keys.softmax(5)", "How many axes"),
        ("return values if query > 0 else keys", "one yes or no"),
        ("return torch.einsum('d,sv->v', query, keys, values)", "?"),
    ],
)
def test_common_errors_have_questions_of_their_own(body, asks):
    verdict = judge(LOOKUP, answer(f"def f(query, keys, values):\n    {body}\n", exit=exit))
    assert verdict.diagnosis == "raises"
    assert asks in verdict.asks


def test_an_interrupt_goes_through():
    def interrupted(query, keys, values):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        judge(LOOKUP, interrupted)


def test_prints_are_caught_and_the_first_is_told(capsys):
    source = "def f(query, keys, values):\n    print('scores', keys @ query)\n    return keys @ query\n"
    verdict = judge(LOOKUP, answer(source))
    assert capsys.readouterr().out == ""
    assert "your function printed `scores tensor([1., 2., 3.], dtype=torch.float64)`" in verdict.says


def test_memory_addresses_never_reach_the_page():
    verdict = judge(LOOKUP, answer("def f(query, keys, values):\n    raise ValueError(f'at {object()}')\n"))
    assert "0x…" in verdict.says
    assert not re.search(r"0x[0-9a-f]{4}", verdict.says)


# --- what comes back ------------------------------------------------------------------------------------------


RIGHT = "(keys @ query).softmax(0) @ values"


@pytest.mark.parametrize(
    ("body", "diagnosis", "says"),
    [
        (f"x = {RIGHT}", "returns-none", "returns nothing"),
        (f"print({RIGHT})", "prints", "prints `tensor([25.7521]"),
        (f"return {RIGHT},", "returns-a-tuple", "Number 1 of them is the right answer"),
        (f"return [x for x in {RIGHT}]", "returns-a-list", "The numbers in it are right"),
        (f"return ({RIGHT}).numpy()", "returns-numpy", "The numbers in it are right"),
        (f"return ({RIGHT}).sum().item()", "returns-a-number", "25.752"),
        (f"return str({RIGHT})", "returns-another-kind", "a str"),
        (f"return ({RIGHT}).to_sparse()", "returns-another-kind", "sparse"),
        (f"return ({RIGHT}).to(torch.complex64)", "returns-another-kind", "complex"),
        (f"return ({RIGHT}).to('meta')", "returns-another-kind", "meta"),
        ("return torch.nested.nested_tensor([query, query])", "returns-another-kind", "nested"),
        (f"return ({RIGHT})[None]", "extra-axis", "yours has (1, 11)"),
        (f"return ({RIGHT}).mean()", "over-summed", "the mean of all the right ones"),
        (f"return ({RIGHT})[:1]", "cut-short", "stop after 1 of 11"),
        (f"return ({RIGHT}) > 0", "unknown", "you return"),
        (f"return ({RIGHT}) * float('nan')", "not-finite", "NaN"),
        (f"return ({RIGHT}).int()", "truncated", "you return"),
        (f"return ({RIGHT}).half()", "changes-dtype", "float16"),
        (f"return 3 * ({RIGHT})", "factor", "The factor is 3 for every shape"),
        (f"return ({RIGHT}) / len(query)", "factor", "the factor is 1/D"),
        (f"return ({RIGHT}) + 2", "offset", "off by 2"),
        ("return values.max(0).values", "ignores-an-argument", "`query`"),
        ("return values.sum(0) * 0", "always-the-same", "is 0 throughout"),
        ("return torch.ones(values.shape[1])", "always-the-same", "is 1 throughout"),
        (f"return ({RIGHT}).detach()", "no-gradient", "`detach`"),
        ("return (keys @ query.detach()).softmax(0) @ values", "gradient-cut", "`query`"),
    ],
)
def test_every_kind_of_result_is_understood(body, diagnosis, says):
    verdict = judge(LOOKUP, answer(f"def f(query, keys, values):\n    {body}\n"))
    assert verdict.diagnosis == diagnosis, verdict
    assert says in verdict.says


def my_kept_sum(x, keep):
    """Sum what is kept of each row.

    x: (N, D), keep: (N, D) bool → (N,)
    """
    kept = x * keep  # (N, D)
    return kept.sum(dim=-1)  # (N,)


def test_an_ignored_mask_is_noticed():
    def arguments(n, d):
        return draw(n, d, seed=n), draw(n, d, seed=d) > 0

    exercise = Exercise(
        name="kept-sum",
        title="",
        chapter=1,
        solution=my_kept_sum,
        shapes={"x": "N D", "keep": "N D"},
        returns="N",
        example=lambda: arguments(2, 3),
        probes=lambda: [arguments(5, 7), arguments(3, 11)],
        edges=list,
        mistakes=(),
        hints=("", "", ""),
        why="",
    )
    verdict = judge(exercise, lambda x, keep: 0.5 * x.sum(dim=-1))
    assert verdict.diagnosis == "ignores-an-argument"
    assert "`keep`" in verdict.says


def test_a_result_that_keeps_only_the_first_of_the_batch():
    assert judge(SCALED, lambda query, key: SCALED.solution(query, key)[:1]).diagnosis == "cut-short"
    assert judge(SCALED, lambda query, key: SCALED.solution(query, key)[0]).diagnosis == "cut-short"
    assert judge(SCALED, lambda query, key: SCALED.solution(query, key).flatten(0, 1)).diagnosis == "flattened"


def test_a_wrong_number_in_one_place_is_located():
    def one_off(query, key):
        result = SCALED.solution(query, key).clone()
        result[:, :, -1] += 1
        return result

    verdict = judge(SCALED, one_off)
    assert verdict.diagnosis == "unknown"
    assert "4 of 6 numbers are right; the wrong ones are all at index 2 of the axis S" in verdict.says
    assert "the dot products" in verdict.says, "the way by hand is shown"


def test_expected_and_got_never_look_the_same():
    def slightly(query, key):
        return SCALED.solution(query, key) * (1 + 3e-5)

    verdict = judge(SCALED, slightly)
    seen = re.findall(r"(?:return|is)\s+(\(.*\))", verdict.says)
    assert verdict.status == "wrong"
    assert len(set(seen)) == 2


# --- where the numbers come from ------------------------------------------------------------------------------


def test_a_tensor_of_the_notebook_is_named():
    source = "def f(query, keys, values):\n    return (kept @ query).softmax(0) @ values\n"
    query, keys, values = LOOKUP.example()
    verdict = judge(LOOKUP, answer(source, kept=keys))
    assert verdict.diagnosis in ("one-shape-only", "reads-a-global")
    assert "`kept` (a tensor of shape (3, 2))" in verdict.says


def test_a_tensor_of_the_notebook_that_fits_everywhere_is_named_too():
    source = "def f(x, y, w):\n    return solution(x, y, old)\n"
    exercise = SHELF.get("leave-one-out")
    old = torch.tensor(2.0, dtype=torch.float64)
    verdict = judge(exercise, answer(source, solution=exercise.solution, old=old))
    assert verdict.diagnosis == "reads-a-global"
    assert "`old`" in verdict.says
    assert "should be `w`" in verdict.asks


def test_a_number_of_the_notebook_is_named():
    source = """
        def f(scores, valid_lens):
            keep = torch.arange(num_keys, device=scores.device) < valid_lens[:, None, None]
            return scores.masked_fill(~keep, -torch.inf).softmax(-1).masked_fill(~keep, 0)
    """
    verdict = judge(MASKED, answer(source, num_keys=4))
    assert verdict.diagnosis == "one-shape-only"
    assert "`num_keys` (the number 4)" in verdict.says


def test_an_answer_that_changes_is_found():
    def remembers(query, keys, values, seen=[]):  # noqa: B006
        seen.append(1)
        return LOOKUP.solution(query, keys, values) + 0.1 * len(seen)

    assert judge(LOOKUP, remembers).diagnosis == "not-repeatable"


# --- how a right answer behaves -------------------------------------------------------------------------------


# those whose result is a floating-point tensor: the others (masks, layers, counts) have words of their own
OF_NUMBERS = [exercise for exercise in ALL if exercise.differentiable]


@pytest.mark.parametrize("exercise", OF_NUMBERS, ids=lambda e: e.name)
@pytest.mark.parametrize(
    ("diagnosis", "spoil"),
    [
        ("writes-into-argument", lambda solution: lambda *a: _then(solution(*a).clone(), a[0].mul_(2))),
        ("no-gradient", lambda solution: torch.no_grad()(solution)),
        ("changes-dtype", lambda solution: lambda *a: solution(*a).double()),
        ("changes-dtype", lambda solution: lambda *a: solution(*a).float()),
        ("returns-numpy", lambda solution: lambda *a: solution(*a).detach().numpy()),
        ("returns-a-tuple", lambda solution: lambda *a: (solution(*a), None)),
        ("returns-none", lambda solution: lambda *a: _then(None, solution(*a))),
    ],
)
def test_every_exercise_looks_at_conduct(exercise, diagnosis, spoil):
    assert judge(exercise, spoil(exercise.solution)).diagnosis == diagnosis


def _then(result, _):
    return result


@pytest.mark.parametrize("exercise", OF_NUMBERS, ids=lambda e: e.name)
def test_every_gradient_is_looked_at(exercise):
    for name in exercise.differentiable:
        position = exercise.parameters.index(name)

        def cut(*arguments, position=position):
            return exercise.solution(*(a.detach() if i == position else a for i, a in enumerate(arguments)))

        verdict = judge(exercise, cut)
        expected = "no-gradient" if len(exercise.differentiable) == 1 else "gradient-cut"
        assert verdict.diagnosis == expected
        if expected == "gradient-cut":
            assert f"`{name}`" in verdict.says


def test_a_wrong_gradient_behind_right_numbers_is_found():
    def half_blind(query, key):
        return SCALED.solution(query, 0.5 * key + 0.5 * key.detach())

    assert judge(SCALED, half_blind).diagnosis == "wrong-gradient"


def test_a_view_of_a_transposed_tensor_is_found():
    def flat(query, key):
        return SCALED.solution(query.view(-1, query.shape[-1]).view(query.shape), key)

    verdict = judge(SCALED, flat)
    assert verdict.diagnosis == "memory-layout"
    assert "not contiguous" in verdict.says


def my_half_sum(x, twice):
    """x: (N,), twice: a flag → ()"""
    total = x.sum()
    return total if twice else total / 2


HALF_SUM = Exercise(
    name="half-sum",
    title="",
    chapter=1,
    solution=my_half_sum,
    shapes={"x": "N", "twice": "a flag"},
    example=lambda: (draw(3, seed=1), True),
    probes=lambda: [(draw(5, seed=2), True), (draw(7, seed=3), False)],
    mistakes=(Mistake("a-third", ("total / 2", "total / 3"), "the sum is divided by 3.", "By what is it divided?"),),
    hints=("", "", ""),
    why="",
)


def test_a_vector_that_is_read_as_if_it_lay_close_together_is_found():
    def close(x, twice):
        return HALF_SUM.solution(torch.as_strided(x, x.shape, (1,)), twice)

    verdict = judge(HALF_SUM, close)
    assert verdict and "not contiguous" in verdict.note
    verdict = judge(replace(HALF_SUM, views=True), close)
    assert verdict.diagnosis == "memory-layout"


@pytest.mark.parametrize("always", [True, False])
def test_an_ignored_flag_is_noticed(always):
    """The other value of a flag is the only one that there is."""
    exercise = replace(HALF_SUM, probes=lambda: [(draw(n, seed=n), flag) for n in (5, 7) for flag in (True, False)])
    verdict = judge(exercise, lambda x, twice: 0.3 * HALF_SUM.solution(x, always))
    assert verdict.diagnosis == "ignores-an-argument"
    assert "`twice`" in verdict.says


ENDLESS = Mistake("endless", ("total = x.sum()", "while True: total = x.sum()"), "it never ends.", "When does it end?")
HALTING = replace(HALF_SUM, mistakes=(ENDLESS, *HALF_SUM.mistakes))


def test_a_known_mistake_that_never_ends_explains_nothing(monkeypatch):
    monkeypatch.setattr(guard, "SECONDS", 0.2)
    verdict = judge(HALTING, lambda x, twice: HALF_SUM.solution(x, twice) if twice else x.sum() / 3)
    assert verdict.diagnosis == "a-third"


def test_what_the_checker_calls_itself_counts_for_the_time_of_a_check(monkeypatch):
    monkeypatch.setattr(guard, "CHECK", 0.3)
    begin = time.monotonic()
    verdict = judge(HALTING, lambda x, twice: 0.1 * x.sum())
    assert verdict.diagnosis == "takes-too-long" and time.monotonic() - begin < 10


def test_a_right_answer_is_right_though_no_time_is_left_for_a_remark(monkeypatch):
    def end(*_):
        raise guard.CheckTooLong

    assert judge(replace(HALF_SUM, remarks=(end,)), HALF_SUM.solution).status == "solved"


def test_float32_only_is_found():
    def single(query, key):
        return query @ key.mT * torch.full((1, 1, 1), query.shape[-1] ** -0.5) @ torch.eye(key.shape[1])

    verdict = judge(SCALED, single)
    assert verdict.diagnosis == "one-dtype-only"
    assert "With float32 numbers your answer is right" in verdict.says


# --- the rehearsal on another device --------------------------------------------------------------------------


@pytest.mark.parametrize(
    "work",
    [
        lambda x: x + torch.arange(7, device=x.device),
        lambda x: x + torch.arange(7).to(x.device),
        lambda x: x + torch.tensor(3.0),  # torch lets single numbers of the CPU in
        lambda x: x + 3,
        lambda x: x * torch.ones_like(x) + x.new_zeros(7),
        lambda x: x[torch.tensor([0, 1])],  # and indices
        lambda x: x[:, torch.ones(7, dtype=torch.bool)],
        lambda x: x.clone().index_put_((torch.tensor([0, 1]),), x.new_zeros(7)),
        lambda x: torch.stack([row.softmax(0) for row in x]),
        lambda x: sum(float(v) for v in x[0]) * x,
        lambda x: torch.einsum("ij,kj->ik", x, x),
        lambda x: torch.zeros(5, 7, device=x.device).copy_(x),
        lambda x: torch.cat([x, x.clone().mul_(2)]),
    ],
)
def test_work_that_an_accelerator_allows_is_allowed(work):
    result = on_another_device(work, (draw(5, 7, seed=1),))
    assert result.device.type != "cpu"


@pytest.mark.parametrize(
    "work",
    [
        lambda x: x + torch.arange(7),
        lambda x: x @ torch.ones(7, 2, dtype=x.dtype),
        lambda x: torch.where(torch.ones(5, 7, dtype=torch.bool), x, torch.zeros(5, 7)),
        lambda x: x.masked_fill(torch.zeros(5, 7, dtype=torch.bool), 0),
        lambda x: torch.cat([x, torch.zeros(1, 7, dtype=x.dtype)]),
        lambda x: x.index_select(0, torch.arange(2)),
        lambda x: x.index_fill(1, torch.arange(2), 0),
        lambda x: x.copysign(torch.ones(7, dtype=x.dtype)),
    ],
)
def test_work_that_an_accelerator_refuses_is_refused(work):
    with pytest.raises(WrongDevice, match="on the CPU meets the arguments"):
        on_another_device(work, (draw(5, 7, seed=1),))


def test_a_result_left_on_the_cpu_is_seen():
    def by_loop(scores, valid_lens):
        weights = torch.zeros(scores.shape, dtype=scores.dtype)
        for b, n in enumerate(valid_lens.tolist()):
            if n:
                weights[b, :, :n] = scores[b, :, :n].softmax(-1)
        return weights

    assert on_another_device(by_loop, MASKED.probes()[0]).device.type == "cpu"
    verdict = judge(MASKED, by_loop)
    assert verdict and "is on the CPU all the same" in verdict.note


def test_a_right_answer_that_forgets_the_device_is_solved_with_a_remark():
    exercise = SHELF.get("leave-one-out")

    def on_the_cpu(x, y, w):
        scores = -((w * (x[:, None] - x)) ** 2) / 2
        weights = scores.masked_fill(torch.eye(len(x)).bool(), -torch.inf).softmax(1)
        return ((weights @ y - y) ** 2).sum()

    verdict = judge(exercise, on_the_cpu)
    assert verdict and verdict.about == "solved, with a remark"
    assert "One thing for later" in verdict.note


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("exercise", OF_NUMBERS, ids=lambda e: e.name)
def test_the_solutions_run_on_every_real_device(exercise, device):
    arguments = tuple(a.to(device) if isinstance(a, torch.Tensor) else a for a in exercise.probes()[0])
    assert exercise.solution(*arguments).device.type == device


# --- the parts ------------------------------------------------------------------------------------------------


def test_a_shelf_takes_each_name_once():
    shelf = Shelf()
    shelf.add(LOOKUP)
    assert len(shelf) == 1
    with pytest.raises(ValueError, match="two exercises called 'soft-lookup'"):
        shelf.add(LOOKUP)


def test_a_verdict_shows_itself():
    verdict = Verdict("soft-lookup", "wrong", "x", "the *weights*", "a < b\n    code <b>\nmore `x`", "why?", "note")
    assert repr(verdict).splitlines() == [
        "✗ soft-lookup — the *weights*", "  a < b", "      code <b>", "  more `x`", "  → why?", "  ! note",
    ]  # fmt: skip
    page = verdict._repr_html_()
    assert "a &lt; b" in page
    assert re.search('<pre style="white-space:pre-wrap;[^"]*"><code>code &lt;b&gt;</code></pre>', page)
    assert "<code>x</code>" in page
    assert 'class="attnbook-verdict attnbook-wrong"' in page


def test_the_verdict_says_what_was_checked():
    verdict = book.check("soft-lookup", LOOKUP.solution)
    assert repr(verdict).startswith("✓ soft-lookup — solved\n")
    assert "31 sets of arguments" in verdict.says
    assert isinstance(LOOKUP, Exercise)


# --- it never falls over --------------------------------------------------------------------------------------


class Odd:
    """A result that is awkward in every way."""

    shape = "odd"

    def __repr__(self):
        raise RuntimeError("no repr")

    def __eq__(self, other):
        raise RuntimeError("no ==")

    def __bool__(self):
        raise RuntimeError("no bool")

    __hash__ = None


ODD = [
    torch.matmul, max, int, print, dict, Odd, torch.nn.Identity(), functools.partial(lambda *a, k=1: a[0]),
    lambda *a: Odd(), lambda *a: a, lambda *a: list(a), lambda *a: {}, lambda *a: "text", lambda *a: b"",
    lambda *a: 1 + 2j, lambda *a: float("nan"), lambda *a: True, lambda *a: np.array(["x"]),
    lambda *a: [[1], [2, 3]], lambda *a: [None], lambda *a: torch.tensor([]), lambda *a: torch.zeros(0, 3),
    lambda *a: torch.tensor(True), lambda *a: torch.tensor(3), lambda *a: torch.full((1, 1, 1, 1), math.nan),
    lambda *a: a[0].T, lambda *a: a[0].sum() * math.inf, lambda *a: a[0].expand(3, *a[0].shape),
    lambda *a: torch.quantize_per_tensor(torch.ones(3), 0.1, 0, torch.quint8),
    lambda *a: torch.nn.Parameter(a[0].clone()), lambda *a: a[0].requires_grad_(), lambda *a: a[0].resize_(1),
    lambda *a: a[0].zero_(), lambda *a: a[0].set_(), lambda *a: a[0].storage(), lambda *a: 1 / 0,
    lambda *a: [][0], lambda *a: {}["x"], lambda *a: (yield a[0]), lambda *a: torch.ones(1, dtype=torch.uint8),
    lambda *a: a[0].to(torch.float8_e4m3fn), lambda *a: torch.linalg.inv(torch.zeros(2, 2)),
    lambda *a: warnings.warn("careful", stacklevel=1), lambda *a: sys.exit(3),
]  # fmt: skip


@pytest.mark.parametrize("exercise", ALL, ids=lambda e: e.name)
def test_whatever_it_gets_it_answers(exercise):
    for odd in ODD:
        verdict = judge(exercise, odd)
        assert verdict.status == "wrong", verdict
        assert verdict.diagnosis != "cannot-be-judged", verdict
        assert repr(verdict).startswith("✗")
        assert verdict._repr_html_()


class Hostile(torch.Tensor):
    """A tensor that nothing can be done with."""

    @classmethod
    def __torch_function__(cls, *a, **k):
        raise RuntimeError("hostile")


class Unspeakable(BaseException):
    """An error that cannot be written."""

    def __str__(self):
        raise RuntimeError("no str")


@pytest.mark.parametrize(
    ("body", "diagnosis", "says"),
    [
        ("raise Unspeakable", "raises", "Unspeakable"),
        ("return values.as_subclass(Hostile)", "cannot-be-judged", "`RuntimeError: hostile`"),
        ("return torch.nested.nested_tensor([values])", "returns-another-kind", "a nested tensor"),
        (f"sys.stdout.close()\n    return {RIGHT}", None, "Right on"),
        (f"return ({RIGHT}).to(torch.complex128)", "returns-another-kind", "a complex tensor"),
        (f"return ({RIGHT}).numpy().astype(complex)", "returns-numpy", "a NumPy ndarray"),
        ("return torch.zeros(1).expand(10**6, 10**6)", "returns-another-kind", "over a million numbers"),
        ("return [0.0] * 2 * 10**6", "returns-a-list", "length 2000000"),
        (f"query.unsqueeze_(0)\n    return {RIGHT}[0]", "raises", ""),
        (f"answer = {RIGHT}\n    query.unsqueeze_(0)\n    return answer", "writes-into-argument", "is of shape (1, 2)"),
        (f"answer = {RIGHT}\n    query += 1e-9\n    return answer", "writes-into-argument", "1.0000000011"),
        (f"answer = {RIGHT}\n    torch.set_default_dtype(torch.float64)\n    return answer", "changes-torch", "dtype"),
        (f"answer = {RIGHT}\n    torch.set_default_device('meta')\n    return answer", "changes-torch", "device"),
        (f"answer = {RIGHT}\n    torch.set_grad_enabled(False)\n    return answer", "changes-torch", "gradients"),
        (f"answer = {RIGHT}\n    torch.exp = F.softmax = None\n    return answer", "changes-torch", "`F.softmax`"),
        (f"answer = {RIGHT}\n    torch.Tensor.exp = None\n    return answer", "changes-torch", "`torch.Tensor.exp`"),
    ],
)
def test_what_is_odd_ends_in_a_verdict_and_torch_stays_as_it_was(body, diagnosis, says):
    """`says` is told, and afterwards torch has its own settings and functions."""
    before = (torch.get_default_device(), torch.get_default_dtype(), dict(vars(torch)), dict(vars(torch.Tensor)))
    verdict = judge(
        LOOKUP, answer(f"def f(query, keys, values):\n    {body}\n", sys=sys, Hostile=Hostile, Unspeakable=Unspeakable)
    )
    assert verdict.diagnosis == diagnosis, verdict
    assert says in verdict.says
    assert before[:2] == (torch.get_default_device(), torch.get_default_dtype())
    assert all(vars(torch)[name] is thing for name, thing in before[2].items())
    assert set(vars(torch.Tensor)) == set(before[3])


@pytest.mark.parametrize("catches", ["Exception", "ValueError"])
def test_an_endless_loop_ends_and_the_verdict_says_so(catches, monkeypatch):
    monkeypatch.setattr(guard, "SECONDS", 0.2)
    source = f"""
        def f(query, keys, values):
            while True:
                try:
                    query = query + 0
                except {catches}:
                    pass
    """
    before = signal.getsignal(signal.SIGALRM)
    verdict = judge(LOOKUP, answer(source))
    assert verdict.diagnosis == "takes-too-long"
    assert "stopped after 0.2 seconds" in verdict.says
    assert signal.getsignal(signal.SIGALRM) is before
    assert not any(signal.getitimer(signal.ITIMER_REAL))


@pytest.mark.parametrize("seconds", [0.05, 60])
def test_a_check_ends_though_no_call_of_it_takes_too_long(seconds, monkeypatch):
    """Between two calls, on any thread, or within one."""
    monkeypatch.setattr(guard, "CHECK", 0.2)

    def slow(query, keys, values):
        time.sleep(seconds)
        return (keys @ query).softmax(0) @ values

    verdicts = [judge(LOOKUP, slow)]
    if seconds < 1:
        with concurrent.futures.ThreadPoolExecutor() as threads:
            verdicts.append(threads.submit(judge, LOOKUP, slow).result())
    for verdict in verdicts:
        assert verdict.diagnosis == "takes-too-long"
        assert "The check was stopped after 0.2 seconds" in verdict.says
    monkeypatch.setattr(guard, "CHECK", 60)
    assert judge(LOOKUP, LOOKUP.solution)


def test_off_the_main_thread_a_call_has_no_limit(monkeypatch):
    monkeypatch.setattr(guard, "SECONDS", 0.01)

    def slow(query, keys, values):
        time.sleep(0.02)
        return (keys @ query).softmax(0) @ values

    assert judge(LOOKUP, slow).diagnosis == "takes-too-long"
    with concurrent.futures.ThreadPoolExecutor() as threads:
        assert threads.submit(judge, LOOKUP, slow).result()


def test_what_torch_changes_itself_is_not_the_readers_doing():
    """jacrev loads torch's compiler, which wraps torch.manual_seed; only a fresh process has not loaded it yet."""
    program = """
import torch
from attnbook.exercises.bank import SHELF
from attnbook.exercises.checker import judge
def f(query, keys, values):
    scores = torch.func.jacrev(lambda query: keys @ query)(query) @ query
    return scores.softmax(0) @ values
print(judge(SHELF.get("soft-lookup"), f).status)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "solved\n"


def test_another_default_device_changes_nothing():
    torch.set_default_device("meta")
    try:
        assert judge(LOOKUP, LOOKUP.solution)
        assert torch.get_default_device().type == "meta"
    finally:
        torch.set_default_device(None)


def test_a_name_loads_one_exercise_and_nothing_that_only_help_needs():
    program = (
        "import sys\nfrom attnbook import exercises\nexercises.names(), exercises.get('rotary')\n"
        "print(*(name for name in sys.modules if 'bank.' in name or name in ('filelock', 'platformdirs', 'pygments')))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["attnbook.exercises.bank.rotary"]


def test_it_can_be_used_where_gradients_are_off():
    with torch.no_grad():
        assert judge(LOOKUP, LOOKUP.solution)
        assert not torch.is_grad_enabled()
    with torch.inference_mode():
        assert judge(LOOKUP, LOOKUP.solution)


def test_another_default_dtype_changes_nothing():
    torch.set_default_dtype(torch.float64)
    try:
        for exercise in ALL:
            assert judge(exercise, exercise.solution)
    finally:
        torch.set_default_dtype(torch.float32)


def test_in_a_notebook_the_readers_line_is_found():
    from IPython.core.interactiveshell import InteractiveShell

    shell = InteractiveShell()
    shell.run_cell("import torch\nfrom attnbook.exercises import check", store_history=False)
    shell.run_cell("def project(q, k):\n    # a comment\n    return q @ k", store_history=False)
    source = "def mine(query, keys, values):\n    scores = project(query, values)\n    return scores\n\n"
    shown = [repr(shell.run_cell(source + "check('soft-lookup', mine)", store_history=False).result) for _ in range(2)]
    assert "line 3 of project raises an error:\n      return q @ k" in shown[0]
    assert "In that line: q (2,), k (3, 1)." in shown[0]
    assert shown[0] == shown[1]
