"""The language model of the page: what is stored is what is loaded, and as good as its file says."""

import hashlib

import pytest
import torch

from attnbook.language import (
    BOOK_RECIPE,
    TextModel,
    book_model_file,
    book_model_header,
    load_book_model,
    measured,
    page_model,
    rounded,
    split_book,
)
from attnbook.text import ByteVocabulary
from attnbook.transformer import LanguageModel, LanguageModelConfig
from attnbook.weights import LANGUAGE_MODEL, read_weights, weights_file
from tools.experiments.book_model import copied

MEASURED = {
    "command": "python nothing.py",
    "versions": {"torch": "0"},
    "seed": 3,
    "corpus_sha256": "ab" * 32,
    "training": {"steps": 0},
    "test": {"bits_per_byte": 8.0},
}


def small(**sizes):
    vocabulary = ByteVocabulary("the cat sat on the mat", 261)
    config = LanguageModelConfig(len(vocabulary), **{"d_model": 12, "num_heads": 3, "d_ff": 7, "num_layers": 2} | sizes)
    return TextModel(LanguageModel(config).eval(), vocabulary, "the ca")


@pytest.fixture
def path(tmp_path, monkeypatch):
    """Another place for the file."""
    monkeypatch.setattr(page_model, "LANGUAGE_MODEL", tmp_path / "model.safetensors")
    return page_model.LANGUAGE_MODEL


def weights_of(text_model):
    return {name: weight.tolist() for name, weight in text_model.model.state_dict().items()}


def test_what_is_stored_is_what_is_loaded(path):
    text_model = small(num_kv_heads=1)
    path.write_bytes(book_model_file(text_model, MEASURED))
    loaded = load_book_model()
    assert weights_of(loaded) == weights_of(rounded(text_model)) != weights_of(text_model)
    assert loaded.model.config == text_model.model.config
    assert loaded.model.head.weight is loaded.model.embedding.weight and not loaded.model.training
    assert "head.weight" not in read_weights(path)[0]
    assert (loaded.vocabulary, loaded.characters) == (text_model.vocabulary, "the ca")
    assert loaded.continue_text("the", length=5) == rounded(text_model).continue_text("the", length=5)
    header = book_model_header()
    assert MEASURED.items() <= header.items() and "vocabulary" not in header


def test_errors_say_what_is_wrong(path, monkeypatch):
    with pytest.raises(FileNotFoundError, match="there is no file"):
        load_book_model()
    with pytest.raises(ValueError, match="measured lacks test; it has command"):
        book_model_file(small(), {k: v for k, v in MEASURED.items() if k != "test"})
    path.write_bytes(weights_file({}, {"format": "another"}))
    for read in (load_book_model, book_model_header):
        with pytest.raises(ValueError, match=r"of the format 'another'.*tools\.experiments book_model"):
            read()
    monkeypatch.setattr(page_model, "LARGEST", 1000)
    with pytest.raises(ValueError, match="at most 1000; take smaller sizes"):
        book_model_file(small(), MEASURED)
    bad = small()
    with torch.no_grad():
        bad.model.embedding.weight[0, 0] = torch.nan
    with pytest.raises(ValueError, match="not finite"):
        rounded(bad)


def test_the_longest_run_of_words_that_was_copied():
    known = " the cat sat on the mat . "
    for text, longest in (("a cat sat on a mat", 3), ("the mat .", 3), ("the ca", 1), ("dogs", 0), ("", 0)):
        assert copied(text.split(), known) == longest


# -- the stored model --


def test_the_stored_model_is_small_and_has_read_the_stored_text():
    assert LANGUAGE_MODEL.stat().st_size <= page_model.LARGEST
    header = book_model_header()
    assert header["corpus_sha256"] == hashlib.sha256(split_book().train.encode()).hexdigest()
    assert BOOK_RECIPE.config(header["config"]["vocab_size"]) == load_book_model().model.config


def test_the_stored_model_is_as_good_as_its_file_says_and_better_than_counts():
    said = book_model_header()["test"]
    found = measured(load_book_model(), split_book().test)["bits_per_byte"]
    assert found == pytest.approx(said["bits_per_byte"], abs=2e-3)
    assert said["bits_per_byte"] < min(said["bigram"], said["trigram"]) - 0.1
    assert abs(said["bits_per_byte"] - said["before_rounding"]) < 0.01  # what eight bits cost
