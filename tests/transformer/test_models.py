"""Whole models: causality, padding, step by step as at once, parameters counted by hand, configurations, errors."""

import dataclasses
import sys
from collections import Counter

import pytest
import torch

from attnbook.attention import KeyValueCache, causal_mask
from attnbook.checks import check_ids
from attnbook.transformer import (
    ACTIVATIONS,
    BERT_BASE,
    PAPER_BASE,
    BertConfig,
    BertEncoder,
    Decoder,
    Encoder,
    LanguageModel,
    LanguageModelConfig,
    Transformer,
    TransformerConfig,
    count_parameters,
)
from tensors import B, S, T, close, fill, says

SMALL = TransformerConfig(
    source_vocab_size=13,
    target_vocab_size=17,
    d_model=12,
    num_heads=3,
    d_ff=19,
    num_encoder_layers=2,
    num_decoder_layers=3,
    max_positions=11,
)
SMALL_BERT = BertConfig(vocab_size=13, d_model=12, num_heads=3, d_ff=19, num_layers=2, max_positions=11)
LENS = torch.tensor([4, 7])
KINDS = pytest.mark.parametrize(
    "options",
    [{}, {"norm_first": True, "positions": "learned"}, {"activation": "gelu", "tie_output": False}],
    ids=["post-LN, sinusoidal", "pre-LN, learned", "gelu, untied"],
)


def ids(length, vocab_size, seed=0):
    generator = torch.Generator().manual_seed(seed)
    return torch.randint(vocab_size, (B, length), generator=generator)


SOURCE, TARGET = ids(S, 13), ids(T, 17, seed=1)


def transformer(**options):
    model = Transformer(dataclasses.replace(SMALL, **options))
    return fill(model).double().eval()


def bert():
    return fill(BertEncoder(SMALL_BERT)).double().eval()


# --- the encoder–decoder ---------------------------------------------------------------------------------------------


@KINDS
def test_one_parallel_pass_is_one_pass_a_word(options):
    """Teacher forcing, with a cache, and anew for every prefix: the same logits."""
    model = transformer(**options)
    logits = model(SOURCE, TARGET, LENS)
    assert logits.shape == (B, T, 17)
    memory, _ = model.encoder(SOURCE, LENS)
    cache = model.decoder.start_cache(memory)
    for t in range(T):
        prefix, _ = model.decoder(TARGET[:, : t + 1], memory, memory_lens=LENS)
        close(prefix, logits[:, : t + 1])
        word = TARGET[:, t : t + 1]
        step, _ = model.decoder(word, memory_lens=LENS, cache=cache)
        close(step, logits[:, t : t + 1])
    assert [layer.own.length for layer in cache] == [T] * SMALL.num_decoder_layers


def test_several_words_at_once_into_a_cache():
    model = transformer()
    logits = model(SOURCE, TARGET, LENS)
    memory, _ = model.encoder(SOURCE, LENS)
    cache = model.decoder.start_cache(memory)
    first, _ = model.decoder(TARGET[:, :2], memory_lens=LENS, cache=cache)
    rest, weights = model.decoder(TARGET[:, 2:], memory_lens=LENS, need_weights=True, cache=cache)
    close(torch.cat([first, rest], dim=1), logits)
    assert weights[0][0].shape == (B, 3, T - 2, T)


@KINDS
def test_no_word_sees_a_later_one(options):
    model = transformer(**options)
    logits = model(SOURCE, TARGET, LENS)
    for t in range(T):
        changed = TARGET.clone()
        changed[:, t] = (changed[:, t] + 1) % 17
        difference = (model(SOURCE, changed, LENS) - logits).abs().amax((0, 2))
        assert (difference[:t] < 1e-12).all() and (difference[t:] > 1e-5).all()


def test_no_gradient_comes_from_a_later_word():
    model, embedded = transformer(), []
    model.decoder.embedding.register_forward_hook(lambda module, arguments, output: embedded.append(output))
    logits = model(SOURCE, TARGET, LENS)
    for t in range(T):
        loss = logits[:, t].square().sum()
        gradient = torch.autograd.grad(loss, embedded[0], retain_graph=True)[0]
        reached = gradient.abs().amax((0, 2))
        assert (reached[t + 1 :] == 0).all() and (reached[: t + 1] > 1e-9).all()


