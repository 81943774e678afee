"""The figure of costs: what it counts is what torch does and what the layers have."""

import itertools
import json
import re

import pytest
import torch
from torch.testing import assert_close
from torch.utils._python_dispatch import TorchDispatchMode

from attnbook.attention import layers as attention
from attnbook.attention import scores
from attnbook.widgets import ScoreCostsFigure
from attnbook.widgets.score_costs import score_costs
from attnbook.widgets.score_functions import SCORES
from tools import ROOT


@pytest.fixture
def page(open_figure):
    return open_figure(ScoreCostsFigure())


class Counter(TorchDispatchMode):
    """Counts what torch really does: multiply-adds in products, other operations, tanh, the largest result."""

    def __init__(self):
        super().__init__()
        self.products = self.elementwise = self.tanh = self.largest = 0

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        out = func(*args, **(kwargs or {}))
        name = func.overloadpacket.__name__
        if name in ("mm", "bmm", "mv"):
            self.products += out.numel() * args[0].shape[-1]
        elif name in ("add", "sub", "mul", "div"):
            self.elementwise += out.numel()
        elif name == "tanh":
            self.tanh += out.numel()
        self.largest = max(self.largest, out.numel())
        return out


def through_norms(query, key):
    """The Gaussian score as it is counted: q·k − ½‖q‖² − ½‖k‖²."""
    half = [0.5 * (x.unsqueeze(1) @ x.unsqueeze(2)).flatten() for x in (query, key)]
    return query @ key.T - half[0][:, None] - half[1]


@pytest.mark.parametrize("name", SCORES)
def test_counts_equal_what_torch_does(name):
    d, h, num_queries, num_keys = 3, 5, 11, 13
    draw = torch.Generator().manual_seed(0)
    query, key, weight, W_q, W_k, w_v = (
        torch.randn(*shape, generator=draw, dtype=torch.float64)
        for shape in ((num_queries, d), (num_keys, d), (d, d), (h, d), (h, d), (h,))
    )
    arguments = {"multiplicative": (weight,), "additive": (W_q, W_k, w_v)}.get(name, ())
    function = through_norms if name == "gaussian" else getattr(scores, f"{name}_score")
    with Counter() as counter:
        out = function(query, key, *arguments)
    assert_close(out, getattr(scores, f"{name}_score")(query, key, *arguments))
    costs = score_costs(name, d, h, num_queries, num_keys)
    assert costs["products"] == counter.products
    assert costs["elementwise"] == counter.elementwise
    assert costs["tanh"] == counter.tanh
    assert costs["largest"] == counter.largest
    assert costs["multiply_adds"] == costs["products"] + costs["elementwise"]


def test_parameters_equal_those_of_the_layers():
    def count(layer):
        return sum(p.numel() for p in layer.parameters())

    assert score_costs("additive", 7, 5, 2, 3)["parameters"] == count(attention.AdditiveAttention(7, 7, 5))
    assert score_costs("multiplicative", 7, 5, 2, 3)["parameters"] == count(attention.MultiplicativeAttention(7, 7))
    assert score_costs("scaled_dot", 7, 5, 2, 3)["parameters"] == count(attention.DotProductAttention()) == 0


@pytest.mark.parametrize("name", SCORES)
def test_counts_in_the_browser_equal_python(maths, name):
    for d, h, num_queries, num_keys in ((64, 64, 64, 64), (7, 11, 13, 17), (4096, 4096, 4096, 4096), (1, 1, 1, 1)):
        sizes = {"d": d, "h": h, "num_queries": num_queries, "num_keys": num_keys}
        assert maths("cost", name, sizes) == score_costs(name, d, h, num_queries, num_keys)


def test_the_sliders(page):
    page.slide("d", 9)  # 2⁹
    page.slide("h", 5)
    page.press("num_queries", "ArrowLeft", "ArrowLeft")
    sizes = {"d": 512, "h": 32, "num_queries": 64, "num_keys": 256}
    assert {name: page.state(name) for name in sizes} == sizes
    for name in SCORES:
        for what, count in score_costs(name, **sizes).items():
            cell = page.page.locator(f'[data-cell="{name}-{what}"]')
            if cell.count():
                assert int(cell.get_attribute("data-count")) == count
    cell = page.page.locator('[data-cell="additive-largest"]')
    assert cell.text_content() == "524 k"
    page.reset()
    assert page.state("d") == page.state("num_queries") == 256


