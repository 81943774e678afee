"""Copied weights: the book's layers against those of PyTorch, d2l and Hugging Face, in values and gradients."""

import json
import shutil

import pytest
import torch
import torch.nn.functional as F
from torch import nn
from torch.nn.utils import parametrizations, prune

from attnbook.attention import (
    AdditiveAttention,
    MultiHeadAttention,
    RotaryPositions,
    SinkAttention,
    causal_mask,
    sequence_mask,
    to_binary,
    to_blocked,
)
from attnbook.interop import (
    TIME_FLIES,
    from_d2l_additive,
    from_d2l_attention,
    from_d2l_encoder_block,
    from_huggingface_bert,
    from_torch_attention,
    from_torch_decoder_layer,
    from_torch_encoder_layer,
    load_bert,
    to_torch_attention,
)
from attnbook.transformer import count_parameters
from tensors import DK, DV, HIDDEN, LENGTHS, TOLERANCE, B, D, H, S, T, close, coin, fill, inputs, randn, says

E, FF = H * D, 17
LENS = torch.tensor(LENGTHS)
DTYPES = pytest.mark.parametrize("dtype", [torch.float64, torch.float32])
MASKS = pytest.mark.parametrize("masks", ["none", "padding", "causal", "both"])


def sequences(*lengths, dtype, grad=True):
    return tuple(randn(B, length, E, seed=seed, dtype=dtype, grad=grad) for seed, length in enumerate(lengths, start=1))


def gradients(output, tensors, seed=9):
    upstream = randn(*output.shape, seed=seed, dtype=output.dtype)
    return torch.autograd.grad((output * upstream).sum(), tensors)


def compare(ours, theirs, tolerance):
    """Equal within the tolerance, which for numbers above 1 is a relative one; and not because all are zero."""
    for got, expected in zip(ours, theirs, strict=True):
        size = expected.abs().max().item()
        assert size > 1e-3
        close(got, expected, tolerance * max(1, size))


def masks_of(masks, num_queries, num_keys):
    """The same masks in the book's words, and in PyTorch's, where True means blocked."""
    ours, theirs = {}, {}
    if masks in ("padding", "both"):
        lengths = LENS.clamp_max(num_keys)
        ours["valid_lens"] = lengths
        theirs["key_padding_mask"] = to_blocked(sequence_mask(lengths, num_keys))
    if masks in ("causal", "both"):
        ours["mask"] = causal_mask(num_queries, num_keys)
        theirs["attn_mask"] = to_blocked(ours["mask"])
    return ours, theirs


# --- PyTorch's multi-head attention ----------------------------------------------------------------------------------


def pair(direction, dtype, bias=True):
    """Our layer and PyTorch's, with the same weights, copied one way or the other."""
    if direction == "from":
        theirs = nn.MultiheadAttention(E, H, bias=bias, batch_first=True)
        theirs = fill(theirs).to(dtype)
        return from_torch_attention(theirs), theirs
    ours = fill(MultiHeadAttention(E, H, bias=bias)).to(dtype)
    return ours, to_torch_attention(ours)


def weights_of(ours, theirs):
    """The parameters of both, in the same order."""
    names = {"W_qkv.weight": "in_proj_weight", "W_qkv.bias": "in_proj_bias"}
    names |= {f"W_o.{kind}": f"out_proj.{kind}" for kind in ("weight", "bias")}
    mine = dict(ours.named_parameters())
    return list(mine.values()), [theirs.get_parameter(names[name]) for name in mine]


@DTYPES
@MASKS
@pytest.mark.parametrize("use", ["self", "cross"])
@pytest.mark.parametrize("direction", ["from", "to"])
def test_multi_head_attention_is_pytorchs(dtype, masks, use, direction):
    """Outputs, every head's weights, and the gradients of inputs and parameters."""
    ours, theirs = pair(direction, dtype)
    mine, other = weights_of(ours, theirs)
    for need_weights in (True, False):
        lengths = (T,) if use == "self" else (T, S, S)
        own, copies = (sequences(*lengths, dtype=dtype) for _ in range(2))
        our_masks, their_masks = masks_of(masks, T, lengths[-1])
        output, weights = ours(*own, need_weights=need_weights, **our_masks)
        copied = copies * 3 if use == "self" else copies
        expected, expected_weights = theirs(*copied, average_attn_weights=False, **their_masks)
        close(output, expected, TOLERANCE[dtype])
        if need_weights:
            close(weights, expected_weights, TOLERANCE[dtype])
        compare(gradients(output, [*own, *mine]), gradients(expected, [*copies, *other]), TOLERANCE[dtype])


