"""The attention viewer: every form that weights come in, numbers against the tensors, and the file that it saves."""

import base64
import io
import json
import math
import re
import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np
import pytest
import torch
from PIL import Image
from torch import nn

from attnbook.studies import START, VOCABULARY, stored_model
from attnbook.widgets import AttentionViewer
from attnbook.widgets.attention_patterns import SENTENCE
from attnbook.widgets.attention_viewer import picture
from attnbook.widgets.attention_viewer.given import visible
from attnbook.widgets.attention_viewer.packing import part_of

L, H, T, S = 2, 3, 5, 7


def weights(*shape, seed=0):
    """Random distributions over the last axis."""
    generator = torch.Generator().manual_seed(seed)
    return (2 * torch.randn(shape, generator=generator)).softmax(-1)


def words(count, first="w"):
    return [f"{first}{i}" for i in range(count)]


def kind_of(viewer, name=None):
    kinds = viewer.data["kinds"]
    return next(k for k in kinds if name in (None, k["name"]))


def kept_of(viewer, layer, head):
    viewer.layer, viewer.head = layer, head
    return viewer.weights()


# -- what it is given --


@pytest.mark.parametrize(
    ("give", "layers", "heads"),
    [
        (lambda w: w, L, H),
        (lambda w: w.numpy(), L, H),
        (lambda w: w.tolist(), L, H),
        (lambda w: list(w), L, H),
        (lambda w: tuple(layer[None] for layer in w), L, H),
        (lambda w: w[None], L, H),
        (lambda w: w[0], 1, H),
        (lambda w: [w[0][None]], 1, H),
        (lambda w: w[0, 0], 1, 1),
        (lambda w: w.double(), L, H),
        (lambda w: w.clone().requires_grad_(), L, H),
    ],
)
def test_the_forms_that_weights_come_in(give, layers, heads):
    w = weights(L, H, T, S)
    viewer = AttentionViewer(give(w), words(T), words(S, "k"))
    packed = kind_of(viewer)["heads"]
    assert (len(packed), len(packed[0])) == (layers, heads)
    for layer in range(layers):
        for head in range(heads):
            kept = kept_of(viewer, layer + 1, head + 1)
            torch.testing.assert_close(torch.from_numpy(kept), w[layer, head], atol=0, rtol=6e-4)


def test_a_small_weight_keeps_fewer_digits():
    given = torch.tensor([0.5, 1 / 3, 6e-5, 1e-7, 2e-8]).expand(5, 5)
    kept = AttentionViewer(given).weights()
    assert np.abs(kept[:, :3] / given[:, :3].numpy() - 1).max() < 5e-4
    assert (kept[:, 3:] == [2 * 2**-24, 0]).all()


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_half_precision(dtype):
    w = weights(L, H, T, T).to(dtype)
    kept = kept_of(AttentionViewer(w), L, H)
    torch.testing.assert_close(torch.from_numpy(kept), w[-1, -1].float(), atol=1e-7, rtol=6e-4)


def test_batch_chooses_the_sequence():
    w = weights(3, L, H, T, T)
    for b in (0, 2, -1):
        kept = AttentionViewer(w, words(T), batch=b).weights()
        assert kept == pytest.approx(w[b, 0, 0].numpy(), rel=6e-4)
    listed = list(w.transpose(0, 1))
    kept = AttentionViewer(listed, words(T), batch=1).weights()
    assert kept == pytest.approx(w[1, 0, 0].numpy(), rel=6e-4)


def test_pytorchs_layer():
    layer = nn.MultiheadAttention(12, 3, batch_first=True)
    x, y = torch.randn(2, T, 12), torch.randn(2, S, 12)
    w = layer(x, y, y, average_attn_weights=False)[1]  # (B, H, T, S)
    viewer = AttentionViewer([w], words(T), words(S), batch=1, head=2)
    assert viewer.weights() == pytest.approx(w[1, 1].detach().numpy(), rel=6e-4)


def test_our_model():
    ids = torch.tensor([[1, 5, 7, 3, 2, 9]])
    w = stored_model()(ids, need_weights=True)[1]
    viewer = AttentionViewer(w, [VOCABULARY[i] for i in ids[0]], layer=2, head=3)
    assert viewer.weights() == pytest.approx(w[0, 1, 2].detach().numpy(), abs=3e-4)


SIZES = {
    "hidden_size": 24,
    "num_attention_heads": 3,
    "num_hidden_layers": 2,
    "intermediate_size": 32,
    "vocab_size": 31,
    "attn_implementation": "eager",
}


def test_a_hugging_face_encoder():
    transformers = pytest.importorskip("transformers")
    model = transformers.BertModel(transformers.BertConfig(**SIZES)).eval()
    ids = torch.arange(T)[None]
    w = model(ids, output_attentions=True).attentions
    viewer = AttentionViewer(w, ids[0], layer=2, head=3)
    assert viewer.weights() == pytest.approx(w[1][0, 2].detach().numpy(), rel=6e-4)
    assert kind_of(viewer)["queries"] == ["0", "1", "2", "3", "4"]


def test_a_hugging_face_decoder():
    transformers = pytest.importorskip("transformers")
    config = transformers.BertGenerationConfig(**SIZES, is_decoder=True)
    model = transformers.BertGenerationDecoder(config).eval()
    w = model(torch.arange(T)[None], output_attentions=True).attentions
    kept = AttentionViewer(w, words(T)).weights()
    assert kept == pytest.approx(w[0][0, 0].detach().numpy(), rel=6e-4)
    assert not np.triu(kept, 1).any()


def test_a_hugging_face_encoder_and_decoder():
    transformers = pytest.importorskip("transformers")
    sizes = {"d_model": 24, "vocab_size": 31, "attn_implementation": "eager"}
    for side in ("encoder", "decoder"):
        sizes |= {f"{side}_layers": 2, f"{side}_attention_heads": 3}
    model = transformers.BartModel(transformers.BartConfig(**sizes)).eval()
    out = model(input_ids=torch.arange(S)[None], decoder_input_ids=torch.arange(T)[None], output_attentions=True)
    source, target = words(S, "s"), words(T, "t")
    viewer = AttentionViewer(
        {
            "encoder": (out.encoder_attentions, source),
            "decoder": (out.decoder_attentions, target),
            "cross": (out.cross_attentions, target, source),
        },
        layer=2,
    )
    given = [out.encoder_attentions, out.decoder_attentions, out.cross_attentions]
    for name, w in zip(("encoder", "decoder", "cross"), given, strict=True):
        viewer.kind = name
        viewer.head = 2
        assert viewer.weights() == pytest.approx(w[1][0, 1].detach().numpy(), rel=6e-4)
    assert "cross: 2 × 3 heads, 5 queries, 7 keys" in repr(viewer)


# -- what a model's generate() returns --

GENERATE = {"output_attentions": True, "return_dict_in_generate": True, "do_sample": False}  # fmt: skip
IDS = {"bos_token_id": 0, "pad_token_id": 1, "eos_token_id": 2}
PROMPT, NEW = 7, 5


@pytest.fixture(scope="module")
def translator():
    """A small encoder–decoder of Hugging Face, its source, and what it says to that itself: (T, S) of every head."""
    transformers = pytest.importorskip("transformers")
    sizes = {"d_model": 24, "vocab_size": 31, "attn_implementation": "eager", **IDS}
    for side in ("encoder", "decoder"):
        sizes |= {f"{side}_layers": 3, f"{side}_attention_heads": 3, f"{side}_ffn_dim": 16}
    sizes |= {"decoder_start_token_id": 2, "forced_eos_token_id": None}
    torch.manual_seed(3)  # sentences change places in the beam
    model = transformers.BartForConditionalGeneration(transformers.BartConfig(**sizes, init_std=0.1)).eval()
    source = torch.arange(3, 3 + 2 * S).view(2, S)

    def read(row, sequence):
        with torch.no_grad():
            return model(source[row : row + 1], decoder_input_ids=sequence[None, :-1], output_attentions=True)

    return model, source, read


