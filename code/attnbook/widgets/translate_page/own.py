"""A page that translates between two languages of the reader's choice, in one file."""

from collections.abc import Sequence

from ..kit import static_box
from ..scripts import offline_page
from . import TranslatePageFigure, in_words


def own_page(
    model: str,
    files: dict[str, bytes],
    languages: Sequence[str],
    codes: Sequence[str],
    tries: Sequence[str],
    held_out: Sequence[str],
) -> str:
    """The page “Translate in the page” with one model of one's own, which needs no network and no other file.

    Args:
        model: its name: "bahdanau", "seq2seq" or "transformer".
        files: what the figure loads, by name: the model's, from `attnbook.translation.page_model_file`, under its
            name; and `sentences`, from `attnbook.translation.page_sentences`.
        languages: the names of the two languages, in English: "German", "Dutch".
        codes: their codes as in HTML: "de", "nl"; for Chinese in traditional characters, "zh-Hant".
        tries: sentences of the first language that are offered, at most 8; the page begins with the first.
        held_out: sentences of the first language, at most 120 characters each, on which the model was not trained.

    Returns:
        HTML.
    """
    figure = TranslatePageFigure(sentence=tries[0], model=model, tries=list(tries), at=-1)
    own = {"languages": list(languages), "codes": list(codes), "who": "A small model", "heldOut": list(held_out)}
    title = f"{languages[0]} to {languages[1]}"
    alt = f"A translator from {languages[0]} to {languages[1]}. It needs JavaScript."
    box = static_box(figure.module, figure.state() | {"own": own}, alt, in_words(alt))
    return offline_page(box, title, files)