@pytest.mark.parametrize("direction", ["from", "to"])
def test_multi_head_attention_without_bias(direction):
    ours, theirs = pair(direction, torch.float64, bias=False)
    assert count_parameters(ours) == count_parameters(theirs) == 4 * E * E
    query, key, value = sequences(T, S, S, dtype=torch.float64)
    close(ours(query, key, value)[0], theirs(query, key, value)[0])


def test_there_and_back_again():
    ours = fill(MultiHeadAttention(E, H, dropout=0.25)).double().eval()
    theirs = to_torch_attention(ours)
    assert theirs.dropout == 0.25 and theirs.batch_first and not theirs.training
    back = from_torch_attention(theirs)
    assert back.dropout.p == 0.25 and not back.training
    assert back.num_heads == H
    for name, weight in ours.state_dict().items():
        assert torch.equal(back.state_dict()[name], weight)
        assert back.state_dict()[name].data_ptr() != weight.data_ptr()


def test_whatever_batch_first_was():
    theirs = fill(nn.MultiheadAttention(E, H)).double()  # (T, B, E)
    (x,) = sequences(T, dtype=torch.float64, grad=False)
    expected = theirs(x.mT.permute(2, 0, 1), x.mT.permute(2, 0, 1), x.mT.permute(2, 0, 1))
    close(from_torch_attention(theirs)(x)[0], expected[0].transpose(0, 1))


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: from_torch_attention(nn.Linear(3, 3)), TypeError, "expected a MultiheadAttention, got Linear"),
        (lambda: from_torch_attention(nn.MultiheadAttention(E, H, kdim=DK)), ValueError, "kdim"),
        (lambda: from_torch_attention(nn.MultiheadAttention(E, H, add_bias_kv=True)), ValueError, "add_bias_kv"),
        (lambda: from_torch_attention(nn.MultiheadAttention(E, H, add_zero_attn=True)), ValueError, "add_zero_attn"),
        (lambda: to_torch_attention(nn.MultiheadAttention(E, H)), TypeError, "expected a MultiHeadAttention"),
        (lambda: to_torch_attention(SinkAttention(E, H, learned=True)), TypeError, "got SinkAttention, whose"),
        (lambda: to_torch_attention(MultiHeadAttention(E, H, num_kv_heads=1)), ValueError, "shared key/value heads"),
        (lambda: to_torch_attention(MultiHeadAttention(E, H, head_dim=5)), ValueError, "num_heads features, not of 5"),
        (lambda: to_torch_attention(MultiHeadAttention(E, H, rotary=RotaryPositions())), ValueError, "rotary"),
        (lambda: to_torch_attention(MultiHeadAttention(E, H, qk_norm=True)), ValueError, "does not normalise"),
    ],
)  # fmt: skip
def test_attentions_without_a_counterpart(call, error, message):
    with pytest.raises(error, match=message):
        call()


# --- PyTorch's Transformer layers ------------------------------------------------------------------------------------


def their_layer(kind, dtype, norm_first, activation, **options):
    sizes = {"d_model": E, "nhead": H, "dim_feedforward": FF, "dropout": 0.25}
    sizes |= {"norm_first": norm_first, "activation": activation, "batch_first": True}
    return fill(kind(**sizes, **options)).to(dtype).eval()


@DTYPES
@pytest.mark.parametrize("norm_first", [True, False])
@pytest.mark.parametrize("activation", ["relu", "gelu"])
@pytest.mark.parametrize("masks", ["none", "both"])
def test_encoder_layer_is_pytorchs(dtype, norm_first, activation, masks):
    theirs = their_layer(nn.TransformerEncoderLayer, dtype, norm_first, activation)
    ours = from_torch_encoder_layer(theirs)
    assert not ours.training and ours.attention.dropout.p == 0.25
    (x,), (copy,) = (sequences(T, dtype=dtype) for _ in range(2))
    our_masks, their_masks = masks_of(masks, T, T)
    if masks == "both":
        padding = their_masks.pop("key_padding_mask")
        their_masks = {"src_mask": their_masks["attn_mask"]}
        their_masks |= {"src_key_padding_mask": padding}
    output, expected = ours(x, **our_masks)[0], theirs(copy, **their_masks)
    close(output, expected, TOLERANCE[dtype] * max(1, expected.abs().max().item()))
    own = list(ours.parameters())
    assert count_parameters(ours) == count_parameters(theirs)
    first, others = theirs.self_attn, (theirs.linear1, theirs.linear2)
    other = [first.in_proj_weight, first.in_proj_bias, *first.out_proj.parameters()]
    for module in (*others, theirs.norm1, theirs.norm2):
        other += module.parameters()
    compare(gradients(output, [x, *own]), gradients(expected, [copy, *other]), TOLERANCE[dtype])


