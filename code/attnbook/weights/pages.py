"""Which models the book's pages run, and where their files are."""

from pathlib import Path

from attnbook.weights.format import FOLDER

#: Names of the translators that run in the page, as `load_page_model` takes them.
PAGE_MODELS = ("bahdanau", "seq2seq", "transformer")
#: The file of the language model that has read this book.
LANGUAGE_MODEL = FOLDER / "language-model.safetensors"
#: Languages into which English is translated, by their codes.
PAGE_TARGETS = {"fr": "French", "zh": "Chinese"}


def page_file(name: str, target: str = "fr") -> Path:
    """The file of a translator of the pages.

    Args:
        name: of `PAGE_MODELS`, or "sentences": what a page knows of the corpus.
        target: of `PAGE_TARGETS`.

    Returns:
        Its path, whether it is there or not: `transformer.safetensors`; for Chinese, `transformer-zh.safetensors`.

    Raises:
        ValueError: another name or target.
    """
    if name not in (*PAGE_MODELS, "sentences"):
        raise ValueError(
            f"a page model is one of {', '.join(PAGE_MODELS)}, got {name!r}"
        )
    if target not in PAGE_TARGETS:
        raise ValueError(
            f"a page model translates into one of {', '.join(PAGE_TARGETS)}, got {target!r}"
        )
    return FOLDER / f"{name if target == 'fr' else f'{name}-{target}'}.safetensors"


def page_targets() -> list[str]:
    """The languages whose translators are there: pages offer these.

    Returns:
        Codes of `PAGE_TARGETS`, of which all files are there.
    """
    names = (*PAGE_MODELS, "sentences")
    return [
        target
        for target in PAGE_TARGETS
        if all(page_file(name, target).is_file() for name in names)
    ]
