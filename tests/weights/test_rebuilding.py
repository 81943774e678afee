"""Models built again from files that somebody has changed: refused before memory is taken, by the field's name."""

import dataclasses
import math
import resource
import time
import zipfile

import pytest
import torch

from attnbook.studies import stored_model
from attnbook.studies.next_words import STORED_MODEL
from attnbook.training import CheckpointError, read_archive, save_checkpoint
from attnbook.translation import Translator, prepare
from attnbook.weights import read_weights, settings, weights_file
from small_recipes import SMALL, SMALL_TRANSFORMER
from toy_corpus import toy_pairs

RECIPES = {"recurrent": SMALL, "transformer": SMALL_TRANSFORMER}


@pytest.fixture(params=RECIPES)
def kind(request):
    return request.param


@pytest.fixture
def path(tmp_path, kind):
    prepare(RECIPES[kind], toy_pairs())[0].save(tmp_path / "translator.pt")
    return tmp_path / "translator.pt"


def refused(path, *says):
    """Loading fails within a second and 100 MB, and says why."""
    before, began = resource.getrusage(resource.RUSAGE_SELF), time.process_time()
    with pytest.raises(CheckpointError) as caught:
        Translator.load(path)
    after = resource.getrusage(resource.RUSAGE_SELF)
    assert after.ru_maxrss - before.ru_maxrss < 100_000  # kilobytes
    assert time.process_time() - began < 1
    for words in (str(path), *says):
        assert words in str(caught.value)


def change(path, part, **entries):
    state = read_archive(path)
    state[part] = {**state[part], **entries}
    save_checkpoint(path, state)


SETTINGS = [
    ("recurrent", "bidirectional", "x", "bidirectional must be of type bool, got 'x'"),
    ("recurrent", "bidirectional", "False", "bidirectional must be of type bool"),
    ("recurrent", "num_layers", 2.5, "num_layers must be of type int, got 2.5"),
    ("recurrent", "num_layers", True, "num_layers must be of type int, got True"),
    ("recurrent", "num_layers", 10**8, "num_layers is 100000000, with only"),
    ("recurrent", "hidden_size", 10**9, "hidden_size is out of range: 1000000000"),
    ("recurrent", "hidden_size", 10**8, "encoder.rnn.weight_ih_l0 has shape"),
    ("recurrent", "hidden_size", -3, "hidden_size must be at least 1, got -3"),
    ("recurrent", "hidden_size", 10**30, "hidden_size is out of range"),
    ("recurrent", "embed_size", [1], "embed_size must be of type int, got [1]"),
    ("recurrent", "dropout", math.nan, "dropout is out of range: nan"),
    ("recurrent", "dropout", 1.5, "dropout must be at least 0 and below 1"),
    ("recurrent", "attention", "x" * 10**6, "attention must be"),
    ("recurrent", "attention", None, "attention must be of type str, got None"),
    ("recurrent", "wings", 2, "RecurrentConfig has no setting 'wings'"),
    ("transformer", "norm_first", "no", "norm_first must be of type bool, got 'no'"),
    ("transformer", "tie_output", 1, "tie_output must be of type bool, got 1"),
    ("transformer", "num_encoder_layers", 10**7, "num_encoder_layers is 10000000"),
    ("transformer", "source_vocab_size", 10**8, "encoder.embedding.weight has shape"),
    ("transformer", "dropout", "0.1", "dropout must be of type float, got '0.1'"),
    ("transformer", "positions", "x", "positions must be one of sinusoidal, learned"),
]


@pytest.mark.parametrize("kind, name, value, says", SETTINGS, indirect=["kind"])
def test_a_setting_that_cannot_be_is_named(path, name, value, says):
    change(path, "config", **{name: value})
    refused(path, says[:60])


class Model:
    def __init__(self, num_layers: "int", dropout: "float | None" = None, tied: "bool" = True): ...


@dataclasses.dataclass
class Config:
    num_layers: "int"
    dropout: "float | None" = None
    tied: "bool" = True


@pytest.mark.parametrize("kind", [Model, Config])
def test_settings_where_annotations_are_texts(kind):
    """As they all are below `from __future__ import annotations`."""
    stored, weights = {"num_layers": 1, "dropout": None, "tied": False}, {"weight": torch.ones(1)}
    assert settings(kind, stored, weights) == stored
    for change, error, says in (
        ({"tied": "no"}, TypeError, "the setting tied must be of type bool, got 'no'"),
        ({"dropout": "0.1"}, TypeError, "the setting dropout must be of type float or NoneType, got '0.1'"),
        ({"num_layers": 2}, ValueError, "num_layers is 2, with only 1 weights"),
    ):
        with pytest.raises(error, match=says):
            settings(kind, stored | change, weights)