@KINDS
def test_longer_padding_changes_nothing(options):
    model = transformer(**options)
    logits = model(SOURCE, TARGET, LENS)
    noise = ids(3, 13, seed=5)
    longer = torch.cat([SOURCE, noise], dim=1)
    close(model(longer, TARGET, LENS), logits)
    other = SOURCE.clone()
    other[0, 4:] = (other[0, 4:] + 1) % 13  # beyond its length
    close(model(other, TARGET, LENS), logits)
    assert (model(other, TARGET) - logits).abs().max() > 1e-4
    # and padded words after the target's end do not reach the others
    further = torch.cat([TARGET, ids(2, 17, seed=6)], dim=1)
    close(model(SOURCE, further, LENS)[:, :T], logits)


def test_every_sentence_for_itself():
    model = transformer()
    logits = model(SOURCE, TARGET, LENS)
    for b in range(B):
        only = slice(b, b + 1)
        close(model(SOURCE[only], TARGET[only], LENS[only]), logits[only])
        short = model(SOURCE[only, : LENS[b]], TARGET[only])
        close(short, logits[only])


def test_weights_of_every_layer():
    model = transformer()
    memory, own = model.encoder(SOURCE, LENS, need_weights=True)
    logits, both = model.decoder(TARGET, memory, memory_lens=LENS, need_weights=True)
    assert [w.shape for w in own] == [(B, 3, S, S)] * 2
    assert [tuple(w.shape for w in pair) for pair in both] == [((B, 3, T, T), (B, 3, T, S))] * 3
    for weights in (*own, *(w for pair in both for w in pair)):
        close(weights.sum(-1), torch.ones(weights.shape[:-1]).double())
    assert all((w[0, :, :, 4:] == 0).all() for w in own)
    assert all((pair[0].triu(1) == 0).all() for pair in both)
    assert all((pair[1][0, :, :, 4:] == 0).all() for pair in both)
    quiet, none = model.decoder(TARGET, memory, memory_lens=LENS)
    close(quiet, logits)
    assert none is None and model.encoder(SOURCE, LENS)[1] is None


@KINDS
def test_gradient_flows_to_every_parameter(options):
    model = transformer(**options)
    logits = model(SOURCE, TARGET, LENS)
    torch.nn.functional.cross_entropy(logits.flatten(0, 1), TARGET.flatten()).backward()
    for name, parameter in model.named_parameters():
        gradient = parameter.grad
        if name.endswith("W_qkv.bias"):  # no softmax notices the keys' part
            gradient = gradient.view(3, -1)[[0, 2]]
        assert gradient.isfinite().all() and gradient.abs().max() > 1e-9, name


def test_a_source_without_words_gives_finite_logits_and_gradients():
    model = transformer()
    logits = model(SOURCE, TARGET, torch.tensor([0, 7]))
    logits.square().sum().backward()
    assert logits.isfinite().all()
    assert all(p.grad.isfinite().all() for p in model.parameters())


def test_tied_output_is_the_embedding():
    tied, free = transformer(), transformer(tie_output=False)
    assert tied.decoder.head.weight is tied.decoder.embedding.weight
    assert tied.decoder.head.bias is None and free.decoder.head.bias is not None
    difference = count_parameters(free) - count_parameters(tied)
    assert difference == 17 * 12 + 17


def test_embeddings_start_near_one_after_their_factor():
    torch.manual_seed(0)
    model = Encoder(TransformerConfig(source_vocab_size=500, d_model=64, d_ff=8))
    spread = (model.embedding.weight * 8).std().item()
    assert spread == pytest.approx(1, abs=0.05)


def test_dropout_only_while_training():
    model = transformer(dropout=0.5)
    close(model(SOURCE, TARGET, LENS), transformer(dropout=0.0)(SOURCE, TARGET, LENS))
    torch.manual_seed(0)
    first, second = (model.train()(SOURCE, TARGET, LENS) for _ in range(2))
    assert (first - second).abs().max() > 1e-3


def test_half_precision():
    model = transformer()
    expected = model(SOURCE, TARGET, LENS)
    logits = model.to(torch.bfloat16)(SOURCE, TARGET, LENS)
    assert logits.dtype == torch.bfloat16
    close(logits.double(), expected, 0.1)  # five layers of it; logits are near 1


def test_compiles():
    model = transformer(num_encoder_layers=1, num_decoder_layers=1)
    compiled = torch.compile(model, fullgraph=True, backend="eager")
    close(compiled(SOURCE, TARGET, LENS), model(SOURCE, TARGET, LENS))