@pytest.mark.parametrize("sizes", [(256, 256, 256), (64, 4096, 128), (1, 1, 1)])
def test_where_the_two_draw_level(maths, sizes):
    names = dict(zip(("d", "num_queries", "num_keys"), sizes, strict=True))
    plain = score_costs("dot", h=1, **names)["multiply_adds"]
    one = score_costs("additive", h=1, **names)["multiply_adds"]
    assert maths("levelHidden", names) == pytest.approx(plain / one)


def test_the_sentence_has_the_chapters_numbers(page):
    assert page.said == (
        "At h = 256 the additive score does 4 times as many multiply-adds as the dot product and holds 256 times as "
        "many numbers, each put through a tanh. Below h = 64 it saves multiply-adds."
    )
    page.slide("h", 3)
    assert "the dot product does 8 times as many multiply-adds" in page.said
    assert "as the additive score, which holds 8 times as many numbers" in page.said
    assert page.said.endswith("Measured, the additive score takes 3.6 times as long.")
    page.slide("h", 1)
    assert "which holds twice as many numbers" in page.said


def test_the_sentence_follows_every_slider(page):
    page.slide("h", 3)
    page.slide("num_queries", 0)
    page.slide("num_keys", 0)
    assert "does 16.1 times as many" in page.said  # 8 · (2 · 256 + 2) / 256
    assert "At these sizes no h saves any." in page.said
    page.slide("h", 0)
    assert "and both hold one number for each pair" in page.said
    page.slide("num_queries", 8)
    page.slide("num_keys", 8)
    page.slide("d", 6)  # the two draw level between 25 and 26
    assert "Below h = 26 the additive score saves multiply-adds." in page.said


def test_the_sentence_is_true_everywhere(maths):
    few = (1, 2, 8, 256, 4096)
    for d, h, t, s in itertools.product(few, repeat=4):
        sizes = {"d": d, "h": h, "num_queries": t, "num_keys": s}
        words = maths("inWords", sizes)
        counts = {name: score_costs(name, **sizes) for name in ("additive", "dot")}
        ours, dots = (counts[n]["multiply_adds"] for n in ("additive", "dot"))
        larger, smaller = ("dot product", "additive score")[:: 1 if dots > ours else -1]
        way = rf"^At h = {h} the {larger} does (.*) multiply-adds as the {smaller}\b"
        much = re.match(way, words).group(1)
        ratio = max(ours, dots) / min(ours, dots)
        if much in ("as many", "about as many"):
            assert ratio == 1 if much == "as many" else 1 < ratio < 1.005
        else:
            shown = re.fullmatch(r"(twice|[\d.]+ times) as many", much).group(1)
            shown = "2" if shown == "twice" else shown.removesuffix(" times")
            assert float(shown) == pytest.approx(ratio, rel=0.005) and shown != "1"
        assert not re.search(r"(?<![\d.])2 times", words)
        assert len(words) < 210
        if (d, h, t, s) == (256, 8, 256, 256):  # measured
            continue
        who = "the additive score" if dots > ours else "it"
        saves = re.search(rf"Below h = (\d+) {who} saves multiply-adds\.$", words)
        from_here = int(saves.group(1)) if saves else 1
        if not saves:
            assert words.endswith("At these sizes no h saves any.")
        below, at = (
            score_costs("additive", **(sizes | {"h": n}))["multiply_adds"] for n in (max(1, from_here - 1), from_here)
        )
        assert at >= dots and (from_here == 1 or below < dots)


def stored_times():
    """From the chapter's file: {(d, h): how many times the scaled dot product's time the additive score takes}."""
    rows = json.loads((ROOT / "chapters" / "results" / "scores.json").read_text())
    assert rows["n"] == 256 and rows["machine"]["threads"] == 1
    return {(row["d"], row["h"]): row["ratio"] for row in rows["rows"] if row["score"] == "additive"}


