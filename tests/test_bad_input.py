"""The usual wrong inputs, at every public door: an error that says what came and what to do, and nothing half-done."""

import copy
import dataclasses
import json

import pytest
import torch
from torch import nn

from attnbook.attention import (
    AdditiveAttention,
    CrossAttention,
    DebertaPositions,
    DotProductAttention,
    KeyValueCache,
    LearnedPositions,
    LinearScaling,
    MultiHeadAttention,
    MultiplicativeAttention,
    RotaryPositions,
    SelfAttention,
    SeparateHeads,
    SinkAttention,
    T5Positions,
    WideHeads,
    alibi_bias,
    from_binary,
    normalised,
    split_heads,
)
from attnbook.interop import from_huggingface_bert, load_bert
from attnbook.pairs import EfficientGlobalPointer, GlobalPointer
from attnbook.training import CheckpointError, TrainConfig, save_checkpoint, train
from attnbook.training.checkpoint import load_checkpoint
from attnbook.transformer import (
    BertConfig,
    BertEncoder,
    Decoder,
    DecoderLayer,
    Encoder,
    EncoderLayer,
    FeedForward,
    GatedFeedForward,
    LanguageModel,
    LanguageModelConfig,
    Residual,
    Transformer,
    TransformerConfig,
)
from attnbook.translation.recurrent import GRUEncoder
from tensors import says

D, H = 12, 3
X, MEMORY = torch.randn(2, 5, D), torch.randn(2, 7, D)  # five queries, seven keys
IDS = torch.zeros(2, 4, dtype=torch.long)
SIZES = {"d_model": D, "num_heads": H, "d_ff": 16, "dropout": 0.0}
SMALL = TransformerConfig(31, 37, num_encoder_layers=2, num_decoder_layers=2, **SIZES)
LEARNED = dataclasses.replace(SMALL, positions="learned", max_positions=6)
BERT = BertConfig(vocab_size=31, num_layers=2, max_positions=6, **SIZES)
WRITER = LanguageModel(LanguageModelConfig(31, num_layers=2, **SIZES))


def ones(*shape, dtype=torch.bool):
    return torch.ones(*shape, dtype=dtype)


def ids_of(number, length=4):
    return torch.full((2, length), number)


DIVISIBLE = {
    "SeparateHeads": lambda: SeparateHeads(10, 3),
    "MultiHeadAttention": lambda: MultiHeadAttention(10, 3),
    "EncoderLayer": lambda: EncoderLayer(10, 3, 16),
    "DecoderLayer": lambda: DecoderLayer(10, 3, 16),
    "TransformerConfig": lambda: TransformerConfig(d_model=10, num_heads=3),
    "BertConfig": lambda: BertConfig(d_model=10, num_heads=3),
    "DebertaPositions": lambda: DebertaPositions(10, 3, 4),
    "split_heads": lambda: split_heads(torch.randn(2, 5, 10), 3),
}


@pytest.mark.parametrize("make", DIVISIBLE.values(), ids=DIVISIBLE)
def test_a_width_that_heads_cannot_share(make):
    with pytest.raises(ValueError, match=says("d_model 10 is not divisible by num_heads 3", "take")):
        make()


def test_wide_heads_share_nothing_and_so_divide_nothing():
    assert WideHeads(10, 3)(*[torch.randn(2, 5, 10)] * 3)[0].shape == (2, 5, 10)


