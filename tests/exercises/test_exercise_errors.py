"""What is said of code that Python cannot read, and of names that it does not know."""

import linecache

import pytest
import torch
import torch.nn.functional as F

from attnbook.exercises.bank import SHELF
from attnbook.exercises.checker import judge
from attnbook.exercises.undefined import meant
from attnbook.exercises.unreadable import MESSAGES, above

MASKED = SHELF.get("masked-softmax")


def said(source):
    """What stands above Python's own line."""
    linecache.cache["<read>"] = len(source), None, source.splitlines(keepends=True), "<read>"
    with pytest.raises(SyntaxError) as raised:
        compile(source, "<read>", "exec")
    return above(raised.value)


def wide(sign, wanted):
    return f"`{sign}` is a full-width character. Python wants `{wanted}`; switch your input method to English."


CURLY = "is a curly quotation mark. Python wants the straight one"
TYPED = "is not an ordinary one. Delete it and type it again."


@pytest.mark.parametrize(
    ("source", "line", "column", "says"),
    [
        ("def f(x)：\n    return x", 1, 9, wide("：", ":")),
        ("f(a，b)", 1, 4, wide("，", ",")),
        ("a = 1\nb = f（a)", 2, 6, wide("（", "(")),
        ("a = (1）", 1, 7, wide("）", ")")),
        ("a = 1；b = 2", 1, 6, wide("；", ";")),
        ("a ！= b", 1, 3, wide("！", "!")),
        ("a ＝ 1", 1, 3, wide("＝", "=")),
        ("a = b。shape", 1, 6, wide("。", ".")),
        ("f(a、b)", 1, 4, wide("、", ",")),
        ("a = 【", 1, 5, wide("【", "[")),
        ("a = 1２", 1, 6, wide("２", "2")),
        ("a = １", 1, 5, wide("１", "1")),
        ("ｄｅｆ f(x):\n    pass", 1, 1, wide("ｄ", "d")),
        ("a = f'{b，c}'", 1, 9, wide("，", ",")),
        ("a = “b", 1, 5, f'`“` {CURLY}, `"`.'),
        ("a = ‘b", 1, 5, f"`‘` {CURLY}, `'`."),
        ('a = "it’s”', 1, 10, f'`”` {CURLY}, `"`.'),
        ("a = 3 – 1", 1, 7, "`–` is a dash. Python wants the keyboard's minus sign, `-`."),
        ("a = −1", 1, 5, "`−` is a dash. Python wants the keyboard's minus sign, `-`."),
        ("def f(x):\n\u3000return x", 2, 1, f"this space (U+3000) {TYPED}"),
        ("a\u00a0= 1", 1, 2, f"this space (U+00A0) {TYPED}"),
        ("a\u200b = 1", 1, 2, "an invisible character (U+200B) stands here. Delete it."),
        ("a = b²", 1, 6, "Python does not know the sign `²`. Write `**2`."),
        ("a ≤ b", 1, 3, "Python does not know the sign `≤`. Write `<=`."),
        ("a = 😀", 1, 5, "Python does not know the sign `😀` outside of strings and comments."),
    ],
)
def test_a_sign_that_looks_like_pythons_is_named_with_its_place(source, line, column, says):
    assert said(source) == f"Line {line}, column {column}: {says}"


def test_signs_of_the_kind_are_counted_outside_of_strings_and_comments():
    source = "def f(x，y)：  # a：b\n    '''c，d'''\n    print('é：', \"“\")\n    return g（x，y）\n"
    assert said(source).endswith("More of this kind: 4, in line 1, 4.")
    compile('x = "：，（）“”"  # ：、\n变量 = x\nｎ = 1', "<read>", "exec")  # all this is Python


FREQUENT = {
    "def f(x)\n    return x": "expected ':'",
    "a = (1": "'(' was never closed",
    "a = 1)": "unmatched ')'",
    "a = (1]": "closing parenthesis ']' does not match opening parenthesis '('",
    "a = (1,\n2]": "closing parenthesis ']' does not match opening parenthesis '(' on line 1",
    "if a = 1:\n    b": "invalid syntax. Maybe you meant '==' or ':=' instead of '='?",
    "f() = 1": "cannot assign to function call here. Maybe you meant '==' instead of '='?",
    "f(a b)": "invalid syntax. Perhaps you forgot a comma?",
    "def f(x):\nreturn x": "expected an indented block after function definition on line 1",
    "if a:\nb": "expected an indented block after 'if' statement on line 1",
    "a = 1\n  b = 2": "unexpected indent",
    "if a:\n    b\n  c": "unindent does not match any outer indentation level",
    "if a:\n\tb\n        c": "inconsistent use of tabs and spaces in indentation",
    "a = 'b": "unterminated string literal (detected at line 1)",
    "return 1": "'return' outside function",
    "a = 2b": "invalid decimal literal",
    "f(a=1, b)": "positional argument follows keyword argument",
    "a = = 1": "invalid syntax",
}


