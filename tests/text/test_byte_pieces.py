"""Pieces of bytes: every text comes back to the letter, and nothing is unknown."""

import copy
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attnbook.text import ByteVocabulary
from tensors import PROPERTY, says

TEXT = "the cat and the hat, the bat and the rat. " * 20
VOCABULARY = ByteVocabulary(TEXT, 265)


@PROPERTY
@given(text=st.text(st.characters(exclude_categories=["Cs"]), max_size=30))
def test_every_text_comes_back(text):
    ids = VOCABULARY.encode(text)
    assert VOCABULARY.decode(ids) == text and len(ids) <= len(text.encode())
    assert all(0 <= number < len(VOCABULARY) for number in ids)


@pytest.mark.parametrize(
    "text", ["", " ", "\n\t  x", "It’s", "🙂👩‍👩‍👧", "日本語", "a\0b", "<eos>", "ﬁ e\u0301 É", "שלום"]
)
def test_awkward_texts_come_back(text):
    assert VOCABULARY.decode(VOCABULARY.encode(text)) == text


def test_what_is_frequent_is_one_piece():
    assert VOCABULARY.tokens(VOCABULARY.encode("the the")) == ["the", " the"]
    assert VOCABULARY.tokens(VOCABULARY.encode("zq")) == ["z", "q"]
    assert VOCABULARY.tokens(VOCABULARY.encode("é")) == ["�", "�"]  # one byte of two each
    assert len(VOCABULARY) == 265 > len(ByteVocabulary("ab", 300)) == 257
    assert repr(VOCABULARY) == "ByteVocabulary(265 entries)"


def test_it_is_stored_copied_and_learned_again():
    again = ByteVocabulary.from_dict(VOCABULARY.to_dict())
    for other in (again, ByteVocabulary(TEXT, 265), copy.deepcopy(VOCABULARY), pickle.loads(pickle.dumps(VOCABULARY))):
        assert other == VOCABULARY and other.encode(TEXT) == VOCABULARY.encode(TEXT)
    assert ByteVocabulary(TEXT, 266) != VOCABULARY and VOCABULARY != "bytes"
    cut = VOCABULARY.to_dict()
    cut["tokenizer"]["truncation"] = {
        "max_length": 2, "stride": 0, "strategy": "LongestFirst", "direction": "Right",
    }  # fmt: skip
    assert ByteVocabulary.from_dict(cut).encode(TEXT) == VOCABULARY.encode(TEXT)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: ByteVocabulary("", 300), ValueError, ("the text is empty",)),
        (lambda: ByteVocabulary(["a"], 300), TypeError, ("text must be a str, got list",)),
        (lambda: ByteVocabulary("a", 255), ValueError, ("size must be at least 256, got 255",)),
        (lambda: ByteVocabulary("a", 300.0), TypeError, ("size must be an integer, got float",)),
        (lambda: VOCABULARY.encode(3), TypeError, ("text must be a str, got int",)),
        (lambda: VOCABULARY.encode("a\ud800"), ValueError, ("character 1 is half of one", "read it as UTF-8")),
        (lambda: VOCABULARY.decode([265]), ValueError, ("ids must be in 0 … 264, got 265",)),
        (lambda: VOCABULARY.decode([-1]), ValueError, ("got -1",)),
        (lambda: ByteVocabulary.from_dict({"kind": "words"}), ValueError, ("kind 'bytes'",)),
        (lambda: ByteVocabulary.from_dict({"kind": "bytes"}), ValueError, ("not a tokenizer's JSON",)),
    ],
)
def test_errors(call, error, message):
    with pytest.raises(error, match=says(*message)):
        call()