SWITCHES = {
    "MultiHeadAttention": ("bias", lambda **switch: MultiHeadAttention(D, H, **switch)),
    "its norm": ("qk_norm", lambda **switch: MultiHeadAttention(D, H, **switch)),
    "WideHeads": ("bias", lambda **switch: WideHeads(D, H, **switch)),
    "SeparateHeads": ("bias", lambda **switch: SeparateHeads(D, H, **switch)),
    "SelfAttention": ("causal", lambda **switch: SelfAttention(D, **switch)),
    "SinkAttention": ("learned", lambda **switch: SinkAttention(D, H, **switch)),
    "T5Positions": ("causal", lambda **switch: T5Positions(H, **switch)),
    "FeedForward": ("bias", lambda **switch: FeedForward(D, 16, **switch)),
    "GatedFeedForward": ("bias", lambda **switch: GatedFeedForward(D, 16, **switch)),
    "Residual": ("norm_first", lambda **switch: Residual(D, **switch)),
    "EncoderLayer": ("norm_first", lambda **switch: EncoderLayer(D, H, 16, **switch)),
    "DecoderLayer": ("norm_first", lambda **switch: DecoderLayer(D, H, 16, **switch)),
    "GlobalPointer": ("rotary", lambda **switch: GlobalPointer(D, 2, 4, **switch)),
    "EfficientGlobalPointer": ("rotary", lambda **switch: EfficientGlobalPointer(D, 2, 4, **switch)),
    "GRUEncoder": ("bidirectional", lambda **switch: GRUEncoder(31, D, D, **switch)),
}


@pytest.mark.parametrize(("name", "make"), SWITCHES.values(), ids=SWITCHES)
def test_a_switch_is_true_or_false(name, make):
    make(**{name: True}), make(**{name: False})
    for value, came in (("no", "'no'"), (1, "1"), (None, "None"), (torch.ones(2, 2), "Tensor")):
        with pytest.raises(TypeError, match=f"^{name} must be True or False, got {came}"):
            make(**{name: value})


@pytest.mark.parametrize("bias", [alibi_bias, X, T5Positions(H)], ids=["function", "Tensor", "T5Positions"])
def test_a_bias_on_the_scores_is_no_bias_of_projections(bias):
    kind = type(bias).__name__
    for make in (MultiHeadAttention, lambda d, h, bias: SinkAttention(d, h, learned=True, bias=bias)):
        with pytest.raises(TypeError, match=says(f"got {kind}; a bias on the scores goes into the call")):
            make(D, H, bias=bias)


NO_FUNCTIONS = {
    "a number as scaling": (lambda: RotaryPositions(scaling=8), "scaling must be a function, got int", "LinearScaling"),
    "a class as scaling": (lambda: RotaryPositions(scaling=LinearScaling), "got the class LinearScaling", "(8)"),
    "yes as rotary": (lambda: MultiHeadAttention(D, H, rotary=True), "rotary must be a function, got bool", "pass Rot"),
    "a class as rotary": (lambda: EncoderLayer(D, H, 16, rotary=RotaryPositions), "got the class RotaryPositions", ""),
    "a name as form": (
        lambda: normalised("parallel", X, X, X),
        "form must be a function, got str",
        "pass parallel_mem",
    ),
    "a list as activation": (
        lambda: FeedForward(D, 16, activation=["relu"]),
        "must be a name, one of relu",
        "got list",
    ),
    "a function as activation": (
        lambda: TransformerConfig(activation=torch.relu),
        "activation must be a name",
        "got b",
    ),
}


@pytest.mark.parametrize(("make", "came", "wanted"), NO_FUNCTIONS.values(), ids=NO_FUNCTIONS)
def test_what_is_no_function(make, came, wanted):
    with pytest.raises(TypeError, match=says(came, wanted)):
        make()


VOCABULARY = {
    "source": (lambda: Transformer(SMALL)(ids_of(31), IDS), "the id 31", "vocabulary of 31 (0 … 30)"),
    "target": (lambda: Transformer(SMALL)(IDS, ids_of(37)), "the id 37", "vocabulary of 37 (0 … 36)"),
    "below 0": (lambda: Encoder(SMALL)(ids_of(-1)), "the id -1", "vocabulary of 31"),
    "decoder": (lambda: Decoder(SMALL)(ids_of(40), MEMORY), "the id 40", "vocabulary of 37"),
    "BERT": (lambda: BertEncoder(BERT)(ids_of(30522)), "the id 30522", "another vocabulary?"),
    "segments": (lambda: BertEncoder(BERT)(IDS, segments=ids_of(2)), "segments holds 2",
                 "num_segments is 2; count segments from 0"),
}  # fmt: skip


