"""The public doors of transformer and pairs."""

from copy import deepcopy

import torch
from torch import nn

from attnbook import pairs, transformer
from attnbook.attention import KeyValueCache, LinearScaling, MultiHeadAttention, RotaryPositions, causal_mask
from attnbook.transformer import (
    BertConfig,
    DecoderLayerCache,
    FeedForward,
    LanguageModelConfig,
    Residual,
    TransformerConfig,
)
from doors import Door, layer
from tensors import B, S, T, coin, fill, randn

# --- the Transformer -------------------------------------------------------------------------------------------------

F32 = {"dtype": torch.float32}
SMALL = {"d_model": 12, "num_heads": 3, "d_ff": 7}
X, MEMORY = randn(B, T, 12, **F32), randn(B, S, 12, seed=1, **F32)
LENS, KEY_LENS = torch.tensor([3, 4]), torch.tensor([3, 6])
SOURCE, TARGET = torch.tensor([[5, 6, 2, 3, 4], [9, 2, 8, 1, 0]]), torch.tensor([[1, 2, 7], [1, 8, 3]])
OWN = {"valid_lens": LENS, "mask": coin(T, T) | torch.eye(T).bool(), "need_weights": True}
SELF = OWN | {"bias": randn(1, 3, T, T, **F32)}
BLOCK_OPTIONS = {"dropout": 0.5, "activation": "gelu", "norm_first": True, "eps": 0.5}
STACKS = SMALL | {"source_vocab_size": 13, "target_vocab_size": 11, "num_encoder_layers": 1, "num_decoder_layers": 1}
TRANSFORMER = TransformerConfig(**STACKS, positions="learned", max_positions=9)
BERT = {"vocab_size": 13, **SMALL, "num_layers": 1, "max_positions": 9, "num_segments": 3}
WRITER = {"vocab_size": 13, **SMALL, "num_layers": 2, "window": 2}
SEGMENTS = torch.tensor([[0, 0, 1, 1, 2], [0, 1, 1, 0, 0]])
NEW = {"need_weights": True}


def with_cache(name, make, given, *start):
    """A door of a module that goes on from a cache, begun with other positions."""
    module = fill(make()).eval()
    (kind,) = given

    def call(**given):
        cache = module.start_cache(*start) if hasattr(module, "start_cache") else KeyValueCache()
        given[kind] = given[kind][:, :1]
        return module(cache=cache, **given), module(cache=cache, **given)

    return Door(name, call, given, NEW, passes=frozenset({"cache"}))


def reordered(order):
    cache = deepcopy(CACHE)
    cache.reorder(order)
    return cache


def shortened(length):
    cache = deepcopy(CACHE)
    DECODER_LAYER(X, cache=cache)
    cache.shorten(length)
    return cache


ATTENTION, NETWORK = fill(MultiHeadAttention(12, 3)), fill(FeedForward(12, 7))
BLOCK = {"attention": ATTENTION, "feed_forward": NETWORK,
         "around_attention": Residual(12), "around_feed_forward": Residual(12)}  # fmt: skip
DECODER_LAYER = fill(transformer.DecoderLayer(**SMALL)).eval()
DECODER = fill(transformer.Decoder(TRANSFORMER)).eval()
MODEL = fill(transformer.Transformer(TRANSFORMER)).eval()
WRITING = fill(transformer.LanguageModel(LanguageModelConfig(**WRITER))).eval()
CACHE = DECODER_LAYER.start_cache(MEMORY)
ENCODER_GIVEN = {"source": SOURCE}, OWN

