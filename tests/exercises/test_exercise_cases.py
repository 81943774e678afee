"""What the engine's answers rest on: when two results agree, when a formula does as the reader's function does."""

import pytest
import torch

from attnbook.exercises.bank import SHELF
from attnbook.exercises.beyond_numbers import gradients
from attnbook.exercises.case import different, make_case, near
from attnbook.exercises.guard import kept
from attnbook.exercises.recognise import does_as
from attnbook.exercises.unexplained import unknown
from tensors import HALF

LOOKUP = SHELF.get("soft-lookup")


def cases_of(fn):
    return [make_case(LOOKUP, fn, arguments) for arguments in LOOKUP.probes()]


def test_results_are_near_by_shape_and_numbers():
    x = torch.tensor([1.0, torch.nan, torch.inf], dtype=torch.float64)
    assert near(x.float(), x) and near(x * (1 + 1e-9), x)
    assert not near(x * (1 + 1e-3), x)
    assert not near(torch.ones(3, 1), torch.ones(3)) and not near(torch.ones(1), torch.ones(3))
    assert not near(None, x) and not near(x, None)


@pytest.mark.parametrize("dtype", HALF)
def test_in_half_precision_the_wrong_number_is_named_and_none_that_is_rounded(dtype):
    exercise = SHELF.get("masked-softmax")

    def off(*given):
        weights = exercise.solution(*given).to(dtype)
        weights.flatten()[-1] += 1
        return weights

    def slope_off(scores, *given):  # the same numbers, and one slope that is not theirs
        last = scores.flatten()[-1]
        return exercise.solution(scores, *given).to(dtype) + 5 * (last - last.detach())

    arguments = max(exercise.probes(), key=lambda one: one[0].numel())
    case = make_case(exercise, off, arguments)
    last, total = [size - 1 for size in case.expected.shape], case.expected.numel()
    assert different(case.got, case.expected).nonzero().tolist() == [last]
    assert f"your number at {last} is" in case.seen
    assert f"{total - 1} of {total} numbers are right" in unknown(exercise, off, [case]).says
    right = make_case(exercise, slope_off, arguments)
    assert right.right() and f"at {last}; it should be" in gradients(exercise, slope_off, [right]).says


def test_a_formula_does_as_a_function_that_makes_its_mistake():
    def doubled(*given):
        return 2 * LOOKUP.solution(*given)

    def broken(*given):
        raise ValueError("no")

    assert does_as(doubled, cases_of(doubled)) and does_as(broken, cases_of(broken))
    assert not does_as(LOOKUP.solution, cases_of(LOOKUP.solution))  # right numbers tell of no mistake
    assert not does_as(LOOKUP.solution, cases_of(doubled))
    assert not does_as(broken, cases_of(doubled))
    cases = cases_of(doubled)
    factors = iter([2] + [3] * len(cases))
    assert not does_as(lambda *given: next(factors) * LOOKUP.solution(*given), cases)  # but on the first probe


def test_what_a_reader_changes_in_torch_is_put_back_and_named():
    softmax = torch.softmax
    with kept() as changed:
        torch.softmax = None
        torch.Tensor.mine = 3
        torch.set_default_dtype(torch.float64)
    assert torch.softmax is softmax and not hasattr(torch.Tensor, "mine")
    assert torch.get_default_dtype() == torch.float32
    assert [what for what in changed if "dtype" not in what] == ["`torch.softmax`", "`torch.Tensor.mine`"]
    assert len(changed) == 3