@pytest.mark.parametrize(("call", "came", "wanted"), VOCABULARY.values(), ids=VOCABULARY)
def test_ids_beyond_the_vocabulary(call, came, wanted):
    with pytest.raises(ValueError, match=says(came, wanted)):
        call()


@pytest.mark.parametrize(
    ("ids", "error", "message"),
    [
        (IDS.float(), TypeError, ("got torch.float32", "convert it with torch.as_tensor(")),
        (IDS.bool(), TypeError, ("got torch.bool",)),
        ([[1, 2]], TypeError, ("got list", "torch.as_tensor(")),
        (IDS[0], ValueError, ("(B, T), got shape (4,)", "[None]")),
    ],
)
@pytest.mark.parametrize(
    ("name", "model"),
    [("source", Encoder(SMALL)), ("target", lambda ids: Decoder(SMALL)(ids, MEMORY)), ("ids", BertEncoder(BERT))],
    ids=["Encoder", "Decoder", "BERT"],
)
def test_what_is_no_batch_of_ids(name, model, ids, error, message):
    with pytest.raises(error, match=says(f"{name} must be", *message)):
        model(ids)


LONG = {
    "encoder": lambda: Encoder(LEARNED)(ids_of(0, 7)),
    "source": lambda: Transformer(LEARNED)(ids_of(0, 7), IDS),
    "target": lambda: Transformer(LEARNED)(IDS, ids_of(0, 7)),
    "positions": lambda: LearnedPositions(6, D)(torch.randn(2, 7, D)),
    "start": lambda: LearnedPositions(6, D)(torch.randn(2, 1, D), start=6),
    "BERT": lambda: BertEncoder(BERT)(ids_of(0, 7)),
}


@pytest.mark.parametrize("call", LONG.values(), ids=LONG)
def test_a_sequence_longer_than_the_learned_positions(call):
    ends, long = "ends at position 6, but only positions 0 to 5", "has 7 tokens, but only 6 positions"
    with pytest.raises(ValueError, match=f"({ends}|{long}) are learned.*cut it"):
        call()


def test_a_decoder_that_has_written_all_its_positions_says_so_and_keeps_its_cache():
    decoder = Decoder(LEARNED).eval()
    cache = decoder.start_cache(MEMORY)
    decoder(ids_of(0, 6), cache=cache)
    with pytest.raises(ValueError, match="ends at position 6, but only positions 0 to 5 are"):
        decoder(ids_of(0, 1), cache=cache)
    assert [layer.own.length for layer in cache] == [6, 6]


# --- masks and sizes -------------------------------------------------------------------------------------------------

ATTENTIONS = {
    "DotProductAttention": lambda **o: DotProductAttention()(X, MEMORY, MEMORY, **o),
    "AdditiveAttention": lambda **o: AdditiveAttention(D, D, 4)(X, MEMORY, MEMORY, **o),
    "MultiplicativeAttention": lambda **o: MultiplicativeAttention(D, D)(X, MEMORY, MEMORY, **o),
    "CrossAttention": lambda **o: CrossAttention(D)(X, MEMORY, **o),
    "WideHeads": lambda **o: WideHeads(D, H)(X, MEMORY, MEMORY, **o),
    "SeparateHeads": lambda **o: SeparateHeads(D, H)(X, MEMORY, MEMORY, **o),
    "MultiHeadAttention": lambda **o: MultiHeadAttention(D, H)(X, MEMORY, **o),
    "with weights": lambda **o: MultiHeadAttention(D, H)(X, MEMORY, need_weights=True, **o),
    "the memory of a DecoderLayer": lambda **o: DecoderLayer(D, H, 16)(
        X, MEMORY, **{"memory_mask" if k == "mask" else "memory_lens": v for k, v in o.items()}),
}  # fmt: skip


