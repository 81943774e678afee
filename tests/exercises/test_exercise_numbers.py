"""The numbers in the exercises' own texts are true: they were computed, not remembered."""

import itertools
import re

import pytest
import torch
from numbers_masks_and_heads import MASKS_AND_HEADS, WHOLE_NUMBERS_ONLY
from numbers_translation import TRANSLATION

from attnbook.exercises.bank import SHELF, leave_one_out, nadaraya_watson
from attnbook.exercises.wording import number

ALL = list(SHELF)
EXERCISES = {exercise.name: exercise for exercise in ALL}
t = torch.tensor


def exp(*numbers):
    return torch.exp(t(numbers, dtype=torch.float64))


def softmax(*numbers):
    return torch.softmax(t(numbers, dtype=torch.float64), 0)


def _soft_lookup():
    q, k, v = EXERCISES["soft-lookup"].example()
    scores = k @ q
    a = scores.softmax(0)
    return [
        scores, a, a @ v, scores.exp(), scores.exp().sum(), torch.sigmoid(scores), torch.sigmoid(scores).sum(),
        scores / 2**0.5, -((k - q) ** 2).sum(1) / 2, -(k - q).norm(dim=1), a.softmax(0), scores.log_softmax(0),
        torch.nn.functional.cosine_similarity(k, q[None], dim=-1), 0.5,
    ]  # fmt: skip


def _nadaraya_watson():
    q, k, v, width = EXERCISES["nadaraya-watson"].example()
    u = (q[:, None] - k) / width
    kernel, a = torch.exp(-(u**2) / 2), (-(u**2) / 2).softmax(1)
    by_columns = (-(u**2) / 2).softmax(0)
    return [
        kernel, a, a @ v, kernel[0].sum(), kernel[0].sum() / 3, by_columns.sum(1), kernel[0].softmax(0),
        exp(0, -0.5, -1), exp(0, -1, -2), exp(0, -1, -4), exp(-0.25), exp(0, 0.5, 2), exp(-4), exp(1, -1),
    ]  # fmt: skip


def _leave_one_out():
    x, y, w = EXERCISES["leave-one-out"].example()
    u = w * (x[:, None] - x)
    kernel = torch.exp(-(u**2) / 2)
    kept = (-(u**2) / 2).softmax(1)
    open_kernel = kernel - torch.eye(3)
    prediction = open_kernel @ y / open_kernel.sum(1)
    error = prediction - y
    return [
        x, kernel, kept, kept[0, 1:].sum(), open_kernel[0].sum(), prediction, error, error.abs(), error**2, error.sum(),
        (error**2).sum(), (error[:2] ** 2).sum(), (error[1:] ** 2).sum(), exp(-1, -4), exp(0.5, 2), exp(-0.5, -1),
        0.25, -0.25, 0.5, -0.5,
    ]  # fmt: skip


def _masked_softmax():
    scores = t([1.0, 2, 3, 4], dtype=torch.float64)
    plain, zeroed = scores.softmax(0), t([1.0, 2, 0, 0], dtype=torch.float64).softmax(0)
    return [
        plain, plain[:2].sum(), plain[2:].sum(), zeroed, 2 * torch.round(zeroed[2], decimals=3), zeroed[:2].sum(),
        softmax(1, 2), scores.exp(), scores[:2].exp().sum(), softmax(1, 2).log(), plain[:2].sum() / 2,
    ]  # fmt: skip


def _gaussian_to_dot():
    q, k = EXERCISES["gaussian-to-dot"].example()
    scores = q @ k.T - (k**2).sum(1) / 2
    return [
        scores,
        scores.softmax(1),
        scores[0].exp().sum(),
        torch.cdist(q, k),
        2**0.5,
        0.5,
        -0.5,
        1.5,
    ]


def _scaled_dot_scores():
    return [2**0.5, 3**0.5, 512**0.5, 0.5]


def _additive_concat():
    example = EXERCISES["additive-concat"].example()
    tanh = torch.tanh(t([1.0, 2.0], dtype=torch.float64))
    return [
        tanh, EXERCISES["additive-concat"].solution(*example), 2**0.5, 0.5,
        torch.round(tanh[1], decimals=3) - torch.round(tanh[0], decimals=3),
    ]  # fmt: skip


def _bilinear():
    return [2**0.5, torch.tanh(t([1.0, 3.0], dtype=torch.float64)), softmax(1, 2)]


def _batch_axis_bug():
    return [EXERCISES["batch-axis-bug"].example()[1], 2**0.5]


