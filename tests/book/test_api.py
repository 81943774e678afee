"""The pages of the package: every public name is described, and the chapters lead there."""

import importlib
import re
from types import SimpleNamespace

import pytest
from sphinx.util.inventory import InventoryFile

from tools import ROOT
from tools.pages.api import DEFINED, TELLING, _mend, comment

ROOMS = sorted(path.stem for path in (ROOT / "chapters/api").glob("*.md"))


@pytest.fixture(scope="module")
def described(built_book) -> dict[str, str]:
    """The place of each name that the built pages describe."""
    with (built_book / "objects.inv").open("rb") as file:
        found = InventoryFile.load(file, "", lambda base, place: place)
    kinds = ("py:function", "py:class", "py:exception", "py:data")
    return {name: entry[2].replace("$", name) for kind in kinds for name, entry in found.get(kind, {}).items()}


def test_every_public_name_is_described(described):
    public = {
        f"attnbook.{room}.{name}" for room in ROOMS for name in importlib.import_module(f"attnbook.{room}").__all__
    }
    own = {name for name in described if name.count(".") == 2}  # others are aliases
    assert len(public) > 200 and own == public


def test_a_shown_source_and_a_first_mention_lead_to_the_description(described, built_book):
    place = described["attnbook.attention.masked_softmax"]
    page = (built_book / "chapters/04-masked-softmax.html").read_text("utf-8")
    shown = re.findall(r"<small><code[^>]*>.*?</code> · reference: (.*?)</small>", page)
    links = [re.findall(r'href="\.\./(?:chapters/)?|href="([^"]*)"', one) for one in shown]
    assert any(place.endswith(link.rpartition("/")[2]) for one in links for link in one)
    mentions = re.findall(r"<a [^>]*api/[^>]*><code[^>]*>(?:<span[^>]*>)?(\w+)<", page)
    assert "from_blocked" in mentions and len(mentions) == len(set(mentions))


def test_a_constant_is_described_where_it_is_defined():
    assert "0, 1, 2, 3" in comment("attnbook.text", "PAD")[0]
    with pytest.raises(LookupError, match="does not import nothing"):
        comment("attnbook.text", "nothing")


def test_what_docstrings_do_not_mean_as_markup_is_none():
    lines = [":param x: T.", "the larger of |u| and 1."]
    _mend(SimpleNamespace(), "function", "f", None, None, lines)
    assert lines == [r":param x: \T.", r"the larger of \|u| and \1."]


def test_only_names_that_can_mean_nothing_else_become_links():
    assert TELLING.fullmatch("masked_softmax") and TELLING.fullmatch("BertConfig")
    assert not [word for word in ("fit", "train", "Step", "x.y") if TELLING.fullmatch(word)]
    assert DEFINED.findall("def a(x):\n    def b():\nclass C:\n") == ["a", "C"]
