"""The exercises in other languages: what the checker says is found, kept in catalogs, and said whole."""

import linecache
import os
import re

import pytest
import torch

from attnbook.exercises import language as speech
from attnbook.exercises import names
from attnbook.exercises.bank import SHELF
from attnbook.exercises.checker import judge
from attnbook.exercises.display import Hints
from attnbook.exercises.language import joined, say
from attnbook.exercises.unreadable import MESSAGES, above
from tools import environment
from tools.languages import LANGUAGES, entries, exercises

CHINESE = LANGUAGES["zh_CN"]
ENGLISH = re.compile(r"\b[a-z]{2,} [a-z]{2,} [a-z]{2,}\b")  # three words in a row


@pytest.fixture(scope="module")
def compiled(tmp_path_factory):
    """A folder with the compiled catalogs."""
    folder = tmp_path_factory.mktemp("catalogs")
    path = folder / CHINESE.code / "LC_MESSAGES/exercises.mo"
    path.parent.mkdir(parents=True)
    path.write_bytes(exercises.gettext_catalog(CHINESE))
    return folder


@pytest.fixture
def catalogs(compiled, monkeypatch):
    """The compiled catalogs, and the variables as on a system that says nothing of a language."""
    monkeypatch.setattr(speech, "CATALOGS", compiled)
    for name in (speech.VARIABLE, "LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG"):
        monkeypatch.delenv(name, raising=False)
    speech._translations.cache_clear()
    yield
    speech._translations.cache_clear()


@pytest.mark.parametrize(
    "variables, said",
    [
        ({}, "not written yet"),
        ({"LANG": "zh_CN.UTF-8"}, "还没有写"),
        ({"LANGUAGE": "zh_CN"}, "还没有写"),
        ({"LANG": "fr_FR.UTF-8"}, "not written yet"),
        ({"ATTNBOOK_LANGUAGE": "zh-CN"}, "还没有写"),
        ({"ATTNBOOK_LANGUAGE": "en", "LANG": "zh_CN.UTF-8"}, "not written yet"),
        ({"ATTNBOOK_LANGUAGE": "tlh"}, "not written yet"),
    ],
)
def test_the_language_is_the_variable_s_or_the_system_s(catalogs, monkeypatch, variables, said):
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert say("not written yet") == said


def test_what_is_compiled_lies_where_the_checker_and_the_set_up_look(tmp_path, monkeypatch):
    path = exercises.compiled_file(CHINESE)
    assert path == environment.CATALOGS / "zh_CN/LC_MESSAGES/exercises.mo"
    monkeypatch.setattr(exercises, "CATALOGS", tmp_path)
    exercises.write(CHINESE)
    (made,) = tmp_path.rglob("*.mo")
    content = made.read_bytes()
    os.utime(made, (0, 0))
    exercises.write(CHINESE)  # the same again
    assert made.stat().st_mtime > 0 and made.read_bytes() == content == exercises.gettext_catalog(CHINESE)


def test_a_sentence_without_a_translation_is_said_in_english(catalogs, monkeypatch):
    monkeypatch.setenv(speech.VARIABLE, "zh_CN")
    assert say("There are {count} of them.", count=3) == "There are 3 of them."
    assert say("") == ""  # of which gettext would say its header


def test_chinese_is_put_together_without_gaps():
    assert joined("是 3。 下一句： x") == "是 3。下一句：x"
    assert joined("看来softmax 和`x`") == "看来 softmax 和 `x`"
    assert joined("One. Two: x") == "One. Two: x"


def words(verdict):
    """What a verdict says, without code, its exercise's name and its mistake's."""
    text = re.sub(r"`[^`]*`|“[^”]*”|<[^>]*>", "", f"{verdict.about}\n{verdict.says}\n{verdict.asks}")
    return "\n".join(line for line in text.splitlines() if not line.startswith("    ") and "Error" not in line)