each_attention = pytest.mark.parametrize(("name", "call"), ATTENTIONS.items(), ids=ATTENTIONS)


def called(argument, name):
    """A pattern for the beginning of an error: a mask or lengths by the name that they have in the call."""
    own = {"mask": "memory_mask", "valid_lens": "memory_lens"} if name.startswith("the memory of") else {}
    return "^" + own.get(argument, argument) + " "


@each_attention
@pytest.mark.parametrize("shape", [(5, 5), (7, 5), (3, 5, 7), (4, 1, 1, 5, 7)])
def test_a_mask_of_the_wrong_shape(name, call, shape):
    call(mask=ones(5, 7))
    with pytest.raises(
        ValueError, match=called("mask", name) + says("has shape", "does not broadcast", "(queries, keys)")
    ):
        call(mask=ones(*shape))


@each_attention
def test_a_mask_of_padding_is_told_where_its_axis_is_missing(name, call):
    padding = torch.arange(7) < torch.tensor([[7], [3]])
    call(mask=padding[:, None])
    with pytest.raises(
        ValueError, match=called("mask", name) + says("has shape (2, 7)", "one of padding, (B, S), goes in as ")
    ):
        call(mask=padding)


@each_attention
@pytest.mark.parametrize("shape", [(1, 1), (5, 1), (2, 5, 1)])
def test_a_mask_gives_each_key_its_column(name, call, shape):
    with pytest.raises(ValueError, match=called("mask", name) + says("has shape", "one column for 7 keys")):
        call(mask=ones(*shape))


@pytest.mark.parametrize("call", ATTENTIONS.values(), ids=ATTENTIONS)
@pytest.mark.parametrize("shape", [(5, 7), (1, 7), (2, 5, 7), (2, 1, 7), (1, 5, 7)])
def test_a_mask_has_the_axes_that_the_room_names(call, shape):
    def seeded(mask):
        torch.manual_seed(0)  # the layer's weights
        return call(mask=mask)[0]

    mask = torch.rand(shape, generator=torch.Generator().manual_seed(1)) < 0.5
    torch.testing.assert_close(seeded(mask), seeded(mask.expand(2, 5, 7)))
    assert not seeded(mask).equal(seeded(~mask))


@each_attention
@pytest.mark.parametrize(
    "mask",
    [ones(5, 7, dtype=torch.long), ones(5, 7, dtype=torch.uint8), torch.zeros(5, 7)],
    ids=["0/1", "bytes", "additive"],
)
def test_a_mask_of_another_polarity_type(name, call, mask):
    """A 0/1 mask or an additive one would nudge where it should forbid; the message names the converters."""
    own = called("mask", name)
    converters = [f"from_{kind}({own[1:-1]})" for kind in ("binary", "additive", "blocked")]
    with pytest.raises(TypeError, match=own + ".*" + says("True = may attend", *converters)):
        call(mask=mask)


@each_attention
@pytest.mark.parametrize(
    ("lens", "error", "message"),
    [
        (torch.tensor([8, 3]), ValueError, "between 0 and the number of keys, 7; got 8"),
        (torch.tensor([-1, 3]), ValueError, "got -1"),
        (torch.tensor([7.0, 3.0]), TypeError, "must hold integers, got torch.float32; use torch.long"),
        (ones(5, 7), TypeError, "must hold integers, got torch.bool; a mask goes in as "),
        (torch.tensor([7, 3, 1]), ValueError, "must have shape (2,)"),
        ([7, 3], TypeError, "must be a tensor of integers, got list"),
    ],
)
def test_lengths_that_cannot_be(name, call, lens, error, message):
    call(valid_lens=torch.tensor([7, 3]))
    with pytest.raises(error, match=called("valid_lens", name) + ".*" + says(message)):
        call(valid_lens=lens)