@pytest.fixture(scope="module")
def writer():
    """A small decoder of Hugging Face, and what it says to a text itself."""
    transformers = pytest.importorskip("transformers")
    torch.manual_seed(0)
    sizes = {"vocab_size": 31, "n_embd": 24, "n_layer": 2, "n_head": 3, "n_positions": 64}
    config = transformers.GPT2Config(**sizes, **IDS, initializer_range=0.5, attn_implementation="eager")
    model = transformers.GPT2LMHeadModel(config).eval()
    return model, lambda text: model(text[None], output_attentions=True).attentions


def require_heads(viewer, wanted):
    """The viewer shows the weights of the first sequence in `wanted`, layer by layer and head by head."""
    assert len(wanted) == viewer._sizes()[0]
    for number, layer in enumerate(wanted, start=1):
        for head in range(layer.shape[1]):
            kept = kept_of(viewer, number, head + 1)
            expected = layer[0, head].detach().numpy()
            assert kept == pytest.approx(expected, rel=2e-3, abs=1e-5)


@pytest.mark.parametrize("cached", [True, False])
@pytest.mark.parametrize("row", [0, 1])
def test_steps_of_an_encoder_and_decoder(translator, cached, row):
    model, source, read = translator
    how = {"max_new_tokens": NEW, "min_new_tokens": NEW, "use_cache": cached}
    out = model.generate(source, **how, **GENERATE)
    text = out.sequences[row][:-1]
    wanted = read(row, out.sequences[row])
    viewer = AttentionViewer(out.cross_attentions, text, source[row], batch=row)
    assert viewer._sizes() == [3, 3, NEW, S]
    require_heads(viewer, wanted.cross_attentions)
    viewer = AttentionViewer(out.decoder_attentions, text, batch=row)
    require_heads(viewer, wanted.decoder_attentions)
    with pytest.raises(ValueError, match=r"6 tokens, .* 5 queries.*pass tokens\[:-1\]"):
        AttentionViewer(out.cross_attentions, out.sequences[row], source[row])
    with pytest.raises(ValueError, match="batch is 2, but each step has 2 sequences"):
        AttentionViewer(out.cross_attentions, text, source[row], batch=2)
    for batch in (0.5, [0.5] * NEW, None):
        with pytest.raises(TypeError, match="batch must be a whole number, or one for"):
            AttentionViewer(out.cross_attentions, text, source[row], batch=batch)


@pytest.mark.parametrize("row", [0, 1])
def test_steps_of_a_beam_search(translator, row):
    """Sentences change their places in the beam, so the place in each step has to be told."""
    model, source, read = translator
    how = {"num_beams": 4, "max_new_tokens": 9}
    out = model.generate(source, **how, **GENERATE)
    places = out.beam_indices
    assert len({tuple(line.tolist()) for line in places}) == 2
    assert any(len(set(line[line >= 0].tolist())) > 1 for line in places)
    sequence = out.sequences[row][: 1 + (places[row] >= 0).sum()]
    wanted = read(row, sequence)
    several = {
        "encoder": (out.encoder_attentions, source[row]),
        "decoder": (out.decoder_attentions, sequence[:-1]),
        "cross": (out.cross_attentions, sequence[:-1], source[row]),
    }
    batch = {"encoder": row, "decoder": places[row], "cross": places[row]}
    viewer = AttentionViewer(several, batch=batch)
    viewer.kind = "cross"
    require_heads(viewer, wanted.cross_attentions)
    viewer.kind = "decoder"
    require_heads(viewer, wanted.decoder_attentions)
    with pytest.raises(TypeError, match="in the kind 'encoder': batch must be a whole"):
        AttentionViewer(several, batch=places[row])


@pytest.mark.parametrize("cache", [None, "dynamic", "static"])
def test_steps_of_a_decoder(writer, cache):
    model, read = writer
    how = {"use_cache": False} if cache is None else {"cache_implementation": cache}
    prompt = torch.arange(3, 3 + PROMPT)[None]
    out = model.generate(prompt, max_new_tokens=NEW, min_new_tokens=NEW, **how, **GENERATE)
    text = out.sequences[0][:-1]
    viewer = AttentionViewer(out.attentions, text)
    assert viewer._sizes() == [2, 3, PROMPT + NEW - 1, PROMPT + NEW - 1]
    require_heads(viewer, read(text))
    assert not np.triu(viewer.weights(), 1).any()


def test_steps_of_a_cache_that_slides():
    """Its keys are the last ones: they move in the map."""
    transformers = pytest.importorskip("transformers")
    torch.manual_seed(0)
    config = transformers.MistralConfig(
        vocab_size=31, hidden_size=24, num_hidden_layers=2, num_attention_heads=3, num_key_value_heads=3,
        intermediate_size=16, sliding_window=4, initializer_range=0.5, attn_implementation="eager", **IDS,
    )  # fmt: skip
    model = transformers.MistralForCausalLM(config).eval()
    for length in (PROMPT, 2, 4):
        prompt = torch.arange(3, 3 + length)[None]
        out = model.generate(prompt, max_new_tokens=NEW, min_new_tokens=NEW, **GENERATE)
        text = out.sequences[0][:-1]
        wanted = model(text[None], output_attentions=True).attentions
        require_heads(AttentionViewer(out.attentions, text), wanted)


def test_a_single_step(writer, translator):
    """Of a model of two layers, too, though two arrays may elsewhere be (self, cross)."""
    model, read = writer
    prompt = torch.arange(3, 3 + PROMPT)
    out = model.generate(prompt[None], max_new_tokens=1, **GENERATE)
    require_heads(AttentionViewer(out.attentions, prompt), read(prompt))
    model, source, read = translator
    out = model.generate(source, max_new_tokens=1, **GENERATE)
    viewer = AttentionViewer(out.cross_attentions, out.sequences[1][:1], source[1], batch=1)
    require_heads(viewer, read(1, out.sequences[1]).cross_attentions)


def test_of_a_sequence_that_ended_early_the_rest_is_no_query(writer):
    model, _ = writer
    out = model.generate(torch.arange(3, 3 + PROMPT)[None], max_new_tokens=3, min_new_tokens=3, **GENERATE)
    padded = torch.cat([out.sequences[0], torch.tensor([1, 1])])
    with pytest.raises(ValueError, match=rf"12 tokens, .* 9 queries.*pass tokens\[:{PROMPT + 2}\]"):
        AttentionViewer(out.attentions, padded)


def test_layers_of_two_arrays_are_no_steps():
    both = [(weights(2, H, T, T), weights(2, H, T, S))] * 2
    for pairs in (both, both[:1], [(weights(2, H, T, T),) * 2] * 2):
        with pytest.raises(TypeError, match=r"layer 1 is a tuple of 2.*\(self, cross\)"):
            AttentionViewer(pairs, words(T), words(S))


class Foreign:
    """An array of another library, as TensorFlow's: all that it has is `__array__`."""

    def __init__(self, array):
        self.array = array

    def __array__(self, dtype=None, copy=None):
        return self.array if dtype is None else self.array.astype(dtype)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("change", [
    lambda array: array,
    lambda array: array[..., ::-1, :],
    lambda array: np.broadcast_to(array, (2, *array.shape))[0],  # not writable
    lambda array: array.astype(">f8"),
    lambda array: array.astype(np.longdouble),
])  # fmt: skip
def test_arrays_of_other_libraries(change):
    w = change(weights(L, H, T, S).numpy())
    tokens = Foreign(np.arange(T))
    for given in (Foreign(w), [Foreign(layer) for layer in w]):
        viewer = AttentionViewer(given, tokens, words(S), layer=2, head=3)
        assert viewer.weights() == pytest.approx(w[1, 2], rel=6e-4)
    assert kind_of(viewer)["queries"] == ["0", "1", "2", "3", "4"]
    listed = [np.int64(3), torch.tensor(4), 5, "a", "b"]
    viewer = AttentionViewer(w, listed, words(S))
    assert kind_of(viewer)["queries"] == ["3", "4", "5", "a", "b"]


