"""What all figures share: the base class, the traits, and the files that put a figure together."""

from .base import Figure, static_box
from .source import (
    KIT,
    PACKAGE,
    WIDGETS,
    fallback_image,
    figure_data,
    module_source,
    with_kit,
)
from .traits import OneOf, number_between, one_of, yes_or_no

__all__ = [
    "KIT",
    "PACKAGE",
    "WIDGETS",
    "Figure",
    "OneOf",
    "fallback_image",
    "figure_data",
    "module_source",
    "number_between",
    "one_of",
    "static_box",
    "with_kit",
    "yes_or_no",
]