def test_the_times_are_the_stored_ones(page):
    stored = stored_times()
    for d in (64, 128, 256, 1024):
        sizes = {"d": d, "h": 1, "num_queries": 256, "num_keys": 256}
        wanted = sorted([h, ratio] for (of, h), ratio in stored.items() if of == d)
        assert page.math("measured", sizes) == wanted
        assert page.math("measured", sizes | {"num_keys": 128}) == []
    note = page.page.locator("svg text", has_text="Time was measured").text_content()
    assert "one CPU thread for T = S = 256 and d = 64, 256 or 1024" in note


def test_a_measured_time_is_told_where_it_was_measured(page):
    for (d, h), ratio in stored_times().items():
        page.set(d=d, h=h)
        page.settle()
        slower, much = page.said.rpartition("Measured, ")[2].rstrip(".").split(" take")
        if max(ratio, 1 / ratio) < 1.15:
            assert (slower, much) == ("both", " about as long")
            marked = "time ≈ × 1"
        else:
            assert slower == f"the {'additive score' if ratio > 1 else 'dot product'}"
            shown = re.fullmatch(r"s ([\d.]+) times as long", much).group(1)
            assert float(shown) == pytest.approx(max(ratio, 1 / ratio), rel=0.05)
            marked = f"time {'×' if ratio > 1 else '÷'} {shown}"
        assert marked in page.page.locator("svg text").all_text_contents()
    page.set(h=16)
    page.settle()
    assert "Measured" not in page.said


def test_the_first_picture_has_the_measured_time(page):
    """Within ten seconds: at an eighth of the arithmetic, a diamond above the dot product's line."""
    assert "time × 3.6" in page.page.locator("svg text").all_text_contents()
    page.set(num_keys=512)
    page.settle()
    shown = page.page.locator("svg text").all_text_contents()
    assert not [text for text in shown if text.startswith("time ×")]


@pytest.mark.parametrize("width", [390, 1000])
def test_the_sentence_is_under_the_lines_and_the_table_below(open_figure, width):
    page = open_figure(ScoreCostsFigure(), width=width)
    tops = [
        page.page.locator(part).bounding_box()["y"] for part in (".ab-stage >> nth=0", ".ab-said", ".ab-stage >> nth=1")
    ]
    assert tops == sorted(tops)
    box = page.page.locator(".ab-said").bounding_box()
    assert box["y"] + box["height"] < 700
    for sizes in ({"h": 1}, {"h": 2048, "d": 8}, {"h": 512, "d": 4096}):
        page.set(**sizes)
        page.settle()
        assert page.page.locator(".ab-said").bounding_box() == box


@pytest.mark.parametrize("width", [390, 1000])
def test_no_number_is_on_the_dot_products_line(open_figure, width):
    page = open_figure(ScoreCostsFigure(), width=width)
    for h in (1, 8, 16, 32, 64, 128, 256, 4096):
        page.set(h=h)
        page.settle()
        marks = page.page.evaluate(
            """() => {
              const lines = [...document.querySelectorAll(".ab-stage:first-child svg line")];
              const one = lines.find((line) => line.getAttribute("stroke-width") === "1.5");
              const level = one.getBoundingClientRect().top;
              const texts = [...document.querySelectorAll(".ab-stage:first-child svg text[font-weight='700']")];
              return texts.map((text) => {
                const { left, right, top, bottom } = text.getBoundingClientRect();
                return { left, right, top: top + 3, bottom: bottom - 3, level }; // the letters
              });
            }"""
        )
        assert len(marks) == 3, marks
        for at in marks:
            assert at["bottom"] < at["level"] + 1 or at["top"] > at["level"] - 1, (h, at)
        for one, other in itertools.combinations(marks, 2):
            beside = one["right"] < other["left"] or other["right"] < one["left"]
            assert beside or one["bottom"] < other["top"] or other["bottom"] < one["top"], h


def test_four_digits_look_the_same_everywhere(page):
    page.set(h=8)
    page.settle()
    cell = page.page.locator('[data-cell="additive-parameters"]')
    assert cell.text_content() == "4104"


