"""One's own sentence to a model of the notebook."""

import pytest

from attnbook.translation import load_page_model
from attnbook.workbench import Ask


@pytest.fixture(scope="module")
def figure():
    models = {name: load_page_model(name) for name in ("bahdanau", "transformer")}
    return Ask(models, ["She is calm."])


def test_each_model_has_its_stored_answer(figure):
    assert [frame["name"] for frame in figure.stored.frames] == ["bahdanau: She is calm.", "transformer: She is calm."]
    assert "In JupyterLab" in figure.stored.hint


def test_a_sentence_is_translated_by_the_chosen_model(figure):
    figure.sentence.value = "I bought a red car."
    first = figure.answer.value
    assert "I bought a red car. → j" in first and "<img" in first
    figure.model.value = "transformer"
    assert figure.answer.value != first


def test_unknown_words_and_no_words_at_all(figure):
    figure.sentence.value = "I like zyzzyva."
    assert "has never met" in figure.answer.value
    figure.sentence.value = " "
    assert figure.answer.value == "<p>Type a sentence.</p>"