@pytest.mark.parametrize(
    ("call", "wanted"),
    [
        (lambda m: SelfAttention(D, causal=True)(X, mask=m), "(2, 5, 5)"),
        (lambda m: EncoderLayer(D, H, 16)(X, mask=m), "(2, 3, 5, 5)"),
        (lambda m: DecoderLayer(D, H, 16)(X, MEMORY, mask=m), "(2, 3, 5, 5)"),
        (lambda m: BertEncoder(BERT)(ids_of(0, 5), mask=m), "(2, 3, 5, 5)"),
    ],
)
def test_masks_of_self_attention(call, wanted):
    with pytest.raises(ValueError, match=says("mask has shape (7, 7)", wanted)):
        call(ones(7, 7))
    with pytest.raises(TypeError, match="bool tensor"):
        call(torch.zeros(5, 5))


@pytest.mark.parametrize("model", [Encoder(SMALL), BertEncoder(BERT), WRITER], ids=lambda model: type(model).__name__)
def test_another_librarys_second_argument_is_not_taken_for_lengths(model):
    """Its 0/1 mask, its segments and its targets are integers (B, T), which a layer reads as one length per query."""
    for other in (IDS, IDS + 1):
        with pytest.raises(ValueError, match=says("shape (2,), one length per text, got (2, 4)", "mask=from_binary(")):
            model(IDS, other)
    lens = torch.tensor([3, 4])
    binary = (torch.arange(4) < lens[:, None]).long()
    both = {"valid_lens": lens}, {"mask": from_binary(binary)[:, None]}
    as_lens, as_mask = (model.eval()(IDS, **one)[0] for one in both)
    torch.testing.assert_close(as_lens, as_mask)
    with pytest.raises(TypeError, match="valid_lens must be a tensor of integers, got list"):
        model(IDS, [3, 4])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: DotProductAttention()(X, MEMORY[..., :7], MEMORY), ("query has size 12, key has size 7",)),
        (lambda: MultiHeadAttention(D, H)(X[..., :7]), ("query has size 7, d_model is 12",)),
        (lambda: MultiHeadAttention(D, H)(X, MEMORY[..., :7]), ("key has size 7, d_model is 12",)),
        (lambda: MultiHeadAttention(D, H)(X, MEMORY, MEMORY[:, :6]), ("keys is 7", "values is 6")),
        (lambda: MultiHeadAttention(D, H)(X, torch.randn(3, 7, D)), ("axes of query are (2,), those of key (3,)",)),
        (lambda: CrossAttention(D)(X, torch.randn(3, 7, D)), ("x holds 2 sequences, memory holds 3 sequences",)),
        (lambda: DecoderLayer(D, H, 16)(X, MEMORY[:, :0]), ("memory holds no key",)),
        (lambda: CrossAttention(D, 9)(X, MEMORY), ("memory has size 12, memory_size is 9",)),
        (lambda: AdditiveAttention(9, D, 4)(X, MEMORY, MEMORY), ("query has size 12, query_size is 9",)),
        (lambda: MultiplicativeAttention(D, 9)(X, MEMORY, MEMORY), ("key has size 12, key_size is 9",)),
        (lambda: DecoderLayer(D, H, 16)(X, MEMORY[..., :7]), ("memory has size 7, d_model is 12",)),
        (lambda: Decoder(SMALL)(IDS, MEMORY[..., :7]), ("memory has size 7, d_model is 12",)),
        (lambda: Decoder(SMALL)(IDS, torch.randn(3, 7, D)), ("target holds 2 sequences, memory holds 3",)),
        (lambda: MultiHeadAttention(D, 4, rotary=RotaryPositions())(X), ("got 3 features", "even head_dim")),
    ],
)  # fmt: skip
def test_queries_and_keys_that_do_not_meet(call, message):
    with pytest.raises(ValueError, match=says(*message)):
        call()


