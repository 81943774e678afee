"""Texts to learn from: this book, a file, or Python's own help; and which part is held out."""

import re
from pathlib import Path
from typing import NamedTuple

from attnbook.data.corpus import FOLDER

FEWEST = 10_000  # characters; from fewer nothing can be learned
PYTHON_TOPICS = "python-topics"
THIS_BOOK = "this-book"
#: Which chapters of this book no model learns from, one of each part: for development, and for the test.
DEV_CHAPTERS, TEST_CHAPTERS = (5, 12), (8, 17)


class TextSplit(NamedTuple):
    """A text in three parts.

    Attributes:
        train: to learn from.
        dev: to choose by.
        test: to measure on, at the end.
    """

    train: str
    dev: str
    test: str


def read_text(name: str = PYTHON_TOPICS) -> str:
    """A text to learn from.

    Args:
        name: a file of text in UTF-8; or "this-book", the prose of chapters 1 to 18, some 92,000 words; or
            "python-topics", what `help("topics")` has to say, which comes with every Python: some 65,000 words.

    Returns:
        The text, its line breaks as "\\\\n".

    Raises:
        FileNotFoundError, IsADirectoryError: no such file.
        ValueError: a file that is not text, or one of fewer than 10,000 characters.
    """
    if name == PYTHON_TOPICS:
        from pydoc_data.topics import topics

        return "\n\n".join(topics[topic].strip() for topic in sorted(topics))
    if name == THIS_BOOK:
        return (FOLDER / "this_book.txt").read_text("utf-8")
    path = Path(name)
    if path.is_dir():
        raise IsADirectoryError(f"{name} is a folder; pass a file of text")
    if not path.is_file():
        raise FileNotFoundError(
            f"there is no file {name}; pass a file of text, {THIS_BOOK} or {PYTHON_TOPICS}"
        )
    try:
        text = path.read_text("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ValueError(
            f"{name} is not text in UTF-8 (byte {error.start}); save it as UTF-8"
        ) from error
    if "\0" in text:
        raise ValueError(
            f"{name} holds the character NUL, as no text does; is it another kind of file, or UTF-16?"
        )
    if len(text.strip()) < FEWEST:
        what = f"has {len(text.strip()):,} characters" if text.strip() else "is empty"
        raise ValueError(
            f"{name} {what}, and from fewer than {FEWEST:,} nothing can be learned"
        )
    return text


def split_book() -> TextSplit:
    """This book's prose: whole chapters are held out, 5 and 12 for development, 8 and 17 for the test.

    Returns:
        The three parts, each a text.
    """
    chapters = re.split(r"^(?=# )", read_text(THIS_BOOK), flags=re.MULTILINE)[1:]
    numbered = dict(enumerate(chapters, 1))
    learned = numbered.keys() - {*DEV_CHAPTERS, *TEST_CHAPTERS}
    parts = (sorted(learned), DEV_CHAPTERS, TEST_CHAPTERS)
    return TextSplit(*("".join(numbered[n] for n in part) for part in parts))


def split_text(text: str) -> TextSplit:
    """Eight tenths of a text to learn from, a tenth for development, a tenth for the test, in this order.

    Args:
        text: of at least 10 characters. It is cut where a paragraph ends, if one does within the twentieth before.

    Returns:
        The three parts, which together are the text.

    Raises:
        ValueError: a shorter text.
    """
    if len(text) < 10:
        raise ValueError(f"a text of {len(text)} characters cannot be split")
    ends = [match.end() for match in re.finditer(r"\n\s*\n", text)]

    def cut(tenths: int) -> int:
        wanted = len(text) * tenths // 10
        near = [end for end in ends if wanted - len(text) // 20 <= end <= wanted]
        return near[-1] if near else wanted

    first, second = cut(8), cut(9)
    return TextSplit(text[:first], text[first:second], text[second:])
