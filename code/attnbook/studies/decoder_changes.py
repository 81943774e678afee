"""A small language model in the form of 2017, and what each change since then does to it."""

from functools import cache

import torch
from torch import Tensor

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
#: One change each, by what it is called; two thirds of the width give a gated network as many parameters.
DECODER_CHANGES: dict[str, dict] = {
    "pre-norm": {"norm_first": True},
    "RMSNorm": {"norm": "rms"},
    "GELU": {"activation": "gelu"},
    "SwiGLU": {"gated": True, "activation": "silu", "d_ff": 171},
    "learned positions": {"positions": "learned"},
    "rotary positions": {"positions": "rotary"},
    "grouped queries": {"num_kv_heads": 2},
    "no biases": {"attention_bias": False, "feed_forward_bias": False},
    "QK-norm": {"qk_norm": True},
    "untied output": {"tie_output": False},
}
#: The changes that today's block makes, all together.
OF_TODAY = (
    "pre-norm",
    "RMSNorm",
    "SwiGLU",
    "rotary positions",
    "grouped queries",
    "no biases",
    "QK-norm",
)


def changed_decoder(name: str) -> dict:
    """Sizes and choices after a change.

    Args:
        name: one of `DECODER_CHANGES`; "2017" for none, "today" for all of `OF_TODAY` together.

    Returns:
        What `LanguageModelConfig` takes, without the vocabulary's size.

    Raises:
        KeyError: another name.
    """
    names = {"2017": (), "today": OF_TODAY}.get(name, (name,))
    sizes = dict(OF_2017)
    for one in names:
        sizes |= DECODER_CHANGES[one]
    return sizes


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
) -> LanguageModel:
    """Train a language model on this book's prose, by AdamW with a warm-up and half a cosine.

    Args:
        sizes: what `LanguageModelConfig` takes, without the vocabulary's size.
        lr: the largest learning rate.
        seed: for the weights and the pieces of text.
        steps: updates.
        batch_size: pieces of text in an update.
        subwords: entries of the vocabulary.

    Returns:
        The model, in evaluation mode.

    Raises:
        TypeError, ValueError: see `LanguageModelConfig` and `TrainConfig`.
    """
    vocabulary, ids = book_ids(subwords)
    config = LanguageModelConfig(len(vocabulary), **sizes)
    pieces = random_pieces(ids, config.max_positions, batch_size, seed)
    seed_everything(seed)
    model = LanguageModel(config)
    how = TrainConfig(
        steps=steps,
        lr=lr,
        schedule="warmup-cosine",
        warmup_fraction=0.1,
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