# --- nothing half-done -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "bad",
    [
        {"memory_lens": torch.tensor([8, 1])},
        {"memory_lens": torch.tensor([7.0, 1.0])},
        {"memory_mask": ones(2, 1, 6)},
        {"memory": torch.randn(2, 7, D)},
        {"target": ids_of(37, 1)},
        {"target": torch.zeros(3, 1, dtype=torch.long)},
    ],
    ids=[
        "length beyond the memory",
        "lengths that are no integers",
        "mask of another memory",
        "another memory",
        "unknown word",
        "more sequences than memory",
    ],
)
def test_a_refused_step_leaves_the_cache_as_it_was(bad):
    """Self-attention writes before cross-attention looks at its arguments; what it wrote is then put back."""
    decoder = Decoder(SMALL).eval()
    cache = decoder.start_cache(MEMORY)
    decoder(ids_of(1, 2), cache=cache)
    before = [(layer.own.key, layer.own.value) for layer in cache]
    step = {"target": ids_of(1, 1)}
    with pytest.raises((TypeError, ValueError)):
        decoder(**step | bad, cache=cache)
    for layer, (key, value) in zip(cache, before, strict=True):
        assert layer.own.key is key and layer.own.value is value
    decoder(**step, cache=cache)
    assert [layer.own.length for layer in cache] == [3, 3]


@pytest.mark.parametrize(
    "bad",
    [
        {"mask": ones(5, 5)},
        {"mask": torch.zeros(1, 1)},
        {"memory_mask": ones(5, 5)},
        {"memory_mask": ones(3, 1, 7)},
        {"memory_mask": torch.zeros(1, 7)},
    ],
    ids=str,
)
def test_a_refused_mask_leaves_the_cache_of_a_layer_empty(bad):
    layer = DecoderLayer(D, H, 16)
    cache = layer.start_cache(MEMORY)
    with pytest.raises((TypeError, ValueError), match="mask"):
        layer(X[:, :1], cache=cache, **bad)
    assert cache.own.length == 0
    layer(X[:, :1], memory_mask=ones(2, 1, 7), cache=cache)
    assert cache.own.length == 1


def test_refused_arguments_leave_an_attentions_cache_empty():
    layer, cache = MultiHeadAttention(D, H), KeyValueCache()
    for bad in ({"mask": ones(7, 7)}, {"valid_lens": torch.tensor([6, 1])}, {"bias": X}):
        with pytest.raises(ValueError):
            layer(X, cache=cache, **bad)
        assert cache.length == 0


# --- checkpoints -----------------------------------------------------------------------------------------------------


def linear():
    torch.manual_seed(1)
    return nn.Linear(3, 2)


def loss_fn(model, batch):
    return (model(batch) ** 2).mean()


def batches(epoch):
    return [torch.ones(5, 3)] * 2


@pytest.fixture(scope="module")
def stored(tmp_path_factory):
    path = tmp_path_factory.mktemp("stored") / "model.pt"
    train(linear(), loss_fn, batches, TrainConfig(steps=3), checkpoint=path)
    return load_checkpoint(path)


def put(part, value):
    return lambda state: state.update({part: value})


def other_moments(state):
    for kept in state["optimizer"]["state"].values():
        kept["exp_avg"] = torch.zeros(7)


DAMAGE = {
    "optimizer without groups": (put("optimizer", {}), "cannot be resumed from (KeyError"),
    "optimizer of more weights": (
        lambda s: s["optimizer"]["param_groups"][0]["params"].append(2), "cannot be resumed from (ValueError"),
    "moments of other shapes": (other_moments, "exp_avg has shape (7,)"),
    "no optimizer": (put("optimizer", None), "is damaged (optimizer)"),
    "no schedule": (put("schedule", None), "is damaged (schedule)"),
    "no random numbers": (put("random", [{}]), "cannot be resumed from"),
    "random numbers of another kind": (lambda s: s["random"][0].update(torch=torch.zeros(3)), "cannot be resumed from"),
    "losses that are no numbers": (put("losses", [0.5, "low", 0.25]), "is damaged (losses)"),
    "losses that are no list": (put("losses", None), "is damaged (losses)"),
    "weights that are no tensors": (put("model", {"weight": 1, "bias": 2}), "is damaged (model)"),
    "weights of another model": (put("model", {"x": torch.zeros(2)}), "another configuration"),
    "weights of other shapes": (
        lambda s: s["model"].update(weight=torch.zeros(2, 5)), "weight: (2, 5) there, (2, 3) here"),
    "no configuration": (put("train_config", None), "is damaged (train_config)"),
    "another learning rate": (lambda s: s["train_config"].update(lr=1.0), "lr: 1.0 there, 0.001 here"),
    "sizes of another model": (put("model_config", {"d_model": 5}), "d_model: 5 there, None here"),
}  # fmt: skip


