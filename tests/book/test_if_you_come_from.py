"""The page for readers of other texts: every name in its tables is there, and what it says of d2l's code is so."""

import importlib
import inspect
import re

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from attnbook.attention import MultiHeadAttention
from attnbook.interop import load_d2l
from tools import ROOT

TEXT = (ROOT / "chapters/text/if-you-come-from.md").read_text("utf-8")
ROWS = [row for row in re.findall(r"^\| (.*) \| (.*) \|$", TEXT, re.MULTILINE) if row[1] != "here"]
ROOMS = "attention", "transformer", "text", "training", "data", "translation", "interop", "page"
NAME = re.compile(r"`([A-Za-z_][\w.]*)`")
WORDS = {"True"}
# in the text of d2l only, where ours has another name
THEIRS = {"Seq2SeqAttentionDecoder"}
LIBRARIES = {"nn": nn, "F": F}


def names(side: int) -> list[str]:
    """All names of code on one side of the tables."""
    return sorted({name for row in ROWS for name in NAME.findall(row[side])} - WORDS - THEIRS)


def named(name: str, libraries: dict):
    """What a dotted name of a library means."""
    library, *parts = name.split(".")
    found = libraries[library]
    for part in parts:
        found = getattr(found, part)
    return found


def test_there_are_tables_of_two_columns():
    assert len(ROWS) > 80
    assert all(row.count("|") == 0 for pair in ROWS for row in pair)


@pytest.mark.parametrize("name", names(1))
def test_what_stands_on_our_side_can_be_imported(name):
    if "." in name:
        assert callable(named(name, LIBRARIES))
        return
    rooms = [importlib.import_module(f"attnbook.{room}") for room in ROOMS]
    assert [room for room in rooms if name in room.__all__ and hasattr(room, name)]


@pytest.mark.parametrize("name", [name for name in names(0) if re.match(r"(d2l|nn|F)\.", name)])
def test_what_stands_on_their_side_is_in_their_library(name):
    assert callable(named(name, LIBRARIES | {"d2l": load_d2l()}))


def test_what_d2l_has_in_its_text_only_is_not_in_its_package():
    for name in ("TransformerDecoderBlock", "TransformerDecoder", "Seq2SeqDecoder", "NWKernelRegression", *THEIRS):
        assert not hasattr(load_d2l(), name), name


def test_two_bases_of_d2l_are_abstract():
    d2l = load_d2l()
    with pytest.raises(NotImplementedError):
        d2l.AttentionDecoder().attention_weights  # noqa: B018
    with pytest.raises(NotImplementedError):
        d2l.Encoder()(None)


def test_d2l_masks_in_place_and_divides_by_the_padded_length():
    d2l, scores = load_d2l(), torch.zeros(2, 3, 5)
    d2l.masked_softmax(scores, torch.tensor([2, 3]))
    assert scores.min() == -1e6
    x = torch.ones(2, 5)
    assert d2l.sequence_mask(x, torch.tensor([2, 3])) is x and x.sum() == 5
    logits, labels, lens = torch.zeros(1, 4, 3), torch.ones(1, 4, dtype=torch.long), torch.tensor([1])
    loss = d2l.MaskedSoftmaxCELoss()(logits, labels, lens)
    torch.testing.assert_close(loss, torch.tensor([3.0]).log() / 4)  # one real word of four


def test_the_arguments_that_are_called_false_friends_differ():
    d2l = load_d2l()
    assert list(inspect.signature(d2l.MultiHeadAttention).parameters)[2] == "dropout"
    assert inspect.signature(MultiHeadAttention).parameters["dropout"].kind is inspect.Parameter.KEYWORD_ONLY
    assert list(inspect.signature(d2l.PositionWiseFFN).parameters)[0] == "ffn_num_hiddens"