TRANSFORMER_DOORS = [
        Door("TransformerConfig", TransformerConfig, STACKS | {"positions": "learned"},
             {"source_vocab_size": 14, "target_vocab_size": 12, "d_model": 24, "num_heads": 2, "d_ff": 5,
              "num_encoder_layers": 2, "num_decoder_layers": 2, "dropout": 0.5, "activation": "gelu",
              "norm_first": True, "positions": "sinusoidal", "max_positions": 30, "tie_output": False},
             lambda c: (fill(made := transformer.Transformer(c))(SOURCE, TARGET, LENS),
                        transformer.count_parameters(made))),
        Door("BertConfig", BertConfig, BERT,
             {"vocab_size": 14, "d_model": 24, "num_heads": 2, "d_ff": 5, "num_layers": 2, "max_positions": 10,
              "num_segments": 4, "dropout": 0.5, "activation": "relu", "eps": 0.5},
             lambda c: (fill(made := transformer.BertEncoder(c))(SOURCE, LENS, SEGMENTS)[0],
                        transformer.count_parameters(made))),
        Door("LanguageModelConfig", LanguageModelConfig, WRITER,
             {"d_model": 24, "num_heads": 6, "d_ff": 5, "num_layers": 3, "vocab_size": 14, "num_kv_heads": 1,
              "head_dim": 6, "dropout": 0.5, "activation": "relu", "gated": False, "norm": "layer",
              "norm_first": False, "eps": 0.5, "qk_norm": True, "attention_bias": True, "feed_forward_bias": True,
              "rotary_base": 7.0, "rotary_scaling": LinearScaling(3.0), "window": 3,
              "global_layers": (1,), "tie_output": False, "scale_embedding": True},
             lambda c: fill(transformer.LanguageModel(c))(SOURCE)[0]),
        Door("LanguageModelConfig", LanguageModelConfig, WRITER, {"positions": "learned"},
             lambda c: fill(transformer.LanguageModel(c))(SOURCE)[0]),
        Door("LanguageModelConfig", LanguageModelConfig, WRITER | {"positions": "learned"}, {"max_positions": 600},
             lambda c: transformer.count_parameters(transformer.LanguageModel(c))),
        *layer(FeedForward, {"d_model": 12, "d_ff": 7}, {"activation": "gelu", "dropout": 0.5, "bias": False},
               {"x": X}, {}),
        Door("FeedForward.hidden", NETWORK.hidden, {"x": X}, {}),
        *layer(transformer.GatedFeedForward, {"d_model": 12, "d_ff": 7},
               {"activation": "relu", "dropout": 0.5, "bias": True}, {"x": X}, {}),
        Door("GatedFeedForward.hidden", fill(transformer.GatedFeedForward(12, 7)).hidden, {"x": X}, {}),
        *layer(Residual, {"d_model": 12}, {"dropout": 0.5, "norm_first": True, "norm": nn.RMSNorm(12)},
               {"x": X, "h": X + 1}, {}),
        Door("Residual.before", Residual(12, norm_first=True).before, {"x": X}, {}),
        Door("Block", lambda **parts: transformer.Block(**deepcopy(parts)), BLOCK, {}, lambda made: made(X)),
        Door("Block.forward", transformer.Block(**BLOCK).eval(), {"x": X}, SELF),
        with_cache("Block.forward", lambda: transformer.Block(**deepcopy(BLOCK)), {"x": X}),
        *layer(transformer.EncoderLayer, SMALL, BLOCK_OPTIONS | {"rotary": RotaryPositions()},
               {"x": X}, SELF),
        with_cache("EncoderLayer.forward", lambda: transformer.EncoderLayer(**SMALL), {"x": X}),
        *layer(transformer.DecoderLayer, SMALL, BLOCK_OPTIONS, {"x": X, "memory": MEMORY},
               {"mask": causal_mask(T), "memory_mask": coin(T, S), "memory_lens": KEY_LENS, "need_weights": True}),
        with_cache("DecoderLayer.forward", lambda: transformer.DecoderLayer(**SMALL), {"x": X}, MEMORY),
        Door("DecoderLayer.start_cache", DECODER_LAYER.start_cache, {"memory": MEMORY}, {}),
        Door("DecoderLayerCache", DecoderLayerCache, {"own": CACHE.own, "across": CACHE.across}, {}),
        Door("DecoderLayerCache.shorten", shortened, {"length": 2}, {}),
        Door("DecoderLayerCache.reorder", reordered, {"order": torch.tensor([1, 1, 0])}, {}),
        *layer(transformer.Encoder, {"config": TRANSFORMER}, {}, {"source": SOURCE}, OWN),
        *layer(transformer.Decoder, {"config": TRANSFORMER}, {}, {"target": TARGET, "memory": MEMORY},
               {"memory_mask": coin(3, S), "memory_lens": KEY_LENS, "need_weights": True}),
        with_cache("Decoder.forward", lambda: transformer.Decoder(TRANSFORMER), {"target": TARGET}, MEMORY),
        Door("Decoder.start_cache", DECODER.start_cache, {"memory": MEMORY}, {}),
        *layer(transformer.Transformer, {"config": TRANSFORMER}, {}, {"source": SOURCE, "target": TARGET},
               {"valid_lens": LENS}),
        Door("Transformer.encode", MODEL.encode, {"source": SOURCE}, {"valid_lens": LENS}),
        *layer(transformer.BertEmbeddings, {"config": BertConfig(**BERT)}, {}, {"ids": SOURCE}, {"segments": SEGMENTS}),
        *layer(transformer.BertEncoder, {"config": BertConfig(**BERT)}, {}, {"ids": SOURCE},
               OWN | {"segments": SEGMENTS}),
        *layer(transformer.LanguageModel, {"config": LanguageModelConfig(**WRITER)}, {}, {"tokens": SOURCE}, OWN),
        with_cache("LanguageModel.forward", lambda: deepcopy(WRITING), {"tokens": SOURCE}),
        Door("LanguageModel.start_cache", WRITING.start_cache, {}, {}),
        Door("count_parameters", transformer.count_parameters, {"module": NETWORK}, {}),
    ]  # fmt: skip