@pytest.mark.parametrize(("damage", "message"), DAMAGE.values(), ids=DAMAGE)
def test_a_checkpoint_is_resumed_whole_or_not_at_all(tmp_path, stored, damage, message):
    """Not a weight, not a random number, and not a byte of the file changes."""
    state, path = copy.deepcopy(stored), tmp_path / "model.pt"
    damage(state)
    save_checkpoint(path, state)
    content, model = path.read_bytes(), linear()
    before = {name: weight.clone() for name, weight in model.state_dict().items()}
    with pytest.raises(CheckpointError, match=says(str(path), message)):
        train(model, loss_fn, batches, TrainConfig(steps=5), checkpoint=path)
    for name, weight in model.state_dict().items():
        assert torch.equal(weight, before[name])
    assert path.read_bytes() == content and list(tmp_path.iterdir()) == [path]


def test_the_same_checkpoint_undamaged_is_resumed(tmp_path, stored):
    path = tmp_path / "model.pt"
    save_checkpoint(path, stored)
    losses = train(linear(), loss_fn, batches, TrainConfig(steps=5), checkpoint=path)
    assert losses == train(linear(), loss_fn, batches, TrainConfig(steps=5))


@pytest.mark.parametrize("content", [[1, 2], 5, "text", {"model": {}}], ids=str)
def test_a_file_that_is_no_checkpoint(tmp_path, content):
    path = tmp_path / "model.pt"
    torch.save(content, path)
    with pytest.raises(CheckpointError, match=says(str(path), "no")):
        load_checkpoint(path)


# --- a BERT in a folder ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["absent", "a file", "empty"])
def test_a_folder_without_a_bert(tmp_path, kind):
    folder = tmp_path / "bert"
    if kind == "a file":
        folder.write_text("no folder")
    if kind == "empty":
        folder.mkdir()
    with pytest.raises(FileNotFoundError, match=says(str(folder), "no config.json", "TIME_FLIES")):
        load_bert(folder)


@pytest.mark.parametrize(
    "config", ["", "[1]", "null", '{"model_type": "bert"}', '{"model_type": "bert", "hidden_size": -1}']
)
def test_a_folder_with_half_a_bert(tmp_path, config):
    (tmp_path / "config.json").write_text(config)
    with pytest.raises(ValueError, match=says(str(tmp_path), "cannot be read", "copy it again")):
        load_bert(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["config.json"]


def test_a_folder_with_one_file_of_two(tmp_path):
    """The weights in shards, as large models come, and one shard is missing."""
    import transformers

    sizes = {"vocab_size": 31, "hidden_size": D, "num_attention_heads": H}
    sizes |= {"intermediate_size": 16, "num_hidden_layers": 2, "max_position_embeddings": 6}
    model = transformers.BertModel(transformers.BertConfig(**sizes))
    model.save_pretrained(tmp_path, max_shard_size="4KB")
    shards = sorted(tmp_path.glob("*.safetensors"))
    assert len(shards) > 1
    expected = from_huggingface_bert(model.eval())(IDS)[0]
    torch.testing.assert_close(load_bert(tmp_path)(IDS)[0], expected)
    shards[-1].unlink()
    with pytest.raises(ValueError, match=says(str(tmp_path), "cannot be read")):
        load_bert(tmp_path)
    index = next(tmp_path.glob("*.index.json"))
    assert json.loads(index.read_text())["weight_map"]
