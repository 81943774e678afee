"""Small trained translators for the book's pages, run by PyTorch here and by JavaScript in the browser.

They are files of weights (`attnbook.weights`) in eight bits. What `load_page_model` returns holds just these rounded
numbers, so that both sides compute with the same ones.
"""

import re
from copy import deepcopy
from pathlib import Path

from torch import Tensor, nn

from attnbook.files import write_atomically
from attnbook.text import WordVocabulary, Writing, vocabulary_from_dict
from attnbook.translation.translator import Translator, described, stored_model
from attnbook.weights import (
    page_file,
    read_weights,
    to_float,
    to_int8,
    weights_file,
)

FORMAT = "attnbook page model 2"
# bytes of a stored model; as text, in a page, it takes a third more
LARGEST = 1_500_000
MEASURED = {  # what a file says about where it comes from, and of which type
    "command": str,
    "versions": dict,
    "seed": int,
    "split_seed": int,
    "corpus_sha256": str,
    "test": dict,
    "training": dict,
}


def load_page_model(name: str, target: str = "fr") -> Translator:
    """Read one of the translators that the book's pages run.

    Args:
        name: "bahdanau" (GRU with additive attention), "seq2seq" (the same without attention) or "transformer".
        target: the language that it writes, "fr" or "zh".

    Returns:
        The translator in evaluation mode, on the CPU, with exactly the stored weights.

    Raises:
        ValueError: another name or target, or a damaged file.
        FileNotFoundError: the model has not been trained yet.
    """
    return _translator(*_read(page_file(name, target)))


def page_model_header(name: str, target: str = "fr") -> dict:
    """Read what a page model's file says about itself: all but its vocabularies and weights.

    Args:
        name, target: see `load_page_model`.

    Returns:
        `name`, `kind`, `config`, the `command`, `versions`, `seed` and `split_seed` it was made with, the
        `corpus_sha256` of its data, the `training` settings, and `test`: BLEU, chrF and the number of sentences.

    Raises:
        ValueError, FileNotFoundError: as `load_page_model`.
    """
    left_out = ("format", "source_vocab", "target_vocab", "target_writing")
    _, about = _read(page_file(name, target))
    return {key: value for key, value in about.items() if key not in left_out}


def quantised(translator: Translator) -> Translator:
    """Round the weight matrices of a translator to what its file can hold: 8 bits a weight, one scale a row.

    Args:
        translator: trained; not changed.

    Returns:
        A copy with rounded weights, in evaluation mode on the CPU. Rounding it again changes nothing.

    Raises:
        ValueError: a weight that is not finite.
    """
    model = deepcopy(translator.model).cpu().eval()
    rounded = to_float(to_int8(_parameters(model)))
    model.load_state_dict(rounded, strict=False)
    vocabs = (translator.source_vocab, translator.target_vocab)
    return Translator(model, *vocabs, translator.writing)


def page_model_file(translator: Translator, name: str, measured: dict) -> bytes:
    """Write a translator as the content of a page model's file.

    Args:
        translator: with word vocabularies; its weights are rounded as by `quantised`.
        name: the model's.
        measured: where it comes from and how good it is: `command`, `versions`, `seed`, `split_seed`,
            `corpus_sha256`, `training` (settings), and `test` with `bleu`, `chrf` and `sentences` of the rounded model.

    Returns:
        The bytes, in the format of `attnbook.weights`.

    Raises:
        TypeError, ValueError: something is missing in `measured`, vocabularies of subwords, weights that are
            not finite, or more than 1.5 MB.
    """
    _check_measured(measured, "measured")
    for vocab in (translator.source_vocab, translator.target_vocab):
        if not isinstance(vocab, WordVocabulary):
            raise TypeError(
                f"a page model has vocabularies of words, got {type(vocab).__name__}; train with subwords=0"
            )
    about = {
        "format": FORMAT,
        "name": name,
        **described(translator.model),
        **{key: measured[key] for key in MEASURED},
        "source_vocab": translator.source_vocab.to_dict(),
        "target_vocab": translator.target_vocab.to_dict(),
    }
    if translator.writing is not None:
        about["target_writing"] = translator.writing.to_dict()
    content = weights_file(to_int8(_parameters(translator.model)), about)
    if len(content) > LARGEST:
        raise ValueError(
            f"{name}.safetensors would take {len(content)} bytes, a page model has at most {LARGEST}; take smaller "
            "sizes or fewer words"
        )
    return content


def export_page_model(translator: Translator, path: str | Path, measured: dict) -> int:
    """Write a translator as a page model, whole or not at all.

    Args:
        translator, measured: see `page_model_file`.
        path: where to; the file's name is the model's.

    Returns:
        The size of the file in bytes.

    Raises:
        TypeError, ValueError: as `page_model_file`.
    """
    content = page_model_file(translator, Path(path).stem, measured)
    write_atomically(path, content)
    return len(content)


def _parameters(model: nn.Module) -> dict[str, Tensor]:
    # named_parameters names a shared matrix once, by its first name
    return dict(model.named_parameters())


def _check_measured(measured: dict, what: str) -> None:
    missing = [
        f"{key} ({kind.__name__})"
        for key, kind in MEASURED.items()
        if not isinstance(measured.get(key), kind)
    ]
    test = measured.get("test") or {}
    missing += [f"test[{k!r}]" for k in ("bleu", "chrf", "sentences") if k not in test]
    if missing:
        raise ValueError(f"{what} must say {', '.join(missing)}")
    if not re.fullmatch("[0-9a-f]{64}", measured["corpus_sha256"]):
        raise ValueError(
            f"{what}: corpus_sha256 must be 64 hexadecimal digits, got {measured['corpus_sha256']!r}"
        )


def _read(path: Path) -> tuple[dict[str, Tensor], dict]:
    """A page model's weights and what its file says, checked as far as it can be without building the model."""
    if not path.is_file():
        raise FileNotFoundError(
            f"{path.name} is not there; make it with python -m tools.experiments page_models"
        )
    try:
        weights, about = read_weights(path)
        if about.get("format") != FORMAT:
            raise ValueError(
                f"its format is {about.get('format')!r}, expected {FORMAT!r}"
            )
        if about.get("name") != path.stem:
            raise ValueError(f"it holds the model {about.get('name')!r}")
        _check_measured(about, "its header")
    except ValueError as error:
        raise _damaged(path.stem, str(error)) from error
    return weights, about


def _translator(weights: dict[str, Tensor], about: dict) -> Translator:
    try:
        source_vocab, target_vocab = (
            vocabulary_from_dict(about[f"{s}_vocab"]) for s in ("source", "target")
        )
        model = stored_model(about, weights)
        stored = about.get("target_writing")  # the book's own have none
        writing = None if stored is None else Writing.from_dict(stored)
        return Translator(model.eval(), source_vocab, target_vocab, writing)
    except (LookupError, AttributeError, TypeError, ValueError, RuntimeError) as error:
        raise _damaged(about["name"], f"{type(error).__name__}: {error}") from error


def _damaged(name: str, why: str) -> ValueError:
    return ValueError(
        f"{name}.safetensors is not a page model ({why}); install the book again, or make it anew with "
        "python -m tools.experiments page_models"
    )