# --- pairs -----------------------------------------------------------------------------------------------------------

SCORES = 3 * randn(B, 3, T, T, **F32)
RIGHT, COUNTS = coin(B, 3, T, T), {"mask": coin(B, 1, T, T, seed=5)}
POINTER = {"d_model": 12, "num_types": 3, "head_dim": 4}
SPANS = [{(0, 1, 2), (2, 0, 0)}, {(1, 4, 4)}]
BIAFFINE = {"query": X, "key": MEMORY, "weight": randn(3, 12, 12, **F32), "w_q": randn(3, 12, **F32),
            "w_k": randn(3, 12, seed=1, **F32), "bias": randn(3, **F32)}  # fmt: skip
PAIRS_DOORS = [
    Door("biaffine_score", pairs.biaffine_score, BIAFFINE, {}),
    *(door for kind in (pairs.Biaffine, pairs.MultiHeadSelection) for door in layer(kind, POINTER, {}, {"x": X}, {})),
    *(door for kind in (pairs.GlobalPointer, pairs.EfficientGlobalPointer)
      for door in layer(kind, POINTER, {"rotary": False}, {"x": X}, {})),
    Door("pair_loss", pairs.pair_loss, {"scores": SCORES, "target": RIGHT}, COUNTS),
    Door("binary_loss", pairs.binary_loss, {"scores": SCORES, "target": RIGHT}, COUNTS),
    Door("span_mask", pairs.span_mask, {"valid_lens": LENS, "length": T}, {}),
    Door("pair_table", pairs.pair_table, {"pairs": SPANS, "num_types": 3, "length": T}, {}),
    Door("pairs_above", pairs.pairs_above, {"scores": SCORES}, COUNTS | {"threshold": 1.0}),
    Door("nested_decode", pairs.nested_decode, {"scores": SCORES[0, 0]}, {"threshold": 1.0}),
    Door("f1_score", pairs.f1_score, {"predicted": SPANS, "gold": SPANS[::-1]}, {}),
]  # fmt: skip
