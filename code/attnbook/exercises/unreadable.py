"""Errors that stop a cell before anything is checked: what stands above Python's own line, in the reader's language.

Python's messages about code that it cannot read are good English, and stay as they are; for other languages the
frequent ones are translated. Only of a sign that is not on an English keyboard Python says no more than its number.
"""

import keyword
import linecache
import re
import sys
import traceback
import unicodedata
from collections.abc import Iterator

from .language import joined, later, say
from .undefined import meant

# strings and comments, in which any sign may stand; a string may lack its end
QUIET = re.compile(
    r'#[^\n]*|"""[\s\S]*?(?:"""|\Z)|\'\'\'[\s\S]*?(?:\'\'\'|\Z)|"(?:\\[\s\S]|[^"\\\n])*"?|\'(?:\\[\s\S]|[^\'\\\n])*\'?'
)
BEHIND_A_DIGIT = re.compile(r"(?<=[0-9])[^\x00-\x7f]")
QUOTES = dict.fromkeys("“”„‟«»", '"') | dict.fromkeys("‘’‚‛´", "'")
DASHES = dict.fromkeys("‐‑‒–—―−", "-")
OTHERS = dict(zip("、。【】《》×÷", ",.[]<>*/", strict=True))
OTHERS |= {"…": "...", "→": "->", "≤": "<=", "≥": ">=", "≠": "!=", "²": "**2", "³": "**3"}
WIDE = later(
    "Line {line}, column {column}: `{sign}` is a full-width character. Python wants `{wanted}`; switch your input "
    "method to English."
)
CURLY = later(
    "Line {line}, column {column}: `{sign}` is a curly quotation mark. Python wants the straight one, `{wanted}`."
)
DASH = later("Line {line}, column {column}: `{sign}` is a dash. Python wants the keyboard's minus sign, `{wanted}`.")
SPACE = later("Line {line}, column {column}: this space ({code}) is not an ordinary one. Delete it and type it again.")
UNSEEN = later("Line {line}, column {column}: an invisible character ({code}) stands here. Delete it.")
OTHER = later("Line {line}, column {column}: Python does not know the sign `{sign}`. Write `{wanted}`.")
NONE = later("Line {line}, column {column}: Python does not know the sign `{sign}` outside of strings and comments.")
# what Python says most often; parts of it that vary are in braces
MESSAGES = (
    later("expected ':'"),
    later("'{sign}' was never closed"),
    later("unmatched '{sign}'"),
    later("closing parenthesis '{sign}' does not match opening parenthesis '{other}'"),
    later("closing parenthesis '{sign}' does not match opening parenthesis '{other}' on line {line}"),
    later("invalid syntax. Maybe you meant '==' or ':=' instead of '='?"),
    later("cannot assign to {what} here. Maybe you meant '==' instead of '='?"),
    later("invalid syntax. Perhaps you forgot a comma?"),
    later("expected an indented block after function definition on line {line}"),
    later("expected an indented block after '{word}' statement on line {line}"),
    later("unexpected indent"),
    later("unindent does not match any outer indentation level"),
    later("inconsistent use of tabs and spaces in indentation"),
    later("unterminated string literal (detected at line {line})"),
    later("'return' outside function"),
    later("invalid decimal literal"),
    later("positional argument follows keyword argument"),
    later("invalid syntax"),
)


def above(error: BaseException) -> str:
    """What to say before Python's own line about an error that ends a cell; nothing, if that line is enough."""
    if isinstance(error, SyntaxError):
        return _strange_sign(error) or _translated(str(error.msg))
    if type(error) is NameError and error.name and "is not defined" in str(error):
        frame, number = [*traceback.walk_tb(error.__traceback__)][-1]
        here = () if frame.f_locals is frame.f_globals else frame.f_locals
        line = linecache.getline(frame.f_code.co_filename, number)
        return meant(error.name, frame.f_globals, here, line)
    return ""