def _odd_size():
    exponent = -t([0.0, 2, 4], dtype=torch.float64) / 5
    return [
        EXERCISES["odd-size"].solution(2, 5), 10000**exponent, 10000 ** (exponent / 2), 10000 ** (2 * exponent),
        1000**exponent, exponent.exp(), 10000 ** (t([-2.0]) / 6), 10000 ** (t([-2.0]) / 4),
        torch.sin(t([torch.pi / 180])),
    ]  # fmt: skip


def _rotary():
    x, positions = EXERCISES["rotary"].example()
    return [
        EXERCISES["rotary"].solution(x, positions),
        10000**-0.5,
        10000**-0.25,
        1000**-0.5,
        torch.cos(t(2.0)),
    ]


def _pre_ln_block():
    exercise = EXERCISES["pre-ln-block"]
    x, attend, feed_forward, norm1, norm2 = example = exercise.example()
    heard = attend(norm1(x))
    return [
        *(value for _, value in exercise.steps(*example)), exercise.solution(*example), norm2(heard), norm1(x + heard),
    ]  # fmt: skip


COMPUTED = {
    "soft-lookup": _soft_lookup,
    "nadaraya-watson": _nadaraya_watson,
    "leave-one-out": _leave_one_out,
    "masked-softmax": _masked_softmax,
    "gaussian-to-dot": _gaussian_to_dot,
    "scaled-dot-scores": _scaled_dot_scores,
    "additive-concat": _additive_concat,
    "bilinear": _bilinear,
    "pre-ln-block": _pre_ln_block,
    "batch-axis-bug": _batch_axis_bug,
    "odd-size": _odd_size,
    "rotary": _rotary,
    "teacher-forcing": lambda: [5],  # ids, and a dtype shown by 5.0
    **MASKS_AND_HEADS,
    **TRANSLATION,
}


def texts(exercise):
    yield exercise.statement
    yield from exercise.hints
    yield exercise.why
    for mistake in exercise.wrong:
        yield re.sub(r"\{\w+\}", "", mistake.says)
        yield mistake.asks


def numbers_with_a_point(text):
    return re.findall(
        r"(?<![\w.])[−-]?\d+\.\d+", re.sub(r"`[^`]*`", "", text).replace("$", " ")
    )


@pytest.mark.parametrize("exercise", ALL, ids=lambda e: e.name)
def test_every_number_with_a_decimal_point_was_computed(exercise):
    known = set()
    for computed in COMPUTED[exercise.name]():
        flat = torch.as_tensor(computed, dtype=torch.float64).flatten().tolist()
        known |= {number(x) for x in flat} | {number(abs(x)) for x in flat}
    found = set(
        itertools.chain.from_iterable(
            numbers_with_a_point(text) for text in texts(exercise)
        )
    )
    whole_only = WHOLE_NUMBERS_ONLY | {"teacher-forcing"}
    assert found or exercise.name in whole_only, (
        "no number at all: the messages should show some"
    )
    unknown = {x for x in found if x.replace("-", "−") not in known}
    assert not unknown, (
        f"{exercise.name}: {sorted(unknown)} in a text, but not among {sorted(known)}"
    )


SUM = re.compile(
    r"(?<![\w√/^²)(−])((?:\(?[−\d.]+\)?(?:\s?[·+−/]\s?)?){2,}) = (−?[\d.]*\d)"
)


def value_of(text):
    assert re.fullmatch(r"[\d.()+*/ -]+", text), text
    return eval(text, {"__builtins__": {}})


@pytest.mark.parametrize("exercise", ALL, ids=lambda e: e.name)
def test_every_sum_in_a_message_is_right(exercise):
    for text in texts(exercise):
        for left, right in SUM.findall(text):
            plain = left.replace("·", "*").replace("−", "-").strip()
            if not re.search(r"\d\s?[*+/-]\s?\(?-?[\d(]", plain):
                continue
            decimals = len(right.partition(".")[2])
            assert round(value_of(plain), decimals) == pytest.approx(
                float(right.replace("−", "-")), abs=1e-9
            ), text


def test_the_sums_are_found():
    assert SUM.findall("1·10 + 2·20 + 3·30 = 140.") == [("1·10 + 2·20 + 3·30", "140")]
    assert SUM.findall("the average: (10 + 20 + 30)/3 = 20.") == [
        ("(10 + 20 + 30)/3", "20")
    ]


def test_the_statements_answers_are_those_of_the_solutions():
    assert (
        number(float(nadaraya_watson.solution(*nadaraya_watson.example())[1]))
        == "20.963"
    )
    assert number(float(leave_one_out.solution(*leave_one_out.example()))) == "27.503"
