"""What `show` prints is the source that runs, the same on every machine."""

import ast
import inspect
import linecache
import re
import textwrap
from pathlib import Path

import pytest
import torch

import attnbook
from attnbook.attention import KeyValueCache, MultiHeadAttention, kernels, masks, pooling
from attnbook.attention import layers as attention
from attnbook.data import true_curve
from attnbook.page import Source, claims, show
from attnbook.page.sources import idea
from tensors import says

OBJECTS = [
    masks.masked_softmax,
    kernels.gaussian,
    pooling.NWKernelRegression,
    attention.DotProductAttention,
    attention.DotProductAttention.forward,
    pooling.WidthStep,
    claims.ClaimError,
    masks,
]
ALL = pytest.mark.parametrize("obj", OBJECTS, ids=lambda obj: getattr(obj, "__qualname__", "module"))


def code_of(markdown):
    """What stands between the fences."""
    [code] = re.findall(r"^```python\n(.*?)^```$", markdown, re.DOTALL | re.MULTILINE)
    return code


@ALL
def test_the_whole_is_the_source_itself(obj):
    shown = code_of(show(obj, whole=True)._repr_markdown_())
    assert shown.rstrip() == textwrap.dedent(inspect.getsource(obj)).rstrip()


@ALL
def test_what_is_left_is_still_a_program_made_of_the_sources_lines(obj):
    shown = code_of(show(obj)._repr_markdown_())
    ast.parse(shown)
    lines = set(textwrap.dedent(inspect.getsource(obj)).splitlines())
    others = [line for line in shown.splitlines() if line not in lines]
    assert all(re.match(r" *(def |\w+( = |=|,))", line) for line in others)


EXAMPLE = """
def f(x: Tensor, y: Tensor, *, kind: str = "a", **rest: int) -> Tensor:
    \"\"\"Meaning.\"\"\"
    check_tensor("x", x)
    for name, given in (("x", x), ("y", y)):
        size = given.shape[-1]
        check_same_size(name, size, "wanted", 5, "advice")
    if len(x) != len(y):
        odd = len(x)
        raise ValueError(f"got {odd}")
    if kind is not None:
        check_mask(kind)
    assert y.dim() == 2
    wanted = 3
    check_same_size("a", wanted, "b", 3, "c")
    total = x + y  # (B, T)
    if kind == "b":
        raise ValueError(kind)
    else:
        total = total * 2

    def inner(z: int) -> int:
        check_count("z", z)
        return z
    # a comment
    self.kept = wanted_elsewhere = total
    return inner(total)
"""
IDEA = """
def f(x, y, *, kind="a", **rest):
    total = x + y  # (B, T)
    if kind == "b":
        raise ValueError(kind)
    else:
        total = total * 2

    def inner(z):
        return z
    # a comment
    self.kept = wanted_elsewhere = total
    return inner(total)
"""


def test_checks_docstrings_and_annotations_go_and_all_else_stays():
    assert idea(EXAMPLE.strip()) == IDEA.strip()


def test_a_method_of_checks_goes_as_a_whole():
    check = '    def _check(self, x):\n        """Refuse."""\n        if x:\n            raise ValueError\n\n'
    rest = "    def f(self, x):\n        {}return x"
    before = "class A:\n" + check + rest.format("self._check_x(x)\n        ")
    assert idea(before) == "class A:\n" + rest.format("")
    assert idea("class A:\n    def f(self):\n        raise NotImplementedError").endswith("raise NotImplementedError")


def test_what_a_check_and_the_result_both_use_stays():
    text = "def f(x):\n    size = x.shape[-1]\n    check_size(size)\n    return x / size"
    assert idea(text) == "def f(x):\n    size = x.shape[-1]\n    return x / size"


def test_without_checks_it_computes_the_same():
    """What a page shows of the masked softmax runs, and gives the package's numbers."""
    space = dict(vars(masks))
    exec(show(masks.masked_softmax).text, space)
    scores, lens = torch.randn(2, 3, 5), torch.tensor([2, 5])
    ours = masks.masked_softmax(scores, lens)
    assert space["masked_softmax"] is not masks.masked_softmax
    assert torch.equal(space["masked_softmax"](scores, lens), ours)


def test_a_long_signature_is_broken_where_the_page_ends():
    lines = show(MultiHeadAttention).text.splitlines()
    assert max(len(line) for line in lines) <= 88
    assert "    def forward(self, query, key=None, value=None, valid_lens=None," in "\n".join(lines)