def in_notebooks() -> None:
    """Say it in a notebook, too: IPython asks before it shows one of these errors."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    if shell is not None and not shell.custom_exceptions:
        shell.set_custom_exc((SyntaxError, NameError), _shown)


def _shown(shell, kind, error, trace, tb_offset=None) -> None:
    if told := above(error):
        print(told, file=sys.stderr)
    shell.showtraceback((kind, error, trace), tb_offset=tb_offset)


def _translated(message: str) -> str:
    for text in MESSAGES:
        pattern = re.sub(r"\\\{(\w+)\\\}", r"(?P<\1>.+)", re.escape(text))
        if found := re.fullmatch(pattern, message):
            told = say(text, **found.groupdict())
            return told if told != message else ""
    return ""


def _strange_sign(error: SyntaxError) -> str:
    """The sign at which Python stopped, if it only looks like one of Python's, and how many more there are."""
    lines = linecache.getlines(error.filename or "")
    number, column = error.lineno or 1, error.offset or 1
    text = "".join(lines[number - 1 : number]) or error.text or ""
    if code := re.search(r"U\+([0-9A-F]{4,6})\b", error.msg):
        sign = chr(int(code[1], 16))
        if text[column - 1 : column] != sign:  # in a formatted string
            column = text.find(sign) + 1
    elif error.msg.endswith("decimal literal") and (behind := BEHIND_A_DIGIT.search(_code(text))):
        sign, column = behind[0], behind.start() + 1  # behind a number Python 3.11.2 names no sign
    elif error.msg.startswith("unterminated string") and (end := _curly_end(text, column)):
        sign, column = text[end - 1], end
    elif word := next(filter(_like_a_keyword, re.finditer(r"\w+", text)), None):
        column = next(at for at, letter in enumerate(text, 1) if at > word.start() and not letter.isascii())
        sign = text[column - 1]
    else:
        return ""
    told, wanted = _kind(sign)
    facts = {"line": number, "column": column, "sign": sign, "wanted": wanted, "code": f"U+{ord(sign):04X}"}
    told = say(told, **facts)
    if more := [line for line, place in _strange("".join(lines)) if (line, place) != (number, column)]:
        where = say(", ").join(map(str, dict.fromkeys(more)))
        told += " " + say("More of this kind: {count}, in line {lines}.", count=len(more), lines=where)
    return joined(told)


def _curly_end(line: str, column: int) -> int:
    """The column of the last curly mark that may be meant to end the string which begins at a column; 0 if none is."""
    begins = line[column - 1 : column]
    return next((at for at in range(len(line), column, -1) if QUOTES.get(line[at - 1]) == begins), 0)


def _like_a_keyword(word: re.Match) -> bool:
    return not word[0].isascii() and keyword.iskeyword(unicodedata.normalize("NFKC", word[0]))


def _kind(sign: str) -> tuple[str, str]:
    """What to say of a sign, and what Python wants in its place."""
    for signs, told in ((QUOTES, CURLY), (DASHES, DASH)):
        if sign in signs:
            return told, signs[sign]
    if (kind := unicodedata.category(sign)) in ("Zs", "Cf"):
        return (SPACE if kind == "Zs" else UNSEEN), ""
    alike = OTHERS.get(sign) or unicodedata.normalize("NFKC", sign)
    if not alike.isascii():
        return NONE, ""
    return (WIDE if unicodedata.east_asian_width(sign) in "FW" else OTHER), alike


def _code(source: str) -> str:
    """The source with spaces in place of its strings and comments."""
    return QUIET.sub(lambda text: re.sub(r"[^\n]", " ", text[0]), source)


def _strange(source: str) -> Iterator[tuple[int, int]]:
    """Line and column of each sign outside of strings and comments that no Python code has."""
    for number, line in enumerate(_code(source).split("\n"), 1):
        for column, sign in enumerate(line, 1):
            if not (sign.isascii() or f"a{sign}".isidentifier()):
                yield number, column
