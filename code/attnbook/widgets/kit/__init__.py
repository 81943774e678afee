"""What all figures share: the base class, the traits, and the files that put a figure together."""

from .base import Figure, static_box
from .models import MODELS, ModelFigure, file_parts, model_files
from .source import KIT, WIDGETS, fallback_image, figure_data, figure_parts, module_source, script_parts
from .traits import (
    FLAG,
    checked,
    choice,
    line,
    listed,
    number,
    number_between,
    one_of,
    point,
    record,
    same_number,
    taking,
    whole_number,
    word,
    yes_or_no,
)

__all__ = [
    "FLAG",
    "KIT",
    "MODELS",
    "WIDGETS",
    "Figure",
    "ModelFigure",
    "checked",
    "choice",
    "fallback_image",
    "file_parts",
    "figure_data",
    "figure_parts",
    "line",
    "listed",
    "model_files",
    "module_source",
    "number",
    "number_between",
    "one_of",
    "point",
    "record",
    "same_number",
    "script_parts",
    "static_box",
    "taking",
    "whole_number",
    "word",
    "yes_or_no",
]