@DTYPES
@pytest.mark.parametrize("norm_first", [True, False])
@pytest.mark.parametrize("activation", ["relu", "gelu"])
def test_decoder_layer_is_pytorchs(dtype, norm_first, activation):
    """Causal in the target, padding in the memory, unequal lengths."""
    theirs = their_layer(nn.TransformerDecoderLayer, dtype, norm_first, activation)
    ours = from_torch_decoder_layer(theirs)
    assert not ours.training and ours.cross_attention.dropout.p == 0.25
    own, copies = (sequences(T, S, dtype=dtype) for _ in range(2))
    memory_mask = coin(T, S, seed=4) | (torch.arange(S) < 2)
    output, _ = ours(*own, memory_lens=LENS, mask=causal_mask(T), memory_mask=memory_mask)
    expected = theirs(
        *copies,
        tgt_mask=to_blocked(causal_mask(T)),
        memory_mask=to_blocked(memory_mask),
        memory_key_padding_mask=to_blocked(sequence_mask(LENS, S)),
    )
    close(output, expected, TOLERANCE[dtype] * max(1, expected.abs().max().item()))
    other = []
    for attention in (theirs.self_attn, theirs.multihead_attn):
        other += [attention.in_proj_weight, attention.in_proj_bias]
        other += attention.out_proj.parameters()
    for name in ("linear1", "linear2", "norm1", "norm2", "norm3"):
        other += theirs.get_submodule(name).parameters()
    compare(gradients(output, [*own, *ours.parameters()]), gradients(expected, [*copies, *other]), TOLERANCE[dtype])


def test_the_norms_epsilon_is_taken_over():
    """Where a vector hardly varies, the epsilon decides."""
    for kind, convert, lengths in (
        (nn.TransformerEncoderLayer, from_torch_encoder_layer, (T,)),
        (nn.TransformerDecoderLayer, from_torch_decoder_layer, (T, S)),
    ):
        theirs = their_layer(kind, torch.float64, True, "relu", layer_norm_eps=0.5)
        x = sequences(*lengths, dtype=torch.float64, grad=False)
        close(convert(theirs)(*x)[0], theirs(*x))


@pytest.mark.parametrize(
    ("kind", "convert"),
    [(nn.TransformerEncoderLayer, from_torch_encoder_layer), (nn.TransformerDecoderLayer, from_torch_decoder_layer)],
)
def test_layers_without_a_counterpart(kind, convert):
    with pytest.raises(TypeError, match=f"expected a {kind.__name__}, got Linear"):
        convert(nn.Linear(3, 3))
    for activation in (F.silu, nn.GELU(approximate="tanh")):
        layer = kind(E, H, FF, activation=activation)
        with pytest.raises(ValueError, match="only relu and the exact gelu"):
            convert(layer)
    with pytest.raises(ValueError, match="bias=False has no counterpart"):
        convert(kind(E, H, FF, bias=False))
    assert convert(kind(E, H, FF, activation=nn.GELU())).training


def gelu(x):
    return F.gelu(x, approximate="tanh")


@pytest.mark.parametrize(
    ("kind", "convert"),
    [(nn.TransformerEncoderLayer, from_torch_encoder_layer), (nn.TransformerDecoderLayer, from_torch_decoder_layer)],
)
def test_layers_that_compute_something_else(kind, convert):
    """A name, or a weight of the same shape, is not enough; and each norm's epsilon is its own."""
    with pytest.raises(ValueError, match="only relu and the exact gelu"):
        convert(kind(E, H, FF, activation=gelu))

    class Louder(kind):
        def forward(self, *arguments, **options):
            return 2 * super().forward(*arguments, **options)

    with pytest.raises(TypeError, match=r"got Louder, whose forward\(\) is its own"):
        convert(Louder(E, H, FF))
    layer = kind(E, H, FF)
    layer.linear2 = Adapted(layer.linear2)
    with pytest.raises(TypeError, match="Linear, got Adapted; merge adapters"):
        convert(layer)
    layer = kind(E, H, FF)
    layer.norm2 = nn.LayerNorm(E, bias=False)
    with pytest.raises(ValueError, match="LayerNorm without bias has no counterpart"):
        convert(layer)
    layer = their_layer(kind, torch.float64, False, "relu")
    layer.norm2.eps = 0.5
    (x, y) = sequences(T, S, dtype=torch.float64)
    both = (x,) if kind is nn.TransformerEncoderLayer else (x, y)
    close(convert(layer)(*both)[0], layer(*both), 1e-10)


