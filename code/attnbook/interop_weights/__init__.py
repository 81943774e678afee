"""Weights from the classes of PyTorch, d2l and Hugging Face into the book's, and back.

Each function makes a new module with copied weights; the source is left as it was. With the same weights, the same
numbers come out: that is what the tests and the cross-check appendix show.
"""

from attnbook.interop_weights.bert import TIME_FLIES, from_huggingface_bert, load_bert
from attnbook.interop_weights.d2l import (
    from_d2l_additive,
    from_d2l_attention,
    from_d2l_encoder_block,
)
from attnbook.interop_weights.pytorch import (
    from_torch_attention,
    from_torch_decoder_layer,
    from_torch_encoder_layer,
    to_torch_attention,
)

__all__ = [
    "from_torch_attention",
    "to_torch_attention",
    "from_torch_encoder_layer",
    "from_torch_decoder_layer",
    "from_d2l_attention",
    "from_d2l_additive",
    "from_d2l_encoder_block",
    "from_huggingface_bert",
    "load_bert",
    "TIME_FLIES",
]
