"""Claims: sentences that are true because they were just executed."""

import math
import re

import numpy as np
import torch

_executed: list[str] = []


class ClaimError(AssertionError):
    """A claim of the book turned out false."""


def claim(text: str, ok: object) -> None:
    """State something that the line beside it has just computed: print it with a ✓, or raise.

    Args:
        text: the sentence, as the reader will read it.
        ok: bool, or a tensor or NumPy value holding exactly one bool.

    Raises:
        TypeError: `ok` is not one truth value (a number, say, or a whole tensor of them: use `.all()`).
        ClaimError: it is false.
    """
    if not isinstance(text, str) or not text.strip():
        raise TypeError("claim() needs a sentence first: claim('rows sum to 1', bool(...))")
    if isinstance(ok, torch.Tensor | np.ndarray | np.bool_):
        if ok.dtype not in (torch.bool, np.bool_) or math.prod(ok.shape) != 1:
            raise TypeError(
                f"claim() needs one truth value, got {ok.dtype} of shape {tuple(ok.shape)}; did you mean (...).all()?"
            )
        ok = bool(ok)
    if not isinstance(ok, bool):
        raise TypeError(f"claim() needs True or False, got {type(ok).__name__}; compare it with something")
    if not ok:
        if text in _executed:  # it was true before something above was changed
            _executed.remove(text)
        raise ClaimError(f"✗ {text}")
    if text not in _executed:
        _executed.append(text)
    print(f"✓ {text}")


class Findings:
    """The claims executed so far in this session, as a list.

    Args:
        texts: the claims, in the order in which they were executed.
    """

    def __init__(self, texts: list[str]):
        self.texts = list(texts)

    def _repr_markdown_(self) -> str:
        # a claim is plain text: in Markdown <bos> would be a tag, and not be seen
        checked = "\n".join("- ✓ " + re.sub(r"([<*])", r"\\\1", text) for text in self.texts)
        summary = f"All {len(self.texts)} claims that this page has checked"
        return f'<details class="attnbook-findings"><summary>{summary}</summary>\n\n{checked}\n\n</details>'

    def __repr__(self) -> str:
        return "\n".join(f"✓ {text}" for text in self.texts)


def what_we_found() -> Findings:
    """List every claim that this notebook has executed, in order; nothing else can get onto the list.

    Returns:
        A `Findings`, rendered as a folded list.

    Raises:
        RuntimeError: no claim has been executed yet (run the cells above first).
    """
    if not _executed:
        raise RuntimeError("no claim has been executed in this session yet; run the cells above first")
    return Findings(_executed)