# --- d2l -------------------------------------------------------------------------------------------------------------


@DTYPES
@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("lengths", [None, LENGTHS, ((1, 7, 3, 2, 5), (4, 2, 6, 1, 3))], ids=str)
def test_multi_head_attention_is_d2ls(d2l, dtype, bias, lengths):
    theirs = d2l.MultiHeadAttention(E, H, dropout=0.25, bias=bias).eval().to(dtype)
    own, copies = (sequences(T, S, S, dtype=dtype) for _ in range(2))
    lengths = None if lengths is None else torch.tensor(lengths)
    theirs(*copies, lengths)  # makes its weights
    fill(theirs)
    ours = from_d2l_attention(theirs)
    assert ours.dropout.p == 0.25 and not ours.training
    output, weights = ours(*own, lengths, need_weights=True)
    expected = theirs(*copies, lengths)
    close(output, expected, TOLERANCE[dtype])
    their_weights = theirs.attention.attention_weights.unflatten(0, (B, H))
    close(weights, their_weights, TOLERANCE[dtype])
    close(ours(*own, lengths)[0], expected, TOLERANCE[dtype])
    mine = gradients(output, [*own, ours.W_qkv.weight, ours.W_o.weight])
    other = gradients(expected, [*copies, *(theirs.get_parameter(f"W_{x}.weight") for x in "qkvo")])
    stacked = (*other[:3], torch.cat(other[3:6]), other[6])
    compare(mine, stacked, TOLERANCE[dtype])


@DTYPES
def test_additive_attention_is_d2ls(d2l, dtype):
    theirs = d2l.AdditiveAttention(HIDDEN, dropout=0.25).eval().to(dtype)
    own = inputs(key_size=DK, dtype=dtype)
    theirs(*own, LENS)
    fill(theirs)
    ours = from_d2l_additive(theirs)
    assert isinstance(ours, AdditiveAttention)
    assert ours.dropout.p == 0.25 and not ours.training
    output, _ = ours(*own, LENS)
    assert output.dtype == dtype and output.shape == (B, T, DV)
    close(output, theirs(*own, LENS), TOLERANCE[dtype])
    for name, weight in theirs.state_dict().items():
        assert torch.equal(ours.state_dict()[name], weight)  # to the last digit


@DTYPES
@pytest.mark.parametrize("lengths", [None, (3, 4), ((1, 2, 3, 2, 5), (4, 2, 1, 1, 3))], ids=str)
def test_encoder_layer_is_d2ls(d2l, dtype, lengths):
    theirs = d2l.TransformerEncoderBlock(E, FF, H, dropout=0.25, use_bias=True)
    theirs = theirs.to(dtype).eval()
    (x,), (other,) = (sequences(T, dtype=dtype) for _ in range(2))
    lengths = None if lengths is None else torch.tensor(lengths)
    theirs(other, lengths)  # makes its weights
    fill(theirs)
    with torch.no_grad():  # its norms are called ln: fill takes them for maps
        theirs.addnorm1.ln.weight.add_(1)
        theirs.addnorm2.ln.weight.add_(1)
    ours = from_d2l_encoder_block(theirs)
    assert not ours.training and ours.attention.dropout.p == 0.25
    assert ours.around_attention.dropout.p == 0.25
    assert count_parameters(ours) == count_parameters(theirs)
    output, weights = ours(x, lengths, need_weights=True)
    expected = theirs(other, lengths)
    close(output, expected, TOLERANCE[dtype] * max(1, expected.abs().max().item()))
    their_weights = theirs.attention.attention.attention_weights.unflatten(0, (B, H))
    close(weights, their_weights, TOLERANCE[dtype])
    compare(gradients(output, [x]), gradients(expected, [other]), TOLERANCE[dtype])
    mine = [ours.feed_forward.W_1.weight, ours.around_attention.norm.bias]
    others = [theirs.ffn.dense1.weight, theirs.addnorm1.ln.bias]
    compare(gradients(ours(x, lengths)[0], mine), gradients(theirs(other, lengths), others), TOLERANCE[dtype])