# --- BERT ------------------------------------------------------------------------------------------------------------


def calls_during(function):
    """How often each function of the package is called."""
    counts = Counter()

    def count(frame, event, _):
        if event == "call" and "attnbook" in frame.f_code.co_filename:
            counts[frame.f_code.co_name] += 1

    sys.setprofile(count)
    try:
        function()
    finally:
        sys.setprofile(None)
    return counts


def test_masks_are_made_and_numbers_read_once_however_deep_the_model_is():
    """Each layer looks at shapes, which costs little; what costs more is done by the model, for all of them."""
    shallow, deep = (transformer(num_encoder_layers=n, num_decoder_layers=n) for n in (1, 5))
    few, many = (calls_during(lambda model=model: model(SOURCE, TARGET, LENS)) for model in (shallow, deep))
    for once in ("check_ids", "check_lengths", "readable", "has_values"):
        assert many[once] == few[once] > 0
    for made_once in ("sequence_mask", "causal_mask"):
        assert many[made_once] == 1
    checks = {name for name in many if "check" in name}
    of_a_pair_of_layers = sum(many[name] - few[name] for name in checks) / 4
    assert 0 < of_a_pair_of_layers <= 70
    assert many["attention_step"] == 15  # every layer did attend


def test_nothing_is_read_from_a_device_in_a_forward_pass():
    """The meta device has no numbers: to read one is an error there, and a wait on a GPU."""
    model = transformer().float().to("meta")
    given_ = (x.to("meta") for x in (SOURCE, TARGET, LENS))
    assert model(*given_).shape == (B, T, 17)
    hidden, _ = bert().float().to("meta")(SOURCE.to("meta"), LENS.to("meta"))
    assert hidden.shape == (B, S, 12)


def test_bert_looks_both_ways_and_at_no_padding():
    model, words = bert(), ids(S, 13)
    hidden, weights = model(words, LENS, need_weights=True)
    assert hidden.shape == (B, S, 12) and len(weights) == 2
    assert (weights[0][1, :, 0] > 0).all() and (weights[0][0, :, :, 4:] == 0).all()
    other = words.clone()
    other[0, 4:] = (other[0, 4:] + 1) % 13
    close(model(other, LENS)[0][0, :4], hidden[0, :4])
    close(model(words, LENS)[0], hidden)
    causal, _ = model(words, mask=causal_mask(S))
    close(model(words[:, :3], mask=causal_mask(3))[0], causal[:, :3])
    assert (causal - hidden).abs().max() > 1e-3


def test_bert_embeddings_are_a_normalised_sum():
    layer, words, segments = bert().embeddings, ids(T, 13), ids(T, 2, seed=3)
    assert segments.unique().tolist() == [0, 1]
    total = torch.zeros(B, T, 12).double()
    for b in range(B):
        for t in range(T):
            total[b, t] = layer.word.weight[words[b, t]] + layer.position.weight[t]
            total[b, t] += layer.segment.weight[segments[b, t]]
    close(layer(words, segments), layer.norm(total))
    close(layer(words), layer(words, torch.zeros_like(words)))
    assert (layer(words, segments) - layer(words)).abs().max() > 1e-3


# --- parameters ------------------------------------------------------------------------------------------------------


def layer_parameters(d, ff, attentions):
    """Each attention 4 d² + 4 d, the network 2 d·ff + d + ff, a norm of 2 d around each."""
    attention = 4 * d * d + 4 * d
    network = 2 * d * ff + d + ff
    return attentions * attention + network + (attentions + 1) * 2 * d


def test_parameters_of_bert_base():
    with torch.device("meta"):
        model = BertEncoder(BERT_BASE)
    embeddings = (30522 + 512 + 2) * 768 + 2 * 768
    total = embeddings + 12 * layer_parameters(768, 3072, attentions=1)
    assert count_parameters(model) == total == 108_891_648
    assert total + 768 * 768 + 768 == 109_482_240  # with the pooler


def test_parameters_of_the_papers_base_model():
    with torch.device("meta"):
        model = Transformer(PAPER_BASE)
    encoder = 6 * layer_parameters(512, 2048, attentions=1)
    decoder = 6 * layer_parameters(512, 2048, attentions=2)
    assert encoder + decoder == 44_138_496
    assert count_parameters(model) == encoder + decoder + 2 * 37000 * 512


