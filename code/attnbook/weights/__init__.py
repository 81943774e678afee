"""Trained weights: the files that come with the book, the one writer of such files, the one reader,
and models that are built again from what was read.

A file is in the format safetensors, which `safetensors` and Hugging Face's tools read as well. Its weights are stored
as float32, as float16, or in eight bits: then an int8 tensor `name` has beside it a tensor `name.scales`, and the
weight is their product, row by row or, where a row has several scales, block by block. What the file says of itself is
JSON, under `about` in the format's metadata. In pages, `widgets/kit/weights.js` reads the same files.
"""

from attnbook.weights.format import (
    FOLDER,
    read_weights,
    to_float,
    to_half,
    to_int8,
    weights_file,
)
from attnbook.weights.pages import (
    LANGUAGE_MODEL,
    PAGE_MODELS,
    PAGE_TARGETS,
    page_file,
    page_targets,
)
from attnbook.weights.rebuilding import rebuilt, settings

__all__ = [
    "FOLDER",
    "to_int8",
    "to_half",
    "to_float",
    "weights_file",
    "read_weights",
    "settings",
    "rebuilt",
    "LANGUAGE_MODEL",
    "PAGE_MODELS",
    "PAGE_TARGETS",
    "page_file",
    "page_targets",
]