def test_layers_of_other_libraries_are_not_d2ls(d2l):
    class Louder(d2l.MultiHeadAttention):
        def forward(self, *arguments):
            return 2 * super().forward(*arguments)

    for convert, name in (
        (from_d2l_attention, "MultiHeadAttention"),
        (from_d2l_additive, "AdditiveAttention"),
        (from_d2l_encoder_block, "TransformerEncoderBlock"),
    ):
        own = AdditiveAttention(DK, DK, HIDDEN)
        for layer in (nn.MultiheadAttention(E, H), MultiHeadAttention(E, H), own):
            came = f"expected a d2l.{name}, got {type(layer).__name__}"
            with pytest.raises(TypeError, match=came):
                convert(layer)
    with pytest.raises(TypeError, match=r"got Louder, whose forward\(\) is its own"):
        from_d2l_attention(Louder(E, H, dropout=0))
    scored = d2l.MultiHeadAttention(E, H, dropout=0)
    scored.attention = d2l.AdditiveAttention(HIDDEN, dropout=0)
    scored(*sequences(T, T, T, dtype=torch.float32), None)
    with pytest.raises(TypeError, match="DotProductAttention, got AdditiveAttention"):
        from_d2l_attention(scored)


def test_d2l_blocks_that_cannot_be_copied(d2l):
    (x,) = sequences(T, dtype=torch.float32)
    with pytest.raises(TypeError, match="expected a d2l.TransformerEncoderBlock, got Linear"):
        from_d2l_encoder_block(nn.Linear(3, 3))
    block = d2l.TransformerEncoderBlock(E, FF, H, dropout=0)
    with pytest.raises(ValueError, match="has no weights yet: .* call it once"):
        from_d2l_encoder_block(block)
    block(x, None)
    with pytest.raises(ValueError, match="use_bias=False has no counterpart"):
        from_d2l_encoder_block(block)


def test_d2l_layers_that_cannot_be_copied(d2l):
    for layer, convert in (
        (d2l.MultiHeadAttention(E, H, dropout=0), from_d2l_attention),
        (d2l.AdditiveAttention(HIDDEN, dropout=0), from_d2l_additive),
    ):
        with pytest.raises(ValueError, match="has no weights yet: .* call it once"):
            convert(layer)
    layer = d2l.MultiHeadAttention(E, H, dropout=0)
    layer(*(randn(B, n, DK, dtype=torch.float32) for n in (T, S, S)), None)
    with pytest.raises(ValueError, match=says("sizes [19, 19, 19]", "num_hiddens, 33")):
        from_d2l_attention(layer)


# --- Hugging Face's BERT ---------------------------------------------------------------------------------------------


def their_bert(**options):
    """A small BERT, made at random: nothing is downloaded."""
    from transformers import BertConfig, BertModel

    sizes = {"vocab_size": 31, "hidden_size": 12, "num_attention_heads": 3}
    sizes |= {"intermediate_size": 19, "num_hidden_layers": 2}
    sizes |= {"max_position_embeddings": 11, "attn_implementation": "eager"}
    return fill(BertModel(BertConfig(**(sizes | options)))).eval()


def words():
    generator = torch.Generator().manual_seed(0)
    ids = torch.randint(31, (B, S), generator=generator)
    return ids, torch.randint(2, (B, S), generator=generator)


