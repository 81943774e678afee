"""The chapters print the exercises as the bank has them: title, stub, and a place to be checked."""

import re
from pathlib import Path

import pytest
import torch

from attnbook.exercises import get, names

TEXTS = {path.stem: path.read_text("utf-8") for path in (Path(__file__).parents[2] / "chapters/text").glob("*.md")}
BOOK = "\n".join(TEXTS.values())


@pytest.mark.parametrize("name", names())
def test_title_and_stub_are_the_banks(name):
    exercise = get(name)
    assert f"```{{exercise}} {exercise.title}\n:label: ex-{name}\n" in BOOK
    assert f'{exercise.stub.strip()}\n\ncheck("{name}", {exercise.function})' in BOOK
    assert f'hints("{name}")' in BOOK


@pytest.mark.parametrize("name", names())
def test_it_stands_in_its_chapter(name):
    (chapter,) = [stem for stem, text in TEXTS.items() if f":label: ex-{name}\n" in text]
    assert int(re.match(r"\d+", chapter).group()) == get(name).chapter


def statement(name: str) -> str:
    """What the chapter says of an exercise, its stub included."""
    return re.search(rf":label: ex-{name}\n(.*?)\ncheck\(", BOOK, re.DOTALL)[1]


@pytest.mark.parametrize("name", names())
def test_what_is_demanded_besides_the_numbers_is_said(name):
    exercise, told = get(name), statement(name)
    if exercise.floats:
        assert "radient" in told, "gradients are looked at"
        assert "dtype" in told, "float32 should give float32"
    if any(isinstance(a, torch.Tensor | list) for a in exercise.example()):
        left_alone = r"written|writ|be changed|is changed|change|as (it is|they are)|must stay|stay as"
        assert re.search(left_alone, told), "arguments must not be written into"
