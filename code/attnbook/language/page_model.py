"""The language model that a page of the book runs: it has read the book, and PyTorch and the browser hold one copy.

It is a file of weights (`attnbook.weights`) in eight bits. What `load_book_model` returns holds just these rounded
numbers, so that both sides compute with the same ones.
"""

from copy import deepcopy
from dataclasses import asdict
from pathlib import Path
from typing import Any

from attnbook.language.fitting import LanguageRecipe
from attnbook.language.text_model import TextModel
from attnbook.text import ByteVocabulary
from attnbook.transformer import LanguageModel, LanguageModelConfig
from attnbook.weights import (
    LANGUAGE_MODEL,
    read_weights,
    to_float,
    to_int8,
    weights_file,
)

FORMAT = "attnbook language model 1"
LARGEST = 3_000_000  # bytes of the file; as text, in a page, it takes a third more
MEASURED = ("command", "versions", "seed", "corpus_sha256", "training", "test")

#: How the model of the pages is made: today's block, two million parameters.
BOOK_RECIPE = LanguageRecipe(
    {
        "d_model": 192,
        "num_heads": 6,
        "num_kv_heads": 2,
        "d_ff": 512,
        "num_layers": 4,
        "max_positions": 128,
        "dropout": 0.2,
    },
    subwords=2048,
    batch_size=8,
)


def load_book_model(path: str | Path | None = None) -> TextModel:
    """Read the language model that has read this book, as the page runs it.

    Args:
        path: another file of this format than the book's own.

    Returns:
        The model with exactly the stored weights, in evaluation mode, on the CPU.

    Raises:
        FileNotFoundError, ValueError: the file is not there, or damaged.
    """
    weights, about = read_weights(path or LANGUAGE_MODEL)
    _check_format(about)
    config = about["config"]
    config["global_layers"] = tuple(config["global_layers"])  # JSON has lists only
    model = LanguageModel(LanguageModelConfig(**config))
    model.load_state_dict(weights | {"head.weight": weights["embedding.weight"]})
    vocabulary = ByteVocabulary.from_dict(about["vocabulary"])
    return TextModel(model.eval(), vocabulary, about["characters"])


def book_model_header(path: str | Path | None = None) -> dict[str, Any]:
    """Read what the file says of itself: all but its vocabulary and weights.

    Args:
        path: as of `load_book_model`.

    Returns:
        `config`, the `command`, `versions` and `seed` it was made with, the `corpus_sha256` of what it has read, the
        `training` settings, and in `test` what was measured on held-out chapters.

    Raises:
        FileNotFoundError, ValueError: as `load_book_model`.
    """
    _, about = read_weights(path or LANGUAGE_MODEL)
    _check_format(about)
    left_out = ("format", "vocabulary", "characters")
    return {key: value for key, value in about.items() if key not in left_out}


def rounded(text_model: TextModel) -> TextModel:
    """A language model with weights as its file can hold them: eight bits each, one scale a row.

    Args:
        text_model: trained; not changed.

    Returns:
        A copy, in evaluation mode on the CPU. Rounding it again changes nothing.

    Raises:
        ValueError: a weight that is not finite.
    """
    model = deepcopy(text_model.model).cpu().eval()
    weights = to_float(to_int8(dict(model.named_parameters())))
    model.load_state_dict(weights, strict=False)
    return TextModel(model, text_model.vocabulary, text_model.characters)


def book_model_file(text_model: TextModel, measured: dict) -> bytes:
    """Write a language model as the content of the page's file.

    Args:
        text_model: its weights are rounded as by `rounded`; its embedding is its output map, too.
        measured: where it comes from and how good it is: `command`, `versions`, `seed`, `corpus_sha256`, `training`
            and `test`.

    Returns:
        The bytes, in the format of `attnbook.weights`.

    Raises:
        ValueError: something is missing in `measured`, weights that are not finite, or more than 3 MB.
    """
    if missing := [key for key in MEASURED if key not in measured]:
        raise ValueError(
            f"measured lacks {', '.join(missing)}; it has {', '.join(measured)}"
        )
    about = {
        "format": FORMAT,
        "config": asdict(text_model.model.config),
        **{key: measured[key] for key in MEASURED},
        "vocabulary": text_model.vocabulary.to_dict(),
        "characters": text_model.characters,
    }
    # a shared matrix is named once
    content = weights_file(to_int8(dict(text_model.model.named_parameters())), about)
    if len(content) > LARGEST:
        raise ValueError(
            f"the file would take {len(content)} bytes, a page's model has at most {LARGEST}; take smaller sizes"
        )
    return content


def _check_format(about: dict) -> None:
    if about.get("format") != FORMAT:
        raise ValueError(
            f"{LANGUAGE_MODEL.name} is of the format {about.get('format')!r}, not {FORMAT!r}; make it with "
            "python -m tools.experiments book_model"
        )
