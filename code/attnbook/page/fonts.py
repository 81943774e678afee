"""Fonts for labels in any script: matplotlib's own has Latin, Greek, Cyrillic and Arabic letters, and no Chinese."""

import unicodedata
import warnings
from collections.abc import Sequence
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path

import matplotlib
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties, findfont, findSystemFonts, fontManager
from matplotlib.ft2font import FT2Font
from matplotlib.text import Text

# of the extra [fonts] in pyproject.toml: for Chinese, Japanese and Korean, for Hindi, and for Thai
PACKAGES = ("noto-cjk-sans-otc", "fontpkg-noto-sans-devanagari", "fontpkg-noto-sans-thai")
BOX = "□"  # in place of a character that no font has
SHAPES = (3, 11)  # the matplotlib that joins letters and writes from right to left


def drawable(*groups: Sequence[str] | None) -> tuple[list[str], list]:
    """Find the fonts that texts need, and warn of what cannot be written.

    No font is looked for unless the current ones lack a character.

    Args:
        groups: the texts of a picture, such as the labels of an axis; None where there are none.

    Returns:
        Families of fonts, the current ones first, or none if these are enough; and the groups, with a box for each
        character that no font has.
    """
    used = {one for group in groups for text in group or () for one in str(text)}
    seen = {one for one in used if unicodedata.category(one) not in ("Cc", "Cf", "Zs")}
    if matplotlib.__version_info__ < SHAPES and any(map(_needs_shaping, seen)):
        warnings.warn(
            f"matplotlib {matplotlib.__version__} writes the letters of these labels apart or in the wrong order; "
            'pip install "matplotlib>=3.11"',
            stacklevel=3,
        )
    families = FontProperties().get_family()
    missing = seen.difference(*(_has(findfont(FontProperties(family=[one])), seen) for one in families))
    if not missing:
        return [], list(groups)
    more, missing = _search(missing)
    if missing:
        warnings.warn(
            f"no font on this machine has {' '.join(sorted(missing)[:20])}, drawn as {BOX}; "
            f"for Chinese, Japanese, Korean, Hindi and Thai, pip install {' '.join(PACKAGES)}; for another language, "
            "install a font of its script on this machine, such as Noto Sans Bengali",
            stacklevel=3,
        )
    boxes = str.maketrans(dict.fromkeys(missing, BOX))
    return [*families, *more], [group and [str(text).translate(boxes) for text in group] for group in groups]


def set_families(figure: Figure, families: list[str]) -> None:
    """Write all texts of a figure in some fonts.

    Args:
        figure: drawn.
        families: from `drawable`; none change nothing.
    """
    if families:
        for text in figure.findobj(Text):
            text.set_fontfamily(families)


def _needs_shaping(character: str) -> bool:
    return unicodedata.bidirectional(character) in ("R", "AL") or unicodedata.category(character) in ("Mn", "Mc")


def _has(path: str, characters: set[str]) -> set[str]:
    """Those of the characters that a font has; none if the file cannot be read."""
    with suppress(OSError, RuntimeError):
        font = FT2Font(path)
        return {one for one in characters if font.get_char_index(ord(one))}
    return set()


def _search(missing: set[str]) -> tuple[list[str], set[str]]:
    """Families that together have the missing characters, and those that remain."""
    packaged = [
        str(path)
        for name in PACKAGES
        if (spec := find_spec(name.replace("-", "_"))) and spec.origin
        for path in Path(spec.origin).parent.rglob("*.tt[cf]")
    ]
    # matplotlib's stored list does not know what was installed after it was made
    for path in sorted({*findSystemFonts(), *packaged} - {entry.fname for entry in fontManager.ttflist}):
        with suppress(OSError, RuntimeError):
            fontManager.addfont(path)
    names = [unicodedata.name(one, "") for one in missing]
    kana, hangul = (any(name.startswith(script) for name in names) for script in (("HIRAGANA", "KATAKANA"), "HANGUL"))
    wanted = "JP" if kana else "KR" if hangul else "SC"  # whose shapes a family for East Asia has
    has = {path: _has(path, missing) for path in {entry.fname for entry in fontManager.ttflist}}
    families: dict[str, set[str]] = {}
    for entry in fontManager.ttflist:
        # Last Resort has a box for everything
        if entry.style == "normal" and "Last Resort" not in entry.name and "LastResort" not in entry.name:
            families[entry.name] = families.get(entry.name, set()) | has[entry.fname]
    found: list[str] = []
    while missing and families:
        best = min(families, key=lambda name: (-len(families[name] & missing), wanted not in name.split(), name))
        if not families[best] & missing:
            break
        found.append(best)
        missing = missing - families[best]
    return found, missing