@pytest.mark.parametrize("name", names())
def test_the_checker_says_everything_in_chinese(catalogs, monkeypatch, name):
    monkeypatch.setenv(speech.VARIABLE, "zh_CN")
    exercise = SHELF.get(name)
    worded = next(mistake for mistake in exercise.mistakes if mistake.says)
    answers = [exercise.mistaken(worded), exercise.solution, lambda *given: None, lambda *given: given]
    answers += [lambda *given: torch.ones(2, 3), lambda *given: missing_name]  # noqa: F821
    verdicts = [judge(exercise, answer) for answer in answers]
    for said in map(words, verdicts):
        assert re.search("[\u4e00-\u9fff]", said) and not ENGLISH.search(said), said
    assert "看来" in verdicts[0].about
    hints = re.sub(r'<div class="highlight">.*?</div>|<code>.*?</code>', "", Hints(exercise)._repr_html_(), flags=re.S)
    assert "提示 1" in hints and not ENGLISH.search(re.sub("“[^”]*”|<em>[^<]*</em>", "", hints)), hints


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("def f(x)：\n    return x", "第 1 行第 9 个字符 `：` 是中文（全角）字符，Python 要的是半角的 `:`。"),
        ("check(“a”, f)", "第 1 行第 7 个字符 `“` 是中文（弯的）引号"),
        ("a = f（b，c）", "这样的字符还有 2 个，在第 1 行。"),
        ("a = 1\n\u3000b = 2", "第 2 行第 1 个字符不是普通的空格（U+3000）"),
        ("def f(x)\n    return x", "这里少了一个冒号“:”。"),
        ("def f(x):\nreturn x", "第 1 行的 def 后面要有函数体"),
        ("while a:\nb", "第 1 行的 while 后面要有内容"),
        ("a = (1]", "前面打开的是“(”，这里关上的却是“]”。"),
        ("if a = 1: b", "“=”是赋值。要问两边是否相等，写“==”。"),
        ("a = = 1", "Python 读不懂这里。"),
        ("nonlocal a", ""),  # which nobody has translated
    ],
)
def test_what_python_cannot_read_is_said_in_chinese(catalogs, monkeypatch, source, said):
    monkeypatch.setenv(speech.VARIABLE, "zh_CN")
    linecache.cache["<read>"] = len(source), None, source.splitlines(keepends=True), "<read>"
    with pytest.raises(SyntaxError) as raised:
        compile(source, "<read>", "exec")
    assert said in (found := above(raised.value)) and bool(said) == bool(found)


def test_each_message_of_python_s_has_a_translation(catalogs, monkeypatch):
    monkeypatch.setenv(speech.VARIABLE, "zh_CN")
    assert all(re.search("[\u4e00-\u9fff]", say(message)) for message in MESSAGES)


def test_what_code_says_is_found():
    source = """say("a {b}", b=1), later("c" "d"), found("name", "e", "f", "g", h=2), say("i" if j else "k"), say(l)
x.say("m")"""
    assert [*exercises.texts_in_calls(source)] == ["a {b}", "cd", "e", "f", "g", "i", "k"]


def test_the_words_of_the_exercises_are_in_their_catalogs():
    spoken = exercises.messages_by_catalog()
    assert set(spoken) == {exercises.catalog_name(name) for name in ("checker", *names())}
    for catalog, those in spoken.items():
        known = {entry.msgid: entry.comment for entry in entries(CHINESE.catalog(catalog))}
        assert known == those, f"{catalog}: run make words"


def test_a_page_holds_hints_and_what_is_not_begun_in_its_language():
    exercise = SHELF.get("masked-softmax")
    verdict = judge(exercise, lambda scores, valid_lens: ...)
    page = f"<p>{exercise.why}</p>{verdict._repr_html_()}{Hints(exercise)._repr_html_()}</section>"
    made = exercises.translate_page(page, CHINESE)
    assert made.startswith(f"<p>{exercise.why}</p>")  # what is not an exercise's is left alone
    assert "masked-softmax — 还没有写<" in made and "<summary>提示 3<" in made and "arange" in made
    assert not any(part in made.partition("</div>")[2] for part in ("Hint", "Solution", "Multiplying by"))