def test_a_missing_setting_is_named(path):
    state = read_archive(path)
    del state["config"]["dropout"]
    save_checkpoint(path, state)
    refused(path, "the setting dropout is missing")


@pytest.mark.parametrize("config", [None, [], "x", {1: 2}])
def test_a_config_that_is_none_is_refused(path, config):
    save_checkpoint(path, {**read_archive(path), "config": config})
    refused(path, "config and weights must be dicts by name")


def test_a_whole_number_may_stand_for_a_real_one(path):
    change(path, "config", dropout=0)
    assert Translator.load(path).model.config.dropout == 0


WEIGHT = "encoder.embedding.weight"


def test_a_weight_that_cannot_be_is_named(path):
    good = read_archive(path)["weights"][WEIGHT]
    for bad, says in (
        (good * math.nan, f"the weight {WEIGHT} is not finite everywhere"),
        (good.long(), f"the weight {WEIGHT} is of torch.int64, not of floats"),
        (good[1:], f"the weight {WEIGHT} has shape"),
        (good.to_sparse(), f"the weight {WEIGHT} is no tensor"),
        (0.5, f"the weight {WEIGHT} is no tensor"),
    ):
        change(path, "weights", **{WEIGHT: bad})
        refused(path, says)


def test_a_weight_more_or_less_is_named(path):
    change(path, "weights", more=torch.zeros(1))
    refused(path, "the weights have 'more'")
    state = read_archive(path)
    del state["weights"]["more"], state["weights"][WEIGHT]
    save_checkpoint(path, state)
    refused(path, f"the weights lack {WEIGHT}")


def test_one_number_that_says_it_is_a_billion(path, kind):
    size = 10**8
    width = {"recurrent": "embed_size", "transformer": "d_model"}[kind]
    sizes = read_archive(path)["config"]
    change(path, "config", source_vocab_size=size)
    wide = torch.zeros(1).expand(size, sizes[width])
    change(path, "weights", **{WEIGHT: wide})
    refused(path, "the weights are larger than what is stored of them")


def test_a_tokenizer_fills_nothing_up(tmp_path):
    translator, _ = prepare(SMALL_TRANSFORMER, toy_pairs())
    translator.save(tmp_path / "t.pt")
    state = read_archive(tmp_path / "t.pt")
    state["source_vocab"]["tokenizer"]["padding"] = {
        "strategy": {"Fixed": 10**5},
        "direction": "Right",
        "pad_to_multiple_of": None,
        "pad_id": 0,
        "pad_type_id": 0,
        "pad_token": "<pad>",
    }
    state["source_vocab"]["tokenizer"]["truncation"] = {
        "direction": "Right",
        "max_length": 1,
        "strategy": "LongestFirst",
        "stride": 0,
    }
    save_checkpoint(tmp_path / "t.pt", state)
    loaded = Translator.load(tmp_path / "t.pt").source_vocab
    text = toy_pairs()[0].source
    assert loaded.encode(text) == translator.source_vocab.encode(text)


# --- archives ---------------------------------------------------------------------------------------------------------


def repacked(path, method, **more):
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    with zipfile.ZipFile(path, "w", method) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)


@pytest.mark.parametrize("method", ["ZIP_DEFLATED", "ZIP_BZIP2", "ZIP_LZMA"])
def test_a_compressed_part_is_refused(path, method):
    repacked(path, getattr(zipfile, method))
    with pytest.raises(CheckpointError) as caught:
        read_archive(path)
    assert str(caught.value.__cause__) == "a part is compressed"


def test_parts_that_lie_on_one_another_are_refused(path):
    """A thousand entries that are one and the same megabyte of the file."""
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("big", bytes(10**6))
        archive.filelist += [archive.getinfo("big")] * 1000
        archive._didModify = True
    assert path.stat().st_size < 3_000_000
    with pytest.raises(CheckpointError) as caught:
        read_archive(path)
    assert str(caught.value.__cause__) == "the parts are larger than the file"


def test_what_is_stored_as_it_is_can_be_read(path):
    repacked(path, zipfile.ZIP_STORED)
    assert "weights" in read_archive(path)


# --- the sentence model -----------------------------------------------------------------------------------------------


def test_the_sentence_model_names_what_is_wrong(tmp_path):
    weights, about = read_weights(STORED_MODEL)
    for entries, says in (
        ({"num_layers": 10**8}, "num_layers is 100000000, with only"),
        ({"num_layers": "2"}, "num_layers must be of type int, got '2'"),
        ({"d_ff": 10**8}, "has shape"),
        ({"wings": 2}, "NextWordModel has no setting 'wings'"),
    ):
        bad = about | {"config": about["config"] | entries}
        (tmp_path / "model.safetensors").write_bytes(weights_file(weights, bad))
        with pytest.raises(ValueError, match=says):
            stored_model(tmp_path / "model.safetensors")
