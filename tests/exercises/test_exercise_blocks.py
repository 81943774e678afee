"""What is special about an exercise whose arguments are functions."""

import pytest
import torch

from attnbook.exercises import get
from attnbook.exercises.wording import inputs, shapes

EXERCISE = get("pre-ln-block")


def test_messages_say_what_the_functions_do():
    arguments = EXERCISE.example()
    for text in (inputs, shapes):
        told = text(EXERCISE.parameters, arguments)
        assert "attend = the mean of all positions" in told and "norm2 = 2·(h − its mean)" in told


def test_sizes_are_those_of_tensors_and_numbers_only():
    assert EXERCISE.sizes(EXERCISE.example()) == {"B": 1, "T": 2, "D": 2}


@pytest.mark.parametrize("number", [1, 2, 3, 4])
def test_a_louder_part_gives_another_answer(number):
    """Else the checker could not tell a part that is ignored from one that is used."""
    arguments = list(EXERCISE.probes()[0])
    before = EXERCISE.solution(*arguments)
    arguments[number] = 1.3 * arguments[number]
    assert not torch.allclose(EXERCISE.solution(*arguments), before)