def test_sparse_weights():
    w = weights(T, T).tril()
    assert AttentionViewer(w.to_sparse()).weights() == pytest.approx(w.numpy(), rel=6e-4)
    with pytest.raises(TypeError, match="tensors on the meta device have none"):
        AttentionViewer(w.to("meta"))


def test_a_whole_output_is_asked_for_its_attentions(translator):
    transformers = pytest.importorskip("transformers")
    model, source, _ = translator
    whole = model(source, decoder_input_ids=source, output_attentions=True)
    some = "out.decoder_attentions or out.cross_attentions or out.encoder_attentions"
    for attentions in (whole, {"cross": (whole, words(S))}):
        with pytest.raises(TypeError, match=f"Seq2SeqLMOutput; pass {some}"):
            AttentionViewer(attentions, *([] if attentions is not whole else [words(S)]))
    for wanted in (False, True):  # not asked for, and not to be had
        fused = transformers.BertModel(transformers.BertConfig(**SIZES | {"attn_implementation": "sdpa"}))
        out = fused(source, output_attentions=wanted)
        with pytest.raises(TypeError, match="holds no attentions.*eager"):
            AttentionViewer(out, words(S))
        with pytest.raises(ValueError, match="output_attentions=True|eager"):
            AttentionViewer(out.attentions, words(S))
    for encoder_too in (False, True):  # as a tuple; arrays of the cache stand deeper in it
        whole = model(source, decoder_input_ids=source, output_attentions=True, return_dict=False, use_cache=False)
        with pytest.raises(TypeError, match=r"a model's whole output; pass the part .*out\[-1\]"):
            AttentionViewer(whole if encoder_too else whole[:2], words(S))


def test_the_kind_is_named_in_what_is_wrong():
    right = (weights(L, H, T, T), words(T))
    for wrong, error, message in (
        (((), words(T), words(S)), ValueError, "attentions are empty: the model has no attention of this kind, or"),
        ((None,), ValueError, "attentions are None; call the model with output_attentions=True"),
        (({"a": 1},), TypeError, "got a dict"),
        ((weights(H, T, T), words(4)), ValueError, "there are 4 tokens"),
    ):  # fmt: skip
        with pytest.raises(error, match=f"in the kind 'cross': .*{message}"):
            AttentionViewer({"self": right, "cross": wrong})
    scores = torch.full((L, H, T, T), -torch.inf).tril()
    with pytest.raises(ValueError, match="layer 4, head 1: some weights are infinite"):
        AttentionViewer(scores, layers=[4, 8])
    for role, one in (("batch", 0), ("layers", [4, 8]), ("heads", [1, 2, 3])):
        with pytest.raises(ValueError, match=f"{role} has an entry 'slef', but .* there are self"):
            AttentionViewer({"self": right}, **{role: {"slef": one}})


def test_columns_of_a_window_are_no_keys():
    transformers = pytest.importorskip("transformers")
    sizes = {k: v for k, v in SIZES.items() if k != "attn_implementation"}
    model = transformers.LongformerModel(transformers.LongformerConfig(**sizes, attention_window=[4, 4]))
    w = model(torch.arange(3, 13)[None], output_attentions=True).attentions
    for tokens in ([words(10)], [words(10), words(10)]):
        with pytest.raises(ValueError, match="places in that window, and no keys"):
            AttentionViewer(w, *tokens)


# -- the model's own numbers --


def test_layers_and_heads_go_by_the_models_numbers(open_figure, tmp_path):
    """Of a model some of whose layers have no weights, such as Mamba's."""
    w = weights(3, 2, T, T)
    viewer = AttentionViewer(w, words(T), layers=[4, 8, 120], heads=[3, 7], layer=8, head=7)
    assert viewer.weights() == pytest.approx(w[1, 1].numpy(), rel=6e-4)
    assert "Layer 8, head 7 is shown larger" in viewer.alt_text()
    viewer.save(tmp_path / "it.svg")
    svg = (tmp_path / "it.svg").read_text("utf-8")
    assert "Layer 8, head 7: queries" in svg and ">120<" in svg
    page = open_figure(viewer)
    texts = page.page.locator("svg text").all_text_contents()
    assert {"4", "8", "120", "3", "7"} <= {*texts} and "1" not in texts and "2" not in texts
    assert "Layer 8, head 7: queries down, keys across" in texts
    assert page.read("weight") == pytest.approx(viewer.weights()[viewer.query].max(), rel=1e-3)
    page.press("overview", "ArrowDown", "ArrowLeft")
    assert (page.state("layer"), page.state("head")) == (120, 3)
    label = page.handle("overview").get_attribute("aria-label")
    assert "Layer 120, head 3 is chosen" in label
    click_at(page, "overview", 0.1, 0.9)
    assert (page.state("layer"), page.state("head")) == (4, 7)
    column = w[0, 1, viewer.query]
    assert page.read("weight") == pytest.approx(column[viewer.key].item(), rel=1e-3)
    page.reset()
    assert (page.state("layer"), page.state("head")) == (8, 7)
    viewer = AttentionViewer(
        {"self": (w, words(T)), "cross": (w[:2], words(T))}, layers={"self": [4, 8, 120], "cross": [5, 9]}, layer=120
    )
    viewer.kind = "cross"
    assert viewer.layer == 9


@pytest.mark.parametrize(
    ("error", "match", "given"),
    [
        (ValueError, "layers has 1 numbers, but 2 layers came", {"layers": [4]}),
        (ValueError, "heads must be numbers .*, each once", {"heads": [1, 1, 2]}),
        (ValueError, "layers must be numbers from 0", {"layers": [-1, 2]}),
        (TypeError, "layers must be a list of whole numbers", {"layers": [1.5, 2]}),
        (TypeError, "layers must be a list of whole numbers", {"layers": 4}),
        (ValueError, "layer is the layer's number: one of 4, 8; got 1", {"layers": [4, 8], "layer": 1}),
    ],
)  # fmt: skip
def test_wrong_numbers(error, match, given):
    with pytest.raises(error, match=match):
        AttentionViewer(weights(L, H, T, T), **given)


@pytest.mark.parametrize(
    ("error", "match", "arguments"),
    [
        (ValueError, "4 tokens, but the weights have 5 queries", (weights(H, T, T), words(4))),
        (ValueError, "6 key_tokens, but .* 7 keys", (weights(H, T, S), words(T), words(6))),
        (ValueError, "pass the tokens of the keys", (weights(H, T, S), words(T))),
        (TypeError, "must be a list of tokens, got one text", (weights(T, T), "words")),
        (ValueError, r"pass tokens\[0\]", (weights(T, T), [words(T)])),
        (TypeError, "one of them is 0.5", (weights(T, T), [0.5] * T)),
        (TypeError, "list of texts or ids, got 5", (weights(T, T), T)),
        (TypeError, "called by texts, got 1", ({1: (weights(T, T), words(T))},)),
        (ValueError, "layer 2 is None.*eager", ([weights(H, T, T), None], words(T))),
        (ValueError, "are empty.*eager", ((), words(T))),
        (TypeError, "layer 1 is a tuple.*generate", ([(1, 2), weights(T, T)], words(T))),
        (ValueError, r"differ in shape: \(3, 5, 5\), \(3, 7, 7\)", ([weights(H, T, T), weights(H, S, S)],)),
        (ValueError, r"have shape \(5,\)", (weights(T),)),
        (TypeError, "equally long rows; got list", ([[1.0, 0.0], [1.0]],)),
        (ValueError, r"are \(3, 0, 7\)", (torch.zeros(H, 0, S),)),
        (ValueError, "look like scores", (torch.zeros(T, T).fill_diagonal_(-torch.inf),)),
        (TypeError, r"'self' must be a tuple \(attentions, tokens\).*only its attentions", ({"self": weights(T, T)},)),
        (TypeError, "tokens belong to each kind", ({"self": (weights(T, T),)}, words(T))),
        (ValueError, "at least one kind", ({},)),
    ],
)  # fmt: skip
def test_wrong_arguments(error, match, arguments):
    with pytest.raises(error, match=match):
        AttentionViewer(*arguments)