@DTYPES
@pytest.mark.parametrize("activation", ["gelu", "relu"])
def test_bert_is_hugging_faces(dtype, activation):
    """All hidden states, all attentions, and the gradients of all parameters."""
    theirs = their_bert(hidden_act=activation).to(dtype)
    ours, (ids, segments) = from_huggingface_bert(theirs), words()
    assert not ours.training
    states, hooks = [], [ours.embeddings, *ours.layers]
    for module in hooks:
        module.register_forward_hook(
            lambda module, arguments, output: states.append(output[0] if isinstance(output, tuple) else output)
        )
    output, weights = ours(ids, LENS, segments, need_weights=True)
    expected = theirs(
        ids,
        attention_mask=to_binary(sequence_mask(LENS, S)),
        token_type_ids=segments,
        output_hidden_states=True,
        output_attentions=True,
    )
    tolerance = 4 * TOLERANCE[dtype]  # four sublayers, each after the other
    close(output, expected.last_hidden_state, tolerance)
    compare(states, expected.hidden_states, tolerance)
    compare(weights, expected.attentions, tolerance)
    close(ours(ids, LENS, segments)[0], output, tolerance)

    mine = dict(ours.named_parameters())
    found = dict(zip(mine, gradients(output, list(mine.values())), strict=True))
    other = {n: p for n, p in theirs.named_parameters() if "pooler" not in n}
    upstream = gradients(expected.last_hidden_state, list(other.values()))
    other = dict(zip(other, upstream, strict=True))
    tolerance *= max(1, max(g.abs().max().item() for g in upstream))
    for number in range(2):
        own, layer = f"layers.{number}", f"encoder.layer.{number}"
        for kind in ("weight", "bias"):
            names = (f"{layer}.attention.self.{x}.{kind}" for x in ("query", "key", "value"))
            stacked = torch.cat([other.pop(name) for name in names])
            close(found.pop(f"{own}.attention.W_qkv.{kind}"), stacked, tolerance)
            for name, twin in {
                "attention.W_o": "attention.output.dense",
                "around_attention.norm": "attention.output.LayerNorm",
                "feed_forward.W_1": "intermediate.dense",
                "feed_forward.W_2": "output.dense",
                "around_feed_forward.norm": "output.LayerNorm",
            }.items():
                got, wanted = f"{own}.{name}.{kind}", f"{layer}.{twin}.{kind}"
                close(found.pop(got), other.pop(wanted), tolerance)
    for got, wanted in zip(found.values(), other.values(), strict=True):
        close(got, wanted, tolerance)  # the embeddings, in the same order


def test_bert_base_has_as_many_parameters_as_hugging_faces():
    from transformers import BertConfig, BertModel

    with torch.device("meta"):
        theirs, without = BertModel(BertConfig()), BertModel(BertConfig(), False)
        ours = from_huggingface_bert(without)
    assert count_parameters(theirs) == 109_482_240
    assert count_parameters(without) == count_parameters(ours) == 108_891_648


def test_berts_without_a_counterpart():
    with pytest.raises(ValueError, match="activation must be one of relu, gelu, gelu-tanh, silu, got 'gelu_new'"):
        from_huggingface_bert(their_bert(hidden_act="gelu_new"))
    with pytest.raises(ValueError, match="this BERT has a decoder"):
        from_huggingface_bert(their_bert(is_decoder=True))
    with pytest.raises(TypeError, match="BertModel, RobertaModel, .*; got Linear"):
        from_huggingface_bert(nn.Linear(3, 3))


KIN = ["bert", "roberta", "xlm-roberta", "camembert", "data2vec-text"]


@pytest.mark.parametrize("padding", [1, 3])
@pytest.mark.parametrize("model_type", KIN)
def test_the_kin_of_bert(model_type, padding, tmp_path):
    """RoBERTa's positions begin after the id of its padding; with that, it is a BERT. Out of a folder, too."""
    from transformers import AutoConfig, AutoModel

    sizes = their_bert().config.to_dict() | {"pad_token_id": padding}
    sizes = {k: v for k, v in sizes.items() if k not in ("model_type", "dtype")}
    sizes["max_position_embeddings"] = S + padding + 1
    config = AutoConfig.for_model(model_type, **sizes)
    theirs = fill(AutoModel.from_config(config, attn_implementation="eager")).eval()
    ids = 7 + torch.arange(B * S).view(B, S) % 20
    ids[sequence_mask(LENS, S).logical_not()] = padding
    expected = theirs(ids, attention_mask=to_binary(sequence_mask(LENS, S)), output_attentions=True)
    theirs.save_pretrained(tmp_path)
    for ours in (from_huggingface_bert(theirs), load_bert(tmp_path)):
        output, weights = ours(ids, LENS, need_weights=True)
        real = sequence_mask(LENS, S)
        close(output[real], expected.last_hidden_state[real], 4e-5)
        for got, wanted in zip(weights, expected.attentions, strict=True):
            rows = real[:, None, :, None]
            close(got * rows, wanted * rows, 4e-5)

    theirs = theirs.double()
    ours = from_huggingface_bert(theirs)
    (ours(ids, LENS)[0][real] ** 2).sum().backward()
    (theirs(ids, attention_mask=to_binary(real)).last_hidden_state[real] ** 2).sum().backward()
    place = theirs.embeddings.position_embeddings.weight.grad[0 if model_type == "bert" else padding + 1 :]
    close(ours.embeddings.position.weight.grad, place, 1e-9)
    close(ours.embeddings.word.weight.grad, theirs.embeddings.word_embeddings.weight.grad, 1e-9)
    for mine, layer in zip(ours.layers, theirs.encoder.layer, strict=True):
        maps = [getattr(layer.attention.self, name).weight.grad for name in ("query", "key", "value")]
        close(mine.attention.W_qkv.weight.grad, torch.cat(maps), 1e-9)
        close(mine.feed_forward.W_2.bias.grad, layer.output.dense.bias.grad, 1e-9)


