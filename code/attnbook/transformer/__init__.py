"""The Transformer: blocks of attention and feed-forward layers, and the models built from them."""

from attnbook.transformer.blocks import (
    Block,
    DecoderLayer,
    DecoderLayerCache,
    EncoderLayer,
    Residual,
)
from attnbook.transformer.configs import (
    BERT_BASE,
    PAPER_BASE,
    BertConfig,
    TransformerConfig,
)
from attnbook.transformer.feed_forward import (
    ACTIVATIONS,
    FeedForward,
    GatedFeedForward,
)
from attnbook.transformer.language_model import LanguageModel, LanguageModelConfig
from attnbook.transformer.models import (
    BertEmbeddings,
    BertEncoder,
    Decoder,
    Encoder,
    Transformer,
    count_parameters,
)

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