@pytest.mark.parametrize(
    ("error", "match", "state"),
    [
        (ValueError, "batch is 2, but attentions has 2 sequences", {"batch": 2}),
        (ValueError, "layer is the layer.*from 1 to 2; got 3", {"layer": 3}),
        (ValueError, "head is the head.*from 1 to 3; got 0", {"head": 0}),
        (ValueError, "query's position.*from 0 to 4; got 5", {"query": 5}),
        (ValueError, "from 8 to 64; got 5", {"window": 5}),
        (ValueError, "one of 'attention'; got 'cross'", {"kind": "cross"}),
        (ValueError, "need megabytes=1 or more", {"megabytes": 1e-5}),
        (TypeError, "makes its data", {"data": {}}),
        (TypeError, "has no colour", {"colour": "red"}),
    ],
)
def test_wrong_states(error, match, state):
    with pytest.raises(error, match=match):
        AttentionViewer(weights(2, L, H, T, T), words(T), **state)


@pytest.mark.parametrize(
    ("token", "shown"),
    [
        (" the", "␣the"),
        ("▁the", "▁the"),
        ("Ġthe", "Ġthe"),
        ("##s", "##s"),
        ("\n", "⏎"),
        ("", "(empty)"),
        ("\x00", "\\x00"),
        ("\u202e", "\\u202e"),
        ("مى\u200cخواهم", "مى\u200cخواهم"),
        ("注意力", "注意力"),
    ],
)
def test_tokens_are_made_visible_and_no_more(token, shown):
    assert visible(token) == shown


# -- in the browser: the numbers --


def row(page, viewer, axis, i, layer, head):
    found = page.math("largestOf", viewer.data["kinds"][0], layer, head, axis, i)
    return [(one["at"], one["weight"]) for one in found]


def sorted_row(line):
    return sorted(enumerate(line.tolist()), key=lambda one: (-one[1], one[0]))


def test_rows_and_columns_are_those_of_the_tensor(open_figure):
    w = weights(L, H, T, S).half()
    viewer = AttentionViewer(w, words(T), words(S, "k"))
    page = open_figure(viewer)
    for i in range(T):
        assert row(page, viewer, "rows", i, 2, 3) == sorted_row(w[1, 2, i])
    for j in range(S):
        assert row(page, viewer, "columns", j, 2, 3) == sorted_row(w[1, 2, :, j])
    part = page.math("partOf", viewer.data["kinds"][0], 2, 3, [1, 4], [2, 7])
    assert part == w[1, 2, 1:4, 2:7].flatten().tolist()


LONG, KEYS = 97, 83


@pytest.fixture(scope="module")
def long():
    """A viewer that has room for a few weights of each row and column only, and its tensor."""
    w = weights(1, 2, LONG, KEYS).half()
    w[0, 1, 11] = torch.nan
    viewer = AttentionViewer(w, words(LONG), words(KEYS, "k"), megabytes=0.06, head=2)
    assert 2 <= kind_of(viewer)["kept"] <= 20
    return viewer, w[0]


def test_of_a_long_head_the_largest_are_kept(open_figure, long):
    viewer, w = long
    kept = kind_of(viewer)["kept"]
    page = open_figure(viewer)
    lines = [("rows", i, w[1, i]) for i in (0, 50, LONG - 1)]
    lines += [("columns", j, w[1, :, j].nan_to_num(-1)) for j in (0, 41, KEYS - 1)]
    for axis, i, line in lines:
        found = row(page, viewer, axis, i, 1, 2)
        best = line.sort(descending=True).values[:kept].tolist()
        assert [weight for _, weight in found] == best
        assert len({at for at, _ in found}) == kept
        assert [line[at].item() for at, _ in found] == best
    assert row(page, viewer, "rows", 11, 1, 2) == []


def test_of_a_long_head_python_reads_the_same(long):
    viewer, w = long
    kept, known = kind_of(viewer)["kept"], w[1].float().nan_to_num(-1)
    masked = viewer.weights()
    read, there = torch.from_numpy(masked.data), torch.from_numpy(~masked.mask)
    assert read[11].isnan().all() and there[11].all() and read.isnan().sum() == KEYS
    there[11] = False
    assert torch.equal(read[there], known[there])
    last = [known.topk(kept, dim=axis).values.amin(axis, True) for axis in (0, 1)]
    known[11] = -2
    assert there[(known > last[0]) | (known > last[1])].all()
    assert not there[(known < last[0]) & (known < last[1])].any()


def test_a_part_of_a_head():
    w = weights(T, S)
    kind = kind_of(AttentionViewer(w))
    part = part_of(kind["heads"][0][0], (T, S), None, range(2, 4), range(3, 7))
    assert part == pytest.approx(w[2:4, 3:7].numpy(), rel=6e-4)


def test_a_window_of_a_long_head_never_shows_another_number(maths, long):
    viewer, w = long
    cells = maths("partOf", viewer.data["kinds"][0], 1, 2, [5, 53], [20, 60])
    shown = torch.tensor([float("nan") if c is None else c for c in cells]).view(48, 40)
    true = w[1, 5:53, 20:60].float()
    there = shown >= 0
    assert torch.equal(shown[there], true[there])
    assert 0.01 < there.float().mean() < 0.6
    assert shown[6].isnan().all() and not shown[7:].isnan().any()
    in_python = torch.from_numpy(viewer.weights().filled(-np.inf))[5:53, 20:60]
    torch.testing.assert_close(in_python, shown, atol=0, rtol=0, equal_nan=True)


def test_sums_of_a_long_head(open_figure, long):
    viewer, w = long
    page, kind = open_figure(viewer), viewer.data["kinds"][0]
    whole = w.float()
    for i in (0, 60):
        total = page.math("sumOf", kind, 1, 2, "rows", i)
        assert total == pytest.approx(whole[1, i].sum().item(), rel=6e-4)
    for j in (0, 60):
        total = page.math("sumOf", kind, 1, 2, "columns", j)
        assert total == pytest.approx(whole[1, :, j].nansum().item(), rel=6e-4)