def test_on_a_phone_no_word_is_lost(open_figure):
    page = open_figure(ScoreCostsFigure(), width=390)
    shown = page.page.locator("svg text").all_text_contents()
    assert {"numbers", "for all pairs", "less arithmetic", "more arithmetic"} <= set(shown)
    page.set(d=1024, num_queries=8, num_keys=8)  # the two draw level at h = 4
    page.settle()
    assert "less" in page.page.locator("svg text").all_text_contents()


def test_the_mark_says_what_its_axis_says(page):
    page.set(h=4096, d=4096, num_queries=1, num_keys=4096)
    shown = page.page.locator("svg text").all_text_contents()
    assert shown.count("× 4096") >= 2  # the tick and the dashed line's mark


def test_neighbours_have_as_many_digits(page):
    cell = page.page.locator('[data-cell="gaussian-multiply_adds"]')
    assert cell.text_content() == "17.0 M"
    ratio = page.page.locator("svg text").all_text_contents()
    assert "≈ × 1" in ratio  # the scaled dot product's 1.004


def test_the_dot_by_keys_and_by_mouse(page):
    page.press("h", "ArrowLeft")
    assert page.state("h") == 128
    shown = page.handle("h").get_attribute("aria-valuetext")
    assert shown == "128: multiply-adds × 2"
    page.press("h", "Home")
    assert page.state("h") == 1
    page.drag("h", 150, 0)
    assert 4 <= page.state("h") <= 32 and page.state("h") in 2 ** torch.arange(13)


def test_the_two_lines_are_at_the_counts(page):
    """Where they stand, read off the drawing: a power of two is as high everywhere, and 1 is the dot product."""

    def place(key):
        box = page.handle(key).locator(".ab-ring").bounding_box()
        return box["y"] + box["height"] / 2

    first = place("h")  # at 4 times the dot product
    page.slide("h", 4)  # at a quarter
    assert place("h") - first == pytest.approx(252 * 4 / 28, abs=0.5)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_it_fits_a_phone(open_figure, theme):
    page = open_figure(ScoreCostsFigure(), width=390, theme=theme)
    for h, d, num_queries, num_keys in (
        (256, 256, 256, 256),
        (8, 4096, 4096, 4096),
        (4096, 1, 1, 1),
        (1, 2048, 4096, 4096),
    ):
        page.set(h=h, d=d, num_queries=num_queries, num_keys=num_keys)
        page.require_fit()


def test_on_a_phone_everything_is_in_one_view(open_figure):
    page = open_figure(ScoreCostsFigure(), width=390)
    controls = page.page.locator(".ab-controls").bounding_box()
    assert controls["height"] <= 120
    for h in (256, 8):
        page.set(h=h)
        assert page.page.locator(".ab-card").bounding_box()["height"] <= 844


def test_either_can_be_cheaper():
    def ratio(*sizes):
        return score_costs("additive", *sizes)["multiply_adds"] / score_costs("dot", *sizes)["multiply_adds"]

    assert ratio(64, 64, 64, 64) == 4
    assert ratio(512, 64, 512, 512) < 1
    additive, plain = (score_costs(name, 512, 64, 512, 512) for name in ("additive", "dot"))
    assert additive["largest"] == 64 * plain["largest"]


@pytest.mark.parametrize(("sizes", "says"), [((0, 1, 1, 1), "d must be"), ((1, 1, 2.5, 1), "num_queries must be")])
def test_bad_sizes_are_named(sizes, says):
    with pytest.raises((TypeError, ValueError), match=says):
        score_costs("dot", *sizes)


def test_an_unknown_score_is_named():
    with pytest.raises(ValueError, match="one of dot, scaled_dot, .*; got 'cosine'"):
        score_costs("cosine", 1, 1, 1, 1)


@pytest.mark.parametrize(
    ("traits", "says"),
    [({"d": 0}, "the size of queries and keys"), ({"h": 2.5}, "whole number"), ({"num_keys": 5000}, "from 1 to 4096")],
)
def test_bad_traits_are_named(traits, says):
    with pytest.raises(ValueError, match=says):
        ScoreCostsFigure(**traits)
