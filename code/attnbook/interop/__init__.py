"""The book's layers beside those of PyTorch, d2l and Hugging Face: copied weights, and how far apart they come out.

Each `from_…` function makes a new module with copied weights; the source is left as it was.
"""

from attnbook.interop.bert import TIME_FLIES, from_huggingface_bert, load_bert
from attnbook.interop.comparison.cases import BARS, Case, cases, randomise
from attnbook.interop.comparison.matching import (
    Match,
    Table,
    match_parameters,
    name_table,
)
from attnbook.interop.comparison.record import CrossChecks, greatest_difference
from attnbook.interop.d2l import (
    from_d2l_additive,
    from_d2l_attention,
    from_d2l_encoder_block,
)
from attnbook.interop.decoders import from_huggingface_decoder
from attnbook.interop.loading import load_d2l
from attnbook.interop.pretrained import (
    MINILM_PACKAGE,
    MINILM_SHA256,
    PretrainedEncoder,
    load_minilm,
    minilm_folder,
)
from attnbook.interop.published import PublishedDecoder
from attnbook.interop.pytorch import (
    from_torch_attention,
    from_torch_decoder_layer,
    from_torch_encoder_layer,
    to_torch_attention,
)

__all__ = [
    "load_d2l",
    "PublishedDecoder",
    "BARS",
    "Case",
    "cases",
    "randomise",
    "Match",
    "match_parameters",
    "Table",
    "name_table",
    "greatest_difference",
    "CrossChecks",
    "from_torch_attention",
    "to_torch_attention",
    "from_torch_encoder_layer",
    "from_torch_decoder_layer",
    "from_d2l_attention",
    "from_d2l_additive",
    "from_d2l_encoder_block",
    "from_huggingface_bert",
    "load_bert",
    "MINILM_PACKAGE",
    "MINILM_SHA256",
    "PretrainedEncoder",
    "minilm_folder",
    "load_minilm",
    "from_huggingface_decoder",
    "TIME_FLIES",
]
