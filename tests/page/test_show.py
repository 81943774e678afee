"""What `show` prints is the source that runs, the same on every machine."""

import ast
import inspect
import linecache
import re
import textwrap
from pathlib import Path

import pytest
import torch
from tensors import says

import attnbook
from attnbook.attention import kernels, masks, pooling
from attnbook.attention import layers as attention
from attnbook.data import true_curve
from attnbook.page import Source, claims, show

OBJECTS = [
    masks.masked_softmax,
    kernels.gaussian,
    pooling.NWKernelRegression,
    attention.DotProductAttention,
    attention.DotProductAttention.forward,
    pooling.Step,
    claims.ClaimError,
    masks,
]
ALL = pytest.mark.parametrize(
    "obj", OBJECTS, ids=lambda obj: getattr(obj, "__qualname__", "module")
)


def code_of(markdown):
    """What stands between the fences."""
    [code] = re.findall(r"^```python\n(.*?)^```$", markdown, re.DOTALL | re.MULTILINE)
    return code


@ALL
def test_with_docstrings_it_is_the_source_itself(obj):
    shown = code_of(show(obj, docstring=True)._repr_markdown_())
    assert shown.rstrip() == textwrap.dedent(inspect.getsource(obj)).rstrip()


@ALL
def test_without_docstrings_it_is_the_same_program(obj):
    """Still valid Python, and equal to the original once the docstrings are taken out of that too."""

    def bare(text):
        tree = ast.parse(text)
        for node in ast.walk(tree):
            if (
                isinstance(node, ast.FunctionDef | ast.ClassDef)
                and ast.get_docstring(node)
                and len(node.body) > 1
            ):
                del node.body[0]
        return ast.dump(tree)

    assert bare(code_of(show(obj)._repr_markdown_())) == bare(
        textwrap.dedent(inspect.getsource(obj))
    )


def test_comments_stay_docstrings_go_and_no_gap_is_left():
    text = show(masks.masked_softmax).text
    assert "# A softmax over −inf alone is NaN" in text
    assert '"""' not in text and "Args:" not in text
    assert re.search(r"-> Tensor:\n    check_scores\(scores\)", text)
    layer = show(attention.DotProductAttention).text
    assert layer.startswith("class DotProductAttention(nn.Module):\n    def __init__(")
    assert '"""' not in layer
    assert show(masks.masked_softmax, docstring=True).text.count('"""') == 2
    assert (
        Source(masks.masked_softmax).text
        == show(masks.masked_softmax, docstring=True).text
    )


def test_a_docstring_that_is_all_there_is_stays():
    assert '"""A claim of the book turned out false."""' in show(claims.ClaimError).text


def test_the_heading_names_the_file_from_the_package_on():
    source = show(masks.masked_softmax)
    assert source._repr_markdown_().startswith(
        "<small>`attnbook/attention/masks.py`</small>\n\n```python\ndef masked_softmax("
    )
    assert (
        repr(source)
        == f"masked_softmax: {len(source.text.splitlines())} lines of attnbook/attention/masks.py"
    )
    assert (
        show(attention.DotProductAttention.forward).name
        == "DotProductAttention.forward"
    )


@ALL
def test_nothing_of_this_machine_is_printed(obj):
    source = show(obj)
    for text in (repr(source), source._repr_markdown_()):
        assert str(Path(attnbook.__file__).parent.parent) not in text
        assert not re.search(r"0x[0-9a-f]{6,}|site-packages|/home/|/tmp/", text)


@pytest.mark.parametrize(
    "home",
    [
        "/srv/attnbook/code",
        "/srv/attnbook/lib/python3.11/site-packages",
        "C:/book/code",
    ],
)
def test_the_text_is_the_same_wherever_the_package_lies(monkeypatch, home):
    """Also in a clone whose own folder is called `attnbook`."""
    here = repr(show(kernels.gaussian)), show(kernels.gaussian)._repr_markdown_()
    monkeypatch.setattr(
        inspect, "getsourcefile", lambda obj: f"{home}/attnbook/kernels.py"
    )
    there = repr(show(kernels.gaussian)), show(kernels.gaussian)._repr_markdown_()
    assert there == here


def test_modules_of_a_subpackage_keep_their_folder():
    assert show(true_curve).file == "attnbook/data/synthetic.py"


def test_other_libraries_are_named_by_their_file():
    assert show(torch.nn.Linear).file == "linear.py"


def test_what_the_reader_wrote_in_a_cell():
    """Notebooks keep the source of their cells in linecache."""
    name, text = "<cell 3>", "def mine(x):\n    return x\n"
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    space = {}
    exec(compile(text, name, "exec"), space)
    assert show(space["mine"]).text == text.rstrip()


@pytest.mark.parametrize(
    "obj", [5, "masked_softmax", len, torch.exp, torch.zeros(2), None]
)
def test_what_has_no_source(obj):
    with pytest.raises(
        TypeError,
        match=says("show() needs a function or class", f"got {type(obj).__name__}"),
    ):
        show(obj)


def test_a_decorated_function_stands_in_its_own_file():
    """`torch.no_grad` wraps a function in one of contextlib's kind; the page should name ours."""
    from attnbook.translation import beam_search

    source = show(beam_search)
    assert source.file == "attnbook/translation/decoding.py"
    assert "@torch.no_grad()" in source.text and "def beam_search(" in source.text