def test_parameters_are_counted_once_and_only_if_they_learn():
    layer = torch.nn.Linear(3, 4)
    twice = torch.nn.ModuleList([layer, layer])
    assert count_parameters(twice) == 16
    layer.bias.requires_grad_(False)
    assert count_parameters(twice) == 12


# --- configurations --------------------------------------------------------------------------------------------------


def test_the_papers_sizes():
    paper = dataclasses.asdict(PAPER_BASE)
    sizes = ("d_model", "num_heads", "d_ff", "num_encoder_layers", "num_decoder_layers")
    assert [paper[name] for name in sizes] == [512, 8, 2048, 6, 6]
    assert (PAPER_BASE.dropout, PAPER_BASE.norm_first) == (0.1, False)
    bert = dataclasses.asdict(BERT_BASE)
    sizes = ("vocab_size", "d_model", "num_heads", "d_ff", "num_layers")
    assert [bert[name] for name in sizes] == [30522, 768, 12, 3072, 12]
    assert (BERT_BASE.max_positions, BERT_BASE.eps) == (512, 1e-12)


@pytest.mark.parametrize("config", [SMALL, SMALL_BERT])
def test_configurations_are_frozen_and_know_the_blocks_activations(config):
    with pytest.raises(dataclasses.FrozenInstanceError):
        config.d_model = 8
    assert hash(config) == hash(dataclasses.replace(config))
    for name in ACTIVATIONS:
        assert dataclasses.replace(config, activation=name).activation == name


@pytest.mark.parametrize("config", [SMALL, SMALL_BERT], ids=["Transformer", "BERT"])
@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"d_model": 13}, ValueError, "d_model 13 is not divisible by num_heads 3"),
        ({"d_model": 12.0}, TypeError, "d_model must be an integer, got float"),
        ({"num_heads": 0}, ValueError, "num_heads must be at least 1, got 0"),
        ({"d_ff": -1}, ValueError, "d_ff must be at least 1, got -1"),
        ({"max_positions": 0}, ValueError, "max_positions must be at least 1"),
        ({"dropout": 1.0}, ValueError, "dropout must be at least 0 and below 1"),
        ({"activation": "swish"}, ValueError, "activation must be one of relu, gelu, gelu-tanh, silu, got 'swish'"),
    ],
)  # fmt: skip
def test_wrong_configurations(config, change, error, message):
    with pytest.raises(error, match=message):
        dataclasses.replace(config, **change)


@pytest.mark.parametrize(
    ("config", "change", "error", "message"),
    [
        (SMALL, {"positions": "rotary"}, ValueError, "positions must be one of sinusoidal, learned, got 'rotary'"),
        (SMALL, {"positions": None}, TypeError, "positions must be a name, one of sinusoidal, learned, got NoneType"),
        (SMALL, {"num_encoder_layers": 0}, ValueError, "num_encoder_layers must be at least 1"),
        (SMALL, {"target_vocab_size": 0}, ValueError, "target_vocab_size must be at least 1"),
        (SMALL_BERT, {"num_layers": "2"}, TypeError, "num_layers must be an integer, got str"),
        (SMALL_BERT, {"eps": 0}, ValueError, "eps must be a finite number above 0"),
        (SMALL_BERT, {"eps": torch.tensor(1e-12)}, TypeError, "eps must be a number, got Tensor"),
        (SMALL_BERT, {"dropout": torch.tensor(0.1)}, TypeError, "dropout must be a number, got Tensor"),
    ],
)  # fmt: skip
def test_wrong_configurations_of_one_kind(config, change, error, message):
    with pytest.raises(error, match=message):
        dataclasses.replace(config, **change)


@pytest.mark.parametrize("config", [SMALL, LanguageModelConfig(7)], ids=["Transformer", "language model"])
@pytest.mark.parametrize("value", ["no", 1, 0, None, 1e-5])
def test_a_switch_is_true_or_false(config, value):
    switches = [field.name for field in dataclasses.fields(config) if isinstance(field.default, bool)]
    assert len(switches) >= 2
    for name in switches:
        with pytest.raises(TypeError, match=f"{name} must be True or False, got {value!r}"):
            dataclasses.replace(config, **{name: value})


# --- errors ----------------------------------------------------------------------------------------------------------

