"""The Transformer: blocks of attention and feed-forward layers, and the models built from them.

Masks, lengths, weights and errors are those of `attnbook.attention`.
"""

from attnbook.transformer.bert import BertEmbeddings, BertEncoder
from attnbook.transformer.blocks import Block, DecoderLayer, EncoderLayer, Residual
from attnbook.transformer.configs import (
    BERT_BASE,
    PAPER_BASE,
    BertConfig,
    LanguageModelConfig,
    TransformerConfig,
)
from attnbook.transformer.feed_forward import ACTIVATIONS, FeedForward, GatedFeedForward
from attnbook.transformer.language_model import LanguageModel
from attnbook.transformer.models import Decoder, Encoder, Transformer
from attnbook.transformer.stack import count_parameters
from attnbook.transformer.stepping import DecoderLayerCache

__all__ = [
    "TransformerConfig",
    "BertConfig",
    "PAPER_BASE",
    "BERT_BASE",
    "FeedForward",
    "GatedFeedForward",
    "Residual",
    "Block",
    "EncoderLayer",
    "DecoderLayer",
    "DecoderLayerCache",
    "ACTIVATIONS",
    "Encoder",
    "Decoder",
    "Transformer",
    "BertEmbeddings",
    "BertEncoder",
    "LanguageModelConfig",
    "LanguageModel",
    "count_parameters",
]
