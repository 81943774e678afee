"""Decoding with a cache, word by word: the book's Transformer and Hugging Face's, with one set of weights.

Marian is Hugging Face's Transformer of 2017: post-LN, ReLU, sinusoids. It puts all sines before all cosines, so it gets
our table of positions.
"""

from typing import TYPE_CHECKING

import torch
from torch import Tensor, nn

from attnbook.attention import sinusoidal_encoding
from attnbook.translation import TransformerTranslator
from tools.benchmarks.family import Bar, Case, Family, Layer, quiet_transformers
from tools.benchmarks.measure import check_same_words, run
from tools.benchmarks.translation import BOS, LAYERS, PAD, PIECES, our_words, random_transformer, ten_words

if TYPE_CHECKING:
    from transformers import EncoderDecoderCache, MarianMTModel

OURS, MARIAN = "TransformerTranslator", "transformers.MarianMTModel"
ENOUGH = 32  # words whose scores are compared


def marian_of(case: Case) -> "MarianMTModel":
    """Hugging Face's model of the case's sizes; no word ends its sentences."""
    transformers = quiet_transformers()
    names = ("attention_heads", "ffn_dim", "layers")
    sizes = dict(zip(names, (case.heads, 4 * case.size, LAYERS), strict=True))
    sides = {f"{s}_{n}": x for s in ("encoder", "decoder") for n, x in sizes.items()}
    return transformers.MarianMTModel(
        transformers.MarianConfig(
            vocab_size=PIECES,
            decoder_vocab_size=PIECES,
            d_model=case.size,
            **sides,
            activation_function="relu",
            dropout=0.0,
            scale_embedding=True,
            share_encoder_decoder_embeddings=False,
            max_position_embeddings=case.length + ENOUGH,
            pad_token_id=PAD,
            decoder_start_token_id=BOS,
            eos_token_id=None,
            forced_eos_token_id=None,
        )
    )


@torch.no_grad()
def copy_to_marian(ours: TransformerTranslator, theirs: "MarianMTModel") -> None:
    """Our weights and our positions."""
    stacks = ((ours.encoder, theirs.model.encoder), (ours.decoder, theirs.model.decoder))
    for mine, other in stacks:
        other.embed_tokens.weight.copy_(mine.embedding.weight)
        places = other.embed_positions.weight
        places.copy_(sinusoidal_encoding(*places.shape))
        for layer, twin in zip(mine.layers, other.layers, strict=True):
            for map_, copy in _maps(layer, twin):
                copy.load_state_dict(map_.state_dict())
            for attention, copy in _attentions(layer, twin):
                for name in ("weight", "bias"):
                    three = getattr(attention.W_qkv, name).chunk(3)
                    for map_, part in zip("qkv", three, strict=True):
                        getattr(getattr(copy, f"{map_}_proj"), name).copy_(part)
                copy.out_proj.load_state_dict(attention.W_o.state_dict())
    theirs.tie_weights()


def _attentions(layer: nn.Module, twin: nn.Module) -> list[tuple]:
    if hasattr(layer, "attention"):
        return [(layer.attention, twin.self_attn)]
    own, across = layer.self_attention, layer.cross_attention
    return [(own, twin.self_attn), (across, twin.encoder_attn)]


def _maps(layer: nn.Module, twin: nn.Module) -> list[tuple]:
    network, after = layer.feed_forward, layer.around_feed_forward.norm
    maps = [(network.W_1, twin.fc1), (network.W_2, twin.fc2)]
    maps += [(after, twin.final_layer_norm)]
    if hasattr(layer, "attention"):
        return maps + [(layer.around_attention.norm, twin.self_attn_layer_norm)]
    return maps + [
        (layer.around_self_attention.norm, twin.self_attn_layer_norm),
        (layer.around_cross_attention.norm, twin.encoder_attn_layer_norm),
    ]


def _empty_cache(model: "MarianMTModel") -> "EncoderDecoderCache":
    from transformers import DynamicCache, EncoderDecoderCache

    own, across = (DynamicCache(config=model.config) for _ in range(2))
    return EncoderDecoderCache(own, across)


def their_words(model: "MarianMTModel", source: Tensor, _: Tensor, number: int) -> Tensor:
    """(B, number) words, in a loop like ours, without what `generate` does beside it."""
    memory, cache = model.get_encoder()(source), _empty_cache(model)
    words, written = source.new_full((len(source), 1), BOS), []
    for _ in range(number):
        asked = {"encoder_outputs": memory, "past_key_values": cache}
        logits = model(decoder_input_ids=words, use_cache=True, **asked).logits
        words = logits.argmax(-1)
        written.append(words)
    return torch.cat(written, dim=1)


def generated_words(model: "MarianMTModel", source: Tensor, _: Tensor, number: int) -> Tensor:
    """The same by `generate`, as one would ask for it."""
    options = {"do_sample": False, "num_beams": 1, "use_cache": True}
    return model.generate(source, max_new_tokens=number, **options)[:, 1:]


def two_models(case: Case, device: str) -> "tuple[TransformerTranslator, MarianMTModel]":
    """Ours and Marian, with one set of weights."""
    ours, theirs = random_transformer(case), marian_of(case)
    copy_to_marian(ours, theirs)
    return ours.to(device), theirs.to(device)


def decoding_layers(case: Case, device: str) -> dict[str, Layer]:
    """As many words as the case is long; all keep keys and values."""
    ours, theirs = two_models(case, device)

    def write(words, model: nn.Module) -> Layer:
        return Layer(lambda *given: words(model, *given, case.length), model)

    return {
        MARIAN: write(their_words, theirs),
        "… by generate()": write(generated_words, theirs),
        OURS: write(our_words, ours),
    }


@torch.no_grad()
def check_decoding(case: Case, device: str) -> None:
    """Require equal scores for 32 random words, given one by one, and then the same words of all three.

    A model with random weights writes one word over and over: that it is the same one says little.

    Raises:
        AssertionError: they differ.
    """
    ours, theirs = (model.eval() for model in two_models(case, device))
    source, lens = ten_words(case, device)
    memory, cache = theirs.get_encoder()(source), _empty_cache(theirs)
    state = ours.start(source, lens)
    make = torch.Generator().manual_seed(0)
    given = torch.randint(4, PIECES, (ENOUGH, case.batch), generator=make)
    for word in given.to(device):
        asked = {"encoder_outputs": memory, "past_key_values": cache}
        logits = theirs(decoder_input_ids=word[:, None], use_cache=True, **asked).logits
        found, _, state = ours.step(word, state)
        torch.testing.assert_close(found, logits[:, -1], atol=1e-4, rtol=1e-4)
    check_same_words(*(run(layer, [source, lens], "decode") for layer in decoding_layers(case, device).values()))


DECODING = Family(
    "cached-decoding",
    (Case(1, 256, 128, 4), Case(1, 1024, 128, 4)),
    decoding_layers,
    ten_words,
    reference=MARIAN,
    bars=(Bar("time", "decode", OURS, MARIAN, 0.75),),
    kinds=("decode",),
    agree=check_decoding,
    weighed=False,
    most_rounds=lambda case: 5,
)
