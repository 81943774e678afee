"""The options that name two languages, and whether they can be what a file holds."""

import re
from argparse import ArgumentParser
from collections.abc import Sequence

# those of two letters, ISO 639-1; of three there are thousands
TWO_LETTERS = """
aa ab ae af ak am an ar as av ay az ba be bg bh bi bm bn bo br bs ca ce ch co cr cs cu cv cy da de dv dz ee el en eo
es et eu fa ff fi fj fo fr fy ga gd gl gn gu gv ha he hi ho hr ht hu hy hz ia id ie ig ii ik io is it iu ja jv ka kg
ki kj kk kl km kn ko kr ks ku kv kw ky la lb lg li ln lo lt lu lv mg mh mi mk ml mn mr ms mt my na nb nd ne ng nl nn
no nr nv ny oc oj om or os pa pi pl ps pt qu rm rn ro ru rw sa sc sd se sg si sk sl sm sn so sq sr ss st su sv sw ta
te tg th ti tk tl tn to tr ts tt tw ty ug uk ur uz ve vi vo wa wo xh yi yo za zh zu
"""
CODES = frozenset(TWO_LETTERS.split())
# what people write instead, as countries are called
MEANT = {"cn": "zh", "jp": "ja", "kr": "ko", "gr": "el", "ua": "uk", "cz": "cs", "dk": "da", "vn": "vi"}
# of languages with a script of their own, one that each of their texts has
SCRIPTS = {
    "zh": "CJK", "ja": "HIRAGANA", "ko": "HANGUL", "th": "THAI", "lo": "LAO", "km": "KHMER", "my": "MYANMAR",
    "ar": "ARABIC", "fa": "ARABIC", "ur": "ARABIC", "he": "HEBREW", "yi": "HEBREW", "hi": "DEVANAGARI",
    "mr": "DEVANAGARI", "ne": "DEVANAGARI", "bn": "BENGALI", "ta": "TAMIL", "te": "TELUGU", "el": "GREEK",
    "ru": "CYRILLIC", "uk": "CYRILLIC", "bg": "CYRILLIC", "ka": "GEORGIAN", "hy": "ARMENIAN", "am": "ETHIOPIC",
}  # fmt: skip


REVERSE = "translate from the second column into the first; names and codes stay in the order of the columns"


def add_language_options(parser: ArgumentParser) -> None:
    """Add --reverse, and --languages and --codes of the two columns."""
    parser.add_argument("--reverse", action="store_true", help=REVERSE)
    for option, says in (
        ("--languages", "names of the two columns' languages, as they should be written: English Chinese"),
        ("--codes", "codes of these languages: en zh"),
    ):
        parser.add_argument(option, nargs=2, metavar=("FIRST", "SECOND"), help=says)


def check_languages(names: Sequence[str] | None, codes: Sequence[str] | None) -> None:
    """Refuse an empty name, and what is no code of a language."""
    if names is not None and not all(map(str.strip, names)):
        raise ValueError("--languages takes two names, and one of them is empty")
    for code in codes or ():
        language = code.partition("-")[0].lower()
        known = language in CODES or len(language) == 3
        if not known or not re.fullmatch("[a-zA-Z]{2,3}(-[a-zA-Z0-9]{2,8})*", code):
            meant = MEANT.get(language)
            advice = f"; {code} is a country, and its language is {meant}" if meant else ""
            raise ValueError(f"--codes takes two codes of languages such as de or pt-BR, got {code!r}{advice}")


def check_scripts(codes: Sequence[str] | None, scripts: Sequence[set[str]]) -> None:
    """Refuse codes of which a side's script says that the side is in another language."""
    expected = [SCRIPTS.get(code.partition("-")[0].lower()) for code in codes or ()]
    for side, script, own, other in zip(("from", "into"), expected, scripts, scripts[::-1], strict=False):
        if script and script not in own:
            found = " and ".join(map(_shown, sorted(own))) or "no"
            advice = "exchange the codes" if script in other else "correct the codes"
            raise ValueError(
                f"--codes: the sentences to translate {side} are in {found} letters, not in {_shown(script)}; {advice}"
            )


def _shown(script: str) -> str:
    return "Han" if script == "CJK" else script.capitalize()