LONG = ids(12, 13)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: transformer()(SOURCE + 13, TARGET), ValueError, ("beyond the vocabulary of 13 (0 … 12)",)),
        (lambda: LanguageModel({"vocab_size": 10}), TypeError,
         ("config must be a LanguageModelConfig, got dict; make one with LanguageModelConfig(…)",)),
        (lambda: Encoder(SMALL_BERT), TypeError, ("config must be a TransformerConfig, got BertConfig",)),
        (lambda: Decoder(SMALL_BERT), TypeError, ("config must be a TransformerConfig, got BertConfig",)),
        (lambda: Transformer(TransformerConfig), TypeError, ("config must be a TransformerConfig, got type",)),
        (lambda: BertEncoder(SMALL), TypeError, ("config must be a BertConfig, got TransformerConfig",)),
        (lambda: transformer()(SOURCE, TARGET - 20), ValueError, ("target holds the id -", "vocabulary of 17")),
        (lambda: transformer()(SOURCE[0], TARGET), ValueError, ("source must be (B, T), got shape (7,)", "[None]")),
        (lambda: transformer()(SOURCE.float(), TARGET), TypeError, ("source must be a tensor", "torch.float32")),
        (lambda: transformer()(SOURCE.tolist(), TARGET), TypeError, ("must be a tensor of token ids", "got list")),
        (lambda: transformer()(SOURCE == 0, TARGET), TypeError, ("got torch.bool",)),
        (lambda: transformer()(SOURCE[:1], TARGET), ValueError, ("source holds 1 sequences, target holds 2",)),
        (lambda: transformer()(SOURCE[:, :0], TARGET), ValueError, ("source has shape (2, 0): no token to read",)),
        (lambda: transformer()(SOURCE, TARGET[:, :0]), ValueError, ("target has shape (2, 0): no token to read",)),
        (lambda: bert()(SOURCE[:, :0]), ValueError, ("ids has shape (2, 0): no token to read; pass at least one",)),
        (lambda: count_parameters(5), TypeError, ("module must be a Module, got int; pass a layer or a model",)),
        (lambda: transformer()(SOURCE, TARGET, LENS + 1), ValueError, ("number of keys, 7; got 8",)),
        (lambda: transformer()(SOURCE, TARGET, LENS[:1]), ValueError, ("valid_lens must have shape (2,)",)),
        (lambda: transformer(positions="learned")(LONG, TARGET), ValueError,
         ("ends at position 11, but only positions 0 to 10",)),
        (lambda: bert()(LONG), ValueError, ("the sequence has 12 tokens, but only 11 positions",)),
        (lambda: bert()(SOURCE + 13), ValueError, ("beyond the vocabulary of 13",)),
        (lambda: bert()(SOURCE, segments=SOURCE), ValueError, ("segments holds", "num_segments is 2; count")),
        (lambda: bert()(SOURCE, segments=SOURCE.double()), TypeError, ("segments must hold integers",)),
        (lambda: bert()(SOURCE, segments=SOURCE[:, :1] * 0), ValueError, ("segments has shape (2, 1)", "(2, 7)")),
    ],
)  # fmt: skip
def test_errors(call, error, message):
    with pytest.raises(error, match=says(*message)):
        call()


@pytest.mark.parametrize(("number", "said"), [(1, "1 layer"), (2, "2 layers")])
def test_a_cache_for_another_decoder(number, said):
    decoder = Decoder(SMALL)
    with pytest.raises(ValueError, match=rf"the cache is for {said}, the model has 3; use start_cache\(memory\)"):
        decoder(TARGET, cache=decoder.start_cache(torch.zeros(B, S, 12))[:number])


@pytest.mark.parametrize("option", ["memory", "memory_mask", "memory_lens"])
def test_as_many_arguments_as_layers_are_not_dealt_out(option):
    memory = torch.zeros(B, S, 12)
    given = {"memory": memory, "memory_mask": torch.ones(B, 1, S).bool(), "memory_lens": LENS}
    Decoder(SMALL)(TARGET, **given)
    for entry in (given[option], 3):
        with pytest.raises(TypeError, match=f"^{option} must be a .*, got list"):
            Decoder(SMALL)(TARGET, **given | {option: [entry] * SMALL.num_decoder_layers})


