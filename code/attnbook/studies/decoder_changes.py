"""A small language model from the block of 2017 to today's, one change after another."""

from functools import cache

import torch
from torch import Tensor, nn

from attnbook.language import (
    described_loss,
    held_out_loss,
    next_token_loss,
    random_pieces,
    split_book,
)
from attnbook.reproducible import seed_everything
from attnbook.text import ByteVocabulary
from attnbook.training import TrainConfig, make_fabric, train
from attnbook.transformer import LanguageModel, LanguageModelConfig

#: Sizes and choices of the block of 2017: the Transformer's encoder layer under a causal mask.
OF_2017 = {
    "d_model": 64,
    "num_heads": 4,
    "d_ff": 256,
    "num_layers": 2,
    "max_positions": 128,
    "activation": "relu",
    "gated": False,
    "norm": "layer",
    "norm_first": False,
    "attention_bias": True,
    "feed_forward_bias": True,
    "positions": "sinusoidal",
    "scale_embedding": True,
}
#: The changes from there to today's block, in the order in which they are made; two thirds of the width give a gated
#: network as many parameters.
DECODER_CHANGES: dict[str, dict] = {
    "pre-norm": {"norm_first": True},
    "RMSNorm": {"norm": "rms"},
    "no biases": {"attention_bias": False, "feed_forward_bias": False},
    "SwiGLU": {"gated": True, "activation": "silu", "d_ff": 171},
    "rotary positions": {"positions": "rotary"},
    "QK-norm": {"qk_norm": True},
    "grouped queries": {"num_kv_heads": 2},
}


def decoder_after(change: str | None = "grouped queries") -> dict:
    """Sizes and choices after a change and all that come before it.

    Args:
        change: one of `DECODER_CHANGES`; the last one, if not given; None for the block of 2017.

    Returns:
        What `LanguageModelConfig` takes, without the vocabulary's size.

    Raises:
        ValueError: another name.
    """
    names = list(DECODER_CHANGES)
    if change is not None and change not in names:
        raise ValueError(
            f"change must be None or one of {', '.join(names)}; got {change!r}"
        )
    made = [] if change is None else names[: names.index(change) + 1]
    return OF_2017 | {
        key: value for name in made for key, value in DECODER_CHANGES[name].items()
    }


@cache
def book_ids(subwords: int = 1024) -> tuple[ByteVocabulary, Tensor]:
    """A vocabulary of this book's prose, and the part that is learned from in its ids.

    Args:
        subwords: entries of the vocabulary.

    Returns:
        The vocabulary, and (N,) ids.
    """
    vocabulary = ByteVocabulary(split_book().train, subwords)
    return vocabulary, torch.tensor(vocabulary.encode(split_book().train))


def fit_decoder(
    sizes: dict,
    lr: float,
    seed: int,
    steps: int = 400,
    batch_size: int = 4,
    subwords: int = 1024,
    first_weights: int | None = None,
    warmup: float = 0.1,
) -> LanguageModel:
    """Train a language model on this book's prose, by AdamW with a warm-up and half a cosine.

    Its first embeddings have the Transformer's size, 1 / √D; other weights begin as `LanguageModel` has them.

    Args:
        sizes: what `LanguageModelConfig` takes, without the vocabulary's size.
        lr: the largest learning rate.
        seed: for the weights and the pieces of text.
        steps: updates.
        batch_size: pieces of text in an update.
        subwords: entries of the vocabulary.
        first_weights: a seed for the weights alone.
        warmup: the share of the steps in which the learning rate rises.

    Returns:
        The model, in evaluation mode.

    Raises:
        TypeError, ValueError: see `LanguageModelConfig` and `TrainConfig`.
    """
    vocabulary, ids = book_ids(subwords)
    config = LanguageModelConfig(len(vocabulary), **sizes)
    pieces = random_pieces(ids, config.max_positions, batch_size, seed)
    seed_everything(seed if first_weights is None else first_weights)
    model = LanguageModel(config)
    # the Transformer's: times √D, a token is then as large as the sinusoids added to it
    nn.init.normal_(model.embedding.weight, std=config.d_model**-0.5)
    how = TrainConfig(
        steps=steps,
        lr=lr,
        schedule="warmup-cosine",
        warmup_fraction=warmup,
        weight_decay=0.1,
        betas=(0.9, 0.95),
        seed=seed,
    )
    train(model, next_token_loss, pieces, how, fabric=make_fabric())
    return model.eval()


def measure_decoder(model: LanguageModel, part: str, subwords: int = 1024) -> float:
    """How well a model predicts chapters that it has not read.

    Args:
        model: trained by `fit_decoder`.
        part: "dev" or "test", of `split_book`.
        subwords: entries of its vocabulary.

    Returns:
        Bits per byte.
    """
    text = getattr(split_book(), part)
    ids = book_ids(subwords)[0].encode(text)
    loss = held_out_loss(model, ids)
    return described_loss(loss, len(ids), text)["bits_per_byte"]