def test_the_map_of_a_head_holds_the_largest_weight_of_each_cell(open_figure):
    w = weights(128 * 3, 128 * 2)
    viewer = AttentionViewer(w)
    page, kind = open_figure(viewer), kind_of(viewer)
    assert kind["map"] == [128, 128] and kind["thumb"] == [64, 64]
    for name, side in (("map", 128), ("thumb", 64)):
        cells = torch.tensor(page.math("mapOf", kind["heads"][0][0][name]))
        wanted = w.view(side, 384 // side, side, 256 // side).amax((1, 3))
        torch.testing.assert_close(cells.view(side, side), wanted, atol=3e-3, rtol=0)


@pytest.mark.parametrize(
    ("weight", "text"),
    [(0, "< 0.001"), (0.6249, "0.625"), (1, "1.000"), (0.0996, "0.100"), (0.00339, "0.003")]
    + [(9.99e-4, "< 0.001"), (6e-8, "< 0.001"), (-2e-5, "> −0.001")]
    + [(-math.inf, "not kept"), (-1, "−1.000"), (-0.25, "−0.250"), (0.001, "0.001")],
)  # fmt: skip
def test_three_decimals(maths, weight, text):
    assert maths("threeDecimals", weight) == text


# -- in the browser: what is seen --


def listed(page, name):
    rows = page.page.locator(f'[data-value="{name}"] tbody tr')
    found = [rows.nth(i).locator("td, th").all_inner_texts() for i in range(rows.count())]
    return [one for one in found if one[0].strip()]


def note(page):
    return page.page.locator('[data-value="note"]').inner_text()


def test_it_begins_with_the_middle_query_and_the_key_it_looks_at(open_figure):
    w = weights(L, H, T, S)
    viewer = AttentionViewer(w, words(T), words(S, "k"), layer=2, head=3)
    best = int(w[1, 2, 2].argmax())
    assert (viewer.query, viewer.key) == (2, best)
    page = open_figure(viewer)
    assert page.read("weight") == pytest.approx(w[1, 2, 2].max().item(), rel=6e-4)
    assert page.read("spent") == pytest.approx(1, abs=2e-3)
    column = w[1, 2, :, best]
    assert page.read("received") == pytest.approx(column.mean().item(), rel=1e-3)
    assert [int(one[0]) for one in listed(page, "top-keys")] == [at for at, _ in sorted_row(w[1, 2, 2])]
    queries = [f"w{at}" for at, _ in sorted_row(column)]
    assert [one[1] for one in listed(page, "top-queries")] == queries
    assert "Query 2 “w2” gives its largest weight" in page.said
    assert f"from query {queries[0][1:]} “{queries[0]}”" in page.said


def test_by_keyboard(open_figure):
    page = open_figure(AttentionViewer(weights(L, H, T, T), words(T), query=1, key=1))
    page.press("overview", "ArrowRight", "ArrowDown", "ArrowDown")
    assert (page.state("layer"), page.state("head")) == (2, 2)
    page.press("map", "ArrowDown", "ArrowRight", "ArrowRight", "ArrowUp", "ArrowUp")
    assert (page.state("query"), page.state("key")) == (0, 3)
    page.press("key", "End")
    assert page.state("key") == T - 1
    page.choose("shade", "square root of the weight")
    assert page.state("shade") == "root"
    page.reset()
    states = [page.state(name) for name in ("layer", "head", "query", "key", "shade")]
    assert states == [1, 1, 1, 1, "weight"]


def click_at(page, handle, down, across):
    """Clicks into a field, at parts of its height and width."""
    page.handle(handle).scroll_into_view_if_needed()
    box = page.handle(handle).bounding_box()
    page.page.mouse.click(box["x"] + across * box["width"], box["y"] + down * box["height"])
    page.settle()


def test_by_mouse(open_figure):
    page = open_figure(AttentionViewer(weights(L, H, T, S), words(T), words(S, "k")))
    click_at(page, "overview", 0.75, 0.5)
    assert (page.state("layer"), page.state("head")) == (2, 2)
    click_at(page, "map", 0.5 / T, 5.5 / S)
    assert (page.state("query"), page.state("key")) == (0, 5)
    lines = page.page.locator("svg").last
    lines.get_by_text("w3", exact=True).click()
    lines.get_by_text("k1", exact=True).click()
    page.settle()
    assert (page.state("query"), page.state("key")) == (3, 1)


def test_the_window_follows_query_and_key(open_figure):
    viewer = AttentionViewer(weights(200, 300), words(200), words(300, "k"), query=0, key=0, window=48)
    page = open_figure(viewer)
    click_at(page, "whole", 0.75, 0.5)
    assert (page.state("query"), page.state("key")) == (150, 150)
    assert page.page.get_by_text("w150", exact=True).count() >= 1
    page.press("whole", "ArrowRight")
    assert page.state("key") == 198
    page.slide("window", 16)
    page.press("map", "Shift+ArrowDown")
    assert page.state("query") == 158
    labels = page.page.locator("svg").last.locator("text").all_text_contents()
    assert "w144" in labels and "w159" in labels and "w160" not in labels
    assert page.math("pageOf", 158, 200, 16) == [144, 160]
    assert page.math("pageOf", 199, 200, 16) == [184, 200]


@pytest.mark.parametrize("count", [14, 64])
def test_the_card_keeps_its_height_whatever_the_window(open_figure, count):
    page = open_figure(AttentionViewer(weights(2, 4, count, count)), width=850)
    heights = []
    for window in (64, 32, 8):
        page.slide("window", window)
        heights.append(page.page.locator(".ab-card").bounding_box()["height"])
    assert heights == pytest.approx([heights[0]] * 3, abs=1)


def test_the_spread_of_a_row(open_figure, long):
    w = weights(T, S)
    w[2] = torch.tensor([0.3, 0.45, 0.05, 0.2, 0, 0, 0])
    w[3] = torch.eye(S)[6]
    viewer = AttentionViewer(w, query=2, key=0)
    page, kind = open_figure(viewer), viewer.data["kinds"][0]
    row = w[2][w[2] > 0]
    entropy = -(row * row.log()).sum().item()
    found = page.math("spreadOf", kind, 1, 1, 2)
    assert (found["most"], found["seen"]) == (3, 4)
    assert found["entropy"] == pytest.approx(entropy, rel=2e-3)
    assert "90 % of its weight lies on 3 keys." in page.said
    assert page.text("entropy") == "1.19 of 1.95"  # even weights on all 7 keys
    page.set(query=3)
    assert "Its other weights are 0, or too small to be stored." in page.said
    viewer, _ = long
    page = open_figure(viewer)
    kinds = viewer.data["kinds"][0]
    assert page.math("spreadOf", kinds, 1, 2, 11) is None
    assert page.text("entropy") == "–"


@pytest.fixture(scope="module")
def causal():
    """Weights (L, H, 11, 11) of the book's model, which looks back only."""
    text = [START, *SENTENCE[:10]]
    with torch.no_grad():
        ids = torch.tensor([[VOCABULARY.index(word) for word in text]])
        return stored_model()(ids, need_weights=True)[1][0], text


def test_masked_keys_are_said_to_be_masked(open_figure, causal):
    w, text = causal
    page = open_figure(AttentionViewer(w, text, layer=2, head=1))
    rows = listed(page, "top-keys")
    assert sorted(int(one[0]) for one in rows) == [0, 1, 2, 3, 4, 5]
    assert page.text("entropy").endswith(" of 1.79")  # even weights on 6 keys
    page.set(key=8)
    assert page.text("weight") == "masked"
    looking = [int(one[0]) for one in listed(page, "top-queries")]
    assert sorted(looking) == [8, 9, 10]
    page.set(query=0, key=0)
    assert "It sees no other key." in page.said
    assert "masked" in page.page.locator("svg text").all_text_contents()
    page = open_figure(AttentionViewer(weights(L, H, T, T), words(T)))
    assert page.page.get_by_text("masked").count() == 0


@pytest.mark.parametrize("count", [64, 96, 200])
def test_a_causal_mask_is_seen_in_small_maps_too(open_figure, count):
    later = torch.ones(count, count, dtype=torch.bool).triu(1)
    w = torch.randn(2, count, count).masked_fill(later, -torch.inf).softmax(-1)
    for one, found in ((w, True), (weights(2, count, count), False)):
        viewer = AttentionViewer(one, megabytes=0.2)
        page, kind = open_figure(viewer), kind_of(viewer)
        assert page.math("isCausal", kind) is found
        page.set(query=3, key=count - 5)
        assert (page.text("weight") == "masked") is found


@pytest.mark.parametrize("head", [1, 2, 3, 4])
def test_the_key_that_gets_most_is_named(open_figure, causal, head):
    """Of a key counts the average of the queries that see it; the last key, which one query sees, does not compete."""
    w, text = causal
    page = open_figure(AttentionViewer(w, text, layer=2, head=head))
    means = torch.stack([w[1, head - 1, j:, j].mean() for j in range(len(text))])
    best = int(means[:-1].argmax())
    for key in range(len(text)):
        page.set(key=key)
        assert page.read("received") == pytest.approx(means[key].item(), abs=1e-3)
        named = f"its average, {means[key]:.3f}, is the highest of all keys" in page.said
        assert named is (key == best)
    assert head != 3 or text[best] == "and"


def test_a_query_without_a_choice_is_not_the_one_that_looks_most(open_figure, causal):
    w, text = causal
    page = open_figure(AttentionViewer(w, text, layer=2, head=1, key=0))
    assert w[1, 0, 0, 0] == 1 and "from query 0" not in page.said
    assert "(query 0 has no choice)" in page.said
    page.set(key=10)
    assert "Only query 10 “old” sees key 10 “old”: " in page.said


def test_what_is_outside_the_window_is_said_not_to_be_shown(open_figure, causal):
    w, text = causal
    state = {"layer": 2, "head": 3, "query": 10, "key": 3}
    page = open_figure(AttentionViewer(w, text, **state, window=8))
    assert "to key 8 “and” (not shown)." in page.said
    page.slide("window", 11)
    assert "to key 8 “and”." in page.said


@pytest.mark.parametrize(("count", "most"), [(8, None), (11, 11), (64, 64), (90, 64)])
def test_the_window_is_no_larger_than_the_text(open_figure, count, most):
    page = open_figure(AttentionViewer(weights(1, 2, count, count)))
    window = page.page.locator('input[data-control="window"]')
    assert window.count() == (most is not None)
    if most:
        assert int(window.get_attribute("max")) == most
        assert page.text("window") == str(most)


@pytest.mark.parametrize("width", [390, 850, 1000])
def test_the_card_keeps_its_height_whatever_is_chosen(open_figure, causal, width):
    page = open_figure(AttentionViewer(*causal, layer=2, head=1), width=width)
    heights = set()
    for window in (11, 8):
        page.slide("window", window) if width > 480 else page.set(window=window)
        for head, query, key in ((1, 0, 0), (1, 3, 10), (3, 8, 0), (3, 10, 3), (2, 3, 7)):
            page.set(head=head, query=query, key=key)
            heights.add(page.page.locator(".ab-card").bounding_box()["height"])
    assert max(heights) - min(heights) <= 1


@pytest.mark.parametrize("width", [800, 1000])
def test_columns_side_by_side_are_about_as_high(open_figure, causal, width):
    page = open_figure(AttentionViewer(*causal, layer=2, head=1), width=width)
    ends = [
        max(one["y"] + one["height"] for one in boxes)
        for boxes in (
            [page.page.locator(name).bounding_box() for name in (".ab-all", ".ab-lists")],
            [page.page.locator(".ab-window").bounding_box()],
        )
    ]  # fmt: skip
    assert abs(ends[0] - ends[1]) < 60


def test_on_a_phone_map_and_sentence_follow_the_controls(open_figure, causal):
    page = open_figure(AttentionViewer(*causal, layer=2, head=1), width=390)
    card, panel, map, said = (
        page.page.locator(name).bounding_box() for name in (".ab-card", ".ab-controls", ".ab-window", ".ab-said")
    )
    assert panel["height"] <= 200
    heads = page.page.locator(".ab-all").bounding_box()
    assert panel["y"] < heads["y"] < map["y"] < said["y"] and heads["height"] < 110
    assert said["y"] + said["height"] - card["y"] <= 844


def test_there_is_no_empty_line_for_notes_that_no_head_has(open_figure):
    w = weights(1, 2, T, T)
    page = open_figure(AttentionViewer(w, words(T)))
    assert page.page.locator('[data-value="note"]').is_hidden()
    w[0, 1, 1] *= 0.5
    page = open_figure(AttentionViewer(w, words(T)))
    assert page.page.locator('[data-value="note"]').bounding_box()["height"] > 15


def test_a_short_head_is_shown_as_a_whole(open_figure):
    page = open_figure(AttentionViewer(weights(60, 60)))
    assert not page.handle("whole").is_visible()
    labels = page.page.locator("svg").last.locator("text").all_text_contents()
    assert labels.count("0") == labels.count("59") == 2
    page.slide("window", 16)
    assert page.handle("whole").is_visible()


def test_kinds_of_different_sizes(open_figure):
    viewer = AttentionViewer(
        {
            "decoder": (weights(L, H, S, S), words(S, "s")),
            "cross": (weights(1, 2, T, 3), words(T), words(3, "k")),
        },
        layer=2, head=3, query=6, key=6,
    )  # fmt: skip
    page = open_figure(viewer)
    page.choose("kind", "cross")
    assert page.said.startswith("Query 4 “w4” gives its largest weight")
    slider = page.page.locator('input[data-control="key"]')
    assert slider.get_attribute("max") == "2" and slider.input_value() == "2"
    viewer.kind = "cross"
    assert (viewer.layer, viewer.head, viewer.query, viewer.key) == (1, 2, 4, 2)


def test_what_is_unusual_is_said(open_figure):
    w = weights(1, 2, T, T)
    page = open_figure(AttentionViewer(w, words(T)))
    assert note(page).strip() == ""
    w[0, 1, 1] *= 0.5
    w[0, 1, 2] = 0
    w[0, 1, 4] = torch.nan
    page = open_figure(AttentionViewer(w, words(T), head=2, query=4))
    assert "2 queries of this head have weights that do not sum to 1: 0.00 to 0.50" in note(page)
    assert "One query has NaN weights (hatched)" in note(page)
    assert page.said.startswith("Query 4 “w4” has no weights: they are NaN.")
    assert page.text("spent") == "NaN" and listed(page, "top-keys") == []
    page.press("overview", "ArrowLeft")
    assert note(page).strip() == ""


@pytest.mark.parametrize("megabytes", [64, 0.04])
def test_a_key_gets_an_average_of_those_that_have_weights(open_figure, megabytes):
    w = weights(1, LONG, LONG)
    w[0, :, 3] = 0.5
    w[0, 4] = torch.nan
    w[0, 5, 7] = torch.nan
    page = open_figure(AttentionViewer(w, megabytes=megabytes, query=0, key=3))
    rest = torch.cat([w[0, :4], w[0, 6:]])
    assert page.read("received") == pytest.approx(rest[:, 3].mean().item(), abs=6e-4)
    page = open_figure(AttentionViewer(torch.full((T, T), torch.nan), words(T)))
    assert page.text("received") == "NaN"


def test_a_single_key_and_a_single_query(open_figure):
    page = open_figure(AttentionViewer(torch.ones(1, 1)))
    assert "It sees no other key." in page.said and "Its other weights" not in page.said
    page = open_figure(AttentionViewer(weights(1, S), ["w"], words(S)))
    assert "is the highest of all keys" not in page.said


def test_a_key_that_nobody_looks_at(open_figure):
    w = torch.eye(T)[None].roll(1, -1)
    w[0, 1] = w[0, 0]
    page = open_figure(AttentionViewer(w, words(T), query=0, key=2))
    assert page.said.endswith("Key 2 “w2” has weights of 0.000 only.")


def test_what_was_not_kept_is_said(open_figure, long):
    viewer, _ = long
    page = open_figure(viewer)
    kept = kind_of(viewer)["kept"]
    assert f"Stored are the {kept} largest weights of each query" in note(page)
    page.press("map", *["ArrowRight"] * 3)
    texts = {page.text("weight")}
    for _ in range(12):
        page.press("map", "ArrowRight")
        texts.add(page.text("weight"))
    assert "not kept" in texts


NASTY = ["</script><b>x</b>", '"&<img src=x onerror=alert(1)>', "ab" * 40, "العربية", "注意"]


def test_tokens_are_text_and_nothing_else(open_figure):
    page = open_figure(AttentionViewer(weights(T, T), NASTY, query=0, key=2))
    assert page.live and page.page.locator(".ab-card b, .ab-card img").count() == 0
    labels = page.page.locator("svg").last.locator("text").all_text_contents()
    assert "العربية" in labels and "注意" in labels
    titles = page.page.locator("svg").last.locator("title").all_text_contents()
    assert NASTY[0] in titles and NASTY[2] in titles


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_it_fits_a_phone(open_figure, theme):
    viewer = AttentionViewer(weights(4, 12, 60, 60), ["a rather long token"] * 60)
    page = open_figure(viewer, width=390, theme=theme)
    assert page.page.evaluate("document.documentElement.scrollWidth") <= 390


def test_on_a_phone_the_title_of_the_map_is_short(open_figure):
    viewer = AttentionViewer(weights(2, 4, 14, 14))
    for width, axes in ((390, "queries ↓, keys →"), (850, "queries down, keys across")):
        texts = open_figure(viewer, width=width).page.locator("svg text")
        assert f"Layer 1, head 1: {axes}" in texts.all_text_contents()


@pytest.mark.parametrize("layers", [1, 2, 4])
def test_on_a_phone_the_titles_stand_apart(open_figure, layers):
    page = open_figure(AttentionViewer(weights(layers, 2, T, T)), width=390)
    title = page.page.locator("svg text", has_text="heads across").bounding_box()
    below = page.page.locator("svg text", has_text="Layer 1, head 1").bounding_box()
    assert title["y"] + title["height"] <= below["y"] + 1


def test_the_theme_may_change(open_figure):
    page = open_figure(AttentionViewer(weights(T, T)))
    images = "[...document.querySelectorAll('image')].map((i) => i.getAttribute('href'))"
    light = page.page.evaluate(images)
    page.page.evaluate("document.documentElement.dataset.theme = 'dark'")
    page.settle()
    dark = page.page.evaluate(images)
    assert len(light) == len(dark) == 2
    assert all(one != other for one, other in zip(light, dark, strict=True))


# -- maps of any shape, and weights of any size --

SHAPES = [(1, 30), (1, 3000), (9, 1500), (1500, 9)]


def darkest(page, key):
    """How far from white the darkest pixel of a drawn image is, 0 to 1, and which part of it is neither."""
    return page.page.evaluate(
        """async (key) => {
          const images = [...document.querySelectorAll(".ab-stage")].map((one) => one.querySelector("image"));
          const image = images.filter(Boolean)[key];
          const bitmap = await createImageBitmap(await (await fetch(image.getAttribute("href"))).blob());
          const canvas = new OffscreenCanvas(bitmap.width, bitmap.height).getContext("2d");
          canvas.drawImage(bitmap, 0, 0);
          const data = canvas.getImageData(0, 0, bitmap.width, bitmap.height).data;
          let least = 255;
          for (let i = 0; i < data.length; i += 4) if (data[i + 3]) least = Math.min(least, data[i]);
          return 1 - least / 255;
        }""",
        key,
    )


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_maps_of_any_shape_are_seen(open_figure, shape):
    w = weights(2, 3, *shape) if shape[1] < 100 else weights(2, 3, *shape).sqrt()
    w = w / w.sum(-1, keepdim=True)
    T, S = shape
    viewer = AttentionViewer(w, words(T), words(S, "k"), key=S // 2)
    page = open_figure(viewer)
    for image in range(2 + (max(shape) > 64)):
        assert darkest(page, image) > 0.6  # the darkest shade has 75 of 255 red
    page.choose("shade", "weight, 0 to 1")
    if T < 100:
        assert darkest(page, 0) < 0.6
    kept = torch.from_numpy(viewer.weights())
    rows, columns = (page.math("pageOf", T // 2, T, 64), page.math("pageOf", S // 2, S, 64))
    top = kept[slice(*rows), slice(*columns)].max().item()
    page.choose("shade", "weight, 0 to the largest shown")
    label = page.handle("map").get_attribute("aria-label")
    said = float(label.split("Shades from 0 to ")[1].split(". ")[0])
    assert said == pytest.approx(top, rel=6e-3)
    assert page.page.locator('[data-lines="pair"]').count() == 1
    assert page.page.locator('[data-lines="query"], [data-lines="key"]').count() >= 1
    map = page.handle("map").bounding_box()
    least = min(map["width"] / min(S, 64), map["height"] / min(T, 64))
    assert least > 4 and min(map["width"], map["height"]) > 17.9


@pytest.mark.parametrize("size", [(2, 3), (48, 40)])
def test_heads_are_separated_by_lines_of_the_screen(open_figure, size):
    """One pixel or two wherever there are two heads, whatever their maps are."""
    for shape in ((T, S), (1, 30)):
        page = open_figure(AttentionViewer(weights(1, 1, *shape).expand(*size, *shape)))
        lines = page.page.locator(".ab-all path")
        assert 1 <= float(lines.get_attribute("stroke-width")) <= 2
        assert lines.get_attribute("d").count("M") == sum(size) + 2
        tile = page.handle("overview").bounding_box()["width"] / size[1]
        assert tile > 6


def test_numbers_of_many_heads_stand_apart(open_figure, tmp_path):
    viewer = AttentionViewer(weights(1, 1, 4, 4).expand(48, 40, 4, 4), layer=30, head=39)
    page = open_figure(viewer)
    boxes = page.page.evaluate(
        """() => [...document.querySelectorAll(".ab-all text")].slice(1).map((text) => {
          const { left, right, top, bottom } = text.getBoundingClientRect();
          return [text.textContent, left, right, top + 2, bottom - 2];
        })"""
    )
    names = [box[0] for box in boxes]
    assert "30" in names and "39" in names and "1" in names
    for i, (_, left, right, top, bottom) in enumerate(boxes):
        for _, l, r, t, b in boxes[:i]:
            assert right <= l or r <= left or bottom <= t or b <= top
    viewer.save(tmp_path / "it.svg")
    svg = (tmp_path / "it.svg").read_text("utf-8")
    assert ">30<" in svg and ">39<" in svg


@pytest.mark.parametrize("width", [390, 1000])
def test_positions_of_any_number_of_digits_are_read_whole(open_figure, width):
    w = torch.zeros(1, 12000).index_fill(1, torch.arange(10000, 10009), 1 / 9)
    page = open_figure(AttentionViewer(w, ["w"], ["k"] * 12000), width=width)
    cut_off = """() => [...document.querySelectorAll(".ab-list td:first-child")]
      .filter((cell) => cell.scrollWidth > cell.clientWidth).map((cell) => cell.textContent)"""
    assert page.page.evaluate(cut_off) == []
    assert [one[0] for one in listed(page, "top-keys")][:2] == ["10000", "10001"]


def test_the_stored_picture_leaves_wide_characters_their_room(open_figure, tmp_path):
    """Four of them are as broad as eight letters: the map of the window begins where they end."""
    left = {}
    for label in ("abcd", "abcdefgh", "我们看看"):
        viewer = AttentionViewer(weights(1, 1, T, T), [label] * T)
        viewer.save(tmp_path / "it.svg")
        _, window = ET.parse(tmp_path / "it.svg").iter("{http://www.w3.org/2000/svg}image")
        left[label] = float(window.get("x"))
    assert left["我们看看"] == left["abcdefgh"] > left["abcd"]
    page = open_figure(viewer, width=1000)
    page.require_fit()


@pytest.mark.parametrize("width", [390, 1000])
def test_weights_are_read_whole(open_figure, width):
    w = torch.zeros(3, T, T)
    w[0, 0, 0], w[0, 0, 1] = 1, 1e-4
    w[1] = 12345 * w[0]
    for given, least in ((w[:1], "< 0.001"), (w[:2], "< 0.001"), (w - w.roll(1, -1), "> −0.001")):
        page = open_figure(AttentionViewer(given, query=0, head=min(2, len(given))), width=width)
        cut_off = """() => [...document.querySelectorAll(".ab-list tbody td:last-child")]
          .filter((cell) => cell.scrollWidth > cell.clientWidth).map((cell) => cell.textContent)"""
        assert page.page.evaluate(cut_off) == []
        page.press("overview", "ArrowLeft")
        assert least in [one[2] for one in listed(page, "top-keys")]
        assert page.page.evaluate(cut_off) == []


def test_negative_weights_are_drawn_and_named(open_figure, tmp_path):
    """As a difference of two maps has them; −1 is a weight as any other."""
    w = weights(2, H, T, T)
    w[0, 1, 2] = torch.tensor([0.5, -1, 0.25, 0, -0.125])
    viewer = AttentionViewer(w, words(T), head=2, query=2, key=1)
    assert viewer.weights()[2].tolist() == [0.5, -1, 0.25, 0, -0.125]
    page = open_figure(viewer)
    assert "This head has negative weights (ochre)." in note(page)
    assert page.text("weight") == "−1.000"
    assert page.read("weight") == -1
    label = page.handle("map").get_attribute("aria-label")
    assert "Shades from −1 to 1." in label
    assert page.page.locator('[data-lines="pair"]').get_attribute("stroke-dasharray")
    cells = page.math("partOf", kind_of(viewer), 1, 2, [2, 3], [0, T])
    assert cells == [0.5, -1, 0.25, 0, -0.125]
    head = kind_of(viewer)["heads"][0][1]
    small = page.math("mapOf", head["thumb"], head["scale"], head["signed"])
    assert small[2 * T : 3 * T] == pytest.approx([0.5, -1, 0.25, 0, -0.125], abs=0.02)
    page.press("overview", "ArrowLeft")
    assert "ochre" not in note(page)
    viewer.save(tmp_path / "it.svg")
    assert ">−1<" in (tmp_path / "it.svg").read_text("utf-8")


@pytest.mark.parametrize("megabytes", [64, 0.04])
def test_the_weight_farthest_from_0_is_the_one_that_is_named(open_figure, megabytes):
    w = torch.zeros(1, LONG, LONG)
    w[0, 2, 3], w[0, 2, 4], w[0, 5, 3] = -1, 0.5, 0.25
    page = open_figure(AttentionViewer(w, megabytes=megabytes, query=2))
    assert page.state("key") == 3
    assert page.said.startswith("Query 2 “2” gives its weight farthest from 0, −1.000, to key 3 “3”.")
    assert page.said.endswith("Key 3 “3” gets its weight farthest from 0, −1.000, from query 2 “2”.")
    assert listed(page, "top-keys")[:2] == [["3", "3", "−1.000"], ["4", "4", "0.500"]]
    assert [one[2] for one in listed(page, "top-queries")][:2] == ["−1.000", "0.250"]


def test_of_a_long_head_the_negative_weights_are_kept_too(open_figure):
    w = weights(1, LONG, LONG) * 0.01
    w[0, 40, 50], w[0, 41, 51] = -1, -0.5
    viewer = AttentionViewer(w, megabytes=0.04, query=40, key=50)
    kept = viewer.weights()
    assert (kept[40, 50], kept[41, 51]) == (-1, -0.5)
    assert 0.5 < kept.mask.mean() < 1 and not kept.mask[40, 50]
    page = open_figure(viewer)
    assert page.text("weight") == "−1.000"


def test_weights_above_one_are_drawn(open_figure):
    w = weights(1, T, T)
    w[0, 1, 2] = 7
    page = open_figure(AttentionViewer(w, query=1, key=2))
    assert "Shades from 0 to 7." in page.handle("map").get_attribute("aria-label")


def test_a_chosen_pair_without_weight_is_dotted(open_figure, causal):
    page = open_figure(AttentionViewer(*causal, layer=2, head=1, query=2, key=8))
    assert page.text("weight") == "masked"
    pair = page.page.locator('[data-lines="pair"]')
    assert pair.get_attribute("stroke-dasharray") == "2 4"
    page.set(key=0)
    assert pair.get_attribute("stroke-dasharray") is None


# -- sizes --


def test_long_sequences_stay_small(open_figure):
    """What the page holds does not grow with the tokens: neither its elements nor, beyond its limit, its data."""
    w = weights(1, 1, 700, 700).half().expand(3, 4, 700, 700)
    viewer = AttentionViewer(w, words(700), megabytes=1.5)
    html = viewer.to_html(most=None)
    assert 1e6 < len(html) < 1.7e6
    page = open_figure(viewer)
    assert page.page.evaluate("document.querySelectorAll('*').length") < 1200
    small = open_figure(AttentionViewer(weights(3, 4, 60, 60), words(60)))
    assert small.page.evaluate("document.querySelectorAll('*').length") < 1200


def test_a_notebook_keeps_a_picture_if_the_data_are_too_large(open_figure):
    viewer = AttentionViewer(weights(L, H, 400, 400), words(400))
    html = viewer.to_html()
    assert len(html) < 500_000 and "viewer.save" in html
    page = open_figure(viewer)
    assert not page.live and page.page.locator("img").is_visible()


# -- files --


@pytest.fixture
def saved(browser, tmp_path):
    """A function: viewer → a browser page of the file that it saves, without network."""
    contexts, problems = [], []

    def open_one(viewer, **options):
        viewer.save(tmp_path / "attention.html")
        assert [p.name for p in tmp_path.iterdir()] == ["attention.html"]
        context = browser.new_context(offline=True, **options)
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda m: problems.append(m.text))
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.on("request", lambda r: r.url.startswith(("file:", "data:")) or problems.append(r.url))
        page.goto((tmp_path / "attention.html").as_uri())
        return page

    yield open_one
    for context in contexts:
        context.close()
    assert not problems


def test_one_file_holds_everything(saved):
    page = saved(AttentionViewer(weights(L, H, T, T), NASTY, layer=2), color_scheme="dark")
    page.wait_for_selector(".ab-live .ab-card")
    page.locator('[data-handle="map"]').focus()
    page.keyboard.press("ArrowDown")
    assert "Query 3" in page.locator(".ab-said").inner_text()
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"


def test_without_scripts_the_file_shows_its_picture(saved):
    page = saved(AttentionViewer(weights(T, T), NASTY), java_script_enabled=False)
    image = page.locator("img")
    assert image.is_visible() and image.bounding_box()["height"] > 150


def test_the_picture_is_what_is_shown(tmp_path, long):
    viewer, _ = long
    for one in (viewer, AttentionViewer(weights(L, H, T, T), NASTY, query=3, key=4)):
        one.save(tmp_path / "attention.svg")
        root = ET.fromstring((tmp_path / "attention.svg").read_text("utf-8"))
        texts = [node.text for node in root.iter("{http://www.w3.org/2000/svg}text")]
        kind = kind_of(one)
        assert kind["queries"][one.query] in texts
        assert (kind["keys"] or kind["queries"])[one.key] in texts
        assert f"Layer {one.layer}, head {one.head}: queries down, keys across" in texts
        assert len(list(root.iter("{http://www.w3.org/2000/svg}image"))) == 2


PICTURED = {
    "cut": picture._cut,
    "page": lambda *given: [(places := picture.page_of(*given)).start, places.stop],
    "labelled": lambda *given: list(picture._far_apart(*given)),
    "threeDigits": picture._three_digits,
    "smaller": lambda rows, most: picture._smaller(np.array(rows, "f4"), most).tolist(),
}


@pytest.mark.parametrize("name", PICTURED)
def test_the_picture_computes_what_the_figure_does(name):
    """The figure's side of this table is in tests/javascript/viewer.test.mjs."""
    table = json.loads((Path(__file__).parents[1] / "javascript/viewer.json").read_text("utf-8"))[name]
    assert len(table) >= 4
    for given, answer in table:
        assert PICTURED[name](*given) == answer


@pytest.mark.parametrize("n", [T, 600])
def test_the_picture_hatches_what_is_masked_in_a_causal_model(tmp_path, n):
    w = weights(n, n)
    for given, masked in ((w, False), (w.tril() / w.tril().sum(-1, keepdim=True), True)):
        AttentionViewer(given, query=1, key=0).save(tmp_path / "attention.svg")
        images = re.findall(r"image/png;base64,([^\"]+)", (tmp_path / "attention.svg").read_text("utf-8"))
        assert len(images) == 2  # all heads, whose cells overlap if there are many tokens, and one
        for data in images[n > T :]:  # the hatching shows where they are transparent
            opaque = np.asarray(Image.open(io.BytesIO(base64.b64decode(data))))[..., 3] == 255
            assert (opaque == (np.tri(*opaque.shape, dtype=bool) if masked else True)).all()


def test_other_endings_are_an_error(tmp_path):
    with pytest.raises(ValueError, match="writes .html or .svg files, not 'a.png'"):
        AttentionViewer(weights(T, T)).save(tmp_path / "a.png")