NO_KIN = ["albert", "bert-generation", "big_bird", "deberta", "deberta-v2", "distilbert", "electra", "ernie", "gpt2"]
NO_KIN += ["ibert", "layoutlm", "longformer", "megatron-bert", "mpnet", "nystromformer", "rembert", "roformer"]
NO_KIN += ["roberta-prelayernorm", "splinter", "squeezebert", "t5", "xlm", "xlm-roberta-xl", "xmod", "yoso"]


@pytest.mark.parametrize("model_type", NO_KIN)
def test_models_that_only_look_like_a_bert(model_type):
    """Whatever their parts are called, they compute something else."""
    from transformers import AutoConfig, AutoModel

    options = {"xmod": {"languages": ["en_XX"]}}.get(model_type, {})
    with torch.device("meta"):
        theirs = AutoModel.from_config(AutoConfig.for_model(model_type, **options))
    came = f"got {type(theirs).__name__} of model_type {model_type!r}"
    with pytest.raises(TypeError, match=says("RobertaModel", came)):
        from_huggingface_bert(theirs)


class Adapted(nn.Module):
    """As adapters are put around a map: it has the map's weight and bias, and adds something to its output."""

    def __init__(self, inner):
        super().__init__()
        self.inner = inner

    weight = property(lambda self: self.inner.weight)
    bias = property(lambda self: self.inner.bias)

    def forward(self, x):
        return self.inner(x) + 1


def test_models_whose_parts_compute_something_else():
    from transformers import BertForMaskedLM, BertModel

    masked = BertForMaskedLM(their_bert().config)
    with pytest.raises(TypeError, match="got BertForMaskedLM; pass its .bert"):
        from_huggingface_bert(masked)
    from_huggingface_bert(masked.bert)

    class Longer(BertModel):
        def forward(self, *arguments, **options):
            return super().forward(*arguments, **options)

    with pytest.raises(TypeError, match=r"got Longer, whose forward\(\) is its own"):
        from_huggingface_bert(Longer(their_bert().config))
    for part, of in (
        ("query", lambda layer: layer.attention.self),
        ("dense", lambda layer: layer.attention.output),
        ("dense", lambda layer: layer.intermediate),
    ):
        theirs = their_bert()
        parent = of(theirs.encoder.layer[1])
        setattr(parent, part, Adapted(getattr(parent, part)))
        with pytest.raises(TypeError, match="Linear, got Adapted; merge adapters"):
            from_huggingface_bert(theirs)
    theirs = their_bert()
    theirs.encoder.layer[0].intermediate.intermediate_act_fn = nn.ReLU()
    with pytest.raises(TypeError, match="GELUActivation, got ReLU;.* put back other parts"):
        from_huggingface_bert(theirs)

    class Doubled(type(theirs.encoder.layer[0].attention.self)):
        def forward(self, *arguments, **options):
            output, *rest = super().forward(*arguments, **options)
            return 2 * output, *rest

    theirs = their_bert()
    theirs.encoder.layer[1].attention.self.__class__ = Doubled
    with pytest.raises(TypeError, match=r"got Doubled, whose forward\(\) is its own; merge adapters"):
        from_huggingface_bert(theirs)
    theirs = their_bert()
    theirs.encoder.layer[1].output.dense = type("Linear", (nn.Module,), {})()  # as quantised ones are called
    with pytest.raises(TypeError, match=rf"expected a Linear, got {__name__}\.Linear; merge"):
        from_huggingface_bert(theirs)


def test_weights_that_a_hook_makes_may_be_those_of_the_last_call():
    ours, theirs = MultiHeadAttention(E, H), nn.MultiheadAttention(E, H)
    prune.l1_unstructured(ours.W_qkv, "weight", amount=0.3)
    with pytest.raises(TypeError, match="^weight of the Linear is made anew before each call"):
        to_torch_attention(ours)
    prune.remove(ours.W_qkv, "weight")
    to_torch_attention(ours)
    prune.l1_unstructured(theirs, "in_proj_weight", amount=0.3)
    with pytest.raises(TypeError, match="^in_proj_weight of the MultiheadAttention is made anew"):
        from_torch_attention(theirs)
    theirs = their_bert()
    prune.l1_unstructured(theirs.encoder.layer[1].output.dense, "weight", amount=0.3)
    with pytest.raises(TypeError, match="^weight of the Linear is made anew"):
        from_huggingface_bert(theirs)
    theirs = nn.MultiheadAttention(E, H, batch_first=True)  # made anew whenever it is read
    parametrizations.weight_norm(theirs.out_proj)
    with torch.no_grad():
        theirs.out_proj.parametrizations.weight.original1.mul_(2).add_(0.1)
    x = randn(B, T, E, dtype=torch.float32)
    close(from_torch_attention(theirs)(x)[0], theirs(x, x, x)[0], 1e-5)


