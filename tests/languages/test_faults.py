"""The checker of translations: it passes what is stored, and catches whatever is broken in it."""

import re

import polib
import pytest

from tools.languages import LANGUAGES, LOCALE
from tools.languages.catalogs import catalog_faults
from tools.languages.checks import Sentence, faults, has_words

TERMS = {"valid length": "有效长度", "dropout": "暂退法（dropout）", "ReLU": "修正线性单元"}
CHINESE = LANGUAGES["zh_CN"]
STORED = sorted(LOCALE.rglob("*.po"))
GOOD = [
    ("A {term}`valid length` of 3, `x` and $n$.", "{term}`有效长度 <valid length>`为 3，`x` 和 $n$。"),
    ("A {term}`dropout` of {term}`ReLU`s", "{term}`暂退法 <dropout>`与 {term}`ReLU <ReLU>`"),
    ("65 million of 1,024, see {ref}`chapter 1 <ch>`.", "1024 中的 6500 万，见{ref}`第 1 章 <ch>`。"),
    ("*Hello world* (1, 2) and {name}", "*Hello world* (1, 2) 与 {name}"),
    (r"$0 \text{ if } x$ and a [link](https://x.org)", r"[链接](https://x.org)与 $0 \text{ 若 } x$"),
    ("<small>the **“mask”** of {cite:t}`a`</small>", "<small>{cite:t}`a` 的**掩码**</small>"),
    ("Hello", "Hello"),
]
BAD = [
    ("A `x`", "一个 `y`", "missing: `x`"),
    ("a 3", "一个 4", "the number 4"),
    ("$n$", "$m$", "missing: $n$"),
    ("see {ref}`x <a>`", "见{ref}`x <b>`", "missing: {ref}`a`"),
    ("[a](b)", "[甲](c)", "missing: ](b)"),
    ("<b>a</b>", "<i>甲</i>", "missing: <b>"),
    ("{a} of {b}", "{a}", "missing: {b}"),
    ("**Padding.** this", "**填充。**这是", "shown as it is: *"),
    ("`x` and", "`x` 和 `", "shown as it is: `"),
    ("the {term}`valid length`", "{term}`长度 <valid length>`", "the glossary says 有效长度"),
    ("1) a", "1) 甲", "begins like a list"),
    ("a mask, b", "掩码, 乙", "half-width punctuation"),
    ("Is it?", "是吗?", "half-width punctuation"),
    ("a (b) c", "甲(乙)丙", "half-width parentheses"),
    ("softmax of a", "甲的softmax", "no space between"),
    ("$n$ is", "变量$n$是", "no space between"),
    ("a. b", "甲 。乙", "a space beside"),
    ("a b", "甲 乙", "two Chinese characters"),
    ('say "a"', '说"甲"', "straight quotes"),
    ("a b", "用  x", "two spaces"),
]


@pytest.mark.parametrize("english, translation", GOOD)
def test_a_good_translation_passes(english, translation):
    assert faults(english, translation, TERMS) == []


@pytest.mark.parametrize("english, translation, complaint", BAD)
def test_a_fault_is_named(english, translation, complaint):
    assert [complaint in fault for fault in faults(english, translation, TERMS)].count(True) >= 1


def test_plain_text_has_no_markup():
    assert faults("a * b_c_d < e `f`", "甲 * b_c_d < e `f`", {}, plain=True) == []


@pytest.mark.parametrize("source, words", [("`x`", False), ("$x$ 0.5", False), ("{cite:t}`a`", False), ("NaN", True)])
def test_a_message_without_words_needs_no_translation(source, words):
    assert has_words(source) is words


@pytest.mark.parametrize("path", STORED, ids=lambda path: path.stem)
def test_what_is_stored_is_right_and_one_line_for_each_sentence(path):
    (language,) = [one for one in LANGUAGES.values() if one.code in path.parts]
    page = path.relative_to(language.catalog("index").parent).with_suffix("").as_posix()
    assert not catalog_faults(language, page)
    text = path.read_text("utf-8")
    broken = re.sub(
        r'^(msg\w+) ""\n("(?:[^"\\\n]|\\.)*\\n"\n)+', r'\1 ""', text, flags=re.MULTILINE
    )  # where they are so
    assert not re.search(r'^msg(?:id|str) ""\n"(?!Language|Content)', broken, re.MULTILINE), "broken into several lines"
    assert not re.search(r"^#:", text, re.MULTILINE), "numbers of lines"


# what may go wrong in a translation: the pattern of a part of it, and what takes its place
MUTATIONS = {
    "number": (r"(?<![\w{`$\\^_.])(\d+)(?![\d.]*[`$}])", lambda found: str(int(found[1]) + 1)),
    "code": (r"(?<=[ （，：])`(\w[^`]*)`", r"`\1x`"),
    "formula": (r"\$([^$]+)\$", r"$\1 + 1$"),
    "role": (r"\{(ref|term|cite:t)\}`([^`]*?)(>?)`", r"{\1}`\2x\3`"),
    "bold": (r"\*\*([^*]+)\*\*([，。])", r"**\1\2**甲"),
    "comma": (r"(?<=[\u4e00-\u9fff])，", ", "),
    "stop": (r"(?<=[\u4e00-\u9fff])。$", "."),
    "space": (r"(?<=[\u4e00-\u9fff]) (?=[A-Za-z`$])", ""),
    "gap": (r"，", "， "),
    "lost": (r" ?`[^`]+`$|\$[^$]+\$", ""),
}


@pytest.mark.parametrize("mutation", MUTATIONS)
def test_whatever_is_changed_in_a_translation_is_noticed(mutation):
    pattern, change = MUTATIONS[mutation]
    words = {}
    tried = 0
    for page in ("chapters/04-masked-softmax", "index"):
        for entry in polib.pofile(str(CHINESE.catalog(page))):
            mutant = re.sub(pattern, change, entry.msgstr, count=1)
            if mutant == entry.msgstr or entry.msgstr == entry.msgid or entry.comment == "alt text":
                continue
            tried += 1
            assert faults(entry.msgid, mutant, words), f"{mutation}: {mutant}"
    assert tried >= 7


def test_a_sentence_is_taken_apart():
    found = Sentence("At 1,000 `a`: {term}`b <c>`, *d* and {eq}`e`")
    assert found.required == {"`a`": 1, "{term}`c`": 1, "{eq}`e`": 1, "the number 1000": 1}
    assert found.terms == ["c"] and found.paragraph
    assert found.words == "At 1,000 A: b, d and \ufffc"
