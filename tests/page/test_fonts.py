"""Labels in any script: a font that has their characters is found, or the picture says what is missing, once."""

import tomllib
import warnings
from pathlib import Path

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import pytest
import torch
from fontTools.fontBuilder import FontBuilder
from fontTools.pens.ttGlyphPen import TTGlyphPen
from matplotlib.font_manager import fontManager
from packaging.requirements import Requirement

from attnbook.page import fonts, show_heatmaps
from attnbook.workbench.asking import draw_alignment
from tools import ROOT

HERS, NOBODYS = "\U000f1234", "\U000f4321"  # for private use: no font of a machine has them
WEIGHTS = torch.tensor([[0.25, 0.75]])


@pytest.fixture(autouse=True)
def alone(monkeypatch):
    """matplotlib's own fonts, and nothing that another test has added."""
    monkeypatch.setattr(fontManager, "ttflist", list(fontManager.ttflist))
    monkeypatch.setattr(fonts, "findSystemFonts", list)
    monkeypatch.setattr(fonts, "PACKAGES", ())
    yield
    plt.close("all")


@pytest.fixture
def font(tmp_path):
    """A font “Hers” with one character."""
    pen = TTGlyphPen(None)
    pen.moveTo((0, 0))
    pen.lineTo((500, 700))
    pen.lineTo((500, 0))
    pen.closePath()
    made = FontBuilder(1000)
    made.setupGlyphOrder([".notdef", "hers"])
    made.setupCharacterMap({ord(HERS): "hers"})
    made.setupGlyf({".notdef": pen.glyph(), "hers": pen.glyph()})
    made.setupHorizontalMetrics({".notdef": (600, 0), "hers": (600, 0)})
    made.setupHorizontalHeader(ascent=800, descent=-200)
    made.setupNameTable({"familyName": "Hers", "styleName": "Regular"})
    made.setupOS2()
    made.setupPost()
    made.save(tmp_path / "hers.ttf")
    return str(tmp_path / "hers.ttf")


def told(draw, *args, **kwargs):
    """A drawn figure, and what was warned of while it was made and drawn."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        figure = draw(*args, **kwargs)
        if isinstance(figure, matplotlib.figure.Figure):
            figure.canvas.draw()
    return figure, [str(warning.message) for warning in caught]


def columns(figure):
    return [(text.get_text(), text.get_fontfamily()) for text in figure.axes[0].get_xticklabels()]


def test_where_nothing_is_missing_nothing_is_looked_for(monkeypatch):
    monkeypatch.setattr(fonts, "findSystemFonts", None)  # not to be called
    figure, said = told(show_heatmaps, WEIGHTS, ["«\u202fÇa\u202f»"], ["я", "λ\u200d"])
    assert not said and columns(figure) == [("я", ["sans-serif"]), ("λ\u200d", ["sans-serif"])]


@pytest.mark.parametrize("where", ["installed later", "in a package"])
def test_a_font_that_has_the_character_is_found(font, monkeypatch, where):
    if where == "installed later":
        monkeypatch.setattr(fonts, "findSystemFonts", lambda: [font, __file__])  # one of them is none
    else:
        monkeypatch.syspath_prepend(font.removesuffix("hers.ttf"))
        (package := Path(font).parent / "her_font").mkdir()
        (package / "__init__.py").touch()
        Path(font).rename(package / "hers.ttf")
        monkeypatch.setattr(fonts, "PACKAGES", ("her-font", "a-package-that-is-not-there"))
    figure, said = told(show_heatmaps, WEIGHTS, ["a"], ["b", f"c{HERS}"], titles=[HERS])
    assert not said, "matplotlib warns of a character that it cannot draw"
    assert columns(figure) == [("b", ["sans-serif", "Hers"]), (f"c{HERS}", ["sans-serif", "Hers"])]
    assert figure.axes[0].title.get_fontfamily() == ["sans-serif", "Hers"]


def test_what_no_font_has_is_a_box_and_said_once(font, monkeypatch):
    monkeypatch.setattr(fonts, "findSystemFonts", lambda: [font])
    figure, said = told(show_heatmaps, WEIGHTS, ["a"], [HERS, f"{NOBODYS}b"])
    assert [text for text, _ in columns(figure)] == [HERS, "□b"]
    [warning] = said
    assert f"no font on this machine has {NOBODYS}, drawn as □" in warning


def test_the_advice_names_the_packages_of_the_extra(monkeypatch):
    monkeypatch.undo()
    extra = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]["fonts"]
    assert [Requirement(one).name for one in extra] == list(fonts.PACKAGES)


def test_an_answer_is_drawn_in_the_same_way():
    _, said = told(draw_alignment, [NOBODYS, "b"], ["a"], WEIGHTS)
    [warning] = said
    assert "no font on this machine has" in warning


def test_chinese_has_chinese_shapes_and_japanese_japanese_ones(monkeypatch):
    """Fonts for East Asia have the same characters and draw them as is the custom in one place."""
    families = ["Some CJK HK", "Some CJK JP", "Some CJK KR", "Some CJK SC", "Some Mono CJK SC"]
    entry = fontManager.ttflist[0].__class__
    monkeypatch.setattr(
        fontManager, "ttflist", [entry(fname=name, name=name, style="normal", weight=400) for name in families]
    )
    monkeypatch.setattr(fonts, "_has", lambda path, characters: characters if "CJK" in path else set())
    for text, family in (("我们", "Some CJK SC"), ("私は", "Some CJK JP"), ("우리", "Some CJK KR")):
        assert fonts.drawable([text])[0][-1] == family


@pytest.mark.parametrize(("text", "warned"), [("أين", 1), ("é", 0)])
def test_an_older_matplotlib_does_not_join_letters(monkeypatch, text, warned):
    monkeypatch.setattr(matplotlib, "__version_info__", (3, 10, 0))
    _, said = told(show_heatmaps, WEIGHTS, [text])
    assert sum('pip install "matplotlib>=3.11"' in one for one in said) == warned == len(said)