def test_the_famous_lines_are_among_those_shown():
    """The idea of a layer stands in what is shown of it, not in a helper that the reader never sees."""
    dot = show(attention.attention_step).text
    assert "softmax(scores, mask)" in dot and "query / math.sqrt(query.shape[-1]) @ key.mT" in dot
    assert "attention_step(" in show(attention.DotProductAttention).text
    assert len(show(pooling.attention_pooling).text.splitlines()) == 2
    heads = show(MultiHeadAttention).text
    assert "attention_step(" in heads and "W_qkv" in heads
    assert len(heads.splitlines()) <= 65
    assert "torch.cat([self.key, key], dim=2)" in show(KeyValueCache.joined).text


def test_comments_stay_and_no_gap_is_left():
    text = show(masks.masked_softmax, masks.unchecked_masked_softmax).text
    assert "# A softmax over −inf alone is NaN" in text
    assert '"""' not in text and "Args:" not in text and "check_" not in text
    assert text.startswith("def masked_softmax(scores, valid_lens=None, mask=None):")
    layer = show(attention.DotProductAttention).text
    assert layer.startswith(
        "class DotProductAttention(_ScoredAttention):\n    def __init__(self, dropout=0.0):\n        super()"
    )
    assert Source(masks.masked_softmax).text == show(masks.masked_softmax, whole=True).text


def test_several_are_shown_one_after_the_other():
    both = show(masks.sequence_mask, masks.masked_softmax)
    assert both.name == "sequence_mask, masked_softmax"
    assert both.file == "attnbook/attention/masks.py"
    assert both.text == "\n\n\n".join(show(f).text for f in (masks.sequence_mask, masks.masked_softmax))


def test_a_docstring_that_is_all_there_is_stays():
    assert '"""A claim of the book turned out false."""' in show(claims.ClaimError).text


def test_the_heading_names_the_file_from_the_package_on():
    source = show(masks.masked_softmax)
    assert source._repr_markdown_().startswith(
        "<small>`attnbook/attention/masks.py`</small>\n\n```python\ndef masked_softmax("
    )
    assert repr(source) == f"masked_softmax: {len(source.text.splitlines())} lines of attnbook/attention/masks.py"
    assert show(attention.DotProductAttention.forward).name == "DotProductAttention.forward"


@ALL
def test_nothing_of_this_machine_is_printed(obj):
    source = show(obj)
    for text in (repr(source), source._repr_markdown_()):
        assert str(Path(attnbook.__file__).parent.parent) not in text
        assert not re.search(r"0x[0-9a-f]{6,}|site-packages|/home/|/tmp/", text)


@pytest.mark.parametrize("home", ["/srv/attnbook/code", "/srv/attnbook/lib/python3.11/site-packages", "C:/book/code"])
def test_the_text_is_the_same_wherever_the_package_lies(monkeypatch, home):
    """Also in a clone whose own folder is called `attnbook`."""
    here = repr(show(kernels.gaussian)), show(kernels.gaussian)._repr_markdown_()
    monkeypatch.setattr(inspect, "getsourcefile", lambda obj: f"{home}/attnbook/attention/kernels.py")
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


@pytest.mark.parametrize("obj", [5, "masked_softmax", len, torch.exp, torch.zeros(2), None])
def test_what_has_no_source(obj):
    with pytest.raises(TypeError, match=says("show() needs a function or class", f"got {type(obj).__name__}")):
        show(obj)


def test_a_decorated_function_stands_in_its_own_file():
    """`torch.no_grad` wraps a function in one of contextlib's kind; the page should name ours."""
    from attnbook.translation import beam_search

    source = show(beam_search)
    assert source.file == "attnbook/translation/decoding.py"
    assert "@torch.no_grad()" in source.text and "def beam_search(" in source.text


def test_annotations_of_variables_are_left_out_and_parameters_stay():
    text = textwrap.dedent(
        '''
        def f(x: int, size: int = 2) -> list[int]:
            """Double."""
            check_count("size", size)
            found: list[int] = []
            found.append(x)
            return found
        '''
    ).strip()
    assert (
        idea(text)
        == textwrap.dedent(
            """
        def f(x, size=2):
            found = []
            found.append(x)
            return found
        """
        ).strip()
    )