@pytest.mark.parametrize("torn", ["own", "across"])
def test_a_torn_cache_is_refused(torn):
    """An interrupted step has written into some layers; memories of different lengths are no model's."""
    decoder = fill(Decoder(SMALL))
    cache = decoder.start_cache(torch.zeros(B, S, 12))
    decoder(TARGET[:, :2], cache=cache)
    if torn == "own":
        cache[1].own.shorten(1)
    else:
        cache[1].across = decoder.start_cache(torch.zeros(B, S + 1, 12))[1].across
    lengths = [layer.own.length for layer in cache]
    with pytest.raises(ValueError, match="different numbers of positions.*start_cache"):
        decoder(TARGET[:, 2:3], cache=cache)
    assert [layer.own.length for layer in cache] == lengths


@pytest.mark.parametrize("shared", ["own", "across", "both"])
def test_a_cache_that_two_layers_share_is_refused(shared):
    decoder = fill(Decoder(SMALL))
    cache = decoder.start_cache(torch.zeros(B, S, 12))
    if shared == "both":
        cache[-1] = cache[0]
    else:
        setattr(cache[-1], shared, getattr(cache[0], shared))
    with pytest.raises(ValueError, match=f"layers 0 and {len(cache) - 1} share one cache; each needs.*start_cache"):
        decoder(TARGET[:, :1], cache=cache)
    assert cache[0].own.length == 0


@pytest.mark.parametrize("cache", [KeyValueCache(), [KeyValueCache()] * 3])
def test_a_cache_of_another_kind(cache):
    with pytest.raises(TypeError, match="a list.*got KeyValueCache; use start_cache"):
        Decoder(SMALL)(TARGET, cache=cache)


def test_a_wrong_target_is_refused_before_the_source_is_encoded():
    model = transformer()
    model.encoder.register_forward_pre_hook(lambda *_: pytest.fail("the source was encoded"))
    with pytest.raises(ValueError, match="target holds the id -"):
        model(SOURCE, TARGET - 20)


def test_lengths_of_each_source_position_are_not_taken_for_those_of_the_target():
    """With as many target words as source words, their mask would fit the decoder's queries."""
    model, lens = transformer(), torch.full((B, S), S)
    for call in (lambda: model.encode(SOURCE, lens), lambda: model(SOURCE, SOURCE, lens)):  # fmt: skip
        with pytest.raises(ValueError, match="one length per text.*mask=from_binary"):
            call()
    close(model.encode(SOURCE, lens[:, 0])[0], model.encode(SOURCE)[0])


def test_positions_run_out_step_by_step_too():
    decoder = fill(Decoder(dataclasses.replace(SMALL, positions="learned")))
    cache = decoder.start_cache(torch.zeros(B, S, 12))
    decoder(ids(11, 17), cache=cache)
    with pytest.raises(ValueError, match="ends at position 11, but only positions 0 to 10"):
        decoder(TARGET[:, :1], cache=cache)


@pytest.mark.parametrize("which", [Decoder(SMALL), Decoder(SMALL).layers[0]])
def test_a_memory_is_passed_or_it_is_in_the_cache(which):
    memory = torch.zeros(B, S, 12)
    given = TARGET if isinstance(which, Decoder) else torch.zeros(B, T, 12)
    which(given, memory)
    which(given, cache=which.start_cache(memory))
    with pytest.raises(ValueError, match=r"start_cache\(memory\).*neither was passed"):
        which(given)
    with pytest.raises(ValueError, match="both were passed"):
        which(given, memory, cache=which.start_cache(memory))


@pytest.mark.parametrize("dtype", [torch.int64, torch.int32])
def test_ids_of_either_integer_type(dtype):
    check_ids("ids", SOURCE.to(dtype), 13)
    close(bert()(SOURCE.to(dtype))[0], bert()(SOURCE)[0])
    check_ids("ids", SOURCE[:0], 13)


def test_a_pre_ln_stack_ends_with_a_norm_and_a_post_ln_stack_has_had_its_own():
    """Pre-LN's last sum is normalised by nobody else: with a fresh norm, mean 0 and variance 1 at every position."""
    for norm_first in (True, False):
        model = Transformer(dataclasses.replace(SMALL, norm_first=norm_first)).eval()
        kinds = {type(model.encoder.norm).__name__, type(model.decoder.norm).__name__}
        assert kinds == {"LayerNorm" if norm_first else "Identity"}
        memory, _ = model.encoder(SOURCE)
        close(memory.mean(-1), torch.zeros(B, S), 1e-5)
        close(memory.var(-1, correction=0), torch.ones(B, S), 1e-3)