def test_a_bert_that_has_lost_its_last_layer():
    theirs, (ids, segments) = their_bert(num_hidden_layers=3), words()
    theirs.encoder.layer = theirs.encoder.layer[:2]
    expected = theirs(ids, token_type_ids=segments).last_hidden_state
    close(from_huggingface_bert(theirs)(ids, segments=segments)[0], expected, 4e-5)


def test_both_dropout_probabilities_are_taken_over():
    theirs = their_bert(hidden_dropout_prob=0.3, attention_probs_dropout_prob=0.2)
    ours = from_huggingface_bert(theirs)
    assert ours.config.dropout == 0.3 and ours.layers[0].attention.dropout.p == 0.2


def test_the_sentence_of_chapter_6():
    sentence, ids = TIME_FLIES
    ids = torch.tensor(ids)
    assert ids.shape == (1, len(sentence.split()))
    assert 0 <= int(ids.min()) <= int(ids.max()) < 30522


# --- a BERT in a folder ----------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    folder = tmp_path_factory.mktemp("bert")
    model = their_bert()
    model.save_pretrained(folder)
    return folder, model


@pytest.fixture
def copy(saved, tmp_path):
    """A copy of the folder, to be damaged."""
    return shutil.copytree(saved[0], tmp_path / "copy")


def test_a_saved_bert_comes_back(saved, capfd):
    folder, theirs = saved
    capfd.readouterr()
    ours, (ids, segments) = load_bert(folder), words()
    assert capfd.readouterr() == ("", "")  # a page shows no progress bar
    assert not ours.training
    expected = theirs(ids, token_type_ids=segments).last_hidden_state
    close(ours(ids, segments=segments)[0], expected, 4e-5)
    assert load_bert(str(folder)).config == ours.config


def test_a_bert_saved_inside_another_model(tmp_path):
    """What is on the hub under bert-base-uncased has the heads of its pretraining around it."""
    from transformers import BertForMaskedLM

    whole = BertForMaskedLM(their_bert().config).eval()
    whole.save_pretrained(tmp_path)
    ids, _ = words()
    expected = whole.bert(ids).last_hidden_state
    close(load_bert(tmp_path)(ids)[0], expected, 4e-5)


def test_a_missing_folder(tmp_path):
    for folder in (tmp_path / "nowhere", tmp_path):
        with pytest.raises(FileNotFoundError, match=says(str(folder), "no config.json", "TIME_FLIES")):
            load_bert(folder)


def truncated(folder):
    weights = folder / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:-100])


def header_gone(folder):
    (folder / "model.safetensors").write_bytes(b"no such thing as a header")


def without_weights(folder):
    (folder / "model.safetensors").unlink()


def broken_config(folder):
    (folder / "config.json").write_text("{")


def another_kind(folder):
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps(config | {"model_type": "gpt2"}))


def other_sizes(folder):
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps(config | {"hidden_size": 24}))


def more_layers(folder):
    config = json.loads((folder / "config.json").read_text())
    config["num_hidden_layers"] = 3
    (folder / "config.json").write_text(json.dumps(config))


@pytest.mark.parametrize(
    ("damage", "reason"),
    [
        (truncated, ""),
        (header_gone, ""),
        (without_weights, "model.safetensors"),
        (broken_config, ""),
        (another_kind, "a model of type gpt2, not bert"),
        (other_sizes, ""),
        (more_layers, "16 weights are missing, encoder.layer.2"),
    ],
)
def test_a_damaged_folder(copy, damage, reason):
    damage(copy)
    with pytest.raises(ValueError, match=says(str(copy), "cannot be read", reason, "copy it again")):
        load_bert(copy)


def test_without_transformers_it_says_what_to_install(copy, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "transformers", None)
    with pytest.raises(ImportError, match="needs transformers; pip install"):
        load_bert(copy)