@pytest.mark.parametrize("source", FREQUENT)
def test_pythons_own_messages_are_enough_in_english(source):
    with pytest.raises(SyntaxError) as raised:
        compile(source, "<read>", "exec")
    assert raised.value.msg == FREQUENT[source] and above(raised.value) == ""
    assert len(FREQUENT) == len(MESSAGES)


def question(body, **world):
    """What is asked of the author of a function that is masked softmax but for its body."""
    source = f"def my_softmax(scores, valid_lens):\n    longest = scores.shape[-1]\n    return {body}\n"
    linecache.cache["<cell>"] = len(source), None, source.splitlines(keepends=True), "<cell>"
    world = {"torch": torch, **world}
    exec(compile(source, "<cell>", "exec"), world)
    verdict = judge(MASKED, world["my_softmax"])
    assert verdict.diagnosis == "raises"
    return verdict.asks


IN_FULL = "Write it in full, or begin your cell with"


@pytest.mark.parametrize(
    ("body", "asks"),
    [
        ("F.softmax(scores, -1)", "torch is. Is `torch.nn.functional.softmax` meant? " + IN_FULL),
        ("nn.functional.softmax(scores, -1)", f"Is `torch.nn.functional` meant? {IN_FULL} `import torch.nn as nn`."),
        ("np.exp(scores)", "Can `torch.exp` do it? If not, begin your cell with `import numpy as np`."),
        ("np.vstack(scores)", "Can `torch.vstack` do it? If not, begin your cell with `import numpy as np`."),
        ("np.nditer(scores)", "`np` is not imported here. Should your cell begin with `import numpy as np`?"),
        ("scores / math.sqrt(2)", "`math` is not imported here. Should your cell begin with `import math`?"),
        ("softmax(scores, -1)", "the function `torch.softmax` meant, or the method `x.softmax()` of a tensor?"),
        ("view(scores, -1)", "Is the method `x.view()` of a tensor meant?"),
        ("cross_entropy(scores, scores)", "Is `torch.nn.functional.cross_entropy` meant?"),
        ("scores.masked_fill(scores > 0, inf)", "`inf` alone is not known here. Is `torch.inf` meant?"),
        ("masked_softmax(scores, valid_lens)", "`masked_softmax` is what you are asked to write."),
        ("score.softmax(-1)", "Nothing here is called `score`. Did you mean `scores`?"),
        ("Scores.softmax(-1)", "Did you mean `scores`?"),
        ("scores[:, :lens]", "Did you mean `valid_lens`?"),
        ("[longes for _ in scores]", "Did you mean `longest`?"),
        ("pirnt(scores)", "Did you mean `print`?"),
        ("my_mask(scores)", "Did you mean `my_masks`?"),
        ("query @ keys", "Is one of these meant: `scores`, `valid_lens`, `longest`? Or should a line above"),
    ],
)
def test_a_name_that_is_not_known_hears_what_is(body, asks):
    assert asks in question(body, my_masks=0)


def test_what_a_module_s_question_names_is_there():
    assert "begin your cell with `import torch.nn.functional as F`." in question("F.softmax(scores)")
    assert "`import torch.nn.functional as F`?" in meant("F", {}, line="F.softmax(x)")  # without torch to write it with
    assert "`F` is not imported here" in meant("F", {"torch": torch, "f": 1})  # where no line can be read
    known = {"torch": torch, "F": F, "token": 1}
    assert meant("tokens", known, ["token"], "tokens.x") == "Nothing here is called `tokens`. Did you mean `token`?"


def test_a_function_of_the_book_is_found_where_it_lies():
    import attnbook.attention  # noqa: F401 (that it is loaded is what counts)

    assert "Do you need `from attnbook.attention import sequence_mask`?" in meant("sequence_mask", {}, ["x"])


def test_a_function_with_other_parameters_is_shown_beside_the_call():
    verdict = judge(MASKED, lambda scores: scores)
    assert verdict.says == "The checker calls my_masked_softmax(scores, valid_lens); your function takes (scores)."

    def mine(scores, valid_lens, *, dim: int, fill: float = 0.5) -> torch.Tensor:
        return scores

    assert "your function takes (scores, valid_lens, *, dim, fill=0.5)." in judge(MASKED, mine).says


def test_a_notebook_says_it_above_python_s_own_line(capsys):
    from IPython.core.interactiveshell import InteractiveShell

    from attnbook.exercises.unreadable import in_notebooks

    shell = InteractiveShell.instance()
    try:
        in_notebooks()
        for source, above_it, own in [
            ("def f(x)：\n    return x", wide("：", ":"), "SyntaxError"),
            ("wdith = 1\nwidth", "Did you mean `wdith`?", "NameError"),
        ]:
            result = shell.run_cell(source, store_history=False)
            assert not result.success
            told = capsys.readouterr()
            assert above_it in told.err and own in told.out + told.err
        assert shell.run_cell("1 / 0", store_history=False).error_in_exec is not None
        assert capsys.readouterr().err == ""
    finally:
        InteractiveShell.clear_instance()
