"""What a translation has to keep of its English, and how Chinese must be set.

A sentence is parsed as the book's parser does it, so that code, formulas, roles, links and tags are compared as it sees
them, and what it would show as a literal asterisk or backtick is found without a build.
"""

import functools
import re
from collections import Counter
from decimal import Decimal

import yaml
from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from myst_parser.config.main import MdParserConfig
from myst_parser.parsers.mdit import create_md_parser

from tools import ROOT
from tools.languages import HAN

UNIT = r"(?:thousand|million|billion|trillion)\b|百万|千万|十亿|万亿|[千万亿]"
NUMBER = re.compile(rf"(\d[\d,]*(?:\.\d+)*)(?: ?({UNIT}))?")
UNITS = {"thousand": 3, "million": 6, "billion": 9, "trillion": 12}
UNITS |= {"千": 3, "万": 4, "百万": 6, "千万": 7, "亿": 8, "十亿": 9, "万亿": 12}
FORMULA_WORDS = re.compile(r"\\(?:text|textrm|textbf)\{[^{}]*\}")  # words in a formula may be translated
ROLE = re.compile(r"(.*?)\s*<([^<>]*)>", re.DOTALL)
HOLE = re.compile(r"\{\w*\}")
WORD = re.compile(r"[^\W\d_]{2,}")
REFERENCES = "cite", "eq", "numref", "doc", "func", "class", "obj", "meth", "mod"  # roles that show no words of ours
FULL_WIDTH = "，。：；？！、（）《》"
OBJECT = "\ufffc"  # stands for what is shown in a role's place
# what reads as foreign in Chinese text, and what to do about it
SIGNS = {
    rf"[{HAN}）”][,;:?!]|[{HAN}）”]\.(?=\s|$)": "half-width punctuation after Chinese: use ，。：；？！",
    rf"[{HAN}]\(|\([{HAN}]|[{HAN}]\)|\)[{HAN}]": "half-width parentheses beside Chinese: use （）, or a space",
    rf"[{HAN}][A-Za-z0-9$]|[A-Za-z0-9$%][{HAN}]": "no space between Chinese and a word, number, code or formula",
    rf" [{FULL_WIDTH}]|[{FULL_WIDTH}] |[{HAN}] “|” [{HAN}]": "a space beside full-width punctuation",
    rf"[{HAN}] [{HAN}]": "a space between two Chinese characters",
    rf"\"[^\"]*[{HAN}][^\"]*\"|(?<![A-Za-z])'[^']*[{HAN}][^']*'(?![A-Za-z])": "straight quotes around Chinese: use “”",
    r"  ": "two spaces",
}


@functools.cache
def parser() -> MarkdownIt:
    """The parser of the book's pages, without the substitution of quotes and dashes."""
    settings = yaml.safe_load((ROOT / "_config.yml").read_text("utf-8"))["parse"]["myst_enable_extensions"]
    config = MdParserConfig(enable_extensions={*settings} - {"smartquotes", "substitution"})
    return create_md_parser(config, RendererHTML)


class Sentence:
    """A sentence, taken apart.

    Args:
        source: MyST.

    Attributes:
        required: what a translation must have as well, each with how often.
        words: the text between, as it is shown; `A` stands for code and for a formula.
        stray: signs of markup that would be shown.
        terms: names of the glossary to which it links.
        paragraph: whether it is one paragraph, and not a list, a heading or a formula on its own.
    """

    def __init__(self, source: str):
        blocks = parser().parse(source)
        self.paragraph = [token.type for token in blocks] == ["paragraph_open", "inline", "paragraph_close"]
        self.required: Counter[str] = Counter()
        self.terms: list[str] = []
        shown, plain = [], []
        for token in [token for block in blocks for token in block.children or [block]]:
            kind, content = token.type, token.content
            if kind == "code_inline":
                self.required[f"`{content}`"] += 1
                shown.append("A")
            elif kind.startswith("math"):
                self.required[f"${FORMULA_WORDS.sub('', content).strip()}$"] += 1
                shown.append("A")
            elif kind == "myst_role":
                shown.append(self._role(token.meta["name"], content))
            elif kind == "link_open":
                self.required[f"]({token.attrs['href']})"] += 1
            elif kind == "image":
                self.required[f"![]({token.attrs['src']})"] += 1
                shown.append(OBJECT)
            elif kind == "html_inline":
                self.required[content] += 1
            elif kind in ("text", "text_special"):
                shown.append(content)
                plain.append(content)
            elif kind in ("softbreak", "hardbreak"):
                shown.append("\n")
        self.words = "".join(shown)
        text = " ".join(plain)
        self.stray = Counter(sign for sign in text if sign in "*`$")
        for hole in HOLE.findall(text):
            self.required[hole] += 1
        for digits, unit in NUMBER.findall(HOLE.sub("", self.words)):
            self.required[_number(digits, unit)] += 1

    def _role(self, name: str, content: str) -> str:
        """Note where a role leads; gives what it shows."""
        titled = ROLE.fullmatch(content)
        target = titled[2] if titled else content
        self.required[f"{{{name}}}`{target}`"] += 1
        if name == "term":
            self.terms.append(target)
            return titled[1] if titled else content
        return titled[1] if titled and not name.startswith(REFERENCES) else OBJECT


def _number(digits: str, unit: str) -> str:
    """A number in one spelling, so that 65 million is 6500 万."""
    digits = digits.rstrip(",").replace(",", "")
    if digits.count(".") > 1 or unit not in UNITS:
        return f"the number {digits}"
    return f"the number {(Decimal(digits) * 10 ** UNITS[unit]).normalize():f}"


def has_words(source: str) -> bool:
    """Whether a sentence holds anything that can be translated."""
    sentence = Sentence(source)
    return bool(sentence.terms or WORD.search(re.sub(r"\{\w*\}|https?://\S+", " ", sentence.words)))


def accepted(term: str, word: str) -> list[str]:
    """Words that a translation may use for a term: the glossary's, each if there are two, and an abbreviation."""
    abbreviation = [term] if len(re.findall("[A-Z]", term)) > 1 else []
    return [word, *filter(None, re.split("[（）／]", word)), *abbreviation]


def faults(english: str, translation: str, terms: dict[str, str], plain: bool = False) -> list[str]:
    """What is wrong with the translation of a sentence; nothing, if nothing is.

    Args:
        english: MyST, or plain text.
        translation: the same in another language. If it is the English itself, the sentence stays as it is.
        terms: the words of the glossary by their English.
        plain: there is no markup in either (alternative texts).
    """
    if translation == english:
        return []
    if plain:
        english, translation = (re.sub(r"([\\*_`$\[\]{}<>#+-])", r"\\\1", text) for text in (english, translation))
    source, target = Sentence(english), Sentence(translation)
    wrong = [f"missing: {what}" for what in source.required - target.required]
    wrong += [f"not in the English: {what}" for what in target.required - source.required]
    wrong += [f"would be shown as it is: {sign}" for sign in target.stray - source.stray]
    if not target.paragraph:
        wrong.append("begins like a list or a heading: put the number or sign elsewhere, or a backslash before it")
    wrong += [
        f"term “{term}”: the glossary says {terms[term]}"
        for term in source.terms
        if term in terms and not any(word in target.words for word in accepted(term, terms[term]))
    ]
    for pattern, what in SIGNS.items():
        if (hit := re.search(pattern, target.words)) and not re.search(pattern, source.words):
            around = target.words[max(0, hit.start() - 6) : hit.end() + 6].replace(OBJECT, "…")
            wrong.append(f"{what} (“{around}”)")
    return wrong
